//! The relay behind its socket: whatever a client sends, it must answer with whole answers of known lengths, end the
//! connection, and keep serving.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_workloads::ntor::relay::{Link, Relay};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Sockets at which the relay listens. A client's port stays reserved for a minute after its connection to a socket, so
/// a single socket would run out of client ports within seconds.
const SOCKETS: usize = 32;

static RELAY: LazyLock<(Arc<Relay>, Vec<SocketAddr>)> = LazyLock::new(|| {
    let relay = Relay::new(&pqlab_providers::providers(), "rustcrypto", [7; 20]).expect("the library has all parts");
    let listen = |_| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback socket");
        let address = listener.local_addr().expect("it is bound");
        let serving = Arc::clone(&relay);
        std::thread::spawn(move || serving.serve(&listener).expect("the listening socket stays"));
        address
    };
    let addresses = (0..SOCKETS).map(listen).collect();
    (relay, addresses)
});

static TURN: AtomicUsize = AtomicUsize::new(0);

/// Length in bytes of a descriptor, and of the reply of each handshake.
const ANSWERS: [usize; 8] = [52, 64, 800, 832, 1120, 1152, 1600, 1632];

fuzz_target!(|bytes: &[u8]| {
    let (relay, addresses) = &*RELAY;
    let address = addresses[TURN.fetch_add(1, Ordering::Relaxed) % SOCKETS];
    let mut stream = TcpStream::connect(address).expect("the relay listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("not zero");
    // The relay may hang up before everything is sent.
    if stream.write_all(bytes).is_ok() {
        stream.shutdown(Shutdown::Write).ok();
    }
    let mut answers = Vec::new();
    let ended = stream.read_to_end(&mut answers);
    let waiting = ended.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(!waiting, "the relay neither answers nor hangs up");
    let mut rest = answers.as_slice();
    while let Some((header, body)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*header));
        assert!(ANSWERS.contains(&length), "an answer of {length} bytes");
        // A reset can swallow the end of the answers.
        let Some(next) = body.get(length..) else { break };
        rest = next;
    }
    let mut link = Link::connect(address).expect("the relay listens");
    assert_eq!(link.descriptor().expect("it serves"), relay.descriptor());
});
