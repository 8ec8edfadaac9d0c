use super::{Inspection, Notebook, Objection, flipped, places};
use pqlab_primitives::{Coins, Provider, SignatureScheme, SigningKey, VerifyingKey};
use std::sync::Arc;

/// Length of the message in bytes.
const MESSAGE: usize = 32;

/// Generates a key pair, signs a message, and checks that the verifier accepts the signature and rejects altered
/// inputs. `all` contains every provider of the algorithm.
pub(super) fn inspect(
    provider: &Provider,
    scheme: &dyn SignatureScheme,
    all: &[&Arc<Provider>],
    seed: u64,
) -> Inspection {
    let info = scheme.info();
    let parameters = &info.parameters;
    let mut notebook = Notebook::new(seed, &parameters.algorithm);
    let (coins, other_coins) = (notebook.draw(parameters.keygen_coins), notebook.draw(parameters.keygen_coins));
    let message = notebook.draw(MESSAGE);
    let generate =
        |coins: &[u8]| Ok(scheme.generate(if info.coins.keygen { Coins::Exact(coins) } else { Coins::Internal })?);
    let pair = notebook.check("key generation succeeds", || generate(&coins));
    if let Some(key) = pair {
        let other = notebook.check("a second key generation succeeds", || generate(&other_coins));
        let encoded = keys(&mut notebook, scheme, key.as_ref(), &message);
        notebook.item("message", MESSAGE, &message);
        let signature = notebook.check("signing succeeds", || {
            let mut signature = vec![0; parameters.signature];
            let length = key.sign(&[], &message, Coins::Internal, &mut signature)?;
            signature.truncate(length);
            Ok(signature)
        });
        if let Some(signature) = signature {
            notebook.item("signature", parameters.signature, &signature);
            let verifier = notebook.check("the signing key provides the verifying key", || Ok(key.verifying_key()?));
            if let Some(verifier) = verifier {
                let other = other.as_deref();
                examine(&mut notebook, verifier.as_ref(), other, &message, &signature);
            }
            if let Some(encoded) = encoded {
                exchange(&mut notebook, provider, &parameters.algorithm, all, &encoded, &message, &signature);
            }
        }
    }
    Inspection {
        provider: provider.id(),
        kind: "signature".to_owned(),
        algorithm: parameters.algorithm.to_string(),
        standard: parameters.standard.to_string(),
        category: parameters.category,
        seeded: info.coins.keygen,
        items: notebook.items,
        checks: notebook.checks,
    }
}

/// Adds the verifying key and the signing key, in every encoding, to the notebook. Returns the encoded verifying key.
fn keys(
    notebook: &mut Notebook,
    scheme: &dyn SignatureScheme,
    key: &dyn SigningKey,
    message: &[u8],
) -> Option<Vec<u8>> {
    let info = scheme.info();
    let longest = info.parameters.verifying_key;
    let encoded = notebook.check("encoding the verifying key succeeds", || encode_public(key, longest));
    if let Some(bytes) = &encoded {
        notebook.item("verifying key", longest, bytes);
    }
    for &encoding in &info.encodings {
        let longest = info.signing_key(encoding).unwrap_or(0);
        let bytes = notebook.check(&format!("encoding the signing key ({}) succeeds", encoding.name()), || {
            let mut bytes = vec![0; longest];
            let length = key.encode(encoding, &mut bytes)?;
            bytes.truncate(length);
            Ok(bytes)
        });
        let Some(bytes) = bytes else { continue };
        notebook.item(&format!("signing key ({})", encoding.name()), longest, &bytes);
        let name = format!("the verifying key accepts a signature by the reloaded signing key ({})", encoding.name());
        notebook.check(&name, || {
            let again = scheme.load_signing_key(encoding, &bytes)?;
            let mut signature = vec![0; info.parameters.signature];
            let length = again.sign(&[], message, Coins::Internal, &mut signature)?;
            Ok(key.verifying_key()?.verify(&[], message, &signature[..length])?)
        });
    }
    encoded
}

fn examine(
    notebook: &mut Notebook,
    verifier: &dyn VerifyingKey,
    other: Option<&dyn SigningKey>,
    message: &[u8],
    signature: &[u8],
) {
    notebook.check("round trip: the signature is accepted", || Ok(verifier.verify(&[], message, signature)?));
    for place in places(message.len()) {
        let name = format!("a tampered message is rejected (byte {place})");
        notebook.check(&name, || refuses(verifier, &flipped(message, place), signature));
    }
    for (place, description) in notebook.places(signature.len()) {
        let name = format!("a tampered signature is rejected ({description})");
        notebook.check(&name, || refuses(verifier, message, &flipped(signature, place)));
    }
    notebook
        .check("a truncated signature is rejected", || refuses(verifier, message, &signature[..signature.len() - 1]));
    if let Some(other) = other {
        notebook.check("the signature is rejected under the wrong key", || {
            refuses(other.verifying_key()?.as_ref(), message, signature)
        });
    }
}

fn refuses(verifier: &dyn VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Objection> {
    match verifier.verify(&[], message, signature) {
        Err(_) => Ok(()),
        Ok(()) => Err(Objection::Wrong("the signature was accepted".into())),
    }
}

/// Checks that every other provider accepts the signature. `encoded` is the encoded verifying key.
fn exchange(
    notebook: &mut Notebook,
    provider: &Provider,
    algorithm: &str,
    all: &[&Arc<Provider>],
    encoded: &[u8],
    message: &[u8],
    signature: &[u8],
) {
    for other in all.iter().filter(|other| other.id() != provider.id()) {
        let Some(theirs) = other.signature(algorithm) else { continue };
        notebook.check(&format!("{} accepts this signature", other.id()), || {
            Ok(theirs.load_verifying_key(encoded)?.verify(&[], message, signature)?)
        });
    }
}

fn encode_public(key: &dyn SigningKey, longest: usize) -> Result<Vec<u8>, Objection> {
    let mut bytes = vec![0; longest];
    let length = key.verifying_key()?.encode(&mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}
