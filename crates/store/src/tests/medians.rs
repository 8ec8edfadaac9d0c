use super::{header, new_store, record};
use crate::{RunMedian, Store};
use pqlab_record::{RunHeader, Unit};

fn medians(count: usize) -> Vec<RunMedian> {
    let median = |number| RunMedian {
        case: format!("case {number}"),
        unit: if number % 2 == 0 { Unit::Nanoseconds } else { Unit::CoreCycles },
        median: 100.0 + number as f64 / 3.0,
        variance: 1e-6,
    };
    (0..count).map(median).collect()
}

/// Stores a complete run without cases, with `count` medians.
fn complete(store: &mut Store, header: &RunHeader, count: usize) {
    store.begin_run(header).unwrap();
    store.complete_run(&header.id, "2026-11-21T19:10:00Z").unwrap();
    store.save_medians(&header.id, &medians(count)).unwrap();
}

#[test]
fn medians_come_from_recent_runs_of_the_same_machine_and_build() {
    let (_folder, mut store) = new_store();
    let like = header("like", 0);
    complete(&mut store, &like, 4);
    complete(&mut store, &RunHeader { started_at: "2026-11-22T19:00:00Z".into(), ..header("newer", 0) }, 3);
    complete(&mut store, &header("few", 0), 2);
    complete(&mut store, &RunHeader { started_at: "2026-10-01T19:00:00Z".into(), ..header("old", 0) }, 4);
    let mut elsewhere = header("elsewhere", 0);
    elsewhere.environment.host.name = Some("bench-2".into());
    complete(&mut store, &elsewhere, 4);
    let mut other = header("processor", 0);
    other.environment.cpu.model = "Another".into();
    complete(&mut store, &other, 4);
    let mut other = header("build", 0);
    other.environment.build.profile = "another".into();
    complete(&mut store, &other, 4);
    store.begin_run(&header("stopped", 1)).unwrap();
    store.save_medians("stopped", &medians(4)).unwrap();

    let find = |most| store.medians_of_runs_like(&like.environment, "2026-11-23T00:00:00Z", 30, most).unwrap();
    assert_eq!(find(12), [medians(3), medians(4)], "the newest run must come first");
    assert_eq!(find(1), [medians(3)]);
    let then = store.medians_of_runs_like(&like.environment, "2026-11-21T20:00:00Z", 30, 12).unwrap();
    assert_eq!(then, [medians(4)], "later runs must be left out");
    store.save_medians("newer", &medians(5)).unwrap();
    assert_eq!(store.medians_of_runs_like(&like.environment, "2026-11-23T00:00:00Z", 30, 1).unwrap(), [medians(5)]);
    store.delete_run("like").unwrap();
    assert_eq!(store.medians_of_runs_like(&like.environment, "2026-11-23T00:00:00Z", 30, 12).unwrap().len(), 1);
}

#[test]
fn finished_runs_of_this_machine_and_build_contain_the_end_of_each_case() {
    let (_folder, mut store) = new_store();
    let like = header("like", 2);
    store.begin_run(&like).unwrap();
    for position in 0..2 {
        store.finish_case("like", position, &record(position)).unwrap();
    }
    store.complete_run("like", "2026-11-21T19:10:00Z").unwrap();
    store.begin_run(&header("stopped", 1)).unwrap();
    let mut other = header("build", 0);
    other.environment.build.profile = "another".into();
    complete(&mut store, &other, 3);
    let found = store.finished_runs_like(&like.environment, "2026-11-23T00:00:00Z", 30, 12).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].started_at.as_str(), &found[0].protocol), (like.started_at.as_str(), &like.protocol));
    let cases: Vec<(&str, &str)> = found[0].cases.iter().map(|case| (case.id.as_str(), case.block.as_str())).collect();
    let wanted: Vec<String> = like.plan.iter().map(|case| case.id()).collect();
    assert_eq!(cases, [(wanted[0].as_str(), "kem/ML-KEM-768"), (wanted[1].as_str(), "kem/ML-KEM-768")]);
    assert_eq!(found[0].cases[0].finished_at, "2026-11-21T19:00:09Z");
}
