use crate::CaseOptions;
use pqlab_record::{CoinSource, UnknownWord};
use std::str::FromStr;

/// Most keys that a case may take in turn.
const MOST_KEYS: u64 = 4096;

/// A way of signing, or of looking at it, beside the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// As the library signs unless it is told otherwise: hedged, the message whole.
    Plain,
    /// Without randomness, where the standard has both (FIPS 204, section 3.4; FIPS 205, section 3.4).
    Deterministic,
    /// A digest of the message is signed: HashML-DSA, HashSLH-DSA, Ed25519ph.
    Prehash,
    /// The published message sets whose rejections average out.
    Messages,
    /// The lengths of signatures, where they differ.
    Sizes,
}

impl Variant {
    /// Every variant, the usual one first.
    pub const ALL: [Variant; 5] =
        [Variant::Plain, Variant::Deterministic, Variant::Prehash, Variant::Messages, Variant::Sizes];

    /// The word that suites and command lines carry.
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

/// How many keys an operation takes in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keys {
    /// The usual pool: up to 16, as many as are made in some milliseconds.
    Pool,
    /// So many.
    Number(u64),
}

impl Keys {
    /// As cases name it: not at all for the usual pool.
    fn number(self) -> Option<u64> {
        match self {
            Keys::Pool => None,
            Keys::Number(number) => Some(number),
        }
    }
}

impl FromStr for Keys {
    type Err = UnknownWord;

    /// `pool`, or a number.
    fn from_str(word: &str) -> Result<Keys, UnknownWord> {
        let number = || word.parse().ok().filter(|number| (1..=MOST_KEYS).contains(number)).map(Keys::Number);
        let keys = if word == "pool" { Some(Keys::Pool) } else { number() };
        let known = format!("pool, and numbers from 1 to {MOST_KEYS}");
        keys.ok_or_else(|| UnknownWord { what: "number of keys", word: word.to_owned(), known })
    }
}

impl CaseOptions {
    /// Each source of coins with each number of keys that is asked for and that an operation can have: only the usual ones where
    /// it takes no given coins, or has no keys to take in turn.
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

    /// Whether the usual coins and the usual pool of keys are asked for.
    pub(crate) fn usual_manner(&self) -> bool {
        self.manners(false, false).next().is_some()
    }

    /// Whether a variant is asked for.
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
