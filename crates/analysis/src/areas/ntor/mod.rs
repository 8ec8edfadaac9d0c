//! Circuit handshakes and their cost for a relay and its links. Figures come from the run and from arithmetic on them.
//! Nothing is estimated from elsewhere, and what was not measured has no figure. Published figures of others are quoted
//! in a separate table.

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

/// The area.
pub const AREA: &str = "ntor";
/// Bytes that a CREATE2 cell has for an onionskin, and a CREATED2 cell for a reply: 509 without HTYPE and HLEN, and
/// without HLEN (tor-spec, sections 3 and 5.1).
const CELL_ROOM: [u64; 2] = [505, 507];
/// Bytes that relay cells have for an introduction to an onion service and for its reply, which follows a rendezvous
/// cookie of 20 bytes (tor-spec, section 6.1; rend-spec-v3, section 4.2).
const RELAY_CELL_ROOM: [u64; 2] = [498, 478];
/// Prefix of the names of onion service handshakes.
const ONION_SERVICE: &str = "hs-";
/// The steps of a handshake: client, relay, client.
pub const STEPS: [&str; 3] = ["create", "reply", "finish"];

/// Figures of one handshake over one pair of providers. Times are in ns.
#[derive(Clone, Debug)]
pub struct HandshakeFigures<'a> {
    /// The handshake's name.
    pub algorithm: String,
    /// The provider, or both.
    pub provider: String,
    /// Length of the client's message in bytes.
    pub onionskin: u64,
    /// Length of the relay's message in bytes.
    pub reply: u64,
    /// The three [`STEPS`].
    pub steps: [Option<Timing<'a>>; 3],
    /// The client's first step with precomputed ephemeral keys.
    pub keys_ahead: Option<Timing<'a>>,
    /// The relay's step if it loads its onion key from bytes each time.
    pub key_loaded: Option<Timing<'a>>,
    /// The whole handshake.
    pub whole: Option<Timing<'a>>,
    /// The share of each step in the sum of the three, in percent.
    pub shares: [Option<Interval>; 3],
    /// Share of each part in the handshake, in percent: how much less time the handshake takes if that part does
    /// nothing. The rest is last.
    pub parts: Vec<(String, Interval)>,
    /// Exchange over a connection that is kept open.
    pub kept: Option<Timing<'a>>,
    /// Exchange over a new connection.
    pub fresh: Option<Timing<'a>>,
    /// Caveats of its cases.
    pub caveats: Caveats,
    /// Replies per second by number of threads, each on its own core.
    replies: Vec<(u64, f64)>,
}

/// A measured time in ns.
#[derive(Clone, Debug)]
pub struct Timing<'a> {
    /// Median with its interval.
    pub median: Interval,
    /// Mean.
    pub mean: f64,
    /// Operations per second, with the interval.
    pub per_second: Option<Interval>,
    /// Figures of single operations; `None` if a sample is a batch.
    pub single: Option<Single>,
    /// Its caveats.
    pub caveats: &'a Caveats,
    /// Criteria for comparing it with others of its run.
    criteria: &'a ComparisonCriteria,
    /// Its figures in the form that comparisons need.
    measured: &'a Measured<'a>,
}

impl Timing<'_> {
    /// Ratio of its time to another one's, with its interval; `None` if one is zero.
    pub fn over(&self, other: &Timing<'_>) -> Option<Interval> {
        Some(ratio(&[other.measured], &[self.measured], self.criteria).ratio?.ratio)
    }
}

/// Figures of single operations in ns.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Standard deviation.
    pub stdev: Option<f64>,
    /// Quantile of order 0.9.
    pub p90: f64,
    /// Quantile of order 0.99.
    pub p99: f64,
}

