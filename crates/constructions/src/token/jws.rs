//! JWS in its compact serialisation (RFC 7515, section 3.1): header, payload and signature in base64url, with dots between them.

use super::{Algorithm, TokenError, json};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pqlab_primitives::{Coins, SigningKey, VerifyingKey};
use serde_json::Value;

const WHAT: &str = "JWS";

fn malformed(problem: &'static str) -> TokenError {
    TokenError::Malformed { what: WHAT, problem }
}

/// Makes a token of a payload. `coins` are those of the scheme's signing; empty ones ask for a deterministic signature.
///
/// # Errors
/// What the signing library says.
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

/// Length in characters of the token that [`make`] makes of so many bytes.
pub fn length(algorithm: &Algorithm, key_id: Option<&str>, payload: usize) -> usize {
    let parts = [header(algorithm, key_id).len(), payload, algorithm.signature()];
    parts.into_iter().map(encoded_len).sum::<usize>() + 2
}

/// Characters of base64url without padding.
pub const fn encoded_len(bytes: usize) -> usize {
    (4 * bytes).div_ceil(3)
}

/// A thumbprint as a key identifier: in base64url.
pub fn key_id_text(thumbprint: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(thumbprint)
}

fn header(algorithm: &Algorithm, key_id: Option<&str>) -> String {
    match key_id {
        // The text of a JSON string is that of its value with escapes.
        Some(key_id) => format!(r#"{{"alg":"{}","kid":{}}}"#, algorithm.jose, Value::from(key_id)),
        None => format!(r#"{{"alg":"{}"}}"#, algorithm.jose),
    }
}

/// A token that was read; nobody has verified it yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jws<'a> {
    algorithm: String,
    key_id: Option<String>,
    payload: Vec<u8>,
    signature: Vec<u8>,
    signed: &'a str,
}

impl<'a> Jws<'a> {
    /// Reads a token.
    ///
    /// # Errors
    /// [`TokenError::Malformed`] where another encoding of the same is the only one that is accepted, too.
    pub fn parse(token: &'a str) -> Result<Jws<'a>, TokenError> {
        let (signed, signature) = token.rsplit_once('.').ok_or(malformed("has no three parts"))?;
        let (header, payload) = signed.split_once('.').ok_or(malformed("has no three parts"))?;
        // Another dot is no character of base64url.
        let decode = |part: &str| {
            URL_SAFE_NO_PAD.decode(part).map_err(|_| malformed("is not base64url without padding in its only form"))
        };
        let mut members = json::object(&decode(header)?).map_err(malformed)?;
        // Nothing that would have to be understood is (RFC 7515, section 4.1.11); a payload that is not encoded is such a thing
        // (RFC 7797, section 6), whether it is said or not.
        if members.contains_key("crit") || members.contains_key("b64") {
            return Err(malformed("has a header that must be understood and is not"));
        }
        let algorithm = match members.remove("alg") {
            Some(Value::String(algorithm)) => algorithm,
            _ => return Err(malformed("does not say its algorithm")),
        };
        let key_id = match members.remove("kid") {
            Some(Value::String(key_id)) => Some(key_id),
            None => None,
            Some(_) => return Err(malformed("has a key identifier that is no string")),
        };
        Ok(Jws { algorithm, key_id, payload: decode(payload)?, signature: decode(signature)?, signed })
    }

    /// The algorithm that it names, of which nobody should believe a word.
    pub fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// Which of the verifier's keys it asks for.
    pub fn key_id(&self) -> Option<&str> {
        self.key_id.as_deref()
    }

    /// Verifies the signature and hands out the payload.
    ///
    /// # Errors
    /// [`TokenError::Algorithm`] where it names another one; [`TokenError::Signature`].
    pub fn verify(&self, algorithm: &Algorithm, key: &dyn VerifyingKey) -> Result<&[u8], TokenError> {
        if !algorithm.is_jose(&self.algorithm) {
            return Err(TokenError::Algorithm { what: WHAT, expected: algorithm.jose });
        }
        algorithm.verify(WHAT, key, self.signed.as_bytes(), &self.signature)?;
        Ok(&self.payload)
    }
}
