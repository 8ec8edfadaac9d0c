//! Tables of circuit handshakes: messages, steps, parts, and the cost for a relay and its links.

mod ahead;
mod variants;

use crate::areas::ntor::{
    AREA, HandshakeFigures, Quoted, RelayScenario, STEPS, Single, Timing, handshakes, onion_services, related_work,
};
use crate::caveats::Caveats;
use crate::number::{rate, significant, time};
use crate::run::RunAnalysis;
use crate::table::{Cell, Table};

/// Numbers of cores for extrapolated rates, as in the reference report.
const EXTRAPOLATED: [u64; 2] = [8, 64];
/// Note for tables that include the handshake without relay authentication.
const NOT_AUTHENTICATED: &str = "kem-only-* is forward secret, but does NOT authenticate the relay: anyone who knows \
                                 the relay's identity can answer";

/// Returns the tables for a run. A run without handshakes gets only the memory table.
pub(crate) fn tables(analysis: &RunAnalysis<'_>, scenario: &RelayScenario) -> Vec<Table> {
    let all = handshakes(analysis);
    let memory = ahead::memory(analysis);
    // Onion services are not relays, so tables about relays leave out their handshakes.
    let both: Vec<HandshakeFigures<'_>> = all.iter().cloned().chain(onion_services(analysis)).collect();
    if both.is_empty() {
        return vec![memory];
    }
    vec![
        variants::variants(analysis, &both),
        lengths(&both),
        steps(&both),
        shares(&both),
        parts(&all),
        ahead::precomputation(&both),
        ahead::queue(analysis, scenario),
        memory,
        cores(&all),
        relay(&all, scenario),
        links(&all, scenario),
        exchange(&all),
        overhead(&all),
        quoted(&related_work()),
    ]
}

/// Creates a table whose first columns are the handshake and its provider.
fn table(name: &'static str, title: impl Into<String>) -> Table {
    Table::new(name, AREA, title).names("handshake", "handshake").names("provider", "provider")
}

fn row(table: &mut Table, figures: &HandshakeFigures<'_>, caveats: &Caveats, cells: impl IntoIterator<Item = Cell>) {
    let names = [&figures.algorithm, &figures.provider].map(Cell::text);
    table.row([caveats], names.into_iter().chain(cells));
}

fn median(timing: Option<&Timing<'_>>) -> Cell {
    Cell::optional(timing, |timing| Cell::time_within(&timing.median))
}

/// Returns classical ntor from the same run: with the same classical provider if measured, otherwise with any provider.
fn classical_of<'f, 'a>(
    all: &'f [HandshakeFigures<'a>],
    figures: &HandshakeFigures<'_>,
) -> Option<&'f HandshakeFigures<'a>> {
    let provider = figures.provider.split('+').next().unwrap_or_default();
    let mut classical = all.iter().filter(|other| other.classical());
    classical.clone().find(|other| other.provider == provider).or_else(|| classical.next())
}

/// Like [`classical_of`], but returns `None` if `figures` is classical ntor itself.
fn classical_baseline<'f, 'a>(
    all: &'f [HandshakeFigures<'a>],
    figures: &HandshakeFigures<'_>,
) -> Option<&'f HandshakeFigures<'a>> {
    classical_of(all, figures).filter(|_| !figures.classical())
}

