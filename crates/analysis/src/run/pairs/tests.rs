use super::*;
use crate::comparison::{Measured, Outcome, regressions};
use crate::fixtures;
use crate::measured::common_moments;
use pqlab_record::{Moment, Record, Run, Visit, Visits};
use pqlab_stats::{CONFIDENCE, RunSpread, ratio_between};
use std::collections::BTreeSet;

/// Returns the fixture's run with the samples of matching providers multiplied by `factor`.
fn slowed(factor: f64, matching: &str) -> Run {
    let mut run = fixtures::run();
    run.header.id = "second".into();
    for record in run.records.iter_mut().filter(|record| record.case.provider.contains(matching)) {
        for visit in &mut record.samples.visits {
            visit.ticks.iter_mut().for_each(|ticks| *ticks = (*ticks as f64 * factor).round() as u64);
        }
    }
    run
}

/// Compares two runs.
fn compared_runs(first: &Run, second: &Run, criteria: &ComparisonCriteria) -> Comparison {
    compare_runs(&RunAnalysis::new(first), &RunAnalysis::new(second), criteria)
}

/// Compares pairs of cases from one run, given by their indices.
fn compared_cases(run: &Run, pairs: &[[usize; 2]]) -> Comparison {
    let analysis = RunAnalysis::new(run);
    let pairs: Vec<_> =
        pairs.iter().map(|places| (&analysis.cases()[places[0]], &analysis.cases()[places[1]])).collect();
    compare(&analysis, &analysis, &pairs, &ComparisonCriteria::default())
}

fn place(run: &Run, provider: &str) -> usize {
    run.records.iter().position(|record| record.case.provider == provider).unwrap()
}

fn verdict_of<'a>(comparison: &'a Comparison, id: &str) -> &'a ComparedCase {
    comparison.cases.iter().find(|case| case.first == id).unwrap()
}

#[test]
fn a_slower_case_is_found_among_equivalent_ones() {
    let comparison = compared_runs(&fixtures::run(), &slowed(1.05, "liboqs"), &ComparisonCriteria::default());
    let slow = verdict_of(&comparison, "kem/ML-KEM-768/encapsulate@liboqs");
    assert_eq!((slow.judgement.verdict, slow.paired), (Verdict::Slower, false));
    assert!((slow.ratio.unwrap().ratio.estimate - 1.05).abs() < 1e-3);
    let same = verdict_of(&comparison, "kem/ML-KEM-768/encapsulate@aws-lc");
    assert_eq!(same.judgement.verdict, Verdict::Equivalent);
    assert!(comparison.worse());
    let back = compared_runs(&slowed(1.05, "liboqs"), &fixtures::run(), &ComparisonCriteria::default());
    assert_eq!(verdict_of(&back, "kem/ML-KEM-768/encapsulate@liboqs").judgement.verdict, Verdict::Faster);
    assert!(!back.worse());
}

#[test]
fn cases_of_one_block_are_compared_process_by_process() {
    let run = fixtures::run();
    let places = ["liboqs", "aws-lc"].map(|provider| place(&run, provider));
    let comparison = compared_cases(&run, &[places]);
    let case = &comparison.cases[0];
    assert!(case.paired && case.judgement.verdict == Verdict::Slower);
    assert!((case.ratio.unwrap().ratio.estimate - 12.9 / 10.4).abs() < 0.01);
    assert_eq!(comparison.differences, []);
    // The fixture's processes affect both cases by the same percentage, which cancels out in paired comparisons.
    let analysis = RunAnalysis::new(&run);
    let figure = |place: usize| analysis.cases()[place].measured().unwrap().figure(Unit::CoreCycles).unwrap().crossed;
    let apart = ratio_between(&figure(places[0]), &figure(places[1]), RunSpread::NONE, 0.0, CONFIDENCE);
    assert!(case.ratio.unwrap().standard_error < apart.unwrap().standard_error);
}

/// Returns the moments that the first two cases have in common.
fn common(run: &Run, visits: Visits) -> BTreeSet<Moment> {
    let analysis = RunAnalysis::new(run);
    let cases: Vec<&Measured<'_>> = analysis.cases()[..2].iter().filter_map(CaseAnalysis::measured).collect();
    common_moments(&cases, visits).map(|(moments, _)| moments).unwrap_or_default()
}

