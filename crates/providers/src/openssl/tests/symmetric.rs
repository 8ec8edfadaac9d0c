use super::*;
use std::thread;

/// Example digests for FIPS 202 and FIPS 180-4 with the message `abc`.
const DIGESTS: [(&str, &str); 6] = [
    ("SHA3-224", "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
    ("SHA3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    ("SHA3-384", "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"),
    (
        "SHA3-512",
        "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
    ),
    ("SHA-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        "SHA-512",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
];

#[test]
fn digests_agree_with_published_answers() {
    for (algorithm, expected) in DIGESTS {
        let hash = provider().hash(algorithm).unwrap();
        let mut out = vec![0; hash.info().digest];
        for _ in 0..2 {
            out.fill(0);
            hash.digest(b"abc", &mut out).unwrap();
            assert_eq!(out, hex(expected), "{algorithm}");
        }
        let mut after = vec![0; out.len()];
        hash.digest(b"", &mut after).unwrap();
        assert_ne!(after, out);
        let short = out.len() - 1;
        assert_length(hash.digest(b"abc", &mut out[..short]));
    }
}

#[test]
fn a_batch_ends_with_the_digest_of_its_last_message() {
    let messages = [b"x".to_vec(), Vec::new(), b"abc".to_vec()];
    for (algorithm, expected) in DIGESTS {
        let hash = provider().hash(algorithm).unwrap();
        let mut out = vec![0; hash.info().digest];
        hash.digest_batch(&messages, 6, &mut out).unwrap();
        assert_eq!(out, hex(expected));
        let mut other = vec![0; out.len()];
        hash.digest_batch(&messages, 4, &mut other).unwrap();
        hash.digest(b"x", &mut out).unwrap();
        assert_eq!(other, out);
        hash.digest_batch(&messages, 0, &mut out).unwrap();
        assert_length(hash.digest_batch(&[], 1, &mut out));
        assert_length(hash.digest_batch(&messages, 1, &mut out[1..]));
    }
    for xof in &provider().xofs {
        let (mut batch, mut single) = ([0; 40], [0; 40]);
        xof.digest_batch(&messages, 6, &mut batch).unwrap();
        xof.digest(b"abc", &mut single).unwrap();
        assert_eq!(batch, single);
        assert_length(xof.digest_batch(&[], 1, &mut batch));
    }
}

/// Checks NIST's FIPS 202 examples for the empty message.
#[test]
fn xofs_agree_with_published_answers_and_squeeze_in_pieces() {
    let published = [
        ("SHAKE128", "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"),
        ("SHAKE256", "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"),
    ];
    for (algorithm, expected) in published {
        let xof = provider().xof(algorithm).unwrap();
        let mut out = [0; 32];
        xof.digest(b"", &mut out).unwrap();
        assert_eq!(out.to_vec(), hex(expected));
        xof.digest(b"", &mut []).unwrap();

        let mut whole = [0; 500];
        xof.digest(b"abc", &mut whole).unwrap();
        let mut reader = xof.absorb(b"abc").unwrap();
        let mut pieces = [0; 500];
        let mut rest = &mut pieces[..];
        for length in [1, 0, xof.info().rate - 1, 5, 200] {
            let (piece, after) = rest.split_at_mut(length);
            reader.squeeze(piece).unwrap();
            rest = after;
        }
        reader.squeeze(rest).unwrap();
        assert_eq!(pieces, whole);
    }
}

#[test]
fn threads_digest_side_by_side() {
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..100 {
                    for (algorithm, expected) in DIGESTS {
                        let hash = provider().hash(algorithm).unwrap();
                        let mut out = vec![0; hash.info().digest];
                        hash.digest(b"abc", &mut out).unwrap();
                        assert_eq!(out, hex(expected));
                    }
                }
            });
        }
    });
}

