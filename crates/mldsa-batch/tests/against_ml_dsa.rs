//! Verifies signatures created by the `ml-dsa` crate, unchanged and corrupted.

mod common;

use common::{Generator, Signed, verifiers};
use ml_dsa::MlDsaParams;
use pqlab_mldsa_batch::{Claim, EncodedKey, ParameterSet, Refusal};

#[test]
fn accepts_valid_signatures() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let mut generator = Generator(1);
        for round in 0..40 {
            let signed = Signed::new::<M>(&mut generator, round % 4 * 85, 37 * round);
            assert_eq!(signed.verdict::<P>(), Ok(()), "{}", P::NAME);
        }
    }
    for_each_set!(run);
}

#[test]
fn rejects_bit_flips() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let mut generator = Generator(2);
        let signed = Signed::new::<M>(&mut generator, 10, 100);
        for round in 0..400 {
            let mut changed = signed.clone();
            let field = [&mut changed.signature, &mut changed.key, &mut changed.message, &mut changed.context];
            let field = field.into_iter().nth(if round < 300 { 0 } else { round % 4 }).expect("four");
            let place = generator.below(field.len());
            field[place] ^= 1 << generator.below(8);
            assert!(changed.verdict::<P>().is_err(), "{}: {place}", P::NAME);
        }
    }
    for_each_set!(run);
}

#[test]
fn bad_signatures_do_not_affect_others() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let mut generator = Generator(3);
        let signed: Vec<Signed> = (0..19).map(|index| Signed::new::<M>(&mut generator, 0, index % 3 * 40)).collect();
        for verifier in verifiers() {
            let prepared: Vec<_> =
                signed.iter().map(|one| verifier.prepare(EncodedKey::<P>::new(&one.key).unwrap())).collect();
            for bad in 0..signed.len() {
                for kind in 0..5 {
                    let mut changed = signed[bad].clone();
                    let z = changed.signature.len() / 2;
                    let last = changed.signature.len() - 1;
                    match kind {
                        0 => changed.signature[0] ^= 1,
                        1 => changed.signature[z] ^= 1,
                        2 => changed.signature[last] = 0xff,
                        3 => changed.message.push(0),
                        _ => _ = changed.signature.pop(),
                    }
                    let mut claims: Vec<_> = signed.iter().map(Signed::claim::<P>).collect();
                    claims[bad] = changed.claim();
                    for (claim, key) in claims.iter_mut().zip(&prepared).skip(kind).step_by(2) {
                        claim.key = key.into();
                    }
                    for (index, verdict) in verifier.verify_batch(&claims).into_iter().enumerate() {
                        assert_eq!(verdict.is_ok(), index != bad, "signature {index}, invalid {bad}");
                    }
                }
            }
        }
    }
    for_each_set!(run);
}

/// Verifies batches in which signers occur once or several times, in random order, with some invalid signatures. Keys
/// with a common prefix must not be confused.
#[test]
fn repeated_keys_do_not_change_verdicts() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let generator = &mut Generator(17);
        let mut signed: Vec<Signed> =
            (0..40).map(|index| Signed::by::<M>([1, 2, 3, 4 + index][index as usize % 4], generator, 3, 50)).collect();
        // Keys that share all but the last byte with the key of the first signer. Its signatures are invalid under them.
        for last in 1..5 {
            let mut other = signed[0].clone();
            *other.key.last_mut().unwrap() ^= last;
            signed.push(other);
        }
        for index in (0..signed.len()).step_by(7) {
            let place = generator.below(signed[index].signature.len());
            signed[index].signature[place] ^= 1 << generator.below(8);
        }
        signed[5].signature.pop();
        for _ in 0..20 {
            for place in (1..signed.len()).rev() {
                signed.swap(place, generator.below(place + 1));
            }
            for verifier in verifiers() {
                let prepared = verifier.prepare(EncodedKey::<P>::new(&signed[0].key).unwrap());
                for count in [1, 2, 8, 9, signed.len()] {
                    let mut claims: Vec<Claim<P>> = signed[..count].iter().map(Signed::claim).collect();
                    claims[0].key = (&prepared).into();
                    let alone: Vec<_> = claims.iter().map(|claim| verifier.verify(claim)).collect();
                    assert_eq!(verifier.verify_batch(&claims), alone);
                    assert!(count < signed.len() || alone.iter().filter(|verdict| verdict.is_ok()).count() > 20);
                }
            }
        }
    }
    for_each_set!(run);
}

#[test]
fn rejects_wrong_lengths() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let signed = Signed::new::<M>(&mut Generator(5), 255, 3);
        assert_eq!(signed.verdict::<P>(), Ok(()));
        for length in [0, 1, P::SIGNATURE - 1, P::SIGNATURE + 1, 5000] {
            let mut changed = signed.clone();
            changed.signature.resize(length, 0);
            let refusal = Refusal::SignatureLength { expected: P::SIGNATURE, actual: length };
            assert_eq!(changed.verdict::<P>(), Err(refusal));
        }
        let mut changed = signed.clone();
        changed.context.push(0);
        assert_eq!(changed.verdict::<P>(), Err(Refusal::ContextLength(256)));
        for length in [0, P::KEY - 1, P::KEY + 1] {
            let refusal = Refusal::KeyLength { expected: P::KEY, actual: length };
            assert_eq!(EncodedKey::<P>::new(&vec![0; length]).err(), Some(refusal));
        }
    }
    for_each_set!(run);
}

