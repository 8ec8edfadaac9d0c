//! Taint tests: mark a secret as tainted, run an operation under valgrind, and find the branches and memory addresses
//! that depend on the secret.

use super::timing::find_case;
use crate::running::errand::{Task, lost, read_answer};
use crate::{LabError, Laboratory};
use pqlab_harness::errand::{Manner, Next};
use pqlab_harness::leak::FIRST;
use pqlab_harness::taint::{self, CALLING, LOADING};
use pqlab_harness::{Fault, ending};
use pqlab_workloads::Registry;
use pqlab_workloads::leak::{LeakCase, LeakSubject, prepare};
use serde::{Deserialize, Serialize};
use std::io;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

/// Program that tracks tainted bytes through an operation.
const VALGRIND: &str = "valgrind";
/// Arguments for valgrind, with stacks deep enough to include the function that calls the operation.
const MEMCHECK: [&str; 3] = ["--tool=memcheck", "--error-limit=no", "--num-callers=60"];

/// A branch or memory address that depends on the secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TaintFinding {
    /// Whether the branch or address occurs while the library parses the key, not during the operation.
    pub parsing: bool,
    /// Kind of finding: `branch` or `address`.
    pub kind: &'static str,
    /// The innermost function on the stack.
    pub function: String,
    /// Source file and line of the function, or its shared library, if valgrind reports them.
    pub place: Option<String>,
}

/// Outcome of a run with a tainted secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaintEnd {
    /// Reason why the run did not finish; `None` if it finished.
    pub gap: Option<String>,
    /// Whether the test does not apply, because the inputs contain no secret or the library does not support the
    /// inputs. This is not a failure.
    pub unsupported: bool,
}

/// Result of a taint test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tainted {
    /// The case's id.
    pub case: String,
    /// Outcome of the run.
    pub end: TaintEnd,
    /// Branches and memory addresses that depend on the secret, without duplicates.
    pub findings: Vec<TaintFinding>,
}

/// Task: runs a case once with its secret tainted, under valgrind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TaintTask {
    /// The case's id.
    pub(crate) case: String,
    /// Seed for keys and inputs.
    pub(crate) seed: u64,
}

impl Task for TaintTask {
    const NAME: &'static str = "taint";
    type Answer = TaintEnd;

    fn carry_out(self, registry: &Registry, say: &(dyn Fn(TaintEnd) + Sync)) -> io::Result<()> {
        say(run_tainted(registry, &find_case(registry, self.case)?, self.seed));
        Ok(())
    }
}

impl Laboratory {
    /// Runs the operation of a case once in a separate process, under valgrind and with its secret tainted. Reports the
    /// branches and addresses that depend on the secret. Keys and inputs are derived from `seed`. Returns `None` if
    /// `stop` is set in the meantime.
    ///
    /// # Errors
    /// [`LabError::Missing`] if valgrind is not installed, and errors from [`measure_leak`](Self::measure_leak).
    pub fn taint(&self, case: &LeakCase, seed: u64, stop: &AtomicBool) -> Result<Option<Tainted>, LabError> {
        let version = Command::new(VALGRIND).arg("--version").stdin(Stdio::null()).output();
        if !version.is_ok_and(|output| output.status.success()) {
            return Err(LabError::Missing { program: VALGRIND });
        }
        let wrapper = [VALGRIND].into_iter().chain(MEMCHECK).map(Into::into).collect();
        let task = TaintTask { case: case.to_string(), seed };
        let mut errand = self.start(&task, &Manner { wrapper, keep_stderr: true })?;
        let mut answer = None;
        loop {
            match errand.next(stop).map_err(lost)? {
                Next::Said(message) => answer = read_answer::<TaintTask>(&message).or(answer),
                Next::Ended => break,
                Next::Stopped => return Ok(None),
            }
        }
        let ended = errand.end().map_err(lost)?;
        let end = match answer {
            Some(end) if ended.status.success() => end,
            _ => TaintEnd { gap: Some(format!("the process ended: {}", ending(ended.status))), unsupported: false },
        };
        Ok(Some(Tainted { case: case.to_string(), end, findings: taint_findings(&ended.stderr) }))
    }
}

