//! Measures the peaks of the stack and the heap: see [`memory`](crate::memory).

mod heap;
mod stack;

use crate::memory::{Peaks, STACK};
use crate::trial::Fault;
use std::sync::{Mutex, PoisonError};

pub(crate) fn supported() -> Result<(), &'static str> {
    heap::install()
}

pub(crate) fn peaks(operation: &mut (dyn FnMut() -> Result<(), Fault> + Send)) -> Result<Peaks, Fault> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        let on_thread = || {
            operation()?;
            let stack = stack::peak(operation)?;
            Ok(Peaks { stack, heap: heap::peak(operation)? })
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, on_thread);
        let thread = thread.map_err(|error| Fault::Library(format!("cannot start the measuring thread: {error}")))?;
        // Continue a panic on the worker's own thread, which handles panics differently from other
        // faults.
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::memory;
    use std::hint::black_box;

    fn peaks_of(mut operation: impl FnMut() + Send) -> Peaks {
        let mut operation = || {
            operation();
            Ok(())
        };
        memory::peaks(&mut operation).unwrap()
    }

    #[inline(never)]
    fn array<const LENGTH: usize>() {
        black_box(&mut [0x5a_u8; LENGTH]);
    }

    #[test]
    fn nothing_takes_nothing() {
        assert_eq!(peaks_of(|| ()), Peaks { stack: 0, heap: 0 });
    }

    #[test]
    fn measures_an_array_on_the_stack_and_little_else() {
        for (expected, Peaks { stack, heap }) in [
            (4_096, peaks_of(array::<4_096>)),
            (100_000, peaks_of(array::<100_000>)),
            (4_000_000, peaks_of(array::<4_000_000>)),
        ] {
            assert!((expected..expected + 8_192).contains(&stack), "{stack} bytes for {expected}");
            assert_eq!(heap, 0);
        }
    }

    #[test]
    fn the_heap_peaks_while_blocks_are_live_together() {
        let Peaks { heap, .. } = peaks_of(|| {
            for _ in 0..10 {
                drop(black_box(vec![1_u8; 50_000]));
            }
            let first = black_box(vec![1_u8; 10_000]);
            drop(black_box(vec![0_u8; 200_000]));
            drop(first);
            drop(black_box(vec![1_u8; 20_000]));
        });
        assert!((210_000..210_000 + 16_384).contains(&heap), "{heap} bytes");
    }

    #[test]
    fn counts_every_allocation_function() {
        let block = |make: fn() -> *mut libc::c_void| {
            let Peaks { heap, .. } = peaks_of(|| {
                let block = black_box(make());
                // SAFETY: the C library's allocator returned the block, and nothing else owns it.
                unsafe { libc::free(block) };
            });
            heap
        };
        let ways: [fn() -> *mut libc::c_void; 5] = [
            // SAFETY: any size may be requested.
            || unsafe { libc::malloc(30_000) },
            // SAFETY: any size may be requested.
            || unsafe { libc::calloc(300, 100) },
            // SAFETY: the block came from the same allocator.
            || unsafe { libc::realloc(libc::malloc(10), 30_000) },
            // SAFETY: the alignment is a power of two, and the size a multiple of it.
            || unsafe { libc::aligned_alloc(16, 30_000) },
            || {
                let mut block = std::ptr::null_mut();
                // SAFETY: the alignment is a power of two and a multiple of a pointer's size; `block` is writable.
                unsafe { libc::posix_memalign(&mut block, 64, 30_000) };
                block
            },
        ];
        for (way, make) in ways.into_iter().enumerate() {
            let heap = block(make);
            assert!((30_000..34_096).contains(&heap), "way {way}: {heap} bytes");
        }
    }

    #[test]
    fn reallocation_counts_the_larger_block_and_freeing_older_blocks_adds_no_peak() {
        let Peaks { heap, .. } = peaks_of(|| {
            let mut bytes: Vec<u8> = Vec::with_capacity(1_000);
            bytes.reserve_exact(black_box(60_000));
            black_box(&mut bytes);
        });
        assert!((60_000..64_096).contains(&heap), "{heap} bytes");
        let mut blocks: Vec<Vec<u8>> = (0..3).map(|_| vec![1; 50_000]).collect();
        assert_eq!(peaks_of(move || drop(black_box(blocks.pop()))).heap, 0);
    }

    #[test]
    fn other_threads_do_not_count() {
        let Peaks { heap, .. } = peaks_of(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| drop(black_box(vec![1_u8; 1_000_000])));
            });
        });
        assert!(heap < 100_000, "{heap} bytes");
    }

    #[test]
    fn passes_on_faults_and_panics_and_measures_the_next_operation() {
        let fault = memory::peaks(&mut || Err(Fault::Library("made up".into())));
        assert_eq!(fault, Err(Fault::Library("made up".into())));
        let panic = std::panic::catch_unwind(|| memory::peaks(&mut || panic!("made up")));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"made up"));
        assert!(peaks_of(array::<50_000>).stack >= 50_000);
    }
}
