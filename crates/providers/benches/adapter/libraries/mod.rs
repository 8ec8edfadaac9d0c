//! Bare calls of the libraries, from `bare.rs` in each library's folder.

mod reasons;

pub(crate) use reasons::{reason, reasons};

use crate::interleaved::{Comparison, Side};
use crate::operations::{Case, agreement, hash, kem, signature, symmetric};
use pqlab_primitives::{Aead, HashParameters, Kdf, Mac, Primitive};
use std::sync::Arc;

/// Algorithms that are compared for libraries with primitives of every kind.
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

/// A library without its adapter. For an operation, the methods return the library calls that do the adapter's work on
/// the same inputs, as a careful user would write them, or `None` if there are none.
///
/// `provider` is the provider's id, with the code path if the library has several.
pub(crate) trait Bare: Sync {
    /// Returns the library's name, or the provider's id if each code path has its own calls.
    fn library(&self) -> &'static str;

    /// Returns the algorithms to compare in addition to [`GENERAL`] ones: one of all that use the same adapter code.
    fn algorithms(&self) -> &'static [&'static str];

    /// Returns whether all [`GENERAL`] algorithms are compared too.
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

/// An object of a C library, freed on drop by the library's function for it.
struct Owned<T> {
    object: *mut T,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    fn new(object: *mut T, free: unsafe extern "C" fn(*mut T)) -> Owned<T> {
        assert!(!object.is_null(), "the library makes an object");
        Owned { object, free }
    }

    /// Returns the pointer. A method, because a closure that uses the field would capture only the field and drop the
    /// object.
    fn raw(&self) -> *mut T {
        self.object
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: `self` owns the object, and nothing else frees it.
        unsafe { (self.free)(self.object) };
    }
}

/// Includes `bare.rs` of each library's folder. Its `BARE` has a [`Bare`] for the library or for each of its code
/// paths.
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

/// Returns the comparison of the adapter with bare calls of the library, if there is one.
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
