//! ML-DSA keys as JWK and COSE_Key of type AKP, "algorithm key pair" (RFC 9964, section 3). A JWK or COSE_Key contains
//! the public key and, if the key is private, the seed.

use super::{Algorithm, TokenError, json};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use coset::cbor::Value as Cbor;
use coset::iana::{self, EnumI64};
use coset::{CborSerializable, CoseKey, KeyType, Label, RegisteredLabelWithPrivate};
use pqlab_primitives::{Coins, Error, Hash, SignatureParameters, SignatureScheme, Wiped};
use serde_json::Value;

const JWK: &str = "JWK";
const COSE_KEY: &str = "COSE_Key";
/// Length in bytes of an ML-DSA seed.
const SEED: usize = 32;
const PUBLIC: i64 = -1;
const PRIVATE: i64 = -2;

fn malformed(what: &'static str, problem: &'static str) -> TokenError {
    TokenError::Malformed { what, problem }
}

/// Parameters of a COSE_Key that do not define the key: the label and, for the key identifier, the value.
pub type OtherParameters = Vec<(String, Vec<u8>)>;

/// An ML-DSA-44, -65 or -87 key.
#[derive(Clone)]
pub struct AkpKey {
    algorithm: &'static Algorithm,
    public: Vec<u8>,
    seed: Option<Wiped<Vec<u8>>>,
}

impl AkpKey {
    /// Creates a key from an encoded verifying key and, for a private key, its seed.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the algorithm does not use keys of type AKP; [`Error::Length`] if a part has the wrong
    /// length.
    pub fn new(algorithm: &'static Algorithm, public: &[u8], seed: Option<&[u8]>) -> Result<AkpKey, TokenError> {
        let parameters = SignatureParameters::find(algorithm.primitive).filter(|_| akp(algorithm));
        let parameters = parameters.ok_or(Error::Unsupported("keys of type AKP exist only for ML-DSA"))?;
        Error::check_length("verifying key", parameters.verifying_key, public.len())?;
        Error::check_length("seed", SEED, seed.map_or(SEED, <[u8]>::len))?;
        Ok(AkpKey { algorithm, public: public.to_vec(), seed: seed.map(|seed| Wiped::new(seed.to_vec())) })
    }

    /// Returns the algorithm. An AKP key always names exactly one.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Returns the verifying key.
    pub fn public(&self) -> &[u8] {
        &self.public
    }

    /// Returns the seed, if the key is private.
    pub fn seed(&self) -> Option<&[u8]> {
        self.seed.as_ref().map(|seed| seed.as_slice())
    }

    /// Checks that the seed generates the verifying key (RFC 9964, section 7.4).
    ///
    /// # Errors
    /// [`TokenError::Malformed`] if the seed is missing or generates another key. Propagates errors from the library.
    pub fn check(&self, scheme: &dyn SignatureScheme) -> Result<(), TokenError> {
        let seed = self.seed().ok_or(malformed("key", "has no seed"))?;
        let mut public = vec![0; self.public.len()];
        scheme.generate(Coins::Exact(seed))?.verifying_key()?.encode(&mut public)?;
        if public == self.public { Ok(()) } else { Err(malformed("key", "has a seed for a different public key")) }
    }

    /// Returns the public key as a JWK with only the members that the thumbprint covers, in the thumbprint's order.
    pub fn public_jwk(&self) -> String {
        format!(r#"{{"alg":"{}","kty":"AKP","pub":"{}"}}"#, self.algorithm.jose, URL_SAFE_NO_PAD.encode(&self.public))
    }

    /// Parses a public or private JWK. Ignores unrelated members.
    ///
    /// # Errors
    /// [`TokenError`] naming the problem.
    pub fn from_jwk(text: &str) -> Result<AkpKey, TokenError> {
        let members = json::object(text.as_bytes()).map_err(|problem| malformed(JWK, problem))?;
        let member = |name: &str| members.get(name).and_then(Value::as_str);
        if member("kty") != Some("AKP") {
            return Err(malformed(JWK, "is not of type AKP"));
        }
        if !members.contains_key("alg") {
            return Err(malformed(JWK, "names no algorithm"));
        }
        let algorithm = Algorithm::all().find(|algorithm| akp(algorithm) && member("alg") == Some(algorithm.jose));
        let algorithm = algorithm.ok_or(malformed(JWK, "has an unknown algorithm"))?;
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| malformed(JWK, "is not valid base64url"));
        let public = bytes(member("pub").ok_or(malformed(JWK, "has no public key"))?)?;
        let seed = match members.get("priv") {
            Some(Value::String(text)) => Some(Wiped::new(bytes(text)?)),
            Some(_) => return Err(malformed(JWK, "has a private key that is not a string")),
            None => None,
        };
        AkpKey::new(algorithm, &public, seed.as_ref().map(|seed| seed.as_slice()))
    }

    /// Returns the thumbprint of the JWK (RFC 7638; RFC 9964, section 6).
    ///
    /// # Errors
    /// Propagates errors from the library.
    pub fn jwk_thumbprint(&self, sha256: &dyn Hash) -> Result<[u8; 32], TokenError> {
        digest(sha256, self.public_jwk().as_bytes())
    }

