//! X25519 (RFC 7748) by the crate `x25519-dalek`: as plain Diffie-Hellman, and as a KEM whose ciphertext is an
//! ephemeral public key and whose secret is the plain Diffie-Hellman value.

use super::{draw, fill, sized, write};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyAgreement,
    KeyAgreementInfo, KeyAgreementParameters, KeyEncoding, PrivateKey, Result, Wiped,
};
use std::sync::{Arc, OnceLock};
use x25519_dalek::{PublicKey, StaticSecret};

pub(super) fn kem() -> Arc<dyn Kem> {
    let parameters = KemParameters::of("X25519").expect("the table of KEMs has X25519");
    let coins = CoinSupport { keygen: true, operation: true };
    Arc::new(X25519Kem { info: KemInfo { parameters, encodings: vec![KeyEncoding::Scalar], coins } })
}

pub(super) fn key_agreement() -> Arc<dyn KeyAgreement> {
    let parameters = KeyAgreementParameters::X25519;
    Arc::new(X25519 { info: KeyAgreementInfo { parameters, exact_coins: true } })
}

fn generate_secret(coins: Coins) -> Result<StaticSecret> {
    if let Some(scalar) = coins.exact::<32>()? {
        return Ok(StaticSecret::from(*scalar));
    }
    let mut scalar = Wiped::new([0; 32]);
    draw(&mut *scalar)?;
    Ok(StaticSecret::from(*scalar))
}

/// RFC 7748, section 6.1: an all-zero value says that the peer's point had small order, and is refused.
fn diffie_hellman(secret: &StaticSecret, peer: &PublicKey, out: &mut [u8]) -> Result<()> {
    let shared = secret.diffie_hellman(peer);
    if !shared.was_contributory() {
        return Err(Error::Malformed("X25519 public key: it is of small order"));
    }
    fill("shared secret", out, shared.as_bytes())
}

fn decode_public_key(what: &'static str, bytes: &[u8]) -> Result<PublicKey> {
    Ok(PublicKey::from(*sized::<[u8; 32]>(what, 32, bytes)?))
}

/// A private key. Its public half is computed with a fresh key, and for a key from bytes when it is first asked for.
struct Prepared {
    secret: StaticSecret,
    public: OnceLock<PublicKey>,
}

impl Prepared {
    fn generate(coins: Coins) -> Result<Prepared> {
        let secret = generate_secret(coins)?;
        let public = OnceLock::from(PublicKey::from(&secret));
        Ok(Prepared { secret, public })
    }

    fn load(what: &'static str, bytes: &[u8]) -> Result<Prepared> {
        let secret = StaticSecret::from(*sized::<[u8; 32]>(what, 32, bytes)?);
        Ok(Prepared { secret, public: OnceLock::new() })
    }

    fn public(&self) -> &PublicKey {
        self.public.get_or_init(|| PublicKey::from(&self.secret))
    }
}

struct X25519 {
    info: KeyAgreementInfo,
}

impl KeyAgreement for X25519 {
    fn info(&self) -> &KeyAgreementInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()> {
        let secret = generate_secret(coins)?;
        fill("public key", public_key, PublicKey::from(&secret).as_bytes())?;
        fill("private key", private_key, secret.as_bytes())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Prepared::generate(coins)?))
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Prepared::load("private key", bytes)?))
    }
}

impl PrivateKey for Prepared {
    fn agree(&self, peer_public_key: &[u8], secret: &mut [u8]) -> Result<()> {
        diffie_hellman(&self.secret, &decode_public_key("public key", peer_public_key)?, secret)
    }

    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        fill("public key", out, self.public().as_bytes())
    }

    fn encode(&self, out: &mut [u8]) -> Result<()> {
        fill("private key", out, self.secret.as_bytes())
    }
}

struct X25519Kem {
    info: KemInfo,
}

impl Kem for X25519Kem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let secret = generate_secret(coins)?;
        fill("encapsulation key", encapsulation_key, PublicKey::from(&secret).as_bytes())?;
        fill("decapsulation key", decapsulation_key, secret.as_bytes())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(Prepared::generate(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedPublicKey(decode_public_key("encapsulation key", bytes)?)))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        match encoding {
            KeyEncoding::Scalar => Ok(Box::new(Prepared::load("decapsulation key", bytes)?)),
            _ => Err(Error::Unsupported("an X25519 key is a scalar")),
        }
    }
}

struct PreparedPublicKey(PublicKey);

impl EncapsulationKey for PreparedPublicKey {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let ephemeral = generate_secret(coins)?;
        fill("ciphertext", ciphertext, PublicKey::from(&ephemeral).as_bytes())?;
        diffie_hellman(&ephemeral, &self.0, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", out, self.0.as_bytes())
    }
}

impl DecapsulationKey for Prepared {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        diffie_hellman(&self.secret, &decode_public_key("ciphertext", ciphertext)?, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedPublicKey(*self.public())))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", out, self.public().as_bytes())
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Scalar => write("decapsulation key", out, self.secret.as_bytes()),
            _ => Err(Error::Unsupported("an X25519 key is a scalar")),
        }
    }
}
