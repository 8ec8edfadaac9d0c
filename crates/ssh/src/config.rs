//! Algorithms of a handshake.

use russh::kex::{self, Name};
use russh::keys::{Algorithm, EcdsaCurve, HashAlg};

/// Key exchange method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyExchange {
    /// X25519 (RFC 8731). Public keys have 32 bytes.
    Curve25519,
    /// ML-KEM-768 and X25519 (draft-ietf-sshm-mlkem-hybrid-kex). The client sends 1,216 bytes, the server 1,120.
    MlKem768X25519,
}

impl KeyExchange {
    /// All methods, classical first.
    pub const ALL: [KeyExchange; 2] = [KeyExchange::Curve25519, KeyExchange::MlKem768X25519];

    /// Returns the method's name in SSH.
    pub fn name(self) -> &'static str {
        match self {
            KeyExchange::Curve25519 => "curve25519-sha256",
            KeyExchange::MlKem768X25519 => "mlkem768x25519-sha256",
        }
    }

    /// Returns the method with this name.
    pub fn named(name: &str) -> Option<KeyExchange> {
        KeyExchange::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Returns the name of the KEM that the method contains, if any.
    pub fn kem(self) -> Option<&'static str> {
        match self {
            KeyExchange::Curve25519 => None,
            KeyExchange::MlKem768X25519 => Some("ML-KEM-768"),
        }
    }

    pub(crate) fn method(self) -> Name {
        match self {
            KeyExchange::Curve25519 => kex::CURVE25519,
            KeyExchange::MlKem768X25519 => kex::MLKEM768X25519_SHA256,
        }
    }
}

/// Type of the server's host key and of the user's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// Ed25519 (RFC 8709).
    Ed25519,
    /// ECDSA over P-256 with SHA-256 (RFC 5656).
    EcdsaP256,
    /// 3072-bit RSA with SHA-512: `rsa-sha2-512` (RFC 8332). ssh-keygen generates keys of this length by default.
    Rsa3072,
}

impl KeyType {
    /// All types.
    pub const ALL: [KeyType; 3] = [KeyType::Ed25519, KeyType::EcdsaP256, KeyType::Rsa3072];
    /// Length of RSA keys in bits.
    pub(crate) const RSA_BITS: usize = 3072;

    /// Returns the algorithm's name in case ids.
    pub fn name(self) -> &'static str {
        match self {
            KeyType::Ed25519 => "Ed25519",
            KeyType::EcdsaP256 => "ECDSA-P-256",
            KeyType::Rsa3072 => "RSA-3072",
        }
    }

    /// Returns the type with this name.
    pub fn named(name: &str) -> Option<KeyType> {
        KeyType::ALL.into_iter().find(|key_type| key_type.name() == name)
    }

    /// Returns the public key algorithm that SSH negotiates.
    pub(crate) fn algorithm(self) -> Algorithm {
        match self {
            KeyType::Ed25519 => Algorithm::Ed25519,
            KeyType::EcdsaP256 => Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 },
            KeyType::Rsa3072 => Algorithm::Rsa { hash: Some(HashAlg::Sha512) },
        }
    }
}

/// Algorithms of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// Key exchange method.
    pub key_exchange: KeyExchange,
    /// Type of the server's host key and of the user's key.
    pub key_type: KeyType,
}
