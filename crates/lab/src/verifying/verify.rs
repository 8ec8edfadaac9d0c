//! Verifies libraries with known answers and published vectors, and tests every library against every other. Each
//! algorithm of each provider runs in a separate process, so that a crash affects only one line of the report. At most
//! one of these processes runs per processor at any time.

use super::parts::{VerifyPart, VerifyRequest, check_names, parts};
use crate::running::errand::{Task, lost, read_answer};
use crate::{LabError, Laboratory};
use pqlab_harness::errand::{Errand, ErrandEnd, Manner, Next};
use pqlab_harness::{clock, ending};
use pqlab_verification::{
    self as verification, Accumulation, Answers, EDGE_CASES, EDGE_CASES_OF, EdgeCases, Line, Vectors,
};
use pqlab_workloads::Registry;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Interval between checks for a stop request.
const LOOK: Duration = Duration::from_millis(50);
/// Interval between the messages in which a process reports that more checks have finished.
const ALIVE: Duration = Duration::from_secs(1);

/// Message from a part of a verification.
#[derive(Clone, Debug)]
pub enum Verified {
    /// A line of the result.
    Line(Line),
    /// A provider's result for the edge cases of Ed25519.
    EdgeCases(EdgeCases),
    /// Number of accumulated-vector answers computed so far, and the total number.
    Answers(u64, u64),
    /// The part is finished.
    Done,
}

/// Amount of work for the accumulated vectors of a request (see [`VerifyRequest::answers`]).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    /// Total number of answers for all providers.
    pub answers: u64,
    /// Estimated time on the available processors, in seconds.
    pub seconds: f64,
}

impl Laboratory {
    /// Returns the parts of a verification, in display order.
    ///
    /// # Errors
    /// [`LabError::Unknown`] for a pattern without a match.
    pub fn verify_parts(&self, request: &VerifyRequest) -> Result<Vec<VerifyPart>, LabError> {
        check_names(self.registry(), request)?;
        Ok(parts(self.registry(), request))
    }

    /// Verifies the parts, several of them in parallel, and passes their messages to `take` as they arrive. Returns
    /// `false` if `stop` was set before all parts finished.
    ///
    /// # Errors
    /// [`LabError::Worker`] if no process can be started. An error from `take` ends the verification and is returned.
    pub fn verify<E: From<LabError>>(
        &self,
        parts: &[VerifyPart],
        request: &VerifyRequest,
        take: &mut dyn FnMut(&VerifyPart, Verified) -> Result<(), E>,
        stop: &AtomicBool,
    ) -> Result<bool, E> {
        let mut order: Vec<&VerifyPart> = parts.iter().collect();
        // Start slow parts first, so that they do not run alone at the end.
        order.sort_by_key(|part| !part.is_slow());
        several_at_once(&order, stop, take, |part, halt, say| self.verify_part(part, request, halt, say))
    }

    /// Estimates the time for the accumulated vectors of these parts by timing a few answers of each part.
    ///
    /// # Errors
    /// Same as [`verify`](Self::verify). The estimate leaves out parts that crash or hang, which the verification will report.
    pub fn verify_extent(
        &self,
        parts: &[VerifyPart],
        request: &VerifyRequest,
        stop: &AtomicBool,
    ) -> Result<Extent, LabError> {
        let timed: Vec<&VerifyPart> = parts.iter().filter(|part| part.accumulates()).collect();
        let (mut answers, mut seconds, mut longest) = (0, 0.0, 0.0_f64);
        let mut take = |_: &VerifyPart, (count, pace): (u64, f64)| {
            answers += count;
            seconds += count as f64 * pace;
            longest = longest.max(count as f64 * pace);
            Ok::<(), LabError>(())
        };
        several_at_once(&timed, stop, &mut take, |part, halt, say| self.time_part(part, request, halt, say))?;
        Ok(Extent { answers, seconds: longest.max(seconds / at_once(timed.len()) as f64) })
    }