    /// Encodes the public key deterministically as a COSE_Key with only the parameters that the thumbprint covers.
    ///
    /// # Errors
    /// [`TokenError::Malformed`] if the encoding fails, which cannot happen at these lengths.
    pub fn public_cose_key(&self) -> Result<Vec<u8>, TokenError> {
        let key = CoseKey {
            kty: KeyType::Assigned(iana::KeyType::AKP),
            alg: Some(RegisteredLabelWithPrivate::Assigned(self.algorithm.cose)),
            params: vec![(Label::Int(PUBLIC), Cbor::Bytes(self.public.clone()))],
            ..CoseKey::default()
        };
        key.to_vec().map_err(|_| malformed(COSE_KEY, "cannot be encoded"))
    }

    /// Parses a deterministically encoded COSE_Key, public or private, with or without a key identifier.
    ///
    /// # Errors
    /// [`TokenError`] naming the problem.
    pub fn from_cose_key(bytes: &[u8]) -> Result<AkpKey, TokenError> {
        let (read, others) = AkpKey::from_any_cose_key(bytes)?;
        if others.iter().any(|(label, _)| label.parse() != Ok(iana::KeyParameter::Kid.to_i64())) {
            return Err(malformed(COSE_KEY, "has parameters other than a public key and a seed"));
        }
        let key = CoseKey::from_slice(bytes).map_err(|_| malformed(COSE_KEY, "is malformed"))?;
        // The library keeps the order of the parameters. -1 must precede -2.
        let is_sorted = key.params.is_sorted_by_key(|(label, _)| match label {
            Label::Int(number) => number.unsigned_abs(),
            Label::Text(_) => u64::MAX,
        });
        if !is_sorted || !key.to_vec().is_ok_and(|again| again == bytes) {
            return Err(malformed(COSE_KEY, "is not encoded deterministically"));
        }
        Ok(read)
    }

    /// Parses a COSE_Key, public or private, in any encoding. Also returns the other parameters.
    ///
    /// # Errors
    /// [`TokenError`] naming the problem.
    pub fn from_any_cose_key(bytes: &[u8]) -> Result<(AkpKey, OtherParameters), TokenError> {
        let key = CoseKey::from_slice(bytes).map_err(|error| {
            let problem = match error {
                coset::CoseError::DuplicateMapKey => "has a duplicate label",
                coset::CoseError::ExtraneousData => "has trailing bytes",
                _ => "is malformed",
            };
            malformed(COSE_KEY, problem)
        })?;
        if key.kty != KeyType::Assigned(iana::KeyType::AKP) {
            return Err(malformed(COSE_KEY, "is not of type AKP"));
        }
        if key.alg.is_none() {
            return Err(malformed(COSE_KEY, "names no algorithm"));
        }
        let named = |algorithm: &&Algorithm| {
            akp(algorithm) && key.alg == Some(RegisteredLabelWithPrivate::Assigned(algorithm.cose))
        };
        let algorithm = Algorithm::all().find(named);
        let algorithm = algorithm.ok_or(malformed(COSE_KEY, "has an unknown algorithm"))?;
        let find =
            |wanted: i64| key.params.iter().find(|(label, _)| *label == Label::Int(wanted)).map(|(_, value)| value);
        let bytes = |value: &Cbor| value.as_bytes().cloned().map(Wiped::new);
        let not_bytes = malformed(COSE_KEY, "has a key that is not a byte string");
        let public = find(PUBLIC).ok_or(malformed(COSE_KEY, "has no public key"))?;
        let public = bytes(public).ok_or(not_bytes.clone())?;
        let seed = find(PRIVATE).map(|seed| bytes(seed).ok_or(not_bytes)).transpose()?;
        let read = AkpKey::new(algorithm, &public, seed.as_ref().map(|seed| seed.as_slice()))?;
        let common = [
            (iana::KeyParameter::Kid, !key.key_id.is_empty()),
            (iana::KeyParameter::KeyOps, !key.key_ops.is_empty()),
            (iana::KeyParameter::BaseIv, !key.base_iv.is_empty()),
        ];
        let common = common.into_iter().filter(|(_, present)| *present).map(|(label, _)| match label {
            iana::KeyParameter::Kid => (label.to_i64().to_string(), key.key_id.clone()),
            label => (label.to_i64().to_string(), Vec::new()),
        });
        let rest = key.params.iter().filter(|(label, _)| ![PUBLIC, PRIVATE].map(Label::Int).contains(label));
        let rest = rest.map(|(label, _)| match label {
            Label::Int(number) => (number.to_string(), Vec::new()),
            Label::Text(text) => (format!("{text:?}"), Vec::new()),
        });
        Ok((read, common.chain(rest).collect()))
    }

    /// Returns the thumbprint of the COSE_Key (RFC 9679; RFC 9964, section 6).
    ///
    /// # Errors
    /// Propagates errors from the library.
    pub fn cose_thumbprint(&self, sha256: &dyn Hash) -> Result<[u8; 32], TokenError> {
        digest(sha256, &self.public_cose_key()?)
    }
}

fn akp(algorithm: &Algorithm) -> bool {
    (iana::Algorithm::ML_DSA_87.to_i64()..=iana::Algorithm::ML_DSA_44.to_i64()).contains(&algorithm.cose.to_i64())
}

fn digest(sha256: &dyn Hash, message: &[u8]) -> Result<[u8; 32], TokenError> {
    if sha256.info().algorithm != "SHA-256" {
        return Err(Error::Unsupported("thumbprints require SHA-256").into());
    }
    let mut digest = [0; 32];
    sha256.digest(message, &mut digest)?;
    Ok(digest)
}
