//! Traits that adapt every cryptographic library.
//!
//! Common rules:
//!
//! - The caller provides output buffers, with exactly the length given by `info`. For signatures of variable length
//!   that is the maximum, and the call returns the actual length.
//! - Key objects and encoded keys are distinct. "From encoded bytes" and "with a prepared key" are different
//!   operations.
//! - Randomness is passed as [`Coins`], never as a generator: either the library's own, or given bytes.
//! - Objects returned by these traits can be used from several threads at once.
//! - Adapters and constructions wipe secrets with [`wipe()`].

mod algorithm;
mod batch;
mod coins;
mod error;
mod hash;
mod hpke;
mod kem;
mod key_agreement;
mod prehash;
mod primitive;
mod provider;
mod remote;
mod signature;
mod symmetric;
mod wipe;

pub use algorithm::{
    HashParameters, KemParameters, KeyAgreementParameters, KeyEncoding, SignatureParameters, XofParameters,
};
pub use batch::{BatchKey, BatchVerifier, Claim, ClaimKey, SignedMessage};
pub use coins::Coins;
pub use error::{Error, Result};
pub use hash::{Hash, LaneHash, Xof, XofAbsorber, XofReader};
pub use hpke::{Hpke, HpkeInfo, HpkeRecipient};
pub use kem::{CoinSupport, DecapsulationKey, EncapsulationKey, Kem, KemInfo};
pub use key_agreement::{KeyAgreement, KeyAgreementInfo, PrivateKey};
pub use prehash::Prehash;
pub use primitive::{Primitive, PrimitiveKind};
pub use provider::{Backend, BuildInfo, Language, NULL, Provider, Unsupported};
pub use remote::{Function, Remote, RemoteCase};
pub use signature::{KeyLengths, MU, SignatureInfo, SignatureScheme, SigningKey, VerifyingKey};
pub use symmetric::{Aead, AeadKey, Kdf, Mac, MacKey, StreamCipher};
pub use wipe::{Wiped, wipe};
