//! Canvas for pictures: marks, texts and axes as SVG. The template engine writes the SVG and escapes texts.
//!
//! Attributes set the colors of a standalone SVG file. Through class names, the stylesheet of a page can override these
//! colors in its dark theme.

mod mark;
mod scale;
mod text;
mod whisker;

pub(super) use scale::Scale;
pub(super) use text::{label, lines_of, width_of};

use super::curves::statistic_of;
use super::glossary::explanations;
use super::look::Look;
use super::provenance::{KNOWN_DEFECT, Shown, TIME_WHISKERS, provenance};
use super::ratios::doubt;
use super::{Chart, RunAnalysis};
use maud::{Markup, PreEscaped, html};
use pqlab_analysis::CaseAnalysis;
use pqlab_analysis::comparison::NotRanked;
use pqlab_analysis::number::{APPROXIMATE, grouped, memory, rate, significant, throughput, time};
use pqlab_analysis::text::neutral;
use pqlab_record::Statistic;
use std::ops::Range;
use text::wrapped;

/// Colors of libraries on white (after Okabe and Ito). None of them is gray, because gray marks show cases that are not
/// ranked. Color-blind readers can tell libraries apart by their shapes.
pub(super) const COLOURS: [&str; 11] = [
    "#0072b2", "#d55e00", "#00875f", "#a8487f", "#9a6d00", "#3d5fc4", "#0b8a9e", "#7a3b12", "#c2183f", "#7b3fb0",
    "#667a00",
];
const INK: &str = "#1c232b";
const FAINT: &str = "#5b6672";
const RULE: &str = "#dde2e7";
const FONT: &str = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
/// Font size of the small print, in SVG units.
const PRINT: f64 = 9.5;
/// Distance between the lines of the small print, in SVG units.
const PRINT_LINE: f64 = 13.0;
/// Margin around the drawing, in SVG units.
const MARGIN: f64 = 14.0;
/// Font size of the title, in SVG units.
const TITLE: f64 = 15.0;
/// Distance between the lines of the title, in SVG units.
const TITLE_LINE: f64 = 19.0;
/// Distance between the lines of a label, in SVG units.
pub(super) const LABEL_LINE: f64 = 13.0;

/// Style of a text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum TextStyle {
    Title,
    Label,
    Faint,
    Value,
    Large,
    Strong,
    /// Small print.
    Print,
}

/// Part of a text that is placed at the given x coordinate.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Quantity shown on an axis, which determines the format of numbers.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    /// Time in nanoseconds.
    Time,
    /// Rate per second.
    Rate,
    /// Bytes per second.
    Throughput,
    /// Number of bytes.
    Bytes,
    /// Number without unit.
    Plain,
    /// Fraction, shown in percent.
    Share,
    /// Ratio.
    Factor,
}

/// Symbol of a legend entry.
#[derive(Clone, Copy)]
pub(super) enum LegendEntry {
    /// Mark of a library.
    Mark(Look),
    /// Filled square in the color of a part of a bar.
    Part(usize),
    /// Diamond of a single value.
    Diamond,
    /// Dashed line of ideal values or of a limit.
    Ideal,
}

/// A whisker that was drawn.
struct Whisker {
    /// Coordinates of both ends.
    ends: [(f64, f64); 2],
    /// Range of bytes in the body that draws the whisker.
    markup: Range<usize>,
}

/// A picture under construction.
pub(super) struct Canvas {
    width: f64,
    height: f64,
    body: String,
    /// Whether any interval extends beyond the plot. The whisker of such an interval ends in an arrow.
    goes_on: bool,
    /// Texts of the picture, without its small print.
    texts: Vec<String>,
    /// Centers of the marks in the plot. Excludes marks in the legend.
    marks: Vec<(f64, f64)>,
    whiskers: Vec<Whisker>,
    /// Sentences of the small print that are specific to this picture.
    notes: Vec<String>,
    /// Figures that the picture shows, for the small print.
    shown: Shown,
}

