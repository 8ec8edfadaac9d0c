//! The adapter for OpenSSL's libcrypto, which is called through the function table [`Calls`].
//!
//! Keys are `EVP_PKEY`, and digests are `EVP_MD`. The adapter fetches algorithms once. It creates all other objects of
//! an operation once per key, and reuses them. Only one thread at a time can use a context, so each key stores
//! [`Contexts`](crate::Contexts). Only the library allocates inside a timed call. If the library is too old for a
//! function, the adapter calls the older functions that other programs use with that version. Each file documents these
//! cases.

mod calls;
mod der;
mod ecdsa;
mod hash;
mod kem;
mod native;
mod one_shot;
mod param;
mod point;
mod rsa;
mod signature;
mod x25519;

pub use calls::{Calls, Functions};
pub use hash::{DIGESTS, MdCtx};
pub use native::{Pkey, PkeyCtx};
pub use one_shot::OneShots;
pub use param::{Param, array};

use pqlab_openssl_headers as sys;
use pqlab_primitives::{BuildInfo, Error, Provider, Result, Unsupported};
use std::path::Path;
use std::sync::Arc;

/// Error for a private key encoding that this library does not support.
const NO_SUCH_ENCODING: Error = Error::Unsupported("OpenSSL does not support this key encoding");

/// Error for a context string passed to a scheme without contexts.
const NO_CONTEXT: Error = Error::Unsupported("the scheme does not support context strings");

/// Returns a provider with every supported algorithm that the library offers through [`Calls`]. If the library fails to
/// set up an algorithm, the algorithm is listed as unsupported, with the library's error.
pub fn provider<C: Calls>(calls: C, label: &str, build_info: BuildInfo) -> Provider {
    let mut provider = Provider::new(label, build_info);
    provider.generator = Some("RAND_bytes and RAND_priv_bytes (the library's CTR-DRBG, two per thread)".to_owned());
    let Provider { kems, key_agreements, signatures, hashes, xofs, unsupported, .. } = &mut provider;
    let missing = unsupported;
    for algorithm in kem::ALGORITHMS {
        offer(missing, algorithm, kem::MlKem::new(calls, algorithm), |kem| kems.push(kem));
    }
    offer(missing, "X25519", x25519::X25519Kem::new(calls), |kem| kems.push(kem));
    offer(missing, "X25519", x25519::X25519::new(calls), |agreement| key_agreements.push(agreement));
    for algorithm in signature::algorithms() {
        offer(missing, algorithm, signature::Scheme::new(calls, algorithm), |scheme| signatures.push(scheme));
    }
    for curve in &ecdsa::CURVES {
        offer(missing, curve.algorithm, ecdsa::Ecdsa::new(calls, curve), |scheme| signatures.push(scheme));
    }
    offer(missing, "RSA-2048", rsa::Rsa::new(calls), |scheme| signatures.push(scheme));
    for algorithm in hash::HASHES {
        offer(missing, algorithm, hash::FixedHash::new(calls, algorithm), |hash| hashes.push(hash));
    }
    for algorithm in hash::XOFS {
        offer(missing, algorithm, hash::Shake::new(calls, algorithm), |xof| xofs.push(xof));
    }
    provider
}

/// Passes an algorithm to `keep` if its setup succeeded. If the setup failed, adds the algorithm to `missing` with the
/// reason, unless `missing` already contains it.
pub fn offer<T>(missing: &mut Vec<Unsupported>, algorithm: &str, result: Result<T>, keep: impl FnOnce(Arc<T>)) {
    match result {
        Ok(value) => keep(Arc::new(value)),
        Err(fault) if !missing.iter().any(|entry| entry.algorithm == algorithm) => {
            missing.push(Unsupported { algorithm: algorithm.to_owned(), reason: fault.to_string() });
        }
        Err(_) => {}
    }
}

/// Returns the library's version and a description of its build. The description starts with `source`, which says where
/// the library came from.
pub fn build_info<C: Calls>(calls: C, source: &str) -> BuildInfo {
    let flags = calls.version(sys::OPENSSL_CFLAGS);
    let flags: Vec<String> = flags.split_whitespace().filter_map(without_folders).collect();
    let build = format!(
        "{source}; {}; {}; {}",
        flags.join(" "),
        calls.version(sys::OPENSSL_PLATFORM),
        calls.version(sys::OPENSSL_CPU_INFO),
    );
    BuildInfo { version: calls.version(sys::OPENSSL_FULL_VERSION_STRING), build }
}

/// Removes the build machine's folders from a word of the compiler command line. Keeps only the file name of a program.
/// Returns `None` for an option that contains a folder.
fn without_folders(word: &str) -> Option<String> {
    if word.starts_with('/') {
        return Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned());
    }
    (!word.contains('/')).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omits_the_build_machines_folders() {
        let words = ["/usr/bin/gcc", "-O3", "-I/home/someone/include", "-DNDEBUG"];
        let kept: Vec<String> = words.into_iter().filter_map(without_folders).collect();
        assert_eq!(kept, ["gcc", "-O3", "-DNDEBUG"]);
    }
}
