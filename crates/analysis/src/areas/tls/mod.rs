//! TLS handshakes in a run: their time, the bytes sent, and the handshake rate of a server. All figures are measured in
//! the run or computed from measured figures. A quantity that was not measured has no figure.

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
use crate::number::grouped;
use crate::run::RunAnalysis;
use pqlab_record::{Case, Parameter};
use pqlab_stats::Interval;

/// Name of the TLS area.
pub const AREA: &str = "tls";
/// Steps of a handshake, alternating between client and server.
pub const STEPS: [&str; 4] = ["client-hello", "server-flight", "client-finish", "server-finish"];
/// Number of segments that a server may send before the first acknowledgement (RFC 6928).
pub const INITIAL_WINDOW: u64 = 10;
/// Bytes of data in a segment at an MTU of 1,500: without the IPv4 header, the TCP header, and the TCP timestamps.
pub const SEGMENT: u64 = 1500 - 20 - 20 - 12;

/// Configuration of a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Key exchange: `X25519MLKEM768`.
    pub exchange: String,
    /// Algorithm of the keys in the certificates: `ML-DSA-65`.
    pub authentication: String,
    /// Number of intermediate certificates between the server's certificate and the root.
    pub intermediates: u64,
    /// Kind of handshake, such as `client-auth` or `psk`; `None` for a full handshake in which only the server
    /// authenticates.
    pub mode: Option<String>,
    /// Implementation of both sides; `client+server` if they differ.
    pub provider: String,
}

/// Cases that measured handshakes of one configuration in memory. A case is `None` if it was not measured.
#[derive(Clone, Debug)]
pub struct HandshakeFigures<'r, 'a> {
    /// Configuration of the handshake.
    pub configuration: Configuration,
    /// Case that runs both sides of the handshake.
    pub whole: Option<&'r CaseAnalysis<'a>>,
    /// Case that runs only the client's side.
    pub client: Option<&'r CaseAnalysis<'a>>,
    /// Case that runs only the server's side.
    pub server: Option<&'r CaseAnalysis<'a>>,
    /// Case for each of the four [`STEPS`].
    pub steps: [Option<&'r CaseAnalysis<'a>>; 4],
}

/// Maximum observed lengths of the messages on the wire in bytes, including record headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flights {
    /// Length of the ClientHello in bytes.
    pub client_hello: u64,
    /// Length in bytes of the server's flight: all messages from the ServerHello to the server's Finished.
    pub server_flight: u64,
    /// Length in bytes of the client's answer to the server's flight.
    pub client_finish: u64,
    /// Number of segments in the server's flight at an MTU of 1,500.
    pub server_packets: u64,
}

impl Configuration {
    /// Returns the configuration of a case, or `None` if the case is from another area or lacks a parameter.
    pub fn from_case(case: &Case) -> Option<Configuration> {
        (case.workload == AREA).then_some(())?;
        Some(Configuration {
            exchange: case.algorithm.clone(),
            authentication: case.authentication()?.to_owned(),
            intermediates: case.number(Parameter::INTERMEDIATES)?,
            mode: case.handshake_mode().map(str::to_owned),
            provider: case.provider.clone(),
        })
    }

    /// Names the configuration without its implementations: `X25519 ECDSA-P-256 chain=1 psk`.
    pub fn name(&self) -> String {
        let mode = self.mode.as_ref().map_or_else(String::new, |mode| format!(" {mode}"));
        format!("{} {} chain={}{mode}", self.exchange, self.authentication, self.intermediates)
    }

    /// Returns the client's and the server's implementation.
    pub fn sides(&self) -> [&str; 2] {
        let (client, server) = self.provider.split_once('+').unwrap_or((&self.provider, &self.provider));
        [client, server]
    }
}

impl Flights {
    /// Returns the lengths that a case recorded, if it runs whole handshakes.
    fn seen_in(case: &CaseAnalysis<'_>) -> Option<Flights> {
        let longest = |name: &str| case.noted(name).into_iter().reduce(f64::max).map(|value| value as u64);
        Some(Flights {
            client_hello: longest("client_hello_bytes")?,
            server_flight: longest("server_flight_bytes")?,
            client_finish: longest("client_finish_bytes")?,
            server_packets: longest("server_flight_packets")?,
        })
    }

    /// Describes the server's flight: `the server sends 17,900 B in 13 packets, beyond the first window of 10`.
    fn describe(&self) -> String {
        let window = match self.fits_the_initial_window() {
            true => format!("within the first window of {INITIAL_WINDOW}"),
            false => format!("beyond the first window of {INITIAL_WINDOW}, so the handshake takes one more round trip"),
        };
        let bytes = grouped(self.server_flight);
        format!("the server sends {bytes} B in {}, {window}", self.packets_text())
    }

