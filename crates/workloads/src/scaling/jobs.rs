//! The jobs of this area: one operation of one primitive each, with a key of its own.

use super::job::Job;
use crate::fault;
use crate::inputs::{POOL, Turn, bytes, pool};
use pqlab_harness::Fault;
use pqlab_primitives::{
    Coins, DecapsulationKey, EncapsulationKey, Kem, Result, SignatureScheme, SigningKey, VerifyingKey,
};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// A job that performs an operation of a KEM.
///
/// # Errors
/// What the library reports while the key is made; [`Fault::Unsupported`] for an operation that a KEM does not have.
pub(crate) fn of_kem(kem: &Arc<dyn Kem>, operation: &str, generator: &mut ChaCha8Rng) -> Result<Box<dyn Job>, Fault> {
    let job: Result<Box<dyn Job>> = match operation {
        "keygen" => Ok(Box::new(KemKeygen { kem: Arc::clone(kem), made: None })),
        "encapsulate" => Encapsulate::new(kem.as_ref(), generator).map(|job| Box::new(job) as _),
        "decapsulate" => Decapsulate::new(kem.as_ref(), generator).map(|job| Box::new(job) as _),
        "handshake" => Ok(Box::new(Handshake::new(Arc::clone(kem)))),
        _ => return Err(Fault::Unsupported(format!("a KEM has no operation {operation}"))),
    };
    job.map_err(fault)
}

/// A job that performs an operation of a signature scheme on messages of `length` bytes.
///
/// # Errors
/// As [`of_kem`].
pub(crate) fn of_signature(
    scheme: &Arc<dyn SignatureScheme>,
    operation: &str,
    length: usize,
    generator: &mut ChaCha8Rng,
) -> Result<Box<dyn Job>, Fault> {
    let job: Result<Box<dyn Job>> = match operation {
        "keygen" => Ok(Box::new(SignatureKeygen { scheme: Arc::clone(scheme), made: None })),
        "sign" => Sign::new(scheme.as_ref(), length, generator).map(|job| Box::new(job) as _),
        "verify" => Verify::new(scheme.as_ref(), length, generator).map(|job| Box::new(job) as _),
        _ => return Err(Fault::Unsupported(format!("a signature scheme has no operation {operation}"))),
    };
    job.map_err(fault)
}

fn key_pair(kem: &dyn Kem, generator: &mut ChaCha8Rng) -> Result<Box<dyn DecapsulationKey>> {
    let coins = bytes(generator, kem.info().parameters.keygen_coins);
    kem.generate(if kem.info().coins.keygen { Coins::Exact(&coins) } else { Coins::Internal })
}

fn signing_key(scheme: &dyn SignatureScheme, generator: &mut ChaCha8Rng) -> Result<Box<dyn SigningKey>> {
    let coins = bytes(generator, scheme.info().parameters.keygen_coins);
    scheme.generate(if scheme.info().coins.keygen { Coins::Exact(&coins) } else { Coins::Internal })
}

fn same_secret(sent: &[u8], received: &[u8]) -> Result<(), Fault> {
    if sent == received && sent.iter().any(|&byte| byte != 0) {
        Ok(())
    } else {
        Err(Fault::WrongAnswer("the two sides have different shared secrets".into()))
    }
}

/// Key generation up to a prepared key.
struct KemKeygen {
    kem: Arc<dyn Kem>,
    made: Option<Box<dyn DecapsulationKey>>,
}

impl Job for KemKeygen {
    fn refill(&mut self) -> Result<(), Fault> {
        self.made = None;
        Ok(())
    }

