//! Workload `signature`: key generation, signing, verification, with prepared keys and from encoded bytes.

use crate::inputs::{POOL, Turn, bytes, generator, pool};
use crate::{Options, Workload, fault, find, missing};
use pqlab_harness::{Fault, Recorder, Seed, Trial};
use pqlab_primitives::{
    Coins, KeyEncoding, Provider, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey,
};
use pqlab_record::{Case, Facts, Form, Parameter, Sizes};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Length in bytes of the message, where none is asked for: a digest's.
const MESSAGE: u64 = 32;
/// Keys that are kept for [`Trial::verify`].
const KEPT: usize = 4;

pub(crate) struct SignatureWorkload;

impl Workload for SignatureWorkload {
    fn id(&self) -> &'static str {
        "signature"
    }

    fn describe(&self) -> &'static str {
        "signatures: keygen, sign, verify, by message length"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &Options) -> Vec<Case> {
        let lengths = options.lengths.clone().unwrap_or_else(|| vec![MESSAGE]);
        let mut cases = Vec::new();
        for operation in ["keygen", "sign", "verify"] {
            let lengths: Vec<Option<u64>> =
                if operation == "keygen" { vec![None] } else { lengths.iter().copied().map(Some).collect() };
            for length in lengths {
                for form in [Form::Prepared, Form::Encoded] {
                    for provider in providers {
                        let schemes = provider.signatures.iter();
                        cases.extend(schemes.map(|scheme| case(provider, scheme.as_ref(), operation, form, length)));
                    }
                }
            }
        }
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let scheme =
            Arc::clone(find(providers, &case.provider)?.signature(&case.algorithm).ok_or_else(|| missing(case))?);
        let mut generator = generator(case, seed);
        let encoded = case.form == Some(Form::Encoded);
        let length = case.number("len").unwrap_or(MESSAGE) as usize;
        Ok(match (case.operation.as_str(), encoded) {
            ("keygen", false) => Box::new(Keygen {
                other_key: other_key(scheme.as_ref(), &mut generator).map_err(fault)?,
                scheme,
                keys: Vec::new(),
            }),
            ("keygen", true) => Box::new(KeygenEncoded::new(scheme, &mut generator).map_err(fault)?),
            ("sign", _) => Box::new(Sign::new(scheme, encoded, length, &mut generator).map_err(fault)?),
            ("verify", _) => Box::new(Verify::new(scheme, encoded, length, &mut generator).map_err(fault)?),
            _ => return Err(missing(case)),
        })
    }
}

fn case(provider: &Provider, scheme: &dyn SignatureScheme, operation: &str, form: Form, length: Option<u64>) -> Case {
    let parameters = &scheme.info().parameters;
    let sizes = Sizes {
        public_key: Some(parameters.verifying_key as u64),
        secret_key: own_encoding(scheme).map(|(_, length)| length as u64),
        ciphertext: None,
        shared_secret: None,
        signature: Some(parameters.signature as u64),
    };
    let length_text = length.map_or_else(String::new, |length| format!("/{length}"));
    // A round of hash-based signing takes seconds, in which everything else would wait.
    let slow = if parameters.algorithm.starts_with("SLH-DSA") { "/SLH-DSA" } else { "" };
    Case {
        workload: "signature".into(),
        algorithm: parameters.algorithm.to_string(),
        operation: operation.into(),
        provider: provider.id(),
        form: Some(form),
        parameters: length.map(|length| Parameter::Number("len".into(), length)).into_iter().collect(),
        block: format!("signature/{operation}{length_text}{slow}"),
        facts: Facts { sizes, bytes: None, category: parameters.category },
    }
}

/// The encoding of the signing key that the provider writes by itself, and its greatest length in bytes.
fn own_encoding(scheme: &dyn SignatureScheme) -> Option<(KeyEncoding, usize)> {
    let encoding = *scheme.info().encodings.first()?;
    Some((encoding, scheme.info().signing_key(encoding)?))
}

/// A key from seeded coins where the provider takes them, else from its own.
fn signing_key(scheme: &dyn SignatureScheme, generator: &mut ChaCha8Rng) -> LibraryResult<Box<dyn SigningKey>> {
    let mut coins = vec![0; scheme.info().parameters.keygen_coins];
    generator.fill_bytes(&mut coins);
    scheme.generate(if scheme.info().coins.keygen { Coins::Exact(&coins) } else { Coins::Internal })
}

