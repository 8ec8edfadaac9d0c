/// A hash function or XOF from FIPS 202.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// SHA3-224.
    Sha3_224,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
    /// SHAKE128.
    Shake128,
    /// SHAKE256.
    Shake256,
}

impl Function {
    /// All functions.
    pub const ALL: [Function; 6] = [
        Function::Sha3_224,
        Function::Sha3_256,
        Function::Sha3_384,
        Function::Sha3_512,
        Function::Shake128,
        Function::Shake256,
    ];

    /// Returns the function's name in the standard.
    pub const fn name(self) -> &'static str {
        match self {
            Function::Sha3_224 => "SHA3-224",
            Function::Sha3_256 => "SHA3-256",
            Function::Sha3_384 => "SHA3-384",
            Function::Sha3_512 => "SHA3-512",
            Function::Shake128 => "SHAKE128",
            Function::Shake256 => "SHAKE256",
        }
    }

    /// Returns the length in bytes of the digest, or `None` for a XOF.
    pub const fn digest_length(self) -> Option<usize> {
        match self {
            Function::Sha3_224 => Some(28),
            Function::Sha3_256 => Some(32),
            Function::Sha3_384 => Some(48),
            Function::Sha3_512 => Some(64),
            Function::Shake128 | Function::Shake256 => None,
        }
    }

    /// Returns the number of bytes that one permutation absorbs or squeezes: 200 minus the capacity. The capacity is
    /// twice the digest length, or 32 bytes for SHAKE128 and 64 for SHAKE256.
    pub const fn rate(self) -> usize {
        match self {
            Function::Sha3_224 => 144,
            Function::Sha3_256 | Function::Shake256 => 136,
            Function::Sha3_384 => 104,
            Function::Sha3_512 => 72,
            Function::Shake128 => 168,
        }
    }

    /// Returns the byte that follows the message. This byte contains a suffix (`01` for hash functions, `1111` for
    /// XOFs) and the first padding bit (FIPS 202, appendix B.2).
    pub(crate) const fn suffix(self) -> u8 {
        match self {
            Function::Shake128 | Function::Shake256 => 0x1f,
            _ => 0x06,
        }
    }
}
