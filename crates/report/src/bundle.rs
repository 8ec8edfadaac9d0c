//! The report as a folder: the page, its pictures as SVG, PNG and PDF, and its tables as files.

use crate::charts::Chart;
use crate::charts::raster::{self, PRINT_DPI, RasterError};
use crate::exporters::{ExportError, ExportOptions, benchmarks, exporters_with, table_csv};
use crate::templates::{Around, Page, page};
use pqlab_analysis::RunAnalysis;
use pqlab_analysis::history::Past;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::tables;
use rayon::prelude::*;

/// A file in the report: its path below the folder, separated by slashes, and its content.
pub type File = (String, Vec<u8>);

/// One picture as SVG, PNG and PDF files.
type Formats = Result<[File; 3], BundleError>;

/// Reason why a report cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// A table cannot be written.
    #[error("{0}")]
    Export(#[from] ExportError),
    /// A picture cannot be rendered.
    #[error("picture {0}: {1}")]
    Raster(String, RasterError),
}

/// Files with the figures of all cases, each as its path and the name of its format.
const TABLES: [(&str, &str); 3] =
    [("tables/performance_table.tex", "latex"), ("tables/results.csv", "csv"), ("tables/results.json", "json")];

/// Creates all files of a run's report. `past` contains the run's history. `scenario` contains the assumptions for the
/// tables of circuit handshakes.
///
/// # Errors
/// See [`BundleError`].
pub fn bundle(analysis: &RunAnalysis<'_>, past: &[Past], scenario: &RelayScenario) -> Result<Vec<File>, BundleError> {
    let (page, charts) = page(&Page { analysis, past, scenario, around: Around::default() });
    let mut files = vec![("index.html".to_owned(), page.into_bytes())];
    files.extend(pictures(&charts)?);
    let mut benchmarks_md = Vec::new();
    benchmarks(analysis, past, scenario, &mut benchmarks_md).map_err(ExportError::from)?;
    files.push(("tables/BENCHMARKS.md".to_owned(), benchmarks_md));
    let options = ExportOptions { scenario: scenario.clone(), ..ExportOptions::default() };
    for (name, format) in TABLES {
        if let Some(exporter) = exporters_with(&options).into_iter().find(|exporter| exporter.name() == format) {
            let mut bytes = Vec::new();
            exporter.export(analysis, &mut bytes)?;
            files.push((name.to_owned(), bytes));
        }
    }
    for table in tables(analysis, scenario) {
        let mut bytes = Vec::new();
        table_csv(&table, &mut bytes)?;
        files.push((format!("tables/{}.csv", table.name), bytes));
    }
    Ok(files)
}

/// Renders each picture in three formats. Several threads render in parallel.
fn pictures(charts: &[Chart]) -> Result<Vec<File>, BundleError> {
    let files = charts.par_iter().with_max_len(1).map(formats).collect::<Result<Vec<_>, _>>()?;
    Ok(files.into_iter().flatten().collect())
}

fn formats(chart: &Chart) -> Formats {
    let error = |error| BundleError::Raster(chart.name.clone(), error);
    let png = raster::png(&chart.svg, PRINT_DPI).map_err(error)?;
    let pdf = raster::pdf(&chart.svg).map_err(error)?;
    let name = |extension: &str| format!("charts/{}.{extension}", chart.name);
    Ok([(name("svg"), chart.svg.clone().into_bytes()), (name("png"), png), (name("pdf"), pdf)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn files_are_unique_and_stay_below_the_folder() {
        let mut run = fixtures::run();
        run.records[3].case.workload = "../../escape".to_owned();
        let files = bundle(&RunAnalysis::new(&run), &[], &RelayScenario::default()).unwrap();
        for (index, (name, content)) in files.iter().enumerate() {
            assert!(!content.is_empty());
            assert!(!name.contains("..") && !name.starts_with('/'), "{name}");
            assert!(files[..index].iter().all(|(other, _)| other != name), "duplicate file {name}");
        }
        let has = |name: &str| files.iter().any(|(file, _)| file == name);
        assert!(has("index.html") && has("charts/latency-kem.png") && has("tables/results.csv"));
        let pngs = files.iter().filter(|(name, _)| name.ends_with(".png"));
        assert!(pngs.clone().count() > 3 && pngs.clone().all(|(_, content)| content.starts_with(b"\x89PNG")));
    }
}
