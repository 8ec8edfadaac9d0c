use crate::error::At;
use crate::samples::{self, SamplesError};
use crate::{Store, StoreError};
use pqlab_record::{NO_ANSWER, Record, Run, RunHeader, SecondChance, Status};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, named_params, params};
use serde::{Serialize, de::DeserializeOwned};
use std::path::Path;

/// [`Record::timed_out`] as an SQL condition on `cases`. The second parameter is [`NO_ANSWER`].
const TIMED_OUT: &str = "instr(error, ?2) > 0";

/// Outcome of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// The run was stored.
    Stored,
    /// The same run was already stored.
    AlreadyThere,
}

impl Store {
    /// Stores a run and its plan before anything is measured.
    ///
    /// # Errors
    /// [`StoreError::DuplicateRun`] if the id is taken, [`StoreError::Unstorable`] for values that JSON cannot
    /// represent, [`StoreError::Full`] and others.
    pub fn begin_run(&mut self, header: &RunHeader) -> Result<(), StoreError> {
        self.write(|transaction, path| insert_run(transaction, path, header, false))
    }

    /// Resumes a run and returns the number of this start: 1 for the first resumption, 2 for the second, and so on.
    /// Each resumption gets a new number, even if the previous resumption did not finish a case. Deletes cases that
    /// failed because of a time limit ([`Record::timed_out`]), so that they are measured again.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if no run has this id; [`StoreError::NotResumable`] if the run was imported, or if it
    /// is complete and no case failed because of a time limit.
    pub fn begin_start(&mut self, run: &str) -> Result<u32, StoreError> {
        self.write(|transaction, path| {
            check_resumable(transaction, path, run)?;
            let sql = format!("DELETE FROM cases WHERE run = ?1 AND {TIMED_OUT}");
            transaction.execute(&sql, params![run, NO_ANSWER]).at(path)?;
            let sql = "UPDATE runs SET starts = starts + 1, complete = 0, finished_at = NULL WHERE id = ?1 RETURNING starts - 1";
            transaction.query_row(sql, [run], |row| row.get(0)).at(path)
        })
    }

    /// Checks that a run can be resumed here.
    ///
    /// # Errors
    /// Same as [`begin_start`](Self::begin_start).
    pub fn check_resumable(&self, run: &str) -> Result<(), StoreError> {
        check_resumable(&self.connection, &self.path, run)
    }

    /// Commits a finished case with its raw samples. Returns only when the data are on disk.
    ///
    /// # Errors
    /// [`StoreError::NotPlanned`] if the case is not at this position, [`StoreError::DuplicateCase`] if it is already
    /// finished, [`StoreError::Full`] and others.
    pub fn finish_case(&mut self, run: &str, position: usize, record: &Record) -> Result<(), StoreError> {
        let encoded = encode(record)?;
        self.write(|transaction, path| insert_case(transaction, path, run, position, record, &encoded))
    }

    /// Commits a case that was measured again, in place of its first record.
    ///
    /// # Errors
    /// Errors from [`finish_case`](Self::finish_case), except [`StoreError::DuplicateCase`].
    pub fn replace_case(&mut self, run: &str, position: usize, record: &Record) -> Result<(), StoreError> {
        let encoded = encode(record)?;
        self.write(|transaction, path| {
            let sql = "DELETE FROM cases WHERE run = ?1 AND position = ?2";
            transaction.execute(sql, params![run, position]).at(path)?;
            insert_case(transaction, path, run, position, record, &encoded)
        })
    }

    /// Marks a run as complete, if every case in its plan has a record.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if no run has this id, or [`StoreError::Incomplete`] if cases are missing.
    pub fn complete_run(&mut self, run: &str, finished_at: &str) -> Result<(), StoreError> {
        self.write(|transaction, path| {
            let sql = "UPDATE runs SET complete = 1, finished_at = ?2 WHERE id = ?1";
            if transaction.execute(sql, [run, finished_at]).at(path)? == 0 {
                return Err(StoreError::UnknownRun { reference: run.into() });
            }
            let sql = "SELECT (SELECT count(*) FROM plan WHERE run = ?1) - (SELECT count(*) FROM cases WHERE run = ?1)";
            match transaction.query_row(sql, [run], |row| row.get(0)).at(path)? {
                0 => Ok(()),
                missing => Err(StoreError::Incomplete { run: run.into(), missing }),
            }
        })
    }

