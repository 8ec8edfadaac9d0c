use super::implementation::{Examined, Implementation, PreparedKey, verify_claims};
use super::{DIGEST, KeyCache, Malformed, Rejection, Scheme, Transaction, reference};
use pqlab_primitives::{BatchVerifier, ClaimKey, Error, Hash, SignatureScheme, VerifyingKey};
use std::collections::HashMap;
use std::sync::Arc;

/// Form of a transaction. A verifier accepts only one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// TXv2, the default form: [`Transaction`].
    #[default]
    TxV2,
    /// TXv1, the form that an earlier system measured: [`reference`](mod@super::reference).
    TxV1,
}

impl Form {
    /// Returns the name of the form, which is also the prefix of the signed bytes.
    pub const fn name(self) -> &'static str {
        match self {
            Form::TxV2 => "TXv2",
            Form::TxV1 => "TXv1",
        }
    }
}

/// Reusable buffer for hashing that avoids allocations during verification. Use one buffer per thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch(Vec<u8>);

impl Scratch {
    /// Creates an empty buffer, which grows as needed.
    pub fn new() -> Scratch {
        Scratch::default()
    }

    /// Computes the digest of `domain || message`.
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

/// Verifies transactions of one form for one chain, with one implementation per scheme.
pub struct Verifier {
    form: Form,
    chain_id: u32,
    sha256: Arc<dyn Hash>,
    schemes: [Option<Implementation>; Scheme::ALL.len()],
    batch: usize,
    cache: Option<KeyCache>,
    /// TXv1: maps a sender's ML-DSA-65 key to the sender's Ed25519 key.
    companions: HashMap<Box<[u8]>, Box<dyn VerifyingKey>>,
}

impl Verifier {
    /// Default batch size, in transactions. [`in_batches_of`](Self::in_batches_of) changes it.
    pub const BATCH: usize = 100;

    /// Creates a verifier for a chain. Add schemes before using it.
    pub fn new(form: Form, chain_id: u32, sha256: Arc<dyn Hash>) -> Verifier {
        let schemes = Default::default();
        Verifier { form, chain_id, sha256, schemes, batch: Verifier::BATCH, cache: None, companions: HashMap::new() }
    }

    /// Adds an implementation that verifies one signature at a time.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the algorithm or lengths of the implementation do not match the scheme.
    pub fn with_scheme(mut self, scheme: Scheme, implementation: Arc<dyn SignatureScheme>) -> Result<Verifier, Error> {
        let parameters = &implementation.info().parameters;
        let fits = parameters.verifying_key == scheme.public_key() && parameters.signature == scheme.signature().1;
        if !fits || !scheme.is(implementation.as_ref()) {
            return Err(Error::Malformed("implementation of the scheme"));
        }
        self.schemes[usize::from(scheme.id())] = Some(Implementation::Single(implementation));
        Ok(self)
    }

    /// Adds an implementation that verifies signatures in batches.
    ///
    /// # Errors
    /// - [`Error::Malformed`] if the algorithm or lengths of the implementation do not match the scheme.
    /// - [`Error::Unsupported`] if the implementation does not [give each signature a
    ///   verdict](BatchVerifier::answers_for_each). The verdict on a transaction must not depend on other transactions.
    pub fn with_batches(mut self, scheme: Scheme, batches: Arc<dyn BatchVerifier>) -> Result<Verifier, Error> {
        let parameters = batches.parameters();
        let fits = parameters.verifying_key == scheme.public_key() && parameters.signature == scheme.signature().1;
        if !fits || parameters.algorithm != scheme.algorithm() {
            return Err(Error::Malformed("implementation of the scheme"));
        }
        if !batches.answers_for_each() {
            return Err(Error::Unsupported("batch verifiers that do not give each signature a verdict"));
        }
        self.schemes[usize::from(scheme.id())] = Some(Implementation::Batches(batches));
        Ok(self)
    }

    /// Sets the batch size, in transactions, for schemes with [batch verifiers](Self::with_batches). Treats 0 as 1.
    pub fn in_batches_of(mut self, transactions: usize) -> Verifier {
        self.batch = transactions.max(1);
        self
    }

    /// Returns the preferred number of transactions per call: the batch size, or 1 if no scheme has a batch verifier.
    pub fn batch(&self) -> usize {
        let batches = |scheme: &Option<Implementation>| matches!(scheme, Some(Implementation::Batches(_)));
        if self.schemes.iter().any(batches) { self.batch } else { 1 }
    }

    /// Caches up to `capacity` prepared keys per scheme. A cache saves time if senders recur and the library
    /// precomputes data when it prepares a key.
    pub fn with_key_cache(mut self, capacity: usize) -> Verifier {
        self.cache = Some(KeyCache::new(capacity));
        self
    }

