//! ML-DSA (FIPS 204) from the `ml-dsa` crate. The crate's native encoding is the seed. The crate marks the expanded
//! encoding as deprecated.

use super::prehash::{signs_formatted, verifies_formatted};
use super::sized;
use crate::shared::bytes::{check_context, write};
use crate::shared::draw::draw;
use ::ml_dsa::{
    ExpandedSigningKey, Keypair, MlDsa44, MlDsa65, MlDsa87, MlDsaParams, Signature, SigningKey, VerifyingKey,
};
use getrandom::SysRng;
use getrandom::rand_core::{TryCryptoRng, TryRng};
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, MU, Prehash, Result, SignatureInfo, SignatureParameters,
    SignatureScheme, SigningKey as SigningKeyTrait, VerifyingKey as VerifyingKeyTrait, Wiped,
};
use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

pub(super) fn signatures() -> Vec<Arc<dyn SignatureScheme>> {
    vec![
        MlDsa::<MlDsa44>::new("ML-DSA-44", SecretVectors { eta: 2, polynomials: 4 + 4 }),
        MlDsa::<MlDsa65>::new("ML-DSA-65", SecretVectors { eta: 4, polynomials: 6 + 5 }),
        MlDsa::<MlDsa87>::new("ML-DSA-87", SecretVectors { eta: 2, polynomials: 8 + 7 }),
    ]
}

/// A parameter set of the crate, with the bounds that let threads share its keys.
trait ParameterSet: MlDsaParams + Send + Sync + 'static {}
impl<P: MlDsaParams + Send + Sync + 'static> ParameterSet for P {}

/// Shape of `s1` and `s2` in an encoded expanded key (FIPS 204, table 1 and algorithm 24).
struct SecretVectors {
    /// Maximum absolute value of a coefficient.
    eta: u32,
    /// Number of polynomials, `k + l`. Each polynomial has 256 coefficients.
    polynomials: usize,
}

impl SecretVectors {
    /// Returns whether every coefficient is between `-eta` and `eta`. The crate panics on keys with other coefficients,
    /// because FIPS 204, algorithm 25, leaves the check to the caller.
    fn in_range(&self, expanded_key: &[u8]) -> bool {
        // After rho, K and tr, the coefficients are packed as `eta - coefficient` in 3 or 4 bits each.
        let (bits, before) = (if self.eta == 2 { 3 } else { 4 }, 32 + 32 + 64);
        let packed = &expanded_key[before..before + self.polynomials * 256 * bits / 8];
        // A packed value exceeds 2 eta if its highest bit and at least one other bit are set. The
        // check has no branches, so that it compiles to vector code.
        if self.eta == 2 {
            let above = packed.chunks_exact(3).map(|eight| {
                let word = u32::from_le_bytes([eight[0], eight[1], eight[2], 0]);
                word & (word << 1 | word << 2) & 0o44_444_444
            });
            above.fold(0, |all, one| all | one) == 0
        } else {
            packed.iter().map(|two| two & (two << 1 | two << 2 | two << 3) & 0x88).fold(0, |all, one| all | one) == 0
        }
    }
}

struct MlDsa<P> {
    info: SignatureInfo,
    secret_vectors: SecretVectors,
    set: PhantomData<P>,
}

impl<P: ParameterSet> MlDsa<P> {
    #[allow(clippy::new_ret_no_self, reason = "callers use this type only through the trait")]
    fn new(algorithm: &str, secret_vectors: SecretVectors) -> Arc<dyn SignatureScheme> {
        let info = SignatureInfo {
            parameters: SignatureParameters::find(algorithm).expect("missing from the parameter table"),
            encodings: vec![KeyEncoding::Seed, KeyEncoding::Expanded],
            coins: CoinSupport { keygen: true, operation: true },
            context: true,
            hedged: true,
        };
        Arc::new(MlDsa::<P> { info, secret_vectors, set: PhantomData })
    }

    /// Generates a key from a caller-supplied or random `xi` (FIPS 204, algorithm 1).
    fn generate_key(coins: Coins) -> Result<SigningKey<P>> {
        if let Some(seed) = coins.exact::<32>()? {
            return Ok(SigningKey::from_seed(seed.into()));
        }
        let mut seed = Wiped::new([0; 32]);
        draw(&mut *seed)?;
        Ok(SigningKey::from_seed((&*seed).into()))
    }
}

