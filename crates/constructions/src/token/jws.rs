//! JWS compact serialization (RFC 7515, section 3.1): header, payload and signature in base64url, separated by dots.

use super::{Algorithm, TokenError, json};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pqlab_primitives::{Coins, SigningKey, VerifyingKey};
use serde_json::Value;

const WHAT: &str = "JWS";

fn malformed(problem: &'static str) -> TokenError {
    TokenError::Malformed { what: WHAT, problem }
}

/// Creates a token. `coins` goes to the signature scheme; `Coins::Exact(&[])` requests a deterministic signature.
///
/// # Errors
/// Propagates errors from the signing library.
pub fn make(
    algorithm: &Algorithm,
    key: &dyn SigningKey,
    key_id: Option<&str>,
    payload: &[u8],
    coins: Coins,
) -> Result<String, TokenError> {
    let mut token = String::with_capacity(length(algorithm, key_id, payload.len()));
    URL_SAFE_NO_PAD.encode_string(header(algorithm, key_id), &mut token);
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(payload, &mut token);
    let signature = algorithm.sign(key, token.as_bytes(), coins)?;
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut token);
    Ok(token)
}

/// Returns the length in characters of the token that [`make`] returns for a payload of `payload` bytes.
pub fn length(algorithm: &Algorithm, key_id: Option<&str>, payload: usize) -> usize {
    let parts = [header(algorithm, key_id).len(), payload, algorithm.signature()];
    parts.into_iter().map(encoded_len).sum::<usize>() + 2
}

/// Returns the length in characters of `bytes` bytes in base64url without padding.
pub const fn encoded_len(bytes: usize) -> usize {
    (4 * bytes).div_ceil(3)
}

/// Encodes a thumbprint in base64url, for use as a key identifier.
pub fn key_id_text(thumbprint: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(thumbprint)
}

fn header(algorithm: &Algorithm, key_id: Option<&str>) -> String {
    match key_id {
        // `Value` escapes the string.
        Some(key_id) => format!(r#"{{"alg":"{}","kid":{}}}"#, algorithm.jose, Value::from(key_id)),
        None => format!(r#"{{"alg":"{}"}}"#, algorithm.jose),
    }
}

/// A parsed token with a signature that is not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jws<'a> {
    algorithm: String,
    key_id: Option<String>,
    /// Names of the other header parameters, sorted.
    others: Vec<String>,
    payload: Vec<u8>,
    signature: Vec<u8>,
    signed: &'a str,
}

impl<'a> Jws<'a> {
    /// Parses a token.
    ///
    /// # Errors
    /// [`TokenError::Malformed`] if the string is not a token, or if the encoding is not canonical.
    pub fn parse(token: &'a str) -> Result<Jws<'a>, TokenError> {
        let (signed, signature) = token.rsplit_once('.').ok_or(malformed("does not have three parts"))?;
        let (header, payload) = signed.split_once('.').ok_or(malformed("does not have three parts"))?;
        // This also rejects a third dot, which is not in the base64url alphabet.
        let decode = |part: &str| {
            URL_SAFE_NO_PAD.decode(part).map_err(|_| malformed("is not canonical base64url without padding"))
        };
        let mut members = json::object(&decode(header)?).map_err(malformed)?;
        // Critical headers (RFC 7515, section 4.1.11) are not supported. Unencoded payloads (RFC 7797, section 6) are
        // also rejected if `crit` does not list `b64`.
        if members.contains_key("crit") || members.contains_key("b64") {
            return Err(malformed("has an unsupported critical header parameter"));
        }
        let algorithm = match members.remove("alg") {
            Some(Value::String(algorithm)) => algorithm,
            _ => return Err(malformed("does not name its algorithm")),
        };
        let key_id = match members.remove("kid") {
            Some(Value::String(key_id)) => Some(key_id),
            None => None,
            Some(_) => return Err(malformed("has a key identifier that is not a string")),
        };
        let mut others: Vec<String> = members.keys().cloned().collect();
        others.sort();
        Ok(Jws { algorithm, key_id, others, payload: decode(payload)?, signature: decode(signature)?, signed })
    }

    /// Returns the algorithm that the token claims. Do not rely on this claim.
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// Returns the identifier of the key that must verify the token, if present.
    pub fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    /// Returns the length of the signature in bytes.
    pub fn signature_len(&self) -> usize {
        self.signature.len()
    }

    /// Returns the names of all header parameters other than the algorithm and the key identifier, sorted.
    pub fn other_parameters(&self) -> &[String] {
        &self.others
    }

    /// Verifies the signature and returns the payload.
    ///
    /// # Errors
    /// [`TokenError::Algorithm`] if the token names a different algorithm; [`TokenError::Signature`] if the signature
    /// is invalid.
    pub fn verify(&self, algorithm: &Algorithm, key: &dyn VerifyingKey) -> Result<&[u8], TokenError> {
        if !algorithm.is_jose(&self.algorithm) {
            return Err(TokenError::Algorithm { what: WHAT, expected: algorithm.jose });
        }
        algorithm.verify(WHAT, key, self.signed.as_bytes(), &self.signature)?;
        Ok(&self.payload)
    }
}
