//! What a run recommends, for what use, and out of what: candidates, and the best of them.

use crate::case::CaseAnalysis;
use crate::comparison::{Compared, NotRanked, Standing};
use crate::number::{factor_and_range, time_and_range};
use crate::run::RunAnalysis;
use crate::statement::unit_words;
use pqlab_record::{Sizes, Statistic};
use pqlab_stats::Interval;

/// The NIST category that a recommendation should have at least, where there is one: what the standards' own defaults have.
pub(crate) const CATEGORY: u8 = 3;

/// A use case of one area.
pub(crate) struct UseCase {
    pub(crate) name: &'static str,
    pub(crate) area: &'static str,
    /// Done one after the other.
    pub(crate) operations: &'static [&'static str],
    pub(crate) what: &'static str,
    /// Which algorithms do it.
    pub(crate) algorithms: fn(&str) -> bool,
    /// Transactions of the block that one operation works on, if it works on a block.
    pub(crate) transactions: Option<u64>,
    /// Whether its rate is told in bytes a second.
    pub(crate) by_the_byte: bool,
}

impl UseCase {
    /// One that any algorithm of an area does, one operation at a time. The rest of it is to be filled in.
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

/// A comparison with what is in use today: what is done, the area, its operations, the post-quantum algorithm, the classical one.
pub(crate) type Against = (&'static str, &'static str, &'static [&'static str], &'static str, &'static str);

/// What is sent the fewest bytes of: the area, an operation that is timed with it, the use case, what the bytes are.
pub(crate) type Smallest = (&'static str, &'static str, &'static str, &'static str);

/// What is recommended for a use case: the best of those that may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// The use case: `Key exchange`.
    pub use_case: &'static str,
    /// The algorithm.
    pub algorithm: String,
    /// The provider, with the language of one that is a program of its own: `go (Go)`.
    pub provider: String,
    /// Its figure: `31.2 µs`, `mean 88.8 µs`.
    pub figure: String,
    /// The figure's interval.
    pub interval: String,
    /// How often that can be done: `4,780 a second on one core`.
    pub rate: Option<String>,
    /// The ids of the cases that the figure is made of, one as often as the job does it.
    pub cases: Vec<String>,
    /// What the figure is of.
    pub what: String,
    /// Why it and not another.
    pub why: String,
    /// What else may be the best as far as the data tell: `ML-KEM-768 by aws-lc`.
    pub tied: Vec<String>,
}

/// One that could be chosen.
pub(crate) struct Candidate<'r, 'a> {
    pub(crate) algorithm: String,
    /// As people read it: `go (Go)` for a program in another language.
    pub(crate) provider: String,
    pub(crate) category: Option<u8>,
    /// By the statistic that all candidates for the use case are compared by.
    pub(crate) time: Interval,
    pub(crate) statistic: Statistic,
    /// Mean time in ns, which rates are made of.
    pub(crate) mean: Interval,
    pub(crate) sizes: Sizes,
    /// What one operation works through, in bytes.
    pub(crate) bytes: Option<u64>,
    /// What the library is known to do wrong.
    pub(crate) defect: Option<String>,
    /// Its cases, one for each operation.
    pub(crate) parts: Vec<&'r CaseAnalysis<'a>>,
}

impl Candidate<'_, '_> {
    /// Whether it has the category that a recommendation should have.
    pub(crate) fn strong(&self) -> bool {
        self.category.is_some_and(|category| category >= CATEGORY)
    }

    /// Why it is not recommended; `None` if it may be.
    pub(crate) fn not_ranked(&self) -> Option<NotRanked> {
        self.parts.iter().find_map(|row| row.not_ranked())
    }

    /// Whether it may be recommended.
    pub(crate) fn sound(&self) -> bool {
        self.not_ranked().is_none()
    }

    /// Its time: `31.2 µs`, `mean 88.8 µs`.
    pub(crate) fn time_text(&self) -> String {
        self.time_and_range().0
    }

    /// Its time with the ends of its interval.
    pub(crate) fn time_and_range(&self) -> (String, String) {
        let (time, range) = time_and_range(&self.time);
        match self.statistic {
            Statistic::Median => (time, range),
            Statistic::Mean => (format!("mean {time}"), range),
        }
    }

    /// The ids of its cases.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.parts.iter().map(|row| row.case().id()).collect()
    }

    /// `ML-KEM-768 by aws-lc`.
    pub(crate) fn name(&self) -> String {
        format!("{} by {}", self.algorithm, self.provider)
    }
}

/// Which of some candidates is the best, which cannot be told from it, and which comes next.
pub(crate) struct Best<'c, 'r, 'a> {
    pub(crate) best: &'c Candidate<'r, 'a>,
    /// Not told apart from it.
    pub(crate) tied: Vec<&'c Candidate<'r, 'a>>,
    /// The least slow one of those that are slower, and how many times as long it takes, in words.
    pub(crate) next: Option<(&'c Candidate<'r, 'a>, String)>,
}

impl<'c, 'r, 'a> Best<'c, 'r, 'a> {
    pub(crate) fn of(analysis: &RunAnalysis<'a>, from: &[&'c Candidate<'r, 'a>]) -> Option<Best<'c, 'r, 'a>> {
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
            tied: ranking.not_told_apart().into_iter().map(|place| from[place]).collect(),
            next: next.and_then(|(one, _)| Some((one, factor(one)?))),
        })
    }

    pub(crate) fn tied_names(&self) -> Vec<String> {
        self.tied.iter().map(|one| one.name()).collect()
    }
}

/// A ratio with its interval and its unit: `1.217× (1.185× to 1.251×) in core cycles`.
pub(crate) fn factor_text(compared: &Compared) -> Option<String> {
    let (factor, range) = factor_and_range(&compared.ratio?.ratio);
    Some(format!("{factor} ({range}) in {}", unit_words(compared.unit)))
}

/// What took less time than what is recommended, and why it is not.
pub(crate) fn not_recommended(one: &Candidate<'_, '_>) -> String {
    let reason = match (one.not_ranked(), &one.defect) {
        (Some(NotRanked::KnownDefect), Some(defect)) => format!("known defect: {defect}"),
        (Some(NotRanked::Disturbed), _) => "disturbed: another program used its core".to_owned(),
        (reason, _) => reason.map_or(String::new(), |reason| reason.text().to_owned()),
    };
    format!("faster but not ranked: {} takes {} ({reason})", one.name(), one.time_text())
}
