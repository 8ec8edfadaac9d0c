//! Chart with stacked bars: the parts of a time.

use super::Chart;
use super::canvas::{Anchor, Canvas, LegendEntry, Quantity, Scale, TextStyle, label, width_of};
use pqlab_analysis::number::{percent, time};

const WIDTH: f64 = 760.0;
const LINE: f64 = 34.0;
/// Maximum number of bars.
pub(super) const MOST: usize = 18;

/// A bar: name, provider, parts in ns, and the measured whole in ns if there is one.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) provider: String,
    pub(super) parts: Vec<f64>,
    pub(super) whole: Option<f64>,
}

/// Draws at most `most` stacked bars, fastest first.
pub(super) fn stacked(
    name: &str,
    title: &str,
    parts: &[&str],
    mut bars: Vec<Bar>,
    most: usize,
    note: &str,
) -> Option<Chart> {
    let total = |bar: &Bar| bar.parts.iter().sum::<f64>();
    let all = bars.len();
    bars.sort_by(|one, other| total(one).total_cmp(&total(other)));
    bars.truncate(most);
    if bars.is_empty() {
        return None;
    }
    let mut legend: Vec<(LegendEntry, String)> =
        parts.iter().enumerate().map(|(part, name)| (LegendEntry::Block(part), (*name).to_owned())).collect();
    if bars.iter().any(|bar| bar.whole.is_some()) {
        legend.push((LegendEntry::Line, "whole operation, measured separately".to_owned()));
    }
    let mut canvas = Canvas::new(WIDTH, 0.0);
    let top = canvas.head_of(title, &legend) + 4.0;
    let height = top + bars.len() as f64 * LINE + 30.0;
    let mut canvas = Canvas::new(WIDTH, height);
    canvas.head_of(title, &legend);
    let texts = bars.iter().flat_map(|bar| [&bar.name, &bar.provider]);
    let gutter = texts.map(|text| width_of(&label(text), 12.0)).fold(80.0, f64::max).min(320.0) + 14.0;
    let ends = bars.iter().flat_map(|bar| [total(bar), bar.whole.unwrap_or(0.0)]);
    let scale = Scale::linear(ends, gutter, WIDTH - 20.0);
    canvas.axis_across(&scale, Quantity::Time, top, height - 26.0);
    let mut listed = Vec::new();
    for (place, bar) in bars.iter().enumerate() {
        let y = top + (place as f64 + 0.5) * LINE;
        canvas.text(gutter - 10.0, y - 1.0, TextStyle::Label, Anchor::End, &label(&bar.name));
        canvas.text(gutter - 10.0, y + 12.0, TextStyle::Faint, Anchor::End, &label(&bar.provider));
        let mut from = 0.0;
        let mut words = Vec::new();
        for (part, value) in bar.parts.iter().enumerate() {
            let about = format!("{} {} ({})", parts[part], time(*value), percent(100.0 * value / total(bar)));
            let (x, to) = (scale.at(from), scale.at(from + value));
            if *value > 0.0 {
                canvas.bar(part, x, y - 9.0, to - x, 18.0, &about);
            }
            words.push(about);
            from += value;
        }
        if let Some(whole) = bar.whole {
            canvas.whisker((scale.at(whole), y - 12.0), (scale.at(whole), y + 12.0));
        }
        listed.push(format!("{} {}: {}", bar.name, bar.provider, words.join(", ")));
    }
    let more = if all > bars.len() { format!(" The {} fastest of {all}.", bars.len()) } else { String::new() };
    Some(canvas.finish(name, title, format!("{note}{more} {}.", listed.join("; "))))
}
