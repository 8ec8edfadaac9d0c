//! Checks the answers of a provider before a process measures one of its algorithms. Every provider must reproduce
//! known answers. A library that the user loaded must also exchange secrets or signatures with a linked library, in
//! both directions. Without the exchange, a library that returns constants would agree with itself.

use crate::fault;
use pqlab_harness::Fault;
use pqlab_primitives::{Coins, Error, Kem, Provider, SignatureScheme};
use pqlab_verification::known_answers::{self, WrongAnswer};
use std::sync::Arc;

/// Checks a provider's implementation of an algorithm.
///
/// # Errors
/// [`Fault::WrongAnswer`] if a known answer is wrong or the exchange fails. [`Fault::Unsupported`] if one of the two
/// libraries lacks an operation that the exchange needs.
pub(crate) fn check(provider: &Provider, all: &[Arc<Provider>], algorithm: &str) -> Result<(), Fault> {
    known_answers::check(provider, algorithm).map_err(|WrongAnswer(what)| Fault::WrongAnswer(what))?;
    if is_linked(provider) {
        return Ok(());
    }
    if let (Some(kem), Some((peer, other))) = (provider.kem(algorithm), peer(all, |provider| provider.kem(algorithm))) {
        exchange_secret(other.as_ref(), kem.as_ref(), &peer)?;
        exchange_secret(kem.as_ref(), other.as_ref(), &peer)?;
    }
    if let (Some(scheme), Some((peer, other))) =
        (provider.signature(algorithm), peer(all, |provider| provider.signature(algorithm)))
    {
        exchange_signature(other.as_ref(), scheme.as_ref(), &peer)?;
        exchange_signature(scheme.as_ref(), other.as_ref(), &peer)?;
    }
    Ok(())
}

fn is_linked(provider: &Provider) -> bool {
    provider.language.is_none() && provider.remote.is_none()
}

/// Returns the id of the first linked provider that offers the algorithm, and that provider's implementation.
fn peer<'p, T: ?Sized>(
    all: &'p [Arc<Provider>],
    find: impl Fn(&'p Provider) -> Option<&'p Arc<T>>,
) -> Option<(String, &'p Arc<T>)> {
    let mut linked = all.iter().filter(|provider| is_linked(provider));
    linked.find_map(|provider| find(provider).map(|found| (provider.id(), found)))
}

/// Checks that a key pair from `one` and an encapsulation by `other` give the same secret. `peer` is the id of the
/// linked library, which errors name.
fn exchange_secret(one: &dyn Kem, other: &dyn Kem, peer: &str) -> Result<(), Fault> {
    let exchange = || {
        let parameters = &one.info().parameters;
        let key = one.generate(Coins::Internal)?;
        let mut public = vec![0; parameters.encapsulation_key];
        key.encode_encapsulation_key(&mut public)?;
        let (mut ciphertext, mut sent) = (vec![0; parameters.ciphertext], vec![0; parameters.shared_secret]);
        other.load_encapsulation_key(&public)?.encapsulate(Coins::Internal, &mut ciphertext, &mut sent)?;
        let mut received = vec![0; parameters.shared_secret];
        key.decapsulate(&ciphertext, &mut received)?;
        Ok(sent == received)
    };
    judge(exchange(), peer, "the two sides have different shared secrets")
}

/// Checks that `other` accepts a signature by `one`, and rejects the signature after a bit flip. `peer` is the id of
/// the linked library, which errors name.
fn exchange_signature(one: &dyn SignatureScheme, other: &dyn SignatureScheme, peer: &str) -> Result<(), Fault> {
    let exchange = || {
        let parameters = &one.info().parameters;
        let key = one.generate(Coins::Internal)?;
        let mut public = vec![0; parameters.verifying_key];
        let length = key.verifying_key()?.encode(&mut public)?;
        let verifier = other.load_verifying_key(&public[..length])?;
        let message = b"a message for the exchange";
        let mut signature = vec![0; parameters.signature];
        let length = key.sign(&[], message, Coins::Internal, &mut signature)?;
        verifier.verify(&[], message, &signature[..length])?;
        signature[0] ^= 1;
        Ok(verifier.verify(&[], message, &signature[..length]).is_err())
    };
    judge(exchange(), peer, "verification accepts a signature with a bit flipped")
}

fn judge(exchange: Result<bool, Error>, peer: &str, otherwise: &str) -> Result<(), Fault> {
    let wrong = |what: &str| Err(Fault::WrongAnswer(format!("in an exchange with {peer}: {what}")));
    match exchange {
        Ok(true) => Ok(()),
        Ok(false) => wrong(otherwise),
        Err(unsupported @ Error::Unsupported(_)) => Err(fault(unsupported)),
        Err(error) => wrong(&error.to_string()),
    }
}
