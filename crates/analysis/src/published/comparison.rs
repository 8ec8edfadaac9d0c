//! Pairs the cases of a run with published figures.

use super::collection::{
    Collection, PublishedCpu, PublishedFigure, PublishedSource, PublishedStatistic, PublishedUnit, Series, collection,
};
use super::reasons::{caveats, reasons};
use crate::case::CaseAnalysis;
use crate::facts::facts_of;
use crate::group::grouped;
use crate::number::factor;
use crate::run::RunAnalysis;
use pqlab_record::{Case, CoinSource, Environment, Form, Parameter, State, Statistic, Unit};
use pqlab_stats::Interval;

/// Greatest difference, in percent, of two figures that count as close.
const CLOSE_PCT: f64 = 3.0;
/// Greatest difference, in percent, of two figures that count as near.
const NEAR_PCT: f64 = 10.0;
/// Ratio above which a library is far slower than published.
const FAR_SLOWER: f64 = 1.5;
/// Parameters that a paired case may have.
const MAY_HAVE: [&str; 3] = [Parameter::LENGTH, Parameter::KEY, Parameter::COINS];

/// Agreement of a figure of the run with a published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The figures differ by at most 3%.
    Close,
    /// The figures differ by more than 3%, but at most 10%.
    Near,
    /// The figures differ by more than 10%.
    Apart,
}

impl Agreement {
    /// All levels, the best first.
    pub const ALL: [Agreement; 3] = [Agreement::Close, Agreement::Near, Agreement::Apart];

    /// Returns the phrase used in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Agreement::Close => "within 3%",
            Agreement::Near => "within 10%",
            Agreement::Apart => "apart",
        }
    }
}

/// Relation between the published version of a library and the version in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionMatch {
    /// The versions are equal.
    Same,
    /// The versions belong to the same release line, such as 0.13.
    SameLine,
    /// The versions belong to different release lines.
    Other,
    /// The publication states a commit or a date, or the run measured another library that contains the code.
    Unknown,
}

impl VersionMatch {
    /// Returns the keyword used in files.
    pub fn name(self) -> &'static str {
        match self {
            VersionMatch::Same => "same",
            VersionMatch::SameLine => "same line",
            VersionMatch::Other => "other",
            VersionMatch::Unknown => "unknown",
        }
    }
}

/// Figure of a run, paired with a published one.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedPair {
    /// Id of the case.
    pub case: String,
    /// Provider of the case.
    pub provider: String,
    /// Published figure.
    pub figure: &'static PublishedFigure,
    /// Series of the published figure.
    pub series: &'static Series,
    /// CPU of the published figure.
    pub cpu: &'static PublishedCpu,
    /// Source of the published figure.
    pub source: &'static PublishedSource,
    /// Unit of the comparison: core cycles if both are known, else ns.
    pub unit: Unit,
    /// Figure of the run with its 95% interval, by the statistic that is closest to the published one.
    pub here: Interval,
    /// Published figure, converted to the unit of the comparison.
    pub published: f64,
    /// Ratio of the run's time in ns to the published one; `None` if the published time is unknown.
    pub time_ratio: Option<f64>,
    /// Whether the figure of the run is disturbed.
    pub disturbed: bool,
    /// Relation between the versions.
    pub version: VersionMatch,
    /// Possible reasons for a difference, the likeliest first.
    pub reasons: Vec<String>,
    /// Whether the run and the publication used the same library, and nothing else explains a difference.
    pub(super) same_work: bool,
}

impl PublishedPair {
    /// Returns the ratio of the run's figure to the published one.
    pub fn ratio(&self) -> f64 {
        self.here.estimate / self.published
    }

    /// Returns the difference in percent of the smaller figure.
    pub fn difference_pct(&self) -> f64 {
        100.0 * (self.ratio().max(1.0 / self.ratio()) - 1.0)
    }

    /// Returns the level of agreement.
    pub fn agreement(&self) -> Agreement {
        match self.difference_pct() {
            difference if difference <= CLOSE_PCT => Agreement::Close,
            difference if difference <= NEAR_PCT => Agreement::Near,
            _ => Agreement::Apart,
        }
    }

    /// Returns whether the library is so much slower in the run that it may have used a different code path.
    pub fn is_far_slower(&self) -> bool {
        self.same_work && self.ratio() > FAR_SLOWER
    }
}

