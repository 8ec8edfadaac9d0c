//! Host clocks, and an estimate of the core's clock rate.

use crate::system::{Here, System as _};
use nix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Latency, in core cycles, of one link in the [chain]: a 64-bit addition of two registers.
///
/// The latency is one cycle on every x86-64 core since the K8 and Core 2 (Agner Fog, *Instruction tables*, `ADD r,r`),
/// on the Arm cores from Cortex-A53 to Neoverse V2 (Arm, *Software Optimization Guide* for each core, "Arithmetic,
/// basic"), and on both in-order and out-of-order RISC-V cores. A multiplication takes longer, but its latency differs
/// between cores: 3 cycles on most x86-64 cores, 4 or 5 on Atom cores and the K10, and 2 to 5 on Arm cores.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
const LINK_CYCLES: u64 = 1;

/// Latency, in core cycles, of one link in the portable [chain]: an XOR and an addition, one cycle each.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const LINK_CYCLES: u64 = 2;

/// Links per iteration of the chain's loop. With this many links, the loop counter is never the bottleneck.
const UNROLLED: u64 = 16;

/// Links in one timed chain. They take 25 µs at 2.6 GHz, a thousand times the cost of reading the clock.
const LINKS: u64 = 65_536;

/// Number of timed chains. The estimate uses the fastest one, because interruptions only add time.
const CHAINS: usize = 5;

/// Returns the time on the monotonic clock (`CLOCK_MONOTONIC`), in nanoseconds. The zero point is fixed until the host
/// restarts.
pub fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::CLOCK_MONOTONIC)
}

/// Longest interval between two readings of [`awake_ns`] during a wait, in nanoseconds.
pub const WAIT_SLICE_NS: u64 = 1_000_000_000;

/// Returns the time on the monotonic clock, in nanoseconds, excluding pauses. A process is paused by a stop signal, or
/// together with its container or virtual machine. Time limits for other processes use this clock, so that pqlab does
/// not mistake a pause for a hung process.
///
/// A gap of more than twice [`WAIT_SLICE_NS`] between two readings counts as a pause and adds only one slice. Code that
/// waits must therefore read this clock once per slice.
pub fn awake_ns() -> u64 {
    static AWAKE: Mutex<Awake> = Mutex::new(Awake { last_ns: 0, sum_ns: 0 });
    AWAKE.lock().unwrap_or_else(PoisonError::into_inner).read(monotonic_ns())
}

/// State of [`awake_ns`].
struct Awake {
    /// Previous reading of the monotonic clock.
    last_ns: u64,
    /// Time so far, excluding pauses.
    sum_ns: u64,
}

impl Awake {
    fn read(&mut self, now_ns: u64) -> u64 {
        let gap = now_ns.saturating_sub(self.last_ns);
        self.sum_ns += if gap > 2 * WAIT_SLICE_NS { WAIT_SLICE_NS } else { gap };
        self.last_ns = now_ns.max(self.last_ns);
        self.sum_ns
    }
}

/// Returns the CPU time of the calling thread in nanoseconds (`CLOCK_THREAD_CPUTIME_ID`).
pub fn thread_cpu_ns() -> u64 {
    nanoseconds(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the CPU time, in nanoseconds, that all threads of another process have used (`clock_getcpuclockid`).
/// Includes threads that have ended. `None` if the process does not exist or the system does not report the time.
pub fn process_cpu_ns(process: u32) -> Option<u64> {
    Here::process_cpu_clock(process).and_then(|clock| clock_gettime(clock).ok()).map(|time| {
        let nanoseconds = time.tv_sec() as u64 * 1_000_000_000;
        nanoseconds + time.tv_nsec() as u64
    })
}

/// Returns the current time in UTC as an RFC 3339 string with whole seconds.
pub fn utc_now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Converts an RFC 3339 time to UTC with whole seconds. `None` if `text` is not a valid time.
pub fn utc(text: &str) -> Option<String> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    // Reject negative years: they would be written with a sign, which RFC 3339 does not allow.
    Some(moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).filter(|written| written.len() == 20)
}

/// Returns the seconds between two RFC 3339 times. `None` if either string is not a valid time.
pub fn seconds_between(earlier: &str, later: &str) -> Option<f64> {
    let [earlier, later] = [earlier, later].map(|text| text.parse::<jiff::Timestamp>().ok());
    Some(later?.duration_since(earlier?).as_secs_f64())
}

/// Estimates the core's current clock rate in Hz. Times a chain of dependent additions, which takes a known number of
/// cycles.
///
/// Takes about 0.13 ms at 2.6 GHz. The estimate is accurate to 0.5% on an idle core, but too low if every chain was
/// interrupted.
pub fn core_clock_hz() -> f64 {
    let shortest = (0..CHAINS)
        .map(|_| {
            let begin = monotonic_ns();
            black_box(chain(black_box(LINKS)));
            monotonic_ns() - begin
        })
        .min();
    (LINKS * LINK_CYCLES) as f64 * 1e9 / shortest.unwrap_or(1).saturating_sub(reading_ns()).max(1) as f64
}

/// Clock rate and throughput of a core at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoreState {
    /// Clock rate in Hz, estimated as in [`core_clock_hz`].
    pub clock_hz: f64,
    /// Independent additions per cycle. Unlike the speed of dependent additions, this throughput falls while another
    /// hardware thread uses the same core. `None` on architectures without the measurement.
    pub additions_a_cycle: Option<f64>,
}

