//! Tests handshakes over the kernel's TCP and an emulated link with delay and losses. Ignored tests print times.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test helpers, and tests that print")]

use pqlab_network::{Conditions, Network, NetworkError, SERVER};
use pqlab_testing::{Need, not_run};
use pqlab_tls::{Authentication, Config, Credentials, Group, Implementation, Setup, stream};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const IMPLEMENTATIONS: [Implementation; 2] = [Implementation::Rustls, Implementation::OpenSsl];
/// Time limit. No handshake takes this long, even with retransmissions.
const PATIENCE: Duration = Duration::from_secs(120);

fn now() -> u64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(BEGUN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap()
}

fn network(conditions: &Conditions) -> Option<Network> {
    match Network::start(conditions, 26, now) {
        Ok(network) => Some(network),
        Err(NetworkError::Namespace(_) | NetworkError::Device(_) | NetworkError::Configure { .. }) => {
            not_run(Need::Machine("network namespaces and TUN devices"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn setup(config: &Config, implementation: Implementation) -> Setup {
    let providers = pqlab_providers::providers();
    let provider = providers.iter().find(|provider| provider.library == "openssl").unwrap();
    let scheme = provider.signature(config.authentication.name()).unwrap();
    let credentials = Credentials::make(config, scheme.as_ref()).unwrap();
    Setup::new(config, implementation, implementation, &credentials).unwrap()
}

/// Serves one connection: completes the handshake and echoes one request.
fn serve(setup: &Setup, mut connection: TcpStream) {
    connection.set_nonblocking(false).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    connection.set_nodelay(true).unwrap();
    let mut server = setup.server().unwrap();
    stream::complete(server.as_mut(), &mut connection).unwrap();
    let mut request = [0; 64];
    let length = stream::read(server.as_mut(), &mut connection, &mut request).unwrap();
    stream::write(server.as_mut(), &mut connection, &request[..length]).unwrap();
}

/// Returns two times since the start of the TCP connection: when the handshake is complete, and when the first byte of
/// the response arrives.
fn visit(setup: &Setup, network: &Network, to: SocketAddrV4) -> [Duration; 2] {
    let begun = Instant::now();
    let mut connection = network.connect(to).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    connection.set_nodelay(true).unwrap();
    let mut client = setup.client().unwrap();
    stream::complete(client.as_mut(), &mut connection).unwrap();
    let complete = begun.elapsed();
    stream::write(client.as_mut(), &mut connection, b"a request").unwrap();
    let mut answer = [0; 64];
    let length = stream::read(client.as_mut(), &mut connection, &mut answer).unwrap();
    assert_eq!(&answer[..length], b"a request");
    [complete, begun.elapsed()]
}

/// Performs `count` handshakes, `at_once` of them concurrently. Returns the times that [`visit`] measures.
fn visits(setup: &Setup, network: &Network, count: usize, at_once: usize) -> Vec<[Duration; 2]> {
    let listener: TcpListener = network.listen().unwrap();
    let to = SocketAddrV4::new(SERVER, listener.local_addr().unwrap().port());
    let (left, listener) = (AtomicUsize::new(count), &listener);
    let next = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
    let client = || {
        let mut found = Vec::new();
        while next() {
            found.push(visit(setup, network, to));
        }
        found
    };
    listener.set_nonblocking(true).unwrap();
    let (done, over) = (AtomicBool::new(false), Duration::from_millis(1));
    let done = &done;
    thread::scope(|scope| {
        scope.spawn(move || {
            while !done.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((connection, _)) => drop(scope.spawn(move || serve(setup, connection))),
                    Err(_) => thread::sleep(over),
                }
            }
        });
        let clients: Vec<_> = (0..at_once).map(|_| scope.spawn(client)).collect();
        let found: Vec<_> = clients.into_iter().map(thread::ScopedJoinHandle::join).collect();
        // Set `done` even if a client failed, so that the accepting thread stops.
        done.store(true, Ordering::Relaxed);
        found.into_iter().flat_map(Result::unwrap).collect()
    })
}

#[test]
fn handshakes_complete_despite_packet_loss() {
    let conditions = Conditions { round_trip: Duration::from_millis(2), rate: None, loss: 0.02, mtu: 1500 };
    let Some(network) = network(&conditions) else { return };
    let config = Config { intermediates: 2, ..Config::new(Group::X25519MlKem768, Authentication::MlDsa65) };
    for implementation in IMPLEMENTATIONS {
        let found = visits(&setup(&config, implementation), &network, 20, 10);
        assert!(found.len() == 20 && found.iter().all(|[complete, answer]| complete <= answer));
    }
    let [there, back] = network.close().unwrap();
    assert!(there.lost + back.lost > 0, "{there:?} {back:?}");
}

fn print(name: &str, mut found: Vec<Duration>, round_trip: Duration) {
    found.sort_unstable();
    let at = |pct: usize| found[(found.len() - 1) * pct / 100].as_secs_f64() / round_trip.as_secs_f64();
    println!(
        "{name:<64} {:>4} n  min {:.3}  median {:.3}  p95 {:.3}  p99 {:.3}  max {:.3} round trips",
        found.len(),
        at(0),
        at(50),
        at(95),
        at(99),
        at(100)
    );
}

fn shown(loss: f64, count: usize) {
    let conditions = Conditions { round_trip: Duration::from_millis(100), rate: None, loss, mtu: 1500 };
    let Some(network) = network(&conditions) else { return };
    for (group, authentication, intermediates) in [
        (Group::X25519, Authentication::EcdsaP256, 1),
        (Group::X25519MlKem768, Authentication::MlDsa44, 1),
        (Group::X25519MlKem768, Authentication::MlDsa65, 1),
        (Group::X25519MlKem768, Authentication::MlDsa65, 2),
        (Group::X25519MlKem768, Authentication::MlDsa87, 2),
    ] {
        for implementation in IMPLEMENTATIONS {
            let config = Config { intermediates, ..Config::new(group, authentication) };
            let setup = setup(&config, implementation);
            let found = visits(&setup, &network, count, 20);
            let name = |what: &str| {
                let [group, signature] = [group.name(), authentication.name()];
                format!("{group} {signature} chain={intermediates} {} {what}", implementation.name())
            };
            print(&name("complete"), found.iter().map(|[complete, _]| *complete).collect(), conditions.round_trip);
            print(&name("answer"), found.iter().map(|[_, answer]| *answer).collect(), conditions.round_trip);
        }
    }
}

#[test]
#[ignore = "prints times and asserts nothing"]
fn print_round_trips_of_a_handshake() {
    shown(0.0, 100);
}

#[test]
#[ignore = "prints times and asserts nothing"]
fn print_tails_with_one_percent_loss() {
    shown(0.01, 200);
}