#[test]
fn only_rounds_that_both_cases_share_are_paired() {
    let mut run = fixtures::run();
    for visit in run.records[0].samples.visits.iter_mut().filter(|visit| visit.round == 1) {
        visit.ticks.iter_mut().for_each(|ticks| *ticks *= 3);
        visit.round = 7;
    }
    let moments = common(&run, Visits::Usable);
    assert!(moments.len() == 8 && moments.iter().all(|moment| moment.round == 0), "{moments:?}");
}

#[test]
fn cases_of_different_starts_of_a_run_are_not_paired() {
    let mut run = fixtures::run();
    run.records[1].samples.visits.iter_mut().for_each(|visit| visit.start = 1);
    assert!(common(&run, Visits::All).is_empty());
    let comparison = compared_cases(&run, &[[0, 1]]);
    let case = &comparison.cases[0];
    assert!(!case.paired && case.ratio.is_some(), "{case:?}");
    assert_eq!(case.notes, ["measured separately: the run was interrupted and resumed between the cases"]);
}

#[test]
fn pairs_all_visits_if_different_processes_were_disturbed() {
    let mut run = fixtures::run();
    for (record, disturbed) in run.records[..2].iter_mut().zip([[0, 1, 2, 3], [4, 5, 6, 7]]) {
        for visit in record.samples.visits.iter_mut().filter(|visit| disturbed.contains(&visit.process)) {
            visit.disturbances = vec![pqlab_record::Disturbance::SharedCore { pct: 30.0, kept: false }];
        }
    }
    assert!(!run.records[..2].iter().any(|record| record.samples.contended()));
    assert!(common(&run, Visits::Usable).is_empty());
    let case = &compared_cases(&run, &[[0, 1]]).cases[0];
    assert!((case.ratio.as_ref().unwrap().ratio.estimate - 12.9 / 10.4).abs() < 0.05, "{:?}", case.ratio);
    assert_eq!(case.notes, ["disturbed visits are included, because the cases share too few undisturbed rounds"]);
    assert_eq!(compared_cases(&fixtures::run(), &[[0, 1]]).cases[0].notes, [""; 0]);
}

#[test]
fn a_ratio_does_not_contradict_its_medians() {
    let mut run = fixtures::run();
    // The first case has many more rounds than the second. In the two rounds that they share, the
    // first case took four times as long.
    let first = &mut run.records[0];
    let warm = first.samples.visits.clone();
    first.samples.visits.iter_mut().for_each(|visit| visit.ticks.iter_mut().for_each(|ticks| *ticks *= 4));
    for round in 2..20_u32 {
        first.samples.visits.extend(warm.iter().take(8).map(|visit| Visit { round, ..visit.clone() }));
    }
    let case = &compared_cases(&run, &[[0, 1]]).cases[0];
    let (beside, ratio) = (case.second_ns.unwrap() / case.first_ns.unwrap(), case.ratio.unwrap().ratio);
    assert!((beside - 12.9 / 10.4).abs() < 0.02, "{case:?}");
    assert!(ratio.low <= beside && beside <= ratio.high, "{case:?}");
    let note = "the cases share too few comparable rounds, so the comparison uses all rounds of each case";
    assert!(!case.paired && case.notes.iter().any(|words| words == note), "{:?}", case.notes);
}

/// Returns the run with all visits of a provider's cases disturbed.
fn contended(mut run: Run, provider: &str) -> Run {
    for record in run.records.iter_mut().filter(|record| record.case.provider == provider) {
        let steal = || vec![pqlab_record::Disturbance::Steal { pct: 30.0 }];
        record.samples.visits.iter_mut().for_each(|visit| visit.disturbances = steal());
    }
    run
}

#[test]
fn disturbed_cases_are_neither_faster_nor_slower_than_cases_measured_apart() {
    let id = "kem/ML-KEM-768/encapsulate@liboqs";
    for (first, second) in [
        (fixtures::run(), contended(slowed(1.05, "liboqs"), "liboqs")),
        (contended(fixtures::run(), "liboqs"), slowed(1.05, "liboqs")),
        (contended(slowed(1.05, "liboqs"), "liboqs"), fixtures::run()),
    ] {
        let comparison = compared_runs(&first, &second, &ComparisonCriteria::default());
        let case = verdict_of(&comparison, id);
        assert_eq!((case.judgement.verdict, case.doubtful), (Verdict::Inconclusive, true), "{case:?}");
        assert!(
            case.notes.iter().any(|note| note.starts_with("without disturbances, the verdict would be")),
            "{case:?}"
        );
        assert!(!comparison.worse() && comparison.inconclusive());
    }
    // A small enough difference is equivalent even if a case was disturbed.
    let same =
        compared_runs(&fixtures::run(), &contended(slowed(1.0, "nothing"), "liboqs"), &ComparisonCriteria::default());
    assert_eq!(verdict_of(&same, id).judgement.verdict, Verdict::Equivalent);
    // A disturbance slows both cases alike, because the same processes measure them in the same
    // rounds.
    let run = contended(fixtures::run(), "liboqs");
    let paired = compared_cases(&run, &[["liboqs", "aws-lc"].map(|provider| place(&run, provider))]);
    assert_eq!((paired.cases[0].judgement.verdict, paired.cases[0].doubtful), (Verdict::Slower, false));
}

