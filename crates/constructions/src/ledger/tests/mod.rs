mod batch;
mod block;
mod reference;
mod stream;
mod transaction;

use super::*;
use pqlab_primitives::{Coins, Hash, Provider, SignatureScheme, SigningKey, VerifyingKey};
use std::sync::{Arc, LazyLock};

pub(super) const CHAIN: u32 = 0x0102_0304;
static PROVIDERS: LazyLock<Vec<Arc<Provider>>> = LazyLock::new(pqlab_providers::providers);

/// Library that the tests use for each scheme.
const LIBRARIES: [(Scheme, &str); 8] = [
    (Scheme::MlDsa65, "aws-lc"),
    (Scheme::MlDsa44, "aws-lc"),
    (Scheme::MlDsa87, "aws-lc"),
    (Scheme::Falcon512, "liboqs"),
    (Scheme::FalconPadded512, "fn-dsa"),
    (Scheme::Ed25519, "rustcrypto"),
    (Scheme::EcdsaSecp256k1, "libsecp256k1"),
    (Scheme::Rsa2048, "openssl"),
];

pub(super) fn schemes() -> Vec<(Scheme, Arc<dyn SignatureScheme>)> {
    let plain = LIBRARIES.into_iter().map(|(scheme, library)| (scheme, implementation(library, scheme.algorithm())));
    plain.chain([(Scheme::Composite, composite())]).collect()
}

fn composite() -> Arc<dyn SignatureScheme> {
    let sha512 = PROVIDERS.iter().find_map(|provider| provider.hash("SHA-512")).unwrap();
    let halves = (implementation("aws-lc", "Ed25519"), implementation("aws-lc", "ML-DSA-65"));
    Arc::new(crate::CompositeSignature::new(halves.0, halves.1, Arc::clone(sha512)).unwrap())
}

pub(super) fn implementation(library: &str, algorithm: &str) -> Arc<dyn SignatureScheme> {
    let provider = PROVIDERS.iter().find(|provider| provider.id() == library).unwrap();
    Arc::clone(provider.signature(algorithm).unwrap())
}

pub(super) fn sha256() -> Arc<dyn Hash> {
    Arc::clone(PROVIDERS.iter().find_map(|provider| provider.hash("SHA-256")).unwrap())
}

pub(super) fn verifier() -> Verifier {
    schemes().into_iter().fold(Verifier::new(Form::TxV2, CHAIN, sha256()), |verifier, (scheme, implementation)| {
        verifier.with_scheme(scheme, implementation).unwrap()
    })
}

pub(super) struct Sender {
    pub(super) scheme: Scheme,
    pub(super) key: Box<dyn SigningKey>,
    pub(super) public_key: Vec<u8>,
}

impl Sender {
    pub(super) fn new(scheme: Scheme, implementation: &dyn SignatureScheme) -> Sender {
        let key = implementation.generate(Coins::Internal).unwrap();
        let public_key = encoded(key.verifying_key().unwrap().as_ref(), scheme.public_key());
        Sender { scheme, key, public_key }
    }

    pub(super) fn sign(&self, chain_id: u32, nonce: u64) -> Vec<u8> {
        let to = [nonce as u8; ADDRESS];
        let public_key = &self.public_key;
        let body = Body { chain_id, scheme: self.scheme, nonce, to: &to, amount: 1_000, fee: 3, public_key };
        let mut out = vec![0; self.scheme.transaction()];
        let length =
            body.sign(self.key.as_ref(), sha256().as_ref(), Coins::Internal, &mut Scratch::new(), &mut out).unwrap();
        out.truncate(length);
        out
    }
}

pub(super) fn encoded(key: &dyn VerifyingKey, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let written = key.encode(&mut bytes).unwrap();
    bytes.truncate(written);
    bytes
}

/// Decodes and re-encodes a transaction. Returns `None` if decoding fails.
pub(super) fn round_trip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = vec![0; LONGEST_TRANSACTION];
    let length = match bytes.first()? {
        1 => super::reference::Transaction::decode(bytes).ok()?.encode(&mut out).unwrap(),
        _ => Transaction::decode(bytes).ok()?.encode(&mut out).unwrap(),
    };
    out.truncate(length);
    Some(out)
}
