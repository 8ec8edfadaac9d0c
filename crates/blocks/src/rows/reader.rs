//! Reads all or some rows of a Parquet file as transactions, and checks that the row counts in the file are right.

use super::schema;
use parquet::basic::Repetition;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArrayType, DataType, FixedLenByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use pqlab_constructions::ledger::stream::{Chunk, TransactionSource};
use pqlab_constructions::ledger::{Fields, LONGEST_TRANSACTION, Scheme};
use std::fs::File;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Number of rows to read in one call to the Parquet library.
const BATCH: usize = 64;

/// Reason why a file cannot be read as a Parquet block.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    /// The Parquet library cannot read the file.
    #[error("not a readable Parquet file: {0}")]
    Parquet(#[from] ParquetError),
    /// The columns differ from those of a ledger block.
    #[error("not the columns of a ledger block: {0}")]
    Schema(String),
    /// A row contains invalid fields, or only some of the fields.
    #[error("row {row}: {what}")]
    Row {
        /// Position of the row, counted from 0.
        row: u64,
        /// What is wrong.
        what: String,
    },
    /// The footer or a page contains an impossible value.
    #[error("the Parquet file is damaged")]
    Damaged,
    /// The row counts in the footer contradict each other or the number of rows in the pages.
    #[error("the row counts in this Parquet file disagree: {0}; the file is damaged or was tampered with")]
    Counts(String),
    /// The requested rows do not exist.
    #[error("rows {first} to {end} are out of range: the file has {rows} rows")]
    Part {
        /// Position of the first requested row, counted from 0.
        first: u64,
        /// Position after the last requested row.
        end: u64,
        /// Number of rows in the file.
        rows: u64,
    },
    /// The file was changed after it was opened.
    #[error("the file changed while it was being read")]
    Changed,
}

/// Reads rows as transactions.
pub(crate) struct ParquetReader {
    file: SerializedFileReader<File>,
    length: u64,
    handle: File,
    /// Index of the next row group.
    group: usize,
    columns: Option<Readers>,
    /// Number of rows read from the current group.
    of_group: u64,
    /// Transactions that the reader has read but not yet returned, last one first.
    ready: Vec<Vec<u8>>,
    /// Position in the file of the next row to read from the columns, from 0.
    row: u64,
    /// Position of the first row of the part.
    first: u64,
    /// Position after the last row of the part.
    end: u64,
}

impl ParquetReader {
    pub(crate) fn new(file: File) -> Result<ParquetReader, RowError> {
        guarded(|| ParquetReader::open(file))
    }

    fn open(file: File) -> Result<ParquetReader, RowError> {
        let handle = file.try_clone().map_err(ParquetError::from)?;
        let length = handle.metadata().map_err(ParquetError::from)?.len();
        let file = SerializedFileReader::new(file)?;
        check_ranges(&file, length)?;
        check_counts(&file)?;
        let expected = schema()?;
        let found = file.metadata().file_metadata().schema();
        let fields = (expected.get_fields(), found.get_fields());
        for (expected, found) in fields.0.iter().zip(fields.1) {
            let same = expected.name() == found.name()
                && found.is_primitive()
                && !found.is_group()
                && expected.get_physical_type() == found.get_physical_type()
                && found.get_basic_info().repetition() == Repetition::OPTIONAL;
            if !same {
                return Err(RowError::Schema(format!("found {:?} instead of {:?}", found.name(), expected.name())));
            }
        }
        if fields.0.len() != fields.1.len() {
            return Err(RowError::Schema(format!("{} columns instead of {}", fields.1.len(), fields.0.len())));
        }
        let end = file.metadata().file_metadata().num_rows().max(0) as u64;
        let none = Vec::new();
        Ok(ParquetReader {
            file,
            length,
            handle,
            group: 0,
            columns: None,
            of_group: 0,
            ready: none,
            row: 0,
            first: 0,
            end,
        })
    }

    /// Opens a file for reading the rows from `first` up to, but not including, `end`. Reading starts at the group that
    /// contains the row `first`.
    pub(crate) fn part(file: File, first: u64, end: u64) -> Result<ParquetReader, RowError> {
        let mut reader = ParquetReader::new(file)?;
        let rows = reader.rows();
        if first > end || end > rows {
            return Err(RowError::Part { first, end, rows });
        }
        while reader.group < reader.file.num_row_groups() {
            let next = reader.row + reader.file.metadata().row_group(reader.group).num_rows().max(0) as u64;
            if next > first {
                break;
            }
            (reader.row, reader.group) = (next, reader.group + 1);
        }
        (reader.first, reader.end) = (first, end);
        while reader.given() < first && guarded(|| reader.take())?.is_some() {}
        Ok(reader)
    }