/// Returns parameters for edge cases: bits per coefficient of `z`, beta, omega, number of rows, length of the challenge
/// in bytes.
fn edges<P: ParameterSet>() -> (usize, i32, usize, usize, usize) {
    match P::NAME {
        "ML-DSA-44" => (18, 78, 80, 4, 32),
        "ML-DSA-65" => (20, 196, 55, 6, 48),
        _ => (20, 120, 75, 8, 64),
    }
}

#[test]
fn rejects_coefficients_at_the_bound_but_not_below() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let (bits, beta, _, _, challenge) = edges::<P>();
        let signed = Signed::new::<M>(&mut Generator(6), 0, 3);
        let prepared: Vec<_> = verifiers()
            .into_iter()
            .map(|verifier| (verifier, verifier.prepare(EncodedKey::<P>::new(&signed.key).unwrap())))
            .collect();
        let gamma1 = 1 << (bits - 1);
        let columns = (P::SIGNATURE - challenge) / (32 * bits);
        for index in (0..256 * columns).step_by(5).chain([256 * columns - 1]) {
            for (magnitude, refusal) in [
                (gamma1 - beta - 1, Refusal::Challenge),
                (gamma1 - beta, Refusal::Norm),
                (gamma1 - beta + 1, Refusal::Norm),
                (gamma1 - 1, Refusal::Norm),
            ] {
                for coefficient in [magnitude, -magnitude] {
                    let mut changed = signed.clone();
                    let value = gamma1 - coefficient;
                    let z = &mut changed.signature[challenge..];
                    for bit in 0..bits {
                        let (byte, place) = ((index * bits + bit) / 8, (index * bits + bit) % 8);
                        z[byte] = z[byte] & !(1 << place) | ((value >> bit & 1) as u8) << place;
                    }
                    let claim = changed.claim::<P>();
                    for (verifier, key) in &prepared {
                        let by_prepared = Claim { key: key.into(), ..claim };
                        let alone = [verifier.verify(&claim), verifier.verify(&by_prepared)];
                        let batch = verifier.verify_batch(&[by_prepared, signed.claim(), claim]);
                        assert_eq!(alone, [Err(refusal); 2], "{index}: {coefficient}");
                        assert_eq!(batch, [Err(refusal), Ok(()), Err(refusal)], "{index}: {coefficient}, batch");
                    }
                }
            }
        }
    }
    for_each_set!(run);
}

#[test]
fn rejects_non_canonical_hints() {
    fn run<P: ParameterSet, M: MlDsaParams>() {
        let (_, _, omega, rows, _) = edges::<P>();
        let signed = Signed::new::<M>(&mut Generator(7), 0, 3);
        let begin = P::SIGNATURE - omega - rows;
        let with = |hint: &[u8]| {
            let mut changed = signed.clone();
            changed.signature[begin..].copy_from_slice(hint);
            changed.verdict::<P>()
        };
        let original = &signed.signature[begin..];
        assert_eq!(with(original), Ok(()));
        let total = usize::from(original[omega + rows - 1]);
        assert!(total > 1 && total < omega);
        // In the first polynomial with at least two hint positions, duplicate one, then swap two.
        let ends: Vec<usize> = original[omega..].iter().map(|end| usize::from(*end)).collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let (start, _) = starts.zip(&ends).find(|(start, end)| *end - start > 1).expect("no polynomial has two ones");
        let mut changed = original.to_vec();
        changed[start + 1] = changed[start];
        assert_eq!(with(&changed), Err(Refusal::Hint), "a repeated position must be rejected");
        let mut changed = original.to_vec();
        changed.swap(start, start + 1);
        assert_eq!(with(&changed), Err(Refusal::Hint), "decreasing positions must be rejected");
        for place in total..omega {
            let mut changed = original.to_vec();
            changed[place] = 1;
            assert_eq!(with(&changed), Err(Refusal::Hint), "bytes after the last position must be zero");
        }
        for count in [omega + 1, 255] {
            for row in 0..rows {
                let mut changed = original.to_vec();
                changed[omega + row] = count as u8;
                assert_eq!(with(&changed), Err(Refusal::Hint), "count {count} in row {row}");
            }
        }
        let mut changed = original.to_vec();
        changed[omega + rows - 1] = changed[omega + rows - 2].saturating_sub(1);
        assert_eq!(with(&changed), Err(Refusal::Hint), "decreasing counts must be rejected");
        // A hint with exactly omega ones is canonical, although wrong for this signature.
        let mut changed: Vec<u8> = (0..omega).map(|place| place as u8).collect();
        changed.extend(vec![omega as u8; rows]);
        assert_eq!(with(&changed), Err(Refusal::Challenge), "omega ones must be accepted");
        let mut none = vec![0; omega + rows];
        assert_eq!(with(&none), Err(Refusal::Challenge), "none");
        none[0] = 1;
        assert_eq!(with(&none), Err(Refusal::Hint), "uncounted positions must be zero");
    }
    for_each_set!(run);
}
