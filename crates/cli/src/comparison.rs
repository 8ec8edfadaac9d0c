//! Prints comparisons and determines their exit codes.

use crate::args::ComparisonArgs;
use crate::output::{self, Terminal};
use crate::{DONE, FAILED, INCONCLUSIVE};
use pqlab_lab::analysis::comparison::Comparison;
use pqlab_lab::report::terminal;

/// Prints a comparison as a short table, or as a wide one.
pub(crate) fn print(comparison: &Comparison, arguments: &ComparisonArgs, screen: &Terminal) -> anyhow::Result<()> {
    if arguments.wide {
        output::data(&terminal::comparison_table(comparison, screen.width, screen.palette))?;
        return Ok(());
    }
    print_short(comparison, arguments.all, screen)
}

/// Prints a comparison as a short table. If `all` is set, the table has a row for each equivalent case.
pub(crate) fn print_short(comparison: &Comparison, all: bool, screen: &Terminal) -> anyhow::Result<()> {
    output::data(&terminal::comparison_summary(comparison, all, screen.width, screen.palette))?;
    Ok(())
}

/// Returns the exit code for a comparison. Without `--exit-code`, it is always 0. With it, a slower case takes
/// precedence over an inconclusive one.
pub(crate) fn exit_code(comparison: &Comparison, arguments: &ComparisonArgs) -> u8 {
    if !arguments.exit_code {
        DONE
    } else if comparison.worse() {
        FAILED
    } else if comparison.inconclusive() {
        INCONCLUSIVE
    } else {
        DONE
    }
}
