//! Tests of the OpenSSL provider: round trips, rejections, and a few published test vectors for every algorithm. Other
//! crates run the complete suites of test vectors.

mod kem;
mod signature;
mod symmetric;

use super::linked::Linked;
use crate::shared::testing::hex;
use pqlab_adapters::openssl::PkeyCtx;
use pqlab_openssl_sys as sys;
use pqlab_primitives::{Error, Provider};
use std::sync::OnceLock;

fn provider() -> &'static Provider {
    static PROVIDER: OnceLock<Provider> = OnceLock::new();
    PROVIDER.get_or_init(|| super::providers().pop().expect("there must be one provider"))
}

fn sha256(message: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    provider().hash("SHA-256").unwrap().digest(message, &mut digest).unwrap();
    digest
}

/// Compares `message` with a published value. `expected` is the SHA-256 digest of the published value.
#[track_caller]
fn assert_sha256(message: &[u8], expected: &str) {
    assert_eq!(sha256(message).to_vec(), hex(expected));
}

#[track_caller]
fn assert_length<T>(result: Result<T, Error>) {
    let error = result.err();
    assert!(matches!(error, Some(Error::Length { .. })), "{error:?}");
}

#[track_caller]
fn assert_malformed<T>(result: Result<T, Error>) {
    let error = result.err();
    assert!(matches!(error, Some(Error::Malformed(_))), "{error:?}");
    assert_queue_is_empty();
}

#[track_caller]
fn assert_unsupported<T>(result: Result<T, Error>) {
    let error = result.err();
    assert!(matches!(error, Some(Error::Unsupported(_))), "{error:?}");
    assert_queue_is_empty();
}

#[track_caller]
fn assert_refused(result: Result<(), Error>) {
    assert_eq!(result, Err(Error::VerificationFailed));
    assert_queue_is_empty();
}

#[track_caller]
fn assert_queue_is_empty() {
    // SAFETY: the call only reads this thread's error queue.
    assert_eq!(unsafe { sys::ERR_peek_last_error() }, 0, "the error queue must be empty");
}

#[test]
fn offers_every_algorithm_and_describes_its_build() {
    let provider = provider();
    assert!(provider.unsupported.is_empty(), "{:?}", provider.unsupported);
    assert_eq!(provider.id(), "openssl");
    assert_eq!(provider.kems.len(), 4);
    assert_eq!(provider.signatures.len(), 20);
    assert_eq!((provider.hashes.len(), provider.xofs.len(), provider.key_agreements.len()), (6, 2, 1));
    let info = &provider.build_info;
    assert!(sys::SRC_VERSION.ends_with(&format!("+{}", info.version)), "{info:?}");
    assert!(info.build.contains("platform:") && info.build.contains("compiler:"), "{info:?}");
    assert!(!info.build.contains('\n') && !info.build.contains('/'), "{info:?}");
}

#[test]
fn library_faults_carry_their_messages_and_leave_none_behind() {
    provider();
    let fault = PkeyCtx::of_name(Linked, c"no such algorithm").err().expect("OpenSSL must not know this algorithm");
    let Error::Library { call, detail } = &fault else { panic!("{fault:?}") };
    assert_eq!(*call, "EVP_PKEY_CTX_new_from_name");
    assert!(detail.contains("unsupported") && detail.contains("no such algorithm"), "{detail}");
    assert_queue_is_empty();
}
