//! What is asked of a process that is started for one thing alone, and how it answers; and the leak tests, each in such a
//! process, so that one that crashes is a failed test and the rest goes on.

use crate::inspect::{InspectRequest, Inspection, inspect};
use crate::leak::{cases_of, leak_without_figures, measure_leak};
use crate::taint::{run_tainted, taint_findings};
use crate::verify::{pace_here, verify_here};
use crate::{
    LabError, Laboratory, LeakConclusion, LeakOutcome, LeakRequest, TaintEnd, Tainted, VerifyPart, VerifyRequest,
};
use pqlab_foreign::{Description, LibrarySpec};
use pqlab_harness::clock::awake_ns;
use pqlab_harness::errand::{Errand, Manner, Next};
use pqlab_harness::{Program, wire};
use pqlab_verification::{Answers, EdgeCases, Line};
use pqlab_workloads::Registry;
use pqlab_workloads::leak::LeakCase;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// The program that follows secrets through an operation.
const VALGRIND: &str = "valgrind";
/// Its arguments: frames of a stack enough to reach the function that calls the operation.
const MEMCHECK: [&str; 3] = ["--tool=memcheck", "--error-limit=no", "--num-callers=60"];

/// What the process is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// To test whether a case's time depends on its secret.
    Leak {
        /// The case's id.
        case: String,
        /// How.
        request: LeakRequest,
    },
    /// To run a case once with its secret tainted.
    Taint {
        /// The case's id.
        case: String,
        /// Seed of keys and inputs.
        seed: u64,
    },
    /// To verify one part.
    Verify {
        /// Which.
        part: VerifyPart,
        /// What of it.
        request: VerifyRequest,
    },
    /// To open a library and say what it offers.
    Describe {
        /// Which.
        library: LibrarySpec,
    },
    /// To look at an algorithm.
    Inspect {
        /// Which, and of whom.
        request: InspectRequest,
    },
    /// To time some accumulated answers of one part.
    Pace {
        /// Which.
        part: VerifyPart,
        /// How many answers there are to be.
        answers: Answers,
    },
}

/// What it answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The share that is done.
    Done(f64),
    /// What a leak test found.
    Leak(Box<LeakOutcome>),
    /// How a tainted run ended.
    Tainted(TaintEnd),
    /// A line of a verification.
    Line(Line),
    /// What a provider accepts of Ed25519's edge cases.
    EdgeCases(EdgeCases),
    /// What a library offers.
    Description(Box<Description>),
    /// What an algorithm is of each provider.
    Inspections(Vec<Inspection>),
    /// Why there is no answer.
    Refused(String),
    /// There are so many accumulated answers of so many.
    Answers(u64, u64),
    /// So many accumulated answers are asked for, and one takes so many seconds.
    Pace(u64, f64),
}

/// Does what is asked, in this process. What cannot be said to the coordinator ends it.
///
/// # Errors
/// What the stream reports, and `InvalidData` for a task that this build does not know.
pub(crate) fn serve(task: &str, registry: &Registry, stream: impl Write + Send) -> io::Result<()> {
    let unknown = |error: serde_json::Error| io::Error::new(io::ErrorKind::InvalidData, format!("no errand: {error}"));
    let no_case = |error: LabError| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
    let case_of = |id: String| -> io::Result<LeakCase> {
        let found = cases_of(registry, &[id]).map_err(no_case)?.into_iter().next();
        found.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no such case"))
    };
    // The first error ends it: nobody listens any more.
    let said = Mutex::new((stream, Ok(())));
    let say = |answer: Answer| {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        let (stream, outcome) = &mut *said;
        if outcome.is_ok() {
            let text = serde_json::to_string(&answer).map_err(io::Error::other);
            *outcome = text.and_then(|text| wire::send(stream, &text));
        }
    };
    match serde_json::from_str(task).map_err(unknown)? {
        Task::Leak { case, request } => {
            let outcome = measure_leak(registry, &case_of(case)?, &request, &mut |share| say(Answer::Done(share)));
            say(Answer::Leak(Box::new(outcome)));
        }
        Task::Taint { case, seed } => say(Answer::Tainted(run_tainted(registry, &case_of(case)?, seed))),
        Task::Verify { part, request } => verify_here(registry, &part, &request, &say),
        Task::Describe { library } => say(match pqlab_foreign::describe(&library, awake_ns) {
            Ok(description) => Answer::Description(Box::new(description)),
            Err(error) => Answer::Refused(error.to_string()),
        }),
        Task::Inspect { request } => say(match inspect(registry, &request) {
            Ok(inspections) => Answer::Inspections(inspections),
            Err(error) => Answer::Refused(error.to_string()),
        }),
        Task::Pace { part, answers } => pace_here(registry, &part, answers).into_iter().for_each(say),
    }
    said.into_inner().unwrap_or_else(PoisonError::into_inner).1
}

/// What a process said; `None` where no process of this build says so.
pub(crate) fn understood(said: &str) -> Option<Answer> {
    serde_json::from_str(said).ok()
}

/// A process whose stream or end is not to be had.
pub(crate) fn lost(error: io::Error) -> LabError {
    LabError::system("a process of its own is lost")(error)
}

