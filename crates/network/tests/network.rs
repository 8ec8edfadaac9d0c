//! Tests TCP over TUN devices. The tests do not assert exact times. The unit tests of `link` check the arithmetic, and
//! reports show the measured conditions next to every result.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "test helpers, and a test that prints")]

use pqlab_network::{Conditions, End, Network, NetworkError, SERVER};
use pqlab_testing::{Need, not_run};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, SocketAddrV4};
use std::thread;
use std::time::{Duration, Instant};

fn now() -> u64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    u64::try_from(BEGUN.get_or_init(Instant::now).elapsed().as_nanos()).unwrap()
}

fn network(round_trip_ms: u64, loss: f64, mtu: u16) -> Option<Network> {
    let round_trip = Duration::from_millis(round_trip_ms);
    match Network::start(&Conditions { round_trip, rate: None, loss, mtu }, 7, now) {
        Ok(network) => Some(network),
        Err(NetworkError::Namespace(_) | NetworkError::Device(_) | NetworkError::Configure { .. }) => {
            not_run(Need::Machine("network namespaces and TUN devices"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn port(address: SocketAddr) -> SocketAddrV4 {
    SocketAddrV4::new(SERVER, address.port())
}

#[test]
fn sets_the_congestion_control() {
    let Some(network) = network(0, 0.0, 1500) else { return };
    for end in [End::Client, End::Server] {
        let found = network.at(end, || fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control")).unwrap();
        assert_eq!(found.trim(), "reno", "{end:?}");
    }
}

#[test]
fn tcp_delivers_despite_losses_and_not_too_early() {
    for (loss, length) in [(0.0, 1_000_000), (0.05, 50_000)] {
        let Some(network) = network(20, loss, 1500) else { return };
        let listener = network.listen().unwrap();
        let address = port(listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut found = Vec::new();
            stream.read_to_end(&mut found).unwrap();
            stream.write_all(&(found.len() as u64).to_be_bytes()).unwrap();
            found
        });
        let begun = Instant::now();
        let mut stream = network.connect(address).unwrap();
        let connected = begun.elapsed();
        let sent: Vec<u8> = (0..length).map(|at: usize| (at % 251) as u8).collect();
        stream.write_all(&sent).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = [0; 8];
        stream.read_exact(&mut answer).unwrap();
        assert!(connected >= Duration::from_millis(20), "a round trip must take at least 20 ms, not {connected:?}");
        assert_eq!(u64::from_be_bytes(answer), length as u64);
        assert!(server.join().unwrap() == sent);
        let [there, back] = network.close().unwrap();
        assert!(there.bytes > length as u64 && back.packets > 1, "{there:?} {back:?}");
        assert_eq!(there.lost > 0, loss > 0.0);
    }
}

#[test]
fn respects_the_mtu() {
    let Some(network) = network(0, 0.0, 600) else { return };
    let (sender, receiver) = (network.datagrams(End::Client).unwrap(), network.datagrams(End::Server).unwrap());
    receiver.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    sender.send_to(&[1; 1400], receiver.local_addr().unwrap()).unwrap();
    let mut buffer = [0; 2000];
    assert_eq!(receiver.recv(&mut buffer).unwrap(), 1400);
    // Three fragments: 1,408 bytes with the UDP header, 576 in each of the first two.
    let [there, _] = network.close().unwrap();
    assert_eq!((there.packets, there.bytes), (3, 1408 + 3 * 20));
}

#[test]
fn full_loss_delivers_nothing() {
    let Some(network) = network(0, 1.0, 1500) else { return };
    let receiver = network.datagrams(End::Server).unwrap();
    receiver.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    network.datagrams(End::Client).unwrap().send_to(b"x", receiver.local_addr().unwrap()).unwrap();
    assert!(receiver.recv(&mut [0; 1]).is_err());
    assert_eq!(network.close().unwrap()[0].lost, 1);
}

#[test]
fn leaves_no_devices_or_descriptors_behind() {
    let devices = || fs::read_to_string("/proc/net/dev").unwrap().lines().count();
    let descriptors = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = devices();
    let Some(first) = network(0, 0.0, 1500) else { return };
    assert_eq!(devices(), before, "starting a network must not add devices to this process's namespace");
    drop(first);
    // Other tests in this process open descriptors too. The minimum of many readings excludes them.
    let held = |looks: usize| (0..looks).map(|_| descriptors()).min().unwrap();
    let base = held(50);
    for _ in 0..20 {
        drop(network(0, 0.0, 1500));
    }
    assert!(held(50) <= base + 16, "{} open descriptors, {base} before the loop", held(50));
}

/// Compares the requested conditions with the measured ones. Run with
/// `cargo test -p pqlab-network -- --ignored --nocapture`.
#[test]
#[ignore = "prints times and asserts nothing"]
fn compare_requested_with_actual_conditions() {
    println!(
        "{:>12} {:>10} {:>10} {:>10} {:>10}  {:>12} {:>12}",
        "", "set ms", "min ms", "median ms", "max ms", "set Mbit/s", "measured"
    );
    for profile in Conditions::PROFILES {
        let Ok(network) = Network::start(&profile.conditions, 7, now) else { return };
        let mut trips = network.round_trips(200, Duration::from_secs(2), now).unwrap();
        trips.sort_unstable();
        let ms = |ns: u64| ns as f64 / 1e6;
        let rate = network.burst(profile.conditions.mtu, Duration::from_secs(2), now).unwrap();
        let rate = rate.map_or(f64::NAN, |(bytes, ns)| bytes as f64 * 8e3 / ns as f64);
        println!(
            "{:>12} {:>10.3} {:>10.3} {:>10.3} {:>10.3}  {:>12.1} {:>12.1}",
            profile.name,
            profile.conditions.round_trip.as_secs_f64() * 1e3,
            ms(trips[0]),
            ms(trips[trips.len() / 2]),
            ms(trips[trips.len() - 1]),
            profile.conditions.rate.unwrap() as f64 / 1e6,
            rate
        );
    }
}
