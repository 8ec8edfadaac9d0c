//! CSV with one row per raw sample, from which every figure can be recomputed.

use super::csv::cell;
use super::{ExportError, Exporter, Format};
use pqlab_analysis::RunAnalysis;
use std::io::Write;

/// All raw samples, one per row.
///
/// - `index` numbers the samples of a visit from 0. `process`, `round` and `start` identify the visit.
/// - `ticks` is the number of counter ticks for the entire batch.
/// - `contended` is true if the visit was disturbed.
/// - `used` is true if the estimates use the sample. The median of `ns_per_operation` over the used samples of a case
///   is 1,000 times its `median_us`.
/// - `caveats` contains all caveats of the case, in each of its rows.
pub(super) struct SamplesCsv;

impl Exporter for SamplesCsv {
    fn format(&self) -> Format {
        Format { name: "samples-csv", describe: "every raw sample, one per row", extension: "csv" }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record([
            "id",
            "process",
            "round",
            "index",
            "batch",
            "contended",
            "ticks",
            "ns_per_operation",
            "used",
            "start",
            "caveats",
        ])?;
        for case in analysis.cases() {
            let (id, caveats) = (cell(&case.case().id()), cell(&case.caveats.text()));
            let samples = &case.record.samples;
            let batch = samples.batch.to_string();
            let all = samples.contended();
            for visit in &samples.visits {
                let [start, process, round] =
                    [visit.start, visit.process, visit.round].map(|number| number.to_string());
                let contended = (!visit.disturbances.is_empty()).to_string();
                let counts = all || visit.counts();
                let rows = visit.ticks.iter().zip(samples.all_ns_per_operation(visit)).zip(visit.sample_counts());
                for (index, ((ticks, ns), sample_counts)) in rows.enumerate() {
                    let used = (counts && sample_counts).to_string();
                    let (index, ticks, ns) = (index.to_string(), ticks.to_string(), ns.to_string());
                    writer.write_record([
                        &id, &process, &round, &index, &batch, &contended, &ticks, &ns, &used, &start, &caveats,
                    ])?;
                }
            }
        }
        writer.flush()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use pqlab_record::Disturbance;

    #[test]
    fn median_follows_from_the_rows() {
        let mut run = fixtures::run();
        run.records[0].samples.visits[5].disturbances = vec![Disturbance::Steal { pct: 9.0 }];
        let bytes = written(&SamplesCsv, &run);
        let rows: Vec<csv::StringRecord> =
            csv::Reader::from_reader(bytes.as_slice()).records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), run.records.iter().map(|record| record.samples.count()).sum::<usize>());
        for case in RunAnalysis::new(&run).cases() {
            let id = case.case().id();
            let used: Vec<f64> = rows
                .iter()
                .filter(|row| row[0] == id && &row[8] == "true")
                .map(|row| row[7].parse().unwrap())
                .collect();
            assert_eq!(pqlab_stats::median(&used), case.median().map(|median| median.estimate));
        }
        let disturbed: Vec<&csv::StringRecord> = rows.iter().filter(|row| &row[5] == "true").collect();
        assert_eq!(disturbed.len(), run.records[0].samples.visits[5].ticks.len());
        assert!(disturbed.iter().all(|row| &row[8] == "false"));
        assert_eq!((&rows[0][3], &rows[1][3]), ("0", "1"));
    }
}
