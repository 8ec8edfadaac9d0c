//! Statistics of samples from other programs: one series, two series, and throughput under growing load. The statistics
//! assume independent samples. For samples from several processes, a run measured by pqlab gives more reliable
//! intervals.

use crate::case::CaseAnalysis;
use crate::number::significant;
use pqlab_stats::{
    BootstrapInterval, Description, Interval, JarqueBera, Load, Stability, ThroughputCurve, WelchTest, bootstrap_ci,
    cohens_d, cov_stability_report, describe_samples, jarque_bera, mean_interval, ratio_of_means, throughput_curve,
    welch_t_test,
};
use serde_json::{Value, json};

/// A named series of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name of the operation in the series' file.
    pub name: String,
    /// Unit of the samples, such as `s`; empty if the file does not name one.
    pub unit: String,
    /// Samples in the order in which they were taken.
    pub samples: Vec<f64>,
}

/// Parameters for judging series.
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
    /// Student's interval for the mean; `None` for a single sample.
    pub mean: Option<Interval>,
    /// Bootstrap interval for the median; `None` if no resamples were requested.
    pub median: Option<BootstrapInterval>,
    /// Test of normality; `None` if there are fewer than three samples or all are equal.
    pub normality: Option<JarqueBera>,
    /// Comparison of the coefficient of variation with the limit.
    pub stability: Stability,
}

impl SeriesSummary {
    /// Summarises a series. Returns `None` if there are no samples or one of them is not a finite number.
    pub fn of(series: &Series, request: &SeriesRequest) -> Option<SeriesSummary> {
        let Series { name, unit, samples } = series;
        Some(SeriesSummary {
            name: name.clone(),
            unit: unit.clone(),
            description: describe_samples(samples)?,
            mean: mean_interval(samples, request.confidence),
            median: bootstrap_ci(samples, request.confidence, request.resamples, request.seed),
            normality: jarque_bera(samples),
            stability: cov_stability_report([(name.as_str(), samples.as_slice())], request.stability_limit_pct)
                .pop()?,
        })
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
            "jarque_bera": self.normality.map(|test| json!({
                "statistic": test.statistic, "p_value": test.p_value,
                "skewness": test.skewness, "excess_kurtosis": test.excess_kurtosis,
            })),
        })
    }
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
    /// Difference of the means in pooled standard deviations.
    pub cohens_d: Option<f64>,
    /// Percentage by which the second mean exceeds the first, with its interval; `None` if a mean is not positive.
    pub overhead_pct: Option<Interval>,
}

impl SeriesComparison {
    /// Compares two series.
    pub fn of(first: &Series, second: &Series, request: &SeriesRequest) -> SeriesComparison {
        let (a, b) = (&first.samples, &second.samples);
        let percent = |ratio: f64| 100.0 * (ratio - 1.0);
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
        }
    }

    /// Compares the samples of two cases as the earlier systems do, treating each operation or batch as independent.
    /// Samples of one process are not independent, so `t` is too large and the interval too narrow. No verdict uses
    /// this comparison. Returns `None` if a case has no samples.
    pub fn of_cases(first: &CaseAnalysis<'_>, second: &CaseAnalysis<'_>) -> Option<SeriesComparison> {
        let series = |case: &CaseAnalysis<'_>| {
            let samples = &case.record.samples;
            let samples = samples.usable().flat_map(|visit| samples.ns_per_operation(visit)).collect::<Vec<f64>>();
            (!samples.is_empty()).then(|| Series { name: case.case().id(), unit: "ns".to_owned(), samples })
        };
        Some(SeriesComparison::of(&series(first)?, &series(second)?, &SeriesRequest::default()))
    }

    /// Formats the comparison as one line: `overhead +24.1% [+23.8, +24.4], Welch's t = 230 (p < 1e-16, 1,240 degrees
    /// of freedom), Cohen's d = 9.12`.
    pub fn line(&self) -> String {
        let overhead = self.overhead_pct.map(|interval| {
            format!("overhead {:+.1}% [{:+.1}, {:+.1}]", interval.estimate, interval.low, interval.high)
        });
        let welch = self.welch.map(|test| {
            let p = if test.p_value < 1e-16 { "p < 1e-16".to_owned() } else { format!("p = {:.2e}", test.p_value) };
            format!(
                "Welch's t = {} ({p}, {} degrees of freedom)",
                significant(test.t),
                significant(test.degrees_of_freedom)
            )
        });
        let effect = self.cohens_d.map(|d| format!("Cohen's d = {}", significant(d)));
        [overhead, welch, effect].into_iter().flatten().collect::<Vec<_>>().join(", ")
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
    pub fn of(loads: &[Load], request: &SeriesRequest) -> Option<LoadCurve> {
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
        let summary = SeriesSummary::of(&series("one", &[1.0, 2.0, 3.0, 4.0, 5.0]), &request).unwrap().to_json();
        assert_eq!((summary["n"].as_u64(), summary["median"].as_f64()), (Some(5), Some(3.0)));
        assert!(summary.as_object().unwrap().values().all(|value| !value.is_null()), "{summary}");
        assert!(SeriesSummary::of(&series("none", &[]), &request).is_none());
        let single = SeriesSummary::of(&series("single", &[2.0]), &request).unwrap();
        assert!(single.mean.is_none() && single.normality.is_none() && !single.stability.unstable);
    }

    #[test]
    fn the_second_series_is_judged_against_the_first() {
        let (slow, fast) = (series("a", &[2.0, 2.1, 1.9, 2.0]), series("b", &[1.0, 1.1, 0.9, 1.0]));
        let found = SeriesComparison::of(&slow, &fast, &SeriesRequest::default());
        let overhead = found.overhead_pct.unwrap();
        assert!((overhead.estimate + 50.0).abs() < 1e-9 && overhead.low < -50.0 && overhead.high > -50.0);
        assert!(found.welch.unwrap().significant && found.cohens_d.unwrap() < -5.0);
        let equal =
            SeriesComparison::of(&series("a", &[1.0, 1.0]), &series("b", &[1.0, 1.0]), &SeriesRequest::default());
        assert!(equal.welch.is_none() && equal.cohens_d.is_none());
    }

    #[test]
    fn repetitions_of_a_load_are_one_point_with_an_interval() {
        let load = |concurrency, operations, seconds| Load { concurrency, operations, seconds };
        let loads = [load(2, 190, 1.0), load(1, 100, 1.0), load(1, 110, 1.0)];
        let found = LoadCurve::of(&loads, &SeriesRequest::default()).unwrap();
        assert_eq!(found.curve.points.iter().map(|point| point.concurrency).collect::<Vec<_>>(), [1, 2]);
        assert!((found.curve.points[0].operations_per_second - 105.0).abs() < 1e-9);
        assert!(found.rates[0].unwrap().low < 105.0 && found.rates[1].is_none());
        assert!(LoadCurve::of(&[], &SeriesRequest::default()).is_none());
    }
}
