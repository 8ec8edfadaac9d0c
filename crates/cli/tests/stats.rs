//! Tests `pqlab stats` with files from other tools. The figures must match those of SciPy.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Pqlab, text, write};
use pqlab_testing::{Need, python_with, require};
use serde_json::Value;
use std::process::Command;

const BEFORE: &str = "name,ns\na,101.5\na,99.25\na,100.0\na,103.75\na,98.5\na,100.5\n";
const AFTER: &str = "name,ns\na,104.5\na,106.25\na,103.0\na,107.75\na,105.0\n";

/// Python program that computes the mean with its interval, Welch's test and Cohen's d.
const SCIPY: &str = "
import json, sys
import numpy, scipy.stats as s
read = lambda path: numpy.array([float(row.split(',')[1]) for row in open(path).read().split()[1:]])
a, b = read(sys.argv[1]), read(sys.argv[2])
test = s.ttest_ind(a, b, equal_var=False)
pooled = (((len(a)-1)*a.var(ddof=1) + (len(b)-1)*b.var(ddof=1)) / (len(a)+len(b)-2))**0.5
low, high = s.t.interval(0.95, len(a)-1, a.mean(), s.sem(a))
print(json.dumps({'t': test.statistic, 'df': float(test.df), 'p': test.pvalue, 'd': (b.mean()-a.mean())/pooled,
    'low': low, 'high': high, 'overhead': 100*(b.mean()/a.mean()-1), 'stdev': a.std(ddof=1)}))
";

fn files(pqlab: &Pqlab) -> [String; 2] {
    [write(&pqlab.path("before.csv"), BEFORE), write(&pqlab.path("after.csv"), AFTER)]
}

#[test]
fn comparisons_of_two_files_match_scipy() {
    let python = require!(python_with("scipy"), Need::Installed("SciPy"));
    let pqlab = Pqlab::new();
    let [before, after] = files(&pqlab);
    let theirs = Command::new(python).args(["-c", SCIPY, &before, &after]).output().unwrap();
    let theirs: Value = serde_json::from_slice(&theirs.stdout).unwrap();
    let ours: Value = serde_json::from_str(&pqlab.expect(0, &["stats", &before, &after, "--json"])).unwrap();
    let (first, compared) = (&ours["first"][0], &ours["comparisons"][0]);
    for (name, value) in [
        ("t", &compared["welch"]["t"]),
        ("df", &compared["welch"]["degrees_of_freedom"]),
        ("p", &compared["welch"]["p_value"]),
        ("d", &compared["cohens_d"]),
        ("overhead", &compared["overhead_pct"]),
        ("low", &first["mean_ci"][0]),
        ("high", &first["mean_ci"][1]),
        ("stdev", &first["stdev"]),
    ] {
        let (value, reference) = (value.as_f64().unwrap(), theirs[name].as_f64().unwrap());
        assert!((value - reference).abs() <= 1e-7 * reference.abs(), "{name}: {value}, but SciPy has {reference}");
    }
    assert_eq!(compared["welch"]["significant"], true);
}

#[test]
fn text_shows_the_statistics_and_latex_has_two_tables() {
    let pqlab = Pqlab::new();
    let [before, after] = files(&pqlab);
    let page = pqlab.expect(0, &["stats", &before]);
    for wanted in ["Mean and median", "100.58", "Spread", "98.500", "103.75"] {
        assert!(page.contains(wanted), "{wanted}: {page}");
    }
    let page = pqlab.expect(0, &["stats", &before, &after, "--confidence", "99"]);
    assert!(page.contains("+4.69% [") && page.contains("99% interval") && page.contains("yes"), "{page}");
    let latex = pqlab.expect(0, &["stats", &before, "--latex"]);
    assert_eq!(latex.matches("\\begin{tabular}").count(), 2);
    let labels: Vec<&str> = latex.lines().filter(|line| line.starts_with("\\label")).collect();
    assert!(labels.len() == 2 && labels[0] != labels[1], "{labels:?}");
}

#[test]
fn load_files_give_a_throughput_curve() {
    let pqlab = Pqlab::new();
    let loads = write(&pqlab.path("loads.csv"), "concurrency,operations,seconds\n1,100,1\n1,110,1\n2,190,1\n");
    let page = pqlab.expect(0, &["stats", &loads]);
    assert!(page.contains("Throughput") && page.contains("peak") && page.contains("1.81"), "{page}");
    let document: Value = serde_json::from_str(&pqlab.expect(0, &["stats", &loads, "--json"])).unwrap();
    assert_eq!(document["throughput"]["peak"], 2);
    assert!(document["throughput"]["points"][0]["operations_per_s_ci"].is_array());
}

