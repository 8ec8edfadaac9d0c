use crate::args::{CompareArgs, ComparedFormat};
use crate::output::{self, Terminal};
use crate::{DONE, FAILED, INCONCLUSIVE};
use pqlab_lab::analysis::comparison::Comparison;
use pqlab_lab::report::{exporters::compared_runs, terminal};
use pqlab_lab::{Compared, Margin, check_percentage, compare_named};

pub(crate) fn run(arguments: &CompareArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let store = arguments.database.open_read_only()?;
    let margin = arguments.margin.map(|pct| check_percentage("--margin", pct).map(|()| pct)).transpose()?;
    let margin = margin.map(|pct| Margin { pct, source: "--margin".into() });
    let asked = Compared {
        first: arguments.first.as_deref(),
        second: arguments.second.as_deref(),
        run: arguments.run.as_deref(),
        since_s: arguments.since,
    };
    let comparison = compare_named(&store, &asked, margin.as_ref(), arguments.metric.into())?;
    match arguments.format {
        ComparedFormat::Text => show(&comparison, arguments.json, screen)?,
        ComparedFormat::Markdown => output::data(&compared_runs(&comparison))?,
    }
    Ok(code(&comparison))
}

pub(crate) fn show(comparison: &Comparison, json: bool, screen: &Terminal) -> anyhow::Result<()> {
    if json {
        output::json(&serde_json::to_string_pretty(&comparison.to_json())?)?;
    } else {
        output::data(&terminal::comparison_table(comparison, screen.width, screen.palette))?;
    }
    Ok(())
}

/// Something slower outweighs what is inconclusive.
pub(crate) fn code(comparison: &Comparison) -> u8 {
    if comparison.worse() {
        FAILED
    } else if comparison.inconclusive() {
        INCONCLUSIVE
    } else {
        DONE
    }
}