/// Comparison of a run with published figures.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedComparison {
    /// Id of the run.
    pub run: String,
    /// Model of the run's CPU.
    pub cpu: String,
    /// Kind of core; `None` if the collection does not know it.
    pub core: Option<&'static str>,
    /// Rate of the run's time-stamp counter in Hz.
    pub tsc_hz: Option<f64>,
    /// Core clock in Hz when the run began.
    pub core_hz: Option<f64>,
    /// Pairs with figures for the run's kind of core, the largest difference last.
    pub pairs: Vec<PublishedPair>,
    /// Pairs with figures for other cores. They are not judged. Empty unless requested.
    pub others: Vec<PublishedPair>,
    /// Number of published figures for the run's kind of core.
    pub published: usize,
}

/// Compares the cases of a run with the published figures for its kind of core. If `all_cpus` is set, also pairs cases
/// with figures for other cores.
pub fn compare_published(analysis: &RunAnalysis<'_>, all_cpus: bool) -> PublishedComparison {
    let all = collection();
    let environment = &analysis.run.header.environment;
    let core = all.core_of(&environment.cpu).map(|core| core.name.as_str());
    let (mut pairs, mut others, mut published) = (Vec::new(), Vec::new(), 0);
    for figure in &all.figures {
        let is_judged = Some(all.cpu_of(all.series_of(figure)).core.as_str()) == core;
        published += usize::from(is_judged);
        if is_judged {
            pairs.extend(pairs_of(analysis, all, figure));
        } else if all_cpus {
            others.extend(pairs_of(analysis, all, figure));
        }
    }
    pairs.sort_by(|one, other| one.difference_pct().total_cmp(&other.difference_pct()));
    others.sort_by(|one, other| one.case.cmp(&other.case).then(one.ratio().total_cmp(&other.ratio())));
    PublishedComparison {
        run: analysis.run.header.id.clone(),
        cpu: environment.cpu.model.clone(),
        core,
        tsc_hz: environment.counters.ticks_per_second,
        core_hz: environment.counters.core_clock_estimate_hz,
        pairs,
        others,
        published,
    }
}

impl PublishedComparison {
    /// Returns the pairs with this level of agreement, the largest difference last.
    pub fn at(&self, agreement: Agreement) -> impl Iterator<Item = &PublishedPair> {
        self.pairs.iter().filter(move |pair| pair.agreement() == agreement)
    }

    /// Returns the sources of all pairs, in the order of the collection.
    pub fn sources(&self) -> Vec<&'static PublishedSource> {
        let shown =
            |source: &&PublishedSource| self.pairs.iter().chain(&self.others).any(|pair| pair.source.id == source.id);
        collection().sources.iter().filter(shown).collect()
    }

    /// Returns the answer in one line: the number of figures that agree, and the largest difference.
    pub fn answer(&self) -> String {
        let Some(core) = self.core else {
            return format!("Answer: no published figures are for this CPU ({})", self.cpu);
        };
        let Some(worst) = self.pairs.last() else {
            return format!("Answer: none of the {} published figures for {core} matches a case", self.published);
        };
        let (close, near) = (self.at(Agreement::Close).count(), self.at(Agreement::Near).count());
        let mut text = format!(
            "Answer: compared with published figures for {core}, {close} of {} agree within 3% and {} within 10%",
            self.pairs.len(),
            close + near
        );
        let disturbed = self.pairs.iter().filter(|pair| pair.disturbed).count();
        if disturbed > 0 {
            text.push_str(&format!(" ({disturbed} disturbed here)"));
        }
        if worst.agreement() != Agreement::Close {
            text.push_str(&format!("; largest difference: {} ({})", worst.case, factor(worst.ratio())));
        }
        text
    }

    /// Returns a sentence for each library and algorithm that is far slower in the run than published, although nothing
    /// else explains it. Such a library probably uses its portable code.
    pub fn far_slower(&self) -> Vec<String> {
        let far = self.pairs.iter().filter(|pair| pair.is_far_slower());
        let by_library = grouped(far, |pair| (pair.provider.clone(), pair.figure.algorithm.clone()));
        let sentence = |((provider, algorithm), pairs): ((String, String), Vec<&PublishedPair>)| {
            let operations: Vec<String> =
                pairs.iter().map(|pair| format!("{} {}", pair.figure.operation, factor(pair.ratio()))).collect();
            let core = self.core.unwrap_or_default();
            format!("{provider}, {algorithm}: {} as long as published for {core}", operations.join(", "))
        };
        by_library.into_iter().map(sentence).collect()
    }
}

