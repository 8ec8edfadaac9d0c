//! Compares the times of two things: two runs, two cases, or sums of cases. [`ratio`] is the only function that
//! compares; comparisons of runs, rankings, findings, factors, speed-ups and the cost of hybrids beyond their halves
//! all use it.
//!
//! - **Unit.** Core cycles are judged if both sides have them ([`Judged`]), else time, because software does not
//!   control the core's clock. A comparison also shows the ratio of the times.
//! - **Statistic.** Medians are compared; means if one side's operation retries at random, such as signing with ML-DSA
//!   ([`pqlab_record::Case::repeats_by_chance`]), or is a sum of several.
//! - **Paired.** Cases of one block of one start of a run were measured by the same processes in the same rounds. The
//!   ratio's interval covers the ratios of their visits, by process and round, so differences between runs cancel out.
//!   If the cases have few rounds in common, or these rounds contradict the medians shown with the ratio, the interval
//!   covers all rounds of each case instead.
//! - **Apart.** Everything else was measured by other processes at another time. The interval is that of the difference
//!   of both cases' means over processes and rounds, plus the spread between runs.
//! - **Verdicts.** Two runs are judged case by case, corrected for the number of cases ([`pqlab_stats::judge`]). Cases
//!   of one run are judged pair by pair, each alone and by the same [margin](ComparisonCriteria::within), so that a
//!   pair has the same verdict wherever it is shown. To be called the [fastest](Standing::Fastest) a case must beat
//!   every rival, which needs no correction for their number (Berger, "Multiparameter Hypothesis Testing and Acceptance
//!   Sampling", Technometrics 24 (1982)). If a case was disturbed and its counterpart was measured apart, neither is
//!   called faster or slower.

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

/// The unit in which cases are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judged {
    /// In core cycles if both cases have them, else in time.
    #[default]
    Auto,
    /// In time.
    Time,
    /// In core cycles; cases without them are inconclusive.
    Cycles,
}

impl Judged {
    /// The word used on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Judged::Auto => "auto",
            Judged::Time => "time",
            Judged::Cycles => "cycles",
        }
    }
}

/// The word that files carry for a unit.
fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "time",
        Unit::CoreCycles => "cycles",
    }
}

/// Criteria of a comparison, and their sources.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonCriteria {
    /// The unit.
    pub judged: Judged,
    /// Two cases within this percentage are equivalent.
    pub margin_pct: f64,
    /// Source of the margin, in words.
    pub margin_source: String,
    /// Spread between the times of whole runs of the same thing; `None` for the spread stored with the runs.
    pub runs_time: Option<RunSpread>,
    /// Spread between their core cycles; `None` for the spread stored with the runs.
    pub runs_cycles: Option<RunSpread>,
    /// Source of the spreads, in words.
    pub runs_source: String,
}

impl Default for ComparisonCriteria {
    /// Assumptions for a machine that was not measured.
    fn default() -> ComparisonCriteria {
        ComparisonCriteria {
            judged: Judged::Auto,
            margin_pct: DEFAULT_MARGIN_PCT,
            margin_source: "assumed; `pqlab doctor --aa` measures it on this machine".into(),
            runs_time: None,
            runs_cycles: None,
            runs_source: String::new(),
        }
    }
}

impl ComparisonCriteria {
    /// Criteria for comparing cases of one run with each other, wherever the result is shown. The spread between runs
    /// is the one stored with the run, and the margin is the default one, which does not depend on the machine, because
    /// differences between whole runs do not matter.
    pub fn within(run: &RunHeader) -> ComparisonCriteria {
        let plain =
            ComparisonCriteria { margin_source: "for cases of one run".into(), ..ComparisonCriteria::default() };
        plain.between(&run.protocol.run_spreads, &run.protocol.run_spreads)
    }

    /// Judges in another unit.
    pub fn judged_in(self, judged: Judged) -> ComparisonCriteria {
        ComparisonCriteria { judged, ..self }
    }

