//! ntor v3 (Tor's proposal 332): a classical handshake that uses SHA-3 and transfers one message from each side.
//!
//! ID is the relay's identity, and B is the relay's onion key. X and Y are the ephemeral keys. Bx, Xb and Xy are shared
//! X25519 secrets. CM and SM are the messages of client and relay. VER is the verification string.
//!
//! ```text
//! onionskin = ID || B || X || ENC(ENC_K1, CM) || MAC        reply = Y || AUTH || ENC(ENC_KEY, SM)
//! H(s, t) = SHA3-256(ENCAP(t) | s)                          MAC(k, m, t) = SHA3-256(ENCAP(t) | ENCAP(k) | m)
//! KDF(s, t) = SHAKE256(ENCAP(t) | s)                        ENC = AES-256-CTR        ENCAP(s) = htonll(len(s)) | s
//!
//! ENC_K1 || MAC_K1 = KDF(Bx | ID | X | B | PROTOID | ENCAP(VER), t_msgkdf)
//! MAC    = MAC(MAC_K1, ID | B | X | ENC(ENC_K1, CM), t_msgmac)
//!
//! secret_input = Xy | Xb | ID | B | X | Y | PROTOID | ENCAP(VER)
//! ENC_KEY || keys = KDF(H(secret_input, t_key_seed), t_final)
//! verify = H(secret_input, t_verify)
//! AUTH   = H(verify | ID | B | Y | X | MAC | ENCAP(ENC(ENC_KEY, SM)) | PROTOID | "Server", t_auth)
//! ```

use super::sha3::{Sha3Parts, length};
use super::{HandshakeError, Result, WORD, agree, check_authenticator, check_length, generate_agreement};
use pqlab_primitives::{Coins, Error, PrivateKey, Wiped};
use std::sync::Arc;

const PROTOID: &[u8] = b"ntor3-curve25519-sha3_256-1";
const T_MSGKDF: &[u8] = b"ntor3-curve25519-sha3_256-1:kdf_phase1";
const T_MSGMAC: &[u8] = b"ntor3-curve25519-sha3_256-1:msg_mac";
const T_KEY_SEED: &[u8] = b"ntor3-curve25519-sha3_256-1:key_seed";
const T_VERIFY: &[u8] = b"ntor3-curve25519-sha3_256-1:verify";
const T_FINAL: &[u8] = b"ntor3-curve25519-sha3_256-1:kdf_final";
const T_AUTH: &[u8] = b"ntor3-curve25519-sha3_256-1:auth_final";

/// Length in bytes of a relay's identity: an Ed25519 key.
pub const IDENTITY: usize = 32;
/// Length in bytes of an onionskin without its message: ID, B, X and MAC.
const ONIONSKIN: usize = IDENTITY + 3 * WORD;
/// Length in bytes of a reply without its message: Y and AUTH.
const REPLY: usize = 2 * WORD;
/// Maximum length in bytes of a message and of the verification string. A longer message or string does not fit in a
/// cell.
const LONGEST: usize = 441;
/// Buffer size for hash inputs, in bytes.
const ROOM: usize = 1024;
/// Maximum total length in bytes of derived keys.
const MOST_KEYS: usize = 256;

/// ntor v3 with its primitives and verification string. All lengths are in bytes.
pub struct Protocol {
    parts: Sha3Parts,
    verification: Vec<u8>,
}

impl Protocol {
    /// Creates a protocol with the verification string VER, which both sides must know. Pass an empty string for
    /// circuits.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the verification string exceeds 441 bytes.
    pub fn new(parts: Sha3Parts, verification: &[u8]) -> Result<Arc<Protocol>> {
        if verification.len() > LONGEST {
            return Err(Error::Unsupported("verification strings longer than 441 bytes").into());
        }
        Ok(Arc::new(Protocol { parts, verification: verification.to_vec() }))
    }

    /// Returns the length in bytes of an onionskin with a message of `message` bytes.
    pub fn onionskin(&self, message: usize) -> usize {
        ONIONSKIN + message
    }

    /// Returns the length in bytes of a reply with a message of `message` bytes.
    pub fn reply(&self, message: usize) -> usize {
        REPLY + message
    }

    /// Returns the default length of a circuit's keys: 92 bytes. The keys consist of 72 bytes as in classical ntor, and
    /// the nonce KH for onion services (proposal 332, appendix A.2).
    pub fn keys(&self) -> usize {
        92
    }

