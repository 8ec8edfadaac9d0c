//! liboqs, 0.10 and later.
//!
//! This module reads only the first fields of `OQS_KEM` and `OQS_SIG` (names, category and lengths), which are the same
//! in all versions. `OQS_SIG` gained one flag in 0.12 and another in 0.13. Both flags replaced padding before the
//! lengths, so the offsets of the lengths did not change. The module reads nothing after the lengths, and calls an
//! exported function for every operation.
//!
//! liboqs 0.10 implements the draft of ML-KEM, and liboqs 0.10 and 0.11 implement the draft of ML-DSA. pqlab gives
//! these algorithms the names of the drafts (`ML-KEM-768-ipd`), whatever name the library lists.

mod kem;
mod names;
mod native;
mod signature;

use crate::open::{Library, OpenError};
use crate::symbols::symbols;
use native::{OqsKem, OqsSig};
use pqlab_adapters::{FillRandom, OqsGenerator};
use pqlab_primitives::{BuildInfo, Provider, Unsupported};
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::Arc;

/// The library's status for success.
const SUCCESS: c_int = 0;

symbols! {
    /// The liboqs functions that pqlab calls.
    Api, "not liboqs, or built without exporting its functions (build it with BUILD_SHARED_LIBS=ON)" {
        fn OQS_version() -> *const c_char;
        fn OQS_init();
        fn OQS_KEM_alg_count() -> c_int;
        fn OQS_KEM_alg_identifier(usize) -> *const c_char;
        fn OQS_KEM_alg_is_enabled(*const c_char) -> c_int;
        fn OQS_KEM_new(*const c_char) -> *mut OqsKem;
        fn OQS_KEM_keypair(*const OqsKem, *mut u8, *mut u8) -> c_int;
        fn OQS_KEM_encaps(*const OqsKem, *mut u8, *mut u8, *const u8) -> c_int;
        fn OQS_KEM_decaps(*const OqsKem, *mut u8, *const u8, *const u8) -> c_int;
        fn OQS_SIG_alg_count() -> c_int;
        fn OQS_SIG_alg_identifier(usize) -> *const c_char;
        fn OQS_SIG_alg_is_enabled(*const c_char) -> c_int;
        fn OQS_SIG_new(*const c_char) -> *mut OqsSig;
        fn OQS_SIG_keypair(*const OqsSig, *mut u8, *mut u8) -> c_int;
        fn OQS_SIG_sign(*const OqsSig, *mut u8, *mut usize, *const u8, usize, *const u8) -> c_int;
        fn OQS_SIG_verify(*const OqsSig, *const u8, usize, *const u8, usize, *const u8) -> c_int;
        optional
        fn OQS_randombytes_custom_algorithm(Option<FillRandom>);
        fn OQS_randombytes_switch_algorithm(*const c_char) -> c_int;
        // Since 0.13.
        fn OQS_KEM_keypair_derand(*const OqsKem, *mut u8, *mut u8, *const u8) -> c_int;
        // Since 0.15.
        fn OQS_KEM_encaps_derand(*const OqsKem, *mut u8, *mut u8, *const u8, *const u8) -> c_int;
        // Since 0.12.
        fn OQS_SIG_sign_with_ctx_str(
            *const OqsSig, *mut u8, *mut usize, *const u8, usize, *const u8, usize, *const u8,
        ) -> c_int;
        fn OQS_SIG_verify_with_ctx_str(
            *const OqsSig, *const u8, usize, *const u8, usize, *const u8, usize, *const u8,
        ) -> c_int;
        // Since 0.14.
        fn OQS_SIG_supports_ctx_str(*const c_char) -> bool;
    }
}

/// Major and minor version.
type Version = (u32, u32);

/// Oldest version with a known interface.
const OLDEST: Version = (0, 10);

