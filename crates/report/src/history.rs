//! Earlier and other runs, reduced to what a report of the newest one needs of them.

use crate::estimates::estimate;
use pqlab_record::{Environment, Run};
use pqlab_stats::Interval;
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
    /// Medians in ns with their intervals, by the case's [lasting id](pqlab_record::Case::lasting_id).
    pub medians: HashMap<String, Interval>,
    /// Cases without a figure.
    pub failed: usize,
}

impl Past {
    /// Computes the medians of a run and forgets its samples.
    pub fn of(run: &Run) -> Past {
        let median = |record| Some(estimate(record, &run.header.protocol)?.median_ns);
        let medians: HashMap<String, Interval> =
            run.records.iter().filter_map(|record| Some((record.case.lasting_id(), median(record)?))).collect();
        Past {
            id: run.header.id.clone(),
            suite: run.header.suite.clone(),
            started_at: run.header.started_at.clone(),
            environment: run.header.environment.clone(),
            complete: run.complete,
            failed: run.records.iter().filter(|record| record.error.is_some()).count(),
            medians,
        }
    }

    /// Whether it was measured on the machine of the other run, as far as can be told.
    pub fn same_machine(&self, run: &Run) -> bool {
        same_machine(&self.environment, &run.header.environment)
    }
}

/// Whether two environments are of one machine, as far as can be told: host, processor and number of cores.
pub fn same_machine(one: &Environment, other: &Environment) -> bool {
    one.host.name == other.host.name && one.cpu.model == other.cpu.model && one.cpu.cores == other.cpu.cores
}
