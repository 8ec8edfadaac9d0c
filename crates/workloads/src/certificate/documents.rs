//! Building, parsing and verifying certificates.

use super::authority::{Authority, Form, TODAY};
use super::{broken, fault};
use pqlab_constructions::certificate::detached::Bundle;
use pqlab_constructions::certificate::{Certificate, verify_chain};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::VerifyingKey;

const NOTHING: &str = "nothing was done since the outputs were cleared";

fn nothing() -> Fault {
    Fault::WrongAnswer(NOTHING.to_owned())
}

/// A certificate, with the detached signature where the form has one.
struct Document {
    certificate: Certificate,
    bundle: Option<Bundle>,
}

impl Document {
    fn parse(form: Form, bytes: &[u8]) -> Result<Document, Fault> {
        if form == Form::Detached {
            let bundle = Bundle::decode(bytes).map_err(broken)?;
            let certificate = Certificate::from_der(&bundle.certificate).map_err(broken)?;
            return Ok(Document { certificate, bundle: Some(bundle) });
        }
        Ok(Document { certificate: Certificate::from_der(bytes).map_err(broken)?, bundle: None })
    }

    /// Both signatures, where there are two.
    fn verify(&self, authority: &Authority, detached: Option<&dyn VerifyingKey>) -> Result<(), Fault> {
        self.certificate.verify(&self.certificate, &authority.schemes).map_err(broken)?;
        match (&self.bundle, detached) {
            (Some(bundle), Some(key)) => bundle.verify(key).map_err(fault),
            (None, _) => Ok(()),
            (Some(_), None) => Err(Fault::WrongAnswer("nobody looked at the detached signature".into())),
        }
    }
}

fn detached_key(authority: &Authority) -> Result<Option<Box<dyn VerifyingKey>>, Fault> {
    authority.detached_key().transpose()
}

/// A bit of the last signature flipped.
fn tampered(bytes: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    if let Some(last) = changed.last_mut() {
        *last ^= 1;
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
        if bytes == self.bytes { Ok(()) } else { Err(Fault::WrongAnswer("another certificate was parsed".into())) }
    }
}

pub(super) struct Verify {
    authority: Authority,
    document: Document,
    bad: Document,
    detached: Option<Box<dyn VerifyingKey>>,
    done: bool,
}

impl Verify {
    pub(super) fn new(authority: Authority) -> Result<Verify, Fault> {
        let bytes = authority.root(1)?;
        let detached = detached_key(&authority)?;
        let document = Document::parse(authority.form, &bytes)?;
        let bad = Document::parse(authority.form, &tampered(&bytes))?;
        Ok(Verify { document, bad, detached, authority, done: false })
    }
}

impl Trial for Verify {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.done = false;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.document.verify(&self.authority, self.detached.as_deref())?;
        }
        self.done = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if !self.done {
            return Err(nothing());
        }
        match self.bad.verify(&self.authority, self.detached.as_deref()) {
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
            Ok(()) => Err(Fault::WrongAnswer("a chain without its intermediate certificate is accepted".into())),
        }
    }
}
