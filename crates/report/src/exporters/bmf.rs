//! Bencher Metric Format: what `bencher run --adapter json` reads.

use super::{ExportError, Exporter, finish_json};
use crate::estimates::estimate;
use indexmap::IndexMap;
use pqlab_record::Run;
use serde::Serialize;
use std::io::Write;

/// Latency in ns and throughput in operations a second of every case with a figure, with the interval as lower and upper
/// value. Failed cases have no entry.
pub(super) struct Bmf;

#[derive(Serialize)]
struct Measures {
    latency: Metric,
    throughput: Metric,
}

#[derive(Serialize)]
struct Metric {
    value: f64,
    lower_value: f64,
    upper_value: f64,
}

impl Exporter for Bmf {
    fn name(&self) -> &'static str {
        "bmf"
    }

    fn describe(&self) -> &'static str {
        "Bencher Metric Format: latency and throughput with their intervals"
    }

    fn extension(&self) -> &'static str {
        "json"
    }

    fn export(&self, run: &Run, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut all: IndexMap<String, Measures> = IndexMap::new();
        for record in &run.records {
            let Some(estimates) = estimate(record, &run.header.protocol) else { continue };
            let of = estimates.median_ns;
            let rate = |ns: f64| if ns > 0.0 { 1e9 / ns } else { 0.0 };
            let latency = Metric { value: of.estimate, lower_value: of.low, upper_value: of.high };
            let throughput = Metric { value: rate(of.estimate), lower_value: rate(of.high), upper_value: rate(of.low) };
            all.insert(record.case.id(), Measures { latency, throughput });
        }
        finish_json(&all, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use serde_json::Value;

    #[test]
    fn every_value_lies_between_its_bounds() {
        let mut bytes = Vec::new();
        Bmf.export(&fixtures::run(), &mut bytes).unwrap();
        let all: IndexMap<String, IndexMap<String, IndexMap<String, f64>>> = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(all.len(), 6);
        for measure in all.values().flat_map(IndexMap::values) {
            assert!(measure["lower_value"] <= measure["value"] && measure["value"] <= measure["upper_value"]);
        }
        let read: Value = serde_json::from_slice(&bytes).unwrap();
        assert!(read["kem/ML-KEM-768/encapsulate@liboqs"]["latency"]["value"].as_f64().unwrap() > 10_000.0);
    }
}