impl Anchor {
    /// Returns the value of the SVG attribute `text-anchor`, or `None` for its default.
    fn name(self) -> Option<&'static str> {
        match self {
            Anchor::Start => None,
            Anchor::Middle => Some("middle"),
            Anchor::End => Some("end"),
        }
    }
}

impl TextStyle {
    fn look(self) -> (&'static str, f64, &'static str, Option<&'static str>) {
        match self {
            TextStyle::Title => ("t title", TITLE, INK, Some("600")),
            TextStyle::Label => ("t", 12.0, INK, None),
            TextStyle::Faint => ("t faint", 11.0, FAINT, None),
            TextStyle::Value => ("t", 11.0, INK, Some("600")),
            TextStyle::Large => ("t large", 40.0, INK, Some("700")),
            TextStyle::Strong => ("t", 12.0, INK, Some("600")),
            TextStyle::Print => ("t faint", PRINT, FAINT, None),
        }
    }
}

impl Quantity {
    pub(super) fn show(self, value: f64) -> String {
        match self {
            Quantity::Time => trimmed_unit(&time(value)),
            Quantity::Rate if value >= 1e6 => format!("{}M", trimmed(&significant(value / 1e6))),
            Quantity::Rate if value >= 1e4 => format!("{}k", trimmed(&significant(value / 1e3))),
            Quantity::Rate => trimmed(&rate(value)),
            Quantity::Throughput => trimmed_unit(&throughput(value)),
            // Message lengths are usually multiples of 1,024 and get binary units. Lengths of keys
            // and signatures are not, and stay in bytes.
            Quantity::Bytes if (value as u64).is_multiple_of(1024) => trimmed_unit(&memory(value as u64)),
            Quantity::Bytes => format!("{} B", grouped(value as u64)),
            Quantity::Plain => trimmed(&significant(value)),
            Quantity::Factor => format!("{}×", trimmed(&significant(value))),
            Quantity::Share => format!("{}%", trimmed(&significant(100.0 * value))),
        }
    }
}

impl Quantity {
    /// Returns the texts of an axis's ticks. Zero needs no unit, and all rates above 1,000 have the same unit.
    fn show_ticks(self, ticks: &[f64]) -> Vec<String> {
        let thousands = self == Quantity::Rate && ticks.iter().any(|tick| (1e4..1e6).contains(tick));
        let show = |tick: &f64| match *tick {
            0.0 => "0".to_owned(),
            tick if thousands && (1e3..1e4).contains(&tick) => format!("{}k", trimmed(&significant(tick / 1e3))),
            tick => self.show(tick),
        };
        ticks.iter().map(show).collect()
    }
}

/// Removes trailing zeros after the decimal point.
fn trimmed(number: &str) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number.to_owned() }
}

fn trimmed_unit(text: &str) -> String {
    text.split_once(' ').map_or_else(|| text.to_owned(), |(number, unit)| format!("{} {unit}", trimmed(number)))
}

/// Formats a coordinate with at most one decimal.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Returns the color with this number. Numbers beyond the end of [`COLOURS`] wrap around.
fn colour(number: usize) -> &'static str {
    COLOURS[number % COLOURS.len()]
}

impl Canvas {
    pub(super) fn new(width: f64) -> Canvas {
        Canvas {
            width,
            height: 0.0,
            body: String::new(),
            goes_on: false,
            texts: Vec::new(),
            marks: Vec::new(),
            whiskers: Vec::new(),
            notes: Vec::new(),
            shown: Shown::default(),
        }
    }

    /// Sets the height of the drawing. The small print starts below it.
    pub(super) fn ends_at(&mut self, height: f64) {
        self.height = height;
    }

    fn push(&mut self, markup: Markup) {
        self.body.push_str(&markup.into_string());
    }

    pub(super) fn text(&mut self, x: f64, y: f64, style: TextStyle, anchor: Anchor, text: &str) {
        let (class, size, fill, weight) = style.look();
        let anchor = anchor.name();
        let text = self.checked(text);
        self.push(html! {
            text class=(class) x=(px(x)) y=(px(y)) font-size=(size) fill=(fill) font-weight=[weight] text-anchor=[anchor] { (text) }
        });
    }

