//! Wraps a library with a replaceable random generator, so that its algorithms accept caller-supplied randomness. The
//! resulting keys, ciphertexts and signatures can be compared with published ones.

use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KeyEncoding, KeyLengths, MU, Prehash,
    Provider, ReplaceableGenerator, Result, SignatureInfo, SignatureScheme, SigningKey, VerifyingKey,
};
use std::sync::Arc;

/// Standards that specify which random bytes an operation draws, and in which order.
const STANDARDS: [&str; 3] = ["FIPS 203", "FIPS 204", "FIPS 205"];

const DRAWS_MORE: Error = Error::Unsupported("the library draws more random bytes than the standard specifies");
const NO_VERIFYING_KEY: Error =
    Error::Unsupported("the deterministic variant needs PK.seed, which the library does not return");

/// Wraps the provider so that it accepts [`Coins::Exact`], if the library's generator can be replaced. Otherwise,
/// returns the provider unchanged.
pub(crate) fn with_given_coins(provider: &Arc<Provider>) -> Arc<Provider> {
    let Some(generator) = &provider.replaceable_generator else { return Arc::clone(provider) };
    let mut given = Provider::new(&provider.library, provider.build_info.clone());
    given.code.clone_from(&provider.code);
    given.backend.clone_from(&provider.backend);
    given.language.clone_from(&provider.language);
    given.generator.clone_from(&provider.generator);
    given.replaceable_generator = Some(Arc::clone(generator));
    given.kems = provider.kems.iter().map(|kem| GivenKem::of(kem, generator)).collect();
    given.signatures = provider.signatures.iter().map(|scheme| GivenScheme::of(scheme, generator)).collect();
    given.batch_verifiers.clone_from(&provider.batch_verifiers);
    given.key_agreements.clone_from(&provider.key_agreements);
    given.hashes.clone_from(&provider.hashes);
    given.xofs.clone_from(&provider.xofs);
    given.lane_hashes.clone_from(&provider.lane_hashes);
    given.macs.clone_from(&provider.macs);
    given.kdfs.clone_from(&provider.kdfs);
    given.aeads.clone_from(&provider.aeads);
    given.stream_ciphers.clone_from(&provider.stream_ciphers);
    given.hpke.clone_from(&provider.hpke);
    given.functions.clone_from(&provider.functions);
    given.unsupported.clone_from(&provider.unsupported);
    given.remote.clone_from(&provider.remote);
    Arc::new(given)
}

type Generator = Arc<dyn ReplaceableGenerator>;

/// Runs `call` while the library's generator returns `coins`. Fails if the call draws more bytes than `coins` contains.
fn draw_from<T>(generator: &Generator, coins: &[u8], call: impl FnOnce() -> Result<T>) -> Result<T> {
    let (mut result, mut call) = (None, Some(call));
    let drawn = generator.draw_from(coins, &mut || result = call.take().map(|call| call()));
    if drawn > coins.len() {
        return Err(DRAWS_MORE);
    }
    result.unwrap_or(Err(Error::Library { call: "replaced random generator", detail: "the call did not run".into() }))
}

struct GivenKem {
    kem: Arc<dyn Kem>,
    info: KemInfo,
    generator: Generator,
}

impl GivenKem {
    fn of(kem: &Arc<dyn Kem>, generator: &Generator) -> Arc<dyn Kem> {
        let mut info = kem.info().clone();
        if !STANDARDS.contains(&&*info.parameters.standard) {
            return Arc::clone(kem);
        }
        info.coins = CoinSupport { keygen: true, operation: true };
        Arc::new(GivenKem { kem: Arc::clone(kem), info, generator: Arc::clone(generator) })
    }

    fn key(&self, key: Box<dyn DecapsulationKey>) -> Box<dyn DecapsulationKey> {
        Box::new(GivenDecapsulationKey {
            key,
            length: self.info.parameters.encapsulation_coins,
            generator: self.generator.clone(),
        })
    }
}

impl Kem for GivenKem {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn written(&self) -> &[KeyEncoding] {
        self.kem.written()
    }

    /// Generates encoded keys with the library's own function for caller-supplied coins, if there is one. Otherwise,
    /// replaces the generator. [`generate`](Self::generate) always replaces the generator, so verification covers both
    /// methods.
    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        match coins {
            Coins::Exact(bytes) if !self.kem.info().coins.keygen => {
                Error::check_length("coins", self.info.parameters.keygen_coins, bytes.len())?;
                let generate = || self.kem.generate_encoded(Coins::Internal, encapsulation_key, decapsulation_key);
                draw_from(&self.generator, bytes, generate)
            }
            coins => self.kem.generate_encoded(coins, encapsulation_key, decapsulation_key),
        }
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        let key = match coins {
            Coins::Exact(bytes) => {
                Error::check_length("coins", self.info.parameters.keygen_coins, bytes.len())?;
                draw_from(&self.generator, bytes, || self.kem.generate(Coins::Internal))
            }
            Coins::Internal => self.kem.generate(Coins::Internal),
        };
        Ok(self.key(key?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        let key = self.kem.load_encapsulation_key(bytes)?;
        let length = self.info.parameters.encapsulation_coins;
        Ok(Box::new(GivenEncapsulationKey { key, length, generator: self.generator.clone() }))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.key(self.kem.load_decapsulation_key(encoding, bytes)?))
    }
}

struct GivenDecapsulationKey {
    key: Box<dyn DecapsulationKey>,
    /// Number of random bytes that an encapsulation uses.
    length: usize,
    generator: Generator,
}

