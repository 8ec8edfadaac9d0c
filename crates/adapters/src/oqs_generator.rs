//! Replaces liboqs's random generator, which all threads of a process share.

use pqlab_primitives::ReplaceableGenerator;
use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Mutex, PoisonError};

/// Function that fills a buffer with random bytes.
pub type FillRandom = unsafe extern "C" fn(*mut u8, usize);

/// Names of liboqs's generators, in order of preference. The default of a build is the first of these that it contains.
const DEFAULTS: [&CStr; 2] = [c"OpenSSL", c"system"];

/// The functions of liboqs that replace its random generator.
pub struct OqsGenerator {
    /// `OQS_randombytes_custom_algorithm`.
    pub set: unsafe extern "C" fn(Option<FillRandom>),
    /// `OQS_randombytes_switch_algorithm`, which returns 0 if the build contains the named generator.
    pub switch: unsafe extern "C" fn(*const c_char) -> c_int,
}

/// Locked while liboqs's generator is replaced.
static REPLACED: Mutex<()> = Mutex::new(());

thread_local! {
    static GIVEN: RefCell<Option<Given>> = const { RefCell::new(None) };
}

/// Bytes that the replaced generator returns to this thread.
struct Given {
    coins: Vec<u8>,
    drawn: usize,
}

impl Given {
    fn fill(&mut self, out: &mut [u8]) {
        for (place, byte) in out.iter_mut().enumerate() {
            *byte = self.coins.get(self.drawn + place).copied().unwrap_or_default();
        }
        self.drawn += out.len();
    }
}

unsafe extern "C" fn fill(out: *mut u8, length: usize) {
    if out.is_null() || length == 0 {
        return;
    }
    // SAFETY: the library passes a buffer of this length. The buffer may be uninitialized, so it is cleared first.
    let out = unsafe {
        out.write_bytes(0, length);
        std::slice::from_raw_parts_mut(out, length)
    };
    let given = GIVEN.with_borrow_mut(|given| given.as_mut().map(|given| given.fill(out)).is_some());
    if !given && getrandom::fill(out).is_err() {
        // A C function that returns no status cannot report missing randomness.
        std::process::abort();
    }
}

impl ReplaceableGenerator for OqsGenerator {
    fn draw_from(&self, coins: &[u8], call: &mut dyn FnMut()) -> usize {
        let _replaced = REPLACED.lock().unwrap_or_else(PoisonError::into_inner);
        GIVEN.set(Some(Given { coins: coins.to_vec(), drawn: 0 }));
        // SAFETY: the function has the type that the library expects, and lives as long as the process.
        unsafe { (self.set)(Some(fill)) };
        call();
        // Restore the library's generator, because other checks compare its outputs.
        // SAFETY: the function accepts any name that ends with NUL.
        let _restored = DEFAULTS.iter().any(|name| unsafe { (self.switch)(name.as_ptr()) } == 0);
        GIVEN.take().map_or(0, |given| given.drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn set(generator: Option<FillRandom>) {
        CURRENT.with(|current| *current.borrow_mut() = generator);
    }

    unsafe extern "C" fn switch(name: *const c_char) -> c_int {
        // SAFETY: the caller passes one of `DEFAULTS`.
        let known = unsafe { CStr::from_ptr(name) } == DEFAULTS[1];
        if known {
            CURRENT.with(|current| *current.borrow_mut() = None);
        }
        c_int::from(!known)
    }

    thread_local! {
        static CURRENT: RefCell<Option<FillRandom>> = const { RefCell::new(None) };
    }

    fn draw(length: usize) -> Vec<u8> {
        let mut out = vec![1; length];
        let current = CURRENT.with(|current| *current.borrow()).unwrap();
        // SAFETY: the buffer has the stated length.
        unsafe { current(out.as_mut_ptr(), length) };
        out
    }

    #[test]
    fn calls_draw_the_given_bytes_in_order() {
        let generator = OqsGenerator { set, switch };
        let mut parts = Vec::new();
        let drawn = generator.draw_from(&[1, 2, 3, 4], &mut || {
            parts = vec![draw(3), draw(0), draw(2)];
            // Another thread must not use up this thread's bytes.
            let elsewhere = std::thread::spawn(|| {
                let mut out = [0; 32];
                // SAFETY: the buffer has the stated length.
                unsafe { fill(out.as_mut_ptr(), out.len()) };
                out
            });
            assert_ne!(elsewhere.join().unwrap(), [0; 32]);
        });
        assert_eq!((parts, drawn), (vec![vec![1, 2, 3], vec![], vec![4, 0]], 5));
        assert!(CURRENT.with(|current| current.borrow().is_none()), "the default generator must be restored");
    }
}
