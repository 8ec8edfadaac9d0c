//! Worker side of a program: detects that the program was started as a worker, and serves the coordinator (the process
//! with the [`Laboratory`](crate::Laboratory)).

use super::errand::{self, Task};
use super::program::{WORKER, provider_builds, registry};
use crate::LabError;
use crate::inspect::{InspectFilesTask, InspectTask};
use crate::leak::taint::TaintTask;
use crate::leak::timing::LeakTask;
use crate::libraries::DescribeTask;
use crate::libraries::opened::{Opened, open_libraries};
use crate::verifying::verify::{PaceTask, VerifyTask};
use pqlab_harness::{BuildId, process, wire, worker};
use pqlab_primitives::Provider;
use pqlab_workloads::Registry;
use serde_json::Value;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::process::exit;

/// If [`WorkerProgram::this`](crate::WorkerProgram::this) started this process as a worker, serves the coordinator and
/// ends the process. Otherwise returns immediately. Call this function first in `main`, before any thread is started.
pub fn run_if_worker() {
    run_if_worker_with(Vec::new);
}

/// Like [`run_if_worker`], but adds providers. They must be the same as those given to
/// [`Laboratory::with_providers`](crate::Laboratory::with_providers).
pub fn run_if_worker_with(more: impl FnOnce() -> Vec<Provider>) {
    let Some(descriptor) = descriptor_of(env::args_os().skip(1)) else { return };
    match serve_as_worker(descriptor, more()) {
        Ok(()) => exit(0),
        Err(error) => {
            // The coordinator shows the last line on standard error as the reason why a worker ended.
            let line = format!("{error}\n");
            io::stderr().write_all(line.as_bytes()).ok();
            exit(1)
        }
    }
}

/// Returns the file descriptor in a worker's command-line arguments; `None` if the arguments are not those of a worker.
fn descriptor_of(arguments: impl Iterator<Item = OsString>) -> Option<i32> {
    let mut arguments = arguments;
    if arguments.next()? != OsStr::new(WORKER) {
        return None;
    }
    arguments.next()?.to_str()?.parse().ok()
}

/// Serves a coordinator over an inherited file descriptor until the coordinator closes the connection. `more` must
/// contain the same additional providers as the [`Laboratory`](crate::Laboratory) that started this process. The worker
/// also opens that laboratory's libraries.
///
/// # Errors
/// [`LabError::System`] if the descriptor does not belong to a coordinator, the coordinator is a different build, or
/// the connection breaks.
pub fn serve_as_worker(descriptor: i32, more: Vec<Provider>) -> Result<(), LabError> {
    let serve = || {
        let mut stream = process::inherited_stream(descriptor)?;
        let Opened { providers: opened, failed } = open_libraries()?;
        let registry = registry(more.into_iter().chain(opened).collect()).without(failed.clone());
        match worker::greet(&stream, BuildId::compute(&provider_builds(&registry)))? {
            Some(wire::Task::Measure) => worker::serve(&mut stream, &registry),
            // Fail if a library cannot be opened. Otherwise the task would report that the library offers nothing.
            Some(wire::Task::Errand(_)) if !failed.is_empty() => {
                let failed: Vec<String> = failed.iter().map(|(label, reason)| format!("{label}: {reason}")).collect();
                Err(io::Error::other(failed.join("; ")))
            }
            Some(wire::Task::Errand(task)) => serve_task(&task, &registry, stream),
            None => Ok(()),
        }
    };
    serve().map_err(LabError::system("worker failed"))
}

/// Carries out the single task of this process.
fn serve_task(text: &str, registry: &Registry, stream: impl Write + Send) -> io::Result<()> {
    let (name, task): (String, Value) = serde_json::from_str(text).map_err(errand::unknown)?;
    match name.as_str() {
        LeakTask::NAME => errand::serve::<LeakTask>(task, registry, stream),
        TaintTask::NAME => errand::serve::<TaintTask>(task, registry, stream),
        VerifyTask::NAME => errand::serve::<VerifyTask>(task, registry, stream),
        PaceTask::NAME => errand::serve::<PaceTask>(task, registry, stream),
        InspectTask::NAME => errand::serve::<InspectTask>(task, registry, stream),
        InspectFilesTask::NAME => errand::serve::<InspectFilesTask>(task, registry, stream),
        DescribeTask::NAME => errand::serve::<DescribeTask>(task, registry, stream),
        _ => Err(errand::unknown(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::timing::{LeakAnswer, LeakRequest, cases_of};

    #[test]
    fn rejects_unknown_tasks() {
        let registry = Registry::new(Vec::new());
        for task in ["", "{}", r#"["nothing", {}]"#, r#"["leak", {"case": "compare/x"}]"#] {
            let refused = serve_task(task, &registry, Vec::new()).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "{task}: {refused}");
        }
        let task = errand::text_of(&TaintTask { case: "compare/nothing@built-in".into(), seed: 1 }).unwrap();
        assert!(serve_task(&task, &registry, Vec::new()).unwrap_err().to_string().contains("compare/nothing@built-in"));
    }

    #[test]
    fn sends_answers_that_the_coordinator_reads() {
        let registry = Registry::new(Vec::new());
        let case = cases_of(&registry, &["compare/naive/*".into()]).unwrap()[0].to_string();
        let request =
            LeakRequest { samples: 4_000, effect_ns: 30.0, control_delay_ns: 50.0, max_time_s: 1.0, seed: 1, cases: 1 };
        let task = errand::text_of(&LeakTask { case: case.clone(), request }).unwrap();
        let mut sent = Vec::new();
        serve_task(&task, &registry, &mut sent).unwrap();
        let mut sent = sent.as_slice();
        let mut shares = Vec::new();
        let outcome = loop {
            let text: String = wire::receive(&mut sent).unwrap().unwrap();
            match errand::read_answer::<LeakTask>(&text).unwrap() {
                LeakAnswer::Done(share) => shares.push(share),
                LeakAnswer::Outcome(outcome) => break outcome,
            }
        };
        assert!(shares.is_sorted() && !shares.is_empty(), "{shares:?}");
        assert_eq!((outcome.case, outcome.figures.unwrap().samples), (case, 4_000));
        assert!(errand::read_answer::<LeakTask>("printed by a library").is_none());
    }

    #[test]
    fn detects_workers_by_their_command_line() {
        let descriptor = |words: &[&str]| descriptor_of(words.iter().map(OsString::from));
        assert_eq!(descriptor(&[WORKER, "5"]), Some(5));
        for other in [&[][..], &[WORKER], &[WORKER, "five"], &["5"], &["run", WORKER, "5"]] {
            assert_eq!(descriptor(other), None, "{other:?}");
        }
    }

    #[test]
    fn rejects_descriptors_that_are_not_open() {
        let refused = serve_as_worker(1_000_000, Vec::new()).unwrap_err();
        assert!(matches!(refused, LabError::System { .. }), "{refused}");
        assert!(refused.to_string().contains("descriptor 1000000 is not open"), "{refused}");
    }
}
