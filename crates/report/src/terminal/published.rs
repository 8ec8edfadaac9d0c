//! Comparison of a run with published figures, as text.

use super::columns::{Cell, lines};
use super::palette::{Palette, TextStyle};
use super::text::{below, wrapped};
use pqlab_analysis::number::{count, factor, frequency, time};
use pqlab_analysis::published::{Agreement, PublishedComparison, PublishedPair};
use pqlab_analysis::text::neutral;
use pqlab_record::Unit;

/// Number of reasons that are shown for each difference. The JSON form contains all of them.
const REASONS: usize = 2;
/// Maximum width of the lines around the tables, in columns.
const PAGE: usize = 100;

/// Formats a comparison with published figures: one table for each level of agreement, the largest difference last,
/// then the sources and the answer. Figures within 3% are only counted unless `all` is set. A difference of more than
/// 3% has its likeliest reasons below it.
pub fn published_table(comparison: &PublishedComparison, all: bool, width: usize, palette: Palette) -> String {
    let page = width.min(PAGE);
    let mut out = String::new();
    let mut add = |text: &str| wrapped(text, page).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    add(&neutral(&machine(comparison)));
    add(
        "ratio: here / published, so below 1 is faster than published; here: the statistic that was published (of means, \
         the one without interruptions)",
    );
    for agreement in Agreement::ALL {
        let pairs: Vec<&PublishedPair> = comparison.at(agreement).collect();
        if pairs.is_empty() {
            continue;
        }
        out.push('\n');
        let level = match agreement {
            Agreement::Close => "within 3%",
            Agreement::Near => "3 to 10% apart",
            Agreement::Apart => "more than 10% apart",
        };
        let heading = format!("{level} ({})", pairs.len());
        let folded = agreement == Agreement::Close && !all;
        let hint = if folded { ": --all lists them" } else { "" };
        out.push_str(&format!("{}{hint}\n", palette.paint(TextStyle::Strong, &heading)));
        if !folded {
            out.push_str(&table(&pairs, agreement != Agreement::Close, width, palette));
        }
    }
    if !comparison.others.is_empty() {
        let heading = format!("other CPUs ({}), not judged", comparison.others.len());
        out.push_str(&format!("\n{}\n", palette.paint(TextStyle::Strong, &heading)));
        let pairs: Vec<&PublishedPair> = comparison.others.iter().collect();
        out.push_str(&table(&pairs, false, width, palette));
    }
    out.push_str("\nsources:\n");
    for source in comparison.sources() {
        let text = format!("{}: {}, {}, {}", source.id, source.title, source.date, source.url);
        wrapped(&text, page).iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    for sentence in comparison.far_slower() {
        let warning = format!("far slower than published: {}", neutral(&sentence));
        out.push_str(&format!("{}\n", palette.paint(TextStyle::Warning, &warning)));
    }
    out.push('\n');
    wrapped(&neutral(&comparison.answer()), page).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    out
}

/// Names the run and its CPU, with the clocks that conversions use.
fn machine(comparison: &PublishedComparison) -> String {
    let core = comparison.core.map_or(String::new(), |core| format!(" ({core})"));
    let tsc = comparison.tsc_hz.map_or(String::new(), |hertz| format!(", TSC at {}", frequency(hertz)));
    let clock = comparison.core_hz.map_or(String::new(), |hertz| format!(", core clock about {}", frequency(hertz)));
    format!("run {} on {}{core}{tsc}{clock}", comparison.run, comparison.cpu)
}

fn table(pairs: &[&PublishedPair], with_reasons: bool, width: usize, palette: Palette) -> String {
    let heading = |cell: Cell| cell.role(TextStyle::Strong);
    let mut rows = vec![vec![
        heading(Cell::left("case")),
        heading(Cell::right("here")),
        heading(Cell::right("published")),
        heading(Cell::right("ratio")),
        heading(Cell::left("source")),
        heading(Cell::left("CPU")).spare(1),
    ]];
    for pair in pairs {
        rows.push(vec![
            Cell::left(&pair.case),
            Cell::right(&figure(pair, pair.here.estimate)),
            Cell::right(&figure(pair, pair.published)),
            Cell::right(&factor(pair.ratio())),
            Cell::left(&pair.source.id),
            Cell::left(&pair.cpu.name).spare(1),
        ]);
        if with_reasons {
            let reasons: Vec<&str> = pair.reasons.iter().take(REASONS).map(String::as_str).collect();
            rows.extend(below(&reasons.join("; "), width.min(PAGE)).iter().map(|line| vec![Cell::left(line)]));
        }
    }
    lines(&rows, width, palette).iter().map(|line| format!("{line}\n")).collect()
}

/// Formats a figure in the unit of its comparison: `53,000 cycles` or `19.2 µs`.
pub(crate) fn figure(pair: &PublishedPair, value: f64) -> String {
    match pair.unit {
        Unit::CoreCycles => format!("{} cycles", count(value)),
        Unit::Nanoseconds => time(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_analysis::RunAnalysis;
    use pqlab_analysis::published::compare_published;
    use pqlab_record::{CpuNumbers, Run};

    fn text(run: &Run, all: bool, all_cpus: bool, width: usize) -> String {
        published_table(&compare_published(&RunAnalysis::new(run), all_cpus), all, width, Palette::PLAIN)
    }

    fn zen3(microseconds: f64) -> Run {
        let mut run = fixtures::run();
        run.header.environment.cpu.numbers = Some(CpuNumbers { family: 25, model: 1, stepping: 1 });
        run.records = vec![fixtures::record("liboqs", microseconds)];
        run
    }

    #[test]
    fn differences_have_reasons_and_the_answer_is_last() {
        let text = text(&zen3(40.0), false, false, 120);
        assert!(
            text.starts_with("run ") && text.lines().next().unwrap().contains("(Zen 3), TSC at 2.10 GHz"),
            "{text}"
        );
        let row = text.lines().position(|line| line.starts_with("kem/ML-KEM-768/encapsulate@liboqs")).unwrap();
        assert!(text.lines().nth(row).unwrap().contains("2.0"), "{text}");
        assert!(text.lines().nth(row + 1).unwrap().starts_with("      published "), "{text}");
        assert!(text.contains("far slower than published: liboqs, ML-KEM-768: encapsulate"), "{text}");
        assert!(text.contains("\nsources:\n  liboqs-ci: "), "{text}");
        assert!(text.contains("\n\nAnswer: compared with published figures for Zen 3, 0 of 1 agree"), "{text}");
    }

    #[test]
    fn close_figures_are_counted_or_listed() {
        let run = zen3(52_998.0 / 2_700.0);
        assert!(text(&run, false, false, 120).contains("within 3% (1): --all lists them\n"));
        assert!(text(&run, true, false, 120).contains("\nkem/ML-KEM-768/encapsulate@liboqs "));
        assert!(
            !text(&run, true, false, 120).contains("other CPUs") && text(&run, true, true, 120).contains("other CPUs")
        );
    }

    #[test]
    fn names_of_a_run_cannot_control_the_terminal() {
        let mut run = zen3(40.0);
        run.header.environment.cpu.model = fixtures::HOSTILE.into();
        run.header.id = fixtures::HOSTILE.into();
        let text = text(&run, true, true, 80);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    }
}
