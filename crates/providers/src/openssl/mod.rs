//! OpenSSL 4, built from source. The linked OpenSSL and an OpenSSL that is opened at run time use the same adapter
//! ([`pqlab_adapters::openssl`]). This module adds the algorithms that only the linked library offers.
//!
//! The provider uses the default library context and reads no configuration file, even if one is installed.

mod hpke;
mod linked;
mod owned;
mod symmetric;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
use crate::shared::cpu::hide_in;
use linked::Linked;
use pqlab_adapters::openssl::{self, Calls, offer};
use pqlab_openssl_sys as sys;
use pqlab_primitives::{BuildInfo, Provider, Unsupported};
use std::ptr;

/// Returns a provider with every algorithm that both pqlab and OpenSSL support. If OpenSSL fails to set up an
/// algorithm, the provider lists the algorithm as unsupported, with the library's error.
pub(crate) fn providers() -> Vec<Provider> {
    // SAFETY: null means no settings, and the call may be repeated. It precedes every other call
    // into the library, so the library never reads the system's configuration file.
    let started = unsafe { sys::OPENSSL_init_crypto(sys::OPENSSL_INIT_NO_LOAD_CONFIG, ptr::null()) };
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the library filled the table when the program was loaded, and only reads it now.
    hide_in(unsafe { &sys::OPENSSL_ia32cap_P });
    if let Err(fault) = Linked.check("OPENSSL_init_crypto", started) {
        let mut provider = Provider::new("openssl", build_info());
        provider.unsupported.push(Unsupported { algorithm: "*".to_owned(), reason: fault.to_string() });
        return vec![provider];
    }
    let mut provider = openssl::provider(Linked, "openssl", build_info());
    let Provider { macs, kdfs, aeads, stream_ciphers, unsupported: missing, .. } = &mut provider;
    offer(missing, "HMAC-SHA256", symmetric::HmacSha256::new(), |mac| macs.push(mac));
    offer(missing, "HKDF-SHA256", symmetric::HkdfSha256::new(), |kdf| kdfs.push(kdf));
    offer(missing, "AES-256-GCM", symmetric::Aes256Gcm::new(), |aead| aeads.push(aead));
    offer(missing, "AES-256-CTR", symmetric::Aes256Ctr::new(), |cipher| stream_ciphers.push(cipher));
    provider.hpke = hpke::all().collect();
    vec![provider]
}

/// Description of the Keccak code in this build of OpenSSL. On x86-64, the processor's features do not matter. On
/// AArch64, there are two code paths, and the library selects one from the processor model.
const KECCAK: &str = if cfg!(target_arch = "x86_64") {
    "assembly for general registers (keccak1600-x86_64)"
} else if cfg!(target_arch = "aarch64") {
    "assembly (keccak1600-armv8), with FEAT_SHA3 if the library considers it faster"
} else {
    "the library's choice for this architecture"
};

fn build_info() -> BuildInfo {
    let source = format!("openssl-src {}", sys::SRC_VERSION);
    let BuildInfo { version, build } = openssl::build_info(Linked, &source);
    BuildInfo { version, build: format!("{build}; Keccak: {KECCAK}") }
}
