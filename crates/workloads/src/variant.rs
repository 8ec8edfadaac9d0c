use crate::Options;

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

impl Options {
    /// Whether a variant is asked for.
    pub fn wants(&self, variant: Variant) -> bool {
        if self.variants.is_empty() { variant == Variant::Plain } else { self.variants.contains(&variant) }
    }
}
