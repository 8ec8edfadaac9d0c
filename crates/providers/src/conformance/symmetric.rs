use super::selected;
use crate::shared::testing::*;
use pqlab_primitives::{HashParameters, LaneHash, Provider, Result};

/// Checks that a batch returns the digest of the last message, and that wrong lengths are rejected. A XOF must give the
/// same output in one piece and in several pieces.
#[test]
fn hashes_agree_in_batches_and_in_pieces() {
    let messages = vec![bytes(3, 0), bytes(64, 1), bytes(500, 2)];
    for provider in selected() {
        for hash in &provider.hashes {
            let length = hash.info().digest;
            let (mut single, mut batch) = (vec![0; length], vec![0; length]);
            for count in 1..6 {
                hash.digest(&messages[(count - 1) % 3], &mut single).unwrap();
                hash.digest_batch(&messages, count, &mut batch).unwrap();
                assert_eq!(single, batch, "{} {}", provider.id(), hash.info().algorithm);
            }
            for wrong in [length - 1, length + 1] {
                assert!(length_error(hash.digest(b"", &mut vec![0; wrong])));
                assert!(length_error(hash.digest_batch(&messages, 1, &mut vec![0; wrong])));
            }
            assert!(length_error(hash.digest_batch(&[], 1, &mut single)));
        }
        for xof in &provider.xofs {
            let (mut single, mut batch) = (vec![0; 400], vec![0; 400]);
            for count in 1..6 {
                xof.digest(&messages[(count - 1) % 3], &mut single).unwrap();
                xof.digest_batch(&messages, count, &mut batch).unwrap();
                assert_eq!(single, batch, "{} {}", provider.id(), xof.info().algorithm);
            }
            assert!(length_error(xof.digest_batch(&[], 1, &mut single)));
            xof.digest(&messages[1], &mut []).unwrap();
            let mut reader = xof.absorb(&messages[1]).unwrap();
            for piece in batch.chunks_mut(23) {
                reader.squeeze(piece).unwrap();
            }
            reader.squeeze(&mut []).unwrap();
            assert_eq!(single, batch, "{} {}", provider.id(), xof.info().algorithm);
        }
    }
}

/// Compares each lane with a single-message function. Prefers a function from another library.
#[test]
fn each_lane_gives_the_digest_of_its_message() {
    let all = crate::providers();
    for provider in selected() {
        let (same, others): (Vec<_>, Vec<_>) = all.iter().partition(|other| other.library == provider.library);
        for function in &provider.lane_hashes {
            let name = function.algorithm();
            let offers = |other: &&std::sync::Arc<Provider>| other.hash(name).is_some() || other.xof(name).is_some();
            let reference = others.iter().chain(&same).copied().find(offers).expect("must have a reference");
            let digest = |message: &[u8], out: &mut [u8]| match reference.hash(name) {
                Some(hash) => hash.digest(message, out),
                None => reference.xof(name).unwrap().digest(message, out),
            };
            let fixed = HashParameters::find(name).map(|parameters| parameters.digest);
            for length in [0, 1, 71, 72, 103, 104, 135, 136, 137, 143, 144, 167, 168, 169, 336, 1000] {
                for output in fixed.map_or(vec![0, 1, 32, 135, 136, 137, 168, 500], |digest| vec![digest]) {
                    let messages: Vec<_> = (0..function.lanes()).map(|lane| bytes(length, lane as u8)).collect();
                    let expected = messages.iter().map(|message| {
                        let mut out = vec![0; output];
                        digest(message, &mut out).map(|()| out)
                    });
                    let expected = expected.collect::<Result<Vec<_>>>();
                    let outputs = in_lanes(function.as_ref(), &messages, output);
                    assert_eq!(outputs, expected, "{} {name}, {length} bytes", provider.id());
                }
            }
        }
    }
}

fn in_lanes(function: &dyn LaneHash, messages: &[Vec<u8>], output: usize) -> Result<Vec<Vec<u8>>> {
    let mut buffers = vec![vec![0xa5; output]; function.lanes()];
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let mut outs: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
    function.digest_batch(&messages, 2, &mut outs)?;
    Ok(buffers)
}

