//! `pqlab compare-libraries`: measures two libraries in one run and compares them.

use crate::args::{CompareLibrariesArgs, ComparedFormat};
use crate::output::{self, Terminal};
use crate::progress::{Screen, Stream};
use crate::signals::stop_on_signals;
use crate::{DONE, INTERRUPTED, comparison};
use pqlab_lab::report::exporters::compared_libraries;
use pqlab_lab::{
    ComparedLibrary, Filters, Laboratory, Margin, Plan, RunRequest, Side, check_percentage, compare_sides,
    libraries_of_suites, same_file,
};
use std::io::{self, IsTerminal};
use std::time::Duration;

pub(crate) fn run(arguments: &CompareLibrariesArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let margin = arguments.comparison.margin.map(|pct| check_percentage("--margin", pct).map(|()| pct)).transpose()?;
    let (laboratory, sides) = laboratory(arguments)?;
    let plan = plan(arguments, &laboratory, &sides)?;
    if arguments.dry_run {
        let cases = plan.cases.iter().filter(|case| !case.is_overhead());
        output::data(&cases.map(|case| format!("{}\n", case.id())).collect::<String>())?;
        return Ok(DONE);
    }
    if same_file(&sides) && !arguments.quiet {
        output::talk("both files are identical, so any difference is noise or an effect of memory placement");
    }
    let mut store = arguments.database.open()?;
    let stop = stop_on_signals()?;
    let bars = !arguments.no_progress && !arguments.quiet && io::stderr().is_terminal();
    let mut shown = Screen::new(Stream::Nothing, bars, arguments.quiet, false, screen.palette);
    let request = RunRequest { seed: arguments.seed, command: output::command_line() };
    let outcome = laboratory.run(&mut store, plan, &request, &mut shown, &stop);
    shown.end();
    let ended = outcome?;
    if !ended.complete {
        let consent = if sides.iter().any(|side| side.library().is_some()) { " --allow-foreign" } else { "" };
        output::talk(&format!(
            "interrupted: the finished cases of run {} are stored; resume with `pqlab run --resume{consent}`",
            ended.run
        ));
        return Ok(INTERRUPTED);
    }
    let margin = margin.map(|pct| Margin { pct, source: "--margin".into() });
    let compared = compare_sides(&store, &ended.run, &sides, margin.as_ref(), arguments.comparison.metric.into())?;
    let environment = store.load_header(&ended.run)?.environment;
    let filters = Filters { algorithms: arguments.algorithm.clone(), ..Filters::default() };
    let filters = laboratory.named(&arguments.suites)?.narrow(filters);
    let libraries = laboratory.compared_libraries(&environment, &sides, &filters.algorithms);
    match arguments.comparison.format() {
        ComparedFormat::Json => {
            let mut document = compared.to_json();
            document["libraries"] = serde_json::to_value(&libraries)?;
            output::json(&serde_json::to_string_pretty(&document)?)?;
        }
        ComparedFormat::Text => {
            let lines: Vec<String> = libraries.iter().flat_map(ComparedLibrary::lines).collect();
            output::data(&format!("{}\n\n", lines.join("\n")))?;
            comparison::print(&compared, &arguments.comparison, screen)?;
        }
        ComparedFormat::Markdown => {
            output::data(&compared_libraries(&compared, &environment, [sides[0].id(), sides[1].id()]))?;
            for library in &libraries {
                let defects = library.known_defects.iter();
                let lines: String = defects.map(|what| format!("- `{}`: known defect: {what}\n", library.id)).collect();
                output::data(&lines)?;
                if let Some(missing) = library.missing_elsewhere() {
                    output::data(&format!("- {missing}\n"))?;
                }
            }
        }
    }
    if !arguments.quiet {
        output::talk(&format!("run {} stored in {}", ended.run, store.path().display()));
    }
    Ok(comparison::exit_code(&compared, &arguments.comparison))
}

/// Opens a laboratory with both libraries.
fn laboratory(arguments: &CompareLibrariesArgs) -> anyhow::Result<(Laboratory, [Side; 2])> {
    let linked = crate::laboratory::open()?.with_limits(Duration::from_secs(arguments.time_limit));
    let linked = crate::laboratory::with_added(linked)?;
    let foreign = &arguments.foreign;
    let named = if foreign.allow_foreign { libraries_of_suites(&arguments.suites)? } else { Vec::new() };
    Ok(linked.of_two([&arguments.first, &arguments.second], foreign.given.all(), named)?)
}

fn plan(arguments: &CompareLibrariesArgs, laboratory: &Laboratory, sides: &[Side; 2]) -> anyhow::Result<Plan> {
    let filters =
        Filters { ids: arguments.filter.clone(), algorithms: arguments.algorithm.clone(), ..Filters::default() };
    let overrides = arguments.protocol.clone().or_preset(arguments.quick, arguments.rigorous);
    let mut tell = |text: &str| {
        if !arguments.quiet {
            output::talk(text);
        }
    };
    Ok(laboratory.plan_of_words(&arguments.suites, filters, &overrides, sides, &mut tell)?)
}
