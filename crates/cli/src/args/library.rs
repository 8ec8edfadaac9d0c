//! The arguments that name shared libraries and workers.

use clap::Args;
use pqlab_lab::LibrarySpec;

/// Shared libraries beside what is linked in.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SharedLibraryArgs {
    /// A shared library as a provider, by its label [default label: the kind and the file's name]; KIND is liboqs, openssl
    /// (a libcrypto) or nist, which takes ?prefix=...&algorithm=... behind the path [repeatable]
    #[arg(long = "library", value_name = "[LABEL=]KIND:PATH")]
    pub(crate) libraries: Vec<LibrarySpec>,
}

/// Likewise, and programs in other languages.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LibraryArgs {
    #[command(flatten)]
    pub(crate) shared: SharedLibraryArgs,

    /// A program in another language as a provider: go, java, javascript, python or c, which `make workers` builds, or the path of
    /// any program that speaks the protocol of docs/workers.md [default label: its name] [repeatable]
    #[arg(long = "worker", value_name = "[LABEL=]NAME-or-PATH", value_parser = LibrarySpec::worker)]
    pub(crate) programs: Vec<LibrarySpec>,
}

impl LibraryArgs {
    /// Both, as they are asked for.
    pub(crate) fn all(&self) -> Vec<LibrarySpec> {
        self.shared.libraries.iter().chain(&self.programs).cloned().collect()
    }
}

/// Likewise where suites and runs may name them too.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NamedLibraryArgs {
    #[command(flatten)]
    pub(crate) given: LibraryArgs,

    /// Also load the libraries and start the workers that a file of a suite names, or the run that is gone on with: that runs their
    /// code
    #[arg(long)]
    pub(crate) allow_foreign: bool,
}
