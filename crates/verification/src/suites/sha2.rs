//! CAVP's vectors for SHA-2, which `make vectors` downloads.

use super::sha3::hashed;
use super::{Ran, Run, Suite};
use crate::checks::{buffer, equal, step};
use crate::read::sha3 as read;
use crate::tally::{Fault, Tally};
use crate::vectors::Vectors;
use pqlab_primitives::Hash;

pub(super) static SUITES: &[Suite] = &[
    Suite::fetched(
        "CAVP SHA-2 short messages",
        is_sha2,
        Run::Hash(|hash, vectors, tally| messages(hash, "ShortMsg", vectors, tally)),
    ),
    Suite::fetched(
        "CAVP SHA-2 long messages",
        is_sha2,
        Run::Hash(|hash, vectors, tally| messages(hash, "LongMsg", vectors, tally)),
    ),
    Suite::fetched("CAVP SHA-2 Monte Carlo", is_sha2, Run::Hash(monte)),
];

/// Number of digests between two results of a chain.
const STEPS: usize = 1000;

fn is_sha2(algorithm: &str) -> bool {
    algorithm == "SHA-256" || algorithm == "SHA-512"
}

fn name(hash: &dyn Hash, kind: &str) -> String {
    format!("nist-cavp-sha2/{}{kind}.rsp.gz", hash.info().algorithm.replace('-', ""))
}

fn messages(hash: &dyn Hash, kind: &str, vectors: &Vectors, tally: &mut Tally) -> Ran {
    for message in vectors.fetched(&name(hash, kind), read::cavp_sha2)?.iter() {
        tally.check(format_args!("line {}", message.id), || hashed(hash, message));
    }
    Ok(())
}

/// Checks the chain from the Secure Hash Algorithm Validation System, section 6.4. Each message consists of the three
/// previous digests.
fn monte(hash: &dyn Hash, vectors: &Vectors, tally: &mut Tally) -> Ran {
    let chain = vectors.fetched(&name(hash, "Monte"), read::cavp_sha2_monte)?;
    let mut seed = chain.seed.clone();
    for (count, expected) in chain.results.iter().enumerate() {
        tally.check(count, || {
            seed = thousandth(hash, &seed)?;
            equal("digest", expected, &seed)
        });
    }
    Ok(())
}

fn thousandth(hash: &dyn Hash, seed: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut last = [seed.to_vec(), seed.to_vec(), seed.to_vec()];
    for _ in 0..STEPS {
        let mut digest = buffer(hash.info().digest);
        step("digest", hash.digest(&last.concat(), &mut digest))?;
        last.rotate_left(1);
        last[2] = digest;
    }
    let [_, _, digest] = last;
    Ok(digest)
}
