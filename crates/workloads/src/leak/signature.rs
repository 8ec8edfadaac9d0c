//! Leak tests for signing. They compare one signing key with many keys. As controls, they compare one message with many
//! messages and, for ML-DSA, one public seed with many public seeds.
//!
//! An ML-DSA key is `rho || K || tr || s1 || s2 || t0` (FIPS 204, algorithm 24). The matrix is derived from `rho`,
//! which is public. If the library accepts keys combined from two key pairs, all keys in the test of secrets have the
//! same `rho` and `tr`. Signatures with a combined key do not verify, but signing takes the same steps. Both classes
//! sign a new random message in each call. The number of attempts depends on the message. With a few fixed messages per
//! class, this number alone would distinguish the classes.

use super::pools::pools;
use super::{LeakCase, LeakSubject, Role, missing};
use crate::fault;
use crate::inputs::bytes;
use pqlab_harness::Fault;
use pqlab_harness::leak::Target;
use pqlab_primitives::{Coins, KeyEncoding, Provider, Result as LibraryResult, SignatureScheme, SigningKey};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::ops::Range;
use std::sync::Arc;

/// Length of a message, in bytes.
const MESSAGE: usize = 32;
/// Byte ranges of the public parts of an expanded ML-DSA key: `rho` and `tr`.
const ML_DSA_PUBLIC: [Range<usize>; 2] = [0..32, 64..128];

const WHOLE: &str = "the classes also differ in public parts of the key";
const REFUSES: &str = "the library rejects signing keys combined from two key pairs";

pub(super) fn cases(provider: &Provider) -> Vec<LeakCase> {
    let mut cases = Vec::new();
    for scheme in &provider.signatures {
        let algorithm = scheme.info().parameters.algorithm.to_string();
        let mut case = |role, varies, classes| {
            cases.push(LeakCase {
                area: "signature",
                algorithm: algorithm.clone(),
                operation: "sign",
                role,
                varies,
                provider: provider.id(),
                classes,
            });
        };
        // RSA keys have no fixed length, and generating a class of many keys would take minutes.
        if scheme.info().encodings.first().is_some_and(|encoding| *encoding != KeyEncoding::Der) {
            case(Role::Secret, "key", "one signing key versus many");
        }
        if spliced(scheme.as_ref()) {
            case(Role::Public, "seed", "one public seed versus many (one secret)");
        }
        case(Role::Public, "message", "one message versus many");
    }
    cases
}

/// Returns whether parts of two key pairs can be combined into one key. This requires the expanded encoding of ML-DSA.
fn spliced(scheme: &dyn SignatureScheme) -> bool {
    let info = scheme.info();
    info.parameters.standard == "FIPS 204" && info.encodings.contains(&KeyEncoding::Expanded)
}

pub(super) fn prepare(case: &LeakCase, provider: &Provider, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    let scheme = Arc::clone(provider.signature(&case.algorithm).ok_or_else(|| missing(case))?);
    if case.varies == "message" { messages(scheme, draw).map_err(fault) } else { keys(scheme, case.role, draw) }
}

fn generate(scheme: &dyn SignatureScheme, draw: &mut ChaCha8Rng) -> LibraryResult<Box<dyn SigningKey>> {
    crate::signature::signing_key(scheme, draw).map(|(key, _)| key)
}

fn messages(scheme: Arc<dyn SignatureScheme>, draw: &mut ChaCha8Rng) -> LibraryResult<LeakSubject> {
    let key = generate(scheme.as_ref(), draw)?;
    let one = bytes(draw, MESSAGE);
    let pools = pools(draw, |_| Ok(one.clone()), |draw| Ok(bytes(draw, MESSAGE)))?;
    let signature = vec![0; scheme.info().parameters.signature];
    let target = SignMessage { key, message: vec![0; MESSAGE], signature };
    Ok(LeakSubject { target: Box::new(target), pools, secret: Vec::new(), caveat: None })
}

