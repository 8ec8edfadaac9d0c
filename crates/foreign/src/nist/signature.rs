//! Signature schemes with the NIST competition's C interface. The functions have one of three forms: detached
//! signatures with a context string, detached signatures without a context string, or signatures followed by the
//! message.

use super::{SUCCESS, Symbols, probe};
use crate::encoded::{EncodedScheme, SignatureCalls};
use crate::open::OpenError;
use pqlab_primitives::{CoinSupport, KeyEncoding, SignatureInfo, SignatureParameters};
use std::ffi::{c_int, c_ulonglong};

type Make = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
type MakeFrom = unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int;
type SignIn = unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8, usize, *const u8) -> c_int;
type VerifyIn = unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8, usize, *const u8) -> c_int;
type SignFrom =
    unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8, usize, *const u8, *const u8, c_int) -> c_int;
type VerifyFormatted =
    unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8, usize, *const u8, c_int) -> c_int;
type SignWhole = unsafe extern "C" fn(*mut u8, *mut c_ulonglong, *const u8, c_ulonglong, *const u8) -> c_int;
type OpenWhole = SignWhole;

/// A signature scheme's functions.
pub(super) struct Calls {
    keypair: Make,
    keypair_from: Option<MakeFrom>,
    form: Form,
    internal: Option<Internal>,
    /// Length in bytes of the signature that [`Form::Whole`] writes before the message.
    signature: usize,
}

enum Form {
    /// Detached signatures with a context string: `crypto_sign_signature_ctx` in PQClean, `signature` in mldsa-native
    /// and in the reference implementation of FIPS 204.
    InContext(SignIn, VerifyIn),
    /// Detached signatures without a context string: `crypto_sign_signature` in PQClean. In the reference
    /// implementation of FIPS 204, functions with the same names take a context string: see [`Calls::resolve`].
    Detached(SignIn, VerifyIn),
    /// Signature followed by a copy of the message: `crypto_sign` and `crypto_sign_open` of the NIST competition.
    Whole(SignWhole, OpenWhole),
}

/// The internal interface of ML-DSA (FIPS 204, algorithms 7 and 8), which takes the formatted message and the random
/// bytes.
///
/// The reference implementation's signing function takes eight arguments and its verification function seven. In
/// mldsa-native, both take one more argument, which says whether the message is `mu`. pqlab always passes this
/// argument, because a function may ignore trailing arguments in the C calling conventions of the supported processors.
struct Internal {
    sign: SignFrom,
    verify: Option<VerifyFormatted>,
}

/// Value of mldsa-native's additional argument: the message is not `mu`.
const NOT_MU: c_int = 0;
/// Length in bytes of ML-DSA's random input to signing (`rnd` in FIPS 204, algorithm 2, line 5).
const RND: usize = 32;

/// Returns the library's signature scheme with the given parameters.
pub(super) fn scheme(symbols: &Symbols, parameters: SignatureParameters) -> Result<EncodedScheme<Calls>, OpenError> {
    let form = form(symbols, &parameters)?;
    // The standards do not name the function that generates a key pair from a seed. These are the names in
    // mldsa-native and PQClean.
    let from_seed: &[&str] = match &*parameters.standard {
        "FIPS 204" => {
            &["keypair_internal", "crypto_sign_keypair_internal", "keypair_derand", "crypto_sign_keypair_derand"]
        }
        "FIPS 205" => &["crypto_sign_seed_keypair", "seed_keypair"],
        _ => &[],
    };
    // SAFETY: functions with these names have these types in the NIST interface.
    let (keypair, keypair_from) =
        unsafe { (symbols.need(&["crypto_sign_keypair", "keypair"])?, symbols.find(from_seed)) };
    let mut calls = Calls { keypair, keypair_from, form, internal: None, signature: parameters.signature };
    let lengths = (parameters.verifying_key, parameters.signing_key(KeyEncoding::Expanded).unwrap_or_default());
    // SAFETY: the probe passes buffers that are longer than the keys of any parameter set.
    probe::key_pair(lengths, |public, private| unsafe { calls.keypair(public, private) })
        .map_err(|reason| symbols.library.unusable(reason))?;
    if &*parameters.standard == "FIPS 204" {
        // SAFETY: the probe found keys of the stated lengths. They identify the algorithm, so the
        // other lengths match as well.
        unsafe { calls.resolve(lengths) }.map_err(|reason| symbols.library.unusable(reason))?;
        calls.internal = internal(symbols).filter(|internal| internal.signs(&calls, &parameters));
    }
    let info = SignatureInfo {
        // Falcon has no deterministic variant.
        hedged: !parameters.algorithm.starts_with("Falcon"),
        parameters,
        encodings: vec![KeyEncoding::Expanded],
        coins: CoinSupport { keygen: calls.keypair_from.is_some(), operation: calls.internal.is_some() },
        context: matches!(calls.form, Form::InContext(..)),
    };
    // SAFETY: the probe found keys of the stated lengths. They identify the algorithm, so the other
    // lengths match as well.
    Ok(unsafe { EncodedScheme::new(info, calls) })
}

