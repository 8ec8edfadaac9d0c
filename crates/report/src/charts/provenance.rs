//! Small print below each picture. Explains the whiskers and the marks that are not ranked. States the machine, date
//! and versions of the measurement.

use indexmap::IndexMap;
use pqlab_analysis::comparison::NotRanked;
use pqlab_analysis::number::significant;
use pqlab_analysis::{CaseAnalysis, RunAnalysis, distinct, grouped};
use pqlab_record::{ASSUMED, Cpu, CpuNumbers, Environment, State, Statistic};
use std::collections::BTreeSet;

/// Maximum number of runs or failed cases that the small print names.
const NAMED: usize = 3;

/// Mark after the name of a library that has a known defect in another operation of the same algorithm.
pub(super) const ELSEWHERE: &str = "†";

/// Packages that implement only some algorithms. Each package is listed with substrings of the names of its algorithms,
/// in lower case and without punctuation.
const PACKAGES: [(&str, &[&str]); 25] = [
    ("aes-gcm", &["aes"]),
    ("ctr", &["aes"]),
    ("curve25519-dalek", &["25519", "xwing", "ntor"]),
    ("ed25519-dalek", &["ed25519"]),
    ("fips203", &["mlkem"]),
    ("fips204", &["mldsa"]),
    ("fips205", &["slhdsa"]),
    ("hkdf", &["hkdf", "ntor", "kemonly"]),
    ("hmac", &["hmac", "hkdf", "ntor", "kemonly"]),
    ("k256", &["secp256k1"]),
    ("keccak", &["sha32", "sha33", "sha35", "shake", "xwing"]),
    ("libcrux-ml-dsa", &["mldsa"]),
    ("libcrux-ml-kem", &["mlkem", "xwing"]),
    ("libcrux-sha3", &["sha32", "sha33", "sha35", "shake"]),
    ("ml-dsa", &["mldsa"]),
    ("ml-kem", &["mlkem", "xwing"]),
    ("p256", &["p256", "secp256r1"]),
    ("p384", &["p384", "secp384r1"]),
    ("secp256k1", &["secp256k1"]),
    ("secp256k1-sys", &["secp256k1"]),
    ("sha2", &["sha2", "sha512", "sha384", "ecdsa", "hmac", "hkdf", "ntor", "kemonly"]),
    ("sha3", &["sha32", "sha33", "sha35", "xwing"]),
    ("shake", &["shake"]),
    ("slh-dsa", &["slhdsa"]),
    ("x25519-dalek", &["x25519", "xwing", "ntor"]),
];

/// Sentence that explains known defects.
pub(super) const KNOWN_DEFECT: &str = " Known defect: the result is wrong, or a required check is skipped.";

/// Figures that a picture shows.
#[derive(Default)]
pub(super) struct Shown {
    /// Pairs of provider and algorithm for which the small print lists versions.
    libraries: BTreeSet<(String, String)>,
    /// Pairs of provider and algorithm with a ranked figure.
    ranked: BTreeSet<(String, String)>,
    figures: usize,
    /// Statistics of the figures, if the picture shows figures of cases.
    statistics: BTreeSet<Statistic>,
    /// Number of figures that are not ranked, by reason.
    doubts: IndexMap<&'static str, usize>,
}

impl Shown {
    /// Counts a figure. `doubt` is the reason why the figure is not ranked, or `None` if it is ranked.
    pub(super) fn add(&mut self, provider: &str, algorithm: &str, doubt: Option<&'static str>) {
        self.add_library(provider, algorithm);
        self.figures += 1;
        match doubt {
            Some(reason) => *self.doubts.entry(reason).or_default() += 1,
            None => {
                self.ranked.insert((provider.to_owned(), algorithm.to_owned()));
            }
        }
    }

    pub(super) fn add_library(&mut self, provider: &str, algorithm: &str) {
        self.libraries.insert((provider.to_owned(), algorithm.to_owned()));
    }

    pub(super) fn add_statistic(&mut self, statistic: Statistic) {
        self.statistics.insert(statistic);
    }

