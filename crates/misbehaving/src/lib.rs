//! A library that goes wrong, or takes its time, on demand: for tests of what the laboratory does then. It is in the program
//! `pqlab-misbehaving` alone, which no user has.

mod altered;
mod company;
mod crashing;
mod delayed;
mod erring;
mod faults;
mod signature;

use pqlab_harness::counter::{Pretended, pretend as pretend_counters};
use pqlab_primitives::{BuildInfo, NULL, Provider};

/// The variable that names another machine: the error of `perf_event_open` there (`EACCES`, else none is found), and behind
/// a colon the value of `kernel.perf_event_paranoid`: `EACCES:4`.
const MACHINE: &str = "PQLAB_PRETEND_PERF";

/// The providers `misbehaving`, `crashing` and `erring`.
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

/// For each thing that a verification must look at a provider that does not: of what a hybrid signature is made of, and what a
/// measurement of one needs besides. They are named after what they accept, and are in no program.
pub fn credulous() -> Vec<Provider> {
    let others = pqlab_providers::providers();
    let of = |(name, blindness)| {
        let mut provider = Provider::new(name, BuildInfo { version: "0".into(), build: "for tests only".into() });
        provider.signatures = signature::halves(blindness);
        provider.hashes = others.iter().find_map(|other| other.hash("SHA-512")).cloned().into_iter().collect();
        provider.xofs = others.iter().find_map(|other| other.xof("SHAKE256")).cloned().into_iter().collect();
        provider
    };
    signature::BLINDNESSES.into_iter().map(of).collect()
}

/// Makes the program believe that it runs on the machine that `PQLAB_PRETEND_PERF` names, if it does; to be called first.
pub fn pretend() {
    let Ok(machine) = std::env::var(MACHINE) else { return };
    let (error, paranoid) = machine.split_once(':').unwrap_or((&machine, ""));
    pretend_counters(Pretended { forbidden: error == "EACCES", paranoid: paranoid.parse().ok() });
}
