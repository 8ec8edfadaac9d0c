//! The traits through which every cryptographic library is seen.
//!
//! Rules that hold for all of them:
//!
//! - Outputs belong to the caller: every buffer is handed in, with the exact length that the `info` states (a signature
//!   of variable length: with the maximum, and the true length is returned).
//! - Key objects stand beside key bytes. "From encoded bytes" and "with a prepared key" are different operations.
//! - Randomness is [`Coins`], never a generator: either the library's own, or given bytes.
//! - An object that a trait hands out can be used from several threads at once.
//! - Secrets are wiped with [`wipe()`], by adapters and constructions alike.

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
