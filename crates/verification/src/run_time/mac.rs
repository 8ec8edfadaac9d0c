//! Compares HMAC (RFC 2104) and HKDF (RFC 5869) with a second implementation, for all key and message lengths up to a
//! few blocks, and for some longer lengths.

use super::bytes;
use crate::checks::{buffer, equal, step};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Tally};
use crate::vectors::Vectors;
use hmac::{Hmac, KeyInit, Mac as _};
use pqlab_primitives::{Kdf, Mac};
use sha2::Sha256;

pub(super) static SUITES: &[Suite] = &[
    Suite::built_in("run time: every length", |algorithm| algorithm == "HMAC-SHA256", Run::Mac(mac)),
    Suite::built_in("run time: every length", |algorithm| algorithm == "HKDF-SHA256", Run::Kdf(kdf)),
];

/// Length of SHA-256's blocks in bytes.
const BLOCK: usize = 64;
/// Length of a digest in bytes.
const DIGEST: usize = 32;

fn hmac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    // Keys of every length are valid.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

fn mac(mac: &dyn Mac, _: &Vectors, tally: &mut Tally) -> Ran {
    let compare = |key: usize, message: usize| -> Checked {
        let (key, message) = (bytes("key", 0, key), bytes("message", 0, message));
        let expected = hmac(&key, &[&message]);
        let (mut tag, mut once) = (buffer(DIGEST), buffer(DIGEST));
        step("tag", step("load key", mac.load_key(&key))?.tag(&message, &mut tag))?;
        equal("tag", &expected, &tag)?;
        step("tag once", mac.tag_once(&key, &message, &mut once))?;
        equal("tag with an encoded key", &expected, &once)
    };
    for length in (0..=4 * BLOCK + 1).chain([1000, 65_535, 65_536, 65_537, 1 << 20]) {
        tally.check(format_args!("a message of {length} bytes"), || compare(32, length));
    }
    for length in (0..=2 * BLOCK + 1).chain([255, 256, 257, 1000, 65_537]) {
        tally.check(format_args!("a key of {length} bytes"), || compare(length, 33));
    }
    tally.check("several messages with one prepared key", || {
        let key = step("load key", mac.load_key(&bytes("key", 0, 32)))?;
        for length in [0, 100, 7, 64] {
            let message = bytes("message", length, length);
            let mut tag = buffer(DIGEST);
            step("tag", key.tag(&message, &mut tag))?;
            equal("tag", &hmac(&bytes("key", 0, 32), &[&message]), &tag)?;
        }
        Ok(())
    });
    Ok(())
}

/// Derives `length` bytes of keying material (RFC 5869, sections 2.2 and 2.3).
fn derived(salt: &[u8], material: &[u8], info: &[u8], length: usize) -> Vec<u8> {
    let key = hmac(salt, &[material]);
    let (mut out, mut block) = (Vec::new(), Vec::new());
    for counter in 1..=255_u8 {
        if out.len() >= length {
            break;
        }
        block = hmac(&key, &[&block, info, &[counter]]);
        out.extend_from_slice(&block);
    }
    out.truncate(length);
    out
}

fn kdf(kdf: &dyn Kdf, _: &Vectors, tally: &mut Tally) -> Ran {
    let compare = |[salt, material, info, length]: [usize; 4]| -> Checked {
        let (salt, material, info) = (bytes("salt", 0, salt), bytes("material", 0, material), bytes("info", 0, info));
        let mut out = buffer(length);
        step("derive", kdf.derive(&salt, &material, &info, &mut out))?;
        equal("output", &derived(&salt, &material, &info, length), &out)
    };
    for length in (1..=4 * DIGEST + 1).chain([254 * DIGEST, 255 * DIGEST - 1, 255 * DIGEST]) {
        tally.check(format_args!("an output of {length} bytes"), || compare([32, 32, 20, length]));
    }
    for length in (0..=2 * BLOCK + 1).chain([1000, 65_537]) {
        tally.check(format_args!("a salt of {length} bytes"), || compare([length, 32, 20, 50]));
        tally.check(format_args!("info of {length} bytes"), || compare([32, 32, length, 50]));
        if length > 0 {
            tally.check(format_args!("key material of {length} bytes"), || compare([32, length, 20, 50]));
        }
    }
    Ok(())
}
