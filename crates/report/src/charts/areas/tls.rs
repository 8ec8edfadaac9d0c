//! Charts of TLS handshakes: handshakes per second on a server core, bytes on the wire, and components of the time.

use crate::charts::Chart;
use crate::charts::areas::subject;
use crate::charts::canvas::{Anchor, Canvas, LABEL_LINE, LegendEntry, Quantity, Scale, TextStyle, lines_of, width_of};
use crate::charts::curves::{Plot, Point, Series, curves, draw, statistic_of};
use crate::charts::look::Looks;
use crate::charts::provenance::{named, time_whiskers};
use crate::charts::ratios::doubt;
use crate::charts::scatter::{Dot, Plane, plane};
use crate::charts::stack::{BARS, Bar, any_approximate, doubt_of, fastest_of_each, lower_sentence, stacked};
use pqlab_analysis::estimates::scaled;
use pqlab_analysis::number::{grouped as thousands, is_approximate, known_rate, known_time};
use pqlab_analysis::tls::{
    AREA, Configuration, ConnectionFigures, Flights, HandshakeDecomposition, HandshakeFigures, INITIAL_WINDOW, SEGMENT,
    STEPS, connections, decompositions, handshakes,
};
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, gathered, grouped};
use pqlab_stats::Interval;

const WIDTH: f64 = 760.0;
/// Maximum number of configurations in a picture.
const MOST: usize = 40;
/// Height of a bar, in SVG units.
const BAR: f64 = 13.0;
/// Vertical space between two configurations, in SVG units.
const BETWEEN: f64 = 10.0;
const LINE: f64 = 26.0;
/// Maximum width of the names of configurations, in SVG units. Longer names take several lines.
const NAMES: f64 = 320.0;
/// End of the scale, as a multiple of the largest rate. If an interval extends further, its whisker ends in an arrow.
const WIDEST: f64 = 1.3;

/// Draws all TLS charts for which the run contains data.
pub(crate) fn pictures(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    if area != AREA {
        return Vec::new();
    }
    let all = handshakes(analysis);
    let pictures = [
        cost(analysis, &all),
        waits(analysis),
        rates(analysis, &all),
        flights(analysis, &all),
        parts(analysis, &all),
        steps(analysis, &all),
    ];
    pictures.into_iter().flatten().collect()
}

/// Draws the computing time of each handshake (client and server together) against its bytes on the wire. Each
/// configuration is shown with its fastest implementation.
fn cost(analysis: &RunAnalysis<'_>, all: &[HandshakeFigures<'_, '_>]) -> Option<Chart> {
    let full = all.iter().filter(|one| one.configuration.mode.is_none());
    let known: Vec<_> = full.filter_map(|one| Some((one, one.whole?, one.flights()?))).collect();
    let (mut dots, mut listed, mut providers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut unranked, mut lower) = (Vec::new(), Vec::new());
    for (name, rivals) in grouped(known.iter(), |(one, ..)| one.configuration.name()) {
        let cases: Vec<&CaseAnalysis<'_>> = rivals.iter().map(|(_, whole, _)| *whole).collect();
        let Some(best) = analysis.leading(&cases).first().copied() else {
            unranked.push(name);
            continue;
        };
        let Some((one, _, flights)) = rivals.iter().find(|(_, whole, _)| std::ptr::eq(*whole, best)) else { continue };
        let Some(value) = best.time() else { continue };
        let faster = cases.iter().filter(|case| case.time().is_some_and(|time| time.estimate < value.estimate));
        lower.extend(faster.filter_map(|case| Some((case.case().provider.clone(), doubt(case)?))));
        let bytes = flights.client_hello + flights.server_flight + flights.client_finish;
        let provider = one.configuration.provider.clone();
        let about = format!("{name} {provider}: {} bytes, {}", thousands(bytes), known_time(&value));
        listed.push(about.clone());
        providers.extend(rivals.iter().map(|(one, ..)| one.configuration.provider.clone()));
        let algorithm = name.clone();
        let name = name.replace(" chain=1", "").replace(" chain=", ", chain of ");
        dots.push(Dot { name, about, provider, algorithm, doubt: None, at: bytes as f64, value });
    }
    if dots.len() < 3 {
        return None;
    }
    dots.sort_by(|one, other| other.value.estimate.total_cmp(&one.value.estimate));
    let alone = distinct(providers).len() == 1;
    let with = if alone { "" } else { ", each by its fastest implementation" };
    let mut note =
        "Times are medians, or means for ML-DSA. Only the server authenticates. One intermediate certificate unless the label says otherwise."
            .to_owned();
    if !unranked.is_empty() {
        note.push_str(&format!(" Not shown, because no implementation is ranked: {}.", unranked.join(", ")));
    }
    note.push_str(&lower_sentence(["implementation", "implementations"], &lower));
    let plot = Plane {
        name: "tls-cost".to_owned(),
        title: format!("{}: computing time and bytes of full handshakes{with}", subject(AREA)),
        across: "bytes of all flights (both axes logarithmic)".to_owned(),
        up: "time of both sides together, in memory (unit at each tick)".to_owned(),
        note,
        about: format!("Both scales are logarithmic. {}.", listed.join("; ")),
        libraries: Vec::new(),
    };
    plane(analysis, plot, &dots)
}

