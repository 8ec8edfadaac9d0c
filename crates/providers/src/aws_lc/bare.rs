//! Direct calls to AWS-LC's `EVP_PKEY` and one-shot functions. Operations with prepared keys use prepared contexts.

use crate::interleaved::{Side, Work};
use crate::libraries::{Bare, Owned};
use crate::operations::{agreement, each, hash, kem, making, signature, symmetric};
use aws_lc_sys as aws;
use pqlab_primitives::{Aead, Kdf, KeyEncoding, Mac};
use std::ffi::c_int;
use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::sync::Arc;

pub(crate) const BARE: &[&dyn Bare] = &[&AwsLc];

struct AwsLc;

impl Bare for AwsLc {
    fn library(&self) -> &'static str {
        "aws-lc"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &[]
    }

    fn is_general(&self) -> bool {
        true
    }

    fn kem(&self, inputs: &kem::Inputs, operation: &str) -> Option<Side> {
        ml_kem(inputs, operation)
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        match inputs.scheme.info().parameters.algorithm.as_ref() {
            "ML-DSA-44" => ml_dsa(inputs, operation),
            "Ed25519" => ed25519(inputs, operation),
            _ => ecdsa(inputs, operation),
        }
    }

    fn agreement(&self, inputs: &agreement::Inputs, operation: &str) -> Option<Side> {
        x25519(inputs, operation)
    }

    fn hash(&self, _provider: &str, _algorithm: &str) -> Option<Side> {
        Some(sha3_256())
    }

    fn xof(&self, _provider: &str, _algorithm: &str, operation: &str) -> Option<Side> {
        xof(operation)
    }

    fn mac(&self, _mac: &Arc<dyn Mac>, operation: &str) -> Option<Side> {
        Some(hmac(operation))
    }

    fn kdf(&self, _kdf: &Arc<dyn Kdf>) -> Option<Side> {
        Some(hkdf())
    }

    fn aead(&self, aead: &Arc<dyn Aead>, operation: &str) -> Option<Side> {
        Some(aes_gcm(aead, operation))
    }
}

type Key = Owned<aws::EVP_PKEY>;
type Context = Owned<aws::EVP_PKEY_CTX>;
type Digest = Owned<aws::EVP_MD_CTX>;

fn context(key: &Key) -> Context {
    // SAFETY: the context takes its own reference to the key.
    Owned::new(unsafe { aws::EVP_PKEY_CTX_new(key.raw(), null_mut()) }, aws::EVP_PKEY_CTX_free)
}

fn generator(kind: c_int, set: unsafe extern "C" fn(*mut aws::EVP_PKEY_CTX, c_int) -> c_int, nid: c_int) -> Context {
    // SAFETY: nothing else uses the new context.
    unsafe {
        let context = Owned::new(aws::EVP_PKEY_CTX_new_id(kind, null_mut()), aws::EVP_PKEY_CTX_free);
        assert_eq!(set(context.raw(), nid), 1);
        assert_eq!(aws::EVP_PKEY_keygen_init(context.raw()), 1);
        context
    }
}

fn generate(generator: &Context) -> Key {
    let mut key = null_mut();
    // SAFETY: the context is set up for key generation, and nothing else uses it.
    assert_eq!(unsafe { aws::EVP_PKEY_keygen(generator.raw(), &raw mut key) }, 1);
    Owned::new(key, aws::EVP_PKEY_free)
}

fn from_seed(generator: &Context, seed: &[u8]) -> Key {
    let (mut key, mut length) = (null_mut(), seed.len());
    // SAFETY: the context is set up for key generation, and nothing else uses it. `length` is the
    // length of the seed.
    let done =
        unsafe { aws::EVP_PKEY_keygen_deterministic(generator.raw(), &raw mut key, seed.as_ptr(), &raw mut length) };
    assert_eq!(done, 1);
    Owned::new(key, aws::EVP_PKEY_free)
}

