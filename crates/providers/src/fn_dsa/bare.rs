//! Direct calls to the `fn-dsa` crate, with the operating system's random number generator.

#[path = "system.rs"]
mod system;

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::{each, making, signature};
use fn_dsa::{
    DOMAIN_NONE, FN_DSA_LOGN_512, HASH_ID_ORIGINAL_FALCON, KeyPairGenerator, KeyPairGenerator512, SigningKey,
    SigningKey512, VerifyingKey, VerifyingKey512,
};
use system::System;

pub(crate) const BARE: &[&dyn Bare] = &[&FnDsa];

struct FnDsa;

impl Bare for FnDsa {
    fn library(&self) -> &'static str {
        "fn-dsa"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["Falcon-padded-512"]
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        let (mut public_out, mut private_out, mut out) = inputs.room();
        let (message, public, signed) = (inputs.message.clone(), inputs.public.clone(), inputs.signature.clone());
        let (_, private) = inputs.private("");
        let sign = |key: &mut SigningKey512, message: &[u8], out: &mut [u8]| {
            key.sign(&mut System, &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message, out);
        };
        let verify = |key: &VerifyingKey512, message: &[u8], signature: &[u8]| {
            assert!(key.verify(signature, &DOMAIN_NONE, &HASH_ID_ORIGINAL_FALCON, message));
        };
        Some(match operation {
            // The crate generates encoded keys, but signing needs a decoded key.
            "keygen" => making(move || {
                generate(&mut private_out, &mut public_out);
                SigningKey512::decode(&private_out).map(Box::new).expect("cannot load the key")
            }),
            "keygen encoded" => each(move || generate(&mut private_out, &mut public_out)),
            "sign" => {
                let mut key = Box::new(Aligned(SigningKey512::decode(&private)?));
                each(move || sign(&mut key.0, &message, &mut out))
            }
            "sign encoded key=expanded" => each(move || {
                let mut key = SigningKey512::decode(&private).expect("cannot load the key");
                sign(&mut key, &message, &mut out);
            }),
            "verify" => {
                let key = VerifyingKey512::decode(&public)?;
                each(move || verify(&key, &message, &signed))
            }
            "verify encoded" => each(move || {
                verify(&VerifyingKey512::decode(&public).expect("cannot load the key"), &message, &signed);
            }),
            _ => return None,
        })
    }
}

/// Signing key aligned to cache lines, because the library works on vectors inside the key.
#[repr(align(64))]
struct Aligned(SigningKey512);

fn generate(private: &mut [u8], public: &mut [u8]) {
    KeyPairGenerator512::default().keygen(FN_DSA_LOGN_512, &mut System, private, public);
}
