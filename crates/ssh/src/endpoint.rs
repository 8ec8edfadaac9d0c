//! One side of a connection. It processes received bytes and returns the bytes to send.

use crate::driver::{Driver, Work};
use crate::session::{Session, Setup};
use crate::wire::Wire;
use crate::{Error, Result};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Data that a client sends to the server and back.
const DATA: &[u8] = b"x";

/// One side of a connection.
pub trait Endpoint {
    /// Processes received bytes, and replaces `sent` with the answer. The first call begins the handshake.
    ///
    /// # Errors
    /// Any error that ends the connection.
    fn step(&mut self, received: &[u8], sent: &mut Vec<u8>) -> Result<()>;

    /// Returns whether the side is authenticated: the client knows that the server has accepted its login, or the server
    /// has accepted it.
    fn is_done(&self) -> bool;
}

/// A runtime, and the stream between its tasks and the caller.
struct Tasks {
    driver: Arc<Driver>,
    wire: Wire,
}

impl Tasks {
    /// Delivers `received`, runs `work` until it waits, and replaces `sent` with what it has sent. Returns the output of
    /// `work` if it is finished.
    fn turn<T>(&self, work: &mut Work<T>, received: &[u8], sent: &mut Vec<u8>) -> Option<T> {
        self.wire.deliver(received);
        let output = self.driver.run(work);
        self.wire.take(sent);
        output
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.wire.close();
    }
}

/// Progress of a client.
enum Stage {
    Connecting(Work<Result<Session>>),
    Connected(Session),
    Echoing(Work<Result<Vec<u8>>>),
    /// The server has returned this data.
    Echoed(Vec<u8>),
    /// An error ended the connection.
    Ended,
}

/// The client's side of a connection.
pub struct Client {
    tasks: Tasks,
    stage: Stage,
}

impl Client {
    pub(crate) fn new(setup: &Setup, driver: Arc<Driver>) -> Client {
        let wire = Wire::default();
        let work = Box::pin(setup.connect(wire.clone()));
        Client { tasks: Tasks { driver, wire }, stage: Stage::Connecting(work) }
    }

    /// Checks the algorithms of the session, and lets the next steps send a byte to the server and back over a channel.
    ///
    /// # Errors
    /// [`Error::Wrong`] if the handshake is not complete, or if the algorithms are not the requested ones.
    pub fn start_echo(&mut self) -> Result<()> {
        let Stage::Connected(session) = mem::replace(&mut self.stage, Stage::Ended) else {
            return Err(Error::Wrong("the handshake is not complete".into()));
        };
        session.check()?;
        self.stage = Stage::Echoing(Box::pin(async move { session.echo(DATA.to_vec()).await }));
        Ok(())
    }

    /// Returns whether the byte has come back.
    pub fn has_echoed(&self) -> bool {
        matches!(&self.stage, Stage::Echoed(data) if data == DATA)
    }
}

impl Endpoint for Client {
    fn step(&mut self, received: &[u8], sent: &mut Vec<u8>) -> Result<()> {
        let Client { tasks, stage } = self;
        let next = match stage {
            Stage::Connecting(work) => tasks.turn(work, received, sent).map(|session| session.map(Stage::Connected)),
            Stage::Echoing(work) => tasks.turn(work, received, sent).map(|data| data.map(Stage::Echoed)),
            _ => return Err(Error::Wrong("the client expects no more messages".into())),
        };
        if let Some(next) = next {
            *stage = Stage::Ended;
            *stage = next?;
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        !matches!(self.stage, Stage::Connecting(_) | Stage::Ended)
    }
}

/// The server's side of a connection.
pub struct Server {
    tasks: Tasks,
    serving: Work<Result<()>>,
    logged_in: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn new(setup: &Setup, driver: Arc<Driver>) -> Server {
        let (wire, logged_in) = (Wire::default(), Arc::<AtomicBool>::default());
        let serving = Box::pin(setup.serve(wire.clone(), &logged_in));
        Server { tasks: Tasks { driver, wire }, serving, logged_in }
    }
}

impl Endpoint for Server {
    fn step(&mut self, received: &[u8], sent: &mut Vec<u8>) -> Result<()> {
        match self.tasks.turn(&mut self.serving, received, sent) {
            Some(ended) => Err(ended.err().unwrap_or_else(|| Error::Wrong("the server ended the session".into()))),
            None => Ok(()),
        }
    }

    fn is_done(&self) -> bool {
        self.logged_in.load(Ordering::Relaxed)
    }
}
