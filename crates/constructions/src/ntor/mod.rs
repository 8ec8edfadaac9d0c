//! Circuit handshakes, which establish keys between a client and an onion relay.
//!
//! | variant | secrecy relies on | how the relay is authenticated |
//! |---|---|---|
//! | [`Variant::V1`] | X25519 | with its long-term X25519 onion key |
//! | [`Variant::KemOnly`] | ML-KEM | **not at all**: anyone who knows its public identity can answer |
//! | [`Variant::Authenticated`] | X25519 or ML-KEM: either suffices | with its long-term X25519 onion key |
//!
//! No variant authenticates the client. All three are forward secret. The relay's authentication is classical, but an
//! attacker would have to break it while the handshake runs.
//!
//! Two more handshakes transfer messages and have separate modules: hs-ntor for onion services ([`onion_service`]) and
//! ntor v3 ([`v3`]).
//!
//! The client's message is called the onionskin. An [`Initiator`] starts a handshake: it writes the onionskin and
//! returns a [`Pending`], which can finish only once. A [`Responder`] answers in one step.
//!
//! ```text
//! Initiator::start() -> (Pending, onionskin)      Responder::respond(onionskin) -> (reply, keys)
//! Pending::finish(reply) -> keys
//! ```

mod authenticated;
mod ephemeral;
mod kem_only;
pub mod onion_service;
mod sha3;
mod transcript;
mod v1;
pub mod v3;

pub use ephemeral::EphemeralKeys;
pub use sha3::Sha3Parts;

use pqlab_primitives::{
    Coins, DecapsulationKey, Error, Hash, Kdf, Kem, KemParameters, KeyAgreement, Mac, MacKey, PrivateKey, Wiped,
};
use std::fmt;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use transcript::{Label, Transcript};

/// Length in bytes of a relay's identity: the SHA-1 fingerprint of its identity key (tor-spec, section 1.1).
pub const IDENTITY: usize = 20;
/// Length in bytes of an X25519 key, a KEYID, an authenticator and a shared secret.
const WORD: usize = 32;

/// Variant of the circuit handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Classical ntor (tor-spec, section 5.1.4; proposal 216).
    V1,
    /// Only a KEM. Forward secret, but does not authenticate the relay.
    KemOnly,
    /// X25519 and a KEM, as in Tor's proposal 269. Secrecy is hybrid, and the relay proves that it has its private onion
    /// key.
    Authenticated,
}

/// Primitives that a handshake uses. Classical ntor uses no KEM and no hash. The KEM-only handshake uses no key
/// agreement.
#[derive(Clone)]
pub struct Parts {
    /// X25519.
    pub agreement: Arc<dyn KeyAgreement>,
    /// ML-KEM.
    pub kem: Arc<dyn Kem>,
    /// SHA-256.
    pub hash: Arc<dyn Hash>,
    /// HMAC-SHA256.
    pub mac: Arc<dyn Mac>,
    /// HKDF-SHA256.
    pub kdf: Arc<dyn Kdf>,
}

/// Reason why a handshake failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// A message or its buffer has the wrong length.
    #[error("{message}: {actual} bytes, expected {expected}")]
    Length {
        /// Name of the message.
        message: &'static str,
        /// Required length in bytes.
        expected: usize,
        /// Actual length in bytes.
        actual: usize,
    },
    /// The onionskin is addressed to a different relay.
    #[error("the onionskin is for a different relay")]
    Identity,
    /// The onionskin is for a different onion key.
    #[error("the onionskin is for a different onion key")]
    KeyId,
    /// An X25519 public key has low order, so every secret computed with it is zero (RFC 7748, section 6.1).
    #[error("an X25519 public key has low order")]
    LowOrder,
    /// The client's encapsulation key is invalid (FIPS 203, section 7.2).
    #[error("not a valid encapsulation key")]
    EncapsulationKey,
    /// The reply was modified, answers another onionskin, or was created without the required keys.
    #[error("the reply's authenticator does not verify")]
    Authenticator,
    /// The client's introduction (hs-ntor) or its encrypted message (ntor v3) was modified, or was created without the
    /// required keys.
    #[error("the client's message does not verify")]
    Introduction,
    /// A primitive failed.
    #[error(transparent)]
    Primitive(#[from] Error),
}

/// Result of a handshake step.
pub type Result<T, E = HandshakeError> = std::result::Result<T, E>;

/// A handshake variant with its primitives. All lengths are in bytes.
pub struct Protocol {
    variant: Variant,
    parts: Parts,
    kem: KemParameters,
    /// PROTOID, the protocol's name in hash inputs.
    identifier: String,
    /// Classical ntor's HMAC keys `t_mac` and `t_verify`, prepared once because they are constant.
    tweaks: Option<(Box<dyn MacKey>, Box<dyn MacKey>)>,
}

