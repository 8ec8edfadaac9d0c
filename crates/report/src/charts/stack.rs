//! Chart with stacked bars: a time divided into its parts.

use super::Chart;
use super::canvas::{Anchor, Canvas, LABEL_LINE, LegendEntry, Quantity, Scale, TextStyle, lines_of, width_of};
use super::provenance::{named, time_whiskers};
use pqlab_analysis::caveats::{Caveat, Caveats};
use pqlab_analysis::comparison::NotRanked;
use pqlab_analysis::number::{is_approximate, known_time, percent, time};
use pqlab_analysis::{RunAnalysis, distinct, gathered};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
/// Height of a bar, in SVG units.
const BAR: f64 = 18.0;
/// Minimum height of a bar's row, in SVG units.
const LINE: f64 = 34.0;
/// Maximum width of the labels, in SVG units.
const LABELS: f64 = 320.0;
/// Maximum number of bars.
pub(super) const MOST: usize = 18;

/// Noun for the bars of a picture: singular and plural.
pub(super) const BARS: [&str; 2] = ["bar", "bars"];

/// Note for pairs of libraries that compute the halves of a hybrid.
pub(super) const HALVES: &str = "Pairs of libraries: classical half + post-quantum half.";

/// A bar: the times of its parts, and the total time if it was measured separately. All times are in ns.
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) provider: String,
    pub(super) algorithm: String,
    pub(super) parts: Vec<f64>,
    pub(super) whole: Option<Interval>,
    /// Whether the interval of a part is wider than ±10%.
    pub(super) approximate: bool,
    /// Reason why a case of the bar is not ranked. The bar is then hollow.
    pub(super) doubt: Option<&'static str>,
    /// Providers of faster bars with the same name, which are not ranked and left out.
    pub(super) faster: Vec<String>,
    /// Other providers that the note names.
    pub(super) tied: Vec<String>,
}

/// Returns the reason why figures with these caveats are not ranked.
pub(super) fn doubt_of(caveats: &Caveats) -> Option<&'static str> {
    let reasons = [(Caveat::Defect, NotRanked::KnownDefect), (Caveat::Shared, NotRanked::Disturbed)];
    reasons.into_iter().find(|(caveat, _)| caveats.has(*caveat)).map(|(_, reason)| reason.text())
}

impl Bar {
    fn total(&self) -> f64 {
        self.parts.iter().sum()
    }

    /// Returns the time of the whole operation, or the total time of the parts.
    fn figure(&self) -> String {
        let text = self.whole.map_or_else(|| time(self.total()), |whole| known_time(&whole));
        let text = if self.approximate && !text.starts_with('≈') { format!("≈{text}") } else { text };
        match self.faster.len() {
            0 => text,
            faster => format!("{text} ({faster} faster)"),
        }
    }
}

/// Returns whether the interval of any figure is wider than ±10%.
pub(super) fn any_approximate(figures: &[Option<Interval>]) -> bool {
    figures.iter().flatten().any(is_approximate)
}

/// Keeps one bar for each name: the fastest ranked one, or the fastest if none is ranked. Returns the bars, and the
/// providers of faster bars with the same name, each with the reason why it is not ranked.
pub(super) fn fastest_of_each(bars: Vec<Bar>) -> (Vec<Bar>, Vec<Unranked>) {
    let whole = |bar: &Bar| bar.whole.map_or(f64::INFINITY, |whole| whole.estimate);
    let unranked: Vec<(String, f64, Unranked)> = bars
        .iter()
        .filter_map(|bar| Some((bar.name.clone(), whole(bar), (bar.provider.clone(), bar.doubt?))))
        .collect();
    let mut kept: Vec<Bar> = Vec::new();
    for bar in bars {
        match kept.iter_mut().find(|other| other.name == bar.name) {
            Some(other) => {
                let order = bar.doubt.is_some().cmp(&other.doubt.is_some());
                if order.then(whole(&bar).total_cmp(&whole(other))).is_lt() {
                    *other = bar;
                }
            }
            None => kept.push(bar),
        }
    }
    let mut lower = Vec::new();
    for (name, time, unranked) in unranked {
        let bar = kept.iter_mut().find(|bar| bar.name == name && bar.doubt.is_none());
        if let Some(bar) = bar.filter(|bar| time < whole(bar)) {
            bar.faster.push(unranked.0.clone());
            lower.push(unranked);
        }
    }
    (kept, lower)
}