#[test]
fn comparisons_of_runs_omit_the_measurement_overhead() {
    let run = fixtures::run();
    let comparison = compared_runs(&run, &run, &ComparisonCriteria::default());
    assert_eq!(comparison.cases.len(), run.records.len() - 1);
    assert!(comparison.only_first.is_empty() && !comparison.cases.iter().any(|case| case.first.starts_with("floor")));
}

#[test]
fn a_case_that_fails_now_is_worse() {
    let (first, mut second) = (fixtures::run(), slowed(1.0, "nothing"));
    let broken = &mut second.records[0];
    *broken = Record::failed(broken.case.clone(), "wrong secret".into(), "2026-11-21T18:59:00Z".into());
    let comparison = compared_runs(&first, &second, &ComparisonCriteria::default());
    let case = &comparison.cases[0];
    assert!(case.broken && comparison.worse());
    assert_eq!((case.judgement.verdict, case.ratio), (Verdict::Inconclusive, None));
    assert_eq!(case.notes, ["the second case failed: wrong secret"]);
}

#[test]
fn every_difference_between_runs_is_named() {
    let (first, mut second) = (fixtures::run(), fixtures::run());
    second.records.remove(1);
    let environment = &mut second.header.environment;
    environment.os.kernel = "other".into();
    environment.providers[0].version = "0.0.1".into();
    let gone = environment.providers.pop().unwrap().id;
    second.header.protocol.processes = 4;
    let comparison = compared_runs(&first, &second, &ComparisonCriteria::default());
    let names: Vec<&str> = comparison.differences.iter().map(|difference| difference.what.as_str()).collect();
    let provider = format!("provider {}", first.header.environment.providers[0].id);
    for wanted in ["kernel", "processes", provider.as_str(), format!("provider {gone}").as_str()] {
        assert!(names.contains(&wanted), "{names:?} lacks {wanted}");
    }
    assert_eq!(comparison.machines, None);
    assert_eq!(comparison.only_first.len(), 1);
}

#[test]
fn json_agrees_with_the_comparison() {
    let comparison = compared_runs(&fixtures::run(), &slowed(1.05, "liboqs"), &ComparisonCriteria::default());
    let json = comparison.to_json();
    let case = json["cases"].as_array().unwrap().iter().find(|case| case["verdict"] == "slower").unwrap();
    assert_eq!(case["first"], "kem/ML-KEM-768/encapsulate@liboqs");
    assert!(case["ratio_ci"][0].as_f64().unwrap() > 1.0 && case["adjusted_p_value"].as_f64().unwrap() < 0.01);
    assert!(json["different_machines"].is_null());
}

/// Returns the run with a core clock that is faster by `factor`, which shortens times but does not change cycles.
fn overclocked(factor: f64) -> Run {
    let mut run = slowed(1.0 / factor, "");
    let visits = run.records.iter_mut().flat_map(|record| &mut record.samples.visits);
    visits.for_each(|visit| visit.clock_hz *= factor);
    run
}

