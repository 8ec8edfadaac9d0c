//! Groups items by a key, in the order of first appearance.

use indexmap::{IndexMap, IndexSet};
use std::hash::Hash;

/// Groups items that have the same key, in the order of first appearance.
pub fn grouped<'r, K: Eq + Hash, T>(
    things: impl Iterator<Item = &'r T>,
    key: impl Fn(&T) -> K,
) -> Vec<(K, Vec<&'r T>)> {
    gathered(things.map(|thing| (key(thing), thing)))
}

/// Groups values by key, in the order in which the keys first appear. Looks up each key only once, because imported
/// files can contain any number of names.
pub fn gathered<K: Eq + Hash, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: IndexMap<K, Vec<V>> = IndexMap::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups.into_iter().collect()
}

/// Returns each distinct item once, in the order of first appearance. Looks up each item only once.
pub fn distinct<K: Eq + Hash>(things: impl IntoIterator<Item = K>) -> Vec<K> {
    things.into_iter().collect::<IndexSet<K>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::hash::Hasher;

    thread_local!(static COMPARED: Cell<usize> = const { Cell::new(0) });

    /// A name that counts how often it is compared with other names.
    #[derive(Eq)]
    struct Counted(String);

    impl PartialEq for Counted {
        fn eq(&self, other: &Counted) -> bool {
            COMPARED.set(COMPARED.get() + 1);
            self.0 == other.0
        }
    }

    impl Hash for Counted {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    #[test]
    fn names_are_not_compared_with_all_others() {
        const NAMES: usize = 10_000;
        // Every number appears twice, the second time in reverse order.
        let numbers: Vec<usize> = (0..NAMES).chain((0..NAMES).rev()).collect();
        let groups = grouped(numbers.iter(), |number| Counted(format!("name {number}")));
        assert_eq!(groups.len(), NAMES);
        assert!(groups.iter().zip(0..).all(|((name, members), number)| {
            name.0 == format!("name {number}") && members.iter().all(|member| **member == number) && members.len() == 2
        }));
        let once = distinct(numbers.iter().map(|number| Counted(format!("name {number}"))));
        assert!(once.len() == NAMES && once[1].0 == "name 1");
        // The two calls need one comparison per name each. Hash collisions add a few.
        let compared = COMPARED.get();
        assert!(compared < 2 * 4 * NAMES, "{compared} comparisons of {NAMES} names");
    }
}