/// A provider, and the reason why a figure of it is not ranked.
pub(super) type Unranked = (String, &'static str);

/// Returns a sentence that counts the faster bars or libraries (`what`) that are left out because they are not ranked,
/// by reason, with their providers. Returns an empty string if there are none.
pub(super) fn lower_sentence([one, several]: [&str; 2], left_out: &[Unranked]) -> String {
    let groups = gathered(left_out.iter().map(|(provider, reason)| (*reason, provider.as_str())));
    let counted = groups.iter().map(|(reason, providers)| {
        format!("{} {reason}: {}", providers.len(), distinct(providers.iter().copied()).join(", "))
    });
    let counted = counted.collect::<Vec<_>>().join("; ");
    match left_out.len() {
        0 => String::new(),
        1 => format!(" 1 faster {one} is left out, because it is not ranked ({counted})."),
        all => format!(" {all} faster {several} are left out, because they are not ranked ({counted})."),
    }
}

/// Draws at most `most` stacked bars, fastest first. `pairs` explains the names of pairs of libraries. Returns `None` if there are none.
pub(super) fn stacked(
    analysis: &RunAnalysis<'_>,
    name: &str,
    title: &str,
    parts: &[&str],
    mut bars: Vec<Bar>,
    most: usize,
    [note, pairs]: [&str; 2],
) -> Option<Chart> {
    let all = bars.len();
    bars.sort_by(|one, other| one.total().total_cmp(&other.total()));
    bars.truncate(most);
    if bars.is_empty() {
        return None;
    }
    let mut legend: Vec<(LegendEntry, String)> =
        parts.iter().enumerate().map(|(part, name)| (LegendEntry::Part(part), (*name).to_owned())).collect();
    if bars.iter().any(|bar| bar.whole.is_some()) {
        legend.push((LegendEntry::Diamond, "whole operation, measured separately".to_owned()));
    }
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(title, &legend) + 4.0;
    let labels: Vec<Vec<(TextStyle, String)>> = bars
        .iter()
        .map(|bar| {
            let by = named(analysis, &bar.provider, &bar.algorithm, bar.doubt);
            let names = lines_of(&bar.name, 12.0, LABELS).into_iter().map(|line| (TextStyle::Label, line));
            names.chain(lines_of(&by, 12.0, LABELS).into_iter().map(|line| (TextStyle::Faint, line))).collect()
        })
        .collect();
    let row = |label: &Vec<(TextStyle, String)>| LINE.max(LABEL_LINE * label.len() as f64 + 6.0);
    let height = top + labels.iter().map(row).sum::<f64>() + 42.0;
    canvas.ends_at(height);
    let gutter = labels.iter().flatten().map(|(_, text)| width_of(text, 12.0)).fold(80.0, f64::max) + 14.0;
    let figures: Vec<String> = bars.iter().map(Bar::figure).collect();
    let right = WIDTH - 14.0 - figures.iter().map(|text| width_of(text, 11.0)).fold(40.0, f64::max);
    let end_of = |bar: &Bar| bar.whole.map_or(0.0, |whole| whole.high).max(bar.total());
    let scale = Scale::linear(bars.iter().map(end_of), gutter, right);
    canvas.axis_across(&scale, Quantity::Time, top, height - 38.0);
    let axis = "time (unit at each tick)";
    canvas.text((gutter + right) / 2.0, height - 6.0, TextStyle::Faint, Anchor::Middle, axis);
    let (mut listed, mut end) = (Vec::new(), top);
    for ((bar, label), figure) in bars.iter().zip(&labels).zip(&figures) {
        let y = end + row(label) / 2.0;
        end += row(label);
        let first = y + 4.0 - LABEL_LINE * (label.len() - 1) as f64 / 2.0;
        for (number, (style, line)) in label.iter().enumerate() {
            canvas.text(gutter - 10.0, first + LABEL_LINE * number as f64, *style, Anchor::End, line);
        }
        let mut from = 0.0;
        let mut words = Vec::new();
        for (part, value) in bar.parts.iter().enumerate() {
            let about = format!("{} {} ({})", parts[part], time(*value), percent(100.0 * value / bar.total()));
            let (x, to) = (scale.at(from), scale.at(from + value));
            if *value > 0.0 && bar.doubt.is_some() {
                canvas.hollow_bar(x, y - BAR / 2.0, to - x, BAR, &about);
            } else if *value > 0.0 {
                canvas.part(part, x, y - BAR / 2.0, to - x, BAR, &about);
            }
            words.push(about);
            from += value;
        }
        if let Some(whole) = bar.whole {
            canvas.interval_across(y, &scale, whole.low, whole.high);
            canvas.diamond(scale.at(whole.estimate), y);
        }
        canvas.text(scale.at(end_of(bar)) + 8.0, y + 4.0, TextStyle::Faint, Anchor::Start, figure);
        canvas.shows_figure(&bar.provider, &bar.algorithm, bar.doubt);
        bar.faster.iter().chain(&bar.tied).for_each(|provider| canvas.shows_library(provider, &bar.algorithm));
        listed.push(format!("{} {}: {figure} ({})", bar.name, bar.provider, words.join(", ")));
    }
    let more = if all > bars.len() { format!(" Shown: the {} fastest of {all}.", bars.len()) } else { String::new() };
    canvas.note(note);
    if bars.iter().any(|bar| !bar.faster.is_empty()) {
        canvas.note("(N faster): N faster bars with the same name are left out.");
    }
    if bars.iter().any(|bar| bar.doubt.is_some()) {
        canvas.note("Grey bars have their parts in the order of the legend.");
    }
    if bars.iter().any(|bar| bar.provider.contains('+')) {
        canvas.note(pairs);
    }
    if bars.iter().any(|bar| bar.whole.is_none()) {
        canvas.note("Figures: sums of the parts.");
    }
    if bars.iter().any(|bar| bar.whole.is_some()) {
        canvas.note(time_whiskers(analysis));
    }
    canvas.note("Parts have no whiskers; the tables give their intervals.");
    if bars.iter().any(|bar| bar.approximate) {
        canvas.note("≈: the 95% interval of the figure, or of one of its parts, is wider than ±10%.");
    }
    canvas.note(more.trim_start());
    Some(canvas.finish(analysis, name, title, format!("{note}{more} {}.", listed.join("; "))))
}