    /// Returns the sentence that names the statistic of the figures. Returns an empty string if it is unknown.
    pub(super) fn statistic(&self) -> &'static str {
        match (self.statistics.contains(&Statistic::Median), self.statistics.contains(&Statistic::Mean)) {
            (true, false) => "Figures are medians.",
            (false, true) => "Figures are means.",
            (true, true) => "Figures are medians, or means for operations that retry, such as signing with ML-DSA.",
            (false, false) => "",
        }
    }

    /// Returns the sentences that explain which marks are not ranked, and why. `reach` is whether the whiskers of
    /// disturbed cases reach the estimated undisturbed figure.
    pub(super) fn trust(&self, reach: bool) -> String {
        if self.doubts.is_empty() {
            return "All marks are ranked: none is disturbed, shows a known defect or is pqlab's own code.".to_owned();
        }
        let reasons: Vec<String> = self.doubts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let doubtful: usize = self.doubts.values().sum();
        let mut text = format!("Grey marks are not ranked: {doubtful} of {} ({}).", self.figures, reasons.join(", "));
        let disturbed = match reach {
            true => {
                " Disturbed: another program used the core. A whisker then reaches the estimated undisturbed figure."
            }
            false => " Disturbed: another program used the core.",
        };
        for (reason, means) in [(NotRanked::Disturbed.text(), disturbed), (NotRanked::KnownDefect.text(), KNOWN_DEFECT)]
        {
            text.push_str(if self.doubts.contains_key(reason) { means } else { "" });
        }
        text
    }

    /// Returns the sentence that explains [`ELSEWHERE`]. Returns an empty string if the picture does not contain this
    /// mark.
    pub(super) fn related_defects(&self, analysis: &RunAnalysis<'_>) -> String {
        let found = self.ranked.iter().flat_map(|(provider, algorithm)| {
            let operations = defective_operations(analysis, provider, algorithm).into_iter();
            operations.map(move |operation| ((provider.as_str(), operation), algorithm.as_str()))
        });
        let found: Vec<_> = found.collect();
        let groups = grouped(found.iter(), |(key, _)| *key).into_iter();
        let sentences = groups.map(|((provider, operation), all)| {
            let algorithms: Vec<&str> = all.iter().map(|(_, algorithm)| *algorithm).collect();
            format!("{provider}: only its {operation} of {} has a known defect", algorithms.join(", "))
        });
        let sentences: Vec<String> = sentences.collect();
        if sentences.is_empty() { String::new() } else { format!("{ELSEWHERE} {}.", sentences.join("; ")) }
    }
}

/// Returns the operations of an algorithm in which a library has a known defect.
fn defective_operations<'s>(analysis: &'s RunAnalysis<'_>, provider: &str, algorithm: &str) -> Vec<&'s str> {
    let planned = analysis.parts.iter().flat_map(|header| &header.plan);
    let cases = planned.chain(analysis.cases().iter().map(CaseAnalysis::case));
    let defective = cases.filter(|case| {
        case.facts.defect.is_some() && case.provider == provider && case.algorithm == algorithm && !case.is_null()
    });
    distinct(defective.map(|case| case.operation.as_str()))
}

/// Returns the label of a figure's library: `liboqs`, `liboqs (known defect)`, or `liboqs †` if only another operation
/// of the same algorithm has a defect.
pub(super) fn named(analysis: &RunAnalysis<'_>, provider: &str, algorithm: &str, doubt: Option<&str>) -> String {
    match doubt {
        Some(reason) => format!("{provider} ({reason})"),
        None if defective_operations(analysis, provider, algorithm).is_empty() => provider.to_owned(),
        None => format!("{provider} {ELSEWHERE}"),
    }
}

/// Returns a sentence that names the state of the figures, if the run measured an area in several states. Otherwise
/// returns an empty string.
pub(super) fn states(analysis: &RunAnalysis<'_>, area: &str) -> String {
    let has = |warm: bool| {
        let is_of = |row: &CaseAnalysis<'_>| !row.case().is_null() && (row.case().state() == State::Warm) == warm;
        analysis.area(area).any(is_of)
    };
    let both = has(true) && has(false);
    if both { "Figures are for warm caches; the tables list the other states.".to_owned() } else { String::new() }
}

