//! Batch verification of ML-DSA signatures. The input alters honest signatures and selects a backend. The backend must
//! agree with AWS-LC on every signature, in a batch and alone, with encoded and with prepared keys.
#![no_main]

mod mldsa_claims;

use libfuzzer_sys::fuzz_target;
use mldsa_claims::{Bytes, Interface, Scene};
use pqlab_mldsa_batch::{
    Backend, Claim, EncodedKey, Key, Message, MlDsa44, MlDsa65, MlDsa87, ParameterSet, PreparedKey, Verifier,
};
use pqlab_primitives::VerifyingKey;
use std::sync::LazyLock;

static VERIFIERS: LazyLock<Vec<Verifier>> =
    LazyLock::new(|| Backend::ALL.into_iter().filter_map(|backend| Verifier::new(backend).ok()).collect());

/// Honest signatures for a parameter set. Every backend has prepared their keys.
struct Set<P> {
    scene: Scene,
    prepared: Vec<Vec<PreparedKey<P>>>,
}

impl<P: ParameterSet> Set<P> {
    fn new() -> Set<P> {
        let scene = Scene::new(P::NAME);
        let prepare = |verifier: &Verifier| {
            let keys = scene.honest.iter().map(|honest| EncodedKey::new(&honest.key).expect("an honest key must load"));
            keys.map(|key| verifier.prepare::<P>(key)).collect()
        };
        Set { prepared: VERIFIERS.iter().map(prepare).collect(), scene }
    }

    fn check(&self, bytes: &mut Bytes) {
        let choice = bytes.next();
        let claims = self.scene.claims(bytes);
        // `EncodedKey` cannot hold a key with a wrong length, so the backends never see one. Check
        // that AWS-LC rejects such keys too.
        let mut asked = Vec::new();
        for claim in &claims {
            let honest = &self.scene.honest[claim.origin];
            let altered = (claim.key != honest.key).then(|| self.scene.load(&claim.key));
            match EncodedKey::<P>::new(&claim.key) {
                Ok(key) => {
                    let loaded: Option<&dyn VerifyingKey> = match &altered {
                        None => Some(self.scene.loaded[claim.origin].as_ref()),
                        Some(loaded) => loaded.as_deref(),
                    };
                    let valid = loaded.is_some_and(|key| claim.is_valid(key));
                    asked.push((claim, key, altered.is_some(), valid));
                }
                Err(_) => assert!(altered.flatten().is_none(), "AWS-LC must reject keys with a wrong length"),
            }
        }
        let preparer = usize::from(choice >> 4) % VERIFIERS.len();
        let fresh: Vec<Option<PreparedKey<P>>> = asked
            .iter()
            .map(|(claim, key, changed, _)| (*changed && claim.prepared).then(|| VERIFIERS[preparer].prepare(*key)))
            .collect();
        let honest = |origin: usize| &self.prepared[preparer][origin];
        let batch: Vec<Claim<P>> = asked
            .iter()
            .zip(&fresh)
            .map(|((claim, key, ..), fresh)| {
                let key = match (claim.prepared, fresh) {
                    (false, _) => Key::Encoded(*key),
                    (true, Some(fresh)) => Key::Prepared(fresh),
                    (true, None) => Key::Prepared(honest(claim.origin)),
                };
                let message = match &claim.interface {
                    Interface::Pure => Message::Pure { context: &claim.context, message: &claim.message },
                    Interface::Formatted => Message::Formatted(&claim.message),
                    Interface::Mu(mu) => Message::Mu(mu),
                };
                Claim { key, message, signature: &claim.signature }
            })
            .collect();
        // Use the slower backends less often.
        let turn = [0, 0, 0, 0, 1, 1, 1, 2][usize::from(choice & 7)];
        let verifier = &VERIFIERS[turn % VERIFIERS.len()];
        let verdicts = verifier.verify_batch(&batch);
        assert_eq!(verdicts.len(), batch.len());
        for ((.., valid), verdict) in asked.iter().zip(verdicts) {
            assert_eq!(verdict.is_ok(), *valid, "{} must agree with AWS-LC", verifier.backend().name());
        }
        // Sometimes also verify each claim alone, with the other form of the key if that form is already available.
        if choice & 8 == 0 && batch.len() > 1 {
            return;
        }
        for (claim, (origin, key, changed, valid)) in batch.iter().zip(&asked) {
            let other = match (claim.key, *changed) {
                (Key::Prepared(_), _) => Key::Encoded(*key),
                (Key::Encoded(_), false) => Key::Prepared(honest(origin.origin)),
                (encoded, true) => encoded,
            };
            let verdict = verifier.verify(&Claim { key: other, ..*claim });
            assert_eq!(verdict.is_ok(), *valid, "{} must agree with AWS-LC without a batch", verifier.backend().name());
        }
    }
}

static ML_DSA_44: LazyLock<Set<MlDsa44>> = LazyLock::new(Set::new);
static ML_DSA_65: LazyLock<Set<MlDsa65>> = LazyLock::new(Set::new);
static ML_DSA_87: LazyLock<Set<MlDsa87>> = LazyLock::new(Set::new);

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes(bytes);
    match bytes.next() % 3 {
        0 => ML_DSA_44.check(&mut bytes),
        1 => ML_DSA_65.check(&mut bytes),
        _ => ML_DSA_87.check(&mut bytes),
    }
});
