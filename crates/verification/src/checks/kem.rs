use super::{buffer, equal, not_asked, refused, step, written};
use crate::tally::{Checked, Fault};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, KeyEncoding, Result};

/// Key pair that a vector expects, in every encoding that the vector contains.
pub(crate) struct ExpectedKey<'a> {
    pub(crate) encapsulation_key: &'a [u8],
    pub(crate) decapsulation_keys: &'a [(KeyEncoding, &'a [u8])],
}

/// Checks key generation from caller-supplied randomness, through the calls for prepared and for encoded keys. If the
/// vector contains a seed, also loads the key from the seed. Skips operations that the provider does not offer.
pub(crate) fn key_generation(kem: &dyn Kem, coins: &[u8], expected: &ExpectedKey) -> Checked {
    not_asked((|| {
        let info = kem.info();
        let mut keys = Vec::new();
        if info.coins.keygen {
            keys.push(step("generate", kem.generate(Coins::Exact(coins)))?);
            encoded_generation(kem, coins, expected)?;
        }
        let seed = expected.decapsulation_keys.iter().find(|(encoding, _)| *encoding == KeyEncoding::Seed);
        if let Some((encoding, seed)) = seed
            && info.encodings.contains(encoding)
        {
            keys.push(step("load seed", kem.load_decapsulation_key(*encoding, seed))?);
        }
        if keys.is_empty() {
            return Err(Fault::Unsupported("key generation does not accept caller-supplied randomness".to_owned()));
        }
        keys.iter().try_for_each(|key| same_key(kem, key.as_ref(), expected))
    })())
}

/// Checks the ciphertext and the shared secret of an encapsulation with caller-supplied randomness.
pub(crate) fn encapsulation(kem: &dyn Kem, key: &[u8], coins: &[u8], ciphertext: &[u8], secret: &[u8]) -> Checked {
    not_asked((|| {
        if !kem.info().coins.operation {
            return Err(Fault::Unsupported("encapsulation does not accept caller-supplied randomness".to_owned()));
        }
        let key = step("load encapsulation key", kem.load_encapsulation_key(key))?;
        let (made, shared) = encapsulate(kem, key.as_ref(), Coins::Exact(coins))?;
        equal("ciphertext", ciphertext, &made)?;
        equal("shared secret", secret, &shared)
    })())
}

/// Checks the shared secret of a decapsulation.
pub(crate) fn decapsulation(
    kem: &dyn Kem,
    (encoding, key): (KeyEncoding, &[u8]),
    ciphertext: &[u8],
    secret: &[u8],
) -> Checked {
    let key = step("load decapsulation key", load(kem, encoding, key)?)?;
    equal("shared secret", secret, &decapsulate(kem, key.as_ref(), ciphertext)?)
}

/// Checks that a library accepts or rejects an encapsulation key as expected. FIPS 203, section 7.2, requires a check
/// before encapsulation. Some libraries check the key when they load it, others on each encapsulation.
pub(crate) fn encapsulation_key_check(kem: &dyn Kem, key: &[u8], valid: bool) -> Checked {
    let parameters = &kem.info().parameters;
    let used = kem.load_encapsulation_key(key).and_then(|key| {
        let (mut ciphertext, mut secret) = (buffer(parameters.ciphertext), buffer(parameters.shared_secret));
        key.encapsulate(Coins::Internal, &mut ciphertext, &mut secret)
    });
    if valid { step("encapsulation key", used) } else { refused("encapsulation key", used) }
}

/// Checks that a library accepts or rejects an expanded decapsulation key as expected (FIPS 203, section 7.3). A
/// library may reject the key when it loads the key or when it decapsulates.
pub(crate) fn decapsulation_key_check(kem: &dyn Kem, key: &[u8], valid: bool) -> Checked {
    let parameters = &kem.info().parameters;
    let used = load(kem, KeyEncoding::Expanded, key)?
        .and_then(|key| key.decapsulate(&vec![0; parameters.ciphertext], &mut buffer(parameters.shared_secret)));
    if valid { step("decapsulation key", used) } else { refused("decapsulation key", used) }
}

