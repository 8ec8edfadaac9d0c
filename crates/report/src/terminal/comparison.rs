use super::columns::{Cell, GAP, fitted, total_width};
use super::palette::{Palette, TextStyle};
use super::text::{below, hanging, wrapped};
use crate::width::display_width;
use pqlab_analysis::comparison::{ComparedCase, Comparison};
use pqlab_analysis::number::{NONE, percent, time};
use pqlab_analysis::text::neutral;
use pqlab_record::Unit;
use pqlab_stats::{Interval, VERDICT_SIGNIFICANCE, Verdict};

/// Formats a comparison as a table. Warnings are above the table, and the criteria and the answer are below it. If the
/// runs are from different machines, the first line is a warning about this.
pub fn comparison_table(comparison: &Comparison, width: usize, palette: Palette) -> String {
    let mut out = preamble(comparison, palette);
    let heading = |text: &str| Cell::left(text).role(TextStyle::Strong);
    let right = |text: &str| Cell::right(text).role(TextStyle::Strong);
    let in_cycles = |case: &ComparedCase| case.unit == Unit::CoreCycles;
    let some_in_cycles = comparison.cases.iter().any(in_cycles);
    let mixed = some_in_cycles && !comparison.cases.iter().all(in_cycles);
    let mut rows = vec![vec![
        heading("case"),
        right("first"),
        right("second"),
        right(judged(comparison)),
        right("95% interval"),
        heading("verdict"),
        right(if some_in_cycles { "time" } else { "" }),
        right(if some_in_cycles { "its interval" } else { "" }),
    ]];
    rows.extend(comparison.cases.iter().map(|case| row(case, mixed)));
    let room = width.saturating_sub(total_width(&rows) + GAP);
    let rows: Vec<Vec<Cell>> = rows
        .into_iter()
        .zip(std::iter::once(String::new()).chain(comparison.cases.iter().map(|case| case.notes.join("; "))))
        .flat_map(|(cells, note)| with_note(cells, &note, room, width))
        .collect();
    let (lines, left_out) = fitted(&rows, width, palette);
    out.push_str(&lines.join("\n"));
    out.push('\n');
    if !left_out.is_empty() {
        let names: Vec<&str> =
            left_out.iter().filter_map(|place| SPARED.get(place.checked_sub(SPARED_FROM)?)).copied().collect();
        let text = format!("no room for: {}", names.join(", "));
        wrapped(&text, width).iter().for_each(|line| out.push_str(&(palette.paint(TextStyle::Faint, line) + "\n")));
    }
    out.push('\n');
    out.push_str(&unmatched(comparison, usize::MAX, width));
    out.push_str(&means(comparison));
    out.push_str(&footer(comparison));
    out + "\n" + &comparison.answer()
}

/// Returns the lines above the table. They contain warnings about different machines and builds, followed by the ids of
/// the runs.
pub(super) fn preamble(comparison: &Comparison, palette: Palette) -> String {
    let mut out = String::new();
    if let Some([first, second]) = &comparison.machines {
        let warning =
            format!("DIFFERENT MACHINES: {} and {}; this compares machines, not code", neutral(first), neutral(second));
        out.push_str(&format!("{}\n", palette.paint(TextStyle::Bad, &warning)));
    }
    for difference in &comparison.differences {
        let text = format!(
            "warning: {} differs: {} and {}",
            neutral(&difference.what),
            neutral(&difference.first),
            neutral(&difference.second)
        );
        out.push_str(&format!("{}\n", palette.paint(TextStyle::Warning, &text)));
    }
    let runs = match comparison.first_run == comparison.second_run {
        true => format!("run {}", comparison.first_run),
        false => format!("run {}, then run {}", comparison.first_run, comparison.second_run),
    };
    out.push_str(&format!("{}\n\n", neutral(&runs)));
    out
}

/// Returns lines about cases that were not compared, because they occur in only one run or their key encodings differ.
/// Lists at most `most` ids of each run.
pub(super) fn unmatched(comparison: &Comparison, most: usize, width: usize) -> String {
    let mut out = String::new();
    let mut add = |text: &str| out.push_str(&(hanging(text, 2, width) + "\n"));
    for (which, ids) in [("first", &comparison.only_first), ("second", &comparison.only_second)] {
        if !ids.is_empty() {
            let named = ids.iter().take(most).map(|id| neutral(id)).collect::<Vec<_>>().join(", ");
            match ids.len().saturating_sub(most) {
                0 => add(&format!("only in the {which} run: {named}")),
                more => add(&format!("only in the {which} run: {named}, and {more} more (--wide lists them)")),
            }
        }
    }
    for case in &comparison.other_encodings {
        add(&format!("not compared, because the key encodings differ: {}", neutral(case)));
    }
    out
}

