//! `pqlab leak --taint`: runs each operation once under valgrind with its secret tainted.

use crate::args::LeakArgs;
use crate::output::{self, Terminal};
use crate::signals::stop_on_signals;
use crate::{DONE, FAILED, INCONCLUSIVE, INTERRUPTED};
use pqlab_lab::report::terminal::TextStyle;
use pqlab_lab::{Laboratory, LeakCase, TaintEnd, TaintFinding, Tainted, taint_document};

pub(super) fn run(
    laboratory: &Laboratory,
    cases: &[LeakCase],
    arguments: &LeakArgs,
    terminal: &Terminal,
) -> anyhow::Result<u8> {
    let stop = stop_on_signals()?;
    let mut take = |tainted: &Tainted| {
        if !arguments.output.is_json() {
            output::data(&sentence(tainted, terminal))?;
        }
        Ok::<(), anyhow::Error>(())
    };
    let Some(all) = laboratory.taint_all(cases, arguments.seed, &mut take, &stop)? else { return Ok(INTERRUPTED) };
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&taint_document(&all))?)?;
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

fn sentence(tainted: &Tainted, terminal: &Terminal) -> String {
    let (word, role) = match tainted {
        Tainted { findings, .. } if !findings.is_empty() => ("DEPENDS", TextStyle::Bad),
        Tainted { end: TaintEnd { gap: Some(_), unsupported: true }, .. } => ("unsupported", TextStyle::Faint),
        Tainted { end: TaintEnd { gap: Some(_), .. }, .. } => ("FAILED", TextStyle::Bad),
        _ => ("nothing found", TextStyle::Good),
    };
    let mut text = format!("{}  {}\n", terminal.palette.paint(role, &format!("{word:<18}")), tainted.case);
    for TaintFinding { parsing, kind, function, place } in &tainted.findings {
        let place = place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
        let when = if *parsing { ", during key parsing" } else { "" };
        text.push_str(&format!("{:20}{kind} in {function}{place}{when}\n", ""));
    }
    if let Some(gap) = &tainted.end.gap {
        text.push_str(&format!("{:20}{gap}\n", ""));
    }
    text
}
