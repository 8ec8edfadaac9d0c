//! Worker for xmss. A private key contains the index of its next one-time key, and signing advances it. The crate
//! computes the whole tree again for each signature.

use getrandom::SysRng;
use getrandom::rand_core::UnwrapErr;
use pqlab_worker::{Failure, SYSTEM_GENERATOR, Signature, main as serve, signature};
use std::marker::PhantomData;
use std::process::ExitCode;
use xmss::{
    DetachedSignature, KeyPair, SigningKey, VerifyingKey, XmssParameter, XmssSha2_10_192, XmssSha2_10_256,
    XmssShake256_10_256,
};

struct Xmss<P>(PhantomData<P>);

impl<P: XmssParameter> Signature for Xmss<P> {
    const ALGORITHM: &'static str = P::NAME;
    const PRIVATE_KEYS: &'static [(&'static str, usize)] = &[("expanded", P::SK_LEN)];
    const PUBLIC_KEY: usize = P::VK_LEN;
    /// XMSS derives its random bytes from the key (RFC 8391, section 4.1.9).
    const IS_HEDGED: bool = false;
    const UNTIMED_SIGNING: Option<&'static str> = Some("signing uses up the key");
    type Pair = KeyPair<P>;
    type PublicKey = VerifyingKey<P>;
    type PrivateKey = SigningKey<P>;
    type Signature = DetachedSignature<P>;

    fn generate() -> Result<Self::Pair, Failure> {
        KeyPair::generate(&mut UnwrapErr(SysRng)).map_err(|error| Failure::library("key generation", error))
    }

    fn encode(pair: &Self::Pair) -> Result<[Vec<u8>; 2], Failure> {
        // The crate lends the private key only to callers that may change it.
        let private = pair.clone().signing_key().as_ref().to_vec();
        Ok([pair.verifying_key().as_ref().to_vec(), private])
    }

    fn load_public(key: &[u8]) -> Result<Self::PublicKey, Failure> {
        VerifyingKey::try_from(key).map_err(|error| Failure::library("public key", error))
    }

    fn load_private(_: &str, key: &[u8]) -> Result<Self::PrivateKey, Failure> {
        SigningKey::try_from(key).map_err(|error| Failure::library("private key", error))
    }

    fn sign(key: &mut Self::PrivateKey, _: &[u8], message: &[u8]) -> Result<Self::Signature, Failure> {
        key.sign_detached(message).map_err(|error| Failure::library("signing", error))
    }

    fn verify(key: &Self::PublicKey, _: &[u8], message: &[u8], signature: &[u8]) -> bool {
        let signature = DetachedSignature::try_from(signature);
        signature.is_ok_and(|signature| key.verify_detached(&signature, message).is_ok())
    }
}

fn main() -> ExitCode {
    let offers = [
        signature::<Xmss<XmssSha2_10_192>>(),
        signature::<Xmss<XmssSha2_10_256>>(),
        signature::<Xmss<XmssShake256_10_256>>(),
    ];
    serve("xmss", SYSTEM_GENERATOR, &offers)
}
