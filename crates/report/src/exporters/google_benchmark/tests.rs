use super::super::written;
use super::*;
use crate::fixtures;
use pqlab_analysis::text::neutral;
use pqlab_record::{Parameter, ProtocolKind, Run};

fn json(run: &Run) -> Value {
    serde_json::from_slice(&written(&GoogleBenchmark { names: Names::Ids }, run)).unwrap()
}

fn csv_rows(run: &Run) -> Vec<BTreeMap<String, String>> {
    csv_rows_named(run, Names::Ids)
}

fn csv_rows_named(run: &Run, names: Names) -> Vec<BTreeMap<String, String>> {
    let bytes = written(&GoogleBenchmarkCsv { names }, run);
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    let headings = reader.headers().unwrap().clone();
    let named = |row: csv::StringRecord| {
        headings.iter().map(str::to_owned).zip(row.iter().map(str::to_owned)).collect::<BTreeMap<_, _>>()
    };
    reader.records().map(|row| named(row.unwrap())).collect()
}

#[test]
fn columns_match_the_reference() {
    let text = String::from_utf8(written(&GoogleBenchmarkCsv { names: Names::Ids }, &fixtures::run())).unwrap();
    let reference = "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,\
                     error_occurred,error_message,avg_verify_time_us,txs_per_second";
    assert_eq!(text.lines().next(), Some(reference));
}

#[test]
fn ledger_blocks_have_rates() {
    let mut run = fixtures::run();
    run.records = vec![fixtures::ledger_block("ML-DSA-65", "aws-lc", 100, 1_508.0)];
    let rows = csv_rows(&run);
    // The rows are eight processes, then mean, median, standard deviation and coefficient of
    // variation.
    assert_eq!(rows.len(), 12);
    for row in &rows[..9] {
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        assert_eq!(row["time_unit"], "ms");
        assert!((number("real_time") - 1.508).abs() < 0.03, "{row:?}");
        assert!((number("avg_verify_time_us") - number("real_time") * 10.0).abs() < 1e-9);
        assert!((number("txs_per_second") * number("avg_verify_time_us") / 1e6 - 1.0).abs() < 1e-9);
        assert_eq!(row["items_per_second"], row["txs_per_second"]);
        assert!((number("bytes_per_second") / number("txs_per_second") - 5327.0).abs() < 1e-6);
    }
    assert!(rows[8]["name"].ends_with("_mean") && rows[11]["name"].ends_with("_cv"));
    assert_eq!((rows[8]["iterations"].as_str(), rows[11]["txs_per_second"].as_str()), ("8", ""));
}

#[test]
fn json_and_csv_have_the_same_figures() {
    let run = fixtures::run();
    let document = json(&run);
    let benchmarks = document["benchmarks"].as_array().unwrap();
    let rows = csv_rows(&run);
    assert_eq!(benchmarks.len(), rows.len());
    for (benchmark, row) in benchmarks.iter().zip(&rows) {
        assert_eq!(benchmark["name"], row["name"].as_str());
        let failed = benchmark["error_occurred"] == true;
        assert_eq!(failed, row["error_occurred"] == "true");
        if !failed {
            assert_eq!(benchmark["real_time"].as_f64(), row["real_time"].parse().ok());
            assert_eq!(benchmark["iterations"].as_u64(), row["iterations"].parse().ok());
            assert_eq!(benchmark["time_unit"], row["time_unit"].as_str());
        }
    }
    for key in ["date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "caches", "library_build_type"] {
        assert!(!document["context"][key].is_null(), "{key}");
    }
}

#[test]
fn failed_cases_are_errors_and_hostile_names_are_text() {
    let mut run = fixtures::run();
    run.records[0].case.algorithm = fixtures::HOSTILE.to_owned();
    run.records.truncate(3);
    let rows = csv_rows(&run);
    assert!(rows[0]["name"].contains(&neutral(fixtures::HOSTILE)));
    let failed = rows.last().unwrap();
    assert_eq!((failed["error_occurred"].as_str(), failed["real_time"].as_str()), ("true", ""));
    assert_eq!(failed["error_message"], "decapsulation gave a different secret");
}

