use super::{PreparedKey, Scheme};
use pqlab_primitives::Result;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Prepared verifying keys by their encoding, shared between threads and bounded: when it is full it is emptied, so that
/// senders of long ago make room for those of now.
///
/// Encodings are hashed whole with a key of the process's own, so that nobody can choose public keys that collide.
pub struct KeyCache {
    capacity: usize,
    keys: [RwLock<Keys>; Scheme::ALL.len()],
}

type Keys = HashMap<Box<[u8]>, PreparedKey>;

impl KeyCache {
    /// A cache of so many keys of each scheme.
    pub fn new(capacity: usize) -> KeyCache {
        KeyCache { capacity, keys: Default::default() }
    }

    /// The prepared key, loaded now if it is not there.
    pub(super) fn get(
        &self,
        scheme: Scheme,
        encoded: &[u8],
        load: impl FnOnce() -> Result<PreparedKey>,
    ) -> Result<PreparedKey> {
        let keys = &self.keys[usize::from(scheme.id())];
        if let Some(key) = keys.read().unwrap_or_else(PoisonError::into_inner).get(encoded) {
            return Ok(key.clone());
        }
        // Outside the lock: others go on while this thread expands the key.
        let key = load()?;
        let mut keys = keys.write().unwrap_or_else(PoisonError::into_inner);
        if keys.len() >= self.capacity {
            keys.clear();
        }
        if self.capacity > 0 {
            keys.insert(encoded.into(), key.clone());
        }
        Ok(key)
    }

    /// Keys held now, over all schemes.
    pub fn len(&self) -> usize {
        self.keys.iter().map(|keys| keys.read().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for KeyCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("KeyCache").field("capacity", &self.capacity).field("len", &self.len()).finish()
    }
}
