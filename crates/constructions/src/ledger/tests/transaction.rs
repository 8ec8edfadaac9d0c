use super::*;
use proptest::prelude::*;

#[test]
fn lengths_match_the_standards() {
    let expected = [5327, 5423, 3798, 7285, 1715, 1629, 162, 163, 592];
    for (scheme, length) in Scheme::ALL.into_iter().zip(expected) {
        assert_eq!(scheme.transaction(), length, "{scheme}");
        assert_eq!(Scheme::from_id(scheme.id()), Some(scheme));
        assert_eq!(Scheme::from_algorithm(&scheme.algorithm().to_lowercase()), Some(scheme));
    }
    assert_eq!((Scheme::from_id(9), Scheme::from_algorithm("RSA")), (None, None));
    for (scheme, implementation) in schemes() {
        let parameters = &implementation.info().parameters;
        assert_eq!(parameters.verifying_key, scheme.public_key(), "{scheme}");
        assert_eq!(parameters.signature, scheme.signature().1, "{scheme}");
        assert_eq!(parameters.category.is_some(), scheme.quantum_safe(), "{scheme}");
    }
}

#[test]
fn accepts_transactions_of_every_scheme() {
    let verifier = verifier();
    for (scheme, implementation) in schemes() {
        let sender = Sender::new(scheme, implementation.as_ref());
        let bytes = sender.sign(CHAIN, 7);
        assert!(scheme == Scheme::Falcon512 || bytes.len() == scheme.transaction(), "{scheme}");
        assert_eq!(verifier.verify(&bytes, &mut Scratch::new()), Ok(()), "{scheme}");
        assert_eq!(round_trip(&bytes).as_deref(), Some(&bytes[..]), "{scheme}");
        let decoded = Transaction::decode(&bytes).unwrap();
        assert_eq!((decoded.body().nonce, decoded.body().amount, decoded.body().fee), (7, 1_000, 3));
        assert_eq!(decoded.body().public_key, sender.public_key);
    }
}

#[test]
fn rejects_every_bit_flip() {
    let verifier = verifier().with_key_cache(4);
    let mut scratch = Scratch::new();
    for (scheme, implementation) in schemes() {
        let bytes = Sender::new(scheme, implementation.as_ref()).sign(CHAIN, 1);
        let mut flipped = bytes.clone();
        for bit in 0..bytes.len() * 8 {
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(verifier.verify(&flipped, &mut scratch).is_err(), "{scheme}: the signature must cover bit {bit}");
            if let Some(again) = round_trip(&flipped) {
                assert_eq!(again, flipped, "{scheme}: bit {bit}");
            }
            flipped[bit / 8] ^= 1 << (bit % 8);
        }
        assert_eq!(verifier.verify(&flipped, &mut scratch), Ok(()));
    }
}

#[test]
fn rejects_truncated_and_extended_transactions() {
    let verifier = verifier();
    for (scheme, implementation) in schemes() {
        let mut bytes = Sender::new(scheme, implementation.as_ref()).sign(CHAIN, 1);
        for length in 0..bytes.len() {
            let rejection = verifier.verify(&bytes[..length], &mut Scratch::new()).unwrap_err();
            assert_eq!(rejection.kind(), "truncated", "{scheme} at {length}");
        }
        for extra in 0..=u8::MAX {
            bytes.push(extra);
            let rejection = verifier.verify(&bytes, &mut Scratch::new()).unwrap_err();
            assert_eq!(rejection, Malformed::TrailingBytes(1).into());
            bytes.pop();
        }
    }
}

#[test]
fn rejects_transactions_for_other_chains() {
    for (scheme, implementation) in schemes() {
        let sender = Sender::new(scheme, implementation.as_ref());
        let rejection = verifier().verify(&sender.sign(CHAIN + 1, 1), &mut Scratch::new());
        assert_eq!(rejection, Err(Rejection::WrongChain(CHAIN + 1)));
    }
}

