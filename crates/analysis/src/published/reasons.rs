//! Possible reasons for a difference between a figure of a run and a published one.

use super::collection::{PublishedFigure, PublishedStatistic, Series};
use super::comparison::{PublishedPair, Relation, VersionMatch, has_other_randomness};
use crate::case::CaseAnalysis;
use crate::facts::facts_of;
use crate::number::{frequency, percent};
use pqlab_record::{Environment, Form, ProviderBuild, Statistic, Unit};

/// Message lengths that differ by less than this number of bytes take about the same time to hash.
const SHORT_BYTES: u64 = 128;
/// Maximum length of a version in a reason.
const SHORT_VERSION: usize = 24;

/// Returns the statements of a series about a figure.
pub(super) fn caveats<'a>(figure: &PublishedFigure, series: &'a Series) -> Vec<&'a str> {
    let applies = |algorithms: &[String]| algorithms.iter().any(|start| figure.algorithm.starts_with(start));
    series.caveats.iter().filter(|one| applies(&one.algorithms)).map(|one| one.says.as_str()).collect()
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
    if row.estimates.as_ref().is_some_and(|estimates| estimates.contended) {
        all.push("disturbed here".into());
    }
    all.extend(caveats(pair.figure, series).into_iter().map(str::to_owned));
    if relation == Relation::Contains {
        all.push(format!("published for {}, whose code {} contains", series.library, case.library()));
    }
    if let (Some(path), None) = (&series.path, case.backend()) {
        all.push(format!("published for the code path {path}"));
    }
    if has_other_randomness(case, series) {
        all.push(match series.supplied_randomness {
            true => "published without drawing random bytes".into(),
            false => "published with drawing random bytes".into(),
        });
    }
    all.extend(length(case.message_length(), series.message_bytes));
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
            all.push(format!("published for version {}, here {}", series.version, short(&build.version)));
        }
        (VersionMatch::Unknown, _) => all.push(format!("published for {} {}", series.library, series.version)),
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
    all
}

fn length(here: Option<u64>, published: Option<u64>) -> Option<String> {
    let (here, published) = here.zip(published)?;
    (here.abs_diff(published) > SHORT_BYTES).then(|| format!("published for messages of {published} B, here {here} B"))
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

/// Shortens a list of versions to its first.
fn short(version: &str) -> String {
    match version.split_once(',') {
        Some((first, _)) if version.len() > SHORT_VERSION => format!("{first}, ..."),
        _ => version.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers_are_short() {
        assert_eq!(compiler_name("cc (Debian 12.2.0-14+deb12u1) 12.2.0"), "cc 12.2.0");
        assert_eq!(compiler_name("rustc 1.95.0 (59807616e 2026-04-14)"), "rustc 1.95.0");
        assert_eq!(short("ml-kem 0.3.4, ml-dsa 0.1.2, slh-dsa 0.2.0"), "ml-kem 0.3.4, ...");
        assert_eq!(short("4.0.3"), "4.0.3");
    }

    #[test]
    fn only_long_messages_matter() {
        assert_eq!(length(Some(32), Some(59)), None);
        assert_eq!(length(Some(32), None), None);
        assert_eq!(length(Some(32), Some(1023)).unwrap(), "published for messages of 1023 B, here 32 B");
    }
}
