//! Index of a block file. It follows the transactions, so a reader can find any part without reading the transactions
//! before it. All integers are big-endian.
//!
//! - For every [`STRIDE`]th transaction except the first: its offset in bytes, counted from the end of the header, u64.
//! - Trailer: number of offsets u64, stride u32, magic `pqlabidx`.

use super::block::{BlockError, HEADER, Header};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// Number of transactions from one indexed transaction to the next.
pub const STRIDE: u64 = 1024;
const MAGIC: [u8; 8] = *b"pqlabidx";
/// Length in bytes of an index entry.
const ENTRY: u64 = 8;
/// Length in bytes of the trailer.
const TRAILER: u64 = 8 + 4 + 8;
/// Error text for an index with a wrong offset.
pub(super) const ELSEWHERE: &str = "it gives a wrong offset for a transaction";

/// Index entries for the transactions seen so far.
#[derive(Default)]
pub(super) struct Index {
    offsets: Vec<u64>,
}

impl Index {
    /// Records a transaction's offset if the index lists that transaction. `bytes` is the offset, counted from the end
    /// of the header.
    pub(super) fn note(&mut self, transaction: u64, bytes: u64) {
        if transaction > 0 && transaction.is_multiple_of(STRIDE) {
            self.offsets.push(bytes);
        }
    }

    /// Encodes the index.
    pub(super) fn encode(&self) -> Vec<u8> {
        let entries = self.offsets.iter().flat_map(|offset| offset.to_be_bytes());
        entries.chain(trailer(self.offsets.len() as u64)).collect()
    }

    /// Reads an index from `input` and checks that it equals this one.
    pub(super) fn check(&self, input: &mut impl Read) -> Result<(), BlockError> {
        for expected in self.encode().chunks(ENTRY as usize) {
            let mut found = [0; ENTRY as usize];
            let found = &mut found[..expected.len()];
            input.read_exact(found).map_err(cut_off)?;
            if found != expected {
                return Err(BlockError::Index(ELSEWHERE));
            }
        }
        Ok(())
    }
}

fn trailer(entries: u64) -> impl Iterator<Item = u8> {
    entries.to_be_bytes().into_iter().chain((STRIDE as u32).to_be_bytes()).chain(MAGIC)
}

fn cut_off(error: io::Error) -> BlockError {
    match error.kind() {
        ErrorKind::UnexpectedEof => BlockError::Index("the file is truncated"),
        _ => BlockError::Io(error),
    }
}

/// Returns the length of the index in bytes, or `None` if the file does not end with an index. `tail` contains the
/// file's last bytes.
pub fn length(tail: &[u8]) -> Option<u64> {
    let trailer = tail.last_chunk::<{ TRAILER as usize }>()?;
    let entries = u64::from_be_bytes(*trailer.first_chunk()?);
    let rest = trailer.ends_with(&MAGIC) && trailer[8..12] == (STRIDE as u32).to_be_bytes();
    rest.then(|| entries.saturating_mul(ENTRY).saturating_add(TRAILER))
}

/// Returns the position of the last indexed transaction at or before `transaction`. Position 0 counts as indexed.
pub(super) fn before(transaction: u64) -> u64 {
    transaction - transaction % STRIDE
}

/// Returns the offset in bytes of an [indexed](before) transaction, counted from the end of the header. If
/// `transaction` is `header.count`, returns the end of the last transaction. Fails unless the file has the length that
/// the header implies.
pub(super) fn look_up(input: &mut (impl Read + Seek), header: &Header, transaction: u64) -> Result<u64, BlockError> {
    let entries = header.count.saturating_sub(1) / STRIDE;
    let index = (HEADER as u64).checked_add(header.bytes).ok_or(BlockError::Header("it claims too many bytes"))?;
    let end = index.saturating_add(entries * ENTRY).saturating_add(TRAILER);
    let length = input.seek(SeekFrom::End(0))?;
    if length > end {
        return Err(BlockError::Grown { count: header.count });
    }
    if length < end {
        return Err(BlockError::Index("the file is truncated"));
    }
    input.seek(SeekFrom::Start(end - TRAILER))?;
    let mut found = [0; TRAILER as usize];
    input.read_exact(&mut found).map_err(cut_off)?;
    if !found.into_iter().eq(trailer(entries)) {
        return Err(BlockError::Index("it does not match the number of transactions"));
    }
    if transaction == header.count {
        return Ok(header.bytes);
    }
    let Some(entry) = (transaction / STRIDE).checked_sub(1) else { return Ok(0) };
    input.seek(SeekFrom::Start(index + entry * ENTRY))?;
    let mut offset = [0; ENTRY as usize];
    input.read_exact(&mut offset).map_err(cut_off)?;
    let offset = u64::from_be_bytes(offset);
    if offset > header.bytes {
        return Err(BlockError::Index("it points past the last transaction"));
    }
    Ok(offset)
}