/// Descriptions of the columns that a narrow terminal may omit.
const SPARED: [&str; 2] = ["ratio of times", "its interval"];
/// Index of the first column that a narrow terminal may omit.
const SPARED_FROM: usize = 6;

/// Appends a note to its row, or puts the note below the row if the note is wider than `room`.
fn with_note(mut cells: Vec<Cell>, note: &str, room: usize, width: usize) -> Vec<Vec<Cell>> {
    if display_width(note) <= room {
        cells.push(Cell::left(note));
        return vec![cells];
    }
    let notes = below(note, width).into_iter().map(|line| vec![Cell::left(&line)]);
    std::iter::once(cells).chain(notes).collect()
}

/// Returns the heading of the column with ratios. The heading names the unit if all cases have the same unit.
fn judged(comparison: &Comparison) -> &'static str {
    let cycles = comparison.cases.iter().filter(|case| case.unit == Unit::CoreCycles).count();
    match cycles {
        0 => "ratio of times",
        some if some == comparison.cases.len() => "ratio of cycles",
        _ => "ratio",
    }
}

fn row(case: &ComparedCase, mixed: bool) -> Vec<Cell> {
    let time = |ns: Option<f64>| ns.map_or(NONE.to_owned(), time);
    let name =
        if case.first == case.second { case.first.clone() } else { format!("{} -> {}", case.first, case.second) };
    let role = match case.judgement.verdict {
        Verdict::Faster => TextStyle::Good,
        Verdict::Slower => TextStyle::Bad,
        Verdict::Equivalent => TextStyle::Strong,
        Verdict::Inconclusive => TextStyle::Warning,
    };
    let (cycles, time_ratio) = (case.unit == Unit::CoreCycles, case.time_ratio.map(|ratio| ratio.ratio));
    let ratio = case.ratio.map(|ratio| ratio.ratio);
    let unit = if cycles { " cycles" } else { " time" };
    let ratio_text = |value: f64| format!("{value:.3}{}", if mixed { unit } else { "" });
    let ends = |ratio: Option<Interval>| {
        ratio.map_or(NONE.to_owned(), |ratio| format!("{:.3} to {:.3}", ratio.low, ratio.high))
    };
    let if_in_cycles = |text: String| Cell::right(if cycles { &text } else { "" });
    vec![
        Cell::left(&name),
        Cell::right(&time(case.first_ns)),
        Cell::right(&time(case.second_ns)),
        Cell::right(&ratio.map_or(NONE.to_owned(), |ratio| ratio_text(ratio.estimate))),
        Cell::right(&ends(ratio)),
        Cell::left(case.judgement.verdict.name()).role(role),
        if_in_cycles(time_ratio.map_or(NONE.to_owned(), |ratio| format!("{:.3}", ratio.estimate))).spare(1),
        if_in_cycles(ends(time_ratio)).spare(2),
    ]
}

/// Describes the units in which the cases were compared.
fn units(comparison: &Comparison) -> String {
    let cycles = comparison.cases.iter().filter(|case| case.unit == Unit::CoreCycles).count();
    let rest = comparison.cases.len() - cycles;
    match (cycles, rest) {
        (0, _) => "judged in time\n".to_owned(),
        (_, 0) => "judged in core cycles; the time column shows the ratio of times\n".to_owned(),
        _ => {
            format!("judged in core cycles: {cycles} (the time column shows the ratio of times), in time: {rest}\n")
        }
    }
}

/// Maximum number of cases in a comparison that also shows the statistics of the earlier systems (overhead, effect
/// size, Welch's test). `--json` contains them for all cases.
const MEANS: usize = 4;

/// Returns statistics that compare means and assume independent samples.
fn means(comparison: &Comparison) -> String {
    let compared = comparison.cases.iter().filter_map(|case| Some((case, case.means.as_ref()?)));
    let lines: Vec<String> = compared
        .map(|(case, means)| format!("means of single samples, {}: {}\n", neutral(&case.second), means.line()))
        .collect();
    if comparison.cases.len() > MEANS || lines.is_empty() {
        return String::new();
    }
    format!(
        "{}tests of means assume independent samples, but samples of one process are not independent: no verdict\n",
        lines.concat()
    )
}

