use super::linked::Linked;
use super::providers;
use crate::shared::testing::*;
use pqlab_adapters::openssl::PkeyCtx;
use pqlab_openssl_sys as sys;
use pqlab_primitives::{Coins, Error, KeyEncoding};

fn error_queue_is_empty() -> bool {
    // SAFETY: the call only reads this thread's error queue.
    unsafe { sys::ERR_peek_last_error() == 0 }
}

#[test]
fn offers_every_algorithm_and_describes_its_build() {
    let provider = providers().remove(0);
    assert!(provider.unsupported.is_empty(), "{:?}", provider.unsupported);
    let info = &provider.build_info;
    assert!(sys::SRC_VERSION.ends_with(&format!("+{}", info.version)), "{info:?}");
    assert!(info.build.contains("platform:") && info.build.contains("compiler:"), "{info:?}");
    assert!(!info.build.contains('/'), "must not name a folder: {info:?}");
}

#[test]
fn library_faults_carry_their_messages_and_leave_none_behind() {
    providers();
    let fault = PkeyCtx::of_name(Linked, c"no such algorithm").err().expect("OpenSSL must not know this algorithm");
    let Error::Library { call, detail } = &fault else { panic!("{fault:?}") };
    assert_eq!(*call, "EVP_PKEY_CTX_new_from_name");
    assert!(detail.contains("unsupported") && detail.contains("no such algorithm"), "{detail}");
    assert!(error_queue_is_empty());
}

#[test]
fn failed_calls_leave_the_error_queue_empty() {
    check_failed_calls(&providers().remove(0), error_queue_is_empty);
}

#[test]
fn rejects_ml_dsa_keys_whose_parts_do_not_match() {
    let provider = providers().remove(0);
    let scheme = provider.signature("ML-DSA-65").unwrap();
    let mut expanded = vec![0; scheme.info().signing_key(KeyEncoding::Expanded).unwrap()];
    scheme.generate(Coins::Internal).unwrap().encode(KeyEncoding::Expanded, &mut expanded).unwrap();
    // The third part of the private key is the digest of the public key (FIPS 204, algorithm 24).
    expanded[64] ^= 1;
    assert!(malformed_error(scheme.load_signing_key(KeyEncoding::Expanded, &expanded)));
    assert!(error_queue_is_empty());
}

/// The library decrypts before it checks the tag, so the adapter wipes the plaintext.
#[test]
fn aes_gcm_wipes_the_plaintext_if_the_tag_is_wrong() {
    let key = providers().remove(0).aead("AES-256-GCM").unwrap().load_key(&[1; 32]).unwrap();
    let mut buffer = [3; 100];
    assert_eq!(key.open(&[2; 12], b"", &mut buffer, &[4; 16]), Err(Error::VerificationFailed));
    assert_eq!(buffer, [0; 100]);
}
