//! Chart of bytes on the wire against time. Each algorithm is a point.

use super::areas::subject;
use super::canvas::{Anchor, Canvas, LegendEntry, Quantity, Scale, TextStyle, label, lines_of, width_of};
use super::intervals::{library_words, usual};
use super::look::{Look, Looks};
use super::provenance::{named, time_whiskers};
use super::ratios::doubt;
use super::stack::{Unranked, lower_sentence};
use super::{Chart, slug};
use pqlab_analysis::number::{grouped as thousands, is_approximate, known_time};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped, wire_bytes};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
/// Height of the plot, in SVG units.
const HEIGHT: f64 = 320.0;

/// Groups of operations, with the times of each group added up: a key exchange, or signing and verifying a message.
const TOGETHER: [&[&str]; 2] = [&["keygen", "encapsulate", "decapsulate"], &["sign", "verify"]];

/// Possible positions of a label next to its mark, in order of preference: horizontal and vertical offset, and text
/// anchor.
const PLACES: [(f64, f64, Anchor); 8] = [
    (9.0, 4.0, Anchor::Start),
    (-9.0, 4.0, Anchor::End),
    (0.0, -10.0, Anchor::Middle),
    (0.0, 18.0, Anchor::Middle),
    (7.0, -6.0, Anchor::Start),
    (7.0, 14.0, Anchor::Start),
    (-7.0, -6.0, Anchor::End),
    (-7.0, 14.0, Anchor::End),
];

/// Ratio of the lowest value to the lower end of the vertical scale.
const BELOW: f64 = 1.2;

/// A rectangle occupied by a mark, a whisker or a label.
struct Place {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Place {
    fn around(x: f64, y: f64, size: f64) -> Place {
        let half = size / 2.0;
        Place { left: x - half, right: x + half, top: y - half, bottom: y + half }
    }

    /// Returns the rectangle of a line of text with its baseline at `y`.
    fn of_text(x: f64, y: f64, anchor: Anchor, width: f64) -> Place {
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        Place { left, right: left + width, top: y - 9.0, bottom: y + 3.0 }
    }

