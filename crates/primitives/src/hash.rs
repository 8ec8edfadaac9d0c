use crate::{HashParameters, Result, XofParameters};

/// Hash function or XOF that processes several messages of equal length in parallel, one per lane of a vector register.
pub trait LaneHash: Send + Sync {
    /// Returns the algorithm's name, such as `SHA3-256` or `SHAKE128`.
    fn algorithm(&self) -> &str;

    /// Returns the number of lanes, which is the number of messages that one call hashes.
    fn lanes(&self) -> usize;

    /// Writes the digest (or XOF output) for each message to the output with the same index. There must be exactly
    /// [`lanes`](Self::lanes) messages and outputs. All messages must have the same length, and so must all outputs.
    /// For a hash function, outputs have the length of the digest.
    ///
    /// # Errors
    /// [`crate::Error::Length`] if the number or the lengths of messages or outputs are wrong.
    fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()>;

    /// Calls [`digest`](Self::digest) `count` times on the same messages, so that a timed loop pays for dynamic
    /// dispatch only once.
    fn digest_batch(&self, messages: &[&[u8]], count: usize, outs: &mut [&mut [u8]]) -> Result<()> {
        for _ in 0..count {
            self.digest(messages, outs)?;
        }
        Ok(())
    }
}

/// Hash function with fixed-length output.
pub trait Hash: Send + Sync {
    /// Returns the parameters of the hash function from its standard.
    fn info(&self) -> &HashParameters;

    /// Writes the digest of `message` to `out`, which must be [`HashParameters::digest`] bytes long.
    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()>;

    /// Hashes `messages[i % messages.len()]` into `out` for each `i` below `count`. A timed loop over calls of a few
    /// dozen nanoseconds then pays for dynamic dispatch only once.
    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        for i in 0..count {
            self.digest(&messages[i % messages.len()], out)?;
        }
        Ok(())
    }
}

/// Hash function with output of any length (FIPS 202, section 6.2).
pub trait Xof: Send + Sync {
    /// Returns the parameters of the function from its standard.
    fn info(&self) -> &XofParameters;

    /// Fills `out`, which may have any length, with the output for `message`.
    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()>;

    /// Hashes `messages[i % messages.len()]` into `out` for each `i` below `count`, like [`Hash::digest_batch`].
    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        for i in 0..count {
            self.digest(&messages[i % messages.len()], out)?;
        }
        Ok(())
    }

    /// Absorbs `message` and returns a reader that can squeeze repeatedly.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] if the library offers only a one-shot call.
    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>>;

    /// Returns an absorber for a message that arrives in parts.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] if the library accepts only whole messages.
    fn absorber(&self) -> Result<Box<dyn XofAbsorber>> {
        Err(crate::Error::Unsupported("the library does not accept a message in parts"))
    }
}

/// The absorbing half of a [`Xof`].
pub trait XofAbsorber: Send {
    /// Absorbs `part`, which may have any length, as the next part of the message.
    fn update(&mut self, part: &[u8]) -> Result<()>;

    /// Ends the message and returns the reader for its output.
    fn finish(self: Box<Self>) -> Result<Box<dyn XofReader>>;
}

/// The squeezing half of a [`Xof`].
pub trait XofReader: Send {
    /// Fills `out` with the next bytes of the output.
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()>;
}
