//! Chart with vertical bars. Each bar has a whisker for its interval, and its figure above it.

use super::Chart;
use super::canvas::{Anchor, Canvas, LABEL_LINE, LegendEntry, Quantity, Scale, TextStyle, lines_of};
use super::look::Looks;
use super::provenance::{named, time_whiskers};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::number::{known_factor, known_time};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
/// Height of the plot, in SVG units.
const PLOT: f64 = 250.0;

/// A vertical bar.
pub(super) struct Column {
    pub(super) name: String,
    pub(super) provider: String,
    pub(super) algorithm: String,
    pub(super) value: Interval,
    /// Index of the bar's quantity if the picture shows several quantities. The bar then has the color of its quantity,
    /// not the color of its library.
    pub(super) part: Option<usize>,
    /// Reason why the figure is not ranked. The bar is then hollow.
    pub(super) doubt: Option<&'static str>,
}

/// Texts of a chart with vertical bars.
pub(super) struct Texts<'t> {
    /// File name, without the extension.
    pub(super) name: &'t str,
    pub(super) title: &'t str,
    /// Title of the vertical axis.
    pub(super) up: &'t str,
    pub(super) note: &'t str,
    /// Explanation of the whiskers. `None` if the whiskers show intervals of times.
    pub(super) whiskers: Option<&'t str>,
    /// Sentence that explains the names of pairs of libraries.
    pub(super) pairs: &'t str,
    /// Providers and algorithms that the note names: a reference figure, or libraries that are tied.
    pub(super) named: &'t [(String, String)],
}

/// Draws bars side by side. Returns `None` if there are no bars.
pub(super) fn columns(
    analysis: &RunAnalysis<'_>,
    texts: &Texts<'_>,
    quantity: Quantity,
    legend: &[(LegendEntry, String)],
    columns: &[Column],
) -> Option<Chart> {
    columns.first()?;
    let looks = Looks::new(analysis);
    let mut canvas = Canvas::new(WIDTH);
    let head = canvas.head(texts.title, legend);
    canvas.text(0.0, head + 8.0, TextStyle::Faint, Anchor::Start, texts.up);
    let top = head + 34.0;
    let (left, right, bottom) = (64.0, WIDTH - 12.0, top + PLOT);
    let up = Scale::linear(columns.iter().map(|column| column.value.high), bottom, top);
    canvas.axis_up(&up, quantity, left, right);
    if quantity == Quantity::Factor {
        canvas.base((left, up.at(1.0)), (right, up.at(1.0)));
    }
    let step = (right - left) / columns.len() as f64;
    let width = (step * 0.62).min(90.0);
    let mut deepest = 1;
    for (place, column) in columns.iter().enumerate() {
        let x = left + (place as f64 + 0.5) * step;
        let y = up.at(column.value.estimate);
        let text = figure(quantity, &column.value);
        let about = format!("{}: {text}", column.name);
        let place = (x - width / 2.0, y, width, bottom - y);
        match (column.doubt, column.part) {
            (Some(_), _) => canvas.hollow_bar(place.0, place.1, place.2, place.3, &about),
            (None, Some(part)) => canvas.part(part, place.0, place.1, place.2, place.3, &about),
            (None, None) => {
                let look = looks.of_provider(&column.provider);
                canvas.bar(look.colour, place.0, place.1, place.2, place.3, &about);
            }
        }
        if column.value.high > column.value.low {
            canvas.interval_up(x, &up, column.value.low, column.value.high);
        }
        canvas.text(x, up.at(column.value.high) - 7.0, TextStyle::Value, Anchor::Middle, &text);
        let library = named(analysis, &column.provider, &column.algorithm, column.doubt);
        let names = lines_of(&column.name, 12.0, step - 6.0);
        let libraries = lines_of(&library, 11.0, step - 6.0);
        let styles = names.iter().map(|line| (TextStyle::Label, line));
        let lines = styles.chain(libraries.iter().map(|line| (TextStyle::Faint, line)));
        for (number, (style, line)) in lines.enumerate() {
            let y = bottom + 17.0 + LABEL_LINE * number as f64;
            canvas.text(x, y, style, Anchor::Middle, line);
            deepest = deepest.max(number + 1);
        }
        canvas.shows_figure(&column.provider, &column.algorithm, column.doubt);
    }
    canvas.ends_at(bottom + 17.0 + LABEL_LINE * deepest as f64);
    let listed: Vec<String> = columns
        .iter()
        .map(|column| {
            format!(
                "{} {} ({} to {})",
                column.name,
                figure(quantity, &column.value),
                quantity.show(column.value.low),
                quantity.show(column.value.high)
            )
        })
        .collect();
    for (provider, algorithm) in texts.named {
        canvas.shows_library(provider, algorithm);
    }
    canvas.note(texts.whiskers.map_or_else(|| time_whiskers(analysis), str::to_owned));
    canvas.note(texts.note);
    if columns.iter().any(|column| column.provider.contains('+')) {
        canvas.note(texts.pairs);
    }
    Some(canvas.finish(analysis, texts.name, texts.title, format!("{} {}.", texts.note, listed.join("; "))))
}

/// Formats the figure above a bar with the digits that its interval supports. An exact figure has three.
fn figure(quantity: Quantity, value: &Interval) -> String {
    match quantity {
        Quantity::Time => known_time(value),
        Quantity::Factor if value.high > value.low => known_factor(value),
        _ => quantity.show(value.estimate),
    }
}
