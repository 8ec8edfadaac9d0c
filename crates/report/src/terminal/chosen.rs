//! Output of `pqlab show`: a whole run, or some of its cases in full.

use super::case::show_case;
use super::palette::Palette;
use super::table::run_table;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::tables;
use pqlab_analysis::{CaseAnalysis, RunAnalysis};

/// Shows all tables of a run.
pub fn whole_run(analysis: &RunAnalysis<'_>, scenario: &RelayScenario, width: usize, palette: Palette) -> String {
    run_table(analysis, &tables(analysis, scenario), width, palette)
}

/// Shows each case whose id `chosen` accepts in full, compared with the same operation by other providers.
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
