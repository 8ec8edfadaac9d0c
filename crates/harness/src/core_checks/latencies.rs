//! Latencies of instructions. The unit is one link in the chain of dependent additions.
//!
//! The latencies show whether a link takes one core cycle. On every core, the latency of an instruction is a whole
//! number of core cycles. If a link takes one cycle, all latencies are therefore whole numbers of links. If a link took
//! any other time, it would be very unlikely that several different latencies were whole numbers of links.

use crate::clock::{chain, monotonic_ns};
use crate::residue;
use pqlab_record::Latency;
use std::hint::black_box;

/// Number of ratios measured for each instruction. The result is their median.
const REPETITIONS: usize = 200;
/// Links in the shorter and the longer chain of additions.
const LINKS: [u64; 2] = [4_096, 61_440];
/// Divisor for the number of links in an instruction's chains. With it, these chains take about as long as the chains
/// of additions.
const QUARTER: u64 = 4;

/// Runs a chain of dependent instructions of one kind. The argument is the number of links.
pub(super) type Chain = fn(u64);

/// Returns the latency of each tested instruction that this processor has. The unit is one link in the chain of
/// additions.
pub(super) fn latencies() -> Vec<Latency> {
    residue::put_back();
    let time = |chain: &dyn Fn(u64), links: [u64; 2]| {
        let begin = monotonic_ns();
        chain(black_box(links[0]));
        let between = monotonic_ns();
        chain(black_box(links[1]));
        [between - begin, monotonic_ns() - between]
    };
    let additions = |links: u64| {
        black_box(chain(links));
    };
    let measure = |(instruction, chain): (&str, Chain)| {
        let readings =
            (0..REPETITIONS).map(|_| [time(&additions, LINKS), time(&chain, LINKS.map(|all| all / QUARTER))]);
        let links = links_per_instruction(readings.collect::<Vec<_>>())?;
        Some(Latency { instruction: instruction.to_owned(), links })
    };
    instructions().into_iter().filter_map(measure).collect()
}

/// Computes an instruction's latency in links. Each reading contains four times in ns: those of the shorter and the
/// longer chain of additions, then those of the shorter and the longer chain of the instruction. The difference between
/// a longer and a shorter chain does not include the cost of reading the clock. `None` if no reading is usable.
fn links_per_instruction(readings: Vec<[[u64; 2]; 2]>) -> Option<f64> {
    let ratio = |[additions, others]: [[u64; 2]; 2]| {
        let difference = |times: [u64; 2]| times[1].checked_sub(times[0]).filter(|ns| *ns > 0);
        Some(QUARTER as f64 * difference(others)? as f64 / difference(additions)? as f64)
    };
    pqlab_stats::median(&readings.into_iter().filter_map(ratio).collect::<Vec<f64>>())
}

#[cfg(target_arch = "x86_64")]
fn instructions() -> Vec<(&'static str, Chain)> {
    let all: [(&str, bool, Chain); 5] = [
        ("IMUL", true, x86::imul),
        ("MULPD", true, x86::mulpd),
        ("CRC32", std::arch::is_x86_feature_detected!("sse4.2"), x86::crc32),
        ("AESENC", std::arch::is_x86_feature_detected!("aes"), x86::aesenc),
        ("SHA256RNDS2", std::arch::is_x86_feature_detected!("sha"), x86::sha256rnds2),
    ];
    all.into_iter().filter(|(_, has, _)| *has).map(|(name, _, chain)| (name, chain)).collect()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{_mm_set1_epi32, _mm_set1_pd, _mm_setzero_si128};
    use std::hint::black_box;

    macro_rules! chain {
        ($name:ident, $class:ident, $value:expr, $link:literal) => {
            /// Runs a chain of `links` dependent instructions. `links` must be a positive multiple of 16, and the
            /// processor must have the instruction.
            pub(super) fn $name(links: u64) {
                // SAFETY: the assembly uses declared registers only, and no memory. The loop ends because `passes` is
                // at least 1. The caller has checked that the processor has the instruction.
                unsafe {
                    let mut value = black_box($value);
                    std::arch::asm!(
                        "2:",
                        ".rept 16",
                        $link,
                        ".endr",
                        "dec {passes}",
                        "jnz 2b",
                        value = inout($class) value,
                        other = in($class) black_box($value),
                        passes = inout(reg) (links / 16).max(1) => _,
                        in("xmm0") _mm_setzero_si128(),
                        options(nomem, nostack),
                    );
                    black_box(value);
                }
            }
        };
    }

    chain!(imul, reg, 0x9e37_79b9_7f4a_7c15_u64, "imul {value}, {other}");
    chain!(crc32, reg, 0x9e37_79b9_7f4a_7c15_u64, "crc32 {value}, {other}");
    // Multiply ones, because the products of other factors would overflow or become denormals, which take longer.
    chain!(mulpd, xmm_reg, _mm_set1_pd(1.0), "mulpd {value}, {other}");
    chain!(aesenc, xmm_reg, _mm_set1_epi32(0x7f4a_7c15), "aesenc {value}, {other}");
    chain!(sha256rnds2, xmm_reg, _mm_set1_epi32(0x7f4a_7c15), "sha256rnds2 {value}, {other}, xmm0");
}

