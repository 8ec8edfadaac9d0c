//! Leak tests for key agreement and authenticated decryption. Key agreement compares one private key with many keys
//! and, as a control, one peer with many peers. Decryption compares tags with a wrong first byte to tags with a wrong
//! last byte.

use super::pools::pools;
use super::{LeakCase, LeakSubject, Role, missing};
use crate::fault;
use crate::inputs::bytes;
use pqlab_harness::Fault;
use pqlab_harness::leak::Target;
use pqlab_primitives::{Aead, AeadKey, Coins, Error, KeyAgreement, PrivateKey, Provider, Result as LibraryResult};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Length in bytes of a plaintext.
const TEXT: usize = 64;
/// Number of peers' public keys per private key.
const PEERS: usize = 16;

pub(super) fn cases(provider: &Provider) -> Vec<LeakCase> {
    let case = |area, algorithm: &str, operation, role, varies, classes| LeakCase {
        area,
        algorithm: algorithm.to_owned(),
        operation,
        role,
        varies,
        provider: provider.id(),
        classes,
    };
    let mut cases = Vec::new();
    for agreement in &provider.key_agreements {
        let name = &agreement.info().parameters.algorithm;
        cases.push(case("agreement", name, "agree", Role::Secret, "key", "one private key versus many"));
        cases.push(case("agreement", name, "agree", Role::Public, "peer", "one peer's public key versus many"));
    }
    for aead in &provider.aeads {
        let classes = "tags with the first byte wrong versus the last byte wrong";
        cases.push(case("aead", aead.algorithm(), "open", Role::Secret, "place", classes));
    }
    cases
}

pub(super) fn prepare(case: &LeakCase, provider: &Provider, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    if case.area == "aead" {
        let aead = provider.aead(&case.algorithm).ok_or_else(|| missing(case))?;
        return open(aead.as_ref(), draw).map_err(fault);
    }
    let agreement = provider.key_agreement(&case.algorithm).ok_or_else(|| missing(case))?;
    agree(agreement, case.role, draw).map_err(fault)
}

/// Generates a public and a private key.
fn key_pair(agreement: &dyn KeyAgreement, draw: &mut ChaCha8Rng) -> LibraryResult<(Vec<u8>, Vec<u8>)> {
    let parameters = &agreement.info().parameters;
    let coins = bytes(draw, parameters.private_key);
    let coins = if agreement.info().exact_coins { Coins::Exact(&coins) } else { Coins::Internal };
    let (mut public, mut private) = (vec![0; parameters.public_key], vec![0; parameters.private_key]);
    agreement.generate_encoded(coins, &mut public, &mut private)?;
    Ok((public, private))
}

fn agree(agreement: &Arc<dyn KeyAgreement>, role: Role, draw: &mut ChaCha8Rng) -> LibraryResult<LeakSubject> {
    let own = key_pair(agreement.as_ref(), draw)?;
    let mut peers = Vec::new();
    for _ in 0..PEERS {
        peers.push(key_pair(agreement.as_ref(), draw)?.0);
    }
    let key = agreement.load_private_key(&own.1)?;
    let secret = vec![0; agreement.info().parameters.shared_secret];
    let private = own.1.len();
    let (pools, reloads) = match role {
        Role::Secret => (pools(draw, |_| Ok(own.1.clone()), |draw| Ok(key_pair(agreement.as_ref(), draw)?.1))?, true),
        _ => {
            let peer = peers[0].clone();
            (pools(draw, |_| Ok(peer.clone()), |draw| Ok(key_pair(agreement.as_ref(), draw)?.0))?, false)
        }
    };
    let agreement = reloads.then(|| Arc::clone(agreement));
    let target = Agree { agreement, key, peer: peers[0].clone(), peers, turn: 0, secret };
    let secret = if reloads { std::iter::once(0..private).collect() } else { Vec::new() };
    Ok(LeakSubject { target: Box::new(target), pools, secret, caveat: None })
}

/// Key agreement target. The input is the private key, or the peer's public key.
struct Agree {
    agreement: Option<Arc<dyn KeyAgreement>>,
    key: Box<dyn PrivateKey>,
    peer: Vec<u8>,
    peers: Vec<Vec<u8>>,
    turn: usize,
    secret: Vec<u8>,
}

impl Target for Agree {
    fn load(&mut self, input: &[u8]) -> Result<(), Fault> {
        match &self.agreement {
            Some(agreement) => {
                self.turn = (self.turn + 1) % self.peers.len();
                self.peer.copy_from_slice(&self.peers[self.turn]);
                self.key = agreement.load_private_key(input).map_err(fault)?;
            }
            None => self.peer.copy_from_slice(input),
        }
        Ok(())
    }

    fn call(&mut self) -> Result<(), Fault> {
        self.key.agree(&self.peer, &mut self.secret).map_err(fault)
    }
}

fn open(aead: &dyn Aead, draw: &mut ChaCha8Rng) -> LibraryResult<LeakSubject> {
    let key = aead.load_key(&bytes(draw, aead.key_len()))?;
    let (nonce, tag) = (aead.nonce_len(), aead.tag_len());
    let sealed = |draw: &mut ChaCha8Rng, wrong: usize| {
        let mut input = bytes(draw, nonce + TEXT + tag);
        let (head, written) = input.split_at_mut(nonce + TEXT);
        let (nonce, text) = head.split_at_mut(nonce);
        key.seal(nonce, &[], text, written)?;
        written[wrong] ^= 0xff;
        Ok(input)
    };
    let pools = pools(draw, |draw| sealed(draw, 0), |draw| sealed(draw, tag - 1))?;
    let target = Open { input: vec![0; nonce + TEXT + tag], nonce, key };
    Ok(LeakSubject { target: Box::new(target), pools, secret: Vec::new(), caveat: None })
}

/// Decryption target that must reject its input. The input is nonce, ciphertext and tag.
struct Open {
    key: Box<dyn AeadKey>,
    input: Vec<u8>,
    nonce: usize,
}

impl Target for Open {
    fn load(&mut self, input: &[u8]) -> Result<(), Fault> {
        self.input.copy_from_slice(input);
        Ok(())
    }

    fn call(&mut self) -> Result<(), Fault> {
        let (head, tag) = self.input.split_at_mut(self.nonce + TEXT);
        let (nonce, text) = head.split_at_mut(self.nonce);
        match self.key.open(nonce, &[], text, tag) {
            Err(Error::VerificationFailed) => Ok(()),
            Ok(()) => Err(Fault::WrongAnswer("a wrong tag was accepted".into())),
            Err(error) => Err(fault(error)),
        }
    }
}
