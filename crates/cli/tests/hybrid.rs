//! Tests hybrids on the command line: the rules and output line of the reference, the cost of combiners, and key
//! exchanges under load.

#![allow(clippy::unwrap_used)]

mod common;

use common::Pqlab;
use serde_json::Value;

/// Options that take both halves from one library, to keep the runs short.
const HALVES: [&str; 4] = ["--classical", "aws-lc", "--post-quantum", "aws-lc"];

/// Returns the first word after `label` in a line.
fn behind<'a>(line: &'a str, label: &str) -> &'a str {
    line.split_once(label).unwrap_or_else(|| panic!("no {label} in {line}")).1.split_whitespace().next().unwrap()
}

/// Parses `median=  10.4 µs` or `median=   ≈10 µs` into microseconds.
fn microseconds(line: &str, label: &str) -> f64 {
    let mut words = line.split_once(label).unwrap_or_else(|| panic!("no {label} in {line}")).1.split_whitespace();
    let number: f64 = words.next().unwrap().replace([',', '≈'], "").parse().unwrap();
    match words.next().unwrap() {
        "ns" => number / 1e3,
        "µs" => number,
        "ms" => number * 1e3,
        other => panic!("unknown unit {other} in {line}"),
    }
}

#[test]
fn the_protocol_of_the_reference_prints_the_line_of_the_reference() {
    let pqlab = Pqlab::new();
    let filters = ["hybrid/*/keygen[]@*", "hybrid/*/handshake[]@*", "hybrid/*/cycle*", "hybrid/AES*", "hybrid/HKDF*"];
    let mut arguments = vec!["run", "hybrid", "--protocol", "reference", "--batch", "1", "--no-progress", "--verbose"];
    arguments.extend(["--processes", "3"]);
    arguments.extend(HALVES);
    arguments.extend(filters.iter().flat_map(|filter| ["--filter", filter]));
    let text = pqlab.expect(0, &arguments);
    let export: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    let harness = &export["harness"];
    assert_eq!(harness["protocol"], "reference");
    assert_eq!((&harness["iterations"], &harness["warmup"]), (&1000.into(), &100.into()));
    assert_eq!(harness["outlier_trim_pct"].as_f64(), Some(1.0));
    let results = export["results"]["hybrid"].as_array().unwrap();
    assert!(results.len() >= 20, "{} results", results.len());
    for result in results {
        let (name, n) = (result["name"].as_str().unwrap(), result["n"].as_u64().unwrap());
        // Fewer than 1,000 samples may remain: the protocol trims 1% at each end and drops
        // disturbed samples.
        assert!((1..=1000).contains(&n), "{name}: {n} samples");
        let starts = |line: &&str| line.starts_with(&format!("{name} "));
        let line = text.lines().find(starts).unwrap_or_else(|| panic!("{name} is missing in\n{text}"));
        // Operations with a random number of retries show their mean.
        let statistic = result["statistic"].as_str().unwrap();
        let headline = format!("{statistic}_us");
        for (label, field) in [(format!("{statistic}="), headline.as_str()), ("p95=".to_owned(), "p95_us")] {
            let (shown, exact) = (microseconds(line, &label), result[field].as_f64().unwrap());
            // The headline figure has only as many digits as its interval supports.
            let interval = result[format!("{statistic}_ci_us")].as_array().unwrap();
            let width = interval[1].as_f64().unwrap() - interval[0].as_f64().unwrap();
            let rounded = if field == headline { width / 2.0 } else { 0.0 };
            assert!((shown - exact).abs() < rounded.max(0.01 * exact), "{line}: {field} is {exact} in {interval:?}");
        }
        let shown: f64 = behind(line, "CoV=").strip_suffix('%').unwrap().parse().unwrap();
        let exact = result["cov_pct"].as_f64().unwrap();
        assert!((shown - exact).abs() <= 0.051, "{line}: CoV is {exact}");
        let marks = line.split_once("CoV=").unwrap().1.split_whitespace().nth(1).unwrap();
        let mark = (exact >= 3.0).then_some('~');
        assert_eq!(marks.chars().find(|mark| "*~".contains(*mark)), mark, "{line}: CoV is {exact}");
    }
}

#[test]
fn show_prints_the_cost_of_each_combiner_and_the_spread_of_the_yardstick() {
    let pqlab = Pqlab::new();
    let mut arguments =
        vec!["run", "hybrid", "--processes", "3", "--max-time", "0.05", "--batch", "1", "--no-progress"];
    arguments.extend(HALVES);
    let made_from_seeds = ["*/keygen[coins=exact]@*", "*/handshake[coins=exact]@*"];
    arguments.extend(made_from_seeds.iter().flat_map(|filter| ["--filter", filter]));
    arguments.extend(["--filter", "*cycle*", "--filter", "*AES*"]);
    pqlab.expect(0, &arguments);
    let shown = pqlab.expect(0, &["show", "last", "--wide"]);
    let table = shown.split_once("Decomposition: ").unwrap_or_else(|| panic!("{shown}")).1;
    for hybrid in [
        "X-Wing handshake[coins=exact]",
        "MLKEM768-X25519-SHA3-256 handshake[coins=exact]",
        "X25519MLKEM768 handshake[coins=exact]",
        "X25519+ML-KEM-768 handshake[coins=exact]",
        "X-Wing keygen[coins=exact]",
        "MLDSA65-Ed25519-SHA512 keygen[coins=exact]",
        "MLDSA65-Ed25519-SHA512 cycle[deterministic,coins=exact]",
    ] {
        // The estimate is next to the name, or below the name if the names are too wide.
        let mut rows = table.lines().skip_while(|line| !line.trim_start().starts_with(hybrid));
        let row = rows.next().unwrap_or_else(|| panic!("{hybrid} is missing in {table}"));
        let row = if row.contains('%') { row } else { rows.next().unwrap_or_default() };
        assert!(row.contains("% ±"), "the row must contain an estimate with its interval: {row}");
    }
    assert!(shown.contains("compared with AES-256-GCM, 1 KB"), "{shown}");
}

#[test]
fn every_hybrid_kem_goes_through_the_thread_pool() {
    let pqlab = Pqlab::new();
    let mut arguments = vec!["run", "hybrid", "--tasks", "20,40", "--pool-threads", "2"];
    let algorithms = ["X-Wing", "MLKEM768-X25519-SHA3-256", "X25519MLKEM768", "X25519+ML-KEM-768", "X25519+mock"];
    let filters = algorithms.map(|algorithm| format!("hybrid/{algorithm}/handshake-load*"));
    arguments.extend(filters.iter().flat_map(|filter| ["--filter", filter]));
    arguments.extend(["--processes", "2", "--max-time", "0.05", "--no-progress"]);
    arguments.extend(HALVES);
    pqlab.expect(0, &arguments);
    let shown = pqlab.expect(0, &["show", "last"]);
    let table = shown.split_once("Load: tasks in a thread pool").unwrap_or_else(|| panic!("{shown}")).1;
    for algorithm in algorithms {
        assert!(table.contains(&format!("{algorithm} handshake-load")), "{algorithm} is missing in {table}");
    }
    let export: Value = serde_json::from_str(&pqlab.expect(0, &["export", "last", "--format", "json"])).unwrap();
    let results = export["results"]["hybrid"].as_array().unwrap();
    assert_eq!(results.len(), 5 * 2);
    assert!(results.iter().all(|result| result["verified"] == true && result["operation"] == "handshake-load"));
}