    /// Stores a run that was measured elsewhere, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::DuplicateRun`] if a different run has the same id, [`StoreError::Future`] if the run starts a day
    /// or more in the future, [`StoreError::Incomplete`] or [`StoreError::NotPlanned`] if its records do not match its
    /// plan, [`StoreError::Full`] and others.
    pub fn import_run(&mut self, run: &Run) -> Result<Import, StoreError> {
        match self.load_run(&run.header.id) {
            Err(StoreError::UnknownRun { .. }) => {}
            Ok(stored) if identical(&stored, run)? => return Ok(Import::AlreadyThere),
            Ok(_) => return Err(StoreError::DuplicateRun { run: run.header.id.clone() }),
            Err(error) => return Err(error),
        }
        let missing = run.header.plan.len().saturating_sub(run.records.len());
        if run.complete && missing > 0 {
            return Err(StoreError::Incomplete { run: run.header.id.clone(), missing });
        }
        let positions = positions(run)?;
        let encoded = run.records.iter().map(encode).collect::<Result<Vec<_>, _>>()?;
        self.write(|transaction, path| {
            let id = &run.header.id;
            check_started(transaction, path, &run.header)?;
            insert_run(transaction, path, &run.header, true)?;
            for ((record, position), encoded) in run.records.iter().zip(positions).zip(&encoded) {
                insert_case(transaction, path, id, position, record, encoded)?;
            }
            let sql = "UPDATE runs SET complete = ?2, finished_at = ?3 WHERE id = ?1";
            transaction.execute(sql, params![id, run.complete, run.finished_at]).at(path)?;
            Ok(Import::Stored)
        })
    }

    /// Deletes a run with all its cases and samples.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if there is no such run.
    pub fn delete_run(&mut self, run: &str) -> Result<(), StoreError> {
        self.write(|transaction, path| match transaction.execute("DELETE FROM runs WHERE id = ?1", [run]).at(path)? {
            0 => Err(StoreError::UnknownRun { reference: run.into() }),
            _ => Ok(()),
        })
    }

    /// Stores the user's note on a run, and replaces an earlier note. An empty string removes the note.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if there is no such run.
    pub fn note_run(&mut self, run: &str, note: &str) -> Result<(), StoreError> {
        let note = Some(note.trim()).filter(|note| !note.is_empty());
        let sql = "UPDATE runs SET note = ?2 WHERE id = ?1";
        self.write(|transaction, path| match transaction.execute(sql, params![run, note]).at(path)? {
            0 => Err(StoreError::UnknownRun { reference: run.into() }),
            _ => Ok(()),
        })
    }

    /// Runs `body` in one transaction.
    pub(crate) fn write<T>(
        &mut self,
        body: impl FnOnce(&Transaction<'_>, &Path) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let path = &self.path;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).at(path)?;
        let result = body(&transaction, path)?;
        transaction.commit().at(path)?;
        Ok(result)
    }
}

fn check_resumable(connection: &Connection, path: &Path, run: &str) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT complete AND NOT EXISTS (SELECT 1 FROM cases WHERE run = ?1 AND {TIMED_OUT}), imported FROM runs WHERE id = ?1"
    );
    let found = connection
        .query_row(&sql, params![run, NO_ANSWER], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
        .at(path)?;
    let (complete, imported): (bool, bool) = found.ok_or_else(|| StoreError::UnknownRun { reference: run.into() })?;
    let reason = match (imported, complete) {
        (true, _) => "it was measured elsewhere and imported",
        (false, true) => "it is complete",
        (false, false) => return Ok(()),
    };
    Err(StoreError::NotResumable { run: run.into(), reason })
}

/// Rejects runs that start in the future, because they would remain the newest run. Allows one day for clocks that
/// differ.
fn check_started(transaction: &Transaction<'_>, path: &Path, header: &RunHeader) -> Result<(), StoreError> {
    let sql = "SELECT coalesce(unixepoch(?1) >= unixepoch('now', '+1 day'), 0)";
    match transaction.query_row(sql, [&header.started_at], |row| row.get(0)).at(path)? {
        true => Err(StoreError::Future { run: header.id.clone(), started_at: header.started_at.clone() }),
        false => Ok(()),
    }
}

fn insert_run(
    transaction: &Transaction<'_>,
    path: &Path,
    header: &RunHeader,
    imported: bool,
) -> Result<(), StoreError> {
    let id = &header.id;
    let sql = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1)";
    if transaction.query_row(sql, [id], |row| row.get(0)).at(path)? {
        return Err(StoreError::DuplicateRun { run: id.clone() });
    }
    let what = || format!("run {id}");
    transaction
        .execute(
            "INSERT INTO runs (id, suite, command, seed, started_at, imported, host, environment, protocol)
             VALUES (:id, :suite, :command, :seed, :started_at, :imported, :host, :environment, :protocol)",
            named_params! {
                ":id": id,
                ":suite": header.suite,
                ":command": header.command,
                ":seed": header.seed.to_string(),
                ":started_at": header.started_at,
                ":imported": imported,
                ":host": header.environment.host.name,
                ":environment": json(&header.environment, what)?,
                ":protocol": json(&header.protocol, what)?,
            },
        )
        .at(path)?;
    let sql = "INSERT INTO plan (run, position, id, definition) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = transaction.prepare(sql).at(path)?;
    for (position, case) in header.plan.iter().enumerate() {
        insert.execute(params![id, position, case.id(), json(case, || case.id())?]).at(path)?;
    }
    Ok(())
}

