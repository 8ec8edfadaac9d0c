//! Hybrid public key encryption in base mode (RFC 9180), which does not authenticate the sender. ML-KEM, X-Wing and
//! one-stage KDFs follow draft-ietf-hpke-pq-05.

mod dhkem;
mod kdf;

pub use dhkem::DhKem;
pub use kdf::Kdf;

use kdf::Labelled;
use pqlab_primitives::{Aead, AeadKey, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, Result, Wiped};
use std::sync::Arc;

/// Nonce length in bytes. All AEADs in this module use the same length.
const NONCE: usize = 12;
/// Length in bytes of the longest AEAD key.
const LONGEST_KEY: usize = 32;
const BASE: u8 = 0;

/// HPKE identifiers of KEMs (RFC 9180, section 7.1; draft-ietf-hpke-pq-05).
const KEMS: [(&str, u16); 5] =
    [(DhKem::ALGORITHM, 0x20), ("ML-KEM-512", 0x40), ("ML-KEM-768", 0x41), ("ML-KEM-1024", 0x42), ("X-Wing", 0x647a)];
/// HPKE identifiers of AEADs (RFC 9180, section 7.3).
const AEADS: [(&str, u16); 3] = [("AES-128-GCM", 1), ("AES-256-GCM", 2), ("ChaCha20-Poly1305", 3)];

/// HPKE suite: a KEM, a KDF and an AEAD.
pub struct Suite {
    kem: Arc<dyn Kem>,
    kdf: Kdf,
    aead: Arc<dyn Aead>,
    /// `HPKE`, followed by the identifiers of the KEM, the KDF and the AEAD.
    id: [u8; 10],
}

impl Suite {
    /// Builds a suite.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if HPKE does not define an identifier for the KEM or the AEAD.
    pub fn new(kem: Arc<dyn Kem>, kdf: Kdf, aead: Arc<dyn Aead>) -> Result<Suite> {
        let find = |table: &[(&str, u16)], name: &str| table.iter().find(|known| known.0 == name).map(|known| known.1);
        let kem_id = find(&KEMS, &kem.info().parameters.algorithm).ok_or(Error::Unsupported("not an HPKE KEM"))?;
        let aead_id = find(&AEADS, aead.algorithm()).ok_or(Error::Unsupported("not an HPKE AEAD"))?;
        let mut id = *b"HPKE\0\0\0\0\0\0";
        for (place, number) in [kem_id, kdf.id(), aead_id].into_iter().enumerate() {
            id[4 + 2 * place..6 + 2 * place].copy_from_slice(&number.to_be_bytes());
        }
        Ok(Suite { kem, kdf, aead, id })
    }

    /// Returns the KEM.
    pub fn kem(&self) -> &Arc<dyn Kem> {
        &self.kem
    }

    /// Returns the number of bytes that [`seal`](Self::seal) adds to a plaintext: the encapsulated secret and the tag.
    pub fn overhead(&self) -> usize {
        self.kem.info().parameters.ciphertext + self.aead.tag_len()
    }

    /// Encrypts a single message and returns `enc || ciphertext || tag` (RFC 9180, section 6.1). `enc` is the
    /// encapsulated secret. `coins` goes to the KEM's encapsulation.
    ///
    /// # Errors
    /// Propagates errors from the libraries.
    pub fn seal(
        &self,
        recipient: &dyn EncapsulationKey,
        info: &[u8],
        associated_data: &[u8],
        plaintext: &[u8],
        coins: Coins,
    ) -> Result<Vec<u8>> {
        let enc = self.kem.info().parameters.ciphertext;
        let mut message = vec![0; enc + plaintext.len() + self.aead.tag_len()];
        let (encapsulated, sealed) = message.split_at_mut(enc);
        let mut context = self.send(recipient, info, coins, encapsulated)?;
        context.seal_into(associated_data, plaintext, sealed)?;
        Ok(message)
    }

    /// Decrypts a message from [`seal`](Self::seal).
    ///
    /// # Errors
    /// [`Error::VerificationFailed`] if authentication fails; [`Error::Malformed`] if the message is too short.
    pub fn open(
        &self,
        recipient: &dyn DecapsulationKey,
        info: &[u8],
        associated_data: &[u8],
        message: &[u8],
    ) -> Result<Vec<u8>> {
        if message.len() < self.overhead() {
            return Err(Error::Malformed("HPKE message"));
        }
        let (encapsulated, sealed) = message.split_at(self.kem.info().parameters.ciphertext);
        self.receive(recipient, info, encapsulated)?.open(associated_data, sealed)
    }

