//! Verification of up to eight signatures (FIPS 204, algorithms 3 and 8), whatever the instructions.

use crate::challenge::{self, DRAWN};
use crate::hashing::Hasher;
use crate::parameters::{MOST_COLUMNS, MOST_ROWS, Parameters};
use crate::polynomial::{Arithmetic, Polynomial};
use crate::{Message, Refusal, hint, matrix};
use alloc::vec::Vec;
use pqlab_keccak::LANES;

/// The length in bytes of `tr` and of `mu`.
const LONG_HASH: usize = 64;

/// The longest encoded commitment of a set, in bytes.
const LONGEST_COMMITMENT: usize = 1024;

/// A verifying key with all that does not depend on signatures computed.
#[derive(Clone, Debug)]
pub(crate) struct Expanded {
    /// SHAKE256 of the encoded key.
    tr: [u8; LONG_HASH],
    /// Row by row.
    matrix: Vec<Polynomial>,
    /// `-2^13 t1`, transformed.
    t1: Vec<Polynomial>,
}

/// A key of whatever form; the length of an encoded one has been checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyForm<'a> {
    Encoded(&'a [u8]),
    Prepared(&'a Expanded),
}

/// A signature, what it is said to sign, and whose it is said to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    pub(crate) key: KeyForm<'a>,
    pub(crate) message: Message<'a>,
    pub(crate) signature: &'a [u8],
}

/// Memory that verifications of a batch use one after the other.
pub(crate) struct Scratch {
    matrix: Vec<Polynomial>,
    /// What is hashed to `mu`, one for each lane.
    formatted: [Vec<u8>; LANES],
    /// `mu` and behind it the encoded commitment, one for each lane.
    committed: [[u8; LONG_HASH + LONGEST_COMMITMENT]; LANES],
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch {
            matrix: Vec::new(),
            formatted: [const { Vec::new() }; LANES],
            committed: [[0; LONG_HASH + LONGEST_COMMITMENT]; LANES],
        }
    }
}

/// Arithmetic and hashing by one kind of instructions, for one parameter set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine<A> {
    pub(crate) arithmetic: A,
    pub(crate) hasher: Hasher,
    pub(crate) set: Parameters,
}

impl<A: Arithmetic> Engine<A> {
    /// Expands a key, whose length has been checked.
    pub(crate) fn expand(&self, key: &[u8]) -> Expanded {
        let mut tr = [0; LONG_HASH];
        self.hasher.shake256(&[key], &mut [&mut tr]);
        let mut matrix = alloc::vec![Polynomial::ZERO; self.set.rows * self.set.columns];
        let mut t1 = alloc::vec![Polynomial::ZERO; self.set.rows];
        let (rho, encoded) = split_key(key);
        matrix::expand(self.arithmetic, self.hasher, &self.set, rho, &mut matrix);
        for (polynomial, bytes) in t1.iter_mut().zip(encoded.chunks_exact(320)) {
            self.t1(bytes, polynomial);
        }
        Expanded { tr, matrix, t1 }
    }

    /// Answers for each of up to eight tasks.
    pub(crate) fn verify(&self, tasks: &[Task], scratch: &mut Scratch, verdicts: &mut [Result<(), Refusal>]) {
        // Those that go on; whatever is refused leaves the others as they are.
        let mut open = [0; LANES];
        let mut count = 0;
        for (lane, (task, verdict)) in tasks.iter().zip(&mut *verdicts).enumerate() {
            *verdict = self.lengths(task);
            if verdict.is_ok() {
                open[count] = lane;
                count += 1;
            }
        }
        let open = &open[..count];
        self.represent(tasks, open, scratch);

        let mut drawn = [[0; DRAWN]; LANES];
        let seed = |lane: usize| &tasks[lane].signature[..self.set.challenge];
        hash_lanes(self.hasher, open, seed, &mut drawn, DRAWN);

        let commitment = self.set.rows * self.set.commitment();
        let mut complete = [0; LANES];
        let mut count = 0;
        for lane in open.iter().copied() {
            let out = &mut scratch.committed[lane][LONG_HASH..LONG_HASH + commitment];
            verdicts[lane] = self.commit(&tasks[lane], &drawn[lane], &mut scratch.matrix, out);
            if verdicts[lane].is_ok() {
                complete[count] = lane;
                count += 1;
            }
        }

        let complete = &complete[..count];
        let mut hashes = [[0; LONG_HASH]; LANES];
        let committed = |lane: usize| &scratch.committed[lane][..LONG_HASH + commitment];
        hash_lanes(self.hasher, complete, committed, &mut hashes, self.set.challenge);
        for lane in complete.iter().copied() {
            if hashes[lane][..self.set.challenge] != *seed(lane) {
                verdicts[lane] = Err(Refusal::Challenge);
            }
        }
    }

    fn lengths(&self, task: &Task) -> Result<(), Refusal> {
        if let Message::Pure { context, .. } = task.message
            && context.len() > 255
        {
            return Err(Refusal::ContextLength(context.len()));
        }
        if task.signature.len() != self.set.signature() {
            return Err(Refusal::SignatureLength { expected: self.set.signature(), actual: task.signature.len() });
        }
        Ok(())
    }

