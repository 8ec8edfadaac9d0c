//! A library that goes wrong, or takes its time, on demand: for tests of what the laboratory does then. Only with the feature `misbehaving`,
//! which no build for users has.

mod delayed;
mod kem;
mod signature;

use pqlab_primitives::{BuildInfo, Provider};

pub(crate) fn providers() -> Vec<Provider> {
    let build_info = BuildInfo { version: "0".into(), build: "for tests only".into() };
    let mut provider = Provider::new("misbehaving", build_info);
    provider.kems = kem::kems();
    provider.kems.extend(delayed::kem());
    provider.signatures = signature::schemes();
    vec![provider]
}
