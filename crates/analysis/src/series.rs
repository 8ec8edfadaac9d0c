//! Statistics of samples from other programs: one series, two series, and throughput under growing load. The statistics
//! assume independent samples. For samples from several processes, a run measured by pqlab gives more reliable
//! intervals.

use crate::case::CaseAnalysis;
use crate::estimates::Imprecision;
use crate::number::significant;
use pqlab_stats::{
    BootstrapInterval, Description, Drift, Interval, JarqueBera, Load, Mode, Sorted, Stability, ThroughputCurve,
    WelchTest, bootstrap_ci, cohens_d, cov_stability_report, describe_samples, drift, jarque_bera, mean_interval,
    modes, ratio_of_means, ratio_of_medians, throughput_curve, welch_t_test,
};
use serde_json::{Value, json};

/// A named series of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name of the operation, as in the file that the samples come from.
    pub name: String,
    /// Unit of the samples, such as `s`; empty if the file does not name one.
    pub unit: String,
    /// Samples in the order in which they were taken.
    pub samples: Vec<f64>,
}

/// Parameters for summarizing and comparing series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesRequest {
    /// Confidence level of the intervals, such as 0.95.
    pub confidence: f64,
    /// Number of bootstrap resamples.
    pub resamples: usize,
    /// Seed for the bootstrap.
    pub seed: u64,
    /// Maximum coefficient of variation of a stable series, in percent.
    pub stability_limit_pct: f64,
}

impl Default for SeriesRequest {
    fn default() -> SeriesRequest {
        SeriesRequest { confidence: 0.95, resamples: 10_000, seed: 1, stability_limit_pct: 5.0 }
    }
}

/// Summary of one series.
#[derive(Clone, Debug)]
pub struct SeriesSummary {
    /// Name of the series.
    pub name: String,
    /// Unit of the samples and figures.
    pub unit: String,
    /// Moments and quantiles.
    pub description: Description,
    /// Student's t interval for the mean, widened by half a clock step on each side; `None` for a single sample or if
    /// all samples are equal.
    pub mean: Option<Interval>,
    /// Bootstrap interval for the median, widened by half a clock step on each side; `None` for a single sample, if all
    /// samples are equal, or if no resamples were requested.
    pub median: Option<BootstrapInterval>,
    /// Test of normality; `None` if there are fewer than three samples or all are equal.
    pub normality: Option<JarqueBera>,
    /// Comparison of the coefficient of variation with the limit.
    pub stability: Stability,
    /// Number of distinct values.
    pub distinct: usize,
    /// Step of the clock in the unit of the samples, if the samples show it.
    pub step: Option<f64>,
    /// Number of samples that are far from the others.
    pub outliers: usize,
    /// The two levels of the samples, if there are two.
    pub modes: Option<[Mode; 2]>,
    /// Change from the first sample to the last; `None` if the samples are sorted or too few.
    pub drift: Option<Drift>,
    /// Index of the first sample after a step in time from one level to the other, and the change in percent. `None` if
    /// there is no step.
    pub step_in_time: Option<(usize, f64)>,
    /// Confidence with which the range of the samples covers the median; `None` if it is at least the requested
    /// confidence.
    covered: Option<f64>,
}

/// Minimum fraction of the samples on each of two levels.
const LEAST_SHARE_OF_A_MODE: f64 = 0.1;

/// Maximum number of groups of consecutive samples for the drift test.
const DRIFT_GROUPS: usize = 24;

/// Returns the two levels of the samples, if each level has at least a tenth of the samples.
fn levels(samples: &[f64]) -> Option<[Mode; 2]> {
    let least = LEAST_SHARE_OF_A_MODE * samples.len() as f64;
    modes(samples).filter(|modes| modes.iter().all(|mode| mode.processes as f64 >= least))
}

/// Maximum fraction of samples that may be on the wrong level before and after a step in time.
const MOST_STRAYS: f64 = 0.05;

