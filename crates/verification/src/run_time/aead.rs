//! Compares AES-GCM (NIST SP 800-38D) with a second implementation, for many lengths of messages and associated data.
//! Also checks that decryption rejects tags with any bit flipped, and modified ciphertexts, associated data and nonces.

use super::bytes;
use crate::checks::{buffer, equal, rejected, step};
use crate::suites::{Ran, Run, Suite};
use crate::tally::{Checked, Fault, Tally};
use crate::vectors::Vectors;
use aes_gcm::aead::AeadInOut;
use aes_gcm::{Aes256Gcm, KeyInit};
use pqlab_primitives::Aead;

pub(super) static SUITES: &[Suite] =
    &[Suite::built_in("run time: AES-GCM", |algorithm| algorithm == "AES-256-GCM", Run::Aead(aead))];

/// Encrypts with the second implementation. Returns the ciphertext and the tag.
fn sealed(key: &[u8], nonce: &[u8], associated: &[u8], plaintext: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Fault> {
    let wrong = || Fault::Wrong("the second implementation rejects the lengths".to_owned());
    let cipher = Aes256Gcm::new_from_slice(key).map_err(|_| wrong())?;
    let nonce = nonce.try_into().map_err(|_| wrong())?;
    let mut text = plaintext.to_vec();
    let tag = cipher.encrypt_inout_detached(nonce, associated, text.as_mut_slice().into()).map_err(|_| wrong())?;
    Ok((text, tag.to_vec()))
}

fn aead(aead: &dyn Aead, _: &Vectors, tally: &mut Tally) -> Ran {
    let key = bytes("key", 0, aead.key_len());
    let compare = |nonce: &[u8], length: usize, associated: usize| -> Checked {
        let (plaintext, associated) = (bytes("plaintext", 0, length), bytes("associated", 0, associated));
        let loaded = step("load key", aead.load_key(&key))?;
        let (mut text, mut tag) = (plaintext.clone(), buffer(aead.tag_len()));
        step("seal", loaded.seal(nonce, &associated, &mut text, &mut tag))?;
        let expected = sealed(&key, nonce, &associated, &plaintext)?;
        equal("ciphertext", &expected.0, &text)?;
        equal("tag", &expected.1, &tag)?;
        step("open", loaded.open(nonce, &associated, &mut text, &tag))?;
        equal("plaintext", &plaintext, &text)
    };
    let nonce = bytes("nonce", 0, aead.nonce_len());
    // The block counter carries into its second byte after 4,064 bytes, and into its third after 2^20.
    let long = [1000, 4063, 4064, 4065, 4095, 4096, 4097, 65_535, 65_536, 65_537, (1 << 20) + 17];
    for length in (0..=4 * 64 + 1).chain(long) {
        tally.check(format_args!("a message of {length} bytes"), || compare(&nonce, length, 20));
    }
    for length in (0..=2 * 64 + 1).chain([1000, 65_535, 65_536, 65_537]) {
        tally.check(format_args!("{length} bytes of associated data"), || compare(&nonce, 33, length));
    }
    for byte in [0, 0xff] {
        tally.check(format_args!("a nonce filled with {byte:#04x}"), || compare(&vec![byte; aead.nonce_len()], 100, 3));
    }
    for length in [0, 40] {
        let (plaintext, associated) = (bytes("plaintext", 1, length), bytes("associated", 1, 24));
        let (text, tag) = match sealed(&key, &nonce, &associated, &plaintext) {
            Ok(sealed) => sealed,
            Err(fault) => {
                tally.check("seal", || Err(fault));
                continue;
            }
        };
        let open = |nonce: &[u8], associated: &[u8], text: &[u8], tag: &[u8]| -> Checked {
            let key = step("load key", aead.load_key(&key))?;
            rejected("tag", key.open(nonce, associated, &mut text.to_vec(), tag))
        };
        for bit in 0..8 * tag.len() {
            tally.check(format_args!("a message of {length} bytes, bit {bit} of the tag flipped"), || {
                let mut tag = tag.clone();
                tag[bit / 8] ^= 1 << (bit % 8);
                open(&nonce, &associated, &text, &tag)
            });
        }
        let flipped = |bytes: &[u8], place: usize| {
            let mut bytes = bytes.to_vec();
            bytes[place] ^= 1 << (place % 8);
            bytes
        };
        for place in 0..text.len() {
            tally.check(format_args!("byte {place} of the ciphertext modified"), || {
                open(&nonce, &associated, &flipped(&text, place), &tag)
            });
        }
        for place in 0..associated.len() {
            tally.check(
                format_args!("a message of {length} bytes, byte {place} of the associated data modified"),
                || open(&nonce, &flipped(&associated, place), &text, &tag),
            );
        }
        for place in 0..nonce.len() {
            tally.check(format_args!("a message of {length} bytes, byte {place} of the nonce modified"), || {
                open(&flipped(&nonce, place), &associated, &text, &tag)
            });
        }
        tally.check(format_args!("a message of {length} bytes, an all-zero tag"), || {
            open(&nonce, &associated, &text, &vec![0; tag.len()])
        });
    }
    Ok(())
}
