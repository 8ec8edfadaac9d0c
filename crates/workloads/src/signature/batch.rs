//! Verification of many signatures in one operation, such as `verify-x100` for a hundred. Libraries with batch
//! verification verify the signatures together, other libraries one by one. `signers=` is the number of different
//! signers. Libraries that can do both are also measured with the flag `one-by-one`, which turns batch verification
//! off.
//!
//! This module also covers `verify` for providers that cannot sign. The trial verifies a batch of one signature, which
//! another provider created.

use super::{MESSAGE, Mode, signing_key};
use crate::inputs::{POOL, Supply, Turn, bytes, generator};
use crate::{CaseOptions, NULL, Senders, fault, missing};
use pqlab_harness::{Fault, Recorder, Seed, Trial};
use pqlab_primitives::{
    BatchKey, BatchVerifier, Claim, ClaimKey, Error, Provider, Result as LibraryResult, SignatureScheme, SignedMessage,
    VerifyingKey,
};
use pqlab_record::{Case, Form, Parameter};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Default numbers of signatures per operation.
const BATCHES: [u64; 3] = [8, 32, 100];
/// Default numbers of signers for a hundred signatures.
const SIGNERS: [u64; 3] = [100, 10, 1];
/// Prefix of the operation's name, followed by the number of signatures.
const OPERATION: &str = "verify-x";
/// Parameter for the number of signers.
const BY: &str = "signers";
/// Flag for cases that do not use the library's batch verification.
const ONE_BY_ONE: &str = "one-by-one";

/// Returns the number of signatures that an operation such as `verify-x100` verifies. `None` for other operations.
fn batch(operation: &str) -> Option<usize> {
    operation.strip_prefix(OPERATION)?.parse().ok().filter(|number| *number > 0)
}

/// Returns whether the case verifies a batch, or belongs to a provider that cannot sign with its algorithm.
pub(super) fn is_for(case: &Case, provider: &Provider) -> bool {
    batch(&case.operation).is_some() || provider.signature(&case.algorithm).is_none()
}

/// Returns the `verify` cases for providers that only verify, and the batch cases of all providers. Includes only
/// algorithms that at least one provider verifies in batches.
pub(super) fn cases(providers: &[Arc<Provider>], options: &CaseOptions, lengths: &[u64]) -> Vec<Case> {
    let real: Vec<&Arc<Provider>> =
        providers.iter().filter(|provider| provider.library != NULL && provider.remote.is_none()).collect();
    let mut algorithms: Vec<&str> = Vec::new();
    for verifier in real.iter().flat_map(|provider| &provider.batch_verifiers) {
        let algorithm = &verifier.parameters().algorithm;
        if !algorithms.contains(&&**algorithm) {
            algorithms.push(algorithm);
        }
    }
    let mut cases = Vec::new();
    for algorithm in algorithms {
        // Skip the algorithm if no provider can sign the batches.
        if !real.iter().any(|provider| provider.signature(algorithm).is_some()) {
            continue;
        }
        for &length in lengths {
            cases.extend(real.iter().flat_map(|provider| of_provider(provider, algorithm, length, options)));
        }
    }
    cases
}

/// Returns a provider's cases for an algorithm. Returns an empty list if the provider does not offer the algorithm.
fn of_provider(provider: &Provider, algorithm: &str, length: u64, options: &CaseOptions) -> Vec<Case> {
    let (singly, together) = (provider.signature(algorithm).is_some(), provider.batch_verifier(algorithm).is_some());
    let mut cases = Vec::new();
    if !singly && !together {
        return cases;
    }
    for form in [Form::Prepared, Form::Encoded] {
        if !singly {
            cases.push(case(provider, algorithm, "verify".to_owned(), form, length, Vec::new()));
        }
        for (number, signers) in sizes(options) {
            let by = Parameter::Number(BY.into(), signers);
            let make = |parameters| case(provider, algorithm, format!("{OPERATION}{number}"), form, length, parameters);
            cases.push(make(vec![by.clone()]));
            if singly && together {
                cases.push(make(vec![by, Parameter::Flag(ONE_BY_ONE.into())]));
            }
        }
    }
    cases
}

/// Returns the batches to measure, each as its number of signatures and its number of signers.
fn sizes(options: &CaseOptions) -> Vec<(u64, u64)> {
    let mut sizes = Vec::new();
    for number in options.at_once.clone().unwrap_or_else(|| BATCHES.to_vec()) {
        let signers: Vec<u64> = match &options.senders[..] {
            [] if number == 100 => SIGNERS.to_vec(),
            [] => vec![number],
            asked => asked.iter().map(|signers: &Senders| signers.count(number, number)).collect(),
        };
        for signers in signers {
            if !sizes.contains(&(number, signers)) {
                sizes.push((number, signers));
            }
        }
    }
    sizes
}