    /// Fills in the larger of the spreads stored with two runs, unless these criteria have spreads of their own.
    pub(crate) fn between(&self, first: &RunSpreads, second: &RunSpreads) -> ComparisonCriteria {
        let stored = |unit: Unit| {
            let [one, two] = [first, second].map(|spreads| (run_spread(spreads, unit), &spreads.source));
            if two.0.pct > one.0.pct { two } else { one }
        };
        let ((time, source), (cycles, _)) = (stored(Unit::Nanoseconds), stored(Unit::CoreCycles));
        let has_spreads = self.runs_time.is_some() || self.runs_cycles.is_some();
        ComparisonCriteria {
            runs_time: self.runs_time.or(Some(time)),
            runs_cycles: self.runs_cycles.or(Some(cycles)),
            runs_source: if has_spreads { &self.runs_source } else { source }.clone(),
            ..self.clone()
        }
    }

    /// Takes the larger spread between runs of two criteria, in each unit.
    pub(crate) fn wider(self, other: ComparisonCriteria) -> ComparisonCriteria {
        let larger = |one: Option<RunSpread>, two: Option<RunSpread>| match (one, two) {
            (Some(one), Some(two)) if two.pct > one.pct => Some(two),
            (one, two) => one.or(two),
        };
        let (runs_time, runs_cycles) =
            (larger(self.runs_time, other.runs_time), larger(self.runs_cycles, other.runs_cycles));
        ComparisonCriteria { runs_time, runs_cycles, ..self }
    }

    /// Spread between whole runs in a unit; none if nothing is known.
    pub fn runs(&self, unit: Unit) -> RunSpread {
        let spread = match unit {
            Unit::Nanoseconds => self.runs_time,
            Unit::CoreCycles => self.runs_cycles,
        };
        spread.unwrap_or(RunSpread::NONE)
    }
}

/// Comparison of two cases.
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
    /// The unit in which it was judged.
    pub unit: Unit,
    /// Core cycles of the first, if they are known.
    pub first_cycles: Option<f64>,
    /// Core cycles of the second, if they are known.
    pub second_cycles: Option<f64>,
    /// Ratio of the second's figure to the first's, in the unit judged.
    pub ratio: Option<Ratio>,
    /// Ratio of the second's time to the first's.
    pub time_ratio: Option<Ratio>,
    /// Statistics of the samples taken as independent, as the earlier systems do; no verdict depends on them.
    pub means: Option<SeriesComparison>,
    /// The verdict.
    pub judgement: Judgement,
    /// Whether either side was disturbed and both were measured apart: then the disturbance may have caused the
    /// difference, and the verdict is `equivalent` or `inconclusive`.
    pub doubtful: bool,
    /// Whether the second case failed and the first did not.
    pub broken: bool,
    /// Whether the two do different kinds of work, so that there is no verdict.
    pub unlike: bool,
    /// What a reader must know about it.
    pub notes: Vec<String>,
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Id of the first run.
    pub first_run: String,
    /// Id of the second run; the first again if cases of one run are compared.
    pub second_run: String,
    /// Host and processor of both if the machines differ.
    pub machines: Option<[String; 2]>,
    /// All other differences between the environments.
    pub differences: Vec<Difference>,
    /// The criteria used.
    pub criteria: ComparisonCriteria,
    /// The cases, in the order of the first run.
    pub cases: Vec<ComparedCase>,
    /// Whether verdicts are corrected for the number of cases.
    pub corrected: bool,
    /// Cases that only the first run has.
    pub only_first: Vec<String>,
    /// Cases that only the second run has.
    pub only_second: Vec<String>,
    /// Cases with the same name except for the encoding of the private key. They were not compared, because the runs
    /// used different encodings.
    pub other_encodings: Vec<String>,
}

impl Comparison {
    /// Number of cases with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.judgement.verdict == verdict).count()
    }

    /// Whether a verdict is inconclusive.
    pub fn inconclusive(&self) -> bool {
        self.count(Verdict::Inconclusive) > 0
    }

    /// Whether a case is slower or newly fails.
    pub fn worse(&self) -> bool {
        self.count(Verdict::Slower) > 0 || self.cases.iter().any(|case| case.broken)
    }
}
