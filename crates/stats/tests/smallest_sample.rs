//! Compares the lower end of a median's interval with the smallest sample.

#![allow(clippy::unwrap_used)]

mod simulation;

use fastrand::Rng;
use pqlab_stats::{CONFIDENCE, Interval, RunSpread, Sorted, crossed};
use simulation::{MEDIAN, Measured, SHAPES, Shape, Terms, truth};

const EXPERIMENTS: usize = 1500;
const NO_RUNS: RunSpread = RunSpread { pct: 0.0, degrees_of_freedom: 20 };

fn measured(shape: Shape, terms: Terms, processes: usize, rounds: usize, rng: &mut Rng) -> (Interval, f64) {
    let mut run = Measured::start(shape, terms, rng);
    run.join(processes, rng);
    (0..rounds).for_each(|_| run.round(0, rng));
    let interval = crossed(&run.cells).unwrap().interval(run.headline(), NO_RUNS, 0.0, CONFIDENCE);
    (interval, Sorted::new(run.samples.concat()).unwrap().as_slice()[0])
}

#[test]
fn intervals_begin_above_the_smallest_sample_if_processes_agree() {
    let mut rng = Rng::with_seed(1);
    for shape in SHAPES {
        // Three processes leave two degrees of freedom, so intervals are wide. For an operation
        // with two paths, an interval may then begin below all samples.
        for (processes, rounds, most_pct) in [(3, 3, 10), (8, 6, 1)] {
            let terms = Terms { process: 0.0, round: 0.0, run: 0.0 };
            let below = (0..EXPERIMENTS).filter(|_| {
                let (interval, least) = measured(shape, terms, processes, rounds, &mut rng);
                interval.low < least
            });
            let below = below.count();
            assert!(
                below <= EXPERIMENTS * most_pct / 100,
                "{shape:?}, {processes} processes: {below} of {EXPERIMENTS} begin below"
            );
        }
    }
}

/// If processes differ much more than the samples within a process, the long-run median is often below all samples from
/// three processes.
#[test]
fn clipping_at_the_smallest_sample_loses_coverage() {
    let mut rng = Rng::with_seed(2);
    let (mut whole, mut cut) = (0, 0);
    for _ in 0..EXPERIMENTS {
        let shifts: Vec<f64> = (0..3).map(|_| 0.05 * simulation::normal(&mut rng)).collect();
        let mut cells = Vec::new();
        let mut samples = Vec::new();
        for (process, shift) in shifts.iter().enumerate() {
            for round in 0..6 {
                let visit: Vec<f64> =
                    (0..20).map(|_| MEDIAN * (shift + 0.001 * simulation::normal(&mut rng)).exp()).collect();
                let value = pqlab_stats::median(&visit).unwrap().ln();
                cells.push(pqlab_stats::Cell { process: process as u64, round, value });
                samples.extend(visit);
            }
        }
        let sorted = Sorted::new(samples).unwrap();
        let interval = crossed(&cells).unwrap().interval(sorted.median(), NO_RUNS, 0.0, CONFIDENCE);
        let covers = |low: f64| low <= MEDIAN && MEDIAN <= interval.high;
        whole += usize::from(covers(interval.low));
        cut += usize::from(covers(interval.low.max(sorted.as_slice()[0])));
    }
    let share = |count: usize| count as f64 / EXPERIMENTS as f64;
    assert!(share(whole) >= 0.94, "coverage of the whole interval: {}", share(whole));
    assert!(share(cut) < 0.90, "coverage if cut at the smallest sample: {}", share(cut));
}

#[test]
fn intervals_of_positive_times_are_positive() {
    let mut rng = Rng::with_seed(3);
    for shape in SHAPES {
        for processes in [1, 2, 3] {
            for rounds in [1, 2, 3] {
                let terms = Terms { process: 0.1, round: 0.1, run: 0.0 };
                for _ in 0..50 {
                    let (interval, _) = measured(shape, terms, processes, rounds, &mut rng);
                    let wild = RunSpread { pct: 200.0, degrees_of_freedom: 1 };
                    let wider = crossed(&[pqlab_stats::Cell { process: 0, round: 0, value: 1.0 }]).unwrap();
                    let wider = wider.interval(1.0_f64.exp(), wild, 5.0, CONFIDENCE);
                    assert!(interval.low > 0.0 && wider.low >= 0.0, "negative time in {interval:?} or {wider:?}");
                }
            }
        }
        assert!(truth(shape, 0.0) > 0.0);
    }
}
