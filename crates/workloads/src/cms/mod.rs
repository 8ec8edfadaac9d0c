//! Workload `cms`: signs a firmware image with a detached CMS SignedData, and verifies it, with classical and
//! post-quantum signatures.
//!
//! `make` is a signer's work, and `verify` is a device's: decoding the SignedData, verifying the signature over the
//! signed attributes, and comparing the digest of the image. The device has already loaded the public key. `digest` is
//! the digest alone. The signature and the digest are by the same library.

mod image;
mod trials;

use crate::inputs::generator;
use crate::{CaseOptions, NULL, Workload, fault, find, missing};
use image::Image;
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Hash, Provider, SignatureParameters, SignatureScheme, cms_digest};
use pqlab_record::{Case, Facts, Parameter, Sizes};
use std::sync::Arc;
use trials::{Digest, Keys, Make, Verify};

const ALGORITHMS: [&str; 9] = [
    "Ed25519",
    "ECDSA-P-256",
    "RSA-2048",
    "ML-DSA-44",
    "ML-DSA-65",
    "ML-DSA-87",
    "SLH-DSA-SHA2-128s",
    "SLH-DSA-SHA2-128f",
    "SLH-DSA-SHA2-192f",
];
const DIGESTS: [&str; 2] = ["SHA-256", "SHA-512"];
/// Prefix of the algorithm names of signatures.
const PREFIX: &str = "CMS-";
const OPERATIONS: [&str; 2] = ["make", VERIFY];
const VERIFY: &str = "verify";
const DIGEST: &str = "digest";
/// Default lengths of images in bytes. Signing or verifying the first one takes hardly longer than the signature.
const LENGTHS: [u64; 3] = [1_000, 1_000_000, 10_000_000];
/// Length of a large image, which only the algorithms in [`LARGE_ALGORITHMS`] verify.
const LARGE: u64 = 100_000_000;
const LARGE_ALGORITHMS: [&str; 2] = ["ECDSA-P-256", "ML-DSA-65"];

pub(crate) struct CmsWorkload;

impl Workload for CmsWorkload {
    fn id(&self) -> &'static str {
        "cms"
    }

    fn describe(&self) -> &'static str {
        "firmware images with detached CMS signatures, classical and post-quantum: signing and verifying"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let lengths = options.lengths.as_deref().unwrap_or(&LENGTHS);
        // Workers in other languages would receive the image through a pipe.
        let linked = || providers.iter().filter(|provider| provider.library != NULL && provider.remote.is_none());
        let mut cases = Vec::new();
        for operation in OPERATIONS {
            for algorithm in ALGORITHMS {
                let is_large =
                    options.lengths.is_none() && operation == VERIFY && LARGE_ALGORITHMS.contains(&algorithm);
                let large = is_large.then_some(&LARGE);
                for provider in linked().filter(|provider| primitives(provider, algorithm).is_some()) {
                    let lengths = lengths.iter().chain(large);
                    cases.extend(lengths.map(|length| case(algorithm, operation, provider, *length)));
                }
            }
        }
        for algorithm in DIGESTS {
            for provider in linked().filter(|provider| provider.hash(algorithm).is_some()) {
                cases.extend(lengths.iter().map(|length| digest_case(algorithm, provider, *length)));
            }
        }
        cases
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        let signature = case.algorithm.strip_prefix(PREFIX);
        let digest = if let Some(signature) = signature { cms_digest(signature) } else { Some(&*case.algorithm) };
        [signature, digest].into_iter().flatten().map(|name| (case.provider.clone(), name.to_owned())).collect()
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let provider = find(providers, &case.provider)?;
        let length = case.message_length().and_then(|length| usize::try_from(length).ok());
        let image = Image::new(length.ok_or_else(|| missing(case))?);
        let Some(algorithm) = case.algorithm.strip_prefix(PREFIX) else {
            let hash = provider.hash(&case.algorithm).filter(|_| case.operation == DIGEST);
            return Ok(Box::new(Digest::new(hash.ok_or_else(|| missing(case))?, image)?));
        };
        let (scheme, hash) = primitives(provider, algorithm).ok_or_else(|| missing(case))?;
        let keys = Keys::new(scheme, hash, &mut generator(case, seed))?;
        Ok(match case.operation.as_str() {
            "make" => Box::new(Make::new(keys, image)),
            VERIFY => Box::new(Verify::new(keys, image)?),
            _ => return Err(missing(case)),
        })
    }
}

