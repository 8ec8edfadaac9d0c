//! Tests the error rates of verdicts on simulated machines: false differences and missed slowdowns.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use fastrand::Rng;
use pqlab_stats::{
    CONFIDENCE, Cell, Contrast, Crossed, DEFAULT_MARGIN_PCT, DEFAULT_RUN_SPREAD, RunSpread, Verdict, crossed, judge,
    median, null_comparisons, ratio_between, ratio_of,
};

const PROCESSES: usize = 8;
const ROUNDS: usize = 6;
const SAMPLES_PER_VISIT: usize = 20;

/// Standard deviations as a percentage of the time: between runs, between processes in a run, and between samples in a
/// process.
#[derive(Clone, Copy, Debug)]
struct Noise {
    run: f64,
    process: f64,
    sample: f64,
}

const QUIET: Noise = Noise { run: 0.1, process: 0.2, sample: 2.0 };
const USUAL: Noise = Noise { run: 0.3, process: 0.6, sample: 4.0 };
const LOUD: Noise = Noise { run: 0.3, process: 1.5, sample: 10.0 };

/// Returns an approximately normal variate: the sum of twelve uniform variates, minus 6.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}

/// Returns the visits in a run: one per process and round.
fn visits(noise: Noise, factor: f64, rng: &mut Rng) -> Vec<Cell> {
    let whole = noise.run * normal(rng);
    let mut cells = Vec::new();
    for process in 0..PROCESSES {
        let shift = whole + noise.process * normal(rng);
        for round in 0..ROUNDS {
            let sample = |rng: &mut Rng| {
                // One sample in fifty is interrupted and takes longer.
                let hiccup = if rng.f64() < 0.02 { 30.0 * rng.f64() } else { 0.0 };
                factor * (100.0 + shift + noise.sample * normal(rng) + hiccup)
            };
            let samples: Vec<f64> = (0..SAMPLES_PER_VISIT).map(|_| sample(rng)).collect();
            let value = median(&samples).unwrap().ln();
            cells.push(Cell { process: process as u64, round: round as u64, value });
        }
    }
    cells
}

fn run(noise: Noise, factor: f64, rng: &mut Rng) -> Crossed {
    crossed(&visits(noise, factor, rng)).unwrap()
}

/// Returns the fraction of each verdict: faster, slower, equivalent, inconclusive.
fn shares(count: usize, mut judged: impl FnMut() -> Verdict) -> [f64; 4] {
    let mut shares = [0.0; 4];
    for _ in 0..count {
        let place = match judged() {
            Verdict::Faster => 0,
            Verdict::Slower => 1,
            Verdict::Equivalent => 2,
            Verdict::Inconclusive => 3,
        };
        shares[place] += 1.0 / count as f64;
    }
    shares
}

fn of_runs(noise: Noise, factor: f64, spread: RunSpread, margin_pct: f64, count: usize, seed: u64) -> [f64; 4] {
    let mut rng = Rng::with_seed(seed);
    shares(count, || {
        let (first, second) = (run(noise, 1.0, &mut rng), run(noise, factor, &mut rng));
        judge(&[ratio_between(&first, &second, spread, 0.0, CONFIDENCE)], margin_pct)[0].verdict
    })
}

/// Returns the fraction of each verdict for pairs of cases in one run. The two cases share the run effect, the round
/// effects, and half of the variation between processes.
fn of_pairs(noise: Noise, factor: f64, count: usize, seed: u64) -> [f64; 4] {
    let mut rng = Rng::with_seed(seed);
    let remaining = Noise { run: 0.0, process: noise.process / 2.0_f64.sqrt(), ..noise };
    shares(count, || {
        // Common effects cancel out in the difference, so only the remaining noise is simulated.
        let (first, second) = (visits(remaining, 1.0, &mut rng), visits(remaining, factor, &mut rng));
        let pair = |(first, second): (&Cell, &Cell)| Cell { value: second.value - first.value, ..*first };
        let together = Contrast::together(&first.iter().zip(&second).map(pair).collect::<Vec<_>>(), 0.0).unwrap();
        judge(&[ratio_of(&[together], RunSpread::NONE, 0.0, CONFIDENCE)], DEFAULT_MARGIN_PCT)[0].verdict
    })
}

