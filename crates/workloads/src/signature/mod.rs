//! Workload `signature`: key generation, signing and verification, with prepared and with encoded keys.
//!
//! If the standard defines hedged and deterministic signing (FIPS 204, section 3.4; FIPS 205, section 3.4), `sign` is
//! hedged, which is the libraries' default. `sign[deterministic]` uses no random bytes. `prehash=` names the function
//! that hashes the message before its digest is signed. `messages=cctv` signs all messages of a published set in one
//! sample.
//!
//! With encoded keys, key generation writes the signing key, and signing loads it. `key=` names the encoding, and each
//! encoding that the provider supports has a case. `coins=exact` supplies the random bytes that an operation would
//! otherwise generate. `keys=` is the number of keys that an operation rotates through. `verify-x100` verifies a
//! hundred signatures in one operation.

mod batch;
mod check;
mod messages;
mod sizes;
#[cfg(test)]
mod tests;
mod trials;

use crate::inputs::{self, GivenCoins, Supply, bytes, generator};
use crate::{CaseOptions, Variant, Workload, fault, find, missing, remote};
pub(crate) use batch::signer;
pub(crate) use check::Setting;
pub use messages::{MESSAGE_SETS_MISSING, lacks_message_set};
use messages::{MessageSet, SignSet};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{
    Coins, Error, KeyEncoding, Prehash, Provider, Result as LibraryResult, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use pqlab_record::{Case, CoinSource, Facts, Form, Parameter, Sizes};
use rand_chacha::ChaCha8Rng;
use sizes::SignatureSizes;
use std::sync::Arc;
use trials::KeygenEncoded;
pub(crate) use trials::{Keygen, Sign, Signed, Verify};

/// Default message length in bytes: the size of a digest.
pub(crate) const MESSAGE: u64 = 32;

pub(crate) struct SignatureWorkload;

impl Workload for SignatureWorkload {
    fn id(&self) -> &'static str {
        "signature"
    }

    fn describe(&self) -> &'static str {
        "signatures: keygen, sign, verify by message length; batches; deterministic and pre-hashed variants; sizes"
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
        if options.wants(Variant::Plain) && options.usual_manner() {
            cases.extend(batch::cases(providers, options, &lengths));
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
        let provider = find(providers, &case.provider)?;
        if provider.remote.is_none() && batch::is_for(case, provider) {
            return batch::prepare(case, provider, providers, seed);
        }
        let scheme = provider.signature(&case.algorithm).ok_or_else(|| missing(case))?;
        if let Some(remote) = &provider.remote {
            return remote::signature(remote, scheme, case, &mut generator(case, seed));
        }
        if let Some(set) = case.word(MESSAGES) {
            let set = MessageSet::parse(set).ok_or_else(|| missing(case))?;
            return Ok(Box::new(SignSet::new(scheme, set)?));
        }
        trial(scheme, &case.operation, case, Supply::new(case), &mut generator(case, seed))
    }
}

/// Creates the trial for a signature operation, with prepared or encoded keys according to the case.
///
/// # Errors
/// Errors from the library while generating keys and signatures, and [`Fault::Unsupported`] if the scheme does not
/// support the operation.
pub(crate) fn trial(
    scheme: &Arc<dyn SignatureScheme>,
    operation: &str,
    case: &Case,
    supply: Supply,
    generator: &mut ChaCha8Rng,
) -> Result<Box<dyn Trial>, Fault> {
    let (info, parameters) = (scheme.info(), &scheme.info().parameters);
    let encoded = case.form == Some(Form::Encoded);
    let length = case.message_length().unwrap_or(MESSAGE) as usize;
    let mode = Mode::from_case(case).ok_or_else(|| missing(case))?;
    let encoding = || inputs::encoding(case, &info.encodings);
    let given = |length, generator: &mut ChaCha8Rng| {
        (case.coins() == Some(CoinSource::Exact)).then(|| GivenCoins::fresh(length, generator))
    };
    let setting = |generator: &mut ChaCha8Rng| {
        let (other, _) = signing_key(scheme.as_ref(), generator).map_err(fault)?;
        Setting::new(Arc::clone(scheme), mode, other.as_ref()).map_err(fault)
    };
    Ok(match (operation, encoded) {
        ("keygen", false) => {
            let setting = setting(generator)?;
            Box::new(Keygen::new(setting, given(parameters.keygen_coins, generator)))
        }
        ("keygen", true) => Box::new(KeygenEncoded::new(setting(generator)?, encoding()?)),
        ("sign", _) => {
            let encoding = if encoded { Some(encoding()?) } else { None };
            let keys = supply.keys(|| {
                let (key, coins) = signing_key(scheme.as_ref(), generator)?;
                let length = |encoding| info.signing_key(encoding);
                let encode = |encoding, out: &mut [u8]| key.encode(encoding, out);
                let bytes = inputs::encoded(encoding, length, scheme.written(), coins, encode)?;
                Ok::<_, Error>((key, bytes))
            });
            let keys = keys.map_err(fault)?;
            let messages = supply.messages(length, generator);
            let setting = setting(generator)?;
            Box::new(Sign::new(setting, encoding, keys, messages, given(parameters.signing_coins, generator)))
        }
        ("verify", _) => {
            let (keys, signed) = signed(scheme.as_ref(), mode, length, supply, generator).map_err(fault)?;
            Box::new(Verify::new(setting(generator)?, encoded, keys, signed))
        }
        ("signature-size", false) => Box::new(SignatureSizes::new(setting(generator)?, generator).map_err(fault)?),
        _ => return Err(missing(case)),
    })
}