impl DecapsulationKey for GivenDecapsulationKey {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        self.key.decapsulate(ciphertext, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        let key = self.key.encapsulation_key()?;
        Ok(Box::new(GivenEncapsulationKey { key, length: self.length, generator: self.generator.clone() }))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        self.key.encode_encapsulation_key(out)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.key.encode(encoding, out)
    }
}

struct GivenEncapsulationKey {
    key: Box<dyn EncapsulationKey>,
    /// Number of random bytes that an encapsulation uses.
    length: usize,
    generator: Generator,
}

impl EncapsulationKey for GivenEncapsulationKey {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        match coins {
            Coins::Exact(bytes) => {
                Error::check_length("coins", self.length, bytes.len())?;
                draw_from(&self.generator, bytes, || self.key.encapsulate(Coins::Internal, ciphertext, secret))
            }
            Coins::Internal => self.key.encapsulate(Coins::Internal, ciphertext, secret),
        }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        self.key.encode(out)
    }
}

struct GivenScheme {
    scheme: Arc<dyn SignatureScheme>,
    info: SignatureInfo,
    generator: Generator,
}

impl GivenScheme {
    fn of(scheme: &Arc<dyn SignatureScheme>, generator: &Generator) -> Arc<dyn SignatureScheme> {
        let mut info = scheme.info().clone();
        if !STANDARDS.contains(&&*info.parameters.standard) || info.coins.operation {
            return Arc::clone(scheme);
        }
        info.coins = CoinSupport { keygen: true, operation: true };
        Arc::new(GivenScheme { scheme: Arc::clone(scheme), info, generator: Arc::clone(generator) })
    }

    fn key(&self, key: Box<dyn SigningKey>) -> Box<dyn SigningKey> {
        Box::new(GivenSigningKey { key, info: self.info.clone(), generator: self.generator.clone() })
    }
}

impl SignatureScheme for GivenScheme {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn prehashes(&self) -> &[Prehash] {
        self.scheme.prehashes()
    }

    fn written(&self) -> &[KeyEncoding] {
        self.scheme.written()
    }

    fn draws_to_sign(&self) -> bool {
        self.scheme.draws_to_sign()
    }

    /// Generates encoded keys with the library's own function for caller-supplied coins, if there is one. Otherwise,
    /// replaces the generator. [`generate`](Self::generate) always replaces the generator, so verification covers both
    /// methods.
    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        match coins {
            Coins::Exact(bytes) if !self.scheme.info().coins.keygen => {
                Error::check_length("coins", self.info.parameters.keygen_coins, bytes.len())?;
                let generate = || self.scheme.generate_encoded(Coins::Internal, verifying_key, signing_key);
                draw_from(&self.generator, bytes, generate)
            }
            coins => self.scheme.generate_encoded(coins, verifying_key, signing_key),
        }
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        let key = match coins {
            Coins::Exact(bytes) => {
                Error::check_length("coins", self.info.parameters.keygen_coins, bytes.len())?;
                draw_from(&self.generator, bytes, || self.scheme.generate(Coins::Internal))
            }
            Coins::Internal => self.scheme.generate(Coins::Internal),
        };
        Ok(self.key(key?))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        Ok(self.key(self.scheme.load_signing_key(encoding, bytes)?))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        self.scheme.load_verifying_key(bytes)
    }
}

struct GivenSigningKey {
    key: Box<dyn SigningKey>,
    info: SignatureInfo,
    generator: Generator,
}

impl GivenSigningKey {
    /// Calls `sign` while the library's generator returns `coins`. `sign` must draw its randomness from the generator.
    fn sign_with(&self, coins: Coins, sign: impl FnOnce(Coins) -> Result<usize>) -> Result<usize> {
        match coins {
            Coins::Internal => sign(Coins::Internal),
            Coins::Exact([]) => draw_from(&self.generator, &self.deterministic()?, || sign(Coins::Internal)),
            Coins::Exact(bytes) => {
                Error::check_length("coins", self.info.parameters.signing_coins, bytes.len())?;
                draw_from(&self.generator, bytes, || sign(Coins::Internal))
            }
        }
    }

    /// Returns the bytes that the deterministic variant uses instead of random bytes: zeros in ML-DSA (FIPS 204,
    /// algorithm 2, line 5), `PK.seed` in SLH-DSA (FIPS 205, algorithm 19, line 2).
    fn deterministic(&self) -> Result<Vec<u8>> {
        let parameters = &self.info.parameters;
        let mut bytes = vec![0; parameters.signing_coins];
        if parameters.algorithm.starts_with("SLH-DSA-") {
            let mut public = vec![0; parameters.verifying_key];
            self.key.verifying_key().map_err(|_| NO_VERIFYING_KEY)?.encode(&mut public)?;
            bytes.copy_from_slice(&public[..parameters.signing_coins]);
        }
        Ok(bytes)
    }
}

impl SigningKey for GivenSigningKey {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.sign_with(coins, |coins| self.key.sign(context, message, coins, out))
    }

    fn sign_internal(&self, formatted: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.sign_with(coins, |coins| self.key.sign_internal(formatted, coins, out))
    }

    fn sign_mu(&self, mu: &[u8; MU], coins: Coins, out: &mut [u8]) -> Result<usize> {
        self.sign_with(coins, |coins| self.key.sign_mu(mu, coins, out))
    }

    fn sign_prehashed(
        &self,
        prehash: Prehash,
        context: &[u8],
        message: &[u8],
        coins: Coins,
        out: &mut [u8],
    ) -> Result<usize> {
        self.sign_with(coins, |coins| self.key.sign_prehashed(prehash, context, message, coins, out))
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        self.key.verifying_key()
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.key.encode(encoding, out)
    }
}
