use super::{case, header, new_store, record, run};
use crate::{Import, Store, StoreError};
use pqlab_record::{Record, Run, SecondChance};
use std::thread;

#[test]
fn a_second_chance_replaces_the_first_record() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("one", 2)).unwrap();
    store.finish_case("one", 0, &record(0)).unwrap();
    let mut again = record(0);
    again.second_chance = Some(SecondChance::Undisturbed);
    again.samples.visits.extend(record(0).samples.visits);
    store.replace_case("one", 0, &again).unwrap();
    store.replace_case("one", 1, &record(1)).unwrap();
    let run = store.load_run("one").unwrap();
    assert_eq!(run.records, [again, record(1)]);
    assert!(matches!(store.replace_case("one", 2, &record(1)), Err(StoreError::NotPlanned { position: 2, .. })));
    assert_eq!(store.load_run("one").unwrap().records.len(), 2);
}

#[test]
fn runs_are_loaded_as_they_were_written() {
    let (_folder, mut store) = new_store();
    let expected = run("20261121T190000-abcd", 3);
    let id = &expected.header.id;
    store.begin_run(&expected.header).unwrap();
    assert_eq!(
        store.load_run(id).unwrap(),
        Run { records: vec![], complete: false, finished_at: None, ..expected.clone() }
    );
    for position in [2, 0, 1] {
        store.finish_case(id, position, &expected.records[position]).unwrap();
    }
    store.complete_run(id, expected.finished_at.as_deref().unwrap()).unwrap();
    assert_eq!(store.load_run(id).unwrap(), expected);
    assert_eq!(store.load_header(id).unwrap(), expected.header);
    let reopened = Store::open_read_only(store.path()).unwrap();
    assert_eq!(reopened.load_run(id).unwrap(), expected);
}

#[test]
fn finished_cases_are_known_for_resuming() {
    let (_folder, mut store) = new_store();
    assert_eq!(store.last_incomplete().unwrap(), None);
    store.begin_run(&header("one", 3)).unwrap();
    store.finish_case("one", 2, &Record::failed(case(2), "timed out".into(), "2026-11-21T19:00:01Z".into())).unwrap();
    store.finish_case("one", 0, &record(0)).unwrap();
    assert_eq!(store.finished_positions("one").unwrap(), [0, 2]);
    assert_eq!(store.last_incomplete().unwrap().as_deref(), Some("one"));
    assert!(matches!(
        store.complete_run("one", "2026-11-21T19:00:02Z"),
        Err(StoreError::Incomplete { missing: 1, .. })
    ));
    let summary = &store.runs().unwrap()[0];
    assert_eq!((summary.planned, summary.finished, summary.failed, summary.contended), (3, 2, 1, 1));
    assert_eq!((summary.complete, summary.imported, summary.host.as_deref()), (false, false, Some("bench-1")));
    store.finish_case("one", 1, &record(1)).unwrap();
    store.complete_run("one", "2026-11-21T19:00:02Z").unwrap();
    assert_eq!(store.last_incomplete().unwrap(), None);
}

#[test]
fn numbers_every_start_even_without_finished_cases() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("one", 1)).unwrap();
    assert_eq!(store.begin_start("one").unwrap(), 1);
    assert_eq!(store.begin_start("one").unwrap(), 2);
    let mut second = record(0);
    second.samples.visits.iter_mut().for_each(|visit| visit.start = 2);
    store.finish_case("one", 0, &second).unwrap();
    assert_eq!(store.load_run("one").unwrap().records, [second]);
    assert!(matches!(store.begin_start("two"), Err(StoreError::UnknownRun { .. })));
}

#[test]
fn cases_that_hit_a_time_limit_are_measured_again() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("one", 3)).unwrap();
    let failed = |position, reason: &str| Record::failed(case(position), reason.into(), "2026-11-21T19:00:01Z".into());
    store.finish_case("one", 0, &record(0)).unwrap();
    store.finish_case("one", 1, &failed(1, "no answer within 120 s; the worker was killed")).unwrap();
    store.finish_case("one", 2, &failed(2, "a wrong answer")).unwrap();
    store.complete_run("one", "2026-11-21T19:00:02Z").unwrap();
    store.check_resumable("one").unwrap();
    assert_eq!(store.begin_start("one").unwrap(), 1);
    assert_eq!(store.finished_positions("one").unwrap(), [0, 2]);
    assert_eq!(store.last_incomplete().unwrap().as_deref(), Some("one"));
    store.finish_case("one", 1, &record(1)).unwrap();
    store.complete_run("one", "2026-11-21T19:00:03Z").unwrap();
    assert!(matches!(store.begin_start("one"), Err(StoreError::NotResumable { .. })));
}

