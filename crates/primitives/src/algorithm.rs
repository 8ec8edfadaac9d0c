//! Algorithm parameters from the standards: names, lengths in bytes, security categories. All providers share one table
//! per kind of algorithm.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Encoding of a private key. Keys in different encodings are benchmarked as separate cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyEncoding {
    /// Seed from which the key is expanded: ML-KEM `d || z`, ML-DSA `xi`, Ed25519's 32 bytes (RFC 8032), HQC's
    /// `seed_KEM`, LMS `I || SEED` (RFC 8554, appendix A).
    Seed,
    /// Expanded key: FIPS 203 `dk`, FIPS 204 `sk`, FIPS 205 `SK`, the private key of other schemes.
    Expanded,
    /// Scalar of fixed length: X25519 (RFC 7748, little-endian), ECDSA (SEC 1, big-endian).
    Scalar,
    /// DER encoding of `RSAPrivateKey` (RFC 8017, appendix A.1.2).
    Der,
    /// CBOR array of byte strings, one for each component algorithm of a hybrid in the reference form. The reference
    /// form is the encoding of an earlier system that pqlab reproduces.
    Cbor,
}

impl KeyEncoding {
    /// Returns the name used in case ids and tables.
    pub fn name(self) -> &'static str {
        match self {
            KeyEncoding::Seed => "seed",
            KeyEncoding::Expanded => "expanded",
            KeyEncoding::Scalar => "scalar",
            KeyEncoding::Der => "der",
            KeyEncoding::Cbor => "cbor",
        }
    }
}

/// Parameters of a KEM, from its standard. Lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KemParameters {
    /// Name of the algorithm in its standard.
    pub algorithm: Cow<'static, str>,
    /// Name of the standard that defines the algorithm, such as `FIPS 203`.
    pub standard: Cow<'static, str>,
    /// NIST security category, 1 to 5. `None` for a mock, or if a quantum computer breaks the algorithm.
    pub category: Option<u8>,
    /// Length of an encoded encapsulation key.
    pub encapsulation_key: usize,
    /// Encodings of a decapsulation key, each with its length.
    pub decapsulation_keys: Cow<'static, [(KeyEncoding, usize)]>,
    /// Length of a ciphertext.
    pub ciphertext: usize,
    /// Length of a shared secret.
    pub shared_secret: usize,
    /// Number of random bytes that key generation takes.
    pub keygen_coins: usize,
    /// Number of random bytes that encapsulation takes.
    pub encapsulation_coins: usize,
}

impl KemParameters {
    /// Returns the parameters of the algorithm with this name, or `None` if the name is unknown.
    pub fn find(algorithm: &str) -> Option<KemParameters> {
        KEMS.iter().find(|kem| kem.algorithm == algorithm).cloned()
    }

    /// Returns the length in bytes of a decapsulation key in an encoding, or `None` if the algorithm does not have this
    /// encoding.
    pub fn decapsulation_key(&self, encoding: KeyEncoding) -> Option<usize> {
        length_of(&self.decapsulation_keys, encoding)
    }
}

/// Parameters of a signature scheme, from its standard. Lengths in bytes. If a length varies, the field contains the
/// maximum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureParameters {
    /// Name of the algorithm in its standard.
    pub algorithm: Cow<'static, str>,
    /// Name of the standard that defines the algorithm, such as `FIPS 204`.
    pub standard: Cow<'static, str>,
    /// NIST security category, 1 to 5. `None` if a quantum computer breaks the algorithm.
    pub category: Option<u8>,
    /// Length of an encoded verifying key.
    pub verifying_key: usize,
    /// Encodings of a signing key, each with its length.
    pub signing_keys: Cow<'static, [(KeyEncoding, usize)]>,
    /// Maximum length of a signature.
    pub signature: usize,
    /// Whether signatures vary in length.
    pub variable_length: bool,
    /// Number of random bytes that key generation takes. 0 if no standard specifies how to derive a key from random
    /// bytes.
    pub keygen_coins: usize,
    /// Number of random bytes that hedged signing takes. 0 if the standard does not define hedged signing.
    pub signing_coins: usize,
}

