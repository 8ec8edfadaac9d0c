//! SHA3-256 of 64 bytes, as a batch through the trait and as a bare loop over the library's own calls: the case in which
//! an allocation, a look-up or a dispatch a call would show most.

use crate::Comparison;
use pqlab_primitives::Hash;
use pqlab_providers::providers;
use std::hint::black_box;
use std::sync::Arc;

const MESSAGE: usize = 64;
const DIGEST: usize = 32;
const BATCH: usize = 500;

/// Messages as the workload has them: a pool that is gone round.
fn pool() -> Vec<Vec<u8>> {
    (0..16_u8).map(|index| vec![index; MESSAGE]).collect()
}

fn through_the_trait(library: &str) -> Box<dyn FnMut(usize)> {
    let all = providers();
    let mut of_library = all.iter().filter(|provider| provider.library == library);
    let hash: Arc<dyn Hash> =
        of_library.find_map(|provider| provider.hash("SHA3-256")).map(Arc::clone).expect("the library has SHA3-256");
    let (messages, mut out) = (pool(), [0; DIGEST]);
    Box::new(move |batch| {
        black_box(&hash).digest_batch(black_box(&messages), batch, &mut out).expect("a digest");
    })
}

#[cfg(feature = "rustcrypto")]
pub(crate) fn rustcrypto() -> Comparison {
    use sha3::Digest;
    let (messages, mut out) = (pool(), sha3::digest::Output::<sha3::Sha3_256>::default());
    Comparison {
        what: "RustCrypto SHA3-256 of 64 bytes, batch through the trait against bare".to_owned(),
        batch: BATCH,
        adapter: through_the_trait("rustcrypto"),
        bare: Box::new(move |batch| {
            for message in black_box(&messages).iter().cycle().take(batch) {
                let mut state = sha3::Sha3_256::new();
                Digest::update(&mut state, message);
                Digest::finalize_into(state, black_box(&mut out));
            }
        }),
    }
}

#[cfg(feature = "openssl")]
pub(crate) fn openssl() -> Comparison {
    use pqlab_openssl_sys as sys;
    use std::ptr;
    // SAFETY: null stands for the default library context and no properties; the result is checked.
    let md = unsafe { sys::EVP_MD_fetch(ptr::null_mut(), c"SHA3-256".as_ptr(), ptr::null()) };
    // SAFETY: makes a context; the result is checked.
    let context = unsafe { sys::EVP_MD_CTX_new() };
    assert!(!md.is_null() && !context.is_null(), "OpenSSL has SHA3-256");
    let (messages, mut out) = (pool(), [0_u8; DIGEST]);
    Comparison {
        what: "OpenSSL SHA3-256 of 64 bytes, batch through the trait against bare".to_owned(),
        batch: BATCH,
        adapter: through_the_trait("openssl"),
        bare: Box::new(move |batch| {
            for message in black_box(&messages).iter().cycle().take(batch) {
                // SAFETY: the context and the algorithm live until the process ends; the message is only read; `out`
                // has the digest's length.
                let done = unsafe {
                    sys::EVP_DigestInit_ex2(context, md, ptr::null())
                        & sys::EVP_DigestUpdate(context, message.as_ptr().cast(), message.len())
                        & sys::EVP_DigestFinal_ex(context, black_box(&mut out).as_mut_ptr(), ptr::null_mut())
                };
                assert_eq!(done, 1);
            }
        }),
    }
}
