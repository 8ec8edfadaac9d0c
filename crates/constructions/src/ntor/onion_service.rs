//! hs-ntor: establishes keys between a client and an onion service (Tor's rend-spec-v3, sections 3.3.2 and 4.2, "ntor
//! with extra data"). The client's message is the body of an INTRODUCE1 cell and already contains encrypted data for
//! the service. The service answers in a RENDEZVOUS1 cell. B is the service's encryption key, X and Y are the ephemeral
//! keys, and EXP is X25519.
//!
//! ```text
//! H       = LEGACY_KEY_ID(20 zeros) || 02 || 0020 || AUTH_KEY || 00        the cell before its encrypted part
//! message = H || X || ENCRYPTED_DATA || MAC                                answer = Y || AUTH
//! MAC(k, m) = SHA3-256(INT_8(len(k)) || k || m)                            KDF = SHAKE256, ENCRYPT = AES-256-CTR
//!
//! intro_secret = EXP(B,x) | AUTH_KEY | X | B | PROTOID
//! ENC_KEY || MAC_KEY = KDF(intro_secret | t_hsenc | m_hsexpand | N_hs_subcred)
//! MAC     = MAC(MAC_KEY, H | X | ENCRYPTED_DATA)
//!
//! rend_secret = EXP(X,y) | EXP(X,b) | AUTH_KEY | B | X | Y | PROTOID
//! seed    = MAC(rend_secret, t_hsenc)                                      verify = MAC(rend_secret, t_hsverify)
//! AUTH    = MAC(verify | AUTH_KEY | B | Y | X | PROTOID | "Server", t_hsmac)
//! keys    = KDF(seed | m_hsexpand)
//! ```
//!
//! **The variant with a KEM is pqlab's own extension.** It is neither a standard nor a Tor proposal, and no independent
//! test vectors exist. The client's ephemeral encapsulation key EPK follows X in the message and in every hash input.
//! The ciphertext C follows Y in the same way. The KEM's secret follows EXP(X,b) in rend_secret. PROTOID is
//! `hs-ntor-x25519-mlkem768-sha3-256-1`.
//!
//! The resulting keys are hybrid. The encryption of the introduction is not hybrid: it uses only X25519, because no KEM
//! secret exists before the service's answer. The service authenticates itself with its X25519 key.

use super::sha3::{Sha3Parts, length};
use super::{
    HandshakeError, Result, WORD, agree, check_authenticator, check_length, encapsulate, generate_agreement, split,
};
use pqlab_primitives::{Coins, DecapsulationKey, Error, Kem, PrivateKey, Wiped};
use std::sync::Arc;

/// PROTOID of the handshake without a KEM (rend-spec-v3).
const PROTOID: &str = "tor-hs-ntor-curve25519-sha3-256-1";
/// Length in bytes of H, the part of the cell before X.
const HEADER: usize = 20 + 1 + 2 + WORD + 1;
/// Maximum length in bytes of an introduction's data. With this length, the classical message still fits in one cell.
const LONGEST_DATA: usize = 256;
/// Buffer size in bytes for hash inputs without KEM messages.
const ROOM: usize = 640;
/// Buffer size in bytes for hash inputs with KEM messages. Suffices for ML-KEM-1024.
const ROOM_WITH_KEM: usize = 4096;

/// hs-ntor with its primitives and an optional KEM. All lengths are in bytes.
pub struct ServiceProtocol {
    parts: Sha3Parts,
    kem: Option<Arc<dyn Kem>>,
    data: usize,
    identifier: String,
    /// `t_hsenc`, `t_hsverify`, `t_hsmac`, `m_hsexpand`.
    tweaks: [String; 4],
}

