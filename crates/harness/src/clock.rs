//! Host clocks, and an estimate of the core's clock rate.

use crate::system::{Here, System as _};
use nix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Latency, in core cycles, of one link in the [chain] of dependent additions. A link adds two 64-bit registers.
///
/// The latency is one cycle on these cores:
///
/// - every x86-64 core since the K8 and Core 2 (Agner Fog, *Instruction tables*, `ADD r,r`)
/// - the Arm cores from Cortex-A53 to Neoverse V2 (Arm, *Software Optimization Guide* for each core, "Arithmetic,
///   basic")
/// - in-order and out-of-order RISC-V cores
///
/// A multiplication takes longer, but its latency differs between cores. It is 3 cycles on most x86-64 cores, 4 or 5 on
/// Atom cores and the K10, and 2 to 5 on Arm cores.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
const LINK_CYCLES: u64 = 1;

/// Latency, in core cycles, of one link in the portable [chain]. A link is an XOR and a dependent addition, one cycle
/// each.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const LINK_CYCLES: u64 = 2;

/// Links per iteration of the chain's loop. With this many links, the loop counter is never the bottleneck.
const UNROLLED: u64 = 16;

/// Total number of links in the two timed chains. They take 25 µs at 2.6 GHz.
const LINKS: u64 = 65_536;

/// Links in the shorter of the two timed chains. Its loop runs 256 times, too often for the processor to predict the
/// last iteration. Each chain therefore costs one misprediction, which cancels out in the difference of their times.
const SHORT_LINKS: u64 = 4_096;

/// Number of times that each chain is timed. The estimate uses the shortest time of each chain, because interruptions
/// only add time.
const CHAINS: usize = 5;

/// Returns the time on the monotonic clock (`CLOCK_MONOTONIC`), in nanoseconds. The zero point is fixed until the host
/// restarts.
pub fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::CLOCK_MONOTONIC)
}

/// Returns the present time on the monotonic clock, as the start of a simulated time.
pub fn instant() -> Instant {
    Instant::now()
}

/// Maximum time between two readings of [`awake_ns`] in code that waits, in nanoseconds.
pub const WAIT_SLICE_NS: u64 = 1_000_000_000;

/// Returns the time on the monotonic clock, in nanoseconds, excluding pauses. A process is paused by a stop signal, or
/// together with its container or virtual machine. Time limits for other processes use this clock, so that pqlab does
/// not mistake a pause for a hung process.
///
/// A gap of more than twice [`WAIT_SLICE_NS`] between two readings counts as a pause and adds only one slice. Code that
/// waits must therefore read this clock at least once per slice.
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
    // Reject negative years, because RFC 3339 does not allow the sign that they would be written with.
    Some(moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).filter(|written| written.len() == 20)
}

/// Returns the seconds between two RFC 3339 times. `None` if either string is not a valid time.
pub fn seconds_between(earlier: &str, later: &str) -> Option<f64> {
    let [earlier, later] = [earlier, later].map(|text| text.parse::<jiff::Timestamp>().ok());
    Some(later?.duration_since(earlier?).as_secs_f64())
}

/// Estimates the core's current clock rate in Hz. Times two chains of dependent additions of different lengths. Each
/// addition takes a known number of cycles. The difference between the two times does not include the cost of reading
/// the clock.
///
/// Takes about 0.13 ms at 2.6 GHz. The estimate is accurate to 0.1% on an idle core, but too low if every chain was
/// interrupted.
pub fn core_clock_hz() -> f64 {
    let mut shortest = [u64::MAX; 2];
    for _ in 0..CHAINS {
        let begin = monotonic_ns();
        black_box(chain(black_box(SHORT_LINKS)));
        let between = monotonic_ns();
        black_box(chain(black_box(LINKS - SHORT_LINKS)));
        let end = monotonic_ns();
        shortest = [shortest[0].min(between - begin), shortest[1].min(end - between)];
    }
    Pace::new(LINKS, shortest).clock_hz()
}

/// Clock rate and throughput of a core at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoreState {
    /// Clock rate in Hz, estimated as in [`core_clock_hz`].
    pub clock_hz: f64,
    /// Independent additions per cycle. Unlike the speed of dependent additions, this throughput falls while another
    /// hardware thread uses the same core. `None` on architectures other than x86-64.
    pub additions_a_cycle: Option<f64>,
}

/// Estimates the core's clock rate and throughput. Alternates between dependent and independent additions. Takes about
/// 0.25 ms at 2.6 GHz.
pub fn core_state() -> CoreState {
    look::<CHAINS>(LINKS, WIDE_PASSES)
}

/// Estimates the same values as [`core_state`], from fewer additions. Takes about 0.04 ms at 2.6 GHz, short enough to
/// run between samples. Accurate to within 0.3% on an idle core.
pub fn glance() -> CoreState {
    look::<3>(LINKS / 4, WIDE_PASSES / 4)
}

fn look<const CHAINS: usize>(links: u64, passes: u64) -> CoreState {
    let mut shortest = [u64::MAX; 2];
    let mut wide: [u64; CHAINS] = [0; CHAINS];
    for reading in &mut wide {
        let begin = monotonic_ns();
        black_box(chain(black_box(SHORT_LINKS)));
        let between = monotonic_ns();
        black_box(chain(black_box(links - SHORT_LINKS)));
        let end = monotonic_ns();
        black_box(independent_additions(black_box(passes)));
        *reading = monotonic_ns() - end;
        shortest = [shortest[0].min(between - begin), shortest[1].min(end - between)];
    }
    wide.sort_unstable();
    core_state_of(links, shortest, passes, wide[CHAINS / 2])
}

