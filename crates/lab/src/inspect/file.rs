//! Inspects a file with keys, certificates or tokens: PEM with any number of blocks, DER, JWK, JWS, and COSE keys and
//! tokens. Describes each part, checks it with every library that offers its algorithm, and reports parts that it
//! cannot read.

use super::{Check, InspectRequest};
use crate::running::errand::{Task, lost, read_answer};
use crate::{LabError, Laboratory, Thing, matches};
use pqlab_constructions::certificate::{Certificate, CertificateError, Schemes};
use pqlab_constructions::keys::{
    DecodeError, Identifier, PemBlock, PrivateKey, PrivateKeyForm, PublicKey, algorithm_name, label_meaning,
};
use pqlab_constructions::token::cose::Sign1;
use pqlab_constructions::token::jws::{Jws, key_id_text};
use pqlab_constructions::token::{AkpKey, Algorithm};
use pqlab_harness::ending;
use pqlab_harness::errand::{Manner, Next};
use pqlab_primitives::{Error, Hash, Provider};
use pqlab_workloads::{NULL, Registry, constructed, hybrids};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

/// First characters of a PEM block.
const PEM: &str = "-----BEGIN ";

/// CBOR tags of COSE_Sign1 (RFC 9052, section 2) and of a CWT (RFC 8392, section 6).
const SIGN1: u8 = 0xd2;
const CWT: [u8; 2] = [0xd8, 61];

/// Maximum length of a file in bytes.
const LONGEST_FILE: u64 = 64 << 20;

/// Contents of a file with keys, certificates or tokens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileInspection {
    /// Path of the file.
    pub file: String,
    /// Parts of the file, in order.
    pub blocks: Vec<FileBlock>,
}

/// Part of a file, such as a PEM block, with the results of its checks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileBlock {
    /// Encoding of the part and its position in the file, such as `PEM block 2 of 3 (CERTIFICATE)`, `DER` or `JWK`.
    pub place: String,
    /// Kind of the part: `certificate`, `private key`, `public key` or `token`. `None` if the part cannot be read.
    pub kind: Option<String>,
    /// Algorithm of the key, or of the token's signature; `None` if the part cannot be read.
    pub algorithm: Option<String>,
    /// Fields of the part, in order.
    pub facts: Vec<Fact>,
    /// Checks and their results.
    pub checks: Vec<Check>,
    /// Reason why the part cannot be read; `None` if it can.
    pub refused: Option<String>,
}

/// Field of a part, such as the issuer of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Name of the field.
    pub name: String,
    /// Value of the field, as text.
    pub value: String,
}

impl FileBlock {
    /// Returns a part that cannot be read.
    fn refused(place: &str, reason: String) -> FileBlock {
        FileBlock {
            place: place.to_owned(),
            kind: None,
            algorithm: None,
            facts: Vec::new(),
            checks: Vec::new(),
            refused: Some(reason),
        }
    }
}

impl FileInspection {
    /// Returns whether every part was read and no check failed.
    pub fn sound(&self) -> bool {
        let sound =
            |block: &FileBlock| block.refused.is_none() && block.checks.iter().all(|check| check.passed != Some(false));
        self.blocks.iter().all(sound)
    }
}

impl Laboratory {
    /// Inspects files with keys, certificates or tokens. Checks their signatures with the keys and certificates from
    /// all files. `providers` are patterns for the libraries that perform the checks; an empty list selects all. If
    /// libraries are loaded, the checks run in a separate process.
    ///
    /// # Errors
    /// - [`LabError::File`] if the only file cannot be read or contains nothing that pqlab can read. If there are
    ///   several files, the inspection of the affected file contains the reason instead.
    /// - [`LabError::Unknown`] if no library matches an entry of `providers`.
    /// - [`LabError::Library`] if a library ended the separate process.
    /// - [`LabError::Worker`] if the separate process could not be started.
    pub fn inspect_files(&self, paths: &[PathBuf], providers: &[String]) -> Result<Vec<FileInspection>, LabError> {
        let read = |path: &PathBuf| {
            let length = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
            if length > LONGEST_FILE {
                return Err(format!(
                    "too long ({length} bytes): files with keys, certificates or tokens may have at most {LONGEST_FILE}"
                ));
            }
            std::fs::read(path).map_err(|error| error.to_string())
        };
        let files = paths.iter().map(|path| (path.clone(), read(path))).collect();
        let task = InspectFilesTask { files, providers: providers.to_vec() };
        let loaded: Vec<&str> = self.libraries().map(|library| library.label.as_str()).collect();
        if loaded.is_empty() {
            return task.inspect(self.registry()).map_err(LabError::from);
        }
        let mut errand = self.start(&task, &Manner::default())?;
        let never = AtomicBool::new(false);
        while let Next::Said(message) = errand.next(&never).map_err(lost)? {
            if let Some(answer) = read_answer::<InspectFilesTask>(&message) {
                return answer.map_err(LabError::from);
            }
        }
        let status = ending(errand.end().map_err(lost)?.status);
        Err(LabError::library(&loaded.join(", "), format!("the process that loaded the libraries ended: {status}")))
    }
}

/// Task: inspects files.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct InspectFilesTask {
    /// Path of each file, and its contents or the reason why they cannot be read.
    files: Vec<(PathBuf, Result<Vec<u8>, String>)>,
    providers: Vec<String>,
}

