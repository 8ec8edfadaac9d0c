//! Compares two libraries. The plan contains only cases that both libraries offer. A run measures both cases of a pair
//! in the same rounds.

use crate::planning::plan::Plan;
use crate::verifying::defects;
use crate::{
    Filters, LabError, Laboratory, LibrarySpec, Margin, ProtocolOverrides, Select, Suite, Thing, compare_stored,
    matches, prefer,
};
use pqlab_analysis::comparison::{Comparison, Judged};
use pqlab_primitives::Provider;
use pqlab_record::{Case, Environment, ProviderBuild};
use pqlab_store::Store;
use pqlab_workloads::CaseOptions;
use serde::Serialize;
use std::collections::HashSet;

/// Length in bytes of the messages in [`shared_operations`].
const MESSAGE: u64 = 32;

/// One side of a library comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// Id of a provider that is linked into this build.
    Linked(String),
    /// A shared library to load.
    Loaded(LibrarySpec),
}

impl Side {
    /// Makes the ids of the two sides different: if they are equal, appends a number to the labels of loaded libraries.
    /// The ids stay equal if both sides are the same linked provider.
    pub fn apart(sides: [Side; 2]) -> [Side; 2] {
        if sides[0].id() != sides[1].id() {
            return sides;
        }
        let mut number = 0;
        sides.map(|side| match side {
            Side::Linked(id) => Side::Linked(id),
            Side::Loaded(library) => {
                number += 1;
                Side::Loaded(LibrarySpec { label: format!("{}-{number}", library.label), ..library })
            }
        })
    }

    /// Returns the provider's id.
    pub fn id(&self) -> &str {
        match self {
            Side::Linked(id) => id,
            Side::Loaded(library) => &library.label,
        }
    }

    /// Returns the library to load for this side; `None` if it is linked in.
    pub fn library(&self) -> Option<&LibrarySpec> {
        match self {
            Side::Linked(_) => None,
            Side::Loaded(library) => Some(library),
        }
    }
}

/// Description of one of the two libraries in a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedLibrary {
    /// The provider's id.
    pub id: String,
    /// The library's version.
    pub version: String,
    /// Build of the library as text, with its file if it was loaded.
    pub build: String,
    /// Known defects, each with the affected algorithms and operations.
    pub known_defects: Vec<String>,
    /// KEMs and signature schemes that the other library does not offer. These are not compared.
    pub only_here: Vec<String>,
}

impl ComparedLibrary {
    /// Returns lines to print: one for the library, one for each known defect, and
    /// [`missing_elsewhere`](Self::missing_elsewhere).
    pub fn lines(&self) -> Vec<String> {
        let build = if self.build.is_empty() { String::new() } else { format!(" ({})", self.build) };
        let library = format!("{}: {}{build}", self.id, self.version);
        let defect = |what: &String| format!("{}: known defect: {what}", self.id);
        std::iter::once(library).chain(self.known_defects.iter().map(defect)).chain(self.missing_elsewhere()).collect()
    }

    /// Returns one line with the algorithms that the other library does not offer; `None` if there are none.
    pub fn missing_elsewhere(&self) -> Option<String> {
        let names = self.only_here.join(", ");
        (!names.is_empty()).then(|| format!("{}: offered only by this library, so not compared: {names}", self.id))
    }
}

/// Returns whether both sides are library files with the same contents.
pub fn same_file(sides: &[Side; 2]) -> bool {
    let [first, second] = [&sides[0], &sides[1]].map(|side| std::fs::read(&side.library()?.path).ok());
    first.is_some() && first == second
}

/// Returns the default suite for comparisons: KEMs and signatures with prepared keys and 32-byte messages.
pub fn shared_operations() -> Suite {
    let select = |workload: &str| Select {
        workload: workload.to_owned(),
        forms: vec!["prepared".to_owned()],
        options: CaseOptions { lengths: Some(vec![MESSAGE]), ..CaseOptions::default() },
        ..Select::default()
    };
    Suite {
        name: "libraries".to_owned(),
        about: String::new(),
        libraries: Vec::new(),
        protocol: ProtocolOverrides::default(),
        select: vec![select("kem"), select("signature")],
        builtin: true,
    }
}

/// Compares the second side with the first, from a stored run that measured both.
///
/// # Errors
/// Same as [`compare_stored`].
pub fn compare_sides(
    store: &Store,
    run: &str,
    sides: &[Side; 2],
    margin: Option<&Margin>,
    judged: Judged,
) -> Result<Comparison, LabError> {
    let [first, second] = [&sides[0], &sides[1]].map(|side| format!("*@{}", side.id()));
    compare_stored(store, Some(run), &first, &second, margin, judged)
}

