use super::digest::Function;
use crate::fault;
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Error, LaneHash};
use std::array;
use std::sync::Arc;

/// Maximum number of messages hashed at once. No instruction set reaches this number: even AVX-512 holds only eight
/// 64-bit Keccak words per register.
const MOST: usize = 16;

/// Digests several different messages at once, with one dynamic call per batch. Within a batch, all operations digest
/// the same set of messages. The next batch uses a different set.
pub(super) struct Lanes {
    function: Arc<dyn LaneHash>,
    /// Messages by set and lane.
    sets: Vec<Vec<Vec<u8>>>,
    /// Expected digests of the messages, by set and lane.
    expected: Vec<Vec<Vec<u8>>>,
    /// Digests of all lanes, concatenated.
    out: Vec<u8>,
    /// Length of each lane's digest, in bytes.
    output: usize,
}

impl Lanes {
    pub(super) fn new(
        function: Arc<dyn LaneHash>,
        sets: Vec<Vec<Vec<u8>>>,
        output: usize,
        reference: &Function,
    ) -> Result<Lanes, Error> {
        let lanes = function.lanes();
        if lanes > MOST {
            return Err(Error::Unsupported("more than sixteen lanes"));
        }
        let output = reference.output(output);
        let digests = |set: &Vec<Vec<u8>>| set.iter().map(|message| reference.digest(message, output)).collect();
        let expected = sets.iter().map(digests).collect::<Result<Vec<Vec<_>>, _>>()?;
        Ok(Lanes { function, sets, expected, out: vec![0; lanes * output], output })
    }
}

impl Trial for Lanes {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        self.sets.rotate_left(1);
        self.expected.rotate_left(1);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        let lanes = self.function.lanes();
        // Keep the arrays on the stack, so that the timed call includes no allocation by pqlab.
        let messages: [&[u8]; MOST] = array::from_fn(|lane| self.sets[0].get(lane).map_or(&[][..], Vec::as_slice));
        let mut rest = self.out.as_mut_slice();
        let mut outs: [&mut [u8]; MOST] = array::from_fn(|_| {
            let (out, after) = std::mem::take(&mut rest).split_at_mut_checked(self.output).unwrap_or_default();
            rest = after;
            out
        });
        self.function.digest_batch(&messages[..lanes], batch, &mut outs[..lanes]).map_err(fault)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        for (lane, expected) in self.expected[0].iter().enumerate() {
            if self.out[lane * self.output..][..self.output] != expected[..] {
                return Err(Fault::WrongAnswer(format!("lane {lane} differs from the single-message function")));
            }
        }
        Ok(())
    }
}
