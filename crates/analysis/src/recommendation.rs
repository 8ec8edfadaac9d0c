//! Recommendations: the use cases, the candidates, and the best candidate.

use crate::case::CaseAnalysis;
use crate::comparison::{Compared, NotRanked, Standing};
use crate::number::{factor_and_range, time_and_range};
use crate::run::RunAnalysis;
use crate::statement::{next_word, unit_words};
use pqlab_record::{Sizes, Statistic};
use pqlab_stats::Interval;

/// Minimum NIST category for recommendations, if any candidate reaches it. FIPS 203, section 8, recommends this
/// category as the default.
pub(crate) const CATEGORY: u8 = 3;

/// Use case for which pqlab recommends an algorithm and a library.
pub(crate) struct UseCase {
    pub(crate) name: &'static str,
    pub(crate) area: &'static str,
    /// Operations of the use case, one after the other.
    pub(crate) operations: &'static [&'static str],
    pub(crate) what: &'static str,
    /// Function that returns whether an algorithm fits the use case.
    pub(crate) algorithms: fn(&str) -> bool,
    /// Number of transactions in a block; `None` if the operations do not work on blocks.
    pub(crate) transactions: Option<u64>,
    /// Whether the rate is given in bytes per second.
    pub(crate) by_the_byte: bool,
}

impl UseCase {
    /// Defaults for a use case that fits every algorithm in an area. Each use case sets the other fields.
    pub(crate) const USUAL: UseCase = UseCase {
        name: "",
        area: "",
        operations: &[],
        what: "",
        algorithms: |_| true,
        transactions: None,
        by_the_byte: false,
    };
}

/// Comparison with a classical algorithm: the task, the area, the operations, the post-quantum algorithm and the
/// classical algorithm.
pub(crate) type Against = (&'static str, &'static str, &'static [&'static str], &'static str, &'static str);

/// Comparison of lengths: the area, an operation whose time is also shown, the use case, and a description of the
/// bytes.
pub(crate) type Smallest = (&'static str, &'static str, &'static str, &'static str);

/// Recommendation for a use case: the best candidate that may be recommended.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// Name of the use case: `Key exchange`.
    pub use_case: &'static str,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Provider, with its language if it is a separate program: `go (Go)`.
    pub provider: String,
    /// The deciding figure: `31.2 µs`, `mean 88.8 µs`.
    pub figure: String,
    /// Interval of the figure as text: `31.0 to 31.4 µs`, or `exact`.
    pub interval: String,
    /// Rate of the use case: `4,780 a second on one core`. `None` if it is unknown.
    pub rate: Option<String>,
    /// Ids of the cases from which the figure is computed, each repeated as often as the job performs its operation.
    pub cases: Vec<String>,
    /// Description of what was measured: `one signature, with a prepared key`.
    pub what: String,
    /// Reasons for the choice.
    pub why: String,
    /// Reasons to doubt the choice, which are also in `why`: faster candidates that are not ranked, and known defects in
    /// other operations.
    pub cautions: Vec<String>,
    /// Other candidates without a measurable difference from the best: `ML-KEM-768 by aws-lc`.
    pub tied: Vec<String>,
}

/// A candidate for a recommendation.
pub(crate) struct Candidate<'r, 'a> {
    pub(crate) algorithm: String,
    /// Display name of the provider: `go (Go)` for a program in another language.
    pub(crate) provider: String,
    pub(crate) category: Option<u8>,
    /// Time in ns, by the statistic that compares all candidates for the use case.
    pub(crate) time: Interval,
    pub(crate) statistic: Statistic,
    /// Mean time in ns, from which rates are computed.
    pub(crate) mean: Interval,
    pub(crate) sizes: Sizes,
    /// Number of bytes that one operation processes.
    pub(crate) bytes: Option<u64>,
    /// Known defect of the library.
    pub(crate) defect: Option<String>,
    /// Cases of the candidate, one for each operation.
    pub(crate) parts: Vec<&'r CaseAnalysis<'a>>,
}

impl Candidate<'_, '_> {
    /// Returns whether the candidate has at least the NIST category that recommendations require.
    pub(crate) fn strong(&self) -> bool {
        self.category.is_some_and(|category| category >= CATEGORY)
    }

    /// Returns the reason not to recommend the candidate, or `None` if it may be recommended.
    pub(crate) fn not_ranked(&self) -> Option<NotRanked> {
        self.parts.iter().find_map(|row| row.not_ranked())
    }

    /// Returns whether the candidate may be recommended.
    pub(crate) fn sound(&self) -> bool {
        self.not_ranked().is_none()
    }

    /// Formats the time: `31.2 µs`, `mean 88.8 µs`.
    pub(crate) fn time_text(&self) -> String {
        self.time_and_range().0
    }

