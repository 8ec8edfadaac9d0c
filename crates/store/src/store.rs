use crate::StoreError;
use crate::error::{At, PATIENCE_SECONDS};
use crate::schema::{SCHEMA, Schema};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Number of database pages copied per step.
const PAGES_AT_ONCE: i32 = 4096;

/// Path of a store in memory.
const IN_MEMORY: &str = ":memory:";

/// An open store of runs, in a file or in memory.
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    /// Path of the copy of the old file, if opening the file migrated its schema.
    kept: Option<PathBuf>,
}

impl Store {
    /// Opens the file for reading and writing. Creates missing files and folders, and migrates an older schema. Older
    /// versions of pqlab cannot open a migrated file, so the old file remains as a [copy](Self::kept_copy).
    ///
    /// # Errors
    /// [`StoreError`] if the path is not a file, if another program created the file, if this build does not read the
    /// schema, or if the file cannot be created, opened, copied, migrated or written.
    pub fn open(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        Store::open_with(path.as_ref(), &SCHEMA)
    }

    pub(crate) fn open_with(path: &Path, schema: &Schema) -> Result<Store, StoreError> {
        let path = path.to_path_buf();
        let file = file_name(&path)?;
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(|error| StoreError::Denied {
                path: folder.to_path_buf(),
                attempt: "created",
                reason: error.to_string(),
            })?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&file, flags).at(&path)?;
        prepare(&connection).at(&path)?;
        let found = schema.inspect(&mut connection, &path)?;
        let is_older = (1..schema.newest()).contains(&found);
        let kept = if is_older { Some(keep_copy(&connection, &file, found).at(&path)?) } else { None };
        if found < schema.newest() {
            schema.migrate(&mut connection, &path)?;
        }
        // Without write permission, SQLite silently opens the file as read-only.
        if connection.is_readonly("main").at(&path)? {
            return Err(StoreError::Denied { path, attempt: "written", reason: "it is read-only".into() });
        }
        make_durable(&connection).at(&path)?;
        Ok(Store { connection, path, kept })
    }

    /// Creates an empty store in memory, which is lost when it is dropped. Its [`path`](Self::path) is `:memory:`.
    ///
    /// # Errors
    /// SQLite errors, which occur only if memory runs out.
    pub fn in_memory() -> Result<Store, StoreError> {
        let path = PathBuf::from(IN_MEMORY);
        let mut connection = Connection::open_in_memory().at(&path)?;
        prepare(&connection).at(&path)?;
        SCHEMA.migrate(&mut connection, &path)?;
        Ok(Store { connection, path, kept: None })
    }

    /// Opens the file for reading, even on a read-only medium. Never changes the file: if the schema is older, the
    /// store reads a migrated temporary copy.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if the file does not exist, and the same errors as [`open`](Self::open).
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        Store::open_read_only_with(path.as_ref(), &SCHEMA)
    }

    pub(crate) fn open_read_only_with(path: &Path, schema: &Schema) -> Result<Store, StoreError> {
        let path = path.to_path_buf();
        let file = file_name(&path)?;
        match file.try_exists() {
            Ok(true) => {}
            Ok(false) => return Err(StoreError::Missing { path }),
            Err(error) => return Err(StoreError::Denied { path, attempt: "opened", reason: error.to_string() }),
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || read_only(Connection::open_with_flags(&file, flags), &path, schema);
        let (connection, found) = match open() {
            // The -wal and -shm files do not exist and cannot be created, so no other process can be writing. A
            // properly closed database is complete without these files, so open it as immutable.
            Err(StoreError::Denied { .. }) if !log_of(&file).exists() => {
                let uri = immutable_uri(&file);
                read_only(Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI), &path, schema)?
            }
            opened => opened?,
        };
        let is_older = found < schema.newest();
        let connection = if is_older { brought_up_to_date(&connection, &path, schema)? } else { connection };
        Ok(Store { connection, path, kept: None })
    }

    /// Returns the path of the copy of the old file, if [`open`](Self::open) migrated the schema.
    pub fn kept_copy(&self) -> Option<&Path> {
        self.kept.as_deref()
    }

    /// Returns the path of the file, or `:memory:` for a store in memory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns the absolute path, because SQLite gives relative paths such as `:memory:` a special meaning.
