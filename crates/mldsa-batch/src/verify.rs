//! Verifies up to eight signatures (FIPS 204, algorithms 3 and 8), independently of the instruction set.

use crate::challenge::{self, DRAWN};
use crate::hashing::Hasher;
use crate::matrix::{Drawn, Rows};
use crate::parameters::{MOST_COLUMNS, MOST_ROWS, Parameters};
use crate::polynomial::{Arithmetic, Hint, Polynomial};
use crate::{Message, Refusal, hint};
use alloc::vec::Vec;
use pqlab_keccak::LANES;

/// Length in bytes of `tr` and of `mu`.
const LONG_HASH: usize = 64;

/// Length in bytes of an encoded polynomial of `t1`.
const T1: usize = 320;

/// Maximum length in bytes of an encoded commitment in any parameter set.
const LONGEST_COMMITMENT: usize = 1024;

/// Verifying key with every precomputation that does not depend on a signature.
#[derive(Clone, Debug)]
pub(crate) struct Expanded {
    /// SHAKE256 of the encoded key.
    tr: [u8; LONG_HASH],
    /// Matrix, row by row.
    matrix: Vec<Polynomial>,
    /// Transforms of the polynomials of `-2^13 t1`.
    t1: Vec<Polynomial>,
}

/// Verifying key, encoded or expanded. The length of an encoded key has already been checked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeyForm<'a> {
    Encoded(&'a [u8]),
    Prepared(&'a Expanded),
}

/// A signature with the message and signer to check it against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'a> {
    pub(crate) key: KeyForm<'a>,
    pub(crate) message: Message<'a>,
    pub(crate) signature: &'a [u8],
}

/// Decoded `z` and hint of a signature.
#[derive(Clone, Copy)]
struct Decoded {
    /// `z` after the transform.
    z: [Polynomial; MOST_COLUMNS],
    hints: [Hint; MOST_ROWS],
}

impl Decoded {
    const ZERO: Decoded = Decoded { z: [Polynomial::ZERO; MOST_COLUMNS], hints: [[0; 16]; MOST_ROWS] };
}

/// Memory that the verifications in a batch reuse.
pub(crate) struct Scratch {
    drawn: Drawn,
    signatures: [Decoded; LANES],
    /// Input of the hash that yields `mu`, for each signature of a group.
    formatted: [Vec<u8>; LANES],
    /// `mu` followed by the encoded commitment, for each signature of a group.
    committed: [[u8; LONG_HASH + LONGEST_COMMITMENT]; LANES],
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        Scratch {
            drawn: Drawn::EMPTY,
            signatures: [Decoded::ZERO; LANES],
            formatted: [const { Vec::new() }; LANES],
            committed: [[0; LONG_HASH + LONGEST_COMMITMENT]; LANES],
        }
    }
}

/// Verifies signatures with one instruction set and one parameter set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine<A> {
    pub(crate) arithmetic: A,
    pub(crate) hasher: Hasher,
    pub(crate) set: Parameters,
}

impl<A: Arithmetic> Engine<A> {
    /// Expands a key whose length has already been checked.
    pub(crate) fn expand(&self, key: &[u8]) -> Expanded {
        let mut tr = [0; LONG_HASH];
        self.hasher.shake256(&[key], &mut [&mut tr]);
        let (rho, encoded) = split_key(key);
        let mut drawn = Drawn::EMPTY;
        let rhos = [rho];
        let mut rows = self.rows(&rhos, &mut drawn);
        let mut matrix = Vec::with_capacity(self.set.rows * self.set.columns);
        for _ in 0..self.set.rows {
            matrix.extend_from_slice(rows.next());
        }
        let mut t1 = alloc::vec![Polynomial::ZERO; self.set.rows];
        for (polynomial, bytes) in t1.iter_mut().zip(encoded.chunks_exact(T1)) {
            self.t1(bytes, polynomial);
        }
        Expanded { tr, matrix, t1 }
    }

