//! The arguments of `pqlab fleet`.

use super::{DatabaseArgs, positive};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The same suite on many machines.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab fleet run standard --address auto --out page
  pqlab fleet page --out page

Exit codes: 0 done; 1 a node has no complete run; 2 bad usage, or Ray is not there; 130 interrupted")]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    pub(crate) command: FleetCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum FleetCommand {
    /// Measure on every node of a Ray cluster, one run a node. Needs the Python package: pip install 'pqlab[cluster]'
    Run(Box<FleetRunArgs>),
    /// Make the page by machine of stored runs
    Page(FleetPageArgs),
}

/// Measure on every node of a cluster.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab fleet run --address auto
  pqlab fleet run kem --address 10.0.0.1:6379 --label pool=arm --out page --price '*arm*=0.15'

Exit codes: 0 every node has a complete run; 1 one has not; 2 bad usage, or Ray is not there;
130 interrupted: what nodes have finished is stored")]
pub(crate) struct FleetRunArgs {
    /// Suites, areas, algorithms or providers, as of `pqlab run` [default: standard]
    pub(crate) suites: Vec<String>,

    /// The cluster's address, `auto` for that of this machine, `local` for one that is started now
    #[arg(long, value_name = "ADDRESS", default_value = "local")]
    pub(crate) address: String,

    /// Only nodes with this label of Ray; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) label: Vec<String>,

    /// Only algorithms that match, `*` and `?` standing for others
    #[arg(long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Only providers that match
    #[arg(long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only cases whose id matches
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    /// A rough answer: wider intervals, a quarter of the time
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// A careful answer: narrower intervals, more processes, ten times the time
    #[arg(long)]
    pub(crate) rigorous: bool,

    /// Most seconds for each case
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub(crate) max_time: Option<f64>,

    /// Seed of the order and of the inputs, the same on every node [default: drawn on each]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Also make the page by machine in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// With --out: dollars an hour of machines whose kind matches, for operations per dollar; repeatable
    #[arg(long, value_name = "KIND=DOLLARS", requires = "out")]
    pub(crate) price: Vec<String>,

    /// What came of it as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Say nothing of what happens meanwhile
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Make the page by machine.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  pqlab fleet page --out page
  pqlab fleet page 20261124T153504Z-83f719 20261124T161200Z-6104c3 --out page --price '*EPYC*=0.34'

Exit codes: 0 done; 2 no such run, or the page cannot be written")]
pub(crate) struct FleetPageArgs {
    /// The runs [default: the newest complete one of each machine]
    pub(crate) runs: Vec<String>,

    /// The folder that the page is made in
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Dollars an hour of machines whose kind matches, for operations per dollar; repeatable
    #[arg(long, value_name = "KIND=DOLLARS")]
    pub(crate) price: Vec<String>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}
