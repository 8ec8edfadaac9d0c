//! Sentences that answer the question of a suite. The number comes first. This module formats all figures and ratios in
//! these sentences.

use crate::case::CaseAnalysis;
use crate::comparison::{NotRanked, Standing};
use crate::estimates::scaled;
use crate::number::{factor_and_range, time_and_range};
use crate::run::RunAnalysis;
use pqlab_record::{Statistic, Unit};
use pqlab_stats::{Interval, Verdict};
use std::ops::Range;

/// A sentence about a run's measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Area of the cases: `tls`.
    pub area: String,
    /// Subject of the sentence: `TLS handshake`.
    pub about: String,
    /// The sentence, starting with the number and without a full stop.
    pub text: String,
    /// Whether the sentence comes before the recommendations.
    pub first: bool,
}

impl Statement {
    pub(crate) fn new(area: impl Into<String>, about: impl Into<String>, text: impl Into<String>) -> Statement {
        Statement { area: area.into(), about: about.into(), text: text.into(), first: false }
    }

    /// Moves the statement before the recommendations.
    pub(crate) fn first(self) -> Statement {
        Statement { first: true, ..self }
    }
}

/// The fastest of several libraries. Each library is measured with one case, or with several cases in sequence.
pub(crate) struct Fastest<'r, 'a> {
    /// The cases of the fastest library.
    pub(crate) best: Vec<&'r CaseAnalysis<'a>>,
    /// Name of the fastest library, with libraries tied with it: `aws-lc (tied with liboqs)`.
    pub(crate) by: String,
    /// The fastest of the slower libraries: `next: liboqs, 1.20× (1.19× to 1.21×) in core cycles`. Begins with `next
    /// ranked` if a library without a rank comes between. `None` if no library is slower.
    pub(crate) next: Option<String>,
}

/// Finds the fastest library that may be recommended. If there is none, finds the fastest disturbed one and marks its
/// name: `aws-lc (disturbed)`. Returns `None` if there is no disturbed one either.
pub(crate) fn fastest_library<'r, 'a>(
    analysis: &RunAnalysis<'a>,
    rivals: &[Vec<&'r CaseAnalysis<'a>>],
) -> Option<Fastest<'r, 'a>> {
    let ranking = analysis.ranking(rivals);
    let Some(leader) = ranking.leader else { return fastest_disturbed(analysis, rivals) };
    let best = rivals[leader].clone();
    let name = |place: usize| analysis.by(rivals[place].first().map_or("", |case| &case.case().provider));
    let tied: Vec<String> = ranking.indistinguishable().into_iter().map(name).collect();
    let slower = ranking.standings.iter().enumerate().filter_map(|(place, standing)| match standing {
        Some(Standing::Slower(ratio)) => Some((place, ratio.estimate)),
        _ => None,
    });
    let next = slower.min_by(|one, other| one.1.total_cmp(&other.1));
    let next = next.and_then(|(place, _)| {
        let total = |cases: &[&CaseAnalysis<'a>]| analysis.total(cases).map(|total| total.estimate);
        let between = total(&best)?..total(&rivals[place])?;
        let is_unranked = |cases: &&Vec<&CaseAnalysis<'a>>| cases.iter().any(|case| case.not_ranked().is_some());
        let word = next_word(between, rivals.iter().filter(is_unranked).filter_map(|cases| total(cases)));
        Some(format!("{word}: {}, {}", name(place), times(analysis, &best, &rivals[place])?))
    });
    let by = analysis.by(&best.first()?.case().provider);
    let by = if tied.is_empty() { by } else { format!("{by} (tied with {})", listed(&tied)) };
    Some(Fastest { best, by, next })
}

/// Returns the word for the ranked library after the fastest one: `next`, or `next ranked` if one of the times of
/// libraries without a rank lies between theirs.
pub(crate) fn next_word(between: Range<f64>, mut unranked: impl Iterator<Item = f64>) -> &'static str {
    if unranked.any(|time| between.contains(&time)) { "next ranked" } else { "next" }
}

