use crate::student::{student_quantile, student_two_sided};
use crate::two_sample::welch_satterthwaite;
use crate::{KNOWN, RunSpread};

/// Part of an estimate's variance, and its degrees of freedom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Variance on the logarithmic scale.
    pub variance: f64,
    /// Degrees of freedom of the estimated variance.
    pub degrees_of_freedom: f64,
}

impl Share {
    pub(crate) fn new(variance: f64, degrees_of_freedom: f64) -> Share {
        Share { variance, degrees_of_freedom }
    }

    /// Returns the variance between runs.
    pub(crate) fn of_runs(runs: RunSpread) -> Share {
        Share::new((runs.pct / 100.0).powi(2), runs.degrees_of_freedom.max(1) as f64)
    }

    /// Returns a variance that is known, not estimated.
    pub(crate) fn known(variance: f64) -> Share {
        Share::new(variance, KNOWN as f64)
    }

    /// Returns the moderated variance: the mean of this estimate and the `assumed` variance, weighted by their degrees
    /// of freedom. `freedom` is the number of degrees of freedom of `assumed` (Smyth, "Linear Models and Empirical
    /// Bayes Methods for Assessing Differential Expression in Microarray Experiments", Statistical Applications in
    /// Genetics and Molecular Biology 3 (2004)).
    pub(crate) fn moderated(self, freedom: f64, assumed: f64) -> Share {
        let all = freedom + self.degrees_of_freedom;
        let sum = freedom * assumed + self.degrees_of_freedom * self.variance;
        Share::new(sum / all, all)
    }

    pub(crate) fn scaled(self, factor: f64) -> Share {
        Share::new(factor * self.variance, self.degrees_of_freedom)
    }

    /// Returns this variance's term in the denominator of Satterthwaite's degrees of freedom.
    pub(crate) fn uncertainty(self) -> f64 {
        if self.variance == 0.0 { 0.0 } else { self.variance.powi(2) / self.degrees_of_freedom }
    }
}

/// Minimum degrees of freedom used for a single share. Lower values result only from the difference of two nearly equal
/// mean squares, and would make Student's factor meaningless.
const LEAST_FREEDOM: f64 = 2.0;

/// Returns the half-width of the interval for an estimate whose variance is a sum of shares. Uses Student's factor with
/// Welch-Satterthwaite degrees of freedom. The result is never less than the half-width for any single share. Returns
/// `None` if a share is not finite.
pub(crate) fn half_width(shares: &[Share], confidence: f64) -> Option<f64> {
    let half = |variance: f64, freedom: f64| {
        let half = student_quantile(0.5 + confidence / 2.0, freedom)? * variance.sqrt();
        half.is_finite().then_some(half)
    };
    widest(shares, half).map(|half| half.unwrap_or(0.0))
}

/// Returns the two-sided p-value for the hypothesis that the estimated value is zero. It is below 0.05 exactly if the
/// 95% interval excludes zero.
pub(crate) fn p_value(estimate: f64, shares: &[Share]) -> Option<f64> {
    let p_value = |variance: f64, freedom: f64| student_two_sided(estimate / variance.sqrt(), freedom);
    let without_spread = if estimate == 0.0 { 1.0 } else { 0.0 };
    widest(shares, p_value).map(|p_value| p_value.unwrap_or(without_spread))
}

/// Applies `function` to the sum of the shares and to each single share, and returns the largest result. `function`
/// takes a variance and its degrees of freedom. Returns `Some(None)` if all shares are zero, and `None` if `function`
/// returns `None`.
fn widest(shares: &[Share], function: impl Fn(f64, f64) -> Option<f64>) -> Option<Option<f64>> {
    let variance: f64 = shares.iter().map(|share| share.variance).sum();
    if variance == 0.0 {
        return Some(None);
    }
    let mut widest = function(variance, welch_satterthwaite(shares))?;
    for share in shares.iter().filter(|share| share.variance > 0.0) {
        widest = widest.max(function(share.variance, share.degrees_of_freedom.max(LEAST_FREEDOM))?);
    }
    Some(Some(widest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONFIDENCE;

    #[test]
    fn sums_are_never_narrower_than_their_shares() {
        // Satterthwaite's degrees of freedom are (1 + 1)^2 / (1/2 + 1/20), so the half-width is 2.35 * sqrt(2) = 3.32.
        // The first share alone gives 4.303.
        let shares = [Share::new(1.0, 2.0), Share::new(1.0, 20.0)];
        let half = half_width(&shares, CONFIDENCE).unwrap();
        assert!((half - 4.302_652_73).abs() < 1e-6, "{half}");
        // The second share is much larger, so the sum gives the wider interval.
        let shares = [Share::new(1.0, 2.0), Share::new(100.0, 20.0)];
        let wanted = student_quantile(0.975, welch_satterthwaite(&shares)).unwrap() * 101.0_f64.sqrt();
        assert_eq!(half_width(&shares, CONFIDENCE), Some(wanted));
        assert_eq!(half_width(&[], CONFIDENCE), Some(0.0));
        assert_eq!(half_width(&[Share::new(f64::INFINITY, 2.0)], CONFIDENCE), None);
    }

    #[test]
    fn p_values_agree_with_intervals() {
        for shares in [[Share::new(1.0, 2.0), Share::new(1.0, 20.0)], [Share::new(1.0, 2.0), Share::new(9.0, 7.0)]] {
            let half = half_width(&shares, CONFIDENCE).unwrap();
            assert!((p_value(half, &shares).unwrap() - 0.05).abs() < 1e-9);
        }
        assert_eq!((p_value(0.0, &[]), p_value(1.0, &[])), (Some(1.0), Some(0.0)));
    }
}
