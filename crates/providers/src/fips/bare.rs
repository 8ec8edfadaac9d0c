//! Direct calls to the `fips203` and `fips204` crates. The crates generate random bytes themselves or take
//! caller-supplied coins as seeds.

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::{each, kem, making, signature};
use fips203::ml_kem_512 as ml_kem;
use fips203::traits::{Decaps as _, Encaps as _, KeyGen as _, SerDes as _};
use fips204::traits::{KeyGen as _, SerDes as _, Signer as _, Verifier as _};

pub(crate) const BARE: &[&dyn Bare] = &[&Fips];

struct Fips;

impl Bare for Fips {
    fn library(&self) -> &'static str {
        "fips"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["ML-KEM-512", "ML-DSA-44"]
    }

    fn kem(&self, inputs: &kem::Inputs, operation: &str) -> Option<Side> {
        kem_side(inputs, operation)
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        ml_dsa(inputs, operation)
    }
}

fn kem_side(inputs: &kem::Inputs, operation: &str) -> Option<Side> {
    let (mut out, mut private_out, mut secret) = inputs.room();
    let (d, z) = inputs.keygen_coins.split_first_chunk::<32>()?;
    let (d, z): ([u8; 32], [u8; 32]) = (*d, z.try_into().ok()?);
    let public: [u8; ml_kem::EK_LEN] = inputs.public.as_slice().try_into().ok()?;
    let ciphertext: [u8; ml_kem::CT_LEN] = inputs.ciphertext.as_slice().try_into().ok()?;
    let (_, private) = inputs.private(operation);
    let from_seed = move || ml_kem::KG::keygen_from_seed(d, z);
    let generate = || ml_kem::KG::try_keygen().expect("keygen failed");
    let mut encapsulate = move |key: &ml_kem::EncapsKey| {
        let (shared, sent) = key.try_encaps().expect("encapsulation failed");
        out[..ml_kem::CT_LEN].copy_from_slice(&sent.into_bytes());
        secret.copy_from_slice(&shared.into_bytes());
    };
    let mut received = [0; 32];
    let mut decapsulate = move |key: &ml_kem::DecapsKey| {
        let ciphertext = ml_kem::CipherText::try_from_bytes(ciphertext).expect("wrong length");
        received.copy_from_slice(&key.try_decaps(&ciphertext).expect("decapsulation failed").into_bytes());
    };
    let mut encoded = vec![0; ml_kem::EK_LEN];
    Some(match operation {
        "keygen" => making(move || Box::new(generate().1)),
        "keygen encoded" => each(move || {
            let (public, private) = generate();
            encoded.copy_from_slice(&public.into_bytes());
            private_out.copy_from_slice(&private.into_bytes());
        }),
        "encapsulate" => {
            let (key, _) = from_seed();
            each(move || encapsulate(&key))
        }
        "encapsulate encoded" => {
            each(move || encapsulate(&ml_kem::EncapsKey::try_from_bytes(public).expect("cannot load the key")))
        }
        "decapsulate" => {
            let (_, key) = from_seed();
            each(move || decapsulate(&key))
        }
        "decapsulate encoded key=seed" => each(move || decapsulate(&from_seed().1)),
        "decapsulate encoded key=expanded" => {
            let private: [u8; ml_kem::DK_LEN] = private.as_slice().try_into().ok()?;
            each(move || decapsulate(&ml_kem::DecapsKey::try_from_bytes(private).expect("cannot load the key")))
        }
        _ => return None,
    })
}

fn ml_dsa(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    use fips204::ml_dsa_44::{KG, PK_LEN, PrivateKey, PublicKey, SIG_LEN, SK_LEN};
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let coins = inputs.coins.clone();
    let public: [u8; PK_LEN] = inputs.public.as_slice().try_into().ok()?;
    let signed: [u8; SIG_LEN] = inputs.signature.as_slice().try_into().ok()?;
    let (_, private) = inputs.private(operation);
    let message = inputs.message.clone();
    let from_seed =
        move || -> (PublicKey, PrivateKey) { KG::keygen_from_seed(coins.as_slice().try_into().expect("wrong length")) };
    let pair = from_seed();
    let generate = || KG::try_keygen().expect("keygen failed");
    let sign: fn(&PrivateKey, &[u8]) -> Result<[u8; SIG_LEN], &'static str> = |key, message| key.try_sign(message, &[]);
    let fixed: fn(&PrivateKey, &[u8]) -> Result<[u8; SIG_LEN], &'static str> =
        |key, message| key.try_sign_with_seed(&[0; 32], message, &[]);
    Some(match operation {
        "keygen" => making(move || Box::new(generate().1)),
        "keygen encoded" => each(move || {
            let (public, private) = generate();
            public_out.copy_from_slice(&public.into_bytes());
            private_out.copy_from_slice(&private.into_bytes());
        }),
        "sign" => each(move || out.copy_from_slice(&sign(&pair.1, &message).expect("signing failed"))),
        "sign deterministic" => each(move || {
            out.copy_from_slice(&fixed(&pair.1, &message).expect("malformed signature"));
        }),
        "sign encoded key=seed" => each(move || {
            out.copy_from_slice(&sign(&from_seed().1, &message).expect("signing failed"));
        }),
        "sign encoded key=expanded" => {
            let private: [u8; SK_LEN] = private.as_slice().try_into().ok()?;
            each(move || {
                let key = PrivateKey::try_from_bytes(private).expect("cannot load the key");
                out.copy_from_slice(&sign(&key, &message).expect("signing failed"));
            })
        }
        "verify" => each(move || assert!(pair.0.verify(&message, &signed, &[]))),
        "verify encoded" => each(move || {
            let key = PublicKey::try_from_bytes(public).expect("cannot load the key");
            assert!(key.verify(&message, &signed, &[]));
        }),
        _ => return None,
    })
}
