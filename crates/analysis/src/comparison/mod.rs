//! Compares the times of two runs, two cases, or two sums of cases. All comparisons use [`ratio`]: comparisons of runs,
//! rankings, findings, factors, speed-ups and the costs of hybrids.
//!
//! - **Unit.** A comparison uses core cycles if they are known for both sides ([`Judged`]), because software does not
//!   control the core's clock. Otherwise it uses times. It always shows the ratio of the times as well.
//! - **Statistic.** A comparison uses medians. It uses means if an operation on either side retries at random, such as
//!   signing with ML-DSA ([`pqlab_record::Case::repeats_by_chance`]), or if a side is a sum of several cases.
//! - **Paired.** Cases of the same block and the same start of a run are measured by the same processes in the same
//!   rounds. The ratio's interval is computed from the ratios of their visits, by process and round, so differences
//!   between runs cancel out. If the cases have few rounds in common, or if these rounds contradict the medians shown
//!   with the ratio, the interval is computed from all rounds of each case instead.
//! - **Separate.** All other cases are measured by different processes at different times. The interval comes from the
//!   means of both cases over processes and rounds, plus the spread between runs.
//! - **Verdicts.** Two runs are judged case by case, corrected for the number of cases ([`pqlab_stats::judge`]). Cases
//!   of one run are judged pair by pair, without correction and by the same [margin](ComparisonCriteria::within), so
//!   that a pair has the same verdict wherever it is shown. The [fastest](Standing::Fastest) case must beat every
//!   rival. This needs no correction for the number of rivals (Berger, "Multiparameter Hypothesis Testing and
//!   Acceptance Sampling", Technometrics 24 (1982)). If a case was disturbed and its counterpart was measured
//!   separately, the verdict is neither faster nor slower.

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

/// Unit in which cases are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judged {
    /// Core cycles if they are known for both cases, otherwise time.
    #[default]
    Auto,
    /// Time.
    Time,
    /// Core cycles. Cases without core cycles are inconclusive.
    Cycles,
}

impl Judged {
    /// Returns the keyword used on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Judged::Auto => "auto",
            Judged::Time => "time",
            Judged::Cycles => "cycles",
        }
    }
}

/// Returns the keyword used for a unit in files.
fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "time",
        Unit::CoreCycles => "cycles",
    }
}

/// Criteria of a comparison, and their sources.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparisonCriteria {
    /// Unit in which cases are compared.
    pub judged: Judged,
    /// Margin in percent. Two cases that differ by less are equivalent.
    pub margin_pct: f64,
    /// Source of the margin, in words.
    pub margin_source: String,
    /// Spread between the times of repeated runs of the same case; `None` to use the spread stored with the runs.
    pub runs_time: Option<RunSpread>,
    /// Spread between the core cycles of repeated runs of the same case; `None` to use the spread stored with the runs.
    pub runs_cycles: Option<RunSpread>,
    /// Source of the spreads, in words.
    pub runs_source: String,
}

impl Default for ComparisonCriteria {
    /// Returns the assumed criteria for a machine whose spread was not measured.
    fn default() -> ComparisonCriteria {
        ComparisonCriteria {
            judged: Judged::Auto,
            margin_pct: DEFAULT_MARGIN_PCT,
            margin_source: "assumed; `pqlab calibrate` measures it on this machine".into(),
            runs_time: None,
            runs_cycles: None,
            runs_source: String::new(),
        }
    }
}

impl ComparisonCriteria {
    /// Returns the criteria for comparing cases of one run with each other. Uses the spread between runs that is stored
    /// with the run, and the default margin. The margin does not depend on the machine, because differences between
    /// runs do not matter for cases of one run.
    pub fn within(run: &RunHeader) -> ComparisonCriteria {
        let plain = ComparisonCriteria {
            margin_source: "default for cases of one run".into(),
            ..ComparisonCriteria::default()
        };
        plain.between(&run.protocol.run_spreads, &run.protocol.run_spreads)
    }

    /// Sets the unit in which cases are compared.
    pub fn judged_in(self, judged: Judged) -> ComparisonCriteria {
        ComparisonCriteria { judged, ..self }
    }

    /// Adds the larger of the spreads stored with two runs, unless these criteria already contain spreads.
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

