//! Statistics: pure functions without I/O and without a clock. Functions that use random numbers take a seed, and
//! return the same result for the same seed, bit for bit.
//!
//! Samples are `f64` in any unit; results are in the same unit. The documentation of every estimator cites its
//! definition.

mod bootstrap;
mod comb;
mod compare;
mod crossed;
mod describe;
mod drift;
mod grouped;
mod interval;
mod leak;
mod modes;
mod multiplicity;
mod normality;
mod plan;
mod share;
mod sorted;
mod stability;
mod student;
mod throughput;
mod two_sample;
mod two_way;

pub use bootstrap::{BootstrapInterval, block_bootstrap, bootstrap_ci, ratio_of_medians};
pub use comb::{Comb, NoComb};
pub(crate) use compare::KNOWN;
pub use compare::{
    Contrast, DEFAULT_MARGIN_PCT, DEFAULT_RUN_SPREAD, FEWEST_COMPARISONS, Judgement, LEAST_MARGIN_PCT,
    LEAST_RUN_SPREAD_PCT, NullComparisons, Ratio, RunSpread, VERDICT_SIGNIFICANCE, Verdict, judge, null_comparisons,
    ratio_between, ratio_of,
};
pub use crossed::{
    Cell, Crossed, PRIOR_FREEDOM, PROCESS_PRIOR_PCT, RESIDUAL_PRIOR_PCT, ROUND_PRIOR_PCT, crossed, crossed_visits,
};
pub use describe::{Description, coefficient_of_variation_pct, describe_samples, mean, standard_deviation};
pub use drift::{DRIFT_PCT, DRIFT_SIGNIFICANCE, Drift, drift};
pub use grouped::{Grouped, grouped};
pub use interval::{CONFIDENCE, Interval, IntervalMethod, mean_interval, median_interval};
pub use leak::{
    CROPPINGS, LEAK_CONFIDENCE, LEAK_FLOOR_NS, LEAK_SIGNIFICANCE, LEAST_SAMPLES, LeakJudgement, LeakSamples,
    LeakVerdict, Shift, TENTHS, TimeDifference, judge_leak, time_difference,
};
pub use modes::{Mode, modes};
pub use multiplicity::benjamini_hochberg;
pub use normality::{JarqueBera, jarque_bera};
pub use plan::{VarianceComponents, processes_for_precision, rounds_for_precision, variance_components};
pub use share::Share;
pub use sorted::{Sorted, median};
pub use stability::{Stability, cov_stability_report};
pub use throughput::{Load, ThroughputCurve, ThroughputPoint, throughput_curve};
pub use two_sample::{WelchTest, cohens_d, ratio_of_means, welch_t_test};
