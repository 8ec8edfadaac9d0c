//! Honest ML-DSA signatures, and changes to these signatures that the fuzzer's input selects.

use pqlab_primitives::{Coins, MU, Provider, SignatureScheme, VerifyingKey, Xof};
use std::sync::Arc;

/// Bytes of the fuzzer's input. Yields zeros after the end.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn place(&mut self) -> usize {
        usize::from(u16::from_le_bytes([self.next(), self.next()]))
    }
}

/// Verification interface.
#[derive(Clone)]
pub enum Interface {
    /// Takes a context and a message.
    Pure,
    /// Takes the formatted message `M'`.
    Formatted,
    /// Takes the message representative `mu`.
    Mu([u8; MU]),
}

/// A signature to verify, honest or altered, with its key and message.
#[derive(Clone)]
pub struct Claimed {
    /// Index of the honest signature from which the key comes.
    pub origin: usize,
    /// Whether to verify with the prepared form of the key.
    pub prepared: bool,
    pub key: Vec<u8>,
    pub interface: Interface,
    pub context: Vec<u8>,
    pub message: Vec<u8>,
    pub signature: Vec<u8>,
}

impl Claimed {
    /// Returns whether the library that loaded `key` accepts the signature.
    pub fn is_valid(&self, key: &dyn VerifyingKey) -> bool {
        let verdict = match &self.interface {
            Interface::Pure => key.verify(&self.context, &self.message, &self.signature),
            Interface::Formatted => key.verify_internal(&self.message, &self.signature),
            Interface::Mu(mu) => key.verify_mu(mu, &self.signature),
        };
        verdict.is_ok()
    }
}

/// Honest signatures for a parameter set. They are constant, so that findings can be reproduced.
pub struct Scene {
    scheme: Arc<dyn SignatureScheme>,
    edges: Edges,
    pub honest: Vec<Claimed>,
    /// Keys of the honest signatures, loaded by AWS-LC.
    pub loaded: Vec<Box<dyn VerifyingKey>>,
}

/// Layout of a signature, and the parameters that bound its coefficients.
struct Edges {
    /// Length of the challenge in bytes.
    challenge: usize,
    /// Number of bits per coefficient of `z`.
    bits: usize,
    columns: usize,
    beta: i32,
    omega: usize,
    rows: usize,
}

impl Edges {
    fn new(set: &str) -> Edges {
        match set {
            "ML-DSA-44" => Edges { challenge: 32, bits: 18, columns: 4, beta: 78, omega: 80, rows: 4 },
            "ML-DSA-65" => Edges { challenge: 48, bits: 20, columns: 5, beta: 196, omega: 55, rows: 6 },
            _ => Edges { challenge: 64, bits: 20, columns: 7, beta: 120, omega: 75, rows: 8 },
        }
    }
}

/// Seed of the signer, and lengths of context and message in bytes, for each honest signature. Seed 2 signs twice.
const HONEST: [(u8, usize, usize); 6] = [(1, 0, 0), (2, 255, 3), (2, 7, 137), (3, 0, 32), (4, 1, 1000), (5, 20, 64)];

/// Number of claims in a batch, indexed by the lowest five bits of a byte. Most batches are small.
const COUNTS: [usize; 32] =
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 6, 8, 9];

/// Maximum number of changes that an input makes.
const CHANGES: usize = 8;

impl Scene {
    pub fn new(set: &str) -> Scene {
        let providers = pqlab_providers::providers();
        let library = providers.iter().find(|provider| provider.library == "aws-lc").expect("AWS-LC must be built in");
        let scheme = library.signature(set).expect("AWS-LC must offer ML-DSA").clone();
        let hash = shake(library);
        let honest: Vec<Claimed> =
            HONEST.into_iter().enumerate().map(|one| claimed(&scheme, hash.as_ref(), one)).collect();
        let loaded = honest.iter().map(|one| scheme.load_verifying_key(&one.key).expect("the key is valid")).collect();
        Scene { scheme, edges: Edges::new(set), honest, loaded }
    }

    /// Loads a key with AWS-LC.
    pub fn load(&self, key: &[u8]) -> Option<Box<dyn VerifyingKey>> {
        self.scheme.load_verifying_key(key).ok()
    }

    /// Returns up to nine claims, with up to eight changes in total.
    pub fn claims(&self, bytes: &mut Bytes) -> Vec<Claimed> {
        let count = COUNTS[usize::from(bytes.next()) % COUNTS.len()];
        let mut claims: Vec<Claimed> = (0..count).map(|_| self.begin(bytes.next())).collect();
        for _ in 0..CHANGES {
            if bytes.0.is_empty() {
                break;
            }
            self.change(&mut claims, bytes);
        }
        claims
    }

