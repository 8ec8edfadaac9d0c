//! What a call leaves behind in its thread: state of the processor and of the thread that outlives the call, and slows or
//! changes what runs next.
//!
//! The best known is the upper halves of the vector registers. A function that used them and returns without `vzeroupper`
//! makes each SSE instruction that follows in the thread merge with what they hold (Intel, *64 and IA-32 Architectures
//! Optimization Reference Manual*, section 15.3; the like on AMD's cores): the next library pays, up to twice the time. Whose
//! call came before a visit is chance, so [`put_back`] gives each visit and each sample the state with which the worker
//! began.

use nix::sys::signal::{SigSet, SigmaskHow};
use pqlab_record::Residue;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// What the state was when the worker began, before any library was called.
#[derive(Clone, Copy, Debug)]
struct Baseline {
    registers: arch::Registers,
    signals: Option<SigSet>,
}

static BASELINE: OnceLock<Baseline> = OnceLock::new();

/// Remembers the state of the calling thread as the one that is [put back](put_back), in all threads of this process: threads
/// inherit it. Only the first call counts.
pub fn remember() {
    baseline();
}

fn baseline() -> &'static Baseline {
    BASELINE.get_or_init(|| Baseline { registers: arch::Registers::read(), signals: SigSet::thread_get_mask().ok() })
}

/// Puts back all state that outlives a call: vector registers, floating-point control, direction flag, and the signals that
/// are blocked. A system call; for a sample [`put_back_registers`] does.
pub fn put_back() {
    put_back_registers();
    if let Some(signals) = &baseline().signals {
        // Refused only for a `how` that does not exist.
        nix::sys::signal::pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(signals), None).ok();
    }
}

/// Puts back the state of the processor: the upper halves of the vector registers are cleared, floating-point control and the
/// direction flag are as they were. Some tens of cycles.
#[inline]
pub fn put_back_registers() {
    arch::put_back(&baseline().registers);
}

/// Clears the upper halves of the vector registers, where there are such, and nothing else: some cycles, as code that calls a
/// library could do itself.
#[inline]
pub fn clear_vector_upper() {
    arch::clear_upper();
}

/// What was left behind, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residues(u8);

impl Residues {
    fn of(residue: Residue) -> Residues {
        Residues(1 << residue as u8)
    }

    /// Whether it is among them.
    pub fn contains(self, residue: Residue) -> bool {
        self.0 & Residues::of(residue).0 != 0
    }

    /// Whether nothing was left behind.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One by one.
    pub fn iter(self) -> impl Iterator<Item = Residue> {
        Residue::ALL.into_iter().filter(move |&residue| self.contains(residue))
    }
}

impl FromIterator<Residue> for Residues {
    fn from_iter<I: IntoIterator<Item = Residue>>(residues: I) -> Residues {
        Residues(residues.into_iter().fold(0, |all, residue| all | Residues::of(residue).0))
    }
}

/// Reads what is left behind in the calling thread now. To be trusted where the [controls](controls_hold) hold: a reading of
/// the vector registers that the processor does not give is `None`.
#[inline]
pub fn read() -> Option<Residues> {
    arch::in_use(&baseline().registers)
}

/// Whether readings are what they seem here: clear after state was put back, set after the upper half of a vector register was
/// written to. Leaves the state put back.
pub fn controls_hold() -> bool {
    put_back_registers();
    let clear = read().is_some_and(Residues::is_empty);
    arch::dirty();
    let set = read().is_some_and(|seen| seen.contains(Residue::VectorUpper));
    put_back_registers();
    clear && set
}

/// Leaves the upper half of a vector register in use, where there is such a thing: for tests of what happens then, and for
/// measuring what it costs.
pub fn leave_dirty() {
    arch::dirty();
}

/// Counts over the samples of a visit what was left behind, and says what was there after more than half of them: a single
/// reading may be that of an interruption.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    readings: u64,
    seen: [u64; Residue::ALL.len()],
    unreadable: bool,
}