fn keys(scheme: Arc<dyn SignatureScheme>, role: Role, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    let own = scheme.info().encodings.first().copied().unwrap_or(KeyEncoding::Expanded);
    let encoding = if spliced(scheme.as_ref()) { KeyEncoding::Expanded } else { own };
    let fixed = encoded(scheme.as_ref(), encoding, draw).map_err(fault)?;
    let second = |draw: &mut ChaCha8Rng| encoded(scheme.as_ref(), encoding, draw);
    let splice = |other: &[u8]| match role {
        Role::Secret => with_public(other, &fixed),
        _ => with_public(&fixed, other),
    };
    let mut splices = spliced(scheme.as_ref());
    if splices {
        let other = second(draw).map_err(fault)?;
        splices = scheme.load_signing_key(encoding, &splice(&other)).is_ok();
    }
    if !splices && role != Role::Secret {
        return Err(Fault::Unsupported(REFUSES.into()));
    }
    let make = |draw: &mut ChaCha8Rng| Ok(if splices { splice(&second(draw)?) } else { second(draw)? });
    let pools = pools(draw, |_| Ok(fixed.clone()), make).map_err(fault)?;
    let secret = match encoding {
        KeyEncoding::Expanded if spliced(scheme.as_ref()) => vec![32..64, 128..fixed.len()],
        KeyEncoding::Expanded if scheme.info().parameters.standard == "FIPS 205" => {
            std::iter::once(0..fixed.len() / 2).collect()
        }
        _ => std::iter::once(0..fixed.len()).collect(),
    };
    let caveat = (!splices && encoding != KeyEncoding::Scalar && encoding != KeyEncoding::Seed
        || !splices && scheme.info().parameters.standard == "FIPS 204")
        .then_some(WHOLE);
    let target = SignWithKey {
        key: scheme.load_signing_key(encoding, &fixed).map_err(fault)?,
        signature: vec![0; scheme.info().parameters.signature],
        message: vec![0; MESSAGE],
        draw: ChaCha8Rng::from_rng(draw),
        scheme,
        encoding,
    };
    Ok(LeakSubject { target: Box::new(target), pools, secret, caveat })
}

fn encoded(scheme: &dyn SignatureScheme, encoding: KeyEncoding, draw: &mut ChaCha8Rng) -> LibraryResult<Vec<u8>> {
    let mut bytes = vec![0; scheme.info().signing_key(encoding).unwrap_or(0)];
    let length = generate(scheme, draw)?.encode(encoding, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// Returns an ML-DSA key with another key's public parts.
fn with_public(key: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = key.to_vec();
    for range in ML_DSA_PUBLIC {
        bytes[range.clone()].copy_from_slice(&other[range]);
    }
    bytes
}

/// Signs a new random message. The input is the key.
struct SignWithKey {
    scheme: Arc<dyn SignatureScheme>,
    encoding: KeyEncoding,
    key: Box<dyn SigningKey>,
    draw: ChaCha8Rng,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Target for SignWithKey {
    fn load(&mut self, input: &[u8]) -> Result<(), Fault> {
        self.draw.fill_bytes(&mut self.message);
        self.key = self.scheme.load_signing_key(self.encoding, input).map_err(fault)?;
        Ok(())
    }

    fn call(&mut self) -> Result<(), Fault> {
        self.key.sign(&[], &self.message, Coins::Internal, &mut self.signature).map(drop).map_err(fault)
    }
}

/// Signs the input with a fixed key.
struct SignMessage {
    key: Box<dyn SigningKey>,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl Target for SignMessage {
    fn load(&mut self, input: &[u8]) -> Result<(), Fault> {
        self.message.copy_from_slice(input);
        Ok(())
    }

    fn call(&mut self) -> Result<(), Fault> {
        self.key.sign(&[], &self.message, Coins::Internal, &mut self.signature).map(drop).map_err(fault)
    }
}
