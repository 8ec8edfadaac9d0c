//! CSV with one row per case.

use super::columns::COLUMNS;
use super::table_csv::table_csv;
use super::tables::TableChoice;
use super::{ExportError, Exporter, Format};
use crate::document::describe_case;
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::text::neutral;
use std::io::Write;

/// Figures of every case, in the format of RFC 4180, except that lines end in a line feed. A cell is empty if its
/// figure does not apply. Text is escaped for spreadsheets and terminals: see [`cell`].
///
/// If the user selects a single table of several cases, the file contains the rows of that table instead. Texts are
/// unchanged. Figures are numbers in the unit at the end of their heading. If a figure has an interval, both ends of
/// the interval follow. The last column contains the caveats.
pub(super) struct Csv {
    /// Selection of a table to write instead of the cases.
    pub(super) tables: TableChoice,
}

/// Escapes control characters and direction marks in the text of a cell. Text that a spreadsheet would interpret as a
/// formula gets a leading apostrophe.
pub(super) fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@']) && text.parse::<f64>().is_err();
    format!("{}{}", if formula { "'" } else { "" }, neutral(text))
}

impl Exporter for Csv {
    fn format(&self) -> Format {
        Format { name: "csv", describe: "a table with one row per case", extension: "csv" }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        if let Some(table) = self.tables.one(analysis)? {
            return table_csv(&table, out);
        }
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS.iter().map(|column| column.name))?;
        for row in analysis.cases().iter().map(describe_case) {
            writer.write_record(COLUMNS.iter().map(|column| cell(&column.text(&row))))?;
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
    use pqlab_analysis::CaseAnalysis;
    use pqlab_record::Run;

    fn exported(run: &Run) -> Vec<u8> {
        written(&Csv { tables: TableChoice::default() }, run)
    }

    fn rows(bytes: &[u8]) -> Vec<csv::StringRecord> {
        csv::Reader::from_reader(bytes).records().map(Result::unwrap).collect()
    }

    fn at<'a>(row: &'a csv::StringRecord, heading: &str) -> &'a str {
        &row[COLUMNS.iter().position(|column| column.name == heading).unwrap()]
    }

    #[test]
    fn cells_are_never_formulas() {
        for (text, written) in [
            ("=HYPERLINK(\"x\")", "'=HYPERLINK(\"x\")"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2.5", "-2.5"),
            ("+1e3", "+1e3"),
            ("-", "'-"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("kem/ML-KEM-768/keygen@aws-lc", "kem/ML-KEM-768/keygen@aws-lc"),
        ] {
            assert_eq!(cell(text), written);
        }
    }

    #[test]
    fn every_case_has_a_row_under_stable_headings() {
        let run = fixtures::run();
        let bytes = exported(&run);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.starts_with("id,name,workload,algorithm,operation,provider,backend,encoding,parameters,"));
        let rows = rows(&bytes);
        assert_eq!(rows.len(), run.records.len());
        for (row, record) in rows.iter().zip(&run.records) {
            assert_eq!(at(row, "id"), record.case.id());
            let entry = describe_case(&CaseAnalysis::new(&run.header, record));
            assert_eq!(at(row, "median_us").parse::<f64>().ok(), entry.median_us);
            assert_eq!(at(row, "max_us").parse::<f64>().ok(), entry.max_us);
        }
    }

    #[test]
    fn failed_cases_have_their_reason_and_no_figures() {
        let rows = rows(&exported(&fixtures::run()));
        let row = rows.iter().find(|row| at(row, "status") == "failed").unwrap();
        assert_eq!(at(row, "error"), "decapsulation gave a different secret");
        assert_eq!((at(row, "median_us"), at(row, "batch"), at(row, "n")), ("", "", "0"));
    }

    #[test]
    fn hostile_names_and_reasons_stay_on_one_line() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = fixtures::HOSTILE.to_owned();
        run.records[1].error = Some("first line\nsecond, \"quoted\"\r\nthird".to_owned());
        let bytes = exported(&run);
        let rows = rows(&bytes);
        assert_eq!(at(&rows[0], "algorithm"), neutral(fixtures::HOSTILE));
        assert_eq!(at(&rows[1], "error"), r#"first line\nsecond, "quoted"\r\nthird"#);
        assert_eq!(rows.len(), run.records.len());
    }

    #[test]
    fn parameters_have_the_form_of_the_id() {
        let rows = rows(&exported(&fixtures::run()));
        let row = rows.iter().find(|row| at(row, "backend") == "avx2").unwrap();
        assert_eq!(at(row, "parameters"), "len=1024,deterministic,regime=disk");
        assert_eq!(at(row, "encoding"), "encoded");
    }
}
