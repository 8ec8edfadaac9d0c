//! Arguments of `pqlab verify`.

use super::LibraryArgs;
use clap::{Args, ValueEnum};

/// Output format of `pqlab verify`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerifyFormat {
    Text,
    Markdown,
    Json,
}

/// Check libraries with known answers, published vectors and each other.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab verify                                        one page: a grid for each kind of check
  pqlab verify --provider libcrux                     one library, alone and against all others
  pqlab verify --long                                 also long accumulated vectors; takes minutes
  pqlab verify --algorithm 'ML-KEM-*' --no-interop    some algorithms, each library alone
  pqlab verify --library liboqs:/opt/liboqs.so        also a shared library, against all others
  pqlab verify --format markdown > VERIFIED.md

Exit codes: 0 every answer is correct; 1 an answer is wrong; 2 bad usage, or a library cannot be
opened; 4 the only wrong answers are known defects of built-in libraries; 130 interrupted")]
pub(crate) struct VerifyArgs {
    /// Only the library with this provider id; it is still tested against all others [repeatable]
    #[arg(short, long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only algorithms that match this name or pattern [repeatable]
    #[arg(short, long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    #[command(flatten)]
    pub(crate) foreign: LibraryArgs,

    /// Skip the checks of libraries against each other
    #[arg(long)]
    pub(crate) no_interop: bool,

    /// Print each check as it finishes, before the page
    #[arg(long)]
    pub(crate) all: bool,

    /// Include long accumulated vectors: 10,000 answers for ML-DSA, 1,000,000 for ML-KEM-768. Prints the expected
    /// duration first
    #[arg(long)]
    pub(crate) long: bool,

    /// Compute accumulated vectors up to this published count: 100, 10000, 1000000 (ML-KEM-768) or 60000000 (ML-DSA).
    /// Repeat the command to resume after an interruption
    #[arg(long, value_name = "N", conflicts_with = "long")]
    pub(crate) accumulated: Option<u64>,

    /// Time limit for one check, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120, hide = true)]
    pub(crate) time_limit: u64,

    /// Output: a page for the terminal, Markdown or JSON
    #[arg(short, long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(crate) format: VerifyFormat,
}
