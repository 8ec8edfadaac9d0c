use crate::args::{GateRules, RunArgs};
use crate::duration::duration_text;
use crate::output::{self, BadInput, Terminal};
use crate::progress::{Screen, Stream};
use crate::signals::stop_on_signals;
use crate::{DONE, FAILED, INTERRUPTED, baseline, comparison};
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::caveats::Caveat;
use pqlab_lab::analysis::comparison::Comparison;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::analysis::number::grouped;
use pqlab_lab::record::{Run, RunHeader, RunSummary};
use pqlab_lab::report::terminal::{Detail, show_run};
use pqlab_lab::report::{ExportOptions, Exporter, exporter_with};
use pqlab_lab::stats::Verdict;
use pqlab_lab::store::Store;
use pqlab_lab::{
    Destination, ExpectedDuration, LabError, Laboratory, Plan, RunRequest, check_name, check_percentage,
    compare_analyses, libraries_of_run, libraries_of_suites, prefer, run_seconds,
};
use serde_json::json;
use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Shortest expected duration that pqlab announces, in seconds.
const ANNOUNCED_S: f64 = 10.0;

pub(crate) fn run(mut arguments: Box<RunArgs>, screen: &Terminal) -> anyhow::Result<u8> {
    take_old_names(&mut arguments)?;
    let output = &arguments.output;
    let (measuring, stored) = (&arguments.measuring, &arguments.measuring.stored);
    let (events, quiet) = (arguments.prints_events(), stored.quiet);
    let options = ExportOptions { digits: output.digits, names: output.names.into(), ..ExportOptions::default() };
    let exporter = arguments.export_format().map(|format| exporter_with(format, &options)).transpose()?;
    let laboratory = laboratory(&arguments)?;
    if arguments.dry_run {
        return dry(&arguments, &laboratory);
    }
    // Reject an invalid request before measuring anything.
    let repeats = output.baseline.is_some() && arguments.suites.is_empty();
    let plan = if output.resume.is_some() || repeats { None } else { Some(plan(&arguments, &laboratory)?) };
    if let (Some(exporter), Some(plan)) = (&exporter, &plan) {
        exporter.check(&plan.cases)?;
    }
    if let Some(name) = &stored.save_baseline {
        Store::check_baseline_name(name)?;
    }
    let save = save(&arguments)?;
    if output.baseline.is_some() {
        // The baseline must already be stored, so do not create a database.
        measuring.database.open_read_only()?;
    }
    let mut store = measuring.database.open()?;
    if let Some(name) = &stored.save_baseline {
        check_name(&store, name, stored.force)?;
    }
    let baseline = output.baseline.as_ref().map(|reference| store.load_run(&store.resolve(reference)?)).transpose()?;
    if let Some(rules) = &arguments.gate {
        check_percentage("--fail-slower", rules.fail_slower)?;
    }
    let plan = match &baseline {
        Some(baseline) if repeats => {
            laboratory.check_libraries_of(&baseline.header)?;
            Some(again(&arguments, baseline)?)
        }
        _ => plan,
    };
    let stop = stop_on_signals()?;
    let mut announced = None;
    if let Some(plan) = plan.as_ref().filter(|_| !quiet) {
        let expected = laboratory.expected_duration(&store, plan, true, &stop)?;
        if expected.seconds >= ANNOUNCED_S {
            let measured = plan.cases.iter().filter(|case| !case.is_overhead()).count();
            output::talk(&format!("{}: {}; {}", plan.suite, cases(measured), takes(&expected)));
            announced = Some(expected.seconds);
        }
    }

    let printed =
        (exporter.is_some() && output.out.is_none()) || save.as_ref().is_some_and(Destination::is_standard_output);
    let stream = match (events, printed) {
        (true, _) => Stream::Events,
        (false, false) if stored.verbose => Stream::Lines,
        (false, _) => Stream::Nothing,
    };
    let bars = !stored.no_progress && !quiet && io::stderr().is_terminal();
    let mut shown = Screen::new(stream, bars, quiet, stored.verbose, screen.palette);
    let outcome = match plan {
        Some(plan) => {
            let request = RunRequest { seed: measuring.rules.seed, command: output::command_line() };
            laboratory.run(&mut store, plan, &request, &mut shown, &stop)
        }
        None => {
            let run = incomplete(&store, output.resume.as_deref().unwrap_or_default())?;
            laboratory.resume(&mut store, &run, output.resume_elsewhere, &mut shown, &stop)
        }
    };
    shown.end();
    let ended = outcome?;
    if let Some(error) = shown.broken.take() {
        return Err(error.into());
    }
    let run = store.load_run(&ended.run)?;
    let analysis = RunAnalysis::new(&run);
    let code = conclude(&arguments, exporter.as_deref(), save.as_ref(), screen, &store, &analysis)?;
    if let (Some(announced), Some(took)) = (announced, run_seconds(&run)) {
        output::talk(&format!("the run took {} (expected: {})", duration_text(took), duration_text(announced)));
    }
    if let Some(name) = stored.save_baseline.as_ref().filter(|_| ended.complete) {
        store.save_baseline(name, &ended.run)?;
        warn_of_baseline(&analysis, name);
    }
    let mut gate = None;
    let code = match (baseline, &arguments.gate) {
        (Some(baseline), Some(rules)) if code != INTERRUPTED => {
            gate = baseline::check(&arguments, rules, screen, &laboratory, &mut store, (&baseline, &run), &stop)?;
            gate.as_ref().map_or(INTERRUPTED, baseline::exit_code)
        }
        (Some(baseline), None) if code != INTERRUPTED => {
            compare_with(&arguments, screen, &store, (&baseline, &analysis))?;
            code
        }
        _ => code,
    };
    if events {
        let mut event = json!({"event": "end", "run": ended.run, "complete": ended.complete, "failed": ended.failed});
        if let Some(gate) = gate {
            event["gate"] = gate.to_json();
        }
        output::json(&event.to_string())?;
    }
    Ok(code)
}