    /// Returns the byte range of the row groups that contain the rows from `first` up to, but not including, `end`.
    pub(crate) fn bytes_of(&self, first: u64, end: u64) -> Result<Range<u64>, RowError> {
        if first > end || end > self.rows() {
            return Err(RowError::Part { first, end, rows: self.rows() });
        }
        let (mut row, mut bytes) = (0, None);
        for group in self.file.metadata().row_groups() {
            // `open` rejected negative counts and columns beyond the file, so nothing below
            // overflows.
            let from = row;
            row += group.num_rows() as u64;
            if from >= end || row <= first {
                continue;
            }
            for column in group.columns() {
                let (start, length) = column.byte_range();
                let (least, most) = bytes.unwrap_or((start, start));
                bytes = Some((least.min(start), most.max(start + length)));
            }
        }
        Ok(bytes.map_or(0..0, |(start, end)| start..end))
    }

    /// Returns the position of the next transaction that [`take`](Self::take) returns.
    fn given(&self) -> u64 {
        self.row - self.ready.len() as u64
    }

    fn take(&mut self) -> Result<Option<Vec<u8>>, RowError> {
        if self.ready.is_empty() {
            self.refill()?;
        }
        Ok(self.ready.pop())
    }

    /// Returns the number of rows according to the footer.
    pub(crate) fn rows(&self) -> u64 {
        self.file.metadata().file_metadata().num_rows().max(0) as u64
    }

    /// Reads more rows into `ready`. At the end of the file, `ready` stays empty.
    fn refill(&mut self) -> Result<(), RowError> {
        while self.ready.is_empty() {
            let Some(columns) = &mut self.columns else {
                if self.group == self.file.num_row_groups() {
                    return self.end();
                }
                self.columns = Some(Readers::new(&self.file, self.group)?);
                self.of_group = 0;
                self.group += 1;
                continue;
            };
            let group = self.group - 1;
            let announced = self.file.metadata().row_group(group).num_rows().max(0) as u64;
            let differs = |held: &str| {
                Err(RowError::Counts(format!("row group {group} declares {announced} rows, but its pages hold {held}")))
            };
            match columns.read(self.row)? {
                rows if rows.is_empty() && self.of_group != announced => return differs(&self.of_group.to_string()),
                rows if rows.is_empty() => self.columns = None,
                rows => {
                    self.of_group += rows.len() as u64;
                    if self.of_group > announced {
                        return differs("more");
                    }
                    self.row += rows.len() as u64;
                    self.ready = rows;
                    self.ready.reverse();
                }
            }
        }
        Ok(())
    }

    fn end(&self) -> Result<(), RowError> {
        let now = self.handle.metadata().map_err(ParquetError::from)?.len();
        if now != self.length { Err(RowError::Changed) } else { Ok(()) }
    }
}

impl TransactionSource for ParquetReader {
    type Error = RowError;

    fn first(&self) -> u64 {
        self.first
    }

