//! The database that the user names, or the one of this user.

use crate::args::DatabaseArgs;
use crate::output;
use pqlab_lab::store::{Store, StoreError, default_path};
use std::path::PathBuf;

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
            output::talk(&format!(
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
