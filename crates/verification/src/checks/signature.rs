use super::{buffer, equal, not_asked, refused, rejected, step, written};
use crate::tally::{Checked, Fault};
use pqlab_primitives::{Coins, KeyEncoding, MU, Prehash, Result, SignatureScheme, SigningKey, VerifyingKey};

/// Key pair that a vector expects, in every encoding that the vector contains.
pub(crate) struct ExpectedKey<'a> {
    pub(crate) verifying_key: &'a [u8],
    pub(crate) signing_keys: &'a [(KeyEncoding, &'a [u8])],
}

/// Key generation calls to check: the one that returns a prepared key, the one that writes encoded keys, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    Both,
    Prepared,
    Encoded,
}

/// Checks key generation from caller-supplied randomness, through the selected calls. If the vector contains a seed,
/// also loads the key from the seed. Skips operations that the provider does not offer.
pub(crate) fn key_generation(
    scheme: &dyn SignatureScheme,
    coins: &[u8],
    expected: &ExpectedKey,
    calls: Calls,
) -> Checked {
    not_asked((|| {
        let info = scheme.info();
        let mut keys = Vec::new();
        if info.coins.keygen && calls != Calls::Prepared {
            encoded_generation(scheme, coins, expected)?;
            if calls == Calls::Encoded {
                return Ok(());
            }
        }
        if info.coins.keygen {
            keys.push(step("generate", scheme.generate(Coins::Exact(coins)))?);
        }
        let seed = expected.signing_keys.iter().find(|(encoding, _)| *encoding == KeyEncoding::Seed);
        if let Some((encoding, seed)) = seed
            && info.encodings.contains(encoding)
        {
            keys.push(step("load seed", scheme.load_signing_key(*encoding, seed))?);
        }
        if keys.is_empty() {
            return Err(Fault::Unsupported("key generation does not accept caller-supplied randomness".to_owned()));
        }
        keys.iter().try_for_each(|key| same_key(scheme, key.as_ref(), expected))
    })())
}

/// Input to a signature operation, and the interface that takes the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input<'a> {
    /// Context and message for the pure external interface (FIPS 204, algorithms 2 and 3; FIPS 205, algorithms 22 and
    /// 24), or for a scheme with a single interface.
    Pure(&'a [u8], &'a [u8]),
    /// Context and message for the external interface that hashes the message first (FIPS 204, algorithms 4 and 5; RFC
    /// 8032, Ed25519ph).
    PreHash(Prehash, &'a [u8], &'a [u8]),
    /// `M'` for the internal interface (FIPS 204, algorithms 7 and 8; FIPS 205, algorithms 19 and 20).
    Internal(&'a [u8]),
    /// Message representative for ML-DSA's internal interface.
    Mu(&'a [u8; MU]),
}

impl Input<'_> {
    /// Signs this input through its interface. `coins`, `out` and the result are as in [`SigningKey::sign`].
    pub(crate) fn sign(self, key: &dyn SigningKey, coins: Coins, out: &mut [u8]) -> Result<usize> {
        match self {
            Input::Pure(context, message) => key.sign(context, message, coins, out),
            Input::PreHash(prehash, context, message) => key.sign_prehashed(prehash, context, message, coins, out),
            Input::Internal(formatted) => key.sign_internal(formatted, coins, out),
            Input::Mu(mu) => key.sign_mu(mu, coins, out),
        }
    }

    fn verify(self, key: &dyn VerifyingKey, signature: &[u8]) -> Result<()> {
        match self {
            Input::Pure(context, message) => key.verify(context, message, signature),
            Input::PreHash(prehash, context, message) => key.verify_prehashed(prehash, context, message, signature),
            Input::Internal(formatted) => key.verify_internal(formatted, signature),
            Input::Mu(mu) => key.verify_mu(mu, signature),
        }
    }
}

/// Checks a signature with caller-supplied randomness. Empty coins request the deterministic variant.
pub(crate) fn signing(
    scheme: &dyn SignatureScheme,
    (encoding, key): (KeyEncoding, &[u8]),
    input: Input,
    coins: &[u8],
    signature: &[u8],
) -> Checked {
    not_asked((|| {
        takes_coins(scheme)?;
        let key = step("load signing key", load(scheme, encoding, key)?)?;
        equal("signature", signature, &sign(scheme, key.as_ref(), input, Coins::Exact(coins))?)
    })())
}

