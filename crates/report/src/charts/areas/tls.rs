//! Charts of TLS handshakes: rate of a server core, bytes on the wire, and components of the time.

use crate::charts::Chart;
use crate::charts::canvas::{Anchor, Canvas, LegendEntry, Quantity, Scale, TextStyle, label, width_of};
use crate::charts::stack::{Bar, stacked};
use pqlab_analysis::number::{grouped as thousands, known_rate};
use pqlab_analysis::tls::{
    AREA, Configuration, Flights, HandshakeDecomposition, HandshakeFigures, INITIAL_WINDOW, SEGMENT, STEPS,
    decompositions, handshakes,
};
use pqlab_analysis::{RunAnalysis, grouped};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
/// Maximum number of configurations in a picture.
const MOST: usize = 40;
/// Height of a bar.
const BAR: f64 = 13.0;
/// Space between two configurations.
const BETWEEN: f64 = 10.0;
const LINE: f64 = 26.0;
/// End of the scale, as a multiple of the largest rate. An interval that reaches further ends in an arrow.
const WIDEST: f64 = 1.3;

/// Draws all TLS charts for which the run contains data.
pub(crate) fn pictures(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    if area != AREA {
        return Vec::new();
    }
    let all = handshakes(analysis);
    [rates(analysis, &all), flights(&all), parts(analysis), steps(&all)].into_iter().flatten().collect()
}

/// Draws the handshakes per second on one server core, with a bar for each implementation.
fn rates(analysis: &RunAnalysis<'_>, all: &[HandshakeFigures<'_, '_>]) -> Option<Chart> {
    let rated: Vec<_> = all.iter().filter_map(|one| Some((one, one.server_per_second()?))).collect();
    let mut lines = grouped(rated.iter(), |(one, _)| one.configuration.name());
    let most = |rates: &[&(&HandshakeFigures<'_, '_>, Interval)]| {
        rates.iter().map(|(_, rate)| rate.estimate).fold(0.0, f64::max)
    };
    lines.sort_by(|(_, one), (_, other)| most(other).total_cmp(&most(one)));
    let more = left_out(&mut lines);
    let drawn = || lines.iter().flat_map(|(_, rates)| rates);
    drawn().next()?;
    let provider = |one: &HandshakeFigures<'_, '_>| one.configuration.provider.clone();
    let mut series: Vec<(usize, String)> =
        drawn().map(|(one, _)| (analysis.series(&one.configuration.provider), provider(one))).collect();
    series.sort();
    series.dedup();
    let legend: Vec<_> = series.into_iter().map(|(series, name)| (LegendEntry::Block(series), name)).collect();
    let title = "tls: server handshakes per second on one core, in memory";
    let top = Canvas::new(WIDTH, 0.0).head_of(title, &legend) + 4.0;
    let bars = drawn().count() as f64;
    let height = top + bars * BAR + lines.len() as f64 * BETWEEN + 30.0;
    let mut canvas = Canvas::new(WIDTH, height);
    canvas.head_of(title, &legend);
    let gutter = gutter(lines.iter().map(|(name, _)| name.as_str()));
    let largest = drawn().map(|(_, rate)| rate.estimate).fold(0.0, f64::max);
    let ends = drawn().map(|(_, rate)| rate.high.min(WIDEST * largest));
    let across = Scale::linear(ends, gutter, WIDTH - 70.0);
    canvas.axis_across(&across, Quantity::Rate, top, height - 26.0);
    let (mut y, mut listed) = (top + BETWEEN / 2.0, Vec::new());
    for (name, rates) in &lines {
        let middle = y + rates.len() as f64 * BAR / 2.0;
        canvas.text(gutter - 10.0, middle + 4.0, TextStyle::Label, Anchor::End, &label(name));
        for (one, rate) in rates {
            let text = known_rate(rate);
            let about = format!("{name} {}: {text} per second", provider(one));
            let series = analysis.series(&one.configuration.provider);
            canvas.bar(series, gutter, y, across.at(rate.estimate) - gutter, BAR - 2.0, &about);
            canvas.interval_across(y + BAR / 2.0 - 1.0, &across, rate.low, rate.high);
            canvas.text(across.at(rate.high) + 8.0, y + BAR - 2.0, TextStyle::Faint, Anchor::Start, &text);
            listed.push(about);
            y += BAR;
        }
        y += BETWEEN;
    }
    let note = "Reciprocal of the server's mean time with its 95% interval, highest first.";
    Some(canvas.finish("tls-server-rate", title, format!("{note}{more} {}.", listed.join("; "))))
}