/// Finds a step in time from one level to the other. Returns the index of the first sample after the step, and the
/// change in percent. Tolerates a few samples on the wrong level. Returns `None` for sorted samples, because their
/// order does not reflect time.
fn step_in_time(samples: &[f64], [low, high]: [Mode; 2]) -> Option<(usize, f64)> {
    if samples.is_sorted() || samples.iter().rev().is_sorted() {
        return None;
    }
    let middle = (low.median * high.median).sqrt();
    let above: Vec<bool> = samples.iter().map(|sample| *sample > middle).collect();
    // Number of samples on the wrong level if the step is upwards at a position: high samples before the position, and
    // low ones after it.
    let mut strays = above.iter().filter(|above| !**above).count();
    let (mut fewest, mut most) = ((strays, 0), (strays, 0));
    for (place, above) in (1..).zip(&above) {
        if *above {
            strays += 1
        } else {
            strays -= 1
        }
        fewest = fewest.min((strays, place));
        most = if strays > most.0 { (strays, place) } else { most };
    }
    let ratio = high.median / low.median;
    let (upwards, downwards) = (fewest.0, samples.len() - most.0);
    let (strays, place, ratio) =
        if upwards <= downwards { (upwards, fewest.1, ratio) } else { (downwards, most.1, 1.0 / ratio) };
    (strays as f64 <= MOST_STRAYS * samples.len() as f64).then(|| (place, percent(ratio)))
}

/// Tests for drift in the order of the samples. Long series are divided into groups of consecutive samples, so that one
/// outlier does not hide a drift. Returns `None` for sorted samples, because their order does not reflect time.
fn drift_in_order(samples: &[f64]) -> Option<Drift> {
    if samples.is_sorted() || samples.iter().rev().is_sorted() {
        return None;
    }
    let groups = DRIFT_GROUPS.min(samples.len());
    let bounds = |group: usize| group * samples.len() / groups;
    let medians = (0..groups).map(|group| pqlab_stats::median(&samples[bounds(group)..bounds(group + 1)]));
    let medians: Option<Vec<f64>> = medians.collect();
    drift(&[(0..).zip(medians?).collect()])
}

/// Minimum step of a coarse clock, as a fraction of the interquartile range of the samples.
const COARSE: f64 = 0.1;

impl SeriesSummary {
    /// Summarizes a series. Returns `None` if there are no samples or one of them is not a finite number.
    pub fn new(series: &Series, request: &SeriesRequest) -> Option<SeriesSummary> {
        let Series { name, unit, samples } = series;
        let sorted = Sorted::new(samples.clone())?;
        // A step that is much smaller than the spread of the samples does not matter.
        let spread = sorted.quantile(0.75) - sorted.quantile(0.25);
        let step = sorted.step().filter(|step| *step >= COARSE * spread);
        let distinct = sorted.distinct();
        let half = step.unwrap_or(0.0) / 2.0;
        let varied = distinct > 1;
        let median = bootstrap_ci(samples, request.confidence, request.resamples, request.seed);
        let covered = 1.0 - 2.0 * 0.5_f64.powi(i32::try_from(samples.len()).unwrap_or(i32::MAX));
        Some(SeriesSummary {
            name: name.clone(),
            unit: unit.clone(),
            description: describe_samples(samples)?,
            mean: mean_interval(samples, request.confidence).filter(|_| varied).map(|found| Interval {
                low: found.low - half,
                high: found.high + half,
                ..found
            }),
            median: median.filter(|_| varied).map(|found| BootstrapInterval {
                low: found.low - half,
                high: found.high + half,
                ..found
            }),
            normality: jarque_bera(samples),
            stability: cov_stability_report([(name.as_str(), samples.as_slice())], request.stability_limit_pct)
                .pop()?,
            distinct,
            step,
            outliers: sorted.outliers(),
            modes: levels(samples),
            drift: drift_in_order(samples),
            step_in_time: levels(samples).and_then(|levels| step_in_time(samples, levels)),
            covered: (covered < request.confidence).then_some(covered.max(0.0)),
        })
    }