fn form(symbols: &Symbols, parameters: &SignatureParameters) -> Result<Form, OpenError> {
    // SAFETY: functions with these names have these types in the NIST interface.
    unsafe {
        let in_context = |names: [&str; 2]| Some((symbols.find(&names[..1])?, symbols.find(&names[1..])?));
        for names in [["crypto_sign_signature_ctx", "crypto_sign_verify_ctx"], ["signature", "verify"]] {
            if let Some((sign, verify)) = in_context(names) {
                return Ok(Form::InContext(sign, verify));
            }
        }
        if let (Some(sign), Some(verify)) =
            (symbols.find(&["crypto_sign_signature"]), symbols.find(&["crypto_sign_verify"]))
        {
            return Ok(Form::Detached(sign, verify));
        }
        let sign = symbols.need(&["crypto_sign_signature", "signature", "crypto_sign"])?;
        let open = symbols.need(&["crypto_sign_open"])?;
        if parameters.variable_length || parameters.algorithm.starts_with("Falcon") {
            let reason = "crypto_sign_signature is missing, and pqlab cannot use Falcon's crypto_sign, which does not \
                          put the signature first";
            return Err(symbols.library.unusable(reason));
        }
        Ok(Form::Whole(sign, open))
    }
}

/// Returns the internal interface if the library exports it under a known name. The names come from mldsa-native, the
/// reference implementation of FIPS 204 and PQClean.
fn internal(symbols: &Symbols) -> Option<Internal> {
    // SAFETY: functions with these names have these types, except for the last argument, which a function may lack.
    unsafe {
        Some(Internal {
            sign: symbols.find(&["signature_internal", "crypto_sign_signature_internal"])?,
            verify: symbols.find(&["verify_internal", "crypto_sign_verify_internal"]),
        })
    }
}

impl Internal {
    /// Returns whether a signature from the internal interface verifies. If so, the functions take the expected
    /// arguments.
    fn signs(&self, calls: &Calls, parameters: &SignatureParameters) -> bool {
        let Some((public, private)) = calls.probe_keys(parameters) else { return false };
        let (message, rnd) = ([0x5a; 33], [0; RND]);
        let mut signature = vec![0; parameters.signature];
        // SAFETY: all buffers have the lengths of the parameter set, which `probe::key_pair` checked.
        unsafe {
            self.sign(&mut signature, &[0, 0], &message, rnd.as_ptr(), private.as_ptr()).is_some()
                && calls.verify(&message, &signature, &[], public.as_ptr())
        }
    }

    /// Signs `prefix || message` with the random bytes at `rnd`. Returns the signature's length in bytes.
    ///
    /// # Safety
    /// See [`SignatureCalls::sign_from`].
    unsafe fn sign(
        &self,
        out: &mut [u8],
        prefix: &[u8],
        message: &[u8],
        rnd: *const u8,
        private: *const u8,
    ) -> Option<usize> {
        let mut length = out.len();
        let (room, text, size) = (out.as_mut_ptr(), message.as_ptr(), message.len());
        // SAFETY: the caller upholds the contract. The message and the prefix are only read.
        let status = unsafe {
            (self.sign)(room, &raw mut length, text, size, prefix.as_ptr(), prefix.len(), rnd, private, NOT_MU)
        };
        (status == SUCCESS).then_some(length)
    }
}

impl SignatureCalls for Calls {
    const SIGNING_FAILED: &'static str =
        "signing key, or the library failed: its signing function returned an error code";

    unsafe fn keypair(&self, public: *mut u8, private: *mut u8) -> bool {
        // SAFETY: the caller upholds the contract of `SignatureCalls`, here and in the functions below.
        unsafe { (self.keypair)(public, private) == SUCCESS }
    }