/// Draws the bytes on the wire for each configuration, with the implementation that sends most. Bars start with the
/// server's flight, so that readers can compare it with the initial window.
fn flights(all: &[HandshakeFigures<'_, '_>]) -> Option<Chart> {
    let noted: Vec<(&Configuration, Flights)> =
        all.iter().filter_map(|one| Some((&one.configuration, one.flights()?))).collect();
    let bytes = |flights: &Flights| flights.client_hello + flights.server_flight + flights.client_finish;
    let by_name = grouped(noted.iter(), |(configuration, _)| configuration.name()).into_iter();
    let mut lines: Vec<(String, &(&Configuration, Flights))> = by_name
        .filter_map(|(name, all)| Some((name, all.into_iter().max_by_key(|(_, flights)| bytes(flights))?)))
        .collect();
    lines.sort_by_key(|(_, (_, flights))| bytes(flights));
    let more = left_out(&mut lines);
    lines.first()?;
    let window = INITIAL_WINDOW * SEGMENT;
    let parts = ["server flight", "ClientHello", "client finish"];
    let blocks = parts.iter().enumerate().map(|(place, name)| (LegendEntry::Block(place), (*name).to_owned()));
    let window_text = format!("initial window of ten segments: {} bytes", thousands(window));
    let legend: Vec<_> = blocks.chain([(LegendEntry::Ideal, window_text.clone())]).collect();
    let title = "tls: bytes of each handshake flight";
    let top = Canvas::new(WIDTH, 0.0).head_of(title, &legend) + 4.0;
    let height = top + lines.len() as f64 * LINE + 30.0;
    let mut canvas = Canvas::new(WIDTH, height);
    canvas.head_of(title, &legend);
    let gutter = gutter(lines.iter().map(|(name, _)| name.as_str()));
    let ends = lines.iter().map(|(_, (_, flights))| bytes(flights)).chain([window]).map(|bytes| bytes as f64);
    let across = Scale::linear(ends, gutter, WIDTH - 20.0);
    canvas.axis_across(&across, Quantity::Bytes, top, height - 26.0);
    let mut listed = Vec::new();
    for (place, (name, (configuration, flights))) in lines.iter().enumerate() {
        let y = top + (place as f64 + 0.5) * LINE;
        canvas.text(gutter - 10.0, y + 4.0, TextStyle::Label, Anchor::End, &label(name));
        let (mut from, mut words) = (0, Vec::new());
        let lengths = [flights.server_flight, flights.client_hello, flights.client_finish];
        for (part, bytes) in lengths.into_iter().enumerate() {
            let about = format!("{} {} bytes", parts[part], thousands(bytes));
            let (x, to) = (across.at(from as f64), across.at((from + bytes) as f64));
            canvas.bar(part, x, y - 8.0, to - x, 16.0, &about);
            words.push(about);
            from += bytes;
        }
        listed.push(format!("{name} {}: {}", configuration.provider, words.join(", ")));
    }
    let x = across.at(window as f64);
    canvas.ideal(&[(x, top), (x, height - 26.0)]);
    let note = format!(
        "Bytes of the implementation that sends most. A server flight beyond the dashed line, {window_text}, needs \
         another round trip."
    );
    Some(canvas.finish("tls-flights", title, format!("{note}{more} {}.", listed.join("; "))))
}

