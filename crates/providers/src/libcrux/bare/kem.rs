use super::drawn;
use crate::interleaved::Side;
use crate::operations::{each, kem, making};
use libcrux_ml_kem::mlkem512;
use libcrux_ml_kem::mlkem512::{MlKem512Ciphertext, MlKem512PrivateKey, MlKem512PublicKey};

macro_rules! path {
    ($path:ident) => {
        /// Returns the direct calls for an operation. Prepared keys are unpacked. Encoded keys go to the functions for
        /// encoded keys, after the checks that the crate leaves to the caller.
        pub(super) fn $path(inputs: &kem::Inputs, operation: &str) -> Option<Side> {
            use mlkem512::$path::unpacked;
            let (mut out, mut private_out, mut secret) = inputs.room();
            let seed: [u8; 64] = inputs.keygen_coins.as_slice().try_into().ok()?;
            let public: [u8; 800] = inputs.public.as_slice().try_into().ok()?;
            let ciphertext: [u8; 768] = inputs.ciphertext.as_slice().try_into().ok()?;
            let (_, private) = inputs.private(operation);
            let generate = |seed| {
                let mut pair = Box::new(unpacked::init_key_pair());
                unpacked::generate_key_pair_mut(seed, &mut pair);
                pair
            };
            let mut keep = move |(sent, shared): (MlKem512Ciphertext, [u8; 32])| {
                out[..sent.as_ref().len()].copy_from_slice(sent.as_ref());
                secret.copy_from_slice(&shared);
            };
            let mut encoded = vec![0; public.len()];
            let mut received = vec![0; 32];
            Some(match operation {
                "keygen" => making(move || generate(drawn())),
                "keygen encoded" => each(move || {
                    let pair = mlkem512::$path::generate_key_pair(drawn());
                    encoded.copy_from_slice(pair.pk());
                    private_out.copy_from_slice(pair.sk());
                }),
                "encapsulate" => {
                    let pair = generate(seed);
                    each(move || keep(unpacked::encapsulate(pair.public_key(), drawn())))
                }
                "encapsulate encoded" => each(move || {
                    let key = MlKem512PublicKey::from(&public);
                    assert!(mlkem512::$path::validate_public_key(&key));
                    keep(mlkem512::$path::encapsulate(&key, drawn()));
                }),
                "decapsulate" => {
                    let pair = generate(seed);
                    each(move || {
                        received.copy_from_slice(&unpacked::decapsulate(&pair, &MlKem512Ciphertext::from(&ciphertext)));
                    })
                }
                "decapsulate encoded key=seed" => {
                    let seed: [u8; 64] = private.as_slice().try_into().ok()?;
                    each(move || {
                        let pair = generate(seed);
                        received.copy_from_slice(&unpacked::decapsulate(&pair, &MlKem512Ciphertext::from(&ciphertext)));
                    })
                }
                "decapsulate encoded key=expanded" => {
                    let private: [u8; 1632] = private.as_slice().try_into().ok()?;
                    each(move || {
                        let key = MlKem512PrivateKey::from(&private);
                        assert!(mlkem512::$path::validate_private_key_only(&key));
                        let ciphertext = MlKem512Ciphertext::from(&ciphertext);
                        received.copy_from_slice(&mlkem512::$path::decapsulate(&key, &ciphertext));
                    })
                }
                _ => return None,
            })
        }
    };
}

path!(portable);
#[cfg(target_arch = "x86_64")]
path!(avx2);
#[cfg(target_arch = "aarch64")]
path!(neon);
