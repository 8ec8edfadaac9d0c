use crate::samples::SamplesError;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Error from the store. The message is one line that states the problem and its place. The caller adds the remedy.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Neither `PQLAB_DB` nor a home folder is set.
    #[error("no home folder for the database")]
    NoHome,
    /// The store does not exist, so it cannot be opened read-only.
    #[error("{}: no such file", path.display())]
    Missing {
        /// Path of the store.
        path: PathBuf,
    },
    /// The path is not a valid file name, or names something other than a regular file.
    #[error("{}: not a file ({reason})", path.display())]
    NotAFile {
        /// The rejected path.
        path: PathBuf,
        /// Reason why the path is not a file.
        reason: String,
    },
    /// The file is not an SQLite file.
    #[error("{}: not a database", path.display())]
    NotADatabase {
        /// Path of the store.
        path: PathBuf,
    },
    /// The file is an SQLite file that pqlab did not create.
    #[error("{}: this database belongs to another program, so pqlab left it unchanged", path.display())]
    Foreign {
        /// Path of the store.
        path: PathBuf,
    },
    /// The schema of the file is newer than this build knows.
    #[error(
        "{}: written by a newer pqlab (schema {found}; this version reads up to {known})",
        path.display()
    )]
    Newer {
        /// Path of the store.
        path: PathBuf,
        /// Schema version of the file.
        found: u32,
        /// Newest schema version that this build knows.
        known: u32,
    },
    /// The schema of the file is older than this build reads.
    #[error(
        "{}: written by an older pqlab (schema {found}; this version reads {oldest} and later)",
        path.display()
    )]
    Older {
        /// Path of the store.
        path: PathBuf,
        /// Schema version of the file.
        found: u32,
        /// Oldest schema version that this build reads.
        oldest: u32,
    },
    /// The file contains a view, a trigger or a virtual table, which pqlab never creates.
    #[error("{}: not a database written by pqlab (it contains the {what})", path.display())]
    Altered {
        /// Path of the store.
        path: PathBuf,
        /// Type and name of the object, such as `view "cases"`.
        what: String,
    },
    /// The file or its folder cannot be opened or written.
    #[error("{}: cannot be {attempt} ({reason})", path.display())]
    Denied {
        /// The file or folder.
        path: PathBuf,
        /// Action that failed: `opened`, `written` or `created`.
        attempt: &'static str,
        /// Reason given by the operating system.
        reason: String,
    },
    /// The disk is full.
    #[error("{}: no disk space left", path.display())]
    Full {
        /// Path of the store.
        path: PathBuf,
    },
    /// Another process holds a lock on the file.
    #[error("{}: another process kept the file locked for {seconds} s", path.display())]
    Locked {
        /// Path of the store.
        path: PathBuf,
        /// Time that the store waited, in seconds.
        seconds: u64,
    },
    /// Stored data cannot be read back.
    #[error("{}: {what} is damaged ({reason})", path.display())]
    Damaged {
        /// Path of the store.
        path: PathBuf,
        /// The damaged run, case or file.
        what: String,
        /// Description of the damage.
        reason: String,
    },
    /// The raw samples of a case cannot be decoded.
    #[error("{}: the samples of {case} in run {run} are damaged ({source})", path.display())]
    DamagedSamples {
        /// Path of the store.
        path: PathBuf,
        /// Id of the run.
        run: String,
        /// Id of the case.
        case: String,
        /// Reason why the samples cannot be decoded.
        source: SamplesError,
    },
    /// The baseline name is empty, contains a forbidden character, or begins with `last`.
    #[error(
        "invalid baseline name {name:?}: use letters, digits, dots, dashes and underscores, not beginning with `last`"
    )]
    BadName {
        /// The rejected name.
        name: String,
    },
    /// No run matches the reference.
    #[error("unknown run {reference:?}")]
    UnknownRun {
        /// Reference from the user, such as the beginning of an id.
        reference: String,
    },
    /// The reference is the beginning of several run ids.
    #[error("{reference:?} matches {} runs: {}", candidates.len(), shortened(candidates))]
    Ambiguous {
        /// Reference from the user.
        reference: String,
        /// Ids that begin with the reference.
        candidates: Vec<String>,
    },
    /// `last~N` goes back beyond the first run.
    #[error("no run {reference:?} (stored runs: {stored})")]
    TooFewRuns {
        /// Reference from the user: `last~N`.
        reference: String,
        /// Number of stored runs.
        stored: usize,
    },
    /// Another run with this id is already stored.
    #[error("run {run} is already stored, with different content")]
    DuplicateRun {
        /// Id of the run.
        run: String,
    },
    /// An imported run starts a day or more in the future.
    #[error("run {run} has the start time {started_at}, which is in the future")]
    Future {
        /// Id of the run.
        run: String,
        /// The start time in the import.
        started_at: String,
    },
    /// The run already contains a record of this case.
    #[error("{case} is already finished in run {run}")]
    DuplicateCase {
        /// Id of the run.
        run: String,
        /// Id of the case.
        case: String,
    },
    /// The run cannot be resumed.
    #[error("run {run} cannot be resumed: {reason}")]
    NotResumable {
        /// Id of the run.
        run: String,
        /// Reason why the run cannot be resumed.
        reason: &'static str,
    },
    /// The case of a record is not at the expected position in the run's plan.
    #[error("{case} is not at position {position} in the plan of run {run}")]
    NotPlanned {
        /// Id of the run.
        run: String,
        /// Position at which the case was expected, counted from 0.
        position: usize,
        /// Id of the case.
        case: String,
    },
    /// A run cannot be marked as complete while cases are missing.
    #[error("run {run} is not complete (planned cases without a record: {missing})")]
    Incomplete {
        /// Id of the run.
        run: String,
        /// Number of planned cases without a record.
        missing: usize,
    },
    /// A record contains a value that cannot be stored.
    #[error("{what} cannot be stored: {reason}")]
    Unstorable {
        /// The run or the case that contains the value.
        what: String,
        /// Reason why the value cannot be stored.
        reason: String,
    },
    /// Any other SQLite error.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// Path of the store.
        path: PathBuf,
        /// Error from SQLite.
        source: rusqlite::Error,
    },
}

