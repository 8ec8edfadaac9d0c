use super::{Checker, Depth, Expected, bytes, rows};
use Expected::Sha256;
use KeyEncoding::{Expanded, Scalar, Seed};
use pqlab_primitives::{Coins, Error, KeyEncoding, SignatureScheme, SigningKey, VerifyingKey};

/// A key pair and its signatures.
pub(super) struct KeyVector {
    pub(super) algorithm: &'static str,
    /// Encoding of `signing_key`: the shortest one, in which the key starts with the randomness for key generation.
    pub(super) encoding: KeyEncoding,
    pub(super) signing_key: &'static str,
    pub(super) verifying_key: Expected,
    /// Signing key in the [`Expanded`] encoding, unless `encoding` is [`Expanded`].
    pub(super) expanded: Option<Expected>,
    pub(super) signatures: &'static [Signed],
}

/// A deterministic signature.
pub(super) struct Signed {
    pub(super) context: &'static str,
    pub(super) message: &'static str,
    pub(super) signature: Expected,
    /// Whether signing is too slow to be checked before a measurement.
    pub(super) slow: bool,
}

/// A valid or invalid signature.
pub(super) struct VerificationVector {
    pub(super) algorithm: &'static str,
    pub(super) verifying_key: &'static str,
    pub(super) message: &'static str,
    pub(super) signature: &'static str,
    pub(super) valid: bool,
}
rows!(KeyVector, VerificationVector);