    fn meets(&self, other: &Place) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    /// Returns whether the rectangle is inside the plot.
    fn inside(&self, left: f64, right: f64, top: f64, bottom: f64) -> bool {
        self.left >= left && self.right <= right && self.top >= top && self.bottom <= bottom
    }
}

/// A point: an algorithm with its fastest provider.
struct Point {
    algorithm: String,
    /// Fastest provider, followed by the providers tied with it.
    providers: Vec<String>,
    /// Number of bytes on the wire.
    bytes: u64,
    /// Total time of the operations in ns.
    time: Interval,
    classical: bool,
    /// Index into [`TOGETHER`] of the group of operations.
    operations: usize,
}

/// Points of an area, with the algorithms and libraries that the picture leaves out.
#[derive(Default)]
struct Points {
    points: Vec<Point>,
    /// Algorithms without a point, for which no library is ranked.
    unranked: Vec<String>,
    /// Algorithms without a point, for which no library has all operations.
    incomplete: Vec<String>,
    /// Libraries that are faster than a point but not ranked.
    lower: Vec<Unranked>,
}

fn points(analysis: &RunAnalysis<'_>, area: &str) -> Points {
    let rows = usual(analysis, area);
    let Points { mut points, mut unranked, mut incomplete, mut lower } = Points::default();
    for (algorithm, rows) in grouped(rows.iter().copied(), |row| row.case().algorithm.clone()) {
        let bytes = rows.iter().find_map(|row| wire_bytes(&row.case().facts.sizes));
        let classical = rows.iter().all(|row| row.case().facts.category.is_none());
        let mut complete = false;
        for (operations, names) in TOGETHER.iter().enumerate() {
            let of_provider = grouped(rows.iter().copied(), |row| row.case().provider.clone());
            let part = |rows: &[&'_ CaseAnalysis<'_>], operation: &str| {
                rows.iter().position(|row| row.case().operation == operation)
            };
            let whole = of_provider.iter().filter_map(|(provider, rows)| {
                let parts = names.iter().map(|one| Some(rows[part(rows, one)?])).collect::<Option<Vec<_>>>()?;
                // Use `total` instead of adding up intervals, because the intervals are not independent: a
                // process or run affects all parts alike.
                Some((provider.clone(), analysis.total(&parts)?, parts))
            });
            let whole: Vec<(String, Interval, Vec<&CaseAnalysis<'_>>)> = whole.collect();
            complete |= !whole.is_empty();
            let rivals: Vec<Vec<&CaseAnalysis<'_>>> = whole.iter().map(|(_, _, parts)| parts.clone()).collect();
            let leaders = analysis.ranking(&rivals).leaders();
            if bytes.is_some() && leaders.is_empty() && !whole.is_empty() {
                unranked.push(algorithm.clone());
            }
            let (Some(bytes), Some(best)) = (bytes, leaders.first()) else { continue };
            let providers = leaders.iter().map(|place| whole[*place].0.clone()).collect();
            let (algorithm, time) = (algorithm.clone(), whole[*best].1);
            let faster = whole.iter().filter(|(_, total, _)| total.estimate < time.estimate);
            let unranked = |(provider, _, parts): &(String, Interval, Vec<&CaseAnalysis<'_>>)| {
                Some((provider.clone(), parts.iter().find_map(|part| doubt(part))?))
            };
            lower.extend(faster.filter_map(unranked));
            points.push(Point { algorithm, providers, bytes, time, classical, operations });
        }
        if bytes.is_some() && !complete {
            incomplete.push(algorithm.clone());
        }
    }
    Points { points, unranked, incomplete, lower }
}

pub(super) fn sizes(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let Points { mut points, unranked, incomplete, lower } = points(analysis, area);
    if points.len() < 3 {
        return None;
    }
    let (what, bytes_of) = match [0, 1].map(|operations| points.iter().any(|point| point.operations == operations)) {
        [true, true] => ("for a key exchange, or to sign and verify", "public key with ciphertext or signature"),
        [true, false] => ("for keygen, encapsulate and decapsulate", "public key and ciphertext"),
        _ => ("to sign and verify", "public key and signature"),
    };
    let rows = usual(analysis, area);
    let title = format!("{}: bytes on the wire against time {what} {}", subject(area), library_words(&rows));
    points.sort_by(|one, other| other.time.estimate.total_cmp(&one.time.estimate));
    let dot = |point: &Point| Dot {
        name: point.algorithm.clone(),
        about: format!(
            "{} {}: {} B, {}",
            point.algorithm,
            point.providers.join(", "),
            thousands(point.bytes),
            known_time(&point.time)
        ),
        provider: point.providers[0].clone(),
        algorithm: point.algorithm.clone(),
        doubt: None,
        at: point.bytes as f64,
        value: point.time,
    };
    let listed: Vec<String> = points
        .iter()
        .map(|Point { algorithm, providers, bytes, time, .. }| {
            format!("{algorithm} ({}) {} bytes, {}", providers.join(", "), thousands(*bytes), known_time(time))
        })
        .collect();
    let about = format!(
        "Both scales are logarithmic. Each algorithm is shown with its fastest ranked library, or with several that do \
         not differ measurably: {}.",
        listed.join("; ")
    );
    let tied = |point: &&Point| point.providers.len() > 1;
    let tied = points.iter().filter(tied).map(|point| format!("{} by {}", point.algorithm, point.providers.join(", ")));
    let tied: Vec<String> = tied.collect();
    let classical: Vec<&str> =
        distinct(points.iter().filter(|point| point.classical).map(|point| point.algorithm.as_str()));
    let mut note = "Times are sums of the means of the operations.".to_owned();
    if !tied.is_empty() {
        note.push_str(&format!(" Tied: {}.", tied.join("; ")));
    }
    if !classical.is_empty() {
        note.push_str(&format!(" Not post-quantum: {}.", classical.join(", ")));
    }
    if !unranked.is_empty() {
        note.push_str(&format!(" Not shown, because no library is ranked: {}.", unranked.join(", ")));
    }
    if !incomplete.is_empty() {
        note.push_str(&format!(" Not shown, because not all operations were measured: {}.", incomplete.join(", ")));
    }
    note.push_str(&lower_sentence(["library", "libraries"], &lower));
    let dots: Vec<Dot> = points.iter().map(dot).collect();
    let libraries = points
        .iter()
        .flat_map(|point| point.providers.iter().map(|provider| (provider.clone(), point.algorithm.clone())));
    plane(
        analysis,
        Plane {
            name: format!("sizes-{}", slug(area)),
            title,
            across: format!("{bytes_of} in bytes (both axes logarithmic)"),
            up: "time (unit at each tick)".to_owned(),
            note,
            about,
            libraries: libraries.collect(),
        },
        &dots,
    )
}

/// A point with a label.
pub(super) struct Dot {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) provider: String,
    pub(super) algorithm: String,
    /// Reason why the figure is not ranked.
    pub(super) doubt: Option<&'static str>,
    /// Number of bytes.
    pub(super) at: f64,
    /// Time in ns.
    pub(super) value: Interval,
}

/// Texts of a picture of bytes against time.
pub(super) struct Plane {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) across: String,
    pub(super) up: String,
    pub(super) note: String,
    pub(super) about: String,
    /// Providers and algorithms whose versions the small print lists.
    pub(super) libraries: Vec<(String, String)>,
}

