//! Measuring rules: the order of visits, their length, and the end of a case.
//!
//! Cases are grouped into blocks. Every process prepares every case of a block; then rounds run until all cases are
//! finished. In a round, each process visits each open case. Both processes and cases are shuffled. This interleaves
//! the compared cases in time, so drift in the machine affects all of them alike. Postponed visits, which found their
//! core shared, and repeated visits, which were disturbed, come after all others in the round.
//!
//! The first rounds of a case are a pilot. The noise within processes during the pilot determines the number of rounds.
//! After these rounds, the scheduler checks the interval of the case once. If the interval is wider than requested, as
//! many processes join as Stein's second stage requires. After that, or when its time is used up, the case is finished
//! and immediately passed to the observer. The scheduler never measures until the interval happens to be narrow: see
//! [`rounds_for_precision`] for the reason.

mod observer;
mod open;
mod pool;

use crate::clock;
use crate::gate::AdditionsPerCycle;
use crate::program::WorkerError;
use crate::trial::Demands;
use crate::wire::VisitRequest;
use open::{Next, Open};
use pqlab_record::{Case, Disturbance, Metric, Protocol, ProtocolKind, Record, Samples, State, Status};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::time::Duration;

pub use observer::{Event, Observer, ObserverError};
pub use pool::{Failure, WorkerPool};

/// Maximum number of times that a disturbed visit is repeated. The last attempt is kept.
pub const REPEATS: u32 = 3;
/// Maximum delay of a case's visits because of a load on the core's other hardware thread, as a fraction of the case's
/// time limit. Such loads come and go within tenths of a second.
const PATIENCE: f64 = 0.25;
/// Pause before the next attempt if all remaining visits were postponed.
const WAIT: Duration = Duration::from_millis(5);
/// Number of rounds for joining processes.
const JOINING_ROUNDS: u32 = 3;
/// Fraction of the requested half-width that determines the number of joining processes. The interval's width varies by
/// chance, so a number that just reaches the target would miss it half of the time.
const AIM: f64 = 0.8;
/// Maximum number of processes per case.
const MOST_PROCESSES: u32 = 24;
/// Minimum number of processes for estimating how many more are needed.
const FEWEST_FOR_MORE: u32 = 8;
/// Minimum length of a sample with one operation, as a multiple of the counter's resolution and cost.
const GRAINS_PER_SAMPLE: f64 = 100.0;
/// Minimum length of a sample with several operations, as a multiple of the counter's resolution and cost. Longer
/// samples cost nothing and give medians finer steps.
const GRAINS_PER_BATCH: f64 = 400.0;
/// Number of rounds in the pilot. The adaptive rules use the pilot to plan the other rounds.
const PILOT_ROUNDS: u32 = 3;
/// Maximum number of samples per visit, which limits the memory that a run needs.
const SAMPLES_PER_VISIT: u64 = 1000;
/// Minimum number of samples in a visit to a short operation, because a median of fewer samples means little.
pub const LEAST_SAMPLES: u64 = 10;
/// Fraction of a visit's time spent on warm-up, except in the first visit.
const WARMUP_SHARE: f64 = 0.1;

/// Reason why measuring ended early.
#[derive(Debug, thiserror::Error)]
pub enum MeasuringError {
    /// A worker process is missing or unusable.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The observer returned an error.
    #[error(transparent)]
    Observer(#[from] ObserverError),
}

/// End of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every case has a record.
    Complete,
    /// The user stopped the run. Finished cases are stored.
    Interrupted,
}

/// Properties of this run's counter, as determined by the coordinator.
#[derive(Clone, Copy, Debug)]
pub struct CounterFacts {
    /// The counted quantity.
    pub metric: Metric,
    /// Nanoseconds per tick, if the rate is constant.
    pub ns_per_tick: Option<f64>,
    /// The larger of the counter's resolution and the cost of a pair of readings, in ns. A sample must take much longer
    /// than this.
    pub grain_ns: f64,
}

/// Measures the cases at `positions` in `plan`.
///
/// # Errors
/// [`MeasuringError`] if a worker fails with [`Failure::Fatal`] or the observer returns an error.
pub fn run(
    plan: &[Case],
    positions: &[usize],
    protocol: &Protocol,
    seed: u64,
    counter: CounterFacts,
    pool: &mut dyn WorkerPool,
    observer: &mut dyn Observer,
) -> Result<Outcome, MeasuringError> {
    let mut done = 0;
    for block in blocks(plan, positions) {
        let mut order = ChaCha8Rng::seed_from_u64(seed ^ block.first().copied().unwrap_or(0) as u64);
        let mut measured = Block { plan, protocol, counter, pool, observer, done, open: Vec::new() };
        let outcome = measured.run(&block, &mut order);
        pool.shut_down();
        if outcome? == Outcome::Interrupted {
            return Ok(Outcome::Interrupted);
        }
        done += block.len();
    }
    Ok(Outcome::Complete)
}

