//! Compares pairs of cases: the same cases in two runs, or arbitrary pairs.

use super::RunAnalysis;
use crate::case::CaseAnalysis;
use crate::comparison::{
    COMPARES_MEANS, ComparedCase, Comparison, ComparisonCriteria, Judged, differences, machine, machines_differ, ratio,
};
use crate::measured::common_statistic;
use crate::series::SeriesComparison;
use pqlab_record::{Case, Statistic, Unit};
use pqlab_stats::{Judgement, Ratio, Verdict, judge};
use std::collections::BTreeMap;

/// Compares two runs case by case. The measurement overhead is left out.
pub fn compare_runs(first: &RunAnalysis<'_>, second: &RunAnalysis<'_>, criteria: &ComparisonCriteria) -> Comparison {
    let (ours, theirs) = (by_id(first), by_id(second));
    let in_order = first.cases().iter().filter(|case| !case.is_floor());
    let pairs = in_order.filter_map(|case| Some((case, *theirs.get(&case.case().id())?)));
    let mut comparison = compared_pairs(first, second, &pairs.collect::<Vec<_>>(), criteria, true);
    comparison.only_first = only(&ours, &theirs);
    comparison.only_second = only(&theirs, &ours);
    comparison.other_encodings = other_encodings(first, second, &comparison);
    comparison
}

/// Cases by their ids.
type ById<'r, 'a> = BTreeMap<String, &'r CaseAnalysis<'a>>;

fn by_id<'r, 'a>(run: &'r RunAnalysis<'a>) -> ById<'r, 'a> {
    let cases = run.cases().iter().filter(|case| !case.is_floor());
    cases.map(|case| (case.case().id(), case)).collect()
}

/// Returns the sorted ids of the cases in `these` that `other` lacks.
fn only(these: &ById<'_, '_>, other: &ById<'_, '_>) -> Vec<String> {
    these.keys().filter(|id| !other.contains_key(*id)).cloned().collect()
}

/// Describes cases that both runs contain, but with differently encoded private keys.
fn other_encodings(first: &RunAnalysis<'_>, second: &RunAnalysis<'_>, comparison: &Comparison) -> Vec<String> {
    let alone = |run: &RunAnalysis<'_>, ids: &[String]| -> Vec<Case> {
        let cases = run.cases().iter().map(CaseAnalysis::case);
        cases.filter(|case| ids.contains(&case.id())).cloned().collect()
    };
    let others = alone(second, &comparison.only_second);
    let keys = |case: &Case| case.key().map(|key| format!("key={key}"));
    let lines = alone(first, &comparison.only_first).into_iter().filter_map(|case| {
        let same = others.iter().filter(|other| other.id_without_key() == case.id_without_key());
        let there: Vec<String> = same.filter_map(keys).collect();
        let here = keys(&case).filter(|_| !there.is_empty())?;
        Some(format!("{}: {here} in the first run, {} in the second", case.id_without_key(), there.join(" and ")))
    });
    lines.collect()
}

/// Compares pairs of cases. The first case of each pair is from the `first` run, the second case from the `second` run.
/// If both runs are the same, judges each pair alone, without correction for the number of pairs.
pub fn compare(
    first: &RunAnalysis<'_>,
    second: &RunAnalysis<'_>,
    pairs: &[(&CaseAnalysis<'_>, &CaseAnalysis<'_>)],
    criteria: &ComparisonCriteria,
) -> Comparison {
    let corrected = first.run.header.id != second.run.header.id;
    compared_pairs(first, second, pairs, criteria, corrected)
}

