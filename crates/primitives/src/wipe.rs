use std::hint::black_box;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{Ordering, compiler_fence};

/// Overwrites a secret with zeros at the speed of `memset`: 4 KiB takes a few dozen nanoseconds. The compiler cannot
/// remove the write, because it must assume that [`black_box`] reads the zeros.
///
/// Adapters and constructions wipe secrets only with this function, so that wiping inside a timed call costs the same
/// for all providers. They do not wipe public data: ciphertexts, public keys and transcripts.
#[inline]
pub fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    black_box(bytes);
    compiler_fence(Ordering::SeqCst);
}

/// Bytes that are [wiped](wipe) on drop: an array, a `Vec` or a boxed slice.
#[derive(Clone)]
pub struct Wiped<T: AsMut<[u8]>>(T);

impl<T: AsMut<[u8]>> Wiped<T> {
    /// Takes ownership of the bytes. The caller must wipe any copy left elsewhere, such as the array that was moved in.
    #[inline(always)]
    pub fn new(bytes: T) -> Wiped<T> {
        Wiped(bytes)
    }
}

impl<T: AsMut<[u8]>> Deref for Wiped<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: AsMut<[u8]>> DerefMut for Wiped<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: AsMut<[u8]>> Drop for Wiped<T> {
    #[inline]
    fn drop(&mut self) {
        wipe(self.0.as_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies its bytes to `seen` when it is dropped. A field is dropped after its owner's `drop` has run, so the copy
    /// shows whether the owner wiped the bytes.
    struct Witness<'a> {
        bytes: [u8; 100],
        seen: &'a mut [u8; 100],
    }

    impl AsMut<[u8]> for Witness<'_> {
        fn as_mut(&mut self) -> &mut [u8] {
            &mut self.bytes
        }
    }

    impl Drop for Witness<'_> {
        fn drop(&mut self) {
            *self.seen = self.bytes;
        }
    }

    #[test]
    fn wipes_bytes_on_drop() {
        let mut seen = [1; 100];
        drop(Wiped::new(Witness { bytes: [7; 100], seen: &mut seen }));
        assert_eq!(seen, [0; 100]);
    }

    #[test]
    fn derefs_to_the_bytes() {
        let mut bytes = Wiped::new(vec![3; 5]);
        bytes[4] = 9;
        assert_eq!(*bytes, [3, 3, 3, 3, 9]);
        wipe(&mut bytes[..2]);
        assert_eq!(*bytes, [0, 0, 3, 3, 9]);
        wipe(&mut []);
    }
}