    fn perform(&mut self, count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            self.made = Some(self.kem.generate(Coins::Internal).map_err(fault)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(key) = &self.made else { return Ok(()) };
        let parameters = &self.kem.info().parameters;
        let mut ciphertext = vec![0; parameters.ciphertext];
        let (mut sent, mut received) = (vec![0; parameters.shared_secret], vec![0; parameters.shared_secret]);
        let to = key.encapsulation_key().map_err(fault)?;
        to.encapsulate(Coins::Internal, &mut ciphertext, &mut sent).map_err(fault)?;
        key.decapsulate(&ciphertext, &mut received).map_err(fault)?;
        same_secret(&sent, &received)
    }
}

struct Encapsulate {
    key: Box<dyn DecapsulationKey>,
    to: Box<dyn EncapsulationKey>,
    ciphertext: Vec<u8>,
    secret: Vec<u8>,
    performed: bool,
}

impl Encapsulate {
    fn new(kem: &dyn Kem, generator: &mut ChaCha8Rng) -> Result<Encapsulate> {
        let key = key_pair(kem, generator)?;
        let parameters = &kem.info().parameters;
        Ok(Encapsulate {
            to: key.encapsulation_key()?,
            key,
            ciphertext: vec![0; parameters.ciphertext],
            secret: vec![0; parameters.shared_secret],
            performed: false,
        })
    }
}

impl Job for Encapsulate {
    fn refill(&mut self) -> Result<(), Fault> {
        self.secret.fill(0);
        self.performed = false;
        Ok(())
    }

    fn perform(&mut self, count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            self.to.encapsulate(Coins::Internal, &mut self.ciphertext, &mut self.secret).map_err(fault)?;
        }
        self.performed = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if !self.performed {
            return Ok(());
        }
        let mut received = vec![0; self.secret.len()];
        self.key.decapsulate(&self.ciphertext, &mut received).map_err(fault)?;
        same_secret(&self.secret, &received)
    }
}

struct Decapsulate {
    key: Box<dyn DecapsulationKey>,
    /// Ciphertexts with their secrets.
    sent: Vec<(Vec<u8>, Vec<u8>)>,
    turn: Turn,
    secret: Vec<u8>,
    performed: bool,
}

impl Decapsulate {
    fn new(kem: &dyn Kem, generator: &mut ChaCha8Rng) -> Result<Decapsulate> {
        let key = key_pair(kem, generator)?;
        let parameters = &kem.info().parameters;
        let to = key.encapsulation_key()?;
        let sent = pool(|| {
            let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
            to.encapsulate(Coins::Internal, &mut ciphertext, &mut secret)?;
            Ok((ciphertext, secret))
        })?;
        let secret = vec![0; parameters.shared_secret];
        Ok(Decapsulate { key, turn: Turn::of(sent.len()), sent, secret, performed: false })
    }
}

impl Job for Decapsulate {
    fn refill(&mut self) -> Result<(), Fault> {
        self.secret.fill(0);
        self.performed = false;
        Ok(())
    }

    fn perform(&mut self, count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            let (ciphertext, _) = &self.sent[self.turn.advance()];
            self.key.decapsulate(ciphertext, &mut self.secret).map_err(fault)?;
        }
        self.performed = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.performed { same_secret(&self.sent[self.turn.last()].1, &self.secret) } else { Ok(()) }
    }
}

/// Key generation, encapsulation to the new key's encoding, decapsulation: what a key exchange costs both sides.
struct Handshake {
    kem: Arc<dyn Kem>,
    encoded: Vec<u8>,
    ciphertext: Vec<u8>,
    sent: Vec<u8>,
    received: Vec<u8>,
    performed: bool,
}

impl Handshake {
    fn new(kem: Arc<dyn Kem>) -> Handshake {
        let parameters = &kem.info().parameters;
        Handshake {
            encoded: vec![0; parameters.encapsulation_key],
            ciphertext: vec![0; parameters.ciphertext],
            sent: vec![0; parameters.shared_secret],
            received: vec![0; parameters.shared_secret],
            performed: false,
            kem,
        }
    }

    fn once(&mut self) -> Result<()> {
        let key = self.kem.generate(Coins::Internal)?;
        key.encapsulation_key()?.encode(&mut self.encoded)?;
        let to = self.kem.load_encapsulation_key(&self.encoded)?;
        to.encapsulate(Coins::Internal, &mut self.ciphertext, &mut self.sent)?;
        key.decapsulate(&self.ciphertext, &mut self.received)
    }
}

impl Job for Handshake {
    fn refill(&mut self) -> Result<(), Fault> {
        self.sent.fill(0);
        self.received.fill(1);
        self.performed = false;
        Ok(())
    }

    fn perform(&mut self, count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            self.once().map_err(fault)?;
        }
        self.performed = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.performed { same_secret(&self.sent, &self.received) } else { Ok(()) }
    }
}

/// Key generation up to a prepared key.
struct SignatureKeygen {
    scheme: Arc<dyn SignatureScheme>,
    made: Option<Box<dyn SigningKey>>,
}