/// Writes the public key and the expanded private key.
fn write(key: &Key, public: &mut [u8], private: &mut [u8]) {
    let (mut public_length, mut private_length) = (public.len(), private.len());
    // SAFETY: each pointer is passed with the length of its buffer.
    unsafe {
        assert_eq!(aws::EVP_PKEY_get_raw_public_key(key.raw(), public.as_mut_ptr(), &raw mut public_length), 1);
        assert_eq!(aws::EVP_PKEY_get_raw_private_key(key.raw(), private.as_mut_ptr(), &raw mut private_length), 1);
    }
}

fn encapsulate(context: &Context, ciphertext: &mut [u8], secret: &mut [u8]) {
    let (mut length, mut secret_length) = (ciphertext.len(), secret.len());
    // SAFETY: nothing else uses the context, and each pointer is passed with the length of its
    // buffer.
    let done = unsafe {
        let (ciphertext, secret) = (ciphertext.as_mut_ptr(), secret.as_mut_ptr());
        aws::EVP_PKEY_encapsulate(context.raw(), ciphertext, &raw mut length, secret, &raw mut secret_length)
    };
    assert_eq!(done, 1);
}

fn decapsulate(context: &Context, ciphertext: &[u8], secret: &mut [u8]) {
    let mut length = secret.len();
    // SAFETY: nothing else uses the context, and each pointer is passed with the length of its
    // buffer.
    let done = unsafe {
        let (secret, ciphertext, size) = (secret.as_mut_ptr(), ciphertext.as_ptr(), ciphertext.len());
        aws::EVP_PKEY_decapsulate(context.raw(), secret, &raw mut length, ciphertext, size)
    };
    assert_eq!(done, 1);
}

fn public_key(nid: c_int, bytes: &[u8]) -> Key {
    // SAFETY: the pointer and length describe `bytes`.
    Owned::new(unsafe { aws::EVP_PKEY_kem_new_raw_public_key(nid, bytes.as_ptr(), bytes.len()) }, aws::EVP_PKEY_free)
}

fn secret_key(nid: c_int, bytes: &[u8]) -> Key {
    // SAFETY: the pointer and length describe `bytes`.
    Owned::new(unsafe { aws::EVP_PKEY_kem_new_raw_secret_key(nid, bytes.as_ptr(), bytes.len()) }, aws::EVP_PKEY_free)
}

fn ml_kem(inputs: &kem::Inputs, operation: &str) -> Option<Side> {
    let nid = aws::NID_MLKEM512;
    let generator = generator(aws::EVP_PKEY_KEM, aws::EVP_PKEY_CTX_kem_set_params, nid);
    let (public, ciphertext) = (inputs.public.clone(), inputs.ciphertext.clone());
    let (_, mut private_out, mut secret) = inputs.room();
    let (mut public_out, mut out) = (vec![0; public.len()], vec![0; ciphertext.len()]);
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen encoded" => each(move || write(&generate(&generator), &mut public_out, &mut private_out)),
        "encapsulate" => {
            let context = context(&public_key(nid, &public));
            each(move || encapsulate(&context, &mut out, &mut secret))
        }
        "encapsulate encoded" => each(move || encapsulate(&context(&public_key(nid, &public)), &mut out, &mut secret)),
        "decapsulate" => {
            let (_, private) = inputs.private("key=expanded");
            let context = context(&secret_key(nid, &private));
            each(move || decapsulate(&context, &ciphertext, &mut secret))
        }
        "decapsulate encoded key=expanded" => {
            let (_, private) = inputs.private(operation);
            each(move || decapsulate(&context(&secret_key(nid, &private)), &ciphertext, &mut secret))
        }
        "decapsulate encoded key=seed" => {
            let (_, seed) = inputs.private(operation);
            each(move || decapsulate(&context(&from_seed(&generator, &seed)), &ciphertext, &mut secret))
        }
        _ => return None,
    })
}

