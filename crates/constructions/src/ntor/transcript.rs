use zeroize::Zeroize;

/// Room for the longest input of a hash: that of the authenticated handshake with ML-KEM-1024.
const CAPACITY: usize = 3328;

/// Bytes put one after the other, without an allocation; wiped on drop, since secrets go through it.
pub(super) struct Transcript {
    bytes: [u8; CAPACITY],
    length: usize,
}

impl Transcript {
    /// The parts, one after the other.
    pub(super) fn of(parts: &[&[u8]]) -> Transcript {
        let mut transcript = Transcript { bytes: [0; CAPACITY], length: 0 };
        for part in parts {
            transcript.push(part);
        }
        transcript
    }

    /// Appends. The capacity is a constant of the protocols, whose messages were checked for their lengths.
    pub(super) fn push(&mut self, part: &[u8]) {
        self.bytes[self.length..self.length + part.len()].copy_from_slice(part);
        self.length += part.len();
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        self.bytes[..self.length].zeroize();
    }
}
