//! Circuit handshakes, and their cost for a relay and its links. All figures are measured in the run or computed from
//! measured figures. A quantity that was not measured has no figure. A separate table quotes published figures from the
//! literature.

pub(super) mod findings;
mod literature;
mod precomputation;
mod queue;
mod scenario;
pub(super) mod tables;

pub use literature::{Quoted, related_work};
pub use precomputation::{Gain, Precomputation, precomputations};
pub use queue::{Latency, QueueFigures, queues};
pub use scenario::{RelayScenario, WrongScenario};

use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::comparison::{ComparisonCriteria, Measured, ratio};
use crate::rate::rate;
use crate::run::RunAnalysis;
use pqlab_record::State;
use pqlab_stats::Interval;

/// Name of the ntor area.
pub const AREA: &str = "ntor";
/// Maximum lengths in bytes of an onionskin in a CREATE2 cell and of a reply in a CREATED2 cell (tor-spec, sections 3
/// and 5.1). The 509-byte payload of a CREATE2 cell also contains HTYPE and HLEN (2 bytes each). The payload of a
/// CREATED2 cell also contains HLEN (2 bytes).
const CELL_ROOM: [u64; 2] = [505, 507];
/// Maximum length in bytes of an introduction to an onion service in a relay cell, and of the service's reply. The
/// reply follows a 20-byte rendezvous cookie (tor-spec, section 6.1; rend-spec-v3, section 4.2).
const RELAY_CELL_ROOM: [u64; 2] = [498, 478];
/// Prefix of the names of onion service handshakes.
const ONION_SERVICE: &str = "hs-";
/// Steps of a handshake in order: client, relay, client again.
pub const STEPS: [&str; 3] = ["create", "reply", "finish"];

/// Figures for one handshake with one pair of providers. Times are in ns.
#[derive(Clone, Debug)]
pub struct HandshakeFigures<'a> {
    /// The handshake's name.
    pub algorithm: String,
    /// Name of the provider, or of both providers joined by `+`.
    pub provider: String,
    /// Length of the client's message in bytes.
    pub onionskin: u64,
    /// Length of the relay's message in bytes.
    pub reply: u64,
    /// Times of the three [`STEPS`]; `None` for a step that was not measured.
    pub steps: [Option<Timing<'a>>; 3],
    /// Time of the client's first step with precomputed ephemeral keys; `None` if it was not measured.
    pub keys_ahead: Option<Timing<'a>>,
    /// Time of the relay's step if the relay loads its onion key from bytes each time; `None` if it was not measured.
    pub key_loaded: Option<Timing<'a>>,
    /// Time of the complete handshake; `None` if it was not measured.
    pub whole: Option<Timing<'a>>,
    /// Percentage of the steps' total time that each step takes; `None` unless all steps were measured.
    pub shares: [Option<Interval>; 3],
    /// Name of each part, and the percentage of the handshake's time that is saved if that part does nothing. The last
    /// entry, `rest`, is everything else.
    pub parts: Vec<(String, Interval)>,
    /// Time of an exchange over a connection that is kept open; `None` if it was not measured.
    pub kept: Option<Timing<'a>>,
    /// Time of an exchange over a new connection; `None` if it was not measured.
    pub fresh: Option<Timing<'a>>,
    /// Caveats of all cases that contribute figures.
    pub caveats: Caveats,
    /// Replies per second of the relay for each measured number of threads. Each thread has its own core.
    replies: Vec<(u64, f64)>,
}

/// A measured time in ns.
#[derive(Clone, Debug)]
pub struct Timing<'a> {
    /// Median in ns, with its interval.
    pub median: Interval,
    /// Mean in ns.
    pub mean: f64,
    /// Operations per second, with the interval.
    pub per_second: Option<Interval>,
    /// Statistics of single operations; `None` if a sample covers a batch of operations.
    pub single: Option<Single>,
    /// Caveats of the case.
    pub caveats: &'a Caveats,
    /// Criteria for comparing the case with other cases of the run.
    criteria: &'a ComparisonCriteria,
    /// The measured figures, in the form that comparisons need.
    measured: &'a Measured<'a>,
}

impl Timing<'_> {
    /// Returns the ratio of this time to `other`, with its interval, or `None` if one of the times is zero.
    pub fn over(&self, other: &Timing<'_>) -> Option<Interval> {
        Some(ratio(&[other.measured], &[self.measured], self.criteria).ratio?.ratio)
    }
}

