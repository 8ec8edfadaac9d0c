//! Arguments of `pqlab fleet`.

use super::{DatabaseArgs, FormatArgs, positive_seconds};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Measure the same suite on many machines with Ray.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab fleet run standard --address auto --out page
  pqlab fleet page --out page

Exit codes: 0 done; 1 a node has no complete run; 2 bad usage, or Ray is missing; 130 interrupted")]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    pub(crate) command: FleetCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum FleetCommand {
    /// Measure on every node of a Ray cluster, one run per node. Needs the Python package: pip install 'pqlab[cluster]'
    Run(Box<FleetRunArgs>),
    /// Write a web page that compares machines by their stored runs
    Page(FleetPageArgs),
}

/// Measure on every node of a Ray cluster, one run per node.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab fleet run --address auto
  pqlab fleet run kem --address 10.0.0.1:6379 --label pool=arm --out page --price '*arm*=0.15'

Exit codes: 0 every node has a complete run; 1 a node has no complete run; 2 bad usage, or Ray is
missing; 130 interrupted: finished cases are stored")]
pub(crate) struct FleetRunArgs {
    /// Suites, areas, algorithms or libraries, as for `pqlab run` [default: standard]
    pub(crate) suites: Vec<String>,

    /// Address of the Ray cluster; `auto` uses the cluster of this machine, `local` starts a cluster
    #[arg(long, value_name = "ADDRESS", default_value = "local")]
    pub(crate) address: String,

    /// Only nodes with this Ray label [repeatable]
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) label: Vec<String>,

    /// Only algorithms that match this name or pattern (`*` any text, `?` any character) [repeatable]
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Only libraries whose provider id matches this name or pattern [repeatable]
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only cases whose id matches this pattern [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// Measure faster, with wider intervals
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// Measure longer: narrower intervals, more processes, up to 10 s for each case
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Time limit per case, such as 500ms or 2s
    #[arg(long, value_name = "TIME", value_parser = positive_seconds)]
    pub(crate) max_time: Option<f64>,

    /// Seed for the order of cases and for inputs, the same on every node [default: random on each node]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Folder for a web page that compares the machines [default: no page]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// With --out: hourly price in dollars of machines whose kind matches KIND; adds operations per dollar [repeatable]
    #[arg(long, value_name = "KIND=DOLLARS", requires = "out")]
    pub(crate) price: Vec<String>,

    #[command(flatten)]
    pub(crate) output: FormatArgs,

    /// Hide progress messages
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Write a web page that compares machines.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab fleet page --out page
  pqlab fleet page 20261124T153504Z-83f719 20261124T161200Z-6104c3 --out page --price '*EPYC*=0.34'

Exit codes: 0 done; 2 no such run, or the page cannot be written")]
pub(crate) struct FleetPageArgs {
    /// Runs to compare [default: the newest complete run of each machine]
    pub(crate) runs: Vec<String>,

    /// Folder for the page
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Hourly price in dollars of machines whose kind matches KIND; adds operations per dollar
    /// [repeatable]
    #[arg(long, value_name = "KIND=DOLLARS")]
    pub(crate) price: Vec<String>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}
