//! Short table of a comparison: the change of each case, largest slowdown first.

use super::columns::{Cell, GAP, fitted, total_width};
use super::comparison::{preamble, unmatched};
use super::palette::{Palette, TextStyle};
use super::text::{below, wrapped};
use pqlab_analysis::comparison::{COMPARES_MEANS, ComparedCase, Comparison};
use pqlab_analysis::number::{NONE, percent, time};
use pqlab_analysis::text::neutral;
use pqlab_record::{CaseId, Statistic, Unit};
use pqlab_stats::{Interval, VERDICT_SIGNIFICANCE, Verdict};

/// Maximum number of equivalent cases that get separate rows. Also the maximum number of ids listed for each run, of
/// cases that only this run contains.
const FEW: usize = 3;
/// Maximum width of the lines below the table, in columns.
const PAGE: usize = 100;

/// Formats a comparison as one row per case: both times, the change with its 95% interval, and the verdict. The largest
/// slowdown is first. If there are more than a few equivalent cases and `all` is not set, a single line replaces their
/// rows.
pub fn comparison_summary(comparison: &Comparison, all: bool, width: usize, palette: Palette) -> String {
    let mut out = preamble(comparison, palette);
    let fold = !all && comparison.count(Verdict::Equivalent) > FEW;
    let is_folded = |case: &ComparedCase| fold && case.judgement.verdict == Verdict::Equivalent;
    let mut shown: Vec<&ComparedCase> = comparison.cases.iter().filter(|case| !is_folded(case)).collect();
    shown.sort_by(|one, other| change(other).total_cmp(&change(one)));
    let folded: Vec<&ComparedCase> = comparison.cases.iter().filter(|case| is_folded(case)).collect();
    if !shown.is_empty() {
        let mixed = units(comparison).is_none();
        let names = Names::choose(comparison);
        let mut rows = vec![names.heading(comparison)];
        let figures: Vec<Vec<Cell>> = shown.iter().map(|case| row(case, mixed)).collect();
        // Put a name on its own line if it leaves no room for the change and the verdict.
        let essential: Vec<Vec<Cell>> = figures.iter().map(|row| row[TIMES..].to_vec()).collect();
        let room = width.saturating_sub(total_width(&essential) + GAP);
        for (case, figures) in shown.iter().zip(figures) {
            let by_mean = if case.statistic == Statistic::Mean { " (mean)" } else { "" };
            let mut name = Cell::left(&format!("{}{by_mean}", names.row(case)));
            if total_width(&[vec![name.clone(), Cell::default()]]) > room {
                rows.push(vec![std::mem::take(&mut name)]);
            }
            rows.push([vec![name], figures].concat());
            let notes: Vec<&str> =
                case.notes.iter().map(String::as_str).filter(|note| *note != COMPARES_MEANS).collect();
            let notes = notes.join("; ");
            rows.extend(below(&notes, width.min(PAGE)).iter().map(|line| vec![Cell::left(line)]));
        }
        fitted(&rows, width, palette).0.iter().for_each(|line| out.push_str(&format!("{line}\n")));
    }
    if !folded.is_empty() {
        out.push_str(&format!("{}\n", folded_line(&folded, comparison)));
    }
    out.push('\n');
    out.push_str(&unmatched(comparison, FEW, width));
    for line in wrapped(&legend(comparison), width.min(PAGE)) {
        out.push_str(&format!("{line}\n"));
    }
    out.push('\n');
    for line in comparison.answer().lines().flat_map(|line| wrapped(line, width)) {
        out.push_str(&format!("{line}\n"));
    }
    out
}

/// Returns the ratio of the second case to the first. If there is no ratio, returns negative infinity, so that the case
/// is sorted last.
fn change(case: &ComparedCase) -> f64 {
    case.ratio.map_or(f64::NEG_INFINITY, |ratio| ratio.ratio.estimate)
}

/// Returns the unit in which all cases were compared, or `None` if cases have different units.
fn units(comparison: &Comparison) -> Option<Unit> {
    let first = comparison.cases.first()?.unit;
    comparison.cases.iter().all(|case| case.unit == first).then_some(first)
}

/// Naming scheme for the rows.
enum Names {
    /// Case id, because both runs contain the same case.
    Ids,
    /// Case id without the provider, because every row compares the same two providers.
    Providers(String, String),
    /// Ids of both cases.
    Pairs,
}

impl Names {
    fn choose(comparison: &Comparison) -> Names {
        let providers = |case: &ComparedCase| {
            let [first, second] = [&case.first, &case.second].map(|id| id.parse::<CaseId>());
            let (first, second) = (first.ok()?, second.ok()?);
            let same = CaseId { provider: second.provider.clone(), ..first.clone() } == second;
            same.then_some((first.provider, second.provider))
        };
        if comparison.cases.iter().all(|case| case.first == case.second) {
            return Names::Ids;
        }
        let both = comparison.cases.first().and_then(providers);
        match both.filter(|both| comparison.cases.iter().all(|case| providers(case).as_ref() == Some(both))) {
            Some((first, second)) => Names::Providers(first, second),
            None => Names::Pairs,
        }
    }

