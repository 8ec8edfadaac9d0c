//! Direct calls to libsecp256k1's C functions, with a single context that is blinded once.

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::{each, making, signature};
use secp256k1::ffi::{self, CPtr, Context};
use secp256k1::{All, PublicKey, Secp256k1};
use sha2::{Digest, Sha256};
use std::hint::black_box;
use std::ptr;

pub(crate) const BARE: &[&dyn Bare] = &[&Libsecp256k1];

struct Libsecp256k1;

impl Bare for Libsecp256k1 {
    fn library(&self) -> &'static str {
        "libsecp256k1"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["ECDSA-secp256k1"]
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        let context = blinded();
        let scalar: [u8; 32] = inputs.private("").1.try_into().ok()?;
        let (public, message, signature) = (inputs.public.clone(), inputs.message.clone(), inputs.signature.clone());
        let mut out = [0; 64];
        Some(match operation {
            "keygen" => making(move || {
                let scalar = draw();
                Box::new((scalar, point(context, &scalar)))
            }),
            "keygen encoded" => each(move || {
                let scalar = draw();
                black_box((PublicKey::from(point(context, &scalar)).serialize(), scalar));
            }),
            "sign" => each(move || sign(context, &scalar, &message, &mut out)),
            // Also computes the public point, because the adapter's prepared key contains it.
            "sign encoded key=scalar" => each(move || {
                black_box(point(context, &scalar));
                sign(context, &scalar, &message, &mut out);
            }),
            "verify" => {
                let key = PublicKey::from_slice(&public).ok()?;
                each(move || verify(context, &key, &message, &signature))
            }
            "verify encoded" => each(move || {
                let key = PublicKey::from_slice(&public).expect("cannot load the public key");
                verify(context, &key, &message, &signature);
            }),
            _ => return None,
        })
    }
}

/// Returns a blinded context that is never freed.
fn blinded() -> *const Context {
    let context: &'static mut Secp256k1<All> = Box::leak(Box::new(Secp256k1::new()));
    context.seeded_randomize(&draw());
    context.ctx().as_ptr()
}

/// Returns a random scalar. It is out of range with probability 2^-128.
fn draw() -> [u8; 32] {
    let mut scalar = [0; 32];
    getrandom::fill(&mut scalar).expect("the operating system returned no random bytes");
    scalar
}

fn point(context: *const Context, scalar: &[u8; 32]) -> ffi::PublicKey {
    // SAFETY: `PublicKey` is a plain array of bytes, which the call fills. The scalar is 32 bytes
    // long.
    unsafe {
        let mut public = ffi::PublicKey::new();
        assert_eq!(ffi::secp256k1_ec_pubkey_create(context, &raw mut public, scalar.as_ptr()), 1);
        public
    }
}

fn sign(context: *const Context, scalar: &[u8; 32], message: &[u8], out: &mut [u8; 64]) {
    let digest: [u8; 32] = Sha256::digest(message).into();
    // SAFETY: the digest and the scalar are 32 bytes long, and the scalar is in range. `Signature`
    // is a plain array of bytes, which the first call fills. `out` holds the 64 bytes that the
    // second call writes.
    unsafe {
        let mut signature = ffi::Signature::new();
        let nonce = ffi::secp256k1_nonce_function_rfc6979;
        let (digest, scalar) = (digest.as_ptr(), scalar.as_ptr());
        assert_eq!(ffi::secp256k1_ecdsa_sign(context, &raw mut signature, digest, scalar, nonce, ptr::null()), 1);
        ffi::secp256k1_ecdsa_signature_serialize_compact(
            ffi::secp256k1_context_static,
            out.as_mut_ptr(),
            &raw const signature,
        );
    }
}

fn verify(context: *const Context, key: &PublicKey, message: &[u8], signature: &[u8]) {
    let digest: [u8; 32] = Sha256::digest(message).into();
    // SAFETY: the signature is 64 bytes long, and the digest is 32 bytes long. The first call fills
    // `parsed`.
    unsafe {
        let mut parsed = ffi::Signature::new();
        let none = ffi::secp256k1_context_static;
        assert_eq!(ffi::secp256k1_ecdsa_signature_parse_compact(none, &raw mut parsed, signature.as_ptr()), 1);
        ffi::secp256k1_ecdsa_signature_normalize(none, &raw mut parsed, &raw const parsed);
        assert_eq!(ffi::secp256k1_ecdsa_verify(context, &raw const parsed, digest.as_ptr(), key.as_c_ptr()), 1);
    }
}
