//! Workload `hash`: hash functions and XOFs by message length, for one message or several messages at a time. Also
//! measures XOFs as streams and, for comparison, HMAC, HKDF and AES-GCM.

mod digest;
mod lanes;
mod streaming;
mod symmetric;
#[cfg(test)]
mod tests;

use crate::inputs::{POOL, bytes, generator};
use crate::{CaseOptions, NULL, Workload, fault, find, missing, remote};
use digest::{Digest, Function};
use lanes::Lanes;
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Provider, Xof};
use pqlab_record::{Case, Facts, Parameter};
use std::sync::Arc;
use streaming::{Absorb, Squeeze};
use symmetric::{Cipher, Derive, KEYING_MATERIAL, Tag};

/// Default message lengths in bytes.
const LENGTHS: [u64; 5] = [64, 256, 1024, 4096, 16384];
/// Default output length of an XOF in bytes. A case's id contains the output length only if it differs from the
/// default.
const XOF_OUTPUT: u64 = 32;
/// Default number of bytes that one operation absorbs or squeezes.
const STREAM: u64 = 16384;
/// Length in bytes of an authenticated or encrypted message.
const RECORD: usize = 1024;
/// Maximum size of a message pool in bytes, so that the pool fits into the second-level cache.
const POOL_BYTES: usize = 256 << 10;

const OUTPUT: &str = "out";

pub(crate) struct HashWorkload;

impl Workload for HashWorkload {
    fn id(&self) -> &'static str {
        "hash"
    }

    fn describe(&self) -> &'static str {
        "hash functions and XOFs by message length, several messages at once, streams; also HMAC, HKDF and AES-GCM"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let lengths = options.lengths.as_deref().unwrap_or(&LENGTHS);
        let outputs = options.output_lengths.as_deref().unwrap_or(&[XOF_OUTPUT]);
        let mut cases = Vec::new();
        for &length in lengths {
            for provider in providers {
                cases.extend(digests(provider, length, outputs));
                cases.extend(lane_digests(provider, length, outputs));
            }
        }
        for &length in options.lengths.as_deref().unwrap_or(&[STREAM]) {
            cases.extend(
                streams(providers, |xof| xof.absorber().is_ok())
                    .map(|(provider, algorithm)| absorb_case(provider, algorithm, length)),
            );
        }
        for &length in options.output_lengths.as_deref().unwrap_or(&[STREAM]) {
            cases.extend(
                streams(providers, |xof| xof.absorb(&[]).is_ok())
                    .map(|(provider, algorithm)| squeeze_case(provider, algorithm, length)),
            );
        }
        for provider in providers {
            cases.extend(symmetric(provider));
        }
        cases
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let provider = find(providers, &case.provider)?;
        let mut generator = generator(case, seed);
        let length = case.message_length().unwrap_or(RECORD as u64) as usize;
        let output = case.number(OUTPUT).unwrap_or(XOF_OUTPUT) as usize;
        let mut input = |length| bytes(&mut generator, length);
        let (key, nonce) = (input(32), input(12));
        let algorithm = case.algorithm.as_str();
        let unknown = || missing(case);
        if let Some(lanes) = lanes_of(&case.operation) {
            let function = provider.lane_hash(algorithm, lanes).ok_or_else(unknown)?;
            let reference = reference(providers, provider, algorithm).ok_or_else(unknown)?;
            let sets = (POOL_BYTES / (lanes * length).max(1)).clamp(2, 4);
            let sets = (0..sets).map(|_| (0..lanes).map(|_| input(length)).collect()).collect();
            return Ok(Box::new(Lanes::new(Arc::clone(function), sets, output, &reference).map_err(fault)?));
        }
        let count = (POOL_BYTES / length.max(1)).clamp(2, POOL);
        let messages: Vec<Vec<u8>> = (0..count).map(|_| input(length)).collect();
        Ok(match case.operation.as_str() {
            "digest" => {
                let function = Function::find(provider, algorithm).ok_or_else(unknown)?;
                let reference = reference(providers, provider, algorithm).ok_or_else(unknown)?;
                if let Some(remote) = &provider.remote {
                    let digest = |message: &Vec<u8>| reference.digest(message, function.output(output));
                    let expected: Result<_, _> = messages.iter().map(digest).collect();
                    return remote::digest(remote, case, messages, expected.map_err(fault)?);
                }
                Box::new(Digest::new(function, messages, output, &reference).map_err(fault)?)
            }
            "absorb" => {
                let xof = provider.xof(algorithm).ok_or_else(unknown)?;
                Box::new(Absorb::new(Arc::clone(xof), messages).map_err(fault)?)
            }
            "squeeze" => {
                let xof = provider.xof(algorithm).ok_or_else(unknown)?;
                Box::new(Squeeze::new(Arc::clone(xof), key, output).map_err(fault)?)
            }
            "tag" => {
                let mac = provider.mac(algorithm).ok_or_else(unknown)?;
                let prepared = mac.load_key(&key).map_err(fault)?;
                Box::new(Tag::new(prepared, mac.tag_len(), messages).map_err(fault)?)
            }
            "derive" => {
                let kdf = provider.kdf(algorithm).ok_or_else(unknown)?;
                Box::new(Derive::new(Arc::clone(kdf), messages).map_err(fault)?)
            }
            "seal" | "open" => {
                let aead = provider.aead(algorithm).ok_or_else(unknown)?;
                let prepared = aead.load_key(&key).map_err(fault)?;
                let seal = case.operation == "seal";
                Box::new(Cipher::new(prepared, aead.tag_len(), nonce, messages, seal).map_err(fault)?)
            }
            _ => return Err(unknown()),
        })
    }
}

