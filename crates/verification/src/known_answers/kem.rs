use super::{Checker, Expected, bytes, rows};
use Expected::Sha256;
use KeyEncoding::{Expanded, Scalar, Seed};
use pqlab_primitives::{Coins, Kem, KeyEncoding};

/// A key pair and an encapsulation.
pub(super) struct KemVector {
    pub(super) algorithm: &'static str,
    /// Encoding of `decapsulation_key`: the shortest one, in which the key equals the randomness for key generation.
    pub(super) encoding: KeyEncoding,
    pub(super) decapsulation_key: &'static str,
    pub(super) encapsulation_key: Expected,
    /// Decapsulation key in the [`Expanded`] encoding, if the algorithm has one.
    pub(super) expanded: Option<Expected>,
    /// Randomness for encapsulation.
    pub(super) coins: &'static str,
    pub(super) ciphertext: Expected,
    pub(super) shared_secret: Expected,
    pub(super) zero_ciphertext: ZeroCiphertext,
}

/// Result of decapsulating an all-zero ciphertext.
#[derive(Clone, Copy)]
pub(super) enum ZeroCiphertext {
    /// Decapsulation returns this secret.
    Gives(Expected),
    /// Decapsulation fails.
    IsRefused,
}

/// Creates an ML-KEM row. All parameter sets share the same seed and randomness. The other fields are SHA-256 digests.
const fn ml_kem(
    algorithm: &'static str,
    encapsulation_key: &'static str,
    expanded: &'static str,
    ciphertext: &'static str,
    shared_secret: &'static str,
    zero_secret: &'static str,
) -> KemVector {
    KemVector {
        algorithm,
        encoding: Seed,
        decapsulation_key: "7c9935a0b07694aa0c6d10e4db6b1add2fd81a25ccb148032dcd739936737f2d\
                            8626ed79d451140800e03b59b956f8210e556067407d13dc90fa9e8b872bfb8f",
        encapsulation_key: Sha256(encapsulation_key),
        expanded: Some(Sha256(expanded)),
        coins: "147c03f7a5bebba406c8fae1874d7f13c80efe79a3a9a874cc09fe76f6997615",
        ciphertext: Sha256(ciphertext),
        shared_secret: Sha256(shared_secret),
        zero_ciphertext: ZeroCiphertext::Gives(Sha256(zero_secret)),
    }
}

/// Creates an HQC row. All parameter sets share the same seed. The fields after `coins` are SHA-256 digests.
const fn hqc(
    algorithm: &'static str,
    coins: &'static str,
    encapsulation_key: &'static str,
    expanded: &'static str,
    ciphertext: &'static str,
    shared_secret: &'static str,
    zero_secret: &'static str,
) -> KemVector {
    KemVector {
        algorithm,
        encoding: Seed,
        decapsulation_key: "cefc0d60050e04c3171859e54ba888d2f670e22ebe926b0b307a65264fbc08f8",
        encapsulation_key: Sha256(encapsulation_key),
        expanded: Some(Sha256(expanded)),
        coins,
        ciphertext: Sha256(ciphertext),
        shared_secret: Sha256(shared_secret),
        zero_ciphertext: ZeroCiphertext::Gives(Sha256(zero_secret)),
    }
}

