use super::columns::{Cell, lines};
use super::palette::{Palette, Role};
use crate::ntor::{HandshakeFigures, RelayScenario, STEPS, Timing, handshakes};
use crate::number::{NONE, duration, factor, grouped, percent, rate, significant};
use pqlab_record::Run;
use pqlab_stats::Interval;

/// The tables of circuit handshakes: lengths, steps, parts, what they cost a relay and its links, and the exchange over
/// sockets; a narrow terminal is spared some columns. Empty for a run without handshakes.
pub fn ntor_tables(run: &Run, scenario: &RelayScenario, width: usize, palette: Palette) -> String {
    let all = handshakes(run);
    if all.is_empty() {
        return String::new();
    }
    let tables = [
        lengths(&all),
        steps(&all),
        shares(&all),
        parts(&all),
        relay(&all, scenario),
        links(&all, scenario),
        exchange(&all),
        overhead(&all),
    ];
    let mut out = String::new();
    for (title, rows) in tables.into_iter().filter(|(_, rows)| rows.len() > 1) {
        out.push_str(&format!("\n{}\n", palette.paint(Role::Strong, &title)));
        for line in lines(&rows, width, palette) {
            out.push_str(&format!("{line}\n"));
        }
    }
    if all.iter().any(|figures| !figures.authenticates_relay()) {
        let note =
            "kem-only-*: forward secret, and does NOT authenticate the relay: whoever knows its identity can answer";
        out.push_str(&format!("{}\n", palette.paint(Role::Faint, note)));
    }
    out
}

type Table = (String, Vec<Vec<Cell>>);

/// The table with the ranks by which its columns after the first two are spared.
fn spared((title, rows): Table, ranks: &[u8]) -> Table {
    let spare = |(column, cell): (usize, Cell)| match column.checked_sub(2).and_then(|column| ranks.get(column)) {
        Some(rank) => cell.spare(*rank),
        None => cell,
    };
    (title, rows.into_iter().map(|row| row.into_iter().enumerate().map(spare).collect()).collect())
}

fn heading(columns: &[&str]) -> Vec<Cell> {
    let cell = |(index, text): (usize, &&str)| {
        let cell = if index < 2 { Cell::left(text) } else { Cell::right(text) };
        cell.role(Role::Faint)
    };
    columns.iter().enumerate().map(cell).collect()
}

fn row(figures: &HandshakeFigures, cells: impl IntoIterator<Item = String>) -> Vec<Cell> {
    let names = [format!("  {}", figures.algorithm), figures.provider.clone()];
    names.iter().map(|name| Cell::left(name)).chain(cells.into_iter().map(|text| Cell::right(&text))).collect()
}

fn time(nanoseconds: f64) -> String {
    let (value, unit) = duration(nanoseconds);
    format!("{value} {unit}")
}

fn median(timing: Option<&Timing>) -> String {
    timing.map_or_else(|| NONE.to_owned(), |timing| time(timing.median.estimate))
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
fn classical_of<'a>(all: &'a [HandshakeFigures], figures: &HandshakeFigures) -> Option<&'a HandshakeFigures> {
    let provider = figures.provider.split('+').next().unwrap_or_default();
    let mut classical = all.iter().filter(|other| other.classical());
    classical.clone().find(|other| other.provider == provider).or_else(|| classical.next())
}

fn lengths(all: &[HandshakeFigures]) -> Table {
    let mut rows = vec![heading(&["  handshake", "", "onionskin", "reply", "total", "cells of the onionskin"])];
    let mut seen: Vec<&str> = Vec::new();
    for figures in all {
        if !seen.contains(&figures.algorithm.as_str()) {
            seen.push(&figures.algorithm);
            let numbers = [figures.onionskin, figures.reply, figures.bytes(), figures.cells()];
            let mut cells = row(figures, numbers.map(grouped));
            cells[1] = Cell::left("");
            rows.push(cells);
        }
    }
    ("Lengths in bytes".into(), rows)
}

fn steps(all: &[HandshakeFigures]) -> Table {
    let columns = ["  handshake", "provider", "step", "min", "mean", "median", "±", "max", "stdev", "p90", "p99"];
    let mut rows = vec![heading(&columns)];
    for figures in all {
        let named = STEPS.iter().zip(&figures.steps).map(|(name, step)| (*name, step.as_ref()));
        for (name, timing) in named.chain([("handshake", figures.whole.as_ref())]) {
            let Some(timing) = timing else { continue };
            let single =
                |of: fn(&crate::ntor::Single) -> Option<f64>| or_none(timing.single.as_ref().and_then(of), time);
            rows.push(row(
                figures,
                [
                    name.to_owned(),
                    single(|s| Some(s.min)),
                    time(timing.mean),
                    time(timing.median.estimate),
                    percent(timing.median.half_width_pct()),
                    single(|s| Some(s.max)),
                    single(|s| s.stdev),
                    single(|s| Some(s.p90)),
                    single(|s| Some(s.p99)),
                ],
            ));
        }
    }
    spared(("Steps".into(), rows), &[0, 5, 3, 0, 0, 4, 7, 6, 2])
}

fn shares(all: &[HandshakeFigures]) -> Table {
    let mut rows = vec![heading(&["  handshake", "provider", "client create", "relay reply", "client finish"])];
    let whole = all.iter().filter(|figures| figures.shares.iter().all(Option::is_some));
    rows.extend(whole.map(|figures| row(figures, figures.shares.iter().map(|interval| share(interval.as_ref())))));
    spared(("Share of each step".into(), rows), &[1])
}

