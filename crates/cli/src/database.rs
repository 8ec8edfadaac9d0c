//! Opens the database that the user names, or the default database.

use crate::args::DatabaseArgs;
use crate::output;
use pqlab_lab::store::{Store, StoreError, default_path};
use std::path::PathBuf;

impl DatabaseArgs {
    /// Returns the path from `--db` or `PQLAB_DB`, or the default path.
    pub(crate) fn path(&self) -> Result<PathBuf, StoreError> {
        match &self.db {
            Some(path) => Ok(path.clone()),
            None => default_path(),
        }
    }

    /// Opens the database, creating it if it is missing.
    pub(crate) fn open(&self) -> Result<Store, StoreError> {
        let store = Store::open(self.path()?)?;
        if let Some(copy) = store.kept_copy() {
            output::talk(&format!(
                "{}: migrated to the current format; older versions of pqlab can open the copy {}",
                store.path().display(),
                copy.display()
            ));
        }
        Ok(store)
    }

    /// Opens an existing database for changes.
    pub(crate) fn open_existing(&self) -> Result<Store, StoreError> {
        self.open_read_only().map(drop)?;
        self.open()
    }

    /// Opens an existing database for reading.
    pub(crate) fn open_read_only(&self) -> Result<Store, StoreError> {
        Store::open_read_only(self.path()?)
    }
}