impl ServiceProtocol {
    /// Creates a protocol. Each introduction contains `data` bytes of data. With a KEM, the protocol is pqlab's hybrid
    /// extension.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if `data` exceeds 256 bytes, or if the KEM's messages are longer than ML-KEM-1024's.
    pub fn new(parts: Sha3Parts, kem: Option<Arc<dyn Kem>>, data: usize) -> Result<Arc<ServiceProtocol>> {
        if data > LONGEST_DATA {
            return Err(Error::Unsupported("introductions with more than 256 bytes of data").into());
        }
        let identifier = match kem.as_ref().map(|kem| &kem.info().parameters) {
            None => PROTOID.to_owned(),
            Some(kem) if kem.encapsulation_key.max(kem.ciphertext) > 1568 || kem.shared_secret != WORD => {
                return Err(Error::Unsupported("introductions require ML-KEM").into());
            }
            Some(kem) => {
                let name = kem.algorithm.to_lowercase().replace("ml-kem-", "mlkem");
                format!("hs-ntor-x25519-{name}-sha3-256-1")
            }
        };
        let tweaks = ["hs_key_extract", "hs_verify", "hs_mac", "hs_key_expand"].map(|of| format!("{identifier}:{of}"));
        Ok(Arc::new(ServiceProtocol { parts, kem, data, identifier, tweaks }))
    }

    /// Returns the length in bytes of the client's message: the body of INTRODUCE1.
    pub fn introduction(&self) -> usize {
        HEADER + WORD + self.encapsulation_key() + self.data + WORD
    }

    /// Returns the length in bytes of the answer: HANDSHAKE_INFO in RENDEZVOUS1.
    pub fn answer(&self) -> usize {
        WORD + self.ciphertext() + WORD
    }

    /// Returns the length in bytes of the data in an introduction.
    pub fn data(&self) -> usize {
        self.data
    }

    /// Returns the length of the keys: 128 bytes, for two SHA3-256 digests and two AES-256 keys (rend-spec-v3, section
    /// 4.2.1).
    pub fn keys(&self) -> usize {
        4 * WORD
    }

    /// Returns the number of random bytes that the client needs in [`Coins::Exact`].
    pub fn start_coins(&self) -> usize {
        WORD + self.kem.as_ref().map_or(0, |kem| kem.info().parameters.keygen_coins)
    }

    /// Returns the number of random bytes that the service needs in [`Coins::Exact`].
    pub fn respond_coins(&self) -> usize {
        WORD + self.kem.as_ref().map_or(0, |kem| kem.info().parameters.encapsulation_coins)
    }

    /// Generates a client's ephemeral keys in advance, for an introduction to any service. [`Coins::Exact`] must
    /// contain the private X25519 key, then the random bytes for the KEM's key generation.
    ///
    /// # Errors
    /// Propagates errors from the primitives.
    pub fn ephemeral_keys(&self, coins: Coins) -> Result<ServiceKeys> {
        let mut public = vec![0; WORD + self.encapsulation_key()];
        let (x, encapsulation_key) = public.split_at_mut(WORD);
        let (private, kem) = match &self.kem {
            None => (generate_agreement(self.parts.agreement.as_ref(), coins, x)?, None),
            Some(kem) => {
                let (x_coins, kem_coins) = split(coins, WORD)?;
                let private = generate_agreement(self.parts.agreement.as_ref(), x_coins, x)?;
                let key = kem.generate(kem_coins)?;
                key.encode_encapsulation_key(encapsulation_key)?;
                (private, Some(key))
            }
        };
        Ok(ServiceKeys { private, kem, public })
    }

    fn encapsulation_key(&self) -> usize {
        self.kem.as_ref().map_or(0, |kem| kem.info().parameters.encapsulation_key)
    }

    fn ciphertext(&self) -> usize {
        self.kem.as_ref().map_or(0, |kem| kem.info().parameters.ciphertext)
    }

    /// Hashes the concatenated `parts`. With a KEM, uses a larger buffer, because inputs contain the KEM's messages.
    fn digest(&self, parts: &[&[u8]]) -> Result<[u8; WORD]> {
        match self.kem {
            None => self.parts.digest::<ROOM>(parts),
            Some(_) => self.parts.digest::<ROOM_WITH_KEM>(parts),
        }
    }

    fn expand(&self, parts: &[&[u8]], out: &mut [u8]) -> Result<()> {
        match self.kem {
            None => self.parts.expand::<ROOM>(parts, out),
            Some(_) => self.parts.expand::<ROOM_WITH_KEM>(parts, out),
        }
    }