fn digest_context(
    key: &Key,
    begin: unsafe extern "C" fn(
        *mut aws::EVP_MD_CTX,
        *mut *mut aws::EVP_PKEY_CTX,
        *const aws::EVP_MD,
        *mut aws::ENGINE,
        *mut aws::EVP_PKEY,
    ) -> c_int,
) -> Digest {
    // SAFETY: nothing else uses the new context, which takes its own reference to the key.
    unsafe {
        let context = Owned::new(aws::EVP_MD_CTX_new(), aws::EVP_MD_CTX_free);
        assert_eq!(begin(context.raw(), null_mut(), null(), null_mut(), key.raw()), 1);
        context
    }
}

fn sign(context: &Digest, message: &[u8], out: &mut [u8]) {
    let mut length = out.len();
    // SAFETY: the context is set up for signing, and nothing else uses it. Each pointer is passed
    // with the length of its buffer.
    let done = unsafe {
        aws::EVP_DigestSign(context.raw(), out.as_mut_ptr(), &raw mut length, message.as_ptr(), message.len())
    };
    assert_eq!(done, 1);
}

fn verify(context: &Digest, message: &[u8], signature: &[u8]) {
    // SAFETY: the context is set up for verification, and nothing else uses it. Each pointer is
    // passed with the length of its buffer.
    let done = unsafe {
        aws::EVP_DigestVerify(context.raw(), signature.as_ptr(), signature.len(), message.as_ptr(), message.len())
    };
    assert_eq!(done, 1);
}

fn ml_dsa(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let nid = aws::NID_MLDSA44;
    let generator = generator(aws::EVP_PKEY_PQDSA, aws::EVP_PKEY_CTX_pqdsa_set_params, nid);
    let private_key = move |bytes: &[u8]| {
        // SAFETY: the pointer and length describe `bytes`.
        let key = unsafe { aws::EVP_PKEY_pqdsa_new_raw_private_key(nid, bytes.as_ptr(), bytes.len()) };
        Owned::new(key, aws::EVP_PKEY_free)
    };
    let public_key = move |bytes: &[u8]| {
        // SAFETY: the pointer and length describe `bytes`.
        let key = unsafe { aws::EVP_PKEY_pqdsa_new_raw_public_key(nid, bytes.as_ptr(), bytes.len()) };
        Owned::new(key, aws::EVP_PKEY_free)
    };
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let (_, expanded) = inputs.private("");
    let (public, message, signature) = (inputs.public.clone(), inputs.message.clone(), inputs.signature.clone());
    Some(match operation {
        "keygen" => making(move || generate(&generator)),
        "keygen encoded" => each(move || write(&generate(&generator), &mut public_out, &mut private_out)),
        "sign" => {
            let context = digest_context(&private_key(&expanded), aws::EVP_DigestSignInit);
            each(move || sign(&context, &message, &mut out))
        }
        "sign deterministic" => each(move || {
            let mut length = out.len();
            // The pure variant with an empty context string prepends two zero bytes to the message
            // (FIPS 204, algorithm 2, line 10).
            let (prefix, rnd) = ([0_u8; 2], [0_u8; 32]);
            // SAFETY: the key, the signature and `rnd` have the lengths that the parameter set
            // requires. The message and the prefix are passed with their lengths.
            let done = unsafe {
                ml_dsa_44_sign_internal(
                    expanded.as_ptr(),
                    out.as_mut_ptr(),
                    &raw mut length,
                    message.as_ptr(),
                    message.len(),
                    prefix.as_ptr(),
                    prefix.len(),
                    rnd.as_ptr(),
                )
            };
            assert_eq!(done, 1);
        }),
        "verify" => {
            let context = digest_context(&public_key(&public), aws::EVP_DigestVerifyInit);
            each(move || verify(&context, &message, &signature))
        }
        "verify encoded" => each(move || {
            verify(&digest_context(&public_key(&public), aws::EVP_DigestVerifyInit), &message, &signature);
        }),
        "sign encoded key=expanded" | "sign encoded key=seed" => {
            let encoding = if operation.ends_with("seed") { KeyEncoding::Seed } else { KeyEncoding::Expanded };
            let (_, bytes) = inputs.private.iter().find(|(stored, _)| *stored == encoding)?.clone();
            each(move || sign(&digest_context(&private_key(&bytes), aws::EVP_DigestSignInit), &message, &mut out))
        }
        _ => return None,
    })
}

