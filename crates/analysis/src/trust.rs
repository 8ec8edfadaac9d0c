//! How well a run can be believed.

use crate::case::CaseAnalysis;
use crate::estimates::{Estimates, Imprecision};
use crate::number::{grouped, percent};
use crate::run::RunAnalysis;
use pqlab_record::{Protocol, ProtocolKind};

/// From this share of shared measuring time on, in percent, and from this share of cases whose figures count all visits, the
/// machine was too busy.
const BUSY_PCT: f64 = 25.0;
const BUSY_CASES: f64 = 0.1;

/// From this share of imprecise cases on, more processes are worth their time.
const IMPRECISE_CASES: f64 = 0.25;

/// One sentence on a run: how well its figures can be believed between runs, how much of it was shared, and what to do about
/// it. `None` for a run without figures.
pub fn trust_sentence(analysis: &RunAnalysis<'_>) -> Option<String> {
    let cases = analysis.cases().iter().filter(|case| !case.is_floor());
    let cases: Vec<&Estimates> = cases.filter_map(|case| case.estimates.as_ref()).collect();
    let widths: Vec<f64> = cases.iter().map(|case| case.half_width_pct()).filter(|width| width.is_finite()).collect();
    let cycles: Vec<f64> = cases.iter().filter_map(|case| Some(case.cycles?.median.half_width_pct())).collect();
    let time = format!("±{} in time", percent(pqlab_stats::median(&widths)?));
    let cycles = pqlab_stats::median(&cycles).map(|width| format!(" and ±{} in cycles", percent(width)));
    let shared_pct = cases.iter().map(|case| case.shared_pct).sum::<f64>() / cases.len() as f64;
    let contended = cases.iter().filter(|case| case.contended).count();
    let shared = match (shared_pct > 0.0, contended) {
        (false, 0) => "nobody else was seen on its cores".to_owned(),
        (_, 0) => format!("{} of it was shared and is left out", percent(shared_pct)),
        (_, some) => format!(
            "{} of it was shared and the figures of {} of {} cases count all visits",
            percent(shared_pct),
            grouped(some as u64),
            grouped(cases.len() as u64)
        ),
    };
    let figures = format!("{time}{}", cycles.unwrap_or_default());
    Some(format!(
        "Half of the medians lie within {figures} of what the cases take in the long run; {shared}: {}.",
        advice(&cases, &analysis.run.header.protocol)
    ))
}

/// Whether the figures of a run may be published, and why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publishable {
    /// Whether they may.
    pub so: bool,
    /// In a few words: `publishable: nothing was shared, 3 of 121 cases are less precise than was wanted`.
    pub text: String,
}

/// Whether the figures of a run may be published: it is whole, nothing failed, the machine was its own, and its intervals are mostly as
/// narrow as was wanted.
pub fn publishable(analysis: &RunAnalysis<'_>) -> Publishable {
    let cases: Vec<_> = analysis.cases().iter().filter(|case| !case.is_floor()).collect();
    let all = cases.len();
    let of = |holds: &dyn Fn(&Estimates) -> bool| {
        cases.iter().filter(|case| case.estimates.as_ref().is_some_and(holds)).count()
    };
    let failed = cases.iter().filter(|case| case.failed()).count();
    let (shared, imprecise) = (of(&|of| of.contended), of(&|of| !of.imprecise.is_empty()));
    let part = |count: usize, what: &str| format!("{} of {} cases {what}", grouped(count as u64), grouped(all as u64));
    let share = |count: usize| count as f64 / all.max(1) as f64;
    let mut against = Vec::new();
    if !analysis.run.complete {
        against.push("the run was stopped".to_owned());
    }
    if all == 0 {
        against.push("nothing was measured".to_owned());
    }
    if failed > 0 {
        against.push(part(failed, "failed"));
    }
    if share(shared) >= BUSY_CASES {
        against.push(format!("{:.0}% of cases shared their core", 100.0 * share(shared)));
    }
    if share(imprecise) >= IMPRECISE_CASES {
        against.push(format!("{:.0}% of cases are less precise than was wanted", 100.0 * share(imprecise)));
    }
    let so = against.is_empty();
    let text = match (so, shared + imprecise) {
        (false, _) => format!("not publishable: {}", against.join(", ")),
        (true, 0) => "publishable: every case had its core to itself and is as precise as was wanted".to_owned(),
        (true, _) => {
            let doubts = [(shared, "shared their core"), (imprecise, "are less precise than was wanted")];
            let doubts = doubts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| part(*count, what));
            format!("publishable, with their marks: {}", doubts.collect::<Vec<_>>().join(", "))
        }
    };
    Publishable { so, text }
}

