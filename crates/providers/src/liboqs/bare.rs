//! Direct calls to liboqs. The functions always take encoded keys, even for operations with
//! prepared keys. Key generation allocates memory for the keys that it keeps, as every caller must
//! do. All other buffers are allocated in advance.

#[allow(dead_code, reason = "the benchmark compares only one algorithm of each kind")]
#[path = "fips202.rs"]
mod fips202;

use crate::interleaved::{Side, Work};
use crate::libraries::Bare;
use crate::operations::{each, hash, kem, making, signature};
use fips202::{
    OQS_SHA3_sha3_256, OQS_SHA3_shake128, OQS_SHA3_shake128_inc_absorb, OQS_SHA3_shake128_inc_ctx_release,
    OQS_SHA3_shake128_inc_finalize, OQS_SHA3_shake128_inc_init, OQS_SHA3_shake128_inc_squeeze, OQS_SHA3_shake128_x4,
};
use oqs_sys::common::OQS_STATUS;
use oqs_sys::{kem as oqs_kem, sig as oqs_sig};
use pqlab_primitives::KeyEncoding;
use std::ffi::CString;
use std::hint::black_box;
use std::ptr;

pub(crate) const BARE: &[&dyn Bare] = &[&Liboqs];

struct Liboqs;

impl Bare for Liboqs {
    fn library(&self) -> &'static str {
        "liboqs"
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["ML-KEM-512", "ML-DSA-44", "Falcon-512", "SHA3-256", "SHAKE128"]
    }

    fn kem(&self, inputs: &kem::Inputs, operation: &str) -> Option<Side> {
        let name = CString::new(inputs.kem.info().parameters.algorithm.as_bytes()).ok()?;
        // SAFETY: the name ends with NUL. We own the returned object and never free it.
        let native = unsafe { oqs_kem::OQS_KEM_new(name.as_ptr()) };
        assert!(!native.is_null(), "this liboqs lacks the algorithm");
        let (mut out, mut private_out, mut secret) = inputs.room();
        let (public, ciphertext) = (inputs.public.clone(), inputs.ciphertext.clone());
        let (_, private) = inputs.private("");
        let length = private_out.len();
        Some(match operation {
            "keygen" => making(move || {
                let mut key: Vec<u8> = Vec::with_capacity(length);
                // SAFETY: every buffer has the length given in `native`, and the call fills `key`.
                unsafe {
                    done(oqs_kem::OQS_KEM_keypair(native, out.as_mut_ptr(), key.as_mut_ptr()));
                    key.set_len(length);
                }
                key
            }),
            "keygen encoded" => each(move || {
                // SAFETY: every buffer has the length given in `native`.
                done(unsafe { oqs_kem::OQS_KEM_keypair(native, out.as_mut_ptr(), private_out.as_mut_ptr()) });
            }),
            "encapsulate" | "encapsulate encoded" => each(move || {
                let (ciphertext, secret) = (out.as_mut_ptr(), secret.as_mut_ptr());
                // SAFETY: every buffer has the length given in `native`.
                done(unsafe { oqs_kem::OQS_KEM_encaps(native, ciphertext, secret, public.as_ptr()) });
            }),
            "decapsulate" | "decapsulate encoded key=expanded" => each(move || {
                let (ciphertext, private) = (ciphertext.as_ptr(), private.as_ptr());
                // SAFETY: every buffer has the length given in `native`.
                done(unsafe { oqs_kem::OQS_KEM_decaps(native, secret.as_mut_ptr(), ciphertext, private) });
            }),
            _ => return None,
        })
    }

    fn signature(&self, inputs: &signature::Inputs, operation: &str) -> Option<Side> {
        let info = inputs.scheme.info();
        let name = CString::new(info.parameters.algorithm.as_bytes()).ok()?;
        // SAFETY: the name ends with NUL. We own the returned object and never free it.
        let native = unsafe { oqs_sig::OQS_SIG_new(name.as_ptr()) };
        assert!(!native.is_null(), "this liboqs lacks the algorithm");
        let with_context = info.context;
        let (mut public_out, mut private_out, mut out) = inputs.room();
        let length = info.signing_key(KeyEncoding::Expanded)?;
        let (_, private) = inputs.private("");
        let (public, message, signature) = (inputs.public.clone(), inputs.message.clone(), inputs.signature.clone());
        Some(match operation {
            "keygen" => making(move || {
                let mut public: Vec<u8> = Vec::with_capacity(public_out.len());
                let mut key: Vec<u8> = Vec::with_capacity(length);
                // SAFETY: both buffers have the lengths given in `native`, and the call fills them.
                unsafe {
                    done(oqs_sig::OQS_SIG_keypair(native, public.as_mut_ptr(), key.as_mut_ptr()));
                    public.set_len(public_out.len());
                    key.set_len(length);
                }
                (public, key)
            }),
            "keygen encoded" => each(move || {
                // SAFETY: both buffers have the lengths given in `native`.
                done(unsafe { oqs_sig::OQS_SIG_keypair(native, public_out.as_mut_ptr(), private_out.as_mut_ptr()) });
            }),
            "sign" | "sign encoded key=expanded" => each(move || {
                let (mut length, signature) = (out.len(), out.as_mut_ptr());
                let (message, size, key) = (message.as_ptr(), message.len(), private.as_ptr());
                // SAFETY: `out` has room for the longest signature, and the key has the length
                // given in `native`. The message is passed with its length, and the context string
                // is empty.
                done(unsafe {
                    if with_context {
                        let empty = ptr::dangling();
                        oqs_sig::OQS_SIG_sign_with_ctx_str(
                            native,
                            signature,
                            &raw mut length,
                            message,
                            size,
                            empty,
                            0,
                            key,
                        )
                    } else {
                        oqs_sig::OQS_SIG_sign(native, signature, &raw mut length, message, size, key)
                    }
                });
            }),
            "verify" | "verify encoded" => each(move || {
                let (message, size) = (message.as_ptr(), message.len());
                let (signature, length, key) = (signature.as_ptr(), signature.len(), public.as_ptr());
                // SAFETY: the key has the length given in `native`. The message and the signature
                // are passed with their lengths, and the context string is empty.
                done(unsafe {
                    if with_context {
                        let empty = ptr::dangling();
                        oqs_sig::OQS_SIG_verify_with_ctx_str(native, message, size, signature, length, empty, 0, key)
                    } else {
                        oqs_sig::OQS_SIG_verify(native, message, size, signature, length, key)
                    }
                });
            }),
            _ => return None,
        })
    }

    fn hash(&self, _provider: &str, algorithm: &str) -> Option<Side> {
        let (messages, mut out) = (hash::pool(), [0; 32]);
        (algorithm == "SHA3-256").then(|| -> Side {
            Box::new(move |batch| {
                for message in black_box(&messages).iter().cycle().take(batch) {
                    // SAFETY: `out` is as long as the digest, and the message is passed with its
                    // length.
                    unsafe { OQS_SHA3_sha3_256(out.as_mut_ptr(), message.as_ptr(), message.len()) };
                }
            })
        })
    }

    fn xof(&self, _provider: &str, algorithm: &str, operation: &str) -> Option<Side> {
        if algorithm != "SHAKE128" {
            return None;
        }
        let (messages, long, mut out) = (hash::pool(), hash::long(), [0; hash::OUTPUT]);
        Some(match operation {
            "digest" => Box::new(move |batch| {
                for message in black_box(&messages).iter().cycle().take(batch) {
                    // SAFETY: each pointer is passed with the length of its buffer.
                    unsafe { OQS_SHA3_shake128(out.as_mut_ptr(), out.len(), message.as_ptr(), message.len()) };
                }
            }),
            "absorb" => each(move || {
                let mut state = State::new();
                for part in black_box(&long).chunks(hash::PART) {
                    state.absorb(part);
                }
                state.finalize();
                state.squeeze(&mut out);
            }),
            _ => Box::new(Squeezing { long, state: State::new(), out }),
        })
    }

    #[rustfmt::skip]
    fn lanes(&self, _provider: &str, algorithm: &str, lanes: usize) -> Option<Side> {
        let (messages, mut outs) = hash::lanes(lanes, None);
        (algorithm == "SHAKE128" && lanes == 4).then(|| {
            each(move || {
                let [o0, o1, o2, o3] = &mut outs[..] else { unreachable!("need four lanes") };
                let [m0, m1, m2, m3] = &black_box(&messages)[..] else { unreachable!("need four lanes") };
                // SAFETY: every message is `m0.len()` bytes long, and every output is `o0.len()`
                // bytes long.
                unsafe {
                    OQS_SHA3_shake128_x4(
                        o0.as_mut_ptr(), o1.as_mut_ptr(), o2.as_mut_ptr(), o3.as_mut_ptr(), o0.len(),
                        m0.as_ptr(), m1.as_ptr(), m2.as_ptr(), m3.as_ptr(), m0.len(),
                    );
                }
            })
        })
    }
}

