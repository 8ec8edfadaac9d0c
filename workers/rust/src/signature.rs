//! Signature schemes.

use crate::Failure;
use crate::kem::{NO_COINS, NO_SEEDS, check_private, check_random, encodings, optional};
use crate::serve::{Offer, Operation};
use crate::set::{Prepared, computation, generation};

/// Maximum length of a context in bytes.
const MOST_CONTEXT: usize = 255;

/// A signature scheme with one parameter set. All lengths are in bytes. Keys and seeds have their lengths when the
/// functions receive them; signatures do not.
pub trait Signature: 'static {
    /// Name of the algorithm.
    const ALGORITHM: &'static str;
    /// Encodings of private keys, with their lengths. Key generation writes the first one.
    const PRIVATE_KEYS: &'static [(&'static str, usize)];
    /// Length of a public key.
    const PUBLIC_KEY: usize;
    /// Length of a seed, or `None` if key generation takes none.
    const SEED: Option<usize> = None;
    /// Whether signatures take a context.
    const HAS_CONTEXT: bool = false;
    /// Whether signing draws random bytes.
    const IS_HEDGED: bool;
    /// Reason why signing cannot be timed, or `None` if it can.
    const UNTIMED_SIGNING: Option<&'static str> = None;
    /// Key pair, as the library generates it.
    type Pair: 'static;
    /// Public key for repeated use.
    type PublicKey: 'static;
    /// Private key for repeated use.
    type PrivateKey: 'static;
    /// Signature, as bytes.
    type Signature: AsRef<[u8]> + 'static;

    /// Generates a key pair.
    fn generate() -> Result<Self::Pair, Failure>;
    /// Generates a key pair from a seed. Called only if [`SEED`](Self::SEED) is set.
    fn generate_from(_seed: &[u8]) -> Result<Self::Pair, Failure> {
        Err(NO_SEEDS)
    }
    /// Encodes the public and the private key of a pair.
    fn encode(pair: &Self::Pair) -> Result<[Vec<u8>; 2], Failure>;
    /// Loads a public key.
    fn load_public(key: &[u8]) -> Result<Self::PublicKey, Failure>;
    /// Loads a private key in one of the encodings.
    fn load_private(encoding: &str, key: &[u8]) -> Result<Self::PrivateKey, Failure>;
    /// Signs a message. The context is empty unless [`HAS_CONTEXT`](Self::HAS_CONTEXT) is true.
    fn sign(key: &mut Self::PrivateKey, context: &[u8], message: &[u8]) -> Result<Self::Signature, Failure>;
    /// Parses a signature. Returns whether it is valid.
    fn verify(key: &Self::PublicKey, context: &[u8], message: &[u8], signature: &[u8]) -> bool;
}

/// Creates the offer of a signature scheme.
pub fn signature<S: Signature>() -> Offer {
    let attributes =
        [(S::SEED.is_some(), " coins=keygen"), (S::HAS_CONTEXT, " context=yes"), (S::IS_HEDGED, " hedged=yes")];
    let attributes: String = attributes.iter().filter(|(has, _)| *has).map(|(_, attribute)| *attribute).collect();
    let sign = Operation { untimed: S::UNTIMED_SIGNING, ..Operation::new("sign", 3, 5, sign::<S>) };
    Offer {
        algorithm: S::ALGORITHM,
        text: format!("signature {} encodings={}{attributes}", S::ALGORITHM, encodings(S::PRIVATE_KEYS)),
        operations: vec![
            Operation::new("keygen", 0, 1, keygen::<S>),
            sign,
            Operation::new("verify", 3, 4, verify::<S>),
        ],
    }
}

fn keygen<S: Signature>(inputs: &[&[u8]]) -> Prepared {
    match optional(inputs, 0) {
        None => generation(S::generate, S::encode),
        Some(seed) => {
            check_random("seed", seed, S::SEED, NO_SEEDS)?;
            let seed = seed.to_vec();
            generation(move || S::generate_from(&seed), S::encode)
        }
    }
}

/// Returns the context, which is the input with this index if there is one.
fn context<S: Signature>(inputs: &[&[u8]], index: usize) -> Result<Vec<u8>, Failure> {
    let context = optional(inputs, index).unwrap_or_default();
    if !(context.is_empty() || S::HAS_CONTEXT) {
        return Err(Failure::Unsupported("contexts are not supported"));
    }
    if context.len() > MOST_CONTEXT {
        return Err(Failure::Error(format!("the context is longer than {MOST_CONTEXT} bytes")));
    }
    Ok(context.to_vec())
}

fn sign<S: Signature>(inputs: &[&[u8]]) -> Prepared {
    // The fifth input contains coins, which no worker takes.
    if inputs.len() > 4 {
        return Err(NO_COINS);
    }
    let context = context::<S>(inputs, 3)?;
    let encoding = check_private(S::PRIVATE_KEYS, inputs[0], inputs[1])?;
    let (mut key, message) = (S::load_private(encoding, inputs[1])?, inputs[2].to_vec());
    computation(move || S::sign(&mut key, &context, &message), |signature| vec![signature.as_ref().to_vec()])
}

fn verify<S: Signature>(inputs: &[&[u8]]) -> Prepared {
    let context = context::<S>(inputs, 3)?;
    Failure::check_length("public key", S::PUBLIC_KEY, inputs[0].len())?;
    let (key, message, signature) = (S::load_public(inputs[0])?, inputs[1].to_vec(), inputs[2].to_vec());
    computation(
        move || Ok(S::verify(&key, &context, &message, &signature)),
        |&is_valid| vec![if is_valid { b"1".to_vec() } else { b"0".to_vec() }],
    )
}