    /// Derives ENC_KEY || MAC_KEY from `shared`, which is EXP(B,x) or EXP(X,b). `x` is X, or X || EPK with a KEM.
    fn introduction_keys(&self, shared: &[u8], service: &ServiceDescriptor, x: &[u8]) -> Result<Wiped<[u8; 2 * WORD]>> {
        let [t_hsenc, _, _, m_hsexpand] = self.tweaks.each_ref().map(|tweak| tweak.as_bytes());
        let ServiceDescriptor { auth_key, encryption_key, subcredential } = service;
        let protoid = self.identifier.as_bytes();
        let mut keys = Wiped::new([0; 2 * WORD]);
        let parts = [shared, auth_key, x, encryption_key, protoid, t_hsenc, m_hsexpand, subcredential];
        self.expand(&parts, keys.as_mut())?;
        Ok(keys)
    }

    /// Computes the MAC of the client's message over `before`, all bytes before the MAC.
    fn introduction_mac(&self, keys: &[u8; 2 * WORD], before: &[u8]) -> Result<[u8; WORD]> {
        let key = &keys[WORD..];
        self.digest(&[&length(&[key]), key, before])
    }

    /// Computes AUTH and passes it to `check`. Derives the keys only if `check` returns `Ok`. `secrets` is EXP(X,y) ||
    /// EXP(X,b), followed by the KEM's secret if there is a KEM. `x` is X, or X || EPK; `y` is Y, or Y || C.
    fn rendezvous(
        &self,
        secrets: &[u8],
        service: &ServiceDescriptor,
        x: &[u8],
        y: &[u8],
        keys: &mut [u8],
        check: impl FnOnce(&[u8; WORD]) -> Result<()>,
    ) -> Result<[u8; WORD]> {
        check_length("keys", self.keys(), keys.len())?;
        let [t_hsenc, t_hsverify, t_hsmac, m_hsexpand] = self.tweaks.each_ref().map(|tweak| tweak.as_bytes());
        let (auth_key, b) = (service.auth_key.as_slice(), service.encryption_key.as_slice());
        let protoid = self.identifier.as_bytes();
        let rend = [secrets, auth_key, b, x, y, protoid];
        let of_rend = |tweak| {
            let [secrets, auth_key, b, x, y, protoid] = rend;
            self.digest(&[&length(&rend), secrets, auth_key, b, x, y, protoid, tweak])
        };
        let seed = Wiped::new(of_rend(t_hsenc)?);
        let verify = Wiped::new(of_rend(t_hsverify)?);
        let input = [verify.as_slice(), auth_key, b, y, x, protoid, b"Server"];
        let [verify, auth_key, b, y, x, protoid, server] = input;
        let auth = self.digest(&[&length(&input), verify, auth_key, b, y, x, protoid, server, t_hsmac])?;
        check(&auth)?;
        self.parts.expand::<ROOM>(&[seed.as_slice(), m_hsexpand], keys)?;
        Ok(auth)
    }
}

/// Public data that a client needs about an onion service and one of its introduction points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceDescriptor {
    /// AUTH_KEY: the Ed25519 key of the introduction circuit.
    pub auth_key: [u8; WORD],
    /// B: the service's X25519 key for this introduction point.
    pub encryption_key: [u8; WORD],
    /// N_hs_subcred: the service's subcredential.
    pub subcredential: [u8; WORD],
}

impl ServiceDescriptor {
    fn header(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        // AUTH_KEY_TYPE 2 means an Ed25519 key, 32 bytes long.
        header[20..23].copy_from_slice(&[2, 0, WORD as u8]);
        header[23..23 + WORD].copy_from_slice(&self.auth_key);
        header
    }
}

/// Ephemeral keys for one introduction, generated in advance. The introduction consumes them, so they cannot be reused.
pub struct ServiceKeys {
    private: Box<dyn PrivateKey>,
    kem: Option<Box<dyn DecapsulationKey>>,
    /// X, or X || EPK with a KEM.
    public: Vec<u8>,
}

