//! Arguments of `pqlab doctor`.

use super::FormatArgs;
use clap::Args;

/// Show what disturbs measurements on this machine, and how to fix it. Takes seconds.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab doctor
  pqlab doctor --format json
  pqlab doctor --placement 'signature/Ed25519/verify[len=32]@rustcrypto'

`pqlab calibrate` measures the noise of the machine.

Exit codes: 0 done; 1 the case of --placement failed; 2 bad usage; 130 interrupted")]
pub(crate) struct DoctorArgs {
    /// Case, by id or pattern: find out whether memory layout or inputs make its processes differ. Takes half a minute
    #[arg(long, value_name = "CASE")]
    pub(crate) placement: Option<String>,

    #[command(flatten)]
    pub(crate) output: FormatArgs,
}
