//! Block files of signed transactions in two formats: pqlab's own and Apache Parquet.
//!
//! This is a crate of its own because reading a block is part of reported times, and `pqlab-lab` is compiled without
//! optimisation. Rust compiles generic code in the crate that uses it, so the public types here are not generic.

mod rows;

pub use rows::RowError;

use pqlab_constructions::ledger::block::{BlockError, BlockReader, BlockWriter};
use pqlab_constructions::ledger::index::{self, STRIDE};
use pqlab_constructions::ledger::stream::{BlockProgress, verify_source};
use pqlab_constructions::ledger::{Form, Rejections, Verifier};
use rayon::ThreadPool;
use rows::{ParquetReader, ParquetWriter, ROW_GROUP};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, IntoInnerError, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// Size of the buffers for reading and writing, in bytes.
const BUFFER: usize = 1 << 20;
/// Magic bytes at both ends of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

/// File format of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFormat {
    /// pqlab's own format: a header, then each transaction preceded by its length.
    Block,
    /// Apache Parquet, one row per transaction.
    Parquet,
}

impl BlockFormat {
    /// Returns the format's name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            BlockFormat::Block => "block",
            BlockFormat::Parquet => "parquet",
        }
    }
}

/// Reason why a block file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system cannot open or read the file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is not a valid block in pqlab's own format.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// The file is not a valid block in the Parquet format.
    #[error(transparent)]
    Rows(#[from] RowError),
}

/// Description of a block file, as read from its header and footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockFacts {
    /// The file's format.
    pub format: BlockFormat,
    /// The form of the transactions.
    pub form: Form,
    /// Number of transactions.
    pub transactions: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Alignment of parts, in transactions: a part that starts at a multiple of this number can be read directly.
    /// `None` if the file can only be read as a whole.
    pub stride: Option<u64>,
}

/// An open block file, of which only the first bytes were read.
#[derive(Debug)]
pub struct BlockFile {
    file: File,
    format: BlockFormat,
}

impl BlockFile {
    /// Opens a file and detects its format from its first bytes.
    ///
    /// # Errors
    /// Errors of the operating system, also if the path is a folder.
    pub fn open(path: &Path) -> io::Result<BlockFile> {
        let mut file = File::open(path)?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(io::Error::other("this is a folder, not a block file"));
        }
        let mut magic = Vec::new();
        file.by_ref().take(PARQUET.len() as u64).read_to_end(&mut magic)?;
        file.seek(SeekFrom::Start(0))?;
        let format = if magic == PARQUET { BlockFormat::Parquet } else { BlockFormat::Block };
        Ok(BlockFile { file, format })
    }

    /// Returns the file's format.
    pub fn format(&self) -> BlockFormat {
        self.format
    }

    /// Reads the description of the block from its header and footer.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read or is not a block.
    pub fn facts(mut self) -> Result<BlockFacts, FileError> {
        let (format, bytes) = (self.format, self.file.metadata()?.len());
        Ok(match format {
            BlockFormat::Block => {
                let header = BlockReader::new(&self.file)?.header();
                if header.indexed {
                    self.file.seek(SeekFrom::Start(0))?;
                    BlockReader::part(&self.file, 0, 0)?;
                }
                let stride = header.indexed.then_some(STRIDE);
                BlockFacts { format, form: header.form, transactions: header.count, bytes, stride }
            }
            BlockFormat::Parquet => {
                let transactions = ParquetReader::new(self.file)?.rows();
                BlockFacts { format, form: Form::TxV2, transactions, bytes, stride: Some(ROW_GROUP) }
            }
        })
    }

    /// Returns the byte range that contains the transactions at the positions `part`. To verify the part, a caller
    /// needs the bytes in this range, the first 32 bytes and the [footer](footer_length). This function reads only the
    /// first 32 bytes and the footer.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read, is not a block, or does not contain the part.
    pub fn bytes_of_part(self, part: Range<u64>) -> Result<Range<u64>, FileError> {
        Ok(match self.format {
            BlockFormat::Block => {
                BlockReader::bytes_of_part(self.file, part.start, part.end.saturating_sub(part.start))?
            }
            BlockFormat::Parquet => ParquetReader::new(self.file)?.bytes_of(part.start, part.end)?,
        })
    }

    /// Prepares to read the transactions at the positions `part`, or all transactions and the end of the file.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read, is not a block, or does not contain the part.
    pub fn transactions(self, part: Option<Range<u64>>) -> Result<Transactions, FileError> {
        let (form, count, source) = match self.format {
            BlockFormat::Block => {
                let input = BufReader::with_capacity(BUFFER, self.file);
                let reader = match &part {
                    None => BlockReader::new(input),
                    Some(part) => BlockReader::part(input, part.start, part.end.saturating_sub(part.start)),
                }?;
                (reader.header().form, reader.header().count, Source::Block(reader))
            }
            BlockFormat::Parquet => {
                let reader = match &part {
                    None => ParquetReader::new(self.file),
                    Some(part) => ParquetReader::part(self.file, part.start, part.end),
                }?;
                (Form::TxV2, reader.rows(), Source::Parquet(Box::new(reader)))
            }
        };
        let count = part.map_or(count, |part| part.end.saturating_sub(part.start));
        Ok(Transactions { form, count, source })
    }
}

