mod placement;

use crate::args::DoctorArgs;
use crate::output::Terminal;
use crate::{DONE, laboratory, output};
use pqlab_lab::analysis::environment::{core_lines, environment_line};
use pqlab_lab::report::terminal::{Palette, TextStyle};
use pqlab_lab::{Severity, counters, severity_word};

pub(crate) fn run(arguments: &DoctorArgs, screen: &Terminal) -> anyhow::Result<u8> {
    if let Some(pattern) = &arguments.placement {
        return placement::run(pattern, &arguments.output, screen);
    }
    let machine = laboratory::open()?.machine()?;
    if arguments.output.is_json() {
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
        Some(ratio) => format!("  estimated core cycles differ from counted cycles by {:+.2}%", 100.0 * (ratio - 1.0)),
        None => "  core cycles are estimated; there is no hardware counter to check them".to_owned(),
    })?;
    if let Some(core) = &machine.environment.core {
        output::data("\nMeasuring core")?;
        for line in core_lines(core) {
            output::data(&format!("  {line}"))?;
        }
    }
    output::data("\nSources of disturbance")?;
    for advice in &machine.advice {
        output::data(&format!("  {} {}: {}", mark(advice.severity, screen.palette), advice.subject, advice.finding))?;
        if let Some(remedy) = &advice.remedy {
            output::data(&format!("          fix: {remedy}"))?;
        }
    }
    Ok(DONE)
}

fn mark(severity: Severity, palette: Palette) -> String {
    let role = match severity {
        Severity::Ok => TextStyle::Good,
        Severity::Note => TextStyle::Strong,
        Severity::Warning => TextStyle::Warning,
    };
    palette.paint(role, &format!("{:<7}", severity_word(severity)))
}
