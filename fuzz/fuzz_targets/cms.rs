//! Decoder of CMS SignedData: no changed SignedData may verify for a different image.
#![no_main]

mod altered;
mod parts;

use altered::altered;
use libfuzzer_sys::fuzz_target;
use parts::part;
use pqlab_constructions::cms::{SignedData, Signer, TrustedKey, sign};
use pqlab_constructions::keys::{Identifier, KEY_IDENTIFIER};
use pqlab_primitives::{Coins, Hash, KeyEncoding, VerifyingKey};
use std::sync::{Arc, LazyLock};

const IMAGE: &[u8] = b"firmware image";
const OTHER: &[u8] = b"another image";
const KEY: [u8; KEY_IDENTIFIER] = [1; KEY_IDENTIFIER];

/// A device, and an honest SignedData that it accepts.
struct Device {
    identifier: &'static Identifier,
    key: Box<dyn VerifyingKey>,
    sha512: Arc<dyn Hash>,
    honest: Vec<u8>,
}

/// Returns the device. Its key is constant, so that findings can be reproduced.
static DEVICE: LazyLock<Device> = LazyLock::new(|| {
    let (scheme, sha512) = (part(|library| library.signature("Ed25519")), part(|library| library.hash("SHA-512")));
    let key = scheme.load_signing_key(KeyEncoding::Seed, &[7; 32]).expect("any seed must give a key");
    let identifier = Identifier::named("Ed25519").expect("Ed25519 has an identifier");
    let signer = Signer { identifier, key: key.as_ref(), key_identifier: KEY };
    let honest = sign(&signer, sha512.as_ref(), IMAGE, Coins::Internal).expect("signing must succeed");
    let key = key.verifying_key().expect("the public key must be available");
    Device { identifier, key, sha512, honest }
});

fuzz_target!(|input: (u8, Vec<u8>)| {
    let (choice, bytes) = input;
    let Device { identifier, key, sha512, honest } = &*DEVICE;
    let changed = altered(choice, &bytes, honest);
    let trusted = TrustedKey { identifier, key: key.as_ref(), key_identifier: KEY };
    let Ok(signed) = SignedData::from_der(&changed) else {
        assert_ne!(changed, *honest);
        return;
    };
    let verify = |image| signed.verify(&trusted, sha512.as_ref(), image);
    assert!(verify(OTHER).is_err());
    // The parts that no signature covers may have changed, such as certificates.
    if verify(IMAGE).is_ok() {
        assert_eq!(signed.signature_algorithm(), *identifier);
    } else {
        assert_ne!(changed, *honest);
    }
});
