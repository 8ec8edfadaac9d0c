//! The shape of version 1's payload. Order and types are the format: they never change.

use super::SamplesError;
use pqlab_record as record;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct Samples {
    metric: Metric,
    ns_per_tick: Option<f64>,
    batch: u64,
    visits: Vec<Visit>,
}

#[derive(Serialize, Deserialize)]
enum Metric {
    Wall,
    Tsc,
    Cycles,
    Instructions,
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

/// The least of the readings, and what each lies above it.
#[derive(Serialize, Deserialize)]
struct Readings {
    least: u64,
    above: Vec<u64>,
}

/// Lengths and delays are mostly whole; eight bytes for each would be most of the payload.
#[derive(Serialize, Deserialize)]
enum Values {
    Whole(Readings),
    Any(Vec<f64>),
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

/// The integer that stands for exactly this number, if one does: minus zero has none.
fn whole(value: f64) -> Option<u64> {
    let integer = value as u64;
    (value <= (1u64 << f64::MANTISSA_DIGITS) as f64 && (integer as f64).to_bits() == value.to_bits()).then_some(integer)
}

impl From<&record::Samples> for Samples {
    fn from(samples: &record::Samples) -> Samples {
        let metric = match samples.metric {
            record::Metric::Wall => Metric::Wall,
            record::Metric::Tsc => Metric::Tsc,
            record::Metric::Cycles => Metric::Cycles,
            record::Metric::Instructions => Metric::Instructions,
        };
        let visits = samples.visits.iter().map(Visit::from).collect();
        Samples { metric, ns_per_tick: samples.ns_per_tick, batch: samples.batch, visits }
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
        let metric = match samples.metric {
            Metric::Wall => record::Metric::Wall,
            Metric::Tsc => record::Metric::Tsc,
            Metric::Cycles => record::Metric::Cycles,
            Metric::Instructions => record::Metric::Instructions,
        };
        let visits = samples.visits.into_iter().map(record::Visit::try_from).collect::<Result<_, _>>()?;
        Ok(record::Samples { metric, ns_per_tick: samples.ns_per_tick, batch: samples.batch, visits })
    }
}

impl TryFrom<Visit> for record::Visit {
    type Error = SamplesError;

    fn try_from(visit: Visit) -> Result<record::Visit, SamplesError> {
        let extra = visit.extra.into_iter().map(|(name, values)| Ok((name, values.restore()?)));
        Ok(record::Visit {
            // Kept beside the visits, from version 2 on.
            start: 0,
            process: visit.process,
            round: visit.round,
            repeats: visit.repeats,
            disturbances: visit.disturbances.into_iter().map(record::Disturbance::from).collect(),
            clock_hz: visit.clock_hz,
            ticks: visit.ticks.restore()?,
            wall_ns: visit.wall_ns.restore()?,
            extra: extra.collect::<Result<_, SamplesError>>()?,
            // Kept beside the visits, from version 3 on.
            conditions: record::Conditions::default(),
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
