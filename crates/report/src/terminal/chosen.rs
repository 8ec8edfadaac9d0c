//! A run as `pqlab show` has it: whole, or some of its cases in full.

use super::case::show_case;
use super::palette::Palette;
use super::table::run_table;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::tables;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};

/// All tables of a run.
pub fn whole_run(analysis: &RunAnalysis<'_>, scenario: &RelayScenario, width: usize, palette: Palette) -> String {
    run_table(analysis, &tables(analysis, scenario), width, palette)
}

/// The cases whose id is chosen, each in full beside what other providers take for the same.
pub fn chosen_cases(
    analysis: &RunAnalysis<'_>,
    chosen: &dyn Fn(&str) -> bool,
    width: usize,
    palette: Palette,
) -> Vec<String> {
    let show = |of: &CaseAnalysis<'_>| {
        let same = |other: &&CaseAnalysis<'_>| {
            let (one, two) = (of.case(), other.case());
            one.workload == two.workload && of.job() == other.job() && one.provider != two.provider
        };
        let others: Vec<&CaseAnalysis<'_>> = analysis.cases().iter().filter(same).collect();
        show_case(of, &others, width, palette)
    };
    analysis.cases().iter().filter(|of| chosen(&of.case().id())).map(show).collect()
}
