//! Arguments of `pqlab compare`.

use super::comparison::verdicts;
use super::{ComparisonArgs, DatabaseArgs, patterns};
use clap::Args;

/// Compare two runs, cases of one run, or a run with published figures.
#[derive(Args, Debug)]
#[command(after_help = format!("Examples:
  pqlab compare                                      did anything change since the previous run?
  pqlab compare main last --margin 1%                against a named run
  pqlab compare --since 7d                           the latest run against one from a week earlier
  pqlab compare '*@liboqs' '*@aws-lc' --run last     one library against another
  pqlab compare 'kem/ML-KEM-768/*' 'kem/ML-KEM-1024/*'   each star matches the same text in both
  pqlab compare last --published                     do others measure the same on this CPU?
  pqlab compare last --published --all-cpus -f json  all reasons, and figures for other CPUs

{}
{}

Exit codes: 0 done; 2 no such run or case. With --exit-code: 1 a case is slower, or failed only in
B; 3 no case is slower, but one is inconclusive", verdicts(), patterns!()))]
pub(crate) struct CompareArgs {
    /// Run to compare with: an id or unique prefix, a baseline name, `last` or `last~1`; or a case pattern. With
    /// --since: the run under test [default: the newest run before B with cases in common; with --since: last]
    #[arg(value_name = "A")]
    pub(crate) first: Option<String>,

    /// Run under test, or a case pattern [default: last]
    #[arg(value_name = "B", conflicts_with = "since")]
    pub(crate) second: Option<String>,

    /// Compare with the newest complete run of the same suite and host that is older by at least this much, such as 7d
    /// or 12h
    #[arg(long, value_name = "AGE", value_parser = parse_age, conflicts_with = "run")]
    pub(crate) since: Option<f64>,

    /// Run to take cases from if A and B are patterns [default: last]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,

    /// Compare run A [default: last] with figures that others published for the same kind of CPU core
    #[arg(long, conflicts_with_all = ["second", "since", "run", "margin", "metric", "exit_code", "wide"])]
    pub(crate) published: bool,

    /// With --published: also list figures for other CPUs, without judging them
    #[arg(long, requires = "published")]
    pub(crate) all_cpus: bool,

    #[command(flatten)]
    pub(crate) comparison: ComparisonArgs,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
}

/// Parses `7d` or `12h` into seconds.
fn parse_age(text: &str) -> Result<f64, String> {
    let (number, seconds) = match (text.strip_suffix('d'), text.strip_suffix('h')) {
        (Some(days), _) => (days, 86_400.0),
        (None, Some(hours)) => (hours, 3_600.0),
        (None, None) => ("", 0.0),
    };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number * seconds),
        _ => Err("expected days or hours above zero, such as 7d or 12h".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_days_or_hours() {
        assert_eq!(parse_age("7d"), Ok(604_800.0));
        assert_eq!(parse_age("0.5h"), Ok(1_800.0));
        for wrong in ["", "d", "7", "0d", "-1h", "7 weeks", "infd"] {
            assert!(parse_age(wrong).is_err(), "{wrong}");
        }
    }
}
