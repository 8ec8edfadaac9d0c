//! Estimates the duration of a plan before the run starts.
//!
//! The estimate for a case is its duration in an earlier run on this machine, with the same build and the same rules.
//! This duration includes preparation. Without such a run, the estimate is computed from the measurement settings, the
//! time of an operation and the time of the preparation. These times come from earlier runs with other rules, or from a
//! short trial in a worker process. Disturbed visits are measured again, so a run can take longer than the estimate.

use crate::running::processors::Place;
use crate::{LabError, Laboratory, Plan};
use pqlab_harness::clock;
use pqlab_harness::gate::AdditionsPerCycle;
use pqlab_harness::process::ProcessPool;
use pqlab_harness::schedule::{Failure, WorkerPool};
use pqlab_harness::wire::VisitRequest;
use pqlab_record::{Case, CounterChoice, Parameter, Protocol, ProtocolKind, Run, State, Unit};
use pqlab_store::{FinishedRun, Store};
use pqlab_workloads::link_seconds;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Maximum number of earlier runs used for estimates, newest first.
const MOST_RUNS: usize = 50;
/// Maximum age in days of the earlier runs used for estimates.
const DAYS: u32 = 90;
/// Minimum number of samples per case, if it is fixed, for which trials are worthwhile. With fewer samples, measuring a
/// case does not take long.
const FEWEST_SAMPLES: u64 = 100;
/// Time in ns, counted from the first trial, after which no further trial starts.
const PATIENCE_NS: u64 = 5_000_000_000;
/// Maximum fraction of a plan's duration to spend on trials, if the adaptive rules apply and no tried case has a size.
const PATIENCE_SHARE: f64 = 0.1;
/// Minimum sum of a plan's time limits, in seconds, for trials of all its cases. In shorter plans, only large cases get
/// trials.
const SHORT_S: f64 = 15.0;
/// Approximate minimum length of a sample in ns. The harness batches shorter operations.
const SHORTEST_SAMPLE_NS: f64 = 1e4;
/// Parameters that increase the time of an operation: the number of tasks and the number of transactions.
const SIZES: [&str; 2] = ["tasks", "tx"];
/// Sizes at which trials measure large cases. Two sizes separate the constant part of the time from the part that grows
/// with the size.
const TRIED_SIZES: [u64; 2] = [100, 1000];

/// Expected duration of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpectedDuration {
    /// Expected duration in seconds.
    pub seconds: f64,
    /// Number of samples per case, if it is fixed.
    pub samples: Option<u64>,
    /// Number of cases estimated from earlier runs.
    pub by_runs: usize,
    /// Number of cases estimated from trials.
    pub by_trial: usize,
    /// Number of cases without an estimate. Under the adaptive rules, `seconds` includes the time limits of these
    /// cases, but not their preparation. With a fixed number of samples, `seconds` does not include these cases at all.
    pub unknown: usize,
}

/// Origin of an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Run,
    Trial,
}

/// Estimated times of a case, and where they come from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Known {
    /// Time of one call of the operation, in ns.
    call_ns: f64,
    /// Time that a process needs to prepare the case, in ns.
    ready_ns: f64,
    source: Source,
}

/// Result of a trial of a case.
#[derive(Clone, Copy, Debug)]
struct Tried {
    size: f64,
    call_ns: f64,
    ready_ns: f64,
    /// Minimum length of a sample that the case requires, in ns.
    shortest_sample_ns: f64,
}

/// Returns the seconds between the start and the end of a run; `None` if the run is not complete.
pub fn run_seconds(run: &Run) -> Option<f64> {
    clock::seconds_between(&run.header.started_at, run.finished_at.as_deref()?)
}

