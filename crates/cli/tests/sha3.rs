//! Tests the `sha3` suite and its table in cycles per byte. The table must be complete and readable, and contain the
//! same medians as the JSON.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod common;

use common::{Pqlab, text};
use serde_json::Value;

const FUNCTIONS: [(&str, &str, &str); 6] = [
    ("sha3_224", "SHA3-224", "28"),
    ("sha3_256", "SHA3-256", "32"),
    ("sha3_384", "SHA3-384", "48"),
    ("sha3_512", "SHA3-512", "64"),
    ("shake128", "SHAKE128", "32"),
    ("shake256", "SHAKE256", "32"),
];
const LENGTHS: [&str; 5] = ["64", "256", "1024", "4096", "16384"];

#[test]
fn six_functions_at_five_lengths_with_the_medians_of_the_json() {
    let pqlab = Pqlab::new();
    let saved = pqlab.path("run.json");
    let mut arguments = vec!["run", "sha3", "--provider", "rustcrypto", "--processes", "2", "--iterations", "6"];
    arguments.extend(["--warmup", "1", "--no-progress", "--format", "sha3-csv", "--save", saved.to_str().unwrap()]);
    let output = pqlab.run(&arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");

    let json: Value = serde_json::from_str(&std::fs::read_to_string(&saved).unwrap()).unwrap();
    let results = json["results"]["hash"].as_array().unwrap();
    assert_eq!(results.len(), FUNCTIONS.len() * LENGTHS.len());
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let heading: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(heading[..2], ["function", "dst_len"]);
    assert_eq!(heading[2..7], LENGTHS);
    // The table has a caveats column only if a figure has a mark.
    let marked = |result: &Value| {
        let mut words = result["caveats"].as_object().unwrap().keys();
        words.any(|word| !["batch", "clock", "spread"].contains(&word.as_str()))
    };
    let ticks = json["environment"]["counters"]["primary"] == "tsc";
    let mut wanted: Vec<String> = LENGTHS.iter().filter(|_| ticks).map(|length| format!("{length}_ticks")).collect();
    wanted.extend(results.iter().any(marked).then(|| "caveats".to_owned()));
    assert_eq!(heading[7..], wanted);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), FUNCTIONS.len());
    for (row, (name, algorithm, digest)) in rows.iter().zip(FUNCTIONS) {
        assert_eq!((&row[0], &row[1]), (name, digest));
        for (column, length) in LENGTHS.iter().enumerate() {
            let id = format!("hash/{algorithm}/digest[len={length}]@rustcrypto");
            let result = results.iter().find(|result| result["id"] == *id).unwrap();
            assert_eq!(row[column + 2], format!("{:.1}", result["cycles_per_byte"].as_f64().unwrap()), "{id}");
            if ticks {
                let per_byte = format!("{:.1}", result["ticks_per_byte"].as_f64().unwrap());
                assert_eq!(row[column + 2 + LENGTHS.len()], per_byte, "{id}");
            }
            assert!(result["bytes_per_s"].as_f64().unwrap() > 0.0);
        }
    }
    assert!(err.contains("info: cpucycles: version=pqlab-") && err.contains(" persecond="), "{err}");
    let line = "info: backend=rustcrypto num_trials=6 src_lens=64,256,1024,4096,16384 dst_lens=32\n";
    assert!(err.contains(line), "{err}");

    let again = pqlab.expect(0, &["export", "last", "--format", "sha3-csv", "--digits", "3"]);
    assert_eq!(again.lines().next(), out.lines().next());
    assert_ne!(again, out);
}

#[test]
fn a_table_of_one_provider_is_refused_for_several_before_anything_is_measured() {
    let pqlab = Pqlab::new();
    for (arguments, word) in [
        (["run", "hash", "--format", "sha3-csv", "--algorithm", "SHA3-256"], "--provider"),
        (["run", "kem", "--format", "sha3-csv", "--provider", "rustcrypto"], "there are none"),
    ] {
        let output = pqlab.run(&arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty() && text(&output.stderr).contains(word), "{}", text(&output.stderr));
    }
    assert!(!pqlab.database().exists(), "a rejected request must not create a database");
}

#[test]
fn output_lengths_are_chosen_on_the_command_line() {
    let pqlab = Pqlab::new();
    let what = ["run", "hash", "--provider", "rustcrypto", "--algorithm", "SHAKE128", "--lengths", "64"];
    let how = ["--output-lengths", "32,200", "--iterations", "4", "--processes", "2", "--format", "csv"];
    let csv = pqlab.expect(0, &what.into_iter().chain(how).collect::<Vec<_>>());
    for id in ["digest[len=64]", "digest[len=64,out=200]", "absorb[len=64]", "squeeze[out=32]", "squeeze[out=200]"] {
        assert!(csv.contains(&format!("hash/SHAKE128/{id}@rustcrypto")), "{id} is not in {csv}");
    }
}
