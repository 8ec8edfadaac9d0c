use pqlab_primitives::{
    BatchKey, BatchVerifier, Claim, ClaimKey, CoinSupport, Coins, Error, KeyEncoding, KeyLengths, MU, Result,
    SignatureInfo, SignatureScheme, SignedMessage, SigningKey, VerifyingKey,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The signatures of a batch.
const BATCH: usize = 8;

const ONLY_VERIFIES: Error = Error::Unsupported("signatures are verified in batches, none are made");

/// Verification in batches, as a scheme that verifies one signature: that goes into another place of a batch each time, with its key
/// as bytes and prepared in turn. Every other place has the same signature, or, where the verifier answers for each, one that is
/// changed and must be refused.
pub(super) struct InBatches {
    verifier: Arc<dyn BatchVerifier>,
    info: SignatureInfo,
}

impl InBatches {
    pub(super) fn new(verifier: &Arc<dyn BatchVerifier>) -> InBatches {
        let info = SignatureInfo {
            parameters: verifier.parameters().clone(),
            encodings: Vec::new(),
            coins: CoinSupport { keygen: false, operation: false },
            context: true,
            hedged: false,
        };
        InBatches { verifier: Arc::clone(verifier), info }
    }
}

impl SignatureScheme for InBatches {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(&self, _: Coins, _verifying_key: &mut [u8], _signing_key: &mut [u8]) -> Result<KeyLengths> {
        Err(ONLY_VERIFIES)
    }

    fn generate(&self, _: Coins) -> Result<Box<dyn SigningKey>> {
        Err(ONLY_VERIFIES)
    }

    fn load_signing_key(&self, _: KeyEncoding, _bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        Err(ONLY_VERIFIES)
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        let prepared = self.verifier.prepare(bytes)?;
        let verifier = Arc::clone(&self.verifier);
        Ok(Box::new(Key { verifier, encoded: bytes.to_vec(), prepared, turn: AtomicUsize::new(0) }))
    }
}

struct Key {
    verifier: Arc<dyn BatchVerifier>,
    encoded: Vec<u8>,
    prepared: Box<dyn BatchKey>,
    turn: AtomicUsize,
}

impl Key {
    fn in_batches(&self, message: SignedMessage, signature: &[u8]) -> Result<()> {
        // In each place once: a key of published vectors has few signatures.
        for _ in 0..BATCH {
            self.in_a_batch(message, signature)?;
        }
        Ok(())
    }

    fn in_a_batch(&self, message: SignedMessage, signature: &[u8]) -> Result<()> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let place = turn % BATCH;
        let mut changed = signature.to_vec();
        if let Some(byte) = changed.first_mut() {
            // Several bits: that one is flipped is what some of the published signatures suffer from, and is made good by this.
            *byte ^= 0xa5;
        }
        let is_changed = |index: usize| self.verifier.answers_for_each() && (index + place) % 2 == 1;
        let claim = |index: usize| Claim {
            key: if (index + turn / BATCH).is_multiple_of(2) {
                ClaimKey::Encoded(&self.encoded)
            } else {
                ClaimKey::Prepared(self.prepared.as_ref())
            },
            message,
            signature: if is_changed(index) { &changed } else { signature },
        };
        let claims: [Claim; BATCH] = std::array::from_fn(claim);
        let verdicts = self.verifier.verify(&claims);
        let said = verdicts.get(place).cloned().unwrap_or(Err(Error::VerificationFailed));
        for (index, verdict) in verdicts.iter().enumerate() {
            let right = if is_changed(index) { verdict.is_err() } else { *verdict == said };
            if !right {
                let detail = format!("place {place} of a batch has {said:?} and place {index} {verdict:?}");
                return Err(Error::Library { call: "verification in a batch", detail });
            }
        }
        said
    }
}

impl VerifyingKey for Key {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        self.in_batches(SignedMessage::Pure { context, message }, signature)
    }

    fn verify_internal(&self, formatted: &[u8], signature: &[u8]) -> Result<()> {
        self.in_batches(SignedMessage::Formatted(formatted), signature)
    }

    fn verify_mu(&self, mu: &[u8; MU], signature: &[u8]) -> Result<()> {
        self.in_batches(SignedMessage::Mu(mu), signature)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let front = out.get_mut(..self.encoded.len());
        front.ok_or(Error::Malformed("buffer for the key"))?.copy_from_slice(&self.encoded);
        Ok(self.encoded.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::SignatureParameters;

    /// Takes every signature that begins with 0, and in one place every one.
    struct Careless(Option<usize>, SignatureParameters);

    impl BatchVerifier for Careless {
        fn parameters(&self) -> &SignatureParameters {
            &self.1
        }

        fn answers_for_each(&self) -> bool {
            true
        }

        fn prepare(&self, _verifying_key: &[u8]) -> Result<Box<dyn BatchKey>> {
            struct Nothing;
            impl BatchKey for Nothing {}
            Ok(Box::new(Nothing))
        }

        fn verify(&self, claims: &[Claim]) -> Vec<Result<()>> {
            let right = |index: usize, claim: &Claim| Some(index) == self.0 || claim.signature.first() == Some(&0);
            let verdict = |right: bool| if right { Ok(()) } else { Err(Error::VerificationFailed) };
            claims.iter().enumerate().map(|(index, claim)| verdict(right(index, claim))).collect()
        }
    }

    #[test]
    fn a_place_that_takes_everything_is_found() {
        let key = |careless: Option<usize>| {
            let parameters = SignatureParameters::of("ML-DSA-44").unwrap();
            let verifier: Arc<dyn BatchVerifier> = Arc::new(Careless(careless, parameters));
            InBatches::new(&verifier).load_verifying_key(&[]).unwrap()
        };
        assert_eq!(key(None).verify(b"", b"", &[0, 1]), Ok(()));
        assert_eq!(key(None).verify(b"", b"", &[1, 1]), Err(Error::VerificationFailed));
        for place in 0..BATCH {
            assert!(matches!(key(Some(place)).verify(b"", b"", &[0, 1]), Err(Error::Library { .. })), "{place}");
        }
    }
}