#[test]
fn reports_the_kind_of_every_fault() {
    let verifier = verifier();
    for (scheme, implementation) in schemes() {
        let sender = Sender::new(scheme, implementation.as_ref());
        for fault in InjectedFault::ALL {
            let mut bytes = sender.sign(fault.chain_id(CHAIN), 1);
            fault.inject(&mut bytes);
            let rejection = verifier.verify(&bytes, &mut Scratch::new()).unwrap_err();
            assert_eq!(rejection.kind(), fault.name(), "{scheme}: {rejection}");
        }
    }
}

/// If the library accepts a zero-padded Falcon signature, the ledger's own rules must reject it.
#[test]
fn libraries_accept_non_canonical_signatures() {
    let sender = Sender::new(Scheme::Falcon512, implementation("liboqs", "Falcon-512").as_ref());
    let bytes = sender.sign(CHAIN, 1);
    let decoded = Transaction::decode(&bytes).unwrap();
    let digest = decoded.digest(sha256().as_ref(), &mut Scratch::new()).unwrap();
    let mut padded = decoded.signature().to_vec();
    padded.resize(666, 0);
    let key = implementation("liboqs", "Falcon-512").load_verifying_key(&sender.public_key).unwrap();
    assert!(key.verify(&[], &digest, decoded.signature()).is_ok());
    if key.verify(&[], &digest, &padded).is_ok() {
        assert!(decoded.body().encode_with(&padded, &mut [0; 2000]).is_err());
    }
}

#[test]
fn appends_fields_without_checking_them() {
    let sender = Sender::new(Scheme::Ed25519, implementation("rustcrypto", "Ed25519").as_ref());
    let bytes = sender.sign(CHAIN, 1);
    let fields = Transaction::decode(&bytes).unwrap().fields();
    let mut out = vec![7];
    fields.append(&mut out).unwrap();
    assert_eq!(out[1..], bytes);
    Fields { scheme: 77, ..fields }.append(&mut out).unwrap();
    assert_eq!(Transaction::decode(&out[1 + bytes.len()..]), Err(Malformed::Scheme(77)));
    let length = out.len();
    assert!(Fields { signature: &[0; 1 << 16], ..fields }.append(&mut out).is_err());
    assert_eq!(out.len(), length);
}

#[test]
fn rejects_stripped_hybrids_in_txv2() {
    let schemes = schemes();
    let find = |wanted: Scheme| schemes.iter().find(|(scheme, _)| *scheme == wanted).unwrap();
    let hybrid = Sender::new(Scheme::Composite, find(Scheme::Composite).1.as_ref()).sign(CHAIN, 1);
    let decoded = Transaction::decode(&hybrid).unwrap();
    let (key, signature) = (decoded.body().public_key, decoded.signature());
    // Present each half alone as a transaction of its plain scheme.
    let halves =
        [(Scheme::MlDsa65, &key[..1952], &signature[..3309]), (Scheme::Ed25519, &key[1952..], &signature[3309..])];
    for (scheme, public_key, signature) in halves {
        let mut stripped = vec![0; scheme.transaction()];
        Body { scheme, public_key, ..*decoded.body() }.encode_with(signature, &mut stripped).unwrap();
        let rejection = verifier().verify(&stripped, &mut Scratch::new());
        assert_eq!(rejection, Err(Rejection::WrongSignature), "{scheme}");
    }
}

#[test]
fn rejects_unknown_schemes_and_mismatched_implementations() {
    let sender = Sender::new(Scheme::Ed25519, implementation("rustcrypto", "Ed25519").as_ref());
    let bytes = sender.sign(CHAIN, 1);
    let empty = Verifier::new(Form::TxV2, CHAIN, sha256());
    assert_eq!(empty.verify(&bytes, &mut Scratch::new()), Err(Rejection::Unsupported("Ed25519")));
    assert!(empty.with_scheme(Scheme::MlDsa44, implementation("rustcrypto", "Ed25519")).is_err());
}

#[test]
fn caches_keys_up_to_the_capacity() {
    let ed25519 = implementation("rustcrypto", "Ed25519");
    let verifier = verifier().with_key_cache(2);
    for count in 1..=5 {
        let bytes = Sender::new(Scheme::Ed25519, ed25519.as_ref()).sign(CHAIN, 1);
        for _ in 0..2 {
            assert_eq!(verifier.verify(&bytes, &mut Scratch::new()), Ok(()), "{count}");
        }
    }
    assert!(format!("{verifier:?}").contains("len: 1"), "{verifier:?}");
}

