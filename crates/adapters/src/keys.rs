//! Keys for libraries without key objects. A prepared key is then a copy of the encoded key.
//!
//! A program that calls the library directly passes the encoded key, without copying it or allocating memory. Here,
//! loading a key costs little more than a copy, because each thread reuses the memory of the last key that it dropped.

use pqlab_primitives::wipe;
use std::cell::Cell;
use std::mem;
use std::ops::Deref;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Encoded secret key, wiped on drop.
pub struct SecretBytes(Vec<u8>);

/// Encoded public key.
pub struct PublicBytes(Vec<u8>);

impl SecretBytes {
    /// Copies `bytes`.
    #[inline]
    pub fn from_slice(bytes: &[u8]) -> SecretBytes {
        let mut copy = spare();
        copy.extend_from_slice(bytes);
        SecretBytes(copy)
    }

    /// Creates a key of `length` bytes. `write` receives a pointer to the key's memory and writes the key.
    ///
    /// # Errors
    /// Propagates errors from `write`.
    ///
    /// # Safety
    /// If `write` succeeds, it must have written `length` bytes.
    pub unsafe fn written<E>(length: usize, write: impl FnOnce(*mut u8) -> Result<(), E>) -> Result<SecretBytes, E> {
        let mut bytes = SecretBytes(spare());
        bytes.0.reserve_exact(length);
        write(bytes.0.as_mut_ptr())?;
        // SAFETY: the capacity is at least `length`, and the caller guarantees that `write` initialized the bytes.
        unsafe { bytes.0.set_len(length) };
        Ok(bytes)
    }
}

impl PublicBytes {
    /// Copies `bytes`.
    #[inline]
    pub fn from_slice(bytes: &[u8]) -> PublicBytes {
        let mut copy = spare();
        copy.extend_from_slice(bytes);
        PublicBytes(copy)
    }
}

/// Returns the memory of the last key that this thread dropped, as an empty vector.
#[inline]
fn spare() -> Vec<u8> {
    // While a thread exits, the thread-local may already be gone.
    let mut spare = SPARE.try_with(Cell::take).unwrap_or_default();
    spare.clear();
    spare
}

#[inline]
fn keep(bytes: &mut Vec<u8>) {
    let bytes = mem::take(bytes);
    // If the thread-local is gone, `bytes` is freed.
    let _ = SPARE.try_with(|spare| spare.set(bytes));
}

impl Drop for SecretBytes {
    #[inline]
    fn drop(&mut self) {
        wipe(&mut self.0);
        keep(&mut self.0);
    }
}

impl Drop for PublicBytes {
    #[inline]
    fn drop(&mut self) {
        keep(&mut self.0);
    }
}

impl Deref for SecretBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Deref for PublicBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reuses_the_memory_of_the_last_key_without_its_bytes() {
        let first = SecretBytes::from_slice(&[7; 100]);
        let place = first.as_ptr();
        drop(first);
        let second = PublicBytes::from_slice(&[1; 10]);
        assert_eq!((second.as_ptr(), &*second), (place, &[1; 10][..]));
        let mut kept = mem::ManuallyDrop::new(second);
        // SAFETY: the bytes are within the capacity, and the first key initialized them.
        let rest = unsafe { std::slice::from_raw_parts(kept.0.as_ptr().add(10), 90) };
        assert_eq!(rest, [0; 90]);
        keep(&mut kept.0);
        // Two keys that exist at the same time have separate memory.
        let (one, other) = (SecretBytes::from_slice(&[1; 50]), SecretBytes::from_slice(&[2; 50]));
        assert_eq!((&*one, &*other), (&[1; 50][..], &[2; 50][..]));
    }

    #[test]
    fn returns_no_key_if_writing_fails() {
        // SAFETY: `write` writes the stated number of bytes, and the other closure fails.
        let (written, failed) = unsafe {
            let write = |room: *mut u8| {
                room.write_bytes(3, 20);
                Ok::<(), &str>(())
            };
            (SecretBytes::written(20, write), SecretBytes::written(20, |_| Err("failed")))
        };
        assert_eq!(written.map(|bytes| bytes.to_vec()), Ok(vec![3; 20]));
        assert_eq!(failed.err(), Some("failed"));
    }
}
