//! Reads and writes big-endian fields.

use super::{ADDRESS, Malformed};
use pqlab_primitives::Error;

/// Reads fields from the start of a byte slice. Every method takes the field's name for use in errors.
pub(super) struct Reader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(all: &'a [u8]) -> Reader<'a> {
        Reader { all, at: 0 }
    }

    /// Returns the bytes read so far.
    pub(super) fn consumed(&self) -> &'a [u8] {
        &self.all[..self.at]
    }

    pub(super) fn bytes(&mut self, length: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let rest = &self.all[self.at..];
        let bytes = rest.get(..length).ok_or(Malformed::Truncated(field))?;
        self.at += length;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<&'a [u8; N], Malformed> {
        self.bytes(N, field)?.try_into().map_err(|_| Malformed::Truncated(field))
    }

    pub(super) fn u8(&mut self, field: &'static str) -> Result<u8, Malformed> {
        Ok(self.array::<1>(field)?[0])
    }

    pub(super) fn u32(&mut self, field: &'static str) -> Result<u32, Malformed> {
        self.array(field).map(|bytes| u32::from_be_bytes(*bytes))
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Result<u64, Malformed> {
        self.array(field).map(|bytes| u64::from_be_bytes(*bytes))
    }

    pub(super) fn address(&mut self, field: &'static str) -> Result<&'a [u8; ADDRESS], Malformed> {
        self.array(field)
    }

    /// Reads a two-byte length, then that many bytes.
    pub(super) fn prefixed(&mut self, field: &'static str) -> Result<&'a [u8], Malformed> {
        let length = u16::from_be_bytes(*self.array(field)?);
        self.bytes(usize::from(length), field)
    }

    /// Returns an error if bytes remain.
    pub(super) fn end(&self) -> Result<(), Malformed> {
        match self.all.len() - self.at {
            0 => Ok(()),
            more => Err(Malformed::TrailingBytes(more)),
        }
    }
}

/// Writes fields to a buffer supplied by the caller.
pub(super) struct Writer<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl<'a> Writer<'a> {
    /// Creates a writer for `length` bytes. Fails if `out` is shorter.
    pub(super) fn new(out: &'a mut [u8], length: usize) -> Result<Writer<'a>, Error> {
        if out.len() < length {
            return Err(Error::Length { what: "transaction", expected: length, actual: out.len() });
        }
        Ok(Writer { out, at: 0 })
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Writes the length of `bytes` as two bytes, then `bytes`.
    pub(super) fn prefixed(&mut self, what: &'static str, bytes: &[u8]) -> Result<(), Error> {
        let length = u16::try_from(bytes.len()).map_err(|_| Error::Length {
            what,
            expected: usize::from(u16::MAX),
            actual: bytes.len(),
        })?;
        self.bytes(&length.to_be_bytes());
        self.bytes(bytes);
        Ok(())
    }

    /// Returns the number of bytes written.
    pub(super) fn written(&self) -> usize {
        self.at
    }
}
