//! Output of `pqlab show`: a whole run, or some of its cases in full.

use super::case::show_case;
use super::palette::Palette;
use super::summary::run_summary;
use super::table::run_table;
use pqlab_analysis::answer::answer;
use pqlab_analysis::findings::findings;
use pqlab_analysis::ntor::RelayScenario;
use pqlab_analysis::tables::{Table, tables};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};

/// How much the tables of a run show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Time, cycles and rank of each library.
    Short,
    /// Also intervals, means, rates, samples and processes.
    Wide,
}

/// Shows a run with the given tables of [several cases](pqlab_analysis::tables). Ends with the findings.
pub fn show_run(
    analysis: &RunAnalysis<'_>,
    several: &[Table],
    detail: Detail,
    width: usize,
    palette: Palette,
) -> String {
    let text = match detail {
        Detail::Short => run_summary(analysis, several, width, palette),
        Detail::Wide => run_table(analysis, several, width, palette),
    };
    text + "\n" + &answer(analysis, &findings(analysis)).join("\n") + "\n"
}

/// Shows a run with all its tables.
pub fn whole_run(
    analysis: &RunAnalysis<'_>,
    scenario: &RelayScenario,
    detail: Detail,
    width: usize,
    palette: Palette,
) -> String {
    show_run(analysis, &tables(analysis, scenario), detail, width, palette)
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
