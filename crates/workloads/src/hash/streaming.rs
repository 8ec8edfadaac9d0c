use super::same;
use crate::fault;
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Error, Xof, XofReader};
use std::sync::Arc;

/// Number of message bytes passed per call.
const PART: usize = 1024;
/// Number of bytes to squeeze after absorbing a message, for the answer check.
const PROOF: usize = 32;
/// Maximum number of bytes that a batch may squeeze. This limits memory use, because the answer check computes all of
/// these bytes in a single call.
const LONGEST: usize = 64 << 20;

/// Absorbs messages in parts of 1 KiB. An operation starts a new absorber, absorbs the parts, finishes, and squeezes 32
/// bytes.
pub(super) struct Absorb {
    xof: Arc<dyn Xof>,
    messages: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
    out: [u8; PROOF],
    last: usize,
}

impl Absorb {
    pub(super) fn new(xof: Arc<dyn Xof>, messages: Vec<Vec<u8>>) -> Result<Absorb, Error> {
        // Fail before anything is timed if the library cannot take a message in parts.
        xof.absorber()?;
        let expected = messages.iter().map(|message| {
            let mut out = vec![0; PROOF];
            xof.digest(message, &mut out).map(|()| out)
        });
        let expected = expected.collect::<Result<_, _>>()?;
        Ok(Absorb { xof, messages, expected, out: [0; PROOF], last: 0 })
    }
}

impl Trial for Absorb {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.out.fill(0);
        self.messages.rotate_left(1);
        self.expected.rotate_left(1);
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for index in 0..batch {
            self.last = index % self.messages.len();
            let mut absorber = self.xof.absorber().map_err(fault)?;
            for part in self.messages[self.last].chunks(PART) {
                absorber.update(part).map_err(fault)?;
            }
            absorber.finish().and_then(|mut reader| reader.squeeze(&mut self.out)).map_err(fault)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        same(&self.out, &self.expected[self.last], "output")
    }
}

/// Squeezes output from an XOF. All operations of a batch use the same reader.
pub(super) struct Squeeze {
    xof: Arc<dyn Xof>,
    message: Vec<u8>,
    reader: Box<dyn XofReader>,
    out: Vec<u8>,
    squeezed: usize,
}

impl Squeeze {
    pub(super) fn new(xof: Arc<dyn Xof>, message: Vec<u8>, output: usize) -> Result<Squeeze, Error> {
        let reader = xof.absorb(&message)?;
        Ok(Squeeze { xof, message, reader, out: vec![0; output], squeezed: 0 })
    }
}

impl Trial for Squeeze {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        if batch.saturating_mul(self.out.len()) > LONGEST {
            return Err(Fault::Unsupported(format!("a batch that squeezes more than {LONGEST} bytes")));
        }
        if let Some(first) = self.message.first_mut() {
            *first = first.wrapping_add(1);
        }
        self.out.fill(0);
        self.reader = self.xof.absorb(&self.message).map_err(fault)?;
        self.squeezed = 0;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.reader.squeeze(&mut self.out).map_err(fault)?;
        }
        self.squeezed += batch * self.out.len();
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        // `null` fills every output from the start of its stream, so compare with the first bytes.
        let null = self.xof.info().algorithm == crate::NULL;
        let length = if null { self.out.len() } else { self.squeezed };
        let mut whole = vec![0; length];
        self.xof.digest(&self.message, &mut whole).map_err(fault)?;
        same(&self.out, &whole[length.saturating_sub(self.out.len())..], "output")
    }
}