fn x25519_pair(public: &mut [u8; 32], private: &mut [u8; 32]) {
    // SAFETY: both arrays are 32 bytes long, as the call requires.
    unsafe { aws::X25519_keypair(public.as_mut_ptr(), private.as_mut_ptr()) };
}

fn x25519_agree(secret: &mut [u8; 32], private: &[u8; 32], peer: &[u8; 32]) {
    // SAFETY: all three arrays are 32 bytes long, as the call requires.
    assert_eq!(unsafe { aws::X25519(secret.as_mut_ptr(), private.as_ptr(), peer.as_ptr()) }, 1);
}

fn array(bytes: &[u8]) -> [u8; 32] {
    bytes.try_into().expect("the value must be 32 bytes long")
}

fn x25519_keygen(operation: &str) -> Option<Side> {
    let (mut public, mut private) = ([0; 32], [0; 32]);
    Some(match operation {
        "keygen" => making(|| {
            let mut pair = Box::new(([0; 32], [0; 32]));
            let (public, private) = &mut *pair;
            x25519_pair(public, private);
            pair
        }),
        "keygen encoded" => each(move || x25519_pair(&mut public, &mut private)),
        _ => return None,
    })
}

fn x25519(inputs: &agreement::Inputs, operation: &str) -> Option<Side> {
    let (private, peer) = (array(&inputs.private), array(&inputs.peer));
    let mut secret = [0; 32];
    match operation {
        "agree" | "agree encoded" => Some(each(move || x25519_agree(&mut secret, &private, &peer))),
        _ => x25519_keygen(operation),
    }
}

fn ed25519(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    fn pair(public: &mut [u8; 32], private: &mut [u8; 64]) {
        // SAFETY: the arrays hold the 32-byte public key and the 64-byte key pair that the call
        // writes.
        unsafe { aws::ED25519_keypair(public.as_mut_ptr(), private.as_mut_ptr()) };
    }
    fn from_seed(public: &mut [u8; 32], private: &mut [u8; 64], seed: &[u8; 32]) {
        // SAFETY: the arrays have the lengths that the call expects: 32 bytes for the seed and the
        // public key, 64 bytes for the key pair.
        unsafe { aws::ED25519_keypair_from_seed(public.as_mut_ptr(), private.as_mut_ptr(), seed.as_ptr()) };
    }
    fn sign(private: &[u8; 64], message: &[u8], out: &mut [u8]) {
        // SAFETY: the message is passed with its length, the key pair is 64 bytes long, and `out`
        // holds the 64 bytes that the call writes.
        let done = unsafe { aws::ED25519_sign(out.as_mut_ptr(), message.as_ptr(), message.len(), private.as_ptr()) };
        assert_eq!(done, 1);
    }
    let seed = array(&inputs.private("").1);
    let (mut public, mut private) = ([0; 32], [0; 64]);
    from_seed(&mut public, &mut private, &seed);
    let (message, signature) = (inputs.message.clone(), inputs.signature.clone());
    let prehashed = inputs.prehashed.clone();
    let mut out = vec![0; 64];
    Some(match operation {
        "keygen" => making(|| {
            let mut both = Box::new(([0; 32], [0; 64]));
            let (public, private) = &mut *both;
            pair(public, private);
            both
        }),
        "keygen encoded" => each(move || pair(&mut public, &mut private)),
        "sign" => each(move || sign(&private, &message, &mut out)),
        "sign encoded key=seed" => each(move || {
            from_seed(&mut public, &mut private, &seed);
            sign(&private, &message, &mut out);
        }),
        "verify" | "verify encoded" => each(move || {
            let (message, size) = (message.as_ptr(), message.len());
            // SAFETY: the message is passed with its length, the signature is 64 bytes long, and
            // the key is 32 bytes long.
            let done = unsafe { aws::ED25519_verify(message, size, signature.as_ptr(), public.as_ptr()) };
            assert_eq!(done, 1);
        }),
        "sign prehash" => each(move || {
            let (message, size) = (message.as_ptr(), message.len());
            // SAFETY: the message is passed with its length, the key pair is 64 bytes long, and
            // `out` holds the 64 bytes that the call writes. The context string is empty, so the
            // call does not read it.
            let done =
                unsafe { aws::ED25519ph_sign(out.as_mut_ptr(), message, size, private.as_ptr(), out.as_ptr(), 0) };
            assert_eq!(done, 1);
        }),
        "verify prehash" => each(move || {
            let (message, size, context) = (message.as_ptr(), message.len(), message.as_ptr());
            let (signature, key) = (prehashed.as_ptr(), public.as_ptr());
            // SAFETY: the message is passed with its length, the signature is 64 bytes long, and
            // the key is 32 bytes long. The context string is empty, so the call does not read it.
            assert_eq!(unsafe { aws::ED25519ph_verify(message, size, signature, key, context, 0) }, 1);
        }),
        _ => return None,
    })
}

