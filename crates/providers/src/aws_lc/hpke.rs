//! Hybrid public key encryption (RFC 9180, draft-ietf-hpke-pq) with X25519 and with ML-KEM, as AWS-LC implements it.

use super::error::{check, library, malformed, verification_failed};
use super::handle::Owned;
use aws_lc_sys as aws;
use pqlab_primitives::{Error, Hpke, HpkeInfo, HpkeRecipient, Result};
use std::ffi::c_int;
use std::sync::Arc;

/// Tag length in bytes, the same for every AEAD.
const TAG: usize = 16;

type Kem = unsafe extern "C" fn() -> *const aws::EVP_HPKE_KEM;
type Kdf = unsafe extern "C" fn() -> *const aws::EVP_HPKE_KDF;
type Aead = unsafe extern "C" fn() -> *const aws::EVP_HPKE_AEAD;

const KEMS: [(&str, Kem); 4] = [
    ("DHKEM-X25519-HKDF-SHA256", aws::EVP_hpke_x25519_hkdf_sha256),
    ("ML-KEM-512", aws::EVP_hpke_mlkem512),
    ("ML-KEM-768", aws::EVP_hpke_mlkem768),
    ("ML-KEM-1024", aws::EVP_hpke_mlkem1024),
];
const KDFS: [(&str, Kdf); 2] = [("HKDF-SHA256", aws::EVP_hpke_hkdf_sha256), ("HKDF-SHA384", aws::EVP_hpke_hkdf_sha384)];
const AEADS: [(&str, Aead); 3] = [
    ("AES-128-GCM", aws::EVP_hpke_aes_128_gcm),
    ("AES-256-GCM", aws::EVP_hpke_aes_256_gcm),
    ("ChaCha20-Poly1305", aws::EVP_hpke_chacha20_poly1305),
];

/// Returns every combination of KEM, KDF and AEAD.
pub(super) fn all() -> impl Iterator<Item = Arc<dyn Hpke>> {
    let suites = KEMS.into_iter().flat_map(|kem| KDFS.map(|kdf| (kem, kdf)));
    suites.flat_map(|(kem, kdf)| AEADS.map(|aead| Suite::offered(kem, kdf, aead)))
}

/// The library's constants for a suite.
#[derive(Clone, Copy)]
struct Suite {
    kem: *const aws::EVP_HPKE_KEM,
    kdf: *const aws::EVP_HPKE_KDF,
    aead: *const aws::EVP_HPKE_AEAD,
}

// SAFETY: the pointers refer to immutable static objects in the library.
unsafe impl Send for Suite {}
// SAFETY: see `Send` above.
unsafe impl Sync for Suite {}

struct LibraryHpke {
    info: HpkeInfo,
    suite: Suite,
}

struct Recipient {
    key: Owned<aws::EVP_HPKE_KEY>,
    suite: Suite,
    encapsulated: usize,
}

impl Suite {
    fn offered(kem: (&'static str, Kem), kdf: (&'static str, Kdf), aead: (&'static str, Aead)) -> Arc<dyn Hpke> {
        // SAFETY: the first three calls take no arguments and return static objects. The other
        // calls only read these objects.
        let (suite, lengths) = unsafe {
            let suite = Suite { kem: (kem.1)(), kdf: (kdf.1)(), aead: (aead.1)() };
            let lengths = [
                aws::EVP_HPKE_KEM_public_key_len(suite.kem),
                aws::EVP_HPKE_KEM_private_key_len(suite.kem),
                aws::EVP_HPKE_KEM_enc_len(suite.kem),
            ];
            (suite, lengths)
        };
        let [public_key, private_key, encapsulated] = lengths;
        let info = HpkeInfo {
            kem: kem.0,
            kdf: kdf.0,
            aead: aead.0,
            public_key,
            private_key,
            encapsulated,
            tag: TAG,
            shortest: 0,
        };
        Arc::new(LibraryHpke { info, suite })
    }
}

fn key() -> Result<Owned<aws::EVP_HPKE_KEY>> {
    // SAFETY: the call returns null or a new key that we own.
    unsafe { Owned::from_raw(aws::EVP_HPKE_KEY_new()) }.ok_or_else(|| library("EVP_HPKE_KEY_new"))
}

fn context() -> Result<Owned<aws::EVP_HPKE_CTX>> {
    // SAFETY: the call returns null or a new context that we own.
    unsafe { Owned::from_raw(aws::EVP_HPKE_CTX_new()) }.ok_or_else(|| library("EVP_HPKE_CTX_new"))
}

impl LibraryHpke {
    fn recipient(&self, key: Owned<aws::EVP_HPKE_KEY>) -> Box<dyn HpkeRecipient> {
        Box::new(Recipient { key, suite: self.suite, encapsulated: self.info.encapsulated })
    }
}

impl Hpke for LibraryHpke {
    fn info(&self) -> &HpkeInfo {
        &self.info
    }

