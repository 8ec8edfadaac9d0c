//! The block file. Big-endian: magic `pqlabtxs`, format u16, transaction form u8 (1 or 2), reserved u8 = 0, number of
//! transactions u64, their bytes with the length prefixes u64; then for each transaction its length u32 and its bytes. In format 1
//! nothing follows; in format 2, which is written, the [index](super::index). Transactions are carried as they are, malformed ones
//! too: whether they are any good, the verifier says.

use super::index::{self, Index};
use super::stream::{Chunk, TransactionSource};
use super::{Form, LONGEST_TRANSACTION};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// What a block file begins with.
pub const MAGIC: [u8; 8] = *b"pqlabtxs";
/// Without an index, and with one.
const FORMATS: [u16; 2] = [1, 2];
/// Length in bytes of what precedes the first transaction.
pub const HEADER: usize = 8 + 2 + 1 + 1 + 8 + 8;
/// Length in bytes of a transaction's length.
const PREFIX: u64 = 4;

/// Why a file is not a block.
#[derive(Debug, thiserror::Error)]
pub enum BlockError {
    /// It holds nothing.
    #[error("the file is empty")]
    Empty,
    /// It begins with something else.
    #[error("this is not a block file: it does not begin with {:?}", String::from_utf8_lossy(&MAGIC))]
    Foreign,
    /// It is a block file of another format than this program knows.
    #[error("block format {0} is not known to this program, which knows 1 and 2")]
    Format(u16),
    /// A field of the header has a value that it cannot have.
    #[error("the header is damaged: {0}")]
    Header(&'static str),
    /// It ends too early.
    #[error("the file is truncated: transaction {index} of {count} is cut off")]
    Truncated {
        /// The first transaction that is not whole, from 0.
        index: u64,
        /// How many the header announces.
        count: u64,
    },
    /// A length prefix is larger than any transaction.
    #[error("transaction {index} claims {length} bytes, but none has more than {LONGEST_TRANSACTION}")]
    TooLong {
        /// Which transaction, from 0.
        index: u64,
        /// The claimed length in bytes.
        length: u32,
    },
    /// The lengths of the transactions do not add up to what the header says.
    #[error("the transactions take {found} bytes, but the header says {expected}")]
    Sum {
        /// What the header says, in bytes.
        expected: u64,
        /// What they take, in bytes.
        found: u64,
    },
    /// Bytes follow the last transaction.
    #[error("bytes follow the last of {count} transactions: the file has grown, or is still being written")]
    Grown {
        /// How many the header announces.
        count: u64,
    },
    /// The index behind the transactions is not theirs.
    #[error("the index behind the transactions is damaged: {0}")]
    Index(&'static str),
    /// A part of it is asked for, and it has no index.
    #[error("block format 1 has no index: it can be read from beginning to end, not in parts")]
    NoIndex,
    /// A part is asked for that it does not have.
    #[error("transactions {first} to {end} of {count} are asked for")]
    Range {
        /// The first one, from 0.
        first: u64,
        /// The one behind the last.
        end: u64,
        /// How many there are.
        count: u64,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What a block file's header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The form of its transactions.
    pub form: Form,
    /// How many there are.
    pub count: u64,
    /// Bytes of the transactions with their lengths.
    pub bytes: u64,
    /// Whether an index is behind them.
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
            _ => return Err(BlockError::Header("no transaction form has its number")),
        };
        if bytes[11] != 0 {
            return Err(BlockError::Header("its reserved byte is not zero"));
        }
        let number = |at: usize| bytes[at..at + 8].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let header = Header { form, count: number(12), bytes: number(20), indexed };
        if header.count.checked_mul(PREFIX).is_none_or(|least| least > header.bytes) {
            return Err(BlockError::Header("it announces more transactions than bytes"));
        }
        Ok(header)
    }
}

/// Writes a block. Until [`finish`](Self::finish) its header announces nothing, so that what is left of an interrupted
/// writer is refused.
pub struct BlockWriter<W> {
    out: W,
    header: Header,
    index: Index,
}

impl<W: Write + Seek> BlockWriter<W> {
    /// Begins a block of transactions of a form.
    ///
    /// # Errors
    /// What the destination reports.
    pub fn new(mut out: W, form: Form) -> io::Result<BlockWriter<W>> {
        let header = Header { form, count: 0, bytes: 0, indexed: false };
        out.write_all(&header.encode())?;
        Ok(BlockWriter { out, header, index: Index::default() })
    }

    /// Appends a transaction.
    ///
    /// # Errors
    /// What the destination reports; [`ErrorKind::InvalidInput`] for one that no reader takes.
    pub fn push(&mut self, transaction: &[u8]) -> io::Result<()> {
        if transaction.len() > LONGEST_TRANSACTION {
            return Err(io::Error::new(ErrorKind::InvalidInput, "longer than any transaction"));
        }
        self.index.note(self.header.count, self.header.bytes);
        // No longer than `LONGEST_TRANSACTION`, which fits.
        self.out.write_all(&(transaction.len() as u32).to_be_bytes())?;
        self.out.write_all(transaction)?;
        self.header.count += 1;
        self.header.bytes += PREFIX + transaction.len() as u64;
        Ok(())
    }

    /// Writes the index and the header and hands the destination back.
    ///
    /// # Errors
    /// What the destination reports.
    pub fn finish(mut self) -> io::Result<W> {
        self.header.indexed = true;
        self.out.write_all(&self.index.encode())?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&self.header.encode())?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Reads a block, or a part of one, from beginning to end, and holds it to its header and its index.
pub struct BlockReader<R> {
    input: R,
    header: Header,
    part: Part,
    /// The next transaction.
    next: u64,
    /// Bytes between the header and the next transaction.
    bytes: u64,
    /// What the index must be, as far as the block has been read.
    index: Index,
    ended: bool,
}

/// What of a block is read.
#[derive(Clone, Copy)]
struct Part {
    first: u64,
    /// The transaction behind the last.
    end: u64,
    /// Bytes between the header and that one, where the index says so.
    bytes: Option<u64>,
    whole: bool,
}

impl<R: Read> BlockReader<R> {
    /// Reads the header. `input` should be buffered.
    ///
    /// # Errors
    /// [`BlockError`] where it is not one.
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
            return Err(if foreign { BlockError::Foreign } else { BlockError::Header("it is cut off") });
        }
        let header = Header::decode(&bytes)?;
        let part = Part { first: 0, end: header.count, bytes: None, whole: true };
        Ok(BlockReader { input, header, part, next: 0, bytes: 0, index: Index::default(), ended: false })
    }

    /// What the header says.
    pub fn header(&self) -> Header {
        self.header
    }

    /// Appends the next transaction to `out` and returns its length in bytes; `None` after the last, once it is known that
    /// nothing follows.
    ///
    /// # Errors
    /// [`BlockError`] where the file is not what its header says.
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
    /// Reads the header and what the index says of so many transactions from `first` on, and goes there. At the end it must be where
    /// the index says that the part ends, if it says so: where a multiple of [`STRIDE`](index::STRIDE) or the block's end is.
    ///
    /// # Errors
    /// [`BlockError`] where it is not a block, has no index, or the index is not its own.
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

    /// Which bytes of the file [`part`](Self::part) reads beside header and index.
    ///
    /// # Errors
    /// As of a part.
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

    /// The transaction behind the last of a part that it can find.
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
