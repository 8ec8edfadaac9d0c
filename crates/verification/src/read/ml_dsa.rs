//! Test vectors for ML-DSA (FIPS 204).

use super::acvp::{self, Header, field, in_test};
use super::{Hex, ReadError, ReadFault};
use pqlab_primitives::MU;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A key generation vector.
#[derive(Clone, Debug)]
pub struct KeyGeneration {
    /// Number of the test.
    pub id: u32,
    /// The parameter set, such as `ML-DSA-44`.
    pub set: String,
    /// Seed `xi`, 32 bytes.
    pub seed: Vec<u8>,
    /// The verifying key.
    pub verifying_key: Vec<u8>,
    /// The signing key, expanded.
    pub signing_key: Vec<u8>,
}

/// Input to sign, and the interface that takes the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The pure external interface (FIPS 204, algorithms 2 and 3).
    Pure {
        /// Context, at most 255 bytes.
        context: Vec<u8>,
        /// The message.
        message: Vec<u8>,
    },
    /// The external interface that hashes the message first (FIPS 204, algorithms 4 and 5).
    PreHash {
        /// ACVP's name for the hash function, such as `SHA2-256`.
        hash: String,
        /// Context, at most 255 bytes.
        context: Vec<u8>,
        /// The message before hashing.
        message: Vec<u8>,
    },
    /// The internal interface (FIPS 204, algorithms 7 and 8), with `M'` as the message.
    Internal {
        /// Formatted message `M'`.
        message: Vec<u8>,
    },
    /// The internal interface with a given message representative `mu`.
    ExternalMu {
        /// The message representative.
        mu: [u8; MU],
    },
}

/// A signing vector, without the expected signature.
#[derive(Clone, Debug)]
pub struct SignPrompt {
    /// Number of the test.
    pub id: u32,
    /// The parameter set.
    pub set: String,
    /// The signing key, expanded.
    pub signing_key: Vec<u8>,
    /// Input to sign.
    pub input: Input,
    /// Randomness `rnd`, 32 bytes; `None` for the deterministic variant.
    pub coins: Option<Vec<u8>>,
}

/// Signing vectors, and the expected signatures keyed by test number.
pub type Signing = (Vec<SignPrompt>, BTreeMap<u32, Vec<u8>>);

/// A verification vector.
#[derive(Clone, Debug)]
pub struct Verification {
    /// Number of the test.
    pub id: u32,
    /// The parameter set.
    pub set: String,
    /// The verifying key.
    pub verifying_key: Vec<u8>,
    /// Signed input.
    pub input: Input,
    /// The signature.
    pub signature: Vec<u8>,
    /// Whether the signature must be accepted.
    pub valid: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    parameter_set: Option<String>,
    signature_interface: Option<String>,
    pre_hash: Option<String>,
    external_mu: Option<bool>,
    deterministic: Option<bool>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    test_passed: Option<bool>,
    seed: Option<Hex>,
    pk: Option<Hex>,
    sk: Option<Hex>,
    message: Option<Hex>,
    mu: Option<Hex>,
    context: Option<Hex>,
    hash_alg: Option<String>,
    rnd: Option<Hex>,
    signature: Option<Hex>,
}

/// Reads ACVP's `ML-DSA-keyGen-FIPS204`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn key_generation(file: &str, bytes: &[u8]) -> Result<Vec<KeyGeneration>, ReadError> {
    each(file, bytes, "keyGen", |group, test| {
        Ok(KeyGeneration {
            id: test.tc_id,
            set: set(group)?,
            seed: field(test.seed, "seed")?.0,
            verifying_key: field(test.pk, "pk")?.0,
            signing_key: field(test.sk, "sk")?.0,
        })
    })
}

