//! Workload `kem`: key generation, encapsulation and decapsulation, with prepared and with encoded keys.
//!
//! With encoded keys, key generation writes the decapsulation key, and decapsulation loads it. `key=` names the
//! encoding, and each encoding that the provider supports has a case. `coins=exact` supplies the random bytes that an
//! operation would otherwise generate. `keys=` is the number of keys that an operation rotates through.

#[cfg(test)]
mod tests;
mod trials;

use crate::inputs::{self, GivenCoins, Supply, generator};
use crate::{CaseOptions, Workload, fault, find, missing, remote};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{DecapsulationKey, Error, Kem, KemParameters, KeyEncoding, Provider, Result as LibraryResult};
use pqlab_record::{Case, CoinSource, Facts, Form, Sizes};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use trials::KeygenEncoded;
pub(crate) use trials::{Decapsulate, Encapsulate, Handshake, Keygen};

pub(crate) struct KemWorkload;

impl Workload for KemWorkload {
    fn id(&self) -> &'static str {
        "kem"
    }

    fn describe(&self) -> &'static str {
        "key encapsulation: keygen, encapsulate, decapsulate; by key encoding, source of randomness, number of keys"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let mut cases = Vec::new();
        for operation in ["keygen", "encapsulate", "decapsulate"] {
            for form in [Form::Prepared, Form::Encoded] {
                for provider in providers {
                    let cases_of = |kem: &Arc<dyn Kem>| kinds(provider, kem.as_ref(), operation, form, options);
                    cases.extend(provider.kems.iter().flat_map(cases_of));
                }
            }
        }
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let provider = find(providers, &case.provider)?;
        let kem = provider.kem(&case.algorithm).ok_or_else(|| missing(case))?;
        if let Some(remote) = &provider.remote {
            return remote::kem(remote, kem, case, &mut generator(case, seed));
        }
        trial(kem, &case.operation, case, Supply::new(case), &mut generator(case, seed))
    }
}

/// Creates the trial for a KEM operation, with prepared or encoded keys according to the case. A handshake encodes the
/// encapsulation key and parses it again, as if the key were sent.
///
/// # Errors
/// Errors from the library while generating keys and ciphertexts, and [`Fault::Unsupported`] if the KEM does not
/// support the operation.
pub(crate) fn trial(
    kem: &Arc<dyn Kem>,
    operation: &str,
    case: &Case,
    supply: Supply,
    generator: &mut ChaCha8Rng,
) -> Result<Box<dyn Trial>, Fault> {
    let (info, kem) = (kem.info(), Arc::clone(kem));
    let parameters = &info.parameters;
    let encoded = case.form == Some(Form::Encoded);
    let encoding = || inputs::encoding(case, &info.encodings);
    let given = |length, generator: &mut ChaCha8Rng| {
        (case.coins() == Some(CoinSource::Exact)).then(|| GivenCoins::fresh(length, generator))
    };
    Ok(match (operation, encoded) {
        ("keygen", false) => Box::new(Keygen::new(kem, given(parameters.keygen_coins, generator))),
        ("keygen", true) => Box::new(KeygenEncoded::new(encoding()?, kem)),
        ("encapsulate", _) => {
            let keys = supply.keys(|| key_pair(kem.as_ref(), generator).map(|(key, _)| key)).map_err(fault)?;
            let coins = given(parameters.encapsulation_coins, generator);
            Box::new(Encapsulate::new(kem, keys, encoded, supply.outputs(), coins).map_err(fault)?)
        }
        ("decapsulate", _) => {
            let encoding = if encoded { Some(encoding()?) } else { None };
            let keys = supply.keys(|| {
                let (key, coins) = key_pair(kem.as_ref(), generator)?;
                let length = |encoding| info.decapsulation_key(encoding);
                let encode = |encoding, out: &mut [u8]| key.encode(encoding, out);
                let bytes = inputs::encoded(encoding, length, kem.written(), coins, encode)?;
                Ok::<_, Error>((key, bytes))
            });
            Box::new(keys.and_then(|keys| Decapsulate::new(kem, encoding, keys, supply)).map_err(fault)?)
        }
        ("handshake", false) => Box::new(Handshake::new(kem, None, true)),
        _ => return Err(missing(case)),
    })
}