    /// Verifies up to eight signatures and writes their verdicts.
    pub(crate) fn verify(&self, tasks: &[Task], scratch: &mut Scratch, verdicts: &mut [Result<(), Refusal>]) {
        // Lanes that are still being verified. Rejecting a lane does not affect the others.
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

        let mut complete = [0; LANES];
        let mut count = 0;
        for lane in open.iter().copied() {
            verdicts[lane] = self.decode(tasks[lane].signature, &mut scratch.signatures[lane]);
            if verdicts[lane].is_ok() {
                complete[count] = lane;
                count += 1;
            }
        }
        let complete = &complete[..count];

        let mut drawn = [[0; DRAWN]; LANES];
        let seed = |lane: usize| &tasks[lane].signature[..self.set.challenge];
        hash_lanes(self.hasher, complete, seed, &mut drawn, DRAWN);

        let mut rhos = [&[0; 32]; LANES];
        let mut count = 0;
        for lane in complete.iter().copied() {
            if let KeyForm::Encoded(key) = tasks[lane].key {
                rhos[count] = split_key(key).0;
                count += 1;
            }
        }
        let mut rows = self.rows(&rhos[..count], &mut scratch.drawn);
        let commitment = self.set.rows * self.set.commitment();
        for lane in complete.iter().copied() {
            let challenge = challenge::sample(self.hasher, self.set.tau, seed(lane), &drawn[lane]);
            let out = &mut scratch.committed[lane][LONG_HASH..LONG_HASH + commitment];
            self.commit(tasks[lane].key, &scratch.signatures[lane], challenge, &mut rows, out);
        }

        let mut hashes = [[0; LONG_HASH]; LANES];
        let committed = |lane: usize| &scratch.committed[lane][..LONG_HASH + commitment];
        hash_lanes(self.hasher, complete, committed, &mut hashes, self.set.challenge);
        for lane in complete.iter().copied() {
            if hashes[lane][..self.set.challenge] != *seed(lane) {
                verdicts[lane] = Err(Refusal::Challenge);
            }
        }
    }

    fn rows<'a>(&self, rhos: &'a [&'a [u8; 32]], drawn: &'a mut Drawn) -> Rows<'a, A> {
        Rows::new(self.arithmetic, self.hasher, self.set, rhos, drawn)
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

    /// Computes `mu` (FIPS 204, algorithm 8, line 7) for the signatures in the lanes that `open` lists. Writes each
    /// `mu` to the start of the lane's buffer in `committed`.
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
                    // `lengths` already rejected contexts of more than 255 bytes.
                    formatted.extend_from_slice(&[0, context.len() as u8]);
                    formatted.extend_from_slice(context);
                    formatted.extend_from_slice(message);
                }
            }
            left[count] = lane;
            count += 1;
        }
        // Hash up to eight inputs of equal length in parallel.
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

    /// Decodes and checks the hint and `z` in a signature of the right length (FIPS 204, algorithm 8, lines 2, 3 and
    /// 13).
    fn decode(&self, signature: &[u8], out: &mut Decoded) -> Result<(), Refusal> {
        let set = &self.set;
        let (encoded_z, encoded_hint) = signature[set.challenge..].split_at(set.z());
        out.hints = hint::unpack(set, encoded_hint).ok_or(Refusal::Hint)?;
        for (polynomial, bytes) in out.z.iter_mut().zip(encoded_z.chunks_exact(32 * set.z_bits)) {
            if self.arithmetic.unpack_z(set.z_bits, bytes, polynomial) >= set.gamma1() - set.beta {
                return Err(Refusal::Norm);
            }
            self.arithmetic.transform(polynomial);
        }
        Ok(())
    }

    /// Writes the commitment that a signature implies (FIPS 204, algorithm 8, lines 5 and 9 to 11). If the key is
    /// encoded, the next rows in `rows` must come from the key's matrix.
    fn commit(&self, key: KeyForm, signature: &Decoded, mut challenge: Polynomial, rows: &mut Rows<A>, out: &mut [u8]) {
        let set = &self.set;
        self.arithmetic.transform(&mut challenge);
        let z = &signature.z[..set.columns];
        let (mut own_t1, mut w) = (Polynomial::ZERO, Polynomial::ZERO);
        let outs = out.chunks_exact_mut(set.commitment());
        for (index, (hint, out)) in signature.hints.iter().zip(outs).enumerate() {
            let (row, t1) = match key {
                KeyForm::Prepared(key) => (&key.matrix[index * set.columns..][..set.columns], &key.t1[index]),
                KeyForm::Encoded(key) => {
                    self.t1(&split_key(key).1[index * T1..][..T1], &mut own_t1);
                    (rows.next(), &own_t1)
                }
            };
            self.arithmetic.row(row, z, &challenge, t1, &mut w);
            self.arithmetic.invert(&mut w);
            self.arithmetic.commit(set.gamma2, &w, hint, out);
        }
    }

    /// Decodes and transforms one polynomial of `-2^13 t1`.
    fn t1(&self, bytes: &[u8], out: &mut Polynomial) {
        self.arithmetic.unpack_t1(bytes, out);
        self.arithmetic.transform(out);
    }
}

/// Splits an encoded key into `rho` and `t1`.
fn split_key(key: &[u8]) -> (&[u8; 32], &[u8]) {
    key.split_first_chunk().expect("the key's length was checked")
}

/// Computes SHAKE256 for the listed lanes, whose inputs must have equal lengths. Writes `length` bytes to the start of
/// each lane's output.
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
