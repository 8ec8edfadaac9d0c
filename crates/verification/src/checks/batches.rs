use pqlab_primitives::{
    BatchKey, BatchVerifier, Claim, ClaimKey, CoinSupport, Coins, Error, KeyEncoding, KeyLengths, MU, Result,
    SignatureInfo, SignatureScheme, SignedMessage, SigningKey, VerifyingKey,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of claims per batch. Verifiers process eight claims in parallel, so the ninth tests how they handle a
/// remainder.
const CLAIMS: usize = 9;

const VERIFIES_ALONE: Error = Error::Unsupported("batch verifiers can only verify");

/// Adapter that presents a batch verifier as a signature scheme that can only verify. Verifies each signature once at
/// every position of a batch, alternating between encoded and prepared keys.
///
/// If the verifier gives a verdict for each signature, every second claim is an altered signature, which must be
/// rejected. All other claims are copies of the signature and must get the same verdict. If the verifier gives one
/// verdict for the entire batch, all claims are copies.
pub(crate) struct InBatches {
    shared: Arc<Shared>,
    info: SignatureInfo,
}

struct Shared {
    verifier: Arc<dyn BatchVerifier>,
    turn: AtomicUsize,
}

struct Key {
    shared: Arc<Shared>,
    encoded: Vec<u8>,
    prepared: Box<dyn BatchKey>,
}

impl InBatches {
    pub(crate) fn new(verifier: &Arc<dyn BatchVerifier>) -> InBatches {
        let parameters = verifier.parameters().clone();
        let info = SignatureInfo {
            context: crate::suites::is_ml_dsa(&parameters.algorithm),
            parameters,
            encodings: Vec::new(),
            coins: CoinSupport { keygen: false, operation: false },
            hedged: false,
        };
        InBatches { shared: Arc::new(Shared { verifier: Arc::clone(verifier), turn: AtomicUsize::new(0) }), info }
    }
}

impl SignatureScheme for InBatches {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn generate_encoded(
        &self,
        _coins: Coins,
        _verifying_key: &mut [u8],
        _signing_key: &mut [u8],
    ) -> Result<KeyLengths> {
        Err(VERIFIES_ALONE)
    }

    fn generate(&self, _coins: Coins) -> Result<Box<dyn SigningKey>> {
        Err(VERIFIES_ALONE)
    }

    fn load_signing_key(&self, _encoding: KeyEncoding, _bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        Err(VERIFIES_ALONE)
    }

    /// Prepares the key. If that fails, also checks that batch verification rejects the encoded key.
    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        let verifier = &self.shared.verifier;
        let refusal = match verifier.prepare(bytes) {
            Ok(prepared) => {
                return Ok(Box::new(Key { shared: Arc::clone(&self.shared), encoded: bytes.to_vec(), prepared }));
            }
            Err(refusal) => refusal,
        };
        let message = SignedMessage::Pure { context: &[], message: &[] };
        let signature = vec![0; self.info.parameters.signature];
        let verdicts = verifier.verify(&[Claim { key: ClaimKey::Encoded(bytes), message, signature: &signature }]);
        match verdicts.as_slice() {
            [Err(_)] => Err(refusal),
            _ => Err(at_odds(format!("preparation rejects the key ({refusal}), but a batch accepts it"))),
        }
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
        let length = self.encoded.len();
        let front = out.get_mut(..length).ok_or(Error::Length { what: "buffer", expected: length, actual: 0 })?;
        front.copy_from_slice(&self.encoded);
        Ok(length)
    }
}

impl Key {
    fn in_batches(&self, message: SignedMessage, signature: &[u8]) -> Result<()> {
        let first = self.in_a_batch(message, signature);
        for _ in 1..CLAIMS {
            let again = self.in_a_batch(message, signature);
            if again != first {
                return Err(at_odds(format!(
                    "the same signature is {} in one batch, but {} in another",
                    worded(&first),
                    worded(&again)
                )));
            }
        }
        first
    }

    fn in_a_batch(&self, message: SignedMessage, signature: &[u8]) -> Result<()> {
        let Shared { verifier, turn } = &*self.shared;
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        let place = turn % CLAIMS;
        // Distance from `place`, modulo the batch size. Signatures at odd distances are altered.
        let altered: [Option<Vec<u8>>; CLAIMS] = std::array::from_fn(|index| {
            let distance = (index + CLAIMS - place) % CLAIMS;
            (verifier.answers_for_each() && distance % 2 == 1).then(|| altered(signature, distance / 2))
        });
        let claims: Vec<Claim> = altered
            .iter()
            .enumerate()
            .map(|(index, altered)| Claim {
                key: match (turn + index / 2) % 2 {
                    0 => ClaimKey::Encoded(&self.encoded),
                    _ => ClaimKey::Prepared(&*self.prepared),
                },
                message,
                signature: altered.as_deref().unwrap_or(signature),
            })
            .collect();
        let verdicts = verifier.verify(&claims);
        if verdicts.len() != CLAIMS {
            return Err(at_odds(format!("number of verdicts: {}, expected {CLAIMS}", verdicts.len())));
        }
        let verdict = &verdicts[place];
        for (index, (said, altered)) in verdicts.iter().zip(&altered).enumerate() {
            let refused = said == &Err(Error::VerificationFailed) || (verdict.is_err() && said == verdict);
            if altered.is_some() && !refused {
                return Err(at_odds(format!(
                    "the altered signature at position {index} is {}, and the original at position {place} is {}",
                    worded(said),
                    worded(verdict)
                )));
            }
            if altered.is_none() && said != verdict {
                return Err(at_odds(format!(
                    "the signature at position {place} is {}, but the same signature at position {index} is {}",
                    worded(verdict),
                    worded(said)
                )));
            }
        }
        verdict.clone()
    }
}