impl Laboratory {
    /// Returns the expected duration of a plan. Cases that no earlier run covers get a short trial if they are large
    /// blocks or loads, or if the number of samples is fixed. The trials take a few seconds in total. If `thorough` is
    /// set, the other cases of long plans also get trials. Setting `stop` ends the trials.
    ///
    /// # Errors
    /// [`LabError::Store`] if the store cannot be read, [`LabError::Counter`] and [`LabError::Worker`] if this machine
    /// cannot measure.
    pub fn expected_duration(
        &self,
        store: &Store,
        plan: &Plan,
        thorough: bool,
        stop: &AtomicBool,
    ) -> Result<ExpectedDuration, LabError> {
        let environment = self.environment(CounterChoice::Wall)?;
        let now = clock::utc_now();
        let mut times = Times::default();
        for run in store.medians_of_runs_like(&environment, &now, DAYS, MOST_RUNS)? {
            for median in run.into_iter().filter(|median| median.unit == Unit::Nanoseconds) {
                times.by_id.entry(median.case).or_insert(median.median);
            }
        }
        let runs = store.finished_runs_like(&environment, &now, DAYS, MOST_RUNS)?;
        times.learn(&plan.cases, &plan.protocol, &runs);
        self.try_unknown(plan, thorough, &mut times, stop)?;
        Ok(expected(plan, &times))
    }

    /// Runs trials of cases without an estimate: one case of each kind, with one library. A case that fails gets no
    /// estimate.
    fn try_unknown(&self, plan: &Plan, thorough: bool, times: &mut Times, stop: &AtomicBool) -> Result<(), LabError> {
        let rules = &plan.protocol;
        let nominal_s = expected(plan, &Times::default()).seconds;
        let (worthwhile, patience_ns) = match samples(rules) {
            Some(samples) => (samples >= FEWEST_SAMPLES, PATIENCE_NS),
            None => (thorough && nominal_s >= SHORT_S, (PATIENCE_SHARE * nominal_s * 1e9) as u64),
        };
        let large = |case: &Case| size(case) >= TRIED_SIZES[1] as f64;
        let mut kinds: BTreeMap<String, &Case> = BTreeMap::new();
        let unknown = |case: &&Case| !case.is_overhead() && times.find(case, rules).is_none();
        for case in plan.cases.iter().filter(unknown).filter(|case| worthwhile || large(case)) {
            let largest = kinds.entry(kind(case)).or_insert(case);
            if size(case) > size(largest) {
                *largest = case;
            }
        }
        let mut tried: Vec<Case> = kinds.values().flat_map(|case| smaller(case)).collect();
        tried.sort_by_key(|case| !case.parameters.iter().any(is_size));
        if tried.is_empty() {
            return Ok(());
        }
        let patience_ns = if tried.iter().any(|case| case.parameters.iter().any(is_size)) {
            PATIENCE_NS
        } else {
            patience_ns.min(PATIENCE_NS)
        };
        let protocol = Protocol {
            processes: 1,
            counter: CounterChoice::Wall,
            affinity: rules.affinity.clone(),
            ..Protocol::default()
        };
        let place = Place::new(&protocol);
        let mut pool = ProcessPool::new(self.workers(1, &protocol, &tried, &place, None), stop);
        let begun = clock::monotonic_ns();
        let goes_on = || !stop.load(Ordering::Relaxed) && clock::monotonic_ns() - begun < patience_ns;
        for case in tried.iter().take_while(|_| goes_on()) {
            let started = clock::monotonic_ns();
            match pool.prepare(0, case) {
                Ok(prepared) => {
                    let batch = prepared.batch.unwrap_or(1);
                    let ready_ns = (clock::monotonic_ns() - started) as f64;
                    let mut call_ns = prepared.ns_per_operation * batch as f64;
                    if case.parameters.iter().any(is_size) {
                        match pool.visit(0, case, &one_sample(case, batch, prepared.ns_per_operation)) {
                            // For a large block, generation and checking take as long as the timed
                            // work, so count the whole visit.
                            Ok(visited) => call_ns = call_ns.max(visited.visit_ns as f64),
                            Err(Failure::Stopped) => break,
                            Err(_) => {}
                        }
                    }
                    times.tried.entry(kind(case)).or_default().push(Tried {
                        size: size(case),
                        call_ns,
                        ready_ns,
                        shortest_sample_ns: prepared.demands.shortest_sample_ns as f64,
                    });
                }
                // Ignore the error, which the run will report.
                Err(Failure::Case(_)) => {}
                Err(Failure::Fatal(error)) => return Err(error.into()),
                Err(Failure::Stopped) => break,
            }
            pool.release(case);
        }
        pool.shut_down();
        Ok(())
    }
}