fn compared_pairs(
    first: &RunAnalysis<'_>,
    second: &RunAnalysis<'_>,
    pairs: &[(&CaseAnalysis<'_>, &CaseAnalysis<'_>)],
    given: &ComparisonCriteria,
    corrected: bool,
) -> Comparison {
    let (first, second) = (&first.run.header, &second.run.header);
    let criteria = given.between(&first.protocol.run_spreads, &second.protocol.run_spreads);
    let compare = |(one, two): &(&CaseAnalysis<'_>, &CaseAnalysis<'_>)| {
        let [first, second] =
            [(first, one), (second, two)].map(|(header, case)| header.protocol.run_spreads.of_case(&case.case().id()));
        compared(one, two, &given.between(&first, &second))
    };
    let mut cases: Vec<ComparedCase> = pairs.iter().map(compare).collect();
    let ratios: Vec<Option<Ratio>> = cases.iter().map(|case| case.ratio.filter(|_| !case.unlike)).collect();
    let judgements = match corrected {
        true => judge(&ratios, criteria.margin_pct),
        false => ratios.iter().flat_map(|ratio| judge(&[*ratio], criteria.margin_pct)).collect(),
    };
    for (case, judgement) in cases.iter_mut().zip(judgements) {
        case.judgement = judgement;
        if case.doubtful && matches!(judgement.verdict, Verdict::Faster | Verdict::Slower) {
            case.judgement.verdict = Verdict::Inconclusive;
            case.notes.push(format!("without disturbances, the verdict would be {}", judgement.verdict.name()));
        }
    }
    let (one, two) = (&first.environment, &second.environment);
    Comparison {
        first_run: first.id.clone(),
        second_run: second.id.clone(),
        machines: machines_differ(one, two).then(|| [one, two].map(machine)),
        differences: differences(first, second),
        criteria,
        cases,
        corrected,
        only_first: Vec::new(),
        only_second: Vec::new(),
        other_encodings: Vec::new(),
    }
}

fn compared(first: &CaseAnalysis<'_>, second: &CaseAnalysis<'_>, criteria: &ComparisonCriteria) -> ComparedCase {
    let sides = [first, second].map(|case| case.measured().into_iter().collect::<Vec<_>>());
    let statistic = common_statistic(&[&sides[0], &sides[1]]);
    let time = |case: &CaseAnalysis<'_>| Some(case.estimates.as_ref()?.time(statistic).estimate);
    let cycles = |case: &CaseAnalysis<'_>| Some(case.estimates.as_ref()?.cycles?.by(statistic).estimate);
    let mut case = ComparedCase {
        first: first.case().id(),
        second: second.case().id(),
        statistic,
        first_ns: time(first),
        second_ns: time(second),
        first_cycles: cycles(first),
        second_cycles: cycles(second),
        paired: false,
        unit: if criteria.judged == Judged::Cycles { Unit::CoreCycles } else { Unit::Nanoseconds },
        ratio: None,
        time_ratio: None,
        means: SeriesComparison::of_cases(first, second),
        judgement: Judgement { verdict: Verdict::Inconclusive, adjusted_p: None },
        doubtful: false,
        broken: first.record.error.is_none() && second.record.error.is_some(),
        unlike: !first.case().comparable(second.case()),
        notes: Vec::new(),
    };
    if case.unlike {
        let kind_words = |case: &CaseAnalysis<'_>| Some(case.case().kind().to_string()).filter(|kind| !kind.is_empty());
        let [one, two] = [first, second].map(|case| kind_words(case).unwrap_or_else(|| "the usual kind".into()));
        case.notes.push(format!("no verdict, because the cases do different kinds of work: {one} and {two}"));
    }
    if let (Some(one), Some(two)) = (first.measured(), second.measured()) {
        let found = ratio(&[one], &[two], criteria);
        case.time_ratio = match found.unit {
            Unit::Nanoseconds => found.ratio,
            Unit::CoreCycles => ratio(&[one], &[two], &criteria.clone().judged_in(Judged::Time)).ratio,
        };
        (case.paired, case.unit, case.ratio) = (found.paired, found.unit, found.ratio);
        case.doubtful = found.doubtful;
        case.notes.extend(found.notes);
    }
    for (which, side) in [("first", first), ("second", second)] {
        match (&side.record.error, &side.estimates) {
            (Some(error), _) => case.notes.push(format!("the {which} case failed: {error}")),
            (None, None) => case.notes.push(format!("the {which} case has no samples")),
            (None, Some(estimates)) => {
                if estimates.contended {
                    case.notes.push(format!("the {which} case was disturbed"));
                }
                if estimates.drift.is_some_and(|drift| drift.drifting) {
                    case.notes.push(format!("the {which} case drifted while it was measured"));
                }
            }
        }
    }
    if statistic == Statistic::Mean {
        case.notes.push(COMPARES_MEANS.to_owned());
    }
    if let (Some(one), Some(two)) = (&first.estimates, &second.estimates)
        && one.batch != two.batch
    {
        case.notes.push(format!("operations per sample: {} in the first case, {} in the second", one.batch, two.batch));
    }
    case
}

#[cfg(test)]
mod tests;