type EcKey = Owned<aws::EC_KEY>;

/// secp256k1 with SHA-256 and ledger conventions: compressed public keys and low-`s` signatures.
#[derive(Clone, Copy)]
struct Curve {
    group: *const aws::EC_GROUP,
}

impl Curve {
    fn empty(self) -> EcKey {
        // SAFETY: nothing else uses the new key.
        unsafe {
            let key = Owned::new(aws::EC_KEY_new(), aws::EC_KEY_free);
            assert_eq!(aws::EC_KEY_set_group(key.raw(), self.group), 1);
            key
        }
    }

    fn generate(self) -> EcKey {
        let key = self.empty();
        // SAFETY: nothing else uses the key.
        assert_eq!(unsafe { aws::EC_KEY_generate_key(key.raw()) }, 1);
        key
    }

    fn private(self, scalar: &[u8]) -> EcKey {
        let key = self.empty();
        // SAFETY: nothing else uses these objects. The key copies the number and the point.
        unsafe {
            let point = Owned::new(aws::EC_POINT_new(self.group), aws::EC_POINT_free);
            let number = aws::BN_bin2bn(scalar.as_ptr(), scalar.len(), null_mut());
            let number = Owned::new(number, aws::BN_clear_free);
            assert_eq!(aws::EC_KEY_set_private_key(key.raw(), number.raw()), 1);
            assert_eq!(aws::EC_POINT_mul(self.group, point.raw(), number.raw(), null(), null(), null_mut()), 1);
            assert_eq!(aws::EC_KEY_set_public_key(key.raw(), point.raw()), 1);
        }
        key
    }

    fn public(self, bytes: &[u8]) -> EcKey {
        let key = self.empty();
        // SAFETY: nothing else uses these objects. The pointer and length describe `bytes`, and the
        // key copies the point.
        unsafe {
            let point = Owned::new(aws::EC_POINT_new(self.group), aws::EC_POINT_free);
            assert_eq!(aws::EC_POINT_oct2point(self.group, point.raw(), bytes.as_ptr(), bytes.len(), null_mut()), 1);
            assert_eq!(aws::EC_KEY_set_public_key(key.raw(), point.raw()), 1);
        }
        key
    }

    fn write(self, key: &EcKey, public: &mut [u8], private: &mut [u8]) {
        let form = aws::point_conversion_form_t::POINT_CONVERSION_COMPRESSED;
        // SAFETY: the point and the number belong to `key`, which stays alive. Each pointer is
        // passed with the length of its buffer.
        unsafe {
            let point = aws::EC_KEY_get0_public_key(key.raw());
            let written =
                aws::EC_POINT_point2oct(self.group, point, form, public.as_mut_ptr(), public.len(), null_mut());
            assert_eq!(written, public.len());
            let number = aws::EC_KEY_get0_private_key(key.raw());
            assert_eq!(aws::BN_bn2bin_padded(private.as_mut_ptr(), private.len(), number), 1);
        }
    }

