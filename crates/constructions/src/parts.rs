//! Layout of hybrid keys, ciphertexts, secrets and signatures: which bytes belong to which half.

use crate::hybrid_kem::length::{ML_KEM_CIPHERTEXT, ML_KEM_KEY, ML_KEM_SEED, SECRET, X25519};
use crate::hybrid_signature::length::{ED25519_KEY, ED25519_SIGNATURE, ML_DSA_65_KEY, ML_DSA_65_SIGNATURE, SEED};
use crate::{CompositeSignature, ReferenceSignature, cbor};
use std::ops::Range;

/// Length in bytes of the random prefix of a [`ReferenceSignature`].
const RANDOM: usize = 32;

/// Byte range with one kind of content, usually the part that belongs to one half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name of the content, such as `X25519`, `ML-KEM-768: d || z` or `random bytes`.
    pub name: &'static str,
    /// Range of bytes in the encoding.
    pub range: Range<usize>,
}

/// Layouts of a hybrid's keys, outputs and secrets. Each list is in the order of the encoded bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Encapsulation key or verifying key.
    pub public_key: Vec<Part>,
    /// Decapsulation key or signing key.
    pub private_key: Vec<Part>,
    /// Ciphertext or signature.
    pub output: Vec<Part>,
    /// Shared secret, if it is a concatenation. Empty if it is a hash over both halves.
    pub secret: Vec<Part>,
}

/// Returns the layouts of a hybrid KEM or signature scheme, or `None` if `algorithm` is not a hybrid.
pub fn parts(algorithm: &str) -> Option<Parts> {
    const KEM: &str = "ML-KEM-768";
    const DSA: &str = "ML-DSA-65";
    let kem = |private_key| Parts {
        public_key: one_after_the_other(&[(KEM, ML_KEM_KEY), ("X25519", X25519)]),
        private_key,
        output: one_after_the_other(&[(KEM, ML_KEM_CIPHERTEXT), ("X25519", X25519)]),
        secret: Vec::new(),
    };
    let seeds = || one_after_the_other(&[("ML-KEM-768: d || z", ML_KEM_SEED), ("X25519", X25519)]);
    Some(match algorithm {
        "X-Wing" => kem(one_after_the_other(&[("seed that SHAKE256 expands to d || z || X25519", 32)])),
        "MLKEM768-X25519-SHA3-256" => kem(seeds()),
        "X25519MLKEM768" => Parts { secret: one_after_the_other(&[(KEM, SECRET), ("X25519", SECRET)]), ..kem(seeds()) },
        "X25519+ML-KEM-768" => Parts {
            public_key: in_cbor(&[("X25519", X25519), (KEM, ML_KEM_KEY)]),
            private_key: in_cbor(&[("X25519", X25519), ("ML-KEM-768: d || z", ML_KEM_SEED)]),
            output: one_after_the_other(&[("X25519", X25519), (KEM, ML_KEM_CIPHERTEXT)]),
            secret: Vec::new(),
        },
        CompositeSignature::ALGORITHM => Parts {
            public_key: one_after_the_other(&[(DSA, ML_DSA_65_KEY), ("Ed25519", ED25519_KEY)]),
            private_key: one_after_the_other(&[("ML-DSA-65: seed", SEED), ("Ed25519", SEED)]),
            output: one_after_the_other(&[(DSA, ML_DSA_65_SIGNATURE), ("Ed25519", ED25519_SIGNATURE)]),
            secret: Vec::new(),
        },
        ReferenceSignature::ALGORITHM => Parts {
            public_key: in_cbor(&[("Ed25519", ED25519_KEY), (DSA, ML_DSA_65_KEY)]),
            private_key: in_cbor(&[("Ed25519", SEED), ("ML-DSA-65: seed", SEED)]),
            output: in_cbor(&[("random bytes", RANDOM), ("Ed25519", ED25519_SIGNATURE), (DSA, ML_DSA_65_SIGNATURE)]),
            secret: Vec::new(),
        },
        _ => return None,
    })
}

fn one_after_the_other(parts: &[(&'static str, usize)]) -> Vec<Part> {
    let mut begin = 0;
    let part = |&(name, length): &(&'static str, usize)| {
        let range = begin..begin + length;
        begin = range.end;
        Part { name, range }
    };
    parts.iter().map(part).collect()
}

/// Returns the ranges of byte strings in a CBOR array. The ranges exclude the head of each byte string.
fn in_cbor(parts: &[(&'static str, usize)]) -> Vec<Part> {
    let lengths: Vec<usize> = parts.iter().map(|(_, length)| *length).collect();
    // Length of the array's head: `encoded_len` of an array of empty strings, minus one byte per
    // string.
    let array = cbor::encoded_len(&vec![0; parts.len()]) - parts.len();
    let ends =
        |count: usize| array + lengths[..count].iter().map(|&length| cbor::encoded_len(&[length]) - 1).sum::<usize>();
    let part = |(place, &(name, length)): (usize, &(&'static str, usize))| {
        let end = ends(place + 1);
        Part { name, range: end - length..end }
    };
    parts.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_match_the_encodings() {
        let lengths = [RANDOM, ED25519_SIGNATURE, ML_DSA_65_SIGNATURE];
        let contents: Vec<Vec<u8>> = lengths.iter().zip(1..).map(|(&length, byte)| vec![byte; length]).collect();
        let mut bytes = vec![0; cbor::encoded_len(&lengths)];
        cbor::write("signature", [&contents[0], &contents[1], &contents[2]], &mut bytes).unwrap();
        let found = parts(ReferenceSignature::ALGORITHM).unwrap();
        for (part, content) in found.output.iter().zip(&contents) {
            assert_eq!(bytes[part.range.clone()], content[..], "{}", part.name);
        }
        assert_eq!(found.public_key.last().unwrap().range, 38..1990);
        let wing = parts("X-Wing").unwrap();
        assert_eq!((wing.output[0].range.clone(), wing.output[1].range.clone()), (0..1088, 1088..1120));
        assert_eq!(parts("X25519+ML-KEM-768").unwrap().public_key[1].range, 38..1222);
        assert_eq!(parts("ML-KEM-768"), None);
    }
}
