//! Recognizes files of other tools that contain no samples, and suggests which file to use instead.

use serde_json::Value;

/// Lists of fields that identify JSON files without samples, each with the reason for rejecting the file.
const OBJECTS: [(&[&str], &str); 18] = [
    (&["reason", "iteration_count", "measured_values"], CARGO_CRITERION),
    (&["reason", "group_name"], CARGO_CRITERION),
    (&["counter-value", "event"], PERF),
    (
        &["mean", "median", "std_dev"],
        "criterion's estimates.json, a summary; pass sample.json from the same folder instead",
    ),
    (
        &["group_id", "full_id"],
        "criterion's benchmark.json, which describes a benchmark; pass sample.json from the same folder instead",
    ),
    (
        &["commit_hash", "env_name", "results"],
        "a result file of asv, which pqlab does not read; record samples with `asv run --record-samples` and write the \
         \"samples\" of a benchmark as a list: [1.2, 1.3]",
    ),
    (
        &["commit_hash", "params", "requirements"],
        "a result file of asv, which pqlab does not read; record samples with `asv run --record-samples` and write the \
         \"samples\" of a benchmark as a list: [1.2, 1.3]",
    ),
    (&["summary", "responseTimeHistogram"], "oha's summary; it has no samples"),
    (&["name", "benchmarks", "base"], "critcmp's summary; pass criterion's sample.json instead"),
    (
        &["lastUpdate", "repoUrl", "entries"],
        "the history of github-action-benchmark, which has one summary value per commit; give the benchmark program's \
         own output to pqlab",
    ),
    (
        &["HostEnvironmentInfo", "Benchmarks"],
        "BenchmarkDotNet's JSON, which pqlab does not read; write the \"OriginalValues\" of a benchmark as a list: \
         [1.2, 1.3]",
    ),
    (&["root_group", "metrics"], "k6's summary; export the samples with `k6 run --out csv=FILE`"),
    (
        &["latencies", "requests", "rate"],
        "vegeta's summary; write a line `ns`, then the latencies from `vegeta encode --to csv | cut -d, -f3`",
    ),
    (&["schema", "runs"], "a list of pqlab's runs; use `pqlab runs` or `pqlab compare`"),
    (&["schema", "cases"], "a run of pqlab; import it with `pqlab import` and compare runs with `pqlab compare`"),
    (&["schema", "results"], "a run of pqlab; import it with `pqlab import` and compare runs with `pqlab compare`"),
    (&["schema", "environment"], "a run of pqlab; import it with `pqlab import` and compare runs with `pqlab compare`"),
    (&["sampling_mode", "mean"], "criterion's summary; pass sample.json from the same folder instead"),
];

/// JSON pointers that identify files in formats that pqlab does not read, each with the reason for rejecting the file.
const NESTED: [(&str, &str); 8] = [
    ("/0/latency/rme", TINYBENCH),
    ("/0/result/latency", TINYBENCH),
    ("/0/result/hz", TINYBENCH),
    ("/0/Task name", TINYBENCH),
    (
        "/0/stats/sample",
        "benchmark.js's JSON, which pqlab does not read; write the \"sample\" of a benchmark as a list: [1.2, 1.3]",
    ),
    (
        "/results/0/median(elapsed)",
        "nanobench's JSON, which pqlab does not read; write the \"elapsed\" of each of the \"measurements\" as a list: \
         [1.2, 1.3]",
    ),
    (
        "/benchmarks/0/runs/0/stats",
        "mitata's JSON, which pqlab does not read; write the \"samples\" of a benchmark as a list: [1.2, 1.3]",
    ),
    (
        "/files/0/groups",
        "vitest's JSON, which pqlab does not read; write the \"samples\" of a benchmark as a list: [1.2, 1.3]",
    ),
];

/// Reason for rejecting cargo-criterion's messages.
pub(in crate::samples) const CARGO_CRITERION: &str =
    "cargo-criterion's messages; give target/criterion/NAME/new/sample.json to pqlab";
const TINYBENCH: &str =
    "tinybench's JSON, which pqlab does not read; write the \"samples\" of a task's \"latency\" as a list: [1.2, 1.3]";
