//! What is to be verified, and why it is not valid.

use crate::parameters::ParameterSet;
use crate::verify::{Expanded, KeyForm};
use core::fmt;
use core::marker::PhantomData;

/// What a signature signs.
#[derive(Clone, Copy, Debug)]
pub enum Message<'a> {
    /// The pure interface (FIPS 204, algorithm 3).
    Pure {
        /// At most 255 bytes.
        context: &'a [u8],
        /// The message.
        message: &'a [u8],
    },
    /// The internal interface (FIPS 204, algorithm 8): `M'` as it stands.
    Formatted(&'a [u8]),
    /// The message representative `mu` (FIPS 204, algorithm 8, line 7), which somebody else has computed of the key and the
    /// message.
    Mu(&'a [u8; 64]),
}

/// The bytes of a verifying key, of the length that the parameter set has. All such bytes are a key.
#[derive(Clone, Copy, Debug)]
pub struct EncodedKey<'a, P> {
    pub(crate) bytes: &'a [u8],
    set: PhantomData<P>,
}

impl<'a, P: ParameterSet> EncodedKey<'a, P> {
    /// The bytes of a key.
    ///
    /// # Errors
    /// [`Refusal::KeyLength`].
    pub fn new(bytes: &'a [u8]) -> Result<EncodedKey<'a, P>, Refusal> {
        if bytes.len() == P::KEY {
            Ok(EncodedKey { bytes, set: PhantomData })
        } else {
            Err(Refusal::KeyLength { expected: P::KEY, actual: bytes.len() })
        }
    }
}

/// A verifying key with its matrix expanded and its `t1` transformed: 23, 38 or 66 KB.
#[derive(Clone, Debug)]
pub struct PreparedKey<P> {
    pub(crate) expanded: Expanded,
    pub(crate) set: PhantomData<P>,
}

/// A verifying key of either form.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a, P> {
    /// As it goes on the wire.
    Encoded(EncodedKey<'a, P>),
    /// With what does not depend on signatures computed.
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

/// A signature, what it is said to sign, and whose it is said to be.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a, P> {
    /// The signer's.
    pub key: Key<'a, P>,
    /// What is signed.
    pub message: Message<'a>,
    /// As it goes on the wire; one of another length is refused.
    pub signature: &'a [u8],
}

/// Why a signature is not valid, or a key not taken. Where there are several reasons it is one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A verifying key has not the length of the parameter set, in bytes.
    KeyLength {
        /// The set's.
        expected: usize,
        /// What was given.
        actual: usize,
    },
    /// A context of so many bytes: more than 255.
    ContextLength(usize),
    /// A signature has not the length of the parameter set, in bytes.
    SignatureLength {
        /// The set's.
        expected: usize,
        /// What was given.
        actual: usize,
    },
    /// The hint is not encoded in the one form that the standard allows (FIPS 204, algorithm 21).
    Hint,
    /// A coefficient of `z` is too large (FIPS 204, algorithm 8, line 13).
    Norm,
    /// The challenge of the signature is not that of key, message, `z` and hint.
    Challenge,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::KeyLength { expected, actual } => {
                write!(out, "verifying key: {actual} bytes where {expected} are needed")
            }
            Refusal::ContextLength(actual) => write!(out, "context: {actual} bytes where at most 255 are allowed"),
            Refusal::SignatureLength { expected, actual } => {
                write!(out, "signature: {actual} bytes where {expected} are needed")
            }
            Refusal::Hint => out.write_str("the hint is not encoded as the standard has it"),
            Refusal::Norm => out.write_str("a coefficient of z is too large"),
            Refusal::Challenge => out.write_str("the signature is not one of this message by this key"),
        }
    }
}

impl core::error::Error for Refusal {}
