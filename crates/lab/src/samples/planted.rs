//! Property tests with generated files that contain other entries between the samples. A reader must neither lose nor
//! invent a sample, and its notes must count everything that it leaves out.

mod plain;

use super::files::{SampleFile, Samples, read_samples};
use pqlab_analysis::series::Series;
use pqlab_stats::Load;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;

/// Entry of a generated file: a sample, or something that the reader must leave out.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Planted {
    Sample(f64),
    Skipped,
    Failed,
    Aggregate,
}

use Planted::{Aggregate, Failed, Sample, Skipped};

fn planted() -> impl Strategy<Value = Planted> {
    prop_oneof![
        4 => (1_u32..1_000_000).prop_map(|sample| Sample(f64::from(sample) / 64.0)),
        1 => Just(Skipped),
        1 => Just(Failed),
        1 => Just(Aggregate),
    ]
}

/// Generates the entries of one to three series.
fn entries() -> impl Strategy<Value = Vec<Vec<Planted>>> {
    prop::collection::vec(prop::collection::vec(planted(), 0..8), 1..4)
}

fn read(name: &str, bytes: &[u8]) -> Result<SampleFile, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    read_samples(&path, None).map_err(|error| error.to_string())
}

fn count(entries: &[Vec<Planted>], kind: Planted) -> usize {
    entries.iter().flatten().filter(|one| **one == kind).count()
}

fn samples(entries: &[Planted]) -> Vec<f64> {
    entries.iter().filter_map(|one| if let Sample(sample) = one { Some(*sample) } else { None }).collect()
}

/// Checks that the reader found exactly the expected samples, and that its notes contain `notes`. If no samples are
/// expected, the file must be rejected.
fn check(read: Result<SampleFile, String>, expected: &[Vec<f64>], unit: &str, notes: &[String]) {
    let expected: Vec<Vec<f64>> = expected.iter().filter(|samples| !samples.is_empty()).cloned().collect();
    if expected.is_empty() {
        let error = read.unwrap_err();
        assert!(error.contains("contains no samples") && !error.contains('\n'), "{error}");
        return;
    }
    let SampleFile { samples: Samples::Series(found), notes: written, .. } = read.unwrap() else { panic!() };
    let found_samples: Vec<Vec<f64>> = found.iter().map(|one: &Series| one.samples.clone()).collect();
    assert_eq!(found_samples, expected);
    assert!(found.iter().all(|one| one.unit == unit), "{found:?}");
    let written = written.join("\n");
    for note in notes {
        assert!(written.contains(note.as_str()), "{note}: {written}");
    }
}

