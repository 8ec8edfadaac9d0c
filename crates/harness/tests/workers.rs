//! Tests misbehaving workers. This program starts itself as a worker with a script of errors. Every wait must end.

#![allow(clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)]

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use pqlab_harness::errand::{Errand, Manner, Next};
use pqlab_harness::layout::Layouts;
use pqlab_harness::process::{Limits, NEVER, ProcessPool, Workers, inherited_stream};
use pqlab_harness::schedule::Failure;
use pqlab_harness::wire::{self, Request, Response, Task};
use pqlab_harness::{BuildId, Program, WorkerError, WorkerPool, worker};
use pqlab_record::{Case, CounterChoice, Facts, ProviderBuild};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time limit for an errand to begin.
const LIMIT: Duration = Duration::from_secs(30);

/// Environment variable that passes a worker its script. `NUMBER` passes the file to which the worker writes its
/// process id.
const SCRIPT: &str = "PQLAB_TEST_SCRIPT";
const NUMBER: &str = "PQLAB_TEST_NUMBER";
/// Extension of the file that a worker writes before it hangs.
const HUNG: &str = "hung";

/// Environment variable that makes this program a coordinator. Its value is the file to which the worker writes its
/// process id.
const COORDINATED: &str = "PQLAB_TEST_COORDINATED";

/// Environment variable that tells a worker not to load libraries. Its value is the reason.
const LOADING: &str = "PQLAB_TEST_LOADING";

/// Returns the settings for running this program as a worker that follows the script.
fn program(script: &str, number: &Path) -> Program {
    Program {
        path: std::env::current_exe().unwrap(),
        arguments: ["--exact", "worker_by_script", "--ignored", "--nocapture"].map(Into::into).to_vec(),
        variables: vec![(SCRIPT.into(), script.into()), (NUMBER.into(), number.into())],
        build: build("1"),
    }
}

/// Returns this build with a single provider, which has the given version.
fn build(version: &str) -> BuildId {
    BuildId::compute(&[ProviderBuild { id: "scripted".into(), version: version.into(), ..ProviderBuild::default() }])
}

/// Returns a pool with one worker, which follows the script.
fn pool(script: &str, number: &Path) -> ProcessPool<'static> {
    pool_until_stopped(script, number, Duration::from_secs(2), &NEVER)
}

/// Returns a pool with one worker, which follows the script. Requests have the given time limit.
fn pool_until_stopped<'a>(script: &str, number: &Path, request: Duration, stop: &'a AtomicBool) -> ProcessPool<'a> {
    let workers = Workers {
        program: program(script, number),
        seed: 1,
        processes: 1,
        layouts: Layouts::default(),
        counter: CounterChoice::Wall,
        ticks_per_second: None,
        cpus: vec![],
        granted: vec![],
        limits: Limits { request, ..Limits::default() },
        without_loading: Some(LOADING.into()),
    };
    ProcessPool::new(workers, stop)
}

fn case() -> Case {
    Case {
        workload: "kem".into(),
        algorithm: "ML-KEM-768".into(),
        operation: "decapsulate".into(),
        provider: "scripted".into(),
        form: None,
        parameters: vec![],
        block: "kem".into(),
        facts: Facts::default(),
    }
}

/// Returns the failure of the first request. Asserts that no process is left running.
fn failure(script: &str) -> Failure {
    let folder = tempfile::tempdir().unwrap();
    let number = folder.path().join("number");
    let failure = pool(script, &number).prepare(0, &case()).unwrap_err();
    // A worker that is killed early may not have written the file yet.
    if let Ok(number) = std::fs::read_to_string(&number) {
        assert!(
            kill(Pid::from_raw(number.parse().unwrap()), None).is_err(),
            "{script}: worker {number} is still running"
        );
    }
    failure
}

#[test]
fn ends_a_worker_that_never_begins() {
    let Failure::Fatal(error) = failure("never") else { panic!("the failure must not blame a case") };
    assert_eq!(error.to_string(), "a worker did not start: no answer within 2 s; the worker was killed");
}

