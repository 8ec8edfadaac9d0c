//! Stopwatches, which time the operations of a sample. A visit chooses one kind of stopwatch before its first sample.
//! The sampling loop is compiled separately for each kind, so it makes no decision between two readings.

use crate::clock::monotonic_ns;
use crate::counter::Counter;
use crate::own_time::OwnTime;
use crate::trial::{Fault, Recorder, Trial};

/// Readings for the samples of a visit.
#[derive(Debug)]
pub(crate) struct Readings {
    /// Number of ticks for each sample.
    pub(crate) ticks: Vec<u64>,
    /// Wall time of each sample in ns. Empty if the ticks already give the time.
    pub(crate) wall_ns: Vec<u64>,
}

/// Times the operations of a trial.
pub(crate) trait Stopwatch {
    /// Performs `operations` operations, for which the trial is already set up, and appends their readings to
    /// `readings`. Returns their total time in ns.
    ///
    /// # Errors
    /// [`Fault`] from the trial, or if the trial reports impossible times.
    fn time(
        &mut self,
        trial: &mut dyn Trial,
        operations: usize,
        recorder: &mut Recorder,
        readings: &mut Readings,
    ) -> Result<u64, Fault>;
}

/// Stopwatch for counters that run at a constant rate.
pub(crate) struct CounterAlone<'a> {
    pub(crate) counter: &'a mut dyn Counter,
    pub(crate) ns_per_tick: f64,
}

impl Stopwatch for CounterAlone<'_> {
    fn time(
        &mut self,
        trial: &mut dyn Trial,
        operations: usize,
        recorder: &mut Recorder,
        readings: &mut Readings,
    ) -> Result<u64, Fault> {
        self.counter.start();
        trial.routine(operations, recorder)?;
        let ticks = self.counter.stop();
        readings.ticks.push(ticks);
        Ok((ticks as f64 * self.ns_per_tick) as u64)
    }
}

/// Stopwatch for counters of cycles or instructions. It also reads the wall clock, before and after the counter.
pub(crate) struct CounterAndWall<'a> {
    pub(crate) counter: &'a mut dyn Counter,
}

impl Stopwatch for CounterAndWall<'_> {
    fn time(
        &mut self,
        trial: &mut dyn Trial,
        operations: usize,
        recorder: &mut Recorder,
        readings: &mut Readings,
    ) -> Result<u64, Fault> {
        let outer = monotonic_ns();
        self.counter.start();
        trial.routine(operations, recorder)?;
        readings.ticks.push(self.counter.stop());
        let wall_ns = monotonic_ns() - outer;
        readings.wall_ns.push(wall_ns);
        Ok(wall_ns)
    }
}

/// Stopwatch that reads only the wall clock, for multi-threaded trials. Counters of cycles and instructions would count
/// only one thread.
pub(crate) struct WallAlone;

impl Stopwatch for WallAlone {
    fn time(
        &mut self,
        trial: &mut dyn Trial,
        operations: usize,
        recorder: &mut Recorder,
        readings: &mut Readings,
    ) -> Result<u64, Fault> {
        let begin = monotonic_ns();
        trial.routine(operations, recorder)?;
        let wall_ns = monotonic_ns() - begin;
        readings.ticks.push(wall_ns);
        Ok(wall_ns)
    }
}

/// Stopwatch for operations that another process performs. Uses the time that the other process reports, if this
/// process's wall clock confirms it.
pub(crate) struct ProcessClock<'a> {
    pub(crate) own_time: &'a mut OwnTime,
    pub(crate) ns_per_tick: f64,
    /// Whether to record each sample's time in [`Readings::wall_ns`] as well.
    pub(crate) keeps_wall: bool,
}

impl Stopwatch for ProcessClock<'_> {
    fn time(
        &mut self,
        trial: &mut dyn Trial,
        operations: usize,
        recorder: &mut Recorder,
        readings: &mut Readings,
    ) -> Result<u64, Fault> {
        let begin = monotonic_ns();
        trial.routine(operations, recorder)?;
        let measured = monotonic_ns() - begin;
        let reported = trial.own_ns().ok_or_else(|| Fault::Library("the worker did not report its own time".into()))?;
        let kept = self.own_time.judge(reported, measured)?;
        readings.ticks.push((kept as f64 / self.ns_per_tick) as u64);
        if self.keeps_wall {
            readings.wall_ns.push(kept);
        }
        Ok(kept)
    }
}

/// Stopwatch for [waves](crate::trial::Demands::wave). The trial reports the time of each operation, and each operation
/// is a sample.
pub(crate) struct WaveTimes {
    pub(crate) ns_per_tick: f64,
}

impl Stopwatch for WaveTimes {
    fn time(
        &mut self,
        trial: &mut dyn Trial,
        operations: usize,
        recorder: &mut Recorder,
        readings: &mut Readings,
    ) -> Result<u64, Fault> {
        trial.routine(operations, recorder)?;
        let times = trial.own_samples();
        if times.len() != operations {
            let count = times.len();
            return Err(Fault::Library(format!("the trial reported {count} durations for {operations} operations")));
        }
        readings.ticks.extend(times.iter().map(|&ns| (ns as f64 / self.ns_per_tick) as u64));
        Ok(times.iter().sum())
    }
}