/// Computes the state of a core from times in ns. `shortest` contains the shortest time of each chain, with the shorter
/// chain first. The two chains have `links` links in total. `wide_ns` is the time that `passes` passes of independent
/// additions take.
fn core_state_of(links: u64, shortest: [u64; 2], passes: u64, wide_ns: u64) -> CoreState {
    let pace = Pace::new(links, shortest);
    let cycles = (wide_ns as f64 - pace.fixed_ns).max(1.0) * pace.clock_hz() / 1e9;
    let additions_a_cycle = cfg!(target_arch = "x86_64").then_some((passes * WIDE_ADDITIONS) as f64 / cycles);
    CoreState { clock_hz: pace.clock_hz(), additions_a_cycle }
}

/// Linear model of a chain's time: a constant plus the time per link.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Time per link, in ns.
    ns_per_link: f64,
    /// Constant part of a chain's time in ns, such as the cost of reading the clock.
    fixed_ns: f64,
}

impl Pace {
    /// Fits the model to the times of two chains, which have `links` links in total. The first chain has
    /// [`SHORT_LINKS`] links.
    fn new(links: u64, times_ns: [u64; 2]) -> Pace {
        let [short, long] = times_ns.map(|ns| ns as f64);
        let ns_per_link = (long - short) / (links - 2 * SHORT_LINKS) as f64;
        if ns_per_link <= 0.0 {
            // The clock is too coarse, or the first chain was interrupted each time.
            return Pace { ns_per_link: long.max(1.0) / (links - SHORT_LINKS) as f64, fixed_ns: 0.0 };
        }
        Pace { ns_per_link, fixed_ns: (short - ns_per_link * SHORT_LINKS as f64).max(0.0) }
    }

    fn clock_hz(self) -> f64 {
        LINK_CYCLES as f64 * 1e9 / self.ns_per_link
    }
}

/// Additions per pass of [`independent_additions`].
const WIDE_ADDITIONS: u64 = 24;

/// Passes in one timed run of [`independent_additions`]. With this number, the run takes about as long as the longer
/// chain.
const WIDE_PASSES: u64 = 8192;

/// Adds to six independent sums, four times each per pass. Returns the XOR of the sums.
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

/// Returns the odd number that each link of the chain adds. The compiler cannot see its value.
fn addend() -> u64 {
    black_box(0x9e37_79b9_7f4a_7c15)
}

/// Defines `chain` in assembly, because a compiler would fold the additions into one multiplication. The arguments are
/// the instructions that add once, decrement the loop counter, and jump back.
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

/// Waits until all earlier instructions have completed. On architectures other than x86-64, this function does nothing,
/// and the end of a [chain] overlaps with the code after it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn drain() {
    // SAFETY: `lfence` is part of SSE2, which every x86-64 processor has.
    unsafe { std::arch::x86_64::_mm_lfence() }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn drain() {}

/// Portable version of the chain. The XOR keeps the compiler from folding the additions into one multiplication.
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

    /// Returns the state computed for a simulated core that runs at `hertz` and performs `a_cycle` independent
    /// additions per cycle. Each time includes `reading_ns` for reading the clock, and is rounded down to whole
    /// nanoseconds.
    fn simulated(links: u64, passes: u64, hertz: f64, a_cycle: f64, reading_ns: f64) -> CoreState {
        let ns = |cycles: f64| (cycles * 1e9 / hertz + reading_ns) as u64;
        let chains = [SHORT_LINKS, links - SHORT_LINKS].map(|links| ns((links * LINK_CYCLES) as f64));
        core_state_of(links, chains, passes, ns((passes * WIDE_ADDITIONS) as f64 / a_cycle))
    }

    #[test]
    fn short_and_long_looks_agree_whatever_a_reading_costs() {
        for hertz in [1.2e9, 2.45e9, 3.21e9, 5.7e9] {
            for reading_ns in [0.0, 15.3, 41.7, 600.0] {
                let long = simulated(LINKS, WIDE_PASSES, hertz, 4.0, reading_ns);
                let short = simulated(LINKS / 4, WIDE_PASSES / 4, hertz, 4.0, reading_ns);
                // Rounding to whole nanoseconds moves the difference by at most 1 ns of 1.4 µs or more.
                for (state, tolerance) in [(long, 1.1e-4), (short, 7.1e-4)] {
                    let error = state.clock_hz / hertz - 1.0;
                    assert!(error.abs() < tolerance, "{hertz} Hz, {reading_ns} ns a reading: off by {error:e}");
                    if let Some(additions) = state.additions_a_cycle {
                        assert!((additions / 4.0 - 1.0).abs() < 3.0 * tolerance, "{reading_ns} ns: {additions}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_clock_that_is_too_coarse_gives_a_finite_rate() {
        for times in [[0, 0], [25_000, 0], [1_000_000, 1_000_000]] {
            let state = core_state_of(LINKS, times, WIDE_PASSES, 0);
            assert!(state.clock_hz.is_finite() && state.clock_hz > 0.0, "{times:?}: {state:?}");
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
        assert_eq!(process_cpu_ns(busy.id()), None, "a process that has ended must report no CPU time");
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