impl Laboratory {
    /// Describes both sides: version and build according to the run's environment, known defects, and algorithms that
    /// only one side offers. If `algorithms` is not empty, leaves out algorithms that match none of these patterns.
    pub fn compared_libraries(
        &self,
        environment: &Environment,
        sides: &[Side; 2],
        algorithms: &[String],
    ) -> [ComparedLibrary; 2] {
        let offered = |side: &Side| self.registry().providers().iter().find(|provider| provider.id() == side.id());
        [(&sides[0], &sides[1]), (&sides[1], &sides[0])].map(|(side, other)| {
            let only_here = match (offered(side), offered(other)) {
                (Some(provider), Some(other)) => missing_in(other, provider, algorithms),
                _ => Vec::new(),
            };
            let build = environment.providers.iter().find(|build| build.id == side.id());
            let provider = self.registry().providers().iter().find(|provider| provider.id() == side.id());
            ComparedLibrary {
                id: side.id().to_owned(),
                version: build.map_or_else(|| "unknown version".to_owned(), |build| build.version.clone()),
                build: build.map(ProviderBuild::origin).unwrap_or_default(),
                known_defects: provider.map(|provider| defects::of_library(provider)).unwrap_or_default(),
                only_here,
            }
        })
    }

    /// Parses one side of a comparison: the id of a provider in this build, or a library to load
    /// (`[LABEL=]KIND:PATH`).
    ///
    /// # Errors
    /// - [`LabError::Unknown`] if no provider has this id.
    /// - [`LabError::Invalid`] if the library's specification is malformed.
    /// - [`LabError::Invalid`] if `text` names a library with several code paths. The error lists the ids to choose
    ///   from.
    pub fn side(&self, text: &str) -> Result<Side, LabError> {
        let providers = self.registry().providers();
        if providers.iter().any(|provider| provider.id() == text) {
            return Ok(Side::Linked(text.to_owned()));
        }
        let paths: Vec<String> =
            providers.iter().filter(|provider| provider.library == text).map(|provider| provider.id()).collect();
        match (paths.as_slice(), text.contains(':')) {
            ([only], _) => Ok(Side::Linked(only.clone())),
            ([_, _, ..], _) => {
                let reason = format!("{text} has several code paths; choose one of {}", paths.join(", "));
                Err(LabError::invalid("library", reason))
            }
            ([], true) => match text.parse() {
                Ok(library) => Ok(Side::Loaded(library)),
                Err(wrong) => Err(LabError::invalid("library", format!("{wrong}"))),
            },
            ([], false) => {
                let ids: Vec<String> = providers.iter().map(|provider| provider.id()).collect();
                Err(LabError::unknown(Thing::Library, text, ids.iter().map(String::as_str)))
            }
        }
    }

    /// Parses both sides, loads their libraries, and returns the laboratory with the two sides. Also loads the `given`
    /// libraries, and every library that suites name (`named`) unless its label is already in use.
    ///
    /// # Errors
    /// Errors from [`side`](Self::side) and [`with_libraries`](Self::with_libraries); [`LabError::Invalid`] if both
    /// sides are the same.
    pub fn of_two(
        self,
        [first, second]: [&str; 2],
        given: Vec<LibrarySpec>,
        named: Vec<LibrarySpec>,
    ) -> Result<(Laboratory, [Side; 2]), LabError> {
        let sides = Side::apart([self.side(first)?, self.side(second)?]);
        if sides[0].id() == sides[1].id() {
            let id = sides[0].id();
            let reason = format!("both sides are {id}; name a different library, or another file of the same library");
            return Err(LabError::invalid("library", reason));
        }
        let loaded = sides.iter().filter_map(Side::library).cloned();
        let libraries = prefer(loaded.chain(given).collect(), named);
        Ok((self.with_libraries(libraries)?, sides))
    }

    /// Calls [`plan_of_two`](Self::plan_of_two) for the suites, areas and algorithms named by `words`. If `words` is
    /// empty, plans the [`shared_operations`].
    ///
    /// # Errors
    /// Errors from [`named`](Self::named) and [`plan_of_two`](Self::plan_of_two).
    pub fn plan_of_words(
        &self,
        words: &[String],
        filters: Filters,
        overrides: &ProtocolOverrides,
        sides: &[Side; 2],
        note: &mut dyn FnMut(&str),
    ) -> Result<Plan, LabError> {
        let named = self.named(words)?;
        named.notes.iter().for_each(|text| note(text));
        let filters = named.narrow(filters);
        let suites = if words.is_empty() { vec![shared_operations()] } else { named.suites };
        self.plan_of_two(&suites, &filters, overrides, [sides[0].id(), sides[1].id()], note)
    }

    /// Like [`plan`](Self::plan), but plans only cases that both providers offer. A run measures both cases of a pair
    /// in the same rounds.
    ///
    /// # Errors
    /// [`LabError::NothingShared`] if the providers have no selected case in common; errors from [`plan`](Self::plan).
    pub fn plan_of_two(
        &self,
        suites: &[Suite],
        filters: &Filters,
        overrides: &ProtocolOverrides,
        [first, second]: [&str; 2],
        note: &mut dyn FnMut(&str),
    ) -> Result<Plan, LabError> {
        let nothing = || LabError::NothingShared { first: first.to_owned(), second: second.to_owned() };
        let filters = Filters { providers: vec![first.to_owned(), second.to_owned()], ..filters.clone() };
        let mut plan = match self.plan(suites, &filters, overrides, note) {
            Err(LabError::NothingSelected { .. }) => return Err(nothing()),
            planned => planned?,
        };
        let ids: HashSet<String> = plan.cases.iter().map(Case::id).collect();
        let id_with = |case: &Case, provider: &str| Case { provider: provider.to_owned(), ..case.clone() }.id();
        plan.cases.retain(|case| {
            let one = case.provider == first || case.provider == second;
            case.is_overhead() || one && ids.contains(&id_with(case, first)) && ids.contains(&id_with(case, second))
        });
        match plan.cases.iter().all(Case::is_overhead) {
            true => Err(nothing()),
            false => Ok(plan),
        }
    }
}