/// Sources for ML-DSA: the first test of each parameter set in NIST ACVP, keyGen; and tests 1 and 3 in Wycheproof,
/// mldsa_*_sign_seed.
///
/// Source for SLH-DSA keys: the first test of each parameter set in NIST ACVP, keyGen. ACVP's deterministic signatures
/// use the internal interface, which signs without a context. The embedded signatures of "Hello world" therefore come
/// from two independent libraries that agree, OpenSSL 3.5.7 and slh-dsa 0.2.0-rc.5.
///
/// Source for Ed25519: RFC 8032, section 7.1, tests 1 to 3. Source for ECDSA-P-256 and ECDSA-P-384: RFC 6979,
/// appendices A.2.5 and A.2.6, message "sample". The key for ECDSA-secp256k1 is the scalar 1, whose public key is the
/// generator (SEC 2, section 2.4.1). The signature of "Satoshi Nakamoto" with this key, the nonce of RFC 6979 and a low
/// `s` is well known among ledger implementers.
pub(super) static KEYS: &[KeyVector] = &[
    KeyVector {
        algorithm: "ML-DSA-44",
        encoding: Seed,
        signing_key: "7194b13c95231010afd2c909992bd2003ba6f437c3886bdbe3f6b867a14ba161",
        verifying_key: Sha256("838b88b6ac41e2c60698173e08ca173d0b0d2839205806e56a8a3d53195f3a03"),
        expanded: Some(Sha256("1c911d163cd0a5563e06f22403f7e16334fee17c2abb66f11ddf39ca6307ec58")),
        signatures: &[],
    },
    KeyVector {
        algorithm: "ML-DSA-44",
        encoding: Seed,
        signing_key: "2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a",
        verifying_key: Sha256("d87f8ca136ac1aa55e2d6c4521680efb3a378cbb9bc0bfb446e9c60893931ea3"),
        expanded: None,
        signatures: &[
            Signed {
                context: "",
                message: "48656c6c6f20776f726c64",
                signature: Sha256("8cd6fc03daa72e87210a4e721523e84c14f27733789075e65736744d4787fdd5"),
                slow: false,
            },
            Signed {
                context: "436f6e74657874",
                message: "48656c6c6f20776f726c64",
                signature: Sha256("17749906eeb78bc6c57e549c237b4d2a27a011edac02bd1ad7e6534795e8ceff"),
                slow: false,
            },
        ],
    },
    KeyVector {
        algorithm: "ML-DSA-65",
        encoding: Seed,
        signing_key: "a991fd42b071d49c48ae3e75c647459e0daad1e1ba356a04801912d3294bcff8",
        verifying_key: Sha256("b1a7d0d2f0d7a04b9d5ffccd9bd578864dab4a01cdd7f70a05cd1f4f0672e43a"),
        expanded: Some(Sha256("56c53ac82fbff7d81b7a8cfbbc73011ceccad677e16dc53f2ece66d49aa11edd")),
        signatures: &[],
    },
    KeyVector {
        algorithm: "ML-DSA-65",
        encoding: Seed,
        signing_key: "2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a",
        verifying_key: Sha256("b7acce2ddb11f8cc1aa46e2bafac6eacfa2b732ef192bd636ad8d3a56d649c66"),
        expanded: None,
        signatures: &[
            Signed {
                context: "",
                message: "48656c6c6f20776f726c64",
                signature: Sha256("39fbbb0d97a52c79844213b325af823a7f16a174e00a5b3daeb3e6e6d1c89681"),
                slow: false,
            },
            Signed {
                context: "436f6e74657874",
                message: "48656c6c6f20776f726c64",
                signature: Sha256("c32dd9c1fdb53c049ebb75d98604d27593e32f5da2b1201c9289692de6ebea2e"),
                slow: false,
            },
        ],
    },
    KeyVector {
        algorithm: "ML-DSA-87",
        encoding: Seed,
        signing_key: "a16f5b0796703e2d1a0140a35cbf36efabe70e752ba59b6a9a0e9c4b05302f73",
        verifying_key: Sha256("33f49649f05ec2fc3b050007b18ade043bbc8d1c0ded03a269d540486daaa5f4"),
        expanded: Some(Sha256("c64e15742f27d7d8e2832f7d55a5c014f2c9536082f3a3181cfc6246908dd649")),
        signatures: &[],
    },
    KeyVector {
        algorithm: "ML-DSA-87",
        encoding: Seed,
        signing_key: "2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a",
        verifying_key: Sha256("d43128fa8a8c785c1d44c9e7db538dbf9dd88fe6c8ad911a344bcec1017c6d54"),
        expanded: None,
        signatures: &[
            Signed {
                context: "",
                message: "48656c6c6f20776f726c64",
                signature: Sha256("1ad45bd0419e694375bd38ec11d8e0c228ab9ffac2fce4adbe6218d9c949e293"),
                slow: false,
            },
            Signed {
                context: "436f6e74657874",
                message: "48656c6c6f20776f726c64",
                signature: Sha256("94d379ab53588db6ecd6789dacb30795d1a1e227775f23b4c401149604376ea2"),
                slow: false,
            },
        ],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHA2-128s",
        encoding: Expanded,
        signing_key: "173d04c938c1c36bf289c3c022d04b1463ae23c41aa546da589774ac20b745c4\
                      0d794777914c99766827f0f09ca972be0162c10219d422adba1359e6aa65299c",
        verifying_key: Sha256("e7484e41b32f205939f202c3a29a72a1d43118f5ffc588323f81bf5b547c7b43"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("4ef687418d2a1dd7248d3ce54806f550e29b22ebc2b44ae0dd9c575fa180b5ee"),
            slow: true,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHAKE-128s",
        encoding: Expanded,
        signing_key: "c151951f3811029239b74add24c506afdd30363e156e6fe936ec6ed0231feb5c\
                      529ffe86200d1f32c2b60d0cd909f1900761f9b727afa724b47223016bb5b2ba",
        verifying_key: Sha256("25ee9c66d71febbe37e3886dbede0bb4d20958de72c0be86195a6b2f84fab4ce"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("aa2a3a588aae347dc6def53aa38aab8921b9ae877e82b32bfee07f1c4a07bfb1"),
            slow: true,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHA2-128f",
        encoding: Expanded,
        signing_key: "c42bcb3b5a6f331f5cce899253c6d9e29ff2b7ead7a04bab1794db8cc659c3b4\
                      a868f1bd5debc12d4c9fad66aabd0a94b546df247be4c457f3d467cdfcfabd39",
        verifying_key: Sha256("f588f376e9f44d86021b382d7fa07ebf01fa9d2dcfa4377d0b36493ff027716e"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("23fc26816b8d8cf1a4c1bc41e00ef0bdc0449f435217078ad99c5738b27cecc5"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHAKE-128f",
        encoding: Expanded,
        signing_key: "3956ab391b4d22fc907af0740326d061ab0eb206436f2b86ebe086d77739b3e4\
                      56505c229f4e7fa6b201714c7dcc9da366578f1f24c3fe371c97c14ce0e79cdc",
        verifying_key: Sha256("5107ab7cd0834360d91f144e2447c1774f4290099a127e83a2ffd01b4788aff5"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("7a29677168e5a518e6e8a1d422e3227dd05f911f1dfd5520617e42028f7969f0"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHA2-192s",
        encoding: Expanded,
        signing_key: "040266529c1864088925506c20a624a2b6d50cd77c1c6f0d2841150ae8157512\
                      ef34a343ffea77ff7d9e814b45a8b41464462665f4202886206a8f632267186c\
                      a6a1cad08a2b9a862c6a7bc4ac4aaa84accef60d529f0311274f205e8da642c9",
        verifying_key: Sha256("498ec4eab28a1b253b5a8a293b16cc8e09c2d18c05a1d0f05c159256ac8e347e"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("de3c6d6ee3c8daed8daf6a59c48f102e32e5292d84d1d42cf7548b80c1829579"),
            slow: true,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHAKE-192s",
        encoding: Expanded,
        signing_key: "8732621860e9a6e1887be55f7af692b98eb4c10b2599f94ad5cc9d6470d8b211\
                      36158e8b1710f1fbe03eced37ed4ac6853fc64d46d7e1653ebbb36ed5fbc12c6\
                      e7cef3cb756482c8c620452e864e8497e1b38a7b04449219acd9e4393f9c88ef",
        verifying_key: Sha256("5a2b44b7b015601dfb0392a5bebb3f5e2c97b80e0d21d02daf9e97251927422b"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("5b1791f774657778c1cb426496b1792d046594c20a035b870d87be7e78c8c39c"),
            slow: true,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHA2-192f",
        encoding: Expanded,
        signing_key: "a021b4b9d6dee168722bc10225e50a946642af630c3c7c7d69e3a40ba09df2ac\
                      165b792a07f064ac5fc28d8c99a580f4ee4823d09e79854706daa80ae3179b5b\
                      c8c2e9409d6328a33577fd584bc0784c559cdb2437a46f7f753c336369419acf",
        verifying_key: Sha256("aa4c793154ef9545179d3a5186279961765b13baea9b465a1321bc3447fb7c8d"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("7102c3f15549ad9eea26d020563edce0324ce8830ccb745e07a24eda2708d8ab"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHAKE-192f",
        encoding: Expanded,
        signing_key: "fb7a2c2c75ce6c96b5f4328e0ab300476fc6f864cb5b0b99990ecb726ca822a4\
                      e3652dd92ec0aab7637ea41c0482ae2868dcc671e3534f81a352c275b6a25f90\
                      6d2ed0ff62b8b4e398f1a9876cb082a48e9ae2c862b289486a3925cefc6ff4be",
        verifying_key: Sha256("19e63a15a01a9d882ab679b4d56c627e2f2f5471af24f17c4ffad0ecdda961d9"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("aa872f53c6fd23897ba5d3ae7651f09f31cf5d9d7a6d429f9fcdfeb939b58c9c"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHA2-256s",
        encoding: Expanded,
        signing_key: "fcbf36a9807b30697be063a5105e091b412a391dd39e1326eba23cbd4096ca77\
                      ef4121c08dd71be913572f1f91e57d0acbcd5cec28539ac275832bbaa6c11081\
                      a0b4f5549ebcadb951dc2e512c76b0620d8fb8100b4ee886ef8784780d52a254\
                      3e57ab494d47068ffee4b8244aad6f19cdf94a2172bd134a15a6b5f298d5a80e",
        verifying_key: Sha256("8dc17bc9c27953af4d7b5eafa534f2e0c73d6a1fc7a89d93e42574ae5b4146d5"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("203738d8f96d8b2e9598cd330d18cfda6031bce8f62cd59379e96b2d650a3b90"),
            slow: true,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHAKE-256s",
        encoding: Expanded,
        signing_key: "e440e39644a11a6a58e850c09c8f03c273e465237f3bef7c58de62281e676cea\
                      99c199c00db30f8499a61b5b9dc8a361725f6ae80e97037176f408c30b38844d\
                      d7b5e755b4879fde3288a21af3e32fbb006fd9b8bc2b180eb9b0d82c9f3157af\
                      02acd6b3198ee1c9fe9afe61fd86d1e0877ad9061980b57b178ce27191d8eb1b",
        verifying_key: Sha256("49a30ef4ed23a45399324c774fab8572e668f0266575c152783c8187395d9365"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("e3c0e9171af9779cd96892a5bd2c3a0db0c50882ac7aa07514fe1b682773cc1f"),
            slow: true,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHA2-256f",
        encoding: Expanded,
        signing_key: "18523702a0fe2c9e488948b127185bab93d3f02c3d7c23a1b379f762de0509e5\
                      6ab0d9f93540bd809d1d2e8a050440aa81e853750470e2b00c959dbd3be40e2b\
                      d7125f5d00ba47f1fc8d4c32c2f57c444bd384d7ce770bc50dd5980c1d1264d0\
                      0ad5197ffcbaafe11b1e413f26adb1504ce1c3f5c40c1dcda14e99fd126d5b81",
        verifying_key: Sha256("437f7d433ea72359d569ca5508d7ffed7089a4d42ff6a64fd9c986a01cf089f6"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("c9fbb5109da303e962ff17e28b112d5f8bb516941989759091308dce6ed01dc2"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "SLH-DSA-SHAKE-256f",
        encoding: Expanded,
        signing_key: "2ac9403858d186b172edd8df9c78a11449893681487d3af0dad0ec341e8aca48\
                      afa2771bae6c17dd6f77b4e3808b05f56f31b8f4128df2ccb677f0283cfb18da\
                      559bc883105e8ba0264648b532626155f87edb4bedcfc12a24204d3b696d5370\
                      7a158ff5d30e3428183a3b3a96a0e4a341a2a16e5a6226af374d1efb39a35df6",
        verifying_key: Sha256("8cdec44cfd91c2b990cc535cf5951475b9bddbb6d9b4b01d5f2885a7fdd9806c"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "48656c6c6f20776f726c64",
            signature: Sha256("0dbdd967d5530232a4ff4e7be3c01fb39acf2cc5aecd38a7da7c041a2fa96a95"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "Ed25519",
        encoding: Seed,
        signing_key: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        verifying_key: Sha256("21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "",
            signature: Sha256("a99e560bf0a0bbf8566a5a13200f1348301b6f691644d95b8ea276ae34c429e6"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "Ed25519",
        encoding: Seed,
        signing_key: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        verifying_key: Sha256("39f713d0a644253f04529421b9f51b9b08979d08295959c4f3990ee617f5139f"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "72",
            signature: Sha256("4f6c8aac3951c1a998dce0fb3e1105e2457e53f409ef28ed0b072ddd43aefa72"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "Ed25519",
        encoding: Seed,
        signing_key: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        verifying_key: Sha256("dac073e0123bdea59dd9b3bda9cf6037f63aca82627d7abcd5c4ac29dd74003e"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "af82",
            signature: Sha256("d9a913bf1632c8c001705e3f13a0f695e8c9f44a00e3a8685ea56a812e35979f"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "ECDSA-secp256k1",
        encoding: Scalar,
        signing_key: "0000000000000000000000000000000000000000000000000000000000000001",
        verifying_key: Sha256("0f715baf5d4c2ed329785cef29e562f73488c8a2bb9dbc5700b361d54b9b0554"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "5361746f736869204e616b616d6f746f",
            signature: Sha256("3c7a34a81cf698ad823c9ea03d0738f33efda0dcb263224b4116c704c21eb47c"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "ECDSA-P-256",
        encoding: Scalar,
        signing_key: "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        verifying_key: Sha256("b18b86ce1389e46de87aa4a5131ce83c1160fa33c087ab15b863574d31d8ff3c"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "73616d706c65",
            signature: Sha256("4fcde4e833915b042f4a3d6b46dc94444f4f4b723f8bb156a9c2009f736e965e"),
            slow: false,
        }],
    },
    KeyVector {
        algorithm: "ECDSA-P-384",
        encoding: Scalar,
        signing_key: "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8\
                      96d5724e4c70a825f872c9ea60d2edf5",
        verifying_key: Sha256("c8b9a8e7f164515be2e59bce8ef78d1fe1f5d605411be6cda64ef6bc050c192b"),
        expanded: None,
        signatures: &[Signed {
            context: "",
            message: "73616d706c65",
            signature: Sha256("c71139de3861926393eb1666c3be110301972b19a23ebd5af4051f7d3f049f9e"),
            slow: false,
        }],
    },
];

/// Public key for the secp256k1 vectors: an uncompressed point, in hexadecimal.
const SECP256K1_KEY: &str = "04b838ff44e5bc177bf21189d0766082fc9d843226887fc9760371100b7ee20a\
    6ff0c9d75bfba7b31a6bca1974496eeb56de357071955d83c4b1badaa0b21832\
    e9";

/// Public key for the RSA vectors: DER (PKCS #1), in hexadecimal.
const RSA_KEY: &str = "3082010a0282010100a2b451a07d0aa5f96e455671513550514a8a5b462ebef7\
    17094fa1fee82224e637f9746d3f7cafd31878d80325b6ef5a1700f65903b469\
    429e89d6eac8845097b5ab393189db92512ed8a7711a1253facd20f79c15e824\
    7f3d3e42e46e48c98e254a2fe9765313a03eff8f17e1a029397a1fa26a8dce26\
    f490ed81299615d9814c22da610428e09c7d9658594266f5c021d0fceca08d94\
    5a12be82de4d1ece6b4c03145b5d3495d4ed5411eb878daf05fd7afc3e09ada0\
    f1126422f590975a1969816f48698bcbba1b4d9cae79d460d8f9f85e7975005d\
    9bc22c4e5ac0f7c1a45d12569a62807d3b9a02e5a530e773066f453d1f5b4c2e\
    9cf7820283f742b9d50203010001";

/// Sources. ECDSA-secp256k1: Wycheproof, ecdsa_secp256k1_sha256_p1363, tests 4 (with `n - r` instead of `r`) and 61.
/// ECDSA-P-256 and ECDSA-P-384: RFC 6979, as in [`KEYS`]. RSA-2048: Wycheproof, rsa_signature_2048_sha256, tests 3 and
/// 240 (padding that does not end in `00`).
pub(super) static VERIFICATIONS: &[VerificationVector] = &[
    VerificationVector {
        algorithm: "ECDSA-secp256k1",
        verifying_key: SECP256K1_KEY,
        message: "313233343030",
        signature: "7ec10863310565a908457fa0f1b87a79bc4fcf10b9e0e4320ac021c106b31ddc\
                    6ff18a52dcc0336f7af62400a6dd9b810732baf1ff758000d6f613a556eb31ba",
        valid: false,
    },
    VerificationVector {
        algorithm: "ECDSA-secp256k1",
        verifying_key: SECP256K1_KEY,
        message: "343236343739373234",
        signature: "95c29267d972a043d955224546222bba343fc1d4db0fec262a33ac61305696ae\
                    6edfe96713aed56f8a28a6653f57e0b829712e5eddc67f34682b24f0676b2640",
        valid: true,
    },
    VerificationVector {
        algorithm: "ECDSA-P-256",
        verifying_key: "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29f\
                        b67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d44622\
                        99",
        message: "73616d706c65",
        signature: "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
                    f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        valid: true,
    },
    VerificationVector {
        algorithm: "ECDSA-P-384",
        verifying_key: "04ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c\
                        64def8f0ea9055866064a254515480bc138015d9b72d7d57244ea8ef9ac0c621\
                        896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd25332647\
                        20",
        message: "73616d706c65",
        signature: "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c\
                    81a648152e44acf96e36dd1e80fabe4699ef4aeb15f178cea1fe40db2603138f\
                    130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8",
        valid: true,
    },
    VerificationVector {
        algorithm: "RSA-2048",
        verifying_key: RSA_KEY,
        message: "54657374",
        signature: "264491e844c119f14e425c03282139a558dcdaeb82a4628173cd407fd319f907\
                    6eaebc0dd87a1c22e4d17839096886d58a9d5b7f7aeb63efec56c45ac7bead42\
                    03b6886e1faa90e028ec0ae094d46bf3f97efdd19045cfbc25a1abda2432639f\
                    9876405c0d68f8edbf047c12a454f7681d5d5a2b54bd3723d193dbad4338baad\
                    753264006e2d08931c4b8bb79aa1c9cad10eb6605f87c5831f6e2b08e002f9c6\
                    f21141f5841d92727dd3e1d99c36bc560da3c9067df99fcaf818941f72588be3\
                    3032bad22caf6704223bb114d575b6d02d9d222b580005d930e8f40cce9f672e\
                    ebb634a20177d84351627964b83f2053d736a84ab1a005f63bd5ba943de6205c",
        valid: true,
    },
    VerificationVector {
        algorithm: "RSA-2048",
        verifying_key: RSA_KEY,
        message: "313233343030",
        signature: "4b140acb262c451b0761236b926afa2829e8a095828f7dcf196eaf7fa46fdcf7\
                    fbcaf194aa3000ae8d3dc7dacc26952502b1558a67fb692da5fcc7dbf48cbc52\
                    60e2b2a7041fdf7bf46f531d4ef48998dfcb65e182065535aaf182ae6abf6e81\
                    9e7d96ec86178137a3c14383f89438ab35f0dc7698e1811c415e163f8bac5435\
                    dddba5db55aa6b393d538d31b34332fcc34ef8e6eb059d4cc453297d6895ba48\
                    0593a5536a4e553a55417295b6f6798734df67e739e54d3092de4f476cc0f65a\
                    ac6950631081df1116097a7f6a9d00a1afbe0ce6b2bd32ef22acc95219f05df9\
                    fb7e9a8b391e6277cffeda298bf094730f5663172183dc5842056de36137ee90",
        valid: false,
    },
];

pub(super) fn check(scheme: &dyn SignatureScheme, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(KEYS) {
        check_key(scheme, vector, checker)?;
        for signed in vector.signatures {
            if checker.depth == Depth::Full || !signed.slow {
                check_signature(scheme, vector, signed, checker)?;
            }
        }
    }
    for vector in checker.rows(VERIFICATIONS) {
        check_verification(scheme, vector, checker)?;
    }
    Ok(())
}

fn check_key(scheme: &dyn SignatureScheme, vector: &KeyVector, checker: &mut Checker) -> Result<(), String> {
    let info = scheme.info();
    let private = bytes(vector.signing_key);
    let mut verifying_key = vec![0; info.parameters.verifying_key];

    if info.coins.keygen {
        let own = *info.encodings.first().ok_or_else(|| checker.wrong("keys have no encoding"))?;
        let mut signing_key = vec![0; info.signing_key(own).unwrap_or_default()];
        let coins = Coins::Exact(&private[..info.parameters.keygen_coins]);
        let generated = scheme.generate_encoded(coins, &mut verifying_key, &mut signing_key);
        let (verifying_length, signing_length) = checker.done("keygen", generated)?;
        checker.same("keygen", "verifying key", &verifying_key[..verifying_length], vector.verifying_key)?;
        let signing_key = &signing_key[..signing_length];
        if own == vector.encoding {
            checker.holds(signing_key == private, "keygen produces a wrong signing key")?;
        } else if let (Expanded, Some(expanded)) = (own, vector.expanded) {
            checker.same("keygen", "signing key", signing_key, expanded)?;
        }
    }

    if info.encodings.contains(&vector.encoding) {
        let key = checker.done("loading a signing key", scheme.load_signing_key(vector.encoding, &private))?;
        if let Some(public) = checker.offered("deriving the verifying key", key.verifying_key())? {
            let length = checker.done("encoding a verifying key", public.encode(&mut verifying_key))?;
            checker.same("signing key", "verifying key", &verifying_key[..length], vector.verifying_key)?;
        }
        if let Some(expanded) = vector.expanded {
            let mut encoded = vec![0; info.signing_key(Expanded).unwrap_or_default()];
            let written = key.encode(Expanded, &mut encoded);
            if let Some(length) = checker.offered("encoding a signing key", written)? {
                checker.same("expansion", "signing key", &encoded[..length], expanded)?;
            }
        }
    }
    Ok(())
}

fn check_signature(
    scheme: &dyn SignatureScheme,
    vector: &KeyVector,
    signed: &Signed,
    checker: &mut Checker,
) -> Result<(), String> {
    let info = scheme.info();
    let (context, message) = (bytes(signed.context), bytes(signed.message));
    if !(context.is_empty() || info.context) {
        return Ok(());
    }
    let Some(key) = load_or_generate(scheme, vector, checker)? else { return Ok(()) };
    let mut signature = vec![0; info.parameters.signature];
    let deterministic = info.coins.operation || !scheme.draws_to_sign();
    let coins = if deterministic { Coins::Exact(&[]) } else { Coins::Internal };
    let length = checker.done("signing", key.sign(&context, &message, coins, &mut signature))?;
    signature.truncate(length);
    if deterministic {
        checker.same("signing", "signature", &signature, signed.signature)?;
    }
    match checker.offered("deriving the verifying key", key.verifying_key())? {
        Some(public) => accepts_only(public.as_ref(), &context, &message, &mut signature, checker),
        None => Ok(()),
    }
}

/// Loads the vector's key. If the provider cannot load the key's encoding, generates the key from the vector's
/// randomness. Returns `None` if key generation does not accept caller-supplied randomness.
fn load_or_generate(
    scheme: &dyn SignatureScheme,
    vector: &KeyVector,
    checker: &Checker,
) -> Result<Option<Box<dyn SigningKey>>, String> {
    let info = scheme.info();
    let private = bytes(vector.signing_key);
    if info.encodings.contains(&vector.encoding) {
        checker.done("loading a signing key", scheme.load_signing_key(vector.encoding, &private)).map(Some)
    } else if info.coins.keygen {
        let coins = Coins::Exact(&private[..info.parameters.keygen_coins]);
        checker.done("keygen", scheme.generate(coins)).map(Some)
    } else {
        Ok(None)
    }
}

fn check_verification(
    scheme: &dyn SignatureScheme,
    vector: &VerificationVector,
    checker: &mut Checker,
) -> Result<(), String> {
    let (message, mut signature) = (bytes(vector.message), bytes(vector.signature));
    let key = checker.done("loading a verifying key", scheme.load_verifying_key(&bytes(vector.verifying_key)))?;
    if vector.valid {
        accepts_only(key.as_ref(), &[], &message, &mut signature, checker)
    } else {
        let rejected = key.verify(&[], &message, &signature) == Err(Error::VerificationFailed);
        checker.holds(rejected, "verification accepts a signature that is published as invalid")
    }
}

/// Checks that the signature verifies, and that it no longer verifies after one bit is flipped.
fn accepts_only(
    key: &dyn VerifyingKey,
    context: &[u8],
    message: &[u8],
    signature: &mut [u8],
    checker: &mut Checker,
) -> Result<(), String> {
    checker.done("verification", key.verify(context, message, signature))?;
    checker.checked += 1;
    let middle = signature.len() / 2;
    signature[middle] ^= 1;
    let rejected = key.verify(context, message, signature) == Err(Error::VerificationFailed);
    checker.holds(rejected, "verification accepts a signature with a bit flipped")
}
