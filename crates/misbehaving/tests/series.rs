//! Measures on a real machine how often identical cases get a false verdict, and how often pqlab detects a slowdown of
//! 2%. `make bench-aa` runs this test. The test takes a quarter of an hour and depends on the machine, so other test
//! runs leave it out. It uses the program as a user would, with a separate database.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[path = "../../cli/tests/common/mod.rs"]
mod common;

use common::{Pqlab, text};
use serde_json::Value;

/// Case that the test compares with itself.
const CASE: &str = "kem/ML-KEM-768/decapsulate@aws-lc";
/// The same operation with an added delay.
const DELAYED: &str = "kem/delayed/decapsulate@misbehaving";
/// Slowdown from the added delay, in percent.
const SLOWDOWN_PCT: f64 = 2.0;
/// Minimum slowdown in percent for which `run --baseline` must raise the alarm.
const FAIL_SLOWER: &str = "1";
/// Largest margin that `calibrate` may report, in percent.
const MARGIN_PCT: f64 = 1.0;
/// Options for the runs. With intervals of ±1% per run, no comparison could be equivalent within the margin.
const RULES: [&str; 4] = ["--precision", "0.5", "--max-time", "3"];
/// Number of delay steps with which the test estimates the time of one step. They take about as long as the operation.
const STEPS: u64 = 8000;

#[derive(Default)]
struct Series {
    verdicts: Vec<String>,
    /// Ratios of the medians in the comparisons. `half_widths` contains the half-widths of their intervals, in percent.
    ratios: Vec<f64>,
    half_widths: Vec<f64>,
    contended: usize,
}

impl Series {
    fn take(&mut self, comparison: &Value) {
        let case = &comparison["cases"][0];
        self.verdicts.push(case["verdict"].as_str().unwrap().to_owned());
        self.contended += usize::from(case["doubtful"] == true);
        if let (Some(ratio), Some(low), Some(high)) =
            (case["ratio"].as_f64(), case["ratio_ci"][0].as_f64(), case["ratio_ci"][1].as_f64())
        {
            self.ratios.push(ratio);
            self.half_widths.push(50.0 * (high / low).ln());
        }
    }

    fn count(&self, verdict: &str) -> usize {
        self.verdicts.iter().filter(|given| *given == verdict).count()
    }

    fn row(&self, name: &str) -> String {
        let shares = ["faster", "slower", "equivalent", "inconclusive"].map(|verdict| self.count(verdict).to_string());
        let (least, most) =
            self.ratios.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), at| (low.min(*at), high.max(*at)));
        format!(
            "| {name} | {} | {} | {:.3} | {least:.3} to {most:.3} | ±{:.2}% | {} |",
            self.verdicts.len(),
            shares.join(" | "),
            median(&self.ratios),
            median(&self.half_widths),
            self.contended
        )
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() { f64::NAN } else { sorted[sorted.len() / 2] }
}

/// Runs pqlab with the given number of delay steps. Returns the exit code, which must be one of `codes`, and the
/// standard output.
fn delayed(pqlab: &Pqlab, steps: u64, codes: &[i32], arguments: &[&str]) -> (i32, String) {
    let output = pqlab.command(arguments).env("PQLAB_DELAY_STEPS", steps.to_string()).output().unwrap();
    let code = output.status.code().unwrap();
    assert!(codes.contains(&code), "{arguments:?}: {code}\n{}", text(&output.stderr));
    (code, text(&output.stdout))
}

fn measure(pqlab: &Pqlab, case: &str, steps: u64, more: &[&str]) {
    delayed(pqlab, steps, &[0], &[&["run", "kem", "--filter", case, "--no-progress", "-q"], more, &RULES].concat());
}

fn compare(pqlab: &Pqlab) -> Value {
    let (_, json) = delayed(pqlab, 0, &[0, 1, 3], &["compare", "last~1", "last", "--json"]);
    serde_json::from_str(&json).unwrap()
}