/// Verifying key and its encoded bytes.
type Verifier = (Box<dyn VerifyingKey>, Vec<u8>);

/// Returns verifying keys with their encoded bytes, and messages of `length` bytes signed with these keys in rotation.
fn signed(
    scheme: &dyn SignatureScheme,
    mode: Mode,
    length: usize,
    supply: Supply,
    generator: &mut ChaCha8Rng,
) -> LibraryResult<(Vec<Verifier>, Vec<Signed>)> {
    let parameters = &scheme.info().parameters;
    let sign = |signer: &dyn SigningKey, key: usize, generator: &mut ChaCha8Rng| {
        let message = bytes(generator, length);
        let mut signature = vec![0; parameters.signature];
        let length = mode.sign(signer, &message, mode.coins(), &mut signature)?;
        signature.truncate(length);
        Ok::<_, Error>(Signed { key, message, signature })
    };
    let (mut signers, mut first) = (Vec::new(), Vec::new());
    let keys = supply.keys(|| {
        let (signer, _) = signing_key(scheme, generator)?;
        let key = signer.verifying_key()?;
        let mut encoded = vec![0; parameters.verifying_key];
        let length = key.encode(&mut encoded)?;
        encoded.truncate(length);
        first.push(sign(signer.as_ref(), first.len(), generator)?);
        signers.push(signer);
        Ok::<_, Error>((key, encoded))
    })?;
    let signed = supply.inputs(keys.len(), first, |key| sign(signers[key].as_ref(), key, generator))?;
    Ok((keys, signed))
}

/// Parameter that names a published set of messages.
const MESSAGES: &str = "messages";
/// Flag for deterministic signing.
const DETERMINISTIC: &str = "deterministic";
/// Parameter that names the hash function of the pre-hashed variant.
const PREHASH: &str = "prehash";

/// Mode of signing and verifying.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mode {
    pub(crate) deterministic: bool,
    pub(crate) prehash: Option<Prehash>,
    /// Context string. Empty for schemes that do not support contexts.
    pub(crate) context: &'static [u8],
}

impl Mode {
    /// Returns the mode of a case. `None` if the case names an unknown hash function.
    fn from_case(case: &Case) -> Option<Mode> {
        let prehash = match case.word(PREHASH) {
            Some(name) => Some(Prehash::ALL.into_iter().find(|prehash| prehash.name() == name)?),
            None => None,
        };
        Some(Mode { deterministic: case.flag(DETERMINISTIC), prehash, ..Mode::default() })
    }

    /// Returns whether signing draws random bytes from the library's generator.
    fn draws(self, scheme: &dyn SignatureScheme) -> bool {
        !self.deterministic && scheme.draws_to_sign()
    }