    /// Adds a sender's Ed25519 key for hybrid TXv1 transactions, which do not contain this key. `public_key` is the
    /// sender's ML-DSA-65 key.
    pub fn with_companion(mut self, public_key: &[u8], ed25519: Box<dyn VerifyingKey>) -> Verifier {
        self.companions.insert(public_key.into(), ed25519);
        self
    }

    /// Returns the form that this verifier accepts.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the SHA-256 implementation that computes digests.
    pub fn sha256(&self) -> &dyn Hash {
        self.sha256.as_ref()
    }

    /// Decodes and verifies a transaction.
    ///
    /// # Errors
    /// A [`Rejection`] that states the reason.
    pub fn verify(&self, encoded: &[u8], scratch: &mut Scratch) -> Result<(), Rejection> {
        self.check(&self.examine(encoded, scratch)?, None)
    }

    /// Decodes and verifies several transactions, and returns verdicts in the same order. Uses
    /// batch verifiers for the schemes that have one.
    pub fn verify_batch(&self, encoded: &[&[u8]], scratch: &mut Scratch) -> Vec<Result<(), Rejection>> {
        self.check_batch(self.examine_batch(encoded, scratch))
    }

    /// [Examines](Self::examine) several transactions. Returns the input for [`check_batch`](Self::check_batch),
    /// without prepared keys.
    pub(super) fn examine_batch<'a>(
        &self,
        encoded: &[&'a [u8]],
        scratch: &mut Scratch,
    ) -> Vec<(Result<Examined<'a>, Rejection>, Option<&'static PreparedKey>)> {
        encoded.iter().map(|bytes| (self.examine(bytes, scratch), None)).collect()
    }

    /// Verifies a decoded transaction: chain id, public key and signature.
    ///
    /// # Errors
    /// A [`Rejection`] that states the reason.
    pub fn verify_decoded(&self, transaction: &Transaction<'_>, scratch: &mut Scratch) -> Result<(), Rejection> {
        self.check(&self.examine_decoded(transaction, scratch)?, None)
    }

    /// Verifies a decoded TXv1 transaction.
    ///
    /// # Errors
    /// A [`Rejection`] that states the reason.
    pub fn verify_reference(
        &self,
        transaction: &reference::Transaction<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), Rejection> {
        self.check(&self.examine_reference(transaction, scratch)?, None)
    }

