//! Two ways to do the same work, interleaved.
//!
//! The process is the unit of repetition: the benchmark starts itself several times, and each process gives one ratio,
//! the median over rounds in which both sides run one after the other in random order. Printed: the ratio of the two,
//! with the 95% interval over processes.

use pqlab_stats::{median, median_interval};
use std::env;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

/// Processes a comparison.
const PROCESSES: usize = 12;
/// Rounds in a process.
const ROUNDS: usize = 400;

/// Two ways to do the same work, and how often they do it in a round.
pub(crate) struct Comparison {
    /// What the ratio is of.
    pub(crate) what: String,
    pub(crate) batch: usize,
    /// What the ratio has above the line.
    pub(crate) adapter: Box<dyn FnMut(usize)>,
    /// What the ratio has below the line.
    pub(crate) bare: Box<dyn FnMut(usize)>,
}

/// Runs the comparisons that `names` names and `build` makes, in processes of this program.
pub(crate) fn compare(names: impl FnOnce() -> Vec<String>, build: impl Fn(&str) -> Comparison) {
    let mut arguments = env::args().skip(1);
    if let (Some("--child"), Some(name)) = (arguments.next().as_deref(), arguments.next()) {
        child(build(&name));
        return;
    }
    println!("{:<72} {:>11} {:>11}   ratio, 95% interval over {PROCESSES} processes", "", "first", "second");
    for name in names() {
        let what = build(&name).what;
        let children: Vec<(f64, f64, f64)> = (0..PROCESSES).map(|_| ask_child(&name)).collect();
        let ratios: Vec<Vec<f64>> = children.iter().map(|child| vec![child.0]).collect();
        let interval = median_interval(&ratios, 0.95).expect("every process gives a ratio");
        let center = |pick: fn(&(f64, f64, f64)) -> f64| {
            median(&children.iter().map(pick).collect::<Vec<_>>()).expect("every process gives a time")
        };
        println!(
            "{what:<72} {:>8.1} ns {:>8.1} ns   {:.4} [{:.4}, {:.4}]",
            center(|child| child.1),
            center(|child| child.2),
            interval.estimate,
            interval.low,
            interval.high
        );
    }
}

fn ask_child(name: &str) -> (f64, f64, f64) {
    let program = env::current_exe().expect("a running program has a path");
    let output = Command::new(program).args(["--child", name]).output().expect("a benchmark can start itself");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(|word| word.parse().expect("a child prints three numbers"));
    let mut next = || numbers.next().expect("a child prints three numbers");
    (next(), next(), next())
}

/// Prints the ratio, and the times of one operation in ns on either side.
fn child(mut comparison: Comparison) {
    let batch = comparison.batch;
    let mut order = std::process::id();
    let (mut ratios, mut adapter, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS + 20 {
        order = order.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (first, second) = if order >> 31 == 0 {
            let first = time(&mut comparison.adapter, batch);
            (first, time(&mut comparison.bare, batch))
        } else {
            let second = time(&mut comparison.bare, batch);
            (time(&mut comparison.adapter, batch), second)
        };
        if round >= 20 {
            ratios.push(first / second);
            adapter.push(first);
            bare.push(second);
        }
    }
    let center = |values: &[f64]| median(values).expect("rounds were run");
    println!("{} {} {}", center(&ratios), center(&adapter), center(&bare));
}

/// Time of one operation in ns.
pub(crate) fn time(work: &mut Box<dyn FnMut(usize)>, batch: usize) -> f64 {
    let started = Instant::now();
    black_box(work)(batch);
    started.elapsed().as_nanos() as f64 / batch as f64
}