/// Reads the prompts in ACVP's `ML-DSA-sigGen-FIPS204`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn sign_prompts(file: &str, bytes: &[u8]) -> Result<Vec<SignPrompt>, ReadError> {
    each(file, bytes, "sigGen", |group, test| {
        let deterministic = field(group.deterministic, "deterministic")?;
        let coins = match (deterministic, &test.rnd) {
            (true, None) => None,
            (false, Some(rnd)) => Some(rnd.0.clone()),
            (true, Some(_)) => return Err(ReadFault::unexpected("rnd", "given for the deterministic variant")),
            (false, None) => return Err(ReadFault::Missing("rnd")),
        };
        Ok(SignPrompt {
            id: test.tc_id,
            set: set(group)?,
            signing_key: field(test.sk.clone(), "sk")?.0,
            input: input(group, test)?,
            coins,
        })
    })
}

/// Reads the expected results in ACVP's `ML-DSA-sigGen-FIPS204`: signatures keyed by test number.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn sign_results(file: &str, bytes: &[u8]) -> Result<BTreeMap<u32, Vec<u8>>, ReadError> {
    let results = each(file, bytes, "sigGen", |_, test| Ok((test.tc_id, field(test.signature, "signature")?.0)))?;
    Ok(results.into_iter().collect())
}

/// Reads the prompts and expected results in ACVP's `ML-DSA-sigGen-FIPS204` from a single file that contains both.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn signing(file: &str, bytes: &[u8]) -> Result<Signing, ReadError> {
    Ok((sign_prompts(file, bytes)?, sign_results(file, bytes)?))
}

/// Reads ACVP's `ML-DSA-sigVer-FIPS204`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn verification(file: &str, bytes: &[u8]) -> Result<Vec<Verification>, ReadError> {
    each(file, bytes, "sigVer", |group, test| {
        Ok(Verification {
            id: test.tc_id,
            set: set(group)?,
            verifying_key: field(test.pk.clone(), "pk")?.0,
            signature: field(test.signature.clone(), "signature")?.0,
            valid: field(test.test_passed, "testPassed")?,
            input: input(group, test)?,
        })
    })
}

fn each<T>(
    file: &str,
    bytes: &[u8],
    mode: &'static str,
    vector: impl Fn(&Group, Test) -> Result<T, ReadFault>,
) -> Result<Vec<T>, ReadError> {
    let header = Header { algorithm: "ML-DSA", mode: Some(mode), revision: "FIPS204" };
    let mut vectors = Vec::new();
    for mut group in acvp::groups::<Group>(file, bytes, header)? {
        for test in std::mem::take(&mut group.tests) {
            let id = test.tc_id;
            vectors.push(vector(&group, test).map_err(in_test(file, id))?);
        }
    }
    super::not_empty(file, vectors)
}

fn set(group: &Group) -> Result<String, ReadFault> {
    let set = field(group.parameter_set.clone(), "parameterSet")?;
    if ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"].contains(&set.as_str()) {
        Ok(set)
    } else {
        Err(ReadFault::unexpected("parameterSet", set))
    }
}

fn input(group: &Group, test: Test) -> Result<Input, ReadFault> {
    let interface = field(group.signature_interface.as_deref(), "signatureInterface")?;
    match (interface, group.pre_hash.as_deref(), group.external_mu) {
        ("external", Some("pure"), _) => {
            Ok(Input::Pure { context: field(test.context, "context")?.0, message: field(test.message, "message")?.0 })
        }
        ("external", Some("preHash"), _) => Ok(Input::PreHash {
            hash: field(test.hash_alg, "hashAlg")?,
            context: field(test.context, "context")?.0,
            message: field(test.message, "message")?.0,
        }),
        ("internal", _, Some(false)) => Ok(Input::Internal { message: field(test.message, "message")?.0 }),
        ("internal", _, Some(true)) => {
            let mu = field(test.mu, "mu")?.0;
            let length = |mu: Vec<u8>| ReadFault::Length { field: "mu", expected: MU, actual: mu.len() };
            Ok(Input::ExternalMu { mu: mu.try_into().map_err(length)? })
        }
        (interface, pre_hash, external_mu) => Err(ReadFault::unexpected(
            "signatureInterface",
            format_args!("{interface}, preHash {pre_hash:?}, externalMu {external_mu:?}"),
        )),
    }
}