/// Returns the number of steps that slow a decapsulation down by `pct` percent: the median of three attempts. The
/// slowdown is in cycles if the comparison uses cycles.
fn steps_for(pqlab: &Pqlab, pct: f64) -> u64 {
    let attempt = |_| {
        measure(pqlab, DELAYED, 0, &[]);
        measure(pqlab, DELAYED, STEPS, &[]);
        let ratio = compare(pqlab)["cases"][0]["ratio"].as_f64().unwrap();
        STEPS as f64 * pct / 100.0 / (ratio - 1.0)
    };
    let attempts: Vec<f64> = (0..3).map(attempt).collect();
    median(&attempts).round() as u64
}

fn count(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().filter(|text| !text.is_empty()).map_or(default, |text| text.parse().unwrap())
}

#[test]
#[ignore = "takes a quarter of an hour on a quiet machine: use make bench-aa"]
fn verdicts_on_this_machine() {
    let (same, slowed) = (count("AA", 100), count("SLOWED", 30));
    let pqlab = Pqlab::new();
    let noise = pqlab.expect(0, &[&["calibrate", "--case", CASE, "--json"][..], &RULES].concat());
    let noise: Value = serde_json::from_str(&noise).unwrap();
    let value = |what: &str| noise[what].as_f64().unwrap();
    println!(
        "calibrate, {}: spread between runs {:.2}% in time and {} in cycles, margin {:.2}%, smallest \
         difference {:.2}%, {} of {} verdicts false",
        noise["measured_at"].as_str().unwrap(),
        value("run_spread_pct"),
        noise["run_spread_cycles_pct"].as_f64().map_or("an unknown amount".into(), |pct| format!("{pct:.2}%")),
        value("margin_pct"),
        value("smallest_difference_pct"),
        noise["false_verdicts"],
        noise["comparisons"]
    );

    let mut unchanged = Series::default();
    for _ in 0..same {
        measure(&pqlab, CASE, 0, &[]);
        measure(&pqlab, CASE, 0, &[]);
        unchanged.take(&compare(&pqlab));
    }

    println!(
        "\n| comparison | number | faster | slower | equivalent | inconclusive | median ratio | ratios | median interval | \
         contended |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    // The second series takes minutes, and may fail.
    println!("{}", unchanged.row(&format!("`{CASE}` with itself")));

    let steps = steps_for(&pqlab, SLOWDOWN_PCT);
    let mut slower = Series::default();
    let mut alarms = 0;
    for _ in 0..slowed {
        measure(&pqlab, DELAYED, 0, &["--save-baseline", "prompt", "--force"]);
        let arguments = ["gate", "prompt", "--fail-slower", FAIL_SLOWER, "--format", "events", "--no-progress", "-q"];
        let (code, events) = delayed(&pqlab, steps, &[0, 1, 3], &arguments);
        let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        slower.take(&events.into_iter().find(|event| event["event"] == "comparison").unwrap());
        alarms += usize::from(code == 1);
    }

    println!("{}", slower.row(&format!("the same operation, delayed by {SLOWDOWN_PCT}%")));
    println!("\n{steps} steps delay a decapsulation by {SLOWDOWN_PCT}%");
    println!("{alarms} of {slowed} slowdowns made `run --baseline --fail-slower {FAIL_SLOWER}` raise the alarm");
    let wrong = unchanged.count("faster") + unchanged.count("slower");
    assert!(wrong * 20 <= same, "{wrong} of {same} comparisons of a case with itself gave a false verdict");
    let equivalent = unchanged.count("equivalent");
    assert!(equivalent * 10 >= same * 9, "only {equivalent} of {same} comparisons gave the verdict \"equivalent\"");
    assert!(value("margin_pct") <= MARGIN_PCT, "the margin for equivalence is {}%", value("margin_pct"));
    assert!(alarms * 10 >= slowed * 9, "only {alarms} of {slowed} slowdowns were detected");
}