/// Draws the time that a client waits for a connection against the configured round-trip time of the link. A curve
/// joins links with the same rate and loss. If there are no two such links, a curve joins all links, and the small
/// print states that their rates and losses differ.
fn waits(analysis: &RunAnalysis<'_>) -> Option<Chart> {
    let all = connections(analysis);
    let strict = waiting_curves(&all, |one| one.asked.map(|asked| format!("{:?} {}", asked.rate_mbit, asked.loss_pct)));
    let (all, note) = match strict.is_empty() {
        true => (waiting_curves(&all, |_| Some(String::new())), "The links also differ in rate and loss."),
        false => (strict, ""),
    };
    let plot = Plot {
        name: "tls-round-trip".to_owned(),
        title: format!("{}: waiting time of a client by round-trip time of the link", subject(AREA)),
        across: ("round-trip time of the link in ms", Quantity::Plain),
        up: ("time from opening the TCP connection to the end of the handshake (unit at each tick)", Quantity::Time),
        log: true,
        ideal: false,
        note,
    };
    draw(analysis, &plot, all)
}

/// Figures of the connections over a link with a known round-trip time.
struct Link<'c, 'r, 'a> {
    figures: &'c ConnectionFigures<'r, 'a>,
    kind: String,
    round_trip_ms: f64,
}

impl Link<'_, '_, '_> {
    fn point(&self) -> Point {
        Point {
            at: self.round_trip_ms,
            value: self.figures.complete,
            doubt: doubt(self.figures.of),
            statistic: statistic_of(self.figures.of),
        }
    }
}

