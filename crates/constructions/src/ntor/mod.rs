//! Circuit handshakes: how a client and an onion relay come to share keys.
//!
//! | variant | secrecy rests on | the relay is authenticated by |
//! |---|---|---|
//! | [`Variant::V1`] | X25519 | its long-term X25519 onion key |
//! | [`Variant::KemOnly`] | ML-KEM | **nothing**: whoever knows its public identity can answer |
//! | [`Variant::Authenticated`] | X25519 and ML-KEM, either suffices | its long-term X25519 onion key |
//!
//! None authenticates the client. In all three the keys are forward secret, and authentication, where there is any, is
//! classical: it must hold only at the moment of the handshake.
//!
//! Two more have messages inside them, and modules of their own: hs-ntor of onion services ([`onion_service`]) and ntor v3
//! ([`v3`]).
//!
//! A handshake is three states. An [`Initiator`] starts and becomes a [`Pending`], which finishes once; a [`Responder`]
//! answers in one step.
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

/// Which handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Classical ntor (tor-spec, section 5.1.4; proposal 216).
    V1,
    /// A KEM and nothing else: forward secret, and does not authenticate the relay.
    KemOnly,
    /// X25519 and a KEM in the shape of Tor's proposal 269: hybrid secrecy, and the relay proves its onion key.
    Authenticated,
}

/// The primitives that a handshake is built over. Classical ntor uses no KEM and no hash, the KEM-only handshake no key
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

/// Why a handshake did not come about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// A message, or a buffer for one, is not of the handshake's length.
    #[error("{message}: {actual} bytes where {expected} are needed")]
    Length {
        /// Which one.
        message: &'static str,
        /// The length in bytes that it must have.
        expected: usize,
        /// The length in bytes that it has.
        actual: usize,
    },
    /// The onionskin names another relay.
    #[error("the onionskin is for another relay")]
    Identity,
    /// The onionskin names another onion key.
    #[error("the onionskin is for another onion key")]
    KeyId,
    /// An X25519 public key is of low order: every secret with it is zero (RFC 7748, section 6.1).
    #[error("an X25519 public key of low order")]
    LowOrder,
    /// The client's encapsulation key fails the check of FIPS 203, section 7.2.
    #[error("not a valid encapsulation key")]
    EncapsulationKey,
    /// The reply was not made by who holds what the handshake demands, or not for this onionskin.
    #[error("the reply's authenticator does not verify")]
    Authenticator,
    /// The client's message to an onion service, or the encrypted one to a relay, was changed, or made by who does not know what
    /// the handshake demands.
    #[error("the client's message does not verify")]
    Introduction,
    /// A primitive reported a fault.
    #[error(transparent)]
    Primitive(#[from] Error),
}

/// The result of a step of a handshake.
pub type Result<T, E = HandshakeError> = std::result::Result<T, E>;

/// A handshake over given primitives. Lengths in bytes.
pub struct Protocol {
    variant: Variant,
    parts: Parts,
    kem: KemParameters,
    /// The protocol's name inside its hashes (PROTOID).
    identifier: String,
    /// Prepared keys of HMAC for classical ntor, whose keys are constants: `t_mac`, `t_verify`.
    tweaks: Option<(Box<dyn MacKey>, Box<dyn MacKey>)>,
}

