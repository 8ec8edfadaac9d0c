//! Destinations for the records of a run: a store, memory, or a custom type.

use crate::SinkError;
use crate::machine::run_spread;
use pqlab_analysis::{CaseAnalysis, Estimates};
use pqlab_record::{Case, Environment, Record, Run, RunHeader, RunSpreads};
use pqlab_store::Store;

/// Receives the records of a run as their cases are finished. An error ends the run.
pub trait RecordSink {
    /// Returns the spread between whole runs in this environment, which widens the run's intervals. `now` is the
    /// current time (RFC 3339, UTC). By default, returns the spread assumed for an unknown machine.
    ///
    /// # Errors
    /// [`SinkError`] if the spread cannot be determined. The run then ends before anything is measured.
    fn spreads(&self, _environment: &Environment, _now: &str) -> Result<RunSpreads, SinkError> {
        Ok(RunSpreads::default())
    }

    /// Called once, before anything is measured.
    ///
    /// # Errors
    /// [`SinkError`] if the sink cannot accept the run. The run then ends before anything is measured.
    fn begin(&mut self, header: &RunHeader) -> Result<(), SinkError>;

    /// Called when a case is finished or has failed. `position` is the case's position in the plan; cases do not finish
    /// in plan order. The record must be stored when this method returns.
    ///
    /// # Errors
    /// [`SinkError`], which ends the run.
    fn record(&mut self, header: &RunHeader, position: usize, record: &Record) -> Result<(), SinkError>;

    /// Called when a disturbed case has been measured again. The new record replaces the one that the sink received for
    /// this position through [`record`](Self::record). By default, calls [`record`](Self::record).
    ///
    /// # Errors
    /// [`SinkError`], which ends the run.
    fn replace(&mut self, header: &RunHeader, position: usize, record: &Record) -> Result<(), SinkError> {
        self.record(header, position, record)
    }

    /// Called when every case has a record, but not if the run was stopped. `finished_at` is a time in RFC 3339 and
    /// UTC.
    ///
    /// # Errors
    /// [`SinkError`] if the sink cannot store the end of the run.
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

    fn replace(&mut self, header: &RunHeader, position: usize, record: &Record) -> Result<(), SinkError> {
        Ok(self.replace_case(&header.id, position, record)?)
    }

    fn complete(&mut self, header: &RunHeader, finished_at: &str) -> Result<(), SinkError> {
        self.complete_run(&header.id, finished_at)?;
        Ok(run_spread::remember(self, &header.id)?)
    }
}

/// Sink that keeps one run in memory.
#[derive(Debug, Default)]
pub struct Collected {
    run: Option<Run>,
    /// Position of each record in the plan.
    positions: Vec<usize>,
}

impl Collected {
    /// Returns the run, with its records in the plan's order; `None` if no run began.
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
        let run = self.run.as_mut().ok_or_else(|| SinkError::other("received a record before its run"))?;
        run.records.push(record.clone());
        self.positions.push(position);
        Ok(())
    }

    fn replace(&mut self, header: &RunHeader, position: usize, record: &Record) -> Result<(), SinkError> {
        let run = self.run.as_mut().ok_or_else(|| SinkError::other("received a record before its run"))?;
        match self.positions.iter().position(|other| *other == position) {
            Some(at) => run.records[at] = record.clone(),
            None => self.record(header, position, record)?,
        }
        Ok(())
    }

    fn complete(&mut self, _header: &RunHeader, finished_at: &str) -> Result<(), SinkError> {
        let run = self.run.as_mut().ok_or_else(|| SinkError::other("received the end of a run before its start"))?;
        (run.complete, run.finished_at) = (true, Some(finished_at.to_owned()));
        Ok(())
    }
}

/// A case and its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// The case; [`Case::id`] identifies it.
    pub case: Case,
    /// Medians, intervals and other figures in ns and core cycles, or the reason why there are none.
    pub outcome: Result<Estimates, CaseFailure>,
}

/// Reason why a case has no figures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseFailure {
    /// The library failed or gave a wrong answer, so all measurements are void.
    #[error("{0}")]
    Failed(String),
    /// There are no samples.
    #[error("has no samples")]
    NoSamples,
}

/// Returns the figures of a run's finished cases, in the plan's order. Each call recomputes the figures from the
/// samples. To compare cases as well, create one [`RunAnalysis`](crate::analysis::RunAnalysis) instead, which computes
/// the figures only once.
pub fn results(run: &Run) -> Vec<CaseResult> {
    let evaluate = |record: &Record| CaseResult {
        case: record.case.clone(),
        outcome: match &record.error {
            Some(reason) => Err(CaseFailure::Failed(reason.clone())),
            None => CaseAnalysis::new(&run.header, record).estimates.ok_or(CaseFailure::NoSamples),
        },
    };
    run.records.iter().map(evaluate).collect()
}