fn encode_signing_key(
    scheme: &dyn SignatureScheme,
    key: &dyn SigningKey,
) -> LibraryResult<(Option<KeyEncoding>, Vec<u8>)> {
    let Some((encoding, length)) = own_encoding(scheme) else { return Ok((None, Vec::new())) };
    let mut encoded = vec![0; length];
    let length = key.encode(encoding, &mut encoded)?;
    encoded.truncate(length);
    Ok((Some(encoding), encoded))
}

fn round_trip(
    scheme: &dyn SignatureScheme,
    signer: &dyn SigningKey,
    verifier: &dyn VerifyingKey,
    other_key: &dyn VerifyingKey,
) -> Result<(), Fault> {
    let message = b"a message for the round trip";
    let mut signature = vec![0; scheme.info().parameters.signature];
    let length = signer.sign(&[], message, Coins::Internal, &mut signature).map_err(fault)?;
    check(verifier, other_key, message, &signature[..length])
}

/// Accepts the signature, and refuses it for another message, with a bit flipped and under another key.
fn check(
    verifier: &dyn VerifyingKey,
    other_key: &dyn VerifyingKey,
    message: &[u8],
    signature: &[u8],
) -> Result<(), Fault> {
    verifier.verify(&[], message, signature).map_err(fault)?;
    refuses(other_key, message, signature, "a signature under another key")?;
    let mut other = message.to_vec();
    match other.first_mut() {
        Some(byte) => *byte ^= 1,
        None => other.push(0),
    }
    refuses(verifier, &other, signature, "another message")?;
    let mut tampered = signature.to_vec();
    if let Some(byte) = tampered.first_mut() {
        *byte ^= 1;
    }
    refuses(verifier, message, &tampered, "a signature with a bit flipped")
}

fn refuses(verifier: &dyn VerifyingKey, message: &[u8], signature: &[u8], what: &str) -> Result<(), Fault> {
    match verifier.verify(&[], message, signature) {
        Err(_) => Ok(()),
        Ok(()) => Err(Fault::WrongAnswer(format!("verification accepts {what}"))),
    }
}

/// The verifying key of a pair that signs nothing.
fn other_key(scheme: &dyn SignatureScheme, generator: &mut ChaCha8Rng) -> LibraryResult<Box<dyn VerifyingKey>> {
    signing_key(scheme, generator)?.verifying_key()
}

/// Key generation up to a prepared key.
struct Keygen {
    scheme: Arc<dyn SignatureScheme>,
    keys: Vec<Box<dyn SigningKey>>,
    other_key: Box<dyn VerifyingKey>,
}

impl Trial for Keygen {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        self.keys.clear();
        self.keys.reserve(batch);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.keys.push(self.scheme.generate(Coins::Internal).map_err(fault)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let Some(key) = self.keys.last() else { return Ok(()) };
        let verifier = key.verifying_key().map_err(fault)?;
        round_trip(self.scheme.as_ref(), key.as_ref(), verifier.as_ref(), self.other_key.as_ref())
    }
}

/// Key generation up to encoded bytes.
struct KeygenEncoded {
    scheme: Arc<dyn SignatureScheme>,
    other_key: Box<dyn VerifyingKey>,
    outputs: Vec<Encoded>,
    turn: Turn,
}

#[derive(Clone)]
struct Encoded {
    verifying_key: Vec<u8>,
    signing_key: Vec<u8>,
    lengths: (usize, usize),
}

impl KeygenEncoded {
    fn new(scheme: Arc<dyn SignatureScheme>, generator: &mut ChaCha8Rng) -> LibraryResult<KeygenEncoded> {
        let verifying_key = vec![0; scheme.info().parameters.verifying_key];
        let signing_key = vec![0; own_encoding(scheme.as_ref()).map_or(0, |(_, length)| length)];
        let slot = Encoded { verifying_key, signing_key, lengths: (0, 0) };
        let other_key = other_key(scheme.as_ref(), generator)?;
        Ok(KeygenEncoded { scheme, other_key, outputs: vec![slot; KEPT], turn: Turn::of(KEPT) })
    }
}

impl Trial for KeygenEncoded {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let slot = &mut self.outputs[self.turn.advance()];
            slot.lengths = self
                .scheme
                .generate_encoded(Coins::Internal, &mut slot.verifying_key, &mut slot.signing_key)
                .map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let slot = &self.outputs[self.turn.last()];
        let (encoding, _) =
            own_encoding(self.scheme.as_ref()).ok_or_else(|| Fault::Library("no key encoding".into()))?;
        let verifier = self.scheme.load_verifying_key(&slot.verifying_key[..slot.lengths.0]).map_err(fault)?;
        let signer = self.scheme.load_signing_key(encoding, &slot.signing_key[..slot.lengths.1]).map_err(fault)?;
        round_trip(self.scheme.as_ref(), signer.as_ref(), verifier.as_ref(), self.other_key.as_ref())
    }
}

