//! Chart with vertical bars. Each bar has its interval, and its figure above.

use super::Chart;
use super::canvas::{Anchor, Canvas, LegendEntry, Quantity, Scale, TextStyle};
use pqlab_analysis::number::time;
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;

/// A vertical bar.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) value: Interval,
    pub(super) series: usize,
}

/// Draws bars side by side. Returns `None` if there are none.
pub(super) fn columns(
    name: &str,
    title: &str,
    quantity: Quantity,
    legend: &[(LegendEntry, String)],
    columns: &[Column],
    note: &str,
) -> Option<Chart> {
    if columns.is_empty() {
        return None;
    }
    let height = 340.0;
    let mut canvas = Canvas::new(WIDTH, height);
    let top = canvas.head_of(title, legend) + 18.0;
    let (left, right, bottom) = (64.0, WIDTH - 12.0, height - 30.0);
    let up = Scale::linear(columns.iter().map(|column| column.value.high), bottom, top);
    canvas.axis_up(&up, quantity, left, right);
    let step = (right - left) / columns.len() as f64;
    let width = (step * 0.62).min(90.0);
    for (place, column) in columns.iter().enumerate() {
        let x = left + (place as f64 + 0.5) * step;
        let y = up.at(column.value.estimate);
        let text = figure(quantity, column.value.estimate);
        canvas.bar(column.series, x - width / 2.0, y, width, bottom - y, &format!("{}: {text}", column.name));
        canvas.interval_up(x, &up, column.value.low, column.value.high);
        canvas.text(x, up.at(column.value.high) - 7.0, TextStyle::Value, Anchor::Middle, &text);
        canvas.text(x, bottom + 17.0, TextStyle::Label, Anchor::Middle, &column.name);
    }
    let listed: Vec<String> = columns
        .iter()
        .map(|column| {
            format!(
                "{} {} ({} to {})",
                column.name,
                figure(quantity, column.value.estimate),
                figure(quantity, column.value.low),
                figure(quantity, column.value.high)
            )
        })
        .collect();
    Some(canvas.finish(name, title, format!("{note} {}.", listed.join("; "))))
}

/// Formats the figure above a bar with three digits. Ticks on axes may have fewer.
fn figure(quantity: Quantity, value: f64) -> String {
    if quantity == Quantity::Time { time(value) } else { quantity.show(value) }
}