/// A label with its position.
struct Placed {
    x: f64,
    y: f64,
    anchor: Anchor,
    text: String,
}

/// Places each label next to its mark, where it covers no mark, whisker or other label. If a label does not fit, a
/// number replaces it. `ends` returns the y coordinates of a whisker's ends. Returns the labels, and the list of numbers
/// with their texts.
fn placed(
    dots: &[Dot],
    at: impl Fn(&Dot) -> (f64, f64),
    ends: impl Fn(&Dot) -> (f64, f64),
    [left, top, right, bottom]: [f64; 4],
) -> (Vec<Placed>, Vec<String>) {
    let mut taken: Vec<Place> = dots.iter().map(&at).map(|(x, y)| Place::around(x, y, 12.0)).collect();
    taken.extend(dots.iter().map(|dot| {
        let ((x, _), (low, high)) = (at(dot), ends(dot));
        Place { left: x - 4.0, right: x + 4.0, top: high.min(low), bottom: high.max(low) }
    }));
    let (mut labels, mut numbered) = (Vec::new(), Vec::new());
    for dot in dots {
        let (x, y) = at(dot);
        let sign = if is_approximate(&dot.value) { "≈ " } else { "" };
        let name = format!("{sign}{}", label(&dot.name));
        let number = format!("[{}]", numbered.len() + 1);
        let free = |text: &str| {
            let place = |(dx, dy, anchor): (f64, f64, Anchor)| {
                (x + dx, y + dy, anchor, Place::of_text(x + dx, y + dy, anchor, width_of(text, 11.0)))
            };
            PLACES.into_iter().map(place).find(|(.., wanted)| {
                wanted.inside(left, right, top, bottom) && taken.iter().all(|other| !other.meets(wanted))
            })
        };
        let (place, text) = match free(&name) {
            Some(place) => (Some(place), name),
            None => {
                numbered.push(format!("{number} {name}"));
                (free(&number), number)
            }
        };
        let (dx, dy, anchor) = PLACES[0];
        let width = width_of(&text, 11.0);
        let (x, y, anchor, occupied) =
            place.unwrap_or_else(|| (x + dx, y + dy, anchor, Place::of_text(x + dx, y + dy, anchor, width)));
        taken.push(occupied);
        labels.push(Placed { x, y, anchor, text });
    }
    (labels, numbered)
}

