//! Workload `signature`: key generation, signing, verification, with prepared keys and from encoded bytes.
//!
//! `sign` is hedged where the standard has both variants (FIPS 204, section 3.4; FIPS 205, section 3.4), which is what
//! the libraries do unless they are told otherwise; `sign[deterministic]` draws no coins. `prehash=` names the function
//! that hashes the message before its digest is signed. `messages=cctv` signs the published set of messages as a whole.
//!
//! Encoded key generation writes the signing key, encoded signing loads it: `key=` names its encoding, and there is a case for each
//! one that the provider takes. `coins=exact` gives an operation the bytes that it would draw; `keys=` is how many keys it takes in
//! turn.

mod messages;
mod sizes;
#[cfg(test)]
mod tests;
mod trials;

use crate::inputs::generator;
use crate::{CaseOptions, Variant, Workload, fault, find, missing};
use messages::{MessageSet, SignSet};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{
    Coins, KeyEncoding, Prehash, Provider, Result as LibraryResult, SignatureScheme, SigningKey, VerifyingKey,
};
use pqlab_record::{Case, CoinSource, Facts, Form, Parameter, Sizes};
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

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
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
                        for mode in modes(scheme, operation, options) {
                            let case = case(provider, scheme, operation, form, length, mode);
                            cases.extend(kinds(case, scheme, mode, options));
                        }
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
        let (exact, keys) = (case.coins() == Some(CoinSource::Exact), case.keys());
        let own = encoding(scheme.as_ref(), case);
        let loaded = || own.ok_or_else(|| missing(case));
        Ok(match (case.operation.as_str(), encoded) {
            ("keygen", false) => Box::new(Keygen::new(scheme, exact, &mut generator).map_err(fault)?),
            ("keygen", true) => Box::new(KeygenEncoded::new(scheme, loaded()?, &mut generator).map_err(fault)?),
            ("sign", _) => {
                let encoding = if encoded { Some(loaded()?) } else { None };
                Box::new(Sign::new(scheme, encoding, length, mode, exact, keys, &mut generator).map_err(fault)?)
            }
            ("verify", _) => Box::new(Verify::new(scheme, encoded, length, mode, keys, &mut generator).map_err(fault)?),
            ("signature-size", false) => Box::new(SignatureSizes::new(scheme, &mut generator).map_err(fault)?),
            _ => return Err(missing(case)),
        })
    }
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

    /// Whether signing asks the library's generator.
    fn draws(self, scheme: &dyn SignatureScheme) -> bool {
        !self.deterministic && scheme.draws_to_sign()
    }

    #[inline(always)]
    fn sign(self, key: &dyn SigningKey, message: &[u8], out: &mut [u8]) -> LibraryResult<usize> {
        let coins = if self.deterministic { Coins::Exact(&[]) } else { Coins::Internal };
        self.sign_with(key, message, coins, out)
    }

    #[inline(always)]
    fn sign_with(self, key: &dyn SigningKey, message: &[u8], coins: Coins, out: &mut [u8]) -> LibraryResult<usize> {
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
fn modes(scheme: &dyn SignatureScheme, operation: &str, options: &CaseOptions) -> Vec<Mode> {
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
        secret_key: own_length(scheme).map(|length| length as u64),
        ciphertext: None,
        shared_secret: None,
        signature: Some(parameters.signature as u64),
        ..Sizes::default()
    };
    let length_text = length.map_or_else(String::new, |length| format!("/{length}"));
    // A round of hash-based signing takes seconds, in which everything else would wait.
    let slow = if parameters.algorithm.starts_with("SLH-DSA") { "/SLH-DSA" } else { "" };
    let draws = match operation {
        "keygen" => true,
        "verify" => false,
        _ => mode.draws(scheme),
    };
    Case {
        workload: "signature".into(),
        algorithm: parameters.algorithm.to_string(),
        operation: operation.into(),
        provider: provider.id(),
        form: Some(form),
        parameters: mode.parameters(length),
        block: format!("signature/{operation}{length_text}{slow}"),
        facts: Facts {
            sizes,
            category: parameters.category,
            generator: provider.generator.clone().filter(|_| draws),
            ..Facts::default()
        },
    }
}