/// Source for ML-KEM: Wycheproof, mlkem_*_keygen_seed, test 1, with the encapsulation from mlkem_*_encaps that uses the
/// same key. mlkem_*_test contains the matching decapsulation. The secret for an all-zero ciphertext is `J(z || c)`
/// (FIPS 203, algorithm 18, line 7).
///
/// Source for HQC: the first test of each parameter set in the files of the reference code of 2026-02-10 (commit
/// 161cd4f). Their seed, expanded with SHAKE256, gives `seed_KEM`, the message and the salt. The secret for an all-zero
/// ciphertext is `J(H(ek) || sigma || c)`.
///
/// Source for X25519: RFC 7748, section 6.1, Bob's key pair, with Alice's key pair as the ephemeral one. An all-zero
/// public key has small order, so decapsulation rejects it.
pub(super) static KEMS: &[KemVector] = &[
    ml_kem(
        "ML-KEM-512",
        "852523749efd2b78d1074e5de629060312cd9397933a19ddb7482cfda5e92614",
        "937a781daf1928b86a64f69dada5feff8b8ade060f298d187090a46c0d205cb7",
        "bc29d7df8bc5465d980601d800259793e2603825a572da6cd198a512cc6d1a34",
        "d3d985bed682d17dc8d1a0937794120522dca33f764d20454e26bb147e0a01ef",
        "e2d37057b2e71896a403f1f581103db592a4b28f0d6e43161db0f62cceccd77c",
    ),
    ml_kem(
        "ML-KEM-768",
        "86adbca81f4fee893e2fb58fb98aa2fe188f501fed268d7f4056f8c05c4e53c4",
        "8757e8aee5e441aee07a43af40467d32f80aee5c51aae4ebd2bdb844c038aac7",
        "36829a2f35cbf4deb62c0a12a15c22dae9f8d2c252566fc24f88abe805cb575e",
        "1e6818a41eb0ec7f1187a4762e4bc1daef7c99881deb630f46b9109234c73623",
        "af6671ca373f9edc2ada05114de9e8b29ff5ee6bc0d657d6f0414c7f2a5de6c1",
    ),
    ml_kem(
        "ML-KEM-1024",
        "61b95ec8c32ae85ad7a17ae5b9c2dfb083e05f767da3ba9a0a8092ea6b4cbf7a",
        "926ce3868d8fd192e03410d405e61fb32697a532d7ca7d9ba9b296111df3af74",
        "508136a13f8a7920e3434498c6975cbbab457d809309eb2f92453e7409738210",
        "a24ce2eca9d024096cb1746b39d3e79d81d59c8ea623a92a35f955272ddc73b9",
        "c73bee358617252403157e6a1189615a7202337e605fb46ed7b8a3b9111e96a2",
    ),
    hqc(
        "HQC-1-2026-02",
        "3deca12f8963918f537c67f2571fffde4bb80684d826860c7515ce86e35571f5",
        "c37fe10f235824d901893d33c78b65080da74ae93f4046ae0187faf027986add",
        "99daf449b2b69fa8e259be9415db23f944f622a99ac72fea3840e040e12a93a4",
        "1188c0195d653c53f2724e41cc28a41c1de728f0adff5d50d09ad796ca389d52",
        "acdd556016297b2a9142e89c94fd2d13033c48ec6da13e3bc022f3f3be48171d",
        "dc96629af2d822f5b243582771aa4cef84ed66b4cd26829fa8a6ecec72fb8be7",
    ),
    hqc(
        "HQC-3-2026-02",
        "3deca12f8963918f537c67f2571fffde4bb80684d826860c7515ce86e35571f5fff32ba9c40be676",
        "9886db25b41bd5d82d94a57bd9053325aa66de520eeb204c375c6b4f2a45ce0a",
        "a76ea51c0bab761f02dc9cab0595b9631201d038077977d719a09dd43805e502",
        "acbf56e6658de5dfdf7aea5f7231f6d55dab5f2e129311683c5319334542d08f",
        "bd9ea67324ea066967b01f74ff468cb90c5cdd335cafb9d390da7e776b3afb58",
        "b2e1f167e503bb67fa299d578622f73cbfa79cacc8cba83613b278dd75b584c9",
    ),
    hqc(
        "HQC-5-2026-02",
        "3deca12f8963918f537c67f2571fffde4bb80684d826860c7515ce86e35571f5fff32ba9c40be67657b1f25319c6e2af",
        "06652b24ee6cc6717defc73fc2aa16ebafb53e9b1db73c700f82ba38d9f57ea9",
        "101c30deb9023d671a80bcf63676419c6e0ce1a982ef6eb1b9481d91453c644d",
        "07ed53ae6977885ead0182afd94d787ef5bee8092b21479baf3813fdd5f76464",
        "0154aeb201dea358e8f10cb5050082799587af44cd37676018cadc5f79a5cf67",
        "0cf842e95548b6c6a5f2b1fb85fa8089433ad55f9b00c44ec7a2dbfe3f743152",
    ),
    KemVector {
        algorithm: "X25519",
        encoding: Scalar,
        decapsulation_key: "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb",
        encapsulation_key: Expected::Bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"),
        expanded: None,
        coins: "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
        ciphertext: Expected::Bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"),
        shared_secret: Expected::Bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"),
        zero_ciphertext: ZeroCiphertext::IsRefused,
    },
];
rows!(KemVector);

