//! A run and what its samples say.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::samples::Samples;
use crate::store::open_read_only;
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::answer::answer;
use pqlab_lab::analysis::comparison::Judged;
use pqlab_lab::analysis::findings::{Findings, findings};
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::analysis::tables::tables;
use pqlab_lab::record::Run;
use pqlab_lab::report::charts::{Chart, named, of_area};
use pqlab_lab::report::schema::Document;
use pqlab_lab::report::{ExportOptions, bundle::bundle, exporters_with};
use pqlab_lab::store::Store;
use pqlab_lab::{Destination, LabError, Margin, compare_analyses};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Measured>()
}

/// A run with its samples. Figures are made of them anew at each call.
#[pyclass(frozen, module = "pqlab._pqlab")]
pub(crate) struct Measured {
    run: Run,
}

impl Measured {
    pub(crate) fn of(run: Run) -> Measured {
        Measured { run }
    }

    pub(crate) fn run(&self) -> &Run {
        &self.run
    }
}

#[pymethods]
impl Measured {
    #[getter]
    fn id(&self) -> &str {
        &self.run.header.id
    }

    #[getter]
    fn complete(&self) -> bool {
        self.run.complete
    }

    /// The ids of its finished cases.
    #[getter]
    fn cases(&self) -> Vec<String> {
        self.run.records.iter().map(|record| record.case.id()).collect()
    }

    /// Environment, rules, results and tables: the document that `pqlab export --format json` writes.
    fn document(&self, py: Python<'_>) -> Answer<String> {
        detached(py, || {
            let analysis = RunAnalysis::of(&self.run);
            let tables = tables(&analysis, &RelayScenario::default());
            serde_json::to_string(&Document::of(&analysis, false, &tables))
                .map_err(|error| Failure::new(Kind::Internal, error.to_string()))
        })
    }

    /// What the run found, and the sentences that say so.
    fn findings(&self, py: Python<'_>) -> Answer<String> {
        detached(py, || {
            let analysis = RunAnalysis::of(&self.run);
            let found = findings(&analysis);
            Ok(said(&found, &answer(&analysis, &found)).to_string())
        })
    }

    /// Every picture as `[name, title, what it shows in words, SVG]`.
    fn charts(&self, py: Python<'_>) -> Answer<Vec<(String, String, String, String)>> {
        detached(py, || {
            let analysis = RunAnalysis::of(&self.run);
            let mut charts = named(&analysis);
            for area in analysis.areas() {
                charts.extend(of_area(&analysis, area));
            }
            let parts = |Chart { name, title, about, svg }: Chart| (name, title, about, svg);
            Ok(charts.into_iter().map(parts).collect())
        })
    }

    /// The wall time of one operation in ns, for every sample of a case that counts, in the order in which they were taken.
    fn samples(&self, py: Python<'_>, case: &str) -> Answer<Samples> {
        detached(py, || {
            let ids = self.cases();
            let found = self.run.records.iter().zip(&ids).find(|(_, id)| *id == case);
            let (record, _) = found.ok_or_else(|| LabError::no_case_of_run(&self.run.header.id, case, &ids))?;
            let samples = &record.samples;
            Ok(Samples::of(samples.visits.iter().flat_map(|visit| samples.ns_per_operation(visit)).collect()))
        })
    }