/// Times from earlier runs and trials.
#[derive(Default)]
struct Times {
    /// Time of a call in ns, keyed by case id. For loads, the time per task.
    by_id: BTreeMap<String, f64>,
    /// Seconds that a case took under the rules of the plan, including preparation, keyed by case id.
    whole_s: BTreeMap<String, f64>,
    /// Time in ns that a process needs to prepare a case, keyed by case id.
    ready_ns: BTreeMap<String, f64>,
    /// Time of a call divided by the case's [`size`], and preparation time, both in ns and keyed by [`kind`].
    by_kind: BTreeMap<String, (f64, f64)>,
    /// Results of trials, smallest size first, keyed by [`kind`].
    tried: BTreeMap<String, Vec<Tried>>,
}

impl Times {
    /// Adds times from earlier runs. If no earlier run measured a case, the estimate for the case uses the times of
    /// another case of the same [`kind`], for example with another library.
    fn learn(&mut self, cases: &[Case], protocol: &Protocol, runs: &[FinishedRun]) {
        // Skip cases with several threads: their medians do not show the length of a sample, so the caller runs trials
        // of them.
        let unthreaded: Vec<&Case> = cases.iter().filter(|case| case.threads().is_none()).collect();
        let ids: BTreeSet<String> = unthreaded.iter().map(|case| case.id()).collect();
        self.by_id.retain(|id, _| ids.contains(id));
        let plan: BTreeMap<String, &Case> = cases.iter().map(|case| (case.id(), case)).collect();
        for run in runs {
            let same = same_rules(&run.protocol, protocol);
            for (id, seconds) in shares(run) {
                let Some(case) = plan.get(id) else { continue };
                let id = case.id();
                if same {
                    self.whole_s.entry(id).or_insert(seconds);
                } else if let Some(ns) = self.by_id.get(&id) {
                    let call_ns = ns * case.tasks().unwrap_or(1) as f64;
                    let known = Known { call_ns, ready_ns: 0.0, source: Source::Run };
                    let measured = case_seconds(case, &run.protocol, known, SHORTEST_SAMPLE_NS);
                    let each_ns = (seconds - measured).max(0.0) * 1e9 / f64::from(run.protocol.processes.max(1));
                    self.ready_ns.entry(id).or_insert(each_ns);
                }
            }
        }
        for case in unthreaded {
            let id = case.id();
            if let Some(ns) = self.by_id.get(&id) {
                // A load's median is the time per task, but a block's median is the time for the
                // whole block.
                let tasks = case.tasks().unwrap_or(1) as f64;
                let of_one = ns * tasks / size(case);
                let ready_ns = self.ready_ns.get(&id).copied().unwrap_or(0.0);
                self.by_kind.entry(kind(case)).or_insert((of_one, ready_ns));
            }
        }
    }

    fn find(&self, case: &Case, protocol: &Protocol) -> Option<Known> {
        let id = case.id();
        if let Some(seconds) = self.whole_s.get(&id) {
            // Return the whole time as preparation, because only the sum of both times matters.
            let ready_ns = seconds * 1e9 / f64::from(protocol.processes.max(1));
            return Some(Known { call_ns: 0.0, ready_ns, source: Source::Run });
        }
        if let Some(ns) = self.by_id.get(&id) {
            let tasks = case.tasks().unwrap_or(1) as f64;
            let ready_ns = self.ready_ns.get(&id).copied().unwrap_or(0.0);
            return Some(Known { call_ns: ns * tasks, ready_ns, source: Source::Run });
        }
        let kind = kind(case);
        if let Some(tried) = self.tried.get(&kind)
            && let Some(last) = tried.last()
        {
            let growth = match &tried[..] {
                [first, .., last] if last.size > first.size => {
                    ((last.ready_ns - first.ready_ns) / (last.size - first.size)).max(0.0)
                }
                _ => 0.0,
            };
            let ready_ns = (last.ready_ns + growth * (size(case) - last.size)).max(0.0);
            return Some(Known { call_ns: last.call_ns / last.size * size(case), ready_ns, source: Source::Trial });
        }
        let (of_one, ready_ns) = self.by_kind.get(&kind)?;
        Some(Known { call_ns: of_one * size(case), ready_ns: *ready_ns, source: Source::Run })
    }

