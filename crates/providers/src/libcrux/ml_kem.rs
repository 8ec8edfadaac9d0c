//! ML-KEM (FIPS 203) from the `libcrux-ml-kem` crate.
//!
//! A key generated from fresh coins or from a seed stays `unpacked`: the matrix is expanded, the key is hashed, and the
//! vectors are in NTT form. A key loaded from the standard encoding is checked and stays packed. Operations pass it to
//! the crate's functions for encoded keys. Those functions suit a key that is used once, because unpacking the key
//! first would copy more data. On every code path, the crate unpacks decapsulation keys with the portable hash function
//! and without vector instructions.

use crate::shared::bytes::{front, sized, sized_mut, write};
use crate::shared::draw::drawn;
use crate::shared::ml_kem::{NO_SUCH_ENCODING, ParameterSet, ml_kem};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KeyEncoding, Result, Wiped, wipe};
use std::sync::Arc;

macro_rules! parameter_set {
    ($name:ident, $algorithm:literal, $set:ident::$path:ident, $unpacked:ident, $pair:ident, $public:ident,
     $private:ident) => {
        mod $name {
            use super::*;
            use libcrux_ml_kem::$set::$path::{self as path, unpacked};
            use libcrux_ml_kem::$set::{$private as PrivateBytes, $public as PublicBytes};

            const PUBLIC: usize = PublicBytes::len();
            const PRIVATE: usize = PrivateBytes::len();

            pub(super) struct Set;

            /// A key pair that was generated from fresh coins or from a seed.
            pub(super) struct Generated {
                pair: Box<unpacked::$pair>,
                seed: Wiped<[u8; 64]>,
            }

            /// The encapsulation key of a generated key pair.
            struct Unpacked(Box<unpacked::$unpacked>);

            /// A loaded encapsulation key. Each encapsulation hashes the key and expands the matrix.
            pub(super) struct Public(PublicBytes);

            /// A decapsulation key that was loaded from the expanded encoding. Each decapsulation decodes the vectors
            /// and expands the matrix.
            pub(super) struct Private(PrivateBytes);

            impl ParameterSet for Set {
                const ALGORITHM: &'static str = $algorithm;
                const ENCODINGS: [KeyEncoding; 2] = [KeyEncoding::Expanded, KeyEncoding::Seed];
                type Generated = Generated;
                type Loaded = Private;
                type Encapsulation = Public;

                fn generate(coins: Coins) -> Result<Generated> {
                    let seed = drawn(coins)?;
                    let mut pair = Box::new(unpacked::init_key_pair());
                    unpacked::generate_key_pair_mut(*seed, &mut pair);
                    Ok(Generated { pair, seed })
                }

                fn generate_encoded(coins: Coins, public: &mut [u8], private: &mut [u8]) -> Result<()> {
                    let seed = drawn(coins)?;
                    let public = sized_mut("encapsulation key", public)?;
                    let private = sized_mut("decapsulation key", private)?;
                    let pair = path::generate_key_pair(*seed);
                    *public = *pair.pk();
                    *private = *pair.sk();
                    Ok(())
                }

                fn load_expanded(bytes: &[u8]) -> Result<Private> {
                    let key = PrivateBytes::from(sized("decapsulation key", bytes)?);
                    let valid = path::validate_private_key_only(&key);
                    if valid { Ok(Private(key)) } else { Err(Error::Malformed("decapsulation key")) }
                }

                fn load_encapsulation_key(bytes: &[u8]) -> Result<Public> {
                    let key = PublicBytes::from(sized("encapsulation key", bytes)?);
                    let valid = path::validate_public_key(&key);
                    if valid { Ok(Public(key)) } else { Err(Error::Malformed("encapsulation key")) }
                }
            }

            fn write_public(key: &unpacked::$unpacked, out: &mut [u8]) -> Result<usize> {
                let out = front::<PUBLIC>("encapsulation key", out)?;
                let mut packed = PublicBytes::default();
                unpacked::serialized_public_key(key, &mut packed);
                *out = packed.into();
                Ok(PUBLIC)
            }

            impl EncapsulationKey for Unpacked {
                fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
                    let m = drawn(coins)?;
                    let (ciphertext, secret) =
                        (sized_mut("ciphertext", ciphertext)?, sized_mut("shared secret", secret)?);
                    let (c, k) = unpacked::encapsulate(&self.0, *m);
                    *ciphertext = c.into();
                    *secret = k;
                    Ok(())
                }

                fn encode(&self, out: &mut [u8]) -> Result<usize> {
                    write_public(&self.0, out)
                }
            }

            impl DecapsulationKey for Generated {
                fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
                    let ciphertext = sized("ciphertext", ciphertext)?.into();
                    *sized_mut("shared secret", secret)? = unpacked::decapsulate(&self.pair, &ciphertext);
                    Ok(())
                }

                fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
                    Ok(Box::new(Unpacked(Box::new(self.pair.public_key().clone()))))
                }

                fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
                    write_public(self.pair.public_key(), out)
                }

                fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
                    match encoding {
                        KeyEncoding::Expanded => {
                            let out = front::<PRIVATE>("decapsulation key", out)?;
                            *out = unpacked::key_pair_serialized_private_key(&self.pair).into();
                            Ok(PRIVATE)
                        }
                        KeyEncoding::Seed => write("decapsulation key", out, &*self.seed),
                        _ => Err(NO_SUCH_ENCODING),
                    }
                }
            }

            impl EncapsulationKey for Public {
                fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
                    let m = drawn(coins)?;
                    let (ciphertext, secret) =
                        (sized_mut("ciphertext", ciphertext)?, sized_mut("shared secret", secret)?);
                    let (c, k) = path::encapsulate(&self.0, *m);
                    *ciphertext = c.into();
                    *secret = k;
                    Ok(())
                }

                fn encode(&self, out: &mut [u8]) -> Result<usize> {
                    write("encapsulation key", out, self.0.as_slice())
                }
            }

            impl Private {
                /// Returns the encoded encapsulation key inside the decapsulation key (FIPS 203, algorithm 16, line 3).
                fn public_half(&self) -> &[u8] {
                    const END: usize = PRIVATE - 64;
                    &self.0.as_slice()[END - PUBLIC..END]
                }
            }

            impl DecapsulationKey for Private {
                fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
                    let ciphertext = sized("ciphertext", ciphertext)?.into();
                    *sized_mut("shared secret", secret)? = path::decapsulate(&self.0, &ciphertext);
                    Ok(())
                }

                /// Returns the encapsulation key. Also checks that the key's coefficients are reduced, because loading
                /// checks only the key's hash.
                fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
                    Ok(Box::new(Set::load_encapsulation_key(self.public_half())?))
                }

                fn encode_encapsulation_key(&self, out: &mut [u8]) -> Result<usize> {
                    write("encapsulation key", out, self.public_half())
                }

                fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
                    match encoding {
                        KeyEncoding::Expanded => write("decapsulation key", out, self.0.as_slice()),
                        KeyEncoding::Seed => {
                            Err(Error::Unsupported("the seed is unknown, because the key was loaded in expanded form"))
                        }
                        _ => Err(NO_SUCH_ENCODING),
                    }
                }
            }

            impl Drop for Private {
                fn drop(&mut self) {
                    wipe(&mut self.0[0..]);
                }
            }
        }
    };
}

