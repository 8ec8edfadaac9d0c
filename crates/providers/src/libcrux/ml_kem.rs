//! ML-KEM (FIPS 203) by the crate `libcrux-ml-kem`. A key that is generated, here or from its seed, is held `unpacked`:
//! matrix expanded, key hashed, vectors in NTT form. One that is loaded from its standard encoding is checked and stays
//! packed, as the crate's calls for encoded keys take it: who has a key's bytes and one use for it calls these. To unpack it
//! first copies more, and decapsulation keys are unpacked by the portable hash and without vector instructions, whatever
//! the code path.

use super::{draw, front, sized, sized_mut, write};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
    Wiped, wipe,
};
use std::marker::PhantomData;
use std::sync::Arc;

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
    type PackedEncapsulation: Send + Sync;
    type PackedDecapsulation: Send + Sync;

    /// FIPS 203, algorithm 16, into the caller's buffers.
    fn generate_encoded(seed: &[u8; 64], encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()>;
    fn generate(seed: &[u8; 64]) -> Box<Self::Pair>;
    /// The checks of FIPS 203, section 7.2.
    fn check_encapsulation_key(bytes: &[u8]) -> Result<Self::PackedEncapsulation>;
    /// The checks of FIPS 203, section 7.3.
    fn check_decapsulation_key(bytes: &[u8]) -> Result<Self::PackedDecapsulation>;
    fn encapsulation_key_bytes(key: &Self::PackedEncapsulation) -> &[u8];
    fn decapsulation_key_bytes(key: &Self::PackedDecapsulation) -> &[u8];
    /// The encapsulation key's bytes within the decapsulation key's (FIPS 203, algorithm 16, line 3).
    fn public_half_bytes(key: &Self::PackedDecapsulation) -> &[u8];
    fn clear(key: &mut Self::PackedDecapsulation);
    fn encode_encapsulation_key(key: &Self::Encapsulation, out: &mut [u8]) -> Result<usize>;
    fn encode_public_half(pair: &Self::Pair, out: &mut [u8]) -> Result<usize>;
    fn encode_decapsulation_key(pair: &Self::Pair, out: &mut [u8]) -> Result<usize>;
    fn encapsulation_key(pair: &Self::Pair) -> Box<Self::Encapsulation>;
    fn encapsulate(key: &Self::Encapsulation, m: &[u8; 32], ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()>;
    fn decapsulate(pair: &Self::Pair, ciphertext: &[u8], secret: &mut [u8]) -> Result<()>;
    fn encapsulate_packed(
        key: &Self::PackedEncapsulation,
        m: &[u8; 32],
        ciphertext: &mut [u8],
        secret: &mut [u8],
    ) -> Result<()>;
    fn decapsulate_packed(key: &Self::PackedDecapsulation, ciphertext: &[u8], secret: &mut [u8]) -> Result<()>;
}

macro_rules! parameter_set {
    ($name:ident, $algorithm:literal, $set:ident::$path:ident, $encapsulation:ident, $pair:ident, $public:ident,
     $private:ident) => {
        struct $name;

        impl ParameterSet for $name {
            const ALGORITHM: &'static str = $algorithm;
            type Encapsulation = libcrux_ml_kem::$set::$path::unpacked::$encapsulation;
            type Pair = libcrux_ml_kem::$set::$path::unpacked::$pair;
            type PackedEncapsulation = libcrux_ml_kem::$set::$public;
            type PackedDecapsulation = libcrux_ml_kem::$set::$private;

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

            fn check_encapsulation_key(bytes: &[u8]) -> Result<Self::PackedEncapsulation> {
                let packed = libcrux_ml_kem::$set::$public::from(sized("encapsulation key", bytes)?);
                if !libcrux_ml_kem::$set::$path::validate_public_key(&packed) {
                    return Err(Error::Malformed("encapsulation key"));
                }
                Ok(packed)
            }

            fn check_decapsulation_key(bytes: &[u8]) -> Result<Self::PackedDecapsulation> {
                let packed = libcrux_ml_kem::$set::$private::from(sized("decapsulation key", bytes)?);
                if !libcrux_ml_kem::$set::$path::validate_private_key_only(&packed) {
                    return Err(Error::Malformed("decapsulation key"));
                }
                Ok(packed)
            }

            fn encapsulation_key_bytes(key: &Self::PackedEncapsulation) -> &[u8] {
                key.as_slice()
            }

            fn decapsulation_key_bytes(key: &Self::PackedDecapsulation) -> &[u8] {
                key.as_slice()
            }

            fn public_half_bytes(key: &Self::PackedDecapsulation) -> &[u8] {
                const PUBLIC: usize = libcrux_ml_kem::$set::$public::len();
                const END: usize = libcrux_ml_kem::$set::$private::len() - 64;
                &key.as_slice()[END - PUBLIC..END]
            }

            fn clear(key: &mut Self::PackedDecapsulation) {
                wipe(&mut key[0..]);
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

            fn encapsulate_packed(
                key: &Self::PackedEncapsulation,
                m: &[u8; 32],
                ciphertext: &mut [u8],
                secret: &mut [u8],
            ) -> Result<()> {
                let ciphertext = sized_mut("ciphertext", ciphertext)?;
                let secret = sized_mut("shared secret", secret)?;
                let (c, k) = libcrux_ml_kem::$set::$path::encapsulate(key, *m);
                *ciphertext = c.into();
                *secret = k;
                Ok(())
            }

            fn decapsulate_packed(key: &Self::PackedDecapsulation, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
                let ciphertext = sized("ciphertext", ciphertext)?.into();
                *sized_mut("shared secret", secret)? = libcrux_ml_kem::$set::$path::decapsulate(key, &ciphertext);
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
        Ok(Box::new(PackedEncapsulationKey::<S>(S::check_encapsulation_key(bytes)?)))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        match encoding {
            KeyEncoding::Seed => {
                let seed = Wiped::new(*sized("decapsulation key", bytes)?);
                Ok(Box::new(PreparedDecapsulationKey::<S>::expand(seed)))
            }
            KeyEncoding::Expanded => Ok(Box::new(PackedDecapsulationKey::<S>(S::check_decapsulation_key(bytes)?))),
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
    seed: Wiped<[u8; 64]>,
}

impl<S: ParameterSet> PreparedDecapsulationKey<S> {
    fn expand(seed: Wiped<[u8; 64]>) -> PreparedDecapsulationKey<S> {
        PreparedDecapsulationKey { pair: S::generate(&seed), seed }
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
        match encoding {
            KeyEncoding::Expanded => S::encode_decapsulation_key(&self.pair, out),
            KeyEncoding::Seed => write("decapsulation key", &*self.seed, out),
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}

/// A key that was loaded: each encapsulation hashes it and expands the matrix.
struct PackedEncapsulationKey<S: ParameterSet>(S::PackedEncapsulation);

impl<S: ParameterSet> EncapsulationKey for PackedEncapsulationKey<S> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        S::encapsulate_packed(&self.0, &*draw(coins)?, ciphertext, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", S::encapsulation_key_bytes(&self.0), out)
    }
}

/// A key that was loaded expanded: each decapsulation decodes its vectors and expands the matrix.
struct PackedDecapsulationKey<S: ParameterSet>(S::PackedDecapsulation);

impl<S: ParameterSet> DecapsulationKey for PackedDecapsulationKey<S> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        S::decapsulate_packed(&self.0, ciphertext, secret)
    }

    /// The hash check does not cover the coefficients: whether they are reduced is checked here.
    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        let key = S::check_encapsulation_key(S::public_half_bytes(&self.0))?;
        Ok(Box::new(PackedEncapsulationKey::<S>(key)))
    }

    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
        write("encapsulation key", S::public_half_bytes(&self.0), out)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Expanded => write("decapsulation key", S::decapsulation_key_bytes(&self.0), out),
            KeyEncoding::Seed => Err(Error::Unsupported("the key was loaded expanded: its seed is unknown")),
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}

impl<S: ParameterSet> Drop for PackedDecapsulationKey<S> {
    fn drop(&mut self) {
        S::clear(&mut self.0);
    }
}
