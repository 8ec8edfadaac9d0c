use super::laboratory;
use crate::args::DoctorArgs;
use crate::output::Terminal;
use crate::{DONE, output};
use pqlab_lab::record::CounterChoice;
use pqlab_lab::report::terminal::{self, Palette, Role};
use pqlab_lab::{Severity, advise, advise_here, counters};
use serde_json::json;

pub(crate) fn run(arguments: &DoctorArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let (environment, _) = laboratory()?.environment(CounterChoice::Best)?;
    let mut advice = advise(&environment);
    advice.extend(advise_here());
    let counters = counters();
    if arguments.json {
        let advice: Vec<_> = advice
            .iter()
            .map(|advice| {
                json!({"severity": word(advice.severity), "subject": advice.subject, "finding": advice.finding, "remedy": advice.remedy})
            })
            .collect();
        let all = json!({"environment": environment, "advice": advice, "counters": counters});
        output::data(&serde_json::to_string_pretty(&all)?)?;
        return Ok(DONE);
    }
    output::data(&terminal::environment_line(&environment))?;
    output::data("\nCounters")?;
    for counter in &counters {
        let available = if counter.available { "yes" } else { "no " };
        output::data(&format!("  {:<13} {available}  {}", counter.name, counter.detail))?;
    }
    output::data("\nWhat disturbs measuring here")?;
    for advice in &advice {
        output::data(&format!("  {} {}: {}", mark(advice.severity, screen.palette), advice.subject, advice.finding))?;
        if let Some(remedy) = &advice.remedy {
            output::data(&format!("          mend it: {remedy}"))?;
        }
    }
    Ok(DONE)
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Ok => "ok",
        Severity::Note => "note",
        Severity::Warning => "warning",
    }
}

fn mark(severity: Severity, palette: Palette) -> String {
    let role = match severity {
        Severity::Ok => Role::Good,
        Severity::Note => Role::Strong,
        Severity::Warning => Role::Doubtful,
    };
    palette.paint(role, &format!("{:<7}", word(severity)))
}
