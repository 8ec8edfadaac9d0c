//! `pqlab calibrate --between`: repeats a run, and counts how many intervals contain the mean of the other runs.

use super::runs::{ManyRuns, START_S, announce};
use crate::args::CalibrateArgs;
use crate::signals::stop_on_signals;
use crate::{DONE, INTERRUPTED, laboratory, output};
use pqlab_lab::{Agreement, Between, BetweenRequest};
use std::time::Duration;

pub(super) fn run(arguments: &CalibrateArgs, runs: u32) -> anyhow::Result<u8> {
    let pause = Duration::try_from_secs_f64(arguments.pause)
        .map_err(|error| output::BadInput(format!("--pause {}: {error}", arguments.pause)))?;
    let laboratory = laboratory::open()?;
    let plan = arguments.measured.plan(&laboratory)?;
    let stop = stop_on_signals()?;
    let all = plan.cases.len() * runs as usize;
    let cases = match plan.cases.len() {
        1 => "1 case".to_owned(),
        count => format!("{count} cases"),
    };
    let what = format!("measuring {cases} {runs} times, with {} s between runs", arguments.pause);
    let pauses_s = f64::from(runs - 1) * arguments.pause;
    announce(&what, all as f64 * plan.protocol.max_time_s + f64::from(runs) * START_S + pauses_s);
    let request = BetweenRequest { runs, pause, seed: arguments.measured.seed, command: output::command_line() };
    let mut progress = ManyRuns::new(all);
    let found = laboratory.measure_between(&plan, &request, &mut progress, &stop);
    progress.end();
    let Some(found) = found? else { return Ok(INTERRUPTED) };
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&found.to_json())?)?;
    } else {
        for line in lines(&found) {
            output::data(&line)?;
        }
    }
    Ok(DONE)
}

fn lines(found: &Between) -> Vec<String> {
    let mut lines =
        vec![format!("runs: {}; cases: {}; pause between runs: {} s", found.runs, found.cases, found.pause_s)];
    for (name, agreement) in [("time", &found.time), ("core cycles", &found.cycles)] {
        lines.push(line(name, agreement));
    }
    let mut sources: Vec<&str> = found.run_spreads.iter().map(|spreads| spreads.source.as_str()).collect();
    sources.dedup();
    lines.push(format!("run-to-run spread assumed by the intervals: {}", sources.join(", then ")));
    if found.contended > 0 {
        lines.push(format!("disturbed results: {}; without them:", found.contended));
        lines.push(line("time", &found.undisturbed.time));
        lines.push(line("core cycles", &found.undisturbed.cycles));
    }
    lines
}

fn line(name: &str, agreement: &Agreement) -> String {
    let Agreement { intervals, covering, half_width_pct, spread_pct } = agreement;
    let (Some(coverage), Some(half), Some(spread)) = (agreement.coverage_pct(), half_width_pct, spread_pct) else {
        return format!("{name}: unknown");
    };
    format!(
        "{name}: {covering} of {intervals} intervals ({coverage:.1}%) contain the mean of the other runs; median \
         half-width {half:.2}%; runs differ by {spread:.2}% (standard deviation, median over cases)"
    )
}
