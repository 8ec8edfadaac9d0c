//! Arguments of `pqlab doctor`.

use super::FormatArgs;
use clap::Args;

/// Show what disturbs measurements on this machine, and how to fix it. Takes seconds.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab doctor
  pqlab doctor --format json

`pqlab calibrate` measures the noise of the machine.

Exit codes: 0 done; 2 bad usage")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) output: FormatArgs,
}
