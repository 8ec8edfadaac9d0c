//! Hybrid KEMs of X25519 and ML-KEM-768. Each hybrid implements [`Kem`]. Its two halves may come from different
//! libraries. An earlier system defined the reference form.
//!
//! In the table, M is ML-KEM-768 and X is X25519. `ss` is a shared secret, `ct` a ciphertext and `pk` a public key.
//! "Binds" lists the inputs that cannot change without changing the secret.
//!
//! | construction | secret | binds |
//! |---|---|---|
//! | X-Wing (draft-connolly-cfrg-xwing-kem) | `SHA3-256(ssM, ssX, ctX, pkX, label)` | ciphertext and recipient |
//! | MLKEM768-X25519-SHA3-256 (LAMPS composite) | as X-Wing, with a different private key | ciphertext and recipient |
//! | X25519MLKEM768 (TLS 1.3 group 0x11EC) | `ssM, ssX`, 64 bytes, no KDF | nothing: TLS hashes its transcript |
//! | the reference form | `HKDF-SHA256(ssX, ssM; salt = ctX, ctM)` | the ciphertext, not the recipient's `pkX` |
//!
//! The steps of a hybrid perform these X25519 operations:
//!
//! - key generation: one key generation
//! - encapsulation: one key generation (the ephemeral key) and one Diffie-Hellman computation
//! - decapsulation: one Diffie-Hellman computation
//!
//! The X25519 half is therefore a KEM with the ephemeral key as ciphertext. Table rows for X25519 alone measure the
//! operations of this KEM.
//!
//! If an encapsulation key or a ciphertext contains an X25519 key of low order, the X25519 secret is zero. X-Wing
//! hashes this secret like any other: its draft (sections 5.4 and 5.5) calls the function of RFC 7748, section 5, and
//! specifies an error only for ML-KEM's key. X-Wing implementations that return the library's error instead behave
//! differently. The other constructions reject keys of low order (RFC 7748, section 6.1), as TLS requires for
//! X25519MLKEM768.

mod combiner;
mod keys;
mod low_order;
mod mock;

pub use mock::MockKem;

use crate::{cbor, coins};
use combiner::Combiner;
use keys::{HybridDecapsulationKey, HybridEncapsulationKey};
use low_order::LowOrder;
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Hash, Kdf, Kem, KemInfo, KemParameters, KeyEncoding,
    Result, Wiped, Xof,
};
use std::sync::Arc;

/// Lengths in bytes (FIPS 203, table 3; RFC 7748, section 5).
pub(crate) mod length {
    pub(crate) const ML_KEM_KEY: usize = 1184;
    pub(crate) const ML_KEM_CIPHERTEXT: usize = 1088;
    /// ML-KEM seed, `d || z`.
    pub(crate) const ML_KEM_SEED: usize = 64;
    /// Longest encoding of a decapsulation key: `dk` in FIPS 203.
    pub(crate) const ML_KEM_EXPANDED: usize = 2400;
    pub(crate) const ML_KEM_COINS: usize = 32;
    /// X25519 public key, private key, ciphertext and random bytes.
    pub(crate) const X25519: usize = 32;
    /// Shared secret of either half.
    pub(crate) const SECRET: usize = 32;
    /// Seeds of both halves, `d || z || skX`.
    pub(crate) const SEEDS: usize = ML_KEM_SEED + X25519;
    pub(crate) const CIPHERTEXT: usize = ML_KEM_CIPHERTEXT + X25519;
}
use length::{CIPHERTEXT, ML_KEM_CIPHERTEXT, ML_KEM_KEY, ML_KEM_SEED, SEEDS, X25519};

/// A hybrid KEM: two halves, a combiner and a layout.
pub struct HybridKem {
    info: KemInfo,
    classical: Arc<dyn Kem>,
    post_quantum: Arc<dyn Kem>,
    layout: Layout,
    combiner: Combiner,
    low_order: LowOrder,
}

/// Encoding of keys and ciphertexts.
#[derive(Clone)]
enum Layout {
    /// ML-KEM first. The private key consists of 32 bytes, which SHAKE256 expands to the seeds.
    Expanded(Arc<dyn Xof>),
    /// ML-KEM first. The private key consists of the seeds, `d || z || skX`.
    Seeds,
    /// Reference form of an earlier system. Keys are CBOR pairs, X25519 first. Ciphertexts also start with X25519.
    Reference,
}

