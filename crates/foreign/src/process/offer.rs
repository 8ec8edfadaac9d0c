//! What a program lists.

use pqlab_primitives::{CoinSupport, KeyEncoding};

/// An offer, read from its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) kind: Kind,
    pub(super) algorithm: String,
    pub(super) encodings: Vec<KeyEncoding>,
    pub(super) coins: CoinSupport,
    pub(super) context: bool,
    pub(super) hedged: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kem,
    Signature,
    Hash,
}

impl Offer {
    /// The offer that a text is; the error is a reason.
    pub(super) fn parse(text: &str) -> Result<Offer, String> {
        let wrong = |what: &str| Err(format!("its list has {text:?}: {what}"));
        let mut words = text.split(' ');
        let kind = match words.next() {
            Some("kem") => Kind::Kem,
            Some("signature") => Kind::Signature,
            Some("hash") => Kind::Hash,
            _ => return wrong("the kind is none of kem, signature, hash"),
        };
        let Some(algorithm) = words.next().filter(|name| !name.is_empty()) else {
            return wrong("there is no algorithm");
        };
        let mut offer = Offer {
            kind,
            algorithm: algorithm.into(),
            encodings: vec![KeyEncoding::Expanded],
            coins: CoinSupport::default(),
            context: false,
            hedged: false,
        };
        for word in words {
            match word.split_once('=') {
                Some(("encodings", names)) => {
                    let read: Option<Vec<KeyEncoding>> = names.split(',').map(encoding).collect();
                    let Some(encodings) = read else { return wrong("an encoding is none of seed, expanded, scalar") };
                    offer.encodings = encodings;
                }
                Some(("coins", names)) => {
                    for name in names.split(',') {
                        match name {
                            "keygen" => offer.coins.keygen = true,
                            "operation" => offer.coins.operation = true,
                            _ => return wrong("coins are none of keygen, operation"),
                        }
                    }
                }
                Some(("context", "yes")) => offer.context = true,
                Some(("hedged", "yes")) => offer.hedged = true,
                _ => return wrong("an attribute is none of version 1"),
            }
        }
        Ok(offer)
    }
}

fn encoding(name: &str) -> Option<KeyEncoding> {
    [KeyEncoding::Seed, KeyEncoding::Expanded, KeyEncoding::Scalar].into_iter().find(|known| known.name() == name)
}