/// Returns one curve over the round-trip time for each configuration and each kind of link. `kind` returns the kind of
/// a link, or `None` if the link must not be drawn.
fn waiting_curves(
    all: &[ConnectionFigures<'_, '_>],
    kind: impl Fn(&ConnectionFigures<'_, '_>) -> Option<String>,
) -> Vec<Series> {
    let link = |figures| Some(Link { figures, kind: kind(figures)?, round_trip_ms: figures.asked?.round_trip_ms? });
    let links: Vec<Link<'_, '_, '_>> = all.iter().filter_map(link).collect();
    let key = |link: &Link<'_, '_, '_>| {
        let configuration = &link.figures.configuration;
        (configuration.name(), configuration.provider.clone(), link.kind.clone())
    };
    let curve = |links: Vec<&Link<'_, '_, '_>>| {
        let configuration = &links[0].figures.configuration;
        let mut points: Vec<Point> = links.iter().map(|link| link.point()).collect();
        points.sort_by(|one, other| one.at.total_cmp(&other.at));
        Series {
            what: configuration.name(),
            provider: configuration.provider.clone(),
            algorithm: configuration.name(),
            points,
        }
    };
    curves(grouped(links.iter(), key).into_iter().map(|(_, links)| curve(links)).collect())
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
    let looks = Looks::new(analysis);
    let title = format!("{}: server handshakes per second on one core, in memory", subject(AREA));
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(&title, &[]) + 4.0;
    let names: Vec<Vec<String>> = lines.iter().map(|(name, _)| lines_of(name, 12.0, NAMES)).collect();
    let row = |bars: usize, names: &Vec<String>| (bars as f64 * BAR).max(names.len() as f64 * LABEL_LINE);
    let rows: Vec<f64> =
        lines.iter().zip(&names).map(|((_, rates), names)| row(rates.len(), names) + BETWEEN).collect();
    let height = top + rows.iter().sum::<f64>() + 42.0;
    canvas.ends_at(height);
    let gutter = gutter(&names);
    let largest = drawn().map(|(_, rate)| rate.estimate).fold(0.0, f64::max);
    let ends = drawn().map(|(_, rate)| rate.high.min(WIDEST * largest));
    let reason_of = |one: &HandshakeFigures<'_, '_>| one.server.and_then(doubt);
    let text_of = |one: &HandshakeFigures<'_, '_>, rate: &Interval| {
        let provider = named(analysis, &one.configuration.provider, &one.configuration.name(), reason_of(one));
        format!("{} {provider}", known_rate(rate))
    };
    let widest = drawn().map(|(one, rate)| width_of(&text_of(one, rate), 11.0)).fold(60.0, f64::max);
    let right = (WIDTH - widest - 10.0).max(gutter + 120.0);
    let across = Scale::linear(ends, gutter, right);
    canvas.axis_across(&across, Quantity::Rate, top, height - 38.0);
    let (mut end, mut listed) = (top, Vec::new());
    for (((name, rates), names), row) in lines.iter().zip(&names).zip(&rows) {
        let middle = end + row / 2.0;
        end += row;
        let mut y = middle - rates.len() as f64 * BAR / 2.0;
        canvas.label(gutter - 10.0, middle, TextStyle::Label, Anchor::End, names);
        for (one, rate) in rates {
            let text = known_rate(rate);
            let about = format!("{name} {}: {text} per second", provider(one));
            let look = looks.of_provider(&one.configuration.provider);
            match reason_of(one) {
                Some(_) => canvas.hollow_bar(gutter, y, across.at(rate.estimate) - gutter, BAR - 2.0, &about),
                None => canvas.bar(look.colour, gutter, y, across.at(rate.estimate) - gutter, BAR - 2.0, &about),
            }
            canvas.interval_across(y + BAR / 2.0 - 1.0, &across, rate.low, rate.high);
            let x = across.at(rate.high) + 8.0;
            canvas.text(x, y + BAR - 2.0, TextStyle::Faint, Anchor::Start, &text_of(one, rate));
            canvas.shows_figure(&one.configuration.provider, &one.configuration.name(), reason_of(one));
            listed.push(about);
            y += BAR;
        }
    }
    let note = "Reciprocal of the server's mean time, highest first.";
    let axis = "handshakes per second on one core";
    canvas.text((gutter + right) / 2.0, height - 6.0, TextStyle::Faint, Anchor::Middle, axis);
    canvas.note(note);
    canvas.note(time_whiskers(analysis));
    canvas.note(more.trim_start());
    Some(canvas.finish(analysis, "tls-server-rate", &title, format!("{note}{more} {}.", listed.join("; "))))
}

