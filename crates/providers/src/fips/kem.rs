//! ML-KEM (FIPS 203) by the crate `fips203`. Both keys are their encodings: each operation expands the matrix anew.

use super::{Given, NO_SUCH_ENCODING, SEED_UNKNOWN, check_coins, front, library, sized};
use fips203::traits::{Decaps as _, Encaps as _, KeyGen as _, SerDes as _};
use pqlab_primitives::{
    CoinSupport, Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KemParameters, KeyEncoding, Result,
    Wiped,
};
use std::marker::PhantomData;
use std::sync::Arc;

/// A parameter set. The crate repeats the same types in a module for each.
trait KemSet: Send + Sync + 'static {
    type Encapsulation: Clone + Send + Sync;
    type Decapsulation: Clone + Send + Sync;

    /// FIPS 203, algorithm 19.
    fn generate(coins: Coins) -> Result<(Self::Encapsulation, Self::Decapsulation)>;
    fn decode_encapsulation_key(bytes: &[u8]) -> Result<Self::Encapsulation>;
    fn decode_decapsulation_key(bytes: &[u8]) -> Result<Self::Decapsulation>;
    fn encode_encapsulation_key(key: Self::Encapsulation, out: &mut [u8]) -> Result<usize>;
    fn encode_decapsulation_key(key: Self::Decapsulation, out: &mut [u8]) -> Result<usize>;
    fn encapsulation_key(key: &Self::Decapsulation) -> Result<Self::Encapsulation>;
    fn encapsulate(key: &Self::Encapsulation, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()>;
    fn decapsulate(key: &Self::Decapsulation, ciphertext: &[u8], secret: &mut [u8]) -> Result<()>;
}

macro_rules! kem_sets {
    ($($set:ident: $algorithm:literal;)*) => {
        pub(super) fn kems() -> Vec<Arc<dyn Kem>> {
            vec![$(MlKem::<fips203::$set::KG>::new($algorithm)),*]
        }

        $(impl KemSet for fips203::$set::KG {
            type Encapsulation = fips203::$set::EncapsKey;
            type Decapsulation = fips203::$set::DecapsKey;

            fn generate(coins: Coins) -> Result<(Self::Encapsulation, Self::Decapsulation)> {
                let pair = match coins {
                    Coins::Internal => Self::try_keygen(),
                    Coins::Exact(seed) => Self::try_keygen_with_rng(&mut Given(seed)),
                };
                pair.map_err(library("fips203 keygen"))
            }

            fn decode_encapsulation_key(bytes: &[u8]) -> Result<Self::Encapsulation> {
                let bytes = *sized("encapsulation key", bytes)?;
                Self::Encapsulation::try_from_bytes(bytes).map_err(|_| Error::Malformed("encapsulation key"))
            }

            fn decode_decapsulation_key(bytes: &[u8]) -> Result<Self::Decapsulation> {
                let bytes = *sized("decapsulation key", bytes)?;
                Self::Decapsulation::try_from_bytes(bytes).map_err(|_| Error::Malformed("decapsulation key"))
            }

            fn encode_encapsulation_key(key: Self::Encapsulation, out: &mut [u8]) -> Result<usize> {
                let out = front::<{ fips203::$set::EK_LEN }>("encapsulation key", out)?;
                *out = key.into_bytes();
                Ok(out.len())
            }

            fn encode_decapsulation_key(key: Self::Decapsulation, out: &mut [u8]) -> Result<usize> {
                let out = front::<{ fips203::$set::DK_LEN }>("decapsulation key", out)?;
                *out = key.into_bytes();
                Ok(out.len())
            }

            fn encapsulation_key(key: &Self::Decapsulation) -> Result<Self::Encapsulation> {
                // FIPS 203, algorithm 16, line 3: dk = dk_PKE || ek || H(ek) || z. The crate has no function for it.
                let bytes = Wiped::new(key.clone().into_bytes());
                let end = fips203::$set::DK_LEN - 64;
                Self::decode_encapsulation_key(&bytes[end - fips203::$set::EK_LEN..end])
            }

            fn encapsulate(
                key: &Self::Encapsulation,
                coins: Coins,
                ciphertext: &mut [u8],
                secret: &mut [u8],
            ) -> Result<()> {
                Error::check_length("ciphertext", fips203::$set::CT_LEN, ciphertext.len())?;
                Error::check_length("shared secret", fips203::SSK_LEN, secret.len())?;
                let sent = match coins {
                    Coins::Internal => key.try_encaps(),
                    Coins::Exact(m) => key.try_encaps_with_rng(&mut Given(m)),
                };
                let (shared, sent) = sent.map_err(library("fips203 encaps"))?;
                ciphertext.copy_from_slice(&sent.into_bytes());
                secret.copy_from_slice(&*Wiped::new(shared.into_bytes()));
                Ok(())
            }

            fn decapsulate(key: &Self::Decapsulation, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
                Error::check_length("shared secret", fips203::SSK_LEN, secret.len())?;
                let ciphertext = fips203::$set::CipherText::try_from_bytes(*sized("ciphertext", ciphertext)?)
                    .map_err(|_| Error::Malformed("ciphertext"))?;
                let shared = key.try_decaps(&ciphertext).map_err(library("fips203 decaps"))?;
                secret.copy_from_slice(&*Wiped::new(shared.into_bytes()));
                Ok(())
            }
        })*
    };
}

