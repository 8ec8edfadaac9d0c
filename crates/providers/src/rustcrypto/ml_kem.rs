//! ML-KEM (FIPS 203) by the crate `ml-kem`. Seeds are its own encoding; the expanded one it calls deprecated.

use super::{draw, fill, sized, write};
use getrandom::SysRng;
use ml_kem::kem::{Decapsulate, Generate, KeyExport};
#[allow(deprecated, reason = "FIPS 203's expanded key is an encoding of its own here")]
use ml_kem::{ExpandedKeyEncoding, ml_kem_512, ml_kem_768, ml_kem_1024};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
    Wiped,
};
use std::marker::PhantomData;
use std::sync::Arc;

pub(super) fn kems() -> Vec<Arc<dyn Kem>> {
    vec![MlKem::<MlKem512>::new(), MlKem::<MlKem768>::new(), MlKem::<MlKem1024>::new()]
}

/// What the generic code needs of a parameter set. The crate's own bounds cannot be named from outside of it.
trait ParameterSet: Send + Sync + 'static {
    const ALGORITHM: &'static str;
    type Encapsulation: Clone + Send + Sync;
    type Decapsulation: Send + Sync;

    fn generate() -> Result<Self::Decapsulation>;
    fn expand(seed: &[u8; 64]) -> Self::Decapsulation;
    fn decode_encapsulation_key(bytes: &[u8]) -> Result<Self::Encapsulation>;
    fn decode_decapsulation_key(bytes: &[u8]) -> Result<Self::Decapsulation>;
    fn encode_encapsulation_key(key: &Self::Encapsulation, out: &mut [u8]) -> Result<usize>;
    fn encode_decapsulation_key(key: &Self::Decapsulation, out: &mut [u8]) -> Result<usize>;
    fn encode_seed(key: &Self::Decapsulation, out: &mut [u8]) -> Result<usize>;
    fn encapsulation_key(key: &Self::Decapsulation) -> &Self::Encapsulation;
    fn encapsulate(key: &Self::Encapsulation, m: &[u8; 32], ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()>;
    fn decapsulate(key: &Self::Decapsulation, ciphertext: &[u8], secret: &mut [u8]) -> Result<()>;
}

macro_rules! parameter_set {
    ($name:ident, $algorithm:literal, $set:ident,
     ek: $ek:literal, dk: $dk:literal, ciphertext: $ciphertext:literal) => {
        struct $name;

        #[allow(deprecated, reason = "FIPS 203's expanded key is an encoding of its own here")]
        impl ParameterSet for $name {
            const ALGORITHM: &'static str = $algorithm;
            type Encapsulation = $set::EncapsulationKey;
            type Decapsulation = $set::DecapsulationKey;

            fn generate() -> Result<Self::Decapsulation> {
                Self::Decapsulation::try_generate_from_rng(&mut SysRng)
                    .map_err(|error| Error::Library { call: "SysRng", detail: error.to_string() })
            }

            fn expand(seed: &[u8; 64]) -> Self::Decapsulation {
                Self::Decapsulation::from_seed((*seed).into())
            }

            fn decode_encapsulation_key(bytes: &[u8]) -> Result<Self::Encapsulation> {
                Self::Encapsulation::new(sized("encapsulation key", $ek, bytes)?)
                    .map_err(|_| Error::Malformed("encapsulation key"))
            }

            fn decode_decapsulation_key(bytes: &[u8]) -> Result<Self::Decapsulation> {
                Self::Decapsulation::from_expanded_bytes(sized("decapsulation key", $dk, bytes)?)
                    .map_err(|_| Error::Malformed("decapsulation key"))
            }

            fn encode_encapsulation_key(key: &Self::Encapsulation, out: &mut [u8]) -> Result<usize> {
                write("encapsulation key", out, &key.to_bytes())
            }

            fn encode_decapsulation_key(key: &Self::Decapsulation, out: &mut [u8]) -> Result<usize> {
                write("decapsulation key", out, &Wiped::new(key.to_expanded_bytes()))
            }

            fn encode_seed(key: &Self::Decapsulation, out: &mut [u8]) -> Result<usize> {
                let seed =
                    key.to_seed().ok_or(Error::Unsupported("the key was loaded expanded: its seed is unknown"))?;
                write("decapsulation key", out, &Wiped::new(seed))
            }

            fn encapsulation_key(key: &Self::Decapsulation) -> &Self::Encapsulation {
                key.encapsulation_key()
            }

            fn encapsulate(
                key: &Self::Encapsulation,
                m: &[u8; 32],
                ciphertext: &mut [u8],
                secret: &mut [u8],
            ) -> Result<()> {
                Error::check_length("ciphertext", $ciphertext, ciphertext.len())?;
                Error::check_length("shared secret", 32, secret.len())?;
                let (c, k) = key.encapsulate_deterministic(m.into());
                ciphertext.copy_from_slice(&c);
                secret.copy_from_slice(&k);
                Ok(())
            }

            fn decapsulate(key: &Self::Decapsulation, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
                fill("shared secret", secret, &key.decapsulate(sized("ciphertext", $ciphertext, ciphertext)?))
            }
        }
    };
}

