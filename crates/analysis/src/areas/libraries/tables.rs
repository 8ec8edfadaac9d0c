//! Tables for choosing a single library: the time of a job with each library, and facts other than speed.

use super::{JobTotals, JobWeights, LibraryTotal, NOT_FOUND, PAIRINGS, Source, facts_of, job_totals};
use crate::areas::kem;
use crate::areas::memory::{AREA as MEMORY, PEAKS};
use crate::case::CaseAnalysis;
use crate::caveats::Caveats;
use crate::comparison::Standing;
use crate::group::grouped;
use crate::number::memory as amount;
use crate::run::RunAnalysis;
use crate::table::{Cell, Holds, Table};
use indexmap::IndexMap;
use pqlab_record::NULL;

/// Builds a table of a job's time with each library that supports all operations of the job. The table is empty if no
/// library does.
pub(crate) fn libraries_table(analysis: &RunAnalysis<'_>, weights: &JobWeights) -> Table {
    let title = format!("Single library for a job: {}", weights.words());
    let mut table = Table::new("libraries", kem::AREA, title)
        .names("algorithms", "algorithms")
        .names("provider", "provider")
        .figures("total", "total", "µs", 0)
        .names("standing", "standing")
        .figures("factor", "vs fastest", "", 0);
    for (operation, weight) in weights.parts() {
        let heading = if weight == 1 { operation.to_owned() } else { format!("{weight} × {operation}") };
        table = table.figures(&format!("{operation}_part"), &heading, "µs", 1);
    }
    table = table.column("job", "job", "", Holds::Text, 2);
    let jobs = job_totals(analysis, weights);
    for job in &jobs {
        let algorithms = job.pairing.name(weights);
        for total in &job.totals {
            let standing = total.standing;
            let mut cells = vec![
                Cell::text(&algorithms),
                Cell::text(total.provider),
                Cell::time_within(&total.total),
                Cell::text(standing_text(job, total)),
                Cell::optional(standing.and_then(Standing::ratio), |ratio| Cell::factor_within(&ratio)),
            ];
            cells.extend(total.parts.iter().map(|part| Cell::time_within(&part.time)));
            cells.push(Cell::text(weights.to_string()));
            let caveats: Vec<&Caveats> = total.parts.iter().map(|part| &part.case.caveats).collect();
            table.row(caveats, cells);
        }
        // Libraries without the same figures share a note.
        let mut providers: IndexMap<String, Vec<&str>> = IndexMap::new();
        for (provider, missing) in &job.incomplete {
            let missing = if missing.is_empty() { "the whole job".to_owned() } else { missing.join(", ") };
            providers.entry(missing).or_default().push(provider);
        }
        for (missing, providers) in providers {
            let providers = providers.join(", ");
            table
                .notes
                .push(format!("{algorithms} by {providers}: no total, because the run has no figure for {missing}"));
        }
    }
    if let Some(part) = jobs.first().and_then(|job| job.totals.first()).and_then(|total| total.parts.first()) {
        table.area.clone_from(&part.case.case().workload);
    }
    let retries = |job: &JobTotals<'_, '_>| job.pairing.post_quantum && weights.count("sign") > 0;
    if jobs.iter().any(retries) {
        let signature = PAIRINGS[0].signature;
        table =
            table.note(format!("{signature} retries signing at random, so totals use the mean time of a signature"));
    }
    table.note("total: the sum of the operation columns, which include repetitions; keys are prepared").note(
        "ranking: covers undisturbed libraries without known defects, separately for each combination of algorithms",
    )
}

/// Returns a library's standing in a few words.
fn standing_text(job: &JobTotals<'_, '_>, total: &LibraryTotal<'_, '_>) -> String {
    if let Some(reason) = total.parts.iter().find_map(|part| part.case.not_ranked()) {
        return reason.sentence();
    }
    let word = match total.standing {
        Some(Standing::Fastest) => "fastest",
        Some(Standing::Tied) => "tied",
        Some(Standing::Lowest) => "lowest",
        Some(Standing::Slower(_)) => "slower",
        Some(Standing::Open(_)) => "no measurable difference",
        None if job.totals.len() > 1 => "the only ranked library",
        None => "the only measured library",
    };
    word.to_owned()
}