/// Reason why files cannot be inspected.
#[derive(Serialize, Deserialize)]
pub(crate) enum Refusal {
    /// Path of a file, and the reason why the file cannot be read.
    File(PathBuf, String),
    /// A pattern that matches no library, and the ids of the libraries.
    Provider(String, Vec<String>),
}

impl From<Refusal> for LabError {
    fn from(refusal: Refusal) -> LabError {
        match refusal {
            Refusal::File(path, reason) => LabError::File { path, reason },
            Refusal::Provider(pattern, ids) => {
                LabError::unknown(Thing::Provider, &pattern, ids.iter().map(String::as_str))
            }
        }
    }
}

impl Task for InspectFilesTask {
    const NAME: &'static str = "inspect-files";
    /// The inspections in the order of the files, or the reason why there are none.
    type Answer = Result<Vec<FileInspection>, Refusal>;

    fn carry_out(self, registry: &Registry, say: &(dyn Fn(Self::Answer) + Sync)) -> io::Result<()> {
        say(self.inspect(registry));
        Ok(())
    }
}

impl InspectFilesTask {
    fn inspect(&self, registry: &Registry) -> Result<Vec<FileInspection>, Refusal> {
        let named = |pattern: &String, provider: &Provider| {
            matches(pattern, &provider.id()) || matches(pattern, &provider.library)
        };
        // A pattern with `+` requests pairs of providers for hybrids.
        let pairs = self.providers.iter().any(|pattern| pattern.contains('+'));
        let hybrids = hybrids().filter(|name| Identifier::named(name).is_some());
        let all: Vec<Arc<Provider>> = registry
            .providers()
            .iter()
            .cloned()
            .chain(hybrids.flat_map(|name| constructed(registry.providers(), name, pairs)))
            .filter(|provider| provider.library != NULL)
            .collect();
        let unknown = |pattern: &&String| !all.iter().any(|provider| named(pattern, provider));
        if let Some(pattern) = self.providers.iter().find(unknown) {
            return Err(Refusal::Provider(pattern.clone(), all.iter().map(|provider| provider.id()).collect()));
        }
        let chosen = |provider: &Arc<Provider>| {
            self.providers.is_empty() || self.providers.iter().any(|pattern| named(pattern, provider))
        };
        let libraries = Libraries {
            chosen: all.into_iter().filter(chosen).collect(),
            sha256: registry.providers().iter().find_map(|provider| provider.hash("SHA-256").cloned()),
        };
        let files: Vec<Result<Vec<RawPart>, String>> =
            self.files.iter().map(|(_, bytes)| bytes.as_deref().map_err(String::clone).and_then(split)).collect();
        let mut known = Known::default();
        for ((path, _), parts) in self.files.iter().zip(&files) {
            parts.iter().flatten().for_each(|part| known.add(&path.display().to_string(), part));
        }
        known.derive(&libraries.chosen);
        // If there are several files, one that cannot be read does not hide the others.
        let alone = self.files.len() == 1;
        let inspect = |((path, _), parts): (&(PathBuf, _), &Result<Vec<RawPart>, String>)| {
            let blocks: Vec<FileBlock> = match parts {
                Ok(parts) => parts.iter().map(|part| libraries.examine(part, &known)).collect(),
                Err(reason) => vec![FileBlock::refused("file", reason.clone())],
            };
            match &blocks[..] {
                [FileBlock { refused: Some(reason), .. }] if alone => Err(Refusal::File(path.clone(), reason.clone())),
                _ => Ok(FileInspection { file: path.display().to_string(), blocks }),
            }
        };
        self.files.iter().zip(&files).map(inspect).collect()
    }
}

/// Certificates and public keys from all files, used to verify the signatures in these files.
#[derive(Default)]
struct Known {
    certificates: Vec<Certificate>,
    /// Certificates that cannot be read: the subject of each, and its place (file and PEM block).
    unreadable: Vec<(String, String)>,
    /// Public keys outside certificates: name of the algorithm, and encoded key.
    keys: Vec<(&'static str, Vec<u8>)>,
    /// Private keys without a public key.
    private: Vec<PrivateKey>,
}

impl Known {
    /// Computes the public keys that belong to `private`, and adds them to `keys`. For each key, tries the libraries in
    /// order until one can compute it.
    fn derive(&mut self, providers: &[Arc<Provider>]) {
        for key in std::mem::take(&mut self.private) {
            let algorithm = key.identifier().algorithm;
            let mut public = providers.iter().filter_map(|provider| {
                let scheme = provider.signature(algorithm)?;
                let mut bytes = vec![0; scheme.info().parameters.verifying_key];
                let length = key.signing_key(scheme.as_ref()).ok()?.verifying_key().ok()?.encode(&mut bytes).ok()?;
                bytes.truncate(length);
                Some(bytes)
            });
            self.keys.extend(public.next().map(|public| (algorithm, public)));
        }
    }

