//! KEMs, X25519 and hash functions that a program offers. Every operation sends a request to the program. pqlab uses
//! these operations only to check the program's results, and never times them.

use super::ProcessError;
use super::offer::Offer;
use super::program::Program;
use pqlab_primitives::{
    Coins, DecapsulationKey, EncapsulationKey, Error, Hash, HashParameters, Kem, KemInfo, KemParameters, KeyAgreement,
    KeyAgreementInfo, KeyAgreementParameters, KeyEncoding, PrivateKey, Result,
};
use std::sync::Arc;

/// Requests an operation and returns its outputs. With `exact`, every output must have its length in `lengths`.
/// Otherwise, outputs may be shorter.
pub(super) fn call<const N: usize>(
    program: &Program,
    operation: &'static str,
    algorithm: &str,
    inputs: &[&[u8]],
    lengths: [usize; N],
    exact: bool,
) -> Result<[Vec<u8>; N]> {
    let fields: Vec<&[u8]> =
        [operation.as_bytes(), algorithm.as_bytes()].into_iter().chain(inputs.iter().copied()).collect();
    let outputs = program.ask("call", &fields).map_err(|error| match error {
        // Count a rejection as an invalid key, ciphertext or signature, except in key generation
        // and hashing, which receive none of these.
        ProcessError::Refused { .. } if !matches!(operation, "keygen" | "digest") => {
            Error::Malformed("input: rejected by the worker")
        }
        error => error.of_library(operation),
    })?;
    let wrong = || Error::Library { call: operation, detail: "wrong number or length of outputs in the answer".into() };
    let outputs = <[Vec<u8>; N]>::try_from(outputs).map_err(|_| wrong())?;
    let fits = |(output, length): (&Vec<u8>, &usize)| output.len() == *length || (!exact && output.len() < *length);
    if outputs.iter().zip(&lengths).all(fits) { Ok(outputs) } else { Err(wrong()) }
}

/// Returns the random bytes to send with a request, or an empty slice if the program generates random bytes. Fails if
/// the caller supplies random bytes and the program does not accept them (`taken`).
pub(super) fn carried<'a>(coins: Coins<'a>, taken: bool, length: usize) -> Result<&'a [u8]> {
    match coins {
        Coins::Internal => Ok(&[]),
        Coins::Exact(_) if !taken => {
            Err(Error::Unsupported("the worker does not accept caller-supplied randomness for this operation"))
        }
        Coins::Exact(bytes) => Error::check_length("coins", length, bytes.len()).map(|()| bytes),
    }
}

/// Copies `bytes` to a buffer of exactly the same length.
pub(super) fn copy(what: &'static str, bytes: &[u8], out: &mut [u8]) -> Result<()> {
    Error::check_length(what, bytes.len(), out.len())?;
    out.copy_from_slice(bytes);
    Ok(())
}

/// Copies `bytes` to the front of a buffer and returns the number of copied bytes.
pub(super) fn copy_front(what: &'static str, bytes: &[u8], out: &mut [u8]) -> Result<usize> {
    let actual = out.len();
    let front = out.get_mut(..bytes.len()).ok_or(Error::Length { what, expected: bytes.len(), actual })?;
    front.copy_from_slice(bytes);
    Ok(bytes.len())
}

#[derive(Clone)]
pub(super) struct RemoteKem(Arc<KemOf>);

struct KemOf {
    program: Arc<Program>,
    info: KemInfo,
    written: Vec<KeyEncoding>,
}

impl RemoteKem {
    pub(super) fn new(program: Arc<Program>, parameters: KemParameters, offer: Offer) -> RemoteKem {
        let written = offer.encodings.iter().take(1).copied().collect();
        let info = KemInfo { parameters, encodings: offer.encodings, coins: offer.coins };
        RemoteKem(Arc::new(KemOf { program, info, written }))
    }

