use super::{bytes, flipped};
use crate::checks::signature::{Input, encoded, encoded_secret, sign, takes_coins};
use crate::checks::{equal, refused, rejected, step};
use crate::tally::{Checked, Fault, Tally, caught};
use pqlab_primitives::{
    BatchVerifier, Claim, ClaimKey, Coins, Error, KeyEncoding, SignatureScheme, SignedMessage, SigningKey,
};

/// Signatures from the first provider of a pair.
pub(super) struct Signed(Result<Made, Fault>);

struct Made {
    key: Box<dyn SigningKey>,
    verifying_key: Vec<u8>,
    /// Verifying key of an unrelated key pair.
    another_key: Vec<u8>,
    signatures: Vec<Signature>,
}

struct Signature {
    context: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Signed {
    /// Signs the messages and contexts listed in [`inputs`].
    pub(super) fn make(scheme: &dyn SignatureScheme) -> Signed {
        Signed(caught(|| {
            let key = step("generate", scheme.generate(Coins::Internal))?;
            let verifying_key = public(scheme, key.as_ref())?;
            let another_key = if hash_based(scheme) {
                // Alter the key instead of generating one, which is slow. Every byte string of this
                // length is a valid key.
                flipped(&verifying_key, verifying_key.len() - 1)
            } else {
                public(scheme, step("generate", scheme.generate(Coins::Internal))?.as_ref())?
            };
            let mut signatures = Vec::new();
            for &(context, message) in inputs(scheme) {
                let (context, message) = (bytes("context", context), bytes("message", message));
                let signature = sign(scheme, key.as_ref(), Input::Pure(&context, &message), Coins::Internal)?;
                signatures.push(Signature { context, message, signature });
            }
            Ok(Made { key, verifying_key, another_key, signatures })
        }))
    }
}

fn public(scheme: &dyn SignatureScheme, key: &dyn SigningKey) -> Result<Vec<u8>, Fault> {
    encoded(scheme, step("verifying key", key.verifying_key())?.as_ref())
}

/// Returns the lengths in bytes of the contexts and messages to sign. Hash-based schemes sign only one message.
fn inputs(scheme: &dyn SignatureScheme) -> &'static [(usize, usize)] {
    match (hash_based(scheme), scheme.info().context) {
        (true, true) => &[(11, 33)],
        (true, false) => &[(0, 33)],
        (false, true) => &[(0, 33), (0, 0), (0, 10_000), (11, 100)],
        (false, false) => &[(0, 33), (0, 0), (0, 10_000)],
    }
}

/// Checks that `other` accepts signatures from `one`, and rejects modified ones.
pub(super) fn pair(signed: &Signed, one: &dyn SignatureScheme, other: &dyn SignatureScheme, tally: &mut Tally) {
    let made = match &signed.0 {
        Ok(made) => made,
        Err(fault) => return tally.check("sign", || Err(fault.clone())),
    };
    for signature in &made.signatures {
        let Signature { context, message, .. } = signature;
        let id = format!("a message of {} bytes, a context of {} bytes", message.len(), context.len());
        tally.check(id, || {
            takes(other, context)?;
            let key = step("load verifying key", other.load_verifying_key(&made.verifying_key))?;
            step("verify", key.verify(context, message, &signature.signature))
        });
    }
    if let Some(signature) = made.signatures.first() {
        refusals(other, made, signature, tally);
    }
    for &encoding in one.info().encodings.iter().filter(|encoding| other.info().encodings.contains(encoding)) {
        tally.check(format_args!("the exported key, {}", encoding.name()), || handed_over(one, other, made, encoding));
    }
    if made.signatures.iter().any(|signature| !signature.context.is_empty()) {
        tally.check("a different context", || another_context(other, made));
    }
}

