//! AWS-LC's ML-KEM-768 decapsulation through the adapter and through its own call.

use crate::Comparison;
use aws_lc_sys::{
    EVP_PKEY, EVP_PKEY_CTX, EVP_PKEY_CTX_new, EVP_PKEY_decapsulate, EVP_PKEY_kem_new_raw_secret_key, NID_MLKEM768,
};
use pqlab_primitives::{Coins, KeyEncoding};
use pqlab_providers::providers;
use std::ptr;
use std::sync::Arc;

pub(crate) fn decapsulate() -> Comparison {
    let provider = providers().into_iter().find(|provider| provider.library == "aws-lc").expect("built in");
    let kem = Arc::clone(provider.kem("ML-KEM-768").expect("offered"));
    let key = kem.generate(Coins::Internal).expect("a key");
    let parameters = kem.info().parameters.clone();
    let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
    key.encapsulation_key()
        .and_then(|to| to.encapsulate(Coins::Internal, &mut ciphertext, &mut secret))
        .expect("an encapsulation");
    let mut encoded = vec![0; 2400];
    key.encode(KeyEncoding::Expanded, &mut encoded).expect("an encoding");
    // SAFETY: `encoded` holds 2400 bytes, the length of the key of this NID; the result is checked below.
    let bare: *mut EVP_PKEY = unsafe { EVP_PKEY_kem_new_raw_secret_key(NID_MLKEM768, encoded.as_ptr(), encoded.len()) };
    assert!(!bare.is_null(), "AWS-LC takes the key that it encoded");
    // SAFETY: `bare` is a key; both live until the process ends.
    let context: *mut EVP_PKEY_CTX = unsafe { EVP_PKEY_CTX_new(bare, ptr::null_mut()) };
    assert!(!context.is_null(), "AWS-LC makes a context");
    let (bare_ciphertext, mut bare_secret) = (ciphertext.clone(), secret.clone());
    Comparison {
        what: "AWS-LC ML-KEM-768 decapsulate, prepared key".to_owned(),
        batch: 50,
        adapter: Box::new(move |batch| {
            for _ in 0..batch {
                key.decapsulate(&ciphertext, &mut secret).expect("a decapsulation");
            }
        }),
        bare: Box::new(move |batch| {
            for _ in 0..batch {
                let mut length = bare_secret.len();
                // SAFETY: the context is live, the secret has room for `length` bytes, the ciphertext its own length.
                let done = unsafe {
                    EVP_PKEY_decapsulate(
                        context,
                        bare_secret.as_mut_ptr(),
                        &mut length,
                        bare_ciphertext.as_ptr(),
                        bare_ciphertext.len(),
                    )
                };
                assert_eq!(done, 1);
            }
        }),
    }
}