impl Layout {
    fn encoding(&self) -> KeyEncoding {
        match self {
            Layout::Expanded(_) | Layout::Seeds => KeyEncoding::Seed,
            Layout::Reference => KeyEncoding::Cbor,
        }
    }

    /// Splits a ciphertext into its ML-KEM and X25519 parts, in that order.
    fn split<'a>(&self, ciphertext: &'a [u8]) -> Result<(&'a [u8], &'a [u8])> {
        Error::check_length("ciphertext", CIPHERTEXT, ciphertext.len())?;
        Ok(match self {
            Layout::Expanded(_) | Layout::Seeds => ciphertext.split_at(ML_KEM_CIPHERTEXT),
            Layout::Reference => {
                let (classical, post_quantum) = ciphertext.split_at(X25519);
                (post_quantum, classical)
            }
        })
    }

    fn split_mut<'a>(&self, ciphertext: &'a mut [u8]) -> Result<(&'a mut [u8], &'a mut [u8])> {
        Error::check_length("ciphertext", CIPHERTEXT, ciphertext.len())?;
        Ok(match self {
            Layout::Expanded(_) | Layout::Seeds => ciphertext.split_at_mut(ML_KEM_CIPHERTEXT),
            Layout::Reference => {
                let (classical, post_quantum) = ciphertext.split_at_mut(X25519);
                (post_quantum, classical)
            }
        })
    }

    /// Writes an encapsulation key and returns its length in bytes.
    fn write_key(&self, post_quantum: &[u8; ML_KEM_KEY], classical: &[u8; X25519], out: &mut [u8]) -> Result<usize> {
        const WHAT: &str = "encapsulation key";
        if let Layout::Reference = self {
            return cbor::write(WHAT, [classical, post_quantum], out);
        }
        const LENGTH: usize = ML_KEM_KEY + X25519;
        let actual = out.len();
        let out = out.get_mut(..LENGTH).ok_or(Error::Length { what: WHAT, expected: LENGTH, actual })?;
        out[..ML_KEM_KEY].copy_from_slice(post_quantum);
        out[ML_KEM_KEY..].copy_from_slice(classical);
        Ok(LENGTH)
    }

    /// Splits an encapsulation key into its ML-KEM and X25519 parts, in that order.
    fn read_key<'a>(&self, bytes: &'a [u8]) -> Result<(&'a [u8], &'a [u8])> {
        if let Layout::Reference = self {
            let [classical, post_quantum] = cbor::read("encapsulation key", bytes, [X25519, ML_KEM_KEY])?;
            return Ok((post_quantum, classical));
        }
        Error::check_length("encapsulation key", ML_KEM_KEY + X25519, bytes.len())?;
        Ok(bytes.split_at(ML_KEM_KEY))
    }
}

/// Private key material: X-Wing's 32-byte seed, or `d || z || skX`.
#[derive(Clone)]
enum Secret {
    Short(Wiped<[u8; 32]>),
    Long(Wiped<[u8; SEEDS]>),
}

impl Secret {
    fn draw(layout: &Layout, coins: Coins) -> Result<Secret> {
        Ok(match layout {
            Layout::Expanded(_) => Secret::Short(coins::draw(coins)?),
            Layout::Seeds | Layout::Reference => Secret::Long(coins::draw(coins)?),
        })
    }

    fn read(layout: &Layout, bytes: &[u8]) -> Result<Secret> {
        if let Layout::Reference = layout {
            let [classical, post_quantum] = cbor::read("decapsulation key", bytes, [X25519, ML_KEM_SEED])?;
            let mut seeds = Wiped::new([0; SEEDS]);
            seeds[..ML_KEM_SEED].copy_from_slice(post_quantum);
            seeds[ML_KEM_SEED..].copy_from_slice(classical);
            return Ok(Secret::Long(seeds));
        }
        let expected = if let Layout::Expanded(_) = layout { 32 } else { SEEDS };
        Error::check_length("decapsulation key", expected, bytes.len())?;
        Secret::draw(layout, Coins::Exact(bytes))
    }

    fn write(&self, layout: &Layout, out: &mut [u8]) -> Result<usize> {
        const WHAT: &str = "decapsulation key";
        let bytes: &[u8] = match self {
            Secret::Short(seed) => seed.as_slice(),
            Secret::Long(seeds) => seeds.as_slice(),
        };
        if let Layout::Reference = layout {
            let (post_quantum, classical) = bytes.split_at(ML_KEM_SEED);
            return cbor::write(WHAT, [classical, post_quantum], out);
        }
        let actual = out.len();
        let expected = bytes.len();
        out.get_mut(..expected).ok_or(Error::Length { what: WHAT, expected, actual })?.copy_from_slice(bytes);
        Ok(expected)
    }

