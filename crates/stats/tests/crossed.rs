//! How often the crossed interval covers the median that a case has in the long run, where processes, rounds and whole runs
//! differ. `make bench-stats` runs the long version and prints its table.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod simulation;

use fastrand::Rng;
use pqlab_stats::{
    CONFIDENCE, Interval, IntervalMethod, PROCESS_PRIOR_PCT, RunSpread, Sorted, crossed, median_interval,
    processes_for_precision, rounds_for_precision,
};
use simulation::{Measured, SHAPES, SHIFTS, Shape, Terms, truth};

const PILOT_ROUNDS: u64 = 3;
const FIXED_ROUNDS: u64 = 6;
const MOST_ROUNDS: u64 = 18;
const MOST_PROCESSES: u64 = 24;
const PRECISION_PCT: f64 = 1.0;
const COUNTS: [usize; 5] = [1, 2, 3, 8, 24];
const ROUNDS: [f64; 3] = [0.0, 0.005, 0.01];
const RUNS: [f64; 3] = [0.0, 0.003, 0.015];

/// Which visits a run has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    /// So many rounds as were fixed beforehand.
    Fixed,
    /// As many rounds as the noise within the processes of the first ones calls for.
    Planned,
    /// After the rounds that were fixed, as many processes again join, for three rounds in which the first do not take part.
    Joining,
    /// After the rounds that were fixed, as many join as the second stage of Stein's procedure calls for.
    SecondStage,
    /// Every visit is by a process of its own, so many a round.
    FirstCalls,
    /// One round.
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

/// What a series of experiments comes to.
struct Outcome {
    /// Share of the crossed intervals that cover the true median.
    coverage: f64,
    /// Their mean width over the width of the best interval: the one of someone who knows between which ends the estimate
    /// lies 95% of the time.
    width: f64,
    /// Share of the intervals over the processes' medians alone that cover it.
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

/// Whether what is assumed of few processes is true.
fn within_prior(processes: usize, terms: Terms) -> bool {
    processes > 2 || 100.0 * terms.process <= PROCESS_PRIOR_PCT
}

/// Every combination of what processes, rounds and runs differ by.
fn all_terms() -> impl Iterator<Item = Terms> {
    let rounds = |process| ROUNDS.into_iter().map(move |round| (process, round));
    let terms = SHIFTS.into_iter().flat_map(rounds);
    terms.flat_map(|(process, round)| RUNS.into_iter().map(move |run| Terms { process, round, run }))
}

#[test]
#[ignore = "the long version: make bench-stats"]
fn the_long_table() {
    let n = std::env::var("N").map_or(4000, |n| n.parse().unwrap());
    println!(
        "{:<14} {:<11} {:>9} {:>7} {:>6} {:>6} {:>9} {:>6} {:>6} {:>9}",
        "shape", "layout", "processes", "process", "round", "run", "coverage", "width", "half", "before"
    );
    for shape in SHAPES {
        for layout in [LAYOUTS.as_slice(), &[Layout::SecondStage, Layout::FirstCalls, Layout::Single]].concat() {
            for processes in COUNTS {
                for terms in all_terms().filter(|terms| within_prior(processes, *terms)) {
                    let Outcome { coverage, width, before, half_pct } = outcome(shape, terms, processes, layout, n);
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
