//! Workload `token`: makes, parses and verifies JWS (compact serialization) and COSE_Sign1, with every token algorithm.
//! `verify` covers a receiver's work: parsing the token and verifying its signature.
//!
//! Like an issuer of tokens, the signer uses a single key. The receiver has already loaded the public key. `parse`
//! calls no library, so it has only one row, under the provider `pqlab`.

mod trials;

use crate::inputs::{self, Supply};
use crate::signature::signing_key;
use crate::{CaseOptions, NULL, Workload, fault, find, missing};
use pqlab_constructions::token::{Algorithm, cose, jws};
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Provider, SignatureParameters, SignatureScheme};
use pqlab_record::{Case, Facts, Parameter, Sizes};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use trials::{Issuer, Make, Parse, Verify};

const OPERATIONS: [&str; 3] = ["make", PARSE, "verify"];
const PARSE: &str = "parse";
/// Provider name for operations that call no library, only pqlab's own code.
const OWN: &str = "pqlab";
/// Default payload length in bytes: about the size of an access token's claims (RFC 9068).
const PAYLOAD: u64 = 256;
/// Length of a key identifier in bytes: a SHA-256 thumbprint.
const KEY_ID: usize = 32;

/// Format of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Jws,
    Cose,
}

impl Format {
    const ALL: [Format; 2] = [Format::Jws, Format::Cose];

    /// Returns the prefix for algorithm names.
    fn prefix(self) -> &'static str {
        match self {
            Format::Jws => "JWS-",
            Format::Cose => "COSE-",
        }
    }

    /// Returns the algorithm's name in case ids, such as `JWS-ES256`. The prefix is followed by the JOSE name, because
    /// several JOSE algorithms can use one primitive. For Ed25519, the prefix is followed by the primitive's name, as
    /// in certificates.
    fn name(self, algorithm: &Algorithm) -> String {
        let name = if algorithm.primitive == "Ed25519" { algorithm.primitive } else { algorithm.jose };
        format!("{}{name}", self.prefix())
    }

    /// Returns the length of a token in bytes, given the length of its payload.
    fn length(self, algorithm: &Algorithm, payload: usize) -> usize {
        match self {
            Format::Jws => jws::length(algorithm, Some(&jws::key_id_text(&[0; KEY_ID])), payload),
            Format::Cose => cose::length(algorithm, Some(&[0; KEY_ID]), payload),
        }
    }
}

/// Returns the format and the algorithm for a name in case ids.
fn named(name: &str) -> Option<(Format, &'static Algorithm)> {
    let all = Format::ALL.into_iter().flat_map(|format| Algorithm::all().map(move |algorithm| (format, algorithm)));
    all.into_iter().find(|(format, algorithm)| format.name(algorithm) == name)
}

pub(crate) struct TokenWorkload;

impl Workload for TokenWorkload {
    fn id(&self) -> &'static str {
        "token"
    }

    fn describe(&self) -> &'static str {
        "signed tokens, JWS and COSE_Sign1, with classical and post-quantum signatures"
    }

    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case> {
        let lengths = options.lengths.clone().unwrap_or_else(|| vec![PAYLOAD]);
        let mut cases = Vec::new();
        for operation in OPERATIONS {
            for format in Format::ALL {
                for algorithm in Algorithm::all() {
                    let able = providers.iter().filter(|provider| scheme(provider, algorithm).is_some());
                    // Parsing calls no library, so tokens from any one provider will do.
                    let able = able.take(if operation == PARSE { 1 } else { usize::MAX });
                    for (provider, length) in able.flat_map(|provider| lengths.iter().map(move |len| (provider, *len)))
                    {
                        cases.push(case(format, algorithm, operation, provider, length));
                    }
                }
            }
        }
        cases
    }

    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        match named(&case.algorithm) {
            Some((_, algorithm)) if case.provider != OWN => {
                vec![(case.provider.clone(), algorithm.primitive.to_owned())]
            }
            _ => Vec::new(),
        }
    }

    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        let (format, algorithm) = named(&case.algorithm).ok_or_else(|| missing(case))?;
        let scheme = match case.provider.as_str() {
            OWN => providers.iter().find_map(|provider| scheme(provider, algorithm)),
            named => scheme(find(providers, named)?, algorithm),
        };
        let scheme = scheme.ok_or_else(|| missing(case))?;
        let mut generator = inputs::generator(case, seed);
        let (key, _) = signing_key(scheme.as_ref(), &mut generator).map_err(fault)?;
        let mut encoded = vec![0; scheme.info().parameters.verifying_key];
        let public = key.verifying_key().map_err(fault)?;
        let length = public.encode(&mut encoded).map_err(fault)?;
        let key_id = Sha256::digest(&encoded[..length]).into();
        let issuer = Issuer::new(format, algorithm, key, public, key_id);
        let length = usize::try_from(case.message_length().unwrap_or(PAYLOAD)).map_err(|_| missing(case))?;
        let payloads = Supply::OneKey.messages(length, &mut generator);
        Ok(match case.operation.as_str() {
            "make" => Box::new(Make::new(issuer, payloads)),
            PARSE => Box::new(Parse::new(issuer, payloads)?),
            "verify" => Box::new(Verify::new(issuer, payloads)?),
            _ => return Err(missing(case)),
        })
    }
}

