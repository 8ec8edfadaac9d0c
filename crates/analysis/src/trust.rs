//! Assesses the quality of each case by a fixed rule, and counts the cases of a run by quality. The author decides
//! whether to publish the figures.

use crate::case::CaseAnalysis;
use crate::estimates::Estimates;
use crate::number::{grouped, percent};
use crate::run::RunAnalysis;
use pqlab_record::{ASSUMED, Protocol, ProtocolKind, SecondChance};

/// Rule by which pqlab assesses the quality of a case, in words for readers.
pub const RULE: &str = "the precision is reached if the half-width of the 95% interval is within the target, in core \
                        cycles if known, otherwise in time; a case is undisturbed if at least three processes each had \
                        at least three visits with the core to themselves, and its figures use only such visits; the \
                        spread between runs is measured by `pqlab calibrate` on this machine, or assumed";

/// Whether a case reached the requested precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// The interval is within the target.
    Reached,
    /// The interval is wider than the target.
    Missed,
    /// The user requested a number of samples instead of a target precision.
    NotAsked,
}

impl Precision {
    /// Returns the keyword used in files.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Reached => "reached",
            Precision::Missed => "missed",
            Precision::NotAsked => "not asked",
        }
    }
}

/// Quality of a case's figure, by the [rule](RULE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Whether the case reached the requested precision.
    pub precision: Precision,
    /// Whether disturbed visits are included, because too few were undisturbed.
    pub disturbed: bool,
    /// Whether the spread between runs in the intervals was measured on this machine. Otherwise it is assumed.
    pub spread_measured: bool,
}

impl Quality {
    /// Returns the quality of a case, or `None` if it has no figure.
    pub fn assess(case: &CaseAnalysis<'_>) -> Option<Quality> {
        let estimates = case.estimates.as_ref()?;
        let protocol = &case.header().protocol;
        let asked = protocol.asks_for_precision(case.case());
        let precision = match (asked, estimates.imprecise.is_empty()) {
            (false, _) => Precision::NotAsked,
            (true, true) => Precision::Reached,
            (true, false) => Precision::Missed,
        };
        let spread_measured = protocol.run_spreads.source != ASSUMED;
        Some(Quality { precision, disturbed: estimates.contended, spread_measured })
    }

    /// Returns the keyword used in files for the source of the spread between runs.
    pub fn spread_name(&self) -> &'static str {
        if self.spread_measured { "measured" } else { ASSUMED }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{} {what}", grouped(count as u64))
}

/// Formats a number of cases: `163 cases`, `1 case`.
fn cases_text(count: usize) -> String {
    counted(count, if count == 1 { "case" } else { "cases" })
}

/// Counts the cases of a run by quality: `Quality: 156 of 163 cases reached ±1.0% in core cycles; 7 imprecise; spread
/// between runs assumed`. Returns `None` if the run contains only overhead cases.
pub fn quality_sentence(analysis: &RunAnalysis<'_>) -> Option<String> {
    let cases: Vec<&CaseAnalysis<'_>> = analysis.cases().iter().filter(|case| !case.is_floor()).collect();
    let all: Vec<Quality> = cases.iter().filter_map(|case| Quality::assess(case)).collect();
    if cases.is_empty() {
        return None;
    }
    let count = |holds: &dyn Fn(&Quality) -> bool| all.iter().filter(|quality| holds(quality)).count();
    let with = |precision: Precision| count(&|quality| quality.precision == precision);
    let (reached, missed) = (with(Precision::Reached), with(Precision::Missed));
    let mut parts = Vec::new();
    if reached + missed > 0 {
        let targets: Vec<String> = targets(analysis).into_iter().map(percent).collect();
        let asked = reached + missed;
        parts.push(format!(
            "{} of {} reached ±{}{}",
            grouped(reached as u64),
            cases_text(asked),
            targets.join(" or ±"),
            judged_in(&cases)
        ));
    }
    let doubts = [
        (missed, "imprecise"),
        (with(Precision::NotAsked), "with a fixed number of samples"),
        (count(&|quality| quality.disturbed), "disturbed"),
        (cases.iter().filter(|case| case.case().facts.defect.is_some()).count(), "with a known defect"),
        (cases.iter().filter(|case| case.failed()).count(), "failed"),
        (cases.iter().filter(|case| !case.failed() && !case.record.verified).count(), "not verified"),
    ];
    let again = |outcome| cases.iter().filter(|case| case.record.second_chance == Some(outcome)).count();
    let (undisturbed, tried) =
        (again(SecondChance::Undisturbed), again(SecondChance::Undisturbed) + again(SecondChance::Disturbed));
    let again = || format!("{undisturbed} of {tried} disturbed cases were undisturbed when measured again");
    parts.extend((tried > 0).then(again));
    parts.extend(doubts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what)));
    if !all.is_empty() {
        parts.push(match count(&|quality| quality.spread_measured) {
            0 => "spread between runs assumed".to_owned(),
            some if some == all.len() => "spread between runs measured".to_owned(),
            some => format!("spread between runs measured for {}", cases_text(some)),
        });
    }
    if !analysis.run.complete {
        parts.push("the run was interrupted".to_owned());
    }
    Some(format!("Quality: {}.", parts.join("; ")))
}