/// Returns the digest cases for single messages. Leaves out the null provider's XOF, because the null provider's hash
/// has the same name.
fn digests<'a>(provider: &'a Provider, length: u64, outputs: &'a [u64]) -> impl Iterator<Item = Case> + 'a {
    let hashes = provider.hashes.iter().map(|hash| hash.info().algorithm.as_ref());
    let xofs = xofs(provider).filter(|algorithm| *algorithm != NULL);
    let with_output = xofs.flat_map(move |algorithm| outputs.iter().map(move |&output| (algorithm, Some(output))));
    let all = hashes.map(|algorithm| (algorithm, None)).chain(with_output);
    all.map(move |(algorithm, output)| digest_case(provider, algorithm, "digest".to_owned(), length, output, 1))
}

fn lane_digests<'a>(provider: &'a Provider, length: u64, outputs: &'a [u64]) -> impl Iterator<Item = Case> + 'a {
    provider.lane_hashes.iter().flat_map(move |function| {
        let (algorithm, lanes) = (function.algorithm(), function.lanes());
        let extendable = algorithm != NULL && is_xof(algorithm);
        let outputs: Vec<Option<u64>> =
            if extendable { outputs.iter().copied().map(Some).collect() } else { vec![None] };
        let operation = format!("digest-x{lanes}");
        outputs
            .into_iter()
            .map(move |output| digest_case(provider, algorithm, operation.clone(), length, output, lanes as u64))
    })
}

/// Returns whether the algorithm is an XOF, for which the standard allows any output length.
fn is_xof(algorithm: &str) -> bool {
    pqlab_primitives::XofParameters::find(algorithm).is_some()
}

fn xofs(provider: &Provider) -> impl Iterator<Item = &str> {
    provider.xofs.iter().map(|xof| xof.info().algorithm.as_ref())
}

/// Returns the names of the XOFs that satisfy `can`, each with its provider.
fn streams(
    providers: &[Arc<Provider>],
    can: impl Fn(&dyn Xof) -> bool + Copy,
) -> impl Iterator<Item = (&Provider, &str)> {
    providers.iter().flat_map(move |provider| {
        let able = provider.xofs.iter().filter(move |xof| can(xof.as_ref()));
        able.map(move |xof| (provider.as_ref(), xof.info().algorithm.as_ref()))
    })
}

/// Returns the number of lanes in an operation such as `digest-x4`.
fn lanes_of(operation: &str) -> Option<usize> {
    operation.strip_prefix("digest-x")?.parse().ok()
}

/// Creates a digest case. Digests of one message and of several messages share a block, so that they can be compared.
fn digest_case(
    provider: &Provider,
    algorithm: &str,
    operation: String,
    length: u64,
    output: Option<u64>,
    lanes: u64,
) -> Case {
    let mut case = plain_case(provider, algorithm, &operation, length);
    let unusual = output.filter(|output| *output != XOF_OUTPUT);
    case.parameters.extend(unusual.map(|output| Parameter::Number(OUTPUT.into(), output)));
    case.block = format!("hash/digest/{length}");
    case.facts.bytes = Some(length * lanes);
    case
}

fn absorb_case(provider: &Provider, algorithm: &str, length: u64) -> Case {
    Case {
        block: format!("hash/absorb/{length}"),
        facts: Facts { bytes: Some(length), ..Facts::default() },
        ..plain_case(provider, algorithm, "absorb", length)
    }
}

fn squeeze_case(provider: &Provider, algorithm: &str, output: u64) -> Case {
    Case {
        block: format!("hash/squeeze/{output}"),
        facts: Facts { bytes: Some(output), ..Facts::default() },
        parameters: vec![Parameter::Number(OUTPUT.into(), output)],
        ..plain_case(provider, algorithm, "squeeze", 0)
    }
}

fn symmetric(provider: &Provider) -> impl Iterator<Item = Case> {
    let macs = provider.macs.iter().map(|mac| (mac.algorithm(), "tag", RECORD));
    let kdfs = provider.kdfs.iter().map(|kdf| (kdf.algorithm(), "derive", KEYING_MATERIAL));
    let aeads =
        provider.aeads.iter().flat_map(|aead| [(aead.algorithm(), "seal", RECORD), (aead.algorithm(), "open", RECORD)]);
    macs.chain(kdfs).chain(aeads).map(|(algorithm, operation, length)| Case {
        block: "hash/symmetric".into(),
        facts: Facts { bytes: (operation != "derive").then_some(length as u64), ..Facts::default() },
        ..plain_case(provider, algorithm, operation, length as u64)
    })
}

fn plain_case(provider: &Provider, algorithm: &str, operation: &str, length: u64) -> Case {
    Case {
        workload: "hash".into(),
        algorithm: algorithm.to_owned(),
        operation: operation.into(),
        provider: provider.id(),
        form: None,
        parameters: vec![Parameter::Number("len".into(), length)],
        block: String::new(),
        facts: Facts::default(),
    }
}

/// Returns the function that computes the expected digests. This is another library's function if available, otherwise
/// this provider's single-message function. The null provider is checked only against itself.
fn reference(providers: &[Arc<Provider>], provider: &Provider, algorithm: &str) -> Option<Function> {
    let independent = providers
        .iter()
        .filter(|other| other.library != provider.library && other.library != NULL && provider.library != NULL);
    let mut found = independent.filter_map(|other| Function::find(other, algorithm));
    found.next().or_else(|| Function::find(provider, algorithm)).or_else(|| {
        let library = providers.iter().filter(|other| other.library == provider.library);
        library.into_iter().find_map(|other| Function::find(other, algorithm))
    })
}

fn same(actual: &[u8], expected: &[u8], what: &str) -> Result<(), Fault> {
    if actual == expected { Ok(()) } else { Err(Fault::WrongAnswer(format!("equal inputs give different {what}s"))) }
}
