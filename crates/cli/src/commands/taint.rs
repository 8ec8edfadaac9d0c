//! `pqlab leak --taint`: each operation once, under valgrind, with its secret tainted.

use crate::args::LeakArgs;
use crate::output::{self, BadInput, Terminal};
use crate::{DONE, FAILED, INCONCLUSIVE};
use pqlab_lab::report::terminal::Role;
use pqlab_lab::{Laboratory, LeakCase, LeakRole, TaintEnd, TaintFinding, run_tainted, taint_findings};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Frames of a stack: enough to reach the function that calls the operation.
const FRAMES: &str = "--num-callers=60";

/// What came of one case.
struct Tainted {
    case: String,
    end: TaintEnd,
    findings: Vec<TaintFinding>,
}

pub(super) fn run(cases: &[LeakCase], arguments: &LeakArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    if !Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        let text =
            "--taint needs valgrind, which is not installed: install the package `valgrind`, or leave out --taint";
        return Err(BadInput(text.into()).into());
    }
    let mut all = Vec::new();
    for case in cases.iter().filter(|case| case.role == LeakRole::Secret) {
        let tainted = ask_part(case, arguments)?;
        if !arguments.json {
            output::data(&sentence(&tainted, terminal))?;
        }
        all.push(tainted);
    }
    if arguments.json {
        let entry =
            |tainted: &Tainted| json!({"case": tainted.case, "gap": tainted.end.gap, "findings": tainted.findings});
        let tests: Vec<Value> = all.iter().map(entry).collect();
        output::json(&serde_json::to_string_pretty(&json!({"schema": "pqlab-taint/1", "tests": tests}))?)?;
    }
    let bad = |tainted: &Tainted| !tainted.findings.is_empty() || tainted.end.gap.is_some() && !tainted.end.unsupported;
    Ok(if all.iter().any(bad) {
        FAILED
    } else if all.iter().all(|tainted| tainted.end.gap.is_some()) {
        INCONCLUSIVE
    } else {
        DONE
    })
}

/// What a process under valgrind does.
pub(super) fn run_part(laboratory: &Laboratory, case: &LeakCase, arguments: &LeakArgs) -> anyhow::Result<u8> {
    output::json(&json!({"tainted": run_tainted(laboratory, case, arguments.seed)}).to_string())?;
    Ok(DONE)
}

fn ask_part(case: &LeakCase, arguments: &LeakArgs) -> anyhow::Result<Tainted> {
    let output = Command::new("valgrind")
        .args(["--tool=memcheck", "--error-limit=no", FRAMES])
        .arg(std::env::current_exe()?)
        .args(["leak", &case.to_string(), "--taint", "--part", "--family", "1"])
        .args(["--seed", &arguments.seed.to_string()])
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let end =
        answer.filter_map(|mut message| serde_json::from_value::<TaintEnd>(message["tainted"].take()).ok()).next_back();
    let end = match end {
        Some(end) if output.status.success() => end,
        _ => TaintEnd { gap: Some(format!("its process ended: {}", output.status)), unsupported: false },
    };
    let findings = taint_findings(&String::from_utf8_lossy(&output.stderr));
    Ok(Tainted { case: case.to_string(), end, findings })
}

fn sentence(tainted: &Tainted, terminal: &Terminal) -> String {
    let (word, role) = match tainted {
        Tainted { findings, .. } if !findings.is_empty() => ("DEPENDS", Role::Bad),
        Tainted { end: TaintEnd { gap: Some(_), unsupported: true }, .. } => ("unsupported", Role::Faint),
        Tainted { end: TaintEnd { gap: Some(_), .. }, .. } => ("FAILED", Role::Bad),
        _ => ("nothing found", Role::Good),
    };
    let mut text = format!("{}  {}\n", terminal.palette.paint(role, &format!("{word:<18}")), tainted.case);
    for TaintFinding { parsing, kind, function, place } in &tainted.findings {
        let place = place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
        let when = if *parsing { ", while the key is parsed" } else { "" };
        text.push_str(&format!("{:20}{kind} in {function}{place}{when}\n", ""));
    }
    if let Some(gap) = &tainted.end.gap {
        text.push_str(&format!("{:20}{gap}\n", ""));
    }
    text
}
