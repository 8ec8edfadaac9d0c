//! Medians and end times of complete runs. pqlab uses them to estimate the spread between runs and the duration of a
//! run, without reading samples.

use crate::error::At;
use crate::read::NEWEST_FIRST;
use crate::{Store, StoreError};
use pqlab_record::{Environment, Protocol, Unit};
use rusqlite::params;

/// Median of a case in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunMedian {
    /// Id of the case.
    pub case: String,
    /// Unit of the median.
    pub unit: Unit,
    /// Median time (in ns) or core cycles of one operation.
    pub median: f64,
    /// Variance of the median's logarithm, estimated from the processes and rounds of this run.
    pub variance: f64,
}

/// A complete run, with the time when each of its cases was finished.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedRun {
    /// Start of the run (RFC 3339).
    pub started_at: String,
    /// Measurement settings of the run.
    pub protocol: Protocol,
    /// Cases of the run, in the order of its plan.
    pub cases: Vec<FinishedCase>,
}

/// A finished case of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedCase {
    /// Id of the case.
    pub id: String,
    /// Block in which the case was measured.
    pub block: String,
    /// Time when the case was finished (RFC 3339).
    pub finished_at: String,
}

/// Minimum number of cases with medians in a run that can be compared with other runs.
const LEAST_CASES: u32 = 3;

impl Store {
    /// Stores the medians of a run, and replaces earlier ones.
    ///
    /// # Errors
    /// SQLite errors, including a foreign-key violation if the run is not stored.
    pub fn save_medians(&mut self, run: &str, medians: &[RunMedian]) -> Result<(), StoreError> {
        self.write(|transaction, path| {
            transaction.execute("DELETE FROM run_medians WHERE run = ?1", [run]).at(path)?;
            let sql = "INSERT INTO run_medians (run, id, unit, median, variance) VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = transaction.prepare(sql).at(path)?;
            for RunMedian { case, unit, median, variance } in medians {
                insert.execute(params![run, case, name(*unit), median, variance]).at(path)?;
            }
            Ok(())
        })
    }

    /// Returns the medians of complete runs that started in the `days` before `now` (RFC 3339). The runs must have the
    /// host, processor and build of `environment`. Returns at most the `most` newest runs, newest first. Leaves out
    /// imported runs and runs with medians of fewer than three cases.
    ///
    /// # Errors
    /// SQLite errors.
    pub fn medians_of_runs_like(
        &self,
        environment: &Environment,
        now: &str,
        days: u32,
        most: usize,
    ) -> Result<Vec<Vec<RunMedian>>, StoreError> {
        let build = serde_json::to_string(&environment.build)
            .map_err(|error| StoreError::Unstorable { what: "the build".into(), reason: error.to_string() })?;
        let sql = format!(
            "SELECT id FROM runs
             WHERE complete AND NOT imported AND host IS ?1
               AND json_extract(environment, '$.cpu.model') = ?2 AND json_extract(environment, '$.build') = json(?3)
               AND unixepoch(started_at) BETWEEN unixepoch(?4) - 86400 * ?5 AND unixepoch(?4)
               AND (SELECT count(*) FROM (SELECT DISTINCT id FROM run_medians WHERE run = runs.id LIMIT {LEAST_CASES}))
                   = {LEAST_CASES}
             {NEWEST_FIRST} LIMIT ?6"
        );
        let mut runs = self.connection.prepare(&sql).at(&self.path)?;
        let key = params![environment.host.name, environment.cpu.model, build, now, days, most];
        let ids = runs.query_map(key, |row| row.get::<_, String>(0)).at(&self.path)?;
        let sql = "SELECT id, unit, median, variance FROM run_medians WHERE run = ?1";
        let mut medians = self.connection.prepare(sql).at(&self.path)?;
        let mut found = Vec::new();
        for id in ids {
            let rows = medians.query_map([id.at(&self.path)?], |row| {
                let unit: String = row.get("unit")?;
                let unit = if unit == name(Unit::CoreCycles) { Unit::CoreCycles } else { Unit::Nanoseconds };
                Ok(RunMedian { case: row.get("id")?, unit, median: row.get("median")?, variance: row.get("variance")? })
            });
            found.push(rows.at(&self.path)?.collect::<Result<_, _>>().at(&self.path)?);
        }
        Ok(found)
    }

    /// Returns the complete runs that started in the `days` before `now` (RFC 3339). The runs must have the host,
    /// processor and build of `environment`. Returns at most the `most` newest runs, newest first. Leaves out imported
    /// and resumed runs.
    ///
    /// # Errors
    /// SQLite errors.
    pub fn finished_runs_like(
        &self,
        environment: &Environment,
        now: &str,
        days: u32,
        most: usize,
    ) -> Result<Vec<FinishedRun>, StoreError> {
        let build = serde_json::to_string(&environment.build)
            .map_err(|error| StoreError::Unstorable { what: "the build".into(), reason: error.to_string() })?;
        let sql = format!(
            "SELECT id, started_at, protocol FROM runs
             WHERE complete AND NOT imported AND starts = 1 AND host IS ?1
               AND json_extract(environment, '$.cpu.model') = ?2 AND json_extract(environment, '$.build') = json(?3)
               AND unixepoch(started_at) BETWEEN unixepoch(?4) - 86400 * ?5 AND unixepoch(?4)
             {NEWEST_FIRST} LIMIT ?6"
        );
        let mut runs = self.connection.prepare(&sql).at(&self.path)?;
        let key = params![environment.host.name, environment.cpu.model, build, now, days, most];
        let rows = runs
            .query_map(key, |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)));
        let sql = "SELECT id, json_extract(definition, '$.block') AS block, finished_at FROM cases WHERE run = ?1 ORDER BY position";
        let mut cases = self.connection.prepare(sql).at(&self.path)?;
        let mut found = Vec::new();
        for row in rows.at(&self.path)? {
            let (id, started_at, protocol) = row.at(&self.path)?;
            // Skip runs whose measurement settings this version cannot read.
            let Ok(protocol) = serde_json::from_str(&protocol) else { continue };
            let rows = cases.query_map([id], |row| {
                Ok(FinishedCase { id: row.get("id")?, block: row.get("block")?, finished_at: row.get("finished_at")? })
            });
            let cases = rows.at(&self.path)?.collect::<Result<_, _>>().at(&self.path)?;
            found.push(FinishedRun { started_at, protocol, cases });
        }
        Ok(found)
    }
}

fn name(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanoseconds => "time",
        Unit::CoreCycles => "cycles",
    }
}
