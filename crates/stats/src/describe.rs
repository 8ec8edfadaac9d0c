use crate::Sorted;

/// Descriptive statistics of a set of samples, in the unit of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// Number of samples.
    pub n: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation. `None` for a single sample.
    pub stdev: Option<f64>,
    /// Coefficient of variation in percent. `None` for a single sample, or if the mean is zero.
    pub cov_pct: Option<f64>,
    /// Smallest sample.
    pub min: f64,
    /// 5th percentile.
    pub p5: f64,
    /// Lower quartile.
    pub p25: f64,
    /// Median.
    pub median: f64,
    /// Upper quartile.
    pub p75: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest sample.
    pub max: f64,
    /// Interquartile mean.
    pub iqm: f64,
    /// Median absolute deviation, unscaled.
    pub mad: f64,
}

/// Interquartile range of a normal distribution, in standard deviations. Dividing an interquartile range by this number
/// estimates the standard deviation.
const IQR_OF_NORMAL: f64 = 1.349;
/// Minimum ratio of the plain to the robust coefficient of variation at which outliers dominate the plain one.
const OUTLIERS_WORK: f64 = 3.0;

impl Description {
    /// Returns the robust coefficient of variation in percent: `RCV_Q` = 0.741 IQR / median (Arachchige, Prendergast
    /// and Staudte, "Robust analogs to the coefficient of variation", Journal of Applied Statistics 49 (2022)). For a
    /// normal distribution, it equals the coefficient of variation. It ignores outliers. Returns `None` if the median
    /// or the interquartile range is zero, or if there are fewer than four samples.
    pub fn robust_cov_pct(&self) -> Option<f64> {
        let robust = 100.0 * (self.p75 - self.p25) / IQR_OF_NORMAL / self.median;
        (robust.is_finite() && robust > 0.0 && self.n >= 4).then_some(robust)
    }

    /// Returns the robust coefficient of variation in percent if outliers dominate the plain one: the plain one must be
    /// at least three times as large. Otherwise returns `None`.
    pub fn cov_without_outliers_pct(&self) -> Option<f64> {
        self.robust_cov_pct().filter(|robust| self.cov_pct.is_some_and(|cov| cov >= OUTLIERS_WORK * robust))
    }

    /// Describes sorted samples.
    pub fn new(sorted: &Sorted) -> Description {
        let samples = sorted.as_slice();
        Description {
            n: samples.len(),
            // Rounding of the sum must not move the mean out of the samples' range.
            mean: mean(samples).unwrap_or(sorted.min()).clamp(sorted.min(), sorted.max()),
            stdev: standard_deviation(samples),
            cov_pct: coefficient_of_variation_pct(samples),
            min: sorted.min(),
            p5: sorted.quantile(0.05),
            p25: sorted.quantile(0.25),
            median: sorted.median(),
            p75: sorted.quantile(0.75),
            p95: sorted.quantile(0.95),
            p99: sorted.quantile(0.99),
            max: sorted.max(),
            iqm: sorted.interquartile_mean(),
            mad: sorted.median_absolute_deviation(),
        }
    }
}

/// Describes samples in any order. Returns `None` if there are no samples, or if a sample is not finite.
pub fn describe_samples(samples: &[f64]) -> Option<Description> {
    Sorted::new(samples.to_vec()).map(|sorted| Description::new(&sorted))
}

/// Returns the arithmetic mean, or `None` if there are no samples. A second pass adds the mean deviation from the first
/// result to correct rounding errors.
pub fn mean(samples: &[f64]) -> Option<f64> {
    let n = samples.len() as f64;
    let first = samples.iter().sum::<f64>() / n;
    let correction = samples.iter().map(|sample| sample - first).sum::<f64>() / n;
    (!samples.is_empty()).then_some(if correction.is_finite() { first + correction } else { first })
}

