//! Traits that adapters implement for every cryptographic library.
//!
//! Rules for all traits:
//!
//! - The caller provides output buffers with exactly the length given by `info`. For signatures of variable length, the
//!   buffer has the maximum length, and the call returns the actual length.
//! - Encoded keys are bytes; prepared keys are objects. pqlab measures an operation on an encoded key and the same
//!   operation on a prepared key as separate cases.
//! - An operation receives randomness as [`Coins`], never as a generator: either the library generates the bytes, or
//!   the caller supplies them.
//! - Several threads can use an object returned by these traits at the same time.
//! - Adapters, and the constructions built from these traits, wipe secrets with [`wipe()`].

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
mod standardization;
mod symmetric;
mod wipe;

pub use algorithm::{
    HashParameters, KemParameters, KeyAgreementParameters, KeyEncoding, SignatureParameters, XofParameters, cms_digest,
};
pub use batch::{BatchKey, BatchVerifier, Claim, ClaimKey, SignedMessage};
pub use coins::{Coins, ReplaceableGenerator};
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
pub use standardization::{Stage, Standardization};
pub use symmetric::{Aead, AeadKey, Kdf, Mac, MacKey, StreamCipher};
pub use wipe::{Wiped, wipe};
