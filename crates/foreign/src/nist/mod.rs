//! The C interface of the NIST competition: `crypto_kem_keypair`, `crypto_sign_keypair` and their company, as PQClean,
//! mlkem-native, mldsa-native and the reference implementations have it, one algorithm a library and a prefix.
//!
//! Names are tried with the prefix as it is given and with `_` after it; in full, as with the NIST and PQClean
//! (`PQCLEAN_MLKEM768_CLEAN_crypto_kem_enc`), and short, as with mlkem-native and the reference implementations
//! (`PQCP_MLKEM_NATIVE_MLKEM768_enc`). The interface tells no lengths: they are those of the algorithm that is named, and one
//! key pair with room to spare shows whether they are the library's.

mod kem;
mod probe;
mod signature;

use crate::LibrarySpec;
use crate::open::{Library, OpenError};
use pqlab_primitives::{BuildInfo, KemParameters, Provider, SignatureParameters};
use std::ffi::c_int;
use std::sync::Arc;

/// The library's yes.
const SUCCESS: c_int = 0;

const HINT: &str = "is the prefix right? `nm -D` lists what the library has";

/// The algorithms whose lengths are known, and whose keys have the encoding that the interface speaks.
pub(crate) fn algorithms() -> impl Iterator<Item = &'static str> {
    let signatures = ["FIPS 204", "FIPS 205", "Falcon (round 3)", "SPHINCS+ (round 3.1)"];
    let signatures = signatures.into_iter().flat_map(SignatureParameters::of_standard);
    ["ML-KEM-512", "ML-KEM-768", "ML-KEM-1024"].into_iter().chain(signatures)
}

/// The one algorithm of an opened library, under the label of the specification.
pub(crate) fn provider(library: Library, spec: &LibrarySpec) -> Result<Provider, OpenError> {
    let algorithm = spec.algorithm.as_deref().unwrap_or_default();
    let symbols = Symbols { library: &library, prefix: spec.prefix.as_deref().unwrap_or_default() };
    let version = "not told by the interface".to_owned();
    let build = format!("{}; {}", library.file(), library.libcrypto());
    let mut provider = Provider::new(&spec.label, BuildInfo { version, build });
    provider.generator = Some("randombytes: the library's own".to_owned());
    if let Some(parameters) = KemParameters::of(algorithm) {
        provider.kems.push(Arc::new(kem::kem(&symbols, parameters)?));
    } else if let Some(parameters) = SignatureParameters::of(algorithm) {
        provider.signatures.push(Arc::new(signature::scheme(&symbols, parameters)?));
    } else {
        return Err(library.unusable(format!("no lengths of `{algorithm}` are known")));
    }
    Ok(provider)
}

/// The functions of a library that begin with a prefix.
struct Symbols<'a> {
    library: &'a Library,
    prefix: &'a str,
}

impl Symbols<'_> {
    /// The first of several names that is there.
    ///
    /// # Safety
    /// `F` is the type of a function pointer, and functions of these names have this type.
    unsafe fn find<F: Copy>(&self, names: &[&str]) -> Option<F> {
        let separators: &[&str] = if self.prefix.is_empty() { &[""] } else { &["", "_"] };
        let candidates = separators.iter().flat_map(|separator| names.iter().map(move |name| (separator, name)));
        // SAFETY: the caller's promise.
        candidates.into_iter().find_map(|(separator, name)| unsafe {
            self.library.function(&format!("{}{separator}{name}", self.prefix))
        })
    }

    /// As [`find`](Self::find), for a function that has to be there.
    ///
    /// # Safety
    /// As there.
    unsafe fn need<F: Copy>(&self, names: &[&str]) -> Result<F, OpenError> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.find(names) };
        found.ok_or_else(|| {
            let names: Vec<String> = names.iter().map(|name| format!("{}{name}", self.prefix)).collect();
            self.library.lacks(names.join(" or "), HINT)
        })
    }
}
