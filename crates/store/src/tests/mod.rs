//! Tests of the store through its public methods. Each test uses files in a separate folder.

mod kill;
mod medians;
mod migrations;
mod references;
mod refusals;
mod rights;
mod runs;
mod yardsticks;

use crate::Store;
use pqlab_record::{Case, Disturbance, Environment, Facts, Form, Metric, Parameter, Protocol, Record, Run, RunHeader};
use pqlab_record::{Samples, Status, Visit};
use std::process::Command;
use tempfile::TempDir;

/// Environment variable that passes a file name to a test's child process.
const FILE: &str = "PQLAB_STORE_TEST_FILE";

/// Makes a child process of this test binary run only one ignored test.
pub(crate) fn only<'a>(command: &'a mut Command, test: &str) -> &'a mut Command {
    command.args(["--exact", test, "--ignored", "--nocapture"])
}

fn new_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("pqlab.db")).unwrap();
    (folder, store)
}

fn case(number: usize) -> Case {
    Case {
        workload: "kem".into(),
        algorithm: "ML-KEM-768".into(),
        operation: "encapsulate".into(),
        provider: "libcrux:avx2".into(),
        form: Some(Form::Encoded),
        parameters: vec![Parameter::Number("n".into(), number as u64)],
        block: "kem/ML-KEM-768".into(),
        facts: Facts { bytes: None, category: Some(3), ..Facts::default() },
    }
}

fn header(id: &str, cases: usize) -> RunHeader {
    let mut environment = Environment::default();
    environment.host.name = Some("bench-1".into());
    environment.host.load = Some([0.1, 0.2, 1.0 / 3.0]);
    environment.counters.resolution_ns = 0.476_190_476_190_476_2;
    RunHeader {
        id: id.into(),
        suite: "standard".into(),
        command: "pqlab run".into(),
        seed: u64::MAX,
        started_at: "2026-11-21T19:00:00Z".into(),
        environment,
        protocol: Protocol::default(),
        plan: (0..cases).map(case).collect(),
    }
}

fn record(number: usize) -> Record {
    let visit = |process: u32| Visit {
        start: 2,
        process,
        round: 1,
        repeats: u32::from(process == 0),
        disturbances: if process < 2 { vec![Disturbance::Steal { pct: 12.5 }] } else { vec![] },
        clock_hz: 2.7e9,
        ticks: (0..500).map(|reading| 21_000 + (reading * 7919 + number as u64 * 31) % 977).collect(),
        wall_ns: vec![],
        extra: vec![("ciphertext".into(), vec![1088.0])],
        conditions: Default::default(),
    };
    Record {
        case: case(number),
        status: Status::Ok,
        error: None,
        verified: true,
        precision_reached: true,
        second_chance: None,
        samples: Samples {
            metric: Metric::Tsc,
            ns_per_tick: Some(1.0 / 2.1),
            batch: 1,
            visits: (0..4).map(visit).collect(),
        },
        finished_at: "2026-11-21T19:00:09Z".into(),
    }
}

fn run(id: &str, cases: usize) -> Run {
    Run {
        header: header(id, cases),
        records: (0..cases).map(record).collect(),
        complete: true,
        finished_at: Some("2026-11-21T19:00:09Z".into()),
    }
}