    fn fill(&mut self, chunk: &mut Chunk) -> Result<(), RowError> {
        while chunk.has_room() {
            // Stop at the end of a part. At the end of the file, call `take` once more, because it
            // checks the counts and the file length.
            if self.given() == self.end && self.end < self.rows() {
                return Ok(());
            }
            match guarded(|| self.take())? {
                Some(transaction) => chunk.push(&transaction),
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

/// Runs `work`. Returns [`RowError::Damaged`] if the Parquet library panics, which a damaged footer or page can cause.
fn guarded<T>(work: impl FnOnce() -> Result<T, RowError>) -> Result<T, RowError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(RowError::Damaged))
}

/// Checks that the row counts in the footer agree: the count for the file, for each row group, and for each column in a
/// group. A column has one value or null per row. The rows in the pages are counted later, while the reader reads them.
fn check_counts(file: &SerializedFileReader<File>) -> Result<(), RowError> {
    let announced = file.metadata().file_metadata().num_rows();
    let mut sum = 0_i64;
    for (number, group) in file.metadata().row_groups().iter().enumerate() {
        let rows = group.num_rows();
        if let Some(column) = group.columns().iter().find(|column| column.num_values() != rows) {
            let (name, values) = (column.column_path().string(), column.num_values());
            let text = format!("row group {number} declares {rows} rows, but its column {name:?} has {values} values");
            return Err(RowError::Counts(text));
        }
        // Negative or overflowing counts could add up to the announced number, so reject them.
        sum = sum.checked_add(rows).filter(|_| rows >= 0).ok_or(RowError::Damaged)?;
    }
    if sum != announced {
        return Err(RowError::Counts(format!("it declares {announced} rows, but its row groups have {sum}")));
    }
    Ok(())
}

/// Checks that the bytes of every column are within the file. The Parquet library checks this only in part, and panics
/// if a check fails.
fn check_ranges(file: &SerializedFileReader<File>, length: u64) -> Result<(), RowError> {
    for group in file.metadata().row_groups() {
        for column in group.columns() {
            let starts = [Some(column.data_page_offset()), column.dictionary_page_offset()];
            let mut places = starts.into_iter().flatten().chain([column.compressed_size(), column.num_values()]);
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let end = start.checked_add(column.compressed_size()).and_then(|end| u64::try_from(end).ok());
            if places.any(|place| place < 0) || end.is_none_or(|end| end > length) {
                return Err(RowError::Damaged);
            }
        }
    }
    Ok(())
}

/// Column readers for one row group.
struct Readers {
    version: ColumnReaderImpl<Int32Type>,
    chain_id: ColumnReaderImpl<Int32Type>,
    scheme: ColumnReaderImpl<ByteArrayType>,
    nonce: ColumnReaderImpl<Int64Type>,
    to: ColumnReaderImpl<FixedLenByteArrayType>,
    amount: ColumnReaderImpl<Int64Type>,
    fee: ColumnReaderImpl<Int64Type>,
    public_key: ColumnReaderImpl<ByteArrayType>,
    signature: ColumnReaderImpl<ByteArrayType>,
    malformed: ColumnReaderImpl<ByteArrayType>,
}

impl Readers {
    fn new(file: &SerializedFileReader<File>, group: usize) -> Result<Readers, RowError> {
        let group = file.get_row_group(group)?;
        Ok(Readers {
            version: get_typed_column_reader(group.get_column_reader(0)?),
            chain_id: get_typed_column_reader(group.get_column_reader(1)?),
            scheme: get_typed_column_reader(group.get_column_reader(2)?),
            nonce: get_typed_column_reader(group.get_column_reader(3)?),
            to: get_typed_column_reader(group.get_column_reader(4)?),
            amount: get_typed_column_reader(group.get_column_reader(5)?),
            fee: get_typed_column_reader(group.get_column_reader(6)?),
            public_key: get_typed_column_reader(group.get_column_reader(7)?),
            signature: get_typed_column_reader(group.get_column_reader(8)?),
            malformed: get_typed_column_reader(group.get_column_reader(9)?),
        })
    }

    /// Reads the next rows, at most [`BATCH`], as encoded transactions. `first` is the position in the file of the
    /// first of these rows. Error messages contain positions.
    fn read(&mut self, first: u64) -> Result<Vec<Vec<u8>>, RowError> {
        let mut version = column(&mut self.version)?;
        let mut chain_id = column(&mut self.chain_id)?;
        let mut scheme = column(&mut self.scheme)?;
        let mut nonce = column(&mut self.nonce)?;
        let mut to = column(&mut self.to)?;
        let mut amount = column(&mut self.amount)?;
        let mut fee = column(&mut self.fee)?;
        let mut public_key = column(&mut self.public_key)?;
        let mut signature = column(&mut self.signature)?;
        let mut malformed = column(&mut self.malformed)?;
        let mut rows = Vec::new();
        for row in first.. {
            let cells = (
                version.next(),
                chain_id.next(),
                scheme.next(),
                nonce.next(),
                to.next(),
                amount.next(),
                fee.next(),
                public_key.next(),
                signature.next(),
                malformed.next(),
            );
            let wrong = |what: &str| RowError::Row { row, what: what.to_owned() };
            let transaction = match &cells {
                (None, None, None, None, None, None, None, None, None, None) => return Ok(rows),
                (
                    Some(Some(version)),
                    Some(Some(chain_id)),
                    Some(Some(scheme)),
                    Some(Some(nonce)),
                    Some(Some(to)),
                    Some(Some(amount)),
                    Some(Some(fee)),
                    Some(Some(public_key)),
                    Some(Some(signature)),
                    Some(None),
                ) => {
                    let scheme = scheme
                        .as_utf8()
                        .ok()
                        .and_then(|name| Scheme::ALL.into_iter().find(|scheme| scheme.algorithm() == name));
                    let fields = Fields {
                        version: u8::try_from(*version).map_err(|_| wrong("its version does not fit into a byte"))?,
                        chain_id: *chain_id as u32,
                        scheme: scheme.ok_or_else(|| wrong("its scheme is unknown"))?.id(),
                        nonce: *nonce as u64,
                        to: to.data().try_into().map_err(|_| wrong("its receiver is not 32 bytes long"))?,
                        amount: *amount as u64,
                        fee: *fee as u64,
                        public_key: public_key.data(),
                        signature: signature.data(),
                    };
                    let mut transaction = Vec::new();
                    fields.append(&mut transaction).map_err(|_| wrong("its key or signature is too long"))?;
                    transaction
                }
                (
                    Some(None),
                    Some(None),
                    Some(None),
                    Some(None),
                    Some(None),
                    Some(None),
                    Some(None),
                    Some(None),
                    Some(None),
                    Some(Some(bytes)),
                ) => bytes.data().to_vec(),
                _ => return Err(wrong("some columns are empty or longer than others")),
            };
            if transaction.len() > LONGEST_TRANSACTION {
                return Err(wrong("its transaction is too long"));
            }
            rows.push(transaction);
        }
        Ok(rows)
    }
}

/// Reads the next cells of a column, at most [`BATCH`]. Null cells are `None`.
fn column<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
) -> Result<impl Iterator<Item = Option<T::T>> + use<T>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    reader.read_records(BATCH, Some(&mut levels), None, &mut values)?;
    let mut values = values.into_iter();
    Ok(levels.into_iter().map(move |level| if level == 0 { None } else { values.next() }))
}
