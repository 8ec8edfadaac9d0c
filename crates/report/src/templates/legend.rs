//! What words, signs and marks on the page mean.

use maud::{Markup, html};
use pqlab_analysis::caveats::Caveat;
use pqlab_analysis::estimates::{ESTIMATED_CYCLES, PLUS_MINUS};
use pqlab_analysis::number::APPROXIMATE;

/// The rule of the column against the fastest.
const FASTEST: &str = "the lowest figure of those that do the same job and are ranked: undisturbed, without a known defect, and not pqlab's own code";

/// Words beside the [caveats](Caveat), and what they mean.
const WORDS: [(&str, &str); 12] = [
    ("fastest", FASTEST),
    (
        "tied",
        "the data do not tell it from others that are tied, and none of the same job is faster: all of them are named",
    ),
    ("lowest", "the lowest figure, though not told apart from one that a third is faster than"),
    (
        "1.10×",
        "its figure over the lowest of the same job, in core cycles where both have them, else in time, with its interval",
    ),
    ("±", PLUS_MINUS),
    ("≈cycles", ESTIMATED_CYCLES),
    ("≈", APPROXIMATE),
    ("p95", "95 of 100 single operations took no longer"),
    ("CoV", "coefficient of variation: the standard deviation of single operations over their mean"),
    (
        "rCoV",
        "the same without the work of outliers, which it replaces where they treble it: 0.741 × width of the middle half / median",
    ),
    (
        "null",
        "a provider that does nothing through the same calls: its time is the floor, what the harness itself costs",
    ),
    ("reference", "five earlier systems whose suites and protocols pqlab reproduces"),
];

/// What a heading means; `None` for one that speaks for itself.
pub(super) fn says(heading: &str) -> Option<&'static str> {
    let word = if heading == "Against the fastest" { "fastest" } else { heading };
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, means)| *means)
}

/// All of them, and how a figure came about.
pub(super) fn legend() -> Markup {
    html! {
        dl.legend {
            @for (word, means) in WORDS { dt { (word) } dd { (means) } }
            @for note in Caveat::ALL { dt { (note.word()) } dd { (note.legend()) } }
        }
        p {
            "A figure is the median time of one operation, or the mean if the operation repeats by chance, with its 95% interval over worker processes, rounds and whole runs: the process is the unit of \
             repetition, since two runs of the same program differ more than two calls in one run. Cases of one block are measured in \
             the same shuffled rounds. Every answer was checked before and after it was timed; a wrong answer voids its figures."
        }
        p {
            "The CoV says how widely single operations spread. It says nothing about leaks: a signer that \
             rejects and repeats shows 50% and leaks nothing, and a real leak can hide in 2%."
        }
        p { "Where an operation is too short to be timed alone, a sample is the mean of a batch: then p95 and CoV are not given." }
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
        assert_eq!(says("Against the fastest"), Some(FASTEST));
        assert_eq!(says("Notes"), None);
    }
}