#[test]
fn unusable_input_is_refused() {
    let pqlab = Pqlab::new();
    let [before, after] = files(&pqlab);
    let named = write(&pqlab.path("named.json"), r#"{"a":[1,2],"b":[2,3]}"#);
    let loads = write(&pqlab.path("loads.csv"), "concurrency,operations,seconds\n1,100,1\n");
    for (arguments, wanted) in [
        (vec!["stats", "/no/such/file"], "/no/such/file"),
        (vec!["stats", &before, "--column", "us"], "no column \"us\"; available: name, ns"),
        (vec!["stats", &before, "--confidence", "100"], "--confidence"),
        (vec!["stats", &before, "--confidence", "0.95"], "did you mean 95%?"),
        (vec!["stats", &before, &named], "no series with the same name"),
        (vec!["stats", &before, &loads], "throughput curves cannot be compared; evaluate one file at a time\n"),
        (vec!["stats", &before, &after, &named], "no more were expected"),
    ] {
        let output = pqlab.run(&arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(wanted) && output.stdout.is_empty(), "{arguments:?}: {error}");
    }
}

fn google(unit: &str, factor: f64) -> String {
    let entry = |index: u32| {
        let time = factor * (1490.0 + f64::from(index * 7 % 13));
        serde_json::json!({"name": "BM_a", "run_name": "BM_a", "run_type": "iteration", "real_time": time, "time_unit": unit})
    };
    serde_json::json!({"benchmarks": (0..10).map(entry).collect::<Vec<_>>()}).to_string()
}

#[test]
fn units_are_converted_before_comparing() {
    let pqlab = Pqlab::new();
    let ns = write(&pqlab.path("ns.json"), &google("ns", 1.0));
    for (unit, factor) in [("us", 1e-3), ("ms", 1e-6), ("s", 1e-9)] {
        let other = write(&pqlab.path("other.json"), &google(unit, factor));
        let found: Value = serde_json::from_str(&pqlab.expect(0, &["stats", &ns, &other, "--json"])).unwrap();
        let compared = &found["comparisons"][0];
        assert!(compared["overhead_pct"].as_f64().unwrap().abs() < 1e-6, "{unit}: {compared}");
        assert_eq!(compared["welch"]["significant"], false);
    }
    let bytes = r#"{"benchmarks":[{"metadata":{"name":"n","unit":"byte"},"runs":[{"values":[1,2]}]}]}"#;
    let bytes = write(&pqlab.path("bytes.json"), bytes);
    let output = pqlab.run(&["stats", &ns, &bytes]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot compare the units ns (first file) and byte (second file)\n"));
    let list = write(&pqlab.path("list.json"), "[1500, 1501, 1499]");
    assert!(pqlab.expect(0, &["stats", &ns, &list]).contains("states no unit, so ns is assumed"));
}

#[test]
fn series_of_only_one_file_are_named() {
    let pqlab = Pqlab::new();
    let before = write(&pqlab.path("before.json"), r#"{"a":[1,2,3],"b":[2,3,4],"c":[3,4,5]}"#);
    let after = write(&pqlab.path("after.json"), r#"{"a":[1,2,3],"d":[2,3,4]}"#);
    let shown = pqlab.expect(0, &["stats", &before, &after]);
    assert!(shown.contains("series found only in") && shown.contains(": b, c\n") && shown.contains(": d\n"), "{shown}");
    let found: Value = serde_json::from_str(&pqlab.expect(0, &["stats", &before, &after, "--json"])).unwrap();
    assert_eq!(
        (&found["only_first"], &found["only_second"]),
        (&serde_json::json!(["b", "c"]), &serde_json::json!(["d"]))
    );
    assert_eq!(found["comparisons"].as_array().unwrap().len(), 1);
}

#[test]
fn medians_are_compared_as_well_as_means() {
    let pqlab = Pqlab::new();
    let samples = |scale: f64| (0..30).map(move |index: u32| scale * (100.0 + f64::from(index * 7 % 11) / 10.0));
    let mut first: Vec<f64> = samples(1.0).collect();
    first[17] = 1000.0;
    let list = |values: &[f64]| serde_json::json!({"a": values}).to_string();
    let before = write(&pqlab.path("before.json"), &list(&first));
    let after = write(&pqlab.path("after.json"), &list(&samples(1.1).collect::<Vec<_>>()));
    let found: Value = serde_json::from_str(&pqlab.expect(0, &["stats", &before, &after, "--json"])).unwrap();
    let compared = &found["comparisons"][0];
    let interval = &compared["median_overhead_ci_pct"];
    assert!((compared["median_overhead_pct"].as_f64().unwrap() - 10.0).abs() < 1.0, "{compared}");
    assert!(interval[0].as_f64().unwrap() > 5.0 && interval[1].as_f64().unwrap() < 15.0, "{compared}");
    let shown = pqlab.expect(0, &["stats", &before, &after]);
    assert!(shown.contains("medians differ by +") && shown.contains("outliers: 1 of 30"), "{shown}");
}

#[test]
fn few_equal_and_quantised_samples_have_honest_intervals() {
    let pqlab = Pqlab::new();
    let stats = |text: &str| -> Value {
        let file = write(&pqlab.path("x.json"), text);
        serde_json::from_str(&pqlab.expect(0, &["stats", &file, "--json"])).unwrap()
    };
    let one = stats("[1.5]");
    assert!(one["series"][0]["mean_ci"].is_null() && one["series"][0]["median_ci"].is_null());
    assert!(one["notes"][0].as_str().unwrap().contains("1 sample is too few for an interval"));
    let equal = stats("[0.125,0.125,0.125,0.125,0.125,0.125,0.125]");
    assert!(equal["series"][0]["median_ci"].is_null() && equal["notes"][0].as_str().unwrap().contains("no spread"));
    let stray = |level: f64, last: f64| serde_json::json!([&[level; 29][..], &[last]].concat()).to_string();
    let outlier = stats(&stray(100.0, 9000.0));
    let note = outlier["notes"][0].as_str().unwrap();
    assert!(note.contains("outliers: 1 of 30") && outlier["notes"].as_array().unwrap().len() == 1, "{outlier}");
    let [first, second] = [("one.json", stray(100.0, 9000.0)), ("other.json", stray(110.0, 111.0))]
        .map(|(name, text)| write(&pqlab.path(name), &text));
    let slower: Value = serde_json::from_str(&pqlab.expect(0, &["stats", &first, &second, "--json"])).unwrap();
    let interval = &slower["comparisons"][0]["median_overhead_ci_pct"];
    assert!(interval[0].as_f64().unwrap() > 8.0 && interval[1].as_f64().unwrap() < 12.0, "{slower}");
    let quantised = stats("[0.125,0.125,0.125,0.125,0.125,0.125,0.125,0.125,0.125,0.109375]");
    let interval = &quantised["series"][0]["median_ci"];
    assert_eq!((interval[0].as_f64(), interval[1].as_f64()), (Some(0.125 - 0.007_812_5), Some(0.125 + 0.007_812_5)));
    assert!(
        quantised["notes"][0].as_str().unwrap().contains("coarse clock: 10 samples have only 2 distinct values"),
        "{quantised}"
    );
    let files = ["[0.125,0.125,0.125]", "[0.140625,0.140625,0.140625]"];
    let [first, second] = [0, 1].map(|place| write(&pqlab.path(&format!("{place}.json")), files[place]));
    let shown = pqlab.expect(0, &["stats", &first, &second]);
    assert!(shown.contains("no spread") && !shown.contains("+12.50%") && !shown.contains("NaN"), "{shown}");
}

#[test]
fn modes_and_drift_are_named_as_in_runs() {
    let pqlab = Pqlab::new();
    let notes = |values: &[f64]| {
        let file = write(&pqlab.path("x.json"), &serde_json::json!(values).to_string());
        let found: Value = serde_json::from_str(&pqlab.expect(0, &["stats", &file, "--json"])).unwrap();
        found["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| note.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    };
    let noise = |index: u32| f64::from(index * 7919 % 101) / 200.0;
    let alternating: Vec<f64> =
        (0..60).map(|index| noise(index) + if index % 3 == 0 { 130.0 } else { 100.0 }).collect();
    let found = notes(&alternating);
    assert!(found.contains("two modes: 100") && !found.contains("drifting"), "{found}");
    let step: Vec<f64> = (0..60).map(|index| noise(index) + if index < 30 { 100.0 } else { 110.0 }).collect();
    let found = notes(&step);
    assert!(found.contains("two modes") && found.contains("drifting: +"), "{found}");
    let slope: Vec<f64> = (0..60).map(|index| noise(index) + 100.0 + f64::from(index) / 5.0).collect();
    assert!(notes(&slope).contains("drifting: +"), "{}", notes(&slope));
    let steady: Vec<f64> = (0..60).map(|index| noise(index) + 100.0).collect();
    assert_eq!(notes(&steady), "");
}
