//! The authenticated hybrid handshake: Tor's proposal 269 with X25519 and ML-KEM.
//!
//! ```text
//! onionskin = ID || KEYID(A) || X || EPK          reply = Y || C || AUTH
//! s0 = H(A^x) = H(X^a)      s1 = X^y = Y^x      s2 = the KEM's secret
//! seed   = EXTRACT(ID || A || X || EPK, s0 || s1 || s2)
//! verify = EXPAND(seed, PROTOID ":auth")
//! AUTH   = HMAC(verify, ID || A || X || EPK || Y || C || PROTOID)
//! keys   = EXPAND(seed, PROTOID ":key")
//! ```
//!
//! ID is the relay's identity, and A is the relay's onion key. X and Y are the ephemeral X25519 keys. EPK is the
//! client's encapsulation key, and C is the ciphertext. The proposal leaves some choices open. Here, H is SHA-256,
//! EXTRACT and EXPAND come from HKDF-SHA256, and KEYID(A) is A, as in classical ntor. PROTOID is
//! `ntor-x25519-mlkem512-sha256-1`, with 768 or 1024 instead of 512 for the other parameter sets. No test vectors have
//! been published.

use super::{
    EphemeralKeys, IDENTITY, Initiator, Label, Protocol, RelayDescriptor, Responder, Result, Transcript, WORD,
    check_authenticator, split,
};
use pqlab_primitives::{Coins, DecapsulationKey, PrivateKey, Wiped};

/// State of a client that waits for the reply: its two ephemeral keys, the relay, and the onionskin that it sent.
pub(super) struct Waiting {
    relay: RelayDescriptor,
    private: Box<dyn PrivateKey>,
    key: Box<dyn DecapsulationKey>,
    onionskin: Transcript,
}

pub(super) fn start(client: &Initiator, coins: Coins, onionskin: &mut [u8]) -> Result<Waiting> {
    let protocol = &client.protocol;
    let (x_coins, kem_coins) = split(coins, WORD)?;
    let (x, encapsulation_key) = address(client, onionskin);
    let private = protocol.generate_agreement(x_coins, x)?;
    let key = protocol.generate_kem(kem_coins, encapsulation_key)?;
    Ok(Waiting { relay: client.relay, private, key, onionskin: Transcript::new(&[onionskin]) })
}

pub(super) fn start_with(client: &Initiator, mut keys: EphemeralKeys, onionskin: &mut [u8]) -> Result<Waiting> {
    let (private, public) = keys.agreement()?;
    let (key, public_of_kem) = keys.kem(&client.protocol)?;
    let (x, encapsulation_key) = address(client, onionskin);
    x.copy_from_slice(&public);
    encapsulation_key.copy_from_slice(&public_of_kem);
    Ok(Waiting { relay: client.relay, private, key, onionskin: Transcript::new(&[onionskin]) })
}

/// Writes the relay's identity and KEYID to the onionskin. Returns the slices for X and EPK.
fn address<'a>(client: &Initiator, onionskin: &'a mut [u8]) -> (&'a mut [u8], &'a mut [u8]) {
    let (identity, rest) = onionskin.split_at_mut(IDENTITY);
    let (key_id, rest) = rest.split_at_mut(WORD);
    identity.copy_from_slice(&client.relay.identity);
    key_id.copy_from_slice(&client.relay.onion_key);
    rest.split_at_mut(WORD)
}

