//! The arguments of `pqlab show`, and what tables of circuit handshakes ask about, here and elsewhere.

use super::{DatabaseArgs, JobArgs, patterns};
use clap::Args;

/// Show a run's table, or one case in full.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab show                                          the latest run
  pqlab show last~1                                   the one before it
  pqlab show last 'kem/ML-KEM-768/decapsulate@*'      cases in full, with their histograms

", patterns!(), "

Exit codes: 0 done; 2 no such run, or no such case in it"))]
pub(crate) struct ShowArgs {
    /// An id, a unique beginning of one, `last` or `last~1`
    #[arg(default_value = "last")]
    pub(crate) run: String,

    /// A case's id, or a pattern of ids (see below)
    pub(crate) case: Option<String>,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// What the tables of circuit handshakes ask about.
#[derive(Args, Debug)]
#[command(next_help_heading = "Circuit handshakes")]
pub(crate) struct ScenarioArgs {
    /// New circuits a second at the relay
    #[arg(long, value_name = "N", default_value_t = 1000.0)]
    pub(crate) circuits_per_second: f64,

    /// Speeds of links, with a unit: 10M, 100M, 10G bits a second
    #[arg(long, value_name = "SPEED", value_delimiter = ',', default_value = "10M,100M,10G")]
    pub(crate) link: Vec<String>,

    /// Round-trip time in ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    pub(crate) rtt: f64,
}
