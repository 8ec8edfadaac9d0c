//! Writes transactions as rows of a Parquet file.

use super::schema;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use pqlab_constructions::ledger::Transaction;
use std::fs::File;
use std::io;
use std::sync::Arc;

/// Number of rows in a row group, except the last.
pub(crate) const ROW_GROUP: u64 = 1024;

/// Writes transactions as rows, in groups of [`ROW_GROUP`] rows.
pub(crate) struct ParquetWriter {
    writer: SerializedFileWriter<File>,
    group: Columns,
}

impl ParquetWriter {
    pub(crate) fn new(out: File) -> io::Result<ParquetWriter> {
        // Keys and signatures are random, so compression and statistics would gain nothing.
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_created_by(concat!("pqlab ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let schema = schema().map_err(written)?;
        let writer = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(written)?;
        Ok(ParquetWriter { writer, group: Columns::default() })
    }

    pub(crate) fn push(&mut self, transaction: &[u8]) -> io::Result<()> {
        self.group.push(transaction);
        if self.group.rows() < ROW_GROUP {
            return Ok(());
        }
        self.write_group()
    }

    fn write_group(&mut self) -> io::Result<()> {
        std::mem::take(&mut self.group).write(&mut self.writer).map_err(written)
    }

    pub(crate) fn finish(mut self) -> io::Result<File> {
        if self.group.rows() > 0 {
            self.write_group()?;
        }
        // `into_inner` also writes the footer.
        self.writer.into_inner().map_err(written)
    }
}

/// Converts an error from the Parquet library to an I/O error. If the error wraps an I/O error, for example from the
/// destination, returns the wrapped error.
fn written(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(inner) => io::Error::other(inner),
        },
        error => io::Error::other(error),
    }
}

/// Rows of a row group, stored by column.
#[derive(Default)]
struct Columns {
    /// Definition level of each row's fields: 1 if the row has fields, 0 if it has only malformed bytes.
    fields: Vec<i16>,
    version: Vec<i32>,
    chain_id: Vec<i32>,
    scheme: Vec<ByteArray>,
    nonce: Vec<i64>,
    to: Vec<FixedLenByteArray>,
    amount: Vec<i64>,
    fee: Vec<i64>,
    public_key: Vec<ByteArray>,
    signature: Vec<ByteArray>,
    malformed: Vec<ByteArray>,
}

impl Columns {
    fn rows(&self) -> u64 {
        self.fields.len() as u64
    }

    fn push(&mut self, transaction: &[u8]) {
        let Ok(decoded) = Transaction::decode(transaction) else {
            self.fields.push(0);
            self.malformed.push(transaction.to_vec().into());
            return;
        };
        let fields = decoded.fields();
        self.fields.push(1);
        // Parquet stores unsigned integers as signed integers of the same width.
        self.version.push(i32::from(fields.version));
        self.chain_id.push(fields.chain_id as i32);
        self.scheme.push(decoded.body().scheme.algorithm().into());
        self.nonce.push(fields.nonce as i64);
        self.to.push(FixedLenByteArray::from(fields.to.to_vec()));
        self.amount.push(fields.amount as i64);
        self.fee.push(fields.fee as i64);
        self.public_key.push(fields.public_key.to_vec().into());
        self.signature.push(fields.signature.to_vec().into());
    }

    fn write(&self, writer: &mut SerializedFileWriter<File>) -> Result<(), ParquetError> {
        let bytes_only: Vec<i16> = self.fields.iter().map(|fields| 1 - fields).collect();
        let mut group = writer.next_row_group()?;
        macro_rules! column {
            ($kind:ty, $values:expr, $levels:expr) => {
                if let Some(mut column) = group.next_column()? {
                    column.typed::<$kind>().write_batch($values, Some($levels), None)?;
                    column.close()?;
                }
            };
        }
        column!(Int32Type, &self.version, &self.fields);
        column!(Int32Type, &self.chain_id, &self.fields);
        column!(ByteArrayType, &self.scheme, &self.fields);
        column!(Int64Type, &self.nonce, &self.fields);
        column!(FixedLenByteArrayType, &self.to, &self.fields);
        column!(Int64Type, &self.amount, &self.fields);
        column!(Int64Type, &self.fee, &self.fields);
        column!(ByteArrayType, &self.public_key, &self.fields);
        column!(ByteArrayType, &self.signature, &self.fields);
        column!(ByteArrayType, &self.malformed, &bytes_only);
        group.close()?;
        Ok(())
    }
}
