//! Findings about the signing time of algorithms that retry a random number of times.

use crate::areas::signature::AREA;
use crate::case::CaseAnalysis;
use crate::group::distinct;
use crate::number::{digits, known_time, percent, time as nanoseconds};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time};

/// Name of the published set of messages that the finding covers.
const MESSAGES: &str = "cctv";
/// Quantile that describes unlucky signatures.
const ORDER: f64 = 0.99;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    // Include failed cases. Without the vectors folder, every case with a published message set fails, and the finding
    // describes single signatures only.
    let cases = analysis.area(AREA).filter(|case| signs_published_set(case));
    let algorithms = cases.map(|case| case.case().algorithm.as_str());
    let statement = |algorithm: &str| {
        let parts = [
            published_set(analysis, algorithm),
            by_attempt(analysis, algorithm),
            single_signatures(analysis, algorithm),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let about = format!("Retries when signing with {algorithm}");
        (!parts.is_empty()).then(|| Statement::new(AREA, about, parts.join("; ")).first())
    };
    distinct(algorithms).into_iter().filter_map(statement).collect()
}

fn signs_published_set(case: &CaseAnalysis<'_>) -> bool {
    case.case().message_set() == Some(MESSAGES)
}

fn signing<'r, 'a>(
    analysis: &'r RunAnalysis<'a>,
    algorithm: &str,
    suits: impl Fn(&CaseAnalysis<'_>) -> bool,
) -> Vec<&'r CaseAnalysis<'a>> {
    let signs = |case: &&CaseAnalysis<'_>| case.case().algorithm == algorithm && case.case().operation == "sign";
    analysis.area(AREA).filter(signs).filter(|case| case.median().is_some() && suits(case)).collect()
}

fn published_set(analysis: &RunAnalysis<'_>, algorithm: &str) -> Option<String> {
    let found = fastest_case(analysis, &signing(analysis, algorithm, signs_published_set))?;
    let text = format!("{} per signature by {} for the published messages", time(analysis, &found.best)?, found.by);
    Some(found.next.map_or(text.clone(), |next| format!("{text}; {next}")))
}

/// Describes the cost of the first attempt and of each further one.
fn by_attempt(analysis: &RunAnalysis<'_>, algorithm: &str) -> Option<String> {
    let found = fastest_case(analysis, &signing(analysis, algorithm, |case| case.usual()))?;
    let attempts = found.best[0].estimates.as_ref()?.attempts?;
    let [first, each] = attempts.ns_by_attempt().map(nanoseconds);
    let (by, expected) = (found.by, digits(attempts.read.comb.expected, 3));
    Some(format!("{first} for the first attempt and {each} for each further one ({expected} expected) by {by}"))
}

/// Describes the spread of the times of single signatures with fresh randomness.
fn single_signatures(analysis: &RunAnalysis<'_>, algorithm: &str) -> Option<String> {
    let found = fastest_case(analysis, &signing(analysis, algorithm, |case| case.usual()))?;
    let most = found.best[0].estimates.as_ref()?.percentile(ORDER)?;
    let (median, share) = (known_time(&found.best[0].median()?), percent(100.0 * ORDER));
    let (by, most) = (found.by, nanoseconds(most));
    Some(format!("single signatures by {by}: half take at most {median}, {share} at most {most}"))
}
