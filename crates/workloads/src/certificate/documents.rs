//! Builds, parses and verifies certificates.

use super::authority::{Authority, Form, LEAF_NAME, TODAY};
use super::{broken, fault};
use pqlab_constructions::certificate::detached::Bundle;
use pqlab_constructions::certificate::{Certificate, verify_chain, verify_server};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::VerifyingKey;
use std::time::Duration;

const NOTHING: &str = "no operation has run since the outputs were cleared";

fn nothing() -> Fault {
    Fault::WrongAnswer(NOTHING.to_owned())
}

/// Parsed certificate, with its detached signature if the form uses one.
pub(super) struct Document {
    pub(super) certificate: Certificate,
    pub(super) bundle: Option<Bundle>,
}

impl Document {
    pub(super) fn parse(form: Form, bytes: &[u8]) -> Result<Document, Fault> {
        if form == Form::Detached {
            let bundle = Bundle::decode(bytes).map_err(broken)?;
            let certificate = Certificate::from_der(&bundle.certificate).map_err(broken)?;
            return Ok(Document { certificate, bundle: Some(bundle) });
        }
        Ok(Document { certificate: Certificate::from_der(bytes).map_err(broken)?, bundle: None })
    }

    /// Verifies every signature of a self-signed certificate with the certificate's own keys.
    fn verify(&self, authority: &Authority, detached: Option<&dyn VerifyingKey>) -> Result<(), Fault> {
        self.verify_by(self, authority, detached)
    }

    /// Verifies every signature with the keys in the issuer's certificate. `detached` is the key that verifies the
    /// detached signature, if there is one.
    pub(super) fn verify_by(
        &self,
        issuer: &Document,
        authority: &Authority,
        detached: Option<&dyn VerifyingKey>,
    ) -> Result<(), Fault> {
        self.certificate.verify(&issuer.certificate, &authority.schemes).map_err(broken)?;
        match (&self.bundle, detached) {
            (Some(bundle), Some(key)) => bundle.verify(key).map_err(fault),
            (None, _) => Ok(()),
            (Some(_), None) => Err(Fault::WrongAnswer("the detached signature was not checked".into())),
        }
    }

    /// Verifies only the post-quantum signature of a certificate with two signatures.
    fn verify_cosignature(&self, authority: &Authority, detached: Option<&dyn VerifyingKey>) -> Result<(), Fault> {
        match (&self.bundle, detached) {
            (Some(bundle), Some(key)) => bundle.verify(key).map_err(fault),
            _ => self.certificate.verify_alternative(&self.certificate, &authority.schemes).map_err(broken),
        }
    }

    /// Returns the index, in the encoded document, of the last byte of the post-quantum signature.
    fn end_of_cosignature(&self, bytes: &[u8]) -> Result<usize, Fault> {
        let signature = match &self.bundle {
            Some(bundle) => Some(bundle.signature.as_slice()),
            None => self.certificate.alternative_signature(),
        };
        let signature = signature.filter(|signature| !signature.is_empty());
        let found = signature.and_then(|signature| {
            bytes.windows(signature.len()).position(|window| window == signature).map(|at| at + signature.len() - 1)
        });
        found.ok_or_else(|| Fault::WrongAnswer("the certificate has no second signature".into()))
    }
}

pub(super) fn detached_key(authority: &Authority) -> Result<Option<Box<dyn VerifyingKey>>, Fault> {
    authority.detached_key().transpose()
}

/// Returns a document with one bit flipped in its last signature.
fn tampered(bytes: &[u8]) -> Vec<u8> {
    flipped(bytes, bytes.len().saturating_sub(1))
}

fn flipped(bytes: &[u8], place: usize) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    if let Some(byte) = changed.get_mut(place) {
        *byte ^= 1;
    }
    changed
}

pub(super) struct Build {
    authority: Authority,
    serial_number: u32,
    built: Vec<u8>,
}

impl Build {
    pub(super) fn new(authority: Authority) -> Build {
        Build { authority, serial_number: 0, built: Vec::new() }
    }
}

impl Trial for Build {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.built.clear();
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.serial_number = self.serial_number.wrapping_add(1);
            self.built = self.authority.root(self.serial_number)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.built.is_empty() {
            return Err(nothing());
        }
        let key = detached_key(&self.authority)?;
        let document = Document::parse(self.authority.form, &self.built)?;
        document.verify(&self.authority, key.as_deref())?;
        let changed = Document::parse(self.authority.form, &tampered(&self.built));
        match changed.and_then(|document| document.verify(&self.authority, key.as_deref())) {
            Err(_) => Ok(()),
            Ok(()) => Err(Fault::WrongAnswer("verification accepts a certificate with a bit flipped".into())),
        }
    }
}

pub(super) struct Parse {
    form: Form,
    bytes: Vec<u8>,
    parsed: Option<Document>,
}

impl Parse {
    pub(super) fn new(authority: Authority) -> Result<Parse, Fault> {
        Ok(Parse { form: authority.form, bytes: authority.root(1)?, parsed: None })
    }
}

