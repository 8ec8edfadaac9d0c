//! Counters for core cycles, instructions, TSC ticks, and nanoseconds of the monotonic clock.
//!
//! A TSC tick is not a core cycle: the rate of the time-stamp counter (TSC) does not follow the core's clock.

mod estimated;
mod probe;
mod tsc;
mod wall;

pub use estimated::estimated_over_counted;
pub use probe::{CounterSource, EventProbe, Missing, Probes};
pub use tsc::{Baseline, TscProbe, calibrate_tsc};

use crate::clock::{core_clock_hz, monotonic_ns};
use crate::system::{Here, System};
use pqlab_record::{CounterChoice, Counters, Metric};
use std::sync::OnceLock;
use std::time::Duration;

/// Number of empty pairs (two consecutive readings with nothing in between) that determine a counter's resolution and
/// overhead.
const PAIRS: usize = 1_001;

/// Separator between the reason why a counter is unavailable and the remedy.
pub(crate) const REMEDY: &str = ". Remedy: ";

/// Time spent on measuring the rate of a time-stamp counter when it is opened.
const CALIBRATION: Duration = Duration::from_millis(50);

/// Counter that one thread starts and stops.
pub trait Counter: Send {
    /// Returns the counted quantity.
    fn metric(&self) -> Metric;
    /// Starts counting.
    fn start(&mut self);
    /// Stops counting, and returns the count since the start.
    fn stop(&mut self) -> u64;
}

/// Reason why a counter could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum CounterError {
    /// The requested counter is not available on this machine.
    #[error("counter `{counter}` is not available: {reason}{REMEDY}{remedy}")]
    Unavailable {
        /// Name of the counter.
        counter: &'static str,
        /// Reason for the unavailability.
        reason: String,
        /// Remedy that makes it available.
        remedy: String,
    },
    /// A counter that was available could not be opened.
    #[error("counter `{counter}` could not be opened: {error}")]
    Open {
        /// Name of the counter.
        counter: &'static str,
        /// Error from the kernel.
        error: std::io::Error,
    },
}

/// An open counter and its properties.
pub struct Selected {
    /// The counter. It counts only the thread that opened it, and must stay on that thread.
    pub counter: Box<dyn Counter>,
    /// The counter's quantity, and the instruction or call that reads it.
    pub source: CounterSource,
    /// Nanoseconds per tick if the rate is constant; `None` for cycles and instructions.
    pub ns_per_tick: Option<f64>,
    /// Smallest non-zero step between consecutive readings, in ns. For cycles and instructions, this is the step of the
    /// monotonic clock, which measures the duration of those samples.
    pub resolution_ns: f64,
    /// Median time of a pair of readings with nothing between them, in ns. For cycles and instructions, the monotonic
    /// clock is read before and after the pair.
    pub overhead_ns: f64,
    /// Median count for a pair of readings with nothing between them, in ticks.
    pub overhead_ticks: f64,
    /// Unavailable counters, each with the reason and the remedy.
    pub unavailable: Vec<(String, String)>,
}

impl Selected {
    /// Returns the counter's resolution or the cost of a pair of readings, whichever is larger, in ns. A sample must
    /// take much longer than this. If readings need a system call, their cost is a hundred times the resolution.
    pub fn grain_ns(&self) -> f64 {
        self.resolution_ns.max(self.overhead_ns)
    }

    /// Returns a description of the counter for the record. Also estimates the core's clock rate, which takes a
    /// fraction of a millisecond.
    pub fn describe(&self) -> Counters {
        Counters {
            primary: self.source.metric().name().to_owned(),
            ticks_per_second: self.ns_per_tick.map(|ns| 1e9 / ns),
            core_clock_estimate_hz: Some(core_clock_hz()),
            resolution_ns: self.resolution_ns,
            overhead_ns: self.overhead_ns,
            unavailable: self.unavailable.clone(),
        }
    }
}

