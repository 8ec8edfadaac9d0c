use crate::student::{student_quantile, student_two_sided};
use crate::{Interval, IntervalMethod, Share, mean, standard_deviation};

/// Result of Welch's test on two sets of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WelchTest {
    /// Test statistic. Positive if the first mean is larger.
    pub t: f64,
    /// Degrees of freedom (Welch-Satterthwaite).
    pub degrees_of_freedom: f64,
    /// Two-sided p-value: probability of a statistic at least as far from zero if the means are equal.
    pub p_value: f64,
    /// Whether the p-value is below the significance level.
    pub significant: bool,
    /// Second mean minus the first, as a percentage of the first. Infinite or NaN if the first mean is zero.
    pub overhead_pct: f64,
}

/// Tests whether two sets of independent samples have the same mean, without assuming equal variances (Welch, "The
/// Generalization of 'Student's' Problem when Several Different Population Variances are Involved", Biometrika 34
/// (1947)). `significance` is the level, such as 0.05.
///
/// Returns `None` if a set has fewer than two samples, if a sample is not finite, or if neither set has any spread.
pub fn welch_t_test(first: &[f64], second: &[f64], significance: f64) -> Option<WelchTest> {
    let (first_mean, second_mean) = (mean(first)?, mean(second)?);
    let (first_deviation, second_deviation) = (standard_deviation(first)?, standard_deviation(second)?);
    let share = |deviation: f64, n: usize| Share {
        variance: deviation * deviation / n as f64,
        degrees_of_freedom: (n - 1) as f64,
    };
    let shares = [share(first_deviation, first.len()), share(second_deviation, second.len())];
    let t = (first_mean - second_mean) / (shares[0].variance + shares[1].variance).sqrt();
    let degrees_of_freedom = welch_satterthwaite(&shares);
    if !t.is_finite() || !degrees_of_freedom.is_finite() {
        return None;
    }
    let p_value = student_two_sided(t, degrees_of_freedom)?;
    let overhead_pct = 100.0 * (second_mean - first_mean) / first_mean;
    Some(WelchTest { t, degrees_of_freedom, p_value, significant: p_value < significance, overhead_pct })
}

/// Returns the degrees of freedom for a sum of independent variance estimates (Satterthwaite, "An Approximate
/// Distribution of Estimates of Variance Components", Biometrics Bulletin 2 (1946)).
pub(crate) fn welch_satterthwaite(shares: &[Share]) -> f64 {
    let sum: f64 = shares.iter().map(|share| share.variance).sum();
    // Divide by the sum first, because the squares of tiny variances would underflow.
    let square = |share: &Share| (share.variance / sum).powi(2) / share.degrees_of_freedom;
    1.0 / shares.iter().filter(|share| share.variance != 0.0).map(square).sum::<f64>()
}

/// Returns the ratio of the first mean to the second, for two sets of independent positive samples, with Student's
/// interval on the logarithmic scale. By the delta method, the variance of each logarithm is the variance of the mean
/// divided by the squared mean. Degrees of freedom are Satterthwaite's.
///
/// Returns `None` if a set has fewer than two samples, if a sample is not finite, or if a mean is not positive. Also
/// returns `None` if there is no spread, or if `confidence` is not between 0 and 1.
pub fn ratio_of_means(first: &[f64], second: &[f64], confidence: f64) -> Option<Interval> {
    let share = |samples: &[f64]| {
        let mean = mean(samples).filter(|mean| *mean > 0.0)?;
        let variance = (standard_deviation(samples)? / mean).powi(2) / samples.len() as f64;
        Some((mean, Share { variance, degrees_of_freedom: (samples.len() - 1) as f64 }))
    };
    let ((first, above), (second, below)) = (share(first)?, share(second)?);
    let freedom = welch_satterthwaite(&[above, below]);
    let half = student_quantile((1.0 + confidence) / 2.0, freedom)? * (above.variance + below.variance).sqrt();
    let estimate = first / second;
    let (low, high) = (estimate * (-half).exp(), estimate * half.exp());
    let sound = estimate.is_finite() && half.is_finite();
    sound.then_some(Interval { estimate, low, high, confidence, method: IntervalMethod::StudentT })
}

