//! Worker for sntrup. Keys are bytes, so each operation decodes the key again.

use getrandom::SysRng;
use getrandom::rand_core::UnwrapErr;
use pqlab_worker::{Failure, Kem, SYSTEM_GENERATOR, kem, main as serve};
use sntrup::{
    Ciphertext, DecapsulationKey, EncapsulationKey, SharedSecret, Sntrup653Params, Sntrup761Params, Sntrup857Params,
    Sntrup953Params, Sntrup1013Params, Sntrup1277Params, SntrupKem, SntrupParams,
};
use std::marker::PhantomData;
use std::process::ExitCode;

struct Sntrup<P>(PhantomData<P>);

impl<P: SntrupParams> Kem for Sntrup<P> {
    const ALGORITHM: &'static str = P::NAME;
    const PRIVATE_KEYS: &'static [(&'static str, usize)] = &[("expanded", P::SK_BYTES)];
    const PUBLIC_KEY: usize = P::PK_BYTES;
    type Pair = (EncapsulationKey<P>, DecapsulationKey<P>);
    type PublicKey = EncapsulationKey<P>;
    type PrivateKey = DecapsulationKey<P>;
    type Ciphertext = Ciphertext<P>;
    type Secret = SharedSecret<P>;

    fn generate() -> Result<Self::Pair, Failure> {
        Ok(SntrupKem::<P>::generate_key(&mut UnwrapErr(SysRng)))
    }

    fn encode((public, private): &Self::Pair) -> Result<[Vec<u8>; 2], Failure> {
        Ok([public.as_ref().to_vec(), private.as_ref().to_vec()])
    }

    fn load_public(key: &[u8]) -> Result<Self::PublicKey, Failure> {
        EncapsulationKey::try_from(key).map_err(|error| Failure::library("public key", error))
    }

    fn load_private(_: &str, key: &[u8]) -> Result<Self::PrivateKey, Failure> {
        DecapsulationKey::try_from(key).map_err(|error| Failure::library("private key", error))
    }

    fn encapsulate(key: &Self::PublicKey) -> Result<(Self::Ciphertext, Self::Secret), Failure> {
        Ok(key.encapsulate(&mut UnwrapErr(SysRng)))
    }

    fn decapsulate(key: &Self::PrivateKey, ciphertext: &[u8]) -> Result<Self::Secret, Failure> {
        let ciphertext = Ciphertext::try_from(ciphertext).map_err(|error| Failure::library("ciphertext", error))?;
        Ok(key.decapsulate(&ciphertext))
    }
}

fn main() -> ExitCode {
    let offers = [
        kem::<Sntrup<Sntrup653Params>>(),
        kem::<Sntrup<Sntrup761Params>>(),
        kem::<Sntrup<Sntrup857Params>>(),
        kem::<Sntrup<Sntrup953Params>>(),
        kem::<Sntrup<Sntrup1013Params>>(),
        kem::<Sntrup<Sntrup1277Params>>(),
    ];
    serve("sntrup", SYSTEM_GENERATOR, &offers)
}
