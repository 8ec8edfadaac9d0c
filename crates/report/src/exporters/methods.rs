//! Paragraphs for the methods section of a paper.

use super::{ExportError, Exporter, Format};
use indexmap::IndexMap;
use pqlab_analysis::caveats::{Caveat, Caveats};
use pqlab_analysis::environment::core_lines;
use pqlab_analysis::fastest::fastest_line;
use pqlab_analysis::number::{frequency, grouped, memory, significant, time};
use pqlab_analysis::standardization::not_standards_in;
use pqlab_analysis::text::neutral;
use pqlab_analysis::trust::{interference_sentence, quality_sentence};
use pqlab_analysis::words::{has_means, worker_floors};
use pqlab_analysis::{CaseAnalysis, RunAnalysis};
use pqlab_record::{ASSUMED, Cpu, CyclesSource, Environment, ProtocolKind, ProviderBuild};
use std::io::Write;

/// Number of different messages that are listed for a caveat.
const LISTED: usize = 3;

/// Plain text that describes how a run was measured: machine, counter, compilers, libraries, protocol, checks,
/// interference and caveats. It states only what the run has recorded, and omits what is unknown.
pub(super) struct Methods;

impl Exporter for Methods {
    fn format(&self) -> Format {
        Format {
            name: "methods",
            describe: "text for a paper: machine, counter, compilers, libraries, protocol, checks, interference",
            extension: "txt",
        }
    }

    fn export(&self, analysis: &RunAnalysis<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        let header = &analysis.run.header;
        let cases: Vec<&CaseAnalysis<'_>> = analysis.cases().iter().filter(|case| !case.is_floor()).collect();
        let paragraphs = [
            run(analysis, cases.len()),
            machine(&header.environment),
            counter(&header.environment, &cases),
            compilers(&header.environment),
            libraries(analysis),
            protocol(analysis),
            figures(analysis),
            checks(analysis, &cases),
            caveats(&cases),
        ];
        let text: Vec<String> = paragraphs.into_iter().filter(|text| !text.is_empty()).collect();
        writeln!(out, "{}", text.join("\n\n"))?;
        Ok(())
    }
}

/// Joins sentences, and escapes characters that could control a terminal. Skips empty sentences.
fn paragraph(sentences: impl IntoIterator<Item = String>) -> String {
    let sentences: Vec<String> = sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect();
    neutral(&sentences.join(" "))
}

/// Joins the known facts of a list, or returns an empty string if none is known.
fn listed(facts: impl IntoIterator<Item = Option<String>>) -> String {
    facts.into_iter().flatten().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(", ")
}

fn run(analysis: &RunAnalysis<'_>, cases: usize) -> String {
    let header = &analysis.run.header;
    let build = &header.environment.build;
    let when = analysis.run.finished_at.as_deref().unwrap_or(&header.started_at);
    let commit = build.commit.as_ref().map_or_else(String::new, |commit| format!(" (commit {commit})"));
    paragraph([
        format!(
            "We measured on {} with pqlab {}{commit}: suite {}, {} {}, run {}, seed {}.",
            when.get(..10).unwrap_or(when),
            build.version,
            header.suite,
            grouped(cases as u64),
            if cases == 1 { "case" } else { "cases" },
            header.id,
            header.seed
        ),
        format!("Command: {}", header.command),
    ])
}

fn machine(environment: &Environment) -> String {
    let Environment { host, cpu, os, .. } = environment;
    let switch = |name: &str, on: Option<bool>| on.map(|on| format!("{name} {}", if on { "on" } else { "off" }));
    let numbers = cpu.numbers.map(|of| format!("family {} model {} stepping {}", of.family, of.model, of.stepping));
    let hidden =
        (!cpu.hidden_features.is_empty()).then(|| format!("hidden features {}", cpu.hidden_features.join(" ")));
    let processor = listed([
        Some(cpu.model.clone()),
        Some(cpu.architecture.clone()),
        numbers,
        cpu.microcode.as_ref().map(|revision| format!("microcode {revision}")),
        (cpu.cores > 0)
            .then(|| format!("{} logical {}", cpu.cores, if cpu.cores == 1 { "processor" } else { "processors" })),
        hidden,
    ]);
    let settings = listed([
        guest(cpu),
        host.container.as_ref().map(|container| format!("in a container ({container})")),
        host.memory.total.map(|bytes| format!("{} of memory", memory(bytes))),
        Some(os.name.clone()),
        (!os.kernel.is_empty()).then(|| format!("kernel {}", os.kernel)),
        cpu.governor.as_ref().map(|governor| format!("frequency governor {governor}")),
        switch("turbo", cpu.turbo),
        // The host may use multithreading although the guest does not see it.
        switch("simultaneous multithreading", cpu.smt.filter(|on| *on || cpu.virtualized != Some(true))),
    ]);
    let sentence = |name: &str, facts: String| if facts.is_empty() { facts } else { format!("{name}: {facts}.") };
    paragraph([sentence("Processor", processor), sentence("System", settings)])
}

