//! Leftover register state: processor and thread state that outlives a call, and slows or changes what runs next.
//!
//! The best known is the upper halves of the vector registers. After a function that uses them and returns without
//! `vzeroupper`, each later SSE instruction in the thread has to merge with their contents (Intel, *64 and IA-32
//! Architectures Optimization Reference Manual*, section 15.3; similar on AMD's cores). The next library pays, with up
//! to twice the time. Which call precedes a visit is chance, so [`put_back`] gives each visit and each sample the state
//! with which the worker began.

use nix::sys::signal::{SigSet, SigmaskHow};
use pqlab_record::Residue;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// State when the worker began, before any library was called.
#[derive(Clone, Copy, Debug)]
struct Baseline {
    registers: arch::Registers,
    signals: Option<SigSet>,
}

static BASELINE: OnceLock<Baseline> = OnceLock::new();

/// Records the calling thread's state as the one to [restore](put_back) in all threads of this process, which inherit
/// it. Only the first call has an effect.
pub fn remember() {
    baseline();
}

fn baseline() -> &'static Baseline {
    BASELINE.get_or_init(|| Baseline { registers: arch::Registers::read(), signals: SigSet::thread_get_mask().ok() })
}

/// Restores all state that outlives a call: vector registers, floating-point control, direction flag, and blocked
/// signals. Makes a system call; [`put_back_registers`] is enough for a sample.
pub fn put_back() {
    put_back_registers();
    if let Some(signals) = &baseline().signals {
        // Fails only for an invalid `how`.
        nix::sys::signal::pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(signals), None).ok();
    }
}

/// Restores the processor's state: clears the upper halves of the vector registers, and resets floating-point control
/// and the direction flag. Takes some tens of cycles.
#[inline]
pub fn put_back_registers() {
    arch::put_back(&baseline().registers);
}

/// Clears only the upper halves of the vector registers, if there are any. Takes a few cycles, as in code that does it
/// around its own library calls.
#[inline]
pub fn clear_vector_upper() {
    arch::clear_upper();
}

/// Set of leftover state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residues(u8);

impl Residues {
    fn of(residue: Residue) -> Residues {
        Residues(1 << residue as u8)
    }

    /// Whether the set contains `residue`.
    pub fn contains(self, residue: Residue) -> bool {
        self.0 & Residues::of(residue).0 != 0
    }

    /// Whether nothing was left behind.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the members of the set.
    pub fn iter(self) -> impl Iterator<Item = Residue> {
        Residue::ALL.into_iter().filter(move |&residue| self.contains(residue))
    }
}

impl FromIterator<Residue> for Residues {
    fn from_iter<I: IntoIterator<Item = Residue>>(residues: I) -> Residues {
        Residues(residues.into_iter().fold(0, |all, residue| all | Residues::of(residue).0))
    }
}

/// Reads the state left behind in the calling thread. Reliable if the [controls](controls_hold) hold. `None` if the
/// processor cannot report its vector registers.
#[inline]
pub fn read() -> Option<Residues> {
    arch::in_use(&baseline().registers)
}

/// Tests the readings on this processor: they must be clear after restoring the state, and set after writing to the
/// upper half of a vector register. Leaves the state restored.
pub fn controls_hold() -> bool {
    put_back_registers();
    let clear = read().is_some_and(Residues::is_empty);
    arch::dirty();
    let set = read().is_some_and(|seen| seen.contains(Residue::VectorUpper));
    put_back_registers();
    clear && set
}

/// Writes to the upper half of a vector register, if there is one. For tests, and for measuring the cost.
pub fn leave_dirty() {
    arch::dirty();
}

/// Counts leftover state over the samples of a visit, and reports what was there after more than half of them. A single
/// reading may be that of an interruption.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    readings: u64,
    seen: [u64; Residue::ALL.len()],
    unreadable: bool,
}

impl Tally {
    /// Adds a reading.
    #[inline]
    pub(crate) fn add(&mut self, reading: Option<Residues>) {
        let Some(residues) = reading else {
            self.unreadable = true;
            return;
        };
        self.readings += 1;
        residues.iter().for_each(|residue| self.seen[residue as usize] += 1);
    }

