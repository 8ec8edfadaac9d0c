use crate::args::RunArgs;
use crate::duration::duration_text;
use crate::output::{self, BadInput, Terminal};
use crate::progress::{Screen, Stream};
use crate::signals::stop_on_signals;
use crate::{DONE, FAILED, INTERRUPTED, baseline};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::answer::answer;
use pqlab_lab::analysis::caveats::Caveat;
use pqlab_lab::analysis::comparison::Comparison;
use pqlab_lab::analysis::findings::findings;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::analysis::number::grouped;
use pqlab_lab::analysis::tables::tables;
use pqlab_lab::analysis::trust::trust_sentence;
use pqlab_lab::record::{Run, RunHeader, RunSummary};
use pqlab_lab::report::{ExportOptions, Exporter, exporter_with, terminal};
use pqlab_lab::stats::Verdict;
use pqlab_lab::store::Store;
use pqlab_lab::{
    Destination, ExpectedDuration, Filters, LabError, Laboratory, Plan, RunRequest, check_name, check_percentage,
    compare_analyses, instead, libraries_of_run, libraries_of_suites, run_seconds,
};
use serde_json::json;
use std::io::{self, IsTerminal};
use std::time::Duration;

/// A plan that takes longer than this, in seconds, is announced.
const ANNOUNCED_S: f64 = 10.0;