/// Returns the digest algorithm that CMS uses with a signature algorithm: SHA-512 for ML-DSA (RFC 9882, section 3.3),
/// Ed25519 (RFC 8419, section 3.1) and SLH-DSA of categories 3 and 5, SHA-256 for SLH-DSA of category 1 (RFC 9814,
/// section 4), ECDSA on P-256 and RSA (RFC 5754). `None` for all other algorithms.
pub fn cms_digest(signature: &str) -> Option<&'static str> {
    match signature {
        "ECDSA-P-256" | "RSA-2048" | "SLH-DSA-SHA2-128s" | "SLH-DSA-SHA2-128f" => Some("SHA-256"),
        "Ed25519" | "ML-DSA-44" | "ML-DSA-65" | "ML-DSA-87" => Some("SHA-512"),
        "SLH-DSA-SHA2-192s" | "SLH-DSA-SHA2-192f" | "SLH-DSA-SHA2-256s" | "SLH-DSA-SHA2-256f" => Some("SHA-512"),
        _ => None,
    }
}

impl SignatureParameters {
    /// Returns the parameters of the algorithm with this name, or `None` if the name is unknown.
    pub fn find(algorithm: &str) -> Option<SignatureParameters> {
        SIGNATURES.iter().find(|signature| signature.algorithm == algorithm).cloned()
    }

    /// Iterates over the names of the signature schemes that `standard` defines.
    pub fn of_standard(standard: &'static str) -> impl Iterator<Item = &'static str> {
        SIGNATURES.iter().filter(move |signature| signature.standard == standard).map(|signature| &*signature.algorithm)
    }

    /// Returns the length in bytes of a signing key in an encoding, or `None` if the algorithm does not have this
    /// encoding. If the length varies, returns the maximum.
    pub fn signing_key(&self, encoding: KeyEncoding) -> Option<usize> {
        length_of(&self.signing_keys, encoding)
    }
}

/// Parameters of a Diffie-Hellman function. Lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyAgreementParameters {
    /// Name of the algorithm in its standard.
    pub algorithm: Cow<'static, str>,
    /// Name of the standard that defines the algorithm, such as `RFC 7748`.
    pub standard: Cow<'static, str>,
    /// Length of an encoded public key.
    pub public_key: usize,
    /// Length of an encoded private key.
    pub private_key: usize,
    /// Length of a shared secret.
    pub shared_secret: usize,
}

impl KeyAgreementParameters {
    /// X25519 (RFC 7748, section 5).
    pub const X25519: KeyAgreementParameters = KeyAgreementParameters {
        algorithm: Cow::Borrowed("X25519"),
        standard: Cow::Borrowed("RFC 7748"),
        public_key: 32,
        private_key: 32,
        shared_secret: 32,
    };
}

/// Parameters of a hash function. Lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashParameters {
    /// Name of the algorithm in its standard.
    pub algorithm: Cow<'static, str>,
    /// Name of the standard that defines the algorithm, such as `FIPS 180-4`.
    pub standard: Cow<'static, str>,
    /// Length of a digest.
    pub digest: usize,
}

impl HashParameters {
    /// Returns the parameters of the algorithm with this name, or `None` if the name is unknown.
    pub fn find(algorithm: &str) -> Option<HashParameters> {
        HASHES.iter().find(|(name, ..)| *name == algorithm).map(|&(name, standard, digest)| HashParameters {
            algorithm: Cow::Borrowed(name),
            standard: Cow::Borrowed(standard),
            digest,
        })
    }
}

/// Parameters of an extendable-output function. Lengths in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct XofParameters {
    /// Name of the algorithm in its standard.
    pub algorithm: Cow<'static, str>,
    /// Name of the standard that defines the algorithm, such as `FIPS 202`.
    pub standard: Cow<'static, str>,
    /// Rate: number of bytes absorbed or squeezed per permutation.
    pub rate: usize,
}

impl XofParameters {
    /// Returns the parameters of the algorithm with this name, or `None` if the name is unknown.
    pub fn find(algorithm: &str) -> Option<XofParameters> {
        let rate = match algorithm {
            "SHAKE128" => 168,
            "SHAKE256" => 136,
            _ => return None,
        };
        let name = if rate == 168 { "SHAKE128" } else { "SHAKE256" };
        Some(XofParameters { algorithm: Cow::Borrowed(name), standard: Cow::Borrowed("FIPS 202"), rate })
    }
}

fn length_of(lengths: &[(KeyEncoding, usize)], encoding: KeyEncoding) -> Option<usize> {
    lengths.iter().find(|(candidate, _)| *candidate == encoding).map(|&(_, length)| length)
}

use KeyEncoding::{Cbor, Der, Expanded, Scalar, Seed};

