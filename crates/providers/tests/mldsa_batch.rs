//! Compares this project's batch verification for ML-DSA with AWS-LC and liboqs. The signatures are valid, changed or
//! random.

use pqlab_mldsa_batch::{
    Backend, Claim, EncodedKey, Message, MlDsa44, MlDsa65, MlDsa87, ParameterSet, PreparedKey, Verifier,
};
use pqlab_primitives::{Coins, SignatureScheme, VerifyingKey};
use pqlab_providers::providers;
use pqlab_testing::{Need, not_run};
use pqlab_verification::published_digest;
use std::sync::Arc;

/// Pseudo-random generator that returns the same bytes in every run (SplitMix64).
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("the number must fit in usize")
    }
}

fn scheme(library: &str, algorithm: &str) -> Arc<dyn SignatureScheme> {
    let all = providers();
    let provider = all.iter().find(|provider| provider.library == library).expect("the library is not in this build");
    let mut schemes = provider.signatures.iter();
    Arc::clone(schemes.find(|scheme| scheme.info().parameters.algorithm == algorithm).expect("no such algorithm"))
}

fn verifiers() -> Vec<Verifier> {
    let all: Vec<Verifier> = Backend::ALL.into_iter().filter_map(|backend| Verifier::new(backend).ok()).collect();
    if all.len() < Backend::ALL.len() {
        not_run(Need::Machine("AVX-512 and AVX2"));
    }
    all
}

/// A signer, with the key loaded in each library.
struct Signer<P> {
    key: Vec<u8>,
    prepared: PreparedKey<P>,
    libraries: Vec<Box<dyn VerifyingKey>>,
    message: Vec<u8>,
    context: Vec<u8>,
    signature: Vec<u8>,
}

/// A signature, which may have been changed.
struct Case {
    signer: usize,
    message: Vec<u8>,
    signature: Vec<u8>,
}

/// Changes the message or the signature at random, or leaves both unchanged.
fn changed(generator: &mut Generator, signer: usize, message: &[u8], signature: &[u8], hint: usize) -> Case {
    let (mut message, mut signature) = (message.to_vec(), signature.to_vec());
    let length = signature.len();
    match generator.below(10) {
        0 | 1 => {}
        2 => message[0] ^= 1 << generator.below(8),
        3 => _ = signature.pop(),
        4 => signature = generator.bytes(length),
        5 => signature[length - hint..].copy_from_slice(&generator.bytes(hint)),
        6 => {
            let place = length - 1 - generator.below(hint);
            signature[place] = signature[place].wrapping_add(generator.next() as u8);
        }
        7 => signature[length - 1 - generator.below(hint)] = 0,
        _ => signature[generator.below(length)] ^= 1 << generator.below(8),
    }
    Case { signer, message, signature }
}

/// Compares the verdicts of all verifiers in `rounds` batches of 16 signatures. Returns the number of valid signatures.
fn compare<P: ParameterSet>(seed: u64, rounds: usize) -> usize {
    let mut generator = Generator(seed);
    let fastest = Verifier::fastest();
    let signing = scheme("aws-lc", P::NAME);
    let others = [scheme("aws-lc", P::NAME), scheme("liboqs", P::NAME)];
    // Length of the hint at the end of a signature, in bytes: omega plus k, the number of rows.
    let hint = match P::NAME {
        "ML-DSA-44" => 84,
        "ML-DSA-65" => 61,
        _ => 83,
    };
    let signers: Vec<Signer<P>> = (0..40)
        .map(|index| {
            let key = signing.generate(Coins::Exact(&generator.bytes(32))).expect("keygen failed");
            let mut encoded = vec![0; P::KEY];
            key.verifying_key().and_then(|key| key.encode(&mut encoded)).expect("the buffer is too small");
            let (message, context) = (generator.bytes(1 + index % 3), generator.bytes(index % 2 * 9));
            let mut signature = vec![0; P::SIGNATURE];
            key.sign(&context, &message, Coins::Exact(&[]), &mut signature).expect("signing failed");
            let prepared = fastest.prepare(EncodedKey::new(&encoded).expect("wrong key length"));
            let load =
                |scheme: &Arc<dyn SignatureScheme>| scheme.load_verifying_key(&encoded).expect("cannot load the key");
            Signer { prepared, libraries: others.iter().map(load).collect(), message, context, signature, key: encoded }
        })
        .collect();
    let mut valid = 0;
    for _ in 0..rounds {
        let cases: Vec<Case> = (0..16)
            .map(|_| {
                let index = generator.below(signers.len());
                let signer = &signers[index];
                changed(&mut generator, index, &signer.message, &signer.signature, hint)
            })
            .collect();
        let votes: Vec<Vec<bool>> = cases
            .iter()
            .map(|case| {
                let Signer { libraries, context, .. } = &signers[case.signer];
                libraries.iter().map(|key| key.verify(context, &case.message, &case.signature).is_ok()).collect()
            })
            .collect();
        let claims: Vec<Claim<P>> = cases
            .iter()
            .map(|case| {
                let signer = &signers[case.signer];
                let encoded = EncodedKey::new(&signer.key).expect("wrong key length").into();
                let key = if generator.below(2) == 0 { encoded } else { (&signer.prepared).into() };
                let message = Message::Pure { context: &signer.context, message: &case.message };
                Claim { key, message, signature: &case.signature }
            })
            .collect();
        for verifier in verifiers() {
            for ((votes, verdict), claim) in votes.iter().zip(verifier.verify_batch(&claims)).zip(&claims) {
                let what = format!("{} with {}: {verdict:?}", P::NAME, verifier.backend().name());
                assert!(votes.iter().all(|vote| *vote == verdict.is_ok()), "{what}, but the libraries: {votes:?}");
                assert_eq!(verifier.verify(claim).is_ok(), verdict.is_ok(), "{what} in a batch, but not outside it");
            }
        }
        valid += votes.iter().filter(|votes| votes[0]).count();
    }
    valid
}

