//! Heap of worker processes. Some libraries allocate memory in each call. The allocator then searches the free blocks
//! that preparation and other libraries left behind, and the call takes longer than in a process whose heap has no
//! gaps. The worker therefore takes all free blocks during a visit ([`Gaps`]).

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod gnu {
    use std::ffi::c_void;

    /// Maximum number of blocks to take.
    const MOST: usize = 8192;
    /// Size of the largest block to take, in bytes. glibc maps memory for single blocks of at least 128 KiB.
    const LARGEST: usize = 120 << 10;
    /// Size in bytes up to which glibc has a list of free blocks for each multiple of [`STEP`].
    const LISTED: usize = 1040;
    /// Alignment of blocks in bytes.
    const STEP: usize = 16;

    /// Free blocks of the heap, taken until this value is dropped.
    pub(crate) struct Gaps(Vec<*mut c_void>);

    impl Gaps {
        /// Takes the free blocks of the main thread's heap, largest first. On other threads, takes few blocks or none.
        pub(crate) fn fill() -> Gaps {
            let mut taken = Vec::with_capacity(MOST);
            // Old versions of glibc have no `mallinfo2`. The free space at the end of the heap fits into 32 bits.
            // SAFETY: both functions only read the state of the allocator.
            let end = unsafe { libc::sbrk(0).addr().saturating_sub(libc::mallinfo().keepcost as u32 as usize) };
            let mut size = LARGEST;
            while size > 0 && taken.len() < MOST {
                // SAFETY: `malloc` accepts every size.
                let block = unsafe { libc::malloc(size) };
                let is_gap = !block.is_null() && block.addr() < end;
                // A small block from the end of the heap must be kept as well. If it were freed, it would become a gap.
                if is_gap || size <= LISTED {
                    taken.push(block);
                } else {
                    // SAFETY: the block comes from `malloc`, and nothing else uses it.
                    unsafe { libc::free(block) };
                }
                if !is_gap {
                    size -= if size <= LISTED { STEP } else { size / 16 / STEP * STEP };
                }
            }
            Gaps(taken)
        }
    }

    impl Drop for Gaps {
        fn drop(&mut self) {
            // SAFETY: every block comes from `malloc`, and nothing else uses it.
            self.0.drain(..).for_each(|block| unsafe { libc::free(block) });
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod other {
    /// Does nothing, because free blocks are not known with this C library.
    pub(crate) struct Gaps;

    impl Gaps {
        pub(crate) fn fill() -> Gaps {
            Gaps
        }
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) use gnu::Gaps;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) use other::Gaps;

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::process::Command;

    /// Starts a process that runs the test below with a single heap. Usually, each thread of tests has its own.
    #[test]
    fn allocations_skip_gaps_until_they_are_released() {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        command.args(["--ignored", "--exact", "heap::tests::with_one_heap"]);
        let output = command.env("GLIBC_TUNABLES", "glibc.malloc.arena_max=1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }

    #[test]
    #[ignore = "runs only in the process that the test above starts"]
    fn with_one_heap() {
        let blocks: Vec<Vec<u8>> = (0..64).map(|_| black_box(Vec::with_capacity(5000))).collect();
        let (gap, end) = (blocks[31].as_ptr().addr(), blocks[63].as_ptr().addr());
        let mut blocks = blocks;
        drop(blocks.remove(31));
        let address = || {
            let block = black_box(Vec::<u8>::with_capacity(4000));
            block.as_ptr().addr()
        };
        assert!(address() <= gap, "the allocator uses the gap");
        let gaps = Gaps::fill();
        assert!(address() > end, "{:x}", address());
        drop(gaps);
        assert!(address() <= gap);
    }
}
