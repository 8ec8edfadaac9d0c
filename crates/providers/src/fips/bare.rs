//! Direct calls to the crates `fips203`, `fips204` and `fips205`. The crates generate random bytes themselves or take
//! caller-supplied coins as seeds.

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::{each, kem, making, signature};
use fips203::ml_kem_512 as ml_kem;
use fips203::traits::{Decaps as _, Encaps as _, KeyGen as _, SerDes as _};
use fips204::traits::{KeyGen as _, SerDes as _, Signer as _, Verifier as _};
use fips205::traits::{KeyGen as _, SerDes as _, Signer as _, Verifier as _};

pub(crate) const BARE: &[&dyn Bare] = &[&Fips];

struct Fips;

impl Bare for Fips {
    fn library(&self) -> &'static str {
        "fips"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["ML-KEM-512", "ML-DSA-44", "SLH-DSA-SHA2-128f"]
    }

    fn kem(&self, inputs: &kem::Inputs, operation: &str) -> Option<Side> {
        kem_side(inputs, operation)
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        match inputs.scheme.info().parameters.algorithm.as_ref() {
            "ML-DSA-44" => ml_dsa(inputs, operation),
            _ => slh_dsa(inputs, operation),
        }
    }
}

fn kem_side(inputs: &kem::Inputs, operation: &str) -> Option<Side> {
    let (mut out, mut private_out, mut secret) = inputs.room();
    let (d, z) = inputs.keygen_coins.split_first_chunk::<32>()?;
    let (d, z): ([u8; 32], [u8; 32]) = (*d, z.try_into().ok()?);
    let given: [u8; 32] = inputs.coins.as_slice().try_into().ok()?;
    let public: [u8; ml_kem::EK_LEN] = inputs.public.as_slice().try_into().ok()?;
    let ciphertext: [u8; ml_kem::CT_LEN] = inputs.ciphertext.as_slice().try_into().ok()?;
    let (_, private) = inputs.private(operation);
    let exact = operation.ends_with("coins=exact");
    let from_seed = move || ml_kem::KG::keygen_from_seed(d, z);
    let generate = move || if exact { from_seed() } else { ml_kem::KG::try_keygen().expect("keygen failed") };
    let mut encapsulate = move |key: &ml_kem::EncapsKey| {
        let sent = if exact { Ok(key.encaps_from_seed(&given)) } else { key.try_encaps() };
        let (shared, sent) = sent.expect("encapsulation failed");
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
        "keygen" | "keygen coins=exact" => making(move || Box::new(generate().1)),
        "keygen encoded" | "keygen encoded coins=exact" => each(move || {
            let (public, private) = generate();
            encoded.copy_from_slice(&public.into_bytes());
            private_out.copy_from_slice(&private.into_bytes());
        }),
        "encapsulate" | "encapsulate coins=exact" => {
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

macro_rules! signature {
    ($name:ident, $library:ident::$set:ident, generate: $generate:expr, sign: $sign:expr, deterministic: $fixed:expr) => {
        fn $name(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
            use $library::$set::{KG, PK_LEN, PrivateKey, PublicKey, SIG_LEN, SK_LEN};
            let (mut public_out, mut private_out, mut out) = inputs.room();
            let coins = inputs.coins.clone();
            let public: [u8; PK_LEN] = inputs.public.as_slice().try_into().ok()?;
            let signed: [u8; SIG_LEN] = inputs.signature.as_slice().try_into().ok()?;
            let (_, private) = inputs.private(operation);
            let message = inputs.message.clone();
            let exact = operation.ends_with("coins=exact");
            let from_seed = move || -> (PublicKey, PrivateKey) { ($generate)(&coins) };
            let pair = from_seed();
            let seeded = from_seed.clone();
            let generate = move || if exact { seeded() } else { KG::try_keygen().expect("keygen failed") };
            let sign: fn(&PrivateKey, &[u8]) -> Result<[u8; SIG_LEN], &'static str> = $sign;
            let fixed: fn(&PrivateKey, &[u8]) -> Result<[u8; SIG_LEN], &'static str> = $fixed;
            Some(match operation {
                "keygen" | "keygen coins=exact" => making(move || Box::new(generate().1)),
                "keygen encoded" | "keygen encoded coins=exact" => each(move || {
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
    };
}

signature!(
    ml_dsa, fips204::ml_dsa_44,
    generate: |coins: &[u8]| KG::keygen_from_seed(coins.try_into().expect("wrong length")),
    sign: |key, message| key.try_sign(message, &[]),
    deterministic: |key, message| key.try_sign_with_seed(&[0; 32], message, &[])
);
signature!(
    slh_dsa, fips205::slh_dsa_sha2_128f,
    generate: |coins: &[u8]| {
        let part = |number: usize| -> &[u8; 16] { coins[16 * number..][..16].try_into().expect("wrong length") };
        KG::keygen_from_seed(part(0), part(1), part(2))
    },
    sign: |key, message| key.try_sign(message, &[], true),
    deterministic: |key, message| key.try_sign(message, &[], false)
);
