//! Summaries of earlier runs and of runs on other machines, for a report on the newest run.

use crate::case::CaseAnalysis;
use crate::comparison::{ComparisonCriteria, Difference, Figure, Measured, differences_of_builds, ratio_apart};
use pqlab_record::{Environment, Run, RunHeader, RunSpreads, Unit};
use pqlab_stats::{Interval, RunSpread};
use std::collections::HashMap;

/// Distance of control limits from the center, in standard deviations.
pub const CONTROL: f64 = 3.0;

/// A run without its samples.
#[derive(Clone, Debug)]
pub struct Past {
    /// Id of the run.
    pub id: String,
    /// Names of the suites.
    pub suite: String,
    /// Start time: RFC 3339, UTC.
    pub started_at: String,
    /// Machine, build and counters.
    pub environment: Environment,
    /// Whether every case of the plan has a record.
    pub complete: bool,
    /// Times in ns with their intervals, by case id: medians, or means for cases that are compared by their means.
    pub medians: HashMap<String, Interval>,
    /// Number of cases that failed.
    pub failed: usize,
    /// Times of the cases in the form that comparisons need, by case id.
    figures: HashMap<String, Figure>,
    /// Spread between runs, as stored with the run.
    spreads: RunSpreads,
}

impl Past {
    /// Computes the times of a run and drops its samples.
    pub fn new(run: &Run) -> Past {
        let (mut medians, mut figures) = (HashMap::new(), HashMap::new());
        for record in &run.records {
            let case = CaseAnalysis::new(&run.header, record);
            let figure = case.measured().and_then(|measured| measured.figure(Unit::Nanoseconds));
            figures.extend(figure.map(|figure| (record.case.id(), figure)));
            medians.extend(case.time().map(|time| (record.case.id(), time)));
        }
        Past {
            id: run.header.id.clone(),
            suite: run.header.suite.clone(),
            started_at: run.header.started_at.clone(),
            environment: run.header.environment.clone(),
            complete: run.complete,
            failed: run.records.iter().filter(|record| record.error.is_some()).count(),
            medians,
            figures,
            spreads: run.header.protocol.run_spreads.clone(),
        }
    }

    /// Returns the ratio of a case's time in this past run to its time in `run`, with its interval. A comparison of the
    /// two runs gives the same ratio. Returns `None` if either run lacks usable figures of the case.
    pub fn time_over(&self, run: &RunHeader, case: &Measured<'_>) -> Option<Interval> {
        let here = case.figure(Unit::Nanoseconds)?;
        let id = case.record().case.id();
        Some(ratio_apart(&here, self.figures.get(&id)?, self.runs_apart(run, &id))?.ratio)
    }

    /// Returns the spread of a case to expect between this run and `run` if nothing changed: the larger of the two
    /// stored spreads.
    fn runs_apart(&self, run: &RunHeader, id: &str) -> RunSpread {
        let [here, there] = [&run.protocol.run_spreads, &self.spreads].map(|spreads| spreads.of_case(id));
        larger_spread(&here, &there)
    }

    /// Returns the control limits for the ratio of a case's time in this run to its time in `run`. On a logarithmic
    /// scale, the limits are [three standard deviations](CONTROL) below and above a ratio of 1. The standard deviation
    /// comes from the spread between runs over all cases. Returns `None` if the spread is unknown.
    pub fn control_limits(&self, run: &RunHeader) -> Option<[f64; 2]> {
        let deviation = std::f64::consts::SQRT_2 * larger_spread(&run.protocol.run_spreads, &self.spreads).pct / 100.0;
        (deviation > 0.0 && deviation.is_finite()).then(|| [(-CONTROL * deviation).exp(), (CONTROL * deviation).exp()])
    }

    /// Returns the changes between this run and `later` that may affect figures: libraries, compiler and machine.
    pub fn changes_until(&self, later: &Environment) -> Vec<Difference> {
        differences_of_builds(&self.environment, later)
    }

    /// Returns whether this run was measured on the same machine as `run`, judging by the environments.
    pub fn same_machine(&self, run: &Run) -> bool {
        same_machine(&self.environment, &run.header.environment)
    }
}

/// Returns the larger of two spreads between the times of runs.
fn larger_spread(one: &RunSpreads, other: &RunSpreads) -> RunSpread {
    ComparisonCriteria::default().between(one, other).runs(Unit::Nanoseconds)
}

impl CaseAnalysis<'_> {
    /// Returns the ratio of the case's time in `past` to its time in this run, with its interval. Returns `None` if
    /// either run lacks usable figures of the case.
    pub fn time_over(&self, past: &Past) -> Option<Interval> {
        past.time_over(self.header(), self.measured()?)
    }
}

/// Returns whether two environments describe the same machine, judging by host name, processor and number of cores.
pub fn same_machine(one: &Environment, other: &Environment) -> bool {
    one.host.name == other.host.name && one.cpu.model == other.cpu.model && one.cpu.cores == other.cpu.cores
}

/// Selects the newest run from each machine other than the machine of `run`. `past` must be ordered from oldest to
/// newest. Returns the newest run first.
pub fn other_machines<'p>(run: &Run, past: &'p [Past]) -> Vec<&'p Past> {
    let mut others: Vec<&Past> = Vec::new();
    for past in past.iter().rev().filter(|past| !past.same_machine(run)) {
        if others.iter().all(|other| !same_machine(&other.environment, &past.environment)) {
            others.push(past);
        }
    }
    others
}
