//! Apache Parquet: one row per case, typed columns, nulls for figures that do not apply.

use super::columns::{COLUMNS, Column, Value};
use super::{ExportError, Exporter, Format};
use crate::document::describe_case;
use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::ByteArray;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::caveats::Caveat;
use pqlab_record::document::ResultEntry;
use std::io::Write;
use std::sync::Arc;

/// Figures of every case in typed columns. The file's metadata contains the unit of each column (`unit.median_us`) and
/// the meaning of each caveat (`caveat.defect`).
pub(super) struct Parquet;

impl Exporter for Parquet {
    fn format(&self) -> Format {
        Format { name: "parquet", describe: "Apache Parquet, one row per case", extension: "parquet" }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let rows: Vec<ResultEntry> = analysis.cases().iter().map(describe_case).collect();
        let file = encode(&rows).map_err(|error| ExportError::Format(error.to_string()))?;
        out.write_all(&file)?;
        out.flush()?;
        Ok(())
    }
}

fn encode(rows: &[ResultEntry]) -> Result<Vec<u8>, ParquetError> {
    let field = |column: &Column| {
        let (physical, logical) = match column.value {
            Value::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Value::Whole(_) => (Physical::INT64, None),
            Value::Real(_) => (Physical::DOUBLE, None),
            Value::Truth(_) => (Physical::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(column.name, physical).with_logical_type(logical);
        field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let fields = COLUMNS.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("pqlab").with_fields(fields).build()?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_key_value_metadata(Some(legend()))
        .set_created_by(concat!("pqlab ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for column in &COLUMNS {
        let Some(mut open) = group.next_column()? else { break };
        match (column.value, open.untyped()) {
            (Value::Text(cell), ColumnWriter::ByteArrayColumnWriter(to)) => {
                let (values, levels) = split(rows, |row| cell(row).map(|text| ByteArray::from(text.into_bytes())));
                to.write_batch(&values, Some(&levels), None)?;
            }
            (Value::Whole(cell), ColumnWriter::Int64ColumnWriter(to)) => {
                let (values, levels) = split(rows, |row| cell(row).and_then(|number| i64::try_from(number).ok()));
                to.write_batch(&values, Some(&levels), None)?;
            }
            (Value::Real(cell), ColumnWriter::DoubleColumnWriter(to)) => {
                let (values, levels) = split(rows, cell);
                to.write_batch(&values, Some(&levels), None)?;
            }
            (Value::Truth(cell), ColumnWriter::BoolColumnWriter(to)) => {
                let (values, levels) = split(rows, cell);
                to.write_batch(&values, Some(&levels), None)?;
            }
            _ => return Err(ParquetError::General("column type does not match its writer".to_owned())),
        }
        open.close()?;
    }
    group.close()?;
    writer.into_inner()
}

/// Returns the units of columns and the meanings of caveats for the file's metadata.
fn legend() -> Vec<KeyValue> {
    let units = COLUMNS.iter().filter(|column| !column.unit.is_empty());
    let units = units.map(|column| KeyValue::new(format!("unit.{}", column.name), column.unit.to_owned()));
    let caveats = Caveat::ALL
        .into_iter()
        .map(|caveat| KeyValue::new(format!("caveat.{}", caveat.word()), caveat.legend().to_owned()));
    units.chain(caveats).collect()
}

/// Returns the values that exist, and the definition level of each row: 1 if the row has a value, otherwise 0.
fn split<T>(rows: &[ResultEntry], cell: impl Fn(&ResultEntry) -> Option<T>) -> (Vec<T>, Vec<i16>) {
    let cells: Vec<Option<T>> = rows.iter().map(cell).collect();
    let levels = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    (cells.into_iter().flatten().collect(), levels)
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;

    #[test]
    fn files_can_be_read_back() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = fixtures::HOSTILE.to_owned();
        let reader = SerializedFileReader::new(bytes::Bytes::from(written(&Parquet, &run))).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), run.records.len());
        let at = |name: &str| COLUMNS.iter().position(|column| column.name == name).unwrap();
        assert_eq!(rows[0].get_string(at("algorithm")).unwrap(), fixtures::HOSTILE);
        assert!((10.0..11.0).contains(&rows[0].get_double(at("median_us")).unwrap()));
        assert_eq!(rows[2].get_string(at("error")).unwrap(), "decapsulation gave a different secret");
        assert!(rows[2].get_double(at("median_us")).is_err(), "a failed case must not have a median");
        let metadata = reader.metadata().file_metadata().key_value_metadata().unwrap();
        let value = |key: &str| metadata.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.as_deref());
        assert_eq!((value("unit.median_us"), value("caveat.defect")), (Some("µs"), Some(Caveat::Defect.legend())));
    }
}
