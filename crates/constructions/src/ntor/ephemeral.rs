//! Ephemeral keys that a client generates in advance.

use super::{HandshakeError, Protocol, Result, Variant, WORD, split};
use pqlab_primitives::{Coins, DecapsulationKey, Error, PrivateKey};

/// Ephemeral keys for one handshake, generated in advance by
/// [`Protocol::ephemeral_keys`](super::Protocol::ephemeral_keys). The keys do not depend on the relay. A handshake
/// consumes its keys, so they cannot be reused.
pub struct EphemeralKeys {
    variant: Variant,
    agreement: Option<AgreementKey>,
    kem: Option<KemKey>,
}

/// A private X25519 key and its public key.
pub(super) type AgreementKey = (Box<dyn PrivateKey>, [u8; WORD]);
/// A decapsulation key and the encoded encapsulation key.
pub(super) type KemKey = (Box<dyn DecapsulationKey>, Vec<u8>);

impl EphemeralKeys {
    pub(super) fn generate(protocol: &Protocol, coins: Coins) -> Result<EphemeralKeys> {
        let agreement = |coins| -> Result<AgreementKey> {
            let mut public = [0; WORD];
            let private = protocol.generate_agreement(coins, &mut public)?;
            Ok((private, public))
        };
        let kem = |coins| -> Result<KemKey> {
            let mut public = vec![0; protocol.kem.encapsulation_key];
            let private = protocol.generate_kem(coins, &mut public)?;
            Ok((private, public))
        };
        let (agreement, kem) = match protocol.variant {
            Variant::V1 => (Some(agreement(coins)?), None),
            Variant::KemOnly => (None, Some(kem(coins)?)),
            Variant::Authenticated => {
                let (x_coins, kem_coins) = split(coins, WORD)?;
                (Some(agreement(x_coins)?), Some(kem(kem_coins)?))
            }
        };
        Ok(EphemeralKeys { variant: protocol.variant, agreement, kem })
    }

    pub(super) fn agreement(&mut self) -> Result<AgreementKey> {
        self.agreement.take().ok_or_else(of_another)
    }

    /// Takes the KEM key. Fails if the encapsulation key does not have the protocol's length.
    pub(super) fn kem(&mut self, protocol: &Protocol) -> Result<KemKey> {
        let key = self.kem.take().filter(|(_, public)| public.len() == protocol.kem.encapsulation_key);
        key.ok_or_else(of_another)
    }

    /// Fails if the keys were generated for a different variant.
    pub(super) fn check(&self, variant: Variant) -> Result<()> {
        if self.variant == variant { Ok(()) } else { Err(of_another()) }
    }
}

fn of_another() -> HandshakeError {
    Error::Unsupported("ephemeral keys from a different handshake").into()
}