fn lengths(all: &[HandshakeFigures<'_>]) -> Table {
    let mut table = Table::new("ntor-lengths", AREA, "Circuit handshakes: lengths in bytes, and cells")
        .names("handshake", "handshake")
        .figures("onionskin", "onionskin", "B", 0)
        .figures("reply", "reply", "B", 0)
        .figures("total", "total", "B", 0)
        .figures("onionskin_cells", "onionskin cells", "", 2)
        .figures("reply_cells", "reply cells", "", 3)
        .figures("cells", "cells", "", 1);
    let mut seen: Vec<&str> = Vec::new();
    for figures in all {
        if seen.contains(&figures.algorithm.as_str()) {
            continue;
        }
        seen.push(&figures.algorithm);
        let [onionskin, reply] = figures.cells();
        let numbers = [figures.onionskin, figures.reply, figures.bytes(), onionskin, reply, onionskin + reply];
        table.row([], std::iter::once(Cell::text(&figures.algorithm)).chain(numbers.map(Cell::whole)));
    }
    table
}

fn steps(all: &[HandshakeFigures<'_>]) -> Table {
    let mut table = table("ntor-steps", "Circuit handshakes: steps")
        .names("step", "step")
        .figures("min", "min", "µs", 5)
        .figures("mean", "mean", "µs", 3)
        .figures("median", "median", "µs", 0)
        .figures("max", "max", "µs", 6)
        .figures("stdev", "stdev", "µs", 7)
        .figures("p90", "p90", "µs", 4)
        .figures("p99", "p99", "µs", 2);
    for figures in all {
        let named = STEPS.iter().zip(&figures.steps).map(|(name, step)| (*name, step.as_ref()));
        for (name, timing) in named.chain([("handshake", figures.whole.as_ref())]) {
            let Some(timing) = timing else { continue };
            let single =
                |of: fn(&Single) -> Option<f64>| Cell::optional(timing.single.as_ref().and_then(of), Cell::time);
            let cells = [
                Cell::text(name),
                single(|s| Some(s.min)),
                Cell::time(timing.mean),
                Cell::time_within(&timing.median),
                single(|s| Some(s.max)),
                single(|s| s.stdev),
                single(|s| Some(s.p90)),
                single(|s| Some(s.p99)),
            ];
            row(&mut table, figures, timing.caveats, cells);
        }
    }
    table
}

fn shares(all: &[HandshakeFigures<'_>]) -> Table {
    let mut table = table("ntor-shares", "Circuit handshakes: share of each step")
        .figures("create", "client create", "%", 0)
        .figures("reply", "relay reply", "%", 0)
        .figures("finish", "client finish", "%", 1);
    for figures in all.iter().filter(|figures| figures.shares.iter().all(Option::is_some)) {
        let cells = figures.shares.map(|share| Cell::optional(share, |share| Cell::share_within(&share)));
        row(&mut table, figures, &figures.caveats, cells);
    }
    table
}

fn parts(all: &[HandshakeFigures<'_>]) -> Table {
    let mut table = table("ntor-parts", "Circuit handshakes: parts, each measured by leaving it out")
        .names("part", "part")
        .figures("share", "share", "%", 0);
    for figures in all {
        for (part, share) in &figures.parts {
            row(&mut table, figures, &figures.caveats, [Cell::text(part), Cell::share_within(share)]);
        }
    }
    table
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
    let title = "Circuit handshakes: relay replies per second";
    let mut table = table("ntor-cores", title).figures("cores_1", "1 core (measured)", "1/s", 0);
    let several =
        measured.iter().map(|cores| (cores, "measured")).chain(beyond.iter().map(|cores| (cores, "extrapolated")));
    for (place, (cores, how)) in several.enumerate() {
        table = table.figures(&format!("cores_{cores}"), &format!("{cores} cores ({how})"), "1/s", rank(place));
    }
    table = table.names("extrapolated_from", "extrapolated from");
    for figures in answering {
        let from = match figures.measured_cores().max().unwrap_or(1) {
            1 => "1 core".to_owned(),
            cores => format!("{cores} cores"),
        };
        let one = figures.replies_per_second();
        let several = measured.iter().map(|&cores| figures.measured_replies(cores));
        let more = beyond.iter().map(|&cores| figures.extrapolated_replies(cores));
        let rates = std::iter::once(one).chain(several).chain(more).map(|rate| Cell::optional(rate, Cell::rate));
        row(&mut table, figures, &figures.caveats, rates.chain([Cell::text(from)]));
    }
    table.note("extrapolated: the rate per core times the number of cores; an upper bound, because no machine scales perfectly")
}

/// Returns the [rank for omission](crate::table::Column::spare) of the column at `place` among similar columns. If
/// space is short, the last of these columns is omitted first.
fn rank(place: usize) -> u8 {
    u8::try_from(place + 1).unwrap_or(u8::MAX)
}

fn relay(all: &[HandshakeFigures<'_>], scenario: &RelayScenario) -> Table {
    let title =
        format!("Circuit handshakes: cost for a relay at {} circuits per second", rate(scenario.circuits_per_second));
    let mut table = table("ntor-relay", title)
        .figures("core", "share of a core", "%", 0)
        .figures("bandwidth", "bandwidth", "Mbit/s", 2)
        .figures("added_bandwidth", "added vs ntor", "Mbit/s", 3)
        .figures("million_cpu", "CPU per 1M handshakes", "s", 4)
        .figures("million_data", "data per 1M handshakes", "GB", 5);
    for figures in all.iter().filter(|figures| figures.replies_per_second().is_some()) {
        let with_unit = |value: f64, unit: &str| Cell::number(format!("{}{unit}", significant(value)), value);
        let cells = [
            Cell::optional(figures.cpu_pct(scenario), |share| with_unit(share, "%")),
            with_unit(figures.bandwidth(scenario) / 1e6, " Mbit/s"),
            Cell::optional(classical_baseline(all, figures), |ntor| {
                with_unit((figures.bandwidth(scenario) - ntor.bandwidth(scenario)) / 1e6, " Mbit/s")
            }),
            Cell::optional(figures.replies_per_second(), |replies| with_unit(1e6 / replies, " s")),
            with_unit(figures.bytes() as f64 / 1e3, " GB"),
        ];
        row(&mut table, figures, &figures.caveats, cells);
    }
    table
}

fn links(all: &[HandshakeFigures<'_>], scenario: &RelayScenario) -> Table {
    let title = format!("Circuit handshakes on links with a round trip of {} ms", significant(scenario.rtt_ms));
    let mut table = table("ntor-links", title);
    let mut place = 0;
    for (name, what) in [("wire", "on the wire"), ("keys", "to keys"), ("added", "to keys, vs ntor")] {
        for &link in &scenario.links {
            let (short, long) = speed(link);
            table = table.figures(&format!("{name}_{short}"), &format!("{what} at {long}"), "µs", place);
            place = place.saturating_add(1);
        }
    }
    for figures in all.iter().filter(|figures| figures.whole.is_some()) {
        let to_keys = |of: &HandshakeFigures<'_>, link| of.time_to_keys(link, scenario.rtt_ms);
        let ntor = classical_baseline(all, figures);
        let wire = scenario.links.iter().map(|&link| Cell::time(figures.transmission(link)));
        let keys = scenario.links.iter().map(|&link| Cell::optional(to_keys(figures, link), Cell::time));
        let added = scenario.links.iter().map(|&link| {
            let pair = ntor.and_then(|ntor| to_keys(ntor, link)).zip(to_keys(figures, link));
            Cell::optional(pair.map(|(ntor, this)| this - ntor), Cell::time)
        });
        let caveats = Caveats::merged([Some(figures), ntor].into_iter().flatten().map(|one| &one.caveats));
        row(&mut table, figures, &caveats, wire.chain(keys).chain(added));
    }
    table
        .note("to keys: computation, one round trip, and transmission of both messages")
        .note("vs ntor: difference from classical ntor in the same run")
}

/// Formats a link speed for a column's name and for its heading: `100m` and `100 Mbit/s`.
fn speed(bits_per_second: f64) -> (String, String) {
    let units = [(1e9, "g", "Gbit/s"), (1e6, "m", "Mbit/s"), (1e3, "k", "kbit/s"), (1.0, "", "bit/s")];
    let (unit, letter, name) = units.into_iter().find(|(unit, ..)| bits_per_second >= *unit).unwrap_or(units[3]);
    let value = bits_per_second / unit;
    (format!("{}{letter}", value.to_string().replace('.', "_")), format!("{value} {name}"))
}

fn exchange(all: &[HandshakeFigures<'_>]) -> Table {
    let title = "Circuit handshakes over loopback sockets, both ends on this machine";
    let mut table = table("ntor-exchange", title)
        .figures("computing", "computing", "µs", 0)
        .figures("kept", "kept connection", "µs", 0)
        .figures("kept_beyond", "transport time", "µs", 2)
        .figures("fresh", "new connection", "µs", 0)
        .figures("fresh_beyond", "transport time", "µs", 1);
    for figures in all.iter().filter(|figures| figures.kept.is_some() || figures.fresh.is_some()) {
        let beyond = |timing: Option<&Timing<'_>>| {
            let pair = timing.zip(figures.whole.as_ref());
            Cell::optional(pair.map(|(exchange, whole)| exchange.median.estimate - whole.median.estimate), Cell::time)
        };
        let (kept, fresh) = (figures.kept.as_ref(), figures.fresh.as_ref());
        let cells = [median(figures.whole.as_ref()), median(kept), beyond(kept), median(fresh), beyond(fresh)];
        row(&mut table, figures, &figures.caveats, cells);
    }
    table
}

fn overhead(all: &[HandshakeFigures<'_>]) -> Table {
    let title = "Circuit handshakes compared with classical ntor in the same run, in core cycles if known for both";
    let mut table = table("ntor-overhead", title)
        .figures("onionskin", "onionskin", "", 2)
        .figures("reply", "reply", "", 1)
        .figures("total", "total", "", 0)
        .figures("time", "time", "", 0)
        .figures("relay_time", "relay's time", "", 0);
    for figures in all.iter().filter(|figures| !figures.classical()) {
        let Some(classical) = classical_of(all, figures) else { continue };
        let bytes = |this: u64, that: u64| Cell::factor(this as f64 / that as f64);
        let times = |this: Option<&Timing<'_>>, that: Option<&Timing<'_>>| {
            let ratio = this.zip(that).and_then(|(this, that)| this.over(that));
            Cell::optional(ratio, |ratio| Cell::factor_within(&ratio))
        };
        let cells = [
            bytes(figures.onionskin, classical.onionskin),
            bytes(figures.reply, classical.reply),
            bytes(figures.bytes(), classical.bytes()),
            times(figures.whole.as_ref(), classical.whole.as_ref()),
            times(figures.steps[1].as_ref(), classical.steps[1].as_ref()),
        ];
        row(&mut table, figures, &Caveats::merged([&figures.caveats, &classical.caveats]), cells);
    }
    match all.iter().any(|figures| !figures.authenticates_relay()) {
        true => table.note(NOT_AUTHENTICATED),
        false => table,
    }
}

fn quoted(all: &[Quoted]) -> Table {
    let mut table = Table::new("ntor-literature", AREA, "Literature: published figures, NOT measured here")
        .names("protocol", "protocol")
        .names("algorithm", "algorithm")
        .figures("time", "time", "", 0)
        .prose("source", "source", 0);
    for quoted in all {
        let [low, high] = quoted.time_ms.map(|milliseconds| time(1e6 * milliseconds));
        let figure = if low == high { low } else { format!("{low} to {high}") };
        let cells =
            [quoted.protocol.clone(), quoted.algorithm.clone(), figure, format!("{} ({})", quoted.source, quoted.note)];
        table.row([], cells.map(Cell::text));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use crate::number::NONE;
    use pqlab_record::Run;

    fn tables_of(run: &Run, scenario: &RelayScenario) -> Vec<Table> {
        let mut found = tables(&RunAnalysis::new(run), scenario);
        found.retain(|table| !table.rows.is_empty());
        found
    }

    fn table_named(name: &str, scenario: &RelayScenario) -> Table {
        tables_of(&fixtures::ntor_run(), scenario).into_iter().find(|table| table.name == name).unwrap()
    }

    /// Returns the text of the cell under `heading` in the row of `handshake`.
    fn cell(table: &Table, handshake: &str, heading: &str) -> String {
        let column = table.columns.iter().position(|column| column.heading == heading);
        let column = column.unwrap_or_else(|| panic!("{heading} in {:?}", table.columns));
        table.rows.iter().find(|row| row.cells[0].text == handshake).unwrap().cells[column].text.clone()
    }

    #[test]
    fn a_run_without_handshakes_has_no_ntor_tables() {
        assert!(tables_of(&fixtures::run(), &RelayScenario::default()).is_empty());
    }

    #[test]
    fn lengths_cells_and_factors_are_those_of_the_messages() {
        let lengths = table_named("ntor-lengths", &RelayScenario::default());
        let text = |heading: &str| cell(&lengths, "kem-only-mlkem512", heading);
        assert_eq!([text("onionskin"), text("reply"), text("total")], ["820", "800", "1,620"]);
        assert_eq!([text("onionskin cells"), text("reply cells"), text("cells")], ["2", "2", "4"]);
        assert_eq!(cell(&lengths, "ntor-v1", "cells"), "2");
        let overhead = table_named("ntor-overhead", &RelayScenario::default());
        let text = |heading: &str| cell(&overhead, "kem-only-mlkem512", heading);
        assert_eq!([text("onionskin"), text("reply"), text("total")], ["9.76×", "12.5×", "10.9×"]);
        assert!(text("time").starts_with("0.6") && text("relay's time").starts_with("0.6"), "{overhead:?}");
    }

    #[test]
    fn measured_and_extrapolated_cores_are_separate_columns() {
        let cores = table_named("ntor-cores", &RelayScenario::default());
        let number = |handshake: &str, heading: &str| -> f64 {
            cell(&cores, handshake, heading).replace(',', "").parse().unwrap()
        };
        let near = |left: f64, right: f64| assert!((left / right - 1.0).abs() < 0.01, "{left} is not {right}");
        // One core needs 40 µs per reply; two cores send 1.9 times as many replies per second.
        near(number("kem-only-mlkem512", "1 core (measured)"), 25_000.0);
        near(number("kem-only-mlkem512", "2 cores (measured)"), 47_500.0);
        near(number("kem-only-mlkem512", "8 cores (extrapolated)"), 4.0 * 47_500.0);
        near(number("kem-only-mlkem512", "64 cores (extrapolated)"), 32.0 * 47_500.0);
        assert_eq!(cell(&cores, "kem-only-mlkem512", "extrapolated from"), "2 cores");
        // The fixture measures `ntor-v1` on one core only.
        assert_eq!(cell(&cores, "ntor-v1", "2 cores (measured)"), NONE);
        near(number("ntor-v1", "8 cores (extrapolated)"), 8.0 / 60e-6);
        assert_eq!(cell(&cores, "ntor-v1", "extrapolated from"), "1 core");
        // Four threads on two processors are not four cores.
        assert!(!cores.columns.iter().any(|column| column.heading.starts_with("4 cores")), "{cores:?}");
    }

    #[test]
    fn rates_links_and_round_trips_are_parameters() {
        let scenario = RelayScenario { circuits_per_second: 50.0, links: vec![2e6], rtt_ms: 300.0 };
        let relay = table_named("ntor-relay", &scenario);
        assert!(relay.title.contains("50.0 circuits"), "{}", relay.title);
        assert!(cell(&relay, "kem-only-mlkem512", "share of a core").starts_with("0.2"), "{relay:?}");
        assert_eq!(cell(&relay, "kem-only-mlkem512", "bandwidth"), "0.648 Mbit/s");
        assert_eq!(cell(&relay, "kem-only-mlkem512", "data per 1M handshakes"), "1.62 GB");
        assert!(cell(&relay, "kem-only-mlkem512", "CPU per 1M handshakes").starts_with("40."), "{relay:?}");
        let links = table_named("ntor-links", &scenario);
        assert!(links.title.contains("300 ms"), "{}", links.title);
        // 1,620 bytes are 12,960 bits.
        assert_eq!(cell(&links, "kem-only-mlkem512", "on the wire at 2 Mbit/s"), "6.48 ms");
        assert_eq!(cell(&links, "kem-only-mlkem512", "to keys at 2 Mbit/s"), "307 ms");
    }

    #[test]
    fn differences_to_classical_ntor_have_columns() {
        let relay = table_named("ntor-relay", &RelayScenario::default());
        // The messages take 1,620 and 148 bytes, at 1,000 circuits per second.
        assert_eq!(cell(&relay, "kem-only-mlkem512", "added vs ntor"), "11.8 Mbit/s");
        assert_eq!(cell(&relay, "ntor-v1", "added vs ntor"), NONE);
        let links = table_named("ntor-links", &RelayScenario::default());
        // kem-only sends 11,776 bits more than classical ntor, but needs 50 µs less computing time.
        let added = links.columns.iter().position(|column| column.name == "added_100m").unwrap();
        let row_of = |handshake: &str| links.rows.iter().find(|row| row.cells[0].text == handshake).unwrap();
        let number = row_of("kem-only-mlkem512").cells[added].number.unwrap().estimate;
        assert!((number - (117.76 - 50.0)).abs() < 2.0, "{number}");
        assert_eq!(row_of("ntor-v1").cells[added].number, None);
        let variants = table_named("ntor-variants", &RelayScenario::default());
        let text = |heading: &str| cell(&variants, "kem-only-mlkem512", heading);
        assert_eq!([text("KEM key"), text("ciphertext"), text("bytes vs ntor")], ["800", "768", "10.9×"]);
        assert_eq!(cell(&variants, "ntor-v1", "KEM key"), NONE);
    }

    #[test]
    fn link_speeds_have_short_names() {
        let names = [(100e6, "100m"), (10e9, "10g"), (2.5e9, "2_5g"), (56e3, "56k"), (0.5, "0_5")];
        for (bits, name) in names {
            assert_eq!(speed(bits).0, name);
        }
        assert_eq!(speed(2.5e9).1, "2.5 Gbit/s");
    }

    #[test]
    fn published_figures_are_marked_and_separate() {
        let all = tables_of(&fixtures::ntor_run(), &RelayScenario::default());
        let (quoted, measured) = all.split_last().unwrap();
        assert!(quoted.title.contains("Literature") && quoted.title.contains("NOT measured"), "{}", quoted.title);
        assert!(
            quoted.rows.iter().any(|row| row.cells[0].text.contains("KEMTLS") && row.cells[3].text.contains("doi:")),
            "{quoted:?}"
        );
        for table in measured {
            assert!(!format!("{table:?}").contains("KEMTLS"), "{table:?}");
        }
    }

    #[test]
    fn a_note_warns_of_handshakes_without_authentication() {
        let overhead = table_named("ntor-overhead", &RelayScenario::default());
        assert!(overhead.notes.iter().any(|note| note.contains("does NOT authenticate the relay")));
    }
}
