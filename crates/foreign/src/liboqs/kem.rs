use super::native::{Native, OqsKem};
use super::{Api, SUCCESS, names};
use crate::encoded::{EncodedKem, KemCalls};
use pqlab_primitives::{CoinSupport, KemInfo, KemParameters, KeyEncoding};
use std::ffi::CStr;

/// liboqs's description of a KEM, and the functions that take this description.
pub(super) struct Calls {
    api: &'static Api,
    native: Native<OqsKem>,
}

/// Returns the KEM that liboqs calls `name` and pqlab calls `ours`.
pub(super) fn kem(api: &'static Api, name: &CStr, ours: &str) -> Result<EncodedKem<Calls>, String> {
    // SAFETY: the name ends with NUL. We own the returned object and never free it.
    let native = unsafe { Native::adopt((api.OQS_KEM_new)(name.as_ptr()))? };
    let front = native.front();
    let stated = KemParameters {
        algorithm: ours.to_owned().into(),
        standard: "liboqs's own".into(),
        category: Some(front.claimed_nist_level).filter(|level| *level > 0),
        encapsulation_key: front.length_public_key,
        decapsulation_keys: vec![(KeyEncoding::Expanded, front.length_secret_key)].into(),
        ciphertext: front.length_ciphertext,
        shared_secret: front.length_shared_secret,
        keygen_coins: 0,
        encapsulation_coins: 0,
    };
    let standard = KemParameters::find(names::final_name(ours));
    if let Some(standard) = &standard {
        same_lengths(standard, &stated)?;
    }
    let (coins, parameters) = match standard {
        Some(standard) if names::is_draft(ours) => {
            let draft = format!("{}, initial public draft", standard.standard);
            let parameters = KemParameters { algorithm: stated.algorithm, standard: draft.into(), ..standard };
            (CoinSupport::default(), parameters)
        }
        // liboqs has functions with seeds for all KEMs, but only those of ML-KEM use a seed that a standard defines.
        Some(standard) if standard.standard != "FIPS 203" => (CoinSupport::default(), standard),
        Some(standard) => {
            let (keygen, operation) = (api.OQS_KEM_keypair_derand.is_some(), api.OQS_KEM_encaps_derand.is_some());
            (CoinSupport { keygen, operation }, standard)
        }
        None => (CoinSupport::default(), stated),
    };
    let info = KemInfo { parameters, encodings: vec![KeyEncoding::Expanded], coins };
    // SAFETY: `info` contains the lengths from liboqs's description, which liboqs's functions use.
    Ok(unsafe { EncodedKem::new(info, Calls { api, native }) })
}

fn same_lengths(standard: &KemParameters, stated: &KemParameters) -> Result<(), String> {
    let expanded = |parameters: &KemParameters| parameters.decapsulation_key(KeyEncoding::Expanded).unwrap_or_default();
    for (what, standards, stated) in [
        ("encapsulation key", standard.encapsulation_key, stated.encapsulation_key),
        ("decapsulation key", expanded(standard), expanded(stated)),
        ("ciphertext", standard.ciphertext, stated.ciphertext),
        ("shared secret", standard.shared_secret, stated.shared_secret),
    ] {
        if standards != stated {
            return Err(format!("liboqs states {stated} bytes for the {what}, but the standard requires {standards}"));
        }
    }
    Ok(())
}

impl KemCalls for Calls {
    const ENCAPSULATION_FAILED: &'static str =
        "encapsulation key, or the library failed: its encapsulation function returned an error code";
    const DECAPSULATION_FAILED: &'static str =
        "decapsulation key, or the library failed: its decapsulation function returned an error code";

    unsafe fn keypair(&self, public: *mut u8, private: *mut u8) -> bool {
        // SAFETY: the caller upholds the contract.
        unsafe { (self.api.OQS_KEM_keypair)(self.native.as_ptr(), public, private) == SUCCESS }
    }

    unsafe fn keypair_from(&self, public: *mut u8, private: *mut u8, coins: *const u8) -> bool {
        let Some(keypair) = self.api.OQS_KEM_keypair_derand else { return false };
        // SAFETY: the caller upholds the contract.
        unsafe { keypair(self.native.as_ptr(), public, private, coins) == SUCCESS }
    }

    unsafe fn encapsulate(&self, ciphertext: *mut u8, secret: *mut u8, public: *const u8) -> bool {
        // SAFETY: the caller upholds the contract.
        unsafe { (self.api.OQS_KEM_encaps)(self.native.as_ptr(), ciphertext, secret, public) == SUCCESS }
    }

    unsafe fn encapsulate_from(
        &self,
        ciphertext: *mut u8,
        secret: *mut u8,
        public: *const u8,
        coins: *const u8,
    ) -> bool {
        let Some(encapsulate) = self.api.OQS_KEM_encaps_derand else { return false };
        // SAFETY: the caller upholds the contract.
        unsafe { encapsulate(self.native.as_ptr(), ciphertext, secret, public, coins) == SUCCESS }
    }

    unsafe fn decapsulate(&self, secret: *mut u8, ciphertext: *const u8, private: *const u8) -> bool {
        // SAFETY: the caller upholds the contract.
        unsafe { (self.api.OQS_KEM_decaps)(self.native.as_ptr(), secret, ciphertext, private) == SUCCESS }
    }
}