impl Trial for Parse {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.parsed = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.parsed = Some(Document::parse(self.form, &self.bytes)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let document = self.parsed.as_ref().ok_or_else(nothing)?;
        let bytes = match &document.bundle {
            Some(bundle) => bundle.encode().map_err(fault)?,
            None => document.certificate.as_der().to_vec(),
        };
        if bytes == self.bytes { Ok(()) } else { Err(Fault::WrongAnswer("a different certificate was parsed".into())) }
    }
}

/// Signatures that an operation verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checked {
    All,
    /// Only the post-quantum signature of a certificate with two signatures.
    Cosignature,
}

pub(super) struct Verify {
    authority: Authority,
    checked: Checked,
    document: Document,
    /// The document with one bit flipped in a signature that the operation verifies.
    bad: Document,
    detached: Option<Box<dyn VerifyingKey>>,
    done: bool,
}

impl Verify {
    pub(super) fn new(authority: Authority, checked: Checked) -> Result<Verify, Fault> {
        let bytes = authority.root(1)?;
        let detached = detached_key(&authority)?;
        let document = Document::parse(authority.form, &bytes)?;
        let changed = match checked {
            Checked::All => tampered(&bytes),
            Checked::Cosignature => flipped(&bytes, document.end_of_cosignature(&bytes)?),
        };
        let bad = Document::parse(authority.form, &changed)?;
        Ok(Verify { document, checked, bad, detached, authority, done: false })
    }

    fn look(&self, document: &Document) -> Result<(), Fault> {
        let detached = self.detached.as_deref();
        match self.checked {
            Checked::All => document.verify(&self.authority, detached),
            Checked::Cosignature => document.verify_cosignature(&self.authority, detached),
        }
    }
}

impl Trial for Verify {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.done = false;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.look(&self.document)?;
        }
        self.done = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if !self.done {
            return Err(nothing());
        }
        match self.look(&self.bad) {
            Err(_) => Ok(()),
            Ok(()) => Err(Fault::WrongAnswer("verification accepts a certificate with a bit flipped".into())),
        }
    }
}

pub(super) struct VerifyChain {
    authority: Authority,
    chain: Vec<Certificate>,
    root: Certificate,
    done: bool,
}

impl VerifyChain {
    pub(super) fn new(authority: Authority) -> Result<VerifyChain, Fault> {
        let chain = authority.chain()?;
        let root = Certificate::from_der(&authority.root(1)?).map_err(broken)?;
        Ok(VerifyChain { chain, root, authority, done: false })
    }
}

impl Trial for VerifyChain {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.done = false;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            verify_chain(&self.chain, &self.root, TODAY, &self.authority.schemes).map_err(broken)?;
        }
        self.done = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if !self.done {
            return Err(nothing());
        }
        match verify_chain(&self.chain[..1], &self.root, TODAY, &self.authority.schemes) {
            Err(_) => Ok(()),
            Ok(()) => {
                Err(Fault::WrongAnswer("verification accepts a chain without its intermediate certificate".into()))
            }
        }
    }
}

/// Trial for the work of a client that receives a server's chain. Parses the leaf and intermediate certificates, and
/// verifies the chain for the server's name. The root is already parsed.
pub(super) struct VerifyServer {
    authority: Authority,
    /// DER of each certificate.
    chain: Vec<Vec<u8>>,
    roots: [Certificate; 1],
    done: bool,
}

impl VerifyServer {
    pub(super) fn new(authority: Authority) -> Result<VerifyServer, Fault> {
        let chain = authority.chain()?.iter().map(|certificate| certificate.as_der().to_vec()).collect();
        let roots = [Certificate::from_der(&authority.root(1)?).map_err(broken)?];
        Ok(VerifyServer { chain, roots, authority, done: false })
    }

    fn look(&self, chain: &[Vec<u8>], name: &str, at: Duration) -> Result<(), Fault> {
        let parsed: Result<Vec<Certificate>, _> = chain.iter().map(|der| Certificate::from_der(der)).collect();
        verify_server(&parsed.map_err(broken)?, &self.roots, name, at, &self.authority.schemes).map_err(broken)
    }
}

impl Trial for VerifyServer {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.done = false;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.look(&self.chain, LEAF_NAME, TODAY)?;
        }
        self.done = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if !self.done {
            return Err(nothing());
        }
        let bad = [tampered(&self.chain[0]), self.chain[1].clone()];
        for (what, believed) in [
            ("without its intermediate certificate", self.look(&self.chain[..1], LEAF_NAME, TODAY)),
            ("for a different name", self.look(&self.chain, "other.example", TODAY)),
            ("after its expiry", self.look(&self.chain, LEAF_NAME, TODAY * 2)),
            ("with a bit flipped", self.look(&bad, LEAF_NAME, TODAY)),
        ] {
            if believed.is_ok() {
                return Err(Fault::WrongAnswer(format!("verification accepts a chain {what}")));
            }
        }
        Ok(())
    }
}