    /// Lists the limitations of the figures, with the keywords of the caveats of runs: `few samples: ...`, `two modes:
    /// ...`, `drifting: ...`.
    pub fn notes(&self) -> Vec<String> {
        let n = self.description.n;
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let figure = |value: f64| format!("{}{unit}", significant(value));
        let mut notes = Vec::new();
        if n == 1 {
            notes.push(format!("{}: 1 sample is too few for an interval or a test", Imprecision::FewSamples.words()));
        } else if let Some(covered) = self.covered {
            notes.push(format!(
                "{}: the range of {n} samples covers the median with a confidence of only {:.0}%",
                Imprecision::FewSamples.words(),
                100.0 * covered
            ));
        }
        if n > 1 && self.distinct == 1 {
            notes.push(format!(
                "no spread: all {n} samples are equal, so the clock is too coarse to show the spread, and there is no interval"
            ));
        } else if let Some(step) = self.step {
            notes.push(format!(
                "coarse clock: {n} samples have only {} distinct values, in steps of {}; the intervals include half a step",
                self.distinct,
                figure(step)
            ));
        }
        if let Some((place, change)) = self.step_in_time {
            let words = Imprecision::Drifting.words();
            notes.push(format!("{words}: {change:+.1}% in one step at sample {}", place + 1));
        } else if let Some(drift) = self.drift.filter(|drift| drift.drifting) {
            let change = drift.change_pct;
            notes.push(format!("{}: {change:+.1}% from the first sample to the last", Imprecision::Drifting.words()));
        }
        if let Some([low, high]) = self.modes {
            notes.push(format!(
                "{}: {} in {} of {n} samples, {} in {}",
                Imprecision::TwoModes.words(),
                figure(low.median),
                low.processes,
                figure(high.median),
                high.processes
            ));
        } else if self.outliers > 0 {
            let (outliers, max) = (self.outliers, self.description.max);
            let verb = if outliers == 1 { "is" } else { "are" };
            notes.push(format!(
                "outliers: {outliers} of {n} samples {verb} far from the others (maximum {}); prefer the median",
                figure(max)
            ));
        }
        notes
    }

    /// Converts the summary to JSON.
    pub fn to_json(&self) -> Value {
        let Description { n, mean, stdev, cov_pct, min, p5, p25, median, p75, p95, p99, max, iqm, mad } =
            self.description;
        json!({
            "name": self.name, "unit": self.unit, "n": n, "mean": mean,
            "mean_ci": self.mean.map(|interval| [interval.low, interval.high]),
            "median": median, "median_ci": self.median.map(|interval| [interval.low, interval.high]),
            "stdev": stdev, "cov_pct": cov_pct, "min": min, "p5": p5, "p25": p25, "p75": p75, "p95": p95, "p99": p99,
            "max": max, "iqm": iqm, "mad": mad, "unstable": self.stability.unstable,
            "outliers": self.outliers, "notes": self.notes(),
            "jarque_bera": self.normality.map(|test| json!({
                "statistic": test.statistic, "p_value": test.p_value,
                "skewness": test.skewness, "excess_kurtosis": test.excess_kurtosis,
            })),
        })
    }
}

fn percent(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0)
}

/// Comparison of a second series with a first one.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesComparison {
    /// Name of the first series.
    pub first: String,
    /// Name of the second series.
    pub second: String,
    /// Welch's test of the means; `None` if the samples show no spread.
    pub welch: Option<WelchTest>,
    /// Difference of the means in pooled standard deviations; `None` if the samples show no spread.
    pub cohens_d: Option<f64>,
    /// Percentage by which the second mean exceeds the first, with its interval; `None` if a mean is not positive.
    pub overhead_pct: Option<Interval>,
    /// Percentage by which the second median exceeds the first, with its bootstrap interval; `None` if a sample is not
    /// positive, if neither series has any spread, or if no resamples were requested.
    pub median_overhead_pct: Option<BootstrapInterval>,
    /// Whether a series has only one sample.
    pub single: bool,
    /// Whether the intervals contain zero only because they include the clock's step.
    pub within_step: bool,
    /// Remarks: whether the difference is within the step of the clock, and whether means and medians contradict each
    /// other.
    pub notes: Vec<String>,
}

