//! The bytes of keys of a library without key objects: there a prepared key is a copy of its bytes; whoever calls the
//! library itself with bytes makes no copy and allocates nothing. So that a key from bytes costs little more than the copy,
//! each thread keeps the memory of the key that it dropped last for the next one.

use pqlab_primitives::wipe;
use std::cell::Cell;
use std::mem;
use std::ops::Deref;

thread_local! {
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The bytes of a secret key, wiped when they are dropped.
pub struct SecretBytes(Vec<u8>);

/// The bytes of a public key.
pub struct PublicBytes(Vec<u8>);

impl SecretBytes {
    /// A copy.
    #[inline]
    pub fn of(bytes: &[u8]) -> SecretBytes {
        let mut copy = spare();
        copy.extend_from_slice(bytes);
        SecretBytes(copy)
    }

    /// As many bytes as `write` writes to the memory that it is handed.
    ///
    /// # Errors
    /// Those of `write`.
    ///
    /// # Safety
    /// Where `write` succeeds it has written `length` bytes.
    pub unsafe fn written<E>(length: usize, write: impl FnOnce(*mut u8) -> Result<(), E>) -> Result<SecretBytes, E> {
        let mut bytes = SecretBytes(spare());
        bytes.0.reserve_exact(length);
        write(bytes.0.as_mut_ptr())?;
        // SAFETY: there is room for so many bytes, and the caller vouches for what they are.
        unsafe { bytes.0.set_len(length) };
        Ok(bytes)
    }
}

impl PublicBytes {
    /// A copy.
    #[inline]
    pub fn of(bytes: &[u8]) -> PublicBytes {
        let mut copy = spare();
        copy.extend_from_slice(bytes);
        PublicBytes(copy)
    }
}

/// The memory of a key that is gone, empty.
#[inline]
fn spare() -> Vec<u8> {
    // A thread that ends has none any more.
    let mut spare = SPARE.try_with(Cell::take).unwrap_or_default();
    spare.clear();
    spare
}

#[inline]
fn keep(bytes: &mut Vec<u8>) {
    let bytes = mem::take(bytes);
    // Where the thread ends, the memory is freed instead.
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
    fn the_next_key_has_the_memory_of_the_last_and_none_of_its_bytes() {
        let first = SecretBytes::of(&[7; 100]);
        let place = first.as_ptr();
        drop(first);
        let second = PublicBytes::of(&[1; 10]);
        assert_eq!((second.as_ptr(), &*second), (place, &[1; 10][..]));
        let mut kept = mem::ManuallyDrop::new(second);
        // SAFETY: within the capacity, and written by the first key.
        let rest = unsafe { std::slice::from_raw_parts(kept.0.as_ptr().add(10), 90) };
        assert_eq!(rest, [0; 90]);
        keep(&mut kept.0);
        // Two keys at once have memory of their own.
        let (one, other) = (SecretBytes::of(&[1; 50]), SecretBytes::of(&[2; 50]));
        assert_eq!((&*one, &*other), (&[1; 50][..], &[2; 50][..]));
    }

    #[test]
    fn what_is_not_written_is_no_key() {
        // SAFETY: writes as many bytes as is stated, or fails.
        let (written, failed) = unsafe {
            let write = |room: *mut u8| {
                room.write_bytes(3, 20);
                Ok::<(), &str>(())
            };
            (SecretBytes::written(20, write), SecretBytes::written(20, |_| Err("not now")))
        };
        assert_eq!(written.map(|bytes| bytes.to_vec()), Ok(vec![3; 20]));
        assert_eq!(failed.err(), Some("not now"));
    }
}
