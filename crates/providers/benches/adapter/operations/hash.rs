use super::each;
use crate::interleaved::{Side, Work};
use pqlab_primitives::{Hash, LaneHash, Xof, XofReader};
use std::hint::black_box;
use std::sync::Arc;

/// Message length in bytes. The messages are short, so that the cost of an allocation, a lookup or a dispatch in each
/// call is visible.
pub(crate) const MESSAGE: usize = 64;
/// Length in bytes of the message that is absorbed in parts of [`PART`] bytes.
pub(crate) const LONG: usize = 4096;
pub(crate) const PART: usize = 1024;
/// Number of bytes that each call squeezes from a XOF.
pub(crate) const OUTPUT: usize = 32;

/// Returns a pool of messages. A batch cycles through the pool, as in the workload.
pub(crate) fn pool() -> Vec<Vec<u8>> {
    (0..16_u8).map(|index| vec![index; MESSAGE]).collect()
}

/// Returns the message to absorb in parts.
pub(crate) fn long() -> Vec<u8> {
    vec![3; LONG]
}

/// Returns the side that hashes through the trait.
pub(crate) fn through(hash: &Arc<dyn Hash>) -> Side {
    let (hash, messages, mut out) = (Arc::clone(hash), pool(), vec![0; hash.info().digest]);
    Box::new(move |batch| {
        black_box(&hash).digest_batch(black_box(&messages), batch, &mut out).expect("hashing failed");
    })
}

/// Returns the side that runs a XOF operation through the trait.
pub(crate) fn through_xof(xof: &Arc<dyn Xof>, operation: &str) -> Side {
    let (xof, mut out) = (Arc::clone(xof), vec![0; OUTPUT]);
    match operation {
        "digest" => {
            let messages = pool();
            Box::new(move |batch| {
                black_box(&xof).digest_batch(black_box(&messages), batch, &mut out).expect("cannot compute the output");
            })
        }
        "absorb" => {
            let message = long();
            each(move || {
                let mut absorber = xof.absorber().expect("cannot create an absorber");
                for part in black_box(&message).chunks(PART) {
                    absorber.update(part).expect("cannot absorb a part of the message");
                }
                absorber.finish().and_then(|mut reader| reader.squeeze(&mut out)).expect("cannot compute the output");
            })
        }
        _ => {
            let reader = xof.absorb(&long()).expect("cannot absorb the message");
            Box::new(Squeezing { xof, reader, out })
        }
    }
}

/// Side that squeezes one reader throughout a batch.
struct Squeezing {
    xof: Arc<dyn Xof>,
    reader: Box<dyn XofReader>,
    out: Vec<u8>,
}

impl Work for Squeezing {
    fn ready(&mut self, _batch: usize) {
        self.reader = self.xof.absorb(&long()).expect("cannot absorb the message");
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            self.reader.squeeze(black_box(&mut self.out)).expect("cannot compute the output");
        }
    }
}

/// Function that fills a buffer with the next bytes of a XOF's output.
pub(crate) type Squeeze = Box<dyn FnMut(&mut [u8])>;

/// Returns a side that squeezes one state throughout a batch. `absorb` creates a new state for each batch.
pub(crate) fn squeezing(absorb: impl Fn() -> Squeeze + 'static) -> Side {
    let squeeze = absorb();
    Box::new(Absorbed { absorb, squeeze, out: [0; OUTPUT] })
}

struct Absorbed<A> {
    absorb: A,
    squeeze: Squeeze,
    out: [u8; OUTPUT],
}

impl<A: Fn() -> Squeeze> Work for Absorbed<A> {
    fn ready(&mut self, _batch: usize) {
        self.squeeze = (self.absorb)();
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            (self.squeeze)(black_box(&mut self.out));
        }
    }
}

/// Returns one message and one output buffer per lane. The buffers are `digest` bytes long, or [`OUTPUT`] bytes for a
/// XOF.
pub(crate) fn lanes(lanes: usize, digest: Option<usize>) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let messages = (0..lanes).map(|lane| vec![lane.to_le_bytes()[0]; MESSAGE]).collect();
    (messages, vec![vec![0; digest.unwrap_or(OUTPUT)]; lanes])
}

/// Returns the side that hashes one message per lane through the trait.
pub(crate) fn through_lanes(hash: &Arc<dyn LaneHash>, digest: Option<usize>) -> Side {
    let hash = Arc::clone(hash);
    let (messages, mut outs) = lanes(hash.lanes(), digest);
    Box::new(move |batch| {
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut outs: Vec<&mut [u8]> = outs.iter_mut().map(Vec::as_mut_slice).collect();
        black_box(&hash).digest_batch(black_box(&messages), batch, &mut outs).expect("hashing failed");
    })
}