/// Runs the operation of a case once with its secret tainted. The current process must be running under valgrind.
fn run_tainted(registry: &Registry, case: &LeakCase, seed: u64) -> TaintEnd {
    match try_run(registry, case, seed) {
        Ok(()) => TaintEnd { gap: None, unsupported: false },
        Err(Fault::Unsupported(reason)) => TaintEnd { gap: Some(reason), unsupported: true },
        Err(error) => TaintEnd { gap: Some(error.to_string()), unsupported: false },
    }
}

fn try_run(registry: &Registry, case: &LeakCase, seed: u64) -> Result<(), Fault> {
    let LeakSubject { mut target, pools, secret, .. } = prepare(case, registry.providers(), seed)?;
    if secret.is_empty() {
        return Err(Fault::Unsupported("all inputs are public, so there is nothing to taint".into()));
    }
    taint::run(target.as_mut(), &pools[FIRST][0], &secret)
}

/// Extracts the findings from valgrind's report, without duplicates. Ignores findings outside the functions that load
/// the tainted input and call the operation.
fn taint_findings(report: &str) -> Vec<TaintFinding> {
    let mut findings = Vec::new();
    let lines: Vec<&str> = report.lines().map(without_prefix).collect();
    for (at, line) in lines.iter().enumerate() {
        let kind = match line.trim() {
            text if text.starts_with("Conditional jump or move depends on uninitialised") => "branch",
            text if text.starts_with("Use of uninitialised value") => "address",
            _ => continue,
        };
        let frames: Vec<&str> = lines[at + 1..].iter().copied().map_while(frame).collect();
        let within = |name: &str| frames.iter().any(|frame| frame.contains(name));
        if !within(LOADING) && !within(CALLING) {
            continue;
        }
        let Some(innermost) = frames.first() else { continue };
        let (function, place) = match innermost.rsplit_once(" (") {
            Some((function, place)) => (function, Some(place.trim_end_matches(')').to_owned())),
            None => (*innermost, None),
        };
        findings.push(TaintFinding { parsing: within(LOADING), kind, function: function.to_owned(), place });
    }
    findings.sort();
    findings.dedup();
    findings
}

/// Strips the prefix `==1234==` from a line of the report.
fn without_prefix(line: &str) -> &str {
    let rest = line.strip_prefix("==").and_then(|rest| rest.split_once("=="));
    rest.map_or(line, |(_, text)| text)
}

/// Returns the function and its location from a line of a stack trace: the text after the address. Returns `None` for
/// other lines.
fn frame(line: &str) -> Option<&str> {
    let line = line.trim();
    let rest = line.strip_prefix("at 0x").or_else(|| line.strip_prefix("by 0x"))?;
    rest.split_once(": ").map(|(_, function)| function)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "==7== Memcheck, a memory error detector
==7== Conditional jump or move depends on uninitialised value(s)
==7==    at 0x48: strlen (string.c:12)
==7==    by 0x49: main (main.rs:3)
==7==
==7== Conditional jump or move depends on uninitialised value(s)
==7==    at 0x50: naive (built_in.rs:88)
==7==    by 0x51: pqlab_harness::taint::call_tainted (taint.rs:51)
==7==    by 0x52: main (main.rs:3)
==7==
==7== Use of uninitialised value of size 8
==7==    at 0x60: table_lookup (in /usr/lib/libx.so)
==7==    by 0x61: pqlab_harness::taint::load_tainted (taint.rs:45)
==7==
==7== Conditional jump or move depends on uninitialised value(s)
==7==    at 0x50: naive (built_in.rs:88)
==7==    by 0x51: pqlab_harness::taint::call_tainted (taint.rs:51)
==7==
";

    #[test]
    fn findings_are_unique_and_lie_within_the_tainted_call() {
        let finding = |parsing, kind, function: &str, place: &str| TaintFinding {
            parsing,
            kind,
            function: function.into(),
            place: Some(place.into()),
        };
        assert_eq!(
            taint_findings(REPORT),
            [
                finding(false, "branch", "naive", "built_in.rs:88"),
                finding(true, "address", "table_lookup", "in /usr/lib/libx.so")
            ]
        );
        assert!(taint_findings("").is_empty());
    }
}
