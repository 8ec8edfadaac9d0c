//! Opens a laboratory with the libraries that the user names.

use crate::args::{LibraryArgs, NamedLibraryArgs, SharedLibraryArgs};
use crate::output;
use pqlab_lab::{AddedLibraries, Laboratory, LibrarySpec, WorkerProgram, libraries_of_suites, prefer};

/// Opens a laboratory with all providers in this build. Its workers run this program.
pub(crate) fn open() -> anyhow::Result<Laboratory> {
    let laboratory = Laboratory::new(WorkerProgram::pqlab(std::env::current_exe()?));
    Ok(laboratory.with_providers(crate::more_providers()))
}

/// Adds the libraries that the user added, except those whose label is taken.
pub(crate) fn with_added(laboratory: Laboratory) -> anyhow::Result<Laboratory> {
    // Without a home folder, there are no added libraries.
    let Ok(added) = AddedLibraries::of_user() else { return Ok(laboratory) };
    let (laboratory, notes) = laboratory.with_added(&added)?;
    notes.iter().for_each(|note| output::talk(note));
    Ok(laboratory)
}

/// Opens a laboratory with the given libraries and those that the user added.
fn with(libraries: Vec<LibrarySpec>) -> anyhow::Result<Laboratory> {
    with_added(open()?.with_libraries(libraries)?)
}

impl SharedLibraryArgs {
    /// Opens a laboratory with the given libraries.
    pub(crate) fn laboratory(&self) -> anyhow::Result<Laboratory> {
        with(self.libraries.clone())
    }
}

impl LibraryArgs {
    /// Opens a laboratory with the given libraries.
    pub(crate) fn laboratory(&self) -> anyhow::Result<Laboratory> {
        with(self.all())
    }
}

impl NamedLibraryArgs {
    /// Opens a laboratory with the given libraries. If `--allow-foreign` is set, also opens the libraries that the
    /// suite files among `words` name.
    pub(crate) fn laboratory(&self, words: &[String]) -> anyhow::Result<Laboratory> {
        let named = if self.allow_foreign { libraries_of_suites(words)? } else { Vec::new() };
        with(prefer(self.given.all(), named))
    }
}
