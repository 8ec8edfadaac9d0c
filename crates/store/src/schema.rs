use crate::StoreError;
use crate::error::At;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use std::path::Path;

/// Marks the file as ours, in the header field that SQLite keeps for it: "pqlb".
pub(crate) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"pqlb");

/// Step N brings schema N to schema N + 1. What has been released never changes: a new schema is a new step.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001.sql"),
    include_str!("../migrations/0002.sql"),
    include_str!("../migrations/0003.sql"),
    include_str!("../migrations/0004.sql"),
    include_str!("../migrations/0005.sql"),
];

/// The newest schema that this build knows.
pub(crate) const KNOWN: u32 = MIGRATIONS.len() as u32;

/// The file's schema; 0 for an empty file. A file that is not ours, or of the future, is refused untouched.
pub(crate) fn inspect(connection: &mut Connection, path: &Path) -> Result<u32, StoreError> {
    // One transaction, so that a file that another process is just making is seen whole or not at all.
    let view = connection.transaction().at(path)?;
    version(&view, path)
}

/// Brings the file up to date, each step in a transaction of its own.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    loop {
        let step = connection.transaction_with_behavior(TransactionBehavior::Immediate).at(path)?;
        let Some(sql) = MIGRATIONS.get(version(&step, path)? as usize) else { return Ok(()) };
        apply(&step, sql).at(path)?;
        step.commit().at(path)?;
    }
}

fn apply(step: &Transaction<'_>, sql: &str) -> rusqlite::Result<()> {
    let version: u32 = step.pragma_query_value(None, "user_version", |row| row.get(0))?;
    step.execute_batch(sql)?;
    step.pragma_update(None, "application_id", APPLICATION_ID)?;
    step.pragma_update(None, "user_version", version + 1)
}

fn version(view: &Transaction<'_>, path: &Path) -> Result<u32, StoreError> {
    let application: i32 = view.pragma_query_value(None, "application_id", |row| row.get(0)).at(path)?;
    let version: i32 = view.pragma_query_value(None, "user_version", |row| row.get(0)).at(path)?;
    let tables: u32 = view.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).at(path)?;
    match (application, u32::try_from(version)) {
        (APPLICATION_ID, Ok(found)) if found > KNOWN => {
            Err(StoreError::Newer { path: path.to_path_buf(), found, known: KNOWN })
        }
        (APPLICATION_ID, Ok(found)) if found > 0 => check_tables(view, path).map(|()| found),
        (0, Ok(0)) if tables == 0 => Ok(0),
        _ => Err(StoreError::Foreign { path: path.to_path_buf() }),
    }
}

/// Refuses views, triggers and virtual tables. pqlab creates only tables and indexes, and reading a crafted view may never end.
fn check_tables(view: &Transaction<'_>, path: &Path) -> Result<(), StoreError> {
    let sql = "SELECT type || ' ' || name FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR rootpage IS NULL OR rootpage < 1
               ORDER BY name LIMIT 1";
    match view.query_row(sql, [], |row| row.get(0)).optional().at(path)? {
        Some(what) => Err(StoreError::Altered { path: path.to_path_buf(), what }),
        None => Ok(()),
    }
}
