//! X25519 (RFC 7748) for libraries in Rust, as plain Diffie-Hellman and as a KEM. The KEM's ciphertext is an ephemeral
//! public key, and the KEM's shared secret is the plain Diffie-Hellman value.

use super::bytes::{fill, sized, write};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyAgreement,
    KeyAgreementInfo, KeyAgreementParameters, KeyEncoding, PrivateKey, Result, Wiped,
};
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// Error for a peer's point that leads to an all-zero shared secret (RFC 7748, section 6.1).
pub(crate) const SMALL_ORDER: Error = Error::Malformed("X25519 public key: the point has small order");

/// A library's types and functions for X25519.
pub(crate) trait Library: Send + Sync + 'static {
    /// A private key. Must wipe itself on drop.
    type Secret: Send + Sync;
    /// A public key.
    type Public: Copy + Send + Sync;

    /// Generates a private key. Exact coins are the scalar of 32 bytes.
    fn generate(coins: Coins) -> Result<Self::Secret>;
    /// Loads a private key from a scalar. Any 32 bytes are valid (RFC 7748, section 5).
    fn load(scalar: &[u8; 32]) -> Self::Secret;
    /// Returns the private key's scalar.
    fn encode(secret: &Self::Secret) -> [u8; 32];
    /// Computes the public key for a private key.
    fn public(secret: &Self::Secret) -> Self::Public;
    /// Decodes a public key. Accepts any 32 bytes.
    fn decode_public(bytes: &[u8; 32]) -> Self::Public;
    /// Returns the point's u-coordinate in little-endian order.
    fn encode_public(public: &Self::Public) -> [u8; 32];
    /// Writes the shared secret of 32 bytes, or returns [`SMALL_ORDER`] if the secret would be zero.
    fn agree(secret: &Self::Secret, peer: &Self::Public, out: &mut [u8]) -> Result<()>;
}

/// Returns X25519 as a KEM.
pub(crate) fn kem<L: Library>() -> Arc<dyn Kem> {
    let parameters = KemParameters::find("X25519").expect("missing from the parameter table");
    let coins = CoinSupport { keygen: true, operation: true };
    let info = KemInfo { parameters, encodings: vec![KeyEncoding::Scalar], coins };
    Arc::new(X25519Kem::<L> { info, library: PhantomData })
}

/// Returns X25519 as plain Diffie-Hellman.
pub(crate) fn key_agreement<L: Library>() -> Arc<dyn KeyAgreement> {
    let info = KeyAgreementInfo { parameters: KeyAgreementParameters::X25519, exact_coins: true };
    Arc::new(X25519::<L> { info, library: PhantomData })
}

/// Private key and public key. A generated key computes the public key immediately; a loaded key
/// computes it when it is first needed.
struct Prepared<L: Library> {
    secret: L::Secret,
    public: OnceLock<L::Public>,
}

impl<L: Library> Prepared<L> {
    fn generate(coins: Coins) -> Result<Prepared<L>> {
        let secret = L::generate(coins)?;
        let public = OnceLock::from(L::public(&secret));
        Ok(Prepared { secret, public })
    }

    fn load(what: &'static str, bytes: &[u8]) -> Result<Prepared<L>> {
        Ok(Prepared { secret: L::load(sized(what, bytes)?), public: OnceLock::new() })
    }

    fn public(&self) -> &L::Public {
        self.public.get_or_init(|| L::public(&self.secret))
    }
}

struct X25519<L> {
    info: KeyAgreementInfo,
    library: PhantomData<fn() -> L>,
}

impl<L: Library> KeyAgreement for X25519<L> {
    fn info(&self) -> &KeyAgreementInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()> {
        let secret = L::generate(coins)?;
        fill("public key", public_key, &L::encode_public(&L::public(&secret)))?;
        fill("private key", private_key, &*Wiped::new(L::encode(&secret)))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Prepared::<L>::generate(coins)?))
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Prepared::<L>::load("private key", bytes)?))
    }
}

impl<L: Library> PrivateKey for Prepared<L> {
    fn agree(&self, peer_public_key: &[u8], secret: &mut [u8]) -> Result<()> {
        L::agree(&self.secret, &L::decode_public(sized("public key", peer_public_key)?), secret)
    }

    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        fill("public key", out, &L::encode_public(self.public()))
    }

    fn encode(&self, out: &mut [u8]) -> Result<()> {
        fill("private key", out, &*Wiped::new(L::encode(&self.secret)))
    }
}

struct X25519Kem<L> {
    info: KemInfo,
    library: PhantomData<fn() -> L>,
}

impl<L: Library> Kem for X25519Kem<L> {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let secret = L::generate(coins)?;
        fill("encapsulation key", encapsulation_key, &L::encode_public(&L::public(&secret)))?;
        fill("decapsulation key", decapsulation_key, &*Wiped::new(L::encode(&secret)))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(Prepared::<L>::generate(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedPublicKey::<L>(L::decode_public(sized("encapsulation key", bytes)?))))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        match encoding {
            KeyEncoding::Scalar => Ok(Box::new(Prepared::<L>::load("decapsulation key", bytes)?)),
            _ => Err(Error::Unsupported("X25519 private keys must be encoded as a scalar")),
        }
    }
}

struct PreparedPublicKey<L: Library>(L::Public);

impl<L: Library> EncapsulationKey for PreparedPublicKey<L> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let ephemeral = L::generate(coins)?;
        fill("ciphertext", ciphertext, &L::encode_public(&L::public(&ephemeral)))?;
        L::agree(&ephemeral, &self.0, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", out, &L::encode_public(&self.0))
    }
}

impl<L: Library> DecapsulationKey for Prepared<L> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        L::agree(&self.secret, &L::decode_public(sized("ciphertext", ciphertext)?), secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedPublicKey::<L>(*self.public())))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", out, &L::encode_public(self.public()))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Scalar => write("decapsulation key", out, &*Wiped::new(L::encode(&self.secret))),
            _ => Err(Error::Unsupported("X25519 private keys must be encoded as a scalar")),
        }
    }
}
