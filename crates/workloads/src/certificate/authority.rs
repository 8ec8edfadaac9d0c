//! Issues the certificates to measure.

use super::{COSIGNATURE, broken, fault};
use crate::inputs::bytes;
use crate::pairs::Pair;
use pqlab_constructions::certificate::detached::Bundle;
use pqlab_constructions::certificate::{Certificate, Profile, Schemes, SigningKeys, SubjectType, build};
use pqlab_constructions::keys::{Identifier, KEY_IDENTIFIER, PublicKey};
use pqlab_harness::Fault;
use pqlab_primitives::{Coins, Hash, SignatureScheme, SigningKey};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Duration;

/// Time at which all measured certificates are valid, in seconds since 1970.
pub(super) const TODAY: Duration = Duration::from_secs(1_800_000_000);
/// DNS name in the leaf certificate.
pub(super) const LEAF_NAME: &str = "leaf.example";
const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// Form of a certificate: the algorithms of its keys, and the location of the post-quantum signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Classical,
    Pure,
    Alternative,
    Composite,
    Detached,
}

impl Form {
    pub(super) const ALL: [Form; 5] = [Form::Classical, Form::Pure, Form::Alternative, Form::Composite, Form::Detached];

    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Classical => "X.509-Ed25519",
            Form::Pure => "X.509-ML-DSA-65",
            Form::Alternative => "X.509-alternative",
            Form::Composite => "X.509-composite",
            Form::Detached => "X.509-detached",
        }
    }

    pub(super) fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Returns whether the form supports the operation. Only two forms have a second signature. The detached form does
    /// not support chains.
    pub(super) fn offers(self, operation: &str) -> bool {
        match operation {
            COSIGNATURE => matches!(self, Form::Alternative | Form::Detached),
            "verify-chain" | "verify-server" => self != Form::Detached,
            _ => true,
        }
    }

    /// Returns the scheme that determines the form's security category, assuming that the verifier checks every
    /// signature.
    pub(super) fn strongest(self) -> &'static str {
        match self {
            Form::Classical => "Ed25519",
            Form::Composite => "MLDSA65-Ed25519-SHA512",
            Form::Pure | Form::Alternative | Form::Detached => "ML-DSA-65",
        }
    }

    /// Returns the provider name for case ids of this form, given a pair of providers.
    pub(super) fn provider(self, pair: &Pair) -> String {
        match self {
            Form::Classical => pair.classical.clone(),
            Form::Pure => pair.post_quantum.clone(),
            _ => pair.id(),
        }
    }
}

/// Returns whether all schemes can sign deterministically.
pub(super) fn deterministic(schemes: &[Arc<dyn SignatureScheme>]) -> bool {
    let mut drawing = schemes.iter().filter(|scheme| scheme.info().parameters.signing_coins > 0);
    drawing.all(|scheme| scheme.info().coins.operation)
}

struct Key {
    identifier: &'static Identifier,
    signer: Box<dyn SigningKey>,
    public: PublicKey,
}

/// Keys of a certificate subject, which sign the certificates that the subject issues.
struct Owner(Vec<Key>);

/// Root authority, intermediate authority and leaf, with their keys for one certificate form.
pub(super) struct Authority {
    pub(super) form: Form,
    pub(super) schemes: Schemes,
    owners: [Owner; 3],
    key_identifiers: [[u8; KEY_IDENTIFIER]; 3],
    deterministic: bool,
}

impl Authority {
    pub(super) fn new(
        form: Form,
        schemes: Vec<Arc<dyn SignatureScheme>>,
        sha256: &dyn Hash,
        generator: &mut ChaCha8Rng,
    ) -> Result<Authority, Fault> {
        let seeds = [bytes(generator, 64), bytes(generator, 64), bytes(generator, 64)];
        let [root, middle, leaf] = seeds.map(|seed| Owner::new(&schemes, &seed));
        let owners = [root?, middle?, leaf?];
        // An issuer knows its key identifiers in advance, so compute them outside the timed
        // `build`.
        let identify = |owner: &Owner| owner.0[0].public.key_identifier(sha256).map_err(broken);
        let key_identifiers = [identify(&owners[0])?, identify(&owners[1])?, identify(&owners[2])?];
        Ok(Authority {
            form,
            owners,
            key_identifiers,
            deterministic: deterministic(&schemes),
            schemes: Schemes::new(schemes),
        })
    }