impl Laboratory {
    /// Tests whether the time of a case depends on its secret, in a process of its own: one that dies is a failed test.
    /// `progress` is told the share that is done, from 0 to 1. `None` where `stop` was set meanwhile.
    ///
    /// # Errors
    /// [`LabError::Worker`] where no process can be started, [`LabError::System`] where it is lost.
    pub fn measure_leak(
        &self,
        case: &LeakCase,
        request: &LeakRequest,
        progress: &mut dyn FnMut(f64),
        stop: &AtomicBool,
    ) -> Result<Option<LeakOutcome>, LabError> {
        let mut errand = self.start(&Task::Leak { case: case.to_string(), request: *request }, &Manner::default())?;
        let mut outcome = None;
        loop {
            match errand.next(stop).map_err(lost)? {
                Next::Said(said) => match understood(&said) {
                    Some(Answer::Done(share)) => progress(share),
                    Some(Answer::Leak(found)) => outcome = Some(*found),
                    _ => {}
                },
                Next::Ended => break,
                Next::Stopped => return Ok(None),
            }
        }
        let status = errand.end().map_err(lost)?.status;
        Ok(Some(match outcome {
            Some(outcome) if status.success() => outcome,
            _ => leak_without_figures(case, LeakConclusion::Failed, format!("its process ended: {status}")),
        }))
    }

    /// Runs the operation of a case once under valgrind with its secret tainted, in a process of its own, and tells which
    /// branches and addresses depend on it. `seed` is that of keys and inputs. `None` where `stop` was set meanwhile.
    ///
    /// # Errors
    /// [`LabError::Missing`] where valgrind is not installed, and as [`measure_leak`](Self::measure_leak).
    pub fn taint(&self, case: &LeakCase, seed: u64, stop: &AtomicBool) -> Result<Option<Tainted>, LabError> {
        let version = Command::new(VALGRIND).arg("--version").stdin(Stdio::null()).output();
        if !version.is_ok_and(|output| output.status.success()) {
            return Err(LabError::Missing { program: VALGRIND });
        }
        let wrapper = [VALGRIND].into_iter().chain(MEMCHECK).map(Into::into).collect();
        let task = Task::Taint { case: case.to_string(), seed };
        let mut errand = self.start(&task, &Manner { wrapper, keep_stderr: true })?;
        let mut answer = None;
        loop {
            match errand.next(stop).map_err(lost)? {
                Next::Said(said) => {
                    if let Some(Answer::Tainted(end)) = understood(&said) {
                        answer = Some(end);
                    }
                }
                Next::Ended => break,
                Next::Stopped => return Ok(None),
            }
        }
        let ended = errand.end().map_err(lost)?;
        let end = match answer {
            Some(end) if ended.status.success() => end,
            _ => TaintEnd { gap: Some(format!("its process ended: {}", ended.status)), unsupported: false },
        };
        Ok(Some(Tainted { case: case.to_string(), end, findings: taint_findings(&ended.stderr) }))
    }

    /// Starts a process with a task.
    pub(crate) fn start(&self, task: &Task, manner: &Manner) -> Result<Errand, LabError> {
        self.start_program(&self.program(), task, manner)
    }

    /// Likewise one that opens no library as it starts.
    pub(crate) fn start_without_libraries(&self, task: &Task, manner: &Manner) -> Result<Errand, LabError> {
        self.start_program(&self.program_without_libraries(), task, manner)
    }

    fn start_program(&self, program: &Program, task: &Task, manner: &Manner) -> Result<Errand, LabError> {
        let text = serde_json::to_string(task).map_err(|error| lost(io::Error::other(error)))?;
        Ok(Errand::start(program, text, manner, self.limits.request)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_no_build_knows_is_refused() {
        let registry = Registry::new(Vec::new());
        for task in ["", "{}", r#"{"Leak": {"case": "compare/x"}}"#] {
            let refused = serve(task, &registry, Vec::new()).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "{task}: {refused}");
        }
        let task = serde_json::to_string(&Task::Taint { case: "compare/nothing@built-in".into(), seed: 1 }).unwrap();
        assert!(serve(&task, &registry, Vec::new()).unwrap_err().to_string().contains("compare/nothing@built-in"));
    }

    #[test]
    fn what_a_task_says_is_understood() {
        let registry = Registry::new(Vec::new());
        let case = cases_of(&registry, &["compare/naive/*".into()]).unwrap()[0].to_string();
        let request =
            LeakRequest { samples: 4_000, effect_ns: 30.0, control_delay_ns: 50.0, max_time_s: 1.0, seed: 1, cases: 1 };
        let task = serde_json::to_string(&Task::Leak { case: case.clone(), request }).unwrap();
        let mut said = Vec::new();
        serve(&task, &registry, &mut said).unwrap();
        let mut said = said.as_slice();
        let mut shares = Vec::new();
        let outcome = loop {
            let text: String = wire::receive(&mut said).unwrap().unwrap();
            match understood(&text).unwrap() {
                Answer::Done(share) => shares.push(share),
                Answer::Leak(outcome) => break outcome,
                other => panic!("{other:?}"),
            }
        };
        assert!(shares.is_sorted() && !shares.is_empty(), "{shares:?}");
        assert_eq!((outcome.case, outcome.figures.unwrap().samples), (case, 4_000));
        assert!(understood("printed by a library").is_none());
    }
}
