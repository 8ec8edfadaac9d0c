//! Earlier and other runs, reduced to what a report of the newest one needs of them.

use crate::case::CaseAnalysis;
use crate::comparison::{ComparisonCriteria, Figure, Measured, ratio_apart};
use pqlab_record::{Environment, Run, RunHeader, RunSpreads, Unit};
use pqlab_stats::{Interval, RunSpread};
use std::collections::HashMap;

/// A run without its samples.
#[derive(Clone, Debug)]
pub struct Past {
    /// Its id.
    pub id: String,
    /// The suites' names.
    pub suite: String,
    /// When it began: RFC 3339, UTC.
    pub started_at: String,
    /// The machine, the build and the counters.
    pub environment: Environment,
    /// Whether every case of its plan has its record.
    pub complete: bool,
    /// Times in ns with their intervals, medians or means as the case is compared by, by the case's id.
    pub medians: HashMap<String, Interval>,
    /// Cases without a figure.
    pub failed: usize,
    /// The times of its cases as comparisons need them, likewise.
    figures: HashMap<String, Figure>,
    /// How far runs lie apart, as it was stored with the run.
    spreads: RunSpreads,
}

impl Past {
    /// Computes the times of a run and forgets its samples.
    pub fn of(run: &Run) -> Past {
        let (mut medians, mut figures) = (HashMap::new(), HashMap::new());
        for record in &run.records {
            let case = CaseAnalysis::of(&run.header, record);
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

    /// How long a case took in this run over how long it took in another one, in time, with its interval: what comparing the two
    /// runs gives. `None` where one has no such case.
    pub fn time_over(&self, run: &RunHeader, case: &Measured<'_>) -> Option<Interval> {
        let here = case.figure(Unit::Nanoseconds)?;
        let there = self.figures.get(&case.record().case.id())?;
        Some(ratio_apart(&here, there, self.runs_apart(run))?.ratio)
    }

    /// How far the times of the two runs lie apart where nothing has changed: the larger of what was stored with them.
    fn runs_apart(&self, run: &RunHeader) -> RunSpread {
        ComparisonCriteria::default().between(&run.protocol.run_spreads, &self.spreads).runs(Unit::Nanoseconds)
    }

    /// Whether it was measured on the machine of the other run, as far as can be told.
    pub fn same_machine(&self, run: &Run) -> bool {
        same_machine(&self.environment, &run.header.environment)
    }
}

impl CaseAnalysis<'_> {
    /// How long the case took in another run over how long it takes here, in time.
    pub fn time_over(&self, past: &Past) -> Option<Interval> {
        past.time_over(self.header(), self.measured()?)
    }
}

/// Whether two environments are of one machine, as far as can be told: host, processor and number of cores.
pub fn same_machine(one: &Environment, other: &Environment) -> bool {
    one.host.name == other.host.name && one.cpu.model == other.cpu.model && one.cpu.cores == other.cpu.cores
}

/// Of runs from the oldest to the newest the newest one of each machine that is not the run's own: what that machine can do now.
/// The newest comes first.
pub fn other_machines<'p>(run: &Run, past: &'p [Past]) -> Vec<&'p Past> {
    let mut others: Vec<&Past> = Vec::new();
    for past in past.iter().rev().filter(|past| !past.same_machine(run)) {
        if others.iter().all(|other| !same_machine(&other.environment, &past.environment)) {
            others.push(past);
        }
    }
    others
}
