//! Prepared hybrid KEM keys: the keys of both halves, and the recipient's data that the combiner needs.

use super::combiner::{Combiner, Inputs};
use super::length::{ML_KEM_COINS, ML_KEM_KEY, SECRET, X25519};
use super::low_order::LowOrder;
use super::{Layout, Secret};
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Error, KeyEncoding, Result, Wiped};

pub(super) const NO_SUCH_ENCODING: Error =
    Error::Unsupported("hybrid decapsulation keys must be encoded as seeds, or as CBOR in the reference form");

pub(super) struct HybridEncapsulationKey {
    classical: Box<dyn EncapsulationKey>,
    post_quantum: Box<dyn EncapsulationKey>,
    public_x: [u8; X25519],
    layout: Layout,
    combiner: Combiner,
    low_order: LowOrder,
}

impl HybridEncapsulationKey {
    pub(super) fn boxed(
        classical: Box<dyn EncapsulationKey>,
        post_quantum: Box<dyn EncapsulationKey>,
        layout: Layout,
        combiner: Combiner,
        low_order: LowOrder,
    ) -> Result<Box<dyn EncapsulationKey>> {
        let mut public_x = [0; X25519];
        classical.encode(&mut public_x)?;
        Ok(Box::new(HybridEncapsulationKey { classical, post_quantum, public_x, layout, combiner, low_order }))
    }
}

impl EncapsulationKey for HybridEncapsulationKey {
    fn encapsulate(&self, coins: Coins, ciphertext: &mut [u8], secret: &mut [u8]) -> Result<()> {
        let (first, second) = match coins.exact::<{ ML_KEM_COINS + X25519 }>()? {
            None => (Coins::Internal, Coins::Internal),
            Some(given) => (Coins::Exact(&given[..ML_KEM_COINS]), Coins::Exact(&given[ML_KEM_COINS..])),
        };
        let (mut secret_m, mut secret_x) = (Wiped::new([0; SECRET]), Wiped::new([0; SECRET]));
        let (ciphertext_m, ciphertext_x) = self.layout.split_mut(ciphertext)?;
        self.post_quantum.encapsulate(first, ciphertext_m, secret_m.as_mut_slice())?;
        if let Err(refusal) = self.classical.encapsulate(second, ciphertext_x, secret_x.as_mut_slice()) {
            let Some(x25519) = self.low_order.combined(&self.public_x) else { return Err(refusal) };
            x25519.generate(second)?.encode_encapsulation_key(ciphertext_x)?;
            secret_x.as_mut_slice().fill(0);
        }
        let (_, ciphertext_x) = self.layout.split(ciphertext)?;
        let inputs =
            Inputs { secret_m: &secret_m, secret_x: &secret_x, ciphertext_x, public_x: &self.public_x, ciphertext };
        self.combiner.combine(&inputs, secret)
    }

    fn encode(&self, out: &mut [u8]) -> Result<usize> {
        let mut post_quantum = [0; ML_KEM_KEY];
        self.post_quantum.encode(&mut post_quantum)?;
        self.layout.write_key(&post_quantum, &self.public_x, out)
    }
}

pub(super) struct HybridDecapsulationKey {
    classical: Box<dyn DecapsulationKey>,
    post_quantum: Box<dyn DecapsulationKey>,
    public_x: [u8; X25519],
    layout: Layout,
    combiner: Combiner,
    low_order: LowOrder,
    secret: Secret,
}

impl HybridDecapsulationKey {
    pub(super) fn boxed(
        classical: Box<dyn DecapsulationKey>,
        post_quantum: Box<dyn DecapsulationKey>,
        layout: Layout,
        combiner: Combiner,
        low_order: LowOrder,
        secret: Secret,
    ) -> Result<Box<dyn DecapsulationKey>> {
        let mut public_x = [0; X25519];
        // Only the universal combiner uses the recipient's X25519 key.
        if let Combiner::Universal(_) = combiner {
            classical.encode_encapsulation_key(&mut public_x)?;
        }
        Ok(Box::new(HybridDecapsulationKey { classical, post_quantum, public_x, layout, combiner, low_order, secret }))
    }
}

impl DecapsulationKey for HybridDecapsulationKey {
    /// Decapsulates the secret. A modified ciphertext yields a different secret (implicit rejection). If the
    /// ciphertext's X25519 part is a point of low order, X-Wing still yields a secret. The other constructions reject
    /// the ciphertext (RFC 7748, section 6.1).
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        let (mut secret_m, mut secret_x) = (Wiped::new([0; SECRET]), Wiped::new([0; SECRET]));
        let (ciphertext_m, ciphertext_x) = self.layout.split(ciphertext)?;
        self.post_quantum.decapsulate(ciphertext_m, secret_m.as_mut_slice())?;
        if let Err(refusal) = self.classical.decapsulate(ciphertext_x, secret_x.as_mut_slice()) {
            if self.low_order.combined(ciphertext_x).is_none() {
                return Err(refusal);
            }
            secret_x.as_mut_slice().fill(0);
        }
        let inputs =
            Inputs { secret_m: &secret_m, secret_x: &secret_x, ciphertext_x, public_x: &self.public_x, ciphertext };
        self.combiner.combine(&inputs, secret)
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        HybridEncapsulationKey::boxed(
            self.classical.encapsulation_key()?,
            self.post_quantum.encapsulation_key()?,
            self.layout.clone(),
            self.combiner.clone(),
            self.low_order.clone(),
        )
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        if encoding != self.layout.encoding() {
            return Err(NO_SUCH_ENCODING);
        }
        self.secret.write(&self.layout, out)
    }
}
