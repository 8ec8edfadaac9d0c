//! Descriptions of providers, in a form that one process can send to another. A description lists a provider's
//! algorithms and functions. A worker process opens the library and creates the description. Other processes only read
//! the description, so they do not run the library's code.

use crate::process::Listing;
use pqlab_primitives::{
    BuildInfo, Coins, DecapsulationKey, EncapsulationKey, Error, Function, Hash, HashParameters, Kem, KemInfo,
    KeyAgreement, KeyAgreementInfo, KeyEncoding, KeyLengths, Language, Prehash, PrivateKey, Provider, Remote,
    RemoteCase, Result, SignatureInfo, SignatureScheme, SigningKey, Unsupported, VerifyingKey, Xof, XofParameters,
    XofReader,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Error that every operation of a provider from [`Description::provider`] returns.
const CLOSED: Error = Error::Unsupported("this library is open only in worker processes");

/// Algorithms of an opened library or program: KEMs, signature schemes, key agreements, hash functions,
/// extendable-output functions and, for a program, functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    library: String,
    code: String,
    build_info: BuildInfo,
    language: Option<Language>,
    generator: Option<String>,
    /// Greeting and offers of a program. Other processes use them to list the program's algorithms without starting it.
    /// `None` for a shared library.
    listing: Option<Listing>,
    kems: Vec<KemDescription>,
    signatures: Vec<SignatureDescription>,
    key_agreements: Vec<KeyAgreementInfo>,
    hashes: Vec<HashParameters>,
    xofs: Vec<XofParameters>,
    functions: Vec<Function>,
    unsupported: Vec<Unsupported>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KemDescription {
    info: KemInfo,
    written: Vec<KeyEncoding>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SignatureDescription {
    info: SignatureInfo,
    written: Vec<KeyEncoding>,
    prehashes: Vec<Prehash>,
    draws_to_sign: bool,
}

impl Description {
    /// Describes an opened provider. The description contains no listing.
    pub fn new(provider: &Provider) -> Description {
        let kem = |kem: &Arc<dyn Kem>| KemDescription { info: kem.info().clone(), written: kem.written().to_vec() };
        let signature = |scheme: &Arc<dyn SignatureScheme>| SignatureDescription {
            info: scheme.info().clone(),
            written: scheme.written().to_vec(),
            prehashes: scheme.prehashes().to_vec(),
            draws_to_sign: scheme.draws_to_sign(),
        };
        Description {
            library: provider.library.clone(),
            code: provider.code.clone(),
            build_info: provider.build_info.clone(),
            language: provider.language.clone(),
            generator: provider.generator.clone(),
            listing: None,
            kems: provider.kems.iter().map(kem).collect(),
            signatures: provider.signatures.iter().map(signature).collect(),
            key_agreements: provider.key_agreements.iter().map(|agreement| agreement.info().clone()).collect(),
            hashes: provider.hashes.iter().map(|hash| hash.info().clone()).collect(),
            xofs: provider.xofs.iter().map(|xof| xof.info().clone()).collect(),
            functions: provider.functions.clone(),
            unsupported: provider.unsupported.clone(),
        }
    }

    /// Adds a program's listing to the description.
    pub(crate) fn listed(self, listing: Listing) -> Description {
        Description { listing: Some(listing), ..self }
    }

    /// Returns a program's listing; `None` for a shared library.
    pub fn listing(&self) -> Option<&Listing> {
        self.listing.as_ref()
    }

    /// Returns a provider that lists the described algorithms. All its operations return [`Error::Unsupported`].
    pub fn provider(&self) -> Provider {
        let mut provider = Provider::new(&self.library, self.build_info.clone());
        provider.code.clone_from(&self.code);
        provider.language.clone_from(&self.language);
        provider.remote = self.listing.is_some().then(|| Arc::new(Closed) as Arc<dyn Remote>);
        provider.generator.clone_from(&self.generator);
        provider.functions.clone_from(&self.functions);
        provider.unsupported.clone_from(&self.unsupported);
        provider.kems = self.kems.iter().map(|kem| Arc::new(kem.clone()) as Arc<dyn Kem>).collect();
        provider.signatures =
            self.signatures.iter().map(|scheme| Arc::new(scheme.clone()) as Arc<dyn SignatureScheme>).collect();
        provider.key_agreements = described(&self.key_agreements, |it| Arc::new(it) as Arc<dyn KeyAgreement>);
        provider.hashes = described(&self.hashes, |it| Arc::new(it) as Arc<dyn Hash>);
        provider.xofs = described(&self.xofs, |it| Arc::new(it) as Arc<dyn Xof>);
        provider
    }
}

/// Placeholder for the connection to a program: [`Remote::prepare`] returns [`Error::Unsupported`].
struct Closed;

impl Remote for Closed {
    fn prepare(&self, _: &str, _: &str, _: &[Vec<Vec<u8>>]) -> Result<Box<dyn RemoteCase>> {
        Err(CLOSED)
    }
}

/// Primitive with known parameters but without an implementation.
struct Described<T>(T);

fn described<T: Clone, P: ?Sized>(all: &[T], wrap: impl Fn(Described<T>) -> Arc<P>) -> Vec<Arc<P>> {
    all.iter().map(|one| wrap(Described(one.clone()))).collect()
}

impl Kem for KemDescription {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn written(&self) -> &[KeyEncoding] {
        &self.written
    }

    fn generate_encoded(&self, _: Coins, _: &mut [u8], _: &mut [u8]) -> Result<()> {
        Err(CLOSED)
    }

    fn generate(&self, _: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Err(CLOSED)
    }

    fn load_encapsulation_key(&self, _: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        Err(CLOSED)
    }

    fn load_decapsulation_key(&self, _: KeyEncoding, _: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Err(CLOSED)
    }
}

impl SignatureScheme for SignatureDescription {
    fn info(&self) -> &SignatureInfo {
        &self.info
    }

    fn prehashes(&self) -> &[Prehash] {
        &self.prehashes
    }

    fn written(&self) -> &[KeyEncoding] {
        &self.written
    }

    fn draws_to_sign(&self) -> bool {
        self.draws_to_sign
    }

    fn generate_encoded(&self, _: Coins, _: &mut [u8], _: &mut [u8]) -> Result<KeyLengths> {
        Err(CLOSED)
    }

    fn generate(&self, _: Coins) -> Result<Box<dyn SigningKey>> {
        Err(CLOSED)
    }

    fn load_signing_key(&self, _: KeyEncoding, _: &[u8]) -> Result<Box<dyn SigningKey>> {
        Err(CLOSED)
    }

    fn load_verifying_key(&self, _: &[u8]) -> Result<Box<dyn VerifyingKey>> {
        Err(CLOSED)
    }
}

impl KeyAgreement for Described<KeyAgreementInfo> {
    fn info(&self) -> &KeyAgreementInfo {
        &self.0
    }

    fn generate_encoded(&self, _: Coins, _: &mut [u8], _: &mut [u8]) -> Result<()> {
        Err(CLOSED)
    }

    fn generate(&self, _: Coins) -> Result<Box<dyn PrivateKey>> {
        Err(CLOSED)
    }

    fn load_private_key(&self, _: &[u8]) -> Result<Box<dyn PrivateKey>> {
        Err(CLOSED)
    }
}

impl Hash for Described<HashParameters> {
    fn info(&self) -> &HashParameters {
        &self.0
    }

    fn digest(&self, _: &[u8], _: &mut [u8]) -> Result<()> {
        Err(CLOSED)
    }
}

impl Xof for Described<XofParameters> {
    fn info(&self) -> &XofParameters {
        &self.0
    }

    fn digest(&self, _: &[u8], _: &mut [u8]) -> Result<()> {
        Err(CLOSED)
    }

    fn absorb(&self, _: &[u8]) -> Result<Box<dyn XofReader>> {
        Err(CLOSED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::{CoinSupport, KemParameters, KeyAgreementParameters, SignatureParameters};

    /// Returns a description with primitives of every kind and an algorithm that the parameter tables do not list.
    fn example() -> Description {
        let coins = CoinSupport { keygen: true, operation: false };
        let mut unlisted = KemParameters::find("ML-KEM-768").unwrap();
        unlisted.algorithm = "BIKE-L1".to_owned().into();
        unlisted.decapsulation_keys = vec![(KeyEncoding::Expanded, 5223)].into();
        let kem = |parameters| KemInfo { parameters, encodings: vec![KeyEncoding::Expanded], coins };
        let scheme = SignatureInfo {
            parameters: SignatureParameters::find("Ed25519").unwrap(),
            encodings: vec![KeyEncoding::Seed],
            coins,
            context: false,
            hedged: false,
        };
        Description {
            library: "branch".to_owned(),
            code: "liboqs".to_owned(),
            build_info: BuildInfo { version: "1".to_owned(), build: "-O3".to_owned() },
            language: Some(Language { name: "c".to_owned(), runtime: None }),
            generator: Some("its own".to_owned()),
            listing: None,
            kems: [unlisted, KemParameters::find("ML-KEM-512").unwrap()]
                .map(|parameters| KemDescription { info: kem(parameters), written: vec![KeyEncoding::Seed] })
                .to_vec(),
            signatures: vec![SignatureDescription {
                info: scheme,
                written: vec![KeyEncoding::Seed],
                prehashes: vec![Prehash::Sha512],
                draws_to_sign: true,
            }],
            key_agreements: vec![KeyAgreementInfo { parameters: KeyAgreementParameters::X25519, exact_coins: true }],
            hashes: vec![HashParameters::find("SHA3-256").unwrap()],
            xofs: vec![XofParameters::find("SHAKE128").unwrap()],
            functions: vec![Function { name: "mine".to_owned(), inputs: 2, verified: false }],
            unsupported: vec![Unsupported { algorithm: "HQC-128".to_owned(), reason: "not enabled".to_owned() }],
        }
    }

    #[test]
    fn descriptions_round_trip() {
        let description = example();
        let json = serde_json::to_string(&description).unwrap();
        let read: Description = serde_json::from_str(&json).unwrap();
        assert_eq!(read, description);
        let provider = read.provider();
        assert_eq!(provider.id(), "branch");
        assert_eq!(provider.primitives().count(), 6);
        assert_eq!(Description::new(&provider), description);
    }

    #[test]
    fn described_providers_compute_nothing() {
        fn closed<T>(answer: Result<T>) -> bool {
            answer.err() == Some(CLOSED)
        }
        let provider = example().provider();
        let (kem, scheme) = (provider.kem("BIKE-L1").unwrap(), provider.signature("Ed25519").unwrap());
        assert!(closed(kem.generate(Coins::Internal)) && closed(kem.load_encapsulation_key(&[])));
        assert!(closed(kem.generate_encoded(Coins::Internal, &mut [], &mut [])));
        assert!(closed(kem.load_decapsulation_key(KeyEncoding::Expanded, &[])));
        assert!(closed(scheme.generate(Coins::Internal)) && closed(scheme.load_verifying_key(&[])));
        assert!(closed(scheme.generate_encoded(Coins::Internal, &mut [], &mut [])));
        assert!(closed(scheme.load_signing_key(KeyEncoding::Seed, &[])));
        let agreement = provider.key_agreement("X25519").unwrap();
        assert!(closed(agreement.generate(Coins::Internal)) && closed(agreement.load_private_key(&[])));
        assert!(closed(agreement.generate_encoded(Coins::Internal, &mut [], &mut [])));
        assert!(closed(provider.hash("SHA3-256").unwrap().digest(&[], &mut [])));
        let xof = provider.xof("SHAKE128").unwrap();
        assert!(closed(xof.digest(&[], &mut [])) && closed(xof.absorb(&[])));
    }
}
