//! In which language the code of a provider is written, what runs it and of which version it is: of what was not linked in by the
//! environment of its run, of linked libraries by what is [known](crate::facts::facts_of) of them.

mod table;

pub(crate) use table::languages;

use crate::facts::facts_of;
use crate::run::RunAnalysis;
use pqlab_record::{Environment, ProviderBuild};

/// What a program in another language is loaded as.
const WORKER: &str = "worker";
/// Whatever is written in part in assembly is written in something else too.
const WITH_ASSEMBLY: &str = " and assembly";
/// Words of languages with the names by which people know them.
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

/// What a provider is written in, run by and a version of; of a pair what both halves are, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Language {
    /// The language as people read it: `Go`, `C and assembly`; `None` where it is not known.
    pub name: Option<String>,
    /// The language by which providers are grouped, in which assembly does not count: `Go`, `C`.
    pub group: Option<String>,
    /// The word that files carry for what was not linked in, of a pair of the first such half: `go`; `None` for what was.
    pub word: Option<String>,
    /// What runs it, with its version; `None` where nothing does.
    pub runtime: Option<String>,
    /// The library's version; `None` where the run does not say it.
    pub version: Option<String>,
    /// The shared library or the program; `None` for what was linked in.
    pub file: Option<String>,
    /// Whether it, or a half of it, is a program of its own.
    pub is_worker: bool,
}

impl Language {
    /// What is known of a provider of a run with this environment.
    pub fn of(environment: &Environment, provider: &str) -> Language {
        let mut found = Language::default();
        for part in provider.split('+') {
            let library = part.split(':').next().unwrap_or(part);
            let named = |id: &str| environment.providers.iter().find(|build| build.id == id);
            let build = named(part).or_else(|| named(library));
            let loaded = build.and_then(|build| build.library.as_ref());
            let word = build.and_then(|build| build.language.as_deref());
            // A loaded library may have the name of another, of which the facts are.
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

    /// Whether a label says the language already.
    fn is_said_by(&self, label: &str) -> bool {
        let said = |text: &Option<String>| text.as_ref().is_some_and(|text| text.eq_ignore_ascii_case(label));
        said(&self.group) || said(&self.word)
    }

    /// `fast (Go)`, `openssl (C)`, and `go` alone.
    pub fn beside(&self, label: &str) -> String {
        match &self.group {
            Some(group) if !self.is_said_by(label) => format!("{label} ({group})"),
            _ => label.to_owned(),
        }
    }
}

impl RunAnalysis<'_> {
    /// What is known of a provider of the run.
    pub fn language(&self, provider: &str) -> Language {
        Language::of(&self.run.header.environment, provider)
    }

    /// Whether some of the cases are of programs in other languages.
    pub fn has_workers(&self) -> bool {
        self.providers.iter().any(|provider| self.language(provider).is_worker)
    }

    /// The provider with the language of one that is a program of its own: `go (Go)`, `openssl`.
    pub fn by(&self, provider: &str) -> String {
        let language = self.language(provider);
        match &language.group {
            Some(group) if language.is_worker => format!("{provider} ({group})"),
            _ => provider.to_owned(),
        }
    }
}

/// The language that people call so: `javascript` is JavaScript. A word that is not known is its own name.
pub fn display_name(word: &str) -> String {
    let known = NAMES.iter().find(|(known, _)| *known == word).map(|(_, name)| (*name).to_owned());
    known.unwrap_or_else(|| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    })
}

fn is_worker(build: &ProviderBuild) -> bool {
    build.library.as_ref().is_some_and(|library| library.kind == WORKER)
}

/// With another part behind a plus, where it does not stand there.
fn join(whole: &mut Option<String>, part: Option<&str>) {
    let Some(part) = part.filter(|part| !part.is_empty()) else { return };
    match whole {
        Some(whole) if whole.split(" + ").any(|known| known == part) => {}
        Some(whole) => whole.push_str(&format!(" + {part}")),
        None => *whole = Some(part.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn every_provider_has_its_language_run_time_and_version() {
        let run = fixtures::workers_run();
        let of = |provider: &str| Language::of(&run.header.environment, provider);
        let go = of("go");
        assert_eq!((go.name.as_deref(), go.group.as_deref(), go.word.as_deref()), (Some("Go"), Some("Go"), Some("go")));
        assert_eq!((go.runtime.as_deref(), go.version.as_deref()), (Some("go1.26.8"), Some("crypto/mlkem go1.26.8")));
        assert!(go.is_worker && go.file.as_deref() == Some("/opt/workers/go"));
        let openssl = of("openssl");
        assert_eq!((openssl.name.as_deref(), openssl.group.as_deref()), (Some("C and assembly"), Some("C")));
        assert!(!openssl.is_worker && openssl.word.is_none() && openssl.runtime.is_none() && openssl.file.is_none());
        assert_eq!(of("libcrux:avx2").group.as_deref(), Some("Rust"));
        let loaded = of("branch");
        assert_eq!((loaded.word.as_deref(), loaded.is_worker), (Some("c"), false));
        assert_eq!(of("null"), Language::default());
    }

    #[test]
    fn a_pair_is_what_its_halves_are_each_once() {
        let run = fixtures::workers_run();
        let of = |provider: &str| Language::of(&run.header.environment, provider);
        assert_eq!(of("openssl+liboqs").group.as_deref(), Some("C"));
        let mixed = of("openssl+libcrux:avx2");
        assert_eq!((mixed.name.as_deref(), mixed.word), (Some("C and assembly + Rust"), None));
        let with = of("openssl+script");
        assert_eq!((with.group.as_deref(), with.word.as_deref()), (Some("C + JavaScript"), Some("javascript")));
        assert!(with.is_worker);
        assert_eq!(of("branch+go").word.as_deref(), Some("c"), "the first that was not linked in");
    }

    #[test]
    fn a_label_that_is_the_language_is_not_said_twice() {
        let run = fixtures::workers_run();
        let analysis = RunAnalysis::of(&run);
        let beside = |provider: &str| analysis.language(provider).beside(provider);
        assert_eq!(
            ["go", "script", "openssl", "null"].map(beside),
            ["go", "script (JavaScript)", "openssl (C)", "null"]
        );
        assert_eq!(
            ["go", "script", "openssl"].map(|one| analysis.by(one)),
            ["go (Go)", "script (JavaScript)", "openssl"]
        );
        assert!(analysis.has_workers() && !RunAnalysis::of(&fixtures::libraries_run()).has_workers());
    }

    #[test]
    fn a_language_of_which_nobody_has_heard_has_its_word_for_a_name() {
        assert_eq!(["c", "javascript", "nim", ""].map(display_name), ["C", "JavaScript", "Nim", ""]);
    }
}