#[test]
fn rejects_short_buffers_and_wrong_lengths() {
    let sender = Sender::new(Scheme::Ed25519, implementation("rustcrypto", "Ed25519").as_ref());
    let bytes = sender.sign(CHAIN, 1);
    let decoded = Transaction::decode(&bytes).unwrap();
    for length in 0..bytes.len() {
        assert!(decoded.encode(&mut vec![0; length]).is_err());
        let signed = decoded.body().sign(
            sender.key.as_ref(),
            sha256().as_ref(),
            Coins::Internal,
            &mut Scratch::new(),
            &mut vec![0; length],
        );
        assert!(signed.is_err());
    }
    let body = Body { public_key: &sender.public_key[1..], ..*decoded.body() };
    assert!(body.encode(&mut [0; 200]).is_err());
    assert!(decoded.body().encode_with(&[0; 63], &mut [0; 200]).is_err());
}

/// Generates bytes that resemble a transaction: random content with correct or nearly correct length fields.
pub(super) fn nearly() -> impl Strategy<Value = Vec<u8>> {
    let fields = (0_u8..10, any::<[u8; 62]>(), any::<u64>(), -1_i32..2, -1_i32..2, 0_usize..3, any::<bool>());
    fields.prop_map(|(scheme, fixed, fill, key, signature, extra, reference)| {
        let (public_key, longest) = Scheme::from_id(scheme).map_or((32, 64), |it| (it.public_key(), it.signature().1));
        let mut state = fill | 1;
        let mut draw = |length: usize, off: i32| {
            let length = (length as i32 + i32::from(fill % 4 == 0) * off).max(0) as usize;
            let mut field = (length as u16).to_be_bytes().to_vec();
            field.extend((0..length).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            }));
            field
        };
        let mut bytes = Vec::new();
        if reference {
            bytes.push(1);
            bytes.extend(&fixed[1..13]);
            bytes.extend(draw(1952, key));
            bytes.extend(&fixed[13..61]);
            bytes.push(scheme % 3);
            bytes.extend(draw(3309, signature));
            if scheme % 3 == 1 {
                bytes.extend(draw(64, signature));
            }
        } else {
            bytes.extend(fixed);
            (bytes[0], bytes[5]) = (2, scheme);
            let mut key = draw(public_key, key);
            key[2] = 2 + key[2] % 2;
            bytes.extend(key);
            let mut signature = draw(longest, signature);
            if let Some(last) = signature.last_mut() {
                *last &= 0x0f;
            }
            bytes.extend(signature);
        }
        bytes.extend(&fixed[..extra / 2]);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn accepted_bytes_encode_to_themselves(bytes in nearly()) {
        if let Some(again) = round_trip(&bytes) {
            prop_assert_eq!(again, bytes);
        }
    }

    #[test]
    fn decodes_the_fields_it_encodes(chain_id: u32, nonce: u64, to: [u8; 32], amount: u64, fee: u64, key: [u8; 32], signature: [u8; 32]) {
        let mut signature = [signature, signature].concat();
        signature[63] &= 0x0f;
        let body = Body { chain_id, scheme: Scheme::Ed25519, nonce, to: &to, amount, fee, public_key: &key };
        let mut out = [0; 162];
        prop_assert_eq!(body.encode_with(&signature, &mut out).unwrap(), 162);
        let decoded = Transaction::decode(&out).unwrap();
        prop_assert_eq!(*decoded.body(), body);
        prop_assert_eq!(decoded.signature(), &signature[..]);
    }

    #[test]
    fn survives_arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(round_trip(&bytes).is_none_or(|again| again == bytes));
    }
}

#[test]
fn nearly_valid_bytes_are_often_accepted() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let accepted =
        (0..500).filter(|_| round_trip(&nearly().new_tree(&mut runner).unwrap().current()).is_some()).count();
    assert!((50..450).contains(&accepted), "{accepted} of 500 inputs accepted: the property test needs both outcomes");
}