    fn shortest_sample_ns(&self, case: &Case) -> f64 {
        let tried = self.tried.get(&kind(case)).into_iter().flatten();
        tried.map(|tried| tried.shortest_sample_ns).fold(SHORTEST_SAMPLE_NS, f64::max)
    }
}

/// Returns whether two protocols agree in all settings that determine the duration of a run.
fn same_rules(one: &Protocol, other: &Protocol) -> bool {
    let rules = |protocol: &Protocol| {
        let counts = (protocol.processes, protocol.warmup, protocol.iterations, protocol.handshakes, protocol.batch);
        (protocol.kind, counts, [protocol.precision_pct, protocol.max_time_s, protocol.visit_s].map(f64::to_bits))
    };
    rules(one) == rules(other)
}

/// Returns the ids of a run's cases, with the seconds that each case took, including preparation. A block lasts from
/// the end of the previous block to its own end. Its cases share this time equally.
fn shares(run: &FinishedRun) -> Vec<(&str, f64)> {
    let mut blocks: Vec<(&str, Vec<&str>, &str)> = Vec::new();
    for case in &run.cases {
        match blocks.iter_mut().find(|(block, ..)| *block == case.block) {
            Some((_, ids, end)) => {
                ids.push(&case.id);
                *end = (*end).max(&case.finished_at);
            }
            None => blocks.push((&case.block, vec![&case.id], &case.finished_at)),
        }
    }
    blocks.sort_by_key(|(.., end)| *end);
    let mut begin = run.started_at.as_str();
    let mut found = Vec::new();
    for (_, ids, end) in blocks {
        let seconds = clock::seconds_between(begin, end).unwrap_or(0.0).max(0.0) / ids.len() as f64;
        found.extend(ids.into_iter().map(|id| (id, seconds)));
        begin = end;
    }
    found
}

/// Returns a key that is equal for cases with similar times. It consists of the parts of the case id except library,
/// key encoding and size.
fn kind(case: &Case) -> String {
    let matters = |parameter: &&Parameter| match parameter {
        Parameter::Word(name, _) => name != "key",
        _ => !is_size(parameter),
    };
    let parameters: Vec<String> = case.parameters.iter().filter(matters).map(Parameter::to_string).collect();
    format!("{}/{}/{}[{}]", case.workload, case.algorithm, case.operation, parameters.join(","))
}

fn is_size(parameter: &Parameter) -> bool {
    matches!(parameter, Parameter::Number(name, _) if SIZES.contains(&name.as_str()))
}

/// Returns the size that determines the time of a call: the number of tasks or transactions.
fn size(case: &Case) -> f64 {
    SIZES.iter().filter_map(|name| case.number(name)).product::<u64>().max(1) as f64
}

/// Returns copies of the case with sizes limited to each of [`TRIED_SIZES`], without duplicates.
fn smaller(case: &Case) -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    for most in TRIED_SIZES {
        let mut smaller = Case { block: "expected".into(), ..case.clone() };
        for parameter in &mut smaller.parameters {
            if let Parameter::Number(name, number) = parameter
                && SIZES.contains(&name.as_str())
            {
                *number = (*number).min(most);
            }
        }
        if found.last().is_none_or(|last| size(last) < size(&smaller)) {
            found.push(smaller);
        }
    }
    found
}

/// Returns a request for a visit with a single sample.
fn one_sample(case: &Case, batch: u64, ns_per_operation: f64) -> VisitRequest {
    VisitRequest {
        case: case.id(),
        batch,
        warmup: 0,
        samples: 1,
        least: 0,
        budget_ns: u64::MAX / 2,
        expected_ns: (ns_per_operation * batch as f64) as u64,
        may_put_off: false,
        patient: false,
        additions_per_cycle: AdditionsPerCycle::new(),
    }
}

/// Returns the number of samples per case, if it is fixed.
fn samples(protocol: &Protocol) -> Option<u64> {
    protocol.iterations.filter(|_| protocol.kind != ProtocolKind::Adaptive)
}

