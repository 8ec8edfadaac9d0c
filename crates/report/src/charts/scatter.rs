//! Size against speed: what goes over the wire against the time that it takes.

use super::canvas::{Anchor, Canvas, Quantity, Scale, TextStyle, label, width_of};
use super::intervals::usual;
use super::{Chart, slug};
use pqlab_analysis::number::{grouped as thousands, known_time};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, grouped, sum, wire_bytes};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;

/// The operations of a key exchange, and those of a signed message.
const TOGETHER: [&[&str]; 2] = [&["keygen", "encapsulate", "decapsulate"], &["sign", "verify"]];

/// Where a label may stand beside its mark: to the right, to the left, above, below; how far, and how it is held.
const PLACES: [(f64, f64, Anchor); 4] =
    [(9.0, 4.0, Anchor::Start), (-9.0, 4.0, Anchor::End), (0.0, -10.0, Anchor::Middle), (0.0, 18.0, Anchor::Middle)];

/// A rectangle that is taken.
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

    /// A line of text whose base line is at `y`.
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

    /// Below the legend, and within.
    fn inside(&self, width: f64, height: f64) -> bool {
        self.left >= 0.0 && self.right <= width && self.top >= 44.0 && self.bottom <= height
    }
}

pub(super) fn sizes(analysis: &RunAnalysis<'_>, area: &str) -> Option<Chart> {
    let rows = usual(analysis, area);
    let mut points: Vec<(String, String, u64, Interval, bool)> = Vec::new();
    let (mut exchanges, mut signatures) = (false, false);
    for (algorithm, rows) in grouped(rows.iter().copied(), |row| row.case().algorithm.clone()) {
        let bytes = rows.iter().find_map(|row| wire_bytes(&row.case().facts.sizes));
        let classical = rows.iter().all(|row| row.case().facts.category.is_none());
        for operations in TOGETHER {
            let of_provider = grouped(rows.iter().copied(), |row| row.case().provider.clone());
            let part = |rows: &[&'_ CaseAnalysis<'_>], operation: &str| {
                rows.iter().position(|row| row.case().operation == operation)
            };
            let whole = of_provider.iter().filter_map(|(provider, rows)| {
                let parts = operations.iter().map(|one| Some(rows[part(rows, one)?])).collect::<Option<Vec<_>>>()?;
                let times = parts.iter().map(|row| row.median()).collect::<Option<Vec<_>>>()?;
                Some((provider.clone(), sum(&times)?, parts))
            });
            let whole: Vec<(String, Interval, Vec<&CaseAnalysis<'_>>)> = whole.collect();
            let rivals: Vec<Vec<&CaseAnalysis<'_>>> = whole.iter().map(|(_, _, parts)| parts.clone()).collect();
            let leaders = analysis.ranking(&rivals).leaders();
            let names: Vec<&str> = leaders.iter().map(|place| whole[*place].0.as_str()).collect();
            if let (Some(bytes), Some(best)) = (bytes, leaders.first()) {
                let (provider, total) = (names.join(", "), whole[*best].1);
                if operations.len() == 3 {
                    exchanges = true
                } else {
                    signatures = true
                }
                points.push((algorithm.clone(), provider, bytes, total, classical));
            }
        }
    }
    if points.len() < 3 {
        return None;
    }
    let (what, bytes_of) = match (exchanges, signatures) {
        (true, true) => ("of a key exchange, or to sign and verify", "public key with ciphertext or signature"),
        (true, false) => ("of keygen, encapsulate and decapsulate", "public key and ciphertext"),
        _ => ("to sign and verify", "public key and signature"),
    };
    let title = format!("{area}: bytes on the wire against time {what}");
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let legend = [(0, "post-quantum".to_owned()), (1, "classical".to_owned())];
    let top = canvas.head(&title, &legend) + 6.0;
    let (left, right, bottom) = (64.0, WIDTH - 40.0, HEIGHT - 46.0);
    let across = Scale::log(points.iter().map(|point| point.2 as f64), left, right);
    let up = Scale::log(points.iter().map(|point| point.3.estimate), bottom, top);
    canvas.axis_across(&across, Quantity::Bytes, top, bottom);
    canvas.axis_up(&up, Quantity::Time, left, right);
    canvas.text((left + right) / 2.0, HEIGHT - 8.0, TextStyle::Faint, Anchor::Middle, bytes_of);
    points.sort_by(|one, other| other.3.estimate.total_cmp(&one.3.estimate));
    // Labels give way to all marks and to the labels before them.
    let mut taken: Vec<Place> =
        points.iter().map(|point| Place::around(across.at(point.2 as f64), up.at(point.3.estimate), 12.0)).collect();
    for (algorithm, provider, bytes, total, classical) in &points {
        let (x, y) = (across.at(*bytes as f64), up.at(total.estimate));
        canvas.interval_up(x, &up, total.low, total.high);
        canvas.mark(
            usize::from(*classical),
            x,
            y,
            &format!("{algorithm} {provider}: {} B, {}", thousands(*bytes), known_time(total)),
        );
        let text = label(algorithm);
        let beside = PLACES.map(|(dx, dy, anchor)| (x + dx, y + dy, anchor));
        // Where many points lie together, the rest stand in lines above and below them, at both sides, and a line leads there.
        let lines = (1..20).flat_map(|line| [-12.0, 12.0].map(|step| y + 4.0 + step * f64::from(line)));
        let around = lines.flat_map(|line| [(x + 16.0, line, Anchor::Start), (x - 16.0, line, Anchor::End)]);
        let free = |place: &(f64, f64, Anchor)| {
            let wanted = Place::of_text(place.0, place.1, place.2, width_of(&text, 11.0));
            wanted.inside(WIDTH, bottom) && taken.iter().all(|other| !other.meets(&wanted))
        };
        let place = beside.into_iter().chain(around).find(free).unwrap_or(beside[0]);
        if (place.0 - x).abs() > 12.0 {
            canvas.rule((x, y), (place.0, place.1 - 4.0));
        }
        taken.push(Place::of_text(place.0, place.1, place.2, width_of(&text, 11.0)));
        canvas.text(place.0, place.1, TextStyle::Faint, place.2, &text);
    }
    let listed: Vec<String> = points
        .iter()
        .map(|(algorithm, provider, bytes, total, _)| {
            format!("{algorithm} ({provider}) {} bytes, {}", thousands(*bytes), known_time(total))
        })
        .collect();
    let about = format!(
        "Both scales are of logarithms; the fastest provider of each algorithm, all that are not told apart. {}.",
        listed.join("; ")
    );
    Some(canvas.finish(&format!("sizes-{}", slug(area)), &title, about))
}
