//! Runs one trial per thread, and releases all threads at the same time. Measures how many operations several threads
//! perform per second.
//!
//! The timed thread is the first of the team. The others wait at a barrier until the timed thread releases them with a
//! single store, so no wake-up is timed. Each thread is pinned to its own processor. The threads take operations in
//! small portions from one counter. A thread with long operations, such as a signer that retries, therefore does not
//! keep the others waiting for long at the end. A sample ends when the last thread is done.

use super::threads::{Share, caught, dispatch, gone, pin};
use pqlab_harness::gate::{self, Before, Gate, Thresholds};
use pqlab_harness::{Demands, Fault, Recorder, Trial, residue};
use pqlab_record::Disturbance;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};

/// Minimum length of a sample in ns. Compared with this, the time to release a thread is negligible: a fraction of a
/// microsecond.
const SAMPLE_NS: u64 = 10_000_000;
/// Number of portions in a thread's part of a sample. In a sample of 10 ms, a portion takes 20 µs. This makes the cost
/// of the counter negligible and limits how far apart the threads finish.
const PORTIONS: u64 = 512;
/// Number of spins between two calls to [`thread::yield_now`] while a thread waits.
const SPINS: u32 = 1 << 14;

/// A trial with several threads.
pub(super) struct Team {
    /// One member per thread. `None` while its thread has the member.
    members: Vec<Option<Member>>,
    /// Processor of each thread.
    cpus: Vec<u32>,
    /// Number of processors in use.
    cores: usize,
    pending: Option<Pending>,
    disturbances: Vec<Disturbance>,
}

struct Member {
    share: Share,
    /// Watches the member's thread for disturbances. `None` before the first sample, and if threads share processors.
    gate: Option<Gate>,
}

impl Member {
    /// Starts watching the member's thread, which runs on processor `cpu`, unless threads share processors.
    fn open(&mut self, cpu: u32, oversubscribed: bool) -> Option<Before> {
        (!oversubscribed).then(|| self.gate.get_or_insert_with(|| Gate::new(Some(cpu))).open())
    }

    /// Stops watching the member's thread, and returns its disturbances.
    fn close(&mut self, before: Option<Before>) -> Vec<Disturbance> {
        let seen = self.gate.as_mut().zip(before).map(|(gate, before)| gate.close(before));
        seen.map(|seen| gate::judge(&seen, &Thresholds::for_one_of_several_threads())).unwrap_or_default()
    }
}

/// State of a sample, from [`Trial::setup`] until all members have returned.
struct Pending {
    round: Arc<Round>,
    home: Receiver<Returned>,
    before: Option<Before>,
}

struct Returned {
    thread: usize,
    member: Member,
    disturbances: Vec<Disturbance>,
}

impl Team {
    /// Creates a team with one thread per trial. The threads are pinned to these processors, round-robin. The first
    /// trial belongs to the timed thread.
    pub(super) fn new(trials: Vec<Box<dyn Trial>>, processors: &[u32]) -> Team {
        let cpus: Vec<u32> = processors.iter().copied().cycle().take(trials.len()).collect();
        let member = |trial| Some(Member { share: Share::new(trial), gate: None });
        Team {
            cores: cpus.len().min(processors.len()),
            members: trials.into_iter().map(member).collect(),
            cpus,
            pending: None,
            disturbances: Vec::new(),
        }
    }

    /// Returns whether there are more threads than processors. If so, the threads cannot wait for each other by
    /// spinning.
    fn oversubscribed(&self) -> bool {
        self.cores < self.cpus.len()
    }

    fn send_out(&mut self, batch: usize) -> Result<(), Fault> {
        let oversubscribed = self.oversubscribed();
        pin(&self.cpus[..1])?;
        let round = Arc::new(Round::new(self.cpus.len(), oversubscribed));
        let (sender, home) = channel();
        // If a later line fails, no thread waits forever: `gather` releases every thread that already received its
        // member.
        let pending = self.pending.insert(Pending { round: Arc::clone(&round), home, before: None });
        for (thread, &cpu) in self.cpus.iter().enumerate().skip(1) {
            let mut member = self.members[thread].take().ok_or_else(gone)?;
            let (round, sender) = (Arc::clone(&round), sender.clone());
            dispatch(thread, move || {
                let ready = caught(|| pin(&[cpu]).and_then(|()| member.share.setup(batch)));
                let before = member.open(cpu, oversubscribed);
                residue::put_back_registers();
                round.arrive();
                round.finish(ready.and_then(|()| round.work(&mut member.share)));
                let disturbances = member.close(before);
                // Sending fails only if the case was abandoned.
                sender.send(Returned { thread, member, disturbances }).ok();
            })?;
        }
        round.wait(|| round.arrived.0.load(Ordering::Acquire) == self.cpus.len() - 1);
        if let (Some(Some(first)), Some(&cpu)) = (self.members.first_mut(), self.cpus.first()) {
            pending.before = first.open(cpu, oversubscribed);
        }
        Ok(())
    }

