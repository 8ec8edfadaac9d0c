//! Computes the digest of one message.

#[cfg(target_arch = "x86_64")]
use crate::avx512::one::Avx512;
use crate::portable::Portable;
use crate::sponge::{self, Permutation, State};
use crate::{Backend, Error, Function};

/// A backend that runs on this processor and computes the digest of one message at a time.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// Backend that this processor supports, as checked on creation. The unsafe code relies on this check.
    backend: Backend,
}

impl Single {
    /// Selects a backend.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with the reason, if the backend does not run on this processor.
    pub fn new(backend: Backend) -> Result<Single, Error> {
        backend.check().map(|()| Single { backend })
    }

    /// Selects the fastest backend available on this processor.
    pub fn fastest() -> Single {
        let mut found = Backend::ALL.into_iter().filter_map(|backend| Single::new(backend).ok());
        found.next().unwrap_or(Single { backend: Backend::Portable })
    }

    /// Returns the backend.
    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Writes the digest of `message` to `out` (FIPS 202, sections 4, 6.1 and 6.2). For a XOF, fills `out`.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` is not as long as the function's digest. In that case, nothing is written.
    pub fn digest(self, function: Function, message: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let expected = function.digest_length().unwrap_or(out.len());
        crate::same_length("output", expected, [out.len()].into_iter())?;
        match self.backend {
            Backend::Avx2 | Backend::Portable => sponge::digest(&Portable, function, message, out),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => sponge::digest(&self.avx512(), function, message, out),
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 => unreachable!("`check` rejects this backend here"),
        }
        Ok(())
    }

    /// Absorbs and pads the message. Returns a stream of output bytes.
    pub fn absorb(self, function: Function, message: &[u8]) -> Output {
        let state = match self.backend {
            Backend::Avx2 | Backend::Portable => sponge::absorbed(&Portable, function, message),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => sponge::absorbed(&self.avx512(), function, message),
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 => unreachable!("`check` rejects this backend here"),
        };
        Output { single: self, rate: function.rate(), state, used: 0 }
    }

    fn permute(self, state: &mut State) {
        match self.backend {
            Backend::Avx2 | Backend::Portable => Portable.permute(state),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => self.avx512().permute(state),
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 => unreachable!("`check` rejects this backend here"),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn avx512(self) -> Avx512 {
        // SAFETY: this method is called only for the AVX-512 backend. Values with this backend exist only on processors
        // that support the instructions.
        unsafe { Avx512::assume() }
    }
}

/// Stream of output bytes for an absorbed message.
#[derive(Clone)]
pub struct Output {
    single: Single,
    /// Block length in bytes.
    rate: usize,
    state: State,
    /// Number of bytes already returned from the current block.
    used: usize,
}

impl Output {
    /// Fills `out` with the next bytes of the output (FIPS 202, section 4).
    pub fn squeeze(&mut self, out: &mut [u8]) {
        let mut out = out;
        while !out.is_empty() {
            if self.used == self.rate {
                self.single.permute(&mut self.state);
                self.used = 0;
            }
            let (now, later) = out.split_at_mut(out.len().min(self.rate - self.used));
            sponge::write(&self.state, self.used, now);
            self.used += now.len();
            out = later;
        }
    }
}
