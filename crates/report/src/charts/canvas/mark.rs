//! Marks, bars and areas.

use super::{COLOURS, Canvas, FAINT, INK, colour, px};
use crate::charts::look::{Fill, Look};
use maud::html;
use pqlab_analysis::text::neutral;
use std::ops::Range;

/// Colors of the parts of a bar, from dark to light. No library has one of these colors.
const PARTS: [&str; 4] = ["#123f57", "#3a8ba3", "#a9d5de", "#d8c79a"];

/// Half the width of a mark, in SVG units. Shorter whiskers are hidden behind their mark.
const HALF: f64 = 4.2;
const RADIUS: f64 = 4.6;

impl Canvas {
    /// Draws a mark with the tooltip `about`.
    pub(in crate::charts) fn mark(&mut self, look: Look, x: f64, y: f64, about: &str) {
        self.marks.push((x, y));
        self.symbol(look, x, y, about);
    }

    /// Draws a mark that does not show a figure, for a legend or a label.
    pub(in crate::charts) fn symbol(&mut self, look: Look, x: f64, y: f64, about: &str) {
        match look.left {
            // The mark of a pair of libraries is a square. Each half has the color of one library.
            Some(left) => {
                let half = [(-4.8, -4.4), (-0.4, -4.4), (-0.4, 4.4), (-4.8, 4.4)];
                let first = Look { colour: left, left: None, fill: Fill::Solid, ..look };
                self.shape(first, (x, y), &polygon(x, y, &half), (x - 2.6, 0.0), about);
                let half = half.map(|(dx, dy)| (-dx, dy));
                self.shape(look, (x, y), &polygon(x, y, &half), (x + 2.6, 2.2), about);
            }
            None => self.shape(look, (x, y), &outline(look.shape, x, y), (x, 5.6), about),
        }
    }

    /// Draws an outline with the color and fill of a mark. `middle` is the x coordinate of the hole or bar in the fill,
    /// if there is one. `half` is half the width of the bar.
    fn shape(&mut self, look: Look, (_, y): (f64, f64), path: &str, (middle, half): (f64, f64), about: &str) {
        let (number, tint) = (look.colour % COLOURS.len(), colour(look.colour));
        let (class, fill, stroke, width, dashes) = match (look.is_doubtful, look.fill) {
            (true, Fill::Pale) => ("doubtful dim".to_owned(), "#dfe3e7", FAINT, "1.2", Some("2 1.4")),
            (true, _) => ("doubtful".to_owned(), "#ffffff", FAINT, "1.2", Some("2 1.4")),
            (false, Fill::Pale) => (format!("p{number}"), tint, tint, "1.2", None),
            (false, _) => (format!("m{number}"), tint, "#ffffff", "0.8", None),
        };
        let pale = (look.fill == Fill::Pale && !look.is_doubtful).then_some("0.35");
        // Holes are white in colored marks, and gray in hollow marks.
        let (inside, ink) = if look.is_doubtful { ("inner", FAINT) } else { ("hole", "#ffffff") };
        self.push(html! {
            @if pale.is_some() { path class="under" d=(path) fill="#ffffff" {} }
            path class=(class) d=(path) fill=(fill) fill-opacity=[pale] stroke=(stroke) stroke-width=(width) stroke-dasharray=[dashes] {
                title { (neutral(about)) }
            }
            @if look.fill == Fill::Ring { circle class=(inside) cx=(px(middle)) cy=(px(y)) r="1.8" fill=(ink) {} }
            @if look.fill == Fill::Bar {
                rect class=(inside) x=(px(middle - half)) y=(px(y - 1.1)) width=(px(2.0 * half)) height="2.2" fill=(ink) {}
            }
        });
    }

    /// Draws the black diamond of a single value: a median, a mean or a total.
    pub(in crate::charts) fn diamond(&mut self, x: f64, y: f64) {
        self.marks.push((x, y));
        self.diamond_symbol(x, y);
    }

    /// Draws a diamond that does not show a figure, for a legend.
    pub(super) fn diamond_symbol(&mut self, x: f64, y: f64) {
        let path = polygon(x, y, &[(0.0, -6.0), (4.6, 0.0), (0.0, 6.0), (-4.6, 0.0)]);
        self.push(html! { path class="diamond" d=(path) fill=(INK) stroke="#ffffff" stroke-width="1.4" {} });
    }

    /// Removes the whiskers that are shorter than their mark, so that no ends show at the edges of the mark. Returns
    /// their number.
    pub(super) fn remove_hidden_whiskers(&mut self) -> usize {
        let covers = |(x, y): &(f64, f64), end: &(f64, f64)| (end.0 - x).abs() <= HALF && (end.1 - y).abs() <= HALF;
        let is_hidden = |ends: &[(f64, f64); 2]| self.marks.iter().any(|mark| ends.iter().all(|end| covers(mark, end)));
        let hidden: Vec<Range<usize>> =
            self.whiskers.iter().filter(|one| is_hidden(&one.ends)).map(|one| one.markup.clone()).collect();
        hidden.iter().rev().for_each(|markup| self.body.replace_range(markup.clone(), ""));
        hidden.len()
    }

