//! Simulates measurements with a known true median. Processes visit a case in rounds and return samples.

#![allow(clippy::unwrap_used, dead_code, unused_imports, unused_macros)]

use fastrand::Rng;
use pqlab_stats::{Cell, median};
use statrs::distribution::{ContinuousCDF, Normal};

pub(crate) const SAMPLES_PER_VISIT: usize = 20;
pub(crate) const MEDIAN: f64 = 10.0;

/// Returns a standard normal number, computed by the polar method of Marsaglia and Bray, "A Convenient Method for
/// Generating Normal Variables", SIAM Review 6 (1964).
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    loop {
        let (u, v) = (2.0 * rng.f64() - 1.0, 2.0 * rng.f64() - 1.0);
        let square = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// Distribution of the samples within a process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    Normal,
    LogNormal,
    /// Three in four operations take the fast path, the rest the slow path.
    Bimodal,
    /// Student's t with two degrees of freedom, whose variance is infinite.
    HeavyTailed,
    /// Samples with a first-order autocorrelation of 0.9.
    Autocorrelated,
}

pub(crate) const SHAPES: [Shape; 5] =
    [Shape::Normal, Shape::LogNormal, Shape::Bimodal, Shape::HeavyTailed, Shape::Autocorrelated];

/// Defines one test per shape, so that the tests run in parallel.
macro_rules! tests_of_shapes {
    ($holds:ident) => {
        #[test]
        fn intervals_of_normal_times_cover() {
            $holds(Shape::Normal);
        }

        #[test]
        fn intervals_of_log_normal_times_cover() {
            $holds(Shape::LogNormal);
        }

        #[test]
        fn intervals_of_bimodal_times_cover() {
            $holds(Shape::Bimodal);
        }

        #[test]
        fn intervals_of_heavy_tailed_times_cover() {
            $holds(Shape::HeavyTailed);
        }

        #[test]
        fn intervals_of_autocorrelated_times_cover() {
            $holds(Shape::Autocorrelated);
        }
    };
}
pub(crate) use tests_of_shapes;

/// Standard deviations between processes, relative to the median.
pub(crate) const SHIFTS: [f64; 3] = [0.001, 0.004, 0.015];

const SLOW_PATH: f64 = 1.4;
const SHARE_OF_FAST: f64 = 0.75;
const PATH_NOISE: f64 = 0.03;

/// A process with its offset, and the last noise value if samples are autocorrelated.
pub(crate) struct Process {
    shape: Shape,
    shift: f64,
    memory: f64,
}

impl Process {
    pub(crate) fn start(shape: Shape, shift: f64, rng: &mut Rng) -> Process {
        Process { shape, shift: shift * normal(rng), memory: normal(rng) }
    }

    pub(crate) fn sample(&mut self, rng: &mut Rng) -> f64 {
        self.sample_with(0.0, rng)
    }

    /// Returns a sample that includes `common`, the sum of the round and run effects relative to the median.
    pub(crate) fn sample_with(&mut self, common: f64, rng: &mut Rng) -> f64 {
        let shift = self.shift + common;
        let noise = match self.shape {
            Shape::Normal => 1.0 + 0.08 * normal(rng),
            Shape::LogNormal => (0.08 * normal(rng)).exp(),
            Shape::Bimodal => (if rng.f64() < SHARE_OF_FAST { 1.0 } else { SLOW_PATH }) + PATH_NOISE * normal(rng),
            Shape::HeavyTailed => 1.0 + 0.05 * normal(rng) / (normal(rng).hypot(normal(rng)) / 2.0_f64.sqrt()),
            Shape::Autocorrelated => {
                self.memory = 0.9 * self.memory + (1.0_f64 - 0.81).sqrt() * normal(rng);
                1.0 + 0.02 * self.memory
            }
        };
        match self.shape {
            Shape::LogNormal => MEDIAN * noise * shift.exp(),
            _ => MEDIAN * (noise + shift),
        }
    }
}

/// Returns the true median over processes, rounds and samples. `shift` is the combined standard deviation of the
/// process, round and run effects.
pub(crate) fn truth(shape: Shape, shift: f64) -> f64 {
    if shape != Shape::Bimodal {
        return MEDIAN;
    }
    let path = |time: f64, centre: f64| Normal::new(centre, PATH_NOISE.hypot(shift)).unwrap().cdf(time);
    let below = |time: f64| SHARE_OF_FAST * path(time, 1.0) + (1.0 - SHARE_OF_FAST) * path(time, SLOW_PATH);
    let (mut low, mut high) = (0.5, 2.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if below(middle) < 0.5 { low = middle } else { high = middle }
    }
    MEDIAN * low
}

/// Standard deviations of the process, round and run effects, relative to the median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Terms {
    pub(crate) process: f64,
    pub(crate) round: f64,
    pub(crate) run: f64,
}

/// A run in progress.
pub(crate) struct Measured {
    shape: Shape,
    terms: Terms,
    /// Effect of this run.
    run: f64,
    processes: Vec<Process>,
    pub(crate) rounds: u64,
    /// The samples of each process.
    pub(crate) samples: Vec<Vec<f64>>,
    /// The medians of the visits of each process.
    pub(crate) visits: Vec<Vec<f64>>,
    pub(crate) cells: Vec<Cell>,
}

impl Measured {
    pub(crate) fn start(shape: Shape, terms: Terms, rng: &mut Rng) -> Measured {
        let run = terms.run * normal(rng);
        Measured { shape, terms, run, processes: vec![], rounds: 0, samples: vec![], visits: vec![], cells: vec![] }
    }

    /// Starts additional processes.
    pub(crate) fn join(&mut self, processes: usize, rng: &mut Rng) {
        for _ in 0..processes {
            self.processes.push(Process::start(self.shape, self.terms.process, rng));
            self.samples.push(vec![]);
            self.visits.push(vec![]);
        }
    }

    /// Runs one round with the processes from index `from` on.
    pub(crate) fn round(&mut self, from: usize, rng: &mut Rng) {
        let common = self.run + self.terms.round * normal(rng);
        for index in from..self.processes.len() {
            let process = &mut self.processes[index];
            let visit: Vec<f64> = (0..SAMPLES_PER_VISIT).map(|_| process.sample_with(common, rng)).collect();
            let median = median(&visit).unwrap();
            self.visits[index].push(median);
            self.cells.push(Cell { process: index as u64, round: self.rounds, value: median.ln() });
            self.samples[index].extend(visit);
        }
        self.rounds += 1;
    }

    pub(crate) fn headline(&self) -> f64 {
        median(&self.samples.concat()).unwrap()
    }
}
