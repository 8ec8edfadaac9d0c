/// Room in bytes for the longest input of a hash: that of the authenticated handshake with ML-KEM-1024.
const LONGEST: usize = 3328;

/// Messages put one after the other, without an allocation. What both sides have sent is public: nothing is wiped. Where
/// secrets are among the parts, put it into a [`Wiped`](pqlab_primitives::Wiped).
pub(super) struct Transcript<const CAPACITY: usize = LONGEST> {
    bytes: [u8; CAPACITY],
    length: usize,
}

/// Room for a label of a key derivation, which is the protocol's name and one word.
pub(super) type Label = Transcript<64>;

impl<const CAPACITY: usize> Transcript<CAPACITY> {
    /// The parts, one after the other.
    pub(super) fn of(parts: &[&[u8]]) -> Self {
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

impl<const CAPACITY: usize> AsMut<[u8]> for Transcript<CAPACITY> {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }
}
