//! Describes the environment of a run.

use crate::number::{digits, frequency, percent};
use crate::text::neutral;
use pqlab_record::{CoreChecks, Counters, Environment, Interruptions, Latency};

/// Describes the machine, the system, the build and the counter in one line.
pub fn environment_line(environment: &Environment) -> String {
    let Environment { host, cpu, os, build, counters, .. } = environment;
    let mut parts = vec![cpu.model.clone(), format!("{} {}", cpu.cores, if cpu.cores == 1 { "core" } else { "cores" })];
    if !cpu.hidden_features.is_empty() {
        parts.push(format!("hidden CPU features: {}", cpu.hidden_features.join(", ")));
    }
    if cpu.virtualized == Some(true) {
        let hypervisor = cpu.virtualization.as_ref().and_then(|virtualization| virtualization.hypervisor.as_deref());
        parts.push(hypervisor.map_or_else(|| "virtual machine".to_owned(), |name| format!("{name} guest")));
    }
    parts.extend(host.container.clone());
    parts.extend(cpu.governor.as_ref().map(|governor| format!("governor {governor}")));
    parts.extend(cpu.turbo.map(|turbo| if turbo { "turbo on" } else { "turbo off" }.to_owned()));
    parts.push(os.name.clone());
    parts.push(format!("kernel {}", os.kernel));
    let compiler = build.rustc.strip_prefix("rustc ").unwrap_or(&build.rustc);
    let version = compiler.split(' ').next().unwrap_or(compiler);
    parts.push(format!("rustc {version} ({})", build.profile));
    parts.push(counter(counters));
    let shown = parts.iter().filter(|part| !part.is_empty()).map(|part| neutral(part));
    shown.collect::<Vec<_>>().join(" · ")
}

fn counter(counters: &Counters) -> String {
    let core = counters.core_clock_estimate_hz.map(|hertz| format!("core clock about {}", frequency(hertz)));
    match (counters.primary.as_str(), counters.ticks_per_second) {
        ("", _) => String::new(),
        ("tsc", Some(rate)) => {
            let core = core.map(|core| format!(", {core}")).unwrap_or_default();
            format!("TSC at {} (not core cycles{core})", frequency(rate))
        }
        (primary, _) => format!("counter {primary}{}", core.map(|core| format!(" ({core})")).unwrap_or_default()),
    }
}

/// Describes the checks of the core used for measuring, one sentence each.
pub fn core_lines(core: &CoreChecks) -> Vec<String> {
    let interruptions = core.interruptions.as_ref().map(interruptions_line);
    [cycles_line(core), additions_line(core), interruptions].into_iter().flatten().collect()
}

/// Minimum percentage of the time that interruptions must take for [`core_notes`] to mention them.
const NOTED_PCT: f64 = 0.1;

/// Describes the check results that matter to the user after a run: results that cast doubt on figures, and
/// interruptions that take at least 0.1% of the time.
pub fn core_notes(core: &CoreChecks) -> Vec<String> {
    let cycles = cycles_line(core).filter(|_| core.links_are_cycles() == Some(false));
    let additions = additions_line(core).filter(|_| core.is_always_shared() == Some(true));
    let interruptions = core.interruptions.as_ref().filter(|seen| seen.share_pct >= NOTED_PCT).map(interruptions_line);
    [cycles, additions, interruptions].into_iter().flatten().collect()
}

/// Reports whether the latency of each instruction is a whole number of additions: `latency in additions: IMUL 3.003,
/// AESENC 4.005 (whole numbers within 0.3%, so an addition takes one core cycle)`.
fn cycles_line(core: &CoreChecks) -> Option<String> {
    let whole = core.links_are_cycles()?;
    let one = |latency: &Latency| format!("{} {:.3}", latency.instruction, latency.links);
    let list = |latencies: &mut dyn Iterator<Item = &Latency>| latencies.map(one).collect::<Vec<_>>().join(", ");
    let tolerance = Latency::TOLERANCE_PCT;
    Some(if whole {
        let all = list(&mut core.latencies.iter());
        format!("latency in additions: {all} (whole numbers within {tolerance}%, so an addition takes one core cycle)")
    } else {
        let odd = list(&mut core.latencies.iter().filter(|latency| !latency.is_whole()));
        format!(
            "latency in additions: {odd} (more than {tolerance}% from a whole number, so estimated core cycles may be \
             off)"
        )
    })
}

