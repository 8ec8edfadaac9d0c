//! How long one thing takes over how long another does, and what can be said of it: two runs, two cases, or sums of cases.
//! [`ratio`] is the one function that says so; comparisons of runs, rankings, findings, factors, speed-ups and what a hybrid
//! costs beyond its halves are all made of it.
//!
//! - **Unit.** Core cycles are judged where both sides have them ([`Judged`]), else the time: the core's clock is not what
//!   software decides. A comparison shows the ratio of the times beside the one of the cycles.
//! - **Statistic.** Medians are compared; means if one side's operation repeats by chance, such as signing with ML-DSA
//!   ([`pqlab_record::Case::repeats_by_chance`]), or is a sum of several.
//! - **Paired.** Cases of one block of one start of a run were measured by the same processes in the same rounds. The ratio's
//!   interval is the one over the ratios of their visits, by process and round; what tells runs apart cancels out. Where they
//!   have few rounds in common, or those say something else than the medians that stand beside the ratio, it is made over all
//!   rounds of each.
//! - **Apart.** Everything else was measured by other processes at another time. The interval is the one of the difference of
//!   both cases' means over processes and rounds, with the spread between runs added.
//! - **Verdicts.** Two runs are judged case by case, corrected for the number of cases ([`pqlab_stats::judge`]). Cases of one
//!   run are judged pair by pair, each by itself and by one [margin](ComparisonCriteria::within): so a pair gets the same word wherever it
//!   is shown and whatever stands beside it. To be called the [fastest](Standing::Fastest) a case must beat every rival, which
//!   needs no correction for their number (Berger, "Multiparameter Hypothesis Testing and Acceptance Sampling", Technometrics
//!   24 (1982)). Where a case was contended and its counterpart was measured apart, none is called faster or slower.

mod answer;
mod differences;
mod json;
mod ranking;
mod ratio;
mod regression;
mod stars;

pub use crate::measured::{Figure, Measured, NotRanked};
pub use differences::{Difference, differences, differences_of_builds};
pub(crate) use differences::{machine, machines_differ};
pub(crate) use ranking::standings;
pub use ranking::{Ranking, Standing, ranking};
pub use ratio::{Compared, ratio, total};
pub(crate) use ratio::{ratio_apart, ratio_by, total_in};
pub use regression::{MOST_RUNS, Outcome, Regression, contention_factor, regressions};
pub use stars::pair_by_stars;

use crate::estimates::run_spread;
use crate::series::SeriesComparison;
use pqlab_record::{RunHeader, RunSpreads, Statistic, Unit};
use pqlab_stats::{DEFAULT_MARGIN_PCT, Judgement, Ratio, RunSpread, Verdict};

/// In which unit cases are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judged {
    /// In core cycles where both cases have them, else in time.
    #[default]
    Auto,
    /// In time.
    Time,
    /// In core cycles; cases without them are inconclusive.
    Cycles,
}

impl Judged {
    /// The word that command lines carry.
    pub fn name(self) -> &'static str {
        match self {
            Judged::Auto => "auto",
            Judged::Time => "time",
            Judged::Cycles => "cycles",
        }
    }
}

/// The word for a unit that files carry.
fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "time",
        Unit::CoreCycles => "cycles",
    }
}

/// By what comparisons are judged, and where that comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonCriteria {
    /// In which unit.
    pub judged: Judged,
    /// Within this, in percent, two cases are equivalent.
    pub margin_pct: f64,
    /// Where the margin comes from, in words.
    pub margin_source: String,
    /// How far times of whole runs of the same thing lie apart; `None` for what was stored with the runs.
    pub runs_time: Option<RunSpread>,
    /// How far their core cycles do; likewise.
    pub runs_cycles: Option<RunSpread>,
    /// Where these come from, in words.
    pub runs_source: String,
}

impl Default for ComparisonCriteria {
    /// What is assumed of a machine that was not measured.
    fn default() -> ComparisonCriteria {
        ComparisonCriteria {
            judged: Judged::Auto,
            margin_pct: DEFAULT_MARGIN_PCT,
            margin_source: "assumed: `pqlab doctor --aa` measures this machine's own".into(),
            runs_time: None,
            runs_cycles: None,
            runs_source: String::new(),
        }
    }
}

impl ComparisonCriteria {
    /// By what cases of one run are compared with each other, wherever that is shown: how far runs lie apart is stored with the
    /// run, and the margin is the one for any machine, since what whole runs differ by is no part of it.
    pub fn within(run: &RunHeader) -> ComparisonCriteria {
        let plain =
            ComparisonCriteria { margin_source: "for cases of one run".into(), ..ComparisonCriteria::default() };
        plain.between(&run.protocol.run_spreads, &run.protocol.run_spreads)
    }

