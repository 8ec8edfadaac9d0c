use crate::error::At;
use crate::read::NEWEST_FIRST;
use crate::{Store, StoreError};
use rusqlite::{OptionalExtension, Params};

impl Store {
    /// Resolves a user's reference to the id of a run. A reference is a baseline name, an id, the beginning of an id,
    /// `last`, or `last~N` (the Nth run before the last).
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::Ambiguous`] or [`StoreError::TooFewRuns`] unless exactly one run
    /// matches.
    pub fn resolve(&self, reference: &str) -> Result<String, StoreError> {
        match reference.strip_prefix("last") {
            Some("") => self.last(reference, 0),
            Some(back) if back.starts_with('~') => match back[1..].parse() {
                Ok(back) => self.last(reference, back),
                Err(_) => Err(StoreError::UnknownRun { reference: reference.into() }),
            },
            _ => match self.baseline(reference)? {
                Some(run) => Ok(run),
                None => self.by_prefix(reference),
            },
        }
    }

    /// Returns the id of the newest run that is incomplete and was not imported, or `None` if no run matches.
    ///
    /// # Errors
    /// SQLite errors.
    pub fn last_incomplete(&self) -> Result<Option<String>, StoreError> {
        let sql = format!("SELECT id FROM runs WHERE NOT complete AND NOT imported {NEWEST_FIRST} LIMIT 1");
        self.connection.query_row(&sql, [], |row| row.get(0)).optional().at(&self.path)
    }

    fn last(&self, reference: &str, back: usize) -> Result<String, StoreError> {
        let ids = self.ids(&format!("SELECT id FROM runs {NEWEST_FIRST}"), [])?;
        let stored = ids.len();
        ids.into_iter().nth(back).ok_or_else(|| StoreError::TooFewRuns { reference: reference.into(), stored })
    }

    fn by_prefix(&self, reference: &str) -> Result<String, StoreError> {
        let unknown = || StoreError::UnknownRun { reference: reference.into() };
        if reference.is_empty() {
            return Err(unknown());
        }
        let sql = format!("SELECT id FROM runs WHERE substr(id, 1, length(?1)) = ?1 {NEWEST_FIRST}");
        let mut candidates = self.ids(&sql, [reference])?;
        if candidates.iter().any(|id| id == reference) {
            return Ok(reference.into());
        }
        match candidates.len() {
            0 => Err(unknown()),
            1 => Ok(candidates.remove(0)),
            _ => Err(StoreError::Ambiguous { reference: reference.into(), candidates }),
        }
    }

    fn ids(&self, sql: &str, parameters: impl Params) -> Result<Vec<String>, StoreError> {
        let mut query = self.connection.prepare(sql).at(&self.path)?;
        query.query_map(parameters, |row| row.get(0)).at(&self.path)?.collect::<Result<_, _>>().at(&self.path)
    }
}
