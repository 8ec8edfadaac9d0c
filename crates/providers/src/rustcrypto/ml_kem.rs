//! ML-KEM (FIPS 203) from the `ml-kem` crate. The crate's native encoding is the seed. The crate marks the expanded
//! encoding as deprecated. Preparing a key expands the matrix and hashes the key.

use super::sized;
use crate::shared::bytes::{fill, write};
use crate::shared::draw::draw;
use crate::shared::ml_kem::{NO_SUCH_ENCODING, ParameterSet, ml_kem};
#[allow(deprecated, reason = "pqlab treats the expanded key in FIPS 203 as an encoding")]
use ::ml_kem::ExpandedKeyEncoding;
use ::ml_kem::kem::{Decapsulate, Generate, KeyExport};
use getrandom::SysRng;
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KeyEncoding, Result, Wiped};
use std::sync::Arc;

/// Implements the parameter sets. Takes the lengths of both keys and of the ciphertext in bytes (FIPS 203, table 3),
/// because the crate does not export the types that would express these lengths.
macro_rules! parameter_sets {
    ($($set:ident: $algorithm:literal, $public:literal, $private:literal, $ciphertext:literal;)*) => {
        pub(super) fn kems() -> Vec<Arc<dyn Kem>> {
            vec![$(ml_kem::<$set::Set>()),*]
        }

        $(
            #[allow(deprecated, reason = "pqlab treats the expanded key in FIPS 203 as an encoding")]
            mod $set {
                use super::*;

                pub(super) struct Set;
                pub(super) struct Public(::ml_kem::$set::EncapsulationKey);
                pub(super) struct Private(::ml_kem::$set::DecapsulationKey);

                impl ParameterSet for Set {
                    const ALGORITHM: &'static str = $algorithm;
                    const ENCODINGS: [KeyEncoding; 2] = [KeyEncoding::Seed, KeyEncoding::Expanded];
                    type Generated = Private;
                    type Loaded = Private;
                    type Encapsulation = Public;

                    fn generate(coins: Coins) -> Result<Private> {
                        let generated = match coins.exact::<64>()? {
                            Some(seed) => Ok(::ml_kem::$set::DecapsulationKey::from_seed((*seed).into())),
                            None => ::ml_kem::$set::DecapsulationKey::try_generate_from_rng(&mut SysRng),
                        };
                        let failed = |error| Error::Library { call: "SysRng", detail: format!("{error}") };
                        generated.map(Private).map_err(failed)
                    }

                    fn generate_encoded(coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<()> {
                        Error::check_length("encapsulation key", $public, public.len())?;
                        Error::check_length("decapsulation key", 64, private.len())?;
                        let key = Self::generate(coins)?;
                        key.encode_encapsulation_key(public)?;
                        key.encode(KeyEncoding::Seed, private)?;
                        Ok(())
                    }

                    fn load_expanded(bytes: &[u8]) -> Result<Private> {
                        let bytes = sized("decapsulation key", $private, bytes)?;
                        let key = ::ml_kem::$set::DecapsulationKey::from_expanded_bytes(bytes);
                        key.map(Private).map_err(|_| Error::Malformed("decapsulation key"))
                    }

                    fn load_encapsulation_key(bytes: &[u8]) -> Result<Public> {
                        let key = ::ml_kem::$set::EncapsulationKey::new(sized("encapsulation key", $public, bytes)?);
                        key.map(Public).map_err(|_| Error::Malformed("encapsulation key"))
                    }
                }

                impl Public {
                    fn send(&self, m: &[u8; 32], ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
                        Error::check_length("ciphertext", $ciphertext, ciphertext.len())?;
                        Error::check_length("shared secret", 32, secret.len())?;
                        let (c, k) = self.0.encapsulate_deterministic(m.into());
                        ciphertext.copy_from_slice(&c);
                        secret.copy_from_slice(&k);
                        Ok(())
                    }
                }

                impl EncapsulationKey for Public {
                    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
                        if let Some(m) = coins.exact::<32>()? {
                            return self.send(m, ciphertext, secret);
                        }
                        let mut m = Wiped::new([0; 32]);
                        draw(&mut *m)?;
                        self.send(&m, ciphertext, secret)
                    }

                    fn encode(&self, out: &mut [u8]) -> Result<usize> {
                        write("encapsulation key", out, &self.0.to_bytes())
                    }
                }

                impl DecapsulationKey for Private {
                    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
                        let ciphertext = sized("ciphertext", $ciphertext, ciphertext)?;
                        fill("shared secret", secret, &self.0.decapsulate(ciphertext))
                    }

                    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
                        Ok(Box::new(Public(self.0.encapsulation_key().clone())))
                    }

                    fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
                        write("encapsulation key", out, &self.0.encapsulation_key().to_bytes())
                    }

                    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
                        const SEED_UNKNOWN: Error =
                            Error::Unsupported("the seed is unknown, because the key was loaded in expanded form");
                        match encoding {
                            KeyEncoding::Seed => {
                                let seed = self.0.to_seed().ok_or(SEED_UNKNOWN)?;
                                write("decapsulation key", out, &Wiped::new(seed))
                            }
                            KeyEncoding::Expanded => {
                                write("decapsulation key", out, &Wiped::new(self.0.to_expanded_bytes()))
                            }
                            _ => Err(NO_SUCH_ENCODING),
                        }
                    }
                }
            }
        )*
    };
}

parameter_sets! {
    ml_kem_512: "ML-KEM-512", 800, 1632, 768;
    ml_kem_768: "ML-KEM-768", 1184, 2400, 1088;
    ml_kem_1024: "ML-KEM-1024", 1568, 3168, 1568;
}
