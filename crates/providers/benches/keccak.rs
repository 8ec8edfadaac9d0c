//! Compares implementations of SHA3-256 on messages of 16,384 bytes. The first comparison is between the fastest code
//! path and the fastest scalar code path. The second is between the fastest code that hashes eight messages
//! concurrently and the fastest code path for a single message. Short heats select the fastest contestants, and
//! interleaved finals compare them.

#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "some functions are used only by the adapter benchmark")]
#[path = "interleaved/mod.rs"]
mod interleaved;

use interleaved::{Comparison, Found, PROCESSES, Side, time};
use pqlab_primitives::Provider;
use pqlab_providers::providers;
use std::hint::black_box;
use std::sync::Arc;

const ALGORITHM: &str = "SHA3-256";
const MESSAGE: usize = 16384;
const DIGEST: usize = 32;
const LANES: usize = 8;
/// Number of messages in a round, a multiple of [`LANES`].
const BATCH: usize = 16;
/// Number of rounds in a heat.
const HEATS: usize = 40;
/// Libraries that use vector instructions for a single message although the provider's id names no vector extension.
const VECTOR: [&str; 1] = ["liboqs"];

fn main() {
    if let Some(name) = interleaved::requested() {
        let (first, second) = name.split_once(' ').expect("expected two contestants");
        interleaved::answer(Comparison { batch: Some(BATCH), first: work(first), second: work(second) });
        return;
    }
    println!("{:<72} {:>11} {:>11}   ratio with 95% interval over {PROCESSES} processes", "", "first", "second");
    for name in finals() {
        let Found { first, second, ratio, .. } = interleaved::find(&name, PROCESSES);
        let (one, other) = name.split_once(' ').expect("expected two contestants");
        let what = format!("{ALGORITHM} of {MESSAGE} bytes, per message: {one} vs {other}");
        let (estimate, low, high) = (ratio.estimate, ratio.low, ratio.high);
        println!("{what:<72} {first:>8.1} ns {second:>8.1} ns   {estimate:.4} [{low:.4}, {high:.4}]");
    }
}

/// Returns the pairs to compare: the fastest single-message contestant with the fastest scalar one,
/// and the fastest eight-lane contestant with the fastest single-message one.
fn finals() -> Vec<String> {
    let all = providers();
    let single: Vec<String> = all.iter().filter(|one| one.hash(ALGORITHM).is_some()).map(|one| one.id()).collect();
    let scalar: Vec<String> = all.iter().filter(|one| is_scalar(one)).map(|one| one.id()).collect();
    let scalar: Vec<String> = scalar.into_iter().filter(|id| single.contains(id)).collect();
    let lanes = all.iter().filter(|one| one.lane_hash(ALGORITHM, LANES).is_some());
    let lanes: Vec<String> = lanes.map(|one| format!("{}*{LANES}", one.id())).collect();
    let mut pairs = Vec::new();
    let (best, best_scalar) = (best(&single), best(&scalar));
    if let (Some(best), Some(best_scalar)) = (&best, &best_scalar) {
        pairs.push(format!("{best} {best_scalar}"));
    }
    if let (Some(best_lanes), Some(best)) = (self::best(&lanes), best) {
        pairs.push(format!("{best_lanes} {best}"));
    }
    pairs
}

fn is_scalar(provider: &Provider) -> bool {
    let backend = provider.backend.as_ref().map_or("", |backend| backend.0.as_str());
    let vector = ["avx", "sse", "neon", "sve"].iter().any(|set| backend.contains(set));
    !vector && !VECTOR.contains(&provider.library.as_str())
}

fn best(contestants: &[String]) -> Option<String> {
    let median = |name: &String| {
        let mut work = work(name);
        let times: Vec<f64> = (0..HEATS).map(|_| time(&mut work, BATCH)).collect();
        pqlab_stats::median(&times).expect("no round was measured")
    };
    let timed = contestants.iter().map(|name| (median(name), name));
    timed.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name.clone())
}

/// Returns the side that hashes a batch of messages with the named contestant. For example, `openssl` hashes one
/// message after the other, and `cryptogams:avx512*8` hashes eight messages at a time.
fn work(name: &str) -> Side {
    let (id, lanes) = name.split_once('*').map_or((name, 1), |(id, lanes)| (id, lanes.parse().expect("not a number")));
    let provider: Arc<Provider> = providers().into_iter().find(|one| one.id() == id).expect("unknown provider");
    let messages: Vec<Vec<u8>> = (0..BATCH).map(|index| vec![index as u8; MESSAGE]).collect();
    if lanes == 1 {
        let hash = Arc::clone(provider.hash(ALGORITHM).expect("no such algorithm"));
        let mut out = [0; DIGEST];
        return Box::new(move |batch| {
            hash.digest_batch(black_box(&messages), batch, black_box(&mut out)).expect("hashing failed");
        });
    }
    let hash = Arc::clone(provider.lane_hash(ALGORITHM, lanes).expect("no such algorithm"));
    let mut out = vec![0; DIGEST * lanes];
    Box::new(move |batch| {
        for set in black_box(&messages)[..batch].chunks_exact(lanes) {
            let set: Vec<&[u8]> = set.iter().map(Vec::as_slice).collect();
            let mut outs: Vec<&mut [u8]> = out.chunks_exact_mut(DIGEST).collect();
            hash.digest(&set, black_box(&mut outs)).expect("hashing failed");
        }
    })
}
