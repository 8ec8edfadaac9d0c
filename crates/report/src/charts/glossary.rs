//! Explanations of the words in a picture that a reader may not know.

/// Words of parameters and operations, each with its explanation for the small print.
const WORDS: [(&str, &str); 3] = [
    ("coins=exact", "coins=exact: the caller supplies the randomness."),
    ("chain=", "chain=N: the server sends N intermediate certificates."),
    (" cycle", "cycle: generating a key pair, signing and verifying."),
];

/// Returns the explanations of all words that occur in `texts`.
pub(super) fn explanations<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> impl Iterator<Item = &'static str> {
    WORDS.into_iter().filter(move |(word, _)| texts.clone().any(|text| text.contains(word))).map(|(_, means)| means)
}
