//! Findings about Merkle Tree Certificates: what they cost compared with chains of X.509 certificates.

use super::{AREA, CLASSICAL, Certificates, Kind, certificates, chain};
use crate::case::CaseAnalysis;
use crate::comparison::NotRanked;
use crate::number::grouped;
use crate::run::RunAnalysis;
use crate::statement::{Statement, fastest_case, time, time_per_item, times};

/// Post-quantum algorithm of the certificates in the answer.
const ALGORITHM: &str = "ML-DSA-44";
/// Number of cosigners of the standalone certificates in the answer: the CA and one other.
const COSIGNERS: u64 = 2;

pub(crate) fn statements(analysis: &RunAnalysis<'_>) -> Vec<Statement> {
    let all = certificates(analysis, "verify");
    let kinds = [("MTC", Kind::Landmark), ("MTC standalone", Kind::Standalone(COSIGNERS))];
    let verified = kinds.into_iter().filter_map(|(about, kind)| verifying(analysis, about, kind, &all));
    verified.chain(issuing(analysis)).map(Statement::first).collect()
}

/// Compares certificates from the largest log with chains: `2,400 B and 9.00 µs to verify for a landmark-relative
/// certificate with ML-DSA-44 from a log of 10,000,000, vs 8,000 B and 200 µs for an X.509 chain (0.0450× in core
/// cycles, 0.0448× to 0.0452×) and 900 B and 300 µs with ECDSA-P-256; the server's flight has 6,000 B, vs 12,000 B`.
fn verifying<'a>(
    analysis: &RunAnalysis<'a>,
    about: &str,
    kind: Kind,
    all: &[Certificates<'_, 'a>],
) -> Option<Statement> {
    let of_kind = all.iter().filter(|one| one.kind == kind && one.algorithm == ALGORITHM);
    let one = of_kind.max_by_key(|one| one.log)?;
    let chain_of = |algorithm: &str| chain(all, algorithm);
    let base = chain_of(ALGORITHM)?;
    let cost =
        |one: &Certificates<'_, 'a>| Some(format!("{} B and {}", grouped(one.bytes()?), time(analysis, &[one.case])?));
    let is_disturbed = |one: &CaseAnalysis<'_>| one.not_ranked() == Some(NotRanked::Disturbed);
    let ratio = match is_disturbed(base.case) || is_disturbed(one.case) {
        true => "no ratio, because another program disturbed a case".to_owned(),
        false => times(analysis, &[base.case], &[one.case])?.inside(),
    };
    let mut text = format!(
        "{} to verify for a {} certificate with {ALGORITHM} from a log of {}, vs {} for an X.509 chain ({ratio})",
        cost(one)?,
        name(kind),
        grouped(one.log?),
        cost(base)?,
    );
    if let Some(classical) = chain_of(CLASSICAL).and_then(cost) {
        text = format!("{text} and {classical} with {CLASSICAL}");
    }
    if let (Some(flight), Some(other)) = (one.flight(), base.flight()) {
        text = format!("{text}; the server's flight has {} B, vs {} B", grouped(flight), grouped(other));
    }
    Some(Statement::new(AREA, about, text))
}

/// Returns the name of a kind before the word "certificate".
fn name(kind: Kind) -> String {
    match kind {
        Kind::Standalone(count) => format!("standalone ({count} cosigners)"),
        other => other.text(),
    }
}

/// States the time to issue a standalone certificate in a batch, and an X.509 certificate, with the fastest library.
fn issuing(analysis: &RunAnalysis<'_>) -> Option<Statement> {
    let all = certificates(analysis, "issue");
    let fastest = |kind: Kind| {
        let of_kind: Vec<_> = all.iter().filter(|one| one.kind == kind && one.algorithm == ALGORITHM).collect();
        let batch = of_kind.first()?.log.unwrap_or(1);
        let found = fastest_case(analysis, &of_kind.iter().map(|one| one.case).collect::<Vec<_>>())?;
        Some((format!("{} by {}", time_per_item(found.best.first()?, batch)?, found.by), batch))
    };
    let (new, batch) = fastest(Kind::Standalone(COSIGNERS))?;
    let old = fastest(Kind::X509).map(|(old, _)| format!(", vs {old} for one X.509 certificate")).unwrap_or_default();
    let cosigners = format!("{COSIGNERS} cosigners");
    let text = format!("{new}, with {ALGORITHM} and {cosigners} in batches of {}{old}", grouped(batch));
    Some(Statement::new(AREA, "Issuing a Merkle Tree Certificate", text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn the_answer_compares_bytes_and_times_with_chains() {
        let run = fixtures::mtc_run();
        let found = statements(&RunAnalysis::new(&run));
        let texts: Vec<String> = found.iter().map(|one| format!("{}: {}", one.about, one.text)).collect();
        let start = "MTC: 2,000 B and 5.0";
        let middle =
            " to verify for a landmark-relative certificate with ML-DSA-44 from a log of 1,000, vs 8,000 B and 200";
        let end = " with ECDSA-P-256; the server's flight has 5,000 B, vs 10,000 B";
        assert!(texts[0].starts_with(start) && texts[0].contains(middle) && texts[0].ends_with(end), "{texts:#?}");
        assert!(texts[1].contains("for a standalone (2 cosigners) certificate"), "{texts:#?}");
        let issued = "Issuing a Merkle Tree Certificate: mean 6.0";
        assert!(texts[2].starts_with(issued) && texts[2].contains(" in batches of 1,000, vs mean 300"), "{texts:#?}");
        assert_eq!(texts.len(), 3);
    }
}
