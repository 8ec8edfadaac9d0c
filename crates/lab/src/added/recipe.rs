//! Recipes: where the source of a library is, and how to build it.

use crate::{LabError, Thing};
use pqlab_foreign::LibraryKind;
use serde::Deserialize;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Returns the recipe and the script with this name.
macro_rules! recipe {
    ($name:literal) => {
        (include_str!(concat!("recipes/", $name, ".toml")), include_str!(concat!("recipes/", $name, ".sh")))
    };
}
/// The recipes, each with the script that builds the library.
const SOURCES: [(&str, &str); 14] = [
    recipe!("boringssl"),
    recipe!("botan"),
    recipe!("fn-dsa"),
    recipe!("frodo-kem"),
    recipe!("hqc-kem"),
    recipe!("liboqs"),
    recipe!("lms-signature"),
    recipe!("mldsa-native"),
    recipe!("mlkem-native"),
    recipe!("openssl"),
    recipe!("sntrup"),
    recipe!("sqisign-rs"),
    recipe!("wolfssl"),
    recipe!("xmss"),
];

static RECIPES: LazyLock<Vec<Recipe>> = LazyLock::new(|| SOURCES.into_iter().map(read).collect());

/// How to get and build a library.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the library.
    pub name: String,
    /// Description in one line.
    pub about: String,
    /// Licence, as an SPDX expression.
    pub licence: String,
    /// The project's own site.
    pub homepage: Option<String>,
    /// Keyword of the [`LibraryKind`] that opens the result.
    pub(super) kind: String,
    /// Path of the result, relative to the folder that the script fills.
    pub(super) file: PathBuf,
    /// Programs that the script calls. `CC` and `CXX` replace `cc` and `c++`.
    pub requires: Vec<String>,
    /// Versions that can be built without a folder of sources, the default first.
    #[serde(default, rename = "version")]
    pub versions: Vec<RecipeVersion>,
    #[serde(skip)]
    pub(super) script: &'static str,
}

/// A version of a library whose source is in a crate.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeVersion {
    /// Name of the version in a request: `3.5`.
    pub name: String,
    /// Full version of the library: `3.5.4`.
    pub full: String,
    /// Crate that contains the source.
    #[serde(rename = "crate")]
    pub crate_name: String,
    /// Version of the crate.
    pub crate_version: String,
    /// SHA-256 of the crate, as cargo records it.
    pub(super) sha256: String,
    /// Folder of the source in the crate.
    pub(super) folder: PathBuf,
}

/// Returns all recipes, sorted by name.
pub fn recipes() -> &'static [Recipe] {
    &RECIPES
}

#[allow(clippy::expect_used)]
fn read((text, script): (&str, &'static str)) -> Recipe {
    let recipe: Recipe = toml::from_str(text).expect("a test reads all recipes");
    Recipe { script, ..recipe }
}

impl Recipe {
    /// Finds the recipe and the version that `NAME[@VERSION]` names. The default version is the first one; `None` if the
    /// recipe has none.
    pub(super) fn find(text: &str) -> Result<(&'static Recipe, Option<&'static RecipeVersion>), LabError> {
        let (name, version) = text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
        let names = || recipes().iter().map(|recipe| recipe.name.as_str());
        let recipe = recipes().iter().find(|recipe| recipe.name == name);
        let recipe =
            recipe.ok_or_else(|| LabError::unknown_of_few(Thing::Recipe, name, &names().collect::<Vec<_>>()))?;
        let Some(version) = version else { return Ok((recipe, recipe.versions.first())) };
        let known = || recipe.versions.iter().map(|known| known.name.as_str());
        let found = recipe.versions.iter().find(|known| known.name == version || known.full == version);
        found
            .map(|found| (recipe, Some(found)))
            .ok_or_else(|| LabError::unknown_of_few(Thing::Version, version, &known().collect::<Vec<_>>()))
    }

    pub(super) fn kind(&self) -> Option<LibraryKind> {
        LibraryKind::parse(&self.kind)
    }

    /// Checks that all programs that the script calls are installed.
    pub(super) fn check_programs(&self) -> Result<(), LabError> {
        let missing: Vec<String> =
            self.requires.iter().map(|name| program(name)).filter(|name| !is_on_path(name)).collect();
        match missing.is_empty() {
            true => Ok(()),
            false => {
                let reason = format!("building {} requires {}: install and add to PATH", self.name, missing.join(", "));
                Err(LabError::invalid("library", reason))
            }
        }
    }
}

/// Returns the C or C++ compiler that the user chose with `CC` or `CXX` in place of `cc` or `c++`. Returns other names
/// unchanged.
pub(super) fn program(name: &str) -> String {
    let variable = match name {
        "cc" => "CC",
        "c++" => "CXX",
        _ => return name.to_owned(),
    };
    env::var(variable).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| name.to_owned())
}

/// Returns whether a program is in a folder of `PATH`, or exists if the name is a path.
pub(super) fn is_on_path(name: &str) -> bool {
    if name.contains('/') {
        return Path::new(name).is_file();
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| Path::new(&folder).join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::super::source::check;
    use super::*;

    #[test]
    fn recipes_are_complete_and_sorted() {
        assert!(recipes().is_sorted_by(|one, other| one.name < other.name));
        for recipe in recipes() {
            assert!(recipe.kind().is_some_and(|kind| kind != LibraryKind::Nist), "{}", recipe.name);
            assert!(recipe.file.is_relative() && !recipe.script.trim().is_empty(), "{}", recipe.name);
            assert!(recipe.requires.iter().all(|name| !name.contains('/')), "{}", recipe.name);
            for version in &recipe.versions {
                assert_eq!(hex::decode(&version.sha256).unwrap().len(), 32, "{}", recipe.name);
                let named = format!("{}@{}", recipe.name, version.name);
                assert_eq!(Recipe::find(&named).unwrap().1, Some(version));
            }
        }
    }

    #[test]
    fn rust_workers_are_locked_to_the_recipes_crates() {
        let lock = include_str!("../../../../workers/rust/Cargo.lock");
        let uses_cargo = |recipe: &&Recipe| recipe.requires.iter().any(|program| program == "cargo");
        for recipe in recipes().iter().filter(uses_cargo) {
            let [version] = &recipe.versions[..] else { panic!("{} must have one version", recipe.name) };
            assert_eq!(check(version, lock), Ok(()), "{}", recipe.name);
        }
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        let error = Recipe::find("no-such-library").unwrap_err().to_string();
        assert!(error.starts_with("unknown library \"no-such-library\"; expected one of "), "{error}");
    }
}
