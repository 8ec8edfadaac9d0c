//! Things that have something in common, in the order in which they first appear.

use crate::case::CaseAnalysis;
use crate::run::RunAnalysis;
use indexmap::{IndexMap, IndexSet};
use std::hash::Hash;

/// Cases that do the same job, a case for each provider.
#[derive(Clone, Debug)]
pub struct Group<'r, 'a> {
    /// What they have in common: all but the provider.
    pub job: String,
    /// In the order of the plan.
    pub cases: Vec<&'r CaseAnalysis<'a>>,
}

impl<'a> RunAnalysis<'a> {
    /// The cases of an area as tables list them: those that differ in the provider alone stand together, and those of one
    /// algorithm follow each other, all in the order in which the plan names them first.
    pub fn groups<'r>(&'r self, area: &'r str) -> Vec<Group<'r, 'a>> {
        let algorithms = grouped(self.area(area), |case| case.case().algorithm.as_str());
        let jobs = algorithms.into_iter().flat_map(|(_, cases)| grouped(cases.into_iter(), |case| case.job()));
        jobs.map(|(job, cases)| Group { job, cases }).collect()
    }
}

/// Things that have the same key, in the order in which they first appear.
pub fn grouped<'r, K: Eq + Hash, T>(
    things: impl Iterator<Item = &'r T>,
    key: impl Fn(&T) -> K,
) -> Vec<(K, Vec<&'r T>)> {
    gathered(things.map(|thing| (key(thing), thing)))
}

/// Values that have the same key, in the order in which the keys first appear. However many keys there are, each is looked up
/// once: names come from files of whomever.
pub fn gathered<K: Eq + Hash, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: IndexMap<K, Vec<V>> = IndexMap::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups.into_iter().collect()
}

/// Each of some things once, in the order in which they first appear; likewise.
pub fn distinct<K: Eq + Hash>(things: impl IntoIterator<Item = K>) -> Vec<K> {
    things.into_iter().collect::<IndexSet<K>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use std::cell::Cell;
    use std::hash::Hasher;

    thread_local!(static COMPARED: Cell<usize> = const { Cell::new(0) });

    /// A name that counts how often it is compared with another one.
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
        // Each twice, the second time in another order.
        let numbers: Vec<usize> = (0..NAMES).chain((0..NAMES).rev()).collect();
        let groups = grouped(numbers.iter(), |number| Counted(format!("name {number}")));
        assert_eq!(groups.len(), NAMES);
        assert!(groups.iter().zip(0..).all(|((name, of), number)| {
            name.0 == format!("name {number}") && of.iter().all(|own| **own == number) && of.len() == 2
        }));
        let once = distinct(numbers.iter().map(|number| Counted(format!("name {number}"))));
        assert!(once.len() == NAMES && once[1].0 == "name 1");
        // Each is found once in either, and now and then two hashes look alike.
        let compared = COMPARED.get();
        assert!(compared < 2 * 4 * NAMES, "{compared} comparisons of {NAMES} names");
    }

    #[test]
    fn rivals_stand_together_and_an_algorithm_is_named_once() {
        let mut run = fixtures::run();
        run.records.retain(|record| record.case.workload == "kem");
        let (first, second) = (run.records[0].clone(), run.records[1].clone());
        let mut of = |algorithm: &str, operation: &str, like: &pqlab_record::Record| {
            let mut record = like.clone();
            record.case.algorithm = algorithm.to_owned();
            record.case.operation = operation.to_owned();
            run.records.push(record);
        };
        // As a plan has them that goes from provider to provider.
        of("X25519", "keygen", &first);
        of("ML-KEM-768", "keygen", &first);
        of("X25519", "keygen", &second);
        of("ML-KEM-768", "keygen", &second);
        let analysis = RunAnalysis::of(&run);
        let groups = analysis.groups("kem");
        let listed: Vec<(&str, Vec<&str>)> = groups
            .iter()
            .map(|group| (group.job.as_str(), group.cases.iter().map(|case| case.case().provider.as_str()).collect()))
            .collect();
        let wanted = [
            ("ML-KEM-768 encapsulate", vec!["liboqs", "aws-lc", "openssl"]),
            ("ML-KEM-768 keygen", vec!["liboqs", "aws-lc"]),
            ("X25519 keygen", vec!["liboqs", "aws-lc"]),
        ];
        assert_eq!(listed, wanted);
        assert!(analysis.groups("hash").is_empty());
    }
}
