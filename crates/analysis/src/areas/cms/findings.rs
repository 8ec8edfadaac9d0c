//! Findings about signed firmware images: what verifying one costs with post-quantum signatures, and how much of the
//! time is hashing.

use super::{AREA, CLASSICAL, Image, images, size};
use crate::number::{grouped, percent};
use crate::run::RunAnalysis;
use crate::statement::{Fastest, Statement, fastest_case, time, times};

/// Post-quantum algorithms of the answer.
const ALGORITHMS: [&str; 2] = ["ML-DSA-65", "SLH-DSA-SHA2-128s"];
/// Length in bytes of the image in the answer.
const LENGTH: u64 = 10_000_000;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let all = images(analysis);
    ALGORITHMS.into_iter().filter_map(|algorithm| statement(analysis, algorithm, &all)).collect()
}

/// Compares verifying an image with the classical algorithm: `15.0 ms to verify by aws-lc and 3,535 B, vs 6.00 ms by
/// aws-lc and 235 B with ECDSA-P-256 (2.50× in core cycles, 2.49× to 2.51×); hashing takes 99.6% of the time`.
fn statement<'a>(analysis: &RunAnalysis<'a>, algorithm: &str, all: &[Image<'_, 'a>]) -> Option<Statement> {
    let lengths = || all.iter().filter(|one| one.algorithm == algorithm).map(|one| one.length);
    let length = lengths().find(|length| *length == LENGTH).or_else(|| lengths().max())?;
    let (new, cost) = fastest(analysis, algorithm, length, all)?;
    let mut text = cost;
    if let Some((old, cost)) = fastest(analysis, CLASSICAL, length, all) {
        let ratio = times(analysis, &old.best, &new.best)?.inside();
        text = format!("{text}, vs {cost} with {CLASSICAL} ({ratio})");
    }
    let provider = &new.best.first()?.case().provider;
    let image =
        all.iter().find(|one| (one.algorithm, one.provider, one.length) == (algorithm, provider.as_str(), length))?;
    if let Some(share) = image.digest_pct() {
        text = format!("{text}; hashing takes {} of the time", percent(share));
    }
    Some(Statement::new(AREA, format!("Image of {} with {algorithm}", size(length)), text).first())
}

/// Finds the fastest library for verifying. Also returns its time and the length of the SignedData as text.
fn fastest<'r, 'a>(
    analysis: &RunAnalysis<'a>,
    algorithm: &str,
    length: u64,
    all: &[Image<'r, 'a>],
) -> Option<(Fastest<'r, 'a>, String)> {
    let of_length = || all.iter().filter(|one| one.algorithm == algorithm && one.length == length);
    let cases: Vec<_> = of_length().map(|one| one.verify).filter(|case| case.usual()).collect();
    let found = fastest_case(analysis, &cases)?;
    let bytes = of_length().find_map(Image::signed_data)?;
    let text = format!("{} to verify by {} and {} B", time(analysis, &found.best)?, found.by, grouped(bytes));
    Some((found, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn the_answer_compares_times_and_bytes_and_states_the_share_of_hashing() {
        let run = fixtures::cms_run();
        let found = statements(&RunAnalysis::new(&run));
        let texts: Vec<String> = found.iter().map(|one| format!("{}: {}", one.about, one.text)).collect();
        assert_eq!(texts.len(), 1, "{texts:#?}");
        let start = "Image of 10 MB with ML-DSA-65: 15";
        let middle = " ms to verify by aws-lc and 3,535 B, vs 6";
        // Hashing takes 14,940 µs.
        let end = "; hashing takes 99.6% of the time";
        assert!(texts[0].starts_with(start) && texts[0].contains(middle) && texts[0].ends_with(end), "{texts:#?}");
        assert!(texts[0].contains(" to verify by aws-lc and 235 B with ECDSA-P-256 (2.5"), "{texts:#?}");
    }
}
