//! HPKE recipients must not panic, and must open only the sealed first message.
#![no_main]

mod altered;
mod parts;

use altered::altered;
use libfuzzer_sys::fuzz_target;
use parts::part;
use pqlab_constructions::HybridKem;
use pqlab_constructions::hpke::{DhKem, Kdf, Suite};
use pqlab_primitives::{Coins, DecapsulationKey, Kem};
use std::sync::{Arc, LazyLock};

const INFO: &[u8] = b"info";
const ASSOCIATED_DATA: &[u8] = b"associated data";
const PLAINTEXT: &[u8] = b"first message";

/// A suite, a recipient's private key, and an honest message. All are constant, so that findings
/// can be reproduced.
struct Recipient {
    suite: Suite,
    key: Box<dyn DecapsulationKey>,
    honest: Vec<u8>,
}

impl Recipient {
    fn new(kem: Arc<dyn Kem>, kdf: Kdf) -> Recipient {
        let suite = Suite::new(kem, kdf, part(|library| library.aead("AES-256-GCM")))
            .expect("the parts must be usable together");
        let (keygen, encapsulation) = {
            let parameters = &suite.kem().info().parameters;
            (vec![3; parameters.keygen_coins], vec![5; parameters.encapsulation_coins])
        };
        let key = suite.kem().generate(Coins::Exact(&keygen)).expect("any seed must give a key");
        let public = key.encapsulation_key().expect("the public key must be available");
        let coins = Coins::Exact(&encapsulation);
        let honest = suite.seal(public.as_ref(), INFO, ASSOCIATED_DATA, PLAINTEXT, coins);
        Recipient { honest: honest.expect("sealing must succeed"), suite, key }
    }
}

static RECIPIENTS: LazyLock<Vec<Recipient>> = LazyLock::new(|| {
    let hmac = part(|library| library.mac("HMAC-SHA256"));
    let shake = part(|library| library.xof("SHAKE256"));
    let [x25519, ml_kem] = ["X25519", "ML-KEM-768"].map(|name| part(|library| library.kem(name)));
    let hash = part(|library| library.hash("SHA3-256"));
    let x_wing =
        HybridKem::x_wing(x25519, ml_kem.clone(), hash, shake.clone()).expect("the parts must be usable together");
    let agreement = part(|library| library.key_agreement("X25519"));
    let kems: [Arc<dyn Kem>; 3] = [
        Arc::new(DhKem::new(agreement, hmac.clone()).expect("the parts must be usable together")),
        ml_kem,
        Arc::new(x_wing),
    ];
    let suites = kems.into_iter().flat_map(|kem| {
        [Kdf::HkdfSha256(hmac.clone()), Kdf::Shake256(shake.clone())].map(|kdf| (Arc::clone(&kem), kdf))
    });
    suites.map(|(kem, kdf)| Recipient::new(kem, kdf)).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let Recipient { suite, key, honest } = &RECIPIENTS[usize::from(choice >> 1) % RECIPIENTS.len()];
    let message = altered(choice, rest, honest);
    let opened = suite.open(key.as_ref(), INFO, ASSOCIATED_DATA, &message).ok();
    assert_eq!(opened.is_some(), message == *honest, "exactly the sealed message must be opened");
    assert!(opened.is_none_or(|plaintext| plaintext == PLAINTEXT), "the plaintext must not change");
});
