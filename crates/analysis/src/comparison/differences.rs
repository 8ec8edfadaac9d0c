use pqlab_record::{Environment, Protocol, RunHeader};

/// Something in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is.
    pub what: String,
    /// What the first run had.
    pub first: String,
    /// What the second run had.
    pub second: String,
}

/// Whether two runs were measured on different machines, to judge by host name, processor, cores and memory.
pub(crate) fn machines_differ(first: &Environment, second: &Environment) -> bool {
    let hosts = (&first.host.name, &second.host.name);
    let named_apart = matches!(hosts, (Some(one), Some(two)) if one != two);
    let facts = |environment: &Environment| {
        let Environment { cpu, host, .. } = environment;
        (cpu.model.clone(), cpu.architecture.clone(), cpu.cores, host.memory.total)
    };
    named_apart || facts(first) != facts(second)
}

/// A machine in a few words.
pub(crate) fn machine(environment: &Environment) -> String {
    let name = environment.host.name.as_deref().unwrap_or("unnamed host");
    format!("{name} ({}, {} cores)", environment.cpu.model, environment.cpu.cores)
}

/// Every difference between two runs that may move their figures: machine, system, compiler, counters, rules, providers.
pub fn differences(first: &RunHeader, second: &RunHeader) -> Vec<Difference> {
    let facts = |of: &RunHeader| [machine_and_build(&of.environment), rules(of), libraries(&of.environment)].concat();
    between(&facts(first), &facts(second))
}

/// As [`differences`], without the rules: what two runs must not differ in to be of one machine and build.
pub fn differences_of_builds(first: &Environment, second: &Environment) -> Vec<Difference> {
    let facts = |of: &Environment| [machine_and_build(of), libraries(of)].concat();
    between(&facts(first), &facts(second))
}

/// A name and what it stands for.
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

fn said(value: Option<String>) -> String {
    value.unwrap_or_else(|| "unknown".into())
}

fn named(facts: Vec<(&str, String)>) -> Vec<Fact> {
    facts.into_iter().map(|(what, value)| (what.to_owned(), value)).collect()
}

fn machine_and_build(environment: &Environment) -> Vec<Fact> {
    let Environment { host, cpu, os, build, counters, .. } = environment;
    named(vec![
        ("host", said(host.name.clone())),
        ("container", said(host.container.clone())),
        ("processor", cpu.model.clone()),
        ("cores", cpu.cores.to_string()),
        ("processor features", cpu.features.join(" ")),
        ("microcode", said(cpu.microcode.clone())),
        ("governor", said(cpu.governor.clone())),
        ("turbo", said(cpu.turbo.map(|on| on.to_string()))),
        ("simultaneous multithreading", said(cpu.smt.map(|on| on.to_string()))),
        ("virtualized", said(cpu.virtualized.map(|on| on.to_string()))),
        ("operating system", os.name.clone()),
        ("kernel", os.kernel.clone()),
        ("address-space randomisation", said(os.aslr.map(|level| level.to_string()))),
        ("pqlab", build.version.clone()),
        ("commit", said(build.commit.clone())),
        ("Rust compiler", build.rustc.clone()),
        ("C compiler", said(build.cc.clone())),
        ("build profile", build.profile.clone()),
        ("target", build.target.clone()),
        ("compiler flags", said(build.flags.clone())),
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
        ("seconds a visit", visit_s.to_string()),
        ("cores to run on", affinity.as_ref().map_or("chosen".into(), |cpus| format!("{cpus:?}"))),
    ])
}

fn libraries(environment: &Environment) -> Vec<Fact> {
    let of = environment.providers.iter();
    of.map(|build| (format!("provider {}", build.id), format!("{} ({})", build.version, build.origin()))).collect()
}
