//! Language, runtime and version of a provider's code. For loaded libraries and programs, they come from the run's
//! environment; for linked libraries, from the [facts](crate::facts::facts_of).

mod table;

pub(crate) use table::languages;

use crate::facts::facts_of;
use crate::run::RunAnalysis;
use pqlab_record::{Environment, ProviderBuild};

/// Kind of loaded library that identifies a program in another language.
const WORKER: &str = "worker";
/// Suffix for libraries that are partly written in assembly.
const WITH_ASSEMBLY: &str = " and assembly";
/// Keywords for languages, with their display names.
const NAMES: [(&str, &str); 12] = [
    ("c", "C"),
    ("cpp", "C++"),
    ("csharp", "C#"),
    ("go", "Go"),
    ("java", "Java"),
    ("javascript", "JavaScript"),
    ("kotlin", "Kotlin"),
    ("ocaml", "OCaml"),
    ("python", "Python"),
    ("rust", "Rust"),
    ("swift", "Swift"),
    ("zig", "Zig"),
];

/// Language, runtime and version of a provider. A pair lists the values of both halves without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Language {
    /// Display name of the language: `Go`, `C and assembly`; `None` if unknown.
    pub name: Option<String>,
    /// Language without the suffix for assembly, by which providers are grouped: `Go`, `C`.
    pub group: Option<String>,
    /// Keyword for the language in files: `go`. A pair has the keyword of its first loaded half. `None` for linked
    /// code.
    pub word: Option<String>,
    /// Runtime with its version; `None` if there is none.
    pub runtime: Option<String>,
    /// Version of the library; `None` if the run does not name it.
    pub version: Option<String>,
    /// Path of the shared library or program; `None` for linked code.
    pub file: Option<String>,
    /// Whether the provider, or one half of a pair, is a separate program.
    pub is_worker: bool,
}

impl Language {
    /// Returns the language of a provider in a run with this environment.
    pub fn find(environment: &Environment, provider: &str) -> Language {
        let mut found = Language::default();
        for part in provider.split('+') {
            let library = part.split(':').next().unwrap_or(part);
            let named = |id: &str| environment.providers.iter().find(|build| build.id == id);
            let build = named(part).or_else(|| named(library));
            let loaded = build.and_then(|build| build.library.as_ref());
            let word = build.and_then(|build| build.language.as_deref());
            // Use the facts only for linked libraries, because a loaded library may have the name of a linked one.
            let linked = || facts_of(library).filter(|_| loaded.is_none()).map(|facts| facts.language.clone());
            let name = word.map(display_name).or_else(linked);
            join(&mut found.group, name.as_deref().map(|name| name.strip_suffix(WITH_ASSEMBLY).unwrap_or(name)));
            join(&mut found.name, name.as_deref());
            join(&mut found.runtime, build.and_then(|build| build.runtime.as_deref()));
            join(&mut found.version, build.map(|build| build.version.as_str()));
            join(&mut found.file, loaded.map(|library| library.path.as_str()));
            found.word = found.word.or_else(|| word.map(str::to_owned));
            found.is_worker |= build.is_some_and(is_worker);
        }
        found
    }

    /// Returns whether a label equals the name or keyword of the language, ignoring case.
    fn is_named_by(&self, label: &str) -> bool {
        let equals_label = |text: &Option<String>| text.as_ref().is_some_and(|text| text.eq_ignore_ascii_case(label));
        equals_label(&self.group) || equals_label(&self.word)
    }

    /// Adds the language to a label: `fast (Go)`, `openssl (C)`, but `go` alone.
    pub fn label(&self, label: &str) -> String {
        match &self.group {
            Some(group) if !self.is_named_by(label) => format!("{label} ({group})"),
            _ => label.to_owned(),
        }
    }
}

