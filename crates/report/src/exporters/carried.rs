//! Tests that every format contains every caveat. Each of the [`exporters`] writes runs with all caveats, and the tests
//! read the output back. New formats are tested automatically.

use super::{Exporter, exporters, written};
use crate::fixtures;
use parquet::file::reader::{FileReader, SerializedFileReader};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::caveats::Caveat;
use pqlab_record::{Case, Run};
use serde_json::Value;

/// Returns the texts in a format's output. Selects the parser by the format's file name extension.
fn texts(exporter: &dyn Exporter, run: &Run) -> Vec<String> {
    let bytes = written(exporter, run);
    let text = || String::from_utf8(bytes.clone()).unwrap();
    match exporter.format().extension {
        "json" => {
            let mut found = Vec::new();
            collect(&serde_json::from_slice(&bytes).unwrap(), &mut found);
            found
        }
        extension @ ("csv" | "tsv") => {
            assert!(!text().lines().any(|line| line.starts_with('#')), "CSV must not contain comments");
            let delimiter = if extension == "csv" { b',' } else { b'\t' };
            let mut reader =
                ::csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(bytes.as_slice());
            reader.records().flat_map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()).collect()
        }
        "parquet" => {
            let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
            let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
            let cells = rows.iter().flat_map(|row| row.get_column_iter());
            cells.map(|(_, field)| field.to_string().trim_matches('"').to_owned()).collect()
        }
        // Text formats such as Markdown and LaTeX escape with backslashes, so remove them.
        _ => vec![text().replace('\\', "")],
    }
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            found.push(key.clone());
            collect(value, found);
        }),
        _ => {}
    }
}

/// Reduces a run to a single case of `operation`.
fn only(mut run: Run, operation: &str) -> Run {
    run.records.retain(|record| record.case.operation == operation);
    run.records.truncate(1);
    run.header.plan = plan(&run);
    assert_eq!(run.records.len(), 1, "{operation}");
    run
}

fn plan(run: &Run) -> Vec<Case> {
    run.records.iter().map(|record| record.case.clone()).collect()
}

/// Returns the caveats of all cases in the run, with their messages.
fn caveats_of(run: &Run) -> Vec<(Caveat, String)> {
    let analysis = RunAnalysis::new(run);
    let found = analysis.cases().iter().flat_map(|case| case.caveats.iter());
    found.map(|(caveat, says)| (caveat, says.to_owned())).collect()
}

/// Returns the formats that can express the run.
fn takers(run: &Run) -> Vec<Box<dyn Exporter>> {
    exporters().into_iter().filter(|exporter| exporter.check(&plan(run)).is_ok()).collect()
}

#[test]
fn every_format_carries_every_caveat() {
    for (operation, refused) in [("verify", &["sha3-csv"][..]), ("digest", &[]), ("encapsulate", &["sha3-csv"])] {
        let run = only(fixtures::doubtful_run(), operation);
        let wanted = caveats_of(&run);
        assert_eq!(wanted.iter().map(|(caveat, _)| *caveat).collect::<Vec<_>>(), Caveat::ALL);
        let takers = takers(&run);
        let all = exporters();
        let missing: Vec<&str> =
            all.iter().map(|of| of.name()).filter(|name| !takers.iter().any(|of| of.name() == *name)).collect();
        assert_eq!(missing, refused, "{operation}");
        for exporter in takers {
            let texts = texts(exporter.as_ref(), &run);
            for (caveat, says) in &wanted {
                let found = texts.iter().any(|text| text.contains(says));
                let named = texts.iter().any(|text| text.contains(caveat.word()));
                assert!(found && named, "{} lost {caveat:?}, which says {says:?}", exporter.name());
            }
        }
    }
}

/// The output for a run without caveats must not contain text that looks like a caveat, for example in a legend.
#[test]
fn formats_have_no_caveats_of_sound_runs() {
    for operation in ["verify", "digest", "encapsulate"] {
        let doubtful = only(fixtures::doubtful_run(), operation);
        let sound = only(fixtures::sound_run(), operation);
        assert_eq!(caveats_of(&sound), []);
        for exporter in takers(&sound) {
            let texts = texts(exporter.as_ref(), &sound);
            for (caveat, says) in caveats_of(&doubtful) {
                assert!(!texts.iter().any(|text| text.contains(&says)), "{} must not show {caveat:?}", exporter.name());
            }
        }
    }
}

/// Dashboards identify a case by its name, so caveats must not change it.
#[test]
fn caveats_do_not_change_names() {
    let sound = only(fixtures::run(), "encapsulate");
    let mut defective = sound.clone();
    defective.records[0].case.facts.defect = Some(fixtures::DEFECT.to_owned());
    let id = sound.records[0].case.id();
    let mut by_id = 0;
    for exporter in takers(&sound) {
        let named = |run: &Run| {
            texts(exporter.as_ref(), run).iter().filter(|text| text.starts_with(&id)).cloned().collect::<Vec<_>>()
        };
        assert_eq!(named(&defective), named(&sound), "{}", exporter.name());
        by_id += usize::from(!named(&sound).is_empty());
    }
    assert!(by_id >= 10, "only {by_id} formats name cases by id");
}

/// The terminal and the page must show the same caveats.
#[test]
fn terminal_and_page_show_the_same_caveats() {
    use crate::templates::{Around, Page, page};
    use crate::terminal::{Palette, run_table, show_case};
    use pqlab_analysis::ntor::RelayScenario;
    let run = only(fixtures::doubtful_run(), "verify");
    let analysis = RunAnalysis::new(&run);
    let (table, case) =
        (run_table(&analysis, &[], 200, Palette::PLAIN), show_case(&analysis.cases()[0], &[], 200, Palette::PLAIN));
    let page =
        page(&Page { analysis: &analysis, past: &[], scenario: &RelayScenario::default(), around: Around::default() })
            .0;
    for (caveat, says) in caveats_of(&run) {
        assert!(!caveat.is_note() || table.contains(caveat.word()), "{caveat:?} is not in\n{table}");
        // The page states this caveat only once, in its first lines.
        let says = if caveat == Caveat::Spread { "spread between runs assumed" } else { &says };
        assert!(page.contains(caveat.legend()) && page.contains(says), "{caveat:?} is not on the page");
    }
    for wanted in [
        "\n  defect (known defect: ",
        "\n  known defect  accepts",
        "\n  private key   seed",
        "\n  leftover state  vector-upper",
    ] {
        assert!(case.contains(wanted), "{wanted:?} is not in\n{case}");
    }
}
