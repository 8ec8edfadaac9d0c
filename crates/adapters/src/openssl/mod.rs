//! OpenSSL's libcrypto over its function table, [`Calls`].
//!
//! Keys are `EVP_PKEY`, digests `EVP_MD`; algorithms are fetched once. Whatever else an operation needs is made once
//! for a key and reused. A context serves one thread at a time, so each key keeps its [`Contexts`](crate::Contexts).
//! Allocations inside a timed call are the library's own. If a version since 3.0 lacks a newer function, the adapter
//! calls what programs for that version call; each file says so.

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

/// Error for an encoding of a private key that this library does not read or write.
const NO_SUCH_ENCODING: Error = Error::Unsupported("OpenSSL does not read or write this encoding of the key");

/// Error for a context string given to a scheme that has none.
const NO_CONTEXT: Error = Error::Unsupported("the scheme takes no context string");

/// Returns a provider of every algorithm of ours that the library offers through [`Calls`]. An algorithm that the
/// library refuses to set up is listed as unsupported, with the library's error.
pub fn provider<C: Calls>(calls: C, label: &str, build_info: BuildInfo) -> Provider {
    let mut provider = Provider::new(label, build_info);
    provider.generator = Some("RAND_bytes and RAND_priv_bytes: the library's CTR-DRBG, two for each thread".to_owned());
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

/// Keeps an algorithm that was set up. If it failed, lists it as missing with the reason, once per algorithm.
pub fn offer<T>(missing: &mut Vec<Unsupported>, algorithm: &str, result: Result<T>, keep: impl FnOnce(Arc<T>)) {
    match result {
        Ok(value) => keep(Arc::new(value)),
        Err(fault) if !missing.iter().any(|entry| entry.algorithm == algorithm) => {
            missing.push(Unsupported { algorithm: algorithm.to_owned(), reason: fault.to_string() });
        }
        Err(_) => {}
    }
}

/// Returns the library's description of its build. It starts with `source`, which says where the library is from.
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

/// Removes folders of the build machine from a word of the compiler's command line. A program keeps its name. An option
/// that names a folder is dropped.
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
    fn omits_folders_of_the_build_machine() {
        let words = ["/usr/bin/gcc", "-O3", "-I/home/someone/include", "-DNDEBUG"];
        let kept: Vec<String> = words.into_iter().filter_map(without_folders).collect();
        assert_eq!(kept, ["gcc", "-O3", "-DNDEBUG"]);
    }
}
