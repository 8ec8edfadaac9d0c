//! Short tables of a run: the time of each library, compared with the fastest.

use super::closing::estimated;
use super::columns::{Cell, GAP, lines, total_width};
use super::palette::{Palette, TextStyle};
use super::table::{failed_lines, heading, missing, provider_name};
use super::tables::tables;
use super::text::wrapped;
use pqlab_analysis::caveats::Caveat;
use pqlab_analysis::comparison::{NotRanked, Standing};
use pqlab_analysis::environment::environment_line;
use pqlab_analysis::estimates::{ESTIMATED_CYCLES, Estimates};
use pqlab_analysis::fastest::fastest_line;
use pqlab_analysis::number::{APPROXIMATE, is_approximate, known_count, known_factor, known_time, significant};
use pqlab_analysis::standardization::not_standards_in;
use pqlab_analysis::tables::Table;
use pqlab_analysis::trust::trust_sentence;
use pqlab_analysis::{CaseAnalysis, Group, RunAnalysis};
use pqlab_record::CyclesSource;

/// Maximum length of a bar, in columns.
const LONGEST: usize = 20;
/// Minimum length of the longest bar, in columns. If fewer columns are free, no bars are shown.
const SHORTEST: usize = 6;
/// Maximum width of the lines below the tables, in columns.
const PAGE: usize = 100;

/// Formats a run in short tables, one for each area. The libraries of an operation are sorted by speed. The given
/// tables of [several cases](pqlab_analysis::tables), the typical uncertainty and the environment follow.
pub fn run_summary(analysis: &RunAnalysis<'_>, several: &[Table], width: usize, palette: Palette) -> String {
    let mut out = heading(analysis, palette);
    for area in analysis.areas() {
        out.push('\n');
        let rows = layout(analysis, area, &analysis.groups(area), width);
        lines(&rows, width, palette).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    }
    out.push_str(&tables(several, width, palette));
    out.push_str(&failed_lines(analysis, palette));
    out.push('\n');
    for (text, role) in footer(analysis) {
        for line in wrapped(&text, width.min(PAGE)) {
            out.push_str(&(role.map_or_else(|| line.clone(), |role| palette.paint(role, &line)) + "\n"));
        }
    }
    out
}

/// Returns the lines below the tables: the typical uncertainty, explanations of the notes and signs in the tables, the
/// algorithms that are not standards, and the environment. A line without a role has no color.
fn footer(analysis: &RunAnalysis<'_>) -> Vec<(String, Option<TextStyle>)> {
    let cases = || analysis.cases().iter().filter(|case| case.estimates.is_some() && !case.is_floor());
    let mut out: Vec<(String, Option<TextStyle>)> =
        trust_sentence(analysis).map(|text| (text, None)).into_iter().collect();
    let marks = Caveat::NOTES.into_iter().filter(|note| cases().any(|case| case.caveats.has(*note)));
    let explained = |note: Caveat| match note {
        // The legend already begins with `known defect`, the term that the rows use.
        Caveat::Defect => note.legend().to_owned(),
        _ => format!("{}: {}", note.word(), note.legend()),
    };
    out.extend(marks.map(|note| (explained(note), None)));
    if cases().any(estimated) {
        out.push((format!("≈cycles: {ESTIMATED_CYCLES}"), None));
    }
    if cases().filter_map(CaseAnalysis::time).any(|time| is_approximate(&time)) {
        out.push((format!("≈: {APPROXIMATE}"), None));
    }
    out.extend(not_standards_in(analysis).map(|text| (text, None)));
    out.extend(analysis.run.header.protocol.fastest.iter().map(|choice| (fastest_line(choice), None)));
    out.push((environment_line(&analysis.run.header.environment), Some(TextStyle::Faint)));
    out
}