#[test]
fn lane_functions_refuse_wrong_lengths_and_numbers() {
    for function in selected().iter().flat_map(|provider| &provider.lane_hashes) {
        let fixed = HashParameters::find(function.algorithm()).map(|parameters| parameters.digest);
        let output = fixed.unwrap_or(32);
        let right = vec![bytes(100, 1); function.lanes()];
        assert!(in_lanes(function.as_ref(), &right, output).is_ok());
        assert!(length_error(in_lanes(function.as_ref(), &right[1..], output)));
        let mut longer = right.clone();
        longer[function.lanes() - 1].push(0);
        assert!(length_error(in_lanes(function.as_ref(), &longer, output)));
        assert!(fixed.is_none() || length_error(in_lanes(function.as_ref(), &right, output + 1)));
        let mut buffers = vec![vec![0; output]; function.lanes()];
        buffers[1].pop();
        let messages: Vec<&[u8]> = right.iter().map(Vec::as_slice).collect();
        let mut outs: Vec<&mut [u8]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        assert!(length_error(function.digest(&messages, &mut outs)));
        assert!(length_error(function.digest(&messages, &mut outs[1..])));
    }
}

#[test]
fn macs_take_any_key_and_refuse_wrong_lengths() {
    for provider in selected() {
        for mac in &provider.macs {
            let tag = |key: &[u8]| {
                let (mut prepared, mut once) = (vec![0; mac.tag_len()], vec![1; mac.tag_len()]);
                mac.load_key(key).unwrap().tag(b"message", &mut prepared).unwrap();
                mac.tag_once(key, b"message", &mut once).unwrap();
                assert_eq!(prepared, once, "{}", provider.id());
                prepared
            };
            // Keys are padded with zeros (RFC 2104, section 2).
            assert_eq!(tag(b""), tag(&[0]));
            assert_ne!(tag(b"key"), tag(b"kex"));
            assert_ne!(tag(&[1; 131]), tag(&[1; 132]));
            for wrong in [mac.tag_len() - 1, mac.tag_len() + 1] {
                assert!(length_error(mac.load_key(b"key").unwrap().tag(b"", &mut vec![0; wrong])));
                assert!(length_error(mac.tag_once(b"key", b"", &mut vec![0; wrong])));
            }
        }
    }
}

#[test]
fn hkdf_refuses_more_than_255_blocks() {
    for kdf in selected().iter().flat_map(|provider| &provider.kdfs) {
        let (mut long, mut short) = (vec![0; 255 * 32], [0; 42]);
        kdf.derive(b"salt", b"material", b"info", &mut long).unwrap();
        assert!(length_error(kdf.derive(b"salt", b"material", b"info", &mut vec![0; 255 * 32 + 1])));
        kdf.derive(b"salt", b"material", b"info", &mut short).unwrap();
        assert_eq!(long[..42], short);
    }
}

#[test]
fn ciphers_refuse_wrong_lengths() {
    for provider in selected() {
        for aead in &provider.aeads {
            for wrong in [aead.key_len() - 1, aead.key_len() + 1] {
                assert!(length_error(aead.load_key(&vec![0; wrong])), "{}", provider.id());
            }
            let key = aead.load_key(&bytes(aead.key_len(), 1)).unwrap();
            let (nonce, tag) = (bytes(aead.nonce_len() + 1, 1), bytes(aead.tag_len() + 1, 2));
            let (length, tag_length) = (aead.nonce_len(), aead.tag_len());
            for wrong in [0, length - 1, length + 1] {
                assert!(length_error(key.seal(&nonce[..wrong], b"", &mut [0; 9], &mut vec![0; tag_length])));
                assert!(length_error(key.open(&nonce[..wrong], b"", &mut [0; 9], &tag[..tag_length])));
            }
            for wrong in [0, tag_length - 1, tag_length + 1] {
                assert!(length_error(key.seal(&nonce[..length], b"", &mut [0; 9], &mut vec![0; wrong])));
                assert!(length_error(key.open(&nonce[..length], b"", &mut [0; 9], &tag[..wrong])));
            }
        }
        for cipher in &provider.stream_ciphers {
            let (key, counter) = (vec![0; cipher.key_len() + 1], vec![0; cipher.counter_len() + 1]);
            let (right_key, right_counter) = (&key[1..], &counter[1..]);
            for wrong in [right_key.len() - 1, right_key.len() + 1] {
                assert!(length_error(cipher.apply_once(&key[..wrong], right_counter, &mut [0; 9])));
            }
            for wrong in [right_counter.len() - 1, right_counter.len() + 1] {
                assert!(length_error(cipher.apply_once(right_key, &counter[..wrong], &mut [0; 9])));
            }
        }
    }
}
