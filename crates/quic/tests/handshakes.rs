//! Tests handshakes over simulated links in every supported configuration, and handshakes that must fail.

#![allow(clippy::unwrap_used)]

use pqlab_network::Conditions;
use pqlab_quic::{AMPLIFICATION, Error, Pair, Setup};
use pqlab_tls::{Authentication, Config, Credentials, Group, Implementation, Resumption};
use std::time::{Duration, Instant};

const RTT: Duration = Duration::from_millis(100);
const LINK: Conditions = Conditions { round_trip: RTT, rate: None, loss: 0.0, mtu: 1500 };

fn credentials(config: &Config) -> Credentials {
    let providers = pqlab_providers::providers();
    let provider = providers.iter().find(|provider| provider.library == "aws-lc").unwrap();
    Credentials::make(config, provider.signature(config.authentication.name()).unwrap().as_ref()).unwrap()
}

fn setup(config: &Config) -> Setup {
    Setup::new(config, &credentials(config), Instant::now()).unwrap()
}

/// Performs a handshake without computing time, and verifies it.
fn perform(setup: &Setup, link: &Conditions, seed: u64) -> Pair {
    let mut pair = Pair::new(setup, link, seed);
    pair.connect(setup, || 0).unwrap();
    pair.verify(setup).unwrap();
    pair
}

fn round_trips(pair: &Pair) -> [f64; 2] {
    let connected = pair.connected_ns().unwrap();
    [connected.client, connected.server].map(|ns| ns as f64 / RTT.as_nanos() as f64)
}

#[test]
fn every_configuration_of_rustls_connects() {
    let mut performed = 0;
    for group in Group::ALL {
        for authentication in Authentication::ALL {
            for intermediates in [0, 2] {
                let config = Config { intermediates, ..Config::new(group, authentication) };
                if Implementation::Rustls.check(&config).is_err() {
                    continue;
                }
                perform(&setup(&config), &LINK, performed);
                performed += 1;
            }
        }
    }
    assert_eq!(performed, 4 * 6 * 2);
}

#[test]
fn small_handshakes_take_one_round_trip() {
    for group in [Group::X25519, Group::X25519MlKem768] {
        let pair = perform(&setup(&Config::new(group, Authentication::EcdsaP256)), &LINK, 1);
        assert_eq!(round_trips(&pair), [1.0, 1.5], "{group:?}");
        assert!(!pair.is_amplification_limited());
        let datagrams = pair.flights()[0].datagrams;
        assert_eq!(datagrams, if group == Group::X25519 { 1 } else { 2 });
        assert!(pair.flights()[0].bytes >= 1200 * datagrams, "a client pads its Initial packets");
    }
}

#[test]
fn amplification_limit_holds_back_large_flights() {
    let pair = perform(&setup(&Config::new(Group::X25519, Authentication::MlDsa65)), &LINK, 1);
    assert!(pair.is_amplification_limited());
    let [hello, answer, ..] = pair.flights() else { panic!("flights are missing") };
    assert!(hello.from_client && !answer.from_client);
    assert_eq!(answer.bytes, AMPLIFICATION * hello.bytes);
    assert_eq!(round_trips(&pair)[0].floor(), 2.0);
}

#[test]
fn simulations_with_equal_seeds_are_equal() {
    let setup = setup(&Config::new(Group::X25519, Authentication::Ed25519));
    let lossy = Conditions { loss: 0.2, ..LINK };
    let times = |seed| perform(&setup, &lossy, seed).connected_ns().unwrap();
    let all: Vec<u64> = (0..20).map(|seed| times(seed).client).collect();
    assert_eq!(all, (0..20).map(|seed| times(seed).client).collect::<Vec<_>>());
    assert!(all.iter().min() < all.iter().max(), "losses delay some connections: {all:?}");
}

#[test]
fn time_on_the_line_and_computation_delay_connections() {
    let setup = setup(&Config::new(Group::X25519, Authentication::Ed25519));
    let slow = perform(&setup, &Conditions { rate: Some(1_000_000), ..LINK }, 1).connected_ns().unwrap();
    // At 1 Mbit/s, a datagram of 1,200 bytes takes almost 10 ms in each direction.
    assert!(slow.client > 119_000_000, "{slow:?}");
    let ticks = std::cell::Cell::new(0);
    let mut pair = Pair::new(&setup, &LINK, 1);
    pair.connect(&setup, || ticks.replace(ticks.get() + 1_000_000)).unwrap();
    let (computed, connected) = (pair.computed_ns(), pair.connected_ns().unwrap());
    assert!(computed.client >= 2_000_000 && computed.server >= 1_000_000, "{computed:?}");
    assert!(connected.client >= 103_000_000, "{connected:?}");
}

#[test]
fn rejects_other_keys_and_configurations() {
    let config = Config::new(Group::X25519, Authentication::EcdsaP256);
    let resumed = Config { resumption: Resumption::WithKeyExchange, ..config };
    let error = Setup::new(&resumed, &credentials(&config), Instant::now()).err();
    assert!(matches!(error, Some(Error::Unsupported(_))), "{error:?}");
    let (one, mut other) = (credentials(&config), credentials(&config));
    other.root = one.root;
    let setup = Setup::new(&config, &other, Instant::now()).unwrap();
    let error = Pair::new(&setup, &LINK, 1).connect(&setup, || 0).unwrap_err();
    assert!(matches!(&error, Error::Library { detail, .. } if detail.contains("certificate")), "{error}");
}

#[test]
fn verify_rejects_different_handshakes() {
    let [one, other] =
        [Group::X25519, Group::X25519MlKem768].map(|group| setup(&Config::new(group, Authentication::EcdsaP256)));
    let mut pair = Pair::new(&one, &LINK, 1);
    assert!(matches!(pair.verify(&one), Err(Error::Wrong(_))), "no handshake was performed");
    pair.connect(&one, || 0).unwrap();
    assert!(matches!(pair.verify(&other), Err(Error::Wrong(what)) if what.contains("X25519MLKEM768")));
    let same_group = setup(&Config::new(Group::X25519, Authentication::EcdsaP256));
    assert!(matches!(pair.verify(&same_group), Err(Error::Wrong(what)) if what.contains("certificates")));
    pair.verify(&one).unwrap();
}
