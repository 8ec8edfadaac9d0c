//! Network namespace with one TUN device.

use crate::NetworkError;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::zeroed;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;

/// Name of the device in each namespace.
const DEVICE: &[u8] = b"pqlab";
/// Netmask: the first three bytes of an address identify the network.
const PREFIX: Ipv4Addr = Ipv4Addr::new(255, 255, 255, 0);
/// Setting that stops the kernel from reusing the round-trip time or window of earlier connections.
const FORGETFUL: &str = "/proc/sys/net/ipv4/tcp_no_metrics_save";

/// Setting for the congestion control algorithm, which is always Reno (RFC 5681). Results therefore do not depend on
/// the system's default. BBR, for example, would pace everything after the initial window. Every kernel includes Reno
/// and allows it in a namespace.
const CONGESTION_CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
/// Setting that disables IPv6, because neighbor and router discovery would add packets to the link. The file does not
/// exist on systems without IPv6.
const QUIET: &str = "/proc/sys/net/ipv6/conf/default/disable_ipv6";

/// Handle to a network namespace. The namespace exists until this handle and all sockets in the namespace are closed.
pub(crate) struct Namespace {
    descriptor: File,
}

impl Namespace {
    /// Creates a namespace and a TUN device with `address`. Reading from the returned device yields the packets that
    /// the namespace sends; writing to it delivers packets to the namespace.
    pub(crate) fn new(address: Ipv4Addr, mtu: u16) -> Result<(Namespace, File), NetworkError> {
        // `unshare` affects only the calling thread, so call it on a separate thread.
        let creator = thread::spawn(move || {
            // SAFETY: `unshare` takes an integer and affects only this thread.
            if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 {
                return Err(NetworkError::Namespace(io::Error::last_os_error()));
            }
            let descriptor = File::open("/proc/thread-self/ns/net")?;
            match set(QUIET) {
                Err(NetworkError::Configure { error, .. }) if error.kind() == io::ErrorKind::NotFound => {}
                other => other?,
            }
            let device = device()?;
            configure(address, mtu)?;
            set(FORGETFUL)?;
            set_to(CONGESTION_CONTROL, "reno")?;
            Ok((Namespace { descriptor }, device))
        });
        creator.join().unwrap_or_else(|_| {
            Err(NetworkError::System(io::Error::other("the thread that creates the namespace panicked")))
        })
    }

    /// Runs `act` on a thread in the namespace. Sockets that `act` opens stay in the namespace.
    pub(crate) fn within<T: Send>(&self, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                // SAFETY: the descriptor is open, and only this thread changes its namespace.
                match unsafe { libc::setns(self.descriptor.as_raw_fd(), libc::CLONE_NEWNET) } {
                    0 => act(),
                    _ => Err(io::Error::last_os_error()),
                }
            });
            thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread in the namespace panicked")))
        })
    }
}

/// Enables a setting in this thread's namespace.
fn set(setting: &'static str) -> Result<(), NetworkError> {
    set_to(setting, "1")
}

fn set_to(setting: &'static str, value: &str) -> Result<(), NetworkError> {
    fs::write(setting, value).map_err(|error| NetworkError::Configure { what: setting, error })
}

/// Creates a TUN device in this thread's namespace. Closing the returned file removes the device.
fn device() -> Result<File, NetworkError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
    let device = options.open("/dev/net/tun").map_err(NetworkError::Device)?;
    let mut request = named();
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: `request` has the type that `TUNSETIFF` expects, and outlives the call.
    match unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) } {
        0 => Ok(device),
        _ => Err(NetworkError::Device(io::Error::last_os_error())),
    }
}

/// Sets the address and MTU of the device and brings it up.
fn configure(address: Ipv4Addr, mtu: u16) -> Result<(), NetworkError> {
    // SAFETY: `socket` takes integers, and no one else owns the descriptor that it returns.
    let socket = unsafe {
        let descriptor = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if descriptor < 0 {
            return Err(io::Error::last_os_error().into());
        }
        OwnedFd::from_raw_fd(descriptor)
    };
    let set = |what: &'static str, call: libc::Ioctl, value: libc::__c_anonymous_ifr_ifru| {
        let mut request = named();
        request.ifr_ifru = value;
        // SAFETY: callers of this closure pair each ioctl with the field that the ioctl reads, and `request` outlives
        // the ioctl.
        match unsafe { libc::ioctl(socket.as_raw_fd(), call, &raw mut request) } {
            0 => Ok(()),
            _ => Err(NetworkError::Configure { what, error: io::Error::last_os_error() }),
        }
    };
    let field = |address| libc::__c_anonymous_ifr_ifru { ifru_addr: internet(address) };
    set("address", libc::SIOCSIFADDR, field(address))?;
    set("netmask", libc::SIOCSIFNETMASK, field(PREFIX))?;
    set("MTU", libc::SIOCSIFMTU, libc::__c_anonymous_ifr_ifru { ifru_mtu: libc::c_int::from(mtu) })?;
    let up = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    set("up", libc::SIOCSIFFLAGS, libc::__c_anonymous_ifr_ifru { ifru_flags: up })
}

fn named() -> libc::ifreq {
    // SAFETY: `ifreq` consists of integers and raw pointers, so all zeros is a valid value.
    let mut request: libc::ifreq = unsafe { zeroed() };
    for (place, letter) in request.ifr_name.iter_mut().zip(DEVICE) {
        *place = *letter as libc::c_char;
    }
    request
}

fn internet(address: Ipv4Addr) -> libc::sockaddr {
    // SAFETY: `sockaddr` consists of integers, so all zeros is a valid value.
    let mut found: libc::sockaddr = unsafe { zeroed() };
    found.sa_family = libc::AF_INET as libc::sa_family_t;
    // Layout of `sockaddr_in`: two bytes for the port, then four for the address, in network byte order.
    for (place, byte) in found.sa_data[2..6].iter_mut().zip(address.octets()) {
        *place = byte as libc::c_char;
    }
    found
}
