//! Arguments of the verbs that measure suites: `run` and `gate`.

use super::{DatabaseArgs, NamedLibraryArgs};
use clap::Args;
use pqlab_lab::{Filters, ProtocolOverrides};

/// Cases to measure, measurement settings, and the database for the run.
#[derive(Args, Debug)]
pub(crate) struct MeasuringArgs {
    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,

    #[command(flatten)]
    pub(crate) presets: PresetArgs,

    #[command(flatten)]
    pub(crate) protocol: ProtocolOverrides,

    #[command(flatten)]
    pub(crate) rules: MoreRules,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    #[command(flatten)]
    pub(crate) stored: StoredArgs,
}

/// Filters and libraries.
#[derive(Args, Debug)]
#[command(next_help_heading = "What to measure")]
pub(crate) struct ChosenArgs {
    /// Only algorithms that match this name or pattern [repeatable]
    #[arg(short, long, value_name = "A")]
    pub(crate) algorithm: Vec<String>,

    /// Only libraries that match this name or pattern [repeatable]
    #[arg(short, long, value_name = "P")]
    pub(crate) provider: Vec<String>,

    /// Only cases whose id matches this pattern [repeatable]
    #[arg(long, value_name = "GLOB")]
    pub(crate) filter: Vec<String>,

    #[command(flatten)]
    pub(crate) foreign: NamedLibraryArgs,
}

/// Presets for measurement settings.
#[derive(Args, Debug)]
#[command(next_help_heading = "How to measure")]
pub(crate) struct PresetArgs {
    /// Measure faster, with wider intervals
    #[arg(long, conflicts_with = "rigorous")]
    pub(crate) quick: bool,

    /// Measure longer: narrower intervals, up to 10 s for each case
    #[arg(long)]
    pub(crate) rigorous: bool,
}

/// Rules that suites cannot set.
#[derive(Args, Debug)]
#[command(next_help_heading = "How to measure")]
pub(crate) struct MoreRules {
    /// Seed for the order of cases and for inputs [default: random, stored with the run]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,

    /// Time limit for one answer from a worker, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120, hide = true)]
    pub(crate) time_limit: u64,
}

/// Name of the run, and which messages to print.
#[derive(Args, Debug)]
#[command(next_help_heading = "Results and output")]
pub(crate) struct StoredArgs {
    /// Give this run a name, for --baseline, `pqlab gate` and `pqlab compare`
    #[arg(long, value_name = "NAME")]
    pub(crate) save_baseline: Option<String>,

    /// With --save-baseline: take the name from the run that has it
    #[arg(long, requires = "save_baseline")]
    pub(crate) force: bool,

    /// Hide the progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Also print the plan, the environment, and a line for each finished case
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

impl MeasuringArgs {
    /// Returns the measurement settings set by options and presets.
    pub(crate) fn overrides(&self) -> ProtocolOverrides {
        self.protocol.clone().or_preset(self.presets.quick, self.presets.rigorous)
    }

    /// Returns the filters set by options.
    pub(crate) fn filters(&self) -> Filters {
        Filters {
            ids: self.chosen.filter.clone(),
            providers: self.chosen.provider.clone(),
            algorithms: self.chosen.algorithm.clone(),
            ..Filters::default()
        }
    }
}
