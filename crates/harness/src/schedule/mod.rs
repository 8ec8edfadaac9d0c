//! Scheduler: determines the order and length of visits, and decides when a case is finished.
//!
//! Cases are grouped into blocks. Every process prepares every case of a block; then rounds run until all cases are
//! finished. In a round, each process visits each open case. Both processes and cases are shuffled. This interleaves
//! the compared cases in time, so drift in the machine affects all compared cases alike. A visit is postponed if its
//! core is shared, and repeated if it was disturbed. Postponed and repeated visits come after all other visits of the
//! round.
//!
//! The first rounds of a case are a pilot. The noise within processes during the pilot determines the number of rounds.
//! After these rounds, the scheduler checks the interval of the case once. If the interval is wider than requested,
//! more processes join; Stein's two-stage procedure determines their number. The case is finished after the check and
//! the rounds of the joining processes, or when its time is used up. The scheduler then passes the case to the observer
//! immediately. The scheduler never continues until the interval happens to be narrow:
//! [`pqlab_stats::rounds_for_precision`] explains why.
//!
//! When every block is finished, disturbed cases get a second chance (module `second_chance`).

mod observer;
mod open;
mod pool;
mod second_chance;

use crate::clock;
use crate::gate::AdditionsPerCycle;
use crate::probes::MOST_PATIENCE;
use crate::program::WorkerError;
use crate::trial::Demands;
use crate::wire::VisitRequest;
use open::{Next, Open};
use pqlab_record::{Case, Disturbance, Metric, Protocol, ProtocolKind, Record, Samples, SecondChance, State, Status};
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
/// Maximum time for which a load on the core's other hardware thread may delay a case's visits, as a fraction of the
/// case's time limit. Such loads come and go within tenths of a second.
const PATIENCE: f64 = 0.25;
/// Pause before the next attempt if all remaining visits were postponed.
const WAIT: Duration = Duration::from_millis(5);
/// Number of rounds that each joining process runs.
const JOINING_ROUNDS: u32 = 3;
/// Target half-width when processes join, as a fraction of the requested half-width. The interval's width varies by
/// chance, so a plan that aimed for exactly the requested half-width would miss it half the time.
const AIM: f64 = 0.8;
/// Maximum number of processes per case.
const MOST_PROCESSES: u32 = 24;
/// Minimum number of processes for estimating how many more are needed.
const FEWEST_FOR_MORE: u32 = 8;
/// Minimum length of a sample with one operation, in units of [`CounterFacts::grain_ns`].
const GRAINS_PER_SAMPLE: f64 = 100.0;
/// Minimum length of a sample with several operations, in units of [`CounterFacts::grain_ns`]. Longer samples cost
/// nothing and give medians a finer resolution.
const GRAINS_PER_BATCH: f64 = 400.0;
/// Number of rounds in the pilot. The adaptive rules use the pilot to plan the other rounds.
const PILOT_ROUNDS: u32 = 3;
/// Maximum number of samples per visit, which limits the memory that a run needs.
const SAMPLES_PER_VISIT: u64 = 1000;
/// Minimum number of samples in a visit to a short operation, because a median of fewer samples means little.
pub const LEAST_SAMPLES: u64 = 10;
/// Generous time for one sample with cold caches, in addition to the operation.
const EVICTION_NS: u64 = 200_000_000;
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

/// Outcome of a run.
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
    /// The counter's resolution or the cost of a pair of readings, whichever is larger, in ns. A sample must take much
    /// longer than this.
    pub grain_ns: f64,
}

/// Work of one start of a run: the first start, or a resumption.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// Number of the start: 0 for the first, 1 for the first resumption, and so on. Each visit records it.
    pub start: u32,
    /// Positions in the plan of the cases to measure.
    pub positions: Vec<usize>,
    /// Disturbed cases that earlier starts have measured without a second chance, by position in the plan.
    pub disturbed: BTreeMap<usize, Record>,
}