/// Finds the library with the lowest figure among those that are not ranked because they were disturbed.
fn fastest_disturbed<'r, 'a>(
    analysis: &RunAnalysis<'a>,
    rivals: &[Vec<&'r CaseAnalysis<'a>>],
) -> Option<Fastest<'r, 'a>> {
    let may_be_shown = |case: &&CaseAnalysis<'a>| matches!(case.not_ranked(), None | Some(NotRanked::Disturbed));
    let shown = rivals.iter().filter(|cases| !cases.is_empty() && cases.iter().all(may_be_shown));
    let timed = shown.filter_map(|cases| Some((analysis.total(cases)?.estimate, cases)));
    let (_, best) = timed.min_by(|one, other| one.0.total_cmp(&other.0))?;
    let by = format!("{} (disturbed)", analysis.by(&best.first()?.case().provider));
    Some(Fastest { best: best.clone(), by, next: None })
}

/// Like [`fastest_library`], but for libraries with one case each.
pub(crate) fn fastest_case<'r, 'a>(
    analysis: &RunAnalysis<'a>,
    cases: &[&'r CaseAnalysis<'a>],
) -> Option<Fastest<'r, 'a>> {
    fastest_library(analysis, &cases.iter().map(|case| vec![*case]).collect::<Vec<_>>())
}

/// Formats the total time of cases in sequence: `31.2 µs`, `mean 88.8 µs`. Returns `None` if a case has no figure.
pub(crate) fn time<'a>(analysis: &RunAnalysis<'a>, cases: &[&CaseAnalysis<'a>]) -> Option<String> {
    match cases {
        [one] => time_per_item(one, 1),
        _ => Some(time_text(&analysis.total(cases)?, Statistic::Mean)),
    }
}

/// Formats the time per item of a case whose operation processes `number` items. Returns `None` if the case has no
/// figure.
pub(crate) fn time_per_item(case: &CaseAnalysis<'_>, number: u64) -> Option<String> {
    Some(time_text(&scaled(&case.time()?, 1.0 / number as f64), case.case().statistic()))
}

fn time_text(interval: &Interval, statistic: Statistic) -> String {
    let time = time_and_range(interval).0;
    match statistic {
        Statistic::Median => time,
        Statistic::Mean => format!("mean {time}"),
    }
}

/// A ratio of times, formatted for sentences.
pub(crate) struct Times {
    factor: String,
    range: String,
    unit: &'static str,
}

impl Times {
    /// Formats the ratio for use inside parentheses: `1.16× in core cycles, 1.15× to 1.17×`.
    pub(crate) fn inside(&self) -> String {
        format!("{} in {}, {}", self.factor, self.unit, self.range)
    }
}

impl std::fmt::Display for Times {
    /// Formats the ratio: `1.16× (1.15× to 1.17×) in core cycles`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({}) in {}", self.factor, self.range, self.unit)
    }
}

/// Formats the ratio of the time of `second` to the time of `first`. Each side is one case, or several cases in
/// sequence. Returns `None` if the ratio is unknown.
pub(crate) fn times<'a>(
    analysis: &RunAnalysis<'a>,
    first: &[&CaseAnalysis<'a>],
    second: &[&CaseAnalysis<'a>],
) -> Option<Times> {
    let compared = analysis.ratio(first, second)?;
    let (factor, range) = factor_and_range(&compared.ratio?.ratio);
    let tie = match compared.verdict() {
        Verdict::Faster | Verdict::Slower => "",
        Verdict::Equivalent => ", no measurable difference",
        Verdict::Inconclusive => ", inconclusive",
    };
    Some(Times { factor, range: format!("{range}{tie}"), unit: unit_words(compared.unit) })
}

/// Returns the name of a unit in sentences.
pub fn unit_words(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "time",
        Unit::CoreCycles => "core cycles",
    }
}

/// Joins names: `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}
