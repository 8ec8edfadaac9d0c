//! Charts of a run. Each chart is drawn once, as SVG. Pages embed the SVG; [`raster`] converts it to PNG and PDF.

mod areas;
mod canvas;
mod columns;
mod curves;
mod distribution;
mod glossary;
mod heat;
mod intervals;
mod languages;
mod look;
mod provenance;
pub mod raster;
mod ratios;
mod scatter;
mod speedup;
mod stack;
mod trend;

use pqlab_analysis::RunAnalysis;
use pqlab_analysis::history::Past;

/// A finished chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// File name, without the extension.
    pub name: String,
    /// Title, on one line.
    pub title: String,
    /// Text alternative, for readers who cannot see the picture.
    pub about: String,
    /// The picture as SVG.
    pub svg: String,
}

/// Draws all charts of an area for which the run contains data.
pub fn of_area(analysis: &RunAnalysis<'_>, area: &str) -> Vec<Chart> {
    let mut charts = areas::tls::pictures(analysis, area);
    charts.extend(areas::protocols::waiting(analysis, area));
    charts.extend(areas::quic::sides(analysis, area));
    charts.extend(areas::hash::cycles_per_byte(analysis, area));
    charts.extend(areas::hybrid::handshakes(analysis, area));
    charts.extend(ratios::ratios(analysis, area));
    charts.extend(intervals::latency(analysis, area));
    charts.extend(languages::by_language(analysis, area));
    charts.extend(areas::ntor::phases(analysis, area));
    charts.extend(areas::hybrid::halves(analysis, area));
    charts.extend(speedup::speedups(analysis, area).or_else(|| curves::threads(analysis, area)));
    charts.extend(curves::load(analysis, area));
    charts.extend(curves::lengths(analysis, area));
    charts.extend(areas::ledger::blocks(analysis, area));
    charts.extend(distribution::cumulative(analysis, area));
    charts.extend(distribution::violins(analysis, area));
    charts.extend(scatter::sizes(analysis, area));
    charts.extend(heat::providers(analysis, area));
    charts
}

/// Draws the charts from the reports of earlier systems, under the same file names, if the run contains the data.
pub fn named(analysis: &RunAnalysis<'_>) -> Vec<Chart> {
    let mut charts = areas::ntor::named(analysis);
    charts.extend(areas::ledger::block_verify(analysis));
    charts.extend(areas::signature::lengths(analysis));
    charts
}

/// Draws the cases with the largest changes in time since earlier runs on the same machine. `name` is the file name of
/// the chart.
pub fn trend(analysis: &RunAnalysis<'_>, past: &[Past], name: &str) -> Option<Chart> {
    trend::trend(analysis, past, name)
}

/// Converts a text to a name that is a valid file name on every system.
pub(crate) fn slug(text: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' };
    let slug: String = text.chars().take(60).map(plain).collect();
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "x".to_owned() } else { slug.to_owned() }
}

