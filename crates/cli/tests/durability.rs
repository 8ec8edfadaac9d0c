//! Checks that interrupting a run at any moment neither loses nor duplicates a finished case.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::process::{Output, Stdio};
use std::time::Duration;

/// Number of times to kill a run.
const KILLS: usize = 100;

/// Arguments for a run of about a second, with a dozen cases in several blocks.
const RUN: [&str; 12] = [
    "run",
    "hash",
    "--provider",
    "rustcrypto",
    "--filter",
    "hash/SHA*",
    "--processes",
    "2",
    "--max-time",
    "0.02",
    "--seed",
    "7",
];

#[test]
fn a_hundred_kills_lose_no_finished_case_and_resume_ends_with_the_same_plan() {
    let pqlab = Pqlab::new();
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut kills = 0;
    let mut completed = 0;
    let mut acknowledged: HashSet<(String, String)> = HashSet::new();
    while kills < KILLS {
        let mut arguments: Vec<&str> = match incomplete(&pqlab) {
            Some(_) => vec!["run", "--resume"],
            None => RUN.to_vec(),
        };
        arguments.extend(["--json", "--no-progress"]);
        let mut child = pqlab.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let reader =
            std::thread::spawn(move || BufReader::new(stdout).lines().map_while(Result::ok).collect::<Vec<String>>());
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(20 + (random >> 33) % 700));
        let killed = child.try_wait().unwrap().is_none();
        child.kill().ok();
        child.wait().unwrap();
        kills += usize::from(killed);
        completed += usize::from(!killed);
        let mut run = String::new();
        for line in reader.join().unwrap() {
            // The last line of a killed process may be truncated.
            let Ok(event) = serde_json::from_str::<Value>(&line) else { continue };
            match event["event"].as_str() {
                Some("begin") => run = event["run"]["id"].as_str().unwrap().to_owned(),
                Some("case") => {
                    let case = event["result"]["id"].as_str().unwrap().to_owned();
                    assert!(acknowledged.insert((run.clone(), case.clone())), "{case} was finished twice in {run}");
                }
                _ => {}
            }
        }
    }
    while incomplete(&pqlab).is_some() {
        pqlab.expect(0, &["run", "--resume", "-q"]);
    }

    let connection = rusqlite::Connection::open(pqlab.database()).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let mut stored: HashSet<(String, String)> = HashSet::new();
    let mut plans: HashSet<Vec<String>> = HashSet::new();
    let runs: Vec<Value> = serde_json::from_str(&pqlab.expect(0, &["runs", "--json"])).unwrap();
    for run in &runs {
        let id = run["id"].as_str().unwrap();
        assert_eq!(run["finished"], run["planned"], "{id} is complete");
        let export: Value = serde_json::from_str(&pqlab.expect(0, &["export", id, "--format", "json"])).unwrap();
        let mut cases = Vec::new();
        for result in export["results"].as_object().unwrap().values().flat_map(|area| area.as_array().unwrap()) {
            let case = result["id"].as_str().unwrap().to_owned();
            assert!(stored.insert((id.to_owned(), case.clone())), "{case} is stored twice in {id}");
            cases.push(case);
        }
        plans.insert(cases);
    }
    assert!(acknowledged.is_subset(&stored), "lost cases: {:?}", acknowledged.difference(&stored).collect::<Vec<_>>());
    assert_eq!(plans.len(), 1, "every run must end with the same plan, however often it was killed");
    println!("{kills} kills, {completed} processes ended before the kill, {} runs, {} cases", runs.len(), stored.len());
}

