//! Identity of a case: its run, provider, and properties of the operation.

use pqlab_analysis::CaseAnalysis;
use pqlab_analysis::languages::Language;
use pqlab_analysis::number::grouped;
use pqlab_analysis::standardization::Standardization;
use pqlab_record::CoinSource;

/// Returns pairs of name and value that identify a case.
pub(super) fn identity(analysed: &CaseAnalysis<'_>) -> Vec<(&'static str, String)> {
    let (header, record, case) = (analysed.header(), analysed.record, analysed.case());
    let mut pairs = vec![("run", format!("{} (suite {}, seed {})", header.id, header.suite, header.seed))];
    let parts: Vec<&str> = case.provider.split('+').collect();
    for part in parts {
        let builds = &header.environment.providers;
        let library = part.split(':').next().unwrap_or(part);
        let build = builds.iter().find(|build| build.id == part).or(builds.iter().find(|build| build.id == library));
        let version = build.map(|build| format!(" {} ({})", build.version, build.origin())).unwrap_or_default();
        pairs.push(("provider", format!("{part}{version}")));
    }
    let Language { name, runtime, .. } = Language::find(&header.environment, &case.provider);
    let by = runtime.map(|runtime| format!(", run by {runtime}")).unwrap_or_default();
    pairs.extend(name.map(|name| ("language", format!("{name}{by}"))));
    pairs.extend(Standardization::find(&case.algorithm).map(|found| ("standard", found.detail.to_owned())));
    pairs.extend(case.facts.category.map(|category| ("NIST category", category.to_string())));
    pairs.extend(case.facts.defect.clone().map(|defect| ("known defect", defect)));
    pairs.extend(case.key().map(|key| ("private key", format!("{key}, parsed or written as part of the operation"))));
    pairs.extend(case.coins().map(|coins| match (coins, &case.facts.generator) {
        (CoinSource::Internal, Some(generator)) => ("randomness", format!("from the library ({generator})")),
        _ => ("randomness", "supplied by the caller, so the operation calls no random generator".to_owned()),
    }));
    pairs.extend(case.keys().map(|keys| ("keys", format!("{}, used in rotation", grouped(keys)))));
    pairs.push(("answers", if record.verified { "verified" } else { "not verified" }.to_owned()));
    pairs.push(("finished", record.finished_at.clone()));
    pairs
}
