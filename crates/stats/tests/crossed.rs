//! Tests the coverage of the crossed interval for a case's long-run median, with variation between processes, rounds
//! and runs. `make bench-stats` runs the long version and prints a table.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod simulation;

use fastrand::Rng;
use pqlab_stats::{
    CONFIDENCE, Cell, Contrast, Interval, IntervalMethod, PROCESS_PRIOR_PCT, Ratio, RunSpread, Sorted,
    VERDICT_SIGNIFICANCE, crossed, median_interval, processes_for_precision, ratio_between, ratio_of,
    rounds_for_precision,
};
use simulation::{MEDIAN, Measured, SHAPES, SHIFTS, Shape, Terms, tests_of_shapes, truth};

const PILOT_ROUNDS: u64 = 3;
const FIXED_ROUNDS: u64 = 6;
const MOST_ROUNDS: u64 = 18;
const MOST_PROCESSES: u64 = 24;
const PRECISION_PCT: f64 = 1.0;
const COUNTS: [usize; 5] = [1, 2, 3, 8, 24];
const ROUNDS: [f64; 3] = [0.0, 0.005, 0.01];
const RUNS: [f64; 3] = [0.0, 0.003, 0.015];

/// Arrangement of the visits in a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// A fixed number of rounds.
    Fixed,
    /// A number of rounds planned from the noise within processes in the first rounds.
    Planned,
    /// The fixed rounds, then three rounds in which new processes replace all of the first ones.
    Joining,
    /// The fixed rounds, then as many more processes as the second stage of Stein's procedure requires.
    SecondStage,
    /// Every visit in a new process, with `processes` visits per round.
    FirstCalls,
    /// Only one round.
    Single,
}

const LAYOUTS: [Layout; 3] = [Layout::Fixed, Layout::Planned, Layout::Joining];

fn runs(terms: Terms) -> RunSpread {
    RunSpread { pct: 100.0 * terms.run, degrees_of_freedom: 20 }
}

fn measured(shape: Shape, terms: Terms, processes: usize, layout: Layout, rng: &mut Rng) -> Measured {
    let mut run = Measured::start(shape, terms, rng);
    if layout == Layout::FirstCalls {
        for round in 0..FIXED_ROUNDS as usize {
            run.join(processes, rng);
            run.round(round * processes, rng);
        }
        return run;
    }
    run.join(processes, rng);
    let mut wanted = match layout {
        Layout::Single => 1,
        Layout::Planned => MOST_ROUNDS,
        _ => FIXED_ROUNDS,
    };
    while run.rounds < wanted {
        run.round(0, rng);
        if layout == Layout::Planned && run.rounds == PILOT_ROUNDS {
            let plan = rounds_for_precision(&run.visits, PRECISION_PCT, CONFIDENCE).unwrap();
            wanted = plan.clamp(PILOT_ROUNDS, MOST_ROUNDS);
        }
    }
    let more = match layout {
        Layout::Joining => processes,
        Layout::SecondStage => {
            let pilot = crossed(&run.cells).unwrap();
            let now = processes as u64;
            let all = processes_for_precision(&pilot, now, runs(terms), PRECISION_PCT, CONFIDENCE);
            (all.map_or(MOST_PROCESSES, |all| all.min(MOST_PROCESSES)) - now) as usize
        }
        _ => 0,
    };
    if more > 0 {
        run.join(more, rng);
        (0..PILOT_ROUNDS).for_each(|_| run.round(processes, rng));
    }
    run
}

/// Summary of a series of experiments.
struct Outcome {
    /// Fraction of crossed intervals that cover the true median.
    coverage: f64,
    /// Mean width relative to the best possible interval. Computing that interval requires knowledge of the
    /// distribution.
    width: f64,
    /// Fraction of intervals from [`median_interval`] that cover the true median.
    before: f64,
    /// Mean half-width in percent.
    half_pct: f64,
}

fn outcome(shape: Shape, terms: Terms, processes: usize, layout: Layout, experiments: usize) -> Outcome {
    let seed = [terms.process, terms.round, terms.run]
        .iter()
        .fold(layout as u64, |seed, term| seed * 31 + (1e4 * term).round() as u64);
    let mut rng = Rng::with_seed((seed * 10 + shape as u64) * 100 + processes as u64);
    let truth = truth(shape, terms.process.hypot(terms.round));
    let covers = |interval: &Interval| interval.low <= truth && truth <= interval.high;
    let (mut covered, mut before, mut widths, mut half, mut estimates) = (0, 0, 0.0, 0.0, Vec::new());
    for _ in 0..experiments {
        let run = measured(shape, terms, processes, layout, &mut rng);
        let interval = crossed(&run.cells).unwrap().interval(run.headline(), runs(terms), 0.0, CONFIDENCE);
        assert!(interval.low <= interval.estimate && interval.estimate <= interval.high);
        assert_eq!(interval.method, IntervalMethod::CrossedT);
        covered += usize::from(covers(&interval));
        before += usize::from(covers(&median_interval(&run.samples, CONFIDENCE).unwrap()));
        widths += interval.high - interval.low;
        half += interval.half_width_pct();
        estimates.push(interval.estimate);
    }
    let n = experiments as f64;
    let estimates = Sorted::new(estimates).unwrap();
    let best = estimates.quantile(0.975) - estimates.quantile(0.025);
    Outcome { coverage: covered as f64 / n, width: widths / n / best, before: before as f64 / n, half_pct: half / n }
}

