use super::selected;
use crate::shared::testing::*;
use pqlab_primitives::Coins;

#[test]
fn key_agreements_agree_and_take_exact_coins() {
    for agreement in selected().iter().flat_map(|provider| &provider.key_agreements) {
        let (mut public_a, mut private_a) = ([0; 32], [0; 32]);
        agreement.generate_encoded(Coins::Internal, &mut public_a, &mut private_a).unwrap();
        let a = agreement.load_private_key(&private_a).unwrap();
        let b = agreement.generate(Coins::Internal).unwrap();
        let (mut public_b, mut again) = ([0; 32], [0; 32]);
        b.public_key(&mut public_b).unwrap();
        a.public_key(&mut again).unwrap();
        assert_eq!(again, public_a);
        a.encode(&mut again).unwrap();
        assert_eq!(again, private_a);

        let (mut secret_a, mut secret_b) = ([0; 32], [0; 32]);
        // A prepared key must not remember the first peer.
        for _ in 0..2 {
            a.agree(&public_b, &mut secret_a).unwrap();
            b.agree(&public_a, &mut secret_b).unwrap();
            assert_eq!(secret_a, secret_b);
            b.agree(&public_b, &mut secret_b).unwrap();
            assert_ne!(secret_a, secret_b);
        }

        let coins = bytes(32, 5);
        let exact = agreement.generate(Coins::Exact(&coins)).unwrap();
        agreement.generate_encoded(Coins::Exact(&coins), &mut public_b, &mut private_a).unwrap();
        assert_eq!(private_a[..], coins);
        exact.encode(&mut again).unwrap();
        assert_eq!(again, private_a);
        exact.public_key(&mut again).unwrap();
        assert_eq!(again, public_b);
    }
}

#[test]
fn key_agreements_refuse_wrong_lengths() {
    for agreement in selected().iter().flat_map(|provider| &provider.key_agreements) {
        let key = agreement.generate(Coins::Internal).unwrap();
        let (mut public, mut secret) = ([0; 32], [0; 32]);
        key.public_key(&mut public).unwrap();
        for length in [0, 31, 33] {
            let mut wrong = vec![9; length];
            assert!(length_error(agreement.load_private_key(&wrong)));
            assert!(length_error(agreement.generate(Coins::Exact(&wrong))));
            assert!(length_error(key.agree(&wrong, &mut secret)));
            assert!(length_error(key.agree(&public, &mut wrong)));
            assert!(length_error(key.public_key(&mut wrong)));
            assert!(length_error(key.encode(&mut wrong)));
            assert!(length_error(agreement.generate_encoded(Coins::Internal, &mut wrong, &mut secret)));
            assert!(length_error(agreement.generate_encoded(Coins::Internal, &mut public, &mut wrong)));
        }
    }
}

/// Points of small order must be rejected, because they lead to an all-zero shared secret (RFC 7748, section 6.1).
#[test]
fn x25519_refuses_points_of_small_order() {
    for provider in selected().into_iter().filter(|provider| provider.key_agreement("X25519").is_some()) {
        let mut one = [0; 32];
        one[0] = 1;
        for point in [[0; 32], one] {
            let key = provider.key_agreement("X25519").unwrap().generate(Coins::Internal).unwrap();
            assert!(malformed_error(key.agree(&point, &mut [0; 32])), "{}", provider.id());
            let kem = provider.kem("X25519").unwrap();
            assert!(malformed_error(decapsulate(&*kem.generate(Coins::Internal).unwrap(), &point)));
            let public = kem.load_encapsulation_key(&point);
            assert!(malformed_error(public.and_then(|key| try_encapsulate(&**kem, &*key, Coins::Internal))));
        }
    }
}
