//! The relay as a network service. For any input from a client, it must send complete answers of
//! known lengths, close the connection, and keep serving.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pqlab_workloads::ntor::relay::{Link, Relay};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Number of sockets on which the relay listens. For a minute after a connection ends, the client
/// cannot use its port for the same socket again (TIME_WAIT). With a single socket, the client
/// would run out of ports within seconds.
const SOCKETS: usize = 32;

static RELAY: LazyLock<(Arc<Relay>, Vec<SocketAddr>)> = LazyLock::new(|| {
    let relay = Relay::new(&pqlab_providers::providers(), "rustcrypto", [7; 20]).expect("rustcrypto offers all parts");
    let listen = |_| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("binding to loopback must succeed");
        let address = listener.local_addr().expect("a bound socket has an address");
        let serving = Arc::clone(&relay);
        std::thread::spawn(move || serving.serve(&listener).expect("the listening socket must stay open"));
        address
    };
    let addresses = (0..SOCKETS).map(listen).collect();
    (relay, addresses)
});

static TURN: AtomicUsize = AtomicUsize::new(0);

/// Length in bytes of a descriptor, and of the reply in each handshake.
const ANSWERS: [usize; 8] = [52, 64, 800, 832, 1120, 1152, 1600, 1632];

fuzz_target!(|bytes: &[u8]| {
    let (relay, addresses) = &*RELAY;
    let address = addresses[TURN.fetch_add(1, Ordering::Relaxed) % SOCKETS];
    let mut stream = TcpStream::connect(address).expect("the relay must listen");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("the timeout is not zero");
    // The relay may close the connection before it has received everything.
    if stream.write_all(bytes).is_ok() {
        stream.shutdown(Shutdown::Write).ok();
    }
    let mut answers = Vec::new();
    let ended = stream.read_to_end(&mut answers);
    let waiting = ended.as_ref().is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(!waiting, "the relay must answer or close the connection");
    let mut rest = answers.as_slice();
    while let Some((header, body)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_be_bytes(*header));
        assert!(ANSWERS.contains(&length), "no answer may be {length} bytes long");
        // A reset can cut off the last answer.
        let Some(next) = body.get(length..) else { break };
        rest = next;
    }
    let mut link = Link::connect(address).expect("the relay must listen");
    assert_eq!(link.descriptor().expect("the relay must keep serving"), relay.descriptor());
});
