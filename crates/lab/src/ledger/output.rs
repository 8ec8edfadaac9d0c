//! Writes a block in either format while it is generated.

use super::parquet::ParquetWriter;
use super::{BlockFormat, GenerateRequest, about};
use crate::{Destination, LabError, Writing};
use pqlab_constructions::ledger::block::BlockWriter;
use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError};
use std::path::PathBuf;

/// Unfinished block. If it is dropped without a call to [`keep`](Self::keep), no regular file remains.
pub(super) struct Output {
    path: PathBuf,
    sink: Sink,
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
        let sink = match request.format {
            BlockFormat::Block => {
                BlockWriter::new(BufWriter::with_capacity(1 << 20, file), request.form).map(Sink::Block)
            }
            BlockFormat::Parquet => ParquetWriter::new(file).map(|writer| Sink::Parquet(Box::new(writer))),
        };
        Ok(Output { path: request.path.clone(), sink: sink.map_err(written)?, writing, bytes: 0 })
    }

    /// Returns the total length in bytes of the transactions written so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn push(&mut self, transaction: &[u8]) -> Result<(), LabError> {
        self.bytes += transaction.len() as u64;
        let written = match &mut self.sink {
            Sink::Block(writer) => writer.push(transaction),
            Sink::Parquet(writer) => writer.push(transaction),
        };
        written.map_err(|error| failed(&self.path, error))
    }

    /// Finishes the block. A regular file gets its final name.
    pub(super) fn keep(self) -> Result<(), LabError> {
        let Output { path, sink, writing, .. } = self;
        let file = match sink {
            Sink::Block(writer) => {
                writer.finish().and_then(|buffer| buffer.into_inner().map_err(IntoInnerError::into_error))
            }
            Sink::Parquet(writer) => writer.finish(),
        };
        file.and_then(|mut file| writing.keep(&mut file)).map_err(|error| failed(&path, error))
    }
}

enum Sink {
    Block(BlockWriter<BufWriter<File>>),
    Parquet(Box<ParquetWriter<File>>),
}

fn failed(path: &std::path::Path, error: io::Error) -> LabError {
    about(path, format!("cannot be written: {error}"))
}