fn footer(comparison: &Comparison) -> String {
    let criteria = &comparison.criteria;
    let mut text = String::new();
    let count = |verdict: Verdict| format!("{} {}", comparison.count(verdict), verdict.name());
    let counts = [Verdict::Faster, Verdict::Slower, Verdict::Equivalent, Verdict::Inconclusive].map(count).join(", ");
    text.push_str(&format!("{counts}; the ratio is second / first\n"));
    text.push_str(&units(comparison));
    text.push_str(&format!(
        "equivalent: the interval lies within ±{} ({})\n",
        percent(criteria.margin_pct),
        criteria.margin_source
    ));
    let false_pct = percent(100.0 * VERDICT_SIGNIFICANCE);
    text.push_str(&match comparison.corrected {
        true => format!(
            "faster, slower: at most {false_pct} of these verdicts are expected to be false (Benjamini-Hochberg over {} cases)\n",
            comparison.cases.iter().filter(|case| case.ratio.is_some()).count()
        ),
        false => format!(
            "faster, slower: each pair is judged separately, so it gets the same verdict everywhere; at most \
             {false_pct} of truly equal pairs are called faster or slower\n"
        ),
    });
    let paired = comparison.cases.iter().filter(|case| case.paired).count();
    if paired < comparison.cases.len() {
        text.push_str(&format!(
            "not measured in the same rounds: intervals include a spread between runs of {}% in time and {}% in cycles ({})\n",
            criteria.runs(Unit::Nanoseconds).pct,
            criteria.runs(Unit::CoreCycles).pct,
            criteria.runs_source
        ));
    }
    if paired > 0 {
        text.push_str(&format!("measured in the same rounds of the same processes: {paired}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_analysis::comparison::ComparisonCriteria;
    use pqlab_analysis::{RunAnalysis, compare, compare_runs};
    use pqlab_record::Run;

    fn compared(first: &Run, second: &Run) -> Comparison {
        compare_runs(&RunAnalysis::new(first), &RunAnalysis::new(second), &ComparisonCriteria::default())
    }

    #[test]
    fn last_lines_are_the_answer() {
        let (first, mut second) = (fixtures::run(), fixtures::run());
        second.header.id = "other".into();
        let same = comparison_table(&compared(&first, &second), 120, Palette::PLAIN);
        assert!(same.lines().last().unwrap().starts_with("Answer: ") && !same.contains("largest difference"), "{same}");
        second.records[0].samples = fixtures::samples(20.8, 1);
        second.header.environment.host.name = Some("bench-2".into());
        let text = comparison_table(&compared(&first, &second), 120, Palette::PLAIN);
        let last: Vec<&str> = text.lines().rev().take(2).collect();
        assert!(
            last[1].starts_with("Answer: 1 of 6 slower, largest difference: kem/ML-KEM-768/encapsulate@liboqs (2.0"),
            "{text}"
        );
        assert!(last[0].starts_with("On bench-2 (") && last[0].contains("takes 1.00× as long as on"), "{text}");
    }

    #[test]
    fn first_line_warns_of_different_machines() {
        let (first, mut second) = (fixtures::run(), fixtures::run());
        second.header.id = "other".into();
        second.header.environment.cpu.model = "Another CPU".into();
        second.header.environment.build.rustc = "rustc 9.9".into();
        let text = comparison_table(&compared(&first, &second), 120, Palette::PLAIN);
        let first_line = text.lines().next().unwrap();
        assert!(first_line.starts_with("DIFFERENT MACHINES: ") && first_line.contains("Another CPU"), "{text}");
        assert!(text.contains("warning: Rust compiler differs: ") && text.contains("rustc 9.9"), "{text}");
        let same = comparison_table(&compared(&first, &first), 120, Palette::PLAIN);
        assert!(same.starts_with("run ") && !same.contains("warning"), "{same}");
    }

    #[test]
    fn notes_are_never_truncated() {
        let (first, mut second) = (fixtures::run(), fixtures::run());
        second.header.id = "other".into();
        let mut comparison = compared(&first, &second);
        let note = "the first was disturbed: not called slower, although its samples suggest it ".repeat(3);
        comparison.cases[0].notes = vec![note.clone()];
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        for width in [80, 120, 400, usize::MAX] {
            let text = comparison_table(&comparison, width, Palette::PLAIN);
            assert!(words(&text).contains(&words(&note)), "{width}: {text}");
            assert!(!text.contains('…'), "{text}");
            let shown = text.lines().any(|line| line.starts_with("case") && line.ends_with("its interval"));
            assert_ne!(text.contains("no room for: ratio of times, its interval\n"), shown, "{width}: {text}");
            assert_eq!(shown, width > 120, "{width}: {text}");
            let notes: Vec<&str> = text.lines().filter(|line| line.contains("disturbed")).collect();
            assert!(width > 120 || notes.len() > 1 && notes.iter().all(|line| display_width(line) <= width), "{text}");
        }
        let wide = comparison_table(&comparison, usize::MAX, Palette::PLAIN);
        assert!(wide.lines().any(|line| line.starts_with("kem/") && line.ends_with(note.trim_end())), "{wide}");
    }

    #[test]
    fn pairs_of_one_run_are_judged_without_correction() {
        let run = fixtures::run();
        let analysis = RunAnalysis::new(&run);
        let pair = (&analysis.cases()[0], &analysis.cases()[1]);
        let comparison = compare(&analysis, &analysis, &[pair; 3], &ComparisonCriteria::default());
        let text = comparison_table(&comparison, 200, Palette::PLAIN);
        assert!(text.contains("each pair is judged separately") && !text.contains("Benjamini"), "{text}");
        assert!(comparison.to_json()["correction"].is_null());
        let adjusted: Vec<_> = comparison.cases.iter().map(|case| case.judgement.adjusted_p).collect();
        assert_eq!(adjusted[0], comparison.cases[0].ratio.map(|ratio| ratio.p_value));
    }

    #[test]
    fn small_comparisons_show_statistics_on_means() {
        let run = fixtures::run();
        let analysis = RunAnalysis::new(&run);
        let pair = (&analysis.cases()[0], &analysis.cases()[1]);
        let comparison = compare(&analysis, &analysis, &[pair], &ComparisonCriteria::default());
        let text = comparison_table(&comparison, 200, Palette::PLAIN);
        let means = comparison.cases[0].means.clone().unwrap();
        assert!(text.contains(&means.line()) && text.contains("are not independent: no verdict"), "{text}");
        assert!(means.line().starts_with("mean +24."), "{}", means.line());
        let json = &comparison.to_json()["cases"][0];
        assert_eq!(json["cohens_d"].as_f64(), means.cohens_d);
        let welch = means.welch.unwrap();
        assert_eq!(json["welch"]["t"].as_f64(), Some(welch.t));
        assert_eq!(json["welch"]["degrees_of_freedom"].as_f64(), Some(welch.degrees_of_freedom));
        assert_eq!(json["overhead_pct"].as_f64(), means.overhead_pct.map(|of| of.estimate));
        assert!(json["overhead_ci_pct"][0].as_f64() < json["overhead_pct"].as_f64());
        let shown = super::super::show_case(&analysis.cases()[0], &[&analysis.cases()[1]], 80, Palette::PLAIN);
        assert!(shown.contains(&means.line()), "{shown}");
    }

    #[test]
    fn cases_with_different_encodings_are_listed() {
        let run = fixtures::run();
        let pair = "kem/ML-KEM-768/decapsulate[encoded]@liboqs: key=seed in the first run, key=expanded in the second";
        let comparison = Comparison { other_encodings: vec![pair.to_owned()], ..compared(&run, &run) };
        let text = comparison_table(&comparison, 200, Palette::PLAIN);
        assert!(text.contains(&format!("not compared, because the key encodings differ: {pair}")), "{text}");
    }

    #[test]
    fn every_case_has_a_row_and_the_correction_is_named() {
        let run = fixtures::run();
        let comparison = compared(&run, &run);
        let text = comparison_table(&comparison, 200, Palette::PLAIN);
        for record in run.records.iter().filter(|record| !record.case.is_overhead()) {
            assert!(text.contains(&record.case.id()), "{text}");
        }
        assert!(text.contains("Benjamini-Hochberg over") && text.contains("1.000"), "{text}");
    }
}
