//! Apache Parquet: a row for each case, typed columns, nulls where a figure does not apply.

use super::{ExportError, Exporter};
use crate::schema::ResultEntry;
use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::ByteArray;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::Type;
use pqlab_record::{Form, Run, Status};
use std::io::Write;
use std::sync::Arc;

/// The figures of every case as the columns that data tools read.
pub(super) struct Parquet;

/// How a column is filled.
#[derive(Clone, Copy)]
enum Column {
    Text(fn(&ResultEntry) -> Option<String>),
    Whole(fn(&ResultEntry) -> Option<u64>),
    Real(fn(&ResultEntry) -> Option<f64>),
    Truth(fn(&ResultEntry) -> Option<bool>),
}

/// In this order; new columns go to the end.
const COLUMNS: [(&str, Column); 50] = [
    ("id", Column::Text(|row| Some(row.id.clone()))),
    ("name", Column::Text(|row| Some(row.name.clone()))),
    ("workload", Column::Text(|row| Some(row.workload.clone()))),
    ("algorithm", Column::Text(|row| Some(row.algorithm.clone()))),
    ("operation", Column::Text(|row| Some(row.operation.clone()))),
    ("provider", Column::Text(|row| Some(row.provider.clone()))),
    ("backend", Column::Text(|row| row.backend.clone())),
    ("encoding", Column::Text(|row| row.encoding.map(form))),
    ("category", Column::Whole(|row| row.category.map(u64::from))),
    ("status", Column::Text(|row| Some(if row.status == Status::Ok { "ok" } else { "failed" }.to_owned()))),
    ("error", Column::Text(|row| row.error.clone())),
    ("verified", Column::Truth(|row| Some(row.verified))),
    ("contended", Column::Truth(|row| Some(row.contended))),
    ("precision_reached", Column::Truth(|row| Some(row.precision_reached))),
    ("batch", Column::Whole(|row| row.batch)),
    ("n", Column::Whole(|row| Some(row.n as u64))),
    ("processes", Column::Whole(|row| Some(row.processes as u64))),
    ("median_us", Column::Real(|row| row.median_us)),
    ("median_low_us", Column::Real(|row| row.median_ci_us.map(|interval| interval[0]))),
    ("median_high_us", Column::Real(|row| row.median_ci_us.map(|interval| interval[1]))),
    ("half_width_pct", Column::Real(|row| row.half_width_pct)),
    ("mean_us", Column::Real(|row| row.mean_us)),
    ("stdev_us", Column::Real(|row| row.stdev_us)),
    ("cov_pct", Column::Real(|row| row.cov_pct)),
    ("min_us", Column::Real(|row| row.min_us)),
    ("p5_us", Column::Real(|row| row.p5_us)),
    ("p25_us", Column::Real(|row| row.p25_us)),
    ("p75_us", Column::Real(|row| row.p75_us)),
    ("p95_us", Column::Real(|row| row.p95_us)),
    ("p99_us", Column::Real(|row| row.p99_us)),
    ("max_us", Column::Real(|row| row.max_us)),
    ("iqm_us", Column::Real(|row| row.iqm_us)),
    ("ops_per_s", Column::Real(|row| row.ops_per_s)),
    ("counter", Column::Text(|row| row.counter.map(|counter| counter.name().to_owned()))),
    ("ticks", Column::Real(|row| row.ticks)),
    ("bytes", Column::Whole(|row| row.bytes)),
    ("public_key", Column::Whole(|row| row.sizes.public_key)),
    ("secret_key", Column::Whole(|row| row.sizes.secret_key)),
    ("ciphertext", Column::Whole(|row| row.sizes.ciphertext)),
    ("signature", Column::Whole(|row| row.sizes.signature)),
    ("finished_at", Column::Text(|row| Some(row.finished_at.clone()))),
    ("core_cycles", Column::Real(|row| row.core_cycles)),
    ("core_cycles_low", Column::Real(|row| row.core_cycles_ci.map(|interval| interval[0]))),
    ("core_cycles_high", Column::Real(|row| row.core_cycles_ci.map(|interval| interval[1]))),
    ("core_cycles_source", Column::Text(|row| row.core_cycles_source.map(|source| source.name().to_owned()))),
    ("shared_pct", Column::Real(|row| row.shared_pct)),
    ("drifting", Column::Truth(|row| Some(row.drifting))),
    ("defect", Column::Text(|row| row.defect.clone())),
    ("imprecise", Column::Text(|row| row.imprecise.as_ref().map(|words| words.join(",")))),
    ("residue", Column::Text(super::csv::residue)),
];

