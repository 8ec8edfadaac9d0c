//! Tasks in a thread pool. Measures the total time of tasks that are submitted together, and the time that each task
//! waits in the queue.
//!
//! A sample is one load. A load begins before the first task is submitted, and ends when the submitter knows that all
//! tasks are done. Workers are already waiting at the queue when a load begins, as in an idle pool. A task is one
//! complete operation. The queueing delay of a task lasts from its submission until a worker takes it.

use super::threads::{Share, caught, dispatch, gone, pin};
use crossbeam_channel::{Sender, unbounded};
use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Demands, Fault, Recorder, Trial, residue};
use std::sync::mpsc::{Receiver, channel};

/// Percentiles of the queueing delay, and the names under which they are recorded.
const PERCENTILES: [(&str, u64); 4] =
    [("queueing_p50_ns", 50), ("queueing_p95_ns", 95), ("queueing_p99_ns", 99), ("queueing_max_ns", 100)];

/// A trial that submits tasks to a thread pool.
pub(super) struct Load {
    tasks: u64,
    /// One share per worker. `None` while the worker has the share.
    shares: Vec<Option<Share>>,
    processors: Vec<u32>,
    workers: Option<Workers>,
    /// Queueing delays of the last load in ns.
    delays: Vec<u64>,
}

/// Workers that take tasks from an open queue. Each entry in the queue is the submission time of a task, in ns.
struct Workers {
    queue: Sender<u64>,
    home: Receiver<Returned>,
}

struct Returned {
    worker: usize,
    share: Share,
    delays: Vec<u64>,
    outcome: Result<(), Fault>,
}

impl Load {
    /// Creates a load of `tasks` tasks that are submitted together. The pool has one worker per trial. The workers are
    /// pinned to these processors, round-robin.
    pub(super) fn new(tasks: u64, trials: Vec<Box<dyn Trial>>, processors: &[u32]) -> Load {
        let shares = trials.into_iter().map(|trial| Some(Share::new(trial))).collect();
        Load { tasks, shares, processors: processors.to_vec(), workers: None, delays: Vec::new() }
    }

    /// Closes the queue and collects the workers' shares. Returns the first fault, if any.
    fn gather(&mut self) -> Result<(), Fault> {
        let Some(Workers { queue, home }) = self.workers.take() else { return Ok(()) };
        drop(queue);
        let mut outcome = Ok(());
        for returned in home {
            self.shares[returned.worker] = Some(returned.share);
            self.delays.extend(returned.delays);
            outcome = outcome.and(returned.outcome);
        }
        outcome
    }
}

impl Trial for Load {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.gather()?;
        self.delays.clear();
        // Let the submitter run on any of the processors, as a separate program could.
        pin(&self.processors)?;
        let (queue, tasks) = unbounded::<u64>();
        let (sender, home) = channel();
        let (at_queue, ready) = channel();
        self.workers = Some(Workers { queue, home });
        for (worker, &cpu) in (0..self.shares.len()).zip(self.processors.iter().cycle()) {
            let mut share = self.shares[worker].take().ok_or_else(gone)?;
            let (tasks, sender, at_queue) = (tasks.clone(), sender.clone(), at_queue.clone());
            dispatch(worker, move || {
                let mut outcome = caught(|| pin(&[cpu]).and_then(|()| share.setup(batch)));
                let mut delays = Vec::with_capacity(batch);
                residue::put_back_registers();
                at_queue.send(()).ok();
                drop(at_queue);
                for submitted in &tasks {
                    delays.push(monotonic_ns().saturating_sub(submitted));
                    if outcome.is_ok() {
                        outcome = caught(|| share.perform(1));
                    }
                }
                // Sending fails only if the case was abandoned.
                sender.send(Returned { worker, share, delays, outcome }).ok();
            })?;
        }
        drop(at_queue);
        if ready.iter().count() == self.shares.len() { Ok(()) } else { Err(gone()) }
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let workers = self.workers.as_ref().ok_or_else(gone)?;
        for _ in 0..batch {
            workers.queue.send(monotonic_ns()).map_err(|_| gone())?;
        }
        self.gather()
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.gather()?;
        self.shares.iter_mut().flatten().try_for_each(Share::verify)
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        self.delays.sort_unstable();
        if self.delays.is_empty() {
            return Err(Fault::WrongAnswer("no task was started".into()));
        }
        for (name, percent) in PERCENTILES {
            recorder.note(name, nearest_rank(&self.delays, percent) as f64);
        }
        recorder.note("cores", self.processors.len().min(self.shares.len()) as f64);
        Ok(())
    }

    fn demands(&self) -> Demands {
        Demands { several_threads: true, ..Demands::default() }
    }

    fn processors(&self) -> Vec<u32> {
        self.processors.iter().copied().take(self.shares.len()).collect()
    }

    fn batch(&self) -> Option<u64> {
        Some(self.tasks)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        // Workers stop when the queue closes. Faults no longer matter, because the case is over.
        self.gather().ok();
    }
}

/// Returns the nearest-rank percentile: the smallest value in `sorted` such that at least `percent`% of the values are
/// less than or equal to it.
fn nearest_rank(sorted: &[u64], percent: u64) -> u64 {
    let rank = (sorted.len() as u64 * percent).div_ceil(100).max(1);
    sorted[rank as usize - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_delay_of_a_task() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!(PERCENTILES.map(|(_, percent)| nearest_rank(&hundred, percent)), [50, 95, 99, 100]);
        assert_eq!([1, 50, 51, 100].map(|percent| nearest_rank(&[7, 9], percent)), [7, 7, 9, 9]);
    }
}
