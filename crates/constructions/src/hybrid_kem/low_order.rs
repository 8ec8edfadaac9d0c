//! Handles X25519 public keys of low order, for which every shared secret is zero.

use super::length::X25519;
use pqlab_primitives::Kem;
use std::sync::Arc;

/// A construction's treatment of points of low order. Every supported library rejects these points (RFC 7748, section
/// 6.1), but some constructions must accept them.
#[derive(Clone)]
pub(super) enum LowOrder {
    /// Reject the point with the library's error.
    Refused,
    /// Ignore the library's error and use a zero secret, the result of the function in RFC 7748, section 5. The library
    /// may reject the point before it outputs an ephemeral key, so the X25519 KEM in this variant generates one.
    Combined(Arc<dyn Kem>),
}

impl LowOrder {
    /// Returns the X25519 KEM if `point` has low order and the construction ignores the library's error.
    #[cold]
    pub(super) fn combined(&self, point: &[u8]) -> Option<&dyn Kem> {
        match self {
            LowOrder::Combined(kem) if is_of_low_order(point) => Some(kem.as_ref()),
            _ => None,
        }
    }
}

/// Returns the encoding of `2^255 - 256 + last`, little-endian.
const fn high(last: u8) -> [u8; X25519] {
    let mut point = [0xff; X25519];
    point[0] = last;
    point[X25519 - 1] = 0x7f;
    point
}

const fn small(first: u8) -> [u8; X25519] {
    let mut point = [0; X25519];
    point[0] = first;
    point
}

/// Points of low order, as 255-bit numbers. X25519 maps these numbers to zero for every scalar, because scalars are
/// multiples of eight. The numbers are 0, 1, the two coordinates of points of order eight, -1, p and p + 1. The last
/// two are aliases of 0 and 1 (<https://cr.yp.to/ecdh.html#validate>).
#[rustfmt::skip]
const POINTS: [[u8; X25519]; 7] = [
    small(0),
    small(1),
    [
        0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
        0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00,
    ],
    [
        0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
        0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57,
    ],
    high(0xec),
    high(0xed),
    high(0xee),
];

/// Returns whether `point` has low order. Ignores the most significant bit (RFC 7748, section 5).
fn is_of_low_order(point: &[u8]) -> bool {
    let Ok(mut point) = <[u8; X25519]>::try_from(point) else { return false };
    point[X25519 - 1] &= 0x7f;
    POINTS.contains(&point)
}
