//! Cost of post-quantum algorithms in TLS, SSH and QUIC: connections over the same links, each compared with the
//! classical algorithms of its protocol.

use super::{quic, ssh, tls};
use crate::case::CaseAnalysis;
use crate::comparison::NotRanked;
use crate::group::gathered;
use crate::number::factor_and_range;
use crate::run::RunAnalysis;
use crate::statement::Statement;
use crate::table::{Cell, NS_PER_US, Table};
use pqlab_record::{Case, Parameter};
use pqlab_stats::Interval;

/// A protocol, and the classical algorithms with which its other settings are compared.
struct Protocol {
    area: &'static str,
    name: &'static str,
    exchange: &'static str,
    authentication: &'static str,
}

const PROTOCOLS: [Protocol; 3] = [
    Protocol { area: tls::AREA, name: "TLS", exchange: "X25519", authentication: "ECDSA-P-256" },
    Protocol { area: ssh::AREA, name: "SSH", exchange: "curve25519-sha256", authentication: "Ed25519" },
    Protocol { area: quic::AREA, name: "QUIC", exchange: "X25519", authentication: "ECDSA-P-256" },
];
/// Case parameters that describe the link.
const LINK: [&str; 5] = ["network", "rtt", "rate", "loss", "mtu"];
/// Recorded lengths that add up to the bytes of a handshake: in SSH and QUIC, and in TLS.
const BYTES: [&[&str]; 2] =
    [&["client_bytes", "server_bytes"], &["client_hello_bytes", "server_flight_bytes", "client_finish_bytes"]];

/// Connections with one setting of a protocol over one link.
pub struct Setting<'r, 'a> {
    /// Name of the protocol: `TLS`.
    pub protocol: &'static str,
    /// Properties of the link: `rtt=100ms loss=1%`.
    pub link: String,
    /// Case that measured the connections.
    pub connected: &'r CaseAnalysis<'a>,
    /// Case that measured the handshake in memory with the same setting.
    pub in_memory: Option<&'r CaseAnalysis<'a>>,
    /// Connections with the classical algorithms over the same link; the same as `connected` for the classical setting.
    pub classical: Option<&'r CaseAnalysis<'a>>,
    /// Handshake in memory with the classical algorithms.
    classical_in_memory: Option<&'r CaseAnalysis<'a>>,
}

impl Setting<'_, '_> {
    /// Returns whether these are the classical algorithms of the protocol.
    pub fn is_classical(&self) -> bool {
        self.classical.is_some_and(|classical| std::ptr::eq(classical, self.connected))
    }

    /// Returns the ratio of the median waiting time to that of the classical setting, which has none. The interval combines
    /// those of both medians, as for independent figures.
    fn factor(&self) -> Option<Interval> {
        let (classical, connected) = (self.classical?.median()?, self.connected.median()?);
        if self.is_classical() {
            return None;
        }
        let half_width = |interval: &Interval| (interval.high / interval.low).ln() / 2.0;
        let both = half_width(&classical).hypot(half_width(&connected)).exp();
        let estimate = connected.estimate / classical.estimate;
        Some(Interval { estimate, low: estimate / both, high: estimate * both, ..connected })
    }

    /// Returns how many of the classical algorithms, key exchange and signature, are replaced.
    fn replaced(&self) -> usize {
        let case = self.connected.case();
        self.classical.map(CaseAnalysis::case).map_or(0, |classical| {
            usize::from(case.algorithm != classical.algorithm)
                + usize::from(case.authentication() != classical.authentication())
        })
    }

    /// Names the algorithms: `X25519MLKEM768, ML-DSA-65`.
    pub fn algorithms(&self) -> String {
        let case = self.connected.case();
        format!("{}, {}", case.algorithm, case.authentication().unwrap_or_default())
    }
}

/// Returns the connections over links, grouped by link, in the order of the plan. Returns none unless the run has
/// connections of at least two protocols.
pub fn settings<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<Setting<'r, 'a>> {
    let mut found: Vec<Setting<'r, 'a>> = Vec::new();
    for protocol in &PROTOCOLS {
        let cases: Vec<&'r CaseAnalysis<'a>> =
            analysis.area(protocol.area).filter(|case| case.median().is_some()).collect();
        for connected in cases.iter().copied().filter(|case| case.case().waits_for_network()) {
            let case = connected.case();
            let classical = || cases.iter().copied().filter(move |other| is_classical(protocol, case, other.case()));
            let in_memory = |other: &&CaseAnalysis<'_>| other.case().operation == "handshake";
            found.push(Setting {
                protocol: protocol.name,
                link: link(case),
                connected,
                in_memory: cases.iter().copied().filter(in_memory).find(|other| is_same(case, other.case())),
                classical: classical()
                    .find(|other| other.case().waits_for_network() && link(other.case()) == link(case)),
                classical_in_memory: classical().find(in_memory),
            });
        }
    }
    if found.iter().all(|one| one.protocol == found[0].protocol) {
        return Vec::new();
    }
    let mut links: Vec<String> = Vec::new();
    for one in &found {
        if !links.contains(&one.link) {
            links.push(one.link.clone());
        }
    }
    found.sort_by_key(|one| links.iter().position(|link| *link == one.link));
    found
}

