//! Structure of the payload. The order and types of fields and variants define the format. This includes the types from
//! the record crate: [`Metric`], [`Chunk`], [`Residue`] and [`CpuTime`]. A test compares an encoded payload with fixed
//! bytes.

use super::SamplesError;
use pqlab_record::{self as record, Chunk, CpuTime, Metric, Residue};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Samples {
    metric: Metric,
    ns_per_tick: Option<f64>,
    batch: u64,
    visits: Vec<Visit>,
    /// Start of the run in which each visit was measured, run-length encoded. Each entry contains the index of a start,
    /// and the number of consecutive visits in that start.
    pub(super) starts: Vec<(u32, u64)>,
    /// Conditions of each visit.
    pub(super) conditions: Vec<Conditions>,
    /// CPU time of each visit, if it was measured.
    pub(super) cpu_times: Vec<Option<CpuTime>>,
}

#[derive(Serialize, Deserialize)]
struct Visit {
    process: u32,
    round: u32,
    repeats: u32,
    disturbances: Vec<Disturbance>,
    clock_hz: f64,
    ticks: Readings,
    wall_ns: Readings,
    extra: Vec<(String, Values)>,
}

#[derive(Serialize, Deserialize)]
enum Disturbance {
    Steal(f64),
    InvoluntarySwitches(u64),
    CpuShare(f64),
    Pressure(f64),
    ClockDrift(f64),
    SharedCore(f64),
    SharedCoreKept(f64),
    OtherTasks(u64),
}

/// The smallest reading, and the difference of each reading from it.
#[derive(Serialize, Deserialize)]
struct Readings {
    least: u64,
    above: Vec<u64>,
}

/// Values that the workload recorded itself, such as lengths and delays. Most are integers, which are stored in a
/// compact form. As 8-byte floats, these values would fill most of the payload.
#[derive(Serialize, Deserialize)]
enum Values {
    Whole(Readings),
    Any(Vec<f64>),
}

/// Conditions of a visit without its CPU time and its offsets.
#[derive(Serialize, Deserialize)]
pub(super) struct Conditions {
    chunks: Vec<Chunk>,
    processor: Option<u32>,
    residues: Option<Vec<Residue>>,
    first_call_ns: Option<f64>,
}

impl Readings {
    fn new(readings: &[u64]) -> Readings {
        let least = readings.iter().copied().min().unwrap_or(0);
        Readings { least, above: readings.iter().map(|reading| reading - least).collect() }
    }

    fn restore(self) -> Result<Vec<u64>, SamplesError> {
        let restored = self.above.into_iter().map(|above| self.least.checked_add(above).ok_or(SamplesError::Overflow));
        restored.collect()
    }
}

impl Values {
    fn new(values: &[f64]) -> Values {
        match values.iter().map(|&value| whole(value)).collect::<Option<Vec<u64>>>() {
            Some(whole) => Values::Whole(Readings::new(&whole)),
            None => Values::Any(values.to_vec()),
        }
    }

    fn restore(self) -> Result<Vec<f64>, SamplesError> {
        match self {
            Values::Whole(readings) => Ok(readings.restore()?.into_iter().map(|value| value as f64).collect()),
            Values::Any(values) => Ok(values),
        }
    }
}

/// Converts a number to an integer if it is one from 0 to 2^53. Returns `None` for all other numbers, including minus
/// zero.
fn whole(value: f64) -> Option<u64> {
    let integer = value as u64;
    (value <= (1u64 << f64::MANTISSA_DIGITS) as f64 && (integer as f64).to_bits() == value.to_bits()).then_some(integer)
}

impl From<&record::Samples> for Samples {
    fn from(samples: &record::Samples) -> Samples {
        let mut starts: Vec<(u32, u64)> = Vec::new();
        for visit in &samples.visits {
            match starts.last_mut() {
                Some((start, visits)) if *start == visit.start => *visits += 1,
                _ => starts.push((visit.start, 1)),
            }
        }
        Samples {
            metric: samples.metric,
            ns_per_tick: samples.ns_per_tick,
            batch: samples.batch,
            visits: samples.visits.iter().map(Visit::from).collect(),
            starts,
            conditions: samples.visits.iter().map(|visit| Conditions::from(&visit.conditions)).collect(),
            cpu_times: samples.visits.iter().map(|visit| visit.conditions.cpu_time).collect(),
        }
    }
}

