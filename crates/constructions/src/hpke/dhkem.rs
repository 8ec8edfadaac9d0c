//! DHKEM(X25519, HKDF-SHA256) (RFC 9180, section 4.1): a KEM built from a key agreement.

use super::kdf::{Kdf, Labelled};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyAgreement,
    KeyEncoding, Mac, PrivateKey, Result, Wiped,
};
use std::borrow::Cow;
use std::sync::Arc;

/// Length in bytes of keys, ciphertexts and secrets.
const LENGTH: usize = 32;
/// Suite identifier in hash inputs: `KEM`, then the KEM's HPKE identifier, 0x0020.
const SUITE: [u8; 5] = *b"KEM\0\x20";

/// DHKEM(X25519, HKDF-SHA256), built from a library's X25519 and HMAC-SHA256.
pub struct DhKem {
    info: KemInfo,
    shared: Arc<Shared>,
}

struct Shared {
    agreement: Arc<dyn KeyAgreement>,
    hmac: Arc<dyn Mac>,
}

impl DhKem {
    /// Name of the algorithm.
    pub const ALGORITHM: &str = "DHKEM-X25519-HKDF-SHA256";

    /// Builds DHKEM from a key agreement and a MAC.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the arguments are not X25519 and HMAC-SHA256.
    pub fn new(agreement: Arc<dyn KeyAgreement>, hmac: Arc<dyn Mac>) -> Result<DhKem> {
        if agreement.info().parameters.algorithm != "X25519" || hmac.algorithm() != "HMAC-SHA256" {
            return Err(Error::Unsupported("DHKEM requires X25519 and HMAC-SHA256"));
        }
        let exact = agreement.info().exact_coins;
        let parameters = KemParameters {
            algorithm: Cow::Borrowed(DhKem::ALGORITHM),
            standard: Cow::Borrowed("RFC 9180"),
            category: None,
            encapsulation_key: LENGTH,
            decapsulation_keys: Cow::Borrowed(&[(KeyEncoding::Scalar, LENGTH)]),
            ciphertext: LENGTH,
            shared_secret: LENGTH,
            keygen_coins: LENGTH,
            encapsulation_coins: LENGTH,
        };
        let coins = CoinSupport { keygen: exact, operation: exact };
        let info = KemInfo { parameters, encodings: vec![KeyEncoding::Scalar], coins };
        Ok(DhKem { info, shared: Arc::new(Shared { agreement, hmac }) })
    }

    fn private(&self, key: Box<dyn PrivateKey>) -> Result<Box<dyn DecapsulationKey>> {
        let mut public = [0; LENGTH];
        key.public_key(&mut public)?;
        Ok(Box::new(Private { shared: Arc::clone(&self.shared), key, public }))
    }
}

impl Shared {
    /// Computes ExtractAndExpand (RFC 9180, section 4.1) from the Diffie-Hellman result.
    fn derive(&self, agreed: &[u8], ciphertext: &[u8], recipient: &[u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("shared secret", LENGTH, secret.len())?;
        let kdf = Kdf::HkdfSha256(Arc::clone(&self.hmac));
        let labelled = Labelled { kdf: &kdf, suite: &SUITE };
        let extracted = labelled.extract(self.hmac.as_ref(), &[], "eae_prk", agreed)?;
        let context = [ciphertext, recipient].concat();
        labelled.expand(self.hmac.as_ref(), extracted.as_slice(), "shared_secret", &context, secret)
    }
}

impl Kem for DhKem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        self.shared.agreement.generate_encoded(coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        self.private(self.shared.agreement.generate(coins)?)
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        let actual = bytes.len();
        let public =
            bytes.try_into().map_err(|_| Error::Length { what: "encapsulation key", expected: LENGTH, actual })?;
        Ok(Box::new(Public { shared: Arc::clone(&self.shared), public }))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        if encoding != KeyEncoding::Scalar {
            return Err(Error::Unsupported("X25519 keys must be encoded as scalars"));
        }
        self.private(self.shared.agreement.load_private_key(bytes)?)
    }
}

struct Public {
    shared: Arc<Shared>,
    public: [u8; LENGTH],
}

impl EncapsulationKey for Public {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("ciphertext", LENGTH, ciphertext.len())?;
        let ephemeral = self.shared.agreement.generate(coins)?;
        ephemeral.public_key(ciphertext)?;
        let mut agreed = Wiped::new([0; LENGTH]);
        ephemeral.agree(&self.public, agreed.as_mut_slice())?;
        self.shared.derive(agreed.as_slice(), ciphertext, &self.public, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        Error::check_length("encapsulation key", LENGTH, out.len())?;
        out.copy_from_slice(&self.public);
        Ok(LENGTH)
    }
}

struct Private {
    shared: Arc<Shared>,
    key: Box<dyn PrivateKey>,
    public: [u8; LENGTH],
}

impl DecapsulationKey for Private {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("ciphertext", LENGTH, ciphertext.len())?;
        let mut agreed = Wiped::new([0; LENGTH]);
        self.key.agree(ciphertext, agreed.as_mut_slice())?;
        self.shared.derive(agreed.as_slice(), ciphertext, &self.public, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(Public { shared: Arc::clone(&self.shared), public: self.public }))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != KeyEncoding::Scalar {
            return Err(Error::Unsupported("X25519 keys must be encoded as scalars"));
        }
        Error::check_length("decapsulation key", LENGTH, out.len())?;
        self.key.encode(out)?;
        Ok(LENGTH)
    }
}
