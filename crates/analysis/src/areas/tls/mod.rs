//! What TLS handshakes of a run take, what they send, and what a server holds: figures of its cases, and arithmetic on them.
//! Nothing here is estimated from elsewhere; where a figure was not measured there is none.

mod connections;
mod decomposition;
pub(super) mod findings;
mod server;
pub(super) mod tables;

pub use connections::{AskedLink, ConnectionFigures, connections};
pub use decomposition::{HandshakeDecomposition, Part, Primitive, SIGNED, decompositions, primitives};
pub use server::{ServerFigures, servers};

use crate::case::CaseAnalysis;
use crate::comparison::{Measured, ratio};
use crate::run::RunAnalysis;
use pqlab_record::{Case, Parameter};
use pqlab_stats::Interval;

/// The area.
pub const AREA: &str = "tls";
/// The steps of a handshake, by client and server in turn.
pub const STEPS: [&str; 4] = ["client-hello", "server-flight", "client-finish", "server-finish"];
/// Segments that a server may send before the first acknowledgement (RFC 6928).
pub const INITIAL_WINDOW: u64 = 10;
/// Bytes of data in a segment at an MTU of 1,500: without the headers of IPv4 and TCP, and TCP's timestamps.
pub const SEGMENT: u64 = 1500 - 20 - 20 - 12;

/// What a handshake is asked for, and of whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The key exchange.
    pub exchange: String,
    /// The algorithm of the certificates' keys.
    pub authentication: String,
    /// Certificates between the server's and the root.
    pub intermediates: u64,
    /// What kind of handshake it is; `None` for a full one in which the server alone shows who it is.
    pub mode: Option<String>,
    /// Whose both sides are; `client+server` where they differ.
    pub provider: String,
}

/// What a run says of one configuration in memory.
#[derive(Clone, Debug)]
pub struct HandshakeFigures<'r, 'a> {
    /// What it is.
    pub configuration: Configuration,
    /// Both sides.
    pub whole: Option<&'r CaseAnalysis<'a>>,
    /// What the client computes.
    pub client: Option<&'r CaseAnalysis<'a>>,
    /// What the server computes.
    pub server: Option<&'r CaseAnalysis<'a>>,
    /// The [`STEPS`].
    pub steps: [Option<&'r CaseAnalysis<'a>>; 4],
}

/// What goes over the wire, the longest that was seen: lengths in bytes, with the headers of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flights {
    /// The ClientHello.
    pub client_hello: u64,
    /// From the ServerHello to the server's Finished.
    pub server_flight: u64,
    /// What the client answers to that.
    pub client_finish: u64,
    /// Segments of the server's flight at an MTU of 1,500.
    pub server_packets: u64,
}

impl Configuration {
    /// That of a case; `None` for one of another area.
    pub fn of(case: &Case) -> Option<Configuration> {
        (case.workload == AREA).then_some(())?;
        Some(Configuration {
            exchange: case.algorithm.clone(),
            authentication: case.authentication()?.to_owned(),
            intermediates: case.number(Parameter::INTERMEDIATES)?,
            mode: case.handshake_mode().map(str::to_owned),
            provider: case.provider.clone(),
        })
    }

    /// All but whose it is: `X25519 ECDSA-P-256 chain=1 psk`.
    pub fn name(&self) -> String {
        let mode = self.mode.as_ref().map_or_else(String::new, |mode| format!(" {mode}"));
        format!("{} {} chain={}{mode}", self.exchange, self.authentication, self.intermediates)
    }

    /// The implementations of the client and of the server.
    pub fn sides(&self) -> [&str; 2] {
        let (client, server) = self.provider.split_once('+').unwrap_or((&self.provider, &self.provider));
        [client, server]
    }
}

impl Flights {
    /// Whether the server's flight is under way as a whole before the first acknowledgement comes.
    pub fn fits_the_initial_window(&self) -> bool {
        self.server_packets <= INITIAL_WINDOW
    }
}

impl<'r, 'a> HandshakeFigures<'r, 'a> {
    /// What goes over the wire, where whole handshakes were measured.
    pub fn flights(&self) -> Option<Flights> {
        let longest = |name: &str| self.whole?.noted(name).into_iter().reduce(f64::max).map(|value| value as u64);
        Some(Flights {
            client_hello: longest("client_hello_bytes")?,
            server_flight: longest("server_flight_bytes")?,
            client_finish: longest("client_finish_bytes")?,
            server_packets: longest("server_flight_packets")?,
        })
    }

    /// Handshakes a second of one core of the server, with the interval.
    pub fn server_per_second(&self) -> Option<Interval> {
        self.server?.estimates.as_ref()?.operations_per_second()
    }

