//! What measured circuit handshakes mean for a relay and its links: figures of a run, and arithmetic on them. Nothing here
//! is estimated from elsewhere; where a figure was not measured there is none. What others published is quoted in a table
//! of its own.

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
/// Bytes that a CREATE2 cell has for an onionskin, and a CREATED2 cell for a reply: 509 without HTYPE and HLEN, and without
/// HLEN (tor-spec, sections 3 and 5.1).
const CELL_ROOM: [u64; 2] = [505, 507];
/// The same of the relay cells that carry an introduction to an onion service, and the answer to it, which stands behind a
/// rendezvous cookie of 20 bytes there (tor-spec, section 6.1; rend-spec-v3, section 4.2).
const RELAY_CELL_ROOM: [u64; 2] = [498, 478];
/// How the names of an onion service's handshakes begin.
const ONION_SERVICE: &str = "hs-";
/// The steps of a handshake: by the client, the relay, the client.
pub const STEPS: [&str; 3] = ["create", "reply", "finish"];

/// What a run says of one handshake over one pair of providers. Times in ns.
#[derive(Clone, Debug)]
pub struct HandshakeFigures<'a> {
    /// The handshake's name.
    pub algorithm: String,
    /// The provider, or two.
    pub provider: String,
    /// Length of the client's message in bytes.
    pub onionskin: u64,
    /// Length of the relay's message in bytes.
    pub reply: u64,
    /// The three [`STEPS`].
    pub steps: [Option<Timing<'a>>; 3],
    /// The client's first step with ephemeral keys that were made ahead.
    pub keys_ahead: Option<Timing<'a>>,
    /// The relay's step with its onion key loaded from bytes each time.
    pub key_loaded: Option<Timing<'a>>,
    /// The handshake from start to end.
    pub whole: Option<Timing<'a>>,
    /// The share of each step in the sum of the three, in percent.
    pub shares: [Option<Interval>; 3],
    /// What each part takes of the handshake, in percent: how much less it takes when that part does nothing. The rest is
    /// last.
    pub parts: Vec<(String, Interval)>,
    /// Over a connection that is kept.
    pub kept: Option<Timing<'a>>,
    /// Over a connection of its own.
    pub fresh: Option<Timing<'a>>,
    /// What must be known of its cases.
    pub caveats: Caveats,
    /// Answers a second of so many threads together, each on a core of its own.
    replies: Vec<(u64, f64)>,
}

/// A measured time in ns.
#[derive(Clone, Debug)]
pub struct Timing<'a> {
    /// Median with its interval.
    pub median: Interval,
    /// Mean.
    pub mean: f64,
    /// Operations a second, with the interval.
    pub per_second: Option<Interval>,
    /// What speaks of single operations; `None` where a sample is a batch.
    pub single: Option<Single>,
    /// What must be known of it.
    pub caveats: &'a Caveats,
    /// By what it is compared with others of its run.
    criteria: &'a ComparisonCriteria,
    /// As comparisons need it.
    measured: &'a Measured<'a>,
}

impl Timing<'_> {
    /// How many times as long it takes as another one, with its interval; `None` where one is zero.
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
    /// Both messages, in bytes.
    pub fn bytes(&self) -> u64 {
        self.onionskin.saturating_add(self.reply)
    }

    /// Cells that the onionskin and the reply fill: one holds 505 bytes of the first and 507 of the second, or with an onion
    /// service 498 and 478.
    pub fn cells(&self) -> [u64; 2] {
        let room = if self.algorithm.starts_with(ONION_SERVICE) { RELAY_CELL_ROOM } else { CELL_ROOM };
        [self.onionskin.div_ceil(room[0]), self.reply.div_ceil(room[1])]
    }

    /// Whether it is classical ntor.
    pub fn classical(&self) -> bool {
        self.algorithm == "ntor-v1"
    }

    /// Whether the relay proves that it is who it says.
    pub fn authenticates_relay(&self) -> bool {
        !self.algorithm.starts_with("kem-only")
    }

    /// Handshakes that one core of a relay answers in a second: the rate of the relay's step, measured by itself, else on the
    /// one thread of a case with threads.
    pub fn replies_per_second(&self) -> Option<f64> {
        let alone = self.steps[1].as_ref().and_then(|step| step.per_second);
        alone.map(|rate| rate.estimate).or_else(|| self.measured_replies(1))
    }

    /// Numbers of cores on which the relay's step was measured at once.
    pub fn measured_cores(&self) -> impl Iterator<Item = u64> {
        self.replies.iter().map(|(cores, _)| *cores)
    }

    /// Handshakes that so many cores answered in a second, all at once, where that was measured.
    pub fn measured_replies(&self, cores: u64) -> Option<f64> {
        self.replies.iter().find(|(known, _)| *known == cores).map(|(_, rate)| *rate)
    }

    /// Handshakes that so many cores would answer in a second if each did as much as those of the largest number that was
    /// measured: an extrapolation.
    pub fn extrapolated_replies(&self, cores: u64) -> Option<f64> {
        let most = self.replies.iter().max_by_key(|(cores, _)| *cores).copied();
        let (from, rate) = most.or_else(|| Some((1, self.replies_per_second()?)))?;
        Some(rate * cores as f64 / from as f64)
    }

    /// Percentage of one core that a relay spends on answering.
    pub fn cpu_pct(&self, scenario: &RelayScenario) -> Option<f64> {
        self.replies_per_second().map(|rate| 100.0 * scenario.circuits_per_second / rate)
    }

    /// Bits a second of handshakes, both directions together.
    pub fn bandwidth(&self, scenario: &RelayScenario) -> f64 {
        self.bytes() as f64 * 8.0 * scenario.circuits_per_second
    }

    /// Time in ns that both messages take on a link.
    pub fn transmission(&self, bits_per_second: f64) -> f64 {
        self.bytes() as f64 * 8.0 / bits_per_second * 1e9
    }

    /// Time in ns from the client's first step to its keys: computing, one round trip, and both messages on the link.
    pub fn time_to_keys(&self, bits_per_second: f64, rtt_ms: f64) -> Option<f64> {
        let computing = self.whole.as_ref()?.median.estimate;
        Some(computing + rtt_ms * 1e6 + self.transmission(bits_per_second))
    }
}

