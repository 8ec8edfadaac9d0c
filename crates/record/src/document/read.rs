//! Reads a [`Document`] that contains samples back into a run.

use super::{Document, ParameterValue, ResultEntry};
use crate::{Case, Facts, Parameter, Record, Run, RunHeader, SCHEMA, Samples, Status};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Maximum length of a run id, in characters. Ids that pqlab generates have 23.
const ID_LENGTH: usize = 64;

/// Reason why a document cannot be converted to a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// The document uses a different schema.
    #[error("schema is `{0}`, not `{SCHEMA}`")]
    Schema(String),
    /// The run id is invalid. Run ids appear in command lines, addresses and file names.
    #[error(
        "invalid run id {0:?}: use 1 to {ID_LENGTH} letters, digits, dots, dashes and underscores, \
         not beginning with `last` or a dash"
    )]
    RunId(String),
    /// A case has no samples, so its results cannot be recomputed.
    #[error("`{0}` has no samples: export the run as json-samples")]
    NoSamples(String),
    /// The id of a case contradicts its other fields. Contains the id, and the id that matches the fields.
    #[error("id `{0}` contradicts the other fields of its row, which describe `{1}`")]
    Id(String, String),
}

/// Reason why a file cannot be read as a run.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a JSON document of this schema.
    #[error("not a pqlab run: {0}")]
    Json(#[from] serde_json::Error),
    /// The document cannot be converted to a run.
    #[error(transparent)]
    Import(#[from] ImportError),
}

/// Reads a run from an exported file in the format `json-samples`.
///
/// # Errors
/// See [`FileError`].
pub fn read_run(path: &Path) -> Result<Run, FileError> {
    let document: Document = serde_json::from_reader(BufReader::new(File::open(path)?))?;
    Ok(document.into_run()?)
}

impl Document {
    /// Converts the document to a run. Keeps the samples unchanged and ignores the document's figures. The plan of the
    /// run contains only cases with a record, because a document does not list the others.
    ///
    /// # Errors
    /// See [`ImportError`].
    pub fn into_run(self) -> Result<Run, ImportError> {
        if self.schema != SCHEMA {
            return Err(ImportError::Schema(self.schema));
        }
        if !is_run_id(&self.run.id) {
            return Err(ImportError::RunId(self.run.id));
        }
        let rows = self.results.into_values().flatten();
        let records = rows.map(record).collect::<Result<Vec<Record>, ImportError>>()?;
        Ok(Run {
            header: RunHeader {
                id: self.run.id,
                suite: self.run.suite,
                command: self.run.command,
                seed: self.run.seed,
                started_at: self.run.started_at,
                environment: self.environment.into(),
                protocol: self.harness.into(),
                plan: records.iter().map(|record| record.case.clone()).collect(),
            },
            records,
            complete: self.run.complete,
            finished_at: self.run.finished_at,
        })
    }
}

fn is_run_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=ID_LENGTH).contains(&id.len()) && id.bytes().all(plain) && !id.starts_with("last") && !id.starts_with('-')
}

fn record(row: ResultEntry) -> Result<Record, ImportError> {
    let samples = match (row.samples, row.status) {
        (Some(samples), _) => samples,
        (None, Status::Failed) => Samples::none(),
        (None, Status::Ok) => return Err(ImportError::NoSamples(row.id)),
    };
    let parameters = row.parameters.into_iter().map(|(name, value)| match value {
        ParameterValue::Flag(_) => Parameter::Flag(name),
        ParameterValue::Number(number) => Parameter::Number(name, number),
        ParameterValue::Word(word) => Parameter::Word(name, word),
    });
    let case = Case {
        workload: row.workload,
        algorithm: row.algorithm,
        operation: row.operation,
        provider: row.provider,
        form: row.encoding,
        parameters: parameters.collect(),
        block: row.block,
        facts: Facts {
            sizes: row.sizes,
            bytes: row.bytes,
            category: row.category,
            defect: row.defect,
            generator: row.generator,
        },
    };
    if case.id() != row.id {
        return Err(ImportError::Id(row.id, case.id()));
    }
    Ok(Record {
        case,
        status: row.status,
        error: row.error,
        verified: row.verified,
        precision_reached: row.precision_reached,
        second_chance: row.second_chance,
        samples,
        finished_at: row.finished_at,
    })
}
