//! The tables of circuit handshakes, as text in cells: the terminal and the formats that print tables lay them out.

use super::literature::{Quoted, related_work};
use super::{HandshakeFigures, RelayScenario, STEPS, Single, Timing, handshakes};
use crate::number::{NONE, factor, factor_within, grouped, percent, rate, significant, time};
use crate::run::RunAnalysis;
use pqlab_stats::Interval;

/// Numbers of cores to which rates are extrapolated: those of the reference report.
const EXTRAPOLATED: [u64; 2] = [8, 64];
/// Said of a run that has the handshake that authenticates nobody.
const NOT_AUTHENTICATED: &str =
    "kem-only-*: forward secret, and does NOT authenticate the relay: whoever knows its identity can answer";

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Names.
    Text,
    /// Figures.
    Figures,
    /// Sentences, which may need several lines.
    Prose,
}

/// A table. All rows have a cell for each column.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// A word for it, unlike that of any other table.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// Headings and what stands below them.
    pub columns: Vec<(String, Holds)>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// What must be known when it is read.
    pub note: Option<&'static str>,
}

/// The tables of a run, those without rows left out; none for a run without handshakes.
pub fn tables(analysis: &RunAnalysis<'_>, scenario: &RelayScenario) -> Vec<Table> {
    let all = handshakes(analysis);
    if all.is_empty() {
        return Vec::new();
    }
    let tables = [
        lengths(&all),
        steps(&all),
        shares(&all),
        parts(&all),
        cores(&all),
        relay(&all, scenario),
        links(&all, scenario),
        exchange(&all),
        overhead(&all),
        quoted(&related_work()),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn table(name: &'static str, title: &str, figures: &[&str], rows: Vec<Vec<String>>) -> Table {
    let names = ["handshake", "provider"].map(|name| (name.to_owned(), Holds::Text));
    let figures = figures.iter().map(|heading| ((*heading).to_owned(), Holds::Figures));
    Table { name, title: title.to_owned(), columns: names.into_iter().chain(figures).collect(), rows, note: None }
}

fn row(figures: &HandshakeFigures<'_>, cells: impl IntoIterator<Item = String>) -> Vec<String> {
    [figures.algorithm.clone(), figures.provider.clone()].into_iter().chain(cells).collect()
}

fn median(timing: Option<&Timing<'_>>) -> String {
    or_none(timing.map(|timing| timing.median.estimate), time)
}

fn share(interval: Option<&Interval>) -> String {
    interval.map_or_else(
        || NONE.to_owned(),
        |share| format!("{}% ±{}", significant(share.estimate), significant((share.high - share.low) / 2.0)),
    )
}

fn or_none(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), show)
}

/// Classical ntor of the same run: over the same classical provider where it was measured, else over any.
fn classical_of<'f, 'a>(
    all: &'f [HandshakeFigures<'a>],
    figures: &HandshakeFigures<'_>,
) -> Option<&'f HandshakeFigures<'a>> {
    let provider = figures.provider.split('+').next().unwrap_or_default();
    let mut classical = all.iter().filter(|other| other.classical());
    classical.clone().find(|other| other.provider == provider).or_else(|| classical.next())
}

