//! Block files. All integers are big-endian.
//!
//! - Header: magic `pqlabtxs`, format u16, transaction form u8 (1 or 2), reserved u8 = 0, number of transactions u64,
//!   total bytes of transactions and length prefixes u64.
//! - Each transaction: length u32, then the bytes.
//! - The index (see [`super::index`]), in format 2. Writers use format 2; files in format 1 end after the transactions.
//!
//! Writers and readers do not check transactions, so a block may contain malformed ones. The verifier decides which
//! transactions are valid.

use super::index::{self, Index};
use super::stream::{Chunk, TransactionSource};
use super::{Form, LONGEST_TRANSACTION};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// First bytes of a block file.
pub const MAGIC: [u8; 8] = *b"pqlabtxs";
/// Known formats: 1 without an index, 2 with an index.
const FORMATS: [u16; 2] = [1, 2];
/// Length in bytes of the header.
pub const HEADER: usize = 8 + 2 + 1 + 1 + 8 + 8;
/// Length in bytes of a transaction's length prefix.
const PREFIX: u64 = 4;

/// Reason for rejecting a block file.
#[derive(Debug, thiserror::Error)]
pub enum BlockError {
    /// The file is empty.
    #[error("the file is empty")]
    Empty,
    /// The file does not start with the magic.
    #[error("not a block file: it does not start with {:?}", String::from_utf8_lossy(&MAGIC))]
    Foreign,
    /// The header contains an unknown format number.
    #[error("unknown block format {0}; this program supports 1 and 2")]
    Format(u16),
    /// A header field has an impossible value.
    #[error("the header is damaged: {0}")]
    Header(&'static str),
    /// The file ends too early.
    #[error("the file is truncated: transaction {index} of {count} is cut off")]
    Truncated {
        /// Position of the first incomplete transaction, counted from 0.
        index: u64,
        /// Number of transactions according to the header.
        count: u64,
    },
    /// A length prefix exceeds the maximum length of a transaction.
    #[error("transaction {index} claims {length} bytes; the maximum is {LONGEST_TRANSACTION}")]
    TooLong {
        /// Position of the transaction, counted from 0.
        index: u64,
        /// Claimed length in bytes.
        length: u32,
    },
    /// The lengths of the transactions do not add up to the total in the header.
    #[error("the transactions take {found} bytes, but the header says {expected}")]
    Sum {
        /// Total according to the header, in bytes.
        expected: u64,
        /// Actual total, in bytes.
        found: u64,
    },
    /// Bytes follow the last transaction.
    #[error("bytes follow the last transaction: the file has grown or is still being written (transactions: {count})")]
    Grown {
        /// Number of transactions according to the header.
        count: u64,
    },
    /// The index does not match the transactions.
    #[error("the index after the transactions is damaged: {0}")]
    Index(&'static str),
    /// A part was requested, but the file has no index.
    #[error("block format 1 has no index, so the file can only be read as a whole")]
    NoIndex,
    /// The requested part does not exist.
    #[error("transactions {first} to {end} were requested, but the block contains {count}")]
    Range {
        /// Position of the first requested transaction, counted from 0.
        first: u64,
        /// End of the requested range (exclusive).
        end: u64,
        /// Number of transactions in the block.
        count: u64,
    },
    /// I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Header of a block file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Form of the transactions: TXv1 or TXv2.
    pub form: Form,
    /// Number of transactions.
    pub count: u64,
    /// Total length in bytes of all transactions and their length prefixes.
    pub bytes: u64,
    /// Whether an index follows the transactions.
    pub indexed: bool,
}

impl Header {
    fn encode(&self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        out[..8].copy_from_slice(&MAGIC);
        out[8..10].copy_from_slice(&FORMATS[usize::from(self.indexed)].to_be_bytes());
        out[10] = if self.form == Form::TxV1 { 1 } else { 2 };
        out[12..20].copy_from_slice(&self.count.to_be_bytes());
        out[20..].copy_from_slice(&self.bytes.to_be_bytes());
        out
    }

    fn decode(bytes: &[u8; HEADER]) -> Result<Header, BlockError> {
        if bytes[..8] != MAGIC {
            return Err(BlockError::Foreign);
        }
        let format = u16::from_be_bytes([bytes[8], bytes[9]]);
        let indexed = FORMATS.iter().position(|known| *known == format).ok_or(BlockError::Format(format))? == 1;
        let form = match bytes[10] {
            1 => Form::TxV1,
            2 => Form::TxV2,
            _ => return Err(BlockError::Header("unknown transaction form")),
        };
        if bytes[11] != 0 {
            return Err(BlockError::Header("the reserved byte is not zero"));
        }
        let number = |at: usize| bytes[at..at + 8].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let header = Header { form, count: number(12), bytes: number(20), indexed };
        if header.count.checked_mul(PREFIX).is_none_or(|least| least > header.bytes) {
            return Err(BlockError::Header("it claims more transactions than fit into the claimed number of bytes"));
        }
        Ok(header)
    }
}

/// Writes a block. Until [`finish`](Self::finish), the header claims that the block contains no transactions, so
/// readers reject the file if the writer is interrupted.
pub struct BlockWriter<W> {
    out: W,
    header: Header,
    index: Index,
}

impl<W: Write + Seek> BlockWriter<W> {
    /// Starts a block of transactions in one form.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn new(mut out: W, form: Form) -> io::Result<BlockWriter<W>> {
        let header = Header { form, count: 0, bytes: 0, indexed: false };
        out.write_all(&header.encode())?;
        Ok(BlockWriter { out, header, index: Index::default() })
    }

    /// Appends a transaction.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the transaction exceeds [`LONGEST_TRANSACTION`]. Propagates I/O errors.
    pub fn push(&mut self, transaction: &[u8]) -> io::Result<()> {
        if transaction.len() > LONGEST_TRANSACTION {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the transaction exceeds 256 KiB"));
        }
        self.index.note(self.header.count, self.header.bytes);
        // The cast does not truncate, because `LONGEST_TRANSACTION` fits in a u32.
        self.out.write_all(&(transaction.len() as u32).to_be_bytes())?;
        self.out.write_all(transaction)?;
        self.header.count += 1;
        self.header.bytes += PREFIX + transaction.len() as u64;
        Ok(())
    }

    /// Writes the index and the final header, and returns the underlying writer.
    ///
    /// # Errors
    /// Propagates I/O errors.
    pub fn finish(mut self) -> io::Result<W> {
        self.header.indexed = true;
        self.out.write_all(&self.index.encode())?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&self.header.encode())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Reads a block or a part of it, and checks the number and lengths of the transactions against the header and the
/// index.
pub struct BlockReader<R> {
    input: R,
    header: Header,
    part: Part,
    /// Position of the next transaction, counted from 0.
    next: u64,
    /// Offset of the next transaction in bytes, counted from the end of the header.
    bytes: u64,
    /// Index entries expected from the transactions read so far.
    index: Index,
    ended: bool,
}

/// Range of transactions to read.
#[derive(Clone, Copy)]
struct Part {
    first: u64,
    /// End of the range (exclusive).
    end: u64,
    /// Offset in bytes of the range's end, counted from the end of the header. `None` if the index does not contain
    /// this offset.
    bytes: Option<u64>,
    whole: bool,
}

impl<R: Read> BlockReader<R> {
    /// Reads the header. `input` should be buffered.
    ///
    /// # Errors
    /// [`BlockError`] if the header is invalid.
    pub fn new(mut input: R) -> Result<BlockReader<R>, BlockError> {
        let mut bytes = [0; HEADER];
        let mut filled = 0;
        while filled < HEADER {
            match input.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if filled == 0 {
            return Err(BlockError::Empty);
        }
        if filled < HEADER {
            let foreign = bytes[..filled.min(8)] != MAGIC[..filled.min(8)];
            return Err(if foreign { BlockError::Foreign } else { BlockError::Header("it is truncated") });
        }
        let header = Header::decode(&bytes)?;
        let part = Part { first: 0, end: header.count, bytes: None, whole: true };
        Ok(BlockReader { input, header, part, next: 0, bytes: 0, index: Index::default(), ended: false })
    }

    /// Returns the header.
    pub fn header(&self) -> Header {
        self.header
    }

    /// Appends the next transaction to `out` and returns its length in bytes. Returns `None` after the last
    /// transaction, and then checks that nothing follows it.
    ///
    /// # Errors
    /// [`BlockError`] if the file contradicts the header or the index.
    pub fn read_into(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, BlockError> {
        let Header { count, bytes: expected, .. } = self.header;
        if self.next == self.part.end {
            if !self.ended {
                self.end()?;
            }
            return Ok(None);
        }
        let index = self.next;
        if self.part.whole {
            self.index.note(index, self.bytes);
        }
        let truncated = |error: io::Error| match error.kind() {
            ErrorKind::UnexpectedEof => BlockError::Truncated { index, count },
            _ => BlockError::Io(error),
        };
        let mut prefix = [0; PREFIX as usize];
        self.input.read_exact(&mut prefix).map_err(truncated)?;
        let length = u32::from_be_bytes(prefix);
        if length as usize > LONGEST_TRANSACTION {
            return Err(BlockError::TooLong { index, length });
        }
        self.bytes += PREFIX + u64::from(length);
        if self.bytes > expected {
            return Err(BlockError::Sum { expected, found: self.bytes });
        }
        let start = out.len();
        out.resize(start + length as usize, 0);
        if let Err(error) = self.input.read_exact(&mut out[start..]) {
            out.truncate(start);
            return Err(truncated(error));
        }
        self.next += 1;
        Ok(Some(length as usize))
    }

    fn end(&mut self) -> Result<(), BlockError> {
        let Header { count, bytes: expected, indexed, .. } = self.header;
        if !self.part.whole {
            self.ended = true;
            let right = self.part.bytes.is_none_or(|expected| expected == self.bytes);
            return if right { Ok(()) } else { Err(BlockError::Index(index::ELSEWHERE)) };
        }
        if self.bytes != expected {
            return Err(BlockError::Sum { expected, found: self.bytes });
        }
        if indexed {
            self.index.check(&mut self.input)?;
        }
        match self.input.read_exact(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                self.ended = true;
                Ok(())
            }
            Err(error) => Err(error.into()),
            Ok(()) => Err(BlockError::Grown { count }),
        }
    }
}

impl<R: Read + Seek> BlockReader<R> {
    /// Opens a part of a block: `count` transactions, starting at position `first`. Uses the block's index to find
    /// them. If the index records where the part ends (at multiples of [`STRIDE`](index::STRIDE) and at the end of the
    /// block), reading also verifies that offset.
    ///
    /// # Errors
    /// [`BlockError`] if the file is not a block, or if the index is missing or damaged.
    pub fn part(input: R, first: u64, count: u64) -> Result<BlockReader<R>, BlockError> {
        let mut reader = BlockReader::new(input)?;
        let header = reader.header;
        let end = reader.end_of(first, count)?;
        let known = index::before(first);
        let from = index::look_up(&mut reader.input, &header, known)?;
        let says = end == header.count || index::before(end) == end;
        let bytes = says.then(|| index::look_up(&mut reader.input, &header, end)).transpose()?;
        reader.input.seek(SeekFrom::Start(HEADER as u64 + from))?;
        (reader.next, reader.bytes) = (known, from);
        reader.part = Part { first, end, bytes, whole: false };
        let mut skipped = Vec::new();
        while reader.next < first {
            skipped.clear();
            reader.read_into(&mut skipped)?;
        }
        Ok(reader)
    }

    /// Returns the byte range in the file that contains the transactions of a [`part`](Self::part). The range starts
    /// and ends at indexed transactions, so it may contain neighboring transactions.
    ///
    /// # Errors
    /// Same as [`part`](Self::part).
    pub fn bytes_of_part(input: R, first: u64, count: u64) -> Result<Range<u64>, BlockError> {
        let mut reader = BlockReader::new(input)?;
        let header = reader.header;
        let end = reader.end_of(first, count)?;
        let end = end.checked_next_multiple_of(index::STRIDE).map_or(header.count, |end| end.min(header.count));
        let from = index::look_up(&mut reader.input, &header, index::before(first))?;
        let to = index::look_up(&mut reader.input, &header, end)?;
        let place = |bytes: u64| bytes.checked_add(HEADER as u64).ok_or(BlockError::Index(index::ELSEWHERE));
        Ok(place(from)?..place(to.max(from))?)
    }

    /// Returns the end (exclusive) of a part of `count` transactions. Fails if the block has no index or does not
    /// contain the entire part.
    fn end_of(&self, first: u64, count: u64) -> Result<u64, BlockError> {
        let (end, header) = (first.saturating_add(count), self.header);
        match end > header.count {
            true => Err(BlockError::Range { first, end, count: header.count }),
            false if !header.indexed => Err(BlockError::NoIndex),
            false => Ok(end),
        }
    }
}

impl<R: Read> TransactionSource for BlockReader<R> {
    type Error = BlockError;

    fn first(&self) -> u64 {
        self.part.first
    }

    fn fill(&mut self, chunk: &mut Chunk) -> Result<(), BlockError> {
        while chunk.has_room() && chunk.push_with(|bytes| self.read_into(bytes).map(|length| length.is_some()))? {}
        Ok(())
    }
}
