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
            "suites, filters and seeds go with --independence or --between: see `pqlab doctor --help`".into(),
        )
        .into());
    }
    if arguments.measured.has_rules() && !arguments.aa {
        return Err(output::BadInput(
            "measuring rules go with --aa, --independence or --between: see `pqlab doctor --help`".into(),
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
        Some(ratio) => format!("  estimated core cycles are {:+.2}% off those that are counted", 100.0 * (ratio - 1.0)),
        None => "  no cycles are counted here that the estimated ones could be held against".to_owned(),
    })?;
    output::data("\nWhat disturbs measuring here")?;
    for advice in &machine.advice {
        output::data(&format!("  {} {}: {}", mark(advice.severity, screen.palette), advice.subject, advice.finding))?;
        if let Some(remedy) = &advice.remedy {
            output::data(&format!("          fix it: {remedy}"))?;
        }
    }
    Ok(DONE)
}

/// Compares a case with itself, and keeps what this says of the machine.
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
        Some(pct) => ("core cycles", format!("; their core cycles by {pct:.2}%")),
        None => ("time", String::new()),
    };
    let case = &noise.case;
    output::data(&format!(
        "{false_verdicts} of {comparisons} comparisons of {case} with itself were false, in {unit}"
    ))?;
    output::data(&format!(
        "the times of whole runs differ by {run_spread_pct:.2}% (standard deviation) beyond their processes{cycles}"
    ))?;
    output::data(&format!(
        "19 of 20 comparisons are equivalent within {margin_pct:.2}%: the margin of later verdicts"
    ))?;
    output::data(&format!("a difference of {smallest_difference_pct:.2}% is found 19 times of 20"))?;
    Ok(DONE)
}

/// Counts runs of one case each. A contended one is made up for by another, so that there may be more than were meant.
struct RunsDone(ProgressBar);

impl Progress for RunsDone {
    fn begin(&mut self, _header: &RunHeader, _remaining: usize) {
        let most = self.0.length().unwrap_or(0).max(self.0.position() + 1);
        self.0.set_length(most);
        self.0.set_message(format!("run {} of {most}", self.0.position() + 1));
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