/// Returns a sentence that names the failed cases of the operations in `rows`. Returns an empty string if no case
/// failed.
pub(super) fn failures(analysis: &RunAnalysis<'_>, rows: &[&CaseAnalysis<'_>]) -> String {
    let jobs: BTreeSet<(&str, String)> = rows.iter().map(|row| (row.case().workload.as_str(), row.job())).collect();
    let failed = analysis.cases().iter().filter(|row| row.failed());
    let failed: Vec<String> = failed
        .filter(|row| jobs.contains(&(row.case().workload.as_str(), row.job())))
        .map(|row| format!("{} {}", row.case().provider, row.job()))
        .collect();
    if failed.is_empty() {
        return String::new();
    }
    let more = failed.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("Not shown, because the case failed: {}{more}.", failed[..failed.len().min(NAMED)].join(", "))
}

/// Start of the sentences that explain the whiskers of times and rates.
pub(super) const TIME_WHISKERS: &str = "Whiskers: 95% interval over processes, rounds";

/// Returns the sentences that explain the whiskers of core cycles.
pub(super) fn cycle_whiskers(analysis: &RunAnalysis<'_>) -> String {
    whiskers(analysis, analysis.run.header.protocol.run_spreads.cycles_pct, " for core cycles")
}

/// Returns the sentences that explain the whiskers of times and rates.
pub(super) fn time_whiskers(analysis: &RunAnalysis<'_>) -> String {
    whiskers(analysis, analysis.run.header.protocol.run_spreads.time_pct, "")
}

/// Returns the sentences that explain whiskers. `spread_pct` is the standard deviation between runs, in percent.
fn whiskers(analysis: &RunAnalysis<'_>, spread_pct: f64, of: &str) -> String {
    let assumed = match analysis.run.header.protocol.run_spreads.source == ASSUMED {
        true => format!(" (assumed{of}: {}%, because this machine was not calibrated)", significant(spread_pct)),
        false => String::new(),
    };
    format!(
        "{TIME_WHISKERS} and the spread between runs{assumed}. Libraries were measured in the same rounds, so \
         overlapping whiskers do not mean a tie."
    )
}

/// Sentence that explains the whiskers of ratios between cases that were measured in the same rounds.
pub(super) const RATIO_WHISKERS: &str =
    "Whiskers: 95% interval of the ratio, paired by rounds, so noise that affects both libraries cancels out.";

/// Describes the run: machine, date, versions and id. Also lists the versions of the libraries in the picture.
pub(super) fn provenance(analysis: &RunAnalysis<'_>, shown: &Shown) -> Vec<String> {
    let header = &analysis.run.header;
    let Environment { cpu, os, build, .. } = &header.environment;
    let when = analysis.run.finished_at.as_deref().unwrap_or(&header.started_at);
    let mut machine = vec![model(cpu), format!("{} {}", cpu.cores, if cpu.cores == 1 { "core" } else { "cores" })];
    if cpu.virtualized == Some(true) {
        let hypervisor = cpu.virtualization.as_ref().and_then(|it| it.hypervisor.as_deref());
        machine.push(hypervisor.map_or_else(|| "virtual machine".to_owned(), |name| format!("{name} guest")));
    }
    machine.push(os.name.clone());
    machine.retain(|part| !part.is_empty());
    let commit = build.commit.as_ref().map_or_else(String::new, |commit| format!(" ({commit})"));
    let compiler = build.rustc.strip_prefix("rustc ").unwrap_or(&build.rustc).split(' ').next().unwrap_or_default();
    let compiler = if compiler.is_empty() { String::new() } else { format!("rustc {compiler}") };
    let measured = [
        format!("Measured {} on {}", when.get(..10).unwrap_or(when), machine.join(", ")),
        format!("pqlab {}{commit}", build.version),
        compiler,
        format!("suite {}", header.suite),
        format!("{} processes for each case", header.protocol.processes),
        runs(analysis),
    ];
    let measured: Vec<String> = measured.into_iter().filter(|part| !part.is_empty()).collect();
    let versions = versions(&header.environment, &shown.libraries);
    let versions = (!versions.is_empty()).then(|| format!("Libraries: {}.", versions.join("; ")));
    std::iter::once(format!("{}.", measured.join("; "))).chain(versions).collect()
}