/// Measures cases of `plan`.
///
/// # Errors
/// [`MeasuringError`] if a worker fails with [`Failure::Fatal`] or the observer returns an error.
pub fn run(
    plan: &[Case],
    work: Work,
    protocol: &Protocol,
    seed: u64,
    counter: CounterFacts,
    pool: &mut dyn WorkerPool,
    observer: &mut dyn Observer,
) -> Result<Outcome, MeasuringError> {
    let Work { start, positions, disturbed } = work;
    let mut run = Measuring { plan, protocol, seed, counter, start, pool, observer, disturbed };
    let outcome = run.carry_out(&positions);
    // Keep what is measured, even if a worker failed for good.
    run.finish_disturbed()?;
    outcome
}

/// State of a run in progress.
struct Measuring<'a> {
    plan: &'a [Case],
    protocol: &'a Protocol,
    seed: u64,
    counter: CounterFacts,
    start: u32,
    pool: &'a mut dyn WorkerPool,
    observer: &'a mut dyn Observer,
    /// Records of disturbed cases that are not finished yet, by position in the plan.
    disturbed: BTreeMap<usize, Record>,
}

impl Measuring<'_> {
    fn carry_out(&mut self, positions: &[usize]) -> Result<Outcome, MeasuringError> {
        let begun_ns = self.pool.now_ns();
        let mut done = 0;
        for block in blocks(self.plan, positions) {
            if self.measure(&block, done, None)? == Outcome::Interrupted {
                return Ok(Outcome::Interrupted);
            }
            done += block.len();
        }
        let spent = Duration::from_nanos(self.pool.now_ns() - begun_ns);
        self.second_chance(done, spent)?;
        Ok(Outcome::Complete)
    }

    /// Measures a block of cases. `done` is the number of cases finished so far. `until_ns` is the deadline of a second
    /// chance; `None` in the first pass.
    fn measure(&mut self, block: &[usize], done: usize, until_ns: Option<u64>) -> Result<Outcome, MeasuringError> {
        let again = u64::from(until_ns.is_some()) << 63;
        let mut order = ChaCha8Rng::seed_from_u64(self.seed ^ again ^ block.first().copied().unwrap_or(0) as u64);
        let Measuring { plan, protocol, counter, start, .. } = *self;
        let (pool, observer, disturbed) = (&mut *self.pool, &mut *self.observer, &mut self.disturbed);
        let (process, round) = if until_ns.is_some() { second_chance::next_numbers(disturbed) } else { (0, 0) };
        let first = Numbers { start, process, round };
        let open = Vec::new();
        let mut measured = Block { plan, protocol, counter, pool, observer, disturbed, done, open, first, until_ns };
        let outcome = measured.run(block, &mut order);
        measured.keep_unfinished();
        self.pool.shut_down();
        outcome
    }

    /// Finishes the cases that stayed disturbed.
    fn finish_disturbed(&mut self) -> Result<(), MeasuringError> {
        while let Some((position, record)) = self.disturbed.pop_first() {
            self.observer.event(Event::Finished { position, record: Box::new(record) })?;
        }
        Ok(())
    }
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

/// Numbers that the record gives to the first process and the first round of a pass, and to its start of the run. In a
/// second chance, process and round are above zero, so that no visit gets a number from the first pass.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    start: u32,
    process: u32,
    round: u32,
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

/// Result of preparing a case in the processes that join.
enum Joined {
    /// Every process that joins prepared the case.
    Measuring,
    /// The case failed and is closed.
    Failed,
    /// The user stopped the run.
    Stopped,
}

struct Block<'a> {
    plan: &'a [Case],
    protocol: &'a Protocol,
    counter: CounterFacts,
    pool: &'a mut dyn WorkerPool,
    observer: &'a mut dyn Observer,
    /// Records of disturbed cases that wait for a second chance, by position in the plan.
    disturbed: &'a mut BTreeMap<usize, Record>,
    done: usize,
    open: Vec<Open>,
    first: Numbers,
    /// Deadline of a second chance on the [clock of the pool](WorkerPool::now_ns); `None` in the first pass.
    until_ns: Option<u64>,
}

