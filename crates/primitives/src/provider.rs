use crate::{
    Aead, BatchVerifier, Function, Hash, Hpke, Kdf, Kem, KeyAgreement, LaneHash, Mac, Primitive, Remote,
    ReplaceableGenerator, SignatureScheme, StreamCipher, Xof,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Name of the provider that does nothing, and of all its algorithms. Measuring it yields the harness overhead.
pub const NULL: &str = "null";

/// Version and build of a provider's library, as precisely as the library reports them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildInfo {
    /// Version of the library.
    pub version: String,
    /// Compiler flags, features and code paths that distinguish builds of the same version.
    pub build: String,
}

/// Programming language and runtime of a provider that is not linked into this program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Language {
    /// Name in lower case, such as `go`.
    pub name: String,
    /// Name and version of the runtime, detected at run time, such as `go1.26.8`. `None` if the language has no
    /// runtime.
    pub runtime: Option<String>,
}

/// A code path of a library that implements the same algorithms in several ways, such as `portable` or `avx2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Backend(pub String);

/// An algorithm that users may expect but the provider does not offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsupported {
    /// Name of the algorithm.
    pub algorithm: String,
    /// Reason why the provider does not offer the algorithm, shown to the user.
    pub reason: String,
}

/// A library and its algorithms. Each code path of a library is a separate provider with the same `library` but a
/// different `backend`.
pub struct Provider {
    /// Name of the library, such as `openssl`, `aws-lc` or `rustcrypto`.
    pub library: String,
    /// Name of the implementation. If the user loaded the library under a label, this is the kind of library, such as
    /// `liboqs`. Otherwise, it equals `library`.
    pub code: String,
    /// Code path of this provider; `None` if the library has only one.
    pub backend: Option<Backend>,
    /// Version and build options of the library.
    pub build_info: BuildInfo,
    /// Programming language; `None` if the library is linked into this program.
    pub language: Option<Language>,
    /// Short description of the random generator behind [`Coins::Internal`](crate::Coins::Internal). `None` if the
    /// provider does not use randomness.
    pub generator: Option<String>,
    /// The library's random generator; `None` unless callers can replace it.
    pub replaceable_generator: Option<Arc<dyn ReplaceableGenerator>>,
    /// KEMs, including X25519 as a KEM.
    pub kems: Vec<Arc<dyn Kem>>,
    /// Signature schemes.
    pub signatures: Vec<Arc<dyn SignatureScheme>>,
    /// Verifiers for batches of signatures.
    pub batch_verifiers: Vec<Arc<dyn BatchVerifier>>,
    /// Key agreements.
    pub key_agreements: Vec<Arc<dyn KeyAgreement>>,
    /// Hash functions.
    pub hashes: Vec<Arc<dyn Hash>>,
    /// Extendable-output functions.
    pub xofs: Vec<Arc<dyn Xof>>,
    /// Hash functions and XOFs that process several messages in parallel.
    pub lane_hashes: Vec<Arc<dyn LaneHash>>,
    /// Message authentication codes.
    pub macs: Vec<Arc<dyn Mac>>,
    /// Key derivation functions.
    pub kdfs: Vec<Arc<dyn Kdf>>,
    /// Authenticated ciphers.
    pub aeads: Vec<Arc<dyn Aead>>,
    /// Stream ciphers.
    pub stream_ciphers: Vec<Arc<dyn StreamCipher>>,
    /// The library's own HPKE implementations. HPKE is not a primitive.
    pub hpke: Vec<Arc<dyn Hpke>>,
    /// User-defined functions that another process runs and times. They are not primitives.
    pub functions: Vec<Function>,
    /// Algorithms that users may expect but the provider does not offer, with the reasons.
    pub unsupported: Vec<Unsupported>,
    /// Connection to the process that times the provider's operations; `None` if this process times them.
    pub remote: Option<Arc<dyn Remote>>,
}

