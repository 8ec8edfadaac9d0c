//! Prints comparisons and determines their exit codes.

use crate::output::{self, Terminal};
use crate::{DONE, FAILED, INCONCLUSIVE};
use pqlab_lab::analysis::comparison::Comparison;
use pqlab_lab::report::terminal;

/// Prints a comparison as a table or as JSON.
pub(crate) fn print(comparison: &Comparison, json: bool, screen: &Terminal) -> anyhow::Result<()> {
    if json {
        output::json(&serde_json::to_string_pretty(&comparison.to_json())?)?;
    } else {
        output::data(&terminal::comparison_table(comparison, screen.width, screen.palette))?;
    }
    Ok(())
}

/// Returns the exit code for a comparison. A slower case takes precedence over an inconclusive one.
pub(crate) fn exit_code(comparison: &Comparison) -> u8 {
    if comparison.worse() {
        FAILED
    } else if comparison.inconclusive() {
        INCONCLUSIVE
    } else {
        DONE
    }
}