impl<P: ParameterSet> SignatureScheme for MlDsa<P> {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn prehashes(&self) -> &[Prehash] {
        &Prehash::ALL
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let key = Self::generate_key(coins)?;
        let verifying = write("verifying key", verifying_key, &AsRef::<VerifyingKey<P>>::as_ref(&key).encode())?;
        Ok((verifying, write("signing key", signing_key, key.as_seed())?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKeyTrait>> {
        Ok(Box::new(Prepared::Seeded(Self::generate_key(coins)?)))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKeyTrait>> {
        let length = |encoding| self.info.signing_key(encoding).unwrap_or_default();
        match encoding {
            KeyEncoding::Seed => {
                let seed = sized("signing key", length(encoding), bytes)?;
                Ok(Box::new(Prepared::Seeded(SigningKey::<P>::from_seed(seed))))
            }
            KeyEncoding::Expanded => {
                let encoded = sized("signing key", length(encoding), bytes)?;
                if !self.secret_vectors.in_range(bytes) {
                    return Err(Error::Malformed("signing key"));
                }
                #[allow(deprecated, reason = "pqlab treats the expanded key in FIPS 204 as an encoding")]
                let key = ExpandedSigningKey::<P>::from_expanded(encoded);
                Ok(Box::new(Prepared::Expanded(Box::new(key))))
            }
            _ => Err(Error::Unsupported("ML-DSA signing keys must be encoded as a seed or in expanded form")),
        }
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKeyTrait>> {
        let bytes = sized("verifying key", self.info.parameters.verifying_key, bytes)?;
        Ok(Box::new(PreparedVerifyingKey(VerifyingKey::<P>::decode(bytes))))
    }
}

/// A signing key with the expanded matrix and the vectors in NTT form.
enum Prepared<P: MlDsaParams> {
    /// Key that also contains the seed and the verifying key.
    Seeded(SigningKey<P>),
    /// Key without seed and verifying key. The verifying key is computed on request.
    Expanded(Box<ExpandedSigningKey<P>>),
}

impl<P: MlDsaParams> Prepared<P> {
    fn expanded(&self) -> &ExpandedSigningKey<P> {
        match self {
            Prepared::Seeded(key) => key.expanded_key(),
            Prepared::Expanded(key) => key,
        }
    }
}

impl<P: ParameterSet> SigningKeyTrait for Prepared<P> {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        check_context(context)?;
        let key = self.expanded();
        let signature = match coins {
            Coins::Internal => key.sign_randomized(message, context, &mut SysRng),
            Coins::Exact([]) => key.sign_deterministic(message, context),
            Coins::Exact(rnd) => {
                // Only the crate's `sign_internal` takes `rnd`, and it needs M' = 0 || |ctx| || ctx
                // || M (FIPS 204, algorithm 2, line 10).
                let prefix = [0, context.len() as u8];
                Ok(key.sign_internal(&[&prefix, context, message], sized("coins", 32, rnd)?))
            }
        };
        let signature = signature.map_err(|error| Error::Library { call: "ml_dsa sign", detail: error.to_string() })?;
        write("signature", out, &signature.encode())
    }

    fn sign_internal(&self, formatted: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let signature = self.expanded().sign_internal(&[formatted], &draw_rnd(coins)?.into());
        write("signature", out, &signature.encode())
    }

    fn sign_mu(&self, mu: &[u8; MU], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let signature = self
            .expanded()
            .sign_mu_randomized(mu.into(), &mut Given(draw_rnd(coins)?))
            .map_err(|error| Error::Library { call: "ml_dsa sign", detail: error.to_string() })?;
        write("signature", out, &signature.encode())
    }

    signs_formatted!();

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKeyTrait>> {
        Ok(Box::new(PreparedVerifyingKey(match self {
            Prepared::Seeded(key) => key.verifying_key(),
            Prepared::Expanded(key) => key.verifying_key(),
        })))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match (encoding, self) {
            (KeyEncoding::Seed, Prepared::Seeded(key)) => write("signing key", out, key.as_seed()),
            (KeyEncoding::Seed, Prepared::Expanded(_)) => {
                Err(Error::Unsupported("the seed is unknown, because the key was loaded in expanded form"))
            }
            (KeyEncoding::Expanded, _) => {
                #[allow(deprecated, reason = "pqlab treats the expanded key in FIPS 204 as an encoding")]
                let bytes = Wiped::new(self.expanded().to_expanded());
                write("signing key", out, &bytes)
            }
            _ => Err(Error::Unsupported("ML-DSA signing keys must be encoded as a seed or in expanded form")),
        }
    }
}

/// A verifying key with the expanded matrix and the hash of the encoded key.
struct PreparedVerifyingKey<P: MlDsaParams>(VerifyingKey<P>);

impl<P: ParameterSet> VerifyingKeyTrait for PreparedVerifyingKey<P> {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        check_context(context)?;
        verified(self.0.verify_with_context(message, context, &decoded::<P>(signature)?))
    }

    verifies_formatted!();

    fn verify_internal(&self, formatted: &[u8], signature: &[u8]) -> Result<()> {
        verified(self.0.verify_internal(formatted, &decoded::<P>(signature)?))
    }

    fn verify_mu(&self, mu: &[u8; MU], signature: &[u8]) -> Result<()> {
        verified(self.0.verify_mu(mu.into(), &decoded::<P>(signature)?))
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("verifying key", out, &self.0.encode())
    }
}

fn decoded<P: ParameterSet>(signature: &[u8]) -> Result<Signature<P>> {
    signature.try_into().ok().and_then(Signature::<P>::decode).ok_or(Error::VerificationFailed)
}

fn verified(valid: bool) -> Result<()> {
    if valid { Ok(()) } else { Err(Error::VerificationFailed) }
}

/// Returns `rnd` for the internal interface. The deterministic variant uses zeros (FIPS 204, algorithm 2, line 5).
fn draw_rnd(coins: Coins) -> Result<[u8; 32]> {
    let mut rnd = [0; 32];
    match coins {
        Coins::Exact([]) => {}
        Coins::Exact(given) => {
            Error::check_length("coins", rnd.len(), given.len())?;
            rnd.copy_from_slice(given);
        }
        Coins::Internal => draw(&mut rnd)?,
    }
    Ok(rnd)
}

/// Generator that returns the caller's `rnd` once. The crate's function for signing `mu` takes
/// `rnd` only from a generator.
struct Given([u8; 32]);

impl TryRng for Given {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        out.copy_from_slice(&self.0[..out.len()]);
        Ok(())
    }
}

/// Marker trait that the crate requires. The caller is responsible for the quality of the coins.
impl TryCryptoRng for Given {}
