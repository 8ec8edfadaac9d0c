use super::laboratory;
use super::run::stop_on_signals;
use crate::args::DoctorArgs;
use crate::output::Terminal;
use crate::progress::{Screen, Stream};
use crate::{DONE, INTERRUPTED, output};
use pqlab_lab::record::{Case, CounterChoice, MachineNoise, Protocol};
use pqlab_lab::report::terminal::{self, Palette, Role};
use pqlab_lab::{Severity, advise, advise_here, counters};
use serde_json::json;

pub(crate) fn run(arguments: &DoctorArgs, screen: &Terminal) -> anyhow::Result<u8> {
    if arguments.aa {
        return noise(arguments, screen);
    }
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

/// Compares a case with itself, and keeps what this says of the machine.
fn noise(arguments: &DoctorArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let laboratory = laboratory()?;
    let cases = laboratory.registry().cases(&Default::default());
    let wanted = |case: &&Case| case.provider != "null" && pqlab_lab::matches(&arguments.case, &case.id());
    let Some(case) = cases.iter().find(wanted) else {
        return Err(output::BadInput(format!("no case matches {:?}: see `pqlab list cases`", arguments.case)).into());
    };
    let mut store = arguments.database.open()?;
    let stop = stop_on_signals()?;
    let mut shown = Screen::new(Stream::Nothing, false, true, false, screen.palette);
    output::talk(&format!("comparing {} with itself {} times", case.id(), arguments.comparisons));
    let comparisons = arguments.comparisons as usize;
    let found = laboratory.measure_noise(case, &Protocol::default(), comparisons, &mut shown, &stop)?;
    let Some(noise) = found else { return Ok(INTERRUPTED) };
    store.save_noise(&noise)?;
    if arguments.json {
        output::data(&serde_json::to_string_pretty(&noise)?)?;
        return Ok(DONE);
    }
    let MachineNoise { comparisons, false_verdicts, run_spread_pct, margin_pct, smallest_difference_pct, .. } = &noise;
    output::data(&format!("{false_verdicts} of {comparisons} comparisons of {} with itself were false", noise.case))?;
    output::data(&format!("whole runs differ by {run_spread_pct:.2}% (standard deviation) beyond their processes"))?;
    output::data(&format!(
        "19 of 20 comparisons are equivalent within {margin_pct:.2}%: the margin of later verdicts"
    ))?;
    output::data(&format!("a difference of {smallest_difference_pct:.2}% is found 19 times of 20"))?;
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