fn case(
    provider: &Provider,
    algorithm: &str,
    operation: String,
    form: Form,
    length: u64,
    parameters: Vec<Parameter>,
) -> Case {
    let scheme = provider.signature(algorithm).map(|scheme| &scheme.info().parameters);
    let parameters_of = scheme.or_else(|| Some(provider.batch_verifier(algorithm)?.parameters()));
    let length_of_message = Parameter::Number("len".into(), length);
    // Batches of all sizes are measured in the same rounds as single signatures, so that they can be compared.
    let case = Case {
        workload: "signature".into(),
        algorithm: algorithm.to_owned(),
        operation,
        provider: provider.id(),
        form: Some(form),
        parameters: [vec![length_of_message], parameters].concat(),
        block: String::new(),
        facts: parameters_of.map(|of| super::facts(of, None)).unwrap_or_default(),
    };
    case.in_block(&format!("signature/verify/{length}"))
}

/// Prepares a case.
///
/// # Errors
/// Errors from the libraries while generating keys and signatures.
pub(super) fn prepare(
    case: &Case,
    provider: &Provider,
    providers: &[Arc<Provider>],
    seed: Seed,
) -> Result<Box<dyn Trial>, Fault> {
    let number = batch(&case.operation).or((case.operation == "verify").then_some(1)).ok_or_else(|| missing(case))?;
    let (own, batches) = (provider.signature(&case.algorithm), provider.batch_verifier(&case.algorithm));
    let verifier = match (batches, own) {
        (Some(batches), _) if !case.flag(ONE_BY_ONE) => Verifier::Together(Arc::clone(batches)),
        (_, Some(scheme)) => Verifier::OneByOne(Arc::clone(scheme)),
        _ => return Err(missing(case)),
    };
    let signer = own.or_else(|| signer(providers, &case.algorithm));
    let signer = signer.ok_or_else(|| Fault::Unsupported(format!("no library signs with {}", case.algorithm)))?;
    let length = case.message_length().unwrap_or(MESSAGE) as usize;
    let shape = Shape { number, signers: case.number(BY).map_or(POOL, |number| number as usize), length };
    let trial = VerifyBatch::new(verifier, signer.as_ref(), shape, case.form, &mut generator(case, seed));
    Ok(Box::new(trial.map_err(fault)?))
}

/// Returns the scheme that signs for providers that only verify. The scheme comes from the first provider in this
/// process that offers the algorithm.
pub(crate) fn signer<'a>(providers: &'a [Arc<Provider>], algorithm: &str) -> Option<&'a Arc<dyn SignatureScheme>> {
    let able = providers.iter().filter(|provider| provider.library != NULL && provider.remote.is_none());
    able.filter_map(|provider| provider.signature(algorithm)).next()
}

/// Number of signatures in an operation, number of signers, and length of the messages in bytes.
#[derive(Clone, Copy)]
struct Shape {
    number: usize,
    signers: usize,
    length: usize,
}

enum Verifier {
    Together(Arc<dyn BatchVerifier>),
    OneByOne(Arc<dyn SignatureScheme>),
}

enum PreparedKey {
    Together(Box<dyn BatchKey>),
    OneByOne(Box<dyn VerifyingKey>),
}

#[derive(Clone)]
struct Signed {
    key: usize,
    message: Vec<u8>,
    signature: Vec<u8>,
}

struct VerifyBatch {
    verifier: Verifier,
    encoded: bool,
    keys: Vec<(PreparedKey, Vec<u8>)>,
    /// Signatures of all operations, concatenated: `number` per operation.
    signed: Vec<Signed>,
    number: usize,
    turn: Turn,
    /// Index, within the last operation, of the signature that the last [`Trial::verify`] changed.
    changed: usize,
}

impl VerifyBatch {
    fn new(
        verifier: Verifier,
        signer: &dyn SignatureScheme,
        shape: Shape,
        form: Option<Form>,
        generator: &mut ChaCha8Rng,
    ) -> LibraryResult<VerifyBatch> {
        let parameters = &signer.info().parameters;
        let mut signing = Vec::new();
        let keys = Supply::Keys(shape.signers as u64).keys(|| {
            let (key, _) = signing_key(signer, generator)?;
            let mut encoded = vec![0; parameters.verifying_key];
            let length = key.verifying_key()?.encode(&mut encoded)?;
            encoded.truncate(length);
            signing.push(key);
            let prepared = match &verifier {
                Verifier::Together(batches) => PreparedKey::Together(batches.prepare(&encoded)?),
                Verifier::OneByOne(scheme) => PreparedKey::OneByOne(scheme.load_verifying_key(&encoded)?),
            };
            Ok::<_, Error>((prepared, encoded))
        })?;
        // Use at least as many signatures as a pool holds, because caches and branch predictors would learn a smaller
        // set.
        let operations = POOL.div_ceil(shape.number);
        let mode = Mode::default();
        let sign = |index: usize| {
            let key = index % keys.len();
            let message = bytes(generator, shape.length);
            let mut signature = vec![0; parameters.signature];
            let length = mode.sign(signing[key].as_ref(), &message, mode.coins(), &mut signature)?;
            signature.truncate(length);
            Ok::<_, Error>(Signed { key, message, signature })
        };
        let signed = (0..operations * shape.number).map(sign).collect::<LibraryResult<Vec<_>>>()?;
        Ok(VerifyBatch {
            verifier,
            encoded: form == Some(Form::Encoded),
            keys,
            signed,
            number: shape.number,
            turn: Turn::new(operations),
            changed: 0,
        })
    }

