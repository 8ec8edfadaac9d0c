//! Keccak-p\[1600\] with each word of the state in its own vector register, for any register width.

/// Round constants for iota (FIPS 202, section 3.2.5).
pub(crate) const ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// Defines `permute` (Keccak-p\[1600, 24\]) for one register width, on 25 values of type `$Words`. The caller must
/// define `xor3(a, b, c)`, which computes `a ^ b ^ c`, and `and_not(a, b, c)`, which computes `a ^ (!b & c)`.
macro_rules! permutation {
    (
        $Words:ty, $features:literal, xor = $xor:ident, rotate = $rotate:ident, broadcast = $broadcast:ident
    ) => {
        /// Computes Keccak-p\[1600, 24\] (FIPS 202, section 3.3).
        #[target_feature(enable = $features)]
        #[inline]
        fn permute(state: &mut [$Words; 25]) {
            let mut a = *state;
            for constant in $crate::permutation::ROUND_CONSTANTS {
                a = round(&a, constant);
            }
            *state = a;
        }

        /// Computes one round: theta, rho, pi, chi and iota (FIPS 202, section 3.2). Each row of the result reads its
        /// words from their positions before pi, so no words are moved.
        ///
        /// Theta adds two column parities to each word. One three-input instruction could add both parities, but this
        /// takes more time despite fewer instructions, because the ten parities and 25 words do not fit in 32 registers
        /// at once. The parities mix three-input and two-input additions to avoid copies, because a three-input
        /// instruction overwrites one of its operands.
        #[target_feature(enable = $features)]
        #[inline]
        fn round(a: &[$Words; 25], constant: u64) -> [$Words; 25] {
            let parity = |x: usize| $xor(xor3($xor(a[x], a[x + 5]), a[x + 10], a[x + 15]), a[x + 20]);
            let parities = [parity(0), parity(1), parity(2), parity(3), parity(4)];
            let effect = |x: usize| $xor(parities[(x + 4) % 5], $rotate::<1>(parities[(x + 1) % 5]));
            let effects = [effect(0), effect(1), effect(2), effect(3), effect(4)];
            let theta = |word: usize| $xor(a[word], effects[word % 5]);

            let [e0, e1, e2, e3, e4] = chi([
                theta(0),
                $rotate::<44>(theta(6)),
                $rotate::<43>(theta(12)),
                $rotate::<21>(theta(18)),
                $rotate::<14>(theta(24)),
            ]);
            let [e5, e6, e7, e8, e9] = chi([
                $rotate::<28>(theta(3)),
                $rotate::<20>(theta(9)),
                $rotate::<3>(theta(10)),
                $rotate::<45>(theta(16)),
                $rotate::<61>(theta(22)),
            ]);
            let [e10, e11, e12, e13, e14] = chi([
                $rotate::<1>(theta(1)),
                $rotate::<6>(theta(7)),
                $rotate::<25>(theta(13)),
                $rotate::<8>(theta(19)),
                $rotate::<18>(theta(20)),
            ]);
            let [e15, e16, e17, e18, e19] = chi([
                $rotate::<27>(theta(4)),
                $rotate::<36>(theta(5)),
                $rotate::<10>(theta(11)),
                $rotate::<15>(theta(17)),
                $rotate::<56>(theta(23)),
            ]);
            let [e20, e21, e22, e23, e24] = chi([
                $rotate::<62>(theta(2)),
                $rotate::<55>(theta(8)),
                $rotate::<39>(theta(14)),
                $rotate::<41>(theta(15)),
                $rotate::<2>(theta(21)),
            ]);
            let e0 = $xor(e0, $broadcast(constant.cast_signed()));
            [
                e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15, e16, e17, e18, e19, e20, e21,
                e22, e23, e24,
            ]
        }

        /// Applies chi to a row: combines each word with the next two.
        #[target_feature(enable = $features)]
        #[inline]
        fn chi(row: [$Words; 5]) -> [$Words; 5] {
            let [a, b, c, d, e] = row;
            [and_not(a, b, c), and_not(b, c, d), and_not(c, d, e), and_not(d, e, a), and_not(e, a, b)]
        }
    };
}
pub(crate) use permutation;
