//! The `--job` option: weights of operations, for choosing one library.

use clap::Args;
use pqlab_lab::analysis::libraries::JobWeights;

/// Weights of operations for choosing one library.
#[derive(Args, Debug)]
#[command(next_help_heading = "One library for a job")]
pub(crate) struct JobArgs {
    /// Number of times that the job performs each operation: keygen, encapsulate, decapsulate, sign, verify. Operations
    /// that you leave out count as 0. The default is both sides of a TLS 1.3 handshake
    #[arg(long = "job", value_name = "OPERATION=N,...", default_value_t = JobWeights::default())]
    pub(crate) weights: JobWeights,
}