impl HandshakeFigures<'_> {
    /// Length of both messages in bytes.
    pub fn bytes(&self) -> u64 {
        self.onionskin.saturating_add(self.reply)
    }

    /// Number of cells for the onionskin and for the reply. A cell holds 505 bytes of the first and 507 of the second,
    /// or 498 and 478 with an onion service.
    pub fn cells(&self) -> [u64; 2] {
        let room = if self.algorithm.starts_with(ONION_SERVICE) { RELAY_CELL_ROOM } else { CELL_ROOM };
        [self.onionskin.div_ceil(room[0]), self.reply.div_ceil(room[1])]
    }

    /// Whether it is classical ntor.
    pub fn classical(&self) -> bool {
        self.algorithm == "ntor-v1"
    }

    /// Whether the relay proves its identity.
    pub fn authenticates_relay(&self) -> bool {
        !self.algorithm.starts_with("kem-only")
    }

    /// Handshakes per second that one core of a relay answers: the rate of the relay's step measured alone, or else of
    /// the case with one thread.
    pub fn replies_per_second(&self) -> Option<f64> {
        let alone = self.steps[1].as_ref().and_then(|step| step.per_second);
        alone.map(|rate| rate.estimate).or_else(|| self.measured_replies(1))
    }

    /// Numbers of cores on which the relay's step was measured in parallel.
    pub fn measured_cores(&self) -> impl Iterator<Item = u64> {
        self.replies.iter().map(|(cores, _)| *cores)
    }

    /// Handshakes per second that this number of cores answered in parallel, if that was measured.
    pub fn measured_replies(&self, cores: u64) -> Option<f64> {
        self.replies.iter().find(|(measured, _)| *measured == cores).map(|(_, rate)| *rate)
    }

    /// Extrapolates the handshakes per second for this number of cores, if each did as much as those of the largest
    /// number that was measured.
    pub fn extrapolated_replies(&self, cores: u64) -> Option<f64> {
        let most = self.replies.iter().max_by_key(|(cores, _)| *cores).copied();
        let (from, rate) = most.or_else(|| Some((1, self.replies_per_second()?)))?;
        Some(rate * cores as f64 / from as f64)
    }

    /// Share of one core that a relay spends on replies, in percent.
    pub fn cpu_pct(&self, scenario: &RelayScenario) -> Option<f64> {
        self.replies_per_second().map(|rate| 100.0 * scenario.circuits_per_second / rate)
    }

    /// Bits per second of handshakes, both directions together.
    pub fn bandwidth(&self, scenario: &RelayScenario) -> f64 {
        self.bytes() as f64 * 8.0 * scenario.circuits_per_second
    }

    /// Time in ns of both messages on a link.
    pub fn transmission(&self, bits_per_second: f64) -> f64 {
        self.bytes() as f64 * 8.0 / bits_per_second * 1e9
    }

    /// Time in ns from the client's first step to its keys: computing, one round trip, and both messages on the link.
    pub fn time_to_keys(&self, bits_per_second: f64, rtt_ms: f64) -> Option<f64> {
        let computing = self.whole.as_ref()?.median.estimate;
        Some(computing + rtt_ms * 1e6 + self.transmission(bits_per_second))
    }
}

/// The handshakes with relays of a run, in the order of its records.
pub fn handshakes<'a>(analysis: &'a RunAnalysis<'_>) -> Vec<HandshakeFigures<'a>> {
    of_kind(analysis, |algorithm| !algorithm.starts_with(ONION_SERVICE))
}

/// The handshakes with onion services of a run, whose onionskin is an introduction. The service answers them, so
/// figures about relays at a rate of circuits do not apply.
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

/// Number of threads and replies per second, if the case is the relay's step on threads with a core each.
fn at_once(of: &CaseAnalysis<'_>) -> Option<(u64, f64)> {
    let threads = of.case().threads().filter(|_| of.case().operation == STEPS[1])?;
    let estimates = of.estimates.as_ref()?;
    let cores = estimates.extra("cores")?;
    Some((threads, rate(of, 1.0)?.estimate)).filter(|_| cores.median >= threads as f64)
}

/// Converts a ratio to a share in percent.
fn share(ratio: Interval, of: impl Fn(f64) -> f64) -> Interval {
    let [one, other] = [of(ratio.low), of(ratio.high)];
    Interval { estimate: of(ratio.estimate), low: one.min(other), high: one.max(other), ..ratio }
}