/// Returns the parameters of a KEM. `lengths` contains the lengths of encapsulation key, ciphertext and shared secret,
/// and `coins` those of the random bytes for key generation and encapsulation.
const fn kem(
    algorithm: &'static str,
    standard: &'static str,
    category: u8,
    decapsulation_keys: &'static [(KeyEncoding, usize)],
    lengths: (usize, usize, usize),
    coins: (usize, usize),
) -> KemParameters {
    KemParameters {
        algorithm: Cow::Borrowed(algorithm),
        standard: Cow::Borrowed(standard),
        category: Some(category),
        encapsulation_key: lengths.0,
        decapsulation_keys: Cow::Borrowed(decapsulation_keys),
        ciphertext: lengths.1,
        shared_secret: lengths.2,
        keygen_coins: coins.0,
        encapsulation_coins: coins.1,
    }
}

const FIPS203: &str = "FIPS 203";
/// Key generation takes `seed_KEM`, and encapsulation takes the message and the salt.
const HQC: &str = "HQC (reference code of 2026-02-10)";
/// The specification does not define how to use random bytes.
const NTRU_PRIME: &str = "NTRU Prime (round 3)";
/// The ISO standard lacks the sets of category 1. No library takes FrodoKEM's random bytes, so coins have length 0.
const FRODO: &str = "FrodoKEM (ISO proposal of 2023-03-14)";
const FRODO_ISO: &str = "ISO/IEC 18033-2 Amd 2";

/// Parameters of KEMs from FIPS 203, table 3; of HQC, from its code; of NTRU Prime, from its submission; of FrodoKEM,
/// from its proposal to ISO; of X25519 from RFC 7748; and of hybrids. For X25519 as a KEM, the ciphertext is an ephemeral
/// public key and the secret is the plain Diffie-Hellman value, as in TLS 1.3 key shares.
///
/// The names of HQC contain a date, because the code of 2026-02-10 samples other vectors than the specification of
/// 2025-08-22, which liboqs calls `HQC-1`. The two do not interoperate. eFrodoKEM is the submission to round 3, which
/// liboqs called FrodoKEM before version 0.16; FrodoKEM adds a salt.
static KEMS: [KemParameters; 30] = [
    kem("ML-KEM-512", FIPS203, 1, &[(Seed, 64), (Expanded, 1632)], (800, 768, 32), (64, 32)),
    kem("ML-KEM-768", FIPS203, 3, &[(Seed, 64), (Expanded, 2400)], (1184, 1088, 32), (64, 32)),
    kem("ML-KEM-1024", FIPS203, 5, &[(Seed, 64), (Expanded, 3168)], (1568, 1568, 32), (64, 32)),
    kem("HQC-1-2026-02", HQC, 1, &[(Seed, 32), (Expanded, 2321)], (2241, 4433, 32), (32, 32)),
    kem("HQC-3-2026-02", HQC, 3, &[(Seed, 32), (Expanded, 4602)], (4514, 8978, 32), (32, 40)),
    kem("HQC-5-2026-02", HQC, 5, &[(Seed, 32), (Expanded, 7333)], (7237, 14421, 32), (32, 48)),
    kem("sntrup653", NTRU_PRIME, 1, &[(Expanded, 1518)], (994, 897, 32), (0, 0)),
    kem("sntrup761", NTRU_PRIME, 2, &[(Expanded, 1763)], (1158, 1039, 32), (0, 0)),
    kem("sntrup857", NTRU_PRIME, 3, &[(Expanded, 1999)], (1322, 1184, 32), (0, 0)),
    kem("sntrup953", NTRU_PRIME, 4, &[(Expanded, 2254)], (1505, 1349, 32), (0, 0)),
    kem("sntrup1013", NTRU_PRIME, 5, &[(Expanded, 2417)], (1623, 1455, 32), (0, 0)),
    kem("sntrup1277", NTRU_PRIME, 5, &[(Expanded, 3059)], (2067, 1847, 32), (0, 0)),
    kem("FrodoKEM-640-AES", FRODO, 1, &[(Expanded, 19888)], (9616, 9752, 16), (0, 0)),
    kem("FrodoKEM-640-SHAKE", FRODO, 1, &[(Expanded, 19888)], (9616, 9752, 16), (0, 0)),
    kem("FrodoKEM-976-AES", FRODO_ISO, 3, &[(Expanded, 31296)], (15632, 15792, 24), (0, 0)),
    kem("FrodoKEM-976-SHAKE", FRODO_ISO, 3, &[(Expanded, 31296)], (15632, 15792, 24), (0, 0)),
    kem("FrodoKEM-1344-AES", FRODO_ISO, 5, &[(Expanded, 43088)], (21520, 21696, 32), (0, 0)),
    kem("FrodoKEM-1344-SHAKE", FRODO_ISO, 5, &[(Expanded, 43088)], (21520, 21696, 32), (0, 0)),
    kem("eFrodoKEM-640-AES", FRODO, 1, &[(Expanded, 19888)], (9616, 9720, 16), (0, 0)),
    kem("eFrodoKEM-640-SHAKE", FRODO, 1, &[(Expanded, 19888)], (9616, 9720, 16), (0, 0)),
    kem("eFrodoKEM-976-AES", FRODO_ISO, 3, &[(Expanded, 31296)], (15632, 15744, 24), (0, 0)),
    kem("eFrodoKEM-976-SHAKE", FRODO_ISO, 3, &[(Expanded, 31296)], (15632, 15744, 24), (0, 0)),
    kem("eFrodoKEM-1344-AES", FRODO_ISO, 5, &[(Expanded, 43088)], (21520, 21632, 32), (0, 0)),
    kem("eFrodoKEM-1344-SHAKE", FRODO_ISO, 5, &[(Expanded, 43088)], (21520, 21632, 32), (0, 0)),
    KemParameters {
        algorithm: Cow::Borrowed("X25519"),
        standard: Cow::Borrowed("RFC 7748"),
        category: None,
        encapsulation_key: 32,
        decapsulation_keys: Cow::Borrowed(&[(Scalar, 32)]),
        ciphertext: 32,
        shared_secret: 32,
        keygen_coins: 32,
        encapsulation_coins: 32,
    },
    hybrid_kem("X-Wing", "draft-connolly-cfrg-xwing-kem", Some(3), 1216, &[(Seed, 32)], 32, 32),
    hybrid_kem("MLKEM768-X25519-SHA3-256", "draft-ietf-lamps-pq-composite-kem", Some(3), 1216, &[(Seed, 96)], 32, 96),
    hybrid_kem("X25519MLKEM768", "RFC 10024", Some(3), 1216, &[(Seed, 96)], 64, 96),
    hybrid_kem("X25519+ML-KEM-768", "the reference form", Some(3), 1222, &[(Cbor, 101)], 32, 96),
    hybrid_kem("X25519+mock", "the reference form with a mock KEM", None, 1222, &[(Cbor, 101)], 32, 96),
];