fn insert_case(
    transaction: &Transaction<'_>,
    path: &Path,
    run: &str,
    position: usize,
    record: &Record,
    encoded: &[u8],
) -> Result<(), StoreError> {
    let case = record.case.id();
    let sql = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1)";
    if !transaction.query_row(sql, [run], |row| row.get(0)).at(path)? {
        return Err(StoreError::UnknownRun { reference: run.into() });
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM plan WHERE run = ?1 AND position = ?2 AND id = ?3)";
    if !transaction.query_row(sql, params![run, position, case], |row| row.get(0)).at(path)? {
        return Err(StoreError::NotPlanned { run: run.into(), position, case });
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM cases WHERE run = ?1 AND position = ?2)";
    if transaction.query_row(sql, params![run, position], |row| row.get(0)).at(path)? {
        return Err(StoreError::DuplicateCase { run: run.into(), case });
    }
    transaction
        .execute(
            "INSERT INTO cases (run, position, id, workload, algorithm, operation, provider, definition, status, error,
                                verified, precision_reached, second_chance, contended, finished_at)
             VALUES (:run, :position, :id, :workload, :algorithm, :operation, :provider, :definition, :status, :error,
                     :verified, :precision_reached, :second_chance, :contended, :finished_at)",
            named_params! {
                ":run": run,
                ":position": position,
                ":id": case,
                ":workload": record.case.workload,
                ":algorithm": record.case.algorithm,
                ":operation": record.case.operation,
                ":provider": record.case.provider,
                ":definition": json(&record.case, || case.clone())?,
                ":status": match record.status { Status::Ok => "ok", Status::Failed => "failed" },
                ":error": record.error,
                ":verified": record.verified,
                ":precision_reached": record.precision_reached,
                ":second_chance": record.second_chance.map(SecondChance::name),
                ":contended": record.samples.contended(),
                ":finished_at": record.finished_at,
            },
        )
        .at(path)?;
    let sql = "INSERT INTO samples (run, position, metric, batch, count, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let samples = &record.samples;
    let values = params![run, position, samples.metric.name(), samples.batch, samples.count(), encoded];
    transaction.execute(sql, values).at(path)?;
    Ok(())
}

fn encode(record: &Record) -> Result<Vec<u8>, StoreError> {
    let batch = record.samples.batch;
    if i64::try_from(batch).is_err() {
        let reason = format!("a batch of {batch} operations exceeds 63 bits");
        return Err(StoreError::Unstorable { what: record.case.id(), reason });
    }
    samples::encode(&record.samples).map_err(|error| unstorable(record, error))
}

fn unstorable(record: &Record, error: SamplesError) -> StoreError {
    StoreError::Unstorable { what: record.case.id(), reason: error.to_string() }
}

/// Returns JSON that reads back as the same value. Fails for NaN and infinity, which JSON cannot represent.
fn json<T: Serialize + DeserializeOwned + PartialEq>(
    value: &T,
    what: impl Fn() -> String,
) -> Result<String, StoreError> {
    let reject = |reason: String| StoreError::Unstorable { what: what(), reason };
    let text = serde_json::to_string(value).map_err(|error| reject(error.to_string()))?;
    match serde_json::from_str::<T>(&text) {
        Ok(read) if read == *value => Ok(text),
        Ok(_) => Err(reject("JSON cannot represent it exactly".into())),
        Err(error) => Err(reject(format!("JSON cannot represent it: {error}"))),
    }
}

/// Returns the position of each record in the plan. Records must be in the plan's order; cases may be missing.
fn positions(run: &Run) -> Result<Vec<usize>, StoreError> {
    let mut plan = run.header.plan.iter().map(|case| case.id()).enumerate();
    let find =
        |record: &Record| {
            let case = record.case.id();
            plan.find(|(_, planned)| *planned == case).map(|(position, _)| position).ok_or_else(|| {
                StoreError::NotPlanned { run: run.header.id.clone(), position: run.header.plan.len(), case }
            })
        };
    run.records.iter().map(find).collect()
}

/// Returns whether two runs are identical bit for bit, including NaN.
fn identical(one: &Run, other: &Run) -> Result<bool, StoreError> {
    let outside = one.header == other.header
        && (one.complete, &one.finished_at) == (other.complete, &other.finished_at)
        && one.records.len() == other.records.len();
    if !outside {
        return Ok(false);
    }
    for (one, other) in one.records.iter().zip(&other.records) {
        let payload = |record: &Record| samples::payload(&record.samples).map_err(|error| unstorable(record, error));
        if without_samples(one) != without_samples(other) || payload(one)? != payload(other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the parts of a record other than its samples. Omits `precision_reached`, because an export contains the
/// value from the analysis, which can differ from the scheduler's value.
fn without_samples(record: &Record) -> impl PartialEq {
    let Record { case, status, error, verified, precision_reached: _, second_chance, samples: _, finished_at } =
        record.clone();
    (case, status, error, verified, second_chance, finished_at)
}
