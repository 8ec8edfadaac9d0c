//! The argument that says for which job one library is chosen.

use clap::Args;
use pqlab_lab::analysis::libraries::JobWeights;

/// For which job one library is chosen.
#[derive(Args, Debug)]
#[command(next_help_heading = "One library for a job")]
pub(crate) struct JobArgs {
    /// How often the job does each operation of a KEM (keygen, encapsulate, decapsulate) and of signatures (sign, verify); what is not
    /// named is not done. The default is what both sides of a TLS 1.3 handshake do
    #[arg(long = "job", value_name = "OPERATION=N,...", default_value_t = JobWeights::default())]
    pub(crate) weights: JobWeights,
}
