use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// Number of permutations of a test.
const PERMUTATIONS: u32 = 3_999;

/// Seed of the permutations, so that equal values give equal results.
const SEED: u64 = 0x0067_726f_7570_6564;

/// Variance of values explained by a division into groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grouped {
    /// Share of the variance that the groups explain, from 0 to 1. Corrected for the number of groups: close to 0 on
    /// average if the groups do not matter.
    pub share: f64,
    /// p-value: the probability of a share at least as large if the groups do not matter.
    pub p: f64,
}

/// Tests whether values depend on their groups. `values` contains each value with the number of its group. The
/// statistic is the share of the variance between the groups (a one-way analysis of variance). The p-value comes from
/// random permutations of the values, so it holds for every distribution (Phipson and Smyth, "Permutation P-values
/// Should Never Be Zero", Statistical Applications in Genetics and Molecular Biology 9 (2010)). The share is corrected
/// as in Ezekiel, "Methods of Correlation Analysis" (1930).
///
/// Returns `None` if there are fewer than two groups, if fewer than two values are left after one per group, if a value
/// is not finite, or if all values are equal.
pub fn grouped(values: &[(f64, u64)]) -> Option<Grouped> {
    let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, group) in values {
        let next = numbers.len();
        numbers.entry(*group).or_insert(next);
    }
    let (count, groups) = (values.len(), numbers.len());
    if groups < 2 || count < groups + 2 || values.iter().any(|(value, _)| !value.is_finite()) {
        return None;
    }
    let members: Vec<usize> = values.iter().map(|(_, group)| numbers[group]).collect();
    let mut sizes = vec![0.0; groups];
    members.iter().for_each(|&group| sizes[group] += 1.0);
    let mean = values.iter().map(|(value, _)| value).sum::<f64>() / count as f64;
    let mut centred: Vec<f64> = values.iter().map(|(value, _)| value - mean).collect();
    let all: f64 = centred.iter().map(|value| value * value).sum();
    if all <= 0.0 {
        return None;
    }
    let mut sums = vec![0.0; groups];
    let mut between = |centred: &[f64]| {
        sums.fill(0.0);
        centred.iter().zip(&members).for_each(|(value, &group)| sums[group] += value);
        sums.iter().zip(&sizes).map(|(sum, size)| sum * sum / size).sum::<f64>()
    };
    let observed = between(&centred);
    // Count ties as larger, although sums in a different order may differ in the last bits.
    let least = observed * (1.0 - 1e-9);
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut as_large = 0_u32;
    for _ in 0..PERMUTATIONS {
        shuffle(&mut centred, &mut random);
        as_large += u32::from(between(&centred) >= least);
    }
    let within = 1.0 - observed / all;
    let share = 1.0 - within * (count - 1) as f64 / (count - groups) as f64;
    Some(Grouped { share: share.clamp(0.0, 1.0), p: f64::from(as_large + 1) / f64::from(PERMUTATIONS + 1) })
}

/// Shuffles values (Fisher and Yates). The bias of the index is below 2^-50 for any number of values that occurs here.
fn shuffle(values: &mut [f64], random: &mut ChaCha8Rng) {
    for last in (1..values.len()).rev() {
        let index = (u128::from(random.next_u64()) * (last as u128 + 1)) >> 64;
        values.swap(last, index as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a value that is roughly normal with standard deviation 1.
    fn noise(random: &mut fastrand::Rng) -> f64 {
        (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
    }

    #[test]
    fn finds_a_planted_effect() {
        let mut random = fastrand::Rng::with_seed(3);
        let found = (0..100).filter(|_| {
            let values: Vec<(f64, u64)> =
                (0..24).map(|index| (noise(&mut random) + if index % 8 == 5 { 4.0 } else { 0.0 }, index % 8)).collect();
            grouped(&values).is_some_and(|grouped| grouped.p <= 0.01 && grouped.share > 0.2)
        });
        assert!(found.count() >= 85);
    }

    #[test]
    fn rarely_finds_an_effect_without_one() {
        let mut random = fastrand::Rng::with_seed(4);
        let found = (0..400).filter(|_| {
            // Two levels and an outlier, as processes have them: far from a normal distribution.
            let level = |random: &mut fastrand::Rng| if random.bool() { 120.0 } else { 147.0 };
            let mut values: Vec<(f64, u64)> =
                (0..24).map(|index| (level(&mut random) + 0.1 * noise(&mut random), index % 8)).collect();
            values[0].0 = 300.0;
            grouped(&values).is_some_and(|grouped| grouped.p <= 0.05)
        });
        assert!(found.count() <= 30, "5% of 400 are 20");
    }

    #[test]
    fn the_share_is_that_of_the_variance() {
        let values = [(1.0, 0), (1.0, 0), (3.0, 1), (3.0, 1), (1.0, 0), (3.0, 1)];
        let Grouped { share, p } = grouped(&values).unwrap();
        assert_eq!(share, 1.0);
        // Two of the 20 ways to choose three of six values separate them completely.
        assert!((p - 0.1).abs() < 0.02, "{p}");
        assert_eq!(grouped(&values), grouped(&values));
        let mixed = [(1.0, 0), (2.0, 0), (3.0, 0), (4.0, 0), (2.0, 1), (3.0, 1), (1.0, 1), (4.0, 1)];
        let Grouped { share, p } = grouped(&mixed).unwrap();
        assert!(share == 0.0 && p > 0.5, "{share} {p}");
    }

    #[test]
    fn too_few_values_or_groups_are_refused() {
        assert_eq!(grouped(&[]), None);
        assert_eq!(grouped(&[(1.0, 0), (2.0, 0), (3.0, 0)]), None);
        assert_eq!(grouped(&[(1.0, 0), (2.0, 1), (3.0, 1)]), None);
        assert_eq!(grouped(&[(1.0, 0), (1.0, 1), (1.0, 1), (1.0, 0)]), None);
        assert_eq!(grouped(&[(f64::NAN, 0), (1.0, 1), (1.0, 1), (1.0, 0)]), None);
    }
}