/// Builds a table of facts other than speed about each library in a run. The table is empty unless a library supports
/// all operations of the job or the run contains pqlab's own code.
pub(crate) fn facts(analysis: &RunAnalysis<'_>) -> Table {
    let mut table = Table::new("library-facts", "", "Libraries: facts other than speed")
        .names("library", "library")
        .prose("version", "version", 7)
        .prose("language", "language", 4)
        .prose("whose", "authors", 6)
        .prose("licence", "licence", 5)
        .prose("maturity", "maturity, according to its authors", 1)
        .prose("validation", "FIPS 140-3 validation", 2)
        .prose("constant_time", "constant time, according to its authors", 3)
        .prose("defects", "known defects in this run", 0)
        .figures("stack", "peak stack", "B", 8)
        .figures("heap", "peak heap", "B", 9);
    let libraries = libraries(analysis);
    let has_own_code = libraries.iter().any(|library| facts_of(library).is_some_and(|facts| facts.own));
    if !has_own_code && job_totals(analysis, &analysis.job).is_empty() {
        return table;
    }
    let mut sources = Vec::new();
    let mut has_peaks = false;
    for library in libraries {
        let version = version(analysis, library);
        let facts = facts_of(library);
        let fact_cell = |fact: Option<&String>| Cell::text(fact.map_or(NOT_FOUND, String::as_str));
        let [stack, heap] = PEAKS.map(|name| peak(analysis, library, name));
        has_peaks |= stack.is_some() || heap.is_some();
        let bytes = |most: Option<f64>| Cell::optional(most, |most| Cell::number(amount(most as u64), most));
        let cells = [
            Cell::text(library),
            Cell::text(version.unwrap_or_default()),
            Cell::text(analysis.language(library).name.unwrap_or_else(|| NOT_FOUND.to_owned())),
            fact_cell(facts.map(|facts| &facts.whose)),
            fact_cell(facts.map(|facts| &facts.licence)),
            fact_cell(facts.map(|facts| &facts.maturity)),
            fact_cell(facts.map(|facts| &facts.validation)),
            fact_cell(facts.map(|facts| &facts.constant_time)),
            Cell::text(defects(analysis, library)),
            bytes(stack),
            bytes(heap),
        ];
        table.row([], cells);
        let Some(facts) = facts else { continue };
        if let Some(version) = version.filter(|version| !facts.are_of(version)) {
            sources.push(format!(
                "{library}: the facts describe {}, but the run has {version}",
                facts.versions.join(", ")
            ));
        }
        for (date, on_date) in grouped(facts.sources.iter(), |source| source.looked_at.clone()) {
            let named = |source: &&Source| format!("{}: {}", source.subjects(), source.url);
            let named: Vec<String> = on_date.iter().map(named).collect();
            sources.push(format!("sources for {library}, read on {date}: {}", named.join("; ")));
        }
    }
    if let Some(area) = analysis.areas().first() {
        table.area = (*area).to_owned();
    }
    table = table
        .note("facts: summarised by pqlab; not found: pqlab's authors found no source, but one may exist")
        .note("known defects: those that affect cases of this run")
        .note("results of leak tests are not included: run `pqlab leak`");
    if has_peaks {
        let algorithms = format!("{} and {}", PAIRINGS[0].kem, PAIRINGS[0].signature);
        table = table.note(format!("peaks: maximum over the operations of {algorithms} in the {MEMORY} area"));
    }
    table.notes.extend(sources);
    table
}

/// Returns the libraries in a run, without duplicates.
fn libraries<'a>(analysis: &RunAnalysis<'a>) -> Vec<&'a str> {
    let mut found: Vec<&'a str> = Vec::new();
    for case in analysis.cases().iter().filter(|case| !case.is_floor()) {
        for library in libraries_of(&case.case().provider) {
            if library != NULL && !found.contains(&library) {
                found.push(library);
            }
        }
    }
    found
}

/// Returns the libraries of a provider: `aws-lc` and `libcrux` for `aws-lc+libcrux:avx2`.
fn libraries_of(provider: &str) -> impl Iterator<Item = &str> {
    provider.split('+').map(|one| one.split(':').next().unwrap_or(one))
}

fn version<'a>(analysis: &RunAnalysis<'a>, library: &str) -> Option<&'a str> {
    let mut builds = analysis.run.header.environment.providers.iter();
    builds.find(|build| libraries_of(&build.id).eq([library])).map(|build| build.version.as_str())
}

/// Lists a library's known defects, each after the operations that it affects: `ML-DSA-65 verify: what it does wrong`.
fn defects(analysis: &RunAnalysis<'_>, library: &str) -> String {
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for case in analysis.cases().iter().map(CaseAnalysis::case).filter(|case| case.library() == library) {
        let Some(defect) = &case.facts.defect else { continue };
        let what = format!("{} {}", case.algorithm, case.operation);
        match found.iter_mut().find(|(other, _)| other == defect) {
            Some((_, all)) if all.contains(&what) => {}
            Some((_, all)) => all.push(what),
            None => found.push((defect, vec![what])),
        }
    }
    found.iter().map(|(defect, what)| format!("{}: {defect}", what.join(", "))).collect::<Vec<_>>().join("; ")
}