impl Block<'_> {
    fn run(&mut self, positions: &[usize], order: &mut ChaCha8Rng) -> Result<Outcome, MeasuringError> {
        for &position in positions {
            if self.observer.stopped() {
                return Ok(Outcome::Interrupted);
            }
            if self.is_over() {
                return Ok(Outcome::Complete);
            }
            if self.prepare(position)? == Outcome::Interrupted {
                return Ok(Outcome::Interrupted);
            }
        }
        while !self.open.is_empty() && !self.is_over() {
            if self.round(order)? == Outcome::Interrupted {
                return Ok(Outcome::Interrupted);
            }
            if self.judge()? == Outcome::Interrupted {
                return Ok(Outcome::Interrupted);
            }
        }
        Ok(Outcome::Complete)
    }

    /// Prepares a case in every process. The shortest estimate determines the batch for all processes.
    fn prepare(&mut self, position: usize) -> Result<Outcome, MeasuringError> {
        let case = &self.plan[position];
        self.working(position)?;
        let mut ns_per_operation = f64::INFINITY;
        let mut only_batch = None;
        let mut first_calls_ns = BTreeMap::new();
        let mut demands = Demands::default();
        // First-call cases measure each call in a fresh process. Preparing one process is enough to
        // check the answers and estimate the time.
        let prepared_by = if case.state() == State::FirstCall { 1 } else { self.processes(case) };
        for process in 0..prepared_by {
            match self.pool.prepare(process, case) {
                Ok(prepared) => {
                    ns_per_operation = ns_per_operation.min(prepared.ns_per_operation);
                    first_calls_ns.extend(prepared.first_call_ns.map(|ns| (process, ns)));
                    only_batch = prepared.batch;
                    demands = prepared.demands;
                }
                Err(Failure::Case(reason)) => return self.fail(position, reason).map(|()| Outcome::Complete),
                Err(Failure::Fatal(error)) => return Err(error.into()),
                Err(Failure::Stopped) => return Ok(Outcome::Interrupted),
            }
        }
        let batch = self
            .first_batch(position)
            .or(only_batch)
            .or(self.protocol.batch)
            .unwrap_or_else(|| calibrate(ns_per_operation, self.counter.grain_ns, demands));
        let counted = demands.counted.then_some(self.protocol.handshakes);
        let quota = self.protocol.iterations.or(counted).map(|samples| shares(samples, self.processes(case)));
        let (metric, ns_per_tick) = match self.counter.ns_per_tick {
            None if demands.several_threads => (Metric::Wall, Some(1.0)),
            ns_per_tick => (self.counter.metric, ns_per_tick),
        };
        let samples = Samples { metric, ns_per_tick, batch, visits: Vec::new() };
        let mut open = Open::new(position, ns_per_operation, self.protocol, samples);
        (open.quota, open.members, open.first_calls_ns) = (quota, 0..self.processes(case), first_calls_ns);
        (open.wave, open.counted) = (demands.wave, demands.counted);
        open.first = self.first;
        self.open.push(open);
        Ok(Outcome::Complete)
    }

    fn round(&mut self, order: &mut ChaCha8Rng) -> Result<Outcome, MeasuringError> {
        let mut queue = self.turns(order);
        let mut failed: Vec<(usize, String)> = Vec::new();
        let mut put_off = 0;
        while let Some(turn) = queue.pop_front() {
            if self.observer.stopped() {
                return Ok(Outcome::Interrupted);
            }
            if self.is_over() {
                break;
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
                Err(Failure::Stopped) => return Ok(Outcome::Interrupted),
            }
            // Every remaining visit was postponed or disturbed, so wait for the competing load to
            // end.
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

    /// Makes a process visit a case. Returns the turn if the visit was postponed, or was disturbed and must be
    /// repeated. The caller queues the returned turn after all others.
    fn visit(&mut self, turn: Turn) -> Result<Option<Turn>, Failure> {
        let Turn { process, index, attempts } = turn;
        let case = &self.plan[self.open[index].position];
        let processes = self.processes(case);
        let open = &mut self.open[index];
        let batch = open.samples.batch;
        let operation_ns = open.ns_per_operation * batch as f64;
        let budget_ns = self.protocol.visit_s * 1e9;
        let fitting = ((budget_ns / operation_ns) as u64).clamp(1, SAMPLES_PER_VISIT);
        let samples = match &open.quota {
            // Do not split a wave. Its operations wait concurrently, so part of a wave takes as long as the complete
            // wave.
            Some(quota) => quota[process as usize].min(fitting.max(open.wave)),
            // The worker stops when the time of the visit is up.
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
            // First calls and operations that wait for a network get no warm-up. If caches are
            // evicted before each call, one warm-up call does the one-time setup; more would warm
            // nothing.
            _ if case.state() == State::FirstCall || open.counted => 0,
            _ if case.state() == State::Evicted => u64::from(first),
            // Operations that take many milliseconds get no warm-up. They ran during preparation, and cold caches
            // hardly affect them.
            (ProtocolKind::Adaptive, true) => self.protocol.warmup.min(affordable * 10),
            (_, true) => self.protocol.warmup,
            // Limit the warm-up. Otherwise, a case with slow operations would spend half of its time on it.
            (_, false) => affordable.min(self.protocol.warmup),
        };
        let budget_ns = match open.quota {
            Some(_) => u64::MAX / 2,
            None => budget_ns as u64,
        };
        // Within a budget, only the minimum number of samples may take longer than the budget.
        let certain = if open.quota.is_some() { samples } else { least.max(1) };
        let measuring_ns = (operation_ns * certain as f64) as u64;
        let measuring_ns = if open.quota.is_some() { measuring_ns } else { measuring_ns.max(budget_ns) };
        let warm = case.state() == State::Warm;
        let eviction_ns = if warm { 0 } else { EVICTION_NS.saturating_mul(certain) };
        let warmup_ns = (open.ns_per_operation * warmup as f64) as u64;
        let second_chance = self.until_ns.is_some();
        let patient = second_chance && open.quota.is_none();
        let unshared_ns = measuring_ns.saturating_add(warmup_ns).saturating_add(eviction_ns);
        let measuring_ns = if patient { measuring_ns.saturating_mul(MOST_PATIENCE) } else { measuring_ns };
        let expected_ns = measuring_ns.saturating_add(warmup_ns).saturating_add(eviction_ns);
        let may_put_off = warm && open.quota.is_none() && (open.patience_ns > 0 || second_chance);
        let additions_per_cycle = AdditionsPerCycle::new();
        let request = VisitRequest {
            case: case.id(),
            batch,
            warmup,
            samples,
            least,
            budget_ns,
            expected_ns,
            may_put_off,
            patient,
            additions_per_cycle,
        };
        let mut visited = self.pool.visit(process, case, &request)?;
        open.is_tried = true;
        if visited.ticks.is_empty() {
            open.patience_ns = open.patience_ns.saturating_sub(visited.visit_ns);
            return Ok(Some(turn));
        }
        let visit_ns = visited.visit_ns;
        if !second_chance {
            open.spent_ns += visit_ns;
        }
        if open.quota.is_some() {
            // Keep disturbed visits, because the user requested a fixed number of samples. On a busy machine, half of
            // the visits may be disturbed.
            visited.disturbances.iter_mut().for_each(Disturbance::keep);
        }
        let good_enough = visited.disturbances.iter().all(Disturbance::is_kept);
        let again = Turn { attempts: attempts + 1, ..turn };
        if !good_enough && (attempts < REPEATS || second_chance) {
            return Ok(Some(again));
        }
        open.learn(&visited);
        // Number the processes of first calls separately, because each first call runs in its own process.
        let worker = open.first.process + if first_call { open.rounds * processes + process } else { process };
        let taken = visited.ticks.len() as u64;
        let visit = open.visit_of(process, worker, attempts, visited);
        if second_chance {
            // Discard a disturbed visit in a second chance. The visit uses up the second chance's time limit, but not
            // the case's. The same applies to the time for which a patient visit was shared.
            if !visit.counts() && open.quota.is_none() {
                return Ok(Some(again));
            }
            open.spent_ns += if patient { visit_ns.min(unshared_ns) } else { visit_ns };
        }
        if let Some(quota) = &mut open.quota {
            quota[process as usize] = quota[process as usize].saturating_sub(taken);
        }
        open.samples.visits.push(visit);
        Ok(None)
    }

    /// Decides the next step for each open case, and passes finished cases to the observer.
    fn judge(&mut self) -> Result<Outcome, MeasuringError> {
        let mut index = 0;
        while index < self.open.len() {
            let case = &self.plan[self.open[index].position];
            match self.open[index].next(case, self.protocol) {
                Next::Round => {
                    index += 1;
                    continue;
                }
                Next::Join(members) => {
                    match self.join(index, members)? {
                        Joined::Measuring => index += 1,
                        Joined::Failed => {}
                        Joined::Stopped => return Ok(Outcome::Interrupted),
                    }
                    continue;
                }
                Next::Finished => {}
            }
            let open = self.open.remove(index);
            let position = open.position;
            self.pool.release(&self.plan[position]);
            let record = self.record_of(open);
            self.finish(position, record)?;
        }
        Ok(Outcome::Complete)
    }

    /// Returns the record of a measured case. In a second chance, the record combines the visits of both passes (see
    /// `second_chance::combined`).
    fn record_of(&mut self, mut open: Open) -> Record {
        let case = &self.plan[open.position];
        let first = self.until_ns.and_then(|_| self.disturbed.remove(&open.position));
        let (tried, mut finished_at) = (first.is_some(), clock::utc_now());
        if let Some(first) = first {
            open.samples = second_chance::combined(first.samples, open.samples, open.quota.as_deref());
            finished_at = first.finished_at;
        }
        let interval = open.interval(case, self.protocol);
        let precise = interval.is_some_and(|interval| interval.half_width_pct() <= self.protocol.precision_pct);
        let contended = open.samples.contended();
        let second_chance = if contended { SecondChance::Disturbed } else { SecondChance::Undisturbed };
        Record {
            case: case.clone(),
            status: Status::Ok,
            error: None,
            verified: true,
            // A case with a fixed number of samples has no target precision.
            precision_reached: precise || open.quota.is_some(),
            second_chance: tried.then_some(second_chance),
            samples: open.samples,
            finished_at,
        }
    }

    /// Prepares a case in the processes that join.
    fn join(&mut self, index: usize, members: Range<u32>) -> Result<Joined, MeasuringError> {
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
                    return Ok(Joined::Failed);
                }
                Err(Failure::Fatal(error)) => return Err(error.into()),
                Err(Failure::Stopped) => return Ok(Joined::Stopped),
            }
        }
        Ok(Joined::Measuring)
    }

    fn fail(&mut self, position: usize, reason: String) -> Result<(), MeasuringError> {
        let case = self.plan[position].clone();
        self.pool.release(&case);
        self.finish(position, Record::failed(case, reason, clock::utc_now()))
    }

    fn finish(&mut self, position: usize, record: Record) -> Result<(), MeasuringError> {
        self.done += 1;
        if record.samples.contended() && self.protocol.patience_s != Some(0.0) {
            if self.until_ns.is_none() {
                self.observer.event(Event::Disturbed { position, record: &record })?;
            }
            self.disturbed.insert(position, record);
            return Ok(());
        }
        self.disturbed.remove(&position);
        Ok(self.observer.event(Event::Finished { position, record: Box::new(record) })?)
    }

    fn working(&mut self, position: usize) -> Result<(), MeasuringError> {
        let parts: f64 = self.open.iter().map(|open| open.part_done(self.protocol)).sum();
        let case = &self.plan[position];
        Ok(self.observer.event(Event::Working { case, done: self.done as f64 + parts })?)
    }

    /// Returns the number of processes that measure the case at first. More may join.
    fn processes(&self, case: &Case) -> u32 {
        let most = self.protocol.iterations.map_or(u32::MAX, |iterations| iterations.try_into().unwrap_or(u32::MAX));
        // A fixed number of samples is divided among all processes.
        let is_partial = self.until_ns.is_some() && self.protocol.asks_for_precision(case);
        let most = if is_partial { most.min(second_chance::MOST_PROCESSES) } else { most };
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

/// Divides `total` into `parts` numbers that differ by at most one.
fn shares(total: u64, parts: u32) -> Vec<u64> {
    let parts = u64::from(parts);
    (0..parts).map(|part| total / parts + u64::from(part < total % parts)).collect()
}