    /// Generates a client's ephemeral key in advance, for a handshake with any relay. [`Coins::Exact`] contains the
    /// 32-byte private key.
    ///
    /// # Errors
    /// Propagates errors from the key agreement.
    pub fn ephemeral_key(&self, coins: Coins) -> Result<EphemeralKey> {
        let mut public = [0; WORD];
        let private = generate_agreement(self.parts.agreement.as_ref(), coins, &mut public)?;
        Ok(EphemeralKey { private, public })
    }

    /// Computes H(s, t), where `t` is `tweak`, and `s` is `secret` followed by seven public parts.
    fn hash(&self, tweak: &[u8], secret: &[u8], [a, b, c, d, e, f, g]: [&[u8]; 7]) -> Result<[u8; WORD]> {
        self.parts.digest::<ROOM>(&[&length(&[tweak]), tweak, secret, a, b, c, d, e, f, g])
    }

    /// Derives ENC_K1 || MAC_K1 from `shared`, which is Bx (the client) or Xb (the relay).
    fn message_keys(&self, shared: &[u8], relay: &RelayDescriptor, x: &[u8]) -> Result<Wiped<[u8; 2 * WORD]>> {
        let ver = self.verification.as_slice();
        let RelayDescriptor { identity, onion_key } = relay;
        let (tweak_length, ver_length) = (length(&[T_MSGKDF]), length(&[ver]));
        let mut keys = Wiped::new([0; 2 * WORD]);
        let parts = [&tweak_length, T_MSGKDF, shared, identity, x, onion_key, PROTOID, &ver_length, ver];
        self.parts.expand::<ROOM>(&parts, keys.as_mut())?;
        Ok(keys)
    }

    /// Computes an onionskin's MAC over `before`, all bytes before the MAC.
    fn message_mac(&self, keys: &[u8; 2 * WORD], before: &[u8]) -> Result<[u8; WORD]> {
        let key = &keys[WORD..];
        self.parts.digest::<ROOM>(&[&length(&[T_MSGMAC]), T_MSGMAC, &length(&[key]), key, before])
    }

    /// Computes two hashes of secret_input: the key seed and `verify`. `secrets` is Xy || Xb.
    fn agreed(&self, secrets: &[u8; 2 * WORD], relay: &RelayDescriptor, x: &[u8], y: &[u8]) -> Result<Agreed> {
        let ver = self.verification.as_slice();
        let RelayDescriptor { identity, onion_key } = relay;
        let ver_length = length(&[ver]);
        let parts = [identity, onion_key, x, y, PROTOID, &ver_length, ver];
        Ok(Agreed {
            seed: Wiped::new(self.hash(T_KEY_SEED, secrets, parts)?),
            verify: Wiped::new(self.hash(T_VERIFY, secrets, parts)?),
        })
    }

    /// Computes AUTH, which covers the relay's encrypted message.
    fn authenticator(
        &self,
        agreed: &Agreed,
        relay: &RelayDescriptor,
        [x, y, mac]: [&[u8]; 3],
        encrypted: &[u8],
    ) -> Result<[u8; WORD]> {
        let RelayDescriptor { identity, onion_key } = relay;
        let (tweak_length, message_length) = (length(&[T_AUTH]), length(&[encrypted]));
        let verify = agreed.verify.as_slice();
        self.parts.digest::<ROOM>(&[
            &tweak_length,
            T_AUTH,
            verify,
            identity,
            onion_key,
            y,
            x,
            mac,
            &message_length,
            encrypted,
            PROTOID,
            b"Server",
        ])
    }

    /// Derives ENC_KEY || keys, returns ENC_KEY, and fills `keys`.
    fn derive(&self, agreed: &Agreed, keys: &mut [u8]) -> Result<Wiped<[u8; WORD]>> {
        let mut stream = Wiped::new([0; WORD + MOST_KEYS]);
        let stream = &mut stream[..WORD + keys.len()];
        self.parts.expand::<ROOM>(&[&length(&[T_FINAL]), T_FINAL, agreed.seed.as_slice()], stream)?;
        let mut key = Wiped::new([0; WORD]);
        key.copy_from_slice(&stream[..WORD]);
        keys.copy_from_slice(&stream[WORD..]);
        Ok(key)
    }
}

struct Agreed {
    seed: Wiped<[u8; WORD]>,
    verify: Wiped<[u8; WORD]>,
}

/// Public data that a client needs about a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayDescriptor {
    /// ID: the relay's Ed25519 identity key.
    pub identity: [u8; IDENTITY],
    /// B: the relay's public X25519 onion key.
    pub onion_key: [u8; WORD],
}

