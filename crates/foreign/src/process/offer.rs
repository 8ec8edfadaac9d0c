//! Parser for offers. An offer is an entry in the list of algorithms and functions that a program sends.

use super::frame;
use super::program::MOST_SETS;
use pqlab_primitives::{CoinSupport, KeyEncoding};

/// An algorithm or function that a program offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) kind: Kind,
    pub(super) algorithm: String,
    pub(super) encodings: Vec<KeyEncoding>,
    pub(super) coins: CoinSupport,
    pub(super) context: bool,
    pub(super) hedged: bool,
    /// Number of input sets of a function; 1 for an algorithm.
    pub(super) inputs: usize,
    /// Whether the worker checks the function's results. Always true for algorithms.
    pub(super) verified: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kem,
    Signature,
    Hash,
    Function,
}

impl Offer {
    /// Parses an offer. The error says why the offer is invalid.
    pub(super) fn parse(text: &str) -> Result<Offer, String> {
        let wrong = |what: &str| Err(format!("invalid entry {text:?} in the list: {what}"));
        let mut words = text.split(' ');
        let kind = match words.next() {
            Some("kem") => Kind::Kem,
            Some("signature") => Kind::Signature,
            Some("hash") => Kind::Hash,
            Some("function") => Kind::Function,
            _ => return wrong("the kind must be kem, signature, hash or function"),
        };
        let Some(algorithm) = words.next().filter(|name| !name.is_empty()) else {
            return wrong("the algorithm is missing");
        };
        let mut offer = Offer {
            kind,
            algorithm: algorithm.into(),
            encodings: vec![KeyEncoding::Expanded],
            coins: CoinSupport::default(),
            context: false,
            hedged: false,
            inputs: 1,
            verified: true,
        };
        if kind == Kind::Function && !algorithm.chars().all(of_a_name) {
            return wrong("a function name may contain only letters, digits, `.`, `_`, `-` and `+`");
        }
        for word in words {
            match word.split_once('=') {
                Some(("encodings", names)) => {
                    let read: Option<Vec<KeyEncoding>> = names.split(',').map(encoding).collect();
                    let Some(encodings) = read else { return wrong("encodings must be seed, expanded or scalar") };
                    offer.encodings = encodings;
                }
                Some(("coins", names)) => {
                    for name in names.split(',') {
                        match name {
                            "keygen" => offer.coins.keygen = true,
                            "operation" => offer.coins.operation = true,
                            _ => return wrong("coins must be keygen or operation"),
                        }
                    }
                }
                Some(("inputs", number)) if kind == Kind::Function => {
                    let number = frame::number(number.as_bytes()).and_then(|number| usize::try_from(number).ok());
                    let Some(inputs) = number.filter(|number| (1..=MOST_SETS).contains(number)) else {
                        return wrong("the number of input sets for a function must be 1 to 4096");
                    };
                    offer.inputs = inputs;
                }
                Some(("verified", "no")) if kind == Kind::Function => offer.verified = false,
                Some(("context", "yes")) => offer.context = true,
                Some(("hedged", "yes")) => offer.hedged = true,
                _ => return wrong(&format!("protocol version 1 does not allow {word:?} here")),
            }
        }
        Ok(offer)
    }
}

fn encoding(name: &str) -> Option<KeyEncoding> {
    [KeyEncoding::Seed, KeyEncoding::Expanded, KeyEncoding::Scalar].into_iter().find(|it| it.name() == name)
}

fn of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-' | '+')
}