    /// Returns the signatures of an operation.
    #[inline(always)]
    fn signed(&self, operation: usize) -> &[Signed] {
        &self.signed[operation * self.number..][..self.number]
    }

    /// Returns a verdict on each signature. If the verifier gives only one verdict per batch, all verdicts are equal.
    #[inline(always)]
    fn verdicts(&self, signed: &[Signed]) -> Vec<LibraryResult<()>> {
        match &self.verifier {
            Verifier::Together(batches) => {
                let claims: Vec<Claim> = signed.iter().map(|signed| self.claim(signed)).collect();
                batches.verify(&claims)
            }
            Verifier::OneByOne(scheme) => signed.iter().map(|signed| self.verdict(scheme.as_ref(), signed)).collect(),
        }
    }

    fn claim<'a>(&'a self, signed: &'a Signed) -> Claim<'a> {
        let key = match &self.keys[signed.key] {
            (PreparedKey::Together(key), _) if !self.encoded => ClaimKey::Prepared(key.as_ref()),
            (_, encoded) => ClaimKey::Encoded(encoded),
        };
        let message = SignedMessage::Pure { context: Mode::default().context, message: &signed.message };
        Claim { key, message, signature: &signed.signature }
    }

    #[inline(always)]
    fn verdict(&self, scheme: &dyn SignatureScheme, signed: &Signed) -> LibraryResult<()> {
        let Signed { key, message, signature } = signed;
        match &self.keys[*key] {
            (PreparedKey::OneByOne(key), _) if !self.encoded => {
                Mode::default().verify(key.as_ref(), message, signature)
            }
            (_, encoded) => Mode::default().verify(scheme.load_verifying_key(encoded)?.as_ref(), message, signature),
        }
    }

    /// Checks that there are as many verdicts as signatures. A signature without a verdict was not verified.
    fn there_are_as_many(&self, verdicts: &[LibraryResult<()>]) -> Result<(), Fault> {
        if verdicts.len() == self.number {
            return Ok(());
        }
        Err(Fault::WrongAnswer(format!("number of verdicts: {}, expected {}", verdicts.len(), self.number)))
    }

    /// Returns whether the verifier gives a separate verdict on each signature, rather than one for the batch.
    fn answers_for_each(&self) -> bool {
        match &self.verifier {
            Verifier::Together(batches) => batches.answers_for_each(),
            Verifier::OneByOne(_) => true,
        }
    }
}