pub(super) fn respond(
    relay: &Responder,
    onionskin: &[u8],
    coins: Coins,
    reply: &mut [u8],
    keys: &mut [u8],
) -> Result<()> {
    let protocol = &relay.protocol;
    let (y_coins, kem_coins) = split(coins, WORD)?;
    let (identity, rest) = onionskin.split_at(IDENTITY);
    let (key_id, rest) = rest.split_at(WORD);
    let (x, encapsulation_key) = rest.split_at(WORD);
    relay.check_identity(identity)?;
    relay.check_key_id(key_id)?;
    let (sent, auth) = reply.split_at_mut(WORD + protocol.kem.ciphertext);
    let (y, ciphertext) = sent.split_at_mut(WORD);
    let private = protocol.generate_agreement(y_coins, y)?;
    let mut secrets = Secrets::new();
    protocol.agree(relay.onion_key.as_ref(), x, secrets.with_onion_key())?;
    protocol.agree(private.as_ref(), x, secrets.ephemeral())?;
    let encapsulated = protocol.encapsulate(encapsulation_key, kem_coins, ciphertext)?;
    secrets.encapsulated().copy_from_slice(encapsulated.as_ref());
    // KEYID(A) is A, so the onionskin equals ID || A || X || EPK from the proposal.
    auth.copy_from_slice(&authenticate(protocol, secrets, onionskin, sent, keys, |_| Ok(()))?);
    Ok(())
}

pub(super) fn finish(protocol: &Protocol, waiting: Waiting, reply: &[u8], keys: &mut [u8]) -> Result<()> {
    let (sent, auth) = reply.split_at(WORD + protocol.kem.ciphertext);
    let (y, ciphertext) = sent.split_at(WORD);
    let mut secrets = Secrets::new();
    protocol.agree(waiting.private.as_ref(), &waiting.relay.onion_key, secrets.with_onion_key())?;
    protocol.agree(waiting.private.as_ref(), y, secrets.ephemeral())?;
    waiting.key.decapsulate(ciphertext, secrets.encapsulated())?;
    let check = |expected: &[u8; WORD]| check_authenticator(expected, auth);
    authenticate(protocol, secrets, waiting.onionskin.bytes(), sent, keys, check)?;
    Ok(())
}

/// s0 || s1 || s2, with s0 not yet hashed.
struct Secrets(Wiped<[u8; 3 * WORD]>);

impl Secrets {
    fn new() -> Secrets {
        Secrets(Wiped::new([0; 3 * WORD]))
    }

    fn with_onion_key(&mut self) -> &mut [u8] {
        &mut self.0[..WORD]
    }

    fn ephemeral(&mut self) -> &mut [u8] {
        &mut self.0[WORD..2 * WORD]
    }

    fn encapsulated(&mut self) -> &mut [u8] {
        &mut self.0[2 * WORD..]
    }
}

/// Computes AUTH and passes it to `check`. Writes the keys only if `check` returns `Ok`.
fn authenticate(
    protocol: &Protocol,
    mut secrets: Secrets,
    onionskin: &[u8],
    sent: &[u8],
    keys: &mut [u8],
    check: impl FnOnce(&[u8; WORD]) -> Result<()>,
) -> Result<[u8; WORD]> {
    let Protocol { parts, identifier, .. } = protocol;
    let mut shared = Wiped::new([0; WORD]);
    shared.copy_from_slice(secrets.with_onion_key());
    parts.hash.digest(shared.as_ref(), secrets.with_onion_key())?;
    // Hash the salt once instead of in both derivations. HMAC replaces a key longer than a block with the key's hash
    // (RFC 2104, section 2), so the result is the same.
    let mut salt = [0; WORD];
    parts.hash.digest(onionskin, &mut salt)?;
    let mut verify = Wiped::new([0; WORD]);
    let label = Label::new(&[identifier.as_bytes(), b":auth"]);
    parts.kdf.derive(&salt, secrets.0.as_ref(), label.bytes(), verify.as_mut())?;
    let transcript: Transcript = Transcript::new(&[onionskin, sent, identifier.as_bytes()]);
    let auth = protocol.tag(verify.as_ref(), transcript.bytes())?;
    check(&auth)?;
    let label = Label::new(&[identifier.as_bytes(), b":key"]);
    parts.kdf.derive(&salt, secrets.0.as_ref(), label.bytes(), keys)?;
    Ok(auth)
}
