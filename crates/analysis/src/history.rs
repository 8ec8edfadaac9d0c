//! Earlier and other runs, reduced to what a report on the newest one needs.

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
    /// Start time: RFC 3339, UTC.
    pub started_at: String,
    /// The machine, the build and the counters.
    pub environment: Environment,
    /// Whether every case of its plan has a record.
    pub complete: bool,
    /// Times in ns with their intervals, by case id: medians or means, whichever the case is compared by.
    pub medians: HashMap<String, Interval>,
    /// Cases without a figure.
    pub failed: usize,
    /// Times of its cases in the form that comparisons need, by case id.
    figures: HashMap<String, Figure>,
    /// Spread between runs, as stored with the run.
    spreads: RunSpreads,
}

impl Past {
    /// Computes the times of a run and drops its samples.
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

    /// Ratio of a case's time in this run to its time in another one, with its interval: the result of comparing the
    /// two runs. `None` if either run lacks the case.
    pub fn time_over(&self, run: &RunHeader, case: &Measured<'_>) -> Option<Interval> {
        let here = case.figure(Unit::Nanoseconds)?;
        let there = self.figures.get(&case.record().case.id())?;
        Some(ratio_apart(&here, there, self.runs_apart(run))?.ratio)
    }

    /// Spread between the two runs if nothing changed: the larger of the two stored spreads.
    fn runs_apart(&self, run: &RunHeader) -> RunSpread {
        ComparisonCriteria::default().between(&run.protocol.run_spreads, &self.spreads).runs(Unit::Nanoseconds)
    }

    /// Whether it was measured on the same machine as the other run, as far as its environment shows.
    pub fn same_machine(&self, run: &Run) -> bool {
        same_machine(&self.environment, &run.header.environment)
    }
}

impl CaseAnalysis<'_> {
    /// Ratio of the case's time in another run to its time here.
    pub fn time_over(&self, past: &Past) -> Option<Interval> {
        past.time_over(self.header(), self.measured()?)
    }
}

/// Whether two environments are the same machine, as far as host, processor and number of cores show.
pub fn same_machine(one: &Environment, other: &Environment) -> bool {
    one.host.name == other.host.name && one.cpu.model == other.cpu.model && one.cpu.cores == other.cpu.cores
}

/// Selects the newest run of each machine other than the run's own, from runs ordered oldest to newest. Returns the
/// newest first.
pub fn other_machines<'p>(run: &Run, past: &'p [Past]) -> Vec<&'p Past> {
    let mut others: Vec<&Past> = Vec::new();
    for past in past.iter().rev().filter(|past| !past.same_machine(run)) {
        if others.iter().all(|other| !same_machine(&other.environment, &past.environment)) {
            others.push(past);
        }
    }
    others
}
