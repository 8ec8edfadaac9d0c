//! The kernel's TCP over an emulated link with a given round trip, rate, loss and packet size.
//!
//! Each end is a network namespace with a TUN device. A thread of this process carries packets between the devices with
//! the timing of the link. Namespaces and devices are invisible elsewhere and live as long as this process's
//! descriptors, so nothing is left behind, however the process ends.
//!
//! - [`Conditions`]: parameters of the link. [`Conditions::PROFILES`] has named ones.
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

/// Address of the client's end.
pub const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 64, 7, 1);
/// Address of the server's end.
pub const SERVER: Ipv4Addr = Ipv4Addr::new(10, 64, 7, 2);

/// One end of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At [`CLIENT`].
    Client,
    /// At [`SERVER`].
    Server,
}

/// Reason why no network can be emulated.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The system does not permit this process to create namespaces.
    #[error("cannot create a network namespace: {0} (requires the capability CAP_SYS_ADMIN, for example as root)")]
    Namespace(io::Error),
    /// No TUN device is available.
    #[error("cannot open /dev/net/tun: {0} (is the kernel module `tun` loaded, and may this process use it?)")]
    Device(io::Error),
    /// A device cannot be configured.
    #[error("cannot set up the device of an emulated network ({what}): {error}")]
    Configure {
        /// The step that failed.
        what: &'static str,
        /// Error of the system.
        error: io::Error,
    },
    /// The system has no network namespaces.
    #[error("emulated networks require Linux namespaces and TUN devices")]
    Elsewhere,
    /// Any other I/O error.
    #[error("emulated network: {0}")]
    System(#[from] io::Error),
}
