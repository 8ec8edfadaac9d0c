//! One message at a time.

#[cfg(target_arch = "x86_64")]
use crate::avx512::one::Avx512;
use crate::portable::Portable;
use crate::sponge::{self, Permutation, State};
use crate::{Backend, Error, Function};

/// A backend that runs here, ready to digest one message.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// Checked when the value was made; what is unsafe below rests on it.
    backend: Backend,
}

impl Single {
    /// The backend, if it runs on this processor.
    ///
    /// # Errors
    /// [`Error::Unavailable`], with the reason.
    pub fn new(backend: Backend) -> Result<Single, Error> {
        backend.check().map(|()| Single { backend })
    }

    /// The fastest backend that runs on this processor.
    pub fn fastest() -> Single {
        let mut found = Backend::ALL.into_iter().filter_map(|backend| Single::new(backend).ok());
        found.next().unwrap_or(Single { backend: Backend::Portable })
    }

    /// Which one it is.
    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Writes the digest of the message, or, of a XOF, as much output as there is room for (FIPS 202, sections 4, 6.1 and
    /// 6.2).
    ///
    /// # Errors
    /// [`Error::Length`] where the output has not the length of the function's digest. Nothing is written then.
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

    /// The message, absorbed and padded; the output is taken from what is returned, as long as it may be.
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
        // SAFETY: called for the backend of that name, and a value with it is made only where the instructions were
        // detected.
        unsafe { Avx512::assume() }
    }
}

/// The output of a message that was absorbed.
#[derive(Clone)]
pub struct Output {
    single: Single,
    /// In bytes.
    rate: usize,
    state: State,
    /// The bytes of this block that were given away.
    used: usize,
}

impl Output {
    /// The next bytes of the output (FIPS 202, section 4).
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
