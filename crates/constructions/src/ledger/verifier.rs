use super::implementation::{Examined, Implementation, PreparedKey, verify_claims};
use super::{DIGEST, KeyCache, Malformed, Rejection, Scheme, Transaction, reference};
use pqlab_primitives::{BatchVerifier, ClaimKey, Error, Hash, SignatureScheme, VerifyingKey};
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
    schemes: [Option<Implementation>; Scheme::ALL.len()],
    batch: usize,
    cache: Option<KeyCache>,
    /// TXv1: the Ed25519 key of each sender, by its ML-DSA-65 key.
    companions: HashMap<Box<[u8]>, Box<dyn VerifyingKey>>,
}

impl Verifier {
    /// Signatures that are verified at once, where the number is not [given](Self::in_batches_of).
    pub const BATCH: usize = 100;

    /// A verifier for a chain, which knows no scheme yet.
    pub fn new(form: Form, chain_id: u32, sha256: Arc<dyn Hash>) -> Verifier {
        let schemes = Default::default();
        Verifier { form, chain_id, sha256, schemes, batch: Verifier::BATCH, cache: None, companions: HashMap::new() }
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
        self.schemes[usize::from(scheme.id())] = Some(Implementation::Single(implementation));
        Ok(self)
    }

    /// With an implementation of a scheme that verifies many signatures at once.
    ///
    /// # Errors
    /// [`Error::Malformed`] where it is of another algorithm, or its lengths are not the scheme's; [`Error::Unsupported`] where a
    /// batch does not [answer for each](BatchVerifier::answers_for_each): what becomes of a transaction must not depend on
    /// its neighbours in a block.
    pub fn with_batches(mut self, scheme: Scheme, batches: Arc<dyn BatchVerifier>) -> Result<Verifier, Error> {
        let parameters = batches.parameters();
        let fits = parameters.verifying_key == scheme.public_key() && parameters.signature == scheme.signature().1;
        if !fits || parameters.algorithm != scheme.algorithm() {
            return Err(Error::Malformed("implementation of the scheme"));
        }
        if !batches.answers_for_each() {
            return Err(Error::Unsupported("a batch that does not answer for each of its signatures"));
        }
        self.schemes[usize::from(scheme.id())] = Some(Implementation::Batches(batches));
        Ok(self)
    }

    /// Blocks are verified so many transactions at a time, where the scheme has [batches](Self::with_batches); 0 is as 1.
    pub fn in_batches_of(mut self, transactions: usize) -> Verifier {
        self.batch = transactions.max(1);
        self
    }

    /// How many transactions are best verified at once: 1 where no scheme has batches.
    pub fn batch(&self) -> usize {
        let batches = |scheme: &Option<Implementation>| matches!(scheme, Some(Implementation::Batches(_)));
        if self.schemes.iter().any(batches) { self.batch } else { 1 }
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
        self.check(&self.examine(encoded, scratch)?, None)
    }

    /// As [`verify`](Self::verify) for each, in their order: all the signatures of a scheme at once where it has batches.
    pub fn verify_batch(&self, encoded: &[&[u8]], scratch: &mut Scratch) -> Vec<Result<(), Rejection>> {
        self.check_batch(self.examine_batch(encoded, scratch))
    }

    /// [Examines](Self::examine) each.
    pub(super) fn examine_batch<'a>(
        &self,
        encoded: &[&'a [u8]],
        scratch: &mut Scratch,
    ) -> Vec<(Result<Examined<'a>, Rejection>, Option<&'static PreparedKey>)> {
        encoded.iter().map(|bytes| (self.examine(bytes, scratch), None)).collect()
    }

    /// Verifies what is decoded already: chain, key, digest, signature.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify_decoded(&self, transaction: &Transaction<'_>, scratch: &mut Scratch) -> Result<(), Rejection> {
        self.check(&self.examine_decoded(transaction, scratch)?, None)
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
        self.check(&self.examine_reference(transaction, scratch)?, None)
    }

    /// All but the signature.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn examine<'a>(&self, encoded: &'a [u8], scratch: &mut Scratch) -> Result<Examined<'a>, Rejection> {
        match self.form {
            Form::TxV2 => self.examine_decoded(&Transaction::decode(encoded)?, scratch),
            Form::TxV1 => self.examine_reference(&reference::Transaction::decode(encoded)?, scratch),
        }
    }

    /// All but the signature of what is decoded already.
    ///
    /// # Errors
    /// Why it is rejected.
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

    /// All but the ML-DSA-65 signature of a decoded transaction of the reference's form.
    ///
    /// # Errors
    /// Why it is rejected.
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

    /// Verifies the signature, by the sender's key as the caller has prepared it, or as the transaction carries it.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn check(&self, examined: &Examined<'_>, prepared: Option<&PreparedKey>) -> Result<(), Rejection> {
        let Examined { scheme, public_key, digest, signature } = examined;
        let implementation = self.implementation(*scheme)?;
        let own;
        let prepared = match prepared {
            None if self.cache.is_some() => {
                own = self.prepare_key(*scheme, public_key)?;
                Some(&own)
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

    /// What becomes of each: the rejection that there is already, or what [`check`](Self::check) says of it.
    pub fn check_batch(
        &self,
        examined: Vec<(Result<Examined<'_>, Rejection>, Option<&PreparedKey>)>,
    ) -> Vec<Result<(), Rejection>> {
        let mut verdicts = Vec::with_capacity(examined.len());
        // By scheme: the positions of those that go into its batch, and their keys.
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

    /// The prepared key of a sender, from the cache where there is one.
    ///
    /// # Errors
    /// [`Rejection::PublicKey`], or what the library reports.
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
