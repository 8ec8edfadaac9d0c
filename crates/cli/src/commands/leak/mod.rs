//! `pqlab leak`: text output, progress bar and exit codes.

mod taint;

use crate::args::LeakArgs;
use crate::output::{self, Terminal};
use crate::signals::stop_on_signals;
use crate::table::table;
use crate::{DONE, FAILED, INCONCLUSIVE, INTERRUPTED};
use indicatif::{ProgressBar, ProgressStyle};
use pqlab_lab::analysis::number::grouped;
use pqlab_lab::report::terminal::{Palette, TextStyle};
use pqlab_lab::{
    LeakCase, LeakConclusion, LeakEffect, LeakOutcome, LeakRequest, LeakRole, LeakStep, leak_cases, leak_document,
    leak_listing,
};
use std::collections::BTreeMap;
use std::io::IsTerminal;

pub(crate) fn run(arguments: &LeakArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let laboratory = arguments.foreign.laboratory()?;
    if arguments.list {
        return list(&leak_cases(&laboratory, &patterns(arguments))?, arguments, terminal);
    }
    let cases = leak_cases(&laboratory, &arguments.cases)?;
    if arguments.taint {
        return taint::run(&laboratory, &cases, arguments, terminal);
    }
    let stop = stop_on_signals()?;
    let request = LeakRequest {
        samples: arguments.samples,
        effect_ns: arguments.effect,
        control_delay_ns: arguments.planted,
        max_time_s: arguments.max_time,
        seed: arguments.seed,
        cases: cases.len(),
    };
    let bar = progress_bar(cases.len() * arguments.repeat as usize, arguments);
    let mut take = |step: LeakStep<'_>| {
        match step {
            LeakStep::Begins(case) => bar.set_message(case.to_string()),
            LeakStep::Done(tests) => bar.set_position((tests * STEPS as f64) as u64),
            LeakStep::Found(_) if arguments.output.is_json() => {}
            LeakStep::Found(outcome) => bar.suspend(|| output::data(&sentence(outcome, terminal.palette)))?,
        }
        Ok::<(), anyhow::Error>(())
    };
    let outcomes = laboratory.measure_leaks(&cases, &request, arguments.repeat, &mut take, &stop);
    bar.finish_and_clear();
    let Some(outcomes) = outcomes? else { return Ok(INTERRUPTED) };
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&leak_document(&outcomes))?)?;
    } else if arguments.repeat > 1 {
        output::data(&counted(&outcomes, terminal))?;
    }
    Ok(exit_code(&outcomes))
}

/// Number of steps of the progress bar for each test.
const STEPS: u64 = 1_000;

fn patterns(arguments: &LeakArgs) -> Vec<String> {
    if arguments.cases.is_empty() { vec!["*".into()] } else { arguments.cases.clone() }
}

fn list(cases: &[LeakCase], arguments: &LeakArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&leak_listing(cases))?)?;
        return Ok(DONE);
    }
    let rows = cases.iter().map(|case| vec![case.to_string(), case.classes.to_owned()]).collect();
    output::data(&table(&["test", "classes"], rows, terminal.width))?;
    Ok(DONE)
}

fn progress_bar(tests: usize, arguments: &LeakArgs) -> ProgressBar {
    if arguments.no_progress || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "[{elapsed_precise}] {bar:30} {percent:>3}%  {wide_msg} about {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(tests as u64 * STEPS).with_style(style)
}

/// Returns the exit code for all tests. Leaks and failures take precedence over inconclusive tests. If a test varies
/// only public data, it affects the exit code only if it fails.
fn exit_code(outcomes: &[LeakOutcome]) -> u8 {
    let mut code = None;
    for LeakOutcome { verdict, role, .. } in outcomes {
        let this = match verdict {
            LeakConclusion::Leak | LeakConclusion::Failed => Some(FAILED),
            LeakConclusion::Inconclusive | LeakConclusion::Void if *role != LeakRole::Public.name() => {
                Some(INCONCLUSIVE)
            }
            LeakConclusion::None if *role != LeakRole::Public.name() => Some(DONE),
            _ => None,
        };
        code = match (code, this) {
            (Some(FAILED), _) | (_, Some(FAILED)) => Some(FAILED),
            (Some(INCONCLUSIVE), _) | (_, Some(INCONCLUSIVE)) => Some(INCONCLUSIVE),
            (before, this) => before.or(this),
        };
    }
    // Tests of public data alone, even if all pass, show nothing about secrets.
    code.unwrap_or(INCONCLUSIVE)
}