    fn generate(&self) -> Result<Box<dyn HpkeRecipient>> {
        let key = key()?;
        // SAFETY: the key is new, and nothing else uses it.
        check("EVP_HPKE_KEY_generate", unsafe { aws::EVP_HPKE_KEY_generate(key.as_ptr(), self.suite.kem) })?;
        Ok(self.recipient(key))
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn HpkeRecipient>> {
        Error::check_length("private key", self.info.private_key, bytes.len())?;
        let key = key()?;
        // SAFETY: the key is new, and nothing else uses it. The pointer and length describe
        // `bytes`.
        let returned = unsafe { aws::EVP_HPKE_KEY_init(key.as_ptr(), self.suite.kem, bytes.as_ptr(), bytes.len()) };
        if returned == 1 { Ok(self.recipient(key)) } else { Err(malformed("private key")) }
    }

    fn seal(
        &self,
        public_key: &[u8],
        info: &[u8],
        associated_data: &[u8],
        plaintext: &[u8],
        message: &mut [u8],
    ) -> Result<()> {
        Error::check_length("message", plaintext.len() + self.info.overhead(), message.len())?;
        let context = context()?;
        let (enc, sealed) = message.split_at_mut(self.info.encapsulated);
        let (mut enc_length, mut sealed_length) = (0, 0);
        // SAFETY: nothing else uses the context, and each pointer is passed with the length of its
        // buffer.
        unsafe {
            let set_up = aws::EVP_HPKE_CTX_setup_sender(
                context.as_ptr(),
                enc.as_mut_ptr(),
                &raw mut enc_length,
                enc.len(),
                self.suite.kem,
                self.suite.kdf,
                self.suite.aead,
                public_key.as_ptr(),
                public_key.len(),
                info.as_ptr(),
                info.len(),
            );
            if set_up != 1 {
                return Err(malformed("public key"));
            }
            check(
                "EVP_HPKE_CTX_seal",
                aws::EVP_HPKE_CTX_seal(
                    context.as_ptr(),
                    sealed.as_mut_ptr(),
                    &raw mut sealed_length,
                    sealed.len(),
                    plaintext.as_ptr(),
                    plaintext.len(),
                    associated_data.as_ptr(),
                    associated_data.len(),
                ),
            )?;
        }
        Error::check_length("message", plaintext.len() + self.info.overhead(), enc_length + sealed_length)
    }
}

impl Recipient {
    /// Writes the public or the private key to `out`. `out` must be exactly as long as the key.
    fn write(
        &self,
        what: &'static str,
        call: unsafe extern "C" fn(*const aws::EVP_HPKE_KEY, *mut u8, *mut usize, usize) -> c_int,
        out: &mut [u8],
    ) -> Result<()> {
        let mut length = 0;
        // SAFETY: the call only reads the key and writes at most `out.len()` bytes.
        check(what, unsafe { call(self.key.as_ptr(), out.as_mut_ptr(), &raw mut length, out.len()) })?;
        Error::check_length("key", length, out.len())
    }
}

impl HpkeRecipient for Recipient {
    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        self.write("EVP_HPKE_KEY_public_key", aws::EVP_HPKE_KEY_public_key, out)
    }

    fn private_key(&self, out: &mut [u8]) -> Result<()> {
        self.write("EVP_HPKE_KEY_private_key", aws::EVP_HPKE_KEY_private_key, out)
    }

    fn open(&self, info: &[u8], associated_data: &[u8], message: &[u8], plaintext: &mut [u8]) -> Result<()> {
        Error::check_length("message", plaintext.len() + self.encapsulated + TAG, message.len())?;
        let context = context()?;
        let (enc, sealed) = message.split_at(self.encapsulated);
        let mut length = 0;
        // SAFETY: nothing else uses the context, and the calls only read the key. Each pointer is
        // passed with the length of its buffer.
        unsafe {
            let set_up = aws::EVP_HPKE_CTX_setup_recipient(
                context.as_ptr(),
                self.key.as_ptr(),
                self.suite.kdf,
                self.suite.aead,
                enc.as_ptr(),
                enc.len(),
                info.as_ptr(),
                info.len(),
            );
            if set_up != 1 {
                return Err(malformed("encapsulated secret"));
            }
            let opened = aws::EVP_HPKE_CTX_open(
                context.as_ptr(),
                plaintext.as_mut_ptr(),
                &raw mut length,
                plaintext.len(),
                sealed.as_ptr(),
                sealed.len(),
                associated_data.as_ptr(),
                associated_data.len(),
            );
            if opened != 1 {
                return Err(verification_failed());
            }
        }
        if length == plaintext.len() { Ok(()) } else { Err(library("EVP_HPKE_CTX_open")) }
    }
}
