//! Prepares a run for the published record, docs/results: refuses runs of low quality, and removes names of the machine.

use pqlab_record::document::{Document, ResultEntry};
use pqlab_record::{ProtocolKind, Status};
use std::collections::BTreeSet;

/// Maximum percentage of disturbed cases.
const MAX_DISTURBED_PCT: usize = 5;
/// Widest target precision in percent.
const WIDEST_PRECISION_PCT: f64 = 2.0;
/// Folders with the same contents on every system, which name neither the user nor the machine.
const COMMON: [&str; 5] = ["/dev/", "/etc/", "/proc/", "/sys/", "/usr/"];
/// Folders of the users' home folders.
const HOMES: [&str; 2] = ["/home", "/Users"];

/// Run that qualifies for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForRecord {
    /// The run in JSON, schema `pqlab/1`.
    pub json: String,
    /// Descriptions of the removed names. May be empty.
    pub removed: Vec<String>,
}

/// Removes the name of the host, and the folders in paths, from a run.
///
/// # Errors
/// The reasons why the run does not qualify for the record, at least one.
pub fn for_record(mut document: Document) -> Result<ForRecord, Vec<String>> {
    let reasons = shortcomings(&document);
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let host = document.environment.host.name.take().map(|name| format!("host name {name}"));
    let text = serde_json::to_string_pretty(&document).map_err(|error| vec![error.to_string()])?;
    let (mut json, folders) = without_folders(&text);
    json.push('\n');
    let folders = folders.into_iter().map(|folder| format!("folder {folder}"));
    Ok(ForRecord { json, removed: host.into_iter().chain(folders).collect() })
}

/// Returns the reasons why a run does not qualify for the record.
fn shortcomings(document: &Document) -> Vec<String> {
    let mut reasons = Vec::new();
    let Document { run, environment, harness, .. } = document;
    let cases: Vec<&ResultEntry> = document.results.values().flatten().collect();
    if !run.complete {
        reasons.push(format!("it is incomplete: {} of {} cases have results", run.finished, run.planned));
    }
    let count = |holds: fn(&ResultEntry) -> bool| cases.iter().filter(|case| holds(case)).count();
    let failed = count(|case| case.status == Status::Failed);
    if failed > 0 {
        reasons.push(format!("{failed} of {} cases failed", cases.len()));
    }
    let unverified = count(|case| case.status == Status::Ok && !case.verified);
    if unverified > 0 {
        reasons.push(format!("{unverified} of {} cases are not verified", cases.len()));
    }
    let disturbed = count(|case| case.contended);
    if 100 * disturbed > MAX_DISTURBED_PCT * cases.len() {
        let limit = format!("at most {MAX_DISTURBED_PCT}% may be");
        reasons.push(format!("{disturbed} of {} cases are disturbed; {limit}", cases.len()));
    }
    match environment.build.commit.as_deref() {
        None => reasons.push("the commit of pqlab is unknown".to_owned()),
        Some(commit) if commit.ends_with('+') => {
            reasons.push(format!("pqlab was built with uncommitted changes ({commit})"));
        }
        Some(_) => {}
    }
    if environment.build.profile != "release" {
        reasons.push(format!("pqlab was built with profile {}, not release", environment.build.profile));
    }
    // Commands of the command line and of Python.
    if run.command.contains("--quick") || run.command.contains("quick=True") {
        reasons.push("it was measured with --quick".to_owned());
    } else if harness.protocol == ProtocolKind::Adaptive && harness.precision_pct > WIDEST_PRECISION_PCT {
        let (target, widest) = (harness.precision_pct, WIDEST_PRECISION_PCT);
        reasons.push(format!("its target precision is ±{target}%; the widest allowed one is ±{widest}%"));
    }
    if let Some(other) = &environment.os.crowded {
        reasons.push(format!("another pqlab process used its cores: {other}"));
    }
    reasons
}

/// Returns a text with absolute paths and paths in the home folder reduced to their last component, and the removed
/// folders. Keeps paths in folders that every system has, relative paths and web addresses.
fn without_folders(text: &str) -> (String, BTreeSet<String>) {
    let mut kept = String::with_capacity(text.len());
    let mut removed = BTreeSet::new();
    let mut before = ' ';
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let path = if begins_path(before, rest) { &rest[..path_length(rest)] } else { &rest[..character.len_utf8()] };
        match split(path) {
            Some((folder, name)) => {
                removed.insert(folder.to_owned());
                kept.push_str(name);
            }
            None => kept.push_str(path),
        }
        before = path.chars().next_back().unwrap_or(character);
        rest = &rest[path.len()..];
    }
    (kept, removed)
}

/// Returns whether a path begins at the start of `rest`, after the character `before`.
fn begins_path(before: char, rest: &str) -> bool {
    let follows = before.is_whitespace() || "\"'`=:,;([<".contains(before);
    follows && (rest.starts_with("~/") || rest.starts_with('/') && !rest.starts_with("//"))
}

/// Returns the length of the path at the start of a text, in bytes.
fn path_length(text: &str) -> usize {
    let ends = |character: char| character.is_whitespace() || "\"'`\\,;:()[]<>?".contains(character);
    text.find(ends).unwrap_or(text.len())
}

