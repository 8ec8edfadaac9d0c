use super::{digest_of, error_queue_is_empty, hex, pattern, provider};
use pqlab_primitives::{Coins, Error, KeyEncoding};

const ML_KEMS: [&str; 3] = ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"];

#[test]
fn round_trip_in_every_encoding() {
    for kem in &provider().kems {
        let parameters = &kem.info().parameters;
        let generated = kem.generate(Coins::Internal).unwrap();
        let mut encapsulation_key = vec![0; parameters.encapsulation_key];
        assert_eq!(
            generated.encapsulation_key().unwrap().encode(&mut encapsulation_key).unwrap(),
            encapsulation_key.len()
        );
        let sender = kem.load_encapsulation_key(&encapsulation_key).unwrap();
        let mut ciphertext = vec![0; parameters.ciphertext];
        let (mut sent, mut received) = ([0; 32], [1; 32]);
        sender.encapsulate(Coins::Internal, &mut ciphertext, &mut sent).unwrap();
        generated.decapsulate(&ciphertext, &mut received).unwrap();
        assert_eq!(sent, received);

        for &encoding in &kem.info().encodings {
            let mut encoded = vec![0; parameters.decapsulation_key(encoding).unwrap()];
            assert_eq!(generated.encode(encoding, &mut encoded).unwrap(), encoded.len());
            let loaded = kem.load_decapsulation_key(encoding, &encoded).unwrap();
            received = [1; 32];
            loaded.decapsulate(&ciphertext, &mut received).unwrap();
            assert_eq!(sent, received, "{} {}", parameters.algorithm, encoding.name());
            let mut again = vec![0; encoded.len()];
            loaded.encode(encoding, &mut again).unwrap();
            assert_eq!(encoded, again);
            let mut public = vec![0; encapsulation_key.len()];
            loaded.encapsulation_key().unwrap().encode(&mut public).unwrap();
            assert_eq!(public, encapsulation_key);
        }
    }
}

#[test]
fn generated_encodings_match() {
    for kem in &provider().kems {
        let parameters = &kem.info().parameters;
        let encoding = kem.info().encodings[0];
        let mut public = vec![0; parameters.encapsulation_key];
        let mut private = vec![0; parameters.decapsulation_key(encoding).unwrap()];
        kem.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
        let key = kem.load_decapsulation_key(encoding, &private).unwrap();
        let mut derived = vec![0; public.len()];
        key.encapsulation_key().unwrap().encode(&mut derived).unwrap();
        assert_eq!(public, derived, "{}", parameters.algorithm);
    }
}

#[test]
fn exact_coins_are_reproducible_and_used() {
    for kem in &provider().kems {
        let parameters = &kem.info().parameters;
        assert!(kem.info().coins.keygen && kem.info().coins.operation);
        let run = |keygen: u8, encapsulation: u8| {
            let coins = pattern(parameters.keygen_coins, keygen);
            let key = kem.generate(Coins::Exact(&coins)).unwrap().encapsulation_key().unwrap();
            let mut public = vec![0; parameters.encapsulation_key];
            key.encode(&mut public).unwrap();
            let coins = pattern(parameters.encapsulation_coins, encapsulation);
            let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], [0; 32]);
            key.encapsulate(Coins::Exact(&coins), &mut ciphertext, &mut secret).unwrap();
            (public, ciphertext, secret)
        };
        assert_eq!(run(1, 2), run(1, 2));
        assert_ne!(run(1, 2).1, run(1, 3).1);
        assert_ne!(run(1, 2).0, run(4, 2).0);

        let coins = pattern(parameters.keygen_coins, 1);
        let mut public = vec![0; parameters.encapsulation_key];
        let mut private = vec![0; parameters.decapsulation_key(kem.info().encodings[0]).unwrap()];
        kem.generate_encoded(Coins::Exact(&coins), &mut public, &mut private).unwrap();
        assert_eq!(public, run(1, 2).0);
    }
}