/// Describes the link of a case: `rtt=100ms loss=1%`.
fn link(case: &Case) -> String {
    let words: Vec<String> = LINK.iter().filter_map(|name| Some(format!("{name}={}", case.word(name)?))).collect();
    words.join(" ")
}

/// Returns the parameters of a case other than its link, its transport, and the names in `without`.
fn parameters<'c>(case: &'c Case, without: &[&str]) -> Vec<&'c Parameter> {
    let is_own = |parameter: &&Parameter| {
        let name = parameter.name();
        !LINK.contains(&name) && name != Parameter::OVER && !without.contains(&name)
    };
    case.parameters.iter().filter(is_own).collect()
}

/// Returns whether two cases have the same setting, apart from the link.
fn is_same(case: &Case, other: &Case) -> bool {
    (&case.algorithm, &case.provider) == (&other.algorithm, &other.provider)
        && parameters(case, &[]) == parameters(other, &[])
}

/// Returns whether `other` has the classical algorithms of the protocol, and otherwise the setting of `case`.
fn is_classical(protocol: &Protocol, case: &Case, other: &Case) -> bool {
    let without = [Parameter::AUTHENTICATION];
    (other.algorithm.as_str(), other.authentication()) == (protocol.exchange, Some(protocol.authentication))
        && other.provider == case.provider
        && parameters(case, &without) == parameters(other, &without)
}

/// Returns the bytes that both sides send during a handshake, at most.
fn bytes(case: &CaseAnalysis<'_>) -> Option<u64> {
    let longest = |name: &&str| case.noted(name).into_iter().reduce(f64::max).map(|bytes| bytes as u64);
    BYTES.iter().find_map(|names| names.iter().map(longest).sum())
}

pub(crate) fn table(analysis: &RunAnalysis<'_>) -> Table {
    let all = settings(analysis);
    let area = all.first().map_or("", |one| one.connected.case().workload.as_str());
    let mut table =
        Table::new("protocols", area, "TLS, SSH and QUIC over the same links: cost of post-quantum algorithms")
            .names("link", "link")
            .names("protocol", "protocol")
            .names("key_exchange", "key exchange")
            .names("auth", "authentication")
            .names("chain", "chain")
            .names("provider", "provider")
            .figures("connected", "connected", "ms", 0)
            .figures("factor", "vs classical", "", 0)
            .figures("round_trips", "in round trips", "", 2)
            .figures("computing", "computing", "µs", 3)
            .figures("bytes", "bytes", "B", 1)
            .figures("bytes_factor", "bytes vs classical", "", 4)
            .stacked(4);
    for one in &all {
        let case = one.connected.case();
        let chain = case.number(Parameter::INTERMEDIATES).map_or_else(String::new, |number| number.to_string());
        let connected = one.connected.median();
        let round_trip_ms = case.word("rtt").and_then(|word| word.strip_suffix("ms")?.parse::<f64>().ok());
        let round_trips = connected.as_ref().zip(round_trip_ms.filter(|ms| *ms > 0.0));
        let sent = one.in_memory.and_then(bytes);
        let usual = one.classical_in_memory.and_then(bytes).filter(|_| !one.is_classical());
        let cells = [
            Cell::text(&one.link),
            Cell::text(one.protocol),
            Cell::text(&case.algorithm),
            Cell::text(case.authentication().unwrap_or_default()),
            Cell::text(chain),
            Cell::text(&case.provider),
            Cell::optional(connected.as_ref(), |time| Cell::time_within(time).scaled(1.0 / NS_PER_US)),
            Cell::optional(one.factor().as_ref(), Cell::factor_within),
            Cell::optional(round_trips, |(time, ms)| Cell::significant(time.estimate / (ms * 1e6))),
            Cell::optional(one.in_memory.and_then(CaseAnalysis::time).as_ref(), Cell::time_within),
            Cell::optional(sent, Cell::whole),
            Cell::optional(sent.zip(usual), |(sent, usual)| Cell::factor(sent as f64 / usual as f64)),
        ];
        let cases = [Some(one.connected), one.in_memory, one.classical].into_iter().flatten();
        table.row(cases.map(|case| &case.caveats), cells);
    }
    let classical: Vec<String> =
        PROTOCOLS.iter().map(|one| format!("{} {} and {}", one.name, one.exchange, one.authentication)).collect();
    table
        .note("connected: median time until the client has completed the handshake; in SSH, until its login is accepted")
        .note(format!("vs classical: ratio of the medians to {}", classical.join(", ")))
        .note("TLS and SSH run over TCP on an emulated link and include TCP's own round trip; the links of QUIC are simulated")
        .note("computing, bytes: of both sides together, for the handshake in memory; bytes at most; a time is a mean if signing retries at random")
}