/// Returns the pairs of a published figure: one for each library that has a matching case.
fn pairs_of(
    analysis: &RunAnalysis<'_>,
    all: &'static Collection,
    figure: &'static PublishedFigure,
) -> Vec<PublishedPair> {
    let series = all.series_of(figure);
    let environment = &analysis.run.header.environment;
    let suits = |row: &&CaseAnalysis<'_>| {
        does_the_work(row.case(), figure, series) && relation(row.case(), environment, series).is_some()
    };
    let rows = grouped(analysis.cases().iter().filter(suits), |row| row.case().library().to_owned());
    let nearest = |(_, rows): (String, Vec<&CaseAnalysis<'_>>)| {
        let found = rows.into_iter().filter_map(|row| Some((mismatch(row, series)?, row)));
        let (_, row) =
            found.min_by(|(one, _), (other, _)| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal))?;
        pair(row, environment, all, figure)
    };
    rows.into_iter().filter_map(nearest).collect()
}

/// Returns whether a case does the published operation with the same form of keys, and the length of the figure.
fn does_the_work(case: &Case, figure: &PublishedFigure, series: &Series) -> bool {
    let same =
        (&case.workload, &case.algorithm, &case.operation) == (&figure.area, &figure.algorithm, &figure.operation);
    let path = series.path.as_deref().zip(case.backend()).is_none_or(|(path, backend)| path == backend);
    let form = series.form.zip(case.form).is_none_or(|(published, here)| published == here);
    let key = series.key.as_deref().zip(case.key()).is_none_or(|(published, here)| published == here);
    let length = figure.length.is_none_or(|length| case.message_length() == Some(length));
    same && path && form && key && length && case.state() == State::Warm && case.has_only(&MAY_HAVE)
}

/// Relation between the library of a case and the published library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// The same library.
    Same,
    /// The library of the case contains code of the published one.
    Contains,
}

/// Returns the relation between the library of a case and the library of a series, or `None` if they are unrelated.
pub(super) fn relation(case: &Case, environment: &Environment, series: &Series) -> Option<Relation> {
    let loaded = environment.loaded(&case.provider).map(|(_, library)| library.kind.as_str());
    // A library that the user added is named after its version: `liboqs@0.15`.
    let name = case.library().split('@').next().unwrap_or_default();
    if name == series.library || loaded == Some(series.library.as_str()) {
        return Some(Relation::Same);
    }
    let facts = facts_of(name).filter(|_| loaded.is_none())?;
    let is_inside = facts.contains.iter().any(|code| {
        code.library == series.library && code.algorithms.iter().any(|start| case.algorithm.starts_with(start))
    });
    is_inside.then_some(Relation::Contains)
}

/// Returns how far the way of measuring differs: form, randomness, message length, then time in ns. Of several cases of
/// a library, the one with the least mismatch is paired. Returns `None` for a case without a figure.
fn mismatch(row: &CaseAnalysis<'_>, series: &Series) -> Option<(bool, bool, u64, f64)> {
    let case = row.case();
    let length = case.message_length().unwrap_or_default().abs_diff(series.message_bytes.unwrap_or_default());
    let form = series.form.is_none() && case.form == Some(Form::Encoded);
    Some((form, has_other_randomness(case, series), length, row.time()?.estimate))
}

/// Returns whether only one of the two operations calls a generator.
pub(super) fn has_other_randomness(case: &Case, series: &Series) -> bool {
    case.coins().is_some_and(|coins| (coins == CoinSource::Exact) != series.supplied_randomness)
}

/// Returns the statistic of the run that is closest to the published one.
fn statistic(case: &Case, published: PublishedStatistic) -> Statistic {
    match published {
        PublishedStatistic::Mean => Statistic::Mean,
        PublishedStatistic::Median | PublishedStatistic::InterquartileMean => Statistic::Median,
        // A batch contains many operations, so the median over batches is close to the mean.
        PublishedStatistic::MedianOfBatches => case.statistic(),
    }
}

