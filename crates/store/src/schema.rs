use crate::StoreError;
use crate::error::At;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use std::path::Path;

/// Application id in the file header, which marks the file as pqlab's: "pqlb".
pub(crate) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"pqlb");

/// Table definitions: the oldest readable version, and the steps that lead to the newest.
pub(crate) struct Schema {
    /// Oldest readable version.
    pub(crate) oldest: u32,
    /// SQL that creates the tables of the oldest version.
    pub(crate) tables: &'static str,
    /// SQL of each migration step. Step N (from 0) migrates version `oldest + N` to the next version. Released steps
    /// must never change.
    pub(crate) migrations: &'static [&'static str],
}

/// The schema that this build reads and writes. Versions 1 to 4 were never released.
pub(crate) const SCHEMA: Schema =
    Schema { oldest: 5, tables: include_str!("schema.sql"), migrations: &[SECOND_CHANCE] };

/// Migration to version 6. If a disturbed case was measured again, the new column contains the outcome. Otherwise, the
/// column is null.
const SECOND_CHANCE: &str =
    "ALTER TABLE cases ADD COLUMN second_chance TEXT CHECK (second_chance IN ('undisturbed', 'disturbed'))";

impl Schema {
    pub(crate) fn newest(&self) -> u32 {
        self.oldest + self.migrations.len() as u32
    }

    /// Returns the schema version of the file, or 0 for an empty file. Rejects files of other programs and unsupported
    /// versions. Does not change the file.
    pub(crate) fn inspect(&self, connection: &mut Connection, path: &Path) -> Result<u32, StoreError> {
        // Use one transaction, so that a file that another process is creating appears either complete or empty.
        let view = connection.transaction().at(path)?;
        self.version(&view, path)
    }

    /// Creates the tables in an empty file, or migrates an older file. Each step is a separate transaction.
    pub(crate) fn migrate(&self, connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
        loop {
            let step = connection.transaction_with_behavior(TransactionBehavior::Immediate).at(path)?;
            let (sql, next) = match self.version(&step, path)? {
                0 => (self.tables, self.oldest),
                found => match self.migrations.get((found - self.oldest) as usize) {
                    Some(sql) => (*sql, found + 1),
                    None => return Ok(()),
                },
            };
            apply(&step, sql, next).at(path)?;
            step.commit().at(path)?;
        }
    }

    fn version(&self, view: &Transaction<'_>, path: &Path) -> Result<u32, StoreError> {
        let application: i32 = view.pragma_query_value(None, "application_id", |row| row.get(0)).at(path)?;
        let version: i32 = view.pragma_query_value(None, "user_version", |row| row.get(0)).at(path)?;
        let tables: u32 = view.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).at(path)?;
        let (oldest, newest) = (self.oldest, self.newest());
        match (application, u32::try_from(version)) {
            (APPLICATION_ID, Ok(found)) if found > newest => {
                Err(StoreError::Newer { path: path.to_path_buf(), found, known: newest })
            }
            (APPLICATION_ID, Ok(found)) if found >= oldest => check_tables(view, path).map(|()| found),
            (APPLICATION_ID, Ok(found)) if found > 0 => {
                Err(StoreError::Older { path: path.to_path_buf(), found, oldest })
            }
            (0, Ok(0)) if tables == 0 => Ok(0),
            _ => Err(StoreError::Foreign { path: path.to_path_buf() }),
        }
    }
}

fn apply(step: &Transaction<'_>, sql: &str, version: u32) -> rusqlite::Result<()> {
    step.execute_batch(sql)?;
    step.pragma_update(None, "application_id", APPLICATION_ID)?;
    step.pragma_update(None, "user_version", version)
}

/// Rejects views, triggers and virtual tables. pqlab creates only tables and indexes, and a query on a crafted view may
/// never finish.
fn check_tables(view: &Transaction<'_>, path: &Path) -> Result<(), StoreError> {
    let sql = "SELECT type || ' \"' || name || '\"' FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR rootpage IS NULL OR rootpage < 1
               ORDER BY name LIMIT 1";
    match view.query_row(sql, [], |row| row.get(0)).optional().at(path)? {
        Some(what) => Err(StoreError::Altered { path: path.to_path_buf(), what }),
        None => Ok(()),
    }
}
