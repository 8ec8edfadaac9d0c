//! What a hybrid costs beyond its halves.
//!
//! A hybrid, its classical and its post-quantum half are measured in the same rounds. For each round and process the mean
//! of the hybrid less the means of the halves is what the combiner took; the [interval of this
//! contrast](pqlab_stats::contrast_interval) is its cost. Samples are those of undisturbed visits, not
//! trimmed: what is cut from one of three does not cancel.
//!
//! Key generation of X25519 is in a hybrid's key generation and, for the ephemeral key, in its encapsulation; encapsulation
//! and decapsulation have one Diffie-Hellman each. The half stands beside it with the same operations.

use pqlab_record::{Case, CoinSource, Moment, Parameter, Record, Run, Status, Visits, Worker};
use pqlab_stats::{CONFIDENCE, Interval, contrast_interval, mean};
use std::collections::BTreeMap;

/// A hybrid with its halves. Times in ns, each the mean over the rounds that all three have in common.
#[derive(Clone, Debug)]
pub struct Decomposition<'a> {
    /// The hybrid's record.
    pub hybrid: &'a Record,
    /// The classical half's record.
    pub classical: &'a Record,
    /// The post-quantum half's record.
    pub post_quantum: &'a Record,
    /// Mean of the hybrid.
    pub hybrid_ns: f64,
    /// Mean of the classical half.
    pub classical_ns: f64,
    /// Mean of the post-quantum half.
    pub post_quantum_ns: f64,
    /// Hybrid less both halves, with its 95% interval.
    pub overhead_ns: Interval,
}

impl Decomposition<'_> {
    /// A time in percent of both halves together.
    pub fn pct(&self, ns: f64) -> f64 {
        100.0 * ns / (self.classical_ns + self.post_quantum_ns)
    }
}

/// The halves of each hybrid whose overhead is worth knowing: algorithm, classical, post-quantum. Not the reference's
/// signature, which is randomised, and not the mock, which has no second half.
const HALVES: [(&str, &str, &str); 8] = [
    ("X-Wing", "X25519", "ML-KEM-768"),
    ("MLKEM768-X25519-SHA3-256", "X25519", "ML-KEM-768"),
    ("X25519MLKEM768", "X25519", "ML-KEM-768"),
    ("X25519+ML-KEM-768", "X25519", "ML-KEM-768"),
    ("MLDSA65-Ed25519-SHA512", "Ed25519", "ML-DSA-65"),
    ("X.509-alternative", "X.509-Ed25519", "X.509-ML-DSA-65"),
    ("X.509-composite", "X.509-Ed25519", "X.509-ML-DSA-65"),
    ("X.509-detached", "X.509-Ed25519", "X.509-ML-DSA-65"),
];

/// The flag of cases that sign without randomness.
const DETERMINISTIC: &str = "deterministic";

/// Operations that contain the making of a key.
const MAKES_KEYS: [&str; 3] = ["keygen", "handshake", "cycle"];

/// Every hybrid of the run whose halves were measured in the same rounds.
pub fn decompositions(run: &Run) -> Vec<Decomposition<'_>> {
    run.records.iter().filter_map(|hybrid| decompose(run, hybrid)).collect()
}

fn decompose<'a>(run: &'a Run, hybrid: &'a Record) -> Option<Decomposition<'a>> {
    let case = &hybrid.case;
    let (_, classical, post_quantum) = HALVES.iter().find(|(algorithm, ..)| *algorithm == case.algorithm)?;
    let (first, second) = case.provider.split_once('+').unwrap_or((&case.provider, &case.provider));
    let half = |algorithm: &str, provider: &str| {
        run.records.iter().find(|record| {
            let other = &record.case;
            other.algorithm == algorithm && other.provider == provider && beside(other, case)
        })
    };
    let (classical, post_quantum) = (half(classical, first)?, half(post_quantum, second)?);
    // A signer that repeats itself by chance differs from another by luck.
    let signs = ["sign", "cycle", "build"].contains(&case.operation.as_str());
    if signs && !(case.flag(DETERMINISTIC) && post_quantum.case.flag(DETERMINISTIC)) {
        return None;
    }
    // Of the three another visit may have been disturbed in each round: what is left out of each must leave something of all.
    [Visits::Usable, Visits::All].into_iter().find_map(|visits| decomposed(hybrid, classical, post_quantum, visits))
}

