//! What a hybrid costs beyond its halves.
//!
//! A hybrid, its classical and its post-quantum half are measured in the same rounds. For each round and process the mean
//! of the hybrid less the means of the halves is what the combiner took; the [interval of this
//! contrast](pqlab_stats::contrast_interval) is its cost. Samples are those of undisturbed visits, not
//! trimmed: what is cut from one of three does not cancel.
//!
//! Key generation of X25519 is in a hybrid's key generation and, for the ephemeral key, in its encapsulation; encapsulation
//! and decapsulation have one Diffie-Hellman each. The half stands beside it with the same operations.

use pqlab_record::{Case, Moment, Record, Run, Status, Visits, Worker};
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

fn beside(one: &Case, other: &Case) -> bool {
    one.workload == other.workload && one.operation == other.operation && one.block == other.block
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
            parameters: Vec::new(),
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
}
