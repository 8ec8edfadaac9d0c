//! Interleaved comparison of two ways to do the same work.
//!
//! The benchmark starts itself several times and computes intervals over these processes. Each process returns four
//! medians over its rounds: the time of each side, the ratio of the times, and their difference. In a round, the two
//! sides run one after the other in random order.

use pqlab_stats::{Interval, median, median_interval};
use std::env;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

/// Number of processes per comparison.
pub(crate) const PROCESSES: usize = 12;
/// Maximum number of measured rounds in a process, after up to [`WARM_UP`] rounds that are discarded.
const ROUNDS: usize = 400;
const WARM_UP: usize = 20;
/// Minimum number of rounds in a process. After these rounds, the process ends as soon as [`TIME`] has passed.
const FEWEST: usize = 5;
const TIME: Duration = Duration::from_millis(800);
/// Approximate duration of a batch if the comparison does not set the number of operations.
const LENGTH: Duration = Duration::from_micros(60);

/// One side of a comparison.
pub(crate) trait Work {
    /// Prepares a batch of operations. This preparation is not timed.
    fn ready(&mut self, _batch: usize) {}

    /// Runs a batch of operations.
    fn run(&mut self, batch: usize);
}

/// Boxed side of a comparison.
pub(crate) type Side = Box<dyn Work>;

impl<F: FnMut(usize)> Work for F {
    fn run(&mut self, batch: usize) {
        self(batch);
    }
}

/// Two ways to do the same work.
pub(crate) struct Comparison {
    /// Number of operations per batch. If `None`, the number is chosen so that a batch takes about [`LENGTH`].
    pub(crate) batch: Option<usize>,
    pub(crate) first: Side,
    pub(crate) second: Side,
}

/// Result of a comparison over all processes. Times are in ns per operation.
pub(crate) struct Found {
    pub(crate) first: f64,
    pub(crate) second: f64,
    /// Time of the first side divided by the time of the second side.
    pub(crate) ratio: Interval,
    /// Time of the first side minus the time of the second side.
    pub(crate) difference: Interval,
}

/// Returns the name of the comparison to run, if this process was started by [`find`]. Returns `None` in the process
/// that the user started.
pub(crate) fn requested() -> Option<String> {
    let mut arguments = env::args().skip(1);
    (arguments.next().as_deref() == Some("--child")).then(|| arguments.next()).flatten()
}

/// Returns the command-line arguments except those that cargo adds.
pub(crate) fn words() -> Vec<String> {
    env::args().skip(1).filter(|argument| argument != "--bench").collect()
}

/// Starts this program `processes` times to run the named comparison, and combines the results. The started processes
/// call [`answer`].
pub(crate) fn find(name: &str, processes: usize) -> Found {
    let children: Vec<[f64; 4]> = (0..processes).map(|_| ask(name)).collect();
    let column = |index: usize| -> Vec<Vec<f64>> { children.iter().map(|child| vec![child[index]]).collect() };
    let interval = |index| median_interval(&column(index), 0.95).expect("every process must print its numbers");
    let centre = |index| median(&column(index).concat()).expect("every process must print its numbers");
    Found { first: centre(0), second: centre(1), ratio: interval(2), difference: interval(3) }
}

fn ask(name: &str) -> [f64; 4] {
    let program = env::current_exe().expect("cannot find the path of this program");
    let output = Command::new(program).args(["--child", name]).output().expect("the benchmark cannot start itself");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let complaint = String::from_utf8_lossy(&output.stderr);
    numbers.try_into().unwrap_or_else(|_| panic!("{name}: not four numbers: {text:?}; standard error: {complaint:?}"))
}

/// Runs a comparison. Prints the times of both sides in ns per operation, their ratio and their difference.
pub(crate) fn answer(mut comparison: Comparison) {
    let batch = comparison.batch.unwrap_or_else(|| long_enough(&mut comparison.second));
    let (mut first, mut second, mut ratios, mut differences) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut order = std::process::id();
    let started = Instant::now();
    for round in 0..WARM_UP + ROUNDS {
        order = order.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (one, other) = if order >> 31 == 0 {
            let one = time(&mut comparison.first, batch);
            (one, time(&mut comparison.second, batch))
        } else {
            let other = time(&mut comparison.second, batch);
            (time(&mut comparison.first, batch), other)
        };
        // A single round is enough to warm up a long operation.
        if round >= WARM_UP || round > 0 && started.elapsed() > TIME / 4 {
            first.push(one);
            second.push(other);
            ratios.push(one / other);
            differences.push(one - other);
        }
        if ratios.len() >= FEWEST && started.elapsed() > TIME {
            break;
        }
    }
    for values in [first, second, ratios, differences] {
        print!("{} ", median(&values).expect("no round was measured"));
    }
    println!();
}

fn long_enough(side: &mut Side) -> usize {
    let mut batch = 1;
    // Warm up first, because the first call into a library may include one-time setup.
    time(side, batch);
    while batch < 1 << 16 && time(side, batch) * (batch as f64) < LENGTH.as_nanos() as f64 {
        batch *= 2;
    }
    batch
}

/// Runs a batch and returns the time per operation in ns.
pub(crate) fn time(side: &mut Side, batch: usize) -> f64 {
    side.ready(batch);
    let side = black_box(side);
    let started = Instant::now();
    side.run(batch);
    started.elapsed().as_nanos() as f64 / batch as f64
}
