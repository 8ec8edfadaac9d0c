//! What a case is, and of which code.

use pqlab_analysis::CaseAnalysis;
use pqlab_analysis::languages::Language;
use pqlab_analysis::number::grouped;
use pqlab_record::CoinSource;

/// Each with what it is called.
pub(super) fn identity(of: &CaseAnalysis<'_>) -> Vec<(&'static str, String)> {
    let (header, record, case) = (of.header(), of.record, of.case());
    let mut pairs = vec![("run", format!("{} (suite {}, seed {})", header.id, header.suite, header.seed))];
    let parts: Vec<&str> = case.provider.split('+').collect();
    for part in parts {
        let builds = &header.environment.providers;
        let library = part.split(':').next().unwrap_or(part);
        let build = builds.iter().find(|build| build.id == part).or(builds.iter().find(|build| build.id == library));
        let known = build.map(|build| format!(" {} ({})", build.version, build.origin())).unwrap_or_default();
        pairs.push(("provider", format!("{part}{known}")));
    }
    let Language { name, runtime, .. } = Language::of(&header.environment, &case.provider);
    let by = runtime.map(|runtime| format!(", run by {runtime}")).unwrap_or_default();
    pairs.extend(name.map(|name| ("language", format!("{name}{by}"))));
    pairs.extend(case.facts.category.map(|category| ("NIST category", category.to_string())));
    pairs.extend(case.facts.defect.clone().map(|defect| ("known defect", defect)));
    pairs.extend(case.key().map(|key| ("private key", format!("{key}, loaded or written within the operation"))));
    pairs.extend(case.coins().map(|coins| match (coins, &case.facts.generator) {
        (CoinSource::Internal, Some(generator)) => ("coins", format!("the library's own: {generator}")),
        _ => ("coins", "given: no random generator is asked".to_owned()),
    }));
    pairs.extend(case.keys().map(|keys| ("keys", format!("{} in turn", grouped(keys)))));
    pairs.push(("answers", if record.verified { "verified" } else { "not verified" }.to_owned()));
    pairs.push(("finished", record.finished_at.clone()));
    pairs
}
