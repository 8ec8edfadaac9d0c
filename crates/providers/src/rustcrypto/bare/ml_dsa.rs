use super::{drawn, prehashed};
use crate::interleaved::Side;
use crate::operations::{each, making, signature};
use getrandom::SysRng;
use ml_dsa::{ExpandedSigningKey, Keypair, MlDsa44, Signature, SigningKey, VerifyingKey};

pub(super) fn signature(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let seed: [u8; 32] = inputs.coins.as_slice().try_into().ok()?;
    let (message, public) = (inputs.message.clone(), inputs.public.clone());
    let (_, private) = inputs.private(operation);
    let generate = || SigningKey::<MlDsa44>::from_seed(&drawn().into());
    let prepared = SigningKey::<MlDsa44>::from_seed(&seed.into());
    let mut sign = {
        let message = message.clone();
        move |key: &ExpandedSigningKey<MlDsa44>| {
            let signature = key.sign_randomized(&message, &[], &mut SysRng).expect("signing failed");
            out.copy_from_slice(&signature.encode());
        }
    };
    let mut written = inputs.room().2;
    let signed = if operation == "verify prehash" { inputs.prehashed.clone() } else { inputs.signature.clone() };
    let decoded = move || Signature::<MlDsa44>::decode(signed.as_slice().try_into().expect("wrong length"));
    Some(match operation {
        "keygen" => making(generate),
        "keygen encoded" => each(move || {
            let key = generate();
            public_out.copy_from_slice(&AsRef::<VerifyingKey<MlDsa44>>::as_ref(&key).encode());
            private_out.copy_from_slice(key.as_seed());
        }),
        "sign" => each(move || sign(prepared.expanded_key())),
        "sign deterministic" => each(move || {
            let signature = prepared.expanded_key().sign_deterministic(&message, &[]).expect("signing failed");
            written.copy_from_slice(&signature.encode());
        }),
        "sign encoded key=seed" => each(move || {
            let key = SigningKey::<MlDsa44>::from_seed(private.as_slice().try_into().expect("wrong length"));
            sign(key.expanded_key());
        }),
        "sign encoded key=expanded" => each(move || {
            #[allow(deprecated, reason = "FIPS 204 defines this encoding")]
            let key =
                ExpandedSigningKey::<MlDsa44>::from_expanded(private.as_slice().try_into().expect("wrong length"));
            sign(&key);
        }),
        "sign prehash" => each(move || {
            let signature = prepared.expanded_key().sign_internal(&[&prehashed(&message)], &drawn().into());
            written.copy_from_slice(&signature.encode());
        }),
        "verify" => {
            let key = prepared.verifying_key();
            each(move || assert!(key.verify_with_context(&message, &[], &decoded().expect("malformed signature"))))
        }
        "verify encoded" => each(move || {
            let key = VerifyingKey::<MlDsa44>::decode(public.as_slice().try_into().expect("wrong length"));
            assert!(key.verify_with_context(&message, &[], &decoded().expect("malformed signature")));
        }),
        "verify prehash" => {
            let key = prepared.verifying_key();
            each(move || assert!(key.verify_internal(&prehashed(&message), &decoded().expect("malformed signature"))))
        }
        _ => return None,
    })
}