/// Checks that a library accepts or rejects a signature as expected. Rejecting the key of an invalid signature counts
/// as rejecting the signature.
pub(crate) fn verification(
    scheme: &dyn SignatureScheme,
    key: &[u8],
    input: Input,
    signature: &[u8],
    valid: bool,
) -> Checked {
    let key = match scheme.load_verifying_key(key) {
        Ok(key) => key,
        Err(error) if valid => return step("load verifying key", Err(error)),
        Err(error) => return refused::<()>("verifying key", Err(error)),
    };
    let outcome = input.verify(key.as_ref(), signature);
    match (valid, input) {
        (true, _) => step("verify", outcome),
        // A library may report a context longer than 255 bytes as the caller's mistake, not as a
        // bad signature.
        (false, Input::Pure(context, _) | Input::PreHash(_, context, _)) if context.len() > 255 => {
            refused("signature", outcome)
        }
        (false, _) => rejected("signature", outcome),
    }
}

/// Fails with [`Fault::Unsupported`] if the scheme offers no pre-hashed variant with this hash function.
pub(crate) fn hashes_first(scheme: &dyn SignatureScheme, prehash: Prehash) -> Checked {
    if scheme.prehashes().contains(&prehash) {
        Ok(())
    } else {
        Err(Fault::Unsupported(format!("no pre-hashed variant with this hash function ({})", prehash.name())))
    }
}

/// Fails with [`Fault::Unsupported`] if signing neither accepts caller-supplied randomness nor is deterministic.
pub(crate) fn takes_coins(scheme: &dyn SignatureScheme) -> Checked {
    if scheme.info().coins.operation || !scheme.draws_to_sign() {
        Ok(())
    } else {
        Err(Fault::Unsupported(
            "signing does not accept caller-supplied randomness and is not deterministic".to_owned(),
        ))
    }
}

/// Loads a signing key. If the provider cannot load seeds, passes a seed to key generation as randomness. Fails with
/// [`Fault::Unsupported`] if the provider does not offer the encoding.
pub(crate) fn load(
    scheme: &dyn SignatureScheme,
    encoding: KeyEncoding,
    key: &[u8],
) -> Result<Result<Box<dyn SigningKey>>, Fault> {
    let info = scheme.info();
    if info.encodings.contains(&encoding) {
        return Ok(scheme.load_signing_key(encoding, key));
    }
    if encoding == KeyEncoding::Seed && info.coins.keygen {
        return Ok(scheme.generate(Coins::Exact(key)));
    }
    Err(Fault::Unsupported(format!("the library cannot load signing keys in the {} encoding", encoding.name())))
}

/// Signs, and returns the signature.
pub(crate) fn sign(
    scheme: &dyn SignatureScheme,
    key: &dyn SigningKey,
    input: Input,
    coins: Coins,
) -> Result<Vec<u8>, Fault> {
    let parameters = &scheme.info().parameters;
    let signature = written(parameters.signature, |out| input.sign(key, coins, out))?;
    if !parameters.variable_length && signature.len() != parameters.signature {
        let (actual, expected) = (signature.len(), parameters.signature);
        return Err(Fault::Wrong(format!("signature: {actual} bytes, expected {expected}")));
    }
    Ok(signature)
}

/// Returns the encoded verifying key.
pub(crate) fn encoded(scheme: &dyn SignatureScheme, key: &dyn VerifyingKey) -> Result<Vec<u8>, Fault> {
    written(scheme.info().parameters.verifying_key, |out| key.encode(out))
}

/// Returns the signing key in the given encoding.
pub(crate) fn encoded_secret(
    scheme: &dyn SignatureScheme,
    key: &dyn SigningKey,
    encoding: KeyEncoding,
) -> Result<Vec<u8>, Fault> {
    let length = scheme.info().signing_key(encoding).unwrap_or_default();
    written(length, |out| key.encode(encoding, out))
}

fn same_key(scheme: &dyn SignatureScheme, key: &dyn SigningKey, expected: &ExpectedKey) -> Checked {
    let public = step("verifying key", key.verifying_key())?;
    equal("verifying key", expected.verifying_key, &encoded(scheme, public.as_ref())?)?;
    for (encoding, bytes) in expected.signing_keys {
        if scheme.info().encodings.contains(encoding) {
            let what = format!("signing key, {}", encoding.name());
            equal(what, bytes, &encoded_secret(scheme, key, *encoding)?)?;
        }
    }
    Ok(())
}

fn encoded_generation(scheme: &dyn SignatureScheme, coins: &[u8], expected: &ExpectedKey) -> Checked {
    let info = scheme.info();
    let Some(own) = info.encodings.first() else { return Ok(()) };
    let Some((_, bytes)) = expected.signing_keys.iter().find(|(encoding, _)| encoding == own) else {
        return Ok(());
    };
    let mut public = buffer(info.parameters.verifying_key);
    let mut secret = buffer(info.signing_key(*own).unwrap_or_default());
    let generated = scheme.generate_encoded(Coins::Exact(coins), &mut public, &mut secret);
    let (public_length, secret_length) = step("generate encoded", generated)?;
    equal("verifying key, as generated", expected.verifying_key, public.get(..public_length).unwrap_or_default())?;
    equal("signing key, as generated", bytes, secret.get(..secret_length).unwrap_or_default())
}
