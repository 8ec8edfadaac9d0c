use crate::sorted::median_of;
use crate::student::student_quantile;
use crate::{Sorted, describe_samples, mean, standard_deviation};
use statrs::distribution::{Binomial, DiscreteCDF};

/// Confidence level of every reported interval, as a fraction.
pub const CONFIDENCE: f64 = 0.95;

/// Minimum number of processes for a useful estimate of the variation between processes. With two, Student's factor is
/// 12.7.
const FEWEST_PROCESSES: usize = 3;

/// Method used to compute an interval. It determines which variation the interval covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalMethod {
    /// Student's interval from the medians of the processes, on the logarithmic scale if all medians are positive.
    StudentT,
    /// Student's interval from the variances between processes, rounds, visits and runs: see
    /// [`crate::Crossed::interval`].
    CrossedT,
    /// Order statistics of the pooled samples. They cover variation between samples but not between processes, so the
    /// interval is too narrow if processes differ.
    OrderStatistics,
}

impl IntervalMethod {
    /// Returns the name used in files.
    pub fn name(self) -> &'static str {
        match self {
            IntervalMethod::StudentT => "student-t",
            IntervalMethod::CrossedT => "crossed-t",
            IntervalMethod::OrderStatistics => "order-statistics",
        }
    }

    /// Returns whether the interval covers variation between processes.
    pub fn covers_processes(self) -> bool {
        self != IntervalMethod::OrderStatistics
    }
}

/// Estimate and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Estimate, which lies within the interval.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Confidence level. With too few samples, order statistics reach only a lower level than requested.
    pub confidence: f64,
    /// Method used to compute the interval.
    pub method: IntervalMethod,
}

impl Interval {
    /// Returns the distance from the estimate to the farther end, as a percentage of the estimate. For an estimate of
    /// zero, the result is infinite unless the interval is a single point.
    pub fn half_width_pct(&self) -> f64 {
        let farther = (self.high - self.estimate).max(self.estimate - self.low);
        if farther == 0.0 { 0.0 } else { 100.0 * farther / self.estimate.abs() }
    }
}

/// Returns the median of one operation's samples from all processes, and its interval. `processes` contains one group
/// of samples per process.
///
/// The estimate is the median of all pooled samples ([`Sorted::median`]).
///
/// The samples from one process are not independent: a process keeps its memory layout, its core and its part of the
/// caches. The unit of repetition is therefore the process (Kalibera and Jones, "Rigorous Benchmarking in Reasonable
/// Time", ISMM 2013). With three or more processes, the half-width comes from Student's interval for the mean of the
/// processes' medians. If all medians are positive, the half-width is computed on the logarithmic scale, because
/// differences between processes (clock rate, alignment, cache usage) act as factors on a time. A multiplicative
/// interval is the same for a time and for its reciprocal, the rate, and never extends below zero.
///
/// The interval has two centers: the mean of the processes' medians, to which Student's theory applies, and the pooled
/// median, which is reported. It extends from one half-width below the smaller center to one half-width above the
/// larger. The two centers estimate the same value if samples and processes are distributed symmetrically. They differ
/// if operations take one of several paths. An interval around only one center would then miss the true value of the
/// other far too often. Using both centers widens most intervals by 3 to 8 percent.
///
/// For one or two processes, the interval comes from order statistics of the pooled samples (David and Nagaraja, "Order
/// Statistics", 3rd edition, section 7.1). Such an interval is exact for independent samples from any distribution.
/// [`Interval::method`] names the method. For fewer than six samples, no such interval reaches 95%; the result is the
/// range of the samples with its actual confidence.
///
/// Returns `None` if there are no samples, or if a sample is not finite. Empty groups are ignored.
pub fn median_interval(processes: &[Vec<f64>], confidence: f64) -> Option<Interval> {
    let medians: Vec<f64> = processes.iter().filter_map(|samples| crate::median(samples)).collect();
    if medians.len() < FEWEST_PROCESSES {
        return order_statistics(&Sorted::new(processes.concat())?, confidence);
    }
    let estimate = median_of(processes.concat())?;
    let (low, high) = if medians.iter().all(|median| *median > 0.0) {
        let logarithms: Vec<f64> = medians.iter().map(|median| median.ln()).collect();
        let (low, high) = student(&logarithms, estimate.ln(), confidence)?;
        (low.exp(), high.exp())
    } else {
        student(&medians, estimate, confidence)?
    };
    // If all medians are equal, rounding in `ln` and `exp` can move an end slightly past the estimate.
    let (low, high) = (low.min(estimate), high.max(estimate));
    Some(Interval { estimate, low, high, confidence, method: IntervalMethod::StudentT })
}

