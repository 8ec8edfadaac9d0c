//! Worker for fn-dsa 0.4, which implements its author's best guess of the draft of FIPS 206.

use fn_dsa::{
    DomainContext, FN_DSA_LOGN_512, FN_DSA_LOGN_1024, HASH_ID_RAW, KeyPairGenerator, KeyPairGenerator512,
    KeyPairGenerator1024, SigningKey, SigningKey512, SigningKey1024, VerifyingKey, VerifyingKey512, VerifyingKey1024,
    sign_key_size, signature_size, vrfy_key_size,
};
use pqlab_worker::{Failure, SYSTEM_GENERATOR, Signature, main as serve, signature};
use rand_core::OsRng;
use std::marker::PhantomData;
use std::process::ExitCode;

/// A ring degree, with the types of the crate for this degree.
trait Degree: 'static {
    const ALGORITHM: &'static str;
    const LOGN: u32;
    type Generator: KeyPairGenerator;
    type Signer: SigningKey + 'static;
    type Verifier: VerifyingKey + 'static;
}

struct Degree512;

impl Degree for Degree512 {
    const ALGORITHM: &'static str = "FN-DSA-512-guess-2026-07";
    const LOGN: u32 = FN_DSA_LOGN_512;
    type Generator = KeyPairGenerator512;
    type Signer = SigningKey512;
    type Verifier = VerifyingKey512;
}

struct Degree1024;

impl Degree for Degree1024 {
    const ALGORITHM: &'static str = "FN-DSA-1024-guess-2026-07";
    const LOGN: u32 = FN_DSA_LOGN_1024;
    type Generator = KeyPairGenerator1024;
    type Signer = SigningKey1024;
    type Verifier = VerifyingKey1024;
}

/// Signing key aligned to cache lines, as in the adapter for fn-dsa 0.3. The crate works on vectors inside the key.
#[repr(align(64))]
struct Aligned<S>(S);

struct FnDsa<D>(PhantomData<D>);

impl<D: Degree> Signature for FnDsa<D> {
    const ALGORITHM: &'static str = D::ALGORITHM;
    const PRIVATE_KEYS: &'static [(&'static str, usize)] = &[("expanded", sign_key_size(D::LOGN))];
    const PUBLIC_KEY: usize = vrfy_key_size(D::LOGN);
    const HAS_CONTEXT: bool = true;
    const IS_HEDGED: bool = true;
    /// Encoded keys: the crate writes nothing else.
    type Pair = [Vec<u8>; 2];
    type PublicKey = D::Verifier;
    type PrivateKey = Box<Aligned<D::Signer>>;
    type Signature = Vec<u8>;

    fn generate() -> Result<Self::Pair, Failure> {
        let mut private = vec![0; sign_key_size(D::LOGN)];
        let mut public = vec![0; vrfy_key_size(D::LOGN)];
        D::Generator::default().keygen(D::LOGN, &mut OsRng, &mut private, &mut public);
        Ok([public, private])
    }

    fn encode(pair: &Self::Pair) -> Result<[Vec<u8>; 2], Failure> {
        Ok(pair.clone())
    }

    fn load_public(key: &[u8]) -> Result<Self::PublicKey, Failure> {
        D::Verifier::decode(key).ok_or_else(|| Failure::library("public key", "malformed"))
    }

    fn load_private(_: &str, key: &[u8]) -> Result<Self::PrivateKey, Failure> {
        let key = D::Signer::decode(key).ok_or_else(|| Failure::library("private key", "malformed"))?;
        Ok(Box::new(Aligned(key)))
    }

    fn sign(key: &mut Self::PrivateKey, context: &[u8], message: &[u8]) -> Result<Self::Signature, Failure> {
        let mut signature = vec![0; signature_size(D::LOGN)];
        let signed = key.0.sign(&mut OsRng, &DomainContext(context), &HASH_ID_RAW, message, &mut signature);
        signed.map(|()| signature).ok_or_else(|| Failure::library("signing", "the private key is invalid"))
    }

    fn verify(key: &Self::PublicKey, context: &[u8], message: &[u8], signature: &[u8]) -> bool {
        key.verify(signature, &DomainContext(context), &HASH_ID_RAW, message)
    }
}

fn main() -> ExitCode {
    let offers = [signature::<FnDsa<Degree512>>(), signature::<FnDsa<Degree1024>>()];
    serve("fn-dsa", SYSTEM_GENERATOR, &offers)
}