pub(crate) fn run(arguments: Box<RunArgs>, screen: &Terminal) -> anyhow::Result<u8> {
    let options = ExportOptions { digits: arguments.digits, names: arguments.names.into(), ..ExportOptions::default() };
    let exporter = arguments.format.as_deref().map(|format| exporter_with(format, &options)).transpose()?;
    let laboratory = laboratory(&arguments)?;
    if arguments.dry_run {
        return dry(&arguments, &laboratory);
    }
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
    if let Some(name) = &arguments.save_baseline {
        check_name(&store, name, arguments.force)?;
    }
    let (plan, baseline) = match &arguments.baseline {
        Some(reference) => {
            check_percentage("--fail-slower", arguments.fail_slower)?;
            let baseline = store.load_run(&store.resolve(reference)?)?;
            laboratory.check_libraries_of(&baseline.header)?;
            (Some(again(&arguments, &baseline)?), Some(baseline))
        }
        None => (plan, None),
    };
    let stop = stop_on_signals()?;
    let mut announced = None;
    if let Some(plan) = plan.as_ref().filter(|_| !arguments.quiet) {
        let expected = laboratory.expected_duration(&store, plan, true)?;
        if expected.seconds >= ANNOUNCED_S {
            let measured = plan.cases.iter().filter(|case| !case.is_overhead()).count();
            output::talk(&format!("{}: {}; {}", plan.suite, cases(measured), takes(&expected)));
            announced = Some(expected.seconds);
        }
    }

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
            let request = RunRequest { seed: arguments.seed, command: output::command_line() };
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
    if let (Some(announced), Some(took)) = (announced, run_seconds(&run)) {
        output::talk(&format!("announced {}, took {}", duration_text(announced), duration_text(took)));
    }
    if let Some(name) = arguments.save_baseline.as_ref().filter(|_| ended.complete) {
        store.save_baseline(name, &ended.run)?;
        warn_of_baseline(&analysis, name);
    }
    let mut gate = None;
    let code = match baseline {
        Some(baseline) if code != INTERRUPTED => {
            gate = baseline::check(&arguments, screen, &laboratory, &mut store, (&baseline, &run), &stop)?;
            gate.as_ref().map_or(INTERRUPTED, baseline::exit_code)
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

/// What this build can measure, with the libraries that are given, and with those that suites and earlier runs name where that is
/// allowed.
fn laboratory(arguments: &RunArgs) -> anyhow::Result<Laboratory> {
    let foreign = &arguments.foreign;
    let mut libraries = foreign.given.all();
    if foreign.allow_foreign {
        libraries = instead(libraries, libraries_of_suites(&arguments.suites)?);
        let earlier = match (&arguments.resume, &arguments.baseline) {
            (Some(reference), _) => Some(incomplete(&arguments.database.open_existing()?, reference)?),
            (None, Some(reference)) => Some(arguments.database.open_read_only()?.resolve(reference)?),
            (None, None) => None,
        };
        if let Some(run) = earlier {
            let header = arguments.database.open_read_only()?.load_header(&run)?;
            libraries = instead(libraries, libraries_of_run(&header)?);
        }
    }
    Ok(crate::laboratory::open()?.with_limits(Duration::from_secs(arguments.time_limit)).with_libraries(libraries)?)
}

/// Whatever is compared with a baseline carries its disturbances.
fn warn_of_baseline(analysis: &RunAnalysis<'_>, name: &str) {
    let measured = analysis.cases().iter().filter(|case| !case.is_floor() && case.estimates.is_some());
    let of = |caveat: Caveat| measured.clone().filter(|case| case.caveats.has(caveat)).count();
    let (all, shared) = (measured.clone().count(), of(Caveat::Shared));
    if shared > 0 {
        output::talk(&format!(
            "warning: of the {} of {name} {} shared: measure it again on a quiet machine, with --save-baseline {name} --force",
            cases(all),
            if shared == 1 { "1 was".to_owned() } else { format!("{} were", grouped(shared as u64)) }
        ));
    }
}

/// The run against the newest complete one of the same suite, by the same build on the same machine: a line, and where to look.
fn against_last(store: &Store, analysis: &RunAnalysis<'_>) -> anyhow::Result<Option<String>> {
    let own = &analysis.run.header;
    let build = |run: &RunHeader| {
        let environment = &run.environment;
        (environment.host.name.clone(), environment.cpu.model.clone(), environment.build.clone())
    };
    let alike = |of: &RunSummary| of.id != own.id && of.complete && of.suite == own.suite && !of.imported;
    let Some(before) = store.runs()?.into_iter().find(alike) else { return Ok(None) };
    if build(&store.load_header(&before.id)?) != build(own) {
        return Ok(None);
    }
    let before = store.load_run(&before.id)?;
    let comparison = match compare_analyses(store, &RunAnalysis::of(&before), analysis, None, Default::default()) {
        Err(LabError::NothingInCommon { .. }) => return Ok(None),
        compared => compared?,
    };
    Ok(Some(format!(
        "{} since run {}: `pqlab compare {} {}`",
        changes(&comparison),
        before.header.id,
        before.header.id,
        own.id
    )))
}

/// How many cases changed, in the verdicts of `pqlab compare`.
fn changes(comparison: &Comparison) -> String {
    let [slower, faster, unclear] =
        [Verdict::Slower, Verdict::Faster, Verdict::Inconclusive].map(|verdict| comparison.count(verdict));
    let how = match slower + faster {
        0 => String::new(),
        _ => format!(" ({slower} slower, {faster} faster)"),
    };
    let unclear = match unclear {
        0 => String::new(),
        unclear => format!(", {} inconclusive", grouped(unclear as u64)),
    };
    format!("{} of {} changed{how}{unclear}", grouped((slower + faster) as u64), cases(comparison.cases.len()))
}

/// How long a plan takes, and how that is known.
fn takes(expected: &ExpectedDuration) -> String {
    let unknown = match expected.samples {
        None => "never measured here, more if their operations or preparation are slow",
        Some(_) => "unknown, on top",
    };
    let sources = [
        (expected.by_runs, "by earlier runs here"),
        (expected.by_trial, "by a quick try"),
        (expected.unknown, unknown),
    ];
    let sources = sources.into_iter().filter(|(count, _)| *count > 0);
    let sources: Vec<String> = sources.map(|(count, how)| format!("{}: {how}", cases(count))).collect();
    let what = expected.samples.map(|samples| format!("{} samples of each case take", grouped(samples)));
    format!("{} about {} ({})", what.unwrap_or("takes".into()), duration_text(expected.seconds), sources.join("; "))
}

/// The cases of a run that was measured before.
fn again(arguments: &RunArgs, run: &Run) -> Result<Plan, LabError> {
    let overrides = arguments.overrides();
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
    let mut tell = |text: &str| {
        if !arguments.quiet {
            output::talk(text);
        }
    };
    let named = laboratory.named(&arguments.suites)?;
    named.notes.iter().for_each(|note| tell(note));
    let filters = named.narrow(filters(arguments));
    let overrides = arguments.overrides();
    laboratory.plan(&named.suites, &filters, &overrides, &mut tell)
}

/// What would be measured, and about how long it would take.
fn dry(arguments: &RunArgs, laboratory: &Laboratory) -> anyhow::Result<u8> {
    let overrides = arguments.overrides();
    let store = match arguments.database.path()?.exists() {
        true => arguments.database.open_read_only()?,
        false => Store::in_memory()?,
    };
    let outline = laboratory.outline(&arguments.suites, filters(arguments), &overrides, &store)?;
    let takes = takes(&outline.expected);
    if arguments.json {
        output::json(&serde_json::to_string_pretty(&outline.to_json())?)?;
    } else {
        outline.notes.iter().for_each(|note| output::talk(note));
        output::data(&outline.cases.iter().map(|id| format!("{id}\n")).collect::<String>())?;
        let all = outline.cases.len();
        let measured = match outline.measured {
            measured if measured == all => cases(all),
            measured => {
                let of = cases(all);
                format!(
                    "about {} of these {of}, once trials have chosen the fastest libraries",
                    grouped(measured as u64)
                )
            }
        };
        output::talk(&format!("{}: {measured}; {takes}", outline.suite));
    }
    Ok(DONE)
}

fn cases(count: usize) -> String {
    format!("{} case{}", grouped(count as u64), if count == 1 { "" } else { "s" })
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
        let json = exporter_with("json", &ExportOptions::default())?;
        output::write_file(path, save, |file| Ok(json.export(analysis, file)?))?;
    }
    if let Some(exporter) = exporter {
        output::print_export(exporter, analysis)?;
    } else if !arguments.quiet && !arguments.json && !save.is_some_and(Destination::is_standard_output) {
        let mut made = tables(analysis, &RelayScenario::default());
        made.retain(|table| !AT_LEISURE.contains(&table.name));
        output::data(&terminal::tables(&made, screen.width, screen.palette))?;
        if let Some(sentence) = trust_sentence(analysis) {
            output::data(&format!("{sentence}\n"))?;
        }
        output::data(&terminal::closing(analysis, screen.palette))?;
        if run.complete
            && arguments.baseline.is_none()
            && let Some(line) = against_last(store, analysis)?
        {
            output::data(&format!("{line}\n"))?;
        }
        let answered = answer(analysis, &findings(analysis));
        output::data(&format!("\n{}\n", answered.join("\n")))?;
    }
    if !arguments.quiet {
        let database = store.path().display();
        let id = &run.header.id;
        if run.complete {
            output::talk(&format!(
                "run {id} is stored in {database}: `pqlab show last` prints its tables, `pqlab report` makes a page, `pqlab compare` \
                 sets it against another"
            ));
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

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_lab::analysis::compare;

    #[test]
    fn how_long_a_plan_takes_is_said_with_how_that_is_known() {
        let expected = ExpectedDuration { seconds: 754.0, samples: Some(1000), by_runs: 1, by_trial: 1210, unknown: 0 };
        let said = takes(&expected);
        let wanted = "1,000 samples of each case take about 13 minutes (1 case: by earlier runs here; 1,210 cases: by a quick try)";
        assert_eq!(said, wanted);
        let unknown = takes(&ExpectedDuration { by_runs: 0, by_trial: 2, unknown: 3, ..expected });
        assert!(unknown.ends_with("(2 cases: by a quick try; 3 cases: unknown, on top)"), "{unknown}");
        let adaptive = takes(&ExpectedDuration { samples: None, seconds: 13.0, by_runs: 0, by_trial: 0, unknown: 24 });
        let wanted =
            "takes about 13 s (24 cases: never measured here, more if their operations or preparation are slow)";
        assert_eq!(adaptive, wanted);
        assert!(!adaptive.contains("at most"), "no estimate is a bound");
    }
    #[test]
    fn cases_that_cannot_be_told_apart_are_not_called_unchanged() {
        let run = pqlab_fixtures::references_run();
        let analysis = RunAnalysis::of(&run);
        let pairs: Vec<_> =
            analysis.cases().iter().filter(|case| !case.is_floor()).take(3).map(|of| (of, of)).collect();
        let mut comparison = compare(&analysis, &analysis, &pairs, &Default::default());
        let mut said = |verdicts: [Verdict; 3]| {
            for (case, verdict) in comparison.cases.iter_mut().zip(verdicts) {
                case.judgement.verdict = verdict;
            }
            changes(&comparison)
        };
        use Verdict::{Equivalent, Faster, Inconclusive, Slower};
        assert_eq!(said([Equivalent, Equivalent, Equivalent]), "0 of 3 cases changed");
        assert_eq!(said([Equivalent, Inconclusive, Inconclusive]), "0 of 3 cases changed, 2 inconclusive");
        assert_eq!(said([Slower, Faster, Inconclusive]), "2 of 3 cases changed (1 slower, 1 faster), 1 inconclusive");
    }
}
