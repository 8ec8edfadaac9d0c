//! Every configuration that an implementation has, alone and against the other; what must be refused is refused.

#![allow(clippy::unwrap_used)]

use pqlab_primitives::SignatureScheme;
use pqlab_tls::{
    Authentication, Config, Credentials, Error, Flight, Flights, Group, Implementation, Resumption, Setup, handshake,
};
use std::sync::Arc;

fn scheme(authentication: Authentication) -> Arc<dyn SignatureScheme> {
    let providers = pqlab_providers::providers();
    let provider = providers.iter().find(|provider| provider.library == "openssl").unwrap();
    Arc::clone(provider.signature(authentication.name()).unwrap())
}

fn credentials(config: &Config) -> Credentials {
    Credentials::make(config, scheme(config.authentication).as_ref()).unwrap()
}

fn pairs() -> impl Iterator<Item = (Implementation, Implementation)> {
    let all = Implementation::ALL;
    all.into_iter().flat_map(move |client| all.into_iter().map(move |server| (client, server)))
}

/// Performs one handshake and verifies it.
fn perform(setup: &Setup) -> Result<Flights, Error> {
    setup.prime(1)?;
    let (mut client, mut server) = (setup.client()?, setup.server()?);
    let mut flights = Flights::default();
    handshake(client.as_mut(), server.as_mut(), &mut flights)?;
    setup.verify(client.as_mut(), server.as_mut(), &flights.answer)?;
    Ok(flights)
}

/// Performs handshakes of all pairs that have the configuration; returns how many pairs there are.
fn all_pairs(config: &Config) -> usize {
    let credentials = credentials(config);
    let mut performed = 0;
    for (client, server) in pairs() {
        let context = || format!("{config:?}, {client:?} and {server:?}");
        let setup = match Setup::new(config, client, server, &credentials) {
            Err(Error::Unsupported(_)) => continue,
            other => other.unwrap_or_else(|error| panic!("{}: {error}", context())),
        };
        for _ in 0..3 {
            perform(&setup).unwrap_or_else(|error| panic!("{}: {error}", context()));
        }
        performed += 1;
    }
    performed
}

fn supported() -> impl Iterator<Item = Authentication> {
    Authentication::ALL.into_iter().filter(|algorithm| algorithm.scheme().is_some())
}

#[test]
fn every_group_with_every_signature_between_every_pair() {
    for authentication in supported() {
        for group in Group::ALL {
            let pairs = all_pairs(&Config::new(group, authentication));
            // rustls lacks one group, which leaves OpenSSL to itself.
            assert_eq!(pairs, if group == Group::SecP384r1MlKem1024 { 1 } else { 4 }, "{group:?}");
        }
    }
}

#[test]
fn chains_and_clients_that_show_who_they_are() {
    for authentication in supported() {
        for intermediates in [1, 2] {
            let config = Config { intermediates, ..Config::new(Group::X25519MlKem768, authentication) };
            assert_eq!(all_pairs(&config), 4);
        }
        let config = Config {
            intermediates: 1,
            client_authentication: true,
            ..Config::new(Group::X25519MlKem768, authentication)
        };
        assert_eq!(all_pairs(&config), 4);
    }
}

#[test]
fn a_server_sends_its_certificates_and_not_the_root() {
    for intermediates in [0, 1, 2] {
        let config = Config { intermediates, ..Config::new(Group::X25519, Authentication::Ed25519) };
        let credentials = credentials(&config);
        let flight = |implementation| {
            let setup = Setup::new(&config, implementation, implementation, &credentials).unwrap();
            Flight::of(&perform(&setup).unwrap().answer).unwrap().bytes
        };
        // They differ in how they cut the flight into records.
        let [one, other] = Implementation::ALL.map(flight);
        assert!(one.abs_diff(other) < 150 && credentials.root.len() > 200, "{intermediates}: {one} and {other} bytes");
    }
}

#[test]
fn connections_are_resumed() {
    for group in [Group::X25519, Group::X25519MlKem768] {
        for authentication in [Authentication::Ed25519, Authentication::MlDsa65] {
            for (resumption, pairs) in [(Resumption::WithKeyExchange, 4), (Resumption::Alone, 1)] {
                for client_authentication in [false, true] {
                    let config = Config { resumption, client_authentication, ..Config::new(group, authentication) };
                    assert_eq!(all_pairs(&config), pairs, "{config:?}");
                }
            }
        }
    }
}

#[test]
fn tickets_are_there_for_as_many_connections_as_are_asked_for() {
    let config =
        Config { resumption: Resumption::WithKeyExchange, ..Config::new(Group::X25519, Authentication::EcdsaP256) };
    let credentials = credentials(&config);
    for (client, server) in pairs() {
        let setup = Setup::new(&config, client, server, &credentials).unwrap();
        setup.prime(20).unwrap();
        for number in 0..20 {
            let (mut client, mut server) = (setup.client().unwrap(), setup.server().unwrap());
            let mut flights = Flights::default();
            handshake(client.as_mut(), server.as_mut(), &mut flights).unwrap();
            let verified = setup.verify(client.as_mut(), server.as_mut(), &flights.answer);
            assert_eq!(verified, Ok(()), "connection {number}");
        }
    }
}

