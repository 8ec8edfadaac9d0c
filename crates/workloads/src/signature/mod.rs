//! Workload `signature`: key generation, signing, verification, with prepared keys and from encoded bytes.
//!
//! `sign` is hedged where the standard has both variants (FIPS 204, section 3.4; FIPS 205, section 3.4), which is what
//! the libraries do unless they are told otherwise; `sign[deterministic]` draws no coins. `prehash=` names the function
//! that hashes the message before its digest is signed. `messages=cctv` signs the published set of messages as a whole.

mod messages;
mod sizes;
#[cfg(test)]
mod tests;
mod trials;

use crate::inputs::generator;
use crate::{Options, Variant, Workload, fault, find, missing};
use messages::{MessageSet, SignSet};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{
    Coins, KeyEncoding, Prehash, Provider, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey,
};
use pqlab_record::{Case, Facts, Form, Parameter, Sizes};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use sizes::SignatureSizes;
use std::sync::Arc;
use trials::{Keygen, KeygenEncoded, Sign, Verify};

/// Length in bytes of the message, where none is asked for: a digest's.
const MESSAGE: u64 = 32;

pub(crate) struct SignatureWorkload;

impl Workload for SignatureWorkload {
    fn id(&self) -> &'static str {
        "signature"
    }

    fn describe(&self) -> &'static str {
        "signatures: keygen, sign, verify, by message length; deterministic and pre-hashed variants, message sets, sizes"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &Options) -> Vec<Case> {
        let lengths = options.lengths.clone().unwrap_or_else(|| vec![MESSAGE]);
        let schemes = || {
            providers
                .iter()
                .flat_map(|provider| provider.signatures.iter().map(move |scheme| (provider, scheme.as_ref())))
        };
        let mut cases = Vec::new();
        for operation in ["keygen", "sign", "verify"] {
            let lengths: Vec<Option<u64>> =
                if operation == "keygen" { vec![None] } else { lengths.iter().copied().map(Some).collect() };
            for length in lengths {
                for form in [Form::Prepared, Form::Encoded] {
                    for (provider, scheme) in schemes() {
                        let modes = modes(scheme, operation, options);
                        cases.extend(modes.iter().map(|mode| case(provider, scheme, operation, form, length, *mode)));
                    }
                }
            }
        }
        if options.wants(Variant::Messages) {
            for set in MessageSet::ALL {
                let able = schemes().filter(|(_, scheme)| messages::offered(*scheme));
                cases.extend(able.map(|(provider, scheme)| message_set_case(provider, scheme, set)));
            }
        }
        if options.wants(Variant::Sizes) {
            let able = schemes().filter(|(_, scheme)| sizes::worth_it(*scheme));
            cases.extend(able.map(|(provider, scheme)| Case {
                block: "signature/signature-size".into(),
                ..case(provider, scheme, "signature-size", Form::Prepared, None, Mode::default())
            }));
        }
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let scheme =
            Arc::clone(find(providers, &case.provider)?.signature(&case.algorithm).ok_or_else(|| missing(case))?);
        if let Some(set) = case.word(MESSAGES) {
            let set = MessageSet::of(set).ok_or_else(|| missing(case))?;
            return Ok(Box::new(SignSet::new(scheme.as_ref(), set)?));
        }
        let mut generator = generator(case, seed);
        let encoded = case.form == Some(Form::Encoded);
        let length = case.number("len").unwrap_or(MESSAGE) as usize;
        let mode = Mode::of(case).ok_or_else(|| missing(case))?;
        Ok(match (case.operation.as_str(), encoded) {
            ("keygen", false) => Box::new(Keygen::new(scheme, &mut generator).map_err(fault)?),
            ("keygen", true) => Box::new(KeygenEncoded::new(scheme, &mut generator).map_err(fault)?),
            ("sign", _) => Box::new(Sign::new(scheme, encoded, length, mode, &mut generator).map_err(fault)?),
            ("verify", _) => Box::new(Verify::new(scheme, encoded, length, mode, &mut generator).map_err(fault)?),
            ("signature-size", false) => Box::new(SignatureSizes::new(scheme, &mut generator).map_err(fault)?),
            _ => return Err(missing(case)),
        })
    }
}

/// Key generation of a scheme up to a prepared key.
pub(crate) fn keygen(scheme: Arc<dyn SignatureScheme>, generator: &mut ChaCha8Rng) -> Result<Box<dyn Trial>, Fault> {
    Ok(Box::new(Keygen::new(scheme, generator).map_err(fault)?))
}

/// The parameter that names a published set of messages.
const MESSAGES: &str = "messages";
/// The flag of deterministic signing.
const DETERMINISTIC: &str = "deterministic";
/// The parameter that names the function of the pre-hashed variant.
const PREHASH: &str = "prehash";

/// How it is signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mode {
    deterministic: bool,
    prehash: Option<Prehash>,
}

impl Mode {
    /// The mode of a case; `None` if it names a function that there is not.
    fn of(case: &Case) -> Option<Mode> {
        let prehash = match case.word(PREHASH) {
            Some(name) => Some(Prehash::ALL.into_iter().find(|prehash| prehash.name() == name)?),
            None => None,
        };
        Some(Mode { deterministic: case.flag(DETERMINISTIC), prehash })
    }

    #[inline(always)]
    fn sign(self, key: &dyn SigningKey, message: &[u8], out: &mut [u8]) -> LibraryResult<usize> {
        let coins = if self.deterministic { Coins::Exact(&[]) } else { Coins::Internal };
        match self.prehash {
            None => key.sign(&[], message, coins, out),
            Some(prehash) => key.sign_prehashed(prehash, &[], message, coins, out),
        }
    }

