//! Input for verification, and reasons for rejecting a signature.

use crate::parameters::ParameterSet;
use crate::verify::{Expanded, KeyForm};
use core::fmt;
use core::marker::PhantomData;

/// Message that a signature covers, in one of three forms.
#[derive(Clone, Copy, Debug)]
pub enum Message<'a> {
    /// Message for the pure interface (FIPS 204, algorithm 3).
    Pure {
        /// Context of at most 255 bytes.
        context: &'a [u8],
        /// The message.
        message: &'a [u8],
    },
    /// `M'` for the internal interface, used unchanged (FIPS 204, algorithm 8).
    Formatted(&'a [u8]),
    /// Message representative `mu`, which the caller computed from the key and the message (FIPS 204, algorithm 8, line
    /// 7).
    Mu(&'a [u8; 64]),
}

/// Encoded verifying key of the length that the parameter set requires. Every byte string of that length is a valid
/// key.
#[derive(Clone, Copy, Debug)]
pub struct EncodedKey<'a, P> {
    pub(crate) bytes: &'a [u8],
    set: PhantomData<P>,
}

impl<'a, P: ParameterSet> EncodedKey<'a, P> {
    /// Wraps an encoded key after checking the length.
    ///
    /// # Errors
    /// [`Refusal::KeyLength`] if the length is wrong for the parameter set.
    pub fn new(bytes: &'a [u8]) -> Result<EncodedKey<'a, P>, Refusal> {
        if bytes.len() == P::KEY {
            Ok(EncodedKey { bytes, set: PhantomData })
        } else {
            Err(Refusal::KeyLength { expected: P::KEY, actual: bytes.len() })
        }
    }
}

/// Verifying key with the expanded matrix and transformed `t1`. Takes 21 KB for ML-DSA-44, 37 KB for ML-DSA-65 and 66
/// KB for ML-DSA-87.
#[derive(Clone, Debug)]
pub struct PreparedKey<P> {
    pub(crate) expanded: Expanded,
    pub(crate) set: PhantomData<P>,
}

/// Verifying key in either form.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a, P> {
    /// Encoded key.
    Encoded(EncodedKey<'a, P>),
    /// Key with every precomputation that does not depend on a signature.
    Prepared(&'a PreparedKey<P>),
}

impl<'a, P> Key<'a, P> {
    pub(crate) fn form(&self) -> KeyForm<'a> {
        match self {
            Key::Encoded(key) => KeyForm::Encoded(key.bytes),
            Key::Prepared(key) => KeyForm::Prepared(&key.expanded),
        }
    }
}

impl<'a, P> From<EncodedKey<'a, P>> for Key<'a, P> {
    fn from(key: EncodedKey<'a, P>) -> Key<'a, P> {
        Key::Encoded(key)
    }
}

impl<'a, P> From<&'a PreparedKey<P>> for Key<'a, P> {
    fn from(key: &'a PreparedKey<P>) -> Key<'a, P> {
        Key::Prepared(key)
    }
}

/// A signature with the message and signer to check it against.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a, P> {
    /// The signer's verifying key.
    pub key: Key<'a, P>,
    /// Signed message.
    pub message: Message<'a>,
    /// Encoded signature. Verification rejects signatures of the wrong length.
    pub signature: &'a [u8],
}

/// Reason for rejecting a signature or a key. If several reasons apply, any one of them is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The verifying key has the wrong length for the parameter set.
    KeyLength {
        /// Length that the parameter set requires, in bytes.
        expected: usize,
        /// Actual length, in bytes.
        actual: usize,
    },
    /// The context is longer than 255 bytes. Contains its length in bytes.
    ContextLength(usize),
    /// The signature has the wrong length for the parameter set.
    SignatureLength {
        /// Length that the parameter set requires, in bytes.
        expected: usize,
        /// Actual length, in bytes.
        actual: usize,
    },
    /// The hint is not in canonical encoding (FIPS 204, algorithm 21).
    Hint,
    /// A coefficient of `z` is too large (FIPS 204, algorithm 8, line 13).
    Norm,
    /// The challenge in the signature does not match the key, the message, `z` and the hint.
    Challenge,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::KeyLength { expected, actual } => {
                write!(out, "verifying key: {actual} bytes, expected {expected}")
            }
            Refusal::ContextLength(actual) => write!(out, "context: {actual} bytes, expected at most 255"),
            Refusal::SignatureLength { expected, actual } => {
                write!(out, "signature: {actual} bytes, expected {expected}")
            }
            Refusal::Hint => out.write_str("the hint is not in canonical encoding"),
            Refusal::Norm => out.write_str("a coefficient of z is too large"),
            Refusal::Challenge => out.write_str("the signature does not match the message and the key"),
        }
    }
}

impl core::error::Error for Refusal {}
