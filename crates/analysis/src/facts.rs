//! Facts about a library other than its speed. Each fact names its source and the date on which the source was read.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Value of a fact for which no source was found. It does not mean "none".
pub const NOT_FOUND: &str = "not found";

/// Facts about a library, summarized from statements by its authors and others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryFacts {
    /// Name of the library: its provider id without the code path.
    pub library: String,
    /// Substrings that the version in a run's environment must contain for the facts to apply.
    pub versions: Vec<String>,
    /// Packages that contain the library, with their versions.
    pub packages: BTreeMap<String, String>,
    /// Newest published version; `None` for this project's own code.
    #[serde(default)]
    pub newest: Option<Newest>,
    /// Name prefixes of the C or assembly archives from which the library is linked.
    #[serde(default)]
    pub archives: Vec<String>,
    /// Owner of the code.
    pub whose: String,
    /// Whether the library is this project's own code, which is not recommended.
    pub own: bool,
    /// Language of the measured code: `C and assembly`.
    pub language: String,
    /// License of the library.
    pub licence: String,
    /// Maturity of the library, according to its authors.
    pub maturity: String,
    /// Statement on whether the linked version is a validated cryptographic module (FIPS 140-3).
    pub validation: String,
    /// Statement of the library's authors about constant-time code.
    pub constant_time: String,
    /// Algorithms for which this version does not use some CPU features.
    #[serde(default)]
    pub slower_paths: Vec<SlowerPath>,
    /// Code of other projects that the library contains. Figures published for that code are compared with it.
    #[serde(default)]
    pub contains: Vec<ContainedCode>,
    /// Sources of the facts.
    pub sources: Vec<Source>,
}

/// Newest published version of a library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Newest {
    /// The version; `None` if it is the linked version.
    #[serde(default)]
    pub version: Option<String>,
    /// How to measure the newest version; `None` if it is the linked version.
    #[serde(default)]
    pub to_measure: Option<String>,
    /// Date on which the package registry was read: `2026-11-28`.
    pub looked_at: String,
}

/// Algorithms for which a library ignores CPU features, although other implementations of these algorithms use them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowerPath {
    /// Prefixes of the names of the algorithms: `ML-KEM-`.
    pub algorithms: Vec<String>,
    /// Features that the CPU must have, named as in `/proc/cpuinfo`.
    pub cpu_has: Vec<String>,
    /// Feature that the CPU must lack; `None` if no feature must be absent.
    #[serde(default)]
    pub cpu_lacks: Option<String>,
    /// Code that the library runs on such a CPU: `portable C code`.
    pub runs: String,
}

/// Code of another project inside a library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContainedCode {
    /// Name of the project, as in the published figures: `s2n-bignum`.
    pub library: String,
    /// Prefixes of the names of the algorithms that use the code: `ML-KEM-`.
    pub algorithms: Vec<String>,
}

/// Source of one or more facts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Names of the facts that the source supports: `whose`, `language`, `licence`, `maturity`, `validation`,
    /// `constant_time`, `slower_paths`, `contains`.
    pub of: Vec<String>,
    /// Address of the source.
    pub url: String,
    /// Date on which the source was read: `2026-11-23`.
    pub looked_at: String,
}

impl Source {
    /// Lists the facts that the source supports, as reports name them: `authors, constant time`.
    pub fn subjects(&self) -> String {
        let name = |fact: &String| match fact.as_str() {
            "whose" => "authors".to_owned(),
            "contains" => "code inside".to_owned(),
            fact => fact.replace('_', " "),
        };
        self.of.iter().map(name).collect::<Vec<_>>().join(", ")
    }
}

impl SlowerPath {
    /// Describes the algorithms, the code and the processors: `ML-KEM-*: portable C code on processors with avx2`.
    pub fn text(&self) -> String {
        let algorithms: Vec<String> = self.algorithms.iter().map(|prefix| format!("{prefix}*")).collect();
        let lacks = self.cpu_lacks.as_ref().map_or_else(String::new, |feature| format!(" and without {feature}"));
        format!("{}: {} on processors with {}{lacks}", algorithms.join(", "), self.runs, self.cpu_has.join(", "))
    }
}

impl LibraryFacts {
    /// Returns whether the facts apply to the version that a run names.
    pub fn are_of(&self, version: &str) -> bool {
        self.versions.iter().all(|part| version.contains(part.as_str()))
    }
}

/// Returns the facts about all libraries. The build collects them from the `facts.json` in each library's folder.
pub fn facts() -> &'static [LibraryFacts] {
    static ALL: OnceLock<Vec<LibraryFacts>> = OnceLock::new();
    let read = || serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/facts.json")));
    ALL.get_or_init(|| read().expect("facts.json must be valid for every library"))
}

/// Returns the facts about a library. Returns `None` for a library that the user loaded, and for `null`, which is not a
/// library.
pub fn facts_of(library: &str) -> Option<&'static LibraryFacts> {
    facts().iter().find(|facts| facts.library == library)
}

/// Returns whether a code path is this project's own code, which is measured but not ranked.
pub(crate) fn is_own(provider: &str) -> bool {
    let library = provider.split(':').next().unwrap_or(provider);
    facts_of(library).is_some_and(|facts| facts.own)
}

/// Formats the name of a code path for tables. This project's own code is marked.
pub(crate) fn shown(provider: &str) -> String {
    if is_own(provider) { format!("{provider} (own)") } else { provider.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the facts that need a source, by name.
    fn sourced(facts: &LibraryFacts) -> [(&'static str, &str); 8] {
        let (slower, inside) = (facts.slower_paths.first(), facts.contains.first());
        [
            ("whose", &facts.whose),
            ("language", &facts.language),
            ("licence", &facts.licence),
            ("maturity", &facts.maturity),
            ("validation", &facts.validation),
            ("constant_time", &facts.constant_time),
            ("slower_paths", slower.map_or(NOT_FOUND, |path| &path.runs)),
            ("contains", inside.map_or(NOT_FOUND, |code| &code.library)),
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
            assert_eq!(one.newest.is_none(), one.own, "{}", one.library);
            if let Some(newest) = &one.newest {
                assert_eq!(newest.version.is_some(), newest.to_measure.is_some(), "{}", one.library);
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
        let providers = std::fs::read_to_string("../providers/src/lib.rs").unwrap();
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

    /// A different version may have a different license, certificate or claims.
    #[test]
    fn facts_match_the_linked_versions() {
        let lock = std::fs::read_to_string("../../Cargo.lock").unwrap();
        for one in facts() {
            assert!(!one.packages.is_empty(), "{}", one.library);
            for (name, version) in &one.packages {
                let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
                assert!(
                    lock.contains(&entry),
                    "{name} is no longer {version}: look up the facts about {} again",
                    one.library
                );
            }
        }
    }
}
