//! Independent additions per cycle: the number measured on a core, and the usual number for its processor family.
//!
//! The gates compare a core only with the best throughput observed on it, so they cannot detect a load that is always
//! present. The usual number reveals such a load.

use crate::clock::core_state;

/// Number of probes. As in the gates, the result is the third-highest value, because the two highest may come from
/// errors in the clock estimate.
const PROBES: usize = 16;

/// Returns the number of independent additions that the current core performs per cycle at its best. `None` on
/// architectures other than x86-64.
pub(super) fn additions_per_cycle() -> Option<f64> {
    let mut seen = (0..PROBES).map(|_| core_state().additions_a_cycle).collect::<Option<Vec<f64>>>()?;
    seen.sort_by(|one, other| other.total_cmp(one));
    seen.get(2).copied()
}

/// Returns the usual number of independent additions per cycle for this processor's family. `None` if the family is
/// unknown or has several core types.
pub(super) fn usual_additions_per_cycle() -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        let (vendor, signature) = (__cpuid(0), __cpuid(1).eax);
        let vendor: Vec<u8> = [vendor.ebx, vendor.edx, vendor.ecx].into_iter().flat_map(u32::to_le_bytes).collect();
        usual(&vendor, signature)
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// Returns the usual additions per cycle for a vendor and a processor signature (`EAX` of CPUID leaf 1). `None` if the
/// family is unknown or has several core types.
///
/// Sources: Agner Fog, *Instruction tables*, `ADD r,r`, and *The microarchitecture of Intel, AMD and VIA CPUs*,
/// chapters on execution units.
#[cfg(any(target_arch = "x86_64", test))]
fn usual(vendor: &[u8], signature: u32) -> Option<f64> {
    let base = signature >> 8 & 0xf;
    let family = if base == 0xf { base + (signature >> 20 & 0xff) } else { base };
    let model = signature >> 4 & 0xf | signature >> 12 & 0xf0;
    let additions = match (vendor, family, model) {
        // Zen 1 to Zen 4, and Hygon Dhyana.
        (b"AuthenticAMD", 0x17 | 0x19, _) | (b"HygonGenuine", 0x18, _) => 4.0,
        // Zen 5.
        (b"AuthenticAMD", 0x1a, _) => 6.0,
        // Haswell and Broadwell.
        (b"GenuineIntel", 6, 0x3c | 0x3f | 0x45 | 0x46 | 0x3d | 0x47 | 0x4f | 0x56) => 4.0,
        // Skylake and its successors to Comet Lake.
        (b"GenuineIntel", 6, 0x4e | 0x5e | 0x55 | 0x8e | 0x9e | 0xa5 | 0xa6) => 4.0,
        // Ice Lake, Tiger Lake and Rocket Lake.
        (b"GenuineIntel", 6, 0x7d | 0x7e | 0x6a | 0x6c | 0x8c | 0x8d | 0xa7) => 4.0,
        // Sapphire Rapids, Emerald Rapids and Granite Rapids.
        (b"GenuineIntel", 6, 0x8f | 0xcf | 0xad | 0xae) => 5.0,
        _ => return None,
    };
    Some(additions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_additions_of_processor_families() {
        // EPYC 7003 (Zen 3), Ryzen 9000 (Zen 5), Xeon Platinum 8175M (Skylake), Xeon 8488C (Sapphire Rapids).
        let known = [
            (b"AuthenticAMD", 0x00a0_0f11, Some(4.0)),
            (b"AuthenticAMD", 0x00b4_0f40, Some(6.0)),
            (b"GenuineIntel", 0x0005_0654, Some(4.0)),
            (b"GenuineIntel", 0x0008_06f8, Some(5.0)),
            // Raptor Lake has two types of cores. Families of other vendors are unknown.
            (b"GenuineIntel", 0x000b_0671, None),
            (b"VIA VIA VIA ", 0x0000_06fd, None),
        ];
        for (vendor, signature, additions) in known {
            assert_eq!(usual(vendor, signature), additions, "{signature:x}");
        }
    }
}