impl From<&record::Visit> for Visit {
    fn from(visit: &record::Visit) -> Visit {
        Visit {
            process: visit.process,
            round: visit.round,
            repeats: visit.repeats,
            disturbances: visit.disturbances.iter().map(Disturbance::from).collect(),
            clock_hz: visit.clock_hz,
            ticks: Readings::new(&visit.ticks),
            wall_ns: Readings::new(&visit.wall_ns),
            extra: visit.extra.iter().map(|(name, values)| (name.clone(), Values::new(values))).collect(),
        }
    }
}

impl From<&record::Conditions> for Conditions {
    fn from(conditions: &record::Conditions) -> Conditions {
        Conditions {
            chunks: conditions.chunks.clone(),
            processor: conditions.processor,
            residues: conditions.residues.clone(),
            first_call_ns: conditions.first_call_ns,
        }
    }
}

impl From<&record::Disturbance> for Disturbance {
    fn from(disturbance: &record::Disturbance) -> Disturbance {
        match *disturbance {
            record::Disturbance::Steal { pct } => Disturbance::Steal(pct),
            record::Disturbance::InvoluntarySwitches { count } => Disturbance::InvoluntarySwitches(count),
            record::Disturbance::CpuShare { pct } => Disturbance::CpuShare(pct),
            record::Disturbance::Pressure { pct } => Disturbance::Pressure(pct),
            record::Disturbance::ClockDrift { pct } => Disturbance::ClockDrift(pct),
            record::Disturbance::SharedCore { pct, kept: false } => Disturbance::SharedCore(pct),
            record::Disturbance::SharedCore { pct, kept: true } => Disturbance::SharedCoreKept(pct),
            record::Disturbance::OtherTasks { count } => Disturbance::OtherTasks(count),
        }
    }
}

impl TryFrom<Samples> for record::Samples {
    type Error = SamplesError;

    fn try_from(samples: Samples) -> Result<record::Samples, SamplesError> {
        let Samples { metric, ns_per_tick, batch, visits, starts, conditions, cpu_times } = samples;
        let started = starts.iter().try_fold(0_u64, |sum, (_, visits)| sum.checked_add(*visits));
        if started != Some(visits.len() as u64) {
            return Err(SamplesError::Starts);
        }
        if conditions.len() != visits.len() {
            return Err(SamplesError::Conditions);
        }
        if cpu_times.len() != visits.len() {
            return Err(SamplesError::CpuTimes);
        }
        let starts = starts.into_iter().flat_map(|(start, visits)| (0..visits).map(move |_| start));
        let visits = visits.into_iter().zip(starts).zip(conditions).zip(cpu_times);
        let visits = visits.map(|(((visit, start), conditions), cpu_time)| visit.restore(start, conditions, cpu_time));
        Ok(record::Samples { metric, ns_per_tick, batch, visits: visits.collect::<Result<_, _>>()? })
    }
}

impl Visit {
    fn restore(
        self,
        start: u32,
        conditions: Conditions,
        cpu_time: Option<CpuTime>,
    ) -> Result<record::Visit, SamplesError> {
        let extra = self.extra.into_iter().map(|(name, values)| Ok((name, values.restore()?)));
        let Conditions { chunks, processor, residues, first_call_ns } = conditions;
        Ok(record::Visit {
            start,
            process: self.process,
            round: self.round,
            repeats: self.repeats,
            disturbances: self.disturbances.into_iter().map(record::Disturbance::from).collect(),
            clock_hz: self.clock_hz,
            ticks: self.ticks.restore()?,
            wall_ns: self.wall_ns.restore()?,
            extra: extra.collect::<Result<_, SamplesError>>()?,
            conditions: record::Conditions { chunks, processor, residues, first_call_ns, cpu_time, offsets: None },
        })
    }
}

impl From<Disturbance> for record::Disturbance {
    fn from(disturbance: Disturbance) -> record::Disturbance {
        match disturbance {
            Disturbance::Steal(pct) => record::Disturbance::Steal { pct },
            Disturbance::InvoluntarySwitches(count) => record::Disturbance::InvoluntarySwitches { count },
            Disturbance::CpuShare(pct) => record::Disturbance::CpuShare { pct },
            Disturbance::Pressure(pct) => record::Disturbance::Pressure { pct },
            Disturbance::ClockDrift(pct) => record::Disturbance::ClockDrift { pct },
            Disturbance::SharedCore(pct) => record::Disturbance::SharedCore { pct, kept: false },
            Disturbance::SharedCoreKept(pct) => record::Disturbance::SharedCore { pct, kept: true },
            Disturbance::OtherTasks(count) => record::Disturbance::OtherTasks { count },
        }
    }
}
