//! Options that name shared libraries and workers.

use clap::Args;
use pqlab_lab::LibrarySpec;

/// Shared libraries to measure in addition to the built-in ones.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SharedLibraryArgs {
    /// Shared library to add as a provider; KIND is liboqs, openssl (a libcrypto) or nist
    /// (PATH?prefix=...&algorithm=...) [default label: kind and file name] [repeatable]
    #[arg(long = "library", value_name = "[LABEL=]KIND:PATH")]
    pub(crate) libraries: Vec<LibrarySpec>,
}

/// Shared libraries, and programs in other languages.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LibraryArgs {
    #[command(flatten)]
    pub(crate) shared: SharedLibraryArgs,

    /// Program in another language to add as a provider: go, go-std, java, jdk, javascript, node, python or c (built by
    /// `make workers`), or the path of a program that speaks the protocol in docs/workers.md [default label: name of
    /// the program] [repeatable]
    #[arg(long = "worker", value_name = "[LABEL=]NAME-or-PATH", value_parser = LibrarySpec::worker)]
    pub(crate) programs: Vec<LibrarySpec>,
}

impl LibraryArgs {
    /// Returns the libraries, then the programs.
    pub(crate) fn all(&self) -> Vec<LibrarySpec> {
        self.shared.libraries.iter().chain(&self.programs).cloned().collect()
    }
}

/// Libraries and programs, for verbs that accept suites and runs, which can name more of them.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NamedLibraryArgs {
    #[command(flatten)]
    pub(crate) given: LibraryArgs,

    /// Also use the libraries and workers named by a suite file, a resumed run or a baseline. This runs their code
    #[arg(long)]
    pub(crate) allow_foreign: bool,
}
