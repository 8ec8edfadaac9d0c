//! A library that goes wrong on demand: for tests of what the laboratory does then. Only with the feature `misbehaving`,
//! which no build for users has.

mod kem;
mod signature;

use pqlab_primitives::{BuildInfo, Provider};

pub(crate) fn providers() -> Vec<Provider> {
    let build_info = BuildInfo { version: "0".into(), build: "for tests only".into() };
    let mut provider = Provider::new("misbehaving", build_info);
    provider.kems = kem::kems();
    provider.signatures = signature::schemes();
    vec![provider]
}