impl Series {
    /// Converts a value to ns. Returns `None` if the rate of the published counter is unknown.
    fn nanoseconds(&self, value: f64, cpu: &PublishedCpu) -> Option<f64> {
        match self.unit {
            PublishedUnit::Nanoseconds => Some(value),
            PublishedUnit::PerSecond => Some(1e9 / value),
            PublishedUnit::TscTicks => Some(value * 1e3 / cpu.tsc_mhz?),
            PublishedUnit::CoreCycles => Some(value * 1e3 / cpu.core_mhz?),
        }
    }

    /// Converts a value to core cycles. Returns `None` if the published core clock is unknown.
    fn core_cycles(&self, value: f64, cpu: &PublishedCpu) -> Option<f64> {
        match self.unit {
            PublishedUnit::CoreCycles => Some(value),
            _ => Some(self.nanoseconds(value, cpu)? * cpu.core_mhz? / 1e3),
        }
    }
}

fn pair(
    row: &CaseAnalysis<'_>,
    environment: &Environment,
    all: &'static Collection,
    figure: &'static PublishedFigure,
) -> Option<PublishedPair> {
    let series = all.series_of(figure);
    let (cpu, source) = (all.cpu_of(series), all.source_of(series));
    let case = row.case();
    let estimates = row.estimates.as_ref()?;
    let statistic = statistic(case, series.statistic);
    let ns = series.nanoseconds(figure.value, cpu);
    // The interruptions belong to this machine. A figure at the expected number of attempts leaves them out already.
    let has_interruptions = statistic == Statistic::Mean && estimates.attempts.is_none();
    let [clean_time, clean_cycles] = match has_interruptions {
        true => [row.uninterrupted_mean_ns(), row.uninterrupted_mean_cycles()],
        false => [None, None],
    };
    let time = clean_time.unwrap_or_else(|| estimates.time(statistic));
    let cycles = clean_cycles.or_else(|| Some(estimates.cycles?.by(statistic)));
    let cycles = cycles.zip(series.core_cycles(figure.value, cpu));
    let (unit, here, published) = match cycles {
        Some((here, published)) => (Unit::CoreCycles, here, published),
        None => (Unit::Nanoseconds, time, ns?),
    };
    if here.estimate.is_nan() || here.estimate <= 0.0 || published <= 0.0 {
        return None;
    }
    let build = environment.providers.iter().find(|build| build.id == case.provider);
    let relation = relation(case, environment, series)?;
    let version = match (relation, build) {
        (Relation::Same, Some(build)) => compare_versions(&series.version, &build.version),
        _ => VersionMatch::Unknown,
    };
    let mut pair = PublishedPair {
        case: case.id(),
        provider: case.provider.clone(),
        figure,
        series,
        cpu,
        source,
        unit,
        here,
        published,
        time_ratio: ns.map(|ns| time.estimate / ns),
        disturbed: estimates.contended,
        version,
        reasons: Vec::new(),
        same_work: relation == Relation::Same && !estimates.contended,
    };
    pair.same_work &= caveats(figure, series, pair.ratio()).is_empty();
    pair.reasons = reasons(&pair, row, environment, relation, build);
    Some(pair)
}

/// Compares a published version with the version string of a run, which may name several packages.
fn compare_versions(published: &str, here: &str) -> VersionMatch {
    let here = same_package(published, here).unwrap_or(here);
    let published = published.rsplit(' ').next().unwrap_or_default();
    let Some(wanted) = numbers(published) else { return VersionMatch::Unknown };
    let found: Vec<&str> = here.split([' ', ',', '(', ')']).filter(|word| numbers(word).is_some()).collect();
    let in_line = |word: &&str| numbers(word).is_some_and(|numbers| line(&numbers) == line(&wanted));
    match found.is_empty() {
        true => VersionMatch::Unknown,
        false if found.contains(&published) => VersionMatch::Same,
        false if found.iter().any(in_line) => VersionMatch::SameLine,
        false => VersionMatch::Other,
    }
}

/// Returns the part of a run's version string for the package that a published version such as `sha3 0.11.0` names.
pub(super) fn same_package<'a>(published: &str, here: &'a str) -> Option<&'a str> {
    let (package, _) = published.split_once(' ')?;
    here.split(", ").find(|one| one.split(' ').next() == Some(package))
}

/// Returns the numbers of a version such as `0.13.1-dev`, or `None` if the text is not a version.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let numbers: Option<Vec<u32>> = core.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() > 1)
}

