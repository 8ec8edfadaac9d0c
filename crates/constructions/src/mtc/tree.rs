//! Merkle trees over the entries of a log, and proofs that a subtree contains an entry
//! (draft-ietf-plants-merkle-tree-certs-07, section 4; RFC 9162, section 2.1).

use pqlab_primitives::{Error, Hash, Result};
use std::ops::Range;

/// Length of a hash in bytes. Trees use SHA-256.
pub const HASH: usize = 32;
/// Hash of an entry, a node or a subtree.
pub type Digest = [u8; HASH];

/// Returns the SHA-256 digest of a message.
pub(super) fn digest(sha256: &dyn Hash, message: &[u8]) -> Result<Digest> {
    let mut out = [0; HASH];
    sha256.digest(message, &mut out)?;
    Ok(out)
}

/// Returns the hash of an entry, which is a leaf of the tree.
///
/// # Errors
/// Propagates errors from the hash function.
pub fn leaf_hash(sha256: &dyn Hash, entry: &[u8]) -> Result<Digest> {
    digest(sha256, &[&[0], entry].concat())
}

fn node_hash(sha256: &dyn Hash, left: &Digest, right: &Digest) -> Result<Digest> {
    let mut node = [1; 1 + 2 * HASH];
    node[1..=HASH].copy_from_slice(left);
    node[1 + HASH..].copy_from_slice(right);
    digest(sha256, &node)
}

/// Part of a log that has a hash of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subtree {
    start: u64,
    end: u64,
}

impl Subtree {
    /// Returns the subtree with the entries from `start` up to, but not including, `end`. Returns `None` unless `start`
    /// is a multiple of the number of entries, rounded up to a power of two.
    pub fn new(start: u64, end: u64) -> Option<Subtree> {
        let width = end.checked_sub(start)?.checked_next_power_of_two();
        width.map_or(start == 0, |width| start.is_multiple_of(width)).then_some(Subtree { start, end })
    }

    /// Returns the two subtrees that cover a range of entries. The first one may begin before the range.
    pub fn covering(entries: Range<u64>) -> [Subtree; 2] {
        let Range { start, end } = entries;
        if end.saturating_sub(start) <= 1 {
            let end = end.max(start);
            return [Subtree { start, end }, Subtree { start: end, end }];
        }
        let last = end - 1;
        // Height at which the paths from the root to `start` and to `last` part.
        let split = (start ^ last).ilog2();
        let low = (1 << split) - 1;
        let middle = last & !low;
        let width = (!start & low).checked_ilog2().map_or(0, |bit| bit + 1);
        [Subtree { start: start >> width << width, end: middle }, Subtree { start: middle, end }]
    }

    /// Returns the indices of the entries.
    pub fn entries(self) -> Range<u64> {
        self.start..self.end
    }

    /// Returns whether the subtree contains no entries.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns the place of an entry in the lowest level, and the place of the last entry.
    fn path(self, index: u64) -> Option<Path> {
        let is_inside = self.entries().contains(&index);
        is_inside.then(|| Path { place: index - self.start, last: self.end - 1 - self.start })
    }

    /// Returns the number of hashes in the inclusion proof of an entry. Returns `None` if the subtree does not contain
    /// the entry.
    pub fn proof_length(self, index: u64) -> Option<usize> {
        Some(self.path(index)?.filter(|side| *side != Side::None).count())
    }

    /// Returns the hash of the subtree that follows from the hash of an entry and its inclusion proof. Returns `None`
    /// if the subtree does not contain the entry, or if the proof has a wrong length.
    ///
    /// # Errors
    /// Propagates errors from the hash function.
    pub fn evaluate(self, sha256: &dyn Hash, index: u64, leaf: Digest, proof: &[Digest]) -> Result<Option<Digest>> {
        if self.proof_length(index) != Some(proof.len()) {
            return Ok(None);
        }
        let (mut hash, mut siblings) = (leaf, proof.iter());
        for side in self.path(index).into_iter().flatten() {
            hash = match (side, if side == Side::None { None } else { siblings.next() }) {
                (Side::Left, Some(sibling)) => node_hash(sha256, sibling, &hash)?,
                (Side::Right, Some(sibling)) => node_hash(sha256, &hash, sibling)?,
                _ => hash,
            };
        }
        Ok(Some(hash))
    }
}

/// Side on which the sibling of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    /// The node is the last one in its level and has no sibling.
    None,
}

/// Path from an entry to the root. Iterates over the levels below the root, from the lowest.
struct Path {
    /// Place of the node in its level.
    place: u64,
    /// Place of the last node in this level.
    last: u64,
}

impl Iterator for Path {
    type Item = Side;

    fn next(&mut self) -> Option<Side> {
        if self.last == 0 {
            return None;
        }
        let side = match self.place {
            place if place % 2 == 1 => Side::Left,
            place if place < self.last => Side::Right,
            _ => Side::None,
        };
        self.place /= 2;
        self.last /= 2;
        Some(side)
    }
}

/// Subtree with the hashes of all its nodes.
#[derive(Clone, Debug)]
pub struct Tree {
    subtree: Subtree,
    /// Hashes of the nodes by level, from the leaves to the root. A node without a sibling is also in the next level.
    levels: Vec<Vec<Digest>>,
    root: Digest,
}

impl Tree {
    /// Computes the nodes of a subtree. `leaves` contains the hashes of its entries.
    ///
    /// # Errors
    /// [`Error::Length`] if the number of leaves is wrong. Propagates errors from the hash function.
    pub fn new(sha256: &dyn Hash, subtree: Subtree, leaves: &[Digest]) -> Result<Tree> {
        let expected = usize::try_from(subtree.end - subtree.start).unwrap_or(usize::MAX);
        Error::check_length("leaves of the subtree", expected, leaves.len())?;
        let mut levels = vec![leaves.to_vec()];
        while let Some(below) = levels.last().filter(|level| level.len() > 1) {
            let parent = |pair: &[Digest]| match pair {
                [left, right] => node_hash(sha256, left, right),
                _ => Ok(pair[0]),
            };
            let level = below.chunks(2).map(parent).collect::<Result<_>>()?;
            levels.push(level);
        }
        let top = levels.last().and_then(|level| level.first()).copied();
        let root = top.map_or_else(|| digest(sha256, &[]), Ok)?;
        Ok(Tree { subtree, levels, root })
    }

    /// Returns the entries that the tree covers.
    pub fn subtree(&self) -> Subtree {
        self.subtree
    }

    /// Returns the hash of the subtree.
    pub fn root(&self) -> &Digest {
        &self.root
    }

    /// Returns the inclusion proof of an entry: the hashes of the siblings on its path, from the lowest level. Returns
    /// `None` if the subtree does not contain the entry.
    pub fn proof(&self, index: u64) -> Option<Vec<Digest>> {
        let mut place = usize::try_from(self.subtree.path(index)?.place).ok()?;
        let mut proof = Vec::with_capacity(self.levels.len());
        for level in &self.levels {
            proof.extend(level.get(place ^ 1));
            place /= 2;
        }
        Some(proof)
    }
}