macro_rules! code_path {
    ($path:ident) => {
        pub(super) mod $path {
            use super::*;

            pub(in crate::libcrux) fn kems() -> Vec<Arc<dyn Kem>> {
                vec![ml_kem::<set512::Set>(), ml_kem::<set768::Set>(), ml_kem::<set1024::Set>()]
            }

            parameter_set!(
                set512,
                "ML-KEM-512",
                mlkem512::$path,
                MlKem512PublicKeyUnpacked,
                MlKem512KeyPairUnpacked,
                MlKem512PublicKey,
                MlKem512PrivateKey
            );
            parameter_set!(
                set768,
                "ML-KEM-768",
                mlkem768::$path,
                MlKem768PublicKeyUnpacked,
                MlKem768KeyPairUnpacked,
                MlKem768PublicKey,
                MlKem768PrivateKey
            );
            parameter_set!(
                set1024,
                "ML-KEM-1024",
                mlkem1024::$path,
                MlKem1024PublicKeyUnpacked,
                MlKem1024KeyPairUnpacked,
                MlKem1024PublicKey,
                MlKem1024PrivateKey
            );
        }
    };
}

code_path!(portable);
#[cfg(target_arch = "x86_64")]
code_path!(avx2);
#[cfg(target_arch = "aarch64")]
code_path!(neon);
