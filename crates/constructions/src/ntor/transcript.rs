/// Length in bytes of the longest hash input, in the authenticated handshake with ML-KEM-1024.
const LONGEST: usize = 3328;

/// Concatenation of messages without allocation. It is not wiped, as messages are public. If a part is secret, wrap it
/// in [`Wiped`](pqlab_primitives::Wiped).
pub(super) struct Transcript<const CAPACITY: usize = LONGEST> {
    bytes: [u8; CAPACITY],
    length: usize,
}

/// Label of a key derivation: the protocol's name and one word.
pub(super) type Label = Transcript<64>;

impl<const CAPACITY: usize> Transcript<CAPACITY> {
    /// Concatenates the parts.
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        let mut transcript = Transcript { bytes: [0; CAPACITY], length: 0 };
        for part in parts {
            transcript.push(part);
        }
        transcript
    }

    /// Appends `part`. It fits: message lengths were checked, and the capacity covers the longest input of the
    /// protocol.
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