    /// Draws a filled outline in the color of a library, or a hollow gray one if the case is not ranked.
    pub(in crate::charts) fn area(&mut self, look: Look, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", px(*x), px(*y))).collect();
        if look.is_doubtful {
            self.push(html! {
                polygon class="doubtful" points=(points.join(" ")) fill="#ffffff" stroke=(FAINT) stroke-width="1" stroke-dasharray="2 1.4" {}
            });
            return;
        }
        let class = format!("f{}", look.colour % COLOURS.len());
        self.push(html! {
            polygon class=(class) points=(points.join(" ")) fill=(colour(look.colour)) fill-opacity="0.75" {}
        });
    }

    /// Draws a hollow gray bar for a case that is not ranked.
    pub(in crate::charts) fn hollow_bar(&mut self, x: f64, y: f64, width: f64, height: f64, about: &str) {
        self.push(html! {
            rect class="doubtful" x=(px(x)) y=(px(y)) width=(px(width.max(0.5))) height=(px(height.max(0.5))) fill="#ffffff" stroke=(FAINT)
                stroke-width="1" stroke-dasharray="2 1.4" { title { (neutral(about)) } }
        });
    }

    /// Draws a bar in the color of a library. `number` is the index of the color.
    pub(in crate::charts) fn bar(&mut self, number: usize, x: f64, y: f64, width: f64, height: f64, about: &str) {
        let class = format!("f{}", number % COLOURS.len());
        self.push(html! {
            rect class=(class) x=(px(x)) y=(px(y)) width=(px(width.max(0.5))) height=(px(height.max(0.5))) fill=(colour(number)) {
                title { (neutral(about)) }
            }
        });
    }

    /// Draws a segment of a stacked bar. `part` is the index of the segment, which selects the color.
    pub(in crate::charts) fn part(&mut self, part: usize, x: f64, y: f64, width: f64, height: f64, about: &str) {
        let fill = PARTS[part % PARTS.len()];
        self.push(html! {
            rect x=(px(x)) y=(px(y)) width=(px(width.max(0.5))) height=(px(height.max(0.5))) fill=(fill) {
                title { (neutral(about)) }
            }
        });
    }
}

fn outline(shape: usize, x: f64, y: f64) -> String {
    let cross = [
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
    ];
    let r = RADIUS;
    match shape {
        0 => format!("M{} {}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0z", px(x - r), px(y), 2.0 * r, 2.0 * r),
        1 => polygon(x, y, &[(-4.2, -4.2), (4.2, -4.2), (4.2, 4.2), (-4.2, 4.2)]),
        2 => polygon(x, y, &[(0.0, -5.6), (5.2, 4.0), (-5.2, 4.0)]),
        3 => polygon(x, y, &[(0.0, -5.8), (5.8, 0.0), (0.0, 5.8), (-5.8, 0.0)]),
        4 => polygon(x, y, &[(0.0, 5.6), (5.2, -4.0), (-5.2, -4.0)]),
        5 => polygon(x, y, &cross),
        6 => polygon(x, y, &[(-2.6, -5.2), (2.6, -5.2), (5.2, 0.0), (2.6, 5.2), (-2.6, 5.2), (-5.2, 0.0)]),
        _ => polygon(x, y, &[(-5.4, -2.8), (5.4, -2.8), (5.4, 2.8), (-5.4, 2.8)]),
    }
}

fn polygon(x: f64, y: f64, corners: &[(f64, f64)]) -> String {
    let corners: Vec<String> = corners.iter().map(|(dx, dy)| format!("{} {}", px(x + dx), px(y + dy))).collect();
    format!("M{}z", corners.join("L"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::canvas::Scale;
    use crate::charts::look::Looks;
    use pqlab_analysis::RunAnalysis;

    #[test]
    fn hidden_whiskers_are_removed_and_counted() {
        let run = crate::fixtures::run();
        let analysis = RunAnalysis::new(&run);
        let look = Looks::new(&analysis).of_provider("aws-lc");
        let mut canvas = Canvas::new(400.0);
        let scale = Scale::between(0.0, 400.0, 0.0, 400.0);
        canvas.mark(look, 50.0, 20.0, "x");
        canvas.interval_across(20.0, &scale, 48.0, 52.0);
        canvas.mark(look, 150.0, 20.0, "x");
        canvas.interval_across(20.0, &scale, 130.0, 170.0);
        let svg = canvas.finish(&analysis, "x", "x", "Some.".to_owned()).svg;
        assert!(svg.contains("hidden: 1 of 2."), "{svg}");
        assert_eq!(svg.matches("class=\"whisker\"").count(), 1, "{svg}");
    }
}
