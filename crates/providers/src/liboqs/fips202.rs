//! liboqs's FIPS 202 functions. According to the installed header `oqs/sha3.h`, these functions are not part of the
//! public interface. `oqs-sys` does not bind them, but the static library exports the symbols. The benchmark that calls
//! the library directly also compiles this file.

use std::ffi::c_void;

/// State of an incremental SHAKE (`OQS_SHA3_shake128_inc_ctx` or `OQS_SHA3_shake256_inc_ctx`): a pointer to memory that
/// `inc_init` allocates.
#[repr(C)]
pub(super) struct State(pub(super) *mut c_void);

/// Function that hashes four messages. The arguments are four output buffers, the length of each buffer in bytes, four
/// messages, and the length of each message in bytes.
pub(super) type Shake4 =
    unsafe extern "C" fn(*mut u8, *mut u8, *mut u8, *mut u8, usize, *const u8, *const u8, *const u8, *const u8, usize);

macro_rules! of_four_messages {
    ($($name:ident),+) => {
        unsafe extern "C" {
            $(pub(super) fn $name(
                output0: *mut u8,
                output1: *mut u8,
                output2: *mut u8,
                output3: *mut u8,
                output_length: usize,
                input0: *const u8,
                input1: *const u8,
                input2: *const u8,
                input3: *const u8,
                input_length: usize,
            );)+
        }
    };
}
of_four_messages!(OQS_SHA3_shake128_x4, OQS_SHA3_shake256_x4);

unsafe extern "C" {
    pub(super) fn OQS_SHA3_sha3_256(output: *mut u8, input: *const u8, input_length: usize);
    pub(super) fn OQS_SHA3_sha3_384(output: *mut u8, input: *const u8, input_length: usize);
    pub(super) fn OQS_SHA3_sha3_512(output: *mut u8, input: *const u8, input_length: usize);

    pub(super) fn OQS_SHA3_shake128(output: *mut u8, output_length: usize, input: *const u8, input_length: usize);
    pub(super) fn OQS_SHA3_shake128_inc_init(state: *mut State);
    pub(super) fn OQS_SHA3_shake128_inc_absorb(state: *mut State, input: *const u8, input_length: usize);
    pub(super) fn OQS_SHA3_shake128_inc_finalize(state: *mut State);
    pub(super) fn OQS_SHA3_shake128_inc_squeeze(output: *mut u8, output_length: usize, state: *mut State);
    pub(super) fn OQS_SHA3_shake128_inc_ctx_release(state: *mut State);

    pub(super) fn OQS_SHA3_shake256(output: *mut u8, output_length: usize, input: *const u8, input_length: usize);
    pub(super) fn OQS_SHA3_shake256_inc_init(state: *mut State);
    pub(super) fn OQS_SHA3_shake256_inc_absorb(state: *mut State, input: *const u8, input_length: usize);
    pub(super) fn OQS_SHA3_shake256_inc_finalize(state: *mut State);
    pub(super) fn OQS_SHA3_shake256_inc_squeeze(output: *mut u8, output_length: usize, state: *mut State);
    pub(super) fn OQS_SHA3_shake256_inc_ctx_release(state: *mut State);
}
