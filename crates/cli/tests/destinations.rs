//! Tests the output paths of `--out`. Pipes and devices must never be replaced.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::Command;
use std::thread;

const RUN: &[&str] =
    &["run", "hash", "--filter", "hash/SHA3-256/digest*@rustcrypto", "--lengths", "64", "--iterations", "20"];
const FAST: &[&str] = &["--processes", "2", "--warmup", "1", "--no-progress", "-q"];
const EXPORT: &[&str] = &["export", "last", "--format", "json"];
const GENERATE: &[&str] = &["ledger", "generate", "--scheme", "Ed25519", "--count", "20", "--no-progress"];

/// Returns the commands that write a file, without the file's name.
fn writers() -> [Vec<&'static str>; 4] {
    [
        [RUN, FAST, &["--out"]].concat(),
        [EXPORT, &["--out"]].concat(),
        [GENERATE, &["--out"]].concat(),
        [GENERATE, &["--format", "parquet", "--out"]].concat(),
    ]
}

/// Returns whether the bytes are the complete output of one of the [`writers`].
fn whole(bytes: &[u8]) -> bool {
    bytes.starts_with(b"pqlabtxs")
        || (bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"))
        || serde_json::from_slice::<Value>(bytes).is_ok_and(|json| json["schema"] == "pqlab/1")
}

#[test]
fn pipes_devices_and_links_are_written_to() {
    let pqlab = Pqlab::new();
    let (pipe, null, link, target) = (pqlab.path("pipe"), pqlab.path("null"), pqlab.path("link"), pqlab.path("target"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("/dev/null", &null).unwrap();
    for writer in writers() {
        let to = |path: &std::path::Path| pqlab.expect(0, &[&writer[..], &[path.to_str().unwrap()]].concat());
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        to(&pipe);
        assert!(whole(&reader.join().unwrap()), "{writer:?}");
        fs::remove_file(&link).ok();
        fs::remove_file(&target).ok();
        symlink("target", &link).unwrap();
        for _ in 0..2 {
            to(&link);
            assert!(link.is_symlink() && whole(&fs::read(&target).unwrap()), "{writer:?}");
        }
        to(&null);
        assert!(null.is_symlink() && fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo(), "{writer:?}");
    }
}

#[test]
fn a_hyphen_prints_the_file_and_nothing_else() {
    let pqlab = Pqlab::new();
    for writer in writers() {
        let output = pqlab.run(&[&writer[..], &["-"]].concat());
        assert_eq!(output.status.code(), Some(0), "{writer:?}: {}", text(&output.stderr));
        assert!(whole(&output.stdout), "{writer:?}: {}", String::from_utf8_lossy(&output.stdout));
        assert!(!pqlab.path("-").exists() && !std::path::Path::new("-").exists());
    }
    let loud: Vec<&str> = RUN.iter().chain(FAST).copied().filter(|argument| *argument != "-q").collect();
    let output = pqlab.run(&[&loud[..], &["--out", "-"]].concat());
    assert!(whole(&output.stdout) && !output.stderr.is_empty(), "{}", text(&output.stdout));
}

#[test]
fn folders_and_impossible_outputs_are_refused_before_any_work() {
    let pqlab = Pqlab::new();
    let refused = |arguments: &[&str], words: &[&str]| {
        let output = pqlab.run(arguments);
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(output.stdout.is_empty() && err.lines().count() == 1, "{arguments:?}: {err}");
        assert!(words.iter().all(|word| err.contains(word)), "{arguments:?}: {err}");
    };
    let folder = pqlab.path("folder");
    fs::create_dir(&folder).unwrap();
    for writer in writers() {
        let name = folder.to_str().unwrap();
        refused(&[&writer[..], &[name]].concat(), &[name, "this is a folder: name a file in it"]);
    }
    assert!(!pqlab.database().exists() && fs::read_dir(&folder).unwrap().count() == 0, "the command must not start");
    let save = [RUN, FAST, &["--out", "-"]].concat();
    refused(&[&save[..], &["--format", "events"]].concat(), &["--out -", "--format events", "name a file"]);
    let csv = pqlab.expect(0, &[&save[..], &["--format", "csv"]].concat());
    assert!(csv.lines().count() == 3 && csv.contains("\nhash/SHA3-256/digest[len=64]@rustcrypto,"), "{csv}");
    refused(&["report", "--out", "-"], &["--out -", "folder", "pqlab export"]);
}
