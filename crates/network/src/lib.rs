//! Runs the kernel's TCP over an emulated link with a given round-trip time, rate, loss and packet size.
//!
//! Each end is a network namespace with a TUN device. A thread of this process carries packets between the devices, and
//! delays and drops them as the link would. Other processes do not see the namespaces and devices. The kernel removes
//! them when this process's descriptors close, so nothing is left behind even if the process crashes.
//!
//! - [`Conditions`]: parameters of the link. [`Conditions::PROFILES`] lists named sets of parameters.
//! - [`Network`]: two ends and the running link between them.

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
    /// End with the address [`CLIENT`].
    Client,
    /// End with the address [`SERVER`].
    Server,
}

/// Error from creating or using an emulated network.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The system does not permit this process to create namespaces.
    #[error("cannot create a network namespace: {0} (needs the capability CAP_SYS_ADMIN: run as root)")]
    Namespace(io::Error),
    /// No TUN device is available.
    #[error("cannot open /dev/net/tun: {0} (is the `tun` kernel module loaded, and may this process use the device?)")]
    Device(io::Error),
    /// A namespace or its TUN device cannot be configured.
    #[error("cannot set up the TUN device of the emulated network ({what}): {error}")]
    Configure {
        /// Setting that failed, such as `MTU` or the path of a file in `/proc/sys`.
        what: &'static str,
        /// Error from the system.
        error: io::Error,
    },
    /// This system does not support network emulation.
    #[error("emulated networks require Linux namespaces and TUN devices")]
    Elsewhere,
    /// Any other I/O error.
    #[error("cannot use the emulated network: {0}")]
    System(#[from] io::Error),
}
