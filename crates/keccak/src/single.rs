//! One message at a time.

#[cfg(target_arch = "x86_64")]
use crate::avx512::one::Avx512;
use crate::portable::Portable;
use crate::sponge::{self, Permutation, State};
use crate::{Backend, Error, Function};

/// Backend for one message that runs on this processor.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// Checked on creation. The unsafe code below relies on it.
    backend: Backend,
}

impl Single {
    /// Selects a backend.
    ///
    /// # Errors
    /// [`Error::Unavailable`] with the reason, if it does not run on this processor.
    pub fn new(backend: Backend) -> Result<Single, Error> {
        backend.check().map(|()| Single { backend })
    }

    /// Selects the fastest backend that runs on this processor.
    pub fn fastest() -> Single {
        let mut found = Backend::ALL.into_iter().filter_map(|backend| Single::new(backend).ok());
        found.next().unwrap_or(Single { backend: Backend::Portable })
    }

    /// Returns the backend.
    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Writes the digest of the message (FIPS 202, sections 4, 6.1 and 6.2). The output of a XOF fills the buffer.
    ///
    /// # Errors
    /// [`Error::Length`] if the output does not have the length of the function's digest. Nothing is written then.
    pub fn digest(self, function: Function, message: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let expected = function.digest_length().unwrap_or(out.len());
        crate::same_length("output", expected, [out.len()].into_iter())?;
        match self.backend {
            Backend::Avx2 | Backend::Portable => sponge::digest(&Portable, function, message, out),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => sponge::digest(&self.avx512(), function, message, out),
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 => unreachable!("`check` refuses it on this architecture"),
        }
        Ok(())
    }

    /// Absorbs and pads the message. The returned value yields output of any length.
    pub fn absorb(self, function: Function, message: &[u8]) -> Output {
        let state = match self.backend {
            Backend::Avx2 | Backend::Portable => sponge::absorbed(&Portable, function, message),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => sponge::absorbed(&self.avx512(), function, message),
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 => unreachable!("`check` refuses it on this architecture"),
        };
        Output { single: self, rate: function.rate(), state, used: 0 }
    }

    fn permute(self, state: &mut State) {
        match self.backend {
            Backend::Avx2 | Backend::Portable => Portable.permute(state),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => self.avx512().permute(state),
            #[cfg(not(target_arch = "x86_64"))]
            Backend::Avx512 => unreachable!("`check` refuses it on this architecture"),
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn avx512(self) -> Avx512 {
        // SAFETY: called only for the AVX-512 backend, and a value with it exists only if the instructions were
        // detected.
        unsafe { Avx512::assume() }
    }
}

/// Output stream of an absorbed message.
#[derive(Clone)]
pub struct Output {
    single: Single,
    /// Rate in bytes.
    rate: usize,
    state: State,
    /// Number of bytes of the current block already returned.
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
