use super::palette::{Palette, TextStyle};
use pqlab_analysis::caveats::Caveat;
use pqlab_analysis::environment::{environment_line, interruptions_line};
use pqlab_analysis::estimates::{ESTIMATED_CYCLES, Estimates, PLUS_MINUS};
use pqlab_analysis::fastest::fastest_line;
use pqlab_analysis::number::{APPROXIMATE, grouped, is_approximate, time};
use pqlab_analysis::standardization::not_standards_in;
use pqlab_analysis::text::neutral;
use pqlab_analysis::words::{FLOOR_MEANING, words, worker_floors};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, gathered};
use pqlab_record::Run;

/// Returns whether the case's core cycles were estimated.
pub(super) fn estimated(case: &CaseAnalysis<'_>) -> bool {
    case.estimates.as_ref().is_some_and(Estimates::cycles_are_estimated)
}

/// Returns the lines below a wide table. They contain the number of cases by outcome, explanations of notes and signs,
/// the algorithms that are not standards, the environment, the measurement overhead, and the sources of randomness.
pub(super) fn closing(analysis: &RunAnalysis<'_>, palette: Palette) -> String {
    let run = analysis.run;
    // The null case shows only the overhead of measuring.
    let cases = || analysis.cases().iter().filter(|case| !case.is_floor());
    let measured = || cases().filter(|case| case.estimates.is_some());
    let occurs = |caveat: Caveat| measured().filter(|case| case.caveats.has(caveat)).count() as u64;
    let failed = cases().filter(|case| case.failed()).count() as u64;
    let measured = cases().count() as u64 - failed;
    let planned = run.header.plan.iter().filter(|case| !case.is_overhead()).count() as u64;
    let not_run = planned.saturating_sub(measured + failed);
    let mut counts = vec![format!("{} measured", grouped(measured))];
    let mut lines = Vec::new();
    for (count, words, role) in [
        (failed, "failed", TextStyle::Bad),
        (occurs(Caveat::Shared), "disturbed", TextStyle::Warning),
        (occurs(Caveat::Imprecise), "imprecise", TextStyle::Warning),
        (not_run, "not run", TextStyle::Warning),
    ] {
        if count > 0 {
            counts.push(palette.paint(role, &format!("{} {words}", grouped(count))));
        }
    }
    let cases = measured + failed + not_run;
    lines.push(format!("{} {}: {}", grouped(cases), if cases == 1 { "case" } else { "cases" }, counts.join(", ")));
    for note in Caveat::NOTES.into_iter().filter(|note| occurs(*note) > 0) {
        lines.push(format!("{}: {}", palette.paint(TextStyle::Warning, note.word()), note.legend()));
    }
    if measured > 0 {
        lines.push(format!("±: {PLUS_MINUS}"));
    }
    if analysis.cases().iter().any(|case| !case.is_floor() && estimated(case)) {
        lines.push(format!("≈cycles: {ESTIMATED_CYCLES}"));
    }
    if analysis.cases().iter().filter_map(CaseAnalysis::time).any(|time| is_approximate(&time)) {
        lines.push(format!("≈: {APPROXIMATE}"));
    }
    lines.extend(interruptions(analysis));
    lines.extend(words(analysis));
    lines.extend(not_standards_in(analysis));
    lines.extend(run.header.protocol.fastest.iter().map(fastest_line));
    lines.push(palette.paint(TextStyle::Faint, &environment_line(&run.header.environment)));
    let floors = [floor_line(analysis), worker_floors(analysis).map(|line| neutral(&line))];
    let faint = floors.into_iter().flatten().chain(generators(run));
    lines.extend(faint.map(|line| palette.paint(TextStyle::Faint, &line)));
    lines.join("\n") + "\n"
}

