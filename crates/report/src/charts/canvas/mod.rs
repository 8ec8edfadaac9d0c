//! Canvas for pictures: marks, texts and axes as SVG. The template engine writes the SVG and escapes texts.
//!
//! Attributes set the colours of a standalone SVG. With the classes, a page overrides these colours in its dark theme.

mod scale;
mod whisker;

pub(super) use scale::Scale;

use super::Chart;
use crate::width::display_width;
use maud::{Markup, PreEscaped, html};
use pqlab_analysis::number::{grouped, memory, rate, significant, throughput, time};
use pqlab_analysis::text::neutral;

/// Colours of series that colour-blind readers can distinguish on white (after Okabe and Ito). Each series also has its
/// own shape.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#00875f", "#a8487f", "#9a6d00", "#3d5fc4", "#5c6670", "#7a3b12"];
const INK: &str = "#1c232b";
const FAINT: &str = "#5b6672";
const RULE: &str = "#dde2e7";
const FONT: &str = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
/// Approximate width of a character at font size 1. Fonts that browsers are likely to use are not wider.
const CHARACTER: f64 = 0.62;
/// Margin around the drawing.
const MARGIN: f64 = 14.0;
/// Maximum length of a label in characters. Longer labels are truncated.
const LABEL: usize = 44;

/// Style of a text.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum TextStyle {
    Title,
    Label,
    Faint,
    Value,
    Large,
}

/// Text anchor.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Quantity on an axis.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    /// Time in nanoseconds.
    Time,
    /// Rate per second.
    Rate,
    /// Bytes per second.
    Throughput,
    /// Bytes.
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
    /// Mark of a series.
    Mark(usize),
    /// Filled block in the colour of a series.
    Block(usize),
    /// Whisker.
    Line,
    /// Dashed line.
    Ideal,
}

/// A picture under construction.
pub(super) struct Canvas {
    width: f64,
    height: f64,
    body: String,
    /// Whether an interval extends beyond the plot.
    goes_on: bool,
}

impl TextStyle {
    fn look(self) -> (&'static str, f64, &'static str, &'static str) {
        match self {
            TextStyle::Title => ("t title", 15.0, INK, "600"),
            TextStyle::Label => ("t", 12.0, INK, "400"),
            TextStyle::Faint => ("t faint", 11.0, FAINT, "400"),
            TextStyle::Value => ("t", 11.0, INK, "600"),
            TextStyle::Large => ("t large", 40.0, INK, "700"),
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
            // Message lengths are multiples of 1,024 and get binary units. Lengths of keys and signatures are not.
            Quantity::Bytes if (value as u64).is_multiple_of(1024) => trimmed_unit(&memory(value as u64)),
            Quantity::Bytes => format!("{} B", grouped(value as u64)),
            Quantity::Plain => trimmed(&significant(value)),
            Quantity::Factor => format!("{}×", trimmed(&significant(value))),
            Quantity::Share => format!("{}%", trimmed(&significant(100.0 * value))),
        }
    }
}

/// Removes trailing zeros after the decimal point.
fn trimmed(number: &str) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number.to_owned() }
}

fn trimmed_unit(text: &str) -> String {
    text.split_once(' ').map_or_else(|| text.to_owned(), |(number, unit)| format!("{} {unit}", trimmed(number)))
}

/// Formats a coordinate.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Returns the approximate width of a text at a font size.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    display_width(text) as f64 * CHARACTER * size
}

/// Truncates a text to the maximum length of a label.
pub(super) fn label(text: &str) -> String {
    let text = neutral(text);
    if text.chars().count() <= LABEL {
        return text;
    }
    text.chars().take(LABEL - 1).chain(['…']).collect()
}

