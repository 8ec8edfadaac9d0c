//! Worker for sqisign-rs.

use pqlab_worker::{Failure, SYSTEM_GENERATOR, Signature, main as serve, signature};
use rand_core::OsRng;
use sqisign_rs::{Level, Level1, Level3, Level5, PreparedPublicKey, PublicKey, SigningKey, SigningLevel, generate};
use sqisign_verify::verify_bytes_prepared;
use std::marker::PhantomData;
use std::process::ExitCode;

/// A parameter set.
trait Set: SigningLevel {
    const ALGORITHM: &'static str;
    /// Length of a public key in bytes.
    const PUBLIC_KEY: usize;
}

impl Set for Level1 {
    const ALGORITHM: &'static str = "SQIsign_p324_3";
    const PUBLIC_KEY: usize = 83;
}

impl Set for Level3 {
    const ALGORITHM: &'static str = "SQIsign_p500_27";
    const PUBLIC_KEY: usize = 129;
}

impl Set for Level5 {
    const ALGORITHM: &'static str = "SQIsign_p664_17";
    const PUBLIC_KEY: usize = 169;
}

struct SqiSign<L>(PhantomData<L>);

impl<L: Set> Signature for SqiSign<L> {
    const ALGORITHM: &'static str = L::ALGORITHM;
    const PRIVATE_KEYS: &'static [(&'static str, usize)] = &[("expanded", <L as Level>::SK_BYTES)];
    const PUBLIC_KEY: usize = L::PUBLIC_KEY;
    const IS_HEDGED: bool = true;
    type Pair = (PublicKey<L>, SigningKey<L>);
    type PublicKey = PreparedPublicKey<L>;
    type PrivateKey = SigningKey<L>;
    type Signature = Vec<u8>;

    fn generate() -> Result<Self::Pair, Failure> {
        Ok(generate(&mut OsRng))
    }

    fn encode((public, private): &Self::Pair) -> Result<[Vec<u8>; 2], Failure> {
        Ok([public.to_bytes().to_vec(), private.to_bytes().to_vec()])
    }

    fn load_public(key: &[u8]) -> Result<Self::PublicKey, Failure> {
        let key = PublicKey::from_bytes(key).and_then(|key| key.prepare());
        key.map_err(|error| Failure::library("public key", error))
    }

    fn load_private(_: &str, key: &[u8]) -> Result<Self::PrivateKey, Failure> {
        SigningKey::from_bytes(key).map_err(|error| Failure::library("private key", error))
    }

    fn sign(key: &mut Self::PrivateKey, _: &[u8], message: &[u8]) -> Result<Self::Signature, Failure> {
        let signature = key.sign(message, &mut OsRng).map_err(|error| Failure::library("signing", error))?;
        Ok(signature.to_bytes().to_vec())
    }

    fn verify(key: &Self::PublicKey, _: &[u8], message: &[u8], signature: &[u8]) -> bool {
        verify_bytes_prepared(key, message, signature).is_ok()
    }
}

fn main() -> ExitCode {
    let offers = [signature::<SqiSign<Level1>>(), signature::<SqiSign<Level3>>(), signature::<SqiSign<Level5>>()];
    serve("sqisign-rs", SYSTEM_GENERATOR, &offers)
}