impl RunAnalysis<'_> {
    /// Returns the language of a provider in the run.
    pub fn language(&self, provider: &str) -> Language {
        Language::find(&self.run.header.environment, provider)
    }

    /// Returns whether any case comes from a program in another language.
    pub fn has_workers(&self) -> bool {
        self.providers.iter().any(|provider| self.language(provider).is_worker)
    }

    /// Names a provider, with its language if it is a separate program: `go (Go)`, `openssl`.
    pub fn by(&self, provider: &str) -> String {
        let language = self.language(provider);
        match &language.group {
            Some(group) if language.is_worker => format!("{provider} ({group})"),
            _ => provider.to_owned(),
        }
    }
}

/// Returns the display name of a language: `JavaScript` for `javascript`. An unknown keyword is capitalized.
pub fn display_name(word: &str) -> String {
    let name = NAMES.iter().find(|(known, _)| *known == word).map(|(_, name)| (*name).to_owned());
    name.unwrap_or_else(|| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    })
}

fn is_worker(build: &ProviderBuild) -> bool {
    build.library.as_ref().is_some_and(|library| library.kind == WORKER)
}

/// Appends `part` after a plus sign, unless `whole` already lists it.
fn join(whole: &mut Option<String>, part: Option<&str>) {
    let Some(part) = part.filter(|part| !part.is_empty()) else { return };
    match whole {
        Some(whole) if whole.split(" + ").any(|other| other == part) => {}
        Some(whole) => whole.push_str(&format!(" + {part}")),
        None => *whole = Some(part.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn every_provider_has_its_language_runtime_and_version() {
        let run = fixtures::workers_run();
        let language = |provider: &str| Language::find(&run.header.environment, provider);
        let go = language("go");
        assert_eq!((go.name.as_deref(), go.group.as_deref(), go.word.as_deref()), (Some("Go"), Some("Go"), Some("go")));
        assert_eq!((go.runtime.as_deref(), go.version.as_deref()), (Some("go1.26.8"), Some("crypto/mlkem go1.26.8")));
        assert!(go.is_worker && go.file.as_deref() == Some("/opt/workers/go"));
        let openssl = language("openssl");
        assert_eq!((openssl.name.as_deref(), openssl.group.as_deref()), (Some("C and assembly"), Some("C")));
        assert!(!openssl.is_worker && openssl.word.is_none() && openssl.runtime.is_none() && openssl.file.is_none());
        assert_eq!(language("libcrux:avx2").group.as_deref(), Some("Rust"));
        let loaded = language("branch");
        assert_eq!((loaded.word.as_deref(), loaded.is_worker), (Some("c"), false));
        assert_eq!(language("null"), Language::default());
    }

    #[test]
    fn a_pair_lists_its_halves_without_duplicates() {
        let run = fixtures::workers_run();
        let language = |provider: &str| Language::find(&run.header.environment, provider);
        assert_eq!(language("openssl+liboqs").group.as_deref(), Some("C"));
        let mixed = language("openssl+libcrux:avx2");
        assert_eq!((mixed.name.as_deref(), mixed.word), (Some("C and assembly + Rust"), None));
        let with = language("openssl+script");
        assert_eq!((with.group.as_deref(), with.word.as_deref()), (Some("C + JavaScript"), Some("javascript")));
        assert!(with.is_worker);
        assert_eq!(language("branch+go").word.as_deref(), Some("c"), "the first loaded half must give the keyword");
    }

    #[test]
    fn a_label_that_names_the_language_is_not_repeated() {
        let run = fixtures::workers_run();
        let analysis = RunAnalysis::new(&run);
        let labelled = |provider: &str| analysis.language(provider).label(provider);
        assert_eq!(
            ["go", "script", "openssl", "null"].map(labelled),
            ["go", "script (JavaScript)", "openssl (C)", "null"]
        );
        assert_eq!(
            ["go", "script", "openssl"].map(|one| analysis.by(one)),
            ["go (Go)", "script (JavaScript)", "openssl"]
        );
        assert!(analysis.has_workers() && !RunAnalysis::new(&fixtures::libraries_run()).has_workers());
    }

    #[test]
    fn an_unknown_language_is_named_by_its_word() {
        assert_eq!(["c", "javascript", "nim", ""].map(display_name), ["C", "JavaScript", "Nim", ""]);
    }
}
