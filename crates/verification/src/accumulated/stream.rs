//! Input stream and answer digest of accumulated vectors. The state of both can be saved and restored.

use serde::{Deserialize, Serialize};
use sha3::digest::common::hazmat::SerializableState;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Shake128, Shake128Reader};

/// Stream of inputs, and digest of answers. A SHAKE128 instance with an empty message generates the inputs. A second
/// instance absorbs the answers.
pub(super) struct Stream {
    inputs: Shake128Reader,
    /// Number of input bytes read so far.
    drawn: u64,
    answers: Shake128,
    /// Number of finished answers.
    pub(super) done: u64,
}

/// Saved state of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PutDown {
    pub(super) done: u64,
    drawn: u64,
    /// State of the instance that absorbs the answers, in hexadecimal.
    answers: String,
}

impl Stream {
    pub(super) fn begin() -> Stream {
        Stream { inputs: Shake128::default().finalize_xof(), drawn: 0, answers: Shake128::default(), done: 0 }
    }

    /// Returns the next input bytes.
    pub(super) fn draw<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    /// Fills the buffer with the next input bytes.
    pub(super) fn fill(&mut self, bytes: &mut [u8]) {
        self.inputs.read(bytes);
        self.drawn += bytes.len() as u64;
    }

    /// Adds bytes to the answers.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.answers.update(bytes);
    }

    /// Returns the digest over all answers so far: 32 bytes of SHAKE128.
    pub(super) fn digest(&self) -> [u8; 32] {
        let mut digest = [0; 32];
        self.answers.clone().finalize_xof().read(&mut digest);
        digest
    }

    /// Returns the state to save. Call only between two answers.
    pub(super) fn put_down(&self) -> PutDown {
        PutDown { done: self.done, drawn: self.drawn, answers: hex::encode(self.answers.serialize()) }
    }

    /// Restores a stream. Returns `None` if the state is invalid.
    pub(super) fn take_up(put_down: &PutDown) -> Option<Stream> {
        let state = hex::decode(&put_down.answers).ok()?;
        let answers = Shake128::deserialize(&state.as_slice().try_into().ok()?).ok()?;
        let mut inputs = Shake128::default().finalize_xof();
        // Read the consumed inputs again, because the reader's state cannot be saved.
        let mut skipped = vec![0; 1 << 16];
        let mut left = put_down.drawn;
        while left > 0 {
            let part = left.min(skipped.len() as u64);
            inputs.read(&mut skipped[..part as usize]);
            left -= part;
        }
        Some(Stream { inputs, drawn: put_down.drawn, answers, done: put_down.done })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(stream: &mut Stream) {
        let drawn = stream.draw::<133>();
        stream.write(&drawn);
        stream.write(b"and so on");
        stream.done += 1;
    }

    #[test]
    fn a_restored_stream_continues_where_it_was_saved() {
        let mut whole = Stream::begin();
        (0..1000).for_each(|_| answer(&mut whole));
        let mut first = Stream::begin();
        (0..617).for_each(|_| answer(&mut first));
        let text = serde_json::to_string(&first.put_down()).unwrap();
        let mut second = Stream::take_up(&serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(second.done, 617);
        (617..1000).for_each(|_| answer(&mut second));
        assert_eq!(second.digest(), whole.digest());
        assert_ne!(second.digest(), first.digest());
    }

    #[test]
    fn rejects_invalid_saved_states() {
        for answers in ["", "00", "zz"] {
            assert!(Stream::take_up(&PutDown { done: 1, drawn: 32, answers: answers.to_owned() }).is_none());
        }
    }
}