    unsafe fn keypair_from(&self, public: *mut u8, private: *mut u8, coins: *const u8) -> bool {
        // SAFETY: the caller upholds the contract.
        self.keypair_from.is_some_and(|keypair| unsafe { keypair(public, private, coins) == SUCCESS })
    }

    unsafe fn sign(&self, out: &mut [u8], message: &[u8], context: &[u8], private: *const u8) -> Option<usize> {
        let mut length = out.len();
        let (room, text, size) = (out.as_mut_ptr(), message.as_ptr(), message.len());
        // SAFETY: the caller upholds the contract. The message and the context are only read.
        let status = unsafe {
            match &self.form {
                Form::InContext(sign, _) => {
                    sign(room, &raw mut length, text, size, context.as_ptr(), context.len(), private)
                }
                // A five-argument function ignores the last two arguments. A seven-argument function reads the fifth
                // and sixth as an empty context.
                Form::Detached(sign, _) => sign(room, &raw mut length, text, size, private, 0, private),
                Form::Whole(sign, _) => return self.sign_whole(*sign, out, message, private),
            }
        };
        (status == SUCCESS).then_some(length)
    }

    unsafe fn sign_from(
        &self,
        out: &mut [u8],
        prefix: &[u8],
        message: &[u8],
        coins: &[u8],
        private: *const u8,
    ) -> Option<usize> {
        let rnd: [u8; RND] = if coins.is_empty() { [0; RND] } else { coins.try_into().ok()? };
        // SAFETY: the caller upholds the contract.
        self.internal
            .as_ref()
            .and_then(|internal| unsafe { internal.sign(out, prefix, message, rnd.as_ptr(), private) })
    }

    unsafe fn verify_formatted(&self, formatted: &[u8], signature: &[u8], public: *const u8) -> Option<bool> {
        let verify = self.internal.as_ref()?.verify?;
        let (bytes, length, text, size) = (signature.as_ptr(), signature.len(), formatted.as_ptr(), formatted.len());
        // SAFETY: the caller upholds the contract. The message and the signature are only read.
        Some(unsafe { verify(bytes, length, text, size, [].as_ptr(), 0, public, NOT_MU) == SUCCESS })
    }

    unsafe fn verify(&self, message: &[u8], signature: &[u8], context: &[u8], public: *const u8) -> bool {
        let (bytes, length, text, size) = (signature.as_ptr(), signature.len(), message.as_ptr(), message.len());
        // SAFETY: the caller upholds the contract. The message, the context and the signature are only read.
        let status = unsafe {
            match &self.form {
                Form::InContext(_, verify) => {
                    verify(bytes, length, text, size, context.as_ptr(), context.len(), public)
                }
                Form::Detached(_, verify) => verify(bytes, length, text, size, public, 0, public),
                Form::Whole(_, open) => return Calls::open_whole(*open, message, signature, public),
            }
        };
        status == SUCCESS
    }
}

/// Message that [`Calls::resolve`] signs.
const PROBE: &[u8] = b"pqlab";
/// Number of bytes at the start of the key that [`Calls::resolve`] passes as the context string.
const PROBE_CONTEXT: usize = 5;

