//! Systems on which no network can be made.

use crate::{Carried, Conditions, End, NetworkError};
use std::io;
use std::net::{SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

/// There is none here.
pub enum Network {}

impl Network {
    /// Never makes one.
    ///
    /// # Errors
    /// [`NetworkError::Elsewhere`]
    pub fn start(_conditions: &Conditions, _seed: u64, _now: fn() -> u64) -> Result<Network, NetworkError> {
        Err(NetworkError::Elsewhere)
    }

    /// Listens at the server's end.
    ///
    /// # Errors
    /// None: there is no network.
    pub fn listen(&self) -> io::Result<TcpListener> {
        match *self {}
    }

    /// Connects from the client's end.
    ///
    /// # Errors
    /// None: there is no network.
    pub fn connect(&self, _to: SocketAddrV4) -> io::Result<TcpStream> {
        match *self {}
    }

    /// A datagram socket at an end.
    ///
    /// # Errors
    /// None: there is no network.
    pub fn datagrams(&self, _end: End) -> io::Result<UdpSocket> {
        match *self {}
    }

    /// Does something on a thread at an end.
    ///
    /// # Errors
    /// None: there is no network.
    pub fn at<T: Send>(&self, _end: End, _act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        match *self {}
    }

    /// Round trips of small datagrams.
    ///
    /// # Errors
    /// None: there is no network.
    pub fn round_trips(&self, _count: usize, _patience: Duration, _now: fn() -> u64) -> io::Result<Vec<u64>> {
        match *self {}
    }

    /// A burst of packets.
    ///
    /// # Errors
    /// None: there is no network.
    pub fn burst(&self, _mtu: u16, _patience: Duration, _now: fn() -> u64) -> io::Result<Option<(u64, u64)>> {
        match *self {}
    }

    /// Carries nothing more.
    ///
    /// # Errors
    /// None: there is no network.
    pub fn close(self) -> io::Result<[Carried; 2]> {
        match self {}
    }
}
