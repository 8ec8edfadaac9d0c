//! Possible reasons for a difference between a figure of a run and a published one.

use super::collection::{PublishedCaveat, PublishedFigure, PublishedStatistic, Series};
use super::comparison::{PublishedPair, Relation, VersionMatch, has_other_randomness, same_package};
use crate::case::CaseAnalysis;
use crate::facts::facts_of;
use crate::group::distinct;
use crate::number::{frequency, percent};
use pqlab_record::{Environment, Form, ProviderBuild, Statistic, Unit};

/// Message lengths that differ by less than this number of bytes take about the same time to hash.
const SHORT_BYTES: u64 = 128;

/// Returns the statements of a series about a figure that can explain this ratio of the run's figure to the published
/// one, the tested ones first.
pub(super) fn caveats(figure: &PublishedFigure, series: &Series, ratio: f64) -> Vec<String> {
    let difference_pct = 100.0 * (ratio.max(1.0 / ratio) - 1.0);
    let applies = |one: &&PublishedCaveat| {
        one.algorithms.iter().any(|start| figure.algorithm.starts_with(start))
            && (one.operations.is_empty() || one.operations.contains(&figure.operation))
            && one.at_most_pct.is_none_or(|limit| difference_pct <= limit)
            && (!one.slower_only || ratio > 1.0)
            && (!one.faster_only || ratio < 1.0)
    };
    let (tested, others): (Vec<_>, Vec<_>) = series.caveats.iter().filter(applies).partition(|one| one.tested);
    let tested = tested.into_iter().map(|one| format!("tested: {}", one.says));
    tested.chain(others.into_iter().map(|one| one.says.clone())).collect()
}

/// Returns everything that may explain a difference, the likeliest reason first.
pub(super) fn reasons(
    pair: &PublishedPair,
    row: &CaseAnalysis<'_>,
    environment: &Environment,
    relation: Relation,
    build: Option<&ProviderBuild>,
) -> Vec<String> {
    let (case, series) = (row.case(), pair.series);
    let mut all: Vec<String> = Vec::new();
    if pair.disturbed {
        all.push("disturbed here".into());
    }
    if relation == Relation::Contains {
        let Series { library, version, .. } = series;
        all.push(format!("published for {library} {version}, whose code {} contains", case.library()));
    }
    if let (Some(path), None) = (&series.path, case.backend()) {
        all.push(format!("published for the code path {path}"));
    }
    all.extend(caveats(pair.figure, series, pair.ratio()));
    let is_slower = pair.ratio() > 1.0;
    // Drawing random bytes and hashing a longer message only add time.
    if has_other_randomness(case, series) && series.supplied_randomness == is_slower {
        let what = if is_slower { "without" } else { "with" };
        all.push(format!("published {what} drawing random bytes"));
    }
    all.extend(length(case.message_length(), series.message_bytes, is_slower));
    if series.form.is_none() && case.form == Some(Form::Encoded) {
        all.push("published without the form of keys, encoded here".into());
    }
    if case.repeats_by_chance() {
        all.push(format!("retries at random: ±{} here", percent(pair.here.half_width_pct())));
    } else if pair.here.half_width_pct() > pair.difference_pct() / 2.0 {
        all.push(format!("uncertainty here: ±{}", percent(pair.here.half_width_pct())));
    }
    match (pair.version, build) {
        (VersionMatch::SameLine | VersionMatch::Other, Some(build)) => {
            all.push(match same_package(&series.version, &build.version) {
                Some(package) => format!("published for {}, here {package}", series.version),
                None => format!("published for version {}, here {}", series.version, short(&build.version)),
            });
        }
        (VersionMatch::Unknown, _) if relation == Relation::Same => {
            all.push(format!("published for {} {}", series.library, series.version))
        }
        _ => {}
    }
    if series.statistic == PublishedStatistic::InterquartileMean && case.statistic() == Statistic::Median {
        all.push("published interquartile mean, here the median".into());
    }
    if pair.unit == Unit::Nanoseconds {
        all.push("compared in time, because a core clock is unknown".into());
    }
    all.extend(compiler(case.library(), series, environment));
    if series.cpu_inferred {
        let clock = pair.cpu.core_mhz.map(|mhz| format!(" at {}", frequency(mhz * 1e6))).unwrap_or_default();
        all.push(format!("CPU not stated, assumed {}{clock}", pair.cpu.name));
    }
    if all.is_empty() {
        all.push("no known reason".into());
    }
    all
}