    /// Decodes a transaction, checks its chain id and computes the signed digest. In a hybrid TXv1 transaction, also
    /// verifies the Ed25519 signature. [`check`](Self::check) verifies the remaining signature.
    ///
    /// # Errors
    /// A [`Rejection`] that states the reason.
    pub fn examine<'a>(&self, encoded: &'a [u8], scratch: &mut Scratch) -> Result<Examined<'a>, Rejection> {
        match self.form {
            Form::TxV2 => self.examine_decoded(&Transaction::decode(encoded)?, scratch),
            Form::TxV1 => self.examine_reference(&reference::Transaction::decode(encoded)?, scratch),
        }
    }

    /// Checks the chain id of a decoded transaction and computes the signed digest. [`check`](Self::check) verifies the
    /// signature.
    ///
    /// # Errors
    /// A [`Rejection`] that states the reason.
    pub fn examine_decoded<'a>(
        &self,
        transaction: &Transaction<'a>,
        scratch: &mut Scratch,
    ) -> Result<Examined<'a>, Rejection> {
        if self.form != Form::TxV2 {
            return Err(Malformed::Version(super::transaction::VERSION).into());
        }
        let body = transaction.body();
        self.check_chain(body.chain_id)?;
        let digest = transaction.digest(self.sha256(), scratch).map_err(Rejection::of_verification)?;
        let (scheme, public_key) = (body.scheme, body.public_key);
        Ok(Examined { scheme, public_key, digest, signature: transaction.signature() })
    }

    /// Checks the chain id of a decoded TXv1 transaction and computes the signed digest. If the transaction is hybrid,
    /// also verifies the Ed25519 signature. [`check`](Self::check) verifies the ML-DSA-65 signature.
    ///
    /// # Errors
    /// A [`Rejection`] that states the reason.
    pub fn examine_reference<'a>(
        &self,
        transaction: &reference::Transaction<'a>,
        scratch: &mut Scratch,
    ) -> Result<Examined<'a>, Rejection> {
        if self.form != Form::TxV1 {
            return Err(Malformed::Version(reference::VERSION).into());
        }
        let body = transaction.body();
        self.check_chain(body.chain_id)?;
        let digest = transaction.digest(self.chain_id, self.sha256(), scratch).map_err(Rejection::of_verification)?;
        let (signature, classical) = match *transaction.authentication() {
            reference::Authentication::MlDsa65(signature) => (signature, None),
            reference::Authentication::Hybrid { ml_dsa_65, ed25519 } => (ml_dsa_65, Some(ed25519)),
        };
        if let Some(signature) = classical {
            let key = self.companions.get(body.public_key).ok_or(Rejection::UnknownSender)?;
            key.verify(&[], &digest, signature).map_err(Rejection::of_verification)?;
        }
        Ok(Examined { scheme: Scheme::MlDsa65, public_key: body.public_key, digest, signature })
    }

    /// Verifies the signature of an examined transaction. Uses `prepared` if present. Otherwise, loads the
    /// transaction's public key, or takes the key from the verifier's cache if there is one.
    ///
    /// # Errors
    /// A [`Rejection`] that states the reason.
    pub fn check(&self, examined: &Examined<'_>, prepared: Option<&PreparedKey>) -> Result<(), Rejection> {
        let Examined { scheme, public_key, digest, signature } = examined;
        let implementation = self.implementation(*scheme)?;
        let loaded;
        let prepared = match prepared {
            None if self.cache.is_some() => {
                loaded = self.prepare_key(*scheme, public_key)?;
                Some(&loaded)
            }
            other => other,
        };
        match (implementation, prepared) {
            (Implementation::Batches(batches), prepared) => {
                let key = prepared.map_or(ClaimKey::Encoded(public_key), PreparedKey::of_claim);
                verify_claims(batches.as_ref(), &[examined.claim(key)]).swap_remove(0)
            }
            (Implementation::Single(_), Some(PreparedKey::Single(key))) => {
                key.verify(&[], digest, signature).map_err(Rejection::of_verification)
            }
            (Implementation::Single(single), _) => {
                let key = single.load_verifying_key(public_key).map_err(Rejection::of_key)?;
                key.verify(&[], digest, signature).map_err(Rejection::of_verification)
            }
        }
    }

    /// Verifies the signatures of several examined transactions, in batches if the scheme has a batch verifier. Returns
    /// one verdict per transaction, in the same order. Transactions that were already rejected keep their rejection.
    pub fn check_batch(
        &self,
        examined: Vec<(Result<Examined<'_>, Rejection>, Option<&PreparedKey>)>,
    ) -> Vec<Result<(), Rejection>> {
        let mut verdicts = Vec::with_capacity(examined.len());
        // For each scheme, the positions of the transactions to verify in one batch.
        let mut together: [Vec<usize>; Scheme::ALL.len()] = Default::default();
        let mut keys: Vec<Option<PreparedKey>> = vec![None; examined.len()];
        for (index, (one, prepared)) in examined.iter().enumerate() {
            verdicts.push(match one {
                Err(rejection) => Err(rejection.clone()),
                Ok(one) if self.batches(one.scheme).is_none() => self.check(one, *prepared),
                Ok(one) => {
                    let kept = match prepared {
                        None if self.cache.is_some() => self.prepare_key(one.scheme, one.public_key).map(Some),
                        prepared => Ok(prepared.cloned()),
                    };
                    kept.map(|key| {
                        keys[index] = key;
                        together[usize::from(one.scheme.id())].push(index);
                    })
                }
            });
        }
        for scheme in Scheme::ALL {
            let positions = &together[usize::from(scheme.id())];
            let (Some(batches), false) = (self.batches(scheme), positions.is_empty()) else { continue };
            let claims: Vec<_> = positions
                .iter()
                .filter_map(|&index| {
                    let one = examined[index].0.as_ref().ok()?;
                    let key = keys[index].as_ref().map_or(ClaimKey::Encoded(one.public_key), PreparedKey::of_claim);
                    Some(one.claim(key))
                })
                .collect();
            for (&index, verdict) in positions.iter().zip(verify_claims(batches, &claims)) {
                verdicts[index] = verdict;
            }
        }
        verdicts
    }

    /// Prepares a sender's key. Uses the cache if the verifier has one.
    ///
    /// # Errors
    /// [`Rejection::PublicKey`] if the key is invalid. Propagates errors from the library.
    pub fn prepare_key(&self, scheme: Scheme, public_key: &[u8]) -> Result<PreparedKey, Rejection> {
        let implementation = self.implementation(scheme)?;
        let load = || implementation.prepare(public_key);
        match &self.cache {
            Some(cache) => cache.get(scheme, public_key, load),
            None => load(),
        }
        .map_err(Rejection::of_key)
    }

    fn check_chain(&self, chain_id: u32) -> Result<(), Rejection> {
        if chain_id == self.chain_id { Ok(()) } else { Err(Rejection::WrongChain(chain_id)) }
    }

    fn implementation(&self, scheme: Scheme) -> Result<&Implementation, Rejection> {
        let implementation = self.schemes[usize::from(scheme.id())].as_ref();
        implementation.ok_or(Rejection::Unsupported(scheme.algorithm()))
    }

    fn batches(&self, scheme: Scheme) -> Option<&dyn BatchVerifier> {
        match self.implementation(scheme) {
            Ok(Implementation::Batches(batches)) => Some(batches.as_ref()),
            _ => None,
        }
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
