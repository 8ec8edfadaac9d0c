//! Handshake rate of a server: measured on several cores, and extrapolated from one core.

use super::{AREA, Configuration, HandshakeFigures, connections, handshakes};
use crate::areas::scaling::scaling;
use crate::caveats::Caveats;
use crate::run::RunAnalysis;
use pqlab_stats::Interval;

/// Operation that measures a server.
const SERVER: &str = "server";

/// Figures for a server with one configuration.
#[derive(Clone, Debug)]
pub struct ServerFigures {
    /// Configuration of the handshakes.
    pub configuration: Configuration,
    /// Handshakes per second for each number of threads, fewest threads first. Each thread has its own core.
    pub measured: Vec<(u64, Interval)>,
    /// Throughput per thread with the largest number of threads, relative to one thread. `None` if only one thread was
    /// measured.
    pub efficiency: Option<Interval>,
    /// Handshakes per second of one core, computed from the CPU time that the server spends on connections over the
    /// loopback. Includes TCP in the kernel. `None` if no such connections were measured.
    pub with_tcp: Option<f64>,
    /// Caveats that apply to any of the figures.
    pub caveats: Caveats,
    /// Handshakes per second of one core. [`per_second`](Self::per_second) describes the source.
    one: Option<Interval>,
}

impl ServerFigures {
    /// Returns the handshakes per second of one core. This is the rate with one thread if that was measured, otherwise
    /// the rate of the server measured alone. Returns `None` if neither was measured.
    pub fn per_second(&self) -> Option<Interval> {
        self.one
    }

    /// Returns the handshakes per second of `cores` threads, each on its own core, if measured.
    pub fn on(&self, cores: u64) -> Option<Interval> {
        self.measured.iter().find(|(threads, _)| *threads == cores).map(|(_, rate)| *rate)
    }

    /// Extrapolates the handshakes per second to `cores` cores. Assumes that each core is as fast as one core alone.
    /// Returns `None` if the rate of one core is unknown.
    pub fn by_arithmetic(&self, cores: u64) -> Option<f64> {
        Some(self.one?.estimate * cores as f64)
    }
}

/// Returns the servers that were measured on several threads or over the loopback, in the order of the plan.
pub fn servers(analysis: &RunAnalysis<'_>) -> Vec<ServerFigures> {
    let mut found: Vec<ServerFigures> = Vec::new();
    let place = |configuration: Configuration, found: &mut Vec<ServerFigures>| {
        found.iter().position(|figures| figures.configuration == configuration).unwrap_or_else(|| {
            let (measured, caveats) = (Vec::new(), Caveats::default());
            found.push(ServerFigures { configuration, measured, efficiency: None, with_tcp: None, caveats, one: None });
            found.len() - 1
        })
    };
    for entry in scaling(analysis).into_iter().filter(|entry| !entry.oversubscribed) {
        let case = analysis.area(AREA).find(|case| case.case().operation == SERVER && case.case().id() == entry.id);
        let Some((case, configuration)) = case.and_then(|case| Some((case, Configuration::from_case(case.case())?)))
        else {
            continue;
        };
        let at = place(configuration, &mut found);
        let figures = &mut found[at];
        figures.caveats = Caveats::merged([&figures.caveats, &case.caveats]);
        let most = figures.measured.iter().all(|(threads, _)| *threads < entry.threads);
        figures.measured.push((entry.threads, entry.rate));
        if most && entry.threads > 1 {
            figures.efficiency = entry.efficiency;
        }
    }
    for connection in connections(analysis) {
        let Some(cpu_ns) = connection.cpu_ns()[1].filter(|ns| *ns > 0.0) else { continue };
        let at = place(connection.configuration, &mut found);
        found[at].with_tcp = Some(1e9 / cpu_ns);
        found[at].caveats = Caveats::merged([&found[at].caveats, &connection.of.caveats]);
    }
    let alone = handshakes(analysis);
    for figures in &mut found {
        figures.measured.sort_by_key(|(threads, _)| *threads);
        let has_configuration = |one: &&HandshakeFigures<'_, '_>| one.configuration == figures.configuration;
        figures.one = figures.on(1).or_else(|| alone.iter().find(has_configuration)?.server_per_second());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn rates_are_measured_on_available_cores_and_extrapolated_beyond() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::new(&run);
        let all = servers(&analysis);
        assert_eq!(all.len(), 1);
        let figures = &all[0];
        let close =
            |found: Option<f64>, wanted: f64| assert!((found.unwrap() / wanted - 1.0).abs() < 0.005, "{found:?}");
        // One core takes 100 µs per handshake, and two cores are 1.9 times as fast. The case with
        // four threads must be missing, because its threads share cores.
        assert_eq!(figures.measured.iter().map(|(threads, _)| *threads).collect::<Vec<_>>(), [1, 2]);
        close(figures.per_second().map(|rate| rate.estimate), 10_000.0);
        close(figures.on(2).map(|rate| rate.estimate), 19_000.0);
        close(figures.efficiency.map(|share| share.estimate), 0.95);
        assert_eq!(figures.by_arithmetic(64), figures.on(1).map(|rate| 64.0 * rate.estimate));
        close(figures.with_tcp, 1e9 / 125e3);
    }

    #[test]
    fn without_threads_the_rate_is_that_of_the_server_alone() {
        let mut run = fixtures::tls_run();
        run.records.retain(|record| record.case.threads().is_none());
        let analysis = RunAnalysis::new(&run);
        let all = servers(&analysis);
        assert!(all[0].measured.is_empty() && all[0].efficiency.is_none());
        assert_eq!(all[0].per_second(), handshakes(&analysis)[0].server_per_second());
    }
}