    /// Returns these criteria with the larger spread between runs for each unit: the spread of these criteria or of
    /// `other`.
    pub(crate) fn wider(self, other: ComparisonCriteria) -> ComparisonCriteria {
        let larger = |one: Option<RunSpread>, two: Option<RunSpread>| match (one, two) {
            (Some(one), Some(two)) if two.pct > one.pct => Some(two),
            (one, two) => one.or(two),
        };
        let (runs_time, runs_cycles) =
            (larger(self.runs_time, other.runs_time), larger(self.runs_cycles, other.runs_cycles));
        ComparisonCriteria { runs_time, runs_cycles, ..self }
    }

    /// Returns the spread between runs in a unit, or [`RunSpread::NONE`] if it is unknown.
    pub fn runs(&self, unit: Unit) -> RunSpread {
        let spread = match unit {
            Unit::Nanoseconds => self.runs_time,
            Unit::CoreCycles => self.runs_cycles,
        };
        spread.unwrap_or(RunSpread::NONE)
    }
}

/// Note for comparisons that use means.
pub const COMPARES_MEANS: &str = "the comparison uses means, because the operation retries at random";

/// Comparison of two cases.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedCase {
    /// Id of the first case.
    pub first: String,
    /// Id of the second case.
    pub second: String,
    /// Statistic by which both cases are compared.
    pub statistic: Statistic,
    /// Time of the first case in ns; `None` if it has no figure.
    pub first_ns: Option<f64>,
    /// Time of the second case in ns; `None` if it has no figure.
    pub second_ns: Option<f64>,
    /// Whether the same processes measured both cases in the same rounds.
    pub paired: bool,
    /// Unit in which the cases were compared.
    pub unit: Unit,
    /// Core cycles of the first case, if known.
    pub first_cycles: Option<f64>,
    /// Core cycles of the second case, if known.
    pub second_cycles: Option<f64>,
    /// Ratio of the second case's figure to the first's, in `unit`; `None` if a figure is unknown or zero.
    pub ratio: Option<Ratio>,
    /// Ratio of the second case's time to the first's; `None` if a time is unknown or zero.
    pub time_ratio: Option<Ratio>,
    /// Statistics that treat the samples as independent, like the five earlier systems that pqlab reproduces. No
    /// verdict depends on them.
    pub means: Option<SeriesComparison>,
    /// Verdict and adjusted p-value.
    pub judgement: Judgement,
    /// Whether a disturbance may have caused the difference, because a case was disturbed and the cases were measured
    /// separately. The verdict is then `equivalent` or `inconclusive`.
    pub doubtful: bool,
    /// Whether the second case failed and the first did not.
    pub broken: bool,
    /// Whether the cases do different kinds of work and therefore get no verdict.
    pub unlike: bool,
    /// Notes that qualify the comparison.
    pub notes: Vec<String>,
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Id of the first run.
    pub first_run: String,
    /// Id of the second run. If cases of one run are compared, this is the id of the first run.
    pub second_run: String,
    /// Host and processor of both machines, if the machines differ.
    pub machines: Option<[String; 2]>,
    /// Differences between the machines, builds, libraries and measurement rules of the two runs.
    pub differences: Vec<Difference>,
    /// Criteria of the comparison.
    pub criteria: ComparisonCriteria,
    /// The cases, in the order of the first run.
    pub cases: Vec<ComparedCase>,
    /// Whether verdicts are corrected for the number of cases.
    pub corrected: bool,
    /// Cases that only the first run contains.
    pub only_first: Vec<String>,
    /// Cases that only the second run contains.
    pub only_second: Vec<String>,
    /// Cases that were not compared, because the two runs encode their private keys differently.
    pub other_encodings: Vec<String>,
}

impl Comparison {
    /// Returns the number of cases with `verdict`.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.judgement.verdict == verdict).count()
    }

    /// Returns whether any verdict is inconclusive.
    pub fn inconclusive(&self) -> bool {
        self.count(Verdict::Inconclusive) > 0
    }

    /// Returns whether any case is slower or newly fails.
    pub fn worse(&self) -> bool {
        self.count(Verdict::Slower) > 0 || self.cases.iter().any(|case| case.broken)
    }
}
