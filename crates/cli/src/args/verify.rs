//! The arguments of `pqlab verify`.

use super::LibraryArgs;
use clap::{Args, ValueEnum};

/// What `pqlab verify` prints.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerifyFormat {
    Text,
    Markdown,
    Json,
}

/// Are the answers right? Known answers, published vectors, every library against every other.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab verify                                        a page: a grid for each kind of check
  pqlab verify --provider libcrux                     one library, by itself and with every other
  pqlab verify --long                                 and thousands of answers more, some minutes
  pqlab verify --algorithm 'ML-KEM-*' --no-interop    some algorithms, each library by itself
  pqlab verify --library liboqs:/opt/liboqs.so        a shared library, with every other
  pqlab verify --format markdown > VERIFIED.md

Exit codes: 0 every answer is right; 1 one is wrong; 2 bad usage, or a
library cannot be opened; 4 the only wrong answers are known defects of
linked libraries; 130 interrupted")]
pub(crate) struct VerifyArgs {
    /// Only this provider; it is still paired with all others [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only this algorithm [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    #[command(flatten)]
    pub(crate) foreign: LibraryArgs,

    /// Leave out the matrix of every library against every other
    #[arg(long)]
    pub(crate) no_interop: bool,

    /// Every line as it comes, before the page
    #[arg(long)]
    pub(crate) all: bool,

    /// The long accumulated vectors: 10,000 answers of ML-DSA, a million of ML-KEM-768. It says first how long they take
    #[arg(long)]
    pub(crate) long: bool,

    /// Accumulated vectors up to this published number of answers: 100, 10000, 1000000 (ML-KEM-768), 60000000 (ML-DSA).
    /// Stopped, the same command goes on where it was
    #[arg(long, value_name = "N", conflicts_with = "long")]
    pub(crate) accumulated: Option<u64>,

    /// What to print: a page for people, or a document
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(crate) format: VerifyFormat,
}
