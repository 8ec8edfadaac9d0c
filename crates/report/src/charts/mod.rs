//! Charts of a run. Each chart is drawn once, as SVG. Pages embed the SVG, and [`raster`] converts it to PNG and PDF.

mod areas;
mod canvas;
mod columns;
mod curves;
mod distribution;
mod heat;
mod intervals;
mod languages;
pub mod raster;
mod scatter;
mod stack;

use pqlab_analysis::RunAnalysis;
use pqlab_analysis::history::Past;

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// File name, without the extension.
    pub name: String,
    /// Title, one line.
    pub title: String,
    /// Text alternative.
    pub about: String,
    /// The picture as SVG.
    pub svg: String,
}

/// Draws the charts of an area for which the run contains the data.
pub fn of_area(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    let mut charts = areas::tls::pictures(analysis, area);
    charts.extend(intervals::latency(analysis, area));
    charts.extend(languages::by_language(analysis, area));
    charts.extend(areas::ntor::phases(analysis, area));
    charts.extend(areas::hybrid::halves(analysis, area));
    charts.extend(curves::threads(analysis, area));
    charts.extend(curves::load(analysis, area));
    charts.extend(curves::lengths(analysis, area));
    charts.extend(areas::ledger::blocks(analysis, area));
    charts.extend(distribution::cumulative(analysis, area));
    charts.extend(distribution::violins(analysis, area));
    charts.extend(scatter::sizes(analysis, area));
    charts.extend(heat::providers(analysis, area));
    charts
}

/// Draws the charts that reports of the earlier systems contain, under the same names, if the run contains the data.
pub fn named(analysis: &RunAnalysis<'_>) -> Vec<Chart> {
    let mut charts = areas::ntor::named(analysis);
    charts.extend(areas::ledger::block_verify(analysis));
    charts.extend(areas::signature::lengths(analysis));
    charts
}

/// Draws the medians that changed most since earlier runs on the same machine. `name` is the file name of the chart.
pub fn trend(analysis: &RunAnalysis<'_>, past: &[Past], name: &str) -> Option<Chart> {
    curves::trend(analysis, past, name)
}

/// Returns a name that is a valid file name on every system.
pub(crate) fn slug(text: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' };
    let slug: String = text.chars().take(60).map(plain).collect();
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "x".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::Run;

    #[test]
    fn pictures_are_valid_and_have_a_text_alternative() {
        let hostile = |mut run: Run| {
            run.records[0].case.algorithm = fixtures::HOSTILE.to_owned();
            run.records[3].case.provider = fixtures::HOSTILE.repeat(40);
            run.header
                .environment
                .providers
                .iter_mut()
                .for_each(|one| one.language = Some(fixtures::HOSTILE.to_owned()));
            run
        };
        let runs = [fixtures::run(), fixtures::workers_run(), fixtures::tls_run()];
        for run in runs.clone().into_iter().chain(runs.map(hostile)) {
            let analysis = RunAnalysis::of(&run);
            let mut charts: Vec<Chart> =
                analysis.areas().into_iter().flat_map(|area| of_area(&analysis, area)).collect();
            charts.extend(named(&analysis));
            assert!(charts.len() >= 4, "{}", charts.len());
            for (index, chart) in charts.iter().enumerate() {
                assert!(!chart.about.is_empty() && !chart.title.is_empty());
                assert!(charts[..index].iter().all(|other| other.name != chart.name), "duplicate chart {}", chart.name);
                assert!(chart.svg.contains("role=\"img\"") && chart.svg.contains("<desc "), "{}", chart.svg);
                assert!(!chart.svg.contains("NaN") && !chart.svg.contains("inf"), "{}", chart.svg);
                raster::parse(&chart.svg).unwrap();
            }
        }
    }

    #[test]
    fn slugs_are_plain_file_names() {
        assert_eq!(slug("X-Wing / encapsulate"), "x-wing---encapsulate");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("漢字"), "x");
    }
}
