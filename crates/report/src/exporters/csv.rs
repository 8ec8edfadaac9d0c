//! CSV, one row a case.

use super::{ExportError, Exporter};
use crate::schema::{ParameterValue, ResultEntry};
use pqlab_record::{CyclesSource, Form, Run, Status};
use std::io::Write;

/// The figures of every case as a table: RFC 4180 with lines that end in a line feed. An empty cell is a figure that does
/// not apply. Text is written as it is; a spreadsheet may take a name that begins with `=` for a formula.
pub(super) struct Csv;

/// A column: its heading and its cell in a row.
type Column = (&'static str, fn(&ResultEntry) -> String);

/// In this order; new columns go to the end.
const COLUMNS: [Column; 60] = [
    ("id", |row| row.id.clone()),
    ("name", |row| row.name.clone()),
    ("workload", |row| row.workload.clone()),
    ("algorithm", |row| row.algorithm.clone()),
    ("operation", |row| row.operation.clone()),
    ("provider", |row| row.provider.clone()),
    ("backend", |row| row.backend.clone().unwrap_or_default()),
    ("encoding", |row| encoding(row.encoding).to_owned()),
    ("parameters", parameters),
    ("category", |row| cell(row.category)),
    ("status", |row| if row.status == Status::Ok { "ok" } else { "failed" }.to_owned()),
    ("error", |row| row.error.clone().unwrap_or_default()),
    ("verified", |row| row.verified.to_string()),
    ("contended", |row| row.contended.to_string()),
    ("precision_reached", |row| row.precision_reached.to_string()),
    ("batch", |row| cell(row.batch)),
    ("n", |row| row.n.to_string()),
    ("processes", |row| row.processes.to_string()),
    ("median_us", |row| cell(row.median_us)),
    ("median_low_us", |row| cell(row.median_ci_us.map(|interval| interval[0]))),
    ("median_high_us", |row| cell(row.median_ci_us.map(|interval| interval[1]))),
    ("half_width_pct", |row| cell(row.half_width_pct)),
    ("interval_method", |row| row.interval_method.clone().unwrap_or_default()),
    ("mean_us", |row| cell(row.mean_us)),
    ("stdev_us", |row| cell(row.stdev_us)),
    ("cov_pct", |row| cell(row.cov_pct)),
    ("min_us", |row| cell(row.min_us)),
    ("p5_us", |row| cell(row.p5_us)),
    ("p25_us", |row| cell(row.p25_us)),
    ("p75_us", |row| cell(row.p75_us)),
    ("p95_us", |row| cell(row.p95_us)),
    ("p99_us", |row| cell(row.p99_us)),
    ("max_us", |row| cell(row.max_us)),
    ("iqm_us", |row| cell(row.iqm_us)),
    ("ops_per_s", |row| cell(row.ops_per_s)),
    ("counter", |row| row.counter.map(|counter| counter.name().to_owned()).unwrap_or_default()),
    ("ticks", |row| cell(row.ticks)),
    ("ticks_per_byte", |row| cell(row.ticks_per_byte)),
    ("cycles", |row| cell(row.cycles)),
    ("cycles_per_byte", |row| cell(row.cycles_per_byte)),
    ("instructions", |row| cell(row.instructions)),
    ("bytes", |row| cell(row.bytes)),
    ("public_key", |row| cell(row.sizes.public_key)),
    ("secret_key", |row| cell(row.sizes.secret_key)),
    ("ciphertext", |row| cell(row.sizes.ciphertext)),
    ("shared_secret", |row| cell(row.sizes.shared_secret)),
    ("signature", |row| cell(row.sizes.signature)),
    ("finished_at", |row| row.finished_at.clone()),
    ("jarque_bera", |row| cell(row.jarque_bera)),
    ("jarque_bera_p", |row| cell(row.jarque_bera_p)),
    ("bytes_per_s", |row| cell(row.bytes_per_s)),
    ("core_cycles", |row| cell(row.core_cycles)),
    ("core_cycles_low", |row| cell(row.core_cycles_ci.map(|interval| interval[0]))),
    ("core_cycles_high", |row| cell(row.core_cycles_ci.map(|interval| interval[1]))),
    ("core_cycles_source", |row| cell(row.core_cycles_source.map(CyclesSource::name))),
    ("shared_pct", |row| cell(row.shared_pct)),
    ("drifting", |row| row.drifting.to_string()),
    ("defect", |row| row.defect.clone().unwrap_or_default()),
    ("imprecise", |row| cell(row.imprecise.as_ref().map(|words| words.join(",")))),
    ("residue", |row| cell(residue(row))),
];

impl Exporter for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn describe(&self) -> &'static str {
        "a table, one row a case"
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn export(&self, run: &Run, out: &mut dyn Write) -> Result<(), ExportError> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS.map(|(heading, _)| heading))?;
        for record in &run.records {
            let row = ResultEntry::of(record, &run.header.protocol);
            writer.write_record(COLUMNS.map(|(_, cell)| cell(&row)))?;
        }
        writer.flush()?;
        Ok(())
    }
}