/// Groups the positions by block. The blocks are ordered by their first position.
fn blocks(plan: &[Case], positions: &[usize]) -> Vec<Vec<usize>> {
    let mut order: Vec<&str> = Vec::new();
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &position in positions {
        let block = plan[position].block.as_str();
        if !members.contains_key(block) {
            order.push(block);
        }
        members.entry(block).or_default().push(position);
    }
    order.into_iter().filter_map(|block| members.remove(block)).collect()
}

/// A process's next visit to a case.
#[derive(Clone, Copy, Debug)]
struct Turn {
    process: u32,
    /// Index into the open cases.
    index: usize,
    /// Number of visits already discarded as disturbed.
    attempts: u32,
}

struct Block<'a> {
    plan: &'a [Case],
    protocol: &'a Protocol,
    counter: CounterFacts,
    pool: &'a mut dyn WorkerPool,
    observer: &'a mut dyn Observer,
    done: usize,
    open: Vec<Open>,
}

impl Block<'_> {
    fn run(&mut self, positions: &[usize], order: &mut ChaCha8Rng) -> Result<Outcome, MeasuringError> {
        for &position in positions {
            if self.observer.stopped() {
                return Ok(Outcome::Interrupted);
            }
            self.prepare(position)?;
        }
        while !self.open.is_empty() {
            if self.round(order)? == Outcome::Interrupted {
                return Ok(Outcome::Interrupted);
            }
            self.judge()?;
        }
        Ok(Outcome::Complete)
    }

    /// Prepares a case in every process. The shortest estimate determines the batch for all processes.
    fn prepare(&mut self, position: usize) -> Result<(), MeasuringError> {
        let case = &self.plan[position];
        self.working(position)?;
        let mut ns_per_operation = f64::INFINITY;
        let mut only_batch = None;
        let mut first_calls_ns = BTreeMap::new();
        let mut demands = Demands::default();
        // First-call cases measure each call in a fresh process. One prepared process is enough to check the answers
        // and to estimate the time.
        let prepared_by = if case.state() == State::FirstCall { 1 } else { self.processes() };
        for process in 0..prepared_by {
            match self.pool.prepare(process, case) {
                Ok(prepared) => {
                    ns_per_operation = ns_per_operation.min(prepared.ns_per_operation);
                    first_calls_ns.extend(prepared.first_call_ns.map(|ns| (process, ns)));
                    only_batch = prepared.batch;
                    demands = prepared.demands;
                }
                Err(Failure::Case(reason)) => return self.fail(position, reason),
                Err(Failure::Fatal(error)) => return Err(error.into()),
            }
        }
        let batch = only_batch
            .or(self.protocol.batch)
            .unwrap_or_else(|| calibrate(ns_per_operation, self.counter.grain_ns, demands));
        let counted = demands.counted.then_some(self.protocol.handshakes);
        let quota = self.protocol.iterations.or(counted).map(|samples| shares(samples, self.processes()));
        let (metric, ns_per_tick) = match self.counter.ns_per_tick {
            None if demands.several_threads => (Metric::Wall, Some(1.0)),
            ns_per_tick => (self.counter.metric, ns_per_tick),
        };
        let samples = Samples { metric, ns_per_tick, batch, visits: Vec::new() };
        let mut open = Open::new(position, ns_per_operation, self.protocol, samples);
        (open.quota, open.members, open.first_calls_ns) = (quota, 0..self.processes(), first_calls_ns);
        (open.wave, open.counted) = (demands.wave, demands.counted);
        self.open.push(open);
        Ok(())
    }

    fn round(&mut self, order: &mut ChaCha8Rng) -> Result<Outcome, MeasuringError> {
        let mut queue = self.turns(order);
        let mut failed: Vec<(usize, String)> = Vec::new();
        let mut put_off = 0;
        while let Some(turn) = queue.pop_front() {
            if self.observer.stopped() {
                return Ok(Outcome::Interrupted);
            }
            let position = self.open[turn.index].position;
            if failed.iter().any(|(other, _)| *other == position) {
                continue;
            }
            self.working(position)?;
            match self.visit(turn) {
                Ok(None) => put_off = 0,
                Ok(Some(again)) => {
                    queue.push_back(again);
                    put_off += 1;
                }
                Err(Failure::Case(reason)) => failed.push((position, reason)),
                Err(Failure::Fatal(error)) => return Err(error.into()),
            }
            // Wait before retrying, because a competing load affects every case.
            if put_off > 0 && put_off >= queue.len() {
                put_off = 0;
                self.pool.wait(WAIT);
                for open in &mut self.open {
                    open.patience_ns = open.patience_ns.saturating_sub(WAIT.as_nanos() as u64);
                }
            }
        }
        for (position, reason) in failed {
            self.open.retain(|open| open.position != position);
            self.fail(position, reason)?;
        }
        for open in &mut self.open {
            open.rounds += 1;
        }
        Ok(Outcome::Complete)
    }

    /// Returns the visits of a round, with shuffled processes and, for each process, shuffled cases.
    fn turns(&self, order: &mut ChaCha8Rng) -> VecDeque<Turn> {
        let mut processes: Vec<u32> = (0..self.open.iter().map(|open| open.members.end).max().unwrap_or(0)).collect();
        processes.shuffle(order);
        let mut turns = VecDeque::new();
        for process in processes {
            let mut cases: Vec<usize> =
                (0..self.open.len()).filter(|&index| self.open[index].members.contains(&process)).collect();
            cases.shuffle(order);
            turns.extend(cases.into_iter().map(|index| Turn { process, index, attempts: 0 }));
        }
        turns
    }

    /// Lets a process visit a case. Returns the turn if the visit was postponed, or was disturbed and must be repeated.
    /// The caller queues the returned turn after all others.
    fn visit(&mut self, turn: Turn) -> Result<Option<Turn>, Failure> {
        let Turn { process, index, attempts } = turn;
        let processes = self.processes();
        let open = &mut self.open[index];
        let case = &self.plan[open.position];
        let batch = open.samples.batch;
        let operation_ns = open.ns_per_operation * batch as f64;
        let budget_ns = self.protocol.visit_s * 1e9;
        let fitting = ((budget_ns / operation_ns) as u64).clamp(1, SAMPLES_PER_VISIT);
        let samples = match &open.quota {
            // Do not split waves of operations that wait, because smaller portions would not finish sooner.
            Some(quota) => quota[process as usize].min(fitting.max(open.wave)),
            // The worker decides how many samples fit into the time of the visit.
            None => SAMPLES_PER_VISIT,
        };
        if samples == 0 {
            return Ok(None);
        }
        let first_call = case.state() == State::FirstCall;
        let samples = if first_call { 1 } else { samples };
        let least = if open.quota.is_none() && case.state() == State::Warm { LEAST_SAMPLES } else { 0 };
        let first = open.rounds == 0 || open.first_calls_ns.contains_key(&process);
        let affordable = (WARMUP_SHARE * budget_ns / open.ns_per_operation) as u64;
        let warmup = match (self.protocol.kind, first) {
            // First calls and operations that wait for a network get no warm-up. With evicted caches, a single call is
            // enough for the process to settle.
            _ if case.state() == State::FirstCall || open.counted => 0,
            _ if case.state() == State::Evicted => u64::from(first),
            // Operations that take many milliseconds get no warm-up: they ran during preparation, and cold caches
            // hardly slow them.
            (ProtocolKind::Adaptive, true) => self.protocol.warmup.min(affordable * 10),
            (_, true) => self.protocol.warmup,
            // Limit the warm-up. Otherwise a case with slow operations would spend half of its time on it.
            (_, false) => affordable.min(self.protocol.warmup),
        };
        let budget_ns = match open.quota {
            Some(_) => u64::MAX / 2,
            None => budget_ns as u64,
        };
        let warm = case.state() == State::Warm;
        let may_put_off = warm && open.quota.is_none() && open.patience_ns > 0;
        let additions_per_cycle = AdditionsPerCycle::new();
        let request = VisitRequest {
            case: case.id(),
            batch,
            warmup,
            samples,
            least,
            budget_ns,
            may_put_off,
            additions_per_cycle,
        };
        let mut visited = self.pool.visit(process, case, &request)?;
        if visited.ticks.is_empty() {
            open.patience_ns = open.patience_ns.saturating_sub(visited.visit_ns);
            return Ok(Some(turn));
        }
        open.spent_ns += visited.visit_ns;
        if open.quota.is_some() {
            // Keep all samples, because the user requested a fixed number and another load could spoil half of them.
            visited.disturbances.iter_mut().for_each(Disturbance::keep);
        }
        let good_enough = visited.disturbances.iter().all(Disturbance::is_kept);
        if !good_enough && attempts < REPEATS {
            return Ok(Some(Turn { attempts: attempts + 1, ..turn }));
        }
        open.learn(&visited);
        if let Some(quota) = &mut open.quota {
            quota[process as usize] = quota[process as usize].saturating_sub(visited.ticks.len() as u64);
        }
        // Number the processes of first calls separately, because each first call runs in its own process.
        let worker = if first_call { open.rounds * processes + process } else { process };
        open.keep(process, worker, attempts, visited);
        Ok(None)
    }

    /// Decides the next step for each open case, and passes finished cases to the observer.
    fn judge(&mut self) -> Result<(), MeasuringError> {
        let mut index = 0;
        while index < self.open.len() {
            let case = &self.plan[self.open[index].position];
            match self.open[index].next(case, self.protocol) {
                Next::Round => {
                    index += 1;
                    continue;
                }
                Next::Join(members) => {
                    if self.join(index, members)? {
                        index += 1;
                    }
                    continue;
                }
                Next::Finished => {}
            }
            let open = &self.open[index];
            let wanted = self.protocol.precision_pct;
            let interval = open.interval(case, self.protocol);
            let precise = interval.is_some_and(|interval| interval.half_width_pct() <= wanted);
            // With a fixed number of iterations, there is no target precision.
            let precision_reached = precise || open.quota.is_some();
            let open = self.open.remove(index);
            let case = self.plan[open.position].clone();
            self.pool.release(&case);
            let record = Record {
                case,
                status: Status::Ok,
                error: None,
                verified: true,
                precision_reached,
                samples: open.samples,
                finished_at: clock::utc_now(),
            };
            self.finish(open.position, record)?;
        }
        Ok(())
    }

    /// Prepares a case in the joining processes. Returns `false` if the case failed.
    fn join(&mut self, index: usize, members: Range<u32>) -> Result<bool, MeasuringError> {
        let position = self.open[index].position;
        let case = &self.plan[position];
        for process in members {
            match self.pool.prepare(process, case) {
                Ok(prepared) => {
                    let first_call = prepared.first_call_ns.map(|ns| (process, ns));
                    self.open[index].first_calls_ns.extend(first_call);
                }
                Err(Failure::Case(reason)) => {
                    self.open.remove(index);
                    self.fail(position, reason)?;
                    return Ok(false);
                }
                Err(Failure::Fatal(error)) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    fn fail(&mut self, position: usize, reason: String) -> Result<(), MeasuringError> {
        let case = self.plan[position].clone();
        self.pool.release(&case);
        self.finish(position, Record::failed(case, reason, clock::utc_now()))
    }

    fn finish(&mut self, position: usize, record: Record) -> Result<(), MeasuringError> {
        self.done += 1;
        Ok(self.observer.event(Event::Finished { position, record: Box::new(record) })?)
    }

    fn working(&mut self, position: usize) -> Result<(), MeasuringError> {
        let parts: f64 = self.open.iter().map(|open| open.part_done(self.protocol)).sum();
        let case = &self.plan[position];
        Ok(self.observer.event(Event::Working { case, done: self.done as f64 + parts })?)
    }

    fn processes(&self) -> u32 {
        let most = self.protocol.iterations.map_or(u32::MAX, |iterations| iterations.try_into().unwrap_or(u32::MAX));
        self.protocol.processes.min(most).max(1)
    }
}

/// Returns the number of operations per sample. A sample must be much longer than the counter's resolution and cost,
/// and at least as long as the trial requires.
fn calibrate(ns_per_operation: f64, grain_ns: f64, demands: Demands) -> u64 {
    let required_ns = demands.shortest_sample_ns as f64;
    let at_least = |grains: f64| (grains * grain_ns.max(1.0)).max(required_ns);
    let enough = if ns_per_operation >= at_least(GRAINS_PER_SAMPLE) {
        1
    } else {
        (at_least(GRAINS_PER_BATCH) / ns_per_operation.max(0.1)).ceil() as u64
    };
    enough.next_multiple_of(demands.multiple_of.max(1))
}

/// Divides `total` into `parts` that differ by at most one.
fn shares(total: u64, parts: u32) -> Vec<u64> {
    let parts = u64::from(parts);
    (0..parts).map(|part| total / parts + u64::from(part < total % parts)).collect()
}