    /// Sets up a sender context for a sequence of messages. Writes the encapsulated secret to `encapsulated`, which
    /// must have the length of the KEM's ciphertext.
    ///
    /// # Errors
    /// Propagates errors from the libraries.
    pub fn send(
        &self,
        recipient: &dyn EncapsulationKey,
        info: &[u8],
        coins: Coins,
        encapsulated: &mut [u8],
    ) -> Result<Context> {
        let mut secret = Wiped::new(vec![0; self.kem.info().parameters.shared_secret]);
        recipient.encapsulate(coins, encapsulated, &mut secret)?;
        self.schedule(&secret, info)
    }

    /// Sets up a recipient context from the sender's encapsulated secret.
    ///
    /// # Errors
    /// Propagates errors from the libraries.
    pub fn receive(&self, recipient: &dyn DecapsulationKey, info: &[u8], encapsulated: &[u8]) -> Result<Context> {
        let mut secret = Wiped::new(vec![0; self.kem.info().parameters.shared_secret]);
        recipient.decapsulate(encapsulated, &mut secret)?;
        self.schedule(&secret, info)
    }

    /// Runs the key schedule without a pre-shared key (RFC 9180, section 5.1).
    fn schedule(&self, secret: &[u8], info: &[u8]) -> Result<Context> {
        let labelled = Labelled { kdf: &self.kdf, suite: &self.id };
        let (mut key, mut base_nonce) = (Wiped::new([0; LONGEST_KEY]), [0; NONCE]);
        let mut exporter = Wiped::new(vec![0; self.kdf.output()]);
        let length = self.aead.key_len();
        Error::check_length("nonce", NONCE, self.aead.nonce_len())?;
        labelled.schedule(BASE, secret, info, &mut key[..length], &mut base_nonce, &mut exporter)?;
        Ok(Context {
            key: self.aead.load_key(&key[..length])?,
            tag: self.aead.tag_len(),
            base_nonce,
            sequence: 0,
            exporter,
            kdf: self.kdf.clone(),
            suite: self.id,
        })
    }
}

/// One side's encryption context for a sequence of messages.
pub struct Context {
    key: Box<dyn AeadKey>,
    /// Length of a tag in bytes.
    tag: usize,
    base_nonce: [u8; NONCE],
    sequence: u64,
    exporter: Wiped<Vec<u8>>,
    kdf: Kdf,
    suite: [u8; 10],
}

impl Context {
    /// Encrypts the next message and returns `ciphertext || tag`.
    ///
    /// # Errors
    /// Propagates errors from the library.
    pub fn seal(&mut self, associated_data: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
        let mut sealed = vec![0; plaintext.len() + self.tag];
        self.seal_into(associated_data, plaintext, &mut sealed)?;
        Ok(sealed)
    }

    fn seal_into(&mut self, associated_data: &[u8], plaintext: &[u8], sealed: &mut [u8]) -> Result<()> {
        let (ciphertext, tag) = sealed.split_at_mut(plaintext.len());
        ciphertext.copy_from_slice(plaintext);
        self.key.seal(&self.nonce(), associated_data, ciphertext, tag)?;
        self.advance()
    }

    /// Decrypts the next message.
    ///
    /// # Errors
    /// [`Error::VerificationFailed`] if `sealed` is not the next message, and [`Error::Malformed`] if `sealed` is
    /// shorter than a tag. On error, the sequence number does not advance.
    pub fn open(&mut self, associated_data: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
        let length = sealed.len().checked_sub(self.tag).ok_or(Error::Malformed("HPKE message"))?;
        let mut plaintext = sealed[..length].to_vec();
        self.key.open(&self.nonce(), associated_data, &mut plaintext, &sealed[length..])?;
        self.advance()?;
        Ok(plaintext)
    }

    /// Derives a secret that both sides share (RFC 9180, section 5.3).
    ///
    /// # Errors
    /// [`Error::Unsupported`] if `out` exceeds the KDF's maximum output length. Propagates errors from the library.
    pub fn export(&self, exporter_context: &[u8], out: &mut [u8]) -> Result<()> {
        let labelled = Labelled { kdf: &self.kdf, suite: &self.suite };
        labelled.export(&self.exporter, exporter_context, out)
    }

    /// Returns the base nonce XORed with the sequence number.
    fn nonce(&self) -> [u8; NONCE] {
        let mut nonce = self.base_nonce;
        let low = &mut nonce[NONCE - 8..];
        low.iter_mut().zip(self.sequence.to_be_bytes()).for_each(|(byte, number)| *byte ^= number);
        nonce
    }

    fn advance(&mut self) -> Result<()> {
        self.sequence = self.sequence.checked_add(1).ok_or(Error::Unsupported("too many messages in a context"))?;
        Ok(())
    }
}
