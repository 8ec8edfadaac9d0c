//! The measuring rules: which case is visited when, for how long, and when it is finished.
//!
//! Cases come in blocks. For a block every process prepares every case; then rounds are run until no case is left. In a
//! round each process, in shuffled order, visits each open case, in shuffled order: what is compared is interleaved in
//! time, and a drift of the machine falls on all alike. A visit that finds the core shared is put off, and a disturbed one
//! is measured again, when all others had their turn. The first rounds of a case are a pilot: from the noise within its
//! processes follows how many rounds it gets. After these its interval is looked at once: if it is wider than was asked for,
//! more processes join, as many as Stein's second stage calls for. A case is finished after that, or when its time is spent, and
//! handed to the observer at once. No case is measured until its interval happens to be narrow: see [`rounds_for_precision`]
//! for why.

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

/// How often a disturbed visit is measured again before it is kept as it is.
pub const REPEATS: u32 = 3;
/// Share of a case's time for which its visits are put off because of another load on the core's other hardware thread: it comes
/// and goes within tenths of a second.
const PATIENCE: f64 = 0.25;
/// Time between two attempts where all that is to be visited was put off.
const WAIT: Duration = Duration::from_millis(5);
/// Rounds of processes that join because those before them differ.
const JOINING_ROUNDS: u32 = 3;
/// The part of the wanted half-width that processes which join are to reach: as many as just reach it would miss it every
/// other time, because the interval that they make has a width of chance.
const AIM: f64 = 0.8;
/// Most processes of a case.
const MOST_PROCESSES: u32 = 24;
/// Fewest processes from whose differences it follows how many more are needed.
const FEWEST_FOR_MORE: u32 = 8;
/// A sample is at least this many times as long as the larger of the counter's step and its own cost.
const GRAINS_PER_SAMPLE: f64 = 100.0;
/// Likewise one of several operations: nothing is lost by making it longer, and medians have finer steps.
const GRAINS_PER_BATCH: f64 = 400.0;
/// Rounds of the pilot, from which the adaptive rules plan the rest; at least so many are measured.
const PILOT_ROUNDS: u32 = 3;
/// Most samples in a visit, which bounds the memory of a run.
const SAMPLES_PER_VISIT: u64 = 1000;
/// Fewest samples of a visit to a short operation: fewer have no median to speak of.
pub const LEAST_SAMPLES: u64 = 10;
/// Share of a visit's time spent on warm-up after the first visit.
const WARMUP_SHARE: f64 = 0.1;

/// Why measuring ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum MeasuringError {
    /// There is no worker process, or none that can be worked with.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The observer has had enough.
    #[error(transparent)]
    Observer(#[from] ObserverError),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every case has its record.
    Complete,
    /// The user stopped it; what was finished is stored.
    Interrupted,
}

/// What the counter of this run is, as the coordinator found it.
#[derive(Clone, Copy, Debug)]
pub struct CounterFacts {
    /// What it counts.
    pub metric: Metric,
    /// Nanoseconds in a tick, for a counter of constant rate.
    pub ns_per_tick: Option<f64>,
    /// What a sample must be long against, in ns: the smallest step between two readings, or what a pair of them costs,
    /// whichever is more.
    pub grain_ns: f64,
}

/// Measures the cases at `positions` of a plan.
///
/// # Errors
/// [`MeasuringError`]: of a [`Failure::Fatal`], or the observer's.
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

/// The positions of each block, blocks in the order in which the plan names them first.
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

/// A process that is to visit a case.
#[derive(Clone, Copy, Debug)]
struct Turn {
    process: u32,
    /// Among the open cases.
    index: usize,
    /// How often it was measured already, found disturbed and discarded.
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

    /// Readies a case in every process. The first one's estimate fixes the batch for all.
    fn prepare(&mut self, position: usize) -> Result<(), MeasuringError> {
        let case = &self.plan[position];
        self.working(position)?;
        let mut ns_per_operation = f64::INFINITY;
        let mut only_batch = None;
        let mut first_calls_ns = BTreeMap::new();
        let mut demands = Demands::default();
        // First calls have processes of their own; one is enough to check the answers and to learn the time.
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
            // Whoever is there is there for all: to ask again at once would only spend the time.
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

    /// Who visits what in a round: processes in shuffled order, and the cases of each.
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

    /// One visit of one process to one case. What was put off, or disturbed and may be measured again, is handed back: its turn
    /// comes once more when all others had theirs.
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
            // What waits is not done the sooner for being portioned.
            Some(quota) => quota[process as usize].min(fitting.max(open.wave)),
            // How many fit into its time the visit itself sees best.
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
            // A warm-up is what these cases are about: none before a first call, and one call to be at home in the process
            // before the caches are evicted.
            _ if case.state() == State::FirstCall || open.counted => 0,
            _ if case.state() == State::Evicted => u64::from(first),
            // None for an operation of many milliseconds: it ran when it was prepared, and what is cold is the least of it.
            (ProtocolKind::Adaptive, true) => self.protocol.warmup.min(affordable * 10),
            (_, true) => self.protocol.warmup,
            // A case that is measured one slow operation at a time would spend half its time on warming up.
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
            // So many samples are asked for, and another load may spoil half of them: none is left out for that.
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
        // Each first call has a process of its own.
        let worker = if first_call { open.rounds * processes + process } else { process };
        open.keep(process, worker, attempts, visited);
        Ok(None)
    }

    /// Hands finished cases to the observer.
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
            // A fixed number of iterations is asked for without a precision: nothing was missed.
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

    /// Readies a case in processes that join. Whether it goes on: else it has failed.
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

/// Operations in a sample, so that it is long against the counter's step and cost, and as long as the trial asks for; one where
/// one is long enough.
fn calibrate(ns_per_operation: f64, grain_ns: f64, demands: Demands) -> u64 {
    let asked = demands.shortest_sample_ns as f64;
    let at_least = |grains: f64| (grains * grain_ns.max(1.0)).max(asked);
    let enough = if ns_per_operation >= at_least(GRAINS_PER_SAMPLE) {
        1
    } else {
        (at_least(GRAINS_PER_BATCH) / ns_per_operation.max(0.1)).ceil() as u64
    };
    enough.next_multiple_of(demands.multiple_of.max(1))
}

/// Divides `total` into `parts` that differ by one at most.
fn shares(total: u64, parts: u32) -> Vec<u64> {
    let parts = u64::from(parts);
    (0..parts).map(|part| total / parts + u64::from(part < total % parts)).collect()
}
