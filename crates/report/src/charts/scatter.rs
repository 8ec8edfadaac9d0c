//! Chart of bytes on the wire against time.

use super::canvas::{Anchor, Canvas, Quantity, Scale, TextStyle, label, width_of};
use super::intervals::usual;
use super::{Chart, slug};
use pqlab_analysis::number::{grouped as thousands, known_time};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, grouped, wire_bytes};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;

/// Operations of a key exchange, and operations for a signed message.
const TOGETHER: [&[&str]; 2] = [&["keygen", "encapsulate", "decapsulate"], &["sign", "verify"]];

/// Preferred positions of a label, as offset and text anchor: to the right of its mark, to the left, above, below.
const PLACES: [(f64, f64, Anchor); 4] =
    [(9.0, 4.0, Anchor::Start), (-9.0, 4.0, Anchor::End), (0.0, -10.0, Anchor::Middle), (0.0, 18.0, Anchor::Middle)];

/// An occupied rectangle.
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

    /// Returns whether the rectangle is inside the picture and below the legend.
    fn inside(&self, width: f64, height: f64) -> bool {
        self.left >= 0.0 && self.right <= width && self.top >= 44.0 && self.bottom <= height
    }
}

/// An algorithm with its fastest provider.
struct Point {
    algorithm: String,
    /// Fastest provider, or all tied providers.
    provider: String,
    /// Number of bytes on the wire.
    bytes: u64,
    /// Total time of the operations in ns.
    time: Interval,
    classical: bool,
    /// Index into [`TOGETHER`].
    operations: usize,
}

fn points(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Point> {
    let rows = usual(analysis, area);
    let mut points = Vec::new();
    for (algorithm, rows) in grouped(rows.iter().copied(), |row| row.case().algorithm.clone()) {
        let bytes = rows.iter().find_map(|row| wire_bytes(&row.case().facts.sizes));
        let classical = rows.iter().all(|row| row.case().facts.category.is_none());
        for (operations, names) in TOGETHER.iter().enumerate() {
            let of_provider = grouped(rows.iter().copied(), |row| row.case().provider.clone());
            let part = |rows: &[&'_ CaseAnalysis<'_>], operation: &str| {
                rows.iter().position(|row| row.case().operation == operation)
            };
            let whole = of_provider.iter().filter_map(|(provider, rows)| {
                let parts = names.iter().map(|one| Some(rows[part(rows, one)?])).collect::<Option<Vec<_>>>()?;
                // Do not add up the intervals of the parts: they are not independent, because a process or run affects
                // all parts alike.
                Some((provider.clone(), analysis.total(&parts)?, parts))
            });
            let whole: Vec<(String, Interval, Vec<&CaseAnalysis<'_>>)> = whole.collect();
            let rivals: Vec<Vec<&CaseAnalysis<'_>>> = whole.iter().map(|(_, _, parts)| parts.clone()).collect();
            let leaders = analysis.ranking(&rivals).leaders();
            let (Some(bytes), Some(best)) = (bytes, leaders.first()) else { continue };
            let provider = leaders.iter().map(|place| whole[*place].0.as_str()).collect::<Vec<_>>().join(", ");
            let (algorithm, time) = (algorithm.clone(), whole[*best].1);
            points.push(Point { algorithm, provider, bytes, time, classical, operations });
        }
    }
    points
}

pub(super) fn sizes(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let mut points = points(analysis, area);
    if points.len() < 3 {
        return None;
    }
    let (what, bytes_of) = match [0, 1].map(|operations| points.iter().any(|point| point.operations == operations)) {
        [true, true] => ("of a key exchange, or to sign and verify", "public key with ciphertext or signature"),
        [true, false] => ("of keygen, encapsulate and decapsulate", "public key and ciphertext"),
        _ => ("to sign and verify", "public key and signature"),
    };
    let title = format!("{area}: bytes on the wire against time {what}");
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let legend = [(0, "post-quantum".to_owned()), (1, "classical".to_owned())];
    let top = canvas.head(&title, &legend) + 6.0;
    let (left, right, bottom) = (64.0, WIDTH - 40.0, HEIGHT - 46.0);
    let across = Scale::log(points.iter().map(|point| point.bytes as f64), left, right);
    let up = Scale::log(points.iter().map(|point| point.time.estimate), bottom, top);
    canvas.axis_across(&across, Quantity::Bytes, top, bottom);
    canvas.axis_up(&up, Quantity::Time, left, right);
    canvas.text((left + right) / 2.0, HEIGHT - 8.0, TextStyle::Faint, Anchor::Middle, bytes_of);
    points.sort_by(|one, other| other.time.estimate.total_cmp(&one.time.estimate));
    // Labels must not cover marks or earlier labels.
    let around = |point: &Point| Place::around(across.at(point.bytes as f64), up.at(point.time.estimate), 12.0);
    let mut taken: Vec<Place> = points.iter().map(around).collect();
    for Point { algorithm, provider, bytes, time, classical, .. } in &points {
        let (x, y) = (across.at(*bytes as f64), up.at(time.estimate));
        canvas.interval_up(x, &up, time.low, time.high);
        canvas.mark(
            usize::from(*classical),
            x,
            y,
            &format!("{algorithm} {provider}: {} B, {}", thousands(*bytes), known_time(time)),
        );
        let text = label(algorithm);
        let preferred = PLACES.map(|(dx, dy, anchor)| (x + dx, y + dy, anchor));
        // If points are crowded, place the label above or below on either side, and connect it to its mark by a line.
        let lines = (1..20).flat_map(|line| [-12.0, 12.0].map(|step| y + 4.0 + step * f64::from(line)));
        let around = lines.flat_map(|line| [(x + 16.0, line, Anchor::Start), (x - 16.0, line, Anchor::End)]);
        let free = |place: &(f64, f64, Anchor)| {
            let wanted = Place::of_text(place.0, place.1, place.2, width_of(&text, 11.0));
            wanted.inside(WIDTH, bottom) && taken.iter().all(|other| !other.meets(&wanted))
        };
        let place = preferred.into_iter().chain(around).find(free).unwrap_or(preferred[0]);
        if (place.0 - x).abs() > 12.0 {
            canvas.rule((x, y), (place.0, place.1 - 4.0));
        }
        taken.push(Place::of_text(place.0, place.1, place.2, width_of(&text, 11.0)));
        canvas.text(place.0, place.1, TextStyle::Faint, place.2, &text);
    }
    let listed: Vec<String> = points
        .iter()
        .map(|Point { algorithm, provider, bytes, time, .. }| {
            format!("{algorithm} ({provider}) {} bytes, {}", thousands(*bytes), known_time(time))
        })
        .collect();
    let about = format!(
        "Both scales are logarithmic. Each algorithm is shown with its fastest library, or with several that do not \
         differ measurably: {}.",
        listed.join("; ")
    );
    Some(canvas.finish(&format!("sizes-{}", slug(area)), &title, about))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn totals_have_the_interval_of_the_whole() {
        let run = fixtures::references_run();
        let analysis = RunAnalysis::of(&run);
        let points = points(&analysis, "signature");
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
}
