use std::hint::black_box;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{Ordering, compiler_fence};

/// Overwrites a secret with zeros, at the speed of `memset`: 4 KiB take some dozens of nanoseconds. The compiler cannot
/// leave it out, though nobody reads the zeros: as far as it knows [`black_box`] does.
///
/// Adapters and constructions wipe with this and with nothing else, so that whatever of it stands inside a timed call is
/// the same for all. What is public (ciphertexts, public keys, transcripts of them) is not wiped.
#[inline]
pub fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    black_box(bytes);
    compiler_fence(Ordering::SeqCst);
}

/// Bytes that are [wiped](wipe) when they are dropped: an array, a `Vec` or a boxed slice of them.
#[derive(Clone)]
pub struct Wiped<T: AsMut<[u8]>>(T);

impl<T: AsMut<[u8]>> Wiped<T> {
    /// Takes the bytes over. What the caller had of them elsewhere, as after moving an array, is the caller's to wipe.
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

    /// Shows what its bytes are when they are dropped, after whoever owns them has had his turn.
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
    fn bytes_are_zero_when_they_go() {
        let mut seen = [1; 100];
        drop(Wiped::new(Witness { bytes: [7; 100], seen: &mut seen }));
        assert_eq!(seen, [0; 100]);
    }

    #[test]
    fn a_wiped_value_is_used_as_what_it_holds() {
        let mut bytes = Wiped::new(vec![3; 5]);
        bytes[4] = 9;
        assert_eq!(*bytes, [3, 3, 3, 3, 9]);
        wipe(&mut bytes[..2]);
        assert_eq!(*bytes, [0, 0, 3, 3, 9]);
        wipe(&mut []);
    }
}
