//! TXv1, the form that an earlier system measured. All integers are big-endian. A transaction consists of these fields:
//!
//! - version u8 = 1, chain id u32, nonce u64
//! - sender's ML-DSA-65 public key: length u16, bytes
//! - receiver's address (32 bytes), amount u64, fee u64
//! - authentication tag u8: 0 for ML-DSA-65, 1 for hybrid
//! - ML-DSA-65 signature: length u16, bytes
//! - Ed25519 signature, only if hybrid: length u16, bytes
//!
//! A transaction does not contain the sender's Ed25519 public key, so the verifier must already have this key. The
//! signed digest is SHA-256("TXv1" || chain id || every byte before the tag).
//!
//! **The digest does not cover the tag.** An attacker can remove the Ed25519 signature from a hybrid transaction and
//! set the tag to 0. The result is a valid plain transaction, so hybrid transactions are no more secure than plain
//! ML-DSA-65.

use super::cursor::{Reader, Writer};
use super::{ADDRESS, DIGEST, Malformed, Scheme, Scratch};
use pqlab_primitives::{Coins, Error, Hash, SigningKey};

/// First byte of a transaction.
pub(super) const VERSION: u8 = 1;
const DOMAIN: &[u8] = b"TXv1";
const FIXED: usize = 1 + 4 + 8 + ADDRESS + 8 + 8;
/// Length in bytes of the longest transaction, which is a hybrid one.
pub const LONGEST: usize = FIXED + 2 + 1952 + 1 + 2 + 3309 + 2 + 64;
/// Length in bytes of a transaction signed only with ML-DSA-65.
pub const PLAIN: usize = LONGEST - 2 - 64;

/// Contents of a transaction, except its authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// Chain for which the transaction is valid.
    pub chain_id: u32,
    /// Sequence number of the transaction among its sender's transactions.
    pub nonce: u64,
    /// The sender's ML-DSA-65 key.
    pub public_key: &'a [u8],
    /// Receiver's address.
    pub to: &'a [u8; ADDRESS],
    /// Amount sent, in the ledger's smallest unit.
    pub amount: u64,
    /// Fee paid by the sender, in the same unit.
    pub fee: u64,
}

/// Signatures on a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authentication<'a> {
    /// Tag 0: only ML-DSA-65.
    MlDsa65(&'a [u8]),
    /// Tag 1: both signatures.
    Hybrid {
        /// ML-DSA-65 signature.
        ml_dsa_65: &'a [u8],
        /// Ed25519 signature.
        ed25519: &'a [u8],
    },
}

/// Keys that sign a transaction.
#[derive(Clone, Copy)]
pub struct Signers<'a> {
    /// ML-DSA-65 key.
    pub ml_dsa_65: &'a dyn SigningKey,
    /// Ed25519 key. `Some` for a hybrid transaction.
    pub ed25519: Option<&'a dyn SigningKey>,
}

impl Body<'_> {
    /// Writes every byte before the authentication tag and returns the number of bytes.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` is too short; [`Error::Malformed`] if the public key is not valid for ML-DSA-65.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, Error> {
        Scheme::MlDsa65.check_public_key(self.public_key).map_err(|_| Error::Malformed("ML-DSA-65 public key"))?;
        let mut writer = Writer::new(out, FIXED + 2 + self.public_key.len())?;
        writer.bytes(&[VERSION]);
        writer.bytes(&self.chain_id.to_be_bytes());
        writer.bytes(&self.nonce.to_be_bytes());
        writer.prefixed("public key", self.public_key)?;
        writer.bytes(self.to);
        writer.bytes(&self.amount.to_be_bytes());
        writer.bytes(&self.fee.to_be_bytes());
        Ok(writer.written())
    }

    /// Writes the transaction with its signatures and returns the transaction's length in bytes.
    ///
    /// # Errors
    /// Same as [`encode`](Self::encode), and [`Error::Malformed`] if a signature has an invalid length.
    pub fn encode_with(&self, authentication: &Authentication<'_>, out: &mut [u8]) -> Result<usize, Error> {
        authentication.check().map_err(|_| Error::Malformed("signature for this scheme"))?;
        let length = self.encode(out)?;
        match *authentication {
            Authentication::MlDsa65(signature) => {
                let mut writer = Writer::new(&mut out[length..], 1 + 2 + signature.len())?;
                writer.bytes(&[0]);
                writer.prefixed("signature", signature)?;
                Ok(length + writer.written())
            }
            Authentication::Hybrid { ml_dsa_65, ed25519 } => {
                let mut writer = Writer::new(&mut out[length..], 1 + 2 + ml_dsa_65.len() + 2 + ed25519.len())?;
                writer.bytes(&[1]);
                writer.prefixed("signature", ml_dsa_65)?;
                writer.prefixed("signature", ed25519)?;
                Ok(length + writer.written())
            }
        }
    }

    /// Signs with one or both keys, writes the transaction and returns its length in bytes.
    ///
    /// # Errors
    /// Same as [`encode_with`](Self::encode_with). Propagates errors from the library.
    pub fn sign(
        &self,
        signers: &Signers<'_>,
        sha256: &dyn Hash,
        coins: Coins<'_>,
        scratch: &mut Scratch,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let length = self.encode(out)?;
        let digest = digest(self.chain_id, &out[..length], sha256, scratch)?;
        let mut post_quantum = [0; Scheme::MlDsa65.signature().1];
        let signed = signers.ml_dsa_65.sign(&[], &digest, coins, &mut post_quantum)?;
        let mut classical = [0; Scheme::Ed25519.signature().1];
        let authentication = match signers.ed25519 {
            None => Authentication::MlDsa65(&post_quantum[..signed]),
            Some(key) => {
                let length = key.sign(&[], &digest, Coins::Internal, &mut classical)?;
                Authentication::Hybrid { ml_dsa_65: &post_quantum[..signed], ed25519: &classical[..length] }
            }
        };
        self.encode_with(&authentication, out)
    }
}