/// If the flag did not end the wait, the time limit would, with another failure.
#[test]
fn the_stop_flag_ends_the_wait_for_a_hung_worker() {
    let folder = tempfile::tempdir().unwrap();
    for script in ["never", "hang"] {
        let (number, stop) = (folder.path().join(script), AtomicBool::new(false));
        let failure = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                pool_until_stopped(script, &number, Duration::from_secs(60), &stop).prepare(0, &case()).unwrap_err()
            });
            let marker = if script == "hang" { number.with_extension(HUNG) } else { number.clone() };
            while !marker.exists() && !waiting.is_finished() {
                std::thread::sleep(Duration::from_millis(5));
            }
            stop.store(true, Ordering::Relaxed);
            waiting.join().unwrap()
        });
        assert_eq!(failure, Failure::Stopped, "{script}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ends_the_child_processes_of_a_worker_that_exited() {
    let folder = tempfile::tempdir().unwrap();
    let number = folder.path().join("number");
    let Failure::Case(reason) = pool("fork", &number).prepare(0, &case()).unwrap_err() else { panic!() };
    assert!(reason.starts_with("the worker exited with code 7"), "{reason}");
    let child: i32 = std::fs::read_to_string(&number).unwrap().parse().unwrap();
    // The child is a zombie until init reaps it.
    let state = || std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    let is_running = || state().rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"));
    // The kernel delivers the signal soon. The child itself would end after a minute.
    for _ in 0..6_000 {
        if !is_running() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("child {child} is still running");
}

#[test]
fn restarts_a_worker_that_dies_loading_a_library_without_it() {
    // The second process gets the reason why it must not load the library, and returns it as its
    // answer.
    let Failure::Case(reason) = failure("load") else { panic!("the failure must not end the run") };
    assert_eq!(
        reason,
        "a worker that loads the library did not start: the worker exited with code 9; its last output: \
         a constructor's last words"
    );
}

#[test]
fn waits_for_a_silent_errand_until_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("errand", &folder.path().join("number"));
    let mut errand = Errand::start(&program, "wait".into(), &Manner::default(), LIMIT).unwrap();
    let going_on = AtomicBool::new(false);
    assert_eq!(errand.next_within(Duration::from_millis(200), &going_on).unwrap(), None);
    let mut errand = Errand::start(&program, "say it".into(), &Manner::default(), LIMIT).unwrap();
    assert_eq!(errand.next_within(LIMIT, &going_on).unwrap(), Some(Next::Said("say it".into())));
}

#[test]
fn refuses_a_worker_of_another_build() {
    let folder = tempfile::tempdir().unwrap();
    let number = folder.path().join("number");
    let Failure::Fatal(WorkerError::OtherBuild { path, difference }) =
        pool("other build", &number).prepare(0, &case()).unwrap_err()
    else {
        panic!("a worker from a different build must be rejected")
    };
    assert_eq!(path, std::env::current_exe().unwrap());
    assert_eq!(difference, r#"provider scripted is "2" there, but "1" in this program"#);
}

#[test]
fn an_errand_sends_its_texts_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let program = program("errand", &folder.path().join("number"));
    let going_on = AtomicBool::new(false);
    let start = |task: &str, manner: &Manner| Errand::start(&program, task.into(), manner, LIMIT).unwrap();
    let mut errand = start("say it", &Manner { keep_stderr: true, ..Manner::default() });
    assert_eq!(errand.next(&going_on).unwrap(), Next::Said("say it".into()));
    assert_eq!(errand.next(&going_on).unwrap(), Next::Ended);
    let end = errand.end().unwrap();
    assert_eq!(end.status.code(), Some(7));
    assert!(end.stdout.contains("unexpected output") && end.stderr.contains("a complaint"), "{end:?}");

    // The errand must also work under a wrapper that makes the worker report other providers.
    let mut errand =
        start("below", &Manner { wrapper: vec!["env".into(), "PQLAB_TEST_VERSION=2".into()], ..Manner::default() });
    assert_eq!(errand.next(&going_on).unwrap(), Next::Said("below".into()));

    let mut stopped = start("wait", &Manner::default());
    assert_eq!(stopped.next(&AtomicBool::new(true)).unwrap(), Next::Stopped);
    let left = std::fs::read_to_string(folder.path().join("number")).unwrap();
    drop(stopped);
    assert!(kill(Pid::from_raw(left.parse().unwrap()), None).is_err(), "dropping an errand must end its process");
}

#[test]
fn ends_a_worker_that_answers_byte_by_byte() {
    assert_eq!(failure("dribble"), Failure::Case("no answer within 2 s; the worker was killed".into()));
}