/// Lists the KEMs and signature schemes that `provider` offers and `other` does not. If `patterns` is not empty, lists
/// only algorithms that match one of the patterns.
fn missing_in(other: &Provider, provider: &Provider, patterns: &[String]) -> Vec<String> {
    let kems = provider.kems.iter().map(|kem| &kem.info().parameters.algorithm);
    let kems = kems.filter(|name| other.kem(name).is_none());
    let schemes = provider.signatures.iter().map(|scheme| &scheme.info().parameters.algorithm);
    let schemes = schemes.filter(|name| other.signature(name).is_none());
    let wanted = |name: &String| patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, name));
    kems.chain(schemes).map(|name| name.to_string()).filter(wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkerProgram;
    use pqlab_record::FLOOR;

    fn laboratory() -> Laboratory {
        Laboratory::new(WorkerProgram::pqlab("none"))
    }

    #[test]
    fn a_side_is_a_provider_or_a_library() {
        let laboratory = laboratory();
        let side = |text: &str| laboratory.side(text).map_err(|error| error.to_string());
        assert_eq!(side("rustcrypto"), Ok(Side::Linked("rustcrypto".into())));
        assert_eq!(side("libcrux:portable"), Ok(Side::Linked("libcrux:portable".into())));
        let loaded = side("main=liboqs:/x/liboqs.so").unwrap();
        assert_eq!((loaded.id(), loaded.library().is_some()), ("main", true));
        assert!(side("keccak").unwrap_err().contains("choose one of keccak:avx512, keccak:avx2, keccak:portable"));
        assert!(side("rustcryto").unwrap_err().contains("did you mean \"rustcrypto\""));
        assert!(side("oqs:/x.so").unwrap_err().contains("[LABEL=]KIND:PATH"));
    }

    #[test]
    fn two_builds_of_one_library_get_different_names() {
        let side = |text: &str| laboratory().side(text).unwrap();
        let ids = |sides: &[Side; 2]| [sides[0].id().to_owned(), sides[1].id().to_owned()];
        let same = Side::apart([side("liboqs:/a/liboqs.so"), side("liboqs:/b/liboqs.so")]);
        assert_eq!(ids(&same), ["liboqs-liboqs.so-1", "liboqs-liboqs.so-2"]);
        let named = Side::apart([side("a=liboqs:/a.so"), side("rustcrypto")]);
        assert_eq!(ids(&named), ["a", "rustcrypto"]);
    }

    #[test]
    fn leaves_out_cases_that_only_one_library_offers() {
        let plan = |first: &str, second: &str| {
            let (suites, overrides) = ([shared_operations()], ProtocolOverrides::default());
            laboratory().plan_of_two(&suites, &Filters::default(), &overrides, [first, second], &mut |_| {})
        };
        let plan = plan("rustcrypto", "libcrux:portable").unwrap();
        let ids_of = |provider: &str| {
            let cases = plan.cases.iter().filter(|case| case.provider == provider);
            cases.map(|case| case.id().replace(provider, "")).collect::<Vec<_>>()
        };
        let (mut one, mut other) = (ids_of("rustcrypto"), ids_of("libcrux:portable"));
        one.sort();
        other.sort();
        assert_eq!(one, other);
        assert!(one.contains(&"kem/ML-KEM-768/decapsulate@".to_owned()), "{one:?}");
        assert!(one.iter().any(|id| id.starts_with("signature/ML-DSA-65/sign[len=32")), "{one:?}");
        assert!(!one.iter().any(|id| id.contains("encoded") || id.contains("ECDSA")), "{one:?}");
        let blocks: HashSet<&str> = plan.cases.iter().map(|case| case.block.as_str()).collect();
        let twice = |block: &&str| plan.cases.iter().filter(|case| case.block == *block).count() >= 2;
        assert!(blocks.into_iter().filter(|block| !block.contains(FLOOR)).all(|block| twice(&block)));
    }

    #[test]
    fn reports_that_two_libraries_share_nothing() {
        let suites = [shared_operations()];
        let filters = Filters { algorithms: vec!["ECDSA-secp256k1".into()], ..Filters::default() };
        let planned = laboratory().plan_of_two(
            &suites,
            &filters,
            &ProtocolOverrides::default(),
            ["rustcrypto", "libcrux:portable"],
            &mut |_| {},
        );
        let message = planned.unwrap_err().to_string();
        assert_eq!(message, "rustcrypto and libcrux:portable have no selected case in common");
    }
}
