//! The steps of a handshake, each timed by itself, and the whole.

use super::handshake_fault;
use crate::inputs::{POOL, Turn};
use pqlab_constructions::ntor::{IDENTITY, Initiator, Pending, Protocol, Responder};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::Coins;
use std::sync::Arc;

/// The identity of the relay that answers.
const RELAY: [u8; IDENTITY] = *b"a relay to measure..";

/// A client, a relay, and room for what they send.
struct Parties {
    protocol: Arc<Protocol>,
    /// Whether every part does its work.
    whole: bool,
    client: Initiator,
    relay: Responder,
}

/// The two messages and both sides' keys.
#[derive(Clone)]
struct Messages {
    onionskin: Vec<u8>,
    reply: Vec<u8>,
    client_keys: Vec<u8>,
    relay_keys: Vec<u8>,
}

impl Parties {
    fn new(protocol: Arc<Protocol>, whole: bool) -> Result<Parties, Fault> {
        let relay = Responder::new(protocol.clone(), RELAY, Coins::Internal).map_err(handshake_fault)?;
        let client = Initiator::new(protocol.clone(), relay.descriptor());
        Ok(Parties { protocol, whole, client, relay })
    }

    fn messages(&self) -> Messages {
        Messages {
            onionskin: vec![0; self.protocol.onionskin()],
            reply: vec![0; self.protocol.reply()],
            client_keys: vec![0; self.protocol.keys()],
            relay_keys: vec![0; self.protocol.keys()],
        }
    }

    #[inline(always)]
    fn create(&self, messages: &mut Messages) -> Result<Pending, Fault> {
        self.client.start(Coins::Internal, &mut messages.onionskin).map_err(handshake_fault)
    }

    #[inline(always)]
    fn reply(&self, messages: &mut Messages) -> Result<(), Fault> {
        let Messages { onionskin, reply, relay_keys, .. } = messages;
        self.relay.respond(onionskin, Coins::Internal, reply, relay_keys).map_err(handshake_fault)
    }
}

#[inline(always)]
fn finish(pending: Pending, messages: &mut Messages) -> Result<(), Fault> {
    pending.finish(&messages.reply, &mut messages.client_keys).map_err(handshake_fault)
}

/// Where a part does nothing the keys may well be zero.
fn same_keys(messages: &Messages, whole: bool) -> Result<(), Fault> {
    let drawn = !whole || messages.client_keys.iter().any(|&byte| byte != 0);
    if messages.client_keys == messages.relay_keys && drawn {
        Ok(())
    } else {
        Err(Fault::WrongAnswer("client and relay have different keys".into()))
    }
}

/// The client's first step.
pub(super) struct Create {
    parties: Parties,
    messages: Messages,
    pending: Vec<Pending>,
}

impl Create {
    pub(super) fn new(protocol: Arc<Protocol>, whole: bool) -> Result<Create, Fault> {
        let parties = Parties::new(protocol, whole)?;
        Ok(Create { messages: parties.messages(), parties, pending: Vec::new() })
    }
}

impl Trial for Create {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.pending.clear();
        self.pending.reserve(batch);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.pending.push(self.parties.create(&mut self.messages)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(pending) = self.pending.pop() else { return Ok(()) };
        self.parties.reply(&mut self.messages)?;
        finish(pending, &mut self.messages)?;
        same_keys(&self.messages, self.parties.whole)
    }
}

/// The relay's step, over onionskins of several clients in turn.
pub(super) struct Reply {
    parties: Parties,
    /// A client's state, until its handshake was verified.
    sent: Vec<(Option<Pending>, Messages)>,
    turn: Turn,
}

impl Reply {
    pub(super) fn new(protocol: Arc<Protocol>, whole: bool) -> Result<Reply, Fault> {
        let parties = Parties::new(protocol, whole)?;
        let sent = vec![parties.messages(); POOL];
        Ok(Reply { sent: sent.into_iter().map(|messages| (None, messages)).collect(), parties, turn: Turn::of(POOL) })
    }
}

impl Trial for Reply {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        for (pending, messages) in self.sent.iter_mut().filter(|(pending, _)| pending.is_none()) {
            *pending = Some(self.parties.create(messages)?);
        }
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.parties.reply(&mut self.sent[self.turn.advance()].1)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (pending, messages) = &mut self.sent[self.turn.last()];
        let Some(pending) = pending.take() else { return Ok(()) };
        finish(pending, messages)?;
        same_keys(messages, self.parties.whole)
    }
}

/// The client's second step.
pub(super) struct Finish {
    parties: Parties,
    messages: Vec<Messages>,
    pending: Vec<Pending>,
}

impl Finish {
    pub(super) fn new(protocol: Arc<Protocol>, whole: bool) -> Result<Finish, Fault> {
        Ok(Finish { parties: Parties::new(protocol, whole)?, messages: Vec::new(), pending: Vec::new() })
    }
}

impl Trial for Finish {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.pending.clear();
        while self.messages.len() < batch {
            self.messages.push(self.parties.messages());
        }
        for messages in &mut self.messages[..batch] {
            self.pending.push(self.parties.create(messages)?);
            self.parties.reply(messages)?;
            messages.client_keys.fill(0);
        }
        // Taken from the end.
        self.pending.reverse();
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for messages in &mut self.messages[..batch] {
            let pending = self.pending.pop().ok_or_else(|| Fault::Library("a routine without its setup".into()))?;
            finish(pending, messages)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.messages.first().map_or(Ok(()), |messages| same_keys(messages, self.parties.whole))
    }
}

/// All three steps.
pub(super) struct Whole {
    parties: Parties,
    messages: Messages,
}

impl Whole {
    pub(super) fn new(protocol: Arc<Protocol>, whole: bool) -> Result<Whole, Fault> {
        let parties = Parties::new(protocol, whole)?;
        Ok(Whole { messages: parties.messages(), parties })
    }
}

impl Trial for Whole {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.messages.client_keys.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let pending = self.parties.create(&mut self.messages)?;
            self.parties.reply(&mut self.messages)?;
            finish(pending, &mut self.messages)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same_keys(&self.messages, self.parties.whole)
    }
}