/// Test cases 1, 26 and 51 of NIST ACVP ML-KEM-keyGen-FIPS203: `d`, `z`, and the SHA-256 digests of `ek` and `dk`.
const ACVP: [[&str; 4]; 3] = [
    [
        "47b893474672ba92e4b12ee44fb32953af8e8503b5fb471d1614fb8a021a660a",
        "1f8cb39e9e30bc458a0dc5408884b1187fb217018df760fa57317703b844a0a9",
        "7e4a2b716a684c1ad33c43c808782da9e1a72f14ccda82723f712d49f53a9f28",
        "c725c25ca8636d75653a07e7a9ccf0b3c2b927617e8f99f0f05ab1f9cb7e046d",
    ],
    [
        "e582b7d75e6c80b05ae392a1fc9f7153b12390fd99930368cc67a768baebc8a0",
        "1cdacb8740c0b87c4a379575f187b367cbfa3b300bf591b109f79816e9cbe8f0",
        "4158f6afb5e516c99f1da07da8c651348422b17c1f4e9a08ad73fb1f91249b3e",
        "7aab35839207f72b310abe36e2daa1cc7ff6f7fa8941e439967cd47d9b437079",
    ],
    [
        "f3a706faf090c03db506863ab0b20bd8a1627956318e88c67eb875e8e7266009",
        "35d2bc43dd1cc879f765bf2a0c5e297889dde910e57e2bb0eae417b90ab7a275",
        "b78619e4fceeeb86dee3fedb945eca6da61dae312771ef8fa871951d391bd7b6",
        "925ed6f1cf0379ede29d8209432d6e08c73ed0423883febf85416343f4fa1f86",
    ],
];

#[test]
fn ml_kem_matches_known_answers() {
    for (algorithm, [d, z, ek, dk]) in ML_KEMS.into_iter().zip(ACVP) {
        let provider = provider();
        let kem = provider.kem(algorithm).unwrap();
        let mut public = vec![0; kem.info().parameters.encapsulation_key];
        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        let seed = [hex(d), hex(z)].concat();
        kem.generate_encoded(Coins::Exact(&seed), &mut public, &mut private).unwrap();
        assert_eq!((digest_of(&public).as_str(), digest_of(&private).as_str()), (ek, dk), "{algorithm}");
    }
}

#[test]
fn both_kems_match_the_known_answer_of_x_wing() {
    // First test vector in draft-connolly-cfrg-xwing-kem. The secret depends on the seed and the coins through
    // ML-KEM-768, X25519, SHAKE256 and SHA3-256.
    let provider = provider();
    let (ml_kem, x25519) = (provider.kem("ML-KEM-768").unwrap(), provider.kem("X25519").unwrap());
    let mut seeds = [0; 96];
    let seed = hex("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26");
    provider.xof("SHAKE256").unwrap().digest(&seed, &mut seeds).unwrap();
    let ml_kem_key = ml_kem.load_decapsulation_key(KeyEncoding::Seed, &seeds[..64]).unwrap();
    let x25519_key = x25519.load_decapsulation_key(KeyEncoding::Scalar, &seeds[64..]).unwrap();
    let (ml_kem_public, x25519_public) =
        (ml_kem_key.encapsulation_key().unwrap(), x25519_key.encapsulation_key().unwrap());
    let mut public = [0; 1216];
    ml_kem_public.encode(&mut public[..1184]).unwrap();
    x25519_public.encode(&mut public[1184..]).unwrap();
    assert_eq!(digest_of(&public), "2e816deebcd76c5c80d0cd2d174478871658e8e2ff42bc9d4a6e486372e856bb");

    let coins = hex("3cb1eea988004b93103cfb0aeefd2a686e01fa4a58e8a3639ca8a1e3f9ae57e2\
         35b8cc873c23dc62b8d260169afa2f75ab916a58d974918835d25e6a435085b2");
    let (mut ciphertext, mut secrets) = ([0; 1120], [0; 64]);
    ml_kem_public.encapsulate(Coins::Exact(&coins[..32]), &mut ciphertext[..1088], &mut secrets[..32]).unwrap();
    x25519_public.encapsulate(Coins::Exact(&coins[32..]), &mut ciphertext[1088..], &mut secrets[32..]).unwrap();
    assert_eq!(digest_of(&ciphertext), "17cd532d657e44c897ca6583e548a5424fc70bf54f99515a4d2bcf99e3469f33");

    let mut received = [0; 64];
    ml_kem_key.decapsulate(&ciphertext[..1088], &mut received[..32]).unwrap();
    x25519_key.decapsulate(&ciphertext[1088..], &mut received[32..]).unwrap();
    assert_eq!(received, secrets);
    let input = [&secrets[..], &ciphertext[1088..], &public[1184..], &hex("5c2e2f2f5e5c")].concat();
    let mut secret = [0; 32];
    provider.hash("SHA3-256").unwrap().digest(&input, &mut secret).unwrap();
    assert_eq!(hex::encode(secret), "d2df0522128f09dd8e2c92b1e905c793d8f57a54c3da25861f10bf4ca613e384");
}