/// Ephemeral key for one handshake, generated in advance. The handshake consumes it, so it cannot be reused.
pub struct EphemeralKey {
    private: Box<dyn PrivateKey>,
    public: [u8; WORD],
}

/// A client that has not started its handshake.
pub struct Client {
    protocol: Arc<Protocol>,
    relay: RelayDescriptor,
}

impl Client {
    /// Creates a client for a handshake with `relay`.
    pub fn new(protocol: Arc<Protocol>, relay: RelayDescriptor) -> Client {
        Client { protocol, relay }
    }

    /// Encrypts `message` and writes the onionskin to `onionskin`, which must be [`Protocol::onionskin`] bytes long.
    /// [`Coins::Exact`] contains the private ephemeral X25519 key.
    ///
    /// # Errors
    /// Fails if `onionskin` has the wrong length, if `message` exceeds 441 bytes, or if the relay's key has low order.
    pub fn start(&self, coins: Coins, message: &[u8], onionskin: &mut [u8]) -> Result<Pending> {
        self.start_with(self.protocol.ephemeral_key(coins)?, message, onionskin)
    }

    /// Same as [`start`](Self::start), but with an ephemeral key generated in advance. This function still computes the
    /// key agreement with the relay's key, the encryption and the MAC.
    ///
    /// # Errors
    /// Same as [`start`](Self::start).
    pub fn start_with(&self, key: EphemeralKey, message: &[u8], onionskin: &mut [u8]) -> Result<Pending> {
        let protocol = &self.protocol;
        check_message(message.len())?;
        check_length("onionskin", protocol.onionskin(message.len()), onionskin.len())?;
        let mut shared = Wiped::new([0; WORD]);
        agree(key.private.as_ref(), &self.relay.onion_key, shared.as_mut())?;
        let keys = protocol.message_keys(shared.as_ref(), &self.relay, &key.public)?;
        let (before, mac) = onionskin.split_at_mut(onionskin.len() - WORD);
        let (header, encrypted) = before.split_at_mut(ONIONSKIN - WORD);
        header[..IDENTITY].copy_from_slice(&self.relay.identity);
        header[IDENTITY..IDENTITY + WORD].copy_from_slice(&self.relay.onion_key);
        header[IDENTITY + WORD..].copy_from_slice(&key.public);
        encrypted.copy_from_slice(message);
        protocol.parts.encrypt(&keys[..WORD], encrypted)?;
        let tag = protocol.message_mac(&keys, before)?;
        mac.copy_from_slice(&tag);
        Ok(Pending { protocol: Arc::clone(protocol), relay: self.relay, key, shared, mac: tag })
    }
}

/// A client that has sent its onionskin and waits for the relay's reply.
pub struct Pending {
    protocol: Arc<Protocol>,
    relay: RelayDescriptor,
    key: EphemeralKey,
    /// Bx, computed for the onionskin.
    shared: Wiped<[u8; WORD]>,
    /// MAC of the onionskin.
    mac: [u8; WORD],
}

impl Pending {
    /// Checks the reply, decrypts the relay's message into `message`, and fills `keys`, at most 256 bytes. `message`
    /// must be as long as the message in the reply. Consumes `self`, because ephemeral keys must not be reused.
    ///
    /// # Errors
    /// [`HandshakeError::Authenticator`] if the reply does not answer this onionskin. Also fails if the reply has the
    /// wrong length or contains an X25519 key of low order. Leaves both buffers unchanged on error.
    pub fn finish(self, reply: &[u8], message: &mut [u8], keys: &mut [u8]) -> Result<()> {
        let Pending { protocol, relay, key, shared, mac } = self;
        check_message(message.len())?;
        check_keys(keys.len())?;
        check_length("reply", protocol.reply(message.len()), reply.len())?;
        let (y, rest) = reply.split_at(WORD);
        let (auth, encrypted) = rest.split_at(WORD);
        let mut secrets = Wiped::new([0; 2 * WORD]);
        agree(key.private.as_ref(), y, &mut secrets[..WORD])?;
        secrets[WORD..].copy_from_slice(shared.as_ref());
        let agreed = protocol.agreed(&secrets, &relay, &key.public, y)?;
        let expected = protocol.authenticator(&agreed, &relay, [&key.public, y, &mac], encrypted)?;
        check_authenticator(&expected, auth)?;
        let key = protocol.derive(&agreed, keys)?;
        message.copy_from_slice(encrypted);
        protocol.parts.encrypt(key.as_ref(), message)
    }
}