/// Names the lengths of the messages if the longer message took longer.
fn length(here: Option<u64>, published: Option<u64>, is_slower: bool) -> Option<String> {
    let (here, published) = here.zip(published)?;
    let matters = here.abs_diff(published) > SHORT_BYTES && (here > published) == is_slower;
    matters.then(|| format!("published for messages of {published} B, here {here} B"))
}

/// Names the compilers if they matter and differ. `cc` compiles C libraries, and rustc compiles the others.
fn compiler(library: &str, series: &Series, environment: &Environment) -> Option<String> {
    let is_rust = facts_of(library).is_some_and(|facts| facts.language.starts_with("Rust"));
    let build = &environment.build;
    let here = if is_rust { Some(build.rustc.as_str()) } else { build.cc.as_deref() };
    match (&series.compiler, here) {
        (Some(published), Some(here)) if here.contains(published.as_str()) => None,
        (Some(published), Some(here)) => Some(format!("published with {published}, here {}", compiler_name(here))),
        (Some(published), None) => Some(format!("published with {published}")),
        (None, _) => Some("published without the compiler".into()),
    }
}

/// Shortens `cc (Debian 12.2.0-14+deb12u1) 12.2.0` to `cc 12.2.0`, and `rustc 1.95.0 (59807616e 2026-04-14)` to
/// `rustc 1.95.0`.
fn compiler_name(version: &str) -> String {
    let outside = version.split('(').map(|part| part.rsplit(')').next().unwrap_or_default().trim());
    outside.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Shortens a list of packages with equal versions to that version, and any other list to its first package.
fn short(version: &str) -> String {
    let packages: Vec<&str> = version.split(", ").collect();
    let numbers = distinct(packages.iter().filter_map(|package| package.split(' ').nth(1)));
    match (&packages[..], &numbers[..]) {
        ([_], _) => version.to_owned(),
        (_, [number]) => (*number).to_owned(),
        ([first, ..], _) => format!("{first}, ..."),
        ([], _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::collection::collection;
    use super::*;

    #[test]
    fn names_of_compilers_are_short() {
        assert_eq!(compiler_name("cc (Debian 12.2.0-14+deb12u1) 12.2.0"), "cc 12.2.0");
        assert_eq!(compiler_name("rustc 1.95.0 (59807616e 2026-04-14)"), "rustc 1.95.0");
        assert_eq!(short("ml-kem 0.3.4, ml-dsa 0.1.2, slh-dsa 0.2.0"), "ml-kem 0.3.4, ...");
        assert_eq!(short("libcrux-ml-kem 0.0.11, libcrux-ml-dsa 0.0.11"), "0.0.11");
        assert_eq!(short("4.0.3"), "4.0.3");
    }

    #[test]
    fn statements_explain_only_differences_that_they_can_cause() {
        let all = collection();
        let find = |library: &str, algorithm: &str| {
            let suits = |figure: &&PublishedFigure| {
                all.series_of(figure).library == library && figure.algorithm.starts_with(algorithm)
            };
            all.figures.iter().find(suits).map(|figure| (figure, all.series_of(figure))).unwrap()
        };
        let (figure, series) = find("openssl", "X25519");
        assert_eq!([0.9, 1.1, 1.3].map(|ratio| caveats(figure, series, ratio).len()), [0, 1, 0]);
        let (figure, series) = find("liboqs", "SPHINCS+-SHA2-");
        assert_eq!([0.5, 1.1, 9.0].map(|ratio| caveats(figure, series, ratio).len()), [1, 1, 1]);
        let (figure, series) = find("crystals", "ML-DSA-");
        assert!(caveats(figure, series, 1.02)[0].starts_with("tested: "), "tested statements come first");
        let by_name = |figure: &PublishedFigure| {
            caveats(figure, all.series_of(figure), 0.95).iter().any(|reason| reason.contains("called by name"))
        };
        let named: Vec<_> = all.figures.iter().filter(|figure| by_name(figure)).collect();
        assert!(!named.is_empty() && named.iter().all(|figure| figure.operation == "keygen"), "{named:?}");
        let (figure, series) = find("liboqs", "ML-KEM-");
        assert!(caveats(figure, series, 1.1).is_empty());
    }

    #[test]
    fn only_long_messages_matter() {
        assert_eq!(length(Some(32), Some(59), false), None);
        assert_eq!(length(Some(32), None, false), None);
        assert_eq!(length(Some(32), Some(1023), true), None, "a short message cannot make signing slower");
        assert_eq!(length(Some(32), Some(1023), false).unwrap(), "published for messages of 1023 B, here 32 B");
    }
}