impl SeriesComparison {
    /// Compares two series by their means and medians.
    pub fn new(first: &Series, second: &Series, request: &SeriesRequest) -> SeriesComparison {
        let mut comparison = SeriesComparison::of_means(first, second, request);
        let samples = [&first.samples, &second.samples];
        let sorted = samples.map(|samples| Sorted::new(samples.clone()));
        let varied = sorted.iter().flatten().any(|samples| samples.distinct() > 1);
        let step = sorted.iter().flatten().filter_map(Sorted::step).max_by(f64::total_cmp).unwrap_or(0.0);
        // Half a step on either side of both centres, as a percentage of the first centre.
        let margin = |centre: fn(&[f64]) -> Option<f64>| match samples.map(|samples| centre(samples)) {
            [Some(one), Some(other)] if step > 0.0 => 50.0 * step * (1.0 + other.abs() / one.abs()) / one.abs(),
            _ => 0.0,
        };
        let wider = margin(pqlab_stats::mean);
        comparison.overhead_pct = comparison.overhead_pct.filter(|_| varied).map(|found| Interval {
            low: found.low - wider,
            high: found.high + wider,
            ..found
        });
        let [a, b] = samples;
        let several = a.len() > 1 && b.len() > 1 && varied;
        let wider = margin(pqlab_stats::median);
        comparison.median_overhead_pct = ratio_of_medians(b, a, request.confidence, request.resamples, request.seed)
            .filter(|_| several)
            .map(|ratio| BootstrapInterval {
                estimate: percent(ratio.estimate),
                low: percent(ratio.low) - wider,
                high: percent(ratio.high) + wider,
                ..ratio
            });
        comparison.within_step = step > 0.0
            && comparison.welch.is_some_and(|test| test.significant)
            && comparison.overhead_pct.is_some_and(|interval| interval.low <= 0.0 && interval.high >= 0.0);
        comparison.notes = comparison.remarks(sorted.map(|samples| samples.map_or(0, |samples| samples.outliers())));
        comparison
    }

    /// Compares two series by their means only.
    fn of_means(first: &Series, second: &Series, request: &SeriesRequest) -> SeriesComparison {
        let (a, b) = (&first.samples, &second.samples);
        SeriesComparison {
            first: first.name.clone(),
            second: second.name.clone(),
            welch: welch_t_test(a, b, 1.0 - request.confidence),
            cohens_d: cohens_d(a, b),
            overhead_pct: ratio_of_means(b, a, request.confidence).map(|ratio| Interval {
                estimate: percent(ratio.estimate),
                low: percent(ratio.low),
                high: percent(ratio.high),
                ..ratio
            }),
            median_overhead_pct: None,
            single: a.len().min(b.len()) < 2,
            within_step: false,
            notes: Vec::new(),
        }
    }

    /// Lists remarks: the difference is within the step of the clock, or means and medians contradict each other.
    fn remarks(&self, outliers: [usize; 2]) -> Vec<String> {
        let mut notes = Vec::new();
        if self.within_step {
            notes.push("the clock's step can explain the difference".to_owned());
        }
        let (Some(mean), Some(median)) = (self.overhead_pct, self.median_overhead_pct) else { return notes };
        let side = |low: f64, high: f64| i32::from(low > 0.0) - i32::from(high < 0.0);
        if side(mean.low, mean.high) != side(median.low, median.high) {
            let [first, second] = outliers;
            let reason = match (first, second) {
                (0, 0) => "the distributions differ in shape".to_owned(),
                _ => format!("outliers: {first} in the first series, {second} in the second"),
            };
            notes.push(format!(
                "medians differ by {:+.2}% [{:+.2}, {:+.2}], means by {:+.2}% [{:+.2}, {:+.2}]; {reason}",
                median.estimate, median.low, median.high, mean.estimate, mean.low, mean.high
            ));
        }
        notes
    }