/// Starts a run and interrupts it after its first case, so that some cases are stored and some remain. The first line of
/// output is the measurement overhead.
/// [`Pqlab::command`] turns off repeated measurements of disturbed cases, so the line for a disturbed case is not
/// delayed until the end.
fn interrupted(pqlab: &Pqlab) -> Output {
    let mut child = pqlab
        .command(&["run", "kem", "--provider", "rustcrypto", "--no-progress", "--verbose"])
        .args(["--algorithm", "ML-KEM-512", "--processes", "3", "--max-time", "0.3"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..2 {
        stdout.read_line(&mut String::new()).unwrap();
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn an_interrupted_run_says_how_to_resume_and_resumes() {
    let pqlab = Pqlab::new();
    let output = interrupted(&pqlab);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--resume"), "{}", text(&output.stderr));
    let runs: Vec<Value> = serde_json::from_str(&pqlab.expect(0, &["runs", "--json"])).unwrap();
    assert_eq!(runs[0]["complete"], false);
    let finished = runs[0]["finished"].as_u64().unwrap();
    assert!(finished >= 1);
    // Pretend that one more start failed before it finished a case. Such starts are numbered, too,
    // so the next start is the third.
    change(&pqlab, "UPDATE runs SET starts = starts + 1");
    pqlab.expect(0, &["run", "--resume", "-q"]);
    let samples = pqlab.expect(0, &["export", "last", "--format", "samples-csv"]);
    let mut starts: HashMap<String, HashSet<String>> = HashMap::new();
    let mut table = csv::Reader::from_reader(samples.as_bytes());
    let column = table.headers().unwrap().iter().position(|name| name == "start").unwrap();
    // The counts of cases leave out the measurement overhead.
    for row in table.records().map(Result::unwrap).filter(|row| !row[0].starts_with("floor/")) {
        starts.entry(row[0].to_owned()).or_default().insert(row[column].to_owned());
    }
    assert!(starts.values().all(|starts| starts.len() == 1), "a case must be measured in one start: {starts:?}");
    let first = starts.values().filter(|starts| starts.contains("0")).count() as u64;
    assert_eq!(first, finished, "{starts:?}");
    assert!(starts.values().any(|starts| starts.contains("2")) && !starts.values().any(|starts| starts.contains("1")));
}

#[test]
fn a_run_resumes_only_unchanged_or_with_resume_elsewhere() {
    let pqlab = Pqlab::new();
    assert_eq!(interrupted(&pqlab).status.code(), Some(130));
    for (path, value, word) in [
        ("$.cpu.model", "\"Another CPU\"", "processor was Another CPU"),
        ("$.build.commit", "\"0000000\"", "commit was 0000000"),
        ("$.providers[0].version", "\"0.0.0\"", "0.0.0"),
    ] {
        let kept: String = query(&pqlab, "SELECT environment FROM runs");
        change(&pqlab, &format!("UPDATE runs SET environment = json_set(environment, '{path}', json('{value}'))"));
        let refused = pqlab.run(&["run", "--resume", "-q"]);
        let words = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{words}");
        assert!(words.contains(word) && words.contains("--resume-elsewhere"), "{words}");
        assert_eq!(words.lines().count(), 1, "{words}");
        if word == "0.0.0" {
            let output = pqlab.run(&["run", "--resume", "--resume-elsewhere"]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            assert!(text(&output.stderr).contains("0.0.0"), "{}", text(&output.stderr));
        } else {
            change(&pqlab, &format!("UPDATE runs SET environment = '{}'", kept.replace('\'', "''")));
        }
    }
}

#[test]
fn complete_and_imported_runs_cannot_be_resumed() {
    let pqlab = Pqlab::new();
    assert_eq!(interrupted(&pqlab).status.code(), Some(130));
    let exported = pqlab.expect(0, &["export", "last", "--format", "json-samples"]);
    let elsewhere = common::write(&pqlab.path("run.json"), &exported);
    pqlab.expect(0, &["run", "--resume", "-q"]);
    let other = Pqlab::new();
    other.expect(0, &["import", &elsewhere]);
    for (pqlab, words) in [(&pqlab, "it is complete"), (&other, "it was measured elsewhere and imported")] {
        let refused = pqlab.run(&["run", "--resume", "last"]);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(words), "{}", text(&refused.stderr));
        assert_eq!(text(&refused.stderr).lines().count(), 1, "{}", text(&refused.stderr));
    }
}

fn change(pqlab: &Pqlab, sql: &str) {
    assert_eq!(rusqlite::Connection::open(pqlab.database()).unwrap().execute(sql, []).unwrap(), 1);
}

fn query(pqlab: &Pqlab, sql: &str) -> String {
    rusqlite::Connection::open(pqlab.database()).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn incomplete(pqlab: &Pqlab) -> Option<String> {
    if !pqlab.database().exists() {
        return None;
    }
    let runs: Vec<Value> = serde_json::from_str(&pqlab.expect(0, &["runs", "--json"])).unwrap();
    runs.iter().find(|run| run["complete"] == false).map(|run| run["id"].as_str().unwrap().to_owned())
}
