//! OpenSSL 4, built from source.
//!
//! Keys go through `EVP_PKEY`, everything else through its own `EVP` family; algorithms are fetched once. What an
//! operation needs beside its inputs is made when a key is prepared and used again: contexts serve one thread at a
//! time, so each key keeps its [contexts](crate::shared::contexts). Allocations inside a timed call are the library's own.
//!
//! The default library context is used and no configuration file is read, whatever the machine has installed.

mod der;
mod ecdsa;
mod error;
mod hash;
mod hpke;
mod kem;
mod native;
mod param;
mod rsa;
mod signature;
mod symmetric;
#[cfg(test)]
mod tests;
mod x25519;

#[cfg(target_arch = "x86_64")]
use crate::shared::cpu::hide_in;
use pqlab_openssl_sys as sys;
use pqlab_primitives::{BuildInfo, Error, Provider, Result, Unsupported};
use std::ffi::{CStr, c_int};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// The encodings of a private key that this library does not read.
const NO_SUCH_ENCODING: Error = Error::Unsupported("OpenSSL does not read or write this encoding of the key");

/// The answer to a context string where the scheme has none.
const NO_CONTEXT: Error = Error::Unsupported("the scheme takes no context string");

/// OpenSSL with everything that it offers of our algorithms. An algorithm that the library refuses to set up is listed
/// as unsupported with the library's own words.
pub(crate) fn providers() -> Vec<Provider> {
    // SAFETY: null says that there are no settings; the call may be repeated. It comes before every other call into
    // the library, so that the system's configuration is never read.
    let started = unsafe { sys::OPENSSL_init_crypto(sys::OPENSSL_INIT_NO_LOAD_CONFIG, ptr::null()) };
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the library has filled the table when it was loaded, and only reads it since.
    hide_in(unsafe { &sys::OPENSSL_ia32cap_P });
    let mut provider = Provider::new("openssl", build_info());
    provider.generator = Some("RAND_bytes and RAND_priv_bytes: the library's CTR-DRBG, two for each thread".to_owned());
    if let Err(fault) = error::check("OPENSSL_init_crypto", started) {
        provider.unsupported.push(Unsupported { algorithm: "*".to_owned(), reason: fault.to_string() });
        return vec![provider];
    }
    let Provider {
        kems, key_agreements, signatures, hashes, xofs, macs, kdfs, aeads, stream_ciphers, unsupported, ..
    } = &mut provider;
    let missing = unsupported;
    for algorithm in kem::ALGORITHMS {
        offer(missing, algorithm, kem::MlKem::new(algorithm), |kem| kems.push(kem));
    }
    offer(missing, "X25519", x25519::X25519Kem::new(), |kem| kems.push(kem));
    offer(missing, "X25519", x25519::X25519::new(), |agreement| key_agreements.push(agreement));
    for algorithm in signature::algorithms() {
        offer(missing, algorithm, signature::Scheme::new(algorithm), |scheme| signatures.push(scheme));
    }
    for curve in &ecdsa::CURVES {
        offer(missing, curve.algorithm, ecdsa::Ecdsa::new(curve), |scheme| signatures.push(scheme));
    }
    offer(missing, "RSA-2048", rsa::Rsa::new(), |scheme| signatures.push(scheme));
    for algorithm in hash::HASHES {
        offer(missing, algorithm, hash::FixedHash::new(algorithm), |hash| hashes.push(hash));
    }
    for algorithm in hash::XOFS {
        offer(missing, algorithm, hash::Shake::new(algorithm), |xof| xofs.push(xof));
    }
    offer(missing, "HMAC-SHA256", symmetric::HmacSha256::new(), |mac| macs.push(mac));
    offer(missing, "HKDF-SHA256", symmetric::HkdfSha256::new(), |kdf| kdfs.push(kdf));
    offer(missing, "AES-256-GCM", symmetric::Aes256Gcm::new(), |aead| aeads.push(aead));
    offer(missing, "AES-256-CTR", symmetric::Aes256Ctr::new(), |cipher| stream_ciphers.push(cipher));
    provider.hpke = hpke::all().collect();
    vec![provider]
}

fn offer<T>(missing: &mut Vec<Unsupported>, algorithm: &str, made: Result<T>, keep: impl FnOnce(Arc<T>)) {
    match made {
        Ok(made) => keep(Arc::new(made)),
        Err(fault) => missing.push(Unsupported { algorithm: algorithm.to_owned(), reason: fault.to_string() }),
    }
}

/// The one file for Keccak that the library's own build takes, whatever the processor; on AArch64 it has two code paths,
/// and the library chooses by the processor's model.
const KECCAK: &str = if cfg!(target_arch = "x86_64") {
    "assembly for general registers (keccak1600-x86_64)"
} else if cfg!(target_arch = "aarch64") {
    "assembly (keccak1600-armv8), with FEAT_SHA3 where the library holds it worth while"
} else {
    "the library's choice for this architecture"
};

fn build_info() -> BuildInfo {
    let flags = version(sys::OPENSSL_CFLAGS);
    let flags: Vec<String> = flags.split_whitespace().filter_map(without_folders).collect();
    let build = format!(
        "openssl-src {}; {}; {}; {}; Keccak: {}",
        sys::SRC_VERSION,
        flags.join(" "),
        version(sys::OPENSSL_PLATFORM),
        version(sys::OPENSSL_CPU_INFO),
        KECCAK
    );
    BuildInfo { version: version(sys::OPENSSL_FULL_VERSION_STRING), build }
}

fn version(what: c_int) -> String {
    // SAFETY: takes any number; the answer is a string that lives as long as the library.
    unsafe { CStr::from_ptr(sys::OpenSSL_version(what)) }.to_string_lossy().into_owned()
}

/// A word of the compiler's command line without the folders of the machine that built it: a program keeps its name,
/// an option that names a folder is left out.
fn without_folders(word: &str) -> Option<String> {
    if word.starts_with('/') {
        return Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned());
    }
    (!word.contains('/')).then(|| word.to_owned())
}
