//! HMAC-SHA256 (RFC 2104), HKDF-SHA256 (RFC 5869), AES-256-GCM (NIST SP 800-38D) and AES-256-CTR (NIST SP 800-38A). See
//! EVP_MAC-HMAC(7), EVP_KDF-HKDF(7) and EVP_EncryptInit(3).

use super::linked::{Linked, check};
use super::owned::owned;
use pqlab_adapters::Contexts;
use pqlab_adapters::openssl::{Calls, Param, array};
use pqlab_openssl_sys as sys;
use pqlab_primitives::{Aead, AeadKey, Error, Kdf, Mac, MacKey, Result, StreamCipher, wipe};
use std::ffi::c_int;
use std::ptr;

owned! {
    /// A fetched MAC algorithm.
    MacAlgorithm: EVP_MAC, EVP_MAC_free;
    /// Context for computing a MAC.
    MacCtx: EVP_MAC_CTX, EVP_MAC_CTX_free;
    /// A fetched key derivation function.
    KdfAlgorithm: EVP_KDF, EVP_KDF_free;
    /// Context for deriving a key.
    KdfCtx: EVP_KDF_CTX, EVP_KDF_CTX_free;
    /// A fetched cipher.
    Cipher: EVP_CIPHER, EVP_CIPHER_free;
    /// Context for encryption or decryption.
    CipherCtx: EVP_CIPHER_CTX, EVP_CIPHER_CTX_free;
}

// SAFETY: a fetched algorithm never changes, and its reference count is atomic.
unsafe impl Sync for MacAlgorithm {}
// SAFETY: see `MacAlgorithm` above.
unsafe impl Sync for KdfAlgorithm {}
// SAFETY: see `MacAlgorithm` above.
unsafe impl Sync for Cipher {}

/// Length of a SHA-256 digest in bytes.
const TAG_SHA256: usize = 32;
/// Maximum length of HKDF-SHA256 output in bytes (RFC 5869, section 2.3).
const MAX_HKDF: usize = 255 * TAG_SHA256;
/// Length of an AES-256 key in bytes.
const AES_KEY: usize = 32;
/// Length of an AES block in bytes.
const AES_BLOCK: usize = 16;
/// Length of a GCM nonce in bytes (SP 800-38D, section 5.2.1.1).
const GCM_NONCE: usize = 12;
/// Length of a full GCM tag in bytes.
const GCM_TAG: usize = 16;
/// Maximum input per cipher call in bytes. The cipher takes lengths as `int`, so the code splits longer inputs.
const PIECE: usize = 1 << 30;

/// HMAC with SHA-256.
pub(super) struct HmacSha256 {
    algorithm: MacAlgorithm,
    /// Contexts for `tag_once`, which sets the key in each call.
    idle: Contexts<MacCtx>,
}

struct HmacKey {
    /// Context that contains the key.
    template: Template<MacCtx>,
    idle: Contexts<MacCtx>,
}

/// HKDF with SHA-256.
pub(super) struct HkdfSha256 {
    algorithm: KdfAlgorithm,
    idle: Contexts<KdfCtx>,
}

/// AES-256 in Galois/counter mode.
pub(super) struct Aes256Gcm(Cipher);

struct GcmKey {
    sealing: Template<CipherCtx>,
    opening: Template<CipherCtx>,
    idle_sealing: Contexts<CipherCtx>,
    idle_opening: Contexts<CipherCtx>,
}

/// Context that is only ever copied, never used directly.
struct Template<T>(T);

// SAFETY: a template is only ever copied, and copying only reads it.
unsafe impl<T: Send> Sync for Template<T> {}

impl HmacSha256 {
    pub(super) fn new() -> Result<HmacSha256> {
        // SAFETY: null means the default library context and no properties. We own the returned reference.
        let algorithm = unsafe {
            MacAlgorithm::adopt("EVP_MAC_fetch", sys::EVP_MAC_fetch(ptr::null_mut(), c"HMAC".as_ptr(), ptr::null()))?
        };
        Ok(HmacSha256 { algorithm, idle: Contexts::new() })
    }

    /// Returns a context with a digest but without a key.
    fn context(&self) -> Result<MacCtx> {
        // SAFETY: the algorithm is valid, and we own the returned context.
        let ctx = unsafe { MacCtx::adopt("EVP_MAC_CTX_new", sys::EVP_MAC_CTX_new(self.algorithm.as_ptr()))? };
        let params = [Param::text(sys::OSSL_ALG_PARAM_DIGEST, c"SHA2-256"), Param::END];
        // SAFETY: nothing else uses the context, and `params` ends with `Param::END`.
        check("EVP_MAC_CTX_set_params", unsafe { sys::EVP_MAC_CTX_set_params(ctx.as_ptr(), array(&params)) })?;
        Ok(ctx)
    }
}