/// Returns the requested precisions of all runs in percent, ascending and without duplicates.
fn targets(analysis: &RunAnalysis<'_>) -> Vec<f64> {
    let mut targets: Vec<f64> = analysis.parts.iter().map(|part| part.protocol.precision_pct).collect();
    targets.sort_by(f64::total_cmp);
    targets.dedup();
    targets
}

/// Describes the unit in which precision is judged, for the cases with a figure.
fn judged_in(cases: &[&CaseAnalysis<'_>]) -> &'static str {
    let figures = || cases.iter().filter_map(|case| case.estimates.as_ref());
    match figures().filter(|estimates| estimates.cycles.is_some()).count() {
        0 => " in time",
        some if some == figures().count() => " in core cycles",
        _ => " in core cycles (in time if unknown)",
    }
}

/// Describes the typical width of a run's intervals, the interference, and possible improvements: `Typical uncertainty
/// (95%): ±3.3% in time, ±0.3% in core cycles, with an assumed spread between runs. Interference: under 0.1% of the
/// time, excluded.` Returns `None` if no figure has a finite interval.
pub fn trust_sentence(analysis: &RunAnalysis<'_>) -> Option<String> {
    let cases: Vec<&CaseAnalysis<'_>> = analysis.cases().iter().filter(|case| !case.is_floor()).collect();
    let figures: Vec<&Estimates> = cases.iter().filter_map(|case| case.estimates.as_ref()).collect();
    let widths: Vec<f64> = figures.iter().map(|of| of.half_width_pct()).filter(|width| width.is_finite()).collect();
    let cycles: Vec<f64> = figures.iter().filter_map(|of| Some(of.cycles?.headline().half_width_pct())).collect();
    let time = format!("±{} in time", percent(pqlab_stats::median(&widths)?));
    let cycles = pqlab_stats::median(&cycles).map(|width| format!(", ±{} in core cycles", percent(width)));
    let assumed = cases.iter().filter_map(|case| Quality::assess(case)).any(|of| !of.spread_measured);
    let assumed = if assumed { ", with an assumed spread between runs (`pqlab calibrate` measures it)" } else { "" };
    let advice = advice(&figures, &analysis.run.header.protocol).map_or(String::new(), |advice| format!(" {advice}"));
    Some(format!(
        "Typical uncertainty (95%): {time}{}{assumed}. Interference: {}.{advice}",
        cycles.unwrap_or_default(),
        interference(&cases, &figures)
    ))
}

/// Describes the interference during a run: `Interference: under 0.1% of the time, excluded.` Returns `None` if no case
/// has a figure.
pub fn interference_sentence(analysis: &RunAnalysis<'_>) -> Option<String> {
    let cases: Vec<&CaseAnalysis<'_>> = analysis.cases().iter().filter(|case| !case.is_floor()).collect();
    let figures: Vec<&Estimates> = cases.iter().filter_map(|case| case.estimates.as_ref()).collect();
    (!figures.is_empty()).then(|| format!("Interference: {}.", interference(&cases, &figures)))
}

/// Describes the share of the measuring time during which another program used the core's other hardware thread, and
/// whether the disturbed samples are included.
fn interference(cases: &[&CaseAnalysis<'_>], figures: &[&Estimates]) -> String {
    let shared_pct = shared_pct(figures);
    let disturbed = figures.iter().filter(|estimates| estimates.contended).count();
    // `shared_pct` covers only the core's other hardware thread. Another program on the core itself shows in `left_out`.
    let seen = shared_pct > 0.0 || figures.iter().any(|estimates| estimates.left_out > 0);
    let amount = match shared_pct {
        0.0 if disturbed > 0 || seen => "disturbed measurements".to_owned(),
        0.0 => "none seen".to_owned(),
        pct if pct < 0.1 => "under 0.1% of the time".to_owned(),
        pct => format!("{} of the time", percent(pct)),
    };
    let treated = match (seen, disturbed, figures.len()) {
        (false, 0, _) => String::new(),
        (true, 0, _) => ", excluded".to_owned(),
        (_, some, all) if some == all => ", included in all cases".to_owned(),
        (_, some, all) => format!(", included in {some} of {}, excluded elsewhere", cases_text(all)),
    };
    let repeats: u64 = cases.iter().map(|case| case.disturbances.repeats).sum();
    let kept: usize = cases.iter().map(|case| case.disturbances.visits).sum();
    match repeats {
        0 => format!("{amount}{treated}"),
        some => format!(
            "{amount}{treated} (not counting {} of {} visits, which were disturbed and measured again)",
            grouped(some),
            grouped(some + kept as u64)
        ),
    }
}

fn shared_pct(figures: &[&Estimates]) -> f64 {
    figures.iter().map(|estimates| estimates.shared_pct).sum::<f64>() / figures.len().max(1) as f64
}

/// Describes the quality of a case and how to improve it.
pub fn case_sentence(case: &CaseAnalysis<'_>) -> String {
    let (Some(estimates), Some(quality)) = (&case.estimates, Quality::assess(case)) else {
        return "Quality: no figure, because the case failed.".to_owned();
    };
    let protocol = &case.header().protocol;
    let cycles =
        estimates.cycles.map(|cycles| format!(", ±{} in core cycles", percent(cycles.headline().half_width_pct())));
    let reasons: Vec<&str> = estimates.imprecise.iter().map(|reason| reason.words()).collect();
    let precision = match quality.precision {
        Precision::Reached => format!("reached the target of ±{}", percent(protocol.precision_pct)),
        Precision::Missed => {
            format!("missed the target of ±{} ({})", percent(protocol.precision_pct), reasons.join(", "))
        }
        Precision::NotAsked => "fixed number of samples".to_owned(),
    };
    let mut parts = vec![
        format!("±{} in time{}", percent(estimates.half_width_pct()), cycles.unwrap_or_default()),
        precision,
        match (quality.disturbed, estimates.left_out) {
            (true, _) => "disturbed",
            (false, 0) => "undisturbed",
            (false, _) => "disturbed samples left out",
        }
        .to_owned(),
        if case.record.verified { "every answer verified" } else { "answers not verified" }.to_owned(),
        format!("spread between runs {}", quality.spread_name()),
    ];
    parts.extend(case.case().facts.defect.iter().map(|defect| format!("known defect: {defect}")));
    let remedy = match quality {
        Quality { disturbed: true, .. } => " To improve it, measure again when the machine is quiet.",
        Quality { precision: Precision::Missed, .. } => " To improve it, measure again with --rigorous.",
        _ => "",
    };
    format!("Quality: {}.{remedy}", parts.join("; "))
}

/// Minimum percentage of disturbed measuring time for the advice to measure again when the machine is quiet.
const BUSY_PCT: f64 = 25.0;
/// Minimum fraction of disturbed cases for the same advice.
const BUSY_CASES: f64 = 0.1;

/// Minimum fraction of imprecise cases for the advice to use more processes.
const IMPRECISE_CASES: f64 = 0.25;

fn advice(figures: &[&Estimates], protocol: &Protocol) -> Option<String> {
    let share = |holds: &dyn Fn(&Estimates) -> bool| {
        figures.iter().filter(|estimates| holds(estimates)).count() as f64 / figures.len().max(1) as f64
    };
    if share(&|of| of.contended) >= BUSY_CASES || shared_pct(figures) >= BUSY_PCT {
        return Some("Measure again when the machine is quiet.".to_owned());
    }
    let widen = protocol.kind == ProtocolKind::Adaptive && share(&|of| !of.imprecise.is_empty()) >= IMPRECISE_CASES;
    widen.then(|| format!("Add --processes {} for narrower intervals.", protocol.processes.saturating_mul(3)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Disturbance, Run};

    fn share(run: &mut Run) {
        for visit in &mut run.records[0].samples.visits {
            visit.disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: false }];
        }
    }

    #[test]
    fn counts_the_cases_of_each_quality() {
        let mut run = fixtures::run();
        run.records.retain(|record| record.error.is_none());
        let of = |run: &Run| quality_sentence(&RunAnalysis::new(run)).unwrap();
        assert_eq!(
            of(&run),
            "Quality: 5 of 5 cases reached ±1.0% in core cycles (in time if unknown); spread between runs assumed."
        );
        share(&mut run);
        run.header.protocol.precision_pct = 0.1;
        run.header.protocol.run_spreads.source = "measured".into();
        run.complete = false;
        let wanted = "Quality: 0 of 5 cases reached ±0.1% in core cycles (in time if unknown); 5 imprecise; 1 \
                      disturbed; spread between runs measured; the run was interrupted.";
        assert_eq!(of(&run), wanted);
        assert!(of(&fixtures::run()).contains("; 1 failed; "), "{}", of(&fixtures::run()));
        run.records[0].second_chance = Some(SecondChance::Disturbed);
        run.records[1].second_chance = Some(SecondChance::Undisturbed);
        let wanted = "; 1 of 2 disturbed cases were undisturbed when measured again; 5 imprecise; 1 disturbed; ";
        assert!(of(&run).contains(wanted), "{}", of(&run));
        run.records.clear();
        assert_eq!(quality_sentence(&RunAnalysis::new(&run)), None);
    }

    #[test]
    fn a_fixed_number_of_samples_has_no_target_precision() {
        let mut run = fixtures::run();
        run.records.retain(|record| record.error.is_none());
        run.header.protocol.kind = ProtocolKind::Fixed;
        run.header.protocol.iterations = Some(1000);
        let text = quality_sentence(&RunAnalysis::new(&run)).unwrap();
        assert_eq!(text, "Quality: 5 with a fixed number of samples; spread between runs assumed.");
    }

    #[test]
    fn describes_the_quality_of_a_case_and_how_to_improve_it() {
        let mut run = fixtures::run();
        let of = |run: &Run| case_sentence(&CaseAnalysis::new(&run.header, &run.records[0]));
        let text = of(&run);
        assert!(text.starts_with("Quality: ±3.2% in time, ±"), "{text}");
        assert!(text.ends_with("; undisturbed; every answer verified; spread between runs assumed."), "{text}");
        run.header.protocol.precision_pct = 0.1;
        let text = of(&run);
        assert!(text.contains("; missed the target of ±0.1% (") && text.ends_with("with --rigorous."), "{text}");
        share(&mut run);
        run.records[0].case.facts.defect = Some("skips a check".into());
        let text = of(&run);
        assert!(text.contains("; disturbed; ") && text.contains("; known defect: skips a check. To"), "{text}");
        run.records[0] = fixtures::failed("wrong secret");
        assert!(of(&run).starts_with("Quality: no figure"));
    }

    #[test]
    fn describes_interval_widths_and_disturbances() {
        let mut run = fixtures::run();
        let of = |run: &Run| trust_sentence(&RunAnalysis::new(run));
        let wanted = "Typical uncertainty (95%): ±3.2% in time, ±0.9% in core cycles, with an assumed spread between \
                      runs (`pqlab calibrate` measures it). Interference: none seen.";
        assert_eq!(of(&run).unwrap(), wanted);
        run.records[0].samples.visits[0].disturbances = vec![Disturbance::Steal { pct: 30.0 }];
        assert!(of(&run).unwrap().contains("Interference: disturbed measurements, excluded."), "{:?}", of(&run));
        run.records[0].samples.visits[0].disturbances.clear();
        run.header.protocol.precision_pct = 0.1;
        assert!(of(&run).unwrap().ends_with(" Add --processes 24 for narrower intervals."));
        share(&mut run);
        run.records[1].samples.visits[0].repeats = 2;
        let text = of(&run).unwrap();
        assert!(
            text.contains(" 20.0% of the time, included in 1 of 5 cases, excluded elsewhere (not counting 2 of "),
            "{text}"
        );
        assert!(text.ends_with(" Measure again when the machine is quiet."), "{text}");
        run.records.clear();
        assert_eq!(of(&run), None);
    }
}