/// Returns a row for each case, fastest first, below a heading with the name of its algorithm and operation.
fn layout(analysis: &RunAnalysis<'_>, title: &str, groups: &[Group<'_, '_>], width: usize) -> Vec<Vec<Cell>> {
    let cases = || groups.iter().flat_map(|group| &group.cases);
    let cycles = || cases().filter_map(|case| case.estimates.as_ref()?.cycles);
    let all_estimated = cycles().all(|cycles| cycles.source == CyclesSource::Estimated);
    let heading = |text: &str, shown: bool| Cell::right(if shown { text } else { "" }).role(TextStyle::Faint);
    let compares = cases().any(|case| analysis.standing(case).is_some());
    let has_bytes =
        cases().any(|case| case.bytes().is_some() && case.estimates.as_ref().is_some_and(|of| of.cycles.is_some()));
    let mut rows = vec![vec![
        Cell::left(title).role(TextStyle::Strong),
        heading("time", true),
        heading(if all_estimated { "≈cycles" } else { "cycles" }, cycles().next().is_some()),
        heading("per byte", has_bytes),
        heading("vs fastest", compares),
    ]];
    let mut bars = vec![None];
    for group in groups {
        let by_mean = group.cases.iter().any(|case| case.case().repeats_by_chance());
        rows.push(vec![Cell::left(&format!("  {}{}", group.job, if by_mean { "  (mean)" } else { "" }))]);
        bars.push(None);
        let sorted = by_speed(&group.cases);
        let slowest = sorted.iter().filter(|case| analysis.standing(case).is_some()).filter_map(|case| time_of(case));
        let slowest = slowest.fold(0.0, f64::max);
        let only_one = is_only_one_ranked(&sorted);
        for case in sorted {
            let only_ranked = only_one && case.not_ranked().is_none();
            rows.push(cells(analysis, case, all_estimated, only_ranked));
            let time = analysis.standing(case).and_then(|_| time_of(case));
            bars.push(time.map(|time| time / slowest));
        }
    }
    add_bars(rows, &bars, width)
}

