//! Tests the public interface of this crate from a separate program. The worker program is the `embed` example, which
//! cargo builds together with the tests.

#![allow(clippy::unwrap_used)]

use pqlab_lab::primitives::BuildInfo;
use pqlab_lab::record::{Record, Run, RunHeader};
use pqlab_lab::verification::{Answers, Line};
use pqlab_lab::{
    CaseFailure, CaseResult, Collected, Filters, LabError, Laboratory, LeakRequest, Plan, ProtocolOverrides, Provider,
    RecordSink, RunRequest, SinkError, Suite, Verified, VerifyPart, VerifyRequest, WorkerError, WorkerProgram,
    leak_cases, results,
};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;

static GOING_ON: AtomicBool = AtomicBool::new(false);

/// Returns the path of the example program, which is in a folder next to this test's folder.
fn example() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests.ancestors().nth(2).unwrap().join("examples/embed");
    assert!(
        path.is_file(),
        "{} is missing: run `cargo build --release --examples`, or test the whole workspace",
        path.display()
    );
    path
}

fn laboratory() -> Laboratory {
    Laboratory::new(WorkerProgram { path: example(), arguments: vec!["--pqlab-worker".into()] })
}

fn plan(laboratory: &Laboratory) -> Plan {
    let filters = Filters { ids: vec!["kem/ML-KEM-768/*@rustcrypto".into()], ..Filters::default() };
    // Without patience, no case is measured a second time, so each case has one record.
    let rules = ProtocolOverrides {
        processes: Some(1),
        iterations: Some(4),
        patience_s: Some(0.0),
        ..ProtocolOverrides::default()
    };
    laboratory.plan(&[Suite::find("kem").unwrap()], &filters, &rules, &mut |_| {}).unwrap()
}

