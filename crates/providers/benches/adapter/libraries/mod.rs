//! Direct calls to the libraries, from `bare.rs` in each library's folder.

mod reasons;

pub(crate) use reasons::{reason, reasons};

use crate::interleaved::{Comparison, Side};
use crate::operations::{Case, agreement, hash, kem, signature, symmetric};
use pqlab_primitives::{Aead, HashParameters, Kdf, Mac, Primitive};
use std::sync::Arc;

/// Algorithms to compare for libraries that offer every kind of primitive. The list has one algorithm for each adapter
/// code path.
const GENERAL: [&str; 10] = [
    "ML-KEM-512",
    "X25519",
    "ML-DSA-44",
    "Ed25519",
    "ECDSA-secp256k1",
    "SHA3-256",
    "SHAKE128",
    "HMAC-SHA256",
    "HKDF-SHA256",
    "AES-256-GCM",
];

/// Direct calls to a library, without the adapter. The `kem` method and the methods after it return library calls as a
/// careful user would write them. The calls do the same work as the adapter, on the same inputs. `None` means that
/// `bare.rs` contains no calls for the operation.
///
/// `provider` is the provider's id, including the code path if the library has several.
pub(crate) trait Bare: Sync {
    /// Returns the library's name, or the provider's id if code paths need different calls.
    fn library(&self) -> &'static str;

    /// Returns the algorithms to compare in addition to those in [`GENERAL`]. If several algorithms use the same
    /// adapter code, the list contains only one of them.
    fn algorithms(&self) -> &'static [&'static str];

    /// Returns whether the [`GENERAL`] algorithms are also compared.
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

/// An object from a C library. Dropping it calls the library function that frees the object.
struct Owned<T> {
    object: *mut T,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Owned<T> {
    fn new(object: *mut T, free: unsafe extern "C" fn(*mut T)) -> Owned<T> {
        assert!(!object.is_null(), "the library returned no object");
        Owned { object, free }
    }

    /// Returns the pointer. This is a method because a closure that uses the field directly would capture only the
    /// pointer, and the object would be dropped too early.
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

/// Includes `bare.rs` from each library's folder. The `BARE` constant in that file lists a [`Bare`] for the library or
/// for each code path.
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

/// Returns the comparison between the adapter and direct library calls, or `None` if the benchmark does not measure
/// this operation.
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
        // The X25519 KEM makes the same library calls as the key agreement, which is compared
        // instead.
        Primitive::Kem(_) if algorithm == "X25519" => return None,
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
            let digest = HashParameters::find(algorithm).map(|parameters| parameters.digest);
            (hash::through_lanes(function, digest), library.lanes(id, algorithm, function.lanes())?)
        }
        Primitive::Mac(mac) => (symmetric::through_mac(mac, operation), library.mac(mac, operation)?),
        Primitive::Kdf(kdf) => (symmetric::through_kdf(kdf), library.kdf(kdf)?),
        Primitive::Aead(aead) => (symmetric::through_aead(aead, operation), library.aead(aead, operation)?),
        Primitive::BatchVerifier(_) | Primitive::StreamCipher(_) => return None,
    })
}