#[test]
fn rejects_resuming_complete_or_imported_runs() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("complete", 0)).unwrap();
    store.check_resumable("complete").unwrap();
    store.complete_run("complete", "2026-11-21T19:00:02Z").unwrap();
    let mut partial = run("imported", 2);
    partial.records.pop();
    partial.complete = false;
    store.import_run(&partial).unwrap();
    for (id, reason) in [("complete", "it is complete"), ("imported", "it was measured elsewhere and imported")] {
        for refused in [store.check_resumable(id).unwrap_err(), store.begin_start(id).unwrap_err()] {
            assert_eq!(refused.to_string(), format!("run {id} cannot be resumed: {reason}"));
        }
    }
}

#[test]
fn stores_a_case_once_and_only_at_its_planned_position() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("one", 3)).unwrap();
    store.finish_case("one", 1, &record(1)).unwrap();
    let doubled = store.finish_case("one", 1, &record(1)).unwrap_err();
    assert!(matches!(&doubled, StoreError::DuplicateCase { run, .. } if run == "one"), "{doubled}");
    assert!(matches!(store.finish_case("one", 2, &record(1)), Err(StoreError::NotPlanned { position: 2, .. })));
    assert!(matches!(store.finish_case("one", 3, &record(3)), Err(StoreError::NotPlanned { position: 3, .. })));
    assert!(matches!(store.finish_case("two", 0, &record(0)), Err(StoreError::UnknownRun { .. })));
    assert!(matches!(store.begin_run(&header("one", 1)), Err(StoreError::DuplicateRun { .. })));
    assert_eq!(store.finished_positions("one").unwrap(), [1]);
}

#[test]
fn schema_rejects_duplicate_cases() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("one", 1)).unwrap();
    store.finish_case("one", 0, &record(0)).unwrap();
    let copy = "INSERT INTO cases SELECT * FROM cases";
    assert!(store.connection.execute_batch(copy).unwrap_err().to_string().contains("UNIQUE"));
}

#[test]
fn deleting_a_run_removes_all_its_rows() {
    let (_folder, mut store) = new_store();
    for id in ["one", "two"] {
        store.import_run(&run(id, 2)).unwrap();
    }
    store.delete_run("one").unwrap();
    assert!(matches!(store.delete_run("one"), Err(StoreError::UnknownRun { .. })));
    assert!(matches!(store.finished_positions("one"), Err(StoreError::UnknownRun { .. })));
    assert_eq!(store.load_run("two").unwrap(), run("two", 2));
    for table in ["plan", "cases", "samples"] {
        let sql = format!("SELECT count(*) FROM {table}");
        assert_eq!(store.connection.query_row(&sql, [], |row| row.get::<_, u32>(0)).unwrap(), 2, "{table}");
    }
}

#[test]
fn imports_are_atomic_and_idempotent() {
    let (_folder, mut store) = new_store();
    let mut imported = run("elsewhere", 3);
    assert_eq!(store.import_run(&imported).unwrap(), Import::Stored);
    assert_eq!(store.load_run("elsewhere").unwrap(), imported);
    assert_eq!(store.import_run(&imported).unwrap(), Import::AlreadyThere);
    // An export computes `precision_reached` again, so its value may differ from the value in the run.
    imported.records[1].precision_reached ^= true;
    assert_eq!(store.import_run(&imported).unwrap(), Import::AlreadyThere);
    imported.records[1].samples.visits[0].ticks[0] += 1;
    assert!(matches!(store.import_run(&imported), Err(StoreError::DuplicateRun { .. })));

    let mut partial = run("partial", 3);
    partial.records.remove(1);
    assert!(matches!(store.import_run(&partial), Err(StoreError::Incomplete { missing: 1, .. })));
    partial.complete = false;
    assert_eq!(store.import_run(&partial).unwrap(), Import::Stored);
    assert_eq!(store.finished_positions("partial").unwrap(), [0, 2]);
    assert_eq!(store.last_incomplete().unwrap(), None, "runs from other hosts must not be resumed here");

    let mut future = run("future", 3);
    future.header.started_at = "9999-12-31T23:59:59Z".into();
    assert!(matches!(store.import_run(&future), Err(StoreError::Future { run, .. }) if run == "future"));

    let mut unplanned = run("unplanned", 3);
    unplanned.records[2].case = case(7);
    assert!(matches!(store.import_run(&unplanned), Err(StoreError::NotPlanned { .. })));
    assert!(store.runs().unwrap().iter().all(|summary| summary.id != "unplanned"));
}

