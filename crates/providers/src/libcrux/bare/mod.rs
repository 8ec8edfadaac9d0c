//! Direct calls to libcrux, for each code path. The crates do not generate random bytes, so coins come from the
//! operating system, as in the crates' examples.

mod hash;
mod kem;
mod signature;

use crate::interleaved::Side;
use crate::libraries::Bare;
use crate::operations::{kem as kem_inputs, signature as signature_inputs};

pub(crate) const BARE: &[&dyn Bare] = &[
    &PORTABLE,
    #[cfg(target_arch = "x86_64")]
    &AVX2,
    #[cfg(target_arch = "aarch64")]
    &NEON,
];

/// Direct calls for a code path of the crates.
struct Libcrux {
    provider: &'static str,
    kem: fn(&kem_inputs::Inputs, &str) -> Option<Side>,
    signature: fn(&signature_inputs::Inputs, &str) -> Option<Side>,
}

const PORTABLE: Libcrux = Libcrux { provider: "libcrux:portable", kem: kem::portable, signature: signature::portable };
#[cfg(target_arch = "x86_64")]
const AVX2: Libcrux = Libcrux { provider: "libcrux:avx2", kem: kem::avx2, signature: signature::avx2 };
#[cfg(target_arch = "aarch64")]
const NEON: Libcrux = Libcrux { provider: "libcrux:neon", kem: kem::neon, signature: signature::neon };

impl Bare for Libcrux {
    fn library(&self) -> &'static str {
        self.provider
    }

    fn algorithms(&self) -> &'static [&'static str] {
        &["ML-KEM-512", "ML-DSA-44", "SHA3-256", "SHAKE128", "SHAKE256"]
    }

    fn kem(&self, inputs: &kem_inputs::Inputs, operation: &str) -> Option<Side> {
        (self.kem)(inputs, operation)
    }

    fn signature(&self, inputs: &signature_inputs::Inputs, operation: &str) -> Option<Side> {
        (self.signature)(inputs, operation)
    }

    fn hash(&self, _provider: &str, algorithm: &str) -> Option<Side> {
        (algorithm == "SHA3-256").then(hash::sha3_256)
    }

    fn xof(&self, _provider: &str, algorithm: &str, operation: &str) -> Option<Side> {
        (algorithm == "SHAKE128").then(|| hash::shake128(operation))
    }

    fn lanes(&self, _provider: &str, algorithm: &str, lanes: usize) -> Option<Side> {
        (algorithm == "SHAKE256").then(|| hash::lanes(lanes)).flatten()
    }
}

/// Returns random bytes from the operating system.
fn drawn<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system returned no random bytes");
    bytes
}
