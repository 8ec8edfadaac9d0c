//! Test vectors for SHA-3 and SHAKE (FIPS 202).

use super::acvp::{self, Header, field, in_test};
use super::records::{Block, Entry, blocks, bytes as hex_bytes, error, number};
use super::{Hex, ReadError, ReadFault, not_empty};
use serde::Deserialize;

/// A message and its digest. Lengths in bits need not be multiples of 8.
#[derive(Clone, Debug)]
pub struct Message {
    /// Number of the test, or line on which the vector begins.
    pub id: usize,
    /// Length of the message in bits.
    pub bits: usize,
    /// Bytes of the message. The last byte may contain unused bits.
    pub message: Vec<u8>,
    /// Length of the digest in bits.
    pub digest_bits: usize,
    /// The digest.
    pub digest: Vec<u8>,
}

/// A chain of digests, each computed from the previous one.
#[derive(Clone, Debug)]
pub struct MonteCarlo {
    /// First message of the chain.
    pub seed: Vec<u8>,
    /// Every thousandth digest in the chain.
    pub results: Vec<Vec<u8>>,
    /// For SHAKE, the shortest and the longest output in bits; `None` for SHA-3.
    pub output_bits: Option<(usize, usize)>,
}

/// An ACVP vector.
#[derive(Clone, Debug)]
pub enum Test {
    /// A test of one message (`AFT`).
    Message(Message),
    /// A Monte Carlo test (`MCT`): the number of the test, and its chain.
    MonteCarlo(usize, MonteCarlo),
    /// A large-data test (`LDT`), which repeats a short text: the number of the test, and the length of the message in
    /// bytes.
    Large(usize, u64),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    test_type: String,
    mct_version: Option<String>,
    tests: Vec<GroupTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GroupTest {
    tc_id: u32,
    msg: Option<Hex>,
    len: usize,
    md: Option<Hex>,
    out_len: Option<usize>,
    large_msg: Option<LargeMessage>,
    results_array: Option<Vec<Step>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LargeMessage {
    full_length: u64,
}

#[derive(Deserialize)]
struct Step {
    md: Hex,
}

/// Reads ACVP's file for a SHA-3 function (`SHA3-224`, ...) or a SHAKE function (`SHAKE128`, `SHAKE256`).
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn acvp(file: &str, bytes: &[u8]) -> Result<Vec<Test>, ReadError> {
    let headers = [
        ("SHA3-224", "SHA3-224", "2.0"),
        ("SHA3-256", "SHA3-256", "2.0"),
        ("SHA3-384", "SHA3-384", "2.0"),
        ("SHA3-512", "SHA3-512", "2.0"),
        ("SHAKE-128", "SHAKE-128", "FIPS202"),
        ("SHAKE-256", "SHAKE-256", "FIPS202"),
    ];
    let header = headers.iter().find(|(named, ..)| file.contains(named));
    let &(_, algorithm, revision) =
        header.ok_or_else(|| ReadError::whole(file, ReadFault::unexpected("algorithm", file)))?;
    let groups = acvp::groups::<Group>(file, bytes, Header { algorithm, mode: None, revision })?;
    let mut tests = Vec::new();
    for group in groups {
        for test in group.tests {
            let (id, kind) = (test.tc_id, (group.test_type.as_str(), group.mct_version.as_deref()));
            tests.push(test.read(kind).map_err(in_test(file, id))?);
        }
    }
    not_empty(file, tests)
}

/// Reads CAVP's `SHA3_*ShortMsg.rsp` and `SHA3_*LongMsg.rsp`, and the corresponding files for SHAKE.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn cavp_short(file: &str, bytes: &[u8]) -> Result<Vec<Message>, ReadError> {
    cavp_messages(file, bytes, 1)
}

/// Reads CAVP's SHA-2 files `SHA*ShortMsg.rsp` and `SHA*LongMsg.rsp`, which give the digest length in bytes.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn cavp_sha2(file: &str, bytes: &[u8]) -> Result<Vec<Message>, ReadError> {
    cavp_messages(file, bytes, 8)
}

/// Reads CAVP's `SHAKE*VariableOut.rsp`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn cavp_variable(file: &str, bytes: &[u8]) -> Result<Vec<Message>, ReadError> {
    let mut messages = Vec::new();
    for entries in blocks(file, bytes)? {
        let block = Block { file, entries: &entries };
        let at = |fault| error(file, block.line(), fault);
        let (message, output) = (block.bytes("Msg")?, block.bytes("Output")?);
        let bits = 8 * message.len();
        messages.push(checked(block.line(), bits, message, block.number("Outputlen")?, output).map_err(at)?);
    }
    not_empty(file, messages)
}

/// Reads messages. The file gives digest lengths in units of `unit` bits.
fn cavp_messages(file: &str, bytes: &[u8], unit: usize) -> Result<Vec<Message>, ReadError> {
    let mut digest_bits = None;
    let mut messages = Vec::new();
    for entries in blocks(file, bytes)? {
        if let Some(length) = section(file, &entries, &["L", "Outputlen"])? {
            digest_bits = length.checked_mul(unit);
            continue;
        }
        let block = Block { file, entries: &entries };
        let at = |fault| error(file, block.line(), fault);
        let (bits, message) = (block.number("Len")?, block.bytes("Msg")?);
        let digest = either(&block, "MD", "Output")?.ok_or_else(|| at(ReadFault::Missing("MD")))?;
        let digest = hex_bytes(file, "MD", digest)?;
        let digest_bits = digest_bits.ok_or_else(|| at(ReadFault::Missing("L")))?;
        messages.push(checked(block.line(), bits, message, digest_bits, digest).map_err(at)?);
    }
    not_empty(file, messages)
}