fn lengths(all: &[HandshakeFigures<'_>]) -> Table {
    let mut seen: Vec<&HandshakeFigures<'_>> = Vec::new();
    for figures in all {
        if seen.iter().all(|known| known.algorithm != figures.algorithm) {
            seen.push(figures);
        }
    }
    let rows = seen.iter().map(|figures| {
        let [onionskin, reply] = figures.cells();
        let numbers = [figures.onionskin, figures.reply, figures.bytes(), onionskin, reply, onionskin + reply];
        std::iter::once(figures.algorithm.clone()).chain(numbers.map(grouped)).collect()
    });
    let headings = ["onionskin", "reply", "total", "cells of the onionskin", "of the reply", "of the handshake"];
    let mut table = table("lengths", "Lengths in bytes, and cells", &headings, rows.collect());
    table.columns.remove(1);
    table
}

fn steps(all: &[HandshakeFigures<'_>]) -> Table {
    let mut rows = Vec::new();
    for figures in all {
        let named = STEPS.iter().zip(&figures.steps).map(|(name, step)| (*name, step.as_ref()));
        for (name, timing) in named.chain([("handshake", figures.whole.as_ref())]) {
            let Some(timing) = timing else { continue };
            let single = |of: fn(&Single) -> Option<f64>| or_none(timing.single.as_ref().and_then(of), time);
            let cells = [
                name.to_owned(),
                single(|s| Some(s.min)),
                time(timing.mean),
                time(timing.median.estimate),
                percent(timing.median.half_width_pct()),
                single(|s| Some(s.max)),
                single(|s| s.stdev),
                single(|s| Some(s.p90)),
                single(|s| Some(s.p99)),
            ];
            rows.push(row(figures, cells));
        }
    }
    table("steps", "Steps", &["step", "min", "mean", "median", "±", "max", "stdev", "p90", "p99"], rows)
}

fn shares(all: &[HandshakeFigures<'_>]) -> Table {
    let whole = all.iter().filter(|figures| figures.shares.iter().all(Option::is_some));
    let rows = whole.map(|figures| row(figures, figures.shares.iter().map(|interval| share(interval.as_ref()))));
    table("shares", "Share of each step", &["client create", "relay reply", "client finish"], rows.collect())
}

fn parts(all: &[HandshakeFigures<'_>]) -> Table {
    let of = |figures: &HandshakeFigures<'_>| {
        let row = |(part, interval): &(String, Interval)| row(figures, [part.clone(), share(Some(interval))]);
        figures.parts.iter().map(row).collect::<Vec<_>>()
    };
    let rows = all.iter().flat_map(of).collect();
    table("parts", "Parts of the handshake, by leaving each out", &["part", "share"], rows)
}

fn cores(all: &[HandshakeFigures<'_>]) -> Table {
    let answering: Vec<&HandshakeFigures<'_>> =
        all.iter().filter(|figures| figures.replies_per_second().is_some()).collect();
    let mut measured: Vec<u64> =
        answering.iter().flat_map(|figures| figures.measured_cores()).filter(|&cores| cores > 1).collect();
    measured.sort_unstable();
    measured.dedup();
    let most = measured.last().copied().unwrap_or(1);
    let beyond: Vec<u64> = EXTRAPOLATED.into_iter().filter(|&cores| cores > most).collect();
    let rows = answering.iter().map(|figures| {
        let one = or_none(figures.replies_per_second(), rate);
        let several = measured.iter().map(|&cores| or_none(figures.measured_replies(cores), rate));
        let more = beyond.iter().map(|&cores| or_none(figures.extrapolated_replies(cores), rate));
        let from = match figures.measured_cores().max().unwrap_or(1) {
            1 => "1 core".to_owned(),
            cores => format!("{cores} cores"),
        };
        row(figures, std::iter::once(one).chain(several).chain(more).chain([from]))
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let several = measured.iter().map(|cores| format!("{cores} cores (measured)"));
    let more = beyond.iter().map(|cores| format!("{cores} cores (extrapolated)"));
    let headings: Vec<String> = std::iter::once("a core (measured)".to_owned())
        .chain(several)
        .chain(more)
        .chain(["extrapolated from".to_owned()])
        .collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut table = table("cores", "Handshakes that a relay answers in a second", &headings, rows);
    table.note = Some("extrapolated: as many times more as there are cores, which no machine quite reaches");
    table
}

fn relay(all: &[HandshakeFigures<'_>], scenario: &RelayScenario) -> Table {
    let headings = ["of a core at the rate", "bandwidth", "CPU of a million", "data of a million"];
    let rows = all.iter().filter(|figures| figures.replies_per_second().is_some()).map(|figures| {
        let cells = [
            or_none(figures.cpu_pct(scenario), |share| format!("{}%", significant(share))),
            format!("{} Mbit/s", significant(figures.bandwidth(scenario) / 1e6)),
            or_none(figures.replies_per_second(), |replies| format!("{} s", significant(1e6 / replies))),
            format!("{} GB", significant(figures.bytes() as f64 / 1e3)),
        ];
        row(figures, cells)
    });
    let title = format!("What it costs a relay at {} circuits a second", rate(scenario.circuits_per_second));
    table("relay", &title, &headings, rows.collect())
}

fn links(all: &[HandshakeFigures<'_>], scenario: &RelayScenario) -> Table {
    let speed = |link: f64| format!("{} Mbit/s", significant(link / 1e6));
    let wire = scenario.links.iter().map(|&link| format!("on the wire at {}", speed(link)));
    let keys = scenario.links.iter().map(|&link| format!("to keys at {}", speed(link)));
    let headings: Vec<String> = wire.chain(keys).collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let rows = all.iter().filter(|figures| figures.whole.is_some()).map(|figures| {
        let wire = scenario.links.iter().map(|&link| time(figures.transmission(link)));
        let keys = scenario.links.iter().map(|&link| or_none(figures.time_to_keys(link, scenario.rtt_ms), time));
        row(figures, wire.chain(keys))
    });
    let title = format!("On links with a round trip of {} ms", significant(scenario.rtt_ms));
    table("links", &title, &headings, rows.collect())
}

fn exchange(all: &[HandshakeFigures<'_>]) -> Table {
    let headings = ["computing", "connection kept", "beyond computing", "fresh", "beyond computing"];
    let exchanged = all.iter().filter(|figures| figures.kept.is_some() || figures.fresh.is_some());
    let rows = exchanged.map(|figures| {
        let beyond = |timing: Option<&Timing<'_>>| {
            let pair = timing.zip(figures.whole.as_ref());
            or_none(pair.map(|(exchange, whole)| exchange.median.estimate - whole.median.estimate), time)
        };
        let (kept, fresh) = (figures.kept.as_ref(), figures.fresh.as_ref());
        row(figures, [median(figures.whole.as_ref()), median(kept), beyond(kept), median(fresh), beyond(fresh)])
    });
    table("exchange", "Over loopback sockets, both ends on this machine", &headings, rows.collect())
}

fn overhead(all: &[HandshakeFigures<'_>]) -> Table {
    let mut rows = Vec::new();
    for figures in all.iter().filter(|figures| !figures.classical()) {
        let Some(classical) = classical_of(all, figures) else { continue };
        let bytes = |this: u64, that: u64| factor(this as f64 / that as f64);
        let times = |this: Option<&Timing<'_>>, that: Option<&Timing<'_>>| {
            let ratio = this.zip(that).and_then(|(this, that)| this.over(that));
            ratio.map_or_else(|| NONE.to_owned(), |ratio| factor_within(&ratio))
        };
        let cells = [
            bytes(figures.onionskin, classical.onionskin),
            bytes(figures.reply, classical.reply),
            bytes(figures.bytes(), classical.bytes()),
            times(figures.whole.as_ref(), classical.whole.as_ref()),
            times(figures.steps[1].as_ref(), classical.steps[1].as_ref()),
        ];
        rows.push(row(figures, cells));
    }
    let headings = ["onionskin", "reply", "total", "time", "relay's time"];
    let title = "Against classical ntor of the same run, times in core cycles where both have them";
    let mut table = table("overhead", title, &headings, rows);
    if all.iter().any(|figures| !figures.authenticates_relay()) {
        table.note = Some(NOT_AUTHENTICATED);
    }
    table
}

fn quoted(all: &[Quoted]) -> Table {
    let rows = all.iter().map(|quoted| {
        let [low, high] = quoted.time_ms.map(|milliseconds| time(1e6 * milliseconds));
        let figure = if low == high { low } else { format!("{low} to {high}") };
        vec![quoted.protocol.clone(), quoted.algorithm.clone(), figure, format!("{} ({})", quoted.source, quoted.note)]
    });
    Table {
        name: "literature",
        title: "Literature: figures of others, NOT measured here".to_owned(),
        columns: [
            ("protocol", Holds::Text),
            ("algorithm", Holds::Text),
            ("time", Holds::Figures),
            ("source", Holds::Prose),
        ]
        .map(|(heading, holds)| (heading.to_owned(), holds))
        .to_vec(),
        rows: rows.collect(),
        note: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::Run;

    fn of(run: &Run, scenario: &RelayScenario) -> Vec<Table> {
        tables(&RunAnalysis::of(run), scenario)
    }

    fn made(name: &str, scenario: &RelayScenario) -> Table {
        of(&fixtures::ntor_run(), scenario).into_iter().find(|table| table.name == name).unwrap()
    }

    /// The cell below a heading in the row of a handshake.
    fn cell(table: &Table, handshake: &str, heading: &str) -> String {
        let column = table.columns.iter().position(|(known, _)| known == heading);
        let column = column.unwrap_or_else(|| panic!("{heading} in {:?}", table.columns));
        table.rows.iter().find(|row| row[0] == handshake).unwrap()[column].clone()
    }

    #[test]
    fn every_table_is_a_rectangle_with_a_name_of_its_own() {
        let all = of(&fixtures::ntor_run(), &RelayScenario::default());
        assert_eq!(
            all.iter().map(|table| table.name).collect::<Vec<_>>(),
            ["lengths", "steps", "shares", "parts", "cores", "relay", "links", "overhead", "literature"]
        );
        for table in &all {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{table:?}");
        }
        assert!(of(&fixtures::run(), &RelayScenario::default()).is_empty());
    }

    #[test]
    fn lengths_cells_and_factors_are_those_of_the_messages() {
        let lengths = made("lengths", &RelayScenario::default());
        let of = |heading: &str| cell(&lengths, "kem-only-mlkem512", heading);
        assert_eq!([of("onionskin"), of("reply"), of("total")], ["820", "800", "1,620"]);
        assert_eq!([of("cells of the onionskin"), of("of the reply"), of("of the handshake")], ["2", "2", "4"]);
        assert_eq!(cell(&lengths, "ntor-v1", "of the handshake"), "2");
        let overhead = made("overhead", &RelayScenario::default());
        let of = |heading: &str| cell(&overhead, "kem-only-mlkem512", heading);
        assert_eq!([of("onionskin"), of("reply"), of("total")], ["9.76×", "12.5×", "10.9×"]);
        assert!(of("time").starts_with("0.6") && of("relay's time").starts_with("0.6"), "{overhead:?}");
    }

    #[test]
    fn cores_that_were_measured_stand_beside_those_that_were_not() {
        let cores = made("cores", &RelayScenario::default());
        let number = |handshake: &str, heading: &str| -> f64 {
            cell(&cores, handshake, heading).replace(',', "").parse().unwrap()
        };
        let near = |left: f64, right: f64| assert!((left / right - 1.0).abs() < 0.01, "{left} is not {right}");
        // 40 µs on one core, 1.9 times as many on two.
        near(number("kem-only-mlkem512", "a core (measured)"), 25_000.0);
        near(number("kem-only-mlkem512", "2 cores (measured)"), 47_500.0);
        near(number("kem-only-mlkem512", "8 cores (extrapolated)"), 4.0 * 47_500.0);
        near(number("kem-only-mlkem512", "64 cores (extrapolated)"), 32.0 * 47_500.0);
        assert_eq!(cell(&cores, "kem-only-mlkem512", "extrapolated from"), "2 cores");
        // Measured on one core alone.
        assert_eq!(cell(&cores, "ntor-v1", "2 cores (measured)"), NONE);
        near(number("ntor-v1", "8 cores (extrapolated)"), 8.0 / 60e-6);
        assert_eq!(cell(&cores, "ntor-v1", "extrapolated from"), "1 core");
        // Four threads on two processors are no four cores.
        assert!(!cores.columns.iter().any(|(heading, _)| heading.starts_with("4 cores")), "{cores:?}");
    }

    #[test]
    fn rates_links_and_round_trips_are_parameters() {
        let scenario = RelayScenario { circuits_per_second: 50.0, links: vec![2e6], rtt_ms: 300.0 };
        let relay = made("relay", &scenario);
        assert!(relay.title.contains("50.0 circuits"), "{}", relay.title);
        assert!(cell(&relay, "kem-only-mlkem512", "of a core at the rate").starts_with("0.2"), "{relay:?}");
        assert_eq!(cell(&relay, "kem-only-mlkem512", "bandwidth"), "0.648 Mbit/s");
        assert_eq!(cell(&relay, "kem-only-mlkem512", "data of a million"), "1.62 GB");
        assert!(cell(&relay, "kem-only-mlkem512", "CPU of a million").starts_with("40."), "{relay:?}");
        let links = made("links", &scenario);
        assert!(links.title.contains("300 ms"), "{}", links.title);
        // 1,620 bytes are 12,960 bits.
        assert_eq!(cell(&links, "kem-only-mlkem512", "on the wire at 2.00 Mbit/s"), "6.48 ms");
        assert_eq!(cell(&links, "kem-only-mlkem512", "to keys at 2.00 Mbit/s"), "307 ms");
    }

    #[test]
    fn figures_of_others_are_marked_and_stand_apart() {
        let all = of(&fixtures::ntor_run(), &RelayScenario::default());
        let (quoted, measured) = all.split_last().unwrap();
        assert!(quoted.title.contains("Literature") && quoted.title.contains("NOT measured"), "{}", quoted.title);
        assert!(quoted.rows.iter().any(|row| row[0].contains("KEMTLS") && row[3].contains("doi:")), "{quoted:?}");
        for table in measured {
            assert!(!format!("{table:?}").contains("KEMTLS"), "{table:?}");
        }
    }

    #[test]
    fn who_reads_of_a_handshake_without_authentication_is_told_so() {
        let overhead = made("overhead", &RelayScenario::default());
        assert!(overhead.note.is_some_and(|note| note.contains("does NOT authenticate the relay")));
    }
}
