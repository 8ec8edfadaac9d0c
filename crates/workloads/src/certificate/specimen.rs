//! Certificate for inspection, with access to its bytes and parts. Also checks whether altered bytes still verify.

use super::authority::{Authority, Form};
use super::documents::{Document, detached_key};
use super::{broken, schemes, signature_pairs};
use crate::{CaseOptions, find};
use pqlab_constructions::certificate::verify_chain;
use pqlab_constructions::parts::parts;
use pqlab_harness::Fault;
use pqlab_primitives::{Provider, SignatureParameters};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::ops::Range;
use std::sync::Arc;

/// Name of a part of a certificate, and the part's byte range.
pub type CertificatePart = (String, Range<usize>);

/// Returns the names of the certificate forms.
pub fn certificate_forms() -> impl Iterator<Item = &'static str> {
    Form::ALL.into_iter().map(Form::name)
}

/// Returns the possible issuers for a form. These are providers, or pairs of providers if the form has two halves.
/// Without `every`, returns only the pairs that a run measures by default.
pub fn certificate_issuers(form: &str, providers: &[Arc<Provider>], every: bool) -> Vec<String> {
    let Some(form) = Form::named(form) else { return Vec::new() };
    let half = every.then(|| crate::fastest::FASTEST.to_owned());
    let options = CaseOptions { classical: half.clone(), post_quantum: half, ..CaseOptions::default() };
    let mut issuers: Vec<String> = Vec::new();
    for pair in signature_pairs(providers, &options) {
        let issuer = form.provider(&pair);
        if !issuers.contains(&issuer) && schemes(form, &issuer, providers).is_ok() {
            issuers.push(issuer);
        }
    }
    issuers
}

/// Self-signed certificate, issued by a provider or a pair of providers.
pub struct Specimen {
    authority: Authority,
    bytes: Vec<u8>,
}

impl Specimen {
    /// Issues a certificate. If the libraries accept caller-supplied randomness, the keys come from `seed`.
    ///
    /// # Errors
    /// [`Fault::Unsupported`] if the form does not exist, or if the providers lack an algorithm that the form needs.
    /// Also returns errors from the libraries.
    pub fn new(form: &str, issuer: &str, providers: &[Arc<Provider>], seed: u64) -> Result<Specimen, Fault> {
        let form = Form::named(form).ok_or_else(|| Fault::Unsupported(format!("unknown certificate form {form}")))?;
        let halves = issuer.split('+');
        halves.map(|half| find(providers, half)).collect::<Result<Vec<_>, _>>()?;
        let sha256 = providers.iter().find_map(|provider| provider.hash("SHA-256"));
        let sha256 =
            sha256.ok_or_else(|| Fault::Unsupported("no library offers SHA-256 for key identifiers".into()))?;
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let schemes = schemes(form, issuer, providers)?;
        let authority = Authority::new(form, schemes, sha256.as_ref(), &mut generator)?;
        let bytes = authority.root(1)?;
        Ok(Specimen { authority, bytes })
    }

    /// Returns the certificate's bytes: DER, or a CBOR array for the detached form.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the byte ranges of keys and signatures in [the bytes](Self::as_bytes). A composite signature is split
    /// into its halves.
    ///
    /// # Errors
    /// Fails if the certificate cannot be parsed.
    pub fn parts(&self) -> Result<Vec<CertificatePart>, Fault> {
        let document = Document::parse(self.authority.form, &self.bytes)?;
        let certificate = &document.certificate;
        let der = self.place(certificate.as_der())?;
        let key = certificate.subject_key();
        let scheme = key.identifier().algorithm;
        let mut found = vec![(format!("public key, {scheme}"), self.place(key.as_bytes())?)];
        if let Some(key) = certificate.alternative_key() {
            found
                .push((format!("alternative public key, {}", key.identifier().algorithm), self.place(key.as_bytes())?));
        }
        if let Some(signature) = certificate.alternative_signature() {
            found.push(("alternative signature, ML-DSA-65".to_owned(), self.place(signature)?));
        }
        let length = SignatureParameters::find(scheme).map_or(0, |parameters| parameters.signature);
        let outer = der.end.saturating_sub(length)..der.end;
        match parts(scheme) {
            Some(halves) => found.extend(halves.output.into_iter().map(|half| {
                let range = outer.start + half.range.start..outer.start + half.range.end;
                (format!("signature, {}", half.name), range)
            })),
            None => found.push((format!("signature, {scheme}"), outer)),
        }
        if let Some(bundle) = &document.bundle {
            found.push(("detached signature, ML-DSA-65".to_owned(), self.place(&bundle.signature)?));
        }
        Ok(found)
    }

    /// Checks that `bytes` is a certificate signed with this certificate's keys. Verifies all signatures in `bytes`.
    ///
    /// # Errors
    /// The reason why verification failed.
    pub fn verify(&self, bytes: &[u8]) -> Result<(), Fault> {
        let detached = detached_key(&self.authority)?;
        let document = Document::parse(self.authority.form, bytes)?;
        // Verify with the keys of the issued certificate, because the keys in `bytes` are
        // untrusted.
        let issuer = Document::parse(self.authority.form, &self.bytes)?;
        document.verify_by(&issuer, &self.authority, detached.as_deref())
    }

    /// Issues a chain (root, intermediate, leaf) with this certificate as the root. Checks that verification accepts
    /// the chain, and rejects the leaf without the intermediate certificate. Returns `None` if the form does not
    /// support chains.
    ///
    /// # Errors
    /// [`Fault`] that describes the failed check.
    pub fn chain(&self) -> Option<Result<(), Fault>> {
        self.authority.form.offers("verify-chain").then(|| {
            let chain = self.authority.chain()?;
            let root = Document::parse(self.authority.form, &self.bytes)?.certificate;
            let verify = |chain| verify_chain(chain, &root, super::authority::TODAY, &self.authority.schemes);
            verify(&chain).map_err(broken)?;
            match verify(&chain[..1]) {
                Err(_) => Ok(()),
                Ok(()) => {
                    Err(Fault::WrongAnswer("verification accepts a chain without its intermediate certificate".into()))
                }
            }
        })
    }

    fn place(&self, part: &[u8]) -> Result<Range<usize>, Fault> {
        let begin = self.bytes.windows(part.len().max(1)).position(|window| window == part);
        let begin = begin.ok_or_else(|| Fault::WrongAnswer("the certificate lacks one of its parts".into()))?;
        Ok(begin..begin + part.len())
    }
}