/// Transactions of a block file, not yet read.
pub struct Transactions {
    form: Form,
    count: u64,
    source: Source,
}

enum Source {
    Block(BlockReader<BufReader<File>>),
    Parquet(Box<ParquetReader>),
}

impl Transactions {
    /// Returns the form of the transactions.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the number of transactions according to the file.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Reads and verifies the transactions, as [`verify_source`] does.
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read to the end.
    pub fn verify(
        self,
        verifier: &Verifier,
        pool: Option<&ThreadPool>,
        progress: &BlockProgress,
    ) -> Result<Rejections, FileError> {
        Ok(match self.source {
            Source::Block(mut reader) => verify_source(&mut reader, verifier, pool, progress)?,
            Source::Parquet(mut reader) => verify_source(reader.as_mut(), verifier, pool, progress)?,
        })
    }
}

/// Writes transactions to a block file.
pub struct TransactionWriter(Sink);

enum Sink {
    Block(BlockWriter<BufWriter<File>>),
    Parquet(Box<ParquetWriter>),
}

impl TransactionWriter {
    /// Starts a block. For [`BlockFormat::Block`], the file must be seekable, because the header contains the number
    /// and length of the transactions and is written last. Parquet files can contain only [`Form::TxV2`].
    ///
    /// # Errors
    /// Errors from writing.
    pub fn new(file: File, format: BlockFormat, form: Form) -> io::Result<TransactionWriter> {
        Ok(TransactionWriter(match format {
            BlockFormat::Block => Sink::Block(BlockWriter::new(BufWriter::with_capacity(BUFFER, file), form)?),
            BlockFormat::Parquet => Sink::Parquet(Box::new(ParquetWriter::new(file)?)),
        }))
    }

    /// Appends an encoded transaction.
    ///
    /// # Errors
    /// Errors from writing.
    pub fn push(&mut self, transaction: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            Sink::Block(writer) => writer.push(transaction),
            Sink::Parquet(writer) => writer.push(transaction),
        }
    }

    /// Writes the rest of the block and returns the file.
    ///
    /// # Errors
    /// Errors from writing.
    pub fn finish(self) -> io::Result<File> {
        match self.0 {
            Sink::Block(writer) => writer.finish()?.into_inner().map_err(IntoInnerError::into_error),
            Sink::Parquet(writer) => writer.finish(),
        }
    }
}

/// Returns the length in bytes of a block file's footer, which contains the positions of the parts. Returns 0 if the
/// file has no footer. `head` and `tail` are the first and last 32 bytes of the file, or all bytes of a shorter file.
pub fn footer_length(head: &[u8], tail: &[u8]) -> u64 {
    if !head.starts_with(PARQUET) {
        return index::length(tail).unwrap_or(0);
    }
    let length = tail.strip_suffix(PARQUET).and_then(|rest| rest.last_chunk());
    length.map_or(0, |length| u64::from(u32::from_le_bytes(*length)) + 8)
}
