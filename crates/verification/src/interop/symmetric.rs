use super::{bytes, flipped};
use crate::checks::{buffer, equal, rejected, step};
use crate::tally::{Checked, Tally};
use pqlab_primitives::{Aead, AeadKey, Hash, Kdf, Mac, StreamCipher, Xof};

/// Message lengths in bytes: lengths around the block boundaries of all hash functions, and some lengths of several
/// blocks. SHA-2 uses blocks of 64 or 128 bytes, with at least 9 or 17 bytes of padding. Keccak uses rates of 72, 104,
/// 136, 144 and 168 bytes.
const LENGTHS: [usize; 35] = [
    0, 1, 55, 56, 57, 63, 64, 65, 71, 72, 73, 103, 104, 105, 111, 112, 113, 119, 120, 127, 128, 129, 135, 136, 137,
    143, 144, 145, 167, 168, 169, 255, 256, 1000, 10_000,
];

/// Message lengths in bytes, around the block boundaries of AES.
const AEAD_LENGTHS: [usize; 12] = [0, 1, 15, 16, 17, 31, 32, 33, 127, 128, 129, 1000];

pub(super) fn hash_pair(one: &dyn Hash, other: &dyn Hash, tally: &mut Tally) {
    for length in LENGTHS {
        tally.check(format_args!("a message of {length} bytes"), || {
            let message = bytes("hash", length);
            same(one.info().digest, |out| one.digest(&message, out), |out| other.digest(&message, out))
        });
    }
}

pub(super) fn xof_pair(one: &dyn Xof, other: &dyn Xof, tally: &mut Tally) {
    for length in LENGTHS {
        tally.check(format_args!("a message of {length} bytes"), || {
            let message = bytes("xof", length);
            same(32, |out| one.digest(&message, out), |out| other.digest(&message, out))
        });
    }
    let message = bytes("xof", 100);
    for length in LENGTHS.into_iter().skip(1) {
        tally.check(format_args!("an output of {length} bytes"), || {
            same(length, |out| one.digest(&message, out), |out| other.digest(&message, out))
        });
    }
}

pub(super) fn mac_pair(one: &dyn Mac, other: &dyn Mac, tally: &mut Tally) {
    // Include keys longer than the hash function's block, because HMAC hashes these keys first (RFC 2104, section 2).
    for key_length in [0, 1, 32, 63, 64, 65, 128, 200] {
        for length in LENGTHS {
            tally.check(format_args!("a key of {key_length} bytes, a message of {length} bytes"), || {
                let (key, message) = (bytes("mac key", key_length), bytes("mac", length));
                let (ours, theirs) = (step("load key", one.load_key(&key))?, step("load key", other.load_key(&key))?);
                same(one.tag_len(), |out| ours.tag(&message, out), |out| theirs.tag(&message, out))
            });
        }
    }
}

pub(super) fn kdf_pair(one: &dyn Kdf, other: &dyn Kdf, tally: &mut Tally) {
    for (salt, material, info) in [(0, 32, 0), (32, 32, 20), (64, 64, 64), (65, 96, 200), (1000, 1, 1)] {
        // 255 blocks are the maximum (RFC 5869, section 2.3).
        for length in [1, 31, 32, 33, 64, 112, 255 * 32] {
            let id = format!("lengths in bytes: salt {salt}, key material {material}, info {info}, output {length}");
            tally.check(id, || {
                let (salt, material, info) = (bytes("salt", salt), bytes("material", material), bytes("info", info));
                same(
                    length,
                    |out| one.derive(&salt, &material, &info, out),
                    |out| other.derive(&salt, &material, &info, out),
                )
            });
        }
    }
}

/// Checks that `other` opens messages that `one` sealed.
pub(super) fn aead_pair(one: &dyn Aead, other: &dyn Aead, tally: &mut Tally) {
    for length in AEAD_LENGTHS {
        for associated in [0, 1, 16, 20, 100] {
            tally.check(format_args!("a message of {length} bytes, {associated} bytes of associated data"), || {
                sealed_and_opened(one, other, &bytes("plaintext", length), &bytes("associated", associated))
            });
        }
    }
}

/// Checks that `other` decrypts ciphertexts from `one`. Some counters carry into the next word or wrap around within
/// the ciphertext.
pub(super) fn stream_pair(one: &dyn StreamCipher, other: &dyn StreamCipher, tally: &mut Tally) {
    let key = bytes("stream key", one.key_len());
    for ones in [0, 1, 4, 8, 16] {
        let mut counter = vec![0; one.counter_len()];
        let length = counter.len();
        counter[length - ones..].fill(0xff);
        for length in AEAD_LENGTHS {
            let id = format!("a message of {length} bytes, a counter that ends with 0xff {ones} times");
            tally.check(id, || {
                let plaintext = bytes("plaintext", length);
                let mut text = plaintext.clone();
                step("encrypt", one.apply_once(&key, &counter, &mut text))?;
                step("decrypt", other.apply_once(&key, &counter, &mut text))?;
                equal("plaintext", &plaintext, &text)
            });
        }
    }
}

fn sealed_and_opened(one: &dyn Aead, other: &dyn Aead, plaintext: &[u8], associated: &[u8]) -> Checked {
    let (key, nonce) = (bytes("aead key", one.key_len()), bytes("nonce", one.nonce_len()));
    let (ours, theirs) = (step("load key", one.load_key(&key))?, step("load key", other.load_key(&key))?);
    let (mut ciphertext, mut tag) = (plaintext.to_vec(), buffer(one.tag_len()));
    step("seal", ours.seal(&nonce, associated, &mut ciphertext, &mut tag))?;
    let mut opened = ciphertext.clone();
    step("open", theirs.open(&nonce, associated, &mut opened, &tag))?;
    equal("plaintext", plaintext, &opened)?;
    let open = |nonce: &[u8], associated: &[u8], ciphertext: &[u8], tag: &[u8]| {
        let key: &dyn AeadKey = theirs.as_ref();
        rejected("tag", key.open(nonce, associated, &mut ciphertext.to_vec(), tag))
    };
    open(&nonce, associated, &ciphertext, &flipped(&tag, tag.len() - 1))?;
    open(&flipped(&nonce, 0), associated, &ciphertext, &tag)?;
    if !ciphertext.is_empty() {
        open(&nonce, associated, &flipped(&ciphertext, ciphertext.len() - 1), &tag)?;
    }
    if !associated.is_empty() {
        open(&nonce, &flipped(associated, 0), &ciphertext, &tag)?;
    }
    Ok(())
}

fn same(
    length: usize,
    ours: impl FnOnce(&mut [u8]) -> pqlab_primitives::Result<()>,
    theirs: impl FnOnce(&mut [u8]) -> pqlab_primitives::Result<()>,
) -> Checked {
    let (mut first, mut second) = (buffer(length), buffer(length));
    // Fill the buffers differently, because two providers that write nothing would otherwise agree.
    second.fill(0x5a);
    step("the first library", ours(&mut first))?;
    step("the second library", theirs(&mut second))?;
    equal("output", &first, &second)
}