/// Whether the figure of a case is good enough to publish, why not, and what can be done about it, in a sentence.
pub fn case_sentence(of: &CaseAnalysis<'_>) -> String {
    let Some(estimates) = &of.estimates else {
        return "No figure: it failed, and the reason is the answer.".to_owned();
    };
    let protocol = &of.header().protocol;
    let mut against = Vec::new();
    if !of.record.verified {
        against.push("its answers were not verified".to_owned());
    }
    if let Some(defect) = &of.case().facts.defect {
        against.push(format!("a known defect concerns it ({defect})"));
    }
    if estimates.contended {
        against.push("too few visits had the core to themselves".to_owned());
    }
    against.extend(estimates.imprecise.iter().map(|reason| format!("imprecise, {}", reason.words())));
    let known = format!(
        "known to ±{} ({}), {} of the measuring time shared and left out",
        percent(estimates.half_width_pct()),
        match protocol.kind {
            ProtocolKind::Adaptive => format!("±{} was wanted of its own run", percent(protocol.precision_pct)),
            _ => "by a fixed number of samples".to_owned(),
        },
        percent(estimates.shared_pct)
    );
    if against.is_empty() {
        return format!("Good enough to publish: {known}, every answer verified.");
    }
    let remedy = if of.case().facts.defect.is_some() {
        "another library has no such defect, or its next version".to_owned()
    } else if estimates.contended {
        "measure again when the machine is quiet".to_owned()
    } else {
        "measure again with --rigorous".to_owned()
    };
    format!("Not good enough to publish: {}; {known}. To mend it: {remedy}.", against.join(", "))
}

fn advice(cases: &[&Estimates], protocol: &Protocol) -> String {
    let all = cases.len() as f64;
    let share = |holds: &dyn Fn(&Estimates) -> bool| cases.iter().filter(|case| holds(case)).count() as f64 / all;
    let shared_pct = cases.iter().map(|case| case.shared_pct).sum::<f64>() / all;
    let fixed = |case: &Estimates| case.imprecise.iter().any(|reason| *reason != Imprecision::Drifting);
    if share(&|case| case.contended) >= BUSY_CASES || shared_pct >= BUSY_PCT {
        "measure again when the machine is quiet".to_owned()
    } else if share(&|case| !case.imprecise.is_empty()) < IMPRECISE_CASES {
        "nothing to do".to_owned()
    } else if share(&fixed) >= IMPRECISE_CASES {
        format!("add --processes {} for narrower intervals", protocol.processes.saturating_mul(3))
    } else {
        "measure again: many cases drifted while they were measured".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{Disturbance, Run};

    fn of(run: &Run) -> Option<String> {
        trust_sentence(&RunAnalysis::of(run))
    }

    #[test]
    fn what_stands_against_publishing_is_named() {
        let mut run = fixtures::run();
        run.records.retain(|record| record.error.is_none());
        let of = |run: &Run| publishable(&RunAnalysis::of(run));
        assert!(of(&run).so, "{}", of(&run).text);
        for visit in &mut run.records[0].samples.visits {
            visit.disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: false }];
        }
        assert_eq!(of(&run).text, "not publishable: 20% of cases shared their core");
        run.complete = false;
        run.header.protocol.precision_pct = 0.1;
        let text = of(&run).text;
        assert!(
            text.starts_with("not publishable: the run was stopped, 20% of cases shared")
                && text.contains("less precise"),
            "{text}"
        );
        assert!(
            of(&fixtures::run()).text.starts_with("not publishable: 1 of 6 cases failed"),
            "{}",
            of(&fixtures::run()).text
        );
        run.records.clear();
        assert!(!of(&run).so);
    }

    #[test]
    fn whether_a_figure_is_good_enough_is_said_with_what_to_do() {
        let mut run = fixtures::run();
        let of = |run: &Run| case_sentence(&CaseAnalysis::of(&run.header, &run.records[0]));
        let text = of(&run);
        assert!(text.starts_with("Good enough to publish: known to ±3.2% ("), "{text}");
        run.header.protocol.precision_pct = 0.1;
        let text = of(&run);
        assert!(
            text.starts_with("Not good enough to publish: imprecise, ") && text.ends_with("with --rigorous."),
            "{text}"
        );
        run.records[0].case.facts.defect = Some("skips a check".into());
        assert!(of(&run).contains("a known defect concerns it (skips a check)"), "{}", of(&run));
        run.records[0] = fixtures::failed("wrong secret");
        assert!(of(&run).starts_with("No figure"));
    }

    #[test]
    fn a_run_is_summed_up_in_one_sentence() {
        let mut run = fixtures::run();
        let wanted = "Half of the medians lie within ±3.2% in time and ±0.9% in cycles of what the cases take in the long run; nobody else was \
                      seen on its cores: nothing to do.";
        assert_eq!(of(&run).unwrap(), wanted);
        run.header.protocol.precision_pct = 0.1;
        assert!(of(&run).unwrap().ends_with(": add --processes 24 for narrower intervals."));
        for visit in &mut run.records[0].samples.visits {
            visit.disturbances = vec![Disturbance::SharedCore { pct: 40.0, kept: false }];
        }
        let text = of(&run).unwrap();
        assert!(text.contains("; 20.0% of it was shared and the figures of 1 of 5 cases count all visits: "), "{text}");
        assert!(text.ends_with(": measure again when the machine is quiet."), "{text}");
        run.records.clear();
        assert_eq!(of(&run), None);
    }
}
