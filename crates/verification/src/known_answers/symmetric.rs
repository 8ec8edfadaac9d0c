use super::{Checker, bytes, rows};
use pqlab_primitives::{Aead, Error, Kdf, KeyAgreement, Mac, StreamCipher};

/// A key pair, and its shared secret with a peer. The table contains the values in full, because they are as short as
/// digests.
pub(super) struct AgreementVector {
    pub(super) algorithm: &'static str,
    pub(super) private_key: &'static str,
    /// Public key, if published.
    pub(super) public_key: Option<&'static str>,
    pub(super) peer: &'static str,
    pub(super) shared_secret: &'static str,
}

pub(super) struct MacVector {
    pub(super) algorithm: &'static str,
    pub(super) key: &'static str,
    pub(super) message: &'static str,
    pub(super) tag: &'static str,
}

pub(super) struct KdfVector {
    pub(super) algorithm: &'static str,
    pub(super) salt: &'static str,
    pub(super) key_material: &'static str,
    pub(super) info: &'static str,
    pub(super) output: &'static str,
}

pub(super) struct AeadVector {
    pub(super) algorithm: &'static str,
    pub(super) key: &'static str,
    pub(super) nonce: &'static str,
    pub(super) associated_data: &'static str,
    pub(super) plaintext: &'static str,
    pub(super) ciphertext: &'static str,
    pub(super) tag: &'static str,
}

pub(super) struct StreamVector {
    pub(super) algorithm: &'static str,
    pub(super) key: &'static str,
    pub(super) counter: &'static str,
    pub(super) plaintext: &'static str,
    pub(super) ciphertext: &'static str,
}
rows!(AgreementVector, MacVector, KdfVector, AeadVector, StreamVector);

/// RFC 7748: both vectors of section 5.2, and both sides of the exchange in section 6.1.
pub(super) static AGREEMENTS: &[AgreementVector] = &[
    AgreementVector {
        algorithm: "X25519",
        private_key: "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
        public_key: None,
        peer: "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
        shared_secret: "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
    },
    AgreementVector {
        algorithm: "X25519",
        private_key: "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
        public_key: None,
        peer: "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
        shared_secret: "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
    },
    AgreementVector {
        algorithm: "X25519",
        private_key: "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
        public_key: Some("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"),
        peer: "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
        shared_secret: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
    },
    AgreementVector {
        algorithm: "X25519",
        private_key: "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
        public_key: Some("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"),
        peer: "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
        shared_secret: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
    },
];

