//! Checks the measuring core before a run. The checks show whether an addition takes one core cycle, whether the core
//! reaches the usual additions per cycle of its processor family, and how much time interruptions take.

mod interruptions;
mod latencies;
mod width;

use crate::affinity;
use pqlab_record::CoreChecks;
use std::thread::{self, Builder};

/// Stack size of the checking thread, in bytes.
const STACK: usize = 128 << 10;

/// Checks the core of the processor `cpu`, or any core if `cpu` is `None`. Runs for about 0.1 s on a new thread, which
/// is pinned to `cpu`. Returns `None` if the thread cannot be started or pinned.
pub fn check_core(cpu: Option<u32>) -> Option<CoreChecks> {
    let check = || {
        cpu.map_or(Ok(()), |cpu| affinity::pin(&[cpu])).ok()?;
        Some(CoreChecks {
            latencies: latencies::latencies(),
            additions_per_cycle: width::additions_per_cycle(),
            usual_additions_per_cycle: width::usual_additions_per_cycle(),
            interruptions: interruptions::interruptions(),
        })
    };
    thread::scope(|scope| Builder::new().stack_size(STACK).spawn_scoped(scope, check).ok()?.join().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_a_core() {
        let checks = check_core(affinity::allowed().last().copied()).unwrap();
        assert!(checks.latencies.iter().all(|latency| latency.links.is_finite() && latency.links > 0.0), "{checks:?}");
        if cfg!(target_arch = "x86_64") {
            assert!(checks.latencies.len() >= 2, "every x86-64 core multiplies: {checks:?}");
            assert!(checks.additions_per_cycle.is_some());
        }
        assert!(checks.interruptions.is_some());
        assert_eq!(check_core(Some(u32::MAX)), None);
    }
}
