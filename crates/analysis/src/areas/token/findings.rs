//! Findings about signed tokens: their length, and the time to make and verify a token.

use super::AREA;
use crate::case::CaseAnalysis;
use crate::group::distinct;
use crate::number::grouped;
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time, times};

/// Token formats, with the prefix of their algorithm names.
const FORMS: [(&str, &str); 2] = [("JWS", "JWS-"), ("COSE", "COSE-")];
/// Classical signature schemes for tokens. The first scheme that the run measured is the baseline.
const CLASSICAL: [&str; 3] = ["Ed25519", "ES256", "RS256"];
const OPERATIONS: [&str; 2] = ["make", "verify"];

type Rows<'r, 'a> = Vec<&'r CaseAnalysis<'a>>;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let usual = || analysis.area(AREA).filter(|case| case.usual() && case.median().is_some());
    let shortest = usual().filter_map(|case| case.case().message_length()).min();
    let rows: Rows<'_, '_> = usual().filter(|case| case.case().message_length() == shortest).collect();
    let signed_with =
        |name: &str| rows.iter().copied().filter(|case| signature(case) == Some(name)).collect::<Rows<'_, '_>>();
    let classical = CLASSICAL.into_iter().map(|name| (name, signed_with(name))).find(|(_, rows)| !rows.is_empty());
    let post_quantum = rows.iter().filter(|case| case.case().facts.category.is_some());
    let statement = |name: &&str| {
        let new = signed_with(name);
        let mut parts = vec![lengths(&new)];
        if let Some((name, old)) = &classical {
            parts[0] = format!("{}, vs {} with {name}", parts[0], lengths(old));
        }
        let old = classical.as_ref().map(|(name, old)| (*name, &old[..]));
        let phrase =
            |operation: &str| Some(format!("{operation}: {}", operation_phrase(analysis, operation, &new, old)?));
        parts.extend(OPERATIONS.into_iter().filter_map(phrase));
        Statement::new(AREA, format!("Token with {name}, without the public key"), parts.join("; "))
    };
    distinct(post_quantum.filter_map(|case| signature(case))).iter().map(statement).collect()
}

/// Describes the fastest library for an operation: `44.0 µs by aws-lc, 1.30× (1.29× to 1.31×) in core cycles compared
/// with Ed25519`.
fn operation_phrase<'a>(
    analysis: &RunAnalysis<'a>,
    operation: &str,
    new: &[&CaseAnalysis<'a>],
    old: Option<(&str, &[&CaseAnalysis<'a>])>,
) -> Option<String> {
    // Compare tokens of only one format, because all formats contain the same signature.
    let (_, beginning) =
        FORMS.into_iter().find(|(_, name)| new.iter().any(|case| case.case().algorithm.starts_with(name)))?;
    let suits =
        |row: &&CaseAnalysis<'a>| row.case().operation == operation && row.case().algorithm.starts_with(beginning);
    let places =
        |rows: &[&CaseAnalysis<'a>]| rows.iter().copied().filter(suits).map(|row| row.place).collect::<Vec<_>>();
    let fastest = |rows: &[&CaseAnalysis<'a>]| {
        fastest_case(analysis, &places(rows).into_iter().map(|place| &analysis.cases()[place]).collect::<Vec<_>>())
    };
    let new = fastest(new)?;
    let text = format!("{} by {}", time(analysis, &new.best)?, new.by);
    let ratio = old.and_then(|(name, old)| Some((name, times(analysis, &fastest(old)?.best, &new.best)?)));
    Some(ratio.map_or(text.clone(), |(name, ratio)| format!("{text}, {ratio} compared with {name}")))
}

/// Returns the signature scheme of a token: `ML-DSA-65` for `JWS-ML-DSA-65`.
fn signature<'r>(case: &'r CaseAnalysis<'_>) -> Option<&'r str> {
    FORMS.iter().find_map(|(_, beginning)| case.case().algorithm.strip_prefix(beginning))
}

/// Lists token lengths by format: `4,531 B as JWS and 3,429 B as COSE`.
fn lengths(rows: &[&CaseAnalysis<'_>]) -> String {
    let length = |(form, beginning): (&str, &str)| {
        let row = rows.iter().find(|row| row.case().algorithm.starts_with(beginning))?;
        Some(format!("{} B as {form}", grouped(row.case().facts.bytes?)))
    };
    FORMS.into_iter().filter_map(length).collect::<Vec<_>>().join(" and ")
}
