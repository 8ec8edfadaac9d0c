//! Generates and verifies blocks in parts, so that several machines can share the work. Parts that are generated
//! separately can be assembled into the file that a single machine would generate. Verifying a part of a remote file
//! requires only the bytes of that part and both ends of the file.

use super::generate::Factory;
use super::output::Output;
use super::{GenerateRequest, Generated, about, implementation, open, pool, sha256};
use crate::{LabError, Laboratory};
use pqlab_constructions::ledger::block::{BlockReader, BlockWriter};
use std::io::{Cursor, Error};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Generates a part of a block and returns it as a separate block file. Its transactions are the same as those that
/// [`generate`](super::generate()) writes at these positions. Returns `None` if `stop` is set in the meantime.
///
/// # Errors
/// - [`LabError::Invalid`] if the part is not within the block.
/// - [`LabError::Invalid`] if the library cannot derive keys from a seed and there are fewer senders than transactions.
///   Each part would then have different senders.
/// - Errors from [`generate`](super::generate()).
pub fn generate_part(
    laboratory: &Laboratory,
    request: &GenerateRequest,
    part: Range<u64>,
    stop: &AtomicBool,
) -> Result<Option<Vec<u8>>, LabError> {
    let (provider, factory) = who(laboratory, request)?;
    if part.start > part.end || part.end > request.count {
        let reason = format!(
            "transactions {} to {} are out of range: the block has only {}",
            part.start, part.end, request.count
        );
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
            "{provider} cannot derive {} keys from a seed, so each part would have different senders: \
             use as many senders as transactions",
            request.scheme
        );
        return Err(LabError::invalid("senders", reason));
    }
    Ok((provider, factory))
}

/// Block file that is being assembled from consecutive parts.
pub struct Assembly {
    request: GenerateRequest,
    provider: String,
    reproducible: bool,
    output: Output,
    count: u64,
}

impl Assembly {
    /// Starts a block without transactions.
    ///
    /// # Errors
    /// Errors from [`generate_part`]; [`LabError::File`] if the file cannot be written.
    pub fn new(laboratory: &Laboratory, request: &GenerateRequest) -> Result<Assembly, LabError> {
        let (provider, factory) = who(laboratory, request)?;
        let (reproducible, output) = (factory.reproducible(), Output::new(request)?);
        Ok(Assembly { request: request.clone(), provider, reproducible, output, count: 0 })
    }

    /// Appends the next part, as returned by [`generate_part`]. Returns the total number of transactions so far.
    ///
    /// # Errors
    /// [`LabError::File`] if the part is not a block of the same form, or the file cannot be written.
    pub fn add(&mut self, part: &[u8]) -> Result<u64, LabError> {
        let failed = |error| about(&self.request.path, format!("invalid part: {error}"));
        let mut reader = BlockReader::new(part).map_err(|error| failed(error.to_string()))?;
        if reader.header().form != self.request.form {
            let (found, wanted) = (reader.header().form.name(), self.request.form.name());
            return Err(failed(format!("its transactions are {found}, not {wanted}")));
        }
        let mut transaction = Vec::new();
        while reader.read_into(&mut transaction).map_err(|error| failed(error.to_string()))?.is_some() {
            self.output.push(&transaction)?;
            self.count += 1;
            transaction.clear();
        }
        Ok(self.count)
    }

    /// Finishes the block and gives the file its final name.
    ///
    /// # Errors
    /// [`LabError::File`] if parts are missing, or the file cannot be written.
    pub fn finish(self) -> Result<Generated, LabError> {
        let (wanted, found) = (self.request.count, self.count);
        if found != wanted {
            return Err(about(&self.request.path, format!("only {found} of {wanted} transactions were added")));
        }
        let bytes = self.output.bytes();
        self.output.keep()?;
        let (invalid, provider, reproducible) = (self.request.invalid, self.provider, self.reproducible);
        Ok(Generated { transactions: wanted, invalid, bytes, provider, reproducible })
    }
}

/// Returns the byte range of a part of a block file. To verify the part, a caller needs the bytes in this range, the
/// first 32 bytes and the [footer](pqlab_blocks::footer_length). This function reads only the first 32 bytes and the footer.
///
/// # Errors
/// [`LabError::File`] if the file cannot be read, is not a block, or does not contain the part.
pub fn bytes_of_part(path: &Path, part: Range<u64>) -> Result<Range<u64>, LabError> {
    open(path)?.bytes_of_part(part).map_err(|error| about(path, error))
}

#[cfg(test)]
mod tests;
