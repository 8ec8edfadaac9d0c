use super::{PreparedKey, Scheme};
use pqlab_primitives::Result;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Bounded cache of prepared verifying keys, shared between threads and keyed by encoded key. A
/// full cache drops all its keys, so that the keys of inactive senders do not stay forever.
///
/// Encoded keys are hashed as a whole with a random key per process, so an attacker cannot choose public keys that
/// collide.
pub struct KeyCache {
    capacity: usize,
    keys: [RwLock<Keys>; Scheme::ALL.len()],
}

type Keys = HashMap<Box<[u8]>, PreparedKey>;

impl KeyCache {
    /// Creates a cache for up to `capacity` keys per scheme.
    pub fn new(capacity: usize) -> KeyCache {
        KeyCache { capacity, keys: Default::default() }
    }

    /// Returns the prepared key from the cache, or loads and caches it.
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
        // Load the key outside the lock, so that other threads are not blocked meanwhile.
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

    /// Returns the number of cached keys for all schemes together.
    pub fn len(&self) -> usize {
        self.keys.iter().map(|keys| keys.read().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for KeyCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("KeyCache").field("capacity", &self.capacity).field("len", &self.len()).finish()
    }
}