    fn call<const N: usize>(
        &self,
        operation: &'static str,
        inputs: &[&[u8]],
        lengths: [usize; N],
    ) -> Result<[Vec<u8>; N]> {
        call(&self.0.program, operation, &self.0.info.parameters.algorithm, inputs, lengths, true)
    }

    /// Generates a key pair. Returns the encapsulation key, the encoding of the decapsulation key, and the encoded
    /// decapsulation key.
    fn pair(&self, coins: Coins) -> Result<(Vec<u8>, KeyEncoding, Vec<u8>)> {
        let KemInfo { parameters, encodings, coins: taken } = &self.0.info;
        let encoding = *encodings.first().ok_or(Error::Unsupported("the worker offers no private-key encoding"))?;
        let unknown = Error::Unsupported("the worker's private-key encoding does not exist for this algorithm");
        let private = parameters.decapsulation_key(encoding).ok_or(unknown)?;
        let seed = carried(coins, taken.keygen, parameters.keygen_coins)?;
        let [public, private] = self.call("keygen", &[seed], [parameters.encapsulation_key, private])?;
        Ok((public, encoding, private))
    }

    fn key(&self, coins: Coins) -> Result<RemoteKey> {
        let (public, encoding, private) = self.pair(coins)?;
        Ok(RemoteKey { kem: self.clone(), public: Some(public), encoding, private })
    }

    fn load(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<RemoteKey> {
        let KemInfo { parameters, encodings, coins } = &self.0.info;
        let length = parameters.decapsulation_key(encoding).filter(|_| encodings.contains(&encoding));
        let length = length.ok_or(Error::Unsupported("the worker does not read this encoding"))?;
        Error::check_length("decapsulation key", length, bytes.len())?;
        let public = match encoding {
            KeyEncoding::Expanded => public_half(parameters, bytes).map(<[u8]>::to_vec),
            // These encodings are also the coins for key generation: `d || z` for ML-KEM, the scalar for X25519.
            KeyEncoding::Seed | KeyEncoding::Scalar if coins.keygen => Some(self.pair(Coins::Exact(bytes))?.0),
            _ => None,
        };
        Ok(RemoteKey { kem: self.clone(), public, encoding, private: bytes.to_vec() })
    }
}

/// Returns the encapsulation key from an expanded decapsulation key, or `None` if it contains none in a known place.
fn public_half<'a>(parameters: &KemParameters, key: &'a [u8]) -> Option<&'a [u8]> {
    let public = parameters.encapsulation_key;
    let start = match parameters.algorithm.split(|letter: char| !letter.is_ascii_alphabetic()).next()? {
        // dk_PKE || ek || H(ek) || z (FIPS 203, algorithm 16).
        "ML" => key.len().checked_sub(64 + public)?,
        // ek || dk_PKE || sigma || seed_KEM (HQC specification of 2025-08-22).
        "HQC" => 0,
        // s || ek || S || H(ek), where s is as long as the shared secret (FrodoKEM, ISO proposal).
        "FrodoKEM" | "eFrodoKEM" => parameters.shared_secret,
        // f || 1/g || ek || rho || H(ek), where f, 1/g and rho have the same length (NTRU Prime, round 3).
        "sntrup" => 2 * (key.len().checked_sub(32 + public)? / 3),
        _ => return None,
    };
    key.get(start..start + public)
}

impl Kem for RemoteKem {
    fn info(&self) -> &KemInfo {
        &self.0.info
    }