    /// Returns the usual leftover state; `None` without readings, or if one failed.
    pub(crate) fn outcome(&self) -> Option<Residues> {
        let usual = |residue: &Residue| 2 * self.seen[*residue as usize] > self.readings;
        (self.readings > 0 && !self.unreadable).then(|| Residue::ALL.into_iter().filter(usual).collect())
    }
}

#[cfg(target_arch = "x86_64")]
mod arch {
    use super::Residues;
    use pqlab_record::Residue;
    use std::arch::asm;
    use std::sync::OnceLock;

    /// Floating-point control of SSE and of the x87 unit.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Registers {
        mxcsr: u32,
        x87_control: u16,
    }

    impl Registers {
        pub(super) fn read() -> Registers {
            let (mut mxcsr, mut x87_control) = (0_u32, 0_u16);
            // SAFETY: each instruction stores a register that every x86-64 processor has into a variable of its width.
            unsafe {
                asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
                asm!("fnstcw [{}]", in(reg) &raw mut x87_control, options(nostack, preserves_flags));
            }
            Registers { mxcsr, x87_control }
        }
    }

    /// Status bits of MXCSR, as opposed to control bits: the exception flags.
    const FLAGS: u32 = 0x3f;
    /// State components of XSAVE (Intel, *Software Developer's Manual*, volume 1, section 13.1): the upper halves of
    /// ymm0 to ymm15, and of zmm0 to zmm15. Component 7, zmm16 to zmm31, is left out: it stays in use once the C
    /// library's memory functions have used it, and slows nothing.
    const YMM_UPPER: u32 = 1 << 2;
    const ZMM_UPPER: u32 = 1 << 6;

    /// Returns the components in use, if the processor supports XGETBV with ECX = 1 (section 13.2: CPUID leaf 0DH,
    /// sub-leaf 1, EAX bit 2).
    fn components() -> Option<u32> {
        static SUPPORTED: OnceLock<bool> = OnceLock::new();
        let supported = SUPPORTED.get_or_init(|| {
            let cpuid = raw_cpuid::CpuId::new();
            let saved = cpuid.get_feature_info().is_some_and(|features| features.has_oxsave());
            saved && cpuid.get_extended_state_info().is_some_and(|state| state.has_xgetbv())
        });
        if !supported {
            return None;
        }
        let components: u32;
        // SAFETY: the processor has the instruction and the system has enabled it.
        unsafe {
            asm!("xgetbv", in("ecx") 1, out("eax") components, out("edx") _, options(nomem, nostack, preserves_flags));
        }
        Some(components)
    }

    pub(super) fn in_use(baseline: &Registers) -> Option<Residues> {
        let components = if has_avx() { components()? } else { 0 };
        let now = Registers::read();
        let found = [
            (Residue::VectorUpper, components & YMM_UPPER != 0),
            (Residue::VectorUpper512, components & ZMM_UPPER != 0),
            (Residue::FloatControl, (now.mxcsr ^ baseline.mxcsr) & !FLAGS != 0),
            (Residue::X87Control, now.x87_control != baseline.x87_control),
        ];
        Some(found.into_iter().filter(|(_, found)| *found).map(|(residue, _)| residue).collect())
    }

    /// Writes to the upper half of a vector register.
    pub(super) fn dirty() {
        if has_avx() {
            let ones = [u8::MAX; 32];
            // SAFETY: the processor has AVX; reads the 32 bytes of `ones`.
            unsafe { asm!("vmovups ymm15, [{}]", in(reg) &raw const ones, out("xmm15") _, options(readonly, nostack)) }
        }
    }

    /// Whether the processor has AVX and the system saves its registers.
    fn has_avx() -> bool {
        std::is_x86_feature_detected!("avx")
    }

    #[inline]
    pub(super) fn clear_upper() {
        if has_avx() {
            // SAFETY: the processor has AVX. The declaration names everything that is cleared: all vector registers
            // that a call may overwrite, which is every one.
            unsafe { asm!("vzeroupper", clobber_abi("sysv64"), options(nomem, nostack)) }
        }
    }

    pub(super) fn put_back(registers: &Registers) {
        clear_upper();
        // SAFETY: loads values that were stored from the same registers. `emms` empties the x87 stack and `cld` clears
        // the direction flag, as the ABI requires between functions.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const registers.mxcsr, options(readonly, nostack));
            asm!(
                "emms",
                "fldcw [{}]",
                "cld",
                in(reg) &raw const registers.x87_control,
                clobber_abi("sysv64"),
                options(readonly, nostack),
            );
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use super::Residues;
    use pqlab_record::Residue;
    use std::arch::asm;

    /// Floating-point control.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Registers {
        fpcr: u64,
    }

    impl Registers {
        pub(super) fn read() -> Registers {
            let fpcr: u64;
            // SAFETY: reads a register that every AArch64 processor has.
            unsafe { asm!("mrs {}, fpcr", out(reg) fpcr, options(nomem, nostack, preserves_flags)) }
            Registers { fpcr }
        }
    }

    /// Upper halves of vector registers cost nothing on this architecture, so they are not reported.
    pub(super) fn in_use(baseline: &Registers) -> Option<Residues> {
        let other = Registers::read() != *baseline;
        Some(other.then_some(Residue::FloatControl).into_iter().collect())
    }

    pub(super) fn dirty() {}

    pub(super) fn clear_upper() {}

    pub(super) fn put_back(registers: &Registers) {
        // SAFETY: writes back what was read from the same register.
        unsafe { asm!("msr fpcr, {}", in(reg) registers.fpcr, options(nomem, nostack, preserves_flags)) }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod arch {
    use super::Residues;

    /// No registers are known for this architecture.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Registers;

    impl Registers {
        pub(super) fn read() -> Registers {
            Registers
        }
    }

    pub(super) fn in_use(_baseline: &Registers) -> Option<Residues> {
        None
    }

    pub(super) fn dirty() {}

    pub(super) fn clear_upper() {}

    pub(super) fn put_back(_registers: &Registers) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use pqlab_testing::{Need, require};

    #[test]
    fn reports_state_seen_in_more_than_half_of_the_readings() {
        let upper: Residues = [Residue::VectorUpper].into_iter().collect();
        let mut tally = Tally::default();
        assert_eq!(tally.outcome(), None, "no reading says nothing");
        for reading in [upper, Residues::default(), upper, upper] {
            tally.add(Some(reading));
        }
        assert_eq!(tally.outcome(), Some(upper));
        tally.add(Some(Residues::default()));
        tally.add(Some(Residues::default()));
        assert_eq!(tally.outcome(), Some(Residues::default()), "half is not more than half");
        tally.add(None);
        assert_eq!(tally.outcome(), None);
    }

    #[test]
    fn a_set_lists_its_members() {
        let set: Residues = [Residue::X87Control, Residue::VectorUpper].into_iter().collect();
        assert_eq!(set.iter().map(Residue::name).collect::<Vec<_>>(), ["vector-upper", "x87-control"]);
        assert!(!set.is_empty() && !set.contains(Residue::FloatControl));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn everything_is_put_back() {
        // On its own thread, whose state ends with it.
        let readable = std::thread::spawn(|| {
            remember();
            if read().is_some() && std::is_x86_feature_detected!("avx") {
                assert!(controls_hold());
            }
            let (mxcsr, control) = (0xffc0_u32, 0x027f_u16);
            // SAFETY: flushing denormals to zero and double precision of the x87 unit, neither of which this test
            // depends on.
            unsafe {
                std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr);
                std::arch::asm!("fldcw [{}]", in(reg) &raw const control);
            }
            let before = SigSet::thread_get_mask().unwrap();
            let mut blocked = SigSet::empty();
            blocked.add(nix::sys::signal::Signal::SIGUSR2);
            blocked.thread_block().unwrap();
            let left = read();
            if let Some(left) = left {
                assert!(left.contains(Residue::FloatControl) && left.contains(Residue::X87Control), "{left:?}");
            }
            put_back();
            assert!(read().is_none_or(Residues::is_empty), "{:?}", read());
            assert_eq!(arch::Registers::read(), baseline().registers);
            assert_eq!(SigSet::thread_get_mask().unwrap(), before);
            left.is_some()
        });
        require!(readable.join().unwrap(), Need::Machine("registers whose state can be read"));
    }
}
