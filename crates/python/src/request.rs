//! Requests from the Python package, as JSON objects. Unknown fields are errors.

use crate::errors::{Answer, Failure};
use pqlab_lab::record::RunHeader;
use pqlab_lab::{
    CaseOptions, Filters, Laboratory, LibrarySpec, Named, ProtocolOverrides, WorkerProgram, libraries_of_run,
    libraries_of_suites, prefer,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Cases to measure and measurement settings. Missing settings take their values from the suites.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Request {
    /// Program that worker processes run.
    program: PathBuf,
    /// Names of suites, areas, algorithms, providers or suite files.
    pub(crate) what: Vec<String>,
    pub(crate) algorithms: Vec<String>,
    pub(crate) providers: Vec<String>,
    /// Patterns that match case ids.
    pub(crate) filters: Vec<String>,
    over: Option<String>,
    /// Fields of [`CaseOptions`].
    options: Map<String, Value>,
    /// Fields of [`ProtocolOverrides`].
    protocol: Map<String, Value>,
    quick: bool,
    rigorous: bool,
    /// Cores to pin the workers to.
    affinity: Option<Vec<u32>>,
    pub(crate) seed: Option<u64>,
    libraries: Vec<String>,
    workers: Vec<String>,
    /// Python functions to measure.
    functions: Option<Functions>,
    /// Whether to load the libraries, and start the workers, that suite files and stored runs name.
    allow_foreign: bool,
    /// Text of the Python call, stored as the command of the run.
    pub(crate) command: String,
}

/// Python functions to measure. A process that listens on a socket runs them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Functions {
    /// Provider id of the functions.
    label: String,
    /// Path of the socket.
    socket: String,
    names: Vec<String>,
}

/// Parses JSON text.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Answer<T> {
    serde_json::from_str(text).map_err(|error| Failure::argument("request", error))
}

impl Request {
    pub(crate) fn filters(&self) -> Answer<Filters> {
        Ok(Filters {
            ids: self.filters.clone(),
            providers: self.providers.clone(),
            algorithms: self.algorithms.clone(),
            over: self.over.clone(),
            options: fields::<CaseOptions>(&self.options)?,
        })
    }

    /// Returns the requested suites and filters. Adds the Python functions to both, so that the filters do not exclude
    /// functions.
    pub(crate) fn selected(&self, laboratory: &Laboratory) -> Answer<(Named, Filters)> {
        let filters = self.filters()?;
        let Some(Functions { label, names, .. }) = &self.functions else {
            let named = laboratory.named(&self.what)?;
            let filters = named.narrow(filters);
            return Ok((named, filters));
        };
        let functions = laboratory.named(&["function".to_owned()])?;
        if self.what.is_empty() {
            return Ok((functions, Filters { options: filters.options, ..Filters::default() }));
        }
        let mut named = laboratory.named(&self.what)?;
        let mut filters = named.narrow(filters);
        named.suites.extend(functions.suites);
        let extended = [
            (&mut filters.ids, vec![format!("function/*@{label}")]),
            (&mut filters.providers, vec![label.clone()]),
            (&mut filters.algorithms, names.clone()),
        ];
        for (patterns, additions) in extended.into_iter().filter(|(patterns, _)| !patterns.is_empty()) {
            patterns.extend(additions);
        }
        Ok((named, filters))
    }

    pub(crate) fn overrides(&self) -> Answer<ProtocolOverrides> {
        let rules = fields::<ProtocolOverrides>(&self.protocol)?;
        if self.quick && self.rigorous {
            return Err(Failure::argument("quick", "cannot be combined with rigorous"));
        }
        Ok(ProtocolOverrides { affinity: self.affinity.clone(), ..rules }.or_preset(self.quick, self.rigorous))
    }

    /// Returns the laboratory with the requested libraries. If `allow_foreign` is set, adds the libraries that suite
    /// files name.
    pub(crate) fn laboratory(&self) -> Answer<Laboratory> {
        self.with(self.named_by_suites()?)
    }

    /// Like [`Request::laboratory`]. If `allow_foreign` is set, also adds the libraries that the stored run names.
    pub(crate) fn laboratory_of(&self, header: &RunHeader) -> Answer<Laboratory> {
        let named = if self.allow_foreign { libraries_of_run(header)? } else { Vec::new() };
        self.with(prefer(self.named_by_suites()?, named))
    }

    /// Returns a laboratory with only the linked libraries.
    pub(crate) fn linked(&self) -> Laboratory {
        Laboratory::new(WorkerProgram::pqlab(&self.program))
    }

    /// Returns the libraries that suite files name. Empty unless `allow_foreign` is set.
    pub(crate) fn named_by_suites(&self) -> Answer<Vec<LibrarySpec>> {
        Ok(if self.allow_foreign { libraries_of_suites(&self.what)? } else { Vec::new() })
    }

    /// Returns the requested libraries and workers. One worker serves all Python functions.
    pub(crate) fn given(&self) -> Answer<Vec<LibrarySpec>> {
        let mut libraries = Vec::new();
        for text in &self.libraries {
            libraries.push(text.parse().map_err(|error| Failure::argument("libraries", error))?);
        }
        for text in &self.workers {
            libraries.push(LibrarySpec::worker(text).map_err(|error| Failure::argument("workers", error))?);
        }
        if let Some(Functions { label, socket, .. }) = &self.functions {
            let spec = LibrarySpec::worker(&format!("{label}={socket}"));
            libraries.push(spec.map_err(|error| Failure::argument("label", error))?);
        }
        Ok(libraries)
    }

    fn with(&self, named: Vec<LibrarySpec>) -> Answer<Laboratory> {
        let libraries = prefer(self.given()?, named);
        if libraries.is_empty() { Ok(self.linked()) } else { Ok(self.linked().with_libraries(libraries)?) }
    }
}

/// Parses the fields one by one, so that an error names the invalid field.
fn fields<T: DeserializeOwned>(given: &Map<String, Value>) -> Answer<T> {
    for (name, value) in given {
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<T>(Value::Object(alone)).map_err(|error| Failure::argument(name, error))?;
    }
    serde_json::from_value(Value::Object(given.clone())).map_err(|error| Failure::argument("request", error))
}
