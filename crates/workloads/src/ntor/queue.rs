//! Onionskins as they come from a queue: one thread answers so many of them, one after the other.
//!
//! An operation is the whole queue. Each onionskin is another client's, in memory of its own, and each has a reply and keys
//! of its own: what the answers share is the relay's prepared onion key, and whatever of code, tables and keys the first of
//! them has brought into the caches. No library that we know computes several handshakes at once, and nothing is computed
//! once for all of them. Where the relay did the same just before, nothing is left to be gained; that is why the cases are
//! measured with evicted caches too.

use super::sides::Sides;
use super::steps::{Messages, create, finish, reply, same_keys};
use pqlab_harness::clock::monotonic_ns;
use pqlab_harness::{Fault, Recorder, Trial};

/// Under this name the time from the start until the first onionskin is answered is kept, in ns.
const FIRST: &str = "first_answered_ns";
/// And under this one the mean over all onionskins of the time until each is answered.
const MEAN: &str = "mean_answered_ns";

/// A relay and its queue.
pub(super) struct Queue<S: Sides> {
    sides: S,
    /// A client's state, until its handshake was verified.
    sent: Vec<(Option<S::Pending>, Messages)>,
    /// Whose handshake is verified after this sample; another one after the next.
    looked_at: usize,
    first_ns: u64,
    mean_ns: f64,
}

impl<S: Sides> Queue<S> {
    pub(super) fn new(sides: S, length: u64) -> Queue<S> {
        let sent = (0..length).map(|_| (None, Messages::of(&sides))).collect();
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

    /// The clock is read once for each answer and once more: some tens of ns of the time of a handshake.
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

    /// One queue: the next would find the caches as this one left them.
    fn batch(&self) -> Option<u64> {
        Some(1)
    }
}