fn sentence(outcome: &LeakOutcome, palette: Palette) -> String {
    let (word, role) = match (outcome.verdict, &outcome.figures) {
        (LeakConclusion::Leak, _) => ("LEAK".to_owned(), TextStyle::Bad),
        (LeakConclusion::PublicDependent, _) => ("public-dependent".to_owned(), TextStyle::Strong),
        (LeakConclusion::None, Some(figures)) => (format!("none above {:.1} ns", figures.bound_ns), TextStyle::Good),
        (LeakConclusion::None, None) => ("none".to_owned(), TextStyle::Good),
        (LeakConclusion::Inconclusive, _) => ("inconclusive".to_owned(), TextStyle::Warning),
        (LeakConclusion::Void, _) => ("VOID".to_owned(), TextStyle::Warning),
        (LeakConclusion::Unsupported, _) => ("unsupported".to_owned(), TextStyle::Faint),
        (LeakConclusion::Failed, _) => ("FAILED".to_owned(), TextStyle::Bad),
    };
    let mut text = format!("{}  {}\n", palette.paint(role, &format!("{word:<18}")), outcome.case);
    let mut notes = Vec::new();
    if let Some(figures) = &outcome.figures {
        notes.push(format!(
            "{}: difference {} at decile {}, median {}, {} samples",
            outcome.classes,
            effect(&figures.effect),
            figures.tenth,
            time(figures.median_ns),
            grouped(figures.samples as u64)
        ));
        notes.push(format!(
            "positive control {} ns: found {}; negative control: {:.1} ns",
            figures.control_delay_ns,
            effect(&figures.positive_control),
            figures.null_ns
        ));
    }
    notes.extend(outcome.reason.iter().filter(|reason| !reason.is_empty()).cloned());
    notes.extend(outcome.caveat.clone());
    notes.extend(outcome.limits.iter().map(|limit| format!("limit: {limit}")));
    for note in notes {
        text.push_str(&format!("{:20}{note}\n", ""));
    }
    text
}

fn effect(effect: &LeakEffect) -> String {
    format!("{:+.1} ns ({:+.1} to {:+.1})", effect.ns, effect.ci_ns[0], effect.ci_ns[1])
}

fn time(ns: f64) -> String {
    if ns < 10_000.0 { format!("{ns:.0} ns") } else { format!("{:.1} µs", ns / 1e3) }
}

/// Returns a table with one row per repeated test. A row shows how often the test gave each verdict, and the range of
/// each figure.
fn counted(outcomes: &[LeakOutcome], terminal: &Terminal) -> String {
    let mut by_case: BTreeMap<&str, Vec<&LeakOutcome>> = BTreeMap::new();
    for outcome in outcomes {
        by_case.entry(&outcome.case).or_default().push(outcome);
    }
    let rows = by_case.iter().map(|(case, outcomes)| {
        let count = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
        let figures = || outcomes.iter().filter_map(|outcome| outcome.figures.as_ref());
        let found = figures().filter(|figures| figures.positive_control.ci_ns[0] > 0.0).count();
        let range = |values: Vec<f64>| {
            let (low, high) =
                values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
            if values.is_empty() { "-".to_owned() } else { format!("{low:.1} to {high:.1}") }
        };
        vec![
            (*case).to_owned(),
            outcomes.len().to_string(),
            count(LeakConclusion::Leak).to_string(),
            count(LeakConclusion::None).to_string(),
            (count(LeakConclusion::Inconclusive) + count(LeakConclusion::Void)).to_string(),
            found.to_string(),
            range(figures().map(|figures| figures.bound_ns).collect()),
            range(figures().map(|figures| figures.effect.ns).collect()),
            range(figures().map(|figures| figures.positive_control.ns).collect()),
        ]
    });
    let heads = ["test", "runs", "leak", "none", "unclear", "control found", "bound, ns", "effect, ns", "control, ns"];
    table(&heads, rows.collect(), terminal.width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(role: LeakRole, verdict: LeakConclusion) -> LeakOutcome {
        LeakOutcome {
            case: "kem/X/decapsulate[secret=key]@y".into(),
            operation: "kem/X/decapsulate@y".into(),
            role: role.name().into(),
            classes: "one versus many".into(),
            caveat: None,
            limits: vec!["of this machine".into()],
            verdict,
            reason: None,
            figures: None,
        }
    }

    #[test]
    fn leaks_outweigh_inconclusive_tests_and_controls_do_not_count() {
        use LeakConclusion::{Failed, Inconclusive, Leak, None, PublicDependent, Unsupported, Void};
        let code = |verdicts: &[(LeakRole, LeakConclusion)]| {
            exit_code(&verdicts.iter().map(|&(role, verdict)| outcome(role, verdict)).collect::<Vec<_>>())
        };
        let (secret, public) = (LeakRole::Secret, LeakRole::Public);
        assert_eq!(code(&[(secret, None), (public, PublicDependent), (public, Void)]), DONE);
        assert_eq!(code(&[(secret, None), (secret, Inconclusive)]), INCONCLUSIVE);
        assert_eq!(code(&[(secret, Void), (secret, Leak), (secret, None)]), FAILED);
        assert_eq!(code(&[(secret, None), (public, Failed)]), FAILED);
        assert_eq!(code(&[(secret, None), (secret, Unsupported)]), DONE);
        assert_eq!(code(&[(secret, Unsupported), (public, None)]), INCONCLUSIVE);
    }

    #[test]
    fn a_line_begins_with_the_verdict() {
        let line = sentence(&outcome(LeakRole::Secret, LeakConclusion::Leak), Palette { colour: false });
        assert!(line.starts_with("LEAK                kem/X/decapsulate[secret=key]@y\n"), "{line}");
        assert!(line.ends_with("\n                    limit: of this machine\n"), "{line}");
        assert_eq!((time(950.4), time(12_345.0)), ("950 ns".into(), "12.3 µs".into()));
    }
}
