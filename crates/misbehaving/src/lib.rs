//! A library that goes wrong, or takes its time, on demand: for tests of what the laboratory does then. It is in the program
//! `pqlab-misbehaving` alone, which no user has.

mod company;
mod crashing;
mod delayed;
mod kem;
mod signature;

use pqlab_harness::counter::{Pretended, pretend as pretend_counters};
use pqlab_primitives::{BuildInfo, Provider};

/// The variable that names another machine: the error of `perf_event_open` there (`EACCES`, else none is found), and behind
/// a colon the value of `kernel.perf_event_paranoid`: `EACCES:4`.
const MACHINE: &str = "PQLAB_PRETEND_PERF";

/// The providers `misbehaving` and `crashing`.
pub fn providers() -> Vec<Provider> {
    let others = pqlab_providers::providers();
    let build_info = BuildInfo { version: "0".into(), build: "for tests only".into() };
    let mut crashing = Provider::new("crashing", build_info.clone());
    crashing.kems = crashing::kem(&others).into_iter().collect();
    let mut provider = Provider::new("misbehaving", build_info);
    provider.kems = kem::kems(&others);
    provider.kems.extend(delayed::kem(&others));
    provider.kems.extend(company::kems(&others));
    provider.signatures = signature::schemes();
    vec![provider, crashing]
}

/// Makes the program believe that it runs on the machine that `PQLAB_PRETEND_PERF` names, if it does; to be called first.
pub fn pretend() {
    let Ok(machine) = std::env::var(MACHINE) else { return };
    let (error, paranoid) = machine.split_once(':').unwrap_or((&machine, ""));
    pretend_counters(Pretended { forbidden: error == "EACCES", paranoid: paranoid.parse().ok() });
}