impl Mac for HmacSha256 {
    fn algorithm(&self) -> &str {
        "HMAC-SHA256"
    }

    fn tag_len(&self) -> usize {
        TAG_SHA256
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn MacKey>> {
        let ctx = self.context()?;
        // SAFETY: nothing else uses the context. The key is passed with its length, and the call
        // does not keep the pointer.
        let returned = unsafe { sys::EVP_MAC_init(ctx.as_ptr(), key.as_ptr(), key.len(), ptr::null()) };
        check("EVP_MAC_init", returned)?;
        let template = Template(ctx);
        Ok(Box::new(HmacKey { template, idle: Contexts::new() }))
    }

    fn tag_once(&self, key: &[u8], message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("tag", TAG_SHA256, out.len())?;
        self.idle.with(|| self.context(), |ctx| tag(ctx, key.as_ptr(), key.len(), message, out))
    }
}

/// Computes the tag for a message. If `key` is null, uses the key in the context.
fn tag(ctx: &MacCtx, key: *const u8, key_length: usize, message: &[u8], out: &mut [u8]) -> Result<()> {
    let mut length = 0;
    // SAFETY: only this thread uses the context, and its digest is set. `key` is null or points to
    // `key_length` bytes. The last call writes at most `out.len()` bytes.
    unsafe {
        check("EVP_MAC_init", sys::EVP_MAC_init(ctx.as_ptr(), key, key_length, ptr::null()))?;
        check("EVP_MAC_update", sys::EVP_MAC_update(ctx.as_ptr(), message.as_ptr(), message.len()))?;
        check("EVP_MAC_final", sys::EVP_MAC_final(ctx.as_ptr(), out.as_mut_ptr(), &raw mut length, out.len()))
    }
}

impl Template<MacCtx> {
    fn copy(&self) -> Result<MacCtx> {
        // SAFETY: the call only reads the template, and we own the copy.
        unsafe { MacCtx::adopt("EVP_MAC_CTX_dup", sys::EVP_MAC_CTX_dup(self.0.as_ptr())) }
    }
}

impl MacKey for HmacKey {
    fn tag(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("tag", TAG_SHA256, out.len())?;
        self.idle.with(|| self.template.copy(), |ctx| tag(ctx, ptr::null(), 0, message, out))
    }
}

impl HkdfSha256 {
    pub(super) fn new() -> Result<HkdfSha256> {
        // SAFETY: null means the default library context and no properties. We own the returned reference.
        let algorithm = unsafe {
            let fetched = sys::EVP_KDF_fetch(ptr::null_mut(), c"HKDF-SHA256".as_ptr(), ptr::null());
            KdfAlgorithm::adopt("EVP_KDF_fetch", fetched)?
        };
        Ok(HkdfSha256 { algorithm, idle: Contexts::new() })
    }

    fn context(&self) -> Result<KdfCtx> {
        // SAFETY: the algorithm is valid, and we own the returned context.
        unsafe { KdfCtx::adopt("EVP_KDF_CTX_new", sys::EVP_KDF_CTX_new(self.algorithm.as_ptr())) }
    }
}

impl Kdf for HkdfSha256 {
    fn algorithm(&self) -> &str {
        "HKDF-SHA256"
    }

    fn derive(&self, salt: &[u8], key_material: &[u8], info: &[u8], out: &mut [u8]) -> Result<()> {
        if out.len() > MAX_HKDF {
            return Err(Error::Length { what: "keying material", expected: MAX_HKDF, actual: out.len() });
        }
        if out.is_empty() {
            // The library treats a request for zero bytes as an error.
            return Ok(());
        }
        self.idle.with(
            || self.context(),
            |ctx| {
                let params = [
                    Param::octets(sys::OSSL_KDF_PARAM_SALT, salt),
                    Param::octets(sys::OSSL_KDF_PARAM_KEY, key_material),
                    Param::octets(sys::OSSL_KDF_PARAM_INFO, info),
                    Param::END,
                ];
                // SAFETY: only this thread uses the context, `params` ends with `Param::END`, and the first call writes
                // `out.len()` bytes. The reset wipes the key material. The digest stays set, because the HKDF-SHA256
                // algorithm fixes it.
                let returned = unsafe {
                    let returned = sys::EVP_KDF_derive(ctx.as_ptr(), out.as_mut_ptr(), out.len(), array(&params));
                    sys::EVP_KDF_CTX_reset(ctx.as_ptr());
                    returned
                };
                check("EVP_KDF_derive", returned)
            },
        )
    }
}

impl Aes256Gcm {
    pub(super) fn new() -> Result<Aes256Gcm> {
        // SAFETY: null means the default library context and no properties. We own the returned reference.
        let cipher = unsafe {
            let fetched = sys::EVP_CIPHER_fetch(ptr::null_mut(), c"AES-256-GCM".as_ptr(), ptr::null());
            Cipher::adopt("EVP_CIPHER_fetch", fetched)?
        };
        Ok(Aes256Gcm(cipher))
    }
}

impl Aead for Aes256Gcm {
    fn algorithm(&self) -> &str {
        "AES-256-GCM"
    }

