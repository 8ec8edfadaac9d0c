//! Legend of the page: terms, signs and marks.

use maud::{Markup, html};
use pqlab_analysis::caveats::Caveat;
use pqlab_analysis::estimates::{ESTIMATED_CYCLES, PLUS_MINUS};
use pqlab_analysis::number::APPROXIMATE;

/// Explanation of the column `Relative to fastest`.
const FASTEST: &str =
    "the fastest ranked library for this operation; disturbed cases, known defects and pqlab's own code are not ranked";

/// Terms other than the [caveats](Caveat), and their meanings.
const WORDS: [(&str, &str); 12] = [
    ("fastest", FASTEST),
    ("tied", "one of several fastest libraries that do not differ measurably"),
    ("lowest", "the lowest figure, although at least one slower library does not differ from it significantly"),
    (
        "1.10×",
        "ratio to the lowest figure for the same operation, in core cycles (in time if unknown), with its interval",
    ),
    ("±", PLUS_MINUS),
    ("≈cycles", ESTIMATED_CYCLES),
    ("≈", APPROXIMATE),
    ("p95", "95th percentile: 95 of 100 single operations took no longer"),
    ("CoV", "coefficient of variation: standard deviation / mean of single operations"),
    ("rCoV", "robust CoV: 0.741 × interquartile range / median; shown instead of the CoV if outliers triple it"),
    ("null", "a provider that does nothing; the time of its calls is the measurement overhead"),
    ("reference", "five earlier systems whose suites and protocols pqlab reproduces"),
];

/// Returns the explanation of a column's heading, or `None` if the heading needs no explanation.
pub(super) fn says(heading: &str) -> Option<&'static str> {
    let word = if heading == "Relative to fastest" { "fastest" } else { heading };
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, means)| *means)
}

/// Writes the meanings of all terms and caveats, and explains how figures are computed.
pub(super) fn legend() -> Markup {
    html! {
        dl.legend {
            @for (word, means) in WORDS { dt { (word) } dd { (means) } }
            @for note in Caveat::ALL { dt { (note.word()) } dd { (note.legend()) } }
        }
        p {
            "A figure is the median time of one operation, or the mean if the operation retries at random, with its 95% interval. \
             The interval covers worker processes, rounds and whole runs, because two processes of the same program differ more than \
             two calls in one process. Cases that are compared with each other are measured in the same shuffled rounds. Every answer \
             is checked before and throughout the timing; a wrong answer voids the case."
        }
        p {
            "The CoV shows how widely single operations spread. It says nothing about leaks: a signer that \
             retries can show 50% without leaking, and a real leak can hide in 2%."
        }
        p { "If an operation is too short to be timed alone, each sample is the mean of a batch, and p95 and CoV are omitted." }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_explained_once() {
        let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).chain(Caveat::ALL.map(Caveat::word)).collect();
        assert!((1..words.len()).all(|place| !words[..place].contains(&words[place])), "{words:?}");
        let text = legend().into_string();
        assert!(words.iter().all(|word| text.contains(&format!("<dt>{word}</dt>"))), "{text}");
        assert_eq!(says("Relative to fastest"), Some(FASTEST));
        assert_eq!(says("Notes"), None);
    }
}
