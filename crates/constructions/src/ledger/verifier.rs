use super::{DIGEST, KeyCache, Malformed, Rejection, Scheme, Transaction, reference};
use pqlab_primitives::{Error, Hash, SignatureScheme, VerifyingKey};
use std::collections::HashMap;
use std::sync::Arc;

/// The two forms of a transaction. A verifier takes one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// The default.
    #[default]
    TxV2,
    /// What the reference measured.
    TxV1,
}

impl Form {
    /// The form's name, which its digest begins with.
    pub const fn name(self) -> &'static str {
        match self {
            Form::TxV2 => "TXv2",
            Form::TxV1 => "TXv1",
        }
    }
}

/// Room for what is hashed, so that a verification allocates nothing of ours: one a thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch(Vec<u8>);

impl Scratch {
    /// Room that grows to what it needs.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// The digest of `domain || message`.
    pub(super) fn digest(
        &mut self,
        sha256: &dyn Hash,
        domain: &[u8],
        message: &[u8],
        out: &mut [u8; DIGEST],
    ) -> Result<(), Error> {
        self.0.clear();
        self.0.extend_from_slice(domain);
        self.0.extend_from_slice(message);
        sha256.digest(&self.0, out)
    }
}

/// Who accepts transactions: one form, one chain, and an implementation for each scheme.
pub struct Verifier {
    form: Form,
    chain_id: u32,
    sha256: Arc<dyn Hash>,
    schemes: [Option<Arc<dyn SignatureScheme>>; Scheme::ALL.len()],
    cache: Option<KeyCache>,
    /// TXv1: the Ed25519 key of each sender, by its ML-DSA-65 key.
    companions: HashMap<Box<[u8]>, Box<dyn VerifyingKey>>,
}

impl Verifier {
    /// A verifier for a chain, which knows no scheme yet.
    pub fn new(form: Form, chain_id: u32, sha256: Arc<dyn Hash>) -> Verifier {
        let schemes = Default::default();
        Verifier { form, chain_id, sha256, schemes, cache: None, companions: HashMap::new() }
    }

    /// With an implementation of a scheme.
    ///
    /// # Errors
    /// [`Error::Malformed`] where the implementation is of another algorithm, or its lengths are not the scheme's.
    pub fn with_scheme(mut self, scheme: Scheme, implementation: Arc<dyn SignatureScheme>) -> Result<Verifier, Error> {
        let parameters = &implementation.info().parameters;
        let fits = parameters.verifying_key == scheme.public_key() && parameters.signature == scheme.signature().1;
        if !fits || !scheme.is(implementation.as_ref()) {
            return Err(Error::Malformed("implementation of the scheme"));
        }
        self.schemes[usize::from(scheme.id())] = Some(implementation);
        Ok(self)
    }

    /// Keeps so many prepared keys of each scheme. This pays where senders return and a library keeps more than the bytes
    /// of a key.
    pub fn with_key_cache(mut self, capacity: usize) -> Verifier {
        self.cache = Some(KeyCache::new(capacity));
        self
    }

    /// With the Ed25519 key of a sender of hybrid TXv1 transactions, which those do not carry.
    pub fn with_companion(mut self, public_key: &[u8], ed25519: Box<dyn VerifyingKey>) -> Verifier {
        self.companions.insert(public_key.into(), ed25519);
        self
    }

    /// The form that it takes.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The hash function of the digest.
    pub fn sha256(&self) -> &dyn Hash {
        self.sha256.as_ref()
    }