    fn key_len(&self) -> usize {
        AES_KEY
    }

    fn nonce_len(&self) -> usize {
        GCM_NONCE
    }

    fn tag_len(&self) -> usize {
        GCM_TAG
    }

    fn load_key(&self, key: &[u8]) -> Result<Box<dyn AeadKey>> {
        Error::check_length("key", AES_KEY, key.len())?;
        let (sealing, opening) = (CipherCtx::new()?, CipherCtx::new()?);
        let (cipher, key, none) = (self.0.as_ptr(), key.as_ptr(), ptr::null());
        // SAFETY: nothing else uses the contexts, and the key has the cipher's length. Null leaves
        // the nonce unset; each `seal` or `open` sets it.
        unsafe {
            let returned = sys::EVP_EncryptInit_ex2(sealing.as_ptr(), cipher, key, none, ptr::null());
            check("EVP_EncryptInit_ex2", returned)?;
            let returned = sys::EVP_DecryptInit_ex2(opening.as_ptr(), cipher, key, none, ptr::null());
            check("EVP_DecryptInit_ex2", returned)?;
        }
        let (sealing, opening) = (Template(sealing), Template(opening));
        let (idle_sealing, idle_opening) = (Contexts::new(), Contexts::new());
        Ok(Box::new(GcmKey { sealing, opening, idle_sealing, idle_opening }))
    }
}

/// AES-256 in counter mode.
pub(super) struct Aes256Ctr(Cipher);

impl Aes256Ctr {
    pub(super) fn new() -> Result<Aes256Ctr> {
        // SAFETY: null means the default library context and no properties. We own the returned reference.
        let cipher = unsafe {
            let fetched = sys::EVP_CIPHER_fetch(ptr::null_mut(), c"AES-256-CTR".as_ptr(), ptr::null());
            Cipher::adopt("EVP_CIPHER_fetch", fetched)?
        };
        Ok(Aes256Ctr(cipher))
    }
}

impl StreamCipher for Aes256Ctr {
    fn algorithm(&self) -> &str {
        "AES-256-CTR"
    }

    fn key_len(&self) -> usize {
        AES_KEY
    }

    fn counter_len(&self) -> usize {
        AES_BLOCK
    }

