//! TXv2 transactions. All integers are big-endian. A transaction consists of these fields:
//!
//! - version u8 = 2, chain id u32, scheme u8, nonce u64
//! - receiver's address (32 bytes), amount u64, fee u64
//! - public key: length u16, bytes
//! - signature: length u16, bytes
//!
//! The signed digest is SHA-256("TXv2" || every byte before the signature field).

use super::cursor::{Reader, Writer};
use super::{ADDRESS, DIGEST, Malformed, Scheme, Scratch};
use pqlab_primitives::{Coins, Error, Hash, SigningKey};

/// First byte of a transaction.
pub(super) const VERSION: u8 = 2;
/// Prefix of the bytes that the signed digest covers.
const DOMAIN: &[u8] = b"TXv2";
/// Total length in bytes of the fixed-length fields.
pub(super) const FIXED: usize = 1 + 4 + 1 + 8 + ADDRESS + 8 + 8;

/// Contents of a transaction, except its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// Chain for which the transaction is valid.
    pub chain_id: u32,
    /// Signature scheme.
    pub scheme: Scheme,
    /// Sequence number of the transaction among its sender's transactions.
    pub nonce: u64,
    /// Receiver's address.
    pub to: &'a [u8; ADDRESS],
    /// Amount sent, in the ledger's smallest unit.
    pub amount: u64,
    /// Fee paid by the sender, in the same unit.
    pub fee: u64,
    /// Sender's public key.
    pub public_key: &'a [u8],
}

impl Body<'_> {
    /// Returns the length in bytes of the signed part, without the domain prefix.
    pub fn length(&self) -> usize {
        FIXED + 2 + self.public_key.len()
    }

    /// Writes every byte before the signature field and returns the number of bytes.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` is too short; [`Error::Malformed`] if the public key is not valid for the scheme.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.scheme.check_public_key(self.public_key).map_err(|_| Error::Malformed("public key for this scheme"))?;
        let mut writer = Writer::new(out, self.length())?;
        writer.bytes(&[VERSION]);
        writer.bytes(&self.chain_id.to_be_bytes());
        writer.bytes(&[self.scheme.id()]);
        writer.bytes(&self.nonce.to_be_bytes());
        writer.bytes(self.to);
        writer.bytes(&self.amount.to_be_bytes());
        writer.bytes(&self.fee.to_be_bytes());
        writer.prefixed("public key", self.public_key)?;
        Ok(writer.written())
    }

    /// Encodes the transaction with an existing signature, and returns its length in bytes.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` is too short; [`Error::Malformed`] if the public key or the signature is not valid
    /// for the scheme.
    pub fn encode_with(&self, signature: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        self.scheme.check_signature(signature).map_err(|_| Error::Malformed("signature for this scheme"))?;
        let length = self.encode(out)?;
        let mut writer = Writer::new(&mut out[length..], 2 + signature.len())?;
        writer.prefixed("signature", signature)?;
        Ok(length + writer.written())
    }

    /// Signs and encodes the transaction, and returns its length in bytes. `out` must have room for the scheme's
    /// longest transaction.
    ///
    /// # Errors
    /// Same as [`encode_with`](Self::encode_with). Propagates errors from the library.
    pub fn sign(
        &self,
        key: &dyn SigningKey,
        sha256: &dyn Hash,
        coins: Coins<'_>,
        scratch: &mut Scratch,
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let length = self.encode(out)?;
        let mut digest = [0; DIGEST];
        scratch.digest(sha256, DOMAIN, &out[..length], &mut digest)?;
        let (_, longest) = self.scheme.signature();
        let room = out.len();
        let field = out.get_mut(length..length + 2 + longest).ok_or(Error::Length {
            what: "transaction",
            expected: length + 2 + longest,
            actual: room,
        })?;
        let (prefix, signature) = field.split_at_mut(2);
        let signed = key.sign(&[], &digest, coins, signature)?;
        self.scheme.check_signature(&signature[..signed]).map_err(|_| Error::Malformed("signature for this scheme"))?;
        // The cast does not truncate, because every signature is shorter than 64 KiB.
        prefix.copy_from_slice(&(signed as u16).to_be_bytes());
        Ok(length + 2 + signed)
    }
}