fn decomposed<'a>(
    hybrid: &'a Record,
    classical: &'a Record,
    post_quantum: &'a Record,
    visits: Visits,
) -> Option<Decomposition<'a>> {
    let means = [hybrid, classical, post_quantum].map(|record| round_means(record, visits));
    let [whole, first, second] = &means;
    let mut processes: BTreeMap<Worker, Vec<[f64; 3]>> = BTreeMap::new();
    for (moment, whole) in whole {
        let (Some(first), Some(second)) = (first.get(moment), second.get(moment)) else { continue };
        processes.entry(moment.worker).or_default().push([*whole, *first, *second]);
    }
    let rounds: Vec<Vec<[f64; 3]>> = processes.into_values().collect();
    let of = |which: usize| mean(&rounds.iter().flatten().map(|round| round[which]).collect::<Vec<_>>());
    Some(Decomposition {
        hybrid,
        classical,
        post_quantum,
        hybrid_ns: of(0)?,
        classical_ns: of(1)?,
        post_quantum_ns: of(2)?,
        overhead_ns: contrast_interval(&rounds, [1.0, -1.0, -1.0], CONFIDENCE)?,
    })
}

/// Whether a case was measured beside a hybrid and does the same work: the same operation in the same format and form, from
/// the same randomness. Signing without any is the one thing that a half may do unsaid: Ed25519 never draws.
///
/// A hybrid that makes keys from the libraries' own randomness has no halves: it draws a seed and expands it, where each of
/// them would ask a generator of its own.
fn beside(half: &Case, hybrid: &Case) -> bool {
    let told = |case: &Case| {
        let mut parameters = case.parameters.clone();
        parameters.retain(|parameter| *parameter != Parameter::Flag(DETERMINISTIC.into()));
        parameters
    };
    let draws = MAKES_KEYS.contains(&hybrid.operation.as_str()) && hybrid.coins() != Some(CoinSource::Exact);
    let same_work = half.form == hybrid.form && told(half) == told(hybrid) && !draws;
    same_work && half.workload == hybrid.workload && half.operation == hybrid.operation && half.block == hybrid.block
}