/// RFC 4231, sections 4.2, 4.3 and 4.7. In section 4.7, the key is longer than a block.
pub(super) static MACS: &[MacVector] = &[
    MacVector {
        algorithm: "HMAC-SHA256",
        key: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        message: "4869205468657265",
        tag: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    },
    MacVector {
        algorithm: "HMAC-SHA256",
        key: "4a656665",
        message: "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        tag: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    },
    MacVector {
        algorithm: "HMAC-SHA256",
        key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
              aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
              aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        message: "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a\
                  65204b6579202d2048617368204b6579204669727374",
        tag: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    },
];

/// RFC 5869, appendices A.1 and A.3 (without salt and info).
pub(super) static KDFS: &[KdfVector] = &[
    KdfVector {
        algorithm: "HKDF-SHA256",
        salt: "000102030405060708090a0b0c",
        key_material: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        info: "f0f1f2f3f4f5f6f7f8f9",
        output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    },
    KdfVector {
        algorithm: "HKDF-SHA256",
        salt: "",
        key_material: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
        info: "",
        output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    },
];

/// McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B, test case 16.
pub(super) static AEADS: &[AeadVector] = &[AeadVector {
    algorithm: "AES-256-GCM",
    key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
    nonce: "cafebabefacedbaddecaf888",
    associated_data: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
    plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
    ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
                 8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
    tag: "76fc6ece0f4e1768cddf8853bb2d551b",
}];

/// NIST SP 800-38A, appendix F.5.5.
pub(super) static STREAMS: &[StreamVector] = &[StreamVector {
    algorithm: "AES-256-CTR",
    key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    counter: "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
    plaintext: "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    ciphertext: "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
                 2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
}];

pub(super) fn check_key_agreement(agreement: &dyn KeyAgreement, checker: &mut Checker) -> Result<(), String> {
    let parameters = &agreement.info().parameters;
    let (mut public, mut secret) = (vec![0; parameters.public_key], vec![0; parameters.shared_secret]);
    for vector in checker.rows(AGREEMENTS) {
        let key = checker.done("loading a private key", agreement.load_private_key(&bytes(vector.private_key)))?;
        if let Some(expected) = vector.public_key {
            checker.done("deriving the public key", key.public_key(&mut public))?;
            checker.holds(public == bytes(expected), "private key produces a wrong public key")?;
        }
        checker.done("agreement", key.agree(&bytes(vector.peer), &mut secret))?;
        checker.holds(secret == bytes(vector.shared_secret), "agreement produces a wrong shared secret")?;
        // An all-zero public key has small order, so the secret would be zero (RFC 7748, section 6.1).
        public.fill(0);
        let rejected = key.agree(&public, &mut secret).is_err();
        checker.holds(rejected, "agreement accepts an all-zero public key")?;
    }
    Ok(())
}

pub(super) fn check_mac(mac: &dyn Mac, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(MACS) {
        let key = checker.done("loading a key", mac.load_key(&bytes(vector.key)))?;
        let mut tag = vec![0; mac.tag_len()];
        // Tag twice with the same key, because a state that is not reset changes the second tag.
        for _ in 0..2 {
            checker.done("tagging", key.tag(&bytes(vector.message), &mut tag))?;
            checker.holds(tag == bytes(vector.tag), "tagging produces a wrong tag")?;
        }
    }
    Ok(())
}

pub(super) fn check_kdf(kdf: &dyn Kdf, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(KDFS) {
        let expected = bytes(vector.output);
        let mut output = vec![0; expected.len()];
        let (salt, key_material, info) = (bytes(vector.salt), bytes(vector.key_material), bytes(vector.info));
        checker.done("derivation", kdf.derive(&salt, &key_material, &info, &mut output))?;
        checker.holds(output == expected, "derivation produces a wrong output")?;
    }
    Ok(())
}

pub(super) fn check_aead(aead: &dyn Aead, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(AEADS) {
        let key = checker.done("loading a key", aead.load_key(&bytes(vector.key)))?;
        let (nonce, associated_data) = (bytes(vector.nonce), bytes(vector.associated_data));
        let (plaintext, ciphertext) = (bytes(vector.plaintext), bytes(vector.ciphertext));
        let (mut buffer, mut tag) = (plaintext.clone(), vec![0; aead.tag_len()]);
        checker.done("sealing", key.seal(&nonce, &associated_data, &mut buffer, &mut tag))?;
        checker.holds(buffer == ciphertext, "sealing produces a wrong ciphertext")?;
        checker.holds(tag == bytes(vector.tag), "sealing produces a wrong tag")?;

        let mut tampered = ciphertext.clone();
        tampered[0] ^= 1;
        let opened = key.open(&nonce, &associated_data, &mut tampered, &bytes(vector.tag));
        checker.holds(opened == Err(Error::VerificationFailed), "opening accepts a ciphertext with a bit flipped")?;

        buffer.copy_from_slice(&ciphertext);
        checker.done("opening", key.open(&nonce, &associated_data, &mut buffer, &bytes(vector.tag)))?;
        checker.holds(buffer == plaintext, "opening produces a wrong plaintext")?;
    }
    Ok(())
}

/// Checks encryption and decryption of the whole text, and of a part that ends within a block.
pub(super) fn check_stream_cipher(cipher: &dyn StreamCipher, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(STREAMS) {
        let (key, counter) = (bytes(vector.key), bytes(vector.counter));
        let (plaintext, ciphertext) = (bytes(vector.plaintext), bytes(vector.ciphertext));
        for length in [plaintext.len(), plaintext.len() - 5] {
            let mut buffer = plaintext[..length].to_vec();
            checker.done("encryption", cipher.apply_once(&key, &counter, &mut buffer))?;
            checker.holds(buffer == ciphertext[..length], "encryption produces a wrong ciphertext")?;
            checker.done("decryption", cipher.apply_once(&key, &counter, &mut buffer))?;
            checker.holds(buffer == plaintext[..length], "decryption produces a wrong plaintext")?;
        }
    }
    Ok(())
}