    fn coins(&self) -> Coins<'static> {
        if self.deterministic { Coins::Exact(&[]) } else { Coins::Internal }
    }

    /// Issues the self-signed root certificate and returns its DER. For the detached form, returns CBOR that contains
    /// the certificate and its detached signature. The operation `build` measures this function.
    pub(super) fn root(&self, serial_number: u32) -> Result<Vec<u8>, Fault> {
        self.issue(0, 0, serial_number, SubjectType::Authority { path_length: None })
    }

    /// Issues the leaf and the intermediate certificate, and returns them in this order.
    pub(super) fn chain(&self) -> Result<Vec<Certificate>, Fault> {
        let leaf = self.issue(1, 2, 3, SubjectType::Leaf)?;
        let middle = self.issue(0, 1, 2, SubjectType::Authority { path_length: Some(0) })?;
        [leaf, middle].iter().map(|der| Certificate::from_der(der).map_err(broken)).collect()
    }

    /// Returns the key that verifies the detached signature. `None` if the form has no detached signature.
    pub(super) fn detached_key(&self) -> Option<Result<Box<dyn pqlab_primitives::VerifyingKey>, Fault>> {
        let key = (self.form == Form::Detached).then(|| self.owners[0].0.get(1))??;
        Some(key.signer.verifying_key().map_err(fault))
    }

    fn issue(
        &self,
        issuer: usize,
        subject: usize,
        serial_number: u32,
        subject_type: SubjectType,
    ) -> Result<Vec<u8>, Fault> {
        const NAMES: [&str; 3] = ["root", "intermediate", "leaf"];
        let profile = Profile {
            serial_number: [&[1], &serial_number.to_be_bytes()[..]].concat(),
            issuer: format!("CN={},O=pqlab", NAMES[issuer]),
            subject: format!("CN={},O=pqlab", NAMES[subject]),
            not_before: TODAY - YEAR,
            not_after: TODAY + YEAR,
            subject_key_identifier: self.key_identifiers[subject],
            authority_key_identifier: self.key_identifiers[issuer],
            dns_names: vec![format!("{}.example", NAMES[subject])],
            subject_type,
        };
        let (issuer, subject) = (&self.owners[issuer], &self.owners[subject]);
        let public = &subject.0[0].public;
        let first = &issuer.0[0];
        let single = SigningKeys::Single(first.identifier, first.signer.as_ref());
        match (self.form, issuer.0.get(1), subject.0.get(1)) {
            (Form::Alternative, Some(second), Some(alternative)) => {
                let keys = SigningKeys::Alternative {
                    classical: (first.identifier, first.signer.as_ref()),
                    alternative: (second.identifier, second.signer.as_ref()),
                };
                build(&profile, public, Some(&alternative.public), &keys, self.coins()).map_err(broken)
            }
            (Form::Detached, Some(second), _) => {
                let der = build(&profile, public, None, &single, self.coins()).map_err(broken)?;
                let bundle = Bundle::sign(&der, second.signer.as_ref(), self.coins()).map_err(fault)?;
                bundle.encode().map_err(fault)
            }
            _ => build(&profile, public, None, &single, self.coins()).map_err(broken),
        }
    }
}

impl Owner {
    /// Generates keys from a 64-byte seed. ML-DSA takes the first 32 bytes (`xi`), Ed25519 the last 32, and a composite
    /// all 64.
    fn new(schemes: &[Arc<dyn SignatureScheme>], seed: &[u8]) -> Result<Owner, Fault> {
        let keys = schemes.iter().map(|scheme| {
            let parameters = &scheme.info().parameters;
            let coins = match parameters.algorithm.as_ref() {
                _ if !scheme.info().coins.keygen => Coins::Internal,
                "Ed25519" => Coins::Exact(&seed[32..]),
                "ML-DSA-65" => Coins::Exact(&seed[..32]),
                _ => Coins::Exact(seed),
            };
            let signer = scheme.generate(coins).map_err(fault)?;
            let mut public = vec![0; parameters.verifying_key];
            signer.verifying_key().and_then(|key| key.encode(&mut public)).map_err(fault)?;
            let identifier = Identifier::named(&parameters.algorithm)
                .ok_or_else(|| Fault::Unsupported(format!("{} has no object identifier", parameters.algorithm)))?;
            Ok(Key { identifier, signer, public: PublicKey::new(identifier, &public).map_err(broken)? })
        });
        Ok(Owner(keys.collect::<Result<_, Fault>>()?))
    }
}
