//! The kernel's own TCP over a link that has a given round trip, rate, loss and packet size.
//!
//! Each end is a network namespace of its own with a TUN device in it, and a thread of this process carries packets from one device to
//! the other as the link would. Nothing of it has a name elsewhere: namespaces and devices live as long as the descriptors of this
//! process, so that nothing is left behind, however it ends.
//!
//! - [`Conditions`]: what the link is like; [`Conditions::PROFILES`] has some by name.
//! - [`Network`]: both ends, while packets are carried.

#[cfg(target_os = "linux")]
mod carrier;
mod conditions;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod link;
#[cfg(target_os = "linux")]
mod namespace;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod probe;

pub use conditions::{Conditions, InvalidConditions, Profile};
#[cfg(not(target_os = "linux"))]
pub use elsewhere::Network;
pub use link::{Carried, Link};
#[cfg(target_os = "linux")]
pub use network::Network;

use std::io;
use std::net::Ipv4Addr;

/// The address of the client's end.
pub const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 64, 7, 1);
/// The address of the server's end.
pub const SERVER: Ipv4Addr = Ipv4Addr::new(10, 64, 7, 2);

/// One end of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// [`CLIENT`]
    Client,
    /// [`SERVER`]
    Server,
}

/// Why there is no network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The system does not let this process make namespaces.
    #[error("a network namespace cannot be made: {0}: this takes the capability CAP_SYS_ADMIN, which root has")]
    Namespace(io::Error),
    /// There is no TUN device to be had.
    #[error("/dev/net/tun: {0}: the kernel's module `tun` is missing, or this process may not use it")]
    Device(io::Error),
    /// A device cannot be set up.
    #[error("the device of an emulated network cannot be set up ({what}): {error}")]
    Configure {
        /// What was tried.
        what: &'static str,
        /// What the system says.
        error: io::Error,
    },
    /// The system has no namespaces.
    #[error("networks are emulated with Linux' namespaces and TUN devices, which this system has not")]
    Elsewhere,
    /// Something else of the system.
    #[error("the emulated network: {0}")]
    System(#[from] io::Error),
}