/// Returns `true` if the interval needs no prior for the processes, or if the processes vary no more than the prior
/// assumes.
fn within_prior(processes: usize, terms: Terms) -> bool {
    processes > 2 || 100.0 * terms.process <= PROCESS_PRIOR_PCT
}

/// Returns all combinations of variation between processes, rounds and runs.
fn all_terms() -> impl Iterator<Item = Terms> {
    let rounds = |process| ROUNDS.into_iter().map(move |round| (process, round));
    let terms = SHIFTS.into_iter().flat_map(rounds);
    terms.flat_map(|(process, round)| RUNS.into_iter().map(move |run| Terms { process, round, run }))
}

/// Minimum coverage for intervals that claim 95%.
const LEAST_COVERAGE: f64 = 0.93;

/// Experiments per combination.
const EXPERIMENTS: usize = 1000;

/// Tests every eleventh combination, with a different starting point for each shape.
fn holds(shape: Shape) {
    let layouts = LAYOUTS.into_iter().flat_map(|layout| COUNTS.into_iter().map(move |processes| (layout, processes)));
    let combinations = layouts.flat_map(|setting| all_terms().map(move |terms| (setting, terms)));
    let combinations = combinations.filter(|((_, processes), terms)| within_prior(*processes, *terms));
    let mut widest: f64 = 0.0;
    for ((layout, processes), terms) in combinations.skip(shape as usize).step_by(11) {
        let Outcome { coverage, width, .. } = outcome(shape, terms, processes, layout, EXPERIMENTS);
        assert!(coverage >= LEAST_COVERAGE, "{shape:?}, {layout:?}, {processes} processes, {terms:?}: {coverage}");
        if processes >= 8 {
            widest = widest.max(width);
        }
    }
    assert!(widest <= most_width(shape), "{shape:?}: {widest} times the width of the best");
}

/// Returns the maximum mean width relative to the best interval, for eight processes or more. The limit is larger for
/// operations with two paths, because the median of only twenty such samples varies a lot.
fn most_width(shape: Shape) -> f64 {
    if shape == Shape::Bimodal { 3.0 } else { 2.0 }
}

tests_of_shapes!(holds);

#[test]
fn first_calls_single_rounds_and_second_stages_have_nominal_coverage() {
    let with = |process, round, run| Terms { process, round, run };
    for (layout, processes, terms) in [
        (Layout::FirstCalls, 1, with(0.015, 0.005, 0.003)),
        (Layout::FirstCalls, 8, with(0.015, 0.005, 0.003)),
        (Layout::FirstCalls, 8, with(0.004, 0.01, 0.0)),
        (Layout::Single, 3, with(0.015, 0.005, 0.0)),
        (Layout::Single, 8, with(0.004, 0.005, 0.003)),
        (Layout::SecondStage, 8, with(0.015, 0.0, 0.003)),
        (Layout::SecondStage, 8, with(0.015, 0.005, 0.0)),
        (Layout::SecondStage, 8, with(0.004, 0.0, 0.0)),
    ] {
        let Outcome { coverage, .. } = outcome(Shape::LogNormal, terms, processes, layout, EXPERIMENTS);
        assert!(coverage >= LEAST_COVERAGE, "{layout:?}, {processes} processes, {terms:?}: {coverage}");
    }
}

#[test]
fn second_stage_reaches_the_precision() {
    // Eight processes that differ by 1.5% determine the median to about 1.3%. Sixteen more processes reduce the
    // half-width to below 1%.
    let terms = Terms { process: 0.015, round: 0.0, run: 0.0 };
    let half = |layout| outcome(Shape::HeavyTailed, terms, 8, layout, 500).half_pct;
    let (before, after) = (half(Layout::Fixed), half(Layout::SecondStage));
    assert!(before > 1.2 && after < 0.95 * PRECISION_PCT, "{before} {after}");
}

