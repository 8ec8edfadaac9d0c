//! NIST's Monte Carlo chains for SHA-3 and SHAKE (SHA-3 Validation System, sections 6.2.3 and 6.3.3): 100,000 outputs,
//! each computed from the previous one. If NIST's files are missing, the embedded seed and digest suffice to check a
//! chain.

use crate::checks::equal;
use crate::read::sha3::MonteCarlo;
use crate::tally::{Checked, Fault};
use sha2::{Digest, Sha256};

/// Number of outputs that are compared: every thousandth output of a chain.
const RESULTS: usize = 100;

/// Seed and digest of a chain.
pub(super) struct Chain {
    pub(super) algorithm: &'static str,
    /// First message, in hexadecimal.
    pub(super) seed: &'static str,
    /// For SHAKE, the shortest and the longest output in bits; `None` for SHA-3.
    pub(super) output_bits: Option<(usize, usize)>,
    /// SHA-256 over every thousandth output, concatenated, in hexadecimal.
    pub(super) digest: &'static str,
}

impl Chain {
    pub(super) fn find(algorithm: &str) -> Option<&'static Chain> {
        CHAINS.iter().find(|chain| chain.algorithm == algorithm)
    }

    pub(super) fn beginning(&self) -> MonteCarlo {
        let seed = hex::decode(self.seed).expect("embedded values must be hexadecimal");
        MonteCarlo { seed, results: Vec::new(), output_bits: self.output_bits }
    }

    /// Passes if the digest over the compared outputs matches. `next` computes the next compared output.
    pub(super) fn compare(&self, next: &mut dyn FnMut() -> Result<Vec<u8>, Fault>) -> Checked {
        let mut digest = Sha256::new();
        for _ in 0..RESULTS {
            digest.update(next()?);
        }
        let expected = hex::decode(self.digest).expect("embedded values must be hexadecimal");
        equal("digest of the chain", &expected, &digest.finalize())
    }
}

/// Values from CAVP's `SHA3_*Monte.rsp` and `SHAKE*Monte.rsp`.
static CHAINS: &[Chain] = &[
    Chain {
        algorithm: "SHA3-224",
        seed: "3a9415d401aeb8567e6f0ecee311f4f716b39e86045c8a51383db2b6",
        output_bits: None,
        digest: "7bdea713ab10127c0ed7d275b656bc51a878c5de80844b71c0b6edeca5e55f8d",
    },
    Chain {
        algorithm: "SHA3-256",
        seed: "aa64f7245e2177c654eb4de360da8761a516fdc7578c3498c5e582e096b8730c",
        output_bits: None,
        digest: "90b86d930e2083883665ba4b34b0732444768169894ba9af7228f5cf9e4c7536",
    },
    Chain {
        algorithm: "SHA3-384",
        seed: "7a00791f6f65c21f1c97c58fa3c0520cfc85cd7e3d398cf01950819fa717195065a363e77d07753647cb0c130e9972ad",
        output_bits: None,
        digest: "fdb5e408a3e8efe5f4d281cecced07a113a07455237150acf1303fade7c25083",
    },
    Chain {
        algorithm: "SHA3-512",
        seed: "764a5511f00dbb0eaef2eb27ad58d35f74f563b88f789ff53f6cf3a47060c75ceb455444cd17b6d438c042e0483919d249f2fd372774647d2545cbfad20b4d31",
        output_bits: None,
        digest: "c430db8055b28aa2a6e23a5ce90659dd78c069b6e1d394465cab3813825f1fd3",
    },
    Chain {
        algorithm: "SHAKE128",
        seed: "c8b310cb97efa3855434998fa81c7674",
        output_bits: Some((128, 1120)),
        digest: "faf011d6da1e75932e39e07924ba30d6e88c079aee4d0b4e7c1973f2ad41bf55",
    },
    Chain {
        algorithm: "SHAKE256",
        seed: "48a0321b3653e4e86446d00f6a036efd",
        output_bits: Some((16, 2000)),
        digest: "8228d49254cfba37ec8b8c24c7bf0ed32cb0a01e3996e783febe00dbd9ff8d64",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::sha3::cavp_monte;
    use crate::vectors_root;
    use pqlab_testing::{Need, require};

    #[test]
    fn embedded_chains_match_the_files() {
        let folder = require!(vectors_root(), Need::Vectors);
        for chain in CHAINS {
            let name = format!("nist-cavp-sha3/{}Monte.rsp.gz", chain.algorithm.replace('-', "_"));
            let published = cavp_monte(&name, &std::fs::read(folder.join(&name)).unwrap()).unwrap();
            let beginning = chain.beginning();
            assert_eq!((&beginning.seed, beginning.output_bits), (&published.seed, published.output_bits), "{name}");
            let mut results = published.results.into_iter();
            assert_eq!(chain.compare(&mut || Ok(results.next().unwrap())), Ok(()), "{name}");
            assert!(results.next().is_none());
        }
    }
}
