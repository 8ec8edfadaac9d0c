//! Worker for frodo-kem. Keys are bytes, so each operation expands the matrix again.

use frodo_kem::{Algorithm, Ciphertext, DecryptionKey, EncryptionKey, SharedSecret};
use getrandom::SysRng;
use getrandom::rand_core::UnwrapErr;
use pqlab_worker::{Failure, Kem, SYSTEM_GENERATOR, kem, main as serve};
use std::process::ExitCode;

/// The parameter sets, with their names in liboqs since version 0.16.
const SETS: [(&str, Algorithm); 12] = [
    ("FrodoKEM-640-AES", Algorithm::FrodoKem640Aes),
    ("FrodoKEM-640-SHAKE", Algorithm::FrodoKem640Shake),
    ("FrodoKEM-976-AES", Algorithm::FrodoKem976Aes),
    ("FrodoKEM-976-SHAKE", Algorithm::FrodoKem976Shake),
    ("FrodoKEM-1344-AES", Algorithm::FrodoKem1344Aes),
    ("FrodoKEM-1344-SHAKE", Algorithm::FrodoKem1344Shake),
    ("eFrodoKEM-640-AES", Algorithm::EphemeralFrodoKem640Aes),
    ("eFrodoKEM-640-SHAKE", Algorithm::EphemeralFrodoKem640Shake),
    ("eFrodoKEM-976-AES", Algorithm::EphemeralFrodoKem976Aes),
    ("eFrodoKEM-976-SHAKE", Algorithm::EphemeralFrodoKem976Shake),
    ("eFrodoKEM-1344-AES", Algorithm::EphemeralFrodoKem1344Aes),
    ("eFrodoKEM-1344-SHAKE", Algorithm::EphemeralFrodoKem1344Shake),
];

/// The parameter set with this index in [`SETS`].
struct Frodo<const SET: usize>;

impl<const SET: usize> Frodo<SET> {
    const SET: Algorithm = SETS[SET].1;
}

impl<const SET: usize> Kem for Frodo<SET> {
    const ALGORITHM: &'static str = SETS[SET].0;
    const PRIVATE_KEYS: &'static [(&'static str, usize)] = &[("expanded", Self::SET.params().decryption_key_length)];
    const PUBLIC_KEY: usize = Self::SET.params().encryption_key_length;
    type Pair = (EncryptionKey, DecryptionKey);
    type PublicKey = EncryptionKey;
    type PrivateKey = DecryptionKey;
    type Ciphertext = Ciphertext;
    type Secret = SharedSecret;

    fn generate() -> Result<Self::Pair, Failure> {
        Ok(Self::SET.generate_keypair(&mut UnwrapErr(SysRng)))
    }

    fn encode((public, private): &Self::Pair) -> Result<[Vec<u8>; 2], Failure> {
        Ok([public.as_ref().to_vec(), private.as_ref().to_vec()])
    }

    fn load_public(key: &[u8]) -> Result<Self::PublicKey, Failure> {
        EncryptionKey::from_bytes(Self::SET, key).map_err(|error| Failure::library("public key", error))
    }

    fn load_private(_: &str, key: &[u8]) -> Result<Self::PrivateKey, Failure> {
        DecryptionKey::from_bytes(Self::SET, key).map_err(|error| Failure::library("private key", error))
    }

    fn encapsulate(key: &Self::PublicKey) -> Result<(Self::Ciphertext, Self::Secret), Failure> {
        let encapsulated = Self::SET.encapsulate_with_rng(key, &mut UnwrapErr(SysRng));
        encapsulated.map_err(|error| Failure::library("encapsulation", error))
    }

    fn decapsulate(key: &Self::PrivateKey, ciphertext: &[u8]) -> Result<Self::Secret, Failure> {
        let ciphertext = Ciphertext::from_bytes(Self::SET, ciphertext);
        let ciphertext = ciphertext.map_err(|error| Failure::library("ciphertext", error))?;
        let (secret, _message) =
            Self::SET.decapsulate(key, &ciphertext).map_err(|error| Failure::library("decapsulation", error))?;
        Ok(secret)
    }
}

fn main() -> ExitCode {
    let offers = [
        kem::<Frodo<0>>(),
        kem::<Frodo<1>>(),
        kem::<Frodo<2>>(),
        kem::<Frodo<3>>(),
        kem::<Frodo<4>>(),
        kem::<Frodo<5>>(),
        kem::<Frodo<6>>(),
        kem::<Frodo<7>>(),
        kem::<Frodo<8>>(),
        kem::<Frodo<9>>(),
        kem::<Frodo<10>>(),
        kem::<Frodo<11>>(),
    ];
    serve("frodo-kem", SYSTEM_GENERATOR, &offers)
}