    /// Decodes and verifies.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(&self, encoded: &[u8], scratch: &mut Scratch) -> Result<(), Rejection> {
        match self.form {
            Form::TxV2 => self.verify_decoded(&Transaction::decode(encoded)?, scratch),
            Form::TxV1 => self.verify_reference(&reference::Transaction::decode(encoded)?, scratch),
        }
    }

    /// Verifies what is decoded already: chain, key, digest, signature.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify_decoded(&self, transaction: &Transaction<'_>, scratch: &mut Scratch) -> Result<(), Rejection> {
        if self.form != Form::TxV2 {
            return Err(Malformed::Version(super::transaction::VERSION).into());
        }
        let body = transaction.body();
        self.check_chain(body.chain_id)?;
        let digest = transaction.digest(self.sha256(), scratch).map_err(Rejection::of_verification)?;
        self.check(body.scheme, body.public_key, &digest, transaction.signature())
    }

    /// As [`verify_decoded`](Self::verify_decoded), with the sender's key prepared by the caller.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify_prepared(
        &self,
        transaction: &Transaction<'_>,
        key: &dyn VerifyingKey,
        scratch: &mut Scratch,
    ) -> Result<(), Rejection> {
        self.check_chain(transaction.body().chain_id)?;
        let digest = transaction.digest(self.sha256(), scratch).map_err(Rejection::of_verification)?;
        key.verify(&[], &digest, transaction.signature()).map_err(Rejection::of_verification)
    }

    /// Verifies a decoded transaction of the reference's form.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify_reference(
        &self,
        transaction: &reference::Transaction<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), Rejection> {
        if self.form != Form::TxV1 {
            return Err(Malformed::Version(reference::VERSION).into());
        }
        let body = transaction.body();
        self.check_chain(body.chain_id)?;
        let digest = transaction.digest(self.chain_id, self.sha256(), scratch).map_err(Rejection::of_verification)?;
        let (post_quantum, classical) = match *transaction.authentication() {
            reference::Authentication::MlDsa65(signature) => (signature, None),
            reference::Authentication::Hybrid { ml_dsa_65, ed25519 } => (ml_dsa_65, Some(ed25519)),
        };
        if let Some(signature) = classical {
            let key = self.companions.get(body.public_key).ok_or(Rejection::UnknownSender)?;
            key.verify(&[], &digest, signature).map_err(Rejection::of_verification)?;
        }
        self.check(Scheme::MlDsa65, body.public_key, &digest, post_quantum)
    }

    /// As [`verify_reference`](Self::verify_reference), with the sender's ML-DSA-65 key prepared by the caller, for plain
    /// transactions.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify_reference_prepared(
        &self,
        transaction: &reference::Transaction<'_>,
        key: &dyn VerifyingKey,
        scratch: &mut Scratch,
    ) -> Result<(), Rejection> {
        let reference::Authentication::MlDsa65(signature) = *transaction.authentication() else {
            return Err(Rejection::UnknownSender);
        };
        self.check_chain(transaction.body().chain_id)?;
        let digest = transaction.digest(self.chain_id, self.sha256(), scratch).map_err(Rejection::of_verification)?;
        key.verify(&[], &digest, signature).map_err(Rejection::of_verification)
    }

    /// The prepared key of a sender, from the cache where there is one.
    ///
    /// # Errors
    /// [`Rejection::PublicKey`], or what the library reports.
    pub fn prepare_key(&self, scheme: Scheme, public_key: &[u8]) -> Result<Arc<dyn VerifyingKey>, Rejection> {
        let implementation = self.implementation(scheme)?;
        let load = || implementation.load_verifying_key(public_key);
        match &self.cache {
            Some(cache) => cache.get(scheme, public_key, load),
            None => load().map(Arc::from),
        }
        .map_err(Rejection::of_key)
    }

    fn check(
        &self,
        scheme: Scheme,
        public_key: &[u8],
        digest: &[u8; DIGEST],
        signature: &[u8],
    ) -> Result<(), Rejection> {
        if self.cache.is_some() {
            let key = self.prepare_key(scheme, public_key)?;
            return key.verify(&[], digest, signature).map_err(Rejection::of_verification);
        }
        let key = self.implementation(scheme)?.load_verifying_key(public_key).map_err(Rejection::of_key)?;
        key.verify(&[], digest, signature).map_err(Rejection::of_verification)
    }

    fn check_chain(&self, chain_id: u32) -> Result<(), Rejection> {
        if chain_id == self.chain_id { Ok(()) } else { Err(Rejection::WrongChain(chain_id)) }
    }

    fn implementation(&self, scheme: Scheme) -> Result<&dyn SignatureScheme, Rejection> {
        let implementation = self.schemes[usize::from(scheme.id())].as_deref();
        implementation.ok_or(Rejection::Unsupported(scheme.algorithm()))
    }
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let schemes: Vec<&str> = Scheme::ALL
            .into_iter()
            .filter(|scheme| self.implementation(*scheme).is_ok())
            .map(Scheme::algorithm)
            .collect();
        formatter
            .debug_struct("Verifier")
            .field("form", &self.form)
            .field("chain_id", &self.chain_id)
            .field("schemes", &schemes)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}
