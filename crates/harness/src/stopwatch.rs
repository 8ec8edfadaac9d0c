//! Stopwatches: how the operations of a sample are timed. A visit picks one before its first sample, and its loop is compiled for
//! each kind, so that nothing is decided between two readings.

use crate::clock::monotonic_ns;
use crate::counter::Counter;
use crate::own_time::OwnTime;
use crate::trial::{Fault, Recorder, Trial};

/// Readings of the samples of a visit.
#[derive(Debug)]
pub(crate) struct Readings {
    /// The counter's reading for each sample.
    pub(crate) ticks: Vec<u64>,
    /// Wall time of each sample in ns; empty if it follows from the ticks.
    pub(crate) wall_ns: Vec<u64>,
}

/// Times the operations of a trial.
pub(crate) trait Stopwatch {
    /// Performs `operations`, for which the trial is set up, and adds what they took to `readings`. Returns their time in ns.
    ///
    /// # Errors
    /// [`Fault`] of the trial, or for times that it reports and that cannot be right.
    fn time(
        &mut self,
        trial: &mut dyn Trial,
        operations: usize,
        recorder: &mut Recorder,
        readings: &mut Readings,
    ) -> Result<u64, Fault>;
}

/// A counter that runs at a constant rate.
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

/// A counter of cycles or instructions, with the wall clock around it.
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

/// The wall clock: cycles and instructions are counted for one thread only, and the trial has threads of its own.
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

/// The clock of the process that performs the operations, as far as the wall clock around them confirms it.
pub(crate) struct ProcessClock<'a> {
    pub(crate) own_time: &'a mut OwnTime,
    pub(crate) ns_per_tick: f64,
    /// Whether a sample keeps its wall time too.
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
        let said = trial.own_ns().ok_or_else(|| Fault::Library("the worker did not report its own time".into()))?;
        let kept = self.own_time.judge(said, measured)?;
        readings.ticks.push((kept as f64 / self.ns_per_tick) as u64);
        if self.keeps_wall {
            readings.wall_ns.push(kept);
        }
        Ok(kept)
    }
}

/// The times that the trial reports for the operations of a wave, each of which is a sample.
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
        let told = trial.own_samples();
        if told.len() != operations {
            return Err(Fault::Library(format!("the trial reported {} times for {operations} operations", told.len())));
        }
        readings.ticks.extend(told.iter().map(|&ns| (ns as f64 / self.ns_per_tick) as u64));
        Ok(told.iter().sum())
    }
}
