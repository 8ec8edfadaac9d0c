use crate::Sorted;

/// Beyond this modified z-score Iglewicz and Hoaglin call a sample an outlier.
pub const OUTLIER_SCORE: f64 = 3.5;

/// The quantile of order 0.75 of the standard normal distribution: the median absolute deviation of normal samples in
/// standard deviations.
const NORMAL_DEVIATION: f64 = 0.674_489_750_196_081_7;

/// The positions of the samples whose modified z-score, `0.6745 (x - median) / MAD`, is beyond `score` to either side:
/// Iglewicz and Hoaglin, "How to Detect and Handle Outliers" (1993), with [`OUTLIER_SCORE`] as their limit. Where more
/// than half of the samples are equal there is no deviation to measure by, and no outlier is named. `None` where there is
/// no sample, or one that is not a finite number.
pub fn mad_outliers(samples: &[f64], score: f64) -> Option<Vec<usize>> {
    let sorted = Sorted::new(samples.to_vec())?;
    let (centre, deviation) = (sorted.median(), sorted.median_absolute_deviation());
    if deviation == 0.0 {
        return Some(Vec::new());
    }
    let beyond = |index: &usize| NORMAL_DEVIATION * (samples[*index] - centre).abs() / deviation > score;
    Some((0..samples.len()).filter(beyond).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_samples_are_named_by_position() {
        // Median 10, deviation 1: the limit is 5.19 away.
        let samples = [9.0, 15.3, 10.0, 11.0, 9.0, 10.0, 11.0, 4.9, 15.1];
        assert_eq!(mad_outliers(&samples, OUTLIER_SCORE).unwrap(), [1]);
        assert_eq!(mad_outliers(&samples, 3.0).unwrap(), [1, 7, 8]);
        assert_eq!(mad_outliers(&[1.0, 1.0, 1.0, 9.0], OUTLIER_SCORE).unwrap(), []);
        assert_eq!(mad_outliers(&[], OUTLIER_SCORE), None);
    }
}