fn scheme<'a>(provider: &'a Provider, algorithm: &Algorithm) -> Option<&'a Arc<dyn SignatureScheme>> {
    provider.signature(algorithm.primitive).filter(|_| provider.library != NULL)
}

fn case(format: Format, algorithm: &Algorithm, operation: &str, provider: &Provider, length: u64) -> Case {
    let parameters = SignatureParameters::find(algorithm.primitive);
    let own = operation == PARSE;
    let draws = operation == "make" && scheme(provider, algorithm).is_some_and(|scheme| scheme.draws_to_sign());
    let token = usize::try_from(length).map(|length| format.length(algorithm, length) as u64);
    Case {
        workload: "token".into(),
        algorithm: format.name(algorithm),
        operation: operation.to_owned(),
        provider: if own { OWN.to_owned() } else { provider.id() },
        form: None,
        parameters: vec![Parameter::Number("len".into(), length)],
        block: format!("token/{operation}/{length}"),
        facts: Facts {
            sizes: Sizes {
                public_key: parameters.as_ref().map(|parameters| parameters.verifying_key as u64),
                signature: parameters.as_ref().map(|parameters| parameters.signature as u64),
                ..Sizes::default()
            },
            bytes: token.ok(),
            category: parameters.and_then(|parameters| parameters.category),
            generator: provider.generator.clone().filter(|_| draws),
            ..Facts::default()
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::testing::{is_void, prepared, sample};
    use std::collections::BTreeSet;

    #[test]
    fn every_case_runs_and_is_right() {
        let providers = pqlab_providers::providers();
        let cases = TokenWorkload.cases(&providers, &CaseOptions::default());
        for case in &cases {
            let mut trial = prepared(&TokenWorkload, case, &providers);
            assert!(is_void(trial.as_mut(), 2), "{}: missing operations must be detected", case.id());
            sample(trial.as_mut(), 2).unwrap_or_else(|error| panic!("{}: {error}", case.id()));
        }
        let algorithms: BTreeSet<&str> = cases.iter().map(|case| case.algorithm.as_str()).collect();
        for name in ["JWS-Ed25519", "JWS-ES256", "COSE-ML-DSA-44", "JWS-ML-DSA-65", "COSE-ML-DSA-87"] {
            assert!(algorithms.contains(name), "{algorithms:?}");
        }
    }

    #[test]
    fn ids_name_the_payload_and_facts_the_token() {
        let options = CaseOptions { lengths: Some(vec![0, 1000]), ..CaseOptions::default() };
        let cases = TokenWorkload.cases(&pqlab_providers::providers(), &options);
        let find = |id: &str| cases.iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("no {id}"));
        let jws = &find("token/JWS-ML-DSA-65/make[len=1000]@rustcrypto").facts;
        // The header has 71 characters, as in the examples of RFC 9964, and the signature has 3,309 bytes.
        assert_eq!(jws.bytes, Some(95 + 1 + 1334 + 1 + 4412));
        assert_eq!((jws.category, jws.sizes.signature, jws.generator.is_some()), (Some(3), Some(3309), true));
        let cose = &find("token/COSE-Ed25519/verify[len=0]@rustcrypto").facts;
        assert_eq!((cose.bytes, cose.category), (Some(3 + 40 + 1 + 66), None));
        assert_eq!(find("token/COSE-Ed25519/parse[len=0]@pqlab").provider, OWN);
    }
}
