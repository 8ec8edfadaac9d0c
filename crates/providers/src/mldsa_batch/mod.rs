//! This project's batch verification for ML-DSA (crate `pqlab-mldsa-batch`). No library offers batch verification for
//! ML-DSA.
//!
//! Each code path is a separate provider. If this processor cannot run a code path, the provider lists the parameter
//! sets as unsupported and gives the reason. The providers do not generate keys and do not sign.

#[cfg(test)]
mod tests;

use crate::shared::compiled::{compiled, crate_versions};
use pqlab_mldsa_batch::{EncodedKey, Message, MlDsa44, MlDsa65, MlDsa87, ParameterSet, PreparedKey, Refusal, Verifier};
use pqlab_primitives::{
    Backend, BatchKey, BatchVerifier, BuildInfo, Claim, ClaimKey, Error, Provider, Result, SignatureParameters,
    SignedMessage, Unsupported,
};
use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

/// Names of the parameter sets.
const SETS: [&str; 3] = [MlDsa44::NAME, MlDsa65::NAME, MlDsa87::NAME];

pub(crate) fn providers() -> Vec<Provider> {
    pqlab_mldsa_batch::Backend::ALL.into_iter().map(provider).collect()
}

fn provider(backend: pqlab_mldsa_batch::Backend) -> Provider {
    let code = match backend {
        pqlab_mldsa_batch::Backend::Avx512 => "sixteen coefficients, eight Keccak states",
        pqlab_mldsa_batch::Backend::Avx2 => "eight coefficients, four Keccak states",
        pqlab_mldsa_batch::Backend::Portable => "one coefficient, one Keccak state",
    };
    let version = crate_versions(&["pqlab-mldsa-batch", "pqlab-keccak"]);
    let build_info = BuildInfo { version, build: format!("{}; {code} at a time", compiled()) };
    let mut provider = Provider::new("mldsa-batch", build_info);
    provider.backend = Some(Backend(backend.name().to_owned()));
    match Verifier::new(backend) {
        Ok(verifier) => {
            provider.batch_verifiers =
                vec![of_set::<MlDsa44>(verifier), of_set::<MlDsa65>(verifier), of_set::<MlDsa87>(verifier)];
        }
        Err(reason) => {
            let lacks = |set: &str| Unsupported { algorithm: set.to_owned(), reason: reason.to_string() };
            provider.unsupported = SETS.into_iter().map(lacks).collect();
        }
    }
    provider
}

fn of_set<P: ParameterSet>(verifier: Verifier) -> Arc<dyn BatchVerifier> {
    let parameters = SignatureParameters::find(P::NAME).expect("missing from the parameter table");
    Arc::new(Batches::<P> { parameters, verifier, set: PhantomData })
}

struct Batches<P> {
    parameters: SignatureParameters,
    verifier: Verifier,
    set: PhantomData<P>,
}

/// A key with the expanded matrix and the transformed `t1`.
struct Prepared<P>(PreparedKey<P>);

impl<P: ParameterSet> BatchKey for Prepared<P> {}

impl<P: ParameterSet> BatchVerifier for Batches<P> {
    fn parameters(&self) -> &SignatureParameters {
        &self.parameters
    }

    fn answers_for_each(&self) -> bool {
        true
    }

    fn prepare(&self, verifying_key: &[u8]) -> Result<Box<dyn BatchKey>> {
        Ok(Box::new(Prepared(self.verifier.prepare(encoded::<P>(verifying_key)?))))
    }

    fn verify(&self, claims: &[Claim]) -> Vec<Result<()>> {
        // Verify only the claims that can be converted. Every other claim gets its conversion error
        // as its result.
        let converted: Vec<Result<pqlab_mldsa_batch::Claim<P>>> = claims.iter().map(claim).collect();
        let valid: Vec<pqlab_mldsa_batch::Claim<P>> =
            converted.iter().filter_map(|claim| claim.as_ref().ok()).copied().collect();
        let mut verdicts = self.verifier.verify_batch(&valid).into_iter();
        let verdict = |claim: Result<pqlab_mldsa_batch::Claim<P>>| {
            claim?;
            verdicts.next().expect("every claim must get a verdict").map_err(refused)
        };
        converted.into_iter().map(verdict).collect()
    }
}

fn encoded<P: ParameterSet>(bytes: &[u8]) -> Result<EncodedKey<'_, P>> {
    EncodedKey::new(bytes).map_err(refused)
}

fn claim<'a, P: ParameterSet>(claim: &Claim<'a>) -> Result<pqlab_mldsa_batch::Claim<'a, P>> {
    let key = match claim.key {
        ClaimKey::Encoded(bytes) => encoded(bytes)?.into(),
        ClaimKey::Prepared(key) => {
            let key: &dyn Any = key;
            let key: Option<&Prepared<P>> = key.downcast_ref();
            (&key.ok_or(Error::Malformed("key: prepared for a different verifier or parameter set"))?.0).into()
        }
    };
    let message = match claim.message {
        SignedMessage::Pure { context, message } => Message::Pure { context, message },
        SignedMessage::Formatted(message) => Message::Formatted(message),
        SignedMessage::Mu(mu) => Message::Mu(mu),
    };
    Ok(pqlab_mldsa_batch::Claim { key, message, signature: claim.signature })
}

fn refused(refusal: Refusal) -> Error {
    match refusal {
        Refusal::KeyLength { expected, actual } => Error::Length { what: "verifying key", expected, actual },
        Refusal::ContextLength(actual) => Error::Length { what: "context", expected: 255, actual },
        Refusal::SignatureLength { .. } | Refusal::Hint | Refusal::Norm | Refusal::Challenge => {
            Error::VerificationFailed
        }
    }
}
