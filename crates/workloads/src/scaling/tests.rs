use super::*;
use crate::testing::{right, sample};
use pqlab_harness::Recorder;
use pqlab_providers::providers;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread::ThreadId;

/// Action of a trial after counting, such as a panic.
type Misbehaviour = fn() -> Result<(), Fault>;

/// Trial that counts operations and the threads that perform them, and may misbehave.
struct Counting {
    done: Arc<AtomicU64>,
    threads: Arc<Mutex<HashSet<ThreadId>>>,
    misbehave: Option<Misbehaviour>,
    /// Barrier at which each trial waits once for all others.
    meeting: Option<Arc<Barrier>>,
}

impl Trial for Counting {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        self.done.fetch_add(batch as u64, Ordering::Relaxed);
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).insert(std::thread::current().id());
        if let Some(meeting) = self.meeting.take() {
            meeting.wait();
        }
        self.misbehave.map_or(Ok(()), |misbehave| misbehave())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

#[derive(Default)]
struct Bench {
    done: Arc<AtomicU64>,
    threads: Arc<Mutex<HashSet<ThreadId>>>,
    /// Action of the second trial after counting.
    misbehave: Option<Misbehaviour>,
    /// Whether each trial waits until all have begun.
    meet: bool,
}

impl Bench {
    fn each(&self, count: usize) -> Vec<Box<dyn Trial>> {
        let meeting = self.meet.then(|| Arc::new(Barrier::new(count)));
        let trial = |index: usize| {
            let misbehave = self.misbehave.filter(|_| index == 1);
            let (done, threads) = (Arc::clone(&self.done), Arc::clone(&self.threads));
            Box::new(Counting { done, threads, misbehave, meeting: meeting.clone() }) as _
        };
        (0..count).map(trial).collect()
    }

    fn trials(&self, count: usize, processors: &[u32]) -> [Box<dyn Trial>; 2] {
        let team = team::Team::new(self.each(count), processors);
        [Box::new(team), Box::new(load::Load::new(7, self.each(count), processors))]
    }
}

/// Runs a test on its own thread, because the affinity that a trial sets would outlast the test.
fn apart(test: impl FnOnce() + Send + 'static) {
    std::thread::spawn(test).join().unwrap();
}

#[test]
fn performs_every_operation_once_on_any_number_of_threads() {
    apart(|| {
        let processors = affinity::allowed();
        for threads in [1, 2, 3, 5] {
            let bench = Bench::default();
            for mut trial in bench.trials(threads, &processors) {
                for batch in [0, 1, 2, 7, 20] {
                    if batch == 0 && trial.batch().is_some() {
                        continue;
                    }
                    bench.done.store(0, Ordering::Relaxed);
                    let extra = sample(trial.as_mut(), batch).unwrap();
                    assert_eq!(bench.done.load(Ordering::Relaxed), batch as u64, "{threads} threads");
                    let cores = threads.min(processors.len()) as f64;
                    assert!(extra.contains(&("cores".to_owned(), vec![cores])), "{extra:?}");
                }
            }
        }
    });
}

#[test]
fn all_threads_work() {
    apart(|| {
        for threads in [1, 2, 4] {
            for index in 0..2 {
                let bench = Bench { meet: true, ..Bench::default() };
                let mut trials = bench.trials(threads, &affinity::allowed());
                sample(trials[index].as_mut(), 40).unwrap();
                assert_eq!(bench.threads.lock().unwrap().len(), threads);
            }
        }
    });
}

#[test]
fn a_fault_or_panic_on_any_thread_ends_only_the_case() {
    apart(|| {
        let faults: [(Misbehaviour, &str); 2] = [
            (|| Err(Fault::WrongAnswer("made up".into())), "wrong answer: made up"),
            (|| panic!("made up"), "panicked: made up"),
        ];
        for (misbehave, expected) in faults {
            let bench = Bench { misbehave: Some(misbehave), meet: true, ..Bench::default() };
            for mut trial in bench.trials(2, &affinity::allowed()) {
                assert_eq!(sample(trial.as_mut(), 40).unwrap_err().to_string(), expected);
            }
            // The threads must still work.
            let bench = Bench::default();
            for mut trial in bench.trials(2, &affinity::allowed()) {
                sample(trial.as_mut(), 4).unwrap();
            }
        }
    });
}

#[test]
fn threads_without_work_return_their_shares() {
    apart(|| {
        let bench = Bench::default();
        for mut trial in bench.trials(3, &affinity::allowed()) {
            trial.setup(5).unwrap();
            trial.setup(5).unwrap();
            trial.verify().unwrap();
            trial.setup(5).unwrap();
        }
        assert_eq!(bench.done.load(Ordering::Relaxed), 0);
    });
}

#[test]
fn reports_a_processor_that_may_not_be_used() {
    apart(|| {
        let bench = Bench::default();
        for mut trial in bench.trials(2, &[affinity::allowed()[0], 1_000_000]) {
            let fault = sample(trial.as_mut(), 4).unwrap_err();
            assert!(fault.to_string().contains("processor 1000000"), "{fault}");
        }
    });
}

#[test]
fn a_load_records_the_queueing_delays() {
    apart(|| {
        let bench = Bench::default();
        let mut trial = load::Load::new(10, bench.each(2), &affinity::allowed());
        let extra = sample(&mut trial, 10).unwrap();
        let value = |name: &str| extra.iter().find(|(key, _)| key == name).unwrap().1[0];
        let delays = ["queueing_p50_ns", "queueing_p95_ns", "queueing_p99_ns", "queueing_max_ns"].map(value);
        assert!(delays.is_sorted(), "{delays:?}");
        assert!(delays[3] > 0.0, "{delays:?}");
        assert_eq!(trial.batch(), Some(10));
    });
}

#[test]
fn threads_go_up_to_all_processors() {
    assert_eq!(usual_threads(1), [1]);
    assert_eq!(usual_threads(2), [1, 2]);
    assert_eq!(usual_threads(10), [1, 2, 4, 8, 10]);
    assert_eq!(usual_threads(16), [1, 2, 4, 8, 16]);
}

#[test]
fn every_operation_of_every_provider_gives_right_answers_on_two_threads() {
    apart(|| {
        let providers = providers();
        let options =
            CaseOptions { threads: Some(vec![2]), tasks: Some(vec![3]), workers: Some(2), ..CaseOptions::default() };
        let cases = ScalingWorkload.cases(&providers, &options);
        let slow = |case: &Case| case.algorithm.starts_with("SLH-DSA") || case.algorithm.starts_with("RSA");
        let mut operations = HashSet::new();
        for case in cases.iter().filter(|case| !slow(case)) {
            right(&ScalingWorkload, case, &providers, &[3]);
            operations.insert(case.operation.clone());
        }
        assert_eq!(operations.len(), 4 + 5, "{operations:?}");
    });
}

#[test]
fn ids_name_threads_tasks_and_workers() {
    let options = CaseOptions { cores: Some(4), tasks: Some(vec![100]), ..CaseOptions::default() };
    let ids: Vec<String> = ScalingWorkload.cases(&providers(), &options).iter().map(Case::id).collect();
    for id in [
        "scaling/ML-DSA-65/verify[threads=4]@rustcrypto",
        "scaling/ML-DSA-65/verify-load[tasks=100,workers=4]@rustcrypto",
        "scaling/ML-KEM-768/handshake-load[tasks=100,workers=4]@rustcrypto",
    ] {
        assert!(ids.iter().any(|known| known == id), "{id}");
    }
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
}
