//! The arguments that name shared libraries.

use clap::Args;
use pqlab_lab::LibrarySpec;

/// Shared libraries beside those of the build.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LibraryArgs {
    /// A shared library as a provider, by its label [default label: the kind and the file's name]; KIND is liboqs, openssl
    /// (a libcrypto) or nist, which takes ?prefix=...&algorithm=... behind the path [repeatable]
    #[arg(long = "library", value_name = "[LABEL=]KIND:PATH")]
    pub(crate) libraries: Vec<LibrarySpec>,
}

/// Likewise where suites and runs may name them too.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct NamedLibraryArgs {
    #[command(flatten)]
    pub(crate) given: LibraryArgs,

    /// Also load the libraries that a file of a suite names, or the run that is gone on with: that runs their code
    #[arg(long)]
    pub(crate) allow_foreign: bool,
}
