use serde::Serialize;

/// Published vectors that no suite covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NotApplicable {
    /// Location of the vectors: a path prefix in the vectors folder, or the name of the source.
    pub place: &'static str,
    /// Omitted part of the vectors at that location, or `all`.
    pub part: &'static str,
    /// Reason why no suite covers these vectors.
    pub reason: &'static str,
}

const fn all(place: &'static str, reason: &'static str) -> NotApplicable {
    NotApplicable { place, part: "all", reason }
}

const CONSTRUCTION: &str = "constructions from several primitives: tested with the code that implements them";
const CERTIFICATE: &str = "certificates and key files: tested with the code that parses them";

/// All published vectors that no suite covers, with the reasons.
pub static NOT_APPLICABLE: &[NotApplicable] = &[
    all("README", "documentation"),
    all("accumulated.md", "documentation of accumulated vectors"),
    all("acvp/cSHAKE-", "pqlab has no trait for cSHAKE"),
    NotApplicable {
        place: "acvp/EDDSA-",
        part: "Ed448 test groups (3 keyGen, 4 keyVer, 84 sigGen, 10 sigVer)",
        reason: "pqlab does not cover Ed448",
    },
    NotApplicable {
        place: "rfc/6979-",
        part: "curves other than P-256 and P-384 (13, with 10 signatures each)",
        reason: "pqlab does not cover these curves",
    },
    all("cctv/ML-DSA/benchmark/", "messages for measurements, not vectors"),
    NotApplicable {
        place: "falcon/liboqs-",
        part: "algorithms other than ML-KEM, ML-DSA and Falcon",
        reason: "pqlab does not cover these algorithms",
    },
    all("falcon/pqclean-", "the digests either repeat liboqs's or require a seeded generator inside the library"),
    all("lamps-composite-kem/", CONSTRUCTION),
    all("lamps-composite-sigs/", CONSTRUCTION),
    all("tor-ntor/", CONSTRUCTION),
    all("xwing/", CONSTRUCTION),
    all("hpke/", CONSTRUCTION),
    all("lamps-mldsa-certs/", CERTIFICATE),
    all("lamps-mlkem-certs/", CERTIFICATE),
    all("lamps-slhdsa-certs/", CERTIFICATE),
    NotApplicable {
        place: "cryptography-vectors",
        part: "everything that `make vectors` does not extract",
        reason: "contains only PEM and DER keys, certificates, and algorithms that pqlab does not cover",
    },
    NotApplicable {
        place: "Wycheproof",
        part: "signatures in DER, keys in PEM, PKCS#8 or JWK; other algorithms, curves, sizes and hash functions",
        reason: "pqlab's interface accepts only `r || s` and raw keys, and pqlab does not cover the other algorithms",
    },
    NotApplicable {
        place: "providers",
        part: "null",
        reason: "computes no answers, because it only serves to measure the overhead of the harness",
    },
];
