//! Test vectors for Ed25519 (RFC 8032, FIPS 186-5).

use super::acvp::{self, Header, field, in_test};
use super::{Hex, ReadError, ReadFault, json, not_empty};
use serde::Deserialize;

/// A key generation vector.
#[derive(Clone, Debug)]
pub struct KeyGeneration {
    /// Number of the test.
    pub id: u32,
    /// The private key, 32 bytes.
    pub seed: Vec<u8>,
    /// The public key, 32 bytes.
    pub verifying_key: Vec<u8>,
}

/// A vector that checks whether a public key is valid.
#[derive(Clone, Debug)]
pub struct KeyVerification {
    /// Number of the test.
    pub id: u32,
    /// The public key.
    pub verifying_key: Vec<u8>,
    /// Whether the key must be accepted.
    pub valid: bool,
}

/// Variant of the signature algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Ed25519.
    Pure,
    /// Ed25519ctx: with a context string.
    Context,
    /// Ed25519ph: the message is hashed first.
    PreHash,
}

/// A vector for signing or verification.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Number or name of the test.
    pub id: String,
    /// Variant of the algorithm.
    pub variant: Variant,
    /// The private key, 32 bytes.
    pub seed: Vec<u8>,
    /// The public key, 32 bytes.
    pub verifying_key: Vec<u8>,
    /// Context string, empty for Ed25519.
    pub context: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The signature, 64 bytes.
    pub signature: Vec<u8>,
    /// Whether the signature must be accepted.
    pub valid: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    curve: String,
    pre_hash: Option<bool>,
    d: Option<Hex>,
    q: Option<Hex>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    test_passed: Option<bool>,
    d: Option<Hex>,
    q: Option<Hex>,
    message: Option<Hex>,
    context: Option<Hex>,
    signature: Option<Hex>,
}

/// Reads ACVP's `EDDSA-KeyGen-1.0`. Leaves out the Ed448 test groups.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn key_generation(file: &str, bytes: &[u8]) -> Result<Vec<KeyGeneration>, ReadError> {
    each(file, bytes, "keyGen", |_, test| {
        Ok(KeyGeneration { id: test.tc_id, seed: field(test.d, "d")?.0, verifying_key: field(test.q, "q")?.0 })
    })
}

/// Reads ACVP's `EDDSA-KeyVer-1.0`. Leaves out the Ed448 test groups.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn key_verification(file: &str, bytes: &[u8]) -> Result<Vec<KeyVerification>, ReadError> {
    each(file, bytes, "keyVer", |_, test| {
        let valid = field(test.test_passed, "testPassed")?;
        Ok(KeyVerification { id: test.tc_id, verifying_key: field(test.q, "q")?.0, valid })
    })
}

/// Reads ACVP's `EDDSA-SigGen-1.0`. Leaves out the Ed448 test groups.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn signing(file: &str, bytes: &[u8]) -> Result<Vec<Signature>, ReadError> {
    each(file, bytes, "sigGen", |group, test| {
        let keys = (field(group.d.clone(), "d")?.0, field(group.q.clone(), "q")?.0);
        signature(group, test, keys, true)
    })
}

/// Reads ACVP's `EDDSA-SigVer-1.0`. Leaves out the Ed448 test groups.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn verification(file: &str, bytes: &[u8]) -> Result<Vec<Signature>, ReadError> {
    each(file, bytes, "sigVer", |group, mut test| {
        let keys = (field(test.d.take(), "d")?.0, field(test.q.take(), "q")?.0);
        let valid = field(test.test_passed, "testPassed")?;
        signature(group, test, keys, valid)
    })
}

/// Reads the vectors from RFC 8032, section 7.1.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn rfc8032(file: &str, bytes: &[u8]) -> Result<Vec<Signature>, ReadError> {
    rfc(file, bytes, Variant::Pure)
}

/// Reads the vectors from RFC 8032, section 7.2.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn rfc8032_context(file: &str, bytes: &[u8]) -> Result<Vec<Signature>, ReadError> {
    rfc(file, bytes, Variant::Context)
}

/// Reads the vectors from RFC 8032, section 7.3.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn rfc8032_pre_hash(file: &str, bytes: &[u8]) -> Result<Vec<Signature>, ReadError> {
    rfc(file, bytes, Variant::PreHash)
}

fn rfc(file: &str, bytes: &[u8], variant: Variant) -> Result<Vec<Signature>, ReadError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Vector {
        name: String,
        secret_key: Hex,
        public_key: Hex,
        context: Option<Hex>,
        message: Hex,
        signature: Hex,
    }
    let vectors: Vec<Vector> = json(file, bytes)?;
    let vectors = vectors.into_iter().map(|vector| Signature {
        id: vector.name,
        variant,
        seed: vector.secret_key.0,
        verifying_key: vector.public_key.0,
        context: vector.context.map_or_else(Vec::new, |context| context.0),
        message: vector.message.0,
        signature: vector.signature.0,
        valid: true,
    });
    not_empty(file, vectors.collect())
}

fn signature(
    group: &Group,
    test: Test,
    (seed, verifying_key): (Vec<u8>, Vec<u8>),
    valid: bool,
) -> Result<Signature, ReadFault> {
    let context = test.context.map_or_else(Vec::new, |context| context.0);
    let variant = match (field(group.pre_hash, "preHash")?, context.is_empty()) {
        (true, _) => Variant::PreHash,
        (false, false) => Variant::Context,
        (false, true) => Variant::Pure,
    };
    Ok(Signature {
        id: test.tc_id.to_string(),
        variant,
        seed,
        verifying_key,
        context,
        message: field(test.message, "message")?.0,
        signature: field(test.signature, "signature")?.0,
        valid,
    })
}

fn each<T>(
    file: &str,
    bytes: &[u8],
    mode: &'static str,
    vector: impl Fn(&Group, Test) -> Result<T, ReadFault>,
) -> Result<Vec<T>, ReadError> {
    let header = Header { algorithm: "EDDSA", mode: Some(mode), revision: "1.0" };
    let mut vectors = Vec::new();
    for mut group in acvp::groups::<Group>(file, bytes, header)? {
        match group.curve.as_str() {
            "ED-25519" => {}
            "ED-448" => continue,
            other => return Err(ReadError::whole(file, ReadFault::unexpected("curve", other))),
        }
        for test in std::mem::take(&mut group.tests) {
            let id = test.tc_id;
            vectors.push(vector(&group, test).map_err(in_test(file, id))?);
        }
    }
    not_empty(file, vectors)
}
