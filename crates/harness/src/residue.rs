//! Leftover register state: processor and thread state that outlives a call and slows or changes the code that runs
//! next.
//!
//! The best-known example is the upper halves of the vector registers. If a function uses them and returns without
//! `vzeroupper`, each later SSE instruction in the thread has to merge with their contents. Intel describes this effect
//! (*64 and IA-32 Architectures Optimization Reference Manual*, section 15.3); AMD's cores behave similarly. The next
//! library may then take up to twice as long. Because visits are shuffled, any call may precede a visit. The worker
//! therefore restores its initial state before each visit ([`put_back`]) and the processor's part of the state before
//! each sample ([`put_back_registers`]).

use nix::sys::signal::{SigSet, SigmaskHow};
use pqlab_record::Residue;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// State at the start of the worker, before any call to a library.
#[derive(Clone, Copy, Debug)]
struct Baseline {
    registers: arch::Registers,
    signals: Option<SigSet>,
}

static BASELINE: OnceLock<Baseline> = OnceLock::new();

/// Saves the calling thread's state, which [`put_back`] restores in all threads of this process. Only the first call
/// has an effect.
pub fn remember() {
    baseline();
}

fn baseline() -> &'static Baseline {
    BASELINE.get_or_init(|| Baseline { registers: arch::Registers::read(), signals: SigSet::thread_get_mask().ok() })
}

/// Restores all state that outlives a call: vector registers, floating-point control, direction flag, and blocked
/// signals. Makes a system call to restore the signals. Between samples, [`put_back_registers`] is enough and avoids
/// this call.
pub fn put_back() {
    put_back_registers();
    if let Some(signals) = &baseline().signals {
        // The call fails only if `how` is invalid.
        nix::sys::signal::pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(signals), None).ok();
    }
}

/// Restores the processor's state: clears the upper halves of the vector registers, and resets floating-point control
/// and the direction flag. Takes a few tens of cycles.
#[inline]
pub fn put_back_registers() {
    arch::put_back(&baseline().registers);
}

/// Clears only the upper halves of the vector registers, if the processor has them. Takes a few cycles. An application
/// may also clear them before and after its calls to a library.
#[inline]
pub fn clear_vector_upper() {
    arch::clear_upper();
}

/// Set of kinds of leftover register state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Residues(u8);

impl Residues {
    fn new(residue: Residue) -> Residues {
        Residues(1 << residue as u8)
    }

    /// Returns whether the set contains `residue`.
    pub fn contains(self, residue: Residue) -> bool {
        self.0 & Residues::new(residue).0 != 0
    }

    /// Returns whether the set is empty.
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
        Residues(residues.into_iter().fold(0, |all, residue| all | Residues::new(residue).0))
    }
}

/// Returns the leftover state of the calling thread. The result is reliable if [`controls_hold`] returns `true`. `None`
/// if the processor cannot report the state of its vector registers.
#[inline]
pub fn read() -> Option<Residues> {
    arch::in_use(&baseline().registers)
}

/// Tests whether [`read`] works on this processor. [`read`] must report leftover state after a write to the upper half
/// of a vector register, and none after [`put_back_registers`]. Leaves the state restored.
pub fn controls_hold() -> bool {
    put_back_registers();
    let clear = read().is_some_and(Residues::is_empty);
    arch::dirty();
    let set = read().is_some_and(|seen| seen.contains(Residue::VectorUpper));
    put_back_registers();
    clear && set
}

/// Writes to the upper half of a vector register, if there is one. For tests, and for measuring the cost of leftover
/// state.
pub fn leave_dirty() {
    arch::dirty();
}

/// Counts leftover state over the samples of a visit. Reports only state that was present after more than half of the
/// samples, because an interrupt may affect single readings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    readings: u64,
    seen: [u64; Residue::ALL.len()],
    unreadable: bool,
}

impl Tally {
    /// Adds the reading after one sample.
    #[inline]
    pub(crate) fn add(&mut self, reading: Option<Residues>) {
        let Some(residues) = reading else {
            self.unreadable = true;
            return;
        };
        self.readings += 1;
        residues.iter().for_each(|residue| self.seen[residue as usize] += 1);
    }

    /// Returns the state that more than half of the readings found. `None` if there are no readings or if a reading
    /// failed.
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