    /// In another unit.
    pub fn judged_in(self, judged: Judged) -> ComparisonCriteria {
        ComparisonCriteria { judged, ..self }
    }

    /// With what is stored with two runs, the larger of the two, where it does not say itself how far runs lie apart.
    pub(crate) fn between(&self, first: &RunSpreads, second: &RunSpreads) -> ComparisonCriteria {
        let stored = |unit: Unit| {
            let [one, two] = [first, second].map(|spreads| (run_spread(spreads, unit), &spreads.source));
            if two.0.pct > one.0.pct { two } else { one }
        };
        let ((time, source), (cycles, _)) = (stored(Unit::Nanoseconds), stored(Unit::CoreCycles));
        let own = self.runs_time.is_some() || self.runs_cycles.is_some();
        ComparisonCriteria {
            runs_time: self.runs_time.or(Some(time)),
            runs_cycles: self.runs_cycles.or(Some(cycles)),
            runs_source: if own { &self.runs_source } else { source }.clone(),
            ..self.clone()
        }
    }

    /// With the larger spread between runs of two, in each unit.
    pub(crate) fn wider(self, other: ComparisonCriteria) -> ComparisonCriteria {
        let larger = |one: Option<RunSpread>, two: Option<RunSpread>| match (one, two) {
            (Some(one), Some(two)) if two.pct > one.pct => Some(two),
            (one, two) => one.or(two),
        };
        let (runs_time, runs_cycles) =
            (larger(self.runs_time, other.runs_time), larger(self.runs_cycles, other.runs_cycles));
        ComparisonCriteria { runs_time, runs_cycles, ..self }
    }

    /// How far whole runs lie apart in a unit; not at all where nothing is known.
    pub fn runs(&self, unit: Unit) -> RunSpread {
        let known = match unit {
            Unit::Nanoseconds => self.runs_time,
            Unit::CoreCycles => self.runs_cycles,
        };
        known.unwrap_or(RunSpread::NONE)
    }
}

/// Two cases, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedCase {
    /// Id of the first case.
    pub first: String,
    /// Id of the second case.
    pub second: String,
    /// The statistic that both are compared by.
    pub statistic: Statistic,
    /// Time of the first in ns.
    pub first_ns: Option<f64>,
    /// Time of the second in ns.
    pub second_ns: Option<f64>,
    /// Whether the same processes measured both in the same rounds.
    pub paired: bool,
    /// In which unit it was judged.
    pub unit: Unit,
    /// Core cycles of the first, if they are known.
    pub first_cycles: Option<f64>,
    /// Core cycles of the second, if they are known.
    pub second_cycles: Option<f64>,
    /// The second's figure over the first's, in the unit judged.
    pub ratio: Option<Ratio>,
    /// The second's time over the first's.
    pub time_ratio: Option<Ratio>,
    /// What the reference's statistics say of the samples, taken as independent; no verdict is made of it.
    pub means: Option<SeriesComparison>,
    /// The verdict.
    pub judgement: Judgement,
    /// Whether either side was contended and both were measured apart: then a difference may be the contention's, and the
    /// verdict is `equivalent` or `inconclusive`.
    pub doubtful: bool,
    /// Whether the second case failed where the first did not.
    pub broken: bool,
    /// Whether the two do different kinds of work, of which no verdict is given.
    pub unlike: bool,
    /// What must be known when this is read.
    pub notes: Vec<String>,
}

/// Everything that a comparison says.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Id of the first run.
    pub first_run: String,
    /// Id of the second run; the first again where cases of one run are compared.
    pub second_run: String,
    /// Host and processor of both, where the machines differ.
    pub machines: Option<[String; 2]>,
    /// Everything else in which the environments differ.
    pub differences: Vec<Difference>,
    /// By what it was judged.
    pub criteria: ComparisonCriteria,
    /// Case by case, in the order of the first run.
    pub cases: Vec<ComparedCase>,
    /// Whether verdicts are corrected for the number of cases.
    pub corrected: bool,
    /// Cases that only the first run has.
    pub only_first: Vec<String>,
    /// Cases that only the second run has.
    pub only_second: Vec<String>,
    /// Cases that go by one name without the encoding of the private key and were not compared, because the runs loaded or wrote
    /// it in different ones.
    pub other_encodings: Vec<String>,
}

impl Comparison {
    /// How many cases have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.judgement.verdict == verdict).count()
    }

    /// Whether a comparison does not tell.
    pub fn inconclusive(&self) -> bool {
        self.count(Verdict::Inconclusive) > 0
    }

    /// Whether something is slower, or failed where it did not fail before.
    pub fn worse(&self) -> bool {
        self.count(Verdict::Slower) > 0 || self.cases.iter().any(|case| case.broken)
    }
}
