use super::{Key, NULL, Private, SECRET, STANDARD, coins_head, head, write_head, write_secret};
use pqlab_primitives::{Coins, Error, KeyAgreement, KeyAgreementInfo, KeyAgreementParameters, PrivateKey, Result};

pub(super) struct NullAgreement(KeyAgreementInfo);

impl NullAgreement {
    pub(super) fn new() -> NullAgreement {
        let parameters = KeyAgreementParameters {
            algorithm: NULL.into(),
            standard: STANDARD,
            public_key: SECRET,
            private_key: SECRET,
            shared_secret: SECRET,
        };
        NullAgreement(KeyAgreementInfo { parameters, exact_coins: true })
    }
}

impl KeyAgreement for NullAgreement {
    fn info(&self) -> &KeyAgreementInfo {
        &self.0
    }

    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()> {
        Error::check_length("public key", SECRET, public_key.len())?;
        Error::check_length("private key", SECRET, private_key.len())?;
        let word = coins_head(coins, SECRET)?;
        write_head(public_key, word);
        write_head(private_key, word);
        Ok(())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Private(Key::new(coins_head(coins, SECRET)?, SECRET))))
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(Private(Key::load("private key", SECRET, bytes)?)))
    }
}

impl PrivateKey for Private {
    fn agree(&self, peer_public_key: &[u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("public key", SECRET, peer_public_key.len())?;
        // The sum is the same on both sides. It is not zero if both keys were generated with
        // internal coins.
        let [own, peer] = [self.0.head(), head(peer_public_key)].map(u64::from_ne_bytes);
        write_secret(secret, own.wrapping_add(peer).to_ne_bytes())
    }

    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        Error::check_length("public key", SECRET, out.len())?;
        self.0.encode("public key", out).map(drop)
    }

    fn encode(&self, out: &mut [u8]) -> Result<()> {
        Error::check_length("private key", SECRET, out.len())?;
        self.0.encode("private key", out).map(drop)
    }
}
