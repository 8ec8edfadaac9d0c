//! How long a plan with a fixed number of samples takes, said before it begins: such a plan has no limit of time.
//!
//! What an operation takes is what earlier runs of this machine and build found; of what they did not measure one library does
//! one operation, in a worker process of its own, and making it ready is timed too. The rest is arithmetic, and less than what it
//! will be: answers are checked, and disturbed visits are measured again.

use crate::place::Place;
use crate::{LabError, Laboratory, Plan};
use pqlab_harness::clock;
use pqlab_harness::process::ProcessPool;
use pqlab_harness::schedule::{Failure, WorkerPool};
use pqlab_record::{Case, CounterChoice, Parameter, Protocol, ProtocolKind, State, Unit};
use pqlab_store::Store;
use std::collections::{BTreeMap, BTreeSet};

/// Earlier runs that are asked: the newest of so many, not older than so many days.
const MOST_RUNS: usize = 50;
const DAYS: u32 = 90;
/// With fewer samples a case no plan takes long for what it measures, and nothing is tried for it.
const FEWEST_SAMPLES: u64 = 100;
/// Time after which nothing more is tried, in ns.
const PATIENCE_NS: u64 = 5_000_000_000;
/// A sample of an operation that is shorter is one of several operations, about so long, in ns.
const SHORTEST_SAMPLE_NS: f64 = 1e4;
/// Numbers that an operation's time grows with: of tasks, and of transactions.
const SIZES: [&str; 2] = ["tasks", "tx"];

/// How long a plan takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpectedDuration {
    /// Seconds, at least.
    pub seconds: f64,
    /// Samples of each case.
    pub samples: u64,
    /// Cases of which earlier runs tell.
    pub by_runs: usize,
    /// Cases for which operations were tried.
    pub by_trial: usize,
    /// Cases of which nothing is known: their time comes on top.
    pub unknown: usize,
}

/// What is known of the time of one operation, in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    Run(f64),
    Trial(f64),
}

impl Laboratory {
    /// How long a plan takes that has a fixed number of samples; `None` of another, and of one with few samples. Takes some
    /// seconds at most where earlier runs do not tell.
    ///
    /// # Errors
    /// [`LabError::Store`] where the store cannot be read, [`LabError::Counter`] and [`LabError::Worker`] where nothing can be
    /// measured here.
    pub fn expected_duration(&self, store: &Store, plan: &Plan) -> Result<Option<ExpectedDuration>, LabError> {
        let samples = plan.protocol.iterations.filter(|_| plan.protocol.kind != ProtocolKind::Adaptive);
        let Some(samples) = samples.filter(|samples| *samples >= FEWEST_SAMPLES) else { return Ok(None) };
        let mut times = Times::default();
        let environment = self.environment(CounterChoice::Wall)?;
        for run in store.medians_of_runs_like(&environment, &clock::utc_now(), DAYS, MOST_RUNS)? {
            for median in run.into_iter().filter(|median| median.unit == Unit::Nanoseconds) {
                times.by_id.entry(median.case).or_insert(median.median);
            }
        }
        times.learn(&plan.cases);
        self.try_unknown(&plan.cases, &plan.protocol, &mut times)?;
        Ok(Some(expected(&plan.cases, &plan.protocol, samples, &times)))
    }