impl Protocol {
    /// # Errors
    /// [`Error::Unsupported`] for a KEM whose messages are longer than those of ML-KEM-1024.
    pub fn new(variant: Variant, parts: Parts) -> Result<Arc<Protocol>> {
        let kem = parts.kem.info().parameters.clone();
        if kem.encapsulation_key.max(kem.ciphertext) > 1568 || kem.shared_secret != WORD {
            return Err(Error::Unsupported("circuit handshakes take ML-KEM").into());
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

    /// Which handshake it is.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Length of the client's message.
    pub fn onionskin(&self) -> usize {
        match self.variant {
            Variant::V1 => IDENTITY + WORD + WORD,
            Variant::KemOnly => self.kem.encapsulation_key + IDENTITY,
            Variant::Authenticated => IDENTITY + WORD + WORD + self.kem.encapsulation_key,
        }
    }

    /// Length of the relay's message.
    pub fn reply(&self) -> usize {
        match self.variant {
            Variant::V1 => WORD + WORD,
            Variant::KemOnly => self.kem.ciphertext + WORD,
            Variant::Authenticated => WORD + self.kem.ciphertext + WORD,
        }
    }

    /// Length of the keys that a circuit is given by default: two digests of 20 bytes and two AES-128 keys
    /// (tor-spec, section 5.2), 80 where the KEM-only handshake says so.
    pub fn keys(&self) -> usize {
        match self.variant {
            Variant::KemOnly => kem_only::KEYS,
            _ => 72,
        }
    }

    /// Number of coins that the client's step draws.
    pub fn start_coins(&self) -> usize {
        match self.variant {
            Variant::V1 => WORD,
            Variant::KemOnly => self.kem.keygen_coins,
            Variant::Authenticated => WORD + self.kem.keygen_coins,
        }
    }

    /// Number of coins that the relay's step draws.
    pub fn respond_coins(&self) -> usize {
        match self.variant {
            Variant::V1 => WORD,
            Variant::KemOnly => self.kem.encapsulation_coins,
            Variant::Authenticated => WORD + self.kem.encapsulation_coins,
        }
    }

    /// Makes the ephemeral keys of a client ahead of its handshake with whatever relay. Coins as in [`Initiator::start`].
    ///
    /// # Errors
    /// What the primitives report.
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

/// What a client knows of a relay: its identity and its public onion key (which the KEM-only handshake does not use).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelayDescriptor {
    /// The relay's identity.
    pub identity: [u8; IDENTITY],
    /// Its public X25519 onion key, A or B in the specifications.
    pub onion_key: [u8; WORD],
}

/// The client before a handshake.
pub struct Initiator {
    protocol: Arc<Protocol>,
    relay: RelayDescriptor,
}

impl Initiator {
    /// A client that wants to speak to this relay.
    pub fn new(protocol: Arc<Protocol>, relay: RelayDescriptor) -> Initiator {
        Initiator { protocol, relay }
    }

    /// Writes the onionskin, of exactly [`Protocol::onionskin`] bytes. Coins: the ephemeral X25519 key, then those of
    /// ML-KEM key generation, each where the handshake has it.
    ///
    /// # Errors
    /// A buffer of another length; what the primitives report.
    pub fn start(&self, coins: Coins, onionskin: &mut [u8]) -> Result<Pending> {
        check_length("onionskin", self.protocol.onionskin(), onionskin.len())?;
        let state = match self.protocol.variant {
            Variant::V1 => State::V1(v1::start(self, coins, onionskin)?),
            Variant::KemOnly => State::KemOnly(kem_only::start(self, coins, onionskin)?),
            Variant::Authenticated => State::Authenticated(authenticated::start(self, coins, onionskin)?),
        };
        Ok(Pending { protocol: Arc::clone(&self.protocol), state })
    }

    /// Likewise with ephemeral keys that were made ahead: nothing is left to compute.
    ///
    /// # Errors
    /// A buffer of another length; keys of another handshake.
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

/// The client between its onionskin and the relay's reply.
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
    /// Checks the reply and fills `keys`, of any length up to 8160 bytes (80 for the KEM-only handshake). Consumes the
    /// state: its ephemeral keys serve once.
    ///
    /// # Errors
    /// [`HandshakeError::Authenticator`] if the reply is not the relay's answer to this onionskin; a reply of another
    /// length; an X25519 key of low order. `keys` is not written then.
    pub fn finish(self, reply: &[u8], keys: &mut [u8]) -> Result<()> {
        check_length("reply", self.protocol.reply(), reply.len())?;
        match self.state {
            State::V1(waiting) => v1::finish(&self.protocol, waiting, reply, keys),
            State::KemOnly(waiting) => kem_only::finish(&self.protocol, waiting, reply, keys),
            State::Authenticated(waiting) => authenticated::finish(&self.protocol, waiting, reply, keys),
        }
    }
}

/// The relay.
pub struct Responder {
    protocol: Arc<Protocol>,
    descriptor: RelayDescriptor,
    onion_key: Box<dyn PrivateKey>,
}

impl Responder {
    /// A relay with this identity. Coins: its private onion key.
    ///
    /// # Errors
    /// What the key agreement reports.
    pub fn new(protocol: Arc<Protocol>, identity: [u8; IDENTITY], coins: Coins) -> Result<Responder> {
        let mut descriptor = RelayDescriptor { identity, onion_key: [0; WORD] };
        let onion_key = protocol.generate_agreement(coins, &mut descriptor.onion_key)?;
        Ok(Responder { protocol, descriptor, onion_key })
    }

    /// A relay whose private onion key is loaded from what [`encode_onion_key`](Self::encode_onion_key) wrote. That the
    /// descriptor's public key belongs to it is taken on trust, as a relay keeps both: with another one no client finishes.
    ///
    /// # Errors
    /// What the key agreement reports.
    pub fn load(protocol: Arc<Protocol>, descriptor: RelayDescriptor, onion_key: &[u8; WORD]) -> Result<Responder> {
        let onion_key = protocol.parts.agreement.load_private_key(onion_key)?;
        Ok(Responder { protocol, descriptor, onion_key })
    }

    /// What clients must know of it.
    pub fn descriptor(&self) -> RelayDescriptor {
        self.descriptor
    }

    /// Answers an onionskin: writes the reply, of exactly [`Protocol::reply`] bytes, and fills `keys` as
    /// [`Pending::finish`] does. Coins: the ephemeral X25519 key, then those of encapsulation, each where the handshake
    /// has it.
    ///
    /// # Errors
    /// An onionskin of another length, for another relay or another onion key, with an encapsulation key that is not
    /// valid or an X25519 key of low order.
    pub fn respond(&self, onionskin: &[u8], coins: Coins, reply: &mut [u8], keys: &mut [u8]) -> Result<()> {
        check_length("onionskin", self.protocol.onionskin(), onionskin.len())?;
        check_length("reply", self.protocol.reply(), reply.len())?;
        match self.protocol.variant {
            Variant::V1 => v1::respond(self, onionskin, coins, reply, keys),
            Variant::KemOnly => kem_only::respond(self, onionskin, coins, reply, keys),
            Variant::Authenticated => authenticated::respond(self, onionskin, coins, reply, keys),
        }
    }

    /// Writes the private onion key, so that another responder can be the same relay.
    ///
    /// # Errors
    /// What the key agreement reports.
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

/// In constant time.
fn check_authenticator(expected: &[u8; WORD], actual: &[u8]) -> Result<()> {
    if bool::from(expected.as_slice().ct_eq(actual)) { Ok(()) } else { Err(HandshakeError::Authenticator) }
}

/// The first `length` of given coins, and the rest.
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