/// A client that has not sent its introduction.
pub struct ServiceClient {
    protocol: Arc<ServiceProtocol>,
    service: ServiceDescriptor,
}

impl ServiceClient {
    /// Creates a client for an introduction to `service`.
    pub fn new(protocol: Arc<ServiceProtocol>, service: ServiceDescriptor) -> ServiceClient {
        ServiceClient { protocol, service }
    }

    /// Writes the introduction with the encrypted data to `message`, which must be [`ServiceProtocol::introduction`]
    /// bytes long. [`Coins::Exact`] must contain the private ephemeral X25519 key, then the random bytes for the KEM's
    /// key generation.
    ///
    /// # Errors
    /// Fails if `data` or `message` has the wrong length, or if the service's key has low order. Propagates errors from
    /// the primitives.
    pub fn start(&self, coins: Coins, data: &[u8], message: &mut [u8]) -> Result<ServicePending> {
        self.start_with(self.protocol.ephemeral_keys(coins)?, data, message)
    }

    /// Same as [`start`](Self::start), but with ephemeral keys generated in advance. This function still computes the
    /// key agreement with the service's key, the encryption and the MAC.
    ///
    /// # Errors
    /// Same as [`start`](Self::start). Also fails if the keys belong to a different handshake.
    pub fn start_with(&self, keys: ServiceKeys, data: &[u8], message: &mut [u8]) -> Result<ServicePending> {
        let protocol = &self.protocol;
        check_length("introduction", protocol.introduction(), message.len())?;
        check_length("data", protocol.data, data.len())?;
        check_length("ephemeral keys", WORD + protocol.encapsulation_key(), keys.public.len())?;
        let mut shared = Wiped::new([0; WORD]);
        agree(keys.private.as_ref(), &self.service.encryption_key, shared.as_mut())?;
        let derived = protocol.introduction_keys(shared.as_ref(), &self.service, &keys.public)?;
        let (sent, mac) = message.split_at_mut(message.len() - WORD);
        let (header, rest) = sent.split_at_mut(HEADER);
        let (x, encrypted) = rest.split_at_mut(keys.public.len());
        header.copy_from_slice(&self.service.header());
        x.copy_from_slice(&keys.public);
        encrypted.copy_from_slice(data);
        protocol.parts.encrypt(&derived[..WORD], encrypted)?;
        mac.copy_from_slice(&protocol.introduction_mac(&derived, sent)?);
        Ok(ServicePending { protocol: Arc::clone(protocol), service: self.service, keys, shared })
    }
}

/// A client that has sent its introduction and waits for the service's answer.
pub struct ServicePending {
    protocol: Arc<ServiceProtocol>,
    service: ServiceDescriptor,
    keys: ServiceKeys,
    /// EXP(B,x), computed for the introduction.
    shared: Wiped<[u8; WORD]>,
}

impl ServicePending {
    /// Checks the answer and fills `keys`, which must be [`ServiceProtocol::keys`] bytes long. Consumes `self`, because
    /// ephemeral keys must not be reused.
    ///
    /// # Errors
    /// [`HandshakeError::Authenticator`] if the answer does not belong to this introduction. Also fails if the answer
    /// has the wrong length or contains an X25519 key of low order. Leaves `keys` unchanged on error.
    pub fn finish(self, answer: &[u8], keys: &mut [u8]) -> Result<()> {
        let ServicePending { protocol, service, keys: own, shared } = self;
        check_length("answer", protocol.answer(), answer.len())?;
        let (y, auth) = answer.split_at(answer.len() - WORD);
        let mut secrets = Wiped::new([0; 3 * WORD]);
        agree(own.private.as_ref(), &y[..WORD], &mut secrets[..WORD])?;
        secrets[WORD..2 * WORD].copy_from_slice(shared.as_ref());
        let mut used = 2 * WORD;
        if let Some(key) = &own.kem {
            key.decapsulate(&y[WORD..], &mut secrets[used..])?;
            used += WORD;
        }
        let check = |expected: &[u8; WORD]| check_authenticator(expected, auth);
        protocol.rendezvous(&secrets[..used], &service, &own.public, y, keys, check)?;
        Ok(())
    }
}

