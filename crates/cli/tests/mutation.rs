//! Changes every field in every input format to values that nobody would write. pqlab must reject the file with a
//! reason, or accept it. It must be able to show and export an accepted file, and the export must equal the input.
//!
//! By default, each field gets only one of the values. `PQLAB_MUTATIONS=long` tries all values for all fields, and
//! pairs of fields in the same object. This takes minutes.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "mutation/changes.rs"]
mod changes;
mod common;
#[path = "mutation/tally.rs"]
mod tally;

use changes::{Change, Step, changed, changes, fields, name};
use common::{Pqlab, text, write};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::analysis::series::SeriesRequest;
use pqlab_lab::analysis::tables::tables;
use pqlab_lab::record::document::{FileError, read_run};
use pqlab_lab::record::{Chunk, Conditions, CpuTime, Disturbance, Offsets, Residue, Run};
use pqlab_lab::report::templates::{Around, Page, page};
use pqlab_lab::report::terminal::{self, Palette};
use pqlab_lab::report::{exporter, exporters};
use pqlab_lab::store::{Import, Store};
use pqlab_lab::{RelayDescriptor, RelayKeys, SeriesReport};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tally::{Outcome, Tally, refused};

/// Returns a run of four cases with a value in every optional field.
fn run() -> Run {
    let mut run = pqlab_fixtures::small_run();
    let record = &mut run.records[0];
    record.case.facts.defect = Some("accepts invalid signatures".to_owned());
    record.case.facts.generator = Some("the library's own".to_owned());
    let visit = record.samples.visits.last_mut().unwrap();
    visit.extra = vec![("signature_bytes".to_owned(), vec![650.0, 651.5])];
    visit.disturbances = vec![Disturbance::Steal { pct: 3.5 }];
    visit.conditions = Conditions {
        chunks: vec![Chunk { samples: 2, clock_hz: 3.7e9, shared: true }],
        processor: Some(3),
        residues: Some(Residue::ALL.to_vec()),
        first_call_ns: Some(3e7),
        cpu_time: Some(CpuTime { cpu_ns: 9_900_000, wall_ns: 10_000_000 }),
        offsets: Some(Offsets { stack: 16, heap: 32, keys: 48 }),
    };
    run.header.protocol.affinity = Some(vec![0, 1]);
    run.header.plan = run.records.iter().map(|record| record.case.clone()).collect();
    run
}

