//! Tests that every exporter, the page and the terminal safely show names with special characters and commands.

use super::{Format, exporters};
use crate::fixtures;
use crate::templates::{Around, Page, page};
use crate::terminal::{Palette, run_table, show_case};
use parquet::file::reader::{FileReader, SerializedFileReader};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::history::Past;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::text::neutral;
use pqlab_record::{Parameter, Run};
use serde_json::Value;

fn names() -> Vec<String> {
    let names = [
        "<script>alert('x')</script><img src=x onerror=alert(1)>",
        "</script></style></title><!--",
        "a,b;c\td",
        "\"double\" 'single' `back` \\\"",
        "two\r\nlines\rand\nmore\u{2028}",
        "a & b &amp; && c",
        "100% %s %n %",
        "under_score__x_",
        "{{braces}} {{{STYLE}}} \\input{/etc/passwd} \\end{tabular} $x^2$ #1 ~",
        "| a | b | [link](javascript:alert(1)) ![i](http://x.example) **b** ``` # h",
        "../../etc/passwd",
        "\u{1b}[31m\u{7}\u{0}\u{202e}",
        "é漢字😀 Ω ß",
        " ",
    ];
    names
        .into_iter()
        .map(str::to_owned)
        .chain(["x".repeat(3000), "漢字 & _".repeat(400), fixtures::HOSTILE.into()])
        .collect()
}

/// Replaces all names in a run with `name`. Overhead cases and hash cases keep the names that formats depend on.
fn named(run: Run, name: &str) -> Run {
    let mut run = run;
    for (index, record) in run.records.iter_mut().enumerate() {
        // Append the index, so that cases stay distinct.
        let unique = format!("{name}{index}");
        record.error = record.error.as_ref().map(|_| name.to_owned());
        let case = &mut record.case;
        case.facts.defect = Some(name.to_owned());
        case.parameters.push(Parameter::Word(name.to_owned(), name.to_owned()));
        match case.workload.as_str() {
            "floor" => continue,
            // The exporter `sha3-csv` finds functions by name, so keep the names of hash functions.
            "hash" => case.provider = unique,
            _ => {
                case.workload = name.to_owned();
                case.algorithm = unique.clone();
                case.operation = name.to_owned();
                case.provider = unique;
            }
        }
    }
    let header = &mut run.header;
    header.plan = run.records.iter().map(|record| record.case.clone()).collect();
    for text in [&mut header.id, &mut header.suite, &mut header.command, &mut header.started_at] {
        *text = name.to_owned();
    }
    let environment = &mut header.environment;
    environment.host.name = Some(name.to_owned());
    environment.host.container = Some(name.to_owned());
    environment.cpu.features.push(name.to_owned());
    for text in [&mut environment.cpu.model, &mut environment.cpu.architecture, &mut environment.os.name] {
        *text = name.to_owned();
    }
    for text in [&mut environment.build.version, &mut environment.build.rustc, &mut environment.build.profile] {
        *text = name.to_owned();
    }
    for provider in &mut environment.providers {
        (provider.id, provider.version, provider.build) = (name.to_owned(), name.to_owned(), name.to_owned());
        (provider.language, provider.runtime) = (Some(name.to_owned()), Some(name.to_owned()));
    }
    run.finished_at = Some(name.to_owned());
    run
}

/// Adds all texts and keys of a document to `found`.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            found.push(key.clone());
            texts(value, found);
        }),
        _ => {}
    }
}

/// Returns whether a text contains the name, either unchanged or with control characters escaped.
fn holds(all: &[String], name: &str) -> bool {
    all.iter().any(|text| text.contains(name) || text.contains(&neutral(name)))
}

/// Returns the number of unescaped bars in a Markdown row.
fn cells(line: &str) -> usize {
    line.replace("\\\\", "").replace("\\|", "").matches('|').count()
}

/// Returns the number of column separators in a LaTeX row.
fn ampersands(line: &str) -> usize {
    line.replace("\\&", "").matches('&').count()
}

fn check_markdown(text: &str, name: &str) {
    let mut columns = 0;
    let mut fence = false;
    for line in text.lines() {
        if line.starts_with("```") {
            fence = !fence;
            continue;
        }
        if fence {
            continue;
        }
        columns = match (line.starts_with('|'), columns) {
            (false, _) => 0,
            (true, 0) => cells(line),
            (true, columns) => {
                assert_eq!(cells(line), columns, "{line}");
                columns
            }
        };
        let spans: String = line.replace("\\`", "").split('`').step_by(2).collect();
        assert!(!spans.contains('<') && !spans.replace("\\]", "").replace("\\[", "").contains("]("), "{line}");
    }
    assert!(!fence, "{name}: unclosed code block");
}

