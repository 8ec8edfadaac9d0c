mod between;
mod independence;
mod runs;

use crate::args::DoctorArgs;
use crate::output::Terminal;
use crate::progress::bar_style;
use crate::signals::stop_on_signals;
use crate::{DONE, INTERRUPTED, laboratory, output};
use indicatif::ProgressBar;
use pqlab_lab::analysis::environment::environment_line;
use pqlab_lab::record::{Case, MachineNoise, Protocol, Record, RunHeader};
use pqlab_lab::report::terminal::{Palette, TextStyle};
use pqlab_lab::{Progress, Severity, counters, severity_word};
use std::io::{IsTerminal, stderr};

pub(crate) fn run(arguments: &DoctorArgs, screen: &Terminal) -> anyhow::Result<u8> {
    if arguments.independence {
        return independence::run(arguments, screen);
    }
    if let Some(runs) = arguments.between {
        return between::run(arguments, runs);
    }
    if arguments.measured.names_cases() {
        return Err(output::BadInput(
            "suites, filters and seeds need --independence or --between: see `pqlab doctor --help`".into(),
        )
        .into());
    }
    if arguments.measured.has_rules() && !arguments.aa {
        return Err(output::BadInput(
            "measuring rules need --aa, --independence or --between: see `pqlab doctor --help`".into(),
        )
        .into());
    }
    if arguments.aa {
        return noise(arguments);
    }
    let machine = laboratory::open()?.machine()?;
    if arguments.json {
        output::json(&serde_json::to_string_pretty(&machine.to_json())?)?;
        return Ok(DONE);
    }
    output::data(&environment_line(&machine.environment))?;
    output::data("\nCounters")?;
    for counter in &counters() {
        let available = if counter.available { "yes" } else { "no " };
        output::data(&format!("  {:<13} {available}  {}", counter.name, counter.detail))?;
    }
    output::data(&match machine.estimated_over_counted {
        Some(ratio) => format!("  estimated core cycles differ from counted ones by {:+.2}%", 100.0 * (ratio - 1.0)),
        None => "  core cycles are estimated; there is no hardware counter to check them".to_owned(),
    })?;
    output::data("\nSources of disturbance")?;
    for advice in &machine.advice {
        output::data(&format!("  {} {}: {}", mark(advice.severity, screen.palette), advice.subject, advice.finding))?;
        if let Some(remedy) = &advice.remedy {
            output::data(&format!("          fix: {remedy}"))?;
        }
    }
    Ok(DONE)
}

/// Compares a case with itself, and stores the noise of the machine.
fn noise(arguments: &DoctorArgs) -> anyhow::Result<u8> {
    let laboratory = laboratory::open()?;
    let case = &laboratory.noise_case(&arguments.case)?;
    let mut store = arguments.database.open()?;
    let stop = stop_on_signals()?;
    output::talk(&format!("comparing {} with itself {} times", case.id(), arguments.comparisons));
    let comparisons = arguments.comparisons as usize;
    let mut runs = RunsDone(match stderr().is_terminal() {
        true => ProgressBar::new(2 * u64::from(arguments.comparisons)).with_style(bar_style()),
        false => ProgressBar::hidden(),
    });
    let mut protocol = Protocol::default();
    arguments.measured.overrides().apply(&mut protocol);
    let found = laboratory.measure_noise(case, &protocol, comparisons, &mut runs, &stop);
    runs.0.finish_and_clear();
    let Some(noise) = found? else { return Ok(INTERRUPTED) };
    store.save_noise(&noise)?;
    if arguments.json {
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
        "{false_verdicts} of {comparisons} comparisons of {case} with itself gave a false verdict, in {unit}"
    ))?;
    output::data(&format!(
        "standard deviation of times between runs, beyond differences between processes: {run_spread_pct:.2}%{cycles}"
    ))?;
    output::data(&format!(
        "margin for later comparisons: {margin_pct:.2}% (19 of 20 comparisons were equivalent within this margin)"
    ))?;
    output::data(&format!("smallest difference that 19 of 20 comparisons detect: {smallest_difference_pct:.2}%"))?;
    Ok(DONE)
}

/// Progress over runs of one case each. Disturbed runs are repeated, so the total can grow.
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

fn mark(severity: Severity, palette: Palette) -> String {
    let role = match severity {
        Severity::Ok => TextStyle::Good,
        Severity::Note => TextStyle::Strong,
        Severity::Warning => TextStyle::Warning,
    };
    palette.paint(role, &format!("{:<7}", severity_word(severity)))
}