fn parts(all: &[HandshakeFigures]) -> Table {
    let mut rows = vec![heading(&["  handshake", "provider", "part", "share"])];
    for figures in all {
        rows.extend(figures.parts.iter().map(|(part, interval)| row(figures, [part.clone(), share(Some(interval))])));
    }
    ("Parts of the handshake, by leaving each out".into(), rows)
}

fn relay(all: &[HandshakeFigures], scenario: &RelayScenario) -> Table {
    let columns = [
        "  handshake",
        "provider",
        "replies/s a core",
        "8 cores (extrapolated)",
        "of a core at the rate",
        "bandwidth",
        "CPU of a million",
        "data of a million",
    ];
    let mut rows = vec![heading(&columns)];
    for figures in all.iter().filter(|figures| figures.steps[1].is_some()) {
        let replies = figures.replies_per_second();
        rows.push(row(
            figures,
            [
                or_none(replies, rate),
                or_none(replies, |replies| rate(8.0 * replies)),
                or_none(figures.cpu_pct(scenario), |share| format!("{}%", significant(share))),
                format!("{} Mbit/s", significant(figures.bandwidth(scenario) / 1e6)),
                or_none(replies, |replies| format!("{} s", significant(1e6 / replies))),
                format!("{} GB", significant(figures.bytes() as f64 / 1e3)),
            ],
        ));
    }
    let title = format!("What it costs a relay at {} circuits a second", rate(scenario.circuits_per_second));
    spared((title, rows), &[0, 3, 0, 2, 4, 5])
}

fn links(all: &[HandshakeFigures], scenario: &RelayScenario) -> Table {
    let mut columns = vec!["  handshake".to_owned(), "provider".to_owned()];
    let speed = |link: f64| format!("{} Mbit/s", significant(link / 1e6));
    columns.extend(scenario.links.iter().map(|&link| speed(link)));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut rows = vec![heading(&columns)];
    for figures in all.iter().filter(|figures| figures.whole.is_some()) {
        let both = |&link: &f64| {
            let keys = or_none(figures.time_to_keys(link, scenario.rtt_ms), time);
            format!("{}, {keys}", time(figures.transmission(link)))
        };
        rows.push(row(figures, scenario.links.iter().map(both)));
    }
    let title = format!(
        "On links with a round trip of {} ms: time on the wire, time until both have keys",
        significant(scenario.rtt_ms)
    );
    spared((title, rows), &[0, 1])
}

fn exchange(all: &[HandshakeFigures]) -> Table {
    let columns =
        ["  handshake", "provider", "computing", "connection kept", "beyond computing", "fresh", "beyond computing"];
    let mut rows = vec![heading(&columns)];
    for figures in all.iter().filter(|figures| figures.kept.is_some() || figures.fresh.is_some()) {
        let beyond = |timing: Option<&Timing>| {
            let pair = timing.zip(figures.whole.as_ref());
            or_none(pair.map(|(exchange, whole)| exchange.median.estimate - whole.median.estimate), time)
        };
        let (kept, fresh) = (figures.kept.as_ref(), figures.fresh.as_ref());
        let cells = [median(figures.whole.as_ref()), median(kept), beyond(kept), median(fresh), beyond(fresh)];
        rows.push(row(figures, cells));
    }
    spared(("Over loopback sockets, both ends on this machine".into(), rows), &[0, 0, 2, 0, 1])
}

fn overhead(all: &[HandshakeFigures]) -> Table {
    let columns = ["  handshake", "provider", "onionskin", "reply", "total", "time", "relay's time"];
    let mut rows = vec![heading(&columns)];
    for figures in all.iter().filter(|figures| !figures.classical()) {
        let Some(classical) = classical_of(all, figures) else { continue };
        let bytes = |of: fn(&HandshakeFigures) -> u64| factor(of(figures) as f64 / of(classical) as f64);
        let times = |of: fn(&HandshakeFigures) -> Option<&Timing>| {
            let pair = of(figures).zip(of(classical));
            or_none(pair.map(|(this, that)| this.median.estimate / that.median.estimate), factor)
        };
        rows.push(row(
            figures,
            [
                bytes(|f| f.onionskin),
                bytes(|f| f.reply),
                bytes(HandshakeFigures::bytes),
                times(|f| f.whole.as_ref()),
                times(|f| f.steps[1].as_ref()),
            ],
        ));
    }
    ("Against classical ntor of the same run".into(), rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn every_table_has_its_rows() {
        let text = ntor_tables(&fixtures::ntor_run(), &RelayScenario::default(), 200, Palette::PLAIN);
        for words in [
            "Lengths in bytes",
            "Share of each step",
            "Parts of the handshake",
            "at 1,000 circuits a second",
            "round trip of 50",
            "Against classical ntor",
            "does NOT authenticate the relay",
            "1,620",
            "10.9",
        ] {
            assert!(text.contains(words), "{words} is missing in\n{text}");
        }
        assert!(!text.contains("loopback"), "nothing was exchanged");
        let narrow = ntor_tables(&fixtures::ntor_run(), &RelayScenario::default(), 80, Palette::PLAIN);
        let tables: Vec<&str> = narrow.lines().filter(|line| line.starts_with("  ")).collect();
        assert!(tables.len() > 20 && tables.iter().all(|line| line.chars().count() <= 80), "{narrow}");
        assert_eq!(ntor_tables(&fixtures::run(), &RelayScenario::default(), 200, Palette::PLAIN), "");
    }
}