    /// One operation of each kind of which nothing is known, by one library; nothing of what fails.
    fn try_unknown(&self, cases: &[Case], asked: &Protocol, times: &mut Times) -> Result<(), LabError> {
        let mut kinds: BTreeMap<String, &Case> = BTreeMap::new();
        for case in cases.iter().filter(|case| case.workload != "floor" && times.of(case).is_none()) {
            let smallest = kinds.entry(kind(case)).or_insert(case);
            if size(case) < size(smallest) {
                *smallest = case;
            }
        }
        let tried: Vec<Case> =
            kinds.into_values().map(|case| Case { block: "expected".into(), ..case.clone() }).collect();
        if tried.is_empty() {
            return Ok(());
        }
        let protocol = Protocol {
            processes: 1,
            counter: CounterChoice::Wall,
            affinity: asked.affinity.clone(),
            ..Protocol::default()
        };
        let place = Place::of(&protocol);
        let mut pool = ProcessPool::new(self.workers(1, &protocol, &tried, &place, None));
        let begun = clock::monotonic_ns();
        for case in tried.iter().take_while(|_| clock::monotonic_ns() - begun < PATIENCE_NS) {
            let asked = clock::monotonic_ns();
            match pool.prepare(0, case) {
                Ok(prepared) => {
                    times.ready_ns.insert(kind(case), (clock::monotonic_ns() - asked) as f64);
                    times.tried(case, prepared.ns_per_operation * prepared.batch.unwrap_or(1) as f64);
                    times.shortest_sample_ns.insert(kind(case), prepared.demands.shortest_sample_ns as f64);
                }
                // Whatever is wrong with it, the run will say.
                Err(Failure::Case(_)) => {}
                Err(Failure::Fatal(error)) => return Err(error.into()),
            }
            pool.release(case);
        }
        pool.shut_down();
        Ok(())
    }
}

/// What is known of times, in ns of all that a call does.
#[derive(Default)]
struct Times {
    /// By what stays of a case's id.
    by_id: BTreeMap<String, f64>,
    /// For each unit of size, by kind.
    by_kind: BTreeMap<String, Known>,
    /// How long a process takes to ready a case of a kind, in ns.
    ready_ns: BTreeMap<String, f64>,
    /// How long a sample of a kind is at least, in ns, where it asks for long ones.
    shortest_sample_ns: BTreeMap<String, f64>,
}

impl Times {
    /// What is known of a case stands for its kind, with other libraries.
    fn learn(&mut self, cases: &[Case]) {
        // How long the samples of threads are, a median does not tell: these are tried.
        let told: Vec<&Case> = cases.iter().filter(|case| case.number("threads").is_none()).collect();
        let ids: BTreeSet<String> = told.iter().map(|case| case.lasting_id()).collect();
        self.by_id.retain(|id, _| ids.contains(id));
        for case in told {
            if let Some(ns) = self.by_id.get(&case.lasting_id()) {
                // A median is of one task, and of a whole block.
                let tasks = case.number("tasks").unwrap_or(1) as f64;
                let of_one = ns * tasks / size(case);
                self.by_kind.entry(kind(case)).or_insert(Known::Run(of_one));
            }
        }
    }

    fn tried(&mut self, case: &Case, ns: f64) {
        self.by_kind.insert(kind(case), Known::Trial(ns / size(case)));
    }

    /// How long a process takes to ready a case, in ns: as long as those that were tried, where its kind was not.
    fn to_ready(&self, case: &Case) -> f64 {
        let mean = || self.ready_ns.values().sum::<f64>() / self.ready_ns.len().max(1) as f64;
        self.ready_ns.get(&kind(case)).copied().unwrap_or_else(mean)
    }

    fn of(&self, case: &Case) -> Option<Known> {
        let tasks = case.number("tasks").unwrap_or(1) as f64;
        let own = self.by_id.get(&case.lasting_id()).map(|ns| Known::Run(ns * tasks));
        own.or_else(|| {
            self.by_kind.get(&kind(case)).map(|known| match known {
                Known::Run(ns) => Known::Run(ns * size(case)),
                Known::Trial(ns) => Known::Trial(ns * size(case)),
            })
        })
    }
}

/// What cases have in common whose times are like one another: all but library, key's encoding and size.
fn kind(case: &Case) -> String {
    let told = |parameter: &&Parameter| match parameter {
        Parameter::Number(name, _) => !SIZES.contains(&name.as_str()),
        Parameter::Word(name, _) => name != "key",
        Parameter::Flag(_) => true,
    };
    let parameters: Vec<String> = case.parameters.iter().filter(told).map(Parameter::to_string).collect();
    format!("{}/{}/{}[{}]", case.workload, case.algorithm, case.operation, parameters.join(","))
}

/// What the time of a call grows with.
fn size(case: &Case) -> f64 {
    SIZES.iter().filter_map(|name| case.number(name)).product::<u64>().max(1) as f64
}

