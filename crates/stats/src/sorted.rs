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

    /// Returns the unscaled median absolute deviation: the median of the distances from the median (Hampel, "The
    /// Influence Curve and its Role in Robust Estimation", JASA 69 (1974)). For normal data, 1.4826 times this value
    /// estimates the standard deviation.
    pub fn median_absolute_deviation(&self) -> f64 {
        let centre = self.median();
        let distances = self.0.iter().map(|sample| (sample - centre).abs()).collect();
        // The distance between two finite samples overflows only near the limits of `f64`.
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

/// Distance from the nearest quartile beyond which a sample is far out, in interquartile ranges (Tukey, "Exploratory
/// Data Analysis" (1977), section 2D).
const FAR_OUT: f64 = 3.0;

/// Minimum replacement for an interquartile range of 0, as a fraction of the median.
const LEAST_WIDTH: f64 = 0.05;

/// Maximum fraction of distinct samples for which [`Sorted::step`] returns a step.
const FEW_VALUES: f64 = 0.5;
/// Maximum difference between two samples that count as equal, as a fraction of the larger one. Programs that subtract
/// times in floating point cause rounding errors of up to this fraction.
const ROUNDING: f64 = 1e-6;

impl Sorted {
    /// Returns the number of samples that are far out: more than three interquartile ranges below the first quartile or
    /// above the third. If the interquartile range is 0, the clock's step or 5% of the median replaces it, whichever is
    /// larger.
    pub fn outliers(&self) -> usize {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        let least = || self.step().unwrap_or(0.0).max(LEAST_WIDTH * self.median().abs());
        let fence = FAR_OUT * if high > low { high - low } else { least() };
        self.0.iter().filter(|sample| **sample < low - fence || **sample > high + fence).count()
    }

    /// Returns the number of distinct values.
    pub fn distinct(&self) -> usize {
        1 + self.0.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// Returns the step of the clock, or `None` if the samples do not show it. They show the step if at most half of
    /// the samples are distinct, and all distances between samples are multiples of the smallest distance. A clock
    /// never reads between 0 and its step, so the step is at most the smallest nonzero sample. Samples that differ only
    /// by rounding count as equal. If all samples are equal, they show no step.
    pub fn step(&self) -> Option<f64> {
        let mut gaps = Vec::new();
        let mut last = *self.0.first()?;
        for sample in &self.0 {
            if sample - last > ROUNDING * sample.abs() {
                gaps.push(sample - last);
                last = *sample;
            }
        }
        let step = gaps.iter().copied().min_by(f64::total_cmp)?;
        let few = (1 + gaps.len()) as f64 <= FEW_VALUES * self.0.len() as f64;
        let multiple = |gap: &f64| ((gap / step) - (gap / step).round()).abs() <= 1e-3 * (gap / step).max(1.0);
        let nonzero = self.0.iter().map(|sample| sample.abs()).filter(|sample| *sample > 0.0);
        let smallest = nonzero.min_by(f64::total_cmp)?;
        (few && step <= smallest * (1.0 + 1e-3) && gaps.iter().all(multiple)).then_some(step)
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
        // The positions (n - 1) p are 0.4, 1 and 3.8 for n = 5, and 1.5 and 0.75 for n = 4.
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
        // With 12 samples, the mean covers samples 4 to 9. With 5 samples, it covers sample 3 and three
        // quarters of samples 2 and 4: (0.75 * 2 + 3 + 0.75 * 10) / 2.5.
        let twelve = sorted(&[5.0, 8.0, 4.0, 38.0, 8.0, 6.0, 9.0, 7.0, 7.0, 3.0, 1.0, 6.0]);
        close(twelve.interquartile_mean(), 6.5);
        close(sorted(&[1.0, 2.0, 3.0, 10.0, 100.0]).interquartile_mean(), 4.8);
        close(sorted(&[3.0]).interquartile_mean(), 3.0);
    }

    #[test]
    fn median_absolute_deviation_is_unscaled() {
        // The median is 2, and the distances from it are 1, 1, 0, 0, 2, 4 and 7.
        close(sorted(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]).median_absolute_deviation(), 1.0);
        close(sorted(&[5.0, 5.0]).median_absolute_deviation(), 0.0);
    }

    #[test]
    fn finds_the_step_of_the_clock_and_outliers() {
        let step = |samples: &[f64]| sorted(samples).step();
        assert_eq!(step(&[0.125, 0.109_375, 0.125, 0.125]), Some(0.015_625));
        assert_eq!(step(&[1.0, 2.0, 5.0, 2.0, 1.0, 5.0]), Some(1.0));
        assert_eq!(step(&[1.0, 1.0, 1.0]), None);
        assert_eq!(step(&[1.0, 2.0, 3.5]), None);
        assert_eq!(step(&[1.0, 1.0, 2.0, 2.0, 3.5, 3.5]), None);
        assert_eq!(step(&[15.6, 31.2, 15.6, 31.2]), Some(15.6));
        assert_eq!(step(&[0.0, 15.6, 15.6, 0.0]), Some(15.6));
        // Differences between times since the machine started, rounded to 2^-36 s.
        let rounded = [1.0e-3, 1.0e-3 + 1e-11, 1.0e-3 - 1e-11, 1.1e-3, 1.1e-3 + 1e-11, 1.0e-3];
        assert!(step(&rounded).is_some_and(|step| (step - 1e-4).abs() < 1e-9), "{:?}", step(&rounded));
        assert_eq!(sorted(&[1.0, 1.0, 2.0]).distinct(), 2);
        let mut samples: Vec<f64> = (0..30).map(|index| 100.0 + f64::from(index % 7)).collect();
        assert_eq!(sorted(&samples).outliers(), 0);
        samples[4] = 1000.0;
        assert_eq!(sorted(&samples).outliers(), 1);
    }

    #[test]
    fn one_outlier_is_not_the_step_of_the_clock() {
        let with = |last: &[f64]| sorted(&[&[100.0; 28], last].concat());
        assert_eq!((with(&[100.0, 9000.0]).step(), with(&[100.0, 9000.0]).outliers()), (None, 1));
        assert_eq!((with(&[101.0, 9000.0]).step(), with(&[101.0, 9000.0]).outliers()), (Some(1.0), 1));
        assert_eq!((with(&[100.0, 110.0]).step(), with(&[100.0, 110.0]).outliers()), (Some(10.0), 0));
        assert_eq!(with(&[100.0, 100.0]).outliers(), 0);
        // The clock's step explains a width of 0.
        assert_eq!(sorted(&[0.0, 0.0, 0.0, 0.0, 0.0, 15.6]).outliers(), 0);
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