/// The shortest decimal that reads back as the same number; empty for none.
fn cell<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn encoding(form: Option<Form>) -> &'static str {
    match form {
        Some(Form::Prepared) => "prepared",
        Some(Form::Encoded) => "encoded",
        None => "",
    }
}

/// What outlives the call, by name: `none` where nothing does, no text where it is not known.
pub(super) fn residue(row: &ResultEntry) -> Option<String> {
    let names = row.residue.as_ref()?.iter().map(|residue| residue.name()).collect::<Vec<_>>();
    Some(if names.is_empty() { "none".to_owned() } else { names.join(",") })
}

/// As the id shows them.
fn parameters(row: &ResultEntry) -> String {
    let shown = row.parameters.iter().map(|(name, value)| match value {
        ParameterValue::Flag(_) => name.clone(),
        ParameterValue::Number(number) => format!("{name}={number}"),
        ParameterValue::Word(word) => format!("{name}={word}"),
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn exported(run: &Run) -> Vec<u8> {
        let mut bytes = Vec::new();
        Csv.export(run, &mut bytes).unwrap();
        bytes
    }

    fn rows(bytes: &[u8]) -> Vec<csv::StringRecord> {
        csv::Reader::from_reader(bytes).records().map(Result::unwrap).collect()
    }

    fn at<'a>(row: &'a csv::StringRecord, heading: &str) -> &'a str {
        &row[COLUMNS.iter().position(|(name, _)| *name == heading).unwrap()]
    }

    #[test]
    fn one_row_a_case_under_a_stable_heading() {
        let run = fixtures::run();
        let bytes = exported(&run);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.starts_with("id,name,workload,algorithm,operation,provider,backend,encoding,parameters,"));
        let rows = rows(&bytes);
        assert_eq!(rows.len(), run.records.len());
        for (row, record) in rows.iter().zip(&run.records) {
            assert_eq!(at(row, "id"), record.case.id());
            let entry = ResultEntry::of(record, &run.header.protocol);
            assert_eq!(at(row, "median_us").parse::<f64>().ok(), entry.median_us);
            assert_eq!(at(row, "max_us").parse::<f64>().ok(), entry.max_us);
        }
    }

    #[test]
    fn a_failed_case_has_its_reason_and_no_figures() {
        let rows = rows(&exported(&fixtures::run()));
        let row = rows.iter().find(|row| at(row, "status") == "failed").unwrap();
        assert_eq!(at(row, "error"), "decapsulation gave another secret");
        assert_eq!((at(row, "median_us"), at(row, "batch"), at(row, "n")), ("", "", "0"));
    }

    #[test]
    fn hostile_names_come_back_as_they_were() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = fixtures::HOSTILE.to_owned();
        run.records[1].error = Some("first line\nsecond, \"quoted\"\r\nthird".to_owned());
        let bytes = exported(&run);
        let rows = rows(&bytes);
        assert_eq!(at(&rows[0], "algorithm"), fixtures::HOSTILE);
        assert_eq!(at(&rows[1], "error"), "first line\nsecond, \"quoted\"\r\nthird");
        assert_eq!(rows.len(), run.records.len());
    }

    #[test]
    fn parameters_read_as_in_the_id() {
        let rows = rows(&exported(&fixtures::run()));
        let row = rows.iter().find(|row| at(row, "backend") == "avx2").unwrap();
        assert_eq!(at(row, "parameters"), "len=1024,deterministic,regime=disk");
        assert_eq!(at(row, "encoding"), "encoded");
    }
}
