//! Direct calls to graviola, as in the crate's documentation.

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::{agreement, each, hash, making, signature, symmetric};
use graviola::aead::AesGcm;
use graviola::hashing::Sha256;
use graviola::hashing::hmac::Hmac;
use graviola::hashing::sha3::{Sha3_256Context, Shake128};
use graviola::key_agreement::p256;
use graviola::key_agreement::x25519::{PublicKey, StaticPrivateKey};
use graviola::signing::ecdsa::{P256, SigningKey, VerifyingKey};
use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};
use pqlab_primitives::{Aead, Mac};
use std::hint::black_box;
use std::sync::Arc;

pub(crate) const BARE: &[&dyn Bare] = &[&Graviola];

struct Graviola;

impl Bare for Graviola {
    fn library(&self) -> &'static str {
        "graviola"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["ECDSA-P-256"]
    }

    fn is_general(&self) -> bool {
        true
    }

    fn agreement(&self, inputs: &agreement::Inputs, operation: &str) -> Option<Side> {
        let private: [u8; 32] = inputs.private.as_slice().try_into().ok()?;
        let peer: [u8; 32] = inputs.peer.as_slice().try_into().ok()?;
        let (mut out, mut private_out) = (vec![0; 32], vec![0; 32]);
        Some(match operation {
            "agree" => {
                let key = StaticPrivateKey::from_array(&private);
                each(move || agree(&key, &peer, &mut out))
            }
            "agree encoded" => each(move || agree(&StaticPrivateKey::from_array(&private), &peer, &mut out)),
            _ => {
                return keygen(operation, move |public, private| {
                    out.copy_from_slice(public);
                    private_out.copy_from_slice(private);
                });
            }
        })
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        match inputs.scheme.info().parameters.algorithm.as_ref() {
            "Ed25519" => ed25519(inputs, operation),
            _ => ecdsa(inputs, operation),
        }
    }

    fn hash(&self, _provider: &str, _algorithm: &str) -> Option<Side> {
        let (messages, mut out) = (hash::pool(), [0; 32]);
        Some(Box::new(move |batch| {
            for message in black_box(&messages).iter().cycle().take(batch) {
                let mut state = Sha3_256Context::new();
                state.update(message);
                *black_box(&mut out) = state.finish();
            }
        }))
    }

    fn xof(&self, _provider: &str, algorithm: &str, operation: &str) -> Option<Side> {
        let (messages, mut out) = (hash::pool(), vec![0; hash::OUTPUT]);
        match (algorithm, operation) {
            ("SHAKE128", "digest") => Some(Box::new(move |batch| {
                for message in black_box(&messages).iter().cycle().take(batch) {
                    Shake128::new(&[message]).read(black_box(&mut out));
                }
            })),
            ("SHAKE128", "squeeze") => {
                let mut reader = Shake128::new(&[&hash::long()]);
                Some(each(move || reader.read(black_box(&mut out))))
            }
            _ => None,
        }
    }

    fn mac(&self, _mac: &Arc<dyn Mac>, operation: &str) -> Option<Side> {
        let (message, mut out) = (symmetric::message(), vec![0; 32]);
        let keyed = || Hmac::<Sha256>::new(black_box(&symmetric::KEY));
        let mut finish = move |mut state: Hmac<Sha256>| {
            state.update(&message);
            out.copy_from_slice(state.finish().as_ref());
        };
        Some(match operation {
            "tag" => {
                let state = keyed();
                each(move || finish(state.clone()))
            }
            _ => each(move || finish(keyed())),
        })
    }

    fn aead(&self, aead: &Arc<dyn Aead>, operation: &str) -> Option<Side> {
        let key = AesGcm::new(&symmetric::KEY);
        let nonce = symmetric::NONCE;
        Some(match operation {
            "seal" => symmetric::cipher((symmetric::message(), vec![0; symmetric::TAG]), move |buffer, tag| {
                key.encrypt(&nonce, &[], buffer, tag.try_into().expect("wrong length"));
            }),
            "open" => symmetric::cipher(symmetric::sealed(aead), move |buffer, tag| {
                key.decrypt(&nonce, &[], buffer, tag).expect("decryption failed");
            }),
            _ => return None,
        })
    }
}

