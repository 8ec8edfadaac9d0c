//! A run and its analysis.

use crate::errors::{Answer, Failure, Kind, detached};
use crate::input::Whole;
use crate::samples::Samples;
use crate::store::open_read_only;
use pqlab_lab::analysis::RunAnalysis;
use pqlab_lab::analysis::answer::answer;
use pqlab_lab::analysis::comparison::Judged;
use pqlab_lab::analysis::findings::{CostSide, Findings, findings, unit_words};
use pqlab_lab::analysis::libraries::JobWeights;
use pqlab_lab::analysis::ntor::RelayScenario;
use pqlab_lab::analysis::published::compare_published;
use pqlab_lab::analysis::tables::tables;
use pqlab_lab::record::{Run, Unit, Visits};
use pqlab_lab::report::bundle::{File, bundle};
use pqlab_lab::report::charts::{Chart, named, of_area};
use pqlab_lab::report::document::describe_run;
use pqlab_lab::report::terminal::{Detail, Palette, chosen_cases, show_run};
use pqlab_lab::report::{ExportOptions, Names, exporter_with};
use pqlab_lab::store::Store;
use pqlab_lab::{Destination, LabError, Margin, compare_analyses, compare_cases};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Measured>()
}

/// A run with its samples, and the job and relay scenario that the tables assume. Every method recomputes the figures.
#[pyclass(frozen, module = "pqlab._pqlab")]
pub(crate) struct Measured {
    run: Arc<Run>,
    job: JobWeights,
    scenario: RelayScenario,
}

impl Measured {
    pub(crate) fn new(run: Run) -> Measured {
        Measured { run: Arc::new(run), job: JobWeights::default(), scenario: RelayScenario::default() }
    }

    pub(crate) fn run(&self) -> &Run {
        &self.run
    }

    fn analysis(&self) -> RunAnalysis<'_> {
        RunAnalysis::new(&self.run).with_job(self.job)
    }
}

/// Parses a job and a relay scenario. `None` selects the default.
pub(crate) fn assumed(
    job: Option<&str>,
    scenario: Option<(f64, Vec<String>, f64)>,
) -> Answer<(JobWeights, RelayScenario)> {
    let job = job.map(str::parse).transpose().map_err(|error| Failure::argument("job", error))?;
    let scenario = match scenario {
        Some((circuits, links, rtt)) => {
            RelayScenario::new(circuits, &links, rtt).map_err(|error| Failure::argument("links", error))?
        }
        None => RelayScenario::default(),
    };
    Ok((job.unwrap_or_default(), scenario))
}

/// Parses the metric that comparisons of cases use: `auto`, `time` or `cycles`.
pub(crate) fn judged(metric: &str) -> Answer<Judged> {
    match metric {
        "auto" => Ok(Judged::Auto),
        "time" => Ok(Judged::Time),
        "cycles" => Ok(Judged::Cycles),
        _ => Err(Failure::argument("metric", format!("{metric:?} is not one of auto, time, cycles"))),
    }
}

/// Checks a margin in percent, if given.
pub(crate) fn margin(pct: Option<f64>) -> Answer<Option<Margin>> {
    pct.map_or(Ok(()), |pct| pqlab_lab::check_percentage("margin", pct))?;
    Ok(pct.map(|pct| Margin { pct, source: "margin".into() }))
}

/// Writes the files of a report into a folder and returns the path of `index.html`.
pub(crate) fn put_report(folder: &Path, files: &[File]) -> Answer<PathBuf> {
    for (name, content) in files {
        put_file(folder, name, content)?;
    }
    Ok(folder.join("index.html"))
}

