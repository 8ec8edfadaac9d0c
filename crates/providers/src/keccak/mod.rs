//! This project's Keccak (crate `pqlab-keccak`), which hashes one message or eight messages concurrently. No published
//! crate hashes eight messages concurrently. Each code path is a separate provider. If this processor cannot run a code
//! path, the provider lists the functions as unsupported and gives the reason.

#[cfg(test)]
mod tests;

use crate::shared::compiled::{compiled, crate_versions};
use crate::shared::lanes::arrays;
use pqlab_adapters::messages;
use pqlab_keccak::{Function, LANES, Lanes, Output, Single};
use pqlab_primitives::{
    Backend, BuildInfo, Error, Hash, HashParameters, LaneHash, Provider, Result, Unsupported, Xof, XofParameters,
    XofReader,
};
use std::hint::black_box;
use std::sync::Arc;

pub(crate) fn providers() -> Vec<Provider> {
    pqlab_keccak::Backend::ALL.into_iter().map(provider).collect()
}

fn provider(backend: pqlab_keccak::Backend) -> Provider {
    let code = match backend {
        pqlab_keccak::Backend::Avx512 => {
            "eight states in 25 512-bit registers, one state in 128-bit registers".to_owned()
        }
        pqlab_keccak::Backend::Avx2 => "four states in 25 256-bit words, eight states in two groups of four".to_owned(),
        pqlab_keccak::Backend::Portable => format!("one state at a time by {}", crate_versions(&["keccak"])),
    };
    let build_info = BuildInfo { version: crate_versions(&["pqlab-keccak"]), build: format!("{}; {code}", compiled()) };
    let mut provider = Provider::new("keccak", build_info);
    provider.backend = Some(Backend(backend.name().to_owned()));
    match Lanes::new(backend).and_then(|lanes| Ok((lanes, Single::new(backend)?))) {
        Ok((lanes, single)) => {
            // The AVX2 code hashes only several messages: a single message would take the portable code.
            let of_single = if backend == pqlab_keccak::Backend::Avx2 { &[][..] } else { &Function::ALL[..] };
            for function in of_single.iter().copied() {
                if let Some(info) = HashParameters::find(function.name()) {
                    provider.hashes.push(Arc::new(FixedLength { info, single, function }));
                }
                if let Some(info) = XofParameters::find(function.name()) {
                    provider.xofs.push(Arc::new(Shake { info, single, function }));
                }
            }
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

struct FixedLength {
    info: HashParameters,
    single: Single,
    function: Function,
}

impl Hash for FixedLength {
    fn info(&self) -> &HashParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        self.single.digest(self.function, message, out).map_err(|error| refused("Single::digest", error))
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        Error::check_length("digest", self.info.digest, out.len())?;
        batch(self.single, self.function, messages, count, out)
    }
}

struct Shake {
    info: XofParameters,
    single: Single,
    function: Function,
}

impl Xof for Shake {
    fn info(&self) -> &XofParameters {
        &self.info
    }

    fn digest(&self, message: &[u8], out: &mut [u8]) -> Result<()> {
        self.single.digest(self.function, message, out).map_err(|error| refused("Single::digest", error))
    }

    fn digest_batch(&self, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
        batch(self.single, self.function, messages, count, out)
    }

    fn absorb(&self, message: &[u8]) -> Result<Box<dyn XofReader>> {
        Ok(Box::new(Squeezing(self.single.absorb(self.function, message))))
    }
}

struct Squeezing(Output);

impl XofReader for Squeezing {
    fn squeeze(&mut self, out: &mut [u8]) -> Result<()> {
        self.0.squeeze(out);
        Ok(())
    }
}

/// Hashes `count` messages from the pool in order.
fn batch(single: Single, function: Function, messages: &[Vec<u8>], count: usize, out: &mut [u8]) -> Result<()> {
    for message in messages::in_turn(messages, count)? {
        single.digest(function, message, black_box(&mut *out)).map_err(|error| refused("Single::digest", error))?;
    }
    Ok(())
}

fn refused(call: &'static str, error: pqlab_keccak::Error) -> Error {
    Error::Library { call, detail: error.to_string() }
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
        self.lanes.digest(self.function, messages, outs).map_err(|error| refused("Lanes::digest", error))
    }
}