    /// Runs a part in a separate process and passes its messages to `say`. Reports a failed line if the process dies, or
    /// if no check finishes within the time limit for a request. Returns `false` if `halt` was set.
    fn verify_part(
        &self,
        part: &VerifyPart,
        request: &VerifyRequest,
        halt: &AtomicBool,
        say: &dyn Fn(Verified),
    ) -> Result<bool, LabError> {
        let task = VerifyTask { part: part.clone(), request: request.clone() };
        let mut errand: Errand = self.start(&task, &Manner::default())?;
        let failed = |what: String| {
            Verified::Line(Line {
                provider: part.provider().to_owned(),
                algorithm: part.algorithm().to_owned(),
                suite: "the process itself".into(),
                attempted: 1,
                failures: vec![what],
                ..Line::default()
            })
        };
        let limit = self.limits.request;
        let (mut last, mut finished) = ("after its start".to_owned(), false);
        loop {
            match errand.next_within(limit, halt).map_err(lost)? {
                None => {
                    say(failed(format!(
                        "stopped the process, because it gave no result for {:.0} s {last}: a call did not return",
                        limit.as_secs_f64()
                    )));
                    say(Verified::Done);
                    return Ok(true);
                }
                Some(Next::Said(message)) => match read_answer::<VerifyTask>(&message) {
                    Some(VerifyAnswer::Line(line)) => {
                        last = format!("after {} {}", line.algorithm, line.suite);
                        say(Verified::Line(line));
                    }
                    Some(VerifyAnswer::EdgeCases(edge_cases)) => say(Verified::EdgeCases(edge_cases)),
                    Some(VerifyAnswer::Answers(done, of)) => say(Verified::Answers(done, of)),
                    Some(VerifyAnswer::Finished) => finished = true,
                    Some(VerifyAnswer::Alive) | None => {}
                },
                Some(Next::Ended) => break,
                Some(Next::Stopped) => return Ok(false),
            }
        }
        let ErrandEnd { status, stdout, .. } = errand.end().map_err(lost)?;
        if !stdout.is_empty() {
            say(failed(format!("a library wrote to standard output (lines: {})", stdout.lines().count())));
        }
        if !finished || !status.success() {
            say(failed(format!("the process ended {last}: {}", ending(status))));
        }
        say(Verified::Done);
        Ok(true)
    }

    fn time_part(
        &self,
        part: &VerifyPart,
        request: &VerifyRequest,
        halt: &AtomicBool,
        say: &dyn Fn((u64, f64)),
    ) -> Result<bool, LabError> {
        let task = PaceTask { part: part.clone(), answers: request.answers };
        let mut errand: Errand = self.start(&task, &Manner::default())?;
        loop {
            match errand.next_within(self.limits.request, halt).map_err(lost)? {
                Some(Next::Said(message)) => {
                    if let Some(PaceAnswer { answers, seconds }) = read_answer::<PaceTask>(&message) {
                        say((answers, seconds));
                    }
                }
                Some(Next::Ended) | None => return Ok(true),
                Some(Next::Stopped) => return Ok(false),
            }
        }
    }
}

/// Runs `work` for each part, on one thread per processor, and passes its messages to `take`. Returns `false` if the
/// work was stopped before all parts finished.
fn several_at_once<'p, T: Send, E: From<LabError>>(
    parts: &[&'p VerifyPart],
    stop: &AtomicBool,
    take: &mut dyn FnMut(&VerifyPart, T) -> Result<(), E>,
    work: impl Fn(&VerifyPart, &AtomicBool, &dyn Fn(T)) -> Result<bool, LabError> + Sync,
) -> Result<bool, E> {
    let (halt, queue) = (AtomicBool::new(false), Mutex::new(parts.iter()));
    let (sender, receiver) = channel();
    // Each thread runs this closure until no part is left. It ignores errors of `send`, because nobody receives
    // messages after a failure.
    let turns = |sender: Sender<(&'p VerifyPart, T)>| -> Result<bool, LabError> {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next().copied();
            let Some(part) = next else { return Ok(true) };
            let ended = work(part, &halt, &|what| sender.send((part, what)).unwrap_or_default());
            if !matches!(ended, Ok(true)) {
                halt.store(true, Ordering::Relaxed);
                return ended;
            }
        }
    };
    let turns = &turns;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once(parts.len()))
            .map(|_| {
                let sender = sender.clone();
                scope.spawn(move || turns(sender))
            })
            .collect();
        drop(sender);
        let mut outcome = Ok(());
        loop {
            if stop.load(Ordering::Relaxed) || outcome.is_err() {
                halt.store(true, Ordering::Relaxed);
            }
            match receiver.recv_timeout(LOOK) {
                Ok((part, what)) if outcome.is_ok() => outcome = take(part, what),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        outcome?;
        let mut whole = true;
        for thread in threads {
            whole &= thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(whole)
    })
}

