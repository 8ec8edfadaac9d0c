//! Compares hash functions with a second implementation, for every length up to a few blocks and for long messages.
//! Also absorbs messages and squeezes outputs in parts, and compares the outputs.

use super::bytes;
use crate::checks::{buffer, equal, step};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::{Hash, LaneHash, Xof};
use sha2::{Digest, Sha256, Sha384, Sha512};
use sha3::digest::{ExtendableOutput, Update, XofReader as _};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};

pub(super) static SUITES: &[Suite] = &[
    Suite::built_in("run time: every length", |algorithm| reference(algorithm).is_some(), Run::Hash(hash)),
    Suite::built_in("run time: every length", |algorithm| block(algorithm).is_some(), Run::Xof(xof)),
    Suite::built_in("run time: in parts", |algorithm| block(algorithm).is_some(), Run::Xof(parts)),
    Suite::built_in(
        "run time: every length, in lanes",
        |algorithm| block(algorithm).is_some() || reference(algorithm).is_some(),
        Run::LaneHash(lanes),
    ),
];

/// A second implementation of a hash function.
type Reference = fn(&[u8]) -> Vec<u8>;

fn reference(algorithm: &str) -> Option<(usize, Reference)> {
    Some(match algorithm {
        "SHA3-224" => (144, |message| Sha3_224::digest(message).to_vec()),
        "SHA3-256" => (136, |message| Sha3_256::digest(message).to_vec()),
        "SHA3-384" => (104, |message| Sha3_384::digest(message).to_vec()),
        "SHA3-512" => (72, |message| Sha3_512::digest(message).to_vec()),
        "SHA-256" => (64, |message| Sha256::digest(message).to_vec()),
        "SHA-384" => (128, |message| Sha384::digest(message).to_vec()),
        "SHA-512" => (128, |message| Sha512::digest(message).to_vec()),
        _ => return None,
    })
}

/// Returns the rate of an extendable-output function in bytes, or `None` for any other algorithm.
fn block(algorithm: &str) -> Option<usize> {
    match algorithm {
        "SHAKE128" => Some(168),
        "SHAKE256" => Some(136),
        _ => None,
    }
}

fn shake(algorithm: &str, message: &[u8], length: usize) -> Vec<u8> {
    let mut out = vec![0; length];
    if algorithm == "SHAKE128" {
        Shake128::default().chain(message).finalize_xof().read(&mut out);
    } else {
        Shake256::default().chain(message).finalize_xof().read(&mut out);
    }
    out
}

/// Returns message lengths in bytes: every length up to four blocks and one byte, some lengths up to 2^17, and lengths
/// around powers of two up to 2^20.
fn lengths(block: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> = (0..=4 * block + 1).collect();
    // Grow by 10% each time, to find every bug that affects a range of lengths wider than 10%.
    let mut length = 4 * block + 1;
    while length < 1 << 17 {
        length += length / 10;
        lengths.push(length);
    }
    for power in 10..=17 {
        lengths.extend([(1 << power) - 1, 1 << power, (1 << power) + 1]);
    }
    // Whole blocks and one byte more, near 2^16.
    lengths.extend([0xffff / block * block, 0xffff / block * block + 1]);
    lengths.extend([1 << 20, (1 << 20) + 1]);
    lengths
}

/// Returns pseudorandom bytes. Every message is a prefix of these bytes.
fn stream() -> Vec<u8> {
    bytes("message", 0, (1 << 20) + 2)
}

fn hash(function: &dyn Hash, _: &Vectors, tally: &mut Tally) -> Ran {
    let Some((block, reference)) = reference(&function.info().algorithm) else { return Ok(()) };
    let stream = stream();
    for length in lengths(block) {
        tally.check(format_args!("a message of {length} bytes"), || {
            let mut digest = buffer(function.info().digest);
            step("digest", function.digest(&stream[..length], &mut digest))?;
            equal("digest", &reference(&stream[..length]), &digest)
        });
    }
    Ok(())
}

