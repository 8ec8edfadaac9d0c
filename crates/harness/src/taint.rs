//! Tracks secret bytes with valgrind's memcheck, which treats them as uninitialized and reports each branch and address
//! that depends on them. The idea comes from Langley, "Checking that functions are constant time with Valgrind" (2010).
//!
//! A client request is a sequence of instructions that has no effect on a processor, but that valgrind recognizes
//! (`valgrind.h`, `memcheck.h`).

use crate::leak::Target;
use crate::trial::Fault;
use std::ops::Range;

/// Number of valgrind's request `VG_USERREQ__RUNNING_ON_VALGRIND`.
const RUNNING: u64 = 0x1001;
/// Number of memcheck's request `VG_USERREQ__MAKE_MEM_UNDEFINED`. Memcheck's numbers start at `'M' << 24 | 'C' << 16`.
const MAKE_UNDEFINED: u64 = 0x4d43_0001;

/// Name of the function that loads inputs, as it appears in reports.
pub const LOADING: &str = "load_tainted";
/// Name of the function that runs the operation, as it appears in reports.
pub const CALLING: &str = "call_tainted";

/// Returns whether this process is running under valgrind.
pub fn watched() -> bool {
    request([RUNNING, 0, 0, 0, 0, 0]) != 0
}

/// Marks the bytes of `input` in the ranges `secret` as secret, loads the input, and calls the operation.
///
/// # Errors
/// Errors from the target, and [`Fault::Unsupported`] if the process is not running under valgrind.
pub fn run(target: &mut dyn Target, input: &[u8], secret: &[Range<usize>]) -> Result<(), Fault> {
    if !watched() {
        return Err(Fault::Unsupported("this process is not running under valgrind".into()));
    }
    let mut buffer = input.to_vec();
    for range in secret {
        let bytes = &mut buffer[range.clone()];
        request([MAKE_UNDEFINED, bytes.as_mut_ptr() as u64, bytes.len() as u64, 0, 0, 0]);
    }
    load_tainted(target, &buffer)?;
    call_tainted(target)
}

#[inline(never)]
fn load_tainted(target: &mut dyn Target, input: &[u8]) -> Result<(), Fault> {
    let outcome = target.load(input);
    std::hint::black_box(outcome)
}

#[inline(never)]
fn call_tainted(target: &mut dyn Target) -> Result<(), Fault> {
    let outcome = target.call();
    std::hint::black_box(outcome)
}

/// Sends a request to valgrind. Returns 0 if the process is not running under valgrind.
#[cfg(target_arch = "x86_64")]
fn request(arguments: [u64; 6]) -> u64 {
    let answer: u64;
    // SAFETY: on a processor, the instructions change nothing: they rotate `rdi` by 128 bits in
    // total and exchange `rbx` with itself. Valgrind reads the six words at `rax` and writes `rdx`.
    // The requests change what valgrind knows about memory, not the memory itself.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") 0_u64 => answer,
        );
    }
    answer
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_arguments: [u64; 6]) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Target for Nothing {
        fn load(&mut self, _input: &[u8]) -> Result<(), Fault> {
            Ok(())
        }

        fn call(&mut self) -> Result<(), Fault> {
            Ok(())
        }
    }

    #[test]
    fn without_valgrind_requests_do_nothing_and_are_refused() {
        let outcome = run(&mut Nothing, &[1, 2, 3], &std::iter::once(0..3).collect::<Vec<_>>());
        assert_eq!(outcome.is_ok(), watched());
        if let Err(error) = outcome {
            assert!(error.to_string().contains("valgrind"), "{error}");
        }
    }
}
