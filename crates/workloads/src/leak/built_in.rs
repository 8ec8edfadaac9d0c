//! Built-in targets: a tag comparison that leaks, and a constant-time comparison. The constant-time comparison is
//! measured twice, with different and with equal classes.

use super::pools::pools;
use super::{LeakCase, LeakSubject, Role, missing};
use crate::inputs::bytes;
use pqlab_harness::Fault;
use pqlab_harness::leak::Target;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::convert::Infallible;
use std::hint::black_box;
use subtle::ConstantTimeEq;

/// Provider name for the built-in targets.
pub const BUILT_IN: &str = "built-in";

/// Length of the tags in bytes, as for HMAC-SHA-512.
const TAG: usize = 64;

const NAIVE: &str = "naive";
const CONSTANT_TIME: &str = "constant-time";

pub(super) fn cases() -> Vec<LeakCase> {
    [
        (NAIVE, Role::Secret, "first byte wrong versus last byte wrong"),
        (CONSTANT_TIME, Role::Secret, "first byte wrong versus last byte wrong"),
        (CONSTANT_TIME, Role::Nothing, "any byte wrong in both classes"),
    ]
    .into_iter()
    .map(|(algorithm, role, classes)| LeakCase {
        area: "compare",
        algorithm: algorithm.into(),
        operation: "tags",
        role,
        varies: "place",
        provider: BUILT_IN.into(),
        classes,
    })
    .collect()
}

pub(super) fn prepare(case: &LeakCase, draw: &mut ChaCha8Rng) -> Result<LeakSubject, Fault> {
    let compare = match case.algorithm.as_str() {
        NAIVE => naive,
        CONSTANT_TIME => constant_time,
        _ => return Err(missing(case)),
    };
    let expected = bytes(draw, TAG);
    let wrong_at = |place: usize| {
        let mut tag = expected.clone();
        tag[place] ^= 0xff;
        Ok::<_, Infallible>(tag)
    };
    let pools = match case.role {
        Role::Nothing => {
            pools(draw, |draw| wrong_at(draw.random_range(0..TAG)), |draw| wrong_at(draw.random_range(0..TAG)))
        }
        _ => pools(draw, |_| wrong_at(0), |_| wrong_at(TAG - 1)),
    };
    let Ok(pools) = pools;
    let target = Comparison { expected, tag: vec![0; TAG], compare };
    Ok(LeakSubject { target: Box::new(target), pools, secret: std::iter::once(0..TAG).collect(), caveat: None })
}

struct Comparison {
    expected: Vec<u8>,
    tag: Vec<u8>,
    compare: fn(&[u8], &[u8]) -> bool,
}

impl Target for Comparison {
    fn load(&mut self, input: &[u8]) -> Result<(), Fault> {
        self.tag.copy_from_slice(input);
        Ok(())
    }

    fn call(&mut self) -> Result<(), Fault> {
        black_box((self.compare)(black_box(&self.expected), black_box(&self.tag)));
        Ok(())
    }
}

/// Compares byte by byte and stops at the first difference, so the time depends on the position of this difference.
#[inline(never)]
fn naive(expected: &[u8], tag: &[u8]) -> bool {
    for (left, right) in expected.iter().zip(tag) {
        // `black_box` keeps the compiler from comparing many bytes at a time.
        if black_box(*left) != *right {
            return false;
        }
    }
    true
}

#[inline(never)]
fn constant_time(expected: &[u8], tag: &[u8]) -> bool {
    expected.ct_eq(tag).into()
}
