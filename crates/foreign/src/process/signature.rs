//! Signature schemes that a program offers. Every operation sends a request to the program. pqlab uses these
//! operations only to check the program's results, and never times them.

use super::call::{call, carried, copy_front};
use super::offer::Offer;
use super::program::Program;
use pqlab_primitives::{
    CoinSupport, Coins, Error, KeyEncoding, KeyLengths, Result, SignatureInfo, SignatureParameters, SignatureScheme,
    SigningKey, VerifyingKey,
};
use std::sync::Arc;

const NO_COINS: Error = Error::Unsupported("this worker does not sign with caller-supplied randomness");
const NO_CONTEXT: Error = Error::Unsupported("the worker does not accept a context");

#[derive(Clone)]
pub(super) struct RemoteScheme(Arc<Scheme>);

struct Scheme {
    program: Arc<Program>,
    info: SignatureInfo,
    written: Vec<KeyEncoding>,
}

impl RemoteScheme {
    pub(super) fn new(program: Arc<Program>, parameters: SignatureParameters, offer: Offer) -> RemoteScheme {
        let written = offer.encodings.iter().take(1).copied().collect();
        let info = SignatureInfo {
            parameters,
            encodings: offer.encodings,
            coins: CoinSupport { keygen: offer.coins.keygen, operation: offer.coins.operation },
            context: offer.context,
            hedged: offer.hedged,
        };
        RemoteScheme(Arc::new(Scheme { program, info, written }))
    }

    fn call<const N: usize>(
        &self,
        operation: &'static str,
        inputs: &[&[u8]],
        lengths: [usize; N],
        exact: bool,
    ) -> Result<[Vec<u8>; N]> {
        call(&self.0.program, operation, &self.0.info.parameters.algorithm, inputs, lengths, exact)
    }

    fn pair(&self, coins: Coins) -> Result<(Vec<u8>, KeyEncoding, Vec<u8>)> {
        let SignatureInfo { parameters, encodings, coins: taken, .. } = &self.0.info;
        let encoding = *encodings.first().ok_or(Error::Unsupported("the worker offers no private-key encoding"))?;
        let unknown = Error::Unsupported("the worker's private-key encoding does not exist for this algorithm");
        let private = parameters.signing_key(encoding).ok_or(unknown)?;
        let seed = carried(coins, taken.keygen, parameters.keygen_coins)?;
        let [public, private] = self.call("keygen", &[seed], [parameters.verifying_key, private], true)?;
        Ok((public, encoding, private))
    }

    /// Appends the context to the inputs unless the context is empty. Fails if the program takes no context.
    fn with_context<'a>(&self, inputs: [&'a [u8]; 3], context: &'a [u8]) -> Result<Vec<&'a [u8]>> {
        if context.is_empty() {
            return Ok(inputs.to_vec());
        }
        if !self.0.info.context {
            return Err(NO_CONTEXT);
        }
        Ok(inputs.into_iter().chain([context]).collect())
    }
}

impl SignatureScheme for RemoteScheme {
    fn info(&self) -> &SignatureInfo {
        &self.0.info
    }

    fn written(&self) -> &[KeyEncoding] {
        &self.0.written
    }

    /// Returns true for hedged schemes, and for Falcon, which samples randomly for each signature.
    fn draws_to_sign(&self) -> bool {
        self.0.info.hedged || self.0.info.parameters.algorithm.starts_with("Falcon")
    }

    fn generate_encoded(&self, coins: Coins, verifying_key: &mut [u8], signing_key: &mut [u8]) -> Result<KeyLengths> {
        let (public, _, private) = self.pair(coins)?;
        let verifying = copy_front("verifying key", &public, verifying_key)?;
        Ok((verifying, copy_front("signing key", &private, signing_key)?))
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn SigningKey>> {
        let (public, encoding, private) = self.pair(coins)?;
        Ok(Box::new(RemoteSigner { scheme: self.clone(), public: Some(public), encoding, private }))
    }

    fn load_signing_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn SigningKey>> {
        let SignatureInfo { parameters, encodings, coins, .. } = &self.0.info;
        let length = parameters.signing_key(encoding).filter(|_| encodings.contains(&encoding));
        let length = length.ok_or(Error::Unsupported("the worker does not read this encoding"))?;
        Error::check_length("signing key", length, bytes.len())?;
        let from_seed = coins.keygen && length == parameters.keygen_coins;
        let public = if from_seed { Some(self.pair(Coins::Exact(bytes))?.0) } else { None };
        Ok(Box::new(RemoteSigner { scheme: self.clone(), public, encoding, private: bytes.to_vec() }))
    }

    fn load_verifying_key(&self, bytes: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Error::check_length("verifying key", self.0.info.parameters.verifying_key, bytes.len())?;
        Ok(Box::new(RemoteVerifier { scheme: self.clone(), bytes: bytes.to_vec() }))
    }
}

struct RemoteSigner {
    scheme: RemoteScheme,
    /// The verifying key. `None` if the program did not return it and it cannot be derived.
    public: Option<Vec<u8>>,
    encoding: KeyEncoding,
    private: Vec<u8>,
}

impl SigningKey for RemoteSigner {
    fn sign(&self, context: &[u8], message: &[u8], coins: Coins, out: &mut [u8]) -> Result<usize> {
        let info = &self.scheme.0.info;
        let mut inputs = vec![self.encoding.name().as_bytes(), self.private.as_slice(), message];
        match coins {
            Coins::Exact(coins) if info.coins.operation => {
                if !(context.is_empty() || info.context) {
                    return Err(NO_CONTEXT);
                }
                if !coins.is_empty() {
                    Error::check_length("coins", info.parameters.signing_coins, coins.len())?;
                }
                inputs.extend([context, coins]);
            }
            // A scheme that draws no random bytes signs deterministically anyway, so it accepts empty coins.
            Coins::Exact(coins) if self.scheme.draws_to_sign() || !coins.is_empty() => return Err(NO_COINS),
            _ => inputs = self.scheme.with_context([inputs[0], inputs[1], inputs[2]], context)?,
        }
        let exact = !info.parameters.variable_length;
        let [signature] = self.scheme.call("sign", &inputs, [info.parameters.signature], exact)?;
        copy_front("signature", &signature, out)
    }

    fn verifying_key(&self) -> Result<Box<dyn VerifyingKey>> {
        let public = self.public.as_ref().ok_or(Error::Unsupported("the worker does not return the public key"))?;
        self.scheme.load_verifying_key(public)
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != self.encoding {
            return Err(Error::Unsupported("the worker does not write keys in this encoding"));
        }
        copy_front("signing key", &self.private, out)
    }
}

struct RemoteVerifier {
    scheme: RemoteScheme,
    bytes: Vec<u8>,
}

impl VerifyingKey for RemoteVerifier {
    fn verify(&self, context: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
        let inputs = self.scheme.with_context([&self.bytes, message, signature], context)?;
        match self.scheme.call("verify", &inputs, [1], true)? {
            [valid] if valid == b"1" => Ok(()),
            [valid] if valid == b"0" => Err(Error::VerificationFailed),
            _ => Err(Error::Library { call: "verify", detail: "the worker's answer is neither 1 nor 0".into() }),
        }
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        copy_front("verifying key", &self.bytes, out)
    }
}
