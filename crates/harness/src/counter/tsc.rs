//! Reads the processor's constant-rate counter and measures its rate.
//!
//! On x86-64 this is the time-stamp counter. On aarch64 it is the generic timer's virtual count (`CNTVCT_EL0`, Arm ARM
//! D12), which any program may read. The rate of the virtual count does not follow the core's clock. It is 24 MHz to 1
//! GHz, lower than on x86-64, so the resolution is coarser. Neither counter counts core cycles.

use super::Counter;
use crate::clock::monotonic_ns;
use pqlab_record::Metric;
use std::time::Duration;

/// Number of attempts to read the counter and the monotonic clock at the same moment. The shortest attempt counts.
const TRIES: usize = 200;

/// Properties of the processor's time-stamp counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TscProbe {
    /// Runs at a constant rate in every state of the processor, and can be read in program order.
    Invariant,
    /// Exists, but changes its rate with the core's clock or stops when the core sleeps.
    Variable,
    /// The architecture has no counter of this kind, or none that pqlab supports.
    Absent,
}

/// Measures the counter's rate, in ticks per second, by comparing it with the monotonic clock over `duration`. A
/// duration of 50 ms gives an accuracy of a few parts per million. `None` if there is no constant-rate counter.
pub fn calibrate_tsc(duration: Duration) -> Option<f64> {
    let baseline = Baseline::take()?;
    std::thread::sleep(duration);
    Some(baseline.ticks_per_second())
}

/// Readings of the counter and the monotonic clock at the same moment. The more time has passed since the readings, the
/// more precise is the rate computed from them. At the end of a run, the readings from the start show whether the rate
/// stayed constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Baseline {
    ticks: u64,
    ns: u64,
}

impl Baseline {
    /// Reads both clocks now. `None` if there is no constant-rate counter.
    pub fn take() -> Option<Baseline> {
        (probe() == TscProbe::Invariant).then(|| tightest(TRIES, read, monotonic_ns))
    }

    /// Returns the mean rate since these readings, in ticks per second.
    pub fn ticks_per_second(&self) -> f64 {
        self.rate_until(&tightest(TRIES, read, monotonic_ns))
    }

    /// Returns the relative difference between the mean rate since these readings and `assumed` ticks per second. A
    /// result of 1e-6 means one extra tick per million.
    pub fn deviation(&self, assumed: f64) -> f64 {
        self.ticks_per_second() / assumed - 1.0
    }

    fn rate_until(&self, later: &Baseline) -> f64 {
        let ns = later.ns.saturating_sub(self.ns).max(1);
        later.ticks.wrapping_sub(self.ticks) as f64 * 1e9 / ns as f64
    }
}

/// Constant-rate counter. Fences keep the measured work between the two readings.
#[derive(Default)]
pub(super) struct Tsc {
    begin: u64,
}

impl Counter for Tsc {
    fn metric(&self) -> Metric {
        Metric::Tsc
    }

    #[inline]
    fn start(&mut self) {
        self.begin = read();
    }

    #[inline]
    fn stop(&mut self) -> u64 {
        read_after().wrapping_sub(self.begin)
    }
}

/// Reads the clock between two readings of the counter, `tries` times. Keeps the attempt in which the two readings were
/// closest, because an interruption between them shifts the clocks relative to each other.
fn tightest(tries: usize, mut ticks: impl FnMut() -> u64, mut ns: impl FnMut() -> u64) -> Baseline {
    let (mut narrowest, mut best) = (u64::MAX, Baseline { ticks: 0, ns: 0 });
    for _ in 0..tries {
        let before = ticks();
        let now = ns();
        let window = ticks().wrapping_sub(before);
        if window < narrowest {
            narrowest = window;
            best = Baseline { ticks: before.wrapping_add(window / 2), ns: now };
        }
    }
    best
}

