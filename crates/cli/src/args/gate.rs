//! Arguments of `pqlab gate`.

use super::run::{EVENTS, RunOutputArgs};
use super::{MeasuringArgs, MetricName, RunArgs, patterns, percent};
use clap::Args;
use pqlab_lab::CaseOptions;
use std::path::PathBuf;

/// Measure the cases of a stored run again, and fail if one is slower.
#[derive(Args, Debug)]
#[command(after_help = concat!("Examples:
  pqlab gate main                           fail if a case is more than 5% slower than in `main`
  pqlab gate main --fail-slower 2% --rigorous
  pqlab gate main -a 'ML-KEM-*' --metric cycles
  pqlab run kem --save-baseline main        store the run to compare with

Last line:
  PASS        no case is slower than --fail-slower allows
  FAIL        a case failed, or exceeded that limit in two of at most three runs
  UNDECIDED   the runs are inconclusive
Cases that do not pass are measured again in fresh processes, in up to three runs in total.

", patterns!(), "

Exit codes: 0 PASS; 1 FAIL; 2 bad usage or bad input; 3 UNDECIDED; 130 interrupted: finished cases
are stored"))]
pub(crate) struct GateArgs {
    /// Run to compare with: an id or unique prefix, a baseline name, `last` or `last~1`
    #[arg(value_name = "RUN")]
    pub(crate) baseline: String,

    #[command(flatten)]
    pub(crate) rules: GateRules,

    #[command(flatten)]
    pub(crate) measuring: MeasuringArgs,

    /// Also write the run to this file, as JSON
    #[arg(short, long, value_name = "FILE", help_heading = "Results and output")]
    pub(crate) out: Option<PathBuf>,

    /// Output format: text at the end, or JSON events during the run
    #[arg(short, long, value_name = "F", value_parser = ["text", EVENTS], default_value = "text", help_heading = "Results and output")]
    pub(crate) format: String,
}

/// Rules for failing a gate.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "When to fail")]
pub(crate) struct GateRules {
    /// Maximum slowdown of a case; a larger slowdown means FAIL
    #[arg(long, value_name = "PERCENT", default_value = GateRules::SLOWER, allow_hyphen_values = true, value_parser = percent)]
    pub(crate) fail_slower: f64,

    /// Metric to compare; auto is cycles if both cases have them, else time
    #[arg(long, value_enum, default_value_t = MetricName::Auto)]
    pub(crate) metric: MetricName,

    /// Accept a baseline from another machine; without this option, the result is UNDECIDED
    #[arg(long)]
    pub(crate) elsewhere: bool,
}

impl GateRules {
    /// Default of --fail-slower.
    const SLOWER: &str = "5%";
    const SLOWER_PCT: f64 = 5.0;

    /// Returns the rules from the options that `pqlab run` had before `pqlab gate` existed.
    pub(crate) fn of_run(output: &RunOutputArgs) -> GateRules {
        GateRules {
            fail_slower: output.fail_slower.unwrap_or(GateRules::SLOWER_PCT),
            metric: output.metric,
            elsewhere: output.baseline_elsewhere,
        }
    }
}

impl From<GateArgs> for RunArgs {
    fn from(arguments: GateArgs) -> RunArgs {
        let output = RunOutputArgs {
            baseline: Some(arguments.baseline),
            out: arguments.out,
            format: Some(arguments.format).filter(|format| format == EVENTS),
            metric: arguments.rules.metric,
            ..RunOutputArgs::default()
        };
        let (measuring, gate) = (arguments.measuring, Some(arguments.rules));
        let (suites, over, handshakes, options) = (Vec::new(), None, None, CaseOptions::default());
        RunArgs { suites, dry_run: false, over, options, measuring, handshakes, output, gate }
    }
}