    fn add(&mut self, file: &str, part: &RawPart) {
        let Ok(bytes) = &part.bytes else { return };
        let may_be = |label: &str| part.label.as_deref().is_none_or(|found| found == label);
        match part.encoding {
            Encoding::Jwk | Encoding::Cbor => {
                let key = match std::str::from_utf8(bytes) {
                    Ok(text) if part.encoding == Encoding::Jwk => AkpKey::from_jwk(text),
                    _ => AkpKey::from_cose_key(bytes),
                };
                self.keys.extend(key.ok().map(|key| (key.algorithm().primitive, key.public().to_vec())));
            }
            Encoding::Der => {
                if may_be("PUBLIC KEY")
                    && let Ok(key) = PublicKey::from_der(bytes)
                {
                    self.keys.push((key.identifier().algorithm, key.as_bytes().to_vec()));
                }
                let reader = match &part.label {
                    Some(label) => private_reader(label),
                    None => match shape(bytes) {
                        Shape::PrivateKey(read) => Some(read),
                        _ => None,
                    },
                };
                if let Some(Ok(key)) = reader.map(|read| read(bytes)) {
                    match key.public_key() {
                        Some(public) => self.keys.push((key.identifier().algorithm, public.to_vec())),
                        None => self.private.push(key),
                    }
                }
                if may_be("CERTIFICATE") {
                    match Certificate::from_der(bytes) {
                        Ok(certificate) => self.certificates.push(certificate),
                        Err(_) => self.unreadable.extend(Certificate::subject(bytes).map(|subject| {
                            let place = part.place.split(" (").next().unwrap_or_default();
                            (subject, format!("{file}, {place}"))
                        })),
                    }
                }
            }
            Encoding::Jws => {}
        }
    }

    /// Returns the public keys of an algorithm, including those in certificates.
    fn keys(&self, algorithm: &str) -> Vec<&[u8]> {
        let bare = self.keys.iter().map(|(name, key)| (*name, key.as_slice()));
        let subjects = self.certificates.iter().map(Certificate::subject_key);
        let subjects = subjects.map(|key| (key.identifier().algorithm, key.as_bytes()));
        bare.chain(subjects).filter(|(name, _)| *name == algorithm).map(|(_, key)| key).collect()
    }

    /// Explains why the certificate of `issuer` is missing: no file contains it, or pqlab cannot read it.
    fn missing(&self, issuer: &str, algorithm: &str) -> String {
        if let Some((_, place)) = self.unreadable.iter().find(|(subject, _)| subject == issuer) {
            return format!("the issuer's certificate ({place}) cannot be read");
        }
        let bare = self.keys.iter().any(|(name, _)| *name == algorithm);
        let hint = if bare { "; a public key is not enough" } else { "" };
        format!("no file contains the issuer's certificate{hint}")
    }
}

/// Encoding of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Der,
    Jwk,
    Jws,
    Cbor,
}

/// Part of a file before it is parsed.
struct RawPart {
    place: String,
    encoding: Encoding,
    /// PEM label, such as `CERTIFICATE`; `None` for other encodings.
    label: Option<String>,
    /// Contents, or the reason why they cannot be decoded.
    bytes: Result<Vec<u8>, String>,
}

fn raw(place: &str, encoding: Encoding, bytes: &[u8]) -> RawPart {
    RawPart { place: place.to_owned(), encoding, label: None, bytes: Ok(bytes.to_vec()) }
}

/// Splits a file into its parts.
fn split(bytes: &[u8]) -> Result<Vec<RawPart>, String> {
    match bytes.first() {
        None => return Err("the file is empty".to_owned()),
        // A SEQUENCE begins with 0x30, which is also the digit 0, but text contains no control characters.
        Some(0x30) if bytes.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()) => {
            return Ok(vec![raw("DER", Encoding::Der, bytes)]);
        }
        Some(&SIGN1) => return Ok(vec![raw("COSE_Sign1", Encoding::Cbor, bytes)]),
        Some(0xd8) if bytes.starts_with(&[CWT[0], CWT[1], SIGN1]) => {
            return Ok(vec![raw("CWT in a COSE_Sign1", Encoding::Cbor, bytes)]);
        }
        Some(0xa0..=0xbf) => return Ok(vec![raw("COSE_Key", Encoding::Cbor, bytes)]),
        Some(_) => {}
    }
    // Some programs pad PEM with NULs.
    let is_pem = bytes.windows(PEM.len()).any(|window| window == PEM.as_bytes());
    let padding = if is_pem { bytes.iter().rev().take_while(|byte| **byte == 0).count() } else { 0 };
    let text = crate::samples::encoding::decode(&bytes[..bytes.len() - padding]).map_err(|_| name_binary(bytes))?;
    let trimmed = text.trim();
    if trimmed.starts_with('{') || trimmed.starts_with('[') {
        return json_parts(trimmed);
    }
    if text.contains(PEM) {
        let blocks = PemBlock::all(&text);
        let count = blocks.len();
        let part = |(index, block): (usize, PemBlock)| {
            let place = match count {
                _ if block.label.is_empty() => format!("PEM block {} of {count}", index + 1),
                1 => format!("PEM ({})", block.label),
                _ => format!("PEM block {} of {count} ({})", index + 1, block.label),
            };
            let bytes = block.der.map(|der| der.to_vec()).map_err(|error| error.to_string());
            RawPart { place, encoding: Encoding::Der, label: Some(block.label), bytes }
        };
        return Ok(blocks.into_iter().enumerate().map(part).collect());
    }
    let url = |letter: char| letter.is_ascii_alphanumeric() || "-_.=".contains(letter);
    if trimmed.chars().all(url) && trimmed.matches('.').count() == 2 {
        return Ok(vec![raw("JWS", Encoding::Jws, trimmed.as_bytes())]);
    }
    if trimmed.chars().all(url) && trimmed.matches('.').count() == 4 {
        return Err("a JWE (encrypted token), which is not supported".to_owned());
    }
    if ["ssh-", "ecdsa-sha2-", "sk-ssh-"].iter().any(|start| trimmed.starts_with(start)) {
        return Err("an SSH key; convert it with `ssh-keygen -e -m PKCS8 -f FILE`, which cannot convert Ed25519".into());
    }
    if trimmed.starts_with("PuTTY-User-Key-File-") {
        return Err("a PuTTY key; convert it to OpenSSH's format with `puttygen FILE -O private-openssh`".to_owned());
    }
    if trimmed.starts_with("untrusted comment:") {
        return Err("a key or signature of minisign or signify, which is not supported".to_owned());
    }
    if ["age-encryption.org/", "AGE-SECRET-KEY-", "age1", "# created: "].iter().any(|start| trimmed.starts_with(start))
    {
        return Err("a key or file of age, which is not supported".to_owned());
    }
    if trimmed.starts_with("---- BEGIN SSH2 ") {
        return Err("an SSH key (RFC 4716); convert it to OpenSSH's format with `ssh-keygen -i -f FILE`".to_owned());
    }
    let base64 = |letter: char| letter.is_ascii_alphanumeric() || "+/=\n ".contains(letter);
    if trimmed.starts_with("MI") && trimmed.chars().all(base64) {
        return Err("base64 without PEM's -----BEGIN and -----END lines; add them, or decode it to DER".to_owned());
    }
    Err("not PEM, DER, JWK, JWS or COSE".to_owned())
}

