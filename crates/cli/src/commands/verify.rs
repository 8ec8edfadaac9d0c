//! `pqlab verify`: prints the results of checks, and determines the exit code.

use crate::args::{VerifyArgs, VerifyFormat};
use crate::duration::duration_text;
use crate::output::{self, BadInput, Terminal};
use crate::signals::stop_on_signals;
use crate::{DONE, FAILED, INTERRUPTED, KNOWN_DEFECTS};
use indicatif::{ProgressBar, ProgressStyle};
use pqlab_lab::analysis::number::grouped;
use pqlab_lab::analysis::text::neutral;
use pqlab_lab::verification::{self, Answers, Line, Totals, Vectors};
use pqlab_lab::{Found, Verified, VerifyPart, VerifyRequest};
use std::io::{IsTerminal, stderr};
use std::time::Duration;

pub(crate) fn run(arguments: &VerifyArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let laboratory = arguments.foreign.laboratory()?.with_limits(Duration::from_secs(arguments.time_limit));
    let request = VerifyRequest {
        providers: arguments.provider.clone(),
        algorithms: arguments.algorithm.clone(),
        interoperability: !arguments.no_interop,
        answers: answers(arguments)?,
        kept_in: verification::cache().map(|cache| cache.join("verify")),
    };
    let parts = laboratory.verify_parts(&request)?;
    let acvp = verification::acvp_releases(&Vectors::here());
    print_vector_sources(&acvp);
    let stop = stop_on_signals()?;
    if request.answers != Answers::Short {
        let extent = laboratory.verify_extent(&parts, &request, &stop)?;
        output::talk(&format!(
            "accumulated vectors: {} more answers, which take about {}; \
             to resume after an interruption, repeat the command",
            grouped(extent.answers),
            duration_text(extent.seconds)
        ));
    }
    let mut found = Found::default();
    let bar = bar(parts.len());
    let mut take = |part: &VerifyPart, what: Verified| {
        let name = neutral(&format!("{} {}", part.provider(), part.algorithm()));
        match what {
            Verified::Done => bar.inc(1),
            Verified::Answers(done, all) => bar.set_message(format!("{name}: {} of {}", grouped(done), grouped(all))),
            Verified::Line(line) => {
                bar.set_message(name);
                if arguments.all && arguments.format == VerifyFormat::Text {
                    bar.suspend(|| output::data(&sentence(&line)))?;
                }
                found.lines.push((part.clone(), line));
            }
            Verified::EdgeCases(edge_cases) => found.edge_cases.push((part.clone(), edge_cases)),
        }
        Ok::<(), anyhow::Error>(())
    };
    let whole = laboratory.verify(&parts, &request, &mut take, &stop);
    bar.finish_and_clear();
    if !whole? {
        return Ok(INTERRUPTED);
    }
    let (vectors, pairs, edge_cases) = found.in_order(&parts);
    let totals = Totals::count(vectors.iter().chain(&pairs));
    match arguments.format {
        VerifyFormat::Text => {
            let lead = if arguments.all { "\n" } else { "" };
            let page = verification::page(&vectors, &pairs, &edge_cases, terminal.page());
            output::data(&format!("{lead}{page}"))?;
        }
        VerifyFormat::Markdown => {
            let (table, matrix) = (verification::table(&vectors), verification::matrix(&pairs));
            output::data(&format!(
                "## Vectors and known answers\n\n{table}\n## Every provider against every other\n\n{matrix}"
            ))?;
            output::talk(&verification::sum(&totals));
        }
        VerifyFormat::Json => {
            output::json(&verification::json(&vectors, &pairs, &edge_cases, &acvp)?)?;
            output::talk(&verification::sum(&totals));
        }
    }
    output::talk(&format!("verified in {}", duration_text(bar.elapsed().as_secs_f64())));
    Ok(match (totals.failed, totals.defects) {
        (0, 0) => DONE,
        (0, _) => KNOWN_DEFECTS,
        _ => FAILED,
    })
}

/// Returns the number of accumulated answers to check.
fn answers(arguments: &VerifyArgs) -> Result<Answers, BadInput> {
    match arguments.accumulated {
        None if arguments.long => Ok(Answers::Long),
        None => Ok(Answers::Short),
        Some(answers) => Answers::up_to(answers).map_err(|error| BadInput(format!("--accumulated {answers}: {error}"))),
    }
}

/// Prints the source of the published vectors, and the ACVP releases that NIST's files belong to.
fn print_vector_sources(acvp: &[&str]) {
    let source = match (verification::vectors_root(), verification::fetched_vectors()) {
        (Some(root), _) => root.display().to_string(),
        (None, Some(fetched)) => format!("built in, and {}", fetched.display()),
        (None, None) => "built in; `make vectors` fetches more".to_owned(),
    };
    let release = if acvp.is_empty() { String::new() } else { format!(" (ACVP release {})", acvp.join(", ")) };
    output::talk(&format!("published vectors: {source}{release}"));
}

fn bar(parts: usize) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "[{elapsed_precise}] {bar:30} {pos} of {len}  {wide_msg}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(parts as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// Returns the line that `--all` prints for a check.
fn sentence(line: &Line) -> String {
    let pair = match &line.peer {
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
    format!("{verdict:<7} {pair:<32} {:<26} {:<34} {figures:>9}{notes}", line.algorithm, line.suite)
}