/// Returns the difference of the means, second minus first, in pooled standard deviations (Cohen, "Statistical Power
/// Analysis for the Behavioral Sciences", 2nd edition (1988), section 2.5.2). By Cohen's convention, 0.2 is small, 0.5
/// medium and 0.8 large. Returns `None` if a set has fewer than two samples, or if there is no spread.
pub fn cohens_d(first: &[f64], second: &[f64]) -> Option<f64> {
    let weigh = |samples: &[f64]| Some(standard_deviation(samples)?.powi(2) * (samples.len() - 1) as f64);
    let freedom = (first.len() + second.len()).checked_sub(2)? as f64;
    let pooled = ((weigh(first)? + weigh(second)?) / freedom).sqrt();
    let effect = (mean(second)? - mean(first)?) / pooled;
    effect.is_finite().then_some(effect)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-9 * right.abs().max(1.0), "{left} should be {right}");
    }

    #[test]
    fn welch_matches_hand_computed_values() {
        // The means are 2 and 5 and the variances 1 and 4, with 3 samples each. Therefore t is
        // -3 / sqrt(5/3), with (5/3)^2 / (1/18 + 16/18) degrees of freedom.
        let test = welch_t_test(&[1.0, 2.0, 3.0], &[3.0, 5.0, 7.0], 0.05).unwrap();
        close(test.t, -3.0 / (5.0_f64 / 3.0).sqrt());
        close(test.degrees_of_freedom, 50.0 / 17.0);
        close(test.overhead_pct, 150.0);
        assert!(!test.significant && test.p_value > 0.1 && test.p_value < 0.12, "{test:?}");
        let surely = welch_t_test(&[1.0, 1.001, 1.002], &[3.0, 3.001, 3.002], 0.05).unwrap();
        assert!(surely.significant && surely.p_value < 1e-6);
    }

    #[test]
    fn returns_none_without_spread() {
        assert_eq!(welch_t_test(&[1.0, 1.0], &[2.0, 2.0], 0.05), None);
        assert_eq!(welch_t_test(&[1.0], &[2.0, 3.0], 0.05), None);
        assert_eq!(welch_t_test(&[1.0, f64::NAN], &[2.0, 3.0], 0.05), None);
        assert_eq!((cohens_d(&[1.0, 1.0], &[2.0, 2.0]), cohens_d(&[], &[1.0])), (None, None));
    }

    #[test]
    fn cohens_d_matches_a_hand_computed_value() {
        // The variances are 1 and 4, so the pooled variance is 2.5.
        close(cohens_d(&[1.0, 2.0, 3.0], &[3.0, 5.0, 7.0]).unwrap(), 3.0 / 2.5_f64.sqrt());
    }

    #[test]
    fn ratio_of_means_has_nominal_coverage() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut uniform = || rng.next_u32() as f64 / 4_294_967_296.0;
        let (mut covered, trials) = (0, 2000);
        for _ in 0..trials {
            let first: Vec<f64> = (0..20).map(|_| 3.0 + uniform()).collect();
            let second: Vec<f64> = (0..12).map(|_| 1.5 + uniform()).collect();
            let found = ratio_of_means(&first, &second, 0.95).unwrap();
            covered += u32::from(found.low <= 3.5 / 2.0 && 3.5 / 2.0 <= found.high);
        }
        let share = f64::from(covered) / f64::from(trials);
        assert!((0.935..=0.965).contains(&share), "{share}");
    }

    #[test]
    fn ratio_requires_positive_means_and_spread() {
        assert!(ratio_of_means(&[1.0], &[1.0, 2.0], 0.95).is_none());
        assert!(ratio_of_means(&[-1.0, -2.0], &[1.0, 2.0], 0.95).is_none());
        assert!(ratio_of_means(&[1.0, 1.0], &[2.0, 2.0], 0.95).is_none());
        let found = ratio_of_means(&[2.0, 2.2], &[1.0, 1.1], 0.95).unwrap();
        close(found.estimate, 2.0);
        close(found.low * found.high, 4.0);
    }
}
