//! Compares X25519 (RFC 7748) with a second implementation, for random points, every non-canonical encoding and every
//! point of small order.

use super::bytes;
use crate::checks::kem::load;
use crate::checks::{buffer, equal, refused, step};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use curve25519_dalek::MontgomeryPoint;
use pqlab_primitives::{Kem, KeyAgreement, KeyEncoding, Result};

pub(super) static SUITES: &[Suite] = &[
    Suite::built_in("run time: X25519", |algorithm| algorithm == "X25519", Run::KeyAgreement(agreement)),
    Suite::built_in("run time: X25519", |algorithm| algorithm == "X25519", Run::Kem(kem)),
];

fn agreement(agreement: &dyn KeyAgreement, _: &Vectors, tally: &mut Tally) -> Ran {
    each(tally, &|private, point, secret| {
        Ok(agreement.load_private_key(private).and_then(|key| key.agree(point, secret)))
    });
    Ok(())
}

fn kem(kem: &dyn Kem, _: &Vectors, tally: &mut Tally) -> Ran {
    each(tally, &|private, point, secret| {
        Ok(load(kem, KeyEncoding::Scalar, private)?.and_then(|key| key.decapsulate(point, secret)))
    });
    Ok(())
}

type Agree<'a> = &'a dyn Fn(&[u8], &[u8], &mut [u8]) -> std::result::Result<Result<()>, Fault>;

/// Returns `2^255 - 19 + offset`, little-endian.
fn above_the_modulus(offset: u8) -> [u8; 32] {
    let mut bytes = [0xff; 32];
    (bytes[0], bytes[31]) = (0xed + offset, 0x7f);
    bytes
}

fn each(tally: &mut Tally, agree: Agree) {
    let compare = |private: &[u8; 32], point: [u8; 32]| -> Checked {
        let mut secret = buffer(32);
        let outcome = agree(private, &point, &mut secret)?;
        let expected = MontgomeryPoint(point).mul_clamped(*private).to_bytes();
        if expected == [0; 32] {
            return refused("point of small order", outcome);
        }
        step("agree", outcome)?;
        equal("shared secret", &expected, &secret)
    };
    let fixed = |label: &str, number: usize| -> [u8; 32] {
        let mut out = [0; 32];
        out.copy_from_slice(&bytes(label, number, 32));
        out
    };
    for number in 0..48 {
        tally.check(format_args!("random scalar and point {number}"), || {
            compare(&fixed("scalar", number), fixed("point", number))
        });
    }
    let private = fixed("scalar", 100);
    for bit in [0, 1, 2, 3, 254, 255] {
        tally.check(format_args!("a scalar with bit {bit} flipped"), || {
            let mut private = private;
            private[bit / 8] ^= 1 << (bit % 8);
            compare(&private, fixed("point", 100))
        });
    }
    // The last bit of a point is ignored, and points are reduced (RFC 7748, section 5).
    for offset in 0..19 {
        for last_bit in [0, 0x80] {
            let mut points = [[0; 32], above_the_modulus(offset)];
            points[0][0] = offset;
            for (what, mut point) in ["", "p + "].into_iter().zip(points) {
                point[31] |= last_bit;
                tally.check(format_args!("the point {what}{offset}, last bit {}", last_bit >> 7), || {
                    compare(&private, point)
                });
            }
        }
    }
    // The points of order 8 and p - 1, which has order 4.
    for (what, hex) in [
        ("of order 8 (first)", "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
        ("of order 8 (second)", "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
        ("p - 1", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    ] {
        for last_bit in [0, 0x80] {
            tally.check(format_args!("the point {what}, last bit {}", last_bit >> 7), || {
                let mut point = [0; 32];
                let decoded = hex::decode(hex).map_err(|error| Fault::Wrong(error.to_string()))?;
                point.copy_from_slice(&decoded);
                point[31] |= last_bit;
                compare(&private, point)
            });
        }
    }
}
