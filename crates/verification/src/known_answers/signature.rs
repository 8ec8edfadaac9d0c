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
/// Source for LMS keys: RFC 8554, appendix F, test case 2, both levels.
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
    KeyVector {
        algorithm: "LMS-SHA256-H10-W4",
        encoding: Seed,
        signing_key: "d08fabd4a2091ff0a8cb4ed834e74534\
                      558b8966c48ae9cb898b423c83443aae014a72f1b1ab5cc85cf1d892903b5439",
        verifying_key: Expected::Bytes(
            "0000000600000003d08fabd4a2091ff0a8cb4ed834e74534\
             32a58885cd9ba0431235466bff9651c6c92124404d45fa53cf161c28f1ad5a8e",
        ),
        expanded: None,
        signatures: &[],
    },
    KeyVector {
        algorithm: "LMS-SHA256-H5-W8",
        encoding: Seed,
        signing_key: "215f83b7ccb9acbcd08db97b0d04dc2b\
                      a1c4696e2608035a886100d05cd99945eb3370731884a8235e2fb3d4d71f2547",
        verifying_key: Expected::Bytes(
            "0000000500000004215f83b7ccb9acbcd08db97b0d04dc2b\
             a1cd035833e0e90059603f26e07ad2aad152338e7a5e5984bcd5f7bb4eba40b7",
        ),
        expanded: None,
        signatures: &[],
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
/// 240 (padding that does not end in `00`). LMS: RFC 8554, appendix F, test case 1, the lower level. XMSS: the first test
/// in liboqs's file for this parameter set.
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
    VerificationVector {
        algorithm: "LMS-SHA256-H5-W8",
        verifying_key: "0000000500000004d2f14ff6346af964569f7d6cb880a1b66c5004917da6eafe\
                        4d9ef6c6407b3db0e5485b122d9ebe15cda93cfec582d7ab",
        message: "54686520706f77657273206e6f742064656c65676174656420746f2074686520\
                  556e69746564205374617465732062792074686520436f6e737469747574696f\
                  6e2c206e6f722070726f6869626974656420627920697420746f207468652053\
                  74617465732c2061726520726573657276656420746f20746865205374617465\
                  7320726573706563746976656c792c206f7220746f207468652070656f706c65\
                  2e0a",
        signature: "0000000a000000040703c491e7558b35011ece3592eaa5da4d918786771233e8\
                    353bc4f62323185c95cae05b899e35dffd717054706209988ebfdf6e37960bb5\
                    c38d7657e8bffeef9bc042da4b4525650485c66d0ce19b317587c6ba4bffcc42\
                    8e25d08931e72dfb6a120c5612344258b85efdb7db1db9e1865a73caf96557eb\
                    39ed3e3f426933ac9eeddb03a1d2374af7bf77185577456237f9de2d60113c23\
                    f846df26fa942008a698994c0827d90e86d43e0df7f4bfcdb09b86a373b98288\
                    b7094ad81a0185ac100e4f2c5fc38c003c1ab6fea479eb2f5ebe48f584d7159b\
                    8ada03586e65ad9c969f6aecbfe44cf356888a7b15a3ff074f771760b26f9c04\
                    884ee1faa329fbf4e61af23aee7fa5d4d9a5dfcf43c4c26ce8aea2ce8a2990d7\
                    ba7b57108b47dabfbeadb2b25b3cacc1ac0cef346cbb90fb044beee4fac2603a\
                    442bdf7e507243b7319c9944b1586e899d431c7f91bcccc8690dbf59b28386b2\
                    315f3d36ef2eaa3cf30b2b51f48b71b003dfb08249484201043f65f5a3ef6bbd\
                    61ddfee81aca9ce60081262a00000480dcbc9a3da6fbef5c1c0a55e48a0e729f\
                    9184fcb1407c31529db268f6fe50032a363c9801306837fafabdf957fd97eafc\
                    80dbd165e435d0e2dfd836a28b354023924b6fb7e48bc0b3ed95eea64c2d402f\
                    4d734c8dc26f3ac591825daef01eae3c38e3328d00a77dc657034f287ccb0f0e\
                    1c9a7cbdc828f627205e4737b84b58376551d44c12c3c215c812a0970789c83d\
                    e51d6ad787271963327f0a5fbb6b5907dec02c9a90934af5a1c63b72c8265360\
                    5d1dcce51596b3c2b45696689f2eb382007497557692caac4d57b5de9f5569bc\
                    2ad0137fd47fb47e664fcb6db4971f5b3e07aceda9ac130e9f38182de994cff1\
                    92ec0e82fd6d4cb7f3fe00812589b7a7ce515440456433016b84a59bec6619a1\
                    c6c0b37dd1450ed4f2d8b584410ceda8025f5d2d8dd0d2176fc1cf2cc06fa8c8\
                    2bed4d944e71339ece780fd025bd41ec34ebff9d4270a3224e019fcb444474d4\
                    82fd2dbe75efb20389cc10cd600abb54c47ede93e08c114edb04117d714dc1d5\
                    25e11bed8756192f929d15462b939ff3f52f2252da2ed64d8fae88818b1efa2c\
                    7b08c8794fb1b214aa233db3162833141ea4383f1a6f120be1db82ce3630b342\
                    9114463157a64e91234d475e2f79cbf05e4db6a9407d72c6bff7d1198b5c4d6a\
                    ad2831db61274993715a0182c7dc8089e32c8531deed4f7431c07c02195eba2e\
                    f91efb5613c37af7ae0c066babc69369700e1dd26eddc0d216c781d56e4ce47e\
                    3303fa73007ff7b949ef23be2aa4dbf25206fe45c20dd888395b2526391a7249\
                    96a44156beac808212858792bf8e74cba49dee5e8812e019da87454bff9e847e\
                    d83db07af313743082f880a278f682c2bd0ad6887cb59f652e155987d61bbf6a\
                    88d36ee93b6072e6656d9ccbaae3d655852e38deb3a2dcf8058dc9fb6f2ab3d3\
                    b3539eb77b248a661091d05eb6e2f297774fe6053598457cc61908318de4b826\
                    f0fc86d4bb117d33e865aa805009cc2918d9c2f840c4da43a703ad9f5b580616\
                    3d7161696b5a0adc00000005d5c0d1bebb06048ed6fe2ef2c6cef305b3ed6339\
                    41ebc8b3bec9738754cddd60e1920ada52f43d055b5031cee6192520d6a51155\
                    14851ce7fd448d4a39fae2ab2335b525f484e9b40d6a4a969394843bdcf6d14c\
                    48e8015e08ab92662c05c6e9f90b65a7a6201689999f32bfd368e5e3ec9cb70a\
                    c7b8399003f175c40885081a09ab3034911fe125631051df0408b3946b0bde79\
                    0911e8978ba07dd56c73e7ee",
        valid: true,
    },
    VerificationVector {
        algorithm: "XMSS-SHA2_10_256",
        verifying_key: "00000001b901b8d9332fe458eb6de87af74655d0b5ad936a66fdb6ac9d1b8cf2\
                        5bb6db8404562ad35e8ecafaafda16981cdaa147606beea62801342af13c8b55\
                        35f72f94",
        message: "b338dd755d5618c464ab331f14de3dd4a358bba00d28fb35236741e902f7b248\
                  ce",
        signature: "00000000404dff9b9f3931fe6158fff355a8ee715c9bc6a87fe6627928f3ca10\
                    55fa7010c534b0d4c6ffdf4dbfe00e72405efe83bbcf19aa2030a8cb16380848\
                    2b6376ff8ce01fb8090f4842896a1ea5e9282f35cacd245a4b9de9fe84e93158\
                    51d68a72b3ecb9f440937c8ba4ac3f0429246cbc2777e8b92d84f4ba49fab894\
                    65fcb0fc8017e582746f531b4697925154a22e2d6a0f1b81913438000c295153\
                    d7adca8f852c50d360f65f887479e9631a2ca30fe3ad92e7bf648643835f4f8c\
                    c081a6c951b83b77608a08c021821da61962cfcc8e97d75441921d39c5ad5375\
                    43efbaf0345dc70826e6e950929570c72e51619600c58d932a72657b19af163e\
                    0b8f7aaf2949a5eb26c517909e0e663e36753491182975206009107509dffc89\
                    8d308b903e84a8b29718bf7125397aff5467d53cf8f36eb945b6b98d48e81c01\
                    74a0e03541d24369cf8edda4288ffa615d16fbc7355cfc0966ba9256e5b8a44d\
                    a95760dfb61301b10fd3e82436e267db089773e43b984297d1e0d395dcc77fcf\
                    eccefebd4b80b3f241872ea251da466ca6c5324346f4b5e6886654a86592641a\
                    8c32ac554261b2d9130462c976b039e593f873ad1712820ff3e723fe57f13775\
                    1ab3ca8b5b20d28d1b9384df1d710ac39faf699989418b7856c2034c695a693e\
                    cc336eb472de5049c743089529695b028f2f72be0893e59169e9a2376c64bc5c\
                    cac5482e5a6e9c88d710a3ff8f23c206b09d314bf50568228b1bacf1ce330d52\
                    9bd3793d7c7cd9ec770c111d9681d6f1b97d908cbbd436444853feb47f234d31\
                    f5e92b9e0465d67ac0fe48859126befa7f7d121a67c2c2970b37b8081b4e73c5\
                    a21a41f60160a61fafbd48649a3d2032c1679a67f348e3e25275fcd9af650937\
                    feb0a30f25878ceed7d6ca693518b5a2f5418135ea9316effdecdb1dffc9ee3a\
                    62eff0e66f3d05bd9d5f8679b536bb6d39792b28df2481a6eecb9bee40b11a10\
                    d39a90ea1aac47bf956fbfe9b0427b599b9bc024f326515e71615419423fec3f\
                    19f621d49b6eed59f129a6b1411b7b1afcf073095d57b03f25a16f946ed716bf\
                    705f567a151be85b8e8195cc2f070bfd482702182b8a4a43ed942f6bd3cbf9de\
                    7e8aeb17c41e1c009c94ff4a2050e3731088b75474b38dc52badf53c7dcd3fb9\
                    8d023649fc4799ce060addacec7cd4e656074e631c1cb8aef88efee0817c2e3d\
                    79e287f4510e48dfb7e23cb49d6fca39a1e0f471f16a8bb65af02150d059036d\
                    00386dd287bea4d52fb263b57ae5add901cade838b1d7347d9e47eaf6456148c\
                    6c4e44b0fa3dfcf5c9cec2d80ad509a65aef0e3e663b7f31bca437311ba799d4\
                    c2acc138f85d73cb40792ff03f8f20427d951444990ca3976a71368a7dc1455e\
                    880722f06f02163bc712e852a914f22e5675eb9b1c6c8b7fd20a8880ad2eef97\
                    982c065c937bd3639357e4c7450cbda0b51cca8e3e078dc760fd99ebf646b823\
                    69576539b2bd5b2c866ed5ae94423a5ce18c685352398d01c983f080d7beb8a9\
                    243aaa9ac1ddcc1b058b92bead301e8f3b8f5ef71eee7966302b44d2e26d2a02\
                    393713e5d4d3fef42196faa368274c78c2932d22840eca6018ce7d16b19a0727\
                    cb1966eb28b57d137c5264cc2e627f24a3bad50ea4f75c7bd8998709c01ed5ac\
                    fff0891934e94da2cacca212fb48be3f9eaa310547e73c388d881f36ae21efed\
                    d23744f6b07c5d6d2776c191ed41e607316f61bbef7a20e1a03150ae833d1895\
                    2ae35188fbfdfa55c12a388836717bb2bdd97e89121c56c3b53e8198242315c9\
                    e438512e0c8354a3e599cb7217ae688647a72985606bbd0720f6fa5c5b6f70e8\
                    8234ee54c6db0a41106c866564650829fe4b232635b06b18240c9f86369c75b2\
                    f7d237211a380c43f95d362e0680d9ea2ca47e1dc8c49703e22650b765f847ad\
                    86be25a3b7630d640a0097632df13f600e8a025dd9a1fc67b0eb09c1ca9fa392\
                    3896927dee1e3cc0c81f4b82e43b89cacc69c9b8adca1670f7d4e50db7bcd94c\
                    2115e75f2bfd2336da5a304d0f3455927360bf5040e95d1454106f2a8a7cd27d\
                    5510e7b5be7b5b9edefdc3d4249d655c51f4c1dba0f359be4769ab66edbc8028\
                    24e9ab866e8eeaa2feb1cc855f0a745aac84a610df0238112c6519f8e7346c45\
                    331a6036f84d5b6250f4b5bc0a2a6a31daf9c60eb13c20cc649a18e27a6c98b8\
                    2f08e21706a8bdf338cc69c1679d25ecff733a721211c1f6dd28091aaa9c93b0\
                    47efcd2c8a55f2da65e616f07dcc0f44081d4e359c1688a00f062ec925d24432\
                    862b547bb70f2af126a3daba5c918b224de444b8733e6fa601b3d349307e9458\
                    3d0ec976aeda2b90972324b3ace8c7b79a67723aea037e12da9efa9ca9668a4f\
                    5fdadfb9eee13398921f5023e354a6894825431dba7317e6a6f69f0e77294bcd\
                    02d7616e75ac31ec528fc070b8c34027c4e9cd0672903412fca6b723650d56af\
                    562069312fc7ef1891a77e1a3f29d810c205ee212e75863f3b8b1ed216df888a\
                    dd07aff45f1b5c01196329311414797cd5f67ffc54aad04c803ff7e83c2e8ba2\
                    24ce83695bb7916ac42b1861f5cb527fdbcd82dbfa31c5acf981d84142038375\
                    04263c96a0015841fbcc721f96d50a86d6e096ab54af9980f06cee6341c78d65\
                    83f6bae8081b3c44b0f10fb7300874b5011ff0f97c52f975a31355884c2f12b6\
                    ffee20e8371d38183c9d04977bfa037c9bd4dd7f7ce203fd7fad3852b3c2ae9d\
                    078adec70db1a7140ef1114ebb03e8de03237e0a27ff510015ac76fcefe4ebd4\
                    c3a1b6c67db2a82fe2b1bf18723db0f29fe4ad47b2eef22ac3c6661cfa7da747\
                    6d23b470fa2e0441b6473ebd291791f09b4ada70a5286eb05167bd59bfd8c464\
                    27413d60692382efb7882f60dc53aaafdf2014ca7d27f8fa93c187a8371b4179\
                    6557ae739912e5991c713532e81fa57f9ba562e1d3026d2d2d7373d99871bc62\
                    768ad70d3db184eabed83e30c11c9bc62f3340923a0082b987ec45cc7bd1db4b\
                    2b15e8ad3ead74e96d8c20d85617bbedc0bdaf8ed48b7ee8d7c42990028ec066\
                    9afc0861c22f2e9109f9bb35426bddb4a69eb8f45cd5b226f92e8026f1e62de1\
                    de435a4fc0caeda91c38a88f0037bdb296cd7b07ff040b1e08f02711e946b307\
                    a5a38487f53070985b8e28be6cce809f34100f0ca780996cd38e91ba7773bb63\
                    2d0be7978f3af3a92b961bd3a8759590726d6c1811f9e0bca87377334e7c1f12\
                    fe37401ca0200823938c816ed98981521470f7f2ccdd69d85e7530ebf39e3a59\
                    2b1c09bc6c352c3fdb108fb26e7acd3d5a4fc0442962e2c09651ac0d026e370f\
                    1ee1a8219c4833d70793d6e581fd25b0e95fab1eda67232c2fa12c4e379a6627\
                    e75ad408c1d2526005f2567ced8608e88cf53064fcdc58007198adfa860f9fed\
                    1df80efacc768a0a063e1afee6df1be3483105b1c45eb50bf7863b4278422ceb\
                    a9001ea00299ac0415bf28a9c49cc2e92fc15565b547538a027886c6eb0d83b7\
                    1138ce1a",
        valid: true,
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