fn exported(format: &str, run: &Run) -> Value {
    let mut bytes: Vec<u8> = Vec::new();
    exporter(format).unwrap().export(&RunAnalysis::new(run), &mut bytes).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// Returns a folder in memory if possible, because the disk would slow down thousands of small files and transactions.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Generates every output for a run and discards it. Generates charts only if `pictures` is set.
fn show(run: &Run, pictures: bool) {
    let analysis = RunAnalysis::new(run);
    let scenario = RelayScenario::default();
    let made = tables(&analysis, &scenario);
    for width in [40, usize::MAX] {
        terminal::run_table(&analysis, &made, width, Palette::PLAIN);
        terminal::run_summary(&analysis, &made, width, Palette::PLAIN);
        terminal::tables(&made, width, Palette::PLAIN);
    }
    for case in analysis.cases() {
        terminal::show_case(case, &[], 120, Palette::PLAIN);
    }
    for exporter in exporters() {
        // A format that cannot represent the run returns an error.
        exporter.export(&analysis, &mut std::io::sink()).ok();
    }
    if pictures {
        page(&Page { analysis: &analysis, past: &[], scenario: &scenario, around: Around::default() });
    }
}

/// Returns whether two runs are equal except for `precision_reached`. A file may contain any value of this field, but
/// an export computes the value from the samples.
fn same(one: &Run, other: &Run) -> bool {
    let without = |run: &Run| {
        let mut run = run.clone();
        run.records.iter_mut().for_each(|record| record.precision_reached = false);
        run
    };
    without(one) == without(other)
}

/// Imports a file with the code of `pqlab import`, then shows and exports the run. Skips the rest if the run is equal
/// to `unchanged`.
fn import(store: &mut Store, file: &Path, unchanged: &Run, pictures: bool) -> Result<Outcome, String> {
    for left in store.runs().map_err(|error| error.to_string())? {
        store.delete_run(&left.id).map_err(|error| error.to_string())?;
    }
    let run = match read_run(file) {
        Ok(run) if run == *unchanged => return Ok(Outcome::Taken),
        Ok(run) => run,
        Err(error) => return refused(&error.to_string(), matches!(error, FileError::Json(_))),
    };
    match store.import_run(&run) {
        Ok(Import::Stored) => {}
        Ok(Import::AlreadyThere) => return Err("the store was not empty".to_owned()),
        Err(error) => return refused(&error.to_string(), false),
    }
    let stored = store.load_run(&run.header.id).map_err(|error| format!("cannot find the stored run: {error}"))?;
    if stored != run {
        return Err("the stored run differs from the file".to_owned());
    }
    show(&stored, pictures);
    let mut bytes: Vec<u8> = Vec::new();
    let format = exporter("json-samples").ok_or("the json-samples format is missing")?;
    format.export(&RunAnalysis::new(&stored), &mut bytes).map_err(|error| format!("the export fails: {error}"))?;
    fs::write(file, bytes).map_err(|error| error.to_string())?;
    match read_run(file) {
        Ok(again) if same(&again, &stored) => Ok(Outcome::Taken),
        Ok(_) => Err("the exported run differs from the stored run".to_owned()),
        Err(error) => Err(format!("the exported run is rejected: {error}")),
    }
}

#[test]
fn a_run_with_any_field_changed_is_refused_or_shown_and_exported() {
    let folder = folder();
    let (file, mut store) = (folder.path().join("run.json"), Store::open(folder.path().join("runs.db")).unwrap());
    let document = exported("json-samples", &run());
    fs::write(&file, document.to_string()).unwrap();
    let unchanged = read_run(&file).unwrap();
    assert!(store.import_run(&unchanged).unwrap() == Import::Stored && unchanged.records.len() == run().records.len());
    show(&unchanged, true);
    let (mut tally, mut shown) = (Tally::new(), 0);
    tally.json("json-samples", &document, |text| {
        fs::write(&file, text).map_err(|error| error.to_string())?;
        shown += 1;
        import(&mut store, &file, &unchanged, shown % 16 == 0)
    });
    tally.end();
}

/// Computes the statistics of a sample file, alone and compared with an unchanged file.
fn samples(file: &Path, other: &Path) -> Result<Outcome, String> {
    let request = SeriesRequest { resamples: 20, ..SeriesRequest::default() };
    for other in [None, Some(other)] {
        match SeriesReport::new(file, other, None, &request) {
            Ok(report) => drop(report.to_json()),
            Err(error) => return refused(&error.to_string(), false),
        }
    }
    Ok(Outcome::Taken)
}

#[test]
fn samples_with_any_field_changed_are_refused_or_described() {
    let folder = folder();
    let (file, other) = (folder.path().join("samples.json"), folder.path().join("other.json"));
    let lists = r#"{"a": [1, 2.5, 3], "b": [4, 5, 6.5], "note": "n"}"#;
    let one_list = "[1, 2.5, 3, 4]";
    let mut documents: Vec<(&str, Value)> =
        ["google-benchmark", "hyperfine", "pyperf"].map(|format| (format, exported(format, &run()))).into();
    documents
        .extend([("lists", lists), ("a list", one_list)].map(|(of, text)| (of, serde_json::from_str(text).unwrap())));
    let mut tally = Tally::new();
    for (of, document) in &documents {
        fs::write(&other, document.to_string()).unwrap();
        fs::write(&file, document.to_string()).unwrap();
        assert!(matches!(samples(&file, &other), Ok(Outcome::Taken)), "{of}: the unchanged file is rejected");
        tally.json(of, document, |text| {
            fs::write(&file, text).map_err(|error| error.to_string())?;
            samples(&file, &other)
        });
    }
    tally.end();
}

#[test]
fn tables_with_any_cell_changed_are_refused_or_described() {
    let folder = folder();
    let (file, other) = (folder.path().join("samples.csv"), folder.path().join("other.csv"));
    let long = "9".repeat(100_000);
    let cells = [
        "",
        " ",
        "0",
        "-1",
        "1e308",
        "-1e308",
        "5e-324",
        "1e999",
        "inf",
        "NaN",
        "1,5",
        "18446744073709551616",
        "true",
        "\"",
        "\"\"",
        "\"a\nb\"",
        "\r\n",
        "\u{0}",
        "\u{feff}",
        "\u{1b}[2J",
        "\u{202e}1",
        "../x",
        "<script>",
        "=1+1",
        long.as_str(),
    ];
    let columns = "name,ns,cycles\na,1,2.5\nb,2,3.5\nc,3,4.5\n";
    let loads = "concurrency,operations,seconds\n1,100,1.0\n2,190,1.0\n4,350,1.0\n8,500,1.0\n";
    let mut tally = Tally::new();
    for (of, table) in [("columns", columns), ("loads", loads)] {
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
        let written = |rows: &[Vec<&str>]| rows.iter().map(|row| row.join(",") + "\n").collect::<String>();
        fs::write(&other, table).unwrap();
        let mut attempt = |what: &str, rows: &[Vec<&str>]| {
            fs::write(&file, written(rows)).unwrap();
            // A load file holds no series of samples, so it is not compared with another file.
            tally.attempt(&format!("{of}: {what}"), || match of {
                "loads" => match SeriesReport::new(&file, None, None, &SeriesRequest::default()) {
                    Ok(report) => {
                        drop(report.to_json());
                        Ok(Outcome::Taken)
                    }
                    Err(error) => refused(&error.to_string(), false),
                },
                _ => samples(&file, &other),
            });
        };
        attempt("unchanged", &rows);
        for (row, column) in (0..rows.len()).flat_map(|row| (0..rows[row].len()).map(move |column| (row, column))) {
            for cell in cells {
                let mut changed = rows.clone();
                changed[row][column] = cell;
                attempt(
                    &format!("row {row}, column {column}: {:?}", cell.chars().take(20).collect::<String>()),
                    &changed,
                );
            }
            let mut changed = rows.clone();
            changed[row].remove(column);
            attempt(&format!("row {row} without column {column}"), &changed);
        }
        for row in 0..rows.len() {
            let (mut fewer, mut more) = (rows.clone(), rows.clone());
            fewer.remove(row);
            more.insert(row, rows[row].clone());
            attempt(&format!("without row {row}"), &fewer);
            attempt(&format!("row {row} twice"), &more);
        }
    }
    tally.end();
}

#[test]
fn relay_keys_with_any_field_changed_are_refused_or_round_trip() {
    let folder = folder();
    let file = folder.path().join("relay.json");
    let relay = RelayDescriptor { identity: [1; 20], onion_key: [2; 32] };
    let keys = RelayKeys::new("127.0.0.1:9001".parse().unwrap(), relay);
    let document: Value = serde_json::from_str(&keys.to_json()).unwrap();
    let mut tally = Tally::new();
    let attempt = |text: &str| {
        fs::write(&file, text).map_err(|error| error.to_string())?;
        let read = match RelayKeys::read(&file) {
            Ok(read) => read,
            Err(error) => return refused(&error.to_string(), false),
        };
        fs::write(&file, read.to_json()).map_err(|error| error.to_string())?;
        match RelayKeys::read(&file) {
            Ok(again) if again == read => Ok(Outcome::Taken),
            other => Err(format!("the written keys differ: {other:?}")),
        }
    };
    tally.attempt("unchanged", || attempt(&keys.to_json()));
    // The document has only four fields, so try all changes on each of them.
    let all = changes();
    for field in fields(&document, true) {
        for (as_what, change) in &all {
            let text = changed(&document, &[(&field, change)]);
            tally.attempt(&format!("relay: {} as {as_what}", name(&field)), || attempt(&text));
        }
    }
    tally.end();
}

#[test]
fn a_refused_import_prints_one_line_and_exits_with_2() {
    let pqlab = Pqlab::new();
    let document = exported("json-samples", &run());
    let of_run = |key: &str| vec![Step::Key("run".to_owned()), Step::Key(key.to_owned())];
    let written = |text: &str| Change::Written(text.to_owned());
    for (field, change, wanted) in [
        (of_run("id"), Change::Removed, "missing field `id`"),
        (of_run("id"), Change::Doubled, "duplicate field `id`"),
        (of_run("id"), written("\"../../x\""), "invalid run id"),
        (of_run("id"), written("\"\\u001b[2J\u{202e}x\""), "invalid run id"),
        (of_run("seed"), written("18446744073709551616"), "line"),
        (of_run("seed"), written("NaN"), "line"),
        (vec![Step::Key("schema".to_owned())], written("\"pqlab/\\u001b[2J\u{202e}9\""), "schema is"),
    ] {
        let file = write(&pqlab.path("run.json"), &changed(&document, &[(&field, &change)]));
        let output = pqlab.run(&["import", &file]);
        let printed = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(printed.contains("cannot import ") && printed.contains(wanted), "{printed}");
        assert!(printed.trim_end().lines().count() == 1 && !printed.contains(['\u{1b}', '\u{202e}']), "{printed:?}");
    }
}