/// Compares each protocol over each link with its classical algorithms. The setting is the one that replaces the most of
/// them.
pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let all = settings(analysis);
    let by_link = gathered(all.iter().filter(|one| !one.is_classical()).map(|one| (one.link.as_str(), one)));
    let sentence = |(link, settings): (&str, Vec<&Setting<'_, '_>>)| {
        let one = |setting: &&Setting<'_, '_>| {
            let (factor, range) = factor_and_range(&setting.factor()?);
            let is_disturbed = |case: &CaseAnalysis<'_>| case.not_ranked() == Some(NotRanked::Disturbed);
            let disturbed = is_disturbed(setting.connected) || setting.classical.is_some_and(is_disturbed);
            let mark = if disturbed { ", disturbed" } else { "" };
            Some(format!("{} {factor} ({range}{mark}) with {}", setting.protocol, setting.algorithms()))
        };
        let replaced = |setting: &&&Setting<'_, '_>| setting.replaced();
        let of_protocol = |protocol: &Protocol| {
            settings.iter().filter(|setting| setting.protocol == protocol.name).max_by_key(replaced)
        };
        let found: Vec<String> = PROTOCOLS.iter().filter_map(of_protocol).filter_map(one).collect();
        let about = format!("Waiting time over a link with {link}, compared with classical algorithms");
        (!found.is_empty())
            .then(|| Statement::new(settings[0].connected.case().workload.as_str(), about, found.join("; ")))
    };
    by_link.into_iter().filter_map(sentence).map(Statement::first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn texts(table: &Table, column: &str) -> Vec<String> {
        let place = table.columns.iter().position(|other| other.name == column).unwrap();
        table.rows.iter().map(|row| row.cells[place].text.clone()).collect()
    }

    #[test]
    fn settings_are_compared_with_the_classical_algorithms_of_their_protocol() {
        let run = fixtures::protocols_run();
        let table = table(&RunAnalysis::new(&run));
        let protocols = texts(&table, "protocol");
        assert_eq!(protocols, ["SSH", "SSH", "QUIC", "QUIC", "QUIC", "QUIC"]);
        assert_eq!(texts(&table, "link")[1..3], ["rtt=100ms", "rtt=20ms"]);
        let factors = texts(&table, "factor");
        let classical: Vec<bool> = factors.iter().map(|factor| factor == "-").collect();
        assert_eq!(classical, [false, true, true, false, true, false], "{factors:?}");
        // 602 ms instead of 600 ms over a round trip of 100 ms.
        assert!(factors[0].starts_with("1.00"), "{factors:?}");
        assert_eq!(texts(&table, "round_trips")[0], "6.02");
        // The handshakes in memory send 5,296 and 3,000 bytes.
        assert_eq!((texts(&table, "bytes")[0].as_str(), texts(&table, "bytes")[1].as_str()), ("5,296", "3,000"));
        assert_eq!(table.rows[0].cells[11].number.unwrap().estimate, 5_296.0 / 3_000.0);
    }

    #[test]
    fn one_protocol_alone_has_no_table() {
        for run in [fixtures::quic_run(), fixtures::ssh_run(), fixtures::run()] {
            assert!(table(&RunAnalysis::new(&run)).rows.is_empty());
            assert!(statements(&RunAnalysis::new(&run)).is_empty());
        }
    }

    #[test]
    fn a_statement_compares_the_protocols_over_each_link() {
        let run = fixtures::protocols_run();
        let found = statements(&RunAnalysis::new(&run));
        let abouts: Vec<&str> = found.iter().map(|one| one.about.rsplit_once(", ").unwrap().0).collect();
        let about = |link: &str| format!("Waiting time over a link with {link}");
        assert_eq!(abouts, ["rtt=100ms", "rtt=20ms", "rtt=20ms loss=1%"].map(about));
        // 602 ms, compared with 600 ms.
        let text = &found[0].text;
        assert!(text.starts_with("SSH 1.00") && text.ends_with(") with mlkem768x25519-sha256, Ed25519"), "{text}");
        assert!(found[1].text.starts_with("QUIC ") && !found[1].text.contains("SSH"), "{found:?}");
    }
}