/// Estimates how many seconds a case takes under a protocol, including preparation.
fn case_seconds(case: &Case, protocol: &Protocol, known: Known, shortest_sample_ns: f64) -> f64 {
    let processes = f64::from(protocol.processes);
    let ready_s = known.ready_ns * processes / 1e9;
    if let Some(seconds) = link_seconds(case, protocol.handshakes, protocol.processes) {
        return seconds + ready_s;
    }
    let call_ns = known.call_ns;
    let Some(samples) = samples(protocol) else {
        // The harness completes each round and starts no new round once the time is used up.
        let visit_s = protocol.visit_s.max(call_ns.max(shortest_sample_ns) / 1e9);
        return protocol.max_time_s.max(visit_s * processes) + ready_s;
    };
    let batch = protocol.batch.filter(|_| size(case) <= 1.0);
    let sample_ns = batch.map_or_else(|| call_ns.max(shortest_sample_ns), |batch| call_ns * batch as f64);
    // For loads of a thread pool, the warm-up counts tasks instead of calls.
    let calls = protocol.warmup as f64 / case.tasks().unwrap_or(1) as f64;
    let warmup_ns = if case.state() == State::Warm { calls * call_ns * processes } else { 0.0 };
    (sample_ns * samples as f64 + warmup_ns) / 1e9 + ready_s
}

