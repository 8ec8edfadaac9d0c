//! Export formats, one file each behind [`Exporter`] and one line each in the table below.

mod columns;
mod libraries_markdown;
mod runs_markdown;
mod table_csv;
mod tables;

use tables::TableChoice;

pub use libraries_markdown::compared_libraries;
pub use markdown::benchmarks;
pub use runs_markdown::compared_runs;
pub use table_csv::table_csv;

use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::Case;
use serde::Serialize;
use std::io::Write;

/// A line is a module and the formats in it, made of what was chosen.
macro_rules! formats {
    ($options:ident; $($module:ident => $($format:expr),+;)*) => {
        $(mod $module;)*

        /// All formats, with what was chosen.
        pub fn exporters_with($options: &ExportOptions) -> Vec<Box<dyn Exporter>> {
            vec![$($(Box::new($format)),+),*]
        }
    };
}

formats! { options;
    json => json::Json { samples: false, tables: options.tables() }, json::Json { samples: true, tables: options.tables() };
    csv => csv::Csv { tables: options.tables() };
    samples_csv => samples_csv::SamplesCsv;
    google_benchmark => google_benchmark::GoogleBenchmark { names: options.names },
        google_benchmark::GoogleBenchmarkCsv { names: options.names };
    sha3_csv => sha3_csv::Sha3Csv::new(options);
    markdown => markdown::Markdown { tables: options.tables() };
    latex => latex::Latex { tables: options.tables() };
    hyperfine => hyperfine::Hyperfine;
    bmf => bmf::Bmf;
    github_action_benchmark => github_action_benchmark::GithubActionBenchmark;
    pyperf => pyperf::Pyperf;
    parquet => parquet::Parquet;
}

/// What there is to say of a format.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Format {
    /// The word that chooses it on the command line.
    pub name: &'static str,
    /// What it holds, in one line.
    #[serde(rename = "about")]
    pub describe: &'static str,
    /// What its files' names end in, without the dot.
    pub extension: &'static str,
}

/// An export format.
pub trait Exporter: Send + Sync {
    /// What there is to say of it.
    fn format(&self) -> Format;

    /// The word that chooses it on the command line.
    fn name(&self) -> &'static str {
        self.format().name
    }

    /// Whether the records of such a plan could be written, so that nobody measures for nothing.
    ///
    /// # Errors
    /// [`ExportError::Choice`], with what to choose.
    fn check(&self, _plan: &[Case]) -> Result<(), ExportError> {
        Ok(())
    }

    /// What is to be said of the run beside the file, a line each: for standard error.
    fn notes(&self, _analysis: &RunAnalysis<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Writes a run.
    ///
    /// # Errors
    /// Where `out` takes no more, or the format cannot hold the run.
    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError>;
}

/// Why a run could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The destination takes no more.
    #[error("cannot write: {0}")]
    Io(#[from] std::io::Error),
    /// The run holds what the format cannot express.
    #[error("cannot express the run in this format: {0}")]
    Format(String),
    /// The format holds a part of the run, and it was not said which, or there is no such part.
    #[error("{0}")]
    Choice(String),
}

/// What a user may choose of a format; each format takes what applies to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportOptions {
    /// Decimals.
    pub digits: Option<usize>,
    /// A provider's id, or a library's name.
    pub provider: Option<String>,
    /// What rows are called, in the formats of Google Benchmark.
    pub names: Names,
    /// What tables of circuit handshakes ask about.
    pub scenario: RelayScenario,
    /// One [table of several cases](pqlab_analysis::tables) by its name, in place of all that the format holds.
    pub table: Option<String>,
}

impl ExportOptions {
    fn tables(&self) -> TableChoice {
        TableChoice { scenario: self.scenario.clone(), only: self.table.clone() }
    }
}

/// Formats that can hold one table of several cases alone.
pub const TABLE_FORMATS: [&str; 4] = ["csv", "json", "latex", "markdown"];

/// What rows are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// The ids of their cases.
    #[default]
    Ids,
    /// As the reference's ledger benchmark calls the same work (`BM_Verify100Transactions`); ids for what it did not measure.
    Reference,
}

/// All formats.
pub fn exporters() -> Vec<Box<dyn Exporter>> {
    exporters_with(&ExportOptions::default())
}

/// The format of that name.
pub fn exporter(name: &str) -> Option<Box<dyn Exporter>> {
    exporters().into_iter().find(|exporter| exporter.name() == name)
}