impl Trial for VerifyBatch {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let operation = self.turn.advance();
            let verdicts = self.verdicts(self.signed(operation));
            self.there_are_as_many(&verdicts)?;
            for verdict in verdicts {
                verdict.map_err(fault)?;
            }
        }
        Ok(())
    }

    /// Changes the message, then the signature, at one position of the last operation. Each time, the verifier must
    /// reject exactly this signature or, if it gives only one verdict, the entire batch. Each call uses a different
    /// position.
    fn verify(&mut self) -> Result<(), Fault> {
        let first = self.turn.last() * self.number;
        self.changed = (self.changed + 1) % self.number;
        let message = |signed: &mut Signed| match signed.message.first_mut() {
            Some(byte) => *byte ^= 1,
            None => signed.message.push(0),
        };
        let signature = |signed: &mut Signed| signed.signature[0] ^= 1;
        let each = self.answers_for_each();
        for (what, change) in
            [("a changed message", &message as &dyn Fn(&mut Signed)), ("a changed signature", &signature)]
        {
            let place = first + self.changed;
            let kept = self.signed[place].clone();
            change(&mut self.signed[place]);
            let verdicts = self.verdicts(self.signed(self.turn.last()));
            self.signed[place] = kept;
            self.there_are_as_many(&verdicts)?;
            for (index, verdict) in verdicts.into_iter().enumerate() {
                let refused = !each || index == self.changed;
                if verdict.is_err() != refused {
                    let so = if refused { "accepts" } else { "rejects a valid signature next to" };
                    return Err(Fault::WrongAnswer(format!("batch verification {so} {what}")));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workload;
    use crate::signature::SignatureWorkload;
    use crate::testing::{prepared, right};
    use pqlab_primitives::SignatureParameters;

    fn cases_of(providers: &[Arc<Provider>]) -> Vec<Case> {
        let all = SignatureWorkload.cases(providers, &CaseOptions::default());
        let ours = |case: &Case| batch(&case.operation).is_some() || case.library() == "mldsa-batch";
        all.into_iter().filter(ours).collect()
    }

    #[test]
    fn every_library_verifies_many_if_any_has_batches() {
        let providers = pqlab_providers::providers();
        let cases = cases_of(&providers);
        let ids: Vec<String> = cases.iter().map(Case::id).collect();
        for id in [
            "signature/ML-DSA-65/verify[len=32]@mldsa-batch:portable",
            "signature/ML-DSA-65/verify[encoded,len=32]@mldsa-batch:portable",
            "signature/ML-DSA-65/verify-x100[encoded,len=32,signers=10]@mldsa-batch:portable",
            "signature/ML-DSA-65/verify-x8[len=32,signers=8]@rustcrypto",
            "signature/Ed25519/verify-x100[len=32,signers=100]@rustcrypto",
            "signature/Ed25519/verify-x100[len=32,signers=100,one-by-one]@rustcrypto",
        ] {
            assert!(ids.iter().any(|known| known == id), "{id}");
        }
        assert!(!ids.iter().any(|id| id.contains("sign[") && id.contains("mldsa-batch")), "mldsa-batch must not sign");
        assert!(!ids.iter().any(|id| id.contains("Falcon")), "Falcon must not have batch cases");
        let short = |case: &&Case| case.operation == "verify" || case.number(BY) == Some(8);
        for case in cases.iter().filter(short) {
            right(&SignatureWorkload, case, &providers, &[2]);
        }
    }

    #[test]
    fn uses_the_requested_numbers_of_signatures_and_signers() {
        let options = CaseOptions {
            at_once: Some(vec![4, 200]),
            senders: vec![Senders::All, Senders::Percent(50.0), Senders::Number(1000)],
            ..CaseOptions::default()
        };
        assert_eq!(sizes(&options), [(4, 4), (4, 2), (200, 200), (200, 100)]);
        assert_eq!(sizes(&CaseOptions::default()), [(8, 8), (32, 32), (100, 100), (100, 10), (100, 1)]);
    }

    /// Batch verifier with scripted verdicts. If `one_short` is set, it returns one verdict too few. If `each` is set,
    /// it claims to give separate verdicts.
    struct Wrong {
        each: bool,
        one_short: bool,
        parameters: SignatureParameters,
        verdicts: fn(usize) -> LibraryResult<()>,
    }

    impl BatchVerifier for Wrong {
        fn parameters(&self) -> &SignatureParameters {
            &self.parameters
        }

        fn answers_for_each(&self) -> bool {
            self.each
        }

        fn prepare(&self, _verifying_key: &[u8]) -> LibraryResult<Box<dyn BatchKey>> {
            struct Key;
            impl BatchKey for Key {}
            Ok(Box::new(Key))
        }

        fn verify(&self, claims: &[Claim]) -> Vec<LibraryResult<()>> {
            (0..claims.len() - usize::from(self.one_short)).map(self.verdicts).collect()
        }
    }

    #[test]
    fn detects_accepted_changed_signatures_and_refused_valid_ones() {
        let accepts: fn(usize) -> LibraryResult<()> = |_| Ok(());
        let refuses: fn(usize) -> LibraryResult<()> = |_| Err(Error::VerificationFailed);
        let providers = pqlab_providers::providers();
        let template = providers.iter().find(|provider| provider.id() == "rustcrypto").unwrap();
        for (each, verdicts, one_short, right) in [
            (true, accepts, false, false),
            (true, refuses, false, false),
            (false, accepts, false, false),
            (false, refuses, false, true),
            (false, refuses, true, false),
        ] {
            let mut provider = Provider::new("wrong", template.build_info.clone());
            let parameters = SignatureParameters::find("Ed25519").unwrap();
            provider.batch_verifiers = vec![Arc::new(Wrong { each, one_short, parameters, verdicts })];
            let providers = [Arc::new(provider), Arc::clone(template)];
            let case = cases_of(&providers)
                .into_iter()
                .find(|case| case.id() == "signature/Ed25519/verify-x8[len=32,signers=8]@wrong")
                .unwrap();
            let mut trial = prepared(&SignatureWorkload, &case, &providers);
            assert_eq!(trial.verify().is_ok(), right, "{each} {one_short}");
            // A verifier that returns one verdict too few must fail during the timed call.
            let timed = trial.routine(1, &mut Recorder::default());
            assert!(
                !one_short || matches!(timed, Err(Fault::WrongAnswer(what)) if what.contains("number of verdicts: 7,"))
            );
        }
    }
}