/// A signature scheme and its digest algorithm.
type Primitives<'a> = (&'a Arc<dyn SignatureScheme>, &'a Arc<dyn Hash>);

/// Returns the primitives for an algorithm, if the provider offers both.
fn primitives<'a>(provider: &'a Provider, algorithm: &str) -> Option<Primitives<'a>> {
    Some((provider.signature(algorithm)?, provider.hash(cms_digest(algorithm)?)?))
}

fn case(algorithm: &str, operation: &str, provider: &Provider, length: u64) -> Case {
    let parameters = SignatureParameters::find(algorithm);
    let draws = operation == "make" && provider.signature(algorithm).is_some_and(|scheme| scheme.draws_to_sign());
    Case {
        workload: "cms".into(),
        algorithm: format!("{PREFIX}{algorithm}"),
        operation: operation.to_owned(),
        provider: provider.id(),
        form: None,
        parameters: vec![Parameter::Number("len".into(), length)],
        block: format!("cms/{operation}/{length}"),
        facts: Facts {
            sizes: Sizes {
                public_key: parameters.as_ref().map(|parameters| parameters.verifying_key as u64),
                signature: parameters.as_ref().map(|parameters| parameters.signature as u64),
                ..Sizes::default()
            },
            category: parameters.and_then(|parameters| parameters.category),
            generator: provider.generator.clone().filter(|_| draws),
            ..Facts::default()
        },
    }
}

fn digest_case(algorithm: &str, provider: &Provider, length: u64) -> Case {
    Case {
        workload: "cms".into(),
        algorithm: algorithm.to_owned(),
        operation: DIGEST.into(),
        provider: provider.id(),
        form: None,
        parameters: vec![Parameter::Number("len".into(), length)],
        block: format!("cms/{DIGEST}/{length}"),
        facts: Facts { bytes: Some(length), ..Facts::default() },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::{is_void, prepared, sample};
    use pqlab_providers::providers;

    #[test]
    fn every_case_runs_and_is_right() {
        // Signing with the small variants of SLH-DSA takes long, and the length of the image does not matter here.
        let options = CaseOptions { lengths: Some(vec![0, 1_000]), ..CaseOptions::default() };
        let cases = CmsWorkload.cases(&providers(), &options);
        for case in cases.iter().filter(|case| !case.algorithm.ends_with('s') || case.message_length() == Some(1_000)) {
            let mut trial = prepared(&CmsWorkload, case, &providers());
            assert!(is_void(trial.as_mut(), 1), "{}: missing operations must be detected", case.id());
            let noted = sample(trial.as_mut(), 1).unwrap_or_else(|error| panic!("{}: {error}", case.id()));
            assert_eq!(noted.is_empty(), case.operation == DIGEST, "{}: {noted:?}", case.id());
        }
    }

    #[test]
    fn only_two_algorithms_verify_large_images() {
        let cases = CmsWorkload.cases(&providers(), &CaseOptions::default());
        let large: Vec<&Case> = cases.iter().filter(|case| case.message_length() == Some(LARGE)).collect();
        assert!(large.iter().all(|case| case.operation == VERIFY));
        let id = "cms/CMS-ML-DSA-65/verify[len=100000000]@rustcrypto";
        assert!(large.iter().any(|case| case.id() == id), "{:?}", large.iter().map(|case| case.id()));
        let facts = &large.iter().find(|case| case.id() == id).unwrap().facts;
        assert_eq!((facts.category, facts.sizes.signature, facts.generator.as_deref()), (Some(3), Some(3309), None));
    }

    #[test]
    fn cases_need_the_digest_and_the_signature_of_one_library() {
        let mut providers = providers();
        providers.retain(|provider| provider.library == "rustcrypto");
        let cases = CmsWorkload.cases(&providers, &CaseOptions::default());
        let case = cases.iter().find(|case| case.algorithm == "CMS-SLH-DSA-SHA2-128f").unwrap();
        let own = |name: &str| (case.provider.clone(), name.to_owned());
        assert_eq!(CmsWorkload.primitives(case), [own("SLH-DSA-SHA2-128f"), own("SHA-256")]);
        let digest = cases.iter().find(|case| case.algorithm == "SHA-512").unwrap();
        assert_eq!(CmsWorkload.primitives(digest), [own("SHA-512")]);
    }
}