/// Returns the texts of a picture, without tooltips.
#[cfg(test)]
fn texts(chart: &Chart) -> String {
    chart.svg.split("</text>").filter_map(|part| part.rsplit('>').next()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::heat::UNRANKED;
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
            let analysis = RunAnalysis::new(&run);
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

    fn runs() -> Vec<Run> {
        vec![
            fixtures::run(),
            fixtures::references_run(),
            fixtures::libraries_run(),
            fixtures::doubtful_run(),
            fixtures::tls_run(),
            fixtures::quic_run(),
            fixtures::protocols_run(),
            fixtures::workers_run(),
            fixtures::ntor_run(),
            fixtures::scaling_run(),
        ]
    }

    /// Returns every picture of a run.
    fn all(run: &Run) -> Vec<Chart> {
        let analysis = RunAnalysis::new(run);
        let past = [Past::new(run)];
        let charts = analysis.areas().into_iter().flat_map(|area| of_area(&analysis, area));
        charts.chain(named(&analysis)).chain(trend(&analysis, &past, "trend")).collect()
    }

    /// Collects the bounding boxes of all texts, as drawn by the rasterizer.
    fn boxes(group: &resvg::usvg::Group, found: &mut Vec<(String, resvg::usvg::Rect)>) {
        for node in group.children() {
            match node {
                resvg::usvg::Node::Group(group) => boxes(group, found),
                resvg::usvg::Node::Text(text) => {
                    let words = text.chunks().iter().map(|chunk| chunk.text()).collect();
                    found.push((words, text.abs_bounding_box()));
                }
                _ => {}
            }
        }
    }

    fn assert_texts_are_whole_and_do_not_overlap(chart: &Chart) {
        assert!(!texts(chart).contains('…'), "{}: {}", chart.name, texts(chart));
        let tree = raster::parse(&chart.svg).unwrap();
        let mut found = Vec::new();
        boxes(tree.root(), &mut found);
        assert!(found.len() > 3, "{}", chart.name);
        for (place, (text, one)) in found.iter().enumerate() {
            let inside = one.left() >= 0.0 && one.right() <= tree.size().width() && one.top() >= 0.0;
            assert!(inside && one.bottom() <= tree.size().height(), "{}: {text} lies outside", chart.name);
            for (other, two) in &found[..place] {
                // Boxes have the height of the font, although most letters are shorter.
                let apart = one.right() <= two.left() || two.right() <= one.left();
                let apart = apart || one.bottom() - 2.5 <= two.top() || two.bottom() - 2.5 <= one.top();
                assert!(apart, "{}: \"{text}\" overlaps \"{other}\"", chart.name);
            }
        }
    }

    /// Checks that all marks of a library have its color. Returns the number of its marks.
    fn assert_colour(chart: &Chart, mark: &regex::Regex, library: &str, class: &str) -> usize {
        let mut drawn = 0;
        for found in mark.captures_iter(&chart.svg) {
            let about = found[2].split(':').next().unwrap();
            if about.split([' ', ',']).any(|word| word == library) && !about.contains('+') {
                assert_eq!(&found[1], class, "{}: {}", chart.name, &found[2]);
                drawn += 1;
            }
        }
        drawn
    }

    /// Each picture must state the measurement, the machine, the date, the versions and the meaning of its whiskers,
    /// because readers may see it without its page.
    fn assert_provenance_and_whiskers(chart: &Chart, run: &Run) {
        let text = texts(chart);
        for part in [&run.header.id, &run.header.suite, &run.header.environment.cpu.model] {
            assert!(text.contains(part.as_str()), "{} lacks {part}: {text}", chart.name);
        }
        assert!(text.contains("Measured 20") && text.contains("pqlab 0.1.0"), "{}: {text}", chart.name);
        let whiskers = if chart.svg.contains("class=\"whisker\"") { "Whiskers: 95% interval" } else { "hisker" };
        let tiles = text.contains("half-width of its 95% interval");
        assert!(text.contains(whiskers) || tiles, "{}: {text}", chart.name);
        let totals = text.contains("iamond") || text.contains("median") || text.contains("mean");
        assert!(!chart.svg.contains("class=\"diamond\"") || totals, "{}: {text}", chart.name);
        // The color key of a heat map has one tile of this color.
        let keys = usize::from(text.contains("not ranked: reason"));
        let doubtful = chart.svg.contains("class=\"doubtful") || chart.svg.matches(UNRANKED).count() > keys;
        assert_eq!(doubtful, text.contains("Grey marks are not ranked"), "{}: {text}", chart.name);
        assert_ne!(doubtful, text.contains("All marks are ranked: none is"), "{}: {text}", chart.name);
    }

    /// Checks the texts, colors and small print of every picture. One test checks all, because drawing takes seconds.
    #[test]
    fn every_picture_is_legible_consistent_and_states_its_provenance() {
        let mark = regex::Regex::new("class=\"([mp]\\d+)\" d=[^>]*><title>([^<]*)</title>").unwrap();
        let libraries = [("aws-lc", "m0"), ("openssl", "m3")];
        let (mut pictures, mut marks) = (0, [0; 2]);
        for run in runs() {
            for chart in all(&run) {
                assert_texts_are_whole_and_do_not_overlap(&chart);
                assert_provenance_and_whiskers(&chart, &run);
                for (marks, (library, class)) in marks.iter_mut().zip(libraries) {
                    *marks += assert_colour(&chart, &mark, library, class);
                }
                pictures += 1;
            }
        }
        assert!(pictures > 30, "{pictures}");
        assert!(marks.iter().all(|drawn| *drawn > 20), "{libraries:?}: {marks:?}");
    }

    #[test]
    fn slugs_are_plain_file_names() {
        assert_eq!(slug("X-Wing / encapsulate"), "x-wing---encapsulate");
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("漢字"), "x");
    }
}