/// Compares the number of independent additions that the core did per cycle with the maximum for this kind of core.
fn additions_line(core: &CoreChecks) -> Option<String> {
    let seen = core.additions_per_cycle?;
    let usual = core.usual_additions_per_cycle;
    Some(match (core.is_always_shared(), usual) {
        (Some(true), Some(usual)) => format!(
            "{seen:.2} independent additions per cycle; cores of this kind reach {usual}. Either another program used \
             the core all the time, or the hypervisor limits the core. The checks for interference cannot detect this."
        ),
        (_, Some(usual)) => format!("{seen:.2} independent additions per cycle; cores of this kind reach {usual}"),
        (_, None) => format!("{seen:.2} independent additions per cycle; the maximum for this kind of core is unknown"),
    })
}

/// Describes interruptions: `2.4% of the time goes to interruptions (2.0 per ms, 12 µs each)`.
pub fn interruptions_line(interruptions: &Interruptions) -> String {
    let Interruptions { per_ms, typical_us, share_pct } = interruptions;
    if *per_ms == 0.0 {
        return "no interruptions in 50 ms of fixed work".to_owned();
    }
    format!(
        "{} of the time goes to interruptions ({} per ms, {} µs each)",
        percent(*share_pct),
        digits(*per_ms, 2),
        digits(*typical_us, 2)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;
    use pqlab_record::{LoadedLibrary, ProviderBuild};

    #[test]
    fn environment_takes_one_line() {
        let mut environment = fixtures::run().header.environment;
        let wanted = "Example CPU @ 2.10GHz · 2 cores · KVM guest · governor performance · Debian 13 · kernel 6.12.1 · \
                      rustc 1.95.0 (release) · TSC at 2.10 GHz (not core cycles, core clock about 2.70 GHz)";
        assert_eq!(environment_line(&environment), wanted);
        environment.cpu.model = "two\nlines".to_owned();
        environment.counters.primary = "wall".to_owned();
        environment.cpu.turbo = Some(false);
        environment.cpu.hidden_features = vec!["avx2".to_owned(), "avx512".to_owned()];
        let line = environment_line(&environment);
        assert!(
            line.starts_with(r"two\nlines · 2 cores · hidden CPU features: avx2, avx512 · ")
                && line.contains(" · turbo off · ")
        );
        assert!(line.ends_with(" · counter wall (core clock about 2.70 GHz)"));
    }

    #[test]
    fn describes_the_checks_of_a_core() {
        let latency = |instruction: &str, links| Latency { instruction: instruction.into(), links };
        let mut core = CoreChecks {
            latencies: vec![latency("IMUL", 3.003), latency("AESENC", 4.005)],
            additions_per_cycle: Some(3.84),
            usual_additions_per_cycle: Some(4.0),
            interruptions: Some(Interruptions { per_ms: 2.0, typical_us: 12.1, share_pct: 2.42 }),
        };
        assert_eq!(
            core_lines(&core),
            [
                "latency in additions: IMUL 3.003, AESENC 4.005 (whole numbers within 0.3%, so an addition takes one \
                 core cycle)",
                "3.84 independent additions per cycle; cores of this kind reach 4",
                "2.4% of the time goes to interruptions (2.0 per ms, 12 µs each)",
            ]
        );
        assert_eq!(core_notes(&core), core_lines(&core)[2..]);
        core.latencies[1].links = 4.1;
        core.additions_per_cycle = Some(2.9);
        let warnings = core_notes(&core);
        assert!(
            warnings[0].starts_with("latency in additions: AESENC 4.100 (more than 0.3% from a whole number, "),
            "{warnings:?}"
        );
        assert!(warnings[1].starts_with("2.90 independent additions per cycle; cores of this kind reach 4. "));
        core.interruptions = Some(Interruptions { per_ms: 0.0, typical_us: 0.0, share_pct: 0.0 });
        assert_eq!(core_notes(&core).len(), 2);
        assert_eq!(core_lines(&core)[2], "no interruptions in 50 ms of fixed work");
        assert!(core_lines(&CoreChecks::default()).is_empty());
    }

    #[test]
    fn only_loaded_libraries_have_a_file() {
        let build = ProviderBuild { id: "a".into(), build: "avx2".into(), ..ProviderBuild::default() };
        assert_eq!((build.library.clone(), build.origin().as_str()), (None, "avx2"));
        let library = LoadedLibrary { kind: "liboqs".into(), path: "/x.so".into(), spec: "b=liboqs:/x.so".into() };
        let loaded = ProviderBuild { id: "b".into(), library: Some(library.clone()), ..ProviderBuild::default() };
        assert_eq!(loaded.origin(), "loaded from /x.so");
        let environment = Environment { providers: vec![build, loaded], ..Environment::default() };
        assert_eq!(environment.loaded("a"), None);
        assert_eq!(environment.loaded("a+b"), Some(("b", &library)));
    }
}
