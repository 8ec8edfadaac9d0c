use super::Rejection;
use std::collections::{BTreeMap, BinaryHeap};

/// A rejected transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Position in the block, counted from 0.
    pub index: u64,
    /// Reason for the rejection.
    pub reason: Rejection,
}

/// Rejected transactions in a block. Counts all rejections, but lists at most [`Rejections::LISTED`]: those with the
/// lowest positions. The result does not depend on the order in which rejections are added.
#[derive(Clone, Debug, Default)]
pub struct Rejections {
    count: u64,
    kinds: BTreeMap<&'static str, u64>,
    /// Max-heap by position. If the list is full, a rejection with a lower position replaces the one with the highest.
    listed: BinaryHeap<ByIndex>,
}

impl Rejections {
    /// Maximum number of listed rejections. Limits memory if every transaction in a block is invalid.
    pub const LISTED: usize = 100_000;

    /// Creates an empty collection.
    pub fn new() -> Rejections {
        Rejections::default()
    }

    /// Adds a rejection.
    pub fn add(&mut self, rejected: Rejected) {
        self.count += 1;
        *self.kinds.entry(rejected.reason.kind()).or_default() += 1;
        self.list(ByIndex(rejected));
    }

    /// Adds the rejections of another part of the block.
    pub fn merge(&mut self, other: Rejections) {
        self.count += other.count;
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        other.listed.into_iter().for_each(|rejected| self.list(rejected));
    }

    /// Returns the number of rejections.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of rejections per [`Rejection::kind`].
    pub fn kinds(&self) -> &BTreeMap<&'static str, u64> {
        &self.kinds
    }

    /// Returns the listed rejections, sorted by position.
    pub fn into_list(self) -> Vec<Rejected> {
        self.listed.into_sorted_vec().into_iter().map(|rejected| rejected.0).collect()
    }

    fn list(&mut self, rejected: ByIndex) {
        if self.listed.len() < Rejections::LISTED {
            self.listed.push(rejected);
        } else if let Some(mut last) = self.listed.peek_mut()
            && rejected.0.index < last.0.index
        {
            *last = rejected;
        }
    }
}

#[derive(Clone, Debug)]
struct ByIndex(Rejected);

impl PartialEq for ByIndex {
    fn eq(&self, other: &ByIndex) -> bool {
        self.0.index == other.0.index
    }
}

impl Eq for ByIndex {}

impl PartialOrd for ByIndex {
    fn partial_cmp(&self, other: &ByIndex) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ByIndex {
    fn cmp(&self, other: &ByIndex) -> std::cmp::Ordering {
        self.0.index.cmp(&other.0.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_is_bounded_and_independent_of_order() {
        let indices = 0..Rejections::LISTED as u64 + 10;
        let rejected = |index| Rejected { index, reason: Rejection::WrongChain(index as u32) };
        let (mut forward, mut backward) = (Rejections::new(), Rejections::new());
        indices.clone().for_each(|index| forward.add(rejected(index)));
        let mut half = Rejections::new();
        for index in indices.rev() {
            if index % 2 == 0 { half.add(rejected(index)) } else { backward.add(rejected(index)) }
        }
        backward.merge(half);
        assert_eq!(forward.count(), Rejections::LISTED as u64 + 10);
        assert_eq!((forward.count(), forward.kinds()), (backward.count(), backward.kinds()));
        let (forward, backward) = (forward.into_list(), backward.into_list());
        assert_eq!(forward.len(), Rejections::LISTED);
        assert_eq!(forward, backward);
        assert!(forward.iter().enumerate().all(|(position, one)| one.index == position as u64));
    }
}
