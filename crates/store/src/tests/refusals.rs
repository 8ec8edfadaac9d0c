use super::{header, new_store, record};
use crate::error::refusal_of_folder;
use crate::schema::{APPLICATION_ID, SCHEMA};
use crate::{Store, StoreError};
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Checks that both ways of opening reject the path with this message and leave it unchanged.
fn refused(path: &Path, expected: &str) {
    let before = path.is_file().then(|| fs::read(path).unwrap());
    for opened in [Store::open(path), Store::open_read_only(path)] {
        let message = opened.err().unwrap().to_string();
        assert_eq!(message, format!("{}: {expected}", path.display()));
        assert!(!message.contains('\n'));
    }
    assert_eq!(before, path.is_file().then(|| fs::read(path).unwrap()));
}

#[test]
fn rejects_newer_schemas() {
    let (_folder, store) = new_store();
    let path = store.path().to_path_buf();
    drop(store);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 7).unwrap();
    refused(&path, &format!("written by a newer pqlab (schema 7; this version reads up to {})", SCHEMA.newest()));
}

#[test]
fn rejects_schemas_before_the_oldest() {
    for found in [1, SCHEMA.oldest - 1] {
        let (_folder, store) = new_store();
        let path = store.path().to_path_buf();
        drop(store);
        Connection::open(&path).unwrap().pragma_update(None, "user_version", found).unwrap();
        let reads = format!("this version reads {} and later", SCHEMA.oldest);
        refused(&path, &format!("written by an older pqlab (schema {found}; {reads})"));
    }
}

#[test]
fn rejects_files_of_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = "this database belongs to another program, so pqlab left it unchanged";
    let marks = [
        "CREATE TABLE bookmarks (url TEXT)",
        "PRAGMA application_id = 252006674; CREATE TABLE a (b)",
        "PRAGMA user_version = 1",
    ];
    for (number, sql) in marks.iter().enumerate() {
        let path = folder.path().join(format!("{number}.db"));
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        refused(&path, foreign);
    }
}

#[test]
fn rejects_paths_that_are_not_databases() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "not a database, but longer than the header of one, which has a hundred bytes. ".repeat(20))
        .unwrap();
    refused(&text, "not a database");
    refused(folder.path(), "not a file (a folder)");
    refused(Path::new("/dev/null"), "not a file (a device, a pipe or a socket)");
    for opened in [Store::open(""), Store::open_read_only("")] {
        assert!(matches!(opened, Err(StoreError::NotAFile { .. })));
    }
}

#[test]
fn reading_does_not_create_a_missing_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.db");
    let message = Store::open_read_only(&path).err().unwrap().to_string();
    assert!(message.ends_with("no such file"), "{message}");
    assert!(!path.exists());
    let below_a_file = folder.path().join("file/pqlab.db");
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(Store::open(&below_a_file), Err(StoreError::Denied { attempt: "created", .. })));
    assert!(matches!(
        Store::open_read_only(&below_a_file),
        Err(StoreError::Missing { .. } | StoreError::Denied { .. })
    ));
}

#[test]
fn treats_special_sqlite_names_as_file_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:x?mode=memory", "100% sure?.db"] {
        let path = folder.path().join(name);
        let mut store = Store::open(&path).unwrap();
        store.begin_run(&header("one", 1)).unwrap();
        drop(store);
        assert!(path.is_file());
        assert_eq!(Store::open_read_only(&path).unwrap().runs().unwrap().len(), 1);
    }
}

#[test]
fn an_empty_file_is_read_as_an_empty_store_and_becomes_one_when_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.db");
    fs::write(&path, "").unwrap();
    assert_eq!(Store::open_read_only(&path).unwrap().runs().unwrap(), []);
    assert_eq!(fs::metadata(&path).unwrap().len(), 0);
    let store = Store::open(&path).unwrap();
    let id: i32 = store.connection.pragma_query_value(None, "application_id", |row| row.get(0)).unwrap();
    assert_eq!(id, APPLICATION_ID);
}

