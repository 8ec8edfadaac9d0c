//! What a server holds: handshakes a second of so many cores, as measured, and by arithmetic from one.

use super::{AREA, Configuration, HandshakeFigures, connections, handshakes};
use crate::areas::scaling::scaling;
use crate::caveats::Caveats;
use crate::run::RunAnalysis;
use pqlab_stats::Interval;

/// The operation of a server.
const SERVER: &str = "server";

/// What a run says of a server of one configuration.
#[derive(Clone, Debug)]
pub struct ServerFigures {
    /// What it is.
    pub configuration: Configuration,
    /// Handshakes a second of so many threads together, each on a core of its own, fewest threads first.
    pub measured: Vec<(u64, Interval)>,
    /// What each thread of the largest number did of what one does alone, as a share; `None` where one alone was measured.
    pub efficiency: Option<Interval>,
    /// Handshakes a second of one core by the CPU time that they take over the loopback, the kernel's TCP among it.
    pub with_tcp: Option<f64>,
    /// What must be known of its cases.
    pub caveats: Caveats,
    /// Handshakes a second of one core.
    one: Option<Interval>,
}

impl ServerFigures {
    /// Handshakes a second of one core: of one thread beside others on several, else of the server measured by itself.
    pub fn per_second(&self) -> Option<Interval> {
        self.one
    }

    /// Handshakes a second of so many threads, each on a core of its own, where that was measured.
    pub fn on(&self, cores: u64) -> Option<Interval> {
        self.measured.iter().find(|(known, _)| *known == cores).map(|(_, rate)| *rate)
    }

    /// Handshakes a second that so many cores would hold if each did what one does alone: arithmetic.
    pub fn by_arithmetic(&self, cores: u64) -> Option<f64> {
        Some(self.one?.estimate * cores as f64)
    }
}

/// The servers of a run that were measured on several threads, or over the loopback, in the order of the plan.
pub fn servers(analysis: &RunAnalysis<'_>) -> Vec<ServerFigures> {
    let mut found: Vec<ServerFigures> = Vec::new();
    let place = |configuration: Configuration, found: &mut Vec<ServerFigures>| {
        found.iter().position(|known| known.configuration == configuration).unwrap_or_else(|| {
            let (measured, caveats) = (Vec::new(), Caveats::default());
            found.push(ServerFigures { configuration, measured, efficiency: None, with_tcp: None, caveats, one: None });
            found.len() - 1
        })
    };
    for entry in scaling(analysis).into_iter().filter(|entry| !entry.oversubscribed) {
        let of = analysis.area(AREA).find(|of| of.case().operation == SERVER && of.case().id() == entry.id);
        let Some((of, configuration)) = of.and_then(|of| Some((of, Configuration::of(of.case())?))) else { continue };
        let at = place(configuration, &mut found);
        let figures = &mut found[at];
        figures.caveats = Caveats::merged([&figures.caveats, &of.caveats]);
        let most = figures.measured.iter().all(|(threads, _)| *threads < entry.threads);
        figures.measured.push((entry.threads, entry.rate));
        if most && entry.threads > 1 {
            figures.efficiency = entry.efficiency;
        }
    }
    for of in connections(analysis) {
        let Some(cpu_ns) = of.cpu_ns()[1].filter(|ns| *ns > 0.0) else { continue };
        let at = place(of.configuration, &mut found);
        found[at].with_tcp = Some(1e9 / cpu_ns);
        found[at].caveats = Caveats::merged([&found[at].caveats, &of.of.caveats]);
    }
    let alone = handshakes(analysis);
    for figures in &mut found {
        figures.measured.sort_by_key(|(threads, _)| *threads);
        let of = |one: &&HandshakeFigures<'_, '_>| one.configuration == figures.configuration;
        figures.one = figures.on(1).or_else(|| alone.iter().find(of)?.server_per_second());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn cores_are_measured_as_far_as_there_are_any_and_arithmetic_beyond() {
        let run = fixtures::tls_run();
        let analysis = RunAnalysis::of(&run);
        let all = servers(&analysis);
        assert_eq!(all.len(), 1);
        let of = &all[0];
        let close =
            |found: Option<f64>, wanted: f64| assert!((found.unwrap() / wanted - 1.0).abs() < 0.005, "{found:?}");
        // 100 µs on one core; on two 1.9 times as many; four threads have no cores of their own.
        assert_eq!(of.measured.iter().map(|(threads, _)| *threads).collect::<Vec<_>>(), [1, 2]);
        close(of.per_second().map(|rate| rate.estimate), 10_000.0);
        close(of.on(2).map(|rate| rate.estimate), 19_000.0);
        close(of.efficiency.map(|share| share.estimate), 0.95);
        assert_eq!(of.by_arithmetic(64), of.on(1).map(|rate| 64.0 * rate.estimate));
        close(of.with_tcp, 1e9 / 125e3);
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
