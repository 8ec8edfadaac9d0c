//! Opens a laboratory with the libraries that the user names.

use crate::args::{LibraryArgs, NamedLibraryArgs, SharedLibraryArgs};
use pqlab_lab::{Laboratory, WorkerProgram, libraries_of_suites, prefer};

/// Opens a laboratory with all providers in this build. Its workers run this program.
pub(crate) fn open() -> anyhow::Result<Laboratory> {
    let laboratory = Laboratory::new(WorkerProgram::pqlab(std::env::current_exe()?));
    Ok(laboratory.with_providers(crate::more_providers()))
}

impl SharedLibraryArgs {
    /// Opens a laboratory with the given libraries.
    pub(crate) fn laboratory(&self) -> anyhow::Result<Laboratory> {
        Ok(open()?.with_libraries(self.libraries.clone())?)
    }
}

impl LibraryArgs {
    /// Opens a laboratory with the given libraries.
    pub(crate) fn laboratory(&self) -> anyhow::Result<Laboratory> {
        Ok(open()?.with_libraries(self.all())?)
    }
}

impl NamedLibraryArgs {
    /// Opens a laboratory with the given libraries. If `--allow-foreign` is set, also opens the libraries that the
    /// suite files among `words` name.
    pub(crate) fn laboratory(&self, words: &[String]) -> anyhow::Result<Laboratory> {
        let named = if self.allow_foreign { libraries_of_suites(words)? } else { Vec::new() };
        Ok(open()?.with_libraries(prefer(self.given.all(), named))?)
    }
}
