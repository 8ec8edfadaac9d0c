use crate::{
    Aead, BatchVerifier, Function, Hash, Hpke, Kdf, Kem, KeyAgreement, LaneHash, Mac, Primitive, Remote,
    SignatureScheme, StreamCipher, Xof,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Name of the provider that does nothing, and of each of its algorithms. It measures the overhead of the harness.
pub const NULL: &str = "null";

/// Which code a provider runs, as exactly as the library can say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildInfo {
    /// The library's version.
    pub version: String,
    /// Compiler flags, features, code paths: what distinguishes this build from another of the same version.
    pub build: String,
}

/// The language that a provider is written in, where that is not what this program is linked of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Language {
    /// A word of lower case: `go`.
    pub name: String,
    /// What runs it, with its version as found at run time: `go1.26.8`; `None` where nothing does.
    pub runtime: Option<String>,
}

/// One of several code paths of a library for the same algorithms, such as `portable` and `avx2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Backend(pub String);

/// What a provider might be expected to offer and does not, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsupported {
    /// The algorithm's name.
    pub algorithm: String,
    /// The reason, as one would tell a user.
    pub reason: String,
}

/// A library and what it offers. Where a library has several code paths, each is a provider of its own with the same
/// `library` and another `backend`.
pub struct Provider {
    /// The library's name: `openssl`, `aws-lc`, `rustcrypto`, ...
    pub library: String,
    /// Whose code it is: the library, and of one that was loaded under a label its kind.
    pub code: String,
    /// The code path, where the library has more than one to choose from.
    pub backend: Option<Backend>,
    /// Version and build options.
    pub build_info: BuildInfo,
    /// The language of what is not linked in; `None` for what is.
    pub language: Option<Language>,
    /// The random generator that [`Coins::Internal`](crate::Coins::Internal) asks, in a few words; `None` for a provider that
    /// draws nothing.
    pub generator: Option<String>,
    /// KEMs, among them X25519 used as one.
    pub kems: Vec<Arc<dyn Kem>>,
    /// Signature schemes.
    pub signatures: Vec<Arc<dyn SignatureScheme>>,
    /// Verification of many signatures at once.
    pub batch_verifiers: Vec<Arc<dyn BatchVerifier>>,
    /// Key agreements.
    pub key_agreements: Vec<Arc<dyn KeyAgreement>>,
    /// Hash functions.
    pub hashes: Vec<Arc<dyn Hash>>,
    /// Extendable-output functions.
    pub xofs: Vec<Arc<dyn Xof>>,
    /// Hash functions and XOFs over several messages at once.
    pub lane_hashes: Vec<Arc<dyn LaneHash>>,
    /// Message authentication codes.
    pub macs: Vec<Arc<dyn Mac>>,
    /// Key derivation functions.
    pub kdfs: Vec<Arc<dyn Kdf>>,
    /// Authenticated ciphers.
    pub aeads: Vec<Arc<dyn Aead>>,
    /// Stream ciphers.
    pub stream_ciphers: Vec<Arc<dyn StreamCipher>>,
    /// Hybrid public key encryption by functions of the library's own, which is no primitive.
    pub hpke: Vec<Arc<dyn Hpke>>,
    /// Functions of another process, which are no primitives.
    pub functions: Vec<Function>,
    /// What is missing, and why.
    pub unsupported: Vec<Unsupported>,
    /// Where its operations are timed, if that is in another process.
    pub remote: Option<Arc<dyn Remote>>,
}

impl Provider {
    /// A provider that offers nothing yet.
    pub fn new(library: &str, build_info: BuildInfo) -> Provider {
        Provider {
            library: library.to_owned(),
            code: library.to_owned(),
            backend: None,
            build_info,
            language: None,
            generator: None,
            kems: Vec::new(),
            signatures: Vec::new(),
            batch_verifiers: Vec::new(),
            key_agreements: Vec::new(),
            hashes: Vec::new(),
            xofs: Vec::new(),
            lane_hashes: Vec::new(),
            macs: Vec::new(),
            kdfs: Vec::new(),
            aeads: Vec::new(),
            stream_ciphers: Vec::new(),
            hpke: Vec::new(),
            functions: Vec::new(),
            unsupported: Vec::new(),
            remote: None,
        }
    }

    /// The name that cases carry: the library, and its backend after a colon (`libcrux:avx2`).
    pub fn id(&self) -> String {
        match &self.backend {
            Some(Backend(backend)) => format!("{}:{backend}", self.library),
            None => self.library.clone(),
        }
    }

