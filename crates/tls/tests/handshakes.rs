//! Tests handshakes between all pairs of implementations in every supported configuration, and handshakes that must
//! fail.

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

/// Performs and verifies one handshake, with resumption if configured.
fn perform(setup: &Setup) -> Result<Flights, Error> {
    setup.prime(1)?;
    let (mut client, mut server) = (setup.client()?, setup.server()?);
    let mut flights = Flights::default();
    handshake(client.as_mut(), server.as_mut(), &mut flights)?;
    setup.verify(client.as_mut(), server.as_mut(), &flights.answer)?;
    Ok(flights)
}

/// Performs three handshakes with each pair of implementations that supports the configuration. Returns the number of
/// pairs.
fn all_pairs(config: &Config) -> usize {
    let credentials = credentials(config);
    let mut performed = 0;
    for (client, server) in pairs() {
        let context = || format!("{config:?}, client {client:?}, server {server:?}");
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
fn completes_every_group_with_every_signature_between_every_pair() {
    for authentication in supported() {
        for group in Group::ALL {
            let pairs = all_pairs(&Config::new(group, authentication));
            // rustls does not support SecP384r1MLKEM1024, so OpenSSL can only talk to itself.
            assert_eq!(pairs, if group == Group::SecP384r1MlKem1024 { 1 } else { 4 }, "{group:?}");
        }
    }
}

#[test]
fn supports_chains_and_client_authentication() {
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
fn server_does_not_send_the_root() {
    for intermediates in [0, 1, 2] {
        let config = Config { intermediates, ..Config::new(Group::X25519, Authentication::Ed25519) };
        let credentials = credentials(&config);
        let flight = |implementation| {
            let setup = Setup::new(&config, implementation, implementation, &credentials).unwrap();
            Flight::parse(&perform(&setup).unwrap().answer).unwrap().bytes
        };
        // The implementations split the flight into different numbers of records.
        let [one, other] = Implementation::ALL.map(flight);
        assert!(
            one.abs_diff(other) < 150 && credentials.root.len() > 200,
            "{intermediates} intermediates: {one} and {other} bytes"
        );
    }
}

#[test]
fn computes_the_length_of_the_servers_flight() {
    for (authentication, signature) in
        [(Authentication::Ed25519, 64), (Authentication::MlDsa44, 2420), (Authentication::MlDsa87, 4627)]
    {
        for intermediates in [0, 1, 2] {
            let config = Config { intermediates, ..Config::new(Group::X25519MlKem768, authentication) };
            let credentials = credentials(&config);
            let rustls = Implementation::Rustls;
            let setup = Setup::new(&config, rustls, rustls, &credentials).unwrap();
            let sent = Flight::parse(&perform(&setup).unwrap().answer).unwrap();
            let lengths = [&credentials.server.certificate].into_iter().chain(&credentials.intermediates).map(Vec::len);
            assert_eq!(Flight::of_server(lengths, signature), sent, "{config:?}");
        }
    }
}

#[test]
fn resumes_connections() {
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
fn priming_provides_the_requested_number_of_tickets() {
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
fn reports_why_a_configuration_is_unsupported() {
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

/// Tests the verification of certificates. The other tests would pass even if a verifier accepted every certificate.
#[test]
fn rejects_unknown_servers_and_clients() {
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
            assert!(
                matches!(refused, Err(Error::Library { .. })),
                "wrong {what}, client {client:?}, server {server:?}: {refused:?}"
            );
        }
    }
}

#[test]
fn rejects_handshakes_with_another_configuration() {
    let config = Config::new(Group::X25519, Authentication::EcdsaP256);
    let other = Config { group: Group::X25519MlKem768, ..config };
    let credentials = credentials(&config);
    for (client, server) in pairs() {
        let setup = Setup::new(&config, client, server, &credentials).unwrap();
        let other = Setup::new(&other, client, server, &credentials).unwrap();
        let (mut client, mut server) = (other.client().unwrap(), other.server().unwrap());
        let mut flights = Flights::default();
        handshake(client.as_mut(), server.as_mut(), &mut flights).unwrap();
        let wrong = setup.verify(client.as_mut(), server.as_mut(), &flights.answer);
        assert!(matches!(wrong, Err(Error::Wrong(_))), "{wrong:?}");
        let (mut client, mut server) = (setup.client().unwrap(), other.server().unwrap());
        let mut flights = Flights::default();
        let refused = handshake(client.as_mut(), server.as_mut(), &mut flights);
        assert!(refused.is_err(), "the handshake must fail without a common group");
    }
}

#[test]
fn detects_changed_bytes_in_the_servers_flight() {
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
fn lists_missing_features_with_reasons() {
    let names = |implementation: Implementation| {
        let lacks = implementation.lacks();
        assert!(lacks.iter().all(|(_, reason)| reason.len() > 20), "{lacks:?}");
        lacks.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(Implementation::Rustls), ["SecP384r1MLKEM1024", "SLH-DSA-SHA2-128s", "psk"]);
    assert_eq!(names(Implementation::OpenSsl), ["SLH-DSA-SHA2-128s"]);
}

#[test]
fn flight_sizes_match_the_algorithms() {
    let config = Config { intermediates: 2, ..Config::new(Group::X25519MlKem768, Authentication::MlDsa65) };
    let credentials = credentials(&config);
    for (client, server) in pairs() {
        let flights = perform(&Setup::new(&config, client, server, &credentials).unwrap()).unwrap();
        let [hello, answer, finish] =
            [&flights.hello, &flights.answer, &flights.finish].map(|it| Flight::parse(it).unwrap());
        // The ClientHello contains an encapsulation key and an X25519 share; the answer contains a ciphertext and a
        // share. The answer also contains three public keys and four signatures: one per certificate and one over the
        // handshake.
        assert!((1216..1216 + 400).contains(&hello.bytes), "{hello:?}");
        let least = 1120 + 3 * 1952 + 4 * 3309;
        assert!((least..least + 1600).contains(&answer.bytes), "{answer:?}");
        assert!(!answer.fits_the_initial_window());
        assert!(finish.bytes < 100 && finish.packets() == 1, "{finish:?}");
        let classical = Config::new(Group::X25519, Authentication::Ed25519);
        let flights =
            perform(&Setup::new(&classical, client, server, &self::credentials(&classical)).unwrap()).unwrap();
        assert!(Flight::parse(&flights.answer).unwrap().fits_the_initial_window());
    }
}