/// Names the format of a file that is neither text nor supported.
fn name_binary(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xed, 0xfe, 0xed, ..] | [0xce, 0xce, 0xce, 0xce, ..] => {
            "a Java keystore; export a certificate with `keytool -exportcert -rfc`".to_owned()
        }
        // Packets with a key, a certificate or a signature, of version 3 to 6 (RFC 9580, section 4.2).
        [0x88 | 0x94 | 0x98 | 0xc2 | 0xc5 | 0xc6, _, 3..=6, ..]
        | [0x89 | 0x95 | 0x99 | 0xc2 | 0xc5 | 0xc6, _, _, 3..=6, ..] => "OpenPGP, which is not supported".to_owned(),
        // Tags of RFC 9052, section 2.
        [0xd0, ..] => "COSE_Encrypt0, an encrypted message, which is not supported".to_owned(),
        [0xd1, ..] => "COSE_Mac0, a message with a symmetric tag, which is not supported".to_owned(),
        [0xd8, 96, ..] => "COSE_Encrypt, an encrypted message, which is not supported".to_owned(),
        [0xd8, 97, ..] => "COSE_Mac, a message with a symmetric tag, which is not supported".to_owned(),
        [0xd8, 98, ..] => "COSE_Sign, with several signatures, which is not supported; use COSE_Sign1".to_owned(),
        [0xd8, 61, ..] => "a CWT that is not a COSE_Sign1, which is not supported".to_owned(),
        // Arrays and tags (RFC 8949, section 3.1).
        [0x80..=0x9f | 0xc0..=0xdb, ..] => {
            "CBOR that is neither COSE_Sign1 nor COSE_Key, which is not supported; COSE_Sign1 needs tag 18".to_owned()
        }
        _ => format!(
            "{} bytes that are not PEM, DER, JWK, JWS or COSE; raw keys are not supported, because they do not name \
             their algorithm",
            bytes.len()
        ),
    }
}

/// Splits JSON into parts: a single JWK, or the keys of a JWK set. Rejects other JSON documents.
fn json_parts(text: &str) -> Result<Vec<RawPart>, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    if let Some(Value::Array(keys)) = document.get("keys") {
        let count = keys.len();
        if count == 0 {
            return Err("a JWK set without keys".to_owned());
        }
        let part = |(index, key): (usize, &Value)| {
            raw(&format!("JWK {} of {count}", index + 1), Encoding::Jwk, key.to_string().as_bytes())
        };
        return Ok(keys.iter().enumerate().map(part).collect());
    }
    if document.get("kty").is_some() {
        return Ok(vec![raw("JWK", Encoding::Jwk, text.as_bytes())]);
    }
    if document.get("payload").is_some() {
        return Err("a JWS in JSON serialisation, which is not supported; use the compact serialisation".to_owned());
    }
    Err("JSON without \"kty\", so it is not a JWK".to_owned())
}

/// Lists `names`, the header parameters of a token that pqlab does not interpret. Returns `None` if there are none.
fn others(names: &[String]) -> Option<Fact> {
    (!names.is_empty()).then(|| fact("other header parameters, not interpreted", names.join(", ")))
}

fn fact(name: &str, value: impl ToString) -> Fact {
    Fact { name: name.to_owned(), value: value.to_string() }
}

/// Contents of a part, and the results of its checks.
struct Read {
    kind: &'static str,
    algorithm: Option<String>,
    facts: Vec<Fact>,
    checks: Vec<Check>,
}

/// Libraries that check the parts of a file.
struct Libraries {
    chosen: Vec<Arc<Provider>>,
    sha256: Option<Arc<dyn Hash>>,
}

