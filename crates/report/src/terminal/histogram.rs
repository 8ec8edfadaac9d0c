use super::columns::{Cell, lines};
use super::palette::Palette;
use pqlab_analysis::histogram::Histogram;
use pqlab_analysis::number::{digits, grouped};
use pqlab_stats::Sorted;

/// Maximum number of bars.
const BARS: usize = 20;
/// Maximum length of a bar in columns.
const WIDEST: usize = 60;
/// Approximate number of columns that a row needs in addition to its bar, for the limits and the count.
const BESIDE: usize = 36;

/// Draws a histogram of times in ns. Lines are indented by two columns. The last row counts all times that are far
/// above the others.
pub(super) fn histogram(times: &Sorted, width: usize, palette: Palette) -> Vec<String> {
    let bars = Histogram::new(times, BARS);
    let (step, to) = (bars.step, bars.limit(bars.counts.len()));
    let (scale, unit) = scale(times.median());
    // Use enough digits to show different limits for each bar.
    let wanted = if step > 0.0 { ((to / step).log10().ceil() as usize + 1).clamp(4, 9) } else { 4 };
    let shown = |time: f64| digits(time / scale, wanted);
    let mut rows: Vec<(String, String, u64)> = Vec::new();
    for (index, count) in bars.counts.iter().enumerate() {
        let limit = |index: usize| shown(bars.limit(index));
        rows.push((limit(index), format!("– {} {unit}", limit(index + 1)), *count));
    }
    if bars.beyond > 0 {
        rows.push((format!("above {}", shown(to)), format!("– {} {unit}", shown(times.max())), bars.beyond));
    }
    let most = rows.iter().map(|(_, _, count)| *count).max().unwrap_or(1).max(1);
    let widest = width.saturating_sub(BESIDE).clamp(10, WIDEST);
    let cells = rows.into_iter().map(|(from, to, count)| {
        let from = Cell::right(&format!("  {from}"));
        vec![from, Cell::right(&to), Cell::right(&grouped(count)), Cell::left(&bar(count, most, widest))]
    });
    lines(&cells.collect::<Vec<_>>(), usize::MAX, palette)
}

/// Draws a bar of `widest` × `count` / `most` columns, rounded to eighths. A count above zero always has a visible bar.
fn bar(count: u64, most: u64, widest: usize) -> String {
    let eighths = (count as f64 / most as f64 * widest as f64 * 8.0).round() as usize;
    let eighths = if count > 0 { eighths.max(1) } else { 0 };
    let mut bar = "█".repeat(eighths / 8);
    bar.extend("▏▎▍▌▋▊▉".chars().nth((eighths % 8).wrapping_sub(1)));
    bar
}

/// Returns the unit in which the limits of all bars are shown: its length in ns, and its name.
fn scale(nanoseconds: f64) -> (f64, &'static str) {
    match nanoseconds {
        nanoseconds if nanoseconds < 1e3 => (1.0, "ns"),
        nanoseconds if nanoseconds < 1e6 => (1e3, "µs"),
        nanoseconds if nanoseconds < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width::display_width;

    fn drawn(times: Vec<f64>, width: usize) -> Vec<String> {
        histogram(&Sorted::new(times).unwrap(), width, Palette::PLAIN)
    }

    #[test]
    fn bars_count_their_samples() {
        let mut times: Vec<f64> = (0..100).map(|index| 10_000.0 + f64::from(index)).collect();
        times.extend([30_000.0, 90_000.0]);
        let rows = drawn(times, 80);
        assert_eq!(rows.len(), 11);
        assert!(rows[0].contains("10.000  – 10.010 µs  10  ██"), "{rows:#?}");
        assert!(rows[10].contains("above 10.099  – 90.000 µs   2  █"), "{rows:#?}");
        assert!(rows.iter().all(|row| display_width(row) <= 80));
    }

    #[test]
    fn equal_samples_make_one_bar() {
        let rows = drawn(vec![5.0; 30], 80);
        assert_eq!(rows.len(), 1);
        assert!(rows[0].starts_with("  5.000  – 5.000 ns  30  ███"));
        // If the quartiles are equal, the fence excludes all other values.
        let mut times = vec![5.0; 30];
        times.push(9.0);
        assert_eq!(drawn(times, 80).len(), 2);
        assert_eq!(drawn(vec![1.0], 20).len(), 1);
    }

    #[test]
    fn close_limits_have_enough_digits_to_differ() {
        let rows = drawn((0..50).map(|index| 1e6 + f64::from(index)).collect(), 80);
        assert!(rows[0].starts_with("  1.000000  – 1.000006 ms  "), "{rows:#?}");
    }

    #[test]
    fn bars_are_proportional_to_counts() {
        assert_eq!(bar(10, 10, 4), "████");
        assert_eq!(bar(5, 10, 4), "██");
        assert_eq!(bar(1, 1000, 4), "▏");
        assert_eq!(bar(0, 10, 4), "");
        assert_eq!(bar(11, 32, 4), "█▍");
    }
}