/// The handshakes with relays of a run, in the order of its records; empty for a run without any.
pub fn handshakes<'a>(analysis: &'a RunAnalysis<'_>) -> Vec<HandshakeFigures<'a>> {
    of_kind(analysis, |algorithm| !algorithm.starts_with(ONION_SERVICE))
}

/// Likewise those with onion services, whose onionskin is an introduction. Who answers is the service: what is told of a relay at
/// a rate of circuits is not about them.
pub fn onion_services<'a>(analysis: &'a RunAnalysis<'_>) -> Vec<HandshakeFigures<'a>> {
    of_kind(analysis, |algorithm| algorithm.starts_with(ONION_SERVICE))
}

fn of_kind<'a>(analysis: &'a RunAnalysis<'_>, wanted: impl Fn(&str) -> bool) -> Vec<HandshakeFigures<'a>> {
    let mut found: Vec<HandshakeFigures<'a>> = Vec::new();
    let mut without: Vec<(usize, String, Timing<'a>)> = Vec::new();
    for of in analysis.area(AREA).filter(|of| of.case().state() == State::Warm && wanted(&of.case().algorithm)) {
        let case = of.case();
        let same = |known: &HandshakeFigures<'_>| known.algorithm == case.algorithm && known.provider == case.provider;
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
        figures.caveats = Caveats::merged([&figures.caveats, &of.caveats]);
        if case.threads().is_some() || case.tasks().is_some() {
            figures.replies.extend(at_once(of));
            continue;
        }
        let Some(timing) = timing(of, analysis.criteria()) else { continue };
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
        let lacking = without.iter().filter(|(of, ..)| *of == index).map(|(_, part, timing)| (part.as_str(), timing));
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

/// The number of threads and the answers a second, where the case is the relay's step on threads that had a core each.
fn at_once(of: &CaseAnalysis<'_>) -> Option<(u64, f64)> {
    let threads = of.case().threads().filter(|_| of.case().operation == STEPS[1])?;
    let estimates = of.estimates.as_ref()?;
    let cores = estimates.extra("cores")?;
    Some((threads, rate(of, 1.0)?.estimate)).filter(|_| cores.median >= threads as f64)
}

/// A ratio as a share in percent, less the shares of others.
fn share(ratio: Interval, of: impl Fn(f64) -> f64) -> Interval {
    let [one, other] = [of(ratio.low), of(ratio.high)];
    Interval { estimate: of(ratio.estimate), low: one.min(other), high: one.max(other), ..ratio }
}

/// The share of each step in all three: what slows a round or a process alike cancels out.
fn shares(steps: &[Option<Timing<'_>>; 3]) -> [Option<Interval>; 3] {
    let [Some(create), Some(reply), Some(finish)] = steps else { return [None, None, None] };
    let all = [create, reply, finish].map(|step| step.measured);
    let of = |step| Some(share(ratio(&all, &[step], create.criteria).ratio?.ratio, |part| 100.0 * part));
    all.map(of)
}

/// What each part takes, and what they leave.
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
    // Without each part in turn the whole was measured so many times: what is more than all but one of these is the rest.
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
        // With two rounds alone most of the width is what is assumed of them.
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
        // Slow samples move the mean of every case alike, and no median.
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
    fn an_onion_service_is_no_relay_and_its_messages_go_in_relay_cells() {
        let run = fixtures::ntor_ahead_run();
        let run = RunAnalysis::of(&run);
        let services = onion_services(&run);
        assert_eq!(services.iter().map(|of| of.algorithm.as_str()).collect::<Vec<_>>(), ["hs-ntor-x25519-mlkem768"]);
        assert!(handshakes(&run).iter().all(|of| !of.algorithm.starts_with("hs-")));
        // Of 1494 bytes 498 go into each cell, of 1152 behind a cookie 478.
        assert_eq!((services[0].bytes(), services[0].cells()), (2646, [3, 3]));
        close(services[0].steps[1].as_ref().unwrap().median.estimate, 80_000.0, 800.0);
    }

    #[test]
    fn what_was_not_measured_has_no_figure() {
        let run = ntor_run();
        let run = RunAnalysis::of(&run);
        let classical = figures(&run, "ntor-v1");
        assert!(classical.parts.is_empty() && classical.kept.is_none() && classical.measured_replies(2).is_none());
        assert!(handshakes(&RunAnalysis::of(&fixtures::run())).is_empty());
    }
}