#[test]
fn the_cores_clock_does_not_affect_cycles() {
    let id = "kem/ML-KEM-768/encapsulate@liboqs";
    let judged = |judged| {
        let criteria = ComparisonCriteria { judged, ..ComparisonCriteria::default() };
        compared_runs(&fixtures::run(), &overclocked(1.1), &criteria)
    };
    let comparison = judged(Judged::Auto);
    let case = verdict_of(&comparison, id);
    assert_eq!((case.unit, case.judgement.verdict), (Unit::CoreCycles, Verdict::Equivalent), "{case:?}");
    assert!((case.ratio.unwrap().ratio.estimate - 1.0).abs() < 1e-3, "{case:?}");
    assert!((case.time_ratio.unwrap().ratio.estimate - 1.0 / 1.1).abs() < 1e-3, "{case:?}");
    let json = comparison.to_json();
    assert_eq!((&json["metric"], &json["cases"][0]["metric"]), (&"auto".into(), &"cycles".into()));
    assert!(json["cases"][0]["time_ratio_ci"][1].as_f64().unwrap() < 1.0);
    let comparison = judged(Judged::Time);
    let case = verdict_of(&comparison, id);
    assert_eq!((case.unit, case.judgement.verdict), (Unit::Nanoseconds, Verdict::Faster), "{case:?}");
    assert_eq!(case.ratio, case.time_ratio);
    // A case that waits for a disk has no cycles.
    let waits = "signature/ML-DSA-65/verify[encoded,len=1024,deterministic,regime=disk]@libcrux:avx2";
    let case_judged = |kind| verdict_of(&judged(kind), waits).clone();
    assert_eq!(case_judged(Judged::Auto).unit, Unit::Nanoseconds);
    assert!(case_judged(Judged::Auto).ratio.is_some());
    let without = case_judged(Judged::Cycles);
    assert_eq!((without.ratio, without.judgement.verdict), (None, Verdict::Inconclusive));
    assert!(without.notes.contains(&"core cycles are unknown for at least one side".to_owned()), "{without:?}");
}

#[test]
fn runs_with_a_larger_spread_get_wider_intervals() {
    let width = |pct: f64, measured_pct: Option<f64>| {
        let (first, mut second) = (fixtures::run(), slowed(1.0, "nothing"));
        second.header.protocol.run_spreads.cycles_pct = pct;
        let runs_cycles = measured_pct.map(|pct| RunSpread { pct, degrees_of_freedom: 20 });
        let comparison =
            compared_runs(&first, &second, &ComparisonCriteria { runs_cycles, ..ComparisonCriteria::default() });
        let ratio = comparison.cases[0].ratio.unwrap().ratio;
        ratio.high / ratio.low
    };
    assert!(width(3.0, None) > width(0.15, None), "the larger of the two spreads must be used");
    assert_eq!(width(3.0, Some(0.1)), width(0.15, Some(0.1)), "a spread measured on the machine must override it");
}

/// Returns the fixture's run with a modified first case: ML-KEM-768 decapsulation that loads a private key in the
/// encoding `key`.
fn decapsulating(key: &str) -> Run {
    let mut run = fixtures::run();
    let case = &mut run.records[0].case;
    (case.operation, case.form) = ("decapsulate".into(), Some(pqlab_record::Form::Encoded));
    *case = case.clone().with_key(key);
    run
}

#[test]
fn a_case_with_another_encoding_is_named_and_not_compared() {
    let (seed, mut same) = (decapsulating("seed"), decapsulating("seed"));
    same.header.id = "second".into();
    let comparison = compared_runs(&seed, &same, &ComparisonCriteria::default());
    let case = verdict_of(&comparison, "kem/ML-KEM-768/decapsulate[encoded,key=seed]@liboqs");
    assert_eq!((case.judgement.verdict, case.unlike), (Verdict::Equivalent, false));
    assert!(comparison.only_first.is_empty() && comparison.other_encodings.is_empty());
    let found = regressions(&comparison, &seed, &same, 5.0);
    assert!(found.iter().any(|found| found.outcome == Outcome::Pass));

    let mut expanded = decapsulating("expanded");
    expanded.header.id = "third".into();
    let comparison = compared_runs(&seed, &expanded, &ComparisonCriteria::default());
    assert_eq!(comparison.only_first, ["kem/ML-KEM-768/decapsulate[encoded,key=seed]@liboqs"]);
    let line = "kem/ML-KEM-768/decapsulate[encoded]@liboqs: key=seed in the first run, key=expanded in the second";
    assert_eq!(comparison.other_encodings, [line]);
    assert_eq!(comparison.to_json()["other_encodings"][0], line);
}

#[test]
fn different_kinds_of_work_get_no_verdict() {
    let mut run = decapsulating("seed");
    run.records[1].case = run.records[0].case.clone().with_key("expanded");
    let comparison = compared_cases(&run, &[[0, 1]]);
    let case = &comparison.cases[0];
    assert!(case.unlike && case.ratio.is_some(), "different kinds of work still get a ratio");
    assert_eq!(case.judgement.verdict, Verdict::Inconclusive);
    let note = "no verdict, because the cases do different kinds of work: encoded,key=seed and encoded,key=expanded";
    assert!(case.notes.contains(&note.to_owned()), "{:?}", case.notes);
}