/// Loads a decapsulation key. If the provider cannot load seeds, passes a seed to key generation as randomness. Fails
/// with [`Fault::Unsupported`] if the provider does not offer the encoding.
pub(crate) fn load(
    kem: &dyn Kem,
    encoding: KeyEncoding,
    key: &[u8],
) -> Result<Result<Box<dyn DecapsulationKey>>, Fault> {
    let info = kem.info();
    if info.encodings.contains(&encoding) {
        return Ok(kem.load_decapsulation_key(encoding, key));
    }
    if encoding == KeyEncoding::Seed && info.coins.keygen {
        return Ok(kem.generate(Coins::Exact(key)));
    }
    Err(Fault::Unsupported(format!("the library cannot load decapsulation keys in the {} encoding", encoding.name())))
}

/// Encapsulates, and returns the ciphertext and the shared secret.
pub(crate) fn encapsulate(
    kem: &dyn Kem,
    key: &dyn EncapsulationKey,
    coins: Coins,
) -> Result<(Vec<u8>, Vec<u8>), Fault> {
    let parameters = &kem.info().parameters;
    let mut ciphertext = buffer(parameters.ciphertext);
    let mut secret = buffer(parameters.shared_secret);
    step("encapsulate", key.encapsulate(coins, &mut ciphertext, &mut secret))?;
    Ok((ciphertext, secret))
}

/// Decapsulates, and returns the shared secret.
pub(crate) fn decapsulate(kem: &dyn Kem, key: &dyn DecapsulationKey, ciphertext: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut secret = buffer(kem.info().parameters.shared_secret);
    step("decapsulate", key.decapsulate(ciphertext, &mut secret))?;
    Ok(secret)
}

/// Returns the encoded encapsulation key.
pub(crate) fn encoded(kem: &dyn Kem, key: &dyn EncapsulationKey) -> Result<Vec<u8>, Fault> {
    written(kem.info().parameters.encapsulation_key, |out| key.encode(out))
}

/// Returns the decapsulation key in the given encoding.
pub(crate) fn encoded_secret(
    kem: &dyn Kem,
    key: &dyn DecapsulationKey,
    encoding: KeyEncoding,
) -> Result<Vec<u8>, Fault> {
    let length = kem.info().decapsulation_key(encoding).unwrap_or_default();
    written(length, |out| key.encode(encoding, out))
}

fn same_key(kem: &dyn Kem, key: &dyn DecapsulationKey, expected: &ExpectedKey) -> Checked {
    let public = step("encapsulation key", key.encapsulation_key())?;
    equal("encapsulation key", expected.encapsulation_key, &encoded(kem, public.as_ref())?)?;
    for (encoding, bytes) in expected.decapsulation_keys {
        if kem.info().encodings.contains(encoding) {
            let what = format!("decapsulation key, {}", encoding.name());
            equal(what, bytes, &encoded_secret(kem, key, *encoding)?)?;
        }
    }
    Ok(())
}

fn encoded_generation(kem: &dyn Kem, coins: &[u8], expected: &ExpectedKey) -> Checked {
    let info = kem.info();
    let Some(own) = info.encodings.first() else { return Ok(()) };
    let Some((_, bytes)) = expected.decapsulation_keys.iter().find(|(encoding, _)| encoding == own) else {
        return Ok(());
    };
    let mut public = buffer(info.parameters.encapsulation_key);
    let mut secret = buffer(info.decapsulation_key(*own).unwrap_or_default());
    step("generate encoded", kem.generate_encoded(Coins::Exact(coins), &mut public, &mut secret))?;
    equal("encapsulation key, as generated", expected.encapsulation_key, &public)?;
    equal("decapsulation key, as generated", bytes, &secret)
}
