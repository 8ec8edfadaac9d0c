//! `pqlab verify`: its lines, its documents and its exit codes.

use super::laboratory;
use super::run::stop_on_signals;
use crate::args::{VerifyArgs, VerifyFormat};
use crate::output;
use crate::{DONE, FAILED, INTERRUPTED};
use pqlab_lab::verification::{self, Line, Totals};
use pqlab_lab::{VerifyPart, VerifyRequest};

pub(crate) fn run(arguments: &VerifyArgs) -> anyhow::Result<u8> {
    let laboratory = laboratory()?;
    let vectors = verification::vectors_root();
    match &vectors {
        Some(root) => output::talk(&format!("published vectors: {}", root.display())),
        None => {
            output::talk("published vectors: none found, their lines are skipped; name their folder in PQLAB_VECTORS")
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut pairs: Vec<Line> = Vec::new();
    let mut take = |part: &VerifyPart, line: Line| {
        if arguments.format == VerifyFormat::Text {
            output::data(&sentence(&line))?;
        }
        let into = if *part == VerifyPart::Interoperability { &mut pairs } else { &mut lines };
        into.push(line);
        Ok::<(), anyhow::Error>(())
    };
    let request = VerifyRequest {
        providers: arguments.provider.clone(),
        algorithms: arguments.algorithm.clone(),
        interoperability: !arguments.no_interop,
    };
    let stop = stop_on_signals()?;
    if !laboratory.verify(&request, &mut take, &stop)? {
        return Ok(INTERRUPTED);
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
