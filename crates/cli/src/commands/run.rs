use super::{baseline, export, laboratory};
use crate::args::RunArgs;
use crate::output::{self, BadInput, Terminal};
use crate::progress::{Screen, Stream};
use crate::{DONE, FAILED, INTERRUPTED};
use anyhow::Context;
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::analysis::tables::tables;
use pqlab_lab::analysis::trust::trust_sentence;
use pqlab_lab::record::Run;
use pqlab_lab::report::{ExportOptions, Exporter, shell_line, terminal};
use pqlab_lab::store::Store;
use pqlab_lab::{Destination, Filters, LabError, Laboratory, Plan, RunRequest, Suite, check_percentage};
use serde_json::json;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(crate) fn run(arguments: Box<RunArgs>, screen: &Terminal) -> anyhow::Result<u8> {
    let options = ExportOptions { digits: arguments.digits, ..ExportOptions::default() };
    let exporter = arguments.format.as_deref().map(|format| export::find(format, &options)).transpose()?;
    let laboratory = laboratory()?.with_limits(Duration::from_secs(arguments.time_limit));
    // Before anything is measured, everything that can be wrong with the request has been found.
    let plan = match (&arguments.resume, &arguments.baseline) {
        (Some(_), _) | (_, Some(_)) => None,
        (None, None) => Some(plan(&arguments, &laboratory)?),
    };
    if let (Some(exporter), Some(plan)) = (&exporter, &plan) {
        exporter.check(&plan.cases)?;
    }
    if let Some(name) = &arguments.save_baseline {
        Store::check_baseline_name(name)?;
    }
    let save = save(&arguments)?;
    let mut store = arguments.database.open()?;
    let (plan, baseline) = match &arguments.baseline {
        Some(reference) => {
            check_percentage("--fail-slower", arguments.fail_slower)?;
            let baseline = store.load_run(&store.resolve(reference)?)?;
            (Some(again(&arguments, &baseline)?), Some(baseline))
        }
        None => (plan, None),
    };
    let stop = stop_on_signals()?;

    let printed = exporter.is_some() || save.as_ref().is_some_and(Destination::is_standard_output);
    let stream = match (arguments.json, printed) {
        (true, _) => Stream::Events,
        (false, true) => Stream::Nothing,
        (false, false) => Stream::Lines,
    };
    let bars = !arguments.no_progress && !arguments.quiet && io::stderr().is_terminal();
    let mut shown = Screen::new(stream, bars, arguments.quiet, arguments.verbose, screen.palette);
    let outcome = match plan {
        Some(plan) => {
            let request = RunRequest { seed: arguments.seed, command: command_line() };
            laboratory.run(&mut store, plan, &request, &mut shown, &stop)
        }
        None => {
            let run = incomplete(&store, arguments.resume.as_deref().unwrap_or_default())?;
            laboratory.resume(&mut store, &run, arguments.resume_elsewhere, &mut shown, &stop)
        }
    };
    shown.end();
    let ended = outcome?;
    if let Some(error) = shown.broken.take() {
        return Err(error.into());
    }
    let run = store.load_run(&ended.run)?;
    let analysis = RunAnalysis::of(&run);
    let code = conclude(&arguments, exporter.as_deref(), save.as_ref(), screen, &store, &analysis)?;
    if let Some(name) = arguments.save_baseline.as_ref().filter(|_| ended.complete) {
        store.save_baseline(name, &ended.run)?;
    }
    let mut gate = None;
    let code = match baseline {
        Some(baseline) if code != INTERRUPTED => {
            gate = baseline::check(&arguments, screen, &laboratory, &mut store, &baseline, &analysis, &stop)?;
            gate.as_ref().map_or(INTERRUPTED, baseline::Gate::code)
        }
        _ => code,
    };
    if arguments.json {
        let mut event = json!({"event": "end", "run": ended.run, "complete": ended.complete, "failed": ended.failed});
        if let Some(gate) = gate {
            event["gate"] = gate.to_json();
        }
        output::json(&event.to_string())?;
    }
    Ok(code)
}

/// The cases of a run that was measured before.
fn again(arguments: &RunArgs, run: &Run) -> Result<Plan, LabError> {
    let overrides = arguments.protocol.overrides(arguments.quick, arguments.rigorous);
    Plan::again(&run.header, &filters(arguments), &overrides)
}

