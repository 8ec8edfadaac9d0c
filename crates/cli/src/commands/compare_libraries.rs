//! `pqlab compare-libraries`: one run of two libraries, and what it says of them.

use super::compare;
use super::run::{command_line, stop_on_signals};
use crate::INTERRUPTED;
use crate::args::{CompareLibrariesArgs, ComparedFormat};
use crate::output::{self, BadInput, Terminal};
use crate::progress::{Screen, Stream};
use pqlab_lab::report::exporters::compared_libraries;
use pqlab_lab::{
    Filters, Laboratory, Margin, Plan, RunRequest, Side, check_percentage, compare_stored, instead,
    libraries_of_suites, shared_operations,
};
use std::io::{self, IsTerminal};
use std::time::Duration;

pub(crate) fn run(arguments: &CompareLibrariesArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let margin = arguments.margin.map(|pct| check_percentage("--margin", pct).map(|()| pct)).transpose()?;
    let (laboratory, sides) = laboratory(arguments)?;
    let [first, second] = [sides[0].id(), sides[1].id()];
    let plan = plan(arguments, &laboratory, [first, second])?;
    let mut store = arguments.database.open()?;
    let stop = stop_on_signals()?;
    let bars = !arguments.no_progress && !arguments.quiet && io::stderr().is_terminal();
    let mut shown = Screen::new(Stream::Nothing, bars, arguments.quiet, false, screen.palette);
    let request = RunRequest { seed: arguments.seed, command: command_line() };
    let outcome = laboratory.run(&mut store, plan, &request, &mut shown, &stop);
    shown.end();
    let ended = outcome?;
    if !ended.complete {
        let leave = if sides.iter().any(|side| side.library().is_some()) { " --allow-foreign" } else { "" };
        let run = ended.run;
        output::talk(&format!("stopped: what is finished of run {run} is stored; `pqlab run --resume{leave}` goes on"));
        return Ok(INTERRUPTED);
    }
    let margin = margin.map(|pct| Margin { pct, source: "--margin".into() });
    let patterns = [first, second].map(|id| format!("*@{id}"));
    let judged = arguments.metric.into();
    let comparison = compare_stored(&store, Some(&ended.run), &patterns[0], &patterns[1], margin.as_ref(), judged)?;
    match arguments.format {
        ComparedFormat::Text => compare::show(&comparison, arguments.json, screen)?,
        ComparedFormat::Markdown => {
            let environment = store.load_header(&ended.run)?.environment;
            output::data(&compared_libraries(&comparison, &environment, [first, second]))?;
        }
    }
    if !arguments.quiet {
        output::talk(&format!("run {} is stored in {}", ended.run, store.path().display()));
    }
    Ok(compare::code(&comparison))
}

/// A laboratory that has both libraries.
fn laboratory(arguments: &CompareLibrariesArgs) -> anyhow::Result<(Laboratory, [Side; 2])> {
    let linked = super::laboratory()?.with_limits(Duration::from_secs(arguments.time_limit));
    let sides = Side::apart([linked.side(&arguments.first)?, linked.side(&arguments.second)?]);
    if sides[0].id() == sides[1].id() {
        let message = format!("{} is on both sides: name another library, or a file of the same one", sides[0].id());
        return Err(BadInput(message).into());
    }
    let mut libraries = sides.iter().filter_map(Side::library).cloned().collect::<Vec<_>>();
    libraries.extend(arguments.foreign.given.all());
    if arguments.foreign.allow_foreign {
        libraries = instead(libraries, libraries_of_suites(&arguments.suites)?);
    }
    Ok((linked.with_libraries(libraries)?, sides))
}

fn plan(arguments: &CompareLibrariesArgs, laboratory: &Laboratory, sides: [&str; 2]) -> anyhow::Result<Plan> {
    let named = laboratory.named(&arguments.suites)?;
    let filters = named.narrow(Filters {
        ids: arguments.filter.clone(),
        algorithms: arguments.algorithm.clone(),
        ..Filters::default()
    });
    let suites = if arguments.suites.is_empty() { vec![shared_operations()] } else { named.suites };
    let overrides = arguments.protocol.overrides(arguments.quick, arguments.rigorous);
    let mut tell = |text: &str| {
        if !arguments.quiet {
            output::talk(text);
        }
    };
    named.notes.iter().for_each(|note| tell(note));
    Ok(laboratory.plan_of_two(&suites, &filters, &overrides, sides, &mut tell)?)
}
