//! Workloads, which define the operations that pqlab measures. Each workload has a file or folder, and a line in the
//! table below.

mod answers;
mod constructed;
pub mod fastest;
mod fingerprint;
mod inputs;
pub mod leak;
mod options;
mod pairs;
pub mod quantity;
mod registry;
mod remote;
#[cfg(test)]
mod remote_tests;
#[cfg(test)]
mod testing;
mod variant;

pub use certificate::{CertificatePart, Specimen, certificate_forms, certificate_issuers};
pub use constructed::{constructed, hybrids};
pub use ledger::Senders;
pub use options::{CaseOptions, OutOfRange};
pub use pqlab_primitives::NULL;
pub use pqlab_tls::Implementation as TlsImplementation;
pub use quic::quic_implementations;
pub use registry::Registry;
pub use signature::{MESSAGE_SETS_MISSING, lacks_message_set};
pub use tls::{
    TlsMode, TlsNetwork, TlsSignature, link_seconds, networks_are_available, tls_implementations, waits_for_kernel,
};
pub use variant::{Keys, Variant};

use fastest::Question;
use inputs::Supply;
use pqlab_harness::{Fault, Seed, Trial};
use pqlab_primitives::{Error, Provider};
use pqlab_record::Case;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Declares the workloads. Each line of the table names a module and its workload.
macro_rules! workloads {
    ($($(#[$attribute:meta])* $visible:vis $module:ident => $workload:expr,)*) => {
        $($(#[$attribute])* $visible mod $module;)*

        /// Returns all workloads.
        pub fn workloads() -> Vec<Box<dyn Workload>> {
            vec![$($(#[$attribute])* Box::new($workload)),*]
        }
    };
}

workloads! {
    floor => floor::FloorWorkload,
    kem => kem::KemWorkload,
    signature => signature::SignatureWorkload,
    hash => hash::HashWorkload,
    function => function::FunctionWorkload,
    pub ntor => ntor::NtorWorkload,
    scaling => scaling::ScalingWorkload,
    memory => memory::MemoryWorkload,
    residue => residue::ResidueWorkload,
    hybrid => hybrid::HybridWorkload,
    certificate => certificate::CertificateWorkload,
    token => token::TokenWorkload,
    cms => cms::CmsWorkload,
    hpke => hpke::HpkeWorkload,
    tls => tls::TlsWorkload,
    #[cfg(feature = "ssh")]
    ssh => ssh::SshWorkload,
    quic => quic::QuicWorkload,
    #[cfg(feature = "mtc")]
    mtc => mtc::MtcWorkload,
    pub ledger => ledger::LedgerWorkload::default(),
}

/// Returns the SSH implementations in this build, with their versions. They are not providers.
pub fn ssh_implementations() -> Vec<(String, String)> {
    vec![
        #[cfg(feature = "ssh")]
        ssh::implementation(),
    ]
}

/// Returns the verifiers of Merkle Tree Certificates in this build, with their versions. They are not providers.
pub fn mtc_implementations() -> Vec<(String, String)> {
    vec![
        #[cfg(feature = "mtc")]
        mtc::implementation(),
    ]
}

/// Kind of work that pqlab measures.
pub trait Workload: Send + Sync {
    /// Returns the workload's name, which is also the name of its area.
    fn id(&self) -> &'static str;

    /// Describes the workload's measurements in one line.
    fn describe(&self) -> &'static str;

    /// Returns every case that the providers support. A suite selects the cases to measure. Reads the providers' lists
    /// of algorithms, but runs no library operation.
    fn cases(&self, providers: &[Arc<Provider>], options: &CaseOptions) -> Vec<Case>;

    /// Returns the [questions](Question) to measure before `fastest` can be replaced by pairs of providers. `selected`
    /// contains the cases of this workload that the caller selected from a draft with the same options.
    fn questions(&self, _selected: &[Case], _providers: &[Arc<Provider>], _options: &CaseOptions) -> Vec<Question> {
        Vec::new()
    }

    /// Returns the primitives that must pass known-answer tests before the case is measured, as pairs of provider and
    /// algorithm.
    fn primitives(&self, case: &Case) -> Vec<(String, String)> {
        vec![(case.provider.clone(), case.algorithm.clone())]
    }

    /// Prepares one of the workload's cases with the providers that the case names.
    ///
    /// # Errors
    /// Errors from the library while generating keys and inputs, and [`Fault::Unsupported`] if a provider lacks an
    /// algorithm or operation of the case.
    fn prepare(&self, case: &Case, providers: &[Arc<Provider>], seed: Seed) -> Result<Box<dyn Trial>, Fault>;
}

/// Environment variable with the path of the folder of published vectors. [`Variant::Messages`] reads its message sets
/// from this folder.
pub const VECTORS: &str = "PQLAB_VECTORS";

/// Converts a library's error to a fault. A signature or tag that does not verify is a wrong answer.
fn fault(error: Error) -> Fault {
    match error {
        Error::Unsupported(what) => Fault::Unsupported(what.to_owned()),
        Error::VerificationFailed => Fault::WrongAnswer("a valid signature or tag was rejected".to_owned()),
        other => Fault::Library(other.to_string()),
    }
}

/// Returns the provider with this id.
fn find<'a>(providers: &'a [Arc<Provider>], id: &str) -> Result<&'a Arc<Provider>, Fault> {
    let provider = providers.iter().find(|provider| provider.id() == id);
    provider.ok_or_else(|| Fault::Unsupported(format!("this build does not contain the library {id}")))
}

/// Creates the trial for an operation of a KEM or signature scheme. A KEM and a signature scheme can have the same
/// name. In this case, `sign` and `verify` use the scheme, and all other operations use the KEM.
///
/// # Errors
/// Errors from the library while generating keys and inputs, and [`Fault::Unsupported`] if the operation does not
/// exist.
fn operation(
    provider: &Provider,
    operation: &str,
    case: &Case,
    supply: Supply,
    generator: &mut ChaCha8Rng,
) -> Result<Box<dyn Trial>, Fault> {
    let kem = provider.kem(&case.algorithm).filter(|_| !matches!(operation, "sign" | "verify"));
    match (kem, provider.signature(&case.algorithm)) {
        (Some(kem), _) => kem::trial(kem, operation, case, supply, generator),
        (None, Some(scheme)) => signature::trial(scheme, operation, case, supply, generator),
        (None, None) => Err(missing(case)),
    }
}

fn missing(case: &Case) -> Fault {
    Fault::Unsupported(format!("{} does not offer {} {}", case.provider, case.algorithm, case.operation))
}
