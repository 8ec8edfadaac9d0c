//! From samples to estimates: pure functions, without input or output, without a clock and without randomness.
//!
//! Samples are plain `f64` in whatever unit the caller chose; results are in the same unit. Every estimator names the
//! source of its definition.

mod contrast;
mod describe;
mod interval;
mod normality;
mod sorted;

pub use contrast::{contrast_interval, mean_interval, paired_difference_interval};
pub use describe::{Description, coefficient_of_variation_pct, describe, mean, standard_deviation};
pub use interval::{CONFIDENCE, Interval, IntervalMethod, median_interval};
pub use normality::{JarqueBera, jarque_bera};
pub use sorted::{Sorted, median};
