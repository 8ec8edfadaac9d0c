//! This project's own Keccak over eight messages at once, because no registry has one: crate `pqlab-keccak`. Each code
//! path is a provider of its own; where the processor does not run one, it is listed with what it lacks.

#[cfg(test)]
mod tests;

use crate::compiled::{compiled, crate_versions};
use crate::lanes::arrays;
use pqlab_keccak::{Function, LANES, Lanes};
use pqlab_primitives::{Backend, BuildInfo, Error, LaneHash, Provider, Result, Unsupported};
use std::sync::Arc;

pub(crate) fn providers() -> Vec<Provider> {
    pqlab_keccak::Backend::ALL.into_iter().map(provider).collect()
}

fn provider(backend: pqlab_keccak::Backend) -> Provider {
    let code = match backend {
        pqlab_keccak::Backend::Avx512 => "eight states in 25 registers of 512 bits".to_owned(),
        pqlab_keccak::Backend::Portable => format!("one state after the other by {}", crate_versions(&["keccak"])),
    };
    let build_info = BuildInfo { version: crate_versions(&["pqlab-keccak"]), build: format!("{}; {code}", compiled()) };
    let mut provider = Provider::new("keccak", build_info);
    provider.backend = Some(Backend(backend.name().to_owned()));
    match Lanes::new(backend) {
        Ok(lanes) => {
            let hash = |function| -> Arc<dyn LaneHash> { Arc::new(EightLanes { lanes, function }) };
            provider.lane_hashes = Function::ALL.into_iter().map(hash).collect();
        }
        Err(reason) => {
            let unsupported =
                |function: Function| Unsupported { algorithm: function.name().to_owned(), reason: reason.to_string() };
            provider.unsupported = Function::ALL.into_iter().map(unsupported).collect();
        }
    }
    provider
}

struct EightLanes {
    lanes: Lanes,
    function: Function,
}

impl LaneHash for EightLanes {
    fn algorithm(&self) -> &str {
        self.function.name()
    }

    fn lanes(&self) -> usize {
        LANES
    }

    fn digest(&self, messages: &[&[u8]], outs: &mut [&mut [u8]]) -> Result<()> {
        let (messages, outs) = arrays(self.function.digest_length(), messages, outs)?;
        self.lanes
            .digest(self.function, messages, outs)
            .map_err(|error| Error::Library { call: "pqlab_keccak::Lanes::digest", detail: error.to_string() })
    }
}
