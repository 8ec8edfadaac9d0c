use super::{NULL, SECRET, STANDARD, summary, summary_of, write_head};
use pqlab_primitives::{Error, Hash, HashParameters, LaneHash, Result, Xof, XofAbsorber, XofParameters, XofReader};
use std::hint::black_box;

pub(super) struct NullHash(HashParameters);

impl NullHash {
    pub(super) fn new() -> NullHash {
        NullHash(HashParameters { algorithm: NULL.into(), standard: STANDARD, digest: SECRET })
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
    /// Creates the XOF, with a rate of 136 bytes like SHAKE256 (FIPS 202, section 6.2).
    pub(super) fn new() -> NullXof {
        NullXof(XofParameters { algorithm: NULL.into(), standard: STANDARD, rate: 136 })
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

    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        Ok(Box::new(NullAbsorber { first: None, length: 0 }))
    }
}

struct NullAbsorber {
    first: Option<u8>,
    length: usize,
}

impl XofAbsorber for NullAbsorber {
    fn update(&mut self, part: &[u8]) -> Result<()> {
        self.first = self.first.or(part.first().copied());
        self.length += part.len();
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(NullReader(summary_of(self.first, self.length))))
    }
}

/// Lane hash that processes the given number of messages one after the other.
pub(super) struct NullLanes(pub(super) usize);

impl LaneHash for NullLanes {
    fn algorithm(&self) -> &str {
        NULL
    }

    fn lanes(&self) -> usize {
        self.0
    }

    fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()> {
        Error::check_length("messages", self.0, messages.len())?;
        Error::check_length("outputs", self.0, outs.len())?;
        for (message, out) in messages.iter().zip(outs) {
            write_head(black_box(&mut **out), summary(black_box(message)));
        }
        Ok(())
    }
}

struct NullReader([u8; 8]);

impl XofReader for NullReader {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        write_head(out, self.0);
        Ok(())
    }
}
