//! A whole key exchange: key generation, encapsulation, decapsulation.

use crate::{fault, kem};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, Kem};
use std::sync::Arc;

pub(super) struct Handshake {
    kem: Arc<dyn Kem>,
    ciphertext: Vec<u8>,
    sent: Vec<u8>,
    received: Vec<u8>,
}

impl Handshake {
    pub(super) fn new(kem: Arc<dyn Kem>) -> Handshake {
        let parameters = &kem.info().parameters;
        let secret = vec![0; parameters.shared_secret];
        Handshake { ciphertext: vec![0; parameters.ciphertext], sent: secret.clone(), received: secret, kem }
    }
}

impl Trial for Handshake {
    fn refill(&mut self, _batch: usize) -> Result<(), Fault> {
        self.sent.fill(0);
        self.received.fill(0);
        Ok(())
    }

    fn run(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            let key = self.kem.generate(Coins::Internal).map_err(fault)?;
            let to = key.encapsulation_key().map_err(fault)?;
            to.encapsulate(Coins::Internal, &mut self.ciphertext, &mut self.sent).map_err(fault)?;
            key.decapsulate(&self.ciphertext, &mut self.received).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        kem::same_secret(&self.sent, &self.received)
    }
}
