//! Computes what a hybrid costs in addition to its two halves.
//!
//! A hybrid, its classical half and its post-quantum half are measured in the same rounds. The combiner is the time
//! that the hybrid takes in addition to the two halves. It is shown as a difference and as a percentage of the halves'
//! total. [`ratio`](crate::comparison::ratio) computes its interval from the ratios in each round. The inputs are means
//! over the rounds in which all three cases were measured, because means add up and medians do not. Samples are not
//! trimmed, because removing outliers from only one of the three cases would bias the difference.
//!
//! The X25519 half does the same work alone as in the hybrid. Key generation generates a key pair. Encapsulation
//! generates an ephemeral key pair and computes a Diffie-Hellman secret. Decapsulation computes a Diffie-Hellman
//! secret.

use super::AREA;
use crate::areas::certificate;
use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::comparison::{Judged, Measured, ratio};
use crate::estimates::scaled;
use crate::run::RunAnalysis;
use pqlab_record::{Case, CoinSource, Parameter, Record, Statistic, Unit};
use pqlab_stats::Interval;

/// A hybrid and its halves. Times are means in ns over the rounds in which all three were measured.
#[derive(Clone, Debug)]
pub struct Decomposition<'a> {
    /// The hybrid's record.
    pub hybrid: &'a Record,
    /// The classical half's record.
    pub classical: &'a Record,
    /// The post-quantum half's record.
    pub post_quantum: &'a Record,
    /// Mean time of the hybrid.
    pub hybrid_ns: f64,
    /// Mean time of the classical half.
    pub classical_ns: f64,
    /// Mean time of the post-quantum half.
    pub post_quantum_ns: f64,
    /// Time that the hybrid takes in addition to both halves, as a percentage of the total time of the halves, with a
    /// 95% interval.
    pub combiner_pct: Interval,
    /// Caveats that apply to any of the three cases.
    pub caveats: Caveats,
}

impl Decomposition<'_> {
    /// Returns the time that the hybrid takes in addition to both halves, in ns, with a 95% interval.
    pub fn combiner_ns(&self) -> Interval {
        scaled(&self.combiner_pct, (self.classical_ns + self.post_quantum_ns) / 100.0)
    }
}

/// Hybrids to decompose, each with its classical and its post-quantum half. The reference system's hybrid signature is
/// missing because it is randomized. The mock hybrid is missing because it has no post-quantum half.
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

/// Areas in which the halves together do the same work as the hybrid. In other areas, both halves repeat work that the
/// hybrid does once. In the ledger, for example, each half reads, decodes and hashes the transaction.
const AREAS: [&str; 2] = [AREA, certificate::AREA];

/// Operations that include key generation.
const MAKES_KEYS: [&str; 3] = ["keygen", "handshake", "cycle"];

/// Decomposes every hybrid in the run whose halves were measured in the same rounds.
pub fn decompositions<'a>(analysis: &RunAnalysis<'a>) -> Vec<Decomposition<'a>> {
    analysis.cases().iter().filter_map(|hybrid| decompose(analysis, hybrid)).collect()
}

fn decompose<'a>(analysis: &RunAnalysis<'a>, hybrid: &CaseAnalysis<'a>) -> Option<Decomposition<'a>> {
    let case = hybrid.case();
    // A hybrid certificate and its halves sign different bytes, so ML-DSA needs a different number of attempts for
    // each.
    if !AREAS.contains(&case.workload.as_str()) || case.operation == "build" {
        return None;
    }
    let (_, classical, post_quantum) = HALVES.iter().find(|(algorithm, ..)| *algorithm == case.algorithm)?;
    let (first, second) = case.provider.split_once('+').unwrap_or((&case.provider, &case.provider));
    let half = |algorithm: &str, provider: &str| {
        analysis.cases().iter().find(|half| {
            let other = half.case();
            other.algorithm == algorithm && other.provider == provider && are_in_one_block(other, case)
        })
    };
    let (classical, post_quantum) = (half(classical, first)?, half(post_quantum, second)?);
    // Leave out signers that retry at random, because their times differ by chance.
    let signs = ["sign", "cycle"].contains(&case.operation.as_str());
    if signs && !(case.is_deterministic() && post_quantum.case().is_deterministic()) {
        return None;
    }
    let measured = Measured::together_by_means(&[hybrid.measured()?, classical.measured()?, post_quantum.measured()?]);
    let [whole, one, two] = &measured[..] else { return None };
    let compared = ratio(&[one, two], &[whole], &analysis.criteria().clone().judged_in(Judged::Time));
    let found = compared.ratio.filter(|_| compared.paired)?.ratio;
    let mean = |case: &Measured<'_>| case.headline(Unit::Nanoseconds, Statistic::Mean);
    let pct = |ratio: f64| 100.0 * (ratio - 1.0);
    let combiner_pct = Interval { estimate: pct(found.estimate), low: pct(found.low), high: pct(found.high), ..found };
    Some(Decomposition {
        hybrid: hybrid.record,
        classical: classical.record,
        post_quantum: post_quantum.record,
        hybrid_ns: mean(whole)?,
        classical_ns: mean(one)?,
        post_quantum_ns: mean(two)?,
        combiner_pct,
        caveats: Caveats::merged([hybrid, classical, post_quantum].map(|case| &case.caveats)),
    })
}