/// Returns the ratio between two runs of one case, and the ratio between two cases in one run.
fn compared(terms: Terms, factor: f64, rng: &mut Rng) -> [Option<Ratio>; 2] {
    let first = measured(Shape::HeavyTailed, terms, 8, Layout::Fixed, rng);
    let second = measured(Shape::HeavyTailed, terms, 8, Layout::Fixed, rng);
    let slower = |run: &Measured| {
        let cells: Vec<Cell> =
            run.cells.iter().map(|cell| Cell { value: cell.value + f64::ln(factor), ..*cell }).collect();
        crossed(&cells).unwrap()
    };
    let between = ratio_between(&crossed(&first.cells).unwrap(), &slower(&second), runs(terms), 0.0, CONFIDENCE);
    // The second case shares the effects of process, round and run with the first case, but has its
    // own visit noise.
    let mut other = Measured::start(Shape::HeavyTailed, Terms { process: 0.0, round: 0.0, run: 0.0 }, rng);
    other.join(8, rng);
    (0..FIXED_ROUNDS).for_each(|_| other.round(0, rng));
    let pair = |(cell, other): (&Cell, &Cell)| {
        let second = factor.ln() + cell.value + other.value - MEDIAN.ln();
        Cell { value: second - cell.value, ..*cell }
    };
    let pairs: Vec<Cell> = first.cells.iter().zip(&other.cells).map(pair).collect();
    let together = Contrast::together(&pairs, 0.0).unwrap();
    [between, ratio_of(&[together], RunSpread::NONE, 0.0, CONFIDENCE)]
}

#[test]
fn ratios_of_runs_and_of_pairs_have_nominal_coverage() {
    for terms in [
        Terms { process: 0.004, round: 0.005, run: 0.003 },
        Terms { process: 0.015, round: 0.01, run: 0.0 },
        Terms { process: 0.001, round: 0.0, run: 0.015 },
    ] {
        let mut rng = Rng::with_seed(12);
        let (mut covered, mut different, mut found) = ([0; 2], [0; 2], 0);
        for _ in 0..EXPERIMENTS {
            let [_, slower] = compared(terms, 1.03, &mut rng);
            found += usize::from(slower.is_some_and(|ratio| ratio.p_value <= VERDICT_SIGNIFICANCE));
            for (index, ratio) in compared(terms, 1.0, &mut rng).into_iter().enumerate() {
                let Ratio { ratio, p_value, .. } = ratio.unwrap();
                assert_eq!(p_value > 0.05, ratio.low <= 1.0 && 1.0 <= ratio.high);
                covered[index] += usize::from(p_value > 0.05);
                different[index] += usize::from(p_value <= VERDICT_SIGNIFICANCE);
            }
        }
        for (covered, different) in covered.into_iter().zip(different) {
            assert!((930..=995).contains(&covered) && different <= 20, "{terms:?}: {covered} {different}");
        }
        // Common effects must not hide the 3% difference within a pair.
        assert!(found >= 990, "{terms:?}: {found}");
    }
}

#[test]
fn intervals_over_processes_alone_lack_coverage() {
    // Measure the coverage of intervals from the processes' medians alone, while rounds and runs
    // also vary.
    let share = |round, run| {
        let terms = Terms { process: 0.004, round, run };
        outcome(Shape::HeavyTailed, terms, 8, Layout::Fixed, EXPERIMENTS).before
    };
    let (without, rounds, runs) = (share(0.0, 0.0), share(0.005, 0.003), share(0.01, 0.015));
    assert!(without > 0.93 && rounds < 0.9 && runs < 0.5, "{without} {rounds} {runs}");
}

#[test]
#[ignore = "long version, run by make bench-stats"]
fn the_long_table() {
    println!(
        "{:<14} {:<11} {:>9} {:>7} {:>6} {:>6} {:>9} {:>6} {:>6} {:>9}",
        "shape", "layout", "processes", "process", "round", "run", "coverage", "width", "half", "before"
    );
    for shape in SHAPES {
        for layout in [LAYOUTS.as_slice(), &[Layout::SecondStage, Layout::FirstCalls, Layout::Single]].concat() {
            for processes in COUNTS {
                for terms in all_terms().filter(|terms| within_prior(processes, *terms)) {
                    let Outcome { coverage, width, before, half_pct } =
                        outcome(shape, terms, processes, layout, EXPERIMENTS);
                    let [process, round, run] = [terms.process, terms.round, terms.run].map(|term| 100.0 * term);
                    println!(
                        "{:<14} {:<11} {processes:>9} {process:>6.1}% {round:>5.1}% {run:>5.1}% {:>8.2}% {width:>6.2} {half_pct:>5.2}% {:>8.2}%",
                        format!("{shape:?}"),
                        format!("{layout:?}"),
                        100.0 * coverage,
                        100.0 * before
                    );
                }
            }
        }
    }
}