/// Handles old option names: rewrites the request, and prints notes with the new names.
fn take_old_names(arguments: &mut RunArgs) -> Result<(), BadInput> {
    let output = &arguments.output;
    if output.json && !arguments.dry_run {
        output::talk("note: --json is now --format events");
    }
    if output.save.is_some() {
        output::talk("note: --save is now --out");
    }
    let old_rules = output.fail_slower.is_some() || output.baseline_elsewhere;
    let baseline = output.baseline.as_deref().filter(|_| arguments.gate.is_none());
    match baseline {
        None if old_rules && arguments.gate.is_none() => {
            Err(BadInput("--fail-slower and --baseline-elsewhere belong to `pqlab gate BASELINE`".into()))
        }
        Some(baseline) if old_rules && !arguments.suites.is_empty() => Err(BadInput(format!(
            "--fail-slower and --baseline-elsewhere do not work with a suite: use `pqlab gate {baseline}`, which measures the cases of the baseline"
        ))),
        Some(baseline) if arguments.suites.is_empty() && arguments.options.lengths.is_some() => Err(BadInput(format!(
            "--lengths has no effect on the cases of run {baseline}: leave it out, or name a suite"
        ))),
        Some(baseline) if arguments.suites.is_empty() => {
            output::talk(&format!("note: `pqlab run --baseline {baseline}` is now `pqlab gate {baseline}`"));
            arguments.gate = Some(GateRules::of_run(output));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Compares the run with a baseline, and prints the comparison.
fn compare_with(
    arguments: &RunArgs,
    screen: &Terminal,
    store: &Store,
    (baseline, analysis): (&Run, &RunAnalysis<'_>),
) -> anyhow::Result<()> {
    let metric = arguments.output.metric.into();
    let compared = compare_analyses(store, &RunAnalysis::new(baseline), analysis, None, metric)?;
    if arguments.prints_events() {
        return baseline::event("comparison", compared.to_json());
    }
    if !arguments.measuring.stored.quiet && arguments.export_format().is_none() {
        output::data("")?;
        comparison::print_short(&compared, false, screen)?;
    }
    Ok(())
}

/// Opens a laboratory with the given libraries. With `--allow-foreign`, also opens the libraries that suite files, a
/// resumed run or a baseline name.
fn laboratory(arguments: &RunArgs) -> anyhow::Result<Laboratory> {
    let foreign = &arguments.measuring.chosen.foreign;
    let database = &arguments.measuring.database;
    let mut libraries = foreign.given.all();
    if foreign.allow_foreign {
        libraries = prefer(libraries, libraries_of_suites(&arguments.suites)?);
        let earlier = match (&arguments.output.resume, &arguments.output.baseline) {
            (Some(reference), _) => Some(incomplete(&database.open_existing()?, reference)?),
            (None, Some(reference)) => Some(database.open_read_only()?.resolve(reference)?),
            (None, None) => None,
        };
        if let Some(run) = earlier {
            let header = database.open_read_only()?.load_header(&run)?;
            libraries = prefer(libraries, libraries_of_run(&header)?);
        }
    }
    let limit = Duration::from_secs(arguments.measuring.rules.time_limit);
    crate::laboratory::with_added(crate::laboratory::open()?.with_limits(limit).with_libraries(libraries)?)
}

/// Warns if cases of a new baseline were disturbed, because every later comparison inherits the disturbance.
fn warn_of_baseline(analysis: &RunAnalysis<'_>, name: &str) {
    let measured = analysis.cases().iter().filter(|case| !case.is_floor() && case.estimates.is_some());
    let all = measured.clone().count();
    let disturbed = measured.filter(|case| case.caveats.has(Caveat::Shared)).count();
    if disturbed > 0 {
        output::talk(&format!(
            "warning: {} of {} in baseline {name} were disturbed: \
             measure again on a quiet machine with --save-baseline {name} --force",
            grouped(disturbed as u64),
            cases(all)
        ));
    }
}

/// Compares the run with the newest complete run of the same suite. Returns a one-line summary that ends with the
/// command to show the comparison. Returns `None` if there is no such run, if it was measured with another build or on
/// another machine, or if the runs have no cases in common.
fn against_last(store: &Store, analysis: &RunAnalysis<'_>) -> anyhow::Result<Option<String>> {
    let header = &analysis.run.header;
    let build = |run: &RunHeader| {
        let environment = &run.environment;
        (environment.host.name.clone(), environment.cpu.model.clone(), environment.build.clone())
    };
    let is_alike = |run: &RunSummary| run.id != header.id && run.complete && run.suite == header.suite && !run.imported;
    let Some(before) = store.runs()?.into_iter().find(is_alike) else { return Ok(None) };
    if build(&store.load_header(&before.id)?) != build(header) {
        return Ok(None);
    }
    let before = store.load_run(&before.id)?;
    let comparison = match compare_analyses(store, &RunAnalysis::new(&before), analysis, None, Default::default()) {
        Err(LabError::NothingInCommon { .. }) => return Ok(None),
        compared => compared?,
    };
    Ok(Some(format!(
        "Compared with run {}: {}; details: `pqlab compare {} {}`",
        before.header.id,
        changes(&comparison),
        before.header.id,
        header.id
    )))
}

/// Returns the number of cases that changed, in words, according to the verdicts of `pqlab compare`.
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

/// Returns the expected duration of a plan and the source of the estimate, in words.
fn takes(expected: &ExpectedDuration) -> String {
    let nothing_known = expected.by_runs + expected.by_trial == 0;
    if let Some(samples) = expected.samples.filter(|_| nothing_known && expected.unknown > 0) {
        return format!(
            "{} samples per case; time unknown, because these cases were never measured here",
            grouped(samples)
        );
    }
    let unknown = match expected.samples {
        None => "never measured here, may take longer",
        Some(_) => "time unknown, not included",
    };
    let sources = [
        (expected.by_runs, "from earlier runs"),
        (expected.by_trial, "from a short trial"),
        (expected.unknown, unknown),
    ];
    let sources = sources.into_iter().filter(|(count, _)| *count > 0);
    let sources: Vec<String> = sources.map(|(count, how)| format!("{}: {how}", cases(count))).collect();
    let what = expected.samples.map(|samples| format!("{} samples per case take", grouped(samples)));
    format!("{} about {} ({})", what.unwrap_or("takes".into()), duration_text(expected.seconds), sources.join("; "))
}

/// Plans to measure the cases of an earlier run again.
fn again(arguments: &RunArgs, run: &Run) -> Result<Plan, LabError> {
    let overrides = arguments.overrides();
    Plan::again(&run.header, &arguments.filters(), &overrides)
}

fn plan(arguments: &RunArgs, laboratory: &Laboratory) -> Result<Plan, LabError> {
    let mut tell = |text: &str| {
        if !arguments.measuring.stored.quiet {
            output::talk(text);
        }
    };
    let named = laboratory.named(&arguments.suites)?;
    named.notes.iter().for_each(|note| tell(note));
    let filters = named.narrow(arguments.filters());
    let overrides = arguments.overrides();
    laboratory.plan(&named.suites, &filters, &overrides, &mut tell)
}

/// Performs a dry run: prints the cases that a run would measure, and the expected time.
fn dry(arguments: &RunArgs, laboratory: &Laboratory) -> anyhow::Result<u8> {
    let overrides = arguments.overrides();
    let store = match arguments.measuring.database.path()?.exists() {
        true => arguments.measuring.database.open_read_only()?,
        false => Store::in_memory()?,
    };
    let json = arguments.prints_events() || arguments.export_format() == Some("json");
    let quiet = arguments.measuring.stored.quiet && !json;
    // Only the estimate of the duration needs trials, which take seconds.
    let stop = AtomicBool::new(quiet);
    let outline = laboratory.outline(&arguments.suites, arguments.filters(), &overrides, &store, &stop)?;
    if json {
        output::json(&serde_json::to_string_pretty(&outline.to_json())?)?;
        return Ok(DONE);
    }
    if !quiet {
        outline.notes.iter().for_each(|note| output::talk(note));
    }
    output::data(&outline.cases.iter().map(|id| format!("{id}\n")).collect::<String>())?;
    if !quiet {
        let all = outline.cases.len();
        let measured = match outline.measured {
            measured if measured == all => cases(all),
            measured => format!(
                "about {} of these {}, after trials have chosen the fastest libraries",
                grouped(measured as u64),
                cases(all)
            ),
        };
        output::talk(&format!("{}: {measured}; {}", outline.suite, takes(&outline.expected)));
    }
    Ok(DONE)
}

fn cases(count: usize) -> String {
    format!("{} case{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// Returns the destination that `--out` names, or `None` without `--out`. Rejects an unusable destination before
/// anything is measured.
fn save(arguments: &RunArgs) -> Result<Option<Destination>, BadInput> {
    let Some(path) = arguments.output.path() else { return Ok(None) };
    let destination = output::destination(path)?;
    let others = [("--format events", arguments.prints_events()), ("--baseline", arguments.output.baseline.is_some())];
    match others.into_iter().find(|(_, given)| *given) {
        Some((other, _)) if destination.is_standard_output() => Err(BadInput(format!(
            "--out - and {other} both print to standard output: name a file after --out, or leave out one of them"
        ))),
        _ => Ok(Some(destination)),
    }
}

/// Returns the id of the run that `reference` names. If `reference` is empty, returns the id of the latest interrupted
/// run.
fn incomplete(store: &Store, reference: &str) -> anyhow::Result<String> {
    let run = if reference.is_empty() { store.last_incomplete()? } else { Some(store.resolve(reference)?) };
    run.ok_or_else(|| BadInput("no interrupted run to resume: see `pqlab runs`".into()).into())
}

/// Prints the tables, writes the files, and returns the exit code.
fn conclude(
    arguments: &RunArgs,
    exporter: Option<&dyn Exporter>,
    save: Option<&Destination>,
    screen: &Terminal,
    store: &Store,
    analysis: &RunAnalysis<'_>,
) -> anyhow::Result<u8> {
    let run = analysis.run;
    if let (Some(path), Some(save)) = (arguments.output.path(), save) {
        let json = exporter_with("json", &ExportOptions::default())?;
        let exporter = exporter.filter(|_| arguments.output.out.is_some()).unwrap_or(&*json);
        output::print_notes(exporter, analysis);
        output::write_file(path, save, |file| Ok(exporter.export(analysis, file)?))?;
    }
    if let Some(exporter) = exporter.filter(|_| arguments.output.out.is_none()) {
        output::print_export(exporter, analysis)?;
    } else if !arguments.measuring.stored.quiet
        && !arguments.prints_events()
        && !save.is_some_and(Destination::is_standard_output)
    {
        let detail = if arguments.output.wide { Detail::Wide } else { Detail::Short };
        output::data(&show_run(analysis, &RelayScenario::default(), detail, screen.width, screen.palette))?;
        if run.complete
            && arguments.output.baseline.is_none()
            && let Some(line) = against_last(store, analysis)?
        {
            output::data(&format!("{line}\n"))?;
        }
    }
    if !arguments.measuring.stored.quiet {
        let database = store.path().display();
        let id = &run.header.id;
        if run.complete {
            output::talk(&format!(
                "run {id} stored in {database}; next: `pqlab show --wide` (intervals, rates), `pqlab report` (web page), \
                 `pqlab compare` (with another run)"
            ));
        } else {
            let (stored, planned) = run.progress();
            output::talk(&format!(
                "interrupted: {stored} of {planned} cases of run {id} are stored in {database}; resume with `pqlab run \
                 --resume`"
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
    fn expected_durations_name_their_sources() {
        let expected = ExpectedDuration { seconds: 754.0, samples: Some(1000), by_runs: 1, by_trial: 1210, unknown: 0 };
        let wanted = "1,000 samples per case take about 13 minutes \
                      (1 case: from earlier runs; 1,210 cases: from a short trial)";
        assert_eq!(takes(&expected), wanted);
        let unknown = takes(&ExpectedDuration { by_runs: 0, by_trial: 2, unknown: 3, ..expected });
        assert!(unknown.ends_with("(2 cases: from a short trial; 3 cases: time unknown, not included)"), "{unknown}");
        let nothing = takes(&ExpectedDuration { by_runs: 0, by_trial: 0, unknown: 3, ..expected });
        assert_eq!(nothing, "1,000 samples per case; time unknown, because these cases were never measured here");
        let adaptive = takes(&ExpectedDuration { samples: None, seconds: 13.0, by_runs: 0, by_trial: 0, unknown: 24 });
        let wanted = "takes about 13 s (24 cases: never measured here, may take longer)";
        assert_eq!(adaptive, wanted);
        assert!(!adaptive.contains("at most"), "an estimate must not read as a bound");
    }

    #[test]
    fn inconclusive_cases_are_not_called_unchanged() {
        let run = pqlab_fixtures::references_run();
        let analysis = RunAnalysis::new(&run);
        let pairs: Vec<_> =
            analysis.cases().iter().filter(|case| !case.is_floor()).take(3).map(|case| (case, case)).collect();
        let mut comparison = compare(&analysis, &analysis, &pairs, &Default::default());
        let mut changes_for = |verdicts: [Verdict; 3]| {
            for (case, verdict) in comparison.cases.iter_mut().zip(verdicts) {
                case.judgement.verdict = verdict;
            }
            changes(&comparison)
        };
        use Verdict::{Equivalent, Faster, Inconclusive, Slower};
        assert_eq!(changes_for([Equivalent, Equivalent, Equivalent]), "0 of 3 cases changed");
        assert_eq!(changes_for([Equivalent, Inconclusive, Inconclusive]), "0 of 3 cases changed, 2 inconclusive");
        let all_kinds = changes_for([Slower, Faster, Inconclusive]);
        assert_eq!(all_kinds, "2 of 3 cases changed (1 slower, 1 faster), 1 inconclusive");
    }
}