    fn row(&self, case: &ComparedCase) -> String {
        match self {
            Names::Ids => case.first.clone(),
            Names::Providers(first, _) => {
                let name = case.first.strip_suffix(first.as_str()).and_then(|name| name.strip_suffix('@'));
                name.unwrap_or(&case.first).to_owned()
            }
            Names::Pairs => format!("{} -> {}", case.first, case.second),
        }
    }

    fn heading(&self, comparison: &Comparison) -> Vec<Cell> {
        let (first, second) = match self {
            Names::Providers(first, second) => (first.as_str(), second.as_str()),
            Names::Ids | Names::Pairs => ("first", "second"),
        };
        let change = match units(comparison) {
            Some(Unit::CoreCycles) => "change in cycles (95%)",
            Some(_) => "change in time (95%)",
            None => "change (95%)",
        };
        let faint = |cell: Cell| cell.role(TextStyle::Faint);
        vec![
            Cell::left("case").role(TextStyle::Strong),
            faint(Cell::right(first)).spare(1),
            faint(Cell::right(second)).spare(1),
            faint(Cell::left(change)),
            Cell::default(),
        ]
    }
}

/// Number of columns with times, which are omitted on narrow terminals.
const TIMES: usize = 2;

/// Returns the cells of a case after its name: two times, the change and the verdict. If `mixed` is set, the change
/// names its unit.
fn row(case: &ComparedCase, mixed: bool) -> Vec<Cell> {
    let verdict = case.judgement.verdict;
    let role = match verdict {
        Verdict::Faster => TextStyle::Good,
        Verdict::Slower => TextStyle::Bad,
        Verdict::Equivalent => TextStyle::Faint,
        Verdict::Inconclusive => TextStyle::Warning,
    };
    let time = |ns: Option<f64>| Cell::right(&ns.map_or(NONE.to_owned(), time)).spare(1);
    let unit = if case.unit == Unit::CoreCycles { " cycles" } else { " time" };
    let change = case.ratio.map_or(NONE.to_owned(), |ratio| change_text(&ratio.ratio) + if mixed { unit } else { "" });
    vec![time(case.first_ns), time(case.second_ns), Cell::left(&change), Cell::left(verdict.name()).role(role)]
}

/// Formats a ratio and its interval: `+1.2% (0.4 to 2.0)`, or `2.42× (2.40 to 2.45)` if the ratio is at least 2.
fn change_text(ratio: &Interval) -> String {
    if ratio.estimate >= 2.0 {
        let digits = decimals(ratio.high - ratio.low).max(2);
        return format!("{:.digits$}× ({:.digits$} to {:.digits$})", ratio.estimate, ratio.low, ratio.high);
    }
    let [estimate, low, high] = [ratio.estimate, ratio.low, ratio.high].map(|value| 100.0 * (value - 1.0));
    let digits = decimals(high - low);
    // Adding 0.0 turns -0.0 into 0.0, so that a rounded zero is never negative.
    let rounded = |value: f64| (value * 10_f64.powi(digits as i32)).round() / 10_f64.powi(digits as i32) + 0.0;
    format!("{:+.digits$}% ({:.digits$} to {:.digits$})", rounded(estimate), rounded(low), rounded(high))
}

/// Returns the number of decimals to show, given the width of the interval.
fn decimals(width: f64) -> usize {
    match width {
        width if width < 0.1 => 2,
        width if width < 20.0 => 1,
        _ => 0,
    }
}

fn folded_line(folded: &[&ComparedCase], comparison: &Comparison) -> String {
    let distance = |case: &&&ComparedCase| case.ratio.map_or(0.0, |ratio| ratio.ratio.estimate.ln().abs());
    let farthest = folded.iter().max_by(|one, other| distance(one).total_cmp(&distance(other)));
    let farthest = farthest.and_then(|case| Some(change_text(&case.ratio?.ratio)));
    let farthest = farthest.map_or(String::new(), |text| format!("; the largest change is {text}"));
    let count = folded.len();
    let cases = if count == 1 { "case is" } else { "cases are" };
    let margin = percent(comparison.criteria.margin_pct);
    format!("{count} {cases} equivalent within ±{margin} (--all lists them){farthest}")
}