fn expected(cases: &[Case], protocol: &Protocol, samples: u64, times: &Times) -> ExpectedDuration {
    let mut found = ExpectedDuration { samples, ..ExpectedDuration::default() };
    for case in cases.iter().filter(|case| case.workload != "floor") {
        let ns = match times.of(case) {
            Some(Known::Run(ns)) => {
                found.by_runs += 1;
                ns
            }
            Some(Known::Trial(ns)) => {
                found.by_trial += 1;
                ns
            }
            None => {
                found.unknown += 1;
                continue;
            }
        };
        let batch = protocol.batch.filter(|_| size(case) <= 1.0);
        let shortest_ns = times.shortest_sample_ns.get(&kind(case)).copied().unwrap_or(0.0).max(SHORTEST_SAMPLE_NS);
        let sample_ns = batch.map_or_else(|| ns.max(shortest_ns), |batch| ns * batch as f64);
        let warm = case.state() == State::Warm;
        // Of a load the warm-up counts tasks.
        let calls = protocol.warmup as f64 / case.number("tasks").unwrap_or(1) as f64;
        let warmup_ns = if warm { calls * ns * f64::from(protocol.processes) } else { 0.0 };
        let ready_ns = times.to_ready(case) * f64::from(protocol.processes);
        found.seconds += (sample_ns * samples as f64 + warmup_ns + ready_ns) / 1e9;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_record::Facts;

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
        Protocol { kind: ProtocolKind::Reference, processes: 4, warmup: 100, ..Protocol::default() }
    }

    #[test]
    fn samples_and_warm_up_of_every_case_are_added_up() {
        let known = case("keygen", "a", &[]);
        let cases = [known.clone(), case("keygen", "b", &[]), case("sign", "a", &[]), case("verify", "a", &[])];
        let mut times = Times::default();
        times.by_id.insert(known.lasting_id(), 1e6);
        times.learn(&cases);
        times.tried(&cases[2], 100.0);
        let found = expected(&cases, &reference(), 1000, &times);
        assert_eq!((found.by_runs, found.by_trial, found.unknown, found.samples), (2, 1, 1, 1000));
        // Twice 1,000 samples of a millisecond after four times 100, and samples that are no shorter than some.
        let wanted = 2.0 * (1.0 + 0.4) + 1000.0 * SHORTEST_SAMPLE_NS / 1e9 + 4.0 * 100.0 * 1e-7;
        assert!((found.seconds - wanted).abs() < 1e-9, "{}", found.seconds);
        times.shortest_sample_ns.insert(kind(&cases[2]), 1e6);
        let long = expected(&cases[2..3], &reference(), 1000, &times).seconds;
        assert!((long - (1.0 + 4e-5)).abs() < 1e-9, "{long}");
        times.ready_ns.insert(kind(&cases[2]), 1e8);
        for (cases, alone) in [(&cases[2..3], long), (&cases[..1], 1.4)] {
            let ready = expected(cases, &reference(), 1000, &times).seconds - alone;
            assert!((ready - 4.0 * 0.1).abs() < 1e-9, "four processes: {ready}");
        }
        times.ready_ns.clear();
        let one = expected(&cases[2..3], &Protocol { batch: Some(1), ..reference() }, 1000, &times);
        assert!((one.seconds - 1400.0 * 1e-7).abs() < 1e-9, "{}", one.seconds);
    }

    #[test]
    fn a_load_takes_its_tasks_and_is_known_by_a_smaller_one() {
        let of = |tasks| case("sign-load", "a", &[("tasks", tasks), ("workers", 2)]);
        let mut times = Times::default();
        times.by_id.insert(of(100).lasting_id(), 1e5);
        let cases = [of(100), of(5000)];
        times.learn(&cases);
        assert_eq!(times.of(&of(100)), Some(Known::Run(1e7)));
        assert_eq!(times.of(&of(5000)), Some(Known::Run(5e8)));
        assert_eq!(times.of(&case("sign-load", "a", &[("tasks", 100), ("workers", 4)])), None);
        let found = expected(&cases[1..], &reference(), 1000, &times);
        assert!((found.seconds - (500.0 + 0.01 * 4.0)).abs() < 1e-6, "{}", found.seconds);
    }
}