impl Libraries {
    fn examine(&self, part: &RawPart, known: &Known) -> FileBlock {
        let label = part.label.as_deref();
        let is_read = label.is_some_and(|label| label == PARAMETERS || private_reader(label).is_some());
        let refused = label.filter(|_| !is_read).and_then(|label| Some((label, label_meaning(label)?)));
        let read = match (&part.bytes, refused) {
            (_, Some((label, meaning))) => Err(format!("{label}: {meaning}")),
            (Err(reason), None) => Err(reason.clone()),
            (Ok(bytes), None) => match (part.encoding, label) {
                (Encoding::Der, Some("CERTIFICATE")) => self.certificate(bytes, known),
                (Encoding::Der, Some("PUBLIC KEY")) => self.public_key(bytes),
                (Encoding::Der, Some(PARAMETERS)) => Ok(parameters()),
                (Encoding::Der, Some(label)) => match private_reader(label) {
                    Some(read) => self.private_key(read(bytes)),
                    None => Err(format!("unknown label {label:?}")),
                },
                (Encoding::Der, None) => self.der(bytes, known),
                (Encoding::Jwk, _) => self.jwk(bytes),
                (Encoding::Jws, _) => self.jws(bytes, known),
                (Encoding::Cbor, _) if matches!(bytes.first(), Some(&(SIGN1 | 0xd8))) => self.sign1(bytes, known),
                (Encoding::Cbor, _) => self.cose_key(bytes),
            },
        };
        match read {
            Ok(Read { kind, algorithm, facts, checks }) => FileBlock {
                place: part.place.clone(),
                kind: Some(kind.to_owned()),
                algorithm,
                facts,
                checks,
                refused: None,
            },
            Err(reason) => FileBlock::refused(&part.place, reason),
        }
    }

    /// Reads DER that has no PEM label, and identifies its content from its structure.
    fn der(&self, der: &[u8], known: &Known) -> Result<Read, String> {
        match shape(der) {
            Shape::PrivateKey(read) => self.private_key(read(der)),
            Shape::PublicKey => self.public_key(der),
            Shape::Certificate => self.certificate(der, known),
            Shape::Other(reason) => Err(reason.to_owned()),
        }
    }

    fn certificate(&self, der: &[u8], known: &Known) -> Result<Read, String> {
        let certificate = Certificate::from_der(der).map_err(|error| error.to_string())?;
        let tbs = certificate.parsed().tbs_certificate();
        let key = certificate.subject_key();
        let [begin, end] = [tbs.validity().not_before, tbs.validity().not_after];
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let remarks = remark_validity(begin.to_unix_duration(), end.to_unix_duration(), now);
        let signature = certificate.parsed().signature_algorithm().oid.to_string();
        let mut facts = vec![
            fact("subject", tbs.subject()),
            fact("issuer", tbs.issuer()),
            fact("serial number", tbs.serial_number()),
            fact("valid from", format!("{begin}{}", remarks[0])),
            fact("valid until", format!("{end}{}", remarks[1])),
            fact("signature", algorithm_name(&signature).unwrap_or(&signature)),
        ];
        facts.extend(self.key_facts(key));
        if let Some(key) = certificate.alternative_key() {
            facts.push(fact("alternative key", key.identifier().algorithm));
        }
        let mut checks = self.loads(key);
        let is_issuer = |other: &&Certificate| other.parsed().tbs_certificate().subject() == tbs.issuer();
        let issuers: Vec<&Certificate> = known.certificates.iter().filter(is_issuer).collect();
        let own = tbs.issuer() == tbs.subject();
        let name = if own { "signature by its own key" } else { "signature by the issuer" };
        let algorithm = certificate.signature_algorithm().algorithm;
        let mut verified = Vec::new();
        for provider in self.chosen.iter().filter(|_| !issuers.is_empty()) {
            let Some(scheme) = provider.signature(algorithm) else { continue };
            let schemes = Schemes::new(self.schemes(scheme));
            // Several certificates may have the issuer's name, for example after a renewal.
            let verify = || first_success(&issuers, |issuer| Ok(certificate.verify(issuer, &schemes).map(drop)?));
            verified.push(checked(&format!("{name}, verified by {}", provider.id()), verify));
        }
        if verified.is_empty() {
            let detail = match issuers.is_empty() {
                true => known.missing(&tbs.issuer().to_string(), algorithm),
                false => format!("no chosen library offers {algorithm}"),
            };
            verified.push(Check { name: name.to_owned(), passed: None, detail: Some(detail) });
        }
        checks.extend(verified);
        Ok(Read { kind: "certificate", algorithm: Some(key.identifier().algorithm.to_owned()), facts, checks })
    }

    /// Returns the schemes that may verify a certificate, starting with `first`. The other schemes are for an
    /// alternative signature.
    fn schemes(
        &self,
        first: &Arc<dyn pqlab_primitives::SignatureScheme>,
    ) -> Vec<Arc<dyn pqlab_primitives::SignatureScheme>> {
        let all = self.chosen.iter().flat_map(|provider| provider.signatures.iter().cloned());
        [Arc::clone(first)].into_iter().chain(all).collect()
    }

    fn public_key(&self, der: &[u8]) -> Result<Read, String> {
        let key = PublicKey::from_der(der).map_err(|error| error.to_string())?;
        let algorithm = Some(key.identifier().algorithm.to_owned());
        Ok(Read { kind: "public key", algorithm, facts: self.key_facts(&key), checks: self.loads(&key) })
    }