/// Returns a line about interruptions of the core, with the number of figures that include them.
fn interruptions(analysis: &RunAnalysis<'_>) -> Option<String> {
    let line = interruptions_line(analysis.run.header.environment.core.as_ref()?.interruptions.as_ref()?);
    let marked = |case: &&CaseAnalysis<'_>| case.interrupted_percentiles().is_some_and(|names| names.contains(&"p95"));
    let cases = analysis.cases().iter().filter(|case| !case.is_floor());
    let means = cases.clone().filter(|case| case.uninterrupted_mean_ns().is_some()).count() as u64;
    (means > 0).then(|| {
        format!(
            "{line}; interruptions affect {} of the means and {} of the p95 values (`pqlab show RUN CASE` also gives \
             means without interruptions)",
            grouped(means),
            grouped(cases.filter(marked).count() as u64)
        )
    })
}

/// Returns a line with the measurement overhead, if the run measured it.
fn floor_line(analysis: &RunAnalysis<'_>) -> Option<String> {
    let floor = time(analysis.floor_ns()?);
    Some(format!("measurement overhead: {floor} per operation, {FLOOR_MEANING}"))
}

/// Returns a line with the random generators that providers use to generate keys, encapsulate and sign.
fn generators(run: &Run) -> Option<String> {
    let cases = run.records.iter().map(|record| &record.case);
    let used = gathered(cases.filter_map(|case| Some((case.facts.generator.as_deref()?, case.provider.as_str()))));
    let text = |(generator, by): (&str, Vec<&str>)| neutral(&format!("{} ({generator})", distinct(by).join(", ")));
    let all: Vec<String> = used.into_iter().map(text).collect();
    (!all.is_empty()).then(|| format!("sources of random bytes: {}", all.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;
    use crate::fixtures;
    use pqlab_record::{CoreChecks, Disturbance, Interruptions};

    fn shown(run: &Run, palette: Palette) -> String {
        closing(&RunAnalysis::new(run), palette)
    }

    #[test]
    fn closing_gives_the_overhead_of_the_harness_and_of_workers() {
        let text = shown(&fixtures::workers_run(), Palette::PLAIN);
        let wanted = format!(
            "measurement overhead: 2.70 ns per operation, {FLOOR_MEANING}\noverhead of workers: go 1.30 ns, script 2.10 ns ("
        );
        assert!(text.contains(&wanted), "{text}");
    }

    #[test]
    fn closing_counts_the_means_that_contain_interruptions() {
        let mut run = fixtures::run();
        assert!(!shown(&run, Palette::PLAIN).contains("interruption"));
        let interruptions = Some(Interruptions { per_ms: 2.0, typical_us: 12.0, share_pct: 2.4 });
        run.header.environment.core = Some(CoreChecks { interruptions, ..CoreChecks::default() });
        let text = shown(&run, Palette::PLAIN);
        assert!(
            text.contains("\n2.4% of the time goes to interruptions (2.0 per ms, 12 µs each); interruptions affect "),
            "{text}"
        );
    }

    #[test]
    fn closing_counts_outcomes_and_explains_the_marks_that_occur() {
        let mut run = fixtures::run();
        let text = shown(&run, Palette::PLAIN);
        assert!(text.starts_with("6 cases: 5 measured, 1 failed\n±: "), "{text}");
        assert!(text.ends_with(&format!("measurement overhead: 2.70 ns per operation, {FLOOR_MEANING}\n")));
        run.header.protocol.precision_pct = 0.1;
        run.records[1].samples.visits.iter_mut().for_each(|visit| {
            visit.disturbances = vec![Disturbance::Steal { pct: 3.0 }];
        });
        run.records.truncate(2);
        let text = shown(&run, Palette::PLAIN);
        assert!(text.starts_with("6 cases: 2 measured, 1 disturbed, 2 imprecise, 4 not run\ndisturbed: "), "{text}");
        assert!(
            text.contains("\nimprecise: did not reach the target")
                && !text.contains("\ndefect")
                && !text.contains("measurement overhead")
        );
        assert_eq!(stripped(&shown(&run, COLOUR)), text);
    }
}
