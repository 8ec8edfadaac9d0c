//! A network namespace with one TUN device.

use crate::NetworkError;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::mem::zeroed;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;

/// The device's name in each namespace.
const DEVICE: &[u8] = b"pqlab";
/// All of an address but its last byte names the network.
const PREFIX: Ipv4Addr = Ipv4Addr::new(255, 255, 255, 0);
/// So that one connection knows nothing of those before it: neither its round trip nor its window.
const FORGETFUL: &str = "/proc/sys/net/ipv4/tcp_no_metrics_save";

/// So that a connection takes as long as on other systems, whatever this one prefers: BBR spreads what follows the initial window over
/// time, Reno (RFC 5681) does not, and every kernel has it and lets a namespace take it.
const CONGESTION_CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
/// So that the link carries nothing that was not asked for: hosts that speak IPv6 look for neighbours and routers. Systems without it
/// have no such file.
const QUIET: &str = "/proc/sys/net/ipv6/conf/default/disable_ipv6";

/// A namespace that lives as long as this value or a socket in it.
pub(crate) struct Namespace {
    descriptor: File,
}

impl Namespace {
    /// Makes a namespace with a device of that address, and hands out the device: what is read from it was sent there, what is
    /// written to it arrives there.
    pub(crate) fn new(address: Ipv4Addr, mtu: u16) -> Result<(Namespace, File), NetworkError> {
        // A namespace is a thread's: this one's stays what it is.
        let made = thread::spawn(move || {
            // SAFETY: takes a number, and changes this thread alone.
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
        made.join().unwrap_or_else(|_| Err(NetworkError::System(io::Error::other("its thread panicked"))))
    }

    /// Does something in the namespace, on a thread that is in it: sockets that it opens are the namespace's for good.
    pub(crate) fn within<T: Send>(&self, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                // SAFETY: the descriptor is open, and this thread alone is moved.
                match unsafe { libc::setns(self.descriptor.as_raw_fd(), libc::CLONE_NEWNET) } {
                    0 => act(),
                    _ => Err(io::Error::last_os_error()),
                }
            });
            thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread in the namespace panicked")))
        })
    }
}

/// Switches a setting of the namespace of this thread on.
fn set(setting: &'static str) -> Result<(), NetworkError> {
    set_to(setting, "1")
}

fn set_to(setting: &'static str, value: &str) -> Result<(), NetworkError> {
    fs::write(setting, value).map_err(|error| NetworkError::Configure { what: setting, error })
}

/// A TUN device of the namespace of this thread, which is gone when the file is closed.
fn device() -> Result<File, NetworkError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NONBLOCK);
    let device = options.open("/dev/net/tun").map_err(NetworkError::Device)?;
    let mut request = named();
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the request is one of the kind that the call takes, and lives for it.
    match unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) } {
        0 => Ok(device),
        _ => Err(NetworkError::Device(io::Error::last_os_error())),
    }
}

/// Gives the device its address and longest packet, and switches it on.
fn configure(address: Ipv4Addr, mtu: u16) -> Result<(), NetworkError> {
    // SAFETY: takes numbers; the descriptor that it gives is nobody else's.
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
        // SAFETY: each of the calls below takes a request with that value, which lives for it.
        match unsafe { libc::ioctl(socket.as_raw_fd(), call, &raw mut request) } {
            0 => Ok(()),
            _ => Err(NetworkError::Configure { what, error: io::Error::last_os_error() }),
        }
    };
    let of = |address| libc::__c_anonymous_ifr_ifru { ifru_addr: internet(address) };
    set("address", libc::SIOCSIFADDR, of(address))?;
    set("netmask", libc::SIOCSIFNETMASK, of(PREFIX))?;
    set("MTU", libc::SIOCSIFMTU, libc::__c_anonymous_ifr_ifru { ifru_mtu: libc::c_int::from(mtu) })?;
    let up = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    set("up", libc::SIOCSIFFLAGS, libc::__c_anonymous_ifr_ifru { ifru_flags: up })
}

fn named() -> libc::ifreq {
    // SAFETY: a request is plain numbers, for which all zeros is a value.
    let mut request: libc::ifreq = unsafe { zeroed() };
    for (place, letter) in request.ifr_name.iter_mut().zip(DEVICE) {
        *place = *letter as libc::c_char;
    }
    request
}

fn internet(address: Ipv4Addr) -> libc::sockaddr {
    // SAFETY: an address is plain numbers.
    let mut found: libc::sockaddr = unsafe { zeroed() };
    found.sa_family = libc::AF_INET as libc::sa_family_t;
    // The layout of `sockaddr_in`: two bytes of port, four of address, in network order.
    for (place, byte) in found.sa_data[2..6].iter_mut().zip(address.octets()) {
        *place = byte as libc::c_char;
    }
    found
}
