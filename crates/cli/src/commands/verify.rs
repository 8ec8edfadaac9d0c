//! `pqlab verify`: each provider in a process of its own, so that one that crashes is a failed line and the rest goes on.

use super::laboratory;
use crate::args::{VerifyArgs, VerifyFormat};
use crate::output::{self, BadInput};
use crate::{DONE, FAILED};
use anyhow::Context;
use pqlab_lab::verification::{self, Line, Totals, Vectors};
use pqlab_lab::{Laboratory, matches};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The part of the verification that asks every provider against every other.
const INTEROPERABILITY: &str = "interoperability";

pub(crate) fn run(arguments: &VerifyArgs) -> anyhow::Result<u8> {
    let laboratory = laboratory()?;
    if let Some(part) = &arguments.part {
        return verify_part(&laboratory, part, arguments);
    }
    check_names(&laboratory, arguments)?;
    let vectors = verification::vectors_root();
    match &vectors {
        Some(root) => output::talk(&format!("published vectors: {}", root.display())),
        None => {
            output::talk("published vectors: none found, their lines are skipped; name their folder in PQLAB_VECTORS")
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut pairs: Vec<Line> = Vec::new();
    for part in parts(&laboratory, arguments) {
        let into = if part == INTEROPERABILITY { &mut pairs } else { &mut lines };
        ask_part(&part, arguments, &mut |line| {
            if arguments.format == VerifyFormat::Text {
                output::data(&sentence(&line))?;
            }
            into.push(line);
            Ok(())
        })?;
    }
    match arguments.format {
        VerifyFormat::Text => {}
        VerifyFormat::Markdown => {
            let (table, matrix) = (verification::table(&lines), verification::matrix(&pairs));
            output::data(&format!(
                "## Vectors and known answers\n\n{table}\n## Every provider against every other\n\n{matrix}"
            ))?;
        }
        VerifyFormat::Json => output::json(&verification::json(&lines, &pairs)?)?,
    }
    let totals = Totals::of(lines.iter().chain(&pairs));
    output::talk(&format!(
        "{} lines: {} attempted, {} passed, {} failed, {} known defects, {} unsupported, {} lines skipped",
        totals.lines,
        totals.attempted,
        totals.passed,
        totals.failed,
        totals.defects,
        totals.unsupported,
        totals.skipped
    ));
    Ok(if totals.failed == 0 { DONE } else { FAILED })
}

/// One process for each provider, and one for the matrix.
fn parts(laboratory: &Laboratory, arguments: &VerifyArgs) -> Vec<String> {
    let providers = laboratory.registry().providers().iter().map(|provider| provider.id());
    let mut parts: Vec<String> = providers.filter(|id| id != "null" && selected(&arguments.provider, id)).collect();
    if !arguments.no_interop {
        parts.push(INTEROPERABILITY.into());
    }
    parts
}

fn selected(patterns: &[String], name: &str) -> bool {
    let library = name.split(':').next().unwrap_or(name);
    patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, name) || matches(pattern, library))
}

fn check_names(laboratory: &Laboratory, arguments: &VerifyArgs) -> Result<(), BadInput> {
    let providers = laboratory.registry().providers();
    for pattern in &arguments.provider {
        if !providers.iter().any(|provider| selected(std::slice::from_ref(pattern), &provider.id())) {
            return Err(BadInput(format!("no provider is called {pattern:?}: see `pqlab list providers`")));
        }
    }
    for pattern in &arguments.algorithm {
        if !providers.iter().flat_map(|provider| provider.algorithms()).any(|name| matches(pattern, &name)) {
            return Err(BadInput(format!("no algorithm is called {pattern:?}: see `pqlab list algorithms`")));
        }
    }
    Ok(())
}

/// What a process of its own does: one provider, or the matrix; a line of JSON for each line.
fn verify_part(laboratory: &Laboratory, part: &str, arguments: &VerifyArgs) -> anyhow::Result<u8> {
    let mut written = Ok(());
    let mut report = |line: Line| {
        if written.is_ok() {
            written =
                serde_json::to_string(&line).map_err(anyhow::Error::from).and_then(|json| Ok(output::json(&json)?));
        }
    };
    let providers = laboratory.registry().providers();
    if part == INTEROPERABILITY {
        let select = |provider: &str, algorithm: &str, _: &str| {
            selected(&arguments.provider, provider) && selected(&arguments.algorithm, algorithm)
        };
        verification::interop(providers, &select, &mut report);
    } else {
        let select =
            |provider: &str, algorithm: &str, _: &str| provider == part && selected(&arguments.algorithm, algorithm);
        verification::verify_known_answers(providers, &select, &mut report);
        verification::verify(providers, &Vectors::new(verification::vectors_root()), &select, &mut report);
    }
    written?;
    Ok(DONE)
}

/// Starts the process of a part and takes its lines. If it dies, that is a failed line.
fn ask_part(
    part: &str,
    arguments: &VerifyArgs,
    take: &mut dyn FnMut(Line) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("verify").args(["--part", part]);
    for (flag, values) in [("--provider", &arguments.provider), ("--algorithm", &arguments.algorithm)] {
        values.iter().for_each(|value| {
            command.args([flag, value]);
        });
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().context("a child has the pipe that it was given")?;
    let mut last = "before its first line".to_owned();
    let mut strange = 0_u64;
    for line in BufReader::new(stdout).lines() {
        match serde_json::from_str::<Line>(&line?) {
            Ok(line) => {
                last = format!("after {} {}", line.algorithm, line.suite);
                take(line)?;
            }
            Err(_) => strange += 1,
        }
    }
    let status = child.wait()?;
    let failed = |what: String| Line {
        provider: part.to_owned(),
        algorithm: "all".into(),
        suite: "the process itself".into(),
        attempted: 1,
        failures: vec![what],
        ..Line::default()
    };
    if strange > 0 {
        take(failed(format!("a library wrote {strange} lines to standard output")))?;
    }
    if !status.success() {
        take(failed(format!("it ended {last}: {status}")))?;
    }
    Ok(())
}

/// A line for people.
fn sentence(line: &Line) -> String {
    let who = match &line.peer {
        Some(peer) => format!("{} -> {peer}", line.provider),
        None => line.provider.clone(),
    };
    let verdict = match (line.failed(), &line.skipped, line.attempted) {
        (1.., _, _) => "FAILED",
        (0, Some(_), _) => "skipped",
        (0, None, 0) => "gap",
        (0, None, _) => "passed",
    };
    let mut notes: Vec<String> = line.failures.clone();
    notes.extend(line.skipped.clone());
    let counted = line.defects.iter().map(|reason| ("known defect", reason));
    let counted = counted.chain(line.reasons.iter().map(|reason| ("unsupported", reason)));
    notes.extend(counted.map(|(what, reason)| format!("{} {what}: {}", reason.count, reason.reason)));
    let figures = format!("{}/{}", line.passed, line.attempted);
    let notes = if notes.is_empty() { String::new() } else { format!("  {}", notes.join("; ")) };
    format!("{verdict:<7} {who:<32} {:<26} {:<34} {figures:>9}{notes}", line.algorithm, line.suite)
}