/// Draws the bytes on the wire for each configuration, as sent by the implementation that sends the most. Bars start
/// with the server's flight, so that readers can compare this flight with the initial congestion window.
fn flights(analysis: &RunAnalysis<'_>, all: &[HandshakeFigures<'_, '_>]) -> Option<Chart> {
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
    let blocks = parts.iter().enumerate().map(|(place, name)| (LegendEntry::Part(place), (*name).to_owned()));
    let window_text = format!("initial window of ten segments: {} bytes", thousands(window));
    let legend: Vec<_> = blocks.chain([(LegendEntry::Ideal, window_text.clone())]).collect();
    let title = format!("{}: bytes of each handshake flight", subject(AREA));
    let mut canvas = Canvas::new(WIDTH);
    let top = canvas.head(&title, &legend) + 4.0;
    let names: Vec<Vec<String>> = lines.iter().map(|(name, _)| lines_of(name, 12.0, NAMES)).collect();
    let row = |names: &Vec<String>| LINE.max(LABEL_LINE * names.len() as f64 + 4.0);
    let height = top + names.iter().map(row).sum::<f64>() + 42.0;
    canvas.ends_at(height);
    let gutter = gutter(&names);
    let ends = lines.iter().map(|(_, (_, flights))| bytes(flights)).chain([window]).map(|bytes| bytes as f64);
    let across = Scale::linear(ends, gutter, WIDTH - 20.0);
    canvas.axis_across(&across, Quantity::Bytes, top, height - 38.0);
    canvas.text((gutter + WIDTH - 20.0) / 2.0, height - 6.0, TextStyle::Faint, Anchor::Middle, "bytes on the wire");
    let (mut listed, mut end) = (Vec::new(), top);
    for ((name, (configuration, flights)), names) in lines.iter().zip(&names) {
        let y = end + row(names) / 2.0;
        end += row(names);
        canvas.label(gutter - 10.0, y, TextStyle::Label, Anchor::End, names);
        let (mut from, mut words) = (0, Vec::new());
        let lengths = [flights.server_flight, flights.client_hello, flights.client_finish];
        for (part, bytes) in lengths.into_iter().enumerate() {
            let about = format!("{} {} bytes", parts[part], thousands(bytes));
            let (x, to) = (across.at(from as f64), across.at((from + bytes) as f64));
            canvas.part(part, x, y - 8.0, to - x, 16.0, &about);
            words.push(about);
            from += bytes;
        }
        listed.push(format!("{name} {}: {}", configuration.provider, words.join(", ")));
    }
    let x = across.at(window as f64);
    canvas.ideal(&[(x, top), (x, height - 38.0)]);
    for (_, (configuration, _)) in &lines {
        canvas.shows_figure(&configuration.provider, &configuration.name(), None);
    }
    let note = format!(
        "Each bar shows the implementation that sends the most bytes. The dashed line is the {window_text}. A server \
         flight beyond it needs another round trip. Bytes are those of the longest flights counted, without TCP and IP \
         headers, so there are no whiskers. Number of bars by \
         implementation: {}.",
        senders(&lines)
    );
    canvas.note(note.clone());
    let pairs = lines.iter().filter(|(_, (configuration, _))| configuration.provider.contains('+'));
    let pairs: Vec<String> = pairs.map(|(name, (one, _))| format!("{} for {name}", one.provider)).collect();
    if !pairs.is_empty() {
        canvas.note(format!("{SIDES} {}.", pairs.join(", ")));
    }
    canvas.note(more.trim_start());
    Some(canvas.finish(analysis, "tls-flights", &title, format!("{note}{more} {}.", listed.join("; "))))
}

/// Draws the components of each handshake's time: key exchange, signatures, and the rest.
fn parts(analysis: &RunAnalysis<'_>, all: &[HandshakeFigures<'_, '_>]) -> Option<Chart> {
    // The interval of the time, as in the other pictures. The decomposition has the interval in core cycles.
    let time_of = |one: &HandshakeDecomposition| {
        all.iter().find(|figures| figures.configuration == one.configuration)?.whole?.time()
    };
    let bar = |one: HandshakeDecomposition| Bar {
        name: one.configuration.name(),
        provider: one.configuration.provider.clone(),
        algorithm: one.configuration.name(),
        parts: vec![one.exchange_ns, one.signing_ns, one.verification_ns, one.rest_ns.estimate.max(0.0)],
        approximate: any_approximate(&[Some(one.handshake_ns), Some(one.primitives_ns)]),
        whole: time_of(&one).map(|time| scaled(&time, one.handshake_ns.estimate / time.estimate)),
        doubt: doubt_of(&one.caveats),
        faster: Vec::new(),
        tied: Vec::new(),
    };
    let found = decompositions(analysis);
    let resumed = found.iter().any(|one| one.configuration.mode.as_deref() == Some("psk"));
    let (bars, lower) = fastest_of_each(found.into_iter().map(bar).collect());
    let note = "Mean times of both sides together. The primitives were measured separately. Rest: the time of the \
                handshake minus the times of the primitives, drawn only if it is positive. Diamond: the time of the \
                handshake.";
    let resumed = if resumed { " psk: the client makes a key share, which the server does not use." } else { "" };
    let whole = all.iter().filter(|one| one.whole.is_some()).map(|one| one.configuration.name());
    let missing: Vec<String> = distinct(whole.filter(|name| bars.iter().all(|bar| bar.name != *name)));
    let missing = match missing.is_empty() {
        true => String::new(),
        false => format!(" Not shown, because a primitive was not measured: {}.", missing.join(", ")),
    };
    let note = format!("{note}{resumed}{}{missing}", lower_sentence(BARS, &lower));
    let parts = ["key exchange", "signing", "verification", "rest: TLS itself"];
    let title = format!(
        "{}: time of a handshake with its fastest ranked implementations, split into components",
        subject(AREA)
    );
    stacked(analysis, "tls-parts", &title, &parts, bars, MOST, [&note, SIDES])
}

/// Note for pairs of implementations.
const SIDES: &str = "Pairs of implementations: client + server.";