/// Returns the sample standard deviation, with `n - 1` in the denominator. Two passes correct the rounding of the mean
/// (Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance", The American Statistician 37 (1983),
/// equation 1.7). Returns `None` for fewer than two samples.
pub fn standard_deviation(samples: &[f64]) -> Option<f64> {
    if samples.len() < 2 {
        return None;
    }
    let centre = mean(samples)?;
    let (mut squares, mut rest) = (0.0, 0.0);
    for sample in samples {
        let distance = sample - centre;
        squares += distance * distance;
        rest += distance;
    }
    let n = samples.len() as f64;
    Some(((squares - rest * rest / n).max(0.0) / (n - 1.0)).sqrt())
}

/// Returns the coefficient of variation: the sample standard deviation as a percentage of the mean. Returns `None` for
/// fewer than two samples or a mean of zero.
pub fn coefficient_of_variation_pct(samples: &[f64]) -> Option<f64> {
    let centre = mean(samples).filter(|centre| *centre != 0.0)?;
    Some(100.0 * standard_deviation(samples)? / centre.abs())
}

/// Returns the second, third and fourth central moments, with `n` in the denominator. All three are exactly zero if the
/// samples are equal. Returns `None` if there are no samples, or if a sample is not finite.
pub(crate) fn central_moments(samples: &[f64]) -> Option<[f64; 3]> {
    let centre = mean(samples).filter(|centre| centre.is_finite())?;
    if samples.iter().all(|sample| *sample == samples[0]) {
        return Some([0.0; 3]);
    }
    let mut sums = [0.0; 3];
    for sample in samples {
        let distance = sample - centre;
        let square = distance * distance;
        sums[0] += square;
        sums[1] += square * distance;
        sums[2] += square * square;
    }
    Some(sums.map(|sum| sum / samples.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-12 * right.abs().max(1.0), "{left} should be {right}");
    }

    #[test]
    fn robust_cov_ignores_outliers() {
        let mut samples: Vec<f64> = (0..=100).map(|at| 95.0 + f64::from(at) / 10.0).collect();
        let clean = describe_samples(&samples).unwrap();
        close(clean.robust_cov_pct().unwrap(), 100.0 * 5.0 / 1.349 / 100.0);
        assert_eq!(clean.cov_without_outliers_pct(), None, "without outliers, both coefficients must agree");
        samples[100] = 10_000.0;
        let one = describe_samples(&samples).unwrap();
        assert!(one.cov_pct.unwrap() > 400.0);
        close(one.cov_without_outliers_pct().unwrap(), clean.robust_cov_pct().unwrap());
        assert_eq!(describe_samples(&[1.0; 9]).unwrap().robust_cov_pct(), None, "equal samples must have no spread");
        assert_eq!(describe_samples(&[1.0, 2.0]).unwrap().robust_cov_pct(), None, "two samples must have no quartiles");
    }

    #[test]
    fn description_matches_hand_computed_values() {
        // The sum is 40 and the mean 5. The squared distances from the mean add up to
        // 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, so the variance is 32 / 7.
        let description = describe_samples(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!(description.n, 8);
        close(description.mean, 5.0);
        close(description.stdev.unwrap(), (32.0_f64 / 7.0).sqrt());
        close(description.cov_pct.unwrap(), 20.0 * (32.0_f64 / 7.0).sqrt());
        close(description.median, 4.5);
        close(description.p25, 4.0);
        close(description.p75, 5.5);
        close(description.p95, 8.3);
        close(description.iqm, 4.5);
        close(description.mad, 0.5);
        assert_eq!((description.min, description.max), (2.0, 9.0));
    }

    #[test]
    fn single_samples_have_no_spread() {
        let description = describe_samples(&[3.0]).unwrap();
        assert_eq!((description.stdev, description.cov_pct), (None, None));
        assert_eq!((description.min, description.median, description.p99, description.max), (3.0, 3.0, 3.0, 3.0));
    }

    #[test]
    fn zero_mean_has_no_coefficient_of_variation() {
        assert_eq!(coefficient_of_variation_pct(&[-1.0, 1.0]), None);
        assert_eq!(coefficient_of_variation_pct(&[0.0, 0.0]), None);
        assert!(describe_samples(&[]).is_none());
    }

    #[test]
    fn deviation_is_accurate_at_large_offsets() {
        close(standard_deviation(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]).unwrap(), 30.0_f64.sqrt());
    }
}
