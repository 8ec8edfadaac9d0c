//! ML-KEM (FIPS 203) by the crate `libcrux-ml-kem`, with its `unpacked` keys: matrix expanded, key hashed, vectors in
//! NTT form.

use super::{draw, front, sized, sized_mut};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
};
use std::marker::PhantomData;
use std::sync::Arc;
use zeroize::Zeroizing;

pub(super) fn portable() -> Vec<Arc<dyn Kem>> {
    vec![MlKem::<Portable512>::new(), MlKem::<Portable768>::new(), MlKem::<Portable1024>::new()]
}

#[cfg(target_arch = "x86_64")]
pub(super) fn avx2() -> Vec<Arc<dyn Kem>> {
    vec![MlKem::<Avx2With512>::new(), MlKem::<Avx2With768>::new(), MlKem::<Avx2With1024>::new()]
}

#[cfg(target_arch = "aarch64")]
pub(super) fn neon() -> Vec<Arc<dyn Kem>> {
    vec![MlKem::<Neon512>::new(), MlKem::<Neon768>::new(), MlKem::<Neon1024>::new()]
}

/// A parameter set on a code path. The crate repeats the same functions in a module for each.
trait ParameterSet: Send + Sync + 'static {
    const ALGORITHM: &'static str;
    type Encapsulation: Send + Sync;
    type Pair: Send + Sync;

    /// FIPS 203, algorithm 16, into the caller's buffers.
    fn generate_encoded(seed: &[u8; 64], encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()>;
    fn generate(seed: &[u8; 64]) -> Box<Self::Pair>;
    fn decode_encapsulation_key(bytes: &[u8]) -> Result<Box<Self::Encapsulation>>;
    fn decode_decapsulation_key(bytes: &[u8]) -> Result<Box<Self::Pair>>;
    fn encode_encapsulation_key(key: &Self::Encapsulation, out: &mut [u8]) -> Result<usize>;
    fn encode_public_half(pair: &Self::Pair, out: &mut [u8]) -> Result<usize>;
    fn encode_decapsulation_key(pair: &Self::Pair, out: &mut [u8]) -> Result<usize>;
    fn encapsulation_key(pair: &Self::Pair) -> Box<Self::Encapsulation>;
    fn encapsulate(key: &Self::Encapsulation, m: &[u8; 32], ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()>;
    fn decapsulate(pair: &Self::Pair, ciphertext: &[u8], secret: &mut [u8]) -> Result<()>;
}

macro_rules! parameter_set {
    ($name:ident, $algorithm:literal, $set:ident::$path:ident, $encapsulation:ident, $pair:ident, $public:ident,
     $private:ident) => {
        struct $name;

        impl ParameterSet for $name {
            const ALGORITHM: &'static str = $algorithm;
            type Encapsulation = libcrux_ml_kem::$set::$path::unpacked::$encapsulation;
            type Pair = libcrux_ml_kem::$set::$path::unpacked::$pair;

            fn generate_encoded(
                seed: &[u8; 64],
                encapsulation_key: &mut [u8],
                decapsulation_key: &mut [u8],
            ) -> Result<()> {
                let encapsulation_key = sized_mut("encapsulation key", encapsulation_key)?;
                let decapsulation_key = sized_mut("decapsulation key", decapsulation_key)?;
                let pair = libcrux_ml_kem::$set::$path::generate_key_pair(*seed);
                *encapsulation_key = *pair.pk();
                *decapsulation_key = *pair.sk();
                Ok(())
            }

            fn generate(seed: &[u8; 64]) -> Box<Self::Pair> {
                let mut pair = Box::new(libcrux_ml_kem::$set::$path::unpacked::init_key_pair());
                libcrux_ml_kem::$set::$path::unpacked::generate_key_pair_mut(*seed, &mut pair);
                pair
            }

            fn decode_encapsulation_key(bytes: &[u8]) -> Result<Box<Self::Encapsulation>> {
                let packed = libcrux_ml_kem::$set::$public::from(sized("encapsulation key", bytes)?);
                if !libcrux_ml_kem::$set::$path::validate_public_key(&packed) {
                    return Err(Error::Malformed("encapsulation key"));
                }
                let mut key = Box::new(libcrux_ml_kem::$set::$path::unpacked::init_public_key());
                libcrux_ml_kem::$set::$path::unpacked::unpacked_public_key(&packed, &mut key);
                Ok(key)
            }

            fn decode_decapsulation_key(bytes: &[u8]) -> Result<Box<Self::Pair>> {
                let packed = libcrux_ml_kem::$set::$private::from(sized("decapsulation key", bytes)?);
                if !libcrux_ml_kem::$set::$path::validate_private_key_only(&packed) {
                    return Err(Error::Malformed("decapsulation key"));
                }
                let mut pair = Box::new(libcrux_ml_kem::$set::$path::unpacked::init_key_pair());
                libcrux_ml_kem::$set::$path::unpacked::key_pair_from_private_mut(&packed, &mut pair);
                Ok(pair)
            }

            fn encode_encapsulation_key(key: &Self::Encapsulation, out: &mut [u8]) -> Result<usize> {
                const LENGTH: usize = libcrux_ml_kem::$set::$public::len();
                let out = front::<LENGTH>("encapsulation key", out)?;
                let mut packed = libcrux_ml_kem::$set::$public::default();
                libcrux_ml_kem::$set::$path::unpacked::serialized_public_key(key, &mut packed);
                *out = packed.into();
                Ok(LENGTH)
            }

            fn encode_public_half(pair: &Self::Pair, out: &mut [u8]) -> Result<usize> {
                Self::encode_encapsulation_key(pair.public_key(), out)
            }

            fn encode_decapsulation_key(pair: &Self::Pair, out: &mut [u8]) -> Result<usize> {
                const LENGTH: usize = libcrux_ml_kem::$set::$private::len();
                let out = front::<LENGTH>("decapsulation key", out)?;
                *out = libcrux_ml_kem::$set::$path::unpacked::key_pair_serialized_private_key(pair).into();
                Ok(LENGTH)
            }

            fn encapsulation_key(pair: &Self::Pair) -> Box<Self::Encapsulation> {
                Box::new(pair.public_key().clone())
            }

            fn encapsulate(
                key: &Self::Encapsulation,
                m: &[u8; 32],
                ciphertext: &mut [u8],
                secret: &mut [u8],
            ) -> Result<()> {
                let ciphertext = sized_mut("ciphertext", ciphertext)?;
                let secret = sized_mut("shared secret", secret)?;
                let (c, k) = libcrux_ml_kem::$set::$path::unpacked::encapsulate(key, *m);
                *ciphertext = c.into();
                *secret = k;
                Ok(())
            }

            fn decapsulate(pair: &Self::Pair, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
                let ciphertext = sized("ciphertext", ciphertext)?.into();
                *sized_mut("shared secret", secret)? =
                    libcrux_ml_kem::$set::$path::unpacked::decapsulate(pair, &ciphertext);
                Ok(())
            }
        }
    };
}

macro_rules! parameter_sets {
    ($path:ident, $name512:ident, $name768:ident, $name1024:ident) => {
        parameter_set!(
            $name512,
            "ML-KEM-512",
            mlkem512::$path,
            MlKem512PublicKeyUnpacked,
            MlKem512KeyPairUnpacked,
            MlKem512PublicKey,
            MlKem512PrivateKey
        );
        parameter_set!(
            $name768,
            "ML-KEM-768",
            mlkem768::$path,
            MlKem768PublicKeyUnpacked,
            MlKem768KeyPairUnpacked,
            MlKem768PublicKey,
            MlKem768PrivateKey
        );
        parameter_set!(
            $name1024,
            "ML-KEM-1024",
            mlkem1024::$path,
            MlKem1024PublicKeyUnpacked,
            MlKem1024KeyPairUnpacked,
            MlKem1024PublicKey,
            MlKem1024PrivateKey
        );
    };
}

parameter_sets!(portable, Portable512, Portable768, Portable1024);
#[cfg(target_arch = "x86_64")]
parameter_sets!(avx2, Avx2With512, Avx2With768, Avx2With1024);
#[cfg(target_arch = "aarch64")]
parameter_sets!(neon, Neon512, Neon768, Neon1024);

const NO_SUCH_ENCODING: Error = Error::Unsupported("an ML-KEM key is a seed or expanded");

struct MlKem<S> {
    info: KemInfo,
    set: PhantomData<S>,
}

impl<S: ParameterSet> MlKem<S> {
    #[allow(clippy::new_ret_no_self, reason = "only ever seen through the trait")]
    fn new() -> Arc<dyn Kem> {
        let info = KemInfo {
            parameters: KemParameters::of(S::ALGORITHM).expect("the table of FIPS 203 has every ML-KEM"),
            encodings: vec![KeyEncoding::Expanded, KeyEncoding::Seed],
            coins: CoinSupport { keygen: true, operation: true },
        };
        Arc::new(MlKem::<S> { info, set: PhantomData })
    }
}

impl<S: ParameterSet> Kem for MlKem<S> {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        S::generate_encoded(&*draw(coins)?, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(PreparedDecapsulationKey::<S>::expand(draw(coins)?)))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedEncapsulationKey::<S>(S::decode_encapsulation_key(bytes)?)))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        match encoding {
            KeyEncoding::Seed => {
                let seed = Zeroizing::new(*sized("decapsulation key", bytes)?);
                Ok(Box::new(PreparedDecapsulationKey::<S>::expand(seed)))
            }
            KeyEncoding::Expanded => {
                let pair = S::decode_decapsulation_key(bytes)?;
                Ok(Box::new(PreparedDecapsulationKey::<S> { pair, seed: None }))
            }
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}