    fn sign(self, key: &EcKey, half_order: &Owned<aws::BIGNUM>, message: &[u8], out: &mut [u8]) {
        let digest = sha256(message);
        let (r_out, s_out) = out.split_at_mut(32);
        // SAFETY: the digest is passed with its length. We own the signature, and `ECDSA_do_sign`
        // set its `r` and `s`. Each half of `out` holds the 32 bytes written to it.
        unsafe {
            let signature = aws::ECDSA_do_sign(digest.as_ptr(), digest.len(), key.raw());
            let signature = Owned::new(signature, aws::ECDSA_SIG_free);
            let (r, s) = ((*signature.raw()).r, (*signature.raw()).s);
            if aws::BN_ucmp(s, half_order.raw()) > 0 {
                assert_eq!(aws::BN_sub(s, aws::EC_GROUP_get0_order(self.group), s), 1);
            }
            assert_eq!(aws::BN_bn2bin_padded(r_out.as_mut_ptr(), 32, r), 1);
            assert_eq!(aws::BN_bn2bin_padded(s_out.as_mut_ptr(), 32, s), 1);
        }
    }
}

/// Decodes the signature into `numbers`, then verifies it.
fn verify_ecdsa(key: &EcKey, numbers: &Owned<aws::ECDSA_SIG>, message: &[u8], signature: &[u8]) {
    let digest = sha256(message);
    // SAFETY: nothing else uses `numbers`, and `ECDSA_SIG_new` allocated its `r` and `s`. Each half
    // of the signature is 32 bytes long.
    unsafe {
        aws::BN_bin2bn(signature.as_ptr(), 32, (*numbers.raw()).r);
        aws::BN_bin2bn(signature[32..].as_ptr(), 32, (*numbers.raw()).s);
        assert_eq!(aws::ECDSA_do_verify(digest.as_ptr(), digest.len(), numbers.raw(), key.raw()), 1);
    }
}

fn sha256(message: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    // SAFETY: the message is passed with its length, and the output buffer holds the 32 bytes that
    // the call writes.
    unsafe { aws::SHA256(message.as_ptr(), message.len(), digest.as_mut_ptr()) };
    digest
}

fn ecdsa(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    // SAFETY: the function takes no arguments and returns a static object.
    let group = unsafe { aws::EC_group_secp256k1() };
    let curve = Curve { group };
    // SAFETY: nothing else uses the new objects. `BN_rshift1` only reads the order, which belongs
    // to the static group.
    let (half_order, numbers) = unsafe {
        let half_order = Owned::new(aws::BN_new(), aws::BN_free);
        assert_eq!(aws::BN_rshift1(half_order.raw(), aws::EC_GROUP_get0_order(group)), 1);
        (half_order, Owned::new(aws::ECDSA_SIG_new(), aws::ECDSA_SIG_free))
    };
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let (_, scalar) = inputs.private("");
    let (public, message, signature) = (inputs.public.clone(), inputs.message.clone(), inputs.signature.clone());
    Some(match operation {
        "keygen" => making(move || curve.generate()),
        "keygen encoded" => each(move || curve.write(&curve.generate(), &mut public_out, &mut private_out)),
        "sign" => {
            let key = curve.private(&scalar);
            each(move || curve.sign(&key, &half_order, &message, &mut out))
        }
        "sign encoded key=scalar" => each(move || curve.sign(&curve.private(&scalar), &half_order, &message, &mut out)),
        "verify" => {
            let key = curve.public(&public);
            each(move || verify_ecdsa(&key, &numbers, &message, &signature))
        }
        "verify encoded" => each(move || {
            // SAFETY: the call takes no arguments and returns an object that we own.
            let numbers = Owned::new(unsafe { aws::ECDSA_SIG_new() }, aws::ECDSA_SIG_free);
            verify_ecdsa(&curve.public(&public), &numbers, &message, &signature);
        }),
        _ => return None,
    })
}

