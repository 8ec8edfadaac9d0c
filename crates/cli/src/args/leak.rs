//! The arguments of `pqlab leak`.

use super::{SharedLibraryArgs, patterns, positive};
use clap::Args;

/// Does the time of an operation depend on the secret?
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab leak kem/ML-KEM-768/decapsulate@liboqs          every test of one operation, with controls
  pqlab leak '*[secret=validity]@*' --samples 1000000   one test of every library
  pqlab leak 'compare/*'                                built-in targets: one leaks, one does not
  pqlab leak --taint '*ML-KEM-768*'                     what depends on it, as valgrind sees it
  pqlab leak 'kem/ML-KEM-768/*@new' --library new=liboqs:/opt/liboqs.so
  pqlab leak --list '*X25519*'                          the tests that there are, and their classes

A test takes the times of two classes of inputs in turn: those of one secret and of others, say.
  LEAK               the time depends on the class, and the class is secret
  public-dependent   it depends on the class, which is public: no leak
  none above X ns    no difference above X was found, which a control of its size was; the limits
                     stand beside the verdict: it does not say `constant time`
  inconclusive       neither can be said: take more --samples, or a quiet machine
  VOID               the test missed its positive control (a delay that was put in), or found its
                     negative one (no difference at all), and says nothing
  unsupported        the library does not offer what the classes need
  FAILED             the library failed

", patterns!(), "

Exit codes: 0 no test of a secret found a leak; 1 one did, or failed; 2 no such test, or a
library cannot be opened; 3 one is inconclusive or VOID, or nothing secret was tested; 130
interrupted.
With --taint: 0 nothing depends on a secret; 1 something does, or failed; 3 nothing could be tested"))]
pub(crate) struct LeakArgs {
    /// Operations or single tests: `*` stands for any text; see --list
    #[arg(value_name = "CASE", required_unless_present = "list")]
    pub(crate) cases: Vec<String>,

    /// List the tests that there are, and measure nothing
    #[arg(long)]
    pub(crate) list: bool,

    /// Samples of a test, half of them of each class; fewer where --max-time allows no more
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(pqlab_lab::FEWEST_LEAK_SAMPLES..))]
    pub(crate) samples: u64,

    /// The difference in nanoseconds that matters: `none above X` is said for an X of at most this
    #[arg(long, value_name = "NS", default_value_t = 30.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) effect: f64,

    /// The positive control: a delay in nanoseconds beside each test, which the test must find to be worth anything
    #[arg(long, value_name = "NS", default_value_t = 50.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) planted: f64,

    /// Most seconds for a test
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) max_time: f64,

    /// Seed of keys, inputs and order
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Test everything so many times, each time with another seed, and count the verdicts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,

    /// Measure nothing: run each operation once under valgrind, with its secret marked, and report each branch and each
    /// address that depends on it. Exit code 1 if there is one
    #[arg(long)]
    pub(crate) taint: bool,

    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) foreign: SharedLibraryArgs,

    /// No progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}
