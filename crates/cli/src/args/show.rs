//! Arguments of `pqlab show`, and the scenario options that it shares with `report` and `export`.

use super::{DatabaseArgs, JobArgs, patterns};
use clap::Args;

/// Show the table of a run, or single cases in full.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab show                                          the latest run
  pqlab show last~1                                   the run before it
  pqlab show --wide                                   also intervals, means, rates, samples
  pqlab show last 'kem/ML-KEM-768/decapsulate@*'      cases in full, with histograms

", patterns!(), "

Exit codes: 0 done; 2 no such run, or no such case in the run"))]
pub(crate) struct ShowArgs {
    /// Run: an id or unique prefix, a baseline name, `last` or `last~1`
    #[arg(default_value = "last")]
    pub(crate) run: String,

    /// Cases to show in full, by id or pattern (see below)
    pub(crate) case: Option<String>,

    /// Also show intervals, means, rates, samples and processes
    #[arg(long, conflicts_with = "case")]
    pub(crate) wide: bool,

    #[command(flatten)]
    pub(crate) job: JobArgs,

    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// Scenario for the tables about circuit handshakes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Circuit handshakes")]
pub(crate) struct ScenarioArgs {
    /// New circuits per second at the relay
    #[arg(long, value_name = "N", default_value_t = 1000.0)]
    pub(crate) circuits_per_second: f64,

    /// Link speeds in bit/s, such as 10M, 100M or 10G
    #[arg(long, value_name = "SPEED", value_delimiter = ',', default_value = "10M,100M,10G")]
    pub(crate) link: Vec<String>,

    /// Round-trip time, in ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    pub(crate) rtt: f64,
}