/// Writes a file below a folder and creates missing folders.
pub(crate) fn put_file(folder: &Path, name: &str, content: &[u8]) -> Answer<()> {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error.to_string()))?;
    }
    put(&path, content)
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

    /// Ids of the finished cases.
    #[getter]
    fn cases(&self) -> Vec<String> {
        self.run.records.iter().map(|record| record.case.id()).collect()
    }

    /// Returns the output of `pqlab export --format json`: environment, rules, results and tables.
    fn document(&self, py: Python<'_>) -> Answer<String> {
        detached(py, || {
            let analysis = self.analysis();
            let tables = tables(&analysis, &self.scenario);
            serde_json::to_string(&describe_run(&analysis, false, &tables))
                .map_err(|error| Failure::new(Kind::Internal, error.to_string()))
        })
    }

    /// Returns the findings as JSON: `answers` (sentences), `recommendations`, `costs` and `caveats`.
    fn findings(&self, py: Python<'_>) -> Answer<String> {
        detached(py, || {
            let analysis = self.analysis();
            let found = findings(&analysis);
            Ok(findings_json(&found, &answer(&analysis, &found)).to_string())
        })
    }

    /// Returns every picture as `(name, title, description, SVG)`.
    fn charts(&self, py: Python<'_>) -> Answer<Vec<(String, String, String, String)>> {
        detached(py, || {
            let analysis = self.analysis();
            let mut charts = named(&analysis);
            for area in analysis.areas() {
                charts.extend(of_area(&analysis, area));
            }
            let parts = |Chart { name, title, about, svg }: Chart| (name, title, about, svg);
            Ok(charts.into_iter().map(parts).collect())
        })
    }

    /// Returns the usable samples of a case in the order of measurement, each as wall time per operation in ns.
    fn samples(&self, py: Python<'_>, case: &str) -> Answer<Samples> {
        detached(py, || {
            let ids = self.cases();
            let found = self.run.records.iter().zip(&ids).find(|(_, id)| *id == case);
            let (record, _) = found.ok_or_else(|| LabError::no_case_of_run(&self.run.header.id, case, &ids))?;
            // Select the same visits as for the run's figures.
            let visits = record.samples.values(Unit::Nanoseconds, Visits::Usable).unwrap_or_default();
            Ok(Samples::new(visits.into_iter().flat_map(|(_, samples)| samples).collect()))
        })
    }

    /// Returns the same run with a different job and relay scenario (circuits per second, links, round-trip time in
    /// ms).
    fn assuming(&self, job: Option<&str>, scenario: Option<(f64, Vec<String>, f64)>) -> Answer<Measured> {
        let (job, scenario) = assumed(job, scenario)?;
        Ok(Measured { run: Arc::clone(&self.run), job, scenario })
    }

    /// Returns the output of `pqlab show` without colors: the whole run, or full details of the cases that match a
    /// pattern.
    fn show(&self, py: Python<'_>, case: Option<&str>, wide: bool, width: Whole<usize>) -> Answer<String> {
        detached(py, || {
            let (analysis, plain) = (self.analysis(), Palette { colour: false });
            let detail = if wide { Detail::Wide } else { Detail::Short };
            let Some(pattern) = case else { return Ok(show_run(&analysis, &self.scenario, detail, width.0, plain)) };
            let shown = chosen_cases(&analysis, &|id| pqlab_lab::matches(pattern, id), width.0, plain);
            if shown.is_empty() {
                return Err(LabError::no_case_of_run(&self.run.header.id, pattern, &self.cases()).into());
            }
            Ok(shown.join("\n"))
        })
    }

    /// Returns the run in an export format, and notes for the user.
    fn export<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        table: Option<String>,
        digits: Option<usize>,
        provider: Option<String>,
        names: &str,
    ) -> Answer<(Bound<'py, PyBytes>, Vec<String>)> {
        let names = match names {
            "ids" => Names::Ids,
            "reference" => Names::Reference,
            _ => return Err(Failure::argument("names", format!("{names:?} is not one of ids, reference"))),
        };
        let (bytes, notes) = detached(py, || {
            let options = ExportOptions { digits, provider, table, names, scenario: self.scenario.clone() };
            self.written(format, &options)
        })?;
        Ok((PyBytes::new(py, &bytes), notes))
    }

    /// Writes the run with all samples to a file. The file appears only when it is complete.
    fn save(&self, py: Python<'_>, file: PathBuf) -> Answer<()> {
        detached(py, || {
            let (bytes, _) = self.written("json-samples", &ExportOptions::default())?;
            put(&file, &bytes)
        })
    }

    /// Writes the report into a folder and returns the path of `index.html`.
    fn report(&self, py: Python<'_>, folder: PathBuf) -> Answer<PathBuf> {
        detached(py, || {
            let files = bundle(&self.analysis(), &[], &self.scenario)
                .map_err(|error| Failure::new(Kind::Internal, error.to_string()))?;
            put_report(&folder, &files)
        })
    }

    /// Compares a later run with this one. Returns the output of `pqlab compare --json`.
    fn compare(
        &self,
        py: Python<'_>,
        other: &Measured,
        margin: Option<f64>,
        metric: &str,
        database: Option<&str>,
    ) -> Answer<String> {
        detached(py, || {
            let (margin, judged) = (self::margin(margin)?, self::judged(metric)?);
            let store = open_read_only(database).or_else(|_| Store::in_memory())?;
            let (first, second) = (RunAnalysis::new(&self.run), RunAnalysis::new(&other.run));
            Ok(compare_analyses(&store, &first, &second, margin.as_ref(), judged)?.to_json().to_string())
        })
    }

    /// Compares pairs of cases of this run. Two cases form a pair if the stars in both patterns match the same text.
    fn compare_cases(
        &self,
        py: Python<'_>,
        first: &str,
        second: &str,
        margin: Option<f64>,
        metric: &str,
    ) -> Answer<String> {
        detached(py, || {
            let (margin, judged) = (self::margin(margin)?, self::judged(metric)?);
            Ok(compare_cases(&self.run, first, second, margin.as_ref(), judged)?.to_json().to_string())
        })
    }

    /// Compares the run with published figures. Returns the output of `pqlab compare --published --json`.
    fn compare_published(&self, py: Python<'_>, all_cpus: bool) -> Answer<String> {
        detached(py, || Ok(compare_published(&self.analysis(), all_cpus).to_json().to_string()))
    }
}

