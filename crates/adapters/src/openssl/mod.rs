//! OpenSSL's libcrypto over the table of its functions: [`Calls`].
//!
//! Keys are `EVP_PKEY`, digests `EVP_MD`; algorithms are fetched once. What an operation needs beside its inputs is made when a
//! key is prepared and used again: contexts serve one thread at a time, so each key keeps its [`Contexts`](crate::Contexts).
//! Allocations inside a timed call are the library's own. Where a version since 3.0 lacks a function that the newest has, the
//! way is taken that programs for that version take; each file says so.

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

/// The encodings of a private key that this library does not read.
const NO_SUCH_ENCODING: Error = Error::Unsupported("OpenSSL does not read or write this encoding of the key");

/// The answer to a context string where the scheme has none.
const NO_CONTEXT: Error = Error::Unsupported("the scheme takes no context string");

/// A provider of everything that the library offers of our algorithms through [`Calls`]. An algorithm that it refuses to set up
/// is listed as unsupported with its own words.
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

/// Keeps what was made of an algorithm, or lists the algorithm as missing with the reason, once.
pub fn offer<T>(missing: &mut Vec<Unsupported>, algorithm: &str, made: Result<T>, keep: impl FnOnce(Arc<T>)) {
    match made {
        Ok(made) => keep(Arc::new(made)),
        Err(fault) if !missing.iter().any(|known| known.algorithm == algorithm) => {
            missing.push(Unsupported { algorithm: algorithm.to_owned(), reason: fault.to_string() });
        }
        Err(_) => {}
    }
}

/// What the library says of its build, after `source`, which says where it is from.
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

/// A word of the compiler's command line without the folders of the machine that built it: a program keeps its name,
/// an option that names a folder is left out.
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
    fn folders_of_the_building_machine_are_left_out() {
        let words = ["/usr/bin/gcc", "-O3", "-I/home/someone/include", "-DNDEBUG"];
        let kept: Vec<String> = words.into_iter().filter_map(without_folders).collect();
        assert_eq!(kept, ["gcc", "-O3", "-DNDEBUG"]);
    }
}