/// Estimates the clock rate and the throughput by alternating chains of dependent and independent additions. Takes
/// about 0.25 ms at 2.6 GHz.
pub fn core_state() -> CoreState {
    look::<CHAINS>(LINKS, WIDE_PASSES)
}

/// Faster version of [`core_state`]: takes a tenth of the time, so that it can run between samples every two
/// milliseconds. Accurate to 0.3% on an idle core.
pub fn glance() -> CoreState {
    look::<3>(LINKS / 4, WIDE_PASSES / 4)
}

fn look<const CHAINS: usize>(links: u64, passes: u64) -> CoreState {
    let mut shortest = u64::MAX;
    let mut wide: [u64; CHAINS] = [0; CHAINS];
    for reading in &mut wide {
        let begin = monotonic_ns();
        black_box(chain(black_box(links)));
        let between = monotonic_ns();
        black_box(independent_additions(black_box(passes)));
        *reading = monotonic_ns() - between;
        shortest = shortest.min(between - begin);
    }
    let without_reading = |ns: u64| ns.saturating_sub(reading_ns()).max(1) as f64;
    let clock_hz = (links * LINK_CYCLES) as f64 * 1e9 / without_reading(shortest);
    wide.sort_unstable();
    let cycles = without_reading(wide[CHAINS / 2]) * clock_hz / 1e9;
    let additions_a_cycle = cfg!(target_arch = "x86_64").then_some((passes * WIDE_ADDITIONS) as f64 / cycles);
    CoreState { clock_hz, additions_a_cycle }
}

/// Returns the shortest time, in ns, between two consecutive readings of the monotonic clock. Every measured interval
/// includes this time.
fn reading_ns() -> u64 {
    static LEAST: OnceLock<u64> = OnceLock::new();
    *LEAST.get_or_init(|| {
        let pair = |_| {
            let begin = monotonic_ns();
            monotonic_ns() - begin
        };
        (0..1000).map(pair).min().unwrap_or(0)
    })
}

/// Additions per pass of [`independent_additions`].
const WIDE_ADDITIONS: u64 = 24;

/// Passes in one timed run of [`independent_additions`]. With this number, the run takes about as long as a chain.
const WIDE_PASSES: u64 = 8192;

/// Accumulates six independent sums, four additions each per pass.
#[cfg(target_arch = "x86_64")]
fn independent_additions(passes: u64) -> u64 {
    let mut sums: [u64; 6] = [0; 6];
    let [a, b, c, d, e, f] = &mut sums;
    // SAFETY: the assembly uses eight registers, all declared as operands, and no memory. The loop ends because
    // `passes` is at least 1.
    unsafe {
        std::arch::asm!(
            "2:",
            ".rept 4",
            "add {a}, {addend}",
            "add {b}, {addend}",
            "add {c}, {addend}",
            "add {d}, {addend}",
            "add {e}, {addend}",
            "add {f}, {addend}",
            ".endr",
            "dec {passes}",
            "jnz 2b",
            a = inout(reg) *a,
            b = inout(reg) *b,
            c = inout(reg) *c,
            d = inout(reg) *d,
            e = inout(reg) *e,
            f = inout(reg) *f,
            addend = in(reg) addend(),
            passes = inout(reg) passes.max(1) => _,
            options(nomem, nostack),
        );
    }
    sums.iter().fold(0, |all, sum| all ^ sum)
}

#[cfg(not(target_arch = "x86_64"))]
fn independent_additions(_passes: u64) -> u64 {
    0
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock).expect("every supported system must provide this POSIX clock");
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}

/// Returns the odd number that each link of the chain adds, hidden from the compiler.
fn addend() -> u64 {
    black_box(0x9e37_79b9_7f4a_7c15)
}

/// Defines `chain` in assembly from these instructions, because a compiler would fold the additions into one
/// multiplication.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
macro_rules! chain_of {
    ($add:literal, $count:literal, $repeat:literal) => {
        /// Adds [`addend`] to zero `links` times; each addition depends on the previous one. `links` must be a positive
        /// multiple of [`UNROLLED`].
        pub(crate) fn chain(links: u64) -> u64 {
            let mut sum: u64 = 0;
            // SAFETY: the assembly uses three registers, all declared as operands, and no memory. The loop ends because
            // `passes` is at least 1.
            unsafe {
                std::arch::asm!(
                    "2:",
                    ".rept 16",
                    $add,
                    ".endr",
                    $count,
                    $repeat,
                    sum = inout(reg) sum,
                    addend = in(reg) addend(),
                    passes = inout(reg) (links / UNROLLED).max(1) => _,
                    options(nomem, nostack),
                );
            }
            sum
        }
    };
}

