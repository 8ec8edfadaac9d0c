use pqlab_record::{Environment, Protocol, RunHeader};

/// A difference between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Name of the property that differs.
    pub what: String,
    /// Value in the first run.
    pub first: String,
    /// Value in the second run.
    pub second: String,
}

/// Returns whether two runs come from different machines, judging by host name, processor, cores and memory.
pub(crate) fn machines_differ(first: &Environment, second: &Environment) -> bool {
    let hosts = (&first.host.name, &second.host.name);
    let named_apart = matches!(hosts, (Some(one), Some(two)) if one != two);
    let facts = |environment: &Environment| {
        let Environment { cpu, host, .. } = environment;
        (cpu.model.clone(), cpu.architecture.clone(), cpu.cores, host.memory.total)
    };
    named_apart || facts(first) != facts(second)
}

/// Describes a machine: host name, processor and number of cores.
pub(crate) fn machine(environment: &Environment) -> String {
    let name = environment.host.name.as_deref().unwrap_or("unnamed host");
    format!("{name} ({}, {} cores)", environment.cpu.model, environment.cpu.cores)
}

/// Returns all differences between two runs that may affect their figures: machine, system, compiler, counters,
/// measurement rules and providers.
pub fn differences(first: &RunHeader, second: &RunHeader) -> Vec<Difference> {
    let facts = |header: &RunHeader| {
        [machine_and_build(&header.environment), rules(header), libraries(&header.environment)].concat()
    };
    between(&facts(first), &facts(second))
}

/// Returns the [differences] without differences in the measurement rules. Returns an empty list if both environments
/// describe the same build on the same machine.
pub fn differences_of_builds(first: &Environment, second: &Environment) -> Vec<Difference> {
    let facts = |environment: &Environment| [machine_and_build(environment), libraries(environment)].concat();
    between(&facts(first), &facts(second))
}

/// Name and value of a property.
type Fact = (String, String);

fn between(one: &[Fact], two: &[Fact]) -> Vec<Difference> {
    let mut found: Vec<Difference> = Vec::new();
    for (what, value) in one {
        let other = two.iter().find(|(name, _)| name == what).map_or("none", |(_, other)| other);
        if value != other {
            found.push(Difference { what: what.clone(), first: value.clone(), second: other.to_owned() });
        }
    }
    for (what, value) in two {
        if !one.iter().any(|(name, _)| name == what) {
            found.push(Difference { what: what.clone(), first: "none".into(), second: value.clone() });
        }
    }
    found
}

fn or_unknown(value: Option<String>) -> String {
    value.unwrap_or_else(|| "unknown".into())
}

fn named(facts: Vec<(&str, String)>) -> Vec<Fact> {
    facts.into_iter().map(|(what, value)| (what.to_owned(), value)).collect()
}

fn machine_and_build(environment: &Environment) -> Vec<Fact> {
    let Environment { host, cpu, os, build, counters, .. } = environment;
    named(vec![
        ("host", or_unknown(host.name.clone())),
        ("container", or_unknown(host.container.clone())),
        ("processor", cpu.model.clone()),
        ("cores", cpu.cores.to_string()),
        ("processor features", cpu.features.join(" ")),
        ("microcode", or_unknown(cpu.microcode.clone())),
        ("governor", or_unknown(cpu.governor.clone())),
        ("turbo", or_unknown(cpu.turbo.map(|on| on.to_string()))),
        ("simultaneous multithreading", or_unknown(cpu.smt.map(|on| on.to_string()))),
        ("virtualized", or_unknown(cpu.virtualized.map(|on| on.to_string()))),
        ("operating system", os.name.clone()),
        ("kernel", os.kernel.clone()),
        ("address-space randomisation", or_unknown(os.aslr.map(|level| level.to_string()))),
        ("pqlab", build.version.clone()),
        ("commit", or_unknown(build.commit.clone())),
        ("Rust compiler", build.rustc.clone()),
        ("C compiler", or_unknown(build.cc.clone())),
        ("build profile", build.profile.clone()),
        ("target", build.target.clone()),
        ("compiler flags", or_unknown(build.flags.clone())),
        ("counter", counters.primary.clone()),
    ])
}

fn rules(header: &RunHeader) -> Vec<Fact> {
    let Protocol { kind, processes, warmup, iterations, batch, visit_s, affinity, .. } = &header.protocol;
    let count = |value: &Option<u64>| value.map_or("none".to_owned(), |value| value.to_string());
    named(vec![
        ("rules", format!("{kind:?}").to_lowercase()),
        ("processes", processes.to_string()),
        ("warm-up", warmup.to_string()),
        ("iterations", count(iterations)),
        ("batch", count(batch)),
        ("seconds per visit", visit_s.to_string()),
        ("cores to run on", affinity.as_ref().map_or("chosen".into(), |cpus| format!("{cpus:?}"))),
    ])
}

fn libraries(environment: &Environment) -> Vec<Fact> {
    let builds = environment.providers.iter();
    builds.map(|build| (format!("provider {}", build.id), format!("{} ({})", build.version, build.origin()))).collect()
}