/// Statistics of single operations in ns.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// Minimum in ns.
    pub min: f64,
    /// Maximum in ns.
    pub max: f64,
    /// Standard deviation in ns; `None` if there are too few samples.
    pub stdev: Option<f64>,
    /// 90th percentile in ns.
    pub p90: f64,
    /// 99th percentile in ns.
    pub p99: f64,
}

impl HandshakeFigures<'_> {
    /// Returns the total length of both messages in bytes.
    pub fn bytes(&self) -> u64 {
        self.onionskin.saturating_add(self.reply)
    }

    /// Returns the number of cells for the onionskin and for the reply. A cell has room for 505 bytes of an onionskin
    /// or 507 bytes of a reply. For onion services, it has room for 498 or 478 bytes.
    pub fn cells(&self) -> [u64; 2] {
        let room = if self.algorithm.starts_with(ONION_SERVICE) { RELAY_CELL_ROOM } else { CELL_ROOM };
        [self.onionskin.div_ceil(room[0]), self.reply.div_ceil(room[1])]
    }

    /// Returns whether this is classical ntor.
    pub fn classical(&self) -> bool {
        self.algorithm == "ntor-v1"
    }

    /// Returns whether the relay proves its identity.
    pub fn authenticates_relay(&self) -> bool {
        !self.algorithm.starts_with("kem-only")
    }

    /// Returns the handshakes per second that one core of a relay answers. This is the rate of the relay's step
    /// measured alone or, if that is missing, the rate of the case with one thread.
    pub fn replies_per_second(&self) -> Option<f64> {
        let alone = self.steps[1].as_ref().and_then(|step| step.per_second);
        alone.map(|rate| rate.estimate).or_else(|| self.measured_replies(1))
    }

    /// Returns the numbers of cores on which the relay's step was measured in parallel.
    pub fn measured_cores(&self) -> impl Iterator<Item = u64> {
        self.replies.iter().map(|(cores, _)| *cores)
    }

    /// Returns the handshakes per second that `cores` cores answered in parallel, if measured.
    pub fn measured_replies(&self, cores: u64) -> Option<f64> {
        self.replies.iter().find(|(measured, _)| *measured == cores).map(|(_, rate)| *rate)
    }

    /// Extrapolates the handshakes per second to `cores` cores. Assumes the rate per core that was measured with the
    /// largest number of cores. Returns `None` if the relay's step was not measured.
    pub fn extrapolated_replies(&self, cores: u64) -> Option<f64> {
        let most = self.replies.iter().max_by_key(|(cores, _)| *cores).copied();
        let (from, rate) = most.or_else(|| Some((1, self.replies_per_second()?)))?;
        Some(rate * cores as f64 / from as f64)
    }

    /// Returns the percentage of one core that a relay spends on replies, or `None` if the relay's step was not
    /// measured.
    pub fn cpu_pct(&self, scenario: &RelayScenario) -> Option<f64> {
        self.replies_per_second().map(|rate| 100.0 * scenario.circuits_per_second / rate)
    }

    /// Returns the bandwidth of handshakes in bits per second, summed over both directions.
    pub fn bandwidth(&self, scenario: &RelayScenario) -> f64 {
        self.bytes() as f64 * 8.0 * scenario.circuits_per_second
    }

    /// Returns the time in ns to transmit both messages over a link.
    pub fn transmission(&self, bits_per_second: f64) -> f64 {
        self.bytes() as f64 * 8.0 / bits_per_second * 1e9
    }

    /// Returns the time in ns until the client has its keys: computation, one round trip, and transmission of both
    /// messages. Returns `None` if the whole handshake was not measured.
    pub fn time_to_keys(&self, bits_per_second: f64, rtt_ms: f64) -> Option<f64> {
        let computing = self.whole.as_ref()?.median.estimate;
        Some(computing + rtt_ms * 1e6 + self.transmission(bits_per_second))
    }
}

/// Returns the handshakes with relays in a run, in the order of the run's records.
pub fn handshakes<'a>(analysis: &'a RunAnalysis<'_>) -> Vec<HandshakeFigures<'a>> {
    of_kind(analysis, |algorithm| !algorithm.starts_with(ONION_SERVICE))
}

