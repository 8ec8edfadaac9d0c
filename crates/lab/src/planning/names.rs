//! Names that users type to select what to measure: suites, areas, suite files, algorithms and providers.

use crate::patterns::nearest;
use crate::planning::plan::check_names;
use crate::{Filters, LabError, Laboratory, Plan, Select, Suite, Thing, builtin_suites, matches};
use pqlab_record::{Case, FLOOR};
use std::cell::LazyCell;
use std::path::Path;

/// Areas to search if the user names an algorithm but no area. The run measures the first area that contains the
/// algorithm.
const AREAS: [&str; 15] = [
    "kem",
    "signature",
    "hash",
    "hybrid",
    "certificate",
    "token",
    "cms",
    "hpke",
    "ntor",
    "tls",
    "ssh",
    "quic",
    "mtc",
    "ledger",
    "memory",
];

/// Alternative names of algorithms (mostly from before their standardization), each with the current name. The
/// alternative names are in lower case and without punctuation.
const BEFORE: [(&str, &str); 9] = [
    ("kyber512", "ML-KEM-512"),
    ("kyber768", "ML-KEM-768"),
    ("kyber1024", "ML-KEM-1024"),
    ("dilithium2", "ML-DSA-44"),
    ("dilithium3", "ML-DSA-65"),
    ("dilithium5", "ML-DSA-87"),
    ("curve25519", "X25519"),
    ("p256", "ECDSA-P-256"),
    ("secp256k1", "ECDSA-secp256k1"),
];

/// Suites, algorithms and providers that the user's words name.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// Suites to measure.
    pub suites: Vec<Suite>,
    /// Patterns for the algorithms to measure; empty for all.
    pub algorithms: Vec<String>,
    /// Patterns for the providers to measure; empty for all.
    pub providers: Vec<String>,
    /// Notes on the interpretation of words, one line each.
    pub notes: Vec<String>,
}

impl Named {
    /// Adds the named algorithms and providers to the filters.
    pub fn narrow(&self, mut filters: Filters) -> Filters {
        filters.algorithms.extend(self.algorithms.iter().cloned());
        filters.providers.extend(self.providers.iter().cloned());
        filters
    }
}

/// Returns the closest ids for each id pattern that matches no id.
fn near(filters: &Filters, ids: &[String]) -> Vec<String> {
    let mut near = Vec::new();
    for pattern in filters.ids.iter().filter(|pattern| !ids.iter().any(|id| matches(pattern, id))) {
        near.extend(nearest(pattern, ids.iter().map(String::as_str)));
    }
    near.dedup();
    near
}

impl Laboratory {
    /// Resolves the words that a user typed. A word can be a suite, an area, a suite file, an algorithm (by any of its
    /// names) or a provider. If no word names a suite, selects the areas of the named algorithms, or the `standard`
    /// suite if no word names an algorithm.
    ///
    /// # Errors
    /// [`LabError::Unknown`] for any other word, errors from [`Suite::find`], and [`LabError::Foreign`] if a suite file
    /// names libraries that are not loaded.
    pub fn named(&self, words: &[String]) -> Result<Named, LabError> {
        let mut named = Named::default();
        // Most words name a suite, and listing all cases takes longer than planning one.
        let cases = LazyCell::new(|| self.registry().cases(&Default::default()));
        let builtin = builtin_suites()?;
        for word in words {
            if word.ends_with(".toml") || Path::new(word).is_file() || builtin.iter().any(|suite| suite.name == *word) {
                let suite = Suite::find(word)?;
                self.check_requested(word, &suite.libraries)?;
                named.suites.push(suite);
            } else if self.registry().workloads().iter().any(|workload| workload.id() == word) {
                named.suites.push(of_workload(word));
            } else if let Some(algorithm) = algorithm(word, &cases) {
                if algorithm != *word {
                    named.notes.push(round_three_note(word).unwrap_or_else(|| format!("{word}: {algorithm}")));
                }
                named.algorithms.push(algorithm);
            } else if cases.iter().any(|case| matches(word, &case.provider) || matches(word, case.library())) {
                named.providers.push(word.clone());
            } else {
                let suites = builtin.iter().map(|suite| suite.name.as_str());
                let all = suites.chain(cases.iter().flat_map(|case| [case.algorithm.as_str(), case.library()]));
                return Err(LabError::unknown(Thing::Selection, word, all));
            }
        }
        if named.suites.is_empty() {
            named.suites = homes(&named.algorithms, &cases, &mut named.notes)?;
        }
        Ok(named)
    }