#[test]
fn importing_nan_again_is_the_same_run() {
    let (_folder, mut store) = new_store();
    let mut odd = run("odd", 1);
    odd.records[0].samples.visits[0].clock_hz = f64::NAN;
    assert_eq!(store.import_run(&odd).unwrap(), Import::Stored);
    assert_eq!(store.import_run(&odd).unwrap(), Import::AlreadyThere);
}

#[test]
fn rejects_headers_that_json_would_change() {
    let (_folder, mut store) = new_store();
    let mut odd = header("odd", 1);
    odd.environment.counters.overhead_ns = f64::NAN;
    assert!(matches!(store.begin_run(&odd), Err(StoreError::Unstorable { .. })));
    assert!(store.runs().unwrap().is_empty());
}

#[test]
fn several_connections_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/folders/pqlab.db");
    // The file does not exist, so all threads try to create it.
    thread::scope(|scope| {
        for writer in 0..6 {
            let path = &path;
            scope.spawn(move || {
                let mut store = Store::open(path).unwrap();
                let id = format!("run-{writer}");
                store.begin_run(&header(&id, 10)).unwrap();
                for position in 0..10 {
                    store.finish_case(&id, position, &record(position)).unwrap();
                }
                store.complete_run(&id, "2026-11-21T19:00:09Z").unwrap();
            });
        }
    });
    let store = Store::open(&path).unwrap();
    let summaries = store.runs().unwrap();
    assert_eq!(summaries.len(), 6);
    for summary in summaries {
        assert_eq!(store.load_run(&summary.id).unwrap(), run(&summary.id, 10));
    }
}

#[test]
fn a_reader_sees_each_case_when_it_is_finished() {
    let (_folder, mut writer) = new_store();
    let reader = Store::open_read_only(writer.path()).unwrap();
    writer.begin_run(&header("one", 2)).unwrap();
    for position in 0..2 {
        writer.finish_case("one", position, &record(position)).unwrap();
        assert_eq!(reader.load_run("one").unwrap().records.len(), position + 1);
    }
}

#[test]
fn a_commit_reaches_the_disk() {
    let (_folder, store) = new_store();
    let pragma = |name: &str| store.connection.pragma_query_value(None, name, |row| row.get::<_, String>(0));
    assert_eq!(pragma("journal_mode").unwrap(), "wal");
    let synchronous: u32 = store.connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
    assert_eq!(synchronous, 2, "synchronous must be FULL");
}

#[test]
fn stores_in_memory_behave_like_files() {
    let mut store = Store::in_memory().unwrap();
    assert!(store.runs().unwrap().is_empty());
    store.begin_run(&header("one", 2)).unwrap();
    for position in 0..2 {
        store.finish_case("one", position, &record(position)).unwrap();
    }
    store.complete_run("one", "2026-11-21T19:00:02Z").unwrap();
    let run = store.load_run(&store.resolve("last").unwrap()).unwrap();
    assert_eq!((run.complete, run.records), (true, vec![record(0), record(1)]));
    assert!(Store::in_memory().unwrap().runs().unwrap().is_empty(), "each store in memory must be separate");
    assert!(!store.path().exists());
}

#[test]
fn notes_and_names_are_listed_with_their_run() {
    let mut store = Store::in_memory().unwrap();
    let id = "20261121T190000-abcd".to_owned();
    store.import_run(&run(&id, 1)).unwrap();
    store.note_run(&id, " before the new kernel ").unwrap();
    store.save_baseline("release-1.0", &id).unwrap();
    store.save_baseline("before", &id).unwrap();
    let listed = store.runs().unwrap();
    assert_eq!(listed[0].note.as_deref(), Some("before the new kernel"));
    assert_eq!(listed[0].names, ["before", "release-1.0"]);
    store.note_run(&id, " ").unwrap();
    assert_eq!(store.runs().unwrap()[0].note, None);
    assert!(matches!(store.note_run("nothing", "x"), Err(StoreError::UnknownRun { .. })));
    store.delete_run(&id).unwrap();
    assert!(store.runs().unwrap().is_empty() && store.baseline("before").unwrap().is_none());
}

#[test]
fn rejects_batches_beyond_63_bits_and_names_the_case() {
    let (_folder, mut store) = new_store();
    let mut huge = run("huge", 2);
    huge.records[1].samples.batch = u64::MAX;
    match store.import_run(&huge) {
        Err(StoreError::Unstorable { what, reason }) => {
            assert!(what == huge.records[1].case.id() && reason.contains("exceeds 63 bits"), "{what}: {reason}");
        }
        other => panic!("{other:?}"),
    }
    assert!(store.runs().unwrap().is_empty());
}
