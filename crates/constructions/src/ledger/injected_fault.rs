use super::scheme::SECP256K1_ORDER;
use super::{Scheme, Transaction, reference};

/// Fault injected into a transaction so that verifiers reject it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InjectedFault {
    /// A bit of the signature is flipped.
    WrongSignature,
    /// The transaction is correctly signed for a different chain.
    WrongChain,
    /// The second half of the signature is missing.
    Truncated,
    /// An extra byte follows the transaction.
    TrailingBytes,
    /// The signature is valid but not canonically encoded. For ECDSA, the group order minus `s` replaces `s`. For
    /// Ed25519 and the composite, the group order is added to `S`. For other schemes, a zero byte is appended.
    NonCanonical,
}

impl InjectedFault {
    /// All faults.
    pub const ALL: [InjectedFault; 5] = [
        InjectedFault::WrongSignature,
        InjectedFault::WrongChain,
        InjectedFault::Truncated,
        InjectedFault::TrailingBytes,
        InjectedFault::NonCanonical,
    ];

    /// Returns the fault's name, which equals the [kind](super::Rejection::kind) of the expected rejection.
    pub const fn name(self) -> &'static str {
        match self {
            InjectedFault::WrongSignature => "wrong-signature",
            InjectedFault::WrongChain => "wrong-chain",
            InjectedFault::Truncated => "truncated",
            InjectedFault::TrailingBytes => "trailing-bytes",
            InjectedFault::NonCanonical => "non-canonical",
        }
    }

    /// Returns the chain id to sign for if the verifier's chain id is `chain_id`.
    pub const fn chain_id(self, chain_id: u32) -> u32 {
        match self {
            InjectedFault::WrongChain => chain_id ^ 1,
            _ => chain_id,
        }
    }

    /// Corrupts a valid transaction of either form. Does nothing for [`WrongChain`](Self::WrongChain), which requires
    /// signing for [a different chain](Self::chain_id).
    pub fn inject(self, transaction: &mut Vec<u8>) {
        let (scheme, length) = match Transaction::decode(transaction) {
            Ok(decoded) => (decoded.body().scheme, decoded.signature().len()),
            Err(_) => (Scheme::MlDsa65, signature_of_reference(transaction)),
        };
        let start = transaction.len() - length;
        match self {
            // This byte belongs to `r` in ECDSA and to `R` in Ed25519. In every other scheme,
            // verification also depends on this byte.
            InjectedFault::WrongSignature => transaction[start + length / 4] ^= 4,
            InjectedFault::WrongChain => {}
            InjectedFault::Truncated => transaction.truncate(start + length / 2),
            InjectedFault::TrailingBytes => transaction.push(0),
            InjectedFault::NonCanonical => match scheme {
                Scheme::EcdsaSecp256k1 => negate(&mut transaction[start + 32..]),
                Scheme::Ed25519 | Scheme::Composite => Scheme::add_ed25519_order(&mut transaction[start..]),
                _ => {
                    transaction.push(0);
                    let longer = (length + 1) as u16;
                    transaction[start - 2..start].copy_from_slice(&longer.to_be_bytes());
                }
            },
        }
    }
}

/// Returns the length in bytes of the last signature in a TXv1 transaction.
fn signature_of_reference(transaction: &[u8]) -> usize {
    match reference::Transaction::decode(transaction).map(|decoded| *decoded.authentication()) {
        Ok(reference::Authentication::Hybrid { ed25519, .. }) => ed25519.len(),
        Ok(reference::Authentication::MlDsa65(signature)) => signature.len(),
        Err(_) => 0,
    }
}

/// Replaces `s` with `n - s`, where `n` is the group order of secp256k1. `s` is big-endian.
fn negate(s: &mut [u8]) {
    let mut borrow = 0;
    for (byte, order) in s.iter_mut().zip(SECP256K1_ORDER).rev() {
        let difference = i16::from(order) - i16::from(*byte) - borrow;
        borrow = i16::from(difference < 0);
        *byte = difference.rem_euclid(256) as u8;
    }
}
