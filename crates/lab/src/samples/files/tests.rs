use super::super::reading::series;
use super::*;

fn read(name: &str, text: &str, column: Option<&str>) -> Result<Samples, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    read_samples(&path, column).map(|file| file.samples).map_err(|error| error.to_string())
}

/// Returns the series and the notes of a file.
fn noted(name: &str, text: &str) -> (Vec<(String, String, Vec<f64>)>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let SampleFile { samples: Samples::Series(found), notes, .. } = read_samples(&path, None).unwrap() else {
        panic!("{text}")
    };
    (found.into_iter().map(|one| (one.name, one.unit, one.samples)).collect(), notes.join("\n"))
}

/// Checks that each file is rejected with a one-line error that contains the expected words. The items are name,
/// contents and words.
fn refused(files: &[(&str, &str, &str)]) {
    for (name, text, wanted) in files {
        let error = read(name, text, None).map(|found| panic!("{text}: {found:?}")).unwrap_err();
        assert!(error.contains(wanted) && !error.contains('\n'), "{text:?}: {error}");
    }
}

fn all(name: &str, text: &str) -> Vec<(String, String, Vec<f64>)> {
    let Ok(Samples::Series(found)) = read(name, text, None) else { panic!("{text}") };
    found.into_iter().map(|one| (one.name, one.unit, one.samples)).collect()
}

fn one(name: &str, unit: &str, samples: &[f64]) -> (String, String, Vec<f64>) {
    (name.into(), unit.into(), samples.to_vec())
}

#[test]
fn reads_files_of_each_kind() {
    assert_eq!(all("x.csv", "name,ns\na,1\na,2.5\n"), [one("a: ns", "ns", &[1.0, 2.5])]);
    assert_eq!(all("x.txt", "1\n2\n"), [one("x", "", &[1.0, 2.0])]);
    assert_eq!(all("x.json", "[1, 2e0]"), [one("x", "", &[1.0, 2.0])]);
    assert_eq!(all("x.json", r#"{"a":[1],"b":[2,3],"note":"n"}"#), [one("a", "", &[1.0]), one("b", "", &[2.0, 3.0])]);
    let hyperfine = r#"{"results":[{"command":"sleep 1","mean":1.0,"times":[1.0,1.1]}]}"#;
    assert_eq!(all("x.json", hyperfine), [one("sleep 1", "s", &[1.0, 1.1])]);
    let google = r#"{"context":{},"benchmarks":[
        {"name":"BM_a/repeats:2","run_name":"BM_a","run_type":"iteration","real_time":3.0,"time_unit":"us"},
        {"name":"BM_a/repeats:2","run_name":"BM_a","run_type":"iteration","real_time":4.0,"time_unit":"us"},
        {"name":"BM_a_mean","run_name":"BM_a","run_type":"aggregate","real_time":3.5,"time_unit":"us"}]}"#;
    assert_eq!(all("x.json", google), [one("BM_a", "us", &[3.0, 4.0])]);
    let pyperf = r#"{"benchmarks":[{"runs":[{"warmups":[[1,2.0]]},{"values":[0.5,0.25]},{"values":[1.0]}]}],
        "metadata":{"name":"bench"},"version":"1.0"}"#;
    assert_eq!(all("x.json", pyperf), [one("bench", "s", &[0.5, 0.25, 1.0])]);
}