/// Checks RFC 4231, sections 4.3 and 4.7. The key in section 4.7 is longer than a block.
#[test]
fn hmac_agrees_with_its_rfc() {
    let mac = provider().mac("HMAC-SHA256").unwrap();
    let published: [(&[u8], &[u8], &str); 2] = [
        (b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            &[0xAA; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
    ];
    for (key, message, expected) in published {
        let key = mac.load_key(key).unwrap();
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let mut tag = [0; 32];
                        key.tag(message, &mut tag).unwrap();
                        assert_eq!(tag.to_vec(), hex(expected));
                    }
                });
            }
        });
        assert_length(key.tag(message, &mut [0; 31]));
    }
    // A key is padded with zeros (RFC 2104, section 2), so an empty key is equivalent to one zero byte.
    let (mut none, mut zero) = ([0; 32], [1; 32]);
    mac.load_key(b"").unwrap().tag(b"", &mut none).unwrap();
    mac.load_key(&[0]).unwrap().tag(b"", &mut zero).unwrap();
    assert_eq!(none, zero);
}

/// Checks RFC 5869, appendices A.1 and A.3, in alternation: a call must not affect the next call.
#[test]
fn hkdf_agrees_with_its_rfc() {
    let kdf = provider().kdf("HKDF-SHA256").unwrap();
    let (salt, info) = (hex("000102030405060708090a0b0c"), hex("f0f1f2f3f4f5f6f7f8f9"));
    for _ in 0..2 {
        let mut out = [0; 42];
        kdf.derive(&salt, &[0x0B; 22], &info, &mut out).unwrap();
        assert_eq!(
            out.to_vec(),
            hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        );
        kdf.derive(b"", &[0x0B; 22], b"", &mut out).unwrap();
        assert_eq!(
            out.to_vec(),
            hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
        );
    }
    kdf.derive(b"", b"", b"", &mut []).unwrap();
    kdf.derive(b"", b"", b"", &mut [0; 1]).unwrap();
    kdf.derive(b"", b"", b"", &mut [0; 255 * 32]).unwrap();
    assert_length(kdf.derive(b"", b"", b"", &mut [0; 255 * 32 + 1]));
    assert_queue_is_empty();
}

/// Checks test case 16 in appendix B of the GCM specification (McGrew and Viega).
#[test]
fn aes_gcm_agrees_with_its_specification() {
    let aead = provider().aead("AES-256-GCM").unwrap();
    let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
    let nonce = hex("cafebabefacedbaddecaf888");
    let data = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let plaintext = hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
    );
    let ciphertext = hex(
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
    );
    let key = aead.load_key(&key).unwrap();
    let mut tag = [0; 16];
    for _ in 0..2 {
        let mut buffer = plaintext.clone();
        key.seal(&nonce, &data, &mut buffer, &mut tag).unwrap();
        assert_eq!((buffer.clone(), tag.to_vec()), (ciphertext.clone(), hex("76fc6ece0f4e1768cddf8853bb2d551b")));
        key.open(&nonce, &data, &mut buffer, &tag).unwrap();
        assert_eq!(buffer, plaintext);

        let mut wrong = tag;
        wrong[15] ^= 1;
        let mut buffer = ciphertext.clone();
        assert_refused(key.open(&nonce, &data, &mut buffer, &wrong));
        assert_eq!(buffer, vec![0; plaintext.len()]);
        let mut buffer = ciphertext.clone();
        assert_refused(key.open(&nonce, b"", &mut buffer, &tag));
        let mut buffer = ciphertext.clone();
        buffer[0] ^= 1;
        assert_refused(key.open(&nonce, &data, &mut buffer, &tag));
    }
    let mut nothing = [0; 16];
    key.seal(&nonce, b"", &mut [], &mut nothing).unwrap();
    key.open(&nonce, b"", &mut [], &nothing).unwrap();
    assert_refused(key.open(&nonce, b"x", &mut [], &nothing));

    assert_length(aead.load_key(&[0; 31]));
    assert_length(key.seal(&nonce[..11], b"", &mut [], &mut tag));
    assert_length(key.seal(&nonce, b"", &mut [], &mut tag[..15]));
    assert_length(key.open(&nonce[..11], b"", &mut [], &tag));
    assert_length(key.open(&nonce, b"", &mut [], &tag[..15]));
    assert_eq!((aead.key_len(), aead.nonce_len(), aead.tag_len()), (32, 12, 16));
}
