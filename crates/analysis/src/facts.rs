//! Facts about a library other than its speed, each with its source and the date when the source was read.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Value of a fact without a source. It does not mean that the answer is "none".
pub const NOT_FOUND: &str = "not found";

/// Facts about a library, summarized from its authors and others.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryFacts {
    /// Provider name without its backend.
    pub library: String,
    /// Version that the facts apply to: substrings of the version text in a run's environment.
    pub versions: Vec<String>,
    /// Packages that contain it, with their versions.
    pub packages: BTreeMap<String, String>,
    /// C or assembly archives that it is linked from, by the start of their names.
    #[serde(default)]
    pub archives: Vec<String>,
    /// Owner of the code.
    pub whose: String,
    /// Whether it is this project's own code, which is not recommended as a library.
    pub own: bool,
    /// Language of the code that is measured: `C and assembly`.
    pub language: String,
    /// Its licence.
    pub licence: String,
    /// Its maturity, according to its authors.
    pub maturity: String,
    /// Whether the linked version is a validated cryptographic module (FIPS 140-3).
    pub validation: String,
    /// What its authors say about constant-time code.
    pub constant_time: String,
    /// Sources of the facts.
    pub sources: Vec<Source>,
}

/// Source of one or more facts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Names of the facts: `whose`, `language`, `licence`, `maturity`, `validation`, `constant_time`.
    pub of: Vec<String>,
    /// Its address.
    pub url: String,
    /// Date when it was read: `2026-11-23`.
    pub looked_at: String,
}

impl LibraryFacts {
    /// Whether the facts were collected for the version that a run names.
    pub fn are_of(&self, version: &str) -> bool {
        self.versions.iter().all(|part| version.contains(part.as_str()))
    }
}

/// Facts of all libraries, from the `facts.json` in each library's folder, which the build collects.
pub fn facts() -> &'static [LibraryFacts] {
    static ALL: OnceLock<Vec<LibraryFacts>> = OnceLock::new();
    let read = || serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/facts.json")));
    ALL.get_or_init(|| read().expect("a test has read the files that are compiled in"))
}

/// Facts of a library; `None` for one that was loaded from elsewhere, and for `null`, which is not a library.
pub fn facts_of(library: &str) -> Option<&'static LibraryFacts> {
    facts().iter().find(|facts| facts.library == library)
}

/// Whether a code path is this project's own code, which is measured next to the libraries but not ranked.
pub(crate) fn is_own(provider: &str) -> bool {
    let library = provider.split(':').next().unwrap_or(provider);
    facts_of(library).is_some_and(|facts| facts.own)
}

/// Name of a code path in tables: marked if it is this project's own code.
pub(crate) fn shown(provider: &str) -> String {
    if is_own(provider) { format!("{provider} (own)") } else { provider.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Facts that need a source.
    fn sourced(facts: &LibraryFacts) -> [(&'static str, &str); 6] {
        [
            ("whose", &facts.whose),
            ("language", &facts.language),
            ("licence", &facts.licence),
            ("maturity", &facts.maturity),
            ("validation", &facts.validation),
            ("constant_time", &facts.constant_time),
        ]
    }

    #[test]
    fn every_fact_has_a_source_or_is_not_found() {
        for one in facts() {
            for source in &one.sources {
                assert!(source.url.starts_with("https://") && !source.of.is_empty(), "{source:?}");
                let date: Vec<usize> = source.looked_at.split('-').map(str::len).collect();
                assert_eq!(date, [4, 2, 2], "{source:?}");
                for fact in &source.of {
                    let entry = sourced(one).into_iter().find(|(name, _)| name == fact);
                    assert!(entry.is_some_and(|(_, says)| says != NOT_FOUND), "{}: {fact}", one.library);
                }
            }
            for (fact, says) in sourced(one) {
                let has = one.sources.iter().any(|source| source.of.iter().any(|name| name == fact));
                assert!(
                    !says.is_empty() && (has || says == NOT_FOUND || one.own),
                    "{} has no source for {fact}",
                    one.library
                );
            }
        }
    }

    #[test]
    fn every_library_but_null_has_facts() {
        let names: Vec<&str> = facts().iter().map(|one| one.library.as_str()).collect();
        let providers =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../providers/src/lib.rs")).unwrap();
        let table = providers.lines().filter(|line| line.contains("\" => "));
        let linked: Vec<&str> = table.filter_map(|line| line.split('"').nth(1)).collect();
        assert!(linked.len() >= 10);
        assert_eq!(names, linked);
        assert_eq!(
            facts().iter().filter(|one| one.own).map(|one| one.library.as_str()).collect::<Vec<_>>(),
            ["keccak", "mldsa-batch"]
        );
        assert!(facts_of("null").is_none());
        let known = ["C", "C and assembly", "Rust", "Rust and assembly", "assembly"];
        facts()
            .iter()
            .for_each(|one| assert!(known.contains(&one.language.as_str()), "{}: {}", one.library, one.language));
    }

    /// Another version may have another licence, another certificate, other claims.
    #[test]
    fn facts_match_the_linked_versions() {
        let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock")).unwrap();
        for one in facts() {
            assert!(!one.packages.is_empty(), "{}", one.library);
            for (name, version) in &one.packages {
                let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
                assert!(
                    lock.contains(&entry),
                    "{name} is not {version} any more: look up the facts of {} again",
                    one.library
                );
            }
        }
    }
}
