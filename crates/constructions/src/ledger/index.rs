//! What is behind the transactions of a block file, so that any part of it is found without reading what is before: for each
//! [`STRIDE`]th transaction but the first the bytes between the header and it, u64; then the number of these u64, the stride u32,
//! magic `pqlabidx`. Big-endian.

use super::block::{BlockError, HEADER, Header};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// Every so many transactions the index says where one is.
pub const STRIDE: u64 = 1024;
const MAGIC: [u8; 8] = *b"pqlabidx";
/// Length in bytes of an entry.
const ENTRY: u64 = 8;
/// Length in bytes of what is behind the entries.
const TRAILER: u64 = 8 + 4 + 8;
/// Where the transactions themselves say another thing.
pub(super) const ELSEWHERE: &str = "a transaction begins elsewhere than it says";

/// The index of a block as far as it is known.
#[derive(Default)]
pub(super) struct Index {
    offsets: Vec<u64>,
}

impl Index {
    /// Takes note of where a transaction begins.
    pub(super) fn note(&mut self, transaction: u64, bytes: u64) {
        if transaction > 0 && transaction.is_multiple_of(STRIDE) {
            self.offsets.push(bytes);
        }
    }

    /// Its bytes.
    pub(super) fn encode(&self) -> Vec<u8> {
        let entries = self.offsets.iter().flat_map(|offset| offset.to_be_bytes());
        entries.chain(trailer(self.offsets.len() as u64)).collect()
    }

    /// Reads what must be these bytes.
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

/// Length in bytes of what is behind the transactions, by the last bytes of a file; `None` where these are of no index.
pub fn length(tail: &[u8]) -> Option<u64> {
    let trailer = tail.last_chunk::<{ TRAILER as usize }>()?;
    let entries = u64::from_be_bytes(*trailer.first_chunk()?);
    let rest = trailer.ends_with(&MAGIC) && trailer[8..12] == (STRIDE as u32).to_be_bytes();
    rest.then(|| entries.saturating_mul(ENTRY).saturating_add(TRAILER))
}

/// The last transaction up to this one of which the index says where it is.
pub(super) fn before(transaction: u64) -> u64 {
    transaction - transaction % STRIDE
}

/// The bytes between the header and a transaction [of which it is known](before), or the block's end, by the index of a file
/// that is as long as its header says.
pub(super) fn look_up(input: &mut (impl Read + Seek), header: &Header, transaction: u64) -> Result<u64, BlockError> {
    let entries = header.count.saturating_sub(1) / STRIDE;
    let index = (HEADER as u64).checked_add(header.bytes).ok_or(BlockError::Header("it announces too many bytes"))?;
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
        return Err(BlockError::Index("it is not that of so many transactions"));
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
        return Err(BlockError::Index("it points behind the last transaction"));
    }
    Ok(offset)
}
