//! `pqlab doctor --placement`: why the processes of a case differ.

use crate::args::FormatArgs;
use crate::output::{self, Terminal};
use crate::progress::{Screen, Stream};
use crate::signals::stop_on_signals;
use crate::table::table;
use crate::{DONE, INTERRUPTED, laboratory};
use pqlab_lab::analysis::number::{count, percent, time};
use pqlab_lab::record::{MemoryPart, Unit};
use pqlab_lab::{FactorEffect, LevelRange, PlacementFactor, PlacementReport};
use std::io::{IsTerminal, stderr};

pub(crate) fn run(pattern: &str, format: &FormatArgs, screen: &Terminal) -> anyhow::Result<u8> {
    let laboratory = laboratory::with_added(laboratory::open()?)?;
    let case = laboratory.noise_case(pattern)?;
    let stop = stop_on_signals()?;
    output::talk(&format!("measuring {} in 48 processes, which takes half a minute", case.id()));
    let mut shown = Screen::new(Stream::Nothing, stderr().is_terminal(), false, false, screen.palette);
    let found = laboratory.placement(&case, &mut shown, &stop);
    shown.end();
    let Some(report) = found? else { return Ok(INTERRUPTED) };
    if format.is_json() {
        output::json(&serde_json::to_string_pretty(&report.to_json())?)?;
    } else {
        output::data(&text(&report, screen.width))?;
    }
    Ok(DONE)
}

fn text(report: &PlacementReport, width: usize) -> String {
    let range = |range: &LevelRange| {
        let ends = match report.unit {
            Unit::CoreCycles => format!("{} to {} cycles", count(range.low), count(range.high)),
            Unit::Nanoseconds => format!("{} to {}", time(range.low), time(range.high)),
        };
        format!("{ends}, standard deviation {}", percent(range.deviation_pct))
    };
    let rows = report.factors.iter().map(|effect| row(effect, report.unit)).collect();
    let mut lines = vec![
        report.case.clone(),
        format!("  all {} processes: {}", report.all.processes, range(&report.all)),
        format!("  {} with the same layout and inputs: {}", report.alike.processes, range(&report.alike)),
        String::new(),
        table(&["factor", "explains", "p", "means"], rows, width),
        String::new(),
    ];
    lines.extend(answer(report));
    lines.join("\n")
}

/// Returns a row about a factor: its name, the share that it explains, the p-value, and the extreme levels.
fn row(effect: &FactorEffect, unit: Unit) -> Vec<String> {
    let value = |value: f64| if unit == Unit::CoreCycles { count(value) } else { time(value) };
    let by_value = |one: &&(u16, f64), other: &&(u16, f64)| one.1.total_cmp(&other.1);
    let at = |(at, mean): &(u16, f64)| match effect.factor {
        PlacementFactor::Inputs => format!("{} with inputs {at}", value(*mean)),
        PlacementFactor::Offset(_) => format!("{} at {at}", value(*mean)),
    };
    let ends = effect.means.iter().min_by(by_value).zip(effect.means.iter().max_by(by_value));
    let ends = ends.map_or_else(String::new, |(low, high)| format!("{} to {}", at(low), at(high)));
    vec![words(effect.factor).to_owned(), format!("{:.0}%", 100.0 * effect.share), format!("{:.3}", effect.p), ends]
}

fn words(factor: PlacementFactor) -> &'static str {
    match factor {
        PlacementFactor::Inputs => "keys and messages",
        PlacementFactor::Offset(MemoryPart::Stack) => "offset of the stack",
        PlacementFactor::Offset(MemoryPart::Heap) => "offset of the heap",
        PlacementFactor::Offset(MemoryPart::Keys) => "offset of the keys",
    }
}