/// Tries every counter of this machine on the calling thread. Takes well under a millisecond.
pub fn probe() -> Probes {
    let found = Probes {
        cycles: Here::probe_event(Metric::Cycles),
        instructions: Here::probe_event(Metric::Instructions),
        tsc: tsc::probe(),
        paranoid: Here::perf_event_paranoid(),
    };
    match PRETENDED.get() {
        Some(machine) => found.pretending(machine),
        None => found,
    }
}

/// Simulated machine without performance counters, for tests.
#[derive(Clone, Copy, Debug)]
pub struct Pretended {
    /// Whether the kernel forbids the counters. If `false`, the machine has none.
    pub forbidden: bool,
    /// Value of `kernel.perf_event_paranoid`, if it exists.
    pub paranoid: Option<i32>,
}

static PRETENDED: OnceLock<Pretended> = OnceLock::new();

/// Makes this process report the counters of a simulated machine. For tests only.
pub fn pretend(machine: Pretended) {
    PRETENDED.get_or_init(|| machine);
}

/// Opens the chosen counter for the calling thread. Opening a time-stamp counter takes 50 ms, because its rate is
/// measured.
///
/// # Errors
/// [`CounterError::Unavailable`] if the chosen counter is not available. The message gives the reason and the remedy.
pub fn open(choice: CounterChoice) -> Result<Selected, CounterError> {
    open_at_rate(choice, None)
}

/// Opens a counter like [`open`], but with a known rate of the time-stamp counter. One process in a run measures the
/// rate, so that all processes convert ticks with the same number.
///
/// # Errors
/// The same errors as [`open`].
pub fn open_at_rate(choice: CounterChoice, ticks_per_second: Option<f64>) -> Result<Selected, CounterError> {
    let probes = probe();
    let source = probes.choose(choice)?;
    let mut counter = open_source(source)?;
    let ns_per_tick = match source {
        CounterSource::Wall => Some(1.0),
        CounterSource::Tsc => ticks_per_second.or_else(|| calibrate_tsc(CALIBRATION)).map(|rate| 1e9 / rate),
        CounterSource::User(_) | CounterSource::Kernel(_) => None,
    };
    let ticks = Empty::measure(counter.as_mut());
    let (resolution_ns, overhead_ns) = match ns_per_tick {
        Some(ns) => (ticks.step * ns, ticks.median * ns),
        None => (Empty::measure(&mut wall::Wall::default()).step, wall_of_empty_pairs(counter.as_mut())),
    };
    Ok(Selected {
        counter,
        source,
        ns_per_tick,
        resolution_ns,
        overhead_ns,
        overhead_ticks: ticks.median,
        unavailable: probes
            .missing()
            .into_iter()
            .map(|Missing { counter, reason, remedy }| (counter.to_owned(), format!("{reason}{REMEDY}{remedy}")))
            .collect(),
    })
}

fn open_source(source: CounterSource) -> Result<Box<dyn Counter>, CounterError> {
    match source {
        CounterSource::Wall => Ok(Box::new(wall::Wall::default())),
        CounterSource::Tsc => Ok(Box::new(tsc::Tsc::default())),
        CounterSource::User(metric) => open_event(metric, true),
        CounterSource::Kernel(metric) => open_event(metric, false),
    }
}

fn open_event(metric: Metric, user: bool) -> Result<Box<dyn Counter>, CounterError> {
    Here::open_event(metric, user).map_err(|error| CounterError::Open { counter: metric.name(), error })
}

/// Results from empty pairs of readings, in ticks.
struct Empty {
    /// Smallest count that is not zero, or zero if all counts are zero.
    step: f64,
    median: f64,
}

impl Empty {
    fn measure(counter: &mut dyn Counter) -> Empty {
        let mut pairs: Vec<u64> = (0..PAIRS)
            .map(|_| {
                counter.start();
                counter.stop()
            })
            .collect();
        pairs.sort_unstable();
        let step = pairs.iter().copied().find(|&pair| pair > 0).unwrap_or(0);
        Empty { step: step as f64, median: pairs[PAIRS / 2] as f64 }
    }
}

