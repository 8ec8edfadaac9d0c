use crate::checks::{buffer, equal, refused, step};
use crate::tally::{Checked, Fault, Tally};
use pqlab_primitives::{Coins, KeyAgreement, PrivateKey};

/// Checks that two providers compute the same shared secret, each with the other's public key.
pub(super) fn pair(one: &dyn KeyAgreement, other: &dyn KeyAgreement, tally: &mut Tally) {
    tally.check("prepared keys", || {
        let (ours, theirs) =
            (step("generate", one.generate(Coins::Internal))?, step("generate", other.generate(Coins::Internal))?);
        meet(one, other, ours.as_ref(), theirs.as_ref())
    });
    tally.check("stored keys", || {
        let (ours, theirs) = (stored(one)?, stored(other)?);
        meet(one, other, ours.as_ref(), theirs.as_ref())
    });
    tally.check("the exported key", || {
        let ours = step("generate", one.generate(Coins::Internal))?;
        let mut bytes = buffer(one.info().parameters.private_key);
        step("encode", ours.encode(&mut bytes))?;
        let theirs = step("load private key", other.load_private_key(&bytes))?;
        equal("public key", &public(one, ours.as_ref())?, &public(other, theirs.as_ref())?)?;
        meet(one, other, ours.as_ref(), theirs.as_ref())
    });
    tally.check("a public key of small order", || {
        // An all-zero public key gives an all-zero secret with every private key (RFC 7748, section 6.1).
        let key = step("generate", other.generate(Coins::Internal))?;
        let zero = vec![0; one.info().parameters.public_key];
        refused("public key", key.agree(&zero, &mut buffer(one.info().parameters.shared_secret)))
    });
}

fn meet(one: &dyn KeyAgreement, other: &dyn KeyAgreement, ours: &dyn PrivateKey, theirs: &dyn PrivateKey) -> Checked {
    let (mut first, mut second) =
        (buffer(one.info().parameters.shared_secret), buffer(other.info().parameters.shared_secret));
    step("agree", ours.agree(&public(other, theirs)?, &mut first))?;
    step("agree", theirs.agree(&public(one, ours)?, &mut second))?;
    equal("shared secret", &first, &second)
}

fn stored(agreement: &dyn KeyAgreement) -> Result<Box<dyn PrivateKey>, Fault> {
    let parameters = &agreement.info().parameters;
    let (mut public_key, mut private_key) = (buffer(parameters.public_key), buffer(parameters.private_key));
    step("generate encoded", agreement.generate_encoded(Coins::Internal, &mut public_key, &mut private_key))?;
    let key = step("load private key", agreement.load_private_key(&private_key))?;
    equal("public key", &public_key, &public(agreement, key.as_ref())?)?;
    Ok(key)
}

fn public(agreement: &dyn KeyAgreement, key: &dyn PrivateKey) -> Result<Vec<u8>, Fault> {
    let mut public = buffer(agreement.info().parameters.public_key);
    step("public key", key.public_key(&mut public))?;
    Ok(public)
}