#[test]
fn identical_cases_are_rarely_called_different() {
    for (seed, noise) in [(1, QUIET), (2, USUAL), (3, LOUD)] {
        for (what, shares) in [
            ("runs", of_runs(noise, 1.0, DEFAULT_RUN_SPREAD, DEFAULT_MARGIN_PCT, 4000, seed)),
            ("pairs", of_pairs(noise, 1.0, 4000, seed)),
        ] {
            assert!(shares[0] + shares[1] <= 0.02, "{noise:?}, {what}: {shares:?}");
        }
    }
    let equivalent = of_runs(USUAL, 1.0, DEFAULT_RUN_SPREAD, DEFAULT_MARGIN_PCT, 1000, 4)[2];
    assert!(equivalent >= 0.8, "{equivalent}");
}

#[test]
fn detects_a_slowdown_of_three_percent() {
    for (seed, noise) in [(11, QUIET), (12, USUAL)] {
        let apart = of_runs(noise, 1.03, DEFAULT_RUN_SPREAD, DEFAULT_MARGIN_PCT, 2000, seed);
        assert!(apart[1] >= 0.95 && apart[0] == 0.0, "{noise:?}: {apart:?}");
        let together = of_pairs(noise, 1.03, 2000, seed);
        assert!(together[1] >= 0.95 && together[0] == 0.0, "{noise:?}: {together:?}");
        let faster = of_runs(noise, 1.0 / 1.03, DEFAULT_RUN_SPREAD, DEFAULT_MARGIN_PCT, 1000, seed);
        assert!(faster[0] >= 0.95 && faster[1] == 0.0, "{noise:?}: {faster:?}");
    }
}

#[test]
fn adapts_to_machines_with_large_run_spread() {
    // With this much noise between runs, the assumed spread causes false verdicts, but the measured
    // spread does not.
    let noise = Noise { run: 1.5, ..USUAL };
    let assumed = of_runs(noise, 1.0, DEFAULT_RUN_SPREAD, DEFAULT_MARGIN_PCT, 1000, 21);
    assert!(assumed[0] + assumed[1] > 0.1, "{assumed:?}");
    let mut rng = Rng::with_seed(22);
    let (mut wrong, mut equivalent, mut detected) = (0.0, 0.0, 0.0);
    let machines = 100;
    for seed in 0..machines {
        let pairs: Vec<_> = (0..20).map(|_| (run(noise, 1.0, &mut rng), run(noise, 1.0, &mut rng))).collect();
        let known = null_comparisons(&pairs).unwrap();
        let shares = of_runs(noise, 1.0, known.runs, known.margin_pct, 50, 100 + seed);
        wrong += (shares[0] + shares[1]) / machines as f64;
        equivalent += shares[2] / machines as f64;
        let factor = 1.0 + known.smallest_difference_pct / 100.0;
        let shares = of_runs(noise, factor, known.runs, 0.5, 50, 100 + seed);
        detected += shares[1] / machines as f64;
    }
    assert!(wrong <= 0.02, "{wrong}");
    assert!(equivalent >= 0.8, "{equivalent}");
    assert!(detected >= 0.85, "{detected}");
}

#[test]
#[ignore = "long version, run by make bench-stats"]
fn the_long_table() {
    println!(
        "{:>4} {:>8} {:>7} {:>7}  {:>7} {:>7} {:>7} {:>7}",
        "run", "process", "sample", "factor", "faster", "slower", "equiv.", "inconcl"
    );
    for noise in [QUIET, USUAL, LOUD] {
        for factor in [1.0, 1.01, 1.02, 1.03, 1.05] {
            for (what, shares) in [
                ("runs", of_runs(noise, factor, DEFAULT_RUN_SPREAD, DEFAULT_MARGIN_PCT, 20_000, 31)),
                ("pairs", of_pairs(noise, factor, 20_000, 32)),
            ] {
                let Noise { run, process, sample } = noise;
                let shares = shares.map(|share| format!("{:6.2}%", 100.0 * share)).join(" ");
                println!("{run:>3}% {process:>7}% {sample:>6}% {factor:>7}  {shares}  {what}");
            }
        }
    }
}