/// Share of each step in all three. Effects common to a round or a process cancel out.
fn shares(steps: &[Option<Timing<'_>>; 3]) -> [Option<Interval>; 3] {
    let [Some(create), Some(reply), Some(finish)] = steps else { return [None, None, None] };
    let all = [create, reply, finish].map(|step| step.measured);
    let of = |step| Some(share(ratio(&all, &[step], create.criteria).ratio?.ratio, |part| 100.0 * part));
    all.map(of)
}

/// Share of each part, and of what they leave.
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
    // Leaving out each part in turn measured the whole that many times. Whatever exceeds all but one of these is the
    // rest.
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
        let run = RunAnalysis::of(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        let shares: Vec<f64> = kem_only.shares.iter().map(|share| share.as_ref().unwrap().estimate).collect();
        close(shares.iter().sum(), 100.0, 1e-9);
        // Steps of 20, 40 and 40 µs.
        close(shares[0], 20.0, 1.0);
        close(shares[1], 40.0, 1.0);
    }

    #[test]
    fn steps_of_another_start_of_the_run_have_a_less_certain_share() {
        let mut paired = ntor_run();
        // With only two rounds, most of the width is the assumption about them.
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
            let share = figures(&RunAnalysis::of(run), "kem-only-mlkem512").shares[2].unwrap();
            share.high - share.low
        };
        assert!(width(&apart) > 1.5 * width(&paired), "{} against {}", width(&apart), width(&paired));
    }

    #[test]
    fn a_part_takes_what_the_handshake_saves_without_it() {
        let run = ntor_run();
        let run = RunAnalysis::of(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        let names: Vec<&str> = kem_only.parts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["kem", "kdf", "rest"]);
        // 100 µs, 30 without the KEM, 90 without the KDF.
        close(kem_only.parts[0].1.estimate, 70.0, 1.0);
        close(kem_only.parts[1].1.estimate, 10.0, 1.0);
        close(kem_only.parts[2].1.estimate, 20.0, 1.5);
    }

    #[test]
    fn the_relay_model_is_arithmetic_on_what_was_measured() {
        let run = ntor_run();
        let run = RunAnalysis::of(&run);
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
    fn rates_of_one_core_and_of_several_are_the_same_statistic() {
        let mut run = ntor_run();
        // Slow samples move the mean of every case alike, but no median.
        for visit in run.records.iter_mut().flat_map(|record| &mut record.samples.visits) {
            visit.ticks[0] *= 30;
        }
        let run = RunAnalysis::of(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        let [alone, on_one] = [kem_only.replies_per_second().unwrap(), kem_only.measured_replies(1).unwrap()];
        close(alone / on_one, 1.0, 0.02);
        close(alone * kem_only.steps[1].as_ref().unwrap().mean, 1e9, 1.0);
    }

    #[test]
    fn threads_and_loads_are_not_taken_for_the_handshake_itself() {
        let run = ntor_run();
        let run = RunAnalysis::of(&run);
        let kem_only = figures(&run, "kem-only-mlkem512");
        close(kem_only.whole.as_ref().unwrap().median.estimate, 100_000.0, 1000.0);
        close(kem_only.steps[1].as_ref().unwrap().median.estimate, 40_000.0, 400.0);
        let measured: Vec<u64> = kem_only.measured_cores().collect();
        assert_eq!(measured, [1, 2], "four threads had two cores");
        close(kem_only.measured_replies(2).unwrap(), 47_500.0, 500.0);
        close(kem_only.extrapolated_replies(8).unwrap(), 190_000.0, 2000.0);
        let alone = HandshakeFigures { steps: [None, None, None], ..kem_only };
        close(alone.replies_per_second().unwrap(), 25_000.0, 300.0);
    }

    #[test]
    fn an_onion_service_is_not_a_relay_and_uses_relay_cells() {
        let run = fixtures::ntor_ahead_run();
        let run = RunAnalysis::of(&run);
        let services = onion_services(&run);
        assert_eq!(services.iter().map(|one| one.algorithm.as_str()).collect::<Vec<_>>(), ["hs-ntor-x25519-mlkem768"]);
        assert!(handshakes(&run).iter().all(|one| !one.algorithm.starts_with("hs-")));
        // Each cell holds 498 of 1494 bytes, or 478 of 1152 after a cookie.
        assert_eq!((services[0].bytes(), services[0].cells()), (2646, [3, 3]));
        close(services[0].steps[1].as_ref().unwrap().median.estimate, 80_000.0, 800.0);
    }

    #[test]
    fn unmeasured_parts_have_no_figure() {
        let run = ntor_run();
        let run = RunAnalysis::of(&run);
        let classical = figures(&run, "ntor-v1");
        assert!(classical.parts.is_empty() && classical.kept.is_none() && classical.measured_replies(2).is_none());
        assert!(handshakes(&RunAnalysis::of(&fixtures::run())).is_empty());
    }
}