/// Returns a provider named `label` with the enabled KEMs and signature schemes of an opened liboqs, except the schemes
/// that hash the message before signing.
pub(crate) fn provider(library: Library, label: &str) -> Result<Provider, OpenError> {
    let api: &'static Api = Box::leak(Box::new(Api::load(&library)?));
    // SAFETY: both functions may be called at any time and repeatedly. The version string lives as long as the library.
    let version = unsafe {
        (api.OQS_init)();
        CStr::from_ptr((api.OQS_version)()).to_string_lossy().into_owned()
    };
    let number = parse(&version).filter(|number| *number >= OLDEST).ok_or_else(|| {
        library.unusable(format!("this is liboqs {version}; version {}.{} or later is required", OLDEST.0, OLDEST.1))
    })?;
    let build = format!("{}; {}", library.file(), library.libcrypto());
    let mut provider = Provider::new(label, BuildInfo { version, build });
    provider.generator = Some("OQS_randombytes (the operating system or libcrypto, as the library chooses)".to_owned());
    if let (Some(set), Some(switch)) = (api.OQS_randombytes_custom_algorithm, api.OQS_randombytes_switch_algorithm) {
        provider.replaceable_generator = Some(Arc::new(OqsGenerator { set, switch }));
    }
    // SAFETY: the functions accept every number below the count. The counts and names are constants in the library.
    let (kems, signatures) = unsafe {
        (
            listed((api.OQS_KEM_alg_count)(), api.OQS_KEM_alg_identifier, api.OQS_KEM_alg_is_enabled),
            listed((api.OQS_SIG_alg_count)(), api.OQS_SIG_alg_identifier, api.OQS_SIG_alg_is_enabled),
        )
    };
    for algorithm in kems {
        let ours = names::ours(number, &algorithm.name);
        if provider.kem(&ours).is_some() {
            continue;
        }
        match algorithm.enabled().and_then(|name| kem::kem(api, name, &ours)) {
            Ok(kem) => provider.kems.push(Arc::new(kem)),
            Err(reason) => provider.unsupported.push(Unsupported { algorithm: ours, reason }),
        }
    }
    for algorithm in signatures {
        let ours = names::ours(number, &algorithm.name);
        if names::is_prehashed(&algorithm.name) || provider.signature(&ours).is_some() {
            continue;
        }
        match algorithm.enabled().and_then(|name| signature::scheme(api, number, name, &ours)) {
            Ok(scheme) => provider.signatures.push(Arc::new(scheme)),
            Err(reason) => provider.unsupported.push(Unsupported { algorithm: ours, reason }),
        }
    }
    Ok(provider)
}

/// An algorithm that the library lists.
struct Listed {
    name: String,
    native: CString,
    enabled: bool,
}

impl Listed {
    fn enabled(&self) -> Result<&CStr, String> {
        if self.enabled { Ok(&self.native) } else { Err("not enabled in this build of liboqs".to_owned()) }
    }
}

/// Lists all algorithms of one kind, enabled or not.
///
/// # Safety
/// `identifier` must accept every number below `count`, and `is_enabled` must accept every name that `identifier`
/// returns.
unsafe fn listed(
    count: c_int,
    identifier: unsafe extern "C" fn(usize) -> *const c_char,
    is_enabled: unsafe extern "C" fn(*const c_char) -> c_int,
) -> Vec<Listed> {
    let mut all = Vec::new();
    for place in 0..usize::try_from(count).unwrap_or_default() {
        // SAFETY: the caller guarantees that the functions accept these arguments. A name lives as long as the library.
        unsafe {
            let name = identifier(place);
            if !name.is_null() {
                let native = CStr::from_ptr(name).to_owned();
                let enabled = is_enabled(name) == 1;
                all.push(Listed { name: native.to_string_lossy().into_owned(), native, enabled });
            }
        }
    }
    all
}

/// Parses the major and minor numbers from a version such as `0.13.0`, `0.15.0-rc1` or `0.10.1-dev`. `None` if the
/// version has a different format.
fn parse(version: &str) -> Option<Version> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_versions_as_numbers() {
        assert_eq!(parse("0.13.0"), Some((0, 13)));
        assert_eq!(parse("0.15.0-rc1"), Some((0, 15)));
        assert_eq!(parse("1.2"), Some((1, 2)));
        assert!(parse("0.9.2").unwrap() < OLDEST && parse("0.10.1-dev").unwrap() >= OLDEST);
        assert_eq!((parse("nightly"), parse("1")), (None, None));
    }
}