/// Detects a constant-rate counter. CPUID 0x8000_0007, EDX bit 8 is the invariant time-stamp counter (Intel SDM volume
/// 3, 18.17.1; AMD APM volume 2, 13.2.4). CPUID 0x8000_0001, EDX bit 27 is `rdtscp`.
#[cfg(target_arch = "x86_64")]
pub(super) fn probe() -> TscProbe {
    let cpuid = raw_cpuid::CpuId::new();
    if !cpuid.get_feature_info().is_some_and(|features| features.has_tsc()) {
        return TscProbe::Absent;
    }
    let invariant = cpuid.get_advanced_power_mgmt_info().is_some_and(|power| power.has_invariant_tsc());
    let ordered = cpuid.get_extended_processor_and_feature_identifiers().is_some_and(|features| features.has_rdtscp());
    if invariant && ordered { TscProbe::Invariant } else { TscProbe::Variable }
}

/// Reads the start of an interval. The first fence keeps the reading after all earlier work; the second keeps later
/// work after the reading.
#[cfg(target_arch = "x86_64")]
#[inline]
fn read() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: every x86-64 processor has `lfence` (SSE2). `probe` found the counter that `rdtsc`
    // reads.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

/// Reads the end of an interval. `rdtscp` waits for all earlier instructions; the fence keeps later work after the
/// reading.
#[cfg(target_arch = "x86_64")]
#[inline]
fn read_after() -> u64 {
    use std::arch::x86_64::{__rdtscp, _mm_lfence};
    let mut processor = 0;
    // SAFETY: as in `read`. `probe` found that the processor has `rdtscp`, and `processor` is
    // writable.
    unsafe {
        let ticks = __rdtscp(&mut processor);
        _mm_lfence();
        ticks
    }
}

#[cfg(target_arch = "aarch64")]
pub(super) fn probe() -> TscProbe {
    TscProbe::Invariant
}

/// Reads the counter. The barriers keep earlier work before the reading and later work after it.
#[cfg(target_arch = "aarch64")]
#[inline]
fn read() -> u64 {
    let ticks: u64;
    // SAFETY: the supported systems let programs read the virtual count, because their C libraries
    // do so. The assembly touches no memory.
    unsafe {
        std::arch::asm!("isb", "mrs {ticks}, cntvct_el0", "isb", ticks = out(reg) ticks, options(nomem, nostack));
    }
    ticks
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn read_after() -> u64 {
    read()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn probe() -> TscProbe {
    TscProbe::Absent
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn read() -> u64 {
    monotonic_ns()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn read_after() -> u64 {
    monotonic_ns()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_testing::{Need, require};

    #[test]
    fn keeps_the_narrowest_window() {
        // The windows are 40, 10 and 30 ticks long. The clock is read in the middle of each.
        let mut ticks = [100, 140, 200, 210, 300, 330].into_iter();
        let mut ns = [1_000, 2_000, 3_000].into_iter();
        let kept = tightest(3, || ticks.next().unwrap(), || ns.next().unwrap());
        assert_eq!(kept, Baseline { ticks: 205, ns: 2_000 });
    }

    #[test]
    fn a_rate_is_ticks_over_time() {
        let begin = Baseline { ticks: 1_000, ns: 5_000_000_000 };
        let end = Baseline { ticks: 1_000 + 5_192_000_000, ns: 7_000_000_000 };
        assert_eq!(begin.rate_until(&end), 2.596e9);
    }

    #[test]
    fn a_counter_that_wraps_around_keeps_its_rate() {
        let begin = Baseline { ticks: u64::MAX - 999, ns: 0 };
        let end = Baseline { ticks: 1_000, ns: 1_000 };
        assert_eq!(begin.rate_until(&end), 2e9);
    }

    #[test]
    fn the_rate_holds_over_a_longer_baseline() {
        let baseline = require!(Baseline::take(), Need::Machine("a time-stamp counter with a constant rate"));
        let rate = calibrate_tsc(Duration::from_millis(50)).unwrap();
        assert!((1e6..1e11).contains(&rate), "{rate}");
        std::thread::sleep(Duration::from_millis(50));
        // Clocks drift by far less than a thousandth; a wrong reading would be off by much more.
        assert!(baseline.deviation(rate).abs() < 1e-3, "{}", baseline.deviation(rate));
    }

    #[test]
    fn ticks_go_forward() {
        require!(probe() == TscProbe::Invariant, Need::Machine("a time-stamp counter with a constant rate"));
        let mut counter = Tsc::default();
        counter.start();
        std::thread::sleep(Duration::from_millis(1));
        assert!(counter.stop() > 0);
    }
}