impl Protocol {
    /// Creates a protocol.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the KEM's messages are longer than ML-KEM-1024's, or if its secrets are not 32 bytes
    /// long.
    pub fn new(variant: Variant, parts: Parts) -> Result<Arc<Protocol>> {
        let kem = parts.kem.info().parameters.clone();
        if kem.encapsulation_key.max(kem.ciphertext) > 1568 || kem.shared_secret != WORD {
            return Err(Error::Unsupported("circuit handshakes require ML-KEM").into());
        }
        let identifier = match variant {
            Variant::V1 => v1::PROTOID.to_owned(),
            Variant::KemOnly => "pq-ntor".to_owned(),
            Variant::Authenticated => {
                format!("ntor-x25519-{}-sha256-1", kem.algorithm.to_lowercase().replace("ml-kem-", "mlkem"))
            }
        };
        let tweaks = match variant {
            Variant::V1 => Some((
                parts.mac.load_key(format!("{identifier}:mac").as_bytes())?,
                parts.mac.load_key(format!("{identifier}:verify").as_bytes())?,
            )),
            _ => None,
        };
        Ok(Arc::new(Protocol { variant, parts, kem, identifier, tweaks }))
    }

    /// Returns the variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns the length in bytes of the client's message, the onionskin.
    pub fn onionskin(&self) -> usize {
        match self.variant {
            Variant::V1 => IDENTITY + WORD + WORD,
            Variant::KemOnly => self.kem.encapsulation_key + IDENTITY,
            Variant::Authenticated => IDENTITY + WORD + WORD + self.kem.encapsulation_key,
        }
    }

    /// Returns the length in bytes of the relay's message, the reply.
    pub fn reply(&self) -> usize {
        match self.variant {
            Variant::V1 => WORD + WORD,
            Variant::KemOnly => self.kem.ciphertext + WORD,
            Variant::Authenticated => WORD + self.kem.ciphertext + WORD,
        }
    }

    /// Returns the default length of a circuit's keys in bytes. The KEM-only handshake derives 80 bytes. The others
    /// derive 72 bytes, for two 20-byte digests and two AES-128 keys (tor-spec, section 5.2).
    pub fn keys(&self) -> usize {
        match self.variant {
            Variant::KemOnly => kem_only::KEYS,
            _ => 72,
        }
    }

    /// Returns the number of random bytes that the client needs in [`Coins::Exact`].
    pub fn start_coins(&self) -> usize {
        match self.variant {
            Variant::V1 => WORD,
            Variant::KemOnly => self.kem.keygen_coins,
            Variant::Authenticated => WORD + self.kem.keygen_coins,
        }
    }

    /// Returns the number of random bytes that the relay needs in [`Coins::Exact`].
    pub fn respond_coins(&self) -> usize {
        match self.variant {
            Variant::V1 => WORD,
            Variant::KemOnly => self.kem.encapsulation_coins,
            Variant::Authenticated => WORD + self.kem.encapsulation_coins,
        }
    }

    /// Generates a client's ephemeral keys in advance, for a handshake with any relay. Takes the same `coins` as
    /// [`Initiator::start`].
    ///
    /// # Errors
    /// Propagates errors from the primitives.
    pub fn ephemeral_keys(&self, coins: Coins) -> Result<EphemeralKeys> {
        EphemeralKeys::generate(self, coins)
    }

    fn agree(&self, private: &dyn PrivateKey, public: &[u8], secret: &mut [u8]) -> Result<()> {
        agree(private, public, secret)
    }

    fn tag(&self, key: &[u8], message: &[u8]) -> Result<[u8; WORD]> {
        let mut tag = [0; WORD];
        self.parts.mac.tag_once(key, message, &mut tag)?;
        Ok(tag)
    }

    fn generate_agreement(&self, coins: Coins, public: &mut [u8]) -> Result<Box<dyn PrivateKey>> {
        generate_agreement(self.parts.agreement.as_ref(), coins, public)
    }

    fn generate_kem(&self, coins: Coins, encapsulation_key: &mut [u8]) -> Result<Box<dyn DecapsulationKey>> {
        let key = self.parts.kem.generate(coins)?;
        key.encode_encapsulation_key(encapsulation_key)?;
        Ok(key)
    }

    fn encapsulate(&self, encapsulation_key: &[u8], coins: Coins, ciphertext: &mut [u8]) -> Result<Wiped<[u8; WORD]>> {
        encapsulate(self.parts.kem.as_ref(), encapsulation_key, coins, ciphertext)
    }
}