/// Returns the parameters of a hybrid of X25519 and ML-KEM-768.
///
/// - Key generation takes the random bytes that the standard defines, such as the 32-byte seed of X-Wing. If the
///   standard defines none, key generation takes `d || z || skX`, 96 bytes.
/// - Encapsulation takes `m || ekX`, 64 bytes.
/// - The security category is the category of ML-KEM-768. A hybrid with a mock KEM has none.
const fn hybrid_kem(
    algorithm: &'static str,
    standard: &'static str,
    category: Option<u8>,
    encapsulation_key: usize,
    decapsulation_keys: &'static [(KeyEncoding, usize)],
    shared_secret: usize,
    keygen_coins: usize,
) -> KemParameters {
    KemParameters {
        algorithm: Cow::Borrowed(algorithm),
        standard: Cow::Borrowed(standard),
        category,
        encapsulation_key,
        decapsulation_keys: Cow::Borrowed(decapsulation_keys),
        ciphertext: 1120,
        shared_secret,
        keygen_coins,
        encapsulation_coins: 64,
    }
}

const fn signature(
    algorithm: &'static str,
    standard: &'static str,
    category: Option<u8>,
    verifying_key: usize,
    signing_keys: &'static [(KeyEncoding, usize)],
    signature: usize,
    coins: (usize, usize),
) -> SignatureParameters {
    SignatureParameters {
        algorithm: Cow::Borrowed(algorithm),
        standard: Cow::Borrowed(standard),
        category,
        verifying_key,
        signing_keys: Cow::Borrowed(signing_keys),
        signature,
        variable_length: false,
        keygen_coins: coins.0,
        signing_coins: coins.1,
    }
}

const fn falcon(
    algorithm: &'static str,
    category: u8,
    verifying_key: usize,
    signing_keys: &'static [(KeyEncoding, usize)],
    length: usize,
    variable_length: bool,
) -> SignatureParameters {
    let mut parameters =
        signature(algorithm, "Falcon (round 3)", Some(category), verifying_key, signing_keys, length, (0, 0));
    parameters.variable_length = variable_length;
    parameters
}