impl Measured {
    fn written(&self, format: &str, options: &ExportOptions) -> Answer<(Vec<u8>, Vec<String>)> {
        let exporter = exporter_with(format, options)?;
        let analysis = self.analysis();
        let mut bytes = Vec::new();
        exporter.export(&analysis, &mut bytes)?;
        Ok((bytes, exporter.notes(&analysis)))
    }
}

fn put(path: &Path, content: &[u8]) -> Answer<()> {
    // A dash is an ordinary file name here, not standard output.
    let named = if path == Path::new("-") { Path::new("./-") } else { path };
    let write = || {
        let (writing, mut file) = Destination::new(named)?.create()?;
        file.write_all(content)?;
        writing.keep(&mut file)
    };
    write().map_err(|error| unwritable(path, &error.to_string()))
}

fn unwritable(path: &Path, reason: &str) -> Failure {
    Failure::new(Kind::Store, format!("{}: {reason}", path.display())).advising("check the path and its permissions")
}

fn findings_json(found: &Findings, answers: &[String]) -> Value {
    let recommendations = found.recommendations.iter().map(|best| {
        json!({
            "use_case": best.use_case, "algorithm": best.algorithm, "provider": best.provider, "figure": best.figure,
            "interval": best.interval, "rate": best.rate, "cases": best.cases, "what": best.what, "why": best.why,
            "tied": best.tied,
        })
    });
    let side = |side: &CostSide| json!([side.algorithm, side.providers, side.time]);
    let costs = found.costs.iter().map(|cost| {
        json!({
            "what": cost.what, "post_quantum": side(&cost.post_quantum), "classical": side(&cost.classical),
            "factor": cost.factor.estimate, "factor_ci": [cost.factor.low, cost.factor.high],
            "factor_in": unit_words(cost.unit), "told_apart": cost.told_apart,
            "bytes": cost.bytes,
        })
    });
    let caveats = found.caveats.iter().map(|row| json!({"count": row.count, "what": row.what, "details": row.details}));
    json!({
        "answers": answers,
        "recommendations": recommendations.collect::<Vec<_>>(),
        "costs": costs.collect::<Vec<_>>(),
        "caveats": caveats.collect::<Vec<_>>(),
    })
}