    /// The run in an export format.
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        table: Option<String>,
        digits: Option<usize>,
        provider: Option<String>,
    ) -> Answer<Bound<'py, PyBytes>> {
        let bytes = detached(py, || {
            let options = ExportOptions { digits, provider, table, ..ExportOptions::default() };
            let mut bytes = Vec::new();
            self.write(format, &options, &mut bytes)?;
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes the run with all samples to a file, which is there once it is whole.
    fn save(&self, py: Python<'_>, file: PathBuf) -> Answer<()> {
        detached(py, || {
            let mut bytes = Vec::new();
            self.write("json-samples", &ExportOptions::default(), &mut bytes)?;
            put(&file, &bytes)
        })
    }

    /// Writes the report into a folder, and gives the path of its page.
    fn report(&self, py: Python<'_>, folder: PathBuf) -> Answer<PathBuf> {
        detached(py, || {
            let analysis = RunAnalysis::of(&self.run);
            let files = bundle(&analysis, &[], &RelayScenario::default())
                .map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
            for (name, content) in &files {
                let path = folder.join(name);
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error.to_string()))?;
                }
                put(&path, content)?;
            }
            Ok(folder.join("index.html"))
        })
    }

    /// This run against another that was measured later: verdicts as `pqlab compare --json` gives them.
    fn compare(
        &self,
        py: Python<'_>,
        other: &Measured,
        margin: Option<f64>,
        metric: &str,
        database: Option<&str>,
    ) -> Answer<String> {
        detached(py, || {
            let judged = match metric {
                "auto" => Judged::Auto,
                "time" => Judged::Time,
                "cycles" => Judged::Cycles,
                _ => return Err(Failure::argument("metric", format!("{metric:?} is none of auto, time, cycles"))),
            };
            if let Some(pct) = margin {
                pqlab_lab::check_percentage("margin", pct)?;
            }
            let margin = margin.map(|pct| Margin { pct, source: "margin".into() });
            let store = open_read_only(database).or_else(|_| Store::in_memory())?;
            let (first, second) = (RunAnalysis::of(&self.run), RunAnalysis::of(&other.run));
            Ok(compare_analyses(&store, &first, &second, margin.as_ref(), judged)?.to_json().to_string())
        })
    }
}

impl Measured {
    fn write(&self, format: &str, options: &ExportOptions, out: &mut dyn Write) -> Answer<()> {
        let all = exporters_with(options);
        let names: Vec<&str> = all.iter().map(|exporter| exporter.name()).collect();
        let unknown = || {
            Failure::new(
                Kind::UnknownName,
                format!("no export format is called {format:?}: there are {}", names.join(", ")),
            )
        };
        let exporter = all.iter().find(|exporter| exporter.name() == format).ok_or_else(unknown)?;
        exporter
            .export(&RunAnalysis::of(&self.run), out)
            .map_err(|error| Failure::new(Kind::InvalidArgument, error.to_string()))
    }
}

fn put(path: &Path, content: &[u8]) -> Answer<()> {
    // A dash is a file like any other here, and not standard output.
    let named = if path == Path::new("-") { Path::new("./-") } else { path };
    let written = || {
        let (writing, mut file) = Destination::of(named)?.create()?;
        file.write_all(content)?;
        writing.keep(&mut file)
    };
    written().map_err(|error| unwritable(path, &error.to_string()))
}

fn unwritable(path: &Path, reason: &str) -> Failure {
    Failure::new(Kind::Store, format!("{}: {reason}", path.display())).advising("fix its rights, or name another one")
}

fn said(found: &Findings, answers: &[String]) -> Value {
    let recommendations = found.recommendations.iter().map(|of| {
        json!({
            "use_case": of.use_case, "algorithm": of.algorithm, "provider": of.provider, "figure": of.figure,
            "interval": of.interval, "rate": of.rate, "what": of.what, "why": of.why, "tied": of.tied,
        })
    });
    let costs = found.costs.iter().map(|of| {
        json!({
            "what": of.what, "post_quantum": of.post_quantum, "classical": of.classical,
            "factor": of.time.estimate, "factor_ci": [of.time.low, of.time.high], "told_apart": of.told_apart,
            "bytes": of.bytes,
        })
    });
    let caveats = found.caveats.iter().map(|of| json!({"count": of.count, "what": of.what, "details": of.details}));
    json!({
        "answers": answers,
        "recommendations": recommendations.collect::<Vec<_>>(),
        "costs": costs.collect::<Vec<_>>(),
        "caveats": caveats.collect::<Vec<_>>(),
    })
}