const FIPS204: &str = "FIPS 204";
const FIPS205: &str = "FIPS 205";
const FN_DSA_GUESS: &str = "guess of FIPS 206 (fn-dsa 0.4)";
const SQISIGN: &str = "SQIsign 3.0 (round 3)";
const LMS: &str = "RFC 8554, NIST SP 800-208";
const XMSS: &str = "RFC 8391, NIST SP 800-208";
const LAMPS_SIGNATURES: &str = "draft-ietf-lamps-pq-composite-sigs";

/// Parameters of signature schemes from FIPS 204, table 2; FIPS 205, table 2; the Falcon specification, table 3.3; the
/// SQIsign specification; RFC 8554 and RFC 8391; RFC 8032; SEC 1 and SEC 2; RFC 8017; and of hybrids. No document states
/// categories for LMS and XMSS; they have the category of their hash length. The names of FN-DSA contain the date of the
/// guess, because no draft exists yet. Keys on secp256k1 are compressed, as in ledgers; keys on NIST
/// curves are uncompressed, as in X.509. ECDSA signatures are `r || s`, with a fixed length.
static SIGNATURES: [SignatureParameters; 39] = [
    signature("ML-DSA-44", FIPS204, Some(2), 1312, &[(Seed, 32), (Expanded, 2560)], 2420, (32, 32)),
    signature("ML-DSA-65", FIPS204, Some(3), 1952, &[(Seed, 32), (Expanded, 4032)], 3309, (32, 32)),
    signature("ML-DSA-87", FIPS204, Some(5), 2592, &[(Seed, 32), (Expanded, 4896)], 4627, (32, 32)),
    signature("SLH-DSA-SHA2-128s", FIPS205, Some(1), 32, &[(Expanded, 64)], 7856, (48, 16)),
    signature("SLH-DSA-SHAKE-128s", FIPS205, Some(1), 32, &[(Expanded, 64)], 7856, (48, 16)),
    signature("SLH-DSA-SHA2-128f", FIPS205, Some(1), 32, &[(Expanded, 64)], 17088, (48, 16)),
    signature("SLH-DSA-SHAKE-128f", FIPS205, Some(1), 32, &[(Expanded, 64)], 17088, (48, 16)),
    signature("SLH-DSA-SHA2-192s", FIPS205, Some(3), 48, &[(Expanded, 96)], 16224, (72, 24)),
    signature("SLH-DSA-SHAKE-192s", FIPS205, Some(3), 48, &[(Expanded, 96)], 16224, (72, 24)),
    signature("SLH-DSA-SHA2-192f", FIPS205, Some(3), 48, &[(Expanded, 96)], 35664, (72, 24)),
    signature("SLH-DSA-SHAKE-192f", FIPS205, Some(3), 48, &[(Expanded, 96)], 35664, (72, 24)),
    signature("SLH-DSA-SHA2-256s", FIPS205, Some(5), 64, &[(Expanded, 128)], 29792, (96, 32)),
    signature("SLH-DSA-SHAKE-256s", FIPS205, Some(5), 64, &[(Expanded, 128)], 29792, (96, 32)),
    signature("SLH-DSA-SHA2-256f", FIPS205, Some(5), 64, &[(Expanded, 128)], 49856, (96, 32)),
    signature("SLH-DSA-SHAKE-256f", FIPS205, Some(5), 64, &[(Expanded, 128)], 49856, (96, 32)),
    falcon("Falcon-512", 1, 897, &[(Expanded, 1281)], 752, true),
    falcon("Falcon-1024", 5, 1793, &[(Expanded, 2305)], 1462, true),
    falcon("Falcon-padded-512", 1, 897, &[(Expanded, 1281)], 666, false),
    falcon("Falcon-padded-1024", 5, 1793, &[(Expanded, 2305)], 1280, false),
    signature("FN-DSA-512-guess-2026-07", FN_DSA_GUESS, Some(1), 897, &[(Expanded, 1345)], 666, (0, 0)),
    signature("FN-DSA-1024-guess-2026-07", FN_DSA_GUESS, Some(5), 1793, &[(Expanded, 2369)], 1280, (0, 0)),
    signature("SPHINCS+-SHA2-128f-simple", "SPHINCS+ (round 3.1)", Some(1), 32, &[(Expanded, 64)], 17088, (0, 0)),
    signature("SQIsign_p324_3", SQISIGN, Some(1), 83, &[(Expanded, 270)], 200, (0, 0)),
    signature("SQIsign_p500_27", SQISIGN, Some(3), 129, &[(Expanded, 417)], 306, (0, 0)),
    signature("SQIsign_p664_17", SQISIGN, Some(5), 169, &[(Expanded, 549)], 406, (0, 0)),
    signature("LMS-SHA256-H5-W4", LMS, Some(5), 56, &[(Seed, 48), (Expanded, 60)], 2348, (48, 0)),
    signature("LMS-SHA256-H5-W8", LMS, Some(5), 56, &[(Seed, 48), (Expanded, 60)], 1292, (48, 0)),
    signature("LMS-SHA256-H10-W4", LMS, Some(5), 56, &[(Seed, 48), (Expanded, 60)], 2508, (48, 0)),
    signature("LMS-SHA256-H10-W8", LMS, Some(5), 56, &[(Seed, 48), (Expanded, 60)], 1452, (48, 0)),
    signature("XMSS-SHA2_10_192", XMSS, Some(3), 52, &[(Expanded, 104)], 1492, (0, 0)),
    signature("XMSS-SHA2_10_256", XMSS, Some(5), 68, &[(Expanded, 136)], 2500, (0, 0)),
    signature("XMSS-SHAKE256_10_256", XMSS, Some(5), 68, &[(Expanded, 136)], 2500, (0, 0)),
    signature("Ed25519", "RFC 8032", None, 32, &[(Seed, 32)], 64, (32, 0)),
    signature("ECDSA-secp256k1", "SEC 1, SEC 2", None, 33, &[(Scalar, 32)], 64, (32, 0)),
    signature("ECDSA-P-256", "FIPS 186-5", None, 65, &[(Scalar, 32)], 64, (32, 0)),
    signature("ECDSA-P-384", "FIPS 186-5", None, 97, &[(Scalar, 48)], 96, (48, 0)),
    signature("RSA-2048", "RFC 8017", None, 270, &[(Der, 1200)], 256, (0, 0)),
    // Key generation takes two seeds, ML-DSA's first. Signing takes ML-DSA's `rnd`. In the reference form, signing
    // takes 32 more random bytes before `rnd`. Both halves sign these 32 bytes in front of the message.
    signature("MLDSA65-Ed25519-SHA512", LAMPS_SIGNATURES, Some(3), 1984, &[(Seed, 64)], 3373, (64, 32)),
    signature("Ed25519+ML-DSA-65", "the reference form", Some(3), 1990, &[(Cbor, 69)], 3413, (64, 64)),
];

