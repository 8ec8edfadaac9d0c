//! ML-KEM (FIPS 203) from the `fips203` crate. Key objects contain encoded keys, so every operation expands the matrix
//! again.

use super::{Given, SEED_UNKNOWN, check_coins, library};
use crate::shared::bytes::{front, sized};
use crate::shared::ml_kem::{NO_SUCH_ENCODING, ParameterSet, ml_kem};
use fips203::traits::{Decaps as _, Encaps as _, KeyGen as _, SerDes as _};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KeyEncoding, Result, Wiped};
use std::sync::Arc;

macro_rules! parameter_sets {
    ($($set:ident: $algorithm:literal;)*) => {
        pub(super) fn kems() -> Vec<Arc<dyn Kem>> {
            vec![$(ml_kem::<$set::Set>()),*]
        }

        $(mod $set {
            use super::*;
            use fips203::$set::{CT_LEN, CipherText, DK_LEN, DecapsKey, EK_LEN, EncapsKey, KG};

            pub(super) struct Set;
            pub(super) struct Public(EncapsKey);
            pub(super) struct Private(DecapsKey);

            fn generate(coins: Coins) -> Result<(EncapsKey, DecapsKey)> {
                check_coins(coins, 64)?;
                let pair = match coins {
                    Coins::Internal => KG::try_keygen(),
                    Coins::Exact(seed) => KG::try_keygen_with_rng(&mut Given(seed)),
                };
                pair.map_err(library("fips203 keygen"))
            }

            fn write_public(key: EncapsKey, out: &mut [u8]) -> Result<usize> {
                *front("encapsulation key", out)? = key.into_bytes();
                Ok(EK_LEN)
            }

            fn write_private(key: DecapsKey, out: &mut [u8]) -> Result<usize> {
                *front("decapsulation key", out)? = key.into_bytes();
                Ok(DK_LEN)
            }

            impl ParameterSet for Set {
                const ALGORITHM: &'static str = $algorithm;
                const ENCODINGS: [KeyEncoding; 2] = [KeyEncoding::Expanded, KeyEncoding::Seed];
                // The crate's keys do not keep the seed.
                const WRITTEN: &'static [KeyEncoding] = &[KeyEncoding::Expanded];
                type Generated = Private;
                type Loaded = Private;
                type Encapsulation = Public;

                fn generate(coins: Coins) -> Result<Private> {
                    generate(coins).map(|(_, key)| Private(key))
                }

                fn generate_encoded(coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<()> {
                    Error::check_length("encapsulation key", EK_LEN, public.len())?;
                    Error::check_length("decapsulation key", DK_LEN, private.len())?;
                    let (encapsulation, decapsulation) = generate(coins)?;
                    write_public(encapsulation, public)?;
                    write_private(decapsulation, private)?;
                    Ok(())
                }

                fn load_expanded(bytes: &[u8]) -> Result<Private> {
                    let key = DecapsKey::try_from_bytes(*sized("decapsulation key", bytes)?);
                    key.map(Private).map_err(|_| Error::Malformed("decapsulation key"))
                }

                fn load_encapsulation_key(bytes: &[u8]) -> Result<Public> {
                    let key = EncapsKey::try_from_bytes(*sized("encapsulation key", bytes)?);
                    key.map(Public).map_err(|_| Error::Malformed("encapsulation key"))
                }
            }

            impl EncapsulationKey for Public {
                fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
                    // The coins are `m` (FIPS 203, algorithm 20).
                    check_coins(coins, 32)?;
                    Error::check_length("ciphertext", CT_LEN, ciphertext.len())?;
                    Error::check_length("shared secret", fips203::SSK_LEN, secret.len())?;
                    let sent = match coins {
                        Coins::Internal => self.0.try_encaps(),
                        Coins::Exact(m) => self.0.try_encaps_with_rng(&mut Given(m)),
                    };
                    let (shared, sent) = sent.map_err(library("fips203 encaps"))?;
                    ciphertext.copy_from_slice(&sent.into_bytes());
                    secret.copy_from_slice(&*Wiped::new(shared.into_bytes()));
                    Ok(())
                }

                fn encode(&self, out: &mut [u8]) -> Result<usize> {
                    write_public(self.0.clone(), out)
                }
            }

            impl DecapsulationKey for Private {
                fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
                    Error::check_length("shared secret", fips203::SSK_LEN, secret.len())?;
                    let ciphertext = CipherText::try_from_bytes(*sized("ciphertext", ciphertext)?)
                        .map_err(|_| Error::Malformed("ciphertext"))?;
                    let shared = self.0.try_decaps(&ciphertext).map_err(library("fips203 decaps"))?;
                    secret.copy_from_slice(&*Wiped::new(shared.into_bytes()));
                    Ok(())
                }

                fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
                    // The crate has no function that returns `ek`, so copy it from dk = dk_PKE ||
                    // ek || H(ek) || z (FIPS 203, algorithm 16, line 3).
                    let bytes = Wiped::new(self.0.clone().into_bytes());
                    let end = DK_LEN - 64;
                    Ok(Box::new(Set::load_encapsulation_key(&bytes[end - EK_LEN..end])?))
                }

                fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
                    match encoding {
                        KeyEncoding::Expanded => write_private(self.0.clone(), out),
                        KeyEncoding::Seed => Err(SEED_UNKNOWN),
                        _ => Err(NO_SUCH_ENCODING),
                    }
                }
            }
        })*
    };
}

parameter_sets! {
    ml_kem_512: "ML-KEM-512";
    ml_kem_768: "ML-KEM-768";
    ml_kem_1024: "ML-KEM-1024";
}
