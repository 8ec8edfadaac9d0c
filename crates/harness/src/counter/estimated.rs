//! Compares estimated core cycles with the cycles that a performance-monitoring unit counts.

use super::{CounterChoice, open};
use crate::clock::{chain, glance, monotonic_ns};
use std::hint::black_box;

/// Number of comparisons; the result is their median.
const STRETCHES: usize = 32;
/// Number of links in the chain of additions in each comparison (about 0.3 ms). After the chain, the comparison copies
/// `COPIED` bytes 16 times.
const LINKS: u64 = 1 << 20;
const COPIED: usize = 1 << 16;

/// Returns the ratio of estimated to counted core cycles for the same work: a chain of additions, then memory copies
/// within the cache. The estimate multiplies the elapsed time by the mean of the clock rates before and after the work.
/// `None` if cycles cannot be counted.
pub fn estimated_over_counted() -> Option<f64> {
    let mut selected = open(CounterChoice::Cycles).ok()?;
    let (from, mut to) = (vec![1_u8; COPIED], vec![0_u8; COPIED]);
    let ratios = (0..STRETCHES).map(|_| {
        let before = glance().clock_hz;
        let begin = monotonic_ns();
        selected.counter.start();
        black_box(chain(black_box(LINKS)));
        for _ in 0..16 {
            black_box(&mut to).copy_from_slice(black_box(&from));
        }
        let counted = selected.counter.stop();
        let ns = monotonic_ns() - begin;
        ratio(ns, f64::midpoint(before, glance().clock_hz), counted)
    });
    pqlab_stats::median(&ratios.collect::<Option<Vec<f64>>>()?)
}

fn ratio(ns: u64, hz: f64, counted: u64) -> Option<f64> {
    (counted > 0).then(|| ns as f64 * hz / 1e9 / counted as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_microsecond_at_three_gigahertz_is_three_thousand_cycles() {
        assert_eq!(ratio(1_000, 3e9, 3_000), Some(1.0));
        assert_eq!(ratio(1_000, 3e9, 2_000), Some(1.5));
        assert_eq!(ratio(1_000, 3e9, 0), None);
    }

    #[test]
    fn returns_a_ratio_only_if_cycles_are_counted() {
        let counted = open(CounterChoice::Cycles).is_ok();
        let ratio = estimated_over_counted();
        assert_eq!(ratio.is_some(), counted);
        assert!(ratio.is_none_or(|ratio| ratio > 0.0));
    }
}