/// Returns the answer in words, and advice.
fn answer(report: &PlacementReport) -> Vec<String> {
    let mut lines = Vec::new();
    if report.disturbed {
        lines.push("Other programs disturbed the measurement: repeat it on a quiet machine.".to_owned());
    }
    let found: Vec<&FactorEffect> = report.factors.iter().filter(|effect| effect.is_significant()).collect();
    // A disturbed measurement can show that a factor matters, but not that none does.
    if report.disturbed && found.is_empty() {
        return lines;
    }
    if report.is_steady() {
        lines.push("The processes hardly differ, so memory layout and inputs matter little here.".to_owned());
        return lines;
    }
    let names: Vec<&str> = found.iter().map(|effect| words(effect.factor)).collect();
    if names.is_empty() {
        lines.push("Neither the offsets of stack, heap and keys nor the inputs explain the differences.".to_owned());
    } else {
        lines.push(format!("Explained by: {}.", names.join(", ")));
    }
    // Without an explanation, or if processes with the same layout differ as much, something else matters.
    if names.is_empty() || !report.disturbed && 2.0 * report.alike.deviation_pct > report.all.deviation_pct {
        lines.push(
            "Processes with the same layout differ too: pages, physical memory or other loads matter. Where the code \
             lies in the program may also matter, and is the same in every process: scripts/build-sensitivity in the \
             source tree measures other builds."
                .to_owned(),
        );
    }
    if found.iter().any(|effect| matches!(effect.factor, PlacementFactor::Offset(_))) {
        lines.push("More processes cover the offsets more evenly: pqlab run --processes 24.".to_owned());
    }
    if found.iter().any(|effect| effect.factor == PlacementFactor::Inputs) {
        lines.push("To compare builds with the same inputs, give both runs the same --seed.".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(all_pct: f64, alike_pct: f64, p: [f64; 4]) -> PlacementReport {
        let range = |processes, high, deviation_pct| LevelRange { processes, low: 120_100.0, high, deviation_pct };
        let factors = [
            PlacementFactor::Inputs,
            PlacementFactor::Offset(MemoryPart::Stack),
            PlacementFactor::Offset(MemoryPart::Heap),
            PlacementFactor::Offset(MemoryPart::Keys),
        ];
        let effect = |(factor, p)| FactorEffect {
            factor,
            share: if p < 0.05 { 0.83 } else { 0.0 },
            p,
            means: vec![(0, 120_300.0), (688, 147_000.0)],
        };
        PlacementReport {
            case: "signature/Ed25519/verify@rustcrypto".into(),
            unit: Unit::CoreCycles,
            all: range(48, 147_400.0, all_pct),
            alike: range(8, 120_900.0, alike_pct),
            factors: factors.into_iter().zip(p).map(effect).collect(),
            disturbed: false,
        }
    }

    #[test]
    fn names_the_factor_and_the_range() {
        let text = text(&report(8.0, 0.2, [0.7, 0.001, 0.4, 0.9]), 100);
        assert!(text.contains("all 48 processes: 120,100 to 147,400 cycles, standard deviation 8"), "{text}");
        assert!(text.contains("120,300 at 0 to 147,000 at 688"), "{text}");
        assert!(text.contains("Explained by: offset of the stack.\nMore processes cover"), "{text}");
        assert!(!text.contains("build-sensitivity"), "{text}");
    }

    #[test]
    fn admits_that_no_factor_explains_the_differences() {
        let text = text(&report(2.0, 1.9, [0.7, 0.3, 0.4, 0.9]), 100);
        assert!(text.contains("Neither the offsets") && text.contains("scripts/build-sensitivity"), "{text}");
        assert!(!text.contains("Explained by"), "{text}");
    }

    #[test]
    fn disturbed_measurements_exclude_no_factor() {
        let without = PlacementReport { disturbed: true, ..report(2.0, 1.9, [0.7, 0.3, 0.4, 0.9]) };
        let shown = text(&without, 100);
        assert!(shown.ends_with("repeat it on a quiet machine."), "{shown}");
        let with = PlacementReport { disturbed: true, ..report(2.0, 1.9, [0.7, 0.001, 0.4, 0.9]) };
        assert!(text(&with, 100).contains("quiet machine.\nExplained by: offset of the stack."));
    }

    #[test]
    fn steady_cases_need_no_explanation() {
        let text = text(&report(0.2, 0.2, [0.001, 0.3, 0.4, 0.9]), 100);
        assert!(text.contains("hardly differ") && !text.contains("Explained by"), "{text}");
    }
}
