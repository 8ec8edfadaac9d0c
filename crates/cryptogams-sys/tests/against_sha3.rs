//! Compares every available code path with the `sha3` and `shake` crates.

use pqlab_cryptogams_sys::{Backend, Code, Parameters, Sponge, digest};
use pqlab_testing::{Need, not_run};
use sha3::digest::{Digest, ExtendableOutput, Update};

type Reference = fn(&[u8], usize) -> Vec<u8>;

/// Functions to test: parameters, rate in bytes, digest length in bytes (`None` for a XOF), and reference
/// implementation.
const FUNCTIONS: [(Parameters, usize, Option<usize>, Reference); 6] = [
    (Parameters::SHA3_224, 144, Some(28), hash::<sha3::Sha3_224>),
    (Parameters::SHA3_256, 136, Some(32), hash::<sha3::Sha3_256>),
    (Parameters::SHA3_384, 104, Some(48), hash::<sha3::Sha3_384>),
    (Parameters::SHA3_512, 72, Some(64), hash::<sha3::Sha3_512>),
    (Parameters::SHAKE128, 168, None, xof::<shake::Shake128>),
    (Parameters::SHAKE256, 136, None, xof::<shake::Shake256>),
];

fn hash<D: Digest>(message: &[u8], _length: usize) -> Vec<u8> {
    D::digest(message).to_vec()
}

fn xof<X: ExtendableOutput + Update + Default>(message: &[u8], length: usize) -> Vec<u8> {
    let (mut state, mut out) = (X::default(), vec![0; length]);
    state.update(message);
    state.finalize_xof_into(&mut out);
    out
}

fn codes() -> Vec<(Backend, Code)> {
    let mut codes = Vec::new();
    for backend in Backend::ALL {
        match Code::new(backend) {
            Ok(code) => codes.push((backend, code)),
            // Backends for other architectures are never available.
            Err(_) if backend.name().starts_with("armv8") != cfg!(target_arch = "aarch64") => {}
            Err(_) => not_run(Need::Machine(backend.name())),
        }
    }
    codes
}

/// Returns bytes that depend on their position and on the length.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|place| (place * 167 + length * 13 + place / 251).to_le_bytes()[0]).collect()
}

#[test]
fn has_code_for_every_supported_architecture() {
    let plain = if cfg!(target_arch = "x86_64") { Backend::Scalar } else { Backend::Armv8 };
    let built = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));
    assert_eq!(Code::new(plain).is_ok(), built);
}

#[test]
fn matches_for_every_length_up_to_three_blocks() {
    for (backend, code) in codes() {
        for (parameters, rate, fixed, reference) in FUNCTIONS {
            for length in 0..=3 * rate {
                let (message, output) = (message(length), fixed.unwrap_or(32));
                let mut out = vec![0; output];
                digest(code, parameters, &message, &mut out);
                let expected = reference(&message, output);
                assert_eq!(hex::encode(out), hex::encode(expected), "{}, {parameters:?}, {length}", backend.name());
            }
        }
    }
}

/// Squeezes in one piece and in pieces of every length. No call may write beyond the output.
#[test]
fn matches_for_every_output_up_to_three_blocks() {
    const MARGIN: usize = 64;
    for (backend, code) in codes() {
        for (parameters, rate, _, reference) in FUNCTIONS.into_iter().filter(|function| function.2.is_none()) {
            let message = message(200);
            let expected = reference(&message, 3 * rate);
            for length in 0..=3 * rate {
                let mut out = vec![0xa5; length + MARGIN];
                digest(code, parameters, &message, &mut out[..length]);
                assert_eq!(out[..length], expected[..length], "{}, {length} bytes", backend.name());
                assert_eq!(out[length..], [0xa5; MARGIN], "{}, {length} bytes: wrote past the end", backend.name());
            }
            for piece in 1..=2 * rate + 1 {
                let mut sponge = Sponge::absorb(code, parameters, &message);
                let mut out = vec![0; 3 * rate];
                out.chunks_mut(piece).for_each(|part| sponge.squeeze(part));
                assert_eq!(out, expected, "{}, in pieces of {piece} bytes", backend.name());
            }
        }
    }
}