parameter_set!(MlKem512, "ML-KEM-512", ml_kem_512, ek: 800, dk: 1632, ciphertext: 768);
parameter_set!(MlKem768, "ML-KEM-768", ml_kem_768, ek: 1184, dk: 2400, ciphertext: 1088);
parameter_set!(MlKem1024, "ML-KEM-1024", ml_kem_1024, ek: 1568, dk: 3168, ciphertext: 1568);

struct MlKem<S> {
    info: KemInfo,
    set: PhantomData<S>,
}

impl<S: ParameterSet> MlKem<S> {
    #[allow(clippy::new_ret_no_self, reason = "only ever seen through the trait")]
    fn new() -> Arc<dyn Kem> {
        let info = KemInfo {
            parameters: KemParameters::of(S::ALGORITHM).expect("the table of FIPS 203 has every ML-KEM"),
            encodings: vec![KeyEncoding::Seed, KeyEncoding::Expanded],
            coins: CoinSupport { keygen: true, operation: true },
        };
        Arc::new(MlKem::<S> { info, set: PhantomData })
    }

    /// FIPS 203, algorithm 19: draws `d || z`.
    fn generate_key(coins: Coins) -> Result<S::Decapsulation> {
        match coins.exact::<64>()? {
            Some(seed) => Ok(S::expand(seed)),
            None => S::generate(),
        }
    }
}

impl<S: ParameterSet> Kem for MlKem<S> {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        Error::check_length("encapsulation key", self.info.parameters.encapsulation_key, encapsulation_key.len())?;
        Error::check_length("decapsulation key", 64, decapsulation_key.len())?;
        let key = Self::generate_key(coins)?;
        S::encode_encapsulation_key(S::encapsulation_key(&key), encapsulation_key)?;
        S::encode_seed(&key, decapsulation_key)?;
        Ok(())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(PreparedDecapsulationKey::<S>(Self::generate_key(coins)?)))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedEncapsulationKey::<S>(S::decode_encapsulation_key(bytes)?)))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        let key = match encoding {
            KeyEncoding::Seed => S::expand(sized("decapsulation key", 64, bytes)?),
            KeyEncoding::Expanded => S::decode_decapsulation_key(bytes)?,
            _ => return Err(Error::Unsupported("an ML-KEM key is a seed or expanded")),
        };
        Ok(Box::new(PreparedDecapsulationKey::<S>(key)))
    }
}

/// The matrix is expanded and the key hashed when the key is prepared.
struct PreparedEncapsulationKey<S: ParameterSet>(S::Encapsulation);

impl<S: ParameterSet> EncapsulationKey for PreparedEncapsulationKey<S> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        if let Some(m) = coins.exact::<32>()? {
            return S::encapsulate(&self.0, m, ciphertext, secret);
        }
        let mut m = Wiped::new([0; 32]);
        draw(&mut *m)?;
        S::encapsulate(&self.0, &m, ciphertext, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        S::encode_encapsulation_key(&self.0, out)
    }
}

struct PreparedDecapsulationKey<S: ParameterSet>(S::Decapsulation);

impl<S: ParameterSet> DecapsulationKey for PreparedDecapsulationKey<S> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        S::decapsulate(&self.0, ciphertext, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedEncapsulationKey::<S>(S::encapsulation_key(&self.0).clone())))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        S::encode_encapsulation_key(S::encapsulation_key(&self.0), out)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Seed => S::encode_seed(&self.0, out),
            KeyEncoding::Expanded => S::encode_decapsulation_key(&self.0, out),
            _ => Err(Error::Unsupported("an ML-KEM key is a seed or expanded")),
        }
    }
}
