use crate::samples::SamplesError;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why the store could not do what it was asked. Each message is one line: what, and where; what is to be done about it depends
/// on the program that asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Neither `PQLAB_DB` nor a home folder is known.
    #[error("there is no home folder to keep runs in")]
    NoHome,
    /// A store that is to be read only is not there.
    #[error("{}: there is no such file", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The name cannot be a file's, or is a folder's.
    #[error("{}: not a file ({reason})", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },
    /// The file is not SQLite's.
    #[error("{}: not a database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// An SQLite file that pqlab did not make.
    #[error("{}: a database of another program, left as it was", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file has a schema of the future.
    #[error(
        "{}: written by a newer pqlab (schema {found}, this one knows {known})",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema that this build knows.
        known: u32,
    },
    /// The file has a schema from before the oldest that this build reads.
    #[error(
        "{}: written by an older pqlab (schema {found}, this one reads schema {oldest} and later)",
        path.display()
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The oldest schema that this build reads.
        oldest: u32,
    },
    /// The file has a schema object that pqlab never creates.
    #[error("{}: not a database written by pqlab: it contains the {what}", path.display())]
    Altered {
        /// The file.
        path: PathBuf,
        /// A view, a trigger or a virtual table: `view cases`.
        what: String,
    },
    /// The file or its folder cannot be opened or written.
    #[error("{}: cannot be {attempt} ({reason})", path.display())]
    Denied {
        /// The file or folder.
        path: PathBuf,
        /// `opened`, `written` or `created`.
        attempt: &'static str,
        /// What the system said.
        reason: String,
    },
    /// No room.
    #[error("{}: no room left to write", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Another process keeps the file to itself.
    #[error("{}: another process has kept it locked for {seconds} s", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long we waited.
        seconds: u64,
    },
    /// Something in the file is not as it was written.
    #[error("{}: {what} is damaged ({reason})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The run, the case or the file.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The raw samples of a case cannot be decoded.
    #[error("{}: the samples of {case} in run {run} are damaged ({source})", path.display())]
    DamagedSamples {
        /// The file.
        path: PathBuf,
        /// The run's id.
        run: String,
        /// The case's id.
        case: String,
        /// What is wrong with them.
        source: SamplesError,
    },
    /// A baseline cannot be called so.
    #[error(
        "a baseline cannot be called {name:?}: use letters, digits, dots, dashes and underscores, not beginning with `last`"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// No run is called so.
    #[error("no run is called {reference:?}")]
    UnknownRun {
        /// What was asked for.
        reference: String,
    },
    /// Several runs are called so.
    #[error("{reference:?} could be any of {} runs: {}", candidates.len(), shortened(candidates))]
    Ambiguous {
        /// What was asked for.
        reference: String,
        /// The ids that begin so.
        candidates: Vec<String>,
    },
    /// `last~N` reaches back before the first run.
    #[error("{reference:?} is not there: {stored} runs are stored")]
    TooFewRuns {
        /// What was asked for.
        reference: String,
        /// How many there are.
        stored: usize,
    },
    /// A run of that id is stored already.
    #[error("run {run} is stored already, with other content")]
    DuplicateRun {
        /// The run's id.
        run: String,
    },
    /// An imported run begins in the future.
    #[error("run {run} has the start time {started_at}, which is in the future")]
    Future {
        /// The run's id.
        run: String,
        /// When it began, by its own account.
        started_at: String,
    },
    /// The case of that position is finished already.
    #[error("{case} is finished already in run {run}")]
    DuplicateCase {
        /// The run's id.
        run: String,
        /// The case's id.
        case: String,
    },
    /// The run cannot be gone on with.
    #[error("run {run} cannot be gone on with: {reason}")]
    NotResumable {
        /// The run's id.
        run: String,
        /// Why not.
        reason: &'static str,
    },
    /// A record of something that the run did not plan.
    #[error("{case} is not at position {position} of the plan of run {run}")]
    NotPlanned {
        /// The run's id.
        run: String,
        /// The position in the plan.
        position: usize,
        /// The case's id.
        case: String,
    },
    /// A run is not complete while cases are missing.
    #[error("run {run} is not complete: {missing} cases of its plan have no record")]
    Incomplete {
        /// The run's id.
        run: String,
        /// How many.
        missing: usize,
    },
    /// A record that cannot be written down.
    #[error("{what} cannot be stored: {reason}")]
    Unstorable {
        /// The run or the case.
        what: String,
        /// Why not.
        reason: String,
    },
    /// Whatever else SQLite has to say.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Its words.
        source: rusqlite::Error,
    },
}

/// How long a connection waits for another process's lock.
pub(crate) const PATIENCE_SECONDS: u64 = 10;

/// Says where an error of SQLite happened, and what it means.
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

/// What the system says to a new file beside the database, which has no name, so that none that is there is touched. The database
/// itself must not be opened to find out: closing it again would drop the locks that other connections of this process hold on it.
pub(crate) fn refusal_of_folder(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let refusal = tempfile::tempfile_in(folder).err()?;
    // What the system said, without the path of a file that is of no interest.
    let said = refusal.get_ref().and_then(|inner| inner.source()).map(ToString::to_string);
    Some(said.unwrap_or_else(|| refusal.to_string()))
}

fn shortened(candidates: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut list = candidates.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if candidates.len() > SHOWN {
        list.push_str(&format!(", and {} more", candidates.len() - SHOWN));
    }
    list
}