/// Draws the times of the steps of each handshake, if they were measured.
fn steps(analysis: &RunAnalysis<'_>, all: &[HandshakeFigures<'_, '_>]) -> Option<Chart> {
    let mean = |of: &CaseAnalysis<'_>| of.estimates.as_ref().map(|estimates| estimates.mean_ns);
    let bar = |one: &HandshakeFigures<'_, '_>| {
        let parts: Vec<Interval> = one.steps.iter().map(|step| mean((*step)?)).collect::<Option<_>>()?;
        let whole = one.whole.and_then(mean);
        Some(Bar {
            name: one.configuration.name(),
            provider: one.configuration.provider.clone(),
            algorithm: one.configuration.name(),
            approximate: parts.iter().chain(&whole).any(is_approximate),
            parts: parts.iter().map(|part| part.estimate).collect(),
            whole,
            doubt: one.steps.iter().flatten().find_map(|step| doubt(step)),
            faster: Vec::new(),
            tied: Vec::new(),
        })
    };
    let note = "Means. Each step was measured separately; the diamond is the handshake, measured as one operation.";
    let title = format!("{}: time of a handshake, split into steps", subject(AREA));
    stacked(analysis, "tls-steps", &title, &STEPS, all.iter().filter_map(bar).collect(), MOST, [note, SIDES])
}

/// Lists the implementations, each with its number of lines: `rustls 3, openssl 1`.
fn senders(lines: &[(String, &(&Configuration, Flights))]) -> String {
    let counted = gathered(lines.iter().map(|(_, (configuration, _))| (configuration.provider.as_str(), ())));
    counted.iter().map(|(provider, all)| format!("{provider} {}", all.len())).collect::<Vec<_>>().join(", ")
}

/// Returns the width of the column with the names, in SVG units.
fn gutter(names: &[Vec<String>]) -> f64 {
    names.iter().flatten().map(|name| width_of(name, 12.0)).fold(80.0, f64::max) + 14.0
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
        pictures(&RunAnalysis::new(&run), AREA)
    }

    #[test]
    fn tls_runs_have_a_picture_for_each_question() {
        let names: Vec<String> = drawn().into_iter().map(|chart| chart.name).collect();
        assert_eq!(names, ["tls-round-trip", "tls-server-rate", "tls-flights", "tls-parts", "tls-steps"]);
        let run = fixtures::run();
        assert!(pictures(&RunAnalysis::new(&run), AREA).is_empty());
        let run = fixtures::tls_run();
        assert!(pictures(&RunAnalysis::new(&run), "kem").is_empty());
    }

    #[test]
    fn curves_over_the_round_trip_join_links_of_one_kind() {
        let mut run = fixtures::tls_run();
        let link = run.records.iter().find(|record| record.case.word("rtt").is_some()).unwrap();
        let mut near = link.clone();
        for parameter in &mut near.case.parameters {
            if let pqlab_record::Parameter::Word(name, value) = parameter
                && name == "rtt"
            {
                *value = "10ms".to_owned();
            }
        }
        run.records.push(near);
        let chart = waits(&RunAnalysis::new(&run)).unwrap();
        assert!(!chart.about.contains("at 600") && chart.about.contains("at 10, "), "{}", chart.about);
    }

    #[test]
    fn a_handshake_costs_time_and_bytes() {
        let mut run = fixtures::tls_run();
        let noted = |record: &&pqlab_record::Record| {
            record.case.operation == "handshake" && record.samples.visits.iter().all(|visit| !visit.extra.is_empty())
        };
        let whole = run.records.iter().find(noted).unwrap().clone();
        for chain in 3..6 {
            let mut other = whole.clone();
            for parameter in &mut other.case.parameters {
                if let pqlab_record::Parameter::Number(name, value) = parameter
                    && name == "chain"
                {
                    *value = chain;
                }
            }
            run.records.push(other);
        }
        let analysis = RunAnalysis::new(&run);
        let chart = cost(&analysis, &handshakes(&analysis)).unwrap();
        assert!(chart.svg.contains("chain of 5") && chart.about.contains(" bytes, "), "{}", chart.about);
    }

    #[test]
    fn text_alternatives_contain_the_figures() {
        let [waits, rates, flights, parts, steps] = &drawn()[..] else { panic!() };
        assert!(waits.about.contains("205 ms at 100, 1.21 s at 600"), "{}", waits.about);
        assert!(waits.svg.contains("The links also differ in rate and loss."), "{}", waits.svg);
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