/// Unchecked fields of a transaction from another source, such as a table row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields<'a> {
    /// First byte of the transaction.
    pub version: u8,
    /// Chain id, as in [`Body::chain_id`].
    pub chain_id: u32,
    /// Number of the signature scheme, as in [`Scheme::id`].
    pub scheme: u8,
    /// Sequence number, as in [`Body::nonce`].
    pub nonce: u64,
    /// Receiver's address, as in [`Body::to`].
    pub to: &'a [u8; ADDRESS],
    /// Amount sent, as in [`Body::amount`].
    pub amount: u64,
    /// Fee, as in [`Body::fee`].
    pub fee: u64,
    /// Sender's public key, as in [`Body::public_key`].
    pub public_key: &'a [u8],
    /// Signature.
    pub signature: &'a [u8],
}

impl Fields<'_> {
    /// Encodes the fields and appends them to `out`. Does not check the fields; [`Transaction::decode`] does.
    ///
    /// # Errors
    /// [`Error::Length`] if the key or the signature exceeds 65,535 bytes. `out` then stays unchanged.
    pub fn append(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        out.resize(start + FIXED + 4 + self.public_key.len() + self.signature.len(), 0);
        let written = self.write(&mut out[start..]);
        if written.is_err() {
            out.truncate(start);
        }
        written
    }

    fn write(&self, out: &mut [u8]) -> Result<(), Error> {
        let length = out.len();
        let mut writer = Writer::new(out, length)?;
        writer.bytes(&[self.version]);
        writer.bytes(&self.chain_id.to_be_bytes());
        writer.bytes(&[self.scheme]);
        writer.bytes(&self.nonce.to_be_bytes());
        writer.bytes(self.to);
        writer.bytes(&self.amount.to_be_bytes());
        writer.bytes(&self.fee.to_be_bytes());
        writer.prefixed("public key", self.public_key)?;
        writer.prefixed("signature", self.signature)
    }
}

/// A decoded transaction that borrows from its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction<'a> {
    body: Body<'a>,
    signed: &'a [u8],
    signature: &'a [u8],
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
        let scheme = reader.u8("scheme")?;
        let scheme = Scheme::from_id(scheme).ok_or(Malformed::Scheme(scheme))?;
        let nonce = reader.u64("nonce")?;
        let to = reader.address("receiver")?;
        let amount = reader.u64("amount")?;
        let fee = reader.u64("fee")?;
        let public_key = reader.prefixed("public key")?;
        scheme.check_public_key(public_key)?;
        let signed = reader.consumed();
        let signature = reader.prefixed("signature")?;
        reader.end()?;
        scheme.check_signature(signature)?;
        Ok(Transaction { body: Body { chain_id, scheme, nonce, to, amount, fee, public_key }, signed, signature })
    }

    /// Returns the contents, except the signature.
    pub fn body(&self) -> &Body<'a> {
        &self.body
    }

    /// Returns the signature.
    pub fn signature(&self) -> &'a [u8] {
        self.signature
    }

    /// Encodes the transaction and returns its length in bytes.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` is too short.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, Error> {
        self.body.encode_with(self.signature, out)
    }

    /// Returns the transaction's fields, for [`Fields::append`].
    pub fn fields(&self) -> Fields<'a> {
        let Body { chain_id, scheme, nonce, to, amount, fee, public_key } = self.body;
        let (version, scheme, signature) = (VERSION, scheme.id(), self.signature);
        Fields { version, chain_id, scheme, nonce, to, amount, fee, public_key, signature }
    }

    /// Returns the signed digest.
    ///
    /// # Errors
    /// Propagates errors from the library.
    pub fn digest(&self, sha256: &dyn Hash, scratch: &mut Scratch) -> Result<[u8; DIGEST], Error> {
        let mut digest = [0; DIGEST];
        scratch.digest(sha256, DOMAIN, self.signed, &mut digest)?;
        Ok(digest)
    }
}