/// Microarchitectures of server processors: maker, family, first model, last model, name (AMD's Processor Programming
/// References, Linux's `intel-family.h`).
const MICROARCHITECTURES: [(&str, u32, u32, u32, &str); 14] = [
    ("AMD", 23, 0x00, 0x2f, "Zen"),
    ("AMD", 23, 0x30, 0xff, "Zen 2"),
    ("AMD", 25, 0x00, 0x0f, "Zen 3"),
    ("AMD", 25, 0x10, 0x1f, "Zen 4"),
    ("AMD", 25, 0x20, 0x5f, "Zen 3"),
    ("AMD", 25, 0x60, 0xaf, "Zen 4"),
    ("AMD", 26, 0x00, 0xff, "Zen 5"),
    ("Intel", 6, 0x4f, 0x4f, "Broadwell"),
    ("Intel", 6, 0x55, 0x55, "Skylake or its successor Cascade Lake"),
    ("Intel", 6, 0x6a, 0x6c, "Ice Lake"),
    ("Intel", 6, 0x8f, 0x8f, "Sapphire Rapids"),
    ("Intel", 6, 0xad, 0xae, "Granite Rapids"),
    ("Intel", 6, 0xcf, 0xcf, "Emerald Rapids"),
    ("Intel", 6, 0xaf, 0xaf, "Sierra Forest"),
];

/// Returns the processor's model. A hypervisor may replace the model with the name of a series, which contains no
/// digit. In this case, appends the processor's family, model and stepping.
fn model(cpu: &Cpu) -> String {
    let is_named = cpu.model.chars().any(|letter| letter.is_ascii_digit());
    if cpu.virtualized != Some(true) || is_named || cpu.model.is_empty() {
        return cpu.model.clone();
    }
    let numbers = cpu.numbers.map_or_else(String::new, |CpuNumbers { family, model, stepping }| {
        let known = MICROARCHITECTURES.iter().find(|(maker, of, first, last, _)| {
            cpu.model.contains(maker) && *of == family && (*first..=*last).contains(&model)
        });
        let name = known.map_or_else(String::new, |(.., name)| format!("{name}, "));
        format!("{name}family {family} model {model} stepping {stepping}; ")
    });
    format!("{} ({numbers}model hidden by the hypervisor)", cpu.model)
}

fn runs(analysis: &RunAnalysis<'_>) -> String {
    match &analysis.parts[..] {
        [] | [_] => format!("run {}", analysis.run.header.id),
        parts => {
            let named: Vec<&str> = parts.iter().take(NAMED).map(|part| part.id.as_str()).collect();
            let more = parts.len().saturating_sub(NAMED);
            format!("runs {}{}", named.join(", "), if more > 0 { format!(" and {more} more") } else { String::new() })
        }
    }
}

/// Returns the versions of the libraries in `cases`, in the same order as in the environment. Backends of one library
/// share an entry.
fn versions(environment: &Environment, cases: &BTreeSet<(String, String)>) -> Vec<String> {
    let is_of = |half: &str, id: &str| half == id || half.split(':').next() == Some(id);
    let entry = |build: &pqlab_record::ProviderBuild| {
        let user = |(provider, algorithm): &(String, String)| match provider.split_once('+') {
            None => is_of(provider, &build.id).then(|| algorithm.clone()),
            Some((_, post_quantum)) if is_of(post_quantum, &build.id) => Some(algorithm.clone()),
            // The first library of a pair computes only the classical half.
            Some((classical, _)) => is_of(classical, &build.id).then(|| without_post_quantum(algorithm)),
        };
        let algorithms: Vec<String> = cases.iter().filter_map(user).collect();
        let algorithms: Vec<&str> = algorithms.iter().map(String::as_str).collect();
        let name = build.id.split(':').next().unwrap_or_default();
        let version = relevant(&build.version, &algorithms);
        let text = if version.starts_with(name) { version } else { format!("{name} {version}") };
        (!algorithms.is_empty() && !build.version.is_empty()).then_some(text)
    };
    distinct(environment.providers.iter().filter_map(entry))
}

/// Removes the post-quantum half from the name of a hybrid.
fn without_post_quantum(algorithm: &str) -> String {
    ["mlkem", "MLKEM", "ML-KEM", "mldsa", "MLDSA", "ML-DSA"]
        .iter()
        .fold(algorithm.to_owned(), |name, half| name.replace(half, ""))
}