    /// Returns the randomness for a signature if the caller does not supply any.
    pub(crate) fn coins(self) -> Coins<'static> {
        if self.deterministic { Coins::Exact(&[]) } else { Coins::Internal }
    }

    #[inline(always)]
    pub(crate) fn sign(
        self,
        key: &dyn SigningKey,
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> LibraryResult<usize> {
        match self.prehash {
            None => key.sign(self.context, message, coins, out),
            Some(prehash) => key.sign_prehashed(prehash, self.context, message, coins, out),
        }
    }

    /// Signs like [`sign`](Self::sign), but with an encoded key, which each call parses.
    #[inline(always)]
    fn sign_from(
        self,
        scheme: &dyn SignatureScheme,
        encoding: KeyEncoding,
        key: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> LibraryResult<usize> {
        match self.prehash {
            None => scheme.sign_from(encoding, key, self.context, message, coins, out),
            Some(_) => self.sign(scheme.load_signing_key(encoding, key)?.as_ref(), message, coins, out),
        }
    }

    #[inline(always)]
    pub(crate) fn verify(self, key: &dyn VerifyingKey, message: &[u8], signature: &[u8]) -> LibraryResult<()> {
        match self.prehash {
            None => key.verify(self.context, message, signature),
            Some(prehash) => key.verify_prehashed(prehash, self.context, message, signature),
        }
    }

    /// Returns the case parameters: the message length, if there is one, and the settings that differ from the
    /// defaults.
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

/// Returns the requested modes in which the scheme supports an operation.
fn modes(scheme: &dyn SignatureScheme, operation: &str, options: &CaseOptions) -> Vec<Mode> {
    let info = scheme.info();
    let mut modes = Vec::new();
    if options.wants(Variant::Plain) {
        modes.push(Mode::default());
    }
    if options.wants(Variant::Deterministic) && operation == "sign" && info.hedged && info.coins.operation {
        modes.push(Mode { deterministic: true, ..Mode::default() });
    }
    if options.wants(Variant::Prehash) && operation != "keygen" {
        let natural =
            scheme.prehashes().iter().copied().filter(|prehash| natural(*prehash, &info.parameters.algorithm));
        modes.extend(natural.map(|prehash| Mode { prehash: Some(prehash), ..Mode::default() }));
    }
    modes
}

/// Returns whether to measure an algorithm's pre-hashed variant with this hash function. ML-DSA is measured with
/// SHA-512 and SHAKE128, SLH-DSA-SHAKE only with SHAKE256, and every other algorithm with SHA-512.
fn natural(prehash: Prehash, algorithm: &str) -> bool {
    match prehash {
        Prehash::Sha512 => !algorithm.starts_with("SLH-DSA-SHAKE"),
        Prehash::Shake128 => algorithm.starts_with("ML-DSA"),
        Prehash::Shake256 => algorithm.starts_with("SLH-DSA-SHAKE"),
        Prehash::Sha256 => false,
    }
}

/// Creates the case for an operation of a provider's scheme. Comparable cases share a block.
pub(crate) fn case(
    provider: &Provider,
    scheme: &dyn SignatureScheme,
    operation: &str,
    form: Form,
    length: Option<u64>,
    mode: Mode,
) -> Case {
    let info = scheme.info();
    let own = info.encodings.first().and_then(|&encoding| info.signing_key(encoding));
    let length_text = length.map_or_else(String::new, |length| format!("/{length}"));
    // Hash-based signatures have a separate block, because each of their rounds takes seconds and
    // would delay other cases.
    let slow = if info.parameters.algorithm.starts_with("SLH-DSA") { "/SLH-DSA" } else { "" };
    let draws = match operation {
        "keygen" => true,
        "verify" => false,
        _ => mode.draws(scheme),
    };
    Case {
        workload: "signature".into(),
        algorithm: info.parameters.algorithm.to_string(),
        operation: operation.into(),
        provider: provider.id(),
        form: Some(form),
        parameters: mode.parameters(length),
        block: format!("signature/{operation}{length_text}{slow}"),
        facts: Facts { generator: provider.generator.clone().filter(|_| draws), ..facts(&info.parameters, own) },
    }
}

/// Returns the facts for a scheme's cases, given the length of the signing key in bytes.
pub(crate) fn facts(parameters: &SignatureParameters, secret_key: Option<usize>) -> Facts {
    let sizes = Sizes {
        public_key: Some(parameters.verifying_key as u64),
        secret_key: secret_key.map(|length| length as u64),
        signature: Some(parameters.signature as u64),
        ..Sizes::default()
    };
    Facts { sizes, category: parameters.category, ..Facts::default() }
}

/// Expands a default case into the cases to measure. If the operation loads or writes a private key, there is one case
/// per encoding of the key. Otherwise, there is one case for each requested source of randomness and number of keys.
fn kinds(case: Case, scheme: &dyn SignatureScheme, mode: Mode, options: &CaseOptions) -> Vec<Case> {
    let info = scheme.info();
    let block = case.block.clone();
    let cases: Vec<Case> = match (case.form, case.operation.as_str()) {
        (Some(Form::Encoded), _) if !options.usual_manner() => Vec::new(),
        (Some(Form::Encoded), "verify") => vec![case],
        (Some(Form::Encoded), operation) => {
            let encodings = if operation == "keygen" { scheme.written() } else { &info.encodings };
            let with_encoding = |encoding: &KeyEncoding| {
                let mut case = case.clone().with_key(encoding.name());
                case.facts.sizes.secret_key = info.signing_key(*encoding).map(|length| length as u64);
                case
            };
            encodings.iter().map(with_encoding).collect()
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
        // Message sets are signed without randomness.
        ..case(provider, scheme, "sign", Form::Prepared, None, messages::MODE)
    }
}

/// Generates a key from seeded bytes if the library accepts them, otherwise from the library's own randomness. Returns
/// the key and the seeded bytes. The bytes are empty if the library used its own generator.
pub(crate) fn signing_key(
    scheme: &dyn SignatureScheme,
    generator: &mut ChaCha8Rng,
) -> LibraryResult<(Box<dyn SigningKey>, Vec<u8>)> {
    let info = scheme.info();
    inputs::key(info.parameters.keygen_coins, info.coins.keygen, generator, |coins| scheme.generate(coins))
}