/// Returns the cases for an operation with prepared or encoded keys (`form`). If the operation loads or writes a
/// private key, there is one case per encoding of the key. Otherwise, there is one case for each requested source of
/// randomness and number of keys.
fn kinds(provider: &Provider, kem: &dyn Kem, operation: &str, form: Form, options: &CaseOptions) -> Vec<Case> {
    let case = case(provider, kem, operation, form);
    let info = kem.info();
    let cases: Vec<Case> = match (form, operation) {
        (Form::Prepared, _) => {
            let takes_coins = match operation {
                "keygen" => info.coins.keygen,
                "encapsulate" => info.coins.operation,
                _ => false,
            };
            let manners = options.manners(takes_coins, operation != "keygen");
            manners.map(|(coins, keys)| case.clone().with_coins(coins).with_keys(keys)).collect()
        }
        (Form::Encoded, _) if !options.usual_manner() => Vec::new(),
        (Form::Encoded, "encapsulate") => vec![case],
        (Form::Encoded, _) => {
            let encodings = if operation == "keygen" { kem.written() } else { &info.encodings };
            let with_encoding = |encoding: &KeyEncoding| {
                let mut case = case.clone().with_key(encoding.name());
                case.facts.sizes.secret_key = info.decapsulation_key(*encoding).map(|length| length as u64);
                case
            };
            encodings.iter().map(with_encoding).collect()
        }
    };
    cases.into_iter().map(|case| case.in_block(&format!("kem/{operation}"))).collect()
}

/// Returns the case for an operation of a provider's KEM. The caller must set its block.
pub(crate) fn case(provider: &Provider, kem: &dyn Kem, operation: &str, form: Form) -> Case {
    let info = kem.info();
    let own = info.encodings.first().and_then(|&encoding| info.decapsulation_key(encoding));
    let generator = provider.generator.clone().filter(|_| operation != "decapsulate");
    Case {
        workload: "kem".into(),
        algorithm: info.parameters.algorithm.to_string(),
        operation: operation.into(),
        provider: provider.id(),
        form: Some(form),
        parameters: Vec::new(),
        block: String::new(),
        facts: Facts { generator, ..facts(&info.parameters, own) },
    }
}

/// Returns the facts for a KEM's cases, given the length of the decapsulation key in bytes.
pub(crate) fn facts(parameters: &KemParameters, secret_key: Option<usize>) -> Facts {
    let sizes = Sizes {
        public_key: Some(parameters.encapsulation_key as u64),
        secret_key: secret_key.map(|length| length as u64),
        ciphertext: Some(parameters.ciphertext as u64),
        shared_secret: Some(parameters.shared_secret as u64),
        ..Sizes::default()
    };
    Facts { sizes, category: parameters.category, ..Facts::default() }
}

/// Generates a key pair from seeded bytes if the library accepts them, otherwise from the library's own randomness.
/// Returns the key and the seeded bytes. The bytes are empty if the library used its own generator.
pub(crate) fn key_pair(
    kem: &dyn Kem,
    generator: &mut ChaCha8Rng,
) -> LibraryResult<(Box<dyn DecapsulationKey>, Vec<u8>)> {
    let info = kem.info();
    inputs::key(info.parameters.keygen_coins, info.coins.keygen, generator, |coins| kem.generate(coins))
}

/// Checks that both sides have the same secret, and that the secret was written (is not all zeros).
fn same_secret(sent: &[u8], received: &[u8]) -> Result<(), Fault> {
    if sent == received && sent.iter().any(|&byte| byte != 0) {
        Ok(())
    } else {
        Err(Fault::WrongAnswer("the two sides have different shared secrets".into()))
    }
}
