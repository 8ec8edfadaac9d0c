use crate::{Case, Environment, Protocol, Record};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Header of a run: everything that is known before the first measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Unique id: the start time in UTC to the second and a few random characters. Ids sort by time.
    pub id: String,
    /// Names of the suites, joined by a plus.
    pub suite: String,
    /// Command line that started the run.
    pub command: String,
    /// Seed for the order of cases and for the inputs.
    pub seed: u64,
    /// Start of the run (RFC 3339, UTC).
    pub started_at: String,
    /// The machine, the build and the counters.
    pub environment: Environment,
    /// The measurement settings.
    pub protocol: Protocol,
    /// All cases to measure, in the order of the plan.
    pub plan: Vec<Case>,
}

/// One execution of a suite on one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Header, with everything that is known before the first measurement.
    pub header: RunHeader,
    /// Records of the finished cases, in the order of the plan.
    pub records: Vec<Record>,
    /// Whether every case in the plan has a record.
    pub complete: bool,
    /// Time when the run was completed (RFC 3339, UTC); `None` for an incomplete run.
    pub finished_at: Option<String>,
}

impl Run {
    /// Returns the records of an area, in the order of the plan.
    pub fn area<'a>(&'a self, workload: &'a str) -> impl Iterator<Item = &'a Record> {
        self.records.iter().filter(move |record| record.case.workload == workload)
    }

    /// Returns the number of finished cases, including failed ones, and the number of planned cases. Measurement overhead
    /// does not count as a case.
    pub fn progress(&self) -> (usize, usize) {
        let finished = self.records.iter().filter(|record| !record.case.is_overhead()).count();
        (finished, self.header.plan.iter().filter(|case| !case.is_overhead()).count())
    }

    /// Returns the areas of the run, in the order of the plan.
    pub fn areas(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        self.records.iter().map(|record| record.case.workload.as_str()).filter(|area| seen.insert(*area)).collect()
    }
}