    /// Compares the samples of two cases with the methods of the five earlier systems that pqlab reproduces. These
    /// methods treat each operation or batch as independent. Samples of one process are not independent, so `t` is too
    /// large and the interval is too narrow. No verdict uses this comparison. Returns `None` if a case has no samples.
    pub fn of_cases(first: &CaseAnalysis<'_>, second: &CaseAnalysis<'_>) -> Option<SeriesComparison> {
        let series = |case: &CaseAnalysis<'_>| {
            let samples = &case.record.samples;
            let samples = samples.usable().flat_map(|visit| samples.ns_per_operation(visit)).collect::<Vec<f64>>();
            (!samples.is_empty()).then(|| Series { name: case.case().id(), unit: "ns".to_owned(), samples })
        };
        Some(SeriesComparison::of_means(&series(first)?, &series(second)?, &SeriesRequest::default()))
    }

    /// Formats the comparison as one line: `mean +24.1% (+23.8 to +24.4%), Welch's t = 230 (p < 1e-16, 1,240 degrees of
    /// freedom), Cohen's d = 9.12`. All signs are those of second − first, unlike that of
    /// [`WelchTest::t`](pqlab_stats::WelchTest::t).
    pub fn line(&self) -> String {
        let difference = self.overhead_pct.map(|interval| {
            format!("mean {:+.1}% ({:+.1} to {:+.1}%)", interval.estimate, interval.low, interval.high)
        });
        let welch = self.welch.map(|test| {
            let p = if test.p_value < 1e-16 { "p < 1e-16".to_owned() } else { format!("p = {:.2e}", test.p_value) };
            format!(
                "Welch's t = {} ({p}, {} degrees of freedom)",
                significant(-test.t),
                significant(test.degrees_of_freedom)
            )
        });
        let effect = self.cohens_d.map(|d| format!("Cohen's d = {}", significant(d)));
        [difference, welch, effect].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Converts the comparison to JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "first": self.first, "second": self.second,
            "welch": self.welch.map(|test| json!({
                "t": test.t, "degrees_of_freedom": test.degrees_of_freedom, "p_value": test.p_value,
                "significant": test.significant,
            })),
            "cohens_d": self.cohens_d,
            "overhead_pct": self.overhead_pct.map(|interval| interval.estimate),
            "overhead_ci_pct": self.overhead_pct.map(|interval| [interval.low, interval.high]),
        })
    }
}

/// Throughput under growing load, from repeated measurements.
#[derive(Clone, Debug)]
pub struct LoadCurve {
    /// The curve, with the repetitions of each level added up.
    pub curve: ThroughputCurve,
    /// Student's interval for the rate over repetitions at each point, in operations per second; `None` for a single
    /// repetition.
    pub rates: Vec<Option<Interval>>,
}

impl LoadCurve {
    /// Computes the curve. Returns `None` if there are no loads, or if a concurrency level is zero, has no operations,
    /// or has a total time that is not positive and finite.
    pub fn new(loads: &[Load], request: &SeriesRequest) -> Option<LoadCurve> {
        let mut levels: Vec<(u64, Vec<Load>)> = Vec::new();
        for load in loads {
            match levels.iter_mut().find(|(level, _)| *level == load.concurrency) {
                Some((_, loads_of_level)) => loads_of_level.push(*load),
                None => levels.push((load.concurrency, vec![*load])),
            }
        }
        let together = levels.iter().map(|(concurrency, loads_of_level)| Load {
            concurrency: *concurrency,
            operations: loads_of_level.iter().map(|load| load.operations).sum(),
            seconds: loads_of_level.iter().map(|load| load.seconds).sum(),
        });
        let curve = throughput_curve(&together.collect::<Vec<_>>())?;
        let rate = |load: &Load| load.operations as f64 / load.seconds;
        let rates = curve.points.iter().map(|point| {
            let (_, loads_of_level) = levels.iter().find(|(level, _)| *level == point.concurrency)?;
            mean_interval(&loads_of_level.iter().map(rate).collect::<Vec<_>>(), request.confidence)
        });
        let rates = rates.collect();
        Some(LoadCurve { curve, rates })
    }

