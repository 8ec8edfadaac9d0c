//! Inspects a file with keys, certificates or tokens: PEM with any number of blocks, DER, JWK, JWS, and COSE keys and
//! tokens. Describes each part, checks it with every library that offers its algorithm, and reports parts that it
//! cannot read.

mod shape;
mod split;

use super::{Check, InspectRequest};
use crate::running::errand::{Task, lost, read_answer};
use crate::{LabError, Laboratory, Thing, matches};
use pqlab_analysis::text::neutral;
use pqlab_constructions::certificate::{Certificate, CertificateError, ExtensionSummary, Schemes};
use pqlab_constructions::keys::asn1::{CONTEXT_0, OID, element, elements, oid_text};
use pqlab_constructions::keys::{
    DecodeError, Identifier, PrivateKey, PrivateKeyForm, PublicKey, algorithm_name, label_meaning,
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
use shape::{PrivateReader, Shape, encrypted_cms, frame_fault, shape};
use split::{Encoding, RawPart, SIGN1, split};
use std::fs::File;
use std::io::{self, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

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
    /// Inspects files with keys, certificates or tokens. The path `-` means standard input. Checks their signatures with the keys and certificates from
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

/// Path that means standard input.
const STANDARD_INPUT: &str = "-";

/// Reads a file, or standard input.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    if path == Path::new(STANDARD_INPUT) {
        return read_from(io::stdin().lock(), LONGEST_FILE);
    }
    let failed = |error: io::Error| format!("cannot be read ({error})");
    read_from(File::open(path).map_err(failed)?, LONGEST_FILE)
}

