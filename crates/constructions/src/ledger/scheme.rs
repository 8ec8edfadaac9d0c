use super::Malformed;
use pqlab_primitives::SignatureScheme;

/// Signature scheme for TXv2 transactions. The discriminant is the byte in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Scheme {
    /// ML-DSA-65 (FIPS 204).
    MlDsa65 = 0,
    /// Composite of ML-DSA-65 and Ed25519: id-MLDSA65-Ed25519-SHA512 (draft-ietf-lamps-pq-composite-sigs).
    Composite = 1,
    /// ML-DSA-44 (FIPS 204).
    MlDsa44 = 2,
    /// ML-DSA-87 (FIPS 204).
    MlDsa87 = 3,
    /// Falcon-512 with signatures of variable length.
    Falcon512 = 4,
    /// Falcon-512 with signatures padded to a fixed length.
    FalconPadded512 = 5,
    /// Ed25519 (RFC 8032).
    Ed25519 = 6,
    /// ECDSA over secp256k1 (SEC 1, SEC 2). The key is a compressed point. The signature is `r || s`, where `s` is at
    /// most half the group order.
    EcdsaSecp256k1 = 7,
    /// 2048-bit RSA with PKCS #1 v1.5 signatures (RFC 8017), for comparison.
    Rsa2048 = 8,
}

/// Group order of Ed25519, little-endian (RFC 8032, section 5.1). `S` in a valid signature is smaller.
const ED25519_ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// Group order of secp256k1, big-endian (SEC 2, section 2.4.1).
pub(super) const SECP256K1_ORDER: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xba, 0xae, 0xdc,
    0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41,
];

/// Half the group order of secp256k1, rounded down (SEC 2, section 2.4.1). This is the largest accepted `s`.
const HALF_ORDER: [u8; 32] = [
    0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x5d, 0x57, 0x6e,
    0x73, 0x57, 0xa4, 0x50, 0x1d, 0xdf, 0xe9, 0x2f, 0x46, 0x68, 0x1b, 0x20, 0xa0,
];

impl Scheme {
    /// All schemes, sorted by their byte in the encoding.
    pub const ALL: [Scheme; 9] = [
        Scheme::MlDsa65,
        Scheme::Composite,
        Scheme::MlDsa44,
        Scheme::MlDsa87,
        Scheme::Falcon512,
        Scheme::FalconPadded512,
        Scheme::Ed25519,
        Scheme::EcdsaSecp256k1,
        Scheme::Rsa2048,
    ];

    /// Returns the scheme's byte in the encoding.
    pub const fn id(self) -> u8 {
        self as u8
    }

    /// Returns the scheme with this byte in the encoding.
    pub fn from_id(id: u8) -> Option<Scheme> {
        Scheme::ALL.get(usize::from(id)).copied()
    }

