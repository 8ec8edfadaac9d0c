//! Test vectors for SLH-DSA (FIPS 205).

use super::acvp::{self, Header, field, in_test};
use super::records::{Block, blocks, bytes as hex_bytes, error};
use super::{Hex, ReadError, ReadFault};
use pqlab_primitives::SignatureParameters;
use serde::Deserialize;

/// A key generation vector.
#[derive(Clone, Debug)]
pub struct KeyGeneration {
    /// Number of the test.
    pub id: u32,
    /// The parameter set, such as `SLH-DSA-SHA2-128s`.
    pub set: String,
    /// Randomness `SK.seed || SK.prf || PK.seed`.
    pub coins: Vec<u8>,
    /// The verifying key.
    pub verifying_key: Vec<u8>,
    /// The signing key.
    pub signing_key: Vec<u8>,
}

/// A vector for signing through the internal interface (FIPS 205, algorithm 19).
#[derive(Clone, Debug)]
pub struct Signing {
    /// Line on which the vector begins.
    pub line: usize,
    /// The signing key.
    pub signing_key: Vec<u8>,
    /// Formatted message `M'`.
    pub message: Vec<u8>,
    /// Randomness `addrnd`, `n` bytes; `None` for the deterministic variant.
    pub coins: Option<Vec<u8>>,
    /// The signature.
    pub signature: Vec<u8>,
}

/// A vector for verification through the internal interface (FIPS 205, algorithm 20).
#[derive(Clone, Debug)]
pub struct Verification {
    /// Number of the test.
    pub id: u32,
    /// The parameter set.
    pub set: String,
    /// The verifying key.
    pub verifying_key: Vec<u8>,
    /// Formatted message `M'`.
    pub message: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
    /// Whether the signature must be accepted.
    pub valid: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    parameter_set: String,
    signature_interface: Option<String>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    test_passed: Option<bool>,
    sk_seed: Option<Hex>,
    sk_prf: Option<Hex>,
    pk_seed: Option<Hex>,
    sk: Option<Hex>,
    pk: Option<Hex>,
    message: Option<Hex>,
    signature: Option<Hex>,
}

/// Reads ACVP's `SLH-DSA-keyGen-FIPS205`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn key_generation(file: &str, bytes: &[u8]) -> Result<Vec<KeyGeneration>, ReadError> {
    each(file, bytes, "keyGen", |set, test| {
        let seeds =
            [field(test.sk_seed, "skSeed")?.0, field(test.sk_prf, "skPrf")?.0, field(test.pk_seed, "pkSeed")?.0];
        Ok(KeyGeneration {
            id: test.tc_id,
            set,
            coins: seeds.concat(),
            verifying_key: field(test.pk, "pk")?.0,
            signing_key: field(test.sk, "sk")?.0,
        })
    })
}

/// Reads the first release of ACVP's `SLH-DSA-sigVer-FIPS205`, which covered only the internal interface.
///
/// # Errors
/// [`ReadError`] if the file is malformed, or if its groups name an interface, as in later releases.
pub fn verification(file: &str, bytes: &[u8]) -> Result<Vec<Verification>, ReadError> {
    each(file, bytes, "sigVer", |set, test| {
        Ok(Verification {
            id: test.tc_id,
            set,
            verifying_key: field(test.pk, "pk")?.0,
            message: field(test.message, "message")?.0,
            signature: field(test.signature, "signature")?.0,
            valid: field(test.test_passed, "testPassed")?,
        })
    })
}

/// Reads `sigGen_SLH-DSA-*.txt` from the Bouncy Castle project: the first release of ACVP's signing vectors.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn signing(file: &str, bytes: &[u8]) -> Result<Vec<Signing>, ReadError> {
    let blocks = blocks(file, bytes)?;
    let vectors: Vec<Signing> =
        blocks.iter().map(|entries| signing_vector(&Block { file, entries })).collect::<Result<_, _>>()?;
    let lengths = |vector: &Signing| (vector.signing_key.len(), vector.signature.len());
    match vectors.iter().find(|vector| lengths(vector) != lengths(&vectors[0])) {
        Some(odd) => {
            Err(error(file, odd.line, ReadFault::unexpected("signature", "of a different length from the others")))
        }
        None => Ok(vectors),
    }
}

fn signing_vector(block: &Block) -> Result<Signing, ReadError> {
    let message = block.bytes("message")?;
    let bits = block.number("messageLength")?;
    if bits != 8 * message.len() {
        return Err(error(block.file, block.line(), ReadFault::unexpected("messageLength", bits)));
    }
    let signing_key = block.bytes("sk")?;
    let coins = block.optional("additionalRandomness")?;
    let coins = coins.map(|entry| hex_bytes(block.file, "additionalRandomness", entry)).transpose()?;
    // A signing key consists of four strings of `n` bytes each (FIPS 205, figure 15).
    if let Some(coins) = coins.as_ref().filter(|coins| 4 * coins.len() != signing_key.len()) {
        let (expected, actual) = (signing_key.len() / 4, coins.len());
        let fault = ReadFault::Length { field: "additionalRandomness", expected, actual };
        return Err(error(block.file, block.line(), fault));
    }
    Ok(Signing { line: block.line(), signing_key, message, coins, signature: block.bytes("signature")? })
}

fn each<T>(
    file: &str,
    bytes: &[u8],
    mode: &'static str,
    vector: impl Fn(String, Test) -> Result<T, ReadFault>,
) -> Result<Vec<T>, ReadError> {
    let header = Header { algorithm: "SLH-DSA", mode: Some(mode), revision: "FIPS205" };
    let mut vectors = Vec::new();
    for group in acvp::groups::<Group>(file, bytes, header)? {
        let set = group.parameter_set;
        if !set.starts_with("SLH-DSA-") || SignatureParameters::find(&set).is_none() {
            return Err(ReadError::whole(file, ReadFault::unexpected("parameterSet", set)));
        }
        if let Some(interface) = group.signature_interface {
            return Err(ReadError::whole(file, ReadFault::unexpected("signatureInterface", interface)));
        }
        for test in group.tests {
            let id = test.tc_id;
            vectors.push(vector(set.clone(), test).map_err(in_test(file, id))?);
        }
    }
    super::not_empty(file, vectors)
}
