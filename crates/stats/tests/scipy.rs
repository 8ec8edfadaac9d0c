//! Compares the results with NumPy and SciPy on generated samples. `make test` installs both.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use fastrand::Rng;
use pqlab_stats::{
    CONFIDENCE, benjamini_hochberg, cohens_d, describe_samples, jarque_bera, mean_interval, welch_t_test,
};
use pqlab_testing::{Need, python_with, require};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const SETS: usize = 400;
const RELATIVE: f64 = 1e-9;
const OF_A_PROBABILITY: f64 = 1e-6;

/// Generates sets of 7 to 700 samples with various shapes, scales and offsets.
fn sets() -> Vec<Vec<f64>> {
    let mut rng = Rng::with_seed(20);
    (0..SETS)
        .map(|index| {
            let n = if index % 5 == 0 { 7 + index / 20 } else { rng.usize(8..700) };
            // Keep the offset below a few thousand deviations. Beyond that, no floating-point
            // computation of the skewness is accurate to nine digits.
            let scale = 10.0_f64.powi(rng.i32(-3..4));
            let offset = scale * [0.0, 10.0, 300.0][rng.usize(0..3)];
            let mut last = 0.0;
            (0..n)
                .map(|_| {
                    let normal: f64 = (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0;
                    let shape = match index % 6 {
                        0 => normal,
                        1 => normal.exp(),
                        2 => normal + if rng.f64() < 0.3 { 8.0 } else { 0.0 },
                        3 => normal / rng.f64().max(1e-3),
                        // Quantise the samples like counter readings, which creates many ties.
                        4 => (3.0 * normal).round(),
                        _ => {
                            last = 0.9 * last + normal;
                            last
                        }
                    };
                    // Keep the mean away from zero, because near zero every summation has a large relative rounding
                    // error.
                    scale * (shape + 100.0) + offset
                })
                .collect()
        })
        .collect()
}

fn described(samples: &[f64]) -> Vec<(&'static str, f64)> {
    let description = describe_samples(samples).unwrap();
    let shape = jarque_bera(samples).unwrap();
    let interval = mean_interval(samples, CONFIDENCE).unwrap();
    vec![
        ("mean", description.mean),
        ("stdev", description.stdev.unwrap()),
        ("cov_pct", description.cov_pct.unwrap()),
        ("min", description.min),
        ("p5", description.p5),
        ("p25", description.p25),
        ("median", description.median),
        ("p75", description.p75),
        ("p95", description.p95),
        ("p99", description.p99),
        ("max", description.max),
        ("iqm", description.iqm),
        ("mad", description.mad),
        ("skewness", shape.skewness),
        ("excess_kurtosis", shape.excess_kurtosis),
        ("jarque_bera", shape.statistic),
        ("p:jarque_bera", shape.p_value),
        ("mean_low", interval.low),
        ("mean_high", interval.high),
    ]
}

fn compared(first: &[f64], second: &[f64]) -> Vec<(&'static str, f64)> {
    let welch = welch_t_test(first, second, 0.05).unwrap();
    assert_eq!(welch.significant, welch.p_value < 0.05);
    vec![
        ("welch_t", welch.t),
        ("welch_df", welch.degrees_of_freedom),
        ("p:welch", welch.p_value),
        ("overhead_pct", welch.overhead_pct),
        ("cohens_d", cohens_d(first, second).unwrap()),
    ]
}

/// Compares our results with those from SciPy and records mismatches in `wrong`. Returns the number of compared values.
fn agree(what: &str, ours: &[(&str, f64)], theirs: &Value, wrong: &mut Vec<String>) -> usize {
    assert_eq!(theirs.as_object().unwrap().len(), ours.len(), "{what}: {theirs}");
    for (name, value) in ours {
        let reference = theirs[name].as_f64().unwrap_or(f64::NAN);
        let error = (value - reference).abs();
        let allowed = match name.strip_prefix("p:") {
            Some(_) => OF_A_PROBABILITY,
            // Near zero, skewness and kurtosis are small differences of larger numbers and have fewer accurate digits.
            None if reference.abs() < 1e-3 => 1e-12,
            None => RELATIVE * reference.abs(),
        };
        // NaN is always a mismatch.
        if error.is_nan() || error > allowed {
            wrong.push(format!("{what}: {name} is {value:e}, but {reference:e} in SciPy"));
        }
    }
    ours.len()
}

#[test]
fn every_function_agrees_with_scipy() {
    let python = require!(python_with("scipy"), Need::Installed("SciPy"));
    let sets = sets();
    let pairs: Vec<(&Vec<f64>, &Vec<f64>)> = sets.iter().zip(sets.iter().skip(6)).collect();
    // Also compare the halves of each set, so that the p-values cover the range from 0 to 1.
    let near: Vec<(Vec<f64>, Vec<f64>)> = sets
        .iter()
        .map(|set| {
            let middle = set.len() / 2;
            (set[..middle].to_vec(), set[middle..].to_vec())
        })
        .collect();
    let pairs: Vec<(&[f64], &[f64])> = pairs
        .iter()
        .map(|(first, second)| (first.as_slice(), second.as_slice()))
        .chain(near.iter().map(|(first, second)| (first.as_slice(), second.as_slice())))
        .collect();
    let p_values: Vec<f64> = {
        let mut rng = Rng::with_seed(21);
        (0..200).map(|_| rng.f64().powi(4)).collect()
    };
    let corpus = json!({"sets": sets, "pairs": pairs, "p_values": p_values});

    let mut child = Command::new(&python)
        .arg("tests/scipy/reference.py")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    child.stdin.take().unwrap().write_all(corpus.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{} failed on the generated samples", python.display());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();

    let (mut compared_values, mut wrong) = (0, Vec::new());
    for (index, (samples, theirs)) in sets.iter().zip(answer["sets"].as_array().unwrap()).enumerate() {
        compared_values += agree(&format!("set {index}"), &described(samples), theirs, &mut wrong);
    }
    for (index, ((first, second), theirs)) in pairs.iter().zip(answer["pairs"].as_array().unwrap()).enumerate() {
        compared_values += agree(&format!("pair {index}"), &compared(first, second), theirs, &mut wrong);
    }
    for (ours, theirs) in benjamini_hochberg(&p_values).iter().zip(answer["adjusted"].as_array().unwrap()) {
        let theirs = theirs.as_f64().unwrap();
        compared_values += 1;
        if (ours - theirs).abs() > RELATIVE * theirs {
            wrong.push(format!("adjusted p-value is {ours:e}, but {theirs:e} in SciPy"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared_values} values differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(compared_values > 11_000, "only {compared_values} values were compared");
    println!("{compared_values} values agree with SciPy");
}
