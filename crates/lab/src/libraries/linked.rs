//! Libraries in this build, with everything that pqlab knows about them.

use super::catalogue::{ProviderEntry, provider_entries};
use crate::Laboratory;
use pqlab_analysis::facts::{LibraryFacts, facts};
use pqlab_verification::{KNOWN_DEFECTS, KnownDefect};
use serde::Serialize;

/// A library in this build.
#[derive(Clone, Debug, Serialize)]
pub struct LinkedLibrary {
    /// Name of the library: the provider's id without the code path.
    pub name: String,
    /// Version of the library.
    pub version: String,
    /// Providers of the library: one per code path.
    pub providers: Vec<ProviderEntry>,
    /// Defects of the code that runs on this CPU.
    pub defects: Vec<KnownDefect>,
    /// Statements of the library's authors, each with its source.
    pub facts: &'static LibraryFacts,
}

impl LinkedLibrary {
    /// Returns the largest number of algorithms that one of the providers offers.
    pub fn algorithms(&self) -> usize {
        self.providers.iter().map(|provider| provider.algorithms).max().unwrap_or_default()
    }
}

/// Returns the libraries in this build, in the order in which they are linked.
pub fn linked_libraries(laboratory: &Laboratory) -> Vec<LinkedLibrary> {
    let entries = provider_entries(laboratory);
    let library = |facts: &'static LibraryFacts| {
        let is_of = |id: &str| id.split(':').next() == Some(facts.library.as_str());
        let providers: Vec<ProviderEntry> = entries.iter().filter(|entry| is_of(&entry.id)).cloned().collect();
        let version = providers.first()?.version.clone();
        let all = laboratory.registry().providers();
        let shows = |defect: &&KnownDefect| all.iter().any(|provider| defect.is_in(provider));
        let defects = KNOWN_DEFECTS.iter().filter(|defect| defect.library == facts.library).filter(shows);
        Some(LinkedLibrary {
            name: facts.library.clone(),
            version,
            providers,
            defects: defects.copied().collect(),
            facts,
        })
    };
    facts().iter().filter_map(library).collect()
}
