use crate::error::At;
use crate::{Store, StoreError, samples};
use pqlab_record::{FLOOR, Record, Run, RunHeader, RunSummary, SecondChance, Status};
use rusqlite::{OptionalExtension, Row};
use serde::de::DeserializeOwned;

/// SQL clause that sorts runs by start time, newest first. Compares the times as numbers, because RFC 3339 times with
/// and without fractions of a second do not sort correctly as strings. If two runs have the same start time, the one
/// stored later comes first.
pub(crate) const NEWEST_FIRST: &str = "ORDER BY unixepoch(started_at, 'subsec') DESC, number DESC";

impl Store {
    /// Returns all runs, newest first.
    ///
    /// # Errors
    /// SQLite errors: [`StoreError::Locked`], [`StoreError::Damaged`] and others.
    pub fn runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        let sql = format!(
            // A case id begins with the area.
            "SELECT id, suite, command, started_at, finished_at, complete, imported, host, note,
                    (SELECT group_concat(name, ' ' ORDER BY name) FROM baselines WHERE run = runs.id) AS names,
                    (SELECT count(*) FROM plan WHERE run = runs.id AND id NOT LIKE '{FLOOR}/%') AS planned,
                    (SELECT count(*) FROM cases WHERE run = runs.id AND workload <> '{FLOOR}') AS finished,
                    (SELECT count(*) FROM cases WHERE run = runs.id AND status = 'failed') AS failed,
                    (SELECT count(*) FROM cases WHERE run = runs.id AND contended) AS contended
             FROM runs {NEWEST_FIRST}"
        );
        let mut query = self.connection.prepare(&sql).at(&self.path)?;
        query.query_map([], summary).at(&self.path)?.collect::<Result<_, _>>().at(&self.path)
    }

    /// Loads a run with all finished cases and their samples. `id` must be a full id: see [`Store::resolve`].
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if no run has this id; [`StoreError::Damaged`] and [`StoreError::DamagedSamples`] if
    /// stored data cannot be read back.
    pub fn load_run(&self, id: &str) -> Result<Run, StoreError> {
        // Use one transaction, to read a consistent state of a run that is still in progress.
        let view = self.connection.unchecked_transaction().at(&self.path)?;
        let header = self.load_header(id)?;
        let sql = "SELECT complete, finished_at FROM runs WHERE id = ?1";
        let (complete, finished_at) = view.query_row(sql, [id], |row| Ok((row.get(0)?, row.get(1)?))).at(&self.path)?;
        let mut query = view
            .prepare(
                "SELECT id, definition, status, error, verified, precision_reached, second_chance,
                        finished_at, data
                 FROM cases LEFT JOIN samples USING (run, position) WHERE run = ?1 ORDER BY position",
            )
            .at(&self.path)?;
        let mut rows = query.query([id]).at(&self.path)?;
        let mut records = Vec::new();
        while let Some(row) = rows.next().at(&self.path)? {
            records.push(self.record(id, row)?);
        }
        Ok(Run { header, records, complete, finished_at })
    }

    /// Loads the header of a run, including its plan.
    ///
    /// # Errors
    /// Same as [`load_run`](Self::load_run).
    pub fn load_header(&self, id: &str) -> Result<RunHeader, StoreError> {
        let what = || format!("run {id}");
        let sql = "SELECT suite, command, seed, started_at, environment, protocol FROM runs WHERE id = ?1";
        let row = self.connection.query_row(sql, [id], |row| {
            let seed: String = row.get("seed")?;
            Ok((row.get("suite")?, row.get("command")?, seed, row.get("started_at")?, row.get(4)?, row.get(5)?))
        });
        let row: Option<(_, _, String, _, String, String)> = row.optional().at(&self.path)?;
        let (suite, command, seed, started_at, environment, protocol) =
            row.ok_or_else(|| StoreError::UnknownRun { reference: id.into() })?;
        let seed = seed.parse().map_err(|error| self.damaged(what(), error))?;
        let sql = "SELECT id, definition FROM plan WHERE run = ?1 ORDER BY position";
        let mut query = self.connection.prepare(sql).at(&self.path)?;
        let mut rows = query.query([id]).at(&self.path)?;
        let mut plan = Vec::new();
        while let Some(row) = rows.next().at(&self.path)? {
            let case: String = row.get("id").at(&self.path)?;
            let definition: String = row.get("definition").at(&self.path)?;
            plan.push(self.parse(&definition, || format!("{case} in the plan of run {id}"))?);
        }
        Ok(RunHeader {
            id: id.into(),
            suite,
            command,
            seed,
            started_at,
            environment: self.parse(&environment, what)?,
            protocol: self.parse(&protocol, what)?,
            plan,
        })
    }

    /// Returns the positions of the finished cases, in the order of the plan.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if no run has this id, and SQLite errors.
    pub fn finished_positions(&self, id: &str) -> Result<Vec<usize>, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM runs WHERE id = ?1)";
        if !self.connection.query_row(sql, [id], |row| row.get(0)).at(&self.path)? {
            return Err(StoreError::UnknownRun { reference: id.into() });
        }
        let sql = "SELECT position FROM cases WHERE run = ?1 ORDER BY position";
        let mut query = self.connection.prepare(sql).at(&self.path)?;
        query.query_map([id], |row| row.get(0)).at(&self.path)?.collect::<Result<_, _>>().at(&self.path)
    }

    fn record(&self, run: &str, row: &Row<'_>) -> Result<Record, StoreError> {
        let case: String = row.get("id").at(&self.path)?;
        let what = || format!("{case} in run {run}");
        let definition: String = row.get("definition").at(&self.path)?;
        let status: String = row.get("status").at(&self.path)?;
        let second_chance: Option<String> = row.get("second_chance").at(&self.path)?;
        let data: Option<Vec<u8>> = row.get("data").at(&self.path)?;
        let data = data.ok_or_else(|| self.damaged(what(), "its samples are missing"))?;
        Ok(Record {
            case: self.parse(&definition, what)?,
            status: match status.as_str() {
                "ok" => Status::Ok,
                "failed" => Status::Failed,
                other => return Err(self.damaged(what(), format!("status {other:?}"))),
            },
            error: row.get("error").at(&self.path)?,
            verified: row.get("verified").at(&self.path)?,
            precision_reached: row.get("precision_reached").at(&self.path)?,
            second_chance: match second_chance.as_deref() {
                None => None,
                Some("undisturbed") => Some(SecondChance::Undisturbed),
                Some("disturbed") => Some(SecondChance::Disturbed),
                Some(other) => return Err(self.damaged(what(), format!("second chance {other:?}"))),
            },
            samples: samples::decode(&data).map_err(|source| StoreError::DamagedSamples {
                path: self.path.clone(),
                run: run.into(),
                case: case.clone(),
                source,
            })?,
            finished_at: row.get("finished_at").at(&self.path)?,
        })
    }

    fn parse<T: DeserializeOwned>(&self, json: &str, what: impl Fn() -> String) -> Result<T, StoreError> {
        serde_json::from_str(json).map_err(|error| self.damaged(what(), error))
    }

    fn damaged(&self, what: String, reason: impl ToString) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what, reason: reason.to_string() }
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    Ok(RunSummary {
        id: row.get("id")?,
        suite: row.get("suite")?,
        command: row.get("command")?,
        started_at: row.get("started_at")?,
        finished_at: row.get("finished_at")?,
        complete: row.get("complete")?,
        imported: row.get("imported")?,
        planned: row.get("planned")?,
        finished: row.get("finished")?,
        failed: row.get("failed")?,
        contended: row.get("contended")?,
        host: row.get("host")?,
        // Baseline names contain no spaces.
        names: row.get::<_, Option<String>>("names")?.unwrap_or_default().split_whitespace().map(Into::into).collect(),
        note: row.get("note")?,
    })
}