    /// As [`sign`](Self::sign), from the signing key's bytes.
    #[inline(always)]
    fn sign_from(
        self,
        scheme: &dyn SignatureScheme,
        encoding: KeyEncoding,
        key: &[u8],
        message: &[u8],
        out: &mut [u8],
    ) -> LibraryResult<usize> {
        if self.prehash.is_some() {
            return self.sign(scheme.load_signing_key(encoding, key)?.as_ref(), message, out);
        }
        let coins = if self.deterministic { Coins::Exact(&[]) } else { Coins::Internal };
        scheme.sign_from(encoding, key, &[], message, coins, out)
    }

    #[inline(always)]
    fn verify(self, key: &dyn VerifyingKey, message: &[u8], signature: &[u8]) -> LibraryResult<()> {
        match self.prehash {
            None => key.verify(&[], message, signature),
            Some(prehash) => key.verify_prehashed(prehash, &[], message, signature),
        }
    }

    /// The length, if there is one, and what differs from the usual way.
    fn parameters(self, length: Option<u64>) -> Vec<Parameter> {
        let mut parameters: Vec<Parameter> =
            length.map(|length| Parameter::Number("len".into(), length)).into_iter().collect();
        if self.deterministic {
            parameters.push(Parameter::Flag(DETERMINISTIC.into()));
        }
        parameters.extend(self.prehash.map(|prehash| Parameter::Word(PREHASH.into(), prehash.name().into())));
        parameters
    }
}

/// The modes of an operation that are asked for and that the scheme has.
fn modes(scheme: &dyn SignatureScheme, operation: &str, options: &Options) -> Vec<Mode> {
    let info = scheme.info();
    let mut modes = Vec::new();
    if options.wants(Variant::Plain) {
        modes.push(Mode::default());
    }
    if options.wants(Variant::Deterministic) && operation == "sign" && info.hedged && info.coins.operation {
        modes.push(Mode { deterministic: true, prehash: None });
    }
    if options.wants(Variant::Prehash) && operation != "keygen" {
        let natural =
            scheme.prehashes().iter().copied().filter(|prehash| natural(*prehash, &info.parameters.algorithm));
        modes.extend(natural.map(|prehash| Mode { deterministic: false, prehash: Some(prehash) }));
    }
    modes
}

/// Whether a function is measured with an algorithm: the one of its own family, and for ML-DSA, which has none, SHA-512
/// and SHAKE128.
fn natural(prehash: Prehash, algorithm: &str) -> bool {
    match prehash {
        Prehash::Sha512 => !algorithm.starts_with("SLH-DSA-SHAKE"),
        Prehash::Shake128 => algorithm.starts_with("ML-DSA"),
        Prehash::Shake256 => algorithm.starts_with("SLH-DSA-SHAKE"),
        Prehash::Sha256 => false,
    }
}

fn case(
    provider: &Provider,
    scheme: &dyn SignatureScheme,
    operation: &str,
    form: Form,
    length: Option<u64>,
    mode: Mode,
) -> Case {
    let parameters = &scheme.info().parameters;
    let sizes = Sizes {
        public_key: Some(parameters.verifying_key as u64),
        secret_key: own_encoding(scheme).map(|(_, length)| length as u64),
        ciphertext: None,
        shared_secret: None,
        signature: Some(parameters.signature as u64),
        ..Sizes::default()
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
        parameters: mode.parameters(length),
        block: format!("signature/{operation}{length_text}{slow}"),
        facts: Facts { sizes, category: parameters.category, ..Facts::default() },
    }
}

fn message_set_case(provider: &Provider, scheme: &dyn SignatureScheme, set: MessageSet) -> Case {
    Case {
        parameters: vec![Parameter::Word(MESSAGES.into(), set.name().into())],
        block: "signature/messages".into(),
        ..case(provider, scheme, "sign", Form::Prepared, None, Mode::default())
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
    check(Mode::default(), verifier, other_key, message, &signature[..length])
}

/// Accepts the signature, and refuses it for another message, with a bit flipped and under another key.
fn check(
    mode: Mode,
    verifier: &dyn VerifyingKey,
    other_key: &dyn VerifyingKey,
    message: &[u8],
    signature: &[u8],
) -> Result<(), Fault> {
    mode.verify(verifier, message, signature).map_err(fault)?;
    refuses(mode, other_key, message, signature, "a signature under another key")?;
    let mut other = message.to_vec();
    match other.first_mut() {
        Some(byte) => *byte ^= 1,
        None => other.push(0),
    }
    refuses(mode, verifier, &other, signature, "another message")?;
    let mut tampered = signature.to_vec();
    if let Some(byte) = tampered.first_mut() {
        *byte ^= 1;
    }
    refuses(mode, verifier, message, &tampered, "a signature with a bit flipped")
}

fn refuses(mode: Mode, verifier: &dyn VerifyingKey, message: &[u8], signature: &[u8], what: &str) -> Result<(), Fault> {
    match mode.verify(verifier, message, signature) {
        Err(_) => Ok(()),
        Ok(()) => Err(Fault::WrongAnswer(format!("verification accepts {what}"))),
    }
}

/// The verifying key of a pair that signs nothing.
fn other_key(scheme: &dyn SignatureScheme, generator: &mut ChaCha8Rng) -> LibraryResult<Box<dyn VerifyingKey>> {
    signing_key(scheme, generator)?.verifying_key()
}
