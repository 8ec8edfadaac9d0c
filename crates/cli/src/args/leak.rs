//! Arguments of `pqlab leak`.

use super::{FormatArgs, SharedLibraryArgs, patterns, positive, positive_seconds};
use clap::Args;

/// Test whether the time of an operation depends on a secret.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab leak kem/ML-KEM-768/decapsulate@liboqs          every test of one operation, with controls
  pqlab leak '*[secret=validity]@*' --samples 1000000   one test of every library
  pqlab leak 'compare/*'                                built-in targets: one leaks, two do not
  pqlab leak --taint '*ML-KEM-768*'                     secret-dependent code, found by valgrind
  pqlab leak 'kem/ML-KEM-768/*@new' --library new=liboqs:/opt/liboqs.so
  pqlab leak --list '*X25519*'                          available tests and their input classes

A test alternates between two classes of inputs, such as one secret and many others, and compares
their times. Verdicts:
  LEAK               the time depends on the class, and the classes differ in a secret
  public-dependent   the time depends on the class, but only public data differs: not a leak
  none above X ns    no difference exceeds X, and the test detected an added delay; this does not
                     mean `constant time`: see the limits of the verdict
  inconclusive       undecided: use more --samples or a quieter machine
  VOID               the test missed the added delay (positive control), or two groups of one class
                     differed (negative control), so the result is not valid
  unsupported        the library does not support the inputs that the test needs
  FAILED             the library failed

", patterns!(), "

Exit codes: 0 no test of a secret found a leak; 1 a test found one, or failed; 2 no such test, or a
library cannot be opened; 3 a test is inconclusive or VOID, or nothing secret was tested;
130 interrupted.
With --taint: 0 no branch or address depends on a secret; 1 one does, or a test failed; 3 no test
could run"))]
pub(crate) struct LeakArgs {
    /// Operations or single tests, by id or pattern: see --list
    #[arg(value_name = "CASE", required_unless_present = "list")]
    pub(crate) cases: Vec<String>,

    /// List the available tests without measuring
    #[arg(long)]
    pub(crate) list: bool,

    /// Samples per test, half of them from each class; fewer if --max-time is reached
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(pqlab_lab::FEWEST_LEAK_SAMPLES..))]
    pub(crate) samples: u64,

    /// Smallest difference that matters, in ns; the verdict `none above X` never has a larger X
    #[arg(long, value_name = "NS", default_value_t = 30.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) effect: f64,

    /// Delay of the positive control, in ns; a test that does not detect this delay is VOID
    #[arg(long, value_name = "NS", default_value_t = 50.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) planted: f64,

    /// Time limit per test
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = positive_seconds, allow_hyphen_values = true)]
    pub(crate) max_time: f64,

    /// Seed for keys, inputs and their order
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Repeat every test N times with different seeds, and count the verdicts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,

    /// Instead of timing, run each operation once under valgrind and report branches and addresses that depend on the
    /// secret
    #[arg(long)]
    pub(crate) taint: bool,

    #[command(flatten)]
    pub(crate) output: FormatArgs,

    #[command(flatten)]
    pub(crate) foreign: SharedLibraryArgs,

    /// Hide the progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}
