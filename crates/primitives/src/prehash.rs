use serde::{Deserialize, Serialize};

/// Hash function of a pre-hashed signature variant, which signs the digest of the message. The variants are HashML-DSA
/// (FIPS 204, section 5.4), HashSLH-DSA (FIPS 205, section 10.2.2) and Ed25519ph (RFC 8032, section 5.1, only SHA-512).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Prehash {
    /// SHA-256 (FIPS 180-4): a digest of 32 bytes.
    Sha256,
    /// SHA-512 (FIPS 180-4): a digest of 64 bytes.
    Sha512,
    /// SHAKE128 (FIPS 202) with 32 bytes of output.
    Shake128,
    /// SHAKE256 (FIPS 202) with 64 bytes of output.
    Shake256,
}

impl Prehash {
    /// All functions, as listed in FIPS 204, algorithm 4, and FIPS 205, algorithm 23.
    pub const ALL: [Prehash; 4] = [Prehash::Sha256, Prehash::Sha512, Prehash::Shake128, Prehash::Shake256];

    /// Returns the function's name in the standard.
    pub fn name(self) -> &'static str {
        match self {
            Prehash::Sha256 => "SHA-256",
            Prehash::Sha512 => "SHA-512",
            Prehash::Shake128 => "SHAKE128",
            Prehash::Shake256 => "SHAKE256",
        }
    }

    /// Returns the DER encoding of the function's object identifier, 2.16.840.1.101.3.4.2.x, including tag and length:
    /// 11 bytes (FIPS 204, algorithm 4, lines 11, 14, 17; FIPS 205, algorithm 23, lines 10 to 19).
    pub fn object_identifier(self) -> [u8; 11] {
        let last = match self {
            Prehash::Sha256 => 0x01,
            Prehash::Sha512 => 0x03,
            Prehash::Shake128 => 0x0b,
            Prehash::Shake256 => 0x0c,
        };
        [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, last]
    }
}