/// The cases of one in the usual manner: one for each encoding of the private key where one is loaded or written, else one for each
/// source of coins and number of keys that is asked for.
fn kinds(case: Case, scheme: &dyn SignatureScheme, mode: Mode, options: &CaseOptions) -> Vec<Case> {
    let info = scheme.info();
    let block = case.block.clone();
    let cases: Vec<Case> = match (case.form, case.operation.as_str()) {
        (Some(Form::Encoded), _) if !options.usual_manner() => Vec::new(),
        (Some(Form::Encoded), "verify") => vec![case],
        (Some(Form::Encoded), operation) => {
            let encodings = if operation == "keygen" { scheme.written() } else { &info.encodings };
            let of = |encoding: &KeyEncoding| {
                let mut case = case.clone().with_key(encoding.name());
                case.facts.sizes.secret_key = info.signing_key(*encoding).map(|length| length as u64);
                case
            };
            encodings.iter().map(of).collect()
        }
        (_, operation) => {
            let takes_coins = match operation {
                "keygen" => info.coins.keygen && info.parameters.keygen_coins > 0,
                "sign" => info.coins.operation && info.parameters.signing_coins > 0 && mode.draws(scheme),
                _ => false,
            };
            let manners = options.manners(takes_coins, operation != "keygen");
            manners.map(|(coins, keys)| case.clone().with_coins(coins).with_keys(keys)).collect()
        }
    };
    cases.into_iter().map(|case| case.in_block(&block)).collect()
}

fn message_set_case(provider: &Provider, scheme: &dyn SignatureScheme, set: MessageSet) -> Case {
    Case {
        parameters: vec![Parameter::Word(MESSAGES.into(), set.name().into())],
        block: "signature/messages".into(),
        // Sets are signed without randomness.
        ..case(provider, scheme, "sign", Form::Prepared, None, messages::MODE)
    }
}

/// The greatest length in bytes of the signing key in the encoding that the provider writes by itself.
fn own_length(scheme: &dyn SignatureScheme) -> Option<usize> {
    scheme.info().signing_key(*scheme.info().encodings.first()?)
}

/// The encoding of the signing key that a case names; the provider's own for a case of before, whose id did not say.
fn encoding(scheme: &dyn SignatureScheme, case: &Case) -> Option<KeyEncoding> {
    let encodings = &scheme.info().encodings;
    let found = match case.key() {
        Some(name) => encodings.iter().find(|encoding| encoding.name() == name),
        None => encodings.first(),
    };
    found.copied()
}

/// A key from seeded coins where the provider takes them, else from its own.
fn signing_key(scheme: &dyn SignatureScheme, generator: &mut ChaCha8Rng) -> LibraryResult<Box<dyn SigningKey>> {
    key_with_coins(scheme, generator).map(|(key, _)| key)
}

/// Likewise, with the coins if there are any.
fn key_with_coins(
    scheme: &dyn SignatureScheme,
    generator: &mut ChaCha8Rng,
) -> LibraryResult<(Box<dyn SigningKey>, Vec<u8>)> {
    let mut coins = vec![0; scheme.info().parameters.keygen_coins];
    generator.fill_bytes(&mut coins);
    if scheme.info().coins.keygen {
        Ok((scheme.generate(Coins::Exact(&coins))?, coins))
    } else {
        Ok((scheme.generate(Coins::Internal)?, Vec::new()))
    }
}

/// The bytes of a key in an encoding. A library whose keys forget their seed is given the one that this one was made from.
fn encoded(
    scheme: &dyn SignatureScheme,
    key: &dyn SigningKey,
    encoding: KeyEncoding,
    coins: Vec<u8>,
) -> LibraryResult<Vec<u8>> {
    let length = scheme.info().signing_key(encoding).unwrap_or(0);
    if encoding == KeyEncoding::Seed && coins.len() == length && !scheme.written().contains(&encoding) {
        return Ok(coins);
    }
    let mut bytes = vec![0; length];
    let length = key.encode(encoding, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
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
