//! Bencher Metric Format, for `bencher run --adapter json`.

use super::{ExportError, Exporter, Format, finish_json, without_floor};
use indexmap::IndexMap;
use pqlab_analysis::RunAnalysis;
use pqlab_stats::Interval;
use serde::Serialize;
use std::io::Write;

/// Latency in ns and throughput in operations per second of every case with a figure. The lower and upper values are
/// the ends of the 95% interval. Each caveat is a separate measure with the value 1, so that dashboards show it next to
/// the other measures. The field `text`, which Bencher ignores, contains the caveat's message. Failed cases and
/// overhead cases have no entry.
pub(super) struct Bmf;

#[derive(Serialize)]
struct Measures {
    latency: Metric,
    throughput: Metric,
    #[serde(flatten)]
    caveats: IndexMap<String, Mark>,
}

/// Measure for a caveat.
#[derive(Serialize)]
struct Mark {
    value: f64,
    text: String,
}

#[derive(Serialize)]
struct Metric {
    value: f64,
    lower_value: f64,
    upper_value: f64,
}

impl Exporter for Bmf {
    fn format(&self) -> Format {
        Format {
            name: "bmf",
            describe: "Bencher Metric Format: latency and throughput with their intervals",
            extension: "json",
        }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut all: IndexMap<String, Measures> = IndexMap::new();
        for case in without_floor(analysis) {
            let Some(estimates) = &case.estimates else { continue };
            let metric = |interval: Interval| Metric {
                value: interval.estimate,
                lower_value: interval.low,
                upper_value: interval.high,
            };
            let nothing = Metric { value: 0.0, lower_value: 0.0, upper_value: 0.0 };
            let latency = metric(estimates.headline_ns());
            let throughput = estimates.operations_per_second().map_or(nothing, metric);
            let mark = |(word, text): (String, String)| (format!("caveat-{word}"), Mark { value: 1.0, text });
            let caveats = case.caveats.by_word().into_iter().map(mark).collect();
            all.insert(case.case().id(), Measures { latency, throughput, caveats });
        }
        finish_json(&all, out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use serde_json::Value;

    #[test]
    fn values_lie_between_their_bounds() {
        let read: Value = serde_json::from_slice(&written(&Bmf, &fixtures::run())).unwrap();
        let all = read.as_object().unwrap();
        assert_eq!(all.len(), 5);
        for (name, measure) in all.values().flat_map(|measures| measures.as_object().unwrap()) {
            // The format requires a value and a short name for every measure, even for measures
            // that it does not define itself.
            let number = |field: &str| measure[field].as_f64();
            assert!(number("value").is_some() && name.len() <= 64);
            if !name.starts_with("caveat-") {
                assert!(number("lower_value") <= number("value") && number("value") <= number("upper_value"));
                assert!(number("lower_value").is_some(), "{name}");
            }
        }
        assert_eq!(read["hash/SHA3-256/digest[len=64]@openssl"]["caveat-batch"]["value"], 1.0);
        assert!(read["kem/ML-KEM-768/encapsulate@liboqs"]["latency"]["value"].as_f64().unwrap() > 10_000.0);
    }
}
