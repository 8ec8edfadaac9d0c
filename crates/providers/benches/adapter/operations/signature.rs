use super::{each, key, making};
use crate::interleaved::Side;
use pqlab_primitives::{Coins, KeyEncoding, SignatureInfo, SignatureScheme, SigningKey};
use std::sync::Arc;

/// Length of the messages in bytes.
const MESSAGE: usize = 64;

/// A signature scheme and the inputs of its operations, for both sides of a comparison.
pub(crate) struct Inputs {
    pub(crate) scheme: Arc<dyn SignatureScheme>,
    /// Coins of a key generation.
    pub(crate) coins: Vec<u8>,
    /// The verifying key's bytes.
    pub(crate) public: Vec<u8>,
    /// The signing key in each encoding that the provider loads and the key can be written in.
    pub(crate) private: Vec<(KeyEncoding, Vec<u8>)>,
    pub(crate) message: Vec<u8>,
    pub(crate) signature: Vec<u8>,
    /// Signature of the pre-hashed variant, if there is one.
    pub(crate) prehashed: Vec<u8>,
}

/// Returns the names of a signature scheme's operations.
pub(crate) fn operations(info: &SignatureInfo, prehashed: bool) -> Vec<String> {
    let mut names = vec!["keygen".to_owned(), "keygen encoded".to_owned()];
    if info.coins.keygen {
        names.extend(["keygen coins=exact", "keygen encoded coins=exact"].map(str::to_owned));
    }
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
        let (public_length, raw_length) = scheme.generate_encoded(chosen, &mut public, &mut raw).expect("a key pair");
        public.truncate(public_length);
        raw.truncate(raw_length);
        let pair = scheme.load_signing_key(info.encodings[0], &raw).expect("its own encoding");
        // The loaded key may lack other encodings: an expanded key does not contain its seed.
        let seeded = info.coins.keygen.then(|| scheme.generate(Coins::Exact(&coins)).expect("a key pair"));
        let encode = |encoding: &KeyEncoding| {
            // Not every key keeps its seed.
            if info.coins.keygen && *encoding == KeyEncoding::Seed {
                return (*encoding, coins.clone());
            }
            let mut bytes = vec![0; info.signing_key(*encoding).expect("an encoding of the standard")];
            let length = seeded.as_ref().unwrap_or(&pair).encode(*encoding, &mut bytes).expect("an encoding");
            bytes.truncate(length);
            (*encoding, bytes)
        };
        let private = info.encodings.iter().map(encode).collect();
        let message = vec![5; MESSAGE];
        let mut signature = vec![0; parameters.signature];
        let length = pair.sign(b"", &message, Coins::Internal, &mut signature).expect("a signature");
        signature.truncate(length);
        let mut prehashed = vec![0; parameters.signature];
        if let Some(prehash) = scheme.prehashes().first() {
            pair.sign_prehashed(*prehash, b"", &message, Coins::Internal, &mut prehashed).expect("a signature");
        }
        Inputs { scheme: Arc::clone(scheme), coins, public, private, message, signature, prehashed }
    }

    /// Returns the signing key's bytes in the encoding that the operation names, or in the native encoding.
    pub(crate) fn private(&self, operation: &str) -> (KeyEncoding, Vec<u8>) {
        let named = self.private.iter().find(|(encoding, _)| operation.ends_with(key(*encoding)));
        named.unwrap_or(&self.private[0]).clone()
    }

    /// Returns buffers for a verifying key, for a signing key and for a signature.
    pub(crate) fn room(&self) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let info = self.scheme.info();
        (vec![0; info.parameters.verifying_key], vec![0; longest(info)], vec![0; info.parameters.signature])
    }

    /// Returns a prepared key for these inputs, generated if possible, as in the workloads.
    fn key(&self) -> Box<dyn SigningKey> {
        if self.scheme.info().coins.keygen {
            return self.scheme.generate(Coins::Exact(&self.coins)).expect("a key pair");
        }
        let (encoding, bytes) = self.private("");
        self.scheme.load_signing_key(encoding, &bytes).expect("its own encoding")
    }

    /// Returns a side that runs the operation through the trait.
    pub(crate) fn through(&self, operation: &str) -> Side {
        let scheme = Arc::clone(&self.scheme);
        let (mut public_out, mut private_out, mut out) = self.room();
        let coins = self.coins.clone();
        let (message, public) = (self.message.clone(), self.public.clone());
        match operation {
            "keygen" => making(move || scheme.generate(Coins::Internal).expect("a key")),
            "keygen coins=exact" => making(move || scheme.generate(Coins::Exact(&coins)).expect("a key")),
            "keygen encoded" | "keygen encoded coins=exact" => {
                let exact = operation.ends_with("exact");
                each(move || {
                    let coins = if exact { Coins::Exact(&coins) } else { Coins::Internal };
                    scheme.generate_encoded(coins, &mut public_out, &mut private_out).expect("a key");
                })
            }
            "sign" | "sign deterministic" => {
                let key = self.key();
                let exact = operation == "sign deterministic";
                each(move || {
                    let coins = if exact { Coins::Exact(&[]) } else { Coins::Internal };
                    key.sign(b"", &message, coins, &mut out).expect("a signature");
                })
            }
            "sign prehash" => {
                let (key, prehash) = (self.key(), scheme.prehashes()[0]);
                each(move || {
                    key.sign_prehashed(prehash, b"", &message, Coins::Internal, &mut out).expect("a signature");
                })
            }
            "verify" => {
                let (key, signature) = (scheme.load_verifying_key(&public).expect("a key"), self.signature.clone());
                each(move || key.verify(b"", &message, &signature).expect("a valid signature"))
            }
            "verify prehash" => {
                let (key, prehash) = (scheme.load_verifying_key(&public).expect("a key"), scheme.prehashes()[0]);
                let signature = self.prehashed.clone();
                each(move || key.verify_prehashed(prehash, b"", &message, &signature).expect("a valid signature"))
            }
            "verify encoded" => {
                let signature = self.signature.clone();
                each(move || {
                    let key = scheme.load_verifying_key(&public).expect("a key");
                    key.verify(b"", &message, &signature).expect("a valid signature");
                })
            }
            _ => {
                let (encoding, bytes) = self.private(operation);
                each(move || {
                    let signed = scheme.sign_from(encoding, &bytes, b"", &message, Coins::Internal, &mut out);
                    signed.expect("a signature");
                })
            }
        }
    }
}

/// Returns the maximum length in bytes of the signing key in the provider's native encoding.
fn longest(info: &SignatureInfo) -> usize {
    info.signing_key(info.encodings[0]).expect("an encoding of the standard")
}
