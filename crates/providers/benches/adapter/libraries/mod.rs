//! The libraries' own calls: `bare.rs` in the folder of each.

mod reasons;

pub(crate) use reasons::{reason, reasons};

use crate::interleaved::{Comparison, Side};
use crate::operations::{Case, agreement, hash, kem, signature, symmetric};
use pqlab_primitives::{Aead, HashParameters, Kdf, Mac, Primitive};
use std::sync::Arc;

/// What libraries with primitives of every kind are compared in.
const GENERAL: [&str; 12] = [
    "ML-KEM-512",
    "X25519",
    "ML-DSA-44",
    "Ed25519",
    "ECDSA-secp256k1",
    "ECDSA-P-256",
    "SHA3-256",
    "SHA-256",
    "SHAKE128",
    "HMAC-SHA256",
    "HKDF-SHA256",
    "AES-256-GCM",
];

/// A library without an adapter: for an operation, the calls of the library that do the same work as its adapter, on the
/// same inputs, as a careful user of it would write them. An operation for which there is no such side gives `None`.
///
/// `provider` is the provider's name, with its code path where the library has several.
pub(crate) trait Bare: Sync {
    /// The library's name, or the provider's where each of its code paths has calls of its own.
    fn library(&self) -> &'static str;

    /// The algorithms that are compared, beside [`GENERAL`] ones: one of those that go through the same code of the adapter.
    fn algorithms(&self) -> &'static [&'static str];

    /// Whether [`GENERAL`] algorithms are compared too, all of them.
    fn is_general(&self) -> bool {
        false
    }

    fn kem(&self, _inputs: &kem::Inputs, _operation: &str) -> Option<Side> {
        None
    }

    fn signature(&self, _inputs: &signature::Inputs, _operation: &str) -> Option<Side> {
        None
    }

    fn agreement(&self, _inputs: &agreement::Inputs, _operation: &str) -> Option<Side> {
        None
    }

    fn hash(&self, _provider: &str, _algorithm: &str) -> Option<Side> {
        None
    }

    fn xof(&self, _provider: &str, _algorithm: &str, _operation: &str) -> Option<Side> {
        None
    }

    fn lanes(&self, _provider: &str, _algorithm: &str, _lanes: usize) -> Option<Side> {
        None
    }

    fn mac(&self, _mac: &Arc<dyn Mac>, _operation: &str) -> Option<Side> {
        None
    }

    fn kdf(&self, _kdf: &Arc<dyn Kdf>) -> Option<Side> {
        None
    }

    fn aead(&self, _aead: &Arc<dyn Aead>, _operation: &str) -> Option<Side> {
        None
    }
}

/// An object of a library in C, freed when dropped by the call that the library has for it.
struct Owned<T> {
    object: *mut T,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    fn new(object: *mut T, free: unsafe extern "C" fn(*mut T)) -> Owned<T> {
        assert!(!object.is_null(), "the library makes an object");
        Owned { object, free }
    }

    /// The pointer; a call, because a closure that names a field would take the field alone and not keep the object.
    fn raw(&self) -> *mut T {
        self.object
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the object is ours and freed here alone.
        unsafe { (self.free)(self.object) };
    }
}

/// A line of the table is a folder, whose `BARE` has a [`Bare`] for the library or for each of its code paths.
macro_rules! collect {
    ($($feature:literal => $module:ident,)*) => {
        #[path = "../../../src"]
        mod folders {
            pub(super) mod null {
                pub(crate) mod bare;
            }
            $(
                #[cfg(feature = $feature)]
                pub(super) mod $module {
                    pub(crate) mod bare;
                }
            )*
        }

        const LIBRARIES: &[&[&dyn Bare]] = &[
            $(#[cfg(feature = $feature)] folders::$module::bare::BARE,)*
            folders::null::bare::BARE,
        ];
    };
}
pqlab_providers::with_libraries!(collect);

/// The adapter against the library's own call, where there is such a comparison.
pub(crate) fn comparison(case: &Case) -> Option<Comparison> {
    let provider = case.provider.id();
    let names = [provider.as_str(), case.provider.library.as_str()];
    let library = LIBRARIES.iter().copied().flatten().find(|library| names.contains(&library.library()))?;
    let algorithm = case.algorithm.as_str();
    if !(library.algorithms().contains(&algorithm) || library.is_general() && GENERAL.contains(&algorithm)) {
        return None;
    }
    let (adapter, bare) = sides(*library, case)?;
    Some(Comparison { batch: None, first: adapter, second: bare })
}

fn sides(library: &dyn Bare, case: &Case) -> Option<(Side, Side)> {
    let Case { provider, algorithm, operation, .. } = case;
    let id = &provider.id();
    Some(match case.primitive()? {
        Primitive::Kem(kem) => {
            let inputs = kem::Inputs::new(kem);
            (inputs.through(operation), library.kem(&inputs, operation)?)
        }
        Primitive::Signature(scheme) => {
            let inputs = signature::Inputs::new(scheme);
            (inputs.through(operation), library.signature(&inputs, operation)?)
        }
        Primitive::KeyAgreement(agreement) => {
            let inputs = agreement::Inputs::new(agreement);
            (inputs.through(operation), library.agreement(&inputs, operation)?)
        }
        Primitive::Hash(hash) => (hash::through(hash), library.hash(id, algorithm)?),
        Primitive::Xof(xof) => (hash::through_xof(xof, operation), library.xof(id, algorithm, operation)?),
        Primitive::LaneHash(function) => {
            let digest = HashParameters::of(algorithm).map(|parameters| parameters.digest);
            (hash::through_lanes(function, digest), library.lanes(id, algorithm, function.lanes())?)
        }
        Primitive::Mac(mac) => (symmetric::through_mac(mac, operation), library.mac(mac, operation)?),
        Primitive::Kdf(kdf) => (symmetric::through_kdf(kdf), library.kdf(kdf)?),
        Primitive::Aead(aead) => (symmetric::through_aead(aead, operation), library.aead(aead, operation)?),
        Primitive::BatchVerifier(_) | Primitive::StreamCipher(_) => return None,
    })
}
