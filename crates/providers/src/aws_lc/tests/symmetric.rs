use super::{digest_of, error_queue_is_empty, hex, pattern, provider};
use pqlab_primitives::Error;

#[test]
fn hashes_match_known_answers() {
    // NIST's example values for FIPS 180-4 and FIPS 202 with the message "abc".
    for (algorithm, expected) in [
        ("SHA3-224", "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
        ("SHA3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        (
            "SHA3-384",
            "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
        ),
        (
            "SHA3-512",
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e\
             10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
        ),
        ("SHA-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "SHA-512",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        ),
    ] {
        let provider = provider();
        let hash = provider.hash(algorithm).unwrap();
        let mut digest = vec![0; hash.info().digest];
        hash.digest(b"abc", &mut digest).unwrap();
        assert_eq!(hex::encode(&digest), expected, "{algorithm}");
    }
}

#[test]
fn xofs_match_known_answers() {
    // First 32 bytes of output for the empty message (FIPS 202).
    for (algorithm, expected) in [
        ("SHAKE128", "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"),
        ("SHAKE256", "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"),
    ] {
        let provider = provider();
        let mut output = [0; 32];
        provider.xof(algorithm).unwrap().digest(b"", &mut output).unwrap();
        assert_eq!(hex::encode(output), expected, "{algorithm}");
    }
}

#[test]
fn squeezing_in_steps_equals_squeezing_at_once() {
    for xof in &provider().xofs {
        for message in [&b""[..], &pattern(500, 3)] {
            let mut at_once = [0; 1000];
            xof.digest(message, &mut at_once).unwrap();
            let mut reader = xof.absorb(message).unwrap();
            let mut in_steps = Vec::new();
            for length in [1, 0, 31, 136, 168, 300, 364] {
                let mut part = vec![0; length];
                reader.squeeze(&mut part).unwrap();
                in_steps.extend(part);
            }
            assert_eq!(in_steps, at_once);
        }
    }
}

#[test]
fn a_batch_digests_the_pool_in_turn() {
    let provider = provider();
    let pool = [pattern(64, 1), pattern(64, 2), pattern(64, 3)];
    for hash in &provider.hashes {
        let (mut single, mut batch) = (vec![0; hash.info().digest], vec![0; hash.info().digest]);
        for count in 1..8 {
            hash.digest(&pool[(count - 1) % 3], &mut single).unwrap();
            hash.digest_batch(&pool, count, &mut batch).unwrap();
            assert_eq!(single, batch);
        }
        assert!(matches!(hash.digest_batch(&[], 1, &mut batch), Err(Error::Length { .. })));
        assert!(matches!(hash.digest_batch(&pool, 1, &mut batch[1..]), Err(Error::Length { .. })));
        assert!(matches!(hash.digest(&pool[0], &mut batch[1..]), Err(Error::Length { .. })));
    }
    for xof in &provider.xofs {
        let (mut single, mut batch) = ([0; 100], [0; 100]);
        xof.digest(&pool[1], &mut single).unwrap();
        xof.digest_batch(&pool, 5, &mut batch).unwrap();
        assert_eq!(single, batch);
        assert!(matches!(xof.digest_batch(&[], 1, &mut batch), Err(Error::Length { .. })));
    }
}

#[test]
fn long_messages_are_hashed_whole() {
    // The message in FIPS 180-2, appendix B.3, consists of a million letters "a".
    let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    assert_eq!(digest_of(&vec![b'a'; 1_000_000]), expected);
}

#[test]
fn hmac_matches_known_answers() {
    // Test cases 2 and 6 in RFC 4231 use a short key and a key that is longer than a block.
    let provider = provider();
    let mac = provider.mac("HMAC-SHA256").unwrap();
    assert_eq!(mac.tag_len(), 32);
    let mut tag = [0; 32];
    let key = mac.load_key(b"Jefe").unwrap();
    for _ in 0..2 {
        key.tag(b"what do ya want for nothing?", &mut tag).unwrap();
        assert_eq!(hex::encode(tag), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
    let key = mac.load_key(&[0xaa; 131]).unwrap();
    key.tag(b"Test Using Larger Than Block-Size Key - Hash Key First", &mut tag).unwrap();
    assert_eq!(hex::encode(tag), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    assert!(matches!(key.tag(b"", &mut tag[1..]), Err(Error::Length { .. })));
    // An empty key is valid.
    mac.load_key(b"").unwrap().tag(b"", &mut tag).unwrap();
    assert_eq!(hex::encode(tag), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

#[test]
fn one_hmac_key_serves_several_threads() {
    let provider = provider();
    let key = provider.mac("HMAC-SHA256").unwrap().load_key(b"key").unwrap();
    let mut expected = [0; 32];
    key.tag(b"message", &mut expected).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut tag = [0; 32];
                for _ in 0..1000 {
                    key.tag(b"message", &mut tag).unwrap();
                    assert_eq!(tag, expected);
                }
            });
        }
    });
}

#[test]
fn hkdf_matches_known_answers() {
    // Test vectors from RFC 5869, appendix A.1 and A.3.
    let provider = provider();
    let kdf = provider.kdf("HKDF-SHA256").unwrap();
    let (salt, info) = (hex("000102030405060708090a0b0c"), hex("f0f1f2f3f4f5f6f7f8f9"));
    let mut out = [0; 42];
    kdf.derive(&salt, &[0x0b; 22], &info, &mut out).unwrap();
    assert_eq!(
        hex::encode(out),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    );
    kdf.derive(&[], &[0x0b; 22], &[], &mut out).unwrap();
    assert_eq!(
        hex::encode(out),
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    );
    kdf.derive(&salt, b"ikm", &info, &mut vec![0; 8160]).unwrap();
    let too_long = kdf.derive(&salt, b"ikm", &info, &mut vec![0; 8161]);
    assert!(matches!(too_long, Err(Error::Length { expected: 8160, .. })));
}

#[test]
fn aes_gcm_matches_known_answers() {
    // Test case 16 in McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B.
    let provider = provider();
    let aead = provider.aead("AES-256-GCM").unwrap();
    assert_eq!((aead.key_len(), aead.nonce_len(), aead.tag_len()), (32, 12, 16));
    let key = hex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308");
    let nonce = hex("cafebabefacedbaddecaf888");
    let associated = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
    let plaintext = hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
         1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
    let mut buffer = plaintext.clone();
    let mut tag = [0; 16];
    let key = aead.load_key(&key).unwrap();
    key.seal(&nonce, &associated, &mut buffer, &mut tag).unwrap();
    assert_eq!(
        hex::encode(&buffer),
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
         8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
    );
    assert_eq!(hex::encode(tag), "76fc6ece0f4e1768cddf8853bb2d551b");
    key.open(&nonce, &associated, &mut buffer, &tag).unwrap();
    assert_eq!(buffer, plaintext);
}

#[test]
fn aes_gcm_rejects_tampering_and_wrong_lengths() {
    let provider = provider();
    let aead = provider.aead("AES-256-GCM").unwrap();
    assert!(matches!(aead.load_key(&[0; 16]).err(), Some(Error::Length { expected: 32, .. })));
    let key = aead.load_key(&[1; 32]).unwrap();
    let (mut sealed, mut tag) = (pattern(100, 5), [0; 16]);
    key.seal(&[2; 12], b"associated", &mut sealed, &mut tag).unwrap();
    let refused = Err(Error::VerificationFailed);
    assert_eq!(key.open(&[2; 12], b"other", &mut sealed.clone(), &tag), refused);
    assert_eq!(key.open(&[3; 12], b"associated", &mut sealed.clone(), &tag), refused);
    let mut wrong = sealed.clone();
    wrong[99] ^= 1;
    assert_eq!(key.open(&[2; 12], b"associated", &mut wrong, &tag), refused);
    let mut wrong = tag;
    wrong[15] ^= 1;
    assert_eq!(key.open(&[2; 12], b"associated", &mut sealed.clone(), &wrong), refused);
    assert!(error_queue_is_empty());
    assert!(matches!(key.open(&[2; 8], b"", &mut sealed, &tag), Err(Error::Length { .. })));
    assert!(matches!(key.seal(&[2; 12], b"", &mut sealed, &mut tag[1..]), Err(Error::Length { .. })));
    key.seal(&[4; 12], b"", &mut [], &mut tag).unwrap();
    key.open(&[4; 12], b"", &mut [], &tag).unwrap();
}