    /// Escapes a text, and records it.
    fn checked(&mut self, text: &str) -> String {
        self.texts.push(text.to_owned());
        neutral(text)
    }

    /// Draws a label of several lines. `y` is its vertical center.
    pub(super) fn label(&mut self, x: f64, y: f64, style: TextStyle, anchor: Anchor, lines: &[String]) {
        let first = y + 4.0 - (lines.len().saturating_sub(1)) as f64 * LABEL_LINE / 2.0;
        for (number, line) in lines.iter().enumerate() {
            self.text(x, first + LABEL_LINE * number as f64, style, anchor, line);
        }
    }

    /// Draws a text on a filled area. If `light` is set, the text is light, for contrast with a dark area.
    pub(super) fn text_on(&mut self, x: f64, y: f64, light: bool, text: &str) {
        let fill = if light { "#ffffff" } else { INK };
        let text = self.checked(text);
        self.push(html! {
            text x=(px(x)) y=(px(y)) font-size="11" fill=(fill) text-anchor="middle" { (text) }
        });
    }

    /// Draws the label of a mark. A rectangle in the background color hides the rule behind the label.
    pub(super) fn text_over_rule(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        let (class, size, fill, weight) = TextStyle::Faint.look();
        let text = self.checked(text);
        let length = width_of(&text, size) * 0.9;
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - length / 2.0,
            Anchor::End => x - length,
        };
        let anchor = anchor.name();
        self.push(html! {
            rect class="under" x=(px(left - 2.0)) y=(px(y - 11.0)) width=(px(length + 4.0)) height="14" fill="#ffffff" {}
            text class=(class) x=(px(x)) y=(px(y)) font-size=(size) fill=(fill) font-weight=[weight] text-anchor=[anchor] { (text) }
        });
    }

    pub(super) fn rule(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.push(html! {
            line class="rule" x1=(px(from.0)) y1=(px(from.1)) x2=(px(to.0)) y2=(px(to.1)) stroke=(RULE) {}
        });
    }

    /// Draws the reference line, which shows the value that all other values are compared with.
    pub(super) fn base(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.push(html! {
            line class="base" x1=(px(from.0)) y1=(px(from.1)) x2=(px(to.0)) y2=(px(to.1)) stroke=(FAINT) stroke-width="1" {}
        });
    }

    /// Draws a line in the color of a series.
    pub(super) fn line(&mut self, series: usize, points: &[(f64, f64)]) {
        if points.is_empty() {
            return;
        }
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        let class = format!("s{}", series % COLOURS.len());
        self.push(html! {
            polyline class=(class) points=(points.join(" ")) fill="none" stroke=(colour(series)) stroke-width="1.8"
                stroke-linejoin="round" {}
        });
    }

    /// Draws a faint dashed line, which shows ideal values, a case that is not ranked, or a limit.
    pub(super) fn ideal(&mut self, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        self.push(html! {
            polyline class="ideal" points=(points.join(" ")) fill="none" stroke=(FAINT) stroke-width="1.2" stroke-dasharray="5 4" {}
        });
    }

    /// Draws a tile in a heat map.
    pub(super) fn tile(&mut self, place: (f64, f64), size: (f64, f64), fill: &str, about: &str) {
        self.push(html! {
            rect x=(px(place.0)) y=(px(place.1)) width=(px(size.0)) height=(px(size.1)) fill=(fill) rx="2" {
                title { (neutral(about)) }
            }
        });
    }

    /// Draws the title, and the legend if it has entries. Returns the y coordinate of the lower edge.
    pub(super) fn head(&mut self, title: &str, legend: &[(LegendEntry, String)]) -> f64 {
        let mut y = 16.0 - TITLE_LINE;
        for line in lines_of(title, TITLE, 0.92 * self.width) {
            y += TITLE_LINE;
            self.text(0.0, y, TextStyle::Title, Anchor::Start, &line);
        }
        if legend.is_empty() {
            return y + 10.0;
        }
        let mut x = 6.0;
        y += 22.0;
        for (key, name) in legend {
            let name = label(name);
            let width = width_of(&name, 12.0) + 30.0;
            if x + width > self.width && x > 6.0 {
                (x, y) = (6.0, y + 18.0);
            }
            match key {
                LegendEntry::Mark(look) => self.symbol(*look, x, y, &name),
                LegendEntry::Part(part) => self.part(*part, x - 5.0, y - 5.0, 10.0, 10.0, &name),
                LegendEntry::Diamond => self.diamond_symbol(x, y),
                LegendEntry::Ideal => self.ideal(&[(x - 6.0, y), (x + 8.0, y)]),
            }
            self.text(x + 11.0, y + 4.0, TextStyle::Label, Anchor::Start, &name);
            x += width;
        }
        y + 14.0
    }

    /// Draws ticks and rules for a horizontal axis.
    pub(super) fn axis_across(&mut self, scale: &Scale, quantity: Quantity, top: f64, bottom: f64) {
        let room = (scale.end - scale.start).abs();
        let ticks = scale.ticks((room / 72.0) as usize);
        for (tick, text) in ticks.iter().zip(quantity.show_ticks(&ticks)) {
            let x = scale.at(*tick);
            self.rule((x, top), (x, bottom));
            self.text(x, bottom + 15.0, TextStyle::Faint, Anchor::Middle, &text);
        }
    }

    /// Draws ticks and rules for a vertical axis.
    pub(super) fn axis_up(&mut self, scale: &Scale, quantity: Quantity, left: f64, right: f64) {
        let room = (scale.end - scale.start).abs();
        let ticks = scale.ticks((room / 36.0) as usize);
        for (tick, text) in ticks.iter().zip(quantity.show_ticks(&ticks)) {
            let y = scale.at(*tick);
            self.rule((left, y), (right, y));
            self.text(left - 6.0, y + 4.0, TextStyle::Faint, Anchor::End, &text);
        }
    }

    /// Adds a sentence to the small print.
    pub(super) fn note(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !sentence.is_empty() && !self.notes.contains(&sentence) {
            self.notes.push(sentence);
        }
    }

    /// Records a case that the picture shows. The small print lists the version of the case's library, and states
    /// whether the case is ranked.
    pub(super) fn shows(&mut self, row: &CaseAnalysis<'_>) {
        self.shown.add(&row.case().provider, &row.case().algorithm, doubt(row));
        if let Some(statistic) = statistic_of(row) {
            self.shows_statistic(statistic);
        }
    }

    /// Records a figure that the picture shows, like [`Canvas::shows`]. A figure may cover several cases. `doubt` is
    /// the reason why the figure is not ranked, or `None` if it is ranked.
    pub(super) fn shows_figure(&mut self, provider: &str, algorithm: &str, doubt: Option<&'static str>) {
        self.shown.add(provider, algorithm, doubt);
    }

    /// Records the statistic of a figure that the picture shows.
    pub(super) fn shows_statistic(&mut self, statistic: Statistic) {
        self.shown.add_statistic(statistic);
    }

    /// Adds a library to the small print without counting a figure.
    pub(super) fn shows_library(&mut self, provider: &str, algorithm: &str) {
        self.shown.add_library(provider, algorithm);
    }

    /// Draws a gray band across the plot.
    pub(super) fn band(&mut self, place: (f64, f64), size: (f64, f64)) {
        self.push(html! {
            rect class="band" x=(px(place.0)) y=(px(place.1)) width=(px(size.0)) height=(px(size.1)) fill=(FAINT) fill-opacity="0.13" {}
        });
    }

    /// Draws the small print below the picture, and increases the height of the picture to fit it.
    fn print(&mut self, analysis: &RunAnalysis<'_>) {
        let hidden = self.remove_hidden_whiskers();
        if hidden > 0 {
            self.note(format!("Whiskers shorter than their mark are hidden: {hidden} of {}.", self.whiskers.len()));
        }
        if self.texts.iter().any(|text| text.contains('≈')) && !self.notes.iter().any(|note| note.starts_with('≈'))
        {
            self.note(format!("≈: {APPROXIMATE}."));
        }
        self.note(self.shown.statistic());
        // Only the whiskers of times and rates reach the undisturbed figure.
        let reach = self.whiskers.len() > hidden && self.notes.iter().any(|note| note.starts_with(TIME_WHISKERS));
        let defect = NotRanked::KnownDefect.text();
        let mentioned = self.texts.iter().chain(&self.notes).any(|text| text.contains(defect));
        self.note(self.shown.trust(reach));
        if mentioned && !self.notes.iter().any(|note| note.contains(KNOWN_DEFECT)) {
            self.note(KNOWN_DEFECT.trim_start());
        }
        let words: Vec<&str> = explanations(self.texts.iter().map(String::as_str)).collect();
        words.into_iter().for_each(|word| self.note(word));
        self.note(self.shown.related_defects(analysis));
        let paragraphs = [self.notes.join(" ")].into_iter().chain(provenance(analysis, &self.shown));
        let lines: Vec<String> = paragraphs.flat_map(|text| wrapped(&neutral(&text), self.width)).collect();
        let mut y = self.height + 10.0;
        self.rule((0.0, y - 4.0), (self.width, y - 4.0));
        for line in lines {
            y += PRINT_LINE;
            self.text(0.0, y - 3.0, TextStyle::Print, Anchor::Start, &line);
        }
        self.height = y;
    }

    /// Finishes the picture with its small print. `about` is the text alternative.
    pub(super) fn finish(mut self, analysis: &RunAnalysis<'_>, name: &str, title: &str, about: String) -> Chart {
        let about = about + if self.goes_on { whisker::GOES_ON } else { "" };
        if self.goes_on {
            self.note(whisker::GOES_ON.trim_start());
        }
        self.print(analysis);
        let (width, height) = (self.width + 2.0 * MARGIN, self.height + 2.0 * MARGIN);
        let view = format!("-{MARGIN} -{MARGIN} {} {}", px(width), px(height));
        let (title, about) = (neutral(title), neutral(&about));
        let ids = (format!("{name}-title"), format!("{name}-about"));
        let markup = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(view) width=(px(width)) height=(px(height)) role="img"
                aria-labelledby=(format!("{} {}", ids.0, ids.1)) font-family=(FONT) {
                title id=(ids.0) { (title) }
                desc id=(ids.1) { (about) }
                rect class="paper" x=(px(-MARGIN)) y=(px(-MARGIN)) width=(px(width)) height=(px(height)) fill="#ffffff" {}
                (PreEscaped(self.body))
            }
        };
        Chart { name: name.to_owned(), title, about, svg: markup.into_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_shown_with_their_units() {
        assert_eq!(Quantity::Time.show(20_000.0), "20 µs");
        assert_eq!(Quantity::Rate.show(250_000.0), "250k");
        assert_eq!(Quantity::Bytes.show(16_384.0), "16 KiB");
        assert_eq!(Quantity::Bytes.show(5_000.0), "5,000 B");
        assert_eq!(Quantity::Throughput.show(5e8), "500 MB/s");
        assert_eq!(Quantity::Rate.show_ticks(&[0.0, 7_500.0, 15_000.0]), ["0", "7.5k", "15k"]);
        assert_eq!(Quantity::Time.show_ticks(&[0.0, 500.0, 1_000.0]), ["0", "500 ns", "1 µs"]);
    }

    #[test]
    fn texts_are_escaped() {
        let mut canvas = Canvas::new(400.0);
        canvas.text(0.0, 0.0, TextStyle::Label, Anchor::Start, crate::fixtures::HOSTILE);
        let chart = canvas.finish(&RunAnalysis::new(&crate::fixtures::run()), "x", "<b>", "a & b".to_owned());
        assert!(
            !chart.svg.contains("<script") && chart.svg.contains("&lt;script&gt;") && chart.svg.contains("a &amp; b")
        );
        assert!(!chart.svg.chars().any(|character| character.is_control()));
    }
}