    /// Writes `mu` (FIPS 204, algorithm 8, line 7) to where the commitment will follow it.
    fn represent(&self, tasks: &[Task], open: &[usize], scratch: &mut Scratch) {
        let mut trs = [[0; LONG_HASH]; LANES];
        let (mut encoded, mut encoded_count) = ([0; LANES], 0);
        for lane in open.iter().copied() {
            match (tasks[lane].message, tasks[lane].key) {
                (Message::Mu(_), _) => {}
                (_, KeyForm::Prepared(key)) => trs[lane] = key.tr,
                (_, KeyForm::Encoded(_)) => {
                    encoded[encoded_count] = lane;
                    encoded_count += 1;
                }
            }
        }
        let key = |lane: usize| match tasks[lane].key {
            KeyForm::Encoded(key) => key,
            KeyForm::Prepared(_) => &[],
        };
        hash_lanes(self.hasher, &encoded[..encoded_count], key, &mut trs, LONG_HASH);

        let mut left = [0; LANES];
        let mut count = 0;
        for lane in open.iter().copied() {
            let formatted = &mut scratch.formatted[lane];
            formatted.clear();
            formatted.extend_from_slice(&trs[lane]);
            match tasks[lane].message {
                Message::Mu(mu) => {
                    scratch.committed[lane][..LONG_HASH].copy_from_slice(mu);
                    continue;
                }
                Message::Formatted(message) => formatted.extend_from_slice(message),
                Message::Pure { context, message } => {
                    // `lengths` has let no context pass that is longer than this byte can say.
                    formatted.extend_from_slice(&[0, context.len() as u8]);
                    formatted.extend_from_slice(context);
                    formatted.extend_from_slice(message);
                }
            }
            left[count] = lane;
            count += 1;
        }
        // Eight at once where they are of one length.
        let mut left = &mut left[..count];
        while let Some(first) = left.first().copied() {
            let length = scratch.formatted[first].len();
            let mut same = 0;
            for index in 0..left.len() {
                if scratch.formatted[left[index]].len() == length {
                    left.swap(same, index);
                    same += 1;
                }
            }
            let (now, later) = left.split_at_mut(same);
            let formatted = |lane: usize| scratch.formatted[lane].as_slice();
            hash_lanes(self.hasher, now, formatted, &mut scratch.committed, LONG_HASH);
            left = later;
        }
    }

    /// Decodes the signature and writes the commitment that it stands for (FIPS 204, algorithm 8, lines 1 to 11).
    fn commit(
        &self,
        task: &Task,
        drawn: &[u8; DRAWN],
        matrix: &mut Vec<Polynomial>,
        out: &mut [u8],
    ) -> Result<(), Refusal> {
        let set = &self.set;
        let (seed, rest) = task.signature.split_at(set.challenge);
        let (encoded_z, encoded_hint) = rest.split_at(set.z());
        let hints = hint::unpack(set, encoded_hint).ok_or(Refusal::Hint)?;
        let mut z = [Polynomial::ZERO; MOST_COLUMNS];
        let z = &mut z[..set.columns];
        for (polynomial, bytes) in z.iter_mut().zip(encoded_z.chunks_exact(32 * set.z_bits)) {
            if self.arithmetic.unpack_z(set.z_bits, bytes, polynomial) >= set.gamma1() - set.beta {
                return Err(Refusal::Norm);
            }
        }
        for polynomial in &mut *z {
            self.arithmetic.transform(polynomial);
        }
        let mut challenge = challenge::sample(self.hasher, set.tau, seed, drawn);
        self.arithmetic.transform(&mut challenge);

        let mut own_t1 = [Polynomial::ZERO; MOST_ROWS];
        let (matrix, t1): (&[Polynomial], &[Polynomial]) = match task.key {
            KeyForm::Prepared(key) => (&key.matrix, &key.t1),
            KeyForm::Encoded(key) => {
                let (rho, encoded) = split_key(key);
                matrix.resize(set.rows * set.columns, Polynomial::ZERO);
                matrix::expand(self.arithmetic, self.hasher, set, rho, matrix);
                for (polynomial, bytes) in own_t1.iter_mut().zip(encoded.chunks_exact(320)) {
                    self.t1(bytes, polynomial);
                }
                (matrix, &own_t1)
            }
        };
        let rows = matrix.chunks_exact(set.columns).zip(t1).zip(&hints);
        for (((row, t1), hint), out) in rows.zip(out.chunks_exact_mut(set.commitment())) {
            let mut w = Polynomial::ZERO;
            self.arithmetic.row(row, z, &challenge, t1, &mut w);
            self.arithmetic.invert(&mut w);
            self.arithmetic.commit(set.gamma2, &w, hint, out);
        }
        Ok(())
    }

    /// A polynomial of `-2^13 t1`, transformed.
    fn t1(&self, bytes: &[u8], out: &mut Polynomial) {
        self.arithmetic.unpack_t1(bytes, out);
        self.arithmetic.transform(out);
    }
}

/// `rho` and the encoded `t1`.
fn split_key(key: &[u8]) -> (&[u8; 32], &[u8]) {
    key.split_first_chunk().expect("the key's length has been checked")
}

/// SHAKE256 for some lanes, whose inputs are of one length: to the first `length` bytes of the output of the same lane.
fn hash_lanes<'a, const OUT: usize>(
    hasher: Hasher,
    lanes: &[usize],
    input: impl Fn(usize) -> &'a [u8],
    outs: &mut [[u8; OUT]; LANES],
    length: usize,
) {
    if lanes.is_empty() {
        return;
    }
    let mut inputs: [&[u8]; LANES] = [&[]; LANES];
    let mut digests = [[0; DRAWN]; LANES];
    for (place, lane) in inputs.iter_mut().zip(lanes) {
        *place = input(*lane);
    }
    let mut places = digests.each_mut().map(|digest| &mut digest[..length]);
    hasher.shake256(&inputs[..lanes.len()], &mut places[..lanes.len()]);
    for (digest, lane) in digests.iter().zip(lanes) {
        outs[*lane][..length].copy_from_slice(&digest[..length]);
    }
}