/// Returns the colour of a series.
pub(super) fn colour(series: usize) -> &'static str {
    COLOURS[series % COLOURS.len()]
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64) -> Canvas {
        Canvas { width, height, body: String::new(), goes_on: false }
    }

    fn push(&mut self, markup: Markup) {
        self.body.push_str(&markup.into_string());
    }

    pub(super) fn text(&mut self, x: f64, y: f64, style: TextStyle, anchor: Anchor, text: &str) {
        let (class, size, fill, weight) = style.look();
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = neutral(text);
        self.push(html! {
            text class=(class) x=(px(x)) y=(px(y)) font-size=(size) fill=(fill) font-weight=(weight) text-anchor=(anchor) { (text) }
        });
    }

    /// Draws a text on a filled area. `light` selects light text for contrast with a dark area.
    pub(super) fn text_on(&mut self, x: f64, y: f64, light: bool, text: &str) {
        let fill = if light { "#ffffff" } else { INK };
        self.push(html! {
            text x=(px(x)) y=(px(y)) font-size="11" fill=(fill) text-anchor="middle" { (neutral(text)) }
        });
    }

    pub(super) fn rule(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.push(html! {
            line class="rule" x1=(px(from.0)) y1=(px(from.1)) x2=(px(to.0)) y2=(px(to.1)) stroke=(RULE) stroke-width="1" {}
        });
    }

    /// Draws a line in the colour of a series. Values that were not measured are dashed.
    pub(super) fn line(&mut self, series: usize, points: &[(f64, f64)], dashed: bool) {
        if points.is_empty() {
            return;
        }
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        let class = format!("s{}", series % COLOURS.len());
        self.push(html! {
            polyline class=(class) points=(points.join(" ")) fill="none" stroke=(colour(series)) stroke-width="1.8"
                stroke-linejoin="round" stroke-dasharray=[dashed.then_some("5 4")] {}
        });
    }

    /// Draws the faint dashed line of ideal values.
    pub(super) fn ideal(&mut self, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        self.push(html! {
            polyline class="ideal" points=(points.join(" ")) fill="none" stroke=(FAINT) stroke-width="1.2" stroke-dasharray="5 4" {}
        });
    }

    /// Draws a filled outline in the colour of a series.
    pub(super) fn area(&mut self, series: usize, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        let class = format!("f{}", series % COLOURS.len());
        self.push(html! {
            polygon class=(class) points=(points.join(" ")) fill=(colour(series)) fill-opacity="0.75" {}
        });
    }

    pub(super) fn bar(&mut self, series: usize, x: f64, y: f64, width: f64, height: f64, about: &str) {
        let class = format!("f{}", series % COLOURS.len());
        self.push(html! {
            rect class=(class) x=(px(x)) y=(px(y)) width=(px(width.max(0.5))) height=(px(height.max(0.5))) fill=(colour(series)) {
                title { (neutral(about)) }
            }
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

    /// Draws a mark in the colour and shape of a series.
    pub(super) fn mark(&mut self, series: usize, x: f64, y: f64, about: &str) {
        let r = 4.6;
        let path = match series % COLOURS.len() {
            0 => format!("M{} {}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0z", px(x - r), px(y), 2.0 * r, 2.0 * r),
            1 => polygon(x, y, &[(-4.2, -4.2), (4.2, -4.2), (4.2, 4.2), (-4.2, 4.2)]),
            2 => polygon(x, y, &[(0.0, -5.6), (5.2, 4.0), (-5.2, 4.0)]),
            3 => polygon(x, y, &[(0.0, -5.8), (5.8, 0.0), (0.0, 5.8), (-5.8, 0.0)]),
            4 => polygon(x, y, &[(0.0, 5.6), (5.2, -4.0), (-5.2, -4.0)]),
            5 => polygon(
                x,
                y,
                &[
                    (-1.7, -5.4),
                    (1.7, -5.4),
                    (1.7, -1.7),
                    (5.4, -1.7),
                    (5.4, 1.7),
                    (1.7, 1.7),
                    (1.7, 5.4),
                    (-1.7, 5.4),
                    (-1.7, 1.7),
                    (-5.4, 1.7),
                    (-5.4, -1.7),
                    (-1.7, -1.7),
                ],
            ),
            6 => polygon(x, y, &[(-2.6, -5.2), (2.6, -5.2), (5.2, 0.0), (2.6, 5.2), (-2.6, 5.2), (-5.2, 0.0)]),
            _ => polygon(x, y, &[(-5.4, -2.4), (5.4, -2.4), (5.4, 2.4), (-5.4, 2.4)]),
        };
        // Colours repeat if there are many series, so make marks with a repeated colour hollow.
        let hollow = (series / COLOURS.len()) % 2 == 1;
        let class = format!("{}{}", if hollow { "s" } else { "m" }, series % COLOURS.len());
        let (fill, stroke) = if hollow { ("none", colour(series)) } else { (colour(series), "#ffffff") };
        self.push(html! {
            path class=(class) d=(path) fill=(fill) stroke=(stroke) stroke-width=(if hollow { "1.6" } else { "0.8" }) {
                title { (neutral(about)) }
            }
        });
    }

    /// Draws the title and a legend of marks. Returns the lower end of the legend.
    pub(super) fn head(&mut self, title: &str, legend: &[(usize, String)]) -> f64 {
        let legend: Vec<(LegendEntry, String)> =
            legend.iter().map(|(series, name)| (LegendEntry::Mark(*series), name.clone())).collect();
        self.head_of(title, &legend)
    }

    /// Like [`Canvas::head`], but with any kind of legend entries.
    pub(super) fn head_of(&mut self, title: &str, legend: &[(LegendEntry, String)]) -> f64 {
        self.text(0.0, 16.0, TextStyle::Title, Anchor::Start, title);
        let (mut x, mut y) = (6.0, 38.0);
        if legend.is_empty() {
            return 26.0;
        }
        for (key, name) in legend {
            let name = label(name);
            let width = width_of(&name, 12.0) + 30.0;
            if x + width > self.width && x > 6.0 {
                (x, y) = (6.0, y + 18.0);
            }
            match key {
                LegendEntry::Mark(series) => self.mark(*series, x, y, &name),
                LegendEntry::Block(series) => self.bar(*series, x - 5.0, y - 5.0, 10.0, 10.0, &name),
                LegendEntry::Line => self.whisker((x, y - 7.0), (x, y + 7.0)),
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
        for tick in scale.ticks((room / 72.0) as usize) {
            let x = scale.at(tick);
            self.rule((x, top), (x, bottom));
            self.text(x, bottom + 15.0, TextStyle::Faint, Anchor::Middle, &quantity.show(tick));
        }
    }

    /// Draws ticks and rules for a vertical axis.
    pub(super) fn axis_up(&mut self, scale: &Scale, quantity: Quantity, left: f64, right: f64) {
        let room = (scale.end - scale.start).abs();
        for tick in scale.ticks((room / 36.0) as usize) {
            let y = scale.at(tick);
            self.rule((left, y), (right, y));
            self.text(left - 6.0, y + 4.0, TextStyle::Faint, Anchor::End, &quantity.show(tick));
        }
    }

    /// Finishes the picture. `about` is the text alternative.
    pub(super) fn finish(self, name: &str, title: &str, about: String) -> Chart {
        let (width, height) = (self.width + 2.0 * MARGIN, self.height + 2.0 * MARGIN);
        let view = format!("-{MARGIN} -{MARGIN} {} {}", px(width), px(height));
        let (title, about) = (neutral(title), neutral(&(about + if self.goes_on { whisker::GOES_ON } else { "" })));
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

fn polygon(x: f64, y: f64, corners: &[(f64, f64)]) -> String {
    let corners: Vec<String> = corners.iter().map(|(dx, dy)| format!("{} {}", px(x + dx), px(y + dy))).collect();
    format!("M{}z", corners.join("L"))
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
    }

    #[test]
    fn texts_are_escaped_and_labels_truncated() {
        let mut canvas = Canvas::new(100.0, 50.0);
        canvas.text(0.0, 0.0, TextStyle::Label, Anchor::Start, crate::fixtures::HOSTILE);
        let chart = canvas.finish("x", "<b>", "a & b".to_owned());
        assert!(
            !chart.svg.contains("<script") && chart.svg.contains("&lt;script&gt;") && chart.svg.contains("a &amp; b")
        );
        assert!(!chart.svg.chars().any(|character| character.is_control()));
        assert_eq!(label(&"x".repeat(100)).chars().count(), LABEL);
    }
}
