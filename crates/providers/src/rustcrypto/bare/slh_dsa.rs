use super::{drawn, prehashed};
use crate::interleaved::Side;
use crate::operations::{each, making, signature};
use slh_dsa::{Sha2_128f, Signature, SigningKey, VerifyingKey};

/// Security parameter in bytes.
const N: usize = 16;

pub(super) fn signature(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let seeds: [u8; 3 * N] = inputs.coins.as_slice().try_into().ok()?;
    let (message, public) = (inputs.message.clone(), inputs.public.clone());
    let (_, private) = inputs.private("");
    let exact = operation.ends_with("coins=exact");
    let from_seeds = |seeds: [u8; 3 * N]| {
        SigningKey::<Sha2_128f>::slh_keygen_internal(&seeds[..N], &seeds[N..2 * N], &seeds[2 * N..])
    };
    let generate = move || from_seeds(if exact { seeds } else { drawn() });
    let prepared = SigningKey::<Sha2_128f>::try_from(private.as_slice()).ok()?;
    let verifier = VerifyingKey::<Sha2_128f>::try_from(public.as_slice()).ok()?;
    let deterministic = operation == "sign deterministic";
    let mut sign = {
        let message = message.clone();
        move |key: &SigningKey<Sha2_128f>| {
            let addrnd: [u8; N] = if deterministic { [0; N] } else { drawn() };
            let addrnd = (!deterministic).then_some(&addrnd[..]);
            let signature = key.try_sign_with_context(&message, &[], addrnd).expect("signing failed");
            out.copy_from_slice(&signature.to_bytes());
        }
    };
    let mut written = inputs.room().2;
    let signed = if operation == "verify prehash" { inputs.prehashed.clone() } else { inputs.signature.clone() };
    let decoded = move || Signature::<Sha2_128f>::try_from(signed.as_slice()).expect("malformed signature");
    Some(match operation {
        "keygen" | "keygen coins=exact" => making(generate),
        "keygen encoded" | "keygen encoded coins=exact" => each(move || {
            let key = generate();
            public_out.copy_from_slice(&key.as_ref().to_bytes());
            private_out.copy_from_slice(&key.to_bytes());
        }),
        "sign" | "sign deterministic" => each(move || sign(&prepared)),
        "sign encoded key=expanded" => each(move || {
            sign(&SigningKey::try_from(private.as_slice()).expect("cannot load the key"));
        }),
        "sign prehash" => each(move || {
            let signature = prepared.slh_sign_internal(&[&prehashed(&message)], Some(&drawn::<N>()));
            written.copy_from_slice(&signature.to_bytes());
        }),
        "verify" => each(move || {
            verifier.try_verify_with_context(&message, &[], &decoded()).expect("invalid signature");
        }),
        "verify encoded" => each(move || {
            let key = VerifyingKey::<Sha2_128f>::try_from(public.as_slice()).expect("cannot load the key");
            key.try_verify_with_context(&message, &[], &decoded()).expect("invalid signature");
        }),
        "verify prehash" => each(move || {
            verifier.slh_verify_internal(&[&prehashed(&message)], &decoded()).expect("invalid signature");
        }),
        _ => return None,
    })
}
