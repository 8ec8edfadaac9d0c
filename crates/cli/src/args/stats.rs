//! Arguments of `pqlab stats`.

use super::percent;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Output format of `pqlab stats`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatsFormat {
    Text,
    Json,
    Latex,
}

/// Compute statistics of your own samples, from one file or from two files to compare.
#[derive(Args, Debug)]
#[command(after_help = "Files:
  CSV                   each numeric column, or --column; rows are grouped by names and parameters;
                        `concurrency,operations,seconds` is a throughput curve
  JSON                  a list of numbers, or an object of lists
  hyperfine             --export-json: the times of each command, without failed runs
  Google Benchmark      --benchmark_format=json or csv: real_time of each repetition
  pyperf                -o FILE: the values of each benchmark
  pytest-benchmark      --benchmark-json with --benchmark-save-data
  criterion             target/criterion/NAME/new/sample.json: time per iteration
  JMH                   -rf json: rawData of each benchmark
  Go                    output of `go test -bench`

For each series: mean and median with intervals, spread, quantiles and a normality test.
For two files: the percentage increase of means and medians, Welch's t-test and Cohen's d.
Notes list excluded samples and caveats: outliers, modes, drift, a coarse clock.

Examples:
  pqlab stats times.csv --column ns
  pqlab stats before.json after.json          is the second slower, and by how much?
  pqlab stats hyperfine.json --format latex

Exit codes: 0 done, whatever the comparison finds; 2 bad usage, or a file has no samples")]
pub(crate) struct StatsArgs {
    /// Sample file, and optionally a second file to compare with the first
    #[arg(required = true, num_args = 1..=2, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Only this column, command or benchmark
    #[arg(long, value_name = "NAME")]
    pub(crate) column: Option<String>,

    /// Confidence of the intervals
    #[arg(long, value_name = "PERCENT", default_value = "95%", value_parser = confidence)]
    pub(crate) confidence: f64,

    /// Number of bootstrap resamples for the median
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) resamples: u32,

    /// Seed for the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Coefficient of variation above which a series is marked unstable
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = percent)]
    pub(crate) limit: f64,

    /// Output format
    #[arg(short, long, value_enum, default_value_t = StatsFormat::Text, conflicts_with_all = ["json", "latex"])]
    format: StatsFormat,

    /// Short form of --format json
    #[arg(long, hide = true, conflicts_with = "latex")]
    json: bool,

    /// Short form of --format latex
    #[arg(long, hide = true)]
    latex: bool,
}

impl StatsArgs {
    pub(crate) fn format(&self) -> StatsFormat {
        match (self.json, self.latex) {
            (true, _) => StatsFormat::Json,
            (false, true) => StatsFormat::Latex,
            (false, false) => self.format,
        }
    }
}

/// Parses a confidence in percent. Rejects fractions of 1, which users may confuse with percentages.
fn confidence(text: &str) -> Result<f64, String> {
    let parsed = percent(text)?;
    if parsed > 0.0 && parsed < 1.0 {
        return Err(format!("{text} is below 1 percent; did you mean {}%?", (parsed * 1e8).round() / 1e6));
    }
    Ok(parsed)
}