    /// Returns the algorithm's name, as used by [`SignatureScheme`].
    pub const fn algorithm(self) -> &'static str {
        match self {
            Scheme::MlDsa65 => "ML-DSA-65",
            Scheme::Composite => "MLDSA65-Ed25519-SHA512",
            Scheme::MlDsa44 => "ML-DSA-44",
            Scheme::MlDsa87 => "ML-DSA-87",
            Scheme::Falcon512 => "Falcon-512",
            Scheme::FalconPadded512 => "Falcon-padded-512",
            Scheme::Ed25519 => "Ed25519",
            Scheme::EcdsaSecp256k1 => "ECDSA-secp256k1",
            Scheme::Rsa2048 => "RSA-2048",
        }
    }

    /// Returns the scheme for an algorithm name. Ignores case.
    pub fn from_algorithm(name: &str) -> Option<Scheme> {
        Scheme::ALL.into_iter().find(|scheme| scheme.algorithm().eq_ignore_ascii_case(name))
    }

    /// Returns whether `scheme` implements this algorithm.
    pub fn is(self, scheme: &dyn SignatureScheme) -> bool {
        scheme.info().parameters.algorithm == self.algorithm()
    }

    /// Returns whether the scheme resists all known quantum attacks.
    pub const fn quantum_safe(self) -> bool {
        !matches!(self, Scheme::Ed25519 | Scheme::EcdsaSecp256k1 | Scheme::Rsa2048)
    }

    /// Returns the length of a public key in bytes.
    pub const fn public_key(self) -> usize {
        match self {
            Scheme::MlDsa65 => 1952,
            Scheme::Composite => 1984,
            Scheme::MlDsa44 => 1312,
            Scheme::MlDsa87 => 2592,
            Scheme::Falcon512 | Scheme::FalconPadded512 => 897,
            Scheme::Ed25519 => 32,
            Scheme::EcdsaSecp256k1 => 33,
            Scheme::Rsa2048 => 270,
        }
    }

    /// Returns the minimum and maximum length of a signature in bytes. A Falcon-512 signature contains at least a
    /// header, a salt and one more byte.
    pub const fn signature(self) -> (usize, usize) {
        match self {
            Scheme::MlDsa65 => (3309, 3309),
            Scheme::Composite => (3373, 3373),
            Scheme::MlDsa44 => (2420, 2420),
            Scheme::MlDsa87 => (4627, 4627),
            Scheme::Falcon512 => (42, 752),
            Scheme::FalconPadded512 => (666, 666),
            Scheme::Ed25519 | Scheme::EcdsaSecp256k1 => (64, 64),
            Scheme::Rsa2048 => (256, 256),
        }
    }

    /// Returns the maximum length of a transaction in bytes.
    pub const fn transaction(self) -> usize {
        super::transaction::FIXED + 2 + self.public_key() + 2 + self.signature().1
    }

    pub(super) fn check_public_key(self, bytes: &[u8]) -> Result<(), Malformed> {
        if bytes.len() != self.public_key() {
            return Err(Malformed::Length { field: "public key", actual: bytes.len() });
        }
        // Accept only compressed points (SEC 1, section 2.3.3).
        if self == Scheme::EcdsaSecp256k1 && !matches!(bytes[0], 2 | 3) {
            return Err(Malformed::NonCanonical("the public key is not a compressed point"));
        }
        Ok(())
    }

    pub(super) fn check_signature(self, bytes: &[u8]) -> Result<(), Malformed> {
        let (shortest, longest) = self.signature();
        if bytes.len() < shortest || bytes.len() > longest {
            return Err(Malformed::Length { field: "signature", actual: bytes.len() });
        }
        // Accept one encoding per signature, even if the library accepts several. Otherwise, anyone
        // could change the bytes of a valid transaction without invalidating it.
        match self {
            // (r, s) and (r, n - s) are both valid.
            Scheme::EcdsaSecp256k1 if bytes[32..] > HALF_ORDER[..] => {
                Err(Malformed::NonCanonical("the signature's s is above half the group order"))
            }
            // S and S plus the group order are equivalent (RFC 8032, section 5.1.7).
            Scheme::Ed25519 | Scheme::Composite if !bytes.iter().rev().take(32).lt(ED25519_ORDER.iter().rev()) => {
                Err(Malformed::NonCanonical("the Ed25519 signature's S is not below the group order"))
            }
            // A compressed Falcon signature ends with a nonzero byte. Libraries also accept signatures padded with
            // zeros.
            Scheme::Falcon512 if bytes.last() == Some(&0) => {
                Err(Malformed::NonCanonical("the Falcon signature is padded"))
            }
            _ => Ok(()),
        }
    }

    /// Adds the group order to `S` in the Ed25519 signature at the end of `bytes`. The result is an equivalent but
    /// non-canonical signature.
    pub(super) fn add_ed25519_order(bytes: &mut [u8]) {
        let start = bytes.len() - 32;
        let mut carry = 0;
        for (byte, order) in bytes[start..].iter_mut().zip(ED25519_ORDER) {
            let sum = u16::from(*byte) + u16::from(order) + carry;
            (*byte, carry) = (sum as u8, sum >> 8);
        }
    }
}

impl std::fmt::Display for Scheme {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.algorithm())
    }
}