/// Describes the virtual machine, or returns `None` if the machine is not known to be one.
fn guest(cpu: &Cpu) -> Option<String> {
    cpu.virtualized.filter(|virtualized| *virtualized)?;
    let known = cpu.virtualization.clone().unwrap_or_default();
    let hypervisor = known.hypervisor.map_or_else(|| "virtual machine".to_owned(), |name| format!("{name} guest"));
    Some(known.clocksource.map_or(hypervisor.clone(), |source| format!("{hypervisor} with clock source {source}")))
}

fn counter(environment: &Environment, cases: &[&CaseAnalysis<'_>]) -> String {
    let counters = &environment.counters;
    if counters.primary.is_empty() {
        return String::new();
    }
    let name = match counters.primary.as_str() {
        "tsc" => "the time-stamp counter",
        "wall" => "the monotonic clock",
        "cycles" => "the core-cycle counter and the monotonic clock",
        "instructions" => "the counter of retired instructions and the monotonic clock",
        other => other,
    };
    let properties = listed([
        counters.ticks_per_second.map(frequency),
        Some(format!("smallest step {}", time(counters.resolution_ns))),
        Some(format!("{} between two readings in a row", time(counters.overhead_ns))),
    ]);
    let sources: Vec<CyclesSource> =
        cases.iter().filter_map(|case| Some(case.estimates.as_ref()?.cycles?.source)).collect();
    let cycles = if sources.contains(&CyclesSource::Estimated) {
        "Core cycles are estimates: the time of each sample multiplied by the core clock, which pqlab probed before and \
         after each visit."
    } else if sources.is_empty() {
        ""
    } else {
        "The processor counted core cycles."
    };
    let clock = counters.core_clock_estimate_hz;
    let core = environment.core.as_ref().map(core_lines).unwrap_or_default();
    let core: Vec<&str> = core.iter().map(|line| line.trim_end_matches('.')).collect();
    paragraph([
        format!("Each sample is the difference of two readings of {name} ({properties})."),
        cycles.to_owned(),
        clock.map_or_else(String::new, |hertz| format!("The core clock was about {} at the start.", frequency(hertz))),
        if core.is_empty() { String::new() } else { format!("Checks of the core at the start: {}.", core.join("; ")) },
    ])
}

fn compilers(environment: &Environment) -> String {
    let build = &environment.build;
    let rustc = build.rustc.strip_prefix("rustc ").unwrap_or(&build.rustc);
    let version = rustc.split(' ').next().unwrap_or(rustc);
    let compilers = listed([
        (!version.is_empty()).then(|| format!("rustc {version}")),
        build.cc.as_ref().map(|compiler| format!("{compiler} for C")),
        (!build.profile.is_empty()).then(|| format!("profile {}", build.profile)),
        (!build.target.is_empty()).then(|| format!("target {}", build.target)),
        build.flags.as_ref().map(|flags| format!("flags from the environment: {flags}")),
    ]);
    paragraph((!compilers.is_empty()).then(|| format!("Compilers: {compilers}.")))
}

/// Lists the libraries that the run measured, with versions and builds, and the algorithms that are not standards.
fn libraries(analysis: &RunAnalysis<'_>) -> String {
    let one = |build: &ProviderBuild| {
        let loaded = build.library.as_ref().map(|library| format!("loaded as {}", library.kind));
        let about = listed([Some(build.build.clone()), build.runtime.clone(), loaded]);
        let about = if about.is_empty() { about } else { format!(" ({about})") };
        format!("{} {}{about}", build.id, build.version)
    };
    let libraries: Vec<String> = analysis.builds().map(one).collect();
    let fastest = analysis.run.header.protocol.fastest.iter().map(|found| format!("{}.", fastest_line(found)));
    let libraries = (!libraries.is_empty()).then(|| format!("Libraries: {}.", libraries.join("; ")));
    let others = not_standards_in(analysis).map(|line| format!("{line}."));
    paragraph(libraries.into_iter().chain(others).chain(fastest))
}

fn protocol(analysis: &RunAnalysis<'_>) -> String {
    let (protocol, environment) = (&analysis.run.header.protocol, &analysis.run.header.environment);
    let processes = format!(
        "{} worker {}, in shuffled rounds with visits of about {} ms to each case",
        protocol.processes,
        if protocol.processes == 1 { "process" } else { "processes" },
        significant(1e3 * protocol.visit_s)
    );
    let samples = match (protocol.kind, protocol.iterations) {
        (ProtocolKind::Adaptive, _) => format!(
            "Each case was first measured in {processes}. A pilot of three rounds determined the number of rounds, for \
             a 95% interval of ±{}% in core cycles (in time if cycles are unknown) within {} s per case. Cases whose \
             interval was still too wide got more processes, up to 24.",
            protocol.precision_pct, protocol.max_time_s
        ),
        (_, Some(samples)) => format!("Each case has {} samples from {processes}.", grouped(samples)),
        (_, None) => format!("Each case was measured in {processes}."),
    };
    let pinned = match (&environment.os.unpinned, &protocol.affinity) {
        (Some(reason), _) => format!("Workers were not pinned to a core: {reason}."),
        (None, Some(cores)) => {
            let cores: Vec<String> = cores.iter().map(u32::to_string).collect();
            format!("Workers were pinned to these cores: {}.", cores.join(", "))
        }
        (None, None) => "Workers were pinned to one core.".to_owned(),
    };
    let trimmed = match protocol.trim_pct {
        0.0 => "No samples were trimmed.".to_owned(),
        pct => format!("{pct}% of the samples were trimmed at each tail, except for medians and their intervals."),
    };
    let warmup = format!("Each process discarded {} warm-up operations per case.", grouped(protocol.warmup));
    let is_again = analysis.run.records.iter().any(|record| record.second_chance.is_some());
    let again = is_again.then(|| {
        "Cases that another program disturbed were measured again at the end, in other processes; only undisturbed \
         visits were added."
            .to_owned()
    });
    paragraph([Some(samples), Some(pinned), Some(warmup), Some(trimmed), again].into_iter().flatten())
}

fn figures(analysis: &RunAnalysis<'_>) -> String {
    let spreads = &analysis.run.header.protocol.run_spreads;
    let figures = if has_means(analysis) {
        "Figures are medians, or means for operations that retry at random."
    } else {
        "Figures are medians."
    };
    let spread = format!(
        "Their 95% intervals cover differences between processes, between rounds and between runs. The standard \
         deviation between runs, {}% in time and {}% in core cycles, was {}.",
        spreads.time_pct,
        spreads.cycles_pct,
        if spreads.source == ASSUMED { "assumed" } else { "measured on this machine" }
    );
    let floor = analysis.floor_ns().map(|ns| format!("All figures include a measurement overhead of {}.", time(ns)));
    let workers = worker_floors(analysis).map(|line| format!("The {line}."));
    paragraph([figures.to_owned(), spread].into_iter().chain(floor).chain(workers))
}

fn checks(analysis: &RunAnalysis<'_>, cases: &[&CaseAnalysis<'_>]) -> String {
    let failed = cases.iter().filter(|case| case.failed()).count();
    let verified = cases.iter().filter(|case| !case.failed() && case.record.verified).count();
    let mut verification = format!(
        "pqlab checked the answers before and throughout the timing: {} of {} cases gave only right answers",
        grouped(verified as u64),
        grouped(cases.len() as u64)
    );
    if failed > 0 {
        verification += &format!(
            ", and {} failed and {} no figure",
            grouped(failed as u64),
            if failed == 1 { "has" } else { "have" }
        );
    }
    let crowded = analysis.run.header.environment.os.crowded.as_ref();
    paragraph(
        [format!("{verification}.")]
            .into_iter()
            .chain(quality_sentence(analysis))
            .chain(interference_sentence(analysis))
            .chain(crowded.map(|other| format!("Another pqlab process was measuring at the same time: {other}."))),
    )
}