static HASHES: [(&str, &str, usize); 6] = [
    ("SHA3-224", "FIPS 202", 28),
    ("SHA3-256", "FIPS 202", 32),
    ("SHA3-384", "FIPS 202", 48),
    ("SHA3-512", "FIPS 202", 64),
    ("SHA-256", "FIPS 180-4", 32),
    ("SHA-512", "FIPS 180-4", 64),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Stage, Standardization};

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = SIGNATURES.iter().map(|s| s.algorithm.as_ref()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    /// Both tables must name the same standard, and the table of the stages must know every algorithm.
    #[test]
    fn every_algorithm_has_a_standardization() {
        let kems = KEMS.iter().map(|kem| (&*kem.algorithm, &*kem.standard));
        let signatures = SIGNATURES.iter().map(|signature| (&*signature.algorithm, &*signature.standard));
        let hashes = HASHES.iter().map(|(name, standard, _)| (*name, *standard));
        for (algorithm, standard) in kems.chain(signatures).chain(hashes) {
            let found = Standardization::find(algorithm).unwrap_or_else(|| panic!("{algorithm}"));
            if matches!(found.stage, Stage::Standard | Stage::Draft) {
                assert!(standard.contains(found.detail), "{algorithm}: {standard}");
            }
        }
    }

    #[test]
    fn ml_kem_lengths_follow_from_k() {
        // FIPS 203, section 8: ek = 384k + 32 bytes, dk = 768k + 96, ct = 32(du k + dv).
        for (algorithm, k, du, dv) in [("ML-KEM-512", 2, 10, 4), ("ML-KEM-768", 3, 10, 4), ("ML-KEM-1024", 4, 11, 5)] {
            let kem = KemParameters::find(algorithm).unwrap();
            assert_eq!(kem.encapsulation_key, 384 * k + 32);
            assert_eq!(kem.decapsulation_key(KeyEncoding::Expanded), Some(768 * k + 96));
            assert_eq!(kem.ciphertext, 32 * (du * k + dv));
        }
    }
}