/// Reads at most `longest` bytes. Devices and pipes may never end, so their length is not known in advance.
fn read_from(source: impl io::Read, longest: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    source.take(longest + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > longest {
        return Err(format!("too long: files with keys, certificates or tokens may have at most {longest} bytes"));
    }
    Ok(bytes)
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
        let mut files: Vec<Result<Vec<RawPart>, String>> =
            self.files.iter().map(|(_, bytes)| bytes.as_deref().map_err(String::clone).and_then(split)).collect();
        let mut known = Known::default();
        for (number, parts) in files.iter_mut().enumerate() {
            let Ok(parts) = parts else { continue };
            let (only, count) = (self.files.len() == 1, parts.len());
            for part in parts {
                let place = part.place.split(" (").next().unwrap_or_default();
                let file = neutral(&self.files[number].0.display().to_string());
                part.file = number;
                part.reference = match count {
                    _ if only => place.to_owned(),
                    1 => file,
                    _ => format!("{file}, {place}"),
                };
                known.add(part, &libraries);
            }
        }
        // If there are several files, one that cannot be read does not hide the others.
        let alone = self.files.len() == 1;
        let inspect = |((path, _), parts): (&(PathBuf, _), &Result<Vec<RawPart>, String>)| {
            let blocks: Vec<FileBlock> = match parts {
                Ok(parts) => {
                    let next = parts.iter().skip(1).map(Some).chain([None]);
                    parts.iter().zip(next).map(|(part, next)| libraries.examine(part, next, &known)).collect()
                }
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
    certificates: Vec<KnownCertificate>,
    /// Certificates that cannot be read: the subject of each, and its place (file and PEM block).
    unreadable: Vec<(String, String)>,
    /// Public keys outside certificates.
    keys: Vec<KnownKey>,
}

struct KnownCertificate {
    file: usize,
    /// File and PEM block.
    reference: String,
    certificate: Certificate,
}

/// Public key outside a certificate.
struct KnownKey {
    /// File and PEM block. `None` if the key belongs to a private key.
    reference: Option<String>,
    algorithm: &'static str,
    bytes: Vec<u8>,
}

impl Known {
    fn add(&mut self, part: &RawPart, libraries: &Libraries) {
        let Ok(bytes) = &part.bytes else { return };
        let may_be = |label: &str| part.label.as_deref().is_none_or(|found| found == label);
        let mut push = |algorithm: &'static str, bytes: &[u8], is_private: bool| {
            let reference = (!is_private).then(|| part.reference.clone());
            self.keys.push(KnownKey { reference, algorithm, bytes: bytes.to_vec() });
        };
        match part.encoding {
            Encoding::Jwk | Encoding::Cbor => {
                let key = match std::str::from_utf8(bytes) {
                    Ok(text) if part.encoding == Encoding::Jwk => AkpKey::from_jwk(text),
                    _ => AkpKey::from_any_cose_key(bytes).map(|(key, _)| key),
                };
                if let Ok(key) = key {
                    push(key.algorithm().primitive, key.public(), key.seed().is_some());
                }
            }
            Encoding::Der => {
                if may_be("PUBLIC KEY")
                    && let Ok(key) = PublicKey::from_der(bytes)
                {
                    push(key.identifier().algorithm, key.as_bytes(), false);
                }
                let reader = match &part.label {
                    Some(label) => private_reader(label),
                    None => match shape(bytes) {
                        Shape::PrivateKey(read) => Some(read),
                        _ => None,
                    },
                };
                if let Some(Ok(key)) = reader.map(|read| read(bytes))
                    && let Some(public) = libraries.public_key_of(&key)
                {
                    push(key.identifier().algorithm, &public, true);
                }
                if may_be("CERTIFICATE") {
                    let (file, reference) = (part.file, part.reference.clone());
                    match Certificate::from_der(bytes) {
                        Ok(certificate) => {
                            self.certificates.push(KnownCertificate { file, reference, certificate });
                        }
                        Err(_) => {
                            let subject = Certificate::subject(bytes);
                            self.unreadable.extend(subject.map(|subject| (subject, reference)));
                        }
                    }
                }
            }
            Encoding::Jws => {}
        }
    }

    /// Returns the public keys of an algorithm, including those in certificates.
    fn keys(&self, algorithm: &str) -> Vec<&[u8]> {
        let bare = self.keys.iter().map(|key| (key.algorithm, key.bytes.as_slice()));
        let subjects = self.certificates.iter().map(|known| known.certificate.subject_key());
        let subjects = subjects.map(|key| (key.identifier().algorithm, key.as_bytes()));
        bare.chain(subjects).filter(|(name, _)| *name == algorithm).map(|(_, key)| key).collect()
    }

    /// Explains why the certificate of `issuer` is missing: no file contains it, or pqlab cannot read it. `own` is the
    /// place of the certificate that needs the issuer.
    fn missing(&self, issuer: &str, algorithm: &str, own: &str) -> String {
        let mut unreadable = self.unreadable.iter().filter(|(_, place)| place != own);
        if let Some((_, place)) = unreadable.find(|(subject, _)| subject == issuer) {
            return format!("the issuer's certificate ({place}) cannot be read");
        }
        let bare = self.keys.iter().any(|key| key.algorithm == algorithm);
        let hint = if bare { "; a public key is not enough" } else { "" };
        format!("no file contains the issuer's certificate{hint}")
    }
}

/// Names of the checks of a certificate's signature.
const OWN_KEY: &str = "signature by its own key";
const BY_ISSUER: &str = "signature by the issuer";

/// Lists the extensions of a certificate. Returns `None` if there are none.
fn extensions(certificate: &Certificate) -> Option<Fact> {
    let describe = |extension: ExtensionSummary| {
        let remark = match (extension.is_critical, extension.is_interpreted) {
            (true, true) => " (critical)",
            (true, false) => " (critical, not interpreted)",
            (false, _) => "",
        };
        format!("{}{remark}", extension.name)
    };
    let all: Vec<String> = certificate.extensions().into_iter().map(describe).collect();
    (!all.is_empty()).then(|| fact("extensions", all.join(", ")))
}

/// Lists `names`, the header parameters of a token that pqlab does not interpret. Returns `None` if there are none.
fn others(names: &[String]) -> Option<Fact> {
    (!names.is_empty()).then(|| fact("other header parameters, not interpreted", names.join(", ")))
}

/// Lists the members of a key that pqlab does not interpret, except the `interpreted` ones.
fn other_members(mut names: Vec<String>, interpreted: &[&str]) -> Option<Fact> {
    names.retain(|name| !interpreted.contains(&name.as_str()));
    (!names.is_empty()).then(|| fact("other members, not interpreted", names.join(", ")))
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
    /// Examines a part. `next` is the part that follows in the same file.
    fn examine(&self, part: &RawPart, next: Option<&RawPart>, known: &Known) -> FileBlock {
        let label = part.label.as_deref();
        let is_read = label.is_some_and(|label| label == PARAMETERS || private_reader(label).is_some());
        let is_der =
            part.encoding == Encoding::Der && (is_read || matches!(label, None | Some("CERTIFICATE" | "PUBLIC KEY")));
        let refused = label.filter(|_| !is_read).and_then(|label| Some((label, label_meaning(label)?)));
        let read = match (&part.bytes, refused) {
            (Ok(bytes), Some((label, _))) if encrypted_cms(bytes).is_some() => {
                Err(format!("{label}: {}", encrypted_cms(bytes).unwrap_or_default()))
            }
            (_, Some((label, meaning))) => Err(format!("{label}: {meaning}")),
            (Err(reason), None) => Err(reason.clone()),
            (Ok(bytes), None) if is_der && frame_fault(bytes).is_some() => Err(frame_fault(bytes).unwrap_or_default()),
            (Ok(bytes), None) => match (part.encoding, label) {
                (Encoding::Der, Some("CERTIFICATE")) => self.certificate(bytes, part, known),
                (Encoding::Der, Some("PUBLIC KEY")) => self.public_key(bytes),
                (Encoding::Der, Some(PARAMETERS)) => Ok(parameters(bytes, next)),
                (Encoding::Der, Some(label)) => match private_reader(label) {
                    Some(read) => self.private_key(read(bytes), part, known),
                    None => Err(format!("unknown label {label:?}")),
                },
                (Encoding::Der, None) => self.der(bytes, part, known),
                (Encoding::Jwk, _) => self.jwk(bytes),
                (Encoding::Jws, _) => self.jws(bytes, known),
                (Encoding::Cbor, _) if bytes.first() == Some(&SIGN1) => self.sign1(bytes, known),
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
    fn der(&self, der: &[u8], part: &RawPart, known: &Known) -> Result<Read, String> {
        match shape(der) {
            Shape::PrivateKey(read) => self.private_key(read(der), part, known),
            Shape::PublicKey => self.public_key(der),
            Shape::Certificate => self.certificate(der, part, known),
            Shape::Other(reason) => Err(reason),
        }
    }

    fn certificate(&self, der: &[u8], part: &RawPart, known: &Known) -> Result<Read, String> {
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
            fact("version", certificate.version()),
            fact("serial number", certificate.serial_number()),
            fact("valid from", format!("{begin}{}", remarks[0])),
            fact("valid until", format!("{end}{}", remarks[1])),
            fact("signature", algorithm_name(&signature).unwrap_or(&signature)),
        ];
        facts.extend(self.key_facts(key));
        if let Some(key) = certificate.alternative_key() {
            facts.push(fact("alternative key", key.identifier().algorithm));
        }
        facts.extend(extensions(&certificate));
        let mut checks = self.loads(key);
        checks.extend(self.issued(&certificate, part, known));
        Ok(Read { kind: "certificate", algorithm: Some(key.identifier().algorithm.to_owned()), facts, checks })
    }

    /// Verifies a certificate with its own key, if it names itself as its issuer, or with the certificates that have
    /// the issuer's name. After a renewal, several certificates may have this name.
    fn issued(&self, certificate: &Certificate, part: &RawPart, known: &Known) -> Vec<Check> {
        let tbs = certificate.parsed().tbs_certificate();
        let algorithm = certificate.signature_algorithm().algorithm;
        let itself = (tbs.issuer() == tbs.subject()).then_some((OWN_KEY.to_owned(), certificate));
        let is_issuer = |other: &&KnownCertificate| {
            let other = &other.certificate;
            other.parsed().tbs_certificate().subject() == tbs.issuer() && other.as_der() != certificate.as_der()
        };
        let others = known.certificates.iter().filter(is_issuer);
        let others = others.map(|other| (format!("{BY_ISSUER} ({})", other.reference), &other.certificate));
        let candidates: Vec<(String, &Certificate)> = itself.into_iter().chain(others).collect();
        let verify = |issuer: &Certificate| {
            let mut checks = Vec::new();
            for provider in &self.chosen {
                let Some(scheme) = provider.signature(algorithm) else { continue };
                let schemes = Schemes::new(self.schemes(scheme));
                let verify = || Ok(certificate.verify(issuer, &schemes).map(drop)?);
                checks.push(checked(&provider.id(), verify));
            }
            checks
        };
        let mut outcomes: Vec<(String, Vec<Check>)> = Vec::new();
        for (name, issuer) in candidates {
            let checks = verify(issuer);
            let found = checks.iter().any(|check| check.passed == Some(true));
            // The issuer's key verifies the signature, so the other certificates did not issue this one.
            if found {
                outcomes.clear();
            }
            outcomes.push((name, checks));
            if found {
                break;
            }
        }
        // If no key verifies the signature, show the first failure for each library.
        outcomes.truncate(1);
        let Some((name, checks)) = outcomes.pop() else {
            let detail = Some(known.missing(&tbs.issuer().to_string(), algorithm, &part.reference));
            return vec![Check { name: BY_ISSUER.to_owned(), passed: None, detail }];
        };
        if checks.is_empty() {
            return vec![Check { name, passed: None, detail: Some(format!("no chosen library offers {algorithm}")) }];
        }
        let named = |check: Check| Check { name: format!("{name}, verified by {}", check.name), ..check };
        checks.into_iter().map(named).collect()
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
        facts.extend(self.fingerprint(key).map(|hash| fact("SHA-256 of the key", hash)));
        facts
    }

    /// Returns the SHA-256 digest of a key's SubjectPublicKeyInfo in hexadecimal notation.
    fn fingerprint(&self, key: &PublicKey) -> Option<String> {
        let fingerprint = key.fingerprint(self.sha256.as_ref()?.as_ref()).ok()?;
        Some(hex::encode(fingerprint))
    }

    /// Computes the public key that belongs to a private key. If no chosen library offers the algorithm, returns the
    /// public key that the private key contains. Returns `None` if the two do not match.
    fn public_key_of(&self, key: &PrivateKey) -> Option<Vec<u8>> {
        let algorithm = key.identifier().algorithm;
        let of_signature = |scheme: &Arc<dyn pqlab_primitives::SignatureScheme>| {
            let mut bytes = vec![0; scheme.info().parameters.verifying_key];
            let length = key.signing_key(scheme.as_ref()).ok()?.verifying_key().ok()?.encode(&mut bytes).ok()?;
            bytes.truncate(length);
            Some(bytes)
        };
        let of_kem = |kem: &Arc<dyn pqlab_primitives::Kem>| {
            let mut bytes = vec![0; kem.info().parameters.encapsulation_key];
            let length = key.decapsulation_key(kem.as_ref()).ok()?.encode_encapsulation_key(&mut bytes).ok()?;
            bytes.truncate(length);
            Some(bytes)
        };
        let offers =
            |provider: &&Arc<Provider>| provider.signature(algorithm).is_some() || provider.kem(algorithm).is_some();
        let mut offering = self.chosen.iter().filter(offers).peekable();
        if offering.peek().is_none() {
            return key.public_key().map(<[u8]>::to_vec);
        }
        let derive = |provider: &Arc<Provider>| {
            let attempt = || {
                provider
                    .signature(algorithm)
                    .and_then(of_signature)
                    .or_else(|| provider.kem(algorithm).and_then(of_kem))
            };
            // A panic of the library is reported by the checks of the key.
            catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_default()
        };
        offering.find_map(derive)
    }

    /// Checks whether the certificates and public keys in all files belong to a private key with this public key.
    fn belongings(&self, algorithm: &str, public: &[u8], part: &RawPart, known: &Known) -> (Vec<Check>, Vec<Fact>) {
        let matches = |name: String| Check { name, passed: Some(true), detail: None };
        let is_subject = |one: &&KnownCertificate| {
            let key = one.certificate.subject_key();
            key.identifier().algorithm == algorithm && key.as_bytes() == public
        };
        let certificates = known.certificates.iter().filter(is_subject);
        let certificates: Vec<Check> = certificates
            .map(|one| matches(format!("public key of the certificate ({}) matches", one.reference)))
            .collect();
        let bare = known.keys.iter().filter(|key| key.algorithm == algorithm && key.bytes == public);
        let bare = bare.filter_map(|key| Some(matches(format!("public key ({}) matches", key.reference.as_ref()?))));
        let has_certificate = !certificates.is_empty();
        let mut checks: Vec<Check> = certificates.into_iter().chain(bare).collect();
        let mut facts = Vec::new();
        if !has_certificate && !known.certificates.is_empty() {
            // A file with both is meant to contain a key and its certificate.
            if known.certificates.iter().any(|one| one.file == part.file) {
                let name = "public key of a certificate in the same file matches".to_owned();
                let detail = Some("no certificate contains this key".to_owned());
                checks.push(Check { name, passed: Some(false), detail });
            } else {
                facts.push(fact("certificate", "none of the certificates contains this key"));
            }
        }
        (checks, facts)
    }

    fn private_key(&self, key: Result<PrivateKey, DecodeError>, part: &RawPart, known: &Known) -> Result<Read, String> {
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
        let mut checks = some(checks, algorithm);
        if let Some(public) = self.public_key_of(&key) {
            let fingerprint = PublicKey::new(key.identifier(), &public).ok().and_then(|key| self.fingerprint(&key));
            facts.extend(fingerprint.map(|hash| fact("SHA-256 of the public key", hash)));
            let (matching, missing) = self.belongings(algorithm, &public, part, known);
            checks.extend(matching);
            facts.extend(missing);
        }
        Ok(Read { kind: "private key", algorithm: Some(algorithm.to_owned()), facts, checks })
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
        let mut read = self.akp(&key, thumbprint);
        read.facts.extend(member("kid").map(|key_id| fact("key identifier", key_id)));
        let names = members.as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default();
        read.facts.extend(other_members(names, &["kty", "alg", "pub", "priv", "kid"]));
        Ok(read)
    }

    fn cose_key(&self, bytes: &[u8]) -> Result<Read, String> {
        let (key, others) = AkpKey::from_any_cose_key(bytes)
            .map_err(|error| format!("{error}; supported: AKP, for ML-DSA (RFC 9964)"))?;
        let thumbprint = self.sha256.as_ref().and_then(|sha256| key.cose_thumbprint(sha256.as_ref()).ok());
        let mut read = self.akp(&key, thumbprint);
        // RFC 9052, section 7.1.
        const KEY_ID: &str = "2";
        let key_id = others.iter().find(|(label, _)| label == KEY_ID);
        read.facts.extend(key_id.map(|(_, key_id)| fact("key identifier", hex::encode(key_id))));
        let named = |(label, _): (String, Vec<u8>)| if label == "4" { "4 (key operations)".to_owned() } else { label };
        read.facts.extend(other_members(others.into_iter().map(named).collect(), &[KEY_ID]));
        Ok(read)
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
        check_signature_length(algorithm, token.algorithm(), token.signature_len())?;
        let checks = self.token(algorithm, token.algorithm(), known, |algorithm, key| {
            let remark = if is_empty { "; if the payload is detached, it cannot be verified" } else { "" };
            token.verify(algorithm, key).map(drop).map_err(|error| Flaw::Wrong(format!("{error}{remark}")))
        })?;
        Ok(Read { kind: "token", algorithm: algorithm.map(|known| known.primitive.to_owned()), facts, checks })
    }

    fn sign1(&self, bytes: &[u8], known: &Known) -> Result<Read, String> {
        let token = Sign1::parse_any(bytes).map_err(|error| error.to_string())?;
        let number = token
            .algorithm()
            .ok_or("a COSE_Sign1 token that identifies its algorithm by a text string, which is not supported")?;
        let mut facts = vec![fact("signature", number)];
        facts.extend(token.key_id().map(|key_id| fact("key identifier", hex::encode(key_id))));
        facts.extend(token.content_type().map(|content| fact("content type", content)));
        facts.extend(others(&token.other_parameters()));
        let algorithm = Algorithm::of_cose(number);
        let name = format!("COSE algorithm {number}");
        let described = algorithm.map_or(name.clone(), |known| format!("{name} ({})", known.jose));
        check_signature_length(algorithm, &described, token.signature_len())?;
        let checks = self.token(algorithm, &name, known, |algorithm, key| {
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
            let name = neutral(name);
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

/// Checks the length of a token's signature, which reveals the size of an RSA key and the curve of EdDSA. `name` is the
/// algorithm that the token names.
fn check_signature_length(algorithm: Option<&Algorithm>, name: &str, length: usize) -> Result<(), String> {
    // RSA keys with 1024 to 16384 bits.
    const RSA: std::ops::RangeInclusive<usize> = 128..=2048;
    const ED448: usize = 114;
    let Some(algorithm) = algorithm.filter(|known| known.signature() != length) else { return Ok(()) };
    let (primitive, expected) = (algorithm.primitive, algorithm.signature());
    Err(match primitive {
        "RSA-2048" if RSA.contains(&length) => {
            let bits = 8 * length;
            format!("{name}, signature of {length} bytes (RSA-{bits}), which is not supported; supported: {primitive}")
        }
        // The other names of Ed25519 exclude Ed448.
        "Ed25519" if length == ED448 && (name == "EdDSA" || name.starts_with("COSE algorithm -8 ")) => {
            format!("{name}, signature of {length} bytes (Ed448), which is not supported; supported: {primitive}")
        }
        _ => format!("a token with {name} and a signature of {length} bytes; {primitive} signatures have {expected}"),
    })
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

/// PEM label of the parameters that OpenSSL writes before an elliptic-curve key. Usually, the key names the same curve.
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

/// Reads the parameters of an elliptic curve, and compares them with the key in the next part.
fn parameters(bytes: &[u8], next: Option<&RawPart>) -> Read {
    let named = element(bytes).filter(|(tag, ..)| *tag == OID).map(|(_, oid, _)| oid);
    let curve = named.and_then(oid_text).map_or_else(
        || "explicit parameters, not interpreted".to_owned(),
        |oid| algorithm_name(&oid).map_or(oid.clone(), |name| format!("{name} ({oid})")),
    );
    let mut checks = Vec::new();
    if let Some(next) = next
        && let (Some("EC PRIVATE KEY"), Ok(key)) = (next.label.as_deref(), &next.bytes)
        && let Some(its) = curve_of_sec1(key)
    {
        let name = format!("the key that follows ({}) is on the same curve", next.reference);
        let passed = named.is_some_and(|oid| its == oid);
        let other = oid_text(its).unwrap_or_default();
        let other = algorithm_name(&other).map_or(other.clone(), str::to_owned);
        let detail = (!passed).then(|| format!("the key names the curve {other}"));
        checks.push(Check { name, passed: Some(passed), detail });
    }
    Read { kind: "parameters", algorithm: None, facts: vec![fact("curve", curve)], checks }
}

/// Returns the contents of the OBJECT IDENTIFIER of the curve in an ECPrivateKey (RFC 5915, section 3).
fn curve_of_sec1(der: &[u8]) -> Option<&[u8]> {
    let (_, content, _) = element(der)?;
    let (_, parameters) = elements(content, 3).into_iter().find(|(tag, _)| *tag == CONTEXT_0)?;
    element(parameters).filter(|(tag, ..)| *tag == OID).map(|(_, oid, _)| oid)
}

impl InspectRequest {
    /// Returns whether an argument is the path of a file rather than the name of an algorithm.
    pub fn is_path(argument: &str) -> bool {
        const ENDS: [&str; 16] = [
            "pem", "der", "crt", "cer", "key", "pub", "priv", "p8", "pk8", "jwk", "jwks", "json", "jws", "jwt", "cbor",
            "cose",
        ];
        let end = std::path::Path::new(argument).extension().map(|end| end.to_string_lossy().to_lowercase());
        argument == STANDARD_INPUT || argument.contains('/') || end.is_some_and(|end| ENDS.contains(&end.as_str()))
    }
}

#[cfg(test)]
mod tests;
