//! One file a verb.

pub(crate) mod baseline;
pub(crate) mod compare;
pub(crate) mod compare_libraries;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod fleet;
pub(crate) mod import;
pub(crate) mod inspect;
pub(crate) mod leak;
pub(crate) mod ledger;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod ntor_client;
pub(crate) mod ntor_relay;
mod package;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod scenario;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
mod taint;
pub(crate) mod verify;

use crate::args::{DatabaseArgs, LibraryArgs, NamedLibraryArgs, SharedLibraryArgs};
use pqlab_lab::store::{Store, StoreError, default_path};
use pqlab_lab::{Laboratory, WorkerProgram, instead, libraries_of_suites};
use std::path::PathBuf;

/// Everything that this build can measure; workers are this program again.
pub(crate) fn laboratory() -> anyhow::Result<Laboratory> {
    let laboratory = Laboratory::new(WorkerProgram::pqlab(std::env::current_exe()?));
    Ok(laboratory.with_providers(crate::more_providers()))
}

impl SharedLibraryArgs {
    /// What this build can measure, with the libraries that are given.
    pub(crate) fn laboratory(&self) -> anyhow::Result<Laboratory> {
        Ok(laboratory()?.with_libraries(self.libraries.clone())?)
    }
}

impl LibraryArgs {
    /// What this build can measure, with the libraries that are given.
    pub(crate) fn laboratory(&self) -> anyhow::Result<Laboratory> {
        Ok(laboratory()?.with_libraries(self.all())?)
    }
}

impl NamedLibraryArgs {
    /// Likewise with those that suites among the words name, where that is allowed.
    pub(crate) fn laboratory(&self, words: &[String]) -> anyhow::Result<Laboratory> {
        let named = if self.allow_foreign { libraries_of_suites(words)? } else { Vec::new() };
        Ok(laboratory()?.with_libraries(instead(self.given.all(), named))?)
    }
}

impl DatabaseArgs {
    pub(crate) fn path(&self) -> Result<PathBuf, StoreError> {
        match &self.db {
            Some(path) => Ok(path.clone()),
            None => default_path(),
        }
    }

    /// Opens the database, which comes into being if it is not there.
    pub(crate) fn open(&self) -> Result<Store, StoreError> {
        let store = Store::open(self.path()?)?;
        if let Some(copy) = store.kept_copy() {
            crate::output::talk(&format!(
                "{}: migrated to the current format; older versions of pqlab can open the copy {}",
                store.path().display(),
                copy.display()
            ));
        }
        Ok(store)
    }

    /// Opens the database for changes; it must be there.
    pub(crate) fn open_existing(&self) -> Result<Store, StoreError> {
        self.open_read_only().map(drop)?;
        self.open()
    }

    /// Opens the database for reading; it must be there.
    pub(crate) fn open_read_only(&self) -> Result<Store, StoreError> {
        Store::open_read_only(self.path()?)
    }
}
