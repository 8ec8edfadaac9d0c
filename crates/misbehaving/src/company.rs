//! What a library does to those that run after it: `dirty` leaves vector registers in use and another rounding mode, `witness`
//! fails if it finds anything left behind, and `slow-start` sets something up in its first call.

use pqlab_harness::residue;
use pqlab_primitives::{Coins, DecapsulationKey, EncapsulationKey, Error, Kem, KemInfo, KeyEncoding, Provider, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// What the first call of `slow-start` in a process takes.
const SET_UP: Duration = Duration::from_millis(50);

#[derive(Clone, Copy)]
enum Manner {
    Dirty,
    Witness,
    SlowStart,
}

/// One KEM a manner; each is the null provider's besides.
pub(super) fn kems(others: &[Arc<Provider>]) -> Vec<Arc<dyn Kem>> {
    let null = others.iter().filter(|provider| provider.library == "null").find_map(|provider| provider.kems.first());
    let of = |(name, manner): (&'static str, Manner)| {
        let kem = Arc::clone(null?);
        let mut info = kem.info().clone();
        info.parameters.algorithm = name.into();
        Some(Arc::new(Mannered { kem, info, manner }) as Arc<dyn Kem>)
    };
    [("dirty", Manner::Dirty), ("witness", Manner::Witness), ("slow-start", Manner::SlowStart)]
        .into_iter()
        .filter_map(of)
        .collect()
}

struct Mannered {
    kem: Arc<dyn Kem>,
    info: KemInfo,
    manner: Manner,
}

impl Mannered {
    fn key(&self, key: Box<dyn DecapsulationKey>) -> Box<dyn DecapsulationKey> {
        Box::new(ManneredKey { key, manner: self.manner })
    }
}

impl Kem for Mannered {
    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn generate_encoded(&self, coins: Coins, encapsulation_key: &mut [u8], decapsulation_key: &mut [u8]) -> Result<()> {
        self.kem.generate_encoded(coins, encapsulation_key, decapsulation_key)
    }

    fn generate(&self, coins: Coins) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.key(self.kem.generate(coins)?))
    }

    fn load_encapsulation_key(&self, bytes: &[u8]) -> Result<Box<dyn EncapsulationKey>> {
        self.kem.load_encapsulation_key(bytes)
    }

    fn load_decapsulation_key(&self, encoding: KeyEncoding, bytes: &[u8]) -> Result<Box<dyn DecapsulationKey>> {
        Ok(self.key(self.kem.load_decapsulation_key(encoding, bytes)?))
    }
}

struct ManneredKey {
    key: Box<dyn DecapsulationKey>,
    manner: Manner,
}

impl DecapsulationKey for ManneredKey {
    fn decapsulate(&self, ciphertext: &[u8], secret: &mut [u8]) -> Result<()> {
        static SET_UP_DONE: AtomicBool = AtomicBool::new(false);
        match self.manner {
            Manner::Witness => {
                if let Some(left) = residue::read().filter(|left| !left.is_empty()) {
                    let detail = left.iter().map(|residue| residue.name()).collect::<Vec<_>>().join(", ");
                    return Err(Error::Library { call: "witness_decapsulate", detail: format!("found {detail}") });
                }
            }
            Manner::SlowStart if !SET_UP_DONE.swap(true, Ordering::Relaxed) => thread::sleep(SET_UP),
            _ => {}
        }
        self.key.decapsulate(ciphertext, secret)?;
        if let Manner::Dirty = self.manner {
            residue::leave_dirty();
        }
        Ok(())
    }

    fn encapsulation_key(&self) -> Result<Box<dyn EncapsulationKey>> {
        self.key.encapsulation_key()
    }

    fn encode(&self, encoding: KeyEncoding, out: &mut [u8]) -> Result<usize> {
        self.key.encode(encoding, out)
    }
}
