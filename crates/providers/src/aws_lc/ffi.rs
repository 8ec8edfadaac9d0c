//! AWS-LC functions that the Rust bindings omit.
//!
//! The static library exports these functions (`OPENSSL_EXPORT` in an internal header of AWS-LC), and no public
//! function can replace them. aws-lc-sys prefixes every symbol with the version of aws-lc-sys. If that version changes
//! in Cargo.toml, the names here must change too; otherwise linking fails.

use std::ffi::c_int;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::AtomicU32;

/// Function that signs with an expanded private key. The arguments are `private_key, signature, signature_len, message,
/// message_len, prefix, prefix_len, rnd`. The message representative is computed over `prefix || message` (FIPS 204,
/// algorithm 7). Functions with `extmu` in the name take the message representative as `message`. `rnd` is 32 bytes
/// long. Returns 1 on success.
pub(super) type MlDsaSignInternal =
    unsafe extern "C" fn(*const u8, *mut u8, *mut usize, *const u8, usize, *const u8, usize, *const u8) -> c_int;

/// Function that verifies with a public key, the counterpart of [`MlDsaSignInternal`]. The arguments are `public_key,
/// signature, signature_len, message, message_len, prefix, prefix_len`. Returns 1 if the signature is valid.
pub(super) type MlDsaVerifyInternal =
    unsafe extern "C" fn(*const u8, *const u8, usize, *const u8, usize, *const u8, usize) -> c_int;

/// Function that hashes a message in one call. The arguments are `message, message_len, digest`. Returns null on
/// failure.
pub(super) type OneShotHash = unsafe extern "C" fn(*const u8, usize, *mut u8) -> *mut u8;

/// Extendable-output function that hashes a message in one call. The arguments are `message, message_len, output,
/// output_len`. Returns null on failure.
pub(super) type OneShotXof = unsafe extern "C" fn(*const u8, usize, *mut u8, usize) -> *mut u8;

// Internal functions, declared in crypto/fipsmodule/ml_dsa/ml_dsa.h. The public ones generate the
// random bytes and format the message themselves, which rules out test vectors and the
// deterministic variant.
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

// The public `EVP_Digest` allocates a state in each call. These functions keep the state on the stack, as the public
// `SHA256` does. They are declared in crypto/fipsmodule/sha/internal.h.
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

// CPU features that the library may use: EDX and ECX of CPUID leaf 1, then EBX and ECX of leaf 7.
// No public function gives access to this table, which is declared in
// crypto/fipsmodule/cpucap/internal.h.
#[cfg(target_arch = "x86_64")]
unsafe extern "C" {
    #[link_name = "aws_lc_0_47_0_OPENSSL_ia32cap_P"]
    pub(super) static OPENSSL_ia32cap_P: [AtomicU32; 4];
}
