//! Identity of a build. A run records only the coordinator's build, so every worker must come from the same build.

use crate::environment;
use pqlab_record::{Build, ProviderBuild};
use serde::{Deserialize, Serialize};

/// Prefix of the entry names that describe providers.
const PROVIDER: &str = "provider ";

/// Identity of the program's build: version, compilers, flags, commit, and the version and code paths of every
/// provider. All processes in a run must have equal builds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildId(Vec<(String, String)>);

impl BuildId {
    /// Returns this process's build, including the given providers.
    pub fn compute(providers: &[ProviderBuild]) -> BuildId {
        let Build { version, rustc, cc, profile, target, flags, commit } = environment::build();
        let known = [
            ("pqlab", Some(version)),
            ("commit", commit),
            ("rustc", Some(rustc)),
            ("cc", cc),
            ("profile", Some(profile)),
            ("target", Some(target)),
            ("flags", flags),
        ];
        let own = known.into_iter().map(|(part, value)| (part.to_owned(), value.unwrap_or_default()));
        let provider = |provider: &ProviderBuild| {
            (format!("{PROVIDER}{}", provider.id), format!("{} {}", provider.version, provider.build).trim().to_owned())
        };
        BuildId(own.chain(providers.iter().map(provider)).collect())
    }

    /// Returns the build without its providers. Their code paths depend on the processor's features, and valgrind
    /// emulates a different processor.
    pub fn without_providers(mut self) -> BuildId {
        self.0.retain(|(part, _)| !part.starts_with(PROVIDER));
        self
    }

    /// Returns the part of this build to compare with `other`. Excludes the providers if `other` contains none.
    pub fn as_requested_by(self, other: &BuildId) -> BuildId {
        if other.0.iter().any(|(part, _)| part.starts_with(PROVIDER)) { self } else { self.without_providers() }
    }

    /// Describes the first difference from another build. Returns `None` if the builds are equal.
    pub fn difference(&self, other: &BuildId) -> Option<String> {
        let value =
            |of: &BuildId, part: &str| of.0.iter().find(|(known, _)| known == part).map(|(_, value)| value.clone());
        let quoted = |value: Option<String>| value.map_or_else(|| "missing".to_owned(), |value| format!("{value:?}"));
        let parts = self.0.iter().chain(&other.0).map(|(part, _)| part);
        let differs = |part: &&String| value(self, part) != value(other, part);
        let Some(part) = parts.into_iter().find(differs) else {
            return (self != other).then(|| "the builds list their parts in different orders".to_owned());
        };
        let (theirs, ours) = (quoted(value(other, part)), quoted(value(self, part)));
        Some(format!("{part} is {theirs} there, but {ours} in this program"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider(id: &str, version: &str) -> ProviderBuild {
        ProviderBuild { id: id.into(), version: version.into(), ..ProviderBuild::default() }
    }

    #[test]
    fn builds_differ_if_any_part_differs() {
        let ours = BuildId::compute(&[provider("liboqs", "0.13.0")]);
        assert_eq!(ours.difference(&BuildId::compute(&[provider("liboqs", "0.13.0")])), None);
        let newer = BuildId::compute(&[provider("liboqs", "0.14.0")]);
        let difference = |ours: &BuildId, theirs: &BuildId| ours.difference(theirs).unwrap();
        assert_eq!(difference(&ours, &newer), r#"provider liboqs is "0.14.0" there, but "0.13.0" in this program"#);
        let without = BuildId::compute(&[]);
        assert_eq!(difference(&ours, &without), r#"provider liboqs is missing there, but "0.13.0" in this program"#);
        assert_eq!(difference(&without, &ours), r#"provider liboqs is "0.13.0" there, but missing in this program"#);
        assert!(ours.difference(&BuildId::default()).unwrap().starts_with("pqlab is missing"));
    }

    #[test]
    fn compares_providers_if_both_builds_name_them() {
        let (with, without) = (BuildId::compute(&[provider("a", "1")]), BuildId::compute(&[]));
        assert_eq!(with.clone().without_providers(), without);
        assert_eq!(with.clone().as_requested_by(&without), without);
        assert_eq!(with.clone().as_requested_by(&BuildId::compute(&[provider("b", "1")])), with);
    }

    #[test]
    fn the_order_of_providers_counts() {
        let pair = [provider("a", "1"), provider("b", "1")];
        let [a, b] = pair.clone();
        assert!(BuildId::compute(&pair).difference(&BuildId::compute(&[b, a])).is_some());
    }
}
