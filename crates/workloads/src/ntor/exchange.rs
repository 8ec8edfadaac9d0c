//! A complete handshake with a relay over loopback sockets. Includes the exchange of messages in addition to the
//! cryptography.

use super::handshake_fault;
use super::relay::{Link, Relay};
use pqlab_constructions::ntor::{IDENTITY, Initiator, Protocol};
use pqlab_harness::{Demands, Fault, Recorder, Trial};
use pqlab_primitives::Coins;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// Connection modes: one connection for all handshakes, or a new connection for each handshake.
pub(super) const CONNECTIONS: [&str; 2] = ["kept", "fresh"];

/// Identity of the answering relay.
const RELAY: [u8; IDENTITY] = *b"a relay on loopback.";
/// Handshake type (HTYPE) of the only handshake that the trial's relay supports.
const NUMBER: u16 = 0xff20;

pub(super) struct Exchange {
    client: Initiator,
    relay: Arc<Relay>,
    address: SocketAddr,
    serving: Option<JoinHandle<()>>,
    /// The connection, if all handshakes use the same one.
    link: Option<Link>,
    /// Whether every part of the handshake does real work. If a part does nothing, the keys may be zero.
    whole: bool,
    onionskin: Vec<u8>,
    reply: Vec<u8>,
    keys: Vec<u8>,
    finished: u64,
}

impl Exchange {
    pub(super) fn new(protocol: Arc<Protocol>, fresh: bool, whole: bool) -> Result<Exchange, Fault> {
        let relay = Relay::with_protocols(vec![(NUMBER, protocol.clone())], RELAY).map_err(library)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(library)?;
        let address = listener.local_addr().map_err(library)?;
        let serving = Arc::clone(&relay);
        // If the relay ends with an error, the next handshake cannot connect and reports this failure.
        let serving = thread::Builder::new()
            .name("relay".into())
            .spawn(move || drop(serving.serve(&listener)))
            .map_err(library)?;
        Ok(Exchange {
            client: Initiator::new(protocol.clone(), relay.descriptor()),
            relay,
            address,
            serving: Some(serving),
            link: if fresh { None } else { Some(Link::connect(address).map_err(library)?) },
            whole,
            onionskin: vec![0; protocol.onionskin()],
            reply: vec![0; protocol.reply()],
            keys: vec![0; protocol.keys()],
            finished: 0,
        })
    }
}

impl Trial for Exchange {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.keys.fill(0);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let pending = self.client.start(Coins::Internal, &mut self.onionskin).map_err(handshake_fault)?;
            let mut fresh;
            let link = match &mut self.link {
                Some(link) => link,
                None => {
                    fresh = Link::connect(self.address).map_err(library)?;
                    &mut fresh
                }
            };
            link.ask(NUMBER, &self.onionskin, &mut self.reply).map_err(library)?;
            pending.finish(&self.reply, &mut self.keys).map_err(handshake_fault)?;
            self.finished += 1;
        }
        Ok(())
    }

    /// Checks the number of answers. Also checks that the keys are not zero, unless a part of the handshake does
    /// nothing. Does not compare the keys of the two sides. The client has verified the relay's authenticator, which
    /// proves that the keys are equal.
    fn verify(&mut self) -> Result<(), Fault> {
        let answered = self.relay.served();
        if self.whole && self.keys.iter().all(|&byte| byte == 0) {
            return Err(Fault::WrongAnswer("the keys are all zero".into()));
        }
        if answered.refused > 0 || answered.handshakes < self.finished {
            return Err(Fault::WrongAnswer(format!(
                "the relay answered {} of {} handshakes and rejected {}",
                answered.handshakes, self.finished, answered.refused
            )));
        }
        Ok(())
    }

    fn demands(&self) -> Demands {
        Demands { several_threads: true, ..Demands::default() }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.link = None;
        self.relay.stop(self.address);
        if let Some(serving) = self.serving.take() {
            serving.join().ok();
        }
    }
}

fn library(error: impl std::fmt::Display) -> Fault {
    Fault::Library(format!("the exchange over a socket failed: {error}"))
}
