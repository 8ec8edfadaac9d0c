//! Test vectors for ML-KEM (FIPS 203).

use super::acvp::{self, Header, field, in_test};
use super::records::{Block, Entry, blocks, error};
use super::{Hex, ReadError, ReadFault};
use pqlab_primitives::{KemParameters, KeyEncoding};
use serde::Deserialize;

const SETS: [&str; 3] = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"];

/// A key generation vector.
#[derive(Clone, Debug)]
pub struct KeyGeneration {
    /// Number of the test.
    pub id: u32,
    /// The parameter set, such as `ML-KEM-512`.
    pub set: String,
    /// Seed `d || z`, 64 bytes.
    pub seed: Vec<u8>,
    /// The encapsulation key.
    pub encapsulation_key: Vec<u8>,
    /// The decapsulation key, expanded.
    pub decapsulation_key: Vec<u8>,
}

/// A vector for encapsulation, decapsulation, or the key check before either operation.
#[derive(Clone, Debug)]
pub struct EncapDecap {
    /// Number of the test.
    pub id: u32,
    /// The parameter set.
    pub set: String,
    /// Operation under test.
    pub function: Function,
}

/// Operation under test in an [`EncapDecap`] vector.
#[derive(Clone, Debug)]
pub enum Function {
    /// FIPS 203, algorithm 17.
    Encapsulation {
        /// The encapsulation key.
        key: Vec<u8>,
        /// Randomness `m`, 32 bytes.
        coins: Vec<u8>,
        /// The ciphertext.
        ciphertext: Vec<u8>,
        /// The shared secret.
        secret: Vec<u8>,
    },
    /// FIPS 203, algorithm 18. Some ciphertexts are modified, so that decapsulation gives the implicit-rejection
    /// secret.
    Decapsulation {
        /// The decapsulation key, expanded.
        key: Vec<u8>,
        /// The ciphertext.
        ciphertext: Vec<u8>,
        /// The shared secret.
        secret: Vec<u8>,
    },
    /// FIPS 203, section 7.2: checks that all coefficients are below `q`.
    EncapsulationKeyCheck {
        /// The encapsulation key.
        key: Vec<u8>,
        /// Whether the key must be accepted.
        valid: bool,
    },
    /// FIPS 203, section 7.3: checks the hash inside the key.
    DecapsulationKeyCheck {
        /// The decapsulation key, expanded.
        key: Vec<u8>,
        /// Whether the key must be accepted.
        valid: bool,
    },
}

/// One key generation, encapsulation and decapsulation. Does not include the intermediate values in the file.
#[derive(Clone, Debug)]
pub struct Intermediate {
    /// Randomness `m`, 32 bytes.
    pub coins: Vec<u8>,
    /// The encapsulation key.
    pub encapsulation_key: Vec<u8>,
    /// The decapsulation key, expanded.
    pub decapsulation_key: Vec<u8>,
    /// The ciphertext.
    pub ciphertext: Vec<u8>,
    /// The shared secret.
    pub secret: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    parameter_set: String,
    function: Option<String>,
    /// Decapsulation key for all tests of a group, in older releases.
    dk: Option<Hex>,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    test_passed: Option<bool>,
    d: Option<Hex>,
    z: Option<Hex>,
    ek: Option<Hex>,
    dk: Option<Hex>,
    m: Option<Hex>,
    c: Option<Hex>,
    k: Option<Hex>,
}

/// Reads ACVP's `ML-KEM-keyGen-FIPS203`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn key_generation(file: &str, bytes: &[u8]) -> Result<Vec<KeyGeneration>, ReadError> {
    let mut vectors = Vec::new();
    for group in groups(file, bytes, "keyGen")? {
        for test in group.tests {
            let id = test.tc_id;
            let vector = test.key_generation(&group.parameter_set).map_err(in_test(file, id))?;
            vectors.push(vector);
        }
    }
    super::not_empty(file, vectors)
}

/// Reads ACVP's `ML-KEM-encapDecap-FIPS203`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn encap_decap(file: &str, bytes: &[u8]) -> Result<Vec<EncapDecap>, ReadError> {
    let mut vectors = Vec::new();
    for group in groups(file, bytes, "encapDecap")? {
        let named = group.function.as_deref().unwrap_or_default();
        for mut test in group.tests {
            let id = test.tc_id;
            test.dk = test.dk.or_else(|| group.dk.clone());
            let function = test.function(named).map_err(in_test(file, id))?;
            vectors.push(EncapDecap { id, set: group.parameter_set.clone(), function });
        }
    }
    super::not_empty(file, vectors)
}