fn form(form: Form) -> String {
    match form {
        Form::Prepared => "prepared",
        Form::Encoded => "encoded",
    }
    .to_owned()
}

impl Exporter for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn describe(&self) -> &'static str {
        "Apache Parquet, one row a case"
    }

    fn extension(&self) -> &'static str {
        "parquet"
    }

    fn export(&self, run: &Run, out: &mut dyn Write) -> Result<(), ExportError> {
        let rows: Vec<ResultEntry> =
            run.records.iter().map(|record| ResultEntry::of(record, &run.header.protocol)).collect();
        let file = made(&rows).map_err(|error| ExportError::Format(error.to_string()))?;
        out.write_all(&file)?;
        out.flush()?;
        Ok(())
    }
}

fn made(rows: &[ResultEntry]) -> Result<Vec<u8>, ParquetError> {
    let field = |(name, column): &(&str, Column)| {
        let (physical, logical) = match column {
            Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Column::Whole(_) => (Physical::INT64, None),
            Column::Real(_) => (Physical::DOUBLE, None),
            Column::Truth(_) => (Physical::BOOLEAN, None),
        };
        let field = Type::primitive_type_builder(name, physical).with_logical_type(logical);
        field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let fields = COLUMNS.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder("pqlab").with_fields(fields).build()?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_created_by(concat!("pqlab ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, column) in COLUMNS {
        let Some(mut open) = group.next_column()? else { break };
        match (column, open.untyped()) {
            (Column::Text(cell), ColumnWriter::ByteArrayColumnWriter(to)) => {
                let (values, there) = split(rows, |row| cell(row).map(|text| ByteArray::from(text.into_bytes())));
                to.write_batch(&values, Some(&there), None)?;
            }
            (Column::Whole(cell), ColumnWriter::Int64ColumnWriter(to)) => {
                let (values, there) = split(rows, |row| cell(row).and_then(|number| i64::try_from(number).ok()));
                to.write_batch(&values, Some(&there), None)?;
            }
            (Column::Real(cell), ColumnWriter::DoubleColumnWriter(to)) => {
                let (values, there) = split(rows, cell);
                to.write_batch(&values, Some(&there), None)?;
            }
            (Column::Truth(cell), ColumnWriter::BoolColumnWriter(to)) => {
                let (values, there) = split(rows, cell);
                to.write_batch(&values, Some(&there), None)?;
            }
            _ => return Err(ParquetError::General("a column is not of its type".to_owned())),
        }
        open.close()?;
    }
    group.close()?;
    writer.into_inner()
}

/// The values that are there, and for each row whether there is one.
fn split<T>(rows: &[ResultEntry], cell: impl Fn(&ResultEntry) -> Option<T>) -> (Vec<T>, Vec<i16>) {
    let cells: Vec<Option<T>> = rows.iter().map(cell).collect();
    let there = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    (cells.into_iter().flatten().collect(), there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;

    #[test]
    fn what_is_written_is_read_again() {
        let mut run = fixtures::run();
        run.records[0].case.algorithm = fixtures::HOSTILE.to_owned();
        let mut bytes = Vec::new();
        Parquet.export(&run, &mut bytes).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), run.records.len());
        assert_eq!(rows[0].get_string(3).unwrap(), fixtures::HOSTILE);
        assert!((10.0..11.0).contains(&rows[0].get_double(17).unwrap()));
        assert_eq!(rows[2].get_string(10).unwrap(), "decapsulation gave another secret");
        assert!(rows[2].get_double(17).is_err(), "a failed case has no median");
    }
}