#[test]
fn the_example_measures_two_kems() {
    let output = Command::new(example()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    for (line, kem) in lines.iter().zip(["ML-KEM-768", "X25519"]) {
        let figures =
            line.strip_prefix(&format!("kem/{kem}/encapsulate@rustcrypto: ")).unwrap_or_else(|| panic!("{line}"));
        let ns: f64 = figures.split_once(" ns ±").unwrap().0.parse().unwrap();
        assert!(ns > 0.0, "{line}");
    }
}

#[test]
fn measure_returns_the_run_and_leaves_the_calling_thread_unpinned() {
    let laboratory = laboratory();
    let plan = plan(&laboratory);
    let processors = std::thread::available_parallelism().unwrap();
    let run: Run = laboratory.measure(plan.clone(), &RunRequest::default(), &mut (), &GOING_ON).unwrap();
    assert_eq!(std::thread::available_parallelism().unwrap(), processors, "measuring must not pin the calling thread");
    assert!(run.complete && run.finished_at.is_some());
    let ids = |cases: &[pqlab_lab::record::Case]| cases.iter().map(|case| case.id()).collect::<Vec<_>>();
    let results: Vec<CaseResult> = results(&run);
    assert_eq!(ids(&results.iter().map(|result| result.case.clone()).collect::<Vec<_>>()), ids(&plan.cases));
    assert!(results.iter().all(|result| result.outcome.as_ref().is_ok_and(|found| found.n >= 4)), "{results:?}");
    let mut failed = run;
    failed.records[0].error = Some("it fell".into());
    assert_eq!(pqlab_lab::results(&failed)[0].outcome, Err(CaseFailure::Failed("it fell".into())));
}

/// Sink that accepts a limited number of records.
struct Bucket {
    room: usize,
    taken: Vec<String>,
    ended: bool,
}

impl RecordSink for Bucket {
    fn begin(&mut self, _: &RunHeader) -> Result<(), SinkError> {
        Ok(())
    }

    fn record(&mut self, header: &RunHeader, position: usize, record: &Record) -> Result<(), SinkError> {
        if self.taken.len() == self.room {
            return Err(SinkError::other("the bucket is full"));
        }
        assert_eq!(header.plan[position], record.case);
        self.taken.push(record.case.id());
        Ok(())
    }

    fn complete(&mut self, _: &RunHeader, _: &str) -> Result<(), SinkError> {
        self.ended = true;
        Ok(())
    }
}

#[test]
fn records_go_to_the_callers_sink_and_an_error_from_the_sink_ends_the_run() {
    let laboratory = laboratory();
    let plan = plan(&laboratory);
    let measure = |room: usize| {
        let mut bucket = Bucket { room, taken: Vec::new(), ended: false };
        (laboratory.run(&mut bucket, plan.clone(), &RunRequest::default(), &mut (), &GOING_ON), bucket)
    };
    let (ended, bucket) = measure(usize::MAX);
    assert!(ended.unwrap().complete && bucket.ended);
    assert_eq!(bucket.taken.len(), plan.cases.len());
    let (ended, bucket) = measure(1);
    assert!(matches!(ended, Err(LabError::Sink(error)) if error.to_string() == "the bucket is full"));
    assert_eq!((bucket.taken.len(), bucket.ended), (1, false));
    // A stopped run keeps its finished records, but is not complete.
    let mut collected = Collected::default();
    let ended = laboratory.run(&mut collected, plan, &RunRequest::default(), &mut (), &AtomicBool::new(true)).unwrap();
    assert!(!ended.complete && !collected.into_run().unwrap().complete);
}

#[test]
fn rejects_worker_programs_of_another_build() {
    let refused = |laboratory: Laboratory| {
        let plan = plan(&laboratory);
        match laboratory.measure(plan, &RunRequest::default(), &mut (), &GOING_ON) {
            Err(LabError::Worker(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let build = BuildInfo { version: "1".into(), build: "for this test".into() };
    let more = laboratory().with_providers(vec![Provider::new("extra", build)]);
    let error = refused(more);
    assert!(
        matches!(&error, WorkerError::OtherBuild { difference, .. } if difference.contains("provider extra")),
        "{error}"
    );
    let nowhere = refused(Laboratory::new(WorkerProgram::pqlab("/nowhere/pqlab")));
    assert!(matches!(&nowhere, WorkerError::Start { path, .. } if path.ends_with("pqlab")), "{nowhere}");
    // This program's `main` does not call `run_if_worker`, so a worker from this program does not answer.
    let mute = refused(Laboratory::new(WorkerProgram::this().unwrap()));
    assert!(matches!(&mute, WorkerError::Silent(_)), "{mute}");
}

#[test]
fn libraries_are_verified_in_separate_processes() {
    let laboratory = laboratory();
    let request = VerifyRequest {
        providers: vec!["rustcrypto".into()],
        algorithms: vec!["SHA3-256".into()],
        interoperability: false,
        answers: Answers::Short,
        kept_in: None,
    };
    let parts = laboratory.verify_parts(&request).unwrap();
    let mut lines: Vec<Line> = Vec::new();
    let mut done = 0;
    let mut take = |part: &VerifyPart, verified: Verified| {
        match (part, verified) {
            (VerifyPart::Provider { .. }, Verified::Line(line)) => lines.push(line),
            (_, Verified::Done) => done += 1,
            (_, Verified::Answers(..)) => (),
            (part, verified) => panic!("{part:?}: {verified:?}"),
        }
        Ok::<(), LabError>(())
    };
    assert!(laboratory.verify(&parts, &request, &mut take, &GOING_ON).unwrap());
    assert_eq!(done, parts.len());
    let known = lines.iter().find(|line| line.suite == "known answers").unwrap();
    assert!(known.passed > 0 && lines.iter().all(|line| line.failed() == 0), "{lines:?}");

    let mut none = |_: &VerifyPart, verified: Verified| -> Result<(), LabError> { panic!("{verified:?}") };
    let finished = laboratory.verify(&parts, &request, &mut none, &AtomicBool::new(true)).unwrap();
    assert!(!finished, "verification must end at once if stop was set before");
    let nobody = VerifyRequest { providers: vec!["nobody".into()], ..request };
    let unknown = laboratory.verify_parts(&nobody);
    assert!(matches!(unknown, Err(LabError::Unknown { name, .. }) if name == "nobody"));
}

#[test]
fn leaks_are_measured_in_a_separate_process() {
    let laboratory = laboratory();
    let case = &leak_cases(&laboratory, &["compare/constant-time/*".into()]).unwrap()[0];
    let request =
        LeakRequest { samples: 4_000, effect_ns: 30.0, control_delay_ns: 50.0, max_time_s: 5.0, seed: 1, cases: 1 };
    let mut shares = Vec::new();
    let outcome = laboratory.measure_leak(case, &request, &mut |share| shares.push(share), &GOING_ON).unwrap().unwrap();
    assert_eq!((outcome.case, outcome.figures.unwrap().samples), (case.to_string(), 4_000));
    assert!(shares.is_sorted() && !shares.is_empty(), "{shares:?}");
    let stopped = laboratory.measure_leak(case, &request, &mut |_| {}, &AtomicBool::new(true)).unwrap();
    assert_eq!(stopped, None);
}
