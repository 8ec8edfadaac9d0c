use crate::CaseOptions;
use pqlab_record::{CoinSource, UnknownWord};
use std::str::FromStr;

/// Maximum number of keys that a case may rotate through.
const MOST_KEYS: u64 = 4096;

/// Variant of signing, or another measurement of a signature scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The library's default: hedged signing of the message itself, not of a digest.
    Plain,
    /// Deterministic signing, if the standard defines both variants (FIPS 204, section 3.4; FIPS 205, section 3.4).
    Deterministic,
    /// Signs a digest of the message: HashML-DSA, HashSLH-DSA, Ed25519ph.
    Prehash,
    /// Signs published sets of messages. Signing a complete set takes the expected total number of attempts.
    Messages,
    /// Measures the lengths of signatures, if they vary or are padded.
    Sizes,
}

impl Variant {
    /// All variants, starting with the default.
    pub const ALL: [Variant; 5] =
        [Variant::Plain, Variant::Deterministic, Variant::Prehash, Variant::Messages, Variant::Sizes];

    /// Returns the name used in suites and command lines.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Plain => "plain",
            Variant::Deterministic => "deterministic",
            Variant::Prehash => "prehash",
            Variant::Messages => "messages",
            Variant::Sizes => "sizes",
        }
    }
}

impl FromStr for Variant {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Variant, UnknownWord> {
        UnknownWord::find("variant", word, &Variant::ALL, Variant::name)
    }
}

/// Number of keys that an operation rotates through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keys {
    /// The default pool: up to 16 keys, as many as can be generated in a few milliseconds.
    Pool,
    /// The given number of keys.
    Number(u64),
}

impl Keys {
    /// Returns the number of keys in a case's parameters; `None` for the default pool.
    fn number(self) -> Option<u64> {
        match self {
            Keys::Pool => None,
            Keys::Number(number) => Some(number),
        }
    }
}

impl FromStr for Keys {
    type Err = UnknownWord;

    /// Parses `pool` or a number.
    fn from_str(word: &str) -> Result<Keys, UnknownWord> {
        let number = || word.parse().ok().filter(|number| (1..=MOST_KEYS).contains(number)).map(Keys::Number);
        let keys = if word == "pool" { Some(Keys::Pool) } else { number() };
        let known = format!("pool, 1 to {MOST_KEYS}");
        keys.ok_or_else(|| UnknownWord { what: "number of keys", word: word.to_owned(), known })
    }
}

impl CaseOptions {
    /// Combines each requested source of randomness with each requested number of keys that an operation supports.
    /// An operation that accepts no supplied randomness, or uses no keys, supports only the default.
    pub(crate) fn manners(
        &self,
        takes_coins: bool,
        has_keys: bool,
    ) -> impl Iterator<Item = (CoinSource, Option<u64>)> + use<'_> {
        let coins = if self.coins.is_empty() { &[CoinSource::Internal][..] } else { &self.coins };
        let keys = if self.keys.is_empty() { &[Keys::Pool][..] } else { &self.keys };
        let coins = coins.iter().copied().filter(move |&coins| takes_coins || coins == CoinSource::Internal);
        coins.flat_map(move |coins| {
            let keys = keys.iter().filter(move |&&keys| has_keys || keys == Keys::Pool);
            keys.map(move |keys| (coins, keys.number()))
        })
    }

    /// Returns whether the requested combinations include the default: the library's own randomness, and the pool of
    /// keys.
    pub(crate) fn usual_manner(&self) -> bool {
        self.manners(false, false).next().is_some()
    }

    /// Returns whether a variant is requested.
    pub fn wants(&self, variant: Variant) -> bool {
        if self.variants.is_empty() { variant == Variant::Plain } else { self.variants.contains(&variant) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_pool_or_a_number() {
        assert_eq!(("pool".parse(), "1".parse()), (Ok(Keys::Pool), Ok(Keys::Number(1))));
        for wrong in ["", "0", "-1", "4097", "one"] {
            assert!(wrong.parse::<Keys>().is_err(), "{wrong}");
        }
    }
}
