use super::signature_vectors::{KEYS, KeyVector, Signed, VERIFICATIONS, VerificationVector};
use super::{Checker, Depth, bytes};
use KeyEncoding::Expanded;
use pqlab_primitives::{Coins, Error, KeyEncoding, SignatureScheme, SigningKey, VerifyingKey};

pub(super) fn check(scheme: &dyn SignatureScheme, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(KEYS) {
        check_key(scheme, vector, checker)?;
        for signed in vector.signatures {
            if checker.depth == Depth::Full || !signed.slow {
                check_signature(scheme, vector, signed, checker)?;
            }
        }
    }
    for vector in checker.rows(VERIFICATIONS) {
        check_verification(scheme, vector, checker)?;
    }
    Ok(())
}

fn check_key(scheme: &dyn SignatureScheme, vector: &KeyVector, checker: &mut Checker) -> Result<(), String> {
    let info = scheme.info();
    let private = bytes(vector.signing_key);
    let mut verifying_key = vec![0; info.parameters.verifying_key];

    if info.coins.keygen {
        let own = *info.encodings.first().ok_or_else(|| checker.wrong("keys have no encoding"))?;
        let mut signing_key = vec![0; info.signing_key(own).unwrap_or_default()];
        let coins = Coins::Exact(&private[..info.parameters.keygen_coins]);
        let generated = scheme.generate_encoded(coins, &mut verifying_key, &mut signing_key);
        let (verifying_length, signing_length) = checker.done("keygen", generated)?;
        checker.same("keygen", "verifying key", &verifying_key[..verifying_length], vector.verifying_key)?;
        let signing_key = &signing_key[..signing_length];
        if own == vector.encoding {
            checker.holds(signing_key == private, "keygen gives another signing key")?;
        } else if let (Expanded, Some(expanded)) = (own, vector.expanded) {
            checker.same("keygen", "signing key", signing_key, expanded)?;
        }
    }

    if info.encodings.contains(&vector.encoding) {
        let key = checker.done("loading a signing key", scheme.load_signing_key(vector.encoding, &private))?;
        let public = checker.done("deriving the verifying key", key.verifying_key())?;
        let length = checker.done("encoding a verifying key", public.encode(&mut verifying_key))?;
        checker.same("signing key", "verifying key", &verifying_key[..length], vector.verifying_key)?;
        if let Some(expanded) = vector.expanded {
            let mut encoded = vec![0; info.signing_key(Expanded).unwrap_or_default()];
            let written = key.encode(Expanded, &mut encoded);
            if let Some(length) = checker.offered("encoding a signing key", written)? {
                checker.same("expansion", "signing key", &encoded[..length], expanded)?;
            }
        }
    }
    Ok(())
}

fn check_signature(
    scheme: &dyn SignatureScheme,
    vector: &KeyVector,
    signed: &Signed,
    checker: &mut Checker,
) -> Result<(), String> {
    let info = scheme.info();
    let (context, message) = (bytes(signed.context), bytes(signed.message));
    if !(context.is_empty() || info.context) {
        return Ok(());
    }
    let Some(key) = load_or_generate(scheme, vector, checker)? else { return Ok(()) };
    let mut signature = vec![0; info.parameters.signature];
    let coins = if info.coins.operation { Coins::Exact(&[]) } else { Coins::Internal };
    let length = checker.done("signing", key.sign(&context, &message, coins, &mut signature))?;
    signature.truncate(length);
    if info.coins.operation {
        checker.same("signing", "signature", &signature, signed.signature)?;
    }
    let public = checker.done("deriving the verifying key", key.verifying_key())?;
    accepts_only(public.as_ref(), &context, &message, &mut signature, checker)
}

/// Returns the vector's key; `None` if the provider takes neither the encoding nor the coins.
fn load_or_generate(
    scheme: &dyn SignatureScheme,
    vector: &KeyVector,
    checker: &Checker,
) -> Result<Option<Box<dyn SigningKey>>, String> {
    let info = scheme.info();
    let private = bytes(vector.signing_key);
    if info.encodings.contains(&vector.encoding) {
        checker.done("loading a signing key", scheme.load_signing_key(vector.encoding, &private)).map(Some)
    } else if info.coins.keygen {
        let coins = Coins::Exact(&private[..info.parameters.keygen_coins]);
        checker.done("keygen", scheme.generate(coins)).map(Some)
    } else {
        Ok(None)
    }
}

fn check_verification(
    scheme: &dyn SignatureScheme,
    vector: &VerificationVector,
    checker: &mut Checker,
) -> Result<(), String> {
    let (message, mut signature) = (bytes(vector.message), bytes(vector.signature));
    let key = checker.done("loading a verifying key", scheme.load_verifying_key(&bytes(vector.verifying_key)))?;
    if vector.valid {
        accepts_only(key.as_ref(), &[], &message, &mut signature, checker)
    } else {
        let refused = key.verify(&[], &message, &signature) == Err(Error::VerificationFailed);
        checker.holds(refused, "verification accepts a signature that is published as invalid")
    }
}

/// Checks that the signature is valid, and invalid with a bit flipped.
fn accepts_only(
    key: &dyn VerifyingKey,
    context: &[u8],
    message: &[u8],
    signature: &mut [u8],
    checker: &mut Checker,
) -> Result<(), String> {
    checker.done("verification", key.verify(context, message, signature))?;
    checker.checked += 1;
    let middle = signature.len() / 2;
    signature[middle] ^= 1;
    let refused = key.verify(context, message, signature) == Err(Error::VerificationFailed);
    checker.holds(refused, "verification accepts a signature with a bit flipped")
}
