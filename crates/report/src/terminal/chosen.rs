//! Output of `pqlab show`: a complete run, or selected cases in full.

use super::case::show_case;
use super::palette::{Palette, TextStyle};
use super::summary::run_summary;
use super::table::run_table;
use super::text::wrapped;
use pqlab_analysis::answer::answer;
use pqlab_analysis::findings::findings;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::{Table, tables};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};

/// Level of detail of a run's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Time, cycles and rank of each library.
    Short,
    /// Like `Short`, with intervals, means, rates, samples and processes, and every table of several cases.
    Wide,
}

/// Tables that a short view omits, because they are long, repeat the short tables with more details, or contain figures
/// that the run did not measure.
const LONG: [&str; 6] = ["languages", "library-facts", "spread", "sizes", "ntor-literature", "claims"];
/// Maximum number of areas in a run for which a short view shows tables of [several cases](pqlab_analysis::tables).
const FEW_AREAS: usize = 2;
/// Maximum width of the line that names omitted tables, in columns.
const PAGE: usize = 100;

/// Shows a run, followed by the findings. If the run has many areas, a short view only names the tables of
/// [several cases](pqlab_analysis::tables).
pub fn show_run(
    analysis: &RunAnalysis<'_>,
    scenario: &RelayScenario,
    detail: Detail,
    width: usize,
    palette: Palette,
) -> String {
    let several = tables(analysis, scenario);
    let mut text = match detail {
        Detail::Wide => run_table(analysis, &several, width, palette),
        Detail::Short => {
            let few = analysis.areas().len() <= FEW_AREAS;
            let (shown, left): (Vec<Table>, Vec<Table>) =
                several.into_iter().partition(|table| few && !LONG.contains(&table.name));
            run_summary(analysis, &shown, width, palette) + &left_out(&left, width, palette)
        }
    };
    text.push('\n');
    for line in answer(analysis, &findings(analysis)).iter().flat_map(|line| wrapped(line, width)) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Returns the lines that name the tables omitted by a short view.
fn left_out(tables: &[Table], width: usize, palette: Palette) -> String {
    if tables.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    let text = format!("More tables (--wide): {}", names.join(", "));
    let lines = wrapped(&text, width.min(PAGE)).into_iter();
    lines.map(|line| palette.paint(TextStyle::Faint, &line) + "\n").collect()
}

/// Shows each case with an id that `chosen` accepts, in full. Compares the case with the same operation by other
/// providers.
pub fn chosen_cases(
    analysis: &RunAnalysis<'_>,
    chosen: &dyn Fn(&str) -> bool,
    width: usize,
    palette: Palette,
) -> Vec<String> {
    let show = |case: &CaseAnalysis<'_>| {
        let same = |other: &&CaseAnalysis<'_>| {
            let (one, two) = (case.case(), other.case());
            one.workload == two.workload && case.job() == other.job() && one.provider != two.provider
        };
        let others: Vec<&CaseAnalysis<'_>> = analysis.cases().iter().filter(same).collect();
        show_case(case, &others, width, palette)
    };
    analysis.cases().iter().filter(|case| chosen(&case.case().id())).map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_short_view_of_many_areas_names_its_tables() {
        let run = fixtures::references_run();
        let analysis = RunAnalysis::new(&run);
        assert!(analysis.areas().len() > FEW_AREAS);
        let several = tables(&analysis, &RelayScenario::default());
        assert!(!several.is_empty());
        let view = |detail| show_run(&analysis, &RelayScenario::default(), detail, 100, Palette::PLAIN);
        let (short, wide) = (view(Detail::Short), view(Detail::Wide));
        let line = short.split_once("More tables (--wide): ").unwrap().1.split("\n\n").next().unwrap();
        for table in &several {
            assert!(line.contains(table.name), "{line}");
            assert!(!short.contains(table.title.as_str()) && wide.contains(table.title.as_str()), "{short}");
        }
        assert!(!wide.contains("More tables"), "{wide}");
    }
}
