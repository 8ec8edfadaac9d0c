use super::{SUCCESS, Symbols, probe};
use crate::encoded::{EncodedKem, KemCalls};
use crate::open::OpenError;
use pqlab_primitives::{CoinSupport, KemInfo, KemParameters, KeyEncoding};
use std::ffi::c_int;

type Make = unsafe extern "C" fn(*mut u8, *mut u8) -> c_int;
type MakeFrom = unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int;
type Use = unsafe extern "C" fn(*mut u8, *mut u8, *const u8) -> c_int;
type UseFrom = unsafe extern "C" fn(*mut u8, *mut u8, *const u8, *const u8) -> c_int;
type Open = unsafe extern "C" fn(*mut u8, *const u8, *const u8) -> c_int;

/// A KEM's functions.
pub(super) struct Calls {
    keypair: Make,
    encapsulate: Use,
    decapsulate: Open,
    keypair_from: Option<MakeFrom>,
    encapsulate_from: Option<UseFrom>,
}

/// Returns the library's KEM with the given parameters.
pub(super) fn kem(symbols: &Symbols, parameters: KemParameters) -> Result<EncodedKem<Calls>, OpenError> {
    // SAFETY: functions with these names have these types in the NIST interface.
    let calls = unsafe {
        Calls {
            keypair: symbols.need(&["crypto_kem_keypair", "keypair"])?,
            encapsulate: symbols.need(&["crypto_kem_enc", "enc"])?,
            decapsulate: symbols.need(&["crypto_kem_dec", "dec"])?,
            keypair_from: symbols.find(&["crypto_kem_keypair_derand", "keypair_derand"]),
            encapsulate_from: symbols.find(&["crypto_kem_enc_derand", "enc_derand"]),
        }
    };
    let lengths =
        (parameters.encapsulation_key, parameters.decapsulation_key(KeyEncoding::Expanded).unwrap_or_default());
    // SAFETY: the probe passes buffers that are longer than the keys of any parameter set.
    probe::key_pair(lengths, |public, private| unsafe { calls.keypair(public, private) })
        .map_err(|reason| symbols.library.unusable(reason))?;
    let coins = CoinSupport { keygen: calls.keypair_from.is_some(), operation: calls.encapsulate_from.is_some() };
    let info = KemInfo { parameters, encodings: vec![KeyEncoding::Expanded], coins };
    // SAFETY: the probe found keys of the stated lengths. They identify the algorithm, so the other lengths match as
    // well.
    Ok(unsafe { EncodedKem::new(info, calls) })
}

impl KemCalls for Calls {
    const ENCAPSULATION_FAILED: &'static str =
        "encapsulation key, or the library failed: its encapsulation function returned an error code";
    const DECAPSULATION_FAILED: &'static str =
        "decapsulation key, or the library failed: its decapsulation function returned an error code";

    unsafe fn keypair(&self, public: *mut u8, private: *mut u8) -> bool {
        // SAFETY: the caller upholds the contract of `KemCalls`, here and in the functions below.
        unsafe { (self.keypair)(public, private) == SUCCESS }
    }

    unsafe fn keypair_from(&self, public: *mut u8, private: *mut u8, coins: *const u8) -> bool {
        // SAFETY: the caller upholds the contract.
        self.keypair_from.is_some_and(|keypair| unsafe { keypair(public, private, coins) == SUCCESS })
    }

    unsafe fn encapsulate(&self, ciphertext: *mut u8, secret: *mut u8, public: *const u8) -> bool {
        // SAFETY: the caller upholds the contract.
        unsafe { (self.encapsulate)(ciphertext, secret, public) == SUCCESS }
    }

    unsafe fn encapsulate_from(
        &self,
        ciphertext: *mut u8,
        secret: *mut u8,
        public: *const u8,
        coins: *const u8,
    ) -> bool {
        let Some(encapsulate) = self.encapsulate_from else { return false };
        // SAFETY: the caller upholds the contract.
        unsafe { encapsulate(ciphertext, secret, public, coins) == SUCCESS }
    }

    unsafe fn decapsulate(&self, secret: *mut u8, ciphertext: *const u8, private: *const u8) -> bool {
        // SAFETY: the caller upholds the contract.
        unsafe { (self.decapsulate)(secret, ciphertext, private) == SUCCESS }
    }
}
