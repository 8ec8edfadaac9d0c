use super::{NAME, SECRET, STANDARD, summary, write_head};
use pqlab_primitives::{Error, Hash, HashParameters, Result, Xof, XofParameters, XofReader};
use std::hint::black_box;

pub(super) struct NullHash(HashParameters);

impl NullHash {
    pub(super) fn new() -> NullHash {
        NullHash(HashParameters { algorithm: NAME.into(), standard: STANDARD, digest: SECRET })
    }
}

impl Hash for NullHash {
    fn info(&self) -> &HashParameters {
        &self.0
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", SECRET, out.len())?;
        write_head(out, summary(message));
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", SECRET, out.len())?;
        for message in messages.iter().cycle().take(count) {
            write_head(black_box(&mut *out), summary(black_box(message)));
        }
        Ok(())
    }
}

pub(super) struct NullXof(XofParameters);

impl NullXof {
    /// Its rate is SHAKE256's (FIPS 202, section 6.2).
    pub(super) fn new() -> NullXof {
        NullXof(XofParameters { algorithm: NAME.into(), standard: STANDARD, rate: 136 })
    }
}

impl Xof for NullXof {
    fn info(&self) -> &XofParameters {
        &self.0
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        write_head(out, summary(message));
        Ok(())
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        for message in messages.iter().cycle().take(count) {
            write_head(black_box(&mut *out), summary(black_box(message)));
        }
        Ok(())
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(NullReader(summary(message))))
    }
}

struct NullReader([u8; 8]);

impl XofReader for NullReader {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        write_head(out, self.0);
        Ok(())
    }
}
