//! The NIST competition's C interface (`crypto_kem_keypair`, `crypto_sign_keypair` and so on). PQClean, mlkem-native,
//! mldsa-native and the reference implementations export it. A library offers one algorithm per prefix.
//!
//! The module tries each function name with the given prefix, first without and then with `_` after the prefix. It
//! accepts the long names of the NIST interface and PQClean (`PQCLEAN_MLKEM768_CLEAN_crypto_kem_enc`) and the short
//! names of mlkem-native and the reference implementations (`PQCP_MLKEM_NATIVE_MLKEM768_enc`).
//!
//! The interface does not report lengths. The module takes the lengths from the algorithm that the user names, and
//! checks the key lengths by generating a key pair in oversized buffers.

mod kem;
mod probe;
mod signature;

use crate::LibrarySpec;
use crate::open::{Library, OpenError};
use pqlab_primitives::{BuildInfo, KemParameters, Provider, SignatureParameters};
use std::ffi::c_int;
use std::sync::Arc;

/// The library's return value for success.
const SUCCESS: c_int = 0;

const HINT: &str = "is the prefix correct? `nm -D` lists the library's symbols";

/// Returns the names of the supported algorithms. For each of them, pqlab knows the key lengths, and the key encoding
/// that the interface uses.
pub(crate) fn algorithms() -> impl Iterator<Item = &'static str> {
    let signatures = ["FIPS 204", "FIPS 205", "Falcon (round 3)", "SPHINCS+ (round 3.1)"];
    let signatures = signatures.into_iter().flat_map(SignatureParameters::of_standard);
    ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"].into_iter().chain(signatures)
}

/// Returns a provider for the single algorithm in `spec`, with the label from `spec`.
pub(crate) fn provider(library: Library, spec: &LibrarySpec) -> Result<Provider, OpenError> {
    let algorithm = spec.algorithm.as_deref().unwrap_or_default();
    let symbols = Symbols { library: &library, prefix: spec.prefix.as_deref().unwrap_or_default() };
    let version = "not reported by the interface".to_owned();
    let build = format!("{}; {}", library.file(), library.libcrypto());
    let mut provider = Provider::new(&spec.label, BuildInfo { version, build });
    provider.generator = Some("the library's randombytes".to_owned());
    if let Some(parameters) = KemParameters::find(algorithm) {
        provider.kems.push(Arc::new(kem::kem(&symbols, parameters)?));
    } else if let Some(parameters) = SignatureParameters::find(algorithm) {
        provider.signatures.push(Arc::new(signature::scheme(&symbols, parameters)?));
    } else {
        return Err(library.unusable(format!("kind `nist` does not support `{algorithm}`")));
    }
    Ok(provider)
}

/// A library's functions that share a name prefix.
struct Symbols<'a> {
    library: &'a Library,
    prefix: &'a str,
}

impl Symbols<'_> {
    /// Returns the first exported function among `names`, each tried with the prefix. `None` if the library exports
    /// none of them.
    ///
    /// # Safety
    /// `F` must be a function pointer type, and functions with these names must have this type.
    unsafe fn find<F: Copy>(&self, names: &[&str]) -> Option<F> {
        let separators: &[&str] = if self.prefix.is_empty() { &[""] } else { &["", "_"] };
        let candidates = separators.iter().flat_map(|separator| names.iter().map(move |name| (separator, name)));
        // SAFETY: the caller guarantees the type.
        candidates.into_iter().find_map(|(separator, name)| unsafe {
            self.library.function(&format!("{}{separator}{name}", self.prefix))
        })
    }

    /// Like [`find`](Self::find), but returns an error if the library exports none of the names.
    ///
    /// # Safety
    /// See [`find`](Self::find).
    unsafe fn need<F: Copy>(&self, names: &[&str]) -> Result<F, OpenError> {
        // SAFETY: the caller guarantees the type.
        let found = unsafe { self.find(names) };
        found.ok_or_else(|| {
            let names: Vec<String> = names.iter().map(|name| format!("{}{name}", self.prefix)).collect();
            self.library.lacks(names.join(" or "), HINT)
        })
    }
}
