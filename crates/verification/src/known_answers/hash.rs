use super::{Checker, Expected, bytes, rows};
use Expected::{Bytes, Sha256};
use Message::{Hex, Repeated};
use pqlab_primitives::{Hash, HashParameters, LaneHash, Xof};

/// A message and its digest.
pub(super) struct HashVector {
    pub(super) algorithm: &'static str,
    pub(super) message: Message,
    pub(super) digest: Expected,
}

/// A message and the first bytes of its output.
pub(super) struct XofVector {
    pub(super) algorithm: &'static str,
    pub(super) message: Message,
    /// Length of the output in bytes.
    pub(super) length: usize,
    pub(super) output: Expected,
}
rows!(HashVector, XofVector);

#[derive(Clone, Copy)]
pub(super) enum Message {
    Hex(&'static str),
    /// A byte, and the number of times it occurs.
    Repeated(u8, usize),
}

impl Message {
    pub(super) fn bytes(self) -> Vec<u8> {
        match self {
            Hex(hex) => bytes(hex),
            Repeated(byte, count) => vec![byte; count],
        }
    }
}

/// NIST's 1600-bit example message, which is longer than a block of any function.
const EXAMPLE_1600: Message = Repeated(0xa3, 200);

/// Known digests. SHA-3: the empty message and the message that fills exactly one block, from NIST CAVP (ShortMsg), and
/// NIST's 1600-bit example. SHA-2: NIST's examples for FIPS 180-4 with one block and with two blocks.
pub(super) static HASHES: &[HashVector] = &[
    HashVector {
        algorithm: "SHA3-224",
        message: Hex(""),
        digest: Bytes("6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7"),
    },
    HashVector {
        algorithm: "SHA3-224",
        message: Hex(
            "e65de91fdcb7606f14dbcfc94c9c94a57240a6b2c31ed410346c4dc011526559e44296fc988cc589de2dc713d0e82492\
             d4991bd8c4c5e6c74c753fc09345225e1db8d565f0ce26f5f5d9f404a28cf00bd655a5fe04edb682942d675b86235f23\
             5965ad422ba5081a21865b8209ae81763e1c4c0cccbccdaad539cf773413a50f5ff1267b9238f5602adc06764f775d3c",
        ),
        digest: Bytes("26ec9df54d9afe11710772bfbeccc83d9d0439d3530777c81b8ae6a3"),
    },
    HashVector {
        algorithm: "SHA3-224",
        message: EXAMPLE_1600,
        digest: Bytes("9376816aba503f72f96ce7eb65ac095deee3be4bf9bbc2a1cb7e11e0"),
    },
    HashVector {
        algorithm: "SHA3-256",
        message: Hex(""),
        digest: Bytes("a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
    },
    HashVector {
        algorithm: "SHA3-256",
        message: Hex(
            "56ea14d7fcb0db748ff649aaa5d0afdc2357528a9aad6076d73b2805b53d89e73681abfad26bee6c0f3d20215295f354\
             f538ae80990d2281be6de0f6919aa9eb048c26b524f4d91ca87b54c0c54aa9b54ad02171e8bf31e8d158a9f586e92ffc\
             e994ecce9a5185cc80364d50a6f7b94849a914242fcb73f33a86ecc83c3403630d20650ddb8cd9c4",
        ),
        digest: Bytes("4beae3515ba35ec8cbd1d94567e22b0d7809c466abfbafe9610349597ba15b45"),
    },
    HashVector {
        algorithm: "SHA3-256",
        message: EXAMPLE_1600,
        digest: Bytes("79f38adec5c20307a98ef76e8324afbfd46cfd81b22e3973c65fa1bd9de31787"),
    },
    HashVector {
        algorithm: "SHA3-384",
        message: Hex(""),
        digest: Bytes(
            "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004",
        ),
    },
    HashVector {
        algorithm: "SHA3-384",
        message: Hex(
            "92c41d34bd249c182ad4e18e3b856770766f1757209675020d4c1cf7b6f7686c8c1472678c7c412514e63eb9f5aee9f5\
             c9d5cb8d8748ab7a5465059d9cbbb8a56211ff32d4aaa23a23c86ead916fe254cc6b2bff7a9553df1551b531f95bb41c\
             bbc4acddbd372921",
        ),
        digest: Bytes(
            "71307eec1355f73e5b726ed9efa1129086af81364e30a291f684dfade693cc4bc3d6ffcb7f3b4012a21976ff9edcab61",
        ),
    },
    HashVector {
        algorithm: "SHA3-384",
        message: EXAMPLE_1600,
        digest: Bytes(
            "1881de2ca7e41ef95dc4732b8f5f002b189cc1e42b74168ed1732649ce1dbcdd76197a31fd55ee989f2d7050dd473e8f",
        ),
    },
    HashVector {
        algorithm: "SHA3-512",
        message: Hex(""),
        digest: Bytes(
            "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558\
             f500199d95b6d3e301758586281dcd26",
        ),
    },
    HashVector {
        algorithm: "SHA3-512",
        message: Hex(
            "0ce9f8c3a990c268f34efd9befdb0f7c4ef8466cfdb01171f8de70dc5fefa92acbe93d29e2ac1a5c2979129f1ab08c0e\
             77de7924ddf68a209cdfa0adc62f85c18637d9c6b33f4ff8",
        ),
        digest: Bytes(
            "b018a20fcf831dde290e4fb18c56342efe138472cbe142da6b77eea4fce52588c04c808eb32912faa345245a850346fa\
             ec46c3a16d39bd2e1ddb1816bc57d2da",
        ),
    },
    HashVector {
        algorithm: "SHA3-512",
        message: EXAMPLE_1600,
        digest: Bytes(
            "e76dfad22084a8b1467fcf2ffa58361bec7628edf5f3fdc0e4805dc48caeeca81b7c13c30adf52a3659584739a2df46b\
             e589c51ca1a4a8416df6545a1ce8ba00",
        ),
    },
    HashVector {
        algorithm: "SHA-256",
        message: Hex("616263"),
        digest: Bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    },
    HashVector {
        algorithm: "SHA-256",
        message: Hex(
            "6162636462636465636465666465666765666768666768696768696a68696a6b696a6b6c6a6b6c6d6b6c6d6e6c6d6e6f\
             6d6e6f706e6f7071",
        ),
        digest: Bytes("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    },
    HashVector {
        algorithm: "SHA-512",
        message: Hex("616263"),
        digest: Bytes(
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
             454d4423643ce80e2a9ac94fa54ca49f",
        ),
    },
    HashVector {
        algorithm: "SHA-512",
        message: Hex(
            "61626364656667686263646566676869636465666768696a6465666768696a6b65666768696a6b6c666768696a6b6c6d\
             6768696a6b6c6d6e68696a6b6c6d6e6f696a6b6c6d6e6f706a6b6c6d6e6f70716b6c6d6e6f7071726c6d6e6f70717273\
             6d6e6f70717273746e6f707172737475",
        ),
        digest: Bytes(
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433a\
             c7d329eeb6dd26545e96e55b874be909",
        ),
    },
];

/// Known outputs: the empty message and the message that fills exactly one block, from NIST CAVP (ShortMsg), and NIST's
/// 1600-bit example. The example has a 4096-bit output, which takes several permutations to squeeze.
pub(super) static XOFS: &[XofVector] = &[
    XofVector {
        algorithm: "SHAKE128",
        message: Hex(""),
        length: 16,
        output: Bytes("7f9c2ba4e88f827d616045507605853e"),
    },
    XofVector {
        algorithm: "SHAKE128",
        message: Hex(
            "5d9ff9fe63c328ddbe0c865ac6ba605c52a14ee8e4870ba320ce849283532f2551959e74cf1a54c8b30ed75dd92e0766\
             37e4ad5213b3574e73d6640bd6245bc121378174dccdaa769e6e4f2dc650e1166c775d0a982021c0b160fe9438098e86\
             b6cdc786f2a6d1ef68751551f7e99773daa28598d9961002c0b47ab511c8707df69f9b32796b723bf7685251d2c0d085\
             67ad4e8540ddcc1b8a1a01f6c92aaaadcaf42301d9e53463",
        ),
        length: 16,
        output: Bytes("f50af2684408915871948779a14c147c"),
    },
    XofVector {
        algorithm: "SHAKE128",
        message: EXAMPLE_1600,
        length: 512,
        output: Sha256("c1134ff48c4e5e770824f32bdcc5b4f80376fa3d2a957297ce5728780bb8551c"),
    },
    XofVector {
        algorithm: "SHAKE256",
        message: Hex(""),
        length: 32,
        output: Bytes("46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"),
    },
    XofVector {
        algorithm: "SHAKE256",
        message: Hex(
            "d8f12b97f81d47aebbfb7314ff04172cf2be71c3778e238bcccdeecb691fbd542b00e5b7b1a0abb507f107f781fea700\
             ea7e375fdea9e029754a0ea62216774bda3c59e8783d022360fe9625621c0d93e27f7bc03632942150716f019d048a75\
             2ccc0f93139c55df0f4aaa066a0550cf22e8c54e47d0475ba56b9842a392ffbc6bd98f1e4b64abd1",
        ),
        length: 32,
        output: Bytes("e2e1c432dd07c2ee89a78f31211c92eeb5306c4fa4db93c4e5cd43080d6079e4"),
    },
    XofVector {
        algorithm: "SHAKE256",
        message: EXAMPLE_1600,
        length: 512,
        output: Sha256("5324d170930075b539d5b2752dfe21dca1a2172f5fc7f48ab6f468162ab458ea"),
    },
];

pub(super) fn check_hash(function: &dyn Hash, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(HASHES) {
        let message = vector.message.bytes();
        let mut digest = vec![0; function.info().digest];
        checker.done("digest", function.digest(&message, &mut digest))?;
        checker.same("digest", "output", &digest, vector.digest)?;
        // Measurements call the batch function, so check it as well.
        digest.fill(0);
        checker.done("digest of a batch", function.digest_batch(&[Vec::new(), message], 2, &mut digest))?;
        checker.same("digest of a batch", "output", &digest, vector.digest)?;
    }
    Ok(())
}

pub(super) fn check_xof(function: &dyn Xof, checker: &mut Checker) -> Result<(), String> {
    for vector in checker.rows(XOFS) {
        let message = vector.message.bytes();
        let mut output = vec![0; vector.length];
        checker.done("digest", function.digest(&message, &mut output))?;
        checker.same("digest", "output", &output, vector.output)?;
        output.fill(0);
        if let Some(mut reader) = checker.offered("absorbing", function.absorb(&message))? {
            // Squeeze 23 bytes at a time, because 23 divides neither the block length nor the
            // output length.
            for piece in output.chunks_mut(23) {
                checker.done("squeezing", reader.squeeze(piece))?;
            }
            checker.same("squeezing", "output", &output, vector.output)?;
        }
        output.fill(0);
        checker.done("digest of a batch", function.digest_batch(&[Vec::new(), message], 2, &mut output))?;
        checker.same("digest of a batch", "output", &output, vector.output)?;
    }
    Ok(())
}

/// Checks each message in every lane, with different messages in the other lanes.
pub(super) fn check_lanes(function: &dyn LaneHash, checker: &mut Checker) -> Result<(), String> {
    let hashes = checker.rows(HASHES).into_iter().map(|row| (row.message, None, row.digest)).collect::<Vec<_>>();
    let xofs = checker.rows(XOFS).into_iter().map(|row| (row.message, Some(row.length), row.output));
    for (message, length, expected) in hashes.into_iter().chain(xofs) {
        let message = message.bytes();
        let length = length.or(HashParameters::find(function.algorithm()).map(|info| info.digest)).unwrap_or_default();
        for place in 0..function.lanes() {
            let differs = |lane: usize| (lane ^ place).to_le_bytes()[0];
            let messages: Vec<Vec<u8>> =
                (0..function.lanes()).map(|lane| message.iter().map(|byte| byte ^ differs(lane)).collect()).collect();
            let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
            let mut outputs = vec![vec![0; length]; function.lanes()];
            let mut outs: Vec<&mut [u8]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
            // Check the batch function, because measurements call it.
            checker.done("digest of several messages", function.digest_batch(&messages, 2, &mut outs))?;
            checker.same(&format!("lane {place}"), "output", &outputs[place], expected)?;
        }
    }
    Ok(())
}
