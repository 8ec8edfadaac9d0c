use crate::Store;
use crate::schema::{APPLICATION_ID, KNOWN, MIGRATIONS};
use pqlab_record::{Disturbance, Metric, Status};
use rusqlite::Connection;
use std::path::Path;

/// What a pqlab of each schema left behind, as `sqlite3 FILE .dump` writes its rows: never edited, added to with every
/// migration. Its samples hold the bytes of their encoding as it was then.
const LEFT_BEHIND: &[&str] = &[
    include_str!("fixtures/schema-1.sql"),
    include_str!("fixtures/schema-2.sql"),
    include_str!("fixtures/schema-3.sql"),
    include_str!("fixtures/schema-4.sql"),
    include_str!("fixtures/schema-5.sql"),
];

/// The schema from which on samples tell which start of the run made them.
const WITH_STARTS: usize = 3;

/// The schema from which on runs have notes.
const WITH_NOTES: usize = 5;

/// A file of an older schema, with the rows that a pqlab of that time would have left.
fn made_with(schema: usize, path: &Path) {
    let connection = Connection::open(path).unwrap();
    for sql in &MIGRATIONS[..schema] {
        connection.execute_batch(sql).unwrap();
    }
    connection.execute_batch(LEFT_BEHIND[schema - 1]).unwrap();
    connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
    connection.pragma_update(None, "user_version", schema as u32).unwrap();
}

#[test]
fn a_store_of_every_older_schema_is_brought_up_to_date() {
    assert_eq!(LEFT_BEHIND.len(), MIGRATIONS.len(), "each schema has its fixture");
    for schema in 1..=MIGRATIONS.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pqlab.db");
        made_with(schema, &path);
        let store = Store::open(&path).unwrap();
        let found: u32 = store.connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(found, KNOWN);
        let note = store.runs().unwrap()[0].note.clone();
        assert_eq!(note.as_deref(), (schema >= WITH_NOTES).then_some("before the new kernel"));
        let run = store.load_run("20261121T190000-abcd").unwrap();
        assert_eq!((run.header.seed, run.header.plan.len(), run.complete), (u64::MAX, 2, true));
        assert_eq!(run.header.environment.host.load, Some([0.1, 0.2, 1.0 / 3.0]));
        let [measured, failed] = &run.records[..] else { panic!("two records") };
        assert_eq!(measured.case.id(), "kem/ML-KEM-768/encapsulate[encoded,n=0]@libcrux:avx2");
        assert_eq!((measured.samples.metric, measured.samples.count()), (Metric::Tsc, 6));
        let visit = &measured.samples.visits[0];
        assert_eq!(visit.ticks, [21_000, 21_017, 21_003]);
        assert_eq!(visit.disturbances, [Disturbance::Steal { pct: 12.5 }]);
        assert_eq!(visit.extra, [("ciphertext".into(), vec![1088.0]), ("delay".into(), vec![0.5])]);
        let starts: Vec<u32> = measured.samples.visits.iter().map(|visit| visit.start).collect();
        assert_eq!(starts, if schema < WITH_STARTS { [0, 0] } else { [1, 2] });
        assert_eq!((failed.status, failed.error.as_deref()), (Status::Failed, Some("timed out")));
    }
}

#[test]
fn reading_leaves_an_older_file_as_it_is_and_writing_keeps_a_copy() {
    for schema in 1..MIGRATIONS.len() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pqlab.db");
        made_with(schema, &path);
        let before = std::fs::read(&path).unwrap();
        let read = Store::open_read_only(&path).unwrap().load_run("20261121T190000-abcd").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), before);
        let written = Store::open(&path).unwrap();
        assert_eq!(written.load_run("20261121T190000-abcd").unwrap(), read);
        let copy = written.kept_copy().unwrap().to_path_buf();
        assert_eq!(copy, folder.path().join(format!("pqlab.db.v{schema}")));
        let kept = Connection::open(&copy).unwrap();
        let version: usize = kept.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(version, schema);
        drop((kept, written));
        assert_eq!(Store::open_read_only(&copy).unwrap().load_run("20261121T190000-abcd").unwrap(), read);
        assert_eq!(Store::open(&path).unwrap().kept_copy(), None);
        // The name of the copy is taken.
        std::fs::write(&path, &before).unwrap();
        assert_eq!(
            Store::open(&path).unwrap().kept_copy().unwrap(),
            folder.path().join(format!("pqlab.db.v{schema}.2"))
        );
    }
}

#[test]
fn a_run_of_an_older_schema_was_started_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pqlab.db");
    made_with(WITH_STARTS - 1, &path);
    Connection::open(&path).unwrap().execute_batch("UPDATE runs SET complete = 0, imported = 0").unwrap();
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.begin_start("20261121T190000-abcd").unwrap(), 1);
    assert_eq!(store.begin_start("20261121T190000-abcd").unwrap(), 2);
}

#[test]
fn a_failed_migration_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pqlab.db");
    let mut connection = Connection::open(&path).unwrap();
    connection.pragma_update_and_check(None, "max_page_count", 3, |_| Ok(())).unwrap();
    assert!(crate::schema::migrate(&mut connection, &path).is_err());
    drop(connection);
    let connection = Connection::open(&path).unwrap();
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 0);
    drop(connection);
    assert!(Store::open(&path).unwrap().runs().unwrap().is_empty());
}
