//! Explanations of the words in a picture that a reader may not know.

/// Words of parameters and operations, each with its explanation for the small print.
const WORDS: [(&str, &str); 4] = [
    ("coins=exact", "coins=exact: the caller supplies the randomness."),
    ("chain", "chain=N: the server sends N intermediate certificates."),
    ("handshake-load", "handshake-load: each task is one complete handshake."),
    ("cycle", "cycle: generating a key pair, signing and verifying."),
];

/// Returns the explanations of all words that occur in `texts` as names of operations or parameters.
pub(super) fn explanations<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> impl Iterator<Item = &'static str> {
    let occurs = move |word: &str| texts.clone().any(|text| contains(text, word));
    WORDS.into_iter().filter(move |(word, _)| occurs(word)).map(|(_, means)| means)
}

/// Returns whether a word stands before a bracket or an equals sign, between brackets or commas, or at the end.
fn contains(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let begins = before.is_none_or(|letter| " [,".contains(letter));
        begins && after.is_none_or(|letter| "[]=,".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_operations_and_parameters_are_explained() {
        let of = |text: &str| explanations([text].into_iter()).count();
        assert_eq!(of("MLDSA65-Ed25519-SHA512 cycle[deterministic,coins=exact]"), 2);
        assert_eq!(of("X25519 ECDSA-P-256 chain=1"), 1);
        assert_eq!(of("ratio to the fastest library, in core cycles"), 0);
        assert_eq!(of("life cycle of a chain of certificates"), 0);
    }
}
