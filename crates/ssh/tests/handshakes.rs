//! Handshakes in memory and over a stream: authentication, algorithms, and the counted messages.

#![allow(clippy::unwrap_used)]

use pqlab_ssh::{Config, Error, KeyExchange, KeyType, Keys, Session, Setup};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::{Builder, Runtime};

const PLAIN: Config = Config { key_exchange: KeyExchange::MlKem768X25519, key_type: KeyType::Ed25519 };

fn keys(key_type: KeyType) -> Arc<Keys> {
    Arc::new(Keys::generate(key_type).unwrap())
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

#[test]
fn every_handshake_authenticates_both_sides_with_the_requested_algorithms() {
    for key_type in KeyType::ALL {
        let keys = keys(key_type);
        for key_exchange in KeyExchange::ALL {
            let setup = Setup::new(Config { key_exchange, key_type }, Arc::clone(&keys)).unwrap();
            let mut connection = setup.connection();
            while !connection.is_done() {
                connection.step().unwrap();
            }
            // Identification, key exchange, service request, offer of the key, signature: one round trip each.
            assert_eq!(connection.flights().len(), 2 * 5 + 1, "{:?}", connection.flights());
            connection.verify().unwrap();
        }
    }
}

#[test]
fn connections_of_a_setup_do_not_disturb_each_other() {
    let setup = Setup::new(PLAIN, keys(KeyType::Ed25519)).unwrap();
    let mut connections: Vec<_> = (0..3).map(|_| setup.connection()).collect();
    while !connections.iter().all(|connection| connection.is_done()) {
        for connection in connections.iter_mut().filter(|connection| !connection.is_done()) {
            connection.step().unwrap();
        }
    }
    let dropped = connections.pop();
    drop(dropped);
    setup.settle();
    connections.iter_mut().for_each(|connection| connection.verify().unwrap());
}

#[test]
fn incomplete_handshakes_do_not_verify() {
    let setup = Setup::new(PLAIN, keys(KeyType::Ed25519)).unwrap();
    let mut connection = setup.connection();
    connection.step().unwrap();
    assert!(matches!(connection.verify(), Err(Error::Wrong(_))));
}

#[test]
fn complete_handshakes_have_no_further_step() {
    let setup = Setup::new(PLAIN, keys(KeyType::Ed25519)).unwrap();
    let mut connection = setup.connection();
    while !connection.is_done() {
        connection.step().unwrap();
    }
    connection.step().unwrap_err();
}

/// Connects the client of one setup to the server of another one. Also returns whether the server accepted the login.
fn between(client: &Setup, server: &Setup) -> (Result<Session, Error>, bool) {
    let logged_in = Arc::<AtomicBool>::default();
    let (here, there) = tokio::io::duplex(1 << 16);
    let serving = server.serve(there, &logged_in);
    let connecting = client.connect(here);
    let session = runtime().block_on(async {
        let _serving = tokio::spawn(serving);
        connecting.await
    });
    (session, logged_in.load(Ordering::Relaxed))
}

#[test]
fn client_rejects_unknown_host_keys() {
    let (known, other) = (keys(KeyType::Ed25519), keys(KeyType::Ed25519));
    let impostor = Keys { host: other.host.clone(), user: Arc::clone(&known.user) };
    let (client, server) = (Setup::new(PLAIN, known).unwrap(), Setup::new(PLAIN, Arc::new(impostor)).unwrap());
    let (session, logged_in) = between(&client, &server);
    assert!(matches!(session.err(), Some(Error::Library(russh::Error::UnknownKey))) && !logged_in);
}

#[test]
fn server_rejects_unknown_users_and_keys() {
    let (known, other) = (keys(KeyType::Ed25519), keys(KeyType::Ed25519));
    let stranger = Arc::new(Keys { host: known.host.clone(), user: Arc::clone(&other.user) });
    let server = Setup::new(PLAIN, Arc::clone(&known)).unwrap();
    for client in [Setup::new(PLAIN, stranger).unwrap(), Setup::new(PLAIN, known).unwrap().with_user("nobody")] {
        let (session, logged_in) = between(&client, &server);
        assert!(matches!(session.err(), Some(Error::Wrong(_))) && !logged_in);
    }
}

#[test]
fn sides_that_offer_different_algorithms_do_not_connect() {
    let keys = keys(KeyType::Ed25519);
    let classical = Config { key_exchange: KeyExchange::Curve25519, ..PLAIN };
    let (client, server) = (Setup::new(PLAIN, Arc::clone(&keys)).unwrap(), Setup::new(classical, keys).unwrap());
    let (session, logged_in) = between(&client, &server);
    assert!(session.is_err() && !logged_in);
}

#[test]
fn names_identify_algorithms() {
    for method in KeyExchange::ALL {
        assert_eq!(KeyExchange::named(method.name()), Some(method));
    }
    for key_type in KeyType::ALL {
        assert_eq!(KeyType::named(key_type.name()), Some(key_type));
    }
    assert_eq!(KeyExchange::named("sntrup761x25519-sha512"), None);
}
