//! Time that clients wait for TLS connections over the TCP implementation of the kernel.

use super::{AREA, Configuration, Flights};
use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use pqlab_record::Case;
use pqlab_stats::{Interval, Sorted, mean};

/// Parameter that names the link.
const NETWORK: &str = "network";
/// Display name of the loopback interface.
const LOOPBACK: &str = "loopback";
/// Display name of a link without a name.
const LINK: &str = "link";
/// Named links: round trip in ms, rate in Mbit/s and loss in percent.
const PROFILES: [(&str, f64, f64, f64); 5] = [
    ("datacenter", 0.5, 1000.0, 0.0),
    ("broadband", 20.0, 100.0, 0.0),
    ("mobile", 60.0, 20.0, 0.1),
    ("satellite", 600.0, 10.0, 0.5),
    ("lossy-wifi", 30.0, 20.0, 2.0),
];
/// Number of connections that must lie beyond a percentile before it is shown.
const BEYOND: f64 = 2.0;

/// Requested properties of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AskedLink {
    /// Round-trip time in ms; `None` for the shortest possible.
    pub round_trip_ms: Option<f64>,
    /// Rate in Mbit/s; `None` if unlimited.
    pub rate_mbit: Option<f64>,
    /// Percentage of packets to drop in each direction.
    pub loss_pct: f64,
}

/// Figures for connections with one configuration over one link.
#[derive(Clone, Debug)]
pub struct ConnectionFigures<'r, 'a> {
    /// Configuration of the handshake.
    pub configuration: Configuration,
    /// Display name of the link: `loopback`, or the link's name followed by the requested properties. A link without a
    /// name is called `link`: `link rtt=100ms loss=1%`.
    pub over: String,
    /// Requested properties of the link; `None` for the loopback.
    pub asked: Option<AskedLink>,
    /// Case that measured the connections.
    pub of: &'r CaseAnalysis<'a>,
    /// Median time in ns, with its interval, from the start of the TCP connection until the client completes the
    /// handshake.
    pub complete: Interval,
    /// Sorted times in ns until the handshake is complete, one for each connection.
    all: Sorted,
}

impl AskedLink {
    /// Returns the requested properties of a case's link, or `None` for the loopback.
    fn from_case(case: &Case) -> Option<AskedLink> {
        if !case.waits_for_network() {
            return None;
        }
        let named = PROFILES.into_iter().find(|(name, ..)| case.word(NETWORK) == Some(name));
        let named = named.map(|(_, round_trip, rate, loss_pct)| AskedLink {
            round_trip_ms: Some(round_trip),
            rate_mbit: Some(rate),
            loss_pct,
        });
        let asked = |name: &str, unit: &str| case.word(name)?.strip_suffix(unit)?.parse::<f64>().ok();
        let named = named.unwrap_or_default();
        Some(AskedLink {
            round_trip_ms: asked("rtt", "ms").or(named.round_trip_ms),
            rate_mbit: asked("rate", "Mbit").or(named.rate_mbit),
            loss_pct: asked("loss", "%").unwrap_or(named.loss_pct),
        })
    }
}

impl<'r, 'a> ConnectionFigures<'r, 'a> {
    fn from_case(of: &'r CaseAnalysis<'a>) -> Option<ConnectionFigures<'r, 'a>> {
        let case = of.case();
        let words = ["rtt", "rate", "loss", "mtu"].into_iter();
        let words = words.filter_map(|name| Some(format!(" {name}={}", case.word(name)?)));
        let over = match case.waits_for_network() {
            true => format!("{}{}", case.word(NETWORK).unwrap_or(LINK), words.collect::<String>()),
            false => LOOPBACK.to_owned(),
        };
        let samples = &of.record.samples;
        let all = samples.visits.iter().flat_map(|visit| samples.all_ns_per_operation(visit)).collect();
        Some(ConnectionFigures {
            configuration: Configuration::from_case(case)?,
            over,
            asked: AskedLink::from_case(case),
            of,
            complete: of.median()?,
            all: Sorted::new(all)?,
        })
    }

    /// Returns the number of connections.
    pub fn count(&self) -> usize {
        self.all.as_slice().len()
    }

    /// Returns a quantile of the time until the handshake is complete, over all connections, in ns. Returns `None` if
    /// fewer than two connections lie beyond it.
    pub fn quantile(&self, order: f64) -> Option<f64> {
        quantile(&self.all, order)
    }

    /// Returns the longest time until a handshake was complete, in ns.
    pub fn most(&self) -> f64 {
        self.all.max()
    }

    /// Returns the median and the 99th percentile of the time in ns from the start of the TCP connection until the
    /// first byte of the answer.
    pub fn first_byte(&self) -> [Option<f64>; 2] {
        let times = self.noted("first_byte_ns");
        [times.as_ref().map(Sorted::median), times.as_ref().and_then(|times| quantile(times, 0.99))]
    }

    /// Returns the time until the handshake is complete as a multiple of the requested round trip. The time includes
    /// TCP's own round trip. Returns `None` if no round-trip time above 0 was requested.
    pub fn round_trips(&self) -> Option<Interval> {
        let one = 1e6 * self.asked?.round_trip_ms.filter(|ms| *ms > 0.0)?;
        let Interval { estimate, low, high, .. } = self.complete;
        Some(Interval { estimate: estimate / one, low: low / one, high: high / one, ..self.complete })
    }