#[test]
fn ends_a_worker_that_closes_its_stream_but_continues() {
    let Failure::Case(reason) = failure("close") else { panic!("the failure must not end the run") };
    assert!(
        reason.starts_with("the worker closed its connection but did not exit within 5 s; it was killed"),
        "{reason}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_system_kills_workers_before_their_coordinator() {
    assert_eq!(failure("expendable"), Failure::Case("1000\n".into()));
}

/// Coordinator for the next test. It runs in its own process so that the test can stop it.
#[test]
#[ignore = "coordinator process for another test"]
fn coordinator_by_script() {
    let Some(number) = std::env::var_os(COORDINATED) else { return };
    let failure = pool("late", Path::new(&number)).prepare(0, &case()).unwrap_err();
    println!("failure: {failure:?}");
}

#[test]
fn a_pause_of_all_processes_exceeds_no_time_limit() {
    let folder = tempfile::tempdir().unwrap();
    let number = folder.path().join("number");
    let coordinator = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "coordinator_by_script", "--ignored", "--nocapture"])
        .env(COORDINATED, &number)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let worker = loop {
        match std::fs::read_to_string(&number).map(|text| text.parse()) {
            Ok(Ok(worker)) => break worker,
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let both = [coordinator.id() as i32, worker].map(Pid::from_raw);
    both.iter().for_each(|process| kill(*process, Signal::SIGSTOP).unwrap());
    // Twice the time limit of a request.
    std::thread::sleep(Duration::from_secs(4));
    both.iter().for_each(|process| kill(*process, Signal::SIGCONT).unwrap());
    let output = coordinator.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("failure: Case(\"answered\")"), "{printed}");
}

#[test]
fn reports_the_end_of_a_worker() {
    let Failure::Case(reason) = failure("end") else { panic!("the failure must not end the run") };
    assert!(reason.starts_with("the worker exited with code 7"), "{reason}");
}

/// Runs an errand in the worker.
fn serve_errand(stream: &mut UnixStream, task: &str) -> ! {
    if task == "wait" {
        loop {
            std::thread::park();
        }
    }
    wire::send(stream, &task).unwrap();
    println!("unexpected output");
    eprintln!("a complaint");
    std::process::exit(7)
}

#[test]
#[ignore = "worker process for the other tests"]
fn worker_by_script() {
    let (Ok(script), Some(descriptor)) = (std::env::var(SCRIPT), std::env::args().next_back()) else { return };
    std::fs::write(std::env::var_os(NUMBER).unwrap(), std::process::id().to_string()).unwrap();
    let mut stream = inherited_stream(descriptor.parse().unwrap()).unwrap();
    let for_ever = || -> ! {
        loop {
            std::thread::park();
        }
    };
    if script == "never" {
        for_ever();
    }
    let without_loading = std::env::var(LOADING);
    if script == "load" && without_loading.is_err() {
        eprintln!("a constructor's last words");
        std::process::exit(9);
    }
    let version =
        std::env::var("PQLAB_TEST_VERSION").unwrap_or_else(|_| if script == "other build" { "2" } else { "1" }.into());
    match worker::greet(&mut stream, build(&version)) {
        Ok(Some(Task::Measure)) => {}
        Ok(Some(Task::Errand(task))) => serve_errand(&mut stream, &task),
        Ok(None) | Err(_) => return,
    }
    assert!(matches!(wire::receive(&mut stream).unwrap(), Some(Request::Begin(_))));
    wire::send(&mut stream, &Response::Begun).unwrap();
    assert!(matches!(wire::receive(&mut stream).unwrap(), Some(Request::Prepare(_))));
    match script.as_str() {
        "load" => {
            wire::send(&mut stream, &Response::Fault { reason: without_loading.unwrap() }).unwrap();
            for_ever();
        }
        "expendable" => {
            let reason = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap();
            wire::send(&mut stream, &Response::Fault { reason }).unwrap();
            for_ever();
        }
        "late" => {
            std::thread::sleep(Duration::from_millis(500));
            wire::send(&mut stream, &Response::Fault { reason: "answered".into() }).unwrap();
            for_ever();
        }
        "hang" => {
            std::fs::write(PathBuf::from(std::env::var_os(NUMBER).unwrap()).with_extension(HUNG), "").unwrap();
            for_ever()
        }
        "fork" => {
            let child = Command::new("sleep").arg("60").spawn().unwrap();
            std::fs::write(std::env::var_os(NUMBER).unwrap(), child.id().to_string()).unwrap();
            std::process::exit(7)
        }
        "close" => {
            drop(stream);
            for_ever();
        }
        "dribble" => {
            stream.write_all(&1_000_000_u32.to_le_bytes()).unwrap();
            while stream.write_all(&[0]).is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        _ => std::process::exit(7),
    }
}
