//! Tests the error rates of drift detection and of mode detection.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod simulation;

use fastrand::Rng;
use pqlab_stats::{drift, modes};
use simulation::normal;

/// Round effects that all processes share.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    count: usize,
    /// Standard deviation of the effects.
    noise: f64,
    /// Autocorrelation between consecutive rounds.
    memory: f64,
    /// Change from the first round to the last.
    change: f64,
}

/// Returns the fraction of simulated runs that are marked as drifting. Each run has eight processes, visit noise of
/// 0.3%, and one visit in ten missing.
fn marked(rounds: Rounds, experiments: usize, seed: u64) -> f64 {
    let mut rng = Rng::with_seed(seed);
    let marked = (0..experiments).filter(|_| {
        let mut last = normal(&mut rng);
        let common: Vec<f64> = (0..rounds.count)
            .map(|round| {
                last = rounds.memory * last + (1.0 - rounds.memory.powi(2)).sqrt() * normal(&mut rng);
                rounds.noise * last + rounds.change * round as f64 / (rounds.count - 1) as f64
            })
            .collect();
        let visits: Vec<Vec<(u32, f64)>> = (0..8)
            .map(|_| {
                let level = 0.005 * normal(&mut rng);
                let visit = |(round, common): (usize, &f64)| {
                    let value = level + common + 0.003 * normal(&mut rng);
                    (rng.f64() > 0.1).then_some((round as u32, value.exp()))
                };
                common.iter().enumerate().filter_map(visit).collect()
            })
            .collect();
        drift(&visits).is_some_and(|drift| drift.drifting)
    });
    marked.count() as f64 / experiments as f64
}

/// Returns the fraction of simulated cases in which two modes are detected although the processes' medians are normally
/// distributed.
fn false_marks(processes: usize, deviation: f64, experiments: usize) -> f64 {
    let mut rng = Rng::with_seed(processes as u64);
    let found = (0..experiments).filter(|_| {
        let medians: Vec<f64> = (0..processes).map(|_| (deviation * normal(&mut rng)).exp()).collect();
        modes(&medians).is_some()
    });
    found.count() as f64 / experiments as f64
}

#[test]
fn disturbed_rounds_show_no_drift() {
    for count in [4, 6, 10, 30] {
        for noise in [0.0, 0.005, 0.01, 0.02] {
            let share = marked(Rounds { count, noise, memory: 0.0, change: 0.0 }, 1500, 1);
            assert!(share <= 0.005, "{count} rounds, noise {noise}: {share}");
        }
    }
    // Repeat the test with disturbances that last for several rounds.
    for count in [10, 15, 30] {
        let share = marked(Rounds { count, noise: 0.02, memory: 0.5, change: 0.0 }, 4000, 1);
        assert!(share <= 0.0125, "{count} rounds: {share}");
    }
}

#[test]
fn detects_drift_in_few_rounds_despite_disturbances() {
    for (count, noise, change, least) in [
        (6, 0.0, 0.05, 0.99),
        (6, 0.003, 0.05, 0.9),
        (10, 0.003, 0.05, 0.9),
        (10, 0.003, -0.05, 0.9),
        (30, 0.01, 0.1, 0.97),
    ] {
        let share = marked(Rounds { count, noise, memory: 0.0, change }, 1000, 2);
        assert!(share >= least, "{count} rounds, noise {noise}, change {change}: {share}");
    }
}

#[test]
fn normal_medians_rarely_show_two_modes() {
    for processes in [5, 8, 24] {
        for deviation in [0.01, 0.02, 0.05] {
            let share = false_marks(processes, deviation, 4000);
            assert!(share < 0.01, "{processes} processes, deviation {deviation}: {share}");
        }
    }
}

#[test]
fn detects_two_levels() {
    // A third of the processes are 10% slower. In addition, all processes differ by 0.5%.
    let mut rng = Rng::with_seed(3);
    for (processes, least) in [(6, 900), (8, 980), (24, 980)] {
        let slow = processes / 3;
        let found = (0..1000).filter(|_| {
            let level = |index| if index < slow { 0.1 } else { 0.0 };
            let medians: Vec<f64> =
                (0..processes).map(|index| (level(index) + 0.005 * normal(&mut rng)).exp()).collect();
            modes(&medians).is_some_and(|[low, high]| (low.processes, high.processes) == (processes - slow, slow))
        });
        let found = found.count();
        assert!(found >= least, "{processes} processes: {found} of 1000");
    }
}

#[test]
#[ignore = "long version, run by make bench-stats"]
fn the_long_table_of_marks() {
    for memory in [0.0, 0.5, 0.8] {
        for count in [4, 6, 9, 10, 15, 20, 30, 60, 100] {
            for noise in [0.0, 0.005, 0.01, 0.02] {
                let share = marked(Rounds { count, noise, memory, change: 0.0 }, 20_000, 1);
                println!("drift: memory {memory} rounds {count} noise {noise}: {:.3}%", 100.0 * share);
            }
        }
    }
    for count in [4, 6, 10, 30] {
        for noise in [0.0, 0.003, 0.01] {
            let share = marked(Rounds { count, noise, memory: 0.0, change: 0.05 }, 5000, 1);
            println!("drift of 5%: rounds {count} noise {noise}: {:.2}%", 100.0 * share);
        }
    }
    for processes in [5, 6, 8, 12, 24, 64] {
        for deviation in [0.01, 0.02, 0.05, 0.2] {
            println!(
                "modes: {processes} processes, {deviation}: {:.3}%",
                100.0 * false_marks(processes, deviation, 20_000)
            );
        }
    }
}