const BENCHSTAT: &str = "benchstat's summary table; pass the output of `go test -bench=. -count=10` instead";
const HYPERFINE: &str = "hyperfine's printed table; export the times with --export-json";
const PYPERF: &str = "pyperf's printed output; pass the JSON file that `-o FILE` writes";
const SUPERCOP: &str = "SUPERCOP's data, which has a median and differences from it; write the cycles of an operation \
                        on lines, below the header cycles";
const OPENSSL: &str = "the summary of `openssl speed`, which has one value per algorithm";
const JMH: &str = "JMH's printed summary; export the samples with -rf json";
const TIME: &str = "the output of `time`; write the seconds of each run on a line, or use hyperfine with --export-json";
pub(in crate::samples) const PERF: &str =
    "the counters of `perf stat`; write the value of each run on a line, below a header such as ns";

/// Lists of words that identify text files without samples, each with the reason for rejecting the file.
const TEXTS: [(&[&str], &str); 56] = [
    (&["sec/op", "vs base"], BENCHSTAT),
    (&["Mean +- std dev:"], PYPERF),
    (&["Benchmark hidden because not significant"], PYPERF),
    (&["- value 1:", " loops"], PYPERF),
    (&["Number of value per run:"], PYPERF),
    (&["+===", "| Benchmark "], PYPERF),
    (&["msec", "task-clock"], PERF),
    (&[" crypto_", "_cycles "], SUPERCOP),
    (&[" crypto_", " try "], SUPERCOP),
    (&["|===", "| Command"], HYPERFINE),
    (
        &["ops/sec ±", "runs sampled)"],
        "benchmark.js's printed summary; write the samples of a benchmark as a list: [1.2, 1.3]",
    ),
    (&["\"counter-value\"", "\"event\""], PERF),
    (&[";msec;task-clock"], PERF),
    (&[";;cycles;"], PERF),
    (&[";;instructions;"], PERF),
    (&["window.BENCHMARK_DATA"], "the history of github-action-benchmark, which has one summary value per commit"),
    (&["sec/op", "±"], BENCHSTAT),
    (&["time/op", "±"], BENCHSTAT),
    (&["time/op", "delta"], BENCHSTAT),
    (&["sec/op,CI"], BENCHSTAT),
    (&["Time (mean ± σ)"], "hyperfine's printed summary; export the times with --export-json"),
    (&["| Command |", "| Mean"], "hyperfine's Markdown summary; export the times with --export-json"),
    (&["| Command ", "| Relative |"], HYPERFINE),
    (&["time:   ["], "criterion's printed summary; pass target/criterion/NAME/new/sample.json instead"),
    (&["ns/iter (+/-"], "the summary of `cargo bench`; it has no samples"),
    (&["Time (us): mean"], "the summary table of liboqs's speed programs; it has no samples"),
    (&["Iterations", "real_time", "---"], "Google Benchmark's printed table; use --benchmark_format=json"),
    (&["Benchmark", "Time", "CPU", "Iterations\n---"], "Google Benchmark's printed table; use --benchmark_format=json"),
    (&["sign/s verify/s"], OPENSSL),
    (&["keygens/s "], OPENSSL),
    (&["Doing ", " ops for "], OPENSSL),
    (&["in 1000s of bytes per second"], OPENSSL),
    (&["+H:16:64"], OPENSSL),
    (&["Doing ", " size blocks"], OPENSSL),
    (&["# JMH version"], JMH),
    (&["Mode", "Cnt", "Score", "Units"], JMH),
    (
        &["Name (time in "],
        "pytest-benchmark's printed summary; export the samples with --benchmark-json=FILE and --benchmark-save-data",
    ),
    (&["real\t", "\nuser\t", "\nsys\t"], TIME),
    (&["real ", "\nuser ", "\nsys "], TIME),
    (&["Elapsed (wall clock) time"], TIME),
    (&["elapsed ", "%CPU"], TIME),
    (&["Performance counter stats for"], PERF),
    (&["msec task-clock"], PERF),
    (&[",msec,task-clock"], PERF),
    (&[",,cycles"], PERF),
    (&[",,instructions"], PERF),
    (&["sec/op", "│"], BENCHSTAT),
    (&["Thread Stats", "Avg", "Stdev"], "wrk's summary; it has no samples"),
    (&["This is ApacheBench"], "ab's summary; export the samples with `ab -g FILE`"),
    (&["fastest", "slowest", "├─"], "divan's summary table; it has no samples"),
    (&["Estimated Cycles:"], "iai's counts, which have one value per benchmark"),
    (&["General statistics:", "total number of events:"], "sysbench's summary; it has no samples"),
    (&["benchmark name", "samples", "est run time"], "Catch2's summary table; it has no samples"),
    (&["│ (index) │"], "tinybench's summary table; write the samples of a task as a list: [1.2, 1.3]"),
    (&["| ns/op |", "| op/s |"], "nanobench's summary table; write the samples as a list: [1.2, 1.3]"),
    (&["Percentile", "TotalCount"], "HdrHistogram's table of percentiles; export the samples"),
];

