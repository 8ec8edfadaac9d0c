//! Classical ntor (tor-spec, section 5.1.4): onionskin = ID || B || X, reply = Y || AUTH. ID is the relay's identity,
//! and B is the relay's onion key. X and Y are the ephemeral keys.

use super::ephemeral::AgreementKey;
use super::{
    EphemeralKeys, IDENTITY, Initiator, Protocol, RelayDescriptor, Responder, Result, Transcript, WORD,
    check_authenticator,
};
use pqlab_primitives::{Coins, Error, PrivateKey, Wiped};

pub(super) const PROTOID: &str = "ntor-curve25519-sha256-1";
const KEY_EXTRACT: &[u8] = b"ntor-curve25519-sha256-1:key_extract";
const KEY_EXPAND: &[u8] = b"ntor-curve25519-sha256-1:key_expand";

/// Hash input that contains secrets and is wiped on drop.
type Secrets = Wiped<Transcript<256>>;

/// State of a client that waits for the reply: its ephemeral key and the relay's descriptor.
pub(super) struct Waiting {
    relay: RelayDescriptor,
    private: Box<dyn PrivateKey>,
    public: [u8; WORD],
}

pub(super) fn start(client: &Initiator, coins: Coins, onionskin: &mut [u8]) -> Result<Waiting> {
    let mut public = [0; WORD];
    let private = client.protocol.generate_agreement(coins, &mut public)?;
    Ok(send(client, (private, public), onionskin))
}

pub(super) fn start_with(client: &Initiator, mut keys: EphemeralKeys, onionskin: &mut [u8]) -> Result<Waiting> {
    Ok(send(client, keys.agreement()?, onionskin))
}

fn send(client: &Initiator, (private, public): AgreementKey, onionskin: &mut [u8]) -> Waiting {
    onionskin[..IDENTITY].copy_from_slice(&client.relay.identity);
    onionskin[IDENTITY..IDENTITY + WORD].copy_from_slice(&client.relay.onion_key);
    onionskin[IDENTITY + WORD..].copy_from_slice(&public);
    Waiting { relay: client.relay, private, public }
}

pub(super) fn respond(
    relay: &Responder,
    onionskin: &[u8],
    coins: Coins,
    reply: &mut [u8],
    keys: &mut [u8],
) -> Result<()> {
    let protocol = &relay.protocol;
    let (identity, rest) = onionskin.split_at(IDENTITY);
    let (key_id, x) = rest.split_at(WORD);
    relay.check_identity(identity)?;
    relay.check_key_id(key_id)?;
    let mut y = [0; WORD];
    let private = protocol.generate_agreement(coins, &mut y)?;
    let mut secrets = Wiped::new([0; 2 * WORD]);
    protocol.agree(private.as_ref(), x, &mut secrets[..WORD])?;
    protocol.agree(relay.onion_key.as_ref(), x, &mut secrets[WORD..])?;
    let (auth, secret_input) = authenticate(protocol, &secrets, &relay.descriptor, x, &y)?;
    protocol.parts.kdf.derive(KEY_EXTRACT, secret_input.bytes(), KEY_EXPAND, keys)?;
    reply[..WORD].copy_from_slice(&y);
    reply[WORD..].copy_from_slice(&auth);
    Ok(())
}

pub(super) fn finish(protocol: &Protocol, waiting: Waiting, reply: &[u8], keys: &mut [u8]) -> Result<()> {
    let (y, auth) = reply.split_at(WORD);
    let mut secrets = Wiped::new([0; 2 * WORD]);
    protocol.agree(waiting.private.as_ref(), y, &mut secrets[..WORD])?;
    protocol.agree(waiting.private.as_ref(), &waiting.relay.onion_key, &mut secrets[WORD..])?;
    let (expected, secret_input) = authenticate(protocol, &secrets, &waiting.relay, &waiting.public, y)?;
    check_authenticator(&expected, auth)?;
    protocol.parts.kdf.derive(KEY_EXTRACT, secret_input.bytes(), KEY_EXPAND, keys)?;
    Ok(())
}

/// Computes AUTH and secret_input:
/// ```text
/// secret_input = EXP(X,y) | EXP(X,b) | ID | B | X | Y | PROTOID
/// verify       = H(secret_input, t_verify)
/// AUTH         = H(verify | ID | B | Y | X | PROTOID | "Server", t_mac)      H(x,t) = HMAC-SHA256 of x with key t
/// ```
fn authenticate(
    protocol: &Protocol,
    secrets: &[u8; 2 * WORD],
    relay: &RelayDescriptor,
    x: &[u8],
    y: &[u8],
) -> Result<([u8; WORD], Secrets)> {
    let (t_mac, t_verify) = protocol.tweaks.as_ref().ok_or(Error::Unsupported("keys from a different handshake"))?;
    let (identity, b) = (&relay.identity, &relay.onion_key);
    let secret_input = Secrets::new(Transcript::new(&[secrets, identity, b, x, y, PROTOID.as_bytes()]));
    let mut verify = Wiped::new([0; WORD]);
    t_verify.tag(secret_input.bytes(), verify.as_mut())?;
    let auth_input = [verify.as_slice(), identity, b, y, x, PROTOID.as_bytes(), b"Server"];
    let auth_input = Secrets::new(Transcript::new(&auth_input));
    let mut auth = [0; WORD];
    t_mac.tag(auth_input.bytes(), &mut auth)?;
    Ok((auth, secret_input))
}
