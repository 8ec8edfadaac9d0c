//! Hybrid public key encryption (RFC 9180) with X25519 and HKDF-SHA256, as OpenSSL implements it. See
//! OSSL_HPKE_CTX_new(3). OpenSSL does not implement the KEMs in draft-ietf-hpke-pq.

use super::linked::{Linked, check};
use super::owned::owned;
use pqlab_adapters::openssl::{Calls, Pkey};
use pqlab_openssl_sys as sys;
use pqlab_primitives::{Error, Hpke, HpkeInfo, HpkeRecipient, Result};
use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;

const NAME: &CStr = c"X25519";
/// Length of a public key, a private key and an encapsulated secret in bytes.
const LENGTH: usize = 32;
/// Tag length in bytes, the same for every AEAD.
const TAG: usize = 16;
/// Identifier of DHKEM(X25519, HKDF-SHA256) (RFC 9180, section 7.1).
const KEM: u16 = 0x20;
/// Identifier of HKDF-SHA256 (RFC 9180, section 7.2).
const KDF: u16 = 1;

owned! {
    /// Context of a sender or a recipient.
    Context: OSSL_HPKE_CTX, OSSL_HPKE_CTX_free;
}

/// Returns HPKE with each AEAD.
pub(super) fn all() -> impl Iterator<Item = Arc<dyn Hpke>> {
    [("AES-128-GCM", 1), ("AES-256-GCM", 2), ("ChaCha20-Poly1305", 3)].into_iter().map(|(aead, aead_id)| {
        let info = HpkeInfo {
            kem: "DHKEM-X25519-HKDF-SHA256",
            kdf: "HKDF-SHA256",
            aead,
            public_key: LENGTH,
            private_key: LENGTH,
            encapsulated: LENGTH,
            tag: TAG,
            // OSSL_HPKE_seal and OSSL_HPKE_open reject an empty plaintext.
            shortest: 1,
        };
        let suite = sys::OSSL_HPKE_SUITE { kem_id: KEM, kdf_id: KDF, aead_id };
        Arc::new(X25519Hpke { info, suite }) as Arc<dyn Hpke>
    })
}

struct X25519Hpke {
    info: HpkeInfo,
    suite: sys::OSSL_HPKE_SUITE,
}

struct Recipient {
    key: Pkey<Linked>,
    suite: sys::OSSL_HPKE_SUITE,
}

impl Context {
    fn new(suite: sys::OSSL_HPKE_SUITE, role: std::ffi::c_int) -> Result<Context> {
        // SAFETY: null means the default library context and no properties. We own the returned context.
        unsafe {
            let context = sys::OSSL_HPKE_CTX_new(sys::OSSL_HPKE_MODE_BASE, suite, role, ptr::null_mut(), ptr::null());
            Context::adopt("OSSL_HPKE_CTX_new", context)
        }
    }
}

impl Hpke for X25519Hpke {
    fn info(&self) -> &HpkeInfo {
        &self.info
    }

    fn generate(&self) -> Result<Box<dyn HpkeRecipient>> {
        let (mut public, mut length, mut key) = ([0; LENGTH], LENGTH, ptr::null_mut());
        // SAFETY: `length` is the length of `public`, null requests a random key, and we own the returned key.
        let key = unsafe {
            check(
                "OSSL_HPKE_keygen",
                sys::OSSL_HPKE_keygen(
                    self.suite,
                    public.as_mut_ptr(),
                    &raw mut length,
                    &raw mut key,
                    ptr::null(),
                    0,
                    ptr::null_mut(),
                    ptr::null(),
                ),
            )?;
            Pkey::adopt(Linked, "OSSL_HPKE_keygen", key)?
        };
        Ok(Box::new(Recipient { key, suite: self.suite }))
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn HpkeRecipient>> {
        Error::check_length("private key", LENGTH, bytes.len())?;
        Ok(Box::new(Recipient { key: Pkey::raw_private(Linked, NAME, bytes)?, suite: self.suite }))
    }

    fn seal(
        &self,
        public_key: &[u8],
        info: &[u8],
        associated_data: &[u8],
        plaintext: &[u8],
        message: &mut [u8],
    ) -> Result<()> {
        Error::check_length("message", plaintext.len() + LENGTH + TAG, message.len())?;
        if plaintext.is_empty() {
            return Err(Error::Unsupported("OpenSSL's HPKE cannot seal an empty message"));
        }
        let context = Context::new(self.suite, sys::OSSL_HPKE_ROLE_SENDER)?;
        let (enc, sealed) = message.split_at_mut(LENGTH);
        let (mut enc_length, mut sealed_length) = (enc.len(), sealed.len());
        // SAFETY: nothing else uses the context, and each pointer is passed with the length of its
        // buffer.
        unsafe {
            let encapsulated = sys::OSSL_HPKE_encap(
                context.as_ptr(),
                enc.as_mut_ptr(),
                &raw mut enc_length,
                public_key.as_ptr(),
                public_key.len(),
                info.as_ptr(),
                info.len(),
            );
            if encapsulated != 1 {
                return Err(Linked.malformed("public key"));
            }
            check(
                "OSSL_HPKE_seal",
                sys::OSSL_HPKE_seal(
                    context.as_ptr(),
                    sealed.as_mut_ptr(),
                    &raw mut sealed_length,
                    associated_data.as_ptr(),
                    associated_data.len(),
                    plaintext.as_ptr(),
                    plaintext.len(),
                ),
            )?;
        }
        Error::check_length("message", LENGTH + TAG + plaintext.len(), enc_length + sealed_length)
    }
}

impl HpkeRecipient for Recipient {
    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        self.key.write_raw_public(out)
    }

    fn private_key(&self, out: &mut [u8]) -> Result<()> {
        self.key.write_raw_private(out)
    }

    fn open(&self, info: &[u8], associated_data: &[u8], message: &[u8], plaintext: &mut [u8]) -> Result<()> {
        Error::check_length("message", plaintext.len() + LENGTH + TAG, message.len())?;
        let context = Context::new(self.suite, sys::OSSL_HPKE_ROLE_RECEIVER)?;
        let (enc, sealed) = message.split_at(LENGTH);
        let mut length = plaintext.len();
        // SAFETY: nothing else uses the context, and the calls only read the key. Each pointer is
        // passed with the length of its buffer.
        unsafe {
            let decapsulated = sys::OSSL_HPKE_decap(
                context.as_ptr(),
                enc.as_ptr(),
                enc.len(),
                self.key.as_ptr(),
                info.as_ptr(),
                info.len(),
            );
            if decapsulated != 1 {
                return Err(Linked.malformed("encapsulated secret"));
            }
            let opened = sys::OSSL_HPKE_open(
                context.as_ptr(),
                plaintext.as_mut_ptr(),
                &raw mut length,
                associated_data.as_ptr(),
                associated_data.len(),
                sealed.as_ptr(),
                sealed.len(),
            );
            if opened != 1 {
                return Err(Linked.refused());
            }
        }
        if length == plaintext.len() { Ok(()) } else { Err(Linked.fault("OSSL_HPKE_open")) }
    }
}