    fn key_facts(&self, key: &PublicKey) -> Vec<Fact> {
        let mut facts = vec![
            fact("key", format!("{}, {} bytes", key.identifier().algorithm, key.as_bytes().len())),
            fact("object identifier", key.identifier().oid),
        ];
        if let Some(Ok(fingerprint)) = self.sha256.as_ref().map(|sha256| key.fingerprint(sha256.as_ref())) {
            facts.push(fact("SHA-256 of the key", hex::encode(fingerprint)));
        }
        facts
    }

    fn private_key(&self, key: Result<PrivateKey, DecodeError>) -> Result<Read, String> {
        let key = key.map_err(|error| error.to_string())?;
        let algorithm = key.identifier().algorithm;
        let form = match key.form() {
            PrivateKeyForm::Seed if algorithm.starts_with("ML-") => "seed",
            PrivateKeyForm::Seed => "the only form of this algorithm",
            PrivateKeyForm::Expanded => "expanded key",
            PrivateKeyForm::Both => "seed and expanded key",
        };
        let mut facts =
            vec![fact("key", algorithm), fact("object identifier", key.identifier().oid), fact("form", form)];
        if let Some(public) = key.public_key() {
            facts.push(fact("included public key", format!("{} bytes", public.len())));
        }
        if key.has_attributes() {
            facts.push(fact("attributes", "present, not interpreted"));
        }
        let mut checks = Vec::new();
        for provider in &self.chosen {
            let name = || match (key.form(), key.public_key()) {
                (PrivateKeyForm::Both, _) => format!("seed and expanded key match, according to {}", provider.id()),
                (_, Some(_)) => format!("private and public key match, according to {}", provider.id()),
                (_, None) => format!("accepted by {}", provider.id()),
            };
            if let Some(scheme) = provider.signature(algorithm) {
                checks.push(checked(&name(), || Ok(key.signing_key(scheme.as_ref()).map(drop)?)));
            }
            if let Some(kem) = provider.kem(algorithm) {
                checks.push(checked(&name(), || Ok(key.decapsulation_key(kem.as_ref()).map(drop)?)));
            }
        }
        Ok(Read { kind: "private key", algorithm: Some(algorithm.to_owned()), facts, checks: some(checks, algorithm) })
    }

    /// Checks that every chosen library that offers the key's algorithm accepts the public key.
    fn loads(&self, key: &PublicKey) -> Vec<Check> {
        let algorithm = key.identifier().algorithm;
        let mut checks = Vec::new();
        for provider in &self.chosen {
            let name = format!("public key accepted by {}", provider.id());
            if let Some(scheme) = provider.signature(algorithm) {
                checks.push(checked(&name, || Ok(scheme.load_verifying_key(key.as_bytes()).map(drop)?)));
            }
            if let Some(kem) = provider.kem(algorithm) {
                checks.push(checked(&name, || Ok(kem.load_encapsulation_key(key.as_bytes()).map(drop)?)));
            }
        }
        some(checks, algorithm)
    }