/// Draws key exchange, signatures and the rest of each handshake.
fn parts(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let bar = |one: HandshakeDecomposition| Bar {
        name: one.configuration.name(),
        provider: one.configuration.provider.clone(),
        parts: vec![one.exchange_ns, one.signing_ns, one.verification_ns, one.rest_ns.estimate.max(0.0)],
        whole: Some(one.handshake_ns),
    };
    let bars = decompositions(analysis).into_iter().map(bar).collect();
    let note = "Means over both sides. The primitives were measured separately. The rest is the handshake minus the \
                primitives, drawn only if it is positive. The line is the handshake.";
    let parts = ["key exchange", "signing", "verification", "rest: TLS itself"];
    stacked("tls-parts", "tls: components of a handshake", &parts, bars, MOST, note)
}

/// Draws the steps of each handshake, if they were measured.
fn steps(all: &[HandshakeFigures<'_, '_>]) -> Option<Chart> {
    let mean = |of: &pqlab_analysis::CaseAnalysis<'_>| of.estimates.as_ref().map(|estimates| estimates.samples_ns.mean);
    let bar = |one: &HandshakeFigures<'_, '_>| {
        Some(Bar {
            name: one.configuration.name(),
            provider: one.configuration.provider.clone(),
            parts: one.steps.iter().map(|step| mean((*step)?)).collect::<Option<_>>()?,
            whole: one.whole.and_then(mean),
        })
    };
    let note = "Means. Each step was measured separately; the line is the handshake, measured as one operation.";
    stacked("tls-steps", "tls: steps of a handshake", &STEPS, all.iter().filter_map(bar).collect(), MOST, note)
}

fn gutter<'n>(names: impl Iterator<Item = &'n str>) -> f64 {
    names.map(|name| width_of(&label(name), 12.0)).fold(80.0, f64::max).min(330.0) + 14.0
}

/// Truncates `lines` to the maximum for a picture. Returns a sentence with the number of omitted lines, or an empty
/// string.
fn left_out<T>(lines: &mut Vec<T>) -> String {
    let all = lines.len();
    lines.truncate(MOST);
    if all > MOST { format!(" The table lists {} more.", all - MOST) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn drawn() -> Vec<Chart> {
        let run = fixtures::tls_run();
        pictures(&RunAnalysis::of(&run), AREA)
    }

    #[test]
    fn tls_runs_have_four_pictures() {
        let names: Vec<String> = drawn().into_iter().map(|chart| chart.name).collect();
        assert_eq!(names, ["tls-server-rate", "tls-flights", "tls-parts", "tls-steps"]);
        let run = fixtures::run();
        assert!(pictures(&RunAnalysis::of(&run), AREA).is_empty());
        let run = fixtures::tls_run();
        assert!(pictures(&RunAnalysis::of(&run), "kem").is_empty());
    }

    #[test]
    fn text_alternatives_contain_the_figures() {
        let [rates, flights, parts, steps] = &drawn()[..] else { panic!() };
        let places = [
            "X25519 ECDSA-P-256 chain=1 psk openssl",
            "X25519 ECDSA-P-256 chain=1 rustls",
            "ML-DSA-65 chain=2 openssl",
        ];
        let places = places.map(|name| rates.about.find(name).unwrap());
        assert!(places.is_sorted(), "bars must be sorted, highest first: {}", rates.about);
        assert!(flights.about.contains("initial window of ten segments: 14,480 bytes"), "{}", flights.about);
        assert!(flights.about.contains("chain=2 openssl: server flight 17,900 bytes, ClientHello 1,400 bytes"));
        assert!(
            parts.about.contains("key exchange 100 µs") && parts.about.contains("signing 15.0 µs"),
            "{}",
            parts.about
        );
        assert!(steps.about.contains("client-finish 170 µs (56.7%)"), "{}", steps.about);
    }
}