#[test]
fn cpu_time_is_the_share_of_real_time_on_a_processor() {
    let mut run = fixtures::run();
    run.records.retain(|record| !record.case.is_overhead());
    run.records.truncate(2);
    let repeats = |row: &BTreeMap<String, String>| row["cpu_time"] == row["real_time"];
    let note = "cpu_time repeats real_time";
    let rows = csv_rows(&run);
    assert!(rows.iter().all(|row| repeats(row) && row["label"].ends_with(note)));
    assert!(json(&run)["context"]["pqlab_cpu_time"].as_str().unwrap().starts_with("not recorded"));

    // Every second visit gets 10% less CPU time.
    for (place, visit) in run.records[0].samples.visits.iter_mut().enumerate() {
        let cpu_ns = if place % 2 == 0 { 1_000_000 } else { 900_000 };
        visit.conditions.cpu_time = Some(CpuTime { cpu_ns, wall_ns: 1_000_000 });
    }
    let rows = csv_rows(&run);
    let (with, without): (Vec<_>, Vec<_>) = rows.iter().partition(|row| !row["label"].ends_with(note));
    assert!(with.len() > 4 && without.iter().all(|row| repeats(row)));
    for row in with.iter().filter(|row| !row["name"].ends_with("_cv") && !row["name"].ends_with("_stddev")) {
        let share = row["cpu_time"].parse::<f64>().unwrap() / row["real_time"].parse::<f64>().unwrap();
        assert!((0.899..=1.001).contains(&share), "{row:?}");
    }
    let mean = with.iter().find(|row| row["name"].ends_with("_mean")).unwrap();
    assert!(!repeats(mean));
    let words = json(&run)["context"]["pqlab_cpu_time"].as_str().unwrap().to_owned();
    assert!(words.contains("if that was not recorded"), "{words}");
    run.records.truncate(1);
    let words = json(&run)["context"]["pqlab_cpu_time"].as_str().unwrap().to_owned();
    assert!(words.ends_with("was on a processor"), "{words}");
    for (benchmark, row) in json(&run)["benchmarks"].as_array().unwrap().iter().zip(csv_rows(&run)) {
        assert_eq!(benchmark["cpu_time"].as_f64(), row["cpu_time"].parse().ok());
    }
}

#[test]
fn floor_is_the_last_row() {
    let mut run = fixtures::run();
    let floor = run.records.iter().position(|record| record.case.is_overhead()).unwrap();
    let floor = run.records.remove(floor);
    run.records.insert(0, floor);
    let names: Vec<String> = csv_rows(&run).into_iter().map(|row| row["name"].clone()).collect();
    let first = names.iter().position(|name| name.starts_with("floor/")).unwrap();
    assert!(first > 0 && names[first..].iter().all(|name| name.starts_with("floor/")), "{names:?}");
}

#[test]
fn reference_names_are_used_on_request() {
    let mut run = fixtures::run();
    let mut block = fixtures::ledger_block("TXv1-ML-DSA-65", "liboqs", 100, 1_508.0);
    block.case.parameters[1] = Parameter::Number("senders".into(), 1);
    run.records.push(block);
    run.header.protocol =
        Protocol { kind: ProtocolKind::Fixed, processes: 3, iterations: Some(30), ..Protocol::default() };
    let names =
        |names| -> Vec<String> { csv_rows_named(&run, names).into_iter().map(|row| row["name"].clone()).collect() };
    let wanted = "BM_Verify100Transactions/iterations:10";
    let (given, ids) = (names(Names::Reference), names(Names::Ids));
    assert!(given.contains(&wanted.to_owned()) && given.contains(&format!("{wanted}_mean")), "{given:?}");
    assert!(!ids.iter().any(|name| name.starts_with("BM_")));
    let others = |names: &[String]| names.iter().filter(|name| !name.starts_with("BM_")).count();
    assert_eq!(ids.len() - others(&given), 12, "cases that the reference did not measure must keep their ids");
    run.records.pop();
    let none = GoogleBenchmark { names: Names::Reference }.export(&RunAnalysis::new(&run), &mut Vec::new());
    assert!(matches!(none, Err(ExportError::Choice(_))));
}