/// The format of that name, with what was chosen.
///
/// # Errors
/// [`ExportError::Choice`] where there is none, or it cannot hold the one table that was asked for.
pub fn exporter_with(name: &str, options: &ExportOptions) -> Result<Box<dyn Exporter>, ExportError> {
    if options.table.is_some() && !TABLE_FORMATS.contains(&name) {
        let formats = TABLE_FORMATS.join(", ");
        return Err(ExportError::Choice(format!("one table alone is for the formats {formats}, not for {name}")));
    }
    let all = exporters_with(options);
    let names: Vec<&str> = all.iter().map(|exporter| exporter.name()).collect();
    let unknown = format!("no export format is called {name:?}: there are {}", names.join(", "));
    all.into_iter().find(|exporter| exporter.name() == name).ok_or(ExportError::Choice(unknown))
}

/// The cases that are somebody's: not the floor, whose fractions of a nanosecond raise false alarms in what watches every row.
fn without_floor<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> impl Iterator<Item = &'r CaseAnalysis<'a>> {
    analysis.cases().iter().filter(|case| !case.is_floor())
}

/// Writes a document as indented JSON with a line feed behind it.
fn finish_json(document: &impl Serialize, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut out = std::io::BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}

impl From<serde_json::Error> for ExportError {
    fn from(error: serde_json::Error) -> ExportError {
        if error.is_io() { ExportError::Io(error.into()) } else { ExportError::Format(error.to_string()) }
    }
}

impl From<::csv::Error> for ExportError {
    fn from(error: ::csv::Error) -> ExportError {
        match error.into_kind() {
            ::csv::ErrorKind::Io(error) => ExportError::Io(error),
            other => ExportError::Format(format!("{other:?}")),
        }
    }
}

/// What an exporter writes of a run.
#[cfg(test)]
pub(crate) fn written(exporter: &dyn Exporter, run: &pqlab_record::Run) -> Vec<u8> {
    let mut bytes = Vec::new();
    exporter.export(&RunAnalysis::of(run), &mut bytes).expect("a run can be written");
    bytes
}

#[cfg(test)]
mod carried;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod printed;
#[cfg(test)]
mod snapshots;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use std::io::{Error, ErrorKind};

    /// Takes some bytes and then no more.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if bytes.len() > self.0 {
                return Err(Error::from(ErrorKind::StorageFull));
            }
            self.0 -= bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_floor_raises_no_alarms_and_stays_where_people_read() {
        let run = fixtures::run();
        for name in ["bmf", "github-action-benchmark", "hyperfine"] {
            let text = String::from_utf8(written(exporter(name).unwrap().as_ref(), &run)).unwrap();
            assert!(text.contains("kem/ML-KEM-768/encapsulate@liboqs") && !text.contains("floor/"), "{name}: {text}");
        }
        for name in ["csv", "json"] {
            let text = String::from_utf8(written(exporter(name).unwrap().as_ref(), &run)).unwrap();
            assert!(text.contains("floor/null/decapsulate@null"), "{name}: {text}");
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        let all = exporters();
        for (index, one) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other.name() != one.name()));
            assert_eq!(exporter(one.name()).unwrap().format().describe, one.format().describe);
            assert!(!one.format().extension.starts_with('.'));
        }
        assert!(exporter("pdf").is_none());
    }

    #[test]
    fn a_full_disk_is_an_error_of_every_format() {
        let run = fixtures::run();
        let analysis = RunAnalysis::of(&run);
        for one in exporters() {
            let mut whole = Vec::new();
            one.export(&analysis, &mut whole).unwrap();
            for room in [0, whole.len() / 2] {
                let outcome = one.export(&analysis, &mut Full(room));
                assert!(matches!(outcome, Err(ExportError::Io(_))), "{} with room for {room}", one.name());
            }
        }
    }

    #[test]
    fn the_same_run_gives_the_same_bytes() {
        let run = fixtures::run();
        for one in exporters() {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            one.export(&RunAnalysis::of(&run), &mut first).unwrap();
            one.export(&RunAnalysis::of(&run), &mut second).unwrap();
            assert_eq!(first, second);
            let text = one.name() != "parquet";
            assert!(!text || first.last() == Some(&b'\n'), "{} ends its last line", one.name());
        }
    }

    #[test]
    fn a_run_without_records_is_written_too() {
        let mut run = fixtures::run();
        run.records.clear();
        run.finished_at = None;
        for one in exporters() {
            one.export(&RunAnalysis::of(&run), &mut Vec::new()).unwrap();
        }
    }
}
