//! Hides CPU features from OpenSSL and AWS-LC. Both libraries store the results of CPUID in the `OPENSSL_ia32cap_P`
//! table.
//!
//! The libraries read the environment variable `OPENSSL_ia32cap` before `main` begins. They read the table whenever
//! they select a code path.

use pqlab_cpu::{Feature, is_hidden};
use std::sync::atomic::{AtomicU32, Ordering};

/// Bits to clear for each feature: the index of a word in the table and the feature's bits in this word. The words are
/// EDX and ECX of leaf 1; EBX, ECX and EDX of leaf 7; EAX, EDX, EBX and ECX of leaf 7.1; and EBX of leaf 0x24. AWS-LC's
/// table contains only the first four words.
const BITS: [(Feature, usize, u32); 9] = [
    // AVX2.
    (Feature::Avx2, 2, 1 << 5),
    // VAES, VPCLMULQDQ.
    (Feature::Avx2, 3, 1 << 9 | 1 << 10),
    // SHA512, SM3, SM4, AVX-VNNI, AVX-IFMA.
    (Feature::Avx2, 5, 1 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 23),
    // F, DQ, IFMA, PF, ER, CD, BW, VL.
    (Feature::Avx512, 2, 1 << 16 | 1 << 17 | 1 << 21 | 1 << 26 | 1 << 27 | 1 << 28 | 1 << 30 | 1 << 31),
    // VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ.
    (Feature::Avx512, 3, 1 << 1 | 1 << 6 | 1 << 11 | 1 << 12 | 1 << 14),
    // 4VNNIW, 4FMAPS, VP2INTERSECT, FP16.
    (Feature::Avx512, 4, 1 << 2 | 1 << 3 | 1 << 8 | 1 << 23),
    // BF16.
    (Feature::Avx512, 5, 1 << 5),
    // AVX10, then its version and vector lengths.
    (Feature::Avx512, 6, 1 << 19),
    (Feature::Avx512, 9, u32::MAX),
];

/// Clears the bits of hidden features in a library's table. The library must already have filled the table.
pub(crate) fn hide_in(table: &[AtomicU32]) {
    for (_, word, bits) in BITS.iter().filter(|(feature, ..)| is_hidden(*feature)) {
        if let Some(word) = table.get(*word) {
            word.fetch_and(!bits, Ordering::Relaxed);
        }
    }
}