/// Returns the median time of an empty pair, in ns: from before the first reading until after the second.
fn wall_of_empty_pairs(counter: &mut dyn Counter) -> f64 {
    let mut pairs: Vec<u64> = (0..PAIRS)
        .map(|_| {
            let begin = monotonic_ns();
            counter.start();
            counter.stop();
            monotonic_ns() - begin
        })
        .collect();
    pairs.sort_unstable();
    pairs[PAIRS / 2] as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_testing::{Need, require};

    /// Simulated counter whose readings repeat.
    struct Scripted(std::iter::Cycle<std::array::IntoIter<u64, 5>>);

    impl Counter for Scripted {
        fn metric(&self) -> Metric {
            Metric::Cycles
        }

        fn start(&mut self) {}

        fn stop(&mut self) -> u64 {
            self.0.next().unwrap()
        }
    }

    #[test]
    fn resolution_is_the_smallest_step_and_overhead_the_median() {
        let empty = Empty::measure(&mut Scripted([0, 9, 3, 4, 4].into_iter().cycle()));
        assert_eq!((empty.step, empty.median), (3.0, 4.0));
    }

    #[test]
    fn samples_are_long_compared_with_the_cost_of_a_reading() {
        let mut selected = open(CounterChoice::Wall).unwrap();
        (selected.resolution_ns, selected.overhead_ns) = (20.0, 900.0);
        assert_eq!(selected.grain_ns(), 900.0);
        selected.overhead_ns = 15.0;
        assert_eq!(selected.grain_ns(), 20.0);
    }

    #[test]
    fn the_wall_clock_counts_nanoseconds() {
        let mut selected = open(CounterChoice::Wall).unwrap();
        assert_eq!((selected.source, selected.ns_per_tick), (CounterSource::Wall, Some(1.0)));
        assert!(selected.resolution_ns > 0.0 && selected.overhead_ns >= 0.0);
        selected.counter.start();
        std::thread::sleep(Duration::from_millis(2));
        assert!(selected.counter.stop() >= 2_000_000);
    }

    #[test]
    fn every_available_counter_opens_and_counts() {
        for source in probe().available() {
            let choice = match source.metric() {
                Metric::Wall => CounterChoice::Wall,
                Metric::Tsc => CounterChoice::Tsc,
                Metric::Cycles => CounterChoice::Cycles,
                Metric::Instructions => CounterChoice::Instructions,
            };
            let mut selected = open(choice).unwrap();
            assert_eq!(selected.source, source);
            assert_eq!(selected.counter.metric(), source.metric());
            assert_eq!(selected.ns_per_tick.is_some(), matches!(source, CounterSource::Wall | CounterSource::Tsc));
            selected.counter.start();
            for turn in 0..100_000 {
                std::hint::black_box(turn);
            }
            assert!(selected.counter.stop() > 0, "{source:?}");
        }
    }

    #[test]
    fn refuses_missing_counters_with_the_reason() {
        for (name, reason) in open(CounterChoice::Best).unwrap().unavailable {
            let choice = match name.as_str() {
                "cycles" => CounterChoice::Cycles,
                "instructions" => CounterChoice::Instructions,
                "tsc" => CounterChoice::Tsc,
                _ => continue,
            };
            let error = open(choice).err().unwrap().to_string();
            assert_eq!(error, format!("counter `{name}` is not available: {reason}"));
        }
    }

    #[test]
    fn uses_a_given_rate() {
        require!(probe().tsc == TscProbe::Invariant, Need::Machine("a time-stamp counter with a constant rate"));
        let selected = open_at_rate(CounterChoice::Tsc, Some(2e9)).unwrap();
        assert_eq!(selected.ns_per_tick, Some(0.5));
        let described = selected.describe();
        assert_eq!((described.primary.as_str(), described.ticks_per_second), ("tsc", Some(2e9)));
        assert!(described.core_clock_estimate_hz.is_some());
    }
}
