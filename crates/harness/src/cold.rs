//! Measures with cold caches: before each call, walks through a buffer that is larger than the last-level cache.
//!
//! The walk evicts code, tables, keys and messages from this core's caches and from the last-level cache. It also
//! evicts most of the call's address translations and branch history, but pages stay mapped. Private caches of other
//! cores keep their contents. If the last-level cache is larger than [`LARGEST`], it keeps part of its contents.

use crate::environment;
use crate::system::{Here, System};
use crate::trial::{Demands, Fault, Recorder, Trial};
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Minimum size of the buffer in bytes. Also used if the machine does not report its caches.
pub const SMALLEST: usize = 16 << 20;
/// Maximum size of the buffer in bytes, so that many workers fit into memory.
pub const LARGEST: usize = 128 << 20;
/// Lower bound on the size of a cache line, in bytes.
const LINE: usize = 64;

/// Trial that evicts the caches before each call of its inner trial. A sample is a single operation, because a second
/// operation would find warm caches.
pub(crate) struct Evicted {
    inner: Box<dyn Trial>,
    buffer: Arc<Mutex<Vec<u8>>>,
}

/// Buffer that all trials in a process share. With a buffer per trial, fewer trials would fit into memory.
static BUFFER: LazyLock<Arc<Mutex<Vec<u8>>>> = LazyLock::new(|| {
    let caches = environment::caches(Path::new("/"));
    let largest = caches.iter().map(|cache| cache.size).max().unwrap_or(0);
    // Fill the buffer with ones, so that the kernel gives every page its own memory instead of mapping the zero page.
    Arc::new(Mutex::new(vec![1; size(largest)]))
});

impl Evicted {
    pub(crate) fn new(inner: Box<dyn Trial>) -> Evicted {
        Evicted { inner, buffer: Arc::clone(&BUFFER) }
    }

    fn evict(&mut self) {
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        // Walk twice: after one walk, some lines remain in caches that replace lines at random, and in victim caches.
        for _ in 0..2 {
            for line in buffer.chunks_mut(LINE) {
                line[0] = line[0].wrapping_add(1);
            }
            std::hint::black_box(&mut *buffer);
        }
    }
}

/// Asks the system to drop a file's cached pages, so that the next read comes from disk. The pages must already be
/// written back. Systems other than Linux ignore the request. In an in-memory file system, it has no effect.
pub fn drop_cached_pages(file: &File) {
    Here::drop_cached_pages(file);
}

/// Returns twice the size of the largest cache in bytes, but at least [`SMALLEST`] and at most [`LARGEST`].
fn size(largest_cache: u64) -> usize {
    usize::try_from(largest_cache).unwrap_or(LARGEST).saturating_mul(2).clamp(SMALLEST, LARGEST)
}

impl Trial for Evicted {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.inner.setup(batch)?;
        self.evict();
        Ok(())
    }

    fn routine(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault> {
        self.inner.routine(batch, recorder)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.inner.verify()
    }

    fn batch(&self) -> Option<u64> {
        Some(1)
    }

    fn note(&mut self, recorder: &mut Recorder) -> Result<(), Fault> {
        self.inner.note(recorder)
    }

    fn processors(&self) -> Vec<u32> {
        self.inner.processors()
    }

    fn process(&self) -> Option<u32> {
        self.inner.process()
    }

    fn own_ns(&mut self) -> Option<u64> {
        self.inner.own_ns()
    }

    fn own_samples(&mut self) -> Vec<u64> {
        self.inner.own_samples()
    }

    /// Returns the inner trial's demands, but limits a wave to one operation, because a second operation would find
    /// warm caches.
    fn demands(&self) -> Demands {
        let demands = self.inner.demands();
        Demands { wave: demands.wave.min(1), ..demands }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffer_is_larger_than_the_last_level_cache_within_bounds() {
        assert_eq!(size(32 << 20), 64 << 20);
        assert_eq!(size(0), SMALLEST);
        assert_eq!(size(1 << 40), LARGEST);
        assert_eq!(size(u64::MAX), LARGEST);
    }

    #[test]
    fn each_operation_of_a_wave_finds_evicted_caches() {
        struct Wave;
        impl Trial for Wave {
            fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
                Ok(())
            }
            fn routine(&mut self, _batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
                Ok(())
            }
            fn verify(&mut self) -> Result<(), Fault> {
                Ok(())
            }
            fn own_samples(&mut self) -> Vec<u64> {
                vec![7]
            }
            fn demands(&self) -> Demands {
                Demands { wave: 4, ..Demands::default() }
            }
        }
        let mut evicted = Evicted::new(Box::new(Wave));
        assert_eq!((evicted.demands().wave, evicted.own_samples()), (1, vec![7]));
    }

    #[test]
    fn every_line_of_the_buffer_is_written_twice_before_each_call() {
        struct Nothing;
        impl Trial for Nothing {
            fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
                Ok(())
            }
            fn routine(&mut self, _batch: usize, recorder: &mut Recorder) -> Result<(), Fault> {
                recorder.note("ran", 1.0);
                Ok(())
            }
            fn verify(&mut self) -> Result<(), Fault> {
                Err(Fault::WrongAnswer("passed on".into()))
            }
        }
        let buffer = Arc::new(Mutex::new(vec![1; SMALLEST]));
        let mut trial = Evicted { inner: Box::new(Nothing), buffer: Arc::clone(&buffer) };
        for call in 1..=2_u8 {
            trial.setup(1).unwrap();
            assert!(buffer.lock().unwrap().chunks(LINE).all(|line| line[0] == 1 + 2 * call));
        }
        // Without a shared buffer, a block of forty trials would need more memory than a worker may use.
        let [one, other] = [Evicted::new(Box::new(Nothing)), Evicted::new(Box::new(Nothing))];
        assert!(Arc::ptr_eq(&one.buffer, &other.buffer));
        assert!((SMALLEST..=LARGEST).contains(&one.buffer.lock().unwrap().len()));
        let mut recorder = Recorder::default();
        trial.routine(1, &mut recorder).unwrap();
        assert_eq!(recorder.take(), [("ran".to_owned(), vec![1.0])]);
        assert_eq!((trial.verify(), trial.batch()), (Err(Fault::WrongAnswer("passed on".into())), Some(1)));
    }
}