fn done(status: OQS_STATUS) {
    assert_eq!(status, OQS_STATUS::OQS_SUCCESS);
}

/// SHAKE128 state.
struct State(fips202::State);

impl State {
    fn new() -> State {
        let mut state = fips202::State(ptr::null_mut());
        // SAFETY: the call initializes the whole state.
        unsafe { OQS_SHA3_shake128_inc_init(&raw mut state) };
        State(state)
    }

    fn absorb(&mut self, part: &[u8]) {
        // SAFETY: the state is initialized, and the pointer and length describe `part`.
        unsafe { OQS_SHA3_shake128_inc_absorb(&raw mut self.0, part.as_ptr(), part.len()) };
    }

    fn finalize(&mut self) {
        // SAFETY: the state is initialized.
        unsafe { OQS_SHA3_shake128_inc_finalize(&raw mut self.0) };
    }

    fn squeeze(&mut self, out: &mut [u8]) {
        // SAFETY: the state is finalized, and the call writes `out.len()` bytes.
        unsafe { OQS_SHA3_shake128_inc_squeeze(out.as_mut_ptr(), out.len(), &raw mut self.0) };
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // SAFETY: the state is initialized and is released only here.
        unsafe { OQS_SHA3_shake128_inc_ctx_release(&raw mut self.0) };
    }
}

/// Side that squeezes one state throughout a batch.
struct Squeezing {
    long: Vec<u8>,
    state: State,
    out: [u8; hash::OUTPUT],
}

impl Work for Squeezing {
    fn ready(&mut self, _batch: usize) {
        self.state = State::new();
        self.state.absorb(&self.long);
        self.state.finalize();
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            self.state.squeeze(black_box(&mut self.out));
        }
    }
}
