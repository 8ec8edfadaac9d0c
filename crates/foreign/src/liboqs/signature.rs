use super::native::{Native, OqsSig};
use super::{Api, SUCCESS, Version, names};
use crate::encoded::{EncodedScheme, SignatureCalls};
use pqlab_primitives::{CoinSupport, KeyEncoding, SignatureInfo, SignatureParameters};
use std::ffi::CStr;

/// liboqs's description of a signature scheme, and the functions that take this description.
pub(super) struct Calls {
    api: &'static Api,
    native: Native<OqsSig>,
    /// The functions that take a context string, if the scheme takes one.
    with_context: Option<WithContext>,
}

#[derive(Clone, Copy)]
#[allow(clippy::type_complexity)]
struct WithContext {
    sign: unsafe extern "C" fn(
        *const OqsSig,
        *mut u8,
        *mut usize,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
    ) -> std::ffi::c_int,
    verify: unsafe extern "C" fn(
        *const OqsSig,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
        usize,
        *const u8,
    ) -> std::ffi::c_int,
}

/// Returns the scheme that liboqs calls `name` and pqlab calls `ours`.
pub(super) fn scheme(
    api: &'static Api,
    version: Version,
    name: &CStr,
    ours: &str,
) -> Result<EncodedScheme<Calls>, String> {
    // SAFETY: the name ends with NUL. We own the returned object and never free it.
    let native = unsafe { Native::adopt((api.OQS_SIG_new)(name.as_ptr()))? };
    let front = native.front();
    let stated = SignatureParameters {
        algorithm: ours.to_owned().into(),
        standard: "liboqs's own".into(),
        category: Some(front.claimed_nist_level).filter(|level| *level > 0),
        verifying_key: front.length_public_key,
        signing_keys: vec![(KeyEncoding::Expanded, front.length_secret_key)].into(),
        signature: front.length_signature,
        // Only Falcon signatures vary in length, and Falcon's parameters come from our tables. Some other schemes do
        // not check the length. For example, CROSS reads past the end of a signature that is too short.
        variable_length: false,
        keygen_coins: 0,
        signing_coins: 0,
    };
    let standard = SignatureParameters::find(names::final_name(ours));
    if let Some(standard) = &standard {
        same_lengths(standard, &stated)?;
    }
    let parameters = match standard {
        Some(standard) if names::is_draft(ours) => {
            let draft = format!("{}, initial public draft", standard.standard);
            SignatureParameters { algorithm: stated.algorithm, standard: draft.into(), ..standard }
        }
        Some(standard) => standard,
        None => stated,
    };
    let with_context = match (api.OQS_SIG_sign_with_ctx_str, api.OQS_SIG_verify_with_ctx_str) {
        (Some(sign), Some(verify)) if native.takes_context(api, version, name) => Some(WithContext { sign, verify }),
        _ => None,
    };
    let info = SignatureInfo {
        // Falcon has no deterministic variant, and for schemes outside our tables we do not know.
        hedged: ["ML-DSA-", "SLH-DSA-", "SPHINCS+-"].iter().any(|family| ours.starts_with(family)),
        parameters,
        encodings: vec![KeyEncoding::Expanded],
        coins: CoinSupport::default(),
        context: with_context.is_some(),
    };
    // SAFETY: `info` contains the lengths from liboqs's description, which liboqs's functions use.
    Ok(unsafe { EncodedScheme::new(info, Calls { api, native, with_context }) })
}

fn same_lengths(standard: &SignatureParameters, stated: &SignatureParameters) -> Result<(), String> {
    let expanded = |parameters: &SignatureParameters| parameters.signing_key(KeyEncoding::Expanded).unwrap_or_default();
    for (what, standards, stated) in [
        ("verifying key", standard.verifying_key, stated.verifying_key),
        ("signing key", expanded(standard), expanded(stated)),
        ("longest signature", standard.signature, stated.signature),
    ] {
        if standards != stated {
            return Err(format!("liboqs states {stated} bytes for the {what}, but the standard requires {standards}"));
        }
    }
    Ok(())
}

impl SignatureCalls for Calls {
    const SIGNING_FAILED: &'static str =
        "signing key, or the library failed: its signing function returned an error code";

    unsafe fn keypair(&self, public: *mut u8, private: *mut u8) -> bool {
        // SAFETY: the caller upholds the contract.
        unsafe { (self.api.OQS_SIG_keypair)(self.native.as_ptr(), public, private) == SUCCESS }
    }

    unsafe fn keypair_from(&self, _: *mut u8, _: *mut u8, _: *const u8) -> bool {
        false
    }

    unsafe fn sign(&self, out: &mut [u8], message: &[u8], context: &[u8], private: *const u8) -> Option<usize> {
        let mut length = out.len();
        let (native, message, size) = (self.native.as_ptr(), message.as_ptr(), message.len());
        // SAFETY: the caller upholds the contract. The message and the context are only read.
        let status = unsafe {
            match self.with_context {
                Some(WithContext { sign, .. }) => sign(
                    native,
                    out.as_mut_ptr(),
                    &raw mut length,
                    message,
                    size,
                    context.as_ptr(),
                    context.len(),
                    private,
                ),
                None => (self.api.OQS_SIG_sign)(native, out.as_mut_ptr(), &raw mut length, message, size, private),
            }
        };
        (status == SUCCESS).then_some(length)
    }

    unsafe fn verify(&self, message: &[u8], signature: &[u8], context: &[u8], public: *const u8) -> bool {
        let (native, size) = (self.native.as_ptr(), message.len());
        let (message, length, signature) = (message.as_ptr(), signature.len(), signature.as_ptr());
        // SAFETY: the caller upholds the contract. The message, the context and the signature are only read. The
        // signature has the length that the scheme requires, or the library checks the length before reading (Falcon).
        let status = unsafe {
            match self.with_context {
                Some(WithContext { verify, .. }) => {
                    verify(native, message, size, signature, length, context.as_ptr(), context.len(), public)
                }
                None => (self.api.OQS_SIG_verify)(native, message, size, signature, length, public),
            }
        };
        status == SUCCESS
    }
}
