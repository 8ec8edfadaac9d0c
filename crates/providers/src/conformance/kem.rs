use super::{ENCODINGS, selected};
use crate::shared::testing::*;
use pqlab_primitives::{Coins, Kem, KeyEncoding};
use std::sync::Arc;

/// Libraries that check an ML-KEM key on every use. All other libraries check a key when they load it.
const CHECK_ON_USE: [&str; 2] = ["aws-lc", "liboqs"];

fn kems() -> Vec<Arc<dyn Kem>> {
    selected().iter().flat_map(|provider| provider.kems.clone()).collect()
}

fn generate_encoded(kem: &dyn Kem, coins: Coins) -> (Vec<u8>, Vec<u8>) {
    let info = kem.info();
    let mut public = vec![0; info.parameters.encapsulation_key];
    let mut private = vec![0; info.decapsulation_key(info.encodings[0]).unwrap()];
    kem.generate_encoded(coins, &mut public, &mut private).unwrap();
    (public, private)
}

#[test]
fn kems_round_trip_in_every_encoding() {
    for kem in kems() {
        let info = kem.info();
        let generated = kem.generate(Coins::Internal).unwrap();
        let public = encoded_encapsulation_key(&*kem, &*generated.encapsulation_key().unwrap());
        let loaded_public = kem.load_encapsulation_key(&public).unwrap();
        assert_eq!(encoded_encapsulation_key(&*kem, &*loaded_public), public);
        let sent = encapsulate(&*kem, &*loaded_public, Coins::Internal);
        assert_ne!(encapsulate(&*kem, &*loaded_public, Coins::Internal).ciphertext, sent.ciphertext);
        let mut tampered = sent.ciphertext.clone();
        tampered[17] ^= 1;
        let rejected = decapsulate(&*generated, &tampered).unwrap();
        assert_ne!(rejected, sent.secret);

        for &encoding in kem.written() {
            let mut private = vec![0; info.decapsulation_key(encoding).unwrap()];
            assert_eq!(generated.encode(encoding, &mut private), Ok(private.len()));
            let loaded = kem.load_decapsulation_key(encoding, &private).unwrap();
            assert_eq!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret, "{}", info.parameters.algorithm);
            // For a rejected ciphertext, the secret is derived from the key (FIPS 203, algorithm 18, line 7).
            assert_eq!(decapsulate(&*loaded, &tampered).unwrap(), rejected);
            let mut again = vec![0; private.len()];
            assert_eq!(loaded.encode(encoding, &mut again), Ok(private.len()));
            assert_eq!(again, private);
            again.resize(public.len(), 0);
            assert_eq!(loaded.encode_encapsulation_key(&mut again), Ok(public.len()));
            assert_eq!(again, public);
            let derived = loaded.encapsulation_key().unwrap();
            assert_eq!(encoded_encapsulation_key(&*kem, &*derived), public);
            let sent = encapsulate(&*kem, &*derived, Coins::Internal);
            assert_eq!(decapsulate(&*generated, &sent.ciphertext).unwrap(), sent.secret);
            if encoding == KeyEncoding::Expanded {
                assert!(unsupported_error(loaded.encode(KeyEncoding::Seed, &mut [0; 64])));
            }
        }

        let (public, private) = generate_encoded(&*kem, Coins::Internal);
        let loaded = kem.load_decapsulation_key(info.encodings[0], &private).unwrap();
        let sent = encapsulate(&*kem, &*kem.load_encapsulation_key(&public).unwrap(), Coins::Internal);
        assert_eq!(decapsulate(&*loaded, &sent.ciphertext).unwrap(), sent.secret);
    }
}

#[test]
fn kems_take_exact_coins() {
    for kem in kems().iter().filter(|kem| kem.info().coins.keygen) {
        let parameters = &kem.info().parameters;
        let coins = bytes(parameters.keygen_coins, 1);
        let key = kem.generate(Coins::Exact(&coins)).unwrap();
        let generated = key.encapsulation_key().unwrap();
        let (public, private) = generate_encoded(&**kem, Coins::Exact(&coins));
        assert_eq!(encoded_encapsulation_key(&**kem, &*generated), public, "{}", parameters.algorithm);
        assert_eq!(generate_encoded(&**kem, Coins::Exact(&coins)), (public.clone(), private.clone()));
        assert_ne!(generate_encoded(&**kem, Coins::Internal).0, public);
        assert_ne!(generate_encoded(&**kem, Coins::Exact(&bytes(coins.len(), 9))).0, public);
        let mut encoded = vec![0; private.len()];
        if kem.written().contains(&kem.info().encodings[0]) {
            assert_eq!(key.encode(kem.info().encodings[0], &mut encoded), Ok(private.len()));
            assert_eq!(encoded, private);
        }
        if !kem.info().coins.operation {
            continue;
        }
        // Generated and loaded keys may be prepared differently, but must give the same ciphertext.
        let loaded = kem.load_encapsulation_key(&public).unwrap();
        let coins = bytes(parameters.encapsulation_coins, 2);
        let sent = encapsulate(&**kem, &*generated, Coins::Exact(&coins));
        assert_eq!(encapsulate(&**kem, &*loaded, Coins::Exact(&coins)), sent, "{}", parameters.algorithm);
        assert_eq!(decapsulate(&*key, &sent.ciphertext).unwrap(), sent.secret);
        assert_ne!(encapsulate(&**kem, &*loaded, Coins::Internal).ciphertext, sent.ciphertext);
        let other = bytes(parameters.encapsulation_coins, 9);
        assert_ne!(encapsulate(&**kem, &*loaded, Coins::Exact(&other)).ciphertext, sent.ciphertext);
    }
}