    /// The share of each step in the mean of all four, in percent: what slows a round or a process alike cancels out.
    pub fn shares(&self, analysis: &RunAnalysis<'a>) -> Option<[Interval; 4]> {
        let steps: Vec<&Measured<'a>> =
            self.steps.iter().map(|step| step.as_ref()?.measured()).collect::<Option<_>>()?;
        let means = Measured::together_by_means(&steps);
        let all: Vec<&Measured<'a>> = means.iter().collect();
        let [one, two, three, four] = &means[..] else { return None };
        let share = |step: &Measured<'a>| {
            let of = ratio(&all, &[step], analysis.criteria()).ratio?.ratio;
            Some(Interval { estimate: 100.0 * of.estimate, low: 100.0 * of.low, high: 100.0 * of.high, ..of })
        };
        Some([share(one)?, share(two)?, share(three)?, share(four)?])
    }

    /// The cases that it is made of.
    pub fn cases(&self) -> impl Iterator<Item = &'r CaseAnalysis<'a>> {
        [self.whole, self.client, self.server].into_iter().chain(self.steps).flatten()
    }
}

/// The handshakes in memory of a run, in the order of the plan; those without any figure left out.
pub fn handshakes<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<HandshakeFigures<'r, 'a>> {
    let mut found: Vec<HandshakeFigures<'r, 'a>> = Vec::new();
    for of in analysis.area(AREA).filter(|of| of.case().computes() && of.estimates.is_some()) {
        let Some(configuration) = Configuration::of(of.case()) else { continue };
        let index = found.iter().position(|known| known.configuration == configuration).unwrap_or_else(|| {
            let steps = [None; 4];
            found.push(HandshakeFigures { configuration, whole: None, client: None, server: None, steps });
            found.len() - 1
        });
        let figures = &mut found[index];
        match of.case().operation.as_str() {
            "handshake" => figures.whole = Some(of),
            "client" => figures.client = Some(of),
            "server" => figures.server = Some(of),
            operation => {
                if let Some(step) = STEPS.iter().position(|step| *step == operation) {
                    figures.steps[step] = Some(of);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    fn close(left: f64, right: f64, within: f64) {
        assert!((left - right).abs() <= within, "{left} is not within {within} of {right}");
    }

    #[test]
    fn the_cases_of_a_configuration_are_put_together() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::of(&run);
        let all = handshakes(&analysis);
        let names: Vec<(String, &str)> =
            all.iter().map(|of| (of.configuration.name(), of.configuration.provider.as_str())).collect();
        let named = |name: &str, provider: &'static str| (name.to_owned(), provider);
        assert_eq!(
            names,
            [
                named("X25519 ECDSA-P-256 chain=1", "rustls"),
                named("X25519MLKEM768 ML-DSA-65 chain=2", "openssl"),
                named("X25519 ECDSA-P-256 chain=1 client-auth", "rustls+openssl"),
                named("X25519 ECDSA-P-256 chain=1 psk", "openssl"),
            ]
        );
        assert_eq!(all[2].configuration.sides(), ["rustls", "openssl"]);
        let flights = all[1].flights().unwrap();
        assert_eq!((flights.server_flight, flights.server_packets), (17_900, 13));
        assert!(!flights.fits_the_initial_window() && all[0].flights().unwrap().fits_the_initial_window());
        assert_eq!(all[2].flights(), None, "its flights were not noted");
    }

    #[test]
    fn a_servers_rate_is_the_reciprocal_of_its_mean() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::of(&run);
        let all = handshakes(&analysis);
        let rate = all[0].server_per_second().unwrap();
        // 100 µs, and of one sample of twenty up to 8% more.
        close(rate.estimate, 10_000.0, 40.0);
        let mean = all[0].server.unwrap().estimates.as_ref().unwrap().samples_ns.mean;
        assert_eq!(rate.estimate, 1e9 / mean);
        assert!(rate.low < rate.estimate && rate.estimate < rate.high && rate.high / rate.low < 1.1, "{rate:?}");
    }

    #[test]
    fn shares_of_steps_add_up() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::of(&run);
        let all = handshakes(&analysis);
        let shares = all[0].shares(&analysis).unwrap();
        close(shares.iter().map(|share| share.estimate).sum(), 100.0, 1e-9);
        // 30, 90, 170 and 10 of 300 µs.
        [10.0, 30.0, 56.67, 3.33].into_iter().zip(&shares).for_each(|(part, share)| close(share.estimate, part, 0.1));
        assert_eq!(all[1].shares(&analysis), None);
    }
}