#[test]
fn rejects_views_and_triggers() {
    let cases = [
        (
            "view",
            "DROP TABLE cases; CREATE VIEW cases AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n",
        ),
        ("trigger", "CREATE TRIGGER again AFTER INSERT ON runs BEGIN DELETE FROM runs; END"),
    ];
    for (kind, sql) in cases {
        let (folder, store) = new_store();
        store.connection.execute_batch(sql).unwrap();
        drop(store);
        for opened in
            [Store::open(folder.path().join("pqlab.db")), Store::open_read_only(folder.path().join("pqlab.db"))]
        {
            let Err(StoreError::Altered { what, .. }) = opened else { panic!("the {kind} must be rejected") };
            assert!(what.starts_with(kind), "{what}");
        }
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_finished() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("one", 2)).unwrap();
    store.finish_case("one", 0, &record(0)).unwrap();
    let pages: u32 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let limit = |store: &Store, pages: u32| {
        store.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    };
    limit(&store, pages);
    let mut large = record(1);
    large.samples.visits[0].ticks =
        (0..100_000).map(|reading: u64| reading.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let full = store.finish_case("one", 1, &large).unwrap_err();
    assert!(matches!(full, StoreError::Full { .. }));
    let message = "no disk space left";
    assert_eq!(full.to_string(), format!("{}: {message}", store.path().display()));
    assert_eq!(store.load_run("one").unwrap().records, [record(0)]);
    limit(&store, u32::MAX / 2);
    store.finish_case("one", 1, &large).unwrap();
    assert_eq!(store.load_run("one").unwrap().records, [record(0), large]);
}

#[test]
fn reports_a_lock_that_is_never_released() {
    let (_folder, mut store) = new_store();
    store.connection.busy_timeout(Duration::from_millis(20)).unwrap();
    let other = Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let locked = store.begin_run(&header("one", 1)).unwrap_err();
    assert!(matches!(locked, StoreError::Locked { .. }), "{locked}");
    other.execute_batch("ROLLBACK").unwrap();
    store.begin_run(&header("one", 1)).unwrap();
}

#[test]
fn damage_is_reported_with_the_name_of_the_case() {
    let damages = [
        ("UPDATE samples SET data = zeroblob(40) WHERE position = 1", "the samples of "),
        ("UPDATE samples SET data = substr(data, 1, length(data) - 3) WHERE position = 1", "checksum mismatch"),
        ("DELETE FROM samples WHERE position = 1", "its samples are missing"),
        (r#"UPDATE cases SET definition = '{"workload": 1}' WHERE position = 1"#, "is damaged"),
    ];
    for (sql, expected) in damages {
        let (_folder, mut store) = new_store();
        store.begin_run(&header("one", 2)).unwrap();
        for position in 0..2 {
            store.finish_case("one", position, &record(position)).unwrap();
        }
        store.connection.execute_batch(sql).unwrap();
        let message = store.load_run("one").unwrap_err().to_string();
        assert!(message.contains("kem/ML-KEM-768/encapsulate[encoded,n=1]@libcrux:avx2 in run one"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_damaged_file_is_reported() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("one", 200)).unwrap();
    for position in 0..200 {
        store.finish_case("one", position, &record(position)).unwrap();
    }
    let path = store.path().to_path_buf();
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let result = Store::open(&path).and_then(|store| store.load_run("one"));
    assert!(matches!(result, Err(StoreError::Damaged { .. })), "{:?}", result.err());
}

#[test]
fn probing_a_folder_touches_none_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("pqlab.db");
    // Earlier versions used this predictable name for the probe.
    let theirs = database.with_extension(format!("probe-{}", std::process::id()));
    fs::write(&theirs, "somebody's").unwrap();
    assert_eq!(refusal_of_folder(&database), None);
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "somebody's");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = folder.path().join("nothing/pqlab.db");
    assert!(refusal_of_folder(&nowhere).is_some_and(|reason| reason.starts_with("No such file")));
}
