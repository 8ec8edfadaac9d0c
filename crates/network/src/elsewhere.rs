//! Stub for systems without network emulation.

use crate::{Carried, Conditions, End, NetworkError};
use std::io;
use std::net::{SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

/// Emulated network. No value of this type exists, because this system does not support network emulation.
pub enum Network {}

impl Network {
    /// Always fails.
    ///
    /// # Errors
    /// [`NetworkError::Elsewhere`].
    pub fn start(_conditions: &Conditions, _seed: u64, _now: fn() -> u64) -> Result<Network, NetworkError> {
        Err(NetworkError::Elsewhere)
    }

    /// Listens at the server's end.
    ///
    /// # Errors
    /// Never fails, because this method cannot be called.
    pub fn listen(&self) -> io::Result<TcpListener> {
        match *self {}
    }

    /// Connects from the client's end.
    ///
    /// # Errors
    /// Never fails, because this method cannot be called.
    pub fn connect(&self, _to: SocketAddrV4) -> io::Result<TcpStream> {
        match *self {}
    }

    /// Opens a UDP socket at `end`.
    ///
    /// # Errors
    /// Never fails, because this method cannot be called.
    pub fn datagrams(&self, _end: End) -> io::Result<UdpSocket> {
        match *self {}
    }

    /// Runs `act` on a thread in the network namespace of `end`.
    ///
    /// # Errors
    /// Never fails, because this method cannot be called.
    pub fn at<T: Send>(&self, _end: End, _act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        match *self {}
    }

    /// Measures the round-trip times of small datagrams.
    ///
    /// # Errors
    /// Never fails, because this method cannot be called.
    pub fn round_trips(&self, _count: usize, _patience: Duration, _now: fn() -> u64) -> io::Result<Vec<u64>> {
        match *self {}
    }

    /// Measures the link's rate with a burst of packets.
    ///
    /// # Errors
    /// Never fails, because this method cannot be called.
    pub fn burst(&self, _mtu: u16, _patience: Duration, _now: fn() -> u64) -> io::Result<Option<(u64, u64)>> {
        match *self {}
    }

    /// Stops carrying packets.
    ///
    /// # Errors
    /// Never fails, because this method cannot be called.
    pub fn close(self) -> io::Result<[Carried; 2]> {
        match self {}
    }
}
