use super::{Inspection, Notebook, Objection, flipped};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Kem, Provider};
use std::sync::Arc;

/// Generates a key pair, encapsulates to it, and checks the results. `all` contains every provider of the algorithm.
pub(super) fn inspect(provider: &Provider, kem: &dyn Kem, all: &[&Arc<Provider>], seed: u64) -> Inspection {
    let info = kem.info();
    let parameters = &info.parameters;
    let mut notebook = Notebook::new(seed, &parameters.algorithm);
    let (coins, other_coins) = (notebook.draw(parameters.keygen_coins), notebook.draw(parameters.keygen_coins));
    let encapsulation_coins = notebook.draw(parameters.encapsulation_coins);
    let generate =
        |coins: &[u8]| Ok(kem.generate(if info.coins.keygen { Coins::Exact(coins) } else { Coins::Internal })?);
    let pair = notebook.check("key generation succeeds", || generate(&coins));
    if let Some(key) = pair {
        let other = notebook.check("a second key generation succeeds", || generate(&other_coins));
        let coins = if info.coins.operation { Coins::Exact(&encapsulation_coins) } else { Coins::Internal };
        examine(&mut notebook, kem, key.as_ref(), other.as_deref(), coins);
        exchange(&mut notebook, provider, key.as_ref(), all, kem);
    }
    Inspection {
        provider: provider.id(),
        kind: "kem".to_owned(),
        algorithm: parameters.algorithm.to_string(),
        standard: parameters.standard.to_string(),
        category: parameters.category,
        seeded: info.coins.keygen,
        items: notebook.items,
        checks: notebook.checks,
    }
}

fn examine(
    notebook: &mut Notebook,
    kem: &dyn Kem,
    key: &dyn DecapsulationKey,
    other: Option<&dyn DecapsulationKey>,
    coins: Coins<'_>,
) {
    let info = kem.info();
    let parameters = &info.parameters;
    let longest = parameters.encapsulation_key;
    let encoded = notebook.check("encoding the encapsulation key succeeds", || encode_public(key, longest));
    if let Some(bytes) = &encoded {
        notebook.item("encapsulation key", longest, bytes);
    }
    for &encoding in &info.encodings {
        let longest = info.decapsulation_key(encoding).unwrap_or(0);
        let name = format!("encoding ({}) and reloading the decapsulation key gives the same key", encoding.name());
        let bytes = notebook.check(&name, || {
            let mut bytes = vec![0; longest];
            let length = key.encode(encoding, &mut bytes)?;
            bytes.truncate(length);
            let again = kem.load_decapsulation_key(encoding, &bytes)?;
            match encode_public(again.as_ref(), parameters.encapsulation_key)?
                == encode_public(key, parameters.encapsulation_key)?
            {
                true => Ok(bytes),
                false => Err(Objection::Wrong("the reloaded key differs".into())),
            }
        });
        if let Some(bytes) = bytes {
            notebook.item(&format!("decapsulation key ({})", encoding.name()), longest, &bytes);
        }
    }
    let sent = notebook.check("encapsulation succeeds", || {
        let to = key.encapsulation_key()?;
        encapsulate(to.as_ref(), kem, coins)
    });
    let Some((ciphertext, secret)) = sent else { return };
    notebook.item("ciphertext", parameters.ciphertext, &ciphertext);
    notebook.item("shared secret", parameters.shared_secret, &secret);
    let received = |key: &dyn DecapsulationKey, ciphertext: &[u8]| -> Result<Vec<u8>, Objection> {
        let mut received = vec![0; parameters.shared_secret];
        key.decapsulate(ciphertext, &mut received)?;
        Ok(received)
    };
    notebook.check("round trip: both sides have the same secret", || match received(key, &ciphertext)? == secret {
        true => Ok(()),
        false => Err(Objection::Wrong("the secrets differ".into())),
    });
    let another = |received: Vec<u8>| match received != secret {
        true => Ok(()),
        false => Err(Objection::Wrong("the secret did not change".into())),
    };
    for (place, description) in notebook.places(ciphertext.len()) {
        let name = format!("a tampered ciphertext gives a different secret ({description})");
        notebook.check(&name, || another(received(key, &flipped(&ciphertext, place))?));
    }
    if let Some(other) = other {
        notebook.check("the wrong key gives a different secret", || another(received(other, &ciphertext)?));
    }
    notebook.check("a truncated ciphertext is rejected", || {
        let mut secret = vec![0; parameters.shared_secret];
        match key.decapsulate(&ciphertext[..ciphertext.len() - 1], &mut secret) {
            Err(_) => Ok(()),
            Ok(()) => Err(Objection::Wrong("the truncated ciphertext was accepted".into())),
        }
    });
}

/// Checks that the key correctly decapsulates ciphertexts from every other provider.
fn exchange(
    notebook: &mut Notebook,
    provider: &Provider,
    key: &dyn DecapsulationKey,
    all: &[&Arc<Provider>],
    kem: &dyn Kem,
) {
    let parameters = &kem.info().parameters;
    let Ok(encoded) = encode_public(key, parameters.encapsulation_key) else { return };
    for other in all.iter().filter(|other| other.id() != provider.id()) {
        let Some(theirs) = other.kem(&parameters.algorithm) else { continue };
        notebook.check(&format!("{} encapsulates to this key", other.id()), || {
            let to = theirs.load_encapsulation_key(&encoded)?;
            let (ciphertext, sent) = encapsulate(to.as_ref(), theirs.as_ref(), Coins::Internal)?;
            let mut received = vec![0; parameters.shared_secret];
            key.decapsulate(&ciphertext, &mut received)?;
            if sent == received { Ok(()) } else { Err(Objection::Wrong("the secrets differ".into())) }
        });
    }
}

fn encode_public(key: &dyn DecapsulationKey, longest: usize) -> Result<Vec<u8>, Objection> {
    let mut bytes = vec![0; longest];
    let length = key.encapsulation_key()?.encode(&mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

fn encapsulate(to: &dyn EncapsulationKey, kem: &dyn Kem, coins: Coins<'_>) -> Result<(Vec<u8>, Vec<u8>), Objection> {
    let parameters = &kem.info().parameters;
    let (mut ciphertext, mut secret) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
    to.encapsulate(coins, &mut ciphertext, &mut secret)?;
    Ok((ciphertext, secret))
}