    /// Converts the curve to JSON.
    pub fn to_json(&self) -> Value {
        let point = |(point, rate): (&pqlab_stats::ThroughputPoint, &Option<Interval>)| {
            json!({
                "concurrency": point.concurrency, "operations_per_s": point.operations_per_second,
                "operations_per_s_ci": rate.map(|interval| [interval.low, interval.high]),
                "speedup": point.speedup, "efficiency": point.efficiency,
                "loss_from_peak_pct": point.loss_from_peak_pct, "loss_from_smallest_pct": point.loss_from_smallest_pct,
            })
        };
        json!({
            "points": self.curve.points.iter().zip(&self.rates).map(point).collect::<Vec<_>>(),
            "peak": self.curve.peak().concurrency,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, samples: &[f64]) -> Series {
        Series { name: name.into(), unit: "s".into(), samples: samples.to_vec() }
    }

    #[test]
    fn a_series_has_every_figure_and_an_empty_series_has_none() {
        let request = SeriesRequest::default();
        let summary = SeriesSummary::new(&series("one", &[1.0, 2.0, 3.0, 4.0, 5.0]), &request).unwrap().to_json();
        assert_eq!((summary["n"].as_u64(), summary["median"].as_f64()), (Some(5), Some(3.0)));
        assert!(summary.as_object().unwrap().values().all(|value| !value.is_null()), "{summary}");
        assert!(SeriesSummary::new(&series("none", &[]), &request).is_none());
        let single = SeriesSummary::new(&series("single", &[2.0]), &request).unwrap();
        assert!(single.mean.is_none() && single.normality.is_none() && !single.stability.unstable);
    }

    #[test]
    fn the_second_series_is_judged_against_the_first() {
        let (slow, fast) = (series("a", &[2.0, 2.1, 1.9, 2.0]), series("b", &[1.0, 1.1, 0.9, 1.0]));
        let found = SeriesComparison::new(&slow, &fast, &SeriesRequest::default());
        let overhead = found.overhead_pct.unwrap();
        assert!((overhead.estimate + 50.0).abs() < 1e-9 && overhead.low < -50.0 && overhead.high > -50.0);
        assert!(found.welch.unwrap().significant && found.cohens_d.unwrap() < -5.0);
        let equal =
            SeriesComparison::new(&series("a", &[1.0, 1.0]), &series("b", &[1.0, 1.0]), &SeriesRequest::default());
        assert!(equal.welch.is_none() && equal.cohens_d.is_none());
    }

    #[test]
    fn whole_numbers_with_a_wide_spread_are_no_coarse_clock() {
        let wide: Vec<f64> = (0..2000).map(|index| 5000.0 + f64::from(index * 7919 % 900)).collect();
        let summary = SeriesSummary::new(&series("wide", &wide), &SeriesRequest::default()).unwrap();
        assert!(summary.step.is_none() && !summary.notes().iter().any(|note| note.contains("coarse")));
        let narrow: Vec<f64> = (0..2000).map(|index| 5000.0 + f64::from(index * 7919 % 6)).collect();
        let summary = SeriesSummary::new(&series("narrow", &narrow), &SeriesRequest::default()).unwrap();
        assert_eq!(summary.step, Some(1.0));
        assert!(summary.notes().iter().any(|note| note.starts_with("coarse clock")));
    }

    #[test]
    fn distinguishes_a_step_in_time_from_alternating_levels() {
        let step = |samples: &[f64]| step_in_time(samples, levels(samples).unwrap());
        let noise = |index: u32| f64::from(index * 7919 % 101) / 200.0;
        let series = |level: fn(u32) -> f64| (0..40).map(|index| level(index) + noise(index)).collect::<Vec<f64>>();
        let (place, change) = step(&series(|index| if index < 25 { 100.0 } else { 110.0 })).unwrap();
        assert!(place == 25 && (change - 10.0).abs() < 0.5, "{place} {change}");
        let (place, change) = step(&series(|index| if index < 25 { 110.0 } else { 100.0 })).unwrap();
        assert!(place == 25 && (change + 9.1).abs() < 0.5, "{place} {change}");
        let (place, _) = step(&series(|index| if index < 25 && index != 3 { 100.0 } else { 110.0 })).unwrap();
        assert_eq!(place, 25);
        assert_eq!(step(&series(|index| if index % 3 == 0 { 130.0 } else { 100.0 })), None);
        assert_eq!(step(&series(|index| if (10..30).contains(&index) { 130.0 } else { 100.0 })), None);
        assert_eq!(step(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]), None);
    }

    #[test]
    fn repetitions_of_a_load_are_one_point_with_an_interval() {
        let load = |concurrency, operations, seconds| Load { concurrency, operations, seconds };
        let loads = [load(2, 190, 1.0), load(1, 100, 1.0), load(1, 110, 1.0)];
        let found = LoadCurve::new(&loads, &SeriesRequest::default()).unwrap();
        assert_eq!(found.curve.points.iter().map(|point| point.concurrency).collect::<Vec<_>>(), [1, 2]);
        assert!((found.curve.points[0].operations_per_second - 105.0).abs() < 1e-9);
        assert!(found.rates[0].unwrap().low < 105.0 && found.rates[1].is_none());
        assert!(LoadCurve::new(&[], &SeriesRequest::default()).is_none());
    }
}