fn check_latex(text: &str) {
    // A LaTeX comment ends with its line, so it cannot contain commands. Skip comments.
    let text: String = text.lines().filter(|line| !line.starts_with('%')).map(|line| format!("{line}\n")).collect();
    let plain = text.replace("\\{", "").replace("\\}", "");
    assert_eq!(plain.matches('{').count(), plain.matches('}').count(), "unbalanced braces");
    for word in ["\\input", "\\end{document}", "\\x"] {
        assert!(!text.contains(word), "{word}");
    }
    assert_eq!(text.matches("\\end{tabular}").count(), text.matches("\\begin{tabular}").count());
    assert!(text.is_ascii(), "plain pdfLaTeX only reads ASCII");
    for line in text.lines().filter(|line| line.ends_with("\\\\") && !line.starts_with("\\caption")) {
        let wanted = if line.contains("\\multicolumn{7}") { 2 } else { 8 };
        assert_eq!(ampersands(line), wanted, "{line}");
    }
    let specials = plain
        .lines()
        .filter(|line| !line.starts_with('%'))
        .map(|line| line.replace("\\%", "").replace("\\#", "").replace("\\_", "").matches(['%', '#', '_']).count());
    assert_eq!(specials.sum::<usize>(), 0, "LaTeX would interpret a character as a command");
}

/// Parses a file according to its extension, so that new formats are checked like the others with the same extension.
fn check(format: Format, bytes: &[u8], run: &Run, name: &str) {
    let Format { name: format, extension, .. } = format;
    let text = || String::from_utf8(bytes.to_vec()).unwrap();
    match extension {
        "json" => {
            let document: Value = serde_json::from_slice(bytes).unwrap();
            let mut all = Vec::new();
            texts(&document, &mut all);
            // pyperf rejects line feeds and leading or trailing spaces, so its exporter collapses
            // white space.
            let words = name.split_whitespace().collect::<Vec<_>>().join(" ");
            let name = if format == "pyperf" { &words } else { name };
            assert!(holds(&all, name), "{format} lost {name:?}");
        }
        "csv" | "tsv" => {
            // The CSV reader fails if a row has more or fewer cells than the first row.
            let delimiter = if extension == "csv" { b',' } else { b'\t' };
            let mut reader = ::csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(bytes);
            let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            assert!(rows.len() > 1, "{format}");
            let all: Vec<String> = rows.iter().flatten().map(str::to_owned).collect();
            // SHA-3 tables contain function names only.
            assert!(format == "sha3-csv" || holds(&all, name), "{format} lost {name:?}");
        }
        "md" => check_markdown(&text(), name),
        "tex" => check_latex(&text()),
        "parquet" => {
            let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.to_vec())).unwrap();
            let rows: Vec<String> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
            assert_eq!(rows.len(), run.records.len());
            assert!(rows.iter().any(|row| row.contains(name)), "parquet lost {name:?}");
        }
        // All other files must be text without control characters.
        _ => {
            assert!(!text().chars().any(|character| character.is_control() && !"\n\t".contains(character)), "{format}")
        }
    }
}

#[test]
fn hostile_names_pass_through_every_exporter() {
    for name in names() {
        let run = named(fixtures::run(), &name);
        let analysis = RunAnalysis::new(&run);
        for exporter in exporters() {
            let mut bytes = Vec::new();
            exporter.export(&analysis, &mut bytes).unwrap();
            check(exporter.format(), &bytes, &run, &name);
            for note in exporter.notes(&analysis) {
                assert!(!note.chars().any(char::is_control), "{}: {note:?}", exporter.name());
            }
        }
    }
}

#[test]
fn hostile_names_pass_through_the_page() {
    let plain = |run: &Run| {
        let analysis = RunAnalysis::new(run);
        page(&Page {
            analysis: &analysis,
            past: &[Past::new(run)],
            scenario: &RelayScenario::default(),
            around: Around::default(),
        })
        .0
    };
    let tags =
        |text: &str| ["<script", "</script", "<img", "<style", "</title", "<!--"].map(|tag| text.matches(tag).count());
    let usual = tags(&plain(&named(fixtures::run(), "plain")));
    for name in names() {
        let text = plain(&named(fixtures::run(), &name));
        assert_eq!(tags(&text), usual, "{name:?}");
        assert!(!text.contains(" onerror=alert(1)>") && !text.contains('\0') && !text.contains('\u{202e}'), "{name:?}");
        for chart in page(&Page {
            analysis: &RunAnalysis::new(&named(fixtures::run(), &name)),
            past: &[],
            scenario: &RelayScenario::default(),
            around: Around::default(),
        })
        .1
        {
            crate::charts::raster::parse(&chart.svg).unwrap();
        }
    }
}

#[test]
fn hostile_names_pass_through_the_terminal() {
    for name in names() {
        for run in [fixtures::run(), fixtures::ntor_run(), fixtures::scaling_run()] {
            let run = named(run, &name);
            let analysis = RunAnalysis::new(&run);
            let tables = pqlab_analysis::tables::tables(&analysis, &RelayScenario::default());
            for width in [40, 80, 400] {
                let mut text = run_table(&analysis, &tables, width, Palette::PLAIN);
                text.extend(analysis.cases().iter().map(|case| show_case(case, &[case], width, Palette::PLAIN)));
                let steers = |character: char| character != '\n' && (character.is_control() || character == '\u{202e}');
                assert!(!text.chars().any(steers), "{name:?} at {width}");
            }
        }
    }
}