/// Reads CAVP's `SHA3_*Monte.rsp` and `SHAKE*Monte.rsp`.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn cavp_monte(file: &str, bytes: &[u8]) -> Result<MonteCarlo, ReadError> {
    cavp_chain(file, bytes, 1)
}

/// Reads CAVP's SHA-2 files `SHA*Monte.rsp`, which give the digest length in bytes.
///
/// # Errors
/// [`ReadError`] if the file is malformed.
pub fn cavp_sha2_monte(file: &str, bytes: &[u8]) -> Result<MonteCarlo, ReadError> {
    cavp_chain(file, bytes, 8)
}

fn cavp_chain(file: &str, bytes: &[u8], unit: usize) -> Result<MonteCarlo, ReadError> {
    let (mut digest, mut shortest, mut longest, mut seed) = (None, None, None, None);
    let mut results = Vec::new();
    for entries in blocks(file, bytes)? {
        let block = Block { file, entries: &entries };
        if let Some(length) = section(file, &entries, &["L"])? {
            digest = length.checked_mul(unit);
        } else if let Some(bits) = section(file, &entries, &["Minimum Output Length (bits)"])? {
            shortest = Some(bits);
        } else if let Some(bits) = section(file, &entries, &["Maximum Output Length (bits)"])? {
            longest = Some(bits);
        } else if let Some(first) = either(&block, "Seed", "Msg")? {
            seed = Some(hex_bytes(file, "Seed", first)?);
        } else {
            results.push(monte_result(&block, results.len(), digest)?);
        }
    }
    let seed = seed.ok_or_else(|| ReadError::whole(file, ReadFault::Missing("Seed")))?;
    let output_bits = shortest.zip(longest);
    if output_bits.is_some_and(|(shortest, longest)| shortest > longest || longest > 1 << 20) {
        return Err(ReadError::whole(file, ReadFault::unexpected("Maximum Output Length (bits)", "out of range")));
    }
    Ok(MonteCarlo { seed, results: not_empty(file, results)?, output_bits })
}

fn monte_result(block: &Block, count: usize, digest_bits: Option<usize>) -> Result<Vec<u8>, ReadError> {
    let at = |fault| error(block.file, block.line(), fault);
    if block.number("COUNT")? != count {
        return Err(at(ReadFault::unexpected("COUNT", "out of order")));
    }
    let entry = either(block, "MD", "Output")?.ok_or_else(|| at(ReadFault::Missing("MD")))?;
    let result = hex_bytes(block.file, "MD", entry)?;
    let bits = match digest_bits {
        Some(bits) => bits,
        None => block.number("Outputlen")?,
    };
    if bits != 8 * result.len() {
        return Err(at(ReadFault::Length { field: "MD", expected: bits.div_ceil(8), actual: result.len() }));
    }
    Ok(result)
}

/// Returns the entry for a field that has one name in SHA-3 files and another in SHAKE files.
fn either<'a>(block: &Block<'a>, sha3: &'static str, shake: &'static str) -> Result<Option<&'a Entry>, ReadError> {
    Ok(match block.optional(sha3)? {
        Some(entry) => Some(entry),
        None => block.optional(shake)?,
    })
}

impl GroupTest {
    fn read(self, (kind, version): (&str, Option<&str>)) -> Result<Test, ReadFault> {
        let id = self.tc_id as usize;
        match (kind, version) {
            ("AFT", _) => {
                let (message, digest) = (field(self.msg, "msg")?.0, field(self.md, "md")?.0);
                let digest_bits = self.out_len.unwrap_or(8 * digest.len());
                checked(id, self.len, message, digest_bits, digest).map(Test::Message)
            }
            ("MCT", Some("standard")) => {
                let results = field(self.results_array, "resultsArray")?.into_iter().map(|step| step.md.0);
                let seed = field(self.msg, "msg")?.0;
                Ok(Test::MonteCarlo(id, MonteCarlo { seed, results: results.collect(), output_bits: None }))
            }
            ("LDT", _) => Ok(Test::Large(id, field(self.large_msg, "largeMsg")?.full_length / 8)),
            (kind, version) => Err(ReadFault::unexpected("testType", format_args!("{kind}, mctVersion {version:?}"))),
        }
    }
}

/// Checks the lengths and returns the vector. Drops the single byte that represents an empty message in files.
fn checked(
    id: usize,
    bits: usize,
    mut message: Vec<u8>,
    digest_bits: usize,
    digest: Vec<u8>,
) -> Result<Message, ReadFault> {
    let length = bits.div_ceil(8);
    if message.len() < length || message.len() > length.max(1) {
        return Err(ReadFault::Length { field: "msg", expected: length, actual: message.len() });
    }
    message.truncate(length);
    if digest.len() != digest_bits.div_ceil(8) {
        return Err(ReadFault::Length { field: "md", expected: digest_bits.div_ceil(8), actual: digest.len() });
    }
    Ok(Message { id, bits, message, digest_bits, digest })
}

/// Returns the number in a block that consists of a single section with one of these names. Returns `None` for any
/// other block.
fn section(file: &str, entries: &[Entry], names: &[&'static str]) -> Result<Option<usize>, ReadError> {
    let [entry] = entries else { return Ok(None) };
    let name = names.iter().find(|name| entry.section && entry.field == **name);
    name.map(|name| number(file, name, entry)).transpose()
}