/// Reading must take linear time in the number of names, because a file may contain any number of them.
#[test]
fn keeps_a_hundred_thousand_names_apart_in_order() {
    let entry = |number: u32| format!(r#"{{"name":"BM_{number}","real_time":{number}.5,"time_unit":"us"}}"#);
    let entries: Vec<String> = (0..100_000).chain([7]).map(entry).collect();
    let found = all("x.json", &format!(r#"{{"benchmarks":[{}]}}"#, entries.join(",")));
    assert_eq!(found.len(), 100_000);
    assert_eq!(found[7], one("BM_7", "us", &[7.5, 7.5]));
    assert_eq!(found[99_999], one("BM_99999", "us", &[99_999.5]));
}

#[test]
fn recognises_loads_by_their_columns() {
    let text = "concurrency,operations,seconds\n1,100,1.0\n2,150,1\n";
    let Ok(Samples::Loads(found)) = read("x.csv", text, None) else { panic!() };
    assert_eq!(found[1], Load { concurrency: 2, operations: 150, seconds: 1.0 });
    assert!(matches!(read("x.csv", text, Some("seconds")), Ok(Samples::Series(_))));
    assert!(read("x.csv", "concurrency,operations,seconds\n1.5,100,1.0\n", None).unwrap_err().contains("row 2"));
    assert!(read("x.csv", "concurrency,operations,seconds\n1,100,0\n", None).unwrap_err().contains("not positive"));
}

#[test]
fn errors_name_the_place() {
    for (text, wanted) in [
        ("", "no samples"),
        ("ns\n", "no samples"),
        ("ns\n1\nx\n", "row 3, column \"ns\": \"x\" is not a number"),
        ("ns\n1\nNaN\n", "is not a number"),
        ("a,b\n1\n", "not CSV"),
        ("[1, \"2\"]", "value 2 is not a number"),
        ("[1,", "EOF"),
        ("{}", "no samples"),
        (r#"{"results":[{"command":"c"}]}"#, "no list \"times\""),
        (r#"{"benchmarks":[{"name":"b"}]}"#, "real_time"),
    ] {
        let error = read("x.dat", text, None).unwrap_err();
        assert!(error.contains(wanted) && error.contains("x.dat"), "{text:?}: {error}");
    }
    assert!(read("x.csv", "a,b\n1,2\n", Some("c")).unwrap_err().contains("available: a, b"));
    assert!(read("x.json", r#"{"a":[1]}"#, Some("c")).unwrap_err().contains("available: a"));
    assert!(read_samples(Path::new("/no/such/file"), None).is_err());
}

#[test]
fn google_benchmark_entries_that_were_not_measured_are_counted() {
    let entry =
        |name: &str, rest: &str| format!(r#"{{"name":"{name}","run_name":"{name}","run_type":"iteration",{rest}}}"#);
    let file = |entries: &[String]| format!(r#"{{"context":{{}},"benchmarks":[{}]}}"#, entries.join(","));
    let measured = r#""iterations":9,"real_time":3.5,"time_unit":"us""#;
    let text = file(&[
        entry("BM_a", measured),
        entry("BM_a", r#""iterations":0,"skipped":true,"skip_message":"no AVX-512","real_time":0,"time_unit":"us""#),
        entry("BM_b", r#""iterations":0,"error_occurred":true,"error_message":"token","real_time":0,"time_unit":"ns""#),
        entry("BM_c", r#""iterations":0,"real_time":0.0,"time_unit":"ns""#),
        r#"{"name":"BM_a_mean","run_name":"BM_a","run_type":"aggregate","real_time":3.5,"time_unit":"us"}"#.to_owned(),
    ]);
    let (series, notes) = noted("x.json", &text);
    assert_eq!(series, [one("BM_a", "us", &[3.5])]);
    let counted = ["left out skipped entries (2 of 5)", "left out failed entries (1 of 5)"];
    for wanted in counted.into_iter().chain(["BM_a (no AVX-512)", "BM_c (0 iterations)"]) {
        assert!(notes.contains(wanted), "{wanted}: {notes}");
    }
    assert!(notes.contains("BM_b (token)") && notes.contains("left out aggregates (1 of 5 entries)"), "{notes}");
    let all_skipped = file(&[entry("BM_a", r#""skipped":true,"real_time":0"#)]);
    let aggregates = r#"{"name":"BM_x_mean","run_name":"BM_x","run_type":"aggregate","real_time":1}"#.to_owned();
    refused(&[
        ("x.json", &all_skipped, "contains no samples: left out skipped entries (1 of 1)"),
        ("x.json", &file(&[aggregates]), "without --benchmark_report_aggregates_only"),
        ("x.json", r#"{"benchmarks":[]}"#, "contains no samples"),
    ]);
}

#[test]
fn old_google_benchmark_files_mark_aggregates_by_name() {
    let entry =
        |name: &str, time: f64| format!(r#"{{"name":"{name}","iterations":9,"real_time":{time},"time_unit":"ns"}}"#);
    let mut entries: Vec<String> = [("BM_x/8", 1.5), ("BM_x/8", 2.5), ("BM_x/8_mean", 2.0), ("BM_x/8_stddev", 0.5)]
        .map(|(name, time)| entry(name, time))
        .into();
    entries.extend([("BM_hash_mean", 7.0), ("BM_y_median", 8.0), ("BM_y", 9.0)].map(|(name, time)| entry(name, time)));
    entries.push(r#"{"name":"BM_x_BigO","real_coefficient":4.7,"big_o":"N","time_unit":"ns"}"#.into());
    entries.push(r#"{"name":"BM_x_RMS","rms":0.02}"#.into());
    let (series, notes) = noted("x.json", &format!(r#"{{"benchmarks":[{}]}}"#, entries.join(",")));
    // A single row whose name ends in _mean is a benchmark with that name.
    let expected = [
        one("BM_x/8", "ns", &[1.5, 2.5]),
        one("BM_hash_mean", "ns", &[7.0]),
        one("BM_y_median", "ns", &[8.0]),
        one("BM_y", "ns", &[9.0]),
    ];
    assert_eq!(series, expected);
    assert!(notes.contains("left out aggregates (4 of 9 entries)"), "{notes}");
}

#[test]
fn units_within_a_file_are_converted() {
    let entry = |unit: &str, time: f64| format!(r#"{{"name":"BM_a","real_time":{time},"time_unit":"{unit}"}}"#);
    let entries = [entry("ns", 1490.0), entry("us", 1.5), entry("ms", 0.001_51), entry("s", 1.51e-6)].join(",");
    let found = all("x.json", &format!(r#"{{"benchmarks":[{entries}]}}"#));
    assert_eq!((found.len(), found[0].1.as_str(), found[0].2.len()), (1, "ns", 4));
    assert!(found[0].2.iter().zip([1490.0, 1500.0, 1510.0, 1510.0]).all(|(found, real)| (found - real).abs() < 1e-6));
    refused(&[(
        "x.json",
        r#"{"benchmarks":[{"name":"a","real_time":1,"time_unit":"fortnight"}]}"#,
        "unknown time unit",
    )]);
    for (unit, shown) in [("byte", "byte"), ("integer", ""), ("second", "s")] {
        let text =
            format!(r#"{{"benchmarks":[{{"metadata":{{"name":"n","unit":"{unit}"}},"runs":[{{"values":[1,2]}}]}}]}}"#);
        assert_eq!(all("x.json", &text), [one("n", shown, &[1.0, 2.0])]);
    }
    assert_eq!(all("x.csv", "1.5 ms\n1600us\n"), [one("x", "ms", &[1.5, 1.6])]);
    assert_eq!(all("x.csv", "a (us),b_ms\n1,2\n"), [one("a (us)", "us", &[1.0]), one("b_ms", "ms", &[2.0])]);
    refused(&[
        ("x.csv", "1000 cycles\n1\n2\n", "row 2, column \"x\": only some samples have a unit, up to \"1\""),
        ("x.csv", "t\n1\n2 ms\n", "only some samples have a unit, up to \"2 ms\""),
    ]);
    refused(&[
        ("x.csv", "1.5 ms\n1.6 kB\n", "\"1.6 kB\" cannot be converted to \"ms\""),
        ("x.csv", "t_us\n1\n12 ms\n", "row 3, column \"t_us\": \"12 ms\" contradicts \"us\", the unit in the name"),
        ("x.csv", "t (us),n\n12 ms,1\n13 ms,2\n", "\"12 ms\" contradicts \"us\""),
        ("x.csv", "latency (moons)\n12 ms\n", "\"12 ms\" contradicts \"moons\""),
        ("x.csv", "alg,t_us,unit\nA,1,ms\n", "row 2: the name of column \"t_us\" contradicts the unit \"ms\""),
    ]);
    assert_eq!(all("x.csv", "t (us)\n1 us\n2 µs\n"), [one("t (us)", "us", &[1.0, 2.0])]);
    let (series, notes) = noted("x.csv", "t_us,unit\n1,KiB\n2,KiB\n");
    assert_eq!(series, [one("t_us", "us", &[1.0, 2.0])]);
    assert_eq!(notes, "did not apply \"KiB\" to column \"t_us\", whose name states a unit");
    let table = "value,unit,total_ns\n1,us,1500\n2,us,2500\n";
    assert_eq!(all("x.csv", table), [one("value", "us", &[1.0, 2.0]), one("total_ns", "ns", &[1500.0, 2500.0])]);
}

#[test]
fn words_for_infinity_outside_of_times_do_not_matter() {
    let file = |time: &str, counter: &str| {
        format!(
            r#"{{"benchmarks":[{{"name":"BM_a","real_time":1.5,"hits":{counter}}},{{"name":"BM_a","real_time":{time}}}]}}"#
        )
    };
    let words = ["NaN", "nan", "-nan", "-nan(ind)", "nan(snan)", "+nan", "1.#INF", "-1.#IND", "INF", "inf", "-inf"];
    for counter in words.into_iter().chain(["Infinity", "-Infinity", "1e3"]) {
        assert_eq!(all("x.json", &file("2.5", counter)), [one("BM_a", "ns", &[1.5, 2.5])], "{counter}");
        if counter != "1e3" {
            refused(&[("x.json", &file(counter, "1"), counter), ("x.json", &format!("[1, {counter}]"), counter)]);
        }
    }
    refused(&[
        ("x.json", &file("2.5", "nano"), "line 1 column"),
        ("x.json", &file("null", "1"), "not null"),
        ("x.json", "[1.0, null, 3.0]", "value 2 is not a number: null"),
        ("x.json", "{\"a\": [1, Nan]}", "not JSON"),
        ("x.json", "{\"a\": [1, 2", "EOF"),
        ("x.json", "[1e999]", "out of range"),
    ]);
}

#[test]
fn failed_runs_of_hyperfine_are_left_out() {
    let file = |times: &str, codes: &str| {
        format!(
            r#"{{"results":[{{"command":"a","times":{times},"exit_codes":{codes}}},{{"command":"b","times":[5]}}]}}"#
        )
    };
    let (series, notes) = noted("x.json", &file("[1,0.1,2,0.2]", "[0,1,0,null]"));
    assert_eq!(series, [one("a", "s", &[1.0, 2.0]), one("b", "s", &[5.0])]);
    assert!(notes.contains("left out failed runs of \"a\" (2 of 4): exit code 1, none (ended by a signal)"), "{notes}");
    let (series, notes) = noted("x.json", &file("[1,2]", "[127,127]"));
    assert_eq!(series, [one("b", "s", &[5.0])]);
    assert!(notes.contains("left out failed runs of \"a\" (2 of 2): exit code 127"), "{notes}");
    let (series, notes) = noted("x.json", &file("[]", "[]"));
    assert!(series.len() == 1 && notes.contains("\"a\" has no samples"), "{notes}");
    refused(&[
        ("x.json", &file("[1,2]", "[0]"), "2 times but 1 exit codes"),
        (
            "x.json",
            r#"{"results":[{"command":"a","times":[1],"exit_codes":[1]}]}"#,
            "no samples: left out failed runs of \"a\" (1 of 1)",
        ),
        ("x.json", r#"{"results":[{"command":"a","times":[]}]}"#, "contains no samples"),
        ("x.json", r#"{"results":[]}"#, "contains no samples"),
    ]);
}

#[test]
fn the_same_name_with_other_parameters_is_another_series() {
    let hyperfine = r#"{"results":[{"command":"job","times":[1],"parameters":{"threads":"1"}},
        {"command":"job","times":[2],"parameters":{"threads":"2"}},{"command":"run -t 3","times":[3],"parameters":{"t":"3"}},
        {"command":"old","times":[4],"parameter":"9"}]}"#;
    let names = |text: &str| all("x.json", text).into_iter().map(|(name, _, _)| name).collect::<Vec<_>>();
    assert_eq!(names(hyperfine), ["job [threads=1]", "job [threads=2]", "run -t 3", "old [9]"]);
    let google = r#"{"benchmarks":[{"name":"BM_a","threads":1,"real_time":1},{"name":"BM_a","threads":4,"real_time":2},
        {"name":"BM_b","family_index":1,"real_time":1},{"name":"BM_b","family_index":2,"real_time":2}]}"#;
    assert_eq!(names(google), ["BM_a/threads:1", "BM_a/threads:4", "BM_b", "BM_b #2"]);
    let pytest = r#"{"benchmarks":[{"name":"t","fullname":"a.py::t","stats":{"data":[1]}},
        {"name":"t","fullname":"b.py::t","stats":{"data":[2]}},{"name":"u","fullname":"b.py::u","stats":{"data":[3]}}]}"#;
    assert_eq!(names(pytest), ["a.py::t", "b.py::t", "u"]);
    let jmh = r#"[{"benchmark":"B.m","params":{"n":"1"},"primaryMetric":{"scoreUnit":"ns/op","rawData":[[1,2],[3]]}},
        {"benchmark":"B.m","params":{"n":"2"},"primaryMetric":{"scoreUnit":"ops/s","rawData":[[4]]}}]"#;
    assert_eq!(all("x.json", jmh), [one("B.m [n=1]", "ns", &[1.0, 2.0, 3.0]), one("B.m [n=2]", "op/s", &[4.0])]);
    let table = "algorithm,threads,ns\nML-KEM,1,10\nML-KEM,2,20\nML-KEM,1,11\nSLH-DSA,1,900\n";
    let expected = [
        one("ML-KEM [threads=1]: ns", "ns", &[10.0, 11.0]),
        one("ML-KEM [threads=2]: ns", "ns", &[20.0]),
        one("SLH-DSA [threads=1]: ns", "ns", &[900.0]),
    ];
    assert_eq!(all("x.csv", table), expected);
    let (_, notes) = noted("x.csv", "name,ns\nkeygen,10\nsign,20\n");
    assert!(notes.contains("2 series of 1 sample each"), "{notes}");
    let twice =
        r#"{"results":[{"command":"a","times":[1]},{"command":"a","times":[2]},{"command":"a #2","times":[3]}]}"#;
    assert_eq!(names(twice), ["a", "a #3", "a #2"]);
}

#[test]
fn warm_ups_and_calibrations_of_pyperf_are_counted() {
    let text = r#"{"benchmarks":[{"runs":[{"warmups":[[1,2.0],[1,2.1]]},{"warmups":[[1,3.0]],"values":[0.5]},
        {"values":[0.25]}]}],"metadata":{"name":"b"}}"#;
    let (series, notes) = noted("x.json", text);
    assert_eq!(series, [one("b", "s", &[0.5, 0.25])]);
    assert!(notes.contains("left out warm-up values (3)"), "{notes}");
    assert!(notes.contains("left out calibration runs without values (1)"), "{notes}");
    refused(&[("x.json", r#"{"benchmarks":[{"runs":[{"values":[]}]}]}"#, "contains no samples")]);
}

#[test]
fn criterion_samples_are_times_per_iteration() {
    let lists = r#""iters":[10.0,20.0],"times":[100.0,240.0]"#;
    for text in [
        format!(r#"{{"sampling_mode":"Linear",{lists}}}"#),
        format!("{{{lists}}}"),
        r#"["Flat",[10,20],[100,240]]"#.to_owned(),
    ] {
        let (series, notes) = noted("sample.json", &text);
        assert_eq!(series, [one("sample", "ns", &[10.0, 12.0])]);
        assert!(notes.contains("each of the 2 samples is the time of a criterion batch"), "{notes}");
    }
    let raw = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n\
        g,f,8,,,100,ns,10\ng,f,8,,,240,ns,20\ng,f,9,,,50,ns,1\n";
    assert_eq!(all("raw.csv", raw), [one("g/f/8", "ns", &[10.0, 12.0]), one("g/f/9", "ns", &[50.0])]);
    refused(&[
        ("sample.json", r#"{"iters":[1,2],"times":[1]}"#, "\"iters\" has 2 entries and \"times\" 1"),
        ("sample.json", r#"{"iters":[1,0],"times":[1,2]}"#, "iters: value 2 is not positive"),
        ("estimates.json", r#"{"mean":{},"median":{},"std_dev":{},"slope":null}"#, "pass sample.json"),
        ("benchmark.json", r#"{"group_id":"g","full_id":"g/f"}"#, "pass sample.json"),
        ("tukey.json", "[1.0, 2.0, 3.0, 4.0]", "limits of outliers"),
        (
            "m.jsonl",
            "{\"reason\":\"benchmark-complete\"}\n{\"reason\":\"group-complete\"}\n",
            "one JSON document per line",
        ),
    ]);
}

#[test]
fn pytest_benchmark_needs_the_data() {
    let file = |stats: &str| format!(r#"{{"machine_info":{{}},"benchmarks":[{{"name":"t","stats":{{{stats}}}}}]}}"#);
    assert_eq!(all("x.json", &file(r#""mean":1,"data":[1.5,2]"#)), [one("t", "s", &[1.5, 2.0])]);
    refused(&[
        ("x.json", &file(r#""mean":1"#), "--benchmark-save-data"),
        ("x.json", &file(r#""data":null"#), "--benchmark-save-data"),
        ("x.json", &file(r#""data":[1,"x"]"#), "value 2 is not a number"),
    ]);
}

#[test]
fn the_output_of_go_is_read_and_the_table_of_benchstat_is_not() {
    let text = "goos: linux\ngoarch: amd64\npkg: example.org/a\n\
        BenchmarkEncaps-4   \t   93412\t     12051 ns/op\t  64 B/op\t 2 allocs/op\n\
        BenchmarkEncaps-4   \t   93998\t     12010 ns/op\t  64 B/op\t 2 allocs/op\n\
        BenchmarkLogs\nwarming up\n 1000\t 5.5 ns/op\n--- SKIP: BenchmarkHsm\n--- FAIL: BenchmarkBad\nBenchmarkLost\nFAIL\n";
    let (series, notes) = noted("go.txt", text);
    assert_eq!(series, [one("BenchmarkEncaps-4", "ns", &[12051.0, 12010.0]), one("BenchmarkLogs", "ns", &[5.5])]);
    for wanted in [
        "failed benchmarks (1): BenchmarkBad",
        "skipped benchmarks (1): BenchmarkHsm",
        "unfinished benchmarks (1): BenchmarkLost",
        "left out values in other units: B/op, allocs/op",
    ] {
        assert!(notes.contains(wanted), "{wanted}: {notes}");
    }
    let two = "pkg: a\nBenchmarkX 1 5 ns/op\npkg: b\nBenchmarkX 1 6 ns/op\n";
    assert_eq!(all("go.txt", two), [one("a.BenchmarkX", "ns", &[5.0]), one("b.BenchmarkX", "ns", &[6.0])]);
    refused(&[
        ("go.txt", "goos: linux\nBenchmarkX 1 NaN ns/op\n", "line 2: \"NaN\" is not a number"),
        ("go.txt", "goos: linux\nPASS\n", "contains no samples"),
        (
            "go.txt",
            "name  old time/op  new time/op  delta\nX  12.0 ± 1%  13.0 ± 2%  +8%\n",
            "benchstat's summary table",
        ),
        (
            "go.txt",
            "      │ old.txt │ new.txt │\n   │ sec/op │ sec/op vs base │\nX 12µ ± 1% 13µ\n",
            "benchstat's summary table",
        ),
        ("go.json", "{\"Action\":\"run\"}\n{\"Action\":\"output\"}\n", "without -json"),
    ]);
}

#[test]
fn summaries_are_not_samples() {
    refused(&[
        ("x.csv", "command,mean,stddev,median,user,system,min,max\na,1,1,1,1,1,1,1\n", "--export-json"),
        ("x.csv", "command,mean,stddev,median,user,system,min,max,parameter_n\na,1,1,1,1,1,1,1,1\n", "--export-json"),
        ("x.csv", "algorithm;mean_us;p99 (us)\nML-KEM-512;1;2\nSLH-DSA;3;4\n", "a table of summaries"),
        ("x.csv", "Method,Mean [ns],Error [ns],StdDev [ns]\na,1,1,1\n", "a table of summaries"),
        (
            "x.csv",
            "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\",\"Unit\"\n\"a\",\"avgt\",1,5,1.5,\"ns/op\"\n",
            "-rf json",
        ),
        ("x.md", "| Command | Mean [ms] | Min [ms] |\n|:---|---:|---:|\n| `a` | 1 | 2 |\n", "Markdown"),
        ("x.txt", "Benchmark 1: a\n  Time (mean ± σ):  1 ms ± 2 ms\n", "hyperfine's printed summary"),
        ("x.txt", "a   time:   [1.2 µs 1.3 µs 1.4 µs]\n", "criterion's printed summary"),
        (
            "x.json",
            r#"[{"name":"a","unit":"ns","value":990},{"name":"b","unit":"us","value":1.1}]"#,
            "customSmallerIsBetter",
        ),
        ("x.js", "window.BENCHMARK_DATA = {}", "github-action-benchmark"),
        ("x.json", r#"{"lastUpdate":1,"repoUrl":"","entries":{}}"#, "github-action-benchmark"),
        ("x.json", r#"{"commit_hash":"a","env_name":"b","results":{"t":[1.5]}}"#, "asv"),
        ("x.json", r#"{"a":{"latency":{"value":1.5}}}"#, "Bencher"),
        ("x.json", r#"{"HostEnvironmentInfo":{},"Benchmarks":[]}"#, "BenchmarkDotNet"),
        ("x.json", r#"[{"benchmark":"B.m","primaryMetric":{"score":1,"scoreUnit":"ns/op"}}]"#, "rawData"),
        ("x.xml", "<testsuite/>", "XML"),
    ]);
    // If the user chooses a column, a table of summaries is accepted.
    assert!(read("x.csv", "algorithm,mean,p99\na,1,2\na,3,4\n", Some("mean")).is_ok());
}

#[test]
fn google_benchmark_csv_is_grouped_by_name() {
    let text = "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message\n\
        \"BM_a\",10,11.5,11,ns,,,,,\n\"BM_a\",10,12.5,11,ns,,,,,\n\"BM_b\",,,,,,,,true,\"no token\"\n\
        \"BM_a_mean\",2,12,11,ns,,,,,\n\"BM_a_stddev\",2,0.7,0.1,ns,,,,,\n\"BM_a_BigO\",,4.5,4.5,N,,,,,\n";
    let (series, notes) = noted("x.csv", text);
    assert_eq!(series, [one("BM_a", "ns", &[11.5, 12.5])]);
    assert!(notes.contains("BM_b (no token)") && notes.contains("left out aggregates (3 of 6 entries)"), "{notes}");
}

#[test]
fn a_series_of_a_known_table_is_chosen_by_name() {
    let table = "name,iterations,real_time,cpu_time,time_unit\nBM_a,10,1.5,1.4,ns\nBM_b,10,2.5,2.4,ns\n";
    let Samples::Series(found) = read("x.csv", table, Some("BM_b")).unwrap() else { panic!() };
    assert_eq!((found.len(), &found[0].samples[..]), (1, &[2.5][..]));
    let error = read("x.csv", table, Some("cpu_time")).unwrap_err();
    assert!(error.contains("contains no series \"cpu_time\"; available: BM_a, BM_b"), "{error}");
}

#[test]
fn decimal_commas_are_read_or_refused_with_a_hint() {
    refused(&[
        ("x.csv", "12,10\n12,17\n13,99\n", "decimal commas"),
        ("x.csv", "1,234\n1,300\n", "thousands separators"),
        ("x.csv", "1 234\n1 300\n", "thousands separators"),
        ("x.csv", "1,234,567\n1,300,111\n", "thousands separators"),
        ("x.csv", "zeit_ms\n12,10\n12,17\n", "line 2 has 2 cells, but the first row has 1 (decimal comma?"),
        ("x.csv", "12,5\n13\n", "decimal comma?"),
        ("x.csv", "ms\n\"1,234\"\n\"1,300\"\n", "has a decimal comma or a thousands separator"),
        ("x.csv", "a;b\n12,345;1\n12,445;2\n", "has a decimal comma or a thousands separator"),
        ("x.csv", "ms;us\n12,5;1.5\n", "mixes decimal commas"),
    ]);
    for text in ["ms\n\"12,5\"\n\"13,25\"\n", "ms;note\n12,5;a\n13,25;b\n", "sep=;\nms;\n12,5;\n13,25;\n"] {
        let (series, notes) = noted("x.csv", text);
        assert_eq!(series, [one("ms", "ms", &[12.5, 13.25])], "{text}");
        assert!(notes.contains("decimal commas"), "{text}: {notes}");
    }
    assert_eq!(all("x.csv", "ns\n\"1,234.5\"\n\"1,300\"\n"), [one("ns", "ns", &[1234.5, 1300.0])]);
    assert_eq!(all("x.csv", "ns;b\n1.234,5;2\n1.300,5;3\n")[0], one("ns", "ns", &[1234.5, 1300.5]));
    assert_eq!(all("x.csv", "ns\n1'234\n1_300.5\n"), [one("ns", "ns", &[1234.0, 1300.5])]);
}

#[test]
fn comments_separators_and_encodings_are_understood() {
    let expected = [one("ns", "ns", &[1.0, 2.5])];
    for text in ["# host a\nns\n1\n# pause\n2.5\n", "\u{feff}ns\r\n1\r\n2.5\r\n", "ns\r1\r2.5\r", "ns\n\n1\n\n2.5\n\n"]
    {
        assert_eq!(all("x.csv", text), expected, "{text:?}");
    }
    assert!(noted("x.csv", "# host a\nns\n1\n// pause\n2.5\n").1.contains("left out comment lines (2)"));
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("ns\n1\n2.5\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.csv"), utf16).unwrap();
    let found = read_samples(&folder.path().join("x.csv"), None).unwrap();
    assert_eq!(found.samples, Samples::Series(vec![series("ns", "ns", vec![1.0, 2.5])]));
    assert_eq!(
        all("x.tsv", "a_ns\tb_ns\n1\t2\n3\t4\n"),
        [one("a_ns", "ns", &[1.0, 3.0]), one("b_ns", "ns", &[2.0, 4.0])]
    );
    assert_eq!(all("x.txt", "1.5 2.5\n3.5  4.5\n").len(), 2);
}

#[test]
fn columns_that_are_not_samples_are_named() {
    let (series, notes) = noted("x.csv", "run,ns,note\n1,100,ok\n2,101,ok\n3,99,slow\n");
    assert_eq!(series, [one("ns", "ns", &[100.0, 101.0, 99.0])]);
    assert!(notes.contains("left out columns with") && notes.contains("\"run\", \"note\""), "{notes}");
    let (series, notes) = noted("x.json", r#"{"a":[1],"b":{"times":[2]},"c":3,"d":[]}"#);
    assert_eq!(series, [one("a", "", &[1.0])]);
    assert!(notes.contains("left out fields that are not lists (2): b, c") && notes.contains("\"d\" has no samples"));
    refused(&[
        ("x.csv", "ns,us\nn/a,1\n2,3\n3,4\n", "row 2, column \"ns\": \"n/a\" is not a number"),
        ("x.csv", "ns\n1\n\"\"\n2\ninf\n", "\"inf\" is not a number"),
        ("x.csv", "a,1\nb,2\n", "mixes names and numbers"),
        ("x.csv", "ns,ns\n1,2\n", "two columns are called"),
        ("x.csv", "n/a\n1\n2\n", "is not a number"),
        ("x.json", r#"{"a":[1],"a":[2]}"#, "duplicate field \"a\""),
        ("x.json", r#"{"a":["1.5"]}"#, "a: value 1 is not a number: \"1.5\""),
    ]);
}

#[test]
fn text_before_the_samples_is_skipped_or_named() {
    let rows = "name,iterations,real_time,cpu_time,time_unit\n\"BM_a\",10,11.5,11,ns\n\"BM_a\",10,x,11,ns\n";
    let context = "2026-01-01T00:00:00+00:00\nRunning ./bench\nRun on (4 X 3000 MHz CPU s)\nL1 Data 32 KiB (x4), x\n";
    assert_eq!(all("x.csv", &format!("{context}{}", rows.replace('x', "12.5")))[0], one("BM_a", "ns", &[11.5, 12.5]));
    assert!(read("x.csv", &format!("{context}{rows}"), None).unwrap_err().contains("must be a number, not x"));
    refused(&[
        (
            "x.json",
            "Running ./bench\n[note]\n{\n\"benchmarks\": []\n}\n",
            "text before the JSON; remove the lines before line 3",
        ),
        ("x.json", "samples:\n[1.5, 2.5]", "text before the JSON; remove the lines before line 2"),
    ]);
}

#[test]
fn the_output_of_go_needs_no_heading() {
    let text = "BenchmarkA-8 100 10 ns/op 12 MB/s\nBenchmarkA-8 100 11 ns/op 12 MB/s\n";
    let (series, notes) = noted("go.txt", text);
    assert_eq!(series, [one("BenchmarkA-8", "ns", &[10.0, 11.0])]);
    assert!(notes.contains("left out values in other units: MB/s") && !notes.contains("failed"), "{notes}");
    let skipped = "no samples: skipped benchmarks (2): BenchmarkA-8, BenchmarkB-8";
    refused(&[("go.txt", "BenchmarkA-8   \t--- SKIP: BenchmarkA-8\n--- SKIP: BenchmarkB-8\nPASS\n", skipped)]);
}

#[test]
fn a_failed_run_of_go_is_noted() {
    for (text, wanted) in [
        ("exit status 1\nFAIL\ta\t0.1s\nFAIL\n", "FAIL a 0.1s"),
        ("FAIL\n", "FAIL"),
        ("FAIL\tb [build failed]\n", "FAIL b [build failed]"),
        ("*** Test killed with quit: ran too long (11m0s).\n", "*** Test killed with quit: ran too long (11m0s)."),
        ("panic: boom\n\ngoroutine 1 [running]:\n", "panic: boom"),
        ("BenchmarkB-8 \tpanic: boom\nFAIL\ta\t0.1s\n", "panic: boom, FAIL a 0.1s"),
    ] {
        let (series, notes) = noted("go.txt", &format!("BenchmarkA-8 100 10 ns/op\n{text}"));
        assert_eq!(series, [one("BenchmarkA-8", "ns", &[10.0])]);
        let wanted = format!("the run failed, so benchmarks can be missing: {wanted}");
        assert!(notes.lines().any(|line| line == wanted), "{wanted}: {notes}");
    }
}

#[test]
fn tables_without_samples_say_why() {
    refused(&[
        ("x.csv", "ms\n0x10\n0x20\n", "no samples: column \"ms\" contains text, such as \"0x10\""),
        ("x.csv", "name,note\na,b\n", "no samples: column \"note\" contains text, such as \"b\""),
        ("x.csv", "ns,us\n", "no samples: no row below the header (\"ns\", \"us\")"),
        ("x.csv", "# nothing\n", "no samples: no rows"),
    ]);
    let (series, notes) = noted("x.csv", "label,a_ns,b_ns,\n,1,,\n,2,,\n");
    assert_eq!(series, [one("a_ns", "ns", &[1.0, 2.0])]);
    assert_eq!(notes, "\"label\" has no samples\n\"b_ns\" has no samples");
}

#[test]
fn two_lists_need_names_unless_they_are_criterions() {
    assert_eq!(all("sample.json", "[[10,20,30],[100,240,300]]"), [one("sample", "ns", &[10.0, 12.0, 10.0])]);
    assert_eq!(all("sample.json", "[[7,7],[70,77]]"), [one("sample", "ns", &[10.0, 11.0])]);
    for text in ["[[1.5,2.5],[1.6,2.6]]", "[[100,101],[110,111]]", "[[0,1],[1,2]]", "[[1,\"x\"],[1,2]]"] {
        refused(&[("sample.json", text, "a list of lists (2) without names; name them")]);
    }
    // In other files, the times must grow with the numbers of iterations.
    assert_eq!(all("x.json", "[[10,20,30],[100,210,300]]"), [one("x", "ns", &[10.0, 10.5, 10.0])]);
    refused(&[
        ("x.json", "[[1,2,3],[4,5,6]]", "a list of lists (2)"),
        ("x.json", "[[7,7],[70,77]]", "a list of lists (2)"),
        ("x.json", "[[1,2],[3,4],[5,6]]", "a list of lists (3)"),
    ]);
}

#[test]
fn printed_summaries_of_more_tools_are_recognised() {
    refused(&[
        (
            "x.txt",
            "      sign    verify    sign/s verify/s\nrsa 2048 bits 0.0006s 0.00002s 1665.9 56000.1\n",
            "openssl",
        ),
        ("x.txt", "Doing ML-KEM-768 keygen ops for 10s: 300000 ML-KEM-768 KEM keygen ops in 9.99s\n", "openssl"),
        (
            "x.txt",
            "# JMH version: 1.37\nBenchmark Mode Cnt Score Error Units\na.b avgt 5 1.0 ± 0.1 ns/op\n",
            "-rf json",
        ),
        ("x.txt", "Benchmark  Mode  Cnt  Score  Units\na.b  avgt  5  1.0  ns/op\n", "-rf json"),
        ("x.txt", "--- benchmark: 1 tests ---\nName (time in ms)  Min  Max\n", "--benchmark-save-data"),
        ("x.txt", "\nreal\t0m1.234s\nuser\t0m1.0s\nsys\t0m0.1s\n", "the output of `time`"),
        ("x.txt", "real 1.23\nuser 1.00\nsys 0.10\n", "the output of `time`"),
        ("x.txt", "0.00user 0.00system 0:01.00elapsed 99%CPU (0avgtext)\n", "the output of `time`"),
        ("x.csv", "5.10,msec,task-clock,5100,100.00,0.9,CPUs utilized\n123,,cycles,5100,100.00,,\n", "perf stat"),
        ("x.txt", "  1.234,56 msec task-clock\n 1.234.567 cycles\n", "perf stat"),
        ("x.txt", "       │   a.txt    │\n       │   sec/op   │\nA-8      1.2µ ± 1%\n", "benchstat"),
        ("x.txt", "Running 30s test @ http://x\n  Thread Stats   Avg   Stdev\n    Latency 1.0ms 2ms\n", "wrk"),
        ("x.txt", "This is ApacheBench, Version 2.3\nRequests per second: 12 [#/sec] (mean)\n", "ab -g"),
        ("x.txt", "Timer precision: 20 ns\nx     fastest  │ slowest │ median\n├─ a  1.2 ns  │ 2 ns │ 1 ns\n", "divan"),
        ("x.txt", "bench_a\n  Instructions: 12\n  Estimated Cycles: 120\n", "iai"),
        ("x.txt", "sysbench 1.0\nGeneral statistics:\n    total number of events: 7\n", "sysbench"),
        ("x.txt", "benchmark name   samples  iterations  est run time\n  mean  low mean\n", "Catch2"),
        ("x.json", r#"{"results":[{"name":"a","median(elapsed)":1.5,"measurements":[{"elapsed":1}]}]}"#, "nanobench"),
        ("x.json", r#"{"benchmarks":[{"alias":"a","runs":[{"stats":{"samples":[1,2]}}]}]}"#, "mitata"),
        ("x.json", r#"{"files":[{"filepath":"a","groups":[]}]}"#, "vitest"),
        ("x.json", r#"{"summary":{},"responseTimeHistogram":{}}"#, "oha"),
    ]);
    // Columns with these names are samples.
    assert_eq!(all("x.csv", "user,sys,real\n1,2,3\n").len(), 3);
}

#[test]
fn percentiles_are_not_samples() {
    refused(&[
        (
            "x.csv",
            "Percentage served,Time in ms\n0,1.0\n50,2.0\n",
            "a table of percentiles (column \"Percentage served\")",
        ),
        ("x.csv", "Percentile,Value,Count\n0.5,10,1\n0.9,20,2\n", "a table of percentiles (column \"Percentile\")"),
        ("x.csv", "\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n1,0,1,1\n", "percentiles"),
    ]);
    assert!(read("x.csv", "Percentile,Value\n0.5,10\n", Some("Value")).is_ok());
}

#[test]
fn rows_of_failed_operations_are_left_out() {
    let (series, notes) = noted("x.csv", "ms,exit_code\n10,0\n11,1\n12,0\n13,137\n14,1\n");
    assert_eq!(series, [one("ms", "ms", &[10.0, 12.0])]);
    assert_eq!(notes, "left out failed rows (3 of 5): column \"exit_code\" contains 1, 137");
    let (series, notes) = noted("x.csv", "ms;Status;error\n10;ok;\n11;Success;\n12;;timeout\n13;timeout;\n");
    assert_eq!(series, [one("ms", "ms", &[10.0, 11.0])]);
    for wanted in [
        "left out failed rows (1 of 4)",
        "\"error\" contains timeout",
        "left out failed rows (1 of 3)",
        "\"Status\" contains timeout",
    ] {
        assert!(notes.contains(wanted), "{wanted}: {notes}");
    }
    assert_eq!(all("x.csv", "ms,status-code\n10,200\n11,500\n"), [one("ms", "ms", &[10.0])]);
    assert!(noted("x.csv", "ms,rc\n10,0\n11,0\n").1.contains("left out column \"rc\", because no row failed"));
    // Fractions are measurement errors, and the errors name lines of the file.
    assert_eq!(all("x.csv", "ms,error\n10,0.5\n11,1\n").len(), 2);
    refused(&[
        ("x.csv", "ms,rc\n10,1\n", "no samples: left out failed rows (1 of 1)"),
        ("x.csv", "ms,rc\n10,1\n11,0\n12,0\nx,0\n", "row 5, column \"ms\": \"x\" is not a number"),
    ]);
}

#[test]
fn skipped_entries_can_have_words_and_negative_times_are_noted() {
    let text = r#"{"benchmarks":[{"name":"a","skipped":"SKIPPED_WITH_MESSAGE","real_time":0},
        {"name":"a","skipped":false,"real_time":5},{"name":"a","skipped":null,"real_time":-6}]}"#;
    let (series, notes) = noted("x.json", text);
    assert_eq!(series, [one("a", "ns", &[5.0, -6.0])]);
    assert!(notes.contains("left out skipped entries (1 of 3): a (SKIPPED_WITH_MESSAGE)"), "{notes}");
    assert!(notes.contains("negative samples of \"a\": 1 of 2"), "{notes}");
    assert!(noted("x.csv", "ms\n-1\n-2\n3\n").1.contains("negative samples of \"ms\": 2 of 3"));
}

#[test]
fn assumed_units_and_other_metrics_are_noted() {
    let text = r#"{"benchmarks":[{"name":"a","real_time":1},{"name":"b","real_time":2,"time_unit":"us"}]}"#;
    let (series, notes) = noted("x.json", text);
    assert_eq!(series, [one("a", "ns", &[1.0]), one("b", "us", &[2.0])]);
    assert_eq!(notes, "entries without \"time_unit\" (1 of 2) are read as ns, the default");
    let metric = r#"{"scoreUnit":"us/op","rawData":[[1]]}"#;
    let text = format!(r#"[{{"benchmark":"m","primaryMetric":{metric},"secondaryMetrics":{{"gc.count":{metric}}}}}]"#);
    assert_eq!(noted("x.json", &text).1, "left out JMH's secondary metrics: gc.count");
    assert_eq!(all("x.csv", "ns,\n1,2\n2,4\n")[1], one("column 2", "", &[2.0, 4.0]));
    assert_eq!(all("x.csv", "ns,\n1,\n2,\n"), [one("ns", "ns", &[1.0, 2.0])]);
}

#[test]
fn modes_of_one_jmh_benchmark_are_different_series() {
    let entry = |name: &str, mode: &str, unit: &str| {
        format!(r#"{{"benchmark":"{name}","mode":"{mode}","primaryMetric":{{"scoreUnit":"{unit}","rawData":[[1]]}}}}"#)
    };
    let text = [entry("a", "avgt", "ns/op"), entry("a", "thrpt", "ops/ms"), entry("b", "avgt", "ns/op")].join(",");
    let expected = [one("a [mode=avgt]", "ns", &[1.0]), one("a [mode=thrpt]", "op/ms", &[1.0]), one("b", "ns", &[1.0])];
    assert_eq!(all("x.json", &format!("[{text}]")), expected);
}

#[test]
fn samples_whose_squares_overflow_are_refused() {
    refused(&[
        ("x.json", "[1, 1e200]", "\"x\": value 2 is 1e200; pqlab computes with values from 1e-150 to 1e150"),
        ("x.json", "[1, -1e151]", "value 2 is -1e151"),
        ("x.csv", "a\n1\n1e-200\n", "\"a\": value 2 is 1e-200"),
    ]);
    assert_eq!(all("x.json", "[0, 1e150, -1e-150]").len(), 1);
}

#[test]
fn epochs_and_row_numbers_are_not_samples() {
    let expected = [one("ttime", "", &[12.5, 13.25, 11.0])];
    let table = "starttime\tseconds\tttime\nFri Nov 27\t1732700000\t12.5\nSat Nov 28\t1732700001\t13.25\n\
                 Sun Nov 29\t1732700001\t11\n";
    let (series, notes) = noted("ab.tsv", table);
    assert_eq!(series, expected, "{notes}");
    assert!(notes.contains("\"seconds\""), "{notes}");
    for (head, moments) in [
        ("t,ttime", ["1732700000123", "1732700000456", "1732700000789"]),
        ("when,ttime", ["2026-11-27T10:00:00Z", "2026-11-27T10:00:01Z", "2026-11-27T10:00:02Z"]),
        ("sample,ttime", ["7", "9", "11"]),
        ("try,ttime", ["0", "1", "2"]),
    ] {
        let [a, b, c] = moments;
        assert_eq!(all("x.csv", &format!("{head}\n{a},12.5\n{b},13.25\n{c},11\n")), expected, "{head}");
    }
    refused(&[("x.csv", "time_ms\n1732700000123\n1732700000456\n", "contains points in time")]);
    // Durations of more than a second, in ns
    assert_eq!(all("x.csv", "ns\n1200000000\n1210000000\n"), [one("ns", "ns", &[1.2e9, 1.21e9])]);
}

#[test]
fn numbers_that_repeat_for_each_operation_are_parameters() {
    let series = all("x.csv", "alg,n,t\nA,2,1.5\nA,2,1.25\nA,4,2.5\nA,4,2.25\nB,2,3.5\nB,2,3.25\nB,4,4.5\nB,4,4.25\n");
    let names: Vec<&str> = series.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(names, ["A [n=2]: t", "A [n=4]: t", "B [n=2]: t", "B [n=4]: t"]);
    // Two columns of samples, one of whole numbers.
    assert_eq!(all("x.csv", "old,new\n100,99.5\n101,98.5\n100,99.25\n").len(), 2);
    assert_eq!(all("x.csv", "old_ns,new_ns\n100,99.5\n100,98.5\n101,99.5\n101,98.5\n").len(), 2);
}

#[test]
fn the_unit_of_a_row_applies_to_its_series() {
    let (series, notes) =
        noted("x.csv", "metric,value,unit\ntime,1.5,us\ntime,1500,ns\nmemory,2,KiB\nmemory,1024,bytes\n");
    assert_eq!(series, [one("time: value", "us", &[1.5, 1.5]), one("memory: value", "KiB", &[2.0, 1.0])], "{notes}");
    assert_eq!(all("x.csv", "timeNs\n1500\n1600\n"), [one("timeNs", "ns", &[1500.0, 1600.0])]);
}

#[test]
fn measurements_of_benchmark_dot_net_are_times_per_operation() {
    let head = "Target;Target_Type;Target_Method;Job_Display;Params;Measurement_IterationMode;\
                Measurement_IterationStage;Measurement_IterationIndex;Measurement_Nanoseconds;Measurement_Operations";
    let row = |mode: &str, stage: &str, ns: u32| format!("K.S;K;S;Default;Size=16;{mode};{stage};1;{ns};100\n");
    let actual = row("Overhead", "Actual", 900) + &row("Workload", "Pilot", 77) + &row("Workload", "Actual", 32_100);
    let table = format!("{head}\n{actual}{}", row("Workload", "Result", 31_200));
    let (series, notes) = noted("x-measurements.csv", &table);
    assert_eq!(series, [one("K S Size=16", "ns", &[312.0])]);
    assert!(notes.contains("workload rows in stage Result (3 of 4)"), "{notes}");
    assert_eq!(all("x.csv", &format!("{head}\n{actual}")), [one("K S Size=16", "ns", &[321.0])]);
}

#[test]
fn configuration_lines_of_go_divide_the_results() {
    let text = "goos: linux\ncpu: X\nimpl: avx2\nBenchmarkA-2 10 5 ns/op\nimpl: ref\nBenchmarkA-2 10 9 ns/op\n";
    let expected = [one("BenchmarkA-2 [impl=avx2]", "ns", &[5.0]), one("BenchmarkA-2 [impl=ref]", "ns", &[9.0])];
    assert_eq!(all("x.txt", text), expected);
    assert_eq!(all("x.txt", "impl: a\nBenchmarkA 10 5 ns/op\n"), [one("BenchmarkA", "ns", &[5.0])]);
}

#[test]
fn metrics_of_k6_are_divided_by_name() {
    let table = "metric_name,timestamp,metric_value,check,error,error_code,method,status\n\
                 http_req_duration,1595325560,221.5,,,,GET,200\nhttp_req_blocked,1595325560,2.5,,,,GET,200\n\
                 http_req_duration,1595325561,219.5,,,,GET,200\nhttp_req_duration,1595325562,9.5,,dial,1210,GET,0\n";
    let (series, notes) = noted("k6.csv", table);
    let names: Vec<&str> = series.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(names, ["http_req_duration GET: metric_value", "http_req_blocked GET: metric_value"], "{notes}");
    assert_eq!(series[0].2, [221.5, 219.5]);
}

#[test]
fn control_characters_in_names_are_escaped() {
    assert_eq!(
        all("x.csv", "alg,t_ns\n\u{1b}[31mA,1\n\u{1b}[31mA,2\n"),
        [one("\\u{1b}[31mA: t_ns", "ns", &[1.0, 2.0])]
    );
}

#[test]
fn text_that_is_the_same_in_all_rows_is_noted() {
    let (series, notes) = noted("x.csv", "commit,alg,ns\nabc,A,1\nabc,A,2\nabc,B,3\n");
    assert_eq!(series, [one("A: ns", "ns", &[1.0, 2.0]), one("B: ns", "ns", &[3.0])]);
    assert!(notes.contains("columns with the same value in all rows: \"commit\" is \"abc\""), "{notes}");
}

#[test]
fn rates_are_units() {
    let (series, notes) = noted("x.csv", "MB/s,enc cycles/byte,B/op,J/op\n500,3.5,64,7\n510,3.25,65,8\n");
    let expected = [
        one("MB/s", "MB/s", &[500.0, 510.0]),
        one("enc cycles/byte", "cycles/byte", &[3.5, 3.25]),
        one("B/op", "byte", &[64.0, 65.0]),
        one("J/op", "", &[7.0, 8.0]),
    ];
    assert_eq!(series, expected);
    assert_eq!(notes, "column \"J/op\": \"J/op\" is not understood as a unit, so the samples have no unit");
    assert_eq!(all("x.csv", "x\n500 MB/s\n0.5 GB/s\n"), [one("x", "MB/s", &[500.0, 500.0])]);
    refused(&[("x.csv", "x\n500 MB/s\n3 ms\n", "\"3 ms\" cannot be converted to \"MB/s\"")]);
}

#[test]
fn unknown_units_are_noted() {
    let (series, notes) = noted("x.csv", "alg,value,unit\nA,1,fortnight\nA,2,fortnight\n");
    assert_eq!(series, [one("A: value", "", &[1.0, 2.0])]);
    assert!(notes.contains("\"fortnight\" is not understood as a unit"), "{notes}");
    for name in ["time_10ns", "cycles_k", "ns x 100"] {
        let (series, notes) = noted("x.csv", &format!("{name}\n1\n2\n"));
        assert_eq!(series, [one(name, "", &[1.0, 2.0])]);
        assert!(notes.contains("is not understood as a unit, so the samples have no unit"), "{name}: {notes}");
    }
    let head = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n";
    let (series, notes) = noted("raw.csv", &format!("{head}g,f,,,,20,moons,2\n"));
    assert_eq!(series, [one("g/f", "", &[10.0])]);
    assert!(notes.contains("\"moons\" is not understood"), "{notes}");
    let (series, notes) = noted("x.json", r#"{"t (10^3 ns)":[1],"u":[2]}"#);
    assert!(series.iter().all(|one| one.1.is_empty()) && notes.contains("\"10^3 ns\" is not understood"), "{notes}");
}

#[test]
fn whole_numbers_without_a_unit_can_be_samples() {
    let (series, notes) = noted("x.csv", "old,new\n20,31\n21,31\n20,32\n22,32\n");
    assert_eq!(
        series,
        [one("old", "", &[20.0, 21.0, 20.0, 22.0]), one("new", "", &[31.0, 31.0, 32.0, 32.0])],
        "{notes}"
    );
    let (series, notes) = noted("x.csv", "alg,core,ns\nA,0,10\nA,0,11\nA,1,20\nA,1,21\n");
    assert_eq!(series.len(), 2);
    assert!(notes.contains("divide the rows into series: \"core\"; to read one as samples"), "{notes}");
    // Sizes follow from the name.
    let sizes = "alg,pk,keygen\nA,800,10\nA,800,11\nB,900,20\nB,900,21\n";
    assert_eq!(all("x.csv", sizes)[1], one("B [pk=900]: keygen", "", &[20.0, 21.0]));
}

#[test]
fn numbers_without_a_header_are_never_split() {
    for text in [
        "2,345.5\n2,346.5\n",
        "3,456,789.5\n3,456,790.5\n",
        "2.345,5\n2.346,5\n",
        "7,5 ms\n7,75 ms\n",
        "1,5e2\n1,75e2\n",
        "1,5E-03\n1,75E-03\n",
        "2\u{202f}345,5\n2\u{202f}346,5\n",
        "2\u{a0}345,5\n2\u{a0}346,5\n",
        "2 345,5\n2 346,5\n",
        "23 456.5\n23 457.5\n",
    ] {
        refused(&[("x.txt", text, "columns or one number with")]);
    }
    refused(&[("x.csv", "2,345.5\n999.5\n", "decimal comma?")]);
    for gap in ['\u{a0}', '\u{202f}', '\u{2009}'] {
        assert_eq!(all("x.txt", &format!("2{gap}345\n2{gap}346.5\n")), [one("x", "", &[2345.0, 2346.5])]);
    }
    assert_eq!(all("x.csv", "1.5,2\n1.75,3\n").len(), 2);
    assert_eq!(all("x.csv", "1,1234.5\n2,1235.5\n").len(), 2);
}

#[test]
fn rows_of_summaries_and_warm_ups_are_left_out() {
    let expected = [one("ns", "ns", &[50.0, 60.0])];
    for (table, count) in [
        ("run,ns\n1,50\n2,60\nmean,55\nstddev,5\n", "2 of 4"),
        ("run,ns\nwarm-up,90\n1,50\n2,60\n", "1 of 3"),
        ("iteration;ns\n1;50\n2;60\nMin;50\nMedian;55\n75%;58\n", "3 of 5"),
        (",ns\n0,50\n1,60\nTotal,110\n", "1 of 3"),
        ("Lauf;ns\n1;50\n2;60\nMittelwert;55\n", "1 of 3"),
    ] {
        let (series, notes) = noted("x.csv", table);
        assert_eq!(series, expected, "{table}");
        assert!(notes.contains(&format!("left out rows with warm-ups or summaries ({count})")), "{table}: {notes}");
    }
    let table = "alg,run,ns\nA,1,50\nA,2,60\nA,avg,55\nB,1,5\nB,2,6\nB,avg,5.5\n";
    assert_eq!(all("x.csv", table), [one("A: ns", "ns", &[50.0, 60.0]), one("B: ns", "ns", &[5.0, 6.0])]);
    let table = "name,ns\nenc,1\nenc,2\nenc_mean,1.5\nenc_max,2\ndec,3\ndec,4\ndec_mean,3.5\ndec_max,4\n";
    let (series, notes) = noted("x.csv", table);
    assert_eq!(series.len(), 2, "{notes}");
    assert_eq!(all("x.csv", "mode,ns\ncold,9\ncold,8\nwarm,1\nwarm,2\n").len(), 2);
    // An operation can be called `mean`.
    assert_eq!(all("x.csv", "function,ns\nmean,1\nmean,2\nmax,3\nmax,4\n").len(), 2);
    let describe = ",ns\ncount,9\nmean,5\nstd,1\nmin,3\n25%,4\n50%,5\n75%,6\nmax,7\n";
    refused(&[
        ("x.csv", describe, "pandas' describe()"),
        ("x.csv", "statistic,ns\ncount,9\nmean,5\nstd,1\nmin,3\nmax,7\n", "pandas' describe()"),
    ]);
    // Numbers of warm-up runs mark no rows.
    assert_eq!(all("x.csv", "warmup_runs,ns\n3,50\n3,60\n"), expected);
    assert_eq!(all("x.csv", "warmup,ns\n1,90\n0,50\n0,60\n"), expected);
}

#[test]
fn units_in_fields_of_json_apply_to_the_lists() {
    assert_eq!(all("x.json", r#"{"unit":"us","dec":[1.5],"enc":[2]}"#)[0], one("dec", "us", &[1.5]));
    assert_eq!(
        all("x.json", r#"{"units":{"enc":"ms","dec":"us"},"enc":[1],"dec":[2]}"#),
        [one("dec", "us", &[2.0]), one("enc", "ms", &[1.0])]
    );
    assert_eq!(all("x.json", r#"{"name":"sign","unit":"ms","samples":[1,2]}"#), [one("sign", "ms", &[1.0, 2.0])]);
    assert_eq!(all("x.json", r#"{"unit":"us","cycles":[1]}"#), [one("cycles", "cycles", &[1.0])]);
    let (_, notes) = noted("x.json", r#"{"unit":"moons","enc":[1,2]}"#);
    assert!(notes.contains("\"enc\": \"moons\" is not understood as a unit"), "{notes}");
    refused(&[
        ("x.json", r#"{"unit":"us","enc_ns":[1]}"#, "the name contains the unit ns, but the file states \"us\""),
        ("x.json", r#"{"kem":{"enc":[1,2]}}"#, "the lists are inside the field \"kem\""),
        ("x.json", r#"[{"alg":"a","ns":1}]"#, "a list of objects (1), which pqlab does not read: collect"),
        ("x.json", r#"[{"command":"a","times":[1]}]"#, "`jq 'map(.times[])'`"),
    ]);
}

#[test]
fn throughput_of_several_operations_is_refused() {
    let loads = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        fs::write(&path, text).unwrap();
        let file = read_samples(&path, None).unwrap();
        let Samples::Loads(loads) = file.samples else { panic!("{text}") };
        (loads, file.notes.join("\n"))
    };
    refused(&[
        ("x.csv", "alg,concurrency,operations,seconds\nA,1,10,1\nB,1,20,1\n", "column \"alg\" contains A, B"),
        ("x.csv", "concurrency,operations,seconds,size\n1,10,1,64\n1,20,1,128\n", "column \"size\" contains 64, 128"),
        ("x.csv", "concurrency;operations;seconds\n1;2.000;1,5\n", "mixes decimal commas"),
        ("x.csv", "concurrency,operations,seconds\n1,10,x\n", "\"x\" is not a number"),
        ("x.csv", "concurrency,operations,seconds,ok\n1,10,1,false\n", "contains no samples: left out failed rows"),
    ]);
    let (found, notes) = loads("concurrency,operations,seconds,errors,host\n1,10,1,0,a\n2,15,1,3,a\n");
    assert_eq!(found, [Load { concurrency: 1, operations: 10, seconds: 1.0 }]);
    assert_eq!(notes, "left out failed rows (1 of 2): column \"errors\" contains 3\nleft out columns (1): \"host\"");
    let (found, notes) = loads("concurrency,operations,seconds,threads\n1,10,1,2\n2,15,1,4\n");
    assert_eq!((found.len(), notes.as_str()), (2, "left out columns (1): \"threads\""));
    let (found, notes) = loads("concurrency;operations;seconds\n1;10;1,5\n2;15;1,25\n");
    assert_eq!((found[1].seconds, notes.as_str()), (1.25, "read commas as decimal commas"));
}

#[test]
fn columns_of_samples_are_never_replaced_by_row_numbers() {
    refused(&[
        ("x.csv", "Run;Zeit [ms]\n1;9,5\n2;#N/A\n3;#DIV/0!\n", "row 3, column \"Zeit [ms]\": \"#N/A\" is not a number"),
        ("x.csv", "id,latency\n7,12\n8,error: a\n9,error: b\n", "\"error: a\" is not a number"),
        ("x.csv", "n,time\n1,9 ms\n2,lost\n3,lost\n", "\"lost\" is not a number"),
        ("x.csv", "ns\n100\n#N/A\n#VALUE!\n", "row 3, column \"ns\": \"#N/A\" is not a number"),
        ("x.csv", "iteration,host\n1,a\n2,b\n3,c\n", "contains no samples"),
    ]);
    assert_eq!(all("x.csv", "iteration\n5\n6\n"), [one("iteration", "", &[5.0, 6.0])]);
    assert_eq!(all("x.csv", "ns\n100\n#N comment\n110\n"), [one("ns", "ns", &[100.0, 110.0])]);
}

#[test]
fn percentages_do_not_divide_the_rows() {
    let (series, notes) = noted("x.csv", "seconds,cpu\n0.5,98%\n0.6,97%\n0.7,98%\n");
    assert_eq!(series, [one("seconds", "s", &[0.5, 0.6, 0.7])]);
    assert_eq!(notes, "left out columns of percentages: \"cpu\"");
}

#[test]
fn a_series_of_any_table_is_chosen_by_name() {
    let table = "alg,threads,ns\nA,1,10\nA,1,11\nA,2,20\nA,2,21\n";
    let Samples::Series(found) = read("x.csv", table, Some("A [threads=2]: ns")).unwrap() else { panic!() };
    assert_eq!((found.len(), &found[0].samples[..]), (1, &[20.0, 21.0][..]));
    let error = read("x.csv", table, Some("A [threads=4]: ns")).unwrap_err();
    assert!(error.contains("available: alg, threads, ns, A [threads=1]: ns"), "{error}");
}

#[test]
fn verbose_output_of_go_names_only_unfinished_benchmarks() {
    let text =
        "BenchmarkA\nBenchmarkA-2 \t 10 5 ns/op\nBenchmarkB\nBenchmarkB/x\nBenchmarkB/x-2 \t 10 6 ns/op\nBenchmarkC\n";
    let (series, notes) = noted("go.txt", text);
    assert_eq!(series.len(), 2);
    assert_eq!(notes, "unfinished benchmarks (1): BenchmarkC");
    let (_, notes) = noted("go.txt", "BenchmarkA\nBenchmarkA \t 10 5 ns/op\n");
    assert_eq!(notes, "");
    assert_eq!(all("go.txt", "BenchmarkA 10 9 sign/s 5 ns/op\n"), [one("BenchmarkA", "ns", &[5.0])]);
}

#[test]
fn outputs_without_samples_are_named() {
    refused(&[
        (
            "x.json",
            r#"{"reason":"benchmark-complete","id":"a","iteration_count":[1],"measured_values":[2]}"#,
            "cargo-criterion",
        ),
        ("x.csv", "\"title\";\"name\";\"unit\";\"batch\";\"elapsed\"\n\"t\";\"a\";\"op\";1;1.5\n", "nanobench"),
        (
            "x.csv",
            "Group,Experiment,Problem Space,Samples,Iterations,Baseline,us/Iteration\na,b,0,3,9,1,2.5\n",
            "Celero",
        ),
        ("x.txt", "+H:64\n+F:6:sha512:303.5\n", "openssl"),
        ("x.txt", "+F2:0:rsa:2048:0.0006:0.00002\n", "openssl"),
        ("x.data", "2026 host amd64 crypto_sign 2025 falcon sign_cycles 900 +1-2 gcc\n", "SUPERCOP"),
        ("x.adoc", "[cols=\"<,>\"]\n|===\n| Command | Mean [ms]\n\n| `a`\n| 1\n|===\n", "hyperfine"),
        ("x.org", "| Command  |  Mean [ms] | Relative |\n|--+--+--|\n| =a= | 1 | 1 |\n", "hyperfine"),
        ("x.txt", "a\n-\n\nMean +- std dev: 1.5 us +- 0.1 us\n", "-o FILE"),
        ("x.txt", "a\n-\n\nRun 1: 1 warmup, 1 value, 20 loops\n- value 1: 1.5 us\n", "-o FILE"),
        ("x.json", "{\"counter-value\" : \"1\", \"unit\" : \"msec\", \"event\" : \"task-clock\"}\n", "perf stat"),
        ("x.csv", "# started on Mon\n\n 0.1;0.9;msec;task-clock;99;100.00\n 0.1;5;;cycles;99;100.00\n", "perf stat"),
        ("x.json", r#"[{"name":"a","result":{"latency":{"mean":1}}}]"#, "tinybench"),
        ("x.json", r#"[{"Task name":"a","Samples":9}]"#, "tinybench"),
        ("x.txt", "a x 59,154 ops/sec ±2.32% (8 runs sampled)\n", "benchmark.js"),
        ("x.csv", "goos: linux\n,a.txt\n,sec/op,CI\nA-4,1.2e-05,1%\n", "benchstat"),
        ("x.txt", "goos: linux\n  │ a.txt │\n  │ sec/op │\nA-4 12µ ± 1%\n", "benchstat"),
    ]);
}

#[test]
fn notes_on_failed_rows_do_not_contradict_each_other() {
    let (_, notes) = noted("x.csv", "ms,status,success\n1,200,true\n2,200,false\n3,200,true\n");
    assert!(notes.contains("column \"success\" contains false"), "{notes}");
    assert!(notes.contains("left out column \"status\", because no other row failed"), "{notes}");
}
