//! Computes SHAKE for up to eight messages.

use pqlab_keccak::{Backend, Function, LANES, Lanes, Single};

/// Maximum output length per lane, in bytes.
pub(crate) const LONGEST: usize = 136;

/// Keccak backends: one for up to eight messages in parallel, and one for a single message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hasher {
    pub(crate) lanes: Lanes,
    pub(crate) single: Single,
}

impl Hasher {
    /// Returns whether hashing several messages in parallel is faster than hashing them one by one.
    fn together(self) -> bool {
        self.lanes.backend() != Backend::Portable
    }

    /// Computes SHAKE256 of up to eight messages of equal length. All outputs must also have equal lengths, up to
    /// [`LONGEST`] bytes.
    pub(crate) fn shake256(self, messages: &[&[u8]], outs: &mut [&mut [u8]]) {
        if messages.len() < 2 || !self.together() {
            for (message, out) in messages.iter().zip(outs) {
                self.single.absorb(Function::Shake256, message).squeeze(out);
            }
            return;
        }
        let length = outs[0].len();
        let mut unused = [[0; LONGEST]; LANES];
        // Fill unused lanes with the first message.
        let all: [&[u8]; LANES] = core::array::from_fn(|lane| *messages.get(lane).unwrap_or(&messages[0]));
        let mut given = outs.iter_mut();
        let mut all_outs = unused.each_mut().map(|unused| match given.next() {
            Some(out) => &mut **out,
            None => &mut unused[..length],
        });
        self.lanes.digest(Function::Shake256, &all, &mut all_outs).expect("lengths must be equal");
    }
}