fn agree(private: &dyn PrivateKey, public: &[u8], secret: &mut [u8]) -> Result<()> {
    private.agree(public, secret).map_err(|error| match error {
        Error::Malformed(_) => HandshakeError::LowOrder,
        other => other.into(),
    })
}

fn generate_agreement(agreement: &dyn KeyAgreement, coins: Coins, public: &mut [u8]) -> Result<Box<dyn PrivateKey>> {
    let private = agreement.generate(coins)?;
    private.public_key(public)?;
    Ok(private)
}

fn encapsulate(
    kem: &dyn Kem,
    encapsulation_key: &[u8],
    coins: Coins,
    ciphertext: &mut [u8],
) -> Result<Wiped<[u8; WORD]>> {
    // Some libraries check the key when they load it, others when they use it.
    let refused = |error| match error {
        Error::Malformed(_) => HandshakeError::EncapsulationKey,
        other => other.into(),
    };
    let key = kem.load_encapsulation_key(encapsulation_key).map_err(refused)?;
    let mut secret = Wiped::new([0; WORD]);
    key.encapsulate(coins, ciphertext, secret.as_mut()).map_err(refused)?;
    Ok(secret)
}

impl fmt::Debug for Protocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Protocol({})", self.identifier)
    }
}

/// Public data that a client needs about a relay: the identity and the onion key. The KEM-only handshake does not use
/// the onion key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayDescriptor {
    /// Identity fingerprint of the relay.
    pub identity: [u8; IDENTITY],
    /// Public X25519 onion key: A or B in the specifications.
    pub onion_key: [u8; WORD],
}

/// A client that has not started its handshake.
pub struct Initiator {
    protocol: Arc<Protocol>,
    relay: RelayDescriptor,
}

impl Initiator {
    /// Creates a client for a handshake with `relay`.
    pub fn new(protocol: Arc<Protocol>, relay: RelayDescriptor) -> Initiator {
        Initiator { protocol, relay }
    }

    /// Writes the onionskin to `onionskin`, which must be [`Protocol::onionskin`] bytes long. [`Coins::Exact`] must
    /// contain the private ephemeral X25519 key, then the random bytes for ML-KEM key generation. Omit the part that
    /// the variant does not use.
    ///
    /// # Errors
    /// Fails if `onionskin` has the wrong length. Propagates errors from the primitives.
    pub fn start(&self, coins: Coins, onionskin: &mut [u8]) -> Result<Pending> {
        check_length("onionskin", self.protocol.onionskin(), onionskin.len())?;
        let state = match self.protocol.variant {
            Variant::V1 => State::V1(v1::start(self, coins, onionskin)?),
            Variant::KemOnly => State::KemOnly(kem_only::start(self, coins, onionskin)?),
            Variant::Authenticated => State::Authenticated(authenticated::start(self, coins, onionskin)?),
        };
        Ok(Pending { protocol: Arc::clone(&self.protocol), state })
    }

    /// Same as [`start`](Self::start), but with ephemeral keys generated in advance, so this function only copies
    /// bytes.
    ///
    /// # Errors
    /// Fails if `onionskin` has the wrong length or if the keys belong to a different handshake.
    pub fn start_with(&self, keys: EphemeralKeys, onionskin: &mut [u8]) -> Result<Pending> {
        check_length("onionskin", self.protocol.onionskin(), onionskin.len())?;
        keys.check(self.protocol.variant)?;
        let state = match self.protocol.variant {
            Variant::V1 => State::V1(v1::start_with(self, keys, onionskin)?),
            Variant::KemOnly => State::KemOnly(kem_only::start_with(self, keys, onionskin)?),
            Variant::Authenticated => State::Authenticated(authenticated::start_with(self, keys, onionskin)?),
        };
        Ok(Pending { protocol: Arc::clone(&self.protocol), state })
    }
}

/// A client that has sent its onionskin and waits for the relay's reply.
pub struct Pending {
    protocol: Arc<Protocol>,
    state: State,
}

enum State {
    V1(v1::Waiting),
    KemOnly(kem_only::Waiting),
    Authenticated(authenticated::Waiting),
}

impl Pending {
    /// Checks the reply and fills `keys`. In the KEM-only handshake, `keys` must be 80 bytes long. In the others, the
    /// maximum is 8160 bytes. Consumes `self`, because ephemeral keys must not be reused.
    ///
    /// # Errors
    /// [`HandshakeError::Authenticator`] if the reply does not answer this onionskin. Also fails if the reply has the
    /// wrong length or contains an X25519 key of low order. Leaves `keys` unchanged on error.
    pub fn finish(self, reply: &[u8], keys: &mut [u8]) -> Result<()> {
        check_length("reply", self.protocol.reply(), reply.len())?;
        match self.state {
            State::V1(waiting) => v1::finish(&self.protocol, waiting, reply, keys),
            State::KemOnly(waiting) => kem_only::finish(&self.protocol, waiting, reply, keys),
            State::Authenticated(waiting) => authenticated::finish(&self.protocol, waiting, reply, keys),
        }
    }
}