    fn begin(&self, choice: u8) -> Claimed {
        let mut claim = self.honest[usize::from(choice & 15) % self.honest.len()].clone();
        claim.prepared = choice & 16 != 0;
        match choice >> 5 {
            6 => {
                let length = u8::try_from(claim.context.len()).expect("the context is short");
                claim.message = [&[0, length][..], &claim.context, &claim.message].concat();
                claim.interface = Interface::Formatted;
            }
            7 => {}
            _ => claim.interface = Interface::Pure,
        }
        claim
    }

    fn change(&self, claims: &mut [Claimed], bytes: &mut Bytes) {
        let (kind, which, place, value) = (bytes.next(), usize::from(bytes.next()), bytes.place(), bytes.next());
        let (one, other) = (which % claims.len(), which / 16 % claims.len());
        let claim = &mut claims[one];
        let Edges { challenge, bits, columns, beta, omega, rows } = self.edges;
        match kind % 14 {
            0..=2 => flip(&mut claim.signature, place, value),
            3 => flip(&mut claim.key, place, value),
            4 => match &mut claim.interface {
                Interface::Mu(mu) => flip(mu, place, value),
                _ => flip(&mut claim.message, place, value),
            },
            5 => flip(&mut claim.context, place, value),
            6 => resize(&mut claim.signature, place, value),
            7 => resize(&mut claim.message, place, value),
            8 => claim.context.resize(place % 300, value),
            9 => {
                if value < 16 {
                    resize(&mut claim.key, place, value);
                }
            }
            // Set a coefficient of `z` to the bound or close to it.
            10 | 11 => {
                let gamma1 = 1 << (bits - 1);
                let magnitude = gamma1 - beta + i32::from(value >> 1) % 5 - 2;
                let value = gamma1 - if value & 1 == 0 { magnitude } else { -magnitude };
                let z = claim.signature.get_mut(challenge..).unwrap_or_default();
                let first = place % (256 * columns) * bits;
                for bit in 0..bits {
                    if let Some(byte) = z.get_mut((first + bit) / 8) {
                        *byte = *byte & !(1 << ((first + bit) % 8)) | ((value >> bit & 1) as u8) << ((first + bit) % 8);
                    }
                }
            }
            // Set a byte of the hint.
            12 => {
                let hint = claim.signature.len().saturating_sub(omega + rows);
                if let Some(byte) = claim.signature.get_mut(hint + place % (omega + rows)) {
                    *byte = value;
                }
            }
            _ if one == other => {}
            _ => {
                let [one, other] = claims.get_disjoint_mut([one, other]).expect("the indices differ");
                match value % 3 {
                    0 => std::mem::swap(&mut one.signature, &mut other.signature),
                    1 => std::mem::swap(&mut one.message, &mut other.message),
                    _ => {
                        std::mem::swap(&mut one.key, &mut other.key);
                        std::mem::swap(&mut one.origin, &mut other.origin);
                    }
                }
            }
        }
    }
}

fn flip(bytes: &mut [u8], place: usize, value: u8) {
    if !bytes.is_empty() {
        let place = place % bytes.len();
        bytes[place] ^= value;
    }
}

/// Changes the length, mostly by a few bytes.
fn resize(bytes: &mut Vec<u8>, place: usize, value: u8) {
    let length = match place % 8 {
        0 => place,
        1..=3 => bytes.len() + place % 256 / 8,
        _ => bytes.len().saturating_sub(place % 256 / 8),
    };
    bytes.resize(length, value);
}

fn shake(library: &Provider) -> Arc<dyn Xof> {
    library.xof("SHAKE256").expect("AWS-LC must offer SHAKE256").clone()
}

fn claimed(
    scheme: &Arc<dyn SignatureScheme>,
    hash: &dyn Xof,
    (origin, (seed, context, message)): (usize, (u8, usize, usize)),
) -> Claimed {
    let some = |label: u8, length: usize| -> Vec<u8> { (0..length).map(|i| label.wrapping_add(i as u8)).collect() };
    let (context, message) = (some(seed, context), some(seed ^ 0x55, message));
    let parameters = &scheme.info().parameters;
    let signing = scheme.generate(Coins::Exact(&[seed; 32])).expect("any seed must give a key");
    let (mut key, mut signature) = (vec![0; parameters.verifying_key], vec![0; parameters.signature]);
    signing.verifying_key().and_then(|public| public.encode(&mut key)).expect("the buffer must fit");
    signing.sign(&context, &message, Coins::Exact(&[]), &mut signature).expect("the context is short");
    // Compute the message representative `mu` (FIPS 204, algorithm 7, line 6).
    let (mut tr, mut mu) = ([0; 64], [0; MU]);
    hash.digest(&key, &mut tr).expect("the buffer must fit");
    let length = u8::try_from(context.len()).expect("the context is short");
    let formatted = [&tr[..], &[0, length], &context, &message].concat();
    hash.digest(&formatted, &mut mu).expect("the buffer must fit");
    Claimed { origin, prepared: false, key, interface: Interface::Mu(mu), context, message, signature }
}