impl Calls {
    /// Generates a key pair for testing the library's functions.
    fn probe_keys(&self, parameters: &SignatureParameters) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut public = vec![0; parameters.verifying_key];
        let mut private = vec![0; parameters.signing_key(KeyEncoding::Expanded)?];
        // SAFETY: the buffers have the lengths of the parameter set, which `probe::key_pair` checked.
        unsafe { self.keypair(public.as_mut_ptr(), private.as_mut_ptr()) }.then_some((public, private))
    }

    /// Determines whether `crypto_sign_signature` takes five arguments (the fifth is the key) or seven (the fifth and
    /// sixth are the context string and its length, the seventh is the key).
    ///
    /// Each call passes seven arguments that are valid for both kinds of function. The fifth and the seventh argument
    /// point to the key. A function with seven arguments therefore signs with the first bytes of the key as context,
    /// and the signature does not verify with an empty context.
    ///
    /// # Safety
    /// The functions must implement the algorithm whose key lengths are `lengths`.
    unsafe fn resolve(&mut self, lengths: (usize, usize)) -> Result<(), &'static str> {
        let Form::Detached(sign, verify) = self.form else { return Ok(()) };
        let (mut public, mut private) = (vec![0; lengths.0], vec![0; lengths.1]);
        let mut signature = vec![0; self.signature];
        let mut length = signature.len();
        // SAFETY: the buffers have the lengths of the algorithm, and the fifth and the seventh argument point to a key.
        unsafe {
            if !self.keypair(public.as_mut_ptr(), private.as_mut_ptr()) {
                return Err("the library failed to generate a key pair");
            }
            let (key, text) = (private.as_ptr(), PROBE.as_ptr());
            let status = sign(signature.as_mut_ptr(), &raw mut length, text, PROBE.len(), key, PROBE_CONTEXT, key);
            if status != SUCCESS || length != self.signature {
                return Err("crypto_sign_signature fails with five arguments and with seven (two for a context): \
                            does the library use a different interface?");
            }
            let mut modified = signature.clone();
            modified[0] ^= 1;
            let (context, key) = (private.as_ptr(), public.as_ptr());
            let accepts = |signature: &[u8], fifth, sixth| {
                verify(signature.as_ptr(), length, text, PROBE.len(), fifth, sixth, key) == SUCCESS
            };
            for (fifth, sixth) in [(key, 0), (context, PROBE_CONTEXT)] {
                if accepts(&modified, fifth, sixth) && !accepts(&signature, fifth, sixth) {
                    return Err("crypto_sign_verify returns 0 for an invalid signature and another value for a valid \
                                one; the interface requires 0 for a valid signature");
                }
            }
            if accepts(&signature, key, 0) {
                return Ok(());
            }
            if !accepts(&signature, context, PROBE_CONTEXT) {
                return Err(
                    "crypto_sign_verify rejects signatures from crypto_sign_signature, both with five arguments and \
                            with seven (two for a context)",
                );
            }
        }
        self.form = Form::InContext(sign, verify);
        Ok(())
    }

    /// Signs with `crypto_sign`, which writes the signature and then the message. Copies only the signature to `out`.
    ///
    /// # Safety
    /// See [`SignatureCalls::sign`].
    unsafe fn sign_whole(&self, sign: SignWhole, out: &mut [u8], message: &[u8], private: *const u8) -> Option<usize> {
        let mut signed = vec![0; self.signature + message.len()];
        let mut length = 0;
        let size = c_ulonglong::try_from(message.len()).ok()?;
        // SAFETY: the buffer has room for the signature and the message.
        let status = unsafe { sign(signed.as_mut_ptr(), &raw mut length, message.as_ptr(), size, private) };
        if status != SUCCESS || usize::try_from(length) != Ok(signed.len()) {
            return None;
        }
        out[..self.signature].copy_from_slice(&signed[..self.signature]);
        Some(self.signature)
    }

    /// Verifies with `crypto_sign_open`, and checks that it returns `message`.
    ///
    /// # Safety
    /// See [`SignatureCalls::verify`].
    unsafe fn open_whole(open: OpenWhole, message: &[u8], signature: &[u8], public: *const u8) -> bool {
        let signed = [signature, message].concat();
        // The interface requires a message buffer that is as large as the signed message.
        let mut opened = vec![0; signed.len()];
        let mut length = 0;
        let Ok(size) = c_ulonglong::try_from(signed.len()) else { return false };
        // SAFETY: the buffer has room for as many bytes as the call may write.
        let status = unsafe { open(opened.as_mut_ptr(), &raw mut length, signed.as_ptr(), size, public) };
        status == SUCCESS && usize::try_from(length) == Ok(message.len()) && opened[..message.len()] == *message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    const LENGTHS: (usize, usize) = (8, 16);
    const SIGNATURE: usize = 4;

    unsafe extern "C" fn keypair(public: *mut u8, private: *mut u8) -> c_int {
        // SAFETY: the buffers have the lengths above.
        unsafe {
            public.write_bytes(7, LENGTHS.0);
            private.write_bytes(7, LENGTHS.1);
        }
        SUCCESS
    }

    /// Computes a toy signature: the sum of the message, the context and the first byte of the key.
    unsafe fn sum(message: *const u8, size: usize, context: *const u8, length: usize, key: *const u8) -> u8 {
        // SAFETY: the caller passes valid slices.
        let bytes = unsafe { [slice::from_raw_parts(message, size), slice::from_raw_parts(context, length)] };
        // SAFETY: a key has at least one byte.
        bytes.concat().iter().fold(unsafe { *key }, |sum, byte| sum.wrapping_add(*byte))
    }

    unsafe extern "C" fn sign_seven(
        out: *mut u8,
        length: *mut usize,
        message: *const u8,
        size: usize,
        context: *const u8,
        context_length: usize,
        key: *const u8,
    ) -> c_int {
        // SAFETY: the caller passes valid slices.
        unsafe {
            out.write_bytes(sum(message, size, context, context_length, key), SIGNATURE);
            *length = SIGNATURE;
        }
        SUCCESS
    }

    unsafe extern "C" fn verify_seven(
        signature: *const u8,
        _: usize,
        message: *const u8,
        size: usize,
        context: *const u8,
        context_length: usize,
        key: *const u8,
    ) -> c_int {
        // SAFETY: the caller passes valid slices.
        c_int::from(unsafe { *signature != sum(message, size, context, context_length, key) })
    }

    unsafe extern "C" fn sign_five(
        out: *mut u8,
        length: *mut usize,
        message: *const u8,
        size: usize,
        key: *const u8,
        _: usize,
        _: *const u8,
    ) -> c_int {
        // SAFETY: the caller passes valid slices.
        unsafe { sign_seven(out, length, message, size, key, 0, key) }
    }

    unsafe extern "C" fn verify_five(
        signature: *const u8,
        length: usize,
        message: *const u8,
        size: usize,
        key: *const u8,
        _: usize,
        _: *const u8,
    ) -> c_int {
        // SAFETY: the caller passes valid slices.
        unsafe { verify_seven(signature, length, message, size, key, 0, key) }
    }

    /// Returns 1 for a valid signature and 0 for an invalid one.
    unsafe extern "C" fn inverted_five(
        signature: *const u8,
        length: usize,
        message: *const u8,
        size: usize,
        key: *const u8,
        more: usize,
        last: *const u8,
    ) -> c_int {
        // SAFETY: the caller passes valid slices.
        unsafe { 1 - verify_five(signature, length, message, size, key, more, last) }
    }

    /// Returns 1 for a valid signature and 0 for an invalid one.
    unsafe extern "C" fn inverted_seven(
        signature: *const u8,
        length: usize,
        message: *const u8,
        size: usize,
        context: *const u8,
        context_length: usize,
        key: *const u8,
    ) -> c_int {
        // SAFETY: the caller passes valid slices.
        unsafe { 1 - verify_seven(signature, length, message, size, context, context_length, key) }
    }

    unsafe extern "C" fn refuse(
        _: *mut u8,
        _: *mut usize,
        _: *const u8,
        _: usize,
        _: *const u8,
        _: usize,
        _: *const u8,
    ) -> c_int {
        -1
    }

    fn resolved(sign: SignIn, verify: VerifyIn) -> Result<Calls, &'static str> {
        let mut calls = Calls {
            keypair,
            keypair_from: None,
            form: Form::Detached(sign, verify),
            internal: None,
            signature: SIGNATURE,
        };
        // SAFETY: the functions above implement this interface.
        unsafe { calls.resolve(LENGTHS) }.map(|()| calls)
    }

    #[test]
    fn tells_five_arguments_from_seven() {
        assert!(matches!(resolved(sign_five, verify_five).unwrap().form, Form::Detached(..)));
        assert!(matches!(resolved(sign_seven, verify_seven).unwrap().form, Form::InContext(..)));
        assert!(resolved(refuse, verify_seven).is_err_and(|reason| reason.contains("seven")));
        assert!(resolved(sign_seven, verify_five).is_err_and(|reason| reason.contains("rejects")));
        for (sign, inverted) in [(sign_five as SignIn, inverted_five as VerifyIn), (sign_seven, inverted_seven)] {
            assert!(resolved(sign, inverted).is_err_and(|reason| reason.contains("requires 0 for a valid")));
        }
    }

    #[test]
    fn both_forms_sign_and_verify() {
        for (sign, verify) in [(sign_five as SignIn, verify_five as VerifyIn), (sign_seven, verify_seven)] {
            let calls = resolved(sign, verify).unwrap();
            let (public, private) = ([7; LENGTHS.0], [7; LENGTHS.1]);
            let mut out = [0; SIGNATURE];
            // SAFETY: the buffers have the lengths above.
            unsafe {
                assert_eq!(calls.sign(&mut out, b"m", &[], private.as_ptr()), Some(SIGNATURE));
                assert!(calls.verify(b"m", &out, &[], public.as_ptr()));
                assert!(!calls.verify(b"n", &out, &[], public.as_ptr()));
            }
        }
    }
}