fn at_once(parts: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(parts).max(1)
}

/// Task: times some answers of a part's accumulated vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PaceTask {
    part: VerifyPart,
    /// Number of answers that the verification will compute.
    answers: Answers,
}

/// Number of answers that the verification will compute, and the measured seconds per answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PaceAnswer {
    answers: u64,
    seconds: f64,
}

impl Task for PaceTask {
    const NAME: &'static str = "pace";
    type Answer = PaceAnswer;

    fn carry_out(self, registry: &Registry, say: &(dyn Fn(PaceAnswer) + Sync)) -> io::Result<()> {
        let provider = registry.providers().iter().find(|provider| provider.id() == self.part.provider());
        let pace = provider.and_then(|provider| {
            verification::pace(provider, self.part.algorithm(), self.answers, clock::monotonic_ns)
        });
        if let Some((answers, seconds)) = pace {
            say(PaceAnswer { answers, seconds });
        }
        Ok(())
    }
}

/// Task: verifies one part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VerifyTask {
    part: VerifyPart,
    request: VerifyRequest,
}

/// One result from a part.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum VerifyAnswer {
    Line(Line),
    EdgeCases(EdgeCases),
    /// Number of accumulated-vector answers computed so far, and the total number.
    Answers(u64, u64),
    /// More checks have finished.
    Alive,
    /// All checks have finished.
    Finished,
}

impl Task for VerifyTask {
    const NAME: &'static str = "verify";
    type Answer = VerifyAnswer;

    fn carry_out(self, registry: &Registry, say: &(dyn Fn(VerifyAnswer) + Sync)) -> io::Result<()> {
        let (done, watch) = channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut finished = 0;
                while watch.recv_timeout(ALIVE) == Err(RecvTimeoutError::Timeout) {
                    let now = verification::finished_checks();
                    if now != finished {
                        say(VerifyAnswer::Alive);
                    }
                    finished = now;
                }
            });
            self.verify(registry, say);
            drop(done);
        });
        say(VerifyAnswer::Finished);
        Ok(())
    }
}

impl VerifyTask {
    fn verify(&self, registry: &Registry, say: &(dyn Fn(VerifyAnswer) + Sync)) {
        let VerifyTask { part, request } = self;
        let providers = registry.providers();
        match part {
            VerifyPart::Interoperability { algorithm } => {
                let select = |provider: &str, name: &str, _: &str| name == algorithm && request.asks_for(provider);
                verification::interop(providers, &select, &mut |line| say(VerifyAnswer::Line(line)));
            }
            VerifyPart::Provider { id, algorithm } => {
                let select = |provider: &str, name: &str, _: &str| provider == id && name == algorithm;
                let mut report = |line| say(VerifyAnswer::Line(line));
                verification::verify_known_answers(providers, &select, &mut report);
                let progress = |done, all| say(VerifyAnswer::Answers(done, all));
                let accumulation = Accumulation {
                    answers: request.answers,
                    kept_in: request.kept_in.clone(),
                    told: Some(&progress),
                    clock: Some(clock::monotonic_ns),
                };
                let vectors = Vectors::here().with_accumulation(accumulation);
                verification::verify(providers, &vectors, &select, &mut report);
                let wanted = algorithm == EDGE_CASES_OF && select(id, algorithm, EDGE_CASES);
                let provider = providers.iter().find(|provider| provider.id() == *id).filter(|_| wanted);
                if let Some(edge_cases) = provider.and_then(|provider| verification::edge_cases(provider)) {
                    say(VerifyAnswer::EdgeCases(edge_cases));
                }
            }
        }
    }
}
