//! `pqlab calibrate --independence`: tests whether a case gives a different result if the run also measures other
//! cases.

use super::runs::{ManyRuns, START_S, announce};
use crate::args::CalibrateArgs;
use crate::output::Terminal;
use crate::signals::stop_on_signals;
use crate::table::table;
use crate::{DONE, FAILED, INTERRUPTED, laboratory, output};
use pqlab_lab::record::Unit;
use pqlab_lab::{DIFFERENCES_PCT, Dependence, Independence, IndependenceRequest};

pub(super) fn run(arguments: &CalibrateArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let laboratory = laboratory::open()?;
    let plan = arguments.measured.plan(&laboratory)?;
    let stop = stop_on_signals()?;
    let repetitions = arguments.repetitions;
    let judged = plan.cases.iter().filter(|case| !case.is_overhead()).count();
    let all = (plan.cases.len() + judged) * repetitions as usize;
    announce(
        &format!("measuring {judged} cases together and each alone, {}, with the same seed", times(repetitions)),
        all as f64 * plan.protocol.max_time_s + f64::from(repetitions) * (judged + 1) as f64 * START_S,
    );
    let request = IndependenceRequest { repetitions, seed: arguments.measured.seed, command: output::command_line() };
    let mut progress = ManyRuns::new(all);
    let found = laboratory.measure_independence(&plan, &request, &mut progress, &stop);
    progress.end();
    let Some(found) = found? else { return Ok(INTERRUPTED) };
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&found.to_json())?)?;
    } else {
        for line in lines(&found, screen.width) {
            output::data(&line)?;
        }
    }
    Ok(if found.holds() { DONE } else { FAILED })
}

fn times(repetitions: u32) -> String {
    if repetitions == 1 { "once".into() } else { format!("{repetitions} times") }
}

fn lines(found: &Independence, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for by_rejection in [false, true] {
        let summary = found.summary(by_rejection);
        if summary.cases == 0 {
            continue;
        }
        if by_rejection {
            lines.push("\nRejection signing and key generation by trial (with a random number of attempts):".into());
        }
        let mut changed: Vec<&Dependence> = found.of_kind(by_rejection).filter(|case| case.excludes_one()).collect();
        changed.sort_by(|one, other| one.p_value.total_cmp(&other.p_value));
        if !changed.is_empty() {
            let heads = ["case", "alone / together", "95% interval", "each repetition", "unit", "adjusted p"];
            lines.push(table(&heads, changed.into_iter().map(row).collect(), width));
        }
        lines.push(format!(
            "the 95% interval of the ratio excludes 1 in {} of {} cases ({:.1} are expected by chance)",
            summary.excluding, summary.cases, summary.by_chance
        ));
        lines.push(format!("still significant after correction for the number of cases: {}", summary.remaining));
        let always = DIFFERENCES_PCT.iter().zip(summary.always);
        let always: Vec<String> = always.map(|(pct, count)| format!("{count} by more than {pct}%")).collect();
        lines.push(format!(
            "cases that differ in the same direction {}: {}",
            each_time(found.repetitions),
            always.join(", ")
        ));
    }
    if !found.left_out.is_empty() {
        lines.push(String::new());
    }
    lines.extend(found.left_out.iter().map(|(case, reason)| format!("left out {case}: {reason}")));
    lines.push(format!(
        "\nAll runs used seed {}. A case therefore had the same messages together and alone, and the same keys if its \
         library accepts a seed.",
        found.seed
    ));
    lines
}

fn each_time(repetitions: u32) -> String {
    if repetitions == 1 { "in the only repetition".into() } else { format!("in all {repetitions} repetitions") }
}

fn row(case: &Dependence) -> Vec<String> {
    let [low, high] = case.ratio_ci;
    let each: Vec<String> = case.ratios.iter().map(|ratio| format!("{ratio:.3}")).collect();
    let unit = if case.unit == Unit::CoreCycles { "cycles" } else { "time" };
    let disturbed = if case.contended { " (disturbed)" } else { "" };
    vec![
        format!("{}{disturbed}", case.case),
        format!("{:.4}", case.ratio),
        format!("{low:.4} to {high:.4}"),
        each.join(" "),
        unit.into(),
        format!("{:.2e}", case.adjusted_p),
    ]
}
