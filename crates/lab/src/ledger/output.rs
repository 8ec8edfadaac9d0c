//! Writes a block in either format while it is generated.

use super::{BlockFormat, GenerateRequest, about};
use crate::{Destination, LabError, Writing};
use pqlab_blocks::TransactionWriter;
use std::io;
use std::path::PathBuf;

/// Unfinished block. If it is dropped without a call to [`keep`](Self::keep), no regular file remains.
pub(super) struct Output {
    path: PathBuf,
    writer: TransactionWriter,
    writing: Writing,
    bytes: u64,
}

impl Output {
    pub(super) fn new(request: &GenerateRequest) -> Result<Output, LabError> {
        let written = |error| failed(&request.path, error);
        let destination = Destination::new(&request.path).map_err(written)?;
        let (writing, file) = match request.format {
            // The header contains the number and length of the transactions, so it is written last.
            BlockFormat::Block => destination.create_seekable(),
            BlockFormat::Parquet => destination.create(),
        }
        .map_err(written)?;
        let writer = TransactionWriter::new(file, request.format, request.form).map_err(written)?;
        Ok(Output { path: request.path.clone(), writer, writing, bytes: 0 })
    }

    /// Returns the total length in bytes of the transactions written so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn push(&mut self, transaction: &[u8]) -> Result<(), LabError> {
        self.bytes += transaction.len() as u64;
        self.writer.push(transaction).map_err(|error| failed(&self.path, error))
    }

    /// Finishes the block. A regular file gets its final name.
    pub(super) fn keep(self) -> Result<(), LabError> {
        let Output { path, writer, writing, .. } = self;
        writer.finish().and_then(|mut file| writing.keep(&mut file)).map_err(|error| failed(&path, error))
    }
}

fn failed(path: &std::path::Path, error: io::Error) -> LabError {
    about(path, format!("cannot be written: {error}"))
}
