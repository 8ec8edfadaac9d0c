//! KEMs.

use crate::Failure;
use crate::serve::{Offer, Operation};
use crate::set::{Prepared, computation, generation};

/// A KEM with one parameter set. All lengths are in bytes. Keys, seeds and coins have their lengths when the functions
/// receive them; ciphertexts do not.
pub trait Kem: 'static {
    /// Name of the algorithm.
    const ALGORITHM: &'static str;
    /// Encodings of private keys, with their lengths. Key generation writes the first one.
    const PRIVATE_KEYS: &'static [(&'static str, usize)];
    /// Length of a public key.
    const PUBLIC_KEY: usize;
    /// Length of a seed, or `None` if key generation takes none.
    const SEED: Option<usize> = None;
    /// Length of the coins, or `None` if encapsulation takes none.
    const COINS: Option<usize> = None;
    /// Key pair, as the library generates it.
    type Pair: 'static;
    /// Public key for repeated use.
    type PublicKey: 'static;
    /// Private key for repeated use.
    type PrivateKey: 'static;
    /// Ciphertext.
    type Ciphertext: AsRef<[u8]> + 'static;
    /// Shared secret.
    type Secret: AsRef<[u8]> + 'static;

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
    /// Encapsulates a new secret.
    fn encapsulate(key: &Self::PublicKey) -> Result<(Self::Ciphertext, Self::Secret), Failure>;
    /// Encapsulates with coins. Called only if [`COINS`](Self::COINS) is set.
    fn encapsulate_with(_key: &Self::PublicKey, _coins: &[u8]) -> Result<(Self::Ciphertext, Self::Secret), Failure> {
        Err(NO_COINS)
    }
    /// Parses the ciphertext and decapsulates the secret.
    fn decapsulate(key: &Self::PrivateKey, ciphertext: &[u8]) -> Result<Self::Secret, Failure>;
}

pub(crate) const NO_SEEDS: Failure = Failure::Unsupported("seeds are not supported");
pub(crate) const NO_COINS: Failure = Failure::Unsupported("coins are not supported");

/// Creates the offer of a KEM.
pub fn kem<K: Kem>() -> Offer {
    let coins = match (K::SEED, K::COINS) {
        (Some(_), Some(_)) => " coins=keygen,operation",
        (Some(_), None) => " coins=keygen",
        (None, Some(_)) => " coins=operation",
        (None, None) => "",
    };
    Offer {
        algorithm: K::ALGORITHM,
        text: format!("kem {} encodings={}{coins}", K::ALGORITHM, encodings(K::PRIVATE_KEYS)),
        operations: vec![
            Operation::new("keygen", 0, 1, keygen::<K>),
            Operation::new("encapsulate", 1, 2, encapsulate::<K>),
            Operation::new("decapsulate", 3, 3, decapsulate::<K>),
        ],
    }
}

/// Returns the names of encodings, separated by commas.
pub(crate) fn encodings(keys: &[(&str, usize)]) -> String {
    keys.iter().map(|(encoding, _)| *encoding).collect::<Vec<_>>().join(",")
}

/// Returns the input with this index unless it is absent or empty.
pub(crate) fn optional<'a>(inputs: &[&'a [u8]], index: usize) -> Option<&'a [u8]> {
    inputs.get(index).copied().filter(|input| !input.is_empty())
}

/// Checks the length of a seed or of coins. `expected` is `None` if they are not supported.
pub(crate) fn check_random(what: &str, bytes: &[u8], expected: Option<usize>, missing: Failure) -> Result<(), Failure> {
    Failure::check_length(what, expected.ok_or(missing)?, bytes.len())
}

/// Checks the encoding and the length of a private key. Returns the name of the encoding.
pub(crate) fn check_private(
    keys: &[(&'static str, usize)],
    encoding: &[u8],
    key: &[u8],
) -> Result<&'static str, Failure> {
    let known = keys.iter().find(|(name, _)| name.as_bytes() == encoding);
    let &(name, length) = known.ok_or(Failure::Unsupported("this encoding of private keys is not supported"))?;
    Failure::check_length("private key", length, key.len()).map(|()| name)
}

fn keygen<K: Kem>(inputs: &[&[u8]]) -> Prepared {
    match optional(inputs, 0) {
        None => generation(K::generate, K::encode),
        Some(seed) => {
            check_random("seed", seed, K::SEED, NO_SEEDS)?;
            let seed = seed.to_vec();
            generation(move || K::generate_from(&seed), K::encode)
        }
    }
}

fn encapsulate<K: Kem>(inputs: &[&[u8]]) -> Prepared {
    let coins = optional(inputs, 1);
    if let Some(coins) = coins {
        check_random("coins", coins, K::COINS, NO_COINS)?;
    }
    Failure::check_length("public key", K::PUBLIC_KEY, inputs[0].len())?;
    let key = K::load_public(inputs[0])?;
    let outputs = |(ciphertext, secret): &(K::Ciphertext, K::Secret)| {
        vec![ciphertext.as_ref().to_vec(), secret.as_ref().to_vec()]
    };
    match coins.map(<[u8]>::to_vec) {
        None => computation(move || K::encapsulate(&key), outputs),
        Some(coins) => computation(move || K::encapsulate_with(&key, &coins), outputs),
    }
}

fn decapsulate<K: Kem>(inputs: &[&[u8]]) -> Prepared {
    let encoding = check_private(K::PRIVATE_KEYS, inputs[0], inputs[1])?;
    let (key, ciphertext) = (K::load_private(encoding, inputs[1])?, inputs[2].to_vec());
    computation(move || K::decapsulate(&key, &ciphertext), |secret| vec![secret.as_ref().to_vec()])
}