/// Returns the ends of an interval around two centers: the mean of `values`, and `centre`. The interval extends from
/// one half-width below the smaller center to one half-width above the larger. The half-width is Student's for the mean
/// ("The Probable Error of a Mean", Biometrika 6 (1908)).
fn student(values: &[f64], centre: f64, confidence: f64) -> Option<(f64, f64)> {
    let description = describe_samples(values)?;
    let half = student_factor(values.len(), confidence)? * description.stdev? / (values.len() as f64).sqrt();
    Some((description.mean.min(centre) - half, description.mean.max(centre) + half))
}

/// Returns Student's factor for the two-sided interval of the mean of `n` values, or `None` for fewer than two values.
pub(crate) fn student_factor(n: usize, confidence: f64) -> Option<f64> {
    let freedom = n.checked_sub(1).filter(|freedom| *freedom > 0)?;
    student_quantile(0.5 + confidence / 2.0, freedom as f64)
}

/// Returns the narrowest interval from the `r`-th smallest to the `r`-th largest sample that reaches the requested
/// confidence for the median. The number `B` of samples below the median is binomial with probability one half, so the
/// confidence is `1 - 2 P(B < r)`.
fn order_statistics(pooled: &Sorted, confidence: f64) -> Option<Interval> {
    let samples = pooled.as_slice();
    let n = samples.len();
    let below = Binomial::new(0.5, n as u64).ok()?;
    let reached = |rank: usize| 1.0 - 2.0 * below.cdf(rank as u64 - 1);
    // The confidence falls with the rank, so a binary search finds the largest rank that reaches the requested
    // confidence.
    let (mut rank, mut beyond) = (1, n / 2 + 1);
    while beyond > rank + 1 {
        let middle = rank.midpoint(beyond);
        if reached(middle) >= confidence { rank = middle } else { beyond = middle }
    }
    Some(Interval {
        estimate: pooled.median(),
        low: samples[rank - 1],
        high: samples[n - rank],
        confidence: reached(rank).max(0.0),
        method: IntervalMethod::OrderStatistics,
    })
}

