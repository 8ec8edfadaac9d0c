//! A libcrypto of OpenSSL 3.0 or later, through `EVP`: what it has is found out by asking for it by name.
//!
//! It has a library context of its own, reads no configuration file and leaves no handler for the end of the process. All
//! else is as with the linked OpenSSL: keys are `EVP_PKEY`, algorithms are fetched once, and what an operation needs beside
//! its inputs is made when a key is prepared and used again. Where a version lacks a function that the linked one has, the
//! way is taken that programs for that version take; each file says so.

mod crypto;
// The linked OpenSSL's signatures go the same way.
#[path = "../../../providers/src/openssl/der.rs"]
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
mod sys;
mod x25519;

use crate::open::{Library, OpenError};
use crypto::Crypto;
use pqlab_primitives::{BuildInfo, Error, Provider, Result, Unsupported};
use std::path::Path;
use std::sync::Arc;

/// The encodings of a private key that this library does not read.
const NO_SUCH_ENCODING: Error = Error::Unsupported("OpenSSL does not read or write this encoding of the key");

/// The answer to a context string where the scheme has none.
const NO_CONTEXT: Error = Error::Unsupported("the scheme takes no context string");

/// Everything that an opened libcrypto offers of our algorithms, under a label. An algorithm that the library refuses to set up
/// is listed as unsupported with the library's own words.
pub(crate) fn provider(library: Library, label: &str) -> Result<Provider, OpenError> {
    library.has_itself("OPENSSL_init_crypto")?;
    let crypto = Crypto::start(&library)?;
    let mut provider = Provider::new(label, build_info(crypto, &library));
    provider.generator = Some("RAND_bytes and RAND_priv_bytes: the library's CTR-DRBG, two for each thread".to_owned());
    let Provider { kems, key_agreements, signatures, hashes, xofs, unsupported, .. } = &mut provider;
    let missing = unsupported;
    for algorithm in kem::ALGORITHMS {
        offer(missing, algorithm, kem::MlKem::new(crypto, algorithm), |kem| kems.push(kem));
    }
    offer(missing, "X25519", x25519::X25519Kem::new(crypto), |kem| kems.push(kem));
    offer(missing, "X25519", x25519::X25519::new(crypto), |agreement| key_agreements.push(agreement));
    for algorithm in signature::algorithms() {
        offer(missing, algorithm, signature::Scheme::new(crypto, algorithm), |scheme| signatures.push(scheme));
    }
    for curve in &ecdsa::CURVES {
        offer(missing, curve.algorithm, ecdsa::Ecdsa::new(crypto, curve), |scheme| signatures.push(scheme));
    }
    offer(missing, "RSA-2048", rsa::Rsa::new(crypto), |scheme| signatures.push(scheme));
    for algorithm in hash::HASHES {
        offer(missing, algorithm, hash::FixedHash::new(crypto, algorithm), |hash| hashes.push(hash));
    }
    for algorithm in hash::XOFS {
        offer(missing, algorithm, hash::Shake::new(crypto, algorithm), |xof| xofs.push(xof));
    }
    Ok(provider)
}

fn offer<T>(missing: &mut Vec<Unsupported>, algorithm: &str, made: Result<T>, keep: impl FnOnce(Arc<T>)) {
    match made {
        Ok(made) => keep(Arc::new(made)),
        Err(fault) if !missing.iter().any(|known| known.algorithm == algorithm) => {
            missing.push(Unsupported { algorithm: algorithm.to_owned(), reason: fault.to_string() });
        }
        Err(_) => {}
    }
}

fn build_info(crypto: &Crypto, library: &Library) -> BuildInfo {
    let flags = crypto.version(sys::OPENSSL_CFLAGS);
    let flags: Vec<String> = flags.split_whitespace().filter_map(without_folders).collect();
    let build = format!(
        "{}; {}; {}; {}",
        library.file(),
        flags.join(" "),
        crypto.version(sys::OPENSSL_PLATFORM),
        crypto.version(sys::OPENSSL_CPU_INFO),
    );
    BuildInfo { version: crypto.version(sys::OPENSSL_FULL_VERSION_STRING), build }
}

/// A word of the compiler's command line without the folders of the machine that built it: a program keeps its name,
/// an option that names a folder is left out.
fn without_folders(word: &str) -> Option<String> {
    if word.starts_with('/') {
        return Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned());
    }
    (!word.contains('/')).then(|| word.to_owned())
}