#[test]
fn x25519_matches_known_answers() {
    // Values from RFC 7748, section 6.1.
    let alice = hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
    let alice = &alice[..];
    let alice_public = hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
    let bob_public = hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
    let shared = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742";
    let provider = provider();
    let agreement = provider.key_agreement("X25519").unwrap();
    let key = agreement.load_private_key(alice).unwrap();
    let (mut public, mut secret) = ([0; 32], [0; 32]);
    key.public_key(&mut public).unwrap();
    assert_eq!(public.as_slice(), alice_public);
    key.agree(&bob_public, &mut secret).unwrap();
    assert_eq!(hex::encode(secret), shared);

    let sender = provider.kem("X25519").unwrap().load_encapsulation_key(&bob_public).unwrap();
    let mut ciphertext = [0; 32];
    sender.encapsulate(Coins::Exact(alice), &mut ciphertext, &mut secret).unwrap();
    assert_eq!((ciphertext.as_slice(), hex::encode(secret).as_str()), (alice_public.as_slice(), shared));
}

#[test]
fn key_agreement_round_trips() {
    let provider = provider();
    let agreement = provider.key_agreement("X25519").unwrap();
    let one = agreement.generate(Coins::Internal).unwrap();
    let (mut public, mut private) = ([0; 32], [0; 32]);
    agreement.generate_encoded(Coins::Internal, &mut public, &mut private).unwrap();
    let other = agreement.load_private_key(&private).unwrap();
    let (mut one_public, mut first, mut second) = ([0; 32], [0; 32], [1; 32]);
    one.public_key(&mut one_public).unwrap();
    one.agree(&public, &mut first).unwrap();
    other.agree(&one_public, &mut second).unwrap();
    assert_eq!(first, second);
    let mut again = [0; 32];
    other.encode(&mut again).unwrap();
    assert_eq!(private, again);
    let given = agreement.generate(Coins::Exact(&private)).unwrap();
    given.public_key(&mut again).unwrap();
    assert_eq!(public, again);
}

#[test]
fn rejects_low_order_points() {
    let provider = provider();
    let mut secret = [7; 32];
    let key = provider.key_agreement("X25519").unwrap().generate(Coins::Internal).unwrap();
    assert_eq!(key.agree(&[0; 32], &mut secret), Err(Error::Malformed("X25519 public key")));
    let kem = provider.kem("X25519").unwrap();
    let key = kem.generate(Coins::Internal).unwrap();
    assert_eq!(key.decapsulate(&[0; 32], &mut secret), Err(Error::Malformed("X25519 ciphertext")));
    let key = kem.load_encapsulation_key(&[0; 32]).unwrap();
    let result = key.encapsulate(Coins::Internal, &mut [0; 32], &mut secret);
    assert_eq!(result, Err(Error::Malformed("X25519 encapsulation key")));
    assert!(error_queue_is_empty());
}

#[test]
fn rejects_tampered_ciphertexts_implicitly() {
    for algorithm in ML_KEMS {
        let provider = provider();
        let kem = provider.kem(algorithm).unwrap();
        let key = kem.generate(Coins::Internal).unwrap();
        let (mut ciphertext, mut sent) = (vec![0; kem.info().parameters.ciphertext], [0; 32]);
        key.encapsulation_key().unwrap().encapsulate(Coins::Internal, &mut ciphertext, &mut sent).unwrap();
        ciphertext[17] ^= 1;
        let (mut first, mut second) = ([0; 32], [1; 32]);
        key.decapsulate(&ciphertext, &mut first).unwrap();
        key.decapsulate(&ciphertext, &mut second).unwrap();
        assert_eq!(first, second, "{algorithm}");
        assert_ne!(first, sent, "{algorithm}");
    }
}

/// The library checks the modulus and the hash (FIPS 203, sections 7.2 and 7.3) whenever a key is used, so loading a
/// key does not repeat these checks.
#[test]
fn first_use_checks_ml_kem_keys() {
    for algorithm in ML_KEMS {
        let provider = provider();
        let kem = provider.kem(algorithm).unwrap();
        // If all bits are set, the coefficients exceed q (FIPS 203, section 7.2).
        let public = vec![0xff; kem.info().parameters.encapsulation_key];
        let (mut ciphertext, mut secret) = (vec![0; kem.info().parameters.ciphertext], [0; 32]);
        let loaded = kem.load_encapsulation_key(&public).unwrap();
        for coins in [Coins::Internal, Coins::Exact(&[0; 32])] {
            let refused = loaded.encapsulate(coins, &mut ciphertext, &mut secret);
            assert_eq!(refused, Err(Error::Malformed("ML-KEM encapsulation key")));
        }

        let key = kem.generate(Coins::Internal).unwrap();
        let mut private = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut private).unwrap();
        // This byte belongs to the hash of the encapsulation key (FIPS 203, section 7.3).
        let position = private.len() - 40;
        private[position] ^= 1;
        let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &private).unwrap();
        let refused = loaded.decapsulate(&ciphertext, &mut secret);
        assert_eq!(refused, Err(Error::Malformed("ML-KEM decapsulation key")));
        assert!(error_queue_is_empty());
    }
}