/// Returns the handshakes with onion services in a run. The onionskin of such a handshake is an introduction that the
/// service answers. Figures that depend on a relay's circuits per second therefore do not apply.
pub fn onion_services<'a>(analysis: &'a RunAnalysis<'_>) -> Vec<HandshakeFigures<'a>> {
    of_kind(analysis, |algorithm| algorithm.starts_with(ONION_SERVICE))
}

fn of_kind<'a>(analysis: &'a RunAnalysis<'_>, wanted: impl Fn(&str) -> bool) -> Vec<HandshakeFigures<'a>> {
    let mut found: Vec<HandshakeFigures<'a>> = Vec::new();
    let mut without: Vec<(usize, String, Timing<'a>)> = Vec::new();
    for one in analysis.area(AREA).filter(|one| one.case().state() == State::Warm && wanted(&one.case().algorithm)) {
        let case = one.case();
        let same = |other: &HandshakeFigures<'_>| other.algorithm == case.algorithm && other.provider == case.provider;
        let index = found.iter().position(same).unwrap_or_else(|| {
            found.push(HandshakeFigures {
                algorithm: case.algorithm.clone(),
                provider: case.provider.clone(),
                onionskin: case.facts.sizes.onionskin.unwrap_or_default(),
                reply: case.facts.sizes.reply.unwrap_or_default(),
                steps: [None, None, None],
                keys_ahead: None,
                key_loaded: None,
                whole: None,
                shares: [None, None, None],
                parts: Vec::new(),
                kept: None,
                fresh: None,
                caveats: Caveats::default(),
                replies: Vec::new(),
            });
            found.len() - 1
        });
        let figures = &mut found[index];
        figures.caveats = Caveats::merged([&figures.caveats, &one.caveats]);
        if case.threads().is_some() || case.tasks().is_some() {
            figures.replies.extend(at_once(one));
            continue;
        }
        let Some(timing) = timing(one, analysis.criteria()) else { continue };
        match (case.word("keys"), case.word("onion-key")) {
            (Some(_), _) => {
                figures.keys_ahead = Some(timing);
                continue;
            }
            (_, Some(_)) => {
                figures.key_loaded = Some(timing);
                continue;
            }
            (None, None) => {}
        }
        match (case.operation.as_str(), case.word("without"), case.word("connection")) {
            ("handshake", ..) => figures.whole = Some(timing),
            ("profile", Some(part), _) => without.push((index, part.to_owned(), timing)),
            ("exchange", _, Some("kept")) => figures.kept = Some(timing),
            ("exchange", _, Some("fresh")) => figures.fresh = Some(timing),
            (operation, ..) => {
                if let Some(step) = STEPS.iter().position(|step| *step == operation) {
                    figures.steps[step] = Some(timing);
                }
            }
        }
    }
    for (index, figures) in found.iter_mut().enumerate() {
        figures.shares = shares(&figures.steps);
        let lacking = without.iter().filter(|(place, ..)| *place == index);
        let lacking = lacking.map(|(_, part, timing)| (part.as_str(), timing));
        figures.parts = figures.whole.as_ref().map_or_else(Vec::new, |whole| parts(whole, lacking.collect()));
    }
    found
}

fn timing<'a>(of: &'a CaseAnalysis<'_>, criteria: &'a ComparisonCriteria) -> Option<Timing<'a>> {
    let (estimates, measured) = (of.estimates.as_ref()?, of.measured()?);
    let single = (estimates.batch == 1).then(|| of.times()).flatten().map(|times| {
        let times = times.trim(of.header().protocol.trim_pct);
        let (p90, p99) = (times.quantile(0.9), times.quantile(0.99));
        Single { min: times.min(), max: times.max(), stdev: estimates.samples_ns.stdev, p90, p99 }
    });
    Some(Timing {
        median: estimates.median_ns,
        mean: estimates.samples_ns.mean,
        per_second: rate(of, 1.0),
        single,
        caveats: &of.caveats,
        criteria,
        measured,
    })
}

/// Returns the number of threads and the replies per second, if the case runs the relay's step on threads that each
/// have their own core.
fn at_once(of: &CaseAnalysis<'_>) -> Option<(u64, f64)> {
    let threads = of.case().threads().filter(|_| of.case().operation == STEPS[1])?;
    let estimates = of.estimates.as_ref()?;
    let cores = estimates.extra("cores")?;
    Some((threads, rate(of, 1.0)?.estimate)).filter(|_| cores.median >= threads as f64)
}