    /// Takes the members back from their threads.
    fn gather(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        if let Some(Some(first)) = self.members.first_mut() {
            self.disturbances.extend(first.close(pending.before));
        }
        pending.round.release(0);
        for returned in pending.home {
            self.members[returned.thread] = Some(returned.member);
            self.disturbances.extend(returned.disturbances);
        }
    }
}

impl Trial for Team {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.gather();
        // Disturbances during a warm-up do not matter.
        self.disturbances.clear();
        if let Some(Some(first)) = self.members.first_mut() {
            first.share.setup(batch)?;
        }
        self.send_out(batch)
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let (Some(pending), Some(Some(first))) = (&self.pending, self.members.first_mut()) else {
            return Err(gone());
        };
        let round = &pending.round;
        round.release(batch as u64);
        round.finish(round.work(&mut first.share));
        round.wait(|| round.finished.0.load(Ordering::Acquire) == round.threads);
        round.outcome()
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.gather();
        self.members.iter_mut().flatten().try_for_each(|member| member.share.verify())
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        self.gather();
        recorder.note("cores", self.cores as f64);
        recorder.disturbed(self.disturbances.drain(..));
        Ok(())
    }

    fn demands(&self) -> Demands {
        Demands {
            several_threads: true,
            shortest_sample_ns: SAMPLE_NS,
            multiple_of: self.members.len() as u64,
            ..Demands::default()
        }
    }

    fn processors(&self) -> Vec<u32> {
        self.cpus[..self.cores].to_vec()
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.gather();
    }
}

/// State that the threads share during a sample. Each counter has its own pair of cache lines.
struct Round {
    threads: usize,
    oversubscribed: bool,
    /// Threads to wake, the timed one first.
    sleepers: Mutex<Vec<Thread>>,
    fault: Mutex<Option<Fault>>,
    arrived: Line<AtomicUsize>,
    released: Line<AtomicBool>,
    batch: AtomicU64,
    next: Line<AtomicU64>,
    finished: Line<AtomicUsize>,
}

#[repr(align(128))]
struct Line<T>(T);

impl Round {
    fn new(threads: usize, oversubscribed: bool) -> Round {
        Round {
            threads,
            oversubscribed,
            sleepers: Mutex::new(vec![thread::current()]),
            fault: Mutex::new(None),
            arrived: Line(AtomicUsize::new(0)),
            released: Line(AtomicBool::new(false)),
            batch: AtomicU64::new(0),
            next: Line(AtomicU64::new(0)),
            finished: Line(AtomicUsize::new(0)),
        }
    }

    /// Waits at the barrier until all threads are released.
    fn arrive(&self) {
        if self.oversubscribed {
            self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).push(thread::current());
        }
        self.arrived.0.fetch_add(1, Ordering::AcqRel);
        self.wake_first();
        self.wait(|| self.released.0.load(Ordering::Acquire));
    }

    /// Releases all threads to perform `batch` operations together. Only the first call has an effect.
    fn release(&self, batch: u64) {
        if self.released.0.load(Ordering::Relaxed) {
            return;
        }
        self.batch.store(batch, Ordering::Relaxed);
        self.released.0.store(true, Ordering::Release);
        if self.oversubscribed {
            for sleeper in self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).iter().skip(1) {
                sleeper.unpark();
            }
        }
    }

    /// Takes and performs portions until none is left.
    fn work(&self, share: &mut Share) -> Result<(), Fault> {
        let batch = self.batch.load(Ordering::Relaxed);
        let portion = (batch / (self.threads as u64 * PORTIONS)).max(1);
        caught(|| {
            loop {
                let first = self.next.0.fetch_add(portion, Ordering::Relaxed);
                if first >= batch {
                    return Ok(());
                }
                share.perform(portion.min(batch - first) as usize)?;
            }
        })
    }

    /// Records that a thread is done.
    fn finish(&self, outcome: Result<(), Fault>) {
        if let Err(fault) = outcome {
            self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
        }
        self.finished.0.fetch_add(1, Ordering::AcqRel);
        self.wake_first();
    }

    fn outcome(&self) -> Result<(), Fault> {
        match self.fault.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }

    fn wake_first(&self) {
        if self.oversubscribed
            && let Some(first) = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).first()
        {
            first.unpark();
        }
    }

    /// Waits until the condition holds. Spins if each thread has its own processor, otherwise sleeps.
    fn wait(&self, until: impl Fn() -> bool) {
        let mut spins = 0_u32;
        while !until() {
            spins = spins.wrapping_add(1);
            match spins % SPINS {
                _ if self.oversubscribed => thread::park(),
                0 => thread::yield_now(),
                _ => spin_loop(),
            }
        }
    }
}
