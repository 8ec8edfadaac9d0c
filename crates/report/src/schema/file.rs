//! Runs in files.

use super::{Document, ImportError};
use pqlab_record::Run;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Why a file holds no run.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else.
    #[error("no run of pqlab: {0}")]
    Json(#[from] serde_json::Error),
    /// It is a run that cannot be taken in.
    #[error(transparent)]
    Import(#[from] ImportError),
}

/// Reads the run that a file of the format json-samples holds.
///
/// # Errors
/// See [`FileError`].
pub fn read_run(path: &Path) -> Result<Run, FileError> {
    let document: Document = serde_json::from_reader(BufReader::new(File::open(path)?))?;
    Ok(document.into_run()?)
}