/// Verifies all signatures in one batch, alternating between the encoded and the prepared key.
pub(super) fn together(signed: &Signed, verifier: &dyn BatchVerifier, tally: &mut Tally) {
    let Ok(made) = &signed.0 else { return };
    tally.check("all messages in one batch", || {
        let prepared = step("prepare", verifier.prepare(&made.verifying_key))?;
        let claims: Vec<Claim> = made
            .signatures
            .iter()
            .enumerate()
            .map(|(index, Signature { context, message, signature })| Claim {
                key: match index % 2 {
                    0 => ClaimKey::Encoded(&made.verifying_key),
                    _ => ClaimKey::Prepared(&*prepared),
                },
                message: SignedMessage::Pure { context, message },
                signature,
            })
            .collect();
        let verdicts = verifier.verify(&claims);
        if verdicts.len() != claims.len() {
            let (actual, expected) = (verdicts.len(), claims.len());
            return Err(Fault::Wrong(format!("number of verdicts: {actual}, expected {expected}")));
        }
        verdicts.into_iter().try_for_each(|verdict| step("verify", verdict))
    });
}

fn refusals(other: &dyn SignatureScheme, made: &Made, signature: &Signature, tally: &mut Tally) {
    let Signature { context, message, signature } = signature;
    let verify = |verifying_key: &[u8], message: &[u8], signature: &[u8]| -> Checked {
        let key = step("load verifying key", other.load_verifying_key(verifying_key))?;
        rejected("signature", key.verify(context, message, signature))
    };
    tally.check("a modified message", || verify(&made.verifying_key, &flipped(message, message.len() / 2), signature));
    tally.check("a different key", || verify(&made.another_key, message, signature));
    let last = signature.len().saturating_sub(1);
    for (what, place) in [("first", 0), ("middle", last / 2), ("last", last)] {
        tally.check(format_args!("the {what} byte of the signature modified"), || {
            verify(&made.verifying_key, message, &flipped(signature, place))
        });
    }
    tally.check("a truncated signature", || verify(&made.verifying_key, message, &signature[..last]));
    tally.check("an empty signature", || verify(&made.verifying_key, message, &[]));
    tally.check("a truncated verifying key", || {
        let short = &made.verifying_key[..made.verifying_key.len().saturating_sub(1)];
        refused("verifying key", other.load_verifying_key(short))
    });
}

fn another_context(other: &dyn SignatureScheme, made: &Made) -> Checked {
    let key = step("load verifying key", other.load_verifying_key(&made.verifying_key))?;
    for signature in &made.signatures {
        let context = if signature.context.is_empty() { bytes("context", 11) } else { Vec::new() };
        takes(other, &context)?;
        rejected("signature", key.verify(&context, &signature.message, &signature.signature))?;
    }
    Ok(())
}

/// Exports the signing key from `one` to `other`. Checks that `one` accepts the signatures that `other` creates with
/// the key. If both providers can sign deterministically, also checks that their signatures are equal.
fn handed_over(one: &dyn SignatureScheme, other: &dyn SignatureScheme, made: &Made, encoding: KeyEncoding) -> Checked {
    let bytes = encoded_secret(one, made.key.as_ref(), encoding)?;
    let key = step("load signing key", other.load_signing_key(encoding, &bytes))?;
    match key.verifying_key() {
        Ok(public) => equal("verifying key", &made.verifying_key, &encoded(other, public.as_ref())?)?,
        Err(Error::Unsupported(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let verifier = step("load verifying key", one.load_verifying_key(&made.verifying_key))?;
    let deterministic = takes_coins(one).is_ok() && takes_coins(other).is_ok() && !hash_based(one);
    for Signature { context, message, .. } in &made.signatures {
        if takes(other, context).is_err() {
            continue;
        }
        let coins = if deterministic { Coins::Exact(&[]) } else { Coins::Internal };
        let theirs = sign(other, key.as_ref(), Input::Pure(context, message), coins)?;
        step("verify the other library's signature", verifier.verify(context, message, &theirs))?;
        if deterministic {
            let ours = sign(one, made.key.as_ref(), Input::Pure(context, message), coins)?;
            equal("deterministic signature", &ours, &theirs)?;
        }
    }
    Ok(())
}

fn takes(scheme: &dyn SignatureScheme, context: &[u8]) -> Checked {
    if context.is_empty() || scheme.info().context {
        Ok(())
    } else {
        Err(Fault::Unsupported("verification does not accept contexts".to_owned()))
    }
}

/// Returns whether the scheme is hash-based. Such schemes may take seconds per signature.
fn hash_based(scheme: &dyn SignatureScheme) -> bool {
    let algorithm = &scheme.info().parameters.algorithm;
    ["SLH-DSA-", "SPHINCS+-", "LMS-", "XMSS-"].iter().any(|family| algorithm.starts_with(family))
}