/// The mean of one operation in ns, by process and round.
fn round_means(record: &Record, visits: Visits) -> BTreeMap<Moment, f64> {
    if record.status == Status::Failed {
        return BTreeMap::new();
    }
    let samples = &record.samples;
    let visits = visits.of(samples);
    let means = visits.filter_map(|visit| Some((visit.moment(), mean(&samples.ns_per_operation(visit))?)));
    means.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::{Facts, Metric, Samples, Visit};

    /// `ns` per operation in each round of each of four processes, to which the machine adds its mood.
    fn record(algorithm: &str, provider: &str, ns: u64) -> Record {
        let case = Case {
            workload: "hybrid".into(),
            algorithm: algorithm.into(),
            operation: "handshake".into(),
            provider: provider.into(),
            form: None,
            parameters: vec![Parameter::Word("coins".into(), "exact".into())],
            block: "hybrid/kem/handshake".into(),
            facts: Facts::default(),
        };
        let visit = |process: u32, round: u32| Visit {
            start: 0,
            process,
            round,
            repeats: 0,
            disturbances: Vec::new(),
            clock_hz: 0.0,
            // The slower the machine in this round, the slower everything in it.
            ticks: vec![ns * u64::from(100 + round), ns * u64::from(100 + round)],
            wall_ns: Vec::new(),
            extra: Vec::new(),
            conditions: Default::default(),
        };
        let visits = (0..4).flat_map(|process| (0..5).map(move |round| visit(process, round))).collect();
        let samples = Samples { metric: Metric::Wall, ns_per_tick: Some(1.0), batch: 1, visits };
        Record {
            status: Status::Ok,
            error: None,
            verified: true,
            precision_reached: true,
            samples,
            ..Record::failed(case, String::new(), String::new())
        }
    }

    fn run(records: Vec<Record>) -> Run {
        let mut run = crate::fixtures::run();
        run.records = records;
        run
    }

    #[test]
    fn the_overhead_is_what_the_halves_leave() {
        let run = run(vec![record("X25519", "a", 60), record("ML-KEM-768", "b", 30), record("X-Wing", "a+b", 93)]);
        let found = decompositions(&run);
        assert_eq!(found.len(), 1);
        // 3 of 93 in each round: the machine's mood, 2% on average, is in the parts as in the whole.
        assert!((found[0].overhead_ns.estimate - 3.0 * 102.0).abs() < 1e-9);
        assert!((found[0].pct(found[0].overhead_ns.estimate) - 100.0 * 3.0 / 90.0).abs() < 1e-9);
        assert!((found[0].hybrid_ns - 93.0 * 102.0).abs() < 1e-9);
    }

    #[test]
    fn where_each_was_disturbed_in_another_round_all_rounds_count() {
        let neighbour = |record: &mut Record, processes: &[u32]| {
            for visit in record.samples.visits.iter_mut().filter(|visit| processes.contains(&visit.process)) {
                visit.disturbances = vec![pqlab_record::Disturbance::SharedCore { pct: 30.0, kept: false }];
            }
        };
        let mut all = vec![record("X25519", "a", 60), record("ML-KEM-768", "b", 30), record("X-Wing", "a+b", 93)];
        for (index, record) in all.iter_mut().enumerate() {
            neighbour(record, &[index as u32]);
        }
        let run = run(all);
        assert_eq!(run.records.iter().filter(|record| record.samples.contended()).count(), 0);
        let found = decompositions(&run);
        assert!((found[0].overhead_ns.estimate - 3.0 * 102.0).abs() < 1e-9, "{:?}", found[0].overhead_ns);
    }

    #[test]
    fn halves_that_another_start_of_the_run_measured_do_not_count() {
        let mut half = record("ML-KEM-768", "b", 30);
        half.samples.visits.iter_mut().for_each(|visit| visit.start = 1);
        assert!(decompositions(&run(vec![record("X25519", "a", 60), half, record("X-Wing", "a+b", 93)])).is_empty());
    }

    #[test]
    fn halves_of_another_provider_or_another_round_do_not_count() {
        let hybrid = || record("X-Wing", "a+b", 93);
        assert!(
            decompositions(&run(vec![record("X25519", "b", 60), record("ML-KEM-768", "a", 30), hybrid()])).is_empty()
        );
        let mut half = record("ML-KEM-768", "b", 30);
        half.samples.visits.retain(|visit| visit.round == 4);
        let run = run(vec![record("X25519", "a", 60), half, hybrid()]);
        assert!((decompositions(&run)[0].hybrid_ns - 93.0 * 104.0).abs() < 1e-9);
    }

    #[test]
    fn only_halves_in_the_hybrids_own_format_count() {
        let encoded = |algorithm: &str, provider: &str, ns: u64, format: &str| {
            let mut record = record(algorithm, provider, ns);
            record.case.operation = "encode-public".into();
            record.case.parameters = vec![Parameter::Word("format".into(), format.into())];
            record
        };
        let of = |format: &'static str| {
            let both = ["pem", "der"].map(|other| {
                let factor = if other == format { 1 } else { 20 };
                [encoded("X25519", "a", 60 * factor, other), encoded("ML-KEM-768", "b", 30 * factor, other)]
            });
            let halves = both.into_iter().flatten();
            run(halves.chain([encoded("X-Wing", "a+b", 93, format)]).collect())
        };
        for format in ["der", "pem"] {
            let run = of(format);
            let found = decompositions(&run);
            assert!(
                (found[0].hybrid_ns / (found[0].classical_ns + found[0].post_quantum_ns) - 93.0 / 90.0).abs() < 1e-9
            );
        }
        assert!(decompositions(&of("cbor")).is_empty(), "no half is in CBOR");
    }

    #[test]
    fn keys_that_each_library_draws_for_itself_are_not_decomposed() {
        let mut all = vec![record("X25519", "a", 60), record("ML-KEM-768", "b", 30), record("X-Wing", "a+b", 93)];
        all.iter_mut().for_each(|record| record.case.parameters.clear());
        assert!(decompositions(&run(all.clone())).is_empty());
        all.iter_mut().for_each(|record| record.case.operation = "encapsulate".into());
        assert_eq!(decompositions(&run(all)).len(), 1, "each half draws there what the hybrid has it draw");
    }

    #[test]
    fn a_signature_without_randomness_has_halves_without_any() {
        let signed = |algorithm: &str, provider: &str, flagged: bool| {
            let mut record = record(algorithm, provider, 50);
            record.case.operation = "sign".into();
            record.case.parameters = flagged.then(|| Parameter::Flag(DETERMINISTIC.into())).into_iter().collect();
            record
        };
        let of = |post_quantum: bool| {
            let halves = vec![signed("Ed25519", "a", false), signed("ML-DSA-65", "b", post_quantum)];
            run(halves.into_iter().chain([signed("MLDSA65-Ed25519-SHA512", "a+b", true)]).collect())
        };
        assert_eq!((decompositions(&of(true)).len(), decompositions(&of(false)).len()), (1, 0));
    }
}