/// For a key that was loaded in expanded form, the library stores no separate public key, but the secret key contains
/// the public key.
#[test]
fn expanded_keys_contain_their_public_key() {
    for algorithm in ML_KEMS {
        let provider = provider();
        let kem = provider.kem(algorithm).unwrap();
        let key = kem.generate(Coins::Internal).unwrap();
        let length = kem.info().parameters.encapsulation_key;
        let (mut public, mut again, mut prepared) = (vec![0; length], vec![1; length], vec![2; length]);
        key.encode_encapsulation_key(&mut public).unwrap();
        let mut expanded = vec![0; kem.info().decapsulation_key(KeyEncoding::Expanded).unwrap()];
        key.encode(KeyEncoding::Expanded, &mut expanded).unwrap();
        let loaded = kem.load_decapsulation_key(KeyEncoding::Expanded, &expanded).unwrap();
        assert_eq!(loaded.encode_encapsulation_key(&mut again), Ok(length));
        loaded.encapsulation_key().unwrap().encode(&mut prepared).unwrap();
        assert_eq!((&again, &prepared), (&public, &public), "{algorithm}");
    }
}

#[test]
fn expanded_keys_have_no_seed() {
    let provider = provider();
    let kem = provider.kem("ML-KEM-768").unwrap();
    let mut expanded = vec![0; 2400];
    kem.generate(Coins::Internal).unwrap().encode(KeyEncoding::Expanded, &mut expanded).unwrap();
    let key = kem.load_decapsulation_key(KeyEncoding::Expanded, &expanded).unwrap();
    assert!(matches!(key.encode(KeyEncoding::Seed, &mut [0; 64]), Err(Error::Unsupported(_))));
    assert!(matches!(key.encode(KeyEncoding::Der, &mut [0; 64]), Err(Error::Unsupported(_))));
    assert!(error_queue_is_empty());
}

#[test]
fn rejects_wrong_lengths() {
    for kem in &provider().kems {
        let parameters = &kem.info().parameters;
        let length = |result: Result<(), Error>| matches!(result, Err(Error::Length { .. }));
        let first = kem.info().encodings[0];
        let mut public = vec![0; parameters.encapsulation_key];
        let mut private = vec![0; parameters.decapsulation_key(first).unwrap()];
        let short = private.len() - 1;
        assert!(length(kem.generate_encoded(Coins::Internal, &mut public[1..], &mut private)));
        assert!(length(kem.generate_encoded(Coins::Internal, &mut public, &mut private[..short])));
        assert!(length(kem.generate_encoded(Coins::Exact(&[0; 31]), &mut public, &mut private)));
        assert!(length(kem.generate(Coins::Exact(&[])).map(drop)));
        assert!(length(kem.load_encapsulation_key(&public[1..]).map(drop)));
        assert!(length(kem.load_encapsulation_key(&[]).map(drop)));
        for &encoding in &kem.info().encodings {
            assert!(length(kem.load_decapsulation_key(encoding, &[0; 31]).map(drop)));
        }
        let wrong = kem.load_decapsulation_key(KeyEncoding::Der, &[]);
        assert!(matches!(wrong.err(), Some(Error::Unsupported(_))));

        let key = kem.generate(Coins::Internal).unwrap();
        let sender = key.encapsulation_key().unwrap();
        let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], [0; 32]);
        assert!(length(sender.encapsulate(Coins::Internal, &mut ciphertext[1..], &mut secret)));
        assert!(length(sender.encapsulate(Coins::Internal, &mut ciphertext, &mut secret[1..])));
        assert!(length(sender.encapsulate(Coins::Exact(&[0; 33]), &mut ciphertext, &mut secret)));
        assert!(length(sender.encode(&mut public[1..]).map(drop)));
        assert!(length(key.encode(first, &mut private[1..]).map(drop)));
        sender.encapsulate(Coins::Internal, &mut ciphertext, &mut secret).unwrap();
        assert!(length(key.decapsulate(&ciphertext[1..], &mut secret)));
        assert!(length(key.decapsulate(&ciphertext, &mut [0; 33])));
    }
}

#[test]
fn one_key_serves_several_threads() {
    for kem in &provider().kems {
        let parameters = &kem.info().parameters;
        let key = kem.generate(Coins::Internal).unwrap();
        let sender = key.encapsulation_key().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (mut ciphertext, mut sent, mut received) = (vec![0; parameters.ciphertext], [0; 32], [0; 32]);
                    for _ in 0..200 {
                        sender.encapsulate(Coins::Internal, &mut ciphertext, &mut sent).unwrap();
                        key.decapsulate(&ciphertext, &mut received).unwrap();
                        assert_eq!(sent, received);
                    }
                });
            }
        });
    }
}
