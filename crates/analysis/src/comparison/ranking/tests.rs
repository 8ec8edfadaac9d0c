use super::*;
use crate::fixtures;
use crate::run::RunAnalysis;
use pqlab_record::{Disturbance, Record, Run};

/// Returns the standings in a run whose cases form a single group.
fn standings_of(run: &Run) -> Vec<Option<Standing>> {
    let analysis = RunAnalysis::new(run);
    analysis.cases().iter().map(|case| analysis.standing(case)).collect()
}

fn run(records: Vec<Record>) -> Run {
    Run { records, ..fixtures::run() }
}

fn contended(record: &mut Record) {
    record.samples.visits.iter_mut().for_each(|visit| visit.disturbances = vec![Disturbance::Steal { pct: 30.0 }]);
}

#[test]
fn the_fastest_leads_only_with_a_measurable_difference() {
    let found = standings_of(&run(vec![
        fixtures::record("slow", 15.0),
        fixtures::failed("no"),
        fixtures::record("fast", 10.0),
    ]));
    assert_eq!((found[1], found[2]), (None, Some(Standing::Fastest)));
    let ratio = found[0].unwrap().ratio().unwrap();
    assert!((ratio.estimate - 1.5).abs() < 0.01 && ratio.low < ratio.estimate && ratio.estimate < ratio.high);
    assert!(found[0].unwrap().text().starts_with("1.50× ±"));
    let level = [10.01, 10.0, 15.0].map(|time| fixtures::record(&format!("at {time}"), time));
    let found = standings_of(&run(level.to_vec()));
    assert_eq!(found[..2], [Some(Standing::Tied); 2]);
    assert!(found[1].unwrap().leads() && !found[2].unwrap().leads());
}

#[test]
fn disturbed_defective_and_empty_cases_are_not_ranked() {
    let mut records = vec![
        fixtures::record("null", 1.0),
        fixtures::record("shared", 8.0),
        fixtures::record("defective", 9.0),
        fixtures::record("sound", 10.3),
        fixtures::record("slow", 15.0),
    ];
    contended(&mut records[1]);
    records[2].case.facts.defect = Some("accepts invalid signatures".into());
    let found = standings_of(&run(records));
    assert_eq!(found[..4], [None, None, None, Some(Standing::Fastest)]);
    assert!(matches!(found[4], Some(Standing::Slower(_))));
}

#[test]
fn ranks_by_cycles_and_only_among_rivals() {
    let mut records = vec![fixtures::record("one", 10.0), fixtures::record("other", 10.5)];
    // The core's clock was lower while `one` was measured, so the difference in cycles is larger than in time.
    records[0].samples.visits.iter_mut().for_each(|visit| visit.clock_hz = 2.2e9);
    assert_eq!(standings_of(&run(records.clone()))[0], Some(Standing::Fastest));
    records.truncate(1);
    assert_eq!(standings_of(&run(records)), [None]);
    assert_eq!(standings_of(&run(Vec::new())), []);
}

#[test]
fn cases_with_other_parameters_are_not_rivals() {
    let mut other = fixtures::record("other", 15.0);
    other.case.parameters = vec![pqlab_record::Parameter::Word("key".into(), "seed".into())];
    assert_eq!(standings_of(&run(vec![fixtures::record("one", 10.0), other])), [None, None]);
    let encoded = |provider: &str, key: &str, time: f64| {
        let mut record = fixtures::record(provider, time);
        (record.case.operation, record.case.form) = ("decapsulate".into(), Some(pqlab_record::Form::Encoded));
        record.case = record.case.with_key(key);
        record
    };
    let with_keys =
        |one: &str, other: &str| standings_of(&run(vec![encoded("one", one, 10.0), encoded("other", other, 15.0)]));
    assert_eq!(with_keys("expanded", "seed"), [None, None]);
    assert_eq!(with_keys("expanded", "expanded")[0], Some(Standing::Fastest));
}
