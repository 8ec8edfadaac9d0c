use super::drawn;
use crate::interleaved::Side;
use crate::operations::{agreement, each, kem, making};
use getrandom::SysRng;
use ml_kem::kem::{Decapsulate, Generate, KeyExport};
use ml_kem::ml_kem_512::{DecapsulationKey, EncapsulationKey};
use x25519_dalek::{PublicKey, StaticSecret};

pub(super) fn ml_kem(inputs: &kem::Inputs, operation: &str) -> Option<Side> {
    let (mut out, mut private_out, mut secret) = inputs.room();
    let seed: [u8; 64] = inputs.keygen_coins.as_slice().try_into().ok()?;
    let (public, ciphertext) = (inputs.public.clone(), inputs.ciphertext.clone());
    let (_, private) = inputs.private(operation);
    let length = public.len();
    let generate =
        || DecapsulationKey::try_generate_from_rng(&mut SysRng).expect("the operating system returned no random bytes");
    let mut encapsulate = move |key: &EncapsulationKey| {
        let (sent, shared) = key.encapsulate_deterministic(&drawn().into());
        out[..sent.len()].copy_from_slice(&sent);
        secret.copy_from_slice(&shared);
    };
    let mut encoded = vec![0; length];
    let mut received = [0; 32];
    Some(match operation {
        "keygen" => making(generate),
        "keygen encoded" => each(move || {
            let key = generate();
            encoded.copy_from_slice(&key.encapsulation_key().to_bytes());
            private_out.copy_from_slice(&key.to_seed().expect("a generated key must have a seed"));
        }),
        "encapsulate" => {
            let key = DecapsulationKey::from_seed(seed.into()).encapsulation_key().clone();
            each(move || encapsulate(&key))
        }
        "encapsulate encoded" => each(move || {
            let key = EncapsulationKey::new(public.as_slice().try_into().expect("wrong length"));
            encapsulate(&key.expect("cannot load the key"));
        }),
        "decapsulate" => {
            let key = DecapsulationKey::from_seed(seed.into());
            each(move || {
                received.copy_from_slice(&key.decapsulate(ciphertext.as_slice().try_into().expect("wrong length")))
            })
        }
        "decapsulate encoded key=seed" => each(move || {
            let key = DecapsulationKey::from_seed(private.as_slice().try_into().expect("wrong length"));
            received.copy_from_slice(&key.decapsulate(ciphertext.as_slice().try_into().expect("wrong length")));
        }),
        "decapsulate encoded key=expanded" => each(move || {
            #[allow(deprecated, reason = "FIPS 203 defines this encoding")]
            let key =
                ml_kem::ExpandedKeyEncoding::from_expanded_bytes(private.as_slice().try_into().expect("wrong length"));
            let key: DecapsulationKey = key.expect("cannot load the key");
            received.copy_from_slice(&key.decapsulate(ciphertext.as_slice().try_into().expect("wrong length")));
        }),
        _ => return None,
    })
}

pub(super) fn agreement(inputs: &agreement::Inputs, operation: &str) -> Option<Side> {
    let private: [u8; 32] = inputs.private.as_slice().try_into().ok()?;
    let peer: [u8; 32] = inputs.peer.as_slice().try_into().ok()?;
    let generate = || StaticSecret::from(drawn::<32>());
    let (mut out, mut private_out) = (vec![0; 32], vec![0; 32]);
    Some(match operation {
        "keygen" => making(move || pair(generate())),
        "keygen encoded" => each(move || {
            let (secret, public) = pair(generate());
            out.copy_from_slice(public.as_bytes());
            private_out.copy_from_slice(secret.as_bytes());
        }),
        "agree" => {
            let key = StaticSecret::from(private);
            each(move || agree(&key, peer, &mut out))
        }
        "agree encoded" => each(move || agree(&StaticSecret::from(private), peer, &mut out)),
        _ => return None,
    })
}

fn pair(secret: StaticSecret) -> (StaticSecret, PublicKey) {
    let public = PublicKey::from(&secret);
    (secret, public)
}

fn agree(key: &StaticSecret, peer: [u8; 32], out: &mut [u8]) {
    let shared = key.diffie_hellman(&PublicKey::from(peer));
    assert!(shared.was_contributory());
    out.copy_from_slice(shared.as_bytes());
}
