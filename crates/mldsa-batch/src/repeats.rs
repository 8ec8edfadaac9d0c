//! Finds the encoded keys that occur more than once in a batch, so that each is expanded once.

use crate::verify::{Expanded, KeyForm, Task};
use alloc::vec::Vec;
use pqlab_keccak::LANES;

/// Order in which the tasks of a batch are verified. Tasks with the same encoded key follow each other.
pub(crate) struct Order<'a, 't> {
    tasks: &'t [Task<'a>],
    indices: Vec<usize>,
}

impl<'a, 't> Order<'a, 't> {
    /// Sorts the tasks by key. Returns `None` if no encoded key occurs twice. If all keys differ, the cost is one sort
    /// of 64-bit integers, because only keys with the same first eight bytes are compared in full.
    pub(crate) fn new(tasks: &'t [Task<'a>]) -> Option<Order<'a, 't>> {
        let mut sorted: Vec<(u64, usize)> = Vec::with_capacity(tasks.len());
        sorted.extend(tasks.iter().enumerate().filter_map(|(index, task)| {
            let start = encoded(task)?.first_chunk().copied().unwrap_or_default();
            Some((u64::from_be_bytes(start), index))
        }));
        let key = |index: usize| encoded(&tasks[index]);
        sorted.sort_unstable_by(|(start, index), (other_start, other)| {
            start.cmp(other_start).then_with(|| key(*index).cmp(&key(*other))).then(index.cmp(other))
        });
        let is_same = |pair: &[(u64, usize)]| pair[0].0 == pair[1].0 && key(pair[0].1) == key(pair[1].1);
        if !sorted.windows(2).any(is_same) {
            return None;
        }
        let mut indices: Vec<usize> = sorted.into_iter().map(|(_, index)| index).collect();
        indices.extend(tasks.iter().enumerate().filter(|(_, task)| encoded(task).is_none()).map(|(index, _)| index));
        Some(Order { tasks, indices })
    }

    /// Calls `verify` for each group of at most [`LANES`] tasks, with the indices of the tasks and with the tasks. A key
    /// that occurs more than once is expanded with `expand`, and kept only while consecutive groups use it.
    pub(crate) fn for_each_group(
        &self,
        expand: impl Fn(&[u8]) -> Expanded,
        mut verify: impl FnMut(&[usize], &[Task<'_>]),
    ) {
        let mut known: Vec<(&[u8], Expanded)> = Vec::new();
        let mut place = 0;
        for group in self.indices.chunks(LANES) {
            known.retain(|(key, _)| self.key(place) == Some(key));
            for place in place..place + group.len() {
                if let Some(key) = self.key(place)
                    && self.repeats(place)
                    && known.iter().all(|(other, _)| *other != key)
                {
                    known.push((key, expand(key)));
                }
            }
            place += group.len();
            let task = |index: usize| {
                let task = self.tasks[index];
                let expanded = known.iter().find(|(key, _)| encoded(&task) == Some(key));
                expanded.map_or(task, |(_, expanded)| Task { key: KeyForm::Prepared(expanded), ..task })
            };
            let first = task(group[0]);
            let mut tasks = [first; LANES];
            tasks.iter_mut().zip(group).for_each(|(place, index)| *place = task(*index));
            verify(group, &tasks[..group.len()]);
        }
    }

    /// Returns the encoded key of the task at a place in the order.
    fn key(&self, place: usize) -> Option<&'a [u8]> {
        encoded(&self.tasks[*self.indices.get(place)?])
    }

    /// Returns whether a neighbor of the task at this place has the same encoded key.
    fn repeats(&self, place: usize) -> bool {
        let key = self.key(place);
        let before = place.checked_sub(1).and_then(|before| self.key(before));
        key.is_some() && (before == key || self.key(place + 1) == key)
    }
}

fn encoded<'a>(task: &Task<'a>) -> Option<&'a [u8]> {
    match task.key {
        KeyForm::Encoded(key) => Some(key),
        KeyForm::Prepared(_) => None,
    }
}
