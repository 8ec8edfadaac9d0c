use super::{PreparedKey, Scheme};
use pqlab_primitives::Result;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Bounded cache that maps encoded verifying keys to prepared ones, shared between threads. If the cache is full for a
/// scheme, adding a key first removes all other keys of the scheme. Otherwise, keys of inactive senders would remain
/// forever.
///
/// The hash tables use randomly keyed hash functions, so an attacker cannot choose public keys that collide.
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

    /// Returns the prepared key from the cache, or calls `load` and caches the result.
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
        // Loading is slow, so do not hold the lock.
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

    /// Returns the number of cached keys of all schemes.
    pub fn len(&self) -> usize {
        self.keys.iter().map(|keys| keys.read().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }

    /// Returns whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for KeyCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("KeyCache").field("capacity", &self.capacity).field("len", &self.len()).finish()
    }
}