/// Returns the numbers that name the release line. In versions 0.0.x, every release may change everything.
fn line(numbers: &[u32]) -> &[u32] {
    let length = if numbers.starts_with(&[0, 0]) { 3 } else { 2 };
    &numbers[..length.min(numbers.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{CoreChecks, CpuNumbers, Interruptions, ProviderBuild, Run};

    /// Returns a run on a Zen 3 whose liboqs takes `microseconds` µs to encapsulate with ML-KEM-768.
    fn zen3(microseconds: f64) -> Run {
        let mut run = fixtures::run();
        run.header.environment.cpu.numbers = Some(CpuNumbers { family: 25, model: 1, stepping: 1 });
        run.header.environment.providers =
            vec![ProviderBuild { id: "liboqs".into(), version: "0.13.0".into(), ..ProviderBuild::default() }];
        run.records = vec![fixtures::record("liboqs", microseconds)];
        run
    }

    fn compared(run: &Run) -> PublishedComparison {
        compare_published(&RunAnalysis::new(run), false)
    }

    fn by_liboqs(comparison: &PublishedComparison) -> &PublishedPair {
        comparison.pairs.iter().find(|pair| pair.series.library == "liboqs").unwrap()
    }

    /// Time in µs that equals the published figure of 39,755 ticks: 52,998 core cycles, at the 2.7 GHz of the run.
    const PUBLISHED_US: f64 = 52_998.0 / 2_700.0;

    #[test]
    fn ticks_are_converted_with_the_published_clocks() {
        let comparison = compared(&zen3(PUBLISHED_US));
        let pair = by_liboqs(&comparison);
        assert_eq!(
            (pair.unit, pair.agreement(), pair.version),
            (Unit::CoreCycles, Agreement::Close, VersionMatch::SameLine)
        );
        assert!((pair.published / 52_998.0 - 1.0).abs() < 1e-3, "{}", pair.published);
        let ticks_ns = 39_755.0 * 1e3 / 2445.4;
        assert!((pair.time_ratio.unwrap() / (1e3 * PUBLISHED_US / ticks_ns) - 1.0).abs() < 0.01, "{pair:?}");
        assert!(comparison.far_slower().is_empty());
    }

    #[test]
    fn published_means_are_compared_with_means_without_interruptions() {
        let mut run = zen3(PUBLISHED_US);
        let before = by_liboqs(&compared(&run)).here.estimate;
        let interruptions = Some(Interruptions { per_ms: 2.0, typical_us: 20.0, share_pct: 4.0 });
        run.header.environment.core = Some(CoreChecks { interruptions, ..CoreChecks::default() });
        let after = by_liboqs(&compared(&run)).here.estimate;
        assert!((after / before - 0.96).abs() < 1e-9, "{before} {after}");
    }

    #[test]
    fn slow_libraries_are_named_and_every_difference_has_a_reason() {
        let comparison = compared(&zen3(2.0 * PUBLISHED_US));
        assert_eq!(comparison.far_slower(), ["liboqs, ML-KEM-768: encapsulate 2.00× as long as published for Zen 3"]);
        assert!(comparison.pairs.iter().all(|pair| !pair.reasons.is_empty()));
        assert!(by_liboqs(&comparison).reasons[0].starts_with("published for version 0.13.1-dev, here 0.13.0"));
        assert!(comparison.answer().contains("kem/ML-KEM-768/encapsulate@liboqs (2.00×)"), "{}", comparison.answer());
        let differences: Vec<f64> = comparison.pairs.iter().map(PublishedPair::difference_pct).collect();
        assert!(differences.is_sorted(), "the largest difference must be last: {differences:?}");
    }

    #[test]
    fn versions_are_compared_by_package() {
        let here = "ml-dsa 0.11.2, sha3 0.12.0, sha2 0.11.1";
        assert_eq!(compare_versions("sha3 0.11.0", here), VersionMatch::Other);
        assert_eq!(compare_versions("sha2 0.11.0", here), VersionMatch::SameLine);
        assert_eq!(compare_versions("sha2 0.11.1", here), VersionMatch::Same);
        assert_eq!(compare_versions("0.11.0", here), VersionMatch::SameLine);
        for unknown in ["main of 2025-11", "pull request 829", "mid-2025"] {
            assert_eq!(compare_versions(unknown, here), VersionMatch::Unknown, "{unknown}");
        }
    }

    #[test]
    fn hashes_are_paired_only_at_the_published_length() {
        let mut run = zen3(PUBLISHED_US);
        run.header.environment.cpu.numbers = Some(CpuNumbers { family: 25, model: 17, stepping: 1 });
        let hash = |length| {
            let mut record = fixtures::record("rustcrypto", 0.1);
            record.case.workload = "hash".into();
            record.case.algorithm = "SHA3-256".into();
            record.case.operation = "digest".into();
            record.case.parameters = vec![Parameter::Number(Parameter::LENGTH.into(), length)];
            record
        };
        run.records = vec![hash(64), hash(65)];
        let pairs = compared(&run).pairs;
        let [pair] = &pairs[..] else { panic!("{pairs:?}") };
        assert_eq!((pair.case.as_str(), pair.figure.length), ("hash/SHA3-256/digest[len=64]@rustcrypto", Some(64)));
    }

    #[test]
    fn only_figures_for_the_same_core_are_judged() {
        let mut run = zen3(PUBLISHED_US);
        run.header.environment.cpu.numbers = Some(CpuNumbers { family: 6, model: 0x55, stepping: 4 });
        let comparison = compare_published(&RunAnalysis::new(&run), true);
        assert_eq!(comparison.core, Some("Skylake"));
        assert!(comparison.pairs.is_empty() && comparison.answer().contains("none of the"), "{}", comparison.answer());
        assert!(comparison.others.iter().any(|pair| pair.cpu.id == "epyc-7763"));
        run.header.environment.cpu.numbers = None;
        let comparison = compared(&run);
        assert_eq!((comparison.core, comparison.pairs.len(), comparison.others.len()), (None, 0, 0));
        assert!(comparison.answer().starts_with("Answer: no published figures are for this CPU"));
    }

    #[test]
    fn another_form_of_keys_or_number_of_threads_is_not_paired() {
        let mut run = zen3(PUBLISHED_US);
        run.records[0].case.form = Some(Form::Encoded);
        assert!(compared(&run).pairs.iter().all(|pair| pair.series.form != Some(Form::Prepared)));
        run = zen3(PUBLISHED_US);
        run.records[0].case.parameters.push(Parameter::Number(Parameter::THREADS.into(), 2));
        assert!(compared(&run).pairs.is_empty());
    }

    #[test]
    fn libraries_match_figures_of_the_code_that_they_contain() {
        let mut run = zen3(PUBLISHED_US);
        run.records = vec![fixtures::record("aws-lc", 6.0)];
        run.records[0].case.algorithm = "ML-KEM-512".into();
        let comparison = compared(&run);
        let [pair] = &comparison.pairs[..] else { panic!("{comparison:?}") };
        assert_eq!((pair.series.library.as_str(), pair.unit), ("mlkem-native", Unit::Nanoseconds));
        assert!(pair.reasons.iter().any(|reason| reason.contains("whose code aws-lc contains")), "{:?}", pair.reasons);
        assert!(!pair.is_far_slower());
    }

    #[test]
    fn versions_are_compared_by_release_line() {
        for (published, here, wanted) in [
            ("4.0.3", "4.0.3", VersionMatch::Same),
            ("4.0.1", "4.0.3", VersionMatch::SameLine),
            ("0.13.1-dev", "0.13.0", VersionMatch::SameLine),
            ("3.6.0", "4.0.3", VersionMatch::Other),
            ("0.0.3-alpha.1", "libcrux-ml-kem 0.0.11, libcrux-ml-dsa 0.0.11", VersionMatch::Other),
            ("0.0.11", "libcrux-ml-kem 0.0.11, libcrux-ml-dsa 0.0.11", VersionMatch::Same),
            ("main of 2025-11", "0.13.0", VersionMatch::Unknown),
            ("0a0a167", "5.12.0", VersionMatch::Unknown),
        ] {
            assert_eq!(compare_versions(published, here), wanted, "{published} {here}");
        }
    }

    #[test]
    fn the_level_of_agreement_is_symmetric() {
        let comparison = compared(&zen3(PUBLISHED_US));
        let mut pair = by_liboqs(&comparison).clone();
        for (published, wanted) in
            [(1.0, Agreement::Close), (1.02, Agreement::Close), (1.08, Agreement::Near), (2.0, Agreement::Apart)]
        {
            for published in [published, 1.0 / published] {
                pair.published = pair.here.estimate * published;
                assert_eq!(pair.agreement(), wanted, "{published}");
            }
        }
    }
}
