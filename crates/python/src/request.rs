//! What a call asks for, as the package hands it over: an object of JSON, of which every field is known.

use crate::errors::{Answer, Failure};
use pqlab_lab::record::RunHeader;
use pqlab_lab::{
    CaseOptions, Filters, Laboratory, LibrarySpec, Named, ProtocolOverrides, WorkerProgram, instead, libraries_of_run,
    libraries_of_suites,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Selects cases, and says how they are measured. Whatever is left out is left to the suites.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Request {
    /// The program of the workers.
    program: PathBuf,
    /// Suites, areas, algorithms, providers, files of suites.
    pub(crate) what: Vec<String>,
    pub(crate) algorithms: Vec<String>,
    pub(crate) providers: Vec<String>,
    /// Patterns of ids.
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
    /// Functions of the interpreter that calls.
    functions: Option<Functions>,
    /// Whether files of suites may name libraries too.
    allow_foreign: bool,
    /// How the call would be written again.
    pub(crate) command: String,
}

/// Functions of the interpreter that calls, behind a socket.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Functions {
    /// The provider that they are.
    label: String,
    /// The path of the socket.
    socket: String,
    names: Vec<String>,
}

/// Reads a text of JSON.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Answer<T> {
    serde_json::from_str(text).map_err(|error| Failure::argument("request", error))
}

impl Request {
    /// What is selected.
    pub(crate) fn filters(&self) -> Answer<Filters> {
        Ok(Filters {
            ids: self.filters.clone(),
            providers: self.providers.clone(),
            algorithms: self.algorithms.clone(),
            over: self.over.clone(),
            options: fields::<CaseOptions>(&self.options)?,
        })
    }

    /// What is measured: the suites that words name, with what is selected of them, and functions beside it, whatever the filters
    /// leave of the rest.
    pub(crate) fn selected(&self, laboratory: &Laboratory) -> Answer<(Named, Filters)> {
        let filters = self.filters()?;
        let Some(Functions { label, names, .. }) = &self.functions else {
            let named = laboratory.named(&self.what)?;
            let filters = named.narrow(filters);
            return Ok((named, filters));
        };
        let of_functions = laboratory.named(&["function".to_owned()])?;
        if self.what.is_empty() {
            return Ok((of_functions, Filters { options: filters.options, ..Filters::default() }));
        }
        let mut named = laboratory.named(&self.what)?;
        let mut filters = named.narrow(filters);
        named.suites.extend(of_functions.suites);
        let besides = [
            (&mut filters.ids, vec![format!("function/*@{label}")]),
            (&mut filters.providers, vec![label.clone()]),
            (&mut filters.algorithms, names.clone()),
        ];
        for (patterns, own) in besides.into_iter().filter(|(patterns, _)| !patterns.is_empty()) {
            patterns.extend(own);
        }
        Ok((named, filters))
    }

    /// How it is measured.
    pub(crate) fn overrides(&self) -> Answer<ProtocolOverrides> {
        let own = fields::<ProtocolOverrides>(&self.protocol)?;
        if self.quick && self.rigorous {
            return Err(Failure::argument("quick", "a run is either quick or rigorous, not both"));
        }
        Ok(ProtocolOverrides { affinity: self.affinity.clone(), ..own }.or_preset(self.quick, self.rigorous))
    }

    /// Everything that can be measured, with the libraries that were asked for.
    pub(crate) fn laboratory(&self) -> Answer<Laboratory> {
        self.with(self.named_by_suites()?)
    }

    /// Likewise with the libraries with which a run was measured, where that is allowed.
    pub(crate) fn laboratory_of(&self, header: &RunHeader) -> Answer<Laboratory> {
        let named = if self.allow_foreign { libraries_of_run(header)? } else { Vec::new() };
        self.with(instead(self.named_by_suites()?, named))
    }

    /// What is linked in.
    pub(crate) fn linked(&self) -> Laboratory {
        Laboratory::new(WorkerProgram::pqlab(&self.program))
    }

    /// What files of suites name, where that is allowed.
    pub(crate) fn named_by_suites(&self) -> Answer<Vec<LibrarySpec>> {
        Ok(if self.allow_foreign { libraries_of_suites(&self.what)? } else { Vec::new() })
    }

    /// The libraries and workers that were asked for.
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
        let libraries = instead(self.given()?, named);
        if libraries.is_empty() { Ok(self.linked()) } else { Ok(self.linked().with_libraries(libraries)?) }
    }
}

/// Reads fields each by itself, so that an error can say which it was.
fn fields<T: DeserializeOwned>(given: &Map<String, Value>) -> Answer<T> {
    for (name, value) in given {
        let alone = Map::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<T>(Value::Object(alone)).map_err(|error| Failure::argument(name, error))?;
    }
    serde_json::from_value(Value::Object(given.clone())).map_err(|error| Failure::argument("request", error))
}
