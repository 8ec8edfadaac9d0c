//! Stores transactions as rows of a Parquet file. The columns are the fields of TXv2. Bytes that cannot be decoded as a
//! transaction go into the `malformed` column, and the row's other columns are null. Every field has exactly one
//! encoding in a transaction, so the rows determine every byte of the transactions.

mod reader;
mod writer;

pub(crate) use reader::ParquetReader;
pub use reader::RowError;
pub(crate) use writer::{ParquetWriter, ROW_GROUP};

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{PrimitiveTypeBuilder, Type};
use pqlab_constructions::ledger::ADDRESS;
use std::sync::Arc;

fn integer(name: &str, physical: Physical, bit_width: i8) -> PrimitiveTypeBuilder<'_> {
    let unsigned = LogicalType::integer(bit_width, false);
    Type::primitive_type_builder(name, physical).with_logical_type(Some(unsigned))
}

fn bytes(name: &str) -> PrimitiveTypeBuilder<'_> {
    Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
}

fn schema() -> Result<Arc<Type>, ParquetError> {
    let address = Type::primitive_type_builder("to", Physical::FIXED_LEN_BYTE_ARRAY).with_length(ADDRESS as i32);
    let columns = [
        integer("version", Physical::INT32, 8),
        integer("chain_id", Physical::INT32, 32),
        bytes("scheme").with_logical_type(Some(LogicalType::String)),
        integer("nonce", Physical::INT64, 64),
        address,
        integer("amount", Physical::INT64, 64),
        integer("fee", Physical::INT64, 64),
        bytes("public_key"),
        bytes("signature"),
        bytes("malformed"),
    ];
    let columns = columns.map(|column| column.with_repetition(Repetition::OPTIONAL).build().map(Arc::new));
    let columns = columns.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder("ledger").with_fields(columns).build()?))
}