#[cfg(target_arch = "aarch64")]
fn instructions() -> Vec<(&'static str, Chain)> {
    let all: [(&str, bool, Chain); 4] = [
        ("MUL", true, arm::mul),
        ("FMUL", true, arm::fmul),
        ("CRC32X", std::arch::is_aarch64_feature_detected!("crc"), arm::crc32x),
        ("AESE", std::arch::is_aarch64_feature_detected!("aes"), arm::aese),
    ];
    all.into_iter().filter(|(_, has, _)| *has).map(|(name, _, chain)| (name, chain)).collect()
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::hint::black_box;

    macro_rules! chain {
        ($name:ident, $class:ident, $value:expr, $feature:literal, $link:literal) => {
            /// Runs a chain of `links` dependent instructions. `links` must be a positive multiple of 16, and the
            /// processor must have the instruction.
            pub(super) fn $name(links: u64) {
                #[target_feature(enable = $feature)]
                fn repeat(links: u64) {
                    let mut value = black_box($value);
                    // SAFETY: the assembly uses declared registers only, and no memory. The loop ends because `passes`
                    // is at least 1.
                    unsafe {
                        std::arch::asm!(
                            "2:",
                            ".rept 16",
                            $link,
                            ".endr",
                            "subs {passes}, {passes}, #1",
                            "b.ne 2b",
                            value = inout($class) value,
                            other = in($class) black_box($value),
                            passes = inout(reg) (links / 16).max(1) => _,
                            options(nomem, nostack),
                        );
                    }
                    black_box(value);
                }
                // SAFETY: the caller has checked that the processor has the instruction.
                unsafe { repeat(links) }
            }
        };
    }

    chain!(mul, reg, 0x9e37_79b9_7f4a_7c15_u64, "neon", "mul {value}, {value}, {other}");
    chain!(fmul, vreg, 1.0_f64, "neon", "fmul {value:d}, {value:d}, {other:d}");
    chain!(crc32x, reg, 0x9e37_79b9_7f4a_7c15_u64, "crc", "crc32x {value:w}, {value:w}, {other:x}");
    chain!(aese, vreg, 1.0_f64, "aes", "aese {value:v}.16b, {other:v}.16b");
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instructions() -> Vec<(&'static str, Chain)> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times of chains on a simulated core, in whole ns. `reading_ns` is the cost of reading the clock.
    fn simulated(hertz: f64, latency: f64, reading_ns: f64) -> [[u64; 2]; 2] {
        let ns = |cycles: f64| (cycles * 1e9 / hertz + reading_ns) as u64;
        [LINKS.map(|links| ns(links as f64)), LINKS.map(|links| ns((links / QUARTER) as f64 * latency))]
    }

    #[test]
    fn latencies_contain_neither_the_cost_of_readings_nor_interruptions() {
        for latency in [1.0, 3.0, 4.0, 6.0] {
            let mut readings = Vec::new();
            for (at, hertz) in [2.45e9, 3.2e9, 3.25e9, 3.3e9, 3.1e9].into_iter().cycle().take(200).enumerate() {
                let mut reading = simulated(hertz, latency, 15.3);
                // Interruptions of 12 µs in one chain out of ten.
                if at % 10 == 0 {
                    reading[at / 10 % 2][at / 20 % 2] += 12_000;
                }
                readings.push(reading);
            }
            let links = links_per_instruction(readings).unwrap();
            assert!((links / latency - 1.0).abs() < 5e-4, "{links} instead of {latency}");
        }
        assert_eq!(links_per_instruction(vec![[[5, 5], [1, 9]]]), None);
    }

    #[test]
    fn every_chain_of_this_processor_runs() {
        for (name, chain) in instructions() {
            let begin = monotonic_ns();
            chain(1 << 16);
            assert!(monotonic_ns() > begin, "{name}");
        }
    }
}
