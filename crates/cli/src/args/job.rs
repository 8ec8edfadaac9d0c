//! The option `--job`, which sets the weights of operations for choosing one library.

use clap::Args;
use pqlab_lab::analysis::libraries::JobWeights;

/// Weights of operations for choosing one library.
#[derive(Args, Debug)]
#[command(next_help_heading = "One library for a job")]
pub(crate) struct JobArgs {
    /// How often the job performs each operation: keygen, encapsulate, decapsulate, sign, verify. Operations that are
    /// not listed do not occur. The default is both sides of a TLS 1.3 handshake
    #[arg(long = "job", value_name = "OPERATION=N,...", default_value_t = JobWeights::default())]
    pub(crate) weights: JobWeights,
}