/// Signing, with a prepared key or from the signing key's bytes; a fresh message for each signature.
struct Sign {
    scheme: Arc<dyn SignatureScheme>,
    encoding: Option<KeyEncoding>,
    keys: Vec<(Box<dyn SigningKey>, Vec<u8>)>,
    messages: Vec<Vec<u8>>,
    generator: ChaCha8Rng,
    key: Turn,
    message: Turn,
    signature: Vec<u8>,
    length: usize,
    other_key: Box<dyn VerifyingKey>,
}

impl Sign {
    fn new(
        scheme: Arc<dyn SignatureScheme>,
        encoded: bool,
        length: usize,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Sign> {
        let mut encoding = None;
        let keys = pool(|| {
            let key = signing_key(scheme.as_ref(), generator)?;
            let mut bytes = Vec::new();
            if encoded {
                (encoding, bytes) = encode_signing_key(scheme.as_ref(), key.as_ref())?;
            }
            Ok((key, bytes))
        })?;
        let messages: Vec<Vec<u8>> = (0..POOL).map(|_| bytes(generator, length)).collect();
        let signature = vec![0; scheme.info().parameters.signature];
        let other_key = other_key(scheme.as_ref(), generator)?;
        Ok(Sign {
            other_key,
            encoding,
            key: Turn::of(keys.len()),
            message: Turn::of(POOL),
            keys,
            messages,
            generator: generator.clone(),
            signature,
            length: 0,
            scheme,
        })
    }
}

impl Trial for Sign {
    fn refill(&mut self, batch: usize) -> Result<(), Fault> {
        // Eight bytes make a message new; refilling a long one whole would take longer than signing it.
        for message in self.messages.iter_mut().take(batch) {
            let fresh = message.len().min(8);
            self.generator.fill_bytes(&mut message[..fresh]);
        }
        self.message = Turn::of(POOL);
        self.length = 0;
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let (key, encoded) = &self.keys[self.key.advance()];
            let message = &self.messages[self.message.advance()];
            self.length = match self.encoding {
                None => key.sign(&[], message, Coins::Internal, &mut self.signature),
                Some(encoding) => self
                    .scheme
                    .load_signing_key(encoding, encoded)
                    .and_then(|key| key.sign(&[], message, Coins::Internal, &mut self.signature)),
            }
            .map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let verifier = self.keys[self.key.last()].0.verifying_key().map_err(fault)?;
        let other_key = self.other_key.as_ref();
        check(verifier.as_ref(), other_key, &self.messages[self.message.last()], &self.signature[..self.length])
    }
}

/// Verification, with a prepared key or from the verifying key's bytes.
struct Verify {
    scheme: Arc<dyn SignatureScheme>,
    encoded: bool,
    signed: Vec<Signed>,
    turn: Turn,
    other_key: Box<dyn VerifyingKey>,
}

struct Signed {
    key: Box<dyn VerifyingKey>,
    encoded: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Verify {
    fn new(
        scheme: Arc<dyn SignatureScheme>,
        encoded: bool,
        length: usize,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<Verify> {
        let parameters = &scheme.info().parameters;
        let signed = pool(|| {
            let signer = signing_key(scheme.as_ref(), generator)?;
            let key = signer.verifying_key()?;
            let mut encoded = vec![0; parameters.verifying_key];
            let encoded_length = key.encode(&mut encoded)?;
            encoded.truncate(encoded_length);
            let message = bytes(generator, length);
            let mut signature = vec![0; parameters.signature];
            let signature_length = signer.sign(&[], &message, Coins::Internal, &mut signature)?;
            signature.truncate(signature_length);
            Ok(Signed { key, encoded, message, signature })
        })?;
        let other_key = other_key(scheme.as_ref(), generator)?;
        Ok(Verify { encoded, turn: Turn::of(signed.len()), signed, other_key, scheme })
    }
}

impl Trial for Verify {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let signed = &self.signed[self.turn.advance()];
            if self.encoded {
                let key = self.scheme.load_verifying_key(&signed.encoded).map_err(fault)?;
                key.verify(&[], &signed.message, &signed.signature).map_err(fault)?;
            } else {
                signed.key.verify(&[], &signed.message, &signed.signature).map_err(fault)?;
            }
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let signed = &self.signed[self.turn.last()];
        check(signed.key.as_ref(), self.other_key.as_ref(), &signed.message, &signed.signature)
    }
}