/// Reads a file in CCTV's `ML-KEM/intermediate`, which contains one vector.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn intermediate(file: &str, bytes: &[u8]) -> Result<Intermediate, ReadError> {
    let entries: Vec<Entry> = blocks(file, bytes)?.into_iter().flatten().collect();
    let block = Block { file, entries: &entries };
    let last = |field: &'static str| {
        // Split at the last `=`, because lines such as `dkPKE = NTT(s) = ...` name a value twice.
        let entry = block.entry(field)?;
        let digits = entry.value.rsplit('=').next().unwrap_or_default().trim();
        hex::decode(digits).map_err(|_| error(file, entry.line, ReadFault::unexpected(field, "not hexadecimal")))
    };
    let vector = Intermediate {
        coins: last("m")?,
        encapsulation_key: last("ek")?,
        decapsulation_key: last("dk")?,
        ciphertext: last("c")?,
        secret: last("K")?,
    };
    // Read the last value in the file, so that a truncated file is rejected.
    let rejection_secret = last("KBar")?;
    vector.check_lengths(&rejection_secret).map_err(|fault| ReadError::whole(file, fault))?;
    Ok(vector)
}

impl Intermediate {
    /// Checks all lengths. The length of the decapsulation key determines the parameter set, which the file does not
    /// name.
    fn check_lengths(&self, rejection_secret: &[u8]) -> Result<(), ReadFault> {
        let dk = self.decapsulation_key.len();
        let fits = |set: &KemParameters| set.decapsulation_key(KeyEncoding::Expanded) == Some(dk);
        let parameters = SETS.into_iter().find_map(|set| KemParameters::find(set).filter(fits));
        let parameters = parameters.ok_or_else(|| ReadFault::unexpected("dk", format_args!("{dk} bytes long")))?;
        for (field, expected, actual) in [
            ("m", parameters.encapsulation_coins, self.coins.len()),
            ("ek", parameters.encapsulation_key, self.encapsulation_key.len()),
            ("c", parameters.ciphertext, self.ciphertext.len()),
            ("K", parameters.shared_secret, self.secret.len()),
            ("KBar", parameters.shared_secret, rejection_secret.len()),
        ] {
            if expected != actual {
                return Err(ReadFault::Length { field, expected, actual });
            }
        }
        Ok(())
    }
}

fn groups(file: &str, bytes: &[u8], mode: &'static str) -> Result<Vec<Group>, ReadError> {
    let header = Header { algorithm: "ML-KEM", mode: Some(mode), revision: "FIPS203" };
    let groups: Vec<Group> = acvp::groups(file, bytes, header)?;
    for group in &groups {
        if !SETS.contains(&group.parameter_set.as_str()) {
            return Err(ReadError::whole(file, ReadFault::unexpected("parameterSet", &group.parameter_set)));
        }
    }
    Ok(groups)
}

impl Test {
    fn key_generation(self, set: &str) -> Result<KeyGeneration, ReadFault> {
        Ok(KeyGeneration {
            id: self.tc_id,
            set: set.to_owned(),
            seed: [field(self.d, "d")?.0, field(self.z, "z")?.0].concat(),
            encapsulation_key: field(self.ek, "ek")?.0,
            decapsulation_key: field(self.dk, "dk")?.0,
        })
    }

    fn function(self, named: &str) -> Result<Function, ReadFault> {
        Ok(match named {
            "encapsulation" => Function::Encapsulation {
                key: field(self.ek, "ek")?.0,
                coins: field(self.m, "m")?.0,
                ciphertext: field(self.c, "c")?.0,
                secret: field(self.k, "k")?.0,
            },
            "decapsulation" => Function::Decapsulation {
                key: field(self.dk, "dk")?.0,
                ciphertext: field(self.c, "c")?.0,
                secret: field(self.k, "k")?.0,
            },
            "encapsulationKeyCheck" => Function::EncapsulationKeyCheck {
                key: field(self.ek, "ek")?.0,
                valid: field(self.test_passed, "testPassed")?,
            },
            "decapsulationKeyCheck" => Function::DecapsulationKeyCheck {
                key: field(self.dk, "dk")?.0,
                valid: field(self.test_passed, "testPassed")?,
            },
            other => return Err(ReadFault::unexpected("function", other)),
        })
    }
}