/// A relay, which answers onionskins.
pub struct Relay {
    protocol: Arc<Protocol>,
    descriptor: RelayDescriptor,
    onion_key: Box<dyn PrivateKey>,
}

impl Relay {
    /// Creates a relay and its onion key. [`Coins::Exact`] contains the 32-byte private key.
    ///
    /// # Errors
    /// Propagates errors from the key agreement.
    pub fn new(protocol: Arc<Protocol>, identity: [u8; IDENTITY], coins: Coins) -> Result<Relay> {
        let mut descriptor = RelayDescriptor { identity, onion_key: [0; WORD] };
        let agreement = protocol.parts.agreement.as_ref();
        let onion_key = generate_agreement(agreement, coins, &mut descriptor.onion_key)?;
        Ok(Relay { protocol, descriptor, onion_key })
    }

    /// Returns the descriptor for clients.
    pub fn descriptor(&self) -> RelayDescriptor {
        self.descriptor
    }

    /// Answers an onionskin. `compose` receives the client's message and returns the relay's message. `reply` must have
    /// the length that [`Protocol::reply`] returns for the relay's message. Fills `keys`, at most 256 bytes.
    /// [`Coins::Exact`] contains the private ephemeral X25519 key.
    ///
    /// # Errors
    /// [`HandshakeError::Introduction`] if the onionskin was modified. Also fails if the onionskin is too short or too
    /// long, is for a different relay or onion key, or contains an X25519 key of low order.
    pub fn respond<M: AsRef<[u8]>>(
        &self,
        onionskin: &[u8],
        coins: Coins,
        compose: impl FnOnce(&[u8]) -> M,
        reply: &mut [u8],
        keys: &mut [u8],
    ) -> Result<()> {
        let protocol = &self.protocol;
        check_keys(keys.len())?;
        let message = onionskin.len().checked_sub(ONIONSKIN).ok_or(HandshakeError::Length {
            message: "onionskin",
            expected: ONIONSKIN,
            actual: onionskin.len(),
        })?;
        check_message(message)?;
        let (before, mac) = onionskin.split_at(onionskin.len() - WORD);
        let (identity, rest) = before.split_at(IDENTITY);
        let (key_id, rest) = rest.split_at(WORD);
        let (x, encrypted) = rest.split_at(WORD);
        if identity != self.descriptor.identity {
            return Err(HandshakeError::Identity);
        }
        if key_id != self.descriptor.onion_key {
            return Err(HandshakeError::KeyId);
        }
        let mut secrets = Wiped::new([0; 2 * WORD]);
        agree(self.onion_key.as_ref(), x, &mut secrets[WORD..])?;
        let message_keys = protocol.message_keys(&secrets[WORD..], &self.descriptor, x)?;
        let expected = protocol.message_mac(&message_keys, before)?;
        check_authenticator(&expected, mac).map_err(|_| HandshakeError::Introduction)?;
        let mut room = Wiped::new([0; LONGEST]);
        let message = &mut room[..message];
        message.copy_from_slice(encrypted);
        protocol.parts.encrypt(&message_keys[..WORD], message)?;
        let answer = compose(message);
        let answer = answer.as_ref();
        check_message(answer.len())?;
        check_length("reply", protocol.reply(answer.len()), reply.len())?;

        let (y, rest) = reply.split_at_mut(WORD);
        let (auth, encrypted) = rest.split_at_mut(WORD);
        let private = generate_agreement(protocol.parts.agreement.as_ref(), coins, y)?;
        agree(private.as_ref(), x, &mut secrets[..WORD])?;
        let agreed = protocol.agreed(&secrets, &self.descriptor, x, y)?;
        let key = protocol.derive(&agreed, keys)?;
        encrypted.copy_from_slice(answer);
        protocol.parts.encrypt(key.as_ref(), encrypted)?;
        auth.copy_from_slice(&protocol.authenticator(&agreed, &self.descriptor, [x, y, mac], encrypted)?);
        Ok(())
    }
}

fn check_message(length: usize) -> Result<()> {
    if length <= LONGEST {
        Ok(())
    } else {
        Err(HandshakeError::Length { message: "message", expected: LONGEST, actual: length })
    }
}

fn check_keys(length: usize) -> Result<()> {
    if length <= MOST_KEYS {
        Ok(())
    } else {
        Err(HandshakeError::Length { message: "keys", expected: MOST_KEYS, actual: length })
    }
}
