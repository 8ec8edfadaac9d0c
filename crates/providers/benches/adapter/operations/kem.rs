use super::{each, key, making};
use crate::interleaved::Side;
use pqlab_primitives::{Coins, DecapsulationKey, Kem, KemInfo, KeyEncoding};
use std::sync::Arc;

/// A KEM and the inputs for its operations. Both sides of a comparison use the same inputs.
pub(crate) struct Inputs {
    pub(crate) kem: Arc<dyn Kem>,
    /// Coins for key generation.
    pub(crate) keygen_coins: Vec<u8>,
    /// The encoded encapsulation key.
    pub(crate) public: Vec<u8>,
    /// The decapsulation key in each encoding that the provider loads.
    pub(crate) private: Vec<(KeyEncoding, Vec<u8>)>,
    pub(crate) ciphertext: Vec<u8>,
}

/// Returns the names of the operations to compare for a KEM.
pub(crate) fn operations(info: &KemInfo) -> Vec<String> {
    let mut names = vec!["keygen".to_owned(), "keygen encoded".to_owned()];
    names.extend(["encapsulate", "encapsulate encoded"].map(str::to_owned));
    names.push("decapsulate".to_owned());
    names.extend(info.encodings.iter().map(|encoding| format!("decapsulate encoded {}", key(*encoding))));
    names
}

impl Inputs {
    pub(crate) fn new(kem: &Arc<dyn Kem>) -> Inputs {
        let info = kem.info();
        let parameters = &info.parameters;
        let keygen_coins = vec![7; parameters.keygen_coins];
        let chosen = if info.coins.keygen { Coins::Exact(&keygen_coins) } else { Coins::Internal };
        let pair = kem.generate(chosen).expect("keygen failed");
        let mut public = vec![0; parameters.encapsulation_key];
        pair.encode_encapsulation_key(&mut public).expect("cannot encode the key");
        let encode = |encoding: &KeyEncoding| {
            // Some libraries cannot export the seed of a key.
            if info.coins.keygen && *encoding == KeyEncoding::Seed {
                return (*encoding, keygen_coins.clone());
            }
            let mut bytes = vec![0; info.decapsulation_key(*encoding).expect("the standard must define this encoding")];
            pair.encode(*encoding, &mut bytes).expect("cannot encode the key");
            (*encoding, bytes)
        };
        let private = info.encodings.iter().map(encode).collect();
        let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
        let to = pair.encapsulation_key().expect("cannot derive the encapsulation key");
        to.encapsulate(Coins::Internal, &mut ciphertext, &mut secret).expect("encapsulation failed");
        Inputs { kem: Arc::clone(kem), keygen_coins, public, private, ciphertext }
    }

    /// Returns the decapsulation key in the encoding that the operation names. If the operation names none, returns it
    /// in the provider's native encoding.
    pub(crate) fn private(&self, operation: &str) -> (KeyEncoding, Vec<u8>) {
        let named = self.private.iter().find(|(encoding, _)| operation.ends_with(key(*encoding)));
        named.unwrap_or(&self.private[0]).clone()
    }

    /// Returns three buffers. The first fits a ciphertext or an encapsulation key, the second a decapsulation key, and
    /// the third a shared secret.
    pub(crate) fn room(&self) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let info = self.kem.info();
        let private = info.decapsulation_key(info.encodings[0]).expect("the standard must define this encoding");
        (
            vec![0; self.public.len().max(self.ciphertext.len())],
            vec![0; private],
            vec![0; info.parameters.shared_secret],
        )
    }

    /// Returns the prepared key pair. As in the workloads, generates it from coins if the provider
    /// supports that, and loads it otherwise.
    fn key(&self) -> Box<dyn DecapsulationKey> {
        if self.kem.info().coins.keygen {
            return self.kem.generate(Coins::Exact(&self.keygen_coins)).expect("keygen failed");
        }
        let (encoding, bytes) = self.private("");
        self.kem.load_decapsulation_key(encoding, &bytes).expect("cannot load an encoded key")
    }

    /// Returns the side that runs the operation through the trait.
    pub(crate) fn through(&self, operation: &str) -> Side {
        let kem = Arc::clone(&self.kem);
        let (mut out, mut private_out, mut secret) = self.room();
        let (public_length, ciphertext_length) = (self.public.len(), self.ciphertext.len());
        let (public, ciphertext) = (self.public.clone(), self.ciphertext.clone());
        match operation {
            "keygen" => making(move || kem.generate(Coins::Internal).expect("keygen failed")),
            "keygen encoded" => each(move || {
                kem.generate_encoded(Coins::Internal, &mut out[..public_length], &mut private_out)
                    .expect("keygen failed");
            }),
            "encapsulate" => {
                let to = self.key().encapsulation_key().expect("cannot derive the encapsulation key");
                each(move || {
                    to.encapsulate(Coins::Internal, &mut out[..ciphertext_length], &mut secret)
                        .expect("encapsulation failed");
                })
            }
            "encapsulate encoded" => each(move || {
                let to = kem.load_encapsulation_key(&public).expect("cannot load an encoded key");
                to.encapsulate(Coins::Internal, &mut out[..ciphertext_length], &mut secret)
                    .expect("encapsulation failed");
            }),
            "decapsulate" => {
                let key = self.key();
                each(move || key.decapsulate(&ciphertext, &mut secret).expect("decapsulation failed"))
            }
            _ => {
                let (encoding, bytes) = self.private(operation);
                each(move || {
                    let key = kem.load_decapsulation_key(encoding, &bytes).expect("cannot load an encoded key");
                    key.decapsulate(&ciphertext, &mut secret).expect("decapsulation failed");
                })
            }
        }
    }
}