fn filters(arguments: &RunArgs) -> Filters {
    Filters {
        ids: arguments.filter.clone(),
        providers: arguments.provider.clone(),
        algorithms: arguments.algorithm.clone(),
        over: arguments.over.clone(),
        options: arguments.options.clone(),
    }
}

fn plan(arguments: &RunArgs, laboratory: &Laboratory) -> Result<Plan, LabError> {
    let names = if arguments.suites.is_empty() { vec!["standard".to_owned()] } else { arguments.suites.clone() };
    let suites = names.iter().map(|name| Suite::find(name)).collect::<Result<Vec<_>, _>>()?;
    let filters = filters(arguments);
    let overrides = arguments.protocol.overrides(arguments.quick, arguments.rigorous);
    let mut tell = |text: &str| {
        if !arguments.quiet {
            output::talk(text);
        }
    };
    laboratory.plan(&suites, &filters, &overrides, &mut tell)
}

/// Where the run is to be saved: looked at before anything is measured.
fn save(arguments: &RunArgs) -> Result<Option<Destination>, BadInput> {
    let Some(path) = &arguments.save else { return Ok(None) };
    let destination = output::destination(path)?;
    let others = [
        ("--format", arguments.format.is_some()),
        ("--json", arguments.json),
        ("--baseline", arguments.baseline.is_some()),
    ];
    match others.into_iter().find(|(_, given)| *given) {
        Some((other, _)) if destination.is_standard_output() => Err(BadInput(format!(
            "--save - and {other} both print to standard output: name a file after --save, or leave one of them out"
        ))),
        _ => Ok(Some(destination)),
    }
}

/// The run to go on with.
fn incomplete(store: &Store, reference: &str) -> anyhow::Result<String> {
    let run = if reference.is_empty() { store.last_incomplete()? } else { Some(store.resolve(reference)?) };
    run.ok_or_else(|| BadInput("there is no stopped run to go on with: see `pqlab runs`".into()).into())
}

/// A first signal stops after the visit in hand, a second one at once.
pub(crate) fn stop_on_signals() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), Arc::clone(&stop))
            .context("cannot listen to signals")?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("cannot listen to signals")?;
    }
    Ok(stop)
}

/// Tables that `show` prints and the end of a run does not: what is no figure of the run, or is long.
const AT_LEISURE: [&str; 5] = ["library-facts", "spread", "sizes", "ntor-literature", "claims"];

/// The table, the files, and the exit code.
fn conclude(
    arguments: &RunArgs,
    exporter: Option<&dyn Exporter>,
    save: Option<&Destination>,
    screen: &Terminal,
    store: &Store,
    analysis: &RunAnalysis<'_>,
) -> anyhow::Result<u8> {
    let run = analysis.run;
    if let (Some(path), Some(save)) = (&arguments.save, save) {
        let json = export::find("json", &ExportOptions::default())?;
        output::write_file(path, save, |file| Ok(json.export(analysis, file)?))?;
    }
    if let Some(exporter) = exporter {
        export::print(exporter, analysis)?;
    } else if !arguments.quiet && !arguments.json && !save.is_some_and(Destination::is_standard_output) {
        let mut made = tables(analysis, &RelayScenario::default());
        made.retain(|table| !AT_LEISURE.contains(&table.name));
        output::data(&terminal::tables(&made, screen.width, screen.palette))?;
        if let Some(sentence) = trust_sentence(analysis) {
            output::data(&format!("{sentence}\n"))?;
        }
        output::data(&terminal::closing(analysis, screen.palette))?;
    }
    if !arguments.quiet {
        let database = store.path().display();
        let id = &run.header.id;
        if run.complete {
            output::talk(&format!("run {id} is stored in {database}: `pqlab show last` prints its table"));
        } else {
            output::talk(&format!(
                "stopped: {} of {} cases of run {id} are stored in {database}; `pqlab run --resume` goes on",
                run.records.len(),
                run.header.plan.len()
            ));
        }
    }
    Ok(match (run.complete, run.records.iter().any(|record| record.error.is_some())) {
        (false, _) => INTERRUPTED,
        (true, true) => FAILED,
        (true, false) => DONE,
    })
}

/// The command line as it can be typed again.
pub(crate) fn command_line() -> String {
    shell_line(&std::iter::once("pqlab".to_owned()).chain(std::env::args().skip(1)).collect::<Vec<_>>())
}
