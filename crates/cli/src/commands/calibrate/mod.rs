mod between;
mod independence;
mod runs;

use crate::args::CalibrateArgs;
use crate::output::Terminal;
use crate::progress::bar_style;
use crate::signals::stop_on_signals;
use crate::{DONE, INTERRUPTED, laboratory, output};
use indicatif::ProgressBar;
use pqlab_lab::Progress;
use pqlab_lab::record::{Case, MachineNoise, Protocol, Record, RunHeader};
use runs::{START_S, announce};
use std::io::{IsTerminal, stderr};

pub(crate) fn run(arguments: &CalibrateArgs, screen: &Terminal) -> anyhow::Result<u8> {
    if arguments.independence {
        return independence::run(arguments, screen);
    }
    if let Some(runs) = arguments.between {
        return between::run(arguments, runs);
    }
    if arguments.measured.names_cases() {
        return Err(output::BadInput(
            "suites, filters and seeds need --independence or --between: see `pqlab calibrate --help`".into(),
        )
        .into());
    }
    noise(arguments)
}

/// Compares a case with itself repeatedly, and stores the noise of the machine.
fn noise(arguments: &CalibrateArgs) -> anyhow::Result<u8> {
    let laboratory = laboratory::open()?;
    let case = &laboratory.noise_case(&arguments.case)?;
    let mut store = arguments.database.open()?;
    let stop = stop_on_signals()?;
    let mut protocol = Protocol::default();
    arguments.measured.overrides().apply(&mut protocol);
    let seconds = 2.0 * f64::from(arguments.comparisons) * (protocol.max_time_s + START_S);
    announce(&format!("comparing {} with itself {} times", case.id(), arguments.comparisons), seconds);
    let comparisons = arguments.comparisons as usize;
    let mut runs = RunsDone(match stderr().is_terminal() {
        true => ProgressBar::new(2 * u64::from(arguments.comparisons)).with_style(bar_style()),
        false => ProgressBar::hidden(),
    });
    let found = laboratory.measure_noise(case, &protocol, comparisons, &mut runs, &stop);
    runs.0.finish_and_clear();
    let Some(noise) = found? else { return Ok(INTERRUPTED) };
    store.save_noise(&noise)?;
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&noise)?)?;
        return Ok(DONE);
    }
    let MachineNoise { comparisons, false_verdicts, run_spread_pct, margin_pct, smallest_difference_pct, .. } = &noise;
    let (unit, cycles) = match noise.run_spread_cycles_pct {
        Some(pct) => ("core cycles", format!("; {pct:.2}% of core cycles")),
        None => ("time", String::new()),
    };
    let case = &noise.case;
    output::data(&format!(
        "false verdicts in {unit}, comparing {case} with itself: {false_verdicts} of {comparisons}"
    ))?;
    output::data(&format!(
        "run-to-run standard deviation, excluding differences between processes: {run_spread_pct:.2}% of time{cycles}"
    ))?;
    output::data(&format!(
        "margin for later comparisons: {margin_pct:.2}% (19 of 20 comparisons were equivalent within this margin)"
    ))?;
    output::data(&format!("smallest difference that 19 of 20 comparisons detect: {smallest_difference_pct:.2}%"))?;
    Ok(DONE)
}

/// Progress bar that counts runs, each with a single case. Disturbed runs are repeated, so the total can grow.
struct RunsDone(ProgressBar);

impl Progress for RunsDone {
    fn begin(&mut self, _header: &RunHeader, _remaining: usize) {
        let total = self.0.length().unwrap_or(0).max(self.0.position() + 1);
        self.0.set_length(total);
        self.0.set_message(format!("run {} of {total}", self.0.position() + 1));
    }

    fn working(&mut self, _case: &Case, _done: f64) {
        self.0.tick();
    }

    fn finished(&mut self, _header: &RunHeader, _record: &Record) {
        self.0.inc(1);
    }

    fn note(&mut self, text: &str) {
        self.0.suspend(|| output::talk(text));
    }
}
