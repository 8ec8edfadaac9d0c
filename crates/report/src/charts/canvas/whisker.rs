//! Whiskers, which show intervals: lines with a cap at each end, or with an arrow if the interval extends beyond the
//! plot.

use super::{Canvas, INK, Scale, Whisker, px};
use maud::html;

/// Sentence for the text alternative of a picture in which an interval extends beyond the plot.
pub(super) const GOES_ON: &str = " A whisker that ends in an arrow extends beyond the plot.";

/// Half the length of a cap, and half the width of an arrow, in SVG units.
const CAP: f64 = 3.5;
/// Length of an arrow, in SVG units.
const ARROW: f64 = 5.0;

/// Appearance of one end of a whisker.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Cap,
    Arrow,
    /// Neither cap nor arrow, because the entire interval is outside the plot. The arrow is at the other end of the
    /// whisker.
    None,
}

impl Canvas {
    /// Draws a whisker on a vertical scale, at the x coordinate `x`.
    pub(in crate::charts) fn interval_up(&mut self, x: f64, up: &Scale, low: f64, high: f64) {
        let ends = self.ends(up, low, high);
        let along = (0.0, (up.end - up.start).signum());
        self.line_with_ends((x, up.at(low)), (x, up.at(high)), along, ends);
    }

    /// Draws a whisker on a horizontal scale, at the y coordinate `y`.
    pub(in crate::charts) fn interval_across(&mut self, y: f64, across: &Scale, low: f64, high: f64) {
        let ends = self.ends(across, low, high);
        let along = ((across.end - across.start).signum(), 0.0);
        self.line_with_ends((across.at(low), y), (across.at(high), y), along, ends);
    }

    fn ends(&mut self, scale: &Scale, low: f64, high: f64) -> [End; 2] {
        let end = |beyond: bool, outside: bool| match (beyond, outside) {
            (true, _) => End::Arrow,
            (_, true) => End::None,
            _ => End::Cap,
        };
        let ends = [end(low < scale.from, low > scale.to), end(high > scale.to, high < scale.from)];
        self.goes_on |= ends.contains(&End::Arrow);
        ends
    }

    /// Draws a line with the given ends. `(x, y)` is the unit vector from the first end to the second.
    fn line_with_ends(&mut self, from: (f64, f64), to: (f64, f64), (x, y): (f64, f64), ends: [End; 2]) {
        let end = |place: (f64, f64), end: End, outward: f64| {
            if end == End::None {
                return String::new();
            }
            let back = if end == End::Arrow { ARROW * outward } else { 0.0 };
            let side = |sign: f64| (place.0 - back * x - sign * CAP * y, place.1 - back * y + sign * CAP * x);
            let (one, other) = (side(-1.0), side(1.0));
            let tip = if end == End::Arrow { format!("L{} {}", px(place.0), px(place.1)) } else { String::new() };
            format!("M{} {}{tip}L{} {}", px(one.0), px(one.1), px(other.0), px(other.1))
        };
        let line = format!("M{} {}L{} {}", px(from.0), px(from.1), px(to.0), px(to.1));
        let path = line + &end(from, ends[0], -1.0) + &end(to, ends[1], 1.0);
        let start = self.body.len();
        self.push(html! { path class="whisker" d=(path) stroke=(INK) stroke-width="1.1" fill="none" {} });
        self.whiskers.push(Whisker { ends: [from, to], markup: start..self.body.len() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_analysis::RunAnalysis;

    fn drawn(draw: impl Fn(&mut Canvas, &Scale)) -> (String, bool) {
        let scale = Scale::between(10.0, 20.0, 0.0, 100.0);
        let mut canvas = Canvas::new(400.0);
        draw(&mut canvas, &scale);
        let chart = canvas.finish(&RunAnalysis::new(&crate::fixtures::run()), "x", "x", "Some.".to_owned());
        let path = chart.svg.split(" d=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        (path, chart.about.ends_with(GOES_ON.trim_start()))
    }

    #[test]
    fn intervals_inside_the_plot_have_caps() {
        let caps = "M20 5L80 5M20 1.5L20 8.5M80 1.5L80 8.5";
        assert_eq!(drawn(|canvas, scale| canvas.interval_across(5.0, scale, 12.0, 18.0)), (caps.to_owned(), false));
    }

    #[test]
    fn intervals_beyond_the_plot_have_arrows_and_a_note() {
        let below = "M0 5L80 5M5 1.5L0 5L5 8.5M80 1.5L80 8.5";
        assert_eq!(drawn(|canvas, scale| canvas.interval_across(5.0, scale, 3.0, 18.0)), (below.to_owned(), true));
        let above = "M5 20L5 100M8.5 20L1.5 20M8.5 95L5 100L1.5 95";
        assert_eq!(drawn(|canvas, scale| canvas.interval_up(5.0, scale, 12.0, 31.0)), (above.to_owned(), true));
        // An interval outside the plot must be drawn as an arrow towards it.
        let outside = "M5 100L5 100M8.5 95L5 100L1.5 95";
        assert_eq!(drawn(|canvas, scale| canvas.interval_up(5.0, scale, 30.0, 31.0)), (outside.to_owned(), true));
    }
}
