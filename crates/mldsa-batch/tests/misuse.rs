//! Tests invalid calls, and unusual batches.

mod common;

use common::{Generator, Signed, verifiers};
use ml_dsa::MlDsaParams;
use pqlab_mldsa_batch::{Claim, EncodedKey, Key, ParameterSet, PreparedKey, Refusal};

fn encoded<P: ParameterSet>(signed: &Signed) -> EncodedKey<'_, P> {
    EncodedKey::new(&signed.key).expect("the key length must match")
}

#[test]
fn rejects_only_the_invalid_ones_of_ten_thousand() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let signed = Signed::new::<M>(&mut Generator(1), 0, 32);
        let with = |change: &dyn Fn(&mut Signed)| {
            let mut changed = signed.clone();
            change(&mut changed);
            changed
        };
        let (hint, z) = (P::SIGNATURE - 1, P::SIGNATURE / 2);
        let changed = [
            with(&|signed| signed.signature.clear()),
            with(&|signed| signed.signature[hint] = 0xff),
            with(&|signed| signed.signature[z] ^= 1),
            with(&|signed| signed.message.push(0)),
            with(&|signed| signed.context.resize(256, 0)),
        ];
        // Corrupt the first and last signatures, a whole group of eight, and a few others.
        let bad = [0, 1, 7, 8, 800, 801, 802, 803, 804, 805, 806, 807, 4095, 7777, 9998, 9999];
        for verifier in verifiers() {
            assert!(verifier.verify_batch::<P>(&[]).is_empty());
            let key = verifier.prepare(encoded::<P>(&signed));
            let mut claims = vec![Claim { key: (&key).into(), ..signed.claim::<P>() }; 10_000];
            for (index, place) in bad.into_iter().enumerate() {
                claims[place] = Claim { key: (&key).into(), ..changed[index % changed.len()].claim() };
            }
            let verdicts = verifier.verify_batch(&claims);
            let refused: Vec<usize> = (0..verdicts.len()).filter(|index| verdicts[*index].is_err()).collect();
            assert_eq!((verdicts.len(), refused), (10_000, bad.to_vec()), "{}", P::NAME);
        }
    }
    for_each_set!(run);
}

/// Tests signatures and contexts of wrong lengths among valid ones. The verdict must state the length.
#[test]
fn judges_lengths_individually() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let signed = Signed::new::<M>(&mut Generator(2), 255, 3);
        let expected = P::SIGNATURE;
        let mut cases = vec![(signed.clone(), Ok(()))];
        for actual in [0, 1, expected - 1, expected + 1, 2 * expected, 1 << 20] {
            let mut changed = signed.clone();
            changed.signature.resize(actual, 0);
            cases.push((changed, Err(Refusal::SignatureLength { expected, actual })));
            cases.push((signed.clone(), Ok(())));
        }
        for actual in [256, 257, 65_536] {
            let mut changed = signed.clone();
            changed.context.resize(actual, 0);
            cases.push((changed, Err(Refusal::ContextLength(actual))));
        }
        for verifier in verifiers() {
            let key = verifier.prepare(encoded::<P>(&signed));
            for prepared in [false, true] {
                let key_form = |signed| if prepared { Key::Prepared(&key) } else { Key::Encoded(encoded(signed)) };
                let claims: Vec<Claim<P>> =
                    cases.iter().map(|(signed, _)| Claim { key: key_form(signed), ..signed.claim() }).collect();
                for ((claim, said), (_, right)) in claims.iter().zip(verifier.verify_batch(&claims)).zip(&cases) {
                    assert_eq!((said, verifier.verify(claim)), (*right, *right), "{}", P::NAME);
                }
            }
        }
    }
    for_each_set!(run);
}

/// Tests messages with lengths around the block boundaries of SHAKE256, three alternating signers, and keys that are
/// encoded or prepared by any backend.
#[test]
fn accepts_mixed_signers_messages_and_key_forms() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let mut generator = Generator(3);
        let seeds: Vec<u64> = (0..3).map(|_| generator.next()).collect();
        let lengths =
            [0, 1, 5, 69, 70, 71, 72, 134, 135, 136, 137, 205, 206, 207, 208, 1000, 5000, 70, 70, 70, 70, 0, 0];
        let signed: Vec<Signed> = lengths
            .into_iter()
            .enumerate()
            .map(|(index, length)| Signed::by::<M>(seeds[index % 3], &mut generator, index % 4 * 85, length))
            .collect();
        assert_eq!(signed[0].key, signed[3].key, "signers must recur");
        let prepared: Vec<Vec<PreparedKey<P>>> = verifiers()
            .into_iter()
            .map(|verifier| signed.iter().map(|signed| verifier.prepare(encoded(signed))).collect())
            .collect();
        for verifier in verifiers() {
            for round in 0..2 * (prepared.len() + 1) {
                let form = |index: usize| match (index + round) % (prepared.len() + 1) {
                    0 => Key::Encoded(encoded(&signed[index])),
                    by => Key::Prepared(&prepared[by - 1][index]),
                };
                let mut claims: Vec<Claim<P>> = signed.iter().map(Signed::claim).collect();
                claims.iter_mut().enumerate().for_each(|(index, claim)| claim.key = form(index));
                assert!(verifier.verify_batch(&claims).iter().all(Result::is_ok), "{} in round {round}", P::NAME);
                // Swap the signers of two claims, so that both signatures are invalid.
                let (one, other) = (round % 20, round % 20 + 1);
                claims.swap(one, other);
                let keys = (claims[one].key, claims[other].key);
                (claims[one].key, claims[other].key) = (keys.1, keys.0);
                for (index, verdict) in verifier.verify_batch(&claims).into_iter().enumerate() {
                    let right = if index == one || index == other { Err(Refusal::Challenge) } else { Ok(()) };
                    assert_eq!(verdict, right, "{}: claim {index} in round {round}", P::NAME);
                }
            }
        }
    }
    for_each_set!(run);
}
