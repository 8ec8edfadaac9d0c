/// Length in bytes of the longest hash input, which occurs in the authenticated handshake with ML-KEM-1024.
const LONGEST: usize = 3328;

/// Concatenated messages, stored without allocation. Not wiped on drop, because messages are public. If a part is
/// secret, wrap the transcript in [`Wiped`](pqlab_primitives::Wiped).
pub(super) struct Transcript<const CAPACITY: usize = LONGEST> {
    bytes: [u8; CAPACITY],
    length: usize,
}

/// Label for a key derivation: the protocol's name and a keyword, such as `:auth`.
pub(super) type Label = Transcript<64>;

impl<const CAPACITY: usize> Transcript<CAPACITY> {
    /// Concatenates the parts.
    pub(super) fn new(parts: &[&[u8]]) -> Self {
        let mut transcript = Transcript { bytes: [0; CAPACITY], length: 0 };
        for part in parts {
            transcript.push(part);
        }
        transcript
    }

    /// Appends `part`. Cannot panic, because callers check message lengths, and the capacity covers the protocol's
    /// longest input.
    pub(super) fn push(&mut self, part: &[u8]) {
        self.bytes[self.length..self.length + part.len()].copy_from_slice(part);
        self.length += part.len();
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl<const CAPACITY: usize> AsMut<[u8]> for Transcript<CAPACITY> {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }
}
