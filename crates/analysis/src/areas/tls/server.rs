//! Rate of a server: handshakes per second on several cores, measured, and by arithmetic from one.

use super::{AREA, Configuration, HandshakeFigures, connections, handshakes};
use crate::areas::scaling::scaling;
use crate::caveats::Caveats;
use crate::run::RunAnalysis;
use pqlab_stats::Interval;

/// The operation of a server.
const SERVER: &str = "server";

/// Figures of a server with one configuration.
#[derive(Clone, Debug)]
pub struct ServerFigures {
    /// The configuration.
    pub configuration: Configuration,
    /// Handshakes per second by number of threads, each on its own core, fewest threads first.
    pub measured: Vec<(u64, Interval)>,
    /// Throughput per thread with the largest number of threads, relative to one thread; `None` if only one was
    /// measured.
    pub efficiency: Option<Interval>,
    /// Handshakes per second of one core from their CPU time over the loopback, including the kernel's TCP.
    pub with_tcp: Option<f64>,
    /// Caveats of its cases.
    pub caveats: Caveats,
    /// Handshakes per second of one core.
    one: Option<Interval>,
}

impl ServerFigures {
    /// Handshakes per second of one core: of one thread if several numbers of threads were measured, else of the server
    /// alone.
    pub fn per_second(&self) -> Option<Interval> {
        self.one
    }

    /// Handshakes per second of this number of threads, each on its own core, if that was measured.
    pub fn on(&self, cores: u64) -> Option<Interval> {
        self.measured.iter().find(|(threads, _)| *threads == cores).map(|(_, rate)| *rate)
    }

    /// Handshakes per second of this number of cores, if each did as much as one alone.
    pub fn by_arithmetic(&self, cores: u64) -> Option<f64> {
        Some(self.one?.estimate * cores as f64)
    }
}

/// The servers of a run that were measured on several threads or over the loopback, in the order of the plan.
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
        let Some((case, configuration)) = case.and_then(|case| Some((case, Configuration::of(case.case())?))) else {
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
    fn cores_are_measured_if_available_and_calculated_beyond() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::of(&run);
        let all = servers(&analysis);
        assert_eq!(all.len(), 1);
        let figures = &all[0];
        let close =
            |found: Option<f64>, wanted: f64| assert!((found.unwrap() / wanted - 1.0).abs() < 0.005, "{found:?}");
        // 100 µs on one core, 1.9 times as many on two. Four threads have no cores of their own.
        assert_eq!(figures.measured.iter().map(|(threads, _)| *threads).collect::<Vec<_>>(), [1, 2]);
        close(figures.per_second().map(|rate| rate.estimate), 10_000.0);
        close(figures.on(2).map(|rate| rate.estimate), 19_000.0);
        close(figures.efficiency.map(|share| share.estimate), 0.95);
        assert_eq!(figures.by_arithmetic(64), figures.on(1).map(|rate| 64.0 * rate.estimate));
        close(figures.with_tcp, 1e9 / 125e3);
    }

    #[test]
    fn without_threads_one_core_is_the_server_alone() {
        let mut run = fixtures::tls_run();
        run.records.retain(|record| record.case.threads().is_none());
        let analysis = RunAnalysis::of(&run);
        let all = servers(&analysis);
        assert!(all[0].measured.is_empty() && all[0].efficiency.is_none());
        assert_eq!(all[0].per_second(), handshakes(&analysis)[0].server_per_second());
    }
}
