//! Describes the environment of a run.

use crate::number::frequency;
use crate::text::neutral;
use pqlab_record::{Counters, Environment};

/// Describes the machine, the system, the build and the counter in one line.
pub fn environment_line(environment: &Environment) -> String {
    let Environment { host, cpu, os, build, counters, .. } = environment;
    let mut parts = vec![cpu.model.clone(), format!("{} {}", cpu.cores, if cpu.cores == 1 { "core" } else { "cores" })];
    if !cpu.hidden_features.is_empty() {
        parts.push(format!("{} hidden", cpu.hidden_features.join(", ")));
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
        assert!(line.starts_with(r"two\nlines · 2 cores · avx2, avx512 hidden · ") && line.contains(" · turbo off · "));
        assert!(line.ends_with(" · counter wall (core clock about 2.70 GHz)"));
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
