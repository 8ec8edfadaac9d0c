//! Table that compares the same operation across programs and libraries in several languages.

use super::Language;
use crate::case::CaseAnalysis;
use crate::comparison::{NotRanked, Standing};
use crate::number::NONE;
use crate::run::RunAnalysis;
use crate::table::{Cell, Holds, Table};

/// Builds a table with one row per provider for each operation that a program in another language supports. The table
/// has no rows unless the run contains a program in another language and another provider for the same operation.
pub(crate) fn languages(analysis: &RunAnalysis<'_>) -> Table {
    let title = "Languages: the same operation in several languages";
    let mut table = Table::new("languages", "", title)
        .names("operation", "operation")
        .names("language", "language")
        .names("provider", "provider")
        .figures("median", "median", "µs", 0)
        .figures("factor", "vs fastest", "", 0)
        .names("runtime", "runtime")
        .column("version", "version", "", Holds::Text, 1);
    if !analysis.has_workers() {
        return table;
    }
    let areas = analysis.areas();
    for (area, group) in areas.iter().flat_map(|area| analysis.groups(area).into_iter().map(move |group| (area, group)))
    {
        // The `null` provider has no language.
        let is_measured = |case: &&CaseAnalysis<'_>| case.median().is_some() && !case.case().is_null();
        let cases = group.cases.into_iter().filter(is_measured);
        let cases = cases.map(|case| (analysis.language(&case.case().provider), case));
        let mut cases: Vec<(Language, &CaseAnalysis<'_>)> = cases.collect();
        if cases.len() < 2 || !cases.iter().any(|(language, _)| language.is_worker) {
            continue;
        }
        let time = |case: &CaseAnalysis<'_>| case.median().map_or(f64::INFINITY, |median| median.estimate);
        cases.sort_by(|(_, one), (_, other)| time(one).total_cmp(&time(other)));
        if table.rows.is_empty() {
            table.area = (*area).to_owned();
        }
        for (language, case) in cases {
            let or_none = |text: Option<String>| Cell::text(text.unwrap_or_else(|| NONE.to_owned()));
            let cells = [
                Cell::text(&group.job),
                or_none(language.name),
                Cell::text(&case.case().provider),
                Cell::optional(case.median().as_ref(), Cell::time_within),
                standing_cell(analysis.standing(case), case.not_ranked()),
                or_none(language.runtime),
                or_none(language.version),
            ];
            table.row([&case.caveats], cells);
        }
    }
    table
        .note("programs in other languages time their own loops; pqlab checks the times with its own clock")
        .note("figures describe code compiled during warm-up; compilers and garbage collectors use the same core")
}

/// Formats the ratio to the fastest case, the standing of a leader, or the reason why a case is not ranked.
fn standing_cell(standing: Option<Standing>, reason: Option<NotRanked>) -> Cell {
    match standing {
        None => Cell::text(reason.map_or_else(String::new, NotRanked::sentence)),
        Some(standing) => {
            standing.ratio().map_or_else(|| Cell::text(standing.text()), |ratio| Cell::factor_within(&ratio))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn providers_are_sorted_by_time_with_language_runtime_and_version() {
        let run = fixtures::workers_run();
        let table = languages(&RunAnalysis::new(&run));
        let rows_of = |job: &str| {
            let rows = table.rows.iter().filter(|row| row.cells[0].text == job);
            rows.map(|row| row.cells[1..].iter().map(|cell| cell.text.clone()).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let verify = rows_of("ML-DSA-65 verify[len=32]");
        let named: Vec<[&str; 2]> = verify.iter().map(|row| [row[0].as_str(), row[1].as_str()]).collect();
        assert_eq!(
            named,
            [["Go", "go"], ["C and assembly", "openssl"], ["Rust", "libcrux:avx2"], ["JavaScript", "script"]]
        );
        assert_eq!(verify[0][3..], ["fastest", "go1.26.8", "crypto/mlkem go1.26.8"]);
        assert_eq!(verify[1][3], "1.13× ±0.9%");
        assert_eq!(verify[1][4..], ["-", "4.0.3"]);
        assert_eq!(rows_of("ML-KEM-768 keygen").len(), 5);
        assert_eq!(table.rows.len(), 3 * 5 + 3 + 4 + 4);
    }

    #[test]
    fn rows_keep_caveats_and_defective_providers_are_not_the_fastest() {
        let mut run = fixtures::workers_run();
        for record in run.records.iter_mut().filter(|record| record.case.provider == "go") {
            record.case.facts.defect = Some("made up".into());
        }
        let table = languages(&RunAnalysis::new(&run));
        let go =
            table.rows.iter().find(|row| row.cells[2].text == "go" && row.cells[0].text.contains("verify")).unwrap();
        assert_eq!(go.cells[4].text, "not ranked: known defect");
        assert!(go.caveats.text().contains("made up"));
    }

    #[test]
    fn there_is_no_table_without_a_worker_and_another_provider() {
        assert!(languages(&RunAnalysis::new(&fixtures::libraries_run())).rows.is_empty());
        let mut alone = fixtures::workers_run();
        alone.records.retain(|record| record.case.provider == "go");
        assert!(languages(&RunAnalysis::new(&alone)).rows.is_empty());
    }
}
