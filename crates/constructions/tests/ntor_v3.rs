//! Tests ntor v3 with the proposal's vectors and with corrupted messages.

#![allow(clippy::unwrap_used)]

mod common;

use common::providers;
use pqlab_constructions::ntor::v3::{Client, Protocol, Relay, RelayDescriptor};
use pqlab_constructions::ntor::{HandshakeError, Sha3Parts};
use pqlab_primitives::{Coins, Provider};
use std::sync::Arc;

/// Test vectors from proposal 332, section X.2.
const B_PRIVATE: &str = "4051daa5921cfa2a1c27b08451324919538e79e788a81b38cbed097a5dff454a";
const ID: &str = "9fad2af287ef942632833d21f946c6260c33fae6172b60006e86e4a6911753a2";
const X_PRIVATE: &str = "b825a3719147bcbe5fb1d0b0fcb9c09e51948048e2e3283d2ab7b45b5ef38b49";
const CM: &str = "68656c6c6f20776f726c64";
const VER: &str = "78797a7a79";
const Y_PRIVATE: &str = "4865a5b7689dafd978f529291c7171bc159be076b92186405d13220b80e2a053";
const SM: &str = "486f6c61204d756e646f";
const ONIONSKIN: &str = "9fad2af287ef942632833d21f946c6260c33fae6172b60006e86e4a6911753a2f8307a2bc1870b00b828bb74dbb8fd88\
                         e632a6375ab3bcd1ae706aaa8b6cdd1d252fe9ae91264c91d4ecb8501f79d0387e34ad8ca0f7c995184f7d11d5da4f46\
                         3bebd9151fd3b47c180abc9e044d53565f04d82bbb3bebed3d06cea65db8be9c72b68cd461942088502f67";
const REPLY: &str = "4bf4814326fdab45ad5184f5518bd7fae25dc59374062698201a50a22954246d2fc5f8773ca824542bc6cf6f57c7c29b\
                     bf4e5476461ab130c5b18ab0a91276651202c3e1e87c0d32054c";
const KEYSTREAM: &str = "9c19b631fd94ed86a817e01f6c80b0743a43f5faebd39cfaa8b00fa8bcc65c3bfeaa403d91acbd68a821bf6ee8504602\
                         b094a254392a07737d5662768c7a9fb1b2814bb34780eaee6e867c773e28c212ead563e98a1cd5d5b4576f5ee61c59bd\
                         e025ff2851bb19b721421694f263818e3531e43a9e4e3e2c661e2ad547d8984caa28ebecd3e4525452299be26b9185a2\
                         0a90ce1eac20a91f2832d731b54502b09749b5a2a2949292f8cfcbeffb790c7790ed935a9d251e7e336148ea83b063a5\
                         618fcff674a44581585fd22077ca0e52c59a24347a38d1a1ceebddbf238541f226b8f88d0fb9c07a1bcd2ea764bbbb5d\
                         acdaf5312a14c0b9e4f06309b0333b4a";

fn bytes(text: &str) -> Vec<u8> {
    hex::decode(text).unwrap()
}

fn parts(provider: &Provider) -> Option<Sha3Parts> {
    Some(Sha3Parts {
        agreement: provider.key_agreement("X25519")?.clone(),
        hash: provider.hash("SHA3-256")?.clone(),
        xof: provider.xof("SHAKE256")?.clone(),
        cipher: provider.stream_cipher("AES-256-CTR")?.clone(),
    })
}

fn rust(verification: &[u8]) -> Arc<Protocol> {
    let rust = providers().into_iter().find(|provider| provider.library == "rustcrypto").unwrap();
    Protocol::new(parts(&rust).unwrap(), verification).unwrap()
}

fn relay(protocol: &Arc<Protocol>) -> Relay {
    Relay::new(protocol.clone(), bytes(ID).try_into().unwrap(), Coins::Exact(&bytes(B_PRIVATE))).unwrap()
}

/// Answers an onionskin. Returns the relay's reply and keys.
fn respond(relay: &Relay, onionskin: &[u8]) -> Result<(Vec<u8>, Vec<u8>), HandshakeError> {
    let (mut reply, mut keys) = (vec![0; 74], vec![0; 256]);
    let compose = |message: &[u8]| {
        assert_eq!(message, bytes(CM));
        bytes(SM)
    };
    relay.respond(onionskin, Coins::Exact(&bytes(Y_PRIVATE)), compose, &mut reply, &mut keys)?;
    Ok((reply, keys))
}

/// Starts the handshake from the test vectors and finishes it with `reply`. Returns the relay's message and the keys.
fn finish(
    protocol: &Arc<Protocol>,
    relay: RelayDescriptor,
    reply: &[u8],
) -> Result<(Vec<u8>, Vec<u8>), HandshakeError> {
    let (mut onionskin, mut message, mut keys) = (vec![0; 139], vec![0; 10], vec![0; 256]);
    let client = Client::new(protocol.clone(), relay);
    let pending = client.start(Coins::Exact(&bytes(X_PRIVATE)), &bytes(CM), &mut onionskin)?;
    assert_eq!(onionskin, bytes(ONIONSKIN));
    pending.finish(reply, &mut message, &mut keys)?;
    assert_eq!(message, bytes(SM));
    Ok((message, keys))
}