/// Returns the reason for rejecting a JSON document, if a known tool wrote it and it contains no samples. `stem` is the
/// file name without its extension.
pub(in crate::samples) fn json(document: &Value, stem: &str) -> Option<String> {
    match document {
        Value::Object(fields) => {
            let known = OBJECTS.iter().find(|(names, _)| names.iter().all(|name| fields.contains_key(*name)));
            let bencher = || {
                let measure = |value: &Value| {
                    let measures = value.as_object();
                    measures.is_some_and(|all| {
                        !all.is_empty() && all.values().all(|one| one.get("value").is_some_and(Value::is_number))
                    })
                };
                (!fields.is_empty() && fields.values().all(measure))
                    .then_some("Bencher Metric Format, which has one summary value per benchmark")
            };
            let nested = || {
                let found = |(path, _): &&(&str, &str)| document.pointer(path).is_some();
                NESTED.iter().find(found).map(|(_, reason)| *reason)
            };
            known
                .map(|(_, reason)| *reason)
                .or_else(nested)
                .or_else(bencher)
                .map(|reason| format!("not samples: {reason}"))
        }
        Value::Array(entries) => {
            let custom = |entry: &Value| ["name", "unit", "value"].iter().all(|field| entry.get(*field).is_some());
            if !entries.is_empty() && entries.iter().all(custom) {
                return Some(format!(
                    "not samples: github-action-benchmark's customSmallerIsBetter or customBiggerIsBetter, with one \
                     summary value for each of {} benchmarks; write the samples as lists: {{\"name\": [1.2, 1.3]}}",
                    entries.len()
                ));
            }
            let nested = NESTED.iter().find(|(path, _)| document.pointer(path).is_some());
            if let Some((_, reason)) = nested {
                return Some(format!("not samples: {reason}"));
            }
            (stem == "tukey" && entries.len() == 4).then(|| {
                "not samples: criterion's tukey.json, the limits of outliers; pass sample.json from the same folder \
                 instead"
                    .to_owned()
            })
        }
        _ => None,
    }
}

/// Returns the reason for rejecting a text: a known tool wrote it and it contains no samples, or it is in a markup
/// language. Returns `None` for other texts.
pub(in crate::samples) fn text(text: &str) -> Option<String> {
    let start = text.trim_start();
    if start.starts_with('<') {
        return Some("XML or HTML, which pqlab does not read; export the times as CSV or JSON".to_owned());
    }
    if is_openssl_output(text) {
        return Some(format!("not samples: {OPENSSL}"));
    }
    let known = TEXTS.iter().find(|(words, _)| words.iter().all(|word| text.contains(word)));
    let markdown = || {
        let mut lines = start.lines();
        let table = lines.next()?.starts_with('|') && lines.next()?.starts_with(['|', ':', '-']);
        table.then_some("a Markdown table; save the samples as CSV")
    };
    known.map(|(_, reason)| *reason).or_else(markdown).map(|reason| format!("not samples: {reason}"))
}

/// Returns whether each line has the form that `openssl speed -mr` writes: `+F4:3:256:40955.1:12799.0`.
fn is_openssl_output(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let sound = |line: &str| {
        let key = line.strip_prefix('+').and_then(|rest| rest.split_once(':')).map_or("", |(key, _)| key);
        key.starts_with(['F', 'H', 'R']) && key[1..].bytes().all(|byte| byte.is_ascii_digit())
    };
    lines.peek().is_some() && lines.all(sound)
}