/// Returns Student's interval for the mean of independent values, such as one per process. Returns `None` for fewer
/// than two values, if a value is not finite, or if `confidence` is not between 0 and 1.
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let estimate = mean(values).filter(|mean| mean.is_finite())?;
    let deviation = standard_deviation(values).filter(|deviation| deviation.is_finite())?;
    let half = student_factor(values.len(), confidence)? * deviation / (values.len() as f64).sqrt();
    let (low, high) = (estimate - half, estimate + half);
    Some(Interval { estimate, low, high, confidence, method: IntervalMethod::StudentT })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, tolerance: f64) {
        assert!((left - right).abs() <= tolerance, "{left} should be {right}");
    }

    #[test]
    fn positive_medians_give_a_multiplicative_interval() {
        // The medians are 1, e and e^2. Their logarithms have mean 1 and deviation 1; the factor is 4.302653 / sqrt(3).
        let e = std::f64::consts::E;
        let interval = median_interval(&[vec![1.0], vec![e], vec![e * e]], CONFIDENCE).unwrap();
        let half = 4.302_652_73 / 3.0_f64.sqrt();
        close(interval.estimate, e, 1e-12);
        close(interval.low, (1.0 - half).exp(), 1e-6);
        close(interval.high, (1.0 + half).exp(), 1e-3);
        assert!(interval.method.covers_processes());
    }

    #[test]
    fn nonpositive_medians_give_an_additive_interval() {
        let interval = median_interval(&[vec![-1.0], vec![0.0], vec![1.0]], CONFIDENCE).unwrap();
        close(interval.high, 4.302_652_73 / 3.0_f64.sqrt(), 1e-6);
        assert_eq!((interval.estimate, interval.half_width_pct()), (0.0, f64::INFINITY));
    }

    #[test]
    fn interval_contains_the_pooled_median() {
        // Seven processes agree. The eighth contributes most of the samples and disagrees.
        let mut processes: Vec<Vec<f64>> = (0..7).map(|index| vec![10.0 + 0.01 * f64::from(index); 3]).collect();
        processes.push(vec![1000.0; 500]);
        let interval = median_interval(&processes, CONFIDENCE).unwrap();
        assert_eq!(interval.estimate, 1000.0);
        assert!(interval.low < 10.0 && interval.high > 1000.0);
    }

    #[test]
    fn ignores_empty_groups() {
        let groups = [vec![1.0, 2.0, 3.0], vec![], vec![], vec![2.0, 3.0, 4.0]];
        assert_eq!(median_interval(&groups, CONFIDENCE).unwrap().method, IntervalMethod::OrderStatistics);
        assert_eq!(median_interval(&[vec![], vec![]], CONFIDENCE), None);
        assert_eq!(median_interval(&[vec![f64::NAN]], CONFIDENCE), None);
    }

    #[test]
    fn order_statistics_match_published_ranks() {
        // Ranks for the 95% interval of the median: 2 of 10 (97.85%), 6 of 20 (95.86%), 40 of 100 (96.48%).
        for (n, rank, confidence) in [(6, 1, 0.968_75), (10, 2, 0.978_52), (20, 6, 0.958_61), (100, 40, 0.964_80)] {
            let samples: Vec<f64> = (1..=n).map(f64::from).collect();
            let interval = median_interval(&[samples], CONFIDENCE).unwrap();
            assert_eq!((interval.low, interval.high), (f64::from(rank), f64::from(n + 1 - rank)));
            close(interval.confidence, confidence, 5e-6);
        }
    }

    #[test]
    fn too_few_samples_give_their_range_and_its_confidence() {
        let interval = median_interval(&[vec![3.0, 1.0], vec![2.0, 5.0, 4.0]], CONFIDENCE).unwrap();
        assert_eq!((interval.low, interval.estimate, interval.high), (1.0, 3.0, 5.0));
        close(interval.confidence, 0.9375, 1e-12);
        let single = median_interval(&[vec![3.0]], CONFIDENCE).unwrap();
        assert_eq!((single.low, single.high), (3.0, 3.0));
        close(single.confidence, 0.0, 1e-12);
    }

    #[test]
    fn handles_many_samples() {
        let samples: Vec<f64> = (0..200_000).map(f64::from).collect();
        let interval = median_interval(&[samples], CONFIDENCE).unwrap();
        // By the normal approximation, the interval extends by 1.96 / 2 * sqrt(n) samples to each side.
        close(interval.high - interval.low, 1.959_964 * 200_000_f64.sqrt(), 3.0);
    }

    #[test]
    fn mean_interval_matches_students() {
        // Mean 2, deviation 1; the factor is 4.302653 / sqrt(3).
        let interval = mean_interval(&[1.0, 2.0, 3.0], CONFIDENCE).unwrap();
        assert!((interval.estimate - 2.0).abs() < 1e-12);
        assert!((interval.high - 2.0 - 4.302_652_729_749_464 / 3.0_f64.sqrt()).abs() < 1e-9, "{interval:?}");
        assert_eq!(mean_interval(&[1.0], CONFIDENCE), None);
        assert_eq!(mean_interval(&[1.0, f64::NAN], CONFIDENCE), None);
    }
}
