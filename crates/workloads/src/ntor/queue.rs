//! Queues of onionskins. One thread answers a queue, one onionskin after another.
//!
//! One operation answers the entire queue. Each onionskin comes from a different client and has its own memory, reply
//! and keys. All answers use the same prepared onion key. The first answer fills the caches with code, tables and keys,
//! which later answers then use. The answers share nothing else: no known library computes several handshakes together,
//! and no result is reused between handshakes. If the caches are already warm, a queue therefore saves no time. The
//! cases are also measured with evicted caches, to show the gain.

use super::sides::Sides;
use super::steps::{Messages, create, finish, reply, same_keys};
use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Fault, Recorder, Trial};

/// Name under which samples record the time from the start until the first onionskin is answered, in ns.
const FIRST: &str = "first_answered_ns";
/// Name under which samples record the mean time until an onionskin is answered, over all onionskins of the queue, in
/// ns.
const MEAN: &str = "mean_answered_ns";

/// A relay and its queue.
pub(super) struct Queue<S: Sides> {
    sides: S,
    /// For each client, its state until the handshake is verified, and the messages of the handshake.
    sent: Vec<(Option<S::Pending>, Messages)>,
    /// Index of the handshake to verify after this sample. Each sample verifies one handshake, in rotation.
    looked_at: usize,
    first_ns: u64,
    mean_ns: f64,
}

impl<S: Sides> Queue<S> {
    pub(super) fn new(sides: S, length: u64) -> Queue<S> {
        let sent = (0..length).map(|_| (None, Messages::new(&sides))).collect();
        Queue { sides, sent, looked_at: 0, first_ns: 0, mean_ns: 0.0 }
    }
}

impl<S: Sides> Trial for Queue<S> {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        for (pending, messages) in self.sent.iter_mut().filter(|(pending, _)| pending.is_none()) {
            *pending = Some(create(&self.sides, messages)?);
        }
        let (_, messages) = &mut self.sent[self.looked_at];
        messages.forget_answer();
        Ok(())
    }

    /// Reads the clock at the start and after each answer, which adds a few tens of ns to a handshake.
    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let started = monotonic_ns();
            let mut sum = 0;
            for (place, (_, messages)) in self.sent.iter_mut().enumerate() {
                reply(&self.sides, messages)?;
                let answered = monotonic_ns() - started;
                sum += answered;
                if place == 0 {
                    self.first_ns = answered;
                }
            }
            self.mean_ns = sum as f64 / self.sent.len() as f64;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let place = self.looked_at;
        self.looked_at = (place + 1) % self.sent.len();
        let (pending, messages) = &mut self.sent[place];
        let Some(pending) = pending.take() else { return Ok(()) };
        finish(&self.sides, pending, messages)?;
        same_keys(&self.sides, messages)
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        recorder.note(FIRST, self.first_ns as f64);
        recorder.note(MEAN, self.mean_ns);
        Ok(())
    }

    /// Returns 1, because a second queue in the same sample would find warm caches.
    fn batch(&self) -> Option<u64> {
        Some(1)
    }
}
