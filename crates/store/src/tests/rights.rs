//! Tests of file permissions. Root bypasses permissions, so tests that run as root start a child process as
//! an unprivileged user, the visitor.

use super::{FILE, header, new_store, only, run};
use crate::Store;
use pqlab_testing::{Need, require};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const NOBODY: u32 = 65534;
const VISITOR: Need = Need::Machine("a process that runs as another user");

#[test]
#[ignore = "run by the tests below"]
fn visitor() {
    let Some(path) = std::env::var_os(FILE).map(PathBuf::from) else { return };
    let mut out = std::io::stdout();
    match Store::open(&path).and_then(|mut store| store.begin_run(&header("visit", 1))) {
        Ok(()) => writeln!(out, "\nwritten: yes").unwrap(),
        Err(error) => writeln!(out, "\nwritten: {error}").unwrap(),
    }
    match Store::open_read_only(&path).and_then(|store| store.runs()) {
        Ok(runs) => writeln!(out, "read: {} runs", runs.len()).unwrap(),
        Err(error) => writeln!(out, "read: {error}").unwrap(),
    }
}

struct Visit {
    written: String,
    read: String,
}

/// Returns the report of a process that must respect file permissions, or `None` if the test cannot start one.
fn visit(folder: &Path, path: &Path) -> Option<Visit> {
    let root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    // Copy the test binary, because the other user may not have access to the build folder.
    let binary = folder.join("visitor");
    if !binary.exists() {
        fs::copy(std::env::current_exe().unwrap(), &binary).unwrap();
    }
    let mut command = Command::new(&binary);
    if root {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = only(&mut command, "tests::rights::visitor").env(FILE, path).current_dir("/").output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).unwrap().to_owned();
    Some(Visit { written: line("written: "), read: line("read: ") })
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Creates a store with one run in `place`, a folder that the visitor can reach.
fn prepared() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    allow(outer.path(), 0o755);
    let place = outer.path().join("place");
    fs::create_dir(&place).unwrap();
    let path = place.join("pqlab.db");
    Store::open(&path).unwrap().import_run(&run("one", 2)).unwrap();
    (outer, place, path)
}

#[test]
fn a_read_only_folder_can_be_read() {
    let (outer, place, path) = prepared();
    allow(&path, 0o444);
    allow(&place, 0o555);
    let visit = require!(visit(outer.path(), &path), VISITOR);
    assert!(visit.written.contains("cannot be written"), "{}", visit.written);
    assert_eq!(visit.read, "1 runs");
    allow(&place, 0o755);
}

#[test]
fn reports_a_read_only_folder_around_a_writable_file() {
    let (outer, place, path) = prepared();
    allow(&path, 0o666);
    allow(&place, 0o555);
    let visit = require!(visit(outer.path(), &path), VISITOR);
    assert!(visit.written.contains("cannot be written (Permission denied"), "{}", visit.written);
    assert_eq!(visit.read, "1 runs");
    allow(&place, 0o755);
}

#[test]
fn creates_nothing_without_permission() {
    let (outer, place, _) = prepared();
    allow(&place, 0o555);
    for name in ["other.db", "new/folder/other.db"] {
        let visit = require!(visit(outer.path(), &place.join(name)), VISITOR);
        assert!(visit.written.contains("(Permission denied"), "{}", visit.written);
        assert!(visit.read.contains("no such file"), "{}", visit.read);
    }
    allow(&place, 0o755);
}

#[test]
fn reports_a_folder_that_may_not_be_entered() {
    let (outer, place, path) = prepared();
    allow(&place, 0o700);
    let visit = require!(visit(outer.path(), &path), VISITOR);
    if fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
        assert!(visit.written.contains("cannot be opened"), "{}", visit.written);
        assert!(visit.read.contains("cannot be opened (Permission denied"), "{}", visit.read);
    }
}

#[test]
fn reads_a_store_that_was_not_closed() {
    let (_folder, mut store) = new_store();
    store.begin_run(&header("one", 1)).unwrap();
    let copy = tempfile::tempdir().unwrap();
    for name in ["pqlab.db", "pqlab.db-wal"] {
        fs::copy(store.path().with_file_name(name), copy.path().join(name)).unwrap();
    }
    assert_eq!(Store::open_read_only(copy.path().join("pqlab.db")).unwrap().runs().unwrap().len(), 1);
}
