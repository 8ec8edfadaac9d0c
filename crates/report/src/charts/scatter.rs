//! Size against speed: what goes over the wire against the time that it takes.

use super::canvas::{Anchor, Canvas, Quantity, Scale, Voice};
use super::intervals::usual;
use super::{Chart, grouped, slug};
use crate::number::{duration, grouped as thousands};
use crate::sheet::{Sheet, sum};
use pqlab_record::Sizes;
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;

/// The operations of a key exchange, and those of a signed message.
const TOGETHER: [&[&str]; 2] = [&["keygen", "encapsulate", "decapsulate"], &["sign", "verify"]];

/// Bytes on the wire: public key and ciphertext, or public key and signature.
pub(crate) fn wire(sizes: &Sizes) -> Option<u64> {
    Some(sizes.public_key? + sizes.ciphertext.or(sizes.signature)?)
}

pub(super) fn sizes(sheet: &Sheet<'_>, area: &str) -> Option<Chart> {
    let rows = usual(sheet, area);
    let mut points: Vec<(String, String, u64, Interval, bool)> = Vec::new();
    let mut what = "";
    for (algorithm, rows) in grouped(rows.iter().copied(), |row| row.case().algorithm.clone()) {
        let bytes = rows.iter().find_map(|row| wire(&row.case().facts.sizes));
        let classical = rows.iter().all(|row| row.case().facts.category.is_none());
        for operations in TOGETHER {
            let of_provider = grouped(rows.iter().copied(), |row| row.case().provider.clone());
            let totals = of_provider.iter().filter_map(|(provider, rows)| {
                let time = |operation: &&str| rows.iter().find(|row| row.case().operation == *operation)?.median();
                Some((provider.clone(), sum(&operations.iter().map(time).collect::<Option<Vec<_>>>()?)?))
            });
            let best = totals.min_by(|one, other| one.1.estimate.total_cmp(&other.1.estimate));
            if let (Some(bytes), Some((provider, total))) = (bytes, best) {
                what = if operations.len() == 3 { "keygen, encapsulate and decapsulate" } else { "sign and verify" };
                points.push((algorithm.clone(), provider, bytes, total, classical));
            }
        }
    }
    if points.len() < 3 {
        return None;
    }
    let title = format!("{area}: bytes on the wire against time to {what}");
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    let legend = [(0, "post-quantum".to_owned()), (1, "classical".to_owned())];
    let top = canvas.head(&title, &legend) + 6.0;
    let (left, right, bottom) = (64.0, WIDTH - 96.0, HEIGHT - 46.0);
    let across = Scale::log(points.iter().map(|point| point.2 as f64), left, right);
    let up = Scale::log(points.iter().map(|point| point.3.estimate), bottom, top);
    canvas.axis_across(&across, Quantity::Bytes, top, bottom);
    canvas.axis_up(&up, Quantity::Time, left, right);
    canvas.text(
        (left + right) / 2.0,
        HEIGHT - 8.0,
        Voice::Faint,
        Anchor::Middle,
        "public key and ciphertext or signature",
    );
    points.sort_by(|one, other| other.3.estimate.total_cmp(&one.3.estimate));
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for (algorithm, provider, bytes, total, classical) in &points {
        let (x, y) = (across.at(*bytes as f64), up.at(total.estimate));
        let (number, unit) = duration(total.estimate);
        canvas.whisker((x, up.at(total.low)), (x, up.at(total.high)));
        canvas.mark(
            usize::from(*classical),
            x,
            y,
            &format!("{algorithm} {provider}: {} B, {number} {unit}", thousands(*bytes)),
        );
        // A label that would lie on another moves below it.
        let mut at = y + 4.0;
        while taken.iter().any(|(left, line)| (left - x).abs() < 110.0 && (line - at).abs() < 12.0) {
            at += 12.0;
        }
        taken.push((x, at));
        canvas.text(x + 9.0, at, Voice::Faint, Anchor::Start, algorithm);
    }
    let listed: Vec<String> = points
        .iter()
        .map(|(algorithm, provider, bytes, total, _)| {
            let (number, unit) = duration(total.estimate);
            format!("{algorithm} ({provider}) {} bytes, {number} {unit}", thousands(*bytes))
        })
        .collect();
    let about =
        format!("Both scales are of logarithms; the fastest provider of each algorithm. {}.", listed.join("; "));
    Some(canvas.finish(&format!("sizes-{}", slug(area)), &title, about))
}