impl Authentication<'_> {
    fn check(&self) -> Result<(), Malformed> {
        match self {
            Authentication::MlDsa65(signature) => Scheme::MlDsa65.check_signature(signature),
            Authentication::Hybrid { ml_dsa_65, ed25519 } => {
                Scheme::MlDsa65.check_signature(ml_dsa_65)?;
                Scheme::Ed25519.check_signature(ed25519)
            }
        }
    }
}

/// A decoded transaction that borrows from its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'a> {
    body: Body<'a>,
    authentication: Authentication<'a>,
    signed: &'a [u8],
}

impl<'a> Transaction<'a> {
    /// Decodes a transaction. Rejects trailing bytes.
    ///
    /// # Errors
    /// [`Malformed`] if [`encode`](Self::encode) would not write the same bytes.
    pub fn decode(bytes: &'a [u8]) -> Result<Transaction<'a>, Malformed> {
        let mut reader = Reader::new(bytes);
        let version = reader.u8("version")?;
        if version != VERSION {
            return Err(Malformed::Version(version));
        }
        let chain_id = reader.u32("chain id")?;
        let nonce = reader.u64("nonce")?;
        let public_key = reader.prefixed("public key")?;
        Scheme::MlDsa65.check_public_key(public_key)?;
        let to = reader.address("receiver")?;
        let amount = reader.u64("amount")?;
        let fee = reader.u64("fee")?;
        let signed = reader.consumed();
        let authentication = match reader.u8("authentication tag")? {
            0 => Authentication::MlDsa65(reader.prefixed("signature")?),
            1 => Authentication::Hybrid {
                ml_dsa_65: reader.prefixed("signature")?,
                ed25519: reader.prefixed("signature")?,
            },
            tag => return Err(Malformed::AuthenticationTag(tag)),
        };
        reader.end()?;
        authentication.check()?;
        Ok(Transaction { body: Body { chain_id, nonce, public_key, to, amount, fee }, authentication, signed })
    }

    /// Returns the contents, except the signatures.
    pub fn body(&self) -> &Body<'a> {
        &self.body
    }

    /// Returns the signatures.
    pub fn authentication(&self) -> &Authentication<'a> {
        &self.authentication
    }

    /// Encodes the transaction and returns its length in bytes.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` is too short.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.body.encode_with(&self.authentication, out)
    }

    /// Returns the digest that is signed for `chain_id`.
    ///
    /// # Errors
    /// Propagates errors from the library.
    pub fn digest(&self, chain_id: u32, sha256: &dyn Hash, scratch: &mut Scratch) -> Result<[u8; DIGEST], Error> {
        digest(chain_id, self.signed, sha256, scratch)
    }
}

fn digest(chain_id: u32, signed: &[u8], sha256: &dyn Hash, scratch: &mut Scratch) -> Result<[u8; DIGEST], Error> {
    let mut domain = [0; 8];
    domain[..4].copy_from_slice(DOMAIN);
    domain[4..].copy_from_slice(&chain_id.to_be_bytes());
    let mut digest = [0; DIGEST];
    scratch.digest(sha256, &domain, signed, &mut digest)?;
    Ok(digest)
}