#[test]
fn kems_refuse_wrong_lengths_and_foreign_encodings() {
    for kem in kems() {
        let (info, parameters) = (kem.info(), &kem.info().parameters);
        let key = kem.generate(Coins::Internal).unwrap();
        let public = key.encapsulation_key().unwrap();
        for length in [1, parameters.keygen_coins + 1] {
            let given = kem.generate(Coins::Exact(&bytes(length, 0)));
            assert!(if info.coins.keygen { length_error(given) } else { unsupported_error(given) });
        }
        let length = parameters.encapsulation_key;
        for wrong in [0, length - 1, length + 1] {
            assert!(length_error(kem.load_encapsulation_key(&bytes(wrong, 0))), "{}", parameters.algorithm);
        }
        assert!(length_error(public.encode(&mut vec![0; length - 1])));
        for encoding in ENCODINGS {
            match info.decapsulation_key(encoding).filter(|_| info.encodings.contains(&encoding)) {
                Some(length) => {
                    for wrong in [0, length - 1, length + 1] {
                        assert!(length_error(kem.load_decapsulation_key(encoding, &bytes(wrong, 0))));
                    }
                }
                None => assert!(unsupported_error(kem.load_decapsulation_key(encoding, &[0; 32]))),
            }
            let length = info.decapsulation_key(encoding).unwrap_or(1);
            match kem.written().contains(&encoding) {
                true => assert!(length_error(key.encode(encoding, &mut vec![0; length - 1]))),
                false => assert!(unsupported_error(key.encode(encoding, &mut vec![0; length]))),
            }
        }

        let (mut public_out, mut private_out) = generate_encoded(&*kem, Coins::Internal);
        let (public_length, private_length) = (public_out.len(), private_out.len());
        assert!(length_error(kem.generate_encoded(Coins::Internal, &mut public_out[1..], &mut private_out)));
        let short = &mut private_out[..private_length - 1];
        assert!(length_error(kem.generate_encoded(Coins::Internal, &mut public_out, short)));
        if info.coins.keygen {
            assert!(length_error(kem.generate_encoded(Coins::Exact(&[0; 31]), &mut public_out, &mut private_out)));
        }
        public_out.resize(public_length + 1, 0);
        assert!(length_error(kem.generate_encoded(Coins::Internal, &mut public_out, &mut private_out)));

        let mut ciphertext = vec![0; parameters.ciphertext + 1];
        let length = parameters.ciphertext;
        for wrong in [0, length - 1, length + 1] {
            assert!(length_error(public.encapsulate(Coins::Internal, &mut ciphertext[..wrong], &mut [0; 32])));
            assert!(length_error(decapsulate(&*key, &ciphertext[..wrong])));
        }
        let ciphertext = &mut ciphertext[..length];
        for wrong in [31, 33] {
            assert!(length_error(public.encapsulate(Coins::Internal, ciphertext, &mut vec![0; wrong])));
        }
        for wrong in [0, parameters.encapsulation_coins + 1] {
            let exact = public.encapsulate(Coins::Exact(&bytes(wrong, 0)), ciphertext, &mut [0; 32]);
            assert!(if info.coins.operation { length_error(exact) } else { unsupported_error(exact) });
        }
        public.encapsulate(Coins::Internal, ciphertext, &mut [0; 32]).unwrap();
        for wrong in [31, 33] {
            assert!(length_error(key.decapsulate(ciphertext, &mut vec![0; wrong])));
        }
    }
}

/// Checks that libraries reject two kinds of invalid keys: an encapsulation key with a coefficient above the modulus
/// (FIPS 203, section 7.2), and a decapsulation key with a wrong hash (section 7.3).
#[test]
fn ml_kem_keys_are_checked_when_loaded_or_used() {
    for provider in selected() {
        for kem in provider.kems.iter().filter(|kem| kem.info().parameters.standard == "FIPS 203") {
            let what = format!("{} {}", provider.id(), kem.info().parameters.algorithm);
            let on_use = CHECK_ON_USE.contains(&provider.library.as_ref());
            let key = kem.generate(Coins::Internal).unwrap();
            let mut public = encoded_encapsulation_key(&**kem, &*key.encapsulation_key().unwrap());
            // The first coefficient becomes 4095, which exceeds the modulus 3329.
            public[..2].copy_from_slice(&[0xff, 0x0f]);
            for coins in [Coins::Internal, Coins::Exact(&[0; 32])] {
                if matches!(coins, Coins::Exact(_)) && !kem.info().coins.operation {
                    continue;
                }
                let loaded = kem.load_encapsulation_key(&public);
                assert_eq!(loaded.is_ok(), on_use, "{what}");
                assert!(malformed_error(loaded.and_then(|key| try_encapsulate(&**kem, &*key, coins))), "{what}");
            }

            let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
            key.encode(KeyEncoding::Expanded, &mut private).unwrap();
            let hash = private.len() - 64;
            private[hash] ^= 1;
            let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private);
            assert_eq!(loaded.is_ok(), on_use, "{what}");
            let ciphertext = vec![0; kem.info().parameters.ciphertext];
            assert!(malformed_error(loaded.and_then(|key| decapsulate(&*key, &ciphertext))), "{what}");
        }
    }
}