/// Splits a path into its folder and the name to keep. Returns `None` if the path must not be changed.
fn split(path: &str) -> Option<(&str, &str)> {
    if COMMON.iter().any(|common| path.starts_with(common)) {
        return None;
    }
    let (folder, name) = path.trim_end_matches('/').rsplit_once('/')?;
    if folder.is_empty() || folder == "~" {
        return None;
    }
    // The last component is the name of a user.
    if HOMES.contains(&folder) { Some((path, "~")) } else { Some((folder, name)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::describe_run;
    use crate::fixtures;
    use flate2::read::GzDecoder;
    use pqlab_analysis::RunAnalysis;
    use pqlab_record::{LoadedLibrary, ProviderBuild, Run};
    use std::fs;
    use std::io::Read;
    use std::path::{Path, PathBuf};

    /// Maximum size of a contributed file in bytes.
    const MAX_BYTES: usize = 500_000;
    /// Maximum size of its contents in bytes.
    const MAX_UNPACKED_BYTES: u64 = 20_000_000;

    type Change = fn(&mut Document);

    fn good() -> Run {
        let mut run = fixtures::sound_run();
        run.header.command = "pqlab run standard".to_owned();
        run.header.protocol.precision_pct = 1.0;
        run
    }

    fn document(run: &Run) -> Document {
        describe_run(&RunAnalysis::new(run), false, &[])
    }

    #[test]
    fn refuses_runs_with_every_reason() {
        assert_eq!(shortcomings(&document(&good())), [""; 0]);
        let changes: [(Change, &str); 10] = [
            (|it| it.run.complete = false, "it is incomplete: 6 of 6 cases have results"),
            (|it| it.results["kem"][0].status = Status::Failed, "1 of 6 cases failed"),
            (|it| it.results["kem"][0].verified = false, "1 of 6 cases are not verified"),
            (|it| it.results["kem"][0].contended = true, "1 of 6 cases are disturbed; at most 5% may be"),
            (|it| it.environment.build.commit = None, "the commit of pqlab is unknown"),
            (
                |it| it.environment.build.commit = Some("394a572+".into()),
                "pqlab was built with uncommitted changes (394a572+)",
            ),
            (|it| it.environment.build.profile = "dev".into(), "pqlab was built with profile dev, not release"),
            (|it| it.run.command = "pqlab run kem --quick".into(), "it was measured with --quick"),
            (|it| it.harness.precision_pct = 10.0, "its target precision is ±10%; the widest allowed one is ±2%"),
            (|it| it.environment.os.crowded = Some("pid 7".into()), "another pqlab process used its cores: pid 7"),
        ];
        let mut all = document(&good());
        for (change, reason) in changes {
            let mut one = document(&good());
            change(&mut one);
            assert_eq!(for_record(one).unwrap_err(), [reason]);
            change(&mut all);
        }
        // A failed case is not called unverified, and --quick explains the target precision.
        let reasons = for_record(all).unwrap_err();
        assert_eq!(reasons.len(), 7, "{reasons:?}");
    }

    #[test]
    fn removes_the_host_and_folders() {
        let mut run = good();
        let path = "/home/alice/build/liboqs.so".to_owned();
        run.header.command = format!("pqlab run kem --library mine=liboqs:{path}");
        run.header.environment.build.flags = Some("--remap-path-prefix=/srv/build=x".to_owned());
        run.header.environment.providers.push(ProviderBuild {
            id: "mine".to_owned(),
            library: Some(LoadedLibrary {
                kind: "liboqs".to_owned(),
                path: path.clone(),
                spec: format!("mine=liboqs:{path}"),
            }),
            ..ProviderBuild::default()
        });
        let ForRecord { json, removed } = for_record(document(&run)).unwrap();
        assert_eq!(removed, ["host name bench-1", "folder /home/alice/build", "folder /srv"]);
        for name in ["alice", "bench-1", "/srv"] {
            assert!(!json.contains(name), "{name}: {json}");
        }
        let found: Document = serde_json::from_str(&json).unwrap();
        assert_eq!(found.run.command, "pqlab run kem --library mine=liboqs:liboqs.so");
        assert_eq!(found.environment.build.flags.as_deref(), Some("--remap-path-prefix=build=x"));
        assert_eq!(found.results, document(&run).results, "figures must not change");
        assert_eq!(for_record(found).unwrap().removed, [""; 0]);
    }

    #[test]
    fn keeps_text_that_names_no_user() {
        let kept = |text: &str| without_folders(text).0;
        for text in [
            "kem/ML-KEM-768/keygen@liboqs",
            "https://github.com/open-quantum-safe/liboqs",
            "set /proc/sys/kernel/perf_event_paranoid to 1",
            "--filter '*/x25519/*'",
            "9,000 B / 2 s, ops/s, ~/file, /file",
            "target/release/lib.so",
        ] {
            assert_eq!(kept(text), text);
        }
        assert_eq!(kept("\"/home/alice\", '/home/alice/', ~/keys/x.so"), "\"~\", '~', x.so");
        assert_eq!(kept("nist:/x/é/lib.so?prefix=P_ (/a/b)"), "nist:lib.so?prefix=P_ (b)");
    }

    #[test]
    fn contributed_runs_qualify_and_are_small() {
        let folder = Path::new("../../docs/results/contributed");
        let entries = |folder: &Path| -> Vec<PathBuf> {
            fs::read_dir(folder).map_or_else(|_| Vec::new(), |all| all.map(|entry| entry.unwrap().path()).collect())
        };
        for file in entries(folder).iter().flat_map(|kind| entries(kind)) {
            let bytes = fs::read(&file).unwrap();
            assert!(bytes.len() <= MAX_BYTES, "{}: {} bytes", file.display(), bytes.len());
            let mut text = String::new();
            GzDecoder::new(&bytes[..]).take(MAX_UNPACKED_BYTES).read_to_string(&mut text).unwrap();
            let document: Document = serde_json::from_str(&text).unwrap();
            assert!(file.ends_with(format!("{}.json.gz", document.run.id)), "{}", file.display());
            let record = for_record(document).unwrap_or_else(|reasons| panic!("{}: {reasons:?}", file.display()));
            assert_eq!((&record.removed, record.json == text), (&Vec::new(), true), "{}", file.display());
        }
    }
}