/// Returns whether `half` was measured together with `hybrid` and does the same work: the same operation in the same
/// format and form, with the same source of randomness. Only the `deterministic` flag may differ, because Ed25519 never
/// uses randomness.
///
/// If a hybrid generates keys from the libraries' own randomness, it has no comparable halves. The hybrid generates one
/// seed and expands it, but each half would generate its own random bytes.
fn are_in_one_block(half: &Case, hybrid: &Case) -> bool {
    let parameters = |case: &Case| case.clone().without(&[Parameter::DETERMINISTIC]).parameters;
    let draws = MAKES_KEYS.contains(&hybrid.operation.as_str()) && hybrid.coins() != Some(CoinSource::Exact);
    let same_work = half.form == hybrid.form && parameters(half) == parameters(hybrid) && !draws;
    same_work && half.workload == hybrid.workload && half.operation == hybrid.operation && half.block == hybrid.block
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::{Facts, Metric, Run, Samples, Status, Visit};

    /// Returns a record with four processes of five rounds each. Each sample of round `r` takes `ns` × (100 + `r`) ns,
    /// which simulates machine noise.
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
            // A slow round slows all cases by the same factor.
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
            second_chance: None,
            samples,
            ..Record::failed(case, String::new(), String::new())
        }
    }

    fn run(records: Vec<Record>) -> Run {
        let mut run = crate::fixtures::run();
        run.records = records;
        run
    }

    fn decomposed(run: &Run) -> Vec<Decomposition<'_>> {
        decompositions(&RunAnalysis::new(run))
    }

    #[test]
    fn the_combiner_is_the_time_beyond_the_halves() {
        let run = run(vec![record("X25519", "a", 60), record("ML-KEM-768", "b", 30), record("X-Wing", "a+b", 93)]);
        let found = decomposed(&run);
        assert_eq!(found.len(), 1);
        // In every round, the combiner takes 3/93 of the hybrid's time. Over the rounds, 1/93 takes 102 ns on average,
        // not 100.
        assert!((found[0].combiner_ns().estimate - 3.0 * 102.0).abs() < 1e-9);
        let combiner = found[0].combiner_pct;
        assert!((combiner.estimate - 100.0 * 3.0 / 90.0).abs() < 1e-9);
        // A slow round slows all three cases alike, so it must not widen the interval.
        assert!(combiner.high - combiner.low < 0.1, "{combiner:?}");
        assert!((found[0].hybrid_ns - 93.0 * 102.0).abs() < 1e-9);
    }

    #[test]
    fn uses_all_rounds_if_cases_were_disturbed_in_different_rounds() {
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
        let found = decomposed(&run);
        assert!((found[0].combiner_ns().estimate - 3.0 * 102.0).abs() < 1e-9, "{:?}", found[0].combiner_pct);
    }

    #[test]
    fn compares_a_half_that_finished_early_only_in_its_rounds() {
        let mut all = vec![record("X25519", "a", 60), record("ML-KEM-768", "b", 30), record("X-Wing", "a+b", 93)];
        all[0].samples.visits.retain(|visit| visit.round < 2);
        // X25519 has only rounds 0 and 1, so the analysis must ignore later rounds of the other cases.
        let later =
            |visit: &mut Visit| visit.ticks.iter_mut().for_each(|ticks| *ticks *= 1 + u64::from(visit.round / 2));
        all[2].samples.visits.iter_mut().for_each(later);
        let run = run(all);
        let found = decomposed(&run);
        assert_eq!(found.len(), 1);
        assert!((found[0].combiner_pct.estimate - 100.0 * 3.0 / 90.0).abs() < 1e-9, "{:?}", found[0].combiner_pct);
        assert!((found[0].hybrid_ns - 93.0 * 100.5).abs() < 1e-9);
    }

    #[test]
    fn ignores_halves_from_another_start_of_the_run() {
        let mut half = record("ML-KEM-768", "b", 30);
        half.samples.visits.iter_mut().for_each(|visit| visit.start = 1);
        assert!(decomposed(&run(vec![record("X25519", "a", 60), half, record("X-Wing", "a+b", 93)])).is_empty());
    }

    #[test]
    fn ignores_halves_from_another_provider_or_another_round() {
        let hybrid = || record("X-Wing", "a+b", 93);
        assert!(decomposed(&run(vec![record("X25519", "b", 60), record("ML-KEM-768", "a", 30), hybrid()])).is_empty());
        let run_with = |rounds: u32, others: u32| {
            let (mut half, mut other) = (record("ML-KEM-768", "b", 30), record("X25519", "a", 60));
            half.samples.visits.retain(|visit| visit.round >= 5 - rounds);
            other.samples.visits.retain(|visit| visit.round < others);
            run(vec![other, half, hybrid()])
        };
        assert!(decomposed(&run_with(2, 3)).is_empty());
        assert!((decomposed(&run_with(3, 5))[0].hybrid_ns - 93.0 * 103.0).abs() < 1e-9);
    }

    #[test]
    fn the_combiner_is_the_whole_minus_the_halves_even_if_the_clock_changes() {
        let mut all = vec![record("X25519", "a", 60), record("ML-KEM-768", "b", 30), record("X-Wing", "a+b", 93)];
        for (record, hz) in all.iter_mut().zip([2e9, 2e9, 2.1e9]) {
            record.samples.visits.iter_mut().for_each(|visit| visit.clock_hz = hz);
        }
        let run = run(all);
        let found = &decomposed(&run)[0];
        let difference = found.hybrid_ns - found.classical_ns - found.post_quantum_ns;
        assert!((found.combiner_ns().estimate - difference).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn uses_only_halves_in_the_hybrids_own_format() {
        let encoded = |algorithm: &str, provider: &str, ns: u64, format: &str| {
            let mut record = record(algorithm, provider, ns);
            record.case.operation = "encode-public".into();
            record.case.parameters = vec![Parameter::Word("format".into(), format.into())];
            record
        };
        let run_with = |format: &'static str| {
            let both = ["pem", "der"].map(|other| {
                let factor = if other == format { 1 } else { 20 };
                [encoded("X25519", "a", 60 * factor, other), encoded("ML-KEM-768", "b", 30 * factor, other)]
            });
            let halves = both.into_iter().flatten();
            run(halves.chain([encoded("X-Wing", "a+b", 93, format)]).collect())
        };
        for format in ["der", "pem"] {
            let run = run_with(format);
            let found = decomposed(&run);
            assert!(
                (found[0].hybrid_ns / (found[0].classical_ns + found[0].post_quantum_ns) - 93.0 / 90.0).abs() < 1e-9
            );
        }
        assert!(decomposed(&run_with("cbor")).is_empty(), "a hybrid without measured halves must be left out");
    }

    #[test]
    fn does_not_decompose_keys_from_the_libraries_own_randomness() {
        let mut all = vec![record("X25519", "a", 60), record("ML-KEM-768", "b", 30), record("X-Wing", "a+b", 93)];
        all.iter_mut().for_each(|record| record.case.parameters.clear());
        assert!(decomposed(&run(all.clone())).is_empty());
        all.iter_mut().for_each(|record| record.case.operation = "encapsulate".into());
        assert_eq!(decomposed(&run(all)).len(), 1, "in encapsulation, the halves use as much randomness as the hybrid");
    }

    #[test]
    fn a_deterministic_signature_has_deterministic_halves() {
        let signed = |algorithm: &str, provider: &str, flagged: bool| {
            let mut record = record(algorithm, provider, 50);
            record.case.operation = "sign".into();
            record.case.parameters =
                flagged.then(|| Parameter::Flag(Parameter::DETERMINISTIC.into())).into_iter().collect();
            record
        };
        let run_with = |post_quantum: bool| {
            let halves = vec![signed("Ed25519", "a", false), signed("ML-DSA-65", "b", post_quantum)];
            run(halves.into_iter().chain([signed("MLDSA65-Ed25519-SHA512", "a+b", true)]).collect())
        };
        assert_eq!((decomposed(&run_with(true)).len(), decomposed(&run_with(false)).len()), (1, 0));
    }

    /// Builds a record from `id` (`area/algorithm/operation`), parameters and a provider. A parameter with an empty
    /// value is a flag.
    fn planned(id: &str, parameters: &[(&str, &str)], provider: &str, ns: u64) -> Record {
        let mut record = record("", provider, ns);
        let [workload, algorithm, operation] = id.split('/').collect::<Vec<_>>()[..] else { panic!("{id}") };
        record.case.workload = workload.into();
        record.case.algorithm = algorithm.into();
        record.case.operation = operation.into();
        record.case.block = format!("{workload}/{operation}");
        let parameter = |&(name, value): &(&str, &str)| match value {
            "" => Parameter::Flag(name.into()),
            _ => Parameter::Word(name.into(), value.into()),
        };
        record.case.parameters = parameters.iter().map(parameter).collect();
        record
    }

    #[test]
    fn private_keys_in_another_encoding_are_not_halves() {
        let key = |algorithm: &str, key: &str, format: &str| {
            let id = format!("certificate/{algorithm}/decode-private");
            planned(&id, &[("key", key), ("format", format)], "a", 50)
        };
        let mut all = Vec::new();
        for format in ["der", "pem"] {
            all.extend(["X-Wing", "MLDSA65-Ed25519-SHA512", "Ed25519"].map(|algorithm| key(algorithm, "seed", format)));
            all.push(key("X25519", "scalar", format));
            for encoding in ["both", "expanded", "seed"] {
                all.extend(["ML-KEM-768", "ML-DSA-65"].map(|algorithm| key(algorithm, encoding, format)));
            }
        }
        all.push(key("X25519+ML-KEM-768", "cbor", "cbor"));
        let run = run(all);
        let found = decomposed(&run);
        let ids: Vec<_> = found.iter().map(|one| (one.hybrid.case.name(), one.post_quantum.case.name())).collect();
        // X25519's private key is encoded as a scalar, but X-Wing's as a seed. For the composite signature, all three
        // keys are encoded as seeds.
        let name = |algorithm: &str, format: &str| format!("{algorithm} decode-private[key=seed,format={format}]");
        let expected = ["der", "pem"].map(|format| (name("MLDSA65-Ed25519-SHA512", format), name("ML-DSA-65", format)));
        assert_eq!(ids, expected);
    }

    #[test]
    fn work_that_both_halves_repeat_is_not_the_combiner() {
        let three = |ids: [&str; 3], parameters: &[(&str, &str)]| {
            run(ids.iter().map(|id| planned(id, parameters, "a", 50)).collect())
        };
        // A block is read, decoded and hashed once, whichever scheme signs its transactions.
        let block =
            ["Ed25519", "ML-DSA-65", "MLDSA65-Ed25519-SHA512"].map(|name| format!("ledger/{name}/verify-block"));
        let found = three([&block[0], &block[1], &block[2]], &[("regime", "disk")]);
        assert!(decomposed(&found).is_empty(), "{:?}", decomposed(&found)[0].hybrid.case.id());
        // Each form of certificate signs different bytes, so ML-DSA needs a different number of attempts.
        let forms = |operation: &str| {
            ["X.509-Ed25519", "X.509-ML-DSA-65", "X.509-composite"]
                .map(|form| format!("certificate/{form}/{operation}"))
        };
        let count = |operation: &str, parameters: &[(&str, &str)]| {
            let [classical, post_quantum, hybrid] = &forms(operation);
            decomposed(&three([classical, post_quantum, hybrid], parameters)).len()
        };
        assert_eq!((count("build", &[("deterministic", "")]), count("verify", &[])), (0, 1));
    }
}