    fn jwk(&self, bytes: &[u8]) -> Result<Read, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let members: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        let member = |name: &str| members.get(name).and_then(Value::as_str);
        match member("kty") {
            Some("AKP") => {}
            Some(kty) => {
                let detail = [member("crv"), member("alg")].into_iter().flatten().collect::<Vec<_>>().join(", ");
                let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
                return Err(format!("a JWK of type {kty}{detail}; supported: AKP, for ML-DSA (RFC 9964)"));
            }
            None => return Err("JSON whose \"kty\" is not a string, so it is not a JWK".to_owned()),
        }
        let key = AkpKey::from_jwk(text).map_err(|error| match member("alg") {
            Some(alg) => format!("{error} (alg {alg:?})"),
            None => error.to_string(),
        })?;
        let thumbprint = self.sha256.as_ref().and_then(|sha256| key.jwk_thumbprint(sha256.as_ref()).ok());
        Ok(self.akp(&key, thumbprint))
    }

    fn cose_key(&self, bytes: &[u8]) -> Result<Read, String> {
        let key =
            AkpKey::from_cose_key(bytes).map_err(|error| format!("{error}; supported: AKP, for ML-DSA (RFC 9964)"))?;
        let thumbprint = self.sha256.as_ref().and_then(|sha256| key.cose_thumbprint(sha256.as_ref()).ok());
        Ok(self.akp(&key, thumbprint))
    }

    fn akp(&self, key: &AkpKey, thumbprint: Option<[u8; 32]>) -> Read {
        let algorithm = key.algorithm().primitive;
        let mut facts = vec![fact("key", format!("{}, {} bytes", algorithm, key.public().len()))];
        facts.extend(thumbprint.map(|thumbprint| fact("thumbprint", key_id_text(&thumbprint))));
        let mut checks = Vec::new();
        for provider in &self.chosen {
            let Some(scheme) = provider.signature(algorithm) else { continue };
            let loads = || Ok(scheme.load_verifying_key(key.public()).map(drop)?);
            checks.push(checked(&format!("public key accepted by {}", provider.id()), loads));
            if key.seed().is_some() {
                let name = format!("seed and public key match, according to {}", provider.id());
                checks.push(checked(&name, || {
                    key.check(scheme.as_ref()).map_err(|error| match error {
                        pqlab_constructions::token::TokenError::Primitive(error) => error.into(),
                        other => Flaw::Wrong(other.to_string()),
                    })
                }));
            }
        }
        let kind = if key.seed().is_some() { "private key" } else { "public key" };
        Read { kind, algorithm: Some(algorithm.to_owned()), facts, checks: some(checks, algorithm) }
    }

    fn jws(&self, bytes: &[u8], known: &Known) -> Result<Read, String> {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let token = Jws::parse(text).map_err(|error| error.to_string())?;
        let mut facts = vec![fact("signature", token.algorithm())];
        facts.extend(token.key_id().map(|key_id| fact("key identifier", key_id)));
        facts.extend(others(token.other_parameters()));
        // RFC 7515, appendix F: the payload of a detached JWS is empty.
        let is_empty = text.contains("..");
        if is_empty {
            facts.push(fact("payload", "empty or detached"));
        }
        let algorithm = Algorithm::of_jose(token.algorithm());
        let checks = self.token(algorithm, token.algorithm(), known, |algorithm, key| {
            let remark = if is_empty { "; if the payload is detached, it cannot be verified" } else { "" };
            token.verify(algorithm, key).map(drop).map_err(|error| Flaw::Wrong(format!("{error}{remark}")))
        })?;
        Ok(Read { kind: "token", algorithm: algorithm.map(|known| known.primitive.to_owned()), facts, checks })
    }

    fn sign1(&self, bytes: &[u8], known: &Known) -> Result<Read, String> {
        // A CWT may have a tag of its own (RFC 8392, section 6).
        let bytes = bytes.strip_prefix(&CWT).unwrap_or(bytes);
        let token = Sign1::parse_any(bytes).map_err(|error| error.to_string())?;
        let number = token
            .algorithm()
            .ok_or("a COSE_Sign1 token that identifies its algorithm by a text string, which is not supported")?;
        let mut facts = vec![fact("signature", number)];
        facts.extend(token.key_id().map(|key_id| fact("key identifier", hex::encode(key_id))));
        facts.extend(token.content_type().map(|content| fact("content type", content)));
        facts.extend(others(&token.other_parameters()));
        let algorithm = Algorithm::of_cose(number);
        let checks = self.token(algorithm, &format!("COSE algorithm {number}"), known, |algorithm, key| {
            token.verify(algorithm, key).map(drop).map_err(|error| Flaw::Wrong(error.to_string()))
        })?;
        Ok(Read { kind: "token", algorithm: algorithm.map(|known| known.primitive.to_owned()), facts, checks })
    }

    fn token(
        &self,
        algorithm: Option<&'static Algorithm>,
        name: &str,
        known: &Known,
        verify: impl Fn(&Algorithm, &dyn pqlab_primitives::VerifyingKey) -> Result<(), Flaw>,
    ) -> Result<Vec<Check>, String> {
        let algorithm = algorithm.ok_or_else(|| {
            let known: Vec<&str> = Algorithm::all().map(|known| known.jose).collect();
            format!("a token that uses {name}, which is not supported; supported: {}", known.join(", "))
        })?;
        let keys = known.keys(algorithm.primitive);
        if keys.is_empty() {
            let detail = Some(format!("no file contains a public key for {}", algorithm.primitive));
            return Ok(vec![Check { name: "signature".to_owned(), passed: None, detail }]);
        }
        let mut checks = Vec::new();
        for provider in &self.chosen {
            let Some(scheme) = provider.signature(algorithm.primitive) else { continue };
            checks.push(checked(&format!("signature, verified by {}", provider.id()), || {
                first_success(&keys, |key| verify(algorithm, scheme.load_verifying_key(key)?.as_ref()))
            }));
        }
        Ok(some(checks, algorithm.primitive))
    }
}