pub(super) fn check(kem: &dyn Kem, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(KEMS) {
        check_vector(kem, vector, checker)?;
    }
    Ok(())
}

fn check_vector(kem: &dyn Kem, vector: &KemVector, checker: &mut Checker) -> Result<(), String> {
    let info = kem.info();
    let parameters = &info.parameters;
    let coins = bytes(vector.decapsulation_key);
    let mut encapsulation_key = vec![0; parameters.encapsulation_key];

    if info.coins.keygen {
        let own = *info.encodings.first().ok_or_else(|| checker.wrong("keys have no encoding"))?;
        let mut decapsulation_key = vec![0; info.decapsulation_key(own).unwrap_or_default()];
        let generated = kem.generate_encoded(Coins::Exact(&coins), &mut encapsulation_key, &mut decapsulation_key);
        checker.done("keygen", generated)?;
        checker.same("keygen", "encapsulation key", &encapsulation_key, vector.encapsulation_key)?;
        match (own, vector.expanded) {
            (Expanded, Some(expanded)) => {
                checker.same("keygen", "decapsulation key", &decapsulation_key, expanded)?;
            }
            (Seed, _) => checker.holds(decapsulation_key == coins, "keygen produces a wrong decapsulation key")?,
            // Do not compare scalars, because some libraries encode them with the fixed bits set (RFC 7748, section 5).
            _ => {}
        }
    }

    let key = if info.encodings.contains(&vector.encoding) {
        checker.done("loading a decapsulation key", kem.load_decapsulation_key(vector.encoding, &coins))?
    } else if info.coins.keygen {
        checker.done("keygen", kem.generate(Coins::Exact(&coins)))?
    } else {
        return Ok(());
    };
    let public = checker.done("deriving the encapsulation key", key.encapsulation_key())?;
    checker.done("encoding an encapsulation key", public.encode(&mut encapsulation_key))?;
    checker.same("decapsulation key", "encapsulation key", &encapsulation_key, vector.encapsulation_key)?;
    if let Some(expanded) = vector.expanded {
        let mut encoded = vec![0; info.decapsulation_key(Expanded).unwrap_or_default()];
        let written = key.encode(Expanded, &mut encoded);
        if checker.offered("encoding a decapsulation key", written)?.is_some() {
            checker.same("expansion", "decapsulation key", &encoded, expanded)?;
        }
    }

    let mut ciphertext = vec![0; parameters.ciphertext];
    let (mut sent, mut received) = (vec![0; parameters.shared_secret], vec![0; parameters.shared_secret]);
    let randomness = bytes(vector.coins);
    let to = checker.done("loading an encapsulation key", kem.load_encapsulation_key(&encapsulation_key))?;
    let exact = if info.coins.operation { Coins::Exact(&randomness) } else { Coins::Internal };
    checker.done("encapsulation", to.encapsulate(exact, &mut ciphertext, &mut sent))?;
    checker.done("decapsulation", key.decapsulate(&ciphertext, &mut received))?;
    if info.coins.operation {
        checker.same("encapsulation", "ciphertext", &ciphertext, vector.ciphertext)?;
        checker.same("encapsulation", "shared secret", &sent, vector.shared_secret)?;
        checker.same("decapsulation", "shared secret", &received, vector.shared_secret)?;
    } else if sent != received {
        return Err(checker.wrong("decapsulation and encapsulation give different shared secrets"));
    }

    ciphertext.fill(0);
    let result = key.decapsulate(&ciphertext, &mut received);
    match vector.zero_ciphertext {
        ZeroCiphertext::Gives(secret) => {
            checker.done("decapsulation", result)?;
            checker.same("decapsulation of an all-zero ciphertext", "shared secret", &received, secret)
        }
        ZeroCiphertext::IsRefused => checker.holds(result.is_err(), "decapsulation accepts an all-zero ciphertext"),
    }
}
