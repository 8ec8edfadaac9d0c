use crate::args::CompareArgs;
use crate::output::{self, Terminal};
use crate::{DONE, FAILED, INCONCLUSIVE};
use pqlab_lab::analysis::comparison::Comparison;
use pqlab_lab::report::terminal;
use pqlab_lab::{Margin, check_percentage, compare_stored, newest_before};

pub(crate) fn run(arguments: &CompareArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let store = arguments.database.open_read_only()?;
    let named = |given: &Option<String>| given.clone().unwrap_or_else(|| "last".to_owned());
    let (first, second) = match arguments.since {
        Some(seconds) => {
            let judged = store.resolve(&named(&arguments.first))?;
            (newest_before(&store, &judged, seconds)?, judged)
        }
        None => (named(&arguments.first), named(&arguments.second)),
    };
    let patterns = [&first, &second].iter().any(|text| text.contains(['/', '*', '@']));
    let run = match (&arguments.run, patterns) {
        (Some(run), _) => Some(run.as_str()),
        (None, true) => Some("last"),
        (None, false) => None,
    };
    let margin = arguments.margin.map(|pct| check_percentage("--margin", pct).map(|()| pct)).transpose()?;
    let margin = margin.map(|pct| Margin { pct, source: "--margin".into() });
    let comparison = compare_stored(&store, run, &first, &second, margin.as_ref(), arguments.metric.into())?;
    show(&comparison, arguments.json, screen)?;
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
