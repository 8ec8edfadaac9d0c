//! Findings about the signing time of algorithms that retry a random number of times.

use crate::areas::signature::AREA;
use crate::case::CaseAnalysis;
use crate::group::distinct;
use crate::number::{known_time, percent, time as nanoseconds};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time};

/// Published set of messages for the finding.
const MESSAGES: &str = "cctv";
/// Quantile that describes unlucky signatures.
const ORDER: f64 = 0.99;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    // Without the vectors folder, all cases with a published message set fail. Their algorithms get no finding, because
    // signing a single message says little.
    let cases = analysis.area(AREA).filter(|case| signs_published_set(case));
    let algorithms = cases.map(|case| case.case().algorithm.as_str());
    let statement = |algorithm: &str| {
        let parts: Vec<String> = [published_set(analysis, algorithm), single_signatures(analysis, algorithm)]
            .into_iter()
            .flatten()
            .collect();
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
    let text = format!("{} a signature over the published messages by {}", time(analysis, &found.best)?, found.by);
    Some(found.next.map_or(text.clone(), |next| format!("{text}; {next}")))
}

/// Describes the spread of the times of single signatures with fresh randomness.
fn single_signatures(analysis: &RunAnalysis<'_>, algorithm: &str) -> Option<String> {
    let found = fastest_case(analysis, &signing(analysis, algorithm, |case| case.usual()))?;
    let most = found.best[0].estimates.as_ref()?.percentile(ORDER)?;
    let (median, share) = (known_time(&found.best[0].median()?), percent(100.0 * ORDER));
    let (by, most) = (found.by, nanoseconds(most));
    Some(format!("single signatures by {by}: half take {median} or less, {share} take {most} or less"))
}
