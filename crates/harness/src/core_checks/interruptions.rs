//! Measures interruptions of the core: times during which the hypervisor, the kernel or the firmware takes the core
//! from a thread. The kernel does not report these times for the thread.

use crate::clock::{chain, monotonic_ns};
use pqlab_record::Interruptions;
use pqlab_stats::median;
use std::hint::black_box;

/// Duration of the measurement, in ns.
const WATCHED_NS: u64 = 50_000_000;
/// Number of links in the chain of additions in each piece of work. A piece takes about 2.5 µs.
const LINKS: u64 = 8_192;
/// Minimum length of an interruption, in ns. The length is the difference between the time of a piece of work and the
/// median time. Changes of the clock rate cause much smaller differences.
const LEAST_NS: f64 = 1_000.0;
/// Maximum length of an interruption, in ns. A longer gap is another task's time slice, which the gates detect.
const LONGEST_NS: f64 = 1_000_000.0;

/// Times equal pieces of work for 50 ms, and returns the interruptions. `None` if the clock is too coarse.
pub(super) fn interruptions() -> Option<Interruptions> {
    let begin = monotonic_ns();
    let mut times = Vec::with_capacity(1 << 15);
    let mut last = begin;
    while last - begin < WATCHED_NS {
        black_box(chain(black_box(LINKS)));
        let now = monotonic_ns();
        times.push((now - last) as f64);
        last = now;
    }
    interruptions_of(&times)
}

/// Computes the interruptions from the times of consecutive, equal pieces of work, in ns. `None` if the median time is
/// zero.
fn interruptions_of(times: &[f64]) -> Option<Interruptions> {
    let usual = median(times).filter(|usual| *usual > 0.0)?;
    let beyond = |time: &f64| Some(time - usual).filter(|beyond| *beyond > LEAST_NS);
    let slices: f64 = times.iter().filter_map(beyond).filter(|beyond| *beyond > LONGEST_NS).sum();
    let taken: Vec<f64> = times.iter().filter_map(beyond).filter(|beyond| *beyond <= LONGEST_NS).collect();
    let watched_ns = times.iter().sum::<f64>() - slices;
    Some(Interruptions {
        per_ms: taken.len() as f64 / watched_ns * 1e6,
        typical_us: median(&taken).unwrap_or(0.0) / 1e3,
        share_pct: 100.0 * taken.iter().sum::<f64>() / watched_ns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times of pieces of work on a simulated core, in ns. Each piece takes 2.5 µs without interruptions,
    /// and all pieces together take 50 ms. An interruption of `length_ns` begins every `period_ns`.
    fn simulated(period_ns: f64, length_ns: f64) -> Vec<f64> {
        let (mut now, mut next, mut times) = (0.0, period_ns / 2.0, Vec::new());
        while now < 50e6 {
            // The clock of the core changes by 2%.
            let mut time = 2_500.0 * (1.0 + 0.02 * now / 50e6);
            while next < now + time {
                (time, next) = (time + length_ns, next + period_ns);
            }
            times.push(time);
            now += time;
        }
        times
    }

    #[test]
    fn finds_the_rate_the_length_and_the_share_of_interruptions() {
        let found = interruptions_of(&simulated(500_000.0, 12_000.0)).unwrap();
        assert!((found.per_ms - 2.0).abs() < 0.1, "{found:?}");
        assert!((found.typical_us - 12.0).abs() < 0.1, "{found:?}");
        assert!((found.share_pct - 2.4).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn a_quiet_core_has_no_interruptions_and_time_slices_are_not_interruptions() {
        let none = Interruptions { per_ms: 0.0, typical_us: 0.0, share_pct: 0.0 };
        assert_eq!(interruptions_of(&simulated(1e12, 0.0)), Some(none));
        assert_eq!(interruptions_of(&simulated(1e7, 4e6)), Some(none));
        assert_eq!(interruptions_of(&[]), None);
    }
}