/// Lists each caveat with its number of cases, and its most frequent messages.
fn caveats(cases: &[&CaseAnalysis<'_>]) -> String {
    let merged = Caveats::merged(cases.iter().map(|case| &case.caveats)).by_word();
    let line = |caveat: Caveat| {
        let mut counts: IndexMap<&str, usize> = IndexMap::new();
        for (_, says) in cases.iter().flat_map(|case| case.caveats.iter()).filter(|(other, _)| *other == caveat) {
            *counts.entry(says).or_default() += 1;
        }
        counts.sort_by(|_, one, _, other| other.cmp(one));
        let total: usize = counts.values().sum();
        let texts = match caveat {
            // The messages differ only by a figure, so name the largest.
            Caveat::Shared | Caveat::Batch => merged.get(caveat.word()).into_iter().map(|says| neutral(says)).collect(),
            _ => {
                let mut texts: Vec<String> = counts.keys().take(LISTED).map(|says| neutral(says)).collect();
                let more = counts.len().saturating_sub(LISTED);
                texts.extend((more > 0).then(|| format!("{} more", grouped(more as u64))));
                texts
            }
        };
        (total > 0).then(|| format!("- {} ({}): {}", caveat.word(), grouped(total as u64), texts.join("; ")))
    };
    let lines: Vec<String> = Caveat::ALL.into_iter().filter_map(line).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("Caveats, each with its number of cases:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::fixtures;
    use pqlab_record::{LoadedLibrary, Run};

    fn exported(run: &Run) -> String {
        String::from_utf8(written(&Methods, run)).unwrap()
    }

    #[test]
    fn states_what_a_reader_needs_to_repeat_the_run() {
        let text = exported(&fixtures::run());
        for part in [
            "We measured on 2026-11-21 with pqlab 0.1.0 (commit 394a572): suite standard, 6 cases, run \
             20261121T185800-k3f9, seed 1. Command: pqlab run --quick\n",
            "Processor: Example CPU @ 2.10GHz, x86_64, 2 logical processors. System: KVM guest with clock source tsc, \
             16.0 GiB of memory, Debian 13, kernel 6.12.1, frequency governor performance.\n",
            "two readings of the time-stamp counter (2.10 GHz, smallest step 1.00 ns, 12.0 ns between two readings in a \
             row). Core cycles are estimates: ",
            "The core clock was about 2.70 GHz at the start.",
            "Compilers: rustc 1.95.0, gcc 14.2.0 for C, profile release, target x86_64-unknown-linux-gnu.\n",
            "Libraries: liboqs 0.13.0 (avx2, vendored); aws-lc 1.19.0 (assembly).",
            "8 worker processes, in shuffled rounds with visits of about 10.0 ms to each case.",
            "95% interval of ±1% in core cycles",
            "Each process discarded 100 warm-up operations per case. No samples were trimmed.",
            "1.5% in time and 0.15% in core cycles, was assumed.",
            "5 of 6 cases gave only right answers, and 1 failed and has no figure. Quality: ",
            "Interference: none seen.",
            "\n- spread (5): assumed spread between runs: 1.5% in time, 0.15% in core cycles\n",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    #[test]
    fn facts_that_a_run_lacks_are_left_out() {
        let mut run = fixtures::run();
        run.header.environment = Environment::default();
        run.records.clear();
        let text = exported(&run);
        for absent in ["readings", "Compilers", "Libraries", "governor", "guest", "Caveats", "Interference"] {
            assert!(!text.contains(absent), "{absent} is in\n{text}");
        }
        assert!(!text.contains("\n\n\n") && text.ends_with(".\n"), "{text}");
    }

    #[test]
    fn only_measured_libraries_are_listed_and_paths_are_not() {
        let mut run = fixtures::run();
        let providers = &mut run.header.environment.providers;
        providers.push(ProviderBuild { id: "unused".into(), version: "9".into(), ..ProviderBuild::default() });
        providers[0].library = Some(LoadedLibrary {
            kind: "liboqs".into(),
            path: "/home/me/x.so".into(),
            spec: "liboqs:/home/me/x.so".into(),
        });
        let text = exported(&run);
        assert!(text.contains("liboqs 0.13.0 (avx2, vendored, loaded as liboqs)"), "{text}");
        assert!(!text.contains("unused") && !text.contains("/home/me"), "{text}");
    }

    #[test]
    fn caveats_are_counted_with_their_most_frequent_messages() {
        let mut run = fixtures::sound_run();
        assert!(!exported(&run).contains("Caveats"));
        for (record, defect) in run.records.iter_mut().zip(["a", "b", "c", "b", "d"]) {
            record.case.facts.defect = Some(defect.to_owned());
        }
        let text = exported(&run);
        assert!(text.ends_with("number of cases:\n- defect (5): b; a; c; 1 more\n"), "{text}");
    }
}