    /// Returns `d || z || skX`.
    fn seeds(&self, layout: &Layout) -> Result<Wiped<[u8; SEEDS]>> {
        match (self, layout) {
            (Secret::Short(seed), Layout::Expanded(shake256)) => {
                let mut seeds = Wiped::new([0; SEEDS]);
                shake256.digest(seed.as_slice(), seeds.as_mut_slice())?;
                Ok(seeds)
            }
            (Secret::Long(seeds), _) => Ok(seeds.clone()),
            (Secret::Short(_), _) => Err(Error::Malformed("decapsulation key")),
        }
    }
}

impl HybridKem {
    /// Builds X-Wing. Lengths in bytes: encapsulation key 1216, decapsulation key 32, ciphertext 1120, secret 32.
    /// Decapsulation accepts every ciphertext of this length, even if the library rejects the ciphertext's X25519 part.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if an argument implements a different algorithm, or if the library cannot generate ML-KEM
    /// keys from a seed.
    pub fn x_wing(
        classical: Arc<dyn Kem>,
        post_quantum: Arc<dyn Kem>,
        sha3_256: Arc<dyn Hash>,
        shake256: Arc<dyn Xof>,
    ) -> Result<HybridKem> {
        if shake256.info().algorithm != "SHAKE256" {
            return Err(Error::Unsupported("X-Wing requires SHAKE256"));
        }
        let combiner = Combiner::universal(sha3_256)?;
        HybridKem::new("X-Wing", classical, post_quantum, Layout::Expanded(shake256), combiner)
    }

    /// Builds the composite ML-KEM id-MLKEM768-X25519-SHA3-256, OID 1.3.6.1.5.5.7.6.58
    /// (draft-ietf-lamps-pq-composite-kem-14). Lengths in bytes: encapsulation key 1216, decapsulation key 96,
    /// ciphertext 1120, secret 32.
    ///
    /// # Errors
    /// Same as [`x_wing`](Self::x_wing).
    pub fn composite(
        classical: Arc<dyn Kem>,
        post_quantum: Arc<dyn Kem>,
        sha3_256: Arc<dyn Hash>,
    ) -> Result<HybridKem> {
        let combiner = Combiner::universal(sha3_256)?;
        HybridKem::new("MLKEM768-X25519-SHA3-256", classical, post_quantum, Layout::Seeds, combiner)
    }

    /// Builds X25519MLKEM768, TLS 1.3 group 0x11EC (RFC 10024). The encapsulation key is the client's key share, 1216
    /// bytes. The ciphertext is the server's key share, 1120 bytes. Both start with ML-KEM. The secret is 64 bytes
    /// long. The standard does not define an encoding for the private key. pqlab uses `d || z || skX`, 96 bytes. X25519
    /// ignores one bit of the ciphertext, so flipping this bit does not change the secret. TLS detects the flip with
    /// its transcript hash.
    ///
    /// # Errors
    /// Same as [`x_wing`](Self::x_wing).
    pub fn x25519_ml_kem_768(classical: Arc<dyn Kem>, post_quantum: Arc<dyn Kem>) -> Result<HybridKem> {
        HybridKem::new("X25519MLKEM768", classical, post_quantum, Layout::Seeds, Combiner::Concatenation)
    }

    /// Builds the reference form of an earlier system. Its secret is 32 bytes long:
    /// `HKDF-SHA256(ikm = ssX || ssM, salt = ctX || ctM, info)` with the info string
    /// `"quantum-safe hybrid KEM v1" || 00 || "X25519+ML-KEM-768"`. The ciphertext is `ctX || ctM`, 1120 bytes. Keys
    /// are CBOR pairs, X25519 first. The post-quantum half may be a [`MockKem`].
    ///
    /// Unlike X-Wing, this form does NOT bind the recipient's X25519 key `pkX`. pqlab offers the form only to reproduce
    /// that system's tables. Do not use it for anything else.
    ///
    /// # Errors
    /// Same as [`x_wing`](Self::x_wing).
    pub fn reference(classical: Arc<dyn Kem>, post_quantum: Arc<dyn Kem>, hkdf: Arc<dyn Kdf>) -> Result<HybridKem> {
        let mock = post_quantum.info().parameters.algorithm == MockKem::ALGORITHM;
        let algorithm = if mock { "X25519+mock" } else { "X25519+ML-KEM-768" };
        let combiner = Combiner::hkdf(hkdf)?;
        HybridKem::new(algorithm, classical, post_quantum, Layout::Reference, combiner)
    }