/// Returns whether exactly one of several cases is ranked. In this case, there is no ratio to show.
fn is_only_one_ranked(cases: &[&CaseAnalysis<'_>]) -> bool {
    cases.len() > 1 && cases.iter().filter(|case| case.not_ranked().is_none()).count() == 1
}

/// Appends to each row its bar, if bars fit, and its note.
fn add_bars(rows: Vec<Vec<Cell>>, bars: &[Option<f64>], width: usize) -> Vec<Vec<Cell>> {
    let (mut rows, notes): (Vec<Vec<Cell>>, Vec<Option<Cell>>) = rows
        .into_iter()
        .map(|mut row| {
            let note = if row.len() > COLUMNS { row.pop() } else { None };
            (row, note)
        })
        .unzip();
    let taken = total_width(&rows) + GAP;
    // A row has either a bar with a short note, or a reason in place of the bar.
    let after_bar = |(note, bar): (&Option<Cell>, &Option<f64>)| match (note, bar) {
        (Some(note), Some(_)) => GAP + total_width(&[vec![note.clone(), Cell::default()]]),
        _ => 0,
    };
    let noted = notes.iter().zip(bars).map(after_bar).max().unwrap_or(0);
    let longest = width.saturating_sub(taken + noted).min(LONGEST);
    for ((row, note), bar) in rows.iter_mut().zip(notes).zip(bars) {
        if row.len() < COLUMNS {
            continue;
        }
        match bar {
            Some(part) if longest >= SHORTEST => row.push(Cell::left(&drawn(*part, longest))),
            Some(_) => {}
            None if note.is_some() => {}
            None => continue,
        }
        row.extend(note);
    }
    rows
}

/// Number of columns before the bar.
const COLUMNS: usize = 5;

/// Draws a bar with a length of `part` × `longest` columns, but at least an eighth of a column.
fn drawn(part: f64, longest: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = ((part * longest as f64 * 8.0).round() as usize).clamp(1, longest * 8);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Returns the time that determines the length of a case's bar, in ns.
fn time_of(case: &CaseAnalysis<'_>) -> Option<f64> {
    case.estimates.as_ref().map(|estimates| estimates.headline_ns().estimate)
}

/// Sorts the cases of an operation by core cycles if all are known, otherwise by time. Failed cases are last.
fn by_speed<'r, 'a>(cases: &[&'r CaseAnalysis<'a>]) -> Vec<&'r CaseAnalysis<'a>> {
    let figures: Vec<&Estimates> = cases.iter().filter_map(|case| case.estimates.as_ref()).collect();
    let in_cycles = figures.iter().all(|estimates| estimates.cycles.is_some());
    let figure = |case: &CaseAnalysis<'_>| {
        let Some(estimates) = &case.estimates else { return f64::INFINITY };
        match estimates.cycles.filter(|_| in_cycles) {
            Some(cycles) => cycles.headline().estimate,
            None => estimates.headline_ns().estimate,
        }
    };
    let mut sorted = cases.to_vec();
    sorted.sort_by(|one, other| figure(one).total_cmp(&figure(other)));
    sorted
}

/// Returns the cells of a case. The last cell is a note, if there is one.
fn cells(analysis: &RunAnalysis<'_>, case: &CaseAnalysis<'_>, all_estimated: bool, only_ranked: bool) -> Vec<Cell> {
    let provider = Cell::left(&format!("    {}", provider_name(analysis, case)));
    let Some(estimates) = &case.estimates else { return vec![provider, missing(case)] };
    let standing = analysis.standing(case);
    let leads = standing.is_some_and(Standing::leads);
    let time = Cell::right(&known_time(&estimates.headline_ns()));
    let cycles = estimates.cycles.as_ref().map(|cycles| {
        let text = known_count(&cycles.headline());
        let estimated = cycles.source == CyclesSource::Estimated && !all_estimated;
        if estimated && !text.starts_with('≈') { format!("≈{text}") } else { text }
    });
    let per_byte = estimates.cycles_per_byte(case.bytes()).map(significant);
    let against = standing.map_or(String::new(), |standing| match standing.ratio() {
        Some(ratio) => known_factor(&ratio),
        None => standing.text(),
    });
    let against = Cell::right(&against);
    let mut cells = vec![
        provider,
        if leads { time.role(TextStyle::Good) } else { time },
        Cell::right(&cycles.unwrap_or_default()),
        Cell::right(&per_byte.unwrap_or_default()).spare(1),
        if leads { against.role(TextStyle::Good) } else { against },
    ];
    let (note, role) = match (note(case), only_ranked) {
        (note, false) => (note, TextStyle::Warning),
        (note, true) if note.is_empty() => ("the only ranked library".to_owned(), TextStyle::Faint),
        (note, true) => (format!("the only ranked library; {note}"), TextStyle::Warning),
    };
    if !note.is_empty() {
        cells.push(Cell::left(&note).role(role));
    }
    cells
}

/// Returns the reason why a case is not ranked, or the notes of a ranked case.
fn note(case: &CaseAnalysis<'_>) -> String {
    match case.not_ranked().filter(|reason| *reason != NotRanked::Overhead) {
        Some(reason) => reason.sentence(),
        None => case.caveats.note_words(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::palette::tests::{COLOUR, stripped};
    use super::*;
    use crate::fixtures;
    use crate::width::display_width;
    use pqlab_record::{Disturbance, Run};

    fn shown(run: &Run, width: usize, palette: Palette) -> String {
        run_summary(&RunAnalysis::new(run), &[], width, palette)
    }

    /// Returns the lines of an operation: its heading and the rows below it.
    fn job<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
        let after = text.split_once(&format!("\n  {name}\n")).unwrap_or_else(|| panic!("{name} in {text}")).1;
        after.lines().take_while(|line| line.starts_with("    ")).collect()
    }

    #[test]
    fn libraries_are_sorted_by_speed_with_failures_last() {
        let mut run = fixtures::run();
        run.records.reverse();
        let text = shown(&run, 100, Palette::PLAIN);
        let wanted = [
            "    liboqs   10.4 µs   28,090              fastest  ████████████████▏",
            "    aws-lc   12.9 µs   34,840                1.24×  ████████████████████",
            "    openssl   FAILED",
        ];
        let rows = job(&text, "ML-KEM-768 encapsulate");
        let squeezed = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(rows.iter().map(|row| squeezed(row)).collect::<Vec<_>>(), wanted.map(squeezed), "{text}");
        assert!(text.contains("\nkem/ML-KEM-768/encapsulate@openssl  FAILED  decapsulation gave a different secret\n"));
    }

    #[test]
    fn unranked_cases_have_a_reason_instead_of_a_bar() {
        let mut run = fixtures::run();
        run.records.retain(|record| record.case.workload == "kem" && record.error.is_none());
        run.records.push(fixtures::record("openssl", 9.0));
        run.records.push(fixtures::record("rustcrypto", 8.0));
        run.records[2].case.facts.defect = Some("accepts invalid keys".to_owned());
        let steal = || vec![Disturbance::Steal { pct: 30.0 }];
        run.records[3].samples.visits.iter_mut().for_each(|visit| visit.disturbances = steal());
        let text = shown(&run, 100, Palette::PLAIN);
        let rows = job(&text, "ML-KEM-768 encapsulate");
        assert!(rows[0].contains("rustcrypto") && rows[0].ends_with("  not ranked: disturbed"), "{text}");
        assert!(rows[1].contains("openssl") && rows[1].ends_with("  not ranked: known defect"), "{text}");
        assert!(rows[2].contains(" fastest  █") && rows[3].contains("×  █"), "{text}");
        run.records.retain(|record| record.case.provider != "aws-lc");
        let alone = shown(&run, 100, Palette::PLAIN);
        let rows = job(&alone, "ML-KEM-768 encapsulate");
        assert!(rows.iter().any(|row| row.contains("liboqs") && row.ends_with("  the only ranked library")), "{alone}");
        assert!(
            text.contains("\ndisturbed: another program")
                && text.contains("\nknown defect: the library's result is wrong"),
            "{text}"
        );
    }

    #[test]
    fn uncertainty_and_machine_are_shown_once_below() {
        let text = shown(&fixtures::run(), 100, Palette::PLAIN);
        assert!(!text.split("Typical uncertainty").next().unwrap().contains('±'), "{text}");
        for once in ["Typical uncertainty (95%): ±", "Interference: ", "Example CPU @ 2.10GHz", "≈cycles: core cycles"]
        {
            assert_eq!(text.matches(once).count(), 1, "{once} in {text}");
        }
    }

    #[test]
    fn lines_fit_the_terminal_and_colour_adds_nothing_to_read() {
        for run in [fixtures::run(), fixtures::workers_run(), fixtures::libraries_run(), fixtures::references_run()] {
            for width in [80, 100, 120] {
                let text = shown(&run, width, Palette::PLAIN);
                let tables = text.split("\nkem/").next().unwrap();
                let wide: Vec<&str> = tables.lines().filter(|line| display_width(line) > width).collect();
                assert!(wide.is_empty(), "{wide:?}");
                assert_eq!(stripped(&shown(&run, width, COLOUR)), text);
            }
        }
    }

    #[test]
    fn only_algorithms_that_are_not_standards_are_named_below() {
        let mut run = fixtures::run();
        assert!(!shown(&run, 100, Palette::PLAIN).contains("Not standards"));
        run.records[0].case.algorithm = "sntrup761".to_owned();
        let text = shown(&run, 100, Palette::PLAIN);
        assert!(text.contains("\nNot standards (") && text.contains(": sntrup761 (no standard of its own; "), "{text}");
    }

    #[test]
    fn bars_are_proportional() {
        assert_eq!(drawn(1.0, 4), "████");
        assert_eq!(drawn(0.5, 4), "██");
        assert_eq!(drawn(0.28, 4), "█▏");
        assert_eq!(drawn(0.0001, 4), "▏");
    }
}