fn sha3_256() -> Side {
    let messages = hash::pool();
    let mut out = [0; 32];
    Box::new(move |batch| {
        for message in black_box(&messages).iter().cycle().take(batch) {
            // SAFETY: the message is passed with its length, and the output buffer holds the 32
            // bytes that the call writes.
            assert!(!unsafe { black_box(SHA3_256)(message.as_ptr(), message.len(), out.as_mut_ptr()) }.is_null());
        }
    })
}

/// Creates a SHAKE128 state.
fn shake() -> Owned<aws::EVP_MD_CTX> {
    // SAFETY: nothing else uses the new context.
    unsafe {
        let context = Owned::new(aws::EVP_MD_CTX_new(), aws::EVP_MD_CTX_free);
        assert_eq!(aws::EVP_DigestInit(context.raw(), aws::EVP_shake128()), 1);
        context
    }
}

fn absorb(context: &Owned<aws::EVP_MD_CTX>, part: &[u8]) {
    // SAFETY: nothing else uses the context, and the call only reads `part`.
    assert_eq!(unsafe { aws::EVP_DigestUpdate(context.raw(), part.as_ptr().cast(), part.len()) }, 1);
}

fn squeeze(context: &Owned<aws::EVP_MD_CTX>, out: &mut [u8]) {
    // SAFETY: nothing else uses the context, and the call writes `out.len()` bytes.
    assert_eq!(unsafe { aws::EVP_DigestSqueeze(context.raw(), out.as_mut_ptr(), out.len()) }, 1);
}

fn xof(operation: &str) -> Option<Side> {
    let (messages, long, mut out) = (hash::pool(), hash::long(), [0; hash::OUTPUT]);
    Some(match operation {
        "digest" => Box::new(move |batch| {
            for message in black_box(&messages).iter().cycle().take(batch) {
                let (output, length) = (out.as_mut_ptr(), out.len());
                // SAFETY: each pointer is passed with the length of its buffer.
                assert!(!unsafe { SHAKE128(message.as_ptr(), message.len(), output, length) }.is_null());
            }
        }),
        "absorb" => each(move || {
            let context = shake();
            for part in black_box(&long).chunks(hash::PART) {
                absorb(&context, part);
            }
            squeeze(&context, &mut out);
        }),
        _ => Box::new(Squeezing { long, context: shake(), out }),
    })
}

/// Side that squeezes one context throughout a batch.
struct Squeezing {
    long: Vec<u8>,
    context: Owned<aws::EVP_MD_CTX>,
    out: [u8; hash::OUTPUT],
}

impl Work for Squeezing {
    fn ready(&mut self, _batch: usize) {
        self.context = shake();
        absorb(&self.context, &self.long);
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            squeeze(&self.context, black_box(&mut self.out));
        }
    }
}

fn hmac(operation: &str) -> Side {
    let (message, key, mut out, mut length) = (symmetric::message(), symmetric::KEY, [0; 32], 0);
    if operation == "tag encoded" {
        return each(move || {
            let (message, size) = (message.as_ptr(), message.len());
            let (key, key_length, out) = (key.as_ptr().cast(), key.len(), out.as_mut_ptr());
            // SAFETY: the key and the message are passed with their lengths, and `out` holds the 32
            // bytes that the call writes.
            let done = unsafe { aws::HMAC(aws::EVP_sha256(), key, key_length, message, size, out, &raw mut length) };
            assert!(!done.is_null());
        });
    }
    // SAFETY: nothing else uses the new context. The key is passed with its length.
    let context = unsafe {
        let context = Owned::new(aws::HMAC_CTX_new(), aws::HMAC_CTX_free);
        let done = aws::HMAC_Init_ex(context.raw(), key.as_ptr().cast(), key.len(), aws::EVP_sha256(), null_mut());
        assert_eq!(done, 1);
        context
    };
    each(move || {
        // SAFETY: nothing else uses the context, which keeps its key. The message is passed with
        // its length, and `out` holds the 32 bytes that the last call writes.
        unsafe {
            assert_eq!(aws::HMAC_Init_ex(context.raw(), null(), 0, null(), null_mut()), 1);
            assert_eq!(aws::HMAC_Update(context.raw(), message.as_ptr(), message.len()), 1);
            assert_eq!(aws::HMAC_Final(context.raw(), out.as_mut_ptr(), &raw mut length), 1);
        }
    })
}

