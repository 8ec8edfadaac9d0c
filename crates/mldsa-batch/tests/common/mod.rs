//! Test helpers: verifiers for all backends, and keys and signatures created by the `ml-dsa` crate.

#![allow(dead_code, reason = "each test file uses only some of the helpers")]

use ml_dsa::{Keypair, MlDsaParams, SigningKey};
use pqlab_mldsa_batch::{Backend, Claim, EncodedKey, Message, ParameterSet, Refusal, Verifier};
use pqlab_testing::{Need, not_run};

/// Returns a verifier for every backend available here.
pub(crate) fn verifiers() -> Vec<Verifier> {
    let all: Vec<Verifier> = Backend::ALL.into_iter().filter_map(|backend| Verifier::new(backend).ok()).collect();
    if all.len() < Backend::ALL.len() {
        not_run(Need::Machine("AVX-512 and AVX2"));
    }
    all
}

/// Generates reproducible pseudorandom bytes (SplitMix64).
pub(crate) struct Generator(pub(crate) u64);

impl Generator {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("the limit fits in a usize")
    }
}

/// A signature with its key, context and message. The signature is valid unless a test changes one of them.
#[derive(Clone)]
pub(crate) struct Signed {
    pub(crate) key: Vec<u8>,
    pub(crate) context: Vec<u8>,
    pub(crate) message: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}

impl Signed {
    /// Signs a random message with a new key.
    pub(crate) fn new<M: MlDsaParams>(generator: &mut Generator, context: usize, message: usize) -> Signed {
        let signer = generator.next();
        Signed::by::<M>(signer, generator, context, message)
    }

    /// Signs a random message with the key derived from `signer`.
    pub(crate) fn by<M: MlDsaParams>(signer: u64, generator: &mut Generator, context: usize, message: usize) -> Signed {
        let seed: [u8; 32] = Generator(signer).bytes(32).try_into().expect("32 bytes");
        let key = SigningKey::<M>::from_seed(&seed.into());
        let (context, message) = (generator.bytes(context), generator.bytes(message));
        let signature = key.expanded_key().sign_deterministic(&message, &context).expect("the context must be valid");
        Signed { key: key.verifying_key().encode().to_vec(), context, message, signature: signature.encode().to_vec() }
    }

    pub(crate) fn claim<P: ParameterSet>(&self) -> Claim<'_, P> {
        Claim {
            key: EncodedKey::new(&self.key).expect("the key length must match").into(),
            message: Message::Pure { context: &self.context, message: &self.message },
            signature: &self.signature,
        }
    }

    /// Returns the verdict on the signature. All backends must give the same verdict for the signature alone, with a
    /// prepared key, and in a batch.
    pub(crate) fn verdict<P: ParameterSet>(&self) -> Result<(), Refusal> {
        let claim = self.claim::<P>();
        let mut verdicts = Vec::new();
        for verifier in verifiers() {
            let prepared = verifier.prepare(EncodedKey::<P>::new(&self.key).expect("the key length must match"));
            let with_prepared = Claim { key: (&prepared).into(), ..claim };
            verdicts.push(verifier.verify(&claim));
            verdicts.push(verifier.verify(&with_prepared));
            verdicts.extend(verifier.verify_batch(&[claim, with_prepared, claim]));
        }
        assert!(verdicts.iter().all(|one| *one == verdicts[0]), "{verdicts:?}");
        verdicts[0]
    }
}

/// Calls a generic function for each parameter set.
#[macro_export]
macro_rules! for_each_set {
    ($function:ident) => {
        $function::<pqlab_mldsa_batch::MlDsa44, ml_dsa::MlDsa44>();
        $function::<pqlab_mldsa_batch::MlDsa65, ml_dsa::MlDsa65>();
        $function::<pqlab_mldsa_batch::MlDsa87, ml_dsa::MlDsa87>();
    };
}