fn expected(plan: &Plan, times: &Times) -> ExpectedDuration {
    let protocol = &plan.protocol;
    let mut found = ExpectedDuration { samples: samples(protocol), ..ExpectedDuration::default() };
    for case in &plan.cases {
        let known = times.find(case, protocol);
        if !case.is_overhead() {
            match known.map(|known| known.source) {
                Some(Source::Run) => found.by_runs += 1,
                Some(Source::Trial) => found.by_trial += 1,
                None => found.unknown += 1,
            }
        }
        found.seconds += match known {
            Some(known) if times.whole_s.contains_key(&case.id()) => {
                known.ready_ns * f64::from(protocol.processes.max(1)) / 1e9
            }
            Some(known) => case_seconds(case, protocol, known, times.shortest_sample_ns(case)),
            None if samples(protocol).is_some() => 0.0,
            None => link_seconds(case, protocol.handshakes, protocol.processes).unwrap_or(protocol.max_time_s),
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::Facts;
    use pqlab_store::FinishedCase;

    fn case(operation: &str, provider: &str, parameters: &[(&str, u64)]) -> Case {
        Case {
            workload: "scaling".into(),
            algorithm: "ML-KEM-768".into(),
            operation: operation.into(),
            provider: provider.into(),
            form: None,
            parameters: parameters.iter().map(|(name, value)| Parameter::Number((*name).into(), *value)).collect(),
            block: String::new(),
            facts: Facts::default(),
        }
    }

    fn reference() -> Protocol {
        Protocol {
            kind: ProtocolKind::Reference,
            iterations: Some(1000),
            processes: 4,
            warmup: 100,
            ..Protocol::default()
        }
    }

    fn plan(cases: &[Case], protocol: Protocol) -> Plan {
        Plan { suite: "test".into(), cases: cases.to_vec(), protocol }
    }

    fn tried(call_ns: f64) -> Tried {
        Tried { size: 1.0, call_ns, ready_ns: 0.0, shortest_sample_ns: 0.0 }
    }

    fn close(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-6, "{found} is not {wanted}");
    }

    #[test]
    fn adds_up_samples_and_warm_up_of_every_case() {
        let known = case("keygen", "a", &[]);
        let cases = [known.clone(), case("keygen", "b", &[]), case("sign", "a", &[]), case("verify", "a", &[])];
        let mut times = Times::default();
        times.by_id.insert(known.id(), 1e6);
        times.learn(&cases, &reference(), &[]);
        times.tried.insert(kind(&cases[2]), vec![tried(100.0)]);
        let found = expected(&plan(&cases, reference()), &times);
        assert_eq!((found.by_runs, found.by_trial, found.unknown, found.samples), (2, 1, 1, Some(1000)));
        // Two cases take 1,000 samples of 1 ms after 4 times 100 warm-up operations. The third case takes samples of
        // the minimum length.
        close(found.seconds, 2.0 * (1.0 + 0.4) + 1000.0 * SHORTEST_SAMPLE_NS / 1e9 + 4.0 * 100.0 * 1e-7);
        let seconds = |times: &Times, protocol| expected(&plan(&cases[2..3], protocol), times).seconds;
        let long = Tried { shortest_sample_ns: 1e6, ..tried(100.0) };
        times.tried.insert(kind(&cases[2]), vec![long]);
        close(seconds(&times, reference()), 1.0 + 4e-5);
        times.tried.insert(kind(&cases[2]), vec![Tried { ready_ns: 1e8, ..long }]);
        close(seconds(&times, reference()), 1.0 + 4e-5 + 4.0 * 0.1);
        times.tried.insert(kind(&cases[2]), vec![tried(100.0)]);
        close(seconds(&times, Protocol { batch: Some(1), ..reference() }), 1400.0 * 1e-7);
    }

    #[test]
    fn a_load_is_estimated_from_a_smaller_one() {
        let load = |tasks| case("sign-load", "a", &[("tasks", tasks), ("workers", 2)]);
        let mut times = Times::default();
        times.by_id.insert(load(100).id(), 1e5);
        let cases = [load(100), load(5000)];
        times.learn(&cases, &reference(), &[]);
        let call_ns = |case: &Case| times.find(case, &reference()).map(|known| known.call_ns);
        assert_eq!(call_ns(&load(100)), Some(1e7));
        assert_eq!(call_ns(&load(5000)), Some(5e8));
        assert_eq!(call_ns(&case("sign-load", "a", &[("tasks", 100), ("workers", 4)])), None);
        close(expected(&plan(&cases[1..], reference()), &times).seconds, 500.0 + 0.01 * 4.0);
    }

    #[test]
    fn an_adaptive_case_takes_a_whole_round_and_its_preparation_in_every_process() {
        let block = |tx| case("verify-block", "a", &[("tx", tx)]);
        let protocol = || Protocol { processes: 3, max_time_s: 0.5, ..Protocol::default() };
        let large = plan(&[block(100_000)], protocol());
        let nominal = expected(&large, &Times::default());
        assert_eq!((nominal.seconds, nominal.unknown), (0.5, 1));
        // A block of 1,000 transactions takes 50 ms, after 200 ms of preparation. The preparation of 100 transactions
        // takes 110 ms.
        let mut times = Times::default();
        let at = |size: f64, ready_ns| Tried { size, call_ns: size * 5e4, ready_ns, shortest_sample_ns: 0.0 };
        times.tried.insert(kind(&block(1)), vec![at(100.0, 1.1e8), at(1000.0, 2e8)]);
        // Each of three processes spends 5 s on the block and 10.1 s on its preparation.
        close(expected(&large, &times).seconds, 3.0 * (5.0 + 10.1));
        close(expected(&plan(&[block(1)], protocol()), &times).seconds, 0.5 + 3.0 * 0.1001);
    }

    #[test]
    fn large_cases_are_tried_at_two_sizes() {
        let sizes = |tx| smaller(&case("verify-block", "a", &[("tx", tx)])).iter().map(size).collect::<Vec<_>>();
        assert_eq!(sizes(100_000), [100.0, 1000.0]);
        assert_eq!(sizes(500), [100.0, 500.0]);
        assert_eq!(sizes(1), [1.0]);
        assert_eq!(smaller(&case("sign", "a", &[])).len(), 1);
    }

    #[test]
    fn earlier_runs_give_whole_times_under_the_same_rules_and_otherwise_preparation_times() {
        let [small, large] = [case("sign", "a", &[]), case("verify-block", "a", &[("tx", 10_000)])];
        let finished = |case: &Case, block: &str, minute: u32| FinishedCase {
            id: case.id(),
            block: block.into(),
            finished_at: format!("2026-11-21T19:{minute:02}:00Z"),
        };
        let earlier = FinishedRun {
            started_at: "2026-11-21T19:00:00Z".into(),
            protocol: Protocol::default(),
            cases: vec![finished(&small, "one", 1), finished(&large, "two", 4)],
        };
        let cases = [small.clone(), large.clone()];
        let seconds = |protocol: Protocol| {
            let mut times = Times::default();
            times.by_id.insert(large.id(), 1e9);
            times.learn(&cases, &protocol, std::slice::from_ref(&earlier));
            expected(&plan(&cases[1..], protocol), &times).seconds
        };
        close(seconds(Protocol::default()), 180.0);
        // A round of eight processes took 8 of the 180 s, so each process took 21.5 s to prepare the case.
        close(seconds(Protocol { processes: 2, ..Protocol::default() }), 2.0 * (1.0 + 21.5));
    }
}
