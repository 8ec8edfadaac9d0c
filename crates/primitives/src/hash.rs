use crate::{HashParameters, Result, XofParameters};

/// A hash function or XOF over several messages of one length at once: one message a lane of a vector register.
pub trait LaneHash: Send + Sync {
    /// The function's name: `SHA3-256`, `SHAKE128`.
    fn algorithm(&self) -> &str;

    /// The number of lanes.
    fn lanes(&self) -> usize;

    /// Writes the digest, or so much of a XOF's output as `outs` has room for, of each message to the output of the same
    /// index. There are exactly [`lanes`](Self::lanes) messages and outputs, all messages of one length, and all outputs
    /// of one length, which for a hash function is that of its digest.
    ///
    /// # Errors
    /// [`crate::Error::Length`] where lengths or numbers are not as said.
    fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()>;

    /// As [`digest`](Self::digest), `count` times, so that a timed loop pays for dynamic dispatch once.
    fn digest_batch(&self, messages: &[&[u8]], count: usize, outs: &mut [&mut [u8]]) -> Result<()> {
        for _ in 0..count {
            self.digest(messages, outs)?;
        }
        Ok(())
    }
}

/// A hash function with an output of fixed length.
pub trait Hash: Send + Sync {
    /// The standard's parameters.
    fn info(&self) -> &HashParameters;

    /// Writes the digest of `message` to `out`, which has exactly [`HashParameters::digest`] bytes.
    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()>;

    /// Digests the first `count` messages of a pool in turn, so that a timed loop over a call of a few dozen
    /// nanoseconds pays for dynamic dispatch once. `messages[i % messages.len()]` is digested into `out`.
    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        for i in 0..count {
            self.digest(&messages[i % messages.len()], out)?;
        }
        Ok(())
    }
}

/// A hash function with an output of any length (FIPS 202, section 6.2).
pub trait Xof: Send + Sync {
    /// The standard's parameters.
    fn info(&self) -> &XofParameters;

    /// Fills `out`, of any length, with the output for `message`.
    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()>;

    /// As [`Hash::digest_batch`].
    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        for i in 0..count {
            self.digest(&messages[i % messages.len()], out)?;
        }
        Ok(())
    }

    /// Absorbs `message` and returns a reader that squeezes as often as it is asked.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] where the library has only the one-shot call.
    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>>;

    /// Begins a message that comes in parts.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] where the library takes whole messages only.
    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        Err(crate::Error::Unsupported("the library takes whole messages only"))
    }
}

/// The absorbing half of a [`Xof`].
pub trait XofAbsorber: Send {
    /// Takes the next part of the message, of any length.
    fn update(&mut self, part: &[u8]) -> Result<()>;

    /// Ends the message.
    fn finish(self: Box<Self>) -> Result<Box<dyn XofReader>>;
}

/// The squeezing half of a [`Xof`].
pub trait XofReader: Send {
    /// Fills `out` with the next bytes of the output.
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()>;
}
