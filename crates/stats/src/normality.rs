use crate::describe::central_moments;

/// Result of a Jarque-Bera test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JarqueBera {
    /// Test statistic. Zero if skewness and excess kurtosis are zero, as for a normal distribution.
    pub statistic: f64,
    /// Asymptotic p-value: the probability of a statistic at least as large if the samples are normal. With fewer than
    /// a few hundred samples, the test rejects less often than its level.
    pub p_value: f64,
    /// Skewness, computed from moments with `n` in the denominator.
    pub skewness: f64,
    /// Excess kurtosis, computed from moments with `n` in the denominator.
    pub excess_kurtosis: f64,
}

/// Tests for normality using skewness and kurtosis (Jarque and Bera, "A Test for Normality of Observations and
/// Regression Residuals", International Statistical Review 55 (1987)). The statistic is `n/6 (S^2 + K^2/4)`. For large
/// `n`, it is chi-squared with two degrees of freedom, so its upper tail is `exp(-x/2)`.
///
/// Returns `None` for fewer than three samples, if all samples are equal, or if a sample is not finite.
pub fn jarque_bera(samples: &[f64]) -> Option<JarqueBera> {
    if samples.len() < 3 {
        return None;
    }
    let [second, third, fourth] = central_moments(samples)?;
    if second <= 0.0 {
        return None;
    }
    let skewness = third / second.powf(1.5);
    let excess_kurtosis = fourth / (second * second) - 3.0;
    let statistic = samples.len() as f64 / 6.0 * (skewness * skewness + excess_kurtosis * excess_kurtosis / 4.0);
    Some(JarqueBera { statistic, p_value: (-statistic / 2.0).exp(), skewness, excess_kurtosis })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-12 * right.abs().max(1.0), "{left} should be {right}");
    }

    #[test]
    fn statistic_matches_hand_computed_moments() {
        // The mean is 1, and the distances from it are -1, -1, -1, 0, 0 and 3. The moments are 2, 4
        // and 14, so S = 4/2^1.5 and K = 14/4 - 3.
        let test = jarque_bera(&[0.0, 0.0, 0.0, 1.0, 1.0, 4.0]).unwrap();
        close(test.skewness, 2.0_f64.sqrt());
        close(test.excess_kurtosis, 0.5);
        close(test.statistic, 2.0625);
        close(test.p_value, (-1.031_25_f64).exp());
    }

    #[test]
    fn symmetric_samples_have_no_skewness() {
        // The distances from the mean are -1, 0 and 1, with moments 2/3, 0 and 2/3. Therefore
        // K = 1.5 - 3.
        let test = jarque_bera(&[7.0, 8.0, 9.0]).unwrap();
        close(test.skewness, 0.0);
        close(test.statistic, 3.0 / 6.0 * 2.25 / 4.0);
    }

    #[test]
    fn returns_none_for_few_equal_or_non_finite_samples() {
        assert_eq!(jarque_bera(&[1.0, 2.0]), None);
        assert_eq!(jarque_bera(&[2.0; 9]), None);
        assert_eq!(jarque_bera(&[0.1; 9]), None);
        assert_eq!(jarque_bera(&[1.0, 2.0, f64::NAN]), None);
    }
}