fn file_name(path: &Path) -> Result<PathBuf, StoreError> {
    let reject = |reason: String| StoreError::NotAFile { path: path.to_path_buf(), reason };
    let file = std::path::absolute(path).map_err(|error| reject(error.to_string()))?;
    match fs::metadata(&file) {
        Ok(found) if found.is_dir() => Err(reject("a folder".into())),
        Ok(found) if !found.is_file() => Err(reject("a device, a pipe or a socket".into())),
        _ => Ok(file),
    }
}

/// Configures a connection. Protects against hostile files: SQLite must not trust the schema and must check pages.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(PATIENCE_SECONDS))?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Copies a file with an older schema to `pqlab.db.v5`, or to `pqlab.db.v5.2` and so on if that name is taken.
fn keep_copy(connection: &Connection, file: &Path, version: u32) -> rusqlite::Result<PathBuf> {
    let name = |suffix: String| {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let names = std::iter::once(format!(".v{version}")).chain((2_u64..).map(|number| format!(".v{version}.{number}")));
    let copy = names.map(name).find(|name| !name.exists()).unwrap_or_else(|| name(".old".into()));
    copied(connection, Connection::open(&copy)?)?;
    Ok(copy)
}

/// Copies the database into a temporary file, which SQLite deletes on close, and migrates the copy.
fn brought_up_to_date(older: &Connection, path: &Path, schema: &Schema) -> Result<Connection, StoreError> {
    let mut copy = Connection::open("").and_then(|copy| copied(older, copy)).at(path)?;
    prepare(&copy).at(path)?;
    schema.migrate(&mut copy, path)?;
    Ok(copy)
}

fn copied(from: &Connection, mut to: Connection) -> rusqlite::Result<Connection> {
    // Pause between steps, so that other processes can write.
    Backup::new(from, &mut to)?.run_to_completion(PAGES_AT_ONCE, Duration::from_millis(1), None)?;
    Ok(to)
}

/// Pause between attempts to change the journal mode, in milliseconds.
const RETRY_MS: u64 = 5;

/// Makes commits durable. With a write-ahead log, readers and the writer do not block each other. `synchronous = FULL`
/// syncs the log at every commit, so that a finished case survives a power failure. `NORMAL` would keep the file
/// consistent, but could lose the last cases. The sync takes milliseconds per case, while measuring a case takes about
/// a second.
fn make_durable(connection: &Connection) -> rusqlite::Result<()> {
    let mut attempts = PATIENCE_SECONDS * 1000 / RETRY_MS;
    // Accept any resulting mode. On a file system without shared memory, SQLite keeps the rollback journal, which is
    // equally durable.
    while let Err(error) = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())) {
        // SQLite ignores the busy timeout while it changes the journal mode, so retry here.
        let busy = error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
        if !busy || attempts == 0 {
            return Err(error);
        }
        attempts -= 1;
        thread::sleep(Duration::from_millis(RETRY_MS));
    }
    connection.pragma_update(None, "synchronous", "FULL")
}

fn read_only(
    opened: rusqlite::Result<Connection>,
    path: &Path,
    schema: &Schema,
) -> Result<(Connection, u32), StoreError> {
    let mut connection = opened.at(path)?;
    prepare(&connection).at(path)?;
    let found = schema.inspect(&mut connection, path)?;
    Ok((connection, found))
}

fn log_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

fn immutable_uri(file: &Path) -> String {
    const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    format!("file://{}?immutable=1", percent_encode(file.as_os_str().as_bytes(), PATH))
}