#[test]
fn matches_the_proposals_vectors_with_every_provider() {
    let mut tested = 0;
    for provider in providers() {
        let Some(parts) = parts(&provider) else { continue };
        tested += 1;
        let protocol = Protocol::new(parts, &bytes(VER)).unwrap();
        let relay = relay(&protocol);
        let (reply, keys) = respond(&relay, &bytes(ONIONSKIN)).unwrap();
        assert_eq!((reply.as_slice(), keys), (bytes(REPLY).as_slice(), bytes(KEYSTREAM)), "{}", provider.id());
        assert_eq!(finish(&protocol, relay.descriptor(), &reply).unwrap().1, bytes(KEYSTREAM), "{}", provider.id());
    }
    assert!(tested >= 3, "only {tested} providers");
}

#[test]
fn rejects_bit_flips_and_wrong_lengths() {
    let protocol = rust(&bytes(VER));
    let relay = relay(&protocol);
    let (onionskin, reply) = (bytes(ONIONSKIN), bytes(REPLY));
    for bit in 0..8 * onionskin.len() {
        let mut changed = onionskin.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let expected = match bit / 8 {
            0..32 => HandshakeError::Identity,
            32..64 => HandshakeError::KeyId,
            _ => HandshakeError::Introduction,
        };
        assert_eq!(respond(&relay, &changed).unwrap_err(), expected, "bit {bit}");
    }
    for bit in 0..8 * reply.len() {
        let mut changed = reply.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let finished = finish(&protocol, relay.descriptor(), &changed);
        assert_eq!(finished.unwrap_err(), HandshakeError::Authenticator, "bit {bit}");
    }
    for length in (0..onionskin.len()).chain([onionskin.len() + 1, 1000]) {
        let mut changed = onionskin.clone();
        changed.resize(length, 0);
        let refused = respond(&relay, &changed).unwrap_err();
        let expected = matches!(refused, HandshakeError::Length { .. } | HandshakeError::Introduction);
        assert!(expected, "{length}: {refused}");
    }
    for length in (0..reply.len()).chain([reply.len() + 1]) {
        let mut changed = reply.clone();
        changed.resize(length, 0);
        let refused = finish(&protocol, relay.descriptor(), &changed).unwrap_err();
        assert!(matches!(refused, HandshakeError::Length { message: "reply", .. }), "{length}: {refused}");
    }
}

#[test]
fn rejects_other_onion_keys_and_verification_strings() {
    let protocol = rust(&bytes(VER));
    let genuine = relay(&protocol);
    // The relay must reject the client's message if the verification strings differ.
    assert_eq!(respond(&relay(&rust(b"another")), &bytes(ONIONSKIN)).unwrap_err(), HandshakeError::Introduction);
    // A relay without the onion key cannot decrypt an onionskin that is redirected to it.
    let impostor = Relay::new(protocol.clone(), genuine.descriptor().identity, Coins::Internal).unwrap();
    let mut onionskin = bytes(ONIONSKIN);
    assert_eq!(respond(&impostor, &onionskin).unwrap_err(), HandshakeError::KeyId);
    onionskin[32..64].copy_from_slice(&impostor.descriptor().onion_key);
    assert_eq!(respond(&impostor, &onionskin).unwrap_err(), HandshakeError::Introduction);
    let weak = RelayDescriptor { onion_key: [0; 32], ..genuine.descriptor() };
    let started = Client::new(protocol, weak).start(Coins::Internal, &[], &mut [0; 128]).map(drop);
    assert_eq!(started, Err(HandshakeError::LowOrder));
}

#[test]
fn accepts_keys_generated_in_advance() {
    let protocol = rust(b"");
    let relay = relay(&protocol);
    for (sent, answered) in [(0, 0), (3, 4), (441, 441)] {
        let key = protocol.ephemeral_key(Coins::Internal).unwrap();
        let (mut onionskin, mut reply) = (vec![0; protocol.onionskin(sent)], vec![0; protocol.reply(answered)]);
        let (mut at_relay, mut at_client) = (vec![0; protocol.keys()], vec![0; protocol.keys()]);
        let client = Client::new(protocol.clone(), relay.descriptor());
        let pending = client.start_with(key, &vec![1; sent], &mut onionskin).unwrap();
        let compose = |message: &[u8]| {
            assert_eq!(message, vec![1; sent]);
            vec![2; answered]
        };
        relay.respond(&onionskin, Coins::Internal, compose, &mut reply, &mut at_relay).unwrap();
        let mut message = vec![0; answered];
        pending.finish(&reply, &mut message, &mut at_client).unwrap();
        assert_eq!((at_client, message), (at_relay, vec![2; answered]));
    }
    let client = Client::new(protocol.clone(), relay.descriptor());
    let started = client.start(Coins::Internal, &[0; 442], &mut vec![0; protocol.onionskin(442)]).map(drop);
    assert!(matches!(started, Err(HandshakeError::Length { message: "message", .. })));
}
