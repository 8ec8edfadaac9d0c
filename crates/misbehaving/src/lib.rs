//! A library that misbehaves or runs slowly on demand, to test how pqlab reacts. Only the `pqlab-misbehaving` program
//! contains it, and that program is not distributed.

mod altered;
mod company;
mod crashing;
mod delayed;
mod erring;
mod faults;
pub mod mutants;
mod signature;

use pqlab_harness::counter::{Pretended, pretend as pretend_counters};
use pqlab_primitives::{BuildInfo, NULL, Provider};

/// Environment variable that simulates another machine, such as `EACCES:4`. The first part is the error of
/// `perf_event_open`; any error other than `EACCES` means that no counter is found. The second part is the value of
/// `kernel.perf_event_paranoid`.
const MACHINE: &str = "PQLAB_PRETEND_PERF";

/// Returns the `misbehaving`, `crashing` and `erring` providers.
pub fn providers() -> Vec<Provider> {
    let others = pqlab_providers::providers();
    let build_info = BuildInfo { version: "0".into(), build: "for tests only".into() };
    let mut crashing = Provider::new("crashing", build_info.clone());
    crashing.kems = crashing::kem(&others).into_iter().collect();
    let mut erring = Provider::new("erring", build_info.clone());
    erring.kems = erring::kem(&others).into_iter().collect();
    let mut provider = Provider::new("misbehaving", build_info);
    let null = others.iter().filter(|provider| provider.library == NULL).find_map(|provider| provider.kems.first());
    if let Some(null) = null {
        provider.kems.extend(faults::kems(null));
        provider.kems.extend(company::kems(null));
    }
    provider.kems.extend(delayed::kem(&others));
    provider.signatures = signature::schemes();
    vec![provider, crashing, erring]
}

/// Returns providers with incorrect verification, one for each check that a verification must make. Each provider omits
/// one check, and is named after the input that it wrongly accepts. A provider offers both halves of a hybrid
/// signature, and the hash functions that measuring hybrids requires. No program contains these providers.
pub fn credulous() -> Vec<Provider> {
    let others = pqlab_providers::providers();
    let provider_for = |(name, blindness)| {
        let mut provider = Provider::new(name, BuildInfo { version: "0".into(), build: "for tests only".into() });
        provider.signatures = signature::halves(blindness);
        provider.hashes = others.iter().find_map(|other| other.hash("SHA-512")).cloned().into_iter().collect();
        provider.xofs = others.iter().find_map(|other| other.xof("SHAKE256")).cloned().into_iter().collect();
        provider
    };
    signature::BLINDNESSES.into_iter().map(provider_for).collect()
}

/// Simulates the machine described by `PQLAB_PRETEND_PERF`, if the variable is set. Call this function before anything
/// else.
pub fn pretend() {
    let Ok(machine) = std::env::var(MACHINE) else { return };
    let (error, paranoid) = machine.split_once(':').unwrap_or((&machine, ""));
    pretend_counters(Pretended { forbidden: error == "EACCES", paranoid: paranoid.parse().ok() });
}