    /// Returns the median of the link's round-trip times in ns, measured with datagrams, or `None` if none were
    /// recorded.
    pub fn found_round_trip_ns(&self) -> Option<f64> {
        Some(self.noted("link_round_trip_ns")?.median())
    }

    /// Returns the median of the link's measured rates in Mbit/s, or `None` if none were recorded.
    pub fn found_rate_mbit(&self) -> Option<f64> {
        Some(self.noted("link_rate_mbit")?.median())
    }

    /// Returns the lengths of the messages on the wire, or `None` if an older pqlab measured the run.
    pub fn flights(&self) -> Option<Flights> {
        Flights::seen_in(self.of)
    }

    /// Returns the mean CPU time per connection of the client and of the server in ns, including time in the kernel.
    pub fn cpu_ns(&self) -> [Option<f64>; 2] {
        ["client_cpu_ns", "server_cpu_ns"].map(|name| mean(self.noted(name)?.as_slice()))
    }

    /// Returns the values that the workload recorded under `name`, from all visits.
    fn noted(&self, name: &str) -> Option<Sorted> {
        let extra = self.of.record.samples.visits.iter().flat_map(|visit| &visit.extra);
        Sorted::new(extra.filter(|(other, _)| other == name).flat_map(|(_, values)| values.iter().copied()).collect())
    }
}

/// Returns the connections in a run, grouped by link, in the order of the plan.
pub fn connections<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<ConnectionFigures<'r, 'a>> {
    let cases = analysis.area(AREA).filter(|case| case.case().operation == "connect");
    let mut found: Vec<ConnectionFigures<'r, 'a>> = cases.filter_map(ConnectionFigures::from_case).collect();
    let mut links: Vec<String> = Vec::new();
    for over in found.iter().map(|one| &one.over) {
        if !links.contains(over) {
            links.push(over.clone());
        }
    }
    found.sort_by_key(|one| links.iter().position(|over| *over == one.over));
    found
}

fn quantile(sorted: &Sorted, order: f64) -> Option<f64> {
    let beyond = order.min(1.0 - order) * sorted.as_slice().len() as f64;
    (beyond >= BEYOND).then(|| sorted.quantile(order))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn named_links_match_the_networks_profiles() {
        let profiles = pqlab_network::Conditions::PROFILES;
        assert_eq!(profiles.len(), PROFILES.len());
        for (profile, (name, round_trip_ms, rate_mbit, loss_pct)) in profiles.iter().zip(PROFILES) {
            assert_eq!(profile.name, name);
            assert_eq!(profile.conditions.round_trip.as_secs_f64() * 1e3, round_trip_ms);
            assert_eq!(profile.conditions.rate, Some((rate_mbit * 1e6) as u64));
            assert!((100.0 * profile.conditions.loss - loss_pct).abs() < 1e-9);
        }
    }

    #[test]
    fn connections_are_listed_with_their_links() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::new(&run);
        let all = connections(&analysis);
        let over: Vec<&str> = all.iter().map(|one| one.over.as_str()).collect();
        assert_eq!(over, ["loopback", "satellite", "link rtt=100ms loss=1%"]);
        let [loopback, satellite, link] = &all[..] else { panic!("{over:?}") };
        assert_eq!((loopback.asked, loopback.round_trips()), (None, None));
        assert_eq!(loopback.cpu_ns(), [Some(210e3), Some(125e3)]);
        let asked = satellite.asked.unwrap();
        assert_eq!((asked.round_trip_ms, asked.rate_mbit, asked.loss_pct), (Some(600.0), Some(10.0), 0.5));
        let asked = link.asked.unwrap();
        assert_eq!((asked.round_trip_ms, asked.rate_mbit, asked.loss_pct), (Some(100.0), None, 1.0));
        // The handshake takes 205 ms on a link with a round trip of 100 ms.
        let trips = link.round_trips().unwrap();
        assert!((trips.estimate - 2.05).abs() < 0.01 && trips.low < trips.estimate, "{trips:?}");
        assert_eq!(link.count(), 640);
        let [p95, p99] = [0.95, 0.99].map(|order| link.quantile(order).unwrap());
        assert!(link.complete.estimate < p95 && p95 <= p99 && p99 <= link.most());
        assert_eq!((link.found_round_trip_ns(), link.found_rate_mbit()), (Some(100.2e6), None));
        assert_eq!((satellite.first_byte()[0], satellite.found_rate_mbit()), (Some(1_815e6), Some(9.9)));
        assert_eq!(satellite.cpu_ns(), [None, None]);
    }

    #[test]
    fn a_percentile_needs_two_connections_beyond_it() {
        let sorted = |count: u32| Sorted::new((0..count).map(f64::from).collect()).unwrap();
        assert_eq!((quantile(&sorted(199), 0.99), quantile(&sorted(39), 0.95)), (None, None));
        assert!(quantile(&sorted(200), 0.99).is_some() && quantile(&sorted(40), 0.95).is_some());
    }
}