    /// Formats the time, and the ends of its interval.
    pub(crate) fn time_and_range(&self) -> (String, String) {
        let (time, range) = time_and_range(&self.time);
        match self.statistic {
            Statistic::Median => (time, range),
            Statistic::Mean => (format!("mean {time}"), range),
        }
    }

    /// Returns the ids of the candidate's cases.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.parts.iter().map(|row| row.case().id()).collect()
    }

    /// Formats algorithm and provider: `ML-KEM-768 by aws-lc`.
    pub(crate) fn name(&self) -> String {
        format!("{} by {}", self.algorithm, self.provider)
    }
}

/// The best candidate, the candidates tied with it, and the fastest of the slower candidates.
pub(crate) struct Best<'c, 'r, 'a> {
    pub(crate) best: &'c Candidate<'r, 'a>,
    /// Candidates without a measurable difference from the best.
    pub(crate) tied: Vec<&'c Candidate<'r, 'a>>,
    /// The fastest of the slower candidates, and its ratio to the best as text. `None` if no candidate is slower.
    pub(crate) next: Option<(&'c Candidate<'r, 'a>, String)>,
}

impl<'c, 'r, 'a> Best<'c, 'r, 'a> {
    pub(crate) fn find(analysis: &RunAnalysis<'a>, from: &[&'c Candidate<'r, 'a>]) -> Option<Best<'c, 'r, 'a>> {
        let rivals: Vec<Vec<&CaseAnalysis<'a>>> = from.iter().map(|one| one.parts.clone()).collect();
        let ranking = analysis.ranking(&rivals);
        let slower = ranking.standings.iter().zip(from).filter_map(|(standing, one)| match standing {
            Some(Standing::Slower(ratio)) => Some((*one, *ratio)),
            _ => None,
        });
        let best = from[ranking.leader?];
        let next = slower.min_by(|one, other| one.1.estimate.total_cmp(&other.1.estimate));
        let factor = |one: &Candidate<'r, 'a>| factor_text(&analysis.ratio(&best.parts, &one.parts)?);
        Some(Best {
            best,
            tied: ranking.indistinguishable().into_iter().map(|place| from[place]).collect(),
            next: next.and_then(|(one, _)| Some((one, factor(one)?))),
        })
    }

    pub(crate) fn tied_names(&self) -> Vec<String> {
        self.tied.iter().map(|one| one.name()).collect()
    }
}

/// Formats a ratio with its interval and unit: `1.217× (1.185× to 1.251×) in core cycles`. Returns `None` if the ratio
/// is unknown.
pub(crate) fn factor_text(compared: &Compared) -> Option<String> {
    let (factor, range) = factor_and_range(&compared.ratio?.ratio);
    Some(format!("{factor} ({range}) in {}", unit_words(compared.unit)))
}

/// Names the candidates that are faster than the best one but may not be recommended, with the reason, fastest first. A
/// disturbance does not hide them: it made them slower, not faster.
pub(crate) fn faster_but_not_ranked<'c, 'r: 'c, 'a: 'r>(
    analysis: &RunAnalysis<'a>,
    best: &Candidate<'r, 'a>,
    all: impl IntoIterator<Item = &'c Candidate<'r, 'a>>,
) -> Vec<String> {
    let is_faster = |one: &&'c Candidate<'r, 'a>| {
        !one.sound() && analysis.ratio(&best.parts, &one.parts).is_some_and(|compared| compared.is_faster())
    };
    let mut faster: Vec<&Candidate<'r, 'a>> = all.into_iter().filter(is_faster).collect();
    faster.sort_by(|one, other| one.time.estimate.total_cmp(&other.time.estimate));
    faster.into_iter().map(not_recommended).collect()
}

/// Returns the [word](next_word) for the candidate after the best one.
pub(crate) fn word_for_next<'c, 'r: 'c, 'a: 'r>(
    best: &Candidate<'r, 'a>,
    next: &Candidate<'r, 'a>,
    all: impl IntoIterator<Item = &'c Candidate<'r, 'a>>,
) -> &'static str {
    let unranked = all.into_iter().filter(|one| !one.sound()).map(|one| one.time.estimate);
    next_word(best.time.estimate..next.time.estimate, unranked)
}

fn not_recommended(one: &Candidate<'_, '_>) -> String {
    let reason = match (one.not_ranked(), &one.defect) {
        (Some(NotRanked::KnownDefect), Some(defect)) => format!("known defect: {defect}"),
        (Some(NotRanked::Disturbed), _) => "disturbed: another program used its core".to_owned(),
        (reason, _) => reason.map_or(String::new(), |reason| reason.text().to_owned()),
    };
    format!("faster but not ranked: {}, {} ({reason})", one.name(), one.time_text())
}
