//! Compares every export format with its snapshot in `crates/report/snapshots`. After an intended change, update the
//! snapshots with `PQLAB_RENEW_SNAPSHOTS=1 scripts/test -p pqlab-report snapshots`, and review the diff.

use super::{Exporter, exporters};
use crate::fixtures;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs;
use std::path::PathBuf;

/// Returns the output of the format for the small fixture run. For Parquet, which is binary, returns the schema and the
/// rows as text.
fn written(exporter: &dyn Exporter) -> String {
    let bytes = super::written(exporter, &fixtures::small_run());
    if exporter.name() != "parquet" {
        return String::from_utf8(bytes).unwrap();
    }
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let mut schema = Vec::new();
    parquet::schema::printer::print_schema(&mut schema, reader.metadata().file_metadata().schema());
    let rows = reader.get_row_iter(None).unwrap().map(|row| format!("{}\n", row.unwrap()));
    String::from_utf8(schema).unwrap() + &rows.collect::<String>()
}

fn folder() -> PathBuf {
    "snapshots".into()
}

/// Describes the first difference between two texts.
fn first_difference(one: &str, other: &str) -> String {
    let lines = one.lines().zip(other.lines()).enumerate().find(|(_, (one, other))| one != other);
    lines.map_or_else(
        || format!("{} and {} lines", one.lines().count(), other.lines().count()),
        |(line, (one, other))| format!("line {}:\n  expected {one}\n  found    {other}", line + 1),
    )
}

#[test]
fn formats_match_their_snapshots() {
    let renew = std::env::var_os("PQLAB_RENEW_SNAPSHOTS").is_some();
    let mut expected_files = Vec::new();
    for exporter in exporters() {
        let extension = if exporter.name() == "parquet" { "txt" } else { exporter.format().extension };
        let name = format!("{}.{extension}", exporter.name());
        let (path, found) = (folder().join(&name), written(exporter.as_ref()));
        expected_files.push(name);
        if renew {
            fs::create_dir_all(folder()).unwrap();
            fs::write(&path, &found).unwrap();
            continue;
        }
        let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(found == expected, "{}: {}", exporter.name(), first_difference(&expected, &found));
    }
    let mut files: Vec<String> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    expected_files.sort();
    assert_eq!(files, expected_files, "every format needs one snapshot, and there must be no others");
}
