use super::{each, key, making};
use crate::interleaved::Side;
use pqlab_primitives::{Coins, KeyEncoding, SignatureInfo, SignatureScheme, SigningKey};
use std::sync::Arc;

/// Message length in bytes.
const MESSAGE: usize = 64;

/// A signature scheme and the inputs for its operations. Both sides of a comparison use the same inputs.
pub(crate) struct Inputs {
    pub(crate) scheme: Arc<dyn SignatureScheme>,
    /// Coins for key generation.
    pub(crate) coins: Vec<u8>,
    /// The encoded verifying key.
    pub(crate) public: Vec<u8>,
    /// The signing key in each encoding that the provider can both load and write.
    pub(crate) private: Vec<(KeyEncoding, Vec<u8>)>,
    pub(crate) message: Vec<u8>,
    pub(crate) signature: Vec<u8>,
    /// A signature from the pre-hashed variant. All zeros if the scheme has no such variant.
    pub(crate) prehashed: Vec<u8>,
}

/// Returns the names of the operations to compare for a signature scheme.
pub(crate) fn operations(info: &SignatureInfo, prehashed: bool) -> Vec<String> {
    let mut names = vec!["keygen".to_owned(), "keygen encoded".to_owned()];
    names.push("sign".to_owned());
    if info.hedged && info.coins.operation {
        names.push("sign deterministic".to_owned());
    }
    names.extend(info.encodings.iter().map(|encoding| format!("sign encoded {}", key(*encoding))));
    names.extend(["verify", "verify encoded"].map(str::to_owned));
    if prehashed {
        names.extend(["sign prehash", "verify prehash"].map(str::to_owned));
    }
    names
}

impl Inputs {
    pub(crate) fn new(scheme: &Arc<dyn SignatureScheme>) -> Inputs {
        let info = scheme.info();
        let parameters = &info.parameters;
        let coins = vec![7; parameters.keygen_coins];
        let chosen = if info.coins.keygen { Coins::Exact(&coins) } else { Coins::Internal };
        let (mut public, mut raw) = (vec![0; parameters.verifying_key], vec![0; longest(info)]);
        let (public_length, raw_length) =
            scheme.generate_encoded(chosen, &mut public, &mut raw).expect("keygen failed");
        public.truncate(public_length);
        raw.truncate(raw_length);
        let pair = scheme.load_signing_key(info.encodings[0], &raw).expect("cannot load an encoded key");
        // Export from a generated key if possible: a loaded expanded key does not contain the seed.
        let seeded = info.coins.keygen.then(|| scheme.generate(Coins::Exact(&coins)).expect("keygen failed"));
        let encode = |encoding: &KeyEncoding| {
            // Some libraries cannot export the seed of a key.
            if info.coins.keygen && *encoding == KeyEncoding::Seed {
                return (*encoding, coins.clone());
            }
            let mut bytes = vec![0; info.signing_key(*encoding).expect("the standard must define this encoding")];
            let length = seeded.as_ref().unwrap_or(&pair).encode(*encoding, &mut bytes).expect("cannot encode the key");
            bytes.truncate(length);
            (*encoding, bytes)
        };
        let private = info.encodings.iter().map(encode).collect();
        let message = vec![5; MESSAGE];
        let mut signature = vec![0; parameters.signature];
        let length = pair.sign(b"", &message, Coins::Internal, &mut signature).expect("signing failed");
        signature.truncate(length);
        let mut prehashed = vec![0; parameters.signature];
        if let Some(prehash) = scheme.prehashes().first() {
            pair.sign_prehashed(*prehash, b"", &message, Coins::Internal, &mut prehashed).expect("signing failed");
        }
        Inputs { scheme: Arc::clone(scheme), coins, public, private, message, signature, prehashed }
    }

    /// Returns the signing key in the encoding that the operation names. If the operation names none, returns it in the
    /// provider's native encoding.
    pub(crate) fn private(&self, operation: &str) -> (KeyEncoding, Vec<u8>) {
        let named = self.private.iter().find(|(encoding, _)| operation.ends_with(key(*encoding)));
        named.unwrap_or(&self.private[0]).clone()
    }

    /// Returns three buffers: for a verifying key, for a signing key, and for a signature.
    pub(crate) fn room(&self) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let info = self.scheme.info();
        (vec![0; info.parameters.verifying_key], vec![0; longest(info)], vec![0; info.parameters.signature])
    }

    /// Returns the prepared signing key. As in the workloads, generates it from coins if the
    /// provider supports that, and loads it otherwise.
    fn key(&self) -> Box<dyn SigningKey> {
        if self.scheme.info().coins.keygen {
            return self.scheme.generate(Coins::Exact(&self.coins)).expect("keygen failed");
        }
        let (encoding, bytes) = self.private("");
        self.scheme.load_signing_key(encoding, &bytes).expect("cannot load an encoded key")
    }

    /// Returns the side that runs the operation through the trait.
    pub(crate) fn through(&self, operation: &str) -> Side {
        let scheme = Arc::clone(&self.scheme);
        let (mut public_out, mut private_out, mut out) = self.room();
        let (message, public) = (self.message.clone(), self.public.clone());
        match operation {
            "keygen" => making(move || scheme.generate(Coins::Internal).expect("keygen failed")),
            "keygen encoded" => each(move || {
                scheme.generate_encoded(Coins::Internal, &mut public_out, &mut private_out).expect("keygen failed");
            }),
            "sign" | "sign deterministic" => {
                let key = self.key();
                let exact = operation == "sign deterministic";
                each(move || {
                    let coins = if exact { Coins::Exact(&[]) } else { Coins::Internal };
                    key.sign(b"", &message, coins, &mut out).expect("signing failed");
                })
            }
            "sign prehash" => {
                let (key, prehash) = (self.key(), scheme.prehashes()[0]);
                each(move || {
                    key.sign_prehashed(prehash, b"", &message, Coins::Internal, &mut out).expect("signing failed");
                })
            }
            "verify" => {
                let (key, signature) =
                    (scheme.load_verifying_key(&public).expect("cannot load the key"), self.signature.clone());
                each(move || key.verify(b"", &message, &signature).expect("invalid signature"))
            }
            "verify prehash" => {
                let (key, prehash) =
                    (scheme.load_verifying_key(&public).expect("cannot load the key"), scheme.prehashes()[0]);
                let signature = self.prehashed.clone();
                each(move || key.verify_prehashed(prehash, b"", &message, &signature).expect("invalid signature"))
            }
            "verify encoded" => {
                let signature = self.signature.clone();
                each(move || {
                    let key = scheme.load_verifying_key(&public).expect("cannot load the key");
                    key.verify(b"", &message, &signature).expect("invalid signature");
                })
            }
            _ => {
                let (encoding, bytes) = self.private(operation);
                each(move || {
                    let signed = scheme.sign_from(encoding, &bytes, b"", &message, Coins::Internal, &mut out);
                    signed.expect("signing failed");
                })
            }
        }
    }
}

/// Returns the maximum length of a signing key in the provider's native encoding, in bytes.
fn longest(info: &SignatureInfo) -> usize {
    info.signing_key(info.encodings[0]).expect("the standard must define this encoding")
}