/// Tries candidates until `attempt` succeeds for one. If it fails for all of them, returns the last failure.
fn first_success<T>(candidates: &[&T], attempt: impl Fn(&T) -> Result<(), Flaw>) -> Result<(), Flaw>
where
    T: ?Sized,
{
    let mut outcome = Ok(());
    for candidate in candidates {
        outcome = attempt(candidate);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// Returns remarks to print after the start and the end of a certificate's validity, such as ` (expired)`. All times
/// are relative to the Unix epoch.
fn remark_validity(begin: Duration, end: Duration, now: Duration) -> [&'static str; 2] {
    let early = if now < begin { " (not yet valid)" } else { "" };
    let late = if end < begin {
        " (before \"valid from\")"
    } else if end < now {
        " (expired)"
    } else {
        ""
    };
    [early, late]
}

/// Returns the checks. If there are none, returns a skipped check instead, with the reason that no chosen library
/// offers the algorithm.
fn some(mut checks: Vec<Check>, algorithm: &str) -> Vec<Check> {
    if checks.is_empty() {
        let detail = Some(format!("no chosen library offers {algorithm}"));
        checks.push(Check { name: "key".to_owned(), passed: None, detail });
    }
    checks
}

/// Reason why a check failed or was skipped.
enum Flaw {
    Unsupported(String),
    Wrong(String),
}

impl From<Error> for Flaw {
    fn from(error: Error) -> Flaw {
        match error {
            Error::Unsupported(what) => Flaw::Unsupported(what.to_owned()),
            other => Flaw::Wrong(other.to_string()),
        }
    }
}

impl From<DecodeError> for Flaw {
    fn from(error: DecodeError) -> Flaw {
        match error {
            DecodeError::Primitive(error) => error.into(),
            other => Flaw::Wrong(other.to_string()),
        }
    }
}

impl From<CertificateError> for Flaw {
    fn from(error: CertificateError) -> Flaw {
        match error {
            CertificateError::Primitive(error) => error.into(),
            CertificateError::NoScheme(algorithm) => Flaw::Unsupported(format!("no chosen library offers {algorithm}")),
            other => Flaw::Wrong(other.to_string()),
        }
    }
}

/// Runs a check. A panic in a library counts as a failure.
fn checked(name: &str, attempt: impl FnOnce() -> Result<(), Flaw>) -> Check {
    let outcome = catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| Err(Flaw::Wrong("panicked".to_owned())));
    let (passed, detail) = match outcome {
        Ok(()) => (Some(true), None),
        Err(Flaw::Unsupported(reason)) => (None, Some(reason)),
        Err(Flaw::Wrong(reason)) => (Some(false), Some(reason)),
    };
    Check { name: name.to_owned(), passed, detail }
}

/// Reads a private key from DER.
type PrivateReader = fn(&[u8]) -> Result<PrivateKey, DecodeError>;

/// PEM label of the parameters that OpenSSL writes before an elliptic-curve key. The key contains the same parameters.
const PARAMETERS: &str = "EC PARAMETERS";

/// Returns the function that reads private keys with this PEM label. Returns `None` if the label is not that of a
/// private key.
fn private_reader(label: &str) -> Option<PrivateReader> {
    match label {
        "PRIVATE KEY" => Some(PrivateKey::from_der),
        "EC PRIVATE KEY" => Some(PrivateKey::from_sec1_der),
        "RSA PRIVATE KEY" => Some(PrivateKey::from_pkcs1_der),
        _ => None,
    }
}

fn parameters() -> Read {
    let facts = vec![fact("content", "not interpreted, because the key contains the same parameters")];
    Read { kind: "parameters", algorithm: None, facts, checks: Vec::new() }
}

/// Kind of a DER structure, determined from the tags of its first elements.
enum Shape {
    PrivateKey(PrivateReader),
    PublicKey,
    Certificate,
    Other(&'static str),
}

/// Maximum number of DER elements to examine at one level.
const ELEMENTS: usize = 4;

fn shape(der: &[u8]) -> Shape {
    let Some((0x30, content, [])) = element(der) else {
        return Shape::Other("not DER: the length of the outer SEQUENCE does not match the file");
    };
    let parts = elements(content);
    let tags = |parts: &[(u8, &[u8])]| parts.iter().map(|(tag, _)| *tag).collect::<Vec<u8>>();
    let content = |place: usize| parts.get(place).map_or(&[][..], |(_, content)| *content);
    match tags(&parts)[..] {
        [0x02, 0x30, 0x04, ..] => Shape::PrivateKey(PrivateKey::from_der),
        [0x02, 0x02, 0x02, ..] => Shape::PrivateKey(PrivateKey::from_pkcs1_der),
        [0x02, 0x02] => Shape::Other(
            "an RSA public key in PKCS #1; convert it with `openssl rsa -RSAPublicKey_in -pubout -inform DER`",
        ),
        [0x02, 0x04, ..] => Shape::PrivateKey(PrivateKey::from_sec1_der),
        [0x0a] | [0x0a, 0xa0] => Shape::Other("an OCSP response, which is not supported"),
        [0x02, 0x30] | [0x02, 0x30, 0x30] if content(1).starts_with(&[0x06]) => {
            Shape::Other("PKCS #12; extract its contents with `openssl pkcs12`")
        }
        [0x30, 0x04] => Shape::Other("an encrypted private key; decrypt it with `openssl pkcs8 -inform DER`"),
        [0x30, 0x03] => Shape::PublicKey,
        [0x30, 0x30, 0x03] => match tags(&elements(content(0)))[..] {
            [0x02, 0x30, 0x30] | [0x02, 0x30, 0x30, 0xa0] => {
                Shape::Other("a certificate request, which is not supported")
            }
            [0x02, 0x30, 0x30, 0x17 | 0x18] | [0x30, 0x30, 0x17 | 0x18, ..] => {
                Shape::Other("a certificate revocation list, which is not supported")
            }
            _ => Shape::Certificate,
        },
        [0x06, ..] => {
            Shape::Other("CMS or PKCS #7; extract its certificates with `openssl pkcs7 -print_certs -inform DER`")
        }
        _ => Shape::Other("DER, but not a key or a certificate"),
    }
}

/// Returns the tags and contents of the first [`ELEMENTS`] DER elements.
fn elements(mut rest: &[u8]) -> Vec<(u8, &[u8])> {
    let mut found = Vec::new();
    while let Some((tag, content, after)) = element(rest)
        && found.len() < ELEMENTS
    {
        found.push((tag, content));
        rest = after;
    }
    found
}

/// Splits off the first DER element. Returns its tag, its contents and the remaining bytes; `None` if the bytes are not
/// DER.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], rest) = der.split_first_chunk::<2>()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, after) = rest.split_at_checked(length)?;
    Some((tag, content, after))
}

impl InspectRequest {
    /// Returns whether an argument is the path of a file rather than the name of an algorithm.
    pub fn is_path(argument: &str) -> bool {
        const ENDS: [&str; 16] = [
            "pem", "der", "crt", "cer", "key", "pub", "priv", "p8", "pk8", "jwk", "jwks", "json", "jws", "jwt", "cbor",
            "cose",
        ];
        let end = std::path::Path::new(argument).extension().map(|end| end.to_string_lossy().to_lowercase());
        argument.contains('/') || end.is_some_and(|end| ENDS.contains(&end.as_str()))
    }
}

#[cfg(test)]
mod tests;