fn hkdf() -> Side {
    let (key, salt, info, mut out) = (symmetric::KEY, symmetric::SALT, symmetric::INFO, [0; 32]);
    each(move || {
        let (key, key_length) = (key.as_ptr(), key.len());
        let (salt, salt_length, info, info_length) = (salt.as_ptr(), salt.len(), info.as_ptr(), info.len());
        let (output, length) = (out.as_mut_ptr(), out.len());
        // SAFETY: each pointer is passed with the length of its buffer.
        let done = unsafe {
            aws::HKDF(output, length, aws::EVP_sha256(), key, key_length, salt, salt_length, info, info_length)
        };
        assert_eq!(done, 1);
    })
}

fn aes_gcm(aead: &Arc<dyn Aead>, operation: &str) -> Side {
    let (key, nonce) = (symmetric::KEY, symmetric::NONCE);
    // SAFETY: the key is passed with its length, and we own the returned context.
    let context = unsafe { aws::EVP_AEAD_CTX_new(aws::EVP_aead_aes_256_gcm(), key.as_ptr(), key.len(), 16) };
    let context = Owned::new(context, aws::EVP_AEAD_CTX_free);
    if operation == "seal" {
        return symmetric::cipher((symmetric::message(), vec![0; symmetric::TAG]), move |buffer, tag| {
            let (start, mut length) = (buffer.as_mut_ptr(), 0);
            // SAFETY: each pointer is passed with the length of its buffer. The library allows
            // input and output to be the same buffer.
            let done = unsafe {
                aws::EVP_AEAD_CTX_seal_scatter(
                    context.raw(),
                    start,
                    tag.as_mut_ptr(),
                    &raw mut length,
                    tag.len(),
                    nonce.as_ptr(),
                    nonce.len(),
                    start,
                    buffer.len(),
                    null(),
                    0,
                    null(),
                    0,
                )
            };
            assert_eq!(done, 1);
        });
    }
    symmetric::cipher(symmetric::sealed(aead), move |buffer, tag| {
        let start = buffer.as_mut_ptr();
        let (tag, tag_length, length) = (tag.as_ptr(), tag.len(), buffer.len());
        // SAFETY: each pointer is passed with the length of its buffer. The library allows input
        // and output to be the same buffer.
        let done = unsafe {
            let (nonce, size) = (nonce.as_ptr(), nonce.len());
            aws::EVP_AEAD_CTX_open_gather(context.raw(), start, nonce, size, start, length, tag, tag_length, null(), 0)
        };
        assert_eq!(done, 1);
    })
}

unsafe extern "C" {
    #[link_name = "aws_lc_0_47_0_SHA3_256"]
    fn SHA3_256(message: *const u8, message_len: usize, digest: *mut u8) -> *mut u8;
    #[link_name = "aws_lc_0_47_0_SHAKE128"]
    fn SHAKE128(message: *const u8, message_len: usize, output: *mut u8, output_len: usize) -> *mut u8;
    #[link_name = "aws_lc_0_47_0_ml_dsa_44_sign_internal"]
    fn ml_dsa_44_sign_internal(
        private_key: *const u8,
        signature: *mut u8,
        signature_len: *mut usize,
        message: *const u8,
        message_len: usize,
        prefix: *const u8,
        prefix_len: usize,
        rnd: *const u8,
    ) -> c_int;
}