/// Shortens a version that lists several packages to the packages that implement one of the algorithms. Keeps packages
/// that are not in [`PACKAGES`].
fn relevant(version: &str, algorithms: &[&str]) -> String {
    let plain = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let algorithms: Vec<String> = algorithms.iter().map(|algorithm| plain(algorithm)).collect();
    let implements = |package: &&str| {
        let name = package.split(' ').next().unwrap_or_default();
        let parts = PACKAGES.iter().find(|(known, _)| *known == name).map(|(_, parts)| parts);
        let has = |part: &&str| algorithms.iter().any(|algorithm| algorithm.contains(part));
        parts.is_none_or(|parts| parts.iter().any(has))
    };
    let found: Vec<&str> = version.split(", ").filter(implements).collect();
    if found.is_empty() { version.to_owned() } else { found.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn small_print_names_machine_date_versions_and_run() {
        let run = fixtures::run();
        let analysis = RunAnalysis::new(&run);
        let mut shown = Shown::default();
        run.records.iter().for_each(|record| shown.add_library(&record.case.provider, &record.case.algorithm));
        let text = provenance(&analysis, &shown).join(" ");
        let wanted = [&run.header.id, &run.header.suite, "Example CPU", "rustc 1.95.0", "pqlab "].map(String::from);
        assert!(wanted.iter().all(|part| text.contains(part.as_str())), "{text}");
        assert!(text.starts_with("Measured 20"), "{text}");
    }

    #[test]
    fn hidden_models_are_marked() {
        let cpu =
            |model: &str, virtualized| Cpu { model: model.into(), virtualized: Some(virtualized), ..Cpu::default() };
        assert_eq!(model(&cpu("AMD EPYC", true)), "AMD EPYC (model hidden by the hypervisor)");
        let numbers = Some(CpuNumbers { family: 25, model: 1, stepping: 1 });
        assert_eq!(
            model(&Cpu { numbers, ..cpu("AMD EPYC", true) }),
            "AMD EPYC (Zen 3, family 25 model 1 stepping 1; model hidden by the hypervisor)"
        );
        assert_eq!(model(&cpu("AMD EPYC 7763 64-Core Processor", true)), "AMD EPYC 7763 64-Core Processor");
        assert_eq!(model(&cpu("Example", false)), "Example");
    }

    #[test]
    fn versions_are_reduced_to_the_packages_of_the_algorithms() {
        let version = "ml-kem 0.3.4, ml-dsa 0.1.2, x25519-dalek 3.0.0, k256 0.14.0, sha3 0.12.0, sha2 0.11.0";
        assert_eq!(relevant(version, &["ML-KEM-768", "X25519"]), "ml-kem 0.3.4, x25519-dalek 3.0.0");
        assert_eq!(relevant(version, &["ECDSA-secp256k1"]), "k256 0.14.0, sha2 0.11.0");
        assert_eq!(relevant(version, &["SHA3-256"]), "sha3 0.12.0");
        assert_eq!(relevant(version, &["SHA-256"]), "sha2 0.11.0");
        assert_eq!(relevant(version, &["SHA-384"]), "sha2 0.11.0");
        assert_eq!(relevant("libcrux-ml-kem 0.0.11, libcrux-ml-dsa 0.0.11", &["ML-KEM-768"]), "libcrux-ml-kem 0.0.11");
        assert_eq!(relevant(version, &["Other"]), version);
        assert_eq!(relevant("4.0.3", &["ML-KEM-768"]), "4.0.3");
    }

    #[test]
    fn figures_that_are_not_ranked_are_counted_by_reason() {
        let mut shown = Shown::default();
        shown.add("aws-lc", "ML-KEM-768", None);
        assert!(shown.trust(true).starts_with("All marks are ranked: none is disturbed"), "{}", shown.trust(true));
        shown.add("liboqs", "ML-KEM-768", Some("disturbed"));
        shown.add("openssl", "ML-KEM-768", Some("disturbed"));
        let text = shown.trust(true);
        assert!(text.starts_with("Grey marks are not ranked: 2 of 3 (2 disturbed)."), "{text}");
    }

    #[test]
    fn defects_of_other_operations_are_marked() {
        let run = fixtures::libraries_run();
        let analysis = RunAnalysis::new(&run);
        assert_eq!(named(&analysis, "liboqs", "ML-DSA-65", None), "liboqs †");
        assert_eq!(named(&analysis, "aws-lc", "ML-DSA-65", None), "aws-lc");
        let mut shown = Shown::default();
        shown.add("liboqs", "ML-DSA-65", None);
        assert_eq!(shown.related_defects(&analysis), "† liboqs: only its verify of ML-DSA-65 has a known defect.");
    }
}