kem_sets! {
    ml_kem_512: "ML-KEM-512";
    ml_kem_768: "ML-KEM-768";
    ml_kem_1024: "ML-KEM-1024";
}

struct MlKem<S> {
    info: KemInfo,
    set: PhantomData<S>,
}

impl<S: KemSet> MlKem<S> {
    #[allow(clippy::new_ret_no_self, reason = "only ever seen through the trait")]
    fn new(algorithm: &str) -> Arc<dyn Kem> {
        let info = KemInfo {
            parameters: KemParameters::of(algorithm).expect("the table of FIPS 203 has every ML-KEM"),
            encodings: vec![KeyEncoding::Expanded, KeyEncoding::Seed],
            coins: CoinSupport { keygen: true, operation: true },
        };
        Arc::new(MlKem::<S> { info, set: PhantomData })
    }

    fn generate_pair(&self, coins: Coins) -> Result<(S::Encapsulation, S::Decapsulation)> {
        check_coins(coins, self.info.parameters.keygen_coins)?;
        S::generate(coins)
    }
}

impl<S: KemSet> Kem for MlKem<S> {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    /// A key does not remember the seed that it was expanded from.
    fn written(&self) -> &[KeyEncoding] {
        &[KeyEncoding::Expanded]
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let (encapsulation, decapsulation) = self.generate_pair(coins)?;
        S::encode_encapsulation_key(encapsulation, encapsulation_key)?;
        S::encode_decapsulation_key(decapsulation, decapsulation_key)?;
        Ok(())
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        let (_, key) = self.generate_pair(coins)?;
        Ok(Box::new(PreparedDecapsulationKey::<S>(key)))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedEncapsulationKey::<S>(S::decode_encapsulation_key(bytes)?)))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        let expected = self.info.decapsulation_key(encoding).ok_or(NO_SUCH_ENCODING)?;
        Error::check_length("decapsulation key", expected, bytes.len())?;
        match encoding {
            KeyEncoding::Seed => self.generate(Coins::Exact(bytes)),
            _ => Ok(Box::new(PreparedDecapsulationKey::<S>(S::decode_decapsulation_key(bytes)?))),
        }
    }
}

struct PreparedEncapsulationKey<S: KemSet>(S::Encapsulation);

impl<S: KemSet> EncapsulationKey for PreparedEncapsulationKey<S> {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        // m (FIPS 203, algorithm 20).
        check_coins(coins, 32)?;
        S::encapsulate(&self.0, coins, ciphertext, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        S::encode_encapsulation_key(self.0.clone(), out)
    }
}

struct PreparedDecapsulationKey<S: KemSet>(S::Decapsulation);

impl<S: KemSet> DecapsulationKey for PreparedDecapsulationKey<S> {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        S::decapsulate(&self.0, ciphertext, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        Ok(Box::new(PreparedEncapsulationKey::<S>(S::encapsulation_key(&self.0)?)))
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        match encoding {
            KeyEncoding::Expanded => S::encode_decapsulation_key(self.0.clone(), out),
            KeyEncoding::Seed => Err(SEED_UNKNOWN),
            _ => Err(NO_SUCH_ENCODING),
        }
    }
}