    /// Returns the cases that a run with these words and filters would measure, and notes on the selection. If `words`
    /// is empty, the filters select from all cases. Instead of a `fastest` library, the result contains every library
    /// that trials might choose.
    ///
    /// # Errors
    /// Errors from [`named`](Self::named) and [`draft`](Self::draft), and [`LabError::NothingSelected`] if no case
    /// matches the filters.
    pub fn select_cases(&self, words: &[String], filters: Filters) -> Result<(Vec<Case>, Vec<String>), LabError> {
        if words.is_empty() {
            let mut cases = self.registry().cases(&filters.options);
            check_names(&filters, &cases)?;
            let ids: Vec<String> = cases.iter().map(Case::id).collect();
            cases.retain(|case| filters.take(case));
            return match cases.is_empty() {
                true => Err(LabError::NothingSelected { with: Vec::new(), near: near(&filters, &ids) }),
                false => Ok((cases, Vec::new())),
            };
        }
        let named = self.named(words)?;
        let (filters, floor) = (named.narrow(filters), named.suites.iter().any(|suite| suite.name == FLOOR));
        let mut cases = self.draft(&named.suites, &filters, &Default::default())?.cases;
        // Every suite measures the overhead of the harness, but only the `floor` suite selects overhead cases.
        cases.retain(|case| floor || !case.is_overhead());
        Ok((cases, named.notes))
    }

    /// Adds suggestions to [`LabError::NothingSelected`]: the built-in suites with matching cases or, if there are
    /// none, the closest ids. Returns other errors unchanged.
    pub(crate) fn with_what_was_meant(&self, error: LabError, suites: &[Suite], filters: &Filters) -> LabError {
        if !matches!(error, LabError::NothingSelected { .. }) {
            return error;
        }
        let with = self.suites_with(filters);
        let near = match with.is_empty() {
            true => {
                let any = Filters { ids: Vec::new(), ..filters.clone() };
                let drafted = Plan::draft(self.registry(), suites, &any, &Default::default());
                let cases =
                    drafted.map_or_else(|_| self.registry().cases(&Default::default()), |draft| draft.plan.cases);
                near(filters, &cases.iter().map(Case::id).collect::<Vec<_>>())
            }
            false => Vec::new(),
        };
        LabError::NothingSelected { with, near }
    }

    /// Returns the names of the built-in suites with cases that match the filters.
    pub(crate) fn suites_with(&self, filters: &Filters) -> Vec<String> {
        let suites = builtin_suites().unwrap_or_default();
        let has = |suite: &Suite| {
            Plan::draft(self.registry(), std::slice::from_ref(suite), filters, &Default::default()).is_ok()
        };
        suites.into_iter().filter(has).map(|suite| suite.name).collect()
    }
}

/// Returns a suite that selects all cases of a workload.
fn of_workload(workload: &str) -> Suite {
    Suite {
        name: workload.to_owned(),
        about: String::new(),
        libraries: Vec::new(),
        protocol: Default::default(),
        select: vec![Select { workload: workload.to_owned(), ..Select::default() }],
        builtin: true,
    }
}

/// Returns the suites to measure: for each algorithm, the suite of the first area in [`AREAS`] that contains it.
/// Without algorithms, returns the `standard` suite.
fn homes(algorithms: &[String], cases: &[Case], notes: &mut Vec<String>) -> Result<Vec<Suite>, LabError> {
    let mut names: Vec<&str> = Vec::new();
    for algorithm in algorithms {
        let has =
            |area: &&&str| cases.iter().any(|case| case.workload == **area && matches(algorithm, &case.algorithm));
        let area = AREAS.iter().find(has).copied().unwrap_or("standard");
        if !names.contains(&area) {
            names.push(area);
        }
    }
    if names.is_empty() {
        names.push("standard");
    } else {
        notes.push(format!("the cases are from {}; for other cases, name another area or suite", names.join(", ")));
    }
    names.into_iter().map(Suite::find).collect()
}

