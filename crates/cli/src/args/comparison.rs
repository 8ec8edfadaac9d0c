//! Arguments for the rules and the output of a comparison, shared by `compare` and `compare-libraries`.

use super::{MetricName, percent};
use crate::{DONE, FAILED, INCONCLUSIVE};
use clap::{Args, ValueEnum};
use pqlab_lab::stats::{VERDICT_SIGNIFICANCE, Verdict};

/// Output format of a comparison.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparedFormat {
    Text,
    Markdown,
    Json,
}

/// Rules and output of a comparison.
#[derive(Args, Debug)]
pub(crate) struct ComparisonArgs {
    /// Margin within which cases are equivalent [default: from `pqlab calibrate`, otherwise 2%]
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, value_parser = percent)]
    pub(crate) margin: Option<f64>,

    /// Metric to compare; auto is cycles if both cases have them, else time
    #[arg(long, value_enum, default_value_t = MetricName::Auto)]
    pub(crate) metric: MetricName,

    /// Exit with 1 if a case is slower, and with 3 if one is inconclusive
    #[arg(long)]
    pub(crate) exit_code: bool,

    /// List equivalent cases too, instead of only counting them
    #[arg(long)]
    pub(crate) all: bool,

    /// Also show time ratios with their intervals, and statistics of the means
    #[arg(long)]
    pub(crate) wide: bool,

    /// Output format
    #[arg(short, long, value_enum, default_value_t = ComparedFormat::Text, conflicts_with = "json")]
    format: ComparedFormat,

    /// Short form of --format json
    #[arg(long, hide = true)]
    json: bool,
}

impl ComparisonArgs {
    pub(crate) fn format(&self) -> ComparedFormat {
        if self.json { ComparedFormat::Json } else { self.format }
    }
}

/// Returns the help on verdicts and the exit code for each verdict.
pub(super) fn verdicts() -> String {
    let line = |(verdict, code): (Verdict, u8)| format!("  {:14} {:62} {code}\n", verdict.name(), verdict.meaning());
    let codes = [
        (Verdict::Slower, FAILED),
        (Verdict::Inconclusive, INCONCLUSIVE),
        (Verdict::Equivalent, DONE),
        (Verdict::Faster, DONE),
    ];
    format!(
        "Verdicts on B compared with A, and the exit code that each causes with --exit-code:\n{}At most {}% of the \
         `faster` and `slower` verdicts are expected to be false.\n",
        codes.map(line).concat(),
        100.0 * VERDICT_SIGNIFICANCE
    )
}
