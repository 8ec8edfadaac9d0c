//! Where the records of a run go: a store, memory, or whatever a program makes of them.

use crate::SinkError;
use crate::machine::run_spread;
use pqlab_analysis::{CaseAnalysis, Estimates};
use pqlab_record::{Case, Environment, Record, Run, RunHeader, RunSpreads};
use pqlab_store::Store;

/// Takes the records of a run, one after the other, as their cases are finished. An error ends the run.
pub trait RecordSink {
    /// How far whole runs lie apart that are measured by this environment, as far as is known; `now` is RFC 3339, UTC. Intervals
    /// of the run reckon with it. If nothing is known: what is assumed of any machine.
    ///
    /// # Errors
    /// [`SinkError`], before anything is measured.
    fn spreads(&self, _environment: &Environment, _now: &str) -> Result<RunSpreads, SinkError> {
        Ok(RunSpreads::default())
    }

    /// The run is about to be measured.
    ///
    /// # Errors
    /// [`SinkError`], before anything is measured.
    fn begin(&mut self, header: &RunHeader) -> Result<(), SinkError>;

    /// A case is finished, or has failed; `position` is its place in the plan. Cases are not finished in the plan's order. Once
    /// this returns, the record is kept.
    ///
    /// # Errors
    /// [`SinkError`], which ends the run.
    fn record(&mut self, header: &RunHeader, position: usize, record: &Record) -> Result<(), SinkError>;

    /// Every case has its record; `finished_at` is RFC 3339, UTC. Not called where the run was stopped.
    ///
    /// # Errors
    /// [`SinkError`].
    fn complete(&mut self, header: &RunHeader, finished_at: &str) -> Result<(), SinkError>;
}

impl RecordSink for Store {
    fn spreads(&self, environment: &Environment, now: &str) -> Result<RunSpreads, SinkError> {
        Ok(run_spread::known(self, environment, now)?)
    }

    fn begin(&mut self, header: &RunHeader) -> Result<(), SinkError> {
        Ok(self.begin_run(header)?)
    }

    fn record(&mut self, header: &RunHeader, position: usize, record: &Record) -> Result<(), SinkError> {
        Ok(self.finish_case(&header.id, position, record)?)
    }

    fn complete(&mut self, header: &RunHeader, finished_at: &str) -> Result<(), SinkError> {
        self.complete_run(&header.id, finished_at)?;
        Ok(run_spread::remember(self, &header.id)?)
    }
}

/// Keeps one run in memory.
#[derive(Debug, Default)]
pub struct Collected {
    run: Option<Run>,
    /// Where in the plan each record stands.
    positions: Vec<usize>,
}

impl Collected {
    /// The run, with its records in the plan's order; `None` where none began.
    pub fn into_run(self) -> Option<Run> {
        let mut run = self.run?;
        let mut records: Vec<(usize, Record)> = self.positions.into_iter().zip(run.records).collect();
        records.sort_by_key(|(position, _)| *position);
        run.records = records.into_iter().map(|(_, record)| record).collect();
        Some(run)
    }
}

impl RecordSink for Collected {
    fn begin(&mut self, header: &RunHeader) -> Result<(), SinkError> {
        self.run = Some(Run { header: header.clone(), records: Vec::new(), complete: false, finished_at: None });
        self.positions.clear();
        Ok(())
    }

    fn record(&mut self, _header: &RunHeader, position: usize, record: &Record) -> Result<(), SinkError> {
        let run = self.run.as_mut().ok_or_else(|| SinkError::other("a record before its run"))?;
        run.records.push(record.clone());
        self.positions.push(position);
        Ok(())
    }

    fn complete(&mut self, _header: &RunHeader, finished_at: &str) -> Result<(), SinkError> {
        let run = self.run.as_mut().ok_or_else(|| SinkError::other("an end before its run"))?;
        (run.complete, run.finished_at) = (true, Some(finished_at.to_owned()));
        Ok(())
    }
}

/// A case and what was found of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// The case; [`Case::id`] is how it is called.
    pub case: Case,
    /// Medians, intervals and the rest in ns and core cycles; or why there is none of it.
    pub outcome: Result<Estimates, CaseFailure>,
}

/// Why a case has no figures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseFailure {
    /// The library failed, or gave a wrong answer: whatever was measured is void.
    #[error("{0}")]
    Failed(String),
    /// There are no samples to make figures from.
    #[error("it has no samples")]
    NoSamples,
}

/// The figures of a run's finished cases, in the plan's order. They are made from the samples anew each time: whoever also
/// compares cases makes a [`RunAnalysis`](crate::analysis::RunAnalysis) once, and takes all from there.
pub fn results(run: &Run) -> Vec<CaseResult> {
    let of = |record: &Record| CaseResult {
        case: record.case.clone(),
        outcome: match &record.error {
            Some(reason) => Err(CaseFailure::Failed(reason.clone())),
            None => CaseAnalysis::of(&run.header, record).estimates.ok_or(CaseFailure::NoSamples),
        },
    };
    run.records.iter().map(of).collect()
}
