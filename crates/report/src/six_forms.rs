//! Tests that all six output forms show every table of several cases. Each form must contain the text of every row and
//! the caveats of its cases.

use crate::document::describe_table;
use crate::exporters::{ExportOptions, exporters_with, table_csv};
use crate::fixtures;
use crate::templates::{Around, Page, page};
use crate::terminal::{self, Palette};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::{Cell, Holds, NAMES, Table, tables};
use pqlab_record::Run;
use pqlab_record::document::TableEntry;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

const FORMS: [&str; 6] = ["terminal", "markdown", "latex", "csv", "page", "json"];

/// A whole run in the forms that contain all tables. Each is rendered only once, because that takes long.
struct Whole<'a> {
    analysis: RunAnalysis<'a>,
    markdown: String,
    latex: String,
    json: serde_json::Value,
    /// The page without escapes.
    page: String,
}

impl<'a> Whole<'a> {
    fn new(run: &'a Run) -> Whole<'a> {
        let analysis = RunAnalysis::new(run);
        let scenario = &RelayScenario::default();
        let (page, _) = page(&Page { analysis: &analysis, past: &[], scenario, around: Around::default() });
        Whole {
            markdown: exported("markdown", &analysis, None),
            latex: exported("latex", &analysis, None),
            json: serde_json::from_str(&exported("json", &analysis, None)).unwrap(),
            page: plain(&page),
            analysis,
        }
    }

    /// Returns a table in a form, without escapes. For the page, returns the whole page.
    fn table(&self, form: &str, table: &Table) -> Cow<'_, str> {
        let text = match form {
            "terminal" => terminal::tables(std::slice::from_ref(table), 10_000, Palette::PLAIN),
            "markdown" => self.alone(form, &self.markdown, table),
            "latex" => self.alone(form, &self.latex, table),
            "csv" => {
                let mut bytes = Vec::new();
                table_csv(table, &mut bytes).unwrap();
                String::from_utf8(bytes).unwrap()
            }
            "json" => {
                let entry: TableEntry = serde_json::from_value(self.json["tables"][table.name].clone()).unwrap();
                assert_eq!(entry, describe_table(table));
                serde_json::to_string(&entry).unwrap()
            }
            _ => return Cow::Borrowed(&self.page),
        };
        Cow::Owned(plain(&text))
    }

    /// Returns a single table in a format. Checks that the file of the complete run contains the same text.
    fn alone(&self, format: &str, all: &str, table: &Table) -> String {
        let alone = exported(format, &self.analysis, Some(table.name));
        // A LaTeX file begins with a comment about the required packages, so skip to the table.
        let part = alone.find("\\begin{").map_or(alone.as_str(), |from| &alone[from..]);
        assert!(all.contains(part.trim()), "{format}: the whole file lacks {}:\n{alone}\nin\n{all}", table.name);
        alone
    }
}

fn exported(format: &str, analysis: &RunAnalysis<'_>, table: Option<&str>) -> String {
    let options = ExportOptions { table: table.map(str::to_owned), ..ExportOptions::default() };
    let exporter = exporters_with(&options).into_iter().find(|exporter| exporter.name() == format).unwrap();
    let mut bytes = Vec::new();
    exporter.export(analysis, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Removes the escapes of all output forms, and joins the lines.
fn plain(text: &str) -> String {
    let unescaped = text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    let symbols = unescaped
        .replace("\\textmu{}", "µ")
        .replace("\\textpm{}", "±")
        .replace("\\texttimes{}", "×")
        .replace("\\allowbreak{}", "")
        .replace("$\\pm$", "±")
        .replace("$\\mu$", "µ")
        .replace("$\\times$", "×");
    symbols.replace(['\\', '{', '}', '$'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn runs() -> Vec<Run> {
    vec![
        fixtures::references_run(),
        fixtures::scaling_run(),
        fixtures::ntor_ahead_run(),
        fixtures::libraries_run(),
        fixtures::batches_run(),
        fixtures::workers_run(),
        fixtures::tls_run(),
        fixtures::ssh_run(),
        fixtures::quic_run(),
        fixtures::protocols_run(),
        fixtures::mtc_run(),
        fixtures::cms_run(),
    ]
}

#[test]
fn every_form_shows_every_table() {
    let mut counted = BTreeSet::new();
    for run in runs() {
        let whole = Whole::new(&run);
        let found_on_page = RefCell::new(BTreeSet::new());
        for table in tables(&whole.analysis, &RelayScenario::default()) {
            for form in FORMS {
                let text = whole.table(form, &table);
                let has = |wanted: &str| {
                    let wanted = plain(wanted);
                    // The page is long, so search it only once for each text.
                    let is_page = form == "page";
                    let is_found = (is_page && found_on_page.borrow().contains(&wanted)) || text.contains(&wanted);
                    if is_page && is_found {
                        found_on_page.borrow_mut().insert(wanted);
                    }
                    is_found
                };
                if form != "csv" {
                    assert!(has(&table.title), "{form} does not show the title of {}:\n{text}", table.name);
                    table.notes.iter().for_each(|note| assert!(has(note), "{form} of {} lost {note:?}", table.name));
                }
                for row in &table.rows {
                    for (cell, column) in row.cells.iter().zip(&table.columns) {
                        let number = |cell: &Cell| cell.number.map(|number| number.estimate.to_string());
                        let wanted = match (form, column.holds) {
                            ("csv", Holds::Figures) => number(cell).unwrap_or_default(),
                            _ if cell.is_empty() => continue,
                            _ => cell.text.clone(),
                        };
                        assert!(has(&wanted), "{form} of {} lost {wanted:?} of {}", table.name, column.name);
                    }
                    for (caveat, says) in row.caveats.notes() {
                        assert!(has(caveat.word()), "{form} of {} lost {caveat:?}", table.name);
                        // The terminal's table gives reasons only for imprecision.
                        // `show CASE` gives all reasons.
                        assert!(form == "terminal" || has(says), "{form} of {} lost {says:?}", table.name);
                    }
                }
                counted.insert((table.name, form));
            }
        }
    }
    assert_eq!(counted.len(), NAMES.len() * FORMS.len(), "{counted:?}");
}

#[test]
fn fixtures_have_rows_with_caveats() {
    let run = fixtures::references_run();
    let analysis = RunAnalysis::new(&run);
    let marked = tables(&analysis, &RelayScenario::default())
        .into_iter()
        .filter(|table| table.rows.iter().any(|row| row.caveats.text().contains(fixtures::REFERENCES_DEFECT)));
    let marked: Vec<&str> = marked.map(|table| table.name).collect();
    assert!(marked.len() >= 8, "{marked:?}");
}

#[test]
fn errors_for_missing_tables_list_the_available_ones() {
    let options = ExportOptions { table: Some("ledger-block".to_owned()), ..ExportOptions::default() };
    let run = fixtures::references_run();
    for exporter in exporters_with(&options) {
        if !crate::exporters::TABLE_FORMATS.contains(&exporter.name()) {
            continue;
        }
        let error = exporter.export(&RunAnalysis::new(&run), &mut Vec::new()).unwrap_err().to_string();
        assert!(error.contains("no table \"ledger-block\"") && error.contains("ledger-blocks"), "{error}");
    }
}