    /// Everything that it offers, kind by kind.
    pub fn primitives(&self) -> impl Iterator<Item = Primitive<'_>> {
        let kems = self.kems.iter().map(Primitive::Kem);
        let signatures = self.signatures.iter().map(Primitive::Signature);
        let batch_verifiers = self.batch_verifiers.iter().map(Primitive::BatchVerifier);
        let key_agreements = self.key_agreements.iter().map(Primitive::KeyAgreement);
        let hashes = self.hashes.iter().map(Primitive::Hash);
        let xofs = self.xofs.iter().map(Primitive::Xof);
        let lane_hashes = self.lane_hashes.iter().map(Primitive::LaneHash);
        let macs = self.macs.iter().map(Primitive::Mac);
        let kdfs = self.kdfs.iter().map(Primitive::Kdf);
        let aeads = self.aeads.iter().map(Primitive::Aead);
        let stream_ciphers = self.stream_ciphers.iter().map(Primitive::StreamCipher);
        let asymmetric = kems.chain(signatures).chain(batch_verifiers).chain(key_agreements);
        asymmetric
            .chain(hashes)
            .chain(xofs)
            .chain(lane_hashes)
            .chain(macs)
            .chain(kdfs)
            .chain(aeads)
            .chain(stream_ciphers)
    }

    /// The names of everything that it offers, each once.
    pub fn algorithms(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for primitive in self.primitives() {
            if !names.iter().any(|name| name == primitive.algorithm()) {
                names.push(primitive.algorithm().to_owned());
            }
        }
        names
    }

    /// The KEM of that name.
    pub fn kem(&self, algorithm: &str) -> Option<&Arc<dyn Kem>> {
        self.kems.iter().find(|kem| kem.info().parameters.algorithm == algorithm)
    }

    /// The signature scheme of that name.
    pub fn signature(&self, algorithm: &str) -> Option<&Arc<dyn SignatureScheme>> {
        self.signatures.iter().find(|scheme| scheme.info().parameters.algorithm == algorithm)
    }

    /// The verification of many signatures at once by the algorithm of that name.
    pub fn batch_verifier(&self, algorithm: &str) -> Option<&Arc<dyn BatchVerifier>> {
        self.batch_verifiers.iter().find(|verifier| verifier.parameters().algorithm == algorithm)
    }

    /// The key agreement of that name.
    pub fn key_agreement(&self, algorithm: &str) -> Option<&Arc<dyn KeyAgreement>> {
        self.key_agreements.iter().find(|agreement| agreement.info().parameters.algorithm == algorithm)
    }

    /// The hash function of that name.
    pub fn hash(&self, algorithm: &str) -> Option<&Arc<dyn Hash>> {
        self.hashes.iter().find(|hash| hash.info().algorithm == algorithm)
    }

    /// The extendable-output function of that name.
    pub fn xof(&self, algorithm: &str) -> Option<&Arc<dyn Xof>> {
        self.xofs.iter().find(|xof| xof.info().algorithm == algorithm)
    }

    /// The function of that name over so many messages at once.
    pub fn lane_hash(&self, algorithm: &str, lanes: usize) -> Option<&Arc<dyn LaneHash>> {
        self.lane_hashes.iter().find(|hash| hash.algorithm() == algorithm && hash.lanes() == lanes)
    }

    /// The message authentication code of that name.
    pub fn mac(&self, algorithm: &str) -> Option<&Arc<dyn Mac>> {
        self.macs.iter().find(|mac| mac.algorithm() == algorithm)
    }

    /// The key derivation function of that name.
    pub fn kdf(&self, algorithm: &str) -> Option<&Arc<dyn Kdf>> {
        self.kdfs.iter().find(|kdf| kdf.algorithm() == algorithm)
    }

    /// The authenticated cipher of that name.
    pub fn aead(&self, algorithm: &str) -> Option<&Arc<dyn Aead>> {
        self.aeads.iter().find(|aead| aead.algorithm() == algorithm)
    }

    /// The library's own hybrid public key encryption of that KEM, that KDF and that AEAD.
    pub fn hpke(&self, kem: &str, kdf: &str, aead: &str) -> Option<&Arc<dyn Hpke>> {
        self.hpke.iter().find(|hpke| (hpke.info().kem, hpke.info().kdf, hpke.info().aead) == (kem, kdf, aead))
    }

    /// The stream cipher of that name.
    pub fn stream_cipher(&self, algorithm: &str) -> Option<&Arc<dyn StreamCipher>> {
        self.stream_ciphers.iter().find(|cipher| cipher.algorithm() == algorithm)
    }
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Provider")
            .field("id", &self.id())
            .field("build_info", &self.build_info)
            .finish_non_exhaustive()
    }
}
