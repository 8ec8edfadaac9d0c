//! Tests that all six output forms show every table of several cases. Each form must contain the text of every row and
//! the caveats of its cases.

use crate::document::describe_table;
use crate::exporters::{ExportOptions, exporters_with, table_csv, written};
use crate::fixtures;
use crate::templates::{Around, Page, page};
use crate::terminal::{self, Palette};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::{Cell, Holds, NAMES, Table, tables};
use pqlab_record::Run;
use pqlab_record::document::TableEntry;
use std::collections::BTreeSet;

/// Name of an output form, and the function that renders a table of a run in that form.
type Form = (&'static str, fn(&Run, &Table) -> String);

const FORMS: [Form; 6] = [
    ("terminal", |_, table| terminal::tables(std::slice::from_ref(table), 10_000, Palette::PLAIN)),
    ("markdown", |run, table| exported("markdown", run, table)),
    ("latex", |run, table| exported("latex", run, table)),
    ("csv", |_, table| {
        let mut bytes = Vec::new();
        table_csv(table, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }),
    ("page", |run, _| {
        let analysis = RunAnalysis::new(run);
        page(&Page { analysis: &analysis, past: &[], scenario: &RelayScenario::default(), around: Around::default() }).0
    }),
    ("json", |run, table| {
        let document: serde_json::Value = serde_json::from_str(&whole("json", run, None)).unwrap();
        let entry: TableEntry = serde_json::from_value(document["tables"][table.name].clone()).unwrap();
        assert_eq!(entry, describe_table(table));
        serde_json::to_string(&entry).unwrap()
    }),
];

fn whole(format: &str, run: &Run, table: Option<&str>) -> String {
    let options = ExportOptions { table: table.map(str::to_owned), ..ExportOptions::default() };
    let exporter = exporters_with(&options).into_iter().find(|exporter| exporter.name() == format).unwrap();
    String::from_utf8(written(exporter.as_ref(), run)).unwrap()
}

/// Returns a single table in a format. Checks that the file of the complete run contains the same text.
fn exported(format: &str, run: &Run, table: &Table) -> String {
    let alone = whole(format, run, Some(table.name));
    let all = whole(format, run, None);
    // A LaTeX file begins with a comment about the required packages, so skip to the table.
    let part = alone.find("\\begin{").map_or(alone.as_str(), |from| &alone[from..]);
    assert!(all.contains(part.trim()), "{format}: the whole file lacks {}:\n{alone}\nin\n{all}", table.name);
    alone
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
    ]
}

#[test]
fn every_form_shows_every_table() {
    let mut counted = BTreeSet::new();
    for run in runs() {
        let analysis = RunAnalysis::new(&run);
        for table in tables(&analysis, &RelayScenario::default()) {
            for (form, render) in FORMS {
                let text = plain(&render(&run, &table));
                let has = |wanted: &str| text.contains(&plain(wanted));
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