/// Explains the columns and the verdicts.
fn legend(comparison: &Comparison) -> String {
    let criteria = &comparison.criteria;
    let mut text = format!(
        "Equivalent: the whole interval lies within ±{} ({}). Slower, faster: at most {} of these verdicts are expected \
         to be false.",
        percent(criteria.margin_pct),
        neutral(&criteria.margin_source),
        percent(100.0 * VERDICT_SIGNIFICANCE)
    );
    if comparison.cases.iter().any(|case| case.statistic == Statistic::Mean) {
        text.push_str(" (mean): the operation retries at random, so the comparison uses means.");
    }
    if comparison.cases.iter().any(|case| !case.paired) && comparison.first_run != comparison.second_run {
        text.push_str(&format!(
            " Intervals include the spread between runs: {}% in time, {}% in cycles.",
            criteria.runs(Unit::Nanoseconds).pct,
            criteria.runs(Unit::CoreCycles).pct
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::width::display_width;
    use pqlab_analysis::comparison::ComparisonCriteria;
    use pqlab_analysis::{RunAnalysis, compare, compare_runs};
    use pqlab_record::Run;
    use pqlab_stats::IntervalMethod;

    fn compared(first: &Run, second: &Run) -> Comparison {
        compare_runs(&RunAnalysis::new(first), &RunAnalysis::new(second), &ComparisonCriteria::default())
    }

    fn interval(low: f64, estimate: f64, high: f64) -> Interval {
        Interval { estimate, low, high, confidence: 0.95, method: IntervalMethod::CrossedT }
    }

    #[test]
    fn changes_have_the_digits_of_their_intervals() {
        assert_eq!(change_text(&interval(1.004, 1.012, 1.020)), "+1.2% (0.4 to 2.0)");
        assert_eq!(change_text(&interval(0.7301, 0.7302, 0.7303)), "-26.98% (-26.99 to -26.97)");
        assert_eq!(change_text(&interval(0.9998, 0.9999, 1.01)), "0.0% (0.0 to 1.0)".replacen("0.0%", "+0.0%", 1));
        assert_eq!(change_text(&interval(2.403, 2.421, 2.447)), "2.42× (2.40 to 2.45)");
        assert_eq!(change_text(&interval(0.8, 1.1, 1.4)), "+10% (-20 to 40)");
    }

    #[test]
    fn the_largest_slowdown_is_first_and_equivalent_cases_share_a_line() {
        let (first, mut second) = (fixtures::run(), fixtures::run());
        second.header.id = "other".into();
        second.records[0].samples = fixtures::samples(20.8, 1);
        let mut comparison = compared(&first, &second);
        let all = comparison_summary(&comparison, true, 100, Palette::PLAIN);
        assert!(!all.contains("--all"), "{all}");
        let spare = comparison.cases.iter().find(|case| case.judgement.verdict == Verdict::Equivalent).unwrap().clone();
        comparison.cases.extend(vec![spare; FEW]);
        let text = comparison_summary(&comparison, false, 100, Palette::PLAIN);
        let rows: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("case")).skip(1).collect();
        assert!(rows[0].starts_with("kem/ML-KEM-768/encapsulate@liboqs") && rows[0].contains("2.0"), "{text}");
        assert!(rows[0].ends_with("  slower"), "{text}");
        let equivalent = comparison.count(Verdict::Equivalent);
        assert!(text.contains(&format!("\n{equivalent} cases are equivalent within ±2.0%")), "{text}");
        assert!(!rows.iter().any(|row| row.ends_with("  equivalent")), "{text}");
        assert!(text.contains("\nAnswer: 1 of "), "{text}");
        comparison.only_first = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        let text = comparison_summary(&comparison, false, 100, Palette::PLAIN);
        assert!(text.contains("\nonly in the first run: a, b, c, and 2 more (--wide lists them)\n"), "{text}");
        let shown = comparison_summary(&comparison, true, 100, Palette::PLAIN);
        assert_eq!(shown.lines().filter(|row| row.ends_with("  equivalent")).count(), equivalent, "{shown}");
    }

    #[test]
    fn two_libraries_are_the_headings_of_their_columns() {
        let run = fixtures::run();
        let analysis = RunAnalysis::new(&run);
        let pair = (&analysis.cases()[0], &analysis.cases()[1]);
        let comparison = compare(&analysis, &analysis, &[pair], &ComparisonCriteria::default());
        let text = comparison_summary(&comparison, false, 100, Palette::PLAIN);
        let heading = text.lines().find(|line| line.starts_with("case")).unwrap();
        assert!(heading.contains(" liboqs ") && heading.contains(" aws-lc "), "{text}");
        assert!(text.contains("\nkem/ML-KEM-768/encapsulate  10.4 µs  "), "{text}");
    }

    #[test]
    fn narrow_terminals_drop_the_times_and_keep_every_note() {
        let (first, mut second) = (fixtures::run(), fixtures::run());
        second.header.id = "other".into();
        let mut comparison = compared(&first, &second);
        let note = "the first was disturbed: not called slower, although its samples suggest it ".repeat(3);
        comparison.cases[0].notes = vec![note.clone()];
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        for width in [80, 120, usize::MAX] {
            let text = comparison_summary(&comparison, true, width, Palette::PLAIN);
            assert!(words(&text).contains(&words(&note)), "{width}: {text}");
            let rows = text.lines().filter(|line| line.starts_with("kem/"));
            assert!(rows.clone().count() > 0 && rows.clone().all(|row| display_width(row) <= width), "{text}");
        }
    }
}