/// A relay, which answers onionskins.
pub struct Responder {
    protocol: Arc<Protocol>,
    descriptor: RelayDescriptor,
    onion_key: Box<dyn PrivateKey>,
}

impl Responder {
    /// Creates a relay and its onion key. [`Coins::Exact`] contains the 32-byte private key.
    ///
    /// # Errors
    /// Propagates errors from the key agreement.
    pub fn new(protocol: Arc<Protocol>, identity: [u8; IDENTITY], coins: Coins) -> Result<Responder> {
        let mut descriptor = RelayDescriptor { identity, onion_key: [0; WORD] };
        let onion_key = protocol.generate_agreement(coins, &mut descriptor.onion_key)?;
        Ok(Responder { protocol, descriptor, onion_key })
    }

    /// Creates a relay with a private onion key from [`encode_onion_key`](Self::encode_onion_key). Does not check that
    /// the private key matches the public key in the descriptor. If the keys do not match, no client can finish a
    /// handshake.
    ///
    /// # Errors
    /// Propagates errors from the key agreement.
    pub fn load(protocol: Arc<Protocol>, descriptor: RelayDescriptor, onion_key: &[u8; WORD]) -> Result<Responder> {
        let onion_key = protocol.parts.agreement.load_private_key(onion_key)?;
        Ok(Responder { protocol, descriptor, onion_key })
    }

    /// Returns the descriptor for clients.
    pub fn descriptor(&self) -> RelayDescriptor {
        self.descriptor
    }

    /// Answers an onionskin. Writes the reply to `reply`, which must be [`Protocol::reply`] bytes long, and fills
    /// `keys` like [`Pending::finish`]. [`Coins::Exact`] must contain the private ephemeral X25519 key, then the random
    /// bytes for encapsulation. Omit the part that the variant does not use.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length, or if the onionskin is for a different relay or onion key. Also fails if
    /// the onionskin contains an invalid encapsulation key or an X25519 key of low order.
    pub fn respond(&self, onionskin: &[u8], coins: Coins, reply: &mut [u8], keys: &mut [u8]) -> Result<()> {
        check_length("onionskin", self.protocol.onionskin(), onionskin.len())?;
        check_length("reply", self.protocol.reply(), reply.len())?;
        match self.protocol.variant {
            Variant::V1 => v1::respond(self, onionskin, coins, reply, keys),
            Variant::KemOnly => kem_only::respond(self, onionskin, coins, reply, keys),
            Variant::Authenticated => authenticated::respond(self, onionskin, coins, reply, keys),
        }
    }

    /// Writes the private onion key to `out`, for [`load`](Self::load).
    ///
    /// # Errors
    /// Propagates errors from the key agreement.
    pub fn encode_onion_key(&self, out: &mut [u8; WORD]) -> Result<()> {
        Ok(self.onion_key.encode(out)?)
    }

    fn check_identity(&self, identity: &[u8]) -> Result<()> {
        if identity == self.descriptor.identity { Ok(()) } else { Err(HandshakeError::Identity) }
    }

    fn check_key_id(&self, key_id: &[u8]) -> Result<()> {
        if key_id == self.descriptor.onion_key { Ok(()) } else { Err(HandshakeError::KeyId) }
    }
}

fn check_length(message: &'static str, expected: usize, actual: usize) -> Result<()> {
    if expected == actual { Ok(()) } else { Err(HandshakeError::Length { message, expected, actual }) }
}

/// Compares authenticators in constant time.
fn check_authenticator(expected: &[u8; WORD], actual: &[u8]) -> Result<()> {
    if bool::from(expected.as_slice().ct_eq(actual)) { Ok(()) } else { Err(HandshakeError::Authenticator) }
}

/// Splits the random bytes in [`Coins::Exact`] after the first `length` bytes.
fn split(coins: Coins<'_>, length: usize) -> Result<(Coins<'_>, Coins<'_>)> {
    match coins {
        Coins::Internal => Ok((Coins::Internal, Coins::Internal)),
        Coins::Exact(bytes) => {
            let missing = Error::Length { what: "coins", expected: length, actual: bytes.len() };
            let (first, rest) = bytes.split_at_checked(length).ok_or(missing)?;
            Ok((Coins::Exact(first), Coins::Exact(rest)))
        }
    }
}
