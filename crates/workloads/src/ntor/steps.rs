//! Trials for each step of a handshake, and for the complete handshake.

use super::sides::Sides;
use crate::inputs::{POOL, Turn};
use pqlab_harness::{Fault, Recorder, Trial};

/// Number of ephemeral keys generated in advance for one sample. Generating a key takes much longer than using it. With
/// a sample of the usual size, most of the time would go into generating keys.
const AHEAD: u64 = 64;

/// The two messages of a handshake, and the keys that each side derives.
#[derive(Clone)]
pub(super) struct Messages {
    onionskin: Vec<u8>,
    reply: Vec<u8>,
    client_keys: Vec<u8>,
    relay_keys: Vec<u8>,
}

impl Messages {
    pub(super) fn new(sides: &impl Sides) -> Messages {
        let lengths = sides.lengths();
        Messages {
            onionskin: vec![0; lengths.onionskin],
            reply: vec![0; lengths.reply],
            client_keys: vec![0; lengths.keys],
            relay_keys: vec![0; lengths.keys],
        }
    }

    /// Clears the reply and the relay's keys, so that the check does not accept values from an earlier sample.
    pub(super) fn forget_answer(&mut self) {
        self.reply.fill(0);
        self.relay_keys.fill(0);
    }
}

#[inline(always)]
pub(super) fn create<S: Sides>(sides: &S, messages: &mut Messages) -> Result<S::Pending, Fault> {
    sides.create(&mut messages.onionskin)
}

#[inline(always)]
pub(super) fn reply(sides: &impl Sides, messages: &mut Messages) -> Result<(), Fault> {
    sides.reply(&messages.onionskin, &mut messages.reply, &mut messages.relay_keys)
}

#[inline(always)]
pub(super) fn finish<S: Sides>(sides: &S, pending: S::Pending, messages: &mut Messages) -> Result<(), Fault> {
    sides.finish(pending, &messages.reply, &mut messages.client_keys)
}

/// Checks that both sides have the same keys. The keys must not be zero unless a part of the handshake does nothing.
pub(super) fn same_keys(sides: &impl Sides, messages: &Messages) -> Result<(), Fault> {
    let drawn = !sides.whole() || messages.client_keys.iter().any(|&byte| byte != 0);
    if messages.client_keys == messages.relay_keys && drawn {
        Ok(())
    } else {
        Err(Fault::WrongAnswer("client and relay have different keys".into()))
    }
}

/// The client's first step.
pub(super) struct Create<S: Sides> {
    sides: S,
    messages: Messages,
    pending: Vec<S::Pending>,
}

impl<S: Sides> Create<S> {
    pub(super) fn new(sides: S) -> Create<S> {
        Create { messages: Messages::new(&sides), sides, pending: Vec::new() }
    }
}

impl<S: Sides> Trial for Create<S> {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.pending.clear();
        self.pending.reserve(batch);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.pending.push(create(&self.sides, &mut self.messages)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(pending) = self.pending.pop() else { return Ok(()) };
        reply(&self.sides, &mut self.messages)?;
        finish(&self.sides, pending, &mut self.messages)?;
        same_keys(&self.sides, &self.messages)
    }
}

/// The client's first step, with ephemeral keys generated in advance.
pub(super) struct CreateAhead<S: Sides> {
    sides: S,
    messages: Messages,
    ahead: Vec<S::Ahead>,
    pending: Vec<S::Pending>,
}

impl<S: Sides> CreateAhead<S> {
    pub(super) fn new(sides: S) -> CreateAhead<S> {
        CreateAhead { messages: Messages::new(&sides), sides, ahead: Vec::new(), pending: Vec::new() }
    }
}

impl<S: Sides> Trial for CreateAhead<S> {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.pending.clear();
        self.pending.reserve(batch);
        self.ahead.clear();
        for _ in 0..batch {
            self.ahead.push(self.sides.ahead()?);
        }
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let keys = self.ahead.pop().ok_or_else(|| Fault::Library("routine called without setup".into()))?;
            self.pending.push(self.sides.create_with(keys, &mut self.messages.onionskin)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(pending) = self.pending.pop() else { return Ok(()) };
        reply(&self.sides, &mut self.messages)?;
        finish(&self.sides, pending, &mut self.messages)?;
        same_keys(&self.sides, &self.messages)
    }

    fn batch(&self) -> Option<u64> {
        Some(AHEAD)
    }
}

/// The relay's step, for onionskins from several clients in rotation.
pub(super) struct Reply<S: Sides> {
    sides: S,
    /// For each client, its state until the handshake is verified, and the messages of the handshake.
    sent: Vec<(Option<S::Pending>, Messages)>,
    turn: Turn,
}

impl<S: Sides> Reply<S> {
    pub(super) fn new(sides: S) -> Reply<S> {
        let sent = vec![Messages::new(&sides); POOL];
        Reply { sent: sent.into_iter().map(|messages| (None, messages)).collect(), sides, turn: Turn::new(POOL) }
    }
}

impl<S: Sides> Trial for Reply<S> {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        for (pending, messages) in self.sent.iter_mut().filter(|(pending, _)| pending.is_none()) {
            *pending = Some(create(&self.sides, messages)?);
        }
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            reply(&self.sides, &mut self.sent[self.turn.advance()].1)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (pending, messages) = &mut self.sent[self.turn.last()];
        let Some(pending) = pending.take() else { return Ok(()) };
        finish(&self.sides, pending, messages)?;
        same_keys(&self.sides, messages)
    }
}

/// The client's second step.
pub(super) struct Finish<S: Sides> {
    sides: S,
    messages: Vec<Messages>,
    pending: Vec<S::Pending>,
    /// Index of the next messages to use.
    next: usize,
}

impl<S: Sides> Finish<S> {
    pub(super) fn new(sides: S) -> Finish<S> {
        Finish { sides, messages: Vec::new(), pending: Vec::new(), next: 0 }
    }
}

impl<S: Sides> Trial for Finish<S> {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.pending.clear();
        self.next = 0;
        while self.messages.len() < batch {
            self.messages.push(Messages::new(&self.sides));
        }
        for messages in &mut self.messages[..batch] {
            self.pending.push(create(&self.sides, messages)?);
            reply(&self.sides, messages)?;
            messages.client_keys.fill(0);
        }
        // The routine pops states from the end, so reverse them to match the messages.
        self.pending.reverse();
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let first = self.next;
        self.next += batch;
        for messages in &mut self.messages[first..first + batch] {
            let pending = self.pending.pop().ok_or_else(|| Fault::Library("routine called without setup".into()))?;
            finish(&self.sides, pending, messages)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.messages.first().map_or(Ok(()), |messages| same_keys(&self.sides, messages))
    }
}

/// The complete handshake: all three steps.
pub(super) struct Whole<S: Sides> {
    sides: S,
    messages: Messages,
}

impl<S: Sides> Whole<S> {
    pub(super) fn new(sides: S) -> Whole<S> {
        Whole { messages: Messages::new(&sides), sides }
    }
}

impl<S: Sides> Trial for Whole<S> {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.messages.client_keys.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let pending = create(&self.sides, &mut self.messages)?;
            reply(&self.sides, &mut self.messages)?;
            finish(&self.sides, pending, &mut self.messages)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same_keys(&self.sides, &self.messages)
    }
}
