use crate::schema::{APPLICATION_ID, SCHEMA, Schema};
use crate::{Store, StoreError};
use pqlab_record::{Disturbance, Metric, Status};
use rusqlite::Connection;
use std::path::PathBuf;
use tempfile::TempDir;

/// Rows from a pqlab with the oldest schema, dumped by `sqlite3 FILE .dump`. They must never change, because such files
/// must stay readable.
const LEFT_BEHIND: &str = include_str!("fixtures/schema-5.sql");

const RUN: &str = "20261121T190000-abcd";

/// Fictitious next version.
const NEXT: Schema =
    Schema { migrations: &[SCHEMA.migrations[0], "ALTER TABLE runs ADD COLUMN colour TEXT DEFAULT 'red'"], ..SCHEMA };

/// Fictitious next version with a second statement that fails.
const BROKEN: Schema =
    Schema { migrations: &["ALTER TABLE runs ADD COLUMN colour TEXT; CREATE TABLE runs (id)"], ..SCHEMA };

/// Creates a file with the oldest schema, and with rows that a pqlab with this schema wrote.
fn left_behind() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pqlab.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(SCHEMA.tables).unwrap();
    connection.execute_batch(LEFT_BEHIND).unwrap();
    connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    connection.pragma_update(None, "user_version", SCHEMA.oldest).unwrap();
    (folder, path)
}

fn version(connection: &Connection) -> u32 {
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

fn colour(store: &Store) -> String {
    store.connection.query_row("SELECT colour FROM runs", [], |row| row.get(0)).unwrap()
}

#[test]
fn reads_files_of_the_oldest_schema() {
    let (_folder, path) = left_behind();
    let store = Store::open(&path).unwrap();
    assert_eq!(version(&store.connection), SCHEMA.newest());
    let summary = &store.runs().unwrap()[0];
    assert_eq!(summary.note.as_deref(), Some("before the new kernel"));
    assert_eq!(summary.names, ["release"]);
    let run = store.load_run(RUN).unwrap();
    assert_eq!((run.header.seed, run.header.plan.len(), run.complete), (u64::MAX, 2, true));
    assert_eq!(run.header.environment.host.load, Some([0.1, 0.2, 1.0 / 3.0]));
    let [measured, failed] = &run.records[..] else { panic!("expected two records") };
    assert_eq!(measured.case.id(), "kem/ML-KEM-768/encapsulate[encoded,n=0]@libcrux:avx2");
    assert_eq!((measured.samples.metric, measured.samples.count()), (Metric::Tsc, 6));
    let visit = &measured.samples.visits[0];
    assert_eq!(visit.ticks, [21_000, 21_017, 21_003]);
    assert_eq!(visit.disturbances, [Disturbance::Steal { pct: 12.5 }]);
    assert_eq!(visit.extra, [("ciphertext".into(), vec![1088.0]), ("delay".into(), vec![0.5])]);
    let starts: Vec<u32> = measured.samples.visits.iter().map(|visit| visit.start).collect();
    assert_eq!(starts, [1, 2]);
    assert_eq!((failed.status, failed.error.as_deref()), (Status::Failed, Some("timed out")));
}

#[test]
fn an_empty_file_gets_the_newest_version() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_with(&folder.path().join("pqlab.db"), &NEXT).unwrap();
    assert_eq!((version(&store.connection), store.kept_copy()), (SCHEMA.newest() + 1, None));
    assert!(store.runs().unwrap().is_empty());
}

#[test]
fn reading_leaves_older_files_unchanged_and_writing_keeps_a_copy() {
    let (folder, path) = left_behind();
    let before = std::fs::read(&path).unwrap();
    let reader = Store::open_read_only_with(&path, &NEXT).unwrap();
    let read = reader.load_run(RUN).unwrap();
    assert_eq!(colour(&reader), "red", "reading must use a migrated copy");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let written = Store::open_with(&path, &NEXT).unwrap();
    assert_eq!((version(&written.connection), colour(&written)), (SCHEMA.newest() + 1, "red".to_owned()));
    assert_eq!(written.load_run(RUN).unwrap(), read);
    let oldest = SCHEMA.oldest;
    let copy = written.kept_copy().unwrap().to_path_buf();
    assert_eq!(copy, folder.path().join(format!("pqlab.db.v{oldest}")));
    assert_eq!(version(&Connection::open(&copy).unwrap()), oldest);
    drop((reader, written));
    assert_eq!(Store::open_read_only(&copy).unwrap().load_run(RUN).unwrap(), read, "older versions open the copy");
    assert!(matches!(Store::open(&path), Err(StoreError::Newer { .. })), "older versions must reject this file");
    assert_eq!(Store::open_with(&path, &NEXT).unwrap().kept_copy(), None);
    // The name of the first copy is taken, so the second copy must get a different one.
    std::fs::write(&path, &before).unwrap();
    let again = Store::open_with(&path, &NEXT).unwrap();
    assert_eq!(again.kept_copy().unwrap(), folder.path().join(format!("pqlab.db.v{oldest}.2")));
}

#[test]
fn a_failed_migration_changes_nothing() {
    let (_folder, path) = left_behind();
    assert!(Store::open_with(&path, &BROKEN).is_err() && Store::open_read_only_with(&path, &BROKEN).is_err());
    assert_eq!(version(&Connection::open(&path).unwrap()), SCHEMA.oldest);
    assert_eq!(Store::open(&path).unwrap().load_run(RUN).unwrap().records.len(), 2);
}

#[test]
fn failed_creation_leaves_the_file_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pqlab.db");
    let mut connection = Connection::open(&path).unwrap();
    connection.pragma_update_and_check(None, "max_page_count", 3, |_| Ok(())).unwrap();
    assert!(SCHEMA.migrate(&mut connection, &path).is_err());
    drop(connection);
    let connection = Connection::open(&path).unwrap();
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 0);
    drop(connection);
    assert!(Store::open(&path).unwrap().runs().unwrap().is_empty());
}