/// Returns the peak memory use in bytes over all calls of a library's operations, for the algorithms of the
/// post-quantum pairing. `name` is one of [`PEAKS`], and selects the stack or the heap.
fn peak(analysis: &RunAnalysis<'_>, library: &str, name: &str) -> Option<f64> {
    let is_of_pairing = |one: &&CaseAnalysis<'_>| {
        let (case, pairing) = (one.case(), PAIRINGS[0]);
        case.library() == library && (case.algorithm == pairing.kem || case.algorithm == pairing.signature)
    };
    let cases = analysis.area(MEMORY).filter(is_of_pairing);
    let peaks = cases.filter_map(|one| Some(one.estimates.as_ref()?.extra(name)?.max));
    peaks.max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    /// Returns the column names and cell texts in the row of a provider or library.
    fn row(table: &Table, name: &str) -> Vec<(String, String)> {
        let row = table.rows.iter().find(|row| row.cells[..2].iter().any(|cell| cell.text == name)).unwrap();
        let columns = table.columns.iter().map(|column| column.name.clone());
        columns.zip(row.cells.iter().map(|cell| cell.text.clone())).collect()
    }

    fn cell(table: &Table, name: &str, column: &str) -> String {
        row(table, name).into_iter().find(|(other, _)| other == column).unwrap().1
    }

    #[test]
    fn a_row_has_the_job_its_parts_and_the_reason_for_no_rank() {
        let run = fixtures::libraries_run();
        let table = libraries_table(&RunAnalysis::new(&run), &JobWeights::default());
        assert_eq!(
            table.title,
            "Single library for a job: 1 × keygen, 1 × encapsulate, 1 × decapsulate, 1 × sign, 2 × verify"
        );
        assert_eq!(cell(&table, "aws-lc", "standing"), "fastest");
        assert!(cell(&table, "aws-lc", "verify_part").starts_with("70."), "{table:?}");
        assert!(cell(&table, "libcrux:avx2", "factor").starts_with("1.54"), "{table:?}");
        assert_eq!(cell(&table, "aws-lc", "job"), JobWeights::default().to_string());
        assert_eq!(
            (cell(&table, "liboqs", "standing"), cell(&table, "liboqs", "factor")),
            ("not ranked: known defect".into(), "-".into())
        );
        let defective = table.rows.iter().find(|row| row.cells[1].text == "liboqs").unwrap();
        assert!(defective.caveats.text().contains(fixtures::LIBRARIES_DEFECT));
        let missing = "ML-KEM-768 + ML-DSA-65 by graviola: no total, because the run has no figure for sign, verify";
        assert!(table.notes.iter().any(|note| note == missing), "{:?}", table.notes);
        let classical: Vec<&str> = table.rows[4..].iter().map(|row| row.cells[3].text.as_str()).collect();
        assert_eq!(classical, ["fastest", "slower"]);
        let has_retry_note =
            |table: &Table| table.notes.iter().any(|note| note.starts_with("ML-DSA-65 retries signing"));
        assert!(has_retry_note(&table));
        let verifying = libraries_table(&RunAnalysis::new(&run), &"verify=3".parse().unwrap());
        assert_eq!((verifying.columns.len(), verifying.area.as_str()), (7, "signature"));
        assert!(!has_retry_note(&verifying));
    }

    #[test]
    fn facts_are_listed_with_figures_of_the_run() {
        let run = fixtures::libraries_run();
        let table = facts(&RunAnalysis::new(&run));
        let names: Vec<&str> = table.rows.iter().map(|row| row.cells[0].text.as_str()).collect();
        assert_eq!(names, ["aws-lc", "liboqs", "libcrux", "openssl", "rustcrypto", "graviola", "keccak"]);
        assert_eq!(cell(&table, "libcrux", "version").split(',').next(), Some("libcrux-ml-kem 0.0.11"));
        assert_eq!(cell(&table, "openssl", "language"), "C and assembly");
        assert!(cell(&table, "keccak", "whose").starts_with("this project's own code: not recommended"));
        assert_eq!(cell(&table, "liboqs", "defects"), format!("ML-DSA-65 verify: {}", fixtures::LIBRARIES_DEFECT));
        assert_eq!(cell(&table, "openssl", "defects"), "");
        assert_eq!(
            (cell(&table, "aws-lc", "stack"), cell(&table, "aws-lc", "heap")),
            ("12.0 KiB".into(), "512 B".into())
        );
        let older = "liboqs: the facts describe 0.13.0, but the run has 0.12.0";
        assert!(table.notes.iter().any(|note| note == older), "{:?}", table.notes);
        assert!(!table.notes.iter().any(|note| note.starts_with("aws-lc: the facts describe")), "{:?}", table.notes);
    }

    #[test]
    fn runs_without_a_choice_of_library_have_no_facts() {
        let run = fixtures::ntor_run();
        let analysis = RunAnalysis::new(&run);
        assert!(facts(&analysis).rows.is_empty() && libraries_table(&analysis, &JobWeights::default()).rows.is_empty());
    }

    #[test]
    fn facts_of_a_loaded_library_are_not_found() {
        let mut run = fixtures::libraries_run();
        for record in run.records.iter_mut().filter(|record| record.case.provider == "aws-lc") {
            record.case.provider = "branch".into();
        }
        let table = facts(&RunAnalysis::new(&run));
        assert_eq!(cell(&table, "branch", "licence"), NOT_FOUND);
    }
}
