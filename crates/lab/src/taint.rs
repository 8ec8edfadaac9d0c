//! The secret-tainting run: what valgrind reports of branches and addresses that depend on a secret.

use pqlab_harness::Fault;
use pqlab_harness::leak::FIRST;
use pqlab_harness::taint::{self, CALLING, LOADING};
use pqlab_workloads::Registry;
use pqlab_workloads::leak::{LeakCase, LeakSubject, prepare};
use serde::{Deserialize, Serialize};

/// Something that depends on the secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TaintFinding {
    /// Whether the key is being parsed, and not the operation at work.
    pub parsing: bool,
    /// `branch` or `address`.
    pub kind: &'static str,
    /// The innermost function.
    pub function: String,
    /// Its file and line, where the build knows them.
    pub place: Option<String>,
}

/// How a tainted run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaintEnd {
    /// Why it did not come to its end.
    pub gap: Option<String>,
    /// Whether that is no failure: the inputs hold no secret, or the library does not take them.
    pub unsupported: bool,
}

/// A case, and what of it depends on its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tainted {
    /// The case's id.
    pub case: String,
    /// How its run ended.
    pub end: TaintEnd,
    /// Branches and addresses that depend on the secret.
    pub findings: Vec<TaintFinding>,
}

/// Runs the operation of a case once with its secret tainted. To be called in a process under valgrind.
pub(crate) fn run_tainted(registry: &Registry, case: &LeakCase, seed: u64) -> TaintEnd {
    match try_run(registry, case, seed) {
        Ok(()) => TaintEnd { gap: None, unsupported: false },
        Err(Fault::Unsupported(reason)) => TaintEnd { gap: Some(reason), unsupported: true },
        Err(error) => TaintEnd { gap: Some(error.to_string()), unsupported: false },
    }
}

fn try_run(registry: &Registry, case: &LeakCase, seed: u64) -> Result<(), Fault> {
    let LeakSubject { mut target, pools, secret, .. } = prepare(case, registry.providers(), seed)?;
    if secret.is_empty() {
        return Err(Fault::Unsupported("its inputs are public: there is nothing to taint".into()));
    }
    taint::run(target.as_mut(), &pools[FIRST][0], &secret)
}

/// Reads valgrind's report: what happened while the tainted input was loaded or worked on, each finding once.
pub(crate) fn taint_findings(report: &str) -> Vec<TaintFinding> {
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

/// A line of the report without `==1234== `.
fn without_prefix(line: &str) -> &str {
    let rest = line.strip_prefix("==").and_then(|rest| rest.split_once("=="));
    rest.map_or(line, |(_, text)| text)
}

/// What a line of a stack says behind its address.
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
    fn what_happens_outside_of_the_tainted_call_is_left_out_and_the_rest_is_said_once() {
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
