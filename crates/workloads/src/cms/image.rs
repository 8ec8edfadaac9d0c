//! Images to sign, which the cases of a process share.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The longest image of this process, while a case uses it.
static LONGEST: Mutex<Weak<Vec<u8>>> = Mutex::new(Weak::new());

/// A firmware image of random bytes. An image is the start of every longer one.
pub(super) struct Image {
    bytes: Arc<Vec<u8>>,
    length: usize,
}

impl Image {
    /// Returns the image of `length` bytes.
    pub(super) fn new(length: usize) -> Image {
        let mut longest = LONGEST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = longest.upgrade().filter(|bytes| bytes.len() >= length) {
            return Image { bytes, length };
        }
        let mut bytes = vec![0; length];
        ChaCha8Rng::from_seed([0; 32]).fill_bytes(&mut bytes);
        let bytes = Arc::new(bytes);
        *longest = Arc::downgrade(&bytes);
        Image { bytes, length }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Returns different content: the image without its last byte, or a single byte if the image is empty.
    pub(super) fn changed(&self) -> &[u8] {
        self.bytes().split_last().map_or(&[0], |(_, rest)| rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_share_their_bytes() {
        let (long, short) = (Image::new(1000), Image::new(10));
        assert_eq!(long.bytes()[..10], *short.bytes());
        assert_eq!((short.changed().len(), Image::new(0).changed().len()), (9, 1));
    }
}