/// Applies `percentage` to a ratio and to both ends of its interval.
fn share(ratio: Interval, percentage: impl Fn(f64) -> f64) -> Interval {
    let [one, other] = [percentage(ratio.low), percentage(ratio.high)];
    Interval { estimate: percentage(ratio.estimate), low: one.min(other), high: one.max(other), ..ratio }
}

/// Returns the percentage of the total time that each step takes. Effects common to a round or a process cancel out.
fn shares(steps: &[Option<Timing<'_>>; 3]) -> [Option<Interval>; 3] {
    let [Some(create), Some(reply), Some(finish)] = steps else { return [None, None, None] };
    let all = [create, reply, finish].map(|step| step.measured);
    let of = |step| Some(share(ratio(&all, &[step], create.criteria).ratio?.ratio, |part| 100.0 * part));
    all.map(of)
}

/// Computes the percentage of the handshake's time that each part takes. `whole` is the complete handshake, and
/// `without` contains each part with the handshake that omits it. Adds `rest`, the time that no part accounts for.
fn parts(whole: &Timing<'_>, without: Vec<(&str, &Timing<'_>)>) -> Vec<(String, Interval)> {
    if without.is_empty() {
        return Vec::new();
    }
    let against = |lacking: &[&Measured<'_>]| Some(ratio(&[whole.measured], lacking, whole.criteria).ratio?.ratio);
    let mut found = Vec::new();
    for (part, lacking) in &without {
        let Some(left) = against(&[lacking.measured]) else { continue };
        found.push(((*part).to_owned(), share(left, |left| 100.0 * (1.0 - left))));
    }
    let all: Vec<&Measured<'_>> = without.iter().map(|(_, lacking)| lacking.measured).collect();
    let number = all.len() as f64;
    // Each of the `number` cases leaves out a different part, so their sum contains each part
    // `number - 1` times and the unattributed time `number` times. Subtracting `number - 1` whole
    // handshakes leaves the unattributed time.
    let rest = against(&all).map(|left| share(left, |left| 100.0 * (left - number + 1.0)));
    found.extend(rest.map(|rest| ("rest".to_owned(), rest)));
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fixtures::{self, ntor_run};
    use pqlab_record::{Record, Run};

    fn figures<'a>(analysis: &'a RunAnalysis<'_>, algorithm: &str) -> HandshakeFigures<'a> {
        handshakes(analysis).into_iter().find(|figures| figures.algorithm == algorithm).unwrap()
    }

    fn close(left: f64, right: f64, within: f64) {
        assert!((left - right).abs() <= within, "{left} is not within {within} of {right}");
    }

    #[test]
    fn shares_add_up_and_follow_the_steps() {
        let run = ntor_run();
        let run = RunAnalysis::new(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        let shares: Vec<f64> = kem_only.shares.iter().map(|share| share.as_ref().unwrap().estimate).collect();
        close(shares.iter().sum(), 100.0, 1e-9);
        // The steps take 20, 40 and 40 µs.
        close(shares[0], 20.0, 1.0);
        close(shares[1], 40.0, 1.0);
    }

    #[test]
    fn steps_from_different_starts_have_wider_shares() {
        let mut paired = ntor_run();
        // Use more than two rounds. With two, the interval's width would mostly come from the assumed spread.
        for record in &mut paired.records {
            let more = record.samples.visits.iter().flat_map(|visit| [2, 4].map(|later| (visit.round + later, visit)));
            let more: Vec<_> = more.map(|(round, visit)| pqlab_record::Visit { round, ..visit.clone() }).collect();
            record.samples.visits.extend(more);
        }
        let mut apart = paired.clone();
        let step = |record: &&mut Record| record.case.operation == STEPS[2];
        for visit in apart.records.iter_mut().filter(step).flat_map(|record| &mut record.samples.visits) {
            visit.start = 1;
        }
        let width = |run: &Run| {
            let share = figures(&RunAnalysis::new(run), "kem-only-mlkem512").shares[2].unwrap();
            share.high - share.low
        };
        assert!(width(&apart) > 1.5 * width(&paired), "unpaired {}, paired {}", width(&apart), width(&paired));
    }

    #[test]
    fn a_part_is_the_time_saved_by_leaving_it_out() {
        let run = ntor_run();
        let run = RunAnalysis::new(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        let names: Vec<&str> = kem_only.parts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["kem", "kdf", "rest"]);
        // The handshake takes 100 µs, 30 µs without the KEM, and 90 µs without the KDF.
        close(kem_only.parts[0].1.estimate, 70.0, 1.0);
        close(kem_only.parts[1].1.estimate, 10.0, 1.0);
        close(kem_only.parts[2].1.estimate, 20.0, 1.5);
    }

    #[test]
    fn relay_figures_are_computed_from_measured_times() {
        let run = ntor_run();
        let run = RunAnalysis::new(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        let scenario = RelayScenario::default();
        close(kem_only.replies_per_second().unwrap(), 25_000.0, 300.0);
        close(kem_only.cpu_pct(&scenario).unwrap(), 4.0, 0.1);
        close(kem_only.bandwidth(&scenario), 12_960_000.0, 0.0);
        close(kem_only.transmission(100e6), 129_600.0, 1e-6);
        assert_eq!((kem_only.bytes(), kem_only.cells()), (1620, [2, 2]));
        assert_eq!((figures(&run, "ntor-v1").bytes(), figures(&run, "ntor-v1").cells()), (148, [1, 1]));
        assert!(!kem_only.authenticates_relay() && figures(&run, "ntor-v1").authenticates_relay());
    }

    #[test]
    fn rates_use_means_for_one_core_and_for_several() {
        let mut run = ntor_run();
        // One slow sample per visit shifts the mean but not the median. The two rates can only be equal if both use
        // the mean.
        for visit in run.records.iter_mut().flat_map(|record| &mut record.samples.visits) {
            visit.ticks[0] *= 30;
        }
        let run = RunAnalysis::new(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        let [alone, on_one] = [kem_only.replies_per_second().unwrap(), kem_only.measured_replies(1).unwrap()];
        close(alone / on_one, 1.0, 0.02);
        close(alone * kem_only.steps[1].as_ref().unwrap().mean, 1e9, 1.0);
    }

    #[test]
    fn cases_with_threads_or_loads_do_not_measure_the_handshake() {
        let run = ntor_run();
        let run = RunAnalysis::new(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        close(kem_only.whole.as_ref().unwrap().median.estimate, 100_000.0, 1000.0);
        close(kem_only.steps[1].as_ref().unwrap().median.estimate, 40_000.0, 400.0);
        let measured: Vec<u64> = kem_only.measured_cores().collect();
        assert_eq!(measured, [1, 2], "four threads on two cores must not be listed");
        close(kem_only.measured_replies(2).unwrap(), 47_500.0, 500.0);
        close(kem_only.extrapolated_replies(8).unwrap(), 190_000.0, 2000.0);
        let alone = HandshakeFigures { steps: [None, None, None], ..kem_only };
        close(alone.replies_per_second().unwrap(), 25_000.0, 300.0);
    }

    #[test]
    fn an_onion_service_is_not_a_relay_and_uses_relay_cells() {
        let run = fixtures::ntor_ahead_run();
        let run = RunAnalysis::new(&run);
        let services = onion_services(&run);
        assert_eq!(services.iter().map(|one| one.algorithm.as_str()).collect::<Vec<_>>(), ["hs-ntor-x25519-mlkem768"]);
        assert!(handshakes(&run).iter().all(|one| !one.algorithm.starts_with("hs-")));
        // A cell holds 498 bytes of the 1,494-byte introduction, or 478 bytes of the 1,152-byte reply.
        assert_eq!((services[0].bytes(), services[0].cells()), (2646, [3, 3]));
        close(services[0].steps[1].as_ref().unwrap().median.estimate, 80_000.0, 800.0);
    }

    #[test]
    fn unmeasured_parts_have_no_figure() {
        let run = ntor_run();
        let run = RunAnalysis::new(&run);
        let classical = figures(&run, "ntor-v1");
        assert!(classical.parts.is_empty() && classical.kept.is_none() && classical.measured_replies(2).is_none());
        assert!(handshakes(&RunAnalysis::new(&fixtures::run())).is_empty());
    }
}