    /// Encrypts or decrypts with a new context. Freeing the context wipes the key.
    fn apply_once(&self, key: &[u8], counter: &[u8], buffer: &mut [u8]) -> Result<()> {
        Error::check_length("key", AES_KEY, key.len())?;
        Error::check_length("counter", AES_BLOCK, counter.len())?;
        let owned = CipherCtx::new()?;
        let (ctx, cipher) = (owned.as_ptr(), self.0.as_ptr());
        let mut length: c_int = 0;
        // SAFETY: nothing else uses the context. The key and the counter have the cipher's lengths.
        // OpenSSL allows encryption in place, and in this mode the output is as long as the input.
        unsafe {
            let returned = sys::EVP_EncryptInit_ex2(ctx, cipher, key.as_ptr(), counter.as_ptr(), ptr::null());
            check("EVP_EncryptInit_ex2", returned)?;
            for piece in buffer.chunks_mut(PIECE) {
                let (data, size) = (piece.as_mut_ptr(), piece.len() as c_int);
                check("EVP_EncryptUpdate", sys::EVP_EncryptUpdate(ctx, data, &raw mut length, data, size))?;
            }
        }
        Ok(())
    }
}

impl CipherCtx {
    fn new() -> Result<CipherCtx> {
        // SAFETY: we own the returned context.
        unsafe { CipherCtx::adopt("EVP_CIPHER_CTX_new", sys::EVP_CIPHER_CTX_new()) }
    }
}

impl Template<CipherCtx> {
    fn copy(&self) -> Result<CipherCtx> {
        // SAFETY: the call only reads the template, and we own the copy.
        unsafe { CipherCtx::adopt("EVP_CIPHER_CTX_dup", sys::EVP_CIPHER_CTX_dup(self.0.as_ptr())) }
    }
}

impl AeadKey for GcmKey {
    fn seal(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        Error::check_length("nonce", GCM_NONCE, nonce.len())?;
        Error::check_length("tag", GCM_TAG, tag.len())?;
        self.idle_sealing.with(
            || self.sealing.copy(),
            |ctx| {
                let ctx = ctx.as_ptr();
                let mut length: c_int = 0;
                // SAFETY: only this thread uses the context, which holds the key. The nonce has the
                // cipher's length. A null output marks the input as associated data. OpenSSL allows
                // encryption in place. In this mode `EVP_EncryptFinal_ex` writes nothing, and the
                // last call writes the 16 bytes of `tag`.
                unsafe {
                    let returned = sys::EVP_EncryptInit_ex2(ctx, ptr::null(), ptr::null(), nonce.as_ptr(), ptr::null());
                    check("EVP_EncryptInit_ex2", returned)?;
                    for piece in associated_data.chunks(PIECE) {
                        let (data, size) = (piece.as_ptr(), piece.len() as c_int);
                        let returned = sys::EVP_EncryptUpdate(ctx, ptr::null_mut(), &raw mut length, data, size);
                        check("EVP_EncryptUpdate", returned)?;
                    }
                    for piece in buffer.chunks_mut(PIECE) {
                        let (data, size) = (piece.as_mut_ptr(), piece.len() as c_int);
                        check("EVP_EncryptUpdate", sys::EVP_EncryptUpdate(ctx, data, &raw mut length, data, size))?;
                    }
                    check("EVP_EncryptFinal_ex", sys::EVP_EncryptFinal_ex(ctx, tag.as_mut_ptr(), &raw mut length))?;
                    let (command, size) = (sys::EVP_CTRL_AEAD_GET_TAG, GCM_TAG as c_int);
                    check("EVP_CIPHER_CTX_ctrl", sys::EVP_CIPHER_CTX_ctrl(ctx, command, size, tag.as_mut_ptr().cast()))
                }
            },
        )
    }

    /// Opens a message. If the tag is wrong, wipes the plaintext, because OpenSSL decrypts before
    /// it checks the tag.
    fn open(&self, nonce: &[u8], associated_data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        Error::check_length("nonce", GCM_NONCE, nonce.len())?;
        Error::check_length("tag", GCM_TAG, tag.len())?;
        self.idle_opening.with(
            || self.opening.copy(),
            |ctx| {
                let ctx = ctx.as_ptr();
                let mut length: c_int = 0;
                let mut expected = [0; GCM_TAG];
                expected.copy_from_slice(tag);
                // SAFETY: see `seal`. `EVP_CIPHER_CTX_ctrl` copies the expected tag.
                // `EVP_DecryptFinal_ex` writes nothing in this mode, but needs a valid output
                // pointer.
                let returned = unsafe {
                    let returned = sys::EVP_DecryptInit_ex2(ctx, ptr::null(), ptr::null(), nonce.as_ptr(), ptr::null());
                    check("EVP_DecryptInit_ex2", returned)?;
                    for piece in associated_data.chunks(PIECE) {
                        let (data, size) = (piece.as_ptr(), piece.len() as c_int);
                        let returned = sys::EVP_DecryptUpdate(ctx, ptr::null_mut(), &raw mut length, data, size);
                        check("EVP_DecryptUpdate", returned)?;
                    }
                    for piece in buffer.chunks_mut(PIECE) {
                        let (data, size) = (piece.as_mut_ptr(), piece.len() as c_int);
                        check("EVP_DecryptUpdate", sys::EVP_DecryptUpdate(ctx, data, &raw mut length, data, size))?;
                    }
                    let (command, size) = (sys::EVP_CTRL_AEAD_SET_TAG, GCM_TAG as c_int);
                    let set = sys::EVP_CIPHER_CTX_ctrl(ctx, command, size, expected.as_mut_ptr().cast());
                    check("EVP_CIPHER_CTX_ctrl", set)?;
                    sys::EVP_DecryptFinal_ex(ctx, expected.as_mut_ptr(), &raw mut length)
                };
                if returned > 0 {
                    return Ok(());
                }
                wipe(buffer);
                Err(Linked.refused())
            },
        )
    }
}
