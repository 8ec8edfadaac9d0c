use crate::DONE;
use crate::args::{CompareArgs, ComparedFormat};
use crate::comparison;
use crate::output::{self, Terminal};
use pqlab_lab::report::exporters::{compared_published, compared_runs};
use pqlab_lab::report::terminal::published_table;
use pqlab_lab::{Compared, Margin, check_percentage, compare_named, compare_with_published};

pub(crate) fn run(arguments: &CompareArgs, screen: &Terminal) -> anyhow::Result<u8> {
    if arguments.published {
        return published(arguments, screen);
    }
    let store = arguments.database.open_read_only()?;
    let margin = arguments.comparison.margin.map(|pct| check_percentage("--margin", pct).map(|()| pct)).transpose()?;
    let margin = margin.map(|pct| Margin { pct, source: "--margin".into() });
    let request = Compared {
        first: arguments.first.as_deref(),
        second: arguments.second.as_deref(),
        run: arguments.run.as_deref(),
        since_s: arguments.since,
    };
    let compared = compare_named(&store, &request, margin.as_ref(), arguments.comparison.metric.into())?;
    match arguments.comparison.format() {
        ComparedFormat::Text => comparison::print(&compared, &arguments.comparison, screen)?,
        ComparedFormat::Markdown => output::data(&compared_runs(&compared))?,
        ComparedFormat::Json => output::json(&serde_json::to_string_pretty(&compared.to_json())?)?,
    }
    Ok(comparison::exit_code(&compared, &arguments.comparison))
}

fn published(arguments: &CompareArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let store = arguments.database.open_read_only()?;
    let compared = compare_with_published(&store, arguments.first.as_deref(), arguments.all_cpus)?;
    match arguments.comparison.format() {
        ComparedFormat::Text => {
            output::data(&published_table(&compared, arguments.comparison.all, screen.width, screen.palette))?;
        }
        ComparedFormat::Markdown => output::data(&compared_published(&compared))?,
        ComparedFormat::Json => output::json(&serde_json::to_string_pretty(&compared.to_json())?)?,
    }
    Ok(DONE)
}
