//! What is known of a library beside its speed, each fact with where it is said and when that was looked at.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What stands where no source was found. It does not say that there is nothing.
pub const NOT_FOUND: &str = "not found";

/// What its authors and others say of a library, in our words.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryFacts {
    /// Its name: a provider's, without its backend.
    pub library: String,
    /// Of which version, as a run's environment names it: each of these is a part of that text.
    pub versions: Vec<String>,
    /// The packages that bring it, with their versions.
    pub packages: BTreeMap<String, String>,
    /// The archives of C or assembly that it is linked from, by the beginnings of their names.
    #[serde(default)]
    pub archives: Vec<String>,
    /// Whose code it is.
    pub whose: String,
    /// Whether it is this project's own code, which is not recommended as a library.
    pub own: bool,
    /// In which language the code that is measured is written: `C and assembly`.
    pub language: String,
    /// Under which licence it comes.
    pub licence: String,
    /// How mature its authors say that it is.
    pub maturity: String,
    /// Whether the version that is linked is a validated cryptographic module (FIPS 140-3).
    pub validation: String,
    /// What its authors say of time that does not depend on secrets.
    pub constant_time: String,
    /// Where that is said.
    pub sources: Vec<Source>,
}

/// Where something is said.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Which facts: `whose`, `language`, `licence`, `maturity`, `validation`, `constant_time`.
    pub of: Vec<String>,
    /// Where.
    pub url: String,
    /// When it was looked at: `2026-11-23`.
    pub looked_at: String,
}

impl LibraryFacts {
    /// Whether they were looked up for the version that a run names.
    pub fn are_of(&self, version: &str) -> bool {
        self.versions.iter().all(|known| version.contains(known.as_str()))
    }
}

/// What is known of all libraries, from the file `facts.json` of each one's folder, which the build collects.
pub fn facts() -> &'static [LibraryFacts] {
    static ALL: OnceLock<Vec<LibraryFacts>> = OnceLock::new();
    let read = || serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/facts.json")));
    ALL.get_or_init(|| read().expect("a test has read the files that are compiled in"))
}

/// What is known of a library; `None` for one that was loaded from elsewhere, and for `null`, which is none.
pub fn facts_of(library: &str) -> Option<&'static LibraryFacts> {
    facts().iter().find(|facts| facts.library == library)
}

/// Whether a code path is of this project's own code, which stands beside the libraries and is not ranked among them.
pub(crate) fn is_own(provider: &str) -> bool {
    let library = provider.split(':').next().unwrap_or(provider);
    facts_of(library).is_some_and(|facts| facts.own)
}

/// What tables call a code path: with a word where it is of this project's own code.
pub(crate) fn shown(provider: &str) -> String {
    if is_own(provider) { format!("{provider} (own)") } else { provider.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The facts of a library that have sources.
    fn sourced(of: &LibraryFacts) -> [(&'static str, &str); 6] {
        [
            ("whose", &of.whose),
            ("language", &of.language),
            ("licence", &of.licence),
            ("maturity", &of.maturity),
            ("validation", &of.validation),
            ("constant_time", &of.constant_time),
        ]
    }

    #[test]
    fn every_fact_names_its_source_or_says_that_none_was_found() {
        for of in facts() {
            for source in &of.sources {
                assert!(source.url.starts_with("https://") && !source.of.is_empty(), "{source:?}");
                let date: Vec<usize> = source.looked_at.split('-').map(str::len).collect();
                assert_eq!(date, [4, 2, 2], "{source:?}");
                for fact in &source.of {
                    let known = sourced(of).into_iter().find(|(name, _)| name == fact);
                    assert!(known.is_some_and(|(_, says)| says != NOT_FOUND), "{}: {fact}", of.library);
                }
            }
            for (fact, says) in sourced(of) {
                let has = of.sources.iter().any(|source| source.of.iter().any(|name| name == fact));
                assert!(
                    !says.is_empty() && (has || says == NOT_FOUND || of.own),
                    "{} has no source of {fact}",
                    of.library
                );
            }
        }
    }

    #[test]
    fn every_library_has_facts_and_null_is_none() {
        let names: Vec<&str> = facts().iter().map(|of| of.library.as_str()).collect();
        let providers =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../providers/src/lib.rs")).unwrap();
        let table = providers.lines().filter(|line| line.contains("\" => "));
        let linked: Vec<&str> = table.filter_map(|line| line.split('"').nth(1)).collect();
        assert!(linked.len() >= 10);
        assert_eq!(names, linked);
        assert_eq!(
            facts().iter().filter(|of| of.own).map(|of| of.library.as_str()).collect::<Vec<_>>(),
            ["keccak", "mldsa-batch"]
        );
        assert!(facts_of("null").is_none());
        let known = ["C", "C and assembly", "Rust", "Rust and assembly", "assembly"];
        facts().iter().for_each(|of| assert!(known.contains(&of.language.as_str()), "{}: {}", of.library, of.language));
    }

    /// A library of another version may have another licence, another certificate, other claims.
    #[test]
    fn facts_are_of_the_versions_that_are_linked() {
        let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock")).unwrap();
        for of in facts() {
            assert!(!of.packages.is_empty(), "{}", of.library);
            for (name, version) in &of.packages {
                let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
                assert!(
                    lock.contains(&entry),
                    "{name} is not {version} any more: look up what is said of {}",
                    of.library
                );
            }
        }
    }
}