impl Job for SignatureKeygen {
    fn refill(&mut self) -> Result<(), Fault> {
        self.made = None;
        Ok(())
    }

    fn perform(&mut self, count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            self.made = Some(self.scheme.generate(Coins::Internal).map_err(fault)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(key) = &self.made else { return Ok(()) };
        let message = b"a message for a new key";
        let mut signature = vec![0; self.scheme.info().parameters.signature];
        let length = key.sign(&[], message, Coins::Internal, &mut signature).map_err(fault)?;
        accepts_only(key.verifying_key().map_err(fault)?.as_ref(), message, &signature[..length])
    }
}

struct Sign {
    key: Box<dyn SigningKey>,
    verifier: Box<dyn VerifyingKey>,
    /// Messages that are signed in turn.
    messages: Vec<Vec<u8>>,
    turn: Turn,
    signature: Vec<u8>,
    length: usize,
    performed: bool,
}

/// Messages that a signer goes through: what rejects and repeats depends on the message, so there are more than a few.
const MESSAGES: usize = 16 * POOL;
/// Most memory that they take, in bytes.
const MESSAGE_MEMORY: usize = 1 << 20;

impl Sign {
    fn new(scheme: &dyn SignatureScheme, length: usize, generator: &mut ChaCha8Rng) -> Result<Sign> {
        let key = signing_key(scheme, generator)?;
        let count = (MESSAGE_MEMORY / length.max(1)).clamp(1, MESSAGES);
        Ok(Sign {
            verifier: key.verifying_key()?,
            key,
            messages: (0..count).map(|_| bytes(generator, length)).collect(),
            turn: Turn::of(count),
            signature: vec![0; scheme.info().parameters.signature],
            length: 0,
            performed: false,
        })
    }
}

impl Job for Sign {
    fn refill(&mut self) -> Result<(), Fault> {
        self.signature.fill(0);
        self.performed = false;
        Ok(())
    }

    fn perform(&mut self, count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            let message = &self.messages[self.turn.advance()];
            self.length = self.key.sign(&[], message, Coins::Internal, &mut self.signature).map_err(fault)?;
        }
        self.performed = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if !self.performed {
            return Ok(());
        }
        let message = &self.messages[self.turn.last()];
        accepts_only(self.verifier.as_ref(), message, &self.signature[..self.length])
    }
}

struct Verify {
    verifier: Box<dyn VerifyingKey>,
    /// Messages with their signatures.
    signed: Vec<(Vec<u8>, Vec<u8>)>,
    turn: Turn,
    performed: bool,
}

impl Verify {
    fn new(scheme: &dyn SignatureScheme, length: usize, generator: &mut ChaCha8Rng) -> Result<Verify> {
        let key = signing_key(scheme, generator)?;
        let signed = pool(|| {
            let message = bytes(generator, length);
            let mut signature = vec![0; scheme.info().parameters.signature];
            let length = key.sign(&[], &message, Coins::Internal, &mut signature)?;
            signature.truncate(length);
            Ok((message, signature))
        })?;
        Ok(Verify { verifier: key.verifying_key()?, turn: Turn::of(signed.len()), signed, performed: false })
    }
}

impl Job for Verify {
    fn refill(&mut self) -> Result<(), Fault> {
        self.performed = false;
        Ok(())
    }

    fn perform(&mut self, count: usize) -> Result<(), Fault> {
        for _ in 0..count {
            let (message, signature) = &self.signed[self.turn.advance()];
            self.verifier.verify(&[], message, signature).map_err(fault)?;
        }
        self.performed = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if !self.performed {
            return Ok(());
        }
        let (message, signature) = &self.signed[self.turn.last()];
        accepts_only(self.verifier.as_ref(), message, signature)
    }
}

/// The signature is accepted for its message, and refused for another.
fn accepts_only(verifier: &dyn VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Fault> {
    verifier.verify(&[], message, signature).map_err(fault)?;
    let mut other = message.to_vec();
    match other.first_mut() {
        Some(byte) => *byte ^= 1,
        None => other.push(0),
    }
    match verifier.verify(&[], &other, signature) {
        Err(_) => Ok(()),
        Ok(()) => Err(Fault::WrongAnswer("verification accepts another message".into())),
    }
}
