use super::super::reference::{self, Authentication, Signers};
use super::*;

struct HybridSender {
    ml_dsa_65: Box<dyn SigningKey>,
    ed25519: Box<dyn SigningKey>,
    public_key: Vec<u8>,
}

impl HybridSender {
    fn new() -> HybridSender {
        let ml_dsa_65 = implementation("aws-lc", "ML-DSA-65").generate(Coins::Internal).unwrap();
        let ed25519 = implementation("rustcrypto", "Ed25519").generate(Coins::Internal).unwrap();
        let public_key = encoded(ml_dsa_65.verifying_key().unwrap().as_ref(), 1952);
        HybridSender { ml_dsa_65, ed25519, public_key }
    }

    fn sign(&self, chain_id: u32, hybrid: bool) -> Vec<u8> {
        let body =
            reference::Body { chain_id, nonce: 9, public_key: &self.public_key, to: &[5; 32], amount: 10, fee: 1 };
        let ed25519 = hybrid.then_some(self.ed25519.as_ref());
        let signers = Signers { ml_dsa_65: self.ml_dsa_65.as_ref(), ed25519 };
        let mut out = vec![0; reference::LONGEST];
        let length = body.sign(&signers, sha256().as_ref(), Coins::Internal, &mut Scratch::new(), &mut out).unwrap();
        out.truncate(length);
        out
    }

    /// Returns a verifier that has this sender's Ed25519 key.
    fn verifier(&self) -> Verifier {
        Verifier::new(Form::TxV1, CHAIN, sha256())
            .with_scheme(Scheme::MlDsa65, implementation("aws-lc", "ML-DSA-65"))
            .unwrap()
            .with_companion(&self.public_key, self.ed25519.verifying_key().unwrap())
    }
}

#[test]
fn plain_transactions_have_5327_bytes_and_round_trip() {
    let sender = HybridSender::new();
    let bytes = sender.sign(CHAIN, false);
    assert_eq!((bytes.len(), reference::PLAIN), (5327, 5327));
    assert_eq!(round_trip(&bytes), Some(bytes.clone()));
    assert_eq!(sender.verifier().verify(&bytes, &mut Scratch::new()), Ok(()));
    let hybrid = sender.sign(CHAIN, true);
    assert_eq!(hybrid.len(), reference::LONGEST);
    assert_eq!(round_trip(&hybrid), Some(hybrid.clone()));
    assert_eq!(sender.verifier().verify(&hybrid, &mut Scratch::new()), Ok(()));
}

#[test]
fn rejects_every_bit_flip() {
    let sender = HybridSender::new();
    let verifier = sender.verifier();
    let mut scratch = Scratch::new();
    for hybrid in [false, true] {
        let mut bytes = sender.sign(CHAIN, hybrid);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(verifier.verify(&bytes, &mut scratch).is_err(), "bit {bit}, hybrid {hybrid}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn rejects_truncated_and_extended_transactions() {
    let sender = HybridSender::new();
    for hybrid in [false, true] {
        let mut bytes = sender.sign(CHAIN, hybrid);
        for length in 0..bytes.len() {
            let rejection = sender.verifier().verify(&bytes[..length], &mut Scratch::new()).unwrap_err();
            assert_eq!(rejection.kind(), "truncated");
        }
        bytes.push(0);
        let rejection = sender.verifier().verify(&bytes, &mut Scratch::new());
        assert_eq!(rejection, Err(Malformed::TrailingBytes(1).into()));
    }
}

/// Removes the Ed25519 signature from a hybrid transaction, as an attacker could.
fn strip(hybrid: &[u8]) -> Vec<u8> {
    let decoded = reference::Transaction::decode(hybrid).unwrap();
    let Authentication::Hybrid { ml_dsa_65, .. } = *decoded.authentication() else { panic!("not a hybrid") };
    let mut out = vec![0; reference::PLAIN];
    decoded.body().encode_with(&Authentication::MlDsa65(ml_dsa_65), &mut out).unwrap();
    out
}

#[test]
fn stripping_the_hybrid_authentication_succeeds_in_the_reference_form() {
    let sender = HybridSender::new();
    let stripped = strip(&sender.sign(CHAIN, true));
    assert_eq!(sender.verifier().verify(&stripped, &mut Scratch::new()), Ok(()));
}

#[test]
fn rejects_hybrids_from_unknown_senders() {
    let (sender, other) = (HybridSender::new(), HybridSender::new());
    let bytes = sender.sign(CHAIN, true);
    assert_eq!(other.verifier().verify(&bytes, &mut Scratch::new()), Err(Rejection::UnknownSender));
    let wrong = HybridSender { public_key: sender.public_key.clone(), ..HybridSender::new() };
    assert_eq!(wrong.verifier().verify(&bytes, &mut Scratch::new()), Err(Rejection::WrongSignature));
}

#[test]
fn rejects_transactions_for_other_chains() {
    let sender = HybridSender::new();
    let mut bytes = sender.sign(CHAIN + 1, false);
    assert_eq!(sender.verifier().verify(&bytes, &mut Scratch::new()), Err(Rejection::WrongChain(CHAIN + 1)));
    bytes[1..5].copy_from_slice(&CHAIN.to_be_bytes());
    assert_eq!(sender.verifier().verify(&bytes, &mut Scratch::new()), Err(Rejection::WrongSignature));
}

#[test]
fn rejects_the_other_form() {
    let sender = HybridSender::new();
    let rejection = verifier().verify(&sender.sign(CHAIN, false), &mut Scratch::new());
    assert_eq!(rejection, Err(Malformed::Version(1).into()));
    let plain = Sender::new(Scheme::MlDsa65, implementation("aws-lc", "ML-DSA-65").as_ref()).sign(CHAIN, 1);
    assert_eq!(sender.verifier().verify(&plain, &mut Scratch::new()), Err(Malformed::Version(2).into()));
}