fn xof(function: &dyn Xof, _: &Vectors, tally: &mut Tally) -> Ran {
    let algorithm = function.info().algorithm.to_string();
    let Some(block) = block(&algorithm) else { return Ok(()) };
    let stream = stream();
    let compare = |message: &[u8], length: usize| -> Checked {
        let mut out = buffer(length);
        step("digest", function.digest(message, &mut out))?;
        equal("output", &shake(&algorithm, message, length), &out)
    };
    for length in lengths(block) {
        tally.check(format_args!("a message of {length} bytes"), || compare(&stream[..length], 64));
    }
    for length in (0..=4 * block + 1).chain([65_535, 65_536, 65_537, 1 << 20]) {
        tally.check(format_args!("an output of {length} bytes"), || compare(&stream[..77], length));
    }
    Ok(())
}

/// Splits a length into parts of pseudorandom lengths. Some parts are empty, and some are longer than a block.
fn split(number: usize, mut length: usize) -> Vec<usize> {
    let mut parts = Vec::new();
    for pair in bytes("parts", number, 512).chunks(2) {
        let part = match pair[0] % 4 {
            0 => usize::from(pair[1] % 9),
            1 => usize::from(pair[1]),
            2 => 8 * usize::from(pair[1] % 32),
            _ => 3 * usize::from(pair[1]),
        };
        let part = part.min(length);
        parts.push(part);
        length -= part;
    }
    parts.push(length);
    parts
}

fn parts(function: &dyn Xof, _: &Vectors, tally: &mut Tally) -> Ran {
    let algorithm = function.info().algorithm.to_string();
    let stream = stream();
    for number in 0..48 {
        let (absorbed, squeezed) = (97 * number + number * number, 4000 - 53 * number);
        let message = &stream[..absorbed];
        tally.check(format_args!("{squeezed} bytes squeezed in parts (split {number})"), || {
            let mut reader = step("absorb", function.absorb(message))?;
            let mut out = Vec::new();
            for part in split(number, squeezed) {
                let mut next = buffer(part);
                step("squeeze", reader.squeeze(&mut next))?;
                out.extend_from_slice(&next);
            }
            equal("output", &shake(&algorithm, message, squeezed), &out)
        });
        tally.check(format_args!("{absorbed} bytes absorbed in parts (split {number})"), || {
            let (mut absorber, mut rest) = (step("begin", function.absorber())?, message);
            for part in split(100 + number, absorbed) {
                let (now, later) = rest.split_at(part);
                step("update", absorber.update(now))?;
                rest = later;
            }
            let mut out = buffer(200);
            step("squeeze", step("finish", absorber.finish())?.squeeze(&mut out))?;
            equal("output", &shake(&algorithm, message, 200), &out)
        });
    }
    Ok(())
}

fn lanes(function: &dyn LaneHash, _: &Vectors, tally: &mut Tally) -> Ran {
    let algorithm = function.algorithm();
    let (block, output) = match (block(algorithm), reference(algorithm)) {
        (Some(block), _) => (block, None),
        (None, Some((block, reference))) => (block, Some(reference)),
        (None, None) => return Ok(()),
    };
    let lanes = function.lanes();
    for length in (0..=2 * block + 1).chain([1000, 4 * block, 10_001]) {
        tally.check(format_args!("messages of {length} bytes"), || {
            let messages: Vec<Vec<u8>> = (0..lanes).map(|lane| bytes("lane", lane, length)).collect();
            let digest =
                |message: &[u8]| output.map_or_else(|| shake(algorithm, message, 32), |digest| digest(message));
            let expected: Vec<Vec<u8>> = messages.iter().map(|message| digest(message)).collect();
            let mut outs: Vec<Vec<u8>> = expected.iter().map(|one| buffer(one.len())).collect();
            let inputs: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let mut slots: Vec<&mut [u8]> = outs.iter_mut().map(Vec::as_mut_slice).collect();
            step("digest", function.digest(&inputs, &mut slots))?;
            expected
                .iter()
                .zip(&outs)
                .enumerate()
                .try_for_each(|(lane, (expected, out))| equal(format_args!("lane {lane}"), expected, out))
        });
    }
    Ok(())
}