/// Time that a connection waits for another process's lock, in seconds.
pub(crate) const PATIENCE_SECONDS: u64 = 10;

/// Converts an SQLite error to a [`StoreError`] that names the path of the store.
pub(crate) trait At<T> {
    fn at(self, path: &Path) -> Result<T, StoreError>;
}

impl<T> At<T> for rusqlite::Result<T> {
    fn at(self, path: &Path) -> Result<T, StoreError> {
        self.map_err(|error| explain(path, error))
    }
}

fn explain(path: &Path, source: rusqlite::Error) -> StoreError {
    let path = path.to_path_buf();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Locked { path, seconds: PATIENCE_SECONDS }
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            StoreError::Damaged { path, what: "the file".into(), reason: source.to_string() }
        }
        Some(ErrorCode::CannotOpen) => {
            let reason = refusal_of_folder(&path).unwrap_or_else(|| source.to_string());
            StoreError::Denied { path, attempt: "opened", reason }
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            let reason = refusal_of_folder(&path).unwrap_or_else(|| source.to_string());
            StoreError::Denied { path, attempt: "written", reason }
        }
        _ => StoreError::Sqlite { path, source },
    }
}

/// Tries to create a temporary file in the database's folder. Returns the system's reason if that fails, otherwise
/// `None`. The temporary file has no name, so it cannot overwrite another file. This function does not open the
/// database, because closing the file would drop the locks that other connections of this process hold on it.
pub(crate) fn refusal_of_folder(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let refusal = tempfile::tempfile_in(folder).err()?;
    // The system's message does not contain the path of the temporary file.
    let message = refusal.get_ref().and_then(|inner| inner.source()).map(ToString::to_string);
    Some(message.unwrap_or_else(|| refusal.to_string()))
}

fn shortened(candidates: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut list = candidates.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if candidates.len() > SHOWN {
        list.push_str(&format!(", and {} more", candidates.len() - SHOWN));
    }
    list
}
