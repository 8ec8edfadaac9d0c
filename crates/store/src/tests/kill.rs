use super::{FILE, header, only, record};
use crate::Store;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

const ROUNDS: usize = 30;
const CASES: usize = 2_000;

#[test]
#[ignore = "run by a_killed_process_loses_no_finished_case"]
fn writer() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else { return };
    let mut store = Store::open(&path).unwrap();
    let id = format!("run-{}", std::process::id());
    store.begin_run(&header(&id, CASES)).unwrap();
    for position in 0..CASES {
        store.finish_case(&id, position, &record(position)).unwrap();
        let line = format!("finished {id} {position}\n");
        std::io::stdout().write_all(line.as_bytes()).unwrap();
    }
}

#[test]
fn a_killed_process_loses_no_finished_case() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pqlab.db");
    let binary = std::env::current_exe().unwrap();
    let mut finished: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for round in 0..ROUNDS {
        let mut command = Command::new(&binary);
        let command = only(&mut command, "tests::kill::writer");
        let mut writer = command.env(FILE, &path).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map(|line| line.unwrap());
        // In even rounds, kill the writer while it writes cases; in odd rounds, while it creates,
        // recovers or opens the file.
        let mut heard: Vec<String> = Vec::new();
        while round % 2 == 0 && !heard.last().is_some_and(|line| line.contains("finished ")) {
            heard.push(lines.next().unwrap());
        }
        thread::sleep(Duration::from_micros(RandomState::new().build_hasher().finish() % 60_000));
        writer.kill().unwrap();
        writer.wait().unwrap();
        for line in heard.into_iter().chain(lines) {
            // On a machine with one processor, the test runner prints the test's name in front of
            // the first line.
            let reported = line.split_once("finished ").and_then(|(_, rest)| rest.split_once(' '));
            let Some((id, position)) = reported else {
                continue;
            };
            finished.entry(id.into()).or_default().push(position.parse().unwrap());
        }
        let connection = Connection::open(&path).unwrap();
        let integrity: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(integrity, "ok", "round {round}");
    }
    let store = Store::open(&path).unwrap();
    assert!(finished.len() >= ROUNDS / 2);
    for (id, positions) in finished {
        let stored = store.finished_positions(&id).unwrap();
        // The store may also contain a case that the writer committed but did not yet print.
        assert!(stored.len() - positions.len() <= 1, "{id}: {} reported, {} stored", positions.len(), stored.len());
        assert_eq!(stored[..positions.len()], positions, "{id}");
        let records = store.load_run(&id).unwrap().records;
        assert_eq!(records, (0..stored.len()).map(record).collect::<Vec<_>>());
    }
}
