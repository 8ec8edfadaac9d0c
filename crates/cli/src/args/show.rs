//! Arguments of `pqlab show`, and the scenario options that it shares with `report` and `export`.

use super::{DatabaseArgs, JobArgs, patterns};
use clap::Args;
use pqlab_lab::quantity::milliseconds;

/// Show the table of a run, or some of its cases.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab show                                          the latest run
  pqlab show last~1                                   the run before it
  pqlab show --wide                                   also intervals, means, rates, samples
  pqlab show 'kem/*'                                  only these cases
  pqlab show last~1 'kem/ML-KEM-768/decapsulate@aws*' cases in full, with histograms

", patterns!(), "

Exit codes: 0 done; 2 no such run, or no such case in the run"))]
pub(crate) struct ShowArgs {
    /// Run: an id or unique prefix, a baseline name, `last` or `last~1`. A case pattern or a
    /// name such as ML-KEM-768 here means cases of `last`
    #[arg(default_value = "last")]
    pub(crate) run: String,

    /// Only these cases, by id or pattern (see below). Up to four cases are shown in full, with histograms
    pub(crate) case: Option<String>,

    /// Also show intervals, means, rates, samples and processes
    #[arg(long)]
    pub(crate) wide: bool,

    /// Show each of the cases in full, with its histogram
    #[arg(long, conflicts_with = "wide")]
    pub(crate) full: bool,

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

    /// Round-trip time
    #[arg(long, value_name = "TIME", default_value = "50ms", value_parser = milliseconds)]
    pub(crate) rtt: f64,
}