impl Provider {
    /// Creates a provider without algorithms.
    pub fn new(library: &str, build_info: BuildInfo) -> Provider {
        Provider {
            library: library.to_owned(),
            code: library.to_owned(),
            backend: None,
            build_info,
            language: None,
            generator: None,
            replaceable_generator: None,
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

    /// Returns the provider's id, which is part of case ids. The id is the library's name, followed by a colon and the
    /// backend if there is one, such as `libcrux:avx2`.
    pub fn id(&self) -> String {
        match &self.backend {
            Some(Backend(backend)) => format!("{}:{backend}", self.library),
            None => self.library.clone(),
        }
    }

    /// Iterates over all primitives, grouped by kind.
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

    /// Returns the names of all algorithms, without duplicates.
    pub fn algorithms(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for primitive in self.primitives() {
            if !names.iter().any(|name| name == primitive.algorithm()) {
                names.push(primitive.algorithm().to_owned());
            }
        }
        names
    }

    /// Returns the KEM with this name.
    pub fn kem(&self, algorithm: &str) -> Option<&Arc<dyn Kem>> {
        self.kems.iter().find(|kem| kem.info().parameters.algorithm == algorithm)
    }

    /// Returns the signature scheme with this name.
    pub fn signature(&self, algorithm: &str) -> Option<&Arc<dyn SignatureScheme>> {
        self.signatures.iter().find(|scheme| scheme.info().parameters.algorithm == algorithm)
    }

    /// Returns the batch verifier for the algorithm with this name.
    pub fn batch_verifier(&self, algorithm: &str) -> Option<&Arc<dyn BatchVerifier>> {
        self.batch_verifiers.iter().find(|verifier| verifier.parameters().algorithm == algorithm)
    }

    /// Returns the key agreement with this name.
    pub fn key_agreement(&self, algorithm: &str) -> Option<&Arc<dyn KeyAgreement>> {
        self.key_agreements.iter().find(|agreement| agreement.info().parameters.algorithm == algorithm)
    }

    /// Returns the hash function with this name.
    pub fn hash(&self, algorithm: &str) -> Option<&Arc<dyn Hash>> {
        self.hashes.iter().find(|hash| hash.info().algorithm == algorithm)
    }

    /// Returns the extendable-output function with this name.
    pub fn xof(&self, algorithm: &str) -> Option<&Arc<dyn Xof>> {
        self.xofs.iter().find(|xof| xof.info().algorithm == algorithm)
    }

    /// Returns the parallel hash function or XOF with this name and number of lanes.
    pub fn lane_hash(&self, algorithm: &str, lanes: usize) -> Option<&Arc<dyn LaneHash>> {
        self.lane_hashes.iter().find(|hash| hash.algorithm() == algorithm && hash.lanes() == lanes)
    }

    /// Returns the message authentication code with this name.
    pub fn mac(&self, algorithm: &str) -> Option<&Arc<dyn Mac>> {
        self.macs.iter().find(|mac| mac.algorithm() == algorithm)
    }

    /// Returns the key derivation function with this name.
    pub fn kdf(&self, algorithm: &str) -> Option<&Arc<dyn Kdf>> {
        self.kdfs.iter().find(|kdf| kdf.algorithm() == algorithm)
    }

    /// Returns the authenticated cipher with this name.
    pub fn aead(&self, algorithm: &str) -> Option<&Arc<dyn Aead>> {
        self.aeads.iter().find(|aead| aead.algorithm() == algorithm)
    }

    /// Returns the library's own HPKE implementation for a KEM, a KDF and an AEAD.
    pub fn hpke(&self, kem: &str, kdf: &str, aead: &str) -> Option<&Arc<dyn Hpke>> {
        self.hpke.iter().find(|hpke| (hpke.info().kem, hpke.info().kdf, hpke.info().aead) == (kem, kdf, aead))
    }

    /// Returns the stream cipher with this name.
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
