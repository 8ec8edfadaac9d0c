//! Worker for hqc-kem. Keys are bytes, so each operation expands the vectors of the key again.

use getrandom::SysRng;
use getrandom::rand_core::UnwrapErr;
use hqc_kem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, Hqc128Params, Hqc192Params, Hqc256Params, HqcKem, HqcParams,
    SharedSecret, hqc128, hqc192, hqc256,
};
use pqlab_worker::{Failure, Kem, SYSTEM_GENERATOR, kem, main as serve};
use std::marker::PhantomData;
use std::process::ExitCode;

/// Length of a seed in bytes.
const SEED: usize = 32;

/// A parameter set.
trait Set: HqcParams {
    const ALGORITHM: &'static str;
    /// Length in bytes of the message that encapsulation draws in addition to the salt.
    const MESSAGE: usize;
}

impl Set for Hqc128Params {
    const ALGORITHM: &'static str = "HQC-1-2026-02";
    const MESSAGE: usize = hqc128::MESSAGE_SIZE;
}

impl Set for Hqc192Params {
    const ALGORITHM: &'static str = "HQC-3-2026-02";
    const MESSAGE: usize = hqc192::MESSAGE_SIZE;
}

impl Set for Hqc256Params {
    const ALGORITHM: &'static str = "HQC-5-2026-02";
    const MESSAGE: usize = hqc256::MESSAGE_SIZE;
}

struct Hqc<P>(PhantomData<P>);

impl<P: Set> Kem for Hqc<P> {
    const ALGORITHM: &'static str = P::ALGORITHM;
    const PRIVATE_KEYS: &'static [(&'static str, usize)] = &[("expanded", P::SK_BYTES), ("seed", SEED)];
    const PUBLIC_KEY: usize = P::PK_BYTES;
    const SEED: Option<usize> = Some(SEED);
    const COINS: Option<usize> = Some(P::MESSAGE + hqc128::SALT_SIZE);
    type Pair = (EncapsulationKey<P>, DecapsulationKey<P>);
    type PublicKey = EncapsulationKey<P>;
    type PrivateKey = DecapsulationKey<P>;
    type Ciphertext = Ciphertext<P>;
    type Secret = SharedSecret<P>;

    fn generate() -> Result<Self::Pair, Failure> {
        Ok(HqcKem::<P>::generate_key(&mut UnwrapErr(SysRng)))
    }

    fn generate_from(seed: &[u8]) -> Result<Self::Pair, Failure> {
        let seed = <&[u8; SEED]>::try_from(seed).map_err(|error| Failure::library("seed", error))?;
        Ok(HqcKem::<P>::generate_key_deterministic(seed))
    }

    fn encode((public, private): &Self::Pair) -> Result<[Vec<u8>; 2], Failure> {
        Ok([public.as_ref().to_vec(), private.as_ref().to_vec()])
    }

    fn load_public(key: &[u8]) -> Result<Self::PublicKey, Failure> {
        EncapsulationKey::try_from(key).map_err(|error| Failure::library("public key", error))
    }

    fn load_private(encoding: &str, key: &[u8]) -> Result<Self::PrivateKey, Failure> {
        match encoding {
            "seed" => Self::generate_from(key).map(|(_, private)| private),
            _ => DecapsulationKey::try_from(key).map_err(|error| Failure::library("private key", error)),
        }
    }

    fn encapsulate(key: &Self::PublicKey) -> Result<(Self::Ciphertext, Self::Secret), Failure> {
        Ok(key.encapsulate(&mut UnwrapErr(SysRng)))
    }

    fn encapsulate_with(key: &Self::PublicKey, coins: &[u8]) -> Result<(Self::Ciphertext, Self::Secret), Failure> {
        let (message, salt) = coins.split_at(P::MESSAGE);
        let salt = <&[u8; hqc128::SALT_SIZE]>::try_from(salt).map_err(|error| Failure::library("salt", error))?;
        key.encapsulate_deterministic(message, salt).map_err(|error| Failure::library("encapsulation", error))
    }

    fn decapsulate(key: &Self::PrivateKey, ciphertext: &[u8]) -> Result<Self::Secret, Failure> {
        let ciphertext = Ciphertext::try_from(ciphertext).map_err(|error| Failure::library("ciphertext", error))?;
        Ok(key.decapsulate(&ciphertext))
    }
}

fn main() -> ExitCode {
    let offers = [kem::<Hqc<Hqc128Params>>(), kem::<Hqc<Hqc192Params>>(), kem::<Hqc<Hqc256Params>>()];
    serve("hqc-kem", SYSTEM_GENERATOR, &offers)
}
