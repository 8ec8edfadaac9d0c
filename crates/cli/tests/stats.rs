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
        (vec!["stats", &before, &named], "no series with the same name"),
        (vec!["stats", &before, &loads], "--column"),
        (vec!["stats", &before, &after, &named], "no more were expected"),
    ] {
        let output = pqlab.run(&arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(wanted) && output.stdout.is_empty(), "{arguments:?}: {error}");
    }
}