    /// Floating-point control registers of SSE and the x87 unit.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Registers {
        mxcsr: u32,
        x87_control: u16,
    }

    impl Registers {
        pub(super) fn read() -> Registers {
            let (mut mxcsr, mut x87_control) = (0_u32, 0_u16);
            // SAFETY: every x86-64 processor has both registers. Each is stored in a variable of
            // its width.
            unsafe {
                asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags));
                asm!("fnstcw [{}]", in(reg) &raw mut x87_control, options(nostack, preserves_flags));
            }
            Registers { mxcsr, x87_control }
        }
    }

    /// Exception flags in MXCSR. They are status bits, not control bits.
    const FLAGS: u32 = 0x3f;
    /// XSAVE state component for the upper halves of ymm0 to ymm15 (Intel, *Software Developer's Manual*, volume 1,
    /// section 13.1). `ZMM_UPPER` is the component for zmm0 to zmm15. Component 7 (zmm16 to zmm31) is not checked,
    /// because the C library's memory functions leave it in use. This does not slow down other code.
    const YMM_UPPER: u32 = 1 << 2;
    const ZMM_UPPER: u32 = 1 << 6;

    /// Returns the XSAVE components in use. `None` if the processor does not support XGETBV with ECX = 1 (section 13.2:
    /// CPUID leaf 0DH, sub-leaf 1, EAX bit 2).
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
        // SAFETY: the processor supports XGETBV with ECX = 1, and the system has enabled it.
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
            // SAFETY: the processor supports AVX, and the instruction reads only the 32 bytes of `ones`.
            unsafe { asm!("vmovups ymm15, [{}]", in(reg) &raw const ones, out("xmm15") _, options(readonly, nostack)) }
        }
    }

    /// Returns whether the processor supports AVX and the system saves the AVX registers.
    fn has_avx() -> bool {
        std::is_x86_feature_detected!("avx")
    }

    #[inline]
    pub(super) fn clear_upper() {
        if has_avx() {
            // SAFETY: the processor supports AVX. The instruction changes only vector registers,
            // and `clobber_abi` declares all of them as overwritten.
            unsafe { asm!("vzeroupper", clobber_abi("sysv64"), options(nomem, nostack)) }
        }
    }

    pub(super) fn put_back(registers: &Registers) {
        clear_upper();
        // SAFETY: the loaded values were stored from the same registers. `emms` empties the x87 stack and `cld` clears
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

    /// Floating-point control register.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Registers {
        fpcr: u64,
    }

    impl Registers {
        pub(super) fn read() -> Registers {
            let fpcr: u64;
            // SAFETY: the instruction reads a register that every AArch64 processor has.
            unsafe { asm!("mrs {}, fpcr", out(reg) fpcr, options(nomem, nostack, preserves_flags)) }
            Registers { fpcr }
        }
    }

    /// Returns only the state of floating-point control. Upper halves of vector registers cost nothing on this
    /// architecture.
    pub(super) fn in_use(baseline: &Registers) -> Option<Residues> {
        let other = Registers::read() != *baseline;
        Some(other.then_some(Residue::FloatControl).into_iter().collect())
    }

    pub(super) fn dirty() {}

    pub(super) fn clear_upper() {}

    pub(super) fn put_back(registers: &Registers) {
        // SAFETY: the value was read from the same register.
        unsafe { asm!("msr fpcr, {}", in(reg) registers.fpcr, options(nomem, nostack, preserves_flags)) }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod arch {
    use super::Residues;

    /// Empty state, because no registers need restoring on this architecture.
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
        assert_eq!(tally.outcome(), None, "there must be no outcome without readings");
        for reading in [upper, Residues::default(), upper, upper] {
            tally.add(Some(reading));
        }
        assert_eq!(tally.outcome(), Some(upper));
        tally.add(Some(Residues::default()));
        tally.add(Some(Residues::default()));
        assert_eq!(tally.outcome(), Some(Residues::default()), "half of the readings must not be enough");
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
        // Use a separate thread, so that the changed state ends with it.
        let readable = std::thread::spawn(|| {
            remember();
            if read().is_some() && std::is_x86_feature_detected!("avx") {
                assert!(controls_hold());
            }
            let (mxcsr, control) = (0xffc0_u32, 0x027f_u16);
            // SAFETY: the values enable flush-to-zero in SSE and double precision in the x87 unit. This test depends on
            // neither.
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
