//! The KEM-only handshake: onionskin = ek || ID, reply = ct || AUTH. ek is the client's encapsulation key, and ID is
//! the relay's identity. ct is the ciphertext, and K is the KEM's secret. This handshake is forward secret, but does
//! NOT authenticate the relay. No long-term secret is used, so anyone who knows the public identity can answer.
//!
//! ```text
//! T    = ek || ct || ID
//! OKM  = HKDF-SHA256(salt = SHA-256(T), ikm = K, info = "pq-ntor-keys")      112 bytes: K_auth(32) || K_enc(80)
//! AUTH = HMAC-SHA256(K_auth, T || "server")
//! ```

use super::{
    EphemeralKeys, IDENTITY, Initiator, Protocol, Responder, Result, Transcript, WORD, check_authenticator,
    check_length,
};
use pqlab_primitives::{Coins, DecapsulationKey, Wiped};

/// Length of K_enc in bytes.
pub(super) const KEYS: usize = 80;
const INFO: &[u8] = b"pq-ntor-keys";
const SERVER: &[u8] = b"server";

/// State of a client that waits for the reply: its KEM key and the onionskin that it sent.
pub(super) struct Waiting {
    key: Box<dyn DecapsulationKey>,
    onionskin: Transcript,
}

pub(super) fn start(client: &Initiator, coins: Coins, onionskin: &mut [u8]) -> Result<Waiting> {
    let length = client.protocol.kem.encapsulation_key;
    let key = client.protocol.generate_kem(coins, &mut onionskin[..length])?;
    Ok(send(client, key, onionskin))
}

pub(super) fn start_with(client: &Initiator, mut keys: EphemeralKeys, onionskin: &mut [u8]) -> Result<Waiting> {
    let (key, public) = keys.kem(&client.protocol)?;
    onionskin[..public.len()].copy_from_slice(&public);
    Ok(send(client, key, onionskin))
}

/// Appends the relay's identity to an onionskin that already contains the encapsulation key.
fn send(client: &Initiator, key: Box<dyn DecapsulationKey>, onionskin: &mut [u8]) -> Waiting {
    onionskin[client.protocol.kem.encapsulation_key..].copy_from_slice(&client.relay.identity);
    Waiting { key, onionskin: Transcript::new(&[onionskin]) }
}

pub(super) fn respond(
    relay: &Responder,
    onionskin: &[u8],
    coins: Coins,
    reply: &mut [u8],
    keys: &mut [u8],
) -> Result<()> {
    let protocol = &relay.protocol;
    relay.check_identity(&onionskin[protocol.kem.encapsulation_key..])?;
    let (ciphertext, auth) = reply.split_at_mut(protocol.kem.ciphertext);
    let secret = protocol.encapsulate(&onionskin[..protocol.kem.encapsulation_key], coins, ciphertext)?;
    let derived = derive(protocol, onionskin, ciphertext, secret.as_ref())?;
    write_keys(&derived, keys)?;
    auth.copy_from_slice(&derived.auth);
    Ok(())
}

pub(super) fn finish(protocol: &Protocol, waiting: Waiting, reply: &[u8], keys: &mut [u8]) -> Result<()> {
    let (ciphertext, auth) = reply.split_at(protocol.kem.ciphertext);
    let mut secret = Wiped::new([0; WORD]);
    waiting.key.decapsulate(ciphertext, secret.as_mut())?;
    let derived = derive(protocol, waiting.onionskin.bytes(), ciphertext, secret.as_ref())?;
    check_authenticator(&derived.auth, auth)?;
    write_keys(&derived, keys)
}

struct Derived {
    auth: [u8; WORD],
    /// K_auth || K_enc.
    material: Wiped<[u8; WORD + KEYS]>,
}

fn write_keys(derived: &Derived, keys: &mut [u8]) -> Result<()> {
    check_length("keys", KEYS, keys.len())?;
    keys.copy_from_slice(&derived.material[WORD..]);
    Ok(())
}

fn derive(protocol: &Protocol, onionskin: &[u8], ciphertext: &[u8], secret: &[u8]) -> Result<Derived> {
    let (encapsulation_key, identity) = onionskin.split_at(onionskin.len() - IDENTITY);
    let mut transcript: Transcript = Transcript::new(&[encapsulation_key, ciphertext, identity]);
    let mut salt = [0; WORD];
    protocol.parts.hash.digest(transcript.bytes(), &mut salt)?;
    let mut material = Wiped::new([0; WORD + KEYS]);
    protocol.parts.kdf.derive(&salt, secret, INFO, material.as_mut())?;
    transcript.push(SERVER);
    let auth = protocol.tag(&material[..WORD], transcript.bytes())?;
    Ok(Derived { auth, material })
}