fn all_sets(seed: u64, rounds: usize) {
    for valid in [compare::<MlDsa44>(seed, rounds), compare::<MlDsa65>(seed, rounds), compare::<MlDsa87>(seed, rounds)]
    {
        assert!((rounds..16 * rounds).contains(&valid), "unexpected number of valid signatures: {valid}");
    }
}

#[test]
fn batch_verification_agrees_with_the_libraries() {
    all_sets(1, 100);
}

#[test]
#[ignore = "a million signatures take five minutes"]
fn batch_verification_agrees_with_the_libraries_on_a_million_signatures() {
    all_sets(2, 21_000);
}

/// Generates the accumulated test vectors from C2SP's CCTV with AWS-LC. There are `answers` vectors, each a key and a
/// deterministic signature of the empty message. C2SP publishes the digest of all keys and signatures. Every backend
/// must accept all signatures, and must reject the altered signature in each batch.
fn accumulated<P: ParameterSet>(answers: u64) {
    let all = providers();
    let library = all.iter().find(|provider| provider.library == "aws-lc").expect("the library is not in this build");
    let shake = library.xof("SHAKE128").expect("no such algorithm");
    let signing = library.signature(P::NAME).expect("no such algorithm");
    let verifiers = verifiers();
    let mut seeds = shake.absorb(&[]).expect("cannot absorb the message");
    // Each answer is a key followed by a signature.
    let answer = P::KEY + P::SIGNATURE;
    let mut generated = vec![0; answer * usize::try_from(answers).expect("the answers must fit into memory")];
    for answer in generated.chunks_exact_mut(answer) {
        let mut seed = [0; 32];
        seeds.squeeze(&mut seed).expect("cannot squeeze the output");
        let key = signing.generate(Coins::Exact(&seed)).expect("keygen failed");
        let (verifying_key, signature) = answer.split_at_mut(P::KEY);
        key.verifying_key().and_then(|key| key.encode(verifying_key)).expect("the buffer is too small");
        key.sign(&[], &[], Coins::Exact(&[]), signature).expect("signing failed");
    }
    let mut digest = [0; 32];
    shake.digest(&generated, &mut digest).expect("hashing failed");
    assert_eq!(Some(hex::encode(digest).as_str()), published_digest(P::NAME, answers), "{}", P::NAME);

    // The verifier groups eight signatures. 19 is not a multiple of 8, so each batch ends with a
    // partial group.
    for (number, batch) in generated.chunks(19 * answer).enumerate() {
        let parts: Vec<(&[u8], &[u8])> = batch.chunks_exact(answer).map(|one| one.split_at(P::KEY)).collect();
        let altered = number % parts.len();
        let mut signature = parts[altered].1.to_vec();
        let place = number * 31 % P::SIGNATURE;
        signature[place] ^= 1 << (number % 8);
        let message = Message::Pure { context: &[], message: &[] };
        let mut claims: Vec<Claim<P>> = parts
            .iter()
            .map(|(key, signature)| Claim {
                key: EncodedKey::new(key).expect("wrong key length").into(),
                message,
                signature,
            })
            .collect();
        for verifier in &verifiers {
            let verdicts = verifier.verify_batch(&claims);
            assert!(verdicts.iter().all(Result::is_ok), "{}, batch {number}: {verdicts:?}", verifier.backend().name());
        }
        claims[altered].signature = &signature;
        for verifier in &verifiers {
            let verdicts = verifier.verify_batch(&claims);
            let right = verdicts.iter().enumerate().all(|(index, verdict)| verdict.is_ok() == (index != altered));
            assert!(right, "{}, batch {number}: altered signature {altered}: {verdicts:?}", verifier.backend().name());
        }
    }
}

#[test]
fn accumulated_signatures_verify_in_batches() {
    accumulated::<MlDsa44>(100);
    accumulated::<MlDsa65>(100);
    accumulated::<MlDsa87>(100);
}

#[test]
#[ignore = "10,000 signatures for each parameter set take half a minute"]
fn ten_thousand_accumulated_signatures_verify_in_batches() {
    accumulated::<MlDsa44>(10_000);
    accumulated::<MlDsa65>(10_000);
    accumulated::<MlDsa87>(10_000);
}