/// An onion service, reachable at one of its introduction points.
pub struct Service {
    protocol: Arc<ServiceProtocol>,
    descriptor: ServiceDescriptor,
    encryption_key: Box<dyn PrivateKey>,
}

impl Service {
    /// Creates a service with the keys for one introduction point. [`Coins::Exact`] contains the 32-byte private
    /// encryption key.
    ///
    /// # Errors
    /// Propagates errors from the key agreement.
    pub fn new(
        protocol: Arc<ServiceProtocol>,
        auth_key: [u8; WORD],
        subcredential: [u8; WORD],
        coins: Coins,
    ) -> Result<Service> {
        let mut descriptor = ServiceDescriptor { auth_key, encryption_key: [0; WORD], subcredential };
        let agreement = protocol.parts.agreement.as_ref();
        let encryption_key = generate_agreement(agreement, coins, &mut descriptor.encryption_key)?;
        Ok(Service { protocol, descriptor, encryption_key })
    }

    /// Returns the descriptor for clients.
    pub fn descriptor(&self) -> ServiceDescriptor {
        self.descriptor
    }

    /// Answers an introduction. Decrypts the introduction's data into `data`, writes the answer to `answer`, and fills
    /// `keys`. The buffers must have the lengths that [`ServiceProtocol`] returns. [`Coins::Exact`] must contain the
    /// private ephemeral X25519 key, then the random bytes for encapsulation. The caller must detect replays.
    ///
    /// # Errors
    /// [`HandshakeError::Introduction`] if the introduction was modified or was created without the service's
    /// descriptor; [`HandshakeError::EncapsulationKey`] if the client's key is invalid. Also fails if the introduction
    /// has the wrong length, is for a different introduction point, or contains an X25519 key of low order.
    pub fn respond(
        &self,
        message: &[u8],
        coins: Coins,
        data: &mut [u8],
        answer: &mut [u8],
        keys: &mut [u8],
    ) -> Result<()> {
        let protocol = &self.protocol;
        check_length("introduction", protocol.introduction(), message.len())?;
        check_length("data", protocol.data, data.len())?;
        check_length("answer", protocol.answer(), answer.len())?;
        let (sent, mac) = message.split_at(message.len() - WORD);
        let (header, rest) = sent.split_at(HEADER);
        let (x, encrypted) = rest.split_at(WORD + protocol.encapsulation_key());
        if header != self.descriptor.header() {
            return Err(HandshakeError::Identity);
        }
        let mut secrets = Wiped::new([0; 3 * WORD]);
        agree(self.encryption_key.as_ref(), &x[..WORD], &mut secrets[WORD..2 * WORD])?;
        let derived = protocol.introduction_keys(&secrets[WORD..2 * WORD], &self.descriptor, x)?;
        let expected = protocol.introduction_mac(&derived, sent)?;
        check_authenticator(&expected, mac).map_err(|_| HandshakeError::Introduction)?;

        let (y, auth) = answer.split_at_mut(WORD + protocol.ciphertext());
        let (y_coins, kem_coins) = if protocol.kem.is_some() { split(coins, WORD)? } else { (coins, coins) };
        let private = generate_agreement(protocol.parts.agreement.as_ref(), y_coins, &mut y[..WORD])?;
        agree(private.as_ref(), &x[..WORD], &mut secrets[..WORD])?;
        let mut used = 2 * WORD;
        if let Some(kem) = &protocol.kem {
            let secret = encapsulate(kem.as_ref(), &x[WORD..], kem_coins, &mut y[WORD..])?;
            secrets[used..].copy_from_slice(secret.as_ref());
            used += WORD;
        }
        auth.copy_from_slice(&protocol.rendezvous(&secrets[..used], &self.descriptor, x, y, keys, |_| Ok(()))?);
        data.copy_from_slice(encrypted);
        protocol.parts.encrypt(&derived[..WORD], data)
    }
}