#[cfg(target_arch = "x86_64")]
chain_of!("add {sum}, {addend}", "dec {passes}", "jnz 2b");
#[cfg(target_arch = "aarch64")]
chain_of!("add {sum}, {sum}, {addend}", "subs {passes}, {passes}, #1", "b.ne 2b");
#[cfg(target_arch = "riscv64")]
chain_of!("add {sum}, {sum}, {addend}", "addi {passes}, {passes}, -1", "bnez {passes}, 2b");

/// Waits until all earlier instructions have completed. Does nothing on other architectures, where the end of a [chain]
/// overlaps with the code after it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn drain() {
    // SAFETY: `lfence` is part of SSE2, which every x86-64 processor has.
    unsafe { std::arch::x86_64::_mm_lfence() }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn drain() {}

/// Portable version of the chain. The XOR keeps the compiler from folding the additions.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
pub(crate) fn chain(links: u64) -> u64 {
    let addend = addend();
    let mut sum: u64 = 0;
    for _ in 0..(links / UNROLLED).max(1) {
        for _ in 0..UNROLLED {
            sum = (sum ^ addend).wrapping_add(addend);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_has_the_requested_number_of_links() {
        for links in [UNROLLED, 4 * UNROLLED, LINKS] {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
            let expected = links.wrapping_mul(addend());
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
            let expected = (0..links).fold(0u64, |sum, _| (sum ^ addend()).wrapping_add(addend()));
            assert_eq!(chain(links), expected);
        }
        assert_eq!(LINKS % UNROLLED, 0);
    }

    #[test]
    fn writes_times_in_one_format() {
        assert_eq!(utc("2026-11-21T20:00:00.5+01:00").as_deref(), Some("2026-11-21T19:00:00Z"));
        for wrong in ["", "now", "2026-11-21", "-002026-11-21T19:00:00Z", "<b>"] {
            assert_eq!(utc(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn estimates_a_clock_between_a_tenth_and_ten_gigahertz() {
        let hz = core_clock_hz();
        assert!((1e7..1e10).contains(&hz), "{hz}");
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn performs_all_independent_additions() {
        let sum = WIDE_ADDITIONS / 6 * 5;
        let each = addend().wrapping_mul(sum);
        assert_eq!(independent_additions(5), (0..6).fold(0, |all, _| all ^ each));
        let state = core_state();
        assert!((1e7..1e10).contains(&state.clock_hz), "{state:?}");
        assert!((0.01..100.0).contains(&state.additions_a_cycle.unwrap()), "{state:?}");
    }

    #[test]
    fn clocks_never_go_back() {
        let (wall, cpu) = (monotonic_ns(), thread_cpu_ns());
        black_box(chain(LINKS));
        assert!(monotonic_ns() > wall);
        assert!(thread_cpu_ns() >= cpu);
    }

    #[test]
    fn a_pause_counts_as_one_slice() {
        let mut awake = Awake { last_ns: 0, sum_ns: 0 };
        let begun = awake.read(7_000_000_000_000);
        let mut after = |seconds: f64| (awake.read(7_000_000_000_000 + (seconds * 1e9) as u64) - begun) as f64 / 1e9;
        assert_eq!([1.0, 2.5, 4.5].map(&mut after), [1.0, 2.5, 4.5]);
        assert_eq!([134.5, 135.0, 134.0].map(&mut after), [5.5, 6.0, 6.0]);
    }

    #[test]
    fn reads_the_cpu_clock_of_another_process() {
        let mut busy = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let begun = monotonic_ns();
        let used = loop {
            match process_cpu_ns(busy.id()) {
                Some(0) | None if monotonic_ns() - begun < 20_000_000_000 => std::thread::yield_now(),
                used => break used,
            }
        };
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert_eq!(used.is_some(), cfg!(target_os = "linux"));
        assert_eq!(process_cpu_ns(busy.id()), None, "an ended process must have no CPU time");
    }

    #[test]
    fn the_time_of_day_reads_back() {
        let text = utc_now();
        assert!(text.len() == 20 && text.ends_with('Z'), "{text}");
        let then: jiff::Timestamp = text.parse().unwrap();
        assert!(jiff::Timestamp::now().duration_since(then).as_secs().abs() < 5);
    }

    #[test]
    fn returns_the_seconds_between_times() {
        assert_eq!(seconds_between("2026-11-16T09:00:00Z", "2026-11-23T09:00:01Z"), Some(604_801.0));
        assert_eq!(seconds_between("2026-11-23T09:00:01Z", "2026-11-23T09:00:00Z"), Some(-1.0));
        assert_eq!(seconds_between("last week", "2026-11-23T09:00:00Z"), None);
    }
}