    fn written(&self) -> &[KeyEncoding] {
        &self.0.written
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        let (public, _, private) = self.pair(coins)?;
        copy("encapsulation key", &public, encapsulation_key)?;
        copy("decapsulation key", &private, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(self.key(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Error::check_length("encapsulation key", self.0.info.parameters.encapsulation_key, bytes.len())?;
        Ok(Box::new(RemoteRecipient { kem: self.clone(), bytes: bytes.to_vec() }))
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(Box::new(self.load(encoding, bytes)?))
    }
}

struct RemoteRecipient {
    kem: RemoteKem,
    bytes: Vec<u8>,
}

impl EncapsulationKey for RemoteRecipient {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let KemInfo { parameters, coins: taken, .. } = &self.kem.0.info;
        let coins = carried(coins, taken.operation, parameters.encapsulation_coins)?;
        let lengths = [parameters.ciphertext, parameters.shared_secret];
        let [sent, shared] = self.kem.call("encapsulate", &[&self.bytes, coins], lengths)?;
        copy("ciphertext", &sent, ciphertext)?;
        copy("secret", &shared, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        copy_front("encapsulation key", &self.bytes, out)
    }
}

struct RemoteKey {
    kem: RemoteKem,
    /// The encapsulation key. `None` if the program did not return it and it cannot be derived.
    public: Option<Vec<u8>>,
    encoding: KeyEncoding,
    private: Vec<u8>,
}

impl RemoteKey {
    fn public(&self) -> Result<&[u8]> {
        self.public.as_deref().ok_or(Error::Unsupported("the worker does not return the public key"))
    }
}

impl DecapsulationKey for RemoteKey {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let parameters = &self.kem.0.info.parameters;
        Error::check_length("ciphertext", parameters.ciphertext, ciphertext.len())?;
        let inputs = [self.encoding.name().as_bytes(), &self.private, ciphertext];
        let [shared] = self.kem.call("decapsulate", &inputs, [parameters.shared_secret])?;
        copy("secret", &shared, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        self.kem.load_encapsulation_key(self.public()?)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != self.encoding {
            return Err(Error::Unsupported("the worker does not write keys in this encoding"));
        }
        copy_front("decapsulation key", &self.private, out)
    }
}

/// X25519 key agreement, computed with the program's X25519 KEM. The peer's public key serves as the ciphertext.
#[derive(Clone)]
pub(super) struct RemoteAgreement {
    kem: RemoteKem,
    info: Arc<KeyAgreementInfo>,
}

impl RemoteAgreement {
    /// Returns the key agreement if the KEM is X25519 with scalars as private keys, otherwise `None`.
    pub(super) fn new(kem: &RemoteKem) -> Option<RemoteAgreement> {
        let KemInfo { parameters, encodings, coins } = &kem.0.info;
        let is = parameters.algorithm == KeyAgreementParameters::X25519.algorithm;
        let info = KeyAgreementInfo { parameters: KeyAgreementParameters::X25519, exact_coins: coins.keygen };
        (is && encodings[..] == [KeyEncoding::Scalar]).then(|| RemoteAgreement { kem: kem.clone(), info: info.into() })
    }
}

impl KeyAgreement for RemoteAgreement {
    fn info(&self) -> &KeyAgreementInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, public_key: &mut [u8], private_key: &mut [u8]) -> Result<()> {
        self.kem.generate_encoded(coins, public_key, private_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(self.kem.key(coins)?))
    }

    fn load_private_key(&self, bytes: &[u8]) -> Result<Box<dyn PrivateKey>> {
        Ok(Box::new(self.kem.load(KeyEncoding::Scalar, bytes)?))
    }
}

impl PrivateKey for RemoteKey {
    fn agree(&self, peer_public_key: &[u8], secret: &mut [u8]) -> Result<()> {
        Error::check_length("public key", self.kem.0.info.parameters.encapsulation_key, peer_public_key.len())?;
        self.decapsulate(peer_public_key, secret)
    }

    fn public_key(&self, out: &mut [u8]) -> Result<()> {
        copy("public key", self.public()?, out)
    }

    fn encode(&self, out: &mut [u8]) -> Result<()> {
        copy("private key", &self.private, out)
    }
}

pub(super) struct RemoteHash {
    pub(super) program: Arc<Program>,
    pub(super) parameters: HashParameters,
}

impl Hash for RemoteHash {
    fn info(&self) -> &HashParameters {
        &self.parameters
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        let HashParameters { algorithm, digest, .. } = &self.parameters;
        let [found] = call(&self.program, "digest", algorithm, &[message], [*digest], true)?;
        copy("digest", &found, out)
    }
}