/// Returns the expected note if `count` is not zero.
fn note(count: usize, text: String) -> Option<String> {
    (count > 0).then_some(text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn google_benchmark(entries in entries(), marked in any::<bool>()) {
        let mut benchmarks = Vec::new();
        for (number, of_series) in entries.iter().enumerate() {
            for one in of_series {
                let name = format!("BM_{number}");
                let mut entry = json!({"name": name, "run_name": name, "time_unit": "us", "real_time": 0.0});
                if marked {
                    entry["run_type"] = json!("iteration");
                }
                match one {
                    Sample(sample) => entry["real_time"] = json!(sample),
                    Skipped => entry["skipped"] = json!(true),
                    Failed => entry["error_occurred"] = json!(true),
                    Aggregate => {
                        entry["name"] = json!(format!("{name}_mean"));
                        entry["run_type"] = json!("aggregate");
                    }
                }
                benchmarks.push(entry);
            }
        }
        let (total, text) = (benchmarks.len(), json!({"context": {}, "benchmarks": benchmarks}).to_string());
        let [skipped, failed, aggregates] = [Skipped, Failed, Aggregate].map(|kind| count(&entries, kind));
        let notes: Vec<String> = [
            note(skipped, format!("left out skipped entries ({skipped} of {total})")),
            note(failed, format!("left out failed entries ({failed} of {total})")),
            note(aggregates, format!("left out aggregates ({aggregates} of {total} entries)")),
        ].into_iter().flatten().collect();
        check(read("x.json", text.as_bytes()), &entries.iter().map(|one| samples(one)).collect::<Vec<_>>(), "us", &notes);
    }

    #[test]
    fn hyperfine(entries in entries()) {
        let result = |(number, of_series): (usize, &Vec<Planted>)| {
            let time = |one: &Planted| if let Sample(sample) = one { *sample } else { 0.001 };
            let code = |one: &Planted| match one {
                Sample(_) => json!(0),
                Skipped => Value::Null,
                _ => json!(1),
            };
            json!({
                "command": format!("c{number}"),
                "times": of_series.iter().map(time).collect::<Vec<_>>(),
                "exit_codes": of_series.iter().map(code).collect::<Vec<_>>(),
            })
        };
        let text = json!({"results": entries.iter().enumerate().map(result).collect::<Vec<_>>()}).to_string();
        let notes: Vec<String> = entries.iter().enumerate().filter_map(|(number, one)| {
            let lost = one.len() - samples(one).len();
            let name = format!("c{number}");
            match (lost, samples(one).is_empty()) {
                (0, true) => Some(format!("{name:?} has no samples")),
                (0, false) => None,
                _ => Some(format!("left out failed runs of {name:?} ({lost} of {})", one.len())),
            }
        }).collect();
        check(read("x.json", text.as_bytes()), &entries.iter().map(|one| samples(one)).collect::<Vec<_>>(), "s", &notes);
    }

    #[test]
    fn pyperf(entries in entries()) {
        let run = |one: &Planted| match one {
            Sample(sample) => json!({"values": [sample], "warmups": [[1, 9.0]]}),
            Skipped => json!({"warmups": [[1, 9.0], [2, 9.0]]}),
            _ => json!({"metadata": {}}),
        };
        let benchmark = |(number, of_series): (usize, &Vec<Planted>)| json!({
            "metadata": {"name": format!("b{number}"), "unit": "byte"},
            "runs": of_series.iter().map(run).collect::<Vec<_>>(),
        });
        let text = json!({"benchmarks": entries.iter().enumerate().map(benchmark).collect::<Vec<_>>()}).to_string();
        let kept = entries.iter().flatten().filter(|one| matches!(one, Sample(_))).count();
        let [skipped, failed, aggregates] = [Skipped, Failed, Aggregate].map(|kind| count(&entries, kind));
        let (warmups, calibrations) = (kept + 2 * skipped, skipped + failed + aggregates);
        let notes: Vec<String> = [
            note(warmups, format!("left out warm-up values ({warmups})")),
            note(calibrations, format!("left out calibration runs without values ({calibrations})")),
        ].into_iter().flatten().collect();
        check(read("x.json", text.as_bytes()), &entries.iter().map(|one| samples(one)).collect::<Vec<_>>(), "byte", &notes);
    }

    #[test]
    fn pytest_benchmark_and_jmh(entries in entries()) {
        let lists: Vec<Vec<f64>> = entries.iter().map(|one| samples(one)).collect();
        let pytest = |(number, list): (usize, &Vec<f64>)| json!({"name": format!("t{number}"), "stats": {"data": list}});
        let mut benchmarks: Vec<Value> = lists.iter().enumerate().map(pytest).collect();
        benchmarks.push(json!({"name": "summary", "stats": {"mean": 1.0}}));
        let text = json!({"benchmarks": benchmarks}).to_string();
        check(read("x.json", text.as_bytes()), &lists, "s", &["have only a summary".to_owned()]);
        let jmh = |(number, list): (usize, &Vec<f64>)| {
            let forks: Vec<&[f64]> = list.chunks(3).collect();
            json!({"benchmark": "B.m", "params": {"n": number.to_string()},
                "primaryMetric": {"scoreUnit": "us/op", "rawData": forks}})
        };
        let mut benchmarks: Vec<Value> = lists.iter().enumerate().map(jmh).collect();
        benchmarks.push(json!({"benchmark": "B.sampled", "primaryMetric": {"scoreUnit": "us/op"}}));
        check(read("x.json", json!(benchmarks).to_string().as_bytes()), &lists, "us", &["B.sampled".to_owned()]);
    }

    #[test]
    fn criterion(samples in prop::collection::vec((1_u32..1000, 1_u32..1_000_000), 0..20)) {
        let iterations: Vec<f64> = samples.iter().map(|(count, _)| f64::from(*count)).collect();
        let times: Vec<f64> = samples.iter().map(|(count, time)| f64::from(*count) * f64::from(*time)).collect();
        let text = json!({"sampling_mode": "Flat", "iters": iterations, "times": times}).to_string();
        let expected: Vec<f64> = samples.iter().map(|(_, time)| f64::from(*time)).collect();
        check(read("sample.json", text.as_bytes()), &[expected], "ns", &[]);
    }

    #[test]
    fn go(entries in entries()) {
        let mut text = "goos: linux\npkg: example.org/x\n".to_owned();
        for (number, of_series) in entries.iter().enumerate() {
            for one in of_series {
                text.push_str(&match one {
                    Sample(sample) => format!("BenchmarkX{number}-8\t 100\t {sample} ns/op\t 3 B/op\n"),
                    Skipped => format!("--- SKIP: BenchmarkX{number}\n    x.go:1: no\n"),
                    Failed => format!("--- FAIL: BenchmarkX{number}\n"),
                    Aggregate => "ok  \texample.org/x\t1.5s\n".to_owned(),
                });
            }
        }
        let [skipped, failed] = [Skipped, Failed].map(|kind| count(&entries, kind));
        let notes: Vec<String> = [
            note(skipped, format!("skipped benchmarks ({skipped})")),
            note(failed, format!("failed benchmarks ({failed})")),
        ].into_iter().flatten().collect();
        check(read("x.txt", text.as_bytes()), &entries.iter().map(|one| samples(one)).collect::<Vec<_>>(), "ns", &notes);
    }

    /// Google Benchmark's CSV marks failures in separate columns and skipped entries by 0 iterations. It has no
    /// `run_type`.
    #[test]
    fn google_benchmark_csv(entries in entries()) {
        let mut text = "name,iterations,real_time,cpu_time,time_unit,error_occurred,error_message\n".to_owned();
        for (number, of_series) in entries.iter().enumerate() {
            for one in of_series {
                text.push_str(&match one {
                    Sample(sample) => format!("\"BM_{number}\",100,{sample},1,us,,\n"),
                    Skipped => format!("\"BM_{number}\",0,0,0,us,,\n"),
                    Failed => format!("\"BM_{number}\",,,,,true,\"no token, no key\"\n"),
                    Aggregate => format!("\"BM_{number}_BigO\",,7.5,7.5,us,,\n"),
                });
            }
        }
        let total: usize = entries.iter().map(Vec::len).sum();
        let [skipped, failed, aggregates] = [Skipped, Failed, Aggregate].map(|kind| count(&entries, kind));
        let notes: Vec<String> = [
            note(skipped, format!("left out skipped entries ({skipped} of {total})")),
            note(failed, format!("left out failed entries ({failed} of {total})")),
            note(failed, "no token, no key".to_owned()),
            note(aggregates, format!("left out aggregates ({aggregates} of {total} entries)")),
        ].into_iter().flatten().collect();
        check(read("x.csv", text.as_bytes()), &entries.iter().map(|one| samples(one)).collect::<Vec<_>>(), "us", &notes);
    }

    /// pqlab's own format `samples-csv`. A note counts the samples that the run did not use.
    #[test]
    fn samples_csv(entries in entries()) {
        let mut text = "id,process,visit,ns_per_operation,used\n".to_owned();
        for (number, of_series) in entries.iter().enumerate() {
            for one in of_series {
                let (sample, used) = if let Sample(sample) = one { (*sample, true) } else { (9.0, false) };
                text.push_str(&format!("\"kem/X/keygen[len={number},keys=1]@p\",0,1,{sample},{used}\n"));
            }
        }
        let lists: Vec<Vec<f64>> = entries.iter().map(|one| samples(one)).collect();
        let unused = entries.iter().map(Vec::len).sum::<usize>() - lists.iter().map(Vec::len).sum::<usize>();
        let left_out = format!("left out samples of disturbed visits ({unused})");
        let notes: Vec<String> = note(unused, left_out).into_iter().collect();
        check(read("x.csv", text.as_bytes()), &lists, "ns", &notes);
    }

    /// criterion's `raw.csv`. Each row contains the total time of several iterations.
    #[test]
    fn criterion_raw_csv(
        series in prop::collection::vec(prop::collection::vec((1_u32..1000, 1_u32..1_000_000), 0..8), 1..4),
    ) {
        let mut text = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n".to_owned();
        for (number, rows) in series.iter().enumerate() {
            for (iterations, time) in rows {
                let total = u64::from(*iterations) * u64::from(*time);
                text.push_str(&format!("g,\"f, {number}\",,,,{total},ns,{iterations}\n"));
            }
        }
        let expected: Vec<Vec<f64>> =
            series.iter().map(|rows| rows.iter().map(|(_, time)| f64::from(*time)).collect()).collect();
        check(read("raw.csv", text.as_bytes()), &expected, "ns", &[]);
    }

    /// The samples do not depend on the separator, decimal mark, encoding and line ending.
    #[test]
    fn tables(
        rows in prop::collection::vec((1_u32..100_000, 1_u32..100_000), 3..20),
        separator in prop::sample::select(vec![',', ';', '\t']),
        comma in any::<bool>(),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        encoding in 0..4,
        comments in 0_usize..3,
    ) {
        // Use two decimal places, the last one nonzero: the separator cannot pass for a thousands separator.
        let value = |number: u32| f64::from(number) + 0.25;
        let cell = |number: u32| {
            let text = value(number).to_string();
            match (comma, separator) {
                (true, ',') => format!("\"{}\"", text.replace('.', ",")),
                (true, _) => text.replace('.', ","),
                (false, _) => text,
            }
        };
        let mut lines = vec![format!("a_ns{separator}b_ns{separator}note")];
        lines.extend(rows.iter().map(|(a, b)| format!("{}{separator}{}{separator}x", cell(*a), cell(*b))));
        for comment in 0..comments {
            lines.insert(comment + 1, "# comment".to_owned());
        }
        let text = lines.join(line_end) + line_end;
        let bytes = match encoding {
            0 => text.into_bytes(),
            1 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            2 => [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
            _ => [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect(),
        };
        let columns = [rows.iter().map(|(a, _)| value(*a)).collect(), rows.iter().map(|(_, b)| value(*b)).collect()];
        let mut notes = vec!["left out columns with remarks, dates or row numbers: \"note\"".to_owned()];
        notes.extend(note(comments, format!("left out comment lines ({comments})")));
        notes.extend(comma.then(|| "decimal commas".to_owned()));
        check(read("x.csv", &bytes), &columns, "ns", &notes);
    }

    /// The columns of a table divide its rows into series, regardless of the order of the rows. Rows that failed,
    /// warm-ups and summaries are left out and counted.
    #[test]
    fn columns_divide_the_rows(
        rows in prop::collection::vec((0_usize..3, 0_usize..2, 1_u32..100_000, 0..6), 30..80),
        order in Just((0..7_usize).collect::<Vec<usize>>()).prop_shuffle(),
        text in prop::sample::select(vec!["primitive", "compiler", "branch", "wasm_target"]),
        parameter in prop::sample::select(vec!["keysize", "msgLen", "payload_bytes", "security_level"]),
        outcome in prop::sample::select(vec![("success", "true", "false"), ("passed", "1", "0"), ("skipped", "no", "yes"),
            ("http_status", "200", "503"), ("outcome", "ok", "timeout"), ("error", "", "no memory")]),
        phase in prop::sample::select(vec![("phase", "measure", "warm-up"), ("isWarmup", "false", "true"),
            ("type", "iteration", "mean"), ("stage", "actual", "Pilot")]),
    ) {
        let (texts, parameters) = (["a", "b", "c"], ["16", "1024"]);
        let head = [text, parameter, "unit", outcome.0, phase.0, "run", "value"];
        let mut table = order.iter().map(|column| head[*column]).collect::<Vec<_>>().join(",") + "\n";
        let mut expected: Vec<((usize, usize), Vec<f64>)> = Vec::new();
        let (mut failed, mut other) = (0, 0);
        for (number, (label, size, value, kind)) in rows.iter().enumerate() {
            let (passes, measures) = (*kind != 0, *kind != 1);
            let (run, value) = (number.to_string(), f64::from(*value) + 0.5);
            let cells = [
                texts[*label],
                parameters[*size],
                "us",
                if passes { outcome.1 } else { outcome.2 },
                if measures { phase.1 } else { phase.2 },
                &run,
                &value.to_string(),
            ];
            table += &(order.iter().map(|column| cells[*column]).collect::<Vec<_>>().join(",") + "\n");
            failed += usize::from(!passes);
            other += usize::from(passes && !measures);
            if passes && measures {
                match expected.iter_mut().find(|(key, _)| *key == (*label, *size)) {
                    Some((_, samples)) => samples.push(value),
                    None => expected.push(((*label, *size), vec![value])),
                }
            }
        }
        // A column whose cells are all different or all equal does not name operations.
        let several = |of: fn(&(usize, usize)) -> usize| {
            expected.iter().map(|(key, _)| of(key)).collect::<std::collections::BTreeSet<_>>().len() > 1
        };
        prop_assume!(several(|key| key.0) && several(|key| key.1));
        let notes: Vec<String> = [
            note(failed, format!("left out failed rows ({failed} of {})", rows.len())),
            note(other, format!("left out rows with warm-ups or summaries ({other} of {})", rows.len() - failed)),
        ].into_iter().flatten().collect();
        let lists: Vec<Vec<f64>> = expected.into_iter().map(|(_, samples)| samples).collect();
        check(read("x.csv", table.as_bytes()), &lists, "us", &notes);
    }

    /// In a comma-separated table, a number with an unquoted decimal comma must never be read as two columns.
    #[test]
    fn split_decimals_are_refused(
        rows in prop::collection::vec((0_u32..1000, 0_u32..1000), 1..20), headed in any::<bool>(), digits in 1..4_usize,
    ) {
        let head = if headed { "ms\n" } else { "" };
        let body: String = rows.iter().map(|(whole, part)| format!("{whole},{part:0digits$}\n")).collect();
        let error = read("x.csv", format!("{head}{body}").as_bytes()).unwrap_err();
        assert!(error.contains("decimal comma") && !error.contains('\n'), "{error}");
    }

    /// The error for a value that is not a finite number states its position, in every kind of list.
    #[test]
    fn values_that_are_not_numbers_are_refused(
        samples in prop::collection::vec(1_u32..1000, 2..10),
        word in prop::sample::select(vec!["NaN", "Infinity", "-inf", "null", "\"x\"", "true", "[1]"]),
        place in any::<prop::sample::Index>(),
    ) {
        let place = place.index(samples.len());
        let mut words: Vec<String> = samples.iter().map(u32::to_string).collect();
        words[place] = word.to_owned();
        let list = words.join(",");
        for text in [
            format!("[{list}]"),
            format!("{{\"a\":[{list}]}}"),
            format!("{{\"results\":[{{\"command\":\"c\",\"times\":[{list}]}}]}}"),
            format!("{{\"benchmarks\":[{{\"runs\":[{{\"values\":[{list}]}}]}}]}}"),
            format!("{{\"benchmarks\":[{{\"name\":\"t\",\"stats\":{{\"data\":[{list}]}}}}]}}"),
        ] {
            let error = read("x.json", text.as_bytes()).unwrap_err();
            assert!(error.contains(&format!("value {} is not a number", place + 1)), "{text}: {error}");
        }
    }

    /// No text makes a reader panic, and every message is one line.
    #[test]
    fn any_text_is_read_or_refused(text in "(?s)[\\[\\]{}\",:;0-9a-c.#\\- \t\r\n\u{e9}]{0,60}") {
        match read("x", text.as_bytes()) {
            Ok(file) => assert!(file.notes.iter().all(|note| !note.contains('\n')), "{text:?}: {:?}", file.notes),
            Err(error) => assert!(!error.contains('\n'), "{text:?}: {error}"),
        }
    }
}