impl Tally {
    /// Takes a reading.
    #[inline]
    pub(crate) fn add(&mut self, reading: Option<Residues>) {
        let Some(residues) = reading else {
            self.unreadable = true;
            return;
        };
        self.readings += 1;
        residues.iter().for_each(|residue| self.seen[residue as usize] += 1);
    }

    /// `None` where there was no reading, or one could not be made.
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
            // SAFETY: each instruction stores a register of every x86-64 processor into a variable of its width.
            unsafe {
                asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
                asm!("fnstcw [{}]", in(reg) &raw mut x87_control, options(nostack, preserves_flags));
            }
            Registers { mxcsr, x87_control }
        }
    }

    /// Bits of MXCSR that say what happened, not what is to happen: the exceptions' flags.
    const FLAGS: u32 = 0x3f;
    /// State components of XSAVE (Intel, *Software Developer's Manual*, volume 1, section 13.1): the upper halves of ymm0 to
    /// ymm15, and of zmm0 to zmm15. Component 7, zmm16 to zmm31, stays in use once the C library's memory functions used it,
    /// and slows nothing.
    const YMM_UPPER: u32 = 1 << 2;
    const ZMM_UPPER: u32 = 1 << 6;

    /// Which components are in use, where the processor tells: XGETBV with ECX = 1 (section 13.2: CPUID leaf 0DH, sub-leaf 1,
    /// EAX bit 2).
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

    /// Writes to the upper half of a vector register and leaves it so.
    pub(super) fn dirty() {
        if has_avx() {
            let ones = [u8::MAX; 32];
            // SAFETY: the processor has AVX; reads 32 bytes that are there.
            unsafe { asm!("vmovups ymm15, [{}]", in(reg) &raw const ones, out("xmm15") _, options(readonly, nostack)) }
        }
    }

    /// Whether the processor has AVX and the system keeps its registers.
    fn has_avx() -> bool {
        std::is_x86_feature_detected!("avx")
    }

    #[inline]
    pub(super) fn clear_upper() {
        if has_avx() {
            // SAFETY: the processor has AVX. What is cleared the declaration names: every vector register that a call may
            // overwrite, which are all.
            unsafe { asm!("vzeroupper", clobber_abi("sysv64"), options(nomem, nostack)) }
        }
    }

    pub(super) fn put_back(registers: &Registers) {
        clear_upper();
        // SAFETY: loads what was stored from the same registers; `emms` empties the x87 stack, as it must be between
        // functions, and `cld` clears the direction flag, which must be clear between them.
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

    /// Vector registers have no upper halves here that cost anything: there is nothing to accuse of them.
    pub(super) fn in_use(baseline: &Registers) -> Option<Residues> {
        let other = Registers::read() != *baseline;
        Some(other.then_some(Residue::FloatControl).into_iter().collect())
    }

    pub(super) fn dirty() {}

    pub(super) fn clear_upper() {}

    pub(super) fn put_back(registers: &Registers) {
        // SAFETY: writes what was read from the same register.
        unsafe { asm!("msr fpcr, {}", in(reg) registers.fpcr, options(nomem, nostack, preserves_flags)) }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod arch {
    use super::Residues;

    /// None that is known here.
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
    fn what_is_in_more_than_half_of_the_readings_was_left_behind() {
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
    fn a_set_names_what_it_holds() {
        let set: Residues = [Residue::X87Control, Residue::VectorUpper].into_iter().collect();
        assert_eq!(set.iter().map(Residue::name).collect::<Vec<_>>(), ["vector-upper", "x87-control"]);
        assert!(!set.is_empty() && !set.contains(Residue::FloatControl));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn everything_is_put_back() {
        // On a thread of its own, whose state ends with it.
        let readable = std::thread::spawn(|| {
            remember();
            if read().is_some() && std::is_x86_feature_detected!("avx") {
                assert!(controls_hold());
            }
            let (mxcsr, control) = (0xffc0_u32, 0x027f_u16);
            // SAFETY: flushing of denormal numbers and double precision of the x87 unit, which nothing here depends on.
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