/// Returns the algorithm that a word names. The word can be the algorithm's name, an alternative name, or a pattern. In
/// names, capitalization and punctuation do not matter.
pub(crate) fn algorithm(word: &str, cases: &[Case]) -> Option<String> {
    let has = |name: &str| cases.iter().any(|case| case.algorithm == name);
    if has(word) || word.contains(['*', '?']) && cases.iter().any(|case| matches(word, &case.algorithm)) {
        return Some(word.to_owned());
    }
    let plain = plain(word);
    let alike = cases.iter().map(|case| &case.algorithm).find(|name| self::plain(name) == plain);
    let before = || BEFORE.iter().find(|(old, _)| *old == plain).map(|(_, name)| (*name).to_owned());
    alike.cloned().or_else(before).filter(|name| has(name))
}

/// Returns the note on an algorithm that the user names as in round 3 of the NIST competition, such as `Kyber768`.
/// Returns `None` for all other names.
pub fn round_three_note(word: &str) -> Option<String> {
    let plain = plain(word);
    let (_, now) = BEFORE.iter().find(|(old, _)| *old == plain)?;
    let is_from_round_three = ["kyber", "dilithium"].iter().any(|family| plain.starts_with(family));
    is_from_round_three.then(|| format!("{word}: {now}; the round-3 version of {word} is not compatible with {now}"))
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|character| character.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkerProgram;

    /// Names of the suites, and patterns for algorithms and providers.
    type Found = (Vec<String>, Vec<String>, Vec<String>);

    fn named(words: &[&str]) -> Result<Found, String> {
        let laboratory = Laboratory::new(WorkerProgram::pqlab("none"));
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let found = laboratory.named(&words).map_err(|error| error.to_string())?;
        Ok((found.suites.into_iter().map(|suite| suite.name).collect(), found.algorithms, found.providers))
    }

    #[test]
    fn algorithms_are_found_by_all_their_names() {
        for word in ["ML-KEM-768", "mlkem768", "ml_kem_768", "kyber768", "Kyber-768"] {
            let wanted = (vec!["kem".to_owned()], vec!["ML-KEM-768".to_owned()], vec![]);
            assert_eq!(named(&[word]), Ok(wanted), "{word}");
        }
        assert_eq!(named(&["dilithium3"]).unwrap().1, ["ML-DSA-65"]);
        let note = "Kyber768: ML-KEM-768; the round-3 version of Kyber768 is not compatible with ML-KEM-768";
        assert_eq!(round_three_note("Kyber768").as_deref(), Some(note));
        assert_eq!(["mlkem768", "ML-KEM-768", "p256", "x"].map(round_three_note), [const { None }; 4]);
        assert_eq!(named(&["ED25519"]).unwrap(), (vec!["signature".into()], vec!["Ed25519".into()], vec![]));
        assert_eq!(named(&["x-wing"]).unwrap(), (vec!["hybrid".into()], vec!["X-Wing".into()], vec![]));
        assert_eq!(named(&["ML-KEM-*"]).unwrap(), (vec!["kem".into()], vec!["ML-KEM-*".into()], vec![]));
    }

    #[test]
    fn suites_areas_algorithms_and_providers_share_one_list() {
        assert_eq!(named(&[]).unwrap(), (vec!["standard".into()], vec![], vec![]));
        assert_eq!(named(&["rustcrypto"]).unwrap(), (vec!["standard".into()], vec![], vec!["rustcrypto".into()]));
        let mixed = named(&["hybrid", "xwing", "rustcrypto"]).unwrap();
        assert_eq!(mixed, (vec!["hybrid".into()], vec!["X-Wing".into()], vec!["rustcrypto".into()]));
        assert_eq!(named(&["floor"]).unwrap().0, ["floor"]);
        let unknown = named(&["ML-KEM-76"]).unwrap_err();
        assert!(unknown.contains("did you mean \"ML-KEM-768\""), "{unknown}");
    }

    #[test]
    fn finds_suites_with_matching_cases() {
        let laboratory = Laboratory::new(WorkerProgram::pqlab("none"));
        let filters = Filters { algorithms: vec!["X-Wing".into()], ..Filters::default() };
        let with = laboratory.suites_with(&filters);
        assert!(with.contains(&"hybrid".to_owned()) && !with.contains(&"hash".to_owned()), "{with:?}");
    }
}
