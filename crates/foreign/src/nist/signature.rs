//! Signature schemes in three forms: detached signatures with a context string, detached signatures without a context
//! string, and the NIST competition's form, which puts the signature before the message.

use super::{SUCCESS, Symbols, probe};
use crate::encoded::{EncodedScheme, SignatureCalls};
use crate::open::OpenError;
use pqlab_primitives::{CoinSupport, KeyEncoding, SignatureInfo, SignatureParameters};
use std::ffi::{c_int, c_ulonglong};

type Make = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
type MakeFrom = unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int;
type Sign = unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8) -> c_int;
type Verify = unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8) -> c_int;
type SignIn = unsafe extern "C" fn(*mut u8, *mut usize, *const u8, usize, *const u8, usize, *const u8) -> c_int;
type VerifyIn = unsafe extern "C" fn(*const u8, usize, *const u8, usize, *const u8, usize, *const u8) -> c_int;
type SignWhole = unsafe extern "C" fn(*mut u8, *mut c_ulonglong, *const u8, c_ulonglong, *const u8) -> c_int;
type OpenWhole = SignWhole;

/// A signature scheme's functions.
pub(super) struct Calls {
    keypair: Make,
    keypair_from: Option<MakeFrom>,
    form: Form,
    /// Length in bytes of the signature before the message in [`Form::Whole`].
    signature: usize,
}

enum Form {
    /// `crypto_sign_signature_ctx` in PQClean, `signature` in mldsa-native and in the reference implementation of
    /// FIPS 204.
    InContext(SignIn, VerifyIn),
    /// `crypto_sign_signature` in PQClean.
    Detached(Sign, Verify),
    /// `crypto_sign` and `crypto_sign_open` of the NIST competition, which copy the message.
    Whole(SignWhole, OpenWhole),
}

/// Returns the library's signature scheme with the given parameters.
pub(super) fn scheme(symbols: &Symbols, parameters: SignatureParameters) -> Result<EncodedScheme<Calls>, OpenError> {
    let form = form(symbols, &parameters)?;
    // The standards do not name the function that generates a key pair from a seed. These are the names in
    // mldsa-native and PQClean.
    let from_seed: &[&str] = match &*parameters.standard {
        "FIPS 204" => &["keypair_internal"],
        "FIPS 205" => &["crypto_sign_seed_keypair"],
        _ => &[],
    };
    // SAFETY: the interface defines these types for functions with these names.
    let (keypair, keypair_from) =
        unsafe { (symbols.need(&["crypto_sign_keypair", "keypair"])?, symbols.find(from_seed)) };
    let calls = Calls { keypair, keypair_from, form, signature: parameters.signature };
    let lengths = (parameters.verifying_key, parameters.signing_key(KeyEncoding::Expanded).unwrap_or_default());
    // SAFETY: the buffers are longer than the keys.
    probe::key_pair(lengths, |public, private| unsafe { calls.keypair(public, private) })
        .map_err(|reason| symbols.library.unusable(reason))?;
    let info = SignatureInfo {
        // Falcon has no deterministic variant.
        hedged: !parameters.algorithm.starts_with("Falcon"),
        parameters,
        encodings: vec![KeyEncoding::Expanded],
        coins: CoinSupport { keygen: calls.keypair_from.is_some(), operation: false },
        context: matches!(calls.form, Form::InContext(..)),
    };
    // SAFETY: the probe found the expected key lengths, so the library implements the named algorithm.
    Ok(unsafe { EncodedScheme::new(info, calls) })
}

fn form(symbols: &Symbols, parameters: &SignatureParameters) -> Result<Form, OpenError> {
    // SAFETY: the interface defines these types for functions with these names.
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
            let reason = "crypto_sign_signature is missing, and Falcon's crypto_sign does not put the signature first";
            return Err(symbols.library.unusable(reason));
        }
        Ok(Form::Whole(sign, open))
    }
}

impl SignatureCalls for Calls {
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
                Form::Detached(sign, _) => sign(room, &raw mut length, text, size, private),
                Form::Whole(sign, _) => return self.sign_whole(*sign, out, message, private),
            }
        };
        (status == SUCCESS).then_some(length)
    }

    unsafe fn verify(&self, message: &[u8], signature: &[u8], context: &[u8], public: *const u8) -> bool {
        let (bytes, length, text, size) = (signature.as_ptr(), signature.len(), message.as_ptr(), message.len());
        // SAFETY: the caller upholds the contract. The message, the context and the signature are only read.
        let status = unsafe {
            match &self.form {
                Form::InContext(_, verify) => {
                    verify(bytes, length, text, size, context.as_ptr(), context.len(), public)
                }
                Form::Detached(_, verify) => verify(bytes, length, text, size, public),
                Form::Whole(_, open) => return Calls::open_whole(*open, message, signature, public),
            }
        };
        status == SUCCESS
    }
}

impl Calls {
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