struct PreparedEncapsulationKey<S: ParameterSet>(Box<S::Encapsulation>);

impl<S: ParameterSet> EncapsulationKey for PreparedEncapsulationKey<S> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        S::encapsulate(&self.0, &*draw(coins)?, ciphertext, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        S::encode_encapsulation_key(&self.0, out)
    }
}

struct PreparedDecapsulationKey<S: ParameterSet> {
    pair: Box<S::Pair>,
    /// Known unless the key was loaded expanded.
    seed: Option<Zeroizing<[u8; 64]>>,
}

impl<S: ParameterSet> PreparedDecapsulationKey<S> {
    fn expand(seed: Zeroizing<[u8; 64]>) -> PreparedDecapsulationKey<S> {
        PreparedDecapsulationKey { pair: S::generate(&seed), seed: Some(seed) }
    }
}

impl<S: ParameterSet> DecapsulationKey for PreparedDecapsulationKey<S> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        S::decapsulate(&self.pair, ciphertext, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedEncapsulationKey::<S>(S::encapsulation_key(&self.pair))))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        S::encode_public_half(&self.pair, out)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match (encoding, &self.seed) {
            (KeyEncoding::Expanded, _) => S::encode_decapsulation_key(&self.pair, out),
            (KeyEncoding::Seed, Some(seed)) => {
                *front("decapsulation key", out)? = **seed;
                Ok(seed.len())
            }
            (KeyEncoding::Seed, None) => Err(Error::Unsupported("the key was loaded expanded: its seed is unknown")),
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}