    fn packets_text(&self) -> String {
        format!("{} {}", self.server_packets, if self.server_packets == 1 { "packet" } else { "packets" })
    }

    /// Returns whether the server can send its whole flight before the first acknowledgement.
    pub fn fits_the_initial_window(&self) -> bool {
        self.server_packets <= INITIAL_WINDOW
    }
}

impl<'r, 'a> HandshakeFigures<'r, 'a> {
    /// Returns the lengths of the messages on the wire, if whole handshakes were measured.
    pub fn flights(&self) -> Option<Flights> {
        Flights::seen_in(self.whole?)
    }

    /// Returns the handshakes per second that one server core can do, with the interval. Returns `None` if the server
    /// was not measured alone.
    pub fn server_per_second(&self) -> Option<Interval> {
        self.server?.estimates.as_ref()?.operations_per_second()
    }

    /// Returns the percentage that each step contributes to the sum of the mean times of all four. Effects that a round
    /// or a process has on all steps cancel out. Returns `None` if a step was not measured.
    pub fn shares(&self, analysis: &RunAnalysis<'a>) -> Option<[Interval; 4]> {
        let steps: Vec<&Measured<'a>> =
            self.steps.iter().map(|step| step.as_ref()?.measured()).collect::<Option<_>>()?;
        let means = Measured::together_by_means(&steps);
        let all: Vec<&Measured<'a>> = means.iter().collect();
        let [one, two, three, four] = &means[..] else { return None };
        let share = |step: &Measured<'a>| {
            let found = ratio(&all, &[step], analysis.criteria()).ratio?.ratio;
            let pct = |value: f64| 100.0 * value;
            Some(Interval { estimate: pct(found.estimate), low: pct(found.low), high: pct(found.high), ..found })
        };
        Some([share(one)?, share(two)?, share(three)?, share(four)?])
    }

    /// Returns all cases of the configuration.
    pub fn cases(&self) -> impl Iterator<Item = &'r CaseAnalysis<'a>> {
        [self.whole, self.client, self.server].into_iter().chain(self.steps).flatten()
    }
}

/// Returns the in-memory handshakes of a run, in the order of the plan. Leaves out handshakes without a figure.
pub fn handshakes<'r, 'a>(analysis: &'r RunAnalysis<'a>) -> Vec<HandshakeFigures<'r, 'a>> {
    let mut found: Vec<HandshakeFigures<'r, 'a>> = Vec::new();
    for case in analysis.area(AREA).filter(|case| case.case().computes() && case.estimates.is_some()) {
        let Some(configuration) = Configuration::from_case(case.case()) else { continue };
        let index = found.iter().position(|figures| figures.configuration == configuration).unwrap_or_else(|| {
            let steps = [None; 4];
            found.push(HandshakeFigures { configuration, whole: None, client: None, server: None, steps });
            found.len() - 1
        });
        let figures = &mut found[index];
        match case.case().operation.as_str() {
            "handshake" => figures.whole = Some(case),
            "client" => figures.client = Some(case),
            "server" => figures.server = Some(case),
            operation => {
                if let Some(step) = STEPS.iter().position(|step| *step == operation) {
                    figures.steps[step] = Some(case);
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
    fn cases_of_a_configuration_are_combined() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::new(&run);
        let all = handshakes(&analysis);
        let names: Vec<(String, &str)> =
            all.iter().map(|one| (one.configuration.name(), one.configuration.provider.as_str())).collect();
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
        assert_eq!(all[2].flights(), None, "the fixture records no flights for this handshake");
    }

    #[test]
    fn a_servers_rate_is_the_reciprocal_of_its_mean() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::new(&run);
        let all = handshakes(&analysis);
        let rate = all[0].server_per_second().unwrap();
        // A handshake takes 100 µs, but one in twenty samples takes up to 8% longer.
        close(rate.estimate, 10_000.0, 40.0);
        let mean = all[0].server.unwrap().estimates.as_ref().unwrap().samples_ns.mean;
        assert_eq!(rate.estimate, 1e9 / mean);
        assert!(rate.low < rate.estimate && rate.estimate < rate.high && rate.high / rate.low < 1.1, "{rate:?}");
    }

    #[test]
    fn shares_of_steps_add_up() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::new(&run);
        let all = handshakes(&analysis);
        let shares = all[0].shares(&analysis).unwrap();
        close(shares.iter().map(|share| share.estimate).sum(), 100.0, 1e-9);
        // The steps take 30, 90, 170 and 10 µs.
        [10.0, 30.0, 56.67, 3.33].into_iter().zip(&shares).for_each(|(part, share)| close(share.estimate, part, 0.1));
        assert_eq!(all[1].shares(&analysis), None);
    }
}
