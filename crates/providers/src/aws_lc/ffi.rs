//! Functions of the library that its Rust bindings omit.
//!
//! The archive exports each of them (`OPENSSL_EXPORT` in an internal header of AWS-LC), and no public function can
//! replace them. aws-lc-sys prefixes every symbol with its version, so this file must change with the version of
//! aws-lc-sys in Cargo.toml; otherwise linking fails.

use std::ffi::c_int;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::AtomicU32;

/// Signs with an expanded private key: `private_key, signature, signature_len, message, message_len, prefix,
/// prefix_len, rnd`. The message representative is computed over `prefix || message` (FIPS 204, algorithm 7). For
/// functions with `extmu` in their name it is the message. `rnd` has 32 bytes. Returns 1 on success.
pub(super) type MlDsaSignInternal =
    unsafe extern "C" fn(*const u8, *mut u8, *mut usize, *const u8, usize, *const u8, usize, *const u8) -> c_int;

/// Verifies with a public key: `public_key, signature, signature_len, message, message_len, prefix, prefix_len`.
/// Counterpart of [`MlDsaSignInternal`]. Returns 1 if the signature is valid.
pub(super) type MlDsaVerifyInternal =
    unsafe extern "C" fn(*const u8, *const u8, usize, *const u8, usize, *const u8, usize) -> c_int;

/// A hash function in one call: `message, message_len, digest`. Returns null on failure.
pub(super) type OneShotHash = unsafe extern "C" fn(*const u8, usize, *mut u8) -> *mut u8;

/// An extendable-output function in one call: `message, message_len, output, output_len`. Returns null on failure.
pub(super) type OneShotXof = unsafe extern "C" fn(*const u8, usize, *mut u8, usize) -> *mut u8;

// The public interface draws its own randomness and formats the message itself. Vectors and the deterministic variant
// need these functions, declared in crypto/fipsmodule/ml_dsa/ml_dsa.h.
macro_rules! ml_dsa {
    ($($sign:ident: $sign_symbol:literal, $verify:ident: $verify_symbol:literal;)*) => {
        unsafe extern "C" {
            $(
                #[link_name = $sign_symbol]
                pub(super) fn $sign(
                    private_key: *const u8,
                    signature: *mut u8,
                    signature_len: *mut usize,
                    message: *const u8,
                    message_len: usize,
                    prefix: *const u8,
                    prefix_len: usize,
                    rnd: *const u8,
                ) -> c_int;
                #[link_name = $verify_symbol]
                pub(super) fn $verify(
                    public_key: *const u8,
                    signature: *const u8,
                    signature_len: usize,
                    message: *const u8,
                    message_len: usize,
                    prefix: *const u8,
                    prefix_len: usize,
                ) -> c_int;
            )*
        }
    };
}

ml_dsa! {
    ml_dsa_44_sign_internal: "aws_lc_0_47_0_ml_dsa_44_sign_internal",
    ml_dsa_44_verify_internal: "aws_lc_0_47_0_ml_dsa_44_verify_internal";
    ml_dsa_65_sign_internal: "aws_lc_0_47_0_ml_dsa_65_sign_internal",
    ml_dsa_65_verify_internal: "aws_lc_0_47_0_ml_dsa_65_verify_internal";
    ml_dsa_87_sign_internal: "aws_lc_0_47_0_ml_dsa_87_sign_internal",
    ml_dsa_87_verify_internal: "aws_lc_0_47_0_ml_dsa_87_verify_internal";
    ml_dsa_extmu_44_sign_internal: "aws_lc_0_47_0_ml_dsa_extmu_44_sign_internal",
    ml_dsa_extmu_44_verify_internal: "aws_lc_0_47_0_ml_dsa_extmu_44_verify_internal";
    ml_dsa_extmu_65_sign_internal: "aws_lc_0_47_0_ml_dsa_extmu_65_sign_internal",
    ml_dsa_extmu_65_verify_internal: "aws_lc_0_47_0_ml_dsa_extmu_65_verify_internal";
    ml_dsa_extmu_87_sign_internal: "aws_lc_0_47_0_ml_dsa_extmu_87_sign_internal",
    ml_dsa_extmu_87_verify_internal: "aws_lc_0_47_0_ml_dsa_extmu_87_verify_internal";
}

// The public `EVP_Digest` allocates a state per call. These functions keep it on the stack, as the public `SHA256`
// does. Declared in crypto/fipsmodule/sha/internal.h.
unsafe extern "C" {
    #[link_name = "aws_lc_0_47_0_SHA3_224"]
    pub(super) fn SHA3_224(message: *const u8, message_len: usize, digest: *mut u8) -> *mut u8;
    #[link_name = "aws_lc_0_47_0_SHA3_256"]
    pub(super) fn SHA3_256(message: *const u8, message_len: usize, digest: *mut u8) -> *mut u8;
    #[link_name = "aws_lc_0_47_0_SHA3_384"]
    pub(super) fn SHA3_384(message: *const u8, message_len: usize, digest: *mut u8) -> *mut u8;
    #[link_name = "aws_lc_0_47_0_SHA3_512"]
    pub(super) fn SHA3_512(message: *const u8, message_len: usize, digest: *mut u8) -> *mut u8;
    #[link_name = "aws_lc_0_47_0_SHAKE128"]
    pub(super) fn SHAKE128(message: *const u8, message_len: usize, output: *mut u8, output_len: usize) -> *mut u8;
    #[link_name = "aws_lc_0_47_0_SHAKE256"]
    pub(super) fn SHAKE256(message: *const u8, message_len: usize, output: *mut u8, output_len: usize) -> *mut u8;
}

// Table of the CPU features that the library may use: EDX and ECX of CPUID leaf 1, EBX and ECX of leaf 7. No public
// function gives access to it. Declared in crypto/fipsmodule/cpucap/internal.h.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    #[link_name = "aws_lc_0_47_0_OPENSSL_ia32cap_P"]
    pub(super) static OPENSSL_ia32cap_P: [AtomicU32; 4];
}
