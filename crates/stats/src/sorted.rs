/// Nonempty list of finite samples in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sorted(Vec<f64>);

impl Sorted {
    /// Sorts samples. Returns `None` if there are no samples, or if a sample is not finite.
    pub fn new(mut samples: Vec<f64>) -> Option<Sorted> {
        if samples.is_empty() || samples.iter().any(|sample| !sample.is_finite()) {
            return None;
        }
        samples.sort_unstable_by(f64::total_cmp);
        Some(Sorted(samples))
    }

    /// Returns the samples in ascending order.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }

    /// Returns the smallest sample.
    pub fn min(&self) -> f64 {
        self.0[0]
    }

    /// Returns the largest sample.
    pub fn max(&self) -> f64 {
        self.0[self.0.len() - 1]
    }

    /// Returns the quantile of order `p`, from 0 to 1, by linear interpolation between the order statistics around
    /// position `(n - 1) p`, counted from 0. This is definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
    /// Packages", The American Statistician 50 (1996), the default in NumPy and R.
    pub fn quantile(&self, p: f64) -> f64 {
        let position = p.clamp(0.0, 1.0) * (self.0.len() - 1) as f64;
        let below = position.floor();
        let index = below as usize;
        let low = self.0[index];
        let high = self.0[(index + 1).min(self.0.len() - 1)];
        low + (position - below) * (high - low)
    }

    /// Returns the median: the quantile of order 0.5.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns the interquartile mean: the mean of the middle half of the samples. A sample on the border of the middle
    /// half is weighted by the fraction inside. This is the 25% trimmed mean of Tukey and McLaughlin, Sankhya A 25
    /// (1963). Fractional weights keep the mean from depending on `n modulo 4`.
    pub fn interquartile_mean(&self) -> f64 {
        let n = self.0.len() as f64;
        let (from, to) = (n / 4.0, 3.0 * n / 4.0);
        let mut sum = 0.0;
        for (index, sample) in self.0.iter().enumerate() {
            let share = (to.min(index as f64 + 1.0) - from.max(index as f64)).max(0.0);
            sum += share * sample;
        }
        (sum / (to - from)).clamp(self.min(), self.max())
    }

    /// Returns the unscaled median absolute deviation, the median of the distances from the median (Hampel, "The
    /// Influence Curve and its Role in Robust Estimation", JASA 69 (1974)). For normal data, 1.4826 times this value
    /// estimates the standard deviation.
    pub fn median_absolute_deviation(&self) -> f64 {
        let centre = self.median();
        let distances = self.0.iter().map(|sample| (sample - centre).abs()).collect();
        // Distances between finite samples overflow only near the limits of the range.
        median_of(distances).unwrap_or(f64::INFINITY)
    }

    /// Removes `pct_each_tail` percent of the samples at each end, rounded down to whole samples. Always keeps the
    /// middle one or two samples. The median does not change, because both ends lose the same number of samples.
    pub fn trim(&self, pct_each_tail: f64) -> Sorted {
        let n = self.0.len();
        let wanted = (pct_each_tail.max(0.0) / 100.0 * n as f64).floor() as usize;
        let each = wanted.min((n - 1) / 2);
        Sorted(self.0[each..n - each].to_vec())
    }
}

/// Returns the median of samples in any order, or `None` if there are no samples or a sample is not finite.
pub fn median(samples: &[f64]) -> Option<f64> {
    median_of(samples.to_vec())
}

/// Like [`median`], but takes ownership of the samples and selects in linear time.
pub(crate) fn median_of(mut samples: Vec<f64>) -> Option<f64> {
    if samples.is_empty() || samples.iter().any(|sample| !sample.is_finite()) {
        return None;
    }
    let middle = samples.len() / 2;
    let even = samples.len().is_multiple_of(2);
    let (below, high, _) = samples.select_nth_unstable_by(middle, f64::total_cmp);
    let low = if even { below.iter().copied().max_by(f64::total_cmp) } else { None };
    Some(low.map_or(*high, |low| low + 0.5 * (*high - low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(samples: &[f64]) -> Sorted {
        Sorted::new(samples.to_vec()).unwrap()
    }

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-12 * right.abs().max(1.0), "{left} should be {right}");
    }

    #[test]
    fn rejects_empty_and_non_finite_samples() {
        assert_eq!(Sorted::new(vec![]), None);
        assert_eq!(Sorted::new(vec![1.0, f64::NAN]), None);
        assert_eq!(Sorted::new(vec![1.0, f64::INFINITY]), None);
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn quantiles_match_definition_7() {
        // Positions (n - 1) p: 0.4, 1 and 3.8 for n = 5; 1.5 and 0.75 for n = 4.
        let five = sorted(&[50.0, 10.0, 40.0, 20.0, 30.0]);
        close(five.quantile(0.1), 14.0);
        close(five.quantile(0.25), 20.0);
        close(five.quantile(0.95), 48.0);
        let four = sorted(&[1.0, 2.0, 4.0, 8.0]);
        close(four.median(), 3.0);
        close(four.quantile(0.25), 1.75);
        close(four.quantile(0.0), 1.0);
        close(four.quantile(1.0), 8.0);
        close(sorted(&[7.0]).quantile(0.95), 7.0);
    }

    #[test]
    fn selection_and_sorting_agree_on_the_median() {
        for n in 1..40_usize {
            let samples: Vec<f64> = (0..n).map(|index| ((index * 17 + 5) % 23) as f64 / 7.0).collect();
            assert_eq!(median(&samples), Some(sorted(&samples).median()));
        }
    }

    #[test]
    fn interquartile_mean_weighs_the_borders() {
        // With 12 samples, the mean covers samples 4 to 9. With 5 samples, it covers positions 1.25 to 3.75: (0.75 * 2
        // + 3 + 0.75 * 10) / 2.5.
        let twelve = sorted(&[5.0, 8.0, 4.0, 38.0, 8.0, 6.0, 9.0, 7.0, 7.0, 3.0, 1.0, 6.0]);
        close(twelve.interquartile_mean(), 6.5);
        close(sorted(&[1.0, 2.0, 3.0, 10.0, 100.0]).interquartile_mean(), 4.8);
        close(sorted(&[3.0]).interquartile_mean(), 3.0);
    }

    #[test]
    fn median_absolute_deviation_is_unscaled() {
        // The median is 2, and the distances are 1 1 0 0 2 4 7.
        close(sorted(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]).median_absolute_deviation(), 1.0);
        close(sorted(&[5.0, 5.0]).median_absolute_deviation(), 0.0);
    }

    #[test]
    fn trimming_is_symmetric_and_keeps_the_median() {
        let hundred = sorted(&(1..=100).map(f64::from).collect::<Vec<_>>());
        let trimmed = hundred.trim(1.0);
        assert_eq!((trimmed.min(), trimmed.max(), trimmed.as_slice().len()), (2.0, 99.0, 98));
        close(trimmed.median(), hundred.median());
        assert_eq!(hundred.trim(0.0), hundred);
        assert_eq!(hundred.trim(50.0).as_slice(), [50.0, 51.0]);
        assert_eq!(hundred.trim(-3.0), hundred);
        assert_eq!(sorted(&[1.0, 2.0, 30.0]).trim(50.0).as_slice(), [2.0]);
        // 1% of 99 samples is less than one sample, so no sample is removed.
        assert_eq!(sorted(&(1..=99).map(f64::from).collect::<Vec<_>>()).trim(1.0).as_slice().len(), 99);
    }
}
