use serde::Serialize;

/// Published vectors that no line covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NotApplicable {
    /// Location: the start of a file's path within the folder of vectors, or the source of the vectors.
    pub place: &'static str,
    /// Part of the vectors at that location; `all` excludes none.
    pub part: &'static str,
    /// Reason why no line covers them.
    pub reason: &'static str,
}

const fn all(place: &'static str, reason: &'static str) -> NotApplicable {
    NotApplicable { place, part: "all", reason }
}

const CONSTRUCTION: &str = "of a construction over primitives: verified where the construction is";
const CERTIFICATE: &str = "certificates and key files: verified where they are read";

/// Everything that is left out as a whole, with the reason.
pub static NOT_APPLICABLE: &[NotApplicable] = &[
    all("README", "says what there is"),
    all("accumulated.md", "says how vectors may be accumulated"),
    all("acvp/cSHAKE-", "no trait offers cSHAKE"),
    NotApplicable {
        place: "acvp/EDDSA-",
        part: "groups of Ed448 (3 keyGen, 4 keyVer, 84 sigGen, 10 sigVer)",
        reason: "no provider is asked for Ed448",
    },
    NotApplicable {
        place: "rfc/6979-",
        part: "curves other than P-256 and P-384 (13, with 10 signatures each)",
        reason: "no provider is asked for these curves",
    },
    all("cctv/ML-DSA/benchmark/", "messages to measure with, not vectors"),
    NotApplicable {
        place: "falcon/liboqs-",
        part: "algorithms other than ML-KEM, ML-DSA and Falcon",
        reason: "no provider is asked for these algorithms",
    },
    all("falcon/pqclean-", "their digests are liboqs' or need a seeded generator within the library"),
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
        part: "what `make vectors` leaves in the package",
        reason: "no provider is asked for these algorithms; keys in PEM and DER, certificates",
    },
    NotApplicable {
        place: "Wycheproof",
        part: "signatures in DER, keys in PEM, PKCS#8 or JWK; other algorithms, curves, sizes and hash functions",
        reason: "the traits take `r || s` and raw keys, and no provider is asked for the others",
    },
    NotApplicable { place: "providers", part: "null", reason: "it computes nothing: it is the floor of the harness" },
];