/// Alters a signature: its first byte (`way` 0), its middle byte (1), its last byte (2) or its length (any other
/// value). The result is never valid. For example, the last byte changes to 0xff, which cannot end a valid ML-DSA hint.
fn altered(signature: &[u8], way: usize) -> Vec<u8> {
    let mut altered = signature.to_vec();
    let middle = altered.len() / 2;
    match (way, altered.last_mut()) {
        (0, Some(_)) => altered[0] ^= 0x5a,
        (1, Some(_)) => altered[middle] ^= 0x5a,
        (2, Some(last)) => *last = 0xff,
        _ => altered.push(0xff),
    }
    altered
}

/// Describes a verdict as a predicate.
fn worded(verdict: &Result<()>) -> String {
    match verdict {
        Ok(()) => "accepted".to_owned(),
        Err(reason) => format!("rejected ({reason})"),
    }
}

fn at_odds(detail: String) -> Error {
    Error::Library { call: "batch verification", detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::SignatureParameters;

    /// Flaw of a test verifier. Without a flaw, the verifier accepts only the signature `[7; 64]`.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Flaw {
        None,
        /// Every claim gets the verdict on the first claim.
        TellsOfTheFirst,
        /// One bad signature makes the verifier reject the entire batch.
        RefusesAll,
        /// The verifier does not check the last claim of a batch.
        LeavesTheLast,
        /// The verifier accepts every signature with a prepared key.
        PreparedAlways,
        /// The verifier returns one verdict too few.
        OneShort,
        /// The verifier detects bad keys only during preparation.
        EncodedKeysUnchecked,
    }

    struct Verifier {
        parameters: SignatureParameters,
        flaw: Flaw,
        each: bool,
    }

    struct Prepared;

    impl BatchKey for Prepared {}

    impl BatchVerifier for Verifier {
        fn parameters(&self) -> &SignatureParameters {
            &self.parameters
        }

        fn answers_for_each(&self) -> bool {
            self.each
        }

        fn prepare(&self, verifying_key: &[u8]) -> Result<Box<dyn BatchKey>> {
            Error::check_length("verifying key", 32, verifying_key.len())?;
            Ok(Box::new(Prepared))
        }

        fn verify(&self, claims: &[Claim]) -> Vec<Result<()>> {
            let valid = |claim: &Claim| match claim.key {
                ClaimKey::Prepared(_) if self.flaw == Flaw::PreparedAlways => Ok(()),
                ClaimKey::Encoded(key) if key.len() != 32 && self.flaw != Flaw::EncodedKeysUnchecked => {
                    Err(Error::Malformed("key"))
                }
                _ if claim.signature == [7; 64] => Ok(()),
                ClaimKey::Encoded(key) if key.len() != 32 => Ok(()),
                _ => Err(Error::VerificationFailed),
            };
            let mut verdicts: Vec<Result<()>> = claims.iter().map(valid).collect();
            match self.flaw {
                Flaw::TellsOfTheFirst => verdicts = vec![verdicts[0].clone(); claims.len()],
                Flaw::RefusesAll if verdicts.iter().any(Result::is_err) => {
                    verdicts.fill(Err(Error::VerificationFailed));
                }
                Flaw::LeavesTheLast => *verdicts.last_mut().unwrap() = Ok(()),
                Flaw::OneShort => _ = verdicts.pop(),
                _ => {}
            }
            verdicts
        }
    }

    fn scheme(flaw: Flaw, each: bool) -> InBatches {
        let parameters = SignatureParameters::find("Ed25519").unwrap();
        let verifier: Arc<dyn BatchVerifier> = Arc::new(Verifier { parameters, flaw, each });
        InBatches::new(&verifier)
    }

    /// Returns whether a valid, a bad and an empty signature get the correct verdicts at every position in a batch.
    fn sound(flaw: Flaw, each: bool) -> bool {
        let scheme = scheme(flaw, each);
        let key = scheme.load_verifying_key(&[1; 32]).unwrap();
        key.verify(&[], &[], &[7; 64]) == Ok(())
            && key.verify(&[], &[], &[8; 64]) == Err(Error::VerificationFailed)
            && key.verify(&[], &[], &[]) == Err(Error::VerificationFailed)
    }

    #[test]
    fn accepts_a_sound_verifier_and_detects_every_flaw() {
        assert!(sound(Flaw::None, true) && sound(Flaw::None, false) && sound(Flaw::RefusesAll, false));
        let flaws =
            [Flaw::TellsOfTheFirst, Flaw::RefusesAll, Flaw::LeavesTheLast, Flaw::PreparedAlways, Flaw::OneShort];
        assert!(flaws.iter().all(|flaw| !sound(*flaw, true)));
        assert!([Flaw::LeavesTheLast, Flaw::PreparedAlways, Flaw::OneShort].iter().all(|flaw| !sound(*flaw, false)));
    }

    #[test]
    fn refuses_bad_keys_in_either_form() {
        let refusal = |flaw| scheme(flaw, true).load_verifying_key(&[1; 31]).err().unwrap();
        assert!(matches!(refusal(Flaw::None), Error::Length { .. }));
        assert!(matches!(refusal(Flaw::EncodedKeysUnchecked), Error::Library { .. }));
    }

    #[test]
    fn only_verifies_and_encodes() {
        let scheme = scheme(Flaw::None, true);
        assert!(matches!(scheme.generate(Coins::Internal).err(), Some(Error::Unsupported(_))));
        let mut out = [0; 32];
        let key = scheme.load_verifying_key(&[3; 32]).unwrap();
        assert_eq!((key.encode(&mut out), out), (Ok(32), [3; 32]));
        assert!(key.encode(&mut out[1..]).is_err());
    }
}
