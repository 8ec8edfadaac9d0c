//! Export formats. Each format has a file that implements [`Exporter`], and a line in the invocation of `formats!`
//! below.

mod columns;
mod libraries_markdown;
mod published_markdown;
mod runs_markdown;
mod table_csv;
mod tables;

use tables::TableChoice;

pub use libraries_markdown::compared_libraries;
pub use markdown::benchmarks;
pub use published_markdown::compared_published;
pub use runs_markdown::compared_runs;
pub use table_csv::table_csv;

use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::Case;
use serde::Serialize;
use std::io::Write;

/// Declares the modules of the formats. Each line names a module and creates its formats from the options.
macro_rules! formats {
    ($options:ident; $($module:ident => $($format:expr),+;)*) => {
        $(mod $module;)*

        /// Returns all formats with the given options.
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
    methods => methods::Methods;
    hyperfine => hyperfine::Hyperfine;
    bmf => bmf::Bmf;
    github_action_benchmark => github_action_benchmark::GithubActionBenchmark;
    pyperf => pyperf::Pyperf;
    parquet => parquet::Parquet;
}

/// Name, content and file extension of a format.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Format {
    /// Name on the command line.
    pub name: &'static str,
    /// Description of the content, in one line.
    #[serde(rename = "about")]
    pub describe: &'static str,
    /// File name extension, without the dot.
    pub extension: &'static str,
}

/// An export format.
pub trait Exporter: Send + Sync {
    /// Returns the description of the format.
    fn format(&self) -> Format;

    /// Returns the format's name on the command line.
    fn name(&self) -> &'static str {
        self.format().name
    }

    /// Checks that the format can express the records of a plan. Called before measuring, so that no time is wasted on
    /// a run that the format cannot express.
    ///
    /// # Errors
    /// [`ExportError::Choice`] with the valid choices.
    fn check(&self, _plan: &[Case]) -> Result<(), ExportError> {
        Ok(())
    }

    /// Returns notes about the run that the caller prints to standard error, one per line.
    fn notes(&self, _analysis: &RunAnalysis<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Writes a run in this format.
    ///
    /// # Errors
    /// Fails if `out` cannot be written, or if the format cannot express the run.
    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError>;
}

/// Reason why a run cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The destination cannot be written.
    #[error("cannot write the export")]
    Io(#[from] std::io::Error),
    /// The format cannot express the run.
    #[error("cannot express the run in this format: {0}")]
    Format(String),
    /// The user's choice is missing or invalid. For example, the name of a format or table is unknown. Or the format
    /// can contain only part of a run, and the user must choose the part.
    #[error("{0}")]
    Choice(String),
}

/// Options for formats. Each format uses the options that apply to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportOptions {
    /// Number of decimals in `sha3-csv`; `None` for its default.
    pub digits: Option<usize>,
    /// Provider to write in `sha3-csv`, by provider id or library name.
    pub provider: Option<String>,
    /// Naming scheme for rows in the Google Benchmark formats.
    pub names: Names,
    /// Assumptions for the tables of circuit handshakes.
    pub scenario: RelayScenario,
    /// Name of one [table of several cases](pqlab_analysis::tables) to write instead of the complete run.
    pub table: Option<String>,
}

impl ExportOptions {
    fn tables(&self) -> TableChoice {
        TableChoice { scenario: self.scenario.clone(), only: self.table.clone() }
    }
}

/// Names of the formats that can contain a single table of several cases.
pub const TABLE_FORMATS: [&str; 4] = ["csv", "json", "latex", "markdown"];

/// Naming scheme for the rows of the Google Benchmark formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Case ids.
    #[default]
    Ids,
    /// Names from an earlier system's ledger benchmark (`BM_Verify100Transactions`), and ids for other cases.
    Reference,
}

/// Returns all formats, with default options.
pub fn exporters() -> Vec<Box<dyn Exporter>> {
    exporters_with(&ExportOptions::default())
}

/// Returns the format named `name`, with default options.
pub fn exporter(name: &str) -> Option<Box<dyn Exporter>> {
    exporters().into_iter().find(|exporter| exporter.name() == name)
}

/// Returns the format named `name`, with the given options.
///
/// # Errors
/// [`ExportError::Choice`] if no format has this name, or if the options select a table that the format cannot contain.
pub fn exporter_with(name: &str, options: &ExportOptions) -> Result<Box<dyn Exporter>, ExportError> {
    if options.table.is_some() && !TABLE_FORMATS.contains(&name) {
        let formats = TABLE_FORMATS.join(", ");
        return Err(ExportError::Choice(format!("format {name} cannot hold a single table; use one of {formats}")));
    }
    let all = exporters_with(options);
    let names: Vec<&str> = all.iter().map(|exporter| exporter.name()).collect();
    let unknown = format!("unknown export format {name:?}; expected one of {}", names.join(", "));
    all.into_iter().find(|exporter| exporter.name() == name).ok_or(ExportError::Choice(unknown))
}

/// Returns all cases except overhead cases. The times of overhead cases can change by a fraction of a nanosecond, which
/// would cause false alarms in dashboards.
fn without_floor<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> impl Iterator<Item = &'r CaseAnalysis<'a>> {
    analysis.cases().iter().filter(|case| !case.is_floor())
}

/// Writes a document as indented JSON with a final line feed.
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

/// Returns the bytes that an exporter writes for a run.
#[cfg(test)]
pub(crate) fn written(exporter: &dyn Exporter, run: &pqlab_record::Run) -> Vec<u8> {
    let mut bytes = Vec::new();
    exporter.export(&RunAnalysis::new(run), &mut bytes).expect("the format must be able to express the run");
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

    /// A writer that accepts this number of bytes and then fails.
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
    fn alarm_formats_omit_the_floor() {
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
    fn every_format_reports_a_full_disk() {
        let run = fixtures::run();
        let analysis = RunAnalysis::new(&run);
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
    fn equal_runs_give_equal_bytes() {
        let run = fixtures::run();
        for one in exporters() {
            let (mut first, mut second) = (Vec::new(), Vec::new());
            one.export(&RunAnalysis::new(&run), &mut first).unwrap();
            one.export(&RunAnalysis::new(&run), &mut second).unwrap();
            assert_eq!(first, second);
            let text = one.name() != "parquet";
            assert!(!text || first.last() == Some(&b'\n'), "{} must end its last line", one.name());
        }
    }

    #[test]
    fn every_format_writes_runs_without_records() {
        let mut run = fixtures::run();
        run.records.clear();
        run.finished_at = None;
        for one in exporters() {
            one.export(&RunAnalysis::new(&run), &mut Vec::new()).unwrap();
        }
    }
}
