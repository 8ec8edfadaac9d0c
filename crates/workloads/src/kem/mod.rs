//! Workload `kem`: key generation, encapsulation, decapsulation, with prepared keys and from encoded bytes.
//!
//! An encoded key generation writes the decapsulation key, an encoded decapsulation loads it: `key=` names its encoding, and there
//! is a case for each one that the provider takes. `coins=exact` gives an operation the bytes that it would draw; `keys=` is how
//! many keys it takes in turn.

#[cfg(test)]
mod tests;
mod trials;

use crate::inputs::generator;
use crate::{CaseOptions, Workload, fault, find, missing};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Coins, DecapsulationKey, Kem, KeyEncoding, Provider};
use pqlab_record::{Case, CoinSource, Facts, Form, Sizes};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
pub(crate) use trials::round_trip;
use trials::{Decapsulate, Encapsulate, EncapsulateEncoded, Keygen, KeygenEncoded};

pub(crate) struct KemWorkload;

impl Workload for KemWorkload {
    fn id(&self) -> &'static str {
        "kem"
    }

    fn describe(&self) -> &'static str {
        "key encapsulation: keygen, encapsulate, decapsulate; by encoding of the key, source of coins, number of keys"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let mut cases = Vec::new();
        for operation in ["keygen", "encapsulate", "decapsulate"] {
            for form in [Form::Prepared, Form::Encoded] {
                for provider in providers {
                    let of = |kem: &Arc<dyn Kem>| kinds(provider, kem.as_ref(), operation, form, options);
                    cases.extend(provider.kems.iter().flat_map(of));
                }
            }
        }
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let kem = Arc::clone(find(providers, &case.provider)?.kem(&case.algorithm).ok_or_else(|| missing(case))?);
        trial(kem, case, &mut generator(case, seed))
    }
}

/// A KEM's key generation, encapsulation or decapsulation, with prepared keys or from encoded bytes as the case says.
pub(crate) fn trial(kem: Arc<dyn Kem>, case: &Case, generator: &mut ChaCha8Rng) -> Result<Box<dyn Trial>, Fault> {
    let encoded = case.form == Some(Form::Encoded);
    let exact = case.coins() == Some(CoinSource::Exact);
    let encoding = || encoding(kem.as_ref(), case);
    Ok(match (case.operation.as_str(), encoded) {
        ("keygen", false) => Box::new(Keygen::new(kem, exact, generator)),
        ("keygen", true) => Box::new(KeygenEncoded::new(encoding()?, kem)),
        ("encapsulate", false) => Box::new(Encapsulate::new(kem, exact, case.keys(), generator).map_err(fault)?),
        ("encapsulate", true) => Box::new(EncapsulateEncoded::new(kem, generator).map_err(fault)?),
        ("decapsulate", _) => {
            let encoding = if encoded { Some(encoding()?) } else { None };
            Box::new(Decapsulate::new(kem, encoding, case.keys(), generator).map_err(fault)?)
        }
        _ => return Err(missing(case)),
    })
}

/// The cases of an operation in a form: one for each encoding of the private key where one is loaded or written, else one for each
/// source of coins and number of keys that is asked for.
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
            let of = |encoding: &KeyEncoding| {
                let mut case = case.clone().with_key(encoding.name());
                case.facts.sizes.secret_key = info.decapsulation_key(*encoding).map(|length| length as u64);
                case
            };
            encodings.iter().map(of).collect()
        }
    };
    cases.into_iter().map(|case| case.in_block(&format!("kem/{operation}"))).collect()
}

fn case(provider: &Provider, kem: &dyn Kem, operation: &str, form: Form) -> Case {
    let info = kem.info();
    let parameters = &info.parameters;
    let own = info.encodings.first().and_then(|&encoding| info.decapsulation_key(encoding));
    let sizes = Sizes {
        public_key: Some(parameters.encapsulation_key as u64),
        secret_key: own.map(|length| length as u64),
        ciphertext: Some(parameters.ciphertext as u64),
        shared_secret: Some(parameters.shared_secret as u64),
        signature: None,
        ..Sizes::default()
    };
    let generator = provider.generator.clone().filter(|_| operation != "decapsulate");
    Case {
        workload: "kem".into(),
        algorithm: parameters.algorithm.to_string(),
        operation: operation.into(),
        provider: provider.id(),
        form: Some(form),
        parameters: Vec::new(),
        block: String::new(),
        facts: Facts { sizes, category: parameters.category, generator, ..Facts::default() },
    }
}

/// The encoding of the decapsulation key that a case names; the provider's own for a case of before, whose id did not say.
fn encoding(kem: &dyn Kem, case: &Case) -> Result<KeyEncoding, Fault> {
    let encodings = &kem.info().encodings;
    let found = match case.key() {
        Some(name) => encodings.iter().find(|encoding| encoding.name() == name),
        None => encodings.first(),
    };
    found.copied().ok_or_else(|| missing(case))
}

/// A key pair from seeded coins where the provider takes them, else from its own; with the coins, if there are any.
fn key_pair(
    kem: &dyn Kem,
    generator: &mut ChaCha8Rng,
) -> pqlab_primitives::Result<(Box<dyn DecapsulationKey>, Vec<u8>)> {
    let mut coins = vec![0; kem.info().parameters.keygen_coins];
    generator.fill_bytes(&mut coins);
    if kem.info().coins.keygen {
        Ok((kem.generate(Coins::Exact(&coins))?, coins))
    } else {
        Ok((kem.generate(Coins::Internal)?, Vec::new()))
    }
}

pub(crate) fn same_secret(sent: &[u8], received: &[u8]) -> Result<(), Fault> {
    if sent == received && sent.iter().any(|&byte| byte != 0) {
        Ok(())
    } else {
        Err(Fault::WrongAnswer("the two sides have different shared secrets".into()))
    }
}
