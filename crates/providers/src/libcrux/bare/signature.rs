use super::drawn;
use crate::interleaved::Side;
use crate::operations::{each, making, signature};
use libcrux_ml_dsa::ml_dsa_44;
use libcrux_ml_dsa::ml_dsa_44::{MLDSA44Signature, MLDSA44SigningKey, MLDSA44VerificationKey};

macro_rules! path {
    ($path:ident) => {
        pub(super) fn $path(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
            use ml_dsa_44::$path::{generate_key_pair, sign_mut, sign_pre_hashed_shake128};
            use ml_dsa_44::$path::{verify, verify_pre_hashed_shake128};
            let (mut public_out, mut private_out, out) = inputs.room();
            let mut out: Box<[u8; 2420]> = out.into_boxed_slice().try_into().ok()?;
            let coins: [u8; 32] = inputs.coins.as_slice().try_into().ok()?;
            let public: [u8; 1312] = inputs.public.as_slice().try_into().ok()?;
            let (_, private) = inputs.private(operation);
            let message = inputs.message.clone();
            let pair = generate_key_pair(coins);
            let signed = if operation == "verify prehash" { &inputs.prehashed } else { &inputs.signature };
            let signed: [u8; 2420] = signed.as_slice().try_into().ok()?;
            Some(match operation {
                "keygen" => making(move || Box::new(generate_key_pair(drawn()))),
                "keygen encoded" => each(move || {
                    let pair = generate_key_pair(drawn());
                    public_out.copy_from_slice(pair.verification_key.as_ref());
                    private_out.copy_from_slice(pair.signing_key.as_ref());
                }),
                "sign" | "sign deterministic" => {
                    let deterministic = operation == "sign deterministic";
                    each(move || {
                        let rnd = if deterministic { [0; 32] } else { drawn() };
                        out.fill(0);
                        assert!(sign_mut(&pair.signing_key, &message, &[], rnd, &mut out).is_ok());
                    })
                }
                "sign encoded key=seed" => {
                    let seed: [u8; 32] = private.as_slice().try_into().ok()?;
                    each(move || {
                        let pair = generate_key_pair(seed);
                        out.fill(0);
                        assert!(sign_mut(&pair.signing_key, &message, &[], drawn(), &mut out).is_ok());
                    })
                }
                "sign encoded key=expanded" => {
                    let private: [u8; 2560] = private.as_slice().try_into().ok()?;
                    each(move || {
                        let key = MLDSA44SigningKey::new(private);
                        out.fill(0);
                        assert!(sign_mut(&key, &message, &[], drawn(), &mut out).is_ok());
                    })
                }
                "sign prehash" => each(move || {
                    let signature = sign_pre_hashed_shake128(&pair.signing_key, &message, &[], drawn());
                    *out = *signature.expect("signing failed").as_ref();
                }),
                "verify" => each(move || {
                    let signature = MLDSA44Signature::new(signed);
                    assert!(verify(&pair.verification_key, &message, &[], &signature).is_ok());
                }),
                "verify encoded" => each(move || {
                    let (key, signature) = (MLDSA44VerificationKey::new(public), MLDSA44Signature::new(signed));
                    assert!(verify(&key, &message, &[], &signature).is_ok());
                }),
                "verify prehash" => each(move || {
                    let signature = MLDSA44Signature::new(signed);
                    assert!(verify_pre_hashed_shake128(&pair.verification_key, &message, &[], &signature).is_ok());
                }),
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
