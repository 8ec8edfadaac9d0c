//! Blocks in parts, for who makes or verifies them on many machines: parts that are made apart become the file that one machine
//! makes, and of a file that is elsewhere a part is verified by the bytes that it needs.

use super::generate::Factory;
use super::output::Output;
use super::parquet::ParquetReader;
use super::verify::{format_of, open};
use super::{BlockFormat, GenerateRequest, Generated, about, implementation, pool, sha256};
use crate::{LabError, Laboratory};
use pqlab_constructions::ledger::block::{BlockReader, BlockWriter};
use pqlab_constructions::ledger::index;
use std::io::{Cursor, Error};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// What a Parquet file begins and ends with.
const PARQUET: &[u8] = b"PAR1";

/// Makes the transactions of a part of a block, which are those that [`generate`](super::generate) has there: a block file of its own. None
/// where `stop` ended it.
///
/// # Errors
/// As of [`generate`](super::generate); [`LabError::Invalid`] too for a part that the block does not have, and where no seed repeats the
/// keys of a library, so that parts would not have the same senders.
pub fn generate_part(
    laboratory: &Laboratory,
    request: &GenerateRequest,
    part: Range<u64>,
    stop: &AtomicBool,
) -> Result<Option<Vec<u8>>, LabError> {
    let (provider, factory) = who(laboratory, request)?;
    if part.start > part.end || part.end > request.count {
        let reason = format!("transactions {} to {} of {} are asked for", part.start, part.end, request.count);
        return Err(LabError::invalid("part", reason));
    }
    let failed = |error: Error| about(&request.path, error);
    let mut block = BlockWriter::new(Cursor::new(Vec::new()), request.form).map_err(failed)?;
    let whole = factory.make(&provider, &pool(request.threads)?, part, stop, &mut |made| {
        made.iter().try_for_each(|transaction| block.push(transaction)).map_err(failed)
    })?;
    Ok(if whole { Some(block.finish().map_err(failed)?.into_inner()) } else { None })
}

fn who<'a>(laboratory: &Laboratory, request: &'a GenerateRequest) -> Result<(String, Factory<'a>), LabError> {
    request.check()?;
    let (provider, scheme) = implementation(laboratory, request.scheme, request.provider.as_deref())?;
    let factory = Factory { request, scheme, sha256: sha256(laboratory)? };
    if !factory.keys_of_a_seed() && request.senders < request.count {
        let reason = format!(
            "no seed repeats the keys of {provider} for {}: each part would have other senders, so give each transaction its own",
            request.scheme
        );
        return Err(LabError::invalid("senders", reason));
    }
    Ok((provider, factory))
}

/// A block that is put together of its parts, one after the other.
pub struct Assembly {
    request: GenerateRequest,
    provider: String,
    reproducible: bool,
    output: Output,
    count: u64,
}

impl Assembly {
    /// Begins one.
    ///
    /// # Errors
    /// As of [`generate_part`]; [`LabError::File`] where it cannot be written.
    pub fn new(laboratory: &Laboratory, request: &GenerateRequest) -> Result<Assembly, LabError> {
        let (provider, factory) = who(laboratory, request)?;
        let (reproducible, output) = (factory.reproducible(), Output::new(request)?);
        Ok(Assembly { request: request.clone(), provider, reproducible, output, count: 0 })
    }

    /// Appends what [`generate_part`] made of the next part, and says how many transactions there are.
    ///
    /// # Errors
    /// [`LabError::File`] where it is not a block of the same form, or cannot be written.
    pub fn add(&mut self, part: &[u8]) -> Result<u64, LabError> {
        let failed = |error| about(&self.request.path, format!("a part of it: {error}"));
        let mut reader = BlockReader::new(part).map_err(|error| failed(error.to_string()))?;
        if reader.header().form != self.request.form {
            return Err(failed(format!("it is of the form {}", reader.header().form.name())));
        }
        let mut transaction = Vec::new();
        while reader.read_into(&mut transaction).map_err(|error| failed(error.to_string()))?.is_some() {
            self.output.push(&transaction)?;
            self.count += 1;
            transaction.clear();
        }
        Ok(self.count)
    }

    /// Ends it, and gives the file its name.
    ///
    /// # Errors
    /// [`LabError::File`] where parts are missing, or it cannot be written.
    pub fn finish(self) -> Result<Generated, LabError> {
        let (wanted, found) = (self.request.count, self.count);
        if found != wanted {
            return Err(about(&self.request.path, format!("{found} of {wanted} transactions are there")));
        }
        let bytes = self.output.bytes();
        self.output.keep()?;
        let (invalid, provider, reproducible) = (self.request.invalid, self.provider, self.reproducible);
        Ok(Generated { transactions: wanted, invalid, bytes, provider, reproducible })
    }
}

/// How many bytes at a file's end say where its parts are, by its first and last bytes (32 of each, or all that it has); 0 where they do
/// not tell.
pub fn footer_length(head: &[u8], tail: &[u8]) -> u64 {
    if !head.starts_with(PARQUET) {
        return index::length(tail).unwrap_or(0);
    }
    let length = tail.strip_suffix(PARQUET).and_then(|rest| rest.last_chunk());
    length.map_or(0, |length| u64::from(u32::from_le_bytes(*length)) + 8)
}

/// Which bytes of a block file a part of it is read from, beside its first 32 and its [footer](footer_length): these alone need to be
/// there to ask.
///
/// # Errors
/// [`LabError::File`] where it cannot be read, is not a block, or has no such part.
pub fn bytes_of_part(path: &Path, part: Range<u64>) -> Result<Range<u64>, LabError> {
    let mut file = open(path)?;
    match format_of(&mut file).map_err(|error| about(path, error))? {
        BlockFormat::Block => BlockReader::bytes_of_part(file, part.start, part.end.saturating_sub(part.start))
            .map_err(|error| about(path, error)),
        BlockFormat::Parquet => ParquetReader::new(file)
            .and_then(|reader| reader.bytes_of(part.start, part.end))
            .map_err(|error| about(path, error)),
    }
}

#[cfg(test)]
mod tests;