    fn new(
        algorithm: &'static str,
        classical: Arc<dyn Kem>,
        post_quantum: Arc<dyn Kem>,
        layout: Layout,
        combiner: Combiner,
    ) -> Result<HybridKem> {
        if classical.info().parameters.algorithm != "X25519" {
            return Err(Error::Unsupported("the classical half must be X25519"));
        }
        let name = post_quantum.info().parameters.algorithm.as_ref();
        if name != "ML-KEM-768" && !(name == MockKem::ALGORITHM && algorithm == "X25519+mock") {
            return Err(Error::Unsupported("the post-quantum half must be ML-KEM-768"));
        }
        let (first, second) = (classical.info().coins, post_quantum.info().coins);
        if !(first.keygen && second.keygen) {
            return Err(Error::Unsupported(
                "hybrid keys require seeds, but one of the two libraries does not accept seeds",
            ));
        }
        let parameters = KemParameters::find(algorithm).ok_or(Error::Unsupported(algorithm))?;
        let coins = CoinSupport { keygen: true, operation: first.operation && second.operation };
        let info = KemInfo { parameters, encodings: vec![layout.encoding()], coins };
        // Only X-Wing accepts low-order points, because its draft defines no error for them.
        let low_order = match layout {
            Layout::Expanded(_) => LowOrder::Combined(Arc::clone(&classical)),
            Layout::Seeds | Layout::Reference => LowOrder::Refused,
        };
        Ok(HybridKem { info, classical, post_quantum, layout, combiner, low_order })
    }

    /// Prepares both halves of the private key for decapsulation.
    fn prepare(&self, secret: Secret) -> Result<Box<dyn DecapsulationKey>> {
        let seeds = secret.seeds(&self.layout)?;
        let (post_quantum, classical) = seeds.split_at(ML_KEM_SEED);
        let post_quantum = self.post_quantum.generate(Coins::Exact(post_quantum))?;
        let classical = self.classical.generate(Coins::Exact(classical))?;
        HybridDecapsulationKey::boxed(
            classical,
            post_quantum,
            self.layout.clone(),
            self.combiner.clone(),
            self.low_order.clone(),
            secret,
        )
    }
}

impl Kem for HybridKem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let parameters = &self.info.parameters;
        Error::check_length("encapsulation key", parameters.encapsulation_key, encapsulation_key.len())?;
        let expected = self.info.decapsulation_key(self.layout.encoding()).unwrap_or_default();
        Error::check_length("decapsulation key", expected, decapsulation_key.len())?;
        let secret = Secret::draw(&self.layout, coins)?;
        let seeds = secret.seeds(&self.layout)?;
        let (post_quantum, classical) = seeds.split_at(ML_KEM_SEED);

        let (mut public, mut public_x) = ([0; ML_KEM_KEY], [0; X25519]);
        // `generate_encoded` also writes the halves' private keys, but the hybrid's private key is
        // the seeds.
        let mut expanded = Wiped::new([0; length::ML_KEM_EXPANDED]);
        let mut scalar = Wiped::new([0; X25519]);
        let info = self.post_quantum.info();
        let key_length = info.encodings.first().and_then(|&encoding| info.decapsulation_key(encoding));
        let expanded = key_length.and_then(|length| expanded.get_mut(..length));
        let expanded = expanded.ok_or(Error::Unsupported("the library cannot export ML-KEM decapsulation keys"))?;
        self.post_quantum.generate_encoded(Coins::Exact(post_quantum), &mut public, expanded)?;
        self.classical.generate_encoded(Coins::Exact(classical), &mut public_x, scalar.as_mut_slice())?;
        self.layout.write_key(&public, &public_x, encapsulation_key)?;
        secret.write(&self.layout, decapsulation_key)?;
        Ok(())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        self.prepare(Secret::draw(&self.layout, coins)?)
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        let (post_quantum, classical) = self.layout.read_key(bytes)?;
        HybridEncapsulationKey::boxed(
            self.classical.load_encapsulation_key(classical)?,
            self.post_quantum.load_encapsulation_key(post_quantum)?,
            self.layout.clone(),
            self.combiner.clone(),
            self.low_order.clone(),
        )
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        if encoding != self.layout.encoding() {
            return Err(keys::NO_SUCH_ENCODING);
        }
        self.prepare(Secret::read(&self.layout, bytes)?)
    }
}
