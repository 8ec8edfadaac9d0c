use crate::interleaved::Side;
use crate::operations::{each, symmetric};
use aes_gcm::Aes256Gcm;
use aes_gcm::aead::AeadInOut;
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use pqlab_primitives::Aead;
use sha2::Sha256;
use std::hint::black_box;
use std::sync::Arc;

pub(super) fn tag(operation: &str) -> Option<Side> {
    let (message, mut out) = (symmetric::message(), vec![0; 32]);
    let keyed = || Hmac::<Sha256>::new_from_slice(black_box(&symmetric::KEY)).expect("HMAC accepts keys of any length");
    let mut finish = move |mut state: Hmac<Sha256>| {
        state.update(&message);
        out.copy_from_slice(&state.finalize().into_bytes());
    };
    Some(match operation {
        "tag" => {
            let state = keyed();
            each(move || finish(state.clone()))
        }
        _ => each(move || finish(keyed())),
    })
}

pub(super) fn derive() -> Side {
    let mut out = [0; 32];
    each(move || {
        let extracted = Hkdf::<Sha256>::new(Some(symmetric::SALT), black_box(&symmetric::KEY));
        extracted.expand(symmetric::INFO, black_box(&mut out)).expect("cannot derive a key");
    })
}

pub(super) fn cipher(aead: &Arc<dyn Aead>, operation: &str) -> Option<Side> {
    let key = Aes256Gcm::new(&symmetric::KEY.into());
    let nonce = symmetric::NONCE.into();
    Some(match operation {
        "seal" => symmetric::cipher((symmetric::message(), vec![0; symmetric::TAG]), move |buffer, tag| {
            tag.copy_from_slice(&key.encrypt_inout_detached(&nonce, &[], buffer.into()).expect("encryption failed"));
        }),
        "open" => symmetric::cipher(symmetric::sealed(aead), move |buffer, tag| {
            let tag = (&*tag).try_into().expect("wrong length");
            key.decrypt_inout_detached(&nonce, &[], buffer.into(), tag).expect("decryption failed");
        }),
        _ => return None,
    })
}
