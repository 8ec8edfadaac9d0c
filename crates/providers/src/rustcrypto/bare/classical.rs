use super::drawn;
use crate::interleaved::Side;
use crate::operations::{each, making, signature};
use ed25519_dalek::Signer;
use getrandom::SysRng;
use sha2::{Digest, Sha512};

pub(super) fn ed25519(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    use ed25519_dalek::{Signature, SigningKey, Verifier, VerifyingKey};
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let private: [u8; 32] = inputs.private("").1.as_slice().try_into().ok()?;
    let public: [u8; 32] = inputs.public.as_slice().try_into().ok()?;
    let message = inputs.message.clone();
    let generate = || SigningKey::from_bytes(&drawn());
    let signer = SigningKey::from_bytes(&private);
    let verifier = VerifyingKey::from_bytes(&public).ok()?;
    let signed = if operation == "verify prehash" { inputs.prehashed.clone() } else { inputs.signature.clone() };
    let decoded = move || Signature::from_slice(&signed).expect("malformed signature");
    Some(match operation {
        "keygen" => making(generate),
        "keygen encoded" => each(move || {
            let key = generate();
            public_out.copy_from_slice(key.verifying_key().as_bytes());
            private_out.copy_from_slice(key.as_bytes());
        }),
        "sign" => each(move || out.copy_from_slice(&signer.sign(&message).to_bytes())),
        "sign encoded key=seed" => each(move || {
            out.copy_from_slice(&SigningKey::from_bytes(&private).sign(&message).to_bytes());
        }),
        "sign prehash" => each(move || {
            let signature = signer.sign_prehashed(Sha512::new_with_prefix(&message), Some(&[]));
            out.copy_from_slice(&signature.expect("signing failed").to_bytes());
        }),
        "verify" => each(move || verifier.verify(&message, &decoded()).expect("invalid signature")),
        "verify encoded" => each(move || {
            let key = VerifyingKey::from_bytes(&public).expect("cannot load the key");
            key.verify(&message, &decoded()).expect("invalid signature");
        }),
        "verify prehash" => each(move || {
            let digest = Sha512::new_with_prefix(&message);
            verifier.verify_prehashed(digest, Some(&[]), &decoded()).expect("invalid signature");
        }),
        _ => return None,
    })
}

pub(super) fn secp256k1(inputs: &signature::Inputs, operation: &str) -> Option<Side> {
    use k256::ecdsa::signature::{Signer, Verifier};
    use k256::ecdsa::{Signature, SigningKey, VerifyingKey};
    use k256::elliptic_curve::Generate;
    let (mut public_out, mut private_out, mut out) = inputs.room();
    let (_, private) = inputs.private("");
    let (message, public, signed) = (inputs.message.clone(), inputs.public.clone(), inputs.signature.clone());
    let generate =
        || SigningKey::try_generate_from_rng(&mut SysRng).expect("the operating system returned no random bytes");
    let signer = SigningKey::from_slice(&private).ok()?;
    let verifier = *signer.verifying_key();
    let mut sign = {
        let message = message.clone();
        move |key: &SigningKey| {
            let signature: Signature = key.try_sign(&message).expect("signing failed");
            out.copy_from_slice(&signature.to_bytes());
        }
    };
    let decoded = move || Signature::from_slice(&signed).expect("malformed signature");
    Some(match operation {
        "keygen" => making(generate),
        "keygen encoded" => each(move || {
            let key = generate();
            public_out.copy_from_slice(key.verifying_key().to_sec1_point(true).as_bytes());
            private_out.copy_from_slice(&key.to_bytes());
        }),
        "sign" => each(move || sign(&signer)),
        "sign encoded key=scalar" => {
            each(move || sign(&SigningKey::from_slice(&private).expect("cannot load the key")))
        }
        "verify" => each(move || verifier.verify(&message, &decoded()).expect("invalid signature")),
        "verify encoded" => each(move || {
            let key = VerifyingKey::from_sec1_bytes(&public).expect("cannot load the key");
            key.verify(&message, &decoded()).expect("invalid signature");
        }),
        _ => return None,
    })
}
