mod placement;

use crate::args::DoctorArgs;
use crate::output::Terminal;
use crate::{DONE, laboratory, output};
use pqlab_lab::analysis::environment::{core_lines, environment_line};
use pqlab_lab::report::terminal::{Palette, TextStyle, hanging};
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
    let line = |text: &str, indent: usize| output::data(&hanging(text, indent, screen.width));
    line(&environment_line(&machine.environment), 2)?;
    output::data("\nCounters")?;
    for counter in &counters() {
        let available = if counter.available { "yes" } else { "no " };
        line(&format!("  {:<13} {available}  {}", counter.name, counter.detail), 21)?;
    }
    output::data(&match machine.estimated_over_counted {
        Some(ratio) => format!("  estimated core cycles differ from counted cycles by {:+.2}%", 100.0 * (ratio - 1.0)),
        None => "  core cycles are estimated; there is no hardware counter to check them".to_owned(),
    })?;
    if let Some(core) = &machine.environment.core {
        output::data("\nMeasuring core")?;
        for text in core_lines(core) {
            line(&format!("  {text}"), 4)?;
        }
    }
    output::data("\nSources of disturbance")?;
    for advice in &machine.advice {
        let mark = mark(advice.severity, screen.palette);
        line(&format!("  {mark} {}: {}", advice.subject, advice.finding), 10)?;
        if let Some(remedy) = &advice.remedy {
            line(&format!("          fix: {remedy}"), 10)?;
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
