//! Signing time where the number of attempts is a matter of chance.

use crate::areas::signature::AREA;
use crate::case::CaseAnalysis;
use crate::group::distinct;
use crate::number::{known_time, percent, time as nanoseconds};
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time};

/// The published set of messages that is spoken of.
const MESSAGES: &str = "cctv";
/// The percentile that shows bad luck.
const ORDER: f64 = 0.99;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    // Without the folder of vectors the cases of a set fail: then single signatures are all there is.
    let asked = analysis.area(AREA).filter(|of| signs_published_set(of)).map(|of| of.case().algorithm.as_str());
    let statement = |algorithm: &str| {
        let parts: Vec<String> = [published_set(analysis, algorithm), single_signatures(analysis, algorithm)]
            .into_iter()
            .flatten()
            .collect();
        let about = format!("Signing by luck with {algorithm}");
        (!parts.is_empty()).then(|| Statement::new(AREA, about, parts.join("; ")).first())
    };
    distinct(asked).into_iter().filter_map(statement).collect()
}

fn signs_published_set(of: &CaseAnalysis<'_>) -> bool {
    of.case().message_set() == Some(MESSAGES)
}

fn signing<'r, 'a>(
    analysis: &'r RunAnalysis<'a>,
    algorithm: &str,
    suits: impl Fn(&CaseAnalysis<'_>) -> bool,
) -> Vec<&'r CaseAnalysis<'a>> {
    let signs = |of: &&CaseAnalysis<'_>| of.case().algorithm == algorithm && of.case().operation == "sign";
    analysis.area(AREA).filter(signs).filter(|of| of.median().is_some() && suits(of)).collect()
}

fn published_set(analysis: &RunAnalysis<'_>, algorithm: &str) -> Option<String> {
    let found = fastest_case(analysis, &signing(analysis, algorithm, signs_published_set))?;
    let text = format!("{} a signature over the published messages by {}", time(analysis, &found.best)?, found.by);
    Some(found.next.map_or(text.clone(), |next| format!("{text}; {next}")))
}

/// How widely single signatures with fresh randomness spread.
fn single_signatures(analysis: &RunAnalysis<'_>, algorithm: &str) -> Option<String> {
    let found = fastest_case(analysis, &signing(analysis, algorithm, |of| of.usual()))?;
    let most = found.best[0].estimates.as_ref()?.percentile(ORDER)?;
    let (median, share) = (known_time(&found.best[0].median()?), percent(100.0 * ORDER));
    Some(format!("of single ones by {} half take {median} or less, {share} {} or less", found.by, nanoseconds(most)))
}
