//! Reasons why a comb cannot be read.

use super::{AT_ONCE, FEWEST_SAMPLES, LEAST_READABLE, MISFIT, MOST_BELOW};
use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Reason why samples do not show their number of attempts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoComb {
    /// A sample is not finite and positive, or the expected number of attempts does not exceed 1.
    Invalid,
    /// There are fewer than 150 samples.
    FewSamples {
        /// Number of samples.
        samples: usize,
    },
    /// No comb fits the samples, for example because they all take the same time.
    NoFit,
    /// Fewer than 72% of the samples are readable.
    Blurred {
        /// Fraction of readable samples.
        readable: f64,
    },
    /// The mean number of attempts differs from the expected number by more than 20% plus four standard errors.
    WrongMean {
        /// Mean number of attempts, as read.
        mean: f64,
        /// Expected number of attempts.
        expected: f64,
    },
    /// The fraction of samples with one attempt differs from the expected fraction by a factor above 1.6.
    WrongFirst {
        /// Fraction of samples with one attempt, as read.
        first: f64,
        /// Expected fraction.
        expected: f64,
    },
    /// More than 5% of the samples are below the first tooth.
    Below {
        /// Fraction of samples below the first tooth.
        below: f64,
    },
}

impl Error for NoComb {}

impl Display for NoComb {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let percent = |fraction: f64| 100.0 * fraction;
        match *self {
            NoComb::Invalid => out.write_str("a sample is not positive, or one attempt is expected"),
            NoComb::FewSamples { samples } => {
                write!(out, "there are {samples} samples; at least {FEWEST_SAMPLES} are required")
            }
            NoComb::NoFit => out.write_str("no comb fits the samples"),
            NoComb::Blurred { readable } => write!(
                out,
                "{:.1}% of the samples are close to a number of attempts; at least {:.0}% are required",
                percent(readable),
                percent(LEAST_READABLE)
            ),
            NoComb::WrongMean { mean, expected } => write!(
                out,
                "the samples seem to have {mean:.2} attempts on average; {expected:.2} are expected, within \
                 {:.0}% and chance",
                percent(MISFIT)
            ),
            NoComb::WrongFirst { first, expected } => write!(
                out,
                "{:.1}% of the samples seem to have one attempt; {:.1}% are expected, within a factor of {AT_ONCE}",
                percent(first),
                percent(expected)
            ),
            NoComb::Below { below } => write!(
                out,
                "{:.1}% of the samples are faster than one attempt; at most {:.0}% may be",
                percent(below),
                percent(MOST_BELOW)
            ),
        }
    }
}