#[test]
fn what_is_missing_is_unsupported_for_a_reason() {
    let reason = |config: &Config, implementation: Implementation| match implementation.check(config) {
        Err(Error::Unsupported(reason)) => reason,
        other => panic!("{config:?}: {other:?}"),
    };
    let slh_dsa = Config::new(Group::X25519, Authentication::SlhDsaSha2128s);
    for implementation in Implementation::ALL {
        assert!(reason(&slh_dsa, implementation).contains("SLH-DSA"));
    }
    let p384 = Config::new(Group::SecP384r1MlKem1024, Authentication::Ed25519);
    assert!(reason(&p384, Implementation::Rustls).contains("SecP384r1MLKEM1024"));
    let alone = Config { resumption: Resumption::Alone, ..Config::new(Group::X25519, Authentication::Ed25519) };
    assert!(reason(&alone, Implementation::Rustls).contains("psk_dhe_ke"));
    assert_eq!(Implementation::OpenSsl.check(&p384), Ok(()));
    assert_eq!(Implementation::OpenSsl.check(&alone), Ok(()));
}

/// A verification that accepts everything would pass all other tests.
#[test]
fn a_server_or_client_that_is_not_known_is_refused() {
    let config = Config {
        intermediates: 1,
        client_authentication: true,
        ..Config::new(Group::X25519, Authentication::EcdsaP256)
    };
    let good = credentials(&config);
    let strangers = credentials(&config);
    let wrong_root = Credentials { root: strangers.root.clone(), ..good.clone() };
    let missing_intermediate = Credentials { intermediates: Vec::new(), ..good.clone() };
    let wrong_name = Credentials { server: good.client.clone().unwrap(), ..good.clone() };
    let strange_client = Credentials { client: strangers.client.clone(), ..good.clone() };
    for (client, server) in pairs() {
        assert!(perform(&Setup::new(&config, client, server, &good).unwrap()).is_ok());
        for (what, bad) in [
            ("root", &wrong_root),
            ("intermediate", &missing_intermediate),
            ("name", &wrong_name),
            ("client", &strange_client),
        ] {
            let refused = perform(&Setup::new(&config, client, server, bad).unwrap());
            assert!(matches!(refused, Err(Error::Library { .. })), "{what}, {client:?} and {server:?}: {refused:?}");
        }
    }
}

/// The handshake is what was asked for, or it is an error: a setup of one configuration does not verify another's.
#[test]
fn a_handshake_of_another_configuration_is_wrong() {
    let asked = Config::new(Group::X25519, Authentication::EcdsaP256);
    let other = Config { group: Group::X25519MlKem768, ..asked };
    let credentials = credentials(&asked);
    for (client, server) in pairs() {
        let asked = Setup::new(&asked, client, server, &credentials).unwrap();
        let other = Setup::new(&other, client, server, &credentials).unwrap();
        let (mut client, mut server) = (other.client().unwrap(), other.server().unwrap());
        let mut flights = Flights::default();
        handshake(client.as_mut(), server.as_mut(), &mut flights).unwrap();
        let wrong = asked.verify(client.as_mut(), server.as_mut(), &flights.answer);
        assert!(matches!(wrong, Err(Error::Wrong(_))), "{wrong:?}");
        let (mut client, mut server) = (asked.client().unwrap(), other.server().unwrap());
        let mut flights = Flights::default();
        let refused = handshake(client.as_mut(), server.as_mut(), &mut flights);
        assert!(refused.is_err(), "no group in common");
    }
}

#[test]
fn a_changed_byte_of_the_servers_flight_is_noticed() {
    let config = Config::new(Group::X25519MlKem768, Authentication::MlDsa44);
    let credentials = credentials(&config);
    for (client, server) in pairs() {
        let setup = Setup::new(&config, client, server, &credentials).unwrap();
        let (mut client, mut server) = (setup.client().unwrap(), setup.server().unwrap());
        let mut flights = Flights::default();
        client.send(&mut flights.hello).unwrap();
        server.receive(&flights.hello).unwrap();
        server.send(&mut flights.answer).unwrap();
        *flights.answer.last_mut().unwrap() ^= 1;
        assert!(client.receive(&flights.answer).is_err());
    }
}

#[test]
fn what_an_implementation_lacks_is_said_with_its_reason() {
    let names = |implementation: Implementation| {
        let lacks = implementation.lacks();
        assert!(lacks.iter().all(|(_, reason)| reason.len() > 20), "{lacks:?}");
        lacks.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(Implementation::Rustls), ["SecP384r1MLKEM1024", "SLH-DSA-SHA2-128s", "psk"]);
    assert_eq!(names(Implementation::OpenSsl), ["SLH-DSA-SHA2-128s"]);
}

#[test]
fn bytes_are_those_that_the_algorithms_take() {
    let config = Config { intermediates: 2, ..Config::new(Group::X25519MlKem768, Authentication::MlDsa65) };
    let credentials = credentials(&config);
    for (client, server) in pairs() {
        let flights = perform(&Setup::new(&config, client, server, &credentials).unwrap()).unwrap();
        let [hello, answer, finish] =
            [&flights.hello, &flights.answer, &flights.finish].map(|it| Flight::of(it).unwrap());
        // An encapsulation key and an X25519 share; a ciphertext and a share; three keys, and with the proof four signatures.
        assert!((1216..1216 + 400).contains(&hello.bytes), "{hello:?}");
        let least = 1120 + 3 * 1952 + 4 * 3309;
        assert!((least..least + 1600).contains(&answer.bytes), "{answer:?}");
        assert!(!answer.fits_the_initial_window());
        assert!(finish.bytes < 100 && finish.packets() == 1, "{finish:?}");
        let classical = Config::new(Group::X25519, Authentication::Ed25519);
        let flights =
            perform(&Setup::new(&classical, client, server, &self::credentials(&classical)).unwrap()).unwrap();
        assert!(Flight::of(&flights.answer).unwrap().fits_the_initial_window());
    }
}