/// Draws bytes against time on two logarithmic axes. Marks have the colors of libraries.
pub(super) fn plane(analysis: &RunAnalysis<'_>, plane: Plane, dots: &[Dot]) -> Option<Chart> {
    dots.first()?;
    let looks = Looks::new(analysis);
    let look = |dot: &Dot| looks.of_provider(&dot.provider).doubted(dot.doubt);
    let mut legend: Vec<(Look, String)> = Vec::new();
    for dot in dots {
        let entry = (look(dot), named(analysis, &dot.provider, &dot.algorithm, dot.doubt));
        if !legend.contains(&entry) {
            legend.push(entry);
        }
    }
    let legend: Vec<_> = legend.into_iter().map(|(look, name)| (LegendEntry::Mark(look), name)).collect();
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(&plane.title, &legend) + 20.0;
    let (left, right, bottom) = (64.0, WIDTH - 40.0, top + HEIGHT);
    let across = Scale::log(dots.iter().map(|dot| dot.at), left, right);
    // Leave room for a label below the lowest mark.
    let bounds = dots.iter().flat_map(|dot| [dot.value.low / BELOW, dot.value.high]);
    let up = Scale::log(bounds, bottom, top);
    canvas.axis_across(&across, Quantity::Bytes, top, bottom);
    canvas.axis_up(&up, Quantity::Time, left, right);
    canvas.text((left + right) / 2.0, bottom + 36.0, TextStyle::Faint, Anchor::Middle, &plane.across);
    canvas.text(0.0, top - 8.0, TextStyle::Faint, Anchor::Start, &plane.up);
    let at = |dot: &Dot| (across.at(dot.at), up.at(dot.value.estimate));
    let ends = |dot: &Dot| (up.at(dot.value.low), up.at(dot.value.high));
    let (labels, numbered) = placed(dots, at, ends, [left, top, WIDTH, bottom]);
    for dot in dots {
        let (x, y) = at(dot);
        canvas.interval_up(x, &up, dot.value.low, dot.value.high);
        canvas.mark(look(dot), x, y, &dot.about);
        canvas.shows_figure(&dot.provider, &dot.algorithm, dot.doubt);
    }
    for Placed { x, y, anchor, text } in labels {
        canvas.text(x, y, TextStyle::Faint, anchor, &text);
    }
    let mut end = bottom + 44.0;
    for name in numbered {
        for line in lines_of(&name, 11.0, WIDTH - left) {
            end += 14.0;
            canvas.text(left, end, TextStyle::Faint, Anchor::Start, &line);
        }
    }
    canvas.ends_at(end);
    for (provider, algorithm) in &plane.libraries {
        canvas.shows_library(provider, algorithm);
    }
    canvas.note(time_whiskers(analysis));
    canvas.note(plane.note);
    Some(canvas.finish(analysis, &plane.name, &plane.title, plane.about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn totals_have_the_interval_of_the_whole() {
        let run = fixtures::references_run();
        let analysis = RunAnalysis::new(&run);
        let Points { points, .. } = points(&analysis, "signature");
        let point = points.iter().find(|point| point.algorithm == "ML-DSA-44").unwrap();
        let parts: Vec<&CaseAnalysis<'_>> = analysis
            .area("signature")
            .filter(|of| {
                of.case().algorithm == "ML-DSA-44" && ["sign", "verify"].contains(&of.case().operation.as_str())
            })
            .collect();
        assert_eq!(Some(point.time), analysis.total(&parts));
        let squares: f64 = parts.iter().filter_map(|part| part.time()).map(|of| (of.high - of.low).powi(2)).sum();
        assert!(point.time.high - point.time.low > 1.1 * squares.sqrt(), "{:?}", point.time);
        assert!(sizes(&analysis, "signature").unwrap().about.contains("ML-DSA-44 (liboqs) 3,732 bytes, 109 µs"));
    }

    #[test]
    fn crowded_labels_are_numbered_and_do_not_overlap() {
        let run = fixtures::run();
        let value = RunAnalysis::new(&run).cases()[0].time().unwrap();
        let names = ["a long name of a configuration"; 12];
        let dot = |(number, name): (usize, &&str)| Dot {
            name: format!("{name} {number}"),
            about: String::new(),
            provider: "aws-lc".to_owned(),
            algorithm: String::new(),
            doubt: None,
            at: 0.0,
            value,
        };
        let dots: Vec<Dot> = names.iter().enumerate().map(dot).collect();
        let at = |dot: &Dot| {
            let number: f64 = dot.name.rsplit(' ').next().unwrap().parse().unwrap();
            (300.0 + 14.0 * (number % 4.0), 200.0 + 14.0 * (number / 4.0).floor())
        };
        let ends = |dot: &Dot| (at(dot).1 - 40.0, at(dot).1 + 5.0);
        let (labels, numbered) = placed(&dots, at, ends, [0.0, 0.0, 760.0, 400.0]);
        assert!(!numbered.is_empty() && numbered.len() < dots.len(), "{numbered:?}");
        let places: Vec<Place> =
            labels.iter().map(|one| Place::of_text(one.x, one.y, one.anchor, width_of(&one.text, 11.0))).collect();
        for (number, place) in places.iter().enumerate().filter(|(number, _)| !labels[*number].text.starts_with('[')) {
            assert!(places[..number].iter().all(|other| !other.meets(place)), "{}", labels[number].text);
        }
    }
}