fn random_key() -> StaticPrivateKey {
    StaticPrivateKey::new_random().expect("the operating system returned no random bytes")
}

fn keygen(operation: &str, mut write: impl FnMut(&[u8; 32], &[u8; 32]) + Send + 'static) -> Option<Side> {
    Some(match operation {
        "keygen" => making(move || {
            let key = random_key();
            let public = key.public_key();
            Box::new((key, public))
        }),
        "keygen encoded" => each(move || {
            let key = random_key();
            write(&key.public_key().as_bytes(), &key.as_bytes());
        }),
        _ => return None,
    })
}

fn agree(key: &StaticPrivateKey, peer: &[u8; 32], out: &mut [u8]) {
    let secret = key.diffie_hellman(&PublicKey::from_array(black_box(peer))).expect("key agreement failed");
    out.copy_from_slice(&secret.0);
}

fn ed25519(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let (private, public) = (inputs.private("").1, inputs.public.clone());
    let (message, signed) = (inputs.message.clone(), inputs.signature.clone());
    let generate = || Ed25519SigningKey::generate().expect("keygen failed");
    let signer = Ed25519SigningKey::from_bytes(&private).ok()?;
    let verifier = Ed25519VerifyingKey::from_bytes(&public).ok()?;
    Some(match operation {
        "keygen" => making(move || Box::new(generate())),
        "keygen encoded" => each(move || {
            let key = generate();
            public_out.copy_from_slice(&key.public_key().as_bytes());
            private_out.copy_from_slice(&key.as_seed());
        }),
        "sign" => each(move || out.copy_from_slice(&signer.sign(&message))),
        "sign encoded key=seed" => each(move || {
            out.copy_from_slice(&Ed25519SigningKey::from_bytes(&private).expect("cannot load the key").sign(&message));
        }),
        "verify" => each(move || verifier.verify(&signed, &message).expect("invalid signature")),
        "verify encoded" => each(move || {
            let key = Ed25519VerifyingKey::from_bytes(&public).expect("cannot load the key");
            key.verify(&signed, &message).expect("invalid signature");
        }),
        _ => return None,
    })
}

fn ecdsa(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let (private, public) = (inputs.private("").1, inputs.public.clone());
    let (message, signed) = (inputs.message.clone(), inputs.signature.clone());
    let load = |scalar: &[u8]| SigningKey::<P256> {
        private_key: p256::StaticPrivateKey::from_bytes(scalar).expect("cannot load the key"),
    };
    let generate = || SigningKey::<P256>::generate().expect("keygen failed");
    let signer = load(&private);
    let verifier = VerifyingKey::<P256>::from_x962_uncompressed(&public).ok()?;
    let mut sign = {
        let message = message.clone();
        move |key: &SigningKey<P256>| {
            key.sign::<Sha256>(&[&message], black_box(&mut out)).expect("signing failed");
        }
    };
    Some(match operation {
        "keygen" => making(move || {
            let key = generate();
            let point = key.private_key.public_key_uncompressed();
            Box::new((key, point))
        }),
        "keygen encoded" => each(move || {
            let key = generate();
            public_out.copy_from_slice(&key.private_key.public_key_uncompressed());
            private_out.copy_from_slice(&key.private_key.as_bytes());
        }),
        "sign" => each(move || sign(&signer)),
        "sign encoded key=scalar" => each(move || sign(&load(&private))),
        "verify" => each(move || verifier.verify::<Sha256>(&[&message], &signed).expect("invalid signature")),
        "verify encoded" => each(move || {
            let key = VerifyingKey::<P256>::from_x962_uncompressed(&public).expect("cannot load the key");
            key.verify::<Sha256>(&[&message], &signed).expect("invalid signature");
        }),
        _ => return None,
    })
}
